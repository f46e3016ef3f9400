//! Contact rows, and what is remembered of contacts from one sub-step to the next.
//!
//! A contact that was there before starts from its old impulses. It is recognised by its features
//! (vertex and edge); where those have changed, as when a box rolls over a corner, the nearest
//! contact of the same pair that no other took stands in.

use crate::collision::Contact;
use crate::math::{Vec2, left};
use crate::scene::Material;
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::nodes::Nodes;
use crate::solver::rows::{Bound, Rows, Softness};
use crate::world::{Anchor, Renumbering};

/// Contacts are made this far before they touch, m, so that a stack does not lose and find them.
const MARGIN: f32 = 0.02;
/// How fast a [`Response::Soft`] contact pushes overlap out: as a spring of this frequency, Hz, at most a quarter of
/// the rate of sub-steps, and this damping ratio. Box2D's values.
const HERTZ: f32 = 30.0;
const DAMPING_RATIO: f32 = 10.0;
/// A contact whose features have changed may take over impulses from within this distance, m.
const SAME_PLACE: f32 = 0.1;

/// A contact of this sub-step.
#[derive(Clone, Copy, Debug)]
struct Active {
    contact: Contact,
    at: Vec2,
    /// Its friction row; the normal row follows.
    row: usize,
    /// The speed at which the bodies are to part if the contact is pressed, m/s.
    bounce: f32,
}

/// A contact of the sub-step before.
#[derive(Clone, Copy, Debug)]
struct Known {
    pair: (u32, u32),
    key: (u32, u32, u32),
    at: Vec2,
    normal: f32,
    tangent: f32,
    taken: bool,
}

/// The contacts of this sub-step and of the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactCache {
    active: Vec<Active>,
    /// In ascending order of pairs.
    known: Vec<Known>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
}

impl ContactCache {
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        let known = std::mem::take(&mut self.known);
        self.known.extend(known.into_iter().filter_map(|known| {
            let (pair, key) = (known.pair, known.key);
            Some(Known {
                pair: (by.piece(pair.0)?, by.piece(pair.1)?),
                key: (by.point(key.0)?, by.point(key.1)?, by.point(key.2)?),
                ..known
            })
        }));
    }

    /// Whether bodies meet in this sub-step, faster than [`BOUNCE_SPEED`].
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// The number of rows before those of contacts.
    pub(super) fn first_row(&self) -> usize {
        self.first_row
    }

    /// Finds contacts, adds their rows and warm starts them with the part `kick` of their impulses.
    pub(super) fn add_rows(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &mut Rows,
        h: f32,
        kick: f32,
    ) {
        self.first_row = rows.len();
        self.active.clear();
        self.impact = false;
        let (model, positions) = (cx.model, &cx.state.position);
        let pushes = match cx.settings.response {
            Response::Soft => Bound::Soft(Softness::new(HERTZ.min(0.25 / h), DAMPING_RATIO, h)),
            Response::Conserving | Response::Classic => Bound::Push { h, back: 0.0 },
        };
        for contact in cx.collision.foresee(model, cx.state, h, MARGIN) {
            let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
            let at = contact.position(positions, pieces[0].radius);
            let places = contact.places(positions, pieces.map(|piece| piece.radius));
            let [a, b] = pieces.map(|piece| &model.bodies[piece.body as usize].material);
            let (friction, restitution) = Material::mix(a, b);
            let row = rows.len();
            let sides = [
                (pieces[0].body, Anchor::at_point(contact.vertex), 1.0),
                (
                    pieces[1].body,
                    Anchor::between(contact.edge[0], contact.edge[1], contact.t),
                    -1.0,
                ),
            ];
            let bounds = [Bound::Friction { friction, normal: row + 1 }, pushes];
            for (direction, bound) in [left(contact.normal), contact.normal].into_iter().zip(bounds)
            {
                rows.begin();
                for ((body, anchor, sign), place) in sides.iter().zip(places) {
                    rows.side(nodes, model, *body, anchor, place, *sign * direction);
                }
                rows.end(nodes, -contact.depth, bound);
            }
            let speed = rows.speed(row + 1, nodes);
            let meets = speed < -BOUNCE_SPEED && -speed * h > -contact.depth;
            let bounce = if meets { -restitution * speed } else { 0.0 };
            self.impact |= meets;
            self.active.push(Active { contact: *contact, at, row, bounce });
        }
        self.warm_start(nodes, rows, kick);
    }

    fn warm_start(&mut self, nodes: &mut Nodes, rows: &mut Rows, scale: f32) {
        for index in 0..self.active.len() {
            let Active { contact, at, row, .. } = self.active[index];
            if let Some((normal, tangent)) = self.recall(&contact, at) {
                rows.start(row, scale * tangent, nodes);
                rows.start(row + 1, scale * normal, nodes);
            }
        }
    }

    /// The normal and tangent impulse of the same contact in the sub-step before.
    fn recall(&mut self, contact: &Contact, at: Vec2) -> Option<(f32, f32)> {
        let pair = pair_of(contact);
        let first = self.known.partition_point(|known| known.pair < pair);
        let same_pair = self.known[first..].iter_mut().take_while(|known| known.pair == pair);
        let best = same_pair
            .filter(|known| !known.taken)
            .map(|known| {
                let distance =
                    if known.key == contact.key() { -1.0 } else { at.distance(known.at) };
                (distance, known)
            })
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .filter(|(distance, _)| *distance < SAME_PLACE)?;
        best.1.taken = true;
        Some((best.1.normal, best.1.tangent))
    }

    /// Parts what met fast, at the speed it is due.
    pub(super) fn restitute(&self, rows: &mut Rows, nodes: &mut Nodes) {
        /// Both corners of a box that lands flat must part alike.
        const ROUNDS: u32 = 8;
        if self.active.iter().all(|active| active.bounce == 0.0) {
            return;
        }
        for active in self.active.iter().filter(|active| active.bounce > 0.0) {
            rows.follow(active.row + 1, nodes);
        }
        for _ in 0..ROUNDS {
            for active in self.active.iter().filter(|active| active.bounce > 0.0) {
                if rows.impulse(active.row + 1) > 0.0 {
                    rows.steer(active.row + 1, active.bounce, nodes);
                }
            }
        }
    }

    /// Keeps this sub-step's impulses, times `scale`, for the next.
    pub(super) fn remember(&mut self, rows: &Rows, scale: f32) {
        self.known.clear();
        self.known.extend(self.active.iter().map(|active| Known {
            pair: pair_of(&active.contact),
            key: active.contact.key(),
            at: active.at,
            normal: scale * rows.impulse(active.row + 1),
            tangent: scale * rows.impulse(active.row),
            taken: false,
        }));
    }

    /// Writes the contacts of the last sub-step that overlap or touch.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        let touching = self.active.iter().filter(|active| active.contact.depth >= 0.0);
        contacts.extend(touching.map(|active| active.contact));
    }
}

fn pair_of(contact: &Contact) -> (u32, u32) {
    let [a, b] = contact.pieces;
    (a.min(b), a.max(b))
}
