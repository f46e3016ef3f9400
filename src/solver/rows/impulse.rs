//! Rows solved for velocities: sequential impulses (Catto, “Iterative Dynamics with Temporal
//! Coherence”, GDC 2005).
//!
//! Each row in turn gets the impulse that brings its velocity to where it should be; the sum over
//! rounds, not each part, is held within the row's bounds, so that a later round can take back what
//! an earlier one gave.

use super::alike::Aim;
use super::{Bound, Row, Rows, Softness, Spring, Stage, Warm};
use crate::solver::common::{PUSH_OUT_SPEED, solve_pair};
#[cfg(doc)]
use crate::solver::direct::Direct;
use crate::solver::nodes::Nodes;

/// The part of its error that an equation gives back in a sub-step, where rounds leave some of that
/// undone; all of it where equations are solved together.
const CORRECTION: f32 = 0.25;
/// Error is given back no faster than this, m/s: joints that contradict each other would throw their
/// bodies about.
const MOST_SPEED: f32 = 4.0;

/// How equations give back error.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Returns {
    /// The part of it that they give back in a second.
    pub(crate) pace: f32,
    /// The most speed, m/s.
    pub(crate) most: f32,
}

/// When what takes part in rounds has its turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    BeforeRows,
    AfterRows,
}

impl Rows {
    /// Starts the rows before those of contacts from the impulses they had before, times `scale`.
    pub(crate) fn warm_start(&mut self, warm: &Warm, scale: f32, nodes: &mut Nodes) {
        for row in self.noted_rows(warm) {
            self.start(row, scale * self.noted(row, warm), nodes);
        }
    }

    /// Scales the impulses of the first `count` rows as [`Nodes::keep_least_energy`] did what they do.
    pub(crate) fn keep(&mut self, count: usize, nodes: &Nodes) {
        self.keep_parts(count, nodes, |row| &mut row.impulse);
    }

    /// The same with the impulse that `of` names of each row.
    pub(super) fn keep_parts(
        &mut self,
        count: usize,
        nodes: &Nodes,
        of: impl Fn(&mut Row) -> &mut f32,
    ) {
        for row in &mut self.rows[..count] {
            if let Some(term) = self.terms[row.first as usize..row.last as usize].first() {
                *of(row) *= nodes.kept(term.node);
            }
        }
    }

    /// How an equation that takes turns gives back its error, if it gives back the part `bias` of it in a second.
    pub(crate) fn returns(&self, bias: f32) -> Returns {
        Returns { pace: bias * CORRECTION, most: MOST_SPEED.min(self.recovery) }
    }

    /// Lets springs act for `time` seconds.
    pub(crate) fn time_springs(&mut self, time: f32) {
        for row in &mut self.rows {
            if let Bound::Springy(spring, _) = &mut row.bound {
                *spring = Spring::new(spring.compliance, spring.damping, time);
            }
        }
        self.wholes.alike.time_springs(time);
    }

    /// Whether any row is a spring.
    pub(crate) fn has_springs(&self) -> bool {
        self.rows.iter().any(|row| matches!(row.bound, Bound::Springy(..)))
            || self.wholes.alike.has_springs()
    }

    /// Starts the same rows once more, each from its impulse times `scale`.
    pub(crate) fn restart(&mut self, scale: f32, nodes: &mut Nodes) {
        self.forget_responses(nodes);
        for row in 0..self.rows.len() {
            self.start(row, scale * self.rows[row].impulse, nodes);
        }
        self.wholes.alike.restart(scale, &self.threads);
    }

    /// Some rounds over all rows of a sub-step of `h` seconds, in which springs and motors act for `time`
    /// of them. Equations also give back error that they have; see [`Rows::settle`].
    /// `others` is what takes part in rounds before the rows, or after: it does as many as it is told at once.
    pub(crate) fn solve(
        &mut self,
        rounds: u32,
        h: f32,
        time: f32,
        nodes: &mut Nodes,
        others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.rounds(rounds, time, 1.0 / h, Stage::Speeds, nodes, others);
    }

