//! Contacts of `pbd`, and what each remembers: how far its surfaces have slipped since they stuck, and
//! what the velocity stage gave it. Each is part of a manifold where both bodies move as blocks (`quads/`), and by itself
//! where not (`quads/press.rs`), or a pair of rows where it acts on what is solved together.

use crate::collision::{Contact, Margin};
use crate::math::{Mapped, Vec2, cross_sv, left};
use crate::solver::StepCx;
use crate::solver::common::{PUSH_OUT_SPEED, TOUCHING};
use crate::solver::forms::{Forms, Other};
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Past, Press, Quads, Seen, Tie};
use crate::solver::rows::{Bound, Rows};
use crate::solver::touches::{Encounter, Known};
use crate::threads::Threads;
use crate::world::{Anchor, Model, Renumbering};

/// The boxes in which pieces are paired reach so far beyond them, m.
const PAIR_MARGIN: Margin = Margin { slow: 0.05, swift: 0.05 };

/// The contacts of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// Rows are for the normal, then for friction.
    pub(super) forms: Forms<Memory>,
    /// The speeds at which contacts that are rows are to part, m/s, in their order.
    of_rows: Vec<f32>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    /// Whether bodies overlap by more than what may leave in this sub-step.
    deep: bool,
}

/// What is remembered of a contact.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Memory {
    slip: f32,
    /// Displacement impulse along the normal, kg·m.
    pushed: f32,
    /// What the velocity stage gave along the normal, and along the surface, N·s.
    eased: Vec2,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now. `quads` are those of the numbers before.
    pub(super) fn renumber(&mut self, by: &Renumbering, quads: &Quads) {
        self.forms.renumber(by, quads, recall);
    }

    /// Finds the pairs that may touch in a step.
    pub(super) fn find_pairs(&mut self, cx: &mut StepCx<'_>) {
        self.forms.touches.find_pairs(cx, PAIR_MARGIN);
    }

    /// Takes over the pairs that were found for a step.
    pub(super) fn begin_step(&mut self, cx: &StepCx<'_>, nodes: &Nodes) {
        self.forms.touches.begin_step(cx, nodes);
    }

    /// Goes on to another sub-step of `h` seconds, with which the last `left` seconds of the step begin.
    pub(super) fn go_on(&mut self, cx: &mut StepCx<'_>, nodes: &mut Nodes, h: f32, left: f32) {
        self.forms.go_on(cx, nodes, [h, left], PAIR_MARGIN);
    }

    /// Finds the contacts of this sub-step of `h` seconds, with what solves them. One whose features have
    /// changed starts anew: what slipped did so at another place.
    pub(super) fn add(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &mut Rows,
        (quads, hinges): (&mut Quads, &[Tie]),
        h: f32,
    ) {
        self.first_row = rows.len();
        self.forms.find(cx, nodes, rows, (quads, hinges), [h, 0.0], recall);
        let others = self.add_others(cx, nodes, rows, quads, h);
        let manifolds = self.put(cx, nodes, quads, h);
        self.impact = others.0 | manifolds.0;
        self.deep = others.1.max(manifolds.1) > PUSH_OUT_SPEED * h;
    }

    /// Adds the contacts that are no part of a manifold. Returns whether bodies meet there, and how deep they overlap, m.
    fn add_others(
        &mut self,
        cx: &StepCx<'_>,
        nodes: &Nodes,
        rows: &mut Rows,
        quads: &mut Quads,
        h: f32,
    ) -> (bool, f32) {
        let (model, positions) = (cx.model, &cx.state.position);
        let Self { forms, of_rows, .. } = self;
        of_rows.clear();
        let remember = |press, known: &_| remembering(press, known, (model, positions), nodes);
        let add_rows =
            |press: Press, Known { contact, memory }: &Known<Memory>, rows: &mut Rows| {
                let rubs = Bound::Friction { friction: press.surface.friction, normal: rows.len() };
                let bounds = [Bound::Push { h, back: 0.0 }, rubs];
                add_rows((model, positions), contact, memory, bounds, nodes, rows);
                of_rows.push(press.point.parts);
            };
        forms.add_others(cx, nodes, (rows, quads), h, remember, add_rows)
    }

    /// Puts the contacts of manifolds where they are now, with what they remember. Returns whether bodies meet there, and
    /// how deep they overlap, m.
    fn put(&self, cx: &StepCx<'_>, nodes: &Nodes, quads: &mut Quads, h: f32) -> (bool, f32) {
        let positions = &cx.state.position;
        quads.put_displaced(cx.threads, nodes, |manifold| {
            let carried = |ends: [u32; 2]| carried(ends.mapped(|node| nodes[node].inv_mass));
            let start = |memory: &Memory, ends| Vec2::new(0.0, carried(ends) * memory.pushed);
            let (put, ends, encounter) = self.forms.put(manifold, positions, nodes, h, start)?;
            let eases = ends.iter().all(|&node| !nodes.is_held(node));
            let mut past = Past { carried: carried(ends), eases, ..Past::default() };
            for (seen, Known { contact, memory }) in
                past.contacts.iter_mut().zip(encounter.contacts())
            {
                let side = usize::from(encounter.has_vertex_on_second(contact));
                let arm = positions[contact.vertex as usize] - nodes[ends[side]].center;
                let lever = (!contact.lies_ahead()).then(|| arm.dot(put.surface.normal));
                *seen = Seen { pushed: memory.pushed, eased: memory.eased.x, side, lever };
                // One that has come anew knows nothing of what the other has slipped.
                if memory.slip.abs() > past.slip.abs() {
                    past.slip = memory.slip;
                }
                past.rubbed += memory.eased.y;
            }
            Some((put, past))
        })
    }

    /// The speed at which the contact of a row is to part; 0 for rows of joints.
    pub(super) fn bounce(&self, row: usize) -> f32 {
        row.checked_sub(self.first_row).map_or(0.0, |offset| self.of_rows[offset / 2])
    }

    /// Whether bodies meet in this sub-step, faster than [`BOUNCE_SPEED`](crate::solver::common::BOUNCE_SPEED).
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// Whether bodies overlap by more than what may leave in this sub-step.
    pub(super) fn any_deep(&self) -> bool {
        self.deep
    }

    /// Whether anything comes fast, and would bounce.
    pub(super) fn any_bounces(&self, quads: &Quads) -> bool {
        quads.any_bounces() || self.of_rows.iter().any(|bounce| *bounce > 0.0)
    }

    /// The contacts that are rows, each with that of its normal.
    fn rows(&self) -> impl Iterator<Item = (usize, &Known<Memory>)> {
        let of = |(first, encounter)| (first..).step_by(2).zip(Encounter::contacts(encounter));
        self.forms.rows().flat_map(of)
    }

    /// Takes contacts anew where the sub-step of `h` seconds has brought them: a contact stays
    /// under its vertex, which for a disc is its centre. Staying on the surfaces it would lag behind
    /// what rolls, and brake it. Returns how far a hinge is open, m.
    pub(super) fn follow(
        &self,
        cx: &StepCx<'_>,
        rows: &mut Rows,
        quads: &mut Quads,
        nodes: &Nodes,
        h: f32,
    ) -> f32 {
        for (row, Known { contact, .. }) in self.rows() {
            if contact.lies_ahead() {
                continue;
            }
            let vertex = contact.vertex;
            let node = nodes.of_point(cx.model, vertex);
            let (center, travel) = (nodes[node].center, nodes.travel(node));
            let arm = cx.state.position[vertex as usize] - center;
            let by = travel.linear + cross_sv(travel.angular, arm);
            rows.follow_by(row, by, nodes);
            rows.follow_by(row + 1, by, nodes);
        }
        quads.arrive(h, cx.threads, nodes)
    }

    /// Starts the displacement impulses of contacts that are rows as those of manifolds start: see [`carried`].
    pub(super) fn warm_start(&self, rows: &mut Rows, nodes: &mut Nodes) {
        for (row, Known { memory: Memory { pushed, .. }, .. }) in self.rows() {
            let ratio = rows.mass_ratio(row, nodes);
            rows.push(row, part_carried(ratio) * *pushed, nodes);
        }
    }

    /// Starts the velocity stage of pressed contacts that are rows from what it gave them before. Where a joint holds a
    /// body they start from nothing: in a jam, in which a contact undoes what a joint wants and joint and contact take
    /// both back in the velocity stage, what is left of the two, a torque, would turn a limb for good.
    pub(super) fn ease(&self, model: &Model, rows: &mut Rows, nodes: &mut Nodes) {
        for (row, Known { contact, memory: Memory { eased, .. } }) in self.rows() {
            let ends =
                [contact.vertex, contact.edge[0]].mapped(|point| nodes.of_point(model, point));
            if rows.impulse(row) > 0.0 && ends.iter().all(|&node| !nodes.is_held(node)) {
                rows.ease(row, eased.x, nodes);
                rows.ease(row + 1, eased.y, nodes);
            }
        }
    }

    /// Notes what surfaces slipped and what the velocity stage gave.
    pub(super) fn remember(
        &mut self,
        rows: &Rows,
        quads: &mut Quads,
        nodes: &Nodes,
        threads: &Threads,
    ) {
        quads.remember(threads);
        self.forms.each_of_others(|other, Known { contact, memory }| {
            *memory = match other {
                Other::Press(press) => {
                    let Past { slip, rubbed, contacts: [seen, _], .. } = quads.past_of_press(press);
                    Memory { slip, pushed: seen.pushed, eased: Vec2::new(seen.eased, rubbed) }
                }
                Other::Rows(row) => {
                    let pressed = rows.impulse(row) > 0.0;
                    // A contact at rest may go unpressed for a sub-step; it has not let go for that.
                    let slip = if pressed {
                        rows.slip(row + 1, nodes)
                    } else if contact.depth > -TOUCHING {
                        rows.error_now(row + 1, nodes)
                    } else {
                        0.0
                    };
                    let eased = Vec2::new(rows.eased(row), rows.eased(row + 1));
                    let eased = if pressed { eased } else { Vec2::ZERO };
                    Memory { slip, pushed: rows.impulse(row), eased }
                }
            };
        });
    }

    /// Writes the contacts that touch.
    pub(super) fn list(&self, quads: &Quads, contacts: &mut Vec<Contact>) {
        self.forms.list(quads, contacts);
    }
}

