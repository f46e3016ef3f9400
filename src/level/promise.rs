//! The `expect` block: what a level promises about itself.
//!
//! An entry says when (`at`, and `from` for an interval), what (`metric`, or `body` with a key such
//! as `moved_less_than`) and the bounds. An entry with bounds on several quantities becomes several
//! expectations.

use super::assembly::Assembly;
use super::decode;
use super::diagnostic::{Report, suggestion, ticked};
use super::format::Promise;
use super::header;
use super::tree::{Place, Value};
use crate::expect::{Expectation, Metric, Quantity, Subject};
use crate::settings::SolverKind;

/// How a bound on a body reads its number.
#[derive(Clone, Copy)]
enum Sense {
    Above,
    Below,
    /// Between minus the number and the number.
    Within,
    /// Past the number, in the direction of its sign.
    Past,
}

/// The bounds a promise about a body may have.
const BODY_BOUNDS: [(&str, Quantity, Sense); 12] = [
    ("moved_less_than", Quantity::Moved, Sense::Below),
    ("moved_more_than", Quantity::Moved, Sense::Above),
    ("speed_below", Quantity::Speed, Sense::Below),
    ("speed_above", Quantity::Speed, Sense::Above),
    ("turned_less_than", Quantity::Turned, Sense::Within),
    ("turned_more_than", Quantity::Turned, Sense::Past),
    ("x_below", Quantity::X, Sense::Below),
    ("x_above", Quantity::X, Sense::Above),
    ("y_below", Quantity::Y, Sense::Below),
    ("y_above", Quantity::Y, Sense::Above),
    ("turned_below", Quantity::Turned, Sense::Below),
    ("turned_above", Quantity::Turned, Sense::Above),
];

/// The bounds a promise about a metric may have.
const METRIC_BOUNDS: [&str; 2] = ["above", "below"];

/// Reads all entries.
pub(super) fn read_all(
    list: &Place<'_>,
    assembly: &Assembly,
    report: &mut Report<'_>,
) -> Vec<Expectation> {
    let mut promises = Vec::new();
    if decode::is_list(list, report) {
        for entry in list.elements() {
            if !report.is_full() && decode::is_object(&entry, report) {
                read(&entry, assembly, &mut promises, report);
            }
        }
    }
    promises
}

fn read(
    entry: &Place<'_>,
    assembly: &Assembly,
    promises: &mut Vec<Expectation>,
    report: &mut Report<'_>,
) {
    let body_bounds = BODY_BOUNDS.map(|(key, _, _)| key);
    let before = report.count();
    let lists = [decode::fields::<Promise>(), &METRIC_BOUNDS, &body_bounds];
    decode::unknown_keys(entry, &lists, "a promise knows", report);
    let Some(promise) = decode::part::<Promise>(entry, report) else { return };
    let frame = Frame {
        from: promise.from.unwrap_or(promise.at),
        at: promise.at,
        solvers: solvers(promise.solvers.as_deref(), &entry.key("solvers"), report),
        line: report.line(entry.node.range.start),
    };
    frame.check(entry, report);
    match (&promise.metric, &promise.body) {
        (Some(name), None) => {
            misplaced(entry, &body_bounds, "a metric", "above, below", report);
            let metric = metric(name, &entry.key("metric"), report);
            let above = number(entry, "above", report);
            let below = number(entry, "below", report);
            rises(entry, above, below, report);
            // A bound that is there but wrong has been reported.
            if above.is_none() && below.is_none() && report.count() == before {
                without_bound(entry, &METRIC_BOUNDS, report);
            }
            promises.extend(metric.map(|m| frame.promise(Subject::Metric(m), above, below)));
        }
        (None, Some(id)) => {
            let bounds = body_bounds.join(", ");
            misplaced(entry, &METRIC_BOUNDS, "a body", &bounds, report);
            let _ = assembly.find(id, &entry.key("body"), report);
            let first = promises.len();
            for quantity in Quantity::NAMED.map(|(_, quantity)| quantity) {
                let (above, below) = bounds_of(entry, quantity, report);
                if above.is_some() || below.is_some() {
                    rises(entry, above, below, report);
                    let subject = Subject::Body { id: id.clone(), quantity };
                    promises.push(frame.promise(subject, above, below));
                }
            }
            if promises.len() == first && report.count() == before {
                without_bound(entry, &body_bounds, report);
            }
        }
        (Some(_), Some(_)) => {
            let help = "make two entries of it";
            report.error_with_help(&entry.key("body"), "either `metric` or `body`, not both", help);
        }
        (None, None) => {
            let help = "name a metric or a body";
            report.error_with_help(entry, "the promise does not say about what", help);
        }
    }
}

