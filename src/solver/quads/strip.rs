//! Constraints of one kind in their quads.
//!
//! Rounds are sequential: what one constraint does, the next one finds. Two that share no body do not see each
//! other, so they may be solved at once. Each belongs to a *wave*, in which no two share a body, and quads are filled
//! from one wave each.
//!
//! Which wave that is says in which order constraints are solved ([`Order`]), and so how loads travel. As they come, a
//! load goes all the way along a row of them in one round, but one link against it. In few waves it goes one or two links
//! both ways; the waves are full, and what is next to each other waits for nothing. For hinges that is better: a net of
//! 100 × 100 discs hangs open by half as far at one sub-step of four rounds, which take less time as well. For contacts it
//! is not: a pyramid of a hundred layers sinks by half as much, but moves within itself, so that few contacts can be kept
//! from step to step; and a heap of ragdolls comes to rest later. A sheet of points stretches twice as far. So contacts
//! and edges keep their order, but for those of a seam, which is one long chain: few lanes would be filled.

use crate::math::Mapped;
use crate::solver::nodes::Nodes;
use crate::threads::Threads;

/// Lanes in a quad.
const LANES: u32 = 4;

/// The work on so few quads is not worth sharing out.
const PART: usize = 64;

/// What takes a lane in which there is no constraint.
const IDLE: u32 = u32::MAX;

/// Of bodies that cannot be pushed: they wait for nothing.
pub(crate) const FIXED: u32 = u32::MAX;

/// Four constraints side by side, each on `N` bodies.
pub(crate) trait Quad<const N: usize = 2>: Clone + Default {
    /// The bodies of each, by their places in the bundle. Idle lanes, the last ones, have those of the one
    /// before them.
    fn bodies(&mut self) -> &mut [[u32; 4]; N];
}

/// The order in which constraints are solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// Each in the wave after the last one in which an earlier one acts on either of its bodies. Wave by wave that is
    /// the same as one by one, to the last bit.
    AsTheyCome,
    /// Each in the first wave in which no earlier one acts on either of its bodies.
    FewWaves,
}

/// Some quads, and what is in their lanes.
type Part<'a, Q> = (&'a mut [Q], &'a [[u32; LANES as usize]]);

/// Some constraints, and their quads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Strip<Q, const N: usize = 2> {
    pub(crate) quads: Vec<Q>,
    /// The constraints, in their order.
    members: Vec<u32>,
    /// The lane of each of them, counted through all quads.
    lanes: Vec<u32>,
    /// The places of its bodies.
    ends: Vec<[u32; N]>,
    /// The constraint in each lane, or [`IDLE`]; empty while nobody has asked.
    takers: Vec<u32>,
    /// For each wave the number of its constraints, then the first lane that is left in it.
    waves: Vec<u32>,
}