    /// The same, but nothing gives back error.
    pub(crate) fn hold(
        &mut self,
        rounds: u32,
        time: f32,
        nodes: &mut Nodes,
        others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.rounds(rounds, time, 0.0, Stage::Speeds, nodes, others);
    }

    /// Some rounds over all rows but springs and motors, which have done their part, at the end of a
    /// sub-step, without giving back error: takes the speed of [`Rows::solve`] away again, now that it
    /// has done its work (the relaxation of Catto, “Solver2D”, 2024). Removing error from positions alone
    /// would be simpler, but loses spin: what is pulled in towards a centre must become faster.
    pub(crate) fn settle(
        &mut self,
        rounds: u32,
        nodes: &mut Nodes,
        others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.rounds(rounds, 0.0, 0.0, Stage::Rest, nodes, others);
    }

    fn rounds(
        &mut self,
        rounds: u32,
        time: f32,
        bias: f32,
        stage: Stage,
        nodes: &mut Nodes,
        mut others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.respond(Self::is_idle, nodes);
        self.carry(bias == 0.0);
        let residual = |rows: &Self, index: usize, nodes: &Nodes| {
            let (row, speed) = (&rows.rows[index], rows.speed(index, nodes));
            match row.bound {
                Bound::Springy(Spring { gamma, beta, .. }, _) => {
                    speed + beta * row.error + gamma * row.impulse
                }
                _ => speed - returned(row, bias, MOST_SPEED.min(rows.recovery)),
            }
        };
        let aim = Aim { pace: bias, most: MOST_SPEED.min(self.recovery), step: 1.0 };
        let (rounds, at_once) = self.turns(rounds);
        for round in 0..rounds {
            if round == 0 || self.disturbed {
                self.solve_together(stage, &aim, nodes, residual, |row| &mut row.impulse);
            }
            others(Turn::BeforeRows, at_once, nodes);
            self.round(time, bias, stage, nodes);
            others(Turn::AfterRows, at_once, nodes);
            if round + 1 == rounds || self.disturbed {
                self.conclude(stage, nodes, |row| &mut row.impulse);
            }
        }
    }

    /// Lets stiff edges that are solved together give way to their load ([`Direct::slack`]), or no further
    /// than they have: if they still did where nothing is given back, they would part for as long as they
    /// are loaded, and taut sheets quiver. Joints give way all the same: where they contradict each other
    /// they lose by it what they do to no avail.
    fn carry(&mut self, load: bool) {
        for row in self.rows.iter_mut().skip(self.forces.len()).filter(|row| row.together) {
            row.carried = if load { row.impulse } else { 0.0 };
        }
        if load {
            self.wholes.alike.carry(&self.threads);
        }
    }

    /// The speed at which overlap leaves a soft contact at most, m/s.
    pub(crate) fn push_out_speed(&self) -> f32 {
        PUSH_OUT_SPEED.min(self.recovery)
    }

