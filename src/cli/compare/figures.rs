//! The numbers of a run, each with a name, in words, and as a number that tells which is better.

use super::trial::Trial;
use crate::cli::units::{length, percent, seconds, with_prefix};

/// One number of a run.
pub(crate) struct Figure {
    /// The head of its column.
    pub(crate) head: &'static str,
    /// What it is, in a sentence.
    pub(crate) about: &'static str,
    pub(crate) text: String,
    /// Less is better; `None` where better and worse mean nothing.
    pub(crate) rank: Option<f64>,
    /// Whether there is nothing to tell: zero, or not measured. A column in which no run has
    /// anything can be left out.
    pub(crate) nothing: bool,
}

/// All numbers of a run, in the same order for every run.
pub(crate) fn of(trial: &Trial) -> Vec<Figure> {
    let outcome = &trial.outcome;
    let (quality, times) = (&outcome.quality, &outcome.step_times);
    let plain = |head, about, value: f64, text: String| Figure {
        head,
        about,
        text,
        rank: value.is_finite().then_some(value),
        nothing: value == 0.0,
    };
    let (judged, broken) = (outcome.judged().count(), outcome.broken().count());
    let change = quality.energy_end_j - quality.energy_start_j;
    let deepest = quality.max_penetration_m;
    let p99 = quality.p99_penetration_m;
    let settled = outcome.settled_at;
    let drift = quality.momentum_drift;
    let time = |seconds: f64| with_prefix(seconds, "s");
    let step = |head, about, value: f64| Figure {
        nothing: false,
        ..plain(head, about, value, time(value))
    };
    vec![
        Figure {
            head: "kept",
            about: "Promises of the level that were kept",
            text: if judged > 0 {
                format!("{} of {judged}", judged - broken)
            } else {
                "–".into()
            },
            rank: (judged > 0).then_some(broken as f64),
            nothing: judged == 0,
        },
        plain("deepest", "Deepest penetration after any step", deepest, length(deepest)),
        plain("p99", "Depth that 99 % of all overlaps do not exceed", p99, length(p99)),
        plain(
            "stretch",
            "Largest stretch of a stiff edge after any step",
            quality.max_stretch,
            percent(quality.max_stretch),
        ),
        plain(
            "joints",
            "Largest joint error after any step",
            quality.max_joint_error_m,
            length(quality.max_joint_error_m),
        ),
        plain(
            "gain",
            "The most by which the energy exceeded that at the start",
            quality.energy_peak_gain_j,
            with_prefix(quality.energy_peak_gain_j, "J"),
        ),
        Figure {
            rank: None,
            ..plain(
                "drift",
                "Change of energy from start to end: friction and impacts take some, nothing may add",
                change,
                with_prefix(change, "J"),
            )
        },
        Figure {
            head: "momentum",
            about: "Largest change of momentum relative to Σ m·|v|; not measured where gravity, \
                    ground or a fixed joint acts from outside",
            text: drift.map_or_else(|| "–".into(), percent),
            rank: drift,
            nothing: drift.is_none(),
        },
        Figure {
            head: "settled",
            about: "When kinetic energy came to stay below 1e-3 J/kg",
            text: settled.map_or_else(|| "no".into(), seconds),
            rank: None,
            nothing: settled.is_none(),
        },
        plain(
            "escaped",
            "Bodies that left the bounds",
            quality.escaped.into(),
            quality.escaped.to_string(),
        ),
        plain(
            "inverted",
            "The most pieces that were turned inside out after a step",
            quality.inverted.into(),
            quality.inverted.to_string(),
        ),
        step("step", "Mean time of a step", times.mean()),
        step("median", "Median time of a step", times.quantile(0.5)),
        step("99 %", "Time that 99 % of the steps do not exceed", times.quantile(0.99)),
    ]
}

/// For each figure, the runs that are best at it; none where all are alike or it means nothing.
pub(crate) fn best(runs: &[Vec<Figure>]) -> Vec<Vec<bool>> {
    let columns = runs.first().map_or(0, Vec::len);
    let column = |column: usize| {
        let ranks: Vec<_> = runs.iter().map(|run| run[column].rank).collect();
        let least = ranks.iter().flatten().copied().fold(f64::INFINITY, f64::min);
        // Alike to three digits is alike.
        let is_best = |rank: &Option<f64>| rank.is_some_and(|rank| rank <= least * 1.0005);
        let best: Vec<bool> = ranks.iter().map(is_best).collect();
        if best.iter().all(|best| *best) { vec![false; runs.len()] } else { best }
    };
    (0..columns).map(column).collect()
}
