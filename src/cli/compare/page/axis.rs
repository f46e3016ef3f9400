//! Axes: a range with round ends, where a value lies on it, and where its ticks are.
//!
//! Ticks of a linear axis are 1, 2 or 5 times a power of ten apart (Heckbert, “Nice numbers for
//! graph labels”, *Graphics Gems*, 1990); those of a logarithmic one are the powers of ten.

/// How values are spread over an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scale {
    /// Evenly, 0 included.
    Linear,
    /// By their logarithm; what is not positive lies at the lower end.
    Log,
}

/// A range with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    low: f64,
    high: f64,
    /// From one tick to the next; a factor where the scale is logarithmic.
    step: f64,
}

/// About how many ticks an axis has.
const TICKS: f64 = 5.0;
/// The most powers of ten on a logarithmic axis: what is smaller is as good as nothing.
const MOST_DECADES: f64 = 7.0;

impl Axis {
    /// The axis for these values; those that are not finite do not count.
    pub(super) fn around(values: impl Iterator<Item = f64>, scale: Scale) -> Self {
        let finite = values.filter(|value| value.is_finite());
        match scale {
            Scale::Linear => {
                let (low, high) = finite.fold((0.0_f64, 0.0_f64), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
                Self::linear(low, high)
            }
            Scale::Log => {
                let positive = finite.filter(|value| *value > 0.0);
                let (low, high) = positive.fold((f64::INFINITY, 0.0_f64), |(low, high), value| {
                    (low.min(value), high.max(value))
                });
                Self::log(low, high)
            }
        }
    }

    fn linear(low: f64, high: f64) -> Self {
        // Nothing but zeros still need room for a line.
        let span = if high - low > 0.0 { high - low } else { 1.0 };
        let step = round_step(span / TICKS);
        let high = if high > low { (high / step - 1e-9).ceil() * step } else { span };
        Self { scale: Scale::Linear, low: (low / step + 1e-9).floor() * step, high, step }
    }

    fn log(low: f64, high: f64) -> Self {
        let high = if high > 0.0 { (high.log10() - 1e-9).ceil() } else { 0.0 };
        let low = if low.is_finite() { (low.log10() + 1e-9).floor() } else { high };
        let low = low.clamp(high - MOST_DECADES, high - 1.0);
        Self { scale: Scale::Log, low: 10_f64.powf(low), high: 10_f64.powf(high), step: 10.0 }
    }

    /// An axis of time from 0 to `end`, which is not rounded.
    pub(super) fn time(end: f64) -> Self {
        let end = if end > 0.0 { end } else { 1.0 };
        Self { scale: Scale::Linear, low: 0.0, high: end, step: round_step(end / 8.0) }
    }

    /// Where a value lies: 0 at the lower end, 1 at the upper.
    pub(super) fn place(&self, value: f64) -> f64 {
        let part = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            Scale::Log => (value.max(self.low) / self.low).ln() / (self.high / self.low).ln(),
        };
        part.clamp(0.0, 1.0)
    }

    /// The values at the ticks.
    pub(super) fn ticks(&self) -> Vec<f64> {
        let span = match self.scale {
            Scale::Linear => (self.high - self.low) / self.step,
            Scale::Log => (self.high / self.low).log10(),
        };
        let tick = |k: u32| match self.scale {
            Scale::Linear => {
                let value = self.low + f64::from(k) * self.step;
                // What should be zero may be a rounding error away from it.
                if value.abs() < 1e-9 * self.step { 0.0 } else { value }
            }
            Scale::Log => self.low * self.step.powi(k as i32),
        };
        (0..=(span + 1e-6).floor().min(50.0) as u32).map(tick).collect()
    }
}

/// 1, 2 or 5 times a power of ten: the first that is at least `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let factors = [1.0, 2.0, 5.0, 10.0];
    let factor = factors.into_iter().find(|factor| factor * power >= least * (1.0 - 1e-9));
    factor.unwrap_or(10.0) * power
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[track_caller]
    fn ticks(values: &[f64], scale: Scale, expected: &[f64]) {
        let axis = Axis::around(values.iter().copied(), scale);
        let ticks = axis.ticks();
        assert_eq!(ticks.len(), expected.len(), "{ticks:?}");
        for (tick, expected) in ticks.iter().zip(expected) {
            assert_relative_eq!(*tick, *expected, max_relative = 1e-9);
        }
        for value in values.iter().filter(|value| value.is_finite()) {
            assert!((0.0..=1.0).contains(&axis.place(*value)));
        }
    }

    #[test]
    fn linear_ticks_are_round_and_take_in_zero() {
        ticks(&[1.0, 9.3], Scale::Linear, &[0.0, 2.0, 4.0, 6.0, 8.0, 10.0]);
        ticks(&[-37.0, 20.0], Scale::Linear, &[-40.0, -20.0, 0.0, 20.0]);
        ticks(&[-4.0, f64::NAN], Scale::Linear, &[-4.0, -3.0, -2.0, -1.0, 0.0]);
        ticks(&[0.0], Scale::Linear, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
        ticks(&[f64::INFINITY], Scale::Linear, &[0.0, 0.2, 0.4, 0.6, 0.8, 1.0]);
    }

    #[test]
    fn logarithmic_ticks_are_powers_of_ten() {
        ticks(&[2e-4, 0.03, 0.0], Scale::Log, &[1e-4, 1e-3, 1e-2, 1e-1]);
        ticks(&[0.5], Scale::Log, &[0.1, 1.0]);
        ticks(&[1e-3], Scale::Log, &[1e-4, 1e-3]);
        ticks(&[], Scale::Log, &[0.1, 1.0]);
        let axis = Axis::around([1e-30, 1.0].into_iter(), Scale::Log);
        assert_eq!(axis.ticks().len(), 8);
        assert_eq!((axis.place(0.0), axis.place(1.0)), (0.0, 1.0));
    }

    #[test]
    fn time_ends_where_the_run_does() {
        let axis = Axis::time(12.5);
        assert_eq!(axis.ticks(), [0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
        assert_eq!(axis.place(12.5), 1.0);
        assert_eq!(Axis::time(0.0).place(0.0), 0.0);
    }
}
