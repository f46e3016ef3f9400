//! What is solved four at a time: contacts and hinges of bodies that move as blocks, which act between two nodes, and edges,
//! contacts and guards of soft bodies.
//!
//! These could be rows of a Jacobian, as `rows/` has them; but they have always two nodes and the same
//! pattern, and most scenes have more of them than of anything else. So they are kept without indirection,
//! both contacts of a pair in a *manifold*, all that a pin does in a *hinge*, and four of a kind in a *quad*,
//! whose numbers are vectors of four that a processor handles at once. What else acts on soft bodies, or on what
//! is solved together, stays a row.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | all of them, and rounds over them |
//! | `division.rs` | which bundle each belongs to; large piles are cut |
//! | `bundle.rs` | those that are solved together, with the motions of their bodies |
//! | `strip.rs` | which quad each stands in, and so in which order they are solved |
//! | `motions.rs` | the velocities, or displacements, of the bodies of a quad |
//! | `manifold.rs` | what a manifold is, and what it does in a round |
//! | `tie.rs` | which joints can be hinges |
//! | `hinge.rs` | what a hinge is, and what it does in a round |
//! | `edge.rs` | what an edge is, and what it does in a round |
//! | `press.rs` | contacts of soft bodies, which act on two nodes on either side |
//! | `guard.rs` | what keeps triangles of soft bodies from turning inside out |
//! | `bounce.rs` | what bounces |
//! | `impulse.rs` | solving all for velocities |
//! | `projection.rs` | solving hinges and manifolds for positions, and velocities after |
//!
//! `verlet` has hinges of its own to hold bodies with (`verlet/hinges.rs`), and its strips for contacts.

mod bounce;
mod bundle;
mod division;
mod edge;
mod guard;
mod hinge;
mod impulse;
mod manifold;
mod motions;
mod press;
mod projection;
mod strip;
mod tie;

use std::ops::Range;

use crate::math::{Lane, Mapped, Vec2};
use crate::solver::nodes::{Node, Nodes, Twist};
use crate::threads::{AtomicPairs, Held, Threads};
use crate::world::Model;
pub(crate) use bounce::ROUNDS as BOUNCE_ROUNDS;
use bundle::{Bundle, Kind, Places, Work};
use division::Division;
pub(crate) use edge::Span;
use guard::Guards;
pub(crate) use hinge::{Aim, Closing, Given, HingeQuad, Stance};
pub(crate) use impulse::Law;
pub(crate) use manifold::{Point, Put, Surface};
pub(crate) use motions::{PairMotions, inverse};
pub(crate) use press::Press;
use press::Presses;
pub(crate) use projection::{Back, Past, Seen};
pub(crate) use strip::{FIXED, Order, Quad, Strip};
pub(crate) use tie::{Swing, Tie};

/// The work on so few nodes is not worth sharing out.
const NODES: usize = 512;
/// Nor that on so few hinges or edges, where all there is to do is to take what they have given out of their lanes.
const LANES: usize = 1024;

/// The hinges, edges, manifolds, and guards and contacts of soft bodies of a sub-step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Quads {
    /// The nodes of each, first those of hinges, then those of edges.
    pairs: Vec<[u32; 2]>,
    /// The bundle of each, and its lane there.
    spots: AtomicPairs,
    /// How many are hinges.
    hinges: usize,
    /// How many are edges.
    edges: usize,
    /// What hinges and edges had given when they were last taken out of their lanes.
    given: Vec<Given>,
    pulled: Vec<f32>,
    division: Division,
    /// Whole piles, parts, seams; more than are in use.
    bundles: Vec<Bundle>,
    /// Where parts and seams are while threads take turns at them.
    shared: Vec<Held<Bundle>>,
    loose: Loose,
    places: Places,
    /// The number of nodes.
    nodes: usize,
}

/// What acts on points of soft bodies, listed anew in every sub-step and in no bundle.
#[derive(Clone, Debug, Default)]
struct Loose {
    guards: Guards,
    presses: Presses,
}

impl Loose {
    fn is_empty(&self) -> bool {
        self.guards.is_empty() && self.presses.is_empty()
    }
}

/// How many rounds there are.
#[derive(Clone, Copy, Debug)]
struct Rounds {
    least: u32,
    /// For what comes to rest, while there is something to be done.
    most: u32,
}

