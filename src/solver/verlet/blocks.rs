//! The velocity stage: rigid bodies as blocks, contacts at rest or bouncing.
//!
//! Projection leaves velocities that no rigid body has: corners that move against their centre,
//! and bodies that still approach or part at a contact that is already satisfied. Left alone they
//! come back in the next sub-step as forces, and a pile never quite comes to rest. As in RATTLE
//! (Andersen, 1983, eq. 4), the velocities are therefore projected onto the constraints too:
//!
//! 1. each rigid body takes the velocity `V + ω×r` that has its momentum and angular momentum;
//! 2. what a joint holds comes to rest, by impulses on whole bodies;
//! 3. at each contact that was pressed, impulses on whole bodies bring the normal velocity to what
//!    it should be, 0 or the speed of the bounce, and the sideways velocity to 0 within the cone of
//!    friction. The impulse of the position stage counts towards both limits, so that a contact
//!    never pulls and never rubs harder than `μ` allows.
//!
//! Every impulse acts on both sides: momentum is kept.

use crate::math::{Vec2, cross, cross_sv, left};
use crate::scene::BodyKind;
use crate::solver::common::{MOST_TURN, is_free_rigid};
use crate::solver::condition::{Condition, Rule};
use crate::solver::verlet::conditions::Held;
use crate::solver::verlet::contacts::mobility;
use crate::world::{Anchor, JointEnd, Model, State};

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

    /// One round over the joints: what they hold neither moves nor turns.
    pub(super) fn relax_joints(&mut self, model: &Model, state: &mut State, list: &mut [Held]) {
        for (joint, held) in model.joints.iter().zip(list) {
            let second = match &joint.b {
                JointEnd::Body { body, anchor } => Some((*body, *anchor)),
                JointEnd::World(_) => None,
            };
            let ends = Ends { first: (joint.body_a, joint.a), second, at: held.at };
            for k in 0..held.conditions.len() {
                let condition = held.conditions[k];
                match condition.rule {
                    Rule::Both => {
                        let by = self.relax_pin(model, state, &ends);
                        held.eased[k] += by.x;
                        held.eased[k + 1] += by.y;
                    }
                    Rule::Hold => {
                        let Some(by) = self.stop(model, state, &ends, &condition) else { continue };
                        held.eased[k] += by;
                        self.turn_and_push(model, state, &ends, &condition, by);
                    }
                    Rule::Floor if held.pressed[k] > 0.0 => {
                        let Some(by) = self.stop(model, state, &ends, &condition) else { continue };
                        let before = held.eased[k];
                        held.eased[k] = (before + by).max(-held.pressed[k]);
                        let by = held.eased[k] - before;
                        self.turn_and_push(model, state, &ends, &condition, by);
                    }
                    _ => {}
                }
            }
        }
    }

    /// Gives both anchors the same velocity; returns the impulse on the second.
    fn relax_pin(&mut self, model: &Model, state: &mut State, ends: &Ends) -> Vec2 {
        let Ends { first, second, at } = ends;
        let mut compliance = self.compliance(model, first, at[0]);
        let mut gap = self.velocity(state, first, at[0]);
        if let Some(second) = second {
            compliance = compliance + self.compliance(model, second, at[1]);
            gap -= self.velocity(state, second, at[1]);
        }
        let Some(impulse) = compliance.solve(gap) else { return Vec2::ZERO };
        self.push(model, state, first, at[0], -impulse);
        if let Some(second) = second {
            self.push(model, state, second, at[1], impulse);
        }
        impulse
    }

    /// The impulse that stops a condition, or `None` where nothing can, or where it turns a body
    /// whose spin this stage does not know.
    fn stop(&self, model: &Model, state: &State, ends: &Ends, of: &Condition) -> Option<f32> {
        let (mut speed, mut k) = (0.0, 0.0);
        for ((side, at), (&linear, &angular)) in ends.sides().zip(of.linear.iter().zip(&of.angular))
        {
            speed += self.velocity(state, &side, at).dot(linear);
            match &self.blocks[side.0 as usize] {
                Some(block) => {
                    speed += block.spin * angular;
                    let arm = cross(at - block.center, linear) + angular;
                    k += block.inv_mass * linear.length_squared() + block.inv_inertia * arm * arm;
                }
                None => {
                    let still = model.bodies[side.0 as usize].kind == BodyKind::Static;
                    if angular != 0.0 && !still {
                        return None;
                    }
                    k += mobility(model, &side.1) * linear.length_squared();
                }
            }
        }
        (k > 0.0).then(|| -speed / k)
    }

    fn turn_and_push(
        &mut self,
        model: &Model,
        state: &mut State,
        ends: &Ends,
        of: &Condition,
        by: f32,
    ) {
        for ((side, at), (&linear, &angular)) in ends.sides().zip(of.linear.iter().zip(&of.angular))
        {
            self.push(model, state, &side, at, by * linear);
            if let Some(block) = &mut self.blocks[side.0 as usize] {
                block.spin += block.inv_inertia * by * angular;
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
            let Pressed { normal, bounce, impulse: given, .. } = *contact;
            if let Some(impulse) = self.steering(model, state, contact, normal, bounce) {
                let before = contact.eased.x;
                contact.eased.x = (before + impulse).max(-given.x);
                self.apply(model, state, contact, (contact.eased.x - before) * normal);
            }
            let tangent = left(normal);
            if let Some(impulse) = self.steering(model, state, contact, tangent, 0.0) {
                let before = contact.eased.y;
                let most = (contact.friction * (given.x + contact.eased.x)).max(0.0);
                contact.eased.y = (before + impulse).clamp(-most - given.y, most - given.y);
                self.apply(model, state, contact, (contact.eased.y - before) * tangent);
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
            None => mobility(model, &side.1),
        }
    }

    /// The velocity change that an impulse makes at a place, as a matrix.
    fn compliance(&self, model: &Model, side: &(u32, Anchor), at: Vec2) -> Symmetric {
        match &self.blocks[side.0 as usize] {
            Some(block) => {
                let (r, w) = (at - block.center, block.inv_inertia);
                Symmetric {
                    xx: block.inv_mass + w * r.y * r.y,
                    xy: -w * r.x * r.y,
                    yy: block.inv_mass + w * r.x * r.x,
                }
            }
            None => {
                let w = mobility(model, &side.1);
                Symmetric { xx: w, xy: 0.0, yy: w }
            }
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

/// The two ends of a joint.
struct Ends {
    first: (u32, Anchor),
    second: Option<(u32, Anchor)>,
    at: [Vec2; 2],
}

impl Ends {
    fn sides(&self) -> impl Iterator<Item = ((u32, Anchor), Vec2)> {
        [Some(self.first), self.second].into_iter().flatten().zip(self.at)
    }
}

/// A symmetric 2 × 2 matrix.
#[derive(Clone, Copy, Debug)]
struct Symmetric {
    xx: f32,
    xy: f32,
    yy: f32,
}

impl std::ops::Add for Symmetric {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { xx: self.xx + other.xx, xy: self.xy + other.xy, yy: self.yy + other.yy }
    }
}

impl Symmetric {
    /// The `x` with `self · x = b`, or `None` for a matrix that cannot be inverted.
    fn solve(&self, b: Vec2) -> Option<Vec2> {
        let determinant = self.xx * self.yy - self.xy * self.xy;
        (determinant > 0.0).then(|| {
            Vec2::new(self.yy * b.x - self.xy * b.y, self.xx * b.y - self.xy * b.x) / determinant
        })
    }
}
