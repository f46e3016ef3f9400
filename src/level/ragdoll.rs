//! A person from capsules and pins, seen from the side and facing +x.
//!
//! Lengths are the segment lengths of Drillis and Contini, “Body Segment Parameters” (1966), as
//! fractions of the standing height; joint ranges are those of a healthy adult. The density is that
//! of flesh, so masses follow the areas of the figures. Thirteen parts hang on the pelvis as a
//! tree:
//!
//! ```text
//!            head                 ids: ann.head, ann.chest, ann.pelvis,
//!             │ neck                   ann.upper_arm.r, ann.forearm.r, ann.thigh.r, ann.shin.r,
//!   upper_arm─chest─upper_arm          ann.foot.r and the same with .l
//!       │     │ waist   │         pins: ann.neck, ann.waist, ann.shoulder.r, ann.elbow.r,
//!   forearm pelvis   forearm           ann.hip.r, ann.knee.r, ann.ankle.r and the same with .l
//!         thigh thigh             The right side is the near one; the left is drawn darker,
//!          shin  shin             behind the trunk.
//!          foot  foot
//! ```

use crate::math::{Rot, Vec2, cross_sv};
use crate::scene::{AngleLimit, BodyDef, BodyKind, Filter, JointDef, Look, Material, Shape, Style};

/// The height of a ragdoll that states none, m.
pub(super) const DEFAULT_HEIGHT: f32 = 1.8;
/// The heights that are accepted, m.
pub(super) const HEIGHT_RANGE: (f32, f32) = (0.1, 100.0);
/// How much darker the far side is.
const FAR_SHADE: f32 = 0.78;

/// What a ragdoll is dressed in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Colors {
    pub(super) skin: [u8; 3],
    pub(super) shirt: [u8; 3],
    pub(super) trousers: [u8; 3],
    pub(super) shoes: [u8; 3],
}

impl Default for Colors {
    fn default() -> Self {
        Self {
            skin: [0xe2, 0xb0, 0x8c],
            shirt: [0x3f, 0x7c, 0xac],
            trousers: [0x3a, 0x41, 0x57],
            shoes: [0x2a, 0x26, 0x25],
        }
    }
}

/// Where and how a ragdoll starts.
pub(super) struct Start {
    /// Standing height, m.
    pub(super) height: f32,
    /// Where the hips are, m.
    pub(super) at: Vec2,
    /// Rotation of the whole figure about the hips, rad.
    pub(super) angle: f32,
    /// Velocity of the hips, m/s.
    pub(super) velocity: Vec2,
    /// Angular velocity of the whole figure about the hips, rad/s.
    pub(super) spin: f32,
    /// Layer of the trunk; limbs lie up to three layers before and behind it.
    pub(super) layer: i8,
    /// A negative group of its own, so that the parts do not collide with each other.
    pub(super) group: i32,
}

#[derive(Clone, Copy)]
enum Wear {
    Skin,
    Shirt,
    Trousers,
    Shoes,
}

/// The figure of a part, in fractions of the height.
#[derive(Clone, Copy)]
enum Figure {
    /// A head: a disc of this radius, its centre this far above the neck.
    Head { radius: f32, above: f32 },
    /// A capsule of this radius. It starts at the joint to its parent, moved by `from` along the
    /// body, and its cap centres are `length` apart.
    Bone { length: f32, radius: f32, from: f32 },
}

/// One part. Angles are in degrees, counter-clockwise, zero where the part points along +x.
struct Part {
    name: &'static str,
    /// Index of the part it hangs on; the pelvis hangs on nothing.
    parent: Option<usize>,
    /// The name of the joint to the parent.
    joint: &'static str,
    /// Where that joint is along the parent's axis from the parent's own joint, in heights.
    along: f32,
    figure: Figure,
    /// The direction the part points in when the person stands upright.
    upright: f32,
    /// How far the start pose is turned from upright, relative to the parent.
    pose: [f32; 2],
    /// The range of that angle that the joint allows.
    range: (f32, f32),
    wear: Wear,
    /// Layer of the near part; that of a far one is the negative of it.
    layer: i8,
    /// Whether there is one on each side.
    paired: bool,
}

const PELVIS: usize = 0;
const CHEST: usize = 1;
const UPPER_ARM: usize = 3;
const THIGH: usize = 5;
const SHIN: usize = 6;

