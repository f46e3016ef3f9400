//! Position correction: a part of the overlap that is left, removed from positions only, so that it
//! adds no energy (nonlinear Gauss–Seidel, as in Box2D up to version 2).

use super::{Bound, Row, Rows, Stage, moved};
use crate::solver::nodes::Nodes;

/// The part of the overlap that one round of position correction removes.
const CORRECTION: f32 = 0.2;
/// The most a round of position correction removes, m.
const MOST_CORRECTION: f32 = 0.2;

/// A round of position correction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Correction {
    /// The part of the overlap that it removes.
    pub(crate) part: f32,
    /// Overlap that is left alone, m.
    pub(crate) slop: f32,
    /// The most that it removes, m.
    pub(crate) most: f32,
}

impl Correction {
    /// One of `rounds` rounds in a sub-step of `h` seconds in which error is undone at `speed` at most.
    pub(crate) fn new(rounds: u32, slop: f32, speed: f32, h: f32) -> Self {
        let most = MOST_CORRECTION.min(speed * h / rounds as f32);
        Self { part: CORRECTION, slop, most }
    }
}

impl Rows {
    /// Some rounds of position correction of everything that only pushes; after each, `others` does as many
    /// rounds as it is told.
    pub(crate) fn correct_positions(
        &mut self,
        rounds: u32,
        correction: Correction,
        nodes: &mut Nodes,
        mut others: impl FnMut(u32, &mut Nodes),
    ) {
        let pushes = |row: &&Row| row.k > 0.0 && matches!(row.bound, Bound::Push { back: 0.0, .. });
        let Correction { part, slop, most } = correction;
        if !self.rows.iter().any(|row| pushes(&row)) {
            return others(rounds, nodes);
        }
        self.couple(|term| moved(term, nodes));
        for _ in 0..rounds {
            for index in 0..self.rows.len() {
                let row = &self.rows[index];
                if !pushes(&row) {
                    continue;
                }
                let error = (self.error(row, nodes) + slop).min(0.0);
                let corrected = (part * error).max(-most);
                if corrected < 0.0 {
                    self.ask(index, nodes);
                    let k = self.rows[index].k;
                    self.shift(index, if k > 0.0 { -corrected / k } else { 0.0 }, nodes);
                }
            }
            others(1, nodes);
        }
        self.uncouple(Stage::Places, nodes);
    }

    /// The largest error of an equation, m.
    pub(crate) fn largest_error(&mut self, nodes: &Nodes) -> f32 {
        let equations = self.rows.iter().filter(|row| {
            row.k > 0.0 && matches!(row.bound, Bound::Free | Bound::Both { .. } | Bound::Second)
        });
        let of_rows = equations.map(|row| self.error(row, nodes).abs()).fold(0.0, f32::max);
        of_rows.max(self.wholes.alike.largest_error(nodes, &self.threads))
    }
}