impl<Q: Quad<N>, const N: usize> Strip<Q, N> {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.members.clear();
        self.quads.clear();
    }

    /// Adds a constraint.
    pub(crate) fn add(&mut self, member: u32) {
        self.members.push(member);
    }

    /// The constraints with their lanes.
    pub(crate) fn members(&self) -> impl Iterator<Item = (u32, u32)> + use<'_, Q, N> {
        self.members.iter().copied().zip(self.lanes.iter().copied())
    }

    /// The quad and the lane in it of the constraint that was added as number `place`.
    pub(crate) fn spot(&self, place: usize) -> (usize, usize) {
        split(self.lanes[place])
    }

    /// Each constraint with its quad and its lane there.
    pub(crate) fn each(&mut self, mut work: impl FnMut(u32, &mut Q, usize)) {
        let (quads, spots) = self.quads_and_spots();
        spots.for_each(|(member, quad, lane)| work(member, &mut quads[quad], lane));
    }

    /// The same; threads share them out.
    pub(crate) fn share(&mut self, threads: &Threads, work: impl Fn(u32, &mut Q, usize) + Sync)
    where
        Q: Send,
    {
        if threads.count() == 1 {
            return self.each(work);
        }
        let Self { quads, members, lanes, takers, .. } = self;
        if takers.is_empty() {
            takers.resize(quads.len() * LANES as usize, IDLE);
            members.iter().zip(&*lanes).for_each(|(&of, &lane)| takers[lane as usize] = of);
        }
        let (takers, _) = takers.as_chunks::<{ LANES as usize }>();
        threads.each((&mut quads[..], takers), PART, |(quads, takers): Part<'_, Q>| {
            for (quad, takers) in quads.iter_mut().zip(takers) {
                for (lane, &member) in takers.iter().enumerate().filter(|(_, of)| **of != IDLE) {
                    work(member, quad, lane);
                }
            }
        });
    }

    /// The quads; and each constraint with the number of its quad, and its lane there.
    pub(crate) fn quads_and_spots(
        &mut self,
    ) -> (&mut [Q], impl Iterator<Item = (u32, usize, usize)> + use<'_, Q, N>) {
        let Self { quads, members, lanes, .. } = self;
        let spots = members.iter().zip(&*lanes).map(|(&member, &lane)| {
            let (quad, lane) = split(lane);
            (member, quad, lane)
        });
        (quads, spots)
    }

    /// Finds the places of the bodies of all, by the places of those of each.
    pub(crate) fn find_ends(&mut self, mut of: impl FnMut(u32) -> [u32; N]) {
        self.ends.clear();
        self.ends.extend(self.members.iter().map(|&member| of(member)));
    }

    /// Finds the lanes of all, and makes room for them. `free` tells of each body whether it is [`FIXED`]; else it
    /// is 0 at first.
    pub(crate) fn fill(&mut self, order: Order, free: &mut [u32]) {
        let Self { quads, lanes, ends, takers, waves, .. } = self;
        waves.clear();
        lanes.clear();
        takers.clear();
        for &ends in &*ends {
            let wave = match order {
                Order::AsTheyCome => next_wave(ends, free),
                Order::FewWaves => any_wave(ends, free),
            };
            let wave = wave.unwrap_or(waves.len().max(u32::BITS as usize) as u32);
            if waves.len() <= wave as usize {
                waves.resize(wave as usize + 1, 0);
            }
            waves[wave as usize] += 1;
            lanes.push(wave);
        }
        let mut count = 0;
        for wave in &mut *waves {
            let needed = wave.div_ceil(LANES);
            *wave = count * LANES;
            count += needed;
        }
        quads.clear();
        quads.resize(count as usize, Q::default());
        for (lane, ends) in lanes.iter_mut().zip(&*ends) {
            let next = &mut waves[*lane as usize];
            *lane = *next;
            *next += 1;
            let (quad, lane) = split(*lane);
            for (bodies, body) in quads[quad].bodies().iter_mut().zip(*ends) {
                // Lanes are filled in order.
                bodies[lane..].fill(body);
            }
        }
    }
}

/// The wave after the last one of any body.
fn next_wave<const N: usize>(ends: [u32; N], free: &mut [u32]) -> Option<u32> {
    let waits = ends.mapped(|body| free[body as usize]);
    let wave = waits.into_iter().filter(|wave| *wave != FIXED).max().unwrap_or(0);
    for body in ends {
        let next = &mut free[body as usize];
        if *next != FIXED {
            *next = wave + 1;
        }
    }
    Some(wave)
}

/// The first wave without any of these bodies, of which `taken` has one bit for each wave; `None` if they are in too
/// many. What is fixed is in none.
fn any_wave<const N: usize>(ends: [u32; N], taken: &mut [u32]) -> Option<u32> {
    let waves = |body: u32| match taken[body as usize] {
        FIXED => 0,
        waves => waves,
    };
    let wave = ends.into_iter().fold(0, |all, body| all | waves(body)).trailing_ones();
    // The last bit would look like a fixed body.
    let bit = 1_u32.checked_shl(wave).filter(|_| wave + 1 < u32::BITS)?;
    for body in ends {
        let waves = &mut taken[body as usize];
        if *waves != FIXED {
            *waves |= bit;
        }
    }
    Some(wave)
}

/// What [`Strip::fill`] takes of bodies that are named by their nodes.
pub(crate) fn find_free(nodes: &Nodes, free: &mut Vec<u32>) {
    free.clear();
    let is_fixed = |node: u32| nodes[node].inv_mass == 0.0;
    free.extend((0..nodes.len() as u32).map(|node| if is_fixed(node) { FIXED } else { 0 }));
}

/// The quad and the lane in it of a lane that is counted through all quads.
pub(crate) fn split(lane: u32) -> (usize, usize) {
    ((lane / LANES) as usize, (lane % LANES) as usize)
}
