//! Joints, bends and areas (`conditions/soft_bodies.rs`): scalar conditions on points. Pins between rigid bodies are in
//! `hinges.rs`.
//!
//! A condition `C` and its derivative `g_i` by each point are taken at the start of the sub-step, as
//! edges take their directions, so that angular momentum is kept. With displacements `δ_i` since
//! then, `C` is now `C + Σ g_i·δ_i`, and a displacement impulse `λ` that moves each point by
//! `w_i·λ·g_i` changes it by `λ·Σ w_i·|g_i|²`. What `λ` is, the rule says: as much as brings `C` to 0;
//! the same, but never pulling; a spring of stiffness `k` and damping `d`,
//!
//! ```text
//! Δλ = −(C + α̃·λ + γ·Σ g_i·δ_i) / ((1 + γ)·w + α̃)      α̃ = 1/(k·h²),  γ = d/(k·h)
//! ```
//!
//! (XPBD, eqs. 18 and 26); or a motor. An anchor moves with its points by their weights, the angle of
//! a body with each of its points by `m·r⊥/I`.

mod soft_bodies;

use std::ops::Range;

use crate::math::{Mapped, Vec2, cross};
use crate::solver::Reaction;
use crate::solver::common::{self, solve_pair};
use crate::solver::condition::{Condition, Conditions, Rule, pulls_at};
use crate::solver::direct::Term;
use crate::solver::verlet::Moves;
use crate::solver::verlet::frames::Frames;
use crate::solver::verlet::guards::Guards;
use crate::solver::verlet::start::{KEPT, Start};
use crate::threads::Threads;
use crate::world::{Anchor, Joint, JointEnd, Model, State};

/// The [`reach`] of an anchor that is within its frame, but for rounding.
const WITHIN: f32 = 1.01;

/// All conditions of a world in a sub-step.
#[derive(Clone, Debug, Default)]
pub(super) struct PointConditions {
    rows: Vec<Row>,
    /// What rows take hold of, one after the other.
    terms: Vec<Term>,
    /// How the rows of joints, which come first, act on their joint's second end.
    forces: Vec<Force>,
    /// What the rows of joints were given in the position stage, kg·m, and what they start with in the sub-step
    /// that follows (`start.rs`).
    given: Vec<f32>,
    kept: Vec<f32>,
    /// The bends and areas that are not solved side by side (`alike/`).
    bends: Vec<u32>,
    areas: Vec<u32>,
    /// Of those, the ones that are mostly idle, and the guards that are at work in this sub-step, in ascending order.
    guards: Guards,
    low: Vec<u32>,
    /// Where the rows of those that are at work begin, which come last.
    first_guard: usize,
    /// The guards that pushed in the position stage, in that order.
    pushing: Vec<u32>,
    /// For each bend and each area that is a spring in turn, whose rows come first after those of joints, the group of its
    /// body (`start.rs`) if that is left to rounds (`lax.rs`), and what its row was given in the sub-step before, kg·m.
    soft_groups: Vec<Option<u32>>,
    soft_kept: Vec<f32>,
    /// What tells them from each other: the first three of their points, and how many an area has.
    soft_names: Vec<[u32; 4]>,
    /// What each joint was given in this step, N·s and N·m·s.
    sums: Vec<Reaction>,
}

/// How a row acts on the second end of its joint: the force and the torque of a unit impulse.
#[derive(Clone, Copy, Debug)]
struct Force {
    joint: u32,
    linear: Vec2,
    angular: f32,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Row {
    /// Where its terms are.
    span: [u32; 2],
    /// `Σ w_i·|g_i|²`.
    mobility: f32,
    /// `Σ w_i·g_i·g'_i` with the row before, for the second of a pair.
    coupling: f32,
    /// `C` at the start of the sub-step.
    error: f32,
    pub(super) rule: Rule,
    /// Inverse stiffness and damping of a spring.
    soft: (f32, f32),
    /// Displacement impulse so far.
    lambda: f32,
    /// Impulse of the velocity stage so far, N·s (`rests.rs`).
    pub(super) eased: f32,
    /// Whether it is solved together with others (`together.rs`).
    together: bool,
}

/// What the rows being made are made in.
struct Setting<'a> {
    model: &'a Model,
    positions: &'a [Vec2],
    frames: &'a Frames,
}

impl PointConditions {
    /// Forgets what joints were given in the step before. In this one bodies may collide, or not.
    pub(super) fn begin_step(&mut self, model: &Model, positions: &[Vec2], may_collide: bool) {
        self.guards.foresee(positions, may_collide);
        self.sums.clear();
        self.sums.resize(model.joints.len(), Reaction::default());
    }

