//! Contacts: edge-SAT in every round, then the colliding vertex and the edge ends are displaced.
//!
//! With overlap `d` along the unit normal `n`, edge parameter `t` and inverse masses `w`:
//!
//! ```text
//! λ = d / (w_v + (1−t)²·w_1 + t²·w_2)
//! vertex += w_v·λ·n      end 1 −= (1−t)·w_1·λ·n      end 2 −= t·w_2·λ·n
//! ```
//!
//! What moves the one side is taken from the other: momentum is conserved, and so is angular
//! momentum because `t` is taken where the vertex was over the edge when the sub-step began, so
//! that both displacements lie on one line of the motion that velocities are made of.
//!
//! The overlap has two parts. What the bodies closed in this sub-step is undone. What was there
//! before (a level that starts overlapped, sag that is left over) is pushed out, at most at
//! 3 m/s; the velocity stage (`blocks.rs`) takes that speed away again. Together they
//! say how far the vertex may close in the sub-step, and λ, summed over rounds and never below
//! zero, is what holds it there: a displacement is given back in a later round if another
//! constraint has parted the bodies meanwhile, and repeated if another has pushed them together.
//!
//! *Friction* removes the sideways motion of the sub-step, up to `μ` times the normal displacement
//! impulse, and with it the slip that earlier sub-steps left over since the surfaces last stuck.
//! Without that memory every sub-step forgets a little slip, the order of the sweep gives it a
//! direction, and piles creep and shake. On a round surface friction takes hold of the points that
//! carry the surface, so that balls roll.
//!
//! *Who is apart stays apart for a while*: where edge-SAT finds a gap, the pair is tested again only when its points
//! may have come that far towards each other. (What neighbour lists with a skin are for molecules: Verlet, “Computer
//! ‘Experiments’ on Classical Fluids”, 1967, sect. II.)
//!
//! *Who touches does so for a while*: contacts of rigid bodies follow their vertices and edges, and are found anew only
//! when the bodies may have come [`STEADY`](near::STEADY) towards each other.
//!
//! *Of many bodies the halves have their turn at the same time*: all pairs of the first half of them, and those of the
//! second; then those between the halves (`halves.rs`).
//!
//! | file | job |
//! |---|---|
//! | `contacts.rs` | the contacts of all pairs, in lists that threads share out, and a round over them |
//! | `contacts/list.rs` | the contacts of some pairs, one after the other |
//! | `contacts/near.rs` | how near the pieces of a pair are, and whether they are to be tested |
//! | `contacts/stirred.rs` | how far contacts have displaced bodies meanwhile |
//! | `contacts/touched.rs` | what the contacts of a pair have done in a sub-step |
//! | `contacts/sides.rs` | how a vertex and an edge are displaced |

mod list;
mod near;
mod sides;
mod stirred;
mod touched;

use crate::collision::Contact;
use crate::math::{Mapped, Vec2};
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::verlet::Moves;
use crate::solver::verlet::halves::{Half, Halves, LISTS, Middle};
use crate::threads::Threads;
use crate::world::{Model, Piece, Renumbering, State};
pub(super) use list::ContactList;
use list::Round;
pub(super) use sides::{mixed, mobility};
pub(super) use touched::Slot;

/// Where the contacts of a pair are that does not touch.
const NONE: u32 = u32::MAX;

/// The contacts of a sub-step, and what of them is remembered from the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// Those of pairs within the first half of the bodies, or of all; within the second; and between the two.
    lists: [ContactList; LISTS],
    halves: Halves,
    /// The half of each piece; empty where there is one list of all.
    half_of: Vec<Half>,
    /// The place of each pair: see [`place`].
    places: Vec<u32>,
    apart: Apart,
}

/// Where the second half has its points while another thread is at work on the first.
#[derive(Clone, Debug, Default)]
struct Apart {
    moves: Moves,
    positions: Vec<Vec2>,
    /// Whether this is not the first round of a sub-step: all points but its own are where they were.
    goes_on: bool,
}

impl Apart {
    /// Takes the points from `own` on, and if need be the others.
    fn take(&mut self, moves: &Moves, positions: &[Vec2], own: usize, threads: &Threads) {
        let from = if std::mem::replace(&mut self.goes_on, true) { own } else { 0 };
        if from == 0 {
            threads.copy(&moves.start, &mut self.moves.start);
            threads.copy(&moves.delta, &mut self.moves.delta);
            threads.copy(positions, &mut self.positions);
        } else {
            self.moves.delta[from..].copy_from_slice(&moves.delta[from..]);
            self.positions[from..].copy_from_slice(&positions[from..]);
        }
    }

