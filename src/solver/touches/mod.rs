//! The contacts of a step, and what a backend remembers of each.
//!
//! A pair whose pieces cannot come closer than half of [`MARGIN`] to something new within the step is
//! tested once, with that margin, and its contacts then follow their vertex and edge from sub-step to
//! sub-step. Faster pairs are tested in every sub-step, pairs that hardly move at all only when they have
//! moved a little (`pair.rs`), and pairs that are apart when they have moved by what is between them.
//!
//! Whoever has a form of his own for the contacts of a pair may keep it, from sub-step to sub-step and from
//! step to step, as long as its bodies hardly move ([`Touches::is_kept`]); their points need not be written then.
//!
//! In a pile at rest most passes over pairs look at how these move and at nothing else. So that stands side by side
//! (`pair.rs`), and what is known of contacts apart from it (`encounter.rs`), of those pairs that have come to touch
//! (`list.rs`).

mod encounter;
mod list;
mod pair;

use crate::collision::{Collision, Contact, Margin, Outlines};
use crate::solver::StepCx;
use crate::solver::common::TOUCHING;
use crate::solver::nodes::{Nodes, Stand};
use crate::threads::Threads;
use crate::world::{Model, Renumbering};

pub(crate) use encounter::{Encounter, Known};
use list::{BLOCK, List, Shelf, Stood, Stretch, blocks};
pub(crate) use pair::Pair;
use pair::Task;

/// The work on so few pairs is not worth sharing out.
const PART: usize = 2 * BLOCK;
/// Contacts are made this far before they touch, m, so that a stack does not lose and find them.
const MARGIN: f32 = 0.02;

/// Pairs of a step are surely all there as long as no point has left the way it was on at its beginning by
/// more than this, m.
const ASTRAY: f32 = 5e-3;

/// The contacts of all pairs of a step, with a memory `M` of each, and with the form `F` that a backend has for those
/// of a pair, which is the default where it has none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Touches<M, F = ()> {
    now: List<M, F>,
    before: List<M, F>,
    /// What is to be done about each pair in this sub-step.
    tasks: Vec<Task>,
    /// How many pairs were tested in the last sub-step, or are to be in the first.
    tested: usize,
    outlines: Outlines,
    /// Whether the pairs of the last step have the numbers of this model.
    linked: bool,
    /// Whether there are others now.
    outdated: bool,
    /// Whether each pair is at the place where it was when [`Touches::settle_forms`] was last called, and those have
    /// a form that are to have one.
    settled: bool,
}

/// Some pairs that a thread works on, and what is to be done about each.
type Part<'a, M, F> = (Stretch<'a, M, F>, &'a mut [Task]);

/// Some pairs to be taken over, by their pieces, and where to.
type Taking<'a, M, F> = (Part<'a, M, F>, &'a [(u32, u32)]);

