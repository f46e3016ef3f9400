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
//! Contacts between blocks are most of the work of a pile. They are rows too, but written out, four pairs of
//! bodies at a time (`manifolds/`).
//!
//! Each of `substeps` equal parts of a step:
//!
//! 1. **gravity** on velocities: half of it in the first sub-step, the other half at the end of the
//!    step (and springs likewise, in step 3), so that positions are moved by the velocity in the
//!    middle of each interval and a projectile follows its parabola exactly (velocity Verlet);
//! 2. **rows** at the present positions, warm started with the impulses of the sub-step before; manifolds of
//!    bodies that hardly move are kept, and only their gaps are taken anew;
//! 3. `iterations` rounds of **impulses**: what is solved together (`rows/together.rs`) at once, each
//!    other row in turn; each gets what brings its velocity to where it should be, the sum clamped to
//!    its bounds;
//! 4. **move** by the velocities;
//! 5. **position correction**: overlap that is left is removed by a part of it, from positions only,
//!    so that it adds no energy. Joints have given back a part of their error with the velocities of
//!    step 3; now all **settle**: that speed is taken away again, from joints and contacts;
//! 6. **restitution** for what met faster than 1 m/s.
//!
//! [`Response::Soft`] makes contacts damped springs instead of step 5, [`Response::Classic`] is the
//! textbook form: one sub-step, and nothing settles.

mod contacts;

use crate::settings::{Response, SolverKind};
use crate::solver::common;
use crate::solver::{Limitation, Reaction, Solver, StepCx, StepReport, Stopwatch};
use crate::threads::Threads;
use crate::world::{Model, Renumbering, State};

use crate::solver::nodes::Nodes;
use crate::solver::rows::{Correction, Rows, Stage};
use contacts::Contacts;

/// Rounds where bodies meet: what one hits is pressed into another, and a limb into its joint.
const IMPACT_ROUNDS: u32 = 16;
/// Soft bodies and groups of joints that take more work are left to rounds. Wide stiff sheets gain energy
/// here if they are solved together.
const MOST_WORK: usize = 1000;
/// Rounds of position correction in a sub-step.
const POSITION_ROUNDS: u32 = 2;
/// Overlap that position correction leaves alone, m. Contacts are made before bodies touch, so that none
/// is lost for want of overlap.
const SLOP: f32 = 1e-4;
/// The same in the textbook form, where it keeps contacts from being lost.
const CLASSIC_SLOP: f32 = 0.005;
/// Rounds in which joints settle at the end of a sub-step.
const SETTLING_ROUNDS: u32 = 4;

