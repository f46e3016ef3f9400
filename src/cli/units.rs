//! Quantities for people: three digits that count and the prefix that fits.

/// `value` with the prefix of `unit` that leaves one to three digits before the point.
pub(crate) fn with_prefix(value: f64, unit: &str) -> String {
    const PREFIXES: [(f64, &str); 7] =
        [(1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"), (1e-9, "n")];
    if !value.is_finite() {
        return format!("{value} {unit}");
    }
    let size = value.abs();
    // 999.7 would be shown as 1000.
    let found = PREFIXES.iter().find(|(scale, _)| size >= 0.9995 * scale);
    match found {
        Some((scale, prefix)) => format!("{} {prefix}{unit}", digits(value / scale)),
        None => format!("0 {unit}"),
    }
}

/// A length: metres from 1 m on, and below that millimetres or less.
pub(crate) fn length(meters: f64) -> String {
    if meters.abs() >= 1.0 { format!("{} m", digits(meters)) } else { with_prefix(meters, "m") }
}

/// A ratio in per cent.
pub(crate) fn percent(ratio: f64) -> String {
    format!("{} %", digits(100.0 * ratio))
}

/// A time in seconds, at most to the millisecond.
pub(crate) fn seconds(seconds: f64) -> String {
    let text = format!("{seconds:.3}");
    format!("{} s", text.trim_end_matches('0').trim_end_matches('.'))
}

/// `1 body`, `2 bodies`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Three digits that count, without zeros behind the point that tell nothing.
fn digits(value: f64) -> String {
    let size = value.abs();
    if size < 5e-5 || !value.is_finite() {
        return if value.is_finite() { "0".into() } else { value.to_string() };
    }
    let decimals = (2.0 - size.log10().floor()).clamp(0.0, 4.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prefixes_digits_and_plurals() {
        assert_eq!(with_prefix(0.0123456, "m"), "12.3 mm");
        assert_eq!(with_prefix(-54_321.0, "J"), "-54.3 kJ");
        assert_eq!(with_prefix(0.9999, "J"), "1 J");
        assert_eq!(with_prefix(0.0, "J"), "0 J");
        assert_eq!(with_prefix(1e-15, "J"), "0 J");
        assert_eq!(with_prefix(f64::INFINITY, "J"), "inf J");
        assert_eq!(length(1234.5), "1234 m");
        assert_eq!(length(0.25), "250 mm");
        assert_eq!(percent(0.00123), "0.123 %");
        assert_eq!(percent(2e-8), "0 %");
        assert_eq!(seconds(10.0), "10 s");
        assert_eq!(seconds(1.23456), "1.235 s");
        assert_eq!(count(1, "body", "bodies"), "1 body");
        assert_eq!(count(0, "body", "bodies"), "0 bodies");
    }
}
