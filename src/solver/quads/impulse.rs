//! Quads solved for velocities, as `rows/impulse.rs` does it for rows: the sum of impulses is held
//! within bounds, and a later round can take back what an earlier one gave.

use super::bounce::{self, part_round};
use super::bundle::{Bundle, Work};
use super::hinge::Aim;
use super::manifold::Points;
use super::{Loose, Quads, Rounds};
use crate::math::Mapped;
use crate::solver::nodes::Nodes;
use crate::solver::rows::{Correction, Returns, Softness};
use crate::threads::Threads;
use glam::Vec4;

/// What comes to rest gets so many times as many rounds where motors and limits still change spins…
const MORE_ROUNDS: u32 = 4;
/// …by more than this, rad/s. People who lie in a heap, held by each other and by the ends of how far their joints turn,
/// take some twenty rounds; with fewer, what one sub-step leaves undone the next does too late, and limbs tremble for
/// good. Where something still falls nobody sees the difference.
const STILL_TURNS: f32 = 0.001;

/// What rounds are for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Law {
    /// The length of the sub-step, s.
    pub(crate) h: f32,
    /// How contacts give way, if they are springs.
    pub(crate) soft: Option<Softness>,
    /// The speed at which overlap leaves those at most, m/s.
    pub(crate) push_out: f32,
    /// How stiff edges give back what they are too long or short by.
    pub(crate) returns: Returns,
    /// The part of what hinges were put in to close by that they do.
    pub(crate) closes: f32,
    /// How long motors act, s; if not at all they, and springs, keep what they have given.
    pub(crate) time: Option<f32>,
}

impl Law {
    /// What it is for hinges. Limits come no nearer than they are reached in a sub-step.
    fn aim(&self) -> Aim {
        let slack = Returns { pace: self.h.recip(), most: 0.0 };
        let drive = self.time.map(|time| [1.0, time]);
        Aim { closes: self.closes, slack, drive }
    }
}

impl Quads {
    /// Starts all contacts from the part `scale` of the impulses that they have.
    pub(crate) fn start_contacts(&mut self, scale: f32, threads: &Threads, nodes: &mut Nodes) {
        let presses = &mut self.loose.presses;
        presses.each(nodes.speeds_mut(), |quad, _, speeds| quad.start(scale, speeds));
        self.once(threads, nodes, |Work { manifolds, motions, .. }| {
            manifolds.iter_mut().for_each(|quad| quad.start(scale, motions));
        });
    }

    /// The same with equations: hinges and edges; and with guards.
    pub(crate) fn start_equations(&mut self, scale: f32, threads: &Threads, nodes: &mut Nodes) {
        self.loose.guards.each(|quad| quad.start(scale, nodes.speeds_mut()));
        if self.equations() == 0 {
            return;
        }
        self.once(threads, nodes, |Work { hinges, edges, motions, .. }| {
            hinges.iter_mut().for_each(|quad| quad.start(scale, motions));
            edges.iter_mut().for_each(|quad| quad.start(scale, motions));
        });
    }

    /// Scales the impulses of equations and guards as [`Nodes::keep_least_energy`] did what they do.
    pub(crate) fn keep(&mut self, threads: &Threads, nodes: &Nodes) {
        self.loose.guards.each(|quad| quad.keep(nodes));
        if self.equations() == 0 {
            return;
        }
        self.each(threads, |bundle| {
            let Work { hinges, edges, nodes: all, .. } = bundle.work();
            hinges.iter_mut().for_each(|quad| quad.keep(kept(*quad.sides(), all, nodes)));
            edges.iter_mut().for_each(|quad| quad.keep(kept(*quad.sides(), all, nodes)));
        });
    }

    /// Lets each body resist turning as much as it must for what hinges pull on it in a sub-step; see [`Nodes::bear`].
    /// `pace` is the length of the sub-step over the part of gravity that they have pulled for.
    pub(crate) fn bear_pulls(&self, pace: f32, threads: &Threads, nodes: &mut Nodes) {
        let bundles = &self.bundles[..self.division.count()];
        let loads = bundles.iter().flat_map(Bundle::loads);
        nodes.bear(loads.map(|(node, load)| (node, pace * load)), threads);
    }

    /// Takes gaps of contacts anew after bodies have moved.
    pub(crate) fn follow_gaps(&mut self, threads: &Threads, nodes: &Nodes) {
        self.loose.presses.follow(nodes.travels(), |quad, _, travels| quad.follow(travels));
        self.each(threads, |bundle| {
            bundle.read(|node| nodes.travel(node));
            let Work { manifolds, motions, .. } = bundle.work();
            manifolds.iter_mut().for_each(|quad| quad.follow(motions));
        });
    }

