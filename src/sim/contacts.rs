//! Where bodies touch. Contacts are listed when somebody asks for them, as most steps pass without.

use std::borrow::Cow;

use super::Sim;
use crate::collision::Contact;
use crate::sleep::Sleep;
use crate::solver::Solver;
use crate::world::World;

/// The contacts at the end of the last step, as far as they have been listed.
#[derive(Clone, Debug)]
pub(super) struct Contacts {
    list: Vec<Contact>,
    /// Whether the list is that of the last step; if not, the backend has it.
    listed: bool,
}

impl Default for Contacts {
    /// None, as before the first step.
    fn default() -> Self {
        Self { list: Vec::new(), listed: true }
    }
}

impl Contacts {
    /// There are none, until the next step.
    pub(super) fn clear(&mut self) {
        self.list.clear();
        self.listed = true;
    }

    /// Those that have been listed.
    pub(super) fn list(&self) -> &[Contact] {
        &self.list
    }

    /// The backend has taken a step.
    pub(super) fn outdate(&mut self) {
        self.listed = false;
    }
}

impl Sim {
    /// The contacts at the end of the last step. They are listed when this is called, so ask once where they are needed
    /// more than once. An edit, and what gives way, leaves none until the next step.
    #[must_use]
    pub fn contacts(&self) -> Cow<'_, [Contact]> {
        let Contacts { list, listed } = &self.contacts;
        if *listed {
            return Cow::Borrowed(list);
        }
        let mut list = Vec::new();
        collect(&*self.solver, &self.sleep, &self.world, &mut list);
        Cow::Owned(list)
    }

    /// Lists contacts, as the backend is about to be told something else.
    pub(super) fn list_contacts(&mut self) {
        let Self { solver, sleep, world, contacts, .. } = self;
        if !contacts.listed {
            collect(&**solver, sleep, world, &mut contacts.list);
            contacts.listed = true;
        }
    }
}

/// Contacts with the numbers of the whole world: of what is awake as they are now, of what sleeps as they were
/// when it fell asleep.
fn collect(solver: &dyn Solver, sleep: &Sleep, whole: &World, list: &mut Vec<Contact>) {
    solver.contacts(list);
    let Some(excerpt) = sleep.excerpt() else { return };
    let model = &whole.model;
    for contact in &mut *list {
        *contact = Contact {
            pieces: contact.pieces.map(|piece| excerpt.piece_number(model, piece)),
            vertex: excerpt.point_number(model, contact.vertex),
            edge: contact.edge.map(|point| excerpt.point_number(model, point)),
            base: contact.base.map(|point| excerpt.point_number(model, point)),
            ..*contact
        };
    }
    list.extend(sleep.contacts());
}
