//! Manifolds: the contacts of two pieces whose bodies move as blocks, solved four pairs at a time.
//!
//! A contact is two rows of a Jacobian, along the normal and along the surface, as `rows/` has them; but
//! these have always the same two nodes and the same pattern, and most scenes have more of them than of
//! anything else. So they are kept without indirection, both contacts of a pair side by side, four pairs
//! to a [`Quad`], whose numbers are vectors of four that a processor handles at once. What acts on soft
//! bodies, or on what is solved together, stays a row.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | what a manifold is, and how it gets into its quad |
//! | `division.rs` | which bundle each manifold belongs to; large piles are cut |
//! | `bundle.rs` | which quad of it each stands in, so that the order of pairs is kept |
//! | `motions.rs` | the velocities, or displacements, of the bodies of a quad |
//! | `impulse.rs` | solving them for velocities |

mod bundle;
mod division;
mod impulse;
mod motions;

use std::ops::Range;

use crate::math::{Vec2, cross, left};
use crate::solver::nodes::{Node, Nodes, Twist};
use crate::threads::{Held, Threads};
use bundle::{Bundle, Places};
use division::Division;
use glam::Vec4;
use motions::Arms;

/// The manifolds of a sub-step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifolds {
    /// The nodes of each.
    pairs: Vec<[u32; 2]>,
    /// The bundle of each, and its lane there.
    spots: Vec<[u32; 2]>,
    division: Division,
    /// Whole piles, parts, seams; more than are in use.
    bundles: Vec<Bundle>,
    /// Where parts and seams are while threads take turns at them.
    shared: Vec<Held<Bundle>>,
    places: Places,
    /// The number of nodes.
    nodes: usize,
}

/// A contact of a manifold: the number of the manifold, and which of its two contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) manifold: u32,
    pub(crate) point: u8,
}

/// What two bodies that touch have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Unit vector from the second body to the first.
    pub(crate) normal: Vec2,
    /// Coefficient μ.
    pub(crate) friction: f32,
}

/// A contact as it is put into a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    /// Where it acts on each body, m.
    pub(crate) places: [Vec2; 2],
    /// The gap along the normal, negative for overlap, m.
    pub(crate) gap: f32,
    /// Impulses to start from: along the surface, along the normal.
    pub(crate) start: Vec2,
}

/// What is put into a manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Put {
    pub(crate) surface: Surface,
    pub(crate) points: [Point; 2],
    /// How many of the points there are.
    pub(crate) count: usize,
    /// Whether its bodies meet.
    pub(crate) meets: bool,
}

/// Four manifolds side by side. Idle lanes, the last ones, have no mass, and the nodes of the one before them.
///
/// Both contacts of a pair rub along the same line, so there is one row of friction for the two. It acts
/// at the nearer one.
#[derive(Clone, Copy, Debug, Default)]
struct Quad {
    /// The nodes of each, by their places in the bundle: J·v is that of the first less that of the second.
    nodes: [[u32; 4]; 2],
    normal: [Vec4; 2],
    inv_mass: [Vec4; 2],
    friction: Vec4,
    /// Lever arms of the direction along the surface, and what brings a speed along it to zero, kg.
    tangent: Arms,
    tangent_mass: Vec4,
    /// Impulse along the surface so far, N·s.
    rubbed: Vec4,
    points: [Points; 2],
}

/// One contact of each manifold of a quad. Where a manifold has none its mass is zero.
#[derive(Clone, Copy, Debug, Default)]
struct Points {
    /// Lever arms of the normal.
    arms: Arms,
    /// Inverse of `J·M⁻¹·Jᵀ` along the normal, kg: what brings a speed to zero.
    mass: Vec4,
    /// The gap along the normal, negative for overlap, m.
    gap: Vec4,
    /// Impulse so far, N·s.
    pushed: Vec4,
}

impl Manifolds {
    /// The number of manifolds.
    pub(crate) fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether they may be manifolds of these nodes.
    pub(crate) fn are_of(&self, nodes: &Nodes) -> bool {
        self.nodes == nodes.len()
    }

