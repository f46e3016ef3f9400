//! `sinew test`: runs levels on solvers and judges what they promise.
//!
//! Levels are read and runs are made on all cores; the reports have them in the order of the
//! arguments. Step times are those of runs that share the machine: to compare speeds, use
//! `sinew sim`.

use clap::builder::styling::Style;
use serde::Serialize;

use super::args::TestArgs;
use super::headless::{self, Outcome};
use super::junit::Junit;
use super::output::{BAD, Exit, Fault, GOOD, QUIET, Table, print, print_json, styled, writable};
use super::parallel;
use super::report::{self, Report, verdict_line};
use super::sim::{progress_bar, warn_of_idle_response};
use super::source::Source;
use super::units::{count, length, with_prefix};
use super::values::Solvers;
use crate::error::{Error, Result as SinewResult};
use crate::level::Level;
use crate::settings::SolverKind;

/// One level on one solver, and what became of it; or a level that could not be read.
struct Run<'a> {
    /// The name of the level, or of the file that holds none.
    name: &'a str,
    result: Result<(&'a Level, Outcome), Error>,
}

pub(crate) fn test(args: &TestArgs) -> Result<Exit, Fault> {
    let sources =
        if args.paths.is_empty() { Source::builtin() } else { Source::many(&args.paths)? };
    if let Some(path) = &args.junit {
        writable("--junit", path, sources.iter().filter_map(Source::file))?;
    }
    let threads = args.jobs.unwrap_or_else(parallel::cores);
    let load = |source: &Source| (source.file_name(), source.load());
    let levels = parallel::map(&sources, threads, load, || ());
    let runs = run_all(&levels, args, threads);
    let totals = Totals::of(&runs);
    if args.json {
        print_json(&Summary::new(&runs, &totals))?;
    } else {
        print(&table(&runs, &totals))?;
    }
    for run in &runs {
        if let Err(error) = &run.result {
            Fault::in_level(run.name, error.clone()).print();
        }
    }
    if let Some(path) = &args.junit {
        junit(&runs).write(path)?;
    }
    let solvers = Solvers::expand(&args.solver);
    warn_of_idle_response(args.settings.overrides(None).response, solvers);
    Ok(totals.exit())
}

/// What there is to do for one row of the table.
enum Job<'a> {
    Run { level: &'a Level, solver: SolverKind },
    Refuse { file: &'a str, error: &'a Error },
}

/// Runs all levels on all solvers that are asked for.
fn run_all<'a>(
    levels: &'a [(String, SinewResult<Level>)],
    args: &TestArgs,
    threads: usize,
) -> Vec<Run<'a>> {
    let solvers = Solvers::expand(&args.solver);
    let mut jobs = Vec::new();
    for (file, level) in levels {
        match level {
            Ok(level) => jobs.extend(solvers.iter().map(|&solver| Job::Run { level, solver })),
            Err(error) => jobs.push(Job::Refuse { file, error }),
        }
    }
    let bar = progress_bar(jobs.len() as u64, "{bar:40} {pos} of {len} runs");
    let work = |job: &Job<'a>| match *job {
        Job::Run { level, solver } => {
            let overrides = args.settings.overrides(Some(solver));
            let seconds = headless::duration(level, headless::last_promise(level));
            let outcome = headless::run(level, &overrides, seconds, 1, |_, _| {});
            Run { name: &level.name, result: outcome.map(|outcome| (level, outcome)) }
        }
        Job::Refuse { file, error } => Run { name: file, result: Err(error.clone()) },
    };
    let runs = parallel::map(&jobs, threads, work, || bar.inc(1));
    bar.finish_and_clear();
    runs
}

/// The report for continuous-integration servers.
fn junit(runs: &[Run<'_>]) -> Junit {
    let mut junit = Junit::new();
    for run in runs {
        match &run.result {
            Ok((_, outcome)) => junit.add_run(run.name, outcome),
            Err(error) => junit.add_invalid(run.name, error),
        }
    }
    junit
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
    fn of(runs: &[Run<'_>]) -> Self {
        let mut totals = Self::default();
        for run in runs {
            match &run.result {
                Ok((_, outcome)) => {
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
        let Ok((_, outcome)) = &run.result else {
            let none = || ("–".to_owned(), QUIET);
            let name = (run.name.to_owned(), PLAIN);
            table.row(vec![name, none(), none(), none(), none(), ("invalid".to_owned(), BAD)]);
            continue;
        };
        let (judged, broken) = (outcome.judged().count(), outcome.broken().count());
        let (word, style) = match report::exit(outcome) {
            Exit::Success if judged == 0 => ("nothing promised", QUIET),
            Exit::Success => ("ok", GOOD),
            Exit::Diverged => ("diverged", BAD),
            _ => ("failed", BAD),
        };
        table.row(vec![
            (run.name.to_owned(), PLAIN),
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
    fn new(runs: &[Run<'_>], totals: &Totals) -> Self {
        let (mut reports, mut invalid) = (Vec::new(), Vec::new());
        for run in runs {
            match &run.result {
                Ok((level, outcome)) => reports.push(Report::new(level, outcome)),
                Err(error) => {
                    invalid.push(Invalid { level: run.name.to_owned(), error: error.to_string() });
                }
            }
        }
        let Totals { kept, broken, diverged, .. } = *totals;
        Self { runs: reports, invalid, kept, broken, diverged }
    }
}