/// What the promises of one entry share.
struct Frame {
    from: f64,
    at: f64,
    solvers: Vec<SolverKind>,
    line: usize,
}

impl Frame {
    fn check(&self, entry: &Place<'_>, report: &mut Report<'_>) {
        /// A day: longer runs are nobody's test.
        const LATEST: f64 = 86_400.0;
        if !(self.at >= 0.0 && self.at <= LATEST) {
            let message = format!("the time {} is outside 0 to {LATEST} s", self.at);
            report.error(&entry.key("at"), message);
        } else if !(self.from >= 0.0 && self.from <= self.at) {
            let message = format!("the time {} is outside 0 to `at`, {} s", self.from, self.at);
            report.error(&entry.key("from"), message);
        }
    }

    fn promise(&self, subject: Subject, above: Option<f64>, below: Option<f64>) -> Expectation {
        let Self { from, at, line, .. } = *self;
        Expectation { from, at, subject, above, below, solvers: self.solvers.clone(), line }
    }
}

fn solvers(
    names: Option<&[String]>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Vec<SolverKind> {
    let names = names.unwrap_or_default().iter().enumerate();
    names.filter_map(|(i, name)| header::solver(name, &place.index(i), report)).collect()
}

fn metric(name: &str, place: &Place<'_>, report: &mut Report<'_>) -> Option<Metric> {
    let found = Metric::NAMED.iter().find(|(known, _)| *known == name).map(|(_, metric)| *metric);
    if found.is_none() {
        let known = Metric::NAMED.iter().map(|(known, _)| *known);
        let help = suggestion(name, known, "known metrics");
        report.error_with_help(place, format!("unknown metric {}", ticked(name)), help);
    }
    found
}

/// The bounds an entry sets on a quantity of its body.
fn bounds_of(
    entry: &Place<'_>,
    of: Quantity,
    report: &mut Report<'_>,
) -> (Option<f64>, Option<f64>) {
    let (mut above, mut below) = (None::<f64>, None::<f64>);
    // Where two keys bound the same side, the narrower one counts.
    let raise = |bound: &mut Option<f64>, value: f64| {
        *bound = Some(bound.map_or(value, |old| old.max(value)));
    };
    let lower = |bound: &mut Option<f64>, value: f64| {
        *bound = Some(bound.map_or(value, |old| old.min(value)));
    };
    for (key, quantity, sense) in BODY_BOUNDS {
        if quantity != of {
            continue;
        }
        let Some(value) = number(entry, key, report) else { continue };
        match sense {
            Sense::Above => raise(&mut above, value),
            Sense::Below => lower(&mut below, value),
            Sense::Past if value >= 0.0 => raise(&mut above, value),
            Sense::Past => lower(&mut below, value),
            Sense::Within => {
                if value < 0.0 {
                    let message = format!("{key} {value} must not be negative");
                    let help = "it bounds both directions; see also turned_above, turned_below";
                    report.error_with_help(&entry.key(key), message, help);
                }
                raise(&mut above, -value.abs());
                lower(&mut below, value.abs());
            }
        }
    }
    (above, below)
}

/// The number under `key`, if there is one.
fn number(entry: &Place<'_>, key: &str, report: &mut Report<'_>) -> Option<f64> {
    let node = entry.node.get(key)?;
    let value = if let Value::Number(number) = &node.value { number.as_f64() } else { None };
    if value.is_none() {
        let message = format!("expected a number, found {}", node.describe());
        report.error(&entry.key(key), message);
    }
    value
}

fn rises(entry: &Place<'_>, above: Option<f64>, below: Option<f64>, report: &mut Report<'_>) {
    if let (Some(above), Some(below)) = (above, below)
        && above >= below
    {
        report.error(entry, format!("nothing is both above {above} and below {below}"));
    }
}

/// Reports bounds that belong to the other kind of promise.
fn misplaced(entry: &Place<'_>, keys: &[&str], of: &str, rather: &str, report: &mut Report<'_>) {
    for key in keys.iter().filter(|key| entry.has(key)) {
        let message = format!("{} says nothing about {of}", ticked(key));
        report.error_with_help(&entry.key(key), message, format!("bounds of {of}: {rather}"));
    }
}

/// Reports an entry without a bound.
fn without_bound(entry: &Place<'_>, bounds: &[&str], report: &mut Report<'_>) {
    let help = format!("give it one of {}", bounds.join(", "));
    report.error_with_help(entry, "the promise has no bound", help);
}
