//! Where a sub-step starts: what edges and joints gave in the one before is likely what they will have to give
//! again.
//!
//! A round carries a correction along a cloth or a net by few links, and a sub-step has few rounds; what starts
//! from nothing in each sub-step sags under its own weight. What it starts with here is a mean of the impulses
//! of the two stages of the sub-step before ([`KEPT`]): each has to bear half of gravity and to turn what swings
//! by half the way, and what the position stage gave to undo an error the velocity stage took away again. So the
//! mean is what bears, without what put right. (The position stage alone would be no good: an error that is left
//! over would add up from sub-step to sub-step, and everything would fly apart.)
//!
//! That may be wrong all the same, where something has hit or torn since. With the impulses `λ` to start with, the
//! displacements `Δ` they make, and the errors `C` of the constraints without them, the part
//!
//! ```text
//! −λ·C / Σ m·Δ²
//! ```
//!
//! of `λ` is the nearest to a solution that there is along `λ` (an exact line search on what Gauss–Seidel makes
//! smaller, `½·λᵀ·G·M⁻¹·Gᵀ·λ + λ·C`). No more than that part is taken, nor more than all, for each group of bodies that
//! joints hold together.
//!
//! Springs of lax bodies (`lax.rs`) begin with all that they gave, as no velocity stage takes any of it away. What they
//! bear by their compliance, `α̃·λ²`, is added below the line.

use std::ops::Range;

use crate::math::Vec2;
use crate::solver::common;
use crate::solver::verlet::moves::{self, Moves};
use crate::world::{Body, Joint, Model};

/// The part of the mean that the velocity stage has. A half would be right if that stage took away all that the
/// position stage undid; in its few rounds it takes away less of what there is more of.
pub(super) const KEPT: f32 = 0.42;

/// What a sub-step starts from.
#[derive(Clone, Debug, Default)]
pub(super) struct Start {
    /// The group of each body: the number of its first.
    group_of: Vec<u32>,
    /// The points of each body.
    points: Vec<Range<usize>>,
    /// The group of the bodies of each joint.
    group_of_joint: Vec<u32>,
    groups: Vec<Group>,
    /// `Δ` of each point, m.
    spread: Vec<Vec2>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Group {
    /// `λ·C`, and `Σ m·Δ²` with what springs bear, kg·m².
    asked: f32,
    weight: f32,
}

/// What the constraints of each group ask for, summed up as long as it is the same group.
pub(super) struct Asked<'a> {
    groups: &'a mut [Group],
    last: u32,
    sum: f32,
    weight: f32,
}

impl Asked<'_> {
    /// Adds what a constraint asks for: its impulse times its error.
    #[inline]
    pub(super) fn add(&mut self, group: u32, by: f32) {
        if group != self.last {
            self.finish();
            self.last = group;
        }
        self.sum += by;
    }

    /// The same of a spring, which bears `yields`, its compliance times the square of its impulse.
    #[inline]
    pub(super) fn add_spring(&mut self, group: u32, by: f32, yields: f32) {
        self.add(group, by);
        self.weight += yields;
    }

    /// Adds the last sum.
    pub(super) fn finish(&mut self) {
        if let Some(group) = self.groups.get_mut(self.last as usize) {
            group.asked += std::mem::take(&mut self.sum);
            group.weight += std::mem::take(&mut self.weight);
        }
    }
}

impl Start {
    /// Finds the groups of bodies.
    pub(super) fn attach(&mut self, model: &Model) {
        let mut sets = common::joined(model);
        self.group_of = (0..model.bodies.len()).map(|body| sets.root(body) as u32).collect();
        self.points = model.bodies.iter().map(Body::point_range).collect();
        let group_of_joint = |joint: &Joint| {
            let moves = |body: &u32| model.bodies[*body as usize].is_dynamic();
            self.group_of[joint.bodies().find(moves).unwrap_or(joint.body_a) as usize]
        };
        self.group_of_joint = model.joints.iter().map(group_of_joint).collect();
        self.groups.resize(model.bodies.len(), Group::default());
    }

