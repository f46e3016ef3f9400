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
//! | file | job |
//! |---|---|
//! | `contacts.rs` | the contacts of all pairs, and a round over them |
//! | `contacts/near.rs` | how near the pieces of a pair are, and whether they are to be tested |
//! | `contacts/stirred.rs` | how far contacts have displaced bodies meanwhile |
//! | `contacts/touched.rs` | what the contacts of a pair have done in a sub-step |
//! | `contacts/sides.rs` | how a vertex and an edge are displaced |

mod near;
mod sides;
mod stirred;
mod touched;

use crate::collision::Contact;
use crate::math::Mapped;
use crate::solver::StepCx;
use crate::solver::verlet::Moves;
use crate::threads::Threads;
use crate::world::Renumbering;
use near::{Look, Near};
pub(super) use sides::{mixed, mobility};
use stirred::Stirred;
pub(super) use touched::{Slot, Touched};

/// The work on so few pairs is not worth sharing out.
const PART: usize = 256;

/// Where the contacts of a pair are that does not touch.
const NONE: u32 = u32::MAX;

/// The contacts of a sub-step, and what of them is remembered from the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pairs: Vec<(u32, u32)>,
    /// How near the pieces of each pair are.
    near: Vec<Near>,
    pairs_before: Vec<(u32, u32)>,
    near_before: Vec<Near>,
    /// What the contacts of pairs that touch have done so far, and which places in this list are free.
    touched: Vec<Touched>,
    free: Vec<u32>,
    stirred: Stirred,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    /// Whether a soft body is squeezed against something.
    squeeze: bool,
}

impl Contacts {
    /// Takes over a new list of pairs, keeping what is known of those that were there before; how far they are from
    /// each other only if they are where the last sub-step left them, `undisturbed`.
    pub(super) fn begin_step(&mut self, pairs: &[(u32, u32)], undisturbed: bool) {
        std::mem::swap(&mut self.pairs, &mut self.pairs_before);
        std::mem::swap(&mut self.near, &mut self.near_before);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.near.clear();
        // Both lists ascend.
        let mut before = self.pairs_before.iter().zip(&self.near_before).peekable();
        for pair in pairs {
            while let Some((_, gone)) = before.next_if(|(old, _)| *old < pair) {
                release(gone.place, &mut self.touched, &mut self.free);
            }
            let old = before.next_if(|(old, _)| *old == pair).map(|(_, near)| *near);
            let mut near = old.unwrap_or(Near { gap: 0.0, place: NONE });
            if !undisturbed {
                near.gap = 0.0;
                if let Some(touched) = self.touched.get_mut(near.place as usize) {
                    touched.steady = 0.0;
                }
            }
            self.near.push(near);
        }
        before.for_each(|(_, gone)| release(gone.place, &mut self.touched, &mut self.free));
    }

    /// Whether there are any pairs.
    pub(super) fn any_pairs(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Forgets everything: the model has changed.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        let pairs = std::mem::take(&mut self.pairs);
        let near = std::mem::take(&mut self.near);
        for ((a, b), near) in pairs.into_iter().zip(near) {
            let touched = self.touched.get_mut(near.place as usize);
            let stays = touched.is_none_or(|touched| touched.renumber(by).is_some());
            match by.piece(a).zip(by.piece(b)).filter(|_| stays) {
                Some(pair) => {
                    self.pairs.push(pair);
                    self.near.push(near);
                }
                None => release(near.place, &mut self.touched, &mut self.free),
            }
        }
    }

    /// How far the pieces of a pair are surely from each other, m, by its place in the list.
    pub(super) fn gap(&self, pair: usize) -> f32 {
        self.near[pair].gap()
    }

    /// Clears the sums of the sub-step before.
    pub(super) fn begin_substep(&mut self, threads: &Threads) {
        let begin = |touched: &mut [Touched]| {
            let all = touched.iter_mut().filter(|touched| touched.count > 0);
            let emptied = all.map(|touched| {
                touched.begin_substep();
                touched.count == 0
            });
            emptied.fold(false, |any, emptied| any | emptied)
        };
        if threads.parts(&mut self.touched[..], PART, &begin, &|a, b| a | b) {
            for near in self.near.iter_mut().filter(|near| near.place != NONE) {
                if self.touched[near.place as usize].count == 0 {
                    self.free.push(std::mem::replace(&mut near.place, NONE));
                }
            }
        }
        self.impact = false;
        self.squeeze = false;
    }

