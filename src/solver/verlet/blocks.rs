//! The velocity stage: rigid bodies as blocks, contacts at rest or bouncing.
//!
//! Projection leaves velocities that no rigid body has: corners that move against their centre,
//! and bodies that still approach or part at a contact that is already satisfied. Left alone they
//! come back in the next sub-step as forces, and a pile never quite comes to rest. As in RATTLE
//! (Andersen, 1983, eq. 4), the velocities are therefore projected onto the constraints too:
//!
//! 1. each rigid body takes the velocity `V + ω×r` that has its momentum and angular momentum;
//! 2. what a joint holds comes to rest, by impulses on whole bodies (`rests.rs`);
//! 3. at each contact that was pressed, impulses on whole bodies bring the normal velocity to what
//!    it should be, 0 or the speed of the bounce, and the sideways velocity to 0 within the cone of
//!    friction. The impulse of the position stage counts towards both limits, so that a contact
//!    never pulls and never rubs harder than `μ` allows.
//!
//! Every impulse acts on both sides: momentum is kept.

use crate::math::{Vec2, cross, cross_sv, left};
use crate::solver::common::{MOST_TURN, is_free_rigid};
use crate::solver::verlet::contacts::mobility;
use crate::world::{Anchor, Model, State};

/// Rigid bodies as blocks, gathered from their points.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    blocks: Vec<Option<Block>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Block {
    center: Vec2,
    velocity: Vec2,
    spin: f32,
    inv_mass: f32,
    inv_inertia: f32,
}

/// What an impulse at a place on a body takes hold of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Grip {
    /// A block, by the offset of the place from its centre.
    Block { body: u32, arm: Vec2 },
    /// The points that carry the place.
    Points(Anchor),
}

/// A contact as the velocity stage sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pressed {
    /// From the second side towards the first.
    pub(super) normal: Vec2,
    pub(super) sides: [Grip; 2],
    /// The change of the relative velocity by a unit impulse, along the normal and along the tangent, 1/kg.
    pub(super) mobility: Vec2,
    /// The speed at which they are to part, m/s.
    pub(super) bounce: f32,
    /// Friction coefficient.
    pub(super) friction: f32,
    /// What the position stage gave along normal and tangent, N·s.
    pub(super) impulse: Vec2,
    /// What this stage gives on top, N·s; begins with what it gave in the sub-step before.
    pub(super) eased: Vec2,
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

    /// Lets no block turn further in `h` seconds than directions hold that were taken at their beginning.
    pub(super) fn limit_turns(&mut self, h: f32) {
        let most = MOST_TURN / h;
        for block in self.blocks.iter_mut().flatten() {
            block.spin = block.spin.clamp(-most, most);
        }
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

    /// Starts the contacts from what this stage gave them in the sub-step before.
    pub(super) fn warm_start(&mut self, model: &Model, state: &mut State, contacts: &[Pressed]) {
        for contact in contacts {
            let Pressed { normal, eased, .. } = *contact;
            self.apply(model, state, contact, eased.x * normal + eased.y * left(normal));
        }
    }

    /// One round over the contacts.
    pub(super) fn relax_contacts(
        &mut self,
        model: &Model,
        state: &mut State,
        contacts: &mut [Pressed],
    ) {
        for contact in contacts {
            let Pressed { normal, bounce, mobility, impulse: given, .. } = *contact;
            if mobility.x > 0.0 {
                let impulse = (bounce - self.parting(state, contact).dot(normal)) / mobility.x;
                let before = contact.eased.x;
                contact.eased.x = (before + impulse).max(-given.x);
                self.apply(model, state, contact, (contact.eased.x - before) * normal);
            }
            let tangent = left(normal);
            if mobility.y > 0.0 {
                let impulse = -self.parting(state, contact).dot(tangent) / mobility.y;
                let before = contact.eased.y;
                let most = (contact.friction * (given.x + contact.eased.x)).max(0.0);
                contact.eased.y = (before + impulse).clamp(-most - given.y, most - given.y);
                self.apply(model, state, contact, (contact.eased.y - before) * tangent);
            }
        }
    }

    /// The velocity of the first side of a contact relative to the second.
    fn parting(&self, state: &State, contact: &Pressed) -> Vec2 {
        let [first, second] = &contact.sides;
        self.velocity(state, first) - self.velocity(state, second)
    }

    fn apply(&mut self, model: &Model, state: &mut State, contact: &Pressed, impulse: Vec2) {
        let [first, second] = &contact.sides;
        self.push(model, state, first, impulse);
        self.push(model, state, second, -impulse);
    }

    /// What takes hold of a body at a place that an anchor carries.
    pub(super) fn grip(&self, (body, anchor): (u32, Anchor), at: Vec2) -> Grip {
        match &self.blocks[body as usize] {
            Some(block) => Grip::Block { body, arm: at - block.center },
            None => Grip::Points(anchor),
        }
    }

    fn block(&self, body: u32) -> Block {
        self.blocks[body as usize].unwrap_or_default()
    }

    /// The change of velocity along a unit vector that a unit impulse along it makes, 1/kg.
    pub(super) fn mobility(&self, model: &Model, grip: &Grip, direction: Vec2) -> f32 {
        match *grip {
            Grip::Block { body, arm } => {
                let block = self.block(body);
                block.inv_mass + block.inv_inertia * cross(arm, direction).powi(2)
            }
            Grip::Points(anchor) => mobility(model, &anchor),
        }
    }

    /// The velocity of a place.
    #[inline]
    pub(super) fn velocity(&self, state: &State, grip: &Grip) -> Vec2 {
        match grip {
            Grip::Block { body, arm } => {
                let block = self.block(*body);
                block.velocity + cross_sv(block.spin, *arm)
            }
            Grip::Points(anchor) => anchor.sample(&state.velocity),
        }
    }

    /// How fast a block moves along `linear` and turns, `angular` times.
    #[inline]
    pub(super) fn speed(&self, body: u32, linear: Vec2, angular: f32) -> f32 {
        let block = self.block(body);
        linear.dot(block.velocity) + angular * block.spin
    }

    /// Gives a block the impulse `by` along that.
    #[inline]
    pub(super) fn push_along(&mut self, body: u32, linear: Vec2, angular: f32, by: f32) {
        if let Some(block) = &mut self.blocks[body as usize] {
            block.velocity += block.inv_mass * by * linear;
            block.spin += block.inv_inertia * by * angular;
        }
    }

    /// Changes velocities by an impulse at a place.
    #[inline]
    pub(super) fn push(&mut self, model: &Model, state: &mut State, grip: &Grip, by: Vec2) {
        match grip {
            Grip::Block { body, arm } => {
                if let Some(block) = &mut self.blocks[*body as usize] {
                    block.velocity += block.inv_mass * by;
                    block.spin += block.inv_inertia * cross(*arm, by);
                }
            }
            Grip::Points(anchor) => {
                for (i, weight) in anchor.terms() {
                    state.velocity[i] += model.inv_mass[i] * weight * by;
                }
            }
        }
    }
}
