//! What is solved four at a time (`quads/`), and what is rows: contacts (`mod.rs`, `roster.rs`), pins (`hinges.rs`) and edges
//! of soft bodies (`edges.rs`).
//!
//! The contacts of a pair are a manifold where both bodies move as blocks; where not, each is by itself (`quads/press.rs`), or
//! rows if it acts on what is solved together. Manifolds of bodies that hardly move stay as they are, from sub-step to
//! sub-step and from step to step.

mod edges;
mod hinges;
mod roster;

use crate::collision::{Contact, Margin};
use crate::math::{Mapped, Vec2};
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::nodes::{Circles, Nodes};
use crate::solver::quads::{Point, Press, Put, Quads, Surface, Tie};
use crate::solver::rows::Rows;
use crate::solver::touches::{Encounter, Known, Pair, Touches};
use crate::solver::{ContactImpulse, StepCx};
use crate::world::{Model, Renumbering};
pub(crate) use edges::Edges;
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
    /// Each contact by itself, from this one on.
    Presses(u32),
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

/// What a contact that is no part of a manifold is solved as.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Other {
    /// By itself, under this number.
    Press(u32),
    /// As two rows, of which this is the first.
    Rows(usize),
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
        self.touches.find_missing(cx, nodes, [h, left], margin);
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
            recall_from(quads, pair, encounter, &recall);
        };
        touches.find(cx, nodes, h, same_place, |pair, known| recall_from(quads, pair, known));
        if touches.are_settled() && !roster.any_others() && quads.are_of(nodes) {
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

    /// Circles around the bodies of a pair, if both are single nodes.
    pub(crate) fn circles(&self, pair: usize) -> Option<Circles> {
        self.touches.pairs()[pair].circles()
    }

    /// Whether any contacts are no part of a manifold.
    fn any_others(&self) -> bool {
        self.roster.any_others()
    }

    /// What is to be put into a manifold in a sub-step of `h` seconds, from where points are; `None` if it is kept. Each
    /// contact starts from what `start` says of its memory, along the surface and along the normal. Told are the nodes
    /// as well, and what is known of the contacts.
    #[inline]
    pub(crate) fn put(
        &self,
        manifold: u32,
        positions: &[Vec2],
        nodes: &Nodes,
        h: f32,
        start: impl Fn(&M, [u32; 2]) -> Vec2,
    ) -> Option<(Put, [u32; 2], &Encounter<M>)> {
        let Self { touches, roster } = self;
        let pair = roster.pair_of(manifold);
        if touches.is_kept(pair) {
            return None;
        }
        let (encounter, ends) = (touches.encounter(pair), roster.ends_of(manifold));
        let normal = encounter.normal();
        let mut put = Put {
            surface: Surface { normal, friction: encounter.friction },
            points: [Point::default(); 2],
            count: encounter.contacts().len(),
            meets: false,
        };
        for (point, Known { contact, memory }) in put.points.iter_mut().zip(encounter.contacts()) {
            let places = encounter.places(contact, positions);
            let speed = nodes.meeting_speed(ends, places, normal);
            let parts = parting_speed(speed, encounter.restitution);
            let (start, restitution) = (start(memory, ends), encounter.restitution);
            *point = Point { places, gap: -contact.depth, start, parts, restitution };
            put.meets |= meets(speed, contact, h);
        }
        Some((put, ends, encounter))
    }

    /// Gives what is known the numbers that pieces and points have now. `quads` are those of the numbers before, from
    /// which `recall` writes into the memory of contacts.
    pub(crate) fn renumber(
        &mut self,
        by: &Renumbering,
        quads: &Quads,
        recall: impl Fn(u32, &mut Encounter<M>, &Quads),
    ) {
        self.touches.each(|pair, encounter| recall_from(quads, pair, encounter, &recall));
        self.touches.renumber(by);
    }

    /// Lists the contacts that overlap or touch.
    pub(crate) fn list(&self, quads: &Quads, list: &mut Vec<Contact>) {
        self.touches.list(list, |pair, encounter| match pair.form {
            Form::Manifold(manifold) => quads.gaps(manifold).mapped(|gap| -gap),
            Form::Apart | Form::Presses(_) | Form::Rows(_) => encounter.depths(),
        });
    }

    /// Tells what contacts that press have given in this sub-step, if somebody wants to know. `of_rows` says it of one that is
    /// rows, by the first of these.
    pub(crate) fn tell_impulses(
        &self,
        cx: &mut StepCx<'_>,
        quads: &Quads,
        of_rows: impl Fn(usize) -> f32,
    ) {
        let StepCx { model, state, impulses: Some(impulses), .. } = cx else { return };
        for (pair, encounter, _) in self.touches.iter() {
            let given = |k: u32| match pair.form {
                Form::Apart => 0.0,
                Form::Manifold(manifold) => quads.impulses(manifold)[k as usize].y,
                Form::Presses(first) => quads.impulse_of_press(first + k).y,
                Form::Rows(first) => of_rows((first + 2 * k) as usize),
            };
            for (Known { contact, .. }, k) in encounter.contacts().iter().zip(0..) {
                let given = given(k);
                if given > 0.0 {
                    impulses.push(ContactImpulse::of(contact, model, &state.position, given));
                }
            }
        }
    }

    /// Gives a form to the contacts that are no part of a manifold and have none yet, in a sub-step of `h` seconds. Each is by
    /// itself, as `press` says of one that is as it is now, with what is known of it; those that act on what is solved together
    /// are rows, which `add_rows` adds for both bodies of one. Returns whether any bodies meet fast, and the deepest overlap, m.
    pub(crate) fn add_others(
        &mut self,
        cx: &StepCx<'_>,
        nodes: &Nodes,
        (rows, quads): (&mut Rows, &mut Quads),
        h: f32,
        press: impl Fn(Press, &Known<M>) -> Press,
        mut add_rows: impl FnMut(Press, &Known<M>, &mut Rows),
    ) -> (bool, f32) {
        let (model, positions) = (cx.model, &cx.state.position);
        let (mut any_meet, mut deepest) = (false, 0.0_f32);
        quads.clear_presses();
        if !self.any_others() {
            return (any_meet, deepest);
        }
        self.touches.each(|pair, encounter| {
            if pair.form != Form::Apart || !pair.has_contacts() {
                return;
            }
            let are_rows = acts_on_wholes(encounter, model, nodes, rows);
            pair.form = match are_rows {
                true => Form::Rows(rows.len() as u32),
                false => Form::Presses(quads.presses() as u32),
            };
            for known in encounter.contacts() {
                let contact = &known.contact;
                let mut now = Press::of(contact, encounter.friction, model, positions, nodes);
                let speed = now.speed(nodes);
                now.point.parts = parting_speed(speed, encounter.restitution);
                any_meet |= meets(speed, contact, h);
                deepest = deepest.max(contact.depth);
                match are_rows {
                    true => add_rows(now, known, rows),
                    false => quads.add_press(press(now, known)),
                }
            }
        });
        quads.arrange_presses(nodes);
        (any_meet, deepest)
    }

    /// The pairs whose contacts are rows, each with the first of these.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (usize, &Encounter<M>)> {
        self.others().filter_map(|(form, encounter)| match form {
            Form::Rows(first) => Some((first as usize, encounter)),
            Form::Apart | Form::Manifold(_) | Form::Presses(_) => None,
        })
    }

    /// The pairs of whose contacts something is known, if any of these are no part of a manifold.
    fn others(&self) -> impl Iterator<Item = (Form, &Encounter<M>)> {
        let any = self.any_others();
        let all = self.touches.iter().take_while(move |_| any);
        all.map(|(pair, encounter, _)| (pair.form, encounter))
    }

    /// Does some work with each contact that is no part of a manifold; what is to be remembered may be written.
    pub(crate) fn each_of_others(&mut self, mut work: impl FnMut(Other, &mut Known<M>)) {
        if self.any_others() {
            self.touches.each(|pair, encounter| {
                let contacts = (0..).zip(encounter.contacts_mut());
                match pair.form {
                    Form::Apart | Form::Manifold(_) => {}
                    Form::Presses(first) => {
                        contacts.for_each(|(k, known)| work(Other::Press(first + k), known));
                    }
                    Form::Rows(first) => contacts.for_each(|(k, known)| {
                        work(Other::Rows((first + 2 * k) as usize), known);
                    }),
                }
            });
        }
    }
}

