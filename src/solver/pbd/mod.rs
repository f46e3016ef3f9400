//! `pbd`: position-based dynamics with small sub-steps.
//!
//! What `verlet` does to points, this backend does to whole rigid bodies: each is one node with a
//! pose, gathered from its points by shape matching (`world/pose.rs`), and so is each point of a
//! soft body. Constraints are the rows that `impulse` uses, and pins, contacts and edges of soft bodies that are large or
//! soft four at a time as there (`quads/projection.rs`), solved for positions instead of
//! velocities, one round in each of many sub-steps. (Macklin, Müller, “Small Steps in Physics
//! Simulation”, 2019; Müller et al., “Detailed Rigid Body Simulation with Extended Position Based
//! Dynamics”, 2020.)
//!
//! Left to rounds, a hanging chain of N equal links sags by `N²/2·g·h²` whatever the order of the
//! sweep: at equal work, 16 sub-steps of one round sag 16 times less than 4 of four. Multipliers start
//! at zero in every sub-step, but for contacts of a heavy body on a light one, which start from a part
//! of what they were, and for springs that are soft for a sub-step, which start from all of it; and the velocity stage, whose errors do not add up, starts from what it gave
//! before, but for contacts of bodies that joints hold. Where bodies meet, or are deep in each
//! other, and where contacts act on a large group that is solved together, there are more rounds than one.
//!
//! Each of `substeps` equal parts of a step of length `h`:
//!
//! 1. half of gravity, **move** by the velocities;
//! 2. **project**: edges and rows at the positions before the move, equations together (`rows/together.rs`),
//!    friction with the memory of what stuck (`contacts.rs`), displacement impulses within bounds;
//! 3. **velocities** from displacements, the other half of gravity, then brought onto the rows as they are after the
//!    move (`rows/follow.rs`): joints and contacts come to rest, or bounce.
//!
//! In a jam, where in each sub-step a contact undoes what a joint wants, the velocity stage takes both back. Begun there
//! with what it gave before it kept on: of joint and contact, which act at two places, a torque was left over, and a
//! foot was said to turn at 700° a second that stood still.

mod contacts;

use crate::collision::Contact;
use crate::settings::SolverKind;
use crate::solver::common;
use crate::solver::direct::Limits;
use crate::solver::forms::{Among, Edges, Hinges};
use crate::solver::nodes::Nodes;
use crate::solver::quads::{BOUNCE_ROUNDS, Back, Closing, Quads};
use crate::solver::rows::{Returns, Rows, Stage, Turn, Warm};
use crate::solver::{Limitation, Reaction, Solver, StepCx, StepReport, Stopwatch};
use crate::threads::Threads;
use crate::world::{Body, Model, Renumbering, State};

use contacts::Contacts;

/// Rounds of the position stage where springs have nothing to start from yet, or bodies meet: what one hits is pressed into another, and a limb
/// into its joint. Or where one is deep in another: each pair that comes apart pushes its neighbours
/// together, and of two corners that are pushed out in turn the first turns the box.
const HARD_ROUNDS: u32 = 8;
/// Soft bodies and groups of joints that take more work are left to rounds, and so are bodies of springs that hardly swing
/// within a sub-step: with what they gave before to start from they hang as where they are solved together, in a heap at a
/// fifth of the time.
const LIMITS: Limits = Limits { most_work: 4000, soft: 0.25, first: 1.0 };
/// Rounds of the velocity stage.
const VELOCITY_ROUNDS: u32 = 4;
/// Rounds where bodies are deep in each other: what comes apart must not fly apart, and rounds over
/// velocities take back what those over positions gave only as far as they reach.
const DEEP_ROUNDS: u32 = 16;

/// The position-based backend.
#[derive(Clone, Debug, Default)]
pub struct Pbd {
    nodes: Nodes,
    rows: Rows,
    edges: Edges,
    quads: Quads,
    hinges: Hinges,
    contacts: Contacts,
    /// Impulses of the velocity stage on joints and edges in the sub-step before.
    eased: Warm,
    /// How strongly springs that take turns pulled then.
    pulls: Warm,
    /// Impulse of each joint in this step, N·s and N·m·s.
    reactions: Vec<Reaction>,
}

impl Solver for Pbd {
    fn kind(&self) -> SolverKind {
        SolverKind::Pbd
    }

    fn limitations(&self, model: &Model, _state: &State) -> Vec<Limitation> {
        let mut found = Vec::new();
        let solid = |body: &Body| model.pieces_of(body).iter().any(|piece| piece.count >= 3);
        if model.bodies.iter().any(|body| body.soft && body.is_dynamic() && solid(body)) {
            found.push(Limitation {
                text:
                    "where solid soft bodies are pressed hard, as along a fresh cut, pieces may be \
                       turned inside out and come back late or not at all; verlet holds them best"
                        .to_owned(),
            });
        }
        found
    }

    fn attach(&mut self, model: &Model, _state: &State) {
        self.nodes.attach(model);
        self.rows.reset(LIMITS);
        self.edges.forget_all();
        self.quads.forget_all();
        self.contacts.clear();
        self.hinges.forget();
        self.eased.clear();
        self.pulls.clear();
    }

