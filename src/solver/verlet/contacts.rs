//! Contacts: edge-SAT in every round, then the colliding vertex and the edge ends are displaced.
//!
//! With overlap `d` along the unit normal `n`, edge parameter `t` and inverse masses `w`:
//!
//! ```text
//! λ = d / (w_v + (1−t)²·w_1 + t²·w_2)
//! vertex += w_v·λ·n      end 1 −= (1−t)·w_1·λ·n      end 2 −= t·w_2·λ·n
//! ```
//!
//! What moves the one side is taken from the other: momentum is conserved, and so is angular
//! momentum because `t` is taken where the vertex was over the edge when the sub-step began, so
//! that both displacements lie on one line of the motion that velocities are made of.
//!
//! The overlap has two parts. What the bodies closed in this sub-step is undone. What was there
//! before (a level that starts overlapped, sag that is left over) is pushed out, at most at
//! [`PUSH_OUT_SPEED`]; the velocity stage (`blocks.rs`) takes that speed away again. Together they
//! say how far the vertex may close in the sub-step, and λ, summed over rounds and never below
//! zero, is what holds it there: a displacement is given back in a later round if another
//! constraint has parted the bodies meanwhile, and repeated if another has pushed them together.
//!
//! *Friction* removes the sideways motion of the sub-step, up to `μ` times the normal displacement
//! impulse, and with it the slip that earlier sub-steps left over since the surfaces last stuck.
//! Without that memory every sub-step forgets a little slip, the order of the sweep gives it a
//! direction, and piles creep and shake. On a round surface friction takes hold of the points that
//! carry the surface, so that balls roll.
//!
//! *Who is apart stays apart for a while*: where edge-SAT finds a gap, the pair is tested again only when its points
//! may have come that far towards each other. (What neighbour lists with a skin are for molecules: Verlet, “Computer
//! ‘Experiments’ on Classical Fluids”, 1967, sect. II.)
//!
//! *Who lies edge on edge does so for a while*: the two contacts of rigid bodies follow their vertices and edges, and
//! are found anew only when the bodies may have come [`STEADY`] towards each other.

use crate::collision::{Collision, Contact, Touch};
use crate::math::{Vec2, left};
use crate::scene::Material;
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::common::{self, BOUNCE_SPEED};
use crate::solver::verlet::Moves;
use crate::world::{Anchor, Model, Piece, Renumbering};

/// Overlap that was there before a sub-step leaves at most this fast, m/s. Box2D's value: fast
/// enough to part a heap within a second, slow enough not to look like an explosion.
const PUSH_OUT_SPEED: f32 = 3.0;

/// Contacts of rigid bodies follow their features until sub-steps have brought their bodies so far towards each other,
/// m, and are known before they touch from as far off.
const STEADY: f32 = 1e-3;

/// Gaps may be less than they were found to be by the rounding of positions far from the origin, m.
const BLUR: f32 = 1e-4;

/// The depth of a contact of the last sub-step that has not been looked at in this one.
const UNSEEN: f32 = f32::NEG_INFINITY;

/// Where the contacts of a pair are that does not touch.
const NONE: u32 = u32::MAX;

/// The contacts of a sub-step, and what of them is remembered from the one before.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    pairs: Vec<(u32, u32)>,
    /// How near the pieces of each pair are.
    near: Vec<Near>,
    pairs_before: Vec<(u32, u32)>,
    near_before: Vec<Near>,
    /// What the contacts of pairs that touch have done so far, and which places in this list are free.
    touched: Vec<Touched>,
    free: Vec<u32>,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    /// Whether a soft body is squeezed against something.
    squeeze: bool,
}

/// How near the pieces of a pair are.
#[derive(Clone, Copy, Debug)]
struct Near {
    /// How far they were from each other, at least, when the sub-step began, m.
    gap: f32,
    /// Where their contacts are; [`NONE`] if they do not touch.
    place: u32,
}

/// The contacts of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Touched {
    slots: [Slot; 2],
    count: u32,
    /// How far sub-steps may bring the bodies towards each other before these are found anew, m. Where the rounds of a
    /// sub-step have points meanwhile does not matter.
    steady: f32,
}

