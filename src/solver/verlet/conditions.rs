//! Joints, bends and areas: scalar conditions on points.
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

use crate::math::{Rot, Vec2, cross};
use crate::solver::Reaction;
use crate::solver::common::{is_free_rigid, solve_pair};
use crate::solver::condition::{Condition, Conditions, Rule, needs_rotation};
use crate::solver::direct::Term;
use crate::solver::soft;
use crate::solver::verlet::Moves;
use crate::world::{Anchor, Area, AreaRule, Joint, JointEnd, Model, State};

/// The [`reach`] of an anchor that is within its frame, but for rounding.
const WITHIN: f32 = 1.01;
/// Beyond this reach an anchor is so far from a small body that it turns it by more, in a sub-step,
/// than a row takes for granted: it is left to rounds.
const FAR: f32 = 4.0;

/// All conditions of a world in a sub-step.
#[derive(Clone, Debug, Default)]
pub(super) struct PointConditions {
    rows: Vec<Row>,
    terms: Vec<(u32, Vec2)>,
    /// The same terms with each rigid body that a row takes hold of as a whole as one node, numbered
    /// after all points.
    grips: Vec<Term>,
    /// Whether the row being made has an anchor far outside a frame.
    far: bool,
    /// Whether each row was solved together with others in the sub-step before.
    together: Vec<bool>,
    /// How the rows of joints, which come first, act on their joint's second end.
    forces: Vec<(u32, Condition)>,
    /// What each joint was given in this step, N·s and N·m·s.
    sums: Vec<Reaction>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    last: u32,
    first_grip: u32,
    last_grip: u32,
    /// `Σ w_i·|g_i|²`.
    mobility: f32,
    /// `Σ w_i·g_i·g'_i` with the row before, for the second of a pair.
    coupling: f32,
    /// `C` at the start of the sub-step.
    error: f32,
    rule: Rule,
    /// Inverse stiffness and damping of a spring.
    soft: (f32, f32),
    /// Displacement impulse so far.
    lambda: f32,
    /// Whether it is solved together with others (`together.rs`).
    together: bool,
}

impl PointConditions {
    /// Forgets what joints were given in the step before.
    pub(super) fn begin_step(&mut self, model: &Model) {
        self.sums.clear();
        self.sums.resize(model.joints.len(), Reaction::default());
    }

    /// Takes all conditions and their derivatives at the present positions. Of the error that joints have
    /// now at most `most` is to be undone in this sub-step.
    pub(super) fn begin_substep(&mut self, model: &Model, state: &State, most: f32) {
        self.rows.clear();
        self.terms.clear();
        self.grips.clear();
        self.forces.clear();
        for (index, joint) in model.joints.iter().enumerate() {
            let together = self.together.get(self.rows.len()).is_some_and(|&together| together);
            let (at, conditions) = joint_conditions(model, state, index, together);
            for condition in conditions.iter() {
                let stays = stays(condition, most);
                let condition = Condition { error: condition.error - stays, ..*condition };
                self.add_joint_row(model, &state.position, joint, at, &condition);
                self.forces.push((index as u32, condition));
            }
        }
        for bend in &model.bends {
            let (error, gradient) = soft::bend(bend, &state.position);
            let first = self.terms.len();
            self.terms.extend(bend.points.into_iter().zip(gradient));
            self.end(model, first, error, Rule::Hold, (bend.compliance, bend.damping));
        }
        for area in &model.areas {
            self.add_area_row(model, &state.position, area);
        }
    }

    fn add_joint_row(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        joint: &Joint,
        at: [Vec2; 2],
        condition: &Condition,
    ) {
        let Condition { linear, angular, error, rule } = *condition;
        let first = self.terms.len();
        if rule != Rule::Off {
            self.add_end(model, positions, (joint.body_a, &joint.a, at[0]), linear[0], angular[0]);
            if let JointEnd::Body { body, anchor } = &joint.b {
                self.add_end(model, positions, (*body, anchor, at[1]), linear[1], angular[1]);
            }
        }
        let soft = match rule {
            Rule::Spring { spring, .. } => (1.0 / spring.stiffness, spring.damping),
            _ => (0.0, 0.0),
        };
        self.end(model, first, error, rule, soft);
    }

