//! Contacts of `impulse`: each is part of a manifold where both bodies move as blocks, and a pair of rows
//! where not. What they gave in one sub-step they start from in the next.

use std::ops::Range;

use crate::collision::Contact;
use crate::math::{Vec2, left};
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Point, Put, Quads, Spot, Surface, Tie};
use crate::solver::rows::{Bound, Rows, Softness};
use crate::solver::touches::{Known, Link, PART, Pair, Touches};
use crate::threads::Threads;
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
    /// What the pairs of `touches` are solved as, in their order.
    forms: Vec<Form>,
    /// The pair of each manifold.
    formed: Vec<u32>,
    /// Whether any of them are not kept.
    anew: bool,
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
        self.touches.begin_step(cx, nodes);
    }

    /// Goes on to another sub-step of `h` seconds, with which the last `left` seconds of the step begin.
    /// Manifolds whose bodies hardly move stay as they are. `rows` are those of the sub-step before.
    pub(super) fn go_on(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &Rows,
        quads: &Quads,
        h: f32,
        left: f32,
    ) {
        let astray = self.touches.may_miss_pairs(nodes, h, cx.threads);
        if astray {
            self.recall(rows, quads, cx.threads, |_| true);
            if self.touches.find_missing(cx, nodes, h, left) {
                self.forms.clear();
            }
        }
        self.touches.choose_kept(cx, nodes);
        if !astray {
            self.recall(rows, quads, cx.threads, |pair| !pair.is_kept());
        }
    }

    /// Finds the contacts of a sub-step of `h` seconds, and makes room for hinges as well.
    pub(super) fn add(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &mut Rows,
        quads: &mut Quads,
        hinges: &[Tie],
        h: f32,
    ) {
        let soft = Softness::new(HERTZ.min(0.25 / h), DAMPING_RATIO, h);
        self.soft = (cx.settings.response == Response::Soft).then_some(soft);
        self.first_row = rows.len();
        self.touches.find(cx, nodes, h, SAME_PLACE);
        self.forms.resize(self.touches.len(), Form::Apart);
        let fits = quads.are_of(nodes)
            && (self.stays(rows, quads, cx.threads) || self.sort(cx, nodes, rows, quads, h));
        if !fits {
            rows.truncate(self.first_row);
            self.recall(rows, quads, cx.threads, Pair::is_kept);
            self.touches.keep_none(cx, nodes);
            let pairs = self.touches.pairs().iter().filter_map(|pair| ends(pair, rows));
            quads.arrange(hinges, pairs, nodes);
            self.sort(cx, nodes, rows, quads, h);
        }
        self.impact = self.anew && self.form(cx, nodes, quads, h);
        self.bounces.clear();
        if self.impact || rows.len() > self.first_row {
            self.note_bounces(&cx.state.position, nodes, rows, h);
        }
    }

    /// Starts contacts from the part `kick` of their impulses.
    pub(super) fn start(
        &self,
        kick: f32,
        threads: &Threads,
        rows: &mut Rows,
        quads: &mut Quads,
        nodes: &mut Nodes,
    ) {
        quads.start_manifolds(kick, threads, nodes);
        let any = rows.len() > self.first_row;
        for (form, pair) in self.forms.iter().zip(self.touches.pairs()).filter(|_| any) {
            if let Form::Rows(first) = *form {
                for (k, Known { memory, .. }) in pair.contacts().iter().enumerate() {
                    rows.start(first + 2 * k, kick * memory.x, nodes);
                    rows.start(first + 2 * k + 1, kick * memory.y, nodes);
                }
            }
        }
    }

    /// Whether each pair has the form that it had before, and none has rows. What is not kept is to be put into
    /// its manifold anew.
    fn stays(&mut self, rows: &Rows, quads: &Quads, threads: &Threads) -> bool {
        type Part<'a> = ((&'a [Pair<Vec2>], &'a [Form]), Range<usize>);
        let Self { touches, forms, formed, .. } = self;
        // The number of manifolds, and whether any is not kept.
        let look = |((pairs, forms), numbers): Part<'_>| {
            let (mut count, mut anew) = (0, false);
            for ((pair, form), number) in pairs.iter().zip(forms).zip(numbers) {
                match (ends(pair, rows), *form) {
                    (None, Form::Apart) if pair.contacts().is_empty() => {}
                    (Some(ends), Form::Manifold(manifold))
                        if formed.get(manifold as usize) == Some(&(number as u32))
                            && quads.is_between(manifold, ends) =>
                    {
                        count += 1;
                        anew |= !pair.is_kept();
                    }
                    _ => return None,
                }
            }
            Some((count, anew))
        };
        let numbers = 0..forms.len();
        let all = ((touches.pairs(), &forms[..]), numbers);
        let both = |a: Option<(usize, bool)>, b: Option<(usize, bool)>| {
            let ((of_a, anew_a), (of_b, anew_b)) = (a?, b?);
            Some((of_a + of_b, anew_a || anew_b))
        };
        let Some((count, anew)) = threads.parts(all, PART, &look, &both) else { return false };
        if count != quads.manifolds() {
            return false;
        }
        self.anew = anew;
        if anew {
            let all = (self.touches.pairs_mut(), &self.forms[..]);
            threads.each(all, PART, |(pairs, forms): (&mut [Pair<Vec2>], &[Form])| {
                for (pair, form) in pairs.iter_mut().zip(forms) {
                    if matches!(form, Form::Manifold(_)) && !pair.is_kept() {
                        pair.note_form();
                    }
                }
            });
        }
        true
    }

    /// Tells what the contacts of each pair are solved as, and adds the rows of those that are rows. Returns
    /// whether each manifold is where there is room for it, and there is room for no other.
    fn sort(
        &mut self,
        cx: &StepCx<'_>,
        nodes: &Nodes,
        rows: &mut Rows,
        quads: &Quads,
        h: f32,
    ) -> bool {
        let (model, positions) = (cx.model, &cx.state.position);
        let pushes = self.soft.map_or(Bound::Push { h, back: 0.0 }, Bound::Soft);
        let Self { touches, forms, formed, anew, .. } = self;
        formed.clear();
        *anew = false;
        for (number, (pair, form)) in (0..).zip(touches.pairs_mut().iter_mut().zip(forms)) {
            if let Some(ends) = ends(pair, rows) {
                let manifold = formed.len() as u32;
                // Of two pairs between the same bodies one may have gone.
                let moved = pair.is_kept() && *form != Form::Manifold(manifold);
                if moved || !quads.is_between(manifold, ends) {
                    return false;
                }
                *form = Form::Manifold(manifold);
                formed.push(number);
                if !pair.is_kept() {
                    pair.note_form();
                    *anew = true;
                }
                continue;
            }
            let none = pair.contacts().is_empty();
            *form = if none { Form::Apart } else { Form::Rows(rows.len()) };
            for Known { contact, .. } in pair.contacts() {
                let normal = rows.len() + 1;
                let rubs = Bound::Friction { friction: pair.link.friction, normal };
                add_rows(model, positions, contact, [rubs, pushes], nodes, rows);
            }
        }
        formed.len() == quads.manifolds()
    }

    /// Puts the contacts of all pairs that have a manifold, and are not kept, into it. Returns whether bodies
    /// meet there.
    fn form(&self, cx: &StepCx<'_>, nodes: &Nodes, quads: &mut Quads, h: f32) -> bool {
        let positions = &cx.state.position;
        let Self { touches, formed, .. } = self;
        let pairs = touches.pairs();
        quads.put_manifolds(cx.threads, nodes, |manifold| {
            let pair = &pairs[formed[manifold as usize] as usize];
            (!pair.is_kept()).then(|| {
                let normal = pair.normal();
                let mut put = Put {
                    surface: Surface { normal, friction: pair.link.friction },
                    points: [Point::default(); 2],
                    count: pair.contacts().len(),
                    meets: false,
                };
                for (point, known) in put.points.iter_mut().zip(pair.contacts()) {
                    let Known { contact, memory, .. } = known;
                    let places = pair.places(contact, positions);
                    *point = Point { places, gap: -contact.depth, start: *memory };
                    let speed =
                        pair.link.nodes.map(|ends| nodes.meeting_speed(ends, places, normal));
                    put.meets |= speed.is_some_and(|speed| meets(speed, contact, h));
                }
                put
            })
        })
    }

    /// Notes which contacts meet fast, in the order of pairs.
    fn note_bounces(&mut self, positions: &[Vec2], nodes: &Nodes, rows: &Rows, h: f32) {
        let Self { touches, forms, bounces, impact, .. } = self;
        for (pair, form) in touches.pairs().iter().zip(&*forms) {
            let Link { nodes: ends, restitution, .. } = pair.link;
            let idle = pair.is_kept() || restitution == 0.0;
            if idle && !matches!(form, Form::Rows(_)) {
                continue;
            }
            for (k, Known { contact, .. }) in pair.contacts().iter().enumerate() {
                let (at, speed) = match (*form, ends) {
                    (Form::Manifold(manifold), Some(ends)) => {
                        let places = pair.places(contact, positions);
                        let speed = nodes.meeting_speed(ends, places, pair.normal());
                        (Place::Spot(Spot { manifold, point: k as u8 }), speed)
                    }
                    (Form::Rows(first), _) => {
                        let row = first + 2 * k + 1;
                        (Place::Row(row), rows.speed(row, nodes))
                    }
                    _ => continue,
                };
                if meets(speed, contact, h) {
                    *impact = true;
                    if restitution > 0.0 {
                        bounces.push(Bounce { at, speed: -restitution * speed });
                    }
                }
            }
        }
    }

    /// Writes into the memory of some pairs what their contacts have got in the last sub-step, scaled to the
    /// whole of gravity.
    fn recall(
        &mut self,
        rows: &Rows,
        quads: &Quads,
        threads: &Threads,
        of: impl Fn(&Pair<Vec2>) -> bool + Sync,
    ) {
        let Self { touches, forms, kick, .. } = self;
        let all = (touches.pairs_mut(), &forms[..]);
        threads.each(all, PART, |(pairs, forms): (&mut [Pair<Vec2>], &[Form])| {
            for (pair, form) in pairs.iter_mut().zip(forms).filter(|(pair, _)| of(pair)) {
                for (k, known) in pair.contacts_mut().iter_mut().enumerate() {
                    known.memory = form.impulse(k, quads, rows, *kick);
                }
            }
        });
    }

    /// Ends a sub-step in which all was solved for the part `kick` of gravity.
    pub(super) fn end_substep(&mut self, kick: f32) {
        self.kick = kick;
    }

    /// How contacts give way, if they are springs.
    pub(super) fn soft(&self) -> Option<Softness> {
        self.soft
    }

    /// Keeps what the last sub-step gave for the next step, and lists the contacts that overlap or touch.
    pub(super) fn end_step(
        &mut self,
        rows: &Rows,
        quads: &Quads,
        threads: &Threads,
        list: &mut Vec<Contact>,
    ) {
        let Self { touches, forms, kick, .. } = self;
        let all = (touches.pairs_mut(), &forms[..]);
        threads.each(all, PART, |(pairs, forms): (&mut [Pair<Vec2>], &[Form])| {
            for (pair, form) in pairs.iter_mut().zip(forms) {
                let kept = pair.is_kept();
                for (k, known) in pair.contacts_mut().iter_mut().enumerate() {
                    known.memory = form.impulse(k, quads, rows, *kick);
                    if let (true, Form::Manifold(manifold)) = (kept, *form) {
                        let spot = Spot { manifold, point: k as u8 };
                        known.contact.depth = -quads.gap(spot);
                    }
                }
            }
        });
        self.touches.list(list);
    }

    /// Parts what met fast, at the speed it is due.
    pub(super) fn restitute(&self, rows: &mut Rows, quads: &mut Quads, nodes: &mut Nodes) {
        /// Both corners of a box that lands flat must part alike.
        const ROUNDS: u32 = 8;
        let bounces = &self.bounces;
        for bounce in bounces {
            match bounce.at {
                Place::Spot(spot) => quads.follow(spot, nodes),
                Place::Row(row) => rows.follow(row, nodes),
            }
        }
        for _ in 0..ROUNDS {
            for Bounce { at, speed } in bounces {
                match *at {
                    Place::Spot(spot) if quads.impulse(spot).y > 0.0 => {
                        quads.steer(spot, *speed, nodes);
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
    fn impulse(self, k: usize, quads: &Quads, rows: &Rows, kick: f32) -> Vec2 {
        match self {
            Self::Apart => Vec2::ZERO,
            Self::Manifold(manifold) => quads.impulse(Spot { manifold, point: k as u8 }),
            Self::Rows(first) => {
                let row = first + 2 * k;
                Vec2::new(rows.impulse(row), rows.impulse(row + 1)) / kick
            }
        }
    }
}

/// Whether the bodies of a contact that move at this speed, m/s, meet within a sub-step of `h` seconds.
fn meets(speed: f32, contact: &Contact, h: f32) -> bool {
    speed < -BOUNCE_SPEED && -speed * h > -contact.depth
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
