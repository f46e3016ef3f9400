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

use crate::collision::{Collision, Contact, Touch};
use crate::math::{Vec2, left};
use crate::scene::Material;
use crate::settings::Response;
use crate::solver::StepCx;
use crate::solver::common::{self, BOUNCE_SPEED};
use crate::solver::verlet::Moves;
use crate::solver::verlet::blocks::{Blocks, Pressed};
use crate::world::{Anchor, Model, Piece, Renumbering, State};

/// Overlap that was there before a sub-step leaves at most this fast, m/s. Box2D's value: fast
/// enough to part a heap within a second, slow enough not to look like an explosion.
const PUSH_OUT_SPEED: f32 = 3.0;

/// Gaps may be less than they were found to be by the rounding of positions far from the origin, m.
const BLUR: f32 = 1e-4;

/// Where the contacts of a pair are that does not touch.
const NONE: u32 = u32::MAX;

/// The part of an impulse of the velocity stage that the next one starts from. With none, crates
/// at rest keep a few mm/s of every half step of gravity; with all of it tall stacks sway.
const KEPT: f32 = 0.9;

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
struct Touched {
    slots: [Slot; 2],
    count: u32,
}

/// One contact over the rounds of a sub-step.
#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    contact: Contact,
    /// Whether it was found in this sub-step.
    found: bool,
    /// How far the surfaces have slipped since they stuck, up to this sub-step, m.
    slip: f32,
    /// How far the bodies may close in this sub-step, m: the gap there was when it began, or, where
    /// they overlapped, less than nothing.
    allowed: f32,
    /// Displacement impulse along the normal, kg·m; never negative.
    normal: f32,
    /// Displacement impulse along the tangent, kg·m.
    tangent: f32,
    /// The speed at which the bodies are to part, m/s; 0 for a contact that does not bounce.
    bounce: f32,
    /// Coefficient of friction.
    friction: f32,
    /// Impulses of the velocity stage along normal and tangent, N·s: where the next one starts.
    eased: Vec2,
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
    ) -> Touch {
        // Who has met with a whole edge meets with no more of it in later rounds.
        if known
            .is_some_and(|touched| touched.slots().iter().filter(|slot| slot.found).count() == 2)
        {
            return Touch::default();
        }
        let way = way(cx.model, moves, pair);
        // Nor do those who are farther from each other than they have come.
        if way < self.gap() {
            return Touch::default();
        }
        let places = [&moves.start[..], &cx.state.position];
        cx.collision.arrive(cx.model, places, way, pair).unwrap_or_else(|gap| {
            self.gap = gap - way;
            Touch::default()
        })
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

    fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots[..self.count as usize]
    }

    /// Keeps of each contact that was found in the last sub-step what the next one needs.
    fn begin_substep(&mut self) {
        let old = *self;
        self.count = 0;
        for slot in old.slots().iter().filter(|slot| slot.found) {
            let Slot { contact, slip, eased, .. } = *slot;
            self.slots[self.count as usize] = Slot { contact, slip, eased, ..Slot::default() };
            self.count += 1;
        }
    }

    /// The slot of a contact that was found. A third contact of a pair takes the place of the
    /// first.
    fn slot(&mut self, contact: &Contact) -> &mut Slot {
        let known = self.slots().iter().position(|slot| slot.contact.key() == contact.key());
        let count = self.slots().len();
        let index = known.unwrap_or(if count < self.slots.len() { count } else { 0 });
        if known.is_none() {
            self.slots[index] = Slot::default();
            self.count = (count + 1).min(self.slots.len()) as u32;
        }
        self.slots[index].contact = *contact;
        &mut self.slots[index]
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
            let near = old.unwrap_or(Near { gap: 0.0, place: NONE });
            self.near.push(if undisturbed { near } else { Near { gap: 0.0, ..near } });
        }
        before.for_each(|(_, gone)| release(gone.place, &mut self.free));
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

    /// One round: finds the contacts of each pair and displaces what overlaps.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, cx: &mut StepCx<'_>, h: f32) {
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            let known = self.touched.get(near.place as usize);
            let touch = near.look(known, cx, moves, *pair);
            if near.place == NONE {
                if touch.is_empty() {
                    continue;
                }
                near.place = room(&mut self.touched, &mut self.free);
            }
            let touched = &mut self.touched[near.place as usize];
            for contact in touch.iter() {
                let slot = touched.slot(contact);
                if !slot.found {
                    let sides = Sides::new(cx.model, &cx.state.position, contact, moves);
                    slot.found = true;
                    let most = PUSH_OUT_SPEED.min(cx.recovery) * h;
                    slot.allowed = (sides.closed(moves) - contact.depth).max(-most);
                    let meets = sides.closed(moves) > BOUNCE_SPEED * h;
                    let speed = if meets {
                        common::approach_speed(cx.model, cx.state, contact)
                    } else {
                        0.0
                    };
                    let (friction, restitution) = mixed(cx.model, sides.pieces);
                    slot.friction = friction;
                    slot.bounce = if speed > BOUNCE_SPEED { restitution * speed } else { 0.0 };
                    // What bounces well is for the velocity stage: more rounds here would share out
                    // the blow among all that touch.
                    self.impact |= meets && restitution < 0.5;
                    self.squeeze |= meets && speed <= BOUNCE_SPEED && sides.any_soft();
                }
            }
            for slot in touched.slots_mut().iter_mut().filter(|slot| slot.found) {
                let contact = slot.contact;
                let positions = &mut cx.state.position;
                let sides = Sides::new(cx.model, positions, &contact, moves);
                match cx.settings.response {
                    Response::Conserving | Response::Soft => sides.separate(slot, moves, positions),
                    Response::Classic => sides.separate_classic(slot, moves, positions),
                }
                sides.rub(slot, moves, positions);
            }
        }
    }

    /// Takes what pieces have come towards each other in this sub-step off the gaps between them.
    pub(super) fn close_gaps(&mut self, model: &Model, moves: &Moves) {
        for (pair, near) in self.pairs.iter().zip(&mut self.near) {
            if near.gap > 0.0 {
                near.gap -= way(model, moves, *pair);
            }
        }
    }

    /// Adds the slip of this sub-step where surfaces stuck, and forgets it where they slid.
    pub(super) fn remember_slip(&mut self, moves: &Moves, model: &Model, positions: &[Vec2]) {
        self.each(|slot| {
            if slot.tangent.abs() < slot.friction * slot.normal {
                let contact = slot.contact;
                let sides = Sides::new(model, positions, &contact, moves);
                slot.slip += sides.slid(moves, sides.surfaces(positions));
            } else {
                slot.slip = 0.0;
            }
        });
    }

    /// The contacts that were pressed, for the velocity stage.
    pub(super) fn pressed(
        &self,
        model: &Model,
        positions: &[Vec2],
        blocks: &Blocks,
        h: f32,
        list: &mut Vec<Pressed>,
    ) {
        list.clear();
        for slot in self.slots().filter(|slot| slot.normal > 0.0) {
            let contact = &slot.contact;
            list.push(Pressed {
                bounce: slot.bounce,
                impulse: Vec2::new(slot.normal, slot.tangent) / h,
                eased: slot.eased,
                ..seen(model, contact, positions, blocks, slot.friction)
            });
        }
    }

    /// Keeps what the velocity stage did to the contacts of [`Contacts::pressed`].
    pub(super) fn remember_eased(&mut self, list: &[Pressed]) {
        let mut list = list.iter();
        self.each(|slot| {
            let pressed = if slot.normal > 0.0 { list.next() } else { None };
            slot.eased = pressed.map_or(Vec2::ZERO, |pressed| KEPT * pressed.eased);
        });
    }

    /// Writes the contacts of the last sub-step.
    pub(super) fn list(&self, contacts: &mut Vec<Contact>) {
        contacts.clear();
        contacts.extend(self.slots().filter(|slot| slot.found).map(|slot| slot.contact));
    }

    /// All contacts in the order of their pairs.
    fn slots(&self) -> impl Iterator<Item = &Slot> {
        let touched = |near: &Near| self.touched.get(near.place as usize);
        self.near.iter().filter_map(touched).flat_map(Touched::slots)
    }

    /// The same, to change each.
    fn each(&mut self, mut change: impl FnMut(&mut Slot)) {
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

/// How far the points of two pieces have come towards each other in this sub-step, at most, m.
fn way(model: &Model, moves: &Moves, pair: (u32, u32)) -> f32 {
    Collision::relative_travel(model, |point| moves.delta[point as usize], pair)
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
    /// Inverse mass of the whole contact along the normal.
    mobility: f32,
}

impl<'a> Sides<'a> {
    fn new(model: &'a Model, positions: &[Vec2], contact: &'a Contact, moves: &Moves) -> Self {
        let [v, a, b] = points(contact);
        let along = positions[b] - positions[a];
        let travel = moves.delta[v] - moves.delta[a].lerp(moves.delta[b], contact.t);
        let slid = travel.dot(along) / along.length_squared().max(1e-12);
        let t = if a == b { 0.0 } else { (contact.t - slid).clamp(0.0, 1.0) };
        let w = [v, a, b].map(|i| model.inv_mass[i]);
        let mobility = w[0] + (1.0 - t).powi(2) * w[1] + t * t * w[2];
        let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
        Self { model, contact, pieces, w, t, mobility }
    }

    fn depth(&self, positions: &[Vec2]) -> f32 {
        self.contact.depth_at(positions, self.pieces[0].radius + self.pieces[1].radius)
    }

    /// How far the vertex has come towards the edge along the normal in this sub-step.
    fn closed(&self, moves: &Moves) -> f32 {
        let [v, a, b] = points(self.contact);
        (moves.delta[a].lerp(moves.delta[b], self.t) - moves.delta[v]).dot(self.contact.normal)
    }

    /// Removes the overlap, weighted by inverse mass.
    fn separate(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        if self.mobility == 0.0 {
            return;
        }
        let before = slot.normal;
        slot.normal = (before + (self.closed(moves) - slot.allowed) / self.mobility).max(0.0);
        let lambda = slot.normal - before;
        let shares = [self.w[0], -(1.0 - self.t) * self.w[1], -self.t * self.w[2]];
        for (i, share) in points(self.contact).into_iter().zip(shares) {
            moves.push(positions, i, share * lambda * self.contact.normal);
        }
    }

    /// Removes the overlap the classic way: half by the vertex, half by the edge whatever they
    /// weigh. Against something that cannot move, the other side goes the whole way.
    fn separate_classic(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        let depth = self.depth(positions);
        if depth <= 0.0 || self.mobility == 0.0 {
            return;
        }
        slot.normal += depth / self.mobility;
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

    /// Removes sideways motion, up to `μ` times the normal displacement impulse.
    fn rub(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) {
        let most = slot.friction * slot.normal;
        if most == 0.0 && slot.tangent == 0.0 {
            return;
        }
        let surfaces = self.surfaces(positions);
        let [vertex, edge] = surfaces;
        let mobility = mobility(self.model, &vertex) + mobility(self.model, &edge);
        if mobility == 0.0 {
            return;
        }
        let wanted = slot.tangent - (self.slid(moves, surfaces) + slot.slip) / mobility;
        let before = slot.tangent;
        slot.tangent = wanted.clamp(-most, most);
        let lambda = (slot.tangent - before) * left(self.contact.normal);
        for (anchor, sign) in [(vertex, 1.0), (edge, -1.0)] {
            for (i, weight) in anchor.terms() {
                moves.push(positions, i, sign * self.model.inv_mass[i] * weight * lambda);
            }
        }
    }

    /// How far the vertex's surface has moved sideways over the edge's in this sub-step.
    fn slid(&self, moves: &Moves, [vertex, edge]: [Anchor; 2]) -> f32 {
        let moved = vertex.sample(&moves.delta) - edge.sample(&moves.delta);
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

/// What bodies that are too fast for a look at where they will be are going to hit within `h` seconds, for the
/// velocity stage: they may come as near as they are far.
pub(super) fn ahead(
    model: &Model,
    state: &State,
    contacts: &[Contact],
    blocks: &Blocks,
    h: f32,
    list: &mut Vec<Pressed>,
) {
    list.clear();
    list.extend(contacts.iter().map(|contact| {
        let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
        let (friction, restitution) = mixed(model, pieces);
        let speed = common::approach_speed(model, state, contact);
        let bounces = restitution > 0.0 && speed > BOUNCE_SPEED;
        let comes = contact.depth.min(0.0) / h;
        let bounce = if bounces { restitution * speed } else { comes };
        Pressed { bounce, ..seen(model, contact, &state.position, blocks, friction) }
    }));
}

/// A contact as the velocity stage sees it, with nothing done to it yet.
fn seen(
    model: &Model,
    contact: &Contact,
    positions: &[Vec2],
    blocks: &Blocks,
    friction: f32,
) -> Pressed {
    let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
    let [first, second] = contact.edge;
    let at = contact.position(positions, pieces[0].radius);
    let anchors = [Anchor::at_point(contact.vertex), Anchor::between(first, second, contact.t)];
    let sides = [0, 1].map(|k| blocks.grip((pieces[k].body, anchors[k]), at));
    let mobility =
        |direction: Vec2| sides.iter().map(|side| blocks.mobility(model, side, direction)).sum();
    Pressed {
        normal: contact.normal,
        sides,
        mobility: Vec2::new(mobility(contact.normal), mobility(left(contact.normal))),
        friction,
        bounce: 0.0,
        impulse: Vec2::ZERO,
        eased: Vec2::ZERO,
    }
}

/// Friction and restitution of two pieces in touch.
fn mixed(model: &Model, pieces: [&Piece; 2]) -> (f32, f32) {
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
