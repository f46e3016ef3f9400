//! What is plotted over time: a chart for each quantity that has something to show.

use maud::{Markup, html};

use super::axis::Scale;
use super::chart::{Chart, Line};
use crate::cli::compare::Comparison;
use crate::cli::compare::pairs::Pair;
use crate::cli::compare::trial::Trial;
use crate::cli::units::{length, percent, with_prefix};
use crate::compare::running_median;
use crate::metrics::Sample;

/// A quantity of a sample; what is not a number is not drawn.
struct Quantity {
    title: &'static str,
    about: &'static str,
    scale: Scale,
    unit: fn(f64) -> String,
    of: fn(&Sample) -> f64,
}

const QUANTITIES: [Quantity; 6] = [
    Quantity {
        title: "Energy",
        about: "Kinetic, gravity and elastic energy, less that at the start. Where nothing is driven \
                from outside it should not rise.",
        scale: Scale::Linear,
        unit: joules,
        of: |sample| sample.energy_gain,
    },
    Quantity {
        title: "Kinetic energy",
        about: "How much is in motion.",
        scale: Scale::Log,
        unit: joules,
        of: |sample| sample.kinetic,
    },
    Quantity {
        title: "Penetration",
        about: "Deepest overlap of two bodies.",
        scale: Scale::Log,
        unit: length,
        of: |sample| sample.penetration,
    },
    Quantity {
        title: "Stretch",
        about: "Largest |length − rest| / rest of a stiff edge, frames of rigid bodies among them.",
        scale: Scale::Log,
        unit: ratio,
        of: |sample| sample.stretch,
    },
    Quantity {
        title: "Joint error",
        about: "Largest distance of what a joint holds together.",
        scale: Scale::Log,
        unit: length,
        of: |sample| sample.joint_error,
    },
    Quantity {
        title: "Momentum drift",
        about: "Change of momentum relative to the largest Σ m·|v| so far: it should be none.",
        scale: Scale::Log,
        unit: ratio,
        of: |sample| sample.momentum_drift.unwrap_or(f64::NAN),
    },
];

fn joules(value: f64) -> String {
    with_prefix(value, "J")
}

/// A ratio in per cent, or in parts of a million or a billion where that is too little to write.
fn ratio(value: f64) -> String {
    match value {
        _ if value == 0.0 || value >= 9e-6 => percent(value),
        _ if value >= 9e-8 => format!("{:.1} ppm", 1e6 * value),
        _ => format!("{:.1} ppb", 1e9 * value),
    }
}

fn time(value: f64) -> String {
    with_prefix(value, "s")
}

/// All charts; what has nothing to show is named below them.
pub(super) fn render(comparison: &Comparison<'_>) -> Markup {
    let mut charts: Vec<Chart<'_>> =
        QUANTITIES.iter().map(|quantity| measured(comparison, quantity)).collect();
    charts.push(step_times(comparison));
    if !comparison.pairs.is_empty() {
        charts.push(apart(comparison));
    }
    let (shown, empty): (Vec<_>, Vec<_>) = charts.iter().partition(|chart| chart.shows_something());
    let empty: Vec<_> = empty.iter().map(|chart| chart.title.to_lowercase()).collect();
    let stride = comparison.trials.iter().map(|trial| trial.series.stride()).max().unwrap_or(1);
    html! {
        div class="charts" { @for chart in shown { (chart.render()) } }
        @if !empty.is_empty() {
            p class="quiet" { "Zero or not to be measured in all runs: " (empty.join(", ")) "." }
        }
        @if stride > 1 {
            p class="quiet" {
                "Each point stands for " (stride) " steps: for the deepest or largest of them, and for the \
                 last of their energies."
            }
        }
    }
}

fn chart<'a>(
    comparison: &'a Comparison<'_>,
    quantity: &'a Quantity,
    points: impl Fn(&Trial) -> Vec<[f64; 2]>,
) -> Chart<'a> {
    let line = |(color, trial): (usize, &'a Trial)| Line {
        name: &trial.label,
        color,
        points: points(trial),
    };
    Chart {
        title: quantity.title,
        about: quantity.about,
        scale: quantity.scale,
        unit: quantity.unit,
        lines: comparison.trials.iter().enumerate().map(line).collect(),
        end: comparison.seconds,
    }
}

fn measured<'a>(comparison: &'a Comparison<'_>, quantity: &'a Quantity) -> Chart<'a> {
    chart(comparison, quantity, |trial| {
        trial.series.entries().iter().map(|sample| [sample.time, (quantity.of)(sample)]).collect()
    })
}

fn step_times<'a>(comparison: &'a Comparison<'_>) -> Chart<'a> {
    const TIMES: Quantity = Quantity {
        title: "Step time",
        about: "What a step of the simulation takes: the median of half a second around it.",
        scale: Scale::Linear,
        unit: time,
        of: |_| f64::NAN,
    };
    chart(comparison, &TIMES, |trial| {
        let stride = usize::try_from(trial.series.stride()).unwrap_or(usize::MAX);
        let hz = f64::from(trial.outcome.settings.hz);
        let reach = (0.25 * hz) as usize;
        let medians = running_median(&trial.step_times, reach, stride);
        let at = |index: usize| (index + 1) as f64 * stride as f64 / hz;
        medians.into_iter().enumerate().map(|(index, time)| [at(index), time]).collect()
    })
}

fn apart<'a>(comparison: &'a Comparison<'_>) -> Chart<'a> {
    // Colours of their own: a pair is none of the runs.
    let first = comparison.trials.len();
    let line = |(index, pair): (usize, &'a Pair)| Line {
        color: first + index,
        name: &pair.name,
        points: pair.curve.clone(),
    };
    Chart {
        title: "Distance between runs",
        about: "How far the body that differs most is from itself in the other run.",
        scale: Scale::Log,
        unit: length,
        lines: comparison.pairs.iter().enumerate().map(line).collect(),
        end: comparison.seconds,
    }
}
