//! Outlines of solids: are they any, what convex pieces are they made of, how are they rounded, what
//! holds a frame of them stiff.
//!
//! An outline is a list of vertices around a solid. It may be concave, but must not cross itself.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | what is an outline and what is not |
//! | `convex.rs` | triangles, and convex pieces of them |
//! | `round.rs` | round corners, and the moments of what has them |
//! | `near.rs` | what of a convex outline is nearest to a point |
//! | `rigid.rs` | is a frame of points and edges rigid, and what makes it so |

mod convex;
mod near;
mod rigid;
mod round;

pub use convex::{Decomposition, convex_pieces};
pub(crate) use near::nearest;
pub use rigid::{Bracing, brace, loose_points, missing_edges};
pub(crate) use round::{inset, moments as rounded_moments};

use crate::math::{NotConvex, Vec2, convex_outline, cross, polygon_moments};

/// Where two sides meet at less than this angle, rad, there is one side.
const STRAIGHT: f32 = 1e-4;

/// Why a list of vertices is not the outline of a solid. Vertices and sides are numbered from 0 as
/// they are listed; a side begins at the vertex of its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOutline {
    /// It has almost no area, or a number that is not finite.
    NoArea,
    /// It winds around more than once.
    Winds,
    /// Two sides cross, touch, or come very close to each other.
    Crosses(usize, usize),
    /// Two vertices are at the same place.
    Repeats(usize, usize),
    /// It turns back along the way it came at this vertex.
    TurnsBack(usize),
}

/// The outline of a solid, convex or concave, counter-clockwise: as it is, or turned round, without
/// vertices on straight sides.
///
/// # Errors
/// If it crosses itself, encloses less than `least * least` or has fewer than three vertices.
/// `least` is also how close to each other parts of the outline may come, m.
pub fn simple_outline(vertices: &[Vec2], least: f32) -> Result<Vec<Vec2>, NotOutline> {
    match convex_outline(vertices, least * least) {
        Ok(outline) => return Ok(outline),
        Err(NotConvex::NoArea) => return Err(NotOutline::NoArea),
        Err(NotConvex::Winds) => return Err(NotOutline::Winds),
        Err(NotConvex::At(_)) => {}
    }
    let numbers = corners(vertices)?;
    let outline: Vec<Vec2> = numbers.iter().map(|&i| vertices[i]).collect();
    let count = outline.len();
    let size = crate::math::Aabb::around(outline.iter().copied()).size().max_element();
    let near = least.max(1e-6 * size);
    for i in 0..count {
        for j in i + 1..count {
            if outline[i].distance(outline[j]) < near {
                return Err(NotOutline::Repeats(numbers[i], numbers[j]));
            }
        }
    }
    for i in 0..count {
        for j in i + 2..count {
            let neighbours = i == 0 && j + 1 == count;
            let (a, b) = (outline[i], outline[i + 1]);
            let (c, d) = (outline[j], outline[(j + 1) % count]);
            if !neighbours && sides_meet(a, b, c, d, near) {
                return Err(NotOutline::Crosses(numbers[i], numbers[j]));
            }
        }
    }
    match convex_outline(&outline, least * least) {
        Ok(outline) => Ok(outline),
        Err(NotConvex::At(_)) if crate::math::polygon_moments(&outline).area < 0.0 => {
            Ok(outline.into_iter().rev().collect())
        }
        Err(NotConvex::At(_)) => Ok(outline),
        Err(NotConvex::NoArea) => Err(NotOutline::NoArea),
        Err(NotConvex::Winds) => Err(NotOutline::Winds),
    }
}

/// The numbers of the vertices at which an outline turns.
fn corners(vertices: &[Vec2]) -> Result<Vec<usize>, NotOutline> {
    let mut kept: Vec<usize> = (0..vertices.len()).collect();
    loop {
        let count = kept.len();
        let mut straight = None;
        for k in 0..count {
            let [a, b, c] = [k + count - 1, k, k + 1].map(|i| kept[i % count]);
            let (u, v) = (vertices[b] - vertices[a], vertices[c] - vertices[b]);
            for (offset, p, q) in [(u, a, b), (v, b, c)] {
                if offset == Vec2::ZERO {
                    return Err(NotOutline::Repeats(p.min(q), p.max(q)));
                }
            }
            if cross(u, v).abs() <= STRAIGHT * u.length() * v.length() {
                if u.dot(v) < 0.0 {
                    return Err(NotOutline::TurnsBack(b));
                }
                straight = Some(k);
                break;
            }
        }
        match straight {
            Some(k) if count > 3 => drop(kept.remove(k)),
            Some(_) => return Err(NotOutline::NoArea),
            None => return Ok(kept),
        }
    }
}

