//! Soft bodies of one pattern, solved four side by side (`solver/alike/`), for places: what `together.rs` solves of the
//! soft bodies that no joint takes hold of.

use wide::f32x4;

use crate::solver::alike::{Desk, Edge, Fours, Law, Measure, Most, Plane};
use crate::solver::verlet::Moves;
use crate::solver::verlet::together::LIMITS;
use crate::world::{Model, Renumbering, State};

/// The soft bodies that are solved four side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike {
    fours: Fours,
    /// The length of the sub-step before, s; 0 for none.
    before: f32,
    desk: Desk,
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
}

impl Alike {
    /// Finds them.
    pub(super) fn attach(&mut self, model: &Model) {
        *self = Self::default();
        self.find(model);
    }

    /// The same where the model is another: bodies that are still there go on from what they were given.
    pub(super) fn renumber(&mut self, model: &Model, by: &Renumbering) {
        self.fours.rename(by);
        self.find(model);
    }

    fn find(&mut self, model: &Model) {
        let most = Most { work: LIMITS.most_work, entries: usize::MAX };
        self.fours.find(model, most, |_| true);
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
    pub(super) fn begin_substep(&mut self, state: &State, h: f32) {
        let Self { fours, before, desk } = self;
        for (pattern, four) in fours.iter_mut() {
            if *before > 0.0 {
                four.note_pulls(1.0 / (*before * *before));
            }
            four.take(pattern, &state.position, desk);
            four.load_points(&state.velocity, &mut desk.points);
            four.resist(pattern, h, desk);
            four.time_places(pattern, h);
        }
        *before = h;
    }

    /// Solves their equations, in the `last` round that is foreseen or one before.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, h: f32, last: bool) {
        let Self { fours, desk, .. } = self;
        for (pattern, four) in fours.iter_mut() {
            four.load_points(&moves.delta, &mut desk.points);
            four.solve(pattern, &Places { h }, !last, desk);
            four.add_changes(&mut moves.delta);
        }
    }
}
