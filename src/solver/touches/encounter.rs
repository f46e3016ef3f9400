//! What is known of the contacts of a pair.

use crate::collision::Contact;
use crate::math::{Mapped, Vec2};
use crate::scene::Material;
use crate::world::{Model, Renumbering};

/// The contacts of two pieces, and what they have in common.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Encounter<M> {
    /// Coefficient μ.
    pub(crate) friction: f32,
    /// Coefficient of restitution.
    pub(crate) restitution: f32,
    /// The radii of the pieces, the lower one's first, m.
    pub(super) radii: [f32; 2],
    /// The number of contacts.
    count: u8,
    known: [Known<M>; 2],
}

/// A contact and what is remembered of it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<M> {
    pub(crate) contact: Contact,
    pub(crate) memory: M,
}

impl<M> Encounter<M> {
    /// Looks up what the pieces of its contacts, if there are any, have in common now.
    #[inline]
    pub(super) fn link(&mut self, model: &Model) {
        let Some(Known { contact: Contact { pieces: [a, b], .. }, .. }) = self.contacts().first()
        else {
            return;
        };
        let ends = [a.min(b), a.max(b)].mapped(|piece| &model.pieces[*piece as usize]);
        let [a, b] = ends.mapped(|piece| &model.bodies[piece.body as usize].material);
        (self.friction, self.restitution) = Material::mix(a, b);
        self.radii = ends.mapped(|piece| piece.radius);
    }

    /// None, one or two contacts.
    #[inline]
    pub(crate) fn contacts(&self) -> &[Known<M>] {
        &self.known[..usize::from(self.count)]
    }

    /// The same, to write what is to be remembered.
    #[inline]
    pub(crate) fn contacts_mut(&mut self) -> &mut [Known<M>] {
        &mut self.known[..usize::from(self.count)]
    }

    /// How deep its contacts were when they were found last, m.
    pub(crate) fn depths(&self) -> [f32; 2] {
        [0, 1].mapped(|k: usize| self.known[k].contact.depth)
    }

    /// Puts contacts where their points are now.
    pub(super) fn follow(&mut self, positions: &[Vec2]) {
        let radii = self.radii[0] + self.radii[1];
        for known in self.contacts_mut() {
            known.contact = known.contact.followed(positions, radii);
        }
    }

    /// Whether the vertex of a contact is on the second piece.
    pub(crate) fn has_vertex_on_second(&self, contact: &Contact) -> bool {
        is_swapped(contact)
    }

    /// The unit vector from the second piece to the first.
    pub(crate) fn normal(&self) -> Vec2 {
        let Contact { normal, .. } = self.known[0].contact;
        if is_swapped(&self.known[0].contact) { -normal } else { normal }
    }

    /// Where a contact acts on the bodies of the first piece and of the second: see [`Contact::places`].
    #[inline]
    pub(crate) fn places(&self, contact: &Contact, positions: &[Vec2]) -> [Vec2; 2] {
        let [a, b] = self.radii;
        if is_swapped(contact) {
            let [second, first] = contact.places(positions, [b, a]);
            [first, second]
        } else {
            contact.places(positions, [a, b])
        }
    }
}

/// Whether the vertex of a contact is on the second piece, which is the one with the higher number.
fn is_swapped(contact: &Contact) -> bool {
    contact.pieces[0] > contact.pieces[1]
}

impl<M: Copy + Default> Encounter<M> {
    /// Becomes that of pieces that have come to touch, with nothing to remember yet.
    pub(super) fn begin(&mut self, model: &Model, found: &[Contact]) {
        self.count = found.len() as u8;
        for (known, contact) in self.known.iter_mut().zip(found) {
            *known = Known { contact: *contact, memory: M::default() };
        }
        self.link(model);
    }

    /// The same with the numbers that pieces and points have now; `None` if any is gone.
    pub(super) fn renumbered(mut self, by: &Renumbering) -> Option<Self> {
        for known in self.contacts_mut() {
            known.contact = known.contact.renumbered(by)?;
        }
        Some(self)
    }

    /// Replaces the contacts by those found now. The same ones keep their memory; to each other one the
    /// nearest that is left hands on its own, if it is not further than `same_place`, m.
    pub(super) fn replace(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        found: &[Contact],
        same_place: f32,
    ) {
        if self.count == 0 {
            self.begin(model, found);
            return;
        }
        let was = self.contacts().iter().map(|known| known.contact.key());
        if was.eq(found.iter().map(Contact::key)) {
            // Mostly they are the same.
            self.known.iter_mut().zip(found).for_each(|(known, now)| known.contact = *now);
            return;
        }
        let place = |contact: &Contact| {
            contact.position(positions, model.pieces[contact.pieces[0] as usize].radius)
        };
        let mut old = self.known.mapped(Some);
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
    use crate::collision::Collision;
    use crate::collision::contact::tests::box_on_box;
    use crate::world::World;

    #[test]
    fn memory_goes_to_the_same_contact_and_else_to_the_nearest() {
        let world = World::build(&box_on_box()).unwrap();
        let positions = &world.state.position;
        let found = Collision::touch(&world.model, positions, (0, 1), 0.02);
        let mut encounter = Encounter::<u32>::default();
        encounter.replace(&world.model, positions, &found, 0.1);
        (encounter.known[0].memory, encounter.known[1].memory) = (7, 8);
        // In the other order they are known by name.
        let swapped = [found[1], found[0]];
        encounter.replace(&world.model, positions, &swapped, 0.0);
        assert_eq!(
            encounter.contacts().iter().map(|known| known.memory).collect::<Vec<_>>(),
            [8, 7]
        );
        // With another name, at the same place.
        let renamed = Contact { edge: [found[0].edge[1]; 2], ..found[0] };
        encounter.replace(&world.model, positions, &[renamed], 0.0);
        assert_eq!(encounter.contacts()[0].memory, 0);
        encounter.replace(&world.model, positions, &swapped, 0.0);
        (encounter.known[0].memory, encounter.known[1].memory) = (8, 7);
        encounter.replace(&world.model, positions, &[renamed], 0.1);
        assert_eq!(encounter.contacts()[0].memory, 7);
    }
}