    /// The terms of one end of a joint. A rigid body is taken hold of as a whole where that can be:
    /// its anchor moves as its pose does, so that a pull on it does not first bend the frame and
    /// leave it to the edges to carry the other points along.
    fn add_end(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        (body, anchor, at): (u32, &Anchor, Vec2),
        linear: Vec2,
        angular: f32,
    ) {
        let def = &model.bodies[body as usize];
        let together = self.together.get(self.rows.len()).is_some_and(|&together| together);
        let start = self.terms.len();
        if is_free_rigid(model, def) {
            self.far |= reach(anchor) > FAR;
            let arm = at - model.center(def, positions);
            let whole = Term {
                node: block_node(model, body),
                linear,
                angular: angular + cross(arm, linear),
            };
            self.grips.push(whole);
            if together || reach(anchor) <= WITHIN {
                let slopes = model.angle_gradient(body, positions);
                self.terms.extend(slopes.map(|(i, slope)| {
                    let shared = model.mass[i] / def.mass * linear;
                    (i as u32, shared + whole.angular * slope)
                }));
                return;
            }
        }
        if angular != 0.0 {
            let slopes = model.angle_gradient(body, positions);
            self.terms.extend(slopes.map(|(i, slope)| (i as u32, angular * slope)));
        }
        for (i, weight) in anchor.terms() {
            match self.terms[start..].iter_mut().find(|term| term.0 as usize == i) {
                Some(term) => term.1 += weight * linear,
                None => self.terms.push((i as u32, weight * linear)),
            }
        }
        if !is_free_rigid(model, def) {
            self.grips.extend(self.terms[start..].iter().map(by_point));
        }
    }

    fn add_area_row(&mut self, model: &Model, positions: &[Vec2], area: &Area) {
        let outline = model.area_outline(area);
        let (now, first) = (soft::area(outline, positions), self.terms.len());
        if !soft::is_at_work(area, now) {
            return;
        }
        let slopes = (0..outline.len()).map(|k| soft::area_gradient(outline, k, positions));
        self.terms.extend(outline.iter().copied().zip(slopes));
        match area.rule {
            AreaRule::Spring { compliance } => {
                self.end(model, first, now - area.rest, Rule::Hold, (compliance, 0.0));
            }
            AreaRule::Guard => {
                let left = now - Area::KEPT * area.rest;
                self.end(model, first, left, Rule::Floor, (0.0, 0.0));
            }
        }
    }

    fn end(&mut self, model: &Model, first: usize, error: f32, rule: Rule, soft: (f32, f32)) {
        let weigh = |&(i, g): &(u32, Vec2)| model.inv_mass[i as usize] * g.length_squared();
        let mobility = self.terms[first..].iter().map(weigh).sum();
        let first_grip = self.rows.last().map_or(0, |row| row.last_grip);
        if self.far {
            self.grips.truncate(first_grip as usize);
            self.far = false;
        } else if self.grips.len() == first_grip as usize {
            self.grips.extend(self.terms[first..].iter().map(by_point));
        }
        let mut row = Row {
            first: first as u32,
            last: self.terms.len() as u32,
            first_grip,
            last_grip: self.grips.len() as u32,
            mobility,
            coupling: 0.0,
            error,
            rule,
            soft,
            lambda: 0.0,
            together: false,
        };
        if let (Rule::Second, Some(other)) = (rule, self.rows.last()) {
            row.coupling = self.coupling(model, other, &row);
        }
        self.rows.push(row);
    }

    /// What the two rows of a pair, which have the same points in the same order, have in common.
    fn coupling(&self, model: &Model, first: &Row, second: &Row) -> f32 {
        let terms = |row: &Row| &self.terms[row.first as usize..row.last as usize];
        let both = terms(first).iter().zip(terms(second));
        both.map(|(&(i, g), &(_, other))| model.inv_mass[i as usize] * g.dot(other)).sum()
    }