    /// A round over two lists at the same time, the second of which displaces no points but those from `own` on, and the first
    /// none of these.
    fn both(
        &mut self,
        lists: [&mut ContactList; 2],
        round: &Round<'_>,
        (moves, positions): (&mut Moves, &mut Vec<Vec2>),
        own: usize,
        threads: &Threads,
    ) {
        type Some<'a> = (&'a mut ContactList, &'a mut Moves, &'a mut Vec<Vec2>);
        self.take(moves, positions, own, threads);
        let [first, second] = lists;
        let mut both: [Some<'_>; 2] =
            [(first, moves, positions), (second, &mut self.moves, &mut self.positions)];
        threads.each(&mut both[..], 1, |some: &mut [Some<'_>]| {
            for (list, moves, positions) in some {
                list.satisfy(round, moves, positions);
            }
        });
        let [(_, moves, positions), (_, moves_apart, positions_apart)] = both;
        moves.delta[own..].copy_from_slice(&moves_apart.delta[own..]);
        positions[own..].copy_from_slice(&positions_apart[own..]);
    }
}

/// The place of the contacts of a pair among all, from that in a list and the number of that list.
fn place(there: u32, list: usize) -> u32 {
    LISTS as u32 * there + list as u32
}

/// The number of a list, and the place there.
fn there(place: u32) -> (usize, u32) {
    (place as usize % LISTS, place / LISTS as u32)
}

impl Contacts {
    /// Forgets everything: this is the model now.
    pub(super) fn attach(&mut self, model: &Model) {
        *self = Self::default();
        self.find_halves(model);
    }

    /// Finds the half of each piece.
    fn find_halves(&mut self, model: &Model) {
        self.halves = Halves::of(model);
        self.half_of.clear();
        if self.halves.middle().is_some() {
            let half = |piece: &Piece| self.halves.half(model, piece.body);
            self.half_of.extend(model.pieces.iter().map(half));
        }
    }

    /// The number of the list of a pair.
    fn list_of(half_of: &[Half], (a, b): (u32, u32)) -> usize {
        match half_of {
            [] => 0,
            half_of => Halves::list([a, b].mapped(|piece| half_of[piece as usize])),
        }
    }

    /// Gives what is known the numbers that pieces and points of a model have now.
    pub(super) fn renumber(&mut self, model: &Model, by: &Renumbering) {
        self.lists.iter_mut().for_each(|list| list.renumber(by));
        let was_one = self.half_of.is_empty();
        self.find_halves(model);
        if was_one && self.half_of.is_empty() {
            return;
        }
        let mut all: Vec<_> = self.lists.iter_mut().flat_map(ContactList::take_all).collect();
        all.sort_unstable_by_key(|(pair, ..)| *pair);
        for (pair, gap, touched) in all {
            self.lists[Self::list_of(&self.half_of, pair)].add(pair, gap, touched);
        }
    }

    /// Takes over a new list of pairs, keeping what is known of those that were there before; how far they are from
    /// each other only if they are where the last sub-step left them, `undisturbed`.
    pub(super) fn begin_step(&mut self, pairs: &[(u32, u32)], undisturbed: bool) {
        let Self { lists, half_of, places, .. } = self;
        lists.iter_mut().for_each(ContactList::begin_pairs);
        places.clear();
        places.extend(pairs.iter().map(|pair| {
            let list = Self::list_of(half_of, *pair);
            place(lists[list].add_pair(*pair), list)
        }));
        lists.iter_mut().for_each(|list| list.recall(undisturbed));
    }

    /// Whether there are any pairs.
    pub(super) fn any_pairs(&self) -> bool {
        !self.places.is_empty()
    }

    /// How far the pieces of a pair are surely from each other, m, by its place in the list of all.
    pub(super) fn gap(&self, pair: usize) -> f32 {
        let (list, there) = there(self.places[pair]);
        self.lists[list].gap(there)
    }

    /// Clears the sums of the sub-step before.
    pub(super) fn begin_substep(&mut self, threads: &Threads) {
        self.lists.iter_mut().for_each(|list| list.begin_substep(threads));
        self.apart.goes_on = false;
    }

