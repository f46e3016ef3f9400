//! Equations solved exactly and together, where that is cheap.
//!
//! Rounds over constraints carry a correction along a rope by one link each, and less the heavier
//! what hangs on it. Where constraints are equations, forces of any size and sign, they can be solved
//! at once instead. With the residuals `r` of all equations, their compliances `c` and derivatives
//! `J`, the change `Δ` of velocities (or places) of the nodes and the impulses `Δλ` follow from
//!
//! ```text
//! (M + Jᵀ·C⁻¹·J)·Δ = −Jᵀ·C⁻¹·r        Δλ = −C⁻¹·(r + J·Δ)
//! ```
//!
//! This is the step of implicit Euler (Baraff, Witkin, “Large Steps in Cloth Simulation”, 1998,
//! eq. 6), with stiff equations as springs so hard that the rest is less than rounding: what remains
//! of them is taken up by the next solve. In the order of `order.rs` the matrix of a rope, a beam, a
//! chain or a ragdoll is a narrow band, and its factor (`envelope.rs`) costs little more than a round
//! over the constraints (the same idea for trees of joints: Baraff, “Linear-Time Dynamics using
//! Lagrange Multipliers”, 1996). Sheets and blocks cost more, the wider they are; beyond a bound they
//! are left to rounds.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | equations and the system they make |
//! | `layout.rs` | which equations are solved, and where the unknowns of each node are |
//! | `order.rs` | an order of nodes that makes the matrix narrow |
//! | `sway.rs` | what keeps heavily loaded links steady |
//! | `envelope.rs` | the matrix and its factor |

mod envelope;
mod layout;
mod order;
mod sway;

use std::ops::Range;

use wide::f64x4;

use crate::math::{Mapped, Vec2};
use crate::solver::common::MOST_TURN;
use envelope::Envelope;
use layout::Layout;
pub(crate) use layout::MOST_NODES;
pub(crate) use sway::{FOLLOWED, RESOLVED, Setting, Sways};

/// The compliance of a stiff equation, as a part of its mobility `J·M⁻¹·Jᵀ`. Where stiff equations
/// contradict each other, as two pins between the same bodies may by a hair, it is what keeps their
/// impulses from growing without bound.
pub(crate) const STIFF: f64 = 1e-5;

/// Groups whose matrix has at most this many entries tell their responses: that of a jelly of 150 points
/// has. Where a contact does not know how the whole jelly gives way, a heavy lid sinks into it.
pub(crate) const ENTRIES: usize = 10_000;

/// How an equation depends on one node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    /// The node, in the caller's numbering.
    pub(crate) node: u32,
    /// Derivative by its place.
    pub(crate) linear: Vec2,
    /// Derivative by its angle.
    pub(crate) angular: f32,
}

impl Term {
    /// Whether it takes hold of nothing but how its node is turned.
    pub(crate) fn only_turns(&self) -> bool {
        self.linear == Vec2::ZERO
    }
}

/// Two nodes that equations keep at a distance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) nodes: [u32; 2],
    /// How far apart they are, m.
    pub(crate) length: f32,
}

/// What an impulse finds at a node.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Inertia {
    /// 1 / mass; 0 for what cannot be pushed, 1/kg.
    pub(crate) inv_mass: f32,
    /// 1 / moment of inertia; 0 for what cannot be turned, 1/(kg·m²).
    pub(crate) inv_inertia: f32,
}

/// Which groups of nodes that equations connect are solved together.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Limits {
    /// The most multiplications that the factor of their matrix may take for each of their equations: about 50 for a
    /// rope, 400 for a jelly of 100 points, 4,000 for a cloth of 20 × 20 cells.
    pub(crate) most_work: usize,
    /// Groups are left to rounds all of whose equations are springs softer than this: one over the compliance,
    /// times the mobility of its ends. That is `h²·k·w` for stiffness `k` in sub-steps of `h`: how much faster than
    /// sub-steps it would swing, squared.
    pub(crate) soft: f64,
    /// The part of a sub-step for which springs act in the first one of a step.
    pub(crate) first: f32,
}

