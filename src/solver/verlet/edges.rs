//! Edges: distance constraints, satisfied one after the other.
//!
//! A stiff edge of rest length `L` between points at `p = x_b − x_a` is corrected along the
//! direction `g` it had at the start of the sub-step. The end points move by `∓w·μ·g` with `μ`
//! such that the new length is `L`, to first order in the error:
//!
//! ```text
//! |p + (w_a + w_b)·μ·g|² = L²   ⇒   μ = (L² − p·p) / (2·(w_a + w_b)·p·g)
//! ```
//!
//! There is no square root. Where the edge has turned or shrunk so far that `p·g` is small, the
//! direction of `p` itself is taken.
//!
//! A soft edge has compliance `α` and damping `β` and is a spring at any step size and number of
//! rounds: `Δλ = (−C − α̃·λ − γ·Ċh) / ((1 + γ)·w + α̃)` with `α̃ = α/h²`, `γ = α·β/h` (Macklin,
//! Müller, Chentanez, “XPBD”, 2016, eqs. 18 and 26); `λ` starts at zero in every sub-step.

use crate::math::{Vec2, direction_or};
use crate::solver::StepCx;
use crate::solver::common::is_free_rigid;
use crate::solver::verlet::Moves;
use crate::world::{Model, State};

/// The edges of a model, stiff and soft apart.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    stiff: Vec<Stiff>,
    soft: Vec<Soft>,
    /// The multiplier of each soft edge in this sub-step.
    lambda: Vec<f32>,
    /// Stiff edges of soft bodies, whose velocities no rigid body keeps in order.
    free: Vec<Stiff>,
}

/// A stiff edge with what the model says about it in one place.
#[derive(Clone, Copy, Debug)]
struct Stiff {
    a: u32,
    b: u32,
    rest_squared: f32,
    w_a: f32,
    w_b: f32,
}

/// A soft edge.
#[derive(Clone, Copy, Debug)]
struct Soft {
    /// Its index in the model.
    index: u32,
    a: u32,
    b: u32,
    rest: f32,
    compliance: f32,
    damping: f32,
}

impl Edges {
    pub(super) fn attach(&mut self, model: &Model, state: &State) {
        self.stiff.clear();
        self.soft.clear();
        self.free.clear();
        for (index, (edge, &rest)) in model.edges.iter().zip(&state.rest).enumerate() {
            let (w_a, w_b) = (model.inv_mass[edge.a as usize], model.inv_mass[edge.b as usize]);
            if w_a + w_b == 0.0 {
                continue;
            }
            let (a, b) = (edge.a, edge.b);
            if edge.compliance == 0.0 {
                let stiff = Stiff { a, b, rest_squared: rest * rest, w_a, w_b };
                self.stiff.push(stiff);
                let body = &model.bodies[model.body_of[a as usize] as usize];
                if !is_free_rigid(model, body) {
                    self.free.push(stiff);
                }
            } else {
                let (compliance, damping) = (edge.compliance, edge.damping);
                let index = index as u32;
                self.soft.push(Soft { index, a, b, rest, compliance, damping });
            }
        }
        self.lambda = vec![0.0; self.soft.len()];
    }

    /// Takes over the lengths that soft edges rest at now.
    pub(super) fn begin_step(&mut self, state: &State) {
        for edge in &mut self.soft {
            edge.rest = state.rest[edge.index as usize];
        }
    }

    /// Forgets the multipliers of the sub-step before.
    pub(super) fn begin_substep(&mut self) {
        self.lambda.fill(0.0);
    }

    /// One round over all edges.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>, h: f32) {
        let positions = &mut cx.state.position;
        for edge in &self.stiff {
            satisfy_stiff(edge, moves, positions);
        }
        for (edge, lambda) in self.soft.iter().zip(&mut self.lambda) {
            satisfy_soft(edge, lambda, moves, positions, &cx.model.inv_mass, h);
        }
    }

    /// One round of the velocity stage: the ends of a stiff edge neither approach nor part.
    pub(super) fn relax(&self, state: &mut State) {
        for edge in &self.free {
            let (a, b) = (edge.a as usize, edge.b as usize);
            let n = direction_or(state.position[b] - state.position[a], Vec2::X);
            let speed = (state.velocity[b] - state.velocity[a]).dot(n);
            let impulse = -speed / (edge.w_a + edge.w_b) * n;
            state.velocity[a] -= edge.w_a * impulse;
            state.velocity[b] += edge.w_b * impulse;
        }
    }

    /// The largest length error of a stiff edge, m.
    pub(super) fn residual(&self, positions: &[Vec2]) -> f32 {
        let error = |edge: &Stiff| {
            let length = positions[edge.a as usize].distance(positions[edge.b as usize]);
            (length - edge.rest_squared.sqrt()).abs()
        };
        self.stiff.iter().map(error).fold(0.0, f32::max)
    }
}

#[inline]
fn satisfy_stiff(edge: &Stiff, moves: &mut Moves, positions: &mut [Vec2]) {
    let (a, b) = (edge.a as usize, edge.b as usize);
    let p = positions[b] - positions[a];
    let g = moves.start[b] - moves.start[a];
    let (along, length_squared) = (p.dot(g), p.length_squared());
    let w = edge.w_a + edge.w_b;
    let correction = if along > 0.25 * edge.rest_squared && along > 0.5 * length_squared {
        (edge.rest_squared - length_squared) / (2.0 * w * along) * g
    } else {
        let rest = edge.rest_squared.sqrt();
        (rest - length_squared.sqrt()) / w * direction_or(p, Vec2::X)
    };
    moves.push(positions, a, -edge.w_a * correction);
    moves.push(positions, b, edge.w_b * correction);
}

fn satisfy_soft(
    edge: &Soft,
    lambda: &mut f32,
    moves: &mut Moves,
    positions: &mut [Vec2],
    inv_mass: &[f32],
    h: f32,
) {
    let (a, b) = (edge.a as usize, edge.b as usize);
    let p = positions[b] - positions[a];
    let n = direction_or(moves.start[b] - moves.start[a], direction_or(p, Vec2::X));
    let error = p.length() - edge.rest;
    let speed = n.dot(moves.delta[b] - moves.delta[a]);
    let alpha = edge.compliance / (h * h);
    let gamma = edge.compliance * edge.damping / h;
    let w = inv_mass[a] + inv_mass[b];
    let step = -(error + alpha * *lambda + gamma * speed) / ((1.0 + gamma) * w + alpha);
    *lambda += step;
    moves.push(positions, a, -inv_mass[a] * step * n);
    moves.push(positions, b, inv_mass[b] * step * n);
}
