//! Broad phase: pairs of boxes that overlap, from a sweep along strips (`strips.rs`).
//!
//! Scenes of bodies of similar size are what Sinew is built for, and there a strip has a constant
//! amount of work per box. Boxes that are too large for that are tested against every box.
//!
//! Where only some boxes are others than before, as at the top of a pile that settles, the strips of the last search of
//! all stay, those that have changed since stand in strips of their own, and only pairs of the new ones are searched.
//!
//! Measured by `benches/broad_phase.rs` at 100, 1,000 and 10,000 boxes, for a square heap: strips 4.8, 45 and 930 µs (a
//! uniform grid 7.5, 96 and 1,450); sort-and-sweep 1.6, 38 and 1,220 µs; brute force 6.0, 430 and 36,300 µs. In a tower
//! 8 m wide strips cost the same, and sort-and-sweep 2.3, 193 and 19,300 µs.
//!
//! The order of pairs depends on boxes alone, never on memory addresses or hash seeds.

mod strips;

use std::ops::Range;

use crate::math::Aabb;
use crate::threads::{Stretches, Threads};
use strips::Strips;

/// All are searched anew when one box of so many has changed.
const FEW: usize = 4;
/// Entries of strips, or boxes, that are searched at a time.
const BLOCK: usize = 1024;
const NEW_BLOCK: usize = 256;

/// Whether a box has changed since the last search of all, and whether it has now.
const CHANGED: u8 = 1;
const NEW: u8 = 2;

/// Strips over boxes; their memory is reused from call to call.
#[derive(Clone, Debug, Default)]
pub struct BroadPhase {
    /// The boxes of the last search of all, and how many there are.
    all: Strips,
    count: usize,
    /// Those that have changed since.
    changed: Strips,
    /// The numbers of those.
    changes: Vec<u32>,
    /// What there is to know of each box, by its name.
    marks: Vec<u8>,
    extents: Vec<f32>,
    /// The pairs found in each block, and after these all new ones in order.
    found: Vec<Vec<(u32, u32)>>,
    starts: Vec<u32>,
}

/// Boxes, and which of their pairs count.
#[derive(Clone, Copy, Debug)]
pub(super) struct Boxes<'a, M> {
    pub(super) boxes: &'a [Aabb],
    /// Boxes of one group are no pair.
    pub(super) groups: &'a [u32],
    /// What each is called in pairs, in ascending order.
    pub(super) names: &'a [u32],
    /// Which pairs count, by the numbers of their boxes.
    pub(super) may: M,
}

impl<M: Fn((u32, u32)) -> bool> Boxes<'_, M> {
    /// Adds two boxes that overlap, and are not of one group, to pairs, if they count.
    #[inline(always)]
    fn add(&self, a: u32, b: u32, pairs: &mut Vec<(u32, u32)>) {
        let pair = (a.min(b), a.max(b));
        if (self.may)(pair) {
            pairs.push((self.names[pair.0 as usize], self.names[pair.1 as usize]));
        }
    }

    /// The same for any two boxes.
    fn add_if_they_meet(&self, a: u32, b: u32, pairs: &mut Vec<(u32, u32)>) {
        let are_strangers = self.groups[a as usize] != self.groups[b as usize];
        if are_strangers && self.boxes[a as usize].overlaps(self.boxes[b as usize]) {
            self.add(a, b, pairs);
        }
    }

    /// Adds the pairs of large boxes, in ascending order, with any of some others.
    fn add_with_large(&self, large: &[u32], others: Range<usize>, pairs: &mut Vec<(u32, u32)>) {
        for &one in large {
            let bounds = self.boxes[one as usize];
            let all = (others.start as u32..).zip(&self.boxes[others.clone()]);
            for (other, _) in all.filter(|(_, other)| bounds.overlaps(**other)) {
                // Of two large ones the upper finds the lower.
                if other > one || large.binary_search(&other).is_err() {
                    self.add_if_they_meet(one, other, pairs);
                }
            }
        }
    }
}

/// Blocks of what is searched, and the pairs found in each.
type Part<'a> = (&'a mut [Vec<(u32, u32)>], Range<usize>);

impl BroadPhase {
    /// Writes every overlapping pair `(i, j)`, `i < j`, to `pairs`, each once and in ascending order, but for boxes of
    /// one group.
    ///
    /// # Panics
    /// If there are not as many groups as boxes.
    pub fn find_pairs(&mut self, boxes: &[Aabb], groups: &[u32], pairs: &mut Vec<(u32, u32)>) {
        assert_eq!(boxes.len(), groups.len(), "each box has a group");
        let names: Vec<u32> = (0..boxes.len() as u32).collect();
        let boxes = Boxes { boxes, groups, names: &names, may: |_| true };
        self.find(boxes, &Threads::default(), pairs);
    }