    /// Takes the lever arms of hinges, the directions of guards, and the directions and errors of edges anew after bodies have
    /// moved. Returns how far one is open, or too long or short, at most, m; of edges those count that are stiff.
    pub(crate) fn follow_equations(&mut self, threads: &Threads, nodes: &Nodes) -> f32 {
        self.loose.guards.each(|quad| quad.follow(nodes));
        if self.equations() == 0 {
            return 0.0;
        }
        let follow = |bundles: &mut [Bundle]| {
            let mut largest = 0.0_f32;
            for bundle in bundles {
                bundle.read(|node| nodes.travel(node));
                let Work { hinges, edges, motions, poses, .. } = bundle.work();
                let gaps = hinges.iter_mut().map(|quad| quad.follow(motions));
                let errors = edges.iter_mut().map(|quad| quad.follow(poses, motions));
                largest = gaps.fold(largest, f32::max).max(errors.fold(0.0, f32::max));
            }
            largest
        };
        let count = self.division.count();
        threads.parts(&mut self.bundles[..count], 1, &follow, &f32::max)
    }

    /// Lets servos, and the springs among edges, act for `time` seconds.
    pub(crate) fn time_springs(&mut self, time: f32, threads: &Threads) {
        self.each(threads, |bundle| {
            let Work { hinges, edges, .. } = bundle.work();
            hinges.iter_mut().for_each(|quad| quad.time(time));
            edges.iter_mut().for_each(|quad| quad.time(time));
        });
    }

    /// Some rounds: hinges let no places part, edges keep their length, and each contact gets the impulses that keep its bodies from
    /// sliding, and from coming nearer than to close the gap within the sub-step. Overlap stays as it is, unless
    /// contacts are springs. Before that all start from the part of the impulses they have that `start` says, if it does.
    /// What comes to rest, and is not cut into parts, gets more rounds while motors and limits still turn it.
    pub(crate) fn press(
        &mut self,
        start: Option<f32>,
        rounds: u32,
        law: &Law,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let pace = law.h.recip();
        match law.soft {
            None => self.press_by(start, rounds, law, threads, nodes, stiff(law.h)),
            Some(soft) => self.press_by(start, rounds, law, threads, nodes, |_, point, nears| {
                let apart = point.gap.cmpgt(Vec4::ZERO);
                let back = soft.rate * (point.gap + Softness::SLOP).min(Vec4::ZERO);
                let back = back.max(Vec4::splat(-law.push_out));
                let aim = Vec4::select(apart, pace * point.gap, back);
                let answer = Vec4::select(apart, Vec4::ONE, Vec4::splat(soft.mass));
                let forget = Vec4::select(apart, Vec4::ZERO, Vec4::splat(soft.keep));
                -(forget * point.pushed + answer * point.mass * (nears + aim))
            }),
        }
    }

    /// The same, where `push` says what a contact would give at a speed, but for what it may not take back.
    fn press_by(
        &mut self,
        start: Option<f32>,
        rounds: u32,
        law: &Law,
        threads: &Threads,
        nodes: &mut Nodes,
        push: impl Fn(usize, &Points, Vec4) -> Vec4 + Copy + Sync,
    ) {
        let loose = |is_start: bool, Loose { guards, presses }: &mut Loose, nodes: &mut Nodes| {
            let speeds = nodes.speeds_mut();
            if let Some(scale) = start.filter(|_| is_start) {
                guards.each(|quad| quad.start(scale, speeds));
                presses.each(speeds, |quad, _, speeds| quad.start(scale, speeds));
            } else {
                guards.each(|quad| quad.press(law.h, law.returns.pace, speeds));
                presses.each(speeds, |quad, _, speeds| quad.press(speeds, push));
            }
        };
        self.take_turns(start.is_some(), rounds, nodes, loose, |quads, is_start, rounds, nodes| {
            let start = start.filter(|_| is_start);
            let work = |round: u32, with: Work<'_>| {
                press_round(start.filter(|_| round == 0), law, push, with)
            };
            quads.run(pressing(start, rounds), threads, |node| nodes.speed(node), work);
            quads.write(nodes.speeds_mut(), threads);
        });
    }

    /// All of a sub-step where nothing takes turns with what is here, and contacts are no springs: so many rounds of
    /// [`Quads::press`]; all moves; so many of [`Quads::correct`]; then hinges follow, and rounds of `rest`; and what bounces
    /// [parts](Quads::part). Each bundle is read and written once for all of that. Returns how far a hinge is open at most, m.
    pub(crate) fn solve_alone(
        &mut self,
        start: Option<f32>,
        [rounds, correcting, resting]: [u32; 3],
        [law, rest]: [&Law; 2],
        correction: Correction,
        threads: &Threads,
        nodes: &mut Nodes,
    ) -> f32 {
        let h = law.h;
        let push = stiff(h);
        let turn = |phase: usize, bundle: &mut Bundle| match phase {
            1 => bundle.displace(h),
            2 => bundle.arrive(),
            _ => {}
        };
        let work = |phase: usize, round: u32, with: Work<'_>| match phase {
            0 => press_round(start.filter(|_| round == 0), law, push, with),
            1 => correct_round(correction, with),
            2 => press_round(None, rest, push, with),
            _ => part_round(round == 0, with),
        };
        let parting = if self.any_manifold_bounces() { bounce::ROUNDS } else { 0 };
        let phases = [
            pressing(start, rounds),
            Rounds::fixed(correcting),
            pressing(None, resting),
            Rounds::fixed(parting),
        ];
        self.run_phases(phases, threads, |node| nodes.speed(node), turn, work);
        let (_, speeds, travels) = nodes.set_off(h);
        self.write_both((speeds, travels), threads, |_, speed, travel| travel.go(h, speed));
        let bundles = &self.bundles[..self.division.count()];
        bundles.iter().map(Bundle::open).fold(0.0, f32::max)
    }

    /// One round over velocities, to start with.
    pub(super) fn once(
        &mut self,
        threads: &Threads,
        nodes: &mut Nodes,
        work: impl Fn(Work<'_>) + Sync,
    ) {
        let work = |_, with: Work<'_>| {
            work(with);
            false
        };
        self.run(Rounds::fixed(1), threads, |node| nodes.speed(node), work);
        self.write(nodes.speeds_mut(), threads);
    }

    /// Some rounds of position correction, of displacements only.
    pub(crate) fn correct(
        &mut self,
        rounds: u32,
        correction: Correction,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let loose = |_, Loose { presses, .. }: &mut Loose, nodes: &mut Nodes| {
            presses.each(nodes.travels_mut(), |quad, _, travels| quad.correct(correction, travels));
        };
        self.take_turns(false, rounds, nodes, loose, |quads, _, rounds, nodes| {
            let work = |_, with: Work<'_>| correct_round(correction, with);
            quads.run(Rounds::fixed(rounds), threads, |node| nodes.travel(node), work);
            quads.write(nodes.travels_mut(), threads);
        });
    }
}

