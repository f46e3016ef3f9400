//! Soft bodies of one pattern, solved four side by side.
//!
//! Where a scene has a thousand ropes or two hundred jellies, their equations differ in numbers and in nothing else.
//! So the same instructions, on vectors of four, serve four bodies at once. What is solved is what `direct/` solves,
//! of the soft bodies that no joint takes hold of; it gives the same but for rounding. Bodies that
//! have not their like are left to it, and so is whatever joints connect.
//!
//! What a constraint is to bring about differs from backend to backend ([`Measure`]): `verlet/alike.rs` solves for
//! places, `rows/alike.rs` for velocities or places of nodes.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | all that are solved so |
//! | `pattern.rs` | which bodies are of one pattern, and where their unknowns are |
//! | `four.rs` | four bodies: their equations, and the impulses that satisfy them |
//! | `law.rs` | how edges, bends and areas give way |
//! | `factor.rs` | four matrices and their factors |
//! | `lanes.rs` | a number and a vector of each of four bodies |

mod factor;
mod four;
mod hardness;
mod lanes;
mod law;
mod pattern;

use std::collections::HashMap;

use crate::world::{Body, Model, Renumbering};

pub(crate) use factor::Pair;
pub(crate) use four::{Desk, Four};
pub(crate) use hardness::hardness;
pub(crate) use lanes::{LANES, Plane, splat};
pub(crate) use law::{Edge, Law, Measure, Soft};
pub(crate) use pattern::{Most, Pattern};

/// The number of a body that is gone.
const GONE: u32 = u32::MAX;

/// The soft bodies that are solved four side by side.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fours {
    patterns: Vec<Pattern>,
    /// Bodies, with the place of their pattern.
    list: Vec<(u32, Four)>,
    /// Whether each body of the model is one of them.
    has: Vec<bool>,
}

impl Fours {
    /// Finds them among the bodies that `takes` names, unless solving takes more than `most`. Bodies that were among
    /// them go on from what they were given.
    pub(crate) fn find(&mut self, model: &Model, most: Most, takes: impl Fn(&Body) -> bool) {
        let old = std::mem::take(self);
        self.has.resize(model.bodies.len(), false);
        let found = pattern::patterns(model, most, takes);
        for (place, (pattern, bodies)) in (0..).zip(found) {
            for members in bodies.chunks(LANES) {
                self.list.push((place, Four::new(model, &pattern, members)));
            }
            for body in bodies {
                self.has[body as usize] = true;
            }
            self.patterns.push(pattern);
        }
        let lanes = old.list.iter().flat_map(|(_, four)| {
            (0..four.count).map(move |lane| (four.bodies[lane], (four, lane)))
        });
        let lanes: HashMap<u32, (&Four, usize)> = lanes.collect();
        for (_, four) in &mut self.list {
            for lane in 0..LANES {
                if let Some(&before) = lanes.get(&four.bodies[lane]) {
                    four.go_on(lane, before);
                }
            }
        }
    }

    /// Gives bodies the numbers that they have now, before they are found anew.
    pub(crate) fn rename(&mut self, by: &Renumbering) {
        if !by.same_constraints() {
            *self = Self::default();
        }
        for body in self.list.iter_mut().flat_map(|(_, four)| &mut four.bodies) {
            *body = if *body == GONE { GONE } else { by.body(*body).unwrap_or(GONE) };
        }
    }

    /// Whether a body is one of them.
    pub(crate) fn has(&self, body: u32) -> bool {
        self.has.get(body as usize) == Some(&true)
    }

    /// The number of fours.
    pub(crate) fn len(&self) -> usize {
        self.list.len()
    }

    /// A four and its pattern.
    pub(crate) fn get(&self, four: usize) -> (&Pattern, &Four) {
        let (place, four) = &self.list[four];
        (&self.patterns[*place as usize], four)
    }

    /// The same, to change it.
    pub(crate) fn get_mut(&mut self, four: usize) -> (&Pattern, &mut Four) {
        let (place, four) = &mut self.list[four];
        (&self.patterns[*place as usize], four)
    }

    /// The patterns, and all fours with the place of theirs.
    pub(crate) fn parts(&mut self) -> (&[Pattern], &mut [(u32, Four)]) {
        (&self.patterns, &mut self.list)
    }

    /// All of them, each with its pattern.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Pattern, &Four)> {
        self.list.iter().map(|(place, four)| (&self.patterns[*place as usize], four))
    }

    /// The same, to change them.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = (&Pattern, &mut Four)> {
        let Self { patterns, list, .. } = self;
        list.iter_mut().map(|(place, four)| (&patterns[*place as usize], four))
    }
}
