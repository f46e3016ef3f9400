//! The body plan of a ragdoll, its builds and its poses.
//!
//! Lengths are the segment lengths of Drillis and Contini, “Body Segment Parameters” (1966), as
//! fractions of the standing height; joint ranges are those of a healthy adult. Angles are in
//! degrees, counter-clockwise, for a person who faces +x.

use crate::level::format::{Build, JointLimits, PoseName};

#[derive(Clone, Copy)]
pub(super) enum Wear {
    Skin,
    Shirt,
    Trousers,
    Shoes,
}

/// The figure of a part, in fractions of the height.
#[derive(Clone, Copy)]
pub(super) enum Figure {
    /// A head: a disc of this radius, its centre this far above the neck.
    Head { radius: f32, above: f32 },
    /// A capsule of this radius. It starts at the joint to its parent, moved by `from` along the
    /// body, and its cap centres are `length` apart.
    Bone { length: f32, radius: f32, from: f32 },
}

/// One part. Angles are zero where the part points along +x.
pub(super) struct Part {
    pub(super) name: &'static str,
    /// Index of the part it hangs on; the pelvis hangs on nothing.
    pub(super) parent: Option<usize>,
    /// The name of the joint to the parent.
    pub(super) joint: &'static str,
    /// Where that joint is along the parent's axis from the parent's own joint, in heights.
    pub(super) along: f32,
    pub(super) figure: Figure,
    /// The direction the part points in when the person stands upright.
    pub(super) upright: f32,
    /// The range of the angle to the parent, from upright, that the joint allows.
    pub(super) range: (f32, f32),
    pub(super) wear: Wear,
    /// Layer of the near part; that of a far one is the negative of it.
    pub(super) layer: i8,
    /// Whether there is one on each side.
    pub(super) paired: bool,
}

const PELVIS: usize = 0;
const CHEST: usize = 1;
const UPPER_ARM: usize = 3;
const THIGH: usize = 5;
const SHIN: usize = 6;

/// The body plan: each part after the one it hangs on.
pub(super) const PLAN: [Part; 8] = [
    Part {
        name: "pelvis",
        parent: None,
        joint: "",
        along: 0.0,
        figure: Figure::Bone { length: 0.060, radius: 0.058, from: 0.010 },
        upright: 90.0,
        range: (0.0, 0.0),
        wear: Wear::Trousers,
        layer: 0,
        paired: false,
    },
    Part {
        name: "chest",
        parent: Some(PELVIS),
        joint: "waist",
        along: 0.100,
        figure: Figure::Bone { length: 0.130, radius: 0.064, from: 0.050 },
        upright: 90.0,
        range: (-55.0, 25.0),
        wear: Wear::Shirt,
        layer: 1,
        paired: false,
    },
    Part {
        name: "head",
        parent: Some(CHEST),
        joint: "neck",
        along: 0.230,
        figure: Figure::Head { radius: 0.068, above: 0.072 },
        upright: 0.0,
        range: (-45.0, 45.0),
        wear: Wear::Skin,
        layer: 0,
        paired: false,
    },
    Part {
        name: "upper_arm",
        parent: Some(CHEST),
        joint: "shoulder",
        along: 0.180,
        figure: Figure::Bone { length: 0.186, radius: 0.031, from: 0.0 },
        upright: -90.0,
        range: (-60.0, 160.0),
        wear: Wear::Shirt,
        layer: 3,
        paired: true,
    },
    Part {
        name: "forearm",
        parent: Some(UPPER_ARM),
        joint: "elbow",
        along: 0.186,
        // The forearm and half the hand: a loose hand would only dangle.
        figure: Figure::Bone { length: 0.200, radius: 0.025, from: 0.0 },
        upright: -90.0,
        range: (0.0, 145.0),
        wear: Wear::Skin,
        layer: 3,
        paired: true,
    },
    Part {
        name: "thigh",
        parent: Some(PELVIS),
        joint: "hip",
        along: 0.0,
        figure: Figure::Bone { length: 0.245, radius: 0.046, from: 0.0 },
        upright: -90.0,
        range: (-25.0, 120.0),
        wear: Wear::Trousers,
        layer: 2,
        paired: true,
    },
    Part {
        name: "shin",
        parent: Some(THIGH),
        joint: "knee",
        along: 0.245,
        figure: Figure::Bone { length: 0.246, radius: 0.034, from: 0.0 },
        upright: -90.0,
        range: (-140.0, 0.0),
        wear: Wear::Trousers,
        layer: 2,
        paired: true,
    },
    Part {
        name: "foot",
        parent: Some(SHIN),
        joint: "ankle",
        along: 0.246,
        figure: Figure::Bone { length: 0.096, radius: 0.028, from: -0.022 },
        upright: 0.0,
        range: (-45.0, 25.0),
        wear: Wear::Shoes,
        layer: 2,
        paired: true,
    },
];

