//! Contacts of `pbd`, and what each remembers: how far its surfaces have slipped since they stuck, and
//! what the velocity stage gave it.

use crate::collision::Contact;
use crate::math::{Mapped, Vec2, cross_sv, left};
use crate::solver::StepCx;
use crate::solver::common::{BOUNCE_SPEED, PUSH_OUT_SPEED};
use crate::solver::nodes::Nodes;
use crate::solver::rows::{Bound, Rows};
use crate::solver::touches::{Encounter, Known, Touches};
use crate::world::{Anchor, Model, Renumbering, State};

/// A gap that still counts as touching for what stuck, m.
const TOUCHING: f32 = 1e-4;

/// The contacts of a step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    touches: Touches<Memory>,
    /// The speed at which each is to part, m/s, in the order of their rows.
    bounces: Vec<f32>,
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
    eased: Vec2,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        self.touches.renumber(by);
    }

    /// What touches, or may.
    pub(super) fn touches(&mut self) -> &mut Touches<Memory> {
        &mut self.touches
    }

    /// Finds the contacts of this sub-step of `h` seconds. One whose features have changed starts anew:
    /// what slipped did so at another place.
    pub(super) fn find(&mut self, cx: &mut StepCx<'_>, nodes: &Nodes, h: f32) {
        self.touches.find(cx, nodes, h, 0.0, |_, _| {});
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
        self.bounces.clear();
        self.impact = false;
        self.deep = false;
        for encounter in self.touches.touching() {
            let Encounter { friction, restitution, .. } = *encounter;
            for Known { contact, memory, .. } in encounter.contacts() {
                let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
                let places = contact.places(&state.position, pieces.mapped(|piece| piece.radius));
                let [first, second] = contact.edge;
                let sides = [
                    (pieces[0].body, Anchor::at_point(contact.vertex), 1.0),
                    (pieces[1].body, Anchor::between(first, second, contact.t), -1.0),
                ];
                let row = rows.len();
                let normal = (contact.normal, -contact.depth, Bound::Push { h, back: 0.0 });
                let rubbing = Bound::Friction { friction, normal: row };
                for (direction, error, bound) in
                    [normal, (left(contact.normal), memory.slip, rubbing)]
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
                self.bounces.push(bounce);
            }
        }
    }

    /// The speed at which the contact of a row is to part; 0 for rows of joints.
    pub(super) fn bounce(&self, row: usize) -> f32 {
        row.checked_sub(self.first_row).map_or(0.0, |offset| self.bounces[offset / 2])
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
        self.bounces.iter().any(|bounce| *bounce > 0.0)
    }

    /// Takes the arms of the contact rows anew, where the sub-step has brought them: a contact stays
    /// under its vertex, which for a disc is its centre. Staying on the surfaces it would lag behind
    /// what rolls, and brake it.
    pub(super) fn follow(&self, model: &Model, state: &State, rows: &mut Rows, nodes: &Nodes) {
        for (k, Known { contact, .. }) in self.touches.contacts().enumerate() {
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
        for (k, Known { memory: Memory { pushed, .. }, .. }) in self.touches.contacts().enumerate()
        {
            let row = self.first_row + 2 * k;
            let ratio = rows.mass_ratio(row, nodes);
            rows.push(row, MOST * ratio / (ratio + HALF_AT) * *pushed, nodes);
        }
    }

    /// Starts the velocity stage of pressed contacts from what it gave them before.
    pub(super) fn ease(&self, rows: &mut Rows, nodes: &mut Nodes) {
        for (k, Known { memory: Memory { eased, .. }, .. }) in self.touches.contacts().enumerate() {
            let row = self.first_row + 2 * k;
            if rows.impulse(row) > 0.0 {
                rows.ease(row, eased.x, nodes);
                rows.ease(row + 1, eased.y, nodes);
            }
        }
    }

    /// Notes what surfaces slipped and what the velocity stage gave.
    pub(super) fn remember(&mut self, rows: &Rows, nodes: &Nodes) {
        for (k, Known { contact, memory, .. }) in self.touches.contacts_mut().enumerate() {
            let row = self.first_row + 2 * k;
            let pressed = rows.impulse(row) > 0.0;
            // A contact at rest may go unpressed for a sub-step; it has not let go for that.
            memory.slip = if pressed {
                rows.slip(row + 1, nodes)
            } else if contact.depth > -TOUCHING {
                rows.error_now(row + 1, nodes)
            } else {
                0.0
            };
            memory.pushed = rows.impulse(row);
            let eased = Vec2::new(rows.eased(row), rows.eased(row + 1));
            memory.eased = if pressed { eased } else { Vec2::ZERO };
        }
    }

    /// Writes the contacts that touch.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        self.touches.list(contacts, |_, encounter| encounter.depths());
    }
}
