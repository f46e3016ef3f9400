//! Rows: one scalar constraint each, `J·v` to be brought to a target by an impulse along `J`.
//!
//! A row touches the nodes of its terms. Its impulse changes their velocities by `M⁻¹·Jᵀ·λ`, and so
//! `J·v` by `k·λ` with `k = J·M⁻¹·Jᵀ`. The same row corrects positions: with the error `C` it had
//! when it was built and what its nodes have moved since, the error now is `C + J·Δq`.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | what a row is |
//! | `build.rs` | rows of joints, edges, bends and areas |
//! | `follow.rs` | taking them anew after their nodes have moved |
//! | `impulse.rs` | solving them for velocities: sequential impulses |
//! | `together.rs` | equations solved all at once |
//! | `alike.rs` | those of soft bodies of one pattern, which are no rows |
//! | `wholes.rs` | both, as rows see them that act on them |
//! | `coupling.rs` | how rows move each other through these |
//! | `correction.rs` | removing a part of their error from positions |
//! | `projection.rs` | solving them for positions, and velocities after |

mod alike;
mod build;
mod correction;
mod coupling;
mod follow;
mod impulse;
mod projection;
mod together;
mod wholes;

use std::ops::Range;

use crate::math::{Mapped, Vec2, cross};
use crate::solver::Reaction;
#[cfg(doc)]
use crate::solver::direct::Direct;
use crate::solver::direct::{Limits, Sways, Term};
use crate::solver::nodes::{Nodes, Twist};
use crate::threads::Threads;
use crate::world::{Anchor, Model, Renumbering};
pub(crate) use correction::Correction;
use coupling::Coupling;
pub(crate) use impulse::{Returns, Turn};
pub(crate) use projection::BRISTLE;
pub(crate) use together::Stage;
use wholes::Wholes;

/// The range of a row's impulse.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Bound {
    /// Any impulse: an equation.
    Free,
    /// Any impulse, solved together with the row that follows. The two directions of a pin far
    /// from a centre are nearly the same constraint, and one after the other they would undo each
    /// other's work.
    Both {
        /// `J₁·M⁻¹·J₂ᵀ` of the two rows.
        coupling: f32,
    },
    /// The second of such a pair.
    Second,
    /// Pushes only. A gap may be closed within the sub-step of length `h`, but no further.
    Push {
        /// Sub-step, s.
        h: f32,
        /// The speed at which what is beyond the bound comes back as part of the velocity, m/s; 0
        /// where position correction sees to that.
        back: f32,
    },
    /// Pushes only, and gives way a little: a contact.
    Soft(Softness),
    /// At most `friction` times the impulse of the row `normal`.
    Friction {
        /// Coefficient μ.
        friction: f32,
        /// The row of the same contact along its normal.
        normal: usize,
    },
    /// An impulse against a spring, of at most this force (N or N·m) for as long as the sub-step
    /// lasts.
    Springy(Spring, f32),
    /// What brings it to a speed, within a force.
    Drive {
        /// `J·v` to keep, m/s or rad/s.
        speed: f32,
        /// The most force, N or N·m.
        most: f32,
    },
}

/// How a contact yields: a damped spring that acts on overlap, as a softened row (Catto, “Soft
/// Constraints”, GDC 2011, and “Solver2D”, 2024): `λ += −mass·(v + rate·C)/k − keep·λ`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Softness {
    h: f32,
    pub(crate) rate: f32,
    pub(crate) mass: f32,
    pub(crate) keep: f32,
}

impl Softness {
    /// Overlap that is left alone, m: contacts stay contacts.
    pub(crate) const SLOP: f32 = 0.0005;

    /// A spring that would swing at `hertz` with the damping ratio `ratio`, in a sub-step of `h` seconds.
    pub(crate) fn new(hertz: f32, ratio: f32, h: f32) -> Self {
        let omega = std::f32::consts::TAU * hertz;
        let damping = 2.0 * ratio + h * omega;
        let stiffness = h * omega * damping;
        let keep = 1.0 / (1.0 + stiffness);
        Self { h, rate: omega / damping, mass: stiffness * keep, keep }
    }
}

