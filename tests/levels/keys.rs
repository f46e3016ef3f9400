//! Keys of the keyboard that drive joints, scripts that hold them, keyframes and muscles: in the library
//! and in levels, on every solver.

use std::path::Path;

use sinew::metrics::{Judge, Recorder};
use sinew::{Key, Level, Scene, Script, Sim, SolverKind, Track, Vec2};

fn scene(items: &str) -> Scene {
    let text = format!("{{ \"format\": 1, \"world\": {{ \"gravity\": [0, 0] }}, {items} }}");
    Level::parse(&text, "keys.json").unwrap_or_else(|error| panic!("{error}")).scene
}

fn on(scene: &Scene, solver: SolverKind) -> Sim {
    let mut scene = scene.clone();
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, seconds: f64) {
    for _ in 0..(60.0 * seconds).round() as usize {
        sim.step().unwrap();
    }
}

/// How a body is turned, degrees, and how fast it turns, degrees per second.
fn turning(sim: &Sim, id: &str) -> (f32, f32) {
    let world = sim.world();
    let body = world.body(id).unwrap();
    let (pose, motion) = (world.pose(body).unwrap(), world.motion(body).unwrap());
    (pose.rot.radians().to_degrees(), motion.spin.to_degrees())
}

fn center(sim: &Sim, id: &str) -> Vec2 {
    sim.world().pose(sim.world().body(id).unwrap()).unwrap().center
}

/// A disc on an axle, and what its motor says besides its strength.
fn wheel(motor: &str) -> Scene {
    scene(&format!(
        r#""items": [
            {{ "type": "disc", "id": "wheel", "radius": 0.5, "at": [0, 0] }},
            {{ "type": "pin", "id": "axle", "a": "wheel", "at": [0, 0],
               "motor": {{ "max_torque": 1e5, {motor} }} }} ]"#
    ))
}

#[test]
fn a_key_drives_while_it_is_held_and_the_level_says_what_follows() {
    let cases = [("return", 0.0), ("free", 60.0), ("stay", 60.0)];
    for solver in SolverKind::ALL {
        for (released, after) in cases {
            let motor = format!(
                r#""speed": 0, "keys": {{ "right": -90, "left": 60 }}, "released": "{released}""#
            );
            let mut sim = on(&wheel(&motor), solver);
            run(&mut sim, 0.5);
            assert!(turning(&sim, "wheel").0.abs() < 0.5, "{solver} turns by itself");
            sim.press(Key::RIGHT);
            run(&mut sim, 1.0);
            let (angle, spin) = turning(&sim, "wheel");
            assert!((spin + 90.0).abs() < 2.0 && (angle + 90.0).abs() < 5.0, "{solver}: {angle}");
            // The last of two counts, and when it goes up the other one.
            sim.press(Key::LEFT);
            run(&mut sim, 0.5);
            assert!((turning(&sim, "wheel").1 - 60.0).abs() < 2.0, "{solver}");
            sim.release(Key::LEFT);
            run(&mut sim, 0.5);
            assert!((turning(&sim, "wheel").1 + 90.0).abs() < 2.0, "{solver}");
            sim.release(Key::RIGHT);
            sim.press(Key::LEFT);
            sim.press(Key::SPACE);
            run(&mut sim, 0.5);
            sim.release(Key::LEFT);
            run(&mut sim, 0.5);
            let spin = turning(&sim, "wheel").1;
            assert!((spin - after).abs() < 3.0, "{solver}, {released}: {spin}");
        }
    }
}

