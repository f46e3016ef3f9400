//! Contacts in the velocity stage: what was pressed comes to rest or bounces, by impulses on whole bodies
//! (`blocks.rs`).
//!
//! They are in the lists of the rounds over positions, and have their turn as there: those within either half of the bodies
//! at the same time, then those between the halves (`contacts.rs`); and after all of these, one by one, what acts on points.

mod list;

use crate::math::Vec2;
use crate::solver::ContactImpulse;
use crate::solver::nodes::Twist;
use crate::solver::verlet::blocks::Blocks;
use crate::solver::verlet::contacts::{ContactList, Contacts};
use crate::solver::verlet::halves::{LISTS, Middle, MotionsApart};
use crate::threads::Threads;
use crate::world::{Model, State};
pub(super) use list::PressedList;

/// The contacts of a velocity stage.
#[derive(Clone, Debug, Default)]
pub(super) struct AllPressed {
    /// See [`Contacts::lists`].
    lists: [PressedList; LISTS],
    /// Where the second half begins; `None` where all are in the first list.
    middle: Option<Middle>,
    apart: MotionsApart,
}

impl AllPressed {
    /// Takes the contacts that were pressed in a sub-step of `h` seconds.
    pub(super) fn take(
        &mut self,
        contacts: &Contacts,
        model: &Model,
        positions: &[Vec2],
        blocks: &Blocks,
        h: f32,
        threads: &Threads,
    ) {
        type Some<'a> = (&'a mut [PressedList], &'a [ContactList]);
        self.middle = contacts.middle();
        // Threads share out the lists, or the one in which all are.
        let alone = Threads::default();
        let (lists_on, each_on) =
            if self.middle.is_some() { (threads, &alone) } else { (&alone, threads) };
        let all = (&mut self.lists[..], &contacts.lists()[..]);
        lists_on.each(all, 1, |(lists, contacts): Some<'_>| {
            for (list, contacts) in lists.iter_mut().zip(contacts) {
                list.take(contacts, model, positions, blocks, h, each_on);
            }
        });
    }

    /// Forgets all: the numbers may be those of others now.
    pub(super) fn forget(&mut self) {
        self.lists.iter_mut().for_each(PressedList::forget);
    }

    /// Whether any bounces.
    pub(super) fn any_bounce(&self) -> bool {
        self.lists.iter().any(PressedList::any_bounce)
    }

    /// Starts from what this stage gave in the sub-step before.
    pub(super) fn start(
        &mut self,
        model: &Model,
        state: &mut State,
        blocks: &mut Blocks,
        threads: &Threads,
    ) {
        self.all_lanes(blocks.twists(), threads, PressedList::start_lanes);
        self.lists.iter().for_each(|list| list.start_others(model, state, blocks));
    }

    /// One round.
    pub(super) fn relax(
        &mut self,
        model: &Model,
        state: &mut State,
        blocks: &mut Blocks,
        threads: &Threads,
    ) {
        self.all_lanes(blocks.twists(), threads, PressedList::relax_lanes);
        self.lists.iter_mut().for_each(|list| list.relax_others(model, state, blocks));
    }

    /// Does some work with what is solved side by side, list by list, where bodies move so.
    fn all_lanes(
        &mut self,
        twists: &mut [Twist],
        threads: &Threads,
        work: impl Fn(&mut PressedList, &mut [Twist]) + Sync,
    ) {
        let Self { lists, middle, apart } = self;
        apart.each(lists, *middle, twists, threads, work);
    }

    /// Tells what both stages of a sub-step have given.
    pub(super) fn tell(
        &mut self,
        contacts: &Contacts,
        (model, positions): (&Model, &[Vec2]),
        impulses: &mut Vec<ContactImpulse>,
    ) {
        for (list, contacts) in self.lists.iter_mut().zip(contacts.lists()) {
            list.tell(contacts, (model, positions), impulses);
        }
    }

    /// Keeps what this stage did for the next sub-step.
    pub(super) fn remember(&mut self, contacts: &mut Contacts, threads: &Threads) {
        type Some<'a> = (&'a mut [PressedList], &'a mut [ContactList]);
        let all = (&mut self.lists[..], &mut contacts.lists_mut()[..]);
        threads.each(all, 1, |(lists, contacts): Some<'_>| {
            for (list, contacts) in lists.iter_mut().zip(contacts) {
                list.remember(contacts);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::soft::Jelly;
    use crate::scene::{BodyDef, Shape};
    use crate::solver::Solver;
    use crate::solver::alone::{Alone, ground};
    use crate::solver::verlet::Verlet;
    use crate::world::Numbering;

    /// Jellies that lie on crates, and so many crates that there are two halves; then fewer.
    #[test]
    fn nothing_is_left_of_halves_that_are_one_again() {
        let wide = |k: u16| f32::from(k) * 1.3 - 700.0;
        let crate_at = |k: u16| {
            let at = Vec2::new(wide(k), 0.5);
            BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at)
        };
        let jelly_at = |k: u16| {
            let mesh = Jelly::rectangle(0.6 * Vec2::ONE).mesh().unwrap();
            BodyDef::new(format!("jelly{k}"), Shape::Mesh(mesh), Vec2::new(wide(k), 1.29))
        };
        let mut bodies = vec![ground(1500.0)];
        bodies.extend((0..1000).map(crate_at).chain((0..10).map(jelly_at)));
        let mut alone = Alone::<Verlet>::new(bodies, 2);
        (0..10).for_each(|_| alone.step());
        assert!(alone.solver.pressed.lists[1..].iter().any(PressedList::any_others));
        let numbers = Numbering::of(&alone.world.model);
        let gone = (500..1000).map(|k| alone.world.body(&format!("crate{k}")).unwrap());
        let gone: Vec<_> = gone.collect();
        alone.world.remove_all(gone).unwrap();
        let by = numbers.to(&Numbering::of(&alone.world.model));
        let Alone { world, solver, .. } = &mut alone;
        solver.renumber(&world.model, &world.state, &by);
        (0..10).for_each(|_| alone.step());
        assert!(!alone.solver.pressed.lists[1..].iter().any(PressedList::any_others));
        assert!(alone.solver.pressed.lists[0].any_others());
    }
}
