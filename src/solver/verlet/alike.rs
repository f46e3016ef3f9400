//! Soft bodies of one pattern, solved four side by side (`solver/alike/`), for places: what `together.rs` solves of the
//! soft bodies that no joint takes hold of.

use wide::f32x4;

use crate::math::Vec2;
use crate::solver::alike::{Desk, Edge, Four, Fours, Law, Measure, Most, Plane};
use crate::solver::verlet::Moves;
use crate::solver::verlet::lax::Lax;
use crate::solver::verlet::together::LIMITS;
use crate::threads::{Held, Owner, Stretches, Threads};
use crate::world::{Body, Model, Renumbering, State};

/// The work on so few fours is not worth sharing out.
const PART: usize = 8;

/// Cloths of more points than this are solved by themselves (`together.rs`), where guards are among their equations: side
/// by side wide ones that hang down from a border stay crushed. Smaller ones do not, and would take twice to three times
/// as long; four cloths of 21 × 21 points take half as long again.
const WIDE: usize = 200;

impl Owner for (u32, Four) {
    fn first(&self) -> usize {
        self.1.first[0]
    }
}

/// The soft bodies that are solved four side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike {
    fours: Fours,
    /// The length of the sub-step before, s; 0 for none.
    before: f32,
    /// What fours are worked on with, for each thread that works.
    desks: Held<Vec<Desk>>,
}

/// What is left of an edge is found where its ends are now, of all else along the directions of the beginning.
struct Places {
    h: f32,
}

impl Measure for Places {
    #[inline(always)]
    fn edge(&self, edge: &Edge, moved: Plane) -> f32x4 {
        let now = edge.before + moved;
        edge.soft.left(now.dot(now).sqrt() - edge.rest, edge.along.dot(moved), edge.lambda)
    }

    #[inline(always)]
    fn law(&self, law: &Law, moved: f32x4) -> f32x4 {
        law.soft.left(law.error + moved, moved, law.lambda)
    }

    fn step(&self) -> f32 {
        self.h
    }

    fn follows_turns(&self) -> bool {
        true
    }
}

/// Whether a body is of many stiff threads, and has cells that must not turn inside out.
fn is_wide_cloth(model: &Model, body: &Body) -> bool {
    body.points.len() > WIDE
        && body.areas.clone().any(|area| model.areas[area as usize].is_guard())
        && body.edges.clone().any(|edge| model.edges[edge as usize].compliance == 0.0)
}

impl Alike {
    /// Finds them.
    pub(super) fn attach(&mut self, model: &Model, lax: &Lax) {
        *self = Self::default();
        self.find(model, lax);
    }

    /// The same where the model is another: bodies that are still there go on from what they were given.
    pub(super) fn renumber(&mut self, model: &Model, lax: &Lax, by: &Renumbering) {
        self.fours.rename(by);
        self.find(model, lax);
    }

    fn find(&mut self, model: &Model, lax: &Lax) {
        let most = Most { work: LIMITS.most_work, entries: usize::MAX };
        let body = |body: &Body| model.body_of[body.points.start as usize];
        self.fours.find(model, most, |of| !lax.has(body(of)) && !is_wide_cloth(model, of));
    }

    /// Whether a body is one of them.
    pub(super) fn has(&self, body: u32) -> bool {
        self.fours.has(body)
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, state: &State) {
        self.fours.iter_mut().for_each(|(_, four)| four.take_rests(state));
    }

    /// Takes edges, bends and areas as they are before a sub-step of `h` seconds.
    pub(super) fn begin_substep(&mut self, state: &State, h: f32, threads: &Threads) {
        let Self { fours, before, desks } = self;
        let (patterns, list) = fours.parts();
        let take = |list: &mut [(u32, Four)], desk: &mut Desk| {
            for (place, four) in list {
                let pattern = &patterns[*place as usize];
                if *before > 0.0 {
                    four.note_pulls(1.0 / (*before * *before));
                }
                four.take(pattern, &state.position, desk);
                four.load_points((&state.velocity, 0), &mut desk.points);
                four.resist(pattern, h, desk);
                four.time_places(pattern, h);
            }
        };
        threads.each(list, PART, |list: &mut [(u32, Four)]| desks.lend(|desk| take(list, desk)));
        *before = h;
    }

    /// Solves their equations, in the `last` round that is foreseen or one before.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, h: f32, last: bool, threads: &Threads) {
        let Self { fours, desks, .. } = self;
        let (patterns, list) = fours.parts();
        for alike in list.chunk_by_mut(|(a, _), (b, _)| a == b) {
            let pattern = &patterns[alike[0].0 as usize];
            let satisfy = |part: Stretches<'_, &mut [(u32, Four)], Vec2>| {
                let Stretches { owners, values, first } = part;
                desks.lend(|desk| {
                    for (_, four) in owners {
                        four.load_points((values, first), &mut desk.points);
                        four.solve(pattern, &Places { h }, !last, desk);
                        four.add_changes(values, first);
                    }
                });
            };
            threads.each(Stretches::new(alike, &mut moves.delta), PART, satisfy);
        }
    }
}
