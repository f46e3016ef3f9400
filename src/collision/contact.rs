//! What a contact is: a vertex against an edge.

use crate::math::{Mapped, Vec2, direction_or, left, right};
use crate::world::Renumbering;

/// A vertex of one piece against an edge of another.
///
/// ```text
///            v  vertex
///      n ▲   │
///   ─────┼───●──────────────  surface: the edge, grown by both radii
///   1    │   t              2
/// ```
///
/// Every contact of the plane can be told this way: a corner on a face, either end of two faces
/// that lie on each other, a disc on anything (its centre is the vertex), and a disc on a corner or
/// another disc (the edge then has no length, or `t` is 0 or 1). The pair (vertex, edge) names the
/// contact from one step to the next.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Contact {
    /// The pieces: that of the vertex, that of the edge.
    pub pieces: [u32; 2],
    /// The point that is the vertex.
    pub vertex: u32,
    /// The points that are the edge's ends. Equal where the edge is a single point.
    pub edge: [u32; 2],
    /// Where on the edge, 0 at the first end and 1 at the second: the point from which the normal
    /// leads to the vertex.
    pub t: f32,
    /// Unit vector from the edge towards the vertex.
    pub normal: Vec2,
    /// Overlap along the normal, radii included, m. Negative for a gap.
    pub depth: f32,
    /// The points between which the edge runs whose normal this is: to the right of the way from the first to the
    /// second. It is the contact's own, or one that ends in the vertex. Equal where corner meets corner.
    pub base: [u32; 2],
}

impl Contact {
    /// The name of the contact, the same from step to step while the features stay the same.
    #[must_use]
    pub fn key(&self) -> (u32, u32, u32) {
        (self.vertex, self.edge[0], self.edge[1])
    }

    /// The place on the edge's centre line.
    #[inline]
    #[must_use]
    pub fn edge_point(&self, positions: &[Vec2]) -> Vec2 {
        let (a, b) = (positions[self.edge[0] as usize], positions[self.edge[1] as usize]);
        a + self.t * (b - a)
    }

    /// The overlap at these positions, if normal and `t` are kept; radii as when it was found, m.
    #[inline]
    #[must_use]
    pub fn depth_at(&self, positions: &[Vec2], radii: f32) -> f32 {
        radii - (positions[self.vertex as usize] - self.edge_point(positions)).dot(self.normal)
    }

    /// The middle of the overlap, where the contact acts, given the radius of the vertex's piece.
    #[inline]
    #[must_use]
    pub fn position(&self, positions: &[Vec2], vertex_radius: f32) -> Vec2 {
        let surface = positions[self.vertex as usize] - vertex_radius * self.normal;
        surface + 0.5 * self.depth * self.normal
    }

    /// The same contact at these positions: the vertex may have moved along the edge, and the overlap has
    /// changed. The normal stays. `radii` is the sum of those of both pieces, m.
    #[inline]
    #[must_use]
    pub fn moved_to(&self, positions: &[Vec2], radii: f32) -> Self {
        let [a, b] = self.edge.mapped(|i| positions[i as usize]);
        let tangent = left(self.normal);
        let (along, to) = ((b - a).dot(tangent), positions[self.vertex as usize] - a);
        let t = if along.abs() > 1e-6 { (to.dot(tangent) / along).clamp(0.0, 1.0) } else { self.t };
        let moved = Self { t, ..*self };
        Self { depth: moved.depth_at(positions, radii), ..moved }
    }

    /// The same contact where its points are now, as long as the pieces hardly move against each other: vertex and
    /// edge stay what they are, and the normal turns with the edge it is from. `radii` is the sum of those of both
    /// pieces, m.
    #[must_use]
    pub fn followed(&self, positions: &[Vec2], radii: f32) -> Self {
        let at = |point: u32| positions[point as usize];
        let [from, to] = self.base;
        let along =
            if from == to { at(self.vertex) - at(self.edge[0]) } else { right(at(to) - at(from)) };
        let turned = Self { normal: direction_or(along, self.normal), ..*self };
        turned.moved_to(positions, radii)
    }

