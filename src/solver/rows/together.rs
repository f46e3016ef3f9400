//! Equations solved all at once (`direct/`), in place of a round over them.
//!
//! What takes part: rows of joints, edges and bends that are equations, stiff or springy, without a
//! bound on their impulse. The others, contacts first of all, are solved in rounds after them. Where
//! such a row acts on what is solved together, its impulse moves all of that as the equations let it
//! (its response): a load on a taut rope finds the rope, not the one link that it touches. So the
//! equations stay satisfied, and the rounds converge as if there were only contacts (`coupling.rs`). What the
//! equations give meanwhile is counted when the rounds are over. Large groups do not tell their responses: there the
//! equations are solved anew before every round.

use super::alike::Aim;
use super::{Bound, Row, Rows, Spring, along, coupling, mobility, speed};
use crate::math::Mapped;
use crate::solver::direct::{Change, Inertia, Setting, Term};
use crate::solver::nodes::{Nodes, Twist};

/// What equations are solved for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Stage {
    /// Velocities; springs take part.
    Speeds,
    /// Displacements; springs take part.
    Places,
    /// Velocities at the end of a sub-step, when springs have done their part.
    Rest,
}

impl Rows {
    /// Makes ready to solve the rows before those of guards together, as they are now in a sub-step of `h` seconds.
    pub(crate) fn prepare(&mut self, stage: Stage, h: f32, nodes: &Nodes) {
        let count = self.guards.first;
        let inertia = |node: u32| {
            let node = &nodes[node];
            Inertia { inv_mass: node.inv_mass, inv_inertia: node.inv_inertia }
        };
        self.wholes.direct.clear();
        for row in &self.rows[..count] {
            let takes_part = row.compliance(Stage::Speeds, h).is_some();
            let terms = if takes_part { row.first as usize..row.last as usize } else { 0..0 };
            self.wholes.direct.push(self.terms[terms].iter().copied(), row.compliance(stage, h));
        }
        self.wholes.direct.arrange(self.limits, inertia, &self.apart);
        for (index, row) in self.rows[..count].iter_mut().enumerate() {
            row.together = self.wholes.direct.solves(index);
        }
        self.sways.clear();
        if stage != Stage::Rest && self.sways.begin(count) {
            let pace = if stage == Stage::Places { h } else { 1.0 };
            let setting = Setting { h, speed: |term: Term| speed(&term, nodes), pace };
            for index in 0..count {
                self.add_sways(index, nodes, &setting);
            }
            for sway in self.sways.iter() {
                self.wholes.direct.push(sway.terms(), Some(sway.compliance()));
            }
        }
        self.wholes.direct.factor(inertia);
        self.wholes.alike.prepare(stage, h, nodes, &self.threads);
        self.forget_responses(nodes);
    }

    /// Lets impulses act on single nodes again, as a start for solving must.
    pub(super) fn forget_responses(&mut self, nodes: &Nodes) {
        self.coupling.clear();
        for row in &mut self.rows {
            if row.coupled != coupling::NONE {
                row.k = mobility(row.terms(&self.terms), nodes);
                row.coupled = coupling::NONE;
            }
        }
    }

    /// Finds the rows that act on what is solved together, and their responses. Those that are `idle` have to ask for
    /// theirs ([`Rows::ask`]) before they give an impulse. What was found before is forgotten already.
    pub(super) fn respond(&mut self, idle: impl Fn(&Self, &Row) -> bool, nodes: &Nodes) {
        self.disturbed = false;
        if self.wholes.is_idle() {
            return;
        }
        for index in 0..self.rows.len() {
            let row = &self.rows[index];
            if !row.takes_turns() {
                continue;
            }
            let terms = row.terms(&self.terms);
            let mute = |term: &Term| self.wholes.direct.tells(term.node) == Some(false);
            self.disturbed |= terms.iter().any(mute);
            let coupled = self.coupling.add(terms, &self.wholes).unwrap_or(coupling::NONE);
            if coupled != coupling::NONE && !idle(self, &self.rows[index]) {
                self.asking.push(index as u32);
            }
            self.rows[index].coupled = coupled;
        }
        self.coupling.place(self.wholes.groups());
        self.ask_all(nodes);
    }

