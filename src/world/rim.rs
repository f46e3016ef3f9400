//! Which edges of a body's pieces lie inside it, and how its outline goes on past a piece.
//!
//! A solid that is made of several convex pieces has seams between them. The edges of a seam must
//! not collide: a box that slides over the ground would trip over the side of the next piece. And
//! where a seam ends on the surface, what touches the corner of one piece may be the other's to push
//! away; for that, the corner must know where the outline goes on.

use std::collections::HashMap;

use crate::world::model::Rim;
use crate::world::parts::PartPiece;

/// The rims of the pieces of a body, one piece after the other, and whether each piece goes on in
/// another. Points are numbered as in the pieces. Capsules that share an end go on in each other if
/// `lines` is true.
pub(crate) fn rims(pieces: &[PartPiece], lines: bool) -> (Vec<Rim>, Vec<bool>) {
    let solid = || pieces.iter().filter(|piece| piece.points.len() >= 3);
    // Looked up, never iterated: its order is not fixed.
    let mut edges: HashMap<(u32, u32), u32> = HashMap::new();
    for piece in solid() {
        for edge in edges_of(piece) {
            *edges.entry(edge).or_insert(0) += 1;
        }
    }
    let is_interior = |a: u32, b: u32| edges.contains_key(&(b, a));
    let (mut before, mut after) = (HashMap::new(), HashMap::new());
    for (a, b) in solid().flat_map(edges_of).filter(|&(a, b)| !is_interior(a, b)) {
        after.insert(a, b);
        before.insert(b, a);
    }
    let ends = if lines { line_ends(pieces) } else { HashMap::new() };
    let (mut rims, mut shared) = (Vec::new(), Vec::new());
    for piece in pieces {
        let start = rims.len();
        let points = &piece.points;
        let is_solid = points.len() >= 3;
        for (k, &point) in points.iter().enumerate() {
            let next = points[(k + 1) % points.len()];
            let last = points[(k + points.len() - 1) % points.len()];
            let interior = is_solid && is_interior(point, next);
            let ends_inside = is_solid && is_interior(last, point);
            rims.push(Rim {
                interior,
                before: before.get(&point).copied().filter(|_| ends_inside),
                after: after.get(&point).copied().filter(|_| interior),
            });
        }
        if let [a, b] = points[..] {
            let beyond = |at: u32, own: u32| {
                let others = ends.get(&at).map_or(&[][..], Vec::as_slice);
                // Where three lines meet, none is the one that goes on.
                let [one, other] = *others else { return None };
                Some(if one == own { other } else { one })
            };
            rims[start].before = beyond(a, b);
            rims[start + 1].after = beyond(b, a);
        }
        let goes_on = |rim: &Rim| rim.interior || rim.before.is_some() || rim.after.is_some();
        shared.push(rims[start..].iter().any(goes_on));
    }
    (rims, shared)
}

/// For each end of a capsule, the other ends of the capsules that have it.
fn line_ends(pieces: &[PartPiece]) -> HashMap<u32, Vec<u32>> {
    let mut ends: HashMap<u32, Vec<u32>> = HashMap::new();
    for piece in pieces {
        if let [a, b] = piece.points[..] {
            ends.entry(a).or_default().push(b);
            ends.entry(b).or_default().push(a);
        }
    }
    ends
}

fn edges_of(piece: &PartPiece) -> impl Iterator<Item = (u32, u32)> + '_ {
    let points = &piece.points;
    points.iter().enumerate().map(move |(k, &a)| (a, points[(k + 1) % points.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seam_is_interior_and_the_outline_goes_on() {
        // 3 ── 2 ── 5
        // │    │    │
        // 0 ── 1 ── 4
        let piece =
            |points: [u32; 4]| PartPiece { points: points.into(), radius: 0.0, frame: None };
        let (rims, shared) = rims(&[piece([0, 1, 2, 3]), piece([1, 4, 5, 2])], true);
        assert_eq!(shared, [true, true]);
        let interior: Vec<bool> = rims.iter().map(|rim| rim.interior).collect();
        assert_eq!(interior, [false, true, false, false, false, false, false, true]);
        // At vertex 1 the left piece's edge 1 → 2 is inside; the outline goes on to 4.
        assert_eq!((rims[1].before, rims[1].after), (None, Some(4)));
        // At vertex 2 it comes from 5.
        assert_eq!((rims[2].before, rims[2].after), (Some(5), None));
        assert_eq!((rims[4].before, rims[4].after), (Some(0), None));
    }

    #[test]
    fn a_line_goes_on_in_the_next_capsule() {
        let piece =
            |points: [u32; 2]| PartPiece { points: points.into(), radius: 0.1, frame: None };
        let line = [piece([0, 1]), piece([1, 2])];
        let (found, shared) = rims(&line, true);
        assert_eq!(shared, [true, true]);
        assert_eq!((found[0].before, found[1].after), (None, Some(2)));
        assert_eq!((found[2].before, found[3].after), (Some(0), None));
        assert_eq!(rims(&line, false).1, [false, false]);
        // A fork goes on nowhere.
        let fork = [piece([0, 1]), piece([1, 2]), piece([1, 3])];
        assert_eq!(rims(&fork, true).1, [false; 3]);
    }
}