    /// Whether bodies have met in this sub-step, faster than [`BOUNCE_SPEED`](crate::solver::common::BOUNCE_SPEED).
    pub(super) fn any_impact(&self) -> bool {
        self.lists.iter().any(ContactList::any_impact)
    }

    /// Whether springs alone bring a point of a soft body on what it touches faster than
    /// [`BOUNCE_SPEED`](crate::solver::common::BOUNCE_SPEED): it carries many times its own weight.
    pub(super) fn any_squeeze(&self) -> bool {
        self.lists.iter().any(ContactList::any_squeeze)
    }

    /// One round: finds the contacts of each pair, if it `seeks` any, and displaces what overlaps.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>, h: f32, seeks: bool) {
        if !self.any_pairs() {
            return;
        }
        let StepCx { model, state, collision, settings, threads, recovery, .. } = cx;
        if seeks {
            collision.take_travels(model, |point| moves.delta[point as usize]);
        }
        let State { position, velocity, .. } = &mut **state;
        let is_classic = settings.response == Response::Classic;
        let (recovery, velocities) = (*recovery, &velocity[..]);
        let round = Round { model, collision, velocities, recovery, is_classic, h, seeks };
        let Self { lists: [first, second, _], halves, apart, .. } = self;
        first.begin_round(&round);
        let Some(Middle { body, point }) = halves.middle() else {
            first.satisfy(&round, moves, position);
            return;
        };
        second.begin_round(&round);
        if threads.count() == 1 {
            first.satisfy(&round, moves, position);
            second.satisfy(&round, moves, position);
        } else {
            apart.both([first, second], &round, (moves, position), point as usize, threads);
        }
        let [first, second, between] = &mut self.lists;
        between.follow([first, second], body);
        between.satisfy(&round, moves, position);
    }

    /// Ends the rounds of a sub-step: takes what pieces have come towards each other off the gaps between them, and off
    /// how far their contacts may be followed; and sums up how far surfaces have slipped.
    pub(super) fn end_rounds(&mut self, moves: &Moves, cx: &mut StepCx<'_>) {
        if !self.any_pairs() {
            return;
        }
        let StepCx { model, state, collision, threads, .. } = cx;
        collision.take_travels(model, |point| moves.delta[point as usize]);
        for list in &mut self.lists {
            list.end_rounds(moves, model, &state.position, collision, threads);
        }
    }

    /// Those within the first half of the bodies, or of all, those within the second, and those between the two.
    pub(super) fn lists(&self) -> &[ContactList; LISTS] {
        &self.lists
    }

    /// The same, to change them.
    pub(super) fn lists_mut(&mut self) -> &mut [ContactList; LISTS] {
        &mut self.lists
    }

    /// Where the second half begins; `None` where all are in the first list.
    pub(super) fn middle(&self) -> Option<Middle> {
        self.halves.middle()
    }

    /// Writes the contacts of the last sub-step.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        let touched = self.lists.iter().flat_map(ContactList::touched);
        let slots = touched.flat_map(|(_, touched)| touched.slots());
        contacts.extend(slots.filter(|slot| slot.found).map(|slot| slot.contact));
    }
}

#[cfg(test)]
mod tests {
    use super::near::STEADY;
    use super::touched::Touched;
    use super::*;
    use crate::collision::Collision;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::settings::SolverKind;
    use crate::sim::Sim;
    use crate::solver::Solver;
    use crate::solver::alone::{Alone, ground};
    use crate::solver::verlet::Verlet;
    use crate::world::{Numbering, World};
    use std::collections::BTreeMap;

    /// A tower of boxes that leans a little, with the contacts that a test of all pairs would find.
    #[test]
    fn contacts_that_are_followed_are_those_that_a_test_would_find() {
        let solid = |id: &str, size: Vec2, at: Vec2| BodyDef::new(id, Shape::Box { size }, at);
        let mut scene = Scene::default();
        scene.settings.solver = SolverKind::Verlet;
        scene.settings.sleep = false;
        scene.bodies.push(solid("ground", Vec2::new(10.0, 1.0), Vec2::new(0.0, -0.5)).fixed());
        for (id, x, y) in [("a", 0.0, 0.5), ("b", 0.2, 1.5), ("c", -0.1, 2.5)] {
            scene.bodies.push(solid(id, Vec2::ONE, Vec2::new(x, y)));
        }
        let mut sim = Sim::new(&scene).unwrap();
        for _ in 0..240 {
            sim.step().unwrap();
        }
        let (world, mut collision) = (sim.world(), Collision::default());
        collision.update_pairs(&world.model, &world.state, 0.0, 0.05);
        let found = collision.detect(&world.model, &world.state.position, STEADY).to_vec();
        assert_eq!(found.len(), 6);
        assert!(!sim.contacts().is_empty());
        for contact in &*sim.contacts() {
            let same = found.iter().find(|found| found.key() == contact.key()).unwrap();
            assert!(same.normal.distance(contact.normal) < 1e-3, "{contact:?} {same:?}");
            assert!((same.depth - contact.depth).abs() < 1e-3, "{contact:?} {same:?}");
        }
    }