/// What the impulse of a joint's row is on the joint's second end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Force {
    joint: u32,
    force: Vec2,
    torque: f32,
}

/// A damped spring as a softened row (Catto, “Soft Constraints”, GDC 2011): `J·v + γ·λ = −β·C`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Spring {
    compliance: f32,
    damping: f32,
    gamma: f32,
    beta: f32,
}

impl Spring {
    /// A spring of compliance `compliance` (m/N, positive) and damping `damping` (N·s/m).
    pub(crate) fn new(compliance: f32, damping: f32, h: f32) -> Self {
        // γ = 1/(h·(d + h·k)) and β = h·k·γ with k = 1/compliance, written without dividing by a
        // compliance that may be tiny.
        let beta = 1.0 / (damping * compliance + h);
        Self { compliance, damping, gamma: compliance * beta / h, beta }
    }
}

/// A scalar constraint.
#[derive(Clone, Copy, Debug)]
struct Row {
    first: u32,
    last: u32,
    /// `J·M⁻¹·Jᵀ`, 1/kg.
    k: f32,
    /// Error when built, m (or rad); for pushes, the gap.
    error: f32,
    /// By how much more it will change than along its direction, m.
    departs: f32,
    /// Impulse so far: N·s where rows are solved for velocities, kg·m where for positions.
    impulse: f32,
    /// What the velocity stage adds where rows are solved for positions, N·s.
    eased: f32,
    bound: Bound,
    /// Whether it is solved together with others rather than in its turn.
    together: bool,
    /// Its number in [`Rows::coupling`] where it acts on what is solved together.
    coupled: u32,
    /// What it carries without giving way, though it is solved together: [`Direct::slack`].
    carried: f32,
    /// Where it acts, m; rows that act on nodes as a whole have no use for it.
    at: Vec2,
}

/// The rows of guards of areas, which are the last before those of contacts.
#[derive(Clone, Debug, Default)]
struct Guards {
    /// Where they begin.
    first: usize,
    /// The area of each, in ascending order.
    areas: Vec<u32>,
    /// The areas of guards at work that are no rows.
    loose: Vec<u32>,
    /// Whether that of each area of the model is at work.
    at_work: Vec<bool>,
}

impl Guards {
    /// There are none yet; the next row is to be the first.
    fn begin(&mut self, first: usize) {
        self.first = first;
        self.areas.clear();
        self.loose.clear();
    }

    /// Which rows they are.
    fn rows(&self) -> Range<usize> {
        self.first..self.first + self.areas.len()
    }
}

/// The impulses of the rows before those of contacts, for the next sub-step to start from.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warm {
    /// Of the rows that are always there.
    impulses: Vec<f32>,
    /// Of those of guards, each with its area.
    guards: Vec<(u32, f32)>,
}

impl Warm {
    /// Forgets all.
    pub(crate) fn clear(&mut self) {
        self.impulses.clear();
        self.guards.clear();
    }
}

/// The rows of a sub-step, with their terms side by side in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    rows: Vec<Row>,
    terms: Vec<Term>,
    /// For the first rows, which are those of joints in order, what they do to them.
    forces: Vec<Force>,
    /// Where those of edges begin, and where those of bends, which areas follow.
    first_edge: usize,
    first_bend: usize,
    /// The rows of guards, which come and go.
    guards: Guards,
    open: usize,
    at: Vec2,
    /// Where the points of soft bodies are by now.
    places: Vec<Vec2>,
    /// Whether each node is held by an edge that is no row, and is solved by others; nodes at the end may be left out.
    apart: Vec<bool>,
    /// What is solved together, and what may be.
    wholes: Wholes,
    limits: Limits,
    residuals: Vec<f64>,
    /// Whether rounds act on something that is solved together but does not tell its response.
    disturbed: bool,
    /// How rows move each other through what is solved together, and which are to ask for that.
    coupling: Coupling,
    asking: Vec<u32>,
    /// The springs across links under tension, which come after the rows in [`Wholes::direct`].
    sways: Sways,
    /// Error is undone no faster than this, m/s.
    recovery: f32,
    /// Whether what takes part in rounds before rows and what does after them act on the same nodes.
    others_meet: bool,
    /// What shares the work.
    threads: Threads,
}

