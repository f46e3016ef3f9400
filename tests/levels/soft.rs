//! Soft bodies and joints in levels: what is written becomes what it says, and every mistake is told
//! with its place and remedy.

use sinew::{JointKind, Motor, Shape, Spring, Style, Vec2, World};

use super::mistakes::told;
use super::{parsed, with_items};

/// What is told about items, on a level of their own.
fn told_of(items: &str) -> String {
    told(&with_items(items))
}

fn mesh(item: &str) -> sinew::Mesh {
    let body = parsed(item).bodies.remove(0);
    match body.shape {
        Shape::Mesh(mesh) => mesh,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_soft_body_is_read_and_built() {
    let scene = parsed(
        r##"{ "type": "rope", "id": "rope", "at": [0, 9], "to": [4, 9], "length": 5, "hold": "both", "stiffness": 2e7 },
           { "type": "beam", "id": "beam", "at": [0, 7], "to": [0, 10], "thickness": 0.1, "stiffness": 1e9, "clamp": "start" },
           { "type": "cloth", "id": "cloth", "size": [2, 1], "at": [9, 9], "hold": "corners", "hold_at": [[0, 0.5]], "holes": [{ "at": [0.5, 0], "disc": 0.2 }] },
           { "type": "jelly", "id": "jelly", "polygon": [[0, 0], [2, 0], [2, 2], [1, 1], [0, 2]], "at": [20, 0], "stiffness": 1e5, "regions": [{ "at": [1, 0], "box": [2, 0.5], "stiffness": "rigid" }] },
           { "type": "jelly", "id": "block", "box": [1, 1], "at": [30, 0], "stiffness": "rigid" },
           { "type": "jelly", "id": "drum", "disc": 0.5, "at": [32, 0], "frequency": 4, "break_strain": 0.5, "plastic": { "yield_strain": 0.1 } },
           { "type": "blob", "id": "blob", "radius": 0.5, "at": [40, 0], "color": "#010203", "filter": { "group": -3 } },
           { "type": "balloon", "id": "balloon", "radius": 0.5, "at": [50, 0], "density": 20, "velocity": [1, 2] },
           { "type": "bridge", "id": "bridge", "at": [0, 20], "to": [6, 21], "length": 7, "planks": 12, "break_force": 2e6, "material": "oak" }"##,
    );
    let world = World::build(&scene).unwrap();
    let soft: Vec<_> = world.bodies().filter(|(_, body)| body.soft).map(|(_, b)| &*b.id).collect();
    assert_eq!(soft, ["rope", "beam", "cloth", "jelly", "drum", "blob", "balloon"]);
    let body = |id: &str| scene.bodies.iter().find(|body| body.id == id).unwrap();
    assert_eq!(body("rope").look.style, Style::Rope);
    assert_eq!((body("blob").look.color, body("blob").filter.group), ([1, 2, 3], -3));
    assert_eq!(body("balloon").velocity, Vec2::new(1.0, 2.0));
    assert_eq!(body("bridge.link.11").material.density, 750.0);
    assert_eq!(scene.joints.len(), 13);
    assert!(scene.joints.iter().all(|joint| joint.break_force == Some(2e6)));
    // A metre deep, as everything else: 900 kg/m³ · 5 cm · 5 m.
    let mass = |id: &str| world.bodies().find(|(_, body)| body.id == id).unwrap().1.mass;
    assert!((mass("rope") - 225.0).abs() < 0.1, "{}", mass("rope"));
    assert!((mass("jelly") - 3000.0).abs() < 1.0, "{}", mass("jelly"));
    let Shape::Mesh(drum) = &body("drum").shape else { panic!("no mesh") };
    assert_eq!(drum.strength.break_strain, Some(0.5));
    assert_eq!(drum.strength.plastic.unwrap().yield_strain, 0.1);
}

/// Copies, turned prefabs, mirrors and scales treat soft bodies and bridges as any others.
#[test]
fn soft_bodies_go_with_their_prefabs() {
    let text = r#"{ "format": 1,
        "prefabs": { "gate": { "params": { "l": 2 }, "items": [
            { "type": "rope", "id": "rope", "at": [1, 0], "to": ["1 + $l", 0] },
            { "type": "bridge", "id": "bridge", "at": [1, 1], "to": [3, 1], "planks": 4 },
            { "type": "pin", "a": "rope", "at": [1, 0] },
            { "type": "pulley", "a": "bridge.link.0", "b": "rope", "at": [1, 1], "to": [3, 0], "over": [[0, 5], [1, 5]] } ] } },
        "items": [{ "type": "gate", "id": "g", "at": [10, 0], "mirror": "x", "scale": 2, "material": "steel",
                    "repeat": { "count": 2, "step": [0, 10] } }] }"#;
    let scene = sinew::Level::parse(text, "x.json").unwrap_or_else(|e| panic!("{e}")).scene;
    let world = World::build(&scene).unwrap();
    let rope = world.bounds(world.body("g.1.rope").unwrap()).unwrap();
    assert!((rope.min.x - 3.95).abs() < 1e-4 && (rope.max.x - 8.05).abs() < 1e-4, "{rope:?}");
    assert!((rope.center().y - 10.0).abs() < 1e-4);
    assert_eq!(scene.bodies[0].material.density, 7850.0);
    let pulley = scene.joints.iter().find(|joint| joint.id == "g.1.pulley.0").unwrap();
    assert_eq!((pulley.at, pulley.to), (Vec2::new(8.0, 12.0), Some(Vec2::new(4.0, 10.0))));
    let JointKind::Pulley { over, ratio } = pulley.kind else { panic!("{:?}", pulley.kind) };
    assert_eq!((over, ratio), ([Vec2::new(10.0, 20.0), Vec2::new(8.0, 20.0)], 1.0));
    for joint in &world.model.joints {
        let a = joint.a.sample(&world.state.position);
        let of = scene.joints.iter().find(|def| def.id == joint.id).unwrap();
        assert!(a.distance(of.at) < 1e-3, "{}: {a} {}", joint.id, of.at);
    }
}

#[test]
fn joints_of_every_kind_are_read() {
    let scene = parsed(
        r#"{ "type": "box", "id": "a", "size": [1, 1] }, { "type": "disc", "id": "b", "radius": 0.5, "at": [2, 0] },
           { "type": "pin", "a": "a", "b": "b", "at": [1, 0], "motor": { "speed": 180, "max_torque": 5 }, "break_torque": 7 },
           { "type": "weld", "a": "a", "at": [0, 0], "stiffness": 3e7, "damping": 2 },
           { "type": "distance", "a": "a", "b": "b", "at": [0, 0], "to": [2, 0] },
           { "type": "tether", "a": "a", "at": [0, 0], "to": [0, 3], "length": 4, "break_force": 9 },
           { "type": "spring", "a": "a", "b": "b", "at": [0, 0], "to": [2, 0], "length": 1, "stiffness": 100 },
           { "type": "slider", "a": "a", "b": "b", "at": [2, 0], "axis": [1, 1], "limits": [-1, 2], "motor": { "place": 1, "stiffness": 4, "damping": 1, "max_force": 1e8 } },
           { "type": "wheel", "a": "a", "b": "b", "at": [2, 0], "stiffness": 50, "damping": 5, "motor": { "angle": 90, "stiffness": 4, "max_torque": 6 }, "collide": true },
           { "type": "gear", "a": "a", "b": "b", "ratio": -2 },
           { "type": "pulley", "a": "a", "b": "b", "at": [0, 0], "to": [2, 0], "over": [[0, 4], [2, 4]], "ratio": 2 }"#,
    );
    World::build(&scene).unwrap();
    let [pin, weld, distance, tether, spring, slider, wheel, gear, _pulley] = &scene.joints[..]
    else {
        panic!("{}", scene.joints.len())
    };
    let pi = std::f32::consts::PI;
    assert_eq!(pin.motor, Some(Motor::Speed { speed: pi, most: 5.0 }));
    assert_eq!(pin.break_torque, Some(7.0));
    let bend = Some(Spring { stiffness: 3e7, damping: 2.0 });
    assert_eq!(weld.kind, JointKind::Weld { bend });
    assert_eq!(distance.kind, JointKind::Distance { least: 2.0, most: 2.0, spring: None });
    assert_eq!(tether.kind, JointKind::Distance { least: 0.0, most: 4.0, spring: None });
    assert_eq!((tether.to, tether.break_force), (Some(Vec2::new(0.0, 3.0)), Some(9.0)));
    let relaxed = Some(Spring { stiffness: 100.0, damping: 0.0 });
    assert_eq!(spring.kind, JointKind::Distance { least: 1.0, most: 1.0, spring: relaxed });
    let place = Spring { stiffness: 4.0, damping: 1.0 };
    assert_eq!(slider.motor, Some(Motor::Servo { target: 1.0, spring: place, most: 1e8 }));
    let angle = Spring { stiffness: 4.0, damping: 0.0 };
    assert_eq!(wheel.motor, Some(Motor::Servo { target: 0.5 * pi, spring: angle, most: 6.0 }));
    assert!(wheel.collide && matches!(wheel.kind, JointKind::Wheel { axis: Vec2::Y, .. }));
    assert_eq!(gear.kind, JointKind::Gear { ratio: -2.0 });
    assert_eq!((gear.at, gear.to), (Vec2::X, None));
}

/// Each item, and what is told about it.
#[test]
fn mistakes_in_soft_bodies() {
    let cases = [
        (r#"{ "type": "rope", "at": [0, 0] }"#, "2:1 items[0].to: the key `to` is missing\n"),
        (
            r#"{ "type": "rope", "to": [4, 0], "length": 3 }"#,
            "2:43 items[0].length: length 3 m is too short: its ends are 4 m apart (make it longer, or leave `length` out)\n",
        ),
        (
            r#"{ "type": "rope", "to": [0, 4], "length": 5 }"#,
            "2:25 items[0].to: with so much slack for so small a width it would fold (move the ends apart sideways, use less `length` or more segments)\n",
        ),
        (
            r#"{ "type": "rope", "to": [4, 0], "hold": "left", "colour": 1 }"#,
            "2:41 items[0].hold: unknown value `left` (choose one of: none, start, end, both)\n2:49 items[0].colour: unknown key `colour` (did you mean `color`?)\n",
        ),
        (
            r#"{ "type": "rope", "to": [4, 0], "break_strain": 0.1 }"#,
            "2:49 items[0].break_strain: what does not stretch has no strain (give it a `stiffness`)\n",
        ),
        (
            r#"{ "type": "rope", "to": [4, 0], "segments": 100000 }"#,
            "2:45 items[0].segments: the body would have about 100001 points: at most 10000 (ask for fewer segments)\n",
        ),
        (
            r#"{ "type": "beam", "to": [4, 0], "thickness": -1, "stiffness": 0 }"#,
            "2:46 items[0].thickness: thickness -1 must be positive\n",
        ),
        (r#"{ "type": "cloth", "size": [1, 0] }"#, "2:28 items[0].size: size 0 must be positive\n"),
        (
            r#"{ "type": "cloth", "size": [1, 1], "holes": [{ "disc": 5 }] }"#,
            "2:45 items[0].holes: no cloth is left (make the holes smaller)\n",
        ),
        (
            r#"{ "type": "cloth", "size": [1, 1], "holes": [{ "at": [0, 0] }, { "disc": -1 }], "hold_at": [[0, 0]] }"#,
            "2:46 items[0].holes[0]: a region needs exactly one shape (give it one of box, disc)\n",
        ),
        (
            r#"{ "type": "cloth", "size": [1, 1], "hold_at": [[0, 0.5], [3, 0]] }"#,
            "2:58 items[0].hold_at[1]: [3, 0] lies outside the cloth (places are relative to its middle)\n",
        ),
        (
            r#"{ "type": "cloth", "size": [1, 1], "cell": 0.001 }"#,
            "2:44 items[0].cell: the body would have about 1002001 points: at most 10000 (use larger cells)\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1] }"#,
            "2:1 items[0].stiffness: the key `stiffness` is missing (give `stiffness` in Pa or as \"rigid\", or `frequency` in Hz)\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1], "disc": 1, "stiffness": "hard" }"#,
            "2:1 items[0]: a jelly needs exactly one shape (give it one of box, polygon, disc)\n2:59 items[0].stiffness: expected a number in Pa, or \"rigid\", found the text \"hard\"\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1], "disc": 1, "stiffness": 1e5 }"#,
            "2:1 items[0]: a jelly needs exactly one shape (give it one of box, polygon, disc)\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1], "stiffness": 1, "frequency": 1 }"#,
            "2:64 items[0].frequency: either `stiffness` or `frequency`, not both (give `stiffness` in Pa or as \"rigid\", or `frequency` in Hz)\n",
        ),
        (
            r#"{ "type": "jelly", "polygon": [[0, 0], [1, 1], [1, 0], [0, 1]], "stiffness": 1e5 }"#,
            "2:32 items[0].polygon[0]: it crosses itself: side 0 meets side 2 (list the vertices in the order of the outline)\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1], "stiffness": "rigid", "plastic": { "yield_strain": 0.1 } }"#,
            "2:68 items[0].plastic: what does not stretch has no strain (give it a `stiffness`)\n",
        ),
        (
            r#"{ "type": "jelly", "box": [1, 1], "stiffness": 1e5, "plastic": { "flow": 0, "most": 1 } }"#,
            "2:64 items[0].plastic.yield_strain: the key `yield_strain` is missing\n",
        ),
        (
            r#"{ "type": "blob", "radius": 0, "break_strain": -1 }"#,
            "2:48 items[0].break_strain: break_strain -1 must be positive (leave it out for what never breaks)\n",
        ),
        (
            r#"{ "type": "blob", "radius": 1, "points": 3 }"#,
            "2:42 items[0].points: points 3 is outside 6 to 512\n",
        ),
        (
            r#"{ "type": "balloon", "radius": 1, "stretch": 0.5 }"#,
            "2:46 items[0].stretch: stretch 0.5 is outside 1 to 4\n",
        ),
        (
            r#"{ "type": "bridge", "to": [4, 0], "planks": 1 }"#,
            "2:45 items[0].planks: planks 1 is outside 2 to 1000\n",
        ),
        (
            r#"{ "type": "bridge", "to": [4, 0], "break_force": 0, "spin": 3 }"#,
            "2:50 items[0].break_force: break_force 0 must be positive (leave it out for what never breaks)\n2:61 items[0].spin: a bridge has no spin (leave it out)\n",
        ),
    ];
    for (item, expected) in cases {
        assert_eq!(told_of(item), expected, "{item}");
    }
}

/// Each joint between two boxes, and what is told about it.
#[test]
fn mistakes_in_joints() {
    let cases = [
        (r#""type": "weld", "a": "a""#, "4:1 items[2].at: the key `at` is missing\n"),
        (
            r#""type": "weld", "a": "a", "at": [0, 0], "damping": 1"#,
            "4:54 items[2].damping: damping of what does not bend (give `stiffness` too, or leave `damping` out)\n",
        ),
        (
            r#""type": "spring", "a": "a", "b": "b", "at": [0, 0], "to": [0, 0], "stiffness": 0"#,
            "4:61 items[2].to: `at` and `to` are the same place (use a pin to hold two places together)\n4:82 items[2].stiffness: stiffness 0 must be positive\n",
        ),
        (
            r#""type": "distance", "a": "a", "b": "b", "at": [0, 0], "to": [9, 0]"#,
            "4:63 items[2].to: the distance is 6.50 m away from `b` (`to` is in world coordinates and at most 0.5 m from each body)\n",
        ),
        (
            r#""type": "slider", "a": "a", "b": "b", "at": [2, 0], "axis": [0, 0], "limits": [1, 0]"#,
            "4:63 items[2].axis: the axis has no direction (write [0, 1] for up, [1, 0] for to the right)\n4:81 items[2].limits: limits 1 to 0 do not rise (write the lower limit first: [lower, upper])\n",
        ),
        (
            r#""type": "slider", "a": "a", "b": "b", "at": [2, 0], "axis": [0, 1], "motor": { "speed": 1 }"#,
            "4:80 items[2].motor.max_force: the key `max_force` is missing\n",
        ),
        (
            r#""type": "pin", "a": "a", "b": "b", "at": [1, 0], "motor": { "max_torque": 1 }"#,
            "4:61 items[2].motor: a motor needs `speed` or `angle` (give `speed` to keep a speed, `angle` to go somewhere)\n",
        ),
        (
            r#""type": "pin", "a": "a", "b": "b", "at": [1, 0], "motor": { "speed": 1, "stiffness": 3, "max_torque": -1 }"#,
            "4:88 items[2].motor.stiffness: `stiffness` belongs to a motor with `angle` (leave it out, or give `angle` instead of `speed`)\n4:105 items[2].motor.max_torque: max_torque -1 must be positive\n",
        ),
        (
            r#""type": "gear", "a": "a", "ratio": 0"#,
            "4:1 items[2].b: the key `b` is missing (a gear connects two bodies: name the second)\n4:38 items[2].ratio: ratio 0 is outside 0.001 to 1000\n",
        ),
        (
            r#""type": "pulley", "a": "a", "b": "b", "at": [0, 0], "to": [2, 0], "over": [[0, 4]]"#,
            "4:77 items[2].over: a pulley runs over two places (first the wheel of `a`, then that of `b`: [[x, y], [x, y]])\n",
        ),
        (
            r#""type": "wheel", "a": "a", "b": "nobody", "at": [2, 0], "stiffness": 1e14, "break_force": 0"#,
            "4:35 items[2].b: no body has the id `nobody` (known ids: a, b)\n4:72 items[2].stiffness: stiffness 100000000000000 is more than 1e13\n4:93 items[2].break_force: break_force 0 must be positive (leave it out for what never breaks)\n",
        ),
    ];
    for (joint, expected) in cases {
        let items = format!(
            "{{ \"type\": \"box\", \"id\": \"a\", \"size\": [1, 1] }},\n\
             {{ \"type\": \"box\", \"id\": \"b\", \"size\": [1, 1], \"at\": [2, 0] }},\n{{ {joint} }}"
        );
        assert_eq!(told_of(&items), expected, "{joint}");
    }
}

#[test]
fn a_joint_beside_a_soft_body_is_told() {
    let text =
        r#"{ "type": "rope", "id": "r", "to": [4, 0] }, { "type": "pin", "a": "r", "at": [2, 1] }"#;
    let found = told_of(text);
    assert!(found.contains("the pin is 1.00 m away from `r`"), "{found}");
    let near = text.replace("[2, 1]", "[2, 0.02]");
    assert_eq!(told_of(&near), "");
}

/// Thousands of soft bodies are refused before they are all made.
#[test]
fn the_points_of_a_level_are_bounded() {
    let item = r#"{ "type": "rope", "to": ["4 + $i * 0", 0], "segments": 9000, "repeat": { "count": 50000, "step": [0, 1] } }"#;
    let found = told_of(item);
    assert!(found.contains("the level would have more than 360000 points"), "{found}");
    assert_eq!(found.lines().count(), 1, "{found}");
    assert!(mesh(r#"{ "type": "rope", "to": [4, 0] }"#).points.len() < 100);
}

/// Every snippet of the guide is one or more items that can be read and built.
#[test]
fn the_guide_speaks_the_truth() {
    let guide = include_str!("../../docs/soft.md");
    let snippets: Vec<&str> =
        guide.split("```json\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(snippets.len(), 10);
    for snippet in snippets {
        World::build(&parsed(snippet)).unwrap_or_else(|error| panic!("{snippet}: {error}"));
    }
}
