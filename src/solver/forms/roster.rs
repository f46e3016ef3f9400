//! Which pairs have a manifold, and which number it has: as many as there are before it in the order of pairs.
//!
//! Threads look at some pairs each. First each counts those of its own; then it is known where the numbers of each
//! begin.

use std::ops::Range;

use super::{Form, Memory};
use crate::solver::quads::Quads;
use crate::solver::rows::Rows;
use crate::solver::touches::{Pair, Touches};
use crate::threads::Threads;

/// So many pairs are looked at together.
const PART: usize = 256;

/// The pairs that have a manifold.
#[derive(Clone, Debug, Default)]
pub(super) struct Roster {
    /// More than are in use.
    parts: Vec<Part>,
    used: usize,
    /// The number of the pair of each manifold, and its nodes.
    pairs: Vec<u32>,
    ends: Vec<[u32; 2]>,
    /// Whether any pair without a manifold has contacts.
    any_others: bool,
}

/// What is found among some pairs.
#[derive(Clone, Debug, Default)]
struct Part {
    /// Those with a manifold, and their nodes.
    pairs: Vec<u32>,
    ends: Vec<[u32; 2]>,
    /// The number of the first manifold.
    first: u32,
    /// What that is by the numbers of those that are kept, if there are any.
    kept: Kept,
    /// Whether any others have contacts.
    any_others: bool,
}

/// The number of the first manifold of a part, as those say that are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Kept {
    /// There are none.
    #[default]
    None,
    First(u32),
    /// Of two one says this, one that.
    Several,
}

/// Some parts, and their numbers.
type Numbered<'a> = (&'a mut [Part], Range<usize>);

/// Some pairs, and their numbers.
type Pairs<'a> = (&'a mut [Pair<Form>], Range<usize>);

impl Roster {
    /// Finds the pairs with a manifold: those that touch, or did in this step, and give way to nothing that is solved
    /// together; and those that have come apart and have one still.
    pub(super) fn call(
        &mut self,
        touches: &Touches<impl Memory, Form>,
        rows: &Rows,
        threads: &Threads,
    ) {
        let Self { parts, used, .. } = self;
        let all = touches.pairs();
        *used = all.len().div_ceil(PART);
        if parts.len() < *used {
            parts.resize(*used, Part::default());
        }
        threads.each((&mut parts[..*used], 0..*used), 1, |(parts, numbers): Numbered<'_>| {
            for (part, number) in parts.iter_mut().zip(numbers) {
                let range = number * PART..all.len().min((number + 1) * PART);
                part.find(touches, range, |pair| nodes(pair, rows));
            }
        });
        self.number();
    }

    /// Takes those off the list that have come apart. None is kept any more.
    pub(super) fn dismiss(&mut self, touches: &Touches<impl Memory, Form>, threads: &Threads) {
        threads.each(&mut self.parts[..self.used], 1, |parts: &mut [Part]| {
            parts.iter_mut().for_each(|part| part.dismiss(touches.pairs()));
        });
        self.number();
    }

    /// Counts manifolds through.
    fn number(&mut self) {
        let Self { parts, used, pairs, ends, any_others } = self;
        *any_others = parts[..*used].iter().any(|part| part.any_others);
        pairs.clear();
        ends.clear();
        for part in &mut parts[..*used] {
            part.first = pairs.len() as u32;
            pairs.extend_from_slice(&part.pairs);
            ends.extend_from_slice(&part.ends);
        }
    }

    /// Whether each manifold is where there is room for it, and there is room for no other. Those that are kept must
    /// have the number that they have had: of two pairs between the same bodies one may have gone.
    pub(super) fn fits(&self, quads: &Quads) -> bool {
        let stays = |part: &Part| [Kept::None, Kept::First(part.first)].contains(&part.kept);
        quads.are_between(&self.ends) && self.parts[..self.used].iter().all(stays)
    }

    /// Tells each pair the number of its manifold.
    pub(super) fn assign(&self, touches: &mut Touches<impl Memory, Form>, threads: &Threads) {
        let pairs = touches.pairs_mut();
        let numbers = 0..pairs.len();
        threads.each((pairs, numbers), PART, |(pairs, numbers): Pairs<'_>| {
            let Some(part) = self.parts.get(numbers.start / PART) else { return };
            let mut manifolds = part.pairs.iter().zip(part.first..).peekable();
            for (pair, number) in pairs.iter_mut().zip(numbers) {
                let own = manifolds.next_if(|(pair, _)| **pair as usize == number);
                pair.form = own.map_or(Form::Apart, |(_, manifold)| Form::Manifold(manifold));
            }
        });
    }

    /// The pair of a manifold.
    pub(super) fn pair_of(&self, manifold: u32) -> usize {
        self.pairs[manifold as usize] as usize
    }

    /// The nodes of a manifold.
    pub(super) fn ends_of(&self, manifold: u32) -> [u32; 2] {
        self.ends[manifold as usize]
    }

    /// Those of each.
    pub(super) fn ends(&self) -> &[[u32; 2]] {
        &self.ends
    }

    /// Whether any pair without a manifold has contacts.
    pub(super) fn any_others(&self) -> bool {
        self.any_others
    }
}

impl Part {
    /// Finds those with a manifold among these pairs; `nodes` tells which have one.
    fn find(
        &mut self,
        touches: &Touches<impl Memory, Form>,
        range: Range<usize>,
        nodes: impl Fn(&Pair<Form>) -> Option<[u32; 2]>,
    ) {
        self.pairs.clear();
        self.ends.clear();
        (self.kept, self.any_others) = (Kept::None, false);
        for (pair, number) in touches.pairs()[range.clone()].iter().zip(range) {
            let Some(ends) = nodes(pair) else {
                self.any_others |= pair.has_contacts();
                continue;
            };
            if touches.is_kept(number) {
                self.note_kept(pair.form);
            }
            self.pairs.push(number as u32);
            self.ends.push(ends);
        }
    }

    /// Takes those off the list that have come apart.
    fn dismiss(&mut self, all: &[Pair<Form>]) {
        let Self { pairs, ends, kept, .. } = self;
        let mut touching = 0;
        for k in 0..pairs.len() {
            (pairs[touching], ends[touching]) = (pairs[k], ends[k]);
            touching += usize::from(all[pairs[k] as usize].is_touching());
        }
        pairs.truncate(touching);
        ends.truncate(touching);
        *kept = Kept::None;
    }

    /// Notes that the next pair is kept in this form.
    fn note_kept(&mut self, form: Form) {
        let before = self.pairs.len() as u32;
        let first = match form {
            Form::Manifold(manifold) => {
                manifold.checked_sub(before).map_or(Kept::Several, Kept::First)
            }
            Form::Apart | Form::Presses(_) | Form::Rows(_) => Kept::Several,
        };
        self.kept = if [Kept::None, first].contains(&self.kept) { first } else { Kept::Several };
    }
}

/// The nodes of a pair that has a manifold. What has come apart keeps one, an empty one, as long as no other needs room:
/// to find lanes for all anew takes as long as to solve them, and what comes apart in a pile often touches again soon.
fn nodes(pair: &Pair<Form>, rows: &Rows) -> Option<[u32; 2]> {
    let gives_way = |nodes: &[u32; 2]| nodes.iter().any(|&node| rows.gives_way(node));
    let has_one = pair.is_touching() || matches!(pair.form, Form::Manifold(_));
    pair.nodes().filter(|nodes| has_one && !gives_way(nodes))
}
