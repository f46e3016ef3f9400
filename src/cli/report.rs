//! The report of a run: as JSON with a fixed order of keys, and for people.

use std::fmt::Write as _;

use serde::Serialize;

use super::headless::{Counts, Outcome};
use super::output::{BAD, Exit, GOOD, HEAD, QUIET, styled};
use super::profile::Summary;
use super::units::{count, length, percent, seconds, with_prefix};
use crate::level::Level;
use crate::metrics::{Quality, Verdict};

/// The report of `sinew sim --json`.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    level: String,
    solver: &'static str,
    version: &'static str,
    seconds: f64,
    steps: u64,
    dt: f64,
    counts: Counts,
    quality: Quality,
    settled_at_s: Option<f64>,
    time: Time,
    /// Where the time went, if that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) profile: Option<Summary>,
    finite: bool,
    hash: String,
    expect: Vec<Expect>,
}

#[derive(Debug, Serialize)]
struct Time {
    total_s: f64,
    step_ms: StepMs,
}

#[derive(Debug, Serialize)]
struct StepMs {
    mean: f64,
    p50: f64,
    p99: f64,
}

#[derive(Debug, Serialize)]
struct Expect {
    name: String,
    pass: bool,
    /// `null` where it is not a finite number.
    value: f64,
    unit: &'static str,
    above: Option<f64>,
    below: Option<f64>,
    wanted: String,
    time_s: f64,
    first_broken_s: Option<f64>,
    line: usize,
}

impl Report {
    pub(crate) fn new(level: &Level, outcome: &Outcome) -> Self {
        let times = &outcome.step_times;
        let expect = outcome.judged().map(|verdict| Expect {
            name: verdict.name.clone(),
            pass: verdict.pass,
            value: verdict.value,
            unit: verdict.unit,
            above: verdict.bounds.above,
            below: verdict.bounds.below,
            wanted: verdict.wanted.clone(),
            time_s: verdict.time,
            first_broken_s: verdict.first_broken,
            line: verdict.line,
        });
        Self {
            level: level.name.clone(),
            solver: outcome.settings.solver.name(),
            version: env!("CARGO_PKG_VERSION"),
            seconds: outcome.seconds,
            steps: outcome.steps,
            dt: 1.0 / f64::from(outcome.settings.hz),
            counts: outcome.counts,
            quality: outcome.quality,
            settled_at_s: outcome.settled_at,
            time: Time {
                total_s: times.mean() * times.count() as f64,
                step_ms: StepMs {
                    mean: 1e3 * times.mean(),
                    p50: 1e3 * times.quantile(0.5),
                    p99: 1e3 * times.quantile(0.99),
                },
            },
            profile: None,
            finite: outcome.error.is_none(),
            hash: format!("{:016x}", outcome.hash),
            expect: expect.collect(),
        }
    }
}

/// How a run that ended so is to be answered for.
pub(crate) fn exit(outcome: &Outcome) -> Exit {
    if outcome.error.is_some() {
        Exit::Diverged
    } else if outcome.broken().next().is_some() {
        Exit::Failed
    } else {
        Exit::Success
    }
}

/// The report for people.
pub(crate) fn text(level: &Level, outcome: &Outcome) -> String {
    let mut out = String::new();
    for (label, value) in lines(level, outcome) {
        if label.is_empty() {
            out.push('\n');
        } else {
            // Writing to a string cannot fail.
            let _ = writeln!(out, "{} {value}", styled(HEAD, format_args!("{label:<13}")));
        }
    }
    let judged = outcome.judged().count();
    if judged > 0 {
        let kept = judged - outcome.broken().count();
        let _ = writeln!(out, "\n{} {kept} of {judged} kept", styled(HEAD, "expectations "));
        for verdict in outcome.judged() {
            let _ = writeln!(out, "  {}", verdict_line(verdict));
        }
    }
    out
}

/// A verdict with its mark.
pub(crate) fn verdict_line(verdict: &Verdict) -> String {
    let mark = if verdict.pass { styled(GOOD, "✔") } else { styled(BAD, "✘") };
    let line = match verdict.line {
        0 => String::new(),
        line => styled(QUIET, format_args!(" (line {line})")),
    };
    format!("{mark} {verdict}{line}")
}

/// Labels and values; an empty label is an empty line.
fn lines(level: &Level, outcome: &Outcome) -> Vec<(&'static str, String)> {
    let Outcome { counts, quality, step_times: times, .. } = outcome;
    let effort = outcome.effort();
    let title = if level.scene.name.is_empty() || level.scene.name == level.name {
        level.name.clone()
    } else {
        format!("{} ({})", level.name, level.scene.name)
    };
    vec![
        ("level", title),
        (
            "solver",
            format!(
                "{}, {} × {}",
                outcome.settings.solver,
                count(effort.substeps as usize, "sub-step", "sub-steps"),
                count(effort.iterations as usize, "iteration", "iterations")
            ),
        ),
        (
            "simulated",
            format!(
                "{} in {} of {}",
                seconds(outcome.seconds),
                count(outcome.steps as usize, "step", "steps"),
                with_prefix(1.0 / f64::from(outcome.settings.hz), "s")
            ),
        ),
        (
            "world",
            format!(
                "{}, {}, {}, {}",
                count(counts.bodies, "body", "bodies"),
                count(counts.points, "point", "points"),
                count(counts.edges, "edge", "edges"),
                count(counts.joints, "joint", "joints")
            ),
        ),
        ("", String::new()),
        (
            "penetration",
            format!(
                "{} deepest, {} at 99 %, {} at the end",
                length(quality.max_penetration_m),
                length(quality.p99_penetration_m),
                length(quality.final_penetration_m)
            ),
        ),
        (
            "stretch",
            format!(
                "{} largest, {} at the end",
                percent(quality.max_stretch),
                percent(quality.final_stretch)
            ),
        ),
        ("joint error", format!("{} largest", length(quality.max_joint_error_m))),
        (
            "energy",
            format!(
                "{} at the start, {} at the end, {} gained at most",
                with_prefix(quality.energy_start_j, "J"),
                with_prefix(quality.energy_end_j, "J"),
                with_prefix(quality.energy_peak_gain_j, "J")
            ),
        ),
        ("kinetic", format!("{} at the end", with_prefix(quality.kinetic_end_j, "J"))),
        (
            "momentum",
            quality.momentum_drift.map_or_else(
                || "not measured: gravity, ground or a fixed joint acts from outside".to_owned(),
                |drift| format!("{} drift", percent(drift)),
            ),
        ),
        ("escaped", count(quality.escaped as usize, "body", "bodies")),
        ("inverted", count(quality.inverted as usize, "piece", "pieces")),
        (
            "settled",
            outcome
                .settled_at
                .map_or_else(|| "no".to_owned(), |at| format!("after {}", seconds(at))),
        ),
        (
            "step time",
            format!(
                "{} mean, {} median, {} at 99 %",
                with_prefix(times.mean(), "s"),
                with_prefix(times.quantile(0.5), "s"),
                with_prefix(times.quantile(0.99), "s")
            ),
        ),
        ("hash", format!("{:016x}", outcome.hash)),
    ]
}
