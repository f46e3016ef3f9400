//! Who touches whom, since when, and how hard. It is found out where somebody asked for it once, as it takes time in each step.

use super::Sim;
use crate::collision::Contact;
use crate::math::{Mapped, Vec2};
use crate::solver::ContactImpulse;
use crate::world::{BodyId, Model, World};

/// Two bodies that touch do so until they are farther apart than this, m: what lands hops by a millimetre, and has not let go
/// for that.
const APART: f32 = 2e-3;

/// Two bodies that touched in the last step, if only for a part of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPair {
    /// The bodies, the one that was made first before the other.
    pub bodies: [BodyId; 2],
    /// What the first got from the second along the normals of their contacts in the step, N·s; the second got as much the other
    /// way. Divided by the mass of one of them it is the change of its velocity by that; divided by the time of a step it is the
    /// mean force. Friction is not counted. Nothing where both sleep. On `verlet` it is off by some per cent where a soft body is hit
    /// hard, at one sub-step by a third, and says little with [`Response::Classic`](crate::Response::Classic).
    pub impulse: Vec2,
    /// The sizes of what their contacts gave, added up, N·s: more than that of `impulse` where these act against each other, as on
    /// what is squeezed.
    pub total: f32,
    /// Where the hardest of their contacts acted, m.
    pub point: Vec2,
    /// Unit vector from the second body to the first there.
    pub normal: Vec2,
}

/// Bodies that begin to touch, or have parted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactEvent {
    /// Two bodies touched in the last step, and had not in the one before.
    Began(ContactPair),
    /// Two bodies no longer touch, or one of them is gone.
    Ended([BodyId; 2]),
}

/// What is known of that.
#[derive(Clone, Debug, Default)]
pub(super) struct Touching {
    wanted: bool,
    impulses: Vec<ContactImpulse>,
    /// Of each contact by itself.
    single: Vec<ContactPair>,
    /// In the order of their bodies.
    pairs: Vec<ContactPair>,
    before: Vec<ContactPair>,
    events: Vec<ContactEvent>,
}

impl Touching {
    /// Forgets who touched: the world is another now.
    pub(super) fn forget(&mut self) {
        *self = Self { wanted: self.wanted, ..Self::default() };
    }

    /// No contact has given anything in a step yet.
    pub(super) fn begin_step(&mut self) {
        self.impulses.clear();
    }

    /// Where backends leave what contacts have given.
    pub(super) fn impulses(&mut self) -> Option<&mut Vec<ContactImpulse>> {
        self.wanted.then_some(&mut self.impulses)
    }

    /// There is nothing to tell any more.
    pub(super) fn forget_events(&mut self) {
        self.events.clear();
    }

    /// Finds out who touches, from what contacts have given in the step, and those that there are at its end.
    fn find(&mut self, world: &World, contacts: &[Contact]) {
        let World { model, state } = world;
        let Self { impulses, single, pairs, before, .. } = self;
        let left = contacts.iter().filter(|contact| contact.depth >= 0.0);
        let left = left.map(|contact| ContactImpulse::of(contact, model, &state.position, 0.0));
        single.clear();
        single.extend(
            impulses.iter().copied().chain(left).filter_map(|given| pair_of(&given, model)),
        );
        single.sort_by_key(|pair| pair.bodies);
        std::mem::swap(pairs, before);
        self.merge(world);
    }

    /// Sums up contacts pair by pair, and compares who touches with who did.
    fn merge(&mut self, world: &World) {
        let Self { single, pairs, before, events, .. } = self;
        let part = |old: &ContactPair, pairs: &mut Vec<ContactPair>, events: &mut Vec<_>| {
            let [a, b] = old.bodies.mapped(|body| world.model.index_of(body));
            let may = |a: usize, b: usize| world.model.may_collide(a as u32, b as u32);
            let near = a.zip(b).is_some_and(|(a, b)| may(a, b) && world.are_within([a, b], APART));
            match near {
                true => pairs.push(ContactPair { impulse: Vec2::ZERO, total: 0.0, ..*old }),
                false => events.push(ContactEvent::Ended(old.bodies)),
            }
        };
        pairs.clear();
        let mut old = before.iter().peekable();
        for all in single.chunk_by(|a, b| a.bodies == b.bodies) {
            let bodies = all[0].bodies;
            while let Some(old) = old.next_if(|old| old.bodies < bodies) {
                part(old, pairs, events);
            }
            let harder = |a: ContactPair, b: &ContactPair| if b.total > a.total { *b } else { a };
            let hardest = all[1..].iter().fold(all[0], harder);
            let impulse = all.iter().map(|contact| contact.impulse).sum();
            let total = all.iter().map(|contact| contact.total).sum();
            let pair = ContactPair { impulse, total, ..hardest };
            if old.next_if(|old| old.bodies == bodies).is_none() {
                events.push(ContactEvent::Began(pair));
            }
            pairs.push(pair);
        }
        old.for_each(|old| part(old, pairs, events));
    }
}

