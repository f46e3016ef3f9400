//! The place of a convex outline that is nearest to a point.

use crate::math::{Vec2, cross, part_of_way};

/// A place of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    /// The side on which it is, by the corner where that begins.
    pub(crate) side: usize,
    /// How far along the side, 0 to 1.
    pub(crate) t: f32,
    /// How far the point is from there, m; negative for one that lies inside.
    pub(crate) distance: f32,
}

/// The place nearest to a point of an outline of `count` corners, counter-clockwise. One corner is a place, and two are a
/// line, which have no inside.
pub(crate) fn nearest(count: usize, corner: impl Fn(usize) -> Vec2, at: Vec2) -> Near {
    let mut best = Near { side: 0, t: 0.0, distance: f32::INFINITY };
    let mut inside = count >= 3;
    for side in 0..count {
        let (a, b) = (corner(side), corner((side + 1) % count));
        let along = b - a;
        let t = part_of_way(at, [a, b]).clamp(0.0, 1.0);
        let distance = at.distance(a + t * along);
        if distance < best.distance {
            best = Near { side, t, distance };
        }
        inside &= cross(along, at - a) >= 0.0;
    }
    if inside { Near { distance: -best.distance, ..best } } else { best }
}
