//! Every key of the language, from level files, on every solver: kept, and broken when turned round.

use std::collections::BTreeSet;

use serde_json::{Map, Value};
use sinew::metrics::Verdict;
use sinew::{Level, Metric, SolverKind};

use super::run;

/// A yard in which something falls, turns, tips over, swings, stands and lies, and its promises.
const YARD: &str = r#"
  "bounds": { "min": [-30, -5], "max": [30, 40] },
  "items": [
    { "type": "static", "id": "ground", "box": [60, 1], "at": [0, -0.5] },
    { "type": "crate", "id": "calm", "size": [1, 1], "at": [0, 0.5] },
    { "type": "disc", "id": "falling", "radius": 0.5, "at": [5, 20], "velocity": [2, 0] },
    { "type": "box", "id": "left", "size": [1, 0.5], "at": [10, 30], "spin": 90 },
    { "type": "box", "id": "right", "size": [1, 0.5], "at": [15, 30], "spin": -90 },
    { "type": "box", "id": "pole", "size": [0.2, 2], "at": [-5, 1], "angle": 3, "spin": 60 },
    { "type": "stack", "id": "tower", "n": 3, "at": [-10, 0] },
    { "type": "ragdoll", "id": "ann", "at": [-20, 6] },
    { "type": "box", "id": "bob", "size": [2, 0.2], "at": [20, 10] },
    { "type": "pin", "id": "hinge", "a": "bob", "at": [19, 10], "limits": [-60, 60] },
  ]"#;

/// What the yard keeps. Turned round, each breaks.
const YARD_KEEPS: &[&str] = &[
    // A second of free fall: 4.905 m down, 2 m to the right, √(9.81² + 2²) m/s.
    r#"{ "at": 1, "body": "falling", "moved_more_than": 5, "moved_less_than": 5.6 }"#,
    r#"{ "at": 1, "body": "falling", "speed_above": 9.8, "speed_below": 10.2 }"#,
    r#"{ "at": 1, "body": "falling", "x_above": 6.9, "x_below": 7.1 }"#,
    r#"{ "at": 1, "body": "falling", "y_above": 14.8, "y_below": 15.3 }"#,
    r#"{ "from": 0, "at": 1, "body": "falling", "y_above": 14.8 }"#,
    r#"{ "from": 0, "at": 1, "body": "falling", "speed_above": 9, "holds": "ever" }"#,
    r#"{ "from": 0, "at": 1, "body": "falling", "touching": "ground", "holds": "never" }"#,
    r#"{ "from": 0, "at": 3, "body": "falling", "touching": "ground", "holds": "ever" }"#,
    // Half a second and a second and a half of turning at 90° a second.
    r#"{ "at": 0.5, "body": "left", "spin_above": 85, "spin_below": 95 }"#,
    r#"{ "at": 0.5, "body": "right", "spin_above": -95, "spin_below": -85 }"#,
    r#"{ "at": 0.5, "body": "right", "spin_more_than": 85, "spin_less_than": 95 }"#,
    r#"{ "at": 0.5, "body": "left", "angle_above": 43, "angle_below": 47 }"#,
    r#"{ "at": 0.5, "body": "right", "angle_above": -47, "angle_below": -43 }"#,
    r#"{ "at": 0.5, "body": "right", "angle_more_than": 43, "angle_less_than": 47 }"#,
    r#"{ "at": 2.2, "body": "left", "turned_above": 194, "turned_below": 202 }"#,
    r#"{ "at": 2.2, "body": "right", "turned_above": -202, "turned_below": -194 }"#,
    r#"{ "at": 2.2, "body": "right", "turned_more_than": 194, "turned_less_than": 202 }"#,
    r#"{ "at": 2.2, "body": "right", "angle_above": 158, "angle_below": 166 }"#,
    r#"{ "from": 0, "at": 3, "body": "calm", "at_rest": true }"#,
    r#"{ "at": 1, "body": "falling", "at_rest": true, "holds": "never" }"#,
    r#"{ "from": 0, "at": 3, "body": "tower", "standing": true }"#,
    r#"{ "from": 0, "at": 3, "body": "tower.*", "standing": true }"#,
    r#"{ "at": 3, "body": "pole", "standing": true, "holds": "never" }"#,
    r#"{ "from": 0, "at": 3, "body": "calm", "touching": "ground" }"#,
    r#"{ "from": 0, "at": 3, "body": "tower.2", "touching": "tower.1" }"#,
    r#"{ "from": 0, "at": 3, "body": "tower.2", "touching": "tower.0", "holds": "never" }"#,
    r#"{ "from": 0, "at": 3, "body": "ann", "touching": "gr*", "holds": "ever" }"#,
    r#"{ "at": 1, "body": "falling", "inside": { "min": [6, 14], "max": [8, 16] } }"#,
    r#"{ "at": 1, "body": "calm", "inside": { "min": [6, 14], "max": [8, 16] }, "holds": "never" }"#,
    r#"{ "at": 1, "count": "*", "inside": { "min": [-8, 0], "max": [9, 18] }, "above": 2, "below": 4 }"#,
    r#"{ "at": 3, "count": "tower.*", "y_above": 1, "at_rest": true, "above": 1 }"#,
    r#"{ "at": 3, "count": "tower.*", "touching": "tower.1", "above": 1 }"#,
    r#"{ "from": 0, "at": 3, "joint": "hinge", "error_below": 0.02 }"#,
    r#"{ "from": 0, "at": 3, "joint": "hinge", "intact": true }"#,
    r#"{ "from": 0, "at": 3, "joint": "ann.**", "error_below": 0.1 }"#,
    r#"{ "from": 0, "at": 3, "metric": "max_penetration_m", "below": 0.05 }"#,
    r#"{ "from": 0, "at": 3, "metric": "max_stretch", "below": 0.5 }"#,
    r#"{ "from": 0, "at": 3, "metric": "max_joint_error_m", "below": 0.1 }"#,
    r#"{ "at": 1, "metric": "kinetic_j", "above": 10000 }"#,
    r#"{ "at": 1, "metric": "kinetic_per_kg", "above": 5, "below": 48 }"#,
    r#"{ "from": 0, "at": 3, "metric": "energy_gain_j", "below": 100 }"#,
    r#"{ "at": 3, "metric": "escaped", "below": 1 }"#,
    r#"{ "at": 3, "metric": "inverted", "below": 1 }"#,
];

