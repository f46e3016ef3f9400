//! Edges and conditions that are equations, solved all at once (`direct/`) in place of a round over
//! them.
//!
//! What takes part: edges whose ends move on their own, bends and areas, but not those of lax bodies (`lax.rs`), and what
//! joints hold, where they take hold of points or of whole rigid bodies, within bounds (`bounded.rs`) where it has some;
//! and guards that are about to push. The edges of rigid frames, what else only pushes, and contacts are satisfied in
//! rounds, each after one of these.
//! Soft bodies of which there are several alike are solved in `alike/`, where guards have their rounds.

use crate::math::Mapped;
use crate::solver::direct::{Change, Direct, Inertia, Limits, Setting, Sways, Term};
use crate::solver::verlet::Moves;
use crate::solver::verlet::bounded::Bounded;
use crate::solver::verlet::conditions::PointConditions;
use crate::solver::verlet::edges::Edges;
use crate::solver::verlet::frames::Frames;
use crate::solver::verlet::lax::Lax;
use crate::solver::verlet::sticks::Stick;
use crate::threads::Threads;
use crate::world::{Model, State};

/// What is wider than this is left to rounds: see [`Direct::arrange`].
pub(super) const LIMITS: Limits = Limits { most_work: 4000, soft: 0.0, first: 1.0 };

/// The equations of a sub-step: those of links, then those of conditions, of which only what is solved
/// together takes part.
#[derive(Clone, Debug, Default)]
pub(super) struct Together {
    direct: Direct,
    residuals: Vec<f64>,
    /// The springs across links under tension, which come last.
    sways: Sways,
    /// What could take part when it was last chosen what does: the nodes of each equation of a
    /// condition; `None` to choose anew.
    pattern: Option<Vec<Option<u32>>>,
    pattern_now: Vec<Option<u32>>,
    /// Whether each equation of that pattern is solved.
    chosen: Vec<bool>,
    /// The links and the conditions that take part.
    links: Vec<u32>,
    rows: Vec<u32>,
    /// The rows with bounds that take part, which come after the springs across links.
    bounded: Bounded,
    /// The guards that take part, which come after those.
    guards: Vec<u32>,
}

impl Together {
    /// Has what takes part chosen anew: the edges are others, or have other numbers.
    pub(super) fn choose_anew(&mut self) {
        self.pattern = None;
    }

    /// Makes ready to solve the equations at the positions before a sub-step of `h` seconds.
    pub(super) fn prepare(
        &mut self,
        model: &Model,
        state: &State,
        edges: &mut Edges,
        conditions: &mut PointConditions,
        (frames, lax): (&Frames, &Lax),
        h: f32,
    ) {
        let inertia = |node: u32| frames.inertia(model, node);
        self.pattern_now.clear();
        for index in 0..conditions.len() {
            if let (terms, Some(_)) = conditions.equation(index, h) {
                self.pattern_now.extend(terms.iter().map(|term| Some(term.node)));
                self.pattern_now.push(None);
            }
        }
        if self.pattern.as_ref() != Some(&self.pattern_now) {
            let is_lax =
                |node: u32| model.body_of.get(node as usize).is_some_and(|&of| lax.has(of));
            let is_lax = |terms: &[Term]| terms.first().is_some_and(|term| is_lax(term.node));
            self.choose(edges, conditions, h, (inertia, is_lax));
        }
        self.direct.clear();
        for &index in &self.links {
            let link = &mut edges.links()[index as usize];
            link.begin_substep(&state.position);
            let (alpha, gamma) = link.soft(h);
            self.direct.push(link.terms().into_iter(), Some(alpha / (1.0 + gamma)));
        }
        self.rows.clear();
        let mut chosen = self.chosen.iter();
        for index in 0..conditions.len() {
            let (terms, compliance) = conditions.equation(index, h);
            let together = compliance.is_some() && chosen.next() == Some(&true);
            if together {
                self.direct.push(terms.iter().copied(), compliance);
                self.rows.push(index as u32);
            }
            conditions.set_together(index, together);
        }
        self.direct.arrange(LIMITS, inertia, &[]);
        self.sways.clear();
        if self.sways.begin(self.direct.len()) {
            self.add_sways(model, state, edges, conditions, frames, h);
        }
        self.bounded.add(model, conditions, frames, &mut self.direct, h);
        self.add_guards(model, state, edges, conditions, frames, h);
        self.direct.factor(inertia);
    }

