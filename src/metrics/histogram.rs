//! Quantiles of a stream of values in bounded memory.
//!
//! A run of an hour sees hundreds of millions of overlaps, so they are counted rather than kept, in
//! bins that each are 1 % wider than the last (the idea of Masson, Rim, Lee, “DDSketch”, 2019): a
//! quantile is then within 0.5 % of the true value. Mean and largest value are exact.

/// Counts non-negative values in bins of equal relative width.
#[derive(Clone, Debug, Default)]
pub struct Histogram {
    /// Counts by bin, as far as a value has reached.
    bins: Vec<u64>,
    count: u64,
    sum: f64,
    largest: f64,
}

impl Histogram {
    /// Values below this share the first bin.
    const SMALLEST: f64 = 1e-9;
    /// The ratio of the ends of a bin.
    const RATIO: f64 = 1.01;
    /// Values beyond the last bin, about 1e9, are counted there.
    const MOST_BINS: usize = 4200;

    /// Counts a value. Values below zero count as zero; what is not a number does not count.
    pub fn add(&mut self, value: f64) {
        if value.is_nan() {
            return;
        }
        let value = value.max(0.0);
        let bin = Self::bin(value);
        if bin >= self.bins.len() {
            self.bins.resize(bin + 1, 0);
        }
        self.bins[bin] += 1;
        self.count += 1;
        self.sum += value;
        self.largest = self.largest.max(value);
    }

    fn bin(value: f64) -> usize {
        if value <= Self::SMALLEST {
            return 0;
        }
        let steps = (value / Self::SMALLEST).ln() / Self::RATIO.ln();
        (1.0 + steps.min(Self::MOST_BINS as f64)) as usize
    }

    /// How many values were counted.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The mean; 0 for no values.
    #[must_use]
    pub fn mean(&self) -> f64 {
        if self.count == 0 { 0.0 } else { self.sum / self.count as f64 }
    }

    /// The largest value; 0 for no values.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// The value that a share `part` (0 to 1) of all values do not exceed; 0 for no values.
    #[must_use]
    pub fn quantile(&self, part: f64) -> f64 {
        let rank = (part.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (bin, &count) in self.bins.iter().enumerate() {
            seen += count;
            if seen >= rank {
                let middle = Self::SMALLEST * Self::RATIO.powf(bin as f64 - 0.5);
                return if bin == 0 { 0.0 } else { middle.min(self.largest) };
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn quantiles_of_a_thousand_even_steps() {
        let mut histogram = Histogram::default();
        for i in (1..=1000).rev() {
            histogram.add(f64::from(i) * 1e-4);
        }
        assert_relative_eq!(histogram.quantile(0.5), 0.05, max_relative = 0.006);
        assert_relative_eq!(histogram.quantile(0.99), 0.099, max_relative = 0.006);
        assert_relative_eq!(histogram.quantile(1.0), 0.1, max_relative = 0.006);
        assert_relative_eq!(histogram.mean(), 0.05005, max_relative = 1e-9);
        assert_eq!((histogram.count(), histogram.largest()), (1000, 0.1));
    }

    #[test]
    fn nothing_zero_tiny_and_huge_values() {
        let mut histogram = Histogram::default();
        assert_eq!((histogram.quantile(0.99), histogram.mean()), (0.0, 0.0));
        for value in [f64::NAN, -1.0, 0.0, 1e-12] {
            histogram.add(value);
        }
        assert_eq!((histogram.count(), histogram.quantile(0.99)), (3, 0.0));
        histogram.add(f64::INFINITY);
        assert_eq!(histogram.count(), 4);
        assert!(histogram.quantile(1.0) > 1e8);
    }
}