    /// Takes the conditions of joints and their derivatives at the present positions. Of the error that joints
    /// have now at most `most` is to be undone in a sub-step. Those that are `elsewhere` are left out.
    pub(super) fn take_joints(
        &mut self,
        model: &Model,
        state: &State,
        frames: &Frames,
        most: f32,
        elsewhere: impl Fn(usize) -> bool,
    ) {
        self.rows.clear();
        self.terms.clear();
        self.forces.clear();
        let setting = Setting { model, positions: &state.position, frames };
        let mut conditions = Conditions::default();
        for (index, joint) in model.joints.iter().enumerate() {
            if elsewhere(index) {
                continue;
            }
            let at = joint_conditions(model, state, frames, index, &mut conditions);
            for condition in conditions.iter() {
                self.add_joint_row(&setting, joint, at, condition, stays(condition, most));
                let (linear, angular) = (condition.linear[1], condition.angular[1]);
                self.forces.push(Force { joint: index as u32, linear, angular });
            }
        }
        self.keep_joints_only();
    }

    /// Removes all but those of joints.
    fn keep_joints_only(&mut self) {
        self.rows.truncate(self.forces.len());
        self.terms.truncate(self.rows.last().map_or(0, |row| row.span().end));
        self.first_guard = self.rows.len();
    }

    fn add_joint_row(
        &mut self,
        setting: &Setting<'_>,
        joint: &Joint,
        at: [Vec2; 2],
        condition: &Condition,
        stays: f32,
    ) {
        let Condition { linear, angular, error, rule } = *condition;
        let mut error = error - stays;
        let first = self.terms.len();
        let soft = match rule {
            Rule::Spring { spring, .. } => (1.0 / spring.stiffness, spring.damping),
            _ => (0.0, 0.0),
        };
        let second = match &joint.b {
            JointEnd::Body { body, anchor } => Some((*body, anchor)),
            JointEnd::World(_) => None,
        };
        let ends = [Some((joint.body_a, &joint.a)), second];
        let is_pin = matches!(rule, Rule::Both | Rule::Second);
        let is_block = |end: Option<(u32, &Anchor)>| {
            end.is_some_and(|(body, _)| setting.frames.node_of(body).is_some())
        };
        let at = if is_pin { [pulls_at(at, ends.mapped(is_block)); 2] } else { at };
        if rule != Rule::Off {
            for (k, (body, anchor)) in ends.into_iter().flatten().enumerate() {
                let departs = self.add_end(setting, (body, anchor, at[k]), linear[k], angular[k]);
                if is_pin {
                    error += departs;
                }
            }
        }
        self.end(setting, first, error, rule, soft);
    }

    /// The terms of one end of a joint. A rigid body is taken hold of as a whole: its anchor moves as its pose
    /// does, so that a pull on it does not first bend the frame and leave it to the edges to carry the other
    /// points along. Returns by how much more the condition will change, as the body turns, than along those terms.
    fn add_end(
        &mut self,
        Setting { model, positions, frames }: &Setting<'_>,
        (body, anchor, at): (u32, &Anchor, Vec2),
        linear: Vec2,
        angular: f32,
    ) -> f32 {
        if let Some((node, pose)) = frames.node_of(body).zip(frames.pose_of(body)) {
            let arm = at - pose.center;
            let angular = angular + cross(arm, linear);
            self.terms.push(Term { node, linear, angular });
            return frames.leaves_by(body) * linear.dot(arm);
        }
        let start = self.terms.len();
        if angular != 0.0 {
            let slopes = model.angle_gradient(body, anchor, positions);
            self.terms.extend(slopes.map(|(i, slope)| of_point((i as u32, angular * slope))));
        }
        for (i, weight) in anchor.terms() {
            match self.terms[start..].iter_mut().find(|term| term.node as usize == i) {
                Some(term) => term.linear += weight * linear,
                None => self.terms.push(of_point((i as u32, weight * linear))),
            }
        }
        0.0
    }

    /// Makes a row of the terms from `first`.
    fn end(
        &mut self,
        setting: &Setting<'_>,
        first: usize,
        error: f32,
        rule: Rule,
        soft: (f32, f32),
    ) {
        let terms = &self.terms[first..];
        let shared = |[a, b]: [&Term; 2]| setting.frames.mobility(setting.model, [a, b]);
        let before = self.rows.last().filter(|_| rule == Rule::Second);
        // The two rows of a pair have the same nodes in the same order.
        let others = before.map_or(&[][..], |before| &self.terms[before.span()]);
        let mobility = terms.iter().map(|term| shared([term; 2])).sum();
        let coupling = terms.iter().zip(others).map(|(a, b)| shared([a, b])).sum();
        let span = [first as u32, self.terms.len() as u32];
        self.rows.push(Row {
            span,
            mobility,
            coupling,
            error,
            rule,
            soft,
            lambda: 0.0,
            eased: 0.0,
            together: false,
        });
    }

