//! `verlet`: position Verlet, iterated edges, edge-SAT. The heart of the project.
//!
//! Points move freely, then are put where the constraints want them, round after round; velocity
//! is whatever displacement came out, over time. (Jakobsen, “Advanced Character Physics”, GDC
//! 2001; velocity from displacement and no stored previous position as in Müller et al., “Position
//! Based Dynamics”, 2007.)
//!
//! Each of `substeps` equal parts of a step of length `h`:
//!
//! 0. **brake**: what would hit something at great speed is stopped as a whole;
//! 1. **integrate**: `v += g·h/2`, displacement `δ = v·h`, position `x = x₀ + δ`;
//! 2. **start** from what held bodies together in the sub-step before (`start.rs`);
//! 3. `iterations` rounds of guards, which keep cells of soft bodies from turning inside out (`conditions.rs`),
//!    **edges** (`edges.rs`), pins between rigid bodies (`hinges.rs`), other **conditions** of joints, bends and areas
//!    (`conditions.rs`), those that are equations all at once (`together.rs`; soft bodies of one pattern four side by
//!    side, `alike/`; but for springs that are soft, `lax.rs`), and **contacts** (`contacts.rs`): edge-SAT, then vertex
//!    and edge ends are displaced;
//! 4. **velocities**: `v = δ/h + g·h/2`, then brought onto the constraints as well (`blocks.rs`): what joints hold
//!    (`rests.rs`, `hinges.rs`), what contacts press (`pressed.rs`), edges (`edges.rs`).
//!
//! Of many bodies contacts and pins of the first half and of the second have their turn at the same time (`halves.rs`).
//!
//! Four things differ from the classic form. Beside the start and the velocity stage:
//!
//! * Displacements are summed apart from positions. `v = (x − x₀)/h` would lose a digit of speed
//!   for every digit the body is from the origin; `δ/h` does not.
//! * An edge pulls along the direction it had *before* the sub-step. That is what SHAKE does
//!   (Ryckaert, Ciccotti, Berendsen, 1977, eq. 3.2); with the direction after the move a spinning
//!   stick loses the fraction `(ω·h)²/2` of its angular momentum every sub-step, with this one
//!   none.

mod alike;
mod batch;
mod blocks;
mod bounded;
mod conditions;
mod contacts;
mod edges;
mod eight;
mod frames;
mod guards;
mod halves;
mod hinges;
mod lax;
mod limits;
mod moves;
mod pressed;
mod rests;
mod start;
mod sticks;
mod together;
mod trusses;

use crate::collision::Contact;
use crate::math::{Vec2, cross};
use crate::settings::{Response, SolverKind};
use crate::solver::common;
use crate::solver::{Limitation, Solver, StepCx, StepReport, Stopwatch};
use crate::threads::Threads;
use crate::world::{Body, Model, Renumbering, State};

use alike::Alike;
use blocks::Blocks;
use conditions::PointConditions;
use contacts::Contacts;
use edges::Edges;
use frames::Frames;
use hinges::{Hinges, displacing};
use lax::Lax;
use moves::Moves;
use pressed::{AllPressed, PressedList};
use start::Start;
use together::Together;
use trusses::Rounds;

/// Pieces nearer than this are paired in the broad phase, m: room for what constraints displace
/// within a step beyond the velocities they started with.
const PAIR_MARGIN: f32 = 0.05;

/// The work on so few bodies is not worth sharing out.
const PART: usize = 256;

/// Rounds of the velocity stage, at most twice as many as of the position stage: one settles most piles, the second
/// the crates of a pyramid.
const VELOCITY_ROUNDS: u32 = 4;
/// Rounds where bodies meet: what one hits is pressed into another, and a limb into its joint.
const IMPACT_ROUNDS: u32 = 4;
/// Rounds where a load presses a soft body together: springs are solved without what they press against,
/// and each round hands on to the load only a part of what they give. New contacts are sought in none of them that are
/// more than [`IMPACT_ROUNDS`] but the last.
const SQUEEZE_ROUNDS: u32 = 8;
/// How often fast bodies look ahead: one that is stopped at a corner may swing its other end into
/// something else.
const BRAKE_PASSES: u32 = 4;
/// Rounds where something bounces: both corners of a box that lands flat must part alike, or it
/// leaves the ground spinning.
const BOUNCE_ROUNDS: u32 = 12;

