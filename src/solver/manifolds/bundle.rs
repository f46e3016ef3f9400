//! A bundle: manifolds in their quads, with the motions of their bodies at hand.
//!
//! Rounds are sequential: what a contact does, the next one finds. The order in which that happens
//! matters to how fast loads travel through a pile. Two manifolds that share no body do not see each
//! other, so they may be solved at once. Each manifold belongs to a *wave*: the one after the last wave
//! in which an earlier manifold acts on either of its bodies. Wave by wave, in any order within one, is
//! the same as in the order of pairs, to the last bit; quads are filled from one wave each. What is in a seam
//! is a long chain in that order, and few of its lanes would be filled: there a manifold belongs to the first
//! wave in which nothing else acts on either of its bodies.

use super::{Put, Quad};
use crate::solver::nodes::{Node, Nodes, Twist};

/// Lanes in a quad.
const LANES: u32 = 4;

/// Manifolds that are solved apart from all others, or between such.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundle {
    pub(super) quads: Vec<Quad>,
    /// The nodes of its bodies. A quad knows them by their places in this list.
    nodes: Vec<u32>,
    /// The motion of each: velocities or displacements.
    motions: Vec<Twist>,
    /// Those of them that can be pushed, and are not in a part; what cannot be pushed may be in several bundles,
    /// and is only looked at.
    pushed: Vec<u32>,
    /// Its manifolds.
    members: Vec<u32>,
    /// The lane of each of them, counted through all quads.
    lanes: Vec<u32>,
    /// The places of its two bodies.
    ends: Vec<[u32; 2]>,
    /// For a seam: where its bodies have their motions.
    loans: Vec<Loan>,
    /// For each node, the wave after the last that acts on it; in a seam, the waves that do.
    free: Vec<u32>,
    /// For each wave the number of its manifolds, then the first lane that is left in it.
    waves: Vec<u32>,
}

/// A body of a seam.
#[derive(Clone, Copy, Debug)]
struct Loan {
    /// Its place in the seam.
    here: u32,
    /// Its part, and its place there.
    part: u32,
    there: u32,
}

/// Where nodes are in the bundles they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// For each node, the bundle it was last seen in, and its place there.
    seen: Vec<[u32; 2]>,
}

impl Places {
    /// Forgets all, and makes room for as many nodes.
    pub(super) fn reset(&mut self, nodes: usize) {
        self.seen.clear();
        self.seen.resize(nodes, [NOWHERE; 2]);
    }
}

impl Bundle {
    /// Forgets its manifolds.
    pub(super) fn clear(&mut self) {
        self.members.clear();
        self.loans.clear();
    }

    /// Adds a manifold.
    pub(super) fn add(&mut self, manifold: u32) {
        self.members.push(manifold);
    }

    /// Finds the lanes of its manifolds, and makes room for them. It is number `own`; the nodes of a seam have been
    /// seen in the parts, which are numbered from `parts` on.
    pub(super) fn arrange(
        &mut self,
        own: u32,
        pairs: &[[u32; 2]],
        places: &mut Places,
        nodes: &Nodes,
        parts: Option<u32>,
    ) {
        let Self { members, lanes, ends, free, waves, .. } = self;
        self.nodes.clear();
        self.pushed.clear();
        free.clear();
        waves.clear();
        lanes.clear();
        ends.clear();
        self.quads.clear();
        let pairs = members.iter().map(|&member| pairs[member as usize]);
        let (all, pushed, loans) = (&mut self.nodes, &mut self.pushed, &mut self.loans);
        // For now the wave of each manifold, and its nodes.
        let mut place = |node: u32, free: &mut Vec<u32>| {
            let seen = &mut places.seen[node as usize];
            if seen[0] != own {
                let here = all.len() as u32;
                all.push(node);
                let can_be_pushed = nodes[node].inv_mass > 0.0;
                // What cannot be pushed is always free.
                free.push(if can_be_pushed { 0 } else { FIXED });
                // What has no manifold in its part belongs to the seam.
                match parts.filter(|_| can_be_pushed && seen[0] != NOWHERE) {
                    Some(first) => {
                        let part = seen[0] - first;
                        loans.push(Loan { here, part, there: seen[1] });
                    }
                    None if can_be_pushed => pushed.push(here),
                    None => {}
                }
                *seen = [own, here];
            }
            seen[1]
        };
        for pair in pairs {
            let pair = pair.map(|node| place(node, free));
            let wave = if parts.is_some() { any_wave(pair, free) } else { next_wave(pair, free) };
            let wave = wave.unwrap_or(waves.len().max(u32::BITS as usize) as u32);
            if waves.len() <= wave as usize {
                waves.resize(wave as usize + 1, 0);
            }
            waves[wave as usize] += 1;
            lanes.push(wave);
            ends.push(pair);
        }
        let mut quads = 0;
        for wave in &mut *waves {
            let needed = wave.div_ceil(LANES);
            *wave = quads * LANES;
            quads += needed;
        }
        self.quads.resize(quads as usize, Quad::default());
        for (lane, pair) in lanes.iter_mut().zip(&*ends) {
            let next = &mut waves[*lane as usize];
            *lane = *next;
            *next += 1;
            let (quad, lane) = split(*lane);
            for (nodes, node) in self.quads[quad].nodes.iter_mut().zip(*pair) {
                // Lanes are filled in order.
                nodes[lane..].fill(node);
            }
        }
        self.motions.clear();
        self.motions.resize(self.nodes.len(), Twist::default());
        loans.sort_unstable_by_key(|loan| (loan.part, loan.there));
    }

