//! Names and patterns in promises: every one has to stand for something.

use std::collections::{BTreeSet, HashSet};

use super::super::assembly::Assembly;
use super::super::diagnostic::{Report, suggestion, ticked};
use super::super::tree::Place;
use crate::expect::{Names, Thing};

/// The most comparisons of characters that all patterns of a level may take: about half a second.
const MOST_EFFORT: usize = 100_000_000;
/// The most ids that an unknown one is compared with.
const MOST_COMPARED: usize = 5000;

/// Looks names up among the bodies and joints of a level.
pub(super) struct Lookup<'a> {
    assembly: &'a Assembly,
    bodies: Names<'a>,
    joints: Names<'a>,
    effort: usize,
    /// Whether all items could be read: else what is missing may have been one of those that could
    /// not.
    complete: bool,
}

impl<'a> Lookup<'a> {
    pub(super) fn new(assembly: &'a Assembly, report: &Report<'_>) -> Self {
        Self {
            assembly,
            bodies: Names::new(assembly.bodies.iter().map(|body| body.id.as_str())),
            joints: Names::new(assembly.joints.iter().map(|joint| joint.id.as_str())),
            effort: 0,
            complete: report.count() == 0,
        }
    }

    /// The bodies and groups of a name or pattern; `place` is where it stands. None where there
    /// are none, which is then reported unless they may be something that could not be read.
    pub(super) fn bodies(
        &mut self,
        name: &str,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Vec<Thing> {
        if self.is_too_much(self.bodies.effort(name), place, report) {
            return Vec::new();
        }
        let things = self.bodies.things(name);
        if !things.is_empty() {
            return things;
        }
        if !Names::is_pattern(name) {
            // Nothing is found; what it is instead, or what is meant, is told.
            let _ = self.assembly.find(name, place, report);
        } else if self.complete {
            let ids = self.assembly.bodies.iter().map(|body| body.id.as_str());
            nothing(name, "body", ids, place, report);
        }
        Vec::new()
    }

    /// Reports a name or pattern of bodies to be touched in which one of `things` finds nobody but
    /// itself.
    pub(super) fn touched(
        &mut self,
        name: &str,
        things: &[Thing],
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) {
        let others: HashSet<usize> =
            self.bodies(name, place, report).into_iter().flat_map(|thing| thing.members).collect();
        let own =
            |thing: &Thing| thing.members.iter().filter(|&body| others.contains(body)).count();
        let alone = things.iter().find(|thing| own(thing) == others.len());
        if let Some(thing) = alone.filter(|_| !others.is_empty()) {
            let (thing, name) = (ticked(&thing.name), ticked(name));
            let message = format!("{thing} cannot touch {name}, which is nothing but itself");
            let help = "name another body or group, or a pattern that others match";
            report.error_with_help(place, message, help);
        }
    }

    /// Reports a name or pattern that stands for no joint, unless joints may be missing because
    /// something could not be read.
    pub(super) fn joints(&mut self, name: &str, place: &Place<'_>, report: &mut Report<'_>) {
        if self.is_too_much(self.joints.effort(name), place, report)
            || !self.joints.things(name).is_empty()
        {
            return;
        }
        if !self.bodies.things(name).is_empty() {
            report.error(place, format!("{} is a body, not a joint", ticked(name)));
        } else if self.complete {
            let ids = self.assembly.joints.iter().map(|joint| joint.id.as_str());
            nothing(name, "joint", ids, place, report);
        }
    }

    fn is_too_much(&mut self, effort: usize, place: &Place<'_>, report: &mut Report<'_>) -> bool {
        let before = self.effort;
        self.effort = before.saturating_add(effort);
        if self.effort > MOST_EFFORT && before <= MOST_EFFORT {
            let message = "the promises compare too many patterns with too many ids";
            let help = "begin patterns with what the ids begin with, or promise less";
            report.error_with_help(place, message, help);
        }
        self.effort > MOST_EFFORT
    }
}

/// Reports a name or pattern of nothing. What a pattern could have been is told in patterns.
fn nothing<'n>(
    name: &str,
    what: &str,
    ids: impl Iterator<Item = &'n str>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) {
    let ids = ids.take(MOST_COMPARED);
    let (verb, help) = if Names::is_pattern(name) {
        let patterns: BTreeSet<String> = ids.map(without_numbers).collect();
        ("matches", suggestion(name, patterns.iter().map(String::as_str), "ids here"))
    } else {
        ("has the id", suggestion(name, ids, "known ids"))
    };
    report.error_with_help(place, format!("no {what} {verb} {}", ticked(name)), help);
}

/// The pattern of all copies of an id: `wall.*` for `wall.3`.
fn without_numbers(id: &str) -> String {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let parts = id.split('.').map(|part| if is_number(part) { "*" } else { part });
    parts.collect::<Vec<_>>().join(".")
}
