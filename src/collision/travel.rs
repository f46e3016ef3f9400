//! How pieces travel: each about as one, and how far its points stray from that.
//!
//! How far the two of a pair come towards each other, at most, is asked of every pair in every sub-step, and most pieces
//! are part of several pairs. So the points of each are gone through once, and pairs ask about two vectors.

use std::ops::Range;

use super::PART;
use crate::math::Vec2;
use crate::threads::Threads;
use crate::world::Model;

/// How the points of a piece travel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Travel {
    /// The middle between those that go farthest to either side.
    middle: Vec2,
    /// How far any goes from there, m.
    stray: f32,
}

impl Travel {
    /// That of a piece whose points go by their `travel`.
    #[inline]
    pub(super) fn of(model: &Model, travel: impl Fn(u32) -> Vec2, piece: u32) -> Self {
        let points = model.outline(&model.pieces[piece as usize]);
        let (first, others) = (travel(points[0]), &points[1..]);
        let (least, most) = others.iter().fold((first, first), |(least, most), &point| {
            let by = travel(point);
            (least.min(by), most.max(by))
        });
        let middle = 0.5 * (least + most);
        let strays = points.iter().map(|&point| (travel(point) - middle).length_squared());
        Self { middle, stray: strays.fold(0.0, f32::max).sqrt() }
    }

    /// How far any point of the one comes towards any of the other, at most, m.
    #[inline]
    pub(super) fn towards(&self, other: &Self) -> f32 {
        (self.middle - other.middle).length() + (self.stray + other.stray)
    }
}

/// How all pieces travel that are part of a pair.
#[derive(Clone, Debug, Default)]
pub(super) struct Travels {
    of: Vec<Travel>,
    /// Whether each piece is part of a pair.
    paired: Vec<bool>,
    /// Whether that is so of the pairs that there are now.
    noted: bool,
}

impl Travels {
    /// Has the pieces of pairs noted anew when it is next asked how they travel: there are other pairs.
    pub(super) fn outdate(&mut self) {
        self.noted = false;
    }

    /// Takes how the pieces of these pairs travel where each point goes by its `travel`.
    pub(super) fn take(
        &mut self,
        model: &Model,
        pairs: &[(u32, u32)],
        travel: impl Fn(u32) -> Vec2 + Sync,
        threads: &Threads,
    ) {
        if !std::mem::replace(&mut self.noted, true) {
            self.note(model.pieces.len(), pairs);
        }
        let take = |(of, (paired, pieces)): (&mut [Travel], (&[bool], Range<usize>))| {
            for ((of, paired), piece) in of.iter_mut().zip(paired).zip(pieces) {
                if *paired {
                    *of = Travel::of(model, &travel, piece as u32);
                }
            }
        };
        let pieces = 0..self.of.len();
        threads.each((&mut self.of[..], (&self.paired[..], pieces)), PART, take);
    }

    fn note(&mut self, pieces: usize, pairs: &[(u32, u32)]) {
        self.paired.clear();
        self.paired.resize(pieces, false);
        for piece in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            self.paired[piece as usize] = true;
        }
        self.of.resize(pieces, Travel::default());
    }

    /// How far the pieces of a pair come towards each other, at most, m.
    #[inline]
    pub(super) fn towards(&self, (a, b): (u32, u32)) -> f32 {
        self.of[a as usize].towards(&self.of[b as usize])
    }
}
