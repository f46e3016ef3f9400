//! Edges in batches: up to eight that share no point, moved at once.
//!
//! In a loop over edges, each has to wait only for those before it that share a point with it. Batches
//! are made so that none is moved before those it waits for, and none along with them: every point
//! meets its edges in the order of the plain loop, and what comes out is the same to the bit. A body
//! of which no two edges can go at once goes at the pace of the loop; a cloth fills all eight lanes, and
//! so do eight bodies beside each other.
//!
//! (List scheduling of the dependency graph; colouring, as in Fratarcangeli et al., “Vivace”, 2016,
//! would fill lanes as well, but takes edges in another order, in which what hangs sags more.)

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::math::{Both, Mapped, Vec2};
use crate::solver::plane::Plane;
use crate::solver::verlet::eight::{LANES, Lanes};

/// Where the edges of a batch end. Lanes that are left over repeat the first edge, and do the same once more.
///
/// Half of what an edge takes is fetching its points and putting them back, one by one. Points that stand side by side
/// go as one.
#[derive(Clone, Debug)]
pub(super) enum Ends {
    /// Anywhere. Apart from the batch, so that those whose points stand side by side take half the memory.
    Apart(Box<[[u32; LANES]; 2]>),
    /// All first ends side by side from this point on, and all second ones from that one on.
    Rows([u32; 2]),
    /// From this point on, one edge after the other.
    Row(u32),
}

/// The edges of a batch, by their places in the list they were taken from.
///
/// Numbers of the members stand in lanes in another order ([`LANE_OF`]).
#[derive(Clone, Copy, Debug)]
pub(super) struct Batch {
    members: [u32; LANES],
    count: usize,
}

/// The lane that each member of a batch has. A processor that splits vectors of two points into their x and their y does
/// so within halves of vectors of eight: each half of the lanes takes two points from the first half of the members,
/// and two from the second, so that no number has to go over from half to half.
const LANE_OF: [usize; LANES] = [0, 1, 4, 5, 2, 3, 6, 7];

/// Batches of the edges between these points. Only edges of one `kind` share a batch.
pub(super) fn batches(ends: &[[u32; 2]], kind: impl Fn(usize) -> bool) -> Vec<Batch> {
    let mut waiting = Waiting::new(ends);
    let mut ready = [BinaryHeap::new(), BinaryHeap::new()];
    let mut batches = Vec::with_capacity(ends.len() / LANES);
    for edge in waiting.first() {
        ready[usize::from(kind(edge as usize))].push(edge_at(&waiting, edge));
    }
    loop {
        let is_full = |heap: &BinaryHeap<_>| heap.len() >= LANES;
        let next = |kind: usize| {
            (!is_full(&ready[kind]), ready[kind].peek().map_or(Reverse((u32::MAX, 0)), |r| *r))
        };
        let (full_0, Reverse(key_0)) = next(0);
        let (full_1, Reverse(key_1)) = next(1);
        let chosen = usize::from((full_1, key_1) < (full_0, key_0));
        let Some(Reverse((_, first))) = ready[chosen].pop() else { break };
        let mut batch = Batch { members: [first; LANES], count: 1 };
        while batch.count < LANES {
            let Some(Reverse((_, edge))) = ready[chosen].pop() else { break };
            batch.members[batch.count] = edge;
            batch.count += 1;
        }
        for &edge in batch.members() {
            for freed in waiting.done(edge) {
                ready[usize::from(kind(freed as usize))].push(edge_at(&waiting, freed));
            }
        }
        batches.push(batch);
    }
    batches
}

fn edge_at(waiting: &Waiting, edge: u32) -> Reverse<(u32, u32)> {
    Reverse((waiting.level[edge as usize], edge))
}

/// Which edges wait for which.
struct Waiting {
    /// The next edge at each end of an edge.
    next: Vec<[Option<u32>; 2]>,
    /// How many ends of each edge are still to be met by one before.
    blocked: Vec<u8>,
    /// How many edges have to go one after the other before it can go.
    level: Vec<u32>,
}

