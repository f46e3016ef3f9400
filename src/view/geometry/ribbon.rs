//! Ribbons: bands of colour along a path, such as strokes, rims that fade, and lit sides.
//!
//! A ribbon is given by its rows: each runs along the path at a distance to its left and has a colour
//! that may depend on which way the path looks there. Between rows colours blend. At corners the rows
//! meet in a miter, limited where the corner is sharp.

use super::Geometry;
use crate::math::Vec2;
use crate::view::color::Color;

/// The most points of a path that go into one batch together.
const PORTION: usize = 2000;
/// Past this many widths a sharp corner is cut off instead of growing a spike.
const LONGEST_MITER: f32 = 2.0;

impl Geometry {
    /// A band along a path. Row `k` lies `rows[k]` pixels to the left of it (in screen coordinates, y
    /// down, so to the right of somebody who walks along) and has the colour that `color_at` gives
    /// for its number and the unit vector to that side.
    pub(crate) fn ribbon(
        &mut self,
        path: &[Vec2],
        closed: bool,
        rows: &[f32],
        color_at: impl Fn(usize, Vec2) -> Color,
    ) {
        let count = path.len();
        if count < 2 || rows.len() < 2 {
            return;
        }
        let spans = if closed { count } else { count - 1 };
        let mut start = 0;
        while start < spans {
            let end = (start + PORTION).min(spans);
            let width = rows.len();
            let points = end - start + 1;
            let (batch, first) = self.room(points * width, 6 * (points - 1) * (width - 1));
            for i in start..=end {
                let (normal, miter) = corner(path, i % count, closed);
                for (row, &offset) in rows.iter().enumerate() {
                    batch.push(path[i % count] + offset * miter, color_at(row, normal));
                }
            }
            for i in 0..points - 1 {
                let (a, b) = (first + i * width, first + (i + 1) * width);
                for row in 0..width - 1 {
                    batch.quad(a + row, b + row, b + row + 1, a + row + 1);
                }
            }
            start = end;
        }
    }

    /// A stroke of one colour along a path, `width` pixels wide, with smooth rims.
    pub(crate) fn stroke(&mut self, path: &[Vec2], closed: bool, width: f32, color: Color) {
        let color = color.faded((width / self.feather).min(1.0));
        let half = 0.5 * self.feather;
        let inner = (0.5 * width - half).max(0.0);
        let outer = inner + 2.0 * half;
        let clear = color.clear();
        self.ribbon(path, closed, &[-outer, -inner, inner, outer], |row, _| {
            if row == 1 || row == 2 { color } else { clear }
        });
    }
}

/// The unit vector to the side of a path at a point of it, and the miter there.
fn corner(path: &[Vec2], i: usize, closed: bool) -> (Vec2, Vec2) {
    let count = path.len();
    let side = |from: usize, to: usize| (path[to] - path[from]).perp().normalize_or_zero();
    let (first, last) = (!closed && i == 0, !closed && i + 1 == count);
    let after = if last { Vec2::ZERO } else { side(i, (i + 1) % count) };
    let before = if first { Vec2::ZERO } else { side((i + count - 1) % count, i) };
    let sum = before + after;
    let normal = sum.normalize_or_zero();
    if before == Vec2::ZERO || after == Vec2::ZERO {
        return (normal, normal);
    }
    let squared = sum.length_squared().max(4.0 / (LONGEST_MITER * LONGEST_MITER));
    (normal, 2.0 / squared * sum)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::color::INK;
    use crate::view::geometry::Batch;

    fn corners(geometry: &Geometry) -> usize {
        geometry.batches().iter().map(|batch| batch.vertices.len()).sum()
    }

    #[test]
    fn a_stroke_keeps_its_distance_around_a_corner() {
        let mut geometry = Geometry::default();
        let path = [Vec2::ZERO, Vec2::new(10.0, 0.0), Vec2::new(10.0, 10.0)];
        geometry.stroke(&path, false, 4.0, INK);
        let batch = &geometry.batches()[0];
        assert_eq!(batch.vertices.len(), 12);
        let inner: Vec<Vec2> = batch.vertices[4..8].iter().map(|vertex| vertex.position).collect();
        // 1.5 px to either side of both arms.
        assert!(inner.iter().any(|p| p.distance(Vec2::new(8.5, 1.5)) < 1e-4), "{inner:?}");
        assert!(inner.iter().any(|p| p.distance(Vec2::new(11.5, -1.5)) < 1e-4), "{inner:?}");
    }

    #[test]
    fn closed_and_long_paths_are_whole_and_short_ones_nothing() {
        let mut geometry = Geometry::default();
        geometry.stroke(&[Vec2::ONE], false, 4.0, INK);
        geometry.stroke(&[], true, 4.0, INK);
        assert_eq!(corners(&geometry), 0);
        let ring: Vec<Vec2> = (0..50_000)
            .map(|i| 500.0 * Vec2::from_angle(std::f32::consts::TAU * i as f32 / 50_000.0))
            .collect();
        geometry.stroke(&ring, true, 2.0, INK);
        assert!(corners(&geometry) >= 200_000);
        assert!(geometry.batches().iter().all(|b| b.vertices.len() < Batch::MOST_VERTICES));
        // The seam: the last point is the first.
        let last = geometry.batches().last().unwrap().vertices.last().unwrap().position;
        let first = geometry.batches()[0].vertices[3].position;
        assert!(last.distance(first) < 1e-3);
    }
}
