//! Rows: one scalar constraint each, `J·v` to be brought to a target by an impulse along `J`.
//!
//! A row touches the nodes of its terms. Its impulse changes their velocities by `M⁻¹·Jᵀ·λ`, and so
//! `J·v` by `k·λ` with `k = J·M⁻¹·Jᵀ`. The same row corrects positions: with the error `C` it had
//! when it was built and what its nodes have moved since, the error now is `C + J·Δq`.

use crate::math::{Vec2, cross};
use crate::solver::impulse::nodes::Nodes;
use crate::world::{Anchor, Model};

/// Overlap left alone by position correction, m: contacts stay contacts. Box2D's value.
const SLOP: f32 = 0.005;
/// The part of the error that one round of position correction removes.
const CORRECTION: f32 = 0.2;
/// The most a round of position correction removes, m.
const MOST_CORRECTION: f32 = 0.2;

/// What a row does to one node.
#[derive(Clone, Copy, Debug)]
struct Term {
    node: u32,
    linear: Vec2,
    angular: f32,
}

/// The range of a row's impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Bound {
    /// Any impulse: an equation.
    Free,
    /// Any impulse, solved together with the row that follows. The two directions of a pin far
    /// from a centre are nearly the same constraint, and one after the other they would undo each
    /// other's work.
    Both {
        /// `J₁·M⁻¹·J₂ᵀ` of the two rows.
        coupling: f32,
    },
    /// The second of such a pair.
    Second,
    /// Pushes only. A gap may be closed within the sub-step of length `h`, but no further.
    Push {
        /// Sub-step, s.
        h: f32,
    },
    /// At most `friction` times the impulse of the row that follows.
    Friction {
        /// Coefficient μ.
        friction: f32,
    },
    /// Any impulse, against a spring.
    Springy(Spring),
}

/// A damped spring as a softened row (Catto, “Soft Constraints”, GDC 2011): `J·v + γ·λ = −β·C`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spring {
    gamma: f32,
    beta: f32,
}

impl Spring {
    /// A spring of compliance `compliance` (m/N, positive) and damping `damping` (N·s/m).
    pub(super) fn new(compliance: f32, damping: f32, h: f32) -> Self {
        // γ = 1/(h·(d + h·k)) and β = h·k·γ with k = 1/compliance, written without dividing by a
        // compliance that may be tiny.
        let beta = 1.0 / (damping * compliance + h);
        Self { gamma: compliance * beta / h, beta }
    }
}

/// A scalar constraint.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    last: u32,
    /// `J·M⁻¹·Jᵀ`, 1/kg.
    k: f32,
    /// Error when built, m (or rad); for pushes, the gap.
    error: f32,
    impulse: f32,
    bound: Bound,
}

/// The rows of a sub-step, with their terms side by side in memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    rows: Vec<Row>,
    terms: Vec<Term>,
    open: usize,
    /// Velocities before the warm start, and what is kept of it in each group.
    before: Vec<(Vec2, f32)>,
    factors: Vec<f32>,
}

