//! Broad phase: pairs of boxes that overlap, from a uniform grid.
//!
//! Scenes of bodies of similar size are what Sinew is built for, and there a grid does a constant
//! amount of work per box. The cell is sized after the median box; each box is entered in every
//! cell it covers, cells are hashed to buckets and filled by counting sort, and a pair is reported
//! only from the cell that holds the lower left corner of the overlap, so that it comes once
//! (Ericson, “Real-Time Collision Detection”, 2005, §7.1). Boxes much larger than a cell (the
//! ground) would fill thousands of cells; they are few, and are tested against every box instead.
//!
//! Measured by `benches/broad_phase.rs` at 100, 1,000 and 10,000 boxes, for a square heap: grid 5.5,
//! 53 and 1,220 µs; sort-and-sweep 1.1, 27 and 2,750 µs; brute force 6.3, 1,800 and 227,000 µs. In
//! a tower 8 m wide the grid costs the same, and sort-and-sweep 1.8, 131 and 20,200 µs.
//!
//! The order of pairs depends on boxes alone, never on memory addresses or hash seeds.

use std::ops::Range;

use crate::math::{Aabb, Vec2};
use crate::threads::Threads;

/// Cells a box may cover along an axis before it counts as large.
const MOST_CELLS: f32 = 6.0;

/// One box in one cell.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    cell: [i32; 2],
    index: u32,
    group: u32,
    /// 1 if the box begins in this column of cells, and 2 if it begins in this row.
    begins: u8,
}

/// A uniform grid over boxes; its memory is reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    extents: Vec<f32>,
    large: Vec<u32>,
    starts: Vec<u32>,
    cells: Vec<Entry>,
    entries: Vec<Entry>,
    /// The pairs found in each block of buckets, and last those with large boxes.
    found: Vec<Vec<(u32, u32)>>,
}

/// Buckets that are searched at a time.
const BLOCK: usize = 1024;

impl BroadPhase {
    /// Writes every overlapping pair `(i, j)`, `i < j`, to `pairs`, each once and in ascending order, but for boxes of
    /// one group.
    ///
    /// # Panics
    /// If there are not as many groups as boxes.
    pub fn find_pairs(&mut self, boxes: &[Aabb], groups: &[u32], pairs: &mut Vec<(u32, u32)>) {
        self.find_some(boxes, groups, |_| true, &Threads::default(), pairs);
    }

    /// The same for those pairs that `may` admits.
    pub(super) fn find_some(
        &mut self,
        boxes: &[Aabb],
        groups: &[u32],
        may: impl Fn((u32, u32)) -> bool + Sync,
        threads: &Threads,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        assert_eq!(boxes.len(), groups.len(), "each box has a group");
        pairs.clear();
        if boxes.len() < 2 {
            return;
        }
        let cell_size = self.cell_size(boxes);
        self.enter(boxes, groups, cell_size);
        let mut found = std::mem::take(&mut self.found);
        let buckets = self.starts.len() - 1;
        let blocks = buckets.div_ceil(BLOCK);
        found.resize(blocks + 1, Vec::new());
        type Part<'a> = (&'a mut [Vec<(u32, u32)>], Range<usize>);
        let search = |(found, blocks): Part<'_>| {
            for (found, block) in found.iter_mut().zip(blocks) {
                found.clear();
                let last = buckets.min((block + 1) * BLOCK);
                self.pairs_in_cells(block * BLOCK..last, boxes, &may, found);
            }
        };
        threads.each((&mut found[..blocks], 0..blocks), 1, search);
        found[blocks].clear();
        self.pairs_with_large(boxes, groups, &may, &mut found[blocks]);
        self.found = found;
        self.put_in_order(boxes.len(), pairs);
    }

    /// Lists the pairs that were found in order: sorted by their first numbers into buckets, and each of these, in which
    /// there are few, by the second.
    fn put_in_order(&mut self, boxes: usize, pairs: &mut Vec<(u32, u32)>) {
        let Self { starts, found, .. } = self;
        let found = || found.iter().flatten();
        starts.clear();
        starts.resize(boxes + 1, 0);
        found().for_each(|pair| starts[pair.0 as usize + 1] += 1);
        for index in 0..boxes {
            starts[index + 1] += starts[index];
        }
        pairs.resize(starts[boxes] as usize, (0, 0));
        for pair in found() {
            let place = &mut starts[pair.0 as usize];
            pairs[*place as usize] = *pair;
            *place += 1;
        }
        // Each start is now where the next one was.
        let mut start = 0;
        for &end in &starts[..boxes] {
            pairs[start..end as usize].sort_unstable_by_key(|pair| pair.1);
            start = end as usize;
        }
    }

    /// Somewhat larger than the median box, so that most boxes touch one to four cells.
    fn cell_size(&mut self, boxes: &[Aabb]) -> f32 {
        self.extents.clear();
        self.extents.extend(boxes.iter().map(|b| b.size().max_element()));
        let middle = self.extents.len() / 2;
        let (_, median, _) = self.extents.select_nth_unstable_by(middle, f32::total_cmp);
        if median.is_finite() { (1.25 * *median).max(1e-4) } else { 1.0 }
    }

    /// Sorts boxes into buckets of cells, and large boxes into a list of their own.
    fn enter(&mut self, boxes: &[Aabb], groups: &[u32], cell_size: f32) {
        let per_meter = 1.0 / cell_size;
        let buckets = (2 * boxes.len()).next_power_of_two();
        self.large.clear();
        self.cells.clear();
        self.starts.clear();
        self.starts.resize(buckets + 1, 0);
        for (index, bounds) in boxes.iter().enumerate() {
            // A box that is not finite fails the comparison and counts as large.
            if !(bounds.size().max_element() <= MOST_CELLS * cell_size) {
                self.large.push(index as u32);
                continue;
            }
            let (low, high) = (cell_of(bounds.min, per_meter), cell_of(bounds.max, per_meter));
            for y in low[1]..=high[1] {
                for x in low[0]..=high[0] {
                    let bucket = bucket_of([x, y], buckets);
                    let begins = u8::from(x == low[0]) | u8::from(y == low[1]) << 1;
                    let (cell, group) = ([x, y], groups[index]);
                    let entry = Entry { cell, index: index as u32, group, begins };
                    self.cells.push(entry);
                    self.starts[bucket as usize + 1] += 1;
                }
            }
        }
        for bucket in 0..buckets {
            self.starts[bucket + 1] += self.starts[bucket];
        }
        self.entries.clear();
        self.entries.resize(self.cells.len(), Entry::default());
        // Fill from the back, so that the starts end up where they were.
        for &entry in self.cells.iter().rev() {
            let end = &mut self.starts[bucket_of(entry.cell, buckets) as usize + 1];
            *end -= 1;
            self.entries[*end as usize] = entry;
        }
        self.starts.remove(0);
        self.starts.push(self.entries.len() as u32);
    }

    fn pairs_in_cells(
        &self,
        buckets: Range<usize>,
        boxes: &[Aabb],
        may: impl Fn((u32, u32)) -> bool,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        for range in self.starts[buckets.start..=buckets.end].windows(2) {
            let bucket = &self.entries[range[0] as usize..range[1] as usize];
            for (k, first) in bucket.iter().enumerate() {
                for second in &bucket[k + 1..] {
                    // What both cover begins where the later of them does.
                    let here = first.begins | second.begins == 3;
                    if !here || first.cell != second.cell || first.group == second.group {
                        continue;
                    }
                    let (a, b) = (boxes[first.index as usize], boxes[second.index as usize]);
                    let pair = ordered(first.index, second.index);
                    if a.overlaps(b) && may(pair) {
                        pairs.push(pair);
                    }
                }
            }
        }
    }

    fn pairs_with_large(
        &self,
        boxes: &[Aabb],
        groups: &[u32],
        may: impl Fn((u32, u32)) -> bool,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        for &large in &self.large {
            for (other, bounds) in boxes.iter().enumerate() {
                let other = other as u32;
                let seen = other < large && self.is_large(other);
                let alike = groups[other as usize] == groups[large as usize];
                let pair = ordered(large, other);
                if !seen && !alike && bounds.overlaps(boxes[large as usize]) && may(pair) {
                    pairs.push(pair);
                }
            }
        }
    }

    fn is_large(&self, index: u32) -> bool {
        self.large.binary_search(&index).is_ok()
    }
}