    /// The group of a body.
    pub(super) fn group_of(&self, body: u32) -> u32 {
        self.group_of[body as usize]
    }

    /// The group of the bodies of a joint.
    pub(super) fn group_of_joint(&self, joint: u32) -> u32 {
        self.group_of_joint[joint as usize]
    }

    /// Makes ready to spread what constraints were given.
    pub(super) fn begin(&mut self, model: &Model) {
        self.groups.fill(Group::default());
        self.spread.clear();
        self.spread.resize(model.mass.len(), Vec2::ZERO);
    }

    /// The displacements of points that are to start with, and what is asked for.
    pub(super) fn spread_and_asked(&mut self) -> (&mut [Vec2], Asked<'_>) {
        (&mut self.spread, Asked { groups: &mut self.groups, last: 0, sum: 0.0, weight: 0.0 })
    }

    /// Displaces points by as much of what is spread as is asked for. Returns whether any group has less than
    /// all of it.
    pub(super) fn displace(&mut self, model: &Model, moves: &mut Moves) -> bool {
        let mut all = true;
        for (range, &group) in self.points.iter().zip(&self.group_of) {
            let weight = moves::weigh(&model.mass[range.clone()], &self.spread[range.clone()]);
            self.groups[group as usize].weight += weight;
        }
        for (range, &group) in self.points.iter().zip(&self.group_of) {
            if self.groups[group as usize].weight == 0.0 {
                continue;
            }
            let part = self.part(group);
            all &= part == 1.0;
            let spread = &self.spread[range.clone()];
            for (delta, by) in moves.delta[range.clone()].iter_mut().zip(spread) {
                *delta += part * *by;
            }
        }
        !all
    }

    /// The part of what it starts with that a group is given.
    #[inline]
    pub(super) fn part(&self, group: u32) -> f32 {
        let Group { asked, weight } = self.groups[group as usize];
        if weight > 0.0 { (-asked / weight).clamp(0.0, 1.0) } else { 1.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, JointDef, Scene, Shape};
    use crate::world::World;

    /// Three boxes of which the first two are pinned together.
    fn model() -> Model {
        let solid = |k: u32| {
            let at = Vec2::new(1.5 * k as f32, 0.0);
            BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::ONE }, at)
        };
        let pin = JointDef::pin("pin", "b0", Some("b1"), Vec2::new(0.75, 0.0));
        let bodies = (0..3).map(solid).collect();
        let scene = Scene { bodies, joints: vec![pin], ..Scene::default() };
        Model::clone(&World::build(&scene).unwrap().model)
    }

    #[test]
    fn each_group_is_given_the_part_that_it_asks_for() {
        let model = model();
        let mut start = Start::default();
        start.attach(&model);
        assert_eq!([0, 1, 2].map(|body| start.group_of(body)), [0, 0, 2]);
        assert_eq!(start.group_of_joint(0), 0);
        let weight = |body: usize| model.bodies[body].mass;
        // What is asked for, as a part of what is spread, and what that is answered with.
        for (asked, given) in [(0.5, 0.5), (-0.5, 0.0), (2.0, 1.0)] {
            start.begin(&model);
            let (spread, mut asks) = start.spread_and_asked();
            spread.fill(Vec2::X);
            asks.add(0, -asked * (weight(0) + weight(1)));
            asks.add(2, -weight(2));
            asks.finish();
            let nothing = vec![Vec2::ZERO; model.mass.len()];
            let mut moves = Moves { start: nothing.clone(), delta: nothing };
            assert_eq!(start.displace(&model, &mut moves), given < 1.0);
            for (i, delta) in moves.delta.iter().enumerate() {
                let wanted = if model.body_of[i] == 2 { 1.0 } else { given };
                assert!((delta.x - wanted).abs() < 1e-4, "{asked}: {delta} of point {i}");
            }
        }
    }
}