/// Two discs that collide where nothing pulls or holds them.
const SPACE: &str = r#"
  "world": { "gravity": [0, 0] },
  "items": [
    { "type": "disc", "id": "a", "radius": 0.5, "at": [-2, 0], "velocity": [2, 0] },
    { "type": "disc", "id": "b", "radius": 0.5, "at": [2, 0.2], "velocity": [-1, 0] },
  ]"#;
const SPACE_KEEPS: &[&str] = &[
    r#"{ "from": 0, "at": 3, "metric": "momentum_drift", "below": 0.001 }"#,
    r#"{ "from": 0, "at": 3, "body": "a", "touching": "b", "holds": "ever" }"#,
];

/// A crate that drops ten centimetres and lies.
const DROP: &str = r#"
  "items": [
    { "type": "static", "id": "ground", "box": [60, 1], "at": [0, -0.5] },
    { "type": "crate", "id": "calm", "size": [1, 1], "at": [0, 0.6] },
  ]"#;
const DROP_KEEPS: &[&str] = &[
    r#"{ "at": 3, "metric": "settled_at_s", "above": 0.1, "below": 2 }"#,
    r#"{ "at": 3, "body": "calm", "at_rest": true }"#,
    r#"{ "at": 3, "body": "calm", "area_above": 0.98, "area_below": 1.02 }"#,
];

