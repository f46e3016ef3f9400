//! The contacts of a step, and what a backend remembers of each.
//!
//! A pair whose pieces cannot come closer than half of [`MARGIN`] to something new within the step is
//! tested once, with that margin, and its contacts then follow their vertex and edge from sub-step to
//! sub-step. Faster pairs are tested in every sub-step, pairs that hardly move at all only when they have
//! moved a little ([`STILL`]), and pairs that are apart when they have moved by what is between them.
//!
//! Whoever has a form of his own for the contacts of a pair may keep it, from sub-step to sub-step and from
//! step to step, as long as its bodies hardly move ([`Pair::is_kept`]); their points need not be written then.

use crate::collision::{Collision, Contact, Outlines};
use crate::math::Vec2;
use crate::scene::Material;
use crate::solver::StepCx;
use crate::solver::nodes::{Nodes, Stand};
use crate::threads::Threads;
use crate::world::{Model, Renumbering};

/// Pieces nearer than this are paired in the broad phase, m.
const PAIR_MARGIN: f32 = 0.05;
/// The work on so few pairs is not worth sharing out.
const PART: usize = 256;
/// Contacts are made this far before they touch, m, so that a stack does not lose and find them.
const MARGIN: f32 = 0.02;

/// Contacts are followed from step to step as long as their bodies have not moved further against each other than
/// this part of the reach of the smaller, so that none has turned by more than that as an angle, and than this, m.
const STILL: f32 = 0.02;
const STILL_AT_MOST: f32 = 4e-3;
/// Pairs of a step are surely all there as long as no point has left the way it was on at its beginning by
/// more than this, m.
const ASTRAY: f32 = 5e-3;

/// The contacts of all pairs of a step, with a memory `M` of each, and with the form `F` that a backend has for those
/// of a pair, which is the default where it has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches<M, F = ()> {
    pairs: Vec<Pair<M, F>>,
    before: Vec<Pair<M, F>>,
    /// How many pairs were tested in the last sub-step, or are to be in the first.
    tested: usize,
    outlines: Outlines,
    /// What blocks of pairs list.
    lists: Vec<Vec<Contact>>,
    /// Whether the pairs of the last step have the numbers of this model.
    linked: bool,
    /// Whether there are others now.
    outdated: bool,
    /// Whether each pair is at the place where it was when [`Touches::settle_forms`] was last called, and those have
    /// a form that are to have one.
    settled: bool,
}

/// What two pieces have in common for as long as they are a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Link {
    /// The nodes of their bodies, if both are single ones.
    pub(crate) nodes: Option<[u32; 2]>,
    /// Coefficient μ.
    pub(crate) friction: f32,
    /// Coefficient of restitution.
    pub(crate) restitution: f32,
    /// The radii of the pieces, m.
    radii: [f32; 2],
    /// What they may move against each other and still be taken for still, m.
    still: f32,
    /// Whether nothing but contacts looks at the points of either body.
    loose: bool,
}

/// Two pieces that may touch. What every pass over pairs looks at comes first, side by side.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Pair<M, F = ()> {
    pub(crate) link: Link,
    pub(crate) form: F,
    /// The number of contacts.
    count: u8,
    /// Whether they may be followed in this step.
    fresh: bool,
    /// Whether there were any in this step.
    touched: bool,
    /// Whether the form still holds.
    kept: bool,
    /// How far the pieces may come towards each other before the pair is tested again, m, where it is known.
    room: f32,
    /// The lower first.
    pieces: (u32, u32),
    /// How the bodies stood when the pieces were tested, if that may still hold.
    seen: Option<Stand>,
    known: [Known<M>; 2],
}

/// A contact and what is remembered of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<M> {
    pub(crate) contact: Contact,
    pub(crate) memory: M,
}

impl Link {
    fn new(model: &Model, nodes: &Nodes, pieces: (u32, u32)) -> Self {
        let ends = [pieces.0, pieces.1].map(|piece| &model.pieces[piece as usize]);
        let [a, b] = ends.map(|piece| &model.bodies[piece.body as usize].material);
        let (friction, restitution) = Material::mix(a, b);
        let radii = ends.map(|piece| piece.radius);
        let loose = ends.iter().all(|piece| !nodes.is_tied(piece.body));
        let between = nodes.blocks(model, pieces);
        let reaches = between.map(|ends| nodes.reaches(ends));
        let least = reaches.map_or(0.0, |[a, b]| (a + radii[0]).min(b + radii[1]));
        let still = (STILL * least).min(STILL_AT_MOST);
        Self { nodes: between, friction, restitution, radii, still, loose }
    }
}