/// Whether two sides cross, or come nearer to each other than `near`.
fn sides_meet(a: Vec2, b: Vec2, c: Vec2, d: Vec2, near: f32) -> bool {
    let side = |p: Vec2, q: Vec2, r: Vec2| {
        let (u, v) = ((q - p).as_dvec2(), (r - p).as_dvec2());
        u.x * v.y - u.y * v.x
    };
    let crossing = side(a, b, c) * side(a, b, d) < 0.0 && side(c, d, a) * side(c, d, b) < 0.0;
    let close = |p: Vec2, q: Vec2, r: Vec2| distance_to_side(r, p, q) < near;
    crossing || close(a, b, c) || close(a, b, d) || close(c, d, a) || close(c, d, b)
}

/// The distance of a place from the side from `a` to `b`.
fn distance_to_side(at: Vec2, a: Vec2, b: Vec2) -> f32 {
    let along = b - a;
    let t = ((at - a).dot(along) / along.length_squared().max(1e-30)).clamp(0.0, 1.0);
    at.distance(a + t * along)
}

/// Whether an outline is thinner in the mean than `least`, m: a sliver, which point masses cannot hold apart.
pub(crate) fn is_thin(outline: &[Vec2], least: f32) -> bool {
    let across = outline.iter().flat_map(|a| outline.iter().map(|b| a.distance(*b)));
    // A box of just that size is none, whatever rounding says.
    polygon_moments(outline).area < 0.99 * least * across.fold(0.0, f32::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outline(list: &[(f32, f32)]) -> Result<Vec<Vec2>, NotOutline> {
        let vertices: Vec<Vec2> = list.iter().map(|&at| at.into()).collect();
        simple_outline(&vertices, 1e-4)
    }

    #[test]
    fn a_sliver_is_thin_and_a_box_of_the_least_size_is_not() {
        let wide = |width: f32| {
            let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, width), (0.0, width)].map(Vec2::from);
            corners.map(|at| Vec2::from_angle(0.7).rotate(at))
        };
        assert!(is_thin(&wide(1e-7), 1e-4) && is_thin(&wide(0.9e-4), 1e-4));
        assert!(!is_thin(&wide(1e-4), 1e-4) && !is_thin(&wide(0.5), 1e-4));
    }

    #[test]
    fn concave_outlines_both_ways_round_are_outlines() {
        let l = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
        let found = outline(&l).unwrap();
        assert_eq!(found.len(), 6);
        let mut turned = l;
        turned.reverse();
        let other = outline(&turned).unwrap();
        assert!(crate::math::polygon_moments(&other).area > 0.0);
        // What comes out passes once more, as it is.
        assert_eq!(simple_outline(&found, 1e-4).unwrap(), found);
    }

    #[test]
    fn vertices_on_a_straight_side_are_left_out() {
        let square = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 2.0), (0.0, 2.0)];
        assert_eq!(outline(&square).unwrap().len(), 4);
    }

    #[test]
    fn what_is_no_outline_is_told_by_its_vertices() {
        let crossing = [(0.0, 0.0), (4.0, 0.0), (4.0, 3.0), (1.0, -1.0), (0.0, 3.0)];
        assert_eq!(outline(&crossing), Err(NotOutline::Crosses(0, 2)));
        let spike = [(0.0, 0.0), (4.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)];
        assert_eq!(outline(&spike), Err(NotOutline::TurnsBack(1)));
        // Two squares that share a corner.
        let pinched = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (2.0, 1.0), (2.0, 2.0), (1.0, 2.0)];
        let mut pinched = pinched.to_vec();
        pinched.extend([(1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(outline(&pinched), Err(NotOutline::Repeats(2, 6)));
        assert_eq!(outline(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]), Err(NotOutline::NoArea));
        assert_eq!(outline(&[(0.0, 0.0), (1.0, f32::NAN), (2.0, 0.0)]), Err(NotOutline::NoArea));
    }
}
