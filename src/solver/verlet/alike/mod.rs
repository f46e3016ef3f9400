//! Soft bodies of one pattern, solved four side by side.
//!
//! Where a scene has a thousand ropes or two hundred jellies, their equations differ in numbers and in nothing else.
//! So the same instructions, on vectors of four, serve four bodies at once. What is solved is what `together.rs`
//! solves, of the soft bodies that no joint takes hold of; it gives the same but for rounding. Bodies that
//! have not their like are left to it, and so is whatever joints connect.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | all that are solved so |
//! | `pattern.rs` | which bodies are of one pattern, and where their unknowns are |
//! | `four.rs` | four bodies: their equations, and the impulses that satisfy them |
//! | `factor.rs` | four matrices and their factors |
//! | `lanes.rs` | a number and a vector of each of four bodies |

mod factor;
mod four;
mod lanes;
mod pattern;

use std::collections::HashMap;

use crate::solver::verlet::Moves;
use crate::world::{Model, Renumbering, State};

use four::{Desk, Four};
use lanes::LANES;
use pattern::Pattern;

/// The soft bodies that are solved four side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike {
    patterns: Vec<Pattern>,
    /// Bodies, with the place of their pattern.
    fours: Vec<(u32, Four)>,
    /// Whether each body of the model is one of them.
    has: Vec<bool>,
    /// The time of the sub-steps they are ready for, s; 0 for none.
    time: f32,
    /// The length of the sub-step before, s.
    before: f32,
    desk: Desk,
}

impl Alike {
    /// Finds them.
    pub(super) fn attach(&mut self, model: &Model) {
        *self = Self { has: vec![false; model.bodies.len()], ..Self::default() };
        for (place, (pattern, bodies)) in pattern::patterns(model).into_iter().enumerate() {
            for members in bodies.chunks(LANES) {
                self.fours.push((place as u32, Four::new(model, &pattern, members)));
            }
            for body in bodies {
                self.has[body as usize] = true;
            }
            self.patterns.push(pattern);
        }
    }

    /// The same where the model is another: bodies that are still there go on from what they were given.
    pub(super) fn renumber(&mut self, model: &Model, by: &Renumbering) {
        let old = std::mem::take(self);
        self.attach(model);
        self.before = old.before;
        if !by.same_constraints() {
            return;
        }
        let lanes = old.fours.iter().flat_map(|(_, four)| {
            (0..four.count)
                .filter_map(move |lane| Some((by.body(four.bodies[lane])?, (four, lane))))
        });
        let lanes: HashMap<u32, (&Four, usize)> = lanes.collect();
        for (_, four) in &mut self.fours {
            for lane in 0..LANES {
                if let Some(&before) = lanes.get(&four.bodies[lane]) {
                    four.go_on(lane, before);
                }
            }
        }
    }

    /// Whether a body is one of them.
    pub(super) fn has(&self, body: u32) -> bool {
        self.has[body as usize]
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, model: &Model, state: &State) {
        for (_, four) in &mut self.fours {
            four.begin_step(model, state);
        }
    }

    /// Takes edges, bends and areas as they are before a sub-step of `h` seconds.
    pub(super) fn begin_substep(&mut self, state: &State, h: f32) {
        let Self { patterns, fours, time, before, desk, .. } = self;
        let pace = if *before > 0.0 { h / *before } else { 1.0 };
        for (place, four) in fours {
            let pattern = &patterns[*place as usize];
            if *time != h {
                four.time(pattern, h);
            }
            four.take(pattern, state, pace, desk);
        }
        (*time, *before) = (h, h);
    }

    /// Solves their equations, in the `last` round that is foreseen or one before.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, h: f32, last: bool) {
        let Self { patterns, fours, desk, .. } = self;
        for (place, four) in fours {
            four.satisfy(&patterns[*place as usize], moves, h, last, desk);
        }
    }
}