impl Rounds {
    fn fixed(count: u32) -> Self {
        Self { least: count, most: count }
    }

    /// The phase of a round of all, and the number of the round in it.
    fn phase_of(mut round: u32, phases: &[Self]) -> (usize, u32) {
        for (phase, Self { least, .. }) in phases.iter().enumerate() {
            if round < *least {
                return (phase, round);
            }
            round -= least;
        }
        (phases.len(), round)
    }
}

impl Quads {
    /// The number of manifolds.
    #[cfg(test)]
    pub(crate) fn manifolds(&self) -> usize {
        self.pairs.len() - self.equations()
    }

    /// The number of hinges and edges.
    fn equations(&self) -> usize {
        self.hinges + self.edges
    }

    /// Whether they may be manifolds of these nodes.
    pub(crate) fn are_of(&self, nodes: &Nodes) -> bool {
        self.nodes == nodes.len()
    }

    /// Forgets manifolds, as the same numbers may now be those of other nodes. Hinges, edges and guards keep what they have given.
    pub(crate) fn forget(&mut self) {
        self.recall(&Threads::default());
        self.pairs.clear();
        self.loose.presses.clear();
        (self.hinges, self.edges, self.nodes) = (0, 0, 0);
    }

    /// Forgets the others too.
    pub(crate) fn forget_all(&mut self) {
        self.forget();
        self.given.clear();
        self.pulled.clear();
        self.loose.guards.clear();
    }

    /// Whether the manifolds are those between these pairs of nodes, in this order.
    pub(crate) fn are_between(&self, pairs: &[[u32; 2]]) -> bool {
        self.pairs[self.equations()..] == *pairs
    }

    /// Takes what hinges and edges have given out of their lanes.
    fn recall(&mut self, threads: &Threads) {
        let (mut given, mut pulled) =
            (std::mem::take(&mut self.given), std::mem::take(&mut self.pulled));
        let (hinges, edges) = (&mut given[..self.hinges], &mut pulled[..self.edges]);
        threads.each((hinges, 0..self.hinges), LANES, |(given, at): (&mut [Given], Range<_>)| {
            given.iter_mut().zip(at).for_each(|(given, hinge)| *given = self.given_by(hinge));
        });
        threads.each((edges, 0..self.edges), LANES, |(pulled, at): (&mut [f32], Range<_>)| {
            pulled.iter_mut().zip(at).for_each(|(pulled, edge)| *pulled = self.pulled_by(edge));
        });
        (self.given, self.pulled) = (given, pulled);
    }

    /// Forgets all manifolds, and makes room for those of these pairs of nodes, in this order, for these hinges, and
    /// for these edges. If there were as many before of either, they are the same, and keep what they have given.
    pub(crate) fn arrange(
        &mut self,
        hinges: &[Tie],
        edges: &[Span],
        manifolds: impl Iterator<Item = [u32; 2]>,
        threads: &Threads,
        nodes: &Nodes,
    ) {
        self.recall(threads);
        self.pairs.clear();
        self.pairs.extend(hinges.iter().map(|tie| tie.nodes));
        self.pairs.extend(edges.iter().map(|span| span.nodes));
        self.pairs.extend(manifolds);
        (self.hinges, self.edges) = (hinges.len(), edges.len());
        self.given.resize(hinges.len(), Given::default());
        self.pulled.resize(edges.len(), 0.0);
        self.nodes = nodes.len();
        self.division.divide(&self.pairs, nodes, threads);
        let [wholes, parts, seams] = self.division.counts();
        let count = self.division.count();
        if self.bundles.len() < count {
            self.bundles.resize(count, Bundle::default());
        }
        self.shared.resize(parts + seams, Held::default());
        self.bundles[..count].iter_mut().for_each(Bundle::clear);
        let (of_hinges, others) = self.division.bundles().split_at(self.hinges);
        let (of_edges, of_manifolds) = others.split_at(self.edges);
        let of = [(Kind::Hinge, of_hinges), (Kind::Edge, of_edges), (Kind::Manifold, of_manifolds)];
        let mut indices = 0..;
        for (kind, bundles) in of {
            for (&bundle, index) in bundles.iter().zip(&mut indices) {
                self.bundles[bundle as usize].add(index, kind);
            }
        }
        self.places.reset(nodes.len(), seams > 0);
        self.spots.reset(self.pairs.len());
        let Self { pairs, spots, given, pulled, places, bundles, .. } = self;
        let first_seam = wholes + parts;
        let arrange = |(bundles, numbers): (&mut [Bundle], Range<usize>)| {
            for (bundle, own) in bundles.iter_mut().zip(numbers) {
                let parts = (own >= first_seam).then_some(wholes as u32);
                bundle.arrange(own as u32, pairs, places, nodes, parts);
                bundle.members().for_each(|(index, lane)| {
                    spots.set(index as usize, [own as u32, lane]);
                });
                bundle.tie(hinges, given, nodes);
                bundle.span(hinges.len(), edges, pulled, nodes);
            }
        };
        let (before, seams) = bundles[..count].split_at_mut(first_seam);
        threads.each((before, 0..first_seam), 1, arrange);
        threads.each((seams, first_seam..count), 1, arrange);
    }

