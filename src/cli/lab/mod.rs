//! `sinew lab`: a folder of levels on several solvers, and a scoreboard of quality per millisecond.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the command |
//! | `board.rs` | what became of each run, and its points |
//! | `report.rs` | the report: its tables and words; JSON |
//! | `document.rs` | headings, text and tables as Markdown and as HTML |

mod board;
mod document;
mod report;

use self::board::{Board, Row};
use super::args::LabArgs;
use super::compare::variants::Variant;
use super::compare::{self, budget};
use super::headless;
use super::output::{Exit, Fault, print, print_json, warn, writable, write_file};
use super::sim::{progress_bar, warn_of_idle_response};
use super::source::{LABORATORY, Source};
use crate::error::Result as SinewResult;
use crate::level::Level;
use crate::settings::Overrides;

pub(crate) fn lab(args: &LabArgs, command: &str) -> Result<Exit, Fault> {
    let laboratory = [LABORATORY.to_owned()];
    let sources = Source::many(if args.paths.is_empty() { &laboratory } else { &args.paths })?;
    for (flag, path) in [("--into", &args.into), ("--html", &args.html)] {
        if let Some(path) = path {
            writable(flag, path, sources.iter().filter_map(Source::file))?;
        }
    }
    let mut variants: Vec<Variant> = Vec::new();
    for variant in args.runs.solver.concat() {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    compare::refuse_many(variants.len())?;
    let all = args.runs.settings.overrides(None);
    if args.runs.equal_time.is_some() {
        budget::refuse_substeps(&variants, &all)?;
    }
    let bar = progress_bar(sources.len() as u64, "{bar:40} {pos} of {len} levels");
    let mut rows = Vec::new();
    for source in &sources {
        let row = source.load().and_then(|level| run(&level, &variants, &all, args));
        match row {
            Ok(row) => rows.push(row),
            Err(error) => bar.suspend(|| Fault::in_level(&source.file_name(), error).print()),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let board = Board::new(rows, &variants, args.runs.rounds, args.runs.equal_time);
    if args.json {
        print_json(&report::json(&board))?;
    } else {
        print(&report::text(&board))?;
    }
    let document = report::document(&board, command);
    if let Some(path) = &args.into {
        write_file("--into", path, &document.markdown())?;
    }
    if let Some(path) = &args.html {
        write_file("--html", path, &document.html())?;
    }
    warn_of_idle_response(all.response, compare::takers(&variants));
    let mut exit = Exit::Success;
    for (level, run, error) in board.diverged() {
        warn(&format!("{level} on {run}: {error}"));
        exit = Exit::Diverged;
    }
    // A level that is none is graver.
    Ok(if board.rows.len() < sources.len() { Exit::Invalid } else { exit })
}

/// One level on all runs.
fn run(level: &Level, variants: &[Variant], all: &Overrides, args: &LabArgs) -> SinewResult<Row> {
    let seconds = headless::duration(level, headless::last_promise(level));
    let mut overrides: Vec<_> = variants.iter().map(|variant| variant.over(all)).collect();
    if let Some(asked) = args.runs.equal_time {
        budget::Budget::spend(level, &mut overrides, asked, seconds)?;
    }
    let trials = compare::run(level, &overrides, seconds, &[], args.runs.rounds, || ())?;
    Ok(Row::new(&level.name, &trials))
}
