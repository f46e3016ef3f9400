//! How long each body has been still.
//!
//! A body is still while it is slow and stays where it is. Speed alone would not do: what creeps, or is
//! about to topple, is slow for long. Nor would place alone: what trembles stays where it is.

use std::ops::Range;

use crate::math::Vec2;
use crate::world::{Body, Model, State};

/// No point of a body that is still is faster than this, m/s. Box2D's value.
const SLOW: f32 = 0.05;
/// Nor do its points go further than this from where they were when it became still, m.
const AWAY: f32 = 0.002;
/// So long a body must have been still before it may sleep, s. A crate that is a twelfth of a
/// millimetre off its balance moves by [`AWAY`] in that time.
const WHILE: f32 = 1.0;

/// How long a body has been still.
#[derive(Clone, Debug, Default)]
struct Still {
    /// Where its points were when it became still: a range of [`Stillness::places`].
    at: Range<u32>,
    /// Since then, s.
    since: f32,
}

/// How long each body of a world has been still.
#[derive(Clone, Debug, Default)]
pub(super) struct Stillness {
    bodies: Vec<Still>,
    places: Vec<Vec2>,
}

impl Stillness {
    /// Makes room for the bodies of a model. Each that `before` tells the old number of has been still
    /// for as long as it was; the others have just moved.
    pub(super) fn fit(&mut self, model: &Model, before: impl Fn(usize) -> Option<u32>) {
        let old = std::mem::take(self);
        for (index, body) in model.bodies.iter().enumerate() {
            let known = before(index).and_then(|number| old.bodies.get(number as usize));
            let start = self.places.len() as u32;
            let known = known.filter(|known| known.at.len() == watched(body).count());
            match known {
                Some(known) => {
                    let places = known.at.start as usize..known.at.end as usize;
                    self.places.extend_from_slice(&old.places[places]);
                }
                None => self.places.extend(watched(body).map(|_| Vec2::INFINITY)),
            }
            let at = start..self.places.len() as u32;
            self.bodies.push(Still { at, since: known.map_or(0.0, |known| known.since) });
        }
    }

    /// Takes note of where a body is after a step of `dt` seconds. `number` is the one it goes by here.
    pub(super) fn observe(
        &mut self,
        number: usize,
        model: &Model,
        body: &Body,
        state: &State,
        dt: f32,
    ) {
        let still = &mut self.bodies[number];
        let places = &mut self.places[still.at.start as usize..still.at.end as usize];
        let slow =
            |i: usize| model.inv_mass[i] == 0.0 || state.velocity[i].length_squared() < SLOW * SLOW;
        let near = |(was, i): (&Vec2, usize)| was.distance_squared(state.position[i]) < AWAY * AWAY;
        if body.point_range().all(slow) && places.iter().zip(watched(body)).all(near) {
            still.since += dt;
            return;
        }
        still.since = 0.0;
        for (place, i) in places.iter_mut().zip(watched(body)) {
            *place = state.position[i];
        }
    }

    /// Whether a body has been still for long enough.
    pub(super) fn is_long_still(&self, number: usize) -> bool {
        self.bodies[number].since >= WHILE
    }

    /// A body has to be still for the whole time again.
    pub(super) fn stir(&mut self, number: usize) {
        self.bodies[number].since = 0.0;
    }
}

/// The points whose places tell where a body is: all of a soft one, two of a rigid one.
fn watched(body: &Body) -> impl Iterator<Item = usize> + use<> {
    let points = body.point_range();
    let stride = if body.soft { 1 } else { (points.len() / 2).max(1) };
    let most = if body.soft { usize::MAX } else { 2 };
    points.step_by(stride).take(most)
}
