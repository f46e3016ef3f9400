//! The levels of the laboratory on every engine: what each keeps of what a level promises.

mod table;
mod trial;

use std::path::{Path, PathBuf};

use sinew::Level;

use crate::document::Document;
use crate::peer::{self, Outcome};

/// The levels that are run where none is named.
const LAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../levels/lab");

/// Runs levels, or all of the laboratory where none is named, and writes the tables.
pub fn run(names: &[String], document: &Document) -> Outcome<()> {
    let files = if names.is_empty() {
        levels_in(Path::new(LAB))?
    } else {
        names.iter().map(PathBuf::from).collect()
    };
    let mut rows = Vec::new();
    for file in &files {
        let level = Level::load(file)?;
        eprintln!("{}", level.name);
        let trials = peer::LAB.iter().map(|entrant| trial::run(&level, entrant)).collect();
        rows.push(table::Row { level: level.name, trials });
    }
    document.write(&table::render(&rows))
}

/// The level files in a folder, in order of names.
fn levels_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::{table, trial};
    use crate::peer;
    use sinew::Level;

    #[test]
    fn a_level_with_soft_bodies_is_left_out_with_a_word() {
        let text = r#"{ "format": 1, "name": "soft",
            "items": [{ "type": "jelly", "id": "pudding", "box": [1, 1], "stiffness": 1e5, "at": [0, 3] }],
            "expect": [{ "at": 0.1, "body": "pudding", "moved_less_than": 1 }] }"#;
        let level = Level::parse(text, "soft.json").unwrap();
        let trials: Vec<_> = peer::LAB.iter().map(|entrant| trial::run(&level, entrant)).collect();
        let done = trials.iter().filter(|trial| trial.is_ok()).count();
        assert_eq!(done, peer::LAB.len() - 1, "all but the reference");
        let row = table::Row { level: level.name, trials };
        let told = "| 1 of 1 | `pudding` is soft: rigid-body engines have no such thing |";
        let text = table::render(&[row]);
        assert!(text.contains(told), "{text}");
    }
}
