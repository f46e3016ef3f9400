//! What is solved four at a time (`quads/`), and what is rows: contacts (`mod.rs`, `roster.rs`) and pins (`hinges.rs`).
//!
//! The contacts of a pair are a manifold where both bodies move as blocks, and rows where not. Manifolds of bodies that hardly move stay as they are, from sub-step to sub-step and from step to step.

mod hinges;
mod roster;

use crate::collision::Margin;
use crate::solver::StepCx;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Quads, Tie};
use crate::solver::rows::Rows;
use crate::solver::touches::{Encounter, Pair, Touches};
pub(crate) use hinges::{Among, Hinges};
use roster::Roster;

/// What is remembered of a contact.
pub(crate) trait Memory: Copy + Default + Send + Sync {}

impl<M: Copy + Default + Send + Sync> Memory for M {}

/// What the contacts of a pair are solved as.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Form {
    /// They do not touch, and have not in this step.
    #[default]
    Apart,
    /// A manifold.
    Manifold(u32),
    /// Two rows for each contact, from this one on.
    Rows(u32),
}

/// The contacts of a step, with a memory of each, and the form of those of each pair.
#[derive(Clone, Debug, Default)]
pub(crate) struct Forms<M> {
    /// The memory of what is kept is in its manifold.
    pub(crate) touches: Touches<M, Form>,
    roster: Roster,
}

impl<M: Memory> Forms<M> {
    /// Goes on to another sub-step of `h` seconds, with which the last `left` seconds of the step begin: finds out what
    /// stays as it is. `margin` is that of pairs ([`Touches::find_pairs`]).
    pub(crate) fn go_on(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        [h, left]: [f32; 2],
        margin: Margin,
    ) {
        if self.touches.may_miss_pairs(nodes, h, cx.threads) {
            self.touches.find_missing(cx, nodes, [h, left], margin);
        }
        self.touches.choose_kept(cx, nodes);
    }

    /// Finds the contacts of a sub-step of `h` seconds, and tells which are solved as manifolds; makes room for these,
    /// and for hinges, where they are others than before. `recall` writes into the memory of contacts what their
    /// manifold knows; see [`Touches::find`] for the rest.
    pub(crate) fn find(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &Rows,
        (quads, hinges): (&mut Quads, &[Tie]),
        [h, same_place]: [f32; 2],
        recall: impl Fn(u32, &mut Encounter<M>, &Quads) + Sync,
    ) {
        let Self { touches, roster } = self;
        let recall_from = |quads: &Quads, pair: &Pair<Form>, encounter: &mut Encounter<M>| {
            if let Form::Manifold(manifold) = pair.form {
                recall(manifold, encounter, quads);
            }
        };
        touches.find(cx, nodes, h, same_place, |pair, known| recall_from(quads, pair, known));
        if touches.are_settled() && !roster.any_rows() && quads.are_of(nodes) {
            return;
        }
        roster.call(touches, rows, cx.threads);
        if !(quads.are_of(nodes) && roster.fits(quads)) {
            touches.keep_none(cx, nodes, |pair, known| recall_from(quads, pair, known));
            roster.dismiss(touches, cx.threads);
            quads.arrange(hinges, &[], roster.ends().iter().copied(), cx.threads, nodes);
        }
        roster.assign(touches, cx.threads);
        touches.settle_forms();
    }

    /// Whether any contacts are rows.
    pub(crate) fn any_rows(&self) -> bool {
        self.roster.any_rows()
    }

    /// What is known of the contacts of a manifold between these nodes; `None` if it is kept.
    pub(crate) fn renewed(&self, manifold: u32) -> Option<(&Encounter<M>, [u32; 2])> {
        let number = self.roster.pair_of(manifold);
        let renewed = !self.touches.is_kept(number);
        renewed.then(|| (&self.touches.encounters()[number], self.roster.ends_of(manifold)))
    }

    /// The pairs whose contacts are to be rows, and are not yet.
    pub(crate) fn without_form(&mut self) -> impl Iterator<Item = (&mut Form, &Encounter<M>)> {
        let any = self.any_rows();
        let all = self.touches.iter_mut().filter(move |_| any);
        let them = all.filter(|(pair, ..)| pair.form == Form::Apart && pair.has_contacts());
        them.map(|(pair, encounter, _)| (&mut pair.form, &*encounter))
    }

    /// Those whose contacts are rows, each with the first of these.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &Encounter<M>)> {
        let any = self.any_rows();
        let all = self.touches.iter().filter(move |_| any);
        all.filter_map(|(pair, encounter, _)| match pair.form {
            Form::Rows(first) => Some((first as usize, encounter)),
            Form::Apart | Form::Manifold(_) => None,
        })
    }

    /// The same, to write what is to be remembered.
    pub(crate) fn rows_mut(&mut self) -> impl Iterator<Item = (usize, &mut Encounter<M>)> {
        let any = self.any_rows();
        let all = self.touches.iter_mut().filter(move |_| any);
        all.filter_map(|(pair, encounter, _)| match pair.form {
            Form::Rows(first) => Some((first as usize, encounter)),
            Form::Apart | Form::Manifold(_) => None,
        })
    }
}
