//! Frames of solids: polygons of any outline, rounded or not, and bodies of many parts.
//!
//! ```text
//!   5 ── 4          The triangles that fill an outline hold its frame; the sides of its hull, which
//!   │ ╲  │ ╲        span the notches, and spokes to the centre of mass stiffen it.
//!   │  ╲ │   ╲
//!   │   ╲3 ─── 2    Every point of a compound is a point of one of its parts. Each part has a frame
//!   │  ╱   ╲   │    of its own; braces between their outermost points make them one.
//!   0 ──────── 1
//! ```

use std::collections::BTreeSet;

use super::frame::{Checked, Frame, wheel};
use crate::math::{Mapped, Rot, Vec2, cross, hull, polygon_moments, turns_left};
use crate::outline::{self, NotOutline};
use crate::scene::{MeshEdge, Part, Scene, Shape};
use crate::world::mass::{self, Lumps};
use crate::world::parts::PartPiece;

const LEAST: f32 = Shape::LEAST_SIZE;
const LARGEST: f32 = Scene::LARGEST;
const TOO_THIN: &str = "the outline is too thin to be a solid";

/// The frame of a polygon with corners rounded by `radius`, which may be 0.
pub(super) fn polygon(vertices: &[Vec2], radius: f32, density: f32) -> Checked<Frame> {
    let outline = checked(vertices)?;
    if radius == 0.0 && outline::is_thin(&outline, LEAST) {
        return Err(TOO_THIN.to_owned());
    }
    let core = if radius == 0.0 {
        outline.clone()
    } else {
        outline::inset(&outline, radius, LEAST).ok_or_else(|| too_round(radius))?
    };
    let cut = outline::convex_pieces(&core).ok_or(TOO_THIN)?;
    if radius == 0.0 && cut.pieces.len() == 1 {
        return Ok(wheel(&outline, density));
    }
    let moments = if radius == 0.0 {
        polygon_moments(&outline)
    } else {
        outline::rounded_moments(&outline, radius)
    };
    let lumps = mass::solid(&core, &cut.triangles, &moments, density).ok_or(TOO_THIN)?;
    let edges = ties(&core, &cut.triangles, &lumps);
    let carriers = |piece: &[u32]| (radius > 0.0).then(|| widest(&core, piece));
    let pieces = cut.pieces.into_iter().map(|points| {
        let frame = carriers(&points);
        PartPiece { points, radius, frame }
    });
    Ok(Frame {
        pieces: pieces.collect(),
        edges: edges.into_iter().map(|(a, b)| MeshEdge::stiff(a, b)).collect(),
        lumps,
        ..Frame::default()
    })
}

/// The edges between the points of a polygon.
fn ties(core: &[Vec2], triangles: &[[u32; 3]], lumps: &Lumps) -> BTreeSet<(u32, u32)> {
    let count = core.len() as u32;
    let inner = count..lumps.points.len() as u32;
    let mut edges = BTreeSet::new();
    let mut tie = |a: u32, b: u32| {
        edges.insert((a.min(b), a.max(b)));
    };
    for &[a, b, c] in triangles {
        [(a, b), (b, c), (c, a)].into_iter().for_each(|(a, b)| tie(a, b));
    }
    for hub in inner.clone() {
        (0..count).for_each(|point| tie(point, hub));
        (hub + 1..inner.end).for_each(|other| tie(hub, other));
    }
    let hull = hull(core, turns_left);
    for (k, &a) in hull.iter().enumerate() {
        tie(a, hull[(k + 1) % hull.len()]);
    }
    if let [a, b, c, d] = hull[..] {
        tie(a, c);
        tie(b, d);
    }
    // A spoke without length has no direction.
    let at = |i: u32| lumps.points[i as usize].0;
    edges.retain(|&(a, b)| at(a).distance(at(b)) > LEAST);
    let points: Vec<Vec2> = lumps.points.iter().map(|point| point.0).collect();
    let given: Vec<(u32, u32)> = edges.iter().copied().collect();
    edges.extend(outline::brace(&points, &given).edges);
    edges
}

/// The three vertices of a piece that span the largest triangle with its first one.
fn widest(core: &[Vec2], piece: &[u32]) -> [u32; 3] {
    let area = |b: u32, c: u32| {
        let first = core[piece[0] as usize];
        cross(core[b as usize] - first, core[c as usize] - first)
    };
    let mut best = [piece[0], piece[1], piece[2]];
    for (k, &b) in piece.iter().enumerate().skip(1) {
        for &c in &piece[k + 1..] {
            if area(b, c) > area(best[1], best[2]) {
                best = [piece[0], b, c];
            }
        }
    }
    best
}

