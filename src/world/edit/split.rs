//! A body that is no longer in one piece becomes several.

use std::collections::BTreeMap;

use crate::sets::Sets;
use crate::world::Bend;
use crate::world::parts::{PartArea, PartEdge, PartPiece, Parts};

/// The connected parts of a body as bodies of their own, the heaviest first: points hang together by
/// edges, pieces and areas.
pub(super) fn components(parts: Parts) -> Vec<Parts> {
    let count = parts.points.len();
    let mut sets = Sets::new(count);
    let mut join = |a: u32, b: u32| {
        sets.join(a as usize, b as usize);
    };
    for PartEdge { edge, .. } in &parts.edges {
        join(edge.a, edge.b);
    }
    let outlines = parts.pieces.iter().map(|piece| &piece.points);
    for outline in outlines.chain(parts.areas.iter().map(|area| &area.points)) {
        outline.windows(2).for_each(|pair| join(pair[0], pair[1]));
    }
    let mut groups: BTreeMap<usize, Vec<u32>> = BTreeMap::new();
    for point in 0..count {
        groups.entry(sets.root(point)).or_default().push(point as u32);
    }
    if groups.len() <= 1 {
        return vec![parts];
    }
    let mut found: Vec<Parts> = groups.values().map(|points| part(&parts, points)).collect();
    // A stable sort: the first of equals stays first.
    found.sort_by(|a, b| b.mass().total_cmp(&a.mass()));
    found
}

/// The part of a body that consists of these points.
fn part(whole: &Parts, points: &[u32]) -> Parts {
    let mut number = vec![None; whole.points.len()];
    for (new, &old) in points.iter().enumerate() {
        number[old as usize] = Some(new as u32);
    }
    let of = |point: u32| number[point as usize];
    let all = |points: &[u32]| points.iter().map(|&point| of(point)).collect::<Option<Vec<_>>>();
    let three = |points: [u32; 3]| Some([of(points[0])?, of(points[1])?, of(points[2])?]);
    let edges = whole.edges.iter().filter_map(|&PartEdge { edge, rest }| {
        let (a, b) = (of(edge.a)?, of(edge.b)?);
        Some(PartEdge { edge: crate::world::Edge { a, b, ..edge }, rest })
    });
    let areas = whole
        .areas
        .iter()
        .filter_map(|area| Some(PartArea { points: all(&area.points)?, ..area.clone() }));
    let bends =
        whole.bends.iter().filter_map(|bend| Some(Bend { points: three(bend.points)?, ..*bend }));
    let pieces = whole.pieces.iter().filter_map(|piece| {
        let frame = piece.frame.and_then(three);
        Some(PartPiece { points: all(&piece.points)?, frame, radius: piece.radius })
    });
    let mut part = Parts {
        id: whole.id.clone(),
        points: points.iter().map(|&point| whole.points[point as usize]).collect(),
        edges: edges.collect(),
        areas: areas.collect(),
        bends: bends.collect(),
        pieces: pieces.collect(),
        ..*whole
    };
    part.center_rest();
    part
}
