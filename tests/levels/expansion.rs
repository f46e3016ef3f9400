//! Expressions, prefabs, copies, defaults, includes: what is written becomes what is meant.

use std::path::{Path, PathBuf};

use sinew::{BodyDef, Level, Origin, Scene, Shape, Style, Vec2, World};

use super::parsed;

/// A level with these prefabs and items.
fn level(prefabs: &str, items: &str) -> Level {
    let text =
        format!("{{ \"format\": 1, \"prefabs\": {{ {prefabs} }}, \"items\": [\n{items}\n] }}");
    Level::parse(&text, "test.json").unwrap_or_else(|e| panic!("{e}"))
}

fn ids(scene: &Scene) -> Vec<&str> {
    scene.bodies.iter().map(|body| body.id.as_str()).collect()
}

fn body<'s>(scene: &'s Scene, id: &str) -> &'s BodyDef {
    let found = scene.bodies.iter().find(|body| body.id == id);
    found.unwrap_or_else(|| panic!("no {id} in {:?}", ids(scene)))
}

#[track_caller]
fn near(a: Vec2, b: Vec2) {
    assert!(a.distance(b) < 1e-4, "{a} is not {b}");
}

const TOWER: &str = r#""tower": { "params": { "n": 5, "wood": "oak" }, "items": [
    { "type": "crate", "size": [1, 1], "at": [0, 0.5], "material": "$wood",
      "repeat": { "count": [1, "$n"], "step": [0, 1] } } ] }"#;

#[test]
fn prefabs_take_parameters_and_give_dotted_ids() {
    let level = level(
        TOWER,
        r#"{ "type": "tower", "id": "tower", "at": [3, 0], "n": 3, "wood": "stone" }"#,
    );
    assert_eq!(ids(&level.scene), ["tower.0", "tower.1", "tower.2"]);
    near(body(&level.scene, "tower.2").position, Vec2::new(3.0, 2.5));
    assert_eq!(body(&level.scene, "tower.2").material.density, 2500.0);
}

#[test]
fn prefabs_nest_mirror_scale_turn_and_move() {
    let prefabs = format!(
        r#"{TOWER}, "gate": {{ "items": [
            {{ "type": "tower", "id": "tower", "n": 2, "at": [1, 0] }},
            {{ "type": "disc", "id": "lamp", "radius": 0.2, "at": [2, 1], "velocity": [1, 0], "spin": 90, "angle": 30 }},
            {{ "type": "static", "id": "base", "polygon": [[0, 0], [2, 0], [2, 1]] }} ] }}"#
    );
    let items = r#"{ "type": "gate", "id": "right" },
        { "type": "gate", "id": "left", "mirror": "x", "at": [-10, 0], "velocity": [0, 2] },
        { "type": "gate", "id": "big", "scale": 2, "angle": 90, "at": [0, 20] }"#;
    let scene = level(&prefabs, items).scene;
    near(body(&scene, "right.tower.1").position, Vec2::new(1.0, 1.5));
    near(body(&scene, "left.tower.1").position, Vec2::new(-11.0, 1.5));
    let lamp = body(&scene, "left.lamp");
    near(lamp.position, Vec2::new(-12.0, 1.0));
    near(lamp.velocity, Vec2::new(-1.0, 2.0));
    assert!(
        (lamp.angle.to_degrees() + 30.0).abs() < 1e-3
            && (lamp.spin.to_degrees() + 90.0).abs() < 1e-3
    );
    // What never moves has no velocity to gain, and a mirrored outline still runs the right way.
    assert_eq!(body(&scene, "left.base").velocity, Vec2::ZERO);
    let Shape::Polygon { vertices } = &body(&scene, "left.base").shape else { panic!() };
    assert!(vertices.contains(&Vec2::new(-2.0, 1.0)), "{vertices:?}");
    let lamp = body(&scene, "big.lamp");
    near(lamp.position, Vec2::new(-2.0, 24.0));
    assert_eq!(lamp.shape, Shape::Disc { radius: 0.4 });
    near(lamp.velocity, Vec2::new(0.0, 1.0));
    World::build(&scene).unwrap();
}

