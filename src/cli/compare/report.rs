//! A comparison on the terminal, and as JSON.

use std::fmt::Write as _;

use clap::builder::styling::Style;
use serde::Serialize;

use super::Comparison;
use super::figures::{self, Figure};
use super::pairs::Pair;
use crate::cli::output::{BAD, GOOD, HEAD, QUIET, Table, styled};
use crate::cli::report::{Report, verdict_line};
use crate::cli::units::{count, length, seconds, with_prefix};

/// The comparison for people: one row a run.
pub(crate) fn text(comparison: &Comparison<'_>) -> String {
    let runs: Vec<Vec<Figure>> = comparison.trials.iter().map(figures::of).collect();
    let best = figures::best(&runs);
    let columns: Vec<usize> =
        (0..best.len()).filter(|&column| runs.iter().any(|run| !run[column].nothing)).collect();
    let heads = runs.first().into_iter().flat_map(|run| columns.iter().map(|&c| run[c].head));
    let mut table = Table::new(&["run"].into_iter().chain(heads).collect::<Vec<_>>());
    for (index, (trial, run)) in comparison.trials.iter().zip(&runs).enumerate() {
        let cell = |&column: &usize| {
            let style = if best[column][index] { GOOD } else { Style::new() };
            (run[column].text.clone(), style)
        };
        let label = (trial.label.clone(), HEAD);
        table.row([label].into_iter().chain(columns.iter().map(cell)).collect());
        if trial.outcome.error.is_some() {
            let end = seconds(trial.outcome.seconds);
            table.note(styled(BAD, format_args!("diverged after {end}")));
        }
        for verdict in trial.outcome.broken() {
            table.note(verdict_line(verdict));
        }
    }
    let mut out = format!("{}\n{}\n", heading(comparison), table.render());
    if !comparison.pairs.is_empty() {
        let threshold = length(comparison.threshold);
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{}", styled(HEAD, format_args!("Apart by {threshold} first")));
        for pair in &comparison.pairs {
            let _ = writeln!(out, "  {}: {}", pair.name, parting(comparison, pair));
        }
    }
    out
}

fn heading(comparison: &Comparison<'_>) -> String {
    let level = &comparison.level;
    let budget = comparison.budget.as_ref().map(|budget| {
        format!(", each to spend {} on a step", with_prefix(1e-3 * budget.step_ms, "s"))
    });
    let about = format!(
        "{} of {}; step times: median of {}",
        seconds(comparison.seconds),
        level.name,
        count(comparison.rounds, "round", "rounds"),
    );
    styled(QUIET, about + &budget.unwrap_or_default()) + "\n"
}

/// When and where two runs part, in words.
pub(crate) fn parting(comparison: &Comparison<'_>, pair: &Pair) -> String {
    let Some(parting) = pair.parting else { return "never".to_owned() };
    let body = comparison.trials[pair.a].track.names().get(parting.body);
    format!(
        "{} (frame {}): {} by {}",
        seconds(parting.time),
        parting.step,
        body.map_or("", String::as_str),
        length(parting.distance)
    )
}

/// The report of `sinew compare --json`.
#[derive(Serialize)]
pub(crate) struct Json<'a> {
    level: &'a str,
    seconds: f64,
    rounds: usize,
    equal_time_ms: Option<f64>,
    runs: Vec<RunJson<'a>>,
    divergence: Vec<PairJson<'a>>,
}

#[derive(Serialize)]
struct RunJson<'a> {
    run: &'a str,
    substeps: u32,
    iterations: u32,
    #[serde(flatten)]
    report: Report,
}

#[derive(Serialize)]
struct PairJson<'a> {
    a: &'a str,
    b: &'a str,
    threshold_m: f64,
    /// `null` where they never part.
    first: Option<First<'a>>,
}

#[derive(Serialize)]
struct First<'a> {
    step: u64,
    time_s: f64,
    body: Option<&'a str>,
    distance_m: f64,
}

/// The comparison as data.
pub(crate) fn json<'a>(comparison: &'a Comparison<'a>) -> Json<'a> {
    let trials = &comparison.trials;
    let runs = trials.iter().map(|trial| {
        let effort = trial.outcome.effort();
        RunJson {
            run: &trial.label,
            substeps: effort.substeps,
            iterations: effort.iterations,
            report: Report::new(comparison.level, &trial.outcome),
        }
    });
    let pairs = comparison.pairs.iter().map(|pair| PairJson {
        a: &trials[pair.a].label,
        b: &trials[pair.b].label,
        threshold_m: comparison.threshold,
        first: pair.parting.map(|parting| First {
            step: parting.step,
            time_s: parting.time,
            body: trials[pair.a].track.names().get(parting.body).map(String::as_str),
            distance_m: parting.distance,
        }),
    });
    Json {
        level: &comparison.level.name,
        seconds: comparison.seconds,
        rounds: comparison.rounds,
        equal_time_ms: comparison.budget.as_ref().map(|budget| budget.step_ms),
        runs: runs.collect(),
        divergence: pairs.collect(),
    }
}