/// One contact over the rounds of a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slot {
    pub(super) contact: Contact,
    /// Whether it has touched in this sub-step.
    found: bool,
    /// Where on the edge the vertex was when the sub-step began.
    t: f32,
    /// Inverse mass of the whole contact along the normal, 1/kg.
    mobility: f32,
    /// How far the surfaces have slipped since they stuck, up to this sub-step, m.
    slip: f32,
    /// How far the bodies may close in this sub-step, m: the gap there was when it began, or, where
    /// they overlapped, less than nothing.
    allowed: f32,
    /// Displacement impulse along the normal, kg·m; never negative.
    pub(super) normal: f32,
    /// Displacement impulse along the tangent, kg·m.
    pub(super) tangent: f32,
    /// The speed at which the bodies are to part, m/s; 0 for a contact that does not bounce.
    pub(super) bounce: f32,
    /// Coefficient of friction.
    pub(super) friction: f32,
    /// Impulses of the velocity stage along normal and tangent, N·s: where the next one starts.
    pub(super) eased: Vec2,
}

/// What is to be seen where the points of two pieces are now.
enum Look {
    /// Nothing that is new.
    Nothing,
    /// The contacts of before.
    Known,
    /// What touches, or will if rigid bodies come by [`STEADY`].
    Tested(Touch),
    /// What has touched on the way.
    Swept(Touch),
}

impl Look {
    fn finds_nothing(&self) -> bool {
        match self {
            Self::Nothing => true,
            Self::Known => false,
            Self::Tested(found) | Self::Swept(found) => found.is_empty(),
        }
    }
}

impl Near {
    /// How far the pieces were surely from each other when the sub-step began, m.
    fn gap(&self) -> f32 {
        self.gap - BLUR
    }

    /// What pieces touch where their points are now and, so far as is `known`, have not touched before in this
    /// sub-step.
    fn look(
        &mut self,
        known: Option<&Touched>,
        cx: &StepCx<'_>,
        moves: &Moves,
        pair: (u32, u32),
    ) -> Look {
        // Who has met with a whole edge meets with no more of it in later rounds.
        if known
            .is_some_and(|touched| touched.slots().iter().filter(|slot| slot.found).count() == 2)
        {
            return Look::Nothing;
        }
        let (model, positions) = (cx.model, &cx.state.position);
        let way = way(model, moves, pair);
        // Nor do those who are farther from each other than they have come.
        if way < self.gap() {
            return Look::Nothing;
        }
        if cx.collision.may_miss(model, &moves.start, way, pair, 0.0) {
            return Look::Swept(cx.collision.arrive(model, [&moves.start, positions], pair));
        }
        if known.is_some_and(|touched| touched.steady > 0.0) {
            return Look::Known;
        }
        let margin = if are_rigid(model, [pair.0, pair.1]) { STEADY } else { 0.0 };
        let found = Collision::touch_or_gap(model, positions, pair, margin);
        if let Err(gap) = found {
            self.gap = gap - way;
        }
        Look::Tested(found.unwrap_or_default())
    }
}

impl Touched {
    /// Takes over the numbers that pieces and points have now; `None` if any is gone.
    fn renumber(&mut self, by: &Renumbering) -> Option<()> {
        for slot in self.slots_mut() {
            slot.contact = slot.contact.renumbered(by)?;
        }
        Some(())
    }

    fn slots(&self) -> &[Slot] {
        &self.slots[..self.count as usize]
    }

    /// The contacts that were pressed in this sub-step.
    pub(super) fn pressed(&self) -> impl Iterator<Item = &Slot> {
        self.slots().iter().filter(|slot| slot.normal > 0.0)
    }

