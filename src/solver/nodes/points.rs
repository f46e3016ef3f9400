//! Bodies and their nodes, in parts that can be worked on at the same time: read off their points, and written
//! back to them.

use std::ops::Range;

use super::{Node, Nodes, PART, Twist};
use crate::math::{Vec2, cross_sv};
use crate::solver::StepCx;
use crate::threads::{Divide, Threads};
use crate::world::{Model, Pose, State};

/// How fast frames come back into shape at the least, m/s: what they lack does not add up from one to the
/// next as overlap does.
const RESHAPES: f32 = 0.2;

impl Nodes {
    /// Reads poses and velocities off the points for a step.
    ///
    /// Frames that another backend has left out of shape come back into it at `recovery` m/s, or at
    /// [`RESHAPES`] if that is more. Shape matching leaves no momentum in what they lack: centre and angle are those
    /// of the pose whatever becomes of it.
    pub(crate) fn gather(
        &mut self,
        model: &Model,
        state: &State,
        recovery: f32,
        dt: f32,
        threads: &Threads,
    ) {
        let give = recovery.max(RESHAPES) * dt;
        self.sag.clear();
        self.sag.resize(if give.is_finite() { model.point_count() } else { 0 }, Vec2::ZERO);
        let all = Gathering {
            bodies: 0..model.bodies.len(),
            nodes: &mut self.nodes,
            speeds: &mut self.speeds,
            sag: &mut self.sag,
            model,
            first: &self.first,
        };
        let first_time = !self.gathered;
        threads.each(all, PART, |part: Gathering<'_>| {
            part.gather(state, &self.block, give, first_time)
        });
        self.gathered = true;
        for hung in &mut self.hung {
            hung.at = state.position[hung.point as usize];
        }
        self.written.clear();
        self.written.resize(model.bodies.len(), true);
        self.set_out(threads);
    }

    /// Lets poses follow how far nodes have moved in this sub-step. If it goes on with another one, points of tied bodies are
    /// written; those of the others when they are asked for.
    pub(crate) fn advance(&mut self, cx: &mut StepCx<'_>, goes_on: bool) {
        self.follow_travels(cx.threads);
        if goes_on && self.any_tied {
            self.write_those(cx.model, cx.state, cx.threads, |_, is_tied| is_tied);
        }
    }

    /// The same of the last one, and writes the points of all.
    pub(crate) fn scatter(&mut self, model: &Model, state: &mut State, threads: &Threads) {
        self.follow_travels(threads);
        self.write_all(model, state, threads);
    }

    /// Writes poses and velocities back to the points of all bodies.
    pub(crate) fn write_all(&mut self, model: &Model, state: &mut State, threads: &Threads) {
        self.write_those(model, state, threads, |_, _| true);
    }

    /// The same of those of which `are` says so; it is told the number of each, and whether it is tied.
    pub(super) fn write_those(
        &mut self,
        model: &Model,
        state: &mut State,
        threads: &Threads,
        are: impl Fn(usize, bool) -> bool + Sync,
    ) {
        let Self { nodes, speeds, first, block, sag, written, tied, .. } = self;
        let poses = Poses { nodes, speeds, first, block, sag, model };
        let all = Writing {
            bodies: 0..model.bodies.len(),
            written,
            position: &mut state.position,
            velocity: &mut state.velocity,
            model,
        };
        threads.each(all, PART, |part: Writing<'_>| {
            part.write(&poses, |body| are(body, tied[first[body] as usize]));
        });
    }

    /// Writes the pose and velocity of a body back to its points, if that is not done.
    pub(crate) fn write(&mut self, body: u32, model: &Model, state: &mut State) {
        let Self { nodes, speeds, first, block, sag, written, .. } = self;
        if std::mem::replace(&mut written[body as usize], true) {
            return;
        }
        let poses = Poses { nodes, speeds, first, block, sag, model };
        let points = model.bodies[body as usize].point_range();
        poses.write(
            body as usize,
            &mut state.position[points.clone()],
            &mut state.velocity[points],
        );
    }
}

/// Some bodies whose nodes are read off their points.
pub(super) struct Gathering<'a> {
    pub(super) bodies: Range<usize>,
    pub(super) nodes: &'a mut [Node],
    pub(super) speeds: &'a mut [Twist],
    /// Of their points; empty where all are in place.
    pub(super) sag: &'a mut [Vec2],
    pub(super) model: &'a Model,
    /// The first node of each body.
    pub(super) first: &'a [u32],
}

impl Divide for Gathering<'_> {
    fn size(&self) -> usize {
        self.bodies.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { bodies, nodes, speeds, sag, model, first } = self;
        let middle = bodies.start + at;
        let of_nodes = (first[middle] - first[bodies.start]) as usize;
        let points = |body: usize| model.bodies[body].points.start;
        let of_points = (points(middle) - points(bodies.start)) as usize;
        let (nodes, other_nodes) = nodes.split_at_mut(of_nodes);
        let (speeds, other_speeds) = speeds.split_at_mut(of_nodes);
        let (sag, other_sag) = sag.split_at_mut(of_points.min(sag.len()));
        let others = Self {
            bodies: middle..bodies.end,
            nodes: other_nodes,
            speeds: other_speeds,
            sag: other_sag,
            model,
            first,
        };
        (Self { bodies: bodies.start..middle, nodes, speeds, sag, model, first }, others)
    }
}