    /// Whether a node is part of what is solved together.
    pub(super) fn has(&self, node: u32) -> bool {
        self.direct.has(node)
    }

    /// Finds out what is to be solved together.
    fn choose(
        &mut self,
        edges: &mut Edges,
        conditions: &PointConditions,
        h: f32,
        (inertia, is_lax): (impl Fn(u32) -> Inertia, impl Fn(&[Term]) -> bool),
    ) {
        self.direct.clear();
        // What is left to rounds takes hold of nothing.
        let held = |terms: &[Term]| if is_lax(terms) { 0 } else { terms.len() };
        for link in edges.links() {
            let terms = link.terms();
            self.direct.push(terms.into_iter().take(held(&terms)), Some(0.0));
        }
        for index in 0..conditions.len() {
            let (terms, compliance) = conditions.equation(index, h);
            if compliance.is_some() {
                self.direct.push(terms.iter().copied().take(held(terms)), compliance);
            }
        }
        self.direct.arrange(LIMITS, inertia, &[]);
        let count = edges.links().len();
        let links = (0..count).filter(|&index| self.direct.solves(index));
        self.links = links.map(|index| index as u32).collect();
        self.chosen = (count..self.direct.len()).map(|index| self.direct.solves(index)).collect();
        edges.leave_to_rounds(|index| self.direct.solves(index), |link| is_lax(&link.terms()));
        self.pattern = Some(self.pattern_now.clone());
    }

    fn add_sways(
        &mut self,
        model: &Model,
        state: &State,
        edges: &mut Edges,
        conditions: &PointConditions,
        frames: &Frames,
        h: f32,
    ) {
        let State { position, velocity, .. } = state;
        let speed = |term: Term| frames.speed(model, velocity, position, term);
        let setting = Setting { h, speed, pace: h };
        for (equation, &index) in self.links.iter().enumerate() {
            let link = &edges.links()[index as usize];
            let Stick { a, b, w_a, w_b, .. } = link.stick;
            let length = position[a as usize].distance(position[b as usize]);
            self.sways.add_across(equation, link.terms(), length, w_a + w_b, &setting);
        }
        for (place, &index) in self.rows.iter().enumerate() {
            let index = index as usize;
            if !conditions.is_pin(index) {
                continue;
            }
            let equation = self.links.len() + place;
            let [x, y] = [index, index + 1].mapped(|index| conditions.equation(index, h).0);
            for (&x, &y) in x.iter().zip(y) {
                let mobility = frames.inertia(model, x.node).inv_inertia;
                self.sways.add_about(equation, [x, y], mobility, &setting);
            }
        }
        for sway in self.sways.iter() {
            self.direct.push(sway.terms(), Some(sway.compliance()));
        }
    }

    /// Adds the guards that are about to push cells of what is solved here.
    ///
    /// In rounds before the equations a guard opens a cell, and the threads around it shut it again. As an equation it may
    /// pull as well, if something else turns out to open the cell faster; but then it is none in the next sub-step. Where a
    /// body may touch another guards have their rounds: what presses on cells that cannot give way, and is not part of the
    /// equations, would throw their points about.
    fn add_guards(
        &mut self,
        model: &Model,
        State { position, velocity, .. }: &State,
        edges: &Edges,
        conditions: &mut PointConditions,
        frames: &Frames,
        h: f32,
    ) {
        let Self { direct, guards, .. } = self;
        let speed = |&term: &Term| frames.speed(model, velocity, position, term);
        guards.clear();
        guards.extend(conditions.guards().map(|index| index as u32).filter(|&index| {
            let terms = conditions.terms_of(index as usize);
            let points = || terms.iter().map(|term| term.node);
            let meets = points().any(|point| edges.meets(model.body_of[point as usize]));
            let moves = || h * terms.iter().map(speed).sum::<f32>();
            let free = points().filter(|&point| model.inv_mass[point as usize] > 0.0);
            !meets && conditions.will_push(index as usize, moves()) && direct.has_room(free)
        }));
        for &index in &*guards {
            direct.push(conditions.terms_of(index as usize).iter().copied(), Some(0.0));
            conditions.set_together(index as usize, true);
        }
    }