    /// Whether a row acts on what is solved together, and its response is still to be asked for.
    pub(super) fn is_unasked(&self, row: &Row) -> bool {
        self.coupling.is_unasked(row.coupled)
    }

    /// Finds the response of a row, if it is still to be found, and of the other row of the same contact.
    pub(super) fn ask(&mut self, index: usize, nodes: &Nodes) {
        if !self.is_unasked(&self.rows[index]) {
            return;
        }
        let nodes_of = |row: &Row| self.terms(row).iter().map(|term| term.node);
        let (row, beside) = (&self.rows[index], [index.wrapping_sub(1), index + 1]);
        let other = beside.into_iter().find(|&other| {
            let other = self.rows.get(other).filter(|other| self.is_unasked(other));
            other.is_some_and(|other| nodes_of(other).eq(nodes_of(row)))
        });
        self.asking.extend([Some(index), other].into_iter().flatten().map(|row| row as u32));
        self.ask_all(nodes);
    }

    /// Finds the responses of all rows that are to ask for theirs.
    fn ask_all(&mut self, nodes: &Nodes) {
        let Self { rows, terms, coupling, asking, wholes, .. } = self;
        for &index in &*asking {
            coupling.request(rows[index as usize].coupled);
        }
        coupling.ask(wholes);
        for index in asking.drain(..) {
            let row = &mut rows[index as usize];
            row.k = coupling.mobility(row.coupled) + mobility(coupling.loose(row.coupled), nodes);
            // What cannot be moved for rounding is left alone.
            if row.k <= 1e-6 * mobility(row.terms(terms), nodes) {
                row.k = 0.0;
            }
        }
    }

    /// Lets rows move each other from here on, not the nodes of what is solved together.
    pub(super) fn couple(&mut self, of: impl Fn(&Term) -> f32) {
        self.coupling.begin(of);
    }

    /// Lets the nodes of what is solved together follow what rows have given in a stage. Returns whether any have given
    /// anything.
    pub(super) fn uncouple(&mut self, stage: Stage, nodes: &mut Nodes) -> bool {
        let any = self.coupling.end(&mut self.wholes);
        if any {
            let motions = stage.all(nodes);
            move_by(self.wholes.direct.followed(), motions);
            self.wholes.alike.move_followed(motions, &self.threads);
        }
        any
    }

    /// Lets the nodes of what is solved together follow what rows have given in the rounds after
    /// [`Rows::solve_together`], and counts what the equations have given meanwhile; `of` is where a row counts the
    /// impulse that it is given.
    pub(super) fn conclude(
        &mut self,
        stage: Stage,
        nodes: &mut Nodes,
        of: impl Fn(&mut Row) -> &mut f32,
    ) {
        if self.wholes.is_idle() || !self.uncouple(stage, nodes) {
            return;
        }
        let mut impulses = std::mem::take(&mut self.residuals);
        self.wholes.direct.given(&mut impulses);
        for (row, by) in self.rows.iter_mut().zip(&impulses) {
            if row.together {
                *of(row) += *by as f32;
            }
        }
        let of_rows = self.wholes.direct.len() - self.sways.iter().len();
        for (sway, by) in self.sways.iter_mut().zip(&impulses[of_rows..]) {
            sway.add(*by as f32);
        }
        self.residuals = impulses;
        self.wholes.alike.count_followed();
    }

    /// Notes the forces of the rows before those of guards, their impulses times `scale`, for the next sub-step.
    pub(crate) fn note_pulls(&mut self, scale: f32) {
        self.sways.note_pulls(self.rows[..self.guards.first].iter().map(|row| scale * row.impulse));
        self.wholes.alike.note_pulls(scale, &self.threads);
    }