/// A post pinned to something that drives away from it, neither of which a solver may move.
const TORN: &str = r#"
  "world": { "gravity": [0, 0] },
  "items": [
    { "type": "static", "id": "post", "box": [0.2, 0.2], "at": [0, 0] },
    { "type": "box", "id": "hauler", "kind": "kinematic", "size": [0.2, 0.2], "at": [0.2, 0], "velocity": [0.4, 0] },
    { "type": "pin", "id": "rack.0", "a": "post", "b": "hauler", "at": [0.1, 0] },
    { "type": "pin", "id": "rack.1", "a": "hauler", "b": "post", "at": [0.1, 0.05] },
  ]"#;
const TORN_KEEPS: &[&str] = &[
    r#"{ "from": 0, "at": 0.05, "joint": "**", "intact": true }"#,
    r#"{ "at": 2.5, "joint": "rack.*", "intact": true, "holds": "never"}"#,
    r#"{ "from": 0, "at": 2.5, "joint": "rack.*", "error_above": 0.05, "holds": "ever"}"#,
    r#"{ "at": 2.5, "metric": "max_joint_error_m", "above": 0.1}"#,
];

/// Levels and what they keep.
const LEVELS: [(&str, &[&str]); 4] =
    [(YARD, YARD_KEEPS), (SPACE, SPACE_KEEPS), (DROP, DROP_KEEPS), (TORN, TORN_KEEPS)];

/// What is so or not so of a body or a joint, without bounds.
const STATES: [&str; 5] = ["inside", "at_rest", "standing", "touching", "intact"];

type Entry = Map<String, Value>;

fn read(entry: &str) -> Entry {
    serde_json::from_str(entry).unwrap()
}

fn parse(items: &str, entries: &[Entry]) -> Level {
    let expect = serde_json::to_string(entries).unwrap();
    let text = format!("{{ \"format\": 1, {items}, \"expect\": {expect} }}");
    Level::parse(&text, "test.json").unwrap_or_else(|error| panic!("{error}"))
}

/// The key that says the contrary, if the key is a bound.
fn contrary(key: &str) -> Option<String> {
    let pairs = [("above", "below"), ("less_than", "more_than")];
    pairs.iter().flat_map(|&(a, b)| [(a, b), (b, a)]).find_map(|(old, new)| {
        let stem = key.strip_suffix(old)?;
        (stem.is_empty() || stem.ends_with('_')).then(|| format!("{stem}{new}"))
    })
}

/// The contrary of each condition of an entry, in an entry of its own.
fn turned_round(entry: &Entry) -> Vec<Entry> {
    let counts = entry.contains_key("count");
    let turns = |key: &str| {
        // Of a count the bounds are turned round; the conditions that say what is counted stay.
        if counts {
            ["above", "below"].contains(&key)
        } else {
            contrary(key).is_some() || STATES.contains(&key)
        }
    };
    let conditions = entry.iter().filter(|(key, _)| turns(key));
    let turned = conditions.map(|(key, value)| {
        let others = entry.iter().filter(|(key, _)| !turns(key));
        let mut turned: Entry = others.map(|(k, v)| (k.clone(), v.clone())).collect();
        if let Some(contrary) = contrary(key) {
            turned.insert(contrary, value.clone());
            turned.remove("holds");
        } else {
            turned.insert(key.clone(), value.clone());
            let denied = entry.get("holds").is_some_and(|holds| holds == "never");
            turned.insert("holds".into(), if denied { "always" } else { "never" }.into());
        }
        turned
    });
    turned.collect()
}

