//! Small plane geometry that every layer shares: products, rotations without trigonometry, boxes
//! and polygon moments.
//!
//! Nothing here calls a `sin`, `cos` or `atan2` of the platform; where an angle is needed, `libm`
//! gives the same bits everywhere.

use std::ops::{Add, Div, Mul};

use glam::Vec4;

pub use glam::Vec2;

/// What arrays have in `map`, but compiled into whatever calls it. Theirs is a call for each element where a crate is
/// compiled in several units, which is what Cargo does unless it is told otherwise, and half of the time of a step.
pub(crate) trait Mapped<T, const N: usize> {
    /// What `of` makes of each.
    fn mapped<R: Copy>(self, of: impl FnMut(T) -> R) -> [R; N];
}

impl<T: Copy, const N: usize> Mapped<T, N> for [T; N] {
    #[inline(always)]
    fn mapped<R: Copy>(self, mut of: impl FnMut(T) -> R) -> [R; N] {
        const { assert!(N > 0, "an array of nothing says nothing") };
        let mut all = [of(self[0]); N];
        for at in 1..N {
            all[at] = of(self[at]);
        }
        all
    }
}

/// The x and the y of a point in one number, as which it is fetched and put back at once: the two by themselves would
/// take twice as long, and as an integer it would go by other registers than those for vectors.
pub(crate) type Both = f64;

/// One number of a vector of four, or of each of two, by its place. What glam has for that goes by a jump to each place,
/// which a processor does not foresee where places follow on each other without order.
pub(crate) trait Lane {
    /// What is in a lane.
    type Value;

    fn lane(&self, lane: usize) -> Self::Value;
    fn set_lane(&mut self, lane: usize, to: Self::Value);
}

impl Lane for Vec4 {
    type Value = f32;

    #[inline(always)]
    fn lane(&self, lane: usize) -> f32 {
        bytemuck::cast_ref::<Self, [f32; 4]>(self)[lane]
    }

    #[inline(always)]
    fn set_lane(&mut self, lane: usize, to: f32) {
        bytemuck::cast_mut::<Self, [f32; 4]>(self)[lane] = to;
    }
}

impl Lane for [Vec4; 2] {
    type Value = [f32; 2];

    #[inline(always)]
    fn lane(&self, lane: usize) -> [f32; 2] {
        [self[0].lane(lane), self[1].lane(lane)]
    }

    #[inline(always)]
    fn set_lane(&mut self, lane: usize, [first, second]: [f32; 2]) {
        self[0].set_lane(lane, first);
        self[1].set_lane(lane, second);
    }
}

/// The z component of the cross product of two plane vectors.
#[inline]
#[must_use]
pub fn cross(a: Vec2, b: Vec2) -> f32 {
    a.x * b.y - a.y * b.x
}

/// The velocity that an angular velocity `w` (rad/s, counter-clockwise) gives at the offset `r`.
#[inline]
#[must_use]
pub fn cross_sv(w: f32, r: Vec2) -> Vec2 {
    Vec2::new(-w * r.y, w * r.x)
}

/// `v` turned by +90°: for a direction along a counter-clockwise outline this points *inwards*.
#[inline]
#[must_use]
pub fn left(v: Vec2) -> Vec2 {
    Vec2::new(-v.y, v.x)
}

/// `v` turned by −90°: for a direction along a counter-clockwise outline this points *outwards*.
#[inline]
#[must_use]
pub fn right(v: Vec2) -> Vec2 {
    Vec2::new(v.y, -v.x)
}

/// `v / |v|`, or `fallback` where `v` is too short to have a direction.
#[inline]
#[must_use]
pub fn direction_or(v: Vec2, fallback: Vec2) -> Vec2 {
    let length = v.length();
    if length > 1e-12 { v / length } else { fallback }
}

/// A rotation as its cosine and sine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rot {
    /// Cosine of the angle.
    pub c: f32,
    /// Sine of the angle.
    pub s: f32,
}

impl Default for Rot {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Rot {
    /// No rotation.
    pub const IDENTITY: Self = Self { c: 1.0, s: 0.0 };

    /// The rotation by `radians`, counter-clockwise.
    #[must_use]
    pub fn from_radians(radians: f32) -> Self {
        let (s, c) = libm::sincosf(radians);
        Self { c, s }
    }

    /// The rotation whose cosine and sine are in the ratio `c : s`; the identity for (0, 0).
    #[inline]
    #[must_use]
    pub fn normalised(c: f32, s: f32) -> Self {
        let length = (c * c + s * s).sqrt();
        if length > 1e-20 { Self { c: c / length, s: s / length } } else { Self::IDENTITY }
    }

