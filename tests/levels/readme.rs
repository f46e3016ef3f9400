//! What the README shows is what there is: its level loads, its list of levels is complete, its
//! picture exists. Its Rust example is a doc test of the crate.

use std::path::Path;

use sinew::{Level, SolverKind};

use crate::promised::broken_on_any;

const README: &str = include_str!("../../README.md");

#[test]
fn the_level_of_the_readme_keeps_its_promises() {
    let text = README.split("```json\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let level = Level::parse(text, "README.md").unwrap();
    assert!(!level.expect.is_empty());
    assert_eq!(broken_on_any(&level), Vec::<String>::new());
}

#[test]
fn every_built_in_level_and_solver_is_named() {
    let rows: Vec<&str> = README.lines().filter(|line| line.starts_with("| `")).collect();
    for (name, _) in Level::BUILTIN {
        let row = format!("| `{name}` |");
        assert!(rows.iter().any(|line| line.starts_with(&row)), "the README leaves out {name}");
    }
    for solver in SolverKind::ALL {
        assert!(README.contains(&format!("* **`{solver}`**")), "the README leaves out {solver}");
    }
}

#[test]
fn files_it_links_to_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let targets = README.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.contains("://")) {
        assert!(root.join(target).is_file(), "the README links to {target}, which is not there");
    }
}

#[test]
fn the_readme_and_the_guide_show_the_same_setting_for_editors() {
    let guide = include_str!("../../docs/levels.md");
    let setting = |text: &str| {
        let line = text.lines().find(|line| line.starts_with("\"json.schemas\""));
        line.map(|line| serde_json::from_str::<serde_json::Value>(&format!("{{{line}}}")).unwrap())
    };
    let shown = setting(README).unwrap();
    assert_eq!(Some(&shown), setting(guide).as_ref());
    let file = shown["json.schemas"][0]["url"].as_str().unwrap();
    assert!(Path::new(env!("CARGO_MANIFEST_DIR")).join(file).is_file(), "{file} is not there");
}

#[test]
fn the_mistake_in_the_readme_is_told_as_shown() {
    let text = "{\n  \"format\": 1,\n  \"items\": [\n    { \"type\": \"static\", \"box\": [20, 1] },\n    \
                { \"type\": \"crate\", \"size\": [1, 1], \"frction\": 0.4 },\n  ],\n}\n";
    let mut blocks = README.split("```text\n").skip(1).filter_map(|rest| rest.split("```").next());
    let shown = blocks.find(|block| block.contains("error: ")).unwrap();
    let (_, diagnostics) = Level::check(text, "castle.json");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(diagnostics[0].to_string(), shown.trim_end());
}