    fn renumber(&mut self, model: &Model, _state: &State, renumbering: &Renumbering) {
        self.nodes.renumber(model, renumbering);
        self.contacts.renumber(renumbering, &self.quads);
        self.rows.renumber(renumbering);
        self.rows.forget_groups();
        self.hinges.forget();
        self.edges.forget();
        self.quads.forget();
        if !renumbering.same_constraints() {
            self.edges.forget_all();
            self.quads.forget_all();
            self.rows.reset(LIMITS);
            self.eased.clear();
            self.pulls.clear();
        }
    }

    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        cx.threads.engage(|| self.advance(cx))
    }

    fn contacts(&self, list: &mut Vec<Contact>) {
        self.contacts.list(&self.quads, list);
    }
}

impl Pbd {
    /// Advances the state by `cx.dt`.
    fn advance(&mut self, mut cx: StepCx<'_>) -> StepReport {
        let effort = cx.settings.effort(self.kind());
        let h = cx.dt / effort.substeps as f32;
        let mut report = StepReport::default();
        let mut watch = Stopwatch::start();
        if !self.edges.are_for(h) {
            self.rows.forget_groups();
            self.edges.forget_all();
        }
        common::apply_drags(cx.model, cx.state, cx.inputs, cx.dt);
        self.contacts.find_pairs(&mut cx);
        self.reactions.clear();
        self.reactions.resize(cx.model.joints.len(), Reaction::default());
        self.nodes.gather(cx.model, cx.state, cx.recovery, cx.dt, cx.threads);
        self.rows.begin_step(cx.recovery, cx.threads);
        self.contacts.begin_step(&cx, &self.nodes);
        watch.lap(&mut report.phases.broad);
        for substep in 0..effort.substeps {
            let left = cx.dt - substep as f32 * h;
            if substep > 0 {
                self.contacts.go_on(&mut cx, &mut self.nodes, h, left);
            }
            watch.lap(&mut report.phases.integrate);
            self.build(&mut cx, h);
            watch.lap(&mut report.phases.narrow);
            let hard = self.contacts.any_impact() || self.contacts.any_deep();
            let least = if hard || self.edges.any_new_springs() { HARD_ROUNDS } else { 1 };
            let rounds = effort.iterations.max(least);
            report.iterations += rounds;
            report.residual = self.solve(&cx, rounds, h);
            let Self { nodes, contacts, rows, quads, .. } = self;
            let of_rows = |normal| rows.impulse(normal) / h + rows.eased(normal);
            contacts.forms.tell_impulses(&mut cx, quads, of_rows);
            watch.lap(&mut report.phases.solve);
            nodes.hold_back(&mut cx, |pair| contacts.forms.circles(pair));
            self.nodes.advance(&mut cx, substep + 1 < effort.substeps);
            watch.lap(&mut report.phases.integrate);
        }
        self.nodes.write_all(cx.model, cx.state, cx.threads);
        common::tell_reactions(&self.reactions, cx.dt, cx.threads, cx.reactions);
        report
    }

    /// All constraints at the present positions.
    fn build(&mut self, cx: &mut StepCx<'_>, h: f32) {
        self.add_rows(cx, h);
        let Self { nodes, rows, edges, quads, hinges, .. } = self;
        let fewer = [
            hinges.find(cx.model, nodes, rows, quads, Among::Pins),
            edges.find(cx.model, nodes, rows, h, cx.threads),
        ];
        if fewer.contains(&true) {
            self.add_rows(cx, h);
        }
        let Self { nodes, rows, edges, quads, contacts, hinges, .. } = self;
        edges.put(cx.state, nodes, h, cx.threads);
        rows.add_guards(cx.model, cx.state, nodes, h);
        quads.put_guards(rows.loose_guards(), cx.model, nodes);
        contacts.add(cx, nodes, rows, (quads, hinges.ties()), h);
        rows.let_others_meet(quads.any_loose() && !edges.is_empty());
        let returns = Returns { pace: 1.0, most: rows.closes_by(h) };
        let closing = Closing { returns, ahead: 1.0 };
        hinges.put((cx.model, cx.state), nodes, closing, [h, h], cx.threads, quads);
    }

    /// Rows of everything but guards, contacts and what `quads/` solves.
    fn add_rows(&mut self, cx: &StepCx<'_>, h: f32) {
        let Self { nodes, rows, edges, hinges, .. } = self;
        rows.clear();
        let takes = (hinges.others(cx.model), |edge: usize| !edges.has(edge));
        rows.add_joints_and_edges(cx.model, cx.state, nodes, h, takes);
        rows.prepare(Stage::Places, h, nodes);
    }

