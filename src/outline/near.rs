//! The place of a convex outline that is nearest to a point.

use glam::DVec2;

/// A place of an outline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    /// The side on which it is, by the corner where that begins.
    pub(crate) side: usize,
    /// How far along the side, 0 to 1.
    pub(crate) t: f64,
    /// How far the point is from there, m; negative for one that lies inside.
    pub(crate) distance: f64,
}

/// The place nearest to a point of an outline of `count` corners, counter-clockwise. One corner is a place, and two are a
/// line, which have no inside.
pub(crate) fn nearest(count: usize, corner: impl Fn(usize) -> DVec2, at: DVec2) -> Near {
    let mut best = Near { side: 0, t: 0.0, distance: f64::INFINITY };
    let mut inside = count >= 3;
    for side in 0..count {
        let (a, b) = (corner(side), corner((side + 1) % count));
        let along = b - a;
        let t = (at - a).dot(along) / along.length_squared();
        let t = if t > 0.0 { t.min(1.0) } else { 0.0 };
        let distance = at.distance(a + t * along);
        if distance < best.distance {
            best = Near { side, t, distance };
        }
        inside &= along.perp_dot(at - a) >= 0.0;
    }
    if inside { Near { distance: -best.distance, ..best } } else { best }
}