    /// Puts what `of` says into each manifold, if it says so, and takes the gaps of the others anew. Returns whether
    /// bodies meet fast in any that was put.
    pub(crate) fn put_manifolds(
        &mut self,
        threads: &Threads,
        nodes: &Nodes,
        of: impl Fn(u32) -> Option<Put> + Sync,
    ) -> bool {
        let put = |bundle: &mut Bundle, first: u32, ends: &dyn Fn(u32) -> _| {
            bundle.put_manifolds(|index| Some((of(index - first)?, ends(index))));
            bundle.meet()
        };
        self.put_each(threads, nodes, put, |a, b| a | b)
    }

    /// Takes the gaps of all manifolds anew, and lets `put` do its part with each bundle; it is told the number of the
    /// first manifold among all constraints, and who tells the nodes of each. `both` makes one of two results.
    fn put_each<'a, R: Copy + Default + Send>(
        &mut self,
        threads: &Threads,
        nodes: &'a Nodes,
        put: impl Fn(&mut Bundle, u32, &dyn Fn(u32) -> [&'a Node; 2]) -> R + Sync,
        both: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let equations = self.equations() as u32;
        let Self { pairs, bundles, division, .. } = self;
        let bundles = &mut bundles[..division.count()];
        let ends = |index: u32| pairs[index as usize].mapped(|node| &nodes[node]);
        let put = |bundles: &mut [Bundle]| {
            bundles.iter_mut().fold(R::default(), |all, bundle| {
                bundle.begin_putting(nodes);
                both(all, put(bundle, equations, &ends))
            })
        };
        threads.parts(bundles, 1, &put, &both)
    }

    /// Lists the guards of those areas, in ascending order, as they are now.
    pub(crate) fn put_guards(&mut self, areas: &[u32], model: &Model, nodes: &Nodes) {
        self.loose.guards.put(areas, model, nodes);
    }

    /// Whether there are any.
    pub(crate) fn any_guards(&self) -> bool {
        !self.loose.guards.is_empty()
    }

    /// Forgets the contacts of soft bodies.
    pub(crate) fn clear_presses(&mut self) {
        self.loose.presses.clear();
    }

    /// How many there are.
    pub(crate) fn presses(&self) -> usize {
        self.loose.presses.len()
    }

    /// Adds one, the next in their order.
    pub(crate) fn add_press(&mut self, press: Press) {
        self.loose.presses.add(press);
    }

    /// Finds lanes for all that were added.
    pub(crate) fn arrange_presses(&mut self, nodes: &Nodes) {
        self.loose.presses.arrange(nodes);
    }

    /// Whether there is anything that acts on points of soft bodies one by one: guards, or contacts.
    pub(crate) fn any_loose(&self) -> bool {
        !self.loose.is_empty()
    }

    /// Rounds in which `loose` does its part with what acts on points of soft bodies before `rest`, which is told how many
    /// rounds to do, and whether all is to start before them: one each time, or all at once where there is nothing such.
    fn take_turns(
        &mut self,
        start: bool,
        rounds: u32,
        nodes: &mut Nodes,
        loose: impl Fn(bool, &mut Loose, &mut Nodes),
        mut rest: impl FnMut(&mut Self, bool, u32, &mut Nodes),
    ) {
        if self.loose.is_empty() {
            return rest(self, start, rounds, nodes);
        }
        let begins = u32::from(start);
        for turn in 0..rounds + begins {
            let is_start = turn < begins;
            loose(is_start, &mut self.loose, nodes);
            rest(self, is_start, u32::from(!is_start), nodes);
        }
    }

    /// Takes hinges as they are now, at the beginning of a sub-step of so many seconds, for so many of which motors act.
    /// `swing` says how each may turn; it is asked of those that [`Tie::swings`].
    pub(crate) fn put_hinges(
        &mut self,
        hinges: &[Tie],
        closing: Closing,
        times: [f32; 2],
        threads: &Threads,
        nodes: &Nodes,
        swing: impl Fn(u32) -> Swing + Sync,
    ) {
        let swing = |index: u32| hinges[index as usize].swings.then(|| swing(index));
        self.each(threads, |bundle| bundle.put_hinges(nodes, &closing, times, swing));
    }

    /// Takes edges as they are now, at the beginning of a sub-step in which springs act for `time` seconds. `rest` says
    /// how long each is at rest, m.
    pub(crate) fn put_edges(
        &mut self,
        time: f32,
        threads: &Threads,
        nodes: &Nodes,
        rest: impl Fn(u32) -> f32 + Sync,
    ) {
        let first = self.hinges as u32;
        self.each(threads, |bundle| bundle.put_edges(nodes, time, |index| rest(index - first)));
    }

    /// Does something with each bundle.
    fn each(&mut self, threads: &Threads, work: impl Fn(&mut Bundle) + Sync) {
        let count = self.division.count();
        threads.each(&mut self.bundles[..count], 1, |bundles: &mut [Bundle]| {
            bundles.iter_mut().for_each(&work);
        });
    }

    /// Some rounds in which `work`, which is told the number of the round, is done with each bundle and the motions of its
    /// bodies, which are at first those that `of` says. It says whether there is more to be done.
    fn run<'a>(
        &mut self,
        rounds: Rounds,
        threads: &Threads,
        of: impl Fn(u32) -> &'a Twist + Sync,
        work: impl Fn(u32, Work<'_>) -> bool + Sync,
    ) {
        self.run_phases([rounds], threads, of, |_, _| {}, |_, round, with| work(round, with));
    }

    /// The same for several phases, one after the other, each of some rounds: `work` is told the phase as well. Before the
    /// first round of each phase `turn` makes bundles ready for it.
    fn run_phases<'a, const N: usize>(
        &mut self,
        phases: [Rounds; N],
        threads: &Threads,
        of: impl Fn(u32) -> &'a Twist + Sync,
        turn: impl Fn(usize, &mut Bundle) + Sync,
        work: impl Fn(usize, u32, Work<'_>) -> bool + Sync,
    ) {
        let [wholes, parts, seams] = self.division.counts();
        let begin = |(bundles, own): (&mut [Bundle], Range<usize>)| {
            for (bundle, own) in bundles.iter_mut().zip(own) {
                bundle.read(&of);
                if own >= wholes {
                    continue;
                }
                for (phase, Rounds { least, most }) in phases.into_iter().enumerate() {
                    turn(phase, bundle);
                    let most = if most > least && bundle.comes_to_rest() { most } else { least };
                    let is_last = |round: &u32| {
                        let goes_on = work(phase, *round, bundle.work());
                        *round + 1 >= least && !goes_on
                    };
                    let _ = (0..most).find(is_last);
                }
            }
        };
        let count = self.division.count();
        threads.each((&mut self.bundles[..count], 0..count), 1, begin);
        if parts == 0 {
            return;
        }
        self.exchange();
        let shared = &self.shared;
        let all = phases.iter().map(|rounds| rounds.least).sum();
        threads.stages(all, &[parts, seams], |round, stage, task| {
            let (phase, round) = Rounds::phase_of(round, &phases);
            let mut bundle = shared[stage * parts + task].lock();
            if round == 0 {
                turn(phase, &mut bundle);
            }
            if stage == 0 {
                work(phase, round, bundle.work());
            } else {
                bundle.borrow(|part| shared[part].lock());
                work(phase, round, bundle.work());
                bundle.repay(|part| shared[part].lock());
            }
        });
        self.exchange();
    }

    /// Gives back the speeds of what can be pushed, and how far it has moved. `others` says what is done with those of a node
    /// that is not here.
    fn write_both(
        &self,
        (speeds, travels): (&mut [Twist], &mut [Twist]),
        threads: &Threads,
        others: impl Fn(usize, &mut Twist, &mut Twist) + Sync,
    ) {
        type Part<'a> = ((&'a mut [Twist], &'a mut [Twist]), Range<usize>);
        let write = |((speeds, travels), nodes): Part<'_>| {
            for ((speed, travel), node) in speeds.iter_mut().zip(travels).zip(nodes) {
                let home = self.places.homes.get(node);
                if home == AtomicPairs::NONE {
                    others(node, speed, travel);
                } else {
                    [*speed, *travel] = self.bundles[home[0] as usize].motions(home[1]);
                }
            }
        };
        let count = speeds.len();
        threads.each(((speeds, travels), 0..count), NODES, write);
    }