impl Waiting {
    fn new(ends: &[[u32; 2]]) -> Self {
        let points = ends.iter().flatten().max().map_or(0, |&most| most as usize + 1);
        let mut last: Vec<Option<u32>> = vec![None; points];
        let count = ends.len();
        let mut all =
            Self { next: vec![[None; 2]; count], blocked: vec![0; count], level: vec![0; count] };
        for (edge, points) in ends.iter().enumerate() {
            for &point in points {
                if let Some(before) = last[point as usize].replace(edge as u32) {
                    let before = before as usize;
                    let end = usize::from(ends[before][1] == point);
                    all.next[before][end] = Some(edge as u32);
                    all.blocked[edge] += 1;
                    all.level[edge] = all.level[edge].max(all.level[before] + 1);
                }
            }
        }
        all
    }

    /// The edges that wait for none.
    fn first(&self) -> Vec<u32> {
        (0..self.blocked.len() as u32).filter(|&edge| self.blocked[edge as usize] == 0).collect()
    }

    /// The edges that need not wait any more now that this one is done.
    fn done(&mut self, edge: u32) -> impl Iterator<Item = u32> + use<> {
        let Self { next, blocked, .. } = self;
        next[edge as usize]
            .mapped(|next| {
                next.filter(|&next| {
                    blocked[next as usize] -= 1;
                    blocked[next as usize] == 0
                })
            })
            .into_iter()
            .flatten()
    }
}

impl Batch {
    /// Some places of a list that follow each other, at least one and no more than there are lanes.
    pub(super) fn of_some(places: Range<usize>) -> Self {
        let mut members = [places.start as u32; LANES];
        for (member, place) in members.iter_mut().zip(places.clone()) {
            *member = place as u32;
        }
        Self { members, count: places.len() }
    }

    /// The edges, without the lanes that are left over.
    #[inline]
    pub(super) fn members(&self) -> &[u32] {
        &self.members[..self.count]
    }

    /// Where they end.
    pub(super) fn ends(&self, ends: &[[u32; 2]]) -> Ends {
        let both = [0, 1].mapped(|end| self.members.mapped(|edge| ends[edge as usize][end]));
        let [a, b] = &both;
        let rise = |by: u32| both.iter().all(|of| of.windows(2).all(|two| two[1] == two[0] + by));
        if rise(2) && b[0] == a[0] + 1 {
            Ends::Row(a[0])
        } else if rise(1) {
            Ends::Rows([a[0], b[0]])
        } else {
            Ends::Apart(Box::new(both))
        }
    }

    /// The edges with the lane that each has.
    pub(super) fn members_in_lanes(&self) -> impl Iterator<Item = (u32, usize)> + '_ {
        self.members().iter().copied().zip(LANE_OF)
    }

    /// Something of each; lanes that are left over repeat the first.
    #[inline]
    pub(super) fn lanes(&self, of: impl Fn(usize) -> f32) -> Lanes {
        let mut lanes = Lanes::default();
        for (edge, lane) in self.members.into_iter().zip(LANE_OF) {
            lanes.0[lane] = of(edge as usize);
        }
        lanes
    }
}

impl Ends {
    /// What the points at the first and at the second ends have.
    #[inline(always)]
    pub(super) fn load<S: Simd>(&self, simd: S, values: &[Vec2]) -> [Plane<f32x8<S>>; 2] {
        match self {
            Self::Apart(both) => {
                let [first, second] = &**both;
                [planes(simd, each(first, values)), planes(simd, each(second, values))]
            }
            Self::Rows([first, second]) => [
                planes(simd, bytemuck::cast(row::<LANES>(values, *first))),
                planes(simd, bytemuck::cast(row::<LANES>(values, *second))),
            ],
            Self::Row(first) => {
                planes_of_both(simd, bytemuck::cast(row::<{ 2 * LANES }>(values, *first)))
            }
        }
    }

