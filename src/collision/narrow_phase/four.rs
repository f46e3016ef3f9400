//! The vertices of a piece that has four at most, and the normals of its edges, as vectors of four that a
//! processor handles at once. Most pieces are boxes.
//!
//! What comes out is the same, to the last bit, as one by one.

use glam::{BVec4, Vec4};
use wide::f32x4;

use super::{Axis, SHORTEST};
use crate::math::Vec2;

/// See the file. Lanes that are not needed repeat the last vertex, and have no edge.
#[derive(Clone, Copy)]
pub(super) struct Four {
    x: Vec4,
    y: Vec4,
    normal_x: Vec4,
    normal_y: Vec4,
    /// Which edges have a direction.
    edges: BVec4,
}

impl Four {
    /// The vertices `points`, if there are so few.
    pub(super) fn new(points: &[u32], positions: &[Vec2]) -> Option<Self> {
        let last = points.len().checked_sub(1).filter(|last| *last < 4)?;
        let place = |k: usize| positions[points[k] as usize];
        let at = [0, 1, 2, 3].map(|k: usize| place(k.min(last)));
        let next = [0, 1, 2, 3].map(|k: usize| if k < last { at[k + 1] } else { at[0] });
        let (x, y) = across(at);
        let (next_x, next_y) = across(next);
        let (along_x, along_y) = (next_x - x, next_y - y);
        let square = along_x * along_x + along_y * along_y;
        let length = Vec4::from_array(f32x4::new(square.to_array()).sqrt().to_array());
        // A single vertex has no edge; two have one there and one back.
        let there = BVec4::new(last > 0, last > 0, last > 1, last > 2);
        let edges = length.cmpgt(Vec4::splat(SHORTEST));
        let edges = BVec4::from_array([0, 1, 2, 3].map(|k| edges.test(k) && there.test(k)));
        Some(Self { x, y, normal_x: along_y / length, normal_y: -along_x / length, edges })
    }

    /// The outward unit normal of an edge, if it has a direction.
    pub(super) fn normal(&self, edge: usize) -> Option<Vec2> {
        let normal = || Vec2::new(self.normal_x[edge], self.normal_y[edge]);
        self.edges.test(edge).then(normal)
    }

    /// The edge that separates this best from another.
    #[inline]
    pub(super) fn best_axis(&self, against: &Self) -> Option<Axis> {
        // How far the other is from each edge: vertex by vertex, all edges at once.
        let mut separations = Vec4::INFINITY;
        for (x, y) in against.x.to_array().into_iter().zip(against.y.to_array()) {
            let (x, y) = (Vec4::splat(x) - self.x, Vec4::splat(y) - self.y);
            separations = separations.min(x * self.normal_x + y * self.normal_y);
        }
        let mut best: Option<(usize, f32)> = None;
        for (edge, separation) in separations.to_array().into_iter().enumerate() {
            if self.edges.test(edge) && best.is_none_or(|(_, most)| separation > most) {
                best = Some((edge, separation));
            }
        }
        let (edge, separation) = best?;
        let normal = Vec2::new(self.normal_x[edge], self.normal_y[edge]);
        Some(Axis { edge, normal, separation })
    }
}

/// The coordinates of four places.
fn across(at: [Vec2; 4]) -> (Vec4, Vec4) {
    (Vec4::from_array(at.map(|at| at.x)), Vec4::from_array(at.map(|at| at.y)))
}
