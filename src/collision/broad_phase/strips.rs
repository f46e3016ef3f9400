//! Boxes in strips: rows of one height across the world, in each of which boxes stand in the order in which they begin.
//!
//! A strip is as high as the median box is large, or somewhat more; each box is entered in every strip it covers. A box
//! can only overlap those that come after it in a strip until one begins where it has ended; all that a sweep looks at
//! stands side by side. Two boxes meet in the strip where the upper of them begins and in no other, so that they do so
//! once. Strips are numbered without end and share a few lists. Boxes much larger than others (the ground) would be swept
//! over at length; they are few, and are listed instead.
//!
//! (Sort and sweep: Ericson, “Real-Time Collision Detection”, 2005, §7.5. In the plane alone it looks at all that is above
//! and below; cut into segments it does not: Tracy, Buss, Woods, “Efficient Large-Scale Sweep and Prune Methods with AABB
//! Insertion and Removal”, 2009.)

use std::ops::Range;

use glam::{Vec4, Vec4Swizzles};

use crate::math::{Aabb, Mapped, in_order};
use crate::threads::{Stretches, Threads};

/// A box larger than so many strips are high counts as large.
const MOST_STRIPS: f32 = 6.0;
/// So many strips have lists of their own at least: two that share one are farther apart than any two boxes reach that meet.
const LEAST_LISTS: usize = 16;
/// The most boxes that strips are sized after.
const SAMPLE: usize = 1000;
/// The work on so few lists, or entries, is not worth sharing out.
const LISTS: usize = 16;
const PART: usize = 1024;

/// Some boxes in strips.
#[derive(Clone, Debug, Default)]
pub(super) struct Strips {
    /// Strips in a metre.
    per_meter: f32,
    large: Vec<u32>,
    /// Where each box stands that is entered.
    stands: Vec<Stand>,
    /// Where the list of each strip begins.
    starts: Vec<u32>,
    /// In which order boxes begin there ([`in_order`]).
    order: Vec<u64>,
    entries: Vec<Entry>,
    /// The widest of these, m.
    widest: f32,
}

/// One box in one strip.
#[derive(Clone, Copy, Debug, Default)]
struct Entry {
    /// Its lower left corner, and the upper right one with the other sign.
    corners: Vec4,
    /// Its number, with [`BEGINS`] if it begins in this strip.
    index: u32,
    group: u32,
}

const BEGINS: u32 = 1 << 31;

/// Where a box begins, and the first and the last strip that it covers; if it is large the first is above the last.
#[derive(Clone, Copy, Debug, Default)]
struct Stand {
    x: f32,
    low: i32,
    high: i32,
}

impl Entry {
    /// That of a box, by its number, which may have [`BEGINS`].
    #[inline(always)]
    fn new(index: u32, bounds: Aabb, group: u32) -> Self {
        Self { corners: Vec4::from((bounds.min, -bounds.max)), index, group }
    }

    /// The number of the box.
    fn index(&self) -> u32 {
        self.index & !BEGINS
    }

    /// Tells of every box that this one meets in this strip and in no lower one, unless they are of one group, among those
    /// from the first on that may reach it.
    #[inline(always)]
    fn each_met(&self, others: &[Self], mut tell: impl FnMut(u32)) {
        // What the corners of another box do not exceed if it overlaps.
        let most = -self.corners.zwxy();
        for other in others {
            let within = other.corners.cmple(most).bitmask();
            if within & 1 == 0 {
                // It begins where this one has ended, and so do all after it.
                break;
            }
            let begins = (self.index | other.index) & BEGINS != 0;
            // All are looked at, as which of them fails is as good as random.
            if (within == 0b1111) & begins & (self.group != other.group) {
                tell(other.index());
            }
        }
    }
}

impl Strips {
    /// Sizes strips after these boxes: somewhat higher than the median one is large, so that most touch one or two. Of
    /// many a sample is looked at.
    pub(super) fn size(&mut self, boxes: &[Aabb], extents: &mut Vec<f32>) {
        let count = boxes.len();
        // Golden strides do not keep step with bodies of several pieces, the same in each.
        let stride = if count > SAMPLE { (0.618 * count as f64) as usize | 1 } else { 1 };
        let sample = (0..count.min(SAMPLE)).map(|k| boxes[k * stride % count]);
        extents.clear();
        extents.extend(sample.map(|b| b.size().max_element()));
        let middle = extents.len() / 2;
        let (_, median, _) = extents.select_nth_unstable_by(middle, f32::total_cmp);
        let height = if median.is_finite() { (1.25 * *median).max(1e-4) } else { 1.0 };
        self.per_meter = 1.0 / height;
    }

    /// Takes strips of the same height as others.
    pub(super) fn size_as(&mut self, other: &Self) {
        self.per_meter = other.per_meter;
    }

    /// Makes room for one of so many boxes of others.
    pub(super) fn make_room(&mut self, of: usize, other: &Self) {
        let (entries, starts) = (other.entries.len() / of, other.starts.len() / of + LEAST_LISTS);
        self.order.reserve(entries.saturating_sub(self.order.len()));
        self.entries.reserve(entries.saturating_sub(self.entries.len()));
        self.starts.reserve(starts.saturating_sub(self.starts.len()));
        self.stands.reserve((other.stands.len() / of).saturating_sub(self.stands.len()));
    }

