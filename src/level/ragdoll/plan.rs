//! The body plan of a ragdoll, and its builds.
//!
//! Lengths are the segment lengths of Drillis and Contini, “Body Segment Parameters” (1966), as
//! fractions of the standing height; masses are those of Dempster, “Space Requirements of the Seated
//! Operator” (1955), as fractions of the whole (Winter, “Biomechanics and Motor Control of Human
//! Movement”, 4th ed., 2009, table 4.1); joint ranges are those of a healthy adult. Angles are in
//! degrees, counter-clockwise, for a person who faces +x.

use super::keys::{Build, JointLimits};

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
    /// Its share in the mass of an adult.
    pub(super) mass: f32,
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
const HEAD: usize = 2;
const UPPER_ARM: usize = 3;
pub(super) const THIGH: usize = 5;
const SHIN: usize = 6;
const FOOT: usize = 7;

/// The body plan: each part after the one it hangs on.
pub(super) const PLAN: [Part; 8] = [
    Part {
        name: "pelvis",
        parent: None,
        joint: "",
        along: 0.0,
        figure: Figure::Bone { length: 0.060, radius: 0.058, from: 0.010 },
        mass: 0.142,
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
        mass: 0.355,
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
        mass: 0.081,
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
        mass: 0.028,
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
        // The forearm and half the hand, which weighs as much as all of it: a loose hand would dangle.
        figure: Figure::Bone { length: 0.200, radius: 0.025, from: 0.0 },
        mass: 0.022,
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
        mass: 0.1,
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
        mass: 0.0465,
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
        mass: 0.0145,
        upright: 0.0,
        range: (-45.0, 25.0),
        wear: Wear::Shoes,
        layer: 2,
        paired: true,
    },
];

/// How a person is built.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stature {
    /// Standing height if none is given, m.
    pub(super) height: f32,
    /// Thickness of everything but the head, relative to an adult of the same height.
    pub(super) girth: f32,
    /// Size of the head, likewise.
    pub(super) head: f32,
    /// Length of thighs and shins, likewise.
    pub(super) legs: f32,
}

/// The stature of a named build.
///
/// Heads are a fifth of a child of two, a sixth at seven, a seventh at fourteen and 1/7.4 of an
/// adult; legs grow fastest (Stratz, “Der Körper des Kindes”, 1909).
pub(super) const fn stature(build: Build) -> Stature {
    let (height, girth, head, legs) = match build {
        Build::Toddler => (0.87, 1.12, 1.47, 0.85),
        Build::Child => (1.22, 1.04, 1.23, 0.94),
        Build::Teen => (1.63, 0.92, 1.05, 1.0),
        Build::Adult => (1.8, 1.0, 1.0, 1.0),
        Build::Slim => (1.8, 0.8, 0.97, 1.0),
        Build::Stout => (1.74, 1.32, 1.04, 1.0),
        Build::Giant => (2.8, 1.16, 0.82, 1.0),
    };
    Stature { height, girth, head, legs }
}

impl Stature {
    /// Lengths of a part relative to the plan. What legs and head take, trunk and arms have not, so
    /// that a person is as tall as the plan says.
    pub(super) fn lengthwise(&self, part: usize) -> f32 {
        match part {
            HEAD => self.head,
            THIGH | SHIN => self.legs,
            FOOT => 1.0,
            _ => {
                let leg = PLAN[SHIN].along + PLAN[FOOT].along;
                let trunk = PLAN[CHEST].along + PLAN[HEAD].along;
                let Figure::Head { radius, .. } = PLAN[HEAD].figure else { return 1.0 };
                let head = 2.0 * radius * (self.head - 1.0);
                1.0 - (head + leg * (self.legs - 1.0)) / trunk
            }
        }
    }

    /// Mass of a part relative to that of the same part of an adult, up to a factor common to all:
    /// as its length times its thickness squared.
    fn weight(&self, part: usize) -> f32 {
        let across = if part == HEAD { self.head } else { self.girth };
        PLAN[part].mass * self.lengthwise(part) * across * across
    }

    /// The share of each part, of one side, in the mass of the whole.
    pub(super) fn shares(&self) -> [f32; PLAN.len()] {
        let weights: [f32; PLAN.len()] = std::array::from_fn(|part| self.weight(part));
        let sides = |part: usize| if PLAN[part].paired { 2.0 } else { 1.0 };
        let whole: f32 = (0..PLAN.len()).map(|part| sides(part) * weights[part]).sum();
        weights.map(|weight| weight / whole)
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
