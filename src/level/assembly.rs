//! Bodies and joints of a scene, gathered item by item.
//!
//! Knows every name that is taken, so that duplicates and references to nothing are found here,
//! and keeps the number of things within bounds.

use std::collections::{BTreeMap, BTreeSet};

use super::diagnostic::{Report, suggestion, ticked};
use super::shape::point_count;
use super::sources::{Origin, Sources};
use super::tree::Place;
use crate::math::Vec2;
use crate::scene::{BodyDef, JointDef, Scene};

/// The largest coordinate, size or speed a level may name, in SI units.
pub(super) const LARGEST: f32 = Scene::LARGEST;
/// Bodies and joints of a level, at most.
const MOST_THINGS: usize = 60_000;
/// Points of a level, at most: as many as the bodies that there may be have.
const MOST_POINTS: usize = 360_000;
/// The most ids that an unknown one is compared with.
const MOST_COMPARED: usize = 1000;
/// The longest id, in characters.
const LONGEST_ID: usize = 100;

/// What a name stands for.
enum Named {
    /// A body: its index among the bodies.
    Body(usize),
    /// A joint.
    Joint,
    /// Several bodies whose ids begin with the name and a dot.
    Several,
    /// Something that could not be read. Everything it might have been is let pass.
    Broken,
}

/// The bodies and joints read so far.
#[derive(Default)]
pub(super) struct Assembly {
    pub(super) bodies: Vec<BodyDef>,
    pub(super) joints: Vec<JointDef>,
    /// Pairs of bodies that never collide.
    pub(super) apart: Vec<(String, String)>,
    /// Where each body and joint comes from.
    pub(super) sources: Sources,
    /// Where what is added next comes from.
    pub(super) origin: Origin,
    /// What each name stands for and the byte where its item begins.
    names: BTreeMap<String, (Named, usize)>,
    /// The next number of an id that is made up, by what comes before it.
    next: BTreeMap<String, usize>,
    points: usize,
    ragdolls: i32,
    full: bool,
    /// No number of the level is too large. Where one is, it has been reported, and what starts too
    /// far away or too fast because of it is not.
    bounded: bool,
}

/// What looking a name up gives.
pub(super) enum Found {
    Body(usize),
    /// There is something of the name, but it could not be read and has been reported.
    Broken,
}

impl Assembly {
    /// Nothing yet; `bounded` if no number of the level is too large.
    pub(super) fn new(bounded: bool) -> Self {
        Self { bounded, ..Self::default() }
    }

    /// Nothing yet, of the same level.
    pub(super) fn emptied(&self) -> Self {
        Self::new(self.bounded)
    }

    /// Reports an id that is not fit to be one.
    pub(super) fn check_id(&self, id: &str, place: &Place<'_>, report: &mut Report<'_>) {
        if id.is_empty() || id.chars().any(|c| c.is_whitespace() || c.is_control()) {
            let help = "use letters, digits, `_`, `-` and dots";
            report.error_with_help(place, "an id is one word", help);
        } else if id.chars().count() > LONGEST_ID {
            report.error(place, format!("an id has at most {LONGEST_ID} characters"));
        }
    }

    /// A made-up id inside `prefix`: `name` and the next number (`crate.0`, `crate.1`, …) of which
    /// there is none, neither so far nor among those reserved.
    pub(super) fn free_id(
        &mut self,
        prefix: &str,
        name: &str,
        reserved: &BTreeSet<String>,
    ) -> String {
        let dot = if prefix.is_empty() { "" } else { "." };
        let key = format!("{prefix}{dot}{name}#");
        let mut number = self.next.get(&key).copied().unwrap_or(0);
        let id = loop {
            let local = format!("{name}{number}");
            let id = format!("{prefix}{dot}{local}");
            number += 1;
            if !reserved.contains(&local) && !self.names.contains_key(&id) {
                break id;
            }
        };
        self.next.insert(key, number);
        id
    }

    /// Takes the name of an item that becomes several bodies. `false` if the name is taken already,
    /// which is then reported.
    pub(super) fn group(&mut self, id: &str, item: &Place<'_>, report: &mut Report<'_>) -> bool {
        self.take(id, Named::Several, item, report)
    }

    /// Notes that some of the bodies of a group could not be read.
    pub(super) fn break_group(&mut self, id: &str) {
        if let Some((named, _)) = self.names.get_mut(id) {
            *named = Named::Broken;
        }
    }

    /// Notes that an item could not be read, so that whoever refers to it is not reported too.
    pub(super) fn broken(&mut self, id: &str, item: &Place<'_>, report: &mut Report<'_>) {
        self.take(id, Named::Broken, item, report);
    }