impl<M, F> Touches<M, F>
where
    M: Copy + Default + Send + Sync,
    F: Copy + Default + PartialEq + Send + Sync,
{
    /// Gives what is known the numbers that pieces and points have now. Nothing has a form any more.
    pub(crate) fn renumber(&mut self, by: &Renumbering) {
        let pairs = std::mem::take(&mut self.pairs);
        self.pairs.extend(pairs.into_iter().filter_map(|pair| pair.renumbered(by)));
        self.linked = false;
    }

    /// Finds the pairs that may touch in a step. Those of the last one stay if no piece leaves its box.
    pub(crate) fn find_pairs(&mut self, cx: &mut StepCx<'_>) {
        let StepCx { model, state, collision, dt, .. } = cx;
        self.outdated =
            !self.linked || collision.refresh_pairs(model, state, *dt, *dt, PAIR_MARGIN, ASTRAY);
        if !self.linked {
            collision.update_pairs(model, state, *dt, PAIR_MARGIN);
        }
    }

    /// Takes over the pairs that were found for a step, before anything has acted on their bodies.
    pub(crate) fn begin_step(&mut self, cx: &StepCx<'_>, nodes: &Nodes) {
        if self.outdated {
            self.take_over(cx.model, nodes, cx.collision.pairs());
        }
        self.foresee(nodes, cx.dt, cx.threads);
    }

    /// Whether, in the `h` seconds to come, pieces may meet that are no pair.
    pub(crate) fn may_miss_pairs(&self, nodes: &Nodes, h: f32, threads: &Threads) -> bool {
        nodes.farthest_astray(h, threads) > ASTRAY
    }

    /// Finds pairs anew, for the `left` seconds of a step, if a body leaves its box in the `h` seconds to come.
    /// Returns whether it did.
    pub(crate) fn find_missing(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        h: f32,
        left: f32,
    ) -> bool {
        let StepCx { model, state, collision, threads, .. } = cx;
        nodes.write_all(model, state, threads);
        let found = collision.refresh_pairs(model, state, h, left, PAIR_MARGIN, ASTRAY);
        if found {
            nodes.set_out(threads);
            self.take_over(model, nodes, collision.pairs());
            self.foresee(nodes, left, threads);
        }
        found
    }

    /// Tells which pairs keep the form of their contacts in this sub-step, and which that are apart may come so near
    /// after all that they are to be tested; and writes the points of all that have to be looked at.
    pub(crate) fn choose_kept(&mut self, cx: &mut StepCx<'_>, nodes: &mut Nodes) {
        let dt = cx.dt;
        let choose = |pairs: &mut [Pair<M, F>]| {
            let mut looked_at = 0_usize;
            for pair in pairs {
                if let Some(ends) = pair.link.nodes {
                    let moves = dt * nodes.most_speed(ends);
                    pair.kept = moves < pair.link.still && pair.may_be_kept();
                    pair.fresh &= pair.count > 0 || moves < pair.free_way();
                }
                looked_at += usize::from(pair.is_looked_at());
            }
            looked_at
        };
        let looked_at = cx.threads.parts(&mut self.pairs[..], PART, &choose, &|a, b| a + b);
        if 4 * looked_at > cx.model.bodies.len() {
            nodes.write_all(cx.model, cx.state, cx.threads);
        } else if looked_at > 0 {
            for pair in self.pairs.iter().filter(|pair| pair.is_looked_at()) {
                for piece in [pair.pieces.0, pair.pieces.1] {
                    nodes.write(cx.model.pieces[piece as usize].body, cx.model, cx.state);
                }
            }
        }
    }

    /// Looks at all pairs that were kept, because their forms do not hold. Before that `recall` may write into the
    /// memory of each what its form knows.
    pub(crate) fn keep_none(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        recall: impl Fn(&mut Pair<M, F>) + Sync,
    ) {
        nodes.write_all(cx.model, cx.state, cx.threads);
        let positions = &cx.state.position;
        cx.threads.each(&mut self.pairs[..], PART, |pairs: &mut [Pair<M, F>]| {
            for pair in pairs.iter_mut().filter(|pair| pair.is_kept()) {
                recall(pair);
                pair.kept = false;
                pair.follow(positions);
            }
        });
    }

    /// Takes over a list of pairs, in ascending order, keeping what is known of those that were there before.
    fn take_over(&mut self, model: &Model, nodes: &Nodes, pairs: &[(u32, u32)]) {
        if self.linked && self.pairs.iter().map(|pair| &pair.pieces).eq(pairs) {
            return;
        }
        std::mem::swap(&mut self.pairs, &mut self.before);
        let Self { pairs: now, before, linked, .. } = self;
        now.clear();
        now.reserve(pairs.len());
        let (mut before, mut pairs) = (&before[..], pairs);
        while let Some(&pieces) = pairs.first() {
            // Most of them stay, many in a row.
            let stay = before.iter().zip(pairs).take_while(|(old, pieces)| old.pieces == **pieces);
            let stay = stay.count();
            now.extend_from_slice(&before[..stay]);
            (before, pairs) = (&before[stay..], &pairs[stay..]);
            if stay == 0 && before.first().is_some_and(|old| old.pieces < pieces) {
                before = &before[1..];
            } else if stay == 0 {
                let link = Link::new(model, nodes, pieces);
                now.push(Pair { pieces, link, ..Pair::default() });
                pairs = &pairs[1..];
            }
        }
        if !std::mem::replace(linked, true) {
            for pair in now {
                pair.link = Link::new(model, nodes, pair.pieces);
            }
        }
        self.settled = false;
    }

    /// Tells how far the pieces of each pair may come within a step of `dt` seconds, before anything has
    /// acted on them.
    fn foresee(&mut self, nodes: &Nodes, dt: f32, threads: &Threads) {
        let foresee = |pairs: &mut [Pair<M, F>]| {
            let mut tested = 0_usize;
            for pair in pairs {
                let still = || {
                    let (ends, seen) = (pair.link.nodes?, pair.seen?);
                    let moves = dt * nodes.most_speed(ends);
                    Some(moves + nodes.moved_since(ends, &seen) < pair.room)
                };
                pair.fresh = still().unwrap_or(false);
                pair.touched = false;
                pair.kept = pair.fresh && pair.count > 0 && pair.may_be_kept();
                tested += usize::from(!pair.fresh);
            }
            tested
        };
        self.tested = threads.parts(&mut self.pairs[..], PART, &foresee, &|a, b| a + b);
    }

    /// Finds the contacts of this sub-step of `h` seconds, of pairs that are not kept. One whose features have changed,
    /// as when a box rolls over a corner, takes over the memory of another that is gone from within `same_place`, m.
    /// Before that `recall` may write into the memory what the form of the pair knows.
    pub(crate) fn find(
        &mut self,
        cx: &StepCx<'_>,
        nodes: &Nodes,
        h: f32,
        same_place: f32,
        recall: impl Fn(&mut Pair<M, F>) + Sync,
    ) {
        let (model, state, collision, dt) = (cx.model, &*cx.state, &*cx.collision, cx.dt);
        let positions = &state.position;
        let velocity = |point: u32| state.velocity[point as usize];
        let travel = |point: u32| h * velocity(point);
        self.outlines.find_for(self.tested, model, positions, cx.threads);
        let scenery = self.outlines.at(model, positions);
        let test = |pair: &mut Pair<M, F>| {
            let speed = match pair.link.nodes {
                Some(ends) => nodes.most_speed(ends),
                None => Collision::relative_travel(model, velocity, pair.pieces),
            };
            let around = || nodes.gap_around(pair.link.nodes?, pair.link.radii);
            let found = match around().filter(|gap| *gap > MARGIN + h * speed) {
                Some(gap) => Err(gap),
                None => collision.meet_in(scenery, travel, h * speed, pair.pieces, MARGIN),
            };
            let gap = found.err().unwrap_or(0.0);
            pair.replace(model, positions, &found.unwrap_or_default(), same_place);
            pair.room = pair.link.still.max(gap - MARGIN);
            pair.fresh = dt * speed < pair.free_way();
            let ends = pair.link.nodes.filter(|_| pair.fresh);
            pair.seen = ends.map(|ends| nodes.stand(ends));
        };
        // How many were tested, and whether each has a form that is to have one.
        let find = |pairs: &mut [Pair<M, F>]| {
            let (mut tested, mut settled) = (0_usize, true);
            // The points of what is kept need not be where it is.
            for pair in pairs.iter_mut().filter(|pair| !pair.is_kept()) {
                recall(pair);
                if pair.fresh {
                    pair.follow(positions);
                } else {
                    test(pair);
                    tested += 1;
                }
                pair.touched |= pair.count > 0;
                settled &= pair.is_touching() == pair.has_form();
            }
            (tested, settled)
        };
        let both = |a: (usize, bool), b: (usize, bool)| (a.0 + b.0, a.1 && b.1);
        let (tested, settled) = cx.threads.parts(&mut self.pairs[..], PART, &find, &both);
        self.tested = tested;
        self.settled &= settled;
    }

    /// Whether each pair is at the place where it was when [`Touches::settle_forms`] was last called, and those have a
    /// form that touch, or did in this step.
    pub(crate) fn are_settled(&self) -> bool {
        self.settled
    }

    /// Says that those have a form that are to have one.
    pub(crate) fn settle_forms(&mut self) {
        self.settled = true;
    }

    /// The pairs that touch, or nearly do, with one or two contacts each.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Pair<M, F>> + Clone {
        self.pairs.iter().filter(|pair| pair.count > 0)
    }

    /// All pairs.
    pub(crate) fn pairs(&self) -> &[Pair<M, F>] {
        &self.pairs
    }

    /// The same, to write what is to be remembered.
    pub(crate) fn pairs_mut(&mut self) -> &mut [Pair<M, F>] {
        &mut self.pairs
    }

    /// All contacts, pair by pair.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = &Known<M>> {
        self.iter().flat_map(Pair::contacts)
    }

    /// The same, to write what is to be remembered.
    pub(crate) fn contacts_mut(&mut self) -> impl Iterator<Item = &mut Known<M>> {
        self.pairs.iter_mut().flat_map(Pair::contacts_mut)
    }

    /// Writes the contacts that touch. `depths` tells the overlaps of the contacts of a pair that is kept, m.
    pub(crate) fn list(
        &mut self,
        contacts: &mut Vec<Contact>,
        threads: &Threads,
        depths: impl Fn(&Pair<M, F>) -> [f32; 2] + Sync,
    ) {
        /// Pairs that one thread lists at a time.
        const BLOCK: usize = 2048;
        let Self { pairs, lists, .. } = self;
        let list = |pairs: &[Pair<M, F>], contacts: &mut Vec<Contact>| {
            contacts.clear();
            for pair in pairs {
                let kept = pair.is_kept().then(|| depths(pair));
                for (k, &Known { contact, .. }) in pair.contacts().iter().enumerate() {
                    let depth = kept.map_or(contact.depth, |depths| depths[k]);
                    if depth >= 0.0 {
                        contacts.push(Contact { depth, ..contact });
                    }
                }
            }
        };
        if threads.count() == 1 || pairs.len() <= BLOCK {
            return list(pairs, contacts);
        }
        lists.resize(pairs.len().div_ceil(BLOCK), Vec::new());
        let blocks = 0..lists.len();
        type Part<'a> = (&'a mut [Vec<Contact>], std::ops::Range<usize>);
        threads.each((&mut lists[..], blocks), 1, |(lists, blocks): Part<'_>| {
            for (contacts, block) in lists.iter_mut().zip(blocks) {
                let last = pairs.len().min((block + 1) * BLOCK);
                list(&pairs[block * BLOCK..last], contacts);
            }
        });
        contacts.clear();
        lists.iter().for_each(|list| contacts.extend_from_slice(list));
    }
}

