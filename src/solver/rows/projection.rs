//! Rows solved for positions, and velocities after: position-based dynamics.
//!
//! Nodes have been moved by their velocities. Each row in turn gets the displacement impulse `λ`
//! that removes its error, `C + J·Δq`, within its bounds (Macklin, Müller, “Small Steps in Physics
//! Simulation”, 2019: many sub-steps of one round beat one step of many rounds). Directions are
//! those at the start of the sub-step, as in SHAKE, so that angular momentum is kept. Velocity is
//! displacement over time; then, as in RATTLE, it is brought onto the same rows, where an impulse
//! of the position stage counts towards the bounds.

use std::ops::Range;

use super::alike::Aim;
use super::{Bound, Row, Rows, Spring, Stage, Turn, Warm};
use crate::solver::common::{PUSH_OUT_SPEED, solve_pair};
use crate::solver::direct::Term;
use crate::solver::nodes::Nodes;

/// What equations hold together and was apart before a sub-step comes back at most this fast, m/s. In a
/// jam, where contacts undo every time what a joint wants, a joint resists with what this speed moves in
/// a sub-step and no more. At [`PUSH_OUT_SPEED`] that is less than what a heap may weigh on an elbow,
/// which then opens without end.
const CLOSING_SPEED: f32 = 10.0;
/// A joint that was turned past its limit comes back at most this fast, rad/s. Limbs are light, and
/// whatever lies on one turns it faster than [`PUSH_OUT_SPEED`] as an angular speed would undo.
const TURN_BACK_SPEED: f32 = 12.0;

/// Rounds where rows act on what is solved together but does not tell its response. With one, contacts press points into a
/// large jelly that its springs have not resisted yet, sub-step after sub-step: a firm one that fell on the ground had
/// twice its energy for a moment, and the corners of heaps were centimetres deep in each other.
const DISTURBED_ROUNDS: u32 = 4;

/// How far a surface bends before it slides, m. Much smaller, and the flicker of a contact's load
/// near the limit of friction lets it forget a little in every sub-step, and creep.
pub(crate) const BRISTLE: f32 = 1e-4;

impl Rows {
    /// Some rounds over all rows in a sub-step of `h` seconds, or more where they need more. `others` is what takes part in rounds before the rows of joints,
    /// or after those of contacts: it does as many as it is told at once.
    pub(crate) fn project(
        &mut self,
        rounds: u32,
        h: f32,
        nodes: &mut Nodes,
        mut others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.respond(|_, _| false, nodes);
        let residual = |rows: &Self, index: usize, nodes: &Nodes| {
            let row = &rows.rows[index];
            let error = rows.error(row, nodes);
            match row.bound {
                Bound::Springy(spring, _) => {
                    spring.imbalance(row, error, h) / (1.0 + spring.drag(h))
                }
                _ => error - stays(row, rows.return_speed(row) * h),
            }
        };
        let most = self.closes_by(h);
        let aim = Aim { pace: 1.0, most, step: h };
        let of_joints = self.forces.len();
        let is_brake = |row: &Row| matches!(row.bound, Bound::Drive { speed: 0.0, .. });
        // Equations that are solved anew in each round come after the guards: what guards do to a sheet that is crushed flat
        // would else be what its threads end with, and each sub-step would add to it.
        let Range { start, end } = self.guards.rows();
        let end = if self.disturbed { end } else { start };
        let least = if self.disturbed { DISTURBED_ROUNDS } else { 1 };
        let (rounds, at_once) = self.turns(rounds.max(least));
        for round in 0..rounds {
            self.project_some(start..end, |_| true, h, nodes);
            if round == 0 || self.disturbed {
                self.solve_together(Stage::Places, &aim, nodes, residual, |row| &mut row.impulse);
            }
            others(Turn::BeforeRows, at_once, nodes);
            self.project_some(0..start, |_| true, h, nodes);
            self.project_some(end..self.rows.len(), |_| true, h, nodes);
            others(Turn::AfterRows, at_once, nodes);
            // Contacts come last and have the last word: on a light limb between a load and the
            // ground they undo what its joint wanted. Where a limit is at work joints get another
            // say; there brakes come last, and see what limits have left to do, or they keep limbs in a heap astir. A motor
            // that moves does not: if it is strong enough it would turn a joint through its limit.
            if self.rows[..of_joints].iter().any(|row| self.presses(row)) {
                self.project_some(0..of_joints, |row| !is_brake(row), h, nodes);
                self.project_some(0..of_joints, is_brake, h, nodes);
            }
            if round + 1 == rounds || self.disturbed {
                self.conclude(Stage::Places, nodes, |row| &mut row.impulse);
            }
        }
    }

