//! What bounces: contacts whose bodies come fast are to part at a speed of their own, if they are pressed.
//!
//! On `pbd` that is what the velocity stage aims at (`projection.rs`; the method is that of M. Müller and others, Detailed
//! Rigid Body Simulation with Extended Position Based Dynamics, 2020, section 3.6). On `impulse` rounds at the end of a
//! sub-step bring what was pressed to its speed, one contact after the other.

use super::bundle::{Bundle, Work};
use super::manifold::{ManifoldQuad, Point};
use super::projection::Pasts;
use super::{Quads, Rounds};
use crate::math::{Lane, Mapped, Vec2, cross, cross_sv, left};
use crate::solver::nodes::{Nodes, Twist};
use crate::threads::Threads;

/// Rounds where something bounces: both corners of a box that lands flat must part alike.
pub(crate) const ROUNDS: u32 = 8;

/// A contact that is to part if it is pressed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounce {
    /// Where it is: its quad, the lane there, and which of both points.
    quad: u32,
    lane: u8,
    point: u8,
    /// At which speed, m/s, and what part that is of the one at which its bodies come.
    speed: f32,
    restitution: f32,
}

impl Bounce {
    /// Adds those of the points in a lane that are to part.
    pub(super) fn note(list: &mut Vec<Self>, quad: usize, lane: usize, points: &[Point]) {
        let parting = (0..).zip(points).filter(|(_, point)| point.parts > 0.0);
        list.extend(parting.map(|(point, &Point { parts: speed, restitution, .. })| Self {
            quad: quad as u32,
            lane: lane as u8,
            point,
            speed,
            restitution,
        }));
    }

    /// The number of its quad.
    pub(super) fn quad(&self) -> usize {
        self.quad as usize
    }

    /// Lets what its quad remembers know.
    pub(super) fn tell(&self, pasts: &mut Pasts) {
        pasts.part(usize::from(self.lane), usize::from(self.point), self.speed);
    }

    /// It is to part at the part that is asked for of the speed at which its bodies come where it is now, by these velocities.
    pub(super) fn aim(&mut self, quad: &ManifoldQuad, speeds: &[Twist]) {
        self.speed = self.restitution * (-self.speed_in(quad, speeds)).max(0.0);
    }

    /// Takes the arms of the normal anew, after bodies have moved by `travels` since it was put: it acts where both have
    /// carried it in the mean, so that both sides have one line of action.
    pub(super) fn carry(&self, quad: &mut ManifoldQuad, travels: &[Twist]) {
        let (lane, at) = (usize::from(self.lane), usize::from(self.point));
        let normal = quad.normal_of(lane);
        let (mut arms, across) = (quad.points[at].arms.get(lane), quad.tangent.get(lane));
        let inv_mass = [0, 1].mapped(|side: usize| quad.inv_mass[side].lane(lane));
        let travels = [0, 1].mapped(|side: usize| travels[quad.bodies[side][lane] as usize]);
        let moved = |side: usize| {
            let arm = across[side] * normal - arms[side] * left(normal);
            travels[side].linear + cross_sv(travels[side].angular, arm)
        };
        let counts = |side: &usize| {
            let Twist { linear, angular, .. } = travels[*side];
            inv_mass[*side] > 0.0 || linear != Vec2::ZERO || angular != 0.0
        };
        let count = [0, 1].into_iter().filter(counts).count();
        let by = (moved(0) + moved(1)) / count.max(1) as f32;
        for (arm, travel) in arms.iter_mut().zip(travels).filter(|(_, end)| end.inv_inertia > 0.0) {
            *arm += cross(by - travel.linear, normal);
        }
        let turning = |side: usize| travels[side].inv_inertia * arms[side] * arms[side];
        let mobility = inv_mass[0] + inv_mass[1] + turning(0) + turning(1);
        let mass = if mobility > 0.0 { mobility.recip() } else { 0.0 };
        quad.points[at].arms.set(lane, arms);
        quad.points[at].mass.set_lane(lane, mass);
    }

    /// If it was pressed, gives it the impulse that brings it to its speed, pushes only, in total.
    pub(super) fn steer(&self, quad: &mut ManifoldQuad, speeds: &mut [Twist]) {
        let (lane, at) = (usize::from(self.lane), usize::from(self.point));
        let pushed = quad.points[at].pushed.lane(lane);
        // What is no number was not pressed either.
        if !(pushed > 0.0) {
            return;
        }
        let lacks = self.speed - self.speed_in(quad, speeds);
        let total = (pushed + quad.points[at].mass.lane(lane) * lacks).max(0.0);
        quad.points[at].pushed.set_lane(lane, total);
        self.give(total - pushed, quad, speeds);
    }

    /// How fast its bodies go apart there, m/s.
    fn speed_in(&self, quad: &ManifoldQuad, speeds: &[Twist]) -> f32 {
        let lane = usize::from(self.lane);
        let arms = quad.points[usize::from(self.point)].arms.get(lane);
        let [a, b] = quad.bodies.mapped(|bodies| speeds[bodies[lane] as usize]);
        let linear = quad.normal_of(lane).dot(a.linear - b.linear);
        linear + (arms[0] * a.angular - arms[1] * b.angular)
    }

