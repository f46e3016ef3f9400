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
    /// What the pairs of `touches` are solved as, in their order.
    forms: Vec<Form>,
    bounces: Vec<Bounce>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    soft: Option<Softness>,
    /// The part of gravity that the rows of the last sub-step were solved for.
    kick: f32,
}

/// What the contacts of a pair are solved as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// They do not touch, and have not in this step.
    Apart,
    /// A manifold.
    Manifold(u32),
    /// Two rows for each contact, from this one on: for friction, for the normal.
    Rows(usize),
}

/// A contact that met fast, and is to part.
#[derive(Clone, Copy, Debug)]
struct Bounce {
    at: Place,
    /// The speed at which the bodies part if the contact is pressed, m/s.
    speed: f32,
}

/// Where a contact is solved.
#[derive(Clone, Copy, Debug)]
enum Place {
    Spot(Spot),
    /// The row of the normal.
    Row(usize),
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

    /// Takes over the pairs that were found for a step.
    pub(super) fn begin_step(&mut self, cx: &StepCx<'_>, nodes: &Nodes) {
        self.forms.clear();
        self.touches.begin_step(cx, nodes);
    }

    /// Goes on to another sub-step of `h` seconds, with which the last `left` seconds of the step begin.
    /// Manifolds whose bodies hardly move stay as they are. `rows` are those of the sub-step before.
    pub(super) fn go_on(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &Rows,
        h: f32,
        left: f32,
    ) {
        let astray = self.touches.may_miss_pairs(nodes, h);
        if astray {
            self.recall(rows, |_| true);
            if self.touches.find_missing(cx, nodes, h, left) {
                self.forms.clear();
            }
        }
        self.touches.choose_kept(cx, nodes);
        if !astray {
            self.recall(rows, |pair| !pair.is_kept());
        }
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
        let soft = Softness::new(HERTZ.min(0.25 / h), DAMPING_RATIO, h);
        self.soft = (cx.settings.response == Response::Soft).then_some(soft);
        self.first_row = rows.len();
        if !self.find(cx, nodes, rows, h) {
            rows.truncate(self.first_row);
            self.recall(rows, Pair::is_kept);
            self.touches.keep_none(cx, nodes);
            let pairs = self.touches.pairs().filter_map(|pair| ends(pair, rows));
            self.manifolds.arrange(pairs, nodes);
            let (touches, mut forming) = self.forming(h);
            for pair in touches.pairs_mut() {
                forming.form(pair, cx.model, &cx.state.position, nodes, rows);
            }
            self.impact = forming.impact;
        }
        self.manifolds.start(kick, nodes);
        for (form, pair) in self.forms.iter().zip(self.touches.pairs()) {
            if let Form::Rows(first) = *form {
                for (k, Known { memory, .. }) in pair.contacts().iter().enumerate() {
                    rows.start(first + 2 * k, kick * memory.x, nodes);
                    rows.start(first + 2 * k + 1, kick * memory.y, nodes);
                }
            }
        }
    }

    /// Finds the contacts of a sub-step and puts them where those of the one before were. Returns whether that
    /// has room for all of them.
    fn find(&mut self, cx: &mut StepCx<'_>, nodes: &Nodes, rows: &mut Rows, h: f32) -> bool {
        let fits = self.manifolds.are_of(nodes);
        let (touches, mut forming) = self.forming(h);
        forming.fits = fits;
        touches.find(cx, nodes, h, SAME_PLACE, |pair, model, positions| {
            forming.form(pair, model, positions, nodes, rows);
        });
        let Forming { fits, next, impact, .. } = forming;
        self.impact = impact;
        fits && next as usize == self.manifolds.len()
    }

    /// Begins to form the contacts of a sub-step of `h` seconds.
    fn forming(&mut self, h: f32) -> (&mut Touches<Vec2>, Forming<'_>) {
        let pushes = self.soft.map_or(Bound::Push { h, back: 0.0 }, Bound::Soft);
        let Self { touches, manifolds, forms, bounces, .. } = self;
        forms.resize(touches.len(), Form::Apart);
        bounces.clear();
        let forms = forms.iter_mut();
        let start =
            Forming { manifolds, forms, bounces, h, pushes, next: 0, fits: true, impact: false };
        (touches, start)
    }

