//! What holds soft bodies together beside edges: bends and areas, with their derivatives.
//!
//! The turn `θ` from `u = b − a` to `v = c − b` changes with `c` by `v⊥/|v|²`, with `a` by `u⊥/|u|²`,
//! and with `b` by minus both. The area of an outline changes with a vertex by half the vector
//! across it, turned by a right angle. Neither changes when all points move or turn alike, so their
//! forces keep momentum and angular momentum.

use crate::math::{Mapped, Vec2, cross, doubled_area, left, right};
use crate::world::{Area, AreaRule, Bend, bend_turn};

/// How far a bend is from rest, rad, and the derivative by each of its three points.
pub(crate) fn bend(bend: &Bend, positions: &[Vec2]) -> (f32, [Vec2; 3]) {
    let at = bend.points.mapped(|point| positions[point as usize]);
    let turn = bend_turn(at);
    let error = bend.rest.inverse().after(turn).radians();
    let slope = |along: Vec2| left(along) / along.length_squared().max(1e-12);
    let (u, v) = (slope(at[1] - at[0]), slope(at[2] - at[1]));
    (error, [u, -u - v, v])
}

/// The signed area of an outline, m².
#[inline]
pub(crate) fn area(outline: &[u32], positions: &[Vec2]) -> f32 {
    let at = |point: u32| positions[point as usize];
    match *outline {
        // The cells of a cloth and the triangles of a jelly.
        [a, b, c, d] => 0.5 * cross(at(c) - at(a), at(d) - at(b)),
        [a, b, c] => 0.5 * cross(at(b) - at(a), at(c) - at(a)),
        _ => 0.5 * doubled_area(outline.iter().map(|&point| at(point))),
    }
}

/// The derivative of the area by the vertex `k` of its outline, m.
pub(crate) fn area_gradient(outline: &[u32], k: usize, positions: &[Vec2]) -> Vec2 {
    let at = |k: usize| positions[outline[k % outline.len()] as usize];
    0.5 * right(at(k + 1) - at(k + outline.len() - 1))
}

/// The area below which a guard is at work, m²; springs always are.
#[inline]
pub(crate) fn watched(area: &Area) -> Option<f32> {
    /// A guard looks out for what is left of the area at rest from here on.
    const WATCHED: f32 = 2.0 * Area::KEPT;
    match area.rule {
        AreaRule::Spring { .. } => None,
        AreaRule::Guard => Some(WATCHED * area.rest),
    }
}

/// Whether an area that is `now` does anything: guards only where little is left.
#[inline]
pub(crate) fn is_at_work(area: &Area, now: f32) -> bool {
    watched(area).is_none_or(|watched| now < watched)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Rot;
    use approx::assert_relative_eq;

    fn places() -> Vec<Vec2> {
        [(0.1, -0.2), (1.0, 0.3), (1.4, 1.2), (0.2, 0.9)].map(Vec2::from).to_vec()
    }

    /// The change of `of` per displacement of a point, by central differences.
    fn slope(point: usize, of: impl Fn(&[Vec2]) -> f32) -> Vec2 {
        let step = 1e-3;
        let along = |axis: Vec2| {
            let (mut ahead, mut behind) = (places(), places());
            ahead[point] += step * axis;
            behind[point] -= step * axis;
            (of(&ahead) - of(&behind)) / (2.0 * step)
        };
        Vec2::new(along(Vec2::X), along(Vec2::Y))
    }

    #[test]
    fn derivatives_are_what_differences_say() {
        let straight =
            Bend { points: [0, 1, 2], rest: Rot::IDENTITY, compliance: 0.0, damping: 0.0 };
        let (_, gradient) = bend(&straight, &places());
        for (point, direction) in gradient.into_iter().enumerate() {
            let expected = slope(point, |positions| bend(&straight, positions).0);
            assert_relative_eq!(direction.x, expected.x, epsilon = 1e-3);
            assert_relative_eq!(direction.y, expected.y, epsilon = 1e-3);
        }
        let outline = [0, 1, 2, 3];
        for point in 0..4 {
            let direction = area_gradient(&outline, point, &places());
            let expected = slope(point, |positions| area(&outline, positions));
            assert_relative_eq!(direction.x, expected.x, epsilon = 1e-3);
            assert_relative_eq!(direction.y, expected.y, epsilon = 1e-3);
        }
    }
}
