//! The rigid bodies that joints take hold of, each as one: where it is, and how far it has come as a whole.
//!
//! Edges and contacts displace the points of a rigid body one by one. A joint moves the body: were that
//! done point by point, each of its rows would sum up and displace all of them. So the displacements `δ` of
//! the points are summed up once a round, in a mean displacement and a turn about the centre,
//!
//! ```text
//! D = Σ m·δ / M        θ = Σ m·(r × δ) / Σ m·r²
//! ```
//!
//! rows act on these two, and afterwards the points take what has been added: `δ += ΔD + Δθ·r⊥`. An
//! impulse finds the masses `M` and `Σ m·r²` there, as it would point by point.

use crate::math::{Vec2, cross, cross_sv, off_tangent_by_sine};
use crate::solver::common::is_free_rigid;
use crate::solver::direct::{Inertia, Term};
use crate::solver::nodes::{Twist, lasting};
use crate::solver::verlet::Moves;
use crate::solver::verlet::blocks::Blocks;
use crate::threads::{Divide, Owner, Owners, Stretches, Threads};
use crate::world::{Joint, Model, Pose};

/// The work on so few of them is not worth sharing out.
const PART: usize = 128;

/// Where a body that no joint takes hold of as a whole has its place in the list.
const NONE: u32 = u32::MAX;

/// Rigid bodies that joints take hold of. As nodes of rows and equations they are numbered after all points.
#[derive(Clone, Debug, Default)]
pub(super) struct Frames {
    list: Vec<Frame>,
    /// The place of each body in the list.
    places: Vec<u32>,
    /// How far each body has moved as a whole, with the inverse of `Σ m·r²` of its points as they are now; the ground
    /// comes last. Empty if the list is.
    moved: Vec<Twist>,
    points: u32,
}

#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The first of its points, and the first of those that follow.
    points: [u32; 2],
    body: u32,
    pose: Pose,
    /// The sine of what it turns by in a sub-step, as far as that lasts, and by what part of their lever arms places leave
    /// their tangents then.
    turn: f32,
    leaves: f32,
    /// What an impulse on the whole body finds at rest, 1/kg and 1/(kg·m²).
    inertia: Inertia,
    /// How far it had moved when that was summed up.
    before: Shift,
}

/// A displacement of a body as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Shift {
    linear: Vec2,
    angular: f32,
}

/// Frames as owners of their points.
struct Framed<'a>(&'a mut [Frame]);

impl Divide for Framed<'_> {
    fn size(&self) -> usize {
        self.0.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (a, b) = self.0.split_at_mut(at);
        (Self(a), Self(b))
    }
}

impl Owners for Framed<'_> {
    fn first(&self) -> usize {
        self.0[0].points[0] as usize
    }
}

/// Frames as owners of what each body has of its own.
impl Owner for Frame {
    fn first(&self) -> usize {
        self.body as usize
    }
}