fn ordered(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

fn cell_of(at: Vec2, per_meter: f32) -> [i32; 2] {
    [at.x, at.y].map(|at| floor(at * per_meter))
}

/// The largest whole number that is not larger; whatever lies beyond the range of cells shares the outermost
/// ones. Not every processor has an instruction for `f32::floor`.
fn floor(at: f32) -> i32 {
    let toward_zero = at as i32;
    toward_zero.saturating_sub(i32::from(toward_zero as f32 > at))
}

fn bucket_of(cell: [i32; 2], buckets: usize) -> u32 {
    let mixed =
        (cell[0] as u32).wrapping_mul(0x9e37_79b1) ^ (cell[1] as u32).wrapping_mul(0x85eb_ca77);
    (mixed ^ (mixed >> 15)) & (buckets as u32 - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn brute_force(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        for i in 0..boxes.len() {
            for j in i + 1..boxes.len() {
                if boxes[i].overlaps(boxes[j]) {
                    pairs.push((i as u32, j as u32));
                }
            }
        }
        pairs
    }

    fn grid(boxes: &[Aabb]) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        let groups: Vec<u32> = (0..boxes.len() as u32).collect();
        BroadPhase::default().find_pairs(boxes, &groups, &mut pairs);
        pairs.sort_unstable();
        pairs
    }

    proptest! {
        #[test]
        fn finds_what_brute_force_finds(
            raw in prop::collection::vec(
                (-20.0_f32..20.0, -20.0_f32..20.0, 0.0_f32..3.0, 0.0_f32..3.0, 0..12_u8), 0..120
            )
        ) {
            let boxes: Vec<Aabb> = raw.iter().map(|&(x, y, w, h, kind)| {
                let scale = if kind == 0 { 20.0 } else { 1.0 };
                let min = Vec2::new(x, y);
                Aabb { min, max: min + scale * Vec2::new(w, h) }
            }).collect();
            prop_assert_eq!(grid(&boxes), brute_force(&boxes));
            let groups: Vec<u32> = (0..boxes.len() as u32).map(|index| index % 4).collect();
            let mut pairs = Vec::new();
            BroadPhase::default().find_pairs(&boxes, &groups, &mut pairs);
            pairs.sort_unstable();
            let others: Vec<_> =
                brute_force(&boxes).into_iter().filter(|(a, b)| a % 4 != b % 4).collect();
            prop_assert_eq!(pairs, others);
        }
    }

    #[test]
    fn touching_identical_and_infinite_boxes() {
        let unit = Aabb { min: Vec2::ZERO, max: Vec2::ONE };
        let beside = Aabb { min: Vec2::X, max: Vec2::new(2.0, 1.0) };
        let endless = Aabb { min: Vec2::splat(f32::NEG_INFINITY), max: Vec2::splat(f32::INFINITY) };
        let nowhere = Aabb { min: Vec2::splat(f32::NAN), max: Vec2::splat(f32::NAN) };
        assert_eq!(grid(&[unit, unit, beside]), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(grid(&[unit, endless, nowhere]), [(0, 1)]);
        assert_eq!(grid(&[]), []);
    }
}
