//! The `expect` block: what a level promises about itself.
//!
//! An entry says when (`at`, `from`, `holds`), about what (`metric`, `body`, `joint` or `count`),
//! and what is so of it. An entry with several conditions on a body becomes several expectations.
//! The meaning of every key is in `docs/expect.md`.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | entries: subject, time, solvers |
//! | `keys.rs` | the keys an entry may have |
//! | `condition.rs` | what can be so about a body or a joint |
//! | `lookup.rs` | names and patterns that must stand for something |

mod condition;
mod keys;
mod lookup;

use self::condition::Facts;
pub(super) use self::keys::Promise;
use self::lookup::Lookup;
use super::assembly::Assembly;
use super::decode;
use super::diagnostic::{Report, suggestion, ticked};
use super::header;
use super::tree::Place;
use crate::expect::{Condition, Expectation, Holds, Metric, Names, Range, Subject, Thing};
use crate::settings::SolverKind;

/// Entries, at most.
const MOST_PROMISES: usize = 1000;
/// The keys that name what an entry is about.
pub(super) const SUBJECTS: [&str; 4] = ["metric", "body", "joint", "count"];
/// The keys that say when an entry holds, and on which solvers.
pub(super) const FRAME: [&str; 4] = ["at", "from", "holds", "solvers"];
/// The bounds of a metric and of a count.
const BOUNDS: [&str; 2] = ["above", "below"];

/// The keys that say something about one of the [`SUBJECTS`].
pub(super) fn facts(subject: &str) -> Vec<&'static str> {
    match subject {
        "metric" => BOUNDS.to_vec(),
        "body" => condition::OF_A_BODY.to_vec(),
        "joint" => condition::OF_A_JOINT.to_vec(),
        _ => [condition::OF_A_BODY, &BOUNDS].concat(),
    }
}

/// Reads all entries.
pub(super) fn read_all(
    list: &Place<'_>,
    assembly: &Assembly,
    report: &mut Report<'_>,
) -> Vec<Expectation> {
    let mut promises = Vec::new();
    if !decode::is_list(list, report) {
        return promises;
    }
    let mut lookup = Lookup::new(assembly, report);
    for (i, entry) in list.elements().enumerate() {
        if report.is_full() {
            break;
        }
        if i == MOST_PROMISES {
            report.error(&entry, format!("a level has at most {MOST_PROMISES} promises"));
            break;
        }
        if let Some(keys) = decode::object::<Promise>(&entry, report) {
            let mut reader = Reader { entry: &entry, keys: &keys, lookup: &mut lookup, report };
            reader.read(&mut promises);
        }
    }
    promises
}

/// Reads one entry.
struct Reader<'r, 'a, 't> {
    entry: &'r Place<'a>,
    keys: &'r Promise,
    lookup: &'r mut Lookup<'a>,
    report: &'r mut Report<'t>,
}

