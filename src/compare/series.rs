//! What was measured over a run, in bounded memory.
//!
//! A day at 60 Hz has five million steps and a plot a thousand columns. Consecutive steps are
//! therefore merged into one entry, as many as it takes to stay below [`Series::MOST`]: of depths,
//! stretch, joint error and drift the worst, which is what a plot must not lose, and of everything
//! else the last.

use crate::metrics::Sample;

/// What a [`Recorder`](crate::metrics::Recorder) measured, step by step or a few steps together.
#[derive(Clone, Debug)]
pub struct Series {
    stride: u64,
    /// Samples merged into the last entry.
    merged: u64,
    entries: Vec<Sample>,
}

impl Series {
    /// The most entries a series has, beside that of the start.
    pub const MOST: u64 = 1000;

    /// An empty series for a run of `steps` steps.
    #[must_use]
    pub fn new(steps: u64) -> Self {
        let stride = steps.div_ceil(Self::MOST).max(1);
        Self { stride, merged: 0, entries: Vec::new() }
    }

    /// Takes down what was measured at the start or after a step.
    pub fn observe(&mut self, sample: &Sample) {
        match self.entries.last_mut() {
            Some(last) if self.merged < self.stride => {
                *last = worst(last, sample);
                self.merged += 1;
            }
            last => {
                // The start stays alone.
                self.merged = if last.is_none() { self.stride } else { 1 };
                self.entries.push(*sample);
            }
        }
    }

    /// Steps that share an entry.
    #[must_use]
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// The entries, in order of time. The first is the start.
    #[must_use]
    pub fn entries(&self) -> &[Sample] {
        &self.entries
    }
}

/// The worst of two samples and the time of the later.
fn worst(before: &Sample, now: &Sample) -> Sample {
    let drifts = before.momentum_drift.zip(now.momentum_drift);
    Sample {
        penetration: before.penetration.max(now.penetration),
        stretch: before.stretch.max(now.stretch),
        joint_error: before.joint_error.max(now.joint_error),
        momentum_drift: drifts.map(|(before, now)| before.max(now)),
        ..*now
    }
}

/// The median of each value and its neighbours, `reach` to each side; of every `stride`-th value,
/// beginning with the last of the first `stride`.
///
/// What else a machine does falls on single steps, and would hide the rest of a plot.
#[must_use]
pub fn running_median(values: &[f32], reach: usize, stride: usize) -> Vec<f64> {
    let stride = stride.max(1);
    let median = |middle: usize| {
        let end = middle.saturating_add(reach).saturating_add(1).min(values.len());
        let mut near = values[middle.saturating_sub(reach)..end].to_vec();
        near.sort_unstable_by(f32::total_cmp);
        f64::from(near[near.len() / 2])
    };
    (stride - 1..values.len()).step_by(stride).map(median).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(step: u64) -> Sample {
        Sample { time: step as f64, penetration: (step % 4) as f64, ..Sample::default() }
    }

    fn series(steps: u64) -> Series {
        let mut series = Series::new(steps);
        for step in 0..=steps {
            series.observe(&sample(step));
        }
        series
    }

    #[test]
    fn a_short_run_keeps_every_step() {
        let series = series(7);
        assert_eq!(series.entries(), (0..=7).map(sample).collect::<Vec<_>>());
        assert_eq!(Series::new(0).stride(), 1);
    }

    #[test]
    fn a_long_run_keeps_the_worst_of_steps_that_share_an_entry() {
        let series = series(4000);
        assert_eq!((series.stride(), series.entries().len()), (4, 1001));
        assert_eq!(series.entries()[0], sample(0));
        // Steps 1 to 4 have depths 1, 2, 3, 0.
        let first = series.entries()[1];
        assert_eq!((first.time, first.penetration), (4.0, 3.0));
    }

    #[test]
    fn a_running_median_forgets_single_spikes() {
        let values = [1.0, 1.0, 90.0, 2.0, 3.0, 3.0, 70.0];
        assert_eq!(running_median(&values, 1, 1), [1.0, 1.0, 2.0, 3.0, 3.0, 3.0, 70.0]);
        assert_eq!(running_median(&values, 1, 3), [2.0, 3.0]);
        assert_eq!(running_median(&values, 0, 0), values.map(f64::from));
        assert!(running_median(&[], 3, 2).is_empty());
    }
}
