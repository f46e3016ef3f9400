//! The report of the laboratory: a scoreboard, then a table for each of what it is made of.

use serde::Serialize;

use super::board::{Board, Entry, Total};
use super::document::{Block, Cell, Document, Style};
use crate::cli::compare::budget::Asked;
use crate::cli::compare::clock;
use crate::cli::output::{HEAD, Table};
use crate::cli::units::{count, length, percent, with_prefix};
use crate::compare::Figures;
use clap::builder::styling::Style as TextStyle;

const HEADS: [&str; 6] = ["run", "points", "best", "passed", "gates kept", "step"];

/// The scoreboard for people.
pub(super) fn text(board: &Board) -> String {
    let mut table = Table::new(&HEADS);
    for (run, total) in board.runs.iter().zip(board.totals()) {
        let cells = summary(board, &total).map(|text| (text, TextStyle::new()));
        table.row([(run.clone(), HEAD)].into_iter().chain(cells).collect());
    }
    let levels = count(board.rows.len(), "level", "levels");
    format!(
        "{}\n{levels}; points are quality per millisecond, 100 for the best run of a level that keeps every gate.\n",
        table.render()
    )
}

/// What a scoreboard says of a run, after its name.
fn summary(board: &Board, total: &Total) -> [String; 5] {
    let levels = board.rows.len();
    [
        format!("{:.1}", total.points),
        total.best.to_string(),
        format!("{} of {levels}", total.passed),
        format!("{} of {}", total.kept, total.judged),
        with_prefix(1e-3 * total.step_ms, "s"),
    ]
}

/// The whole report.
pub(super) fn document(board: &Board, command: &str) -> Document {
    let mut blocks = vec![Block::Text(introduction(board)), scoreboard(board)];
    for (heading, text) in EXPLANATIONS {
        blocks.push(Block::Heading(heading));
        blocks.push(Block::Text((*text).to_owned()));
    }
    blocks.push(Block::Heading("Points"));
    blocks.push(levels(board, |entry| format!("{:.0}", entry.points), |entry| -entry.points));
    blocks.push(Block::Heading("Gates kept"));
    blocks.push(gates(board));
    blocks.push(Block::Heading("Time of a step"));
    let effort = |entry: &Entry| match board.equal_time {
        None => String::new(),
        Some(_) => format!(" ({} × {})", entry.effort.substeps, entry.effort.iterations),
    };
    blocks.push(levels(
        board,
        |entry| with_prefix(1e-3 * entry.step_ms, "s") + &effort(entry),
        |entry| entry.step_ms,
    ));
    type Value = fn(&Entry) -> f64;
    type Word = fn(f64) -> String;
    let figures: [(&str, Value, Word); 4] = [
        ("Deepest penetration", |entry| entry.quality.max_penetration_m, length),
        ("Largest joint error", |entry| entry.quality.max_joint_error_m, length),
        ("Largest stretch", |entry| entry.quality.max_stretch, percent),
        (
            "Most energy gained",
            |entry| entry.quality.energy_peak_gain_j,
            |value| with_prefix(value, "J"),
        ),
    ];
    for (heading, value, word) in figures {
        if board.rows.iter().flat_map(|row| &row.entries).any(|entry| value(entry) != 0.0) {
            blocks.push(Block::Heading(heading));
            blocks.push(levels(board, |entry| word(value(entry)), value));
        }
    }
    let broken = broken(board);
    if !broken.is_empty() {
        blocks.push(Block::Heading("Gates broken"));
        blocks.push(Block::List(broken));
    }
    Document { title: "Scoreboard of the solvers".into(), command: command.to_owned(), blocks }
}

const EXPLANATIONS: &[(&str, &str)] = &[(
    "How points are given",
    "In each level the error of a run is the geometric mean of its deepest penetration, largest joint \
     error and largest stretch, each at least a floor that nobody can see: 0.1 mm, 0.1 mm and 0.01 %. \
     A figure that is at its floor for all runs does not count. Error times the milliseconds of a \
     step is the cost. Of the runs that keep every gate the one of the least cost has 100 points, and \
     another of twice the cost has 50. A run that breaks a gate or diverges has none, however fast it \
     was, and sets no mark for others. A scoreboard has the mean over all levels, so a level that \
     nobody passes is worth nothing to anyone; the table of points leaves it out. Only runs of one \
     report can be set against each other.",
)];

fn introduction(board: &Board) -> String {
    let effort = match board.equal_time {
        None => "Each run has the effort that it chooses for itself or was given.".to_owned(),
        Some(Asked::Slowest) => {
            "In each level the sub-steps of each run were chosen so that a step \
                                 takes as long as that of the slowest."
                .to_owned()
        }
        Some(Asked::Milliseconds(budget)) => format!(
            "In each level the sub-steps of each run were chosen so that a step takes about {}.",
            with_prefix(1e-3 * budget, "s")
        ),
    };
    format!(
        "Made by sinew {}: {} until the last promise of each is due. {effort} Quality is the same on \
         every run of one program on one machine; step times are the mean over a run in time of the {}, each step with \
         the median of {} in which the runs took turns, and are those of one machine on one day.",
        env!("CARGO_PKG_VERSION"),
        count(board.rows.len(), "level", "levels"),
        if clock::OF_PROCESSOR { "processor" } else { "wall clock" },
        count(board.rounds, "round", "rounds"),
    )
}

