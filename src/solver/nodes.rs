//! Nodes: what an impulse moves. A rigid body is one node, a point of a soft body another.

mod ahead;
mod apart;
mod points;

use bytemuck::{Pod, Zeroable};

use crate::math::{Mapped, Rot, Vec2, cross_sv};
use crate::scene::BodyKind;
use crate::solver::StepCx;
use crate::solver::common::{self, MOST_TURN};
use crate::threads::Threads;
use crate::world::{Body, Joint, Model, Renumbering, State};
pub(crate) use apart::{Circles, Stand};
use points::{Gathering, Poses, Writing};

/// The work on so few bodies or nodes is not worth sharing out.
const PART: usize = 512;

/// How fast frames come back into shape at the least, m/s: what they lack does not add up from one to the
/// next as overlap does.
const RESHAPES: f32 = 0.2;
/// The part of a spin that counts as lasting after each further sub-step in which it lasts.
const STEADIES: f32 = 0.05;

/// How many times its moment of inertia the load on a node may be, see [`Nodes::bear`]; more than 4 explodes.
const RESOLVED: f32 = 2.0;

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

/// Where a node was when it set out, and how fast it went and turned.
#[derive(Clone, Copy, Debug, Default)]
struct Way {
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
                self.nodes.extend(
                    body.point_range()
                        .map(|i| Node { inv_mass: model.inv_mass[i], ..Node::default() }),
                );
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
    /// seconds from now, m, at most.
    pub(crate) fn farthest_astray(&self, h: f32, threads: &Threads) -> f32 {
        let times = [self.under_way, h];
        let farthest = |((nodes, speeds), ways): ((&[Node], &[Twist]), &[Way])| {
            let left_by =
                |((node, speed), way): ((&Node, &Twist), &Way)| way.left_by(node, speed, times);
            nodes.iter().zip(speeds).zip(ways).map(left_by).fold(0.0, f32::max)
        };
        let all = ((&self.nodes[..], &self.speeds[..]), &self.ways[..]);
        threads.parts(all, PART, &farthest, &f32::max)
    }

    /// The number of nodes.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Adds to the velocity of everything that can be pushed.
    pub(crate) fn accelerate(&mut self, change: Vec2, threads: &Threads) {
        let accelerate = |(nodes, speeds): (&[Node], &mut [Twist])| {
            for (_, speed) in nodes.iter().zip(speeds).filter(|(node, _)| node.inv_mass > 0.0) {
                speed.linear += change;
            }
        };
        threads.each((&self.nodes[..], &mut self.speeds[..]), PART, accelerate);
    }

    /// Notes velocities, for [`Nodes::keep_least_energy`].
    pub(crate) fn note_speeds(&mut self, threads: &Threads) {
        threads.copy(&self.speeds, &mut self.before);
    }

