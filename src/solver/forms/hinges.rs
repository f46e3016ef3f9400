//! Pins between bodies that move as blocks, which `quads/` solves; all other joints are rows.
//!
//! What is solved together has its pins there. So which pins are hinges is known when rows of all of them have
//! been looked at once.

use std::ops::Range;

use crate::math::Mapped;
use crate::solver::Reaction;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Closing, Quads, Swing, Tie};
use crate::solver::rows::Rows;
use crate::threads::{Divide, Threads};
use crate::world::{Joint, Model, State};

/// The work on so few hinges is not worth sharing out.
const PART: usize = 512;

/// Of which joints hinges are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    /// Of all.
    All,
    /// Of those of bodies that only pins join to each other and to others. Multipliers that start from zero in each
    /// sub-step want all joints of a group in one round; of a slider that takes its turn apart from pins each would undo
    /// what the other has done.
    Pins,
}

/// Which joints are hinges.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hinges {
    /// Whether this is known.
    known: bool,
    ties: Vec<Tie>,
    /// The joint of each.
    joints: Vec<u32>,
    /// The joints that are none.
    others: Vec<u32>,
    /// Whether any has a servo.
    servos: bool,
}

impl Hinges {
    /// Forgets which they are.
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }

    /// The joints that are none, in ascending order; all as long as it is not known.
    pub(crate) fn others(&self, model: &Model) -> impl Iterator<Item = usize> {
        let (all, others) = match self.known {
            true => (0, &self.others[..]),
            false => (model.joints.len(), &[][..]),
        };
        (0..all).chain(others.iter().map(|&joint| joint as usize))
    }

    /// Whether any of them has a servo.
    pub(crate) fn has_servos(&self) -> bool {
        self.servos
    }

    /// How bodies are tied by them.
    pub(crate) fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// Finds them, unless they are known, if `rows` has the rows of all joints. Returns whether that leaves fewer rows.
    pub(crate) fn find(
        &mut self,
        model: &Model,
        nodes: &mut Nodes,
        rows: &Rows,
        quads: &mut Quads,
        among: Among,
    ) -> bool {
        if std::mem::replace(&mut self.known, true) {
            return false;
        }
        let before = std::mem::take(&mut self.joints);
        self.ties.clear();
        self.others.clear();
        let mut may = vec![true; model.joints.len()];
        rows.joints_together().for_each(|joint| may[joint as usize] = false);
        let node = |body: u32| nodes.block(body).map(|node| (node, nodes.counts(node)));
        let tie = |joint: &Joint| {
            let tie = Tie::of(model, joint, node, nodes.ground());
            tie.filter(|tie| tie.nodes.iter().all(|&node| !rows.gives_way(node)))
        };
        let mut mixed = vec![false; nodes.groups()];
        if among == Among::Pins {
            let all = model.joints.iter().zip(&may);
            for (joint, _) in all.filter(|(joint, may)| !**may || tie(joint).is_none()) {
                joint.bodies().for_each(|body| mixed[nodes.group_of(body)] = true);
            }
        }
        for ((index, joint), may) in (0..).zip(&model.joints).zip(may) {
            let tie = tie(joint).filter(|_| may && !mixed[nodes.group_of(joint.body_a)]);
            if let Some(tie) = tie {
                self.ties.push(tie);
                self.joints.push(index);
            } else {
                self.others.push(index);
            }
        }
        if self.joints != before {
            quads.forget_all();
        }
        let is_servo = |&joint: &u32| model.joints[joint as usize].is_servo();
        self.servos = self.joints.iter().any(is_servo);
        nodes.tie(model, self.others(model));
        !self.ties.is_empty()
    }

    /// Puts them as they are now, at the beginning of a sub-step of so many seconds, for so many of which motors act.
    pub(crate) fn put(
        &self,
        (model, state): (&Model, &State),
        nodes: &Nodes,
        closing: Closing,
        times: [f32; 2],
        threads: &Threads,
        quads: &mut Quads,
    ) {
        quads.put_hinges(&self.ties, closing, times, threads, nodes, |hinge| {
            let joint = self.joints[hinge as usize] as usize;
            let rots = self.ties[hinge as usize].nodes.mapped(|node| nodes[node].rot);
            Swing::of(&model.joints[joint], &state.joints[joint], rots)
        });
    }

    /// Adds what they have given to the sum of each joint.
    pub(crate) fn sum_reactions(&self, quads: &Quads, sums: &mut [Reaction], threads: &Threads) {
        let all = Summing { hinges: 0..self.joints.len(), joints: &self.joints, sums, first: 0 };
        threads.each(all, PART, |Summing { hinges, joints, sums, first }: Summing<'_>| {
            for (hinge, &joint) in hinges.zip(joints) {
                let (given, sum) = (quads.given_by(hinge), &mut sums[(joint - first) as usize]);
                sum.force += given.pulled;
                sum.torque += given.turned();
            }
        });
    }
}

/// Some hinges, and the sums of their joints.
struct Summing<'a> {
    hinges: Range<usize>,
    /// The joint of each, in ascending order.
    joints: &'a [u32],
    sums: &'a mut [Reaction],
    /// The joint of the first sum.
    first: u32,
}

impl Divide for Summing<'_> {
    fn size(&self) -> usize {
        self.hinges.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (hinges, others) = self.hinges.divide(at);
        let (joints, other_joints) = self.joints.split_at(at);
        let middle = other_joints.first().map_or(self.first, |joint| *joint);
        let (sums, other_sums) = self.sums.split_at_mut((middle - self.first) as usize);
        let others = Self { hinges: others, joints: other_joints, sums: other_sums, first: middle };
        (Self { hinges, joints, sums, first: self.first }, others)
    }
}
