//! Rows of joints and of the edges of soft bodies, at the present positions.

use super::{Bound, Rows, Spring};
use crate::math::{Rot, Vec2, direction_or};
use crate::solver::nodes::Nodes;
use crate::world::{Anchor, JointEnd, Model, State};

/// A limit farther from its end than this has no row, as a sine.
const LIMIT_REACH: f32 = 0.5;

impl Rows {
    /// Rows of everything but contacts: pins (the first two rows of each joint, in order), limits,
    /// and the edges of soft bodies, for a sub-step of `h` seconds.
    pub(crate) fn add_joints_and_edges(
        &mut self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        h: f32,
    ) {
        self.add_pins(model, state, nodes);
        self.add_limits(model, nodes, h);
        self.add_edges(model, state, nodes, h);
    }

    /// Two rows for every joint, and for the pinned point of a rigid body that hangs on one.
    fn add_pins(&mut self, model: &Model, state: &State, nodes: &Nodes) {
        for joint in &model.joints {
            let (at, to) = (joint.a.sample(&state.position), joint.b.position(&state.position));
            for axis in [Vec2::X, Vec2::Y] {
                self.begin();
                self.side(nodes, model, joint.body_a, &joint.a, at, -axis);
                if let JointEnd::Body { body, anchor } = &joint.b {
                    self.side(nodes, model, *body, anchor, to, axis);
                }
                self.end(nodes, (to - at).dot(axis), Bound::Free);
            }
            self.pair(nodes);
        }
        for hung in nodes.hung() {
            let (at, to) = (state.position[hung.point as usize], hung.at);
            let anchor = Anchor::at_point(hung.point);
            for axis in [Vec2::X, Vec2::Y] {
                self.begin();
                self.side(nodes, model, hung.body, &anchor, at, axis);
                self.end(nodes, (at - to).dot(axis), Bound::Free);
            }
            self.pair(nodes);
        }
    }

    /// A row for each end of a joint's range.
    fn add_limits(&mut self, model: &Model, nodes: &Nodes, h: f32) {
        for joint in &model.joints {
            let Some(limit) = joint.limit else { continue };
            let rot_b = joint.b.body().map_or(Rot::IDENTITY, |body| nodes.rot(body));
            let relative = nodes.rot(joint.body_a).inverse().after(rot_b);
            // Slack to the lower end grows as b turns forward, slack to the upper end shrinks.
            for (slack, sign) in limit.slack(relative).into_iter().zip([1.0, -1.0]) {
                self.begin();
                if slack < LIMIT_REACH {
                    self.turn(nodes, joint.body_a, -sign);
                    if let Some(body) = joint.b.body() {
                        self.turn(nodes, body, sign);
                    }
                }
                self.end(nodes, slack, Bound::Push { h });
            }
        }
    }

    /// A row for every edge between two nodes of their own.
    fn add_edges(&mut self, model: &Model, state: &State, nodes: &Nodes, h: f32) {
        for edge in nodes.soft_edges(model) {
            let between = state.position[edge.b as usize] - state.position[edge.a as usize];
            let along = direction_or(between, Vec2::X);
            self.begin();
            self.point(nodes, model, edge.a, -along);
            self.point(nodes, model, edge.b, along);
            let bound = if edge.compliance > 0.0 {
                Bound::Springy(Spring::new(edge.compliance, edge.damping, h))
            } else {
                Bound::Free
            };
            self.end(nodes, between.length() - edge.rest, bound);
        }
    }
}
