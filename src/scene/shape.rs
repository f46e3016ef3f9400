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
    /// A convex polygon; either winding. At least three vertices.
    Polygon {
        /// The outline in order, m.
        vertices: Vec<Vec2>,
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
    /// Points and edges given one by one: ropes, soft bodies, frames of any kind.
    Mesh(Mesh),
}

impl Shape {
    /// The smallest size a shape may have, m.
    pub const LEAST_SIZE: f32 = 1e-4;
    /// The most vertices of a polygon.
    pub const MOST_VERTICES: usize = 64;
}