/// Writes into the memory of the contacts of a manifold what is to be remembered of it.
fn recall(manifold: u32, encounter: &mut Encounter<Memory>, quads: &Quads) {
    let Past { slip, rubbed, contacts, .. } = quads.past(manifold);
    let part = rubbed / encounter.contacts().len().max(1) as f32;
    for (Known { memory, .. }, seen) in encounter.contacts_mut().iter_mut().zip(contacts) {
        *memory = Memory { slip, pushed: seen.pushed, eased: Vec2::new(seen.eased, part) };
    }
}

/// The part of what the sub-step before gave from which the displacement impulses of contacts between a heavy and a light
/// body start. One round alone hands on to the heavy one only its share of the overlap,
/// as small as the ratio of the masses, and it sinks for ever. Of alike bodies nothing is carried
/// over: what their rounds left undone would come back as shaking, and with all of it they explode.
fn part_carried(ratio: f32) -> f32 {
    /// The most that is carried over.
    const MOST: f32 = 0.5;
    /// The ratio of masses at which half of that is.
    const HALF_AT: f32 = 50.0;
    MOST * ratio / (ratio + HALF_AT)
}

/// The same of bodies with these inverse masses, 1/kg.
fn carried([a, b]: [f32; 2]) -> f32 {
    let (least, most) = (a.min(b), a.max(b));
    part_carried(if least > 0.0 { most / least } else { 0.0 })
}

