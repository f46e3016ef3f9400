//! Flat figures as triangles with smooth rims.
//!
//! Every figure carries its own anti-aliasing: along its rim runs a band one pixel wide over which
//! the opacity falls to nothing, half inside and half outside the true outline. That is smooth on
//! any graphics driver, multisampled or not, and still needs no texture, so a whole frame is one
//! kind of draw call.
//!
//! Triangles are gathered in batches of at most [`Batch::MOST_VERTICES`], the most that 16-bit
//! indices reach with the window's draw calls. Coordinates are screen pixels, y down. Nothing here
//! knows the window library.

mod ribbon;

use crate::math::Vec2;
use crate::view::color::Color;

/// A corner of a triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Where it is, px from the upper left corner of the picture, y down.
    pub position: Vec2,
    /// Its colour; between corners colours blend.
    pub color: Color,
}

/// Triangles that go to the graphics card together.
#[derive(Clone, Debug, Default)]
pub struct Batch {
    /// The corners.
    pub vertices: Vec<Vertex>,
    /// Three numbers of corners for each triangle, of either winding.
    pub indices: Vec<u16>,
}

impl Batch {
    /// Most vertices in one batch. Indices have 16 bits, and the window library wants one batch to
    /// stay below its capacity.
    pub(crate) const MOST_VERTICES: usize = 65_532;
    /// Most indices in one batch: no figure here has more than four and a half to a vertex.
    pub(crate) const MOST_INDICES: usize = 9 * Self::MOST_VERTICES / 2;

    fn push(&mut self, position: Vec2, color: Color) {
        self.vertices.push(Vertex { position, color });
    }

    fn triangle(&mut self, a: usize, b: usize, c: usize) {
        self.indices.extend([a as u16, b as u16, c as u16]);
    }

    fn quad(&mut self, a: usize, b: usize, c: usize, d: usize) {
        self.indices.extend([a, b, c, a, c, d].map(|corner| corner as u16));
    }
}

/// Everything that is drawn in a frame, in order. Buffers are kept from frame to frame.
#[derive(Debug)]
pub(crate) struct Geometry {
    batches: Vec<Batch>,
    used: usize,
    /// Width of the smooth rim: one physical pixel, in the units of the coordinates.
    feather: f32,
    /// Outward directions at the corners of the figure in hand.
    miters: Vec<Vec2>,
    /// The outline of the figure in hand.
    ring: Vec<Vec2>,
}

impl Default for Geometry {
    fn default() -> Self {
        Self { batches: Vec::new(), used: 0, feather: 1.0, miters: Vec::new(), ring: Vec::new() }
    }
}

impl Geometry {
    /// Forgets all figures. `feather` is the width of a physical pixel.
    pub(crate) fn clear(&mut self, feather: f32) {
        for batch in &mut self.batches {
            batch.vertices.clear();
            batch.indices.clear();
        }
        self.used = 0;
        self.feather = feather;
    }

    /// The batches, in drawing order.
    pub(crate) fn batches(&self) -> &[Batch] {
        &self.batches[..self.used]
    }

    /// A batch with room for `vertices` more, and the index of the first of them.
    fn room(&mut self, vertices: usize, indices: usize) -> (&mut Batch, usize) {
        debug_assert!(vertices < Batch::MOST_VERTICES);
        let fits = self.used > 0 && {
            let batch = &self.batches[self.used - 1];
            batch.vertices.len() + vertices < Batch::MOST_VERTICES
                && batch.indices.len() + indices < Batch::MOST_INDICES
        };
        if !fits {
            if self.used == self.batches.len() {
                self.batches.push(Batch::default());
            }
            self.used += 1;
        }
        let batch = &mut self.batches[self.used - 1];
        let first = batch.vertices.len();
        (batch, first)
    }

    /// A convex polygon of one colour, either winding.
    pub(crate) fn polygon(&mut self, outline: &[Vec2], color: Color) {
        self.feathered(outline, self.feather, |_| color);
    }

    /// A convex polygon whose colour depends on the place.
    pub(crate) fn shaded(&mut self, outline: &[Vec2], color_at: impl Fn(Vec2) -> Color) {
        self.feathered(outline, self.feather, color_at);
    }

    /// A convex polygon whose rim fades out over `blur` pixels: a soft shadow.
    pub(crate) fn soft(&mut self, outline: &[Vec2], blur: f32, color: Color) {
        self.feathered(outline, blur, |_| color);
    }

    fn feathered(&mut self, outline: &[Vec2], feather: f32, color_at: impl Fn(Vec2) -> Color) {
        let offsets = [-0.5 * feather, 0.5 * feather];
        self.rings(outline, offsets, true, |corner| {
            let color = color_at(corner);
            [color, color.clear()]
        });
    }

