//! Quality per millisecond: one number for each run of a level.
//!
//! The error of a run is the geometric mean of its deepest penetration, largest joint error and
//! largest stretch, each at least a floor below which nobody can see it. A figure that is at its
//! floor for every run of the level (joint error where there are no joints) does not count. The cost
//! is the error times the milliseconds of a step: half the error in the same time is worth as much as
//! the same error in half the time. The best run of a level has 100 points, another one as many as
//! its cost is larger, and **a run that breaks a promise or diverges has none**, however fast it was.

/// What a run is judged by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figures {
    /// Whether it kept every promise of the level, to the end.
    pub kept_all: bool,
    /// Deepest overlap after any step, m.
    pub penetration: f64,
    /// Largest distance between the anchors of a joint after any step, m.
    pub joint_error: f64,
    /// Largest |length − rest| / rest of a stiff edge after any step.
    pub stretch: f64,
    /// Time of a step, ms.
    pub step_ms: f64,
}

impl Figures {
    /// Lengths below this count as this, m: a tenth of a millimetre.
    pub const LEAST_LENGTH: f64 = 1e-4;
    /// Stretch below this counts as this.
    pub const LEAST_STRETCH: f64 = 1e-4;
    /// Times below this count as this, ms: what a clock can tell.
    pub const LEAST_MS: f64 = 1e-4;

    /// The three errors as multiples of their floors, at least 1; one that is not a number is
    /// infinite.
    fn errors(&self) -> [f64; 3] {
        let multiple = |value: f64, least: f64| {
            if value.is_nan() { f64::INFINITY } else { (value / least).max(1.0) }
        };
        [
            multiple(self.penetration, Self::LEAST_LENGTH),
            multiple(self.joint_error, Self::LEAST_LENGTH),
            multiple(self.stretch, Self::LEAST_STRETCH),
        ]
    }
}

/// The points of each run of one level, 0 to 100.
///
/// ```
/// use sinew::compare::{Figures, points};
/// let run = Figures {
///     kept_all: true, penetration: 1e-3, joint_error: 0.0, stretch: 0.0, step_ms: 1.0,
/// };
/// let twice_as_slow = Figures { step_ms: 2.0, ..run };
/// let careless = Figures { kept_all: false, step_ms: 0.1, ..run };
/// assert_eq!(points(&[run, twice_as_slow, careless]), [100.0, 50.0, 0.0]);
/// ```
#[must_use]
pub fn points(runs: &[Figures]) -> Vec<f64> {
    let counts = |figure: usize| runs.iter().any(|run| run.errors()[figure] > 1.0);
    let counted: Vec<usize> = (0..3).filter(|&figure| counts(figure)).collect();
    let cost = |run: &Figures| {
        let errors = run.errors();
        let logs = counted.iter().map(|&figure| errors[figure].ln()).sum::<f64>();
        let error = (logs / counted.len().max(1) as f64).exp();
        error * run.step_ms.max(Figures::LEAST_MS)
    };
    let costs: Vec<f64> = runs.iter().map(cost).collect();
    let passed = costs.iter().zip(runs).filter(|(cost, run)| run.kept_all && cost.is_finite());
    let best = passed.map(|(cost, _)| *cost).fold(f64::INFINITY, f64::min);
    let points = costs.iter().zip(runs).map(|(cost, run)| {
        // The quotient first: that of the best is 1 to the last bit, and no other is more.
        if run.kept_all && cost.is_finite() { 100.0 * (best / cost) } else { 0.0 }
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    const RUN: Figures = Figures {
        kept_all: true,
        penetration: 1e-3,
        joint_error: 1e-3,
        stretch: 0.0,
        step_ms: 1.0,
    };

    #[test]
    fn error_and_time_are_worth_the_same() {
        let deep = Figures { penetration: 4e-3, ..RUN };
        let found = points(&[RUN, deep, Figures { step_ms: 2.0, ..RUN }]);
        // Four times one of two errors is twice the geometric mean.
        for (found, expected) in found.iter().zip([100.0, 50.0, 50.0]) {
            assert_relative_eq!(*found, expected, epsilon = 1e-9);
        }
    }

    #[test]
    fn the_best_has_a_hundred_points_and_nobody_more_whatever_rounding_does() {
        for k in 1..1000 {
            let run = Figures { step_ms: 0.01 + 0.000_137 * f64::from(k), ..RUN };
            assert_eq!(points(&[run, Figures { step_ms: 2.0, ..RUN }])[0], 100.0, "{run:?}");
        }
    }

    #[test]
    fn a_broken_promise_is_worth_nothing_and_sets_no_mark() {
        let fast = Figures { kept_all: false, step_ms: 1e-3, penetration: 0.0, ..RUN };
        assert_eq!(points(&[fast, RUN]), [0.0, 100.0]);
        assert_eq!(points(&[fast, fast]), [0.0, 0.0]);
        assert!(points(&[]).is_empty());
    }

    #[test]
    fn below_the_floor_only_time_counts() {
        let fine = Figures { penetration: 1e-9, joint_error: 0.0, ..RUN };
        let finer = Figures { penetration: 0.0, step_ms: 2.0, ..fine };
        assert_eq!(points(&[fine, finer]), [100.0, 50.0]);
    }

    #[test]
    fn what_is_not_a_number_is_worth_nothing() {
        for bad in [f64::NAN, f64::INFINITY] {
            let lost = Figures { penetration: bad, ..RUN };
            assert_eq!(points(&[lost, RUN]), [0.0, 100.0]);
            assert_eq!(points(&[Figures { step_ms: f64::INFINITY, ..RUN }, RUN]), [0.0, 100.0]);
        }
    }
}
