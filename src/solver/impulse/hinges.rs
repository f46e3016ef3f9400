//! Pins between bodies that move as blocks, which `quads/` solves; all other joints are rows.
//!
//! What is solved together has its pins there. So which pins are hinges is known when rows of all of them have
//! been looked at once.

use crate::math::Rot;
use crate::scene::{JointKind, Motor};
use crate::solver::Reaction;
use crate::solver::condition::LIMIT_REACH;
use crate::solver::nodes::Nodes;
use crate::solver::quads::{Quads, Swing, Tie};
use crate::solver::rows::Rows;
use crate::threads::Threads;
use crate::world::{Anchor, Joint, JointEnd, Model, State};

/// Which joints are hinges.
#[derive(Clone, Debug, Default)]
pub(super) struct Hinges {
    /// Whether this is known.
    known: bool,
    ties: Vec<Tie>,
    /// The joint of each.
    joints: Vec<u32>,
    /// For each joint whether it is one; empty where none is.
    is_hinge: Vec<bool>,
}

impl Hinges {
    /// Forgets which they are.
    pub(super) fn forget(&mut self) {
        self.known = false;
        self.is_hinge.clear();
    }

    /// Whether it is known which joints they are.
    pub(super) fn are_known(&self) -> bool {
        self.known
    }

    /// Whether a joint is one.
    pub(super) fn has(&self, joint: usize) -> bool {
        self.is_hinge.get(joint) == Some(&true)
    }

    /// How bodies are tied by them.
    pub(super) fn ties(&self) -> &[Tie] {
        &self.ties
    }

    /// Finds them, if `rows` has the rows of all joints. Returns whether there are any.
    pub(super) fn find(
        &mut self,
        model: &Model,
        nodes: &mut Nodes,
        rows: &Rows,
        quads: &mut Quads,
    ) -> bool {
        let before = std::mem::take(&mut self.joints);
        self.ties.clear();
        self.known = true;
        self.is_hinge.resize(model.joints.len(), true);
        rows.joints_together().for_each(|joint| self.is_hinge[joint as usize] = false);
        for ((index, joint), is_hinge) in (0..).zip(&model.joints).zip(&mut self.is_hinge) {
            let tie = if *is_hinge { tie(model, nodes, joint) } else { None };
            let tie = tie.filter(|tie| tie.nodes.iter().all(|&node| !rows.gives_way(node)));
            *is_hinge = tie.is_some();
            if let Some(tie) = tie {
                self.ties.push(tie);
                self.joints.push(index);
            }
        }
        if self.joints != before {
            quads.forget_all();
        }
        nodes.tie(model, |joint| !self.is_hinge[joint]);
        !self.ties.is_empty()
    }

    /// Puts them as they are now, at the beginning of a sub-step of `h` seconds.
    pub(super) fn put(
        &self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        h: f32,
        threads: &Threads,
        quads: &mut Quads,
    ) {
        quads.put_hinges(&self.ties, h, threads, nodes, |hinge| {
            let joint = self.joints[hinge as usize] as usize;
            let rots = self.ties[hinge as usize].nodes.map(|node| nodes[node].rot);
            let (joint, state) = (&model.joints[joint], &state.joints[joint]);
            Swing {
                slack: slack(joint, rots),
                drive: joint.motor.filter(|_| !state.idle).and_then(|motor| match motor {
                    Motor::Speed { most, .. } => Some((state.target, most)),
                    Motor::Servo { .. } => None,
                }),
            }
        });
    }

    /// Adds what they have given to the sum of each joint.
    pub(super) fn sum_reactions(&self, quads: &Quads, sums: &mut [Reaction]) {
        for (given, &joint) in quads.given().zip(&self.joints) {
            let sum = &mut sums[joint as usize];
            sum.force += given.pulled;
            sum.torque += given.turned();
        }
    }
}

/// How far a joint may turn to either end of its range; far ends do not count.
fn slack(joint: &Joint, rots: [Rot; 2]) -> [Option<f32>; 2] {
    let Some(limit) = joint.limit else { return [None; 2] };
    let slack = limit.slack(rots[0].inverse().after(rots[1]));
    slack.map(|slack| (slack < LIMIT_REACH).then_some(slack))
}

/// A joint as a hinge, if it can be one.
fn tie(model: &Model, nodes: &Nodes, joint: &Joint) -> Option<Tie> {
    let is_pin = matches!(joint.kind, JointKind::Pin { .. });
    if !is_pin || matches!(joint.motor, Some(Motor::Servo { .. })) {
        return None;
    }
    let on = |body: u32, anchor: &Anchor| Some((nodes.block(body)?, anchor.sample(&model.rest)));
    let a = on(joint.body_a, &joint.a)?;
    let b = match &joint.b {
        JointEnd::Body { body, anchor } => on(*body, anchor)?,
        JointEnd::World(at) => (nodes.ground(), *at),
    };
    let moves = [a.0, b.0].map(|node| nodes.counts(node));
    let share = match moves {
        [true, true] => [0.5; 2],
        [a, b] => [a, b].map(|moves| f32::from(u8::from(moves))),
    };
    let swings = joint.limit.is_some() || joint.motor.is_some();
    Some(Tie { nodes: [a.0, b.0], at: [a.1, b.1], share, swings })
}