#[test]
fn a_use_overrides_material_colour_filter_and_layer_of_everything_inside() {
    let prefabs = r##""pair": { "items": [
        { "type": "disc", "id": "plain", "radius": 1 },
        { "type": "disc", "id": "own", "radius": 1, "material": "ice", "friction": 0.2, "layer": 1 } ] },
        "wrap": { "items": [{ "type": "pair", "id": "in", "color": "#000001", "layer": 2, "material": "stone" }] }"##;
    let items = r#"{ "type": "wrap", "id": "w", "material": "steel", "filter": { "category": 4 }, "layer": 3 }"#;
    let scene = level(prefabs, items).scene;
    let own = body(&scene, "w.in.own");
    assert_eq!((own.material.density, own.material.friction), (7850.0, 0.2));
    assert_eq!((own.look.color, own.look.layer, own.filter.category), ([0, 0, 1], 6, 4));
    assert_eq!(body(&scene, "w.in.plain").look.layer, 5);
}

#[test]
fn pins_in_a_prefab_name_its_own_bodies_first() {
    let prefabs = r#""hinge": { "items": [
        { "type": "disc", "id": "a", "radius": 1 }, { "type": "disc", "id": "b", "radius": 1, "at": [1, 0] },
        { "type": "pin", "a": "a", "b": "b", "at": [0.5, 0], "limits": [-10, 20] },
        { "type": "pin", "a": "a", "b": "ground", "at": [0, -0.5] } ] }"#;
    let items = r#"{ "type": "disc", "id": "a", "radius": 1, "at": [50, 0] },
        { "type": "static", "id": "ground", "box": [60, 1], "at": [0, -1] },
        { "type": "hinge", "id": "h", "mirror": "x", "at": [20, 0] }"#;
    let scene = level(prefabs, items).scene;
    let pin = &scene.joints[0];
    assert_eq!(
        (pin.id.as_str(), pin.a.as_str(), pin.b.as_deref()),
        ("h.pin.0", "h.a", Some("h.b"))
    );
    near(pin.at, Vec2::new(19.5, 0.0));
    let limit = pin.limit().unwrap();
    assert!(
        (limit.lower.to_degrees() + 20.0).abs() < 1e-3
            && (limit.upper.to_degrees() - 10.0).abs() < 1e-3
    );
    assert_eq!(scene.joints[1].b.as_deref(), Some("ground"));
}

#[test]
fn copies_stand_in_lines_grids_and_circles_and_know_their_number() {
    let scene = parsed(
        r#"{ "type": "disc", "id": "line", "radius": "0.1 * ($i + 1)", "repeat": { "count": 3, "step": [0.4, 0.3] } },
           { "type": "disc", "id": "grid", "radius": 1, "angle": "$ix * 10 + $iy", "repeat": { "count": [2, 2], "step": [5, 5] } },
           { "type": "crate", "id": "ring", "size": [1, 1], "at": [0, 10], "repeat": { "count": 4, "radius": 3, "face": "out" } },
           { "type": "disc", "id": "arc", "radius": 1, "repeat": { "count": 3, "radius": 2, "from": 0, "to": 180, "around": [9, 0] } },
           { "type": "pin", "a": "line.{$i}", "b": "line.{$i + 1}", "at": ["0.4 * $i + 0.2", "0.3 * $i + 0.15"], "repeat": { "count": 2, "step": [0, 0] } }"#,
    );
    assert_eq!(body(&scene, "line.2").shape, Shape::Disc { radius: 0.3 });
    near(body(&scene, "line.2").position, Vec2::new(0.8, 0.6));
    assert!((body(&scene, "grid.3").angle.to_degrees() - 11.0).abs() < 1e-3);
    near(body(&scene, "ring.1").position, Vec2::new(0.0, 13.0));
    assert!(body(&scene, "ring.1").angle.abs() < 1e-5, "the upper one stands upright");
    assert!((body(&scene, "ring.0").angle.to_degrees() + 90.0).abs() < 1e-3);
    near(body(&scene, "arc.2").position, Vec2::new(7.0, 0.0));
    assert_eq!(scene.joints[1].b.as_deref(), Some("line.2"));
}