    /// The first and the last strip that a box covers; none if it is large.
    pub(super) fn covered(&self, bounds: Aabb) -> Option<[i32; 2]> {
        // A box that is not finite fails the comparison and counts as large.
        let small = bounds.size().max_element() * self.per_meter <= MOST_STRIPS;
        small.then(|| [bounds.min.y, bounds.max.y].mapped(|y| floor(y * self.per_meter)))
    }

    /// Forgets all boxes, and enters so many, whose numbers, in ascending order, `member` tells. They are less than 2³¹.
    pub(super) fn enter(
        &mut self,
        count: usize,
        member: impl Fn(usize) -> u32 + Sync,
        boxes: &[Aabb],
        groups: &[u32],
        threads: &Threads,
    ) {
        let mut stands = std::mem::take(&mut self.stands);
        stands.resize(count, Stand::default());
        let look = |(stands, places): (&mut [Stand], Range<usize>)| {
            let mut widest = 0.0_f32;
            for (stand, place) in stands.iter_mut().zip(places) {
                let bounds = boxes[member(place) as usize];
                let covered = self.covered(bounds);
                if covered.is_some() {
                    widest = widest.max(bounds.size().x);
                }
                let [low, high] = covered.unwrap_or([1, 0]);
                *stand = Stand { x: bounds.min.x, low, high };
            }
            widest
        };
        self.widest = threads.parts((&mut stands[..], 0..count), PART, &look, &f32::max);
        let lists = (stands.len() / 4).next_power_of_two().max(LEAST_LISTS);
        self.large.clear();
        self.starts.clear();
        self.starts.resize(lists + 1, 0);
        for (place, Stand { low, high, .. }) in stands.iter().enumerate() {
            if low > high {
                self.large.push(member(place));
            }
            for strip in *low..=*high {
                self.starts[list_of(strip, lists)] += 1;
            }
        }
        let mut end = 0;
        for start in &mut self.starts {
            end += *start;
            *start = end;
        }
        self.order.resize(end as usize, 0);
        // Each start is the end as yet: filled from the back, they end up where they belong.
        for (place, Stand { x, low, high }) in stands.iter().enumerate() {
            for strip in *low..=*high {
                let spot = &mut self.starts[list_of(strip, lists)];
                *spot -= 1;
                self.order[*spot as usize] = in_order(*x, named(member(place), strip == *low));
            }
        }
        self.stands = stands;
        let Self { starts, order, entries, .. } = self;
        let lists = Stretches::new(&starts[..lists], &mut order[..]);
        threads.each(lists, LISTS, |lists| lists.each(<[u64]>::sort_unstable));
        entries.resize(order.len(), Entry::default());
        let write = |(entries, order): (&mut [Entry], &[u64])| {
            for (entry, turn) in entries.iter_mut().zip(order) {
                let index = *turn as u32;
                let number = (index & !BEGINS) as usize;
                *entry = Entry::new(index, boxes[number], groups[number]);
            }
        };
        threads.each((&mut entries[..], &order[..]), PART, write);
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// The large boxes, in ascending order.
    pub(super) fn large(&self) -> &[u32] {
        &self.large
    }

    /// Tells of every two boxes that overlap and of which the one that begins first is one of these entries.
    #[inline(always)]
    pub(super) fn each_two(&self, entries: Range<usize>, mut tell: impl FnMut(u32, u32)) {
        let mut list = self.starts.partition_point(|&start| start as usize <= entries.start);
        let mut at = entries.start;
        while at < entries.end {
            let end = self.starts[list] as usize;
            for first in at..end.min(entries.end) {
                let (entry, others) = (&self.entries[first], &self.entries[first + 1..end]);
                entry.each_met(others, |other| tell(entry.index(), other));
            }
            (at, list) = (end, list + 1);
        }
    }

    /// Tells of every box, but large ones, that overlaps this one, which covers these strips, and is not of its group.
    pub(super) fn each_with(
        &self,
        [low, high]: [i32; 2],
        index: u32,
        group: u32,
        bounds: Aabb,
        mut tell: impl FnMut(u32),
    ) {
        let lists = self.starts.len() - 1;
        for strip in low..=high {
            let entry = Entry::new(named(index, strip == low), bounds, group);
            let list = list_of(strip, lists);
            let list = &self.entries[self.starts[list] as usize..self.starts[list + 1] as usize];
            // Somewhat wider, for rounding.
            let ends_before = |other: &Entry| bounds.min.x - other.corners.x > 1.01 * self.widest;
            let first = list.partition_point(ends_before);
            entry.each_met(&list[first..], &mut tell);
        }
    }
}

/// The largest whole number that is not larger; whatever lies beyond the range of strips shares the outermost
/// ones. Not every processor has an instruction for `f32::floor`.
fn floor(at: f32) -> i32 {
    let toward_zero = at as i32;
    toward_zero.saturating_sub(i32::from(toward_zero as f32 > at))
}

/// The number of a box in a strip in which it begins, or not.
fn named(index: u32, begins: bool) -> u32 {
    index | if begins { BEGINS } else { 0 }
}

/// The list of a strip, of which there are a power of two.
fn list_of(strip: i32, lists: usize) -> usize {
    strip as usize & (lists - 1)
}