    /// Puts what `of` says into each manifold, between those two nodes.
    pub(super) fn put_all<'a>(&mut self, mut of: impl FnMut(u32) -> Option<(Put, [&'a Node; 2])>) {
        for (&manifold, &lane) in self.members.iter().zip(&self.lanes) {
            if let Some((put, ends)) = of(manifold) {
                let (quad, lane) = split(lane);
                self.quads[quad].put(lane, put.surface, &put.points[..put.count], ends);
            }
        }
    }

    /// Its manifolds with their lanes.
    pub(super) fn members(&self) -> impl Iterator<Item = (u32, u32)> + use<'_> {
        self.members.iter().copied().zip(self.lanes.iter().copied())
    }

    /// Takes the motions of its bodies.
    pub(super) fn read<'a>(&mut self, of: impl Fn(u32) -> &'a Twist) {
        for (motion, &node) in self.motions.iter_mut().zip(&self.nodes) {
            *motion = *of(node);
        }
    }

    /// Gives back the motions of what can be pushed.
    pub(super) fn write(&self, mut to: impl FnMut(u32, &Twist)) {
        for &place in &self.pushed {
            to(self.nodes[place as usize], &self.motions[place as usize]);
        }
    }

    /// Does something with its quads and the motions of its bodies.
    pub(super) fn round(&mut self, work: impl FnOnce(&mut [Quad], &mut [Twist])) {
        work(&mut self.quads, &mut self.motions);
    }

    /// Takes the motions of bodies that are in parts; `of` gives access to one.
    pub(super) fn borrow<P: std::ops::Deref<Target = Self>>(&mut self, of: impl Fn(usize) -> P) {
        for loans in self.loans.chunk_by(|a, b| a.part == b.part) {
            let part = of(loans[0].part as usize);
            for loan in loans {
                self.motions[loan.here as usize] = part.motions[loan.there as usize];
            }
        }
    }

    /// Gives them back.
    pub(super) fn repay<P: std::ops::DerefMut<Target = Self>>(&self, of: impl Fn(usize) -> P) {
        for loans in self.loans.chunk_by(|a, b| a.part == b.part) {
            let mut part = of(loans[0].part as usize);
            for loan in loans {
                part.motions[loan.there as usize] = self.motions[loan.here as usize];
            }
        }
    }
}

/// Not seen yet.
const NOWHERE: u32 = u32::MAX;

/// Of nodes that cannot be pushed: they wait for nothing.
const FIXED: u32 = u32::MAX;

/// The wave after the last one of either body.
fn next_wave(pair: [u32; 2], free: &mut [u32]) -> Option<u32> {
    let waits = pair.map(|body| free[body as usize]);
    let wave = waits.into_iter().filter(|wave| *wave != FIXED).max().unwrap_or(0);
    for body in pair {
        let next = &mut free[body as usize];
        if *next != FIXED {
            *next = wave + 1;
        }
    }
    Some(wave)
}

/// The first wave without either body, of which `taken` has one bit for each wave; `None` if they are in too
/// many. Both can be pushed.
fn any_wave(pair: [u32; 2], taken: &mut [u32]) -> Option<u32> {
    let [a, b] = pair.map(|body| taken[body as usize]);
    let wave = (a | b).trailing_ones();
    let bit = 1_u32.checked_shl(wave)?;
    pair.into_iter().for_each(|body| taken[body as usize] |= bit);
    Some(wave)
}

/// The quad and the lane in it of a lane that is counted through all quads.
pub(super) fn split(lane: u32) -> (usize, usize) {
    ((lane / LANES) as usize, (lane % LANES) as usize)
}
