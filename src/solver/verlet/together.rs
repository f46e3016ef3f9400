//! Edges and conditions that are equations, solved all at once (`direct/`) in place of a round over
//! them.
//!
//! What takes part: edges whose ends move on their own, bends and areas, and what joints hold without
//! a bound, where they take hold of points or of whole rigid bodies. The edges of rigid frames, what
//! only pushes, and contacts are satisfied in rounds, each after one of these.

use crate::math::{Vec2, cross_sv};
use crate::solver::direct::{Change, Direct, Inertia, Setting, Sways, Term};
use crate::solver::verlet::Moves;
use crate::solver::verlet::conditions::{PointConditions, block_of};
use crate::solver::verlet::edges::Edges;
use crate::world::{Body, Model, State};

/// What is wider than this is left to rounds: see [`Direct::arrange`].
const MOST_WORK: usize = 4000;

/// The equations of a sub-step: those of edges, then those of conditions.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    direct: Direct,
    residuals: Vec<f64>,
    /// The springs across links under tension, which come last.
    sways: Sways,
}

impl Together {
    /// Makes ready to solve the equations at the positions before a sub-step of `h` seconds.
    pub(super) fn prepare(
        &mut self,
        model: &Model,
        state: &State,
        edges: &mut Edges,
        conditions: &mut PointConditions,
        h: f32,
    ) {
        let inertia = |node: u32| inertia(model, node);
        self.direct.clear();
        for link in edges.links() {
            let (alpha, gamma) = link.soft(h);
            self.direct.push(link.terms().into_iter(), Some(alpha / (1.0 + gamma)));
        }
        for index in 0..conditions.len() {
            let (terms, compliance) = conditions.equation(index, h);
            self.direct.push(terms.iter().copied(), compliance);
        }
        self.direct.arrange(MOST_WORK, inertia);
        let count = edges.links().len();
        for (index, link) in edges.links().iter_mut().enumerate() {
            link.together = self.direct.solves(index);
        }
        for index in 0..conditions.len() {
            conditions.set_together(index, self.direct.solves(count + index));
        }
        self.sways.clear();
        if self.sways.begin(self.direct.len()) {
            self.add_sways(model, state, edges, conditions, h);
        }
        self.direct.factor(inertia);
    }

    fn add_sways(
        &mut self,
        model: &Model,
        state: &State,
        edges: &mut Edges,
        conditions: &PointConditions,
        h: f32,
    ) {
        let State { position, velocity, .. } = state;
        let speed = |term: Term| moved(term, model, velocity, position);
        let setting = Setting { h, speed, pace: h };
        let links = edges.links();
        for (index, link) in links.iter().enumerate().filter(|(_, link)| link.together) {
            let length = position[link.a as usize].distance(position[link.b as usize]);
            let mobility = link.w_a + link.w_b;
            self.sways.add_across(index, link.terms(), length, mobility, &setting);
        }
        for index in (0..conditions.len()).filter(|&index| conditions.is_pin(index)) {
            let equation = links.len() + index;
            if !self.direct.solves(equation) {
                continue;
            }
            let [x, y] = [index, index + 1].map(|index| conditions.equation(index, h).0);
            for (&x, &y) in x.iter().zip(y) {
                let mobility = inertia(model, x.node).inv_inertia;
                self.sways.add_about(equation, [x, y], mobility, &setting);
            }
        }
        for sway in self.sways.iter() {
            self.direct.push(sway.terms(), Some(sway.compliance()));
        }
    }

    /// Solves them.
    pub(super) fn satisfy(
        &mut self,
        model: &Model,
        edges: &mut Edges,
        conditions: &mut PointConditions,
        moves: &mut Moves,
        positions: &mut [Vec2],
        h: f32,
    ) {
        let Self { direct, residuals, sways } = self;
        residuals.clear();
        let count = edges.links().len();
        for (index, link) in edges.links().iter().enumerate() {
            let left = link.residual(moves, positions, h) / (1.0 + link.soft(h).1);
            residuals.push(f64::from(left + direct.slack(index) * link.lambda));
        }
        for index in 0..conditions.len() {
            let slack = direct.slack(count + index) * conditions.lambda(index);
            residuals.push(f64::from(conditions.residual(index, moves, h) + slack));
        }
        let change = |term: Term| moved(term, model, &moves.delta, &moves.start);
        residuals.extend(sways.iter().map(|sway| f64::from(sway.residual(change))));
        direct.solve(residuals);
        let mut impulses = residuals.iter().map(|&impulse| impulse as f32);
        for (link, by) in edges.links().iter_mut().zip(&mut impulses) {
            link.lambda += by;
        }
        for (index, by) in (0..conditions.len()).zip(&mut impulses) {
            conditions.count(index, by);
        }
        for (sway, by) in sways.iter_mut().zip(impulses) {
            sway.add(by);
        }
        for Change { node, linear, angular } in direct.changes() {
            let Some(body) = block_of(model, node) else {
                moves.push(positions, node as usize, linear);
                continue;
            };
            let body = &model.bodies[body as usize];
            let center = model.center(body, &moves.start);
            for i in body.point_range() {
                let arm = moves.start[i] - center;
                moves.push(positions, i, linear + cross_sv(angular, arm));
            }
        }
    }

    /// Notes the forces of this sub-step for the next.
    pub(super) fn note_pulls(&mut self, edges: &mut Edges, conditions: &PointConditions, h: f32) {
        let of_links = edges.links().iter().map(|link| link.lambda);
        let of_rows = (0..conditions.len()).map(|index| conditions.lambda(index));
        self.sways.note_pulls(of_links.chain(of_rows).map(|lambda| lambda / (h * h)));
    }
}

/// What an impulse finds at a node: a point, or a rigid body.
fn inertia(model: &Model, node: u32) -> Inertia {
    match block_of(model, node) {
        None => Inertia { inv_mass: model.inv_mass[node as usize], inv_inertia: 0.0 },
        Some(body) => {
            let Body { mass, inertia, .. } = model.bodies[body as usize];
            let inv_inertia = if inertia > 0.0 { 1.0 / inertia } else { 0.0 };
            Inertia { inv_mass: 1.0 / mass, inv_inertia }
        }
    }
}

/// How far a node has moved along a term, or how fast it moves: a point, or the angle of a rigid
/// body.
fn moved(term: Term, model: &Model, delta: &[Vec2], positions: &[Vec2]) -> f32 {
    match block_of(model, term.node) {
        None => term.linear.dot(delta[term.node as usize]),
        Some(body) => {
            let slopes = model.angle_gradient(body, positions);
            term.angular * slopes.map(|(i, slope)| slope.dot(delta[i])).sum::<f32>()
        }
    }
}
