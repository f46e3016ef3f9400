//! Slicing a soft body along a line.
//!
//! Threads (edges that belong to no solid piece) that cross the line are parted. Solid pieces that
//! cross it are divided into triangles on either side, with new points on the line that take their
//! velocity from the edge they lie on; points near the line are moved onto it in the rest shape's
//! numbering only, that is, they count as being on it, so that no slivers arise. Points on the line
//! are doubled, one for each side. Masses are shared out by the area of pieces at rest, and edges get
//! the stiffness that the same material has in the new triangles: `k = E·ΣA/l²` over the triangles at
//! an edge (Van Gelder, “Approximate simulation of elastic membranes by triangulated spring meshes”,
//! 1998), with the `E` that the edges of the old piece had.

use std::collections::BTreeMap;

use super::slice::Line;
use super::tear;
use crate::math::{Mapped, Vec2, doubled_area};
use crate::world::Edge;
use crate::world::model::AreaRule;
use crate::world::parts::{PartArea, PartEdge, PartPiece, PartPoint, Parts};

/// A point nearer to the line than this part of the shortest edge at it counts as being on it.
const ON_LINE: f32 = 0.15;
/// A triangle smaller than this is none, m².
const LEAST_AREA: f32 = 1e-9;

/// A body divided along a line. What hangs together no more is still one set of parts.
pub(super) fn slice(mut parts: Parts, line: Line) -> Parts {
    part_threads(&mut parts, line);
    if parts.pieces.iter().any(|piece| piece.points.len() >= 3) {
        divide_solid(&mut parts, line);
    }
    parts
}

/// Parts every edge that crosses the line and belongs to no solid piece.
fn part_threads(parts: &mut Parts, line: Line) {
    let height = |parts: &Parts, point: u32| line.height(parts.points[point as usize].position);
    let mut index = 0;
    while index < parts.edges.len() {
        let Edge { a, b, .. } = parts.edges[index].edge;
        let crosses = (height(parts, a) < 0.0) != (height(parts, b) < 0.0);
        let solid = parts.pieces.iter().any(|piece| {
            piece.points.len() >= 3 && piece.points.contains(&a) && piece.points.contains(&b)
        });
        if crosses && !solid {
            tear::part_edge(parts, index);
        } else {
            index += 1;
        }
    }
}

/// Which side of the line a point is on: −1, 0 or 1.
fn sides(parts: &Parts, line: Line) -> Vec<i8> {
    let mut shortest = vec![f32::INFINITY; parts.points.len()];
    for PartEdge { edge, .. } in &parts.edges {
        let at = |point: u32| parts.points[point as usize].position;
        let length = at(edge.a).distance(at(edge.b));
        for end in [edge.a, edge.b] {
            shortest[end as usize] = shortest[end as usize].min(length);
        }
    }
    let side = |(point, &shortest): (&PartPoint, &f32)| {
        let height = line.height(point.position);
        if height.abs() < ON_LINE * shortest { 0 } else { height.signum() as i8 }
    };
    parts.points.iter().zip(&shortest).map(side).collect()
}

/// What a divided piece leaves behind: triangles on one side, and the stiffness of their edges.
struct Fresh {
    triangle: [u32; 3],
    /// Young's modulus, N/m (Pa times the depth of one metre); infinite for a stiff one.
    young: f32,
    /// Damping over stiffness, s.
    damping: f32,
}

fn divide_solid(parts: &mut Parts, line: Line) {
    let sides = sides(parts, line);
    let crosses = |points: &[u32]| {
        // Points made on the way are on the line.
        let side = |point: &u32| sides.get(*point as usize).copied().unwrap_or(0);
        points.iter().any(|p| side(p) < 0) && points.iter().any(|p| side(p) > 0)
    };
    let ahead =
        |points: &[u32]| points.iter().map(|&point| i32::from(sides[point as usize])).sum::<i32>();
    let (mass, momentum) = totals(parts);
    let areas = areas_at_edges(parts);
    let mut cutter =
        Cutter { line, sides: &sides, on_line: BTreeMap::new(), twins: BTreeMap::new() };
    let mut fresh = Vec::new();
    let (mut pieces, mut old_outlines) = (Vec::new(), Vec::new());
    for piece in std::mem::take(&mut parts.pieces) {
        if piece.points.len() >= 3 && crosses(&piece.points) {
            let (young, damping) = material(parts, &areas, &piece.points);
            let triangles = cutter.divide(parts, &piece.points).into_iter();
            let solid = triangles.filter(|triangle| rest_area(parts, triangle) > LEAST_AREA);
            fresh.extend(solid.map(|triangle| Fresh { triangle, young, damping }));
            old_outlines.push(piece.points);
        } else {
            let left = ahead(&piece.points) > 0;
            let points = if left && piece.points.len() >= 3 {
                piece.points.iter().map(|&point| cutter.left(parts, point)).collect()
            } else {
                piece.points.clone()
            };
            if points != piece.points {
                for area in parts.areas.iter_mut().filter(|area| area.points == piece.points) {
                    area.points.clone_from(&points);
                }
            }
            pieces.push(PartPiece { points, ..piece });
        }
    }
    parts.areas.retain(|area| !old_outlines.contains(&area.points) && !crosses(&area.points));
    for Fresh { triangle, .. } in &fresh {
        let points = triangle.to_vec();
        let rest = rest_area(parts, triangle);
        parts.areas.push(PartArea { points: points.clone(), rest, rule: AreaRule::Guard });
        pieces.push(PartPiece { points, radius: 0.0, frame: None });
    }
    parts.pieces = pieces;
    let twins = cutter.twins;
    sort_edges(parts, &sides, &twins);
    add_edges(parts, &fresh);
    parts.bends.retain(|bend| !crosses(&bend.points));
    share_mass(parts, mass, momentum);
}

