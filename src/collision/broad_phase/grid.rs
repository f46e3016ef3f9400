//! A uniform grid of boxes.
//!
//! The cell is sized after the median box; each box is entered in every cell it covers, and cells are hashed to buckets
//! and filled by counting sort. Two boxes meet in the cell that holds the lower left corner of their overlap and in no
//! other, so that they do so once (Ericson, “Real-Time Collision Detection”, 2005, §7.1). Boxes much larger than a cell
//! (the ground) would fill thousands of cells; they are few, and are listed instead.

use std::ops::Range;

use crate::math::{Aabb, Mapped, Vec2};

/// Cells a box may cover along an axis before it counts as large.
const MOST_CELLS: f32 = 6.0;

/// Some boxes in the cells of a grid.
#[derive(Clone, Debug, Default)]
pub(super) struct Grid {
    /// Cells in a meter.
    per_meter: f32,
    large: Vec<u32>,
    starts: Vec<u32>,
    entries: Vec<Entry>,
}

/// One box in one cell.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Entry {
    cell: [i32; 2],
    /// The number of the box, with [`COLUMN`] if it begins in this column of cells, and [`ROW`] if it begins in this row.
    index: u32,
    group: u32,
}

const COLUMN: u32 = 1 << 31;
const ROW: u32 = 1 << 30;

/// The cells that a box covers: the first and the last along both axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cells {
    low: [i32; 2],
    high: [i32; 2],
}

impl Cells {
    /// Tells of a box in each of them.
    fn each(self, index: u32, group: u32, mut tell: impl FnMut(Entry)) {
        let Self { low, high } = self;
        for y in low[1]..=high[1] {
            let row = if y == low[1] { ROW } else { 0 };
            for x in low[0]..=high[0] {
                let column = if x == low[0] { COLUMN } else { 0 };
                tell(Entry { cell: [x, y], index: index | row | column, group });
            }
        }
    }
}

impl Entry {
    /// The number of the box.
    fn index(&self) -> u32 {
        self.index & !(ROW | COLUMN)
    }

    /// Whether this is the cell in which its box and that of another entry meet, if they do and are not of one group.
    #[inline(always)]
    fn meets(&self, other: &Self) -> bool {
        // What both cover begins where the later of them does.
        let begins = (self.index | other.index) & (ROW | COLUMN);
        // All are looked at, as which of them fails is as good as random.
        let [x, y] = [0, 1].mapped(|axis: usize| self.cell[axis] == other.cell[axis]);
        (begins == ROW | COLUMN) & x & y & (self.group != other.group)
    }
}

impl Grid {
    /// Sizes cells after these boxes: somewhat larger than the median one, so that most touch one to four cells.
    pub(super) fn size_cells(&mut self, boxes: &[Aabb], extents: &mut Vec<f32>) {
        extents.clear();
        extents.extend(boxes.iter().map(|b| b.size().max_element()));
        let middle = extents.len() / 2;
        let (_, median, _) = extents.select_nth_unstable_by(middle, f32::total_cmp);
        let size = if median.is_finite() { (1.25 * *median).max(1e-4) } else { 1.0 };
        self.per_meter = 1.0 / size;
    }

    /// Takes cells of the same size as another grid has.
    pub(super) fn size_cells_as(&mut self, other: &Self) {
        self.per_meter = other.per_meter;
    }

    /// Makes room for one of so many boxes of another grid.
    pub(super) fn make_room(&mut self, of: usize, other: &Self) {
        let (entries, starts) = (other.entries.len() / of, other.starts.len() / of + 2);
        self.entries.reserve(entries.saturating_sub(self.entries.len()));
        self.starts.reserve(starts.saturating_sub(self.starts.len()));
    }

    /// The cells of a box; none if it is large.
    pub(super) fn cells(&self, bounds: Aabb) -> Option<Cells> {
        // A box that is not finite fails the comparison and counts as large.
        let small = bounds.size().max_element() * self.per_meter <= MOST_CELLS;
        let cell_of = |at: Vec2| [at.x, at.y].mapped(|at| floor(at * self.per_meter));
        small.then(|| Cells { low: cell_of(bounds.min), high: cell_of(bounds.max) })
    }

    /// Forgets all boxes, and enters these, in ascending order. Their numbers are less than 2³⁰.
    pub(super) fn enter(
        &mut self,
        members: impl ExactSizeIterator<Item = u32>,
        boxes: &[Aabb],
        groups: &[u32],
        scratch: &mut Vec<Entry>,
    ) {
        let buckets = (2 * members.len()).next_power_of_two();
        self.large.clear();
        scratch.clear();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for index in members {
            match self.cells(boxes[index as usize]) {
                Some(cells) => cells.each(index, groups[index as usize], |entry| {
                    self.starts[bucket_of(entry.cell, buckets)] += 1;
                    scratch.push(entry);
                }),
                None => self.large.push(index),
            }
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.entries.clear();
        self.entries.resize(scratch.len(), Entry::default());
        // Each start is the end as yet: filled from the back, they end up where they belong.
        for &entry in scratch.iter().rev() {
            let place = &mut self.starts[bucket_of(entry.cell, buckets)];
            *place -= 1;
            self.entries[*place as usize] = entry;
        }
    }

    /// The number of buckets.
    pub(super) fn buckets(&self) -> usize {
        self.starts.len() - 1
    }

    /// The large boxes, in ascending order.
    pub(super) fn large(&self) -> &[u32] {
        &self.large
    }

    /// Tells of every two boxes of these buckets that may overlap.
    #[inline(always)]
    pub(super) fn each_two(&self, buckets: Range<usize>, mut tell: impl FnMut(u32, u32)) {
        for range in self.starts[buckets.start..=buckets.end].windows(2) {
            let bucket = &self.entries[range[0] as usize..range[1] as usize];
            for (k, first) in bucket.iter().enumerate() {
                for second in bucket[k + 1..].iter().filter(|second| first.meets(second)) {
                    tell(first.index(), second.index());
                }
            }
        }
    }

    /// Tells of every box, but large ones, that may overlap another one with these cells.
    pub(super) fn each_with(
        &self,
        cells: Cells,
        index: u32,
        group: u32,
        mut tell: impl FnMut(u32),
    ) {
        cells.each(index, group, |entry| {
            let bucket = bucket_of(entry.cell, self.buckets());
            let range = self.starts[bucket] as usize..self.starts[bucket + 1] as usize;
            for other in self.entries[range].iter().filter(|other| entry.meets(other)) {
                tell(other.index());
            }
        });
    }
}

/// The largest whole number that is not larger; whatever lies beyond the range of cells shares the outermost
/// ones. Not every processor has an instruction for `f32::floor`.
fn floor(at: f32) -> i32 {
    let toward_zero = at as i32;
    toward_zero.saturating_sub(i32::from(toward_zero as f32 > at))
}

fn bucket_of(cell: [i32; 2], buckets: usize) -> usize {
    let mixed =
        (cell[0] as u32).wrapping_mul(0x9e37_79b1) ^ (cell[1] as u32).wrapping_mul(0x85eb_ca77);
    ((mixed ^ (mixed >> 15)) & (buckets as u32 - 1)) as usize
}
