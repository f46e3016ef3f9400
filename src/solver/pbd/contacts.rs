//! Contacts of `pbd`: found once a step where bodies are slow, and remembered while they last.
//!
//! A pair whose pieces cannot come closer than [`MARGIN`] to something new within the step is
//! tested once, with that margin, and its contacts then follow their vertex and edge from sub-step
//! to sub-step. Faster pairs are tested in every sub-step. What a contact remembers, by its name
//! (vertex and edge), is how far its surfaces have slipped since they stuck, and what the velocity
//! stage gave it.

use crate::collision::{Collision, Contact};
use crate::math::{Vec2, cross_sv, left};
use crate::scene::Material;
use crate::solver::StepCx;
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::nodes::Nodes;
use crate::solver::rows::{Bound, PUSH_OUT_SPEED, Rows};
use crate::world::{Anchor, Model, Renumbering, State};

/// Contacts are made this far before they touch, m.
const MARGIN: f32 = 0.02;

/// A gap that still counts as touching for what stuck, m.
const TOUCHING: f32 = 1e-4;

/// The contacts of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pairs: Vec<Pair>,
    before: Vec<Pair>,
    /// The contacts of this sub-step, in the order of their rows.
    active: Vec<Active>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    /// Whether bodies overlap by more than what may leave in this sub-step.
    deep: bool,
}

/// Two pieces that may touch.
#[derive(Clone, Copy, Debug, Default)]
struct Pair {
    pieces: (u32, u32),
    /// Whether the contacts below were found in this step and may be followed.
    fresh: bool,
    slots: [Slot; 2],
    count: usize,
}

/// A contact and what is remembered of it.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    contact: Contact,
    slip: f32,
    /// Displacement impulse along the normal, kg·m.
    pushed: f32,
    eased: Vec2,
}

/// A contact of this sub-step: where its slot is, and the speed at which it is to part.
#[derive(Clone, Copy, Debug)]
struct Active {
    pair: usize,
    slot: usize,
    bounce: f32,
}

impl Pair {
    /// The same with the numbers that pieces and points have now; `None` if either piece is gone.
    fn renumbered(self, by: &Renumbering) -> Option<Self> {
        let pieces = (by.piece(self.pieces.0)?, by.piece(self.pieces.1)?);
        let mut slots = self.slots;
        for slot in &mut slots[..self.count] {
            slot.contact = slot.contact.renumbered(by)?;
        }
        Some(Self { pieces, slots, ..self })
    }