impl<M, F: Default + PartialEq> Pair<M, F> {
    fn has_form(&self) -> bool {
        self.form != F::default()
    }

    /// Whether it has a form that nothing but contacts looks at.
    fn may_be_kept(&self) -> bool {
        self.link.loose && self.has_form()
    }
}

impl<M, F> Pair<M, F> {
    /// One or two contacts.
    pub(crate) fn contacts(&self) -> &[Known<M>] {
        &self.known[..usize::from(self.count)]
    }

    /// The same, to write what is to be remembered.
    pub(crate) fn contacts_mut(&mut self) -> &mut [Known<M>] {
        &mut self.known[..usize::from(self.count)]
    }

    /// How deep its contacts were when they were found last, m.
    pub(crate) fn depths(&self) -> [f32; 2] {
        [0, 1].map(|k: usize| self.known[k].contact.depth)
    }

    /// Whether its pieces touch, nearly do, or did so in an earlier sub-step of this step.
    pub(crate) fn is_touching(&self) -> bool {
        self.count > 0 || self.touched
    }

    /// Whether the points of its pieces are looked at in this sub-step.
    fn is_looked_at(&self) -> bool {
        !self.kept && (self.count > 0 || !self.fresh)
    }

    /// How far its pieces may go within a step without being tested again, m.
    fn free_way(&self) -> f32 {
        self.room.max(0.5 * MARGIN)
    }

