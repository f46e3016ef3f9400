//! Where points were at the start of a sub-step, how far they have come, and what that makes of their velocities.
//!
//! These are passes over all points with next to no arithmetic, so they take two points at a time, without a branch for
//! those that do not move by themselves.

use glam::{BVec4A, Vec4};

use crate::math::{Mapped, Vec2};
use crate::scene::BodyKind;
use crate::solver::common;
use crate::threads::Threads;
use crate::world::{Model, State};

/// The work on so few points is not worth sharing out. An even number: points are taken two by two.
const PART: usize = 4096;

/// Where points were at the start of the sub-step, and how far they have come.
#[derive(Clone, Debug, Default)]
pub(super) struct Moves {
    pub(super) start: Vec<Vec2>,
    pub(super) delta: Vec<Vec2>,
}

impl Moves {
    /// Displaces a point: it gains the speed that goes with it.
    #[inline]
    pub(super) fn push(&mut self, positions: &mut [Vec2], i: usize, by: Vec2) {
        positions[i] += by;
        self.delta[i] += by;
    }

    /// Moves every point as if it were alone, for `h` seconds, after gravity has given it `kick`, m/s.
    pub(super) fn set_out(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f32,
        kick: Vec2,
        threads: &Threads,
    ) {
        let Self { start, delta } = self;
        threads.copy(&state.position, start);
        delta.resize(start.len(), Vec2::ZERO);
        kick_others(model, &mut state.velocity, kick);
        let kick = twice(kick);
        let written = [&mut delta[..], &mut state.position, &mut state.velocity];
        two_by_two(threads, &model.inv_mass, [start], written, |moves, [at], [_, _, velocity]| {
            let velocity = Vec4::select(moves, velocity + kick, velocity);
            let delta = Vec4::select(moves, h * velocity, Vec4::ZERO);
            [delta, at + delta, velocity]
        });
        common::advance_kinematic(model, state, h);
        for body in model.bodies.iter().filter(|body| body.kind == BodyKind::Kinematic) {
            for i in body.point_range() {
                delta[i] = state.position[i] - start[i];
            }
        }
    }

    /// Makes displacements into velocities, `pace` times as large, m/s, with `kick` added by gravity, and puts points where
    /// their displacements have them.
    pub(super) fn arrive(
        &self,
        model: &Model,
        state: &mut State,
        pace: f32,
        kick: Vec2,
        threads: &Threads,
    ) {
        let twice_kick = twice(kick);
        let read = [&self.start[..], &self.delta];
        let written = [&mut state.position[..], &mut state.velocity];
        two_by_two(
            threads,
            &model.inv_mass,
            read,
            written,
            |moves, [start, delta], [at, velocity]| {
                let velocity = Vec4::select(moves, pace * delta + twice_kick, velocity);
                [Vec4::select(moves, start + delta, at), velocity]
            },
        );
        kick_others(model, &mut state.velocity, kick);
    }

    /// Puts all points that move by themselves where their displacements have them.
    pub(super) fn place(&self, model: &Model, positions: &mut [Vec2], threads: &Threads) {
        let read = [&self.start[..], &self.delta];
        two_by_two(threads, &model.inv_mass, read, [positions], |moves, [start, delta], [at]| {
            [Vec4::select(moves, start + delta, at)]
        });
    }
}

/// What is missing in a `kick` by gravity that all points are given alike, where it pulls on their bodies more or less.
fn kick_others(model: &Model, velocities: &mut [Vec2], kick: Vec2) {
    for body in model.bodies.iter().filter(|body| body.material.gravity_scale != 1.0) {
        let more = (body.material.gravity_scale - 1.0) * kick;
        for i in body.point_range().filter(|&i| model.inv_mass[i] > 0.0) {
            velocities[i] += more;
        }
    }
}

/// The sum of masses, each times the square of a length.
pub(super) fn weigh(mass: &[f32], lengths: &[Vec2]) -> f32 {
    let ((masses, last_mass), (eights, last)) = (mass.as_chunks::<8>(), lengths.as_chunks::<8>());
    // Four sums side by side, so that none waits for the one before.
    let mut sums = [Vec4::ZERO; 4];
    for (masses, &eight) in masses.iter().zip(eights) {
        let eight: [Vec4; 4] = bytemuck::cast(eight);
        for ((sum, two), mass) in sums.iter_mut().zip(eight).zip(masses.as_chunks::<2>().0) {
            let [a, b] = *mass;
            *sum += Vec4::new(a, a, b, b) * (two * two);
        }
    }
    let last = last_mass.iter().zip(last).map(|(mass, length)| mass * length.length_squared());
    let [a, b, c, d] = sums;
    ((a + b) + (c + d)).element_sum() + last.sum::<f32>()
}

/// For two points at a time, replaces what is written by what `work` says: it is told which numbers are of a point that
/// moves by itself, what is read, and what there was.
#[inline(always)]
fn two_by_two<const R: usize, const W: usize>(
    threads: &Threads,
    inv_mass: &[f32],
    read: [&[Vec2]; R],
    written: [&mut [Vec2]; W],
    work: impl Fn(BVec4A, [Vec4; R], [Vec4; W]) -> [Vec4; W] + Sync,
) {
    threads.each((inv_mass, (written, read)), PART, |(inv_mass, (written, read))| {
        part_two_by_two(inv_mass, read, written, &work);
    });
}