    /// The angle in (−π, π].
    #[must_use]
    #[inline]
    pub fn radians(self) -> f32 {
        libm::atan2f(self.s, self.c)
    }

    /// `v` rotated.
    #[inline]
    #[must_use]
    pub fn apply(self, v: Vec2) -> Vec2 {
        Vec2::new(self.c * v.x - self.s * v.y, self.s * v.x + self.c * v.y)
    }

    /// `v` rotated back.
    #[inline]
    #[must_use]
    pub fn unapply(self, v: Vec2) -> Vec2 {
        Vec2::new(self.c * v.x + self.s * v.y, -self.s * v.x + self.c * v.y)
    }

    /// This rotation after `first`: the angles add.
    #[inline]
    #[must_use]
    pub fn after(self, first: Self) -> Self {
        Self { c: self.c * first.c - self.s * first.s, s: self.s * first.c + self.c * first.s }
    }

    /// The opposite rotation.
    #[inline]
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { c: self.c, s: -self.s }
    }

    /// This rotation advanced by the small angle `w·dt`, by the Cayley map: a rational formula,
    /// exact in length, whose angle errs by `(w·dt)³/12`.
    #[inline]
    #[must_use]
    pub fn advanced(self, w: f32, dt: f32) -> Self {
        let half = 0.5 * w * dt;
        let denominator = 1.0 / (1.0 + half * half);
        let turn = Self { c: (1.0 - half * half) * denominator, s: 2.0 * half * denominator };
        let next = turn.after(self);
        Self::normalised(next.c, next.s)
    }
}

/// How a place on a body that is [`advanced`](Rot::advanced) by the angle `turn` departs from the tangent along which its
/// velocity would lead it: by the first times its lever arm, and the second times that turned by a right angle.
#[inline(always)]
pub(crate) fn off_tangent<T>(turn: T) -> [T; 2]
where
    T: Copy + Mul<Output = T> + Div<Output = T> + Mul<f32, Output = T> + Add<f32, Output = T>,
{
    let half = turn * 0.5;
    let square = half * half;
    let along = square * -2.0 / (square + 1.0);
    [along, half * along]
}

/// The same, as a part of its lever arm, where `sine` is the sine of what the body turns by: its velocity leads it as far
/// across as it comes.
#[inline]
pub(crate) fn off_tangent_by_sine(sine: f32) -> f32 {
    let square = (sine * sine).min(1.0);
    -square / (1.0 + (1.0 - square).sqrt())
}

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// The lower left corner.
    pub min: Vec2,
    /// The upper right corner.
    pub max: Vec2,
}

impl Aabb {
    /// The box that holds nothing; growing it by a point gives that point.
    pub const EMPTY: Self =
        Self { min: Vec2::splat(f32::INFINITY), max: Vec2::splat(f32::NEG_INFINITY) };

    /// The smallest box around `points` ([`Aabb::EMPTY`] for none).
    #[must_use]
    pub fn around(points: impl IntoIterator<Item = Vec2>) -> Self {
        points.into_iter().fold(Self::EMPTY, Self::with)
    }

    /// This box grown to hold `point`.
    #[inline]
    #[must_use]
    pub fn with(self, point: Vec2) -> Self {
        Self { min: self.min.min(point), max: self.max.max(point) }
    }

    /// The smallest box around both.
    #[inline]
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    /// This box grown by `margin` on every side.
    #[inline]
    #[must_use]
    pub fn grown(self, margin: f32) -> Self {
        Self { min: self.min - Vec2::splat(margin), max: self.max + Vec2::splat(margin) }
    }

    /// Whether the two boxes share at least a point.
    #[inline]
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        // All at once: which of them fails is as good as random.
        let (least, most) = ((self.min, other.min), (other.max, self.max));
        Vec4::from(least).cmple(Vec4::from(most)).all()
    }

    /// Whether `point` lies inside or on the rim.
    #[inline]
    #[must_use]
    pub fn contains(self, point: Vec2) -> bool {
        self.min.cmple(point).all() && point.cmple(self.max).all()
    }

    /// The middle.
    #[inline]
    #[must_use]
    pub fn center(self) -> Vec2 {
        0.5 * (self.min + self.max)
    }

    /// Width and height.
    #[inline]
    #[must_use]
    pub fn size(self) -> Vec2 {
        self.max - self.min
    }
}

/// Area, centroid and second moment of a plane figure of unit density.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// Area in m²; positive for a counter-clockwise outline.
    pub area: f32,
    /// Centroid.
    pub centroid: Vec2,
    /// ∫ r² dA about the centroid, in m⁴.
    pub second: f32,
}