impl Frames {
    /// Finds the bodies.
    pub(super) fn find(&mut self, model: &Model) {
        self.list.clear();
        self.places.clear();
        self.places.resize(model.bodies.len(), NONE);
        self.moved.clear();
        self.points = model.mass.len() as u32;
        // In the order of bodies, so that threads can share them out with what bodies have.
        let mut bodies: Vec<u32> = model.joints.iter().flat_map(Joint::bodies).collect();
        bodies.sort_unstable();
        for index in bodies {
            let body = &model.bodies[index as usize];
            if self.places[index as usize] != NONE || !is_free_rigid(model, body) {
                continue;
            }
            self.places[index as usize] = self.list.len() as u32;
            let inv_inertia = if body.inertia > 0.0 { 1.0 / body.inertia } else { 0.0 };
            self.list.push(Frame {
                points: [body.points.start, body.points.end],
                body: index,
                pose: Pose::default(),
                turn: 0.0,
                leaves: 0.0,
                inertia: Inertia { inv_mass: 1.0 / body.mass, inv_inertia },
                before: Shift::default(),
            });
        }
        if !self.list.is_empty() {
            self.moved.resize(model.bodies.len() + 1, Twist::default());
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Takes them as they are at these positions, with the centres that `blocks` has of them there.
    pub(super) fn place(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        blocks: &Blocks,
        h: f32,
        threads: &Threads,
    ) {
        self.each_with_moved(threads, |frame, moved| {
            let center = blocks.center(frame.body);
            let rot = model.turn_of(frame.range(), center, positions);
            frame.pose = Pose { center, rot };
            frame.turn = lasting(frame.turn, h * blocks.twist(frame.body).angular);
            frame.leaves = off_tangent_by_sine(frame.turn);
            let spread =
                |i: usize| model.mass[i] * (positions[i] - frame.pose.center).length_squared();
            let inertia: f32 = frame.range().map(spread).sum();
            moved.inv_inertia = if inertia > 1e-12 { 1.0 / inertia } else { 0.0 };
        });
    }

    /// Does something with each and how far it has moved; threads share them out.
    fn each_with_moved(&mut self, threads: &Threads, work: impl Fn(&mut Frame, &mut Twist) + Sync) {
        let all = Stretches::new(&mut self.list[..], &mut self.moved);
        threads.each(all, PART, |part: Stretches<'_, &mut [Frame], Twist>| {
            let Stretches { owners, values, first } = part;
            owners.iter_mut().for_each(|frame| {
                let moved = &mut values[frame.body as usize - first];
                work(frame, moved);
            });
        });
    }

    /// How far bodies have moved as wholes, by their numbers; the ground is the last.
    pub(super) fn moved_all(&mut self) -> &mut [Twist] {
        &mut self.moved
    }

    /// The node of a body, if joints take hold of it as a whole.
    #[inline]
    pub(super) fn node_of(&self, body: u32) -> Option<u32> {
        let place = *self.places.get(body as usize)?;
        (place != NONE).then(|| self.points + place)
    }

    /// Where a body was when it was last taken, if joints take hold of it as a whole.
    #[inline]
    pub(super) fn pose_of(&self, body: u32) -> Option<&Pose> {
        self.frame_of(body).map(|frame| &frame.pose)
    }

    /// By what part of their lever arms its places leave their tangents in the sub-step, as far as its turning lasts.
    #[inline]
    pub(super) fn leaves_by(&self, body: u32) -> f32 {
        self.frame_of(body).map_or(0.0, |frame| frame.leaves)
    }

    #[inline]
    fn frame_of(&self, body: u32) -> Option<&Frame> {
        self.list.get(*self.places.get(body as usize)? as usize)
    }

    /// The body that a node is.
    #[inline]
    pub(super) fn body_of(&self, node: u32) -> Option<u32> {
        self.frame(node).map(|frame| frame.body)
    }

    #[inline]
    fn frame(&self, node: u32) -> Option<&Frame> {
        self.list.get(node.checked_sub(self.points)? as usize)
    }

    /// What an impulse finds at a node: a point, or a body at rest.
    #[inline]
    pub(super) fn inertia(&self, model: &Model, node: u32) -> Inertia {
        match self.frame(node) {
            None => Inertia { inv_mass: model.inv_mass[node as usize], inv_inertia: 0.0 },
            Some(frame) => frame.inertia,
        }
    }

    /// How fast a node moves along a term.
    pub(super) fn speed(
        &self,
        model: &Model,
        velocity: &[Vec2],
        positions: &[Vec2],
        term: Term,
    ) -> f32 {
        match self.frame(term.node) {
            None => term.linear.dot(velocity[term.node as usize]),
            Some(frame) => {
                let spread = self.moved[frame.body as usize].inv_inertia;
                let shift = frame.sum(model, velocity, positions, spread);
                term.linear.dot(shift.linear) + term.angular * shift.angular
            }
        }
    }

    /// What an impulse along two terms of one node has in common, 1/kg, with its points as they are now.
    #[inline]
    pub(super) fn mobility(&self, model: &Model, [a, b]: [&Term; 2]) -> f32 {
        let (inv_mass, inv_spread) = match self.frame(a.node) {
            None => (model.inv_mass[a.node as usize], 0.0),
            Some(frame) => (frame.inertia.inv_mass, self.moved[frame.body as usize].inv_inertia),
        };
        inv_mass * a.linear.dot(b.linear) + inv_spread * a.angular * b.angular
    }

    /// How far a node has moved along a term in this sub-step.
    #[inline]
    pub(super) fn moved(&self, moves: &Moves, term: Term) -> f32 {
        match self.frame(term.node) {
            None => term.linear.dot(moves.delta[term.node as usize]),
            Some(frame) => {
                let moved = &self.moved[frame.body as usize];
                term.linear.dot(moved.linear) + term.angular * moved.angular
            }
        }
    }

    /// Displaces a node by an impulse along a term.
    #[inline]
    pub(super) fn push(&mut self, model: &Model, delta: &mut [Vec2], term: Term, by: f32) {
        match term.node.checked_sub(self.points) {
            None => {
                let i = term.node as usize;
                delta[i] += model.inv_mass[i] * by * term.linear;
            }
            Some(place) => {
                let Frame { inertia, body, .. } = &self.list[place as usize];
                let moved = &mut self.moved[*body as usize];
                moved.linear += inertia.inv_mass * by * term.linear;
                moved.angular += moved.inv_inertia * by * term.angular;
            }
        }
    }

    /// Displaces a node, a body as a whole.
    pub(super) fn shift(&mut self, delta: &mut [Vec2], node: u32, linear: Vec2, angular: f32) {
        match node.checked_sub(self.points) {
            None => delta[node as usize] += linear,
            Some(place) => {
                let moved = &mut self.moved[self.list[place as usize].body as usize];
                moved.linear += linear;
                moved.angular += angular;
            }
        }
    }

    /// Sums up what the points of all bodies have moved.
    pub(super) fn gather(&mut self, model: &Model, moves: &Moves, threads: &Threads) {
        self.each_with_moved(threads, |frame, moved| frame.gather(model, moves, moved));
    }

    /// Begins as if nothing had moved.
    pub(super) fn clear(&mut self) {
        for frame in &mut self.list {
            frame.before = Shift::default();
            frame.before.put(&mut self.moved[frame.body as usize]);
        }
    }

    /// Gives the points what has been added since.
    pub(super) fn scatter(&mut self, start: &[Vec2], delta: &mut [Vec2], threads: &Threads) {
        let Self { list, moved, .. } = self;
        let all = Stretches::new(Framed(list), delta);
        threads.each(all, PART, |part: Stretches<'_, Framed<'_>, Vec2>| {
            let Stretches { owners: Framed(list), values, first } = part;
            list.iter_mut().for_each(|frame| frame.scatter(start, (values, first), moved));
        });
    }
}

impl Frame {
    fn range(&self) -> std::ops::Range<usize> {
        self.points[0] as usize..self.points[1] as usize
    }