    /// Starts from what joints gave to hold in the sub-step before, and says what it asks for.
    pub(super) fn ask(&mut self, frames: &Frames, moves: &Moves, start: &mut Start) {
        for (index, (row, force)) in self.rows.iter_mut().zip(&self.forces).enumerate() {
            let holds = matches!(row.rule, Rule::Hold | Rule::Both | Rule::Second);
            if holds && !row.together {
                row.lambda = self.kept.get(index).copied().unwrap_or_default();
                let terms = &self.terms[row.span()];
                let moved: f32 = terms.iter().map(|&term| frames.moved(moves, term)).sum();
                let group = start.group_of_joint(force.joint);
                let (_, mut asked) = start.spread_and_asked();
                asked.add(group, row.lambda * (row.error + moved));
                asked.finish();
            }
        }
    }

    /// Displaces points and bodies by that.
    pub(super) fn spread(&self, model: &Model, frames: &mut Frames, start: &mut Start) {
        let (spread, _) = start.spread_and_asked();
        let lax = self.rows[self.forces.len()..].iter().zip(&self.soft_groups);
        let lax = lax.filter(|(_, group)| group.is_some()).map(|(row, _)| row);
        for row in self.rows[..self.forces.len()].iter().chain(lax) {
            for &term in &self.terms[row.span()] {
                frames.push(model, spread, term, row.lambda);
            }
        }
    }

    /// Keeps only the part of it that each group is given.
    pub(super) fn keep_part(&mut self, start: &Start) {
        for (row, force) in self.rows.iter_mut().zip(&self.forces) {
            row.lambda *= start.part(start.group_of_joint(force.joint));
        }
        let lax = self.rows[self.forces.len()..].iter_mut().zip(&self.soft_groups);
        for (row, group) in lax {
            row.lambda *= group.map_or(1.0, |group| start.part(group));
        }
    }

    /// One round over all conditions but guards in a sub-step of `h` seconds.
    pub(super) fn satisfy(
        &mut self,
        model: &Model,
        frames: &mut Frames,
        moves: &mut Moves,
        h: f32,
    ) {
        self.satisfy_some(0..self.first_guard, model, (frames, moves), h);
    }

    /// One round over guards.
    pub(super) fn satisfy_guards(
        &mut self,
        model: &Model,
        frames: &mut Frames,
        moves: &mut Moves,
        h: f32,
    ) {
        self.satisfy_some(self.first_guard..self.rows.len(), model, (frames, moves), h);
    }

