//! A bundle: constraints that are solved one after the other, with the motions of their bodies at hand.

use super::bounce::Bounce;
use super::edge::{EdgeQuad, Span};
use super::hinge::{Closing, Given, HingeQuad, Stance};
use super::manifold::{Anchors, ManifoldQuad, Put};
use super::projection::{Past, Pasts, Pulls, Strains};
use super::strip::{FIXED, Order, Strip};
use super::tie::{Swing, Tie};
use crate::math::{Mapped, Vec2, off_tangent};
use crate::solver::nodes::{Node, Nodes, Twist};
use crate::threads::AtomicPairs;
use glam::Vec4;

/// Constraints that are solved apart from all others, or between such.
#[derive(Clone, Debug, Default)]
pub(super) struct Bundle {
    pub(super) hinges: Strip<HingeQuad>,
    pub(super) edges: Strip<EdgeQuad>,
    pub(super) manifolds: Strip<ManifoldQuad>,
    /// Of each of their quads.
    anchors: Vec<Anchors>,
    /// What those remember where they are solved for positions; else empty.
    pub(super) pasts: Vec<Pasts>,
    /// The same of each quad of hinges.
    pulls: Vec<Pulls>,
    /// The same of each quad of edges.
    strains: Vec<Strains>,
    /// The nodes of its bodies. A quad knows them by their places in this list.
    nodes: Vec<u32>,
    /// The motion of each: velocities or displacements.
    motions: Vec<Twist>,
    /// The other of these two, where both are at hand.
    aside: Vec<Twist>,
    /// How far one of its hinges is open, m.
    open: f32,
    /// Where each is: its centre, and the cosine and sine of its angle.
    poses: Vec<Vec4>,
    /// What turns each back that hinges pull on, N·m·s/rad.
    loads: Vec<f32>,
    /// How each of its bodies is placed, where there are hinges.
    stances: Vec<Stance>,
    /// For a seam: where its bodies have their motions.
    loans: Vec<Loan>,
    /// Whether no manifold has been put since there is room for them.
    empty: bool,
    /// The contacts that come fast, and would bounce, of manifolds that were put last; and whether bodies of any meet fast.
    bounces: Vec<Bounce>,
    meet: bool,
    /// How fast its bodies came in this sub-step, if any contacts may bounce.
    coming: Vec<Twist>,
    /// For each body, what its strips note while they are filled.
    free: Vec<u32>,
    /// How strongly gravity pulls on each, as a multiple.
    gravity_scales: Vec<f32>,
}

/// What a constraint is.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind {
    Hinge,
    Edge,
    Manifold,
}

/// What a round works on.
pub(super) struct Work<'a> {
    pub(super) hinges: &'a mut [HingeQuad],
    pub(super) edges: &'a mut [EdgeQuad],
    pub(super) manifolds: &'a mut [ManifoldQuad],
    pub(super) pasts: &'a mut [Pasts],
    pub(super) pulls: &'a mut [Pulls],
    pub(super) strains: &'a mut [Strains],
    pub(super) bounces: &'a mut [Bounce],
    pub(super) coming: &'a [Twist],
    /// The nodes of its bodies, and the motions of these.
    pub(super) nodes: &'a [u32],
    pub(super) motions: &'a mut [Twist],
    /// Their other motions, where both are at hand.
    pub(super) aside: &'a [Twist],
    /// Where they were when edges were put.
    pub(super) poses: &'a [Vec4],
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

/// Where nodes that can be pushed are in the bundles they belong to.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    /// The bundle of each that has its motion from there, and its place there.
    pub(super) homes: AtomicPairs,
    /// The seam of each that has been seen in one, and its place there.
    seams: AtomicPairs,
}

impl Places {
    /// Forgets all, and makes room for as many nodes.
    pub(super) fn reset(&mut self, nodes: usize, any_seams: bool) {
        self.homes.reset(nodes);
        self.seams.reset(if any_seams { nodes } else { 0 });
    }
}

impl Bundle {
    /// Forgets its constraints.
    pub(super) fn clear(&mut self) {
        self.hinges.clear();
        self.edges.clear();
        self.manifolds.clear();
        self.loans.clear();
        self.bounces.clear();
    }

    /// Adds a constraint.
    pub(super) fn add(&mut self, index: u32, kind: Kind) {
        match kind {
            Kind::Hinge => self.hinges.add(index),
            Kind::Edge => self.edges.add(index),
            Kind::Manifold => self.manifolds.add(index),
        }
    }