    /// Adds the springs across a row that is under tension: for an edge between two points one, for
    /// a pin one for each body it turns.
    fn add_sways(&mut self, index: usize, nodes: &Nodes, setting: &Setting<impl Fn(Term) -> f32>) {
        let row = self.rows[index];
        if !row.together {
            return;
        }
        if let Bound::Both { .. } = row.bound {
            for k in 0..(row.last - row.first) as usize {
                let x = self.terms[row.first as usize + k];
                let y = self.terms[self.rows[index + 1].first as usize + k];
                self.sways.add_about(index, [x, y], nodes[x.node].inv_inertia, setting);
            }
        } else if let [a, b] = *self.terms(&row) {
            let [from, to] = [a, b].mapped(|term| &nodes[term.node]);
            let is_edge = a.linear == -b.linear && from.inv_inertia + to.inv_inertia == 0.0;
            if is_edge && row.k > 0.0 {
                let length = from.center.distance(to.center);
                self.sways.add_across(index, [a, b], length, row.k, setting);
            }
        }
    }

    /// Solves what was made ready, for what `residual` says is left of each row, and `aim` of what is no row; `of` is
    /// where a row counts the impulse that it is given.
    pub(super) fn solve_together(
        &mut self,
        stage: Stage,
        aim: &Aim,
        nodes: &mut Nodes,
        residual: impl Fn(&Self, usize, &Nodes) -> f32,
        of: impl Fn(&mut Row) -> &mut f32,
    ) {
        if self.wholes.is_idle() {
            return;
        }
        let count = self.wholes.direct.len() - self.sways.iter().len();
        let mut residuals = std::mem::take(&mut self.residuals);
        residuals.clear();
        for index in 0..count {
            let carried = self.rows[index].carried;
            let slack = self.wholes.direct.slack(index) * (*of(&mut self.rows[index]) - carried);
            let left = if self.rows[index].together { residual(self, index, nodes) } else { 0.0 };
            residuals.push(f64::from(left + slack));
        }
        let change = |term: Term| along(&term, stage.of(nodes, term.node));
        residuals.extend(self.sways.iter().map(|sway| f64::from(sway.residual(change))));
        self.wholes.direct.solve(&mut residuals);
        let mut impulses = residuals.iter().map(|&impulse| impulse as f32);
        for (row, by) in self.rows[..count].iter_mut().zip(&mut impulses) {
            *of(row) += by;
        }
        for (sway, by) in self.sways.iter_mut().zip(impulses) {
            sway.add(by);
        }
        move_by(self.wholes.direct.changes(), stage.all(nodes));
        self.residuals = residuals;
        self.wholes.alike.solve(stage, aim, nodes, &self.threads);
        self.couple(|term| along(term, stage.of(nodes, term.node)));
    }
}

impl Stage {
    /// What of a node it is about.
    pub(super) fn of(self, nodes: &Nodes, node: u32) -> &Twist {
        match self {
            Self::Places => nodes.travel(node),
            Self::Speeds | Self::Rest => nodes.speed(node),
        }
    }

    /// That of all nodes, to change it.
    pub(super) fn all(self, nodes: &mut Nodes) -> &mut [Twist] {
        match self {
            Self::Places => nodes.travels_mut(),
            Self::Speeds | Self::Rest => nodes.speeds_mut(),
        }
    }
}

/// Changes what moves of some nodes.
fn move_by(changes: impl Iterator<Item = Change>, motions: &mut [Twist]) {
    for Change { node, linear, angular } in changes {
        let motion = &mut motions[node as usize];
        motion.linear += linear;
        motion.angular += angular;
    }
}

impl Row {
    /// How far an equation gives way under an impulse, as its stage measures it; `None` for what has
    /// bounds or has done its part.
    fn compliance(&self, stage: Stage, h: f32) -> Option<f32> {
        match (self.bound, stage) {
            (Bound::Free | Bound::Both { .. } | Bound::Second, _) => Some(0.0),
            (Bound::Springy(..), Stage::Rest) => None,
            (Bound::Springy(spring, f32::MAX), Stage::Speeds) => Some(spring.gamma),
            (Bound::Springy(spring, f32::MAX), Stage::Places) => {
                let Spring { compliance, damping, .. } = spring;
                Some(compliance / (h * (h + compliance * damping)))
            }
            _ => None,
        }
    }
}