    /// One round over those rows of a range that it `takes` and that are not solved together.
    fn project_some(
        &mut self,
        range: Range<usize>,
        takes: impl Fn(&Row) -> bool,
        h: f32,
        nodes: &mut Nodes,
    ) {
        for index in range {
            let row = self.rows[index];
            let most = self.return_speed(&row) * h;
            let stays = |row: &Row| stays(row, most);
            if !row.takes_turns() || !takes(&row) {
                continue;
            }
            let error = self.error(&row, nodes) - stays(&row);
            let impulse = match row.bound {
                Bound::Second => continue,
                Bound::Free => row.impulse - error / row.k,
                Bound::Both { coupling } => {
                    let second = self.rows[index + 1];
                    let errors = [error, self.error(&second, nodes) - stays(&second)];
                    let by = solve_pair([row.k, second.k], coupling, errors);
                    self.rows[index + 1].impulse -= by[1];
                    self.shift(index + 1, -by[1], nodes);
                    row.impulse - by[0]
                }
                Bound::Push { .. } | Bound::Soft(..) => {
                    let error = error + stays(&row).max(0.0);
                    (row.impulse - error / row.k).max(0.0)
                }
                Bound::Friction { friction, normal } => {
                    let most = friction * self.rows[normal].impulse;
                    (row.impulse - error / row.k).clamp(-most, most)
                }
                Bound::Drive { speed, most } => {
                    let moved = self.error(&row, nodes) - row.error;
                    let most = most * h * h;
                    (row.impulse - (moved - speed * h) / row.k).clamp(-most, most)
                }
                Bound::Springy(spring, most) => {
                    let error = error + stays(&row);
                    let wanted = spring.imbalance(&row, error, h);
                    let give = (1.0 + spring.drag(h)) * row.k + spring.compliance / (h * h);
                    let most = most * h * h;
                    (row.impulse - wanted / give).clamp(-most, most)
                }
            };
            self.rows[index].impulse = impulse;
            self.shift(index, impulse - row.impulse, nodes);
        }
    }

    /// How much of what equations had opened by before comes back in a sub-step of `h` seconds at the most, m.
    pub(crate) fn closes_by(&self, h: f32) -> f32 {
        CLOSING_SPEED.min(self.recovery) * h
    }

    /// The same of what joints are turned beyond their limits, rad.
    pub(crate) fn turns_back_by(&self, h: f32) -> f32 {
        TURN_BACK_SPEED.min(self.recovery) * h
    }

    /// How fast the error that a row had before a sub-step is undone at most, m/s or rad/s.
    fn return_speed(&self, row: &Row) -> f32 {
        let most = match row.bound {
            Bound::Free | Bound::Both { .. } | Bound::Second => CLOSING_SPEED,
            _ if self.is_angle_limit(row) => TURN_BACK_SPEED,
            _ => PUSH_OUT_SPEED,
        };
        most.min(self.recovery)
    }

    /// Whether a row is a limit that presses.
    fn presses(&self, row: &Row) -> bool {
        row.impulse > 0.0 && self.is_angle_limit(row)
    }

    /// Whether a row only pushes and only turns.
    fn is_angle_limit(&self, row: &Row) -> bool {
        matches!(row.bound, Bound::Push { .. }) && self.terms(row).iter().all(Term::only_turns)
    }