/// How far each part is turned from upright, relative to its parent: near side, far side.
type Pose = [[f32; 2]; PLAN.len()];

/// The angles of a named pose, in the order of the plan: pelvis, chest, head, upper arm, forearm,
/// thigh, shin, foot.
pub(super) const fn pose(name: PoseName) -> Pose {
    const UPRIGHT: [f32; 2] = [0.0, 0.0];
    match name {
        PoseName::Stand => [UPRIGHT; PLAN.len()],
        // A slight stride, arms a little bent.
        PoseName::Relaxed => [
            UPRIGHT,
            [-4.0, -4.0],
            UPRIGHT,
            [-16.0, 30.0],
            [28.0, 32.0],
            [20.0, -8.0],
            [-18.0, -16.0],
            [0.0, 10.0],
        ],
        // Seen from the side, one arm points forward and the other back as far as it goes.
        PoseName::T => {
            [UPRIGHT, UPRIGHT, UPRIGHT, [90.0, -60.0], UPRIGHT, UPRIGHT, UPRIGHT, UPRIGHT]
        }
        // As on a chair, hands towards the knees.
        PoseName::Sit => [
            UPRIGHT,
            [4.0, 4.0],
            UPRIGHT,
            [28.0, 36.0],
            [38.0, 44.0],
            [88.0, 84.0],
            [-86.0, -82.0],
            UPRIGHT,
        ],
        // Arms up, back arched, legs apart.
        PoseName::Fall => [
            UPRIGHT,
            [10.0, 10.0],
            [12.0, 12.0],
            [140.0, 95.0],
            [24.0, 36.0],
            [42.0, -14.0],
            [-34.0, -58.0],
            [-18.0, -24.0],
        ],
    }
}

/// How a person is built.
pub(super) struct Stature {
    /// Standing height if none is given, m.
    pub(super) height: f32,
    /// Thickness of everything but the head, relative to an adult of the same height.
    pub(super) girth: f32,
    /// Size of the head, likewise.
    pub(super) head: f32,
}

/// The stature of a named build.
pub(super) const fn stature(build: Build) -> Stature {
    match build {
        Build::Adult => Stature { height: 1.8, girth: 1.0, head: 1.0 },
        // A child of seven: the head of a person grows least.
        Build::Child => Stature { height: 1.22, girth: 1.04, head: 1.32 },
        Build::Slim => Stature { height: 1.8, girth: 0.8, head: 0.97 },
        Build::Stout => Stature { height: 1.74, girth: 1.32, head: 1.04 },
        Build::Giant => Stature { height: 2.8, girth: 1.16, head: 0.88 },
    }
}

/// The joints that a level limits otherwise than the plan, and how.
pub(super) fn given_limits(
    limits: &JointLimits,
) -> impl Iterator<Item = (&'static str, (f32, f32))> {
    let JointLimits { waist, neck, shoulder, elbow, hip, knee, ankle } = limits;
    let all = [
        ("waist", waist),
        ("neck", neck),
        ("shoulder", shoulder),
        ("elbow", elbow),
        ("hip", hip),
        ("knee", knee),
        ("ankle", ankle),
    ];
    all.into_iter().filter_map(|(name, limit)| limit.map(|limit| (name, (limit.0, limit.1))))
}