    /// The same for those pairs that count, by the names of their boxes.
    pub(super) fn find(
        &mut self,
        of: Boxes<'_, impl Fn((u32, u32)) -> bool + Copy + Sync>,
        threads: &Threads,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let Self { all, count, changed, changes, marks, extents, found, starts } = self;
        let Boxes { boxes, groups, names, .. } = of;
        *count = boxes.len();
        changes.clear();
        marks.clear();
        marks.resize(names.last().map_or(0, |name| *name as usize + 1), 0);
        if boxes.len() < 2 {
            pairs.clear();
            return;
        }
        all.size(boxes, extents);
        all.enter(boxes.len(), |place| place as u32, boxes, groups, threads);
        // So that following a few that change asks for no memory in a later step.
        changes.reserve(boxes.len() / FEW);
        changed.make_room(FEW, all);
        let entries = all.len();
        let in_strips = entries.div_ceil(BLOCK);
        let large = all.large();
        let with_large = if large.is_empty() { 0 } else { boxes.len().div_ceil(BLOCK) };
        let blocks = in_strips + with_large;
        make_room(found, blocks);
        let search = |(found, blocks): Part<'_>| {
            for (found, block) in found.iter_mut().zip(blocks) {
                if block < in_strips {
                    let last = entries.min((block + 1) * BLOCK);
                    all.each_two(block * BLOCK..last, |a, b| of.add(a, b, found));
                    continue;
                }
                let first = (block - in_strips) * BLOCK;
                of.add_with_large(large, first..boxes.len().min(first + BLOCK), found);
            }
        };
        threads.each((&mut found[..blocks], 0..blocks), 1, search);
        put_in_order(&found[..blocks], names, starts, threads, pairs);
    }

    /// How many boxes [`BroadPhase::follow`] is worth while for.
    pub(super) fn most_to_follow(&self) -> usize {
        (self.count / FEW).saturating_sub(self.changes.len())
    }

    /// Brings pairs up to date where only the boxes with these numbers, in ascending order, are others than before.
    pub(super) fn follow(
        &mut self,
        new: &[u32],
        of: Boxes<'_, impl Fn((u32, u32)) -> bool + Copy + Sync>,
        threads: &Threads,
        pairs: &mut Vec<(u32, u32)>,
    ) {
        let Self { all, changed, changes, marks, found, starts, .. } = self;
        let Boxes { boxes, groups, names, .. } = of;
        for &index in new {
            let mark = &mut marks[names[index as usize] as usize];
            if *mark & CHANGED == 0 {
                changes.push(index);
            }
            *mark = CHANGED | NEW;
        }
        changes.sort_unstable();
        changed.size_as(all);
        changed.enter(changes.len(), |place| changes[place], boxes, groups, threads);
        let blocks = new.len().div_ceil(NEW_BLOCK);
        make_room(found, blocks + 1);
        let is = |what: u8, index: u32| marks[names[index as usize] as usize] & what != 0;
        let search = |(found, blocks): Part<'_>| {
            for (found, block) in found.iter_mut().zip(blocks) {
                let last = new.len().min((block + 1) * NEW_BLOCK);
                for &index in &new[block * NEW_BLOCK..last] {
                    let (group, bounds) = (groups[index as usize], boxes[index as usize]);
                    let stays = |other: &u32| !is(CHANGED, *other);
                    // Two new boxes are found by the lower one.
                    let is_first = |other: &u32| *other > index || !is(NEW, *other);
                    let Some(strips) = all.covered(bounds) else {
                        let others = (0..boxes.len() as u32).filter(is_first);
                        others.for_each(|other| of.add_if_they_meet(index, other, found));
                        continue;
                    };
                    let large = all.large().iter().copied().filter(stays);
                    for other in large.chain(changed.large().iter().copied().filter(is_first)) {
                        of.add_if_they_meet(index, other, found);
                    }
                    all.each_with(strips, index, group, bounds, |other| {
                        if stays(&other) {
                            of.add(index, other, found);
                        }
                    });
                    changed.each_with(strips, index, group, bounds, |other| {
                        if is_first(&other) {
                            of.add(index, other, found);
                        }
                    });
                }
            }
        };
        threads.each((&mut found[..blocks], 0..blocks), 1, search);
        let stays = |name: u32| marks[name as usize] & NEW == 0;
        pairs.retain(|pair| stays(pair.0) && stays(pair.1));
        new.iter().for_each(|&index| marks[names[index as usize] as usize] = CHANGED);
        let (found, in_order) = found.split_at_mut(blocks);
        put_in_order(found, names, starts, threads, &mut in_order[0]);
        merge(&in_order[0], pairs);
    }
}

