//! Is a frame of points and stiff edges rigid, and which edges make it so?
//!
//! A frame of `n` points in the plane is rigid when `2n − 3` of its edges are independent: no part of
//! `k` points holds more than `2k − 3` of them (Laman, 1970). The *pebble game* counts that without
//! looking at subsets (Jacobs, Hendrickson, “An Algorithm for Two-Dimensional Rigidity Percolation:
//! The Pebble Game”, 1997): every point has two pebbles, its two ways to move; an independent edge
//! takes one from either end and keeps it. An edge is independent if both ends can have both their
//! pebbles at once, after moving others along edges that hold them.
//!
//! That is rigidity of points in general position. Points on one line, or the corners of a regular
//! octagon, may give way although the count is right. So braces are chosen by the rank of the
//! frame's rigidity matrix, whose rows say how the length of an edge changes as the points move.

use std::collections::BTreeSet;

use crate::math::{Vec2, cross, direction_or};

/// The part of a brace's row that no row before has: less, and it holds next to nothing.
const LEAST_NEW: f64 = 0.1;
/// The same where nothing better is left.
const LEAST_EVER: f64 = 2e-3;
/// A point all of whose edges lie within this sine of one line gives way across it.
const LEAST_SINE: f32 = 0.02;

/// What a frame lacks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bracing {
    /// Edges to be added.
    pub edges: Vec<(u32, u32)>,
    /// Points that stay under-braced with them, because all points lie on one line.
    pub loose: Vec<u32>,
}

/// The edges that brace a frame: with them its edges alone hold its shape.
///
/// Longer edges are taken before shorter ones, which hold an angle less well.
///
/// ```
/// use sinew::{Vec2, brace};
/// let square = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y];
/// let sides = [(0, 1), (1, 2), (2, 3), (3, 0)];
/// assert_eq!(brace(&square, &sides).edges.len(), 1);
/// // On a line, nothing holds a point sideways.
/// let line = [Vec2::ZERO, Vec2::X, 2.0 * Vec2::X];
/// assert_eq!(brace(&line, &[(0, 1), (1, 2)]).loose, [0, 1, 2]);
/// ```
///
/// # Panics
/// If an edge names a point that does not exist.
#[must_use]
pub fn brace(points: &[Vec2], edges: &[(u32, u32)]) -> Bracing {
    let count = points.len() as u32;
    let mut rows = Rows::default();
    let mut known: BTreeSet<(u32, u32)> = BTreeSet::new();
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        rows.add(points, (a, b), LEAST_EVER);
        known.insert((a.min(b), a.max(b)));
    }
    let whole = (2 * points.len()).saturating_sub(3);
    let mut made = Bracing::default();
    let distance = |&(a, b): &(u32, u32)| points[a as usize].distance_squared(points[b as usize]);
    let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let mut pairs: Vec<(u32, u32)> = pairs.filter(|pair| !known.contains(pair)).collect();
    pairs.sort_by(|one, other| distance(other).total_cmp(&distance(one)).then(one.cmp(other)));
    for least in [LEAST_NEW, LEAST_EVER] {
        for &pair in &pairs {
            if rows.basis.len() >= whole {
                return made;
            }
            if rows.add(points, pair, least) {
                made.edges.push(pair);
            }
        }
    }
    if rows.basis.len() < whole {
        made.loose = (0..count).filter(|&i| lies_on_a_line_with_all(points, i)).collect();
    }
    made
}

/// Whether all others are seen from a point in one direction or its opposite.
fn lies_on_a_line_with_all(points: &[Vec2], i: u32) -> bool {
    let directions = || {
        let others = points.iter().map(move |&other| other - points[i as usize]);
        others.filter(|offset| *offset != Vec2::ZERO).map(|offset| direction_or(offset, Vec2::X))
    };
    let Some(first) = directions().next() else { return true };
    directions().all(|direction| cross(first, direction).abs() < LEAST_SINE)
}

/// Independent rows of a rigidity matrix, made orthonormal (Gram, Schmidt).
#[derive(Default)]
struct Rows {
    basis: Vec<Vec<f64>>,
}

