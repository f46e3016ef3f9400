//! Nodes: what an impulse moves. A rigid body is one node, a point of a soft body another.
//!
//! | file | job |
//! |---|---|
//! | `nodes.rs` | what they are, and which node is whose |
//! | `points.rs` | bodies are read off their points, and written back to them |
//! | `moving.rs` | how nodes move |
//! | `pulls.rs` | what joints pull on them |
//! | `apart.rs` | how far the bodies of two are from each other |
//! | `ahead.rs` | who would go through another is held back |

mod ahead;
mod apart;
mod moving;
mod points;
mod pulls;

use bytemuck::{Pod, Zeroable};

use crate::math::{Mapped, Rot, Vec2, cross_sv};
use crate::scene::BodyKind;
use crate::solver::common;
use crate::world::{Anchor, Body, Joint, Model, Renumbering};
pub(crate) use apart::{Circles, Stand};
use moving::Way;
pub(crate) use moving::lasting;

/// The work on so few bodies or nodes is not worth sharing out.
const PART: usize = 512;

/// How fast a node moves and turns, m/s and rad/s, or how far it has in this sub-step, m and rad.
///
/// This is what rounds read and write, so it stands apart from the rest; with the inverse moment of
/// inertia, which they need as well, it is four numbers that a processor reads at once.
#[derive(Clone, Copy, Debug, Default, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Twist {
    pub(crate) linear: Vec2,
    pub(crate) angular: f32,
    pub(crate) inv_inertia: f32,
}

impl Twist {
    /// Goes as far as this speed leads in `h` seconds.
    #[inline]
    pub(crate) fn go(&mut self, h: f32, speed: &Self) {
        self.linear = h * speed.linear;
        self.angular = h * speed.angular;
    }

    /// An upper bound of how fast any point goes that is no farther than `reach` from the centre, without a root.
    #[inline]
    fn pace(&self, reach: f32) -> f32 {
        self.linear.x.abs() + self.linear.y.abs() + self.angular.abs() * reach
    }

    /// Becomes the speed of what has gone so far in `h` seconds.
    #[inline]
    pub(crate) fn have_gone(&mut self, h: f32, travel: &Self) {
        self.linear = travel.linear / h;
        self.angular = travel.angular / h;
    }
}

/// What an impulse moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) inv_mass: f32,
    pub(crate) inv_inertia: f32,
    /// How strongly gravity pulls on it, as a multiple; 0 where nothing can push it.
    pub(crate) gravity_scale: f32,
    pub(crate) center: Vec2,
    /// What of the motion in this step is too small for `center` to take up, as it is far from the
    /// origin (compensated summation: Kahan, 1965).
    low: Vec2,
    pub(crate) rot: Rot,
    /// How far its points are from its centre at most, m.
    reach: f32,
    /// The spin that has lasted for some sub-steps.
    pub(crate) steady_spin: f32,
    /// Bodies that joints connect, directly or through others, form a group.
    pub(crate) group: u32,
}

/// A rigid body that hangs on one pinned point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hung {
    pub(crate) body: u32,
    pub(crate) point: u32,
    /// Where the point is pinned.
    pub(crate) at: Vec2,
}

/// All nodes of a model.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nodes {
    nodes: Vec<Node>,
    /// Velocity and spin of each.
    speeds: Vec<Twist>,
    /// How far each has moved and turned in this sub-step.
    travels: Vec<Twist>,
    /// The first node of each body; soft bodies have one for each point, in order.
    first: Vec<u32>,
    /// Whether each body is a single node.
    block: Vec<bool>,
    /// The bodies that are several.
    soft: Vec<u32>,
    /// Whether each body stands still for ever.
    fixed: Vec<bool>,
    hung: Vec<Hung>,
    /// Whether this is not the first step since [`Nodes::attach`].
    gathered: bool,
    groups: usize,
    /// Whether each is of a body that a joint or a pinned point holds.
    held: Vec<bool>,
    /// For each node, then for each group, how much of its motion a change is along, and how large the change is.
    shares: Vec<Vec2>,
    sums: Vec<Vec2>,
    /// Velocities before a start, and what was kept of it in each group.
    before: Vec<Twist>,
    kept: Vec<f32>,
    /// What turns each node back, and whether any does.
    loads: Vec<f32>,
    is_loaded: bool,
    /// How far each point is from its place in its body's frame, m; empty where all are in place.
    sag: Vec<Vec2>,
    /// For each body, the part of its way that it may go.
    parts: Vec<f32>,
    /// Pairs of pieces that may go through each other in this sub-step.
    fast: Vec<(u32, u32)>,
    /// For each piece, whether it goes so far.
    swift: Vec<bool>,
    /// Where the points of those will be at its end.
    ahead: Vec<Vec2>,
    /// Whether each is of a body whose points others look at in every sub-step.
    tied: Vec<bool>,
    any_tied: bool,
    /// Whether the points of each body are where its nodes are.
    written: Vec<bool>,
    /// The straight way that each was on when it set out.
    ways: Vec<Way>,
    /// How long ago that was, s.
    under_way: f32,
    /// How fast points of each go at most.
    paces: Vec<f32>,
}