/// Writes into the memory of the contacts of a pair, if it has a manifold, what `recall` finds there.
fn recall_from<M>(
    quads: &Quads,
    pair: &Pair<Form>,
    encounter: &mut Encounter<M>,
    recall: &impl Fn(u32, &mut Encounter<M>, &Quads),
) {
    if let Form::Manifold(manifold) = pair.form {
        recall(manifold, encounter, quads);
    }
}

/// Whether any contact of two pieces acts on what is solved together.
fn acts_on_wholes<M>(encounter: &Encounter<M>, model: &Model, nodes: &Nodes, rows: &Rows) -> bool {
    let gives_way = |point: u32| rows.gives_way(nodes.of_point(model, point));
    encounter.contacts().iter().any(|Known { contact, .. }| {
        [contact.vertex, contact.edge[0], contact.edge[1]].into_iter().any(gives_way)
    })
}

/// Whether the bodies of a contact that move at this speed, m/s, meet within a sub-step of `h` seconds.
fn meets(speed: f32, contact: &Contact, h: f32) -> bool {
    speed < -BOUNCE_SPEED && -speed * h > -contact.depth
}

/// The speed at which the bodies of a contact are to part that go apart at `speed`, m/s, if they are pressed; 0 if they do not come
/// fast.
fn parting_speed(speed: f32, restitution: f32) -> f32 {
    if speed < -BOUNCE_SPEED { -restitution * speed } else { 0.0 }
}
