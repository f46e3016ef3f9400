//! Axes: round numbers that hold a range of values, and how to write them.

/// A range with round ends and round steps in between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Axis {
    pub(crate) low: f64,
    pub(crate) high: f64,
    step: f64,
}

impl Axis {
    /// The axis of values from `low` to `high` that are at least `least` apart, in about `count`
    /// steps.
    pub(crate) fn around(low: f64, high: f64, least: f64, count: f64) -> Self {
        let lack = 0.5 * (least - (high - low)).max(0.0);
        // What begins at 0 stays there.
        let (low, high) =
            if low == 0.0 { (0.0, high + 2.0 * lack) } else { (low - lack, high + lack) };
        let step = round_up((high - low) / count);
        let low = (low / step + 1e-6).floor() * step;
        let high = ((high / step - 1e-6).ceil() * step).max(low + step);
        Self { low, high, step }
    }

    /// The round values on the axis.
    pub(crate) fn ticks(&self) -> impl Iterator<Item = f64> + '_ {
        let count = ((self.high - self.low) / self.step).round() as u32;
        (0..=count).map(|k| self.low + f64::from(k) * self.step)
    }

    /// Where a value is on it: 0 at the low end, 1 at the high end.
    pub(crate) fn place(&self, value: f64) -> f32 {
        ((value - self.low) / (self.high - self.low)) as f32
    }

    /// A value with as many decimals as tell two steps apart, once divided by `unit`.
    pub(crate) fn label(&self, value: f64, unit: f64) -> String {
        let decimals = (-(self.step / unit).log10().floor()).clamp(0.0, 4.0) as usize;
        let text = format!("{:.decimals$}", value / unit);
        if text.trim_matches(['-', '0', '.']).is_empty() { "0".to_owned() } else { text }
    }
}

/// The next of 1, 2, 5 times a power of ten.
fn round_up(value: f64) -> f64 {
    let power = 10.0_f64.powf(value.max(1e-30).log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&s| s >= value).unwrap_or(value)
}

/// The thousandfold of a unit in which a size is best written, and its prefix.
pub(crate) fn prefix(size: f64) -> (f64, &'static str) {
    const PREFIXES: [(f64, &str); 6] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ")];
    let fits = PREFIXES.into_iter().find(|&(factor, _)| size >= factor);
    // Nothing at all is written in the unit itself.
    fits.filter(|_| size.is_finite()).unwrap_or((1.0, ""))
}

/// A value in three digits or a few more.
pub(crate) fn short(value: f64) -> String {
    match value.abs() {
        size if size >= 100.0 => format!("{value:.0}"),
        size if size >= 10.0 => format!("{value:.1}"),
        size if size < 0.005 => "0".to_owned(),
        _ => format!("{value:.2}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_are_round_and_hold_their_values() {
        let axis = Axis::around(0.0, 0.0043, 0.001, 2.0);
        assert!((axis.high - 0.005).abs() < 1e-12 && axis.low == 0.0, "{axis:?}");
        let labels: Vec<_> = axis.ticks().map(|tick| axis.label(tick, 1e-3)).collect();
        assert_eq!(labels, ["0", "5"]);
        for (low, high) in [(-3.0, 17.0), (1e6, 1.001e6), (0.0, 1e-9), (-5.0, -5.0), (0.0, 0.0)] {
            let axis = Axis::around(low, high, 1e-6, 2.0);
            assert!(axis.low <= low + 1e-9 && axis.high >= high - 1e-9, "{axis:?}");
            assert!((2..=5).contains(&axis.ticks().count()), "{axis:?}");
            assert!((0.0..=1.0).contains(&axis.place(0.5 * (low + high))), "{axis:?}");
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            [1234.5, 56.78, 1.234, 0.001, -2.5].map(short),
            ["1234", "56.8", "1.23", "0", "-2.50"]
        );
        assert_eq!(prefix(25_000.0), (1e3, "k"));
        assert_eq!(prefix(0.02), (1e-3, "m"));
        assert_eq!(prefix(0.0), (1.0, ""));
        assert_eq!(prefix(f64::INFINITY), (1.0, ""));
    }
}