/// How far along the way from `a` to `b` a place is, 0 at the first and 1 at the second; 0 where both are at one place.
#[inline]
pub(crate) fn part_of_way(at: Vec2, [a, b]: [Vec2; 2]) -> f32 {
    let along = b - a;
    (at - a).dot(along) / along.length_squared().max(1e-20)
}

/// A number that grows with `x`, and among equal ones with `number`: integers are sorted faster. What is not a number comes
/// before or after all that are, by its sign.
#[inline]
pub(crate) fn in_order(x: f32, number: u32) -> u64 {
    let bits = x.to_bits();
    // Numbers with a sign come first, the other way round.
    let order = if bits >> 31 == 0 { bits | 1 << 31 } else { !bits };
    u64::from(order) << 32 | u64::from(number)
}

/// Twice the signed area of an outline, positive when it runs counter-clockwise.
#[must_use]
#[inline]
pub fn doubled_area(mut outline: impl Iterator<Item = Vec2>) -> f32 {
    let Some(first) = outline.next() else { return 0.0 };
    let (mut last, mut sum) = (first, 0.0);
    for next in outline {
        sum += cross(last, next);
        last = next;
    }
    sum + cross(last, first)
}

/// The moments of a simple polygon, by summing the triangles between its first vertex and each
/// edge. Sums run in `f64`, relative to that vertex, so that a small figure far from the origin
/// keeps its digits.
///
/// A polygon without area gives zero moments and the mean of its vertices.
#[must_use]
pub fn polygon_moments(outline: &[Vec2]) -> Moments {
    let Some(&origin) = outline.first() else {
        return Moments { area: 0.0, centroid: Vec2::ZERO, second: 0.0 };
    };
    let (mut area, mut first, mut second) = (0.0_f64, [0.0_f64; 2], 0.0_f64);
    for pair in outline[1..].windows(2) {
        let a = (pair[0] - origin).as_dvec2();
        let b = (pair[1] - origin).as_dvec2();
        let doubled = a.x * b.y - a.y * b.x;
        area += 0.5 * doubled;
        first[0] += doubled * (a.x + b.x) / 6.0;
        first[1] += doubled * (a.y + b.y) / 6.0;
        second += doubled * (a.dot(a) + a.dot(b) + b.dot(b)) / 12.0;
    }
    if area.abs() < 1e-20 {
        let mean = outline.iter().sum::<Vec2>() / outline.len() as f32;
        return Moments { area: 0.0, centroid: mean, second: 0.0 };
    }
    let centre = [first[0] / area, first[1] / area];
    let about_centroid = second - area * (centre[0] * centre[0] + centre[1] * centre[1]);
    Moments {
        area: area as f32,
        centroid: origin + Vec2::new(centre[0] as f32, centre[1] as f32),
        second: about_centroid.abs() as f32,
    }
}

/// Why an outline is not that of a convex polygon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotConvex {
    /// Its vertices lie on a line, or are not finite.
    NoArea,
    /// It turns the wrong way, or not at all, at this vertex.
    At(usize),
    /// It winds around more than once.
    Winds,
}

/// The outline of a convex polygon, counter-clockwise: as it is, or turned round.
///
/// # Errors
/// If the outline is not convex, encloses less than `least_area` or has fewer than three vertices.
pub fn convex_outline(vertices: &[Vec2], least_area: f32) -> Result<Vec<Vec2>, NotConvex> {
    let count = vertices.len();
    let mut outline = vertices.to_vec();
    let area = polygon_moments(&outline).area;
    // Negated so that a NaN, from an overflow, is refused too.
    if count < 3 || !(area.abs() >= least_area) {
        return Err(NotConvex::NoArea);
    }
    let turned = area < 0.0;
    if turned {
        outline.reverse();
        // Rounded otherwise in the other order: what comes out has to pass once more.
        if !(polygon_moments(&outline).area >= least_area) {
            return Err(NotConvex::NoArea);
        }
    }
    // Every corner turns left; a star does so too, but changes its horizontal direction more often
    // than the twice of a single round.
    let mut reversals = 0;
    for i in 0..count {
        let middle = (i + 1) % count;
        let (a, b, c) = (outline[i], outline[middle], outline[(i + 2) % count]);
        if !(cross(b - a, c - b) > 0.0) {
            return Err(NotConvex::At(if turned { count - 1 - middle } else { middle }));
        }
        reversals += usize::from((b.x - a.x < 0.0) != (c.x - b.x < 0.0));
    }
    if reversals > 2 { Err(NotConvex::Winds) } else { Ok(outline) }
}

/// Whether a way from one place to another and on to a third turns left.
pub(crate) fn turns_left(a: Vec2, b: Vec2, c: Vec2) -> bool {
    cross(b - a, c - b) > 0.0
}