#[test]
fn defaults_lie_under_the_keys_of_each_item() {
    let text = r#"{ "format": 1, "defaults": { "crate": { "material": "oak", "size": [2, 2] } }, "items": [
        { "type": "crate", "id": "a" }, { "type": "crate", "id": "b", "size": [1, 1] },
        { "type": "stack", "id": "s", "n": 1 } ] }"#;
    let scene = Level::parse(text, "x.json").unwrap().scene;
    assert_eq!(body(&scene, "a").shape, Shape::Box { size: Vec2::splat(2.0) });
    assert_eq!(body(&scene, "b").shape, Shape::Box { size: Vec2::splat(1.0) });
    // The crates inside a prefab are crates like all others.
    assert_eq!(body(&scene, "s.0").material.density, 750.0);
}

#[test]
fn built_in_prefabs_stand_where_they_should() {
    let scene = parsed(
        r#"{ "type": "stack", "id": "stack", "n": 3, "width": 0.5, "at": [-20, 0] },
           { "type": "pyramid", "id": "pyramid", "n": 4, "at": [-10, 0] },
           { "type": "wall", "id": "wall", "n": 4, "rows": 3, "at": [0, 0] },
           { "type": "dominoes", "id": "dominoes", "n": 3, "at": [10, 0] },
           { "type": "stairs", "id": "stairs", "n": 2, "at": [20, 0] },
           { "type": "chain", "id": "chain", "n": 3, "at": [30, 5] },
           { "type": "chain", "id": "loose", "n": 2, "hold": 0, "at": [30, 8] },
           { "type": "row", "n": 2, "gap": 1, "at": [50, 0] }"#,
    );
    near(body(&scene, "stack.2").position, Vec2::new(-20.0, 1.25));
    near(body(&scene, "pyramid.3.0").position, Vec2::new(-10.0, 3.5));
    near(body(&scene, "pyramid.0.0").position, Vec2::new(-11.5, 0.5));
    // Each row of the wall is as wide as the others.
    near(body(&scene, "wall.brick.0").position, Vec2::new(-0.75, 0.125));
    near(body(&scene, "wall.half.0").position, Vec2::new(-0.875, 0.375));
    near(body(&scene, "wall.half.1").position, Vec2::new(0.875, 0.375));
    near(body(&scene, "wall.shifted.2").position, Vec2::new(0.5, 0.375));
    near(body(&scene, "dominoes.2").position, Vec2::new(11.008, 0.6));
    near(body(&scene, "stairs.1").position, Vec2::new(20.9, 0.33));
    let holds: Vec<_> = scene.joints.iter().map(|j| (j.id.as_str(), j.b.as_deref())).collect();
    let expected = [
        ("chain.hook.0", None),
        ("chain.joint.0", Some("chain.link.1")),
        ("chain.joint.1", Some("chain.link.2")),
        ("loose.joint.0", Some("loose.link.1")),
    ];
    assert_eq!(holds, expected);
    near(body(&scene, "row.0.1").position, Vec2::new(51.0, 0.5));
    World::build(&scene).unwrap();
}