/// The area that an outline has at rest, m².
fn rest_area(parts: &Parts, outline: &[u32]) -> f32 {
    0.5 * doubled_area(outline.iter().map(|&point| parts.points[point as usize].rest))
}

/// Total mass and momentum.
fn totals(parts: &Parts) -> (f32, Vec2) {
    let momentum = parts.points.iter().map(|point| point.mass * point.velocity).sum();
    (parts.mass(), momentum)
}

fn key(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// The area of the solid pieces at each edge, m².
fn areas_at_edges(parts: &Parts) -> BTreeMap<(u32, u32), f32> {
    let mut areas = BTreeMap::new();
    for piece in parts.pieces.iter().filter(|piece| piece.points.len() >= 3) {
        let outline = &piece.points;
        let area = rest_area(parts, outline);
        for (k, &a) in outline.iter().enumerate() {
            *areas.entry(key(a, outline[(k + 1) % outline.len()])).or_insert(0.0) += area;
        }
    }
    areas
}

/// The modulus and the ratio of damping to stiffness of a piece, the mean over its edges.
fn material(parts: &Parts, areas: &BTreeMap<(u32, u32), f32>, outline: &[u32]) -> (f32, f32) {
    let (mut young, mut damping, mut count) = (0.0, 0.0, 0.0_f32);
    for PartEdge { edge, .. } in &parts.edges {
        if !(outline.contains(&edge.a) && outline.contains(&edge.b)) {
            continue;
        }
        let Some(area) = areas.get(&key(edge.a, edge.b)) else { continue };
        if edge.compliance == 0.0 {
            return (f32::INFINITY, 0.0);
        }
        young += edge.rest * edge.rest / (edge.compliance * area.max(1e-12));
        damping += edge.damping * edge.compliance;
        count += 1.0;
    }
    if count == 0.0 { (f32::INFINITY, 0.0) } else { (young / count, damping / count) }
}

/// Makes points on the line and keeps the two copies of each.
struct Cutter<'a> {
    line: Line,
    sides: &'a [i8],
    /// The new point on an edge that crosses the line, on the right.
    on_line: BTreeMap<(u32, u32), u32>,
    /// For each point on the line, its copy on the left.
    twins: BTreeMap<u32, u32>,
}

impl Cutter<'_> {
    fn side(&self, point: u32) -> i8 {
        self.sides.get(point as usize).copied().unwrap_or(0)
    }

    /// The point that a left side has in the place of this one.
    fn left(&mut self, parts: &mut Parts, point: u32) -> u32 {
        if self.side(point) != 0 {
            return point;
        }
        *self.twins.entry(point).or_insert_with(|| {
            parts.points.push(parts.points[point as usize]);
            parts.points.len() as u32 - 1
        })
    }

    /// The point where an edge crosses the line.
    fn crossing(&mut self, parts: &mut Parts, a: u32, b: u32) -> u32 {
        let line = self.line;
        *self.on_line.entry(key(a, b)).or_insert_with(|| {
            let (a, b) = key(a, b);
            let (p, q) = (parts.points[a as usize], parts.points[b as usize]);
            let (from, to) = (line.height(p.position), line.height(q.position));
            let t = (from / (from - to)).clamp(0.0, 1.0);
            parts.points.push(PartPoint {
                mass: 0.0,
                rest: p.rest.lerp(q.rest, t),
                pinned: false,
                position: p.position.lerp(q.position, t),
                velocity: p.velocity.lerp(q.velocity, t),
            });
            parts.points.len() as u32 - 1
        })
    }

    /// A convex piece that crosses the line as triangles, each wholly on one side.
    fn divide(&mut self, parts: &mut Parts, outline: &[u32]) -> Vec<[u32; 3]> {
        let (mut right, mut left) = (Vec::new(), Vec::new());
        for (k, &to) in outline.iter().enumerate() {
            let from = outline[(k + outline.len() - 1) % outline.len()];
            if self.side(from) * self.side(to) < 0 {
                let point = self.crossing(parts, from, to);
                right.push(point);
                left.push(self.left(parts, point));
            }
            if self.side(to) <= 0 {
                right.push(to);
            }
            if self.side(to) >= 0 {
                left.push(self.left(parts, to));
            }
        }
        let fan = |polygon: Vec<u32>| {
            let corners = (2..polygon.len()).map(move |k| [polygon[0], polygon[k - 1], polygon[k]]);
            corners.collect::<Vec<_>>()
        };
        [fan(right), fan(left)].concat()
    }
}

