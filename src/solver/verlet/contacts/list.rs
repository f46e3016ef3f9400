//! The contacts of some pairs, which have their turn one after the other.

use super::NONE;
use super::near::{Look, Near};
use super::stirred::Stirred;
use super::touched::Touched;
use crate::collision::Collision;
use crate::math::{Mapped, Vec2};
use crate::solver::verlet::Moves;
use crate::threads::Threads;
use crate::world::{Model, Renumbering};

/// The work on so few pairs is not worth sharing out.
const PART: usize = 256;

/// What a round is over, but for what it changes.
#[derive(Clone, Copy)]
pub(super) struct Round<'a> {
    pub(super) model: &'a Model,
    /// With how far each piece has come in this sub-step.
    pub(super) collision: &'a Collision,
    /// Of points, as they were when the sub-step began.
    pub(super) velocities: &'a [Vec2],
    /// At most at this speed is overlap undone, m/s.
    pub(super) recovery: f32,
    /// Whether contacts are solved the textbook's way.
    pub(super) is_classic: bool,
    /// The length of the sub-step, s.
    pub(super) h: f32,
    /// Whether contacts are found.
    pub(super) seeks: bool,
}

/// The contacts of some pairs.
#[derive(Clone, Debug, Default)]
pub(in crate::solver::verlet) struct ContactList {
    pairs: Vec<(u32, u32)>,
    /// How near the pieces of each pair are.
    near: Vec<Near>,
    pairs_before: Vec<(u32, u32)>,
    near_before: Vec<Near>,
    /// What the contacts of pairs that touch have done so far, and which places in this list are free.
    touched: Vec<Touched>,
    free: Vec<u32>,
    stirred: Stirred,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    /// Whether a soft body is squeezed against something.
    squeeze: bool,
}

impl ContactList {
    /// Forgets which pairs there are, but not what is known of them: others [come](ContactList::add_pair).
    pub(super) fn begin_pairs(&mut self) {
        std::mem::swap(&mut self.pairs, &mut self.pairs_before);
        std::mem::swap(&mut self.near, &mut self.near_before);
        self.pairs.clear();
        self.near.clear();
    }

    /// Adds a pair, in ascending order; returns its place.
    pub(super) fn add_pair(&mut self, pair: (u32, u32)) -> u32 {
        self.pairs.push(pair);
        self.pairs.len() as u32 - 1
    }

    /// Recalls what is known of those that were there before; how far they are from each other only if they are where the
    /// last sub-step left them, `undisturbed`.
    pub(super) fn recall(&mut self, undisturbed: bool) {
        // Both lists ascend.
        let mut before = self.pairs_before.iter().zip(&self.near_before).peekable();
        for pair in &self.pairs {
            while let Some((_, gone)) = before.next_if(|(old, _)| *old < pair) {
                release(gone.place, &mut self.touched, &mut self.free);
            }
            let old = before.next_if(|(old, _)| *old == pair).map(|(_, near)| *near);
            let mut near = old.unwrap_or(Near { gap: 0.0, place: NONE });
            if !undisturbed {
                near.gap = 0.0;
                if let Some(touched) = self.touched.get_mut(near.place as usize) {
                    touched.steady = 0.0;
                }
            }
            self.near.push(near);
        }
        before.for_each(|(_, gone)| release(gone.place, &mut self.touched, &mut self.free));
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        let pairs = std::mem::take(&mut self.pairs);
        let near = std::mem::take(&mut self.near);
        for ((a, b), near) in pairs.into_iter().zip(near) {
            let touched = self.touched.get_mut(near.place as usize);
            let stays = touched.is_none_or(|touched| touched.renumber(by).is_some());
            match by.piece(a).zip(by.piece(b)).filter(|_| stays) {
                Some(pair) => {
                    self.pairs.push(pair);
                    self.near.push(near);
                }
                None => release(near.place, &mut self.touched, &mut self.free),
            }
        }
    }

    /// Takes out all pairs, each with how far its pieces were from each other, m, and what its contacts have done.
    pub(super) fn take_all(&mut self) -> Vec<((u32, u32), f32, Option<Touched>)> {
        let Self { pairs, near, touched, .. } = std::mem::take(self);
        let of = |(pair, near): ((u32, u32), Near)| {
            (pair, near.gap, touched.get(near.place as usize).copied())
        };
        pairs.into_iter().zip(near).map(of).collect()
    }

    /// Adds one of those, in ascending order.
    pub(super) fn add(&mut self, pair: (u32, u32), gap: f32, touched: Option<Touched>) {
        let place = touched.map_or(NONE, |touched| {
            let place = room(&mut self.touched, &mut self.free);
            self.touched[place as usize] = touched;
            place
        });
        self.pairs.push(pair);
        self.near.push(Near { gap, place });
    }