    /// The shift of the whole that something of each point amounts to; `inv_spread` is the inverse of `Σ m·r²`.
    fn sum(&self, model: &Model, of: &[Vec2], positions: &[Vec2], inv_spread: f32) -> Shift {
        let mut sum = Shift::default();
        for i in self.range() {
            let (m, r) = (model.mass[i], positions[i] - self.pose.center);
            sum.linear += m * of[i];
            sum.angular += m * cross(r, of[i]);
        }
        Shift { linear: self.inertia.inv_mass * sum.linear, angular: inv_spread * sum.angular }
    }

    fn gather(&mut self, model: &Model, moves: &Moves, moved: &mut Twist) {
        self.before = self.sum(model, &moves.delta, &moves.start, moved.inv_inertia);
        self.before.put(moved);
    }

    /// `delta` begins with that of the point `base`.
    fn scatter(&mut self, start: &[Vec2], (delta, base): (&mut [Vec2], usize), moved: &[Twist]) {
        let now = Shift::of(&moved[self.body as usize]);
        let by = Shift {
            linear: now.linear - self.before.linear,
            angular: now.angular - self.before.angular,
        };
        if by == Shift::default() {
            return;
        }
        for i in self.range() {
            delta[i - base] += by.linear + cross_sv(by.angular, start[i] - self.pose.center);
        }
        self.before = now;
    }
}

impl Shift {
    fn of(&Twist { linear, angular, .. }: &Twist) -> Self {
        Self { linear, angular }
    }

