//! A pair of pieces: what every pass over pairs looks at, in as little memory as it takes.

use crate::math::Mapped;
use crate::solver::nodes::{Circles, Nodes, Stand};
use crate::world::{Model, Renumbering};

use super::MARGIN;

/// Contacts are followed from step to step as long as their bodies have not moved further against each other than
/// this part of the reach of the smaller, so that none has turned by more than that as an angle, and than this, m.
const STILL: f32 = 0.02;
const STILL_AT_MOST: f32 = 4e-3;

/// Instead of the nodes of bodies that are not both single ones.
const NONE: [u32; 2] = [u32::MAX; 2];
/// Instead of the place of what is not known.
const NOWHERE: u8 = u8::MAX;
/// Where a pair is to be tested whatever its pieces do, m.
const NO_ROOM: f32 = f32::NEG_INFINITY;

/// What is to be done about a pair in a sub-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Task {
    /// Its form still holds. Its points need not be where its bodies are.
    Keep,
    /// It is apart, and stays so.
    Leave,
    /// Its points are looked at.
    Look,
}

/// Two pieces that may touch: how they move, and what is to be done about it. What is known of their contacts stands
/// apart ([`super::Encounter`]): most passes do not look at it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pair<F = ()> {
    pub(crate) form: F,
    /// The lower first.
    pub(super) pieces: (u32, u32),
    nodes: [u32; 2],
    /// How far circles around them reach together, m.
    reach: f32,
    /// What they may move against each other and still be taken for still, m.
    pub(super) still: f32,
    /// How far the pieces may come towards each other before the pair is tested again, m; [`NO_ROOM`] if it is to be in the
    /// next step in any case.
    pub(super) room: f32,
    /// Where what is known of its contacts stands among that of its block; [`NOWHERE`] if nothing is.
    place: u8,
    /// Whether there are contacts.
    pub(super) meets: bool,
    /// Whether they may be followed in this step.
    pub(super) fresh: bool,
    /// Whether there were any in this step.
    pub(super) touched: bool,
}

impl<F: Default> Pair<F> {
    pub(super) fn new(model: &Model, nodes: &Nodes, pieces: (u32, u32)) -> Self {
        let pair = Self {
            form: F::default(),
            pieces,
            nodes: NONE,
            reach: 0.0,
            still: 0.0,
            room: NO_ROOM,
            place: NOWHERE,
            meets: false,
            fresh: false,
            touched: false,
        };
        pair.linked(model, nodes)
    }

    /// The same with the numbers that pieces have now, without a form; `None` if either piece is gone.
    pub(super) fn renumbered(&self, by: &Renumbering) -> Option<Self> {
        let pieces = (by.piece(self.pieces.0)?, by.piece(self.pieces.1)?);
        Some(Self { form: F::default(), pieces, ..*self })
    }

    /// The same where the model or the numbers of its nodes may be others.
    pub(super) fn linked(self, model: &Model, nodes: &Nodes) -> Self {
        let ends = [self.pieces.0, self.pieces.1].mapped(|piece| &model.pieces[piece as usize]);
        let circles = nodes.circles(model, self.pieces);
        let reaches = circles.map(|circles| nodes.reaches(circles.nodes));
        let least = reaches.map_or(0.0, |[a, b]| (a + ends[0].radius).min(b + ends[1].radius));
        let still = (STILL * least).min(STILL_AT_MOST);
        let (nodes, reach) = circles.map_or((NONE, 0.0), |circles| (circles.nodes, circles.reach));
        Self { nodes, reach, still, ..self }
    }
}

impl<F: Default + PartialEq> Pair<F> {
    #[inline]
    pub(crate) fn has_form(&self) -> bool {
        self.form != F::default()
    }

    /// Whether anything that may be known of its contacts is worth knowing: there are some, or they have a form.
    #[inline]
    pub(super) fn is_known(&self) -> bool {
        self.meets || self.has_form()
    }

