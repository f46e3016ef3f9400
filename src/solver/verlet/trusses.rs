//! The edges of rigid bodies: sixteen bodies of one make side by side.
//!
//! A scene has many boxes and few makes of them: the same points held by the same edges, whatever they measure. In a
//! lane of its own each body meets its edges in their order, so what comes out is the same to the bit as one by one,
//! in vectors of any width; and the points of a crew are fetched and stored once a round, not once an edge
//! (`sticks.rs`). Sixteen are more than any vector has: an edge of a frame waits for the one before, and meanwhile
//! the processor has another vector to work on.

use std::collections::HashMap;

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};
use glam::{Mat4, Vec4};

use crate::math::Vec2;
use crate::solver::verlet::Moves;
use crate::solver::verlet::plane::{Numbers, Plane};
use crate::solver::verlet::sticks::{Stick, Sticks, one_stiff, stiff};

/// Bodies in a crew.
const LANES: usize = 8;
/// Crews that take turns edge by edge.
const CREWS: usize = 4;
/// Fewer bodies than this are taken edge by edge.
const LEAST: usize = 3;

/// A number of each body of a crew.
#[derive(Clone, Copy, Debug, Default)]
#[repr(align(32))]
struct Row([f32; LANES]);

/// The edges of all rigid bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Trusses {
    makes: Vec<Make>,
    others: Sticks,
    /// Where the points of a crew were at the start of the sub-step, and how far they have come.
    desk: Vec<[Plane<Row>; 2]>,
}

/// Bodies of one make.
#[derive(Clone, Debug, Default)]
struct Make {
    /// The number of points.
    points: usize,
    /// Which of them each edge is between.
    edges: Vec<[u16; 2]>,
    /// The first points of the bodies of each crew. Lanes that are left over repeat one body, and do the same once
    /// more.
    crews: Vec<[u32; LANES]>,
    /// For each crew the inverse masses of all points, then the squares of the lengths of all edges.
    numbers: Vec<Row>,
}

/// A rigid body: its first point, how many there are, and its edges.
pub(super) struct Truss {
    pub(super) first: u32,
    pub(super) points: usize,
    pub(super) sticks: Vec<Stick>,
}

impl Truss {
    /// What bodies of one make have in common.
    fn make(&self) -> (usize, Vec<[u16; 2]>) {
        let local = |point: u32| (point - self.first) as u16;
        (self.points, self.sticks.iter().map(|stick| [stick.a, stick.b].map(local)).collect())
    }
}

impl Trusses {
    /// Those of these bodies.
    pub(super) fn new(bodies: &[Truss]) -> Self {
        let mut makes: Vec<(Make, Vec<&Truss>)> = Vec::new();
        let mut places = HashMap::new();
        let (few, many): (Vec<&Truss>, Vec<&Truss>) =
            bodies.iter().partition(|body| body.points > usize::from(u16::MAX));
        for body in many {
            let (points, edges) = body.make();
            let place = *places.entry((points, edges)).or_insert_with_key(|(points, edges)| {
                let make = Make { points: *points, edges: edges.clone(), ..Make::default() };
                makes.push((make, Vec::new()));
                makes.len() - 1
            });
            makes[place].1.push(body);
        }
        let mut others: Vec<Stick> = few.iter().flat_map(|body| body.sticks.clone()).collect();
        let mut made = Self::default();
        for (mut make, bodies) in makes {
            if bodies.len() < LEAST {
                others.extend(bodies.iter().flat_map(|body| body.sticks.iter().copied()));
                continue;
            }
            bodies.chunks(LANES * CREWS).for_each(|bodies| make.add(bodies));
            make.numbers.shrink_to_fit();
            made.makes.push(make);
        }
        // As they come in the model: what is solved edge by edge does not depend on what its makes are.
        others.sort_unstable_by_key(|stick| stick.index);
        made.others = Sticks::of_frames(&others);
        made
    }

    /// Takes edges as they are before a sub-step.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2]) {
        self.others.take_stiff(positions);
    }

    /// One round: displaces the ends of all edges.
    pub(super) fn satisfy(&mut self, moves: &mut Moves) {
        let Self { makes, others, desk } = self;
        dispatch!(Level::new(), simd => for make in makes.iter() {
            make.satisfy(simd, moves, desk);
        });
        others.satisfy(&mut moves.delta);
    }
}

