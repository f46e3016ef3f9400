//! The JSON Schema of levels, judged by a validator that is not ours: it is a schema, the file in
//! `levels/` is up to date, it takes every good level and refuses what it can see is wrong.

use std::fs;
use std::path::Path;

use jsonschema::Validator;
use serde_json::{Value, json};
use sinew::Level;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/levels/level.schema.json");

fn validator() -> Validator {
    let schema: Value = serde_json::from_str(&Level::schema()).unwrap();
    jsonschema::draft7::meta::validate(&schema).unwrap();
    jsonschema::draft7::new(&schema).unwrap()
}

/// The data of a text with comments.
fn data(text: &str) -> Value {
    jsonc_parser::parse_to_serde_value(text, &Default::default()).unwrap()
}

#[track_caller]
fn accepts(validator: &Validator, name: &str, text: &str) {
    let problems: Vec<String> = validator
        .iter_errors(&data(text))
        .map(|problem| format!("{}: {problem}", problem.instance_path()))
        .collect();
    assert!(problems.is_empty(), "{name}: {problems:#?}");
}

#[test]
fn the_file_in_levels_is_up_to_date() {
    // Compared as data: the order of keys says nothing.
    let kept = fs::read_to_string(FILE).ok().and_then(|text| serde_json::from_str(&text).ok());
    let current: Value = serde_json::from_str(&Level::schema()).unwrap();
    assert!(
        kept.is_some_and(|kept: Value| kept == current),
        "levels/level.schema.json is not what the code makes of it. If the format of levels was \
         meant to change, run `cargo run -- schema > levels/level.schema.json`"
    );
}

#[test]
fn every_shipped_level_is_valid() {
    let validator = validator();
    for (name, text) in Level::BUILTIN {
        accepts(&validator, name, text);
    }
    for entry in fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/levels/lab")).unwrap() {
        let path = entry.unwrap().path();
        accepts(&validator, &path.display().to_string(), &fs::read_to_string(&path).unwrap());
    }
    let starter = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/cli/starter.json");
    accepts(&validator, "starter.json", &fs::read_to_string(starter).unwrap());
}

#[test]
fn what_the_loader_takes_is_valid() {
    let validator = validator();
    let text = r##"{
        "$schema": "level.schema.json", "format": 1, "name": "n", "about": "a",
        "world": { "gravity": [0, -1], "solver": "impulse", "hz": 120, "substeps": 4,
                   "iterations": 3, "response": "classic" },
        "view": { "center": [0, 0], "height": 3 }, "bounds": { "min": [-9, -9], "max": [99, 99] },
        "materials": { "balsa": { "density": 160, "color": "#d9b779" } },
        "prefabs": { "post": { "about": "One.", "params": { "n": 2, "paint": "#ffffff" },
            "items": [{ "type": "box", "size": [1, "$n * 0.5"], "color": "$paint",
                        "at": ["$i", 0], "repeat": { "count": "$n", "step": [2, 0] } }] } },
        "defaults": { "crate": { "size": [1, 1], "material": "ice" } },
        "items": [
            { "type": "crate", "id": "a", "at": [0, 5] },
            { "type": "post", "n": 3, "at": [9, 9], "scale": 0.5, "mirror": "x" },
            { "type": "pyramid", "n": 3, "at": [30, 0], "angle": 3 },
            { "type": "static", "box": [3, 1], "at": [0, -9], "layer": -1 },
            { "type": "disc", "radius": 1, "kind": "kinematic", "velocity": [1, 0], "at": [9, 50],
              "filter": { "category": 2, "mask": 4294967295, "group": -3 },
              "repeat": { "count": 6, "radius": 9, "face": "out" } },
            { "type": "ragdoll", "pose": "sit", "build": "slim", "at": [50, 50] },
            { "type": "terrain", "heights": [0, "1 + 1", 0], "spacing": 2, "depth": 3, "at": [60, 0] },
            { "type": "terrain", "points": [[0, 0], [1, 2], [0, 3]], "thickness": 0.2, "at": [70, 9] },
            { "type": "polygon", "vertices": [[0, 0], [2, 0], [0.5, 0.5], [0, 2]], "rounding": 0.02,
              "at": [80, 9] },
            { "type": "body", "at": [80, 20], "angle": 5, "parts": [
                { "type": "box", "size": [1, 1], "rounding": 0.1, "density": 9 },
                { "type": "capsule", "length": 1, "radius": 0.1, "at": [1, "0.5 * 2"], "angle": 90 },
                { "type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]] },
                { "type": "disc", "radius": 0.3 }] },
            { "type": "pin", "a": "a", "at": [0, 5], "limits": [-10, 10], "collide": true },
        ],
        "expect": [
            { "from": 0, "at": 2, "metric": "escaped", "below": 1, "solvers": ["verlet"] },
            { "at": 2, "body": "a", "y_above": -9, "speed_below": 9, "angle_less_than": 180 },
            { "from": 0, "at": 2, "body": "a", "at_rest": true, "holds": "never" },
            { "at": 2, "body": "post.**", "inside": { "min": [-9, -9], "max": [99, 99] } },
            { "at": 2, "count": "pyramid.**", "touching": "a", "above": 2, "below": 5 },
            { "at": 2, "joint": "ragdoll.**", "intact": true, "error_below": 0.1 },
        ],
    }"##;
    let (level, diagnostics) = Level::check(text, "all.json");
    assert!(level.is_some(), "{diagnostics:#?}");
    accepts(&validator, "all.json", text);
}

