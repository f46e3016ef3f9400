//! How nodes move: pushed by gravity, along their velocities, and how far that leads them off the way on which they set out.

use super::{Node, Nodes, PART, Twist};
use crate::math::{Rot, Vec2};
use crate::solver::common::MOST_TURN;
use crate::threads::Threads;

/// The part of a spin that counts as lasting after each further sub-step in which it lasts.
const STEADIES: f32 = 0.25;

/// Where a node was when it set out, and how fast it went and turned.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    center: Vec2,
    rot: Rot,
    linear: Vec2,
    angular: f32,
}

impl Way {
    /// How far any point of a node has left this way after `t` seconds, or will have in `h` seconds from then, m, at most.
    #[inline]
    fn left_by(&self, node: &Node, speed: &Twist, [t, h]: [f32; 2]) -> f32 {
        let moved = node.center - self.center - t * self.linear;
        let onward = Vec2::new(-self.rot.s, self.rot.c);
        let turned =
            Vec2::new(node.rot.c - self.rot.c, node.rot.s - self.rot.s) - t * self.angular * onward;
        let (linear, angular) = (speed.linear - self.linear, speed.angular - self.angular);
        moved.length() + h * linear.length() + node.reach * (turned.length() + h * angular.abs())
    }
}

impl Nodes {
    /// Takes what moves now for the way that each node is on.
    pub(crate) fn set_out(&mut self, threads: &Threads) {
        self.ways.resize(self.nodes.len(), Way::default());
        type Part<'a> = (&'a mut [Way], (&'a [Node], &'a [Twist]));
        let note = |(ways, (nodes, speeds)): Part<'_>| {
            for ((way, node), speed) in ways.iter_mut().zip(nodes).zip(speeds) {
                let (&Node { center, rot, .. }, &Twist { linear, angular, .. }) = (node, speed);
                *way = Way { center, rot, linear, angular };
            }
        };
        threads.each((&mut self.ways[..], (&self.nodes[..], &self.speeds[..])), PART, note);
        self.under_way = 0.0;
    }

    /// How far any point has left the straight way that it was on when its node set out, or will have in `h`
    /// seconds from now, m, at most. Notes how fast they go ([`Nodes::pace`]).
    pub(crate) fn farthest_astray(&mut self, h: f32, threads: &Threads) -> f32 {
        type Part<'a> = (((&'a [Node], &'a [Twist]), &'a [Way]), &'a mut [f32]);
        let times = [self.under_way, h];
        let farthest = |(((nodes, speeds), ways), paces): Part<'_>| {
            let mut farthest = 0.0_f32;
            for (((node, speed), way), pace) in nodes.iter().zip(speeds).zip(ways).zip(paces) {
                *pace = speed.pace(node.reach);
                farthest = farthest.max(way.left_by(node, speed, times));
            }
            farthest
        };
        self.paces.resize(self.nodes.len(), 0.0);
        let all = ((&self.nodes[..], &self.speeds[..]), &self.ways[..]);
        threads.parts((all, &mut self.paces[..]), PART, &farthest, &f32::max)
    }

    /// Adds what gravity does to the velocity of everything that can be pushed.
    pub(crate) fn accelerate(&mut self, change: Vec2, threads: &Threads) {
        let accelerate = |(nodes, speeds): (&[Node], &mut [Twist])| {
            for (node, speed) in nodes.iter().zip(speeds) {
                speed.linear += node.gravity_scale * change;
            }
        };
        threads.each((&self.nodes[..], &mut self.speeds[..]), PART, accelerate);
    }

    /// Moves by the velocities. The pose follows in [`Nodes::scatter`], when corrections are done.
    pub(crate) fn displace(&mut self, h: f32, threads: &Threads) {
        let displace = |(speeds, travels): (&mut [Twist], &mut [Twist])| {
            travels.iter_mut().zip(speeds).for_each(|(travel, speed)| travel.go(h, speed));
        };
        let (_, speeds, travels) = self.set_off(h);
        threads.each((speeds, travels), PART, displace);
    }

    /// Changes velocities by what gravity does, and moves all by theirs for `h` seconds.
    pub(crate) fn accelerate_and_displace(&mut self, change: Vec2, h: f32, threads: &Threads) {
        type Part<'a> = (&'a [Node], (&'a mut [Twist], &'a mut [Twist]));
        let go = |(nodes, (speeds, travels)): Part<'_>| {
            for ((node, speed), travel) in nodes.iter().zip(speeds).zip(travels) {
                speed.linear += node.gravity_scale * change;
                travel.go(h, speed);
            }
        };
        let (nodes, speeds, travels) = self.set_off(h);
        threads.each((nodes, (speeds, travels)), PART, go);
    }

    /// Begins to move for `h` seconds: all nodes, their velocities, and how far each will have moved, for whoever says that.
    pub(crate) fn set_off(&mut self, h: f32) -> (&[Node], &mut [Twist], &mut [Twist]) {
        self.under_way += h;
        (&self.nodes, &mut self.speeds, &mut self.travels)
    }

    /// Velocity is displacement over time.
    pub(crate) fn velocities_from_displacements(&mut self, h: f32, threads: &Threads) {
        type Part<'a> = (&'a mut [Twist], (&'a [Node], &'a [Twist]));
        let take = |(speeds, (nodes, travels)): Part<'_>| {
            for ((speed, node), travel) in speeds.iter_mut().zip(nodes).zip(travels) {
                if node.inv_mass > 0.0 {
                    speed.have_gone(h, travel);
                }
            }
        };
        let all = (&mut self.speeds[..], (&self.nodes[..], &self.travels[..]));
        threads.each(all, PART, take);
    }

    /// Lets no body turn further in a sub-step than directions hold that were taken at its beginning.
    /// Returns an upper bound of how far any point moves then, m.
    pub(super) fn limit_turns(&mut self, threads: &Threads) -> f32 {
        type Part<'a> = ((&'a mut [Twist], &'a mut [Twist]), &'a [Node]);
        let limit = |((travels, speeds), nodes): Part<'_>| {
            let mut farthest = 0.0_f32;
            for ((travel, speed), node) in travels.iter_mut().zip(speeds).zip(nodes) {
                if travel.angular.abs() > MOST_TURN {
                    let kept = MOST_TURN / travel.angular.abs();
                    travel.angular *= kept;
                    speed.angular *= kept;
                }
                let far = travel.linear.length() + travel.angular.abs() * node.reach;
                farthest = farthest.max(far);
            }
            farthest
        };
        let all = ((&mut self.travels[..], &mut self.speeds[..]), &self.nodes[..]);
        threads.parts(all, PART, &limit, &f32::max)
    }

    /// Moves poses. The points of all that may move are then to be written.
    pub(super) fn follow_travels(&mut self, threads: &Threads) {
        type Part<'a> = ((&'a mut [Node], &'a mut [Twist]), &'a [Twist]);
        let follow = |((nodes, travels), speeds): Part<'_>| {
            for ((node, travel), speed) in nodes.iter_mut().zip(travels).zip(speeds) {
                node.follow(travel, speed.angular);
                (travel.linear, travel.angular) = (Vec2::ZERO, 0.0);
            }
        };
        let all = ((&mut self.nodes[..], &mut self.travels[..]), &self.speeds[..]);
        threads.each(all, PART, follow);
        self.written.clone_from(&self.fixed);
    }
}

/// How much of a spin lasts, of which `before` did when there last was one.
#[inline]
pub(crate) fn lasting(before: f32, spin: f32) -> f32 {
    let grown = before.abs() + STEADIES * spin.abs();
    if spin * before >= 0.0 { spin.clamp(-grown, grown) } else { 0.0 }
}

impl Node {
    /// Moves and turns by `travel`, at the end of which it turns at the speed `spin`.
    #[inline]
    fn follow(&mut self, travel: &Twist, spin: f32) {
        let (from, by) = (self.center, travel.linear + self.low);
        self.center = from + by;
        self.low = by - (self.center - from);
        self.steady_spin = lasting(self.steady_spin, spin);
        self.rot = self.turned_by(travel);
    }

    /// How it is turned after `travel`.
    #[inline]
    pub(super) fn turned_by(&self, travel: &Twist) -> Rot {
        match travel.angular {
            0.0 => self.rot,
            by => self.rot.advanced(by, 1.0),
        }
    }
}
