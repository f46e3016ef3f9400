//! Which joints can be hinges, between which nodes, and how they may turn.

use crate::math::{Mapped, Rot, Vec2};
use crate::scene::{JointKind, Motor, Spring};
use crate::solver::condition::{LIMIT_REACH, turned};
use crate::world::{Joint, JointEnd, JointState, Model};

/// Between which nodes a hinge is, and where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tie {
    pub(crate) nodes: [u32; 2],
    /// The place on each, from its centre, in its frame, m.
    pub(crate) at: [Vec2; 2],
    /// The part that each has in how the hinge moves: half, or all where the other stands.
    pub(crate) share: [f32; 2],
    /// Whether it has limits or a motor.
    pub(crate) swings: bool,
}

impl Tie {
    /// A joint as a hinge, if it can be one: a pin between bodies that are blocks. `node` tells the node of such a body
    /// and whether it can be moved; `ground` is that of the world.
    #[inline]
    pub(crate) fn of(
        model: &Model,
        joint: &Joint,
        node: impl Fn(u32) -> Option<(u32, bool)>,
        ground: u32,
    ) -> Option<Self> {
        if !matches!(joint.kind, JointKind::Pin { .. }) {
            return None;
        }
        let (a, moves_a) = node(joint.body_a)?;
        let ((b, moves_b), at) = match &joint.b {
            JointEnd::Body { body, anchor } => (node(*body)?, anchor.sample(&model.rest)),
            JointEnd::World(at) => ((ground, false), *at),
        };
        let share = match [moves_a, moves_b] {
            [true, true] => [0.5; 2],
            moves => moves.mapped(|moves| f32::from(u8::from(moves))),
        };
        let swings = joint.limit.is_some() || joint.motor.is_some();
        Some(Self { nodes: [a, b], at: [joint.a.sample(&model.rest), at], share, swings })
    }
}

/// How a hinge may turn now.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Swing {
    /// How far it is to the lower end and to the upper end, rad; negative beyond it.
    pub(crate) slack: [Option<f32>; 2],
    pub(crate) drive: Option<Drive>,
}

/// What a motor does now.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    pub(crate) aim: DriveAim,
    /// The most torque of it, N·m.
    pub(crate) most: f32,
}

/// What it is for.
#[derive(Clone, Copy, Debug)]
pub(crate) enum DriveAim {
    /// A speed, rad/s.
    Speed(f32),
    /// An angle: how far beyond it the second body is turned, rad, and what pulls it back, N·m/rad and N·m·s/rad.
    Servo(f32, Spring),
}

impl Swing {
    /// How a joint may turn whose bodies are turned so. Ends of its range that are far off do not count.
    #[inline]
    pub(crate) fn of(joint: &Joint, state: &JointState, rots: [Rot; 2]) -> Self {
        let slack = joint.limit.map_or([None; 2], |limit| {
            let slack = limit.slack(rots[0].inverse().after(rots[1]));
            slack.mapped(|slack| (slack < LIMIT_REACH).then_some(slack))
        });
        let drive = joint.motor.filter(|_| !state.idle).map(|motor| match motor {
            Motor::Speed { most, .. } => Drive { aim: DriveAim::Speed(state.target), most },
            Motor::Servo { spring, most, .. } => {
                let beyond = turned(joint, state, rots) - state.target;
                Drive { aim: DriveAim::Servo(beyond, spring), most }
            }
        });
        Self { slack, drive }
    }
}