impl Rows {
    /// Forgets everything, as for another model. What is beyond `limits` is left to rounds.
    pub(crate) fn reset(&mut self, limits: Limits) {
        *self = Self { limits, ..Self::default() };
    }

    /// Forgets what is solved together, and what by others.
    pub(crate) fn forget_groups(&mut self) {
        self.apart.clear();
        self.wholes.direct.forget_layout();
        self.wholes.alike.forget();
    }

    /// Gives bodies the numbers that they have now.
    pub(crate) fn renumber(&mut self, by: &Renumbering) {
        self.wholes.alike.rename(by);
    }

    /// Whether the edges, bends and areas of a body are no rows, as it is solved side by side with others.
    fn has_alike(&self, body: u32) -> bool {
        self.wholes.alike.has(body)
    }

    /// Says of a node that it is held by an edge that is solved by others.
    #[inline]
    pub(crate) fn leave_apart(&mut self, node: u32) {
        let needed = self.apart.len().max(node as usize + 1);
        self.apart.resize(needed, false);
        self.apart[node as usize] = true;
    }

    /// Lets error be undone at most at the speed `recovery`, m/s, and `threads` share the work, until told anew.
    pub(crate) fn begin_step(&mut self, recovery: f32, threads: &Threads) {
        self.recovery = recovery;
        self.threads.clone_from(threads);
    }

    pub(crate) fn clear(&mut self) {
        self.coupling.clear();
        self.rows.clear();
        self.terms.clear();
    }