impl Rows {
    pub(super) fn clear(&mut self) {
        self.rows.clear();
        self.terms.clear();
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Begins a row; terms follow, then [`Rows::end`].
    pub(super) fn begin(&mut self) {
        self.open = self.terms.len();
    }

    /// A term at the place `at` of a body, which `anchor` carries, along `direction`.
    pub(super) fn side(
        &mut self,
        nodes: &Nodes,
        model: &Model,
        body: u32,
        anchor: &Anchor,
        at: Vec2,
        direction: Vec2,
    ) {
        if let Some(node) = nodes.block(body) {
            let angular = cross(at - nodes[node].center, direction);
            self.term(nodes, Term { node, linear: direction, angular });
        } else {
            for (point, weight) in anchor.terms() {
                let node = nodes.of_point(model, point as u32);
                self.term(nodes, Term { node, linear: weight * direction, angular: 0.0 });
            }
        }
    }

    /// A term that turns a body.
    pub(super) fn turn(&mut self, nodes: &Nodes, body: u32, sign: f32) {
        if let Some(node) = nodes.block(body) {
            self.term(nodes, Term { node, linear: Vec2::ZERO, angular: sign });
        }
    }

    fn term(&mut self, nodes: &Nodes, term: Term) {
        let node = &nodes[term.node];
        // What cannot be pushed still counts if it moves.
        if node.inv_mass > 0.0 || node.velocity != Vec2::ZERO || node.spin != 0.0 {
            self.terms.push(term);
        }
    }

    /// Ends a row that has the error `error` now.
    pub(super) fn end(&mut self, nodes: &Nodes, error: f32, bound: Bound) {
        let k = self.terms[self.open..].iter().map(|term| inv_mass(term, nodes)).sum();
        let (first, last) = (self.open as u32, self.terms.len() as u32);
        self.rows.push(Row { first, last, k, error, impulse: 0.0, bound });
    }

    /// Makes the last two rows, which have the same nodes in the same order, a pair.
    pub(super) fn pair(&mut self, nodes: &Nodes) {
        let [.., first, second] = &mut self.rows[..] else { return };
        let terms = |row: &Row| &self.terms[row.first as usize..row.last as usize];
        let coupling = terms(first)
            .iter()
            .zip(terms(second))
            .map(|(a, b)| {
                let node = &nodes[a.node];
                node.inv_mass * a.linear.dot(b.linear) + node.inv_inertia * a.angular * b.angular
            })
            .sum();
        first.bound = Bound::Both { coupling };
        second.bound = Bound::Second;
    }

    fn terms(&self, row: &Row) -> &[Term] {
        &self.terms[row.first as usize..row.last as usize]
    }

    /// `J·v` of a row.
    pub(super) fn speed(&self, row: usize, nodes: &Nodes) -> f32 {
        self.terms(&self.rows[row]).iter().map(|term| speed(term, nodes)).sum()
    }

    /// The impulse of a row so far.
    pub(super) fn impulse(&self, row: usize) -> f32 {
        self.rows[row].impulse
    }

    /// Writes the impulses of the first `count` rows, times `scale`.
    pub(super) fn impulses(&self, count: usize, scale: f32, impulses: &mut Vec<f32>) {
        impulses.clear();
        impulses.extend(self.rows[..count].iter().map(|row| scale * row.impulse));
    }

    /// Starts the first rows from the impulses they had before, times `scale`, if there were as
    /// many.
    ///
    /// In a fast spin, or where joints contradict each other, old impulses point the wrong way, and
    /// a few rounds cannot take back all they do. So those of each group of connected bodies are
    /// scaled down to what leaves the group with the least kinetic energy: with the change of
    /// velocity `Δ` that they make, the factor `−v·M·Δ / Δ·M·Δ`, at most 1. At rest under gravity
    /// that is 1, and a start never adds energy.
    pub(super) fn warm_start(&mut self, impulses: &[f32], scale: f32, nodes: &mut Nodes) {
        if impulses.len() != self.rows.len() {
            return;
        }
        self.before.clear();
        self.before.extend(nodes.velocities());
        for (row, &impulse) in impulses.iter().enumerate() {
            self.start(row, scale * impulse, nodes);
        }
        let mut factors = std::mem::take(&mut self.factors);
        nodes.least_energy_factors(&self.before, &mut factors);
        nodes.scale_changes(&self.before, &factors);
        for row in 0..self.rows.len() {
            let first = self.rows[row].first as usize;
            if let Some(term) = self.terms[first..self.rows[row].last as usize].first() {
                self.rows[row].impulse *= factors[nodes[term.node].group as usize];
            }
        }
        self.factors = factors;
    }

    /// Solves the same rows once more, each starting from its impulse times `scale`. Springs have
    /// done their part for this time and are left out.
    pub(super) fn restart(&mut self, scale: f32, nodes: &mut Nodes) {
        for row in 0..self.rows.len() {
            let impulse = scale * self.rows[row].impulse;
            if let Bound::Springy(_) = self.rows[row].bound {
                self.rows[row].k = 0.0;
            } else {
                self.start(row, impulse, nodes);
            }
        }
    }

    /// Gives a row an impulse to start from.
    pub(super) fn start(&mut self, row: usize, impulse: f32, nodes: &mut Nodes) {
        self.rows[row].impulse = impulse;
        self.apply(row, impulse, nodes);
    }

    fn apply(&self, row: usize, impulse: f32, nodes: &mut Nodes) {
        for term in self.terms(&self.rows[row]) {
            let node = &mut nodes[term.node];
            node.velocity += node.inv_mass * impulse * term.linear;
            node.spin += node.inv_inertia * impulse * term.angular;
        }
    }

    /// One round over all rows.
    pub(super) fn solve(&mut self, nodes: &mut Nodes) {
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            if row.k == 0.0 {
                continue;
            }
            let speed = self.speed(index, nodes);
            let impulse = match row.bound {
                Bound::Free => row.impulse - speed / row.k,
                Bound::Both { coupling } => {
                    let speeds = [speed, self.speed(index + 1, nodes)];
                    let by = solve_pair(&row, &self.rows[index + 1], coupling, speeds);
                    self.rows[index + 1].impulse -= by[1];
                    self.apply(index + 1, -by[1], nodes);
                    row.impulse - by[0]
                }
                Bound::Second => continue,
                Bound::Push { h } => {
                    (row.impulse - (speed + row.error.max(0.0) / h) / row.k).max(0.0)
                }
                Bound::Friction { friction } => {
                    let most = friction * self.rows[index + 1].impulse;
                    (row.impulse - speed / row.k).clamp(-most, most)
                }
                Bound::Springy(Spring { gamma, beta }) => {
                    let wanted = speed + beta * row.error + gamma * row.impulse;
                    row.impulse - wanted / (row.k + gamma)
                }
            };
            self.rows[index].impulse = impulse;
            self.apply(index, impulse - row.impulse, nodes);
        }
    }