    /// A convex polygon with a rim of another colour, `width` pixels wide, inside its outline.
    pub(crate) fn framed(&mut self, outline: &[Vec2], width: f32, rim: Color, fill: Color) {
        let half = 0.5 * self.feather;
        let colors = [fill, rim, rim, rim.clear()];
        if width > self.feather {
            let offsets = [-width - half, half - width, -half, half];
            return self.rings(outline, offsets, true, |_| colors);
        }
        // The rim is all transition: it is at its strongest in its middle.
        let offsets = [-width - half, -0.5 * width, half];
        self.rings(outline, offsets, true, |_| [fill, rim, rim.clear()]);
    }

    /// Rings around the outline of a convex polygon, from the innermost to the outermost, moved out
    /// by `offsets` pixels, between which colours blend; the innermost may be filled.
    fn rings<const N: usize>(
        &mut self,
        outline: &[Vec2],
        offsets: [f32; N],
        filled: bool,
        colors_at: impl Fn(Vec2) -> [Color; N],
    ) {
        let count = outline.len();
        if count < 3 {
            return;
        }
        let mut miters = std::mem::take(&mut self.miters);
        outward(outline, &mut miters);
        let (batch, first) = self.room(N * count, (6 * N - 3) * count);
        for (&corner, &miter) in outline.iter().zip(&miters) {
            let colors = colors_at(corner);
            batch.vertices.extend_from_slice(&std::array::from_fn::<_, N, _>(|ring| Vertex {
                position: corner + offsets[ring] * miter,
                color: colors[ring],
            }));
        }
        if filled {
            for i in 1..count - 1 {
                batch.triangle(first, first + N * i, first + N * (i + 1));
            }
        }
        let mut a = first + N * (count - 1);
        for i in 0..count {
            let b = first + N * i;
            for ring in 0..N - 1 {
                batch.quad(a + ring, b + ring, b + ring + 1, a + ring + 1);
            }
            a = b;
        }
        self.miters = miters;
    }

    /// A convex polygon without a smooth rim: for what others cover the rims of.
    pub(crate) fn flat(&mut self, outline: &[Vec2], color: Color) {
        self.patch(outline, |_| color);
    }

    /// The same with a colour that depends on the place.
    pub(crate) fn patch(&mut self, outline: &[Vec2], color_at: impl Fn(Vec2) -> Color) {
        let count = outline.len();
        if count < 3 {
            return;
        }
        let (batch, first) = self.room(count, 3 * count);
        for &corner in outline {
            batch.push(corner, color_at(corner));
        }
        for i in 1..count - 1 {
            batch.triangle(first, first + i, first + i + 1);
        }
    }

    /// An upright rectangle, its colour running from `top` to `bottom`; no smooth rim.
    pub(crate) fn gradient(&mut self, min: Vec2, max: Vec2, top: Color, bottom: Color) {
        let (batch, first) = self.room(4, 6);
        batch.push(min, top);
        batch.push(Vec2::new(max.x, min.y), top);
        batch.push(max, bottom);
        batch.push(Vec2::new(min.x, max.y), bottom);
        batch.quad(first, first + 1, first + 2, first + 3);
    }

    /// An upright rectangle with round corners.
    pub(crate) fn rounded(&mut self, min: Vec2, max: Vec2, radius: f32, color: Color) {
        let radius = radius.min(0.5 * (max - min).min_element()).max(0.0);
        if radius < 0.5 * self.feather {
            let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
            return self.polygon(&corners, color);
        }
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        let steps = arc_steps(radius).div_ceil(4).max(1);
        let inner = [
            (max - radius, Vec2::X),
            (Vec2::new(min.x + radius, max.y - radius), Vec2::Y),
            (min + radius, Vec2::NEG_X),
            (Vec2::new(max.x - radius, min.y + radius), Vec2::NEG_Y),
        ];
        for (center, start) in inner {
            arc(&mut ring, center, radius * start, 0.25, steps);
        }
        self.polygon(&ring, color);
        self.ring = ring;
    }

    /// A disc.
    pub(crate) fn disc(&mut self, center: Vec2, radius: f32, color: Color) {
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        let steps = arc_steps(radius);
        arc(&mut ring, center, Vec2::new(radius, 0.0), 1.0, steps);
        ring.pop();
        self.polygon(&ring, color);
        self.ring = ring;
    }

    /// All places within `radius` of the segment from `a` to `b`.
    pub(crate) fn capsule(&mut self, a: Vec2, b: Vec2, radius: f32, color: Color) {
        let along = b - a;
        let length = along.length();
        if length < 1e-3 {
            return self.disc(a, radius, color);
        }
        let side = radius / length * Vec2::new(-along.y, along.x);
        let steps = arc_steps(radius).div_ceil(2);
        let mut ring = std::mem::take(&mut self.ring);
        ring.clear();
        arc(&mut ring, a, side, 0.5, steps);
        arc(&mut ring, b, -side, 0.5, steps);
        self.polygon(&ring, color);
        self.ring = ring;
    }