    /// The same, to change them.
    pub(super) fn pressed_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots_mut().iter_mut().filter(|slot| slot.normal > 0.0)
    }

    fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots[..self.count as usize]
    }

    /// Keeps of each contact that was found in the last sub-step what the next one needs, and which those are that
    /// may be found again without a test.
    fn begin_substep(&mut self) {
        let old = *self;
        self.count = 0;
        for slot in old.slots().iter().filter(|slot| slot.found || old.steady > 0.0) {
            // Of one that was not found slip and impulses are 0.
            let Slot { contact, slip, eased, .. } = *slot;
            let contact = Contact { depth: UNSEEN, ..contact };
            self.slots[self.count as usize] = Slot { contact, slip, eased, ..Slot::default() };
            self.count += 1;
        }
    }

    /// Where one of the contacts that there are is kept. A third contact of a pair takes the place of one that is not
    /// among them.
    fn slot(&mut self, contact: &Contact, all: &[Contact]) -> &mut Contact {
        let count = self.slots().len();
        let place = |is: &dyn Fn(&Slot) -> bool| self.slots().iter().position(is);
        let known = place(&|slot| slot.contact.key() == contact.key());
        let gone = || place(&|slot| all.iter().all(|contact| contact.key() != slot.contact.key()));
        let free = || Some(count).filter(|count| *count < self.slots.len());
        let index = known.or_else(free).or_else(gone).unwrap_or(0);
        if known.is_none() {
            self.slots[index] = Slot::default();
            self.count = self.count.max(index as u32 + 1);
        }
        &mut self.slots[index].contact
    }

    /// Takes over what is to be seen at these positions.
    fn see(&mut self, look: &Look, model: &Model, positions: &[Vec2]) {
        match look {
            Look::Nothing => {}
            Look::Known => {
                let unseen = self.slots_mut().iter_mut().filter(|slot| !slot.found);
                unseen.for_each(|slot| slot.contact = slot.followed(model, positions));
            }
            Look::Tested(found) | Look::Swept(found) => {
                found.iter().for_each(|contact| *self.slot(contact, found) = *contact);
                self.steady = 0.0;
                let is_tested = matches!(look, Look::Tested(_));
                if is_tested && found.len() == 2 && are_rigid(model, found[0].pieces) {
                    self.steady = STEADY;
                }
            }
        }
    }
}

impl Contacts {
    /// Takes over a new list of pairs, keeping what is known of those that were there before; how far they are from
    /// each other only if they are where the last sub-step left them, `undisturbed`.
    pub(super) fn begin_step(&mut self, pairs: &[(u32, u32)], undisturbed: bool) {
        std::mem::swap(&mut self.pairs, &mut self.pairs_before);
        std::mem::swap(&mut self.near, &mut self.near_before);
        self.pairs.clear();
        self.pairs.extend_from_slice(pairs);
        self.near.clear();
        // Both lists ascend.
        let mut before = self.pairs_before.iter().zip(&self.near_before).peekable();
        for pair in pairs {
            while let Some((_, gone)) = before.next_if(|(old, _)| *old < pair) {
                release(gone.place, &mut self.free);
            }
            let old = before.next_if(|(old, _)| *old == pair).map(|(_, near)| *near);
            let mut near = old.unwrap_or(Near { gap: 0.0, place: NONE });
            if !undisturbed {
                near.gap = 0.0;
                if let Some(touched) = self.touched.get_mut(near.place as usize) {
                    touched.steady = 0.0;
                }
            }
            self.near.push(near);
        }
        before.for_each(|(_, gone)| release(gone.place, &mut self.free));
    }

    /// Whether there are any pairs.
    pub(super) fn any_pairs(&self) -> bool {
        !self.pairs.is_empty()
    }

    /// Forgets everything: the model has changed.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Gives what is known the numbers that pieces and points have now.
    pub(super) fn renumber(&mut self, by: &Renumbering) {
        let pairs = std::mem::take(&mut self.pairs);
        let near = std::mem::take(&mut self.near);
        for ((a, b), near) in pairs.into_iter().zip(near) {
            let touched = self.touched.get_mut(near.place as usize);
            let stays = touched.is_none_or(|touched| touched.renumber(by).is_some());
            match by.piece(a).zip(by.piece(b)).filter(|_| stays) {
                Some(pair) => {
                    self.pairs.push(pair);
                    self.near.push(near);
                }
                None => release(near.place, &mut self.free),
            }
        }
    }

    /// How far the pieces of a pair are surely from each other, m, by its place in the list.
    pub(super) fn gap(&self, pair: usize) -> f32 {
        self.near[pair].gap()
    }

    /// Clears the sums of the sub-step before.
    pub(super) fn begin_substep(&mut self) {
        for near in &mut self.near {
            if let Some(touched) = self.touched.get_mut(near.place as usize) {
                touched.begin_substep();
                if touched.count == 0 {
                    release(std::mem::replace(&mut near.place, NONE), &mut self.free);
                }
            }
        }
        self.impact = false;
        self.squeeze = false;
    }