    /// How much heavier the heaviest node of a row is than the lightest, where it can push both; else 0.
    pub(crate) fn mass_ratio(&self, row: usize, nodes: &Nodes) -> f32 {
        let terms = self.terms(&self.rows[row]);
        let (mut least, mut most) = (f32::MAX, 0.0_f32);
        for inv_mass in terms.iter().map(|term| nodes[term.node].inv_mass) {
            (least, most) = (least.min(inv_mass), most.max(inv_mass));
        }
        if least > 0.0 && most > 0.0 { most / least } else { 0.0 }
    }

    /// Starts the position stage of a row from a displacement impulse, kg·m.
    pub(crate) fn push(&mut self, row: usize, impulse: f32, nodes: &mut Nodes) {
        self.rows[row].impulse = impulse;
        self.shift(row, impulse, nodes);
    }

    /// Starts the position stage of springs that take turns, in a sub-step of `h` seconds, from how strongly they pulled in the one
    /// before. A round alone does not bring a load that is on many of them from one to the next: a bar of jelly that hangs
    /// from its end would stretch by a third too much. All of it is kept where a spring gives way more easily than its ends,
    /// less the stiffer it is beyond that.
    pub(crate) fn start_springs(&mut self, pulls: &Warm, h: f32, nodes: &mut Nodes) {
        for row in self.noted_rows(pulls) {
            let Row { bound, k, .. } = self.rows[row];
            if let Bound::Springy(Spring { gamma, .. }, _) = bound {
                let part = (gamma / k).min(1.0);
                self.push(row, h * h * part * self.noted(row, pulls), nodes);
            }
        }
    }

    /// How strongly a spring that takes turns pulled in the position stage of a sub-step of `h` seconds, N or N·m; 0 if
    /// the row is no such spring.
    pub(crate) fn pull_of(&self, row: usize, h: f32) -> f32 {
        let row = &self.rows[row];
        match row.bound {
            Bound::Springy(..) if row.takes_turns() => row.impulse / (h * h),
            _ => 0.0,
        }
    }

    /// Starts the velocity stage of a row from an impulse, N·s.
    pub(crate) fn ease(&mut self, row: usize, impulse: f32, nodes: &mut Nodes) {
        self.rows[row].eased = impulse;
        self.apply(row, impulse, nodes);
    }

    /// Starts the velocity stage of the rows before those of contacts from what was noted of it, and of `others` that
    /// hold bodies together: each group of connected bodies from as much of it as does not add energy.
    pub(crate) fn ease_gently(
        &mut self,
        warm: &Warm,
        nodes: &mut Nodes,
        others: Option<impl FnOnce(&mut Nodes)>,
    ) {
        let rows = self.noted_rows(warm);
        if rows.is_empty() && others.is_none() {
            return;
        }
        nodes.note_speeds(&self.threads);
        for row in rows.clone() {
            // What only pushes, and did not push in this sub-step, has nothing to ease.
            let Row { bound, impulse: pushed, .. } = self.rows[row];
            let idle = matches!(bound, Bound::Push { .. }) && pushed == 0.0;
            self.ease(row, if idle { 0.0 } else { self.noted(row, warm) }, nodes);
        }
        if let Some(others) = others {
            others(nodes);
        }
        nodes.keep_least_energy(&self.threads);
        self.keep_parts(rows.len(), nodes, |row| &mut row.eased);
    }

    /// How far the surfaces of a friction row are from where they stuck, m. Where they slide it is
    /// held at [`BRISTLE`], or at what the cone can bring back in a sub-step if that is more.
    pub(crate) fn slip(&self, row: usize, nodes: &Nodes) -> f32 {
        let row = &self.rows[row];
        let Bound::Friction { friction, normal } = row.bound else { return 0.0 };
        let most = friction * self.rows[normal].impulse;
        let longest = if row.impulse.abs() < most { f32::MAX } else { BRISTLE.max(most * row.k) };
        self.error(row, nodes).clamp(-longest, longest)
    }

