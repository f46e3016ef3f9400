//! Some of the bodies of a world, as a world of their own.
//!
//! What moves a world need not know that a part of it sleeps: it is lent an [`Excerpt`] of what is
//! awake, whole and dense, and what is left out costs it nothing. Bodies keep their order and their
//! handles; only their numbers change.

use std::sync::Arc;

use crate::math::Mapped;
use crate::scene::BodyKind;
use crate::world::parts::indices;
use crate::world::{Anchor, Joint, JointEnd, Model, World};

/// Stands for a body that is not in an excerpt.
const LEFT_OUT: u32 = u32::MAX;

/// Some of the bodies of a world, with the joints between them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Excerpt {
    /// The bodies as a world. Names are not looked up in it.
    pub(crate) world: World,
    /// The number that each of its bodies has in the whole world.
    bodies: Vec<u32>,
    /// The number that each of its joints has in the whole world.
    joints: Vec<u32>,
    /// The number that each body of the whole world has in it, or [`LEFT_OUT`].
    places: Vec<u32>,
}

impl Excerpt {
    /// Those bodies of a world that `keeps` names by their number, and the joints that hold no others.
    pub(crate) fn of(whole: &World, keeps: impl Fn(usize) -> bool) -> Self {
        let mut excerpt =
            Self { places: vec![LEFT_OUT; whole.model.bodies.len()], ..Self::default() };
        let model = Arc::make_mut(&mut excerpt.world.model);
        model.bounds = whole.model.bounds;
        model.next_serial = whole.model.next_serial;
        for index in (0..whole.model.bodies.len()).filter(|&index| keeps(index)) {
            excerpt.add_body(whole, index);
        }
        for (index, joint) in whole.model.joints.iter().enumerate() {
            if let Some(joint) = excerpt.joint(whole, joint) {
                Arc::make_mut(&mut excerpt.world.model).joints.push(joint);
                excerpt.joints.push(index as u32);
            }
        }
        let places = &excerpt.places;
        let apart =
            whole.model.apart.iter().map(|&(a, b)| (places[a as usize], places[b as usize]));
        // Order is kept, so that what ascended still does.
        let apart = apart.filter(|&(a, b)| a.max(b) != LEFT_OUT).collect();
        Arc::make_mut(&mut excerpt.world.model).apart = apart;
        excerpt.gather(whole);
        excerpt
    }

    fn add_body(&mut self, whole: &World, index: usize) {
        // Static bodies stay where they are: what they are at is written once.
        self.places[index] = self.world.copy_body(whole, index);
        self.bodies.push(index as u32);
    }

    /// A joint with the numbers of this excerpt; `None` if it holds a body that is left out.
    fn joint(&self, whole: &World, joint: &Joint) -> Option<Joint> {
        let body_a = self.body(joint.body_a)?;
        let a = self.anchor(whole, joint.body_a, &joint.a)?;
        let b = match &joint.b {
            JointEnd::World(at) => JointEnd::World(*at),
            JointEnd::Body { body, anchor } => JointEnd::Body {
                body: self.body(*body)?,
                anchor: self.anchor(whole, *body, anchor)?,
            },
        };
        Some(Joint { body_a, a, b, ..joint.clone() })
    }

    /// The number here of a body of the whole world, if it is in.
    pub(crate) fn body(&self, body: u32) -> Option<u32> {
        self.places.get(body as usize).copied().filter(|&place| place != LEFT_OUT)
    }

    /// The number in the whole world of a body of this one.
    pub(crate) fn number(&self, body: usize) -> usize {
        self.bodies[body] as usize
    }

    /// An anchor on a body of the whole world, with the numbers of this one.
    pub(crate) fn anchor(&self, whole: &World, body: u32, anchor: &Anchor) -> Option<Anchor> {
        let place = self.body(body)?;
        let from = whole.model.bodies[body as usize].points.start;
        let to = self.world.model.bodies[place as usize].points.start;
        Some(Anchor { points: anchor.points.mapped(|point| point - from + to), ..*anchor })
    }

    /// The number in the whole world of a point of this one.
    pub(crate) fn point_number(&self, whole: &Model, point: u32) -> u32 {
        let body = self.world.model.body_of[point as usize] as usize;
        let (here, there) = (&self.world.model.bodies[body], &whole.bodies[self.number(body)]);
        point - here.points.start + there.points.start
    }

    /// The number in the whole world of a piece of this one.
    pub(crate) fn piece_number(&self, whole: &Model, piece: u32) -> u32 {
        let body = self.world.model.pieces[piece as usize].body as usize;
        let (here, there) = (&self.world.model.bodies[body], &whole.bodies[self.number(body)]);
        piece - here.pieces.start + there.pieces.start
    }

    /// Takes over where the whole world is.
    pub(crate) fn gather(&mut self, whole: &World) {
        let (from, to) = (&whole.state, &mut self.world.state);
        (to.time, to.steps) = (from.time, from.steps);
        for (body, &number) in self.world.model.bodies.iter().zip(&self.bodies) {
            if body.kind == BodyKind::Static {
                continue;
            }
            let there = &whole.model.bodies[number as usize];
            let (source, target) = (there.point_range(), body.point_range());
            to.position[target.clone()].copy_from_slice(&from.position[source.clone()]);
            to.velocity[target].copy_from_slice(&from.velocity[source]);
            to.rest[indices(&body.edges)].copy_from_slice(&from.rest[indices(&there.edges)]);
        }
        to.joints.clear();
        to.joints.extend(self.joints.iter().map(|&joint| from.joints[joint as usize]));
    }

    /// Tells the whole world where its bodies are now.
    pub(crate) fn scatter(&self, whole: &mut World) {
        let (from, to) = (&self.world.state, &mut whole.state);
        for (body, &number) in self.world.model.bodies.iter().zip(&self.bodies) {
            if body.kind == BodyKind::Static {
                continue;
            }
            let there = &whole.model.bodies[number as usize];
            let (source, target) = (body.point_range(), there.point_range());
            to.position[target.clone()].copy_from_slice(&from.position[source.clone()]);
            to.velocity[target].copy_from_slice(&from.velocity[source]);
            to.rest[indices(&there.edges)].copy_from_slice(&from.rest[indices(&body.edges)]);
        }
        for (&joint, state) in self.joints.iter().zip(&from.joints) {
            to.joints[joint as usize] = *state;
        }
    }

    /// The numbers of its joints in the whole world, in order.
    pub(crate) fn joints(&self) -> &[u32] {
        &self.joints
    }
}