impl Rows {
    /// Adds the row of an edge if at least this part of it is new.
    fn add(&mut self, points: &[Vec2], (a, b): (u32, u32), least: f64) -> bool {
        let along = points[b as usize].as_dvec2() - points[a as usize].as_dvec2();
        let along = along.normalize_or_zero() / std::f64::consts::SQRT_2;
        let mut row = vec![0.0; 2 * points.len()];
        for (point, sign) in [(a, -1.0), (b, 1.0)] {
            row[2 * point as usize] = sign * along.x;
            row[2 * point as usize + 1] = sign * along.y;
        }
        for other in &self.basis {
            let dot: f64 = row.iter().zip(other).map(|(x, y)| x * y).sum();
            row.iter_mut().zip(other).for_each(|(x, y)| *x -= dot * y);
        }
        let length = row.iter().map(|x| x * x).sum::<f64>().sqrt();
        let new = length >= least;
        if new {
            row.iter_mut().for_each(|x| *x /= length);
            self.basis.push(row);
        }
        new
    }
}

/// The points of a frame that its edges do not hold to the largest rigid part of it.
///
/// # Panics
/// If an edge names a point that does not exist.
#[must_use]
pub fn loose_points(count: usize, edges: &[(u32, u32)]) -> Vec<u32> {
    let mut game = Game::new(count);
    let edges: Vec<(u32, u32)> = edges.iter().copied().filter(|(a, b)| a != b).collect();
    for &(a, b) in &edges {
        game.add(a, b);
    }
    if game.is_rigid() {
        return Vec::new();
    }
    let mut largest: Vec<bool> = vec![false; count];
    let mut done: Vec<Vec<bool>> = Vec::new();
    for (a, b) in edges {
        if done.iter().any(|part| part[a as usize] && part[b as usize]) {
            continue;
        }
        let part = game.rigid_with(a, b);
        let size = |part: &[bool]| part.iter().filter(|&&held| held).count();
        if size(&part) > size(&largest) {
            largest.clone_from(&part);
        }
        done.push(part);
    }
    (0..count as u32).filter(|&i| !largest[i as usize]).collect()
}

/// Edges that would make a frame rigid, as far as counting tells: between points that have a neighbour in
/// common and do not lie on one line with it, the shortest first, each independent of all before. Fewer
/// than it takes where such edges are not enough.
///
/// For frames too large for [`brace`].
///
/// # Panics
/// If an edge names a point that does not exist.
#[must_use]
pub fn missing_edges(points: &[Vec2], edges: &[(u32, u32)]) -> Vec<(u32, u32)> {
    let mut game = Game::new(points.len());
    let mut next: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); points.len()];
    for &(a, b) in edges.iter().filter(|(a, b)| a != b) {
        game.add(a, b);
        next[a as usize].insert(b);
        next[b as usize].insert(a);
    }
    let at = |point: u32| points[point as usize];
    let mut pairs: BTreeSet<(u32, u32)> = BTreeSet::new();
    for (middle, ends) in (0..).zip(&next) {
        for &a in ends {
            for &b in ends.range(a + 1..) {
                let [to_a, to_b] = [a, b].map(|end| direction_or(at(end) - at(middle), Vec2::X));
                if !next[a as usize].contains(&b) && cross(to_a, to_b).abs() > LEAST_SINE {
                    pairs.insert((a, b));
                }
            }
        }
    }
    let mut pairs: Vec<(u32, u32)> = pairs.into_iter().collect();
    let length = |&(a, b): &(u32, u32)| at(a).distance_squared(at(b));
    pairs.sort_by(|one, other| length(one).total_cmp(&length(other)).then(one.cmp(other)));
    let mut made = Vec::new();
    for (a, b) in pairs {
        if game.is_rigid() {
            break;
        }
        if game.add(a, b) {
            made.push((a, b));
        }
    }
    made
}

