//! What asks: a convex shape at a place.

use crate::math::{Aabb, Rot, Vec2, hull, turns_left};

/// A convex shape in the world, which is no body: a point that looks along a ray, a disc or a capsule that would go somewhere, a
/// box within which somebody looks around.
///
/// It is the convex hull of some corners, grown by a radius, as the pieces of bodies are. One without corners, or with a
/// number that is not finite, meets nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// Counter-clockwise, m.
    corners: Vec<Vec2>,
    /// m.
    radius: f32,
}

impl Probe {
    /// A point.
    #[must_use]
    pub fn point(at: Vec2) -> Self {
        Self { corners: vec![at], radius: 0.0 }
    }

    /// A disc.
    #[must_use]
    pub fn disc(center: Vec2, radius: f32) -> Self {
        Self::point(center).grown(radius)
    }

    /// All that is within a radius of the line between two places.
    #[must_use]
    pub fn capsule(from: Vec2, to: Vec2, radius: f32) -> Self {
        Self { corners: vec![from, to], radius: 0.0 }.grown(radius)
    }

    /// An upright box.
    #[must_use]
    pub fn region(bounds: Aabb) -> Self {
        let Aabb { min, max } = bounds;
        Self::around(&[min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)])
    }

    /// A box, turned by an angle in radians.
    #[must_use]
    pub fn boxed(size: Vec2, at: Vec2, angle: f32) -> Self {
        let Self { corners, radius } = Self::region(Aabb { min: -0.5 * size, max: 0.5 * size });
        let turn = Rot::from_radians(angle);
        let corners = corners.into_iter().map(|corner| at + turn.apply(corner)).collect();
        Self { corners, radius }
    }

    /// The smallest convex shape around some points.
    #[must_use]
    pub fn around(points: &[Vec2]) -> Self {
        if points.len() < 2 || !points.iter().all(|point| point.is_finite()) {
            return Self { corners: points.to_vec(), radius: 0.0 };
        }
        let corners = hull(points, turns_left);
        let corners = corners.into_iter().map(|corner| points[corner as usize]).collect();
        Self { corners, radius: 0.0 }
    }

    /// The same with round corners, larger by so much on every side, m; no larger if that is less than nothing.
    #[must_use]
    pub fn grown(self, by: f32) -> Self {
        Self { radius: if by < 0.0 { self.radius } else { self.radius + by }, ..self }
    }

    /// The corners of what is grown by the radius, counter-clockwise, m.
    #[must_use]
    pub fn corners(&self) -> &[Vec2] {
        &self.corners
    }

    /// By how much it is grown, m.
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The smallest box around it.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        Aabb::around(self.corners.iter().copied()).grown(self.radius)
    }

    /// Whether it is anywhere.
    pub(super) fn is_somewhere(&self) -> bool {
        let mut numbers = self.corners.iter().flat_map(|corner| corner.to_array());
        !self.corners.is_empty() && self.radius.is_finite() && numbers.all(f32::is_finite)
    }
}