    /// Whether bodies have met in this sub-step, faster than [`BOUNCE_SPEED`](crate::solver::common::BOUNCE_SPEED).
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// Whether springs alone bring a point of a soft body on what it touches faster than
    /// [`BOUNCE_SPEED`](crate::solver::common::BOUNCE_SPEED): it carries many times its own weight.
    pub(super) fn any_squeeze(&self) -> bool {
        self.squeeze
    }

    /// One round: finds the contacts of each pair, if it `seeks` any, and displaces what overlaps.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>, h: f32, seeks: bool) {
        let Self { stirred, .. } = self;
        if seeks && !self.pairs.is_empty() {
            cx.collision.take_travels(cx.model, |point| moves.delta[point as usize]);
            stirred.reset(cx.model.bodies.len());
        }
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            let known = self.touched.get(near.place as usize);
            let look =
                if seeks { near.look(known, cx, moves, stirred, *pair) } else { Look::Nothing };
            if near.place == NONE {
                if look.finds_nothing() {
                    continue;
                }
                near.place = room(&mut self.touched, &mut self.free);
            }
            let touched = &mut self.touched[near.place as usize];
            touched.see(&look, cx.model, &cx.state.position);
            let least = if matches!(look, Look::Swept(_)) { f32::MIN } else { 0.0 };
            let meeting = touched.begin(least, moves, cx, h);
            self.impact |= meeting.impact;
            self.squeeze |= meeting.squeeze;
            let bodies = [pair.0, pair.1].mapped(|piece| cx.model.pieces[piece as usize].body);
            touched.separate(moves, cx, |by| {
                if seeks && by > 0.0 {
                    stirred.add(bodies, by);
                }
            });
        }
    }

    /// Ends the rounds of a sub-step: takes what pieces have come towards each other off the gaps between them, and off
    /// how far their contacts may be followed; and sums up how far surfaces have slipped.
    pub(super) fn end_rounds(&mut self, moves: &Moves, cx: &mut StepCx<'_>) {
        if self.pairs.is_empty() {
            return;
        }
        let StepCx { model, state, collision, threads, .. } = cx;
        collision.take_travels(model, |point| moves.delta[point as usize]);
        let towards = |pair| collision.towards(pair);
        let close = |(near, pairs): (&mut [Near], &[(u32, u32)])| {
            for (near, pair) in near.iter_mut().zip(pairs).filter(|(near, _)| near.gap > 0.0) {
                near.gap -= towards(*pair);
            }
        };
        threads.each((&mut self.near[..], &self.pairs[..]), PART, close);
        let positions = &state.position;
        threads.each(&mut self.touched[..], PART, |touched: &mut [Touched]| {
            touched.iter_mut().for_each(|touched| {
                touched.end_rounds(towards, moves, model, positions);
            });
        });
    }

    /// The contacts of all pairs that touch, with their places.
    pub(super) fn touched(&self) -> impl Iterator<Item = (u32, &Touched)> {
        self.near.iter().filter_map(|near| Some((near.place, self.at(near.place)?)))
    }

    /// The contacts at a place.
    pub(super) fn at(&self, place: u32) -> Option<&Touched> {
        self.touched.get(place as usize)
    }

    /// The same, to change them.
    pub(super) fn at_mut(&mut self, place: u32) -> Option<&mut Touched> {
        self.touched.get_mut(place as usize)
    }

    /// Writes the contacts of the last sub-step.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        contacts.extend(self.slots().filter(|slot| slot.found).map(|slot| slot.contact));
    }

    /// All contacts in the order of their pairs.
    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.touched().flat_map(|(_, touched)| touched.slots())
    }
}

/// Makes a place free again.
fn release(place: u32, touched: &mut [Touched], free: &mut Vec<u32>) {
    if place != NONE {
        touched[place as usize] = Touched::default();
        free.push(place);
    }
}

/// A place for the contacts of a pair.
fn room(touched: &mut Vec<Touched>, free: &mut Vec<u32>) -> u32 {
    let place = free.pop().unwrap_or_else(|| {
        touched.push(Touched::default());
        touched.len() as u32 - 1
    });
    touched[place as usize] = Touched::default();
    place
}

#[cfg(test)]
mod tests {
    use super::near::STEADY;
    use super::*;
    use crate::collision::Collision;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::settings::SolverKind;
    use crate::sim::Sim;

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
