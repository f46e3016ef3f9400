//! Tables in Markdown: all scenes at a glance, and one table for each scene.

use sinew::BodyKind;

use crate::args::Plan;
use crate::peer::{Entrant, Outcome, REFERENCE};
use crate::scenes::{Case, Setup};
use crate::speed::clock::Clock;
use crate::speed::ending::Ending;
use crate::speed::run::Run;

/// Lengths below this are nothing, m: a thousandth of a millimetre.
const NOTHING: f64 = 1e-6;

/// One scene on every engine.
pub struct Row<'a> {
    /// The scene.
    pub case: &'a Case,
    /// What there is in it.
    pub size: Size,
    /// What became of it, in the order of the engines.
    pub runs: Vec<Outcome<Run>>,
}

/// How large a scene is.
pub struct Size {
    /// Bodies that move of themselves; of soft bodies the points.
    moving: usize,
}

impl Size {
    /// The size of a scene.
    pub fn of(setup: &Setup) -> Self {
        let scene = setup.beads.as_ref().unwrap_or(&setup.scene);
        let moves = |kind: BodyKind| kind == BodyKind::Dynamic;
        Self { moving: scene.bodies.iter().filter(|body| moves(body.kind)).count() }
    }
}

/// All tables.
pub fn render(rows: &[Row<'_>], entrants: &[&Entrant], plan: &Plan) -> String {
    let threads = match plan.threads {
        1 => "one thread".to_owned(),
        threads => format!("{threads} threads"),
    };
    let mut text = format!(
        "{} rounds, {threads}, {}. A run that has taken {} s is cut short: its steps are in bold.\n\n\
         ## Milliseconds a step\n\n\
         In brackets: how many times {REFERENCE}'s, over the steps that both took.\n\n",
        plan.rounds,
        Clock::for_threads(plan.threads).about(),
        plan.seconds,
    );
    let names: Vec<_> = entrants.iter().map(|entrant| entrant.name).collect();
    text += &format!("| scene | {} |\n|---|{}\n", names.join(" | "), "--:|".repeat(names.len()));
    for row in rows {
        let cells = row.runs.iter().map(|run| match run {
            Err(_) => "–".to_owned(),
            Ok(run) => match relative(row, entrants, run) {
                Some(times) => format!("{} (×{})", digits(run.milliseconds()), digits(times)),
                None => digits(run.milliseconds()),
            },
        });
        text += &line(&format!("`{}`", row.case.name), cells);
    }
    text.push('\n');
    for entrant in entrants {
        text += &format!("* {}: {}\n", entrant.name, entrant.about);
    }
    for row in rows {
        text += &scene(row, entrants, plan);
    }
    text
}

/// The tables of one scene.
fn scene(row: &Row<'_>, entrants: &[&Entrant], plan: &Plan) -> String {
    let wanted = plan.steps.unwrap_or(row.case.steps) as usize;
    let mut text = format!("\n## `{}`\n\n{}.\n\n", row.case.name, row.case.about);
    text += &format!("| run | steps | ms a step | µs a step and body {QUALITY}");
    text += &format!("|---|--:|--:|--:{QUALITY_LINE}");
    let steps = || row.runs.iter().flatten().map(Run::steps);
    let most = steps().max().unwrap_or(0);
    let fewest = steps().min().unwrap_or(0);
    for (entrant, run) in entrants.iter().zip(&row.runs) {
        let cells = match run {
            Err(error) => vec![format!("{error}")],
            Ok(run) => {
                let steps = run.steps().to_string();
                let time = run.milliseconds();
                let per_body = 1e3 * time / row.size.moving as f64;
                let steps = if run.steps() < wanted { format!("**{steps}**") } else { steps };
                let mut cells = vec![steps, digits(time), digits(per_body)];
                cells.extend(quality(&run.ending, row.case.stands));
                cells
            }
        };
        text += &line(entrant.name, cells.into_iter());
    }
    let common: Vec<_> = row
        .runs
        .iter()
        .zip(entrants)
        .filter_map(|(run, entrant)| Some((entrant.name, run.as_ref().ok()?.common?)))
        .collect();
    if fewest < most && !common.is_empty() {
        text +=
            &format!("\nAll of them after {fewest} steps:\n\n| run {QUALITY}|---{QUALITY_LINE}");
        for (name, ending) in common {
            text += &line(name, quality(&ending, row.case.stands).into_iter());
        }
    }
    text
}

/// The head of the columns that [`quality`] fills.
const QUALITY: &str = "| overlap | 99 of 100 | pins open | stretch | fell | escaped |\n";
const QUALITY_LINE: &str = "|--:|--:|--:|--:|--:|--:|\n";

/// What a scene is like at the end, cell by cell.
fn quality(ending: &Ending, stands: bool) -> [String; 6] {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "–".to_owned());
    [
        length(ending.penetration_m),
        length(ending.p99_penetration_m),
        or_none(ending.pin_m.map(length)),
        or_none(ending.stretch.map(percent)),
        or_none(stands.then(|| length(ending.fall_m))),
        ending.escaped.to_string(),
    ]
}

/// How many times the reference's time a run took.
fn relative(row: &Row<'_>, entrants: &[&Entrant], run: &Run) -> Option<f64> {
    let index = entrants.iter().position(|entrant| entrant.name == REFERENCE)?;
    let reference = row.runs.get(index)?.as_ref().ok()?;
    (!std::ptr::eq(reference, run)).then(|| run.relative_to(reference))
}

fn line(head: &str, cells: impl Iterator<Item = String>) -> String {
    format!("| {head} | {} |\n", cells.collect::<Vec<_>>().join(" | "))
}

/// A number to three digits that count.
fn digits(value: f64) -> String {
    let decimals = match value {
        _ if value < 1.0 => 3,
        _ if value < 10.0 => 2,
        _ if value < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// A length in millimetres or metres.
fn length(metres: f64) -> String {
    match metres {
        _ if metres < NOTHING => "0".to_owned(),
        _ if metres < 1.0 => format!("{} mm", digits(1e3 * metres)),
        _ => format!("{} m", digits(metres)),
    }
}

/// A part in percent.
fn percent(part: f64) -> String {
    if part < NOTHING { "0".to_owned() } else { format!("{} %", digits(100.0 * part)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        assert_eq!([0.01234, 4.0, 12.34, 1234.5].map(digits), ["0.012", "4.00", "12.3", "1234"]);
        assert_eq!([1e-7, 0.00123, 0.5, 3.0].map(length), ["0", "1.23 mm", "500 mm", "3.00 m"]);
        assert_eq!(percent(0.5), "50.0 %");
    }
}
