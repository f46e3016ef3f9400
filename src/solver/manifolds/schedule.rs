//! The order of manifolds: four at a time, and yet as if one came after the other.
//!
//! Rounds are sequential: what a contact does, the next one finds. The order in which that happens
//! matters to how fast loads travel through a pile. Two manifolds that share no body do not see each
//! other, so they may be solved at once. Each manifold belongs to a *wave*: the one after the last wave
//! in which an earlier manifold acts on either of its bodies. Wave by wave, in any order within one, is
//! the same as in the order of pairs, to the last bit; quads are filled from one wave each.
//!
//! Piles that do not touch see nothing of each other at all. A few piles at a time make a *bundle*, whose
//! rounds may all be done before those of the next, while its numbers are near the processor.

use std::ops::Range;

use crate::sets::Sets;
use crate::solver::nodes::Nodes;

/// Lanes in a quad.
const LANES: u32 = 4;
/// A bundle that has as many manifolds takes no further pile. Their numbers fit into a cache of 64 kB; in
/// much smaller bundles waves would leave many lanes idle.
const BUNDLE: u32 = 512;

/// Where each manifold stands.
#[derive(Clone, Debug, Default)]
pub(super) struct Schedule {
    pairs: Vec<[u32; 2]>,
    /// The lane of each manifold, counted through all quads.
    places: Vec<u32>,
    /// The quads of each bundle.
    bundles: Vec<Range<u32>>,
    /// For each node, the wave after the last that acts on it.
    free: Vec<u32>,
    /// For each wave of each bundle the number of its manifolds, then the first lane that is left in it.
    lanes: Vec<u32>,
}

impl Schedule {
    /// The number of manifolds.
    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether it was made for as many nodes.
    pub(super) fn is_of(&self, nodes: &Nodes) -> bool {
        self.free.len() == nodes.len()
    }

    /// Whether a manifold is there, and between these nodes.
    pub(super) fn has(&self, index: usize, pair: [u32; 2]) -> bool {
        self.pairs.get(index) == Some(&pair)
    }

    /// Finds the places of manifolds between these pairs of nodes.
    pub(super) fn arrange(&mut self, pairs: impl Iterator<Item = [u32; 2]>, nodes: &Nodes) {
        self.pairs.clear();
        self.pairs.extend(pairs);
        self.place_all(nodes);
    }

    fn place_all(&mut self, nodes: &Nodes) {
        let Self { pairs, places, bundles, free, lanes } = self;
        // What cannot be pushed is only looked at.
        let pushed = |node: &u32| nodes[*node].inv_mass > 0.0;
        let mut piles = Sets::new(nodes.len());
        for [a, b] in pairs.iter().filter(|pair| pair.iter().all(pushed)) {
            piles.join(*a as usize, *b as usize);
        }
        let mut pile_of = |pair: &[u32; 2]| {
            let node = pair.iter().copied().find(pushed).unwrap_or(pair[0]);
            piles.root(node as usize)
        };
        let mut sizes = vec![0; nodes.len()];
        for pair in &*pairs {
            sizes[pile_of(pair)] += 1;
        }
        // The bundle of each pile, in the order in which they come.
        const NONE: u32 = u32::MAX;
        let mut bundle_of = vec![NONE; nodes.len()];
        let (mut bundle, mut filled) = (0, 0);
        let mut waves: Vec<u32> = Vec::new();
        free.clear();
        free.resize(nodes.len(), 0);
        places.clear();
        for pair in &*pairs {
            let pile = pile_of(pair);
            if bundle_of[pile] == NONE {
                if filled >= BUNDLE {
                    (bundle, filled) = (bundle + 1, 0);
                }
                bundle_of[pile] = bundle;
                filled += sizes[pile];
            }
            let acts_on = || pair.iter().filter(|node| pushed(node));
            let wave = acts_on().map(|&node| free[node as usize]).max().unwrap_or(0);
            acts_on().for_each(|&node| free[node as usize] = wave + 1);
            waves.resize(waves.len().max(bundle as usize + 1), 0);
            let of_bundle = &mut waves[bundle_of[pile] as usize];
            *of_bundle = (*of_bundle).max(wave + 1);
            places.push(wave);
        }
        // The first wave of each bundle among all waves.
        let mut count = 0;
        for first in &mut waves {
            count += std::mem::replace(first, count);
        }
        lanes.clear();
        lanes.resize(count as usize, 0);
        for (pair, place) in pairs.iter().zip(&mut *places) {
            *place += waves[bundle_of[pile_of(pair)] as usize];
            lanes[*place as usize] += 1;
        }
        let mut quads = 0;
        bundles.clear();
        for (index, &first) in waves.iter().enumerate() {
            let last = waves.get(index + 1).map_or(count, |&next| next);
            let start = quads;
            for lane in &mut lanes[first as usize..last as usize] {
                let needed = lane.div_ceil(LANES);
                *lane = quads * LANES;
                quads += needed;
            }
            bundles.push(start..quads);
        }
        for place in places {
            let next = &mut lanes[*place as usize];
            *place = *next;
            *next += 1;
        }
    }

