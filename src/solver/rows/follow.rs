//! Rows where their nodes are by now: what was built before nodes moved acts along other lines after.
//!
//! Velocities are brought to rest, and the second half of springs acts, after all has moved. An impulse along a line
//! that is no longer there turns what spins: a jelly faster and faster, a cloth slower and slower. So rows are taken
//! anew, as they would be built here; what they have given stays.

use super::{Bound, Row, Rows, coupling, inv_mass, mobility};
use crate::math::{Vec2, cross, cross_sv, direction_or};
use crate::solver::condition::Conditions;
use crate::solver::direct::Term;
use crate::solver::nodes::Nodes;
use crate::world::{Anchor, Model, State};

impl Rows {
    /// Takes all rows but those of contacts anew: how they act, and the errors of springs.
    pub(crate) fn follow_all(&mut self, model: &Model, state: &State, nodes: &Nodes) {
        self.wholes.alike.follow_nodes(nodes, &self.threads);
        if self.guards.rows().end == 0 {
            return;
        }
        let mut places = std::mem::take(&mut self.places);
        places.clone_from(&state.position);
        let is_soft = |body: &u32| nodes.block(*body).is_none();
        for body in (0..model.bodies.len() as u32).filter(is_soft) {
            for point in model.bodies[body as usize].point_range() {
                places[point] = nodes.place(nodes.of_point(model, point as u32));
            }
        }
        self.follow_joints(model, state, nodes, &places);
        for row in self.forces.len()..self.first_edge {
            // What a body hangs on stays where it is.
            self.follow_by(row, Vec2::ZERO, nodes);
        }
        for row in 0..self.first_edge {
            if let Bound::Both { .. } = self.rows[row].bound {
                self.rows[row].bound = Bound::Both { coupling: self.coupling(row, nodes) };
            }
        }
        for row in self.first_edge..self.first_bend {
            self.follow_edge(row, nodes);
        }
        self.follow_bends_and_areas(model, nodes, &places);
        self.places = places;
    }

    fn follow_joints(&mut self, model: &Model, state: &State, nodes: &Nodes, places: &[Vec2]) {
        let (mut row, mut conditions) = (0, Conditions::default());
        while let Some(force) = self.forces.get(row) {
            let index = force.joint as usize;
            let joint = &model.joints[index];
            let at = joint.places(|body, anchor| place(model, nodes, places, body, anchor));
            let rots = joint.rots(|body, anchor| nodes.rot(model, places, body, anchor));
            conditions.take(joint, &state.joints[index], at, rots);
            for condition in conditions.iter() {
                let Row { first, last, .. } = self.rows[row];
                if last > first {
                    self.begin();
                    self.joint_terms(model, nodes, joint, condition, at, places);
                    self.take_over(row, condition.error, nodes);
                }
                row += 1;
            }
        }
    }

    /// Gives a row the terms that were begun last, if they are of the same nodes, and a spring another error.
    fn take_over(&mut self, row: usize, error: f32, nodes: &Nodes) {
        let (terms, begun) = self.terms.split_at_mut(self.open);
        let row = &mut self.rows[row];
        let terms = &mut terms[row.first as usize..row.last as usize];
        if terms.iter().map(|term| term.node).eq(begun.iter().map(|term| term.node)) {
            terms.copy_from_slice(begun);
        }
        if let Bound::Springy(..) = row.bound {
            row.error = error;
        }
        (row.k, row.coupled) = (mobility(terms, nodes), coupling::NONE);
        self.terms.truncate(self.open);
    }

    /// Takes the arms of a row anew, after its nodes have moved since it was built. The place where
    /// it acts has moved too: by the mean of what its nodes moved there, so that both sides have
    /// one line of action and angular momentum is kept.
    #[inline]
    pub(crate) fn follow(&mut self, row: usize, nodes: &Nodes) {
        let Row { first, last, at, .. } = self.rows[row];
        let terms = &self.terms[first as usize..last as usize];
        let moved = |term: &Term| {
            let travel = nodes.travel(term.node);
            travel.linear + cross_sv(travel.angular, at - nodes[term.node].center)
        };
        let by = terms.iter().map(moved).sum::<Vec2>() / terms.len().max(1) as f32;
        self.follow_by(row, by, nodes);
    }

    /// The same where the place has moved by `by`, for one that does not stay on its bodies: a contact
    /// goes along under what rolls.
    #[inline]
    pub(crate) fn follow_by(&mut self, row: usize, by: Vec2, nodes: &Nodes) {
        let Row { first, last, .. } = self.rows[row];
        let mut k = 0.0;
        for term in &mut self.terms[first as usize..last as usize] {
            if nodes[term.node].inv_inertia > 0.0 {
                term.angular += cross(by - nodes.travel(term.node).linear, term.linear);
            }
            k += inv_mass(term, nodes);
        }
        self.rows[row].k = k;
        self.rows[row].coupled = coupling::NONE;
    }

    fn follow_bends_and_areas(&mut self, model: &Model, nodes: &Nodes, places: &[Vec2]) {
        let mut row = self.first_bend;
        for bend in &model.bends {
            if !self.has_alike(model.body_of[bend.points[0] as usize]) {
                let error = self.begin_bend(bend, model, places, nodes);
                self.take_over(row, error, nodes);
                row += 1;
            }
        }
        for area in model.areas.iter().filter(|area| !area.is_guard()) {
            if !self.has_alike(model.body_of[model.area_outline(area)[0] as usize]) {
                let now = self.begin_area(area, model, places, nodes);
                self.take_over(row, 1.0 / area.rest.sqrt() * (now - area.rest), nodes);
                row += 1;
            }
        }
        for k in 0..self.guards.areas.len() {
            let area = &model.areas[self.guards.areas[k] as usize];
            self.begin_area(area, model, places, nodes);
            // A guard is no spring: its error stays.
            self.take_over(self.guards.first + k, 0.0, nodes);
        }
    }

    fn follow_edge(&mut self, row: usize, nodes: &Nodes) {
        let Row { first, last, error, .. } = self.rows[row];
        let [a, b] = &self.terms[first as usize..last as usize] else { return };
        let ([a, b], before) = ([a.node, b.node], b.linear);
        let between = nodes.place(b) - nodes.place(a);
        let grown = between.length() - (nodes[b].center - nodes[a].center).length();
        self.begin_edge([a, b], direction_or(between, before));
        self.take_over(row, error + grown, nodes);
    }
}

/// Where an anchor of a body is by now; `places` are those of the points of soft bodies.
fn place(model: &Model, nodes: &Nodes, places: &[Vec2], body: u32, anchor: &Anchor) -> Vec2 {
    match nodes.block(body) {
        Some(node) => nodes.place(node) + nodes.turned(node).apply(anchor.sample(&model.rest)),
        None => anchor.sample(places),
    }
}