/// The frame of a body of many parts.
pub(super) fn compound(parts: &[Part], density: f32) -> Checked<Frame> {
    let count = parts.len();
    if !(1..=Shape::MOST_PARTS).contains(&count) {
        return Err(format!("a body has 1 to {} parts, not {count}", Shape::MOST_PARTS));
    }
    let mut whole = Frame::default();
    let mut starts = Vec::with_capacity(count);
    for (i, part) in parts.iter().enumerate() {
        starts.push(whole.lumps.points.len() as u32);
        let frame = placed(part, density).map_err(|problem| format!("part {i}: {problem}"))?;
        let base = starts[i];
        whole.lumps.points.extend(frame.lumps.points);
        let moved = |edge: MeshEdge| MeshEdge::stiff(base + edge.a, base + edge.b);
        whole.edges.extend(frame.edges.into_iter().map(moved));
        whole.pieces.extend(frame.pieces.into_iter().map(|piece| PartPiece {
            points: piece.points.iter().map(|point| base + point).collect(),
            radius: piece.radius,
            frame: piece.frame.map(|points| points.mapped(|point| base + point)),
        }));
    }
    let points = &mut whole.lumps.points;
    let total: f32 = points.iter().map(|point| point.1).sum();
    let centroid = points.iter().map(|&(at, mass)| mass * at).sum::<Vec2>() / total;
    points.iter_mut().for_each(|point| point.0 -= centroid);
    whole.lumps.centroid = centroid;
    starts.push(points.len() as u32);
    let braces = between(&whole.lumps, &starts).into_iter();
    whole.edges.extend(braces.map(|(a, b)| MeshEdge::stiff(a, b)));
    Ok(whole)
}

/// The frame of a part, its points where they are in the body.
fn placed(part: &Part, density: f32) -> Checked<Frame> {
    if matches!(part.shape, Shape::Compound { .. } | Shape::Mesh(_)) {
        return Err("a part is neither a compound nor a mesh".into());
    }
    let far = !part.at.is_finite() || part.at.abs().max_element() > LARGEST;
    if far || !(part.angle.abs() <= LARGEST) {
        return Err(format!("its place must be finite and within ±{LARGEST:e} m"));
    }
    let density = part.density.unwrap_or(density);
    if !(density > 1e-3 && density <= 1e6) {
        return Err(format!("density {density} must lie in 0.001 to 1e6 kg/m³"));
    }
    let mut frame = Frame::of(&part.shape, density, true)?;
    let rot = Rot::from_radians(part.angle);
    for (at, _) in &mut frame.lumps.points {
        *at = part.at + rot.apply(frame.lumps.centroid + *at);
    }
    Ok(frame)
}

/// The braces between parts, whose points begin at `starts`. Each part is braced to all before it, as
/// if both were rigid; at last a belt around the whole shares the load.
fn between(lumps: &Lumps, starts: &[u32]) -> BTreeSet<(u32, u32)> {
    let at = |i: u32| lumps.points[i as usize].0;
    let part_of = |i: u32| starts.partition_point(|&start| start <= i);
    let mut braces = BTreeSet::new();
    for ends in starts.windows(2).skip(1) {
        let before = outermost(lumps, 0..ends[0]);
        let part = outermost(lumps, ends[0]..ends[1]);
        let split = before.len() as u32;
        let chosen = [before, part].concat();
        let points: Vec<Vec2> = chosen.iter().map(|&i| at(i)).collect();
        let all = points.len() as u32;
        let pairs = (0..all).flat_map(|a| (a + 1..all).map(move |b| (a, b)));
        let given: Vec<(u32, u32)> = pairs.filter(|&(a, b)| (a < split) == (b < split)).collect();
        let made = outline::brace(&points, &given).edges;
        braces.extend(made.into_iter().map(|(a, b)| (chosen[a as usize], chosen[b as usize])));
    }
    let points: Vec<Vec2> = lumps.points.iter().map(|point| point.0).collect();
    let belt = hull(&points, turns_left);
    for (k, &a) in belt.iter().enumerate() {
        let b = belt[(k + 1) % belt.len()];
        if part_of(a) != part_of(b) {
            braces.insert((a.min(b), a.max(b)));
        }
    }
    // What is at one place has no distance to keep.
    braces.retain(|&(a, b)| at(a).distance(at(b)) > LEAST);
    braces
}

/// The points of a range that lie farthest out in a few directions.
fn outermost(lumps: &Lumps, range: std::ops::Range<u32>) -> Vec<u32> {
    let mut chosen: Vec<u32> = Vec::new();
    let directions = [(1.0, 0.2), (-0.2, 1.0), (-1.0, -0.2), (0.2, -1.0)].mapped(Vec2::from);
    for direction in directions {
        let reach = |i: &u32| lumps.points[*i as usize].0.dot(direction);
        let farthest = range.clone().max_by(|a, b| reach(a).total_cmp(&reach(b)));
        chosen.extend(farthest.filter(|point| !chosen.contains(point)));
    }
    chosen
}