    /// Writes into the memory of some pairs what their contacts have got in the last sub-step, scaled to the
    /// whole of gravity.
    fn recall(&mut self, rows: &Rows, of: impl Fn(&Pair<Vec2>) -> bool) {
        let Self { touches, manifolds, forms, kick, .. } = self;
        let pairs = touches.pairs_mut().zip(&*forms);
        for (pair, form) in pairs.filter(|(pair, _)| of(pair)) {
            for (k, known) in pair.contacts_mut().iter_mut().enumerate() {
                known.memory = form.impulse(k, manifolds, rows, *kick);
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

    /// Takes the gaps of springs anew, after bodies have moved, for what comes in this sub-step.
    pub(super) fn follow_springs(&mut self, nodes: &Nodes) {
        if self.soft.is_some() {
            self.manifolds.follow_gaps(nodes);
        }
    }

    /// Takes gaps anew, after bodies have moved, for the sub-step to come.
    pub(super) fn follow_gaps(&mut self, nodes: &Nodes) {
        if self.soft.is_none() {
            self.manifolds.follow_gaps(nodes);
        }
    }

    /// Scales what was solved for the part `kick` of gravity to the whole of it.
    pub(super) fn end_substep(&mut self, kick: f32) {
        self.kick = kick;
        self.manifolds.scale(1.0 / kick);
    }

    /// Keeps what the last sub-step gave for the next step, and lists the contacts that overlap or touch.
    pub(super) fn end_step(&mut self, rows: &Rows, list: &mut Vec<Contact>) {
        list.clear();
        let Self { touches, manifolds, forms, kick, .. } = self;
        for (pair, form) in touches.pairs_mut().zip(&*forms) {
            let kept = pair.is_kept();
            for (k, known) in pair.contacts_mut().iter_mut().enumerate() {
                known.memory = form.impulse(k, manifolds, rows, *kick);
                if let (true, Form::Manifold(manifold)) = (kept, *form) {
                    known.contact.depth = -manifolds.gap(Spot { manifold, point: k as u8 });
                }
                if known.contact.depth >= 0.0 {
                    list.push(known.contact);
                }
            }
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
        let Self { manifolds, bounces, .. } = self;
        for bounce in &*bounces {
            match bounce.at {
                Place::Spot(spot) => manifolds.follow(spot, nodes),
                Place::Row(row) => rows.follow(row, nodes),
            }
        }
        for _ in 0..ROUNDS {
            for Bounce { at, speed } in &*bounces {
                match *at {
                    Place::Spot(spot) if manifolds.impulse(spot).y > 0.0 => {
                        manifolds.steer(spot, *speed, nodes);
                    }
                    Place::Row(row) if rows.impulse(row) > 0.0 => rows.steer(row, *speed, nodes),
                    Place::Spot(_) | Place::Row(_) => {}
                }
            }
        }
    }
}

impl Form {
    /// What contact number `k` has got, along the surface and along the normal, scaled to the whole of gravity:
    /// rows were solved for the part `kick` of it.
    fn impulse(self, k: usize, manifolds: &Manifolds, rows: &Rows, kick: f32) -> Vec2 {
        match self {
            Self::Apart => Vec2::ZERO,
            Self::Manifold(manifold) => manifolds.impulse(Spot { manifold, point: k as u8 }),
            Self::Rows(first) => {
                let row = first + 2 * k;
                Vec2::new(rows.impulse(row), rows.impulse(row + 1)) / kick
            }
        }
    }
}

/// The contacts of a sub-step as they get their forms, pair by pair.
struct Forming<'a> {
    manifolds: &'a mut Manifolds,
    forms: std::slice::IterMut<'a, Form>,
    bounces: &'a mut Vec<Bounce>,
    /// Sub-step, s.
    h: f32,
    pushes: Bound,
    /// The number of the next manifold.
    next: u32,
    /// Whether each manifold so far is where there is room for it.
    fits: bool,
    impact: bool,
}

impl Forming<'_> {
    /// Puts the contacts of the next pair, unless they are kept, into a manifold or into rows.
    fn form(
        &mut self,
        pair: &mut Pair<Vec2>,
        model: &Model,
        positions: &[Vec2],
        nodes: &Nodes,
        rows: &mut Rows,
    ) {
        if !self.fits {
            return;
        }
        let Some(ends) = ends(pair, rows) else {
            let none = pair.contacts().is_empty();
            self.set(if none { Form::Apart } else { Form::Rows(rows.len()) });
            for Known { contact, .. } in pair.contacts() {
                let row = rows.len();
                let rubs = Bound::Friction { friction: pair.link.friction, normal: row + 1 };
                add_rows(model, positions, contact, [rubs, self.pushes], nodes, rows);
                self.note(&pair.link, Place::Row(row + 1), contact, rows.speed(row + 1, nodes));
            }
            return;
        };
        let manifold = self.next;
        self.fits = self.manifolds.is_between(manifold, ends);
        if !self.fits {
            return;
        }
        self.next += 1;
        let before = self.set(Form::Manifold(manifold));
        if pair.is_kept() {
            // Of two pairs between the same bodies one may have gone.
            self.fits = before == Form::Manifold(manifold);
            return;
        }
        let surface = Surface { normal: pair.normal(), friction: pair.link.friction };
        let mut points = [Point::default(); 2];
        for (k, Known { contact, memory, .. }) in pair.contacts().iter().enumerate() {
            let places = pair.places(contact, positions);
            points[k] = Point { places, gap: -contact.depth, start: *memory };
            let speed = nodes.meeting_speed(ends, places, surface.normal);
            self.note(&pair.link, Place::Spot(Spot { manifold, point: k as u8 }), contact, speed);
        }
        self.manifolds.put(manifold as usize, surface, &points[..pair.contacts().len()], nodes);
        pair.note_form();
    }

    /// Sets the form of the next pair. Returns the one that it had before.
    fn set(&mut self, form: Form) -> Form {
        self.forms.next().map_or(Form::Apart, |next| std::mem::replace(next, form))
    }

    /// Notes whether the bodies of a contact that move at this speed, m/s, meet within the sub-step.
    fn note(&mut self, link: &Link, at: Place, contact: &Contact, speed: f32) {
        if speed < -BOUNCE_SPEED && -speed * self.h > -contact.depth {
            self.impact = true;
            if link.restitution > 0.0 {
                self.bounces.push(Bounce { at, speed: -link.restitution * speed });
            }
        }
    }
}

/// The nodes of a pair that has a manifold: what touches, or did in this step, and gives way to nothing that is
/// solved together.
fn ends(pair: &Pair<Vec2>, rows: &Rows) -> Option<[u32; 2]> {
    let gives_way = |nodes: &[u32; 2]| nodes.iter().any(|&node| rows.gives_way(node));
    pair.link.nodes.filter(|nodes| pair.is_touching() && !gives_way(nodes))
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