    /// Forgets them, as the same numbers may now be those of other nodes.
    pub(crate) fn forget(&mut self) {
        self.nodes = 0;
    }

    /// Whether manifold number `index` is there, and between these nodes.
    pub(crate) fn is_between(&self, index: u32, pair: [u32; 2]) -> bool {
        self.pairs.get(index as usize) == Some(&pair)
    }

    /// Forgets all manifolds, and makes room for those of these pairs of nodes, in this order.
    pub(crate) fn arrange(&mut self, pairs: impl Iterator<Item = [u32; 2]>, nodes: &Nodes) {
        self.pairs.clear();
        self.pairs.extend(pairs);
        self.nodes = nodes.len();
        self.division.divide(&self.pairs, nodes);
        let [wholes, parts, seams] = self.division.counts();
        let count = self.division.count();
        if self.bundles.len() < count {
            self.bundles.resize(count, Bundle::default());
        }
        self.shared.resize(parts + seams, Held::default());
        self.bundles.iter_mut().for_each(Bundle::clear);
        for (manifold, &bundle) in (0..).zip(self.division.bundles()) {
            self.bundles[bundle as usize].add(manifold);
        }
        self.places.reset(nodes.len());
        self.spots.clear();
        self.spots.resize(self.pairs.len(), [0; 2]);
        for (own, bundle) in self.bundles[..count].iter_mut().enumerate() {
            let parts = (own >= wholes + parts).then_some(wholes as u32);
            bundle.arrange(own as u32, &self.pairs, &mut self.places, nodes, parts);
            for (manifold, lane) in bundle.members() {
                self.spots[manifold as usize] = [own as u32, lane];
            }
        }
    }

    /// Puts what `of` says into each manifold, if it says so. Returns whether bodies meet in any of them.
    pub(crate) fn put_all(
        &mut self,
        threads: &Threads,
        nodes: &Nodes,
        of: impl Fn(u32) -> Option<Put> + Sync,
    ) -> bool {
        let Self { pairs, bundles, division, .. } = self;
        let count = division.count();
        let put = |bundles: &mut [Bundle]| {
            let mut meets = false;
            for bundle in bundles {
                bundle.put_all(|manifold| {
                    let put = of(manifold)?;
                    meets |= put.meets;
                    Some((put, pairs[manifold as usize].map(|node| &nodes[node])))
                });
            }
            meets
        };
        threads.parts(&mut bundles[..count], 1, &put, &|a, b| a || b)
    }

    /// Does something with each bundle.
    fn each(&mut self, threads: &Threads, work: impl Fn(&mut Bundle) + Sync) {
        let count = self.division.count();
        threads.each(&mut self.bundles[..count], 1, |bundles: &mut [Bundle]| {
            bundles.iter_mut().for_each(&work);
        });
    }

