//! Which edges of a body's pieces lie inside it, and how its outline goes on past a piece.
//!
//! A solid that is made of several convex pieces has seams between them. The edges of a seam must
//! not collide: a box that slides over the ground would trip over the side of the next piece. And
//! where a seam ends on the surface, what touches the corner of one piece may be the other's to push
//! away; for that, the corner must know where the outline goes on.

use std::collections::HashMap;

use crate::world::model::Rim;
use crate::world::parts::PartPiece;

/// The rims of the pieces of a body, one piece after the other, and whether each piece has an
/// interior edge. Points are numbered as in the pieces.
pub(crate) fn rims(pieces: &[PartPiece]) -> (Vec<Rim>, Vec<bool>) {
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
        shared.push(rims[start..].iter().any(|rim| rim.interior));
    }
    (rims, shared)
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
        let (rims, shared) = rims(&[piece([0, 1, 2, 3]), piece([1, 4, 5, 2])]);
        assert_eq!(shared, [true, true]);
        let interior: Vec<bool> = rims.iter().map(|rim| rim.interior).collect();
        assert_eq!(interior, [false, true, false, false, false, false, false, true]);
        // At vertex 1 the left piece's edge 1 → 2 is inside; the outline goes on to 4.
        assert_eq!((rims[1].before, rims[1].after), (None, Some(4)));
        // At vertex 2 it comes from 5.
        assert_eq!((rims[2].before, rims[2].after), (Some(5), None));
        assert_eq!((rims[4].before, rims[4].after), (Some(0), None));
    }
}