    /// Whether bodies have met in this sub-step, faster than [`BOUNCE_SPEED`].
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// Whether springs alone bring a point of a soft body on what it touches faster than
    /// [`BOUNCE_SPEED`]: it carries many times its own weight.
    pub(super) fn any_squeeze(&self) -> bool {
        self.squeeze
    }

    /// One round: finds the contacts of each pair, if it `seeks` any, and displaces what overlaps.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>, h: f32, seeks: bool) {
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            let known = self.touched.get(near.place as usize);
            let look = if seeks { near.look(known, cx, moves, *pair) } else { Look::Nothing };
            if near.place == NONE {
                if look.finds_nothing() {
                    continue;
                }
                near.place = room(&mut self.touched, &mut self.free);
            }
            let touched = &mut self.touched[near.place as usize];
            touched.see(&look, cx.model, &cx.state.position);
            let least = if matches!(look, Look::Swept(_)) { f32::MIN } else { 0.0 };
            for slot in touched.slots_mut() {
                if !slot.found && slot.contact.depth >= least {
                    let meeting = slot.begin(moves, cx, h);
                    self.impact |= meeting.impact;
                    self.squeeze |= meeting.squeeze;
                }
            }
            for slot in touched.slots_mut().iter_mut().filter(|slot| slot.found) {
                let contact = slot.contact;
                let positions = &mut cx.state.position;
                let sides = Sides::new(cx.model, &contact, slot.t);
                match cx.settings.response {
                    Response::Conserving | Response::Soft => sides.separate(slot, moves, positions),
                    Response::Classic => {
                        sides.separate_classic(slot, moves, positions);
                        sides.rub(slot, moves, positions);
                    }
                }
            }
        }
    }

    /// Takes what pieces have come towards each other in this sub-step off the gaps between them, and off how far their
    /// contacts may be followed.
    pub(super) fn close_gaps(&mut self, model: &Model, moves: &Moves) {
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            let touched = self.touched.get_mut(near.place as usize);
            let steady = touched.map(|touched| &mut touched.steady).filter(|steady| **steady > 0.0);
            if near.gap > 0.0 || steady.is_some() {
                let way = way(model, moves, *pair);
                near.gap -= way;
                if let Some(steady) = steady {
                    *steady -= way;
                }
            }
        }
    }

    /// Adds the slip of this sub-step where surfaces stuck, and forgets it where they slid.
    pub(super) fn remember_slip(&mut self, moves: &Moves, model: &Model, positions: &[Vec2]) {
        self.each(|slot| {
            if slot.tangent.abs() < slot.friction * slot.normal {
                let contact = slot.contact;
                let sides = Sides::new(model, &contact, slot.t);
                slot.slip += sides.slid(moves, positions);
            } else {
                slot.slip = 0.0;
            }
        });
    }

    /// The contacts of all pairs that touch, with their places.
    pub(super) fn touched(&self) -> impl Iterator<Item = (u32, &Touched)> {
        self.near.iter().filter_map(|near| Some((near.place, self.at(near.place)?)))
    }

    /// The contacts at a place.
    pub(super) fn at(&self, place: u32) -> Option<&Touched> {
        self.touched.get(place as usize)
    }

    /// The same, to change them.
    pub(super) fn at_mut(&mut self, place: u32) -> Option<&mut Touched> {
        self.touched.get_mut(place as usize)
    }

    /// Writes the contacts of the last sub-step.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        contacts.extend(self.slots().filter(|slot| slot.found).map(|slot| slot.contact));
    }

    /// All contacts in the order of their pairs.
    fn slots(&self) -> impl Iterator<Item = &Slot> {
        self.touched().flat_map(|(_, touched)| touched.slots())
    }

    /// The same, to change each.
    pub(super) fn each(&mut self, mut change: impl FnMut(&mut Slot)) {
        for near in &self.near {
            if let Some(touched) = self.touched.get_mut(near.place as usize) {
                touched.slots_mut().iter_mut().for_each(&mut change);
            }
        }
    }
}