/// Equations, and the factor of the system they make.
#[derive(Clone, Debug, Default)]
pub(crate) struct Direct {
    terms: Vec<Term>,
    equations: Vec<Equation>,
    layout: Layout,
    matrix: Envelope,
    /// Whether each group has an equation that has a part in this solve. Those without move as if there were none.
    busy: Vec<bool>,
    unknowns: Vec<f64>,
    /// The part that each group keeps of the last solve.
    parts: Vec<f64>,
    /// Whether each group is part of what [`Direct::follow`] has followed.
    pushed: Vec<bool>,
    four: Vec<f64x4>,
}

/// A derivative by an unknown.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slope {
    /// The unknown, counted from the first of its group.
    pub(crate) at: u32,
    pub(crate) by: f32,
}

#[derive(Clone, Copy, Debug)]
struct Equation {
    /// Where its terms end; they begin where those of the equation before end.
    end: u32,
    /// `1/c`; 0 for one that is left out.
    stiffness: f64,
    /// `c` of a stiff one, 0 for the others.
    slack: f64,
    /// Whether it is an impulse that is known instead.
    known: bool,
}

impl Direct {
    /// Forgets all equations; the layout stays, for the next that have the same pattern.
    pub(crate) fn clear(&mut self) {
        self.terms.clear();
        self.equations.clear();
    }

    /// Adds an equation of compliance `compliance`, 0 for a stiff one, `None` for one that has no
    /// part in this solve but may have in the next.
    #[inline]
    pub(crate) fn push(&mut self, terms: impl Iterator<Item = Term>, compliance: Option<f32>) {
        self.terms.extend(terms);
        let (end, stiffness) = (self.terms.len() as u32, stiffness(compliance));
        self.equations.push(Equation { end, stiffness, slack: 0.0, known: false });
    }

    /// Makes an equation one of this compliance, 0 for a stiff one, from the next [`Direct::factor`] on; for `None` it is
    /// an impulse that is known, which [`Direct::solve`] takes in place of a residual.
    pub(crate) fn change(&mut self, equation: usize, compliance: Option<f32>) {
        let equation = &mut self.equations[equation];
        (equation.stiffness, equation.slack) = (stiffness(compliance), 0.0);
        equation.known = compliance.is_none();
    }

    /// Forgets which groups are solved together.
    pub(crate) fn forget_layout(&mut self) {
        self.layout = Layout::default();
    }

    /// The number of equations.
    pub(crate) fn len(&self) -> usize {
        self.equations.len()
    }

    /// Whether no equation at all is solved directly.
    pub(crate) fn is_idle(&self) -> bool {
        !self.busy.contains(&true)
    }

    /// Whether an equation is solved directly; the others are left to rounds.
    pub(crate) fn solves(&self, equation: usize) -> bool {
        self.layout.solves(equation)
    }

    /// Whether an equation of these nodes, all of which can be pushed, may be added once the layout is made: there are any,
    /// and all are of one group, near each other in its order.
    pub(crate) fn has_room(&self, nodes: impl Iterator<Item = u32> + Clone) -> bool {
        let Self { layout, matrix, .. } = self;
        let group = nodes.clone().next().and_then(|node| layout.part_of(node));
        // The rows of a node may be in two panels, of which the second may begin farther right.
        let reaches = |rows: Range<usize>, column: usize| {
            rows.into_iter().all(|row| matrix.holds(row, column))
        };
        let is_near = |a: u32, b: u32| {
            let (a, b) = (layout.place_of(a), layout.place_of(b));
            if a.start < b.start { reaches(b, a.start) } else { reaches(a, b.start) }
        };
        group.is_some()
            && nodes.clone().all(|node| layout.part_of(node) == group)
            && nodes.clone().all(|a| nodes.clone().all(|b| is_near(a, b)))
    }

    /// Lays out the unknowns of the equations so far. `inertia` tells what an impulse finds at a node;
    /// it may change only after [`Direct::default`]. What is pushed after this, until the next
    /// [`Direct::clear`], must connect only nodes that these equations connect, or [`Direct::has_room`] for.
    ///
    /// A group of nodes takes part if its `limits` say so, and unless rounds do as well.
    ///
    /// Nodes that are `apart`, those at the end may be left out, have equations that are solved elsewhere: their groups
    /// take no part.
    pub(crate) fn arrange(
        &mut self,
        limits: Limits,
        inertia: impl Fn(u32) -> Inertia,
        apart: &[bool],
    ) {
        let Self { equations, terms, .. } = self;
        if !self.layout.is_for(equations, terms) {
            let (layout, matrix) = Layout::new(equations, terms, apart, limits, &inertia);
            (self.layout, self.matrix) = (layout, matrix);
        }
    }

