//! Joints: pins that bring two anchors together, and angle limits.
//!
//! A pin displaces the points that carry its two anchors. With weights `β_i` and inverse masses
//! `w_i` a unit of displacement impulse moves an anchor by `Σ w_i·β_i²`, the same in every
//! direction, so one division closes the gap:
//!
//! ```text
//! λ = gap / Σ w_i·β_i²        x_i ±= w_i·β_i·λ
//! ```
//!
//! A limit turns its two bodies about their own centres, each by its share of inverse inertia:
//! neither momentum nor angular momentum changes.

use crate::math::{Rot, Vec2, cross_sv};
use crate::solver::StepCx;
use crate::solver::common::is_free_rigid;
use crate::solver::verlet::Moves;
use crate::solver::verlet::contacts::mobility;
use crate::world::{Joint, JointEnd, Model};

/// What the joints of a model need beside the model.
#[derive(Clone, Debug, Default)]
pub(super) struct Joints {
    /// For each joint, inverse inertia of its two bodies as its limit sees them.
    turning: Vec<[f32; 2]>,
    /// For each joint, the displacement impulse of this step, kg·m.
    lambda: Vec<Vec2>,
    /// For each joint, the impulse of the velocity stage in this step, N·s.
    pub(super) impulses: Vec<Vec2>,
}

impl Joints {
    pub(super) fn attach(&mut self, model: &Model) {
        let inverse = |body: Option<u32>| {
            let body = body.map(|index| &model.bodies[index as usize]);
            body.filter(|body| body.is_dynamic() && body.inertia > 0.0)
                .filter(|body| body.soft || is_free_rigid(model, body))
                .map_or(0.0, |body| 1.0 / body.inertia)
        };
        let both = |joint: &Joint| [inverse(Some(joint.body_a)), inverse(joint.b.body())];
        self.turning = model.joints.iter().map(both).collect();
    }

    /// Forgets the impulses of the step before.
    pub(super) fn begin_step(&mut self, model: &Model) {
        self.lambda.clear();
        self.lambda.resize(model.joints.len(), Vec2::ZERO);
        self.impulses.clone_from(&self.lambda);
    }

    /// One round over all joints.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>) {
        let positions = &mut cx.state.position;
        for (k, joint) in cx.model.joints.iter().enumerate() {
            if joint.limit.is_some() {
                satisfy_limit(cx.model, joint, self.turning[k], moves, positions);
            }
            self.lambda[k] += satisfy_pin(cx.model, joint, moves, positions);
        }
    }

    /// The mean force on the second end of each joint over a step of `substeps` of `h` seconds.
    pub(super) fn reactions(&self, h: f32, substeps: u32, forces: &mut Vec<Vec2>) {
        let seconds = h * substeps as f32;
        let both = self.lambda.iter().zip(&self.impulses);
        forces.clear();
        forces.extend(both.map(|(&lambda, &impulse)| (lambda / h + impulse) / seconds));
    }
}

/// Closes the gap; returns the displacement impulse on the second end.
fn satisfy_pin(model: &Model, joint: &Joint, moves: &mut Moves, positions: &mut [Vec2]) -> Vec2 {
    let gap = joint.a.sample(positions) - joint.b.position(positions);
    let end_b = if let JointEnd::Body { anchor, .. } = &joint.b { Some(anchor) } else { None };
    let w = mobility(model, &joint.a) + end_b.map_or(0.0, |anchor| mobility(model, anchor));
    if w == 0.0 {
        return Vec2::ZERO;
    }
    let lambda = gap / w;
    for (i, weight) in joint.a.terms() {
        moves.push(positions, i, -model.inv_mass[i] * weight * lambda);
    }
    for (i, weight) in end_b.iter().flat_map(|anchor| anchor.terms()) {
        moves.push(positions, i, model.inv_mass[i] * weight * lambda);
    }
    lambda
}

/// Turns the bodies of a joint back into its range.
fn satisfy_limit(
    model: &Model,
    joint: &Joint,
    [w_a, w_b]: [f32; 2],
    moves: &mut Moves,
    positions: &mut [Vec2],
) {
    let Some(limit) = joint.limit.filter(|_| w_a + w_b > 0.0) else { return };
    let rot = |body: u32| model.pose(&model.bodies[body as usize], positions).rot;
    let rot_b = joint.b.body().map_or(Rot::IDENTITY, rot);
    let excess = limit.excess(rot(joint.body_a).inverse().after(rot_b));
    if excess == 0.0 {
        return;
    }
    let lambda = excess / (w_a + w_b);
    turn(model, Some(joint.body_a), w_a * lambda, moves, positions);
    turn(model, joint.b.body(), -w_b * lambda, moves, positions);
}

/// Turns a body about its centre by a small angle.
fn turn(model: &Model, body: Option<u32>, angle: f32, moves: &mut Moves, positions: &mut [Vec2]) {
    let Some(body) = body.filter(|_| angle != 0.0) else { return };
    let body = &model.bodies[body as usize];
    let center = model.center(body, positions);
    for i in body.point_range().filter(|&i| model.inv_mass[i] > 0.0) {
        moves.push(positions, i, cross_sv(angle, positions[i] - center));
    }
}
