//! Round corners: an outline with its convex corners rounded off by arcs.
//!
//! The rounded solid is a *core* grown by a radius, which is how pieces collide: each side of the
//! outline moves in by the radius to make the core, and growing brings it back to where it was.
//! Convex corners come back as arcs, reflex ones as sharp as they were.

use crate::math::{Moments, Vec2, cross, left, polygon_moments, right};
use crate::outline::simple_outline;

/// The core of an outline, counter-clockwise, whose sides lie `radius` further in: as many vertices,
/// in the same order. `None` if a side is too short for it, or the outline too thin.
pub(crate) fn inset(outline: &[Vec2], radius: f32, least: f32) -> Option<Vec<Vec2>> {
    let count = outline.len();
    let core: Vec<Vec2> = (0..count)
        .map(|k| {
            let [a, b, c] = [k + count - 1, k, k + 1].map(|i| outline[i % count]);
            let (u, v) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
            // The corner of two lines moved by `radius` to their left.
            b + radius * (left(u) + left(v)) / (1.0 + u.dot(v)).max(1e-3)
        })
        .collect();
    for k in 0..count {
        let next = (k + 1) % count;
        let (side, inner) = (outline[next] - outline[k], core[next] - core[k]);
        if !(inner.dot(side) >= least * side.length()) {
            return None;
        }
    }
    // Corners that were no corners would be left out.
    let checked = simple_outline(&core, least).ok()?;
    (checked == core).then_some(core)
}

/// The moments of an outline, counter-clockwise, with corners rounded by `radius`.
///
/// From the outline itself, each convex corner takes away the kite between the corner and the ends of
/// the arc, and gives back the sector under the arc.
pub(crate) fn moments(outline: &[Vec2], radius: f32) -> Moments {
    let whole = polygon_moments(outline);
    let origin = whole.centroid;
    let mut sum = Sum::default();
    sum.add(1.0, whole, origin);
    let count = outline.len();
    for k in 0..count {
        let [a, b, c] = [k + count - 1, k, k + 1].map(|i| outline[i % count]);
        let (u, v) = ((b - a).normalize_or_zero(), (c - b).normalize_or_zero());
        let half = 0.5 * libm::atan2f(cross(u, v), u.dot(v));
        if half <= 0.0 {
            continue;
        }
        let tangent = radius * libm::tanf(half);
        let (start, end) = (b - tangent * u, b + tangent * v);
        let center = start + radius * left(u);
        sum.add(-1.0, polygon_moments(&[start, b, end, center]), origin);
        sum.add(1.0, sector(center, radius, half, right(u + v).normalize_or_zero()), origin);
    }
    sum.moments(origin)
}

/// A sector of a disc that reaches `half` rad to both sides of a direction.
fn sector(center: Vec2, radius: f32, half: f32, direction: Vec2) -> Moments {
    let area = radius * radius * half;
    let reach = 2.0 * radius * libm::sinf(half) / (3.0 * half);
    let second = area * (0.5 * radius * radius - reach * reach);
    Moments { area, centroid: center + reach * direction, second }
}

/// Moments added up about one origin.
#[derive(Default)]
struct Sum {
    area: f64,
    first: glam::DVec2,
    second: f64,
}

impl Sum {
    fn add(&mut self, sign: f64, part: Moments, origin: Vec2) {
        let (area, offset) = (f64::from(part.area), (part.centroid - origin).as_dvec2());
        self.area += sign * area;
        self.first += sign * area * offset;
        self.second += sign * (f64::from(part.second) + area * offset.length_squared());
    }

    fn moments(&self, origin: Vec2) -> Moments {
        let center = self.first / self.area;
        Moments {
            area: self.area as f32,
            centroid: origin + center.as_vec2(),
            second: (self.second - self.area * center.length_squared()) as f32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f32::consts::PI;

    /// The same outline with each arc as many short sides.
    fn drawn(core: &[Vec2], radius: f32) -> Vec<Vec2> {
        let count = core.len();
        let mut result = Vec::new();
        for k in 0..count {
            let [a, b, c] = [k + count - 1, k, k + 1].map(|i| core[i % count]);
            let (m, n) = (right(b - a).normalize(), right(c - b).normalize());
            let turn = cross(m, n).atan2(m.dot(n));
            for i in 0..=200 {
                let t = i as f32 / 200.0;
                result.push(b + radius * Vec2::from_angle(t * turn).rotate(m));
            }
        }
        result
    }

    #[test]
    fn a_rounded_square_runs_from_a_square_to_a_disc() {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(Vec2::from);
        for radius in [0.0, 0.2, 0.7, 1.0] {
            let found = moments(&square, radius);
            assert_relative_eq!(
                found.area,
                4.0 - (4.0 - PI) * radius * radius,
                max_relative = 1e-5
            );
            assert!(found.centroid.length() < 1e-5);
        }
        assert_relative_eq!(moments(&square, 1.0).second, 0.5 * PI, max_relative = 1e-4);
    }

    #[test]
    fn moments_are_those_of_what_is_drawn() {
        let triangle = [(0.0, 0.0), (3.0, 0.0), (1.0, 2.0)].map(Vec2::from);
        let radius = 0.25;
        let core = inset(&triangle, radius, 1e-4).unwrap();
        let (found, drawn) = (moments(&triangle, radius), polygon_moments(&drawn(&core, radius)));
        assert_relative_eq!(found.area, drawn.area, max_relative = 1e-3);
        assert_relative_eq!(found.centroid.x, drawn.centroid.x, epsilon = 1e-3);
        assert_relative_eq!(found.centroid.y, drawn.centroid.y, epsilon = 1e-3);
        assert_relative_eq!(found.second, drawn.second, max_relative = 1e-3);
    }

    #[test]
    fn the_core_lies_inside_by_the_radius_and_too_much_is_refused() {
        let l = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)];
        let l = l.map(|(x, y)| Vec2::new(x as f32, y as f32));
        let core = inset(&l, 0.2, 1e-4).unwrap();
        let expected = [(0.2, 0.2), (2.8, 0.2), (2.8, 0.8), (0.8, 0.8), (0.8, 2.8), (0.2, 2.8)];
        for (&at, expected) in core.iter().zip(expected) {
            assert!(at.distance(expected.into()) < 1e-5, "{at}");
        }
        let w = [
            (0.25, 0.0),
            (0.6, 0.0),
            (0.7, 0.45),
            (0.8, 0.0),
            (1.15, 0.0),
            (1.4, 1.4),
            (1.1, 1.4),
            (0.97, 0.6),
            (0.85, 1.1),
            (0.55, 1.1),
            (0.43, 0.6),
            (0.3, 1.4),
            (0.0, 1.4),
        ];
        let core = inset(&w.map(Vec2::from), 0.03, 1e-4).unwrap();
        assert!(crate::outline::convex_pieces(&core).is_some());
        assert_eq!(inset(&l, 0.5, 1e-4), None);
        assert_eq!(inset(&l, 7.0, 1e-4), None);
    }
}