    /// Gives its bodies an impulse, N·s, which is not counted.
    fn give(&self, impulse: f32, quad: &ManifoldQuad, speeds: &mut [Twist]) {
        let lane = usize::from(self.lane);
        let (normal, arms) =
            (quad.normal_of(lane), quad.points[usize::from(self.point)].arms.get(lane));
        for (side, by) in [impulse, -impulse].into_iter().enumerate() {
            let motion = &mut speeds[quad.bodies[side][lane] as usize];
            motion.linear += by * quad.inv_mass[side].lane(lane) * normal;
            motion.angular += by * motion.inv_inertia * arms[side];
        }
    }

    /// What it was pressed by, N·s.
    fn pushed(&self, quad: &ManifoldQuad) -> f32 {
        quad.points[usize::from(self.point)].pushed.lane(usize::from(self.lane)).max(0.0)
    }
}

/// Makes ready what bounces, after bodies have moved by `travels`: it is to part at the part that is asked for of the speed at which its
/// bodies would come where it is now, without what it was pressed by; and goes along with them.
///
/// A body that spins fast turns by a good part of a radian in a sub-step. Parted along one line at the speed at which another
/// came, it would gain energy in one bounce and lose it in the next, more and more of both.
fn turn_over(
    bounces: &mut [Bounce],
    quads: &mut [ManifoldQuad],
    travels: &[Twist],
    speeds: &mut [Twist],
) {
    let give_all = |sign: f32, bounces: &[Bounce], quads: &[ManifoldQuad], speeds: &mut [Twist]| {
        for bounce in bounces {
            let quad = &quads[bounce.quad()];
            bounce.give(sign * bounce.pushed(quad), quad, speeds);
        }
    };
    give_all(-1.0, bounces, quads, speeds);
    for bounce in &mut *bounces {
        let quad = &mut quads[bounce.quad()];
        let (lane, at) = (usize::from(bounce.lane), usize::from(bounce.point));
        let arms = quad.points[at].arms.get(lane);
        bounce.carry(quad, travels);
        bounce.aim(quad, speeds);
        quad.points[at].arms.set(lane, arms);
    }
    // It acted where it was, so that angular momentum is kept.
    give_all(1.0, bounces, quads, speeds);
    bounces.iter().for_each(|bounce| bounce.carry(&mut quads[bounce.quad()], travels));
}

/// A round in which all that was pressed, and is to part, is brought to its speed; if it is the first all is made ready for that
/// before. There is never more to be done.
pub(super) fn part_round(is_first: bool, with: Work<'_>) -> bool {
    let Work { manifolds, bounces, motions, aside, .. } = with;
    if is_first && !bounces.is_empty() {
        turn_over(bounces, manifolds, aside, motions);
    }
    bounces.iter().for_each(|bounce| bounce.steer(&mut manifolds[bounce.quad()], motions));
    false
}

impl Quads {
    /// Whether any contacts come fast, and would bounce.
    pub(crate) fn any_bounces(&self) -> bool {
        self.loose.presses.any_bounces() || self.any_manifold_bounces()
    }

    /// Whether any of these are of manifolds.
    pub(super) fn any_manifold_bounces(&self) -> bool {
        self.bundles[..self.division.count()].iter().any(Bundle::any_bounces)
    }

    /// Makes ready for [`Quads::part`], after bodies have moved.
    pub(crate) fn carry_bounces(&mut self, threads: &Threads, nodes: &Nodes) {
        self.loose.presses.carry_bounces(nodes.travels());
        if self.any_manifold_bounces() {
            self.each(threads, |bundle| {
                if bundle.any_bounces() {
                    bundle.set_aside(|node| nodes.travel(node));
                }
            });
        }
    }

    /// Notes how fast all comes that may bounce, before anything has acted in a sub-step that is solved for positions.
    pub(crate) fn note_coming(&mut self, threads: &Threads, nodes: &Nodes) {
        if self.any_manifold_bounces() {
            self.each(threads, |bundle| {
                if bundle.any_bounces() {
                    bundle.read(|node| nodes.speed(node));
                    bundle.note_coming();
                }
            });
        }
    }

    /// So many rounds in which all that was pressed, and is to part, is brought to its speed, perhaps the first of a sub-step.
    pub(crate) fn part(
        &mut self,
        mut is_first: bool,
        rounds: u32,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let (any, any_loose) = (self.any_manifold_bounces(), self.loose.presses.any_bounces());
        // Those of soft bodies take turns with the others, if there are both.
        let (turns, rounds) = if any && any_loose { (rounds, 1) } else { (1, rounds) };
        for _ in 0..turns {
            if any_loose {
                (0..rounds).for_each(|_| self.loose.presses.part(nodes.speeds_mut()));
            }
            if any {
                let work = |round, with: Work<'_>| part_round(is_first && round == 0, with);
                self.run(Rounds::fixed(rounds), threads, |node| nodes.speed(node), work);
                self.write(nodes.speeds_mut(), threads);
            }
            is_first = false;
        }
    }
}