    /// A straight line with square ends. Thinner than a pixel, it turns transparent instead.
    pub(crate) fn line(&mut self, a: Vec2, b: Vec2, width: f32, color: Color) {
        let along = b - a;
        let length = along.length();
        if length < 1e-6 {
            return;
        }
        let color = color.faded((width / self.feather).min(1.0));
        let normal = Vec2::new(-along.y, along.x) / length;
        let half_feather = 0.5 * self.feather;
        let inner = (0.5 * width - half_feather).max(0.0);
        let outer = inner + 2.0 * half_feather;
        let clear = color.clear();
        let (batch, first) = self.room(8, 18);
        for (offset, color) in [(-outer, clear), (-inner, color), (inner, color), (outer, clear)] {
            batch.push(a + offset * normal, color);
            batch.push(b + offset * normal, color);
        }
        for band in 0..3 {
            let row = first + 2 * band;
            batch.quad(row, row + 1, row + 3, row + 2);
        }
    }

    /// The rim of a polygon, `width` wide, half of it inside.
    pub(crate) fn outline(&mut self, corners: &[Vec2], width: f32, color: Color) {
        let color = color.faded((width / self.feather).min(1.0));
        let half_feather = 0.5 * self.feather;
        let inner = (0.5 * width - half_feather).max(0.0);
        let outer = inner + 2.0 * half_feather;
        let clear = color.clear();
        self.rings(corners, [-outer, -inner, inner, outer], false, |_| {
            [clear, color, color, clear]
        });
    }
}

/// Moves every side of a convex polygon inwards by `distance`, into `result`. A polygon too small
/// for that shrinks by as much as leaves it some inside.
pub(crate) fn inset(outline: &[Vec2], distance: f32, result: &mut Vec<Vec2>) {
    outward(outline, result);
    let shortest = sides(outline).map(|(a, b)| a.distance(b)).fold(f32::INFINITY, f32::min);
    let distance = distance.min(0.4 * shortest);
    for (miter, &corner) in result.iter_mut().zip(outline) {
        *miter = corner - distance * *miter;
    }
}

/// The outline of everything within `radius` of a convex core, into `result`.
pub(crate) fn grown(core: &[Vec2], radius: f32, result: &mut Vec<Vec2>) {
    result.clear();
    if radius <= 0.0 {
        return result.extend_from_slice(core);
    }
    let count = core.len();
    let area: f32 = sides(core).map(|(a, b)| a.perp_dot(b)).sum();
    let outward = |a: Vec2, b: Vec2| {
        let normal = radius * (b - a).perp().normalize_or_zero();
        if area > 0.0 { -normal } else { normal }
    };
    for k in 0..count {
        let [a, b, c] = [k + count - 1, k, k + 1].map(|i| core[i % count]);
        let (from, to) = (outward(a, b), outward(b, c));
        let turn = from.perp_dot(to).atan2(from.dot(to));
        let steps = (turn.abs() / std::f32::consts::TAU * arc_steps(radius) as f32).ceil().max(1.0);
        for step in 0..=steps as u32 {
            let angle = turn * step as f32 / steps;
            result.push(b + Vec2::from_angle(angle).rotate(from));
        }
    }
}

/// The sides of a closed outline.
pub(crate) fn sides(outline: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    outline.iter().zip(outline.iter().skip(1).chain(outline.first())).map(|(&a, &b)| (a, b))
}

/// For each corner the outward direction that moves both its sides out by 1 (the miter), limited
/// where the corner is sharp.
fn outward(outline: &[Vec2], miters: &mut Vec<Vec2>) {
    /// Past this a sharp corner is cut off instead of growing a spike.
    const LONGEST: f32 = 3.0;
    miters.clear();
    let doubled_area: f32 = sides(outline).map(|(a, b)| a.perp_dot(b)).sum();
    let sign = if doubled_area < 0.0 { -1.0 } else { 1.0 };
    let normal = |(a, b): (Vec2, Vec2)| {
        let along: Vec2 = b - a;
        sign * Vec2::new(along.y, -along.x).normalize_or_zero()
    };
    // A side without length has no normal of its own: it continues the side before it.
    let last = outline.last().copied().into_iter().zip(outline.first().copied());
    let backwards = last.chain(outline.windows(2).rev().map(|side| (side[0], side[1])));
    let mut before = backwards.map(normal).find(|&n| n != Vec2::ZERO).unwrap_or(Vec2::ZERO);
    for side in sides(outline) {
        let own = normal(side);
        let after = if own == Vec2::ZERO { before } else { own };
        let sum = before + after;
        // As long as 2 over the length of the sum; the limit is kept by dividing by no less.
        let squared = sum.length_squared().max(4.0 / (LONGEST * LONGEST));
        miters.push(2.0 / squared * sum);
        before = after;
    }
}