/// The position Verlet backend.
#[derive(Clone, Debug, Default)]
pub struct Verlet {
    moves: Moves,
    edges: Edges,
    conditions: PointConditions,
    frames: Frames,
    hinges: Hinges,
    start: Start,
    lax: Lax,
    alike: Alike,
    together: Together,
    contacts: Contacts,
    pressed: AllPressed,
    /// What fast bodies are about to hit.
    ahead: PressedList,
    blocks: Blocks,
    /// Whether the pairs of the last step are of this model.
    paired: bool,
}

impl Solver for Verlet {
    fn kind(&self) -> SolverKind {
        SolverKind::Verlet
    }

    fn limitations(&self, model: &Model, state: &State) -> Vec<Limitation> {
        limits::limitations(model, state)
    }

    fn attach(&mut self, model: &Model, state: &State) {
        self.lax.forget();
        self.start.attach(model);
        self.alike.attach(model, &self.lax);
        self.edges.attach(model, state, &self.start, &self.alike);
        self.blocks.attach(model);
        self.pressed.forget();
        self.frames.find(model);
        self.hinges.forget();
        self.together = Together::default();
        self.conditions.reset();
        self.conditions.attach(model, &self.alike, &self.lax, &self.start);
        self.contacts.attach(model);
        self.paired = false;
    }

    fn renumber(&mut self, model: &Model, state: &State, renumbering: &Renumbering) {
        self.start.attach(model);
        let others_are_lax = self.lax.renumber(model, state, renumbering);
        self.sort_soft(model, state, renumbering);
        self.blocks.attach(model);
        self.pressed.forget();
        self.frames.find(model);
        self.together.choose_anew();
        self.paired = false;
        self.contacts.renumber(model, renumbering);
        if renumbering.same_constraints() {
            self.hinges.renumber(model, &self.frames, &self.start);
        } else {
            self.hinges.forget();
            self.conditions.reset();
        }
        if others_are_lax || !renumbering.same_constraints() {
            self.together = Together::default();
        }
    }

    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        cx.threads.engage(|| self.advance(cx))
    }

    fn contacts(&self, list: &mut Vec<Contact>) {
        self.contacts.list(list);
    }
}

impl Verlet {
    /// Finds anew what is solved side by side and what is left to rounds; all go on from what they were given.
    fn sort_soft(&mut self, model: &Model, state: &State, renumbering: &Renumbering) {
        let Self { alike, edges, conditions, start, lax, .. } = self;
        alike.renumber(model, lax, renumbering);
        edges.renumber(model, state, start, alike, renumbering);
        conditions.renumber(model, (alike, lax), start, renumbering);
    }

    /// Takes over that sub-steps are `h` seconds long and have so many rounds.
    fn time(&mut self, model: &Model, state: &State, h: f32, rounds: u32) {
        let pace = self.lax.pace(h);
        if pace != 1.0 {
            self.edges.scale_lax(pace);
            self.conditions.scale_lax(pace);
        }
        if self.lax.find(model, state, h, rounds) {
            self.sort_soft(model, state, &Renumbering::none(model));
            self.together = Together::default();
        }
    }