    /// Solves them.
    pub(super) fn satisfy(
        &mut self,
        model: &Model,
        edges: &mut Edges,
        conditions: &mut PointConditions,
        frames: &mut Frames,
        moves: &mut Moves,
        h: f32,
    ) {
        // To share these two passes would not pay: all else here is done by one thread.
        let alone = Threads::default();
        if !self.rows.is_empty() {
            frames.gather(model, moves, &alone);
        }
        loop {
            self.solve(edges, conditions, frames, moves, h);
            let Self { direct, residuals: impulses, bounded, .. } = self;
            let stopped = bounded.stop(conditions, impulses, direct);
            if !stopped {
                self.apply(edges, conditions, frames, moves);
                if !self.bounded.let_go(conditions, frames, moves, &mut self.direct, h) {
                    break;
                }
            }
            self.direct.factor(|node| frames.inertia(model, node));
        }
        if !self.rows.is_empty() {
            frames.scatter(&moves.start, &mut moves.delta, &alone);
        }
    }

    /// Solves them as they are: residuals become impulses.
    fn solve(
        &mut self,
        edges: &mut Edges,
        conditions: &PointConditions,
        frames: &Frames,
        moves: &Moves,
        h: f32,
    ) {
        let Self { direct, residuals, sways, links, rows, bounded, guards, .. } = self;
        residuals.clear();
        for (equation, &index) in links.iter().enumerate() {
            let link = &edges.links()[index as usize];
            let left = link.residual(moves, h) / (1.0 + link.soft(h).1);
            residuals.push(f64::from(left + direct.slack(equation) * link.lambda));
        }
        let left = |index: usize, equation: usize| {
            let slack = direct.slack(equation) * conditions.lambda(index);
            f64::from(conditions.residual(index, frames, moves, h) + slack)
        };
        let add_rows = |rows: &[u32], residuals: &mut Vec<f64>| {
            rows.iter().for_each(|&index| residuals.push(left(index as usize, residuals.len())));
        };
        add_rows(rows, residuals);
        let change = |term: Term| frames.moved(moves, term);
        residuals.extend(sways.iter().map(|sway| f64::from(sway.residual(change))));
        bounded.add_residuals(conditions, left, residuals);
        add_rows(guards, residuals);
        direct.solve(residuals);
    }

    /// Gives the impulses of a solution, as far as they can be trusted.
    fn apply(
        &mut self,
        edges: &mut Edges,
        conditions: &mut PointConditions,
        frames: &mut Frames,
        moves: &mut Moves,
    ) {
        let Self { direct, residuals: impulses, sways, links, rows, bounded, guards, .. } = self;
        let spans = links.iter().map(|&index| edges.links()[index as usize].span());
        direct.restrict(impulses, spans);
        let mut impulses = impulses.iter().map(|&impulse| impulse as f32);
        for (&index, by) in links.iter().zip(&mut impulses) {
            edges.links()[index as usize].lambda += by;
        }
        for (&index, by) in rows.iter().zip(&mut impulses) {
            conditions.count(index as usize, by);
        }
        for (sway, by) in sways.iter_mut().zip(&mut impulses) {
            sway.add(by);
        }
        let guards = guards.iter().map(|&index| index as usize);
        for (index, by) in bounded.rows().chain(guards).zip(impulses) {
            conditions.count(index, by);
        }
        for Change { node, linear, angular } in direct.changes() {
            frames.shift(&mut moves.delta, node, linear, angular);
        }
    }

    /// Notes the forces of this sub-step for the next.
    pub(super) fn note_pulls(&mut self, edges: &mut Edges, conditions: &PointConditions, h: f32) {
        let of_links = self.links.iter().map(|&index| edges.links()[index as usize].lambda);
        let of_rows = self.rows.iter().map(|&index| conditions.lambda(index as usize));
        self.sways.note_pulls(of_links.chain(of_rows).map(|lambda| lambda / (h * h)));
    }
}
