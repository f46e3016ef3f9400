//! What an edit has changed: who sleeps there has to wake.

use crate::math::Aabb;
use crate::world::{Body, BodyId, Joint, Model, World};

/// What an edit has changed.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// Bodies that are other than they were, or held by other joints.
    pub(super) bodies: Vec<BodyId>,
    /// Boxes around what is new, gone or changed, as it was and as it is.
    pub(super) places: Vec<Aabb>,
}

impl Changes {
    /// What is different between two worlds, the one being the other after an edit.
    pub(super) fn between(before: &World, after: &World) -> Self {
        let mut changes = Self::default();
        changes.find_bodies(before, after);
        changes.find_joints(before, after);
        for &(a, b) in &after.model.strangers {
            if !before.model.strangers.contains(&(a, b)) {
                for serial in [a, b] {
                    let found =
                        after.model.bodies.binary_search_by_key(&serial, |body| body.serial);
                    changes.bodies.extend(found.map(|index| after.model.bodies[index].handle()));
                }
            }
        }
        changes
    }

    fn find_bodies(&mut self, before: &World, after: &World) {
        for body in &before.model.bodies {
            let now = after.model.index_of(body.handle()).map(|index| &after.model.bodies[index]);
            if now.is_some_and(|now| is_same(before, body, after, now)) {
                continue;
            }
            self.places.push(around(before, body));
            if let Some(now) = now {
                self.bodies.push(now.handle());
                self.places.push(around(after, now));
            }
        }
        let new = |body: &&Body| before.model.index_of(body.handle()).is_none();
        self.places.extend(after.model.bodies.iter().filter(new).map(|body| around(after, body)));
    }

    fn find_joints(&mut self, before: &World, after: &World) {
        let same = |one: &World, this: usize, other: &World| {
            let joint = &one.model.joints[this];
            let found = other.model.index_of_joint(joint.handle());
            found.is_some_and(|that| {
                let twin = &other.model.joints[that];
                (joint.kind, joint.limit, joint.motor) == (twin.kind, twin.limit, twin.motor)
                    && one.state.joints[this] == other.state.joints[that]
            })
        };
        for (one, other) in [(before, after), (after, before)] {
            for (index, joint) in one.model.joints.iter().enumerate() {
                if !same(one, index, other) {
                    self.bodies.extend(ends(&one.model, joint));
                }
            }
        }
    }
}

/// The bodies that a joint holds.
pub(super) fn ends(model: &Model, joint: &Joint) -> impl Iterator<Item = BodyId> {
    joint.bodies().map(|body| model.bodies[body as usize].handle())
}

/// A box around the points of a body and what is grown around them.
fn around(world: &World, body: &Body) -> Aabb {
    let points = Aabb::around(body.point_range().map(|i| world.state.position[i]));
    let pieces = world.model.pieces_of(body).iter();
    pieces.fold(points, |all, piece| all.union(world.piece_bounds(piece)))
}

/// Whether a body is as it was: what it is made of, where it is and how it moves.
fn is_same(before: &World, old: &Body, after: &World, new: &Body) -> bool {
    let (was, is) = (old.point_range(), new.point_range());
    let edges = |body: &Body| body.edges.start as usize..body.edges.end as usize;
    let (was_edges, is_edges) = (edges(old), edges(new));
    (old.kind, old.soft, old.material, old.filter) == (new.kind, new.soft, new.material, new.filter)
        && old.strength == new.strength
        && old.self_collision == new.self_collision
        && old.pieces.len() == new.pieces.len()
        && before.state.position[was.clone()] == after.state.position[is.clone()]
        && before.state.velocity[was.clone()] == after.state.velocity[is.clone()]
        && before.model.mass[was.clone()] == after.model.mass[is.clone()]
        && before.model.inv_mass[was.clone()] == after.model.inv_mass[is.clone()]
        && before.model.rest[was] == after.model.rest[is]
        && before.state.rest[was_edges.clone()] == after.state.rest[is_edges.clone()]
        && before.model.edges[was_edges]
            .iter()
            .zip(&after.model.edges[is_edges])
            .all(|(a, b)| (a.compliance, a.damping) == (b.compliance, b.damping))
}
