//! Contacts of `impulse`: each is part of a manifold where both bodies move as blocks, and a pair of rows
//! where not. What they gave in one sub-step they start from in the next.

use crate::collision::Contact;
use crate::math::{Vec2, left};
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::manifolds::{Manifolds, Point, Spot, Surface};
use crate::solver::nodes::Nodes;
use crate::solver::rows::{Bound, Correction, Rows, Softness};
use crate::solver::touches::{Known, Link, Pair, Touches};
use crate::world::{Anchor, Model, Renumbering};

/// How fast a [`Response::Soft`] contact pushes overlap out: as a spring of this frequency, Hz, at most a
/// quarter of the rate of sub-steps, and this damping ratio. Box2D's values.
const HERTZ: f32 = 30.0;
const DAMPING_RATIO: f32 = 10.0;
/// A contact whose features have changed may take over impulses from within this distance, m.
const SAME_PLACE: f32 = 0.1;

/// The contacts of a sub-step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// With the impulses of the sub-step before: along the surface, along the normal.
    touches: Touches<Vec2>,
    manifolds: Manifolds,
    /// In the order of `touches`.
    active: Vec<Active>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    soft: Option<Softness>,
}

/// What a contact is solved as.
#[derive(Clone, Copy, Debug)]
enum Form {
    /// One of a manifold.
    Spot(Spot),
    /// Two rows: this one is for friction, the next for the normal.
    Row(usize),
}

/// A contact of this sub-step.
#[derive(Clone, Copy, Debug)]
struct Active {
    form: Form,
    /// Whether they meet in this sub-step, faster than [`BOUNCE_SPEED`].
    meets: bool,
    /// The speed at which the bodies are to part if the contact is pressed, m/s.
    bounce: f32,
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
    pub(super) fn touches(&mut self) -> &mut Touches<Vec2> {
        &mut self.touches
    }

    /// Whether bodies meet in this sub-step, faster than [`BOUNCE_SPEED`].
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// The number of rows before those of contacts.
    pub(super) fn first_row(&self) -> usize {
        self.first_row
    }

    /// Finds the contacts of a sub-step of `h` seconds and starts them from the part `kick` of their
    /// impulses.
    pub(super) fn add(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &mut Rows,
        h: f32,
        kick: f32,
    ) {
        self.touches.find(cx, nodes, h, SAME_PLACE);
        let soft = Softness::new(HERTZ.min(0.25 / h), DAMPING_RATIO, h);
        self.soft = (cx.settings.response == Response::Soft).then_some(soft);
        self.first_row = rows.len();
        self.active.clear();
        self.impact = false;
        let (model, positions) = (cx.model, &cx.state.position);
        let ends = |pair: &Pair<Vec2>, rows: &Rows| {
            pair.link.nodes.filter(|nodes| !nodes.iter().any(|&node| rows.gives_way(node)))
        };
        self.manifolds.arrange(self.touches.iter().filter_map(|pair| ends(pair, rows)), nodes);
        let pushes = self.soft.map_or(Bound::Push { h, back: 0.0 }, Bound::Soft);
        let Self { touches, manifolds, active, .. } = self;
        let mut next = 0;
        for pair in touches.iter() {
            let Link { friction, restitution, .. } = pair.link;
            let mut note = |form: Form, contact: &Contact, speed: f32| {
                let meets = speed < -BOUNCE_SPEED && -speed * h > -contact.depth;
                let bounce = if meets { -restitution * speed } else { 0.0 };
                active.push(Active { form, meets, bounce });
            };
            if let Some(ends) = ends(pair, rows) {
                let surface = Surface { normal: pair.normal(), friction };
                let mut points = [Point::default(); 2];
                for (k, Known { contact, memory, .. }) in pair.contacts().iter().enumerate() {
                    let places = pair.places(contact, positions);
                    points[k] = Point { places, gap: -contact.depth, start: *memory };
                    let speed = nodes.meeting_speed(ends, places, surface.normal);
                    note(Form::Spot(Spot { manifold: next, point: k as u8 }), contact, speed);
                }
                manifolds.put(next as usize, surface, &points[..pair.contacts().len()], nodes);
                next += 1;
            } else {
                for Known { contact, .. } in pair.contacts() {
                    let row = rows.len();
                    let rubs = Bound::Friction { friction, normal: row + 1 };
                    add_rows(model, positions, contact, [rubs, pushes], nodes, rows);
                    note(Form::Row(row), contact, rows.speed(row + 1, nodes));
                }
            }
        }
        self.impact = self.active.iter().any(|active| active.meets);
        self.manifolds.start(kick, nodes);
        for (active, known) in self.active.iter().zip(self.touches.contacts()) {
            if let Form::Row(row) = active.form {
                rows.start(row, kick * known.memory.x, nodes);
                rows.start(row + 1, kick * known.memory.y, nodes);
            }
        }
    }

