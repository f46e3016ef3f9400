//! Edges: distance constraints, satisfied one after the other, up to eight that share no point at once
//! (`batch.rs`, `sticks.rs`).
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
use crate::solver::verlet::sticks::{Rods, Stick, Sticks};
use crate::world::{Edge, Model, State};

/// The edges of a model: those of rigid frames apart from those whose ends move on their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    links: Vec<Link>,
    /// The frames, and the links that are not solved together.
    framework: Sticks,
    loose: Sticks,
    /// The places of the latter among the links.
    loose_links: Vec<u32>,
    /// The stiff links.
    rods: Rods,
}

/// An edge of a soft body, or of a rigid one that is pinned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) stick: Stick,
    /// The direction it had before the sub-step.
    pub(super) along: Vec2,
    /// Displacement impulse in this sub-step, where it is solved together with others
    /// (`together.rs`).
    pub(super) lambda: f32,
}

impl Edges {
    pub(super) fn attach(&mut self, model: &Model, state: &State) {
        *self = Self::default();
        let mut frames = Vec::new();
        for (index, (edge, &rest)) in model.edges.iter().zip(&state.rest).enumerate() {
            let (a, b) = (edge.a, edge.b);
            let (w_a, w_b) = (model.inv_mass[a as usize], model.inv_mass[b as usize]);
            if w_a + w_b == 0.0 {
                continue;
            }
            let (compliance, damping, index) = (edge.compliance, edge.damping, index as u32);
            let stick = Stick { index, a, b, rest, compliance, damping, w_a, w_b };
            let body = &model.bodies[model.body_of[a as usize] as usize];
            if is_free_rigid(model, body) {
                frames.push(Stick { compliance: 0.0, ..stick });
            } else {
                self.links.push(Link { stick, along: Vec2::ZERO, lambda: 0.0 });
            }
        }
        self.framework = Sticks::new(&frames);
        let stiff = self.links.iter().filter(|link| link.stick.compliance == 0.0);
        self.rods = Rods::new(&stiff.map(|link| link.stick).collect::<Vec<_>>());
    }

    /// Leaves those links to rounds that are not solved together.
    pub(super) fn leave_to_rounds(&mut self, together: impl Fn(usize) -> bool) {
        let loose = (0..self.links.len()).filter(|&index| !together(index));
        self.loose_links = loose.map(|index| index as u32).collect();
        let sticks = self.loose_links.iter().map(|&index| self.links[index as usize].stick);
        self.loose = Sticks::new(&sticks.collect::<Vec<_>>());
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, state: &State) {
        for link in &mut self.links {
            link.stick.rest = state.rest[link.stick.index as usize];
        }
        let Self { links, loose_links, .. } = self;
        self.loose.set_rest(|place| links[loose_links[place] as usize].stick.rest);
    }

    /// Takes the edges left to rounds as they are before a sub-step of `h` seconds.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2], h: f32) {
        self.framework.begin_substep(positions, h);
        self.loose.begin_substep(positions, h);
    }

    /// The edges whose ends move on their own.
    pub(super) fn links(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// One round over all edges but those that are solved together.
    pub(super) fn satisfy(&mut self, model: &Model, moves: &mut Moves, positions: &mut [Vec2]) {
        if self.framework.is_empty() && self.loose.is_empty() {
            return;
        }
        self.framework.satisfy(&mut moves.delta);
        self.loose.satisfy(&mut moves.delta);
        moves.place(model, positions);
    }

    /// Makes ready for the velocity stage.
    pub(super) fn begin_relaxing(&mut self, positions: &[Vec2]) {
        self.rods.begin(positions);
    }

    /// One round of the velocity stage: the ends of a stiff edge neither approach nor part.
    pub(super) fn relax(&self, state: &mut State) {
        self.rods.relax(&mut state.velocity);
    }

    /// The largest length error of a stiff edge, m.
    pub(super) fn residual(&self, model: &Model, state: &State) -> f32 {
        let State { position, rest, .. } = state;
        let frames = model.bodies.iter().filter(|body| is_free_rigid(model, body));
        let frames = frames.flat_map(|body| body.edges.clone());
        let links = self.links.iter().map(|link| &link.stick);
        let stiff = links.filter(|stick| stick.compliance == 0.0).map(|stick| stick.index);
        let error = |index: u32| {
            let Edge { a, b, .. } = model.edges[index as usize];
            position[a as usize].distance(position[b as usize]) - rest[index as usize]
        };
        frames.chain(stiff).map(|index| error(index).abs()).fold(0.0, f32::max)
    }
}

impl Link {
    /// Forgets the impulse of the sub-step before and takes the direction before this one.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2]) {
        let between = positions[self.stick.b as usize] - positions[self.stick.a as usize];
        self.along = direction_or(between, Vec2::X);
        self.lambda = 0.0;
    }

    /// `α̃` and `γ`, as above.
    pub(super) fn soft(&self, h: f32) -> (f32, f32) {
        let Stick { compliance, damping, .. } = self.stick;
        (compliance / (h * h), compliance * damping / h)
    }

    /// What it takes hold of.
    pub(super) fn terms(&self) -> [Term; 2] {
        let term = |node, linear| Term { node, linear, angular: 0.0 };
        [term(self.stick.a, -self.along), term(self.stick.b, self.along)]
    }

    /// What is left of its law: `C + α̃·λ + γ·Ċh`.
    pub(super) fn residual(&self, moves: &Moves, positions: &[Vec2], h: f32) -> f32 {
        let (a, b) = (self.stick.a as usize, self.stick.b as usize);
        let (alpha, gamma) = self.soft(h);
        let error = positions[b].distance(positions[a]) - self.stick.rest;
        let moved = self.along.dot(moves.delta[b] - moves.delta[a]);
        error + alpha * self.lambda + gamma * moved
    }
}