impl Make {
    /// Adds up to as many bodies as take turns.
    fn add(&mut self, bodies: &[&Truss]) {
        let crews: Vec<[&Truss; LANES]> = bodies
            .chunks(LANES)
            .map(|crew| std::array::from_fn(|lane| *crew.get(lane).unwrap_or(&crew[0])))
            .collect();
        self.crews.extend(crews.iter().map(|crew| crew.map(|body| body.first)));
        let rows = |of: &dyn Fn(&Truss) -> f32| -> Vec<Row> {
            crews.iter().map(|crew| Row(crew.map(of))).collect()
        };
        for point in 0..self.points {
            self.numbers.extend(rows(&|body| {
                let at = body.first + point as u32;
                let end = body.sticks.iter().find(|stick| stick.a == at || stick.b == at);
                end.map_or(0.0, |stick| if stick.a == at { stick.w_a } else { stick.w_b })
            }));
        }
        for edge in 0..self.edges.len() {
            self.numbers.extend(rows(&|body| body.sticks[edge].rest * body.sticks[edge].rest));
        }
    }

    #[inline(always)]
    fn satisfy<S: Simd>(&self, simd: S, moves: &mut Moves, desk: &mut Vec<[Plane<Row>; 2]>) {
        let Moves { start, delta } = moves;
        let mut numbers = &self.numbers[..];
        for crews in self.crews.chunks(CREWS) {
            let count = crews.len();
            desk.clear();
            desk.resize(self.points * count, Default::default());
            for (k, crew) in crews.iter().enumerate() {
                fetch(crew, start, &mut desk[k..], count, 0);
                fetch(crew, delta, &mut desk[k..], count, 1);
            }
            let (w, after) = numbers.split_at(self.points * count);
            let (rest_squared, after) = after.split_at(self.edges.len() * count);
            numbers = after;
            for (&edge, rest_squared) in self.edges.iter().zip(rest_squared.chunks_exact(count)) {
                let [a, b] = edge.map(|end| usize::from(end) * count);
                for (k, rest_squared) in rest_squared.iter().enumerate() {
                    let (a, b) = (a + k, b + k);
                    let ([start_a, moved_a], [start_b, moved_b]) = (&desk[a], &desk[b]);
                    let [start_a, moved_a, start_b, moved_b] =
                        [start_a, moved_a, start_b, moved_b].map(|of| of.read(simd));
                    let (before, moved) = (start_b - start_a, moved_b - moved_a);
                    let [w_a, w_b] = [a, b].map(|end| w[end].read(simd));
                    let found = stiff(before, moved, rest_squared.read(simd), w_a + w_b);
                    let Some((_, correction)) = found else {
                        satisfy_turned(desk, [a, b], w, rest_squared);
                        continue;
                    };
                    desk[a][1].write(moved_a - correction.times(w_a));
                    desk[b][1].write(moved_b + correction.times(w_b));
                }
            }
            for (k, crew) in crews.iter().enumerate() {
                store(crew, delta, &desk[k..], count);
            }
        }
    }
}

/// An edge of the bodies of a crew of which any have turned.
#[cold]
#[inline(never)]
fn satisfy_turned(desk: &mut [[Plane<Row>; 2]], [a, b]: [usize; 2], w: &[Row], rest_squared: &Row) {
    for k in 0..LANES {
        let [[start_a, moved_a], [start_b, moved_b]] =
            [a, b].map(|end| desk[end].map(|of| of.lane(k)));
        let (before, moved, rest_squared) =
            (start_b - start_a, moved_b - moved_a, rest_squared.0[k]);
        let [w_a, w_b] = [a, b].map(|end| w[end].0[k]);
        let (_, correction) = one_stiff(before, moved, rest_squared, w_a + w_b);
        desk[a][1].set(k, moved_a - w_a * correction);
        desk[b][1].set(k, moved_b + w_b * correction);
    }
}

/// Puts what the points of all bodies of a crew have on the desk.
#[inline(always)]
fn fetch(
    crew: &[u32; LANES],
    values: &[Vec2],
    desk: &mut [[Plane<Row>; 2]],
    count: usize,
    column: usize,
) {
    let values: &[f32] = bytemuck::cast_slice(values);
    let points = desk.len().div_ceil(count);
    for (half, firsts) in crew.as_chunks::<4>().0.iter().enumerate() {
        let bodies = firsts.map(|first| &values[2 * first as usize..][..2 * points]);
        let mut put = |point: usize, of: [[f32; 4]; 4]| {
            let [a, b, c, d] = of.map(Vec4::from_array);
            let lanes = Mat4::from_cols(a, b, c, d).transpose();
            let of = &mut desk[point * count][column];
            of.x.set_half(half, lanes.x_axis);
            of.y.set_half(half, lanes.y_axis);
            let of = &mut desk[(point + 1) * count][column];
            of.x.set_half(half, lanes.z_axis);
            of.y.set_half(half, lanes.w_axis);
        };
        let two = bodies.map(|body| body.as_chunks::<4>().0);
        for pair in 0..points / 2 {
            put(2 * pair, two.map(|two| two[pair]));
        }
        if points % 2 == 1 {
            put(points - 2, bodies.map(|body| *body.last_chunk().unwrap()));
        }
    }
}