/// The state of the pebble game.
struct Game {
    /// The two pebbles of each point: free, or on an edge to another point.
    pebbles: Vec<[Option<u32>; 2]>,
    independent: usize,
    /// For a search: where each point was reached from.
    from: Vec<Option<u32>>,
}

impl Game {
    fn new(count: usize) -> Self {
        Self { pebbles: vec![[None; 2]; count], independent: 0, from: vec![None; count] }
    }

    fn is_rigid(&self) -> bool {
        self.independent + 3 >= 2 * self.pebbles.len()
    }

    /// Adds an edge; tells whether it is independent of those before.
    fn add(&mut self, a: u32, b: u32) -> bool {
        let independent = self.gather(a, b) && self.gather(b, a);
        if independent {
            self.pebbles[a as usize][0] = Some(b);
            self.independent += 1;
        }
        independent
    }

    /// Frees both pebbles of `a` without taking those of `held`, if it can be done.
    fn gather(&mut self, a: u32, held: u32) -> bool {
        while self.pebbles[a as usize].iter().any(Option::is_some) {
            let Some(end) = self.search(a, held) else { return false };
            self.shift(a, end);
        }
        true
    }

    /// The nearest point with a free pebble that can be reached from `start` along edges that hold
    /// pebbles, and not through `held`.
    fn search(&mut self, start: u32, held: u32) -> Option<u32> {
        self.from.fill(None);
        self.from[start as usize] = Some(start);
        self.from[held as usize] = Some(held);
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(point) = open.pop_front() {
            for next in self.pebbles[point as usize].into_iter().flatten() {
                if self.from[next as usize].is_some() {
                    continue;
                }
                self.from[next as usize] = Some(point);
                if self.pebbles[next as usize].contains(&None) {
                    return Some(next);
                }
                open.push_back(next);
            }
        }
        None
    }

    /// Turns the edges on the way from `start` to `end` round, so that the free pebble of `end` comes
    /// to `start`.
    fn shift(&mut self, start: u32, end: u32) {
        let mut point = end;
        let mut slot = self.pebbles[point as usize].iter().position(Option::is_none);
        while point != start {
            let Some(previous) = self.from[point as usize] else { return };
            if let Some(free) = slot {
                self.pebbles[point as usize][free] = Some(previous);
            }
            slot = self.pebbles[previous as usize].iter().position(|&to| to == Some(point));
            if let Some(free) = slot {
                self.pebbles[previous as usize][free] = None;
            }
            point = previous;
        }
    }

    /// The points that are rigid with the edge from `a` to `b`: with three of its four pebbles held,
    /// no free one is within their reach.
    fn rigid_with(&mut self, a: u32, b: u32) -> Vec<bool> {
        self.gather(a, b);
        while self.pebbles[b as usize].iter().all(Option::is_some) {
            let Some(end) = self.search(b, a) else { break };
            self.shift(b, end);
        }
        (0..self.pebbles.len() as u32)
            .map(|point| {
                if point == a || point == b {
                    return true;
                }
                let own = self.pebbles[point as usize].contains(&None);
                !own && self.free_in_reach(point, [a, b]).is_none()
            })
            .collect()
    }