    /// Advances the state by `cx.dt`.
    fn advance(&mut self, mut cx: StepCx<'_>) -> StepReport {
        let effort = cx.settings.effort(self.kind());
        let h = cx.dt / effort.substeps as f32;
        self.time(cx.model, cx.state, h, effort.iterations);
        let mut report = StepReport::default();
        let mut watch = Stopwatch::start();
        self.find_pairs(&mut cx);
        self.edges.begin_step(cx.state);
        self.alike.begin_step(cx.state);
        let may_collide = !cx.collision.pairs().is_empty();
        self.conditions.begin_step(cx.model, &cx.state.position, may_collide);
        let undisturbed = self.contacts.any_pairs() && self.moves.start == cx.state.position;
        self.take_pairs(&cx, undisturbed);
        watch.lap(&mut report.phases.broad);
        for substep in 0..effort.substeps {
            common::apply_drags(cx.model, cx.state, cx.inputs, h);
            let left = cx.dt - substep as f32 * h;
            if substep > 0
                && cx.collision.refresh_pairs(cx.model, cx.state, h, left, PAIR_MARGIN, 0.0)
            {
                self.take_pairs(&cx, true);
            }
            if cx.settings.response != Response::Classic {
                self.brake(&mut cx, h);
            }
            watch.lap(&mut report.phases.integrate);
            self.begin_substep(&cx, h, substep == 0);
            watch.lap(&mut report.phases.solve);
            self.integrate(&mut cx, h);
            self.start(&mut cx, h);
            self.contacts.begin_substep(cx.threads);
            watch.lap(&mut report.phases.integrate);
            let mut rounds = effort.iterations;
            let mut round = 0;
            while round < rounds {
                let number = Rounds { at: round, planned: effort.iterations };
                self.satisfy_inner(&mut cx, h, number, round + 1 == rounds);
                watch.lap(&mut report.phases.solve);
                let seeks = round < effort.iterations.max(IMPACT_ROUNDS) || round + 1 == rounds;
                self.contacts.satisfy(&mut self.moves, &mut cx, h, seeks);
                watch.lap(&mut report.phases.narrow);
                round += 1;
                if self.contacts.any_impact() {
                    rounds = rounds.max(IMPACT_ROUNDS);
                }
                if self.contacts.any_squeeze() {
                    rounds = rounds.max(SQUEEZE_ROUNDS);
                }
            }
            report.iterations += rounds;
            self.together.note_pulls(&mut self.edges, &self.conditions, h);
            self.conditions.keep_lax();
            self.contacts.end_rounds(&self.moves, &mut cx);
            self.update_velocities(&mut cx, h);
            self.relax_velocities(&mut cx, h, VELOCITY_ROUNDS.min(2 * rounds));
            watch.lap(&mut report.phases.integrate);
        }
        if self.contacts.any_pairs() {
            self.moves.start.clone_from(&cx.state.position);
        }
        report.restored = restore_mirrored(cx.model, cx.state, cx.threads);
        report.residual = self.edges.residual(cx.model, cx.state, cx.threads);
        self.conditions.reactions(cx.dt, cx.threads, cx.reactions);
        watch.lap(&mut report.phases.integrate);
        report
    }

    /// Finds the pairs that may touch in a step. Those of the last one stay if no piece leaves its box.
    fn find_pairs(&mut self, cx: &mut StepCx<'_>) {
        let StepCx { model, state, collision, dt, .. } = cx;
        if std::mem::replace(&mut self.paired, true) {
            collision.refresh_pairs(model, state, *dt, *dt, PAIR_MARGIN, 0.0);
        } else {
            collision.update_pairs(model, state, *dt, PAIR_MARGIN);
        }
    }

    /// Takes over pairs that may touch, of which it is known how far they are from each other only if they are where the
    /// last sub-step left them, `undisturbed`.
    fn take_pairs(&mut self, cx: &StepCx<'_>, undisturbed: bool) {
        let pairs = cx.collision.pairs();
        self.contacts.begin_step(pairs, undisturbed);
        self.edges.note_alone(cx.model, pairs);
    }

    /// Stops, as blocks, what is about to hit something at a speed at which points alone would be torn
    /// from their frame: the corner that is stopped here, the others a metre on.
    fn brake(&mut self, cx: &mut StepCx<'_>, h: f32) {
        for _ in 0..BRAKE_PASSES {
            let StepCx { model, state, collision, threads, impulses, .. } = &mut *cx;
            let ahead = collision.foresee_fast(model, state, h, |pair| self.contacts.gap(pair));
            if ahead.is_empty() {
                return;
            }
            self.blocks.gather(model, state, threads);
            self.ahead.foresee(model, state, ahead, &self.blocks, h);
            for _ in 0..BOUNCE_ROUNDS {
                self.ahead.relax_others(model, state, &mut self.blocks);
            }
            if let Some(impulses) = impulses {
                self.ahead.tell_foreseen(ahead, (model, &state.position), impulses);
            }
            self.blocks.limit_turns(h);
            self.blocks.scatter(state, threads);
        }
    }

    /// Takes edges and conditions at the positions before the sub-step. All but the first find joints as the
    /// velocity stage took them.
    fn begin_substep(&mut self, cx: &StepCx<'_>, h: f32, first: bool) {
        if first {
            if !self.frames.is_empty() {
                self.blocks.gather(cx.model, cx.state, cx.threads);
            }
            self.frames.place(cx.model, &cx.state.position, &self.blocks, h, cx.threads);
            self.take_joints(cx, h);
            self.hinges.put(cx.model, cx.state, &self.frames, cx.recovery * h, cx.threads);
        }
        self.take_soft(cx, h);
        if !self.hinges.are_known() && self.find_hinges(cx.model) {
            self.take_joints(cx, h);
            self.hinges.put(cx.model, cx.state, &self.frames, cx.recovery * h, cx.threads);
            self.take_soft(cx, h);
        }
        let Self { edges, alike, .. } = self;
        edges.begin_substep(&cx.state.position, h, cx.threads);
        alike.begin_substep(cx.state, h, cx.threads);
    }

