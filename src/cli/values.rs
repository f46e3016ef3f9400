//! The values that flags take: ranges, gravity, names.

use std::fmt::Display;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::compare::budget::Asked;
use crate::math::Vec2;
use crate::settings::{Response, Settings, SolverKind};
use crate::threads::Threads;

/// The longest run, s: a day.
const LONGEST: f64 = 86_400.0;
/// The strongest gravity, m/s². More than a hundred thousand g tears any level apart in a step.
const STRONGEST: f32 = 1e6;

/// One solver, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Solvers {
    One(SolverKind),
    All,
}

impl Solvers {
    /// The solvers in a list, each once, in the order named.
    pub(crate) fn expand(list: &[Self]) -> Vec<SolverKind> {
        let mut kinds = Vec::new();
        for item in list {
            let named = match item {
                Self::One(kind) => vec![*kind],
                Self::All => SolverKind::ALL.to_vec(),
            };
            kinds
                .extend(named.into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
        }
        kinds
    }
}

fn names() -> impl Iterator<Item = PossibleValue> {
    SolverKind::ALL.into_iter().map(|kind| PossibleValue::new(kind.name()))
}

pub(crate) fn solver() -> impl TypedValueParser<Value = SolverKind> {
    PossibleValuesParser::new(names()).try_map(|name| SolverKind::from_str(&name))
}

pub(crate) fn solver_or_all() -> impl TypedValueParser<Value = Solvers> {
    PossibleValuesParser::new(names().chain([PossibleValue::new("all")])).try_map(|name| match name
        .as_str()
    {
        "all" => Ok(Solvers::All),
        name => SolverKind::from_str(name).map(Solvers::One),
    })
}

/// What `--deny` denies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Deniable {
    Warnings,
}

pub(crate) fn deniable() -> impl TypedValueParser<Value = Deniable> {
    PossibleValuesParser::new(["warnings"]).map(|_| Deniable::Warnings)
}

pub(crate) fn response() -> impl TypedValueParser<Value = Response> {
    PossibleValuesParser::new(Response::ALL.map(Response::name))
        .try_map(|name| Response::from_str(&name))
}

pub(crate) fn on_or_off() -> impl TypedValueParser<Value = bool> {
    PossibleValuesParser::new(["on", "off"]).map(|word| word == "on")
}

/// What is to be said of a response that makes no difference on a solver.
pub(crate) fn idle_response(asked: Response, kind: SolverKind) -> Option<String> {
    (asked.on(kind) != asked).then(|| {
        let known: Vec<_> = kind.responses().map(Response::name).collect();
        format!("changes nothing on {kind}, which knows only {}", known.join(" and "))
    })
}

pub(crate) fn hz(text: &str) -> Result<f32, String> {
    let (low, high) = Settings::HZ_RANGE;
    within(text, low, high, "steps per second")
}

pub(crate) fn substeps(text: &str) -> Result<u32, String> {
    within(text, 1, Settings::MAX_SUBSTEPS, "as a whole number")
}

pub(crate) fn iterations(text: &str) -> Result<u32, String> {
    within(text, 1, Settings::MAX_ITERATIONS, "as a whole number")
}

pub(crate) fn jobs(text: &str) -> Result<usize, String> {
    within(text, 1, 256, "runs at a time")
}

pub(crate) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = instant(text)?;
    if seconds > 0.0 { Ok(seconds) } else { Err("give more than 0 seconds".into()) }
}

pub(crate) fn instant(text: &str) -> Result<f64, String> {
    within(text, 0.0, LONGEST, "seconds (a day)")
}

/// Threads of a step.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    within(text, 1, Threads::MOST, "threads")
}

/// Rounds of timed runs.
pub(crate) fn rounds(text: &str) -> Result<usize, String> {
    within(text, 1, 99, "rounds")
}

/// A distance that counts, m.
pub(crate) fn threshold(text: &str) -> Result<f64, String> {
    within(text, 1e-6, 1e6, "metres")
}

/// What `--equal-time` without a number means.
pub(crate) const SLOWEST: &str = "slowest";

/// How much time a step is to take.
pub(crate) fn equal_time(text: &str) -> Result<Asked, String> {
    if text == SLOWEST {
        return Ok(Asked::Slowest);
    }
    within(text, 0.001, 10_000.0, "milliseconds, or no number").map(Asked::Milliseconds)
}

