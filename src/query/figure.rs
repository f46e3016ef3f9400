//! How two convex shapes lie to each other, and where one meets the other on its way.
//!
//! Both questions are asked of one shape in place of two: that of all ways from a place of the probe to a place of the
//! piece (the Minkowski difference), and of where nothing lies to it. A probe touches a piece where no way is among these,
//! and meets it after the part of a way that leads into them. Radii add up. (Ericson, *Real-Time Collision Detection*, 2005,
//! sect. 3.11 and 5.5; van den Bergen, “Ray Casting against General Convex Objects”, 2004, for the idea.)
//!
//! All of it is in double precision: a ray is long, and what it meets may be small.

use glam::DVec2;

use crate::math::Vec2;
use crate::outline::nearest;

/// A ray that goes through a corner may be seen beside both sides that meet there by rounding, as part of a side.
const SEAM: f64 = 1e-9;

/// The ways from a probe to a piece.
#[derive(Debug, Default)]
pub(super) struct Figure {
    corners: Vec<Corner>,
    /// Both radii, m.
    radius: f64,
    /// The corners of the piece.
    outline: Vec<DVec2>,
}

/// The way from a corner of the probe to one of the piece.
#[derive(Clone, Copy, Debug)]
struct Corner {
    way: DVec2,
    on_piece: DVec2,
}

/// Where a probe and a piece meet, or are nearest to each other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    /// How far apart they are, or after which part of the way they meet.
    pub(super) at: f32,
    /// The place of the piece without its radius.
    pub(super) on_piece: Vec2,
    /// Unit vector from the piece to the probe.
    pub(super) normal: Vec2,
}

impl Figure {
    /// Makes it that of a probe, of a piece of these corners, either way round, and of both radii.
    pub(super) fn set(&mut self, probe: &[DVec2], piece: impl Iterator<Item = Vec2>, radius: f32) {
        let Self { corners, outline, .. } = self;
        put_outline(outline, piece);
        self.radius = f64::from(radius);
        corners.clear();
        if probe.is_empty() || outline.is_empty() {
            return;
        }
        // Sides in the order of their directions, the probe's turned about, from the lowest corner on.
        let lowest = |count: usize, corner: &dyn Fn(usize) -> DVec2| {
            let order = |a: &usize, b: &usize| {
                let (a, b) = (corner(*a), corner(*b));
                a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
            };
            (0..count).min_by(order).unwrap_or(0)
        };
        let (count, others) = (outline.len(), probe.len());
        let first = lowest(count, &|k| outline[k]);
        let other = lowest(others, &|k| -probe[k]);
        let of_piece = |k: usize| outline[(first + k) % count];
        let of_probe = |k: usize| probe[(other + k) % others];
        let (mut i, mut j) = (0, 0);
        while i < count || j < others {
            let (on_piece, on_probe) = (of_piece(i), of_probe(j));
            corners.push(Corner { way: on_piece - on_probe, on_piece });
            let turn = (of_piece(i + 1) - on_piece).perp_dot(on_probe - of_probe(j + 1));
            let along_piece = i < count && (turn >= 0.0 || j == others);
            let along_probe = j < others && (turn <= 0.0 || i == count);
            i += usize::from(along_piece);
            j += usize::from(along_probe || !along_piece);
        }
    }

    /// How far the two are from each other, and where; less than nothing where they overlap.
    pub(super) fn apart(&self) -> Meeting {
        let Self { corners, radius, .. } = self;
        let near = nearest(corners.len(), |k| corners[k].way, DVec2::ZERO);
        let [from, to] = self.side(near.side);
        let way = from.way.lerp(to.way, near.t);
        let out = outwards(from, to).unwrap_or(DVec2::Y);
        let normal = if near.distance > 0.0 { (-way).try_normalize().unwrap_or(out) } else { out };
        meeting(near.distance - radius, from.on_piece.lerp(to.on_piece, near.t), normal)
    }

    /// Where a probe that is not there yet meets the piece on its `way`, by the part `most` of it.
    pub(super) fn met_on(&self, way: Vec2, most: f32) -> Option<Meeting> {
        let (way, most) = (way.as_dvec2(), f64::from(most));
        let mut first: Option<(f64, Meeting)> = None;
        let mut take = |at: f64, on_piece: DVec2, normal: DVec2| {
            let before = first.map_or(most, |first| first.0);
            if (0.0..=before).contains(&at) {
                first = Some((at, meeting(at, on_piece, normal)));
            }
        };
        let radius = self.radius;
        for side in 0..self.corners.len() {
            let [a, b] = self.side(side);
            let normal = outwards(a, b).unwrap_or(DVec2::ZERO);
            let comes = way.dot(normal);
            if comes < 0.0 {
                let at = (a.way.dot(normal) + radius) / comes;
                let along = b.way - a.way;
                let t = (at * way - radius * normal - a.way).dot(along) / along.length_squared();
                if (-SEAM..=1.0 + SEAM).contains(&t) {
                    take(at, a.on_piece.lerp(b.on_piece, t), normal);
                }
            }
            // |at·way − a|² = radius²: from where the way passes the corner nearest back to where it enters the circle.
            let (square, beside) = (way.length_squared(), way.perp_dot(a.way));
            let half = radius * radius - beside * beside / square;
            let along = way.dot(a.way);
            if radius > 0.0 && along > 0.0 && half >= 0.0 {
                let at = along / square - (half / square).sqrt();
                let normal = (at * way - a.way).try_normalize().unwrap_or(normal);
                take(at, a.on_piece, normal);
            }
        }
        first.map(|(_, meeting)| meeting)
    }

    /// A side, by the corner where it begins.
    fn side(&self, side: usize) -> [Corner; 2] {
        [self.corners[side], self.corners[(side + 1) % self.corners.len()]]
    }
}

/// Unit vector to the right of a side, if that has a direction.
fn outwards(a: Corner, b: Corner) -> Option<DVec2> {
    (-(b.way - a.way).perp()).try_normalize()
}

fn meeting(at: f64, on_piece: DVec2, normal: DVec2) -> Meeting {
    Meeting { at: at as f32, on_piece: on_piece.as_vec2(), normal: normal.as_vec2() }
}

/// Puts the corners of a piece into a list, counter-clockwise: cells of soft bodies may have turned inside out.
pub(super) fn put_outline(outline: &mut Vec<DVec2>, piece: impl Iterator<Item = Vec2>) {
    outline.clear();
    outline.extend(piece.map(|corner| corner.as_dvec2()));
    let sides =
        outline.windows(2).map(|side| (side[0] - outline[0]).perp_dot(side[1] - outline[0]));
    if sides.sum::<f64>() < 0.0 {
        outline.reverse();
    }
}