/// Each of these changes to a good level is a mistake, and both the loader and the schema say so.
#[test]
fn what_is_wrong_is_refused_by_both() {
    let good = json!({
        "format": 1,
        "world": { "gravity": [0, -9.81], "hz": 60, "substeps": 8, "solver": "verlet" },
        "view": { "center": [0, 4], "height": 12 },
        "materials": { "balsa": { "density": 160, "friction": 0.5, "restitution": 0.1 } },
        "items": [
            { "type": "crate", "id": "a", "size": [1, 1], "at": [0, 3], "color": "#b5793a" },
            { "type": "disc", "id": "b", "radius": 0.5, "kind": "dynamic", "at": [4, 3] },
            { "type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "at": [8, 3] },
            { "type": "ragdoll", "height": 1.8, "at": [12, 3] },
            { "type": "pin", "a": "a", "at": [0, 3], "collide": false },
        ],
        "expect": [{ "at": 1, "body": "b", "y_below": 5, "solvers": ["verlet"] }],
    });
    let cases = [
        ("/format", json!(2)),
        ("/format", json!("1")),
        ("/nmae", json!("x")),
        ("/name", json!(3)),
        ("/world/gravity", json!([0])),
        ("/world/gravity", json!([0, "down"])),
        ("/world/hz", json!(0)),
        ("/world/substeps", json!(1000)),
        ("/world/substeps", json!(1.5)),
        ("/world/solver", json!("magic")),
        ("/world/speed", json!(1)),
        ("/view/height", json!(-1)),
        ("/materials/balsa/density", json!(0)),
        ("/materials/balsa/restitution", json!(1.5)),
        ("/materials/balsa/colour", json!("#ffffff")),
        ("/items", json!({})),
        ("/items/0/size", json!([1, -1])),
        ("/items/0/size", json!([1, 1, 1])),
        ("/items/0/size", json!("large")),
        ("/items/0/frction", json!(0.4)),
        ("/items/0/color", json!("red")),
        ("/items/0/at", json!({ "x": 0 })),
        ("/items/0/type", json!(7)),
        ("/items/0/repeat", json!({ "count": -1, "step": [1, 0] })),
        ("/items/0/repeat", json!({ "count": [2, 2], "setp": [1, 0] })),
        ("/items/1/radius", json!(0)),
        ("/items/1/kind", json!("moving")),
        ("/items/1/layer", json!(300)),
        ("/items/2/vertices", json!([[0, 0], [1, 0]])),
        ("/items/3/build", json!("flying")),
        ("/items/3/pose", json!({ "nee": 1 })),
        ("/items/3/muscles", json!({ "strength": -1 })),
        ("/items/3/tear_force", json!(-1)),
        ("/items/4/collide", json!("yes")),
        ("/items/4/a", json!(0)),
        ("/expect/0/at", json!("late")),
        ("/expect/0/solvers", json!(["magic"])),
        ("/expect/0/y_under", json!(3)),
        ("/expect/0/from", json!(-1)),
        ("/expect/0/at", json!(1e9)),
        ("/expect/0/metric", json!("escaped")),
        ("/expect/0/intact", json!(true)),
        ("/expect/0/above", json!(1)),
        ("/expect/0/speed_below", json!(0)),
        ("/expect/0/angle_above", json!(200)),
        ("/expect/0/standing", json!(false)),
        ("/expect/0/holds", json!("sometimes")),
        ("/items/0/at", json!([0, 1e7])),
        ("/items/0/angle", json!(1e30)),
        ("/items/0/repeat", json!({ "count": 3, "radius": -2 })),
        ("/items/0/filter", json!({ "mask": -1 })),
        ("/items/3/limits", json!({ "toe": [0, 1] })),
        ("/items/3/height", json!(0)),
        ("/bounds", json!({ "min": [0, 0] })),
    ];
    let validator = validator();
    let text = good.to_string();
    assert!(Level::check(&text, "good.json").0.is_some(), "{:#?}", Level::check(&text, "g").1);
    accepts(&validator, "good.json", &text);
    for (place, value) in cases {
        let mut bad = good.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = value.clone();
        assert!(!validator.is_valid(&bad), "the schema takes {place} {value}");
        let (level, _) = Level::check(&bad.to_string(), "bad.json");
        assert!(level.is_none(), "the loader takes {place} {value}");
    }
}

/// A level with every soft body and every joint.
const SOFT: &str = r#"{
    "format": 1,
    "items": [
        { "type": "rope", "id": "rope", "at": [0, 5], "to": [4, 5], "length": 5, "thickness": 0.08,
          "stiffness": 1e9, "hold": "both", "break_strain": 0.5, "self_collision": true },
        { "type": "beam", "at": [0, 8], "to": [3, 8], "thickness": 0.1, "stiffness": 2e8, "clamp": "start",
          "plastic": { "yield_strain": 0.01, "flow": 50, "hardening": 1, "most": 0.4 } },
        { "type": "cloth", "size": [2, 1.5], "at": [0, 11], "cell": 0.2, "shear": 2e6, "hold": "top",
          "hold_at": [[0, 0]], "holes": [{ "at": [0.4, 0], "disc": 0.3 }, { "box": [0.3, 0.3] }] },
        { "type": "jelly", "id": "car", "at": [0, 20], "box": [2, 0.5], "stiffness": "rigid",
          "regions": [{ "at": [0.5, 0], "box": [1, 0.5], "stiffness": 5e6 }], "damping": 0.3 },
        { "type": "jelly", "at": [9, 20], "polygon": [[0, 0], [1, 0], [0, 1]], "frequency": 6 },
        { "type": "blob", "radius": 0.5, "at": [20, 0], "skin": 2e6, "bulk": 1e7, "fill": 1.1 },
        { "type": "balloon", "radius": 0.5, "at": [23, 1], "stretch": 1.3, "gas": 2e5, "points": 30 },
        { "type": "bridge", "at": [-3, 2], "to": [3, 2], "length": 6.3, "planks": 14, "break_force": 5e6 },
        { "type": "disc", "id": "tyre", "radius": 0.3, "at": [-0.7, 19.6], "repeat": { "count": 2, "step": [1.4, 0] } },
        { "type": "wheel", "a": "car", "b": "tyre.{$i}", "at": ["-0.7 + 1.4 * $i", 19.6], "stiffness": 2e7,
          "damping": 1e3, "limits": [-0.1, 0.1], "motor": { "speed": -360, "max_torque": 8e6 },
          "repeat": { "count": 2, "step": [0, 0] } },
        { "type": "box", "id": "a", "size": [1, 1], "at": [40, 0] },
        { "type": "box", "id": "b", "size": [1, 1], "at": [42, 0] },
        { "type": "weld", "a": "a", "b": "b", "at": [41, 0], "stiffness": 1e7, "damping": 10, "collide": true },
        { "type": "distance", "a": "a", "b": "b", "at": [40, 0], "to": [42, 0], "length": 2 },
        { "type": "tether", "a": "a", "at": [40, 0], "to": [40, 9] },
        { "type": "spring", "a": "a", "b": "b", "at": [40, 0], "to": [42, 0], "stiffness": 3e6, "damping": 5 },
        { "type": "slider", "a": "a", "b": "b", "at": [42, 0], "axis": [1, 0], "limits": [-1, 1],
          "motor": { "place": 0.5, "stiffness": 2e6, "damping": 9, "max_force": 3e6 } },
        { "type": "gear", "a": "a", "b": "b", "ratio": -2, "break_torque": 4e6 },
        { "type": "pulley", "a": "a", "b": "b", "at": [40, 0.5], "to": [42, 0.5], "over": [[40, 5], [42, 5]] },
        { "type": "pin", "a": "a", "at": [40, 0], "motor": { "angle": 90, "stiffness": 5, "max_torque": 9 } },
        { "type": "muscle", "a": "a", "b": "b", "at": [40, 0], "to": [42, 0], "length": 2, "stiffness": 5,
          "damping": 1, "max_force": 9 },
    ],
}"#;