    /// A point with a free pebble in reach of another, the two of an edge aside.
    fn free_in_reach(&mut self, start: u32, [a, b]: [u32; 2]) -> Option<u32> {
        self.from.fill(None);
        for point in [start, a, b] {
            self.from[point as usize] = Some(point);
        }
        let mut open = vec![start];
        while let Some(point) = open.pop() {
            for next in self.pebbles[point as usize].into_iter().flatten() {
                if self.from[next as usize].is_none() {
                    if self.pebbles[next as usize].contains(&None) {
                        return Some(next);
                    }
                    self.from[next as usize] = Some(point);
                    open.push(next);
                }
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(count: usize) -> (Vec<Vec2>, Vec<(u32, u32)>) {
        let turn = std::f32::consts::TAU / count as f32;
        let points = (0..count).map(|i| Vec2::from_angle(turn * i as f32)).collect();
        (points, (0..count as u32).map(|i| (i, (i + 1) % count as u32)).collect())
    }

    /// The motions that no edge resists. A rigid frame has three.
    fn free_motions(points: &[Vec2], edges: &[(u32, u32)]) -> usize {
        let mut rows = Rows::default();
        let independent = edges.iter().filter(|&&edge| rows.add(points, edge, 1e-3)).count();
        2 * points.len() - independent
    }

    #[test]
    fn an_outline_is_braced_with_as_many_edges_as_it_lacks() {
        for count in [4, 5, 8, 17, 40] {
            let (points, mut edges) = ring(count);
            let made = brace(&points, &edges);
            assert!(made.loose.is_empty(), "{:?}", made.loose);
            edges.extend(&made.edges);
            assert_eq!(free_motions(&points, &edges), 3, "{count}");
            assert!(made.edges.len() >= count - 3, "{} braces", made.edges.len());
        }
    }

    #[test]
    fn every_brace_left_out_leaves_something_loose() {
        let (points, edges) = ring(9);
        let braces = brace(&points, &edges).edges;
        assert_eq!(braces.len(), 6);
        for left_out in 0..braces.len() {
            let mut fewer = edges.clone();
            fewer.extend(braces.iter().enumerate().filter(|(i, _)| *i != left_out).map(|(_, e)| e));
            // Both ways of counting agree.
            assert!(!loose_points(9, &fewer).is_empty());
            assert_eq!(free_motions(&points, &fewer), 4);
        }
    }

    #[test]
    fn loose_points_are_named() {
        // A braced square, a flag on a hinge, and a point on its own.
        //   3 ─ 2 ─ 4
        //   │ ╳ │ ╱
        //   0 ─ 1   5 ─ 6
        let square = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)];
        let mut edges = square.to_vec();
        edges.extend([(2, 4), (1, 4), (5, 6)]);
        assert_eq!(loose_points(7, &edges), [5, 6]);
        edges.retain(|&edge| edge != (1, 4));
        assert_eq!(loose_points(7, &edges), [4, 5, 6]);
        // One brace too many in one part makes up for none in another.
        assert_eq!(loose_points(5, &edges[..7]), [4]);
    }

    #[test]
    fn missing_edges_are_short_and_never_run_along_a_line() {
        // A ladder of four rungs without diagonals.
        let points: Vec<Vec2> =
            (0..8_u8).map(|i| Vec2::new((i / 2).into(), (i % 2).into())).collect();
        let rungs = (0..4).map(|i| (2 * i, 2 * i + 1));
        let rails = (0..6).map(|i| (i, i + 2));
        let mut edges: Vec<(u32, u32)> = rungs.chain(rails).collect();
        let made = missing_edges(&points, &edges);
        assert_eq!(made, [(0, 3), (2, 5), (4, 7)]);
        edges.extend(made);
        assert!(loose_points(8, &edges).is_empty());
        assert_eq!(free_motions(&points, &edges), 3);
        assert!(missing_edges(&points, &edges).is_empty());
    }

    #[test]
    fn parts_that_are_rigid_each_become_one() {
        let (mut points, first) = ring(3);
        points.extend(points.clone().iter().map(|&at| at + Vec2::new(5.0, 1.0)));
        let second = first.iter().map(|&(a, b)| (a + 3, b + 3));
        let mut edges: Vec<(u32, u32)> = first.iter().copied().chain(second).collect();
        assert_eq!(loose_points(6, &edges).len(), 3);
        let made = brace(&points, &edges);
        assert_eq!(made.edges.len(), 3);
        edges.extend(made.edges);
        assert_eq!(free_motions(&points, &edges), 3);
    }

    #[test]
    fn a_point_between_two_others_is_held_sideways() {
        // Generically rigid: point 3 has two edges. But they lie on one line.
        let points = [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0), (1.0, 0.0)].map(Vec2::from);
        let edges = [(0, 1), (1, 2), (2, 0), (0, 3), (3, 1)];
        assert!(loose_points(4, &edges).is_empty());
        let made = brace(&points, &edges);
        assert_eq!(made.edges, [(2, 3)]);
    }
}
