//! What drives and stops bodies within bounds, where they are solved together (`together.rs`): motors and servos of joints,
//! as far as their force goes, and the ends of ranges of angles and of sliders, which only push. Ropes, and what drives the
//! length of something, have their rounds.
//!
//! Between its bounds such a row is an equation like others, at a bound it is a force of that size. Which of the two it
//! is shows only when all is solved. So it is taken for what it was in the sub-step before. Where the solution is beyond a
//! bound the row is stopped there, where it would come away from one it is let go, and all is solved once more (an
//! active-set method: Nocedal, Wright, “Numerical Optimization”, 2006, sec. 16.5). In rounds beside the equations a motor
//! would turn its two bodies about their centres and leave their pin open, and two motors on a body that is welded would
//! shake it.

use crate::scene::JointKind;
use crate::solver::direct::Direct;
use crate::solver::verlet::Moves;
use crate::solver::verlet::conditions::PointConditions;
use crate::solver::verlet::frames::Frames;
use crate::world::Model;

/// What counts as at a bound, as a part of it: all but rounding.
const AT: f32 = 0.999;

/// The rows with bounds that are solved together; their equations follow one another.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounded {
    /// The equation of the first.
    first: usize,
    rows: Vec<Row>,
}

#[derive(Clone, Copy, Debug)]
struct Row {
    /// Its number among conditions.
    index: usize,
    /// Between what it may give, kg·m.
    bounds: [f32; 2],
    /// Its compliance between them.
    compliance: f32,
    /// Which bound it is at; `None` between them, where it is an equation.
    at: Option<f32>,
    /// Whether it came away from one in this sub-step, as it may once: so turning comes to an end.
    came_away: bool,
}

impl Bounded {
    /// Finds those between bodies that are part of `direct`, and adds their equations.
    pub(super) fn add(
        &mut self,
        model: &Model,
        conditions: &mut PointConditions,
        frames: &Frames,
        direct: &mut Direct,
        h: f32,
    ) {
        self.first = direct.len();
        self.rows.clear();
        for index in conditions.of_joints() {
            let Some((bounds, compliance)) = conditions.bounds(index, h) else { continue };
            // Where a rope contradicts what other joints hold, its equation asks for a change without end of what hardly
            // turns it.
            if matches!(
                model.joints[conditions.joint_of(index)].kind,
                JointKind::Distance { .. } | JointKind::Pulley { .. }
            ) {
                continue;
            }
            let nodes = conditions.terms_of(index).iter().map(|term| term.node);
            let free = nodes.filter(|&node| frames.inertia(model, node).inv_mass > 0.0);
            if !direct.has_room(free) {
                continue;
            }
            let gave = conditions.gave(index);
            let [lower, upper] = bounds;
            let at = if gave <= AT * lower {
                Some(lower)
            } else {
                (gave >= AT * upper).then_some(upper)
            };
            let row = Row { index, bounds, compliance, at, came_away: false };
            direct.push(conditions.terms_of(index).iter().copied(), None);
            direct.change(self.first + self.rows.len(), row.equation());
            conditions.set_together(index, true);
            self.rows.push(row);
        }
    }

    /// The rows, in the order of their equations.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> {
        self.rows.iter().map(|row| row.index)
    }

    /// What is left of each equation, or for those at a bound what is missing from that, after the same of those before.
    pub(super) fn add_residuals(
        &self,
        conditions: &PointConditions,
        left: impl Fn(usize, usize) -> f64,
        residuals: &mut Vec<f64>,
    ) {
        for row in &self.rows {
            residuals.push(match row.at {
                None => left(row.index, residuals.len()),
                Some(bound) => f64::from(bound - conditions.lambda(row.index)),
            });
        }
    }

    /// Stops those at a bound that a solution, the impulses of all equations, would take beyond it. Returns whether there
    /// are any: then all is to be solved once more.
    pub(super) fn stop(
        &mut self,
        conditions: &PointConditions,
        impulses: &[f64],
        direct: &mut Direct,
    ) -> bool {
        self.turn(direct, |row, equation| {
            let gives = conditions.lambda(row.index) + impulses[equation] as f32;
            let [lower, upper] = row.bounds;
            if row.at.is_none() && !(lower..=upper).contains(&gives) {
                row.at = Some(gives.clamp(lower, upper));
            }
        })
    }

    /// Lets those come away from a bound that would have less of it after a solution, once in a sub-step. Returns whether
    /// there are any: then there is more to be solved.
    pub(super) fn let_go(
        &mut self,
        conditions: &PointConditions,
        frames: &Frames,
        moves: &Moves,
        direct: &mut Direct,
        h: f32,
    ) -> bool {
        self.turn(direct, |row, _| {
            let Some(bound) = row.at.filter(|_| !row.came_away) else { return };
            // What is left of its law is undone by an impulse the other way.
            let left = conditions.residual(row.index, frames, moves, h);
            let comes_away = if bound == row.bounds[0] { left < 0.0 } else { left > 0.0 };
            if comes_away {
                (row.at, row.came_away) = (None, true);
            }
        })
    }

    /// Changes rows, and the equations of those that are others then. Returns whether there are any.
    fn turn(&mut self, direct: &mut Direct, change: impl Fn(&mut Row, usize)) -> bool {
        let mut any = false;
        for (equation, row) in (self.first..).zip(&mut self.rows) {
            let before = row.equation();
            change(row, equation);
            if row.equation() != before {
                direct.change(equation, row.equation());
                any = true;
            }
        }
        any
    }
}

impl Row {
    /// Its compliance, if it is an equation now.
    fn equation(&self) -> Option<f32> {
        self.at.is_none().then_some(self.compliance)
    }
}
