//! How far contacts have displaced bodies since a round began.
//!
//! A round begins with how far each piece has come ([`Collision::take_travels`](crate::collision::Collision)). What contacts
//! do in it is added up body by body, so that pairs that are apart need no look at their points for that.

use super::Round;

/// For each body how far contacts have displaced any of its points in this round, at most, m.
#[derive(Clone, Debug, Default)]
pub(super) struct Stirred {
    by: Vec<f32>,
}

impl Stirred {
    /// Nothing has been displaced.
    pub(super) fn reset(&mut self, bodies: usize) {
        self.by.clear();
        self.by.resize(bodies, 0.0);
    }

    /// All that two others say, of whose bodies the first are those before this one, and the second it and those after it.
    pub(super) fn join(&mut self, [first, second]: [&Self; 2], body: usize) {
        let (first, second) = (first.by.iter().take(body), second.by.iter().skip(body));
        self.by.clear();
        self.by.extend(first.chain(second));
    }

    /// Adds that points of both of two bodies were displaced, m.
    pub(super) fn add(&mut self, bodies: [u32; 2], by: f32) {
        bodies.into_iter().for_each(|body| self.by[body as usize] += by);
    }

    /// How far the pieces of a pair can have come towards each other in this sub-step, m.
    #[inline]
    pub(super) fn most_towards(&self, round: &Round<'_>, pair: (u32, u32)) -> f32 {
        let by = |piece: u32| self.by[round.model.pieces[piece as usize].body as usize];
        round.collision.towards(pair) + (by(pair.0) + by(pair.1))
    }
}