    /// Makes the factor of the system of all equations.
    pub(crate) fn factor(&mut self, inertia: impl Fn(u32) -> Inertia) {
        self.busy.clear();
        self.busy.resize(self.layout.parts(), false);
        for index in 0..self.equations.len() {
            let terms = terms_of(&self.equations, &self.terms, index);
            let equation = &mut self.equations[index];
            let Some(part) = self.layout.group_of(index, terms) else {
                equation.stiffness = 0.0;
                continue;
            };
            if equation.stiffness.is_infinite() {
                let mobility: f64 = terms.iter().map(|term| mobility(term, &inertia)).sum();
                equation.slack = STIFF * mobility;
                equation.stiffness = if mobility > 0.0 { 1.0 / equation.slack } else { 0.0 };
            }
            self.busy[part] |= equation.stiffness > 0.0;
        }
        for part in busy(&self.busy) {
            self.matrix.clear(self.layout.unknowns_of(part));
            for (node, at) in self.layout.places_of(part) {
                let Inertia { inv_mass, inv_inertia } = inertia(node);
                for (axis, at) in at.enumerate() {
                    let inverse = if axis < 2 { inv_mass } else { inv_inertia };
                    self.matrix.add(at, at, f64::from(inverse).recip());
                }
            }
        }
        for (index, equation) in self.equations.iter().enumerate() {
            if equation.stiffness > 0.0 {
                let terms = terms_of(&self.equations, &self.terms, index);
                self.layout.add_product(terms, equation.stiffness, &mut self.matrix);
            }
        }
        busy(&self.busy).for_each(|part| self.matrix.factor(self.layout.unknowns_of(part)));
    }

    /// The compliance that a stiff equation has all the same: its residual is `C + c·λ`, with the
    /// impulse `λ` it has so far. 0 for other equations.
    pub(crate) fn slack(&self, equation: usize) -> f32 {
        self.equations[equation].slack as f32
    }

    /// Solves for residuals, one for each equation, and replaces each by the impulse `Δλ` of its
    /// equation; impulses that are known stay. [`Direct::changes`] are what these do to the nodes.
    pub(crate) fn solve(&mut self, residuals: &mut [f64]) {
        let Self { terms, equations, layout, matrix, busy, unknowns, .. } = self;
        unknowns.clear();
        unknowns.resize(matrix.len(), 0.0);
        for (index, residual) in residuals.iter().enumerate() {
            let equation = &equations[index];
            let force = if equation.known { *residual } else { -equation.stiffness * residual };
            if force != 0.0 {
                for (at, slope) in layout.slopes(terms_of(equations, terms, index)) {
                    unknowns[at] += slope * force;
                }
            }
        }
        solve_busy(busy, layout, matrix, unknowns);
        for (index, residual) in residuals.iter_mut().enumerate() {
            let Equation { stiffness, known, .. } = equations[index];
            if known {
                continue;
            }
            if stiffness > 0.0 {
                let slopes = layout.slopes(terms_of(equations, terms, index));
                let moved: f64 = slopes.map(|(at, slope)| slope * unknowns[at]).sum();
                *residual = -stiffness * (*residual + moved);
            } else {
                *residual = 0.0;
            }
        }
    }