    /// The number of quads that are needed.
    pub(super) fn quads(&self) -> usize {
        self.bundles.last().map_or(0, |last| last.end as usize)
    }

    /// The quads of each bundle.
    pub(super) fn bundles(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.bundles.iter().map(|bundle| bundle.start as usize..bundle.end as usize)
    }

    /// The quad and lane of a manifold.
    pub(super) fn place(&self, index: usize) -> (usize, usize) {
        let place = self.places[index];
        ((place / LANES) as usize, (place % LANES) as usize)
    }

    /// The nodes of a manifold.
    pub(super) fn pair(&self, index: usize) -> [u32; 2] {
        self.pairs[index]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;
    use proptest::prelude::*;

    const BODIES: usize = 40;

    /// Discs in a row, the first of which cannot be pushed.
    fn discs() -> Nodes {
        let disc = |k: usize| {
            let at = Vec2::new(3.0 * k as f32, 0.0);
            BodyDef::new(format!("disc{k}"), Shape::Disc { radius: 1.0 }, at)
        };
        let mut scene = Scene { bodies: (0..BODIES).map(disc).collect(), ..Scene::default() };
        scene.bodies[0] = scene.bodies[0].clone().fixed();
        let mut nodes = Nodes::default();
        nodes.attach(&World::build(&scene).unwrap().model);
        nodes
    }

    proptest! {
        #[test]
        fn what_shares_a_body_stays_in_order_and_out_of_one_quad(
            raw in prop::collection::vec((0..BODIES as u32, 1..BODIES as u32), 0..300)
        ) {
            let nodes = discs();
            let pair = |(a, by): (u32, u32)| [a, (a + by) % BODIES as u32];
            let pairs: Vec<[u32; 2]> = raw.into_iter().map(pair).collect();
            let mut schedule = Schedule::default();
            schedule.arrange(pairs.iter().copied(), &nodes);
            let places: Vec<_> = (0..pairs.len()).map(|k| schedule.place(k)).collect();
            for (later, pair) in pairs.iter().enumerate() {
                for earlier in 0..later {
                    prop_assert_ne!(places[earlier], places[later]);
                    if pairs[earlier].iter().any(|node| *node > 0 && pair.contains(node)) {
                        prop_assert!(places[earlier].0 < places[later].0);
                    }
                }
            }
            // The bundles follow each other and cover all quads.
            let quads: Vec<usize> = schedule.bundles().flatten().collect();
            prop_assert_eq!(quads, (0..schedule.quads()).collect::<Vec<_>>());
            prop_assert!(places.iter().all(|place| place.0 < schedule.quads()));
        }
    }

    #[test]
    fn four_that_share_nothing_but_the_ground_fill_a_quad() {
        let mut schedule = Schedule::default();
        schedule.arrange((1..9).map(|disc| [0, disc]), &discs());
        assert_eq!(schedule.quads(), 2);
    }
}