    /// Some rounds in which `work` is done with the quads of each bundle and the motions of its bodies, which
    /// are at first those that `of` says.
    fn run<'a>(
        &mut self,
        rounds: u32,
        threads: &Threads,
        of: impl Fn(u32) -> &'a Twist + Sync,
        work: impl Fn(&mut [Quad], &mut [Twist]) + Sync,
    ) {
        let [wholes, parts, seams] = self.division.counts();
        let begin = |(bundles, own): (&mut [Bundle], Range<usize>)| {
            for (bundle, own) in bundles.iter_mut().zip(own) {
                bundle.read(&of);
                let alone = if own < wholes { rounds } else { 0 };
                (0..alone).for_each(|_| bundle.round(&work));
            }
        };
        let count = self.division.count();
        threads.each((&mut self.bundles[..count], 0..count), 1, begin);
        if parts == 0 {
            return;
        }
        self.exchange();
        let shared = &self.shared;
        threads.stages(rounds, &[parts, seams], |stage, task| {
            if stage == 0 {
                shared[task].lock().round(&work);
            } else {
                let mut seam = shared[parts + task].lock();
                seam.borrow(|part| shared[part].lock());
                seam.round(&work);
                seam.repay(|part| shared[part].lock());
            }
        });
        self.exchange();
    }

    /// Puts parts and seams where threads can take turns at them, or back.
    fn exchange(&mut self) {
        let [wholes, ..] = self.division.counts();
        for (bundle, shared) in self.bundles[wholes..].iter_mut().zip(&mut self.shared) {
            std::mem::swap(bundle, shared.get());
        }
    }

    /// Gives back the motions of what can be pushed.
    fn write(&self, mut to: impl FnMut(u32, &Twist)) {
        let count = self.division.count();
        self.bundles[..count].iter().for_each(|bundle| bundle.write(&mut to));
    }

    /// The impulses of a contact so far: along the surface, along the normal. Of what both contacts of a
    /// pair rub each has its part, as they are pressed.
    pub(crate) fn impulse(&self, spot: Spot) -> Vec2 {
        let (quad, lane) = self.at(spot);
        let pushed = quad.points.map(|point| point.pushed[lane]);
        let (own, both) = (pushed[usize::from(spot.point)], pushed[0] + pushed[1]);
        let part = if both > 0.0 { own / both } else { 0.0 };
        Vec2::new(part * quad.rubbed[lane], own)
    }

    /// The gap of a contact, m.
    pub(crate) fn gap(&self, spot: Spot) -> f32 {
        let (quad, lane) = self.at(spot);
        quad.points[usize::from(spot.point)].gap[lane]
    }

    fn at(&self, spot: Spot) -> (&Quad, usize) {
        let [bundle, lane] = self.spots[spot.manifold as usize];
        let (quad, lane) = bundle::split(lane);
        (&self.bundles[bundle as usize].quads[quad], lane)
    }

    fn at_mut(&mut self, spot: Spot) -> (&mut Quad, usize) {
        let [bundle, lane] = self.spots[spot.manifold as usize];
        let (quad, lane) = bundle::split(lane);
        (&mut self.bundles[bundle as usize].quads[quad], lane)
    }
}

impl Quad {
    /// Puts a manifold between two nodes into a lane, with its contacts, two at most.
    fn put(&mut self, lane: usize, surface: Surface, points: &[Point], ends: [&Node; 2]) {
        let Surface { normal, friction } = surface;
        for (inv_mass, node) in self.inv_mass.iter_mut().zip(ends) {
            inv_mass[lane] = node.inv_mass;
        }
        (self.normal[0][lane], self.normal[1][lane]) = (normal.x, normal.y);
        self.friction[lane] = friction;
        let arms = |places: [Vec2; 2], direction: Vec2| {
            [0, 1].map(|side| cross(places[side] - ends[side].center, direction))
        };
        for slot in &mut self.points[points.len()..] {
            slot.arms.set(lane, [0.0; 2]);
            (slot.mass[lane], slot.gap[lane], slot.pushed[lane]) = (0.0, 0.0, 0.0);
        }
        for (slot, point) in self.points.iter_mut().zip(points) {
            let along = arms(point.places, normal);
            slot.arms.set(lane, along);
            slot.mass[lane] = mass(ends, along);
            slot.gap[lane] = point.gap;
            slot.pushed[lane] = point.start.y;
        }
        // Bodies that are yet to meet have places of their own; a line of friction has one for both, or it
        // would make spin of nothing.
        let nearest = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        let [a, b] = nearest.map_or([Vec2::ZERO; 2], |point| point.places);
        let across = arms([0.5 * (a + b); 2], left(normal));
        self.tangent.set(lane, across);
        self.tangent_mass[lane] = mass(ends, across);
        self.rubbed[lane] = points.iter().map(|point| point.start.x).sum();
    }
}

/// The inverse of the mobility of two bodies along a direction with these lever arms, kg; 0 if neither can
/// be moved.
fn mass([a, b]: [&Node; 2], arms: [f32; 2]) -> f32 {
    let turning = a.inv_inertia * arms[0] * arms[0] + b.inv_inertia * arms[1] * arms[1];
    let mobility = a.inv_mass + b.inv_mass + turning;
    if mobility > 0.0 { mobility.recip() } else { 0.0 }
}

#[cfg(test)]
mod tests;
