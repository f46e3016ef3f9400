//! What became of a promise: pass or fail, the number that decides, and all of it in words.

use std::fmt;

use super::finding::{self, Finding};
use crate::expect::{Condition, Expectation, Holds, JointCondition, Range, Subject};

/// What became of one promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The promise in words: `top moved below 0.1 m at 10 s`.
    pub name: String,
    /// Whether it was kept; `false` where it could not be judged.
    pub pass: bool,
    /// The value that decides, in [`Self::unit`]. Not a number where there is none, and infinite
    /// for the time of settling where nothing settled.
    pub value: f64,
    /// The unit of the value and of its bounds; empty for numbers without one.
    pub unit: &'static str,
    /// The bounds of the value. Where it is promised that something is never so, the bounds within
    /// which it would be so.
    pub bounds: Range,
    /// When it was measured, s.
    pub time: f64,
    /// What the value has to be, in words: `below 0.1 m`.
    pub wanted: String,
    /// When the promise was first broken, s; `None` where it was not, and for what has to hold only
    /// once.
    pub first_broken: Option<f64>,
    /// Whether the run lasted long enough to judge it.
    pub reached: bool,
    /// The line of the level file; 0 where there is none.
    pub line: usize,
    subject: String,
}

/// The step that decides on a promise, or on one of the bodies it is about.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decisive {
    pub(crate) finding: Finding,
    /// How far from being broken, negative where it is.
    pub(crate) margin: f64,
    pub(crate) kept: bool,
    pub(crate) time: f64,
    pub(crate) first_broken: Option<f64>,
}

/// How a promise was decided.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ruling {
    pub(crate) pass: bool,
    pub(crate) reached: bool,
    /// When the run ended, s.
    pub(crate) ended: f64,
}

impl Verdict {
    /// The verdict on a promise; `who` is the one of its bodies or joints that decides.
    pub(crate) fn new(
        promise: &Expectation,
        who: Option<&str>,
        decisive: Option<Decisive>,
        ruling: Ruling,
    ) -> Self {
        let Words { about, state, range, unit } = Words::of(&promise.subject);
        let what = state.clone().unwrap_or_else(|| in_words(range, unit));
        let verb = match promise.holds {
            Holds::Always => String::new(),
            Holds::Ever => "ever ".into(),
            Holds::Never => "never ".into(),
        };
        let when = if promise.from < promise.at {
            format!("from {} to {} s", short(promise.from), short(promise.at))
        } else {
            format!("at {} s", short(promise.at))
        };
        let finding = decisive.map(|decisive| decisive.finding);
        let unit = finding.map_or(unit, |finding| finding.unit);
        let wanted = match (state, finding) {
            (Some(state), Some(finding)) if promise.holds != Holds::Never => {
                format!("{verb}{} ({state})", in_words(finding.range, unit))
            }
            _ => format!("{verb}{what}"),
        };
        let label = finding.map_or("", |finding| finding.label);
        let subject = match (&promise.subject, who) {
            (Subject::Body { .. } | Subject::Joint { .. }, Some(who)) => format!("{who} {label}"),
            _ => about.clone(),
        };
        let broken = decisive.and_then(|decisive| decisive.first_broken);
        Self {
            name: format!("{about} {verb}{what} {when}"),
            pass: ruling.pass,
            value: finding.map_or(f64::NAN, |finding| finding.value),
            unit,
            bounds: finding.map_or(range, |finding| finding.range),
            time: decisive.map_or(ruling.ended, |decisive| decisive.time),
            wanted,
            first_broken: broken.filter(|_| promise.holds != Holds::Ever),
            reached: ruling.reached,
            line: promise.line,
            subject,
        }
    }
}

/// What happened: `top moved 0.04 m at 10 s, wanted below 0.1 m`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, wanted, time, name, .. } = self;
        let time = short(*time);
        if !self.reached {
            return write!(f, "{name}: the run ended at {time} s, before it could be judged");
        }
        if self.value.is_nan() {
            return write!(f, "{name}: there is nothing to measure it by");
        }
        if self.value.is_infinite() {
            return write!(f, "{subject} not yet at {time} s, wanted {wanted}");
        }
        write!(f, "{subject} {} at {time} s, wanted {wanted}", with_unit(self.value, self.unit))?;
        match self.first_broken.map(short) {
            Some(first) if first != time => write!(f, "; first broken at {first} s"),
            _ => Ok(()),
        }
    }
}

/// A subject in words.
struct Words {
    /// `top moved`, `wall.*`, `max_stretch`.
    about: String,
    /// `standing`; `None` for a number within bounds.
    state: Option<String>,
    range: Range,
    unit: &'static str,
}

impl Words {
    fn of(subject: &Subject) -> Self {
        let number = |about, range, unit| Self { about, state: None, range, unit };
        match subject {
            Subject::Metric { metric, range } => {
                number(metric.name().to_owned(), *range, finding::unit_of(*metric))
            }
            Subject::Body { name, condition } => match condition {
                Condition::Quantity { quantity, amount, range } => {
                    let way = either_way(*quantity, *amount);
                    number(format!("{name} {}{way}", quantity.name()), *range, quantity.unit())
                }
                other => Self {
                    about: name.clone(),
                    state: Some(condition_in_words(other)),
                    range: Range::default(),
                    unit: "",
                },
            },
            Subject::Joint { name, condition: JointCondition::Error(range) } => {
                number(format!("{name} error"), *range, "m")
            }
            Subject::Joint { name, condition: JointCondition::Intact } => Self {
                about: name.clone(),
                state: Some("intact".into()),
                range: Range::default(),
                unit: "",
            },
            Subject::Count { names, conditions, range } => {
                let conditions: Vec<_> = conditions.iter().map(condition_in_words).collect();
                number(format!("count of {names} ({})", conditions.join(" and ")), *range, "")
            }
        }
    }
}

fn condition_in_words(condition: &Condition) -> String {
    match condition {
        Condition::Quantity { quantity, amount, range } => {
            let way = either_way(*quantity, *amount);
            format!("{}{way} {}", quantity.name(), in_words(*range, quantity.unit()))
        }
        Condition::Inside(region) => {
            let number = |value: f32| short(f64::from(value));
            let corner = |v: crate::math::Vec2| format!("[{}, {}]", number(v.x), number(v.y));
            format!("inside {} to {}", corner(region.min), corner(region.max))
        }
        Condition::AtRest => "at rest".into(),
        Condition::Standing => "standing".into(),
        Condition::Touching(other) => format!("touching {other}"),
    }
}

/// What to add to a number of which the sign does not count, though it has one.
fn either_way(quantity: crate::expect::Quantity, amount: bool) -> &'static str {
    if amount && quantity != crate::expect::Quantity::Moved { " either way" } else { "" }
}

fn in_words(range: Range, unit: &str) -> String {
    let below = range.below.map(|bound| format!("below {}", with_unit(bound, unit)));
    let above = range.above.map(|bound| format!("above {}", with_unit(bound, unit)));
    [above, below].into_iter().flatten().collect::<Vec<_>>().join(" and ")
}

fn with_unit(value: f64, unit: &str) -> String {
    match unit {
        "" => short(value),
        _ if unit.starts_with(['°', '%']) => format!("{}{unit}", short(value)),
        _ => format!("{} {unit}", short(value)),
    }
}

/// A number with four digits that count, without needless zeros: 10, 0.04, 0.02346, 1.2e-7.
fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return format!("{value}");
    }
    if size < 1e-9 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (3.0 - size.log10().floor()).clamp(0.0, 7.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