impl Nodes {
    /// Lays out the nodes of a model.
    pub(crate) fn attach(&mut self, model: &Model) {
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
                self.soft.push(index as u32);
                self.nodes.extend(body.point_range().map(|i| Node {
                    inv_mass: model.inv_mass[i],
                    gravity_scale: pulled(body, model.inv_mass[i] > 0.0),
                    ..Node::default()
                }));
            }
        }
        self.nodes.push(Node::default());
        self.fixed.extend(model.bodies.iter().map(|body| body.kind == BodyKind::Static));
        self.tie(model, 0..model.joints.len());
        let still = |node: &Node| Twist { inv_inertia: node.inv_inertia, ..Twist::default() };
        self.speeds.extend(self.nodes.iter().map(still));
        self.travels.clone_from(&self.speeds);
        self.group(model);
        let joined = model.joints.iter().flat_map(Joint::bodies);
        self.held = self.are_of(joined.chain(self.hung.iter().map(|hung| hung.body)));
    }

    /// The nodes of a model some of whose bodies are those of the one before: what is known of them stays.
    pub(crate) fn renumber(&mut self, model: &Model, renumbering: &Renumbering) {
        let old = std::mem::take(self);
        self.attach(model);
        self.gathered = old.gathered;
        for (body, &first) in old.first.iter().enumerate().filter(|(body, _)| old.block[*body]) {
            let place = renumbering.body(body as u32).and_then(|body| self.block(body));
            if let Some(node) = place {
                self[node].steady_spin = old[first].steady_spin;
            }
        }
    }

    /// Lets points of bodies be written in every sub-step where others look at them: those of soft bodies, and those
    /// of what these joints hold.
    pub(crate) fn tie(&mut self, model: &Model, joints: impl Iterator<Item = usize>) {
        let held = joints.flat_map(|joint| model.joints[joint].bodies());
        let hung = self.hung.iter().map(|hung| hung.body);
        self.tied = self.are_of(held.chain(hung).chain(self.soft.iter().copied()));
        self.any_tied = self.tied.contains(&true);
    }

    /// Whether each node is of any of these bodies.
    fn are_of(&self, bodies: impl Iterator<Item = u32>) -> Vec<bool> {
        let mut are = vec![false; self.nodes.len()];
        for body in bodies {
            are[self.first[body as usize] as usize..self.end(body) as usize].fill(true);
        }
        are
    }

    /// The node of the world itself, the last one: it stands at the origin, and cannot be pushed.
    pub(crate) fn ground(&self) -> u32 {
        self.nodes.len() as u32 - 1
    }

    /// Numbers the groups of bodies that joints connect.
    fn group(&mut self, model: &Model) {
        let mut sets = common::joined(model);
        // A root is the lowest body of its group, so it is numbered before the others.
        let mut numbers = vec![0; model.bodies.len()];
        for body in 0..model.bodies.len() {
            let top = sets.root(body);
            if top == body {
                numbers[body] = self.groups as u32;
                self.groups += 1;
            }
            let first = self.first[body] as usize;
            let last = self.end(body as u32) as usize;
            for node in &mut self.nodes[first..last] {
                node.group = numbers[top];
            }
        }
        // The ground belongs to none of them.
        let ground = self.ground();
        self[ground].group = self.groups as u32;
        self.groups += 1;
    }

    /// The node after the last one of a body.
    fn end(&self, body: u32) -> u32 {
        self.first.get(body as usize + 1).map_or(self.ground(), |&next| next)
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The number of groups of bodies that joints connect.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// The group of a body.
    pub(crate) fn group_of(&self, body: u32) -> usize {
        self[self.first[body as usize]].group as usize
    }

    /// Whether a node is of a body whose points others look at in every sub-step.
    pub(crate) fn is_tied(&self, node: u32) -> bool {
        self.tied[node as usize]
    }

    /// Whether a node is of a body that a joint or a pinned point holds.
    pub(crate) fn is_held(&self, node: u32) -> bool {
        self.held[node as usize]
    }

    /// The bodies that are several nodes, one for each point, in ascending order.
    pub(crate) fn soft(&self) -> &[u32] {
        &self.soft
    }

    /// The node of a body that is a single one.
    pub(crate) fn block(&self, body: u32) -> Option<u32> {
        self.block[body as usize].then(|| self.first[body as usize])
    }

    /// The nodes of two pieces if both bodies are single ones.
    #[inline]
    pub(crate) fn blocks(&self, model: &Model, pieces: (u32, u32)) -> Option<[u32; 2]> {
        let [a, b] =
            [pieces.0, pieces.1].mapped(|piece| self.block(model.pieces[piece as usize].body));
        Some([a?, b?])
    }

    /// How fast the first of two nodes moves against the second, each at its place, along a direction, m/s.
    #[inline]
    pub(crate) fn meeting_speed(&self, pair: [u32; 2], places: [Vec2; 2], along: Vec2) -> f32 {
        let [a, b] = [0, 1].mapped(|k| {
            let Twist { linear, angular, .. } = *self.speed(pair[k]);
            linear + cross_sv(angular, places[k] - self[pair[k]].center)
        });
        along.dot(a - b)
    }

    /// Velocity and spin of a node.
    pub(crate) fn speed(&self, node: u32) -> &Twist {
        &self.speeds[node as usize]
    }

    /// The same, to change it.
    pub(crate) fn speed_mut(&mut self, node: u32) -> &mut Twist {
        &mut self.speeds[node as usize]
    }

    /// How fast each node moves and turns, to change it.
    pub(crate) fn speeds_mut(&mut self) -> &mut [Twist] {
        &mut self.speeds
    }

    /// How far each node has moved and turned in this sub-step, to change it.
    pub(crate) fn travels_mut(&mut self) -> &mut [Twist] {
        &mut self.travels
    }

    /// How far each node has moved and turned in this sub-step.
    pub(crate) fn travels(&self) -> &[Twist] {
        &self.travels
    }

    /// How far a node has moved and turned in this sub-step.
    pub(crate) fn travel(&self, node: u32) -> &Twist {
        &self.travels[node as usize]
    }

    /// The same, to change it.
    pub(crate) fn travel_mut(&mut self, node: u32) -> &mut Twist {
        &mut self.travels[node as usize]
    }

    /// Where a node is by now: its centre, or the point that it is.
    #[inline]
    pub(crate) fn place(&self, node: u32) -> Vec2 {
        self[node].center + self.travel(node).linear
    }

    /// How it is turned by now.
    #[inline]
    pub(crate) fn turned(&self, node: u32) -> Rot {
        self[node].turned_by(self.travel(node))
    }

    /// Whether a node can be pushed, or moves all the same.
    pub(crate) fn counts(&self, node: u32) -> bool {
        let Twist { linear, angular, .. } = *self.speed(node);
        self[node].inv_mass > 0.0 || linear != Vec2::ZERO || angular != 0.0
    }

    /// The node of a point.
    #[inline]
    pub(crate) fn of_point(&self, model: &Model, point: u32) -> u32 {
        let body = model.body_of[point as usize] as usize;
        let offset = point - model.bodies[body].points.start;
        self.first[body] + if self.block[body] { 0 } else { offset }
    }

    /// How a body is turned by now at a place on it: its node, or, where it has several, as their points say, which are
    /// at these positions.
    #[inline]
    pub(crate) fn rot(&self, model: &Model, positions: &[Vec2], body: u32, anchor: &Anchor) -> Rot {
        let of_points = || model.rot_at(body, anchor, positions);
        self.block(body).map_or_else(of_points, |node| self.turned(node))
    }

    /// Rigid bodies that hang on one pinned point.
    pub(crate) fn hung(&self) -> &[Hung] {
        &self.hung
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

/// How strongly gravity pulls on a node of a body that moves of itself or not.
fn pulled(body: &Body, moves: bool) -> f32 {
    if moves { body.material.gravity_scale } else { 0.0 }
}

/// The node of a rigid body: immovable unless dynamic, and held still by two pins.
fn block_node(model: &Model, body: &Body) -> Node {
    let pins = body.point_range().filter(|&i| model.pinned[i]).count();
    let moves = body.is_dynamic() && pins < 2;
    let inverse = |value: f32| if moves && value > 0.0 { 1.0 / value } else { 0.0 };
    let reach = body.point_range().map(|i| model.rest[i].length()).fold(0.0, f32::max);
    Node {
        inv_mass: inverse(body.mass),
        inv_inertia: inverse(body.inertia),
        gravity_scale: pulled(body, moves),
        reach,
        ..Node::default()
    }
}
