//! Rows of joints and of what holds soft bodies together, at the present positions.

use std::ops::Range;

use super::{Bound, Force, Guards, Rows, Spring};
use crate::math::{Vec2, direction_or, off_tangent};
use crate::solver::common::PUSH_OUT_SPEED;
use crate::solver::condition::{Condition, Conditions, Rule, pulls_at};
use crate::solver::direct::Term;
use crate::solver::nodes::Nodes;
use crate::solver::soft;
use crate::world::{Anchor, Area, AreaRule, Bend, Joint, JointEnd, Model, State};

/// The work on so few areas is not worth sharing out.
const PART: usize = 512;

impl Rows {
    /// Rows of everything but guards and contacts, for a sub-step of `h` seconds: joints, the pins of rigid bodies that hang
    /// on one point, and the edges, bends and areas of soft bodies; of joints those that `takes` names by their
    /// numbers, in ascending order, and of edges those of which it says so. Soft bodies that are solved side by side are
    /// taken as they are, without rows.
    pub(crate) fn add_joints_and_edges(
        &mut self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        h: f32,
        takes: (impl Iterator<Item = usize>, impl Fn(usize) -> bool),
    ) {
        let (joints, takes_edge) = takes;
        self.wholes.alike.find(model, state, nodes, self.limits, h);
        self.wholes.alike.take(state, h, &self.threads);
        self.forces.clear();
        for index in joints {
            self.add_joint(model, state, nodes, index, &model.joints[index], h);
        }
        self.add_hung(model, state, nodes);
        self.foresee_turns(h, nodes);
        self.first_edge = self.rows.len();
        for &body in nodes.soft() {
            for index in self.edges_of(body, model).filter(|index| takes_edge(*index)) {
                self.add_edge(model, state, nodes, index, h);
            }
        }
        self.first_bend = self.rows.len();
        self.add_bends(model, state, nodes, h);
        self.add_areas(model, state, nodes, h);
        self.guards.begin(self.rows.len());
    }

    /// Says what pins will open by as their bodies turn: places on a turning body move on circles, rows along tangents.
    /// Only spin that lasts counts: light links under a heavy load swing to and fro.
    fn foresee_turns(&mut self, h: f32, nodes: &Nodes) {
        for row in &mut self.rows {
            if let Bound::Both { .. } | Bound::Second = row.bound {
                for term in &self.terms[row.first as usize..row.last as usize] {
                    let node = &nodes[term.node];
                    let [along, across] = off_tangent(h * node.steady_spin);
                    let arm = row.at - node.center;
                    row.departs += term.linear.dot(along * arm + across * arm.perp());
                }
            }
        }
    }

    /// The edges of a body of several nodes that are rows, unless others take them.
    pub(crate) fn edges_of(&self, body: u32, model: &Model) -> Range<usize> {
        if self.has_alike(body) {
            return 0..0;
        }
        let edges = &model.bodies[body as usize].edges;
        edges.start as usize..edges.end as usize
    }

    /// A row for every condition of a joint.
    fn add_joint(
        &mut self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        index: usize,
        joint: &Joint,
        h: f32,
    ) {
        let rots = joint.rots(|body, anchor| nodes.rot(model, &state.position, body, anchor));
        let at = [joint.a.sample(&state.position), joint.b.position(&state.position)];
        for condition in Conditions::of(joint, &state.joints[index], at, rots).iter() {
            let Condition { linear, angular, error, rule } = *condition;
            self.begin();
            if rule != Rule::Off {
                self.joint_terms(model, nodes, joint, condition, at, &state.position);
            }
            let bound = match rule {
                Rule::Off | Rule::Hold | Rule::Both | Rule::Second => Bound::Free,
                Rule::Floor => Bound::Push { h, back: 0.0 },
                Rule::Spring { spring, most } => {
                    Bound::Springy(Spring::new(1.0 / spring.stiffness, spring.damping, h), most)
                }
                Rule::Drive { speed, most } => Bound::Drive { speed, most },
            };
            self.end(nodes, error, bound);
            if rule == Rule::Second {
                self.pair(nodes);
            }
            let (force, torque) = (linear[1], angular[1]);
            self.forces.push(Force { joint: index as u32, force, torque });
        }
    }

