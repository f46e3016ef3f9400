//! Nodes: what an impulse moves. A rigid body is one node, a point of a soft body another.

use crate::math::{Rot, Vec2, cross_sv};
use crate::scene::BodyKind;
use crate::world::{Body, Edge, Model, Pose, State};

/// What an impulse moves.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Node {
    pub(super) inv_mass: f32,
    pub(super) inv_inertia: f32,
    pub(super) velocity: Vec2,
    pub(super) spin: f32,
    pub(super) center: Vec2,
    pub(super) rot: Rot,
    /// How far it has moved and turned in this sub-step.
    pub(super) shift: Vec2,
    pub(super) turn: f32,
}

/// A rigid body that hangs on one pinned point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hung {
    pub(super) body: u32,
    pub(super) point: u32,
    /// Where the point is pinned.
    pub(super) at: Vec2,
}

/// All nodes of a model.
#[derive(Clone, Debug, Default)]
pub(super) struct Nodes {
    nodes: Vec<Node>,
    /// The first node of each body; soft bodies have one for each point, in order.
    first: Vec<u32>,
    /// Whether each body is a single node.
    block: Vec<bool>,
    hung: Vec<Hung>,
}

impl Nodes {
    /// Lays out the nodes of a model.
    pub(super) fn attach(&mut self, model: &Model) {
        *self = Self::default();
        for (index, body) in model.bodies.iter().enumerate() {
            self.first.push(self.nodes.len() as u32);
            let block = body.is_rigid() || !body.is_dynamic();
            self.block.push(block);
            if block {
                self.nodes.push(block_node(model, body));
                let mut pinned = body.point_range().filter(|&i| model.pinned[i]);
                if let (true, Some(point), None) = (body.is_dynamic(), pinned.next(), pinned.next())
                {
                    let (body, point) = (index as u32, point as u32);
                    self.hung.push(Hung { body, point, at: Vec2::ZERO });
                }
            } else {
                self.nodes.extend(
                    body.point_range()
                        .map(|i| Node { inv_mass: model.inv_mass[i], ..Node::default() }),
                );
            }
        }
    }

    /// Reads poses and velocities off the points.
    pub(super) fn gather(&mut self, model: &Model, state: &State) {
        for (index, body) in model.bodies.iter().enumerate() {
            let first = self.first[index] as usize;
            if self.block[index] {
                let Pose { center, rot } = model.pose(body, &state.position);
                let motion = model.motion(body, &state.position, &state.velocity);
                let node = &mut self.nodes[first];
                (node.center, node.rot) = (center, rot);
                (node.velocity, node.spin) = (motion.velocity, motion.spin);
            } else {
                for (node, i) in self.nodes[first..].iter_mut().zip(body.point_range()) {
                    (node.center, node.velocity) = (state.position[i], state.velocity[i]);
                }
            }
        }
        for hung in &mut self.hung {
            hung.at = state.position[hung.point as usize];
        }
    }

    /// Adds to the velocity of everything that can be pushed.
    pub(super) fn accelerate(&mut self, change: Vec2) {
        for node in self.nodes.iter_mut().filter(|node| node.inv_mass > 0.0) {
            node.velocity += change;
        }
    }

    /// Moves by the velocities. The pose follows in [`Nodes::scatter`], when corrections are done.
    pub(super) fn displace(&mut self, h: f32) {
        for node in &mut self.nodes {
            node.shift = h * node.velocity;
            node.turn = h * node.spin;
        }
    }

    /// Writes poses and velocities back to the points.
    pub(super) fn scatter(&mut self, model: &Model, state: &mut State) {
        for node in &mut self.nodes {
            node.center += node.shift;
            if node.turn != 0.0 {
                node.rot = node.rot.advanced(node.turn, 1.0);
            }
            (node.shift, node.turn) = (Vec2::ZERO, 0.0);
        }
        for (index, body) in model.bodies.iter().enumerate() {
            let first = self.first[index] as usize;
            if body.kind == BodyKind::Static {
                continue;
            }
            if self.block[index] {
                let node = self.nodes[first];
                for i in body.point_range() {
                    let r = node.rot.apply(model.rest[i]);
                    state.position[i] = node.center + r;
                    state.velocity[i] = node.velocity + cross_sv(node.spin, r);
                }
            } else {
                for (node, i) in self.nodes[first..].iter().zip(body.point_range()) {
                    (state.position[i], state.velocity[i]) = (node.center, node.velocity);
                }
            }
        }
    }

    /// The node of a body that is a single one.
    pub(super) fn block(&self, body: u32) -> Option<u32> {
        self.block[body as usize].then(|| self.first[body as usize])
    }

    /// The node of a point.
    pub(super) fn of_point(&self, model: &Model, point: u32) -> u32 {
        let body = model.body_of[point as usize] as usize;
        let offset = point - model.bodies[body].points.start;
        self.first[body] + if self.block[body] { 0 } else { offset }
    }

    /// The rotation of a body that is a single node; none for others.
    pub(super) fn rot(&self, body: u32) -> Rot {
        self.block(body).map_or(Rot::IDENTITY, |node| self[node].rot)
    }

    /// Rigid bodies that hang on one pinned point.
    pub(super) fn hung(&self) -> &[Hung] {
        &self.hung
    }

    /// Edges between points that are nodes of their own.
    pub(super) fn soft_edges<'a>(
        &self,
        model: &'a Model,
    ) -> impl Iterator<Item = &'a Edge> + use<'a> {
        let soft: Vec<_> = model
            .bodies
            .iter()
            .zip(&self.block)
            .filter(|(_, block)| !**block)
            .map(|(body, _)| body.edges.start as usize..body.edges.end as usize)
            .collect();
        soft.into_iter().flat_map(|range| &model.edges[range])
    }
}

impl std::ops::Index<u32> for Nodes {
    type Output = Node;

    fn index(&self, node: u32) -> &Node {
        &self.nodes[node as usize]
    }
}

impl std::ops::IndexMut<u32> for Nodes {
    fn index_mut(&mut self, node: u32) -> &mut Node {
        &mut self.nodes[node as usize]
    }
}

/// The node of a rigid body: immovable unless dynamic, and held still by two pins.
fn block_node(model: &Model, body: &Body) -> Node {
    let pins = body.point_range().filter(|&i| model.pinned[i]).count();
    let moves = body.is_dynamic() && pins < 2;
    let inverse = |value: f32| if moves && value > 0.0 { 1.0 / value } else { 0.0 };
    Node { inv_mass: inverse(body.mass), inv_inertia: inverse(body.inertia), ..Node::default() }
}
