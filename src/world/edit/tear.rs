//! Tears: an edge parted, a vertex of a solid divided.
//!
//! A solid tears at a vertex: the pieces around it fall on two sides of a line, and each side gets a
//! copy of the vertex, with the part of its mass that goes with the area of that side, at the same
//! place and velocity. Edges between a piece of either side are doubled, each copy with its share of
//! the stiffness. (O'Brien, Hodgins, “Graphical Modeling and Animation of Brittle Fracture”, 1999,
//! §4, reduced to two dimensions and to cracks along edges.)

use std::collections::BTreeSet;

use crate::math::{Vec2, doubled_area};
use crate::world::parts::{PartEdge, Parts};

/// Parts an edge that has given way. Where pieces of a solid meet in it, the solid tears open at one
/// of its ends, across the edge; where none does, the edge goes, with what hangs on it alone.
pub(crate) fn part_edge(parts: &mut Parts, index: usize) {
    let edge = parts.edges[index].edge;
    let solid = parts.pieces.iter().any(|piece| {
        piece.points.len() >= 3 && piece.points.contains(&edge.a) && piece.points.contains(&edge.b)
    });
    if !solid {
        return remove_edge(parts, index);
    }
    let at = |point: u32| parts.points[point as usize].position;
    let along = at(edge.b) - at(edge.a);
    if !divide_vertex(parts, edge.a, along) {
        divide_vertex(parts, edge.b, along);
    }
}

/// Removes an edge, the piece that runs along it, and the bends and areas that need it.
fn remove_edge(parts: &mut Parts, index: usize) {
    let edge = parts.edges.remove(index).edge;
    let along = |a: u32, b: u32| (a, b) == (edge.a, edge.b) || (b, a) == (edge.a, edge.b);
    parts
        .pieces
        .retain(|piece| piece.points.len() != 2 || !along(piece.points[0], piece.points[1]));
    parts.bends.retain(|bend| {
        let [a, b, c] = bend.points;
        !along(a, b) && !along(b, c)
    });
    parts.areas.retain(|area| {
        let after = area.points.iter().cycle().skip(1);
        !area.points.iter().zip(after).any(|(&a, &b)| along(a, b))
    });
}

/// Divides a vertex among the solid pieces around it by the line through it across `normal`. Returns
/// whether there were pieces on both sides.
pub(super) fn divide_vertex(parts: &mut Parts, vertex: u32, normal: Vec2) -> bool {
    let at = parts.points[vertex as usize].position;
    let around: Vec<usize> = (0..parts.pieces.len())
        .filter(|&k| parts.pieces[k].points.len() >= 3 && parts.pieces[k].points.contains(&vertex))
        .collect();
    let is_ahead = |&k: &usize| {
        let outline = &parts.pieces[k].points;
        let middle: Vec2 = outline.iter().map(|&i| parts.points[i as usize].position).sum();
        (middle / outline.len() as f32 - at).dot(normal) > 0.0
    };
    let (ahead, behind): (Vec<usize>, Vec<usize>) = around.iter().partition(|k| is_ahead(k));
    if ahead.is_empty() || behind.is_empty() {
        return false;
    }
    let area = |pieces: &[usize]| -> f32 {
        let rest = |&k: &usize| {
            let outline = parts.pieces[k].points.iter();
            doubled_area(outline.map(|&i| parts.points[i as usize].rest))
        };
        pieces.iter().map(rest).sum()
    };
    let share = (area(&ahead) / (area(&ahead) + area(&behind))).clamp(0.05, 0.95);
    let neighbours = |pieces: &[usize]| -> BTreeSet<u32> {
        pieces.iter().flat_map(|&k| parts.pieces[k].points.iter().copied()).collect()
    };
    let (near_ahead, near_behind) = (neighbours(&ahead), neighbours(&behind));

    let copy = parts.points.len() as u32;
    let mut twin = parts.points[vertex as usize];
    twin.mass *= share;
    parts.points[vertex as usize].mass *= 1.0 - share;
    parts.points.push(twin);
    let outlines_ahead: Vec<Vec<u32>> =
        ahead.iter().map(|&k| parts.pieces[k].points.clone()).collect();
    for &k in &ahead {
        rename(&mut parts.pieces[k].points, vertex, copy);
    }
    divide_edges(parts, vertex, copy, share, [&near_ahead, &near_behind]);
    // Areas go with the piece of the same outline; a larger one that the crack runs into is open
    // now, and holds nothing any more.
    parts.areas.retain_mut(|area| {
        if outlines_ahead.contains(&area.points) {
            rename(&mut area.points, vertex, copy);
            return true;
        }
        area.points.len() <= 4 || !area.points.contains(&vertex)
    });
    let edges: BTreeSet<(u32, u32)> = parts
        .edges
        .iter()
        .map(|PartEdge { edge, .. }| (edge.a.min(edge.b), edge.a.max(edge.b)))
        .collect();
    let joined = |a: u32, b: u32| edges.contains(&(a.min(b), a.max(b)));
    parts.bends.retain(|bend| {
        let [a, b, c] = bend.points;
        !bend.points.contains(&vertex) || (joined(a, b) && joined(b, c))
    });
    true
}

/// Gives each copy of a vertex the edges of its side; those in between are doubled.
fn divide_edges(
    parts: &mut Parts,
    vertex: u32,
    copy: u32,
    share: f32,
    [ahead, behind]: [&BTreeSet<u32>; 2],
) {
    let mut doubled = Vec::new();
    for part in &mut parts.edges {
        let edge = &mut part.edge;
        let other = match vertex {
            v if v == edge.a => edge.b,
            v if v == edge.b => edge.a,
            _ => continue,
        };
        let to_copy = |mut part: PartEdge| {
            for end in [&mut part.edge.a, &mut part.edge.b] {
                if *end == vertex {
                    *end = copy;
                }
            }
            part
        };
        match (ahead.contains(&other), behind.contains(&other)) {
            (true, true) => {
                let mut twin = to_copy(*part);
                twin.edge.compliance /= share;
                twin.edge.damping *= share;
                doubled.push(twin);
                part.edge.compliance /= 1.0 - share;
                part.edge.damping *= 1.0 - share;
            }
            (true, false) => *part = to_copy(*part),
            (false, _) => {}
        }
    }
    parts.edges.extend(doubled);
}

fn rename(points: &mut [u32], from: u32, to: u32) {
    for point in points.iter_mut().filter(|point| **point == from) {
        *point = to;
    }
}
