//! The model: what a world is made of. Topology, masses and materials; changes only by an edit.

use std::collections::HashMap;
use std::ops::Range;

use crate::math::{Aabb, Rot, Vec2};
use crate::scene::{BodyKind, Filter, Look, Material};
use crate::world::anchor::Anchor;

/// Everything about a world that a step does not change.
///
/// Points are a structure of arrays, indexed alike here and in [`State`](crate::State).
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Mass of each point, kg. Pinned points and points of static bodies have their true mass too.
    pub mass: Vec<f32>,
    /// What constraints see: `1 / mass`, or 0 where nothing may push the point.
    pub inv_mass: Vec<f32>,
    /// Rest position of each point in its body's frame: about the centre of mass, unrotated, m.
    pub rest: Vec<Vec2>,
    /// Whether the point is held where it is.
    pub pinned: Vec<bool>,
    /// The body of each point.
    pub body_of: Vec<u32>,
    /// Distance constraints.
    pub edges: Vec<Edge>,
    /// Bodies: contiguous ranges of points, edges and pieces.
    pub bodies: Vec<Body>,
    /// Convex collision polygons.
    pub pieces: Vec<Piece>,
    /// The points of all pieces, one piece after the other, each counter-clockwise.
    pub piece_points: Vec<u32>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Bodies should stay in here; see [`Scene::bounds`](crate::Scene).
    pub bounds: Option<Aabb>,
    /// The index of each body by its id. Looked up, never iterated: its order is not fixed.
    pub(crate) by_id: HashMap<String, u32>,
    /// Pairs of bodies that do not collide because a joint connects them; sorted, lower first.
    pub(crate) apart: Vec<(u32, u32)>,
}

/// A distance constraint between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// First point.
    pub a: u32,
    /// Second point.
    pub b: u32,
    /// Rest length, m.
    pub rest: f32,
    /// Inverse stiffness, m/N; 0 is stiff.
    pub compliance: f32,
    /// Damping along the edge, N·s/m.
    pub damping: f32,
}

/// A contiguous range of points and edges with one material.
#[derive(Clone, Debug)]
pub struct Body {
    /// The name from the scene.
    pub id: String,
    /// Static, kinematic or dynamic.
    pub kind: BodyKind,
    /// `false`: keeps its rest shape. `true`: bends as far as its edges let it.
    pub soft: bool,
    /// Its points.
    pub points: Range<u32>,
    /// Its edges.
    pub edges: Range<u32>,
    /// Its pieces.
    pub pieces: Range<u32>,
    /// Total mass, kg.
    pub mass: f32,
    /// Moment of inertia about the centre of mass at rest, kg·m².
    pub inertia: f32,
    /// Density, friction, restitution.
    pub material: Material,
    /// What it collides with.
    pub filter: Filter,
    /// How it is drawn.
    pub look: Look,
}

impl Body {
    /// Its points as indices.
    #[inline]
    #[must_use]
    pub fn point_range(&self) -> Range<usize> {
        self.points.start as usize..self.points.end as usize
    }

    /// Whether contacts and joints can push it.
    #[inline]
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// Whether it keeps its rest shape: rigid bodies, and everything static or kinematic.
    #[inline]
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        !self.soft
    }
}

/// A convex collision polygon over a body's points, grown by a radius: one point is a disc, two
/// are a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Its body.
    pub body: u32,
    /// Where its points start in [`Model::piece_points`].
    pub first: u32,
    /// How many points.
    pub count: u32,
    /// Collision radius, m. It belongs to the piece rather than to each point because all points
    /// of a piece share it.
    pub radius: f32,
    /// Three points of the body that carry what acts on its round surface, such as the friction
    /// that makes a ball roll. `None` where the surface is that of the points themselves.
    pub frame: Option<[u32; 3]>,
}

/// A pin between two anchors, or an anchor and the world.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The name from the scene.
    pub id: String,
    /// The place on the first body.
    pub a: Anchor,
    /// The place on the second body or in the world.
    pub b: JointEnd,
    /// Range of the relative angle.
    pub limit: Option<Limit>,
    /// The first body.
    pub body_a: u32,
}

/// Where the second end of a joint is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointEnd {
    /// On a body.
    Body {
        /// The body.
        body: u32,
        /// The place on it.
        anchor: Anchor,
    },
    /// Fixed in the world, m.
    World(Vec2),
}

