//! What bounces: contacts whose bodies come fast are to part at a speed of their own, if they are pressed.
//!
//! On `pbd` that is what the velocity stage aims at (`projection.rs`). On `impulse` rounds at the end of a sub-step bring
//! what was pressed to its speed, one contact after the other.

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
    /// At which speed, m/s.
    speed: f32,
}

impl Bounce {
    /// Adds those of the points in a lane that are to part.
    pub(super) fn note(list: &mut Vec<Self>, quad: usize, lane: usize, points: &[Point]) {
        let parting = (0..).zip(points).filter(|(_, point)| point.parts > 0.0);
        list.extend(parting.map(|(point, Point { parts: speed, .. })| Self {
            quad: quad as u32,
            lane: lane as u8,
            point,
            speed: *speed,
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
        let normal = quad.normal_of(lane);
        let arms = quad.points[at].arms.get(lane);
        let bodies = [0, 1].mapped(|side: usize| quad.bodies[side][lane] as usize);
        let [a, b] = bodies.mapped(|body| speeds[body]);
        let speed = normal.dot(a.linear - b.linear) + (arms[0] * a.angular - arms[1] * b.angular);
        let total = (pushed + quad.points[at].mass.lane(lane) * (self.speed - speed)).max(0.0);
        quad.points[at].pushed.set_lane(lane, total);
        for (side, by) in [total - pushed, pushed - total].into_iter().enumerate() {
            let motion = &mut speeds[bodies[side]];
            motion.linear += by * quad.inv_mass[side].lane(lane) * normal;
            motion.angular += by * motion.inv_inertia * arms[side];
        }
    }
}

/// A round in which all that was pressed, and is to part, is brought to its speed. There is never more to be done.
pub(super) fn part_round(Work { manifolds, bounces, motions, .. }: Work<'_>) -> bool {
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
                    bundle.carry_bounces();
                }
            });
        }
    }

    /// So many rounds in which all that was pressed, and is to part, is brought to its speed.
    pub(crate) fn part(&mut self, rounds: u32, threads: &Threads, nodes: &mut Nodes) {
        let (any, any_loose) = (self.any_manifold_bounces(), self.loose.presses.any_bounces());
        // Those of soft bodies take turns with the others, if there are both.
        let (turns, rounds) = if any && any_loose { (rounds, 1) } else { (1, rounds) };
        for _ in 0..turns {
            if any_loose {
                (0..rounds).for_each(|_| self.loose.presses.part(nodes.speeds_mut()));
            }
            if any {
                let work = |_, with: Work<'_>| part_round(with);
                self.run(Rounds::fixed(rounds), threads, |node| nodes.speed(node), work);
                self.write(nodes.speeds_mut(), threads);
            }
        }
    }
}