    /// Replaces it.
    #[inline(always)]
    pub(super) fn store<S: Simd>(&self, values: &mut [Vec2], [a, b]: [Plane<f32x8<S>>; 2]) {
        match self {
            Self::Apart(both) => {
                let [first, second] = &**both;
                let (a, b): ([Both; LANES], [Both; LANES]) =
                    (bytemuck::cast(points(a)), bytemuck::cast(points(b)));
                for k in 0..LANES {
                    values[first[k] as usize] = bytemuck::cast(a[k]);
                    values[second[k] as usize] = bytemuck::cast(b[k]);
                }
            }
            Self::Rows([first, second]) => {
                put_row::<LANES>(values, *first, bytemuck::cast(points(a)));
                put_row::<LANES>(values, *second, bytemuck::cast(points(b)));
            }
            Self::Row(first) => {
                put_row::<{ 2 * LANES }>(values, *first, bytemuck::cast(points_of_both(a, b)));
            }
        }
    }
}

/// Vectors as they are in memory, of four points each.
///
/// Nothing below that works on vectors is a closure: the compiler may leave that a function of its own, which then does
/// not know how wide the processor's vectors are. What is done to both halves of a vector is written side by side and put
/// together at once, which the compiler makes one instruction of where vectors are that wide.
type Points<const COUNT: usize> = [[f32; LANES]; COUNT];

/// Eight points.
#[inline(always)]
fn each(places: &[u32; LANES], values: &[Vec2]) -> Points<2> {
    let points: [Both; LANES] = places.mapped(|place| bytemuck::cast(values[place as usize]));
    bytemuck::cast(points)
}

/// So many values side by side.
#[inline(always)]
fn row<const COUNT: usize>(values: &[Vec2], first: u32) -> [Vec2; COUNT] {
    *values[first as usize..].first_chunk().expect("a row lies within all values")
}

/// Replaces them.
#[inline(always)]
fn put_row<const COUNT: usize>(values: &mut [Vec2], first: u32, by: [Vec2; COUNT]) {
    values[first as usize..][..COUNT].copy_from_slice(&by);
}

/// The x and the y of eight points, in lanes.
#[inline(always)]
fn planes<S: Simd>(simd: S, [abcd, efgh]: Points<2>) -> Plane<f32x8<S>> {
    let (abcd, efgh) = (f32x8::load_array(simd, abcd), f32x8::load_array(simd, efgh));
    let (x, y) = apart(abcd, efgh);
    Plane { x, y }
}

/// The points of their x and y.
#[inline(always)]
fn points<S: Simd>(of: Plane<f32x8<S>>) -> Points<2> {
    let (abcd, efgh) = in_turns(of.x, of.y);
    [abcd.to_array(), efgh.to_array()]
}

/// The same of both ends of eight edges, of which each vector has two.
#[inline(always)]
fn planes_of_both<S: Simd>(simd: S, [ab, cd, ef, gh]: Points<4>) -> [Plane<f32x8<S>>; 2] {
    let (ac, bd) = crossed(f32x8::load_array(simd, ab), f32x8::load_array(simd, cd));
    let (eg, fh) = crossed(f32x8::load_array(simd, ef), f32x8::load_array(simd, gh));
    let ((x, y), (next_x, next_y)) = (apart(ac, bd), apart(eg, fh));
    let ((first_x, second_x), (first_y, second_y)) = (apart(x, next_x), apart(y, next_y));
    [Plane { x: first_x, y: first_y }, Plane { x: second_x, y: second_y }]
}

/// Both ends of the edges.
#[inline(always)]
fn points_of_both<S: Simd>(first: Plane<f32x8<S>>, second: Plane<f32x8<S>>) -> Points<4> {
    let ((x, next_x), (y, next_y)) = (in_turns(first.x, second.x), in_turns(first.y, second.y));
    let ((ac, bd), (eg, fh)) = (in_turns(x, y), in_turns(next_x, next_y));
    let ((ab, cd), (ef, gh)) = (crossed(ac, bd), crossed(eg, fh));
    [ab.to_array(), cd.to_array(), ef.to_array(), gh.to_array()]
}

