//! How near the pieces of a pair are, and what a look at them finds.
//!
//! Who is apart is looked at again only when his points may have come so far; who touches, and is rigid, only when the
//! bodies have come [`STEADY`] towards each other.

use super::Round;
use super::stirred::Stirred;
use super::touched::Touched;
use crate::collision::{Collision, Touch};
use crate::math::Vec2;
use crate::solver::verlet::Moves;
use crate::world::Model;

/// Contacts of rigid bodies follow their features until sub-steps have brought their bodies so far towards each other,
/// m, and are known before they touch from as far off.
pub(super) const STEADY: f32 = 1e-3;

/// Gaps may be less than they were found to be by the rounding of positions far from the origin, m.
const BLUR: f32 = 1e-4;

/// How near the pieces of a pair are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Near {
    /// How far they were from each other, at least, when the sub-step began, m.
    pub(super) gap: f32,
    /// Where their contacts are; [`NONE`](super::NONE) if they do not touch.
    pub(super) place: u32,
}

/// What is to be seen where the points of two pieces are now.
pub(super) enum Look {
    /// Nothing that is new.
    Nothing,
    /// The contacts of before.
    Known,
    /// What touches, or will if rigid bodies come by [`STEADY`].
    Tested(Touch),
    /// What has touched on the way.
    Swept(Touch),
}

impl Look {
    #[inline]
    pub(super) fn finds_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Known => false,
            Self::Tested(found) | Self::Swept(found) => found.is_empty(),
        }
    }
}

impl Near {
    /// How far the pieces were surely from each other when the sub-step began, m.
    pub(super) fn gap(&self) -> f32 {
        self.gap - BLUR
    }

    /// What pieces touch where their points are now and, so far as is `known`, have not touched before in this
    /// sub-step.
    #[inline]
    pub(super) fn look(
        &mut self,
        known: Option<&Touched>,
        round: &Round<'_>,
        (moves, positions): (&Moves, &[Vec2]),
        stirred: &Stirred,
        pair: (u32, u32),
    ) -> Look {
        // Who has met with a whole edge meets with no more of it in later rounds.
        if known.is_some_and(Touched::has_met) {
            return Look::Nothing;
        }
        let (model, collision) = (round.model, round.collision);
        let mut way = stirred.most_towards(round, pair);
        // Nor does who is as steady, and still near where it met.
        if way < STEADY && known.is_some_and(Touched::is_steady) {
            return Look::Nothing;
        }
        // What their points say is less, but takes longer to find out: they are asked where it may make a difference.
        let misses = |way: f32| collision.may_miss(model, &moves.start, way, pair, 0.0);
        let closes = self.gap() > 0.0 && way >= self.gap() && !Collision::is_surely_slow(way);
        if closes || misses(way) {
            let of = |point: u32| moves.delta[point as usize];
            way = Collision::relative_travel(model, of, pair);
        }
        // Nor do those who are farther from each other than they can have come.
        if way < self.gap() {
            return Look::Nothing;
        }
        if misses(way) {
            let found = collision.arrive(model, [&moves.start, positions], pair);
            if let Err(gap) = found {
                self.gap = gap;
            }
            return Look::Swept(found.unwrap_or_default());
        }
        if known.is_some_and(|touched| touched.steady > 0.0) {
            return Look::Known;
        }
        let margin = if are_rigid(model, [pair.0, pair.1]) { STEADY } else { 0.0 };
        let found = Collision::touch_or_gap(model, positions, pair, margin);
        if let Err(gap) = found {
            self.gap = gap - way;
        }
        Look::Tested(found.unwrap_or_default())
    }
}

/// Whether both of two pieces are of rigid bodies.
pub(super) fn are_rigid(model: &Model, pieces: [u32; 2]) -> bool {
    let body = |piece: u32| &model.bodies[model.pieces[piece as usize].body as usize];
    pieces.into_iter().all(|piece| body(piece).is_rigid())
}