impl Reader<'_, '_, '_> {
    fn read(&mut self, promises: &mut Vec<Expectation>) {
        let before = self.report.count();
        let frame = self.frame();
        let subjects = match self.subject() {
            Some("metric") => self.metric(frame.holds),
            Some("body") => self.body(frame.holds),
            Some("joint") => self.joint(frame.holds),
            Some(_) => self.count(frame.holds),
            None => return,
        };
        // A condition that is there but wrong has been reported.
        if self.report.count() == before {
            promises.extend(
                subjects.into_iter().map(|subject| Expectation { subject, ..frame.clone() }),
            );
        }
    }

    /// The one key that names what the entry is about.
    fn subject(&mut self) -> Option<&'static str> {
        let mut named = SUBJECTS.into_iter().filter(|key| self.entry.has(key));
        let (first, second) = (named.next(), named.next());
        match (first, second) {
            (None, _) => {
                let help = "name a metric, a body or a joint, or count bodies";
                let message = "the promise does not say about what";
                self.report.error_with_help(self.entry, message, help);
                None
            }
            (Some(first), Some(second)) => {
                let message = format!("either `{first}` or `{second}`, not both");
                let help = "make two entries of it";
                self.report.error_with_help(&self.entry.key(second), message, help);
                None
            }
            (first, None) => first,
        }
    }

    /// When and where the entry holds; its subject is still open.
    fn frame(&mut self) -> Expectation {
        /// A day: longer runs are nobody's test.
        const LATEST: f64 = 86_400.0;
        let at = self.keys.at;
        let from = self.keys.from.unwrap_or(at);
        if !(0.0..=LATEST).contains(&at) {
            let message = format!("the time {at} is outside 0 to {LATEST} s");
            self.report.error(&self.entry.key("at"), message);
        } else if !(from >= 0.0 && from <= at) {
            let message = format!("the time {from} is outside 0 to `at`, {at} s");
            self.report.error(&self.entry.key("from"), message);
        }
        let holds = self.keys.holds.map_or(Holds::Always, Into::into);
        if holds == Holds::Ever && self.keys.from.is_none() {
            let message = "`ever` needs an interval";
            let help = "say when it begins: `\"from\": 0`";
            self.report.error_with_help(&self.entry.key("holds"), message, help);
        }
        let solvers = self.solvers();
        let line = self.report.line(self.entry.node.range.start);
        let subject = Subject::Metric { metric: Metric::Escaped, range: Range::default() };
        Expectation { from, at, holds, subject, solvers, line }
    }

    fn solvers(&mut self) -> Vec<SolverKind> {
        let place = self.entry.key("solvers");
        let names = self.keys.solvers.as_deref().unwrap_or_default().iter().enumerate();
        names.filter_map(|(i, name)| header::solver(name, &place.index(i), self.report)).collect()
    }

    fn metric(&mut self, holds: Holds) -> Vec<Subject> {
        let name = self.keys.metric.as_deref().unwrap_or_default();
        self.misplaced(&[condition::OF_A_BODY, condition::OF_A_JOINT], "a metric", &BOUNDS);
        let place = self.entry.key("metric");
        let found = Metric::NAMED.iter().find(|(known, _)| *known == name);
        let Some(&(_, metric)) = found else {
            let known = Metric::NAMED.iter().map(|(known, _)| *known);
            let help = suggestion(name, known, "known metrics");
            let message = format!("unknown metric {}", ticked(name));
            self.report.error_with_help(&place, message, help);
            return Vec::new();
        };
        if metric == Metric::SettledAt && holds == Holds::Ever {
            let help = "leave `holds` and `from` out";
            let message = "when all settled is only known at the end";
            self.report.error_with_help(&self.entry.key("holds"), message, help);
        }
        self.not_never(holds);
        let range = self.bounds();
        vec![Subject::Metric { metric, range }]
    }

    fn body(&mut self, holds: Holds) -> Vec<Subject> {
        self.misplaced(&[&BOUNDS, condition::OF_A_JOINT], "a body", condition::OF_A_BODY);
        let name = self.keys.body.clone().unwrap_or_default();
        let things = self.lookup.bodies(&name, &self.entry.key("body"), self.report);
        self.touched(&things);
        let conditions = self.conditions(&things);
        if conditions.is_empty() {
            self.without("the promise has no bound", condition::OF_A_BODY);
        }
        self.only_one(conditions.len(), holds);
        if conditions.iter().any(|condition| matches!(condition, Condition::Quantity { .. })) {
            self.not_never(holds);
        }
        let promised = conditions.into_iter();
        promised.map(|condition| Subject::Body { name: name.clone(), condition }).collect()
    }

    fn joint(&mut self, holds: Holds) -> Vec<Subject> {
        self.misplaced(&[&BOUNDS, condition::OF_A_BODY], "a joint", condition::OF_A_JOINT);
        let name = self.keys.joint.clone().unwrap_or_default();
        self.lookup.joints(&name, &self.entry.key("joint"), self.report);
        let facts = Facts { entry: self.entry, keys: self.keys };
        let conditions = facts.of_joint(self.report);
        if conditions.is_empty() {
            self.without("the promise has no bound", condition::OF_A_JOINT);
        }
        self.only_one(conditions.len(), holds);
        if self.keys.intact.is_none() {
            self.not_never(holds);
        }
        let promised = conditions.into_iter();
        promised.map(|condition| Subject::Joint { name: name.clone(), condition }).collect()
    }

    fn count(&mut self, holds: Holds) -> Vec<Subject> {
        self.misplaced(&[condition::OF_A_JOINT], "a count", condition::OF_A_BODY);
        let names = self.keys.count.clone().unwrap_or_default();
        let place = self.entry.key("count");
        let things = self.lookup.bodies(&names, &place, self.report);
        if !things.is_empty() && !Names::is_pattern(&names) {
            let message = format!("{} is one thing: there is nothing to count", ticked(&names));
            let help = "count what matches a pattern: `wall.*` is all whose ids begin with `wall.`";
            self.report.error_with_help(&place, message, help);
        }
        // One of those counted may be the one to be touched: it is not counted then.
        self.touched(&[]);
        let conditions = self.conditions(&things);
        if conditions.is_empty() {
            self.without("the count does not say which bodies", condition::OF_A_BODY);
        }
        self.not_never(holds);
        let range = self.bounds();
        let count = things.len() as f64;
        if !things.is_empty() && range.above.is_some_and(|bound| bound >= count) {
            let message = format!("only {count} match {}: never more", ticked(&names));
            let help = format!("all of them are `\"above\": {}`", count - 1.0);
            self.report.error_with_help(&self.entry.key("above"), message, help);
        }
        if range.below.is_some_and(|bound| bound <= 0.0) {
            let help = "none of them is `\"below\": 1`";
            self.report.error_with_help(&self.entry.key("below"), "a count is never below 0", help);
        }
        vec![Subject::Count { names, conditions, range }]
    }

    /// `above` and `below` of a metric or a count.
    fn bounds(&mut self) -> Range {
        let range = Range { above: self.keys.above, below: self.keys.below };
        if range == Range::default() && !BOUNDS.iter().any(|key| self.entry.has(key)) {
            self.without("the promise has no bound", &BOUNDS);
        }
        condition::rises(range, self.entry, self.report);
        range
    }

    /// What the entry says of the bodies and groups it names.
    fn conditions(&mut self, things: &[Thing]) -> Vec<Condition> {
        let facts = Facts { entry: self.entry, keys: self.keys };
        facts.of_bodies(things, self.report)
    }

    /// Looks up what is to be touched by each of `things`.
    fn touched(&mut self, things: &[Thing]) {
        if let Some(other) = &self.keys.touching {
            let place = self.entry.key("touching");
            self.lookup.touched(other, things, &place, self.report);
        }
    }

    /// Reports several conditions where only one can be meant.
    fn only_one(&mut self, conditions: usize, holds: Holds) {
        if conditions > 1 && holds != Holds::Always {
            let message = "several conditions: together, or each at a time of its own?";
            let help = "make an entry for each of them";
            self.report.error_with_help(&self.entry.key("holds"), message, help);
        }
    }

    /// Reports `never` with bounds on a number, which would be a second way to write it.
    fn not_never(&mut self, holds: Holds) {
        if holds == Holds::Never {
            let message = "a number within bounds cannot be `never`";
            let help = "turn the bound around: instead of never above 3, always below 3";
            self.report.error_with_help(&self.entry.key("holds"), message, help);
        }
    }

    /// Reports keys that say nothing about the subject.
    fn misplaced(&mut self, lists: &[&[&str]], of: &str, rather: &[&str]) {
        for key in lists.iter().flat_map(|list| list.iter()).filter(|key| self.entry.has(key)) {
            let message = format!("{} says nothing about {of}", ticked(key));
            let help = format!("of {of} one may promise: {}", rather.join(", "));
            self.report.error_with_help(&self.entry.key(key), message, help);
        }
    }

    /// Reports an entry in which something is missing, unless it is there but wrong.
    fn without(&mut self, message: &str, rather: &[&str]) {
        if rather.iter().any(|key| self.entry.has(key)) {
            return;
        }
        // An unknown key has been reported, and may be what is missing.
        let known = decode::fields::<Promise>();
        if self.entry.members().any(|(member, _)| !known.contains(&member.key.as_str())) {
            return;
        }
        let others = [condition::OF_A_BODY, condition::OF_A_JOINT, &BOUNDS].concat();
        let subject = SUBJECTS.into_iter().find(|key| self.entry.has(key));
        // Misplaced keys have been reported; a bound of a count is not misplaced.
        if subject != Some("count") && others.iter().any(|key| self.entry.has(key)) {
            return;
        }
        let help = format!("give it one of {}", rather.join(", "));
        self.report.error_with_help(self.entry, message, help);
    }
}