#[test]
fn ragdolls_have_builds_poses_limits_and_sides() {
    for build in ["toddler", "child", "teen", "adult", "slim", "stout", "giant"] {
        for pose in ["stand", "relaxed", "t", "sit", "fall", "run", "lie", "star", "tuck"] {
            for facing in ["left", "right"] {
                let scene = parsed(&format!(
                    r##"{{ "type": "ragdoll", "id": "r", "build": "{build}", "pose": "{pose}", "facing": "{facing}", "hair": "#112233" }}"##
                ));
                World::build(&scene).unwrap();
                let toe = body(&scene, "r.foot.r").position - body(&scene, "r.shin.r").position;
                assert!(pose != "stand" || (toe.x < 0.0) == (facing == "left"), "{facing} {toe}");
                let style = body(&scene, "r.head").look.style;
                assert_eq!(
                    style,
                    Style::Head { hair: [0x11, 0x22, 0x33], facing_left: facing == "left" }
                );
                for joint in &scene.joints {
                    let limit = joint.limit().unwrap();
                    assert!(limit.lower <= 1e-6 && limit.upper >= -1e-6, "{pose} {}", joint.id);
                }
            }
        }
    }
    let scene = parsed(r#"{ "type": "ragdoll", "pose": "sit", "limits": { "knee": [-30, 0] } }"#);
    let knee = scene.joints.iter().find(|joint| joint.id == "ragdoll.0.knee.l").unwrap();
    let limit = knee.limit().unwrap();
    assert!(
        limit.lower.abs() < 1e-6 && (limit.upper.to_degrees() - 30.0).abs() < 1e-3,
        "{limit:?}"
    );
}

/// A folder of its own with these files.
pub(crate) fn folder(name: &str, files: &[(&str, &str)]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("sinew-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

#[test]
fn includes_bring_prefabs_materials_defaults_and_items() {
    let shared = r#"{ "format": 1, "materials": { "goo": { "density": 1234 } },
        "defaults": { "disc": { "radius": 0.5 } },
        "prefabs": { "dot": { "items": [{ "type": "disc", "id": "d", "material": "goo" }] } } }"#;
    let parts = r#"{ "format": 1, "include": ["shared.json"], "items": [{ "type": "dot", "id": "theirs" }] }"#;
    let main = "\u{feff}{ \"format\": 1, \"include\": [\"parts/dots.json\", \"./parts/shared.json\"], \"items\": [{ \"type\": \"dot\", \"id\": \"ours\", \"at\": [3, 0] }] }";
    let files = [("main.json", main), ("parts/dots.json", parts), ("parts/shared.json", shared)];
    let folder = folder("include", &files);
    let path = folder.join("main.json");
    let level = Level::load(&path).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(ids(&level.scene), ["theirs.d", "ours.d"]);
    assert_eq!(body(&level.scene, "ours.d").material.density, 1234.0);
    let expected = [path.clone(), folder.join("parts/dots.json"), folder.join("parts/shared.json")];
    assert_eq!(level.files, expected);
    let Origin { file, item, range } = &level.sources.bodies[1];
    assert_eq!(
        (*file, *item, &main[range.clone()]),
        (0, 0, r#"{ "type": "dot", "id": "ours", "at": [3, 0] }"#)
    );
    let Origin { file, range, .. } = &level.sources.bodies[0];
    assert_eq!((*file, &parts[range.clone()]), (1, r#"{ "type": "dot", "id": "theirs" }"#));
    // The unsaved text of an editor may include as well.
    let (again, diagnostics) = Level::check_in(main, "main.json", Some(Path::new(&folder)));
    assert!(again.is_some(), "{diagnostics:?}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn every_body_and_joint_knows_its_item() {
    let text = r#"{ "format": 1, "items": [{ "type": "disc", "radius": 1 }, { "type": "chain", "n": 2, "at": [9, 9] }] }"#;
    let level = Level::parse(text, "x.json").unwrap();
    let items: Vec<usize> = level.sources.bodies.iter().map(|origin| origin.item).collect();
    assert_eq!(items, [0, 1, 1]);
    assert_eq!(level.sources.joints.len(), level.scene.joints.len());
    assert!(level.sources.joints.iter().all(|origin| text[origin.range.clone()].contains("chain")));
}
