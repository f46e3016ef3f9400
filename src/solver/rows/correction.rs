//! Position correction: a part of the overlap that is left, removed from positions only, so that it
//! adds no energy (nonlinear Gauss–Seidel, as in Box2D up to version 2).

use super::{Bound, Rows};
use crate::solver::nodes::Nodes;

/// The part of the overlap that one round of position correction removes.
const CORRECTION: f32 = 0.2;
/// The most a round of position correction removes, m.
const MOST_CORRECTION: f32 = 0.2;

impl Rows {
    /// One of `rounds` rounds of position correction of everything that only pushes, in a sub-step of
    /// `h` seconds. Overlap of up to `slop` metres is left alone.
    pub(crate) fn correct_positions(&self, rounds: u32, slop: f32, h: f32, nodes: &mut Nodes) {
        let most = MOST_CORRECTION.min(self.recovery * h / rounds as f32);
        for row in self.rows.iter().filter(|row| row.k > 0.0) {
            if let Bound::Push { back: 0.0, .. } = row.bound {
                let error = (self.error(row, nodes) + slop).min(0.0);
                let corrected = (CORRECTION * error).max(-most);
                self.shift(row, -corrected / row.k, nodes);
            }
        }
    }

    /// The largest error of an equation, m.
    pub(crate) fn largest_error(&self, nodes: &Nodes) -> f32 {
        let equations = self.rows.iter().filter(|row| {
            row.k > 0.0 && matches!(row.bound, Bound::Free | Bound::Both { .. } | Bound::Second)
        });
        equations.map(|row| self.error(row, nodes).abs()).fold(0.0, f32::max)
    }
}