    /// Takes the joints that are rows.
    fn take_joints(&mut self, cx: &StepCx<'_>, h: f32) {
        let Self { conditions, frames, hinges, .. } = self;
        let most = cx.recovery * h;
        conditions.take_joints(cx.model, cx.state, frames, most, |joint| hinges.has(joint));
    }

    /// Takes bends and areas, and with them what is solved together.
    fn take_soft(&mut self, cx: &StepCx<'_>, h: f32) {
        let Self { edges, conditions, frames, together, lax, .. } = self;
        conditions.take_soft(cx.model, &cx.state.position, frames, h);
        together.prepare(cx.model, cx.state, edges, conditions, (frames, lax), h);
    }

    /// Finds the pins that are solved side by side: those between bodies of which none is solved together with others.
    fn find_hinges(&mut self, model: &Model) -> bool {
        let Self { conditions, frames, hinges, start, together, .. } = self;
        let mut together_with = vec![false; model.joints.len()];
        conditions.joints_together().for_each(|joint| together_with[joint as usize] = true);
        hinges.find(model, frames, start, |joint, tie| {
            let has = |&body: &u32| frames.node_of(body).is_some_and(|node| together.has(node));
            !together_with[joint as usize] && !tie.nodes.iter().any(has)
        })
    }

    /// One round over what holds bodies together: edges, joints, bends and areas. It may be the `last` that is foreseen.
    fn satisfy_inner(&mut self, cx: &mut StepCx<'_>, h: f32, round: Rounds, last: bool) {
        let Self { moves, edges, conditions, frames, hinges, alike, together, .. } = self;
        let (model, threads) = (cx.model, cx.threads);
        conditions.satisfy_guards(model, frames, moves, h);
        alike.satisfy(moves, h, last, threads);
        together.satisfy(model, edges, conditions, frames, moves, h);
        edges.satisfy(moves, round, threads);
        frames.gather(model, moves, threads);
        hinges.satisfy(&displacing(h, cx.recovery * h), frames, threads);
        conditions.satisfy(model, frames, moves, h);
        frames.scatter(&moves.start, &mut moves.delta, threads);
        if !cx.collision.pairs().is_empty() {
            // Only contacts look at where points are before the last round is over.
            moves.place(model, &mut cx.state.position, threads);
        }
    }

    /// Starts from what held bodies together in the sub-step before, as far as that is what holds them now.
    fn start(&mut self, cx: &mut StepCx<'_>, h: f32) {
        let Self { moves, edges, conditions, frames, hinges, start, .. } = self;
        let (model, threads) = (cx.model, cx.threads);
        if !edges.any_loose() && model.joints.is_empty() {
            return;
        }
        start.begin(model);
        edges.spread(moves, start);
        frames.gather(model, moves, threads);
        hinges.ask(&displacing(h, cx.recovery * h), frames, start);
        conditions.ask(frames, moves, start);
        conditions.ask_lax(frames, moves, start, h);
        frames.clear();
        hinges.spread(frames, threads);
        conditions.spread(model, frames, start);
        frames.scatter(&moves.start, start.spread_and_asked().0, threads);
        if start.displace(model, moves) {
            edges.keep_part(start);
            hinges.keep_part(start);
            conditions.keep_part(start);
        }
    }

    /// Moves every point as if it were alone.
    fn integrate(&mut self, cx: &mut StepCx<'_>, h: f32) {
        self.moves.set_out(cx.model, cx.state, h, 0.5 * h * cx.settings.gravity, cx.threads);
    }

    /// Velocity is displacement over time, and the second half of gravity.
    fn update_velocities(&mut self, cx: &mut StepCx<'_>, h: f32) {
        self.moves.arrive(cx.model, cx.state, 1.0 / h, 0.5 * h * cx.settings.gravity, cx.threads);
    }

