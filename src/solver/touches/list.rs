//! Pairs in ascending order, and what is known of the contacts of some of them.
//!
//! Of the pairs whose boxes overlap a third touch or less. So a block of pairs has room for what is known of all of them, but
//! those that have come to touch take the places at its beginning, in the order in which they did: what passes read stands
//! side by side.

use super::{Encounter, Pair};
use crate::solver::nodes::Stand;

/// So many pairs share their room. Threads share out whole blocks.
pub(super) const BLOCK: usize = 128;

/// All pairs of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct List<M, F> {
    pub(super) pairs: Vec<Pair<F>>,
    /// How the bodies of each stood when it was tested, if it has room; apart, as only the first pass of a step looks at that.
    pub(super) stands: Vec<Stand>,
    /// Room for as many.
    encounters: Vec<Encounter<M>>,
}

/// Some pairs that a thread works on, whole blocks of them, how those stood, and the room for what is known of their contacts.
pub(super) type Stretch<'a, M, F> = (Stood<'a, F>, &'a mut [Encounter<M>]);

/// Some pairs, and how their bodies stood when they were tested.
pub(super) type Stood<'a, F> = (&'a mut [Pair<F>], &'a mut [Stand]);

/// The room of a block of pairs.
pub(super) struct Shelf<'a, M> {
    encounters: &'a mut [Encounter<M>],
    /// How many places in it are taken.
    taken: usize,
}

impl<M, F> List<M, F> {
    /// All, as threads share them out.
    pub(super) fn all(&mut self) -> Stretch<'_, M, F> {
        ((&mut self.pairs[..], &mut self.stands[..]), &mut self.encounters[..])
    }

    /// What is known of the contacts of a pair.
    ///
    /// # Panics
    ///
    /// If it has never had any.
    #[inline]
    pub(super) fn encounter(&self, number: usize) -> &Encounter<M> {
        let place = self.pairs[number].place().expect("it has come to touch");
        &self.encounters[number / BLOCK * BLOCK + place]
    }

    /// The numbers of those pairs of whose contacts something is known.
    pub(super) fn known(&self) -> impl Iterator<Item = usize> {
        (0..self.pairs.len()).filter(|&number| self.pairs[number].place().is_some())
    }

    /// Does some work with each of those; what is known may be written.
    pub(super) fn each_known(&mut self, mut work: impl FnMut(&mut Pair<F>, &mut Encounter<M>)) {
        for ((pairs, _), mut shelf) in blocks(self.all()) {
            for pair in pairs {
                if let Some(encounter) = shelf.of(pair) {
                    work(pair, encounter);
                }
            }
        }
    }
}

impl<M: Copy + Default, F: Copy + Default> List<M, F> {
    /// Makes room for so many pairs. What is there is to be written over.
    pub(super) fn resize(&mut self, count: usize) {
        self.pairs.resize(count, Pair::default());
        self.stands.resize(count, Stand::default());
        self.encounters.resize(count, Encounter::default());
    }

    /// All anew: these pairs, each with how it stood and what is known of its contacts.
    pub(super) fn refill(
        &mut self,
        all: impl Iterator<Item = (Pair<F>, Stand, Option<Encounter<M>>)>,
    ) {
        self.pairs.clear();
        self.stands.clear();
        self.encounters.clear();
        let mut free = 0;
        for (number, (mut pair, stand, known)) in all.enumerate() {
            if number.is_multiple_of(BLOCK) {
                free = number;
            }
            self.encounters.push(Encounter::default());
            pair.set_place(known.is_some().then_some(free % BLOCK));
            if let Some(known) = known {
                self.encounters[free] = known;
                free += 1;
            }
            self.pairs.push(pair);
            self.stands.push(stand);
        }
    }
}

/// The blocks of some pairs, each with its room. All of that may be taken anew, unless [`Shelf::leave`] says otherwise.
pub(super) fn blocks<'a, M, F>(
    ((pairs, stands), encounters): Stretch<'a, M, F>,
) -> impl Iterator<Item = (Stood<'a, F>, Shelf<'a, M>)> {
    pairs
        .chunks_mut(BLOCK)
        .zip(stands.chunks_mut(BLOCK))
        .zip(encounters.chunks_mut(BLOCK))
        .map(|(pairs, encounters)| (pairs, Shelf { encounters, taken: 0 }))
}

impl<M> Shelf<'_, M> {
    /// Leaves the places to these pairs that they have: those of this block.
    pub(super) fn leave<F>(&mut self, pairs: &[Pair<F>]) {
        self.taken = pairs.iter().filter(|pair| pair.place().is_some()).count();
    }

    /// What is known of the contacts of a pair of this block, if anything is.
    #[inline]
    pub(super) fn of<F>(&mut self, pair: &Pair<F>) -> Option<&mut Encounter<M>> {
        pair.place().map(|place| &mut self.encounters[place])
    }

    /// Gives a place to a pair of this block that has none. What is there is left over from another.
    #[inline]
    pub(super) fn take<F>(&mut self, pair: &mut Pair<F>) -> &mut Encounter<M> {
        let place = self.taken;
        self.taken += 1;
        pair.set_place(Some(place));
        &mut self.encounters[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An encounter that is told from others by its friction.
    fn encounter(friction: f32) -> Encounter<()> {
        let mut encounter = Encounter::default();
        encounter.friction = friction;
        encounter
    }

    #[test]
    fn what_is_known_stays_with_its_pair_whichever_comes_to_touch_next() {
        const COUNT: usize = 2 * BLOCK + 20;
        let mut list = List::<(), ()>::default();
        list.refill((0..COUNT).map(|number| {
            let known = number.is_multiple_of(3).then(|| encounter(number as f32));
            (Pair::default(), Stand::default(), known)
        }));
        // Those between come to touch, last first.
        for (block, ((pairs, _), mut shelf)) in blocks(list.all()).enumerate() {
            shelf.leave(pairs);
            for (k, pair) in pairs.iter_mut().enumerate().rev() {
                let number = block * BLOCK + k;
                if number % 3 == 1 {
                    assert!(shelf.of(pair).is_none());
                    *shelf.take(pair) = encounter(number as f32);
                }
            }
        }
        let known: Vec<usize> = list.known().collect();
        assert_eq!(known, (0..COUNT).filter(|number| number % 3 < 2).collect::<Vec<_>>());
        let friction = |number: &usize| list.encounter(*number).friction;
        assert!(known.iter().all(|number| friction(number) == *number as f32));
        let mut seen = Vec::new();
        list.each_known(|_, encounter| seen.push(encounter.friction as usize));
        assert_eq!(seen, known);
    }

    #[test]
    fn all_pairs_of_a_block_may_touch() {
        let mut list = List::<(), ()>::default();
        list.refill(
            (0..BLOCK + 1)
                .map(|number| (Pair::default(), Stand::default(), Some(encounter(number as f32)))),
        );
        assert!((0..=BLOCK).all(|number| list.encounter(number).friction == number as f32));
    }
}
