//! A world with some of its bodies replaced by others.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::math::{Mapped, Vec2};
use crate::world::parts::Parts;
use crate::world::{Anchor, BodyId, Joint, JointEnd, JointState, Model, World};

/// For each body that changes, by its index, the bodies that take its place: the first with its
/// handle, the others as new ones; none if it is removed.
pub(crate) type Changes = BTreeMap<usize, Vec<Parts>>;

/// Where a body of the old world is in the new one.
#[derive(Clone, Debug)]
enum Fate {
    /// There, with the first of its points shifted by so much.
    Kept { index: u32, shift: i64 },
    /// Replaced by these.
    Replaced(Vec<u32>),
}

impl World {
    /// Replaces bodies; returns handles on those that were added, each after that of the body it
    /// came off.
    pub(crate) fn replace(&mut self, mut changes: Changes) -> Vec<(BodyId, BodyId)> {
        let mut old = std::mem::take(self);
        let model = Arc::make_mut(&mut self.model);
        model.bounds = old.model.bounds;
        model.strangers.clone_from(&old.model.strangers);
        model.script.clone_from(&old.model.script);
        model.next_serial = old.model.next_serial;
        let mut names = names_without(&mut old.model, &changes);
        (self.state.time, self.state.steps) = (old.state.time, old.state.steps);
        let mut fates = Vec::with_capacity(old.model.bodies.len());
        let mut added: Vec<(usize, Parts)> = Vec::new();
        for (index, body) in old.model.bodies.iter().enumerate() {
            let Some(new) = changes.remove(&index) else {
                let place = self.copy_body(&old, index);
                let start = self.model.bodies[place as usize].points.start;
                let shift = i64::from(start) - i64::from(body.points.start);
                fates.push(Fate::Kept { index: place, shift });
                continue;
            };
            let mut places = Vec::new();
            for (k, parts) in new.into_iter().enumerate() {
                if k == 0 {
                    let parts = Parts { serial: Some(body.serial), ..parts };
                    places.push(parts.push(Arc::make_mut(&mut self.model), &mut self.state));
                } else {
                    added.push((index, parts));
                }
            }
            fates.push(Fate::Replaced(places));
        }
        for index in names.values_mut() {
            if let Fate::Kept { index: now, .. } = &fates[*index as usize] {
                *index = *now;
            }
        }
        Arc::make_mut(&mut self.model).by_id.extend(names);
        // Serial numbers ascend, so new bodies come last.
        let mut handles = Vec::new();
        for (from, parts) in added {
            let id = self.free_id(&parts.id);
            let parts = Parts { id, serial: None, ..parts };
            let place = parts.push(Arc::make_mut(&mut self.model), &mut self.state);
            handles.push((old.body_id(from as u32), self.body_id(place)));
            if let Fate::Replaced(places) = &mut fates[from] {
                places.push(place);
            }
        }
        self.carry_joints(&old, &fates);
        handles
    }

    /// An id that no body has: `name`, or `name/2`, `name/3`, …
    fn free_id(&self, name: &str) -> String {
        let taken = |id: &str| self.model.by_id.contains_key(id);
        if !taken(name) {
            return name.to_owned();
        }
        let stem = name.rsplit_once('/').filter(|(_, n)| n.parse::<u32>().is_ok());
        let stem = stem.map_or(name, |(stem, _)| stem);
        (2_u32..).map(|n| format!("{stem}/{n}")).find(|id| !taken(id)).unwrap_or_default()
    }

    /// Puts the joints of the old world on the bodies of this one. A joint whose body is gone goes
    /// with it.
    fn carry_joints(&mut self, old: &World, fates: &[Fate]) {
        for (joint, state) in old.model.joints.iter().zip(&old.state.joints) {
            let Some((body_a, a)) = self.carried(old, fates, joint.body_a, &joint.a) else {
                continue;
            };
            let b = match &joint.b {
                JointEnd::World(at) => JointEnd::World(*at),
                JointEnd::Body { body, anchor } => {
                    let Some((body, anchor)) = self.carried(old, fates, *body, anchor) else {
                        continue;
                    };
                    JointEnd::Body { body, anchor }
                }
            };
            // What held two places of one body goes on doing so; two bodies that are one now need nothing.
            if b.body() != Some(body_a) || joint.b.body() == Some(joint.body_a) {
                let (mut state, mut now) = (*state, Joint { body_a, a, b, ..joint.clone() });
                self.turn_frames(old, fates, joint, &mut now, &mut state);
                Arc::make_mut(&mut self.model).joints.push(now);
                self.state.joints.push(state);
            }
        }
        Arc::make_mut(&mut self.model).update_apart();
    }

    /// Lets a joint go on as it was where other points of a soft body tell now how that is turned.
    fn turn_frames(
        &self,
        old: &World,
        fates: &[Fate],
        before: &Joint,
        now: &mut Joint,
        state: &mut JointState,
    ) {
        for end in 0..2 {
            let (Some((was, from)), Some((is, to))) = (before.end(end), now.end(end)) else {
                continue;
            };
            if matches!(fates[was as usize], Fate::Kept { .. })
                || !old.model.bodies[was as usize].soft
            {
                continue;
            }
            let from = old.model.rot_at(was, &from, &old.state.position);
            let by = self.model.rot_at(is, &to, &self.state.position).after(from.inverse());
            now.turn_frame(end, by);
            state.angles[end] += by.radians();
        }
    }

    /// Where a place on a body of the old world is in this one: on the body that took over the part
    /// that it was on.
    fn carried(
        &self,
        old: &World,
        fates: &[Fate],
        body: u32,
        anchor: &Anchor,
    ) -> Option<(u32, Anchor)> {
        match &fates[body as usize] {
            Fate::Kept { index, shift } => {
                let shifted = |point: u32| (i64::from(point) + shift) as u32;
                Some((*index, Anchor { points: anchor.points.mapped(shifted), ..*anchor }))
            }
            Fate::Replaced(places) => {
                let at = anchor.sample(&old.state.position);
                let nearest = places
                    .iter()
                    .min_by(|&&a, &&b| self.distance(a, at).total_cmp(&self.distance(b, at)))?;
                Some((*nearest, self.model.anchor(*nearest, at, &self.state)))
            }
        }
    }

    /// The distance from a place to a body, m: to its nearest piece, or, where it has none, its
    /// nearest point.
    fn distance(&self, body: u32, at: Vec2) -> f32 {
        let body = &self.model.bodies[body as usize];
        let pieces = self.model.pieces_of(body).iter();
        let to_piece = pieces.map(|piece| self.distance_to_piece(piece, at));
        let nearest = to_piece.fold(f32::INFINITY, f32::min);
        if nearest.is_finite() {
            return nearest;
        }
        let to_point = body.point_range().map(|i| self.state.position[i].distance(at));
        to_point.fold(f32::INFINITY, f32::min)
    }
}

/// The names of the bodies that do not change, taken from the model, or copied if others look at it as well.
fn names_without(model: &mut Arc<Model>, changes: &Changes) -> HashMap<String, u32> {
    let mut names = match Arc::get_mut(model) {
        Some(model) => std::mem::take(&mut model.by_id),
        None => model.by_id.clone(),
    };
    for &index in changes.keys() {
        names.remove(&model.bodies[index].id);
    }
    names
}
