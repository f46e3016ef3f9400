//! Concave outlines as convex pieces.
//!
//! The outline is cut into triangles by a constrained Delaunay triangulation, and diagonals that no
//! reflex corner needs are taken out again, the longest first: at most four times as many pieces as
//! the best decomposition has (Hertel, Mehlhorn, “Fast triangulation of simple polygons”, 1983). No
//! vertices are added, so pieces that touch share both ends of their seam.

use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation as _};

use crate::math::{Vec2, cross};

/// A corner of a piece turns at least by this, rad; one that does not would be no corner.
const LEAST_TURN: f32 = 1e-3;

/// An outline cut up. All lists number its vertices, counter-clockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Decomposition {
    /// Triangles that fill it: two fewer than vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Convex pieces that fill it; neighbours share an edge.
    pub pieces: Vec<Vec<u32>>,
}

/// Cuts a simple outline, counter-clockwise, into convex pieces; `None` if it is not one, or too thin
/// to be told from a line.
///
/// ```
/// use sinew::{Vec2, convex_pieces};
/// let l = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
/// let pieces = convex_pieces(&l.map(Vec2::from)).unwrap().pieces;
/// assert_eq!(pieces.len(), 2);
/// ```
#[must_use]
pub fn convex_pieces(outline: &[Vec2]) -> Option<Decomposition> {
    let triangles = triangulate(outline)?;
    let mut pieces: Vec<Vec<u32>> = triangles.iter().map(|triangle| triangle.to_vec()).collect();
    for (a, b) in diagonals(outline, &triangles) {
        let left = pieces.iter().position(|piece| follows(piece, a, b));
        let right = pieces.iter().position(|piece| follows(piece, b, a));
        let (Some(left), Some(right)) = (left, right) else { continue };
        let merged = merged(&pieces[left], &pieces[right], a, b);
        let convex = [a, b].iter().all(|&at| turns(outline, &merged, at));
        if convex {
            pieces[left] = merged;
            pieces.remove(right);
        }
    }
    Some(Decomposition { triangles, pieces })
}

/// The triangles of an outline, counter-clockwise.
fn triangulate(outline: &[Vec2]) -> Option<Vec<[u32; 3]>> {
    let count = outline.len();
    let mut mesh = ConstrainedDelaunayTriangulation::<Point2<f64>>::new();
    let mut handles = Vec::with_capacity(count);
    for at in outline {
        handles.push(mesh.insert(Point2::new(f64::from(at.x), f64::from(at.y))).ok()?);
    }
    // Two vertices at one place become one.
    if count < 3 || mesh.num_vertices() != count {
        return None;
    }
    for k in 0..count {
        let (a, b) = (handles[k], handles[(k + 1) % count]);
        if !mesh.can_add_constraint(a, b) {
            return None;
        }
        mesh.add_constraint(a, b);
    }
    let number = |vertex: usize| handles.iter().position(|handle| handle.index() == vertex);
    let mut triangles = Vec::with_capacity(count - 2);
    for face in mesh.inner_faces() {
        let corners = face.vertices().map(|vertex| number(vertex.index()));
        let [Some(a), Some(b), Some(c)] = corners else { return None };
        // Inside, a triangle's corners follow each other as along the outline; in a notch, the other
        // way round.
        if [a < b, b < c, c < a].into_iter().filter(|&rises| rises).count() == 2 {
            triangles.push([a as u32, b as u32, c as u32]);
        }
    }
    (triangles.len() == count - 2).then_some(triangles)
}

/// The edges that two triangles share, longest first.
fn diagonals(outline: &[Vec2], triangles: &[[u32; 3]]) -> Vec<(u32, u32)> {
    let last = outline.len() as u32 - 1;
    let side = |a: u32, b: u32| a + 1 == b || (a == 0 && b == last);
    let edges = triangles.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)]);
    let mut shared: Vec<(u32, u32)> = edges.filter(|&(a, b)| a < b && !side(a, b)).collect();
    let length = |&(a, b): &(u32, u32)| outline[a as usize].distance(outline[b as usize]);
    shared.sort_by(|one, other| length(other).total_cmp(&length(one)).then(one.cmp(other)));
    shared
}