    /// Some rounds over all manifolds. Overlap is pushed out at `most` m/s at most, if they are springs.
    pub(super) fn press(&mut self, rounds: u32, h: f32, most: f32, nodes: &mut Nodes) {
        match self.soft {
            Some(soft) => self.manifolds.press_softly(rounds, h, soft, most, nodes),
            None => self.manifolds.press(rounds, h, nodes),
        }
    }

    /// Some rounds that bring all manifolds to rest.
    pub(super) fn rest(&mut self, rounds: u32, h: f32, nodes: &mut Nodes) {
        self.manifolds.press(rounds, h, nodes);
    }

    /// Removes a part of the overlap beyond `slop`, m, from positions only.
    pub(super) fn correct_positions(&self, rounds: u32, correction: Correction, nodes: &mut Nodes) {
        self.manifolds.correct(rounds, correction, nodes);
    }

    /// Takes the gaps of springs anew, after bodies have moved.
    pub(super) fn follow_gaps(&mut self, nodes: &Nodes) {
        if self.soft.is_some() {
            self.manifolds.follow_gaps(nodes);
        }
    }

    /// Starts all manifolds once more, each from its impulses times `scale`.
    pub(super) fn restart(&mut self, scale: f32, nodes: &mut Nodes) {
        self.manifolds.start(scale, nodes);
    }

    /// Parts what met fast, at the speed it is due.
    pub(super) fn restitute(&mut self, rows: &mut Rows, nodes: &mut Nodes) {
        /// Both corners of a box that lands flat must part alike.
        const ROUNDS: u32 = 8;
        let Self { manifolds, active, .. } = self;
        let bouncing = || active.iter().filter(|active| active.bounce > 0.0);
        for active in bouncing() {
            match active.form {
                Form::Spot(spot) => manifolds.follow(spot, nodes),
                Form::Row(row) => rows.follow(row + 1, nodes),
            }
        }
        for _ in 0..ROUNDS {
            for Active { form, bounce, .. } in bouncing() {
                match *form {
                    Form::Spot(spot) if manifolds.impulse(spot).y > 0.0 => {
                        manifolds.steer(spot, *bounce, nodes);
                    }
                    Form::Row(row) if rows.impulse(row + 1) > 0.0 => {
                        rows.steer(row + 1, *bounce, nodes);
                    }
                    Form::Spot(_) | Form::Row(_) => {}
                }
            }
        }
    }

    /// Keeps this sub-step's impulses, times `scale`, for the next.
    pub(super) fn remember(&mut self, rows: &Rows, scale: f32) {
        let known = self.touches.contacts_mut();
        for (active, known) in self.active.iter().zip(known) {
            known.memory = scale
                * match active.form {
                    Form::Spot(spot) => self.manifolds.impulse(spot),
                    Form::Row(row) => Vec2::new(rows.impulse(row), rows.impulse(row + 1)),
                };
        }
    }

    /// Writes the contacts of the last sub-step that overlap or touch.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        self.touches.list(contacts);
    }
}

/// Adds the rows of a contact: friction, then the normal.
fn add_rows(
    model: &Model,
    positions: &[Vec2],
    contact: &Contact,
    bounds: [Bound; 2],
    nodes: &Nodes,
    rows: &mut Rows,
) {
    let [first, second] = contact.edge;
    let anchors = [Anchor::at_point(contact.vertex), Anchor::between(first, second, contact.t)];
    let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
    let places = contact.places(positions, pieces.map(|piece| piece.radius));
    for (direction, bound) in [left(contact.normal), contact.normal].into_iter().zip(bounds) {
        rows.begin();
        rows.side(nodes, model, pieces[0].body, &anchors[0], places[0], direction);
        rows.side(nodes, model, pieces[1].body, &anchors[1], places[1], -direction);
        rows.end(nodes, -contact.depth, bound);
    }
}