/// What lets go leaves a wheel to whoever turns it; what stays or returns brakes it.
#[test]
fn a_motor_that_lets_go_has_no_torque() {
    for solver in SolverKind::ALL {
        for (released, rolls) in [("free", true), ("return", false), ("stay", false)] {
            let motor = format!(r#""speed": 0, "keys": {{ "up": 90 }}, "released": "{released}""#);
            let mut scene = wheel(&motor);
            scene.bodies[0].spin = 2.0;
            let mut sim = on(&scene, solver);
            run(&mut sim, 1.0);
            let turns = turning(&sim, "wheel").1.to_radians() > 1.9;
            assert_eq!(turns, rolls, "{solver}, {released}: {:?}", turning(&sim, "wheel"));
        }
    }
}

#[test]
fn a_servo_goes_where_a_key_says_and_back_along_its_track() {
    let motor = r#""stiffness": 3000, "damping": 300, "keys": { "w": 60 },
        "keyframes": [{ "time": 0, "angle": 0 }, { "time": 1, "angle": 30 }]"#;
    for solver in SolverKind::ALL {
        let mut sim = on(&wheel(motor), solver);
        run(&mut sim, 3.0);
        let angle = turning(&sim, "wheel").0;
        assert!((angle - 30.0).abs() < 2.0, "{solver}: {angle}");
        sim.press("w".parse().unwrap());
        run(&mut sim, 3.0);
        let angle = turning(&sim, "wheel").0;
        assert!((angle - 60.0).abs() < 2.0, "{solver}: {angle}");
        sim.inputs_mut().held.clear();
        run(&mut sim, 3.0);
        let angle = turning(&sim, "wheel").0;
        assert!((angle - 30.0).abs() < 2.0, "{solver}: {angle}");
    }
}

fn car() -> Scene {
    Level::load(Path::new("levels/car.json")).unwrap().scene
}

#[test]
fn the_same_keys_at_the_same_time_give_the_same_bits() {
    for solver in SolverKind::ALL {
        let mut scripted = on(&car(), solver);
        let by_hand = || {
            let mut scene = car();
            scene.script = Script::default();
            let mut sim = on(&scene, solver);
            run(&mut sim, 1.0);
            sim.press(Key::RIGHT);
            run(&mut sim, 1.5);
            sim
        };
        run(&mut scripted, 2.5);
        let sim = by_hand();
        assert!(center(&sim, "car").x > -12.5, "{solver}: the car stands still");
        assert_eq!(sim.world().state.hash(), scripted.world().state.hash(), "{solver}");
        assert_eq!(sim.world().state, by_hand().world().state, "{solver}");
    }
}

#[test]
fn without_keys_the_car_stays_and_its_promises_are_broken() {
    let level = Level::load(Path::new("levels/car.json")).unwrap();
    let mut scene = level.scene.clone();
    scene.script = Script::default();
    let mut sim = on(&scene, SolverKind::Impulse);
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, SolverKind::Impulse, sim.world());
    for _ in 0..18 * 60 + 1 {
        sim.step().unwrap();
        let sample = recorder.observe(sim.world());
        judge.observe(sample, sim.world());
    }
    let x = center(&sim, "car").x;
    assert!(x < -13.0, "it rolled to {x}");
    let broken = judge.verdicts().iter().filter(|verdict| !verdict.pass).count();
    assert!(broken >= 4, "only {broken} promises need the keys");
}

#[test]
fn a_drive_survives_rewinding_and_a_change_of_solver() {
    let motor = r#""speed": 0, "keys": { "up": 90 }, "released": "stay""#;
    let mut sim = on(&wheel(motor), SolverKind::Verlet);
    sim.press(Key::UP);
    run(&mut sim, 0.5);
    sim.release(Key::UP);
    run(&mut sim, 0.5);
    let saved = sim.world().state.clone();
    let mut ends = Vec::new();
    for _ in 0..2 {
        sim.restore(saved.clone()).unwrap();
        run(&mut sim, 0.5);
        // What the key said last is state: it goes on without the key.
        assert!((turning(&sim, "wheel").1 - 90.0).abs() < 2.0);
        ends.push(sim.world().state.hash());
    }
    assert_eq!(ends[0], ends[1]);
    for solver in SolverKind::ALL {
        sim.switch_solver(solver).unwrap();
        run(&mut sim, 0.5);
        assert!((turning(&sim, "wheel").1 - 90.0).abs() < 2.0, "{solver}");
    }
    sim.press(Key::UP);
    sim.reset();
    assert!(sim.inputs_mut().held.is_empty());
    run(&mut sim, 0.5);
    assert!(turning(&sim, "wheel").1.abs() < 1.0);
}

