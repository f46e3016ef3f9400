//! Where the unknowns of a system are: which equations are solved, and in which order nodes come.
//!
//! Two nodes are neighbours if an equation has both. A connected group of nodes is solved as a whole
//! or not at all. It is if its matrix is narrow enough ([`Limits`]), and unless rounds do as well: soft springs
//! hardly hand on in a sub-step what acts on one of them, and a ragdoll, a few bodies of like mass one after the
//! other ([`SHORT`], [`ALIKE`]), converges in a few rounds, at a fifth of the time in a heap, where every contact
//! would ask for the response of a whole ragdoll. Not so where one of them is kept from turning at all: the limit of a
//! pin there turns it back as far as the rest is heavier, and it takes many rounds to hold up a torso by its pelvis.

use std::ops::Range;

#[cfg(doc)]
use super::Direct;
use super::envelope::{Envelope, ROWS};
use super::order::{self, Graph};
use super::{Equation, Inertia, Limits, Term, mobility, terms_of};
use crate::math::Mapped;

/// Rigid bodies that reach over at most this many, one joined to the next, are left to rounds…
const SHORT: usize = 9;
/// …if none is heavier than another by more than this factor.
const ALIKE: f32 = 60.0;
/// Equations of more nodes than this are left to rounds: all their nodes would be neighbours.
pub(crate) const MOST_NODES: usize = 8;

/// Where the unknowns of each node are.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The node of each term and the end of each equation: what the layout was made for.
    nodes: Vec<u32>,
    ends: Vec<u32>,
    places: Vec<Place>,
    /// The nodes that are part of the system, in the order of their unknowns.
    placed: Vec<u32>,
    /// The groups of nodes that are connected, in that order.
    parts: Vec<Part>,
    /// The group of each equation; [`NONE`] for one that is not solved.
    groups: Vec<u32>,
}

/// The group of what is part of none.
const NONE: u32 = u32::MAX;

/// The unknowns of a node.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    /// The first of them.
    at: u32,
    /// How many: 2, 3 with an angle, 0 where it is not part of the system.
    count: u32,
    /// Its group.
    part: u32,
}

/// A group of nodes that are connected.
#[derive(Clone, Debug)]
struct Part {
    unknowns: Range<usize>,
    /// The entries of its part of the matrix.
    entries: usize,
    /// Its nodes among all that are placed.
    nodes: Range<usize>,
}

impl Layout {
    /// Whether this is the layout for these equations.
    pub(super) fn is_for(&self, equations: &[Equation], terms: &[Term]) -> bool {
        equations.iter().map(|equation| equation.end).eq(self.ends.iter().copied())
            && terms.iter().map(|term| term.node).eq(self.nodes.iter().copied())
    }

