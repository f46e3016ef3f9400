//! The guide to levels: every snippet in it is a level without mistakes, warnings or odd spacing.

use sinew::Level;

const GUIDE: &str = include_str!("../../docs/levels.md");

/// The blocks of a language: the line each begins on, and its text.
fn blocks(language: &str) -> Vec<(usize, String)> {
    let (mut blocks, mut open) = (Vec::new(), None::<(usize, String)>);
    for (number, line) in (1..).zip(GUIDE.lines()) {
        match &mut open {
            Some(block) if line == "```" => {
                blocks.push(std::mem::take(block));
                open = None;
            }
            Some((_, text)) => *text += &format!("{line}\n"),
            None if line == format!("```{language}") => open = Some((number, String::new())),
            None => {}
        }
    }
    blocks
}

#[test]
fn every_snippet_is_a_level_without_mistakes_and_warnings() {
    let blocks = blocks("jsonc");
    assert!(blocks.len() >= 16, "the guide has lost its snippets");
    for (line, text) in blocks {
        let file = format!("docs/levels.md, the block on line {line}");
        let (level, diagnostics) = Level::examine(&text, &file);
        assert!(level.is_some() && diagnostics.is_empty(), "{}", diagnostics[0]);
        let formatted = Level::formatted(&text, &file).unwrap();
        assert_eq!(formatted, text, "{file}: `sinew fmt` would change it");
    }
}

/// The built-in prefabs, and the types of items that are prefabs in all but name.
fn prefabs() -> Vec<String> {
    let text = include_str!("../../src/level/library.json");
    let library: serde_json::Value =
        jsonc_parser::parse_to_serde_value(text, &Default::default()).unwrap();
    let names = library["prefabs"].as_object().unwrap().keys().cloned();
    names.chain(["crate".to_owned(), "ragdoll".to_owned()]).collect()
}

#[test]
fn every_built_in_prefab_has_a_picture_of_the_level_below_it() {
    for name in prefabs() {
        let chapter = GUIDE.split(&format!("\n### `{name}`\n")).nth(1);
        let chapter = chapter.unwrap_or_else(|| panic!("the guide leaves out {name}"));
        let chapter = chapter.split("\n#").next().unwrap();
        assert!(chapter.contains(&format!("\"type\": \"{name}\"")), "{name}: no example");
        let file = format!("prefabs/{name}.png");
        let (_, after) = chapter.split_once(&format!("]({file})\n")).unwrap();
        assert!(after.starts_with("\n```jsonc\n"), "{name}: the picture stands before its level");
        let picture = std::fs::read(format!("{}/docs/{file}", env!("CARGO_MANIFEST_DIR"))).unwrap();
        assert!(picture.len() < 40_000, "{file} has {} bytes: too many", picture.len());
        let side = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().unwrap());
        assert_eq!((&picture[1..4], side(16), side(20)), (&b"PNG"[..], 480, 300), "{file}");
    }
}

#[test]
fn parameters_of_built_in_prefabs_are_named() {
    let schema: serde_json::Value = serde_json::from_str(&Level::schema()).unwrap();
    for name in prefabs() {
        let keys = schema["definitions"][&name]["properties"].as_object().unwrap();
        let uses = schema["definitions"]["use"]["properties"].as_object().unwrap();
        let chapter = GUIDE.split(&format!("\n### `{name}`\n")).nth(1).unwrap();
        let chapter = chapter.split("\n#").next().unwrap();
        let solid = ["spin", "kind", "density", "friction", "restitution"];
        let air = ["gravity_scale", "linear_damping", "angular_damping"];
        let common = [&solid[..], &air].concat();
        for key in keys.keys().filter(|key| !uses.contains_key(*key)) {
            let told = common.contains(&key.as_str()) || chapter.contains(&format!("`{key}`"));
            assert!(told, "the guide leaves out `{key}` of {name}");
        }
    }
}

#[test]
fn files_it_links_to_exist() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let targets = GUIDE.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
        let file = target.split('#').next().unwrap_or(target);
        assert!(folder.join(file).is_file(), "the guide links to {target}, which is not there");
    }
}
