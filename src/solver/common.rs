//! Steps that backends share: moving what is not pushed, impulses on bodies, drags.

use crate::collision::Contact;
use crate::math::{Mapped, Rot, Vec2, cross, cross_sv};
use crate::scene::BodyKind;
use crate::sets::Sets;
use crate::solver::{Inputs, Reaction};
use crate::threads::Threads;
use crate::world::{Anchor, Body, Model, State};

/// The most a body may turn in a sub-step, rad: further on, directions that were taken at its beginning
/// no longer hold. Box2D's limit.
pub(crate) const MOST_TURN: f32 = 0.25 * std::f32::consts::PI;

/// Contacts closing slower than this do not bounce, m/s. Below it a bounce is too small to see and
/// only keeps stacks from coming to rest; Box2D's value too.
pub(crate) const BOUNCE_SPEED: f32 = 1.0;

/// A gap that still counts as touching, m: of two that lie on each other it is as often a little above zero as below.
pub(crate) const TOUCHING: f32 = 1e-4;

/// What overlapped or was inside out before a sub-step leaves at most this fast, m/s. Box2D's value: fast enough to part a
/// heap within a second, slow enough not to look like an explosion.
pub(crate) const PUSH_OUT_SPEED: f32 = 3.0;

/// Moves kinematic bodies by their own velocity for `h` seconds, turning the velocities with them.
pub fn advance_kinematic(model: &Model, state: &mut State, h: f32) {
    for body in model.bodies.iter().filter(|body| body.kind == BodyKind::Kinematic) {
        let center = model.center(body, &state.position);
        let motion = model.motion(body, &state.position, &state.velocity);
        let turn = Rot::IDENTITY.advanced(motion.spin, h);
        for i in body.point_range() {
            let r = turn.apply(state.position[i] - center);
            state.position[i] = center + h * motion.velocity + r;
            state.velocity[i] = motion.at(r);
        }
    }
}

/// The groups of bodies that joints connect. What cannot be pushed connects nothing.
pub(crate) fn joined(model: &Model) -> Sets {
    let mut sets = Sets::new(model.bodies.len());
    for joint in &model.joints {
        let Some(b) = joint.b.body() else { continue };
        let [a, b] = [joint.body_a, b].mapped(|body| body as usize);
        if model.bodies[a].is_dynamic() && model.bodies[b].is_dynamic() {
            sets.join(a, b);
        }
    }
    sets
}

/// The work on so few joints is not worth sharing out.
const JOINTS: usize = 1024;

/// Writes impulses of joints as what they carried in the mean of so many seconds.
pub(crate) fn tell_reactions(
    sums: &[Reaction],
    seconds: f32,
    threads: &Threads,
    reactions: &mut Vec<Reaction>,
) {
    reactions.resize(sums.len(), Reaction::default());
    let tell = |(reactions, sums): (&mut [Reaction], &[Reaction])| {
        reactions.iter_mut().zip(sums).for_each(|(told, sum)| *told = sum.over(seconds));
    };
    threads.each((&mut reactions[..], sums), JOINTS, tell);
}

/// Whether a body moves as one block under an impulse: rigid, dynamic, and nowhere pinned.
pub(crate) fn is_free_rigid(model: &Model, body: &Body) -> bool {
    body.is_rigid() && body.is_dynamic() && !body.point_range().any(|i| model.pinned[i])
}

/// The `x` with `K·x = b` for two conditions of mobilities `k` and the given coupling.
pub(crate) fn solve_pair(k: [f32; 2], coupling: f32, b: [f32; 2]) -> [f32; 2] {
    let determinant = k[0] * k[1] - coupling * coupling;
    if determinant <= 1e-6 * k[0] * k[1] {
        // Singular to rounding: both say the same.
        return [b[0] / k[0], 0.0];
    }
    [(k[1] * b[0] - coupling * b[1]) / determinant, (k[0] * b[1] - coupling * b[0]) / determinant]
}

/// What an impulse at a place on a body takes hold of: the whole body where it is rigid, the
/// points that carry the place where it is not.
#[derive(Clone, Copy, Debug)]
enum Grip {
    /// A free rigid body, by the offset of the place from its centre.
    Block { body: u32, offset: Vec2, inv_mass: f32, inv_inertia: f32 },
    /// Points, by weight.
    Points(Anchor),
}