    /// Keeps only as much of what the last solve for places changes, the same part of all that changes of a group, as the
    /// directions of equations are good for: no body turns by more than [`MOST_TURN`], and no span changes by more than
    /// that part of its length, which would turn it as far. `impulses` are those of all equations.
    ///
    /// Where a net is crushed flat its equations depend on each other, and a small error that they cannot undo asks for a
    /// change without end. A shorter step in the same direction still leaves less of the error: this is a step
    /// restricted to where the linear model can be trusted (Nocedal, Wright, “Numerical Optimization”, 2006, ch. 4).
    pub(crate) fn restrict(&mut self, impulses: &mut [f64], spans: impl Iterator<Item = Span>) {
        let Self { terms, equations, layout, busy, unknowns, parts, .. } = self;
        parts.clear();
        parts.resize(layout.parts(), 1.0);
        let keep = |parts: &mut [f64], part: usize, change: f32, most: f32| {
            if change > most {
                parts[part] = parts[part].min(f64::from(most / change));
            }
        };
        for Span { nodes, length } in spans {
            let [a, b] = nodes.mapped(|node| change(node, layout.place_of(node), unknowns));
            if let Some(part) = nodes.iter().find_map(|&node| layout.part_of(node)) {
                keep(parts, part, a.linear.distance(b.linear), MOST_TURN * length);
            }
        }
        for part in self::busy(busy) {
            for (node, at) in layout.places_of(part) {
                keep(parts, part, change(node, at, unknowns).angular.abs(), MOST_TURN);
            }
        }
        if parts.iter().all(|&kept| kept == 1.0) {
            return;
        }
        for (part, &kept) in parts.iter().enumerate() {
            unknowns[layout.unknowns_of(part)].iter_mut().for_each(|unknown| *unknown *= kept);
        }
        for (index, impulse) in impulses.iter_mut().enumerate() {
            let part = layout.group_of(index, terms_of(equations, terms, index));
            *impulse *= part.map_or(1.0, |part| parts[part]);
        }
    }

    /// What the last solve changes of each node: its velocity and spin, or its place and angle. Added
    /// up from the impulses of equations this would be the same but for rounding, which is large where
    /// large impulses cancel.
    pub(crate) fn changes(&self) -> impl Iterator<Item = Change> + '_ {
        self.changes_of(&self.busy)
    }

    fn changes_of<'a>(&'a self, groups: &'a [bool]) -> impl Iterator<Item = Change> + 'a {
        let places = busy(groups).flat_map(|part| self.layout.places_of(part));
        places.map(|(node, at)| change(node, at, &self.unknowns))
    }

    /// The number of groups.
    pub(crate) fn groups(&self) -> usize {
        self.layout.parts()
    }

    /// The group of a node, if that has equations in this solve and tells its responses.
    pub(crate) fn telling(&self, node: u32) -> Option<u32> {
        let part = self.layout.part_of(node)?;
        (self.tells(node) == Some(true)).then_some(part as u32)
    }

    /// The derivatives of a term by the unknowns of its group.
    pub(crate) fn slopes_of(&self, term: &Term) -> impl Iterator<Item = Slope> + use<'_> {
        let part = self.layout.part_of(term.node);
        let first = part.map_or(0, |part| self.layout.unknowns_of(part).start);
        self.layout
            .slopes_of(term)
            .map(move |(at, by)| Slope { at: (at - first) as u32, by: by as f32 })
    }

    /// How the unknowns of a group change when up to four unit impulses act on it, each alone, along these slopes:
    /// the nodes give way together, as the equations let them.
    pub(crate) fn respond_four<'a>(
        &mut self,
        group: u32,
        pushes: impl Iterator<Item = &'a [Slope]>,
    ) -> &[f64x4] {
        let Self { layout, matrix, four, .. } = self;
        let range = layout.unknowns_of(group as usize);
        four.clear();
        four.resize(range.len(), f64x4::ZERO);
        for (lane, slopes) in pushes.enumerate() {
            for Slope { at, by } in slopes {
                four[*at as usize].as_mut_array()[lane] += f64::from(*by);
            }
        }
        matrix.solve_four(range, bytemuck::cast_slice_mut(four));
        four
    }

    /// Whether a node is part of the system.
    #[inline]
    pub(crate) fn has(&self, node: u32) -> bool {
        self.layout.part_of(node).is_some()
    }

    /// Whether a node is part of a group that has equations in this solve, and if so whether that tells its responses.
    pub(crate) fn tells(&self, node: u32) -> Option<bool> {
        let part = self.layout.part_of(node).filter(|&part| self.busy.get(part) == Some(&true))?;
        Some(self.layout.entries_of(part) <= ENTRIES)
    }

    /// Finds what impulses, each on a group along some slopes, change: [`Direct::followed`] of nodes,
    /// [`Direct::given`] of equations.
    pub(crate) fn follow<'a>(&mut self, pushes: impl Iterator<Item = (u32, &'a [Slope], f32)>) {
        let Self { layout, matrix, unknowns, pushed, .. } = self;
        unknowns.clear();
        unknowns.resize(matrix.len(), 0.0);
        pushed.clear();
        pushed.resize(layout.parts(), false);
        for (group, slopes, impulse) in pushes {
            pushed[group as usize] = true;
            let own = &mut unknowns[layout.unknowns_of(group as usize)];
            for Slope { at, by } in slopes {
                own[*at as usize] += f64::from(*by) * f64::from(impulse);
            }
        }
        solve_busy(pushed, layout, matrix, unknowns);
    }

    /// What was followed changes of each node.
    pub(crate) fn followed(&self) -> impl Iterator<Item = Change> + '_ {
        self.changes_of(&self.pushed)
    }

    /// What was followed gives each equation, in `impulses`.
    pub(crate) fn given(&self, impulses: &mut Vec<f64>) {
        let Self { terms, equations, layout, unknowns, pushed, .. } = self;
        impulses.clear();
        impulses.extend((0..equations.len()).map(|index| {
            let (stiffness, terms) =
                (equations[index].stiffness, terms_of(equations, terms, index));
            let is_pushed = layout.group_of(index, terms).is_some_and(|group| pushed[group]);
            if stiffness == 0.0 || !is_pushed {
                return 0.0;
            }
            let moved: f64 = layout.slopes(terms).map(|(at, slope)| slope * unknowns[at]).sum();
            -stiffness * moved
        }));
    }
}