    /// The constraints with their lanes, kind by kind.
    pub(super) fn members(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.hinges.members().chain(self.edges.members()).chain(self.manifolds.members())
    }

    /// Finds the lanes of its constraints, and makes room for them. It is number `own`; those of a seam come after
    /// those of the parts, which are numbered from `parts` on. No two that are arranged at the same time share a node
    /// that can be pushed.
    pub(super) fn arrange(
        &mut self,
        own: u32,
        pairs: &[[u32; 2]],
        places: &Places,
        nodes: &Nodes,
        parts: Option<u32>,
    ) {
        let Self {
            hinges,
            edges,
            manifolds,
            anchors,
            pasts,
            strains,
            nodes: all,
            motions,
            loans,
            empty,
            free,
            gravity_scales,
            ..
        } = self;
        let Places { homes, seams } = places;
        let seen = if parts.is_some() { seams } else { homes };
        all.clear();
        free.clear();
        let mut place = |node: u32| {
            let here = all.len() as u32;
            let mut add = |free_from: u32| {
                all.push(node);
                free.push(free_from);
                here
            };
            // What cannot be pushed is only looked at: here as often as it comes, and in other bundles too.
            if nodes[node].inv_mass == 0.0 {
                return add(FIXED);
            }
            let node = node as usize;
            let [bundle, place] = seen.get(node);
            if bundle == own {
                return place;
            }
            match (parts, homes.get(node)) {
                (Some(first), [part, there]) if part != NOWHERE => {
                    loans.push(Loan { here, part: part - first, there });
                }
                // What has nothing in its part belongs to the seam.
                _ => homes.set(node, [own, here]),
            }
            seen.set(node, [own, here]);
            add(0)
        };
        let mut ends = |index: u32| pairs[index as usize].mapped(&mut place);
        hinges.find_ends(&mut ends);
        edges.find_ends(&mut ends);
        manifolds.find_ends(&mut ends);
        let begin = |free: &mut [u32]| {
            free.iter_mut().filter(|free| **free != FIXED).for_each(|free| *free = 0);
        };
        let order = if parts.is_some() { Order::FewWaves } else { Order::AsTheyCome };
        hinges.fill(Order::FewWaves, free);
        begin(free);
        edges.fill(order, free);
        begin(free);
        manifolds.fill(order, free);
        anchors.resize(manifolds.quads.len(), Anchors::default());
        *empty = true;
        pasts.clear();
        strains.clear();
        strains.resize(edges.quads.len(), Strains::default());
        motions.clear();
        motions.resize(all.len(), Twist::default());
        gravity_scales.clear();
        gravity_scales.extend(all.iter().map(|&node| nodes[node].gravity_scale));
        loans.sort_unstable_by_key(|loan| (loan.part, loan.there));
    }

    /// Puts hinges where there is room for them, with what they have given.
    pub(super) fn tie(&mut self, ties: &[Tie], given: &[Given], nodes: &Nodes) {
        self.hinges.each(|index, quad, lane| {
            let tie = &ties[index as usize];
            let inv_mass = tie.nodes.mapped(|node| nodes[node].inv_mass);
            quad.tie(lane, tie, inv_mass, &given[index as usize]);
        });
    }

    /// Puts edges where there is room for them, with what they have given. In the list of all constraints they come
    /// after `first` others.
    pub(super) fn span(&mut self, first: usize, spans: &[Span], pulled: &[f32], nodes: &Nodes) {
        self.edges.each(|index, quad, lane| {
            let index = index as usize - first;
            let inv_mass = spans[index].nodes.mapped(|node| nodes[node].inv_mass);
            quad.span(lane, &spans[index], inv_mass, pulled[index]);
        });
    }

    /// Takes edges as they are at the beginning of a sub-step in which springs act for `time` seconds; `rest` says how
    /// long each is at rest, m.
    pub(super) fn put_edges(&mut self, nodes: &Nodes, time: f32, rest: impl Fn(u32) -> f32) {
        self.edges.each(|index, quad, lane| quad.put_rest(lane, rest(index)));
        self.find_poses(nodes);
        for quad in &mut self.edges.quads {
            quad.put(&self.poses);
            quad.time(time);
        }
    }

