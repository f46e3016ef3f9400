//! What the joints and guards of `conditions.rs` hold, in the velocity stage: it comes to rest, by impulses on whole
//! bodies (`blocks.rs`) and points.
//!
//! Where the position stage pushed, at a limit or against being turned inside out, this stage may take that back, but
//! not pull. Springs and motors have done their work.

use crate::math::Mapped;
use crate::solver::common::solve_pair;
use crate::solver::condition::Rule;
use crate::solver::direct::{Inertia, Term};
use crate::solver::verlet::blocks::Blocks;
use crate::solver::verlet::conditions::PointConditions;
use crate::solver::verlet::frames::Frames;
use crate::world::{Model, State};

impl PointConditions {
    /// One round over those conditions, which were taken at the positions after a sub-step of `h` seconds.
    pub(super) fn relax(
        &mut self,
        model: &Model,
        state: &mut State,
        frames: &Frames,
        blocks: &mut Blocks,
        h: f32,
    ) {
        let (rows, terms, given) = self.of_velocities();
        let mut motion = Motion { model, state, frames, blocks };
        let mut left = rows.iter_mut().zip(given);
        while let Some((row, &pressed)) = left.next() {
            let of_row = &terms[row.span()];
            match row.rule {
                Rule::Both => {
                    let Some((second, _)) = left.next() else { break };
                    let of_second = &terms[second.span()];
                    let k = [of_row, of_second].mapped(|terms| motion.mobility(terms, terms));
                    if k[0] > 0.0 && k[1] > 0.0 {
                        let speeds = [motion.speed(of_row), motion.speed(of_second)];
                        let by = solve_pair(k, motion.mobility(of_row, of_second), speeds);
                        for (row, terms, by) in [(row, of_row, by[0]), (second, of_second, by[1])] {
                            row.eased -= by;
                            motion.push(terms, -by);
                        }
                    }
                }
                Rule::Hold | Rule::Floor => {
                    let most = if row.rule == Rule::Hold { f32::INFINITY } else { pressed / h };
                    let mobility = motion.mobility(of_row, of_row);
                    if most > 0.0 && mobility > 0.0 {
                        let before = row.eased;
                        row.eased = (before - motion.speed(of_row) / mobility).max(-most);
                        motion.push(of_row, row.eased - before);
                    }
                }
                Rule::Off | Rule::Second | Rule::Spring { .. } | Rule::Drive { .. } => {}
            }
        }
    }
}

/// How everything moves.
struct Motion<'a> {
    model: &'a Model,
    state: &'a mut State,
    frames: &'a Frames,
    blocks: &'a mut Blocks,
}

impl Motion<'_> {
    /// How fast the nodes of some terms move along them.
    #[inline]
    fn speed(&self, terms: &[Term]) -> f32 {
        let speed = |term: &Term| match self.frames.body_of(term.node) {
            None => term.linear.dot(self.state.velocity[term.node as usize]),
            Some(body) => self.blocks.speed(body, term.linear, term.angular),
        };
        terms.iter().map(speed).sum()
    }

    /// The speed along some terms that a unit impulse along others makes, which have the same nodes in the same
    /// order.
    #[inline]
    fn mobility(&self, along: &[Term], others: &[Term]) -> f32 {
        let shared = |(a, b): (&Term, &Term)| {
            let Inertia { inv_mass, inv_inertia } = self.frames.inertia(self.model, a.node);
            inv_mass * a.linear.dot(b.linear) + inv_inertia * a.angular * b.angular
        };
        along.iter().zip(others).map(shared).sum()
    }

    /// Gives nodes an impulse along some terms.
    #[inline]
    fn push(&mut self, terms: &[Term], by: f32) {
        for term in terms {
            match self.frames.body_of(term.node) {
                None => {
                    let i = term.node as usize;
                    self.state.velocity[i] += self.model.inv_mass[i] * by * term.linear;
                }
                Some(body) => self.blocks.push_along(body, term.linear, term.angular, by),
            }
        }
    }
}
