//! Tables in Markdown: a row for each level, a column for each engine.

use super::trial::Trial;
use crate::peer::{self, Outcome};

/// Lengths that differ by less than this are the same, m: a thousandth of a millimetre.
const SAME: f64 = 1e-6;

/// One level on every engine.
pub struct Row {
    /// The level.
    pub level: String,
    /// What became of it, in the order of [`peer::LAB`].
    pub trials: Vec<Outcome<Trial>>,
}

/// All tables: promises, penetration, joint error; and what was broken.
pub fn render(rows: &[Row]) -> String {
    let mut text = String::from("## Promises kept\n\n");
    text += &promises(rows);
    text += "\n## Deepest penetration over the whole run\n\n";
    text += &lengths(rows, |trial| trial.quality.max_penetration_m);
    text += "\n## Deepest penetration at the end\n\n";
    text += &lengths(rows, |trial| trial.quality.final_penetration_m);
    text += "\n## Largest joint error over the whole run\n\n";
    text += &lengths(rows, |trial| trial.quality.max_joint_error_m);
    text += "\nBold in these three: worse than ";
    text += peer::REFERENCE;
    text += ".\n\n";
    for entrant in &peer::LAB {
        text += &format!("* {}: {}\n", entrant.name, entrant.about);
    }
    text += "\n## Promises broken\n\n";
    text += &broken(rows);
    text
}

/// Each promise that was broken, with the value and the bound.
fn broken(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        for (entrant, trial) in peer::LAB.iter().zip(&row.trials) {
            let Ok(trial) = trial else { continue };
            for verdict in trial.verdicts.iter().filter(|verdict| !verdict.pass) {
                text += &format!("* `{}`, {}: {verdict}\n", row.level, entrant.name);
            }
        }
    }
    text
}

fn header() -> String {
    let names: Vec<_> = peer::LAB.iter().map(|entrant| entrant.name).collect();
    format!("| level | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()))
}

/// A table of one length. Levels in which it is nothing for everyone are left out.
fn lengths(rows: &[Row], value: impl Fn(&Trial) -> f64) -> String {
    let reference = peer::LAB.iter().position(|entrant| entrant.name == peer::REFERENCE);
    let mut text = header();
    for row in rows {
        let values: Vec<_> =
            row.trials.iter().map(|trial| trial.as_ref().ok().map(&value)).collect();
        if values.iter().flatten().all(|&value| value < SAME) {
            continue;
        }
        let bound = reference.and_then(|index| values[index]);
        let cells = values.iter().map(|value| match *value {
            None => "–".to_owned(),
            Some(value) if bound.is_some_and(|bound| value > bound + SAME) => {
                format!("**{}**", length(value))
            }
            Some(value) => length(value),
        });
        text += &line(&row.level, cells);
    }
    text
}

fn promises(rows: &[Row]) -> String {
    let mut text = header();
    for row in rows {
        let cells = row.trials.iter().map(|trial| match trial {
            Err(error) => error.to_string(),
            Ok(trial) => {
                let kept = trial.verdicts.iter().filter(|verdict| verdict.pass).count();
                format!("{kept} of {}", trial.verdicts.len())
            }
        });
        text += &line(&row.level, cells);
    }
    text
}

fn line(level: &str, cells: impl Iterator<Item = String>) -> String {
    format!("| `{level}` | {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A length in millimetres, to three digits that count.
fn length(metres: f64) -> String {
    let millimetres = 1e3 * metres;
    let digits = match millimetres {
        _ if millimetres < 1e3 * SAME => return "0".into(),
        size if size < 0.1 => 3,
        size if size < 10.0 => 2,
        size if size < 100.0 => 1,
        _ => 0,
    };
    format!("{millimetres:.digits$} mm")
}