    /// Puts parts and seams where threads can take turns at them, or back.
    fn exchange(&mut self) {
        let [wholes, ..] = self.division.counts();
        for (bundle, shared) in self.bundles[wholes..].iter_mut().zip(&mut self.shared) {
            std::mem::swap(bundle, shared.get());
        }
    }

    /// Gives back the motions of what can be pushed, to where those of all nodes are.
    fn write(&self, motions: &mut [Twist], threads: &Threads) {
        if self.pairs.is_empty() {
            return;
        }
        let write = |(motions, nodes): (&mut [Twist], Range<usize>)| {
            for (motion, node) in motions.iter_mut().zip(nodes) {
                let home = self.places.homes.get(node);
                if home != AtomicPairs::NONE {
                    *motion = self.bundles[home[0] as usize].motion(home[1]);
                }
            }
        };
        let nodes = 0..motions.len();
        threads.each((motions, nodes), NODES, write);
    }

    /// The impulses of the contacts of a manifold so far: along the surface, along the normal. Of what both rub each
    /// has its part, as they are pressed.
    pub(crate) fn impulses(&self, manifold: u32) -> [Vec2; 2] {
        let (bundle, quad, lane) = self.place(self.equations() + manifold as usize);
        let quad = &bundle.manifolds.quads[quad];
        let pushed = [0, 1].mapped(|k: usize| quad.points[k].pushed.lane(lane));
        let both = pushed[0] + pushed[1];
        pushed.mapped(|own| {
            let part = if both > 0.0 { own / both } else { 0.0 };
            Vec2::new(part * quad.rubbed.lane(lane), own)
        })
    }

