//! `impulse`: sequential impulses, for comparison.
//!
//! Where `verlet` moves points and lets velocity follow, this backend solves for velocities and
//! lets positions follow: the method of most game engines (Catto, “Iterative Dynamics with Temporal
//! Coherence”, GDC 2005). Each rigid body is gathered from its points into one node with a pose, a
//! velocity and a spin (`nodes.rs`); each point of a soft body is a node of its own. Every
//! constraint becomes one or two rows of a Jacobian (`rows.rs`):
//!
//! | constraint | rows | impulse |
//! |---|---|---|
//! | pin | 2 | free |
//! | angle limit | 1 for each end | pushes only |
//! | edge of a soft body | 1 | free; springy if the edge is |
//! | contact (`contacts.rs`) | friction, normal | within `±μ` of the normal one; pushes only |
//!
//! Contacts and pins between blocks are most of the work of a heap, edges that are not solved together all the work
//! of a cloth. They are rows too, but written out, four pairs of nodes at a time (`quads/`, `forms/`).
//!
//! Each of `substeps` equal parts of a step:
//!
//! 1. **gravity** on velocities: half of it in the first sub-step, the other half at the end of the
//!    step (and springs likewise, in step 3), so that positions are moved by the velocity in the
//!    middle of each interval and a projectile follows its parabola exactly (velocity Verlet);
//! 2. **rows** at the present positions, warm started with the impulses of the sub-step before; manifolds of
//!    bodies that hardly move are kept from sub-step to sub-step and from step to step, and only their gaps are
//!    taken anew;
//!    what joints pull on resists turning as an implicit spring would where it is loaded so heavily that a sub-step
//!    cannot follow (`Nodes::bear`);
//! 3. `iterations` rounds of **impulses**: what is solved together (`rows/together.rs`) at once, each
//!    other row in turn; each gets what brings its velocity to where it should be, the sum clamped to
//!    its bounds. Bodies that pins hold get up to four times as many as they come to rest (`quads/impulse.rs`);
//! 4. **move** by the velocities;
//! 5. **position correction**: overlap that is left is removed by a part of it, from positions only,
//!    so that it adds no energy. Joints have given back a part of their error with the velocities of
//!    step 3; now rows are taken anew where bodies are by then (`rows/follow.rs`), and all **settle**: that speed
//!    is taken away again, from joints and contacts;
//! 6. **restitution** for what came faster than 1 m/s and was pressed (`quads/bounce.rs`).
//!
//! [`Response::Soft`] makes contacts damped springs instead of step 5, [`Response::Classic`] is the
//! textbook form: one sub-step, and nothing settles.

mod contacts;

use crate::collision::Contact;
use crate::settings::{Response, SolverKind};
use crate::solver::common;
use crate::solver::{Limitation, Reaction, Solver, StepCx, StepReport, Stopwatch};
use crate::threads::Threads;
use crate::world::{Model, Renumbering, State};

use crate::solver::direct::Limits;
use crate::solver::forms::{Among, Edges, Hinges};
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Closing, Law, Quads};
use crate::solver::rows::{Correction, Rows, Stage, Turn, Warm};
use contacts::Contacts;

/// Rounds where bodies meet: what one hits is pressed into another, and a limb into its joint.
const IMPACT_ROUNDS: u32 = 16;
/// Soft bodies and groups of joints that take more work are left to rounds. Wide stiff sheets gain energy
/// here if they are solved together. So are bodies of soft springs: up to such a hardness, for the first sub-step, which
/// springs act half as long in, lids of twenty and forty times the mass of a jelly lie on it in rounds as they do where
/// it is solved together.
const LIMITS: Limits = Limits { most_work: 1000, soft: 8.0, first: HALF };
/// The part of gravity that acts at the beginning of a step, and again at its end.
const HALF: f32 = 0.5;
/// Rounds of position correction in a sub-step.
const POSITION_ROUNDS: u32 = 2;
/// Overlap that position correction leaves alone, m. Contacts are made before bodies touch, so that none
/// is lost for want of overlap.
const SLOP: f32 = 1e-4;
/// The same in the textbook form, where it keeps contacts from being lost.
const CLASSIC_SLOP: f32 = 0.005;
/// Rounds in which joints settle at the end of a sub-step, unless there are fewer in which they are solved.
const SETTLING_ROUNDS: u32 = 4;