    /// Tells how far the pieces may come within a step of `dt` seconds, before anything has acted on them, and what is to be
    /// done about them; `stand` is how their bodies stood when they were tested.
    #[inline]
    pub(super) fn foresee(&mut self, nodes: &Nodes, stand: &Stand, dt: f32) -> Task {
        let (mut keeps, mut fresh) = (false, false);
        if let Some(ends) = self.nodes().filter(|_| self.room > NO_ROOM) {
            let moves = dt * nodes.most_speed(ends);
            let stays = moves + nodes.moved_since(ends, stand) < self.room;
            // Forms do not turn with their bodies. Who has turned with another and does so no more is tested once, so that
            // its form will be kept.
            let turns = moves >= self.still;
            fresh = stays || (turns && self.stays_within_room(nodes, ends, stand, dt));
            keeps = stays && self.meets && self.may_be_kept(nodes, ends);
        }
        change(&mut self.touched, false);
        change(&mut self.fresh, fresh);
        self.task(keeps)
    }

    /// Tells in the middle of a step of `dt` seconds what is to be done about a pair: whether its form holds; and, if it is apart,
    /// whether it may come so near after all that it is to be tested.
    #[inline]
    pub(super) fn choose(&mut self, nodes: &Nodes, dt: f32) -> Task {
        let Some(ends) = self.nodes() else { return self.task(false) };
        // What hardly moves at all is as near as it was.
        let rests = dt * nodes.pace(ends) < self.still;
        let moves = if rests { 0.0 } else { dt * nodes.most_speed(ends) };
        let fresh = self.fresh && (rests || self.meets || self.stays_near(nodes, moves, dt));
        change(&mut self.fresh, fresh);
        self.task(moves < self.still && self.may_be_kept(nodes, ends))
    }

    /// What is to be done if its form holds or not.
    fn task(&self, keeps: bool) -> Task {
        match keeps {
            true => Task::Keep,
            false if self.meets || !self.fresh => Task::Look,
            false => Task::Leave,
        }
    }

    /// Whether it has a form, and nothing but contacts looks at the points of either body.
    fn may_be_kept(&self, nodes: &Nodes, ends: [u32; 2]) -> bool {
        self.has_form() && ends.iter().all(|&node| !nodes.is_tied(node))
    }
}

impl<F> Pair<F> {
    /// The nodes of their bodies, if both are single ones.
    pub(crate) fn nodes(&self) -> Option<[u32; 2]> {
        (self.nodes != NONE).then_some(self.nodes)
    }

    /// Circles around their bodies, if both are single nodes.
    #[inline]
    pub(crate) fn circles(&self) -> Option<Circles> {
        self.nodes().map(|nodes| Circles { nodes, reach: self.reach })
    }

    /// Where what is known of its contacts stands among that of its block, if anything is.
    #[inline]
    pub(super) fn place(&self) -> Option<usize> {
        (self.place != NOWHERE).then_some(usize::from(self.place))
    }

    /// Says where that is.
    #[inline]
    pub(super) fn set_place(&mut self, place: Option<usize>) {
        self.place = place.map_or(NOWHERE, |place| place as u8);
    }

    /// Whether its pieces touch, nearly do, or did so in an earlier sub-step of this step.
    pub(crate) fn is_touching(&self) -> bool {
        self.meets || self.touched
    }

    /// Whether there are contacts now.
    pub(crate) fn has_contacts(&self) -> bool {
        self.meets
    }

    /// Whether its pieces, which go apart by `way` at most within `dt` seconds, m, need not be tested again for that.
    #[inline]
    pub(super) fn stays_near(&self, nodes: &Nodes, way: f32, dt: f32) -> bool {
        let free = self.room.max(0.5 * MARGIN);
        way < free || self.nodes().is_some_and(|ends| nodes.strays_within(ends, dt) < free)
    }

    /// Notes how the bodies stand as the pieces are tested, if that is worth knowing.
    #[inline]
    pub(super) fn note_stand(&mut self, nodes: &Nodes, stand: &mut Stand) {
        match self.nodes().filter(|_| self.fresh) {
            Some(ends) => *stand = nodes.stand(ends),
            None => self.room = NO_ROOM,
        }
    }

    /// Whether the pieces surely have not come further towards each other or apart, since they were tested, than they may,
    /// and will not within `dt` seconds, whatever both do as one.
    fn stays_within_room(&self, nodes: &Nodes, ends: [u32; 2], stand: &Stand, dt: f32) -> bool {
        nodes.strays_within(ends, dt) + nodes.strayed_since(ends, stand) < self.room
    }
}

/// Writes only where that is something else: memory that is only read need not be written back from a cache.
#[inline]
fn change(flag: &mut bool, to: bool) {
    if *flag != to {
        *flag = to;
    }
}