    fn take(&mut self, id: &str, named: Named, item: &Place<'_>, report: &mut Report<'_>) -> bool {
        let start = item.node.range.start;
        if let Some((_, first)) = self.names.get(id) {
            let first = report.locate(*first, start);
            let message = format!("the id {} is already taken on {first}", ticked(id));
            report.error_with_help(&item.key("id"), message, "give each item its own id");
            return false;
        }
        self.names.insert(id.to_owned(), (named, start));
        true
    }

    /// A collision group that no other ragdoll and no level uses: groups in a level lie within
    /// ±`LARGEST`.
    pub(super) fn ragdoll_group(&mut self) -> i32 {
        let group = i32::MIN + self.ragdolls;
        self.ragdolls += 1;
        group
    }

    /// Whether something did not fit in.
    pub(super) fn is_full(&self) -> bool {
        self.full
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

    /// Whether a body of so many points fits in; reports it where it does not.
    pub(super) fn has_points(
        &mut self,
        more: usize,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> bool {
        let fits = self.points + more <= MOST_POINTS;
        if !fits && !std::mem::replace(&mut self.full, true) {
            report.error(place, format!("the level would have more than {MOST_POINTS} points"));
        }
        fits
    }

    /// Adds a body.
    pub(super) fn add_body(&mut self, def: BodyDef, item: &Place<'_>, report: &mut Report<'_>) {
        let far = |v: Vec2| !(v.abs().max_element() <= LARGEST);
        if self.bounded && far(def.position) {
            let message = format!("{} would start more than {LARGEST:e} m away", ticked(&def.id));
            report.error(item, message);
        }
        if self.bounded && (far(def.velocity) || !(def.spin.abs() <= LARGEST)) {
            let message = format!("{} would start faster than {LARGEST:e} m/s", ticked(&def.id));
            report.error(item, message);
        }
        self.points += point_count(&def.shape);
        self.take(&def.id, Named::Body(self.bodies.len()), item, report);
        self.bodies.push(def);
        self.sources.bodies.push(self.origin.clone());
    }

    /// Adds a joint whose bodies are known to be there.
    pub(super) fn add_joint(&mut self, def: JointDef, item: &Place<'_>, report: &mut Report<'_>) {
        self.take(&def.id, Named::Joint, item, report);
        self.joints.push(def);
        self.sources.joints.push(self.origin.clone());
    }

    /// The body of this name; `place` is where it is asked for. `None` if there is none, which is
    /// then reported.
    pub(super) fn find(
        &self,
        name: &str,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Found> {
        self.find_in("", name, place, report)
    }

    /// The body that is called `name` by an item of the prefab `prefix`: one of the same prefab if
    /// there is, else of the one around that, and so on.
    pub(super) fn find_in(
        &self,
        prefix: &str,
        name: &str,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Found> {
        let full = self.full_name(prefix, name);
        match self.names.get(&full) {
            Some((Named::Body(index), _)) => return Some(Found::Body(*index)),
            Some((Named::Broken, _)) => return Some(Found::Broken),
            Some((Named::Joint, _)) => {
                report.error(place, format!("{} is a joint, not a body", ticked(name)));
                return None;
            }
            Some((Named::Several, _)) => {
                let message = format!("{} is several bodies", ticked(name));
                let start = format!("{full}.");
                let example = self.bodies.iter().find(|body| body.id.starts_with(&start));
                let help = example.map_or("it has none that could be named".into(), |body| {
                    let inner = &body.id[full.len()..];
                    format!("name one of them, such as {}", ticked(&format!("{name}{inner}")))
                });
                report.error_with_help(place, message, help);
                return None;
            }
            None => {}
        }
        // `wall.3` may be a copy of a `wall` that could not be read.
        let mut scopes = scopes(prefix).map(|prefix| full_id(prefix, name));
        let broken = |id: &str| {
            let mut dots = id.match_indices('.').map(|(dot, _)| &id[..dot]);
            dots.any(|start| matches!(self.names.get(start), Some((Named::Broken, _))))
        };
        if scopes.any(|id| broken(&id)) {
            return Some(Found::Broken);
        }
        let local = format!("{prefix}.");
        let known = self.bodies.iter().take(MOST_COMPARED);
        let known = known.map(|body| body.id.strip_prefix(&local).unwrap_or(&body.id));
        let help = suggestion(name, known, "known ids");
        report.error_with_help(place, format!("no body has the id {}", ticked(name)), help);
        None
    }

    /// The id of what is called `name` in the prefab `prefix`.
    pub(super) fn full_name(&self, prefix: &str, name: &str) -> String {
        let mut ids = scopes(prefix).map(|prefix| full_id(prefix, name));
        ids.find(|id| self.names.contains_key(id)).unwrap_or_else(|| name.to_owned())
    }
}

/// A prefab's id, those of the prefabs around it, and at last that of the level, which is empty.
fn scopes(prefix: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(prefix), |prefix: &&str| {
        if prefix.is_empty() {
            return None;
        }
        Some(prefix.rfind('.').map_or("", |dot| &prefix[..dot]))
    })
}

fn full_id(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}