/// So many rounds of [`press_round`], before which all start where `start` says so; what comes to rest gets more.
fn pressing(start: Option<f32>, rounds: u32) -> Rounds {
    let starts = u32::from(start.is_some());
    Rounds { least: rounds + starts, most: MORE_ROUNDS * rounds + starts }
}

/// What a contact that does not give way would give at a speed in a sub-step of `h` seconds, but for what it may not
/// take back.
fn stiff(h: f32) -> impl Fn(usize, &Points, Vec4) -> Vec4 + Copy + Sync {
    let pace = h.recip();
    move |_, point, nears| {
        let aim = pace * point.gap.max(Vec4::ZERO);
        -point.mass * (nears + aim)
    }
}

/// A round over velocities, where `push` says what a contact would give; or, where there is a `start`, in place of one all
/// start from that part of the impulses that they have. Returns whether there is more to be done: motors or limits still
/// turn what comes to rest, or this was the start.
#[inline(always)]
fn press_round(
    start: Option<f32>,
    law: &Law,
    push: impl Fn(usize, &Points, Vec4) -> Vec4 + Copy,
    Work { hinges, edges, manifolds, motions, .. }: Work<'_>,
) -> bool {
    if let Some(scale) = start {
        hinges.iter_mut().for_each(|quad| quad.start(scale, motions));
        edges.iter_mut().for_each(|quad| quad.start(scale, motions));
        manifolds.iter_mut().for_each(|quad| quad.start(scale, motions));
        return true;
    }
    let aim = law.aim();
    let turned = hinges.iter_mut().map(|quad| quad.solve(&aim, motions));
    let turned = turned.fold(Vec4::ZERO, Vec4::max);
    let springs = aim.drive.map(|_| 1.0);
    edges.iter_mut().for_each(|quad| quad.solve(law.returns, springs, motions));
    manifolds.iter_mut().for_each(|quad| quad.press(motions, push));
    turned.max_element() > STILL_TURNS
}

/// A round of position correction.
#[inline(always)]
fn correct_round(
    correction: Correction,
    Work { hinges, manifolds, motions, .. }: Work<'_>,
) -> bool {
    hinges.iter().for_each(|quad| quad.correct(correction, motions));
    manifolds.iter().for_each(|quad| quad.correct(correction, motions));
    false
}

/// The part that [`Nodes::keep_least_energy`] has kept of what four constraints do between these bodies, of `all` nodes.
pub(super) fn kept([a, b]: [[u32; 4]; 2], all: &[u32], nodes: &Nodes) -> Vec4 {
    let part = |lane: usize| {
        let pair = [a[lane], b[lane]].mapped(|body| all[body as usize]);
        let pushed = pair.into_iter().find(|&node| nodes[node].inv_mass > 0.0);
        pushed.map_or(1.0, |node| nodes.kept(node))
    };
    Vec4::from_array([0, 1, 2, 3].mapped(part))
}
