//! An outline, convex or not, cut into triangles of about one size.
//!
//! Inside lie the points of a triangular lattice, on the outline points as far apart; a constrained
//! Delaunay triangulation connects them, and where an outline leaves slivers they are refined away
//! (Ruppert, “A Delaunay Refinement Algorithm for Quality 2-Dimensional Mesh Generation”, 1995). The
//! lattice matters: in equilateral triangles springs are exactly isotropic.

use std::collections::BTreeMap;

use spade::{
    AngleLimit, ConstrainedDelaunayTriangulation, Point2, RefinementParameters, Triangulation as _,
};

use super::{Fault, MOST_POINTS, Made, bounded};
use crate::math::{Vec2, cross, doubled_area, polygon_moments};

/// The most vertices of an outline.
const MOST_VERTICES: usize = 512;
/// Points of the lattice stay this far from the outline, in cells.
const CLEARANCE: f32 = 0.62;

/// Triangles, counter-clockwise, on points.
pub(super) struct Triangles {
    pub(super) points: Vec<Vec2>,
    pub(super) triangles: Vec<[u32; 3]>,
}

/// Cuts the inside of an outline into triangles with sides of about `cell`.
pub(super) fn triangulate(outline: &[Vec2], cell: f32) -> Made<Triangles> {
    let outline = &checked(outline)?;
    let area = polygon_moments(outline).area;
    let around: f32 = sides(outline).map(|(a, b)| a.distance(b)).sum();
    bounded("cell", 1.155 * area / (cell * cell) + around / cell, "use larger cells")?;

    let failed = |_| Fault::new("outline", "it cannot be cut into triangles");
    let spot = |p: Vec2| Point2::new(f64::from(p.x), f64::from(p.y));
    let rim: Vec<Vec2> = sides(outline).flat_map(|(a, b)| divided(a, b, cell)).collect();
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    mesh.add_constraint_edges(rim.iter().map(|&p| spot(p)), true).map_err(failed)?;
    for place in lattice(outline, cell) {
        mesh.insert(spot(place)).map_err(failed)?;
    }
    let refinement = RefinementParameters::new()
        .exclude_outer_faces(true)
        .with_angle_limit(AngleLimit::from_deg(22.0))
        .with_max_additional_vertices(MOST_POINTS / 4);
    let refined = mesh.refine(refinement);
    let outside: std::collections::BTreeSet<_> =
        refined.excluded_faces.iter().map(|face| face.index()).collect();

    let mut made = Triangles { points: Vec::new(), triangles: Vec::new() };
    let mut numbers = BTreeMap::new();
    for face in mesh.inner_faces().filter(|face| !outside.contains(&face.index())) {
        let triangle = face.vertices().map(|vertex| {
            *numbers.entry(vertex.index()).or_insert_with(|| {
                let at = vertex.position();
                made.points.push(Vec2::new(at.x as f32, at.y as f32));
                made.points.len() as u32 - 1
            })
        });
        made.triangles.push(triangle);
    }
    let flat = |triangle: &[u32; 3]| {
        doubled_area(triangle.iter().map(|&i| made.points[i as usize])) <= 0.0
    };
    if made.triangles.is_empty() || made.triangles.iter().any(flat) {
        return Err(Fault::new("outline", "it is too thin to be cut into triangles")
            .help("make it wider, or leave out vertices that are very close to each other"));
    }
    Ok(made)
}

/// The outline counter-clockwise, if it is one: enough vertices, no crossing.
fn checked(outline: &[Vec2]) -> Made<Vec<Vec2>> {
    let count = outline.len();
    if !(3..=MOST_VERTICES).contains(&count) {
        let problem = format!("an outline has 3 to {MOST_VERTICES} vertices, not {count}");
        return Err(Fault::new("outline", problem));
    }
    if let Some(index) = outline.iter().position(|vertex| !vertex.is_finite()) {
        return Err(Fault::new("outline", "it must be finite").at(index));
    }
    let mut outline = outline.to_vec();
    let area = polygon_moments(&outline).area;
    let size = sides(&outline).map(|(a, b)| a.distance(b)).sum::<f32>();
    let all: Vec<(Vec2, Vec2)> = sides(&outline).collect();
    if let Some(index) = all.iter().position(|(a, b)| a.distance(*b) <= 1e-5 * size) {
        let fault = Fault::new("outline", "it repeats a vertex").at(index);
        return Err(fault.help("leave one of the two out"));
    }
    for (i, &(a, b)) in all.iter().enumerate() {
        for (j, &(c, d)) in all.iter().enumerate().skip(i + 2) {
            if !(i == 0 && j + 1 == count) && meet(a, b, c, d) {
                let problem = format!("it crosses itself: side {i} meets side {j}");
                let remedy = "list the vertices in the order of the outline";
                return Err(Fault::new("outline", problem).help(remedy).at(i));
            }
        }
    }
    if !(area.abs() > 1e-6 * size * size) {
        let problem = "it has no area: its vertices lie on a line";
        return Err(Fault::new("outline", problem));
    }
    if area < 0.0 {
        outline.reverse();
    }
    Ok(outline)
}

/// Whether two segments have a place in common.
fn meet(a: Vec2, b: Vec2, c: Vec2, d: Vec2) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| f64::from(cross(q - p, r - p));
    let (s, t) = (side(a, b, c), side(a, b, d));
    let (u, v) = (side(c, d, a), side(c, d, b));
    if s == 0.0 && t == 0.0 {
        // On one line: they meet where they overlap along it.
        let along = (b - a) / (b - a).length_squared().max(1e-30);
        let (p, q) = ((c - a).dot(along), (d - a).dot(along));
        return p.min(q) <= 1.0 && p.max(q) >= 0.0;
    }
    s * t <= 0.0 && u * v <= 0.0
}