#[test]
fn every_condition_turns_round() {
    let turned = |entry: &str| -> Vec<String> {
        turned_round(&read(entry)).into_iter().map(|entry| Value::from(entry).to_string()).collect()
    };
    assert_eq!(
        turned(r#"{"at":1,"body":"a","x_above":1,"x_below":2}"#),
        [r#"{"at":1,"body":"a","x_below":1}"#, r#"{"at":1,"body":"a","x_above":2}"#]
    );
    assert_eq!(
        turned(r#"{"at":1,"body":"a","from":0,"holds":"ever","spin_less_than":1}"#),
        [r#"{"at":1,"body":"a","from":0,"spin_more_than":1}"#]
    );
    assert_eq!(
        turned(r#"{"at":1,"at_rest":true,"body":"a"}"#),
        [r#"{"at":1,"at_rest":true,"body":"a","holds":"never"}"#]
    );
    assert_eq!(
        turned(r#"{"at":1,"body":"a","holds":"never","touching":"b"}"#),
        [r#"{"at":1,"body":"a","holds":"always","touching":"b"}"#]
    );
    assert_eq!(
        turned(r#"{"above":2,"at":1,"count":"a.*","x_above":1}"#),
        [r#"{"at":1,"below":2,"count":"a.*","x_above":1}"#]
    );
}

#[track_caller]
fn assert_all(verdicts: &[Verdict], kept: bool, solver: SolverKind) {
    let wrong: Vec<String> = verdicts
        .iter()
        .filter(|verdict| verdict.pass != kept || !verdict.reached || verdict.value.is_nan())
        .map(|verdict| format!("{}: {verdict}", verdict.name))
        .collect();
    let word = if kept { "kept" } else { "broken" };
    assert!(wrong.is_empty(), "on {solver} these are not {word}: {wrong:#?}");
}

#[test]
fn every_condition_is_kept_and_breaks_when_turned_round() {
    for (items, entries) in LEVELS {
        let entries: Vec<_> = entries.iter().map(|entry| read(entry)).collect();
        let turned: Vec<_> = entries.iter().flat_map(turned_round).collect();
        assert!(turned.len() >= entries.len());
        let (good, bad) = (parse(items, &entries), parse(items, &turned));
        for solver in SolverKind::ALL {
            assert_all(&run(&good, solver), true, solver);
            assert_all(&run(&bad, solver), false, solver);
        }
    }
}

/// The keys that may be promised of a subject, as the message on a wrong one lists them.
pub(crate) fn keys_of(subject: &str, wrong: &str) -> BTreeSet<String> {
    let text = format!(
        r#"{{ "format": 1, "items": [{{ "type": "disc", "id": "d", "radius": 1 }}],
             "expect": [{{ "at": 1, "{subject}": "d", "{wrong}": true }}] }}"#
    );
    let (_, diagnostics) = Level::check(&text, "test.json");
    let mut lists = diagnostics.iter().filter_map(|diagnostic| diagnostic.help.as_deref());
    let list = lists.find_map(|help| help.split_once("one may promise: ")).unwrap().1;
    list.split(", ").map(str::to_owned).collect()
}

#[test]
fn every_key_and_metric_is_tried() {
    let entries: Vec<Entry> =
        LEVELS.iter().flat_map(|(_, entries)| *entries).map(|entry| read(entry)).collect();
    let tried: BTreeSet<&str> =
        entries.iter().flat_map(|entry| entry.keys()).map(String::as_str).collect();
    let keys =
        [keys_of("body", "intact"), keys_of("joint", "at_rest"), keys_of("metric", "intact")];
    for key in keys.iter().flatten() {
        assert!(tried.contains(key.as_str()), "`{key}` is in no test");
    }
    for (name, _) in Metric::NAMED {
        let named = |entry: &Entry| entry.get("metric").is_some_and(|metric| metric == name);
        assert!(entries.iter().any(named), "`{name}` is in no test");
    }
}

#[test]
fn promises_hold_for_the_solvers_they_name() {
    let items = r#""items": [{ "type": "disc", "id": "d", "radius": 1 }]"#;
    let entries = [
        r#"{ "at": 0.1, "body": "d", "y_below": 1 }"#,
        r#"{ "at": 0.1, "body": "d", "y_above": 1, "solvers": ["impulse"] }"#,
        r#"{ "at": 0.1, "body": "d", "y_below": 2, "solvers": ["verlet", "pbd"] }"#,
    ];
    let level = parse(items, &entries.map(read));
    for solver in SolverKind::ALL {
        let passes: Vec<bool> = run(&level, solver).iter().map(|verdict| verdict.pass).collect();
        assert_eq!(passes, [true, solver != SolverKind::Impulse], "{solver}");
    }
}