/// Makes a place free again.
fn release(place: u32, free: &mut Vec<u32>) {
    if place != NONE {
        free.push(place);
    }
}

/// A place for the contacts of a pair.
fn room(touched: &mut Vec<Touched>, free: &mut Vec<u32>) -> u32 {
    let place = free.pop().unwrap_or_else(|| {
        touched.push(Touched::default());
        touched.len() as u32 - 1
    });
    touched[place as usize] = Touched::default();
    place
}

/// Whether both of two pieces are of rigid bodies.
fn are_rigid(model: &Model, pieces: [u32; 2]) -> bool {
    let body = |piece: u32| &model.bodies[model.pieces[piece as usize].body as usize];
    pieces.into_iter().all(|piece| body(piece).is_rigid())
}

/// How far the points of two pieces have come towards each other in this sub-step, at most, m.
fn way(model: &Model, moves: &Moves, pair: (u32, u32)) -> f32 {
    Collision::relative_travel(model, |point| moves.delta[point as usize], pair)
}

/// What it means that a contact begins to touch.
struct Meeting {
    /// Whether bodies meet.
    impact: bool,
    /// Whether a soft body is squeezed.
    squeeze: bool,
}

impl Slot {
    /// Begins to touch in a sub-step of `h` seconds.
    fn begin(&mut self, moves: &Moves, cx: &StepCx<'_>, h: f32) -> Meeting {
        let contact = self.contact;
        self.found = true;
        self.t = at_start(&contact, &cx.state.position, moves);
        let sides = Sides::new(cx.model, &contact, self.t);
        let closed = sides.closed(moves);
        self.mobility = sides.mobility();
        let most = PUSH_OUT_SPEED.min(cx.recovery) * h;
        self.allowed = (closed - contact.depth).max(-most);
        let (friction, restitution) = mixed(cx.model, sides.pieces);
        self.friction = friction;
        let (meets, is_soft) = (closed > BOUNCE_SPEED * h, sides.any_soft());
        let speed = if meets && (restitution > 0.0 || is_soft) {
            common::approach_speed(cx.model, cx.state, &contact)
        } else {
            0.0
        };
        self.bounce = if speed > BOUNCE_SPEED { restitution * speed } else { 0.0 };
        Meeting {
            // What bounces well is for the velocity stage: more rounds here would share out the blow among all that
            // touch.
            impact: meets && restitution < 0.5,
            squeeze: meets && speed <= BOUNCE_SPEED && is_soft,
        }
    }

    /// The contact where its points are now.
    fn followed(&self, model: &Model, positions: &[Vec2]) -> Contact {
        let radii = self.contact.pieces.map(|piece| model.pieces[piece as usize].radius);
        self.contact.followed(positions, radii[0] + radii[1])
    }

    /// Adds what removes sideways motion of which there has been `slid`, up to `μ` times the normal displacement impulse,
    /// and returns it.
    fn rub(&mut self, slid: f32, mobility: f32) -> f32 {
        let (before, most) = (self.tangent, self.friction * self.normal);
        if mobility > 0.0 {
            self.tangent = (before - (slid + self.slip) / mobility).clamp(-most, most);
        }
        self.tangent - before
    }
}

/// Where on its edge a contact was when the sub-step began.
fn at_start(contact: &Contact, positions: &[Vec2], moves: &Moves) -> f32 {
    let [v, a, b] = points(contact);
    let along = positions[b] - positions[a];
    let travel = moves.delta[v] - moves.delta[a].lerp(moves.delta[b], contact.t);
    let slid = travel.dot(along) / along.length_squared().max(1e-12);
    if a == b { 0.0 } else { (contact.t - slid).clamp(0.0, 1.0) }
}

/// The two sides of a contact and their weights.
struct Sides<'a> {
    model: &'a Model,
    contact: &'a Contact,
    /// The pieces of the vertex and of the edge.
    pieces: [&'a Piece; 2],
    /// Inverse mass of the vertex and the edge ends.
    w: [f32; 3],
    /// Where on the edge the vertex was when the sub-step began.
    t: f32,
}

impl<'a> Sides<'a> {
    fn new(model: &'a Model, contact: &'a Contact, t: f32) -> Self {
        let w = points(contact).map(|i| model.inv_mass[i]);
        let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
        Self { model, contact, pieces, w, t }
    }