    /// The impulse of a contact of soft bodies so far: along the surface, along the normal.
    pub(crate) fn impulse_of_press(&self, press: u32) -> Vec2 {
        let (quad, lane) = self.loose.presses.at(press);
        Vec2::new(quad.contacts.rubbed.lane(lane), quad.contacts.points[0].pushed.lane(lane))
    }

    /// The gaps of the contacts of a manifold, m.
    pub(crate) fn gaps(&self, manifold: u32) -> [f32; 2] {
        let (bundle, quad, lane) = self.place(self.equations() + manifold as usize);
        let quad = &bundle.manifolds.quads[quad];
        [quad.points[0].gap.lane(lane), quad.points[1].gap.lane(lane)]
    }

    /// What a hinge has given.
    pub(crate) fn given_by(&self, hinge: usize) -> Given {
        let (bundle, quad, lane) = self.place(hinge);
        bundle.hinges.quads[quad].given(lane)
    }

    /// What an edge has given, N·s.
    fn pulled_by(&self, edge: usize) -> f32 {
        let (bundle, quad, lane) = self.place(self.hinges + edge);
        bundle.edges.quads[quad].pulled(lane)
    }

    /// The bundle, quad and lane of a constraint.
    fn place(&self, index: usize) -> (&Bundle, usize, usize) {
        let [bundle, lane] = self.spots.get(index);
        let (quad, lane) = strip::split(lane);
        (&self.bundles[bundle as usize], quad, lane)
    }
}

#[cfg(test)]
mod tests;