fn scoreboard(board: &Board) -> Block {
    let totals = board.totals();
    let most = totals.iter().map(|total| total.points).fold(0.0, f64::max);
    let row = |(run, total): (&String, &Total)| {
        let mut cells = vec![Cell::code(run)];
        cells.extend(summary(board, total).map(Cell::plain));
        if most > 0.0 && total.points >= most {
            cells[1].style = Style::Best;
        }
        cells
    };
    let rows = board.runs.iter().zip(&totals).map(row).collect();
    Block::Table { heads: HEADS.map(str::to_owned).to_vec(), rows }
}

/// A row for each level, a column for each run; the least rank of those that passed is the best.
/// Levels in which all runs have nothing are left out.
fn levels(board: &Board, word: impl Fn(&Entry) -> String, rank: impl Fn(&Entry) -> f64) -> Block {
    let rows = board.rows.iter().filter(|row| row.entries.iter().any(|entry| rank(entry) != 0.0));
    let row = |row: &super::board::Row| {
        let passed = row.entries.iter().filter(|entry| entry.passed()).map(&rank);
        let least = passed.fold(f64::INFINITY, f64::min);
        let cell = |entry: &Entry| {
            let style = if !entry.passed() {
                Style::Bad
            } else if rank(entry) <= least {
                Style::Best
            } else {
                Style::Plain
            };
            Cell::new(word(entry), style)
        };
        [Cell::code(&row.level)].into_iter().chain(row.entries.iter().map(cell)).collect()
    };
    Block::Table { heads: heads(board), rows: rows.map(row).collect() }
}

fn gates(board: &Board) -> Block {
    let cell = |entry: &Entry| {
        let text = match (&entry.error, entry.judged) {
            (Some(_), _) => "diverged".to_owned(),
            (None, 0) => "none".to_owned(),
            (None, judged) => format!("{} of {judged}", entry.kept),
        };
        Cell::new(text, if entry.passed() { Style::Plain } else { Style::Bad })
    };
    let rows = board.rows.iter().map(|row| {
        [Cell::code(&row.level)].into_iter().chain(row.entries.iter().map(cell)).collect()
    });
    Block::Table { heads: heads(board), rows: rows.collect() }
}

fn heads(board: &Board) -> Vec<String> {
    ["level".to_owned()].into_iter().chain(board.runs.iter().cloned()).collect()
}

fn broken(board: &Board) -> Vec<(String, String)> {
    let mut items = Vec::new();
    for row in &board.rows {
        for (run, entry) in board.runs.iter().zip(&row.entries) {
            let said = entry.error.iter().chain(&entry.broken);
            items.extend(said.map(|said| (row.level.clone(), format!("{run}: {said}"))));
        }
    }
    items
}

/// The report of `sinew lab --json`.
#[derive(Serialize)]
pub(super) struct Json<'a> {
    version: &'static str,
    rounds: usize,
    floors: Floors,
    runs: Vec<RunJson<'a>>,
    levels: Vec<LevelJson<'a>>,
}

#[derive(Serialize)]
struct Floors {
    length_m: f64,
    stretch: f64,
}

#[derive(Serialize)]
struct RunJson<'a> {
    run: &'a str,
    points: f64,
    best: usize,
    passed: usize,
    kept: usize,
    judged: usize,
    step_ms: f64,
}

#[derive(Serialize)]
struct LevelJson<'a> {
    level: &'a str,
    runs: Vec<EntryJson<'a>>,
}

#[derive(Serialize)]
struct EntryJson<'a> {
    run: &'a str,
    points: f64,
    substeps: u32,
    iterations: u32,
    step_ms: f64,
    kept: usize,
    judged: usize,
    finite: bool,
    quality: crate::metrics::Quality,
    broken: &'a [String],
}

/// The report as data.
pub(super) fn json(board: &Board) -> Json<'_> {
    let totals = board.totals();
    let runs = board.runs.iter().zip(&totals).map(|(run, total)| RunJson {
        run,
        points: total.points,
        best: total.best,
        passed: total.passed,
        kept: total.kept,
        judged: total.judged,
        step_ms: total.step_ms,
    });
    fn entry<'a>((run, entry): (&'a String, &'a Entry)) -> EntryJson<'a> {
        EntryJson {
            run,
            points: entry.points,
            substeps: entry.effort.substeps,
            iterations: entry.effort.iterations,
            step_ms: entry.step_ms,
            kept: entry.kept,
            judged: entry.judged,
            finite: entry.error.is_none(),
            quality: entry.quality,
            broken: &entry.broken,
        }
    }
    let levels = board.rows.iter().map(|row| LevelJson {
        level: &row.level,
        runs: board.runs.iter().zip(&row.entries).map(entry).collect(),
    });
    Json {
        version: env!("CARGO_PKG_VERSION"),
        rounds: board.rounds,
        floors: Floors { length_m: Figures::LEAST_LENGTH, stretch: Figures::LEAST_STRETCH },
        runs: runs.collect(),
        levels: levels.collect(),
    }
}