fn sides(outline: &[Vec2]) -> impl Iterator<Item = (Vec2, Vec2)> + '_ {
    outline.iter().copied().zip(outline.iter().copied().cycle().skip(1))
}

/// Points along a side about `cell` apart, without its end.
fn divided(a: Vec2, b: Vec2, cell: f32) -> impl Iterator<Item = Vec2> {
    let count = (a.distance(b) / cell).round().max(1.0) as usize;
    (0..count).map(move |i| a.lerp(b, i as f32 / count as f32))
}

/// The points of a triangular lattice inside an outline and clear of it.
fn lattice(outline: &[Vec2], cell: f32) -> Vec<Vec2> {
    let center = polygon_moments(outline).centroid;
    let bounds = crate::math::Aabb::around(outline.iter().copied());
    let height = 0.75_f32.sqrt() * cell;
    let steps =
        |low: f32, high: f32, step: f32| (low / step).floor() as i32..=(high / step).ceil() as i32;
    let mut places = Vec::new();
    for row in steps(bounds.min.y - center.y, bounds.max.y - center.y, height) {
        // Rows lie half a step off each other, and alike above and below the middle.
        let shift = if row.rem_euclid(2) == 0 { 0.0 } else { 0.5 };
        for column in steps(bounds.min.x - center.x - cell, bounds.max.x - center.x, cell) {
            let offset = Vec2::new((column as f32 + shift) * cell, row as f32 * height);
            let place = center + offset;
            if inside(outline, place) && clearance(outline, place) >= CLEARANCE * cell {
                places.push(place);
            }
        }
    }
    places
}

/// Whether a place is inside an outline: it is crossed an odd number of times on the way out.
fn inside(outline: &[Vec2], place: Vec2) -> bool {
    let crossed = sides(outline).filter(|(a, b)| {
        let between = (a.y > place.y) != (b.y > place.y);
        between && place.x < a.x + (b.x - a.x) * (place.y - a.y) / (b.y - a.y)
    });
    crossed.count() % 2 == 1
}

/// The distance from a place to an outline.
fn clearance(outline: &[Vec2], place: Vec2) -> f32 {
    let to_side = |(a, b): (Vec2, Vec2)| {
        let along = b - a;
        let t = ((place - a).dot(along) / along.length_squared()).clamp(0.0, 1.0);
        place.distance(a + t * along)
    };
    sides(outline).map(to_side).fold(f32::INFINITY, f32::min)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(made: &Triangles) -> f32 {
        let one = |t: &[u32; 3]| doubled_area(t.iter().map(|&i| made.points[i as usize]));
        0.5 * made.triangles.iter().map(one).sum::<f32>()
    }

    fn letter_l() -> Vec<Vec2> {
        [(0.0, 0.0), (2.0, 0.0), (2.0, 0.7), (0.7, 0.7), (0.7, 2.0), (0.0, 2.0)]
            .map(Vec2::from)
            .to_vec()
    }

    #[test]
    fn triangles_fill_convex_and_concave_outlines_both_ways_round() {
        for outline in [letter_l(), letter_l().into_iter().rev().collect()] {
            let expected = polygon_moments(&outline).area.abs();
            for cell in [0.1, 0.25, 1.0] {
                let made = triangulate(&outline, cell).unwrap();
                assert!((area(&made) / expected - 1.0).abs() < 1e-4, "{cell}: {}", area(&made));
                // As many triangles as Euler's formula allows for a disc: V − E + F = 1.
                let mut edges = std::collections::BTreeSet::new();
                for t in &made.triangles {
                    for k in 0..3 {
                        let (a, b) = (t[k], t[(k + 1) % 3]);
                        edges.insert((a.min(b), a.max(b)));
                    }
                }
                assert_eq!(made.points.len() + made.triangles.len(), edges.len() + 1);
            }
        }
    }

    #[test]
    fn cells_have_about_the_size_asked_for_and_no_slivers() {
        let made = triangulate(&letter_l(), 0.2).unwrap();
        for t in &made.triangles {
            let p = t.map(|i| made.points[i as usize]);
            for k in 0..3 {
                let (u, v) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
                assert!((0.05..0.42).contains(&u.length()), "side {}", u.length());
                assert!(u.angle_to(v).to_degrees() > 20.0, "{}", u.angle_to(v).to_degrees());
            }
        }
    }

    #[test]
    fn what_is_no_outline_is_refused_with_its_place() {
        let of = |points: &[(f32, f32)]| {
            let outline: Vec<Vec2> = points.iter().map(|&p| p.into()).collect();
            triangulate(&outline, 0.1).err().unwrap()
        };
        assert_eq!(of(&[(0.0, 0.0), (1.0, 0.0)]).index, None);
        assert_eq!(of(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]).index, Some(0));
        assert_eq!(of(&[(0.0, 0.0), (1.0, 0.0), (1.0, 0.0), (0.0, 1.0)]).index, Some(1));
        assert!(of(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)]).problem.contains("no area"));
        assert_eq!(of(&[(0.0, 0.0), (f32::NAN, 0.0), (2.0, 1.0)]).index, Some(1));
        assert_eq!(of(&[(0.0, 0.0), (1e5, 0.0), (0.0, 1e5)]).parameter, "cell");
    }
}