#[test]
fn what_keys_drive_is_not_driven_by_hand() {
    let mut sim = on(&wheel(r#""speed": 0, "keys": { "up": 90 }"#), SolverKind::Verlet);
    let error = sim.edit(|world| {
        let axle = world.joint("axle").unwrap();
        world.drive(axle, 1.0)
    });
    assert!(error.unwrap_err().to_string().contains("driven by keys"));
    assert_eq!(sim.world().driving_keys(), [Key::UP]);
}

#[test]
fn a_joint_to_the_world_turns_and_slides_as_its_body_does() {
    for solver in SolverKind::ALL {
        let mut sim = on(&wheel(r#""speed": 90"#), solver);
        run(&mut sim, 0.5);
        let (angle, spin) = turning(&sim, "wheel");
        assert!(angle > 40.0 && (spin - 90.0).abs() < 2.0, "{solver}: {angle}");

        let slider = scene(
            r#""items": [
            { "type": "crate", "id": "lift", "size": [1, 1], "at": [0, 0] },
            { "type": "slider", "a": "lift", "at": [0, 0], "axis": [0, 1], "limits": [0, 2],
              "motor": { "speed": 1.5, "max_force": 1e5 } } ]"#,
        );
        let mut sim = on(&slider, solver);
        run(&mut sim, 1.0);
        let y = center(&sim, "lift").y;
        assert!((y - 1.5).abs() < 0.1, "{solver}: {y}");
        run(&mut sim, 1.0);
        let y = center(&sim, "lift").y;
        assert!((y - 2.0).abs() < 0.1, "{solver}: {y}");

        let hinge = scene(
            r#""items": [
            { "type": "disc", "id": "wheel", "radius": 0.5, "at": [0, 0], "spin": 200 },
            { "type": "pin", "a": "wheel", "at": [0, 0], "limits": [-10, 50] } ]"#,
        );
        let mut sim = on(&hinge, solver);
        let mut most = 0.0_f32;
        for _ in 0..60 {
            sim.step().unwrap();
            most = most.max(turning(&sim, "wheel").0);
        }
        assert!((most - 50.0).abs() < 4.0, "{solver}: {most}");
    }
}

#[test]
fn a_muscle_pulls_two_bodies_and_the_ends_of_a_soft_one_to_its_length() {
    let items = r#""items": [
        { "type": "crate", "id": "left", "size": [0.4, 0.4], "at": [0, 5] },
        { "type": "crate", "id": "right", "size": [0.4, 0.4], "at": [2, 5] },
        { "type": "muscle", "id": "pull", "a": "left", "b": "right", "at": [0, 5], "to": [2, 5],
          "stiffness": 4000, "damping": 800, "max_force": 1e6, "keyframes": [
            { "time": 0, "length": 2 }, { "time": 1, "length": 1.2 }] },
        { "type": "jelly", "id": "slug", "box": [2, 0.4], "cell": 0.2, "at": [0, 0],
          "stiffness": 20000, "damping": 0.5 },
        { "type": "muscle", "id": "inside", "a": "slug", "b": "slug", "at": [-0.9, 0], "to": [0.9, 0],
          "stiffness": 40000, "damping": 3000, "max_force": 1e6, "keys": { "space": 1.2 },
          "released": "free" } ]"#;
    for solver in SolverKind::ALL {
        let mut sim = on(&scene(items), solver);
        let long = |sim: &Sim| {
            let world = sim.world();
            let bounds = world.bounds(world.body("slug").unwrap()).unwrap();
            bounds.max.x - bounds.min.x
        };
        run(&mut sim, 2.5);
        let apart = center(&sim, "right").x - center(&sim, "left").x;
        assert!((apart - 1.2).abs() < 0.05, "{solver}: {apart}");
        assert!((long(&sim) - 2.0).abs() < 0.02, "{solver}: {}", long(&sim));
        sim.press(Key::SPACE);
        run(&mut sim, 2.0);
        assert!(long(&sim) < 1.75, "{solver}: {}", long(&sim));
        // Nothing inside pushes the whole.
        assert!(center(&sim, "slug").length() < 0.02, "{solver}: {}", center(&sim, "slug"));
        sim.release(Key::SPACE);
        run(&mut sim, 3.0);
        assert!(long(&sim) > 1.95, "{solver}: {}", long(&sim));
    }
}

#[test]
fn the_crawler_needs_its_muscles() {
    let level = Level::load(Path::new("levels/soft_crawler.json")).unwrap();
    let mut scene = level.scene;
    for joint in &mut scene.joints {
        joint.track = Some(Track { keys: vec![(0.0, 0.9)], repeats: false });
    }
    let mut sim = on(&scene, SolverKind::Impulse);
    let start = center(&sim, "worm");
    run(&mut sim, 5.0);
    let moved = center(&sim, "worm").distance(start);
    assert!(moved < 0.1, "moved {moved} m without muscles");
}

/// Each mistake, in the motor of a pin, in a muscle or in the script, and what is told about it.
#[test]
fn mistakes_are_told_with_a_remedy() {
    let motor = |motor: &str| {
        format!(
            r#""items": [{{ "type": "disc", "id": "d", "radius": 1 }}, {{ "type": "pin", "a": "d", "at": [0, 0],
            "motor": {{ "max_torque": 1, {motor} }} }}]"#
        )
    };
    let muscle = |keys: &str| {
        format!(
            r#""items": [{{ "type": "jelly", "id": "j", "box": [2, 1], "stiffness": 1e5 }},
            {{ "type": "crate", "id": "c", "size": [2, 1], "at": [5, 0] }},
            {{ "type": "muscle", "stiffness": 1, "max_force": 1, {keys} }}]"#
        )
    };
    let script = |script: &str| {
        motor(r#""speed": 0, "keys": { "up": 1 }"#) + &format!(r#", "script": [{script}]"#)
    };
    let cases = [
        (
            motor(r#""speed": 0, "keys": { "rihgt": 1 }"#),
            "unknown key `rihgt`",
            "did you mean `right`?",
        ),
        (motor(r#""speed": 0, "keys": {}"#), "there are no keys", "name one"),
        (motor(r#""keys": { "up": 1 }"#), "a motor needs `speed` or `angle`", "give `speed`"),
        (motor(r#""speed": 0, "released": "free""#), "the motor has none", "add `keys`"),
        (motor(r#""speed": 0, "label": "x""#), "the motor has none", "leave `label` out"),
        (
            motor(r#""speed": 0, "keys": { "up": 1 }, "released": "fre""#),
            "unknown value `fre`",
            "did you mean `free`?",
        ),
        (motor(r#""speed": 0, "keys": { "up": 1 }, "label": """#), "a label has 1 to 40", ""),
        (motor(r#""speed": 0, "repeats": true"#), "only keyframes repeat", "add `keyframes`"),
        (motor(r#""keyframes": []"#), "there are no keyframes", ""),
        (
            motor(r#""speed": 1, "keyframes": [{ "time": 0, "speed": 1 }]"#),
            "a motor has one `speed`, or those of `keyframes`",
            "leave `speed` out",
        ),
        (
            motor(r#""keyframes": [{ "time": 1, "speed": 1 }, { "time": 1, "speed": 2 }]"#),
            "time 1 is not after the one before",
            "times rise",
        ),
        (
            motor(r#""keyframes": [{ "time": 1, "speed": 1 }, { "time": 2, "angle": 2 }]"#),
            "this keyframe needs `speed`",
            "give each of them",
        ),
        (
            motor(r#""keyframes": [{ "time": 1, "angle": 1 }]"#),
            "the key `stiffness` is missing",
            "how strongly",
        ),
        (
            muscle(r#""a": "c", "b": "c", "at": [4, 0], "to": [6, 0]"#),
            "which is rigid",
            "soft body",
        ),
        (muscle(r#""a": "j", "b": "j", "at": [0, 0], "to": [0, 0]"#), "are the same place", ""),
        (
            muscle(r#""a": "j", "b": "j", "at": [-1, 0], "to": [1, 0], "length": 0"#),
            "length 0 must be positive",
            "",
        ),
        (
            muscle(
                r#""a": "j", "b": "j", "at": [-1, 0], "to": [1, 0], "length": 1,
                "keyframes": [{ "time": 0, "length": 1 }]"#,
            ),
            "a motor has one `length`",
            "leave `length` out",
        ),
        (script(r#"{ "to": 1, "keys": ["upp"] }"#), "unknown key `upp`", "did you mean `up`?"),
        (script(r#"{ "to": 1, "keys": ["down"] }"#), "the key `down` drives no joint", "`up`"),
        (script(r#"{ "to": 1, "keys": [] }"#), "no key is held", "name one"),
        (script(r#"{ "from": 2, "to": 1, "keys": ["up"] }"#), "the time 1 is outside 2", ""),
        (script(r#"{ "from": -2, "to": 1, "keys": ["up"] }"#), "the time -2 is outside 0", ""),
        (script(r#"{ "to": 1 }"#), "the key `keys` is missing", ""),
        (
            script(r#"{ "too": 1, "to": 1, "keys": ["up"] }"#),
            "unknown key `too`",
            "did you mean `to`?",
        ),
    ];
    for (text, message, help) in cases {
        let text = format!("{{ \"format\": 1, {text} }}");
        let (level, diagnostics) = Level::check(&text, "keys.json");
        assert!(level.is_none(), "{text}");
        assert_eq!(diagnostics.len(), 1, "{text}: {diagnostics:#?}");
        let told = &diagnostics[0];
        assert!(told.message.contains(message), "{text}: {}", told.message);
        let remedy = told.help.as_deref().unwrap_or_default();
        assert!(remedy.contains(help), "{text}: {remedy}");
    }
}

#[test]
fn keys_may_be_computed_and_are_mirrored_and_scaled_with_their_prefab() {
    let text = r#"{ "format": 1, "prefabs": { "arm": { "params": { "fast": 30 }, "items": [
            { "type": "box", "id": "post", "size": [0.2, 0.2], "at": [0, 0], "kind": "static" },
            { "type": "box", "id": "bar", "size": [1, 0.1], "at": [0.5, 0] },
            { "type": "pin", "id": "hinge", "a": "post", "b": "bar", "at": [0, 0],
              "motor": { "speed": 0, "max_torque": 1e6, "label": "swing",
                         "keys": { "a": "2 * $fast", "b": "-$fast" } } },
            { "type": "slider", "id": "rail", "a": "post", "b": "bar", "at": [0, 0], "axis": [1, 0],
              "motor": { "place": 0, "stiffness": 1, "max_force": 1, "keys": { "a": 0.5 } } } ] } },
        "items": [{ "type": "arm", "id": "m", "at": [0, 3], "mirror": "x", "scale": 2, "fast": 45 }] }"#;
    let scene = Level::parse(text, "arm.json").unwrap_or_else(|error| panic!("{error}")).scene;
    let told = |joint: usize| -> Vec<(&str, f32)> {
        let keys = &scene.joints[joint].steering.as_ref().unwrap().keys;
        keys.iter().map(|(key, told)| (key.name(), (1000.0 * told).round() / 1000.0)).collect()
    };
    assert_eq!(told(0), [("a", -1.571), ("b", 0.785)]);
    assert_eq!(told(1), [("a", 1.0)]);
    assert_eq!(scene.joints[0].steering.as_ref().unwrap().label, "swing");
}