    /// The layout for these equations, and the matrix of their system, still empty. A group is left out
    /// if its factor takes more than `most_work` multiplications for each of its equations.
    pub(super) fn new(
        equations: &[Equation],
        terms: &[Term],
        apart: &[bool],
        limits: Limits,
        inertia: &impl Fn(u32) -> Inertia,
    ) -> (Self, Envelope) {
        let count = terms.iter().map(|term| term.node as usize + 1).max().unwrap_or(0);
        let mut layout = Self {
            nodes: terms.iter().map(|term| term.node).collect(),
            ends: equations.iter().map(|equation| equation.end).collect(),
            places: vec![Place::default(); count],
            placed: Vec::new(),
            parts: Vec::new(),
            groups: Vec::new(),
        };
        let is_pushed = |node: u32| inertia(node).inv_mass > 0.0;
        let nodes_of = |index: usize| {
            let nodes = terms_of(equations, terms, index).iter().map(|term| term.node);
            nodes.filter(|&node| is_pushed(node))
        };
        let (mut links, mut load) = (Vec::new(), vec![0; count]);
        // Which nodes are kept from turning, against what does not move.
        let mut upright = vec![false; count];
        // How hard the hardest equation at each node is.
        let mut hardest = vec![0.0_f64; count];
        for (index, equation) in equations.iter().enumerate() {
            if nodes_of(index).count() > MOST_NODES {
                continue;
            }
            let terms = terms_of(equations, terms, index);
            let give: f64 = terms.iter().map(|term| mobility(term, inertia)).sum();
            for node in nodes_of(index) {
                let hard = &mut hardest[node as usize];
                *hard = hard.max(equation.stiffness * give);
            }
            if nodes_of(index).count() == 1 && terms.iter().all(Term::only_turns) {
                nodes_of(index).for_each(|node| upright[node as usize] = true);
            }
            for (k, a) in nodes_of(index).enumerate() {
                links.extend(nodes_of(index).take(k).map(|b| (a, b)));
            }
            if let Some(node) = nodes_of(index).next() {
                load[node as usize] += 1;
            }
        }
        let graph = Graph::new(count, &links);
        let mut first = Vec::new();
        for part in graph.parts() {
            let equations: usize = part.order.iter().map(|&node| load[node as usize]).sum();
            let any_apart =
                || part.order.iter().any(|&node| apart.get(node as usize) == Some(&true));
            let is_soft = || {
                let is_point = |node: u32| inertia(node).inv_inertia == 0.0;
                part.order
                    .iter()
                    .all(|&node| is_point(node) && hardest[node as usize] < limits.soft)
            };
            let any_upright = || part.order.iter().any(|&node| upright[node as usize]);
            let in_rounds =
                || is_soft() || !any_upright() && converges_in_rounds(&part, equations, inertia);
            if equations > 0 && !any_apart() && !in_rounds() {
                let most = limits.most_work * equations;
                layout.place(&part.order, &graph, most, inertia, &mut first);
            }
        }
        layout.groups.reserve_exact(equations.len());
        for index in 0..equations.len() {
            let few = nodes_of(index).count() <= MOST_NODES;
            let node = nodes_of(index).next().filter(|_| few);
            let part = node.and_then(|node| layout.part_of(node));
            layout.groups.push(part.map_or(NONE, |part| part as u32));
        }
        (layout, Envelope::new(&first))
    }

    /// Gives unknowns to the nodes of a part, in its order, unless that takes more work than `most`. `first`
    /// takes the column at which the row of each unknown begins.
    fn place(
        &mut self,
        part: &[u32],
        graph: &Graph,
        most: usize,
        inertia: &impl Fn(u32) -> Inertia,
        first: &mut Vec<u32>,
    ) {
        let start = first.len();
        let (mut work, mut entries) = (0, 0);
        for &node in part {
            let at = first.len() as u32;
            let count = if inertia(node).inv_inertia > 0.0 { 3 } else { 2 };
            let part = self.parts.len() as u32;
            self.places[node as usize] = Place { at, count, part };
            // Of those before, the farthest neighbour; the others have no place yet.
            let placed = graph.of(node).iter().map(|&other| self.places[other as usize]);
            let from = placed.filter(|place| place.count > 0).map(|place| place.at).min();
            let from = from.map_or(at, |from| from.min(at));
            for row in at..at + count {
                first.push(from);
                work += (row - from + 1).pow(2) as usize;
                entries += (row - from + 1) as usize;
            }
        }
        if work > most {
            first.truncate(start);
            for &node in part {
                self.places[node as usize] = Place::default();
            }
        } else {
            // The last panel is filled up with unknowns of nobody.
            first.extend(first.len() as u32..first.len().next_multiple_of(ROWS) as u32);
            let (unknowns, nodes) = (start..first.len(), self.placed.len());
            self.placed.extend(part);
            self.parts.push(Part { unknowns, entries, nodes: nodes..self.placed.len() });
        }
    }

    /// The number of the group that a node is part of, if it is part of the system.
    pub(super) fn part_of(&self, node: u32) -> Option<usize> {
        let Place { count, part, .. } = *self.places.get(node as usize)?;
        (count > 0).then_some(part as usize)
    }

    /// The number of groups.
    pub(super) fn parts(&self) -> usize {
        self.parts.len()
    }

    /// The entries of the part of the matrix that belongs to a group.
    pub(super) fn entries_of(&self, part: usize) -> usize {
        self.parts[part].entries
    }

    /// The unknowns of a group.
    pub(super) fn unknowns_of(&self, part: usize) -> Range<usize> {
        self.parts[part].unknowns.clone()
    }