/// A contact by itself with what is remembered of it.
fn remembering(
    press: Press,
    Known { contact, memory }: &Known<Memory>,
    (model, positions): (&Model, &[Vec2]),
    nodes: &Nodes,
) -> Press {
    let Memory { slip, pushed, eased } = *memory;
    let carried = carried(press.bodies(nodes).mapped(|body| body.inv_mass));
    let center = nodes[nodes.of_point(model, contact.vertex)].center;
    let arm = positions[contact.vertex as usize] - center;
    let lever = (!contact.lies_ahead()).then(|| arm.dot(contact.normal));
    let seen = Seen { pushed, eased: eased.x, side: 0, lever };
    let eases = press.nodes().all(|node| !nodes.is_held(node));
    let contacts = [seen, Seen::default()];
    let mut press = press;
    press.point.start.y = carried * pushed;
    press.past = Past { carried, eases, slip, rubbed: eased.y, contacts };
    press
}

/// Adds the rows of a contact: the normal, then friction.
fn add_rows(
    (model, positions): (&Model, &[Vec2]),
    contact: &Contact,
    memory: &Memory,
    [pushes, rubs]: [Bound; 2],
    nodes: &Nodes,
    rows: &mut Rows,
) {
    let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
    let places = contact.places(positions, pieces.mapped(|piece| piece.radius));
    let [first, second] = contact.edge;
    let sides = [
        (pieces[0].body, Anchor::at_point(contact.vertex), 1.0),
        (pieces[1].body, Anchor::between(first, second, contact.t), -1.0),
    ];
    let normal = (contact.normal, -contact.depth, pushes);
    for (direction, error, bound) in [normal, (left(contact.normal), memory.slip, rubs)] {
        rows.begin();
        for ((body, anchor, sign), place) in sides.iter().zip(places) {
            rows.side(nodes, model, *body, anchor, place, *sign * direction);
        }
        rows.end(nodes, error, bound);
    }
}
