//! How two convex shapes lie to each other, and where one meets the other on its way.
//!
//! Both questions are asked of one shape in place of two: that of all ways from a place of the probe to a place of the
//! piece (the Minkowski difference), and of where nothing lies to it. A probe touches a piece where no way is among these,
//! and meets it after the part of a way that leads into them. Radii add up. (Ericson, *Real-Time Collision Detection*, 2005,
//! sect. 3.11 and 5.5; van den Bergen, “Ray Casting against General Convex Objects”, 2004, for the idea.)

use crate::math::{Vec2, cross, direction_or, doubled_area, part_of_way, right};
use crate::outline::nearest;

/// A ray that goes through a corner may be seen beside both sides that meet there by rounding, as part of a side.
const SEAM: f32 = 1e-5;

/// The ways from a probe to a piece.
#[derive(Debug, Default)]
pub(super) struct Figure {
    corners: Vec<Corner>,
    /// Both radii, m.
    radius: f32,
    /// The corners of the piece.
    outline: Vec<Vec2>,
}

/// The way from a corner of the probe to one of the piece.
#[derive(Clone, Copy, Debug)]
struct Corner {
    way: Vec2,
    on_piece: Vec2,
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
    pub(super) fn set(&mut self, probe: &[Vec2], piece: impl Iterator<Item = Vec2>, radius: f32) {
        let Self { corners, outline, .. } = self;
        put_outline(outline, piece);
        self.radius = radius;
        corners.clear();
        if probe.is_empty() || outline.is_empty() {
            return;
        }
        // Sides in the order of their directions, the probe's turned about, from the lowest corner on.
        let lowest = |count: usize, corner: &dyn Fn(usize) -> Vec2| {
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
            let turn = cross(of_piece(i + 1) - of_piece(i), of_probe(j) - of_probe(j + 1));
            let along_piece = i < count && (turn >= 0.0 || j == others);
            let along_probe = j < others && (turn <= 0.0 || i == count);
            i += usize::from(along_piece);
            j += usize::from(along_probe || !along_piece);
        }
    }

    /// How far the two are from each other, and where; less than nothing where they overlap.
    pub(super) fn apart(&self) -> Meeting {
        let Self { corners, radius, .. } = self;
        let near = nearest(corners.len(), |k| corners[k].way, Vec2::ZERO);
        let [from, to] = self.side(near.side);
        let way = from.way.lerp(to.way, near.t);
        let out = direction_or(right(to.way - from.way), Vec2::Y);
        let normal = if near.distance > 0.0 { direction_or(-way, out) } else { out };
        let on_piece = from.on_piece.lerp(to.on_piece, near.t);
        Meeting { at: near.distance - radius, on_piece, normal }
    }

    /// Where a probe that is not there yet meets the piece on its `way`, by less than the part `least` of it.
    pub(super) fn met_on(&self, way: Vec2, least: f32) -> Option<Meeting> {
        let mut first: Option<Meeting> = None;
        let mut take = |meeting: Meeting| {
            let before = first.map_or(least, |first| first.at);
            if (0.0..=before).contains(&meeting.at) {
                first = Some(meeting);
            }
        };
        let radius = self.radius;
        for side in 0..self.corners.len() {
            let [a, b] = self.side(side);
            let normal = direction_or(right(b.way - a.way), Vec2::ZERO);
            let comes = way.dot(normal);
            if comes < 0.0 {
                let at = (a.way.dot(normal) + radius) / comes;
                let t = part_of_way(at * way - radius * normal, [a.way, b.way]);
                if (-SEAM..=1.0 + SEAM).contains(&t) {
                    take(Meeting { at, on_piece: a.on_piece.lerp(b.on_piece, t), normal });
                }
            }
            // |at·way − a|² = radius², the smaller root.
            let (along, gap) = (way.dot(a.way), a.way.length_squared() - radius * radius);
            let square = along * along - way.length_squared() * gap;
            if radius > 0.0 && along > 0.0 && square >= 0.0 {
                let at = gap / (along + square.sqrt());
                let normal = direction_or(at * way - a.way, normal);
                take(Meeting { at, on_piece: a.on_piece, normal });
            }
        }
        first
    }

    /// A side, by the corner where it begins.
    fn side(&self, side: usize) -> [Corner; 2] {
        [self.corners[side], self.corners[(side + 1) % self.corners.len()]]
    }
}

/// Puts the corners of a piece into a list, counter-clockwise: cells of soft bodies may have turned inside out.
pub(super) fn put_outline(outline: &mut Vec<Vec2>, piece: impl Iterator<Item = Vec2>) {
    outline.clear();
    outline.extend(piece);
    if doubled_area(outline.iter().copied()) < 0.0 {
        outline.reverse();
    }
}