    /// The nodes of a group, and their unknowns.
    pub(super) fn places_of(&self, part: usize) -> impl Iterator<Item = (u32, Range<usize>)> + '_ {
        let nodes = self.placed[self.parts[part].nodes.clone()].iter();
        nodes.map(|&node| (node, self.place_of(node)))
    }

    /// The unknowns of a node; none if it is not part of the system.
    pub(super) fn place_of(&self, node: u32) -> Range<usize> {
        let Place { at, count, .. } = self.places.get(node as usize).copied().unwrap_or_default();
        at as usize..(at + count) as usize
    }

    /// Whether an equation is solved. Those that were added later are.
    pub(super) fn solves(&self, equation: usize) -> bool {
        self.groups.get(equation).is_none_or(|&group| group != NONE)
    }

    /// The group of an equation with these terms, if it is solved.
    #[inline]
    pub(super) fn group_of(&self, equation: usize, terms: &[Term]) -> Option<usize> {
        match self.groups.get(equation) {
            Some(&group) => (group != NONE).then_some(group as usize),
            None => terms.iter().find_map(|term| self.part_of(term.node)),
        }
    }

    /// The derivatives of an equation by the unknowns.
    pub(super) fn slopes(&self, terms: &[Term]) -> impl Iterator<Item = (usize, f64)> {
        terms.iter().flat_map(|term| self.slopes_of(term))
    }

    /// Those of one term.
    #[inline]
    pub(super) fn slopes_of(&self, term: &Term) -> impl Iterator<Item = (usize, f64)> + use<> {
        let place = self.places.get(term.node as usize).copied().unwrap_or_default();
        let Place { at, count, .. } = place;
        let slopes = [term.linear.x, term.linear.y, term.angular];
        let numbered = slopes.into_iter().take(count as usize).enumerate();
        numbered.map(move |(axis, slope)| (at as usize + axis, f64::from(slope)))
    }

    /// Adds `stiffness·Jᵀ·J` of an equation to the matrix.
    pub(super) fn add_product(&self, terms: &[Term], stiffness: f64, matrix: &mut Envelope) {
        for (k, a) in terms.iter().enumerate() {
            for (l, b) in terms[..=k].iter().enumerate() {
                let [place_a, place_b] = [a, b].mapped(|term| self.places[term.node as usize]);
                let [a, b] = [a, b]
                    .mapped(|term| [term.linear.x, term.linear.y, term.angular].mapped(f64::from));
                if place_a.at >= place_b.at {
                    add_block((place_a, a), (place_b, b), stiffness, matrix);
                }
                // Two terms of one node count both ways.
                if place_a.at < place_b.at || (place_a.at == place_b.at && k != l) {
                    add_block((place_b, b), (place_a, a), stiffness, matrix);
                }
            }
        }
    }
}

/// Whether rounds do as well for a part with this many equations.
fn converges_in_rounds(
    part: &order::Part,
    equations: usize,
    inertia: &impl Fn(u32) -> Inertia,
) -> bool {
    let rigid = part.order.iter().all(|&node| inertia(node).inv_inertia > 0.0);
    let masses = || part.order.iter().map(|&node| inertia(node).inv_mass);
    let (lightest, heaviest) = (masses().fold(0.0, f32::max), masses().fold(f32::MAX, f32::min));
    // Joints that leave nothing but the motion of the whole contradict each other in rounds.
    let loose = equations + 3 < 3 * part.order.len();
    rigid && loose && lightest <= ALIKE * heaviest && part.reach <= SHORT
}

/// Adds `stiffness·aᵀ·b` to the block of two places, no farther right than the diagonal.
#[inline]
fn add_block(
    (rows, a): (Place, [f64; 3]),
    (columns, b): (Place, [f64; 3]),
    stiffness: f64,
    matrix: &mut Envelope,
) {
    for (k, slope) in a.into_iter().enumerate().take(rows.count as usize) {
        for (l, other) in b.into_iter().enumerate().take(columns.count as usize) {
            let (row, column) = (rows.at as usize + k, columns.at as usize + l);
            if column <= row {
                matrix.add(row, column, stiffness * slope * other);
            }
        }
    }
}