    /// Replaces the contacts by those found now; the same ones keep their memory.
    fn replace(&mut self, found: &[Contact]) {
        let old = *self;
        self.count = found.len();
        for (slot, contact) in self.slots.iter_mut().zip(found) {
            let known = old.slots[..old.count].iter().find(|s| s.contact.key() == contact.key());
            *slot = Slot { contact: *contact, ..known.copied().unwrap_or_default() };
        }
    }
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        self.active.clear();
        let pairs = std::mem::take(&mut self.pairs);
        self.pairs.extend(pairs.into_iter().filter_map(|pair| pair.renumbered(by)));
    }

    /// Takes over a new list of pairs, keeping what is known of those that were there before.
    pub(super) fn begin_step(&mut self, pairs: &[(u32, u32)]) {
        std::mem::swap(&mut self.pairs, &mut self.before);
        self.pairs.clear();
        // Both lists ascend.
        let mut before = self.before.iter().peekable();
        self.pairs.extend(pairs.iter().map(|&pieces| {
            while before.next_if(|old| old.pieces < pieces).is_some() {}
            let known = before.next_if(|old| old.pieces == pieces).copied();
            Pair { pieces, fresh: false, ..known.unwrap_or_default() }
        }));
    }

    /// Finds the contacts of this sub-step of `h` seconds in a step of `dt` seconds.
    pub(super) fn find(&mut self, cx: &mut StepCx<'_>, h: f32) {
        let StepCx { model, state, collision, dt, .. } = cx;
        let travel = |point: u32| h * state.velocity[point as usize];
        for pair in &mut self.pairs {
            if pair.fresh {
                for slot in &mut pair.slots[..pair.count] {
                    let radii = slot.contact.pieces.map(|piece| model.pieces[piece as usize].radius);
                    slot.contact = slot.contact.moved_to(&state.position, radii[0] + radii[1]);
                }
            } else {
                let found = collision.meet(model, &state.position, travel, pair.pieces, MARGIN);
                pair.replace(&found);
                let velocity = |point: u32| state.velocity[point as usize];
                let speed = Collision::relative_travel(model, velocity, pair.pieces);
                pair.fresh = *dt * speed < 0.5 * MARGIN;
            }
        }
    }

    /// Adds a normal row and a friction row for each contact.
    pub(super) fn add_rows(
        &mut self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        rows: &mut Rows,
        h: f32,
    ) {
        self.first_row = rows.len();
        self.active.clear();
        self.impact = false;
        self.deep = false;
        for (index, pair) in self.pairs.iter().enumerate() {
            for (k, slot) in pair.slots[..pair.count].iter().enumerate() {
                let contact = &slot.contact;
                let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
                let places = contact.places(&state.position, pieces.map(|piece| piece.radius));
                let [a, b] = pieces.map(|piece| &model.bodies[piece.body as usize].material);
                let (friction, restitution) = Material::mix(a, b);
                let [first, second] = contact.edge;
                let sides = [
                    (pieces[0].body, Anchor::at_point(contact.vertex), 1.0),
                    (pieces[1].body, Anchor::between(first, second, contact.t), -1.0),
                ];
                let row = rows.len();
                let normal = (contact.normal, -contact.depth, Bound::Push { h, back: 0.0 });
                let rubbing = Bound::Friction { friction, normal: row };
                for (direction, error, bound) in
                    [normal, (left(contact.normal), slot.slip, rubbing)]
                {
                    rows.begin();
                    for ((body, anchor, sign), place) in sides.iter().zip(places) {
                        rows.side(nodes, model, *body, anchor, place, *sign * direction);
                    }
                    rows.end(nodes, error, bound);
                }
                let speed = rows.speed(row, nodes);
                self.impact |= speed < -BOUNCE_SPEED && -speed * h > -contact.depth;
                self.deep |= contact.depth > PUSH_OUT_SPEED * h;
                let bounce = if speed < -BOUNCE_SPEED { -restitution * speed } else { 0.0 };
                self.active.push(Active { pair: index, slot: k, bounce });
            }
        }
    }

    /// The number of rows before those of contacts.
    pub(super) fn first_row(&self) -> usize {
        self.first_row
    }

    /// The speed at which the contact of a row is to part; 0 for rows of joints.
    pub(super) fn bounce(&self, row: usize) -> f32 {
        row.checked_sub(self.first_row).map_or(0.0, |offset| self.active[offset / 2].bounce)
    }

    /// Whether bodies meet in this sub-step, faster than [`BOUNCE_SPEED`].
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// Whether bodies overlap by more than what may leave in this sub-step.
    pub(super) fn any_deep(&self) -> bool {
        self.deep
    }

    pub(super) fn any_bounces(&self) -> bool {
        self.active.iter().any(|active| active.bounce > 0.0)
    }

    /// Takes the arms of the contact rows anew, where the sub-step has brought them: a contact stays
    /// under its vertex, which for a disc is its centre. Staying on the surfaces it would lag behind
    /// what rolls, and brake it.
    pub(super) fn follow(&self, model: &Model, state: &State, rows: &mut Rows, nodes: &Nodes) {
        for (k, active) in self.active.iter().enumerate() {
            let contact = &self.pairs[active.pair].slots[active.slot].contact;
            if contact.lies_ahead() {
                continue;
            }
            let vertex = contact.vertex;
            let node = nodes.of_point(model, vertex);
            let (center, travel) = (nodes[node].center, nodes.travel(node));
            let arm = state.position[vertex as usize] - center;
            let by = travel.linear + cross_sv(travel.angular, arm);
            for row in [2 * k, 2 * k + 1] {
                rows.follow_by(self.first_row + row, by, nodes);
            }
        }
    }

    /// Starts the displacement impulses of contacts between a heavy and a light body from a part of those
    /// of the sub-step before. One round alone hands on to the heavy one only its share of the overlap,
    /// as small as the ratio of the masses, and it sinks for ever. Of alike bodies nothing is carried
    /// over: what their rounds left undone would come back as shaking, and with all of it they explode.
    pub(super) fn warm_start(&self, rows: &mut Rows, nodes: &mut Nodes) {
        /// The most that is carried over.
        const MOST: f32 = 0.5;
        /// The ratio of masses at which half of that is.
        const HALF_AT: f32 = 50.0;
        for (k, active) in self.active.iter().enumerate() {
            let row = self.first_row + 2 * k;
            let Slot { pushed, .. } = self.pairs[active.pair].slots[active.slot];
            let ratio = rows.mass_ratio(row, nodes);
            rows.push(row, MOST * ratio / (ratio + HALF_AT) * pushed, nodes);
        }
    }

    /// Starts the velocity stage of pressed contacts from what it gave them before.
    pub(super) fn ease(&self, rows: &mut Rows, nodes: &mut Nodes) {
        for (k, active) in self.active.iter().enumerate() {
            let row = self.first_row + 2 * k;
            if rows.impulse(row) > 0.0 {
                let Slot { eased, .. } = self.pairs[active.pair].slots[active.slot];
                rows.ease(row, eased.x, nodes);
                rows.ease(row + 1, eased.y, nodes);
            }
        }
    }

    /// Notes what surfaces slipped and what the velocity stage gave.
    pub(super) fn remember(&mut self, rows: &Rows, nodes: &Nodes) {
        for (k, active) in self.active.iter().enumerate() {
            let row = self.first_row + 2 * k;
            let slot = &mut self.pairs[active.pair].slots[active.slot];
            let pressed = rows.impulse(row) > 0.0;
            // A contact at rest may go unpressed for a sub-step; it has not let go for that.
            slot.slip = if pressed {
                rows.slip(row + 1, nodes)
            } else if slot.contact.depth > -TOUCHING {
                rows.error_now(row + 1, nodes)
            } else {
                0.0
            };
            slot.pushed = rows.impulse(row);
            let eased = Vec2::new(rows.eased(row), rows.eased(row + 1));
            slot.eased = if pressed { eased } else { Vec2::ZERO };
        }
    }

    /// Writes the contacts that touch.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        let slots = self.pairs.iter().flat_map(|pair| &pair.slots[..pair.count]);
        contacts.extend(slots.map(|slot| slot.contact).filter(|contact| contact.depth >= 0.0));
    }
}