/// The sequential impulse backend.
#[derive(Clone, Debug, Default)]
pub struct Impulse {
    nodes: Nodes,
    rows: Rows,
    edges: Edges,
    quads: Quads,
    contacts: Contacts,
    hinges: Hinges,
    /// Impulses of joint and edge rows in the sub-step before, by their order.
    warm: Warm,
    /// Impulse of each joint in this step, N·s and N·m·s.
    reactions: Vec<Reaction>,
}

impl Solver for Impulse {
    fn kind(&self) -> SolverKind {
        SolverKind::Impulse
    }

    fn limitations(&self, model: &Model, _state: &State) -> Vec<Limitation> {
        let mut found = Vec::new();
        if model.bodies.iter().any(|body| body.soft && body.is_dynamic()) {
            found.push(Limitation {
                text: "soft edges are implicit springs in velocity: they lose more energy per \
                       swing than the edges of verlet, the more the larger the sub-step"
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
        self.warm.clear();
    }

    fn renumber(&mut self, model: &Model, _state: &State, renumbering: &Renumbering) {
        self.nodes.renumber(model, renumbering);
        self.contacts.renumber(renumbering, &self.quads);
        self.hinges.forget();
        self.rows.renumber(renumbering);
        self.rows.forget_groups();
        self.edges.forget();
        self.quads.forget();
        if !renumbering.same_constraints() {
            self.edges.forget_all();
            self.quads.forget_all();
            self.rows.reset(LIMITS);
            self.warm.clear();
        }
    }

    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        cx.threads.engage(|| self.advance(cx))
    }

    fn contacts(&self, list: &mut Vec<Contact>) {
        self.contacts.list(&self.quads, list);
    }
}

impl Impulse {
    /// Advances the state by `cx.dt`.
    fn advance(&mut self, mut cx: StepCx<'_>) -> StepReport {
        let threads = cx.threads;
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
        watch.lap(&mut report.phases.broad);
        self.nodes.gather(cx.model, cx.state, cx.recovery, cx.dt, threads);
        self.rows.begin_step(cx.recovery, cx.threads);
        self.contacts.begin_step(&cx, &self.nodes);
        for substep in 0..effort.substeps {
            let kick = if substep == 0 { HALF } else { 1.0 };
            let left = cx.dt - substep as f32 * h;
            if substep > 0 {
                let Self { nodes, rows, contacts, quads, .. } = self;
                contacts.go_on(&mut cx, nodes, (rows, quads), h, left);
            }
            self.nodes.accelerate(kick * h * cx.settings.gravity, threads);
            watch.lap(&mut report.phases.integrate);
            let start = self.build_rows(&mut cx, h, kick);
            watch.lap(&mut report.phases.narrow);
            let least = if self.contacts.any_impact() { IMPACT_ROUNDS } else { 1 };
            let rounds = effort.iterations.max(least);
            report.iterations += rounds;
            let settling = SETTLING_ROUNDS.min(effort.iterations);
            report.residual = self.solve(&cx, start, [rounds, settling], h, kick);
            self.tell_impulses(&mut cx);
            let Self { nodes, contacts, .. } = self;
            watch.lap(&mut report.phases.solve);
            nodes.hold_back(&mut cx, |pair| contacts.forms.circles(pair));
            self.remember(kick, threads);
            self.nodes.advance(&mut cx, substep + 1 < effort.substeps);
            watch.lap(&mut report.phases.integrate);
        }
        self.finish(&mut cx, h, effort.iterations);
        watch.lap(&mut report.phases.solve);
        common::tell_reactions(&self.reactions, cx.dt, threads, cx.reactions);
        report
    }

    /// Rows of all constraints at the present positions, warm started for the part `kick` of gravity. Where contacts are
    /// all there is, it is left to their first round to start them, and the part of what they hold is returned.
    fn build_rows(&mut self, cx: &mut StepCx<'_>, h: f32, kick: f32) -> Option<f32> {
        self.add_rows(cx, h, kick);
        let Self { nodes, rows, edges, quads, hinges, .. } = self;
        let threads = cx.threads;
        let fewer = [
            hinges.find(cx.model, nodes, rows, quads, Among::All),
            edges.find(cx.model, nodes, rows, h, threads),
        ];
        if fewer.contains(&true) {
            self.add_rows(cx, h, kick);
        }
        let Self { nodes, rows, edges, contacts, quads, hinges, warm, .. } = self;
        edges.put(cx.state, nodes, kick * h, threads);
        rows.add_guards(cx.model, cx.state, nodes, h);
        quads.put_guards(rows.loose_guards(), cx.model, nodes);
        contacts.add(cx, nodes, rows, quads, hinges.ties(), h);
        rows.let_others_meet(quads.any_loose() && !edges.is_empty());
        let closing = Closing { returns: rows.returns(1.0 / h), ahead: 1.0 / h };
        hinges.put((cx.model, cx.state), nodes, closing, [h, kick * h], threads, quads);
        quads.bear_pulls(h / contacts.held(), threads, nodes);
        let start = kick / contacts.held();
        let no_equations = hinges.ties().is_empty() && edges.is_empty() && !quads.any_guards();
        if rows.len() == 0 && no_equations {
            return Some(start);
        }
        quads.start_contacts(start, threads, nodes);
        contacts.start(kick, rows, nodes);
        // After contacts: what holds a body that lies on the ground together is no use before the
        // ground holds it.
        let of_joints = contacts.first_row();
        if of_joints == 0 && no_equations {
            return None;
        }
        nodes.note_speeds(threads);
        rows.warm_start(warm, kick, nodes);
        edges.start(start, threads, nodes);
        quads.start_equations(start, threads, nodes);
        nodes.keep_least_energy(threads);
        rows.keep(of_joints, nodes);
        edges.keep(threads, nodes);
        quads.keep(threads, nodes);
        None
    }

    /// Rows of everything but guards, contacts and what `quads/` solves.
    fn add_rows(&mut self, cx: &StepCx<'_>, h: f32, kick: f32) {
        let Self { nodes, rows, edges, hinges, .. } = self;
        rows.clear();
        let takes = (hinges.others(cx.model), |edge: usize| !edges.has(edge));
        rows.add_joints_and_edges(cx.model, cx.state, nodes, h, takes);
        rows.time_springs(kick * h);
        rows.prepare(Stage::Speeds, h, nodes);
    }

    /// Steps 3 to 6 of a sub-step of `h` seconds: rounds over velocities, moving, position correction, rounds in which all
    /// settles, and what bounces parts. Returns how far something is open, or too long or short, at most, m.
    fn solve(
        &mut self,
        cx: &StepCx<'_>,
        mut start: Option<f32>,
        [rounds, settling]: [u32; 2],
        h: f32,
        kick: f32,
    ) -> f32 {
        let (threads, response) = (cx.threads, cx.settings.response);
        let law = Law {
            soft: self.contacts.soft(),
            returns: self.rows.returns(1.0 / h),
            closes: 1.0,
            time: Some(kick * h),
            ..self.rest(h)
        };
        let slop = if response == Response::Classic { CLASSIC_SLOP } else { SLOP };
        let correction = Correction::new(POSITION_ROUNDS, slop, cx.recovery, h);
        let rest = self.rest(h);
        let Self { nodes, rows, edges, quads, .. } = self;
        let alone = rows.are_none() && edges.is_empty() && !quads.any_loose();
        if alone && response == Response::Conserving {
            let rounds = [rounds, POSITION_ROUNDS, settling];
            return quads.solve_alone(start, rounds, [&law, &rest], correction, threads, nodes);
        }
        rows.solve(rounds, h, kick * h, nodes, |turn, rounds, nodes| match turn {
            Turn::BeforeRows => edges.press(rounds, &law, threads, nodes),
            Turn::AfterRows => quads.press(start.take(), rounds, &law, threads, nodes),
        });
        nodes.displace(h, threads);
        if response != Response::Soft {
            rows.correct_positions(POSITION_ROUNDS, correction, nodes, |rounds, nodes| {
                quads.correct(rounds, correction, threads, nodes);
            });
        }
        let error = rows.largest_error(nodes);
        let open = self.settle(cx, settling, h, kick);
        let Self { nodes, rows, quads, contacts, .. } = self;
        contacts.restitute(rows, quads, threads, nodes);
        error.max(open)
    }

    /// What rounds at the end of a sub-step of `h` seconds are for: all comes to rest, nothing gives back error.
    fn rest(&self, h: f32) -> Law {
        let push_out = self.rows.push_out_speed();
        Law { h, soft: None, push_out, returns: self.rows.returns(0.0), closes: 0.0, time: None }
    }

    /// Takes away the speed with which joints gave back error. What they do to contacts meanwhile is
    /// taken back as well; left alone it makes piles creep and shake. Returns how far a hinge is open, or a stiff edge too long or short, at most, m.
    fn settle(&mut self, cx: &StepCx<'_>, rounds: u32, h: f32, kick: f32) -> f32 {
        let StepCx { model, state, threads, .. } = cx;
        let response = cx.settings.response;
        self.rows.follow_all(model, state, &self.nodes);
        let open = self.quads.follow_equations(threads, &self.nodes);
        let open = open.max(self.edges.follow(threads, &self.nodes));
        if response != Response::Classic {
            self.rows.prepare(Stage::Rest, h, &self.nodes);
            if self.contacts.soft().is_some() {
                self.quads.follow_gaps(threads, &self.nodes);
            }
            let law = self.rest(h);
            let Self { nodes, rows, edges, quads, .. } = self;
            rows.settle(rounds, nodes, |turn, rounds, nodes| match turn {
                Turn::BeforeRows => edges.press(rounds, &law, threads, nodes),
                Turn::AfterRows => quads.press(None, rounds, &law, threads, nodes),
            });
        }
        self.rows.note_pulls(1.0 / (kick * h));
        open
    }

    /// The half of gravity and of springs that is left, against the rows of the last sub-step.
    fn finish(&mut self, cx: &mut StepCx<'_>, h: f32, iterations: u32) {
        let threads = cx.threads;
        self.contacts.end_step(&self.rows, &self.quads);
        self.nodes.accelerate(HALF * h * cx.settings.gravity, threads);
        self.rows.time_springs(HALF * h);
        self.edges.time_springs(HALF * h, threads);
        let servos = self.hinges.has_servos();
        if servos {
            self.quads.time_springs(HALF * h, threads);
        }
        // Where nothing springs, what was made ready for settling still holds.
        let springs = self.rows.has_springs() || self.edges.has_springs();
        if springs {
            self.rows.prepare(Stage::Speeds, h, &self.nodes);
        }
        let start = HALF / self.contacts.held();
        self.rows.restart(start, &mut self.nodes);
        self.edges.start(start, threads, &mut self.nodes);
        let law = Law { time: (springs || servos).then_some(HALF * h), ..self.rest(h) };
        let Self { nodes, rows, edges, quads, .. } = self;
        let mut start = Some(start);
        if rows.len() > 0 || quads.any_loose() {
            // What takes turns with others starts before them all.
            quads.press(start.take(), 0, &law, threads, nodes);
        }
        let press = |turn: Turn, rounds: u32, nodes: &mut Nodes| match turn {
            Turn::BeforeRows => edges.press(rounds, &law, threads, nodes),
            Turn::AfterRows => quads.press(start.take(), rounds, &law, threads, nodes),
        };
        if springs {
            rows.hold(iterations, HALF * h, nodes, press);
        } else {
            rows.settle(iterations, nodes, press);
        }
        self.sum_reactions(threads);
        self.tell_impulses(cx);
        // What they hold goes on into the next step.
        self.contacts.hold(HALF);
        self.nodes.scatter(cx.model, cx.state, threads);
    }

    /// Keeps impulses for the next sub-step.
    fn remember(&mut self, kick: f32, threads: &Threads) {
        self.rows.note_warm(|row| self.rows.impulse(row) / kick, &mut self.warm);
        self.sum_reactions(threads);
        self.contacts.hold(kick);
    }

    /// Tells what contacts have given in this sub-step, if somebody wants to know.
    fn tell_impulses(&self, cx: &mut StepCx<'_>) {
        let Self { rows, quads, contacts, .. } = self;
        contacts.forms.tell_impulses(cx, quads, |friction| rows.impulse(friction + 1));
    }

    /// Adds the impulses of this sub-step to those of each joint.
    fn sum_reactions(&mut self, threads: &Threads) {
        self.rows.sum_reactions(|row| self.rows.impulse(row), &mut self.reactions);
        self.hinges.sum_reactions(&self.quads, &mut self.reactions, threads);
    }
}

#[cfg(test)]
mod tests {
    use super::Impulse;
    use crate::solver::alone;

    #[test]
    fn alone_is_the_same_to_the_bit_as_in_turns() {
        alone::alone_is_the_same_to_the_bit_as_in_turns(|solver: &Impulse| {
            (solver.rows.are_none(), solver.quads.manifolds(), solver.quads.any_bounces())
        });
    }

    #[test]
    fn what_contacts_give_is_what_bodies_get() {
        alone::what_contacts_give_is_what_bodies_get::<Impulse>(true);
    }

    #[test]
    fn what_is_soft_depends_on_the_sub_step() {
        alone::what_is_soft_depends_on_the_sub_step(
            [(4, true), (1, false), (4, true)],
            |solver: &Impulse| !solver.edges.is_empty(),
        );
    }
}
