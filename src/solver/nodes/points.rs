//! Bodies and their nodes, in parts that can be worked on at the same time: read off their points, and written
//! back to them.

use std::ops::Range;

use super::{Node, Twist};
use crate::math::{Vec2, cross_sv};
use crate::threads::Divide;
use crate::world::{Model, Pose, State};

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