    fn satisfy_some(
        &mut self,
        range: Range<usize>,
        model: &Model,
        (frames, moves): (&mut Frames, &mut Moves),
        h: f32,
    ) {
        let terms = &self.terms;
        let terms = |row: &Row| &terms[row.span()];
        let mut rest = &mut self.rows[range];
        while let Some((row, after)) = rest.split_first_mut() {
            rest = after;
            if row.mobility == 0.0 || row.rule == Rule::Second || row.together {
                continue;
            }
            let moved = |row: &Row, frames: &Frames| -> f32 {
                terms(row).iter().map(|&term| frames.moved(moves, term)).sum()
            };
            if let (Rule::Both, Some(second)) = (row.rule, rest.first_mut()) {
                let errors = [row.error + moved(row, frames), second.error + moved(second, frames)];
                let by = solve_pair([row.mobility, second.mobility], second.coupling, errors);
                for (row, by) in [(&mut *row, by[0]), (second, by[1])] {
                    row.lambda -= by;
                    for &term in terms(row) {
                        frames.push(model, &mut moves.delta, term, -by);
                    }
                }
            } else {
                let before = row.lambda;
                row.lambda = row.wanted(moved(row, frames), h);
                for &term in terms(row) {
                    frames.push(model, &mut moves.delta, term, row.lambda - before);
                }
            }
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A row as an equation: what it takes hold of, and its compliance in a sub-step of `h` seconds.
    /// Nothing for one that has bounds.
    pub(super) fn equation(&self, index: usize, h: f32) -> (&[Term], Option<f32>) {
        let row = &self.rows[index];
        let compliance = match row.rule {
            Rule::Both | Rule::Second => 0.0,
            Rule::Hold | Rule::Spring { most: f32::MAX, .. } => row.compliance(h),
            Rule::Off | Rule::Floor | Rule::Spring { .. } | Rule::Drive { .. } => {
                return (&[], None);
            }
        };
        (&self.terms[row.span()], Some(compliance))
    }

    /// The bounds of what a row of a joint gives in a sub-step of `h` seconds, kg·m, and its compliance between them.
    /// Nothing for one without bounds.
    pub(super) fn bounds(&self, index: usize, h: f32) -> Option<([f32; 2], f32)> {
        let row = &self.rows[index];
        let is_bounded = matches!(row.rule, Rule::Floor | Rule::Spring { .. } | Rule::Drive { .. });
        let takes_part = is_bounded && !row.together;
        takes_part.then(|| (row.bounds(h), row.compliance(h)))
    }

    /// What a row of a joint gave in the sub-step before, kg·m.
    pub(super) fn gave(&self, index: usize) -> f32 {
        self.given.get(index).copied().unwrap_or_default()
    }

    /// The rows of joints.
    pub(super) fn of_joints(&self) -> Range<usize> {
        0..self.forces.len()
    }

    /// The joint of one of these.
    pub(super) fn joint_of(&self, index: usize) -> usize {
        self.forces[index].joint as usize
    }

    /// The guards that are at work.
    pub(super) fn guards(&self) -> Range<usize> {
        self.first_guard..self.rows.len()
    }

    /// What a row takes hold of.
    pub(super) fn terms_of(&self, index: usize) -> &[Term] {
        &self.terms[self.rows[index].span()]
    }

    /// Whether a guard will push if its points go so far along its terms: they leave it less than it is to keep, as it has
    /// now already, or had when it pushed in the sub-step before.
    pub(super) fn will_push(&self, index: usize, moved: f32) -> bool {
        let error = self.rows[index].error;
        let has_pushed = || self.pushing.binary_search(&self.low[index - self.first_guard]).is_ok();
        error + moved < 0.0 && (error < 0.0 || has_pushed())
    }

    /// Whether a row and the one that follows are a pin.
    pub(super) fn is_pin(&self, index: usize) -> bool {
        self.rows[index].rule == Rule::Both
    }

    /// Leaves a row to be solved together with others, or not.
    pub(super) fn set_together(&mut self, index: usize, together: bool) {
        self.rows[index].together = together;
    }

    /// Forgets what joints were given, as for another model.
    pub(super) fn reset(&mut self) {
        self.kept.clear();
        self.given.clear();
    }

    /// What is left of the law of an equation, over the `1 + γ` by which its change counts.
    pub(super) fn residual(&self, index: usize, frames: &Frames, moves: &Moves, h: f32) -> f32 {
        let row = &self.rows[index];
        let terms = &self.terms[row.span()];
        let moved: f32 = terms.iter().map(|&term| frames.moved(moves, term)).sum();
        row.left(moved, h) / (1.0 + row.soft(h).1)
    }

    /// Counts a displacement impulse that a row was given.
    pub(super) fn count(&mut self, index: usize, by: f32) {
        self.rows[index].lambda += by;
    }

    /// The displacement impulse of a row in this sub-step.
    pub(super) fn lambda(&self, index: usize) -> f32 {
        self.rows[index].lambda
    }

    /// Adds what the position stage of this sub-step of `h` seconds gave to the sums, and notes which guards pushed.
    pub(super) fn sum_up(&mut self, h: f32) {
        self.given.clear();
        for (row, force) in self.rows.iter().zip(&self.forces) {
            self.given.push(row.lambda);
            force.add(row.lambda / h, &mut self.sums);
        }
        self.pushing.clear();
        let guards = self.rows[self.first_guard..].iter().zip(&self.low);
        for (row, area) in guards.filter(|(row, _)| row.lambda > 0.0) {
            self.given.push(row.lambda);
            self.pushing.push(*area);
        }
    }

    /// Adds what the velocity stage of a sub-step of `h` seconds gave, and notes what rows start with in the next.
    pub(super) fn sum_up_eased(&mut self, h: f32) {
        self.kept.clear();
        for ((row, force), given) in self.rows.iter().zip(&self.forces).zip(&self.given) {
            force.add(row.eased, &mut self.sums);
            self.kept.push((1.0 - KEPT) * given + KEPT * h * row.eased);
        }
    }

    /// The rows of the velocity stage, their terms, and what the position stage gave to each, kg·m.
    pub(super) fn of_velocities(&mut self) -> (&mut [Row], &[Term], &[f32]) {
        (&mut self.rows, &self.terms, &self.given)
    }

    /// The joints that are solved together with others.
    pub(super) fn joints_together(&self) -> impl Iterator<Item = u32> {
        let rows = self.rows.iter().zip(&self.forces);
        rows.filter(|(row, _)| row.together).map(|(_, force)| force.joint)
    }

    /// What each joint was given in this step so far.
    pub(super) fn sums(&mut self) -> &mut [Reaction] {
        &mut self.sums
    }

    /// What each joint carried, mean over a step of `seconds`.
    pub(super) fn reactions(&self, seconds: f32, threads: &Threads, reactions: &mut Vec<Reaction>) {
        common::tell_reactions(&self.sums, seconds, threads, reactions);
    }
}

impl Force {
    fn add(&self, impulse: f32, sums: &mut [Reaction]) {
        let sum = &mut sums[self.joint as usize];
        sum.force += impulse * self.linear;
        sum.torque += impulse * self.angular;
    }
}

impl Row {
    /// Where its terms are.
    pub(super) fn span(&self) -> Range<usize> {
        self.span[0] as usize..self.span[1] as usize
    }

    /// `α̃` and `γ`, as above.
    fn soft(&self, h: f32) -> (f32, f32) {
        let (compliance, damping) = self.soft;
        (compliance / (h * h), compliance * damping / h)
    }

    /// Its compliance as an equation whose residual is what is left of its law over `1 + γ`.
    fn compliance(&self, h: f32) -> f32 {
        let (alpha, gamma) = self.soft(h);
        alpha / (1.0 + gamma)
    }

    /// What is left of the law of its rule, when the points have moved `C` by `moved` in this sub-step of `h` seconds.
    fn left(&self, moved: f32, h: f32) -> f32 {
        let (alpha, gamma) = self.soft(h);
        match self.rule {
            Rule::Drive { speed, .. } => moved - speed * h,
            _ => self.error + moved + alpha * self.lambda + gamma * moved,
        }
    }

    /// Between what its displacement impulse may be in a sub-step of `h` seconds.
    fn bounds(&self, h: f32) -> [f32; 2] {
        match self.rule {
            Rule::Floor => [0.0, f32::INFINITY],
            Rule::Spring { most, .. } | Rule::Drive { most, .. } => [-most * h * h, most * h * h],
            _ => [f32::NEG_INFINITY, f32::INFINITY],
        }
    }

    /// The displacement impulse that the rule asks for.
    fn wanted(&self, moved: f32, h: f32) -> f32 {
        if let Rule::Off | Rule::Both | Rule::Second = self.rule {
            return self.lambda;
        }
        let (alpha, gamma) = self.soft(h);
        let [lower, upper] = self.bounds(h);
        let by = self.left(moved, h) / ((1.0 + gamma) * self.mobility + alpha);
        (self.lambda - by).clamp(lower, upper)
    }
}

/// Where the two ends of a joint are, and its conditions there.
fn joint_conditions(
    model: &Model,
    state: &State,
    frames: &Frames,
    index: usize,
    conditions: &mut Conditions,
) -> [Vec2; 2] {
    let joint = &model.joints[index];
    let at = joint.places(|body, anchor| place(model, &state.position, frames, body, anchor));
    let rots = joint.rots(|body, anchor| match frames.pose_of(body) {
        Some(pose) => pose.rot,
        None => model.rot_at(body, anchor, &state.position),
    });
    conditions.take(joint, &state.joints[index], at, rots);
    at
}

/// Where an anchor is: where its points have it, or, outside the frame of a rigid body, where the body's
/// pose has it. Points would throw it about by more than the frame bends.
fn place(model: &Model, positions: &[Vec2], frames: &Frames, body: u32, anchor: &Anchor) -> Vec2 {
    match frames.pose_of(body).filter(|_| reach(anchor) > WITHIN) {
        Some(pose) => pose.apply(anchor.sample(&model.rest)),
        None => anchor.sample(positions),
    }
}

/// How far an anchor is outside the frame of its body, as the sum of the magnitudes of its weights:
/// 1 within.
fn reach(anchor: &Anchor) -> f32 {
    anchor.weights.iter().map(|weight| weight.abs()).sum()
}

/// The part of the error of a condition that stays if at most `most` is undone; springs and drives undo
/// what they do as forces.
fn stays(condition: &Condition, most: f32) -> f32 {
    let error = condition.error;
    match condition.rule {
        Rule::Hold | Rule::Both | Rule::Second => error - error.clamp(-most, most),
        Rule::Floor => (error + most).min(0.0),
        Rule::Off | Rule::Spring { .. } | Rule::Drive { .. } => 0.0,
    }
}

fn of_point((node, linear): (u32, Vec2)) -> Term {
    Term { node, linear, angular: 0.0 }
}