/// Every first number of each half of two vectors, and every second one.
#[inline(always)]
fn apart<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let ((low_a, high_a), (low_b, high_b)) = (a.split(), b.split());
    let ((low, low_next), (high, high_next)) =
        (low_a.deinterleave(low_b), high_a.deinterleave(high_b));
    (low.combine(high), low_next.combine(high_next))
}

/// The way back.
#[inline(always)]
fn in_turns<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let ((low_a, high_a), (low_b, high_b)) = (a.split(), b.split());
    let ((low, low_next), (high, high_next)) = (low_a.interleave(low_b), high_a.interleave(high_b));
    (low.combine(high), low_next.combine(high_next))
}

/// The first halves of two vectors, and the second ones; so it is the way back too.
#[inline(always)]
fn crossed<S: Simd>(a: f32x8<S>, b: f32x8<S>) -> (f32x8<S>, f32x8<S>) {
    let ((low_a, high_a), (low_b, high_b)) = (a.split(), b.split());
    (low_a.combine(low_b), high_a.combine(high_b))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::plane::tests::levels;
    use fearless_simd::dispatch;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn every_point_meets_its_edges_in_their_order(
            raw in prop::collection::vec((0..30_u32, 1..30_u32, any::<bool>()), 0..200)
        ) {
            let ends: Vec<[u32; 2]> = raw.iter().map(|&(a, by, _)| [a, (a + by) % 30]).collect();
            let all = batches(&ends, |edge| raw[edge].2);
            // When each edge has its turn.
            let mut turn = vec![usize::MAX; ends.len()];
            for (index, batch) in all.iter().enumerate() {
                let kinds = batch.members().iter().map(|&edge| raw[edge as usize].2);
                prop_assert!(kinds.collect::<Vec<_>>().windows(2).all(|pair| pair[0] == pair[1]));
                for &edge in batch.members() {
                    prop_assert_eq!(std::mem::replace(&mut turn[edge as usize], index), usize::MAX);
                }
            }
            prop_assert!(!turn.contains(&usize::MAX));
            for later in 0..ends.len() {
                for earlier in 0..later {
                    if ends[earlier].iter().any(|point| ends[later].contains(point)) {
                        prop_assert!(turn[earlier] < turn[later]);
                    }
                }
            }
        }
    }

    #[test]
    fn points_side_by_side_are_fetched_and_put_back_as_those_apart() {
        let values: Vec<Vec2> = (0..40).map(|k| Vec2::new(k as f32, -(k as f32) - 0.5)).collect();
        let layouts: [fn(u32) -> [u32; 2]; 3] = [
            |k| [3 + 2 * k, 4 + 2 * k],
            |k| [5 + k, 21 + k],
            |k| [(7 * k) % 20, 20 + (3 * k) % 20],
        ];
        let batch = Batch::of_some(0..LANES);
        let mut kinds = Vec::new();
        for layout in layouts {
            let all: Vec<[u32; 2]> = (0..LANES as u32).map(layout).collect();
            let ends = batch.ends(&all);
            kinds.push(std::mem::discriminant(&ends));
            for level in levels() {
                let mut moved = values.clone();
                dispatch!(level, simd => {
                    let [a, b] = ends.load(simd, &values);
                    ends.store(&mut moved, [a + a, b + b + b]);
                });
                let mut wanted = values.clone();
                for &[a, b] in &all {
                    wanted[a as usize] *= 2.0;
                    wanted[b as usize] *= 3.0;
                }
                assert_eq!(moved, wanted, "{level:?}");
            }
        }
        assert!(kinds[0] != kinds[1] && kinds[1] != kinds[2] && kinds[0] != kinds[2]);
    }

    #[test]
    fn bodies_beside_each_other_fill_all_lanes() {
        // Eight chains of four edges, one after the other.
        let chain = |k: u32| (0..4).map(move |link| [5 * k + link, 5 * k + link + 1]);
        let ends: Vec<[u32; 2]> = (0..8).flat_map(chain).collect();
        let full = batches(&ends, |_| false);
        assert_eq!(full.iter().map(|batch| batch.members().len()).collect::<Vec<_>>(), [8; 4]);
    }
}