    /// Inverse mass of the whole contact along the normal, 1/kg.
    fn mobility(&self) -> f32 {
        let ([v, a, b], t) = (self.w, self.t);
        v + (1.0 - t).powi(2) * a + t * t * b
    }

    fn depth(&self, positions: &[Vec2]) -> f32 {
        self.contact.depth_at(positions, self.pieces[0].radius + self.pieces[1].radius)
    }

    /// How far the vertex has come from the edge in this sub-step.
    fn parted(&self, moves: &Moves) -> Vec2 {
        let [v, a, b] = points(self.contact);
        moves.delta[v] - moves.delta[a].lerp(moves.delta[b], self.t)
    }

    /// How far the vertex has come towards the edge along the normal in this sub-step.
    fn closed(&self, moves: &Moves) -> f32 {
        -self.parted(moves).dot(self.contact.normal)
    }

    /// Displaces vertex and edge by an impulse, weighted by inverse mass.
    fn push(&self, moves: &mut Moves, positions: &mut [Vec2], by: Vec2) {
        let shares = [self.w[0], -(1.0 - self.t) * self.w[1], -self.t * self.w[2]];
        for (i, share) in points(self.contact).into_iter().zip(shares) {
            moves.push(positions, i, share * by);
        }
    }

    /// Removes the overlap, and sideways motion as far as friction goes.
    fn separate(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        if slot.mobility == 0.0 {
            return;
        }
        let (before, parted) = (slot.normal, self.parted(moves));
        let normal = self.contact.normal;
        slot.normal = (before - (parted.dot(normal) + slot.allowed) / slot.mobility).max(0.0);
        let by = (slot.normal - before) * normal;
        if self.is_round() {
            self.push(moves, positions, by);
            self.rub(slot, moves, positions);
        } else {
            // What acts along the normal displaces nothing sideways.
            let rubbed = slot.rub(parted.dot(left(normal)), slot.mobility);
            self.push(moves, positions, by + rubbed * left(normal));
        }
    }

    /// Whether other points than vertex and edge carry any of the surfaces.
    fn is_round(&self) -> bool {
        self.pieces.iter().any(|piece| piece.frame.is_some())
    }

    /// Removes the overlap the classic way: half by the vertex, half by the edge whatever they
    /// weigh. Against something that cannot move, the other side goes the whole way.
    fn separate_classic(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        let depth = self.depth(positions);
        if depth <= 0.0 || slot.mobility == 0.0 {
            return;
        }
        slot.normal += depth / slot.mobility;
        let [v, a, b] = points(self.contact);
        let (n, [w_v, w_a, w_b]) = (self.contact.normal, self.w);
        let (vertex_moves, edge_moves) = (w_v > 0.0, w_a + w_b > 0.0);
        let half = if vertex_moves && edge_moves { 0.5 * depth } else { depth };
        if vertex_moves {
            moves.push(positions, v, half * n);
        }
        if a == b && edge_moves {
            moves.push(positions, a, -half * n);
        } else if edge_moves {
            let t = self.contact.t;
            let lambda = 1.0 / (t * t + (1.0 - t) * (1.0 - t));
            for (i, w, weight) in [(a, w_a, 1.0 - t), (b, w_b, t)] {
                if w > 0.0 {
                    moves.push(positions, i, -weight * lambda * half * n);
                }
            }
        }
    }

    /// Removes sideways motion of the surfaces, up to `μ` times the normal displacement impulse.
    fn rub(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        let [vertex, edge] = self.surfaces(positions);
        let tangent = left(self.contact.normal);
        let moved = vertex.sample(&moves.delta) - edge.sample(&moves.delta);
        let mobility = mobility(self.model, &vertex) + mobility(self.model, &edge);
        let lambda = slot.rub(moved.dot(tangent), mobility) * tangent;
        for (anchor, sign) in [(vertex, 1.0), (edge, -1.0)] {
            for (i, weight) in anchor.terms() {
                moves.push(positions, i, sign * self.model.inv_mass[i] * weight * lambda);
            }
        }
    }