    /// The error of a row after what its nodes have moved since it was built.
    pub(crate) fn error_now(&self, row: usize, nodes: &Nodes) -> f32 {
        self.error(&self.rows[row], nodes)
    }

    /// What the velocity stage has given a row, N·s.
    pub(crate) fn eased(&self, row: usize) -> f32 {
        self.rows[row].eased
    }

    /// Some rounds of the velocity stage after a sub-step of `h` seconds: equations come to rest,
    /// contacts that were pressed part at the speed that `bounce` names for their row, or rest. `others` is what takes part
    /// in rounds before the rows, or after: it does as many as it is told at once.
    pub(crate) fn relax(
        &mut self,
        rounds: u32,
        h: f32,
        bounce: impl Fn(usize) -> f32,
        nodes: &mut Nodes,
        mut others: impl FnMut(Turn, u32, &mut Nodes),
    ) {
        self.respond(|_, _| false, nodes);
        self.wholes.alike.carry(&self.threads);
        let aim = Aim { pace: 0.0, most: 0.0, step: 1.0 };
        let residual = |rows: &Self, index: usize, nodes: &Nodes| rows.speed(index, nodes);
        let (rounds, at_once) = self.turns(rounds);
        for round in 0..rounds {
            if round == 0 || self.disturbed {
                self.solve_together(Stage::Rest, &aim, nodes, residual, |row| &mut row.eased);
            }
            others(Turn::BeforeRows, at_once, nodes);
            self.relax_each(h, &bounce, nodes);
            others(Turn::AfterRows, at_once, nodes);
            if round + 1 == rounds || self.disturbed {
                self.conclude(Stage::Rest, nodes, |row| &mut row.eased);
            }
        }
    }

    fn relax_each(&mut self, h: f32, bounce: impl Fn(usize) -> f32, nodes: &mut Nodes) {
        for index in 0..self.rows.len() {
            let row = self.rows[index];
            if !row.takes_turns() {
                continue;
            }
            let speed = self.speed(index, nodes);
            let eased = match row.bound {
                Bound::Second | Bound::Springy(..) | Bound::Drive { .. } => continue,
                Bound::Free => row.eased - speed / row.k,
                Bound::Both { coupling } => {
                    let speeds = [speed, self.speed(index + 1, nodes)];
                    let by = solve_pair([row.k, self.rows[index + 1].k], coupling, speeds);
                    self.rows[index + 1].eased -= by[1];
                    self.apply(index + 1, -by[1], nodes);
                    row.eased - by[0]
                }
                Bound::Push { .. } | Bound::Soft(..) if row.impulse == 0.0 => continue,
                Bound::Push { .. } | Bound::Soft(..) => {
                    (row.eased + (bounce(index) - speed) / row.k).max(-row.impulse / h)
                }
                Bound::Friction { friction, normal } => {
                    let Row { impulse, eased, .. } = self.rows[normal];
                    let most = (friction * (impulse / h + eased)).max(0.0);
                    let given = row.impulse / h;
                    (row.eased - speed / row.k).clamp(-most - given, most - given)
                }
            };
            self.rows[index].eased = eased;
            self.apply(index, eased - row.eased, nodes);
        }
    }
}

/// What was wrong before a sub-step may stay so but for the push.
#[inline]
fn stays(row: &Row, push: f32) -> f32 {
    row.error - row.error.clamp(-push, push)
}

impl Spring {
    /// The damping as XPBD counts it in a sub-step of `h` seconds: `γ`.
    fn drag(&self, h: f32) -> f32 {
        self.compliance * self.damping / h
    }

    /// What is left of the spring's own law at the error `error`, m (Macklin, Müller, Chentanez,
    /// “XPBD”, 2016, eq. 26): `C + α̃·λ + γ·ΔC`.
    fn imbalance(&self, row: &Row, error: f32, h: f32) -> f32 {
        error + self.compliance / (h * h) * row.impulse + self.drag(h) * (error - row.error)
    }
}