    /// How far the pieces of a pair are surely from each other, m, by its place in the list.
    pub(super) fn gap(&self, pair: u32) -> f32 {
        self.near[pair as usize].gap()
    }

    /// Clears the sums of the sub-step before.
    pub(super) fn begin_substep(&mut self, threads: &Threads) {
        let begin = |touched: &mut [Touched]| {
            let all = touched.iter_mut().filter(|touched| touched.count > 0);
            let emptied = all.map(|touched| {
                touched.begin_substep();
                touched.count == 0
            });
            emptied.fold(false, |any, emptied| any | emptied)
        };
        if threads.parts(&mut self.touched[..], PART, &begin, &|a, b| a | b) {
            for near in self.near.iter_mut().filter(|near| near.place != NONE) {
                if self.touched[near.place as usize].count == 0 {
                    self.free.push(std::mem::replace(&mut near.place, NONE));
                }
            }
        }
        self.impact = false;
        self.squeeze = false;
    }

    /// Whether bodies have met in this sub-step.
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// Whether a soft body has been squeezed against something.
    pub(super) fn any_squeeze(&self) -> bool {
        self.squeeze
    }

    /// Begins a round in which nothing has been displaced yet.
    pub(super) fn begin_round(&mut self, round: &Round<'_>) {
        if round.seeks {
            self.stirred.reset(round.model.bodies.len());
        }
    }

    /// The same after two other lists have had their turn, one over bodies before this one, one over it and those after it.
    pub(super) fn follow(&mut self, [first, second]: [&Self; 2], body: u32) {
        self.stirred.join([&first.stirred, &second.stirred], body as usize);
    }

    /// One round: finds the contacts of each pair, if it seeks any, and displaces what overlaps.
    pub(super) fn satisfy(&mut self, round: &Round<'_>, moves: &mut Moves, positions: &mut [Vec2]) {
        let Self { stirred, .. } = self;
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            let known = self.touched.get(near.place as usize);
            let look = match round.seeks {
                true => near.look(known, round, (moves, positions), stirred, *pair),
                false => Look::Nothing,
            };
            if near.place == NONE {
                if look.finds_nothing() {
                    continue;
                }
                near.place = room(&mut self.touched, &mut self.free);
            }
            let touched = &mut self.touched[near.place as usize];
            touched.see(&look, round.model, positions);
            let least = if matches!(look, Look::Swept(_)) { f32::MIN } else { 0.0 };
            let meeting = touched.begin(least, moves, positions, round);
            self.impact |= meeting.impact;
            self.squeeze |= meeting.squeeze;
            let bodies = [pair.0, pair.1].mapped(|piece| round.model.pieces[piece as usize].body);
            touched.separate(moves, positions, round, |by| {
                if round.seeks && by > 0.0 {
                    stirred.add(bodies, by);
                }
            });
        }
    }

    /// Ends the rounds of a sub-step, after it is known how far each piece has come.
    pub(super) fn end_rounds(
        &mut self,
        moves: &Moves,
        model: &Model,
        positions: &[Vec2],
        collision: &Collision,
        threads: &Threads,
    ) {
        let towards = |pair| collision.towards(pair);
        let close = |(near, pairs): (&mut [Near], &[(u32, u32)])| {
            for (near, pair) in near.iter_mut().zip(pairs).filter(|(near, _)| near.gap > 0.0) {
                near.gap -= towards(*pair);
            }
        };
        threads.each((&mut self.near[..], &self.pairs[..]), PART, close);
        threads.each(&mut self.touched[..], PART, |touched: &mut [Touched]| {
            touched.iter_mut().for_each(|touched| {
                touched.end_rounds(towards, moves, model, positions);
            });
        });
    }

    /// The contacts of all pairs that touch, with their places.
    pub(in crate::solver::verlet) fn touched(&self) -> impl Iterator<Item = (u32, &Touched)> {
        self.near.iter().filter_map(|near| Some((near.place, self.at(near.place)?)))
    }

    /// The contacts at a place.
    pub(in crate::solver::verlet) fn at(&self, place: u32) -> Option<&Touched> {
        self.touched.get(place as usize)
    }

    /// The same, to change them.
    pub(in crate::solver::verlet) fn at_mut(&mut self, place: u32) -> Option<&mut Touched> {
        self.touched.get_mut(place as usize)
    }
}

/// Makes a place free again.
fn release(place: u32, touched: &mut [Touched], free: &mut Vec<u32>) {
    if place != NONE {
        touched[place as usize] = Touched::default();
        free.push(place);
    }
}

/// A place for the contacts of a pair.
fn room(touched: &mut Vec<Touched>, free: &mut Vec<u32>) -> u32 {
    let place = free.pop().unwrap_or_else(|| {
        touched.push(Touched::default());
        touched.len() as u32 - 1
    });
    touched[place as usize] = Touched::default();
    place
}