    /// Keeps of the change of velocity since [`Nodes::note_speeds`] of each group the part, 0 to 1, that leaves it
    /// with the least kinetic energy: with the change `Δ`, `−v·M·Δ / Δ·M·Δ`.
    ///
    /// That is for starting joints from what they gave before. In a fast spin, or where joints contradict each
    /// other, old impulses point the wrong way, and a few rounds cannot take back all they do. At rest under gravity
    /// the part is 1, and a start never adds energy.
    pub(crate) fn keep_least_energy(&mut self, threads: &Threads) {
        let Self { nodes, speeds, before, shares, sums, kept, groups, .. } = self;
        shares.resize(nodes.len(), Vec2::ZERO);
        type Looking<'a> = (&'a mut [Vec2], (&'a [Node], (&'a [Twist], &'a [Twist])));
        let look = |(shares, (nodes, (speeds, before))): Looking<'_>| {
            for (((share, node), speed), before) in
                shares.iter_mut().zip(nodes).zip(speeds).zip(before)
            {
                *share = along_and_square(node, speed, before);
            }
        };
        let all = (&nodes[..], (&speeds[..], &before[..]));
        threads.each((&mut shares[..], all), PART, look);
        sums.clear();
        sums.resize(*groups, Vec2::ZERO);
        nodes.iter().zip(&*shares).for_each(|(node, share)| sums[node.group as usize] += *share);
        kept.clear();
        kept.extend(sums.iter().map(|&Vec2 { x: along, y: square }| {
            if square > 0.0 { (-along / square).clamp(0.0, 1.0) } else { 1.0 }
        }));
        type Part<'a> = (&'a mut [Twist], (&'a [Node], &'a [Twist]));
        let keep = |(speeds, (nodes, before)): Part<'_>| {
            for ((speed, node), before) in speeds.iter_mut().zip(nodes).zip(before) {
                let part = kept[node.group as usize];
                speed.linear = before.linear + part * (speed.linear - before.linear);
                speed.angular = before.angular + part * (speed.angular - before.angular);
            }
        };
        threads.each((&mut speeds[..], (&nodes[..], &before[..])), PART, keep);
    }

    /// Lets nodes resist turning as much as they must for `loads`: of each node that something pulls on, how strongly
    /// that turns it back in a sub-step once it has turned, kg·m²: `h²·f·r` for a force `f` along the lever arm `r`.
    ///
    /// Forces of joints keep their direction for a sub-step, so that this spring, the geometric stiffness of Tournier
    /// et al., “Stable Constrained Dynamics”, 2015, sect. 4, acts one sub-step late. That explodes where the load is
    /// more than four times the moment of inertia: a light link quivers under a heavy load, and more pull than there
    /// should be is passed on to its neighbours. What is beyond [`RESOLVED`] is added to the moment of inertia, as an
    /// implicit integration would have it (Andrews, Teichmann and Kry, “Geometric Stiffness for Real-time
    /// Constrained Multibody Dynamics”, 2017). A spin that lasts is not braked by it.
    pub(crate) fn bear(&mut self, loads: impl Iterator<Item = (u32, f32)>, threads: &Threads) {
        let mut loads = loads.peekable();
        let was_loaded = std::mem::replace(&mut self.is_loaded, loads.peek().is_some());
        if !self.is_loaded && !was_loaded {
            return;
        }
        self.loads.clear();
        self.loads.resize(self.nodes.len(), 0.0);
        loads.for_each(|(node, load)| self.loads[node as usize] += load);
        let Self { nodes, loads, speeds, travels, .. } = self;
        type Part<'a> = ((&'a [Node], &'a [f32]), (&'a mut [Twist], &'a mut [Twist]));
        let bear = |((nodes, loads), (speeds, travels)): Part<'_>| {
            let motions = speeds.iter_mut().zip(travels);
            for ((node, &load), (speed, travel)) in nodes.iter().zip(loads).zip(motions) {
                let times = (load * node.inv_inertia / RESOLVED).max(1.0);
                speed.inv_inertia = node.inv_inertia / times;
                travel.inv_inertia = speed.inv_inertia;
            }
        };
        let all = ((&nodes[..], &loads[..]), (&mut speeds[..], &mut travels[..]));
        threads.each(all, PART, bear);
    }

    /// The number of groups of bodies that joints connect.
    pub(crate) fn groups(&self) -> usize {
        self.groups
    }

    /// The group of a body.
    pub(crate) fn group_of(&self, body: u32) -> usize {
        self[self.first[body as usize]].group as usize
    }

    /// The part that was kept of the change of a node.
    pub(crate) fn kept(&self, node: u32) -> f32 {
        self.kept[self[node].group as usize]
    }

    /// Moves by the velocities. The pose follows in [`Nodes::scatter`], when corrections are done.
    pub(crate) fn displace(&mut self, h: f32, threads: &Threads) {
        let displace = |(speeds, travels): (&mut [Twist], &mut [Twist])| {
            travels.iter_mut().zip(speeds).for_each(|(travel, speed)| travel.go(h, speed));
        };
        threads.each(self.set_off(h), PART, displace);
    }

    /// Changes the velocity of all that can be pushed by so much, and moves all by theirs for `h` seconds.
    pub(crate) fn accelerate_and_displace(&mut self, change: Vec2, h: f32, threads: &Threads) {
        type Part<'a> = (&'a [Node], (&'a mut [Twist], &'a mut [Twist]));
        let go = |(nodes, (speeds, travels)): Part<'_>| {
            for ((node, speed), travel) in nodes.iter().zip(speeds).zip(travels) {
                if node.inv_mass > 0.0 {
                    speed.linear += change;
                }
                travel.go(h, speed);
            }
        };
        self.under_way += h;
        let (nodes, speeds, travels) = self.all_mut();
        threads.each((nodes, (speeds, travels)), PART, go);
    }

    /// Begins to move for `h` seconds: the velocities, and how far each node will have moved, for whoever says that.
    pub(crate) fn set_off(&mut self, h: f32) -> (&mut [Twist], &mut [Twist]) {
        self.under_way += h;
        (&mut self.speeds, &mut self.travels)
    }

    /// All nodes, their velocities, and how far each has moved.
    pub(crate) fn all_mut(&mut self) -> (&[Node], &mut [Twist], &mut [Twist]) {
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
    fn limit_turns(&mut self, threads: &Threads) -> f32 {
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

    /// Moves poses. The points of all that may move are then to be written.
    fn follow_travels(&mut self, threads: &Threads) {
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

    /// Writes poses and velocities back to the points of all bodies.
    pub(crate) fn write_all(&mut self, model: &Model, state: &mut State, threads: &Threads) {
        self.write_those(model, state, threads, |_, _| true);
    }

    /// The same of those of which `are` says so; it is told the number of each, and whether it is tied.
    fn write_those(
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

    /// How a body is turned by now: its node, or, where it has several, the pose that fits their points best, which are
    /// at these positions.
    #[inline]
    pub(crate) fn rot(&self, model: &Model, positions: &[Vec2], body: u32) -> Rot {
        let of_points = || model.pose(&model.bodies[body as usize], positions).rot;
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

impl Node {
    /// Moves and turns by `travel`, at the end of which it turns at the speed `spin`.
    #[inline]
    fn follow(&mut self, travel: &Twist, spin: f32) {
        let (from, by) = (self.center, travel.linear + self.low);
        self.center = from + by;
        self.low = by - (self.center - from);
        let lasts = spin * self.steady_spin >= 0.0;
        let grown = self.steady_spin.abs() + STEADIES * spin.abs();
        self.steady_spin = if lasts { spin.clamp(-grown, grown) } else { 0.0 };
        self.rot = self.turned_by(travel);
    }

    /// How it is turned after `travel`.
    #[inline]
    fn turned_by(&self, travel: &Twist) -> Rot {
        match travel.angular {
            0.0 => self.rot,
            by => self.rot.advanced(by, 1.0),
        }
    }
}

/// How much of the motion of a node a change since `before` is along, by the kinetic energy of both, and how large it is, J.
fn along_and_square(node: &Node, speed: &Twist, before: &Twist) -> Vec2 {
    let mut both = Vec2::ZERO;
    if node.inv_mass > 0.0 {
        let change = speed.linear - before.linear;
        both += Vec2::new(before.linear.dot(change), change.length_squared()) / node.inv_mass;
    }
    if speed.inv_inertia > 0.0 {
        let change = speed.angular - before.angular;
        both += Vec2::new(before.angular * change, change * change) / speed.inv_inertia;
    }
    both
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
        reach,
        ..Node::default()
    }
}