/// Puts how far the points of a crew have come from the desk to where all points have it.
#[inline(always)]
fn store(crew: &[u32; LANES], delta: &mut [Vec2], desk: &[[Plane<Row>; 2]], count: usize) {
    let delta: &mut [f32] = bytemuck::cast_slice_mut(delta);
    let points = desk.len().div_ceil(count);
    for (half, firsts) in crew.as_chunks::<4>().0.iter().enumerate() {
        let mut put = |point: usize| {
            let (of, next) = (&desk[point * count][1], &desk[(point + 1) * count][1]);
            let [x, y, next_x, next_y] = [&of.x, &of.y, &next.x, &next.y].map(|row| row.half(half));
            let bodies = Mat4::from_cols(x, y, next_x, next_y).transpose();
            let two = [bodies.x_axis, bodies.y_axis, bodies.z_axis, bodies.w_axis];
            for (two, &first) in two.into_iter().zip(firsts) {
                delta[2 * (first as usize + point)..][..4].copy_from_slice(&two.to_array());
            }
        };
        (0..points / 2).for_each(|pair| put(2 * pair));
        if points % 2 == 1 {
            put(points - 2);
        }
    }
}

impl Row {
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// Four lanes that follow each other.
    #[inline(always)]
    fn half(&self, half: usize) -> Vec4 {
        Vec4::from_slice(&self.0[4 * half..])
    }

    #[inline(always)]
    fn set_half(&mut self, half: usize, of: Vec4) {
        of.write_to_slice(&mut self.0[4 * half..]);
    }
}

impl Plane<Row> {
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S) -> Plane<f32x8<S>> {
        Plane { x: self.x.read(simd), y: self.y.read(simd) }
    }

    fn lane(&self, k: usize) -> Vec2 {
        Vec2::new(self.x.0[k], self.y.0[k])
    }

    fn set(&mut self, k: usize, of: Vec2) {
        (self.x.0[k], self.y.0[k]) = of.into();
    }

    #[inline(always)]
    fn write<S: Simd>(&mut self, of: Plane<f32x8<S>>) {
        (self.x.0, self.y.0) = (of.x.to_array(), of.y.to_array());
    }
}

impl<S: Simd> Numbers for f32x8<S> {
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn all_above(self, other: Self) -> bool {
        self.simd_gt(other).all_true()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A box of four points from `first` on, or a triangle.
    fn truss(first: u32, is_box: bool, size: f32) -> Truss {
        let at = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y].map(|at| size * at);
        let points = if is_box { 4 } else { 3 };
        let pairs = (0..points).flat_map(|a| (a + 1..points).map(move |b| (a, b)));
        let sticks = pairs.enumerate().map(|(index, (a, b))| Stick {
            index: 10 * first + index as u32,
            a: first + a as u32,
            b: first + b as u32,
            rest: at[a].distance(at[b]),
            compliance: 0.0,
            damping: 0.0,
            w_a: 1.0 + a as f32,
            w_b: 1.0 + b as f32,
        });
        Truss { first, points, sticks: sticks.collect() }
    }

    proptest! {
        #[test]
        fn bodies_side_by_side_are_the_same_to_the_bit_as_edge_by_edge(
            raw in prop::collection::vec((any::<bool>(), 0.5_f32..2.0), 1..40),
            places in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 160),
            moved in prop::collection::vec((-0.3_f32..0.3, -0.3_f32..0.3), 160),
        ) {
            let mut first = 0;
            let bodies: Vec<Truss> = raw.into_iter().map(|(is_box, size)| {
                let body = truss(first, is_box, size);
                first += body.points as u32;
                body
            }).collect();
            let vectors = |of: &[(f32, f32)]| -> Vec<Vec2> {
                of[..first as usize].iter().copied().map(Vec2::from).collect()
            };
            let mut moves =
                Moves { start: vectors(&places), delta: vectors(&moved) };
            let mut expected = moves.delta.clone();
            let all: Vec<Stick> = bodies.iter().flat_map(|body| body.sticks.clone()).collect();
            let mut plain = Sticks::of_frames(&all);
            plain.take_stiff(&moves.start);
            let mut trusses = Trusses::new(&bodies);
            trusses.begin_substep(&moves.start);
            for _ in 0..3 {
                plain.satisfy(&mut expected);
                trusses.satisfy(&mut moves);
            }
            prop_assert_eq!(moves.delta, expected);
        }
    }
}
