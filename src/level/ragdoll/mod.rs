//! A person from capsules and pins, seen from the side, facing +x or -x.
//!
//! Proportions, poses and builds are in `plan.rs`. The density is that of flesh, so masses follow
//! the areas of the figures. Thirteen parts hang on the pelvis as a tree:
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

mod plan;

use self::plan::{Figure, PLAN, Part, Wear};
use super::decode::Color;
use super::diagnostic::Report;
use super::format::{Build, Facing, PoseName, RagdollKeys};
use super::frame::Frame;
use super::joint::check_limits;
use super::tree::Place;
use crate::math::{Rot, Vec2, cross_sv};
use crate::scene::{
    AngleLimit, BodyDef, BodyKind, Filter, JointDef, JointKind, Look, Material, Shape, Style,
};

/// The heights that are accepted, m.
const HEIGHT_RANGE: (f32, f32) = (0.1, 100.0);
/// How much darker the far side is.
const FAR_SHADE: f32 = 0.78;

/// What a ragdoll looks like.
#[derive(Clone, Copy, Debug)]
struct Colors {
    skin: [u8; 3],
    hair: [u8; 3],
    shirt: [u8; 3],
    trousers: [u8; 3],
    shoes: [u8; 3],
}

/// A ragdoll to be built.
#[derive(Clone, Debug)]
pub(super) struct Doll {
    /// Standing height, m.
    height: f32,
    /// Thickness of the parts and size of the head, relative to the plan.
    girth: f32,
    head: f32,
    /// How far each part is turned from upright, relative to its parent: near side, far side.
    pose: [[f32; 2]; PLAN.len()],
    /// The range of that angle, degrees.
    ranges: [(f32, f32); PLAN.len()],
    facing_left: bool,
    colors: Colors,
    material: Material,
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
    /// With a negative group of its own the parts do not collide with each other.
    pub(super) filter: Filter,
}

/// Reads what a ragdoll is like; where it is and how it moves is left at nothing. `None` if
/// something is wrong, which is reported.
pub(super) fn read(
    keys: &RagdollKeys,
    item: &Place<'_>,
    material: Material,
    report: &mut Report<'_>,
) -> Option<Doll> {
    let before = report.count();
    let stature = plan::stature(keys.build.unwrap_or(Build::Adult));
    let height = keys.height.unwrap_or(stature.height);
    let (low, high) = HEIGHT_RANGE;
    if !(height >= low && height <= high) {
        let message = format!("height {height} is outside {low} to {high} m");
        report.error(&item.key("height"), message);
    }
    let mut ranges = PLAN.map(|part| part.range);
    for (joint, range) in keys.limits.iter().flat_map(plan::given_limits) {
        check_limits(range.0, range.1, &item.key("limits").key(joint), report);
        for (part, limit) in PLAN.iter().zip(&mut ranges) {
            if part.joint == joint {
                *limit = range;
            }
        }
    }
    if report.count() > before {
        return None;
    }
    let mut pose = plan::pose(keys.pose.unwrap_or(PoseName::Relaxed));
    // A joint that is not allowed to bend as far as the pose wants bends as far as it may.
    for (angles, range) in pose.iter_mut().zip(&ranges) {
        *angles = angles.map(|angle| angle.clamp(range.0, range.1));
    }
    let dyed = |color: Option<Color>, usual| color.map_or(usual, |Color(color)| color);
    let colors = Colors {
        skin: dyed(keys.skin, [0xe2, 0xb0, 0x8c]),
        hair: dyed(keys.hair, [0x4a, 0x31, 0x28]),
        shirt: dyed(keys.shirt, [0x3f, 0x7c, 0xac]),
        trousers: dyed(keys.trousers, [0x3a, 0x41, 0x57]),
        shoes: dyed(keys.shoes, [0x2a, 0x26, 0x25]),
    };
    Some(Doll {
        height,
        girth: stature.girth,
        head: stature.head,
        pose,
        ranges,
        facing_left: keys.facing == Some(Facing::Left),
        colors,
        material,
        at: Vec2::ZERO,
        angle: 0.0,
        velocity: Vec2::ZERO,
        spin: 0.0,
        layer: 0,
        filter: Filter::default(),
    })
}

/// How many bodies and joints a ragdoll is.
pub(super) const PART_COUNT: usize = 13 + 12;

