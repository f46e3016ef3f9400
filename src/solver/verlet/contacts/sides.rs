//! The vertex and the edge of a contact, and how an impulse displaces them.

use super::touched::Slot;
use crate::collision::Contact;
use crate::math::{Mapped, Vec2, left};
use crate::scene::Material;
use crate::solver::verlet::Moves;
use crate::world::{Anchor, Model, Piece};

/// The two sides of a contact and their weights.
pub(super) struct Sides<'a> {
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
    pub(super) fn new(model: &'a Model, contact: &'a Contact, t: f32) -> Self {
        let w = points(contact).mapped(|i| model.inv_mass[i]);
        let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
        Self { model, contact, pieces, w, t }
    }

    /// Inverse mass of the whole contact along the normal, 1/kg.
    pub(super) fn mobility(&self) -> f32 {
        let ([v, a, b], t) = (self.w, self.t);
        v + (1.0 - t).powi(2) * a + t * t * b
    }

    fn depth(&self, positions: &[Vec2]) -> f32 {
        self.contact.depth_at(positions, self.pieces[0].radius + self.pieces[1].radius)
    }

    /// How far the vertex has come towards the edge along the normal in this sub-step.
    pub(super) fn closed(&self, moves: &Moves) -> f32 {
        -parted(self.contact, self.t, moves).dot(self.contact.normal)
    }

    /// How far a unit impulse displaces the vertex and the ends of the edge, 1/kg.
    pub(super) fn shares(&self) -> [f32; 3] {
        [self.w[0], -(1.0 - self.t) * self.w[1], -self.t * self.w[2]]
    }

    /// Removes the overlap the classic way: half by the vertex, half by the edge whatever they
    /// weigh. Against something that cannot move, the other side goes the whole way. Returns how far any point was
    /// displaced at most, m.
    pub(super) fn separate_classic(
        &self,
        slot: &mut Slot,
        moves: &mut Moves,
        positions: &mut [Vec2],
    ) -> f32 {
        let depth = self.depth(positions);
        if depth <= 0.0 || slot.mobility == 0.0 {
            return 0.0;
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
        // An end is displaced by no more than `max(t, 1 − t) / (t² + (1 − t)²)` times as far: 1.21.
        1.5 * half
    }

    /// Removes sideways motion of the surfaces, up to `μ` times the normal displacement impulse. Returns how far any
    /// point was displaced at most, m.
    pub(super) fn rub(&self, slot: &mut Slot, moves: &mut Moves, positions: &mut [Vec2]) -> f32 {
        let [vertex, edge] = self.surfaces(positions);
        let tangent = left(self.contact.normal);
        let moved = vertex.sample(&moves.delta) - edge.sample(&moves.delta);
        let mobility = mobility(self.model, &vertex) + mobility(self.model, &edge);
        let lambda = slot.rub(moved.dot(tangent), mobility) * tangent;
        let mut most = 0.0;
        for (anchor, sign) in [(vertex, 1.0), (edge, -1.0)] {
            for (i, weight) in anchor.terms() {
                let share = self.model.inv_mass[i] * weight;
                if share != 0.0 {
                    moves.push(positions, i, sign * share * lambda);
                }
                most += share.abs();
            }
        }
        most * lambda.length()
    }

    /// How far the vertex's surface has moved over the edge's in this sub-step, where either is round.
    pub(super) fn rolled(&self, moves: &Moves, positions: &[Vec2]) -> Vec2 {
        let [vertex, edge] = self.surfaces(positions);
        vertex.sample(&moves.delta) - edge.sample(&moves.delta)
    }

    /// The points that carry the two surfaces where they touch.
    fn surfaces(&self, positions: &[Vec2]) -> [Anchor; 2] {
        let at = self.contact.position(positions, self.pieces[0].radius);
        let carried = |piece: &Piece, plain: Anchor| {
            let Some(frame) = piece.frame else { return plain };
            let corners = frame.mapped(|i| positions[i as usize]);
            Anchor::in_triangle(frame, corners, at).unwrap_or(plain)
        };
        let [a, b] = self.contact.edge;
        [
            carried(self.pieces[0], Anchor::at_point(self.contact.vertex)),
            carried(self.pieces[1], Anchor::between(a, b, self.t)),
        ]
    }
}

/// What the surfaces of two pieces are like.
pub(super) struct Surfaces {
    pub(super) friction: f32,
    pub(super) restitution: f32,
    /// Whether any is of a soft body.
    pub(super) any_soft: bool,
    /// Whether other points than vertex and edge carry any of them.
    pub(super) round: bool,
}

impl Surfaces {
    pub(super) fn of(model: &Model, pieces: [u32; 2]) -> Self {
        let pieces = pieces.mapped(|piece| &model.pieces[piece as usize]);
        let (friction, restitution) = mixed(model, pieces);
        let any_soft = pieces.iter().any(|piece| model.bodies[piece.body as usize].soft);
        let round = pieces.iter().any(|piece| piece.frame.is_some());
        Self { friction, restitution, any_soft, round }
    }
}

/// Friction and restitution of two pieces in touch.
pub(in crate::solver::verlet) fn mixed(model: &Model, pieces: [&Piece; 2]) -> (f32, f32) {
    let [a, b] = pieces.mapped(|piece| &model.bodies[piece.body as usize].material);
    Material::mix(a, b)
}

/// The displacement of an anchor per unit of displacement impulse, 1/kg.
pub(in crate::solver::verlet) fn mobility(model: &Model, anchor: &Anchor) -> f32 {
    anchor.terms().map(|(i, weight)| model.inv_mass[i] * weight * weight).sum()
}

/// How far the vertex of a contact has come in this sub-step from the place `t` on its edge.
#[inline]
pub(super) fn parted(contact: &Contact, t: f32, moves: &Moves) -> Vec2 {
    let [v, a, b] = points(contact);
    moves.delta[v] - moves.delta[a].lerp(moves.delta[b], t)
}

/// The points of a contact: its vertex and the ends of its edge.
#[inline]
pub(super) fn points(contact: &Contact) -> [usize; 3] {
    [contact.vertex, contact.edge[0], contact.edge[1]].mapped(|i| i as usize)
}
