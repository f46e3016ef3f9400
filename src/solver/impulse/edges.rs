//! Edges of soft bodies that are not solved together with others, which `quads/` solves; the others are rows.
//!
//! Which they are is known when rows of all of them have been looked at once, as for hinges.

use crate::math::Mapped;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Law, Quads, Span};
use crate::solver::rows::Rows;
use crate::threads::Threads;
use crate::world::{Model, State};

/// Lengths of sub-steps that differ by less than this factor count as one.
const LIKE: f32 = 1.3;

/// Which edges are solved four at a time, and what they do.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
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
}

impl Edges {
    /// Forgets which they are, but not what they have given.
    pub(super) fn forget(&mut self) {
        self.known = false;
        self.is_apart.clear();
        self.quads.forget();
    }

    /// Forgets what they have given too.
    pub(super) fn forget_all(&mut self) {
        self.forget();
        self.quads.forget_all();
    }

    /// Whether they are still those for sub-steps of `h` seconds, if they are known: in longer ones springs are harder,
    /// and what is harder is solved together.
    pub(super) fn are_for(&self, h: f32) -> bool {
        !self.known || (h / self.h).max(self.h / h) < LIKE
    }

    /// Whether an edge of the model is one.
    pub(super) fn has(&self, edge: usize) -> bool {
        self.is_apart.get(edge) == Some(&true)
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Finds them, unless they are known, if `rows` has the rows of all edges for a sub-step of `h` seconds. Returns
    /// whether that leaves fewer rows.
    pub(super) fn find(
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
        let bodies = 0..model.bodies.len() as u32;
        let edges = bodies.flat_map(|body| rows.edges_of(body, model, nodes));
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
        !self.is_empty()
    }

    /// Whether any of them is a spring.
    pub(super) fn has_springs(&self) -> bool {
        self.springs
    }

    /// Takes them as they are now, at the beginning of a sub-step in which springs act for `time` seconds.
    pub(super) fn put(&mut self, state: &State, nodes: &Nodes, time: f32, threads: &Threads) {
        if !self.is_empty() {
            let Self { quads, numbers, .. } = self;
            let rest = |edge: u32| state.rest[numbers[edge as usize] as usize];
            quads.put_edges(time, threads, nodes, rest);
        }
    }

    /// Lets springs act for `time` seconds.
    pub(super) fn time_springs(&mut self, time: f32, threads: &Threads) {
        if self.springs {
            self.quads.time_springs(time, threads);
        }
    }

    /// Starts from the part `scale` of what they have given.
    pub(super) fn start(&mut self, scale: f32, threads: &Threads, nodes: &mut Nodes) {
        self.quads.start_equations(scale, threads, nodes);
    }

    /// Keeps of that what [`Nodes::keep_least_energy`] did.
    pub(super) fn keep(&mut self, threads: &Threads, nodes: &Nodes) {
        self.quads.keep(threads, nodes);
    }

    /// Some rounds.
    pub(super) fn press(&mut self, rounds: u32, law: &Law, threads: &Threads, nodes: &mut Nodes) {
        if !self.is_empty() {
            self.quads.press(None, rounds, law, threads, nodes);
        }
    }

    /// Takes errors anew after nodes have moved; returns the largest of a stiff edge, m.
    pub(super) fn follow(&mut self, threads: &Threads, nodes: &Nodes) -> f32 {
        self.quads.follow_equations(threads, nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Impulse;
    use super::*;
    use crate::collision::Collision;
    use crate::math::Vec2;
    use crate::scene::soft::{Jelly, Stiffness};
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::settings::{Overrides, Settings};
    use crate::solver::{Inputs, Solver, StepCx};
    use crate::world::World;

    /// A jelly lies on the ground. With four sub-steps a step its springs are soft, with one they are not; it lies as it
    /// lay when that changes.
    #[test]
    fn what_is_soft_depends_on_the_sub_step() {
        let mesh = Jelly { stiffness: Stiffness::Modulus(1e6), ..Jelly::rectangle(Vec2::ONE) };
        let ground =
            BodyDef::new("ground", Shape::Box { size: Vec2::new(20.0, 1.0) }, -0.5 * Vec2::Y);
        let jelly = Shape::Mesh(mesh.mesh().unwrap());
        let bodies = vec![ground.fixed(), BodyDef::new("jelly", jelly, Vec2::new(0.0, 0.5))];
        let World { model, mut state } =
            World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let mut solver = Impulse::default();
        solver.attach(&model, &state);
        let (mut collision, mut reactions) = (Collision::default(), Vec::new());
        let (inputs, threads) = (Inputs::default(), Threads::default());
        let mut heights = Vec::new();
        for (substeps, is_soft) in [(4, true), (1, false), (4, true)] {
            let overrides = Overrides { substeps: Some(substeps), ..Overrides::default() };
            let settings = overrides.apply(Settings::default());
            for _ in 0..90 {
                solver.step(StepCx {
                    model: &model,
                    state: &mut state,
                    settings: &settings,
                    collision: &mut collision,
                    inputs: &inputs,
                    reactions: &mut reactions,
                    threads: &threads,
                    dt: settings.dt(),
                    recovery: f32::INFINITY,
                });
                assert_eq!(!solver.edges.is_empty(), is_soft);
                heights.push(model.center(&model.bodies[1], &state.position).y);
            }
        }
        // Its own weight takes the centre down by ρ·g·h²/(3·E), 3.3 mm.
        let rest = heights[89];
        assert!((0.4955..0.4975).contains(&rest), "{rest}");
        for height in &heights[89..] {
            assert!((height - rest).abs() < 3e-4, "{height} after {rest}");
        }
    }
}
