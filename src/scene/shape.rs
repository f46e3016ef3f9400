//! The figures that bodies can have.

use super::mesh::Mesh;
use crate::math::Vec2;

/// The figure of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle about the origin.
    Box {
        /// Width and height, m.
        size: Vec2,
    },
    /// A polygon, convex or concave; either winding. At least three vertices. A concave one becomes
    /// several convex pieces.
    Polygon {
        /// The outline in order, m. It must not cross itself.
        vertices: Vec<Vec2>,
    },
    /// A polygon whose convex corners are rounded off: it stays within its outline.
    Rounded {
        /// The outline in order before it is rounded, m.
        vertices: Vec<Vec2>,
        /// Radius of the round corners, m. Less than half of what is thinnest.
        radius: f32,
    },
    /// A disc about the origin.
    Disc {
        /// Radius, m.
        radius: f32,
    },
    /// A rectangle with round ends, lying along the x axis about the origin.
    Capsule {
        /// Distance between the centres of the two round ends, m.
        length: f32,
        /// Radius of the ends and half the thickness, m.
        radius: f32,
    },
    /// Several shapes in one rigid body. Where they overlap, it is as heavy as both.
    Compound {
        /// The shapes, each where it is in the body.
        parts: Vec<Part>,
    },
    /// Points and edges given one by one: ropes, soft bodies, frames of any kind.
    Mesh(Mesh),
}

impl Shape {
    /// The smallest size a shape may have, m.
    pub const LEAST_SIZE: f32 = 1e-4;
    /// The most vertices of a polygon.
    pub const MOST_VERTICES: usize = 64;
    /// The most parts of a compound.
    pub const MOST_PARTS: usize = 64;
}

/// A shape within a [`Shape::Compound`].
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// The figure. Neither a compound nor a mesh.
    pub shape: Shape,
    /// Where its origin lies in the body, m.
    pub at: Vec2,
    /// Rotation about that, rad, counter-clockwise.
    pub angle: f32,
    /// Mass per area, kg/m²; that of the body's material for `None`.
    pub density: Option<f32>,
}

impl Part {
    /// A shape at a place, made of the body's material.
    #[must_use]
    pub fn new(shape: Shape, at: Vec2) -> Self {
        Self { shape, at, angle: 0.0, density: None }
    }
}
