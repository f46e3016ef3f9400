//! Anchors: places on a body, as weights on up to three of its points.

use crate::math::{Mapped, Vec2, cross, part_of_way};

/// A place on a body: up to three of its points with weights that sum to 1.
///
/// The place moves with the points whatever they do, so joints, drags and forces need not know
/// whether a body is rigid or soft. Unused slots carry weight 0 and repeat the first point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Indices of points.
    pub points: [u32; 3],
    /// The weight of each, summing to 1. Negative weights reach outside the triangle.
    pub weights: [f32; 3],
}

impl Anchor {
    /// The place of a single point.
    #[must_use]
    pub fn at_point(point: u32) -> Self {
        Self { points: [point; 3], weights: [1.0, 0.0, 0.0] }
    }

    /// The place between two points, `t` of the way from `a` to `b`.
    #[must_use]
    pub fn between(a: u32, b: u32, t: f32) -> Self {
        Self { points: [a, b, a], weights: [1.0 - t, t, 0.0] }
    }

    /// The place `target` relative to three points at `corners` (barycentric coordinates), or
    /// `None` where the three lie on a line.
    #[must_use]
    pub fn in_triangle(points: [u32; 3], corners: [Vec2; 3], target: Vec2) -> Option<Self> {
        let [a, b, c] = corners;
        let doubled = cross(b - a, c - a);
        let longest = (b - a).length_squared().max((c - a).length_squared());
        if doubled.abs() <= 1e-6 * longest || !doubled.is_finite() {
            return None;
        }
        let wb = cross(target - a, c - a) / doubled;
        let wc = cross(b - a, target - a) / doubled;
        Some(Self { points, weights: [1.0 - wb - wc, wb, wc] })
    }

    /// Whether any point carries weight of both.
    pub(crate) fn shares_points(&self, other: &Self) -> bool {
        self.terms().any(|(point, _)| other.terms().any(|(its, _)| its == point))
    }

    /// The (point, weight) pairs that carry weight.
    pub fn terms(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.points
            .iter()
            .zip(&self.weights)
            .filter(|&(_, &weight)| weight != 0.0)
            .map(|(&point, &weight)| (point as usize, weight))
    }

    /// The weighted mean of `values` at the anchor's points: its position, from positions, or its
    /// velocity, from velocities.
    #[inline]
    #[must_use]
    pub fn sample(&self, values: &[Vec2]) -> Vec2 {
        let [a, b, c] = self.points;
        let [wa, wb, wc] = self.weights;
        // Relative to the first point: far from the origin this keeps the small differences.
        let base = values[a as usize];
        base * (wa + wb + wc) + wb * (values[b as usize] - base) + wc * (values[c as usize] - base)
    }

    /// The smallest triangle-like support for `target` among `candidates` (index, position): the
    /// triple whose weights have the least total magnitude, that is one that contains the target
    /// where there is one, and of those the widest. Falls back to a segment, then to a point.
    pub(crate) fn best(candidates: &[(u32, Vec2)], target: Vec2) -> Option<Self> {
        // Enough for every shape the scene can name; a long outline keeps only its nearest points.
        const MOST: usize = 12;
        let mut near = candidates.to_vec();
        near.sort_by(|p, q| {
            let (dp, dq) = (p.1.distance_squared(target), q.1.distance_squared(target));
            dp.total_cmp(&dq).then(p.0.cmp(&q.0))
        });
        near.truncate(MOST);
        let mut best: Option<(f32, f32, Self)> = None;
        for i in 0..near.len() {
            for j in i + 1..near.len() {
                for k in j + 1..near.len() {
                    let points = [near[i].0, near[j].0, near[k].0];
                    let corners = [near[i].1, near[j].1, near[k].1];
                    let Some(anchor) = Self::in_triangle(points, corners, target) else {
                        continue;
                    };
                    let reach: f32 = anchor.weights.iter().map(|w| w.abs()).sum();
                    let width = cross(corners[1] - corners[0], corners[2] - corners[0]).abs();
                    let better = best.as_ref().is_none_or(|(r, w, _)| {
                        reach < r - 1e-4 || (reach < r + 1e-4 && width > w * 1.001)
                    });
                    if better {
                        best = Some((reach, width, anchor));
                    }
                }
            }
        }
        best.map(|(_, _, anchor)| anchor.cleaned()).or_else(|| {
            let &(a, pa) = near.first()?;
            let Some(&(b, pb)) = near.get(1) else { return Some(Self::at_point(a)) };
            Some(Self::between(a, b, part_of_way(target, [pa, pb])))
        })
    }

    /// Weights that are only rounding are dropped, so that an anchor on a point is that point.
    pub(crate) fn cleaned(self) -> Self {
        let mut weights = self.weights.mapped(|w| if w.abs() < 1e-5 { 0.0 } else { w });
        let total: f32 = weights.iter().sum();
        weights = weights.mapped(|w| w / total);
        Self { weights, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn best_anchor_of_a_box_stays_on_its_side() {
        let points =
            [(0, -1.0, -1.0), (1, 1.0, -1.0), (2, 1.0, 1.0), (3, -1.0, 1.0), (4, 0.0, 0.0)];
        let points = points.map(|(i, x, y)| (i, Vec2::new(x, y)));
        let positions: Vec<Vec2> = points.iter().map(|p| p.1).collect();
        for target in [Vec2::new(0.0, 1.0), Vec2::new(0.3, -0.2), Vec2::new(2.0, 3.0), Vec2::ONE] {
            let anchor = Anchor::best(&points, target).unwrap();
            let found = anchor.sample(&positions);
            assert_relative_eq!(found.x, target.x, epsilon = 1e-5);
            assert_relative_eq!(found.y, target.y, epsilon = 1e-5);
        }
        let top = Anchor::best(&points, Vec2::new(0.0, 1.0)).unwrap();
        assert!(top.weights.iter().all(|&w| w > -1e-4), "{top:?}");
        assert_eq!(Anchor::best(&points, Vec2::ONE).unwrap().terms().count(), 1);
    }

    #[test]
    fn one_or_two_points_still_anchor() {
        assert_eq!(Anchor::best(&[(7, Vec2::X)], Vec2::ONE), Some(Anchor::at_point(7)));
        assert_eq!(Anchor::best(&[], Vec2::ONE), None);
        let rod = Anchor::best(&[(0, Vec2::ZERO), (1, Vec2::X)], Vec2::new(0.25, 0.0)).unwrap();
        assert_relative_eq!(rod.sample(&[Vec2::ZERO, Vec2::X]).x, 0.25);
    }
}