    /// The terms of a condition of a joint whose ends are at these places, as the points of soft bodies are at `positions`.
    pub(super) fn joint_terms(
        &mut self,
        model: &Model,
        nodes: &Nodes,
        joint: &Joint,
        condition: &Condition,
        at: [Vec2; 2],
        positions: &[Vec2],
    ) {
        let Condition { linear, angular, rule, .. } = *condition;
        let is_pin = matches!(rule, Rule::Both | Rule::Second);
        let is_block = |body: u32| nodes.block(body).is_some_and(|node| nodes[node].inv_mass > 0.0);
        let are_blocks = [is_block(joint.body_a), joint.b.body().is_some_and(is_block)];
        let at = if is_pin { [pulls_at(at, are_blocks); 2] } else { at };
        self.side(nodes, model, joint.body_a, &joint.a, at[0], linear[0]);
        if let JointEnd::Body { body, anchor } = &joint.b {
            self.side(nodes, model, *body, anchor, at[1], linear[1]);
            self.turn(nodes, model, positions, (*body, anchor), angular[1]);
        }
        self.turn(nodes, model, positions, (joint.body_a, &joint.a), angular[0]);
    }

    /// Two rows for the pinned point of a rigid body that hangs on one.
    fn add_hung(&mut self, model: &Model, state: &State, nodes: &Nodes) {
        for hung in nodes.hung() {
            let (at, to) = (state.position[hung.point as usize], hung.at);
            let anchor = Anchor::at_point(hung.point);
            for axis in [Vec2::X, Vec2::Y] {
                self.begin();
                self.side(nodes, model, hung.body, &anchor, to, axis);
                self.end(nodes, (at - to).dot(axis), Bound::Free);
            }
            self.pair(nodes);
        }
    }

    /// A row for an edge between two nodes of their own.
    fn add_edge(&mut self, model: &Model, state: &State, nodes: &Nodes, index: usize, h: f32) {
        let edge = &model.edges[index];
        let between = state.position[edge.b as usize] - state.position[edge.a as usize];
        let along = direction_or(between, Vec2::X);
        self.begin_edge([edge.a, edge.b].map(|point| nodes.of_point(model, point)), along);
        let error = between.length() - state.rest[index];
        self.end(nodes, error, springy(edge.compliance, edge.damping, h));
    }

    /// Begins the row of an edge between two nodes, with its terms.
    pub(super) fn begin_edge(&mut self, [a, b]: [u32; 2], along: Vec2) {
        self.begin();
        // Ends that are held too: what pulls on one keeps the edge from swaying.
        for (node, linear) in [(a, -along), (b, along)] {
            self.terms.push(Term { node, linear, angular: 0.0 });
        }
    }

    /// A row for every bend.
    fn add_bends(&mut self, model: &Model, state: &State, nodes: &Nodes, h: f32) {
        for bend in &model.bends {
            if self.has_alike(model.body_of[bend.points[0] as usize]) {
                continue;
            }
            let error = self.begin_bend(bend, model, &state.position, nodes);
            self.end(nodes, error, springy(bend.compliance, bend.damping, h));
        }
    }

    /// A row for every area that is a spring. Its error is the area over the side of a square of the area at rest, so that
    /// it is a length as that of other rows.
    fn add_areas(&mut self, model: &Model, state: &State, nodes: &Nodes, h: f32) {
        for area in &model.areas {
            let is_row = || !self.has_alike(model.body_of[model.area_outline(area)[0] as usize]);
            if let AreaRule::Spring { compliance } = area.rule
                && is_row()
            {
                let scale = 1.0 / area.rest.sqrt();
                let now = self.begin_area(area, model, &state.position, nodes);
                let bound = springy(scale * scale * compliance, 0.0, h);
                self.end(nodes, scale * (now - area.rest), bound);
            }
        }
    }

