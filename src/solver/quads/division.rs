//! Which bundle each constraint belongs to.
//!
//! Piles that do not touch see nothing of each other at all. A few piles at a time make a *bundle*, whose
//! rounds may all be done before those of the next, or at the same time, while its numbers are near the
//! processor.
//!
//! A large pile is cut, so that more than one thread may be at it: its bodies are divided by place into
//! *parts*, across the way in which they spread further, and constraints between the parts make the *seams*. A
//! round is all parts, then all seams; of parts none sees another, of seams neither. That changes the order
//! of a round, so into how many parts a pile is cut depends on its size and on nothing else.

use crate::math::{Aabb, Mapped, in_order};
use crate::sets::Sets;
use crate::solver::nodes::Nodes;
use crate::threads::Threads;

/// A bundle that has as many constraints takes no further pile. Their numbers fit into a cache of 64 kB; in
/// much smaller bundles waves would leave many lanes idle.
const BUNDLE: u32 = 512;
/// A part of a pile has about as many constraints: with fewer, seams would be much of the work.
const PART: u32 = 4096;
/// The same of what is in seams, as for bundles.
const SEAM: u32 = 256;

/// Not yet in a bundle.
const NONE: u32 = u32::MAX;

/// The work on so few constraints, or nodes, is not worth sharing out.
const FEW: usize = 2048;

/// The bundles of constraints: first those of whole piles, then the parts of others, then their seams.
#[derive(Clone, Debug, Default)]
pub(super) struct Division {
    /// The bundle of each constraint.
    bundle_of: Vec<u32>,
    wholes: usize,
    parts: usize,
    seams: usize,
    piles: Piles,
    /// The part that each node of a pile that is cut belongs to.
    part_of: Vec<u32>,
    /// The nodes of such a pile, by where they are ([`in_order`]).
    bodies: Vec<u64>,
    /// The nodes of constraints between parts.
    sewn: Vec<[u32; 2]>,
}

/// Sets of constraints that hang together.
#[derive(Clone, Debug, Default)]
struct Piles {
    sets: Sets,
    /// Whether each node can be pushed: what cannot joins nothing.
    pushed: Vec<bool>,
    /// The number of constraints in each, by its lowest node.
    sizes: Vec<u32>,
    /// Its bundle.
    bundles: Vec<u32>,
    /// The lowest node of the pile of each constraint.
    roots: Vec<u32>,
}

impl Piles {
    /// Takes over which nodes can be pushed.
    fn begin(&mut self, nodes: &Nodes, threads: &Threads) {
        let can_be = |node: usize| nodes[node as u32].inv_mass > 0.0;
        threads.mark(&mut self.pushed, nodes.len(), FEW, can_be);
    }

    /// Finds the piles of constraints between these pairs of nodes.
    fn find(&mut self, pairs: &[[u32; 2]], threads: &Threads) {
        let Self { sets, pushed, sizes, bundles, roots } = self;
        sets.reset(pushed.len());
        let between = pairs.iter().map(|pair| pair.mapped(|node| node as usize));
        sets.join_all(between.filter(|[a, b]| pushed[*a] && pushed[*b]));
        let root_of = sets.roots();
        roots.resize(pairs.len(), 0);
        let look = |(roots, pairs): (&mut [u32], &[[u32; 2]])| {
            for (root, [a, b]) in roots.iter_mut().zip(pairs) {
                let is_of_b = !pushed[*a as usize] && pushed[*b as usize];
                *root = root_of[if is_of_b { *b } else { *a } as usize];
            }
        };
        threads.each((&mut roots[..], pairs), FEW, look);
        sizes.clear();
        sizes.resize(pushed.len(), 0);
        roots.iter().for_each(|root| sizes[*root as usize] += 1);
        bundles.clear();
        bundles.resize(pushed.len(), NONE);
    }

    /// Gives each pile that `takes` says of its size a bundle, in the order in which they come, the first of
    /// them `first`; a bundle with `full` constraints takes no further one. Tells each constraint its bundle, if it has one,
    /// and returns how many there are.
    fn bundle<'a>(
        &mut self,
        first: usize,
        full: u32,
        takes: impl Fn(u32) -> bool,
        tell: impl Iterator<Item = &'a mut u32>,
    ) -> usize {
        let (mut count, mut filled) = (0, full);
        for (&root, of) in self.roots.iter().zip(tell) {
            let bundle = &mut self.bundles[root as usize];
            let size = self.sizes[root as usize];
            if *bundle == NONE && takes(size) {
                if filled >= full {
                    (count, filled) = (count + 1, 0);
                }
                *bundle = (first + count - 1) as u32;
                filled += size;
            }
            *of = *bundle;
        }
        count
    }
}

