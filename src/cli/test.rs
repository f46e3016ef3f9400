//! `sinew test`: runs levels on solvers and judges what they promise.
//!
//! Runs are handed out to as many threads as there are cores; the table has them in the order of
//! the arguments whichever ends first. Step times are those of runs that share the machine: to
//! compare speeds, use `sinew sim`.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

use clap::builder::styling::Style;
use serde::Serialize;

use super::args::TestArgs;
use super::headless::{self, Outcome};
use super::output::{BAD, Exit, Fault, GOOD, QUIET, Table, print, print_json, styled};
use super::report::{self, Report, verdict_line};
use super::sim::progress_bar;
use super::source::Source;
use super::units::{count, length, with_prefix};
use super::values::Solvers;
use crate::error::{Error, Result as SinewResult};
use crate::level::Level;
use crate::settings::Overrides;

/// One level on one solver, and what became of it.
struct Run<'a> {
    level: &'a Level,
    outcome: SinewResult<Outcome>,
}

pub(crate) fn test(args: &TestArgs) -> Result<Exit, Fault> {
    let sources =
        if args.paths.is_empty() { Source::builtin() } else { Source::many(&args.paths)? };
    let (mut levels, mut invalid) = (Vec::new(), Vec::new());
    for source in sources {
        match source.load() {
            Ok(level) => levels.push(level),
            Err(error) => invalid.push((source, error)),
        }
    }
    let solvers = Solvers::expand(&args.solver);
    let jobs: Vec<(&Level, Overrides)> = levels
        .iter()
        .flat_map(|level| {
            solvers.iter().map(move |&solver| (level, args.settings.overrides(Some(solver))))
        })
        .collect();
    let runs = run_all(&jobs);
    let totals = Totals::of(&runs, invalid.len());
    if args.json {
        print_json(&Summary::new(&runs, &invalid, &totals))?;
    } else {
        print(&table(&runs, &totals))?;
    }
    for (_, error) in &invalid {
        Fault::from(error.clone()).print();
    }
    for run in &runs {
        if let Err(error) = &run.outcome {
            Fault::in_level(&run.level.name, error.clone()).print();
        }
    }
    Ok(totals.exit())
}

/// Runs all jobs on all cores and returns the runs in the order of the jobs.
fn run_all<'a>(jobs: &[(&'a Level, Overrides)]) -> Vec<Run<'a>> {
    let threads = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let bar = progress_bar(jobs.len() as u64, "{bar:40} {pos} of {len} runs");
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut finished: Vec<(usize, Run<'a>)> = thread::scope(|scope| {
        for _ in 0..threads {
            let (next, sender) = (&next, sender.clone());
            scope.spawn(move || {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(&(level, overrides)) = jobs.get(index) else { return };
                    let seconds = headless::duration(level, headless::last_promise(level));
                    let outcome = headless::run(level, &overrides, seconds, |_| {});
                    // The receiver lives as long as the scope.
                    let _ = sender.send((index, Run { level, outcome }));
                }
            });
        }
        drop(sender);
        receiver.iter().inspect(|_| bar.inc(1)).collect()
    });
    bar.finish_and_clear();
    finished.sort_by_key(|(index, _)| *index);
    finished.into_iter().map(|(_, run)| run).collect()
}

/// What counts in the end.
#[derive(Default)]
struct Totals {
    kept: usize,
    broken: usize,
    diverged: usize,
    invalid: usize,
}

impl Totals {
    fn of(runs: &[Run<'_>], invalid: usize) -> Self {
        let mut totals = Self { invalid, ..Self::default() };
        for run in runs {
            match &run.outcome {
                Ok(outcome) => {
                    let broken = outcome.broken().count();
                    totals.broken += broken;
                    totals.kept += outcome.judged().count() - broken;
                    totals.diverged += usize::from(outcome.error.is_some());
                }
                Err(_) => totals.invalid += 1,
            }
        }
        totals
    }

    /// The gravest of what happened.
    fn exit(&self) -> Exit {
        if self.invalid > 0 {
            Exit::Invalid
        } else if self.diverged > 0 {
            Exit::Diverged
        } else if self.broken > 0 {
            Exit::Failed
        } else {
            Exit::Success
        }
    }
}

fn table(runs: &[Run<'_>], totals: &Totals) -> String {
    const PLAIN: Style = Style::new();
    let mut table = Table::new(&["level", "solver", "kept", "step", "penetration", "result"]);
    for run in runs {
        let Ok(outcome) = &run.outcome else { continue };
        let (judged, broken) = (outcome.judged().count(), outcome.broken().count());
        let (word, style) = match report::exit(outcome) {
            Exit::Success if judged == 0 => ("nothing promised", QUIET),
            Exit::Success => ("ok", GOOD),
            Exit::Diverged => ("diverged", BAD),
            _ => ("failed", BAD),
        };
        table.row(vec![
            (run.level.name.clone(), PLAIN),
            (outcome.settings.solver.name().to_owned(), PLAIN),
            (format!("{} of {judged}", judged - broken), PLAIN),
            (with_prefix(outcome.step_times.mean(), "s"), PLAIN),
            (length(outcome.quality.max_penetration_m), PLAIN),
            (word.to_owned(), style),
        ]);
        if let Some(error) = &outcome.error {
            table.note(error.to_string());
        }
        for verdict in outcome.broken() {
            table.note(verdict_line(verdict));
        }
    }
    let Totals { kept, broken, diverged, invalid } = *totals;
    let mut ending = vec![count(kept, "expectation kept", "expectations kept")];
    let bad = [
        (broken, format!("{broken} broken")),
        (diverged, format!("{diverged} diverged")),
        (invalid, format!("{invalid} invalid")),
    ];
    let bad = bad.into_iter().filter(|(number, _)| *number > 0);
    ending.extend(bad.map(|(_, words)| styled(BAD, words)));
    format!("{}\n{}\n", table.render(), ending.join(", "))
}

/// The report of `sinew test --json`.
#[derive(Serialize)]
struct Summary {
    runs: Vec<Report>,
    invalid: Vec<Invalid>,
    kept: usize,
    broken: usize,
    diverged: usize,
}

#[derive(Serialize)]
struct Invalid {
    level: String,
    error: String,
}

impl Summary {
    fn new(runs: &[Run<'_>], unread: &[(Source, Error)], totals: &Totals) -> Self {
        let invalid = |level: String, error: &Error| Invalid { level, error: error.to_string() };
        let unread = unread.iter().map(|(source, error)| invalid(source.file_name(), error));
        let unbuilt = runs.iter().filter_map(|run| {
            let error = run.outcome.as_ref().err()?;
            Some(invalid(run.level.name.clone(), error))
        });
        let reports = runs.iter().filter_map(|run| {
            let outcome = run.outcome.as_ref().ok()?;
            Some(Report::new(run.level, outcome))
        });
        Self {
            runs: reports.collect(),
            invalid: unread.chain(unbuilt).collect(),
            kept: totals.kept,
            broken: totals.broken,
            diverged: totals.diverged,
        }
    }
}
