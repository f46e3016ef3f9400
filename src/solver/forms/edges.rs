//! Edges of soft bodies that are not solved together with others, which `quads/` solves; all other edges are rows.
//!
//! Which they are is known when rows of all of them have been looked at once, as for hinges.

use crate::math::Mapped;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Back, Law, Quads, Span};
use crate::solver::rows::Rows;
use crate::threads::Threads;
use crate::world::{Model, State};

/// Lengths of sub-steps that differ by less than this factor count as one.
const LIKE: f32 = 1.3;

/// Which edges are solved four at a time, and what they do.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edges {
    /// Whether this is known, and for sub-steps of which length, s.
    known: bool,
    h: f32,
    spans: Vec<Span>,
    /// The number of each among the edges of the model.
    numbers: Vec<u32>,
    /// For each edge of the model whether it is one; empty where none is.
    is_apart: Vec<bool>,
    /// They come before rows in a round, so they are not with contacts, which come after.
    quads: Quads,
    springs: bool,
    /// Whether springs have not been solved for positions since they were found.
    new: bool,
}

impl Edges {
    /// Forgets which they are, but not what they have given.
    pub(crate) fn forget(&mut self) {
        self.known = false;
        self.is_apart.clear();
        self.quads.forget();
    }

    /// Forgets what they have given too.
    pub(crate) fn forget_all(&mut self) {
        self.forget();
        self.quads.forget_all();
    }

    /// Whether they are still those for sub-steps of `h` seconds, if they are known: in longer ones springs are harder,
    /// and what is harder is solved together.
    pub(crate) fn are_for(&self, h: f32) -> bool {
        !self.known || (h / self.h).max(self.h / h) < LIKE
    }

    /// Whether an edge of the model is one.
    pub(crate) fn has(&self, edge: usize) -> bool {
        self.is_apart.get(edge) == Some(&true)
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Finds them, unless they are known, if `rows` has the rows of all edges for a sub-step of `h` seconds. Returns
    /// whether that leaves fewer rows.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        nodes: &Nodes,
        rows: &mut Rows,
        h: f32,
        threads: &Threads,
    ) -> bool {
        if std::mem::replace(&mut self.known, true) {
            return false;
        }
        self.h = h;
        self.spans.clear();
        self.numbers.clear();
        self.is_apart.resize(model.edges.len(), false);
        let edges = nodes.soft().iter().flat_map(|&body| rows.edges_of(body, model));
        for (place, number) in edges.collect::<Vec<_>>().into_iter().enumerate() {
            if !rows.is_edge_together(place) {
                let edge = &model.edges[number];
                let nodes = [edge.a, edge.b].mapped(|point| nodes.of_point(model, point));
                nodes.into_iter().for_each(|node| rows.leave_apart(node));
                let (compliance, damping) = (edge.compliance, edge.damping);
                self.spans.push(Span { nodes, compliance, damping });
                self.numbers.push(number as u32);
                self.is_apart[number] = true;
            }
        }
        self.quads.arrange(&[], &self.spans, std::iter::empty(), threads, nodes);
        self.springs = self.spans.iter().any(|span| span.compliance > 0.0);
        self.new = true;
        !self.is_empty()
    }

    /// Whether any of them is a spring.
    pub(crate) fn has_springs(&self) -> bool {
        self.springs
    }

    /// Whether any of them is a spring, and has nothing to start from in the position stage.
    pub(crate) fn any_new_springs(&self) -> bool {
        self.springs && self.new
    }

    /// Takes them as they are now, at the beginning of a sub-step in which springs act for `time` seconds.
    pub(crate) fn put(&mut self, state: &State, nodes: &Nodes, time: f32, threads: &Threads) {
        if !self.is_empty() {
            let Self { quads, numbers, .. } = self;
            let rest = |edge: u32| state.rest[numbers[edge as usize] as usize];
            quads.put_edges(time, threads, nodes, rest);
        }
    }

    /// Lets springs act for `time` seconds.
    pub(crate) fn time_springs(&mut self, time: f32, threads: &Threads) {
        if self.springs {
            self.quads.time_springs(time, threads);
        }
    }

    /// Starts from the part `scale` of what they have given.
    pub(crate) fn start(&mut self, scale: f32, threads: &Threads, nodes: &mut Nodes) {
        self.quads.start_equations(scale, threads, nodes);
    }

    /// Keeps of that what [`Nodes::keep_least_energy`] did.
    pub(crate) fn keep(&mut self, threads: &Threads, nodes: &Nodes) {
        self.quads.keep(threads, nodes);
    }

    /// Some rounds.
    pub(crate) fn press(&mut self, rounds: u32, law: &Law, threads: &Threads, nodes: &mut Nodes) {
        if !self.is_empty() {
            self.quads.press(None, rounds, law, threads, nodes);
        }
    }

    /// Some rounds over displacements; if it is the `start`, springs begin as in the sub-step before, the others from nothing.
    pub(crate) fn project(
        &mut self,
        start: bool,
        rounds: u32,
        back: Back,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        if !self.is_empty() {
            self.quads.project(start, rounds, back, threads, nodes);
        }
    }

    /// Goes over to the velocity stage of a sub-step of `h` seconds. Returns the largest error of a stiff edge, m.
    pub(crate) fn arrive(&mut self, h: f32, threads: &Threads, nodes: &Nodes) -> f32 {
        self.new = false;
        self.quads.arrive(h, threads, nodes)
    }

    /// Starts the velocity stage from what it gave before.
    pub(crate) fn ease(&mut self, threads: &Threads, nodes: &mut Nodes) {
        self.quads.ease_equations(threads, nodes);
    }

    /// Some rounds of the velocity stage.
    pub(crate) fn relax(&mut self, rounds: u32, threads: &Threads, nodes: &mut Nodes) {
        if !self.is_empty() {
            self.quads.relax(false, rounds, threads, nodes);
        }
    }

    /// Takes errors anew after nodes have moved; returns the largest of a stiff edge, m.
    pub(crate) fn follow(&mut self, threads: &Threads, nodes: &Nodes) -> f32 {
        self.quads.follow_equations(threads, nodes)
    }
}