/// Whether a piece has an edge from `a` to `b`.
fn follows(piece: &[u32], a: u32, b: u32) -> bool {
    piece.iter().zip(piece.iter().cycle().skip(1)).any(|(&from, &to)| (from, to) == (a, b))
}

/// Two pieces as one, without the edge from `a` to `b` of the first.
fn merged(left: &[u32], right: &[u32], a: u32, b: u32) -> Vec<u32> {
    let from = |piece: &[u32], start: u32| -> Vec<u32> {
        let first = piece.iter().position(|&point| point == start).unwrap_or(0);
        piece[first..].iter().chain(&piece[..first]).copied().collect()
    };
    // From b round the left piece to a, then from a round the right one back to b.
    let mut all = from(left, b);
    all.extend(from(right, a).into_iter().skip(1).take_while(|&point| point != b));
    all
}

/// Whether a piece has a convex corner at a vertex.
fn turns(outline: &[Vec2], piece: &[u32], at: u32) -> bool {
    let count = piece.len();
    let Some(k) = piece.iter().position(|&point| point == at) else { return true };
    let [a, b, c] = [k + count - 1, k, k + 1].map(|i| outline[piece[i % count] as usize]);
    let (u, v) = (b - a, c - b);
    cross(u, v) > LEAST_TURN * u.length() * v.length()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::{convex_outline, polygon_moments};

    fn check(outline: &[Vec2], most: usize) {
        let found = convex_pieces(outline).unwrap();
        assert_eq!(found.triangles.len(), outline.len() - 2);
        let mut area = 0.0;
        for piece in &found.pieces {
            let corners: Vec<Vec2> = piece.iter().map(|&i| outline[i as usize]).collect();
            assert_eq!(convex_outline(&corners, 1e-12).as_ref(), Ok(&corners), "{piece:?}");
            area += polygon_moments(&corners).area;
        }
        let whole = polygon_moments(outline).area;
        assert!((area / whole - 1.0).abs() < 1e-4, "{area} of {whole}");
        assert!(found.pieces.len() <= most, "{:?}", found.pieces);
    }

    #[test]
    fn letters_fall_into_few_convex_pieces() {
        let l = [(0, 0), (3, 0), (3, 1), (1, 1), (1, 4), (0, 4)];
        let u = [(0, 0), (5, 0), (5, 4), (4, 4), (4, 1), (1, 1), (1, 4), (0, 4)];
        let t = [(2, 0), (3, 0), (3, 3), (5, 3), (5, 4), (0, 4), (0, 3), (2, 3)];
        let at = |&(x, y): &(i32, i32)| Vec2::new(x as f32, y as f32);
        check(&l.iter().map(at).collect::<Vec<_>>(), 2);
        check(&u.iter().map(at).collect::<Vec<_>>(), 3);
        check(&t.iter().map(at).collect::<Vec<_>>(), 4);
    }

    #[test]
    fn a_convex_outline_is_one_piece_and_a_star_has_a_piece_for_each_arm() {
        let ring = |count: usize, radius: &dyn Fn(usize) -> f32| -> Vec<Vec2> {
            let turn = std::f32::consts::TAU / count as f32;
            (0..count).map(|i| radius(i) * Vec2::from_angle(turn * i as f32)).collect()
        };
        check(&ring(12, &|_| 1.0), 1);
        check(&ring(10, &|i| if i % 2 == 0 { 1.0 } else { 0.4 }), 6);
        check(&ring(64, &|i| if i % 2 == 0 { 1.0 } else { 0.5 }), 40);
    }

    #[test]
    fn a_spiral_is_filled() {
        let arm = |radius: f32| {
            (0..20).map(move |i| (radius + 0.1 * i as f32) * Vec2::from_angle(0.5 * i as f32))
        };
        let inner: Vec<Vec2> = arm(0.5).collect();
        let spiral: Vec<Vec2> = arm(0.8).chain(inner.into_iter().rev()).collect();
        check(&spiral, 20);
    }
}