    fn round(&mut self, time: f32, bias: f32, stage: Stage, nodes: &mut Nodes) {
        let most = MOST_SPEED.min(self.recovery);
        let push_out = self.push_out_speed();
        let wanted = |row: &Row| returned(row, bias, most);
        for index in 0..self.rows.len() {
            if !self.rows[index].takes_turns() {
                continue;
            }
            let speed = self.speed(index, nodes);
            if self.is_unasked(&self.rows[index]) {
                if self.stays_idle(&self.rows[index], speed, bias) {
                    continue;
                }
                self.ask(index, nodes);
                if !self.rows[index].takes_turns() {
                    continue;
                }
            }
            let row = &self.rows[index];
            let before = row.impulse;
            let impulse = match row.bound {
                Bound::Free => row.impulse - (speed - wanted(row)) / row.k,
                Bound::Both { coupling } => {
                    let second = &self.rows[index + 1];
                    let speeds =
                        [speed - wanted(row), self.speed(index + 1, nodes) - wanted(second)];
                    let by = solve_pair([row.k, second.k], coupling, speeds);
                    self.rows[index + 1].impulse -= by[1];
                    self.apply(index + 1, -by[1], nodes);
                    before - by[0]
                }
                Bound::Second => continue,
                Bound::Push { h, back } => {
                    (row.impulse - approach(row, speed, bias, h, back) / row.k).max(0.0)
                }
                Bound::Soft(soft) => {
                    let error = self.error(row, nodes);
                    let (mass, back, keep) = if error > 0.0 {
                        (1.0, error / soft.h, 0.0)
                    } else if bias == 0.0 {
                        (1.0, 0.0, 0.0)
                    } else {
                        let back = (soft.rate * (error + Softness::SLOP).min(0.0)).max(-push_out);
                        (soft.mass, back, soft.keep)
                    };
                    ((1.0 - keep) * row.impulse - mass * (speed + back) / row.k).max(0.0)
                }
                Bound::Friction { friction, normal } => {
                    let most = friction * self.rows[normal].impulse;
                    (row.impulse - speed / row.k).clamp(-most, most)
                }
                Bound::Springy(..) | Bound::Drive { .. } if stage == Stage::Rest => continue,
                Bound::Springy(Spring { gamma, beta, .. }, most) => {
                    let wanted = speed + beta * row.error + gamma * row.impulse;
                    (row.impulse - wanted / (row.k + gamma)).clamp(-most * time, most * time)
                }
                Bound::Drive { speed: wanted, most } => {
                    (row.impulse - (speed - wanted) / row.k).clamp(-most * time, most * time)
                }
            };
            self.rows[index].impulse = impulse;
            self.apply(index, impulse - before, nodes);
        }
    }

    /// Whether a row gives no impulse yet, and may give none for all that rounds bring.
    #[inline]
    fn is_idle(&self, row: &Row) -> bool {
        let pushes = match row.bound {
            Bound::Push { .. } => true,
            Bound::Friction { normal, .. } => self.rows[normal].impulse == 0.0,
            _ => false,
        };
        pushes && row.impulse == 0.0
    }

    /// Whether a row that has been idle stays so at this speed.
    #[inline]
    fn stays_idle(&self, row: &Row, speed: f32, bias: f32) -> bool {
        match row.bound {
            Bound::Push { h, back } => approach(row, speed, bias, h, back) >= 0.0,
            Bound::Friction { .. } => self.is_idle(row),
            _ => false,
        }
    }

    /// Gives a row the impulse that brings its speed to `wanted`, pushes only, in total.
    #[inline]
    pub(crate) fn steer(&mut self, row: usize, wanted: f32, nodes: &mut Nodes) {
        let Row { k, impulse, .. } = self.rows[row];
        if k > 0.0 {
            let total = (impulse + (wanted - self.speed(row, nodes)) / k).max(0.0);
            self.rows[row].impulse = total;
            self.apply(row, total - impulse, nodes);
        }
    }
}

/// How much too fast, if negative, a row that only pushes closes its gap in a sub-step of `h` seconds, or too
/// slowly comes back from beyond its bound at `back` m/s.
#[inline]
fn approach(row: &Row, speed: f32, bias: f32, h: f32, back: f32) -> f32 {
    let back = (-bias * CORRECTION * row.error).clamp(0.0, back);
    speed + row.error.max(0.0) / h - back
}

/// The speed at which an equation gives back its error, if it gives back the part `bias` of it in a
/// second, and no faster than `most`, and keeps from coming about what it foresees.
#[inline]
fn returned(row: &Row, bias: f32, most: f32) -> f32 {
    let part = if row.together { 1.0 } else { CORRECTION };
    (-bias * part * row.error).clamp(-most, most) - bias * row.departs
}