    /// Whether a node is part of what is solved together.
    #[inline]
    pub(crate) fn gives_way(&self, node: u32) -> bool {
        self.wholes.has(node)
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is nothing to be solved, not together either.
    pub(crate) fn are_none(&self) -> bool {
        self.rows.is_empty() && self.wholes.is_idle()
    }

    /// Begins a row; terms follow, then [`Rows::end`].
    pub(crate) fn begin(&mut self) {
        self.open = self.terms.len();
    }

    /// A term at the place `at` of a body, which `anchor` carries, along `direction`.
    #[inline]
    pub(crate) fn side(
        &mut self,
        nodes: &Nodes,
        model: &Model,
        body: u32,
        anchor: &Anchor,
        at: Vec2,
        direction: Vec2,
    ) {
        self.at = at;
        if let Some(node) = nodes.block(body) {
            let angular = cross(at - nodes.place(node), direction);
            self.term(nodes, Term { node, linear: direction, angular });
        } else {
            for (point, weight) in anchor.terms() {
                let node = nodes.of_point(model, point as u32);
                self.term(nodes, Term { node, linear: weight * direction, angular: 0.0 });
            }
        }
    }

    /// A term that turns a body at a place on it, by `amount` times its angle there ([`Model::rot_at`]).
    #[inline]
    pub(crate) fn turn(
        &mut self,
        nodes: &Nodes,
        model: &Model,
        positions: &[Vec2],
        (body, anchor): (u32, &Anchor),
        amount: f32,
    ) {
        if amount == 0.0 {
            return;
        }
        if let Some(node) = nodes.block(body) {
            self.add(nodes, Term { node, linear: Vec2::ZERO, angular: amount });
            return;
        }
        for (point, slope) in model.angle_gradient(body, anchor, positions) {
            let node = nodes.of_point(model, point as u32);
            self.add(nodes, Term { node, linear: amount * slope, angular: 0.0 });
        }
    }

    /// Adds a term to the one that the row has for the same node, if it has one.
    #[inline]
    fn add(&mut self, nodes: &Nodes, term: Term) {
        let same = self.terms[self.open..].iter_mut().find(|other| other.node == term.node);
        match same {
            Some(other) => {
                other.linear += term.linear;
                other.angular += term.angular;
            }
            None => self.term(nodes, term),
        }
    }

    #[inline]
    fn term(&mut self, nodes: &Nodes, term: Term) {
        if nodes.counts(term.node) {
            self.terms.push(term);
        }
    }

    /// Ends a row that has the error `error` now.
    #[inline]
    pub(crate) fn end(&mut self, nodes: &Nodes, error: f32, bound: Bound) {
        let k = mobility(&self.terms[self.open..], nodes);
        let (first, last) = (self.open as u32, self.terms.len() as u32);
        self.rows.push(Row {
            first,
            last,
            k,
            error,
            departs: 0.0,
            impulse: 0.0,
            eased: 0.0,
            bound,
            together: false,
            coupled: coupling::NONE,
            carried: 0.0,
            at: self.at,
        });
    }

    /// Makes the last two rows, which have the same nodes in the same order, a pair.
    pub(crate) fn pair(&mut self, nodes: &Nodes) {
        let Some(first) = self.rows.len().checked_sub(2) else { return };
        self.rows[first].bound = Bound::Both { coupling: self.coupling(first, nodes) };
        self.rows[first + 1].bound = Bound::Second;
    }

    /// `J₁·M⁻¹·J₂ᵀ` of a row and the one that follows.
    #[inline]
    fn coupling(&self, first: usize, nodes: &Nodes) -> f32 {
        let [a, b] = [&self.rows[first], &self.rows[first + 1]].mapped(|row| self.terms(row));
        let common = |(a, b): (&Term, &Term)| {
            let node = &nodes[a.node];
            node.inv_mass * a.linear.dot(b.linear) + node.inv_inertia * a.angular * b.angular
        };
        a.iter().zip(b).map(common).sum()
    }

    #[inline]
    fn terms(&self, row: &Row) -> &[Term] {
        row.terms(&self.terms)
    }

    /// `J·v` of a row.
    #[inline]
    pub(crate) fn speed(&self, row: usize, nodes: &Nodes) -> f32 {
        self.motion(&self.rows[row], |term| speed(term, nodes))
    }

    /// How a row moves, if `of` tells how nodes do.
    #[inline]
    fn motion(&self, row: &Row, of: impl Fn(&Term) -> f32) -> f32 {
        if self.coupling.holds(row.coupled) {
            let loose: f32 = self.coupling.loose(row.coupled).iter().map(of).sum();
            return self.coupling.motion(row.coupled) + loose;
        }
        self.terms(row).iter().map(of).sum()
    }

    /// Says whether what takes part in rounds before rows and what does after them act on the same nodes.
    pub(crate) fn let_others_meet(&mut self, they_do: bool) {
        self.others_meet = they_do;
    }

    /// How often rows and others take turns in so many rounds, and how many rounds the others do in each: all at once
    /// where no row has a turn, and they have nothing to do with each other.
    fn turns(&self, rounds: u32) -> (u32, u32) {
        let has_turns = || self.rows.iter().any(Row::takes_turns);
        let in_turn = self.disturbed || self.others_meet || has_turns();
        if in_turn { (rounds, 1) } else { (1, rounds) }
    }

    /// The impulse of a row so far.
    #[inline]
    pub(crate) fn impulse(&self, row: usize) -> f32 {
        self.rows[row].impulse
    }

    /// Notes what `of` says of each row before those of contacts, by its number.
    pub(crate) fn note_warm(&self, of: impl Fn(usize) -> f32, warm: &mut Warm) {
        let Guards { first, areas, .. } = &self.guards;
        warm.clear();
        warm.impulses.extend((0..*first).map(&of));
        warm.guards.extend(areas.iter().copied().zip((*first..).map(&of)));
    }

    /// The rows before those of contacts, if their impulses were noted, and not those of others.
    fn noted_rows(&self, warm: &Warm) -> Range<usize> {
        let Range { start, end } = self.guards.rows();
        if warm.impulses.len() == start { 0..end } else { 0..0 }
    }

    /// What was noted of one of them.
    #[inline]
    fn noted(&self, row: usize, warm: &Warm) -> f32 {
        warm.impulses.get(row).copied().unwrap_or_else(|| {
            let area = self.guards.areas[row - self.guards.first];
            let noted = warm.guards.binary_search_by_key(&area, |guard| guard.0);
            noted.map_or(0.0, |at| warm.guards[at].1)
        })
    }

    /// The joints that have rows, of which some are solved together.
    pub(crate) fn joints_together(&self) -> impl Iterator<Item = u32> + '_ {
        let rows = self.rows.iter().zip(&self.forces);
        rows.filter(|(row, _)| row.together).map(|(_, force)| force.joint)
    }