/// A contact as one of two bodies; `None` if it is of one with itself.
fn pair_of(given: &ContactImpulse, model: &Model) -> Option<ContactPair> {
    let &ContactImpulse { pieces, point, normal, impulse } = given;
    let of_piece = |piece: u32| model.pieces[piece as usize].body as usize;
    let [a, b] = pieces.mapped(|piece| model.bodies[of_piece(piece)].handle());
    let (bodies, normal) = if a < b { ([a, b], normal) } else { ([b, a], -normal) };
    let (total, impulse) = (impulse, impulse * normal);
    (a != b).then_some(ContactPair { bodies, impulse, total, point, normal })
}

impl Sim {
    /// Whether steps are to find out who touches whom, from the next one on: [`Sim::contact_pairs`], [`Sim::contact_events`].
    /// They do not unless they are told to, as it takes time; nor does a [twin](Sim::twin).
    ///
    /// ```
    /// use sinew::{BodyDef, ContactEvent, Scene, Shape, Sim, Vec2};
    ///
    /// let mut scene = Scene::default();
    /// let ground = Shape::Box { size: Vec2::new(20.0, 1.0) };
    /// scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    /// scene.bodies.push(BodyDef::new("egg", Shape::Disc { radius: 0.1 }, Vec2::new(0.0, 2.1)));
    /// let mut sim = Sim::new(&scene)?;
    /// let egg = sim.world().body("egg").expect("it is in the scene");
    /// let mass = sim.world().model.bodies[sim.world().index(egg)?].mass;
    /// sim.watch_contacts(true);
    /// let mut hardest: f32 = 0.0;
    /// for _ in 0..60 {
    ///     sim.step()?;
    ///     for event in sim.contact_events() {
    ///         if let ContactEvent::Began(pair) = event {
    ///             hardest = hardest.max(pair.impulse.length() / mass);
    ///         }
    ///     }
    /// }
    /// // It has fallen 2 m, which is 6.3 m/s, and hardly bounces.
    /// assert!(hardest > 6.0 && hardest < 7.0);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    pub fn watch_contacts(&mut self, watch: bool) {
        if watch != self.touching.wanted {
            self.touching = Touching { wanted: watch, ..Touching::default() };
        }
    }

    /// The bodies that touched in the last step, in the order of their handles, those that sleep as well; none unless that is
    /// [watched](Self::watch_contacts). Bodies that bounced off each other within the step are among them; after an edit those
    /// that are gone, until the next step. Two bodies of which none is dynamic are no pair, nor are those that filters or joints keep
    /// apart.
    #[must_use]
    pub fn contact_pairs(&self) -> &[ContactPair] {
        &self.touching.pairs
    }

    /// The bodies that began to touch in the last step, or in the steps of the last [`Sim::advance`], and those that parted, step by
    /// step in the order of their handles; none unless that is [watched](Self::watch_contacts). After a jump to another state, as by
    /// [`Sim::rewind`] and [`Sim::reset`], who touches begins to, and nothing ends. One that has fallen asleep touches what it
    /// lies on.
    #[must_use]
    pub fn contact_events(&self) -> &[ContactEvent] {
        &self.touching.events
    }

    /// Finds out who touched in a step, if somebody wants to know.
    pub(super) fn note_touching(&mut self) {
        if !self.touching.wanted {
            return;
        }
        let mut touching = std::mem::take(&mut self.touching);
        if let Some(excerpt) = self.sleep.excerpt() {
            let number = |piece| excerpt.piece_number(&self.world.model, piece);
            let all = touching.impulses.iter_mut();
            all.for_each(|given| given.pieces = given.pieces.mapped(number));
        }
        touching.find(&self.world, &self.contacts());
        self.touching = touching;
    }
}