/// The nodes of a graph of `count` nodes with these links, in an order that makes its matrix narrow.
pub(crate) fn narrow_order(count: usize, links: &[(u32, u32)]) -> Vec<u32> {
    order::Graph::new(count, links).parts().into_iter().flat_map(|part| part.order).collect()
}

/// The stiffness of an equation; infinite where there is no compliance, 0 where there is no equation.
fn stiffness(compliance: Option<f32>) -> f64 {
    compliance.map_or(0.0, |compliance| f64::from(compliance).recip())
}

/// The numbers of the groups that are busy.
fn busy(busy: &[bool]) -> impl Iterator<Item = usize> + '_ {
    busy.iter().enumerate().filter(|(_, busy)| **busy).map(|(part, _)| part)
}

/// Solves for the unknowns of all groups that are busy.
fn solve_busy(of: &[bool], layout: &Layout, matrix: &Envelope, unknowns: &mut [f64]) {
    for part in busy(of) {
        let range = layout.unknowns_of(part);
        matrix.solve(range.clone(), &mut unknowns[range]);
    }
}

/// The change of a node whose unknowns are at these places.
fn change(node: u32, at: Range<usize>, unknowns: &[f64]) -> Change {
    let value = |axis: usize| at.clone().nth(axis).map_or(0.0, |place| unknowns[place] as f32);
    Change { node, linear: Vec2::new(value(0), value(1)), angular: value(2) }
}

/// The change of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub(crate) node: u32,
    pub(crate) linear: Vec2,
    pub(crate) angular: f32,
}

/// The terms of an equation.
#[inline]
fn terms_of<'a>(equations: &[Equation], terms: &'a [Term], index: usize) -> &'a [Term] {
    let first = index.checked_sub(1).map_or(0, |before| equations[before].end);
    &terms[first as usize..equations[index].end as usize]
}