    /// Notes where each of its bodies is.
    fn find_poses(&mut self, nodes: &Nodes) {
        let Self { nodes: all, poses, .. } = self;
        poses.clear();
        poses.extend(all.iter().map(|&node| {
            let Node { center, rot, .. } = nodes[node];
            Vec4::new(center.x, center.y, rot.c, rot.s)
        }));
    }

    /// Puts what `of` says into each manifold, between those two nodes.
    pub(super) fn put_manifolds<'a>(
        &mut self,
        mut of: impl FnMut(u32) -> Option<(Put, [&'a Node; 2])>,
    ) {
        self.put(|index| of(index).map(|(put, ends)| (put, (), ends)), |_, _, ()| {});
    }

    /// The same where they are solved for positions. The others go on from the sub-step before.
    pub(super) fn put_displaced<'a>(
        &mut self,
        of: impl FnMut(u32) -> Option<(Put, Past, [&'a Node; 2])>,
    ) {
        let Self { hinges, manifolds, pasts, pulls, .. } = self;
        pulls.resize(hinges.quads.len(), Pulls::default());
        pasts.resize(manifolds.quads.len(), Pasts::default());
        manifolds.quads.iter_mut().zip(&*pasts).for_each(|(quad, past)| past.go_on(quad));
        self.put(of, |pasts, [quad, lane], past| pasts[quad].put(lane, &past));
    }

    /// Puts what `of` says into each manifold; `remember` takes what there is to be remembered of it besides, for that lane of
    /// that quad.
    #[inline]
    fn put<'a, P>(
        &mut self,
        mut of: impl FnMut(u32) -> Option<(Put, P, [&'a Node; 2])>,
        remember: impl Fn(&mut [Pasts], [usize; 2], P),
    ) {
        let Self { manifolds, anchors, pasts, bounces, meet, .. } = self;
        let (quads, spots) = manifolds.quads_and_spots();
        for (index, quad, lane) in spots {
            if let Some((put, past, ends)) = of(index) {
                let points = &put.points[..put.count];
                quads[quad].put(lane, put.surface, points, ends);
                anchors[quad].put(lane, put.surface.normal, points, ends);
                Bounce::note(bounces, quad, lane, points);
                *meet |= put.meets;
                remember(pasts, [quad, lane], past);
            }
        }
    }

    /// Whether bodies of any manifold meet fast that was put last.
    pub(super) fn meet(&self) -> bool {
        self.meet
    }

    /// Whether contacts of any come fast, and would bounce.
    pub(super) fn any_bounces(&self) -> bool {
        !self.bounces.is_empty()
    }

    /// Makes ready for manifolds to be put: takes the gaps of contacts anew where bodies are now, if any may stay as they
    /// are.
    pub(super) fn begin_putting(&mut self, nodes: &Nodes) {
        self.bounces.clear();
        self.meet = false;
        if std::mem::take(&mut self.empty) {
            return;
        }
        self.find_poses(nodes);
        let Self { manifolds, anchors, poses, .. } = self;
        for (quad, anchors) in manifolds.quads.iter_mut().zip(anchors) {
            anchors.find_gaps(quad, poses);
        }
    }

    /// Takes hinges as they are at the beginning of a sub-step of `h` seconds, for `time` of which motors act; `swing`
    /// says how each may turn, if it may not turn freely.
    pub(super) fn put_hinges(
        &mut self,
        nodes: &Nodes,
        closing: &Closing,
        [h, time]: [f32; 2],
        swing: impl Fn(u32) -> Option<Swing>,
    ) {
        let Self { hinges, nodes: all, loads, stances, .. } = self;
        loads.clear();
        if hinges.quads.is_empty() {
            return;
        }
        loads.resize(all.len(), 0.0);
        stances.clear();
        stances.extend(all.iter().map(|&node| {
            let Node { center, rot, steady_spin, .. } = nodes[node];
            Stance { center, rot, leaves: off_tangent(h * steady_spin) }
        }));
        let stance = |body: u32| stances[body as usize];
        for quad in &mut hinges.quads {
            quad.put(stance, closing);
            for (load, bodies) in quad.turns_back().into_iter().zip(quad.sides()) {
                for (load, &body) in load.to_array().into_iter().zip(bodies) {
                    loads[body as usize] += load;
                }
            }
        }
        hinges.each(|index, quad, lane| {
            if let Some(swing) = swing(index) {
                quad.put_swing(lane, swing);
            }
        });
        hinges.quads.iter_mut().for_each(|quad| quad.time(time));
    }

    /// Takes the motions of its bodies.
    pub(super) fn read<'a>(&mut self, of: impl Fn(u32) -> &'a Twist) {
        for (motion, &node) in self.motions.iter_mut().zip(&self.nodes) {
            *motion = *of(node);
        }
    }

    /// Has other motions of its bodies at hand.
    pub(super) fn set_aside<'a>(&mut self, of: impl Fn(u32) -> &'a Twist) {
        self.aside.clear();
        self.aside.extend(self.nodes.iter().map(|&node| *of(node)));
    }

    /// Whether none of its bodies, some of which hinges hold, is fast.
    pub(super) fn comes_to_rest(&self) -> bool {
        let is_slow = |motion: &Twist| motion.linear.length_squared() < SLOW * SLOW;
        !self.hinges.quads.is_empty() && self.motions.iter().all(is_slow)
    }

    /// The motion of the body at a place.
    #[inline]
    pub(super) fn motion(&self, place: u32) -> Twist {
        self.motions[place as usize]
    }

    /// The velocity of the body at a place, and how far it has moved.
    #[inline]
    pub(super) fn motions(&self, place: u32) -> [Twist; 2] {
        [self.motions[place as usize], self.aside[place as usize]]
    }

    /// Notes the velocities that are at hand as those at which bodies come, if any contacts may bounce.
    pub(super) fn note_coming(&mut self) {
        if self.any_bounces() {
            self.coming.clone_from(&self.motions);
        }
    }

    /// Changes velocities by what gravity does, and goes over to what they move in `h` seconds.
    pub(super) fn set_off(&mut self, h: f32, change: Vec2) {
        for (motion, scale) in self.motions.iter_mut().zip(&self.gravity_scales) {
            let mut speed = *motion;
            speed.linear += *scale * change;
            motion.go(h, &speed);
        }
    }

    /// Goes over from velocities to what these move in `h` seconds.
    pub(super) fn displace(&mut self, h: f32) {
        let Self { motions, aside, .. } = self;
        aside.clone_from(motions);
        motions.iter_mut().zip(&*aside).for_each(|(travel, speed)| travel.go(h, speed));
    }

    /// Goes back to velocities, after how far bodies have moved is settled: hinges take their lever arms anew.
    pub(super) fn arrive(&mut self) {
        let Self { hinges, motions, aside, open, .. } = self;
        let gaps = hinges.quads.iter_mut().map(|quad| quad.follow(motions));
        *open = gaps.fold(0.0, f32::max);
        std::mem::swap(motions, aside);
    }

    /// Goes over from how far bodies have moved in `h` seconds to their velocities, which gravity changes by `change` more. What
    /// cannot be pushed has those that `of` says.
    pub(super) fn take_speeds<'a>(&mut self, h: f32, change: Vec2, of: impl Fn(u32) -> &'a Twist) {
        let Self { nodes, motions, aside, free, gravity_scales, .. } = self;
        aside.clone_from(motions);
        let bodies = free.iter().zip(gravity_scales).zip(nodes);
        for ((speed, travel), ((free, scale), node)) in motions.iter_mut().zip(aside).zip(bodies) {
            if *free == FIXED {
                *speed = *of(*node);
            } else {
                speed.have_gone(h, travel);
                speed.linear += *scale * change;
            }
        }
    }

    /// How far one of its hinges was open then at most, m.
    pub(super) fn open(&self) -> f32 {
        self.open
    }

    /// Its quads, and the motions of its bodies.
    pub(super) fn work(&mut self) -> Work<'_> {
        let Self { hinges, edges, manifolds, pasts, pulls, strains, .. } = self;
        let Self { bounces, coming, nodes, motions, aside, poses, .. } = self;
        Work {
            nodes,
            aside,
            bounces,
            coming,
            pasts,
            pulls,
            strains,
            hinges: &mut hinges.quads,
            edges: &mut edges.quads,
            manifolds: &mut manifolds.quads,
            motions,
            poses,
        }
    }

    /// Its nodes, each with what turns it back that hinges pull on.
    pub(super) fn loads(&self) -> impl Iterator<Item = (u32, f32)> + '_ {
        self.nodes.iter().copied().zip(self.loads.iter().copied())
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

/// What moves no faster may come to rest, m/s.
const SLOW: f32 = 0.5;
/// The bundle of what is in none.
const NOWHERE: u32 = AtomicPairs::NONE[0];
