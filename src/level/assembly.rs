//! Bodies and joints of a scene, gathered item by item.
//!
//! Knows every name that is taken, so that duplicates and references to nothing are found here,
//! and keeps the number of things within bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::{Report, suggestion, ticked};
use super::shape::point_count;
use super::tree::Place;
use crate::math::Vec2;
use crate::scene::{BodyDef, JointDef, Scene};

/// The largest coordinate, size or speed a level may name, in SI units.
pub(super) const LARGEST: f32 = Scene::LARGEST;
/// Bodies and joints of a level, at most.
const MOST_THINGS: usize = 100_000;
/// Points of a level, at most.
const MOST_POINTS: usize = 4_000_000;
/// The most ids that an unknown one is compared with.
const MOST_COMPARED: usize = 5000;
/// The longest id, in characters.
const LONGEST_ID: usize = 100;

/// What a name stands for.
enum Named {
    /// A body: its index among the bodies.
    Body(usize),
    /// A joint.
    Joint,
    /// Several bodies whose ids begin with the name: an example of one of them.
    Several(String),
    /// Something that could not be read. Everything it might have been is let pass.
    Broken,
}

/// The bodies and joints read so far.
#[derive(Default)]
pub(super) struct Assembly {
    pub(super) bodies: Vec<BodyDef>,
    pub(super) joints: Vec<JointDef>,
    /// What each name stands for and the line it is on.
    names: BTreeMap<String, (Named, usize)>,
    /// Ids that items give themselves, which none made up may take.
    reserved: BTreeSet<String>,
    /// The next number of an id that is made up, by type.
    next: BTreeMap<String, usize>,
    points: usize,
    ragdolls: i32,
    full: bool,
}

/// What looking a name up gives.
pub(super) enum Found {
    Body(usize),
    /// There is something of the name, but it could not be read and has been reported.
    Broken,
}

impl Assembly {
    /// Notes the ids that items give themselves.
    pub(super) fn reserve(&mut self, items: &Place<'_>) {
        let ids = items.node.elements().iter().filter_map(|item| item.get("id")?.text());
        self.reserved = ids.map(str::to_owned).collect();
    }

    /// The id an item gives itself, or one made up from its type (`crate.0`, `crate.1`, …).
    pub(super) fn id(
        &mut self,
        given: Option<&str>,
        kind: &str,
        item: &Place<'_>,
        report: &mut Report<'_>,
    ) -> String {
        if let Some(id) = given {
            let place = item.key("id");
            if id.is_empty() || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
                let help = "use letters, digits, `_`, `-` and dots";
                report.error_with_help(&place, "an id is one word", help);
            } else if id.chars().count() > LONGEST_ID {
                report.error(&place, format!("an id has at most {LONGEST_ID} characters"));
            }
            return id.to_owned();
        }
        let next = self.next.entry(kind.to_owned()).or_default();
        loop {
            let id = format!("{kind}.{next}");
            *next += 1;
            if !self.reserved.contains(&id) {
                return id;
            }
        }
    }

    /// Takes the name of an item that becomes several bodies, of which `example` is one. `false` if
    /// the name is taken already, which is then reported.
    pub(super) fn group(
        &mut self,
        id: &str,
        example: String,
        item: &Place<'_>,
        report: &mut Report<'_>,
    ) -> bool {
        self.take(id, Named::Several(example), item, report)
    }

    /// Notes that an item could not be read, so that whoever refers to it is not reported too.
    pub(super) fn broken(&mut self, id: &str, item: &Place<'_>, report: &mut Report<'_>) {
        self.take(id, Named::Broken, item, report);
    }

    fn take(&mut self, id: &str, named: Named, item: &Place<'_>, report: &mut Report<'_>) -> bool {
        let line = report.line(item.node.range.start);
        if let Some((_, first)) = self.names.get(id) {
            let message = format!("the id {} is already taken on line {first}", ticked(id));
            report.error_with_help(&item.key("id"), message, "give each item its own id");
            return false;
        }
        self.names.insert(id.to_owned(), (named, line));
        true
    }

    /// A collision group that no other ragdoll and no level uses: groups in a level lie within
    /// ±`LARGEST`.
    pub(super) fn ragdoll_group(&mut self) -> i32 {
        let group = i32::MIN + self.ragdolls;
        self.ragdolls += 1;
        group
    }

    /// Whether `more` bodies and joints fit in; reports it where they do not.
    pub(super) fn has_room(
        &mut self,
        more: u64,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> bool {
        let total = more.saturating_add((self.bodies.len() + self.joints.len()) as u64);
        if total <= MOST_THINGS as u64 {
            return true;
        }
        // Once is enough: everything after it would say the same.
        if !std::mem::replace(&mut self.full, true) {
            let message =
                format!("the level would have {total} bodies and joints: at most {MOST_THINGS}");
            report.error(place, message);
        }
        false
    }

    /// Adds a body.
    pub(super) fn add_body(&mut self, def: BodyDef, item: &Place<'_>, report: &mut Report<'_>) {
        let far = |v: Vec2| !(v.abs().max_element() <= LARGEST);
        if far(def.position) {
            let message = format!("{} would start more than {LARGEST:e} m away", ticked(&def.id));
            report.error(item, message);
        }
        if far(def.velocity) || !(def.spin.abs() <= LARGEST) {
            let message = format!("{} would start faster than {LARGEST:e} m/s", ticked(&def.id));
            report.error(item, message);
        }
        let points = point_count(&def.shape);
        if self.points <= MOST_POINTS && self.points + points > MOST_POINTS {
            report.error(item, format!("the level would have more than {MOST_POINTS} points"));
        }
        self.points += points;
        self.take(&def.id, Named::Body(self.bodies.len()), item, report);
        self.bodies.push(def);
    }

    /// Adds a joint whose bodies are known to be there.
    pub(super) fn add_joint(&mut self, def: JointDef, item: &Place<'_>, report: &mut Report<'_>) {
        self.take(&def.id, Named::Joint, item, report);
        self.joints.push(def);
    }

    /// The body of this name; `place` is where it is asked for. `None` if there is none, which is
    /// then reported.
    pub(super) fn find(
        &self,
        name: &str,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Found> {
        match self.names.get(name) {
            Some((Named::Body(index), _)) => return Some(Found::Body(*index)),
            Some((Named::Broken, _)) => return Some(Found::Broken),
            Some((Named::Joint, _)) => {
                report.error(place, format!("{} is a pin, not a body", ticked(name)));
                return None;
            }
            Some((Named::Several(example), _)) => {
                let message = format!("{} is several bodies", ticked(name));
                let help = format!("name one of them, such as {}", ticked(example));
                report.error_with_help(place, message, help);
                return None;
            }
            None => {}
        }
        // `wall.3` may be a copy of a `wall` that could not be read.
        let mut dots = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        if dots.any(|prefix| matches!(self.names.get(prefix), Some((Named::Broken, _)))) {
            return Some(Found::Broken);
        }
        let known = self.bodies.iter().map(|body| body.id.as_str()).take(MOST_COMPARED);
        let help = suggestion(name, known, "known ids");
        report.error_with_help(place, format!("no body has the id {}", ticked(name)), help);
        None
    }
}
