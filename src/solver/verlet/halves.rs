//! Work on the two halves of many bodies at the same time.
//!
//! Rounds are one after the other over all that holds bodies together or apart, each where the one before has left them. What
//! acts within the first half of the bodies and what acts within the second have nothing in common, so that they may have
//! their turn at the same time; then comes what acts between the halves. A half is one of what order bodies have in the
//! level, which is mostly half of a place, too; in a heap that has been stirred half of all pairs are between.
//!
//! Threads share no memory that they write: the second half works on a copy, of which what it owns goes back in the end.

use crate::solver::nodes::Twist;
use crate::threads::Threads;
use crate::world::Model;

/// Fewer bodies are not divided. Where much overlaps at the start each half is thrown apart by itself, and both meet in the
/// middle: of 625 discs that begin 10 % inside each other in a box that they just fit in, some come 16 cm deep for a moment
/// if they are divided, and 8 cm if not. To take what is between the halves first in every other round makes it worse.
const MANY: usize = 1000;

/// So many lists there are of what is divided: within the first half of the bodies, or all; within the second; between them.
pub(super) const LISTS: usize = 3;

/// Where the second half of the bodies of a world begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Halves {
    middle: Option<Middle>,
}

/// The first body of the second half, and the first of its points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Middle {
    pub(super) body: u32,
    pub(super) point: u32,
}

/// Whether a body is in the second half; `None` of one that nothing moves, which goes with either.
pub(super) type Half = Option<bool>;

impl Halves {
    pub(super) fn of(model: &Model) -> Self {
        let middle = (model.bodies.len() >= MANY).then(|| {
            let body = model.body_of[model.point_count() / 2];
            Middle { body, point: model.bodies[body as usize].points.start }
        });
        Self { middle }
    }

    /// Where the second begins; `None` where there is one list of all.
    pub(super) fn middle(self) -> Option<Middle> {
        self.middle
    }

    /// The half of a body, by its number; what is no body does not move.
    pub(super) fn half(self, model: &Model, body: u32) -> Half {
        let of = model.bodies.get(body as usize).filter(|body| body.is_dynamic());
        of.zip(self.middle).map(|(_, middle)| body >= middle.body)
    }

    /// The list of what acts on bodies of these halves.
    pub(super) fn list(pair: [Half; 2]) -> usize {
        match pair {
            [Some(a), Some(b)] if a != b => 2,
            [a, b] => usize::from(a.or(b) == Some(true)),
        }
    }
}

/// Where the second half has the motions of its bodies while another thread is at work on the first.
#[derive(Clone, Debug, Default)]
pub(super) struct MotionsApart(Vec<Twist>);

impl MotionsApart {
    /// Does some work with three lists, of which the second moves no bodies but those from the `middle` on and the first none
    /// of these; if there is one.
    pub(super) fn each<L: Send>(
        &mut self,
        [first, second, between]: &mut [L; LISTS],
        middle: Option<Middle>,
        motions: &mut [Twist],
        threads: &Threads,
        work: impl Fn(&mut L, &mut [Twist]) + Sync,
    ) {
        let Some(Middle { body, .. }) = middle.filter(|_| threads.count() > 1) else {
            [first, second, between].into_iter().for_each(|list| work(list, motions));
            return;
        };
        let Self(apart) = self;
        apart.clear();
        apart.extend_from_slice(motions);
        let mut both = [(first, &mut *motions), (second, &mut apart[..])];
        threads.each(&mut both[..], 1, |some: &mut [(&mut L, &mut [Twist])]| {
            some.iter_mut().for_each(|(list, motions)| work(list, motions));
        });
        let own = body as usize..;
        motions[own.clone()].copy_from_slice(&apart[own]);
        work(between, motions);
    }
}