    fn put(self, moved: &mut Twist) {
        (moved.linear, moved.angular) = (self.linear, self.angular);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, JointDef, Scene, Shape};
    use crate::world::{Anchor, World};
    use approx::assert_relative_eq;

    /// A box on a pin whose points have moved anyhow.
    fn box_on_a_pin() -> (World, Frames, Moves) {
        let solid =
            BodyDef::new("box", Shape::Box { size: Vec2::new(2.0, 1.0) }, Vec2::new(3.0, 1.0));
        let pin = JointDef::pin("pin", "box", None, Vec2::new(3.5, 1.0));
        let scene = Scene { bodies: vec![solid], joints: vec![pin], ..Scene::default() };
        let world = World::build(&scene).unwrap();
        let mut frames = Frames::default();
        frames.find(&world.model);
        let (mut blocks, threads) = <(Blocks, Threads)>::default();
        blocks.attach(&world.model);
        blocks.gather(&world.model, &world.state, &threads);
        frames.place(&world.model, &world.state.position, &blocks, 0.0, &threads);
        let start = world.state.position.clone();
        let delta = (0..start.len()).map(|i| 0.01 * Vec2::from_angle(2.0 * i as f32)).collect();
        (world, frames, Moves { start, delta })
    }

    #[test]
    fn a_push_on_the_whole_is_what_pushes_on_all_its_points_amount_to() {
        let (world, mut frames, mut moves) = box_on_a_pin();
        let (model, node) = (&world.model, frames.node_of(0).unwrap());
        let term = Term { node, linear: Vec2::new(0.6, -0.8), angular: 0.3 };
        frames.gather(model, &moves, &Threads::default());
        // The same term, point by point.
        let anywhere = Anchor::at_point(0);
        let slopes = model.angle_gradient(0, &anywhere, &moves.start);
        let slopes = slopes.map(|(i, slope)| {
            (i, model.mass[i] / model.bodies[0].mass * term.linear + term.angular * slope)
        });
        let slopes: Vec<(usize, Vec2)> = slopes.collect();
        let moved: f32 = slopes.iter().map(|&(i, slope)| slope.dot(moves.delta[i])).sum();
        assert_relative_eq!(frames.moved(&moves, term), moved, epsilon = 1e-6);
        let weigh = |&(i, slope): &(usize, Vec2)| model.inv_mass[i] * slope.length_squared();
        let mobility: f32 = slopes.iter().map(weigh).sum();
        assert_relative_eq!(frames.mobility(model, [&term; 2]), mobility, max_relative = 1e-5);
        let mut expected = moves.delta.clone();
        for &(i, slope) in &slopes {
            expected[i] += model.inv_mass[i] * 5.0 * slope;
        }
        frames.push(model, &mut moves.delta, term, 5.0);
        frames.scatter(&moves.start, &mut moves.delta, &Threads::default());
        for (delta, expected) in moves.delta.iter().zip(&expected) {
            assert!(delta.distance(*expected) < 1e-6, "{delta} {expected}");
        }
        // Nothing is given twice.
        frames.scatter(&moves.start, &mut moves.delta, &Threads::default());
        assert!(moves.delta[0].distance(expected[0]) < 1e-6);
    }
}
