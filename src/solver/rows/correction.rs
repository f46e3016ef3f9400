//! Position correction: a part of the error that is left, removed from positions only, so that it
//! adds no energy (nonlinear Gauss–Seidel, as in Box2D).

use super::{Bound, Rows};
use crate::solver::common::solve_pair;
use crate::solver::nodes::Nodes;

/// Overlap left alone by position correction, m: contacts stay contacts. Box2D's value.
const SLOP: f32 = 0.005;
/// The part of the error that one round of position correction removes.
const CORRECTION: f32 = 0.2;
/// The most a round of position correction removes, m.
const MOST_CORRECTION: f32 = 0.2;

impl Rows {
    /// One round of position correction; returns the largest error it found, m.
    pub(crate) fn correct_positions(&self, nodes: &mut Nodes) -> f32 {
        let mut largest = 0.0_f32;
        for (index, row) in self.rows.iter().enumerate().filter(|(_, row)| row.k > 0.0) {
            let error = match row.bound {
                Bound::Free | Bound::Both { .. } => self.error(row, nodes),
                Bound::Push { .. } => (self.error(row, nodes) + SLOP).min(0.0),
                Bound::Second
                | Bound::Friction { .. }
                | Bound::Springy(..)
                | Bound::Drive { .. } => continue,
            };
            if let Bound::Both { coupling } = row.bound {
                let second = &self.rows[index + 1];
                let errors = [error, self.error(second, nodes)];
                largest = largest.max(errors[0].hypot(errors[1]));
                let by = solve_pair([row.k, second.k], coupling, errors.map(corrected));
                self.shift(row, -by[0], nodes);
                self.shift(second, -by[1], nodes);
            } else {
                largest = largest.max(error.abs());
                self.shift(row, -corrected(error) / row.k, nodes);
            }
        }
        largest
    }
}

/// The part of an error that one round of position correction removes.
fn corrected(error: f32) -> f32 {
    (CORRECTION * error).clamp(-MOST_CORRECTION, MOST_CORRECTION)
}
