//! Where the time of a run's steps went: in the phases of the backend, and in what is around them.

use std::fmt::Write as _;

use clap::builder::styling::Style;
use serde::Serialize;

use super::output::{HEAD, Table};
use super::units;
use crate::metrics::Histogram;
use crate::solver::StepReport;

/// The times of the phases of all steps of a run, and how much there was to do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Profile {
    /// The phases of the backend, in the order in which it tells them, s.
    phases: Vec<(&'static str, Histogram)>,
    /// What the phases leave of a step: motors, sleep, breakage, the copy that a diverging step is
    /// undone with; s.
    rest: Histogram,
    contacts: Histogram,
    iterations: Histogram,
}

/// A profile as `sinew sim --json --profile` gives it.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// How many steps a second of the clock would hold.
    steps_per_s: f64,
    bodies: usize,
    contacts: Amount,
    iterations: Amount,
    /// Parts of a step, whose shares add up to 1.
    phases: Vec<Part>,
    step: Part,
}

/// How much of something there was in a step.
#[derive(Clone, Copy, Debug, Serialize)]
struct Amount {
    mean: f64,
    most: f64,
}

#[derive(Clone, Debug, Serialize)]
struct Part {
    name: &'static str,
    mean_ms: f64,
    p50_ms: f64,
    p95_ms: f64,
    worst_ms: f64,
    /// Of the time of all steps, 0 to 1.
    share: f64,
}

impl Profile {
    /// A step took `seconds`, reports this, and left so many contacts.
    pub(crate) fn add(&mut self, seconds: f64, report: &StepReport, contacts: usize) {
        let named = report.phases.named();
        if self.phases.is_empty() {
            self.phases = named.map(|(name, _)| (name, Histogram::default())).into();
        }
        for ((_, times), (_, spent)) in self.phases.iter_mut().zip(named) {
            times.add(f64::from(spent));
        }
        // The phases are summed up in single precision, and may be a rounding error too long.
        let rest = (seconds - f64::from(report.phases.total())).max(0.0);
        self.rest.add(rest);
        self.contacts.add(contacts as f64);
        self.iterations.add(f64::from(report.iterations));
    }

    /// The figures, for a world of so many bodies whose whole steps took as long as `whole` says, s.
    pub(crate) fn summary(&self, whole: &Histogram, bodies: usize) -> Summary {
        let named = self.phases.iter().map(|(name, times)| (*name, times));
        let parts: Vec<_> = named.chain([("rest", &self.rest)]).collect();
        let all: f64 = parts.iter().map(|(_, times)| times.mean()).sum();
        let share = |times: &Histogram| if all > 0.0 { times.mean() / all } else { 0.0 };
        let mean = whole.mean();
        Summary {
            steps_per_s: if mean > 0.0 { mean.recip() } else { 0.0 },
            bodies,
            contacts: Amount::of(&self.contacts),
            iterations: Amount::of(&self.iterations),
            phases: parts.iter().map(|(name, times)| Part::of(name, times, share(times))).collect(),
            step: Part::of("step", whole, if all > 0.0 { 1.0 } else { 0.0 }),
        }
    }
}

impl Amount {
    fn of(counted: &Histogram) -> Self {
        Self { mean: counted.mean(), most: counted.largest() }
    }
}

impl Part {
    fn of(name: &'static str, times: &Histogram, share: f64) -> Self {
        Self {
            name,
            mean_ms: 1e3 * times.mean(),
            p50_ms: 1e3 * times.quantile(0.5),
            p95_ms: 1e3 * times.quantile(0.95),
            worst_ms: 1e3 * times.largest(),
            share,
        }
    }
}

impl Summary {
    /// The figures for people: a table, and what a step had to do.
    pub(crate) fn text(&self) -> String {
        let heads = ["profile", "mean ms", "median ms", "95 % below", "worst ms", "share"];
        let mut table = Table::new(&heads);
        for part in self.phases.iter().chain([&self.step]) {
            let style = if part.name == self.step.name { HEAD } else { Style::new() };
            let times = [part.mean_ms, part.p50_ms, part.p95_ms, part.worst_ms];
            let mut cells = vec![(part.name.to_owned(), HEAD)];
            cells.extend(times.map(|time| (format!("{time:.4}"), style)));
            cells.push((format!("{:.1} %", 100.0 * part.share), style));
            table.row(cells);
        }
        let mut out = table.render();
        let Self { steps_per_s, bodies, contacts, iterations, .. } = self;
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "{}; in a step {:.1} contacts ({:.0} at most) and {:.1} iterations ({:.0} at most); \
             {steps_per_s:.0} steps per second",
            units::count(*bodies, "body", "bodies"),
            contacts.mean,
            contacts.most,
            iterations.mean,
            iterations.most,
        );
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::Phases;
    use approx::assert_relative_eq;

    #[test]
    fn what_the_phases_leave_is_the_rest_and_shares_add_up() {
        let mut profile = Profile::default();
        let phases = Phases { broad: 0.001, narrow: 0.002, solve: 0.003, integrate: 0.001 };
        let report = StepReport { iterations: 8, phases, ..StepReport::default() };
        profile.add(0.010, &report, 4);
        // Where all sleep the backend is not called.
        profile.add(0.002, &StepReport::default(), 0);
        let mut whole = Histogram::default();
        [0.010, 0.002].into_iter().for_each(|seconds| whole.add(seconds));
        let summary = profile.summary(&whole, 3);
        let names: Vec<_> = summary.phases.iter().map(|part| part.name).collect();
        assert_eq!(names, ["broad", "narrow", "solve", "integrate", "rest"]);
        let shares: Vec<_> = summary.phases.iter().map(|part| part.share).collect();
        for (share, expected) in shares.iter().zip([1.0, 2.0, 3.0, 1.0, 5.0]) {
            assert_relative_eq!(*share, expected / 12.0, max_relative = 1e-6);
        }
        assert_relative_eq!(shares.iter().sum::<f64>(), 1.0, max_relative = 1e-12);
        assert_relative_eq!(summary.steps_per_s, 1.0 / 0.006, max_relative = 1e-9);
        assert_eq!((summary.contacts.mean, summary.contacts.most), (2.0, 4.0));
        assert_relative_eq!(summary.phases[4].worst_ms, 3.0, max_relative = 1e-6);
        assert_relative_eq!(summary.step.worst_ms, 10.0, max_relative = 1e-9);
    }

    #[test]
    fn a_run_without_steps_has_no_shares() {
        let summary = Profile::default().summary(&Histogram::default(), 0);
        assert!(summary.phases.iter().all(|part| part.share == 0.0));
        assert_eq!(summary.steps_per_s, 0.0);
    }
}