/// The sequential impulse backend.
#[derive(Clone, Debug, Default)]
pub struct Impulse {
    nodes: Nodes,
    rows: Rows,
    contacts: Contacts,
    /// Impulses of joint and edge rows in the sub-step before, by their order.
    warm: Vec<f32>,
    /// Impulse of each joint in this step, N·s and N·m·s.
    reactions: Vec<Reaction>,
    /// The part of gravity that the last rows were solved for.
    kick: f32,
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
        self.rows.reset(MOST_WORK);
        self.contacts.clear();
        self.warm.clear();
    }

    fn renumber(&mut self, model: &Model, _state: &State, renumbering: &Renumbering) {
        self.nodes.renumber(model, renumbering);
        self.contacts.renumber(renumbering);
        if !renumbering.same_constraints() {
            self.rows.reset(MOST_WORK);
            self.warm.clear();
        }
    }

    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        cx.threads.engage(|| self.advance(cx))
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
        common::apply_drags(cx.model, cx.state, cx.inputs, cx.dt);
        self.contacts.touches().find_pairs(&mut cx);
        self.reactions.clear();
        self.reactions.resize(cx.model.joints.len(), Reaction::default());
        watch.lap(&mut report.phases.broad);
        self.nodes.gather(cx.model, cx.state, cx.recovery, cx.dt, threads);
        self.rows.recover_within(cx.recovery);
        self.contacts.begin_step(&cx, &self.nodes);
        for substep in 0..effort.substeps {
            let kick = if substep == 0 { 0.5 } else { 1.0 };
            let left = cx.dt - substep as f32 * h;
            if substep > 0 {
                self.contacts.go_on(&mut cx, &mut self.nodes, &self.rows, h, left);
            }
            self.nodes.accelerate(kick * h * cx.settings.gravity, threads);
            watch.lap(&mut report.phases.integrate);
            self.build_rows(&mut cx, h, kick);
            watch.lap(&mut report.phases.narrow);
            let least = if self.contacts.any_impact() { IMPACT_ROUNDS } else { 1 };
            let rounds = effort.iterations.max(least);
            let Self { nodes, rows, contacts, .. } = self;
            let most = rows.push_out_speed();
            rows.solve(rounds, h, kick * h, nodes, |rounds, nodes| {
                contacts.press(rounds, h, most, threads, nodes);
            });
            report.iterations += rounds;
            watch.lap(&mut report.phases.solve);
            self.nodes.displace(h, threads);
            if cx.settings.response != Response::Soft {
                let slop =
                    if cx.settings.response == Response::Classic { CLASSIC_SLOP } else { SLOP };
                let correction = Correction::new(POSITION_ROUNDS, slop, cx.recovery, h);
                let Self { nodes, rows, contacts, .. } = self;
                rows.correct_positions(POSITION_ROUNDS, correction, nodes, |rounds, nodes| {
                    contacts.correct_positions(rounds, correction, threads, nodes);
                });
            }
            report.residual = self.rows.largest_error(&self.nodes);
            self.settle(cx.settings.response, h, kick, threads);
            self.contacts.restitute(&mut self.rows, &mut self.nodes);
            watch.lap(&mut report.phases.solve);
            self.nodes.hold_back(cx.collision, cx.model, cx.state, threads);
            self.remember(kick, threads);
            if substep + 1 < effort.substeps {
                self.contacts.follow_gaps(threads, &self.nodes);
            }
            self.nodes.advance(cx.model, cx.state, threads);
            watch.lap(&mut report.phases.integrate);
        }
        self.finish(&mut cx, h, effort.iterations);
        watch.lap(&mut report.phases.solve);
        report.contacts = cx.output.contacts.len();
        cx.output.reactions.clear();
        cx.output.reactions.extend(self.reactions.iter().map(|sum| sum.over(cx.dt)));
        report
    }

    /// Rows of all constraints at the present positions, warm started for the part `kick` of
    /// gravity.
    fn build_rows(&mut self, cx: &mut StepCx<'_>, h: f32, kick: f32) {
        self.rows.clear();
        self.rows.add_joints_and_edges(cx.model, cx.state, &self.nodes, h);
        self.rows.time_springs(kick * h);
        self.rows.foresee_turns(h, &self.nodes);
        self.rows.prepare(self.rows.len(), Stage::Speeds, h, &self.nodes);
        self.contacts.add(cx, &mut self.nodes, &mut self.rows, h, kick);
        // After contacts: what holds a body that lies on the ground together is no use before the
        // ground holds it.
        if self.warm.len() == self.contacts.first_row() {
            self.rows.warm_start(&self.warm, kick, &mut self.nodes);
        }
    }

    /// Takes away the speed with which joints gave back error. What they do to contacts meanwhile is
    /// taken back as well; left alone it makes piles creep and shake.
    fn settle(&mut self, response: Response, h: f32, kick: f32, threads: &Threads) {
        let of_joints = self.contacts.first_row();
        self.rows.follow_first(of_joints, &self.nodes);
        self.rows.follow_springs(&self.nodes);
        if response != Response::Classic {
            self.rows.prepare(of_joints, Stage::Rest, h, &self.nodes);
            self.contacts.follow_springs(threads, &self.nodes);
            let Self { nodes, rows, contacts, .. } = self;
            rows.settle(SETTLING_ROUNDS, nodes, |rounds, nodes| {
                contacts.rest(rounds, h, threads, nodes);
            });
        }
        self.rows.note_pulls(of_joints, 1.0 / (kick * h));
    }

    /// The half of gravity and of springs that is left, against the rows of the last sub-step.
    fn finish(&mut self, cx: &mut StepCx<'_>, h: f32, iterations: u32) {
        let threads = cx.threads;
        self.contacts.end_step(&self.rows, threads, &mut cx.output.contacts);
        self.nodes.accelerate(0.5 * h * cx.settings.gravity, threads);
        self.rows.time_springs(0.5 * h);
        // Where nothing springs, what was made ready for settling still holds.
        let springs = self.rows.has_springs();
        if springs {
            self.rows.prepare(self.contacts.first_row(), Stage::Speeds, h, &self.nodes);
        }
        self.rows.restart(0.5 / self.kick, &mut self.nodes);
        self.contacts.restart(0.5, threads, &mut self.nodes);
        let Self { nodes, rows, contacts, .. } = self;
        let press = |rounds: u32, nodes: &mut Nodes| contacts.rest(rounds, h, threads, nodes);
        if springs {
            rows.hold(iterations, 0.5 * h, nodes, press);
        } else {
            rows.settle(iterations, nodes, press);
        }
        self.sum_reactions();
        self.nodes.scatter(cx.model, cx.state, threads);
    }

    /// Keeps impulses for the next sub-step, scaled to the whole of gravity.
    fn remember(&mut self, kick: f32, threads: &Threads) {
        self.kick = kick;
        self.rows.impulses(self.contacts.first_row(), 1.0 / kick, &mut self.warm);
        self.contacts.end_substep(kick, threads);
        self.sum_reactions();
    }

    /// Adds the impulses of this sub-step to those of each joint.
    fn sum_reactions(&mut self) {
        self.rows.sum_reactions(|row| self.rows.impulse(row), &mut self.reactions);
    }
}