impl Gathering<'_> {
    /// See [`Nodes::gather`](super::Nodes::gather).
    pub(super) fn gather(self, state: &State, block: &[bool], give: f32, first_time: bool) {
        let Self { bodies, nodes, speeds, sag, model, first } = self;
        let Some(first_body) = model.bodies.get(bodies.start) else { return };
        let (from_node, from_point) = (first[bodies.start], first_body.points.start as usize);
        for index in bodies {
            let body = &model.bodies[index];
            let at = (first[index] - from_node) as usize;
            if !block[index] {
                for (number, i) in (at..).zip(body.point_range()) {
                    let node = &mut nodes[number];
                    (node.center, node.low) = (state.position[i], Vec2::ZERO);
                    speeds[number].linear = state.velocity[i];
                }
                continue;
            }
            let Pose { center, rot } = model.pose(body, &state.position);
            let moving = [&state.position[..], &state.velocity[..]];
            let motion = model.motion_of(body.point_range(), body.mass, center, moving);
            let (node, speed) = (&mut nodes[at], &mut speeds[at]);
            (node.center, node.low, node.rot) = (center, Vec2::ZERO, rot);
            (speed.linear, speed.angular) = (motion.velocity, motion.spin);
            if first_time {
                node.steady_spin = motion.spin;
            }
            if sag.is_empty() {
                continue;
            }
            // What comes back into shape keeps its angular momentum.
            let (mut before, mut after) = (0.0, 0.0);
            let points = body.point_range();
            let sag = &mut sag[points.start - from_point..points.end - from_point];
            let solid = model.mass[points.clone()].iter().zip(&model.rest[points.clone()]);
            let all = sag.iter_mut().zip(&state.position[points]).zip(solid);
            for ((sag, at), (&m, &rest)) in all {
                let r = *at - center;
                let lack = rot.unapply(r) - rest;
                *sag = lack - lack.clamp_length_max(give);
                before += m * r.length_squared();
                after += m * (rest + *sag).length_squared();
            }
            speed.angular *= if after > 1e-12 { before / after } else { 1.0 };
        }
    }
}

/// Where bodies are, as their nodes say.
pub(super) struct Poses<'a> {
    pub(super) nodes: &'a [Node],
    pub(super) speeds: &'a [Twist],
    pub(super) first: &'a [u32],
    pub(super) block: &'a [bool],
    pub(super) sag: &'a [Vec2],
    pub(super) model: &'a Model,
}

impl Poses<'_> {
    /// Writes the pose and velocity of a body to its points.
    pub(super) fn write(&self, index: usize, position: &mut [Vec2], velocity: &mut [Vec2]) {
        let (body, first) = (&self.model.bodies[index], self.first[index] as usize);
        let places = position.iter_mut().zip(velocity);
        if self.block[index] {
            let (node, speed) = (self.nodes[first], self.speeds[first]);
            let points = body.point_range();
            let rest = &self.model.rest[points.clone()];
            let mut put = |((position, velocity), rest): ((&mut Vec2, &mut Vec2), Vec2)| {
                let r = node.rot.apply(rest);
                *position = node.center + r;
                *velocity = speed.linear + cross_sv(speed.angular, r);
            };
            match self.sag.get(points) {
                Some(sag) => {
                    let rest = rest.iter().zip(sag).map(|(rest, sag)| *rest + *sag);
                    places.zip(rest).for_each(&mut put);
                }
                None => places.zip(rest.iter().copied()).for_each(&mut put),
            }
        } else {
            let nodes = self.nodes[first..].iter().zip(&self.speeds[first..]);
            for ((position, velocity), (node, speed)) in places.zip(nodes) {
                (*position, *velocity) = (node.center, speed.linear);
            }
        }
    }
}

/// Some bodies whose points are to be where their nodes are.
pub(super) struct Writing<'a> {
    pub(super) bodies: Range<usize>,
    pub(super) written: &'a mut [bool],
    /// Of their points.
    pub(super) position: &'a mut [Vec2],
    pub(super) velocity: &'a mut [Vec2],
    pub(super) model: &'a Model,
}

impl Divide for Writing<'_> {
    fn size(&self) -> usize {
        self.bodies.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let Self { bodies, written, position, velocity, model } = self;
        let middle = bodies.start + at;
        let points = |body: usize| model.bodies[body].points.start;
        let of_points = (points(middle) - points(bodies.start)) as usize;
        let (written, other_written) = written.split_at_mut(at);
        let (position, other_position) = position.split_at_mut(of_points);
        let (velocity, other_velocity) = velocity.split_at_mut(of_points);
        let others = Self {
            bodies: middle..bodies.end,
            written: other_written,
            position: other_position,
            velocity: other_velocity,
            model,
        };
        (Self { bodies: bodies.start..middle, written, position, velocity, model }, others)
    }
}

impl Writing<'_> {
    /// Writes those that are not yet written, and are to be.
    pub(super) fn write(self, poses: &Poses<'_>, are: impl Fn(usize) -> bool) {
        let Self { bodies, written, position, velocity, model } = self;
        let Some(first) = model.bodies.get(bodies.start) else { return };
        let from = first.points.start as usize;
        for (index, written) in bodies.zip(written) {
            if are(index) && !std::mem::replace(written, true) {
                let points = model.bodies[index].point_range();
                let points = points.start - from..points.end - from;
                poses.write(index, &mut position[points.clone()], &mut velocity[points]);
            }
        }
    }
}