    /// How far the vertex's surface has moved sideways over the edge's in this sub-step.
    fn slid(&self, moves: &Moves, positions: &[Vec2]) -> f32 {
        let moved = if self.is_round() {
            let [vertex, edge] = self.surfaces(positions);
            vertex.sample(&moves.delta) - edge.sample(&moves.delta)
        } else {
            self.parted(moves)
        };
        moved.dot(left(self.contact.normal))
    }

    /// The points that carry the two surfaces where they touch.
    fn surfaces(&self, positions: &[Vec2]) -> [Anchor; 2] {
        let at = self.contact.position(positions, self.pieces[0].radius);
        let carried = |piece: &Piece, plain: Anchor| {
            let Some(frame) = piece.frame else { return plain };
            let corners = frame.map(|i| positions[i as usize]);
            Anchor::in_triangle(frame, corners, at).unwrap_or(plain)
        };
        let [a, b] = self.contact.edge;
        [
            carried(self.pieces[0], Anchor::at_point(self.contact.vertex)),
            carried(self.pieces[1], Anchor::between(a, b, self.t)),
        ]
    }

    fn any_soft(&self) -> bool {
        self.pieces.iter().any(|piece| self.model.bodies[piece.body as usize].soft)
    }
}

/// Friction and restitution of two pieces in touch.
pub(super) fn mixed(model: &Model, pieces: [&Piece; 2]) -> (f32, f32) {
    let [a, b] = pieces.map(|piece| &model.bodies[piece.body as usize].material);
    Material::mix(a, b)
}

/// The displacement of an anchor per unit of displacement impulse, 1/kg.
pub(super) fn mobility(model: &Model, anchor: &Anchor) -> f32 {
    anchor.terms().map(|(i, weight)| model.inv_mass[i] * weight * weight).sum()
}

fn points(contact: &Contact) -> [usize; 3] {
    [contact.vertex, contact.edge[0], contact.edge[1]].map(|i| i as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::settings::SolverKind;
    use crate::sim::Sim;

    /// A tower of boxes that leans a little, with the contacts that a test of all pairs would find.
    #[test]
    fn contacts_that_are_followed_are_those_that_a_test_would_find() {
        let solid = |id: &str, size: Vec2, at: Vec2| BodyDef::new(id, Shape::Box { size }, at);
        let mut scene = Scene::default();
        scene.settings.solver = SolverKind::Verlet;
        scene.settings.sleep = false;
        scene.bodies.push(solid("ground", Vec2::new(10.0, 1.0), Vec2::new(0.0, -0.5)).fixed());
        for (id, x, y) in [("a", 0.0, 0.5), ("b", 0.2, 1.5), ("c", -0.1, 2.5)] {
            scene.bodies.push(solid(id, Vec2::ONE, Vec2::new(x, y)));
        }
        let mut sim = Sim::new(&scene).unwrap();
        for _ in 0..240 {
            sim.step().unwrap();
        }
        let (world, mut collision) = (sim.world(), Collision::default());
        collision.update_pairs(&world.model, &world.state, 0.0, 0.05);
        let found = collision.detect(&world.model, &world.state.position, STEADY).to_vec();
        assert_eq!(found.len(), 6);
        assert!(!sim.contacts().is_empty());
        for contact in &*sim.contacts() {
            let same = found.iter().find(|found| found.key() == contact.key()).unwrap();
            assert!(same.normal.distance(contact.normal) < 1e-3, "{contact:?} {same:?}");
            assert!((same.depth - contact.depth).abs() < 1e-3, "{contact:?} {same:?}");
        }
    }

    #[test]
    fn a_third_contact_takes_the_place_of_one_that_is_gone() {
        let contact = |vertex: u32| Contact { vertex, edge: [7, 8], ..Contact::default() };
        let mut touched = Touched::default();
        let (a, b, c) = (contact(0), contact(1), contact(2));
        let mut see = |all: &[Contact]| {
            all.iter().for_each(|contact| *touched.slot(contact, all) = *contact);
            touched.slots().iter().map(|slot| slot.contact.vertex).collect::<Vec<_>>()
        };
        assert_eq!(see(&[a]), [0]);
        assert_eq!(see(&[a, b]), [0, 1]);
        assert_eq!(see(&[c, a]), [0, 2]);
        assert_eq!(see(&[b, c]), [1, 2]);
    }
}