/// The corners of the convex hull of some points, counter-clockwise, by their numbers (Andrew's monotone chain, 1979).
/// `turns` says of three points on the way round whether there is a corner at the second.
pub(crate) fn hull(points: &[Vec2], turns: impl Fn(Vec2, Vec2, Vec2) -> bool) -> Vec<u32> {
    let at = |i: u32| points[i as usize];
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&a, &b| at(a).x.total_cmp(&at(b).x).then(at(a).y.total_cmp(&at(b).y)));
    let half = |order: &mut dyn Iterator<Item = u32>| {
        let mut chain: Vec<u32> = Vec::new();
        for point in order {
            while let [.., a, b] = chain[..]
                && !turns(at(a), at(b), at(point))
            {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut order.iter().copied());
    lower.extend(half(&mut order.iter().rev().copied()));
    lower
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn moments_of_a_rectangle_far_from_the_origin() {
        let at = Vec2::new(100.0, -50.0);
        let corners = [(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)];
        let outline: Vec<Vec2> = corners.iter().map(|&(x, y)| at + Vec2::new(x, y)).collect();
        let moments = polygon_moments(&outline);
        assert_relative_eq!(moments.area, 2.0, epsilon = 1e-5);
        assert_relative_eq!(moments.centroid.x, 100.0, epsilon = 1e-4);
        assert_relative_eq!(moments.second, 2.0 * (4.0 + 1.0) / 12.0, epsilon = 1e-4);
    }

    #[test]
    fn numbers_in_order_are_sorted_as_they_are_themselves() {
        let xs = [f32::NEG_INFINITY, -2.0, -1.5, -1e-40, -0.0, 0.0, 1e-40, 1.5, 2.0, f32::INFINITY];
        let all: Vec<u64> = xs.iter().flat_map(|&x| [in_order(x, 0), in_order(x, 7)]).collect();
        assert!(all.is_sorted_by(|a, b| a < b));
        assert!(all.iter().all(|number| [0, 7].contains(&(*number as u32))));
        assert!(in_order(-f32::NAN, 9) < all[0] && in_order(f32::NAN, 0) > all[all.len() - 1]);
    }

    #[test]
    fn cayley_rotation_keeps_its_length_and_nearly_its_angle() {
        let mut rot = Rot::IDENTITY;
        for _ in 0..1000 {
            rot = rot.advanced(1.0, 1e-3);
        }
        assert_relative_eq!(rot.radians(), 1.0, epsilon = 1e-4);
        assert_relative_eq!(rot.c * rot.c + rot.s * rot.s, 1.0, epsilon = 1e-6);
    }

    #[test]
    fn places_leave_the_tangents_of_their_circles_by_what_off_tangent_says() {
        let arm = Vec2::new(0.6, -0.8);
        for turn in [-0.8_f32, -0.1, 0.0, 0.01, 0.3, 1.5] {
            let [along, across] = off_tangent(turn);
            let found = arm + turn * arm.perp() + along * arm + across * arm.perp();
            let turned = Rot::IDENTITY.advanced(turn, 1.0).apply(arm);
            assert!(found.distance(turned) < 1e-6, "{turn} rad: {found} for {turned}");
            let sine = libm::sinf(turn);
            let found = arm + sine * arm.perp() + off_tangent_by_sine(sine) * arm;
            let turned = Rot::from_radians(turn).apply(arm);
            assert!(found.distance(turned) < 1e-6, "{turn} rad: {found} for {turned}");
        }
    }

    #[test]
    fn left_of_a_counter_clockwise_edge_is_inside() {
        let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        assert!(doubled_area(square.iter().copied()) > 0.0);
        assert!(left(square[1] - square[0]).dot(Vec2::new(0.5, 0.5)) > 0.0);
        assert!(right(square[1] - square[0]).y < 0.0);
    }

    #[test]
    fn convex_outlines_are_told_from_others() {
        let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
        assert_eq!(convex_outline(&square, 1e-8), Ok(square.to_vec()));
        let clockwise: Vec<Vec2> = square.iter().rev().copied().collect();
        assert!(doubled_area(convex_outline(&clockwise, 1e-8).unwrap().into_iter()) > 0.0);
        let dented = [Vec2::ZERO, Vec2::X, Vec2::new(0.2, 0.2), Vec2::Y];
        assert_eq!(convex_outline(&dented, 1e-8), Err(NotConvex::At(2)));
        assert_eq!(
            convex_outline(&[Vec2::ZERO, Vec2::X, 2.0 * Vec2::X], 1e-8),
            Err(NotConvex::NoArea)
        );
        let star: Vec<Vec2> = (0..5).map(|i| Vec2::from_angle(i as f32 * 2.513_274)).collect();
        assert_eq!(convex_outline(&star, 1e-8), Err(NotConvex::Winds));
    }
}