impl JointEnd {
    /// The body, if it is on one.
    #[must_use]
    pub fn body(&self) -> Option<u32> {
        if let Self::Body { body, .. } = *self { Some(body) } else { None }
    }

    /// Where it is.
    #[inline]
    #[must_use]
    pub fn position(&self, positions: &[Vec2]) -> Vec2 {
        match self {
            Self::Body { anchor, .. } => anchor.sample(positions),
            Self::World(at) => *at,
        }
    }
}

/// An angle limit in a form that needs no trigonometry: the relative rotation that lies in the
/// middle of the range, and half the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The relative rotation `R_a⁻¹ R_b` in the middle of the range.
    pub middle: Rot,
    /// Half the range, as a rotation; its angle is in [0, π].
    pub half: Rot,
}

impl Limit {
    /// How much further `relative` (`R_a⁻¹ R_b`) may turn back to the lower end and forward to the
    /// upper end, rad: negative beyond that end. Exact for small angles, saturating at ±1 from 90°.
    #[inline]
    #[must_use]
    pub fn slack(&self, relative: Rot) -> [f32; 2] {
        let from_middle = self.middle.inverse().after(relative);
        let to_lower = from_middle.after(self.half);
        let to_upper = self.half.after(from_middle.inverse());
        if from_middle.c >= self.half.c {
            [to_lower, to_upper].map(|to| if to.c > 0.0 && to.s >= 0.0 { to.s } else { 1.0 })
        } else if from_middle.s >= 0.0 {
            [1.0, if to_upper.c > 0.0 { to_upper.s } else { -1.0 }]
        } else {
            [if to_lower.c > 0.0 { to_lower.s } else { -1.0 }, 1.0]
        }
    }

    /// How far `relative` (`R_a⁻¹ R_b`) is beyond the range, rad: positive past the upper end,
    /// negative past the lower end, 0 inside.
    #[inline]
    #[must_use]
    pub fn excess(&self, relative: Rot) -> f32 {
        let [lower, upper] = self.slack(relative);
        if upper < 0.0 { -upper } else { lower.min(0.0) }
    }
}

impl Model {
    /// The number of points.
    #[inline]
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.mass.len()
    }

    /// The points of a piece, counter-clockwise.
    #[inline]
    #[must_use]
    pub fn outline(&self, piece: &Piece) -> &[u32] {
        &self.piece_points[piece.first as usize..(piece.first + piece.count) as usize]
    }

    /// The pieces of a body.
    #[must_use]
    pub fn pieces_of(&self, body: &Body) -> &[Piece] {
        &self.pieces[body.pieces.start as usize..body.pieces.end as usize]
    }

    /// Whether two bodies may touch: filters agree, no joint keeps them apart, and at least one of
    /// them can be pushed.
    #[must_use]
    pub fn may_collide(&self, a: u32, b: u32) -> bool {
        if a == b {
            return false;
        }
        let (body_a, body_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        (body_a.is_dynamic() || body_b.is_dynamic())
            && body_a.filter.collides(body_b.filter)
            && self.apart.binary_search(&(a.min(b), a.max(b))).is_err()
    }

    /// Whether nothing outside can change the momentum of the bodies: no static or kinematic body,
    /// no pinned point and no joint to the world. Gravity is not the model's to know.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.bodies.iter().all(Body::is_dynamic)
            && !self.pinned.contains(&true)
            && self.joints.iter().all(|joint| joint.b.body().is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn limit_excess_is_the_angle_beyond_the_range() {
        let limit = Limit { middle: Rot::from_radians(0.5), half: Rot::from_radians(0.75) };
        for (angle, expected) in [(0.5, 0.0), (1.24, 0.0), (1.35, 0.1), (-0.24, 0.0), (-0.35, -0.1)]
        {
            let excess = limit.excess(Rot::from_radians(angle));
            assert_relative_eq!(excess, expected, epsilon = 2e-4);
        }
        let [lower, upper] = limit.slack(Rot::from_radians(1.15));
        assert_relative_eq!(upper, 0.1, epsilon = 2e-4);
        assert_relative_eq!(lower, (1.4_f32).sin(), epsilon = 2e-4);
        assert_relative_eq!(limit.excess(Rot::from_radians(3.4)), 1.0);
        assert_relative_eq!(limit.excess(Rot::from_radians(-2.4)), -1.0);
    }
}