    /// Brings velocities onto the constraints: rigid bodies, joints, contacts at rest, bounces.
    fn relax_velocities(&mut self, cx: &mut StepCx<'_>, h: f32, rounds: u32) {
        let StepCx { model, state, threads, .. } = &mut *cx;
        self.blocks.gather(model, state, threads);
        self.pressed.take(&self.contacts, model, &state.position, &self.blocks, h, threads);
        self.conditions.sum_up(h);
        self.frames.place(model, &state.position, &self.blocks, h, threads);
        self.take_joints(cx, h);
        self.conditions.take_guards(cx.model, &cx.state.position, &self.frames, h);
        let close = [h, cx.recovery * h];
        self.hinges.begin_relaxing(&self.frames, &mut self.blocks, close, cx.threads);
        let StepCx { model, state, threads, impulses, .. } = cx;
        self.pressed.start(model, state, &mut self.blocks, threads);
        let rounds = if self.pressed.any_bounce() { BOUNCE_ROUNDS } else { rounds };
        for round in 0..rounds {
            // Edges take part in every second round: in all of them they took twice as long, cloth stretched as far,
            // and lost more energy.
            if round == 0 {
                self.edges.begin_relaxing(state, h);
            } else if round % 2 == 0 {
                self.edges.relax(state, h);
            }
            self.hinges.relax(&mut self.blocks, threads);
            self.conditions.relax(model, state, &self.frames, &mut self.blocks, h);
            self.pressed.relax(model, state, &mut self.blocks, threads);
        }
        self.blocks.scatter(state, threads);
        self.conditions.sum_up_eased(h);
        self.hinges.end_relaxing(model, state, &self.frames, h, self.conditions.sums(), threads);
        if let Some(impulses) = impulses {
            self.pressed.tell(&self.contacts, (model, &state.position), impulses);
        }
        self.pressed.remember(&mut self.contacts, threads);
    }
}

/// Puts rigid frames that have turned inside out back into shape; returns how many there were.
///
/// Distances alone cannot tell a frame from its mirror image, and a frame pressed through its own
/// side settles there. The mass-weighted covariance of rest and present shape can: its determinant
/// is negative for a mirror image and small for a frame pressed flat. Such a frame takes its rest
/// shape in the pose that fits best, with the momentum it had.
fn restore_mirrored(model: &Model, state: &mut State, threads: &Threads) -> u32 {
    let positions = &state.position;
    let is_mirrored = |body: &&Body| {
        body.is_rigid() && body.is_dynamic() && orientation(model, body, positions) <= 0.25
    };
    let count = |bodies: &[Body]| bodies.iter().filter(is_mirrored).count();
    // Mostly there are none.
    if threads.parts(&model.bodies[..], PART, &count, &|a, b| a + b) == 0 {
        return 0;
    }
    let mirrored: Vec<&Body> = model.bodies.iter().filter(is_mirrored).collect();
    for body in &mirrored {
        let pose = model.pose(body, &state.position);
        let motion = model.motion(body, &state.position, &state.velocity);
        for i in body.point_range().filter(|&i| model.inv_mass[i] > 0.0) {
            state.position[i] = pose.apply(model.rest[i]);
            state.velocity[i] = motion.at(state.position[i] - pose.center);
        }
    }
    mirrored.len() as u32
}

/// Determinant of the covariance of rest and present shape, over that of the rest shape with
/// itself: 1 in shape, 0 flat, −1 mirrored. Frames without area give 1: they have no mirror image.
fn orientation(model: &Model, body: &Body, positions: &[Vec2]) -> f32 {
    let center = model.center(body, positions);
    let (mut now, mut rest) = ([Vec2::ZERO; 2], [Vec2::ZERO; 2]);
    for i in body.point_range() {
        let (m, q, p) = (model.mass[i], model.rest[i], positions[i] - center);
        now = [now[0] + m * q.x * p, now[1] + m * q.y * p];
        rest = [rest[0] + m * q.x * q, rest[1] + m * q.y * q];
    }
    let whole = cross(rest[0], rest[1]);
    let scale = rest[0].x + rest[1].y;
    if whole > 1e-9 * scale * scale { cross(now[0], now[1]) / whole } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::Verlet;
    use crate::solver::alone;

    /// Contacts of soft bodies change direction from round to round, and what is told is told along the last one.
    #[test]
    fn what_contacts_give_is_what_bodies_get() {
        alone::what_contacts_give_is_what_bodies_get::<Verlet>(false);
    }
}
