//! `sinew compare`: one level on several solvers and settings, for the same seconds.
//!
//! | file | job |
//! |---|---|
//! | `variants.rs` | what runs `--solver` asks for |
//! | `trial.rs` | measured runs, timed runs, the time of single steps |
//! | `clock.rs` | the time of the processor |
//! | `budget.rs` | the settings that spend equal time |
//! | `pairs.rs` | when and where runs part |
//! | `figures.rs` | the numbers of a run, named and worded |
//! | `report.rs` | the table on the terminal, and JSON |
//! | `page/` | the page: tables, plots, pictures |

pub(crate) mod budget;
pub(crate) mod clock;
mod figures;
mod page;
mod pairs;
mod report;
pub(crate) mod trial;
pub(crate) mod variants;

pub(crate) use page::document;

use self::budget::Budget;
use self::pairs::Pair;
use self::trial::{Timed, Trial};
use super::args::CompareArgs;
use super::headless;
use super::output::{Exit, Fault, print, print_json, warn, writable, write_file};
use super::parallel;
use super::sim::{progress_bar, warn_of_idle_response};
use super::source::Source;
use super::units::{seconds as worded_seconds, with_prefix};
use crate::level::Level;
use crate::settings::{Overrides, Settings, SolverKind};

/// The most runs that are compared: more cannot be told apart in a plot.
const MOST_RUNS: usize = 12;

/// A comparison, ready to be told.
pub(crate) struct Comparison<'a> {
    level: &'a Level,
    trials: Vec<Trial>,
    pairs: Vec<Pair>,
    /// How far apart is parted, m.
    threshold: f64,
    /// Simulated time, s.
    seconds: f64,
    /// The instants of pictures and of distances, s.
    at: Vec<f64>,
    /// Rounds of timed runs.
    rounds: usize,
    /// What each run was to spend, if that was the same.
    budget: Option<Budget>,
    /// The call that made it.
    command: &'a str,
}

pub(crate) fn compare(args: &CompareArgs, command: &str) -> Result<Exit, Fault> {
    let source = Source::one(&args.level)?;
    if let Some(path) = &args.html {
        writable("--html", path, source.file().into_iter())?;
    }
    let level = source.load()?;
    let seconds = headless::duration(&level, args.seconds);
    let at = instants(&args.at, seconds)?;
    let all = args.runs.settings.overrides(None);
    let variants = args.runs.solver.concat();
    if args.runs.equal_time.is_some() {
        budget::refuse_substeps(&variants, &all)?;
    }
    let overrides = variants.iter().map(|variant| variant.over(&all)).collect();
    let mut overrides = distinct(&level, overrides);
    refuse_many(overrides.len())?;
    let in_level = |error| Fault::in_level(&level.name, error);
    let budget = match args.runs.equal_time {
        Some(asked) => {
            let found = Budget::spend(&level, &mut overrides, asked, seconds).map_err(in_level)?;
            Some(found)
        }
        None => None,
    };
    let bar = progress_bar(
        (overrides.len() * (1 + args.runs.rounds)) as u64,
        "{bar:40} {pos} of {len} runs",
    );
    let trials = run(&level, &overrides, seconds, &at, args.runs.rounds, || bar.inc(1));
    bar.finish_and_clear();
    let trials = trials.map_err(in_level)?;
    let comparison = Comparison {
        level: &level,
        pairs: pairs::of(&trials, args.threshold),
        trials,
        threshold: args.threshold,
        seconds,
        at,
        rounds: args.runs.rounds,
        budget,
        command,
    };
    if args.json {
        print_json(&report::json(&comparison))?;
    } else {
        print(&report::text(&comparison))?;
    }
    if let Some(path) = &args.html {
        write_file("--html", path, &page::render(&comparison))?;
    }
    warn_of_idle_response(all.response, takers(&variants));
    Ok(end(&comparison))
}

/// The solvers of runs for which `--response` holds, each once.
pub(crate) fn takers(variants: &[variants::Variant]) -> Vec<SolverKind> {
    let takers: Vec<_> =
        variants.iter().filter_map(variants::Variant::takes_response_of_all).collect();
    SolverKind::ALL.into_iter().filter(|kind| takers.contains(kind)).collect()
}