    /// Takes the arms of a row anew, about the centres its nodes have moved to since it was built.
    pub(super) fn follow(&mut self, row: usize, nodes: &Nodes) {
        let Row { first, last, .. } = self.rows[row];
        let mut k = 0.0;
        for term in &mut self.terms[first as usize..last as usize] {
            let node = &nodes[term.node];
            term.angular -= cross(node.shift, term.linear);
            k += inv_mass(term, nodes);
        }
        self.rows[row].k = k;
    }

    /// Gives a row the impulse that brings its speed to `wanted`, pushes only, in total.
    pub(super) fn steer(&mut self, row: usize, wanted: f32, nodes: &mut Nodes) {
        let Row { k, impulse, .. } = self.rows[row];
        if k > 0.0 {
            let total = (impulse + (wanted - self.speed(row, nodes)) / k).max(0.0);
            self.rows[row].impulse = total;
            self.apply(row, total - impulse, nodes);
        }
    }

    /// One round of position correction; returns the largest error it found, m.
    pub(super) fn correct_positions(&self, nodes: &mut Nodes) -> f32 {
        let mut largest = 0.0_f32;
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.k > 0.0) {
            let error = match row.bound {
                Bound::Free | Bound::Both { .. } => self.error(row, nodes),
                Bound::Push { .. } => (self.error(row, nodes) + SLOP).min(0.0),
                Bound::Second | Bound::Friction { .. } | Bound::Springy(_) => continue,
            };
            if let Bound::Both { coupling } = row.bound {
                let second = &self.rows[index + 1];
                let errors = [error, self.error(second, nodes)];
                largest = largest.max(errors[0].hypot(errors[1]));
                let by = solve_pair(row, second, coupling, errors.map(corrected));
                self.shift(row, -by[0], nodes);
                self.shift(second, -by[1], nodes);
            } else {
                largest = largest.max(error.abs());
                self.shift(row, -corrected(error) / row.k, nodes);
            }
        }
        largest
    }

    /// The error of a row after what its nodes have moved since it was built.
    fn error(&self, row: &Row, nodes: &Nodes) -> f32 {
        let moved = |term: &Term| {
            let node = &nodes[term.node];
            term.linear.dot(node.shift) + term.angular * node.turn
        };
        row.error + self.terms(row).iter().map(moved).sum::<f32>()
    }

    /// Moves the nodes of a row by a displacement impulse.
    fn shift(&self, row: &Row, by: f32, nodes: &mut Nodes) {
        for term in self.terms(row) {
            let node = &mut nodes[term.node];
            node.shift += node.inv_mass * by * term.linear;
            node.turn += node.inv_inertia * by * term.angular;
        }
    }

    /// A term on a point that is a node of its own, or on the block it belongs to.
    pub(super) fn point(&mut self, nodes: &Nodes, model: &Model, point: u32, direction: Vec2) {
        let node = nodes.of_point(model, point);
        self.term(nodes, Term { node, linear: direction, angular: 0.0 });
    }
}

/// The part of an error that one round of position correction removes.
fn corrected(error: f32) -> f32 {
    (CORRECTION * error).clamp(-MOST_CORRECTION, MOST_CORRECTION)
}

/// The `x` with `K·x = b` for two rows with the given coupling.
fn solve_pair(first: &Row, second: &Row, coupling: f32, b: [f32; 2]) -> [f32; 2] {
    let determinant = first.k * second.k - coupling * coupling;
    if determinant <= 1e-6 * first.k * second.k {
        // Singular to rounding: both rows say the same.
        return [b[0] / first.k, 0.0];
    }
    [
        (second.k * b[0] - coupling * b[1]) / determinant,
        (first.k * b[1] - coupling * b[0]) / determinant,
    ]
}

fn inv_mass(term: &Term, nodes: &Nodes) -> f32 {
    let node = &nodes[term.node];
    node.inv_mass * term.linear.length_squared() + node.inv_inertia * term.angular * term.angular
}

fn speed(term: &Term, nodes: &Nodes) -> f32 {
    let node = &nodes[term.node];
    term.linear.dot(node.velocity) + term.angular * node.spin
}