    /// A row for each guard that has something to do, if it acts on what is solved together, which is known once all else was
    /// prepared, or is no triangle or quadrilateral; the others are told by [`Rows::loose_guards`].
    pub(crate) fn add_guards(&mut self, model: &Model, state: &State, nodes: &Nodes, h: f32) {
        self.find_guards(model, state);
        let mut loose = std::mem::take(&mut self.guards.loose);
        loose.retain(|&number| {
            let area = &model.areas[number as usize];
            let outline = model.area_outline(area);
            let gives_way = |&point: &u32| self.gives_way(nodes.of_point(model, point));
            if is_plain(outline) && !outline.iter().any(gives_way) {
                return true;
            }
            let now = self.begin_area(area, model, &state.position, nodes);
            let error = (now - Area::KEPT * area.rest) / area.rest.sqrt();
            self.end(nodes, error, Bound::Push { h, back: PUSH_OUT_SPEED });
            self.guards.areas.push(number);
            false
        });
        self.guards.loose = loose;
    }

    /// The areas whose guards have something to do and are no rows, in ascending order.
    pub(crate) fn loose_guards(&self) -> &[u32] {
        &self.guards.loose
    }

    /// Finds the guards that have something to do.
    fn find_guards(&mut self, model: &Model, state: &State) {
        let Guards { loose, at_work, .. } = &mut self.guards;
        loose.clear();
        at_work.resize(model.areas.len(), false);
        let is_at_work = |area: &Area| {
            let now = || soft::area(model.area_outline(area), &state.position);
            area.is_guard() && soft::is_at_work(area, now())
        };
        let find = |(at_work, areas): (&mut [bool], &[Area])| {
            at_work.iter_mut().zip(areas).for_each(|(is, area)| *is = is_at_work(area));
        };
        self.threads.each((&mut at_work[..], &model.areas[..]), PART, find);
        loose.extend((0..).zip(at_work).filter(|(_, is)| **is).map(|(number, _)| number));
    }

    /// Begins the row of a bend, with its terms; returns how far it is from rest, rad.
    pub(super) fn begin_bend(
        &mut self,
        bend: &Bend,
        model: &Model,
        positions: &[Vec2],
        nodes: &Nodes,
    ) -> f32 {
        let (error, gradient) = soft::bend(bend, positions);
        self.begin();
        for (point, direction) in bend.points.into_iter().zip(gradient) {
            self.point(nodes, model, point, direction);
        }
        error
    }

    /// Begins the row of an area, with its terms; returns how large it is now, m².
    pub(super) fn begin_area(
        &mut self,
        area: &Area,
        model: &Model,
        positions: &[Vec2],
        nodes: &Nodes,
    ) -> f32 {
        let outline = model.area_outline(area);
        let scale = 1.0 / area.rest.sqrt();
        self.begin();
        for (k, &point) in outline.iter().enumerate() {
            let direction = scale * soft::area_gradient(outline, k, positions);
            self.point(nodes, model, point, direction);
        }
        soft::area(outline, positions)
    }
}

/// Whether an outline is that of a triangle or quadrilateral whose corners are all different.
fn is_plain(outline: &[u32]) -> bool {
    match *outline {
        [a, b, c] => a != b && b != c && c != a,
        [a, b, c, d] => a != b && a != c && a != d && b != c && b != d && c != d,
        _ => false,
    }
}

/// Any impulse against a spring; any impulse at all where it is stiff.
fn springy(compliance: f32, damping: f32, h: f32) -> Bound {
    if compliance > 0.0 {
        Bound::Springy(Spring::new(compliance, damping, h), f32::MAX)
    } else {
        Bound::Free
    }
}