/// Refuses more runs than can be told apart.
pub(crate) fn refuse_many(runs: usize) -> Result<(), Fault> {
    if runs <= MOST_RUNS {
        return Ok(());
    }
    let problem = format!("--solver: {runs} runs are too many to compare");
    Err(Fault::new(Exit::Usage, format!("{problem}; name {MOST_RUNS} at most")))
}

/// Says what stands in the way of reading the numbers, and how it all ended.
fn end(comparison: &Comparison<'_>) -> Exit {
    let mut exit = Exit::Success;
    for (index, cost) in comparison.budget.iter().flat_map(Budget::missed) {
        let [found, wanted] = [cost, comparison.budget.as_ref().map_or(cost, |b| b.step_ms)]
            .map(|ms| with_prefix(1e-3 * ms, "s"));
        let label = &comparison.trials[index].label;
        warn(&format!("{label} spends {found} on a step: the nearest it comes to {wanted}"));
    }
    let unjudged = |trial: &Trial| trial.outcome.verdicts.len() - trial.outcome.judged().count();
    if let Some(most) = comparison.trials.iter().map(unjudged).max().filter(|most| *most > 0) {
        warn(&format!("the runs were too short to judge {most} of the level's expectations"));
    }
    for trial in &comparison.trials {
        for limitation in &trial.outcome.limitations {
            warn(&format!("{}: {limitation}", trial.label));
        }
        if let Some(error) = &trial.outcome.error {
            Fault::in_level(&trial.label, error.clone()).print();
            exit = Exit::Diverged;
        }
    }
    exit
}

/// The instants asked for, in order and each once; else the start, a quarter and the end.
fn instants(asked: &[f64], seconds: f64) -> Result<Vec<f64>, Fault> {
    if let Some(late) = asked.iter().find(|at| **at > seconds + 1e-6) {
        let [late, end] = [*late, seconds].map(worded_seconds);
        let problem = format!("--at {late} is past the end of the run ({end})");
        return Err(Fault::new(Exit::Usage, format!("{problem}; ask for more with --seconds")));
    }
    let mut at = if asked.is_empty() { vec![0.0, 0.25 * seconds, seconds] } else { asked.to_vec() };
    at.sort_unstable_by(f64::total_cmp);
    at.dedup();
    Ok(at)
}

/// Runs that differ in what they do, not in how it was asked for.
fn distinct(level: &Level, overrides: Vec<Overrides>) -> Vec<Overrides> {
    let mut kept: Vec<(Settings, Overrides)> = Vec::new();
    for overrides in overrides {
        let settings = overrides.apply(level.scene.settings);
        let effort = settings.effort(settings.solver);
        let (substeps, iterations) = (Some(effort.substeps), Some(effort.iterations));
        let response = settings.response.on(settings.solver);
        let settings = Settings { substeps, iterations, response, ..settings };
        if kept.iter().all(|(known, _)| *known != settings) {
            kept.push((settings, overrides));
        }
    }
    kept.into_iter().map(|(_, overrides)| overrides).collect()
}

/// Measures all runs, on all cores, then times them one by one; `done` is called after each.
pub(crate) fn run(
    level: &Level,
    overrides: &[Overrides],
    seconds: f64,
    at: &[f64],
    rounds: usize,
    mut done: impl FnMut(),
) -> crate::error::Result<Vec<Trial>> {
    let settings: Vec<Settings> =
        overrides.iter().map(|overrides| overrides.apply(level.scene.settings)).collect();
    let jobs: Vec<_> = overrides.iter().copied().zip(variants::labels(&settings)).collect();
    let work = |(overrides, label): &(Overrides, String)| {
        trial::measure(level, *overrides, label.clone(), seconds, at)
    };
    let trials = parallel::map(&jobs, parallel::cores(), work, &mut done);
    let mut trials = trials.into_iter().collect::<crate::error::Result<Vec<_>>>()?;
    let timed =
        |trial: &Trial| Timed { level, overrides: trial.overrides, steps: trial.outcome.steps };
    let timed: Vec<Timed<'_>> = trials.iter().map(timed).collect();
    let times = trial::time(&timed, rounds, done)?;
    trials.iter_mut().zip(times).for_each(|(trial, times)| trial.timed(times));
    Ok(trials)
}