    /// Moves all, corrects that until constraints hold, and brings velocities onto them. Returns how far something is open, or
    /// too long or short, at most, m.
    fn solve(&mut self, cx: &StepCx<'_>, rounds: u32, h: f32) -> f32 {
        let (threads, change) = (cx.threads, 0.5 * h * cx.settings.gravity);
        let (back, rounds) = (self.back(h), [rounds, self.velocity_rounds()]);
        let Self { nodes, rows, edges, quads, hinges, eased, pulls, .. } = self;
        let no_equations = hinges.ties().is_empty() && edges.is_empty();
        let alone = rows.are_none() && no_equations && !quads.any_loose();
        if alone {
            quads.project_alone(rounds, back, change, threads, nodes);
            eased.clear();
            pulls.clear();
            return 0.0;
        }
        quads.note_coming(threads, nodes);
        nodes.accelerate_and_displace(change, h, threads);
        self.project(rounds[0], back, threads);
        let error = self.rows.largest_error(&self.nodes);
        self.nodes.velocities_from_displacements(h, threads);
        self.nodes.accelerate(change, threads);
        error.max(self.relax_velocities(cx, rounds[1], h))
    }

    /// How much of what was wrong before a sub-step comes back in it.
    fn back(&self, h: f32) -> Back {
        let rows = &self.rows;
        let (closes, turns) = (rows.closes_by(h), rows.turns_back_by(h));
        Back { closes, turns, parts: rows.push_out_speed() * h, h }
    }

    /// How many rounds the velocity stage has.
    fn velocity_rounds(&self) -> u32 {
        match (self.contacts.any_deep(), self.contacts.any_bounces(&self.quads)) {
            (true, _) => DEEP_ROUNDS,
            (false, true) => BOUNCE_ROUNDS,
            (false, false) => VELOCITY_ROUNDS,
        }
    }

    /// Displaces all until constraints hold.
    fn project(&mut self, rounds: u32, back: Back, threads: &Threads) {
        let Self { nodes, rows, edges, quads, contacts, pulls, .. } = self;
        contacts.warm_start(rows, nodes);
        rows.start_springs(pulls, back.h, nodes);
        let in_turn = rows.len() > 0 || quads.any_loose();
        let mut starts = [true; 2];
        let mut project = |turn: Turn, rounds: u32, nodes: &mut Nodes| {
            let starts = std::mem::take(&mut starts[turn as usize]);
            match turn {
                Turn::BeforeRows => edges.project(starts, rounds, back, threads, nodes),
                Turn::AfterRows => quads.project(starts, rounds, back, threads, nodes),
            }
        };
        if in_turn {
            // What takes turns with others starts before them all.
            project(Turn::AfterRows, 0, nodes);
        }
        rows.project(rounds, back.h, nodes, project);
        rows.note_warm(|row| rows.pull_of(row, back.h), pulls);
    }

    /// Brings velocities onto the constraints. Returns how far a hinge is open, or a stiff edge too long or short, at most, m.
    fn relax_velocities(&mut self, cx: &StepCx<'_>, rounds: u32, h: f32) -> f32 {
        let Self { nodes, rows, edges, quads, hinges, contacts, eased, reactions, .. } = self;
        let threads = cx.threads;
        rows.follow_all(cx.model, cx.state, nodes);
        rows.note_pulls(1.0 / (h * h));
        rows.prepare(Stage::Rest, h, nodes);
        let open = contacts.follow(cx, rows, quads, nodes, h);
        let open = open.max(edges.arrive(h, threads, nodes));
        contacts.ease(cx.model, rows, nodes);
        let free = hinges.ties().is_empty() && edges.is_empty() && !quads.any_guards();
        let (mut starts, held) = (true, !free);
        if rows.len() > 0 || held {
            quads.relax(std::mem::take(&mut starts), 0, threads, nodes);
        }
        let ease = |nodes: &mut Nodes| {
            edges.ease(threads, nodes);
            quads.ease_equations(threads, nodes);
        };
        rows.ease_gently(eased, nodes, held.then_some(ease));
        edges.keep(threads, nodes);
        quads.keep_eased(threads, nodes);
        let relax = |turn: Turn, rounds: u32, nodes: &mut Nodes| match turn {
            Turn::BeforeRows => edges.relax(rounds, threads, nodes),
            Turn::AfterRows => quads.relax(std::mem::take(&mut starts), rounds, threads, nodes),
        };
        rows.relax(rounds, h, |row| contacts.bounce(row), nodes, relax);
        rows.note_warm(|row| rows.eased(row), eased);
        hinges.sum_reactions(quads, reactions, threads);
        contacts.remember(rows, quads, nodes, threads);
        rows.sum_reactions(|row| rows.impulse(row) / h + rows.eased(row), reactions);
        open
    }
}

#[cfg(test)]
mod tests {
    use super::Pbd;
    use crate::solver::alone;

    #[test]
    fn alone_is_the_same_to_the_bit_as_in_turns() {
        alone::alone_is_the_same_to_the_bit_as_in_turns(|solver: &Pbd| {
            (solver.rows.are_none(), solver.quads.manifolds(), solver.quads.any_bounces())
        });
    }

    #[test]
    fn what_contacts_give_is_what_bodies_get() {
        alone::what_contacts_give_is_what_bodies_get::<Pbd>(true);
    }

    #[test]
    fn what_is_soft_depends_on_the_sub_step() {
        alone::what_is_soft_depends_on_the_sub_step(
            [(48, true), (6, false), (48, true)],
            |solver: &Pbd| !solver.edges.is_empty(),
        );
    }
}
