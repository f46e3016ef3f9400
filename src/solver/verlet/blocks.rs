//! The velocity stage: rigid bodies as blocks, contacts at rest or bouncing.
//!
//! Projection leaves velocities that no rigid body has: corners that move against their centre,
//! and bodies that still approach or part at a contact that is already satisfied. Left alone they
//! come back in the next sub-step as forces, and a pile never quite comes to rest. As in RATTLE
//! (Andersen, 1983, eq. 4), the velocities are therefore projected onto the constraints too:
//!
//! 1. each rigid body takes the velocity `V + ω×r` that has its momentum and angular momentum;
//! 2. at each contact that was pressed, impulses on whole bodies bring the normal velocity to what
//!    it should be, 0 or the speed of the bounce, and the sideways velocity to 0 within the cone of
//!    friction. The impulse of the position stage counts towards both limits, so that a contact
//!    never pulls and never rubs harder than `μ` allows.
//!
//! Every impulse acts on both sides: momentum is kept.

use crate::math::{Vec2, cross, cross_sv, left};
use crate::solver::common::is_free_rigid;
use crate::world::{Anchor, Model, State};

/// Rigid bodies as blocks, gathered from their points.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Option<Block>>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    center: Vec2,
    velocity: Vec2,
    spin: f32,
    inv_mass: f32,
    inv_inertia: f32,
}

/// A contact as the velocity stage sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    /// Where it acts.
    pub(super) at: Vec2,
    /// From the second side towards the first.
    pub(super) normal: Vec2,
    /// The bodies, and the points that carry the place on those that are not blocks.
    pub(super) sides: [(u32, Anchor); 2],
    /// The speed at which they are to part, m/s.
    pub(super) bounce: f32,
    /// Friction coefficient.
    pub(super) friction: f32,
    /// Impulse so far along the normal, N·s.
    pub(super) normal_impulse: f32,
    /// Impulse so far along the tangent, N·s.
    pub(super) tangent_impulse: f32,
}

impl Blocks {
    /// Gathers every free rigid body.
    pub(super) fn gather(&mut self, model: &Model, state: &State) {
        self.blocks.clear();
        self.blocks.extend(model.bodies.iter().map(|body| {
            is_free_rigid(model, body).then(|| {
                let center = model.center(body, &state.position);
                let motion = model.motion(body, &state.position, &state.velocity);
                Block {
                    center,
                    velocity: motion.velocity,
                    spin: motion.spin,
                    inv_mass: 1.0 / body.mass,
                    inv_inertia: if body.inertia > 0.0 { 1.0 / body.inertia } else { 0.0 },
                }
            })
        }));
    }

    /// Gives every point of a block the block's velocity.
    pub(super) fn scatter(&self, model: &Model, state: &mut State) {
        for (body, block) in model.bodies.iter().zip(&self.blocks) {
            let Some(block) = block else { continue };
            for i in body.point_range() {
                state.velocity[i] =
                    block.velocity + cross_sv(block.spin, state.position[i] - block.center);
            }
        }
    }

    /// One round over the contacts.
    pub(super) fn relax(&mut self, model: &Model, state: &mut State, contacts: &mut [Pressed]) {
        for contact in contacts {
            let normal = contact.normal;
            if let Some(impulse) = self.steering(model, state, contact, normal, contact.bounce) {
                let before = contact.normal_impulse;
                contact.normal_impulse = (before + impulse).max(0.0);
                self.apply(model, state, contact, (contact.normal_impulse - before) * normal);
            }
            let tangent = left(normal);
            if let Some(impulse) = self.steering(model, state, contact, tangent, 0.0) {
                let before = contact.tangent_impulse;
                let most = contact.friction * contact.normal_impulse;
                contact.tangent_impulse = (before + impulse).clamp(-most, most);
                self.apply(model, state, contact, (contact.tangent_impulse - before) * tangent);
            }
        }
    }

    /// The impulse along `direction` that gives the two sides the relative velocity `wanted`, or
    /// `None` where neither can move.
    fn steering(
        &self,
        model: &Model,
        state: &State,
        contact: &Pressed,
        direction: Vec2,
        wanted: f32,
    ) -> Option<f32> {
        let [first, second] = &contact.sides;
        let inv_mass = self.inv_mass(model, first, contact.at, direction)
            + self.inv_mass(model, second, contact.at, direction);
        let velocity =
            self.velocity(state, first, contact.at) - self.velocity(state, second, contact.at);
        (inv_mass > 0.0).then(|| (wanted - velocity.dot(direction)) / inv_mass)
    }

    fn apply(&mut self, model: &Model, state: &mut State, contact: &Pressed, impulse: Vec2) {
        let [first, second] = &contact.sides;
        self.push(model, state, first, contact.at, impulse);
        self.push(model, state, second, contact.at, -impulse);
    }

    fn inv_mass(&self, model: &Model, side: &(u32, Anchor), at: Vec2, n: Vec2) -> f32 {
        match &self.blocks[side.0 as usize] {
            Some(block) => block.inv_mass + block.inv_inertia * cross(at - block.center, n).powi(2),
            None => side.1.terms().map(|(i, weight)| model.inv_mass[i] * weight * weight).sum(),
        }
    }

    fn velocity(&self, state: &State, side: &(u32, Anchor), at: Vec2) -> Vec2 {
        match &self.blocks[side.0 as usize] {
            Some(block) => block.velocity + cross_sv(block.spin, at - block.center),
            None => side.1.sample(&state.velocity),
        }
    }

    fn push(&mut self, model: &Model, state: &mut State, side: &(u32, Anchor), at: Vec2, by: Vec2) {
        match &mut self.blocks[side.0 as usize] {
            Some(block) => {
                block.velocity += block.inv_mass * by;
                block.spin += block.inv_inertia * cross(at - block.center, by);
            }
            None => {
                for (i, weight) in side.1.terms() {
                    state.velocity[i] += model.inv_mass[i] * weight * by;
                }
            }
        }
    }
}
