//! Where what sleeps lies: a grid of the boxes of its pieces, kept for as long as the same bodies sleep.

use std::collections::HashMap;

use crate::math::{Aabb, Vec2};

/// A box that covers more cells than this along an axis is looked at whatever is asked for.
const MOST_CELLS: i64 = 16;

/// Boxes by the cells of a grid that they cover.
#[derive(Clone, Debug, Default)]
pub(super) struct Resting {
    cell: f32,
    /// Looked up, never iterated.
    cells: HashMap<(i64, i64), Vec<u32>>,
    /// All pieces that are in cells.
    small: Vec<u32>,
    large: Vec<u32>,
}

impl Resting {
    /// An empty grid for boxes of about this size, m.
    pub(super) fn new(size: f32) -> Self {
        Self { cell: size.clamp(1e-3, 1e3), ..Self::default() }
    }

    /// Adds a piece and the box around it.
    pub(super) fn insert(&mut self, piece: u32, bounds: Aabb) {
        match self.covered(bounds) {
            Some(cells) => {
                self.small.push(piece);
                for cell in cells {
                    self.cells.entry(cell).or_default().push(piece);
                }
            }
            None => self.large.push(piece),
        }
    }

    /// Calls `found` with every piece whose cells a box shares; a piece may come more than once.
    pub(super) fn near(&self, bounds: Aabb, mut found: impl FnMut(u32)) {
        self.large.iter().copied().for_each(&mut found);
        match self.covered(bounds) {
            Some(cells) => {
                let lists = cells.filter_map(|cell| self.cells.get(&cell));
                lists.flatten().copied().for_each(found);
            }
            None => self.small.iter().copied().for_each(found),
        }
    }

    /// The cells that a box covers; `None` if there are many, or it is not finite.
    fn covered(&self, bounds: Aabb) -> Option<impl Iterator<Item = (i64, i64)> + use<>> {
        let cell = |at: Vec2| {
            let at = at / self.cell;
            (at.x.floor() as i64, at.y.floor() as i64)
        };
        let (low, high) = (cell(bounds.min), cell(bounds.max));
        let few = |low: i64, high: i64| (0..MOST_CELLS).contains(&high.saturating_sub(low));
        let finite = bounds.min.is_finite() && bounds.max.is_finite();
        (finite && few(low.0, high.0) && few(low.1, high.1))
            .then(|| (low.1..=high.1).flat_map(move |y| (low.0..=high.0).map(move |x| (x, y))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_found_where_they_are() {
        let at =
            |x: f32, size: f32| Aabb { min: Vec2::new(x, 0.0), max: Vec2::new(x + size, size) };
        let mut resting = Resting::new(1.0);
        for (piece, bounds) in [(0, at(0.2, 0.5)), (1, at(0.8, 1.0)), (2, at(-50.0, 100.0))] {
            resting.insert(piece, bounds);
        }
        let near = |resting: &Resting, bounds| {
            let mut found = Vec::new();
            resting.near(bounds, |piece| found.push(piece));
            found.sort_unstable();
            found.dedup();
            found
        };
        assert_eq!(near(&resting, at(0.1, 0.1)), [0, 1, 2]);
        assert_eq!(near(&resting, at(1.1, 0.1)), [1, 2]);
        assert_eq!(near(&resting, at(7.0, 0.1)), [2]);
        assert_eq!(near(&resting, at(-100.0, 200.0)), [0, 1, 2]);
    }
}