    /// The same contact with the numbers that its pieces and points have now; `None` if any is gone.
    #[must_use]
    pub fn renumbered(&self, by: &Renumbering) -> Option<Self> {
        let [vertex, edge] = self.pieces;
        Some(Self {
            pieces: [by.piece(vertex)?, by.piece(edge)?],
            vertex: by.point(self.vertex)?,
            edge: [by.point(self.edge[0])?, by.point(self.edge[1])?],
            base: [by.point(self.base[0])?, by.point(self.base[1])?],
            ..*self
        })
    }

    /// Whether its bodies are yet to meet: a swept test found it ahead of them.
    #[must_use]
    pub fn lies_ahead(&self) -> bool {
        /// A gap wider than this is closed by motion only, m.
        const FORESEEN: f32 = 0.02;
        self.depth < -FORESEEN
    }

    /// Where the contact acts on the vertex's body and on the edge's: for bodies that touch, the middle
    /// of the overlap; for bodies that are yet to meet, each one's own place.
    #[must_use]
    #[inline]
    pub fn places(&self, positions: &[Vec2], radii: [f32; 2]) -> [Vec2; 2] {
        if !self.lies_ahead() {
            return [self.position(positions, radii[0]); 2];
        }
        let vertex = positions[self.vertex as usize] - radii[0] * self.normal;
        [vertex, self.edge_point(positions) + radii[1] * self.normal]
    }
}

/// The contacts of one pair of pieces: none, one or two. Reads as a slice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Touch {
    contacts: [Contact; 2],
    count: usize,
}

impl Touch {
    /// At most two contacts.
    pub(crate) fn of(contacts: impl Iterator<Item = Contact>) -> Self {
        let mut touch = Self::default();
        contacts.take(2).for_each(|contact| touch.push(contact));
        touch
    }

    /// Adds a contact if its gap is not wider than `margin`, m; there is room for two.
    #[inline(always)]
    pub(crate) fn push_within(&mut self, margin: f32, contact: Contact) {
        if contact.depth >= -margin {
            self.push(contact);
        }
    }

    /// Adds a contact; there is room for two.
    #[inline(always)]
    pub(crate) fn push(&mut self, contact: Contact) {
        self.contacts[self.count] = contact;
        self.count += 1;
    }
}

impl std::ops::Deref for Touch {
    type Target = [Contact];

    #[inline]
    fn deref(&self) -> &[Contact] {
        &self.contacts[..self.count]
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::collision::Collision;
    use crate::math::Rot;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

    /// A box on another, turned a little, so that a corner of each is over a face of the other.
    pub(crate) fn box_on_box() -> Scene {
        let at = |x: f32, y: f32| Vec2::new(x, y);
        let solid = |id: &str, place| BodyDef::new(id, Shape::Box { size: Vec2::ONE }, place);
        let upper = BodyDef { angle: 0.01, ..solid("upper", at(0.3, 1.0)) };
        Scene { bodies: vec![solid("lower", at(0.0, 0.0)), upper], ..Scene::default() }
    }

    #[test]
    fn a_contact_that_is_followed_is_the_one_that_a_new_look_would_find() {
        let mut world = World::build(&box_on_box()).unwrap();
        let found = Collision::touch(&world.model, &world.state.position, (0, 1), 0.02);
        assert_eq!(found.len(), 2);
        // The whole turns, and one box moves a little against the other.
        let turn = Rot::from_radians(0.3);
        let upper = world.model.bodies[1].point_range();
        for (index, point) in world.state.position.iter_mut().enumerate() {
            let slid = if upper.contains(&index) { Vec2::new(2e-3, 1e-3) } else { Vec2::ZERO };
            *point = turn.apply(*point + slid);
        }
        let anew = Collision::touch(&world.model, &world.state.position, (0, 1), 0.02);
        for (before, after) in found.iter().zip(anew.iter()) {
            let followed = before.followed(&world.state.position, 0.0);
            assert_eq!((followed.key(), followed.base), (after.key(), after.base));
            assert!(followed.normal.distance(after.normal) < 1e-5, "{followed:?} {after:?}");
            assert!((followed.depth - after.depth).abs() < 1e-5, "{followed:?} {after:?}");
            assert!((followed.t - after.t).abs() < 1e-3, "{followed:?} {after:?}");
        }
    }
}