/// Moves the edges of left pieces to the left copies of points on the line, and drops those across
/// it.
fn sort_edges(parts: &mut Parts, sides: &[i8], twins: &BTreeMap<u32, u32>) {
    let joined = solid_edges(parts);
    let mut kept = Vec::new();
    for part in std::mem::take(&mut parts.edges) {
        let Edge { a, b, .. } = part.edge;
        let (side_a, side_b) = (sides[a as usize], sides[b as usize]);
        if side_a * side_b < 0 {
            continue;
        }
        let twin = |point: u32| twins.get(&point).copied().unwrap_or(point);
        let moved = PartEdge { edge: Edge { a: twin(a), b: twin(b), ..part.edge }, ..part };
        let has_right = side_a + side_b < 0 || (side_a == 0 && side_b == 0);
        let has_left = side_a + side_b > 0 || (side_a == 0 && side_b == 0);
        // On the line itself an edge stays on each side that has a piece at it.
        if has_right && (side_a != 0 || side_b != 0 || joined.contains_key(&key(a, b))) {
            kept.push(part);
        }
        let (c, d) = (moved.edge.a, moved.edge.b);
        if has_left && (side_a != 0 || side_b != 0 || joined.contains_key(&key(c, d))) {
            kept.push(moved);
        }
    }
    parts.edges = kept;
}

/// The edges of solid pieces.
fn solid_edges(parts: &Parts) -> BTreeMap<(u32, u32), ()> {
    let solid = parts.pieces.iter().filter(|piece| piece.points.len() >= 3);
    solid
        .flat_map(|piece| {
            let outline = &piece.points;
            let next = |k: usize| outline[(k + 1) % outline.len()];
            outline.iter().enumerate().map(move |(k, &a)| (key(a, next(k)), ()))
        })
        .collect()
}

/// The edges of new triangles that no edge runs along yet.
fn add_edges(parts: &mut Parts, fresh: &[Fresh]) {
    let mut there: BTreeMap<(u32, u32), ()> = BTreeMap::new();
    for PartEdge { edge, .. } in &parts.edges {
        there.insert(key(edge.a, edge.b), ());
    }
    let mut made: BTreeMap<(u32, u32), (f32, f32)> = BTreeMap::new();
    for Fresh { triangle, young, damping } in fresh {
        let at = |point: u32| parts.points[point as usize].rest;
        let area = rest_area(parts, triangle);
        for (a, b) in [(0, 1), (1, 2), (2, 0)].mapped(|(a, b)| (triangle[a], triangle[b])) {
            if !there.contains_key(&key(a, b)) {
                let stiffness = young * area / at(a).distance_squared(at(b)).max(1e-12);
                let sum = made.entry(key(a, b)).or_insert((0.0, *damping));
                sum.0 += stiffness;
            }
        }
    }
    for ((a, b), (stiffness, damping)) in made {
        let length = |of: fn(&PartPoint) -> Vec2| {
            of(&parts.points[a as usize]).distance(of(&parts.points[b as usize]))
        };
        let rest = length(|point| point.rest);
        let stiff = !stiffness.is_finite();
        let compliance = if stiff { 0.0 } else { 1.0 / stiffness.max(1e-9) };
        let damping = if stiff { 0.0 } else { damping * stiffness };
        parts.edges.push(PartEdge { edge: Edge { a, b, rest, compliance, damping }, rest });
    }
}

/// Shares the mass out by the area at rest of the pieces at each point, and gives all points the
/// small velocity that makes up for what that does to the momentum.
fn share_mass(parts: &mut Parts, mass: f32, momentum: Vec2) {
    let mut share = vec![0.0_f32; parts.points.len()];
    for piece in parts.pieces.iter().filter(|piece| piece.points.len() >= 3) {
        let outline = &piece.points;
        let area = rest_area(parts, outline);
        for &point in outline {
            share[point as usize] += area.max(0.0) / outline.len() as f32;
        }
    }
    let solid: f32 = share.iter().sum();
    // What belongs to no piece keeps its mass.
    let loose: f32 = parts
        .points
        .iter()
        .zip(&share)
        .filter(|(_, share)| **share == 0.0)
        .map(|(point, _)| point.mass)
        .sum();
    let density = (mass - loose) / solid.max(1e-12);
    for (point, &share) in parts.points.iter_mut().zip(&share).filter(|(_, share)| **share > 0.0) {
        point.mass = (density * share).max(1e-6);
    }
    let (mass, now) = totals(parts);
    for point in parts.points.iter_mut().filter(|point| !point.pinned) {
        point.velocity += (momentum - now) / mass;
    }
}