    /// Columns of crates, of which some are taken away: the halves are others then, and contacts go over with what they know.
    #[test]
    fn what_contacts_know_stays_where_halves_change() {
        let crate_at = |k: u16| {
            let at = Vec2::new(f32::from(k / 20) * 1.2 - 40.0, f32::from(k % 20) + 0.5);
            BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at)
        };
        let mut bodies = vec![ground(100.0)];
        bodies.extend((0..1300).map(crate_at));
        let mut alone = Alone::<Verlet>::new(bodies, 2);
        (0..20).for_each(|_| alone.step());
        // The list and the impulses of each pair that touches, by the serial numbers of its bodies.
        let known = |alone: &Alone<Verlet>| {
            let Alone { world: World { model, .. }, solver, .. } = alone;
            let body = |piece: u32| model.pieces[piece as usize].body as usize;
            let serial = |piece: &u32| model.bodies[body(*piece)].serial;
            let lists = solver.contacts.lists().iter().enumerate();
            let of = |(list, contacts): (usize, &ContactList)| {
                let all = contacts.touched().map(|(_, touched)| touched.slots().to_vec());
                all.filter(|slots| !slots.is_empty())
                    .map(move |slots| (list, slots))
                    .collect::<Vec<_>>()
            };
            let all = lists.flat_map(of).map(|(list, slots)| {
                let [a, b] = slots[0].contact.pieces.each_ref().map(serial);
                let eased: Vec<Vec2> = slots.iter().map(|slot| slot.eased).collect();
                ((a.min(b), a.max(b)), (list, eased))
            });
            all.collect::<BTreeMap<_, _>>()
        };
        let before = known(&alone);
        let counts = [0, 1, 2].map(|list| before.values().filter(|(of, _)| *of == list).count());
        assert!(counts[0] > 500 && counts[1] > 500 && counts[2] <= 20, "{counts:?}");
        let numbers = Numbering::of(&alone.world.model);
        let gone: Vec<_> =
            (0..3).map(|k| alone.world.body(&format!("crate{k}")).unwrap()).collect();
        alone.world.remove_all(gone).unwrap();
        let by = numbers.to(&Numbering::of(&alone.world.model));
        let Alone { world, solver, .. } = &mut alone;
        solver.renumber(&world.model, &world.state, &by);
        let after = known(&alone);
        // The three, and what lay on them and on the ground.
        assert_eq!(after.len() + 4, before.len());
        assert!(after.iter().all(|(pair, (_, eased))| before[pair].1 == *eased));
        assert!(after.iter().any(|(pair, (list, _))| before[pair].0 != *list));
        let pairs_of = |list: &ContactList| list.touched().count();
        assert!(alone.solver.contacts.lists().iter().map(pairs_of).sum::<usize>() > 1200);
        (0..5).for_each(|_| alone.step());
    }

    #[test]
    fn a_third_contact_takes_the_place_of_one_that_is_gone() {
        let contact = |vertex: u32| Contact { vertex, edge: [7, 8], ..Contact::default() };
        let mut touched = Touched::default();
        let (a, b, c) = (contact(0), contact(1), contact(2));
        let mut see = |all: &[Contact]| {
            all.iter().for_each(|contact| *touched.slot(contact, all) = *contact);
            touched.slots().iter().map(|slot| slot.contact.vertex).collect::<Vec<_>>()
        };
        assert_eq!(see(&[a]), [0]);
        assert_eq!(see(&[a, b]), [0, 1]);
        assert_eq!(see(&[c, a]), [0, 2]);
        assert_eq!(see(&[b, c]), [1, 2]);
    }
}