    /// Whether an edge, by its place among those that are rows, is solved together with others.
    pub(crate) fn is_edge_together(&self, place: usize) -> bool {
        self.rows[self.first_edge + place].together
    }

    /// Adds to each joint's sum what its rows gave it, as `of` says for each row.
    pub(crate) fn sum_reactions(&self, of: impl Fn(usize) -> f32, sums: &mut [Reaction]) {
        for (row, Force { joint, force, torque }) in self.forces.iter().enumerate() {
            let (impulse, sum) = (of(row), &mut sums[*joint as usize]);
            sum.force += impulse * *force;
            sum.torque += impulse * torque;
        }
    }

    /// Gives a row an impulse to start from.
    pub(crate) fn start(&mut self, row: usize, impulse: f32, nodes: &mut Nodes) {
        self.rows[row].impulse = impulse;
        self.apply(row, impulse, nodes);
    }

    /// Lets the impulse of a row act on velocities.
    #[inline]
    fn apply(&mut self, row: usize, impulse: f32, nodes: &mut Nodes) {
        self.push_along(row, impulse, nodes, Nodes::speed_mut);
    }

    /// The error of a row after what its nodes have moved since it was built.
    #[inline]
    fn error(&self, row: &Row, nodes: &Nodes) -> f32 {
        row.error + row.departs + self.motion(row, |term| moved(term, nodes))
    }

    /// Moves the nodes of a row by a displacement impulse.
    #[inline]
    fn shift(&mut self, row: usize, by: f32, nodes: &mut Nodes) {
        self.push_along(row, by, nodes, Nodes::travel_mut);
    }

    fn push_along(
        &mut self,
        row: usize,
        impulse: f32,
        nodes: &mut Nodes,
        motion: impl Fn(&mut Nodes, u32) -> &mut Twist,
    ) {
        if impulse == 0.0 {
            return;
        }
        let coupled = self.rows[row].coupled;
        let terms = if self.coupling.holds(coupled) {
            self.coupling.push(coupled, impulse);
            self.coupling.loose(coupled)
        } else {
            self.terms(&self.rows[row])
        };
        for term in terms {
            let inv_mass = nodes[term.node].inv_mass;
            let motion = motion(nodes, term.node);
            motion.linear += inv_mass * impulse * term.linear;
            motion.angular += motion.inv_inertia * impulse * term.angular;
        }
    }

    /// A term on a point that is a node of its own, or on the block it belongs to.
    pub(crate) fn point(&mut self, nodes: &Nodes, model: &Model, point: u32, direction: Vec2) {
        let node = nodes.of_point(model, point);
        self.term(nodes, Term { node, linear: direction, angular: 0.0 });
    }
}

impl Row {
    /// Its terms among those of all rows.
    #[inline]
    fn terms<'a>(&self, all: &'a [Term]) -> &'a [Term] {
        &all[self.first as usize..self.last as usize]
    }

    /// Whether it is solved in its turn, round by round.
    fn takes_turns(&self) -> bool {
        self.k > 0.0 && !self.together
    }
}

/// `J·M⁻¹·Jᵀ` of a row with these terms whose nodes move each alone, 1/kg.
fn mobility(terms: &[Term], nodes: &Nodes) -> f32 {
    terms.iter().map(|term| inv_mass(term, nodes)).sum()
}

fn inv_mass(term: &Term, nodes: &Nodes) -> f32 {
    let node = &nodes[term.node];
    node.inv_mass * term.linear.length_squared() + node.inv_inertia * term.angular * term.angular
}

#[inline]
fn speed(term: &Term, nodes: &Nodes) -> f32 {
    along(term, nodes.speed(term.node))
}

/// What a node has moved along a term.
fn moved(term: &Term, nodes: &Nodes) -> f32 {
    along(term, nodes.travel(term.node))
}

/// A motion along a term.
fn along(term: &Term, motion: &Twist) -> f32 {
    term.linear.dot(motion.linear) + term.angular * motion.angular
}