impl<M, F> Touches<M, F>
where
    M: Copy + Default + Send + Sync,
    F: Copy + Default + PartialEq + Send + Sync,
{
    /// Gives what is known the numbers that pieces and points have now. Nothing has a form any more.
    pub(crate) fn renumber(&mut self, by: &Renumbering) {
        let Self { now, before, linked, .. } = self;
        std::mem::swap(now, before);
        now.refill(before.pairs.iter().enumerate().filter_map(|(number, pair)| {
            let known = pair.is_known().then(|| before.encounter(number).renumbered(by));
            match (pair.renumbered(by)?, known) {
                (_, Some(None)) => None,
                (pair, known) => Some((pair, before.stands[number], known.flatten())),
            }
        }));
        *linked = false;
    }

    /// Finds the pairs that may touch in a step. Those of the last one stay if no piece leaves its box.
    /// The boxes in which they are paired reach beyond them by `margin`: those of two at least as far as contacts are
    /// made before pieces touch, and as far as points may leave their way.
    pub(crate) fn find_pairs(&mut self, cx: &mut StepCx<'_>, margin: Margin) {
        let StepCx { model, state, collision, dt, .. } = cx;
        self.outdated =
            !self.linked || collision.refresh_pairs(model, state, *dt, *dt, margin, ASTRAY);
        if !self.linked {
            collision.update_pairs(model, state, *dt, margin);
        }
    }

    /// Takes over the pairs that were found for a step, before anything has acted on their bodies.
    pub(crate) fn begin_step(&mut self, cx: &StepCx<'_>, nodes: &Nodes) {
        if self.outdated {
            self.take_over(cx.model, nodes, cx.collision.pairs(), cx.dt, cx.threads);
        } else {
            self.foresee(nodes, cx.dt, cx.threads);
        }
    }

    /// Finds pairs anew, for the `left` seconds of a step, if a body leaves its box in the sub-step of `h` seconds to come.
    pub(crate) fn find_missing(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        [h, left]: [f32; 2],
        margin: Margin,
    ) {
        if nodes.farthest_astray(h, cx.threads) <= ASTRAY {
            return;
        }
        let StepCx { model, state, collision, threads, .. } = cx;
        nodes.write_all(model, state, threads);
        if collision.refresh_pairs(model, state, h, left, margin, ASTRAY) {
            nodes.set_out(threads);
            self.take_over(model, nodes, collision.pairs(), left, threads);
        }
    }

    /// Tells which pairs keep the form of their contacts in this sub-step, and which that are apart may come so near
    /// after all that they are to be tested; and writes the points of all that have to be looked at.
    pub(crate) fn choose_kept(&mut self, cx: &mut StepCx<'_>, nodes: &mut Nodes) {
        let dt = cx.dt;
        let choose = |(pairs, tasks): (&mut [Pair<F>], &mut [Task])| {
            let mut looked_at = 0_usize;
            for (pair, task) in pairs.iter_mut().zip(tasks) {
                *task = pair.choose(nodes, dt);
                looked_at += usize::from(*task == Task::Look);
            }
            looked_at
        };
        let Self { now, tasks, .. } = self;
        let all = (&mut now.pairs[..], &mut tasks[..]);
        let looked_at = cx.threads.parts(all, PART, &choose, &|a, b| a + b);
        if 4 * looked_at > cx.model.bodies.len() {
            nodes.write_all(cx.model, cx.state, cx.threads);
        } else if looked_at > 0 {
            let all = now.pairs.iter().zip(tasks);
            for (pair, _) in all.filter(|(_, task)| **task == Task::Look) {
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
        recall: impl Fn(&Pair<F>, &mut Encounter<M>) + Sync,
    ) {
        nodes.write_all(cx.model, cx.state, cx.threads);
        let positions = &cx.state.position;
        let all = (self.now.all(), &mut self.tasks[..]);
        cx.threads.each(all, PART, |(stretch, tasks): Part<'_, M, F>| {
            let all = blocks(stretch).zip(tasks.chunks_mut(BLOCK));
            for (((pairs, _), mut shelf), tasks) in all {
                let all = pairs.iter().zip(tasks);
                for (pair, task) in all.filter(|(_, task)| **task == Task::Keep) {
                    *task = Task::Look;
                    if let Some(encounter) = shelf.of(pair) {
                        recall(pair, encounter);
                        encounter.follow(positions);
                    }
                }
            }
        });
    }

    /// Takes over a list of pairs, in ascending order, keeping what is known of those that were there before, and tells of
    /// each how far its pieces may come within a step of `dt` seconds.
    fn take_over(
        &mut self,
        model: &Model,
        nodes: &Nodes,
        pairs: &[(u32, u32)],
        dt: f32,
        threads: &Threads,
    ) {
        let Self { now, before, linked, tasks, .. } = self;
        let stay = |(now, pairs): (&[Pair<F>], &[(u32, u32)])| {
            now.iter().zip(pairs).all(|(now, pair)| now.pieces == *pair)
        };
        let are_as_many = *linked && now.pairs.len() == pairs.len();
        if are_as_many && threads.parts((&now.pairs[..], pairs), PART, &stay, &|a, b| a && b) {
            self.foresee(nodes, dt, threads);
            return;
        }
        std::mem::swap(now, before);
        now.resize(pairs.len());
        tasks.resize(pairs.len(), Task::Look);
        let are_linked = std::mem::replace(linked, true);
        let take = |(part, names): Taking<'_, M, F>| {
            let mut old = before.pairs.partition_point(|old| Some(&old.pieces) < names.first());
            let mut tested = 0_usize;
            let (stretch, tasks) = part;
            let all = blocks(stretch).zip(tasks.chunks_mut(BLOCK)).zip(names.chunks(BLOCK));
            for ((((pairs, stands), mut shelf), tasks), names) in all {
                let pairs = pairs.iter_mut().zip(stands).zip(tasks).zip(names);
                for (((pair, stand), task), &pieces) in pairs {
                    let rest = &before.pairs[old..];
                    old += rest.iter().take_while(|old| old.pieces < pieces).count();
                    let same = before.pairs.get(old).filter(|same| same.pieces == pieces);
                    if same.is_some() {
                        *stand = before.stands[old];
                    }
                    *pair = match same {
                        Some(same) if are_linked => *same,
                        Some(same) => same.linked(model, nodes),
                        None => Pair::new(model, nodes, pieces),
                    };
                    pair.set_place(None);
                    if pair.is_known() {
                        let encounter = shelf.take(pair);
                        *encounter = *before.encounter(old);
                        if !are_linked {
                            encounter.link(model);
                        }
                    }
                    *task = pair.foresee(nodes, stand, dt);
                    tested += usize::from(!pair.fresh);
                }
            }
            tested
        };
        let all = ((now.all(), &mut tasks[..]), pairs);
        self.tested = threads.parts(all, PART, &take, &|a, b| a + b);
        self.settled = false;
    }

    /// Tells of each pair how far its pieces may come within a step of `dt` seconds.
    fn foresee(&mut self, nodes: &Nodes, dt: f32, threads: &Threads) {
        let foresee = |((pairs, stands), tasks): (Stood<'_, F>, &mut [Task])| {
            let mut tested = 0_usize;
            for ((pair, stand), task) in pairs.iter_mut().zip(stands).zip(tasks) {
                *task = pair.foresee(nodes, stand, dt);
                tested += usize::from(!pair.fresh);
            }
            tested
        };
        let List { pairs, stands, .. } = &mut self.now;
        let all = ((&mut pairs[..], &mut stands[..]), &mut self.tasks[..]);
        self.tested = threads.parts(all, PART, &foresee, &|a, b| a + b);
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
        recall: impl Fn(&Pair<F>, &mut Encounter<M>) + Sync,
    ) {
        let (model, state, collision, dt) = (cx.model, &*cx.state, &*cx.collision, cx.dt);
        let positions = &state.position;
        let velocity = |point: u32| state.velocity[point as usize];
        let travel = |point: u32| h * velocity(point);
        self.outlines.find_for(self.tested, model, positions, cx.threads);
        let scenery = self.outlines.at(model, positions);
        let test = |pair: &mut Pair<F>, stand: &mut Stand, shelf: &mut Shelf<'_, M>| {
            let ends = pair.nodes();
            let speed = match ends {
                Some(ends) => nodes.most_speed(ends),
                None => Collision::relative_travel(model, velocity, pair.pieces),
            };
            let gap = pair.circles().and_then(|circles| nodes.gap_while_moving(circles, MARGIN, h));
            let found = match gap {
                Some(gap) => Err(gap),
                None => collision.meet_in(scenery, travel, h * speed, pair.pieces, MARGIN),
            };
            let (found, gap) = match &found {
                Ok(found) => (&found[..], 0.0),
                Err(gap) => (&[][..], *gap),
            };
            if let Some(encounter) = shelf.of(pair) {
                encounter.replace(model, positions, found, same_place);
            } else if !found.is_empty() {
                shelf.take(pair).begin(model, found);
            }
            pair.meets = !found.is_empty();
            pair.room = pair.still.max(gap - MARGIN);
            pair.fresh = pair.stays_near(nodes, dt * speed, dt);
            pair.note_stand(nodes, stand);
        };
        // How many were tested, and whether each has a form that is to have one.
        let find = |(stretch, tasks): Part<'_, M, F>| {
            let (mut tested, mut settled) = (0_usize, true);
            let all = blocks(stretch).zip(tasks.chunks(BLOCK));
            for (((pairs, stands), mut shelf), tasks) in
                all.filter(|(_, tasks)| tasks.contains(&Task::Look))
            {
                shelf.leave(pairs);
                let all = pairs.iter_mut().zip(stands).zip(tasks);
                for ((pair, stand), _) in all.filter(|(_, task)| **task == Task::Look) {
                    if let Some(encounter) = shelf.of(pair) {
                        recall(pair, encounter);
                        if pair.fresh && pair.meets {
                            encounter.follow(positions);
                        }
                    }
                    if !pair.fresh {
                        test(pair, stand, &mut shelf);
                        tested += 1;
                    }
                    pair.touched |= pair.meets;
                    settled &= pair.has_form() || !pair.is_touching();
                }
            }
            (tested, settled)
        };
        let both = |a: (usize, bool), b: (usize, bool)| (a.0 + b.0, a.1 && b.1);
        let (tested, settled) = {
            let all = (self.now.all(), &mut self.tasks[..]);
            cx.threads.parts(all, PART, &find, &both)
        };
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

    /// Whether the form that a pair had in the sub-step before still holds.
    pub(crate) fn is_kept(&self, number: usize) -> bool {
        self.tasks[number] == Task::Keep
    }

    /// Those pairs of whose contacts something is known, and whether each is kept.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Pair<F>, &Encounter<M>, bool)> {
        let of =
            |number| (&self.now.pairs[number], self.now.encounter(number), self.is_kept(number));
        self.now.known().map(of)
    }

    /// Does some work with each of those; what is known may be written.
    pub(crate) fn each(&mut self, work: impl FnMut(&mut Pair<F>, &mut Encounter<M>)) {
        self.now.each_known(work);
    }

    /// All pairs, by their numbers.
    pub(crate) fn pairs(&self) -> &[Pair<F>] {
        &self.now.pairs
    }

    /// The same, to tell them their forms.
    pub(crate) fn pairs_mut(&mut self) -> &mut [Pair<F>] {
        &mut self.now.pairs
    }

    /// What is known of the contacts of a pair by its number, which has come to touch.
    #[inline]
    pub(crate) fn encounter(&self, number: usize) -> &Encounter<M> {
        self.now.encounter(number)
    }

    /// Writes the contacts that touch. `depths` tells the overlaps of the contacts of a pair that is kept, m.
    pub(crate) fn list(
        &self,
        contacts: &mut Vec<Contact>,
        depths: impl Fn(&Pair<F>, &Encounter<M>) -> [f32; 2],
    ) {
        contacts.clear();
        for (pair, encounter, is_kept) in self.iter().filter(|(pair, ..)| pair.meets) {
            let kept = is_kept.then(|| depths(pair, encounter));
            for (k, &Known { contact, .. }) in encounter.contacts().iter().enumerate() {
                let depth = kept.map_or(contact.depth, |depths| depths[k]);
                if depth >= -TOUCHING {
                    contacts.push(Contact { depth, ..contact });
                }
            }
        }
    }
}