/// How many straight pieces make a full circle look round: the chord stays within a seventh of a
/// pixel of the arc.
fn arc_steps(radius: f32) -> usize {
    ((4.2 * radius.max(0.0).sqrt()).ceil() as usize * 2).clamp(8, 128)
}

/// Points along an arc: from `center + start`, by `turns` of a full circle, in `steps` steps.
fn arc(ring: &mut Vec<Vec2>, center: Vec2, start: Vec2, turns: f32, steps: usize) {
    let turn = Vec2::from_angle(std::f32::consts::TAU * turns / steps as f32);
    let mut arm = start;
    ring.push(center + arm);
    for _ in 0..steps {
        arm = turn.rotate(arm);
        ring.push(center + arm);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::color::INK;

    /// Twice the signed area of all opaque triangles.
    fn area(geometry: &Geometry) -> f32 {
        let mut total = 0.0;
        for batch in geometry.batches() {
            for triangle in batch.indices.chunks(3) {
                let [a, b, c] = [0, 1, 2].map(|i| batch.vertices[triangle[i] as usize]);
                let opacity =
                    [a, b, c].map(|v| f32::from(v.color.0[3]) / 255.0).iter().sum::<f32>() / 3.0;
                let doubled = (b.position - a.position).perp_dot(c.position - a.position);
                total += 0.5 * doubled.abs() * opacity;
            }
        }
        total
    }

    #[test]
    fn figures_cover_their_area() {
        let mut geometry = Geometry::default();
        let square = [(0.0, 0.0), (20.0, 0.0), (20.0, 20.0), (0.0, 20.0)].map(Vec2::from);
        geometry.polygon(&square, INK);
        assert!((area(&geometry) - 400.0).abs() < 2.0, "{}", area(&geometry));
        geometry.clear(1.0);
        geometry.disc(Vec2::ZERO, 30.0, INK);
        let expected = std::f32::consts::PI * 900.0;
        assert!((area(&geometry) / expected - 1.0).abs() < 0.01, "{}", area(&geometry));
        geometry.clear(1.0);
        geometry.capsule(Vec2::ZERO, Vec2::new(0.0, 40.0), 10.0, INK);
        let expected = 800.0 + std::f32::consts::PI * 100.0;
        assert!((area(&geometry) / expected - 1.0).abs() < 0.015, "{}", area(&geometry));
        geometry.clear(1.0);
        geometry.line(Vec2::ZERO, Vec2::new(100.0, 0.0), 4.0, INK);
        assert!((area(&geometry) - 400.0).abs() < 2.0, "{}", area(&geometry));
        geometry.clear(1.0);
        geometry.rounded(Vec2::ZERO, Vec2::new(40.0, 20.0), 0.0, INK);
        assert!((area(&geometry) - 800.0).abs() < 4.0, "{}", area(&geometry));
    }

    #[test]
    fn winding_does_not_matter_and_inset_shrinks() {
        let mut square = [(0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0)].map(Vec2::from);
        let mut small = Vec::new();
        inset(&square, 2.0, &mut small);
        assert!((small[0] - Vec2::new(2.0, 2.0)).length() < 1e-5, "{small:?}");
        square.reverse();
        inset(&square, 2.0, &mut small);
        assert!((small[0] - Vec2::new(2.0, 8.0)).length() < 1e-5, "{small:?}");
    }

    #[test]
    fn batches_stay_within_what_an_index_reaches() {
        let mut geometry = Geometry::default();
        for i in 0..10_000 {
            geometry.disc(Vec2::splat(i as f32), 5.0, INK);
        }
        assert!(geometry.batches().len() > 1);
        for batch in geometry.batches() {
            assert!(batch.vertices.len() < Batch::MOST_VERTICES);
            assert!(batch.indices.len() < Batch::MOST_INDICES);
            assert!(batch.indices.iter().all(|&i| usize::from(i) < batch.vertices.len()));
        }
        geometry.clear(1.0);
        assert!(geometry.batches().is_empty());
    }

    #[test]
    fn degenerate_figures_draw_nothing_and_never_panic() {
        let mut geometry = Geometry::default();
        geometry.polygon(&[], INK);
        geometry.polygon(&[Vec2::ZERO; 4], INK);
        geometry.line(Vec2::ONE, Vec2::ONE, 2.0, INK);
        geometry.disc(Vec2::ZERO, -1.0, INK);
        geometry.capsule(Vec2::ZERO, Vec2::ZERO, 0.0, INK);
        geometry.outline(&[Vec2::NAN; 3], 1.0, INK);
        assert!(area(&geometry).is_nan() || area(&geometry) < 20.0);
    }
}