/// The body plan. `pose` gives the near and the far side: a slight stride, arms a little bent.
const PLAN: [Part; 8] = [
    Part {
        name: "pelvis",
        parent: None,
        joint: "",
        along: 0.0,
        figure: Figure::Bone { length: 0.060, radius: 0.058, from: 0.010 },
        upright: 90.0,
        pose: [0.0, 0.0],
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
        pose: [-4.0, -4.0],
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
        pose: [0.0, 0.0],
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
        pose: [-16.0, 30.0],
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
        pose: [28.0, 32.0],
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
        pose: [20.0, -8.0],
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
        pose: [-18.0, -16.0],
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
        pose: [0.0, 10.0],
        range: (-45.0, 25.0),
        wear: Wear::Shoes,
        layer: 2,
        paired: true,
    },
];

/// How many bodies and joints a ragdoll is.
pub(super) const PART_COUNT: usize = 13 + 12;

/// The bodies and joints of one ragdoll named `id`.
pub(super) fn build(
    id: &str,
    start: &Start,
    colors: &Colors,
    material: Material,
) -> (Vec<BodyDef>, Vec<JointDef>) {
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for (side, suffix) in [(0, ".r"), (1, ".l")] {
        // Where the joint to the parent is and how the part is turned, of each part of this side.
        let mut joint_at = [Vec2::ZERO; PLAN.len()];
        let mut turned = [0.0_f32; PLAN.len()];
        for (i, part) in PLAN.iter().enumerate() {
            let pose = part.pose[side];
            if let Some(parent) = part.parent {
                let axis = PLAN[parent].upright + turned[parent];
                joint_at[i] = joint_at[parent] + start.height * part.along * direction(axis);
                turned[i] = turned[parent] + pose;
            }
            // The trunk is laid out with both sides, and built with the first.
            if side == 1 && !part.paired {
                continue;
            }
            let name = |name: &str, paired: bool| {
                format!("{id}.{name}{}", if paired { suffix } else { "" })
            };
            let own = name(part.name, part.paired);
            if let Some(parent) = part.parent {
                let parent = name(PLAN[parent].name, PLAN[parent].paired);
                let at = start.at + Rot::from_radians(start.angle).apply(joint_at[i]);
                joints.push(JointDef {
                    limit: Some(AngleLimit {
                        lower: (part.range.0 - pose).to_radians(),
                        upper: (part.range.1 - pose).to_radians(),
                    }),
                    ..JointDef::pin(name(part.joint, part.paired), parent, Some(&own), at)
                });
            }
            let look = look(part, side == 1, start.layer, colors);
            bodies.push(body(own, part, (joint_at[i], turned[i]), start, material, look));
        }
    }
    (bodies, joints)
}

/// The body of a part whose joint is at `laid.0` from the hips, turned from upright by `laid.1`
/// degrees.
fn body(
    id: String,
    part: &Part,
    laid: (Vec2, f32),
    start: &Start,
    material: Material,
    look: Look,
) -> BodyDef {
    let (joint, turned) = laid;
    let height = start.height;
    let (shape, center) = match part.figure {
        Figure::Head { radius, above } => {
            let center = joint + height * above * direction(90.0 + turned);
            (Shape::Disc { radius: height * radius }, center)
        }
        Figure::Bone { length, radius, from } => {
            let along = height * (from + 0.5 * length);
            let center = joint + along * direction(part.upright + turned);
            (Shape::Capsule { length: height * length, radius: height * radius }, center)
        }
    };
    let offset = Rot::from_radians(start.angle).apply(center);
    BodyDef {
        id,
        kind: BodyKind::Dynamic,
        shape,
        position: start.at + offset,
        angle: start.angle + (part.upright + turned).to_radians(),
        velocity: start.velocity + cross_sv(start.spin, offset),
        spin: start.spin,
        material,
        filter: Filter { group: start.group, ..Filter::default() },
        look,
    }
}

fn look(part: &Part, far: bool, layer: i8, colors: &Colors) -> Look {
    let color = match part.wear {
        Wear::Skin => colors.skin,
        Wear::Shirt => colors.shirt,
        Wear::Trousers => colors.trousers,
        Wear::Shoes => colors.shoes,
    };
    let style = if matches!(part.figure, Figure::Head { .. }) { Style::Head } else { Style::Plain };
    if far {
        let color = color.map(|channel| (f32::from(channel) * FAR_SHADE) as u8);
        Look { color, layer: layer.saturating_sub(part.layer), style }
    } else {
        Look { color, layer: layer.saturating_add(part.layer), style }
    }
}

/// The direction at an angle from +x.
fn direction(degrees: f32) -> Vec2 {
    Rot::from_radians(degrees.to_radians()).apply(Vec2::X)
}