/// The same for a part of the points.
#[inline(always)]
fn part_two_by_two<const R: usize, const W: usize>(
    inv_mass: &[f32],
    read: [&[Vec2]; R],
    written: [&mut [Vec2]; W],
    work: impl Fn(BVec4A, [Vec4; R], [Vec4; W]) -> [Vec4; W],
) {
    let work = |[a, b]: [f32; 2], read: [[Vec2; 2]; R], before: [[Vec2; 2]; W]| {
        let moves = Vec4::new(a, a, b, b).cmpgt(Vec4::ZERO);
        work(moves, read.mapped(bytemuck::cast), before.mapped(bytemuck::cast))
            .mapped(bytemuck::cast)
    };
    let (twos, last) = inv_mass.as_chunks::<2>();
    let reads = read.mapped(|points| points.as_chunks::<2>());
    let mut writes = written.map(|points| points.as_chunks_mut::<2>());
    for (k, &two) in twos.iter().enumerate() {
        let mut before = [[Vec2::ZERO; 2]; W];
        (0..W).for_each(|of| before[of] = writes[of].0[k]);
        let now = work(two, reads.mapped(|of| of.0[k]), before);
        (0..W).for_each(|of| writes[of].0[k] = now[of]);
    }
    if let [inv_mass] = last {
        let padded = |point: &[Vec2]| [point[0], Vec2::ZERO];
        let mut before = [[Vec2::ZERO; 2]; W];
        (0..W).for_each(|of| before[of] = padded(writes[of].1));
        let now = work([*inv_mass, 0.0], reads.mapped(|of| padded(of.1)), before);
        (0..W).for_each(|of| writes[of].1[0] = now[of][0]);
    }
}

fn twice(of: Vec2) -> Vec4 {
    Vec4::new(of.x, of.y, of.x, of.y)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

    /// Discs, the second of which stands still.
    fn world() -> World {
        let disc = |id: &str, x| BodyDef::new(id, Shape::Disc { radius: 0.5 }, Vec2::new(x, 0.0));
        let bodies = vec![disc("falls", 0.0), disc("stands", 2.0).fixed(), disc("too", 4.0)];
        World::build(&Scene { bodies, ..Scene::default() }).unwrap()
    }

    #[test]
    fn the_last_of_an_odd_number_of_points_is_not_forgotten() {
        let read = [1.0, 2.0, 3.0].map(Vec2::splat);
        let mut written = [10.0, 20.0, 30.0].map(Vec2::splat);
        for (inv_mass, last) in [([1.0, 0.0, 1.0], 33.0), ([1.0, 0.0, 0.0], 33.0)] {
            part_two_by_two(
                &inv_mass,
                [&read[..]],
                [&mut written[..]],
                |moves, [read], [written]| [Vec4::select(moves, read + written, written)],
            );
            assert_eq!(written[1..], [20.0, last].map(Vec2::splat));
        }
        assert_eq!(written[0], Vec2::splat(12.0));
    }

    #[test]
    fn points_go_there_and_arrive_as_one_by_one() {
        let mut world = world();
        let model = world.model.clone();
        for (k, velocity) in world.state.velocity.iter_mut().enumerate() {
            let moves = model.inv_mass[k] > 0.0;
            *velocity = if moves { Vec2::new(k as f32, 1.0) } else { Vec2::ZERO };
        }
        let before = world.state.clone();
        let (h, kick) = (0.01, Vec2::new(0.0, -0.05));
        let (mut moves, threads) = <(Moves, Threads)>::default();
        moves.set_out(&model, &mut world.state, h, kick, &threads);
        for (k, &w) in model.inv_mass.iter().enumerate() {
            let kicked = before.velocity[k] + if w > 0.0 { kick } else { Vec2::ZERO };
            assert_eq!(world.state.velocity[k], kicked);
            assert_eq!(moves.delta[k], h * kicked);
            assert_eq!(world.state.position[k], before.position[k] + h * kicked);
        }
        moves.delta.iter_mut().for_each(|delta| *delta *= 2.0);
        moves.arrive(&model, &mut world.state, 1.0 / h, kick, &threads);
        for (k, &w) in model.inv_mass.iter().enumerate() {
            let twice = moves.delta[k] / h + kick;
            let velocity = if w > 0.0 { twice } else { Vec2::ZERO };
            assert!(world.state.velocity[k].distance(velocity) < 1e-5);
            let at = before.position[k] + if w > 0.0 { moves.delta[k] } else { Vec2::ZERO };
            assert_eq!(world.state.position[k], at);
        }
    }

    #[test]
    fn weights_are_summed_up_whatever_their_number() {
        for count in 0..20 {
            let mass: Vec<f32> = (0..count).map(|k| 1.0 + k as f32).collect();
            let lengths: Vec<Vec2> = (0..count).map(|k| Vec2::new(k as f32, 2.0)).collect();
            let plain: f32 = mass.iter().zip(&lengths).map(|(m, by)| m * by.length_squared()).sum();
            assert_eq!(weigh(&mass, &lengths), plain);
        }
    }
}