    /// One round over all conditions in a sub-step of `h` seconds.
    pub(super) fn satisfy(
        &mut self,
        model: &Model,
        moves: &mut Moves,
        positions: &mut [Vec2],
        h: f32,
    ) {
        let terms = &self.terms;
        let terms = |row: &Row| &terms[row.first as usize..row.last as usize];
        let mut push = |row: &Row, lambda: f32, moves: &mut Moves| {
            for &(i, g) in terms(row) {
                let i = i as usize;
                moves.push(positions, i, model.inv_mass[i] * lambda * g);
            }
        };
        let moved = |row: &Row, moves: &Moves| -> f32 {
            terms(row).iter().map(|&(i, g)| g.dot(moves.delta[i as usize])).sum()
        };
        let mut rest = &mut self.rows[..];
        while let Some((row, after)) = rest.split_first_mut() {
            rest = after;
            if row.mobility == 0.0 || row.rule == Rule::Second || row.together {
                continue;
            }
            if let (Rule::Both, Some(second)) = (row.rule, rest.first_mut()) {
                let errors = [row.error + moved(row, moves), second.error + moved(second, moves)];
                let by = solve_pair([row.mobility, second.mobility], second.coupling, errors);
                for (row, by) in [(row, by[0]), (second, by[1])] {
                    row.lambda -= by;
                    push(row, -by, moves);
                }
                continue;
            }
            let before = row.lambda;
            row.lambda = row.wanted(moved(row, moves), h);
            push(row, row.lambda - before, moves);
        }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A row as an equation: what it takes hold of, and its compliance in a sub-step of `h` seconds.
    /// Nothing for one that has bounds, or an anchor far outside a frame.
    pub(super) fn equation(&self, index: usize, h: f32) -> (&[Term], Option<f32>) {
        let row = &self.rows[index];
        let (alpha, gamma) = row.soft(h);
        let compliance = match row.rule {
            Rule::Both | Rule::Second => 0.0,
            Rule::Hold | Rule::Spring { most: f32::MAX, .. } => alpha / (1.0 + gamma),
            Rule::Off | Rule::Floor | Rule::Spring { .. } | Rule::Drive { .. } => {
                return (&[], None);
            }
        };
        (&self.grips[row.first_grip as usize..row.last_grip as usize], Some(compliance))
    }

    /// Whether a row and the one that follows are a pin.
    pub(super) fn is_pin(&self, index: usize) -> bool {
        self.rows[index].rule == Rule::Both
    }

    /// Leaves a row to be solved together with others, or not.
    pub(super) fn set_together(&mut self, index: usize, together: bool) {
        self.rows[index].together = together;
        self.together.resize(self.rows.len(), false);
        self.together[index] = together;
    }

    /// Forgets what was solved together, as for another model.
    pub(super) fn reset(&mut self) {
        self.together.clear();
    }

    /// What is left of the law of an equation, over the `1 + γ` by which its change counts.
    pub(super) fn residual(&self, index: usize, moves: &Moves, h: f32) -> f32 {
        let row = &self.rows[index];
        let terms = &self.terms[row.first as usize..row.last as usize];
        let moved: f32 = terms.iter().map(|&(i, g)| g.dot(moves.delta[i as usize])).sum();
        let (alpha, gamma) = row.soft(h);
        (row.error + moved + alpha * row.lambda + gamma * moved) / (1.0 + gamma)
    }

    /// Counts a displacement impulse that a row was given.
    pub(super) fn count(&mut self, index: usize, by: f32) {
        self.rows[index].lambda += by;
    }

    /// The displacement impulse of a row in this sub-step.
    pub(super) fn lambda(&self, index: usize) -> f32 {
        self.rows[index].lambda
    }

    /// Adds what the position stage of this sub-step of `h` seconds gave to the sums.
    pub(super) fn sum_up(&mut self, h: f32) {
        for (row, (joint, condition)) in self.rows.iter().zip(&self.forces) {
            add(&mut self.sums[*joint as usize], condition, row.lambda / h);
        }
    }

    /// The joints as the velocity stage sees them.
    pub(super) fn held(&self, model: &Model, state: &State, h: f32, list: &mut Vec<Held>) {
        list.clear();
        let mut rows = self.rows.iter();
        for index in 0..model.joints.len() {
            let together = rows.clone().next().is_some_and(|row| row.together);
            let (at, conditions) = joint_conditions(model, state, index, together);
            let mut pressed = [0.0; 6];
            for (pressed, row) in pressed.iter_mut().zip(rows.by_ref().take(conditions.len())) {
                *pressed = if row.rule == Rule::Floor { row.lambda / h } else { 0.0 };
            }
            list.push(Held { conditions, at, pressed, eased: [0.0; 6] });
        }
    }

    /// Adds what the velocity stage gave to the sums.
    pub(super) fn sum_up_eased(&mut self, list: &[Held]) {
        for (sum, held) in self.sums.iter_mut().zip(list) {
            for (condition, &impulse) in held.conditions.iter().zip(&held.eased) {
                add(sum, condition, impulse);
            }
        }
    }

    /// What each joint carried, mean over a step of `seconds`.
    pub(super) fn reactions(&self, seconds: f32, reactions: &mut Vec<Reaction>) {
        reactions.clear();
        reactions.extend(self.sums.iter().map(|sum| sum.over(seconds)));
    }
}

/// A joint as the velocity stage sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) conditions: Conditions,
    /// Where the two anchors are.
    pub(super) at: [Vec2; 2],
    /// What the position stage gave to each condition that only pushes, N·s.
    pub(super) pressed: [f32; 6],
    /// What the velocity stage gives to each condition, N·s.
    pub(super) eased: [f32; 6],
}

