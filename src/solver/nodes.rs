//! Nodes: what an impulse moves. A rigid body is one node, a point of a soft body another.

use crate::collision::Collision;
use crate::math::{Rot, Vec2, cross_sv};
use crate::scene::BodyKind;
use crate::sets::Sets;
use crate::solver::common::MOST_TURN;
use crate::world::{Body, Model, Pose, Renumbering, State};

/// How fast frames come back into shape at the least, m/s: what they lack does not add up from one to the
/// next as overlap does.
const RESHAPES: f32 = 0.2;
/// The part of a spin that counts as lasting after each further sub-step in which it lasts.
const STEADIES: f32 = 0.05;

/// What an impulse moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Node {
    pub(crate) inv_mass: f32,
    pub(crate) inv_inertia: f32,
    pub(crate) velocity: Vec2,
    pub(crate) spin: f32,
    pub(crate) center: Vec2,
    /// What of the motion in this step is too small for `center` to take up, as it is far from the
    /// origin (compensated summation: Kahan, 1965).
    low: Vec2,
    pub(crate) rot: Rot,
    /// The spin that has lasted for some sub-steps.
    pub(crate) steady_spin: f32,
    /// How far it has moved and turned in this sub-step.
    pub(crate) shift: Vec2,
    pub(crate) turn: f32,
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
    /// The first node of each body; soft bodies have one for each point, in order.
    first: Vec<u32>,
    /// Whether each body is a single node.
    block: Vec<bool>,
    hung: Vec<Hung>,
    /// Whether this is not the first step since [`Nodes::attach`].
    gathered: bool,
    groups: usize,
    /// How far each point is from its place in its body's frame, m; empty where all are in place.
    sag: Vec<Vec2>,
    /// For each body, the part of its way that it may go.
    parts: Vec<f32>,
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
                self.nodes.extend(
                    body.point_range()
                        .map(|i| Node { inv_mass: model.inv_mass[i], ..Node::default() }),
                );
            }
        }
        self.group(model);
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

    /// Numbers the groups of bodies that joints connect. What cannot be pushed connects nothing.
    fn group(&mut self, model: &Model) {
        let mut sets = Sets::new(model.bodies.len());
        for joint in &model.joints {
            let Some(b) = joint.b.body() else { continue };
            let [a, b] = [joint.body_a, b].map(|body| body as usize);
            if model.bodies[a].is_dynamic() && model.bodies[b].is_dynamic() {
                sets.join(a, b);
            }
        }
        // A root is the lowest body of its group, so it is numbered before the others.
        let mut numbers = vec![0; model.bodies.len()];
        for body in 0..model.bodies.len() {
            let top = sets.root(body);
            if top == body {
                numbers[body] = self.groups as u32;
                self.groups += 1;
            }
            let first = self.first[body] as usize;
            let last = self.first.get(body + 1).map_or(self.nodes.len(), |&next| next as usize);
            for node in &mut self.nodes[first..last] {
                node.group = numbers[top];
            }
        }
    }

    /// Reads poses and velocities off the points for a step.
    ///
    /// Frames that another backend has left out of shape come back into it at `recovery` m/s, or at
    /// [`RESHAPES`] if that is more. Shape matching leaves no momentum in what they lack: centre and angle are those
    /// of the pose whatever becomes of it.
    pub(crate) fn gather(&mut self, model: &Model, state: &State, recovery: f32, dt: f32) {
        let give = recovery.max(RESHAPES) * dt;
        self.sag.clear();
        self.sag.resize(if give.is_finite() { model.point_count() } else { 0 }, Vec2::ZERO);
        for (index, body) in model.bodies.iter().enumerate() {
            let first = self.first[index] as usize;
            if self.block[index] {
                let Pose { center, rot } = model.pose(body, &state.position);
                let motion = model.motion(body, &state.position, &state.velocity);
                let node = &mut self.nodes[first];
                (node.center, node.low, node.rot) = (center, Vec2::ZERO, rot);
                (node.velocity, node.spin) = (motion.velocity, motion.spin);
                if !self.gathered {
                    node.steady_spin = motion.spin;
                }
                for i in body.point_range() {
                    let Some(sag) = self.sag.get_mut(i) else { break };
                    let lack = rot.unapply(state.position[i] - center) - model.rest[i];
                    *sag = lack - lack.clamp_length_max(give);
                }
                if !self.sag.is_empty() {
                    // What comes back into shape keeps its angular momentum.
                    let (mut before, mut after) = (0.0, 0.0);
                    for i in body.point_range() {
                        before += model.mass[i] * (state.position[i] - center).length_squared();
                        after += model.mass[i] * (model.rest[i] + self.sag[i]).length_squared();
                    }
                    node.spin *= if after > 1e-12 { before / after } else { 1.0 };
                }
            } else {
                for (node, i) in self.nodes[first..].iter_mut().zip(body.point_range()) {
                    (node.center, node.low) = (state.position[i], Vec2::ZERO);
                    node.velocity = state.velocity[i];
                }
            }
        }
        self.gathered = true;
        for hung in &mut self.hung {
            hung.at = state.position[hung.point as usize];
        }
    }

    /// Adds to the velocity of everything that can be pushed.
    pub(crate) fn accelerate(&mut self, change: Vec2) {
        for node in self.nodes.iter_mut().filter(|node| node.inv_mass > 0.0) {
            node.velocity += change;
        }
    }

    /// Velocity and spin of every node.
    pub(crate) fn velocities(&self) -> impl Iterator<Item = (Vec2, f32)> + '_ {
        self.nodes.iter().map(|node| (node.velocity, node.spin))
    }

    /// For each group, the part of its change of velocity since `before`, 0 to 1, that would leave
    /// it with the least kinetic energy.
    pub(crate) fn least_energy_factors(&self, before: &[(Vec2, f32)], factors: &mut Vec<f32>) {
        let mut sums = vec![(0.0, 0.0); self.groups];
        for (node, &(velocity, spin)) in self.nodes.iter().zip(before) {
            let (sum, change) = (&mut sums[node.group as usize], node.velocity - velocity);
            if node.inv_mass > 0.0 {
                sum.0 += velocity.dot(change) / node.inv_mass;
                sum.1 += change.length_squared() / node.inv_mass;
            }
            if node.inv_inertia > 0.0 {
                let change = node.spin - spin;
                sum.0 += spin * change / node.inv_inertia;
                sum.1 += change * change / node.inv_inertia;
            }
        }
        factors.clear();
        factors.extend(sums.into_iter().map(|(along, square): (f32, f32)| {
            if square > 0.0 { (-along / square).clamp(0.0, 1.0) } else { 1.0 }
        }));
    }

    /// Keeps of each node's change of velocity since `before` the part its group is given.
    pub(crate) fn scale_changes(&mut self, before: &[(Vec2, f32)], factors: &[f32]) {
        for (node, &(velocity, spin)) in self.nodes.iter_mut().zip(before) {
            let factor = factors[node.group as usize];
            node.velocity = velocity + factor * (node.velocity - velocity);
            node.spin = spin + factor * (node.spin - spin);
        }
    }

    /// Moves by the velocities. The pose follows in [`Nodes::scatter`], when corrections are done.
    pub(crate) fn displace(&mut self, h: f32) {
        for node in &mut self.nodes {
            node.shift = h * node.velocity;
            node.turn = h * node.spin;
        }
    }

    /// Velocity is displacement over time.
    pub(crate) fn velocities_from_displacements(&mut self, h: f32) {
        for node in self.nodes.iter_mut().filter(|node| node.inv_mass > 0.0) {
            (node.velocity, node.spin) = (node.shift / h, node.turn / h);
        }
    }

    /// Lets no body turn further in a sub-step than directions hold that were taken at its beginning.
    fn limit_turns(&mut self) {
        for node in self.nodes.iter_mut().filter(|node| node.turn.abs() > MOST_TURN) {
            let kept = MOST_TURN / node.turn.abs();
            (node.turn, node.spin) = (kept * node.turn, kept * node.spin);
        }
    }

    /// Holds bodies back where they would go through each other, keeping their velocity.
    pub(crate) fn hold_back(&mut self, collision: &mut Collision, model: &Model, state: &State) {
        self.limit_turns();
        let mut parts = std::mem::take(&mut self.parts);
        let to = |point: u32| {
            let node = &self[self.of_point(model, point)];
            let (from, body) = (state.position[point as usize], model.body_of[point as usize]);
            if self.block[body as usize] {
                let rot = node.rot.advanced(node.turn, 1.0);
                node.center + node.shift + rot.apply(model.rest[point as usize])
            } else {
                from + node.shift
            }
        };
        collision.free_parts(model, &state.position, to, &mut parts);
        for (body, &part) in parts.iter().enumerate().filter(|(_, part)| **part < 1.0) {
            if self.block[body] && model.bodies[body].is_dynamic() {
                let node = &mut self.nodes[self.first[body] as usize];
                (node.shift, node.turn) = (part * node.shift, part * node.turn);
            }
        }
        self.parts = parts;
    }

    /// Writes poses and velocities back to the points.
    pub(crate) fn scatter(&mut self, model: &Model, state: &mut State) {
        for node in &mut self.nodes {
            let (from, by) = (node.center, node.shift + node.low);
            node.center = from + by;
            node.low = by - (node.center - from);
            let lasts = node.spin * node.steady_spin >= 0.0;
            let grown = node.steady_spin.abs() + STEADIES * node.spin.abs();
            node.steady_spin = if lasts { node.spin.clamp(-grown, grown) } else { 0.0 };
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
                    let sag = self.sag.get(i).copied().unwrap_or_default();
                    let r = node.rot.apply(model.rest[i] + sag);
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
    pub(crate) fn block(&self, body: u32) -> Option<u32> {
        self.block[body as usize].then(|| self.first[body as usize])
    }

    /// The node of a point.
    pub(crate) fn of_point(&self, model: &Model, point: u32) -> u32 {
        let body = model.body_of[point as usize] as usize;
        let offset = point - model.bodies[body].points.start;
        self.first[body] + if self.block[body] { 0 } else { offset }
    }

    /// The rotation of a body: of its node, or, where it has several, of the pose that fits them
    /// best.
    pub(crate) fn rot(&self, model: &Model, state: &State, body: u32) -> Rot {
        let of_points = || model.pose(&model.bodies[body as usize], &state.position).rot;
        self.block(body).map_or_else(of_points, |node| self[node].rot)
    }

    /// Rigid bodies that hang on one pinned point.
    pub(crate) fn hung(&self) -> &[Hung] {
        &self.hung
    }

    /// The indices of edges between points that are nodes of their own.
    pub(crate) fn soft_edges(&self, model: &Model) -> impl Iterator<Item = usize> + use<> {
        let ranges: Vec<_> = model
            .bodies
            .iter()
            .zip(&self.block)
            .filter(|(_, block)| !**block)
            .map(|(body, _)| body.edges.start as usize..body.edges.end as usize)
            .collect();
        ranges.into_iter().flatten()
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