/// The outline of a polygon, counter-clockwise.
fn checked(vertices: &[Vec2]) -> Checked<Vec<Vec2>> {
    let count = vertices.len();
    if !(3..=Shape::MOST_VERTICES).contains(&count) {
        return Err(format!("a polygon has 3 to {} vertices, not {count}", Shape::MOST_VERTICES));
    }
    if vertices.iter().any(|v| !(v.abs().max_element() <= LARGEST)) {
        return Err(format!("vertices must be finite and within ±{LARGEST:e} m"));
    }
    outline::simple_outline(vertices, LEAST).map_err(|fault| match fault {
        NotOutline::NoArea => "the polygon has almost no area".to_owned(),
        NotOutline::Winds => "the outline winds around more than once".to_owned(),
        NotOutline::Crosses(a, b) => format!("the outline crosses itself: side {a} meets side {b}"),
        NotOutline::Repeats(a, b) => format!("vertices {a} and {b} are at the same place"),
        NotOutline::TurnsBack(vertex) => format!("the outline turns back at vertex {vertex}"),
    })
}

fn too_round(radius: f32) -> String {
    format!("radius {radius} is too large: a side has no straight part left")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outline::loose_points;
    use approx::assert_relative_eq;

    /// Total mass, first moment and second moment about the centre of mass.
    fn totals(frame: &Frame) -> (f32, Vec2, f32) {
        let points = &frame.lumps.points;
        points.iter().fold((0.0, Vec2::ZERO, 0.0), |(m, f, s), &(r, mass)| {
            assert!(mass > 0.0, "mass {mass} at {r}");
            (m + mass, f + mass * r, s + mass * r.length_squared())
        })
    }

    fn check(frame: &Frame, mass: f32, inertia: f32) {
        let (m, first, second) = totals(frame);
        assert_relative_eq!(m, mass, max_relative = 1e-3);
        assert_relative_eq!(second, inertia, max_relative = 1e-3);
        assert!(first.length() < 1e-3 * mass, "{first}");
        let edges: Vec<(u32, u32)> = frame.edges.iter().map(|edge| (edge.a, edge.b)).collect();
        assert_eq!(loose_points(frame.lumps.points.len(), &edges), [0_u32; 0]);
    }

    fn ell() -> Vec<Vec2> {
        [(0, 0), (3, 0), (3, 1), (1, 1), (1, 3), (0, 3)]
            .map(|(x, y)| Vec2::new(x as f32, y as f32))
            .to_vec()
    }

    #[test]
    fn concave_frames_are_rigid_and_weigh_what_they_weigh() {
        let moments = polygon_moments(&ell());
        let frame = polygon(&ell(), 0.0, 2.0).unwrap();
        check(&frame, 10.0, 2.0 * moments.second);
        assert_eq!(frame.pieces.len(), 2);
        // A comb, whose centre of mass lies outside it.
        let comb = [(0, 0), (7, 0), (7, 4), (6, 4), (6, 1), (4, 1), (4, 4), (3, 4), (3, 1), (1, 1)];
        let mut comb: Vec<Vec2> = comb.map(|(x, y)| Vec2::new(x as f32, y as f32)).to_vec();
        comb.extend([Vec2::new(1.0, 4.0), Vec2::new(0.0, 4.0)]);
        let moments = polygon_moments(&comb);
        check(&polygon(&comb, 0.0, 1.0).unwrap(), moments.area, moments.second);
    }

    #[test]
    fn rounded_frames_weigh_what_they_weigh_however_round() {
        let square = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(Vec2::from);
        for radius in [0.01, 0.2, 0.5, 0.9, 0.99] {
            let moments = outline::rounded_moments(&square, radius);
            let frame = polygon(&square, radius, 3.0).unwrap();
            check(&frame, 3.0 * moments.area, 3.0 * moments.second);
        }
        let moments = outline::rounded_moments(&ell(), 0.3);
        check(&polygon(&ell(), 0.3, 1.0).unwrap(), moments.area, moments.second);
        assert!(polygon(&square, 1.0, 1.0).is_err());
    }

    #[test]
    fn a_compound_is_the_sum_of_its_parts() {
        // Dumb-bell: a bar and two discs, the right one of twice the density.
        let (bar, disc) = (Vec2::new(2.0, 0.1), Shape::Disc { radius: 0.3 });
        let right = Part { density: Some(2.0), ..Part::new(disc.clone(), Vec2::X) };
        let parts =
            [Part::new(Shape::Box { size: bar }, Vec2::ZERO), Part::new(disc, Vec2::NEG_X), right];
        let frame = compound(&parts, 1.0).unwrap();
        let disc = std::f32::consts::PI * 0.09;
        let mass = 0.2 + 3.0 * disc;
        let center = (2.0 * disc - disc) / mass;
        let inertia =
            0.2 * (4.0 + 0.01) / 12.0 + 3.0 * disc * (0.045 + 1.0) - mass * center * center;
        check(&frame, mass, inertia);
        assert_relative_eq!(frame.lumps.centroid.x, center, max_relative = 1e-4);
        assert_eq!(frame.pieces.len(), 3);
        assert!(compound(&[], 1.0).is_err());
    }
}