impl Row {
    /// `α̃` and `γ`, as above.
    fn soft(&self, h: f32) -> (f32, f32) {
        let (compliance, damping) = self.soft;
        (compliance / (h * h), compliance * damping / h)
    }

    /// The displacement impulse that the rule asks for, when the points have moved `C` by `moved`
    /// in this sub-step of `h` seconds.
    fn wanted(&self, moved: f32, h: f32) -> f32 {
        let (error, lambda) = (self.error + moved, self.lambda);
        let (alpha, gamma) = self.soft(h);
        let sprung = || {
            let wanted = error + alpha * lambda + gamma * moved;
            lambda - wanted / ((1.0 + gamma) * self.mobility + alpha)
        };
        match self.rule {
            Rule::Off | Rule::Both | Rule::Second => lambda,
            Rule::Hold => sprung(),
            Rule::Floor => (lambda - error / self.mobility).max(0.0),
            Rule::Spring { most, .. } => sprung().clamp(-most * h * h, most * h * h),
            Rule::Drive { speed, most } => {
                let wanted = lambda - (moved - speed * h) / self.mobility;
                wanted.clamp(-most * h * h, most * h * h)
            }
        }
    }
}

/// Where the two ends of a joint are, and its conditions there.
/// `whole`: as the poses of rigid bodies have it, where their frames do not reach.
fn joint_conditions(
    model: &Model,
    state: &State,
    index: usize,
    whole: bool,
) -> ([Vec2; 2], Conditions) {
    let joint = &model.joints[index];
    let second = match &joint.b {
        JointEnd::Body { body, anchor } => place(model, &state.position, *body, anchor, whole),
        JointEnd::World(at) => *at,
    };
    let at = [place(model, &state.position, joint.body_a, &joint.a, whole), second];
    let rot = |body: u32| model.pose(&model.bodies[body as usize], &state.position).rot;
    let rots = if needs_rotation(joint) {
        [rot(joint.body_a), joint.b.body().map_or(Rot::IDENTITY, rot)]
    } else {
        [Rot::IDENTITY; 2]
    };
    (at, Conditions::of(joint, &state.joints[index], at, rots))
}

/// Where an anchor is: where its points have it. They throw one outside the frame of a rigid body
/// about by more than the frame bends; `whole` asks for where the body's pose has it instead.
fn place(model: &Model, positions: &[Vec2], body: u32, anchor: &Anchor, whole: bool) -> Vec2 {
    let def = &model.bodies[body as usize];
    if whole && reach(anchor) > WITHIN && is_free_rigid(model, def) {
        model.pose(def, positions).apply(anchor.sample(&model.rest))
    } else {
        anchor.sample(positions)
    }
}

/// How far an anchor is outside the frame of its body, as the sum of the magnitudes of its weights:
/// 1 within.
fn reach(anchor: &Anchor) -> f32 {
    anchor.weights.iter().map(|weight| weight.abs()).sum()
}

/// The node of a rigid body that is taken hold of as a whole: those of points come first.
fn block_node(model: &Model, body: u32) -> u32 {
    model.inv_mass.len() as u32 + body
}

/// The rigid body of such a node.
pub(super) fn block_of(model: &Model, node: u32) -> Option<u32> {
    node.checked_sub(model.inv_mass.len() as u32)
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

fn by_point(&(node, linear): &(u32, Vec2)) -> Term {
    Term { node, linear, angular: 0.0 }
}

fn add(sum: &mut Reaction, condition: &Condition, impulse: f32) {
    sum.force += impulse * condition.linear[1];
    sum.torque += impulse * condition.angular[1];
}