/// `J·M⁻¹·Jᵀ` of one term.
#[inline]
fn mobility(term: &Term, inertia: &impl Fn(u32) -> Inertia) -> f64 {
    let Inertia { inv_mass, inv_inertia } = inertia(term.node);
    f64::from(inv_mass * term.linear.length_squared() + inv_inertia * term.angular * term.angular)
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn unit(_: u32) -> Inertia {
        Inertia { inv_mass: 1.0, inv_inertia: 0.0 }
    }

    fn term(node: u32, linear: Vec2) -> Term {
        Term { node, linear, angular: 0.0 }
    }

    /// Stiff links along x between nodes of a unit mass.
    fn train(links: &[(u32, u32)]) -> Direct {
        let mut direct = Direct::default();
        for &(a, b) in links {
            direct.push([term(a, -Vec2::X), term(b, Vec2::X)].into_iter(), Some(0.0));
        }
        direct.arrange(Limits { most_work: 1000, soft: 0.0, first: 1.0 }, unit, &[]);
        direct.factor(unit);
        direct
    }

    #[test]
    fn no_span_changes_by_more_than_its_directions_are_good_for() {
        let mut train = train(&[(0, 1), (1, 2), (3, 4)]);
        // The first link is 3 m too long, the last hardly.
        let mut residuals = [3.0, 0.0, 0.1];
        train.solve(&mut residuals);
        let (all, before) = (residuals, train.changes().collect::<Vec<_>>());
        let span = |nodes| Span { nodes, length: 1.0 };
        train.restrict(&mut residuals, [[0, 1], [1, 2], [3, 4]].map(span).into_iter());
        let part = f64::from(MOST_TURN) / 3.0;
        for (change, before) in train.changes().zip(before) {
            let kept = if change.node < 3 { part } else { 1.0 } as f32;
            assert_relative_eq!(change.linear.x, kept * before.linear.x, epsilon = 1e-4);
        }
        for ((now, before), kept) in residuals.into_iter().zip(all).zip([part, part, 1.0]) {
            assert_relative_eq!(now, kept * before, epsilon = 1e-3);
        }
    }

    #[test]
    fn a_train_starts_as_one() {
        let mut train = train(&[(0, 1), (1, 2)]);
        // The first wagon was given a speed of 3 m/s.
        let mut residuals = [-3.0, 0.0];
        train.solve(&mut residuals);
        assert_relative_eq!(residuals[0], 2.0, epsilon = 1e-3);
        assert_relative_eq!(residuals[1], 1.0, epsilon = 1e-3);
        let changes: Vec<f32> = train.changes().map(|change| change.linear.x).collect();
        for wanted in [-2.0, 1.0] {
            assert!(changes.iter().any(|&change| (change - wanted).abs() < 1e-3), "{changes:?}");
        }
    }

    #[test]
    fn there_is_room_for_an_equation_of_neighbours_only() {
        let links: Vec<(u32, u32)> = (0..11).map(|car| (car, car + 1)).chain([(20, 21)]).collect();
        let train = train(&links);
        let has_room = |nodes: &[u32]| train.has_room(nodes.iter().copied());
        assert!(has_room(&[4]) && has_room(&[4, 5]) && has_room(&[7, 6]) && has_room(&[20, 21]));
        assert!(!has_room(&[]) && !has_room(&[15]) && !has_room(&[4, 15]) && !has_room(&[11, 20]));
        assert!(!has_room(&[0, 11]) && !has_room(&[4, 9, 5]));
    }

    /// Rigid bodies around one that is held, of which a row may lie where another begins.
    #[test]
    fn what_there_is_room_for_is_solved() {
        let solid = |_| Inertia { inv_mass: 1.0, inv_inertia: 1.0 };
        let mut found = 0;
        for (a, b) in (0..6).flat_map(|b| (0..b).map(move |a| (a, b))) {
            let mut direct = Direct::default();
            direct.push([Term { angular: 1.0, ..term(0, Vec2::ZERO) }].into_iter(), Some(0.0));
            for (leaf, axis) in (1..6).flat_map(|leaf| [(leaf, Vec2::X), (leaf, Vec2::Y)]) {
                direct.push([term(0, axis), term(leaf, -axis)].into_iter(), Some(0.0));
            }
            direct.arrange(Limits { most_work: 1000, soft: 0.0, first: 1.0 }, solid, &[]);
            if !direct.has_room([a, b].into_iter()) {
                continue;
            }
            let turns = [(a, 1.0), (b, -1.0)];
            let turns = turns.map(|(node, angular)| Term { angular, ..term(node, Vec2::ZERO) });
            direct.push(turns.into_iter(), Some(0.0));
            direct.factor(solid);
            let mut residuals = [0.0; 12];
            residuals[11] = 1.0;
            direct.solve(&mut residuals);
            let turned = |node: u32| {
                direct.changes().find(|change| change.node == node).map_or(0.0, |it| it.angular)
            };
            assert_relative_eq!(turned(a) - turned(b), -1.0, epsilon = 1e-3);
            found += 1;
        }
        assert!(found >= 5, "room for {found}");
    }

    #[test]
    fn a_push_finds_the_whole_train() {
        let mut train = train(&[(0, 1), (1, 2)]);
        let push = term(0, Vec2::X);
        let group = train.telling(0).unwrap();
        let slopes: Vec<Slope> = train.slopes_of(&push).collect();
        let four = train.respond_four(group, [&slopes[..]].into_iter()).to_vec();
        assert!(four[6..].iter().all(|nobody| *nobody == f64x4::ZERO));
        let mobility: f64 = slopes
            .iter()
            .map(|slope| f64::from(slope.by) * four[slope.at as usize].to_array()[0])
            .sum();
        assert_relative_eq!(mobility, 1.0 / 3.0, epsilon = 1e-4);
        train.follow([(group, &slopes[..], 3.0)].into_iter());
        let changes: Vec<Change> = train.followed().collect();
        assert_eq!(changes.len(), 3);
        for change in changes {
            assert_relative_eq!(change.linear.x, 1.0, epsilon = 1e-3);
            assert_eq!((change.linear.y, change.angular), (0.0, 0.0));
        }
        let mut impulses = Vec::new();
        train.given(&mut impulses);
        assert_relative_eq!(impulses[0], 2.0, epsilon = 1e-3);
        assert_relative_eq!(impulses[1], 1.0, epsilon = 1e-3);
    }

    /// A wagon that is pushed 3 N·s as the others go along, and then one that is held.
    #[test]
    fn what_is_known_is_given() {
        let mut train = train(&[(0, 1), (1, 2)]);
        train.push([term(0, Vec2::X)].into_iter(), Some(0.0));
        for (known, wanted) in [(true, 1.0), (false, -3.0)] {
            train.change(2, (!known).then_some(0.0));
            train.factor(unit);
            let mut residuals = [0.0, 0.0, 3.0];
            train.solve(&mut residuals);
            assert_relative_eq!(residuals[2], if known { 3.0 } else { -9.0 }, epsilon = 1e-3);
            assert_eq!(train.changes().count(), 3);
            for change in train.changes() {
                assert_relative_eq!(change.linear.x, wanted, epsilon = 1e-3);
            }
        }
    }

    /// The same link three times over: they share what one would have.
    #[test]
    fn equations_that_say_the_same_share_the_load() {
        let mut train = train(&[(0, 1), (0, 1), (0, 1)]);
        let mut residuals = [-2.0; 3];
        train.solve(&mut residuals);
        for impulse in residuals {
            assert_relative_eq!(impulse, 1.0 / 3.0, epsilon = 1e-3);
        }
    }

    #[test]
    fn a_train_and_a_wide_net_are_told_apart() {
        assert!(train(&[(0, 1), (1, 2)]).solves(0));
        let side = 40;
        let across = (0..side * side).filter(|k| k % side > 0).map(|k| (k - 1, k));
        let down = (side..side * side).map(|k| (k - side, k));
        let net: Vec<_> = across.chain(down).collect();
        assert!(!train(&net).solves(0));
    }

    /// Rigid bodies that hang from each other, the first of which is welded to the world or only pinned.
    #[test]
    fn a_short_chain_is_left_to_rounds_unless_it_is_kept_from_turning() {
        let solid = |_| Inertia { inv_mass: 1.0, inv_inertia: 1.0 };
        for welded in [false, true] {
            let mut direct = Direct::default();
            for axis in [Vec2::X, Vec2::Y] {
                direct.push([term(0, axis)].into_iter(), Some(0.0));
                for body in 1..4 {
                    direct.push([term(body - 1, axis), term(body, -axis)].into_iter(), Some(0.0));
                }
            }
            if welded {
                let turn = Term { node: 0, linear: Vec2::ZERO, angular: 1.0 };
                direct.push([turn].into_iter(), Some(0.0));
            }
            direct.arrange(Limits { most_work: 1000, soft: 0.0, first: 1.0 }, solid, &[]);
            assert_eq!(direct.solves(0), welded);
        }
    }

    #[test]
    fn soft_springs_and_what_is_solved_elsewhere_are_left_to_rounds() {
        let springs = |compliance: f32, apart: &[bool]| {
            let mut direct = Direct::default();
            for (a, b) in [(0, 1), (1, 2)] {
                let terms = [term(a, -Vec2::X), term(b, Vec2::X)];
                direct.push(terms.into_iter(), Some(compliance));
            }
            direct.arrange(Limits { most_work: 1000, soft: 8.0, first: 1.0 }, unit, apart);
            direct.solves(0)
        };
        // Two ends of 1 kg: mobility 2, so 7.6 and 8.3 times as hard as a mass.
        assert!(!springs(0.26, &[]));
        assert!(springs(0.24, &[]));
        assert!(!springs(0.24, &[false, false, true]));
        assert!(springs(0.24, &[false, false, false, true]));
    }
}
