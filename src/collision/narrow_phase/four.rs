//! The vertices of a piece that has four at most, and the normals of its edges, as vectors of four that a
//! processor handles at once. Most pieces are boxes.
//!
//! What comes out is the same, to the last bit, as one by one.

use glam::Vec4;
use wide::f32x4;

use super::{Axis, SHORTEST};
use crate::math::{Both, Lane, Mapped, Vec2};

/// What lacks where there is no edge, and where there is one, by the number of vertices less one: a single vertex has
/// no edge, two have one there and one back.
static LACK: [[f32; 4]; 4] = [[NONE; 4], [0.0, 0.0, NONE, NONE], [0.0, 0.0, 0.0, NONE], [0.0; 4]];
const NONE: f32 = f32::NEG_INFINITY;

/// See the file. Lanes that are not needed repeat the last vertex, and have no edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct Four {
    x: Vec4,
    y: Vec4,
    normal_x: Vec4,
    normal_y: Vec4,
    /// Nothing for an edge that has a direction, and less than any number for one that has none.
    lack: Vec4,
}

impl Four {
    /// The vertices `points`, if there are so few.
    pub(super) fn new(points: &[u32], positions: &[Vec2]) -> Option<Self> {
        let last = points.len().checked_sub(1).filter(|last| *last < 4)?;
        let place = |k: usize| positions[points[k] as usize];
        let (x, y) = across([0, 1, 2, 3].mapped(|k: usize| place(k.min(last))));
        let next = |k: usize| if k <= last { k } else { 0 };
        let (next_x, next_y) = across([1, 2, 3, 4].mapped(|k: usize| place(next(k))));
        let (along_x, along_y) = (next_x - x, next_y - y);
        let square = along_x * along_x + along_y * along_y;
        let length = Vec4::from_array(f32x4::new(square.to_array()).sqrt().to_array());
        let shortest = Vec4::splat(SHORTEST);
        let lack = Vec4::from_array(LACK[last]);
        let lack = Vec4::select(length.cmpgt(shortest), lack, Vec4::splat(NONE));
        // Those have numbers all the same, so that sums with them are some.
        let length = length.max(shortest);
        Some(Self { x, y, normal_x: along_y / length, normal_y: -along_x / length, lack })
    }

    /// The outward unit normal of an edge, if it has a direction.
    #[inline]
    pub(super) fn normal(&self, edge: usize) -> Option<Vec2> {
        let normal = || Vec2::new(self.normal_x.lane(edge), self.normal_y.lane(edge));
        (edge < 4 && self.lack.lane(edge) == 0.0).then(normal)
    }

    /// How far the normal of each edge goes along another, with no limit where there is none.
    #[inline]
    pub(super) fn along(&self, normal: Vec2) -> [f32; 4] {
        (self.normal_x * normal.x + self.normal_y * normal.y - self.lack).to_array()
    }

    /// The vertex that reaches least far along `direction`, and how far.
    #[inline]
    pub(super) fn deepest(&self, direction: Vec2, origin: Vec2) -> (usize, f32) {
        let (x, y) = (self.x - origin.x, self.y - origin.y);
        let reaches = x * direction.x + y * direction.y;
        let least = reaches.min_element();
        // The first of those that are equal.
        let first = reaches.cmpeq(Vec4::splat(least)).bitmask().trailing_zeros();
        (first.min(3) as usize, least)
    }

    /// How far another is from each edge; less than any number where there is none.
    #[inline]
    pub(super) fn separations(&self, against: &Self) -> Vec4 {
        // Vertex by vertex, all edges at once.
        let mut separations = Vec4::INFINITY;
        for (x, y) in against.x.to_array().into_iter().zip(against.y.to_array()) {
            let (x, y) = (Vec4::splat(x) - self.x, Vec4::splat(y) - self.y);
            separations = separations.min(x * self.normal_x + y * self.normal_y);
        }
        separations + self.lack
    }

    /// The edge that separates this best from another.
    #[inline]
    pub(super) fn best_axis(&self, against: &Self) -> Option<Axis> {
        let separations = self.separations(against);
        let separation = separations.max_element();
        // The first of those that are equal; none where there are no edges.
        let best = separations.cmpeq(Vec4::splat(separation)).bitmask();
        let edge = best.trailing_zeros() as usize;
        let normal = self.normal(edge)?;
        Some(Axis { edge, normal, separation })
    }
}

/// The coordinates of four places.
#[inline(always)]
fn across(at: [Vec2; 4]) -> (Vec4, Vec4) {
    let both: [Both; 4] = at.mapped(bytemuck::cast);
    let [ab, cd]: [Vec4; 2] = bytemuck::cast(both);
    (Vec4::new(ab.x, ab.z, cd.x, cd.z), Vec4::new(ab.y, ab.w, cd.y, cd.w))
}