impl Division {
    /// Divides constraints between these pairs of nodes.
    pub(super) fn divide(&mut self, pairs: &[[u32; 2]], nodes: &Nodes, threads: &Threads) {
        let Self { bundle_of, piles, .. } = self;
        piles.begin(nodes, threads);
        piles.find(pairs, threads);
        bundle_of.resize(pairs.len(), NONE);
        self.wholes = piles.bundle(0, BUNDLE, |size| parts(size) == 1, bundle_of.iter_mut());
        (self.parts, self.seams) = (0, 0);
        if bundle_of.contains(&NONE) {
            self.cut(nodes);
            self.sew(pairs, threads);
        }
    }

    /// Cuts the piles that have no bundle yet.
    fn cut(&mut self, nodes: &Nodes) {
        let Self { piles, part_of, bodies, .. } = self;
        part_of.clear();
        part_of.resize(nodes.len(), NONE);
        let (roots, mut next) = (piles.sets.roots(), self.wholes as u32);
        for index in 0..piles.roots.len() {
            let root = piles.roots[index] as usize;
            // The root is a node of the pile itself. What cannot be pushed is in no part, and left to the seams.
            if piles.bundles[root] != NONE || part_of[root] != NONE || !piles.pushed[root] {
                continue;
            }
            bodies.clear();
            let all = (root as u32..).zip(&roots[root..]);
            let own = all.filter(|(_, of)| **of as usize == root);
            bodies.extend(own.map(|(node, _)| u64::from(node)));
            let center = |body: u64| nodes[body as u32].center;
            let spread =
                bodies.iter().fold(Aabb::EMPTY, |all, &body| all.with(center(body))).size();
            let way = usize::from(spread.y > spread.x);
            // Of bodies side by side the lower number comes first, so that there is one answer.
            bodies.iter_mut().for_each(|body| *body = in_order(center(*body)[way], *body as u32));
            let parts = parts(piles.sizes[root]);
            assign(bodies, next, parts, part_of);
            next += parts;
        }
        self.parts = next as usize - self.wholes;
    }

    /// Tells which constraints of piles that were cut are in a part, and which in a seam.
    fn sew(&mut self, pairs: &[[u32; 2]], threads: &Threads) {
        let Self { bundle_of, piles, part_of, sewn, .. } = self;
        let look = |(bundles, pairs): (&mut [u32], &[[u32; 2]])| {
            for (bundle, pair) in bundles.iter_mut().zip(pairs) {
                // What cannot be pushed is in no part.
                *bundle = match pair.mapped(|node| part_of[node as usize]) {
                    _ if *bundle != NONE => continue,
                    [NONE, part] | [part, NONE] => part,
                    [a, b] if a == b => a,
                    _ => NONE,
                };
            }
        };
        threads.each((&mut bundle_of[..], pairs), FEW, look);
        sewn.clear();
        let between = pairs.iter().zip(&*bundle_of).filter(|(_, bundle)| **bundle == NONE);
        sewn.extend(between.map(|(pair, _)| *pair));
        piles.find(sewn, threads);
        let between = bundle_of.iter_mut().filter(|bundle| **bundle == NONE);
        self.seams = piles.bundle(self.wholes + self.parts, SEAM, |_| true, between);
    }

    /// The bundle of each constraint.
    pub(super) fn bundles(&self) -> &[u32] {
        &self.bundle_of
    }

    /// How many bundles are of whole piles, how many are parts, how many seams.
    pub(super) fn counts(&self) -> [usize; 3] {
        [self.wholes, self.parts, self.seams]
    }

    /// How many bundles there are in all.
    pub(super) fn count(&self) -> usize {
        self.wholes + self.parts + self.seams
    }
}

/// Into how many parts a pile of so many constraints is cut: an even number, as threads often are.
fn parts(size: u32) -> u32 {
    (size / (2 * PART) * 2).max(1)
}

/// Divides bodies, as they are in order, into `count` parts, the first of which has the number `first`. Of a few bodies with
/// very many constraints some parts have none.
fn assign(bodies: &mut [u64], first: u32, count: u32, part_of: &mut [u32]) {
    if count <= 1 || bodies.is_empty() {
        bodies.iter().for_each(|body| part_of[*body as u32 as usize] = first);
        return;
    }
    let half = count / 2;
    let middle = bodies.len() * half as usize / count as usize;
    bodies.select_nth_unstable(middle);
    let (before, after) = bodies.split_at_mut(middle);
    assign(before, first, half, part_of);
    assign(after, first + half, count - half, part_of);
}