fn within<T>(text: &str, low: T, high: T, unit: &str) -> Result<T, String>
where
    T: FromStr + PartialOrd + Display,
{
    let value = text.trim().parse::<T>().ok().filter(|value| *value >= low && *value <= high);
    value.ok_or_else(|| format!("give {low} to {high} {unit}"))
}

/// One number is the strength of gravity downwards; two are its components, y up.
pub(crate) fn gravity(text: &str) -> Result<Vec2, String> {
    let number = |text: &str| {
        let value = text.trim().parse::<f32>().ok().filter(|value| value.abs() <= STRONGEST);
        value.ok_or_else(|| {
            format!(
                "give its strength downwards in m/s², such as 9.81, or both components, such as \
                 0,-9.81; each within ±{STRONGEST}"
            )
        })
    };
    match text.split_once(',') {
        Some((x, y)) => Ok(Vec2::new(number(x)?, number(y)?)),
        None => Ok(Vec2::new(0.0, -number(text)?)),
    }
}

/// The width and height of a picture, px.
pub(crate) fn size(text: &str) -> Result<[u16; 2], String> {
    const RANGE: std::ops::RangeInclusive<u16> = 64..=4096;
    let side = |text: &str| text.parse().ok().filter(|side| RANGE.contains(side));
    let sides =
        text.split_once('x').and_then(|(width, height)| Some([side(width)?, side(height)?]));
    sides.ok_or_else(|| "give a width and a height of 64 to 4096 px, such as 640x400".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gravity_as_a_strength_and_as_components() {
        assert_eq!(gravity("9.81"), Ok(Vec2::new(0.0, -9.81)));
        assert_eq!(gravity("-2"), Ok(Vec2::new(0.0, 2.0)));
        assert_eq!(gravity("-1, -3.5"), Ok(Vec2::new(-1.0, -3.5)));
        for bad in ["", "down", "1,2,3", "nan", "inf", "0,nan", "1e30"] {
            assert!(gravity(bad).is_err_and(|message| message.contains("0,-9.81")), "{bad}");
        }
    }

    #[test]
    fn a_size_has_two_sides() {
        assert_eq!(size("640x400"), Ok([640, 400]));
        for bad in ["", "640", "640x", "63x400", "640x4097", "640x-4", "1x2x3"] {
            assert!(size(bad).is_err_and(|message| message.contains("640x400")), "{bad}");
        }
    }

    #[test]
    fn ranges_hold_their_ends_and_nothing_else() {
        assert_eq!((hz("1"), hz("10000")), (Ok(1.0), Ok(10_000.0)));
        assert_eq!((substeps("256"), iterations("1000")), (Ok(256), Ok(1000)));
        for bad in ["0", "10001", "-5", "NaN", "inf", "fast"] {
            assert!(hz(bad).is_err(), "{bad}");
        }
        for bad in ["0", "257", "1.5", "-1"] {
            assert!(substeps(bad).is_err(), "{bad}");
        }
        for bad in ["0", "-1", "86401", "nan"] {
            assert!(seconds(bad).is_err(), "{bad}");
        }
        assert_eq!(instant("0"), Ok(0.0));
    }

    #[test]
    fn a_response_that_a_solver_does_not_know_is_told_with_those_it_knows() {
        let [verlet, impulse, pbd] = SolverKind::ALL;
        let told = |asked, kind| idle_response(asked, kind).unwrap();
        assert!(
            told(Response::Soft, verlet)
                .ends_with("verlet, which knows only conserving and classic")
        );
        assert!(told(Response::Classic, pbd).ends_with("pbd, which knows only conserving"));
        for (asked, kind) in [
            (Response::Conserving, pbd),
            (Response::Classic, verlet),
            (Response::Soft, impulse),
            (Response::Classic, impulse),
        ] {
            assert_eq!(idle_response(asked, kind), None, "{asked} on {kind}");
        }
    }

    #[test]
    fn solvers_are_listed_once_each() {
        let list = [Solvers::One(SolverKind::Impulse), Solvers::All];
        let [verlet, impulse, pbd] = SolverKind::ALL;
        assert_eq!(Solvers::expand(&list), [impulse, verlet, pbd]);
    }
}