#[test]
fn soft_bodies_and_joints_are_refused_by_both() {
    let cases = [
        ("/items/0/to", json!(4)),
        ("/items/0/thickness", json!(0)),
        ("/items/0/stiffness", json!(1e14)),
        ("/items/0/hold", json!("top")),
        ("/items/0/clamp", json!("start")),
        ("/items/0/segments", json!(1)),
        ("/items/0/self_collision", json!("yes")),
        ("/items/0/break_strain", json!(0)),
        ("/items/0/kind", json!("static")),
        ("/items/1/thickness", json!(-0.1)),
        ("/items/1/plastic", json!({ "flow": 9 })),
        ("/items/1/plastic", json!({ "yield_strain": 0.1, "most": 1 })),
        ("/items/2/size", json!([2, 0])),
        ("/items/2/shear", json!(-1)),
        ("/items/2/holes", json!([{ "dsic": 0.3 }])),
        ("/items/3/stiffness", json!("hard")),
        ("/items/3/damping", json!(-1)),
        ("/items/3/regions", json!([{ "disc": 1 }])),
        ("/items/3/cell", json!(1e7)),
        ("/items/4/polygon", json!([[0, 0], [1, 0]])),
        ("/items/4/frequency", json!(0)),
        ("/items/5/fill", json!(20)),
        ("/items/5/points", json!(3)),
        ("/items/6/stretch", json!(0.5)),
        ("/items/7/planks", json!(1)),
        ("/items/7/damping", json!(0.1)),
        ("/items/9/motor", json!({ "speed": -360 })),
        ("/items/9/motor", json!({ "speed": -360, "max_force": 1 })),
        ("/items/9/stiffness", json!(-2)),
        ("/items/12/break_force", json!(-2)),
        ("/items/12/axis", json!([0, 1])),
        ("/items/14/to", json!([1e7, 0])),
        ("/items/16/axis", json!(1)),
        ("/items/17/ratio", json!(2000)),
        ("/items/18/over", json!([[40, 5]])),
        ("/items/18/ratio", json!(-1)),
    ];
    let validator = validator();
    accepts(&validator, "soft.json", SOFT);
    let good = data(SOFT);
    let (level, diagnostics) = Level::check(SOFT, "soft.json");
    assert!(level.is_some(), "{diagnostics:#?}");
    let types: Vec<&str> = good["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    let schema: Value = serde_json::from_str(&Level::schema()).unwrap();
    let known = schema.pointer("/definitions/item/properties/type/anyOf/0/enum").unwrap();
    let rigid = ["crate", "polygon", "capsule", "body", "static", "terrain", "ragdoll"];
    let prefab = |name: &str| schema["definitions"][name]["additionalProperties"] == json!(true);
    for name in known.as_array().unwrap().iter().map(|name| name.as_str().unwrap()) {
        let shown = types.contains(&name) || rigid.contains(&name) || prefab(name);
        assert!(shown, "no {name} in this level");
    }
    for (place, value) in cases {
        let mut bad = good.clone();
        let (parent, key) = place.rsplit_once('/').unwrap();
        bad.pointer_mut(parent).unwrap()[key] = value.clone();
        assert!(!validator.is_valid(&bad), "the schema takes {place} {value}");
        let (level, _) = Level::check(&bad.to_string(), "bad.json");
        assert!(level.is_none(), "the loader takes {place} {value}");
    }
}

#[test]
fn every_key_is_described() {
    fn walk(path: &str, schema: &Value, silent: &mut Vec<String>) {
        let map = match schema {
            Value::Array(list) => return list.iter().for_each(|part| walk(path, part, silent)),
            Value::Object(map) => map,
            _ => return,
        };
        for (name, part) in map {
            let (Value::Object(parts), true) = (part, name == "properties") else {
                walk(&format!("{path}/{name}"), part, silent);
                continue;
            };
            for (key, schema) in parts {
                let path = format!("{path}.{key}");
                let about = schema["description"].as_str().unwrap_or_default();
                let told = about.starts_with(|first: char| !";.".contains(first));
                // A reference is described where it leads; the type has been looked at by then.
                if !told && schema["$ref"].is_null() && key != "type" {
                    silent.push(path.clone());
                }
                walk(&path, schema, silent);
            }
        }
    }
    let schema: Value = serde_json::from_str(&Level::schema()).unwrap();
    let mut silent = Vec::new();
    walk("", &schema, &mut silent);
    assert!(silent.is_empty(), "{silent:#?}");
}

#[test]
fn units_defaults_and_ranges_are_told() {
    let schema: Value = serde_json::from_str(&Level::schema()).unwrap();
    let at = |place: &str| schema.pointer(place).unwrap_or_else(|| panic!("no {place}"));
    let hz = at("/properties/world/properties/hz");
    assert_eq!(
        (&hz["minimum"], &hz["maximum"], &hz["default"]),
        (&json!(1), &json!(10_000), &json!(60))
    );
    let density = at("/definitions/material/properties/density");
    assert!(density["description"].as_str().unwrap().contains("kg/m³"), "{density}");
    assert_eq!(density["minimum"], json!(0.01));
    let promise = at("/properties/expect/items/properties/at");
    assert_eq!(promise["maximum"], json!(86_400));
    // Numbers in items may be expressions; their range stands with the number.
    let radius = at("/definitions/disc/properties/radius");
    assert_eq!(
        (&radius["description"], &radius["anyOf"][0]["maximum"]),
        (&json!("Radius, m."), &json!(1e6))
    );
    assert_eq!(at("/definitions/stack/properties/n/default"), &json!(5));
    assert_eq!(at("/definitions/crate/properties/at/default"), &json!([0, 0]));
    assert_eq!(at("/properties/bounds/default/min"), &json!([-200.0, -50.0]));
}