impl Doll {
    /// The bodies and joints, named after `id`.
    pub(super) fn build(&self, id: &str) -> (Vec<BodyDef>, Vec<JointDef>) {
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        for (side, suffix) in [(0, ".r"), (1, ".l")] {
            // Where the joint to the parent is and how the part is turned, of each part.
            let mut joint_at = [Vec2::ZERO; PLAN.len()];
            let mut turned = [0.0_f32; PLAN.len()];
            for (i, part) in PLAN.iter().enumerate() {
                let pose = self.pose[i][side];
                if let Some(parent) = part.parent {
                    let axis = PLAN[parent].upright + turned[parent];
                    joint_at[i] = joint_at[parent] + self.height * part.along * direction(axis);
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
                    let (lower, upper) = self.ranges[i];
                    let limit = |angle: f32| {
                        let pi = std::f32::consts::PI;
                        (angle - pose).to_radians().clamp(-pi, pi)
                    };
                    let range = AngleLimit { lower: limit(lower), upper: limit(upper) };
                    let kind = JointKind::Pin { limit: Some(range) };
                    let name = name(part.joint, part.paired);
                    joints.push(JointDef::new(name, kind, parent, Some(&own), joint_at[i]));
                }
                bodies.push(self.part(own, part, joint_at[i], turned[i], side == 1));
            }
        }
        (self.placed(bodies), joints.into_iter().map(|def| self.frame().joint(def)).collect())
    }

    /// From a figure that faces +x with its hips at the origin to where the ragdoll is.
    fn frame(&self) -> Frame {
        let (mirrored, angle, at) = (self.facing_left, self.angle, self.at);
        Frame { mirrored, angle, at, ..Frame::default() }
    }

    fn placed(&self, bodies: Vec<BodyDef>) -> Vec<BodyDef> {
        let frame = self.frame();
        let place = |def: BodyDef| {
            let style = match def.look.style {
                Style::Head { hair, .. } => Style::Head { hair, facing_left: self.facing_left },
                other => other,
            };
            let position = frame.point(def.position);
            BodyDef {
                position,
                angle: frame.turned(def.angle),
                velocity: self.velocity + cross_sv(self.spin, position - self.at),
                spin: self.spin,
                look: Look { style, ..def.look },
                ..def
            }
        };
        bodies.into_iter().map(place).collect()
    }

    /// The body of a part whose joint is at `joint` from the hips, turned from upright by `turned`
    /// degrees.
    fn part(&self, id: String, part: &Part, joint: Vec2, turned: f32, far: bool) -> BodyDef {
        let height = self.height;
        let (shape, position) = match part.figure {
            Figure::Head { radius, above } => {
                // A larger head has its chin where that of a smaller one is.
                let above = above + radius * (self.head - 1.0);
                let center = joint + height * above * direction(90.0 + turned);
                (Shape::Disc { radius: self.head * height * radius }, center)
            }
            Figure::Bone { length, radius, from } => {
                let along = height * (from + 0.5 * length);
                let center = joint + along * direction(part.upright + turned);
                let radius = self.girth * height * radius;
                (Shape::Capsule { length: height * length, radius }, center)
            }
        };
        BodyDef {
            id,
            kind: BodyKind::Dynamic,
            shape,
            position,
            angle: (part.upright + turned).to_radians(),
            velocity: Vec2::ZERO,
            spin: 0.0,
            material: self.material,
            filter: self.filter,
            look: self.look(part, far),
        }
    }

    fn look(&self, part: &Part, far: bool) -> Look {
        let color = match part.wear {
            Wear::Skin => self.colors.skin,
            Wear::Shirt => self.colors.shirt,
            Wear::Trousers => self.colors.trousers,
            Wear::Shoes => self.colors.shoes,
        };
        let style = match part.figure {
            Figure::Head { .. } => Style::Head { hair: self.colors.hair, facing_left: false },
            Figure::Bone { .. } => Style::Plain,
        };
        if far {
            let color = color.map(|channel| (f32::from(channel) * FAR_SHADE) as u8);
            Look { color, layer: self.layer.saturating_sub(part.layer), style }
        } else {
            Look { color, layer: self.layer.saturating_add(part.layer), style }
        }
    }
}

/// The direction at an angle from +x.
fn direction(degrees: f32) -> Vec2 {
    Rot::from_radians(degrees.to_radians()).apply(Vec2::X)
}