impl Grip {
    /// The grip on `body` at the world position `at`, which `anchor` carries.
    fn new(model: &Model, positions: &[Vec2], body: u32, anchor: Anchor, at: Vec2) -> Self {
        let def = &model.bodies[body as usize];
        if !is_free_rigid(model, def) {
            return Self::Points(anchor);
        }
        Self::Block {
            body,
            offset: at - model.center(def, positions),
            inv_mass: 1.0 / def.mass,
            inv_inertia: if def.inertia > 0.0 { 1.0 / def.inertia } else { 0.0 },
        }
    }

    /// The largest velocity change, over all directions, that a unit impulse makes at the place,
    /// 1/kg.
    fn inv_mass(&self, model: &Model) -> f32 {
        match self {
            Self::Block { offset, inv_mass, inv_inertia, .. } => {
                inv_mass + inv_inertia * offset.length_squared()
            }
            Self::Points(anchor) => {
                anchor.terms().map(|(i, weight)| model.inv_mass[i] * weight * weight).sum()
            }
        }
    }

    /// The velocity at the place.
    fn velocity(&self, model: &Model, [positions, velocities]: [&[Vec2]; 2]) -> Vec2 {
        match self {
            Self::Block { body, offset, .. } => {
                let body = &model.bodies[*body as usize];
                model.motion(body, positions, velocities).at(*offset)
            }
            Self::Points(anchor) => anchor.sample(velocities),
        }
    }

    /// Changes velocities by an impulse at the place, N·s.
    fn push(&self, model: &Model, state: &mut State, impulse: Vec2) {
        match self {
            Self::Block { body, offset, inv_mass, inv_inertia } => {
                let body = &model.bodies[*body as usize];
                let center = model.center(body, &state.position);
                let spin = inv_inertia * cross(*offset, impulse);
                for i in body.point_range() {
                    let r = state.position[i] - center;
                    state.velocity[i] += *inv_mass * impulse + cross_sv(spin, r);
                }
            }
            Self::Points(anchor) => {
                for (i, weight) in anchor.terms() {
                    state.velocity[i] += model.inv_mass[i] * weight * impulse;
                }
            }
        }
    }
}

/// How fast the two bodies of a contact approach each other along its normal, m/s, where points are at these places and move
/// at these velocities.
pub(crate) fn approach_speed(
    model: &Model,
    [positions, velocities]: [&[Vec2]; 2],
    contact: &Contact,
) -> f32 {
    let [vertex, edge] = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
    let at = contact.position(positions, vertex.radius);
    let speed = |body: u32, anchor: Anchor| {
        let grip = Grip::new(model, positions, body, anchor, at);
        grip.velocity(model, [positions, velocities])
    };
    let of_vertex = speed(vertex.body, Anchor::at_point(contact.vertex));
    let of_edge = speed(edge.body, Anchor::between(contact.edge[0], contact.edge[1], contact.t));
    (of_edge - of_vertex).dot(contact.normal)
}

/// Pulls dragged bodies towards their targets for `h` seconds.
///
/// Each drag is a critically damped spring, integrated implicitly (Catto, “Soft Constraints”, GDC
/// 2011): stable at any stiffness, and no stronger than its limit.
pub fn apply_drags(model: &Model, state: &mut State, inputs: &Inputs, h: f32) {
    for drag in &inputs.drags {
        let Some((index, anchor)) = drag.hold.find(model) else { continue };
        let body = &model.bodies[index];
        if !body.is_dynamic() || !drag.target.is_finite() {
            continue;
        }
        let at = anchor.sample(&state.position);
        let grip = Grip::new(model, &state.position, index as u32, anchor, at);
        let (k, mass) = (grip.inv_mass(model), body.mass);
        let omega = std::f32::consts::TAU * drag.hertz;
        let (stiffness, damping) = (mass * omega * omega, 2.0 * mass * omega);
        let gain = h * (damping + h * stiffness);
        let velocity = grip.velocity(model, [&state.position, &state.velocity]);
        let pull = -(gain * velocity + h * stiffness * (at - drag.target)) / (1.0 + k * gain);
        grip.push(model, state, pull.clamp_length_max(mass * drag.max_acceleration * h));
    }
}