    /// Whether the form that the contacts had in the sub-step before still holds.
    pub(crate) fn is_kept(&self) -> bool {
        self.kept
    }

    /// Puts contacts where their points are now.
    fn follow(&mut self, positions: &[Vec2]) {
        let radii = self.link.radii;
        for known in &mut self.known[..usize::from(self.count)] {
            known.contact = known.contact.followed(positions, radii[0] + radii[1]);
        }
    }

    /// The unit vector from the second piece to the first.
    pub(crate) fn normal(&self) -> Vec2 {
        let Contact { normal, .. } = self.known[0].contact;
        if self.is_swapped(&self.known[0].contact) { -normal } else { normal }
    }

    /// Where a contact acts on the bodies of the first piece and of the second: see [`Contact::places`].
    pub(crate) fn places(&self, contact: &Contact, positions: &[Vec2]) -> [Vec2; 2] {
        let [a, b] = self.link.radii;
        if self.is_swapped(contact) {
            let [second, first] = contact.places(positions, [b, a]);
            [first, second]
        } else {
            contact.places(positions, [a, b])
        }
    }

    /// Whether the vertex of a contact is on the second piece.
    fn is_swapped(&self, contact: &Contact) -> bool {
        contact.pieces[0] != self.pieces.0
    }
}

impl<M: Copy + Default, F: Default> Pair<M, F> {
    /// The same with the numbers that pieces and points have now, without a form; `None` if either piece is gone.
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        let pieces = (by.piece(self.pieces.0)?, by.piece(self.pieces.1)?);
        let mut known = self.known;
        for known in &mut known[..usize::from(self.count)] {
            known.contact = known.contact.renumbered(by)?;
        }
        Some(Self { pieces, known, form: F::default(), ..self })
    }

    /// Replaces the contacts by those found now. The same ones keep their memory; to each other one the
    /// nearest that is left hands on its own, if it is not further than `same_place`, m.
    fn replace(&mut self, model: &Model, positions: &[Vec2], found: &[Contact], same_place: f32) {
        let place = |contact: &Contact| {
            contact.position(positions, model.pieces[contact.pieces[0] as usize].radius)
        };
        let mut old = self.known.map(Some);
        old[usize::from(self.count)..].fill(None);
        self.count = found.len() as u8;
        let mut memories = [None; 2];
        for (memory, contact) in memories.iter_mut().zip(found) {
            let same = |known: &Known<M>| known.contact.key() == contact.key();
            let mut left = old.iter_mut();
            *memory = left.find_map(|slot| slot.take_if(|known| same(known)));
        }
        for (memory, contact) in
            memories.iter_mut().zip(found).filter(|(memory, _)| memory.is_none())
        {
            let distance = |known: &Known<M>| place(&known.contact).distance(place(contact));
            let left = old.iter_mut().filter_map(|slot| Some((distance(slot.as_ref()?), slot)));
            let nearest = left.min_by(|a, b| a.0.total_cmp(&b.0));
            *memory = nearest.filter(|near| near.0 < same_place).and_then(|(_, slot)| slot.take());
        }
        for ((known, contact), from) in self.known.iter_mut().zip(found).zip(memories) {
            let memory = from.map_or_else(M::default, |known| known.memory);
            *known = Known { contact: *contact, memory };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::contact::tests::box_on_box;
    use crate::world::World;

    #[test]
    fn memory_goes_to_the_same_contact_and_else_to_the_nearest() {
        let world = World::build(&box_on_box()).unwrap();
        let positions = &world.state.position;
        let found = Collision::touch(&world.model, positions, (0, 1), MARGIN);
        let mut pair = Pair::<u32> { pieces: (0, 1), ..Pair::default() };
        pair.replace(&world.model, positions, &found, 0.1);
        (pair.known[0].memory, pair.known[1].memory) = (7, 8);
        // In the other order they are known by name.
        let swapped = [found[1], found[0]];
        pair.replace(&world.model, positions, &swapped, 0.0);
        assert_eq!(pair.contacts().iter().map(|known| known.memory).collect::<Vec<_>>(), [8, 7]);
        // With another name, at the same place.
        let renamed = Contact { edge: [found[0].edge[1]; 2], ..found[0] };
        pair.replace(&world.model, positions, &[renamed], 0.0);
        assert_eq!(pair.contacts()[0].memory, 0);
        pair.replace(&world.model, positions, &swapped, 0.0);
        (pair.known[0].memory, pair.known[1].memory) = (8, 7);
        pair.replace(&world.model, positions, &[renamed], 0.1);
        assert_eq!(pair.contacts()[0].memory, 7);
    }
}