/// Lists the pairs that were found in order: sorted by their first names into buckets, and each of these, in which
/// there are few, by the second.
fn put_in_order(
    found: &[Vec<(u32, u32)>],
    names: &[u32],
    starts: &mut Vec<u32>,
    threads: &Threads,
    pairs: &mut Vec<(u32, u32)>,
) {
    let found = || found.iter().flatten();
    let buckets = names.last().map_or(0, |name| *name as usize + 1);
    starts.clear();
    starts.resize(buckets, 0);
    found().for_each(|pair| starts[pair.0 as usize] += 1);
    let mut end = 0;
    for start in &mut *starts {
        end += *start;
        *start = end;
    }
    pairs.resize(end as usize, (0, 0));
    // Each start is the end as yet: filled from the back, they end up where they belong.
    for pair in found() {
        let place = &mut starts[pair.0 as usize];
        *place -= 1;
        pairs[*place as usize] = *pair;
    }
    let buckets = Stretches::new(&starts[..], &mut pairs[..]);
    threads.each(buckets, BLOCK, |buckets| {
        buckets.each(|bucket| bucket.sort_unstable_by_key(|pair| pair.1));
    });
}

/// Merges pairs into others, both in order.
fn merge(new: &[(u32, u32)], pairs: &mut Vec<(u32, u32)>) {
    let mut left = pairs.len();
    pairs.resize(left + new.len(), (0, 0));
    // From the back, where there is room.
    for (after, &pair) in (0..new.len()).zip(new).rev() {
        while left > 0 && pairs[left - 1] > pair {
            pairs[left + after] = pairs[left - 1];
            left -= 1;
        }
        pairs[left + after] = pair;
    }
}

/// Empties lists, and makes room for so many.
fn make_room(found: &mut Vec<Vec<(u32, u32)>>, count: usize) {
    found.iter_mut().for_each(Vec::clear);
    if found.len() < count {
        found.resize(count, Vec::new());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
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

    fn strips(boxes: &[Aabb]) -> Vec<(u32, u32)> {
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
            prop_assert_eq!(strips(&boxes), brute_force(&boxes));
            let groups: Vec<u32> = (0..boxes.len() as u32).map(|index| index % 4).collect();
            let mut pairs = Vec::new();
            BroadPhase::default().find_pairs(&boxes, &groups, &mut pairs);
            pairs.sort_unstable();
            let others: Vec<_> =
                brute_force(&boxes).into_iter().filter(|(a, b)| a % 4 != b % 4).collect();
            prop_assert_eq!(pairs, others);
        }
    }

    proptest! {
        #[test]
        fn following_a_few_boxes_is_the_same_as_finding_all_anew(
            raw in prop::collection::vec(
                (-20.0_f32..20.0, -20.0_f32..20.0, 0.0_f32..3.0, 0.0_f32..3.0, 0..12_u8), 2..120
            ),
            moves in prop::collection::vec(
                prop::collection::btree_map(0..120_usize, (-3.0_f32..3.0, -3.0_f32..3.0, 0..9_u8), 0..10),
                1..5
            ),
        ) {
            let mut boxes: Vec<Aabb> = raw.iter().map(|&(x, y, w, h, kind)| {
                let scale = if kind == 0 { 20.0 } else { 1.0 };
                let min = Vec2::new(x, y);
                Aabb { min, max: min + scale * Vec2::new(w, h) }
            }).collect();
            let groups: Vec<u32> = (0..boxes.len() as u32).map(|index| index / 2).collect();
            let names: Vec<u32> = (0..boxes.len() as u32).map(|index| 3 * index + 1).collect();
            let threads = Threads::default();
            let (mut broad_phase, mut followed, mut found) = <(BroadPhase, _, _)>::default();
            let may = |pair: (u32, u32)| !(pair.0 + pair.1).is_multiple_of(7);
            broad_phase.find(Boxes { boxes: &boxes, groups: &groups, names: &names, may }, &threads, &mut followed);
            for moves in moves {
                let mut new = Vec::new();
                for (index, (x, y, kind)) in moves {
                    if let Some(bounds) = boxes.get_mut(index) {
                        let by = Vec2::new(x, y);
                        let grown = if kind == 0 { 15.0 } else { 0.0 };
                        *bounds = Aabb { min: bounds.min + by, max: bounds.max + by }.grown(grown);
                        new.push(index as u32);
                    }
                }
                let of = Boxes { boxes: &boxes, groups: &groups, names: &names, may };
                broad_phase.follow(&new, of, &threads, &mut followed);
                BroadPhase::default().find(of, &threads, &mut found);
                prop_assert_eq!(&followed, &found);
            }
        }
    }

    #[test]
    fn touching_identical_and_infinite_boxes() {
        let unit = Aabb { min: Vec2::ZERO, max: Vec2::ONE };
        let beside = Aabb { min: Vec2::X, max: Vec2::new(2.0, 1.0) };
        let endless = Aabb { min: Vec2::splat(f32::NEG_INFINITY), max: Vec2::splat(f32::INFINITY) };
        let nowhere = Aabb { min: Vec2::splat(f32::NAN), max: Vec2::splat(f32::NAN) };
        assert_eq!(strips(&[unit, unit, beside]), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(strips(&[unit, endless, nowhere]), [(0, 1)]);
        assert_eq!(strips(&[]), []);
    }
}
