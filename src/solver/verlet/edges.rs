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
use crate::solver::common::is_free_rigid;
use crate::solver::direct::Term;
use crate::solver::verlet::Moves;
use crate::world::{Model, State};

/// The edges of a model: those of rigid frames apart from those whose ends move on their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    frames: Vec<Stiff>,
    links: Vec<Link>,
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

/// An edge of a soft body, or of a rigid one that is pinned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    /// Its index in the model.
    index: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) rest: f32,
    /// Inverse stiffness, 0 for a stiff one, and damping.
    pub(super) compliance: f32,
    pub(super) damping: f32,
    pub(super) w_a: f32,
    pub(super) w_b: f32,
    /// The direction it had before the sub-step.
    pub(super) along: Vec2,
    /// Displacement impulse in this sub-step.
    pub(super) lambda: f32,
    /// Whether it is solved together with others (`together.rs`).
    pub(super) together: bool,
}

impl Edges {
    pub(super) fn attach(&mut self, model: &Model, state: &State) {
        self.frames.clear();
        self.links.clear();
        for (index, (edge, &rest)) in model.edges.iter().zip(&state.rest).enumerate() {
            let (a, b) = (edge.a, edge.b);
            let (w_a, w_b) = (model.inv_mass[a as usize], model.inv_mass[b as usize]);
            if w_a + w_b == 0.0 {
                continue;
            }
            let body = &model.bodies[model.body_of[a as usize] as usize];
            if is_free_rigid(model, body) {
                self.frames.push(Stiff { a, b, rest_squared: rest * rest, w_a, w_b });
            } else {
                let (compliance, damping) = (edge.compliance, edge.damping);
                let (along, lambda, together, index) = (Vec2::ZERO, 0.0, false, index as u32);
                self.links.push(Link {
                    index,
                    a,
                    b,
                    rest,
                    compliance,
                    damping,
                    w_a,
                    w_b,
                    along,
                    lambda,
                    together,
                });
            }
        }
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, state: &State) {
        for link in &mut self.links {
            link.rest = state.rest[link.index as usize];
        }
    }

    /// Forgets the multipliers of the sub-step before and takes the directions before this one.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2]) {
        for link in &mut self.links {
            let between = positions[link.b as usize] - positions[link.a as usize];
            link.along = direction_or(between, Vec2::X);
            link.lambda = 0.0;
        }
    }

    /// The edges whose ends move on their own.
    pub(super) fn links(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// One round over all edges but those that are solved together.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, positions: &mut [Vec2], h: f32) {
        for edge in &self.frames {
            satisfy_stiff(edge, moves, positions);
        }
        for link in self.links.iter_mut().filter(|link| !link.together) {
            if link.compliance == 0.0 {
                let Link { a, b, rest, w_a, w_b, .. } = *link;
                let stiff = Stiff { a, b, rest_squared: rest * rest, w_a, w_b };
                satisfy_stiff(&stiff, moves, positions);
            } else {
                let (alpha, gamma) = link.soft(h);
                let give = (1.0 + gamma) * (link.w_a + link.w_b) + alpha;
                let by = -link.residual(moves, positions, h) / give;
                link.give(by, moves, positions);
            }
        }
    }

    /// One round of the velocity stage: the ends of a stiff edge neither approach nor part.
    pub(super) fn relax(&self, state: &mut State) {
        for edge in self.links.iter().filter(|link| link.compliance == 0.0) {
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
        let length = |a: u32, b: u32| positions[a as usize].distance(positions[b as usize]);
        let frames =
            self.frames.iter().map(|edge| length(edge.a, edge.b) - edge.rest_squared.sqrt());
        let stiff = self.links.iter().filter(|link| link.compliance == 0.0);
        let links = stiff.map(|link| length(link.a, link.b) - link.rest);
        frames.chain(links).map(f32::abs).fold(0.0, f32::max)
    }
}

impl Link {
    /// `α̃` and `γ`, as above.
    pub(super) fn soft(&self, h: f32) -> (f32, f32) {
        (self.compliance / (h * h), self.compliance * self.damping / h)
    }

    /// What it takes hold of.
    pub(super) fn terms(&self) -> [Term; 2] {
        let term = |node, linear| Term { node, linear, angular: 0.0 };
        [term(self.a, -self.along), term(self.b, self.along)]
    }

    /// What is left of its law: `C + α̃·λ + γ·Ċh`.
    pub(super) fn residual(&self, moves: &Moves, positions: &[Vec2], h: f32) -> f32 {
        let (a, b) = (self.a as usize, self.b as usize);
        let (alpha, gamma) = self.soft(h);
        let error = positions[b].distance(positions[a]) - self.rest;
        let moved = self.along.dot(moves.delta[b] - moves.delta[a]);
        error + alpha * self.lambda + gamma * moved
    }

    /// Gives it a displacement impulse.
    pub(super) fn give(&mut self, by: f32, moves: &mut Moves, positions: &mut [Vec2]) {
        self.lambda += by;
        moves.push(positions, self.a as usize, -self.w_a * by * self.along);
        moves.push(positions, self.b as usize, self.w_b * by * self.along);
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
