//! A person from capsules and pins, seen from the side, facing +x or -x.
//!
//! All of it together weighs what flesh of its figure does, unless its mass is given; the parts have
//! the shares of that which they have in people. Thirteen parts hang on the pelvis as a tree:
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
//!
//! | file | job |
//! |---|---|
//! | `keys.rs`, `read.rs` | the keys of a ragdoll, and from them to a `Doll` |
//! | `plan.rs` | proportions, masses, builds from toddler to giant |
//! | `poses.rs` | poses by name and by angles |
//! | `muscle.rs` | how strong each joint is, and what it pulls to, or how much it rubs |
//! | `apart.rs` | which parts never collide |

mod apart;
mod keys;
mod muscle;
mod plan;
mod poses;
mod read;

pub(super) use self::keys::RagdollKeys;
pub(super) use self::read::read;

use self::muscle::{Load, Muscles};
use self::plan::{Figure, PLAN, Part, Stature, Wear};
use self::poses::{POSES, Pose};
use super::frame::Frame;
use crate::math::{Rot, Vec2, cross_sv};
use crate::scene::{
    AngleLimit, BodyDef, BodyKind, Filter, JointDef, JointKind, Look, Material, Shape, Style,
};

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
    stature: Stature,
    /// Mass of the whole, kg, if it is not that of flesh.
    mass: Option<f32>,
    /// How it holds itself at the start.
    pose: Pose,
    /// The range of that angle, degrees.
    ranges: [(f32, f32); PLAN.len()],
    muscles: Option<Muscles>,
    /// How much joints without muscles rub, as a share of what holds their limbs level.
    joint_friction: f32,
    /// What its joints bear, N.
    tear_force: Option<f32>,
    /// Whether its parts collide with each other.
    pub(super) self_collision: bool,
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
    /// With a negative group of its own its parts never collide with each other.
    pub(super) filter: Filter,
}

/// How many bodies and joints a ragdoll is, at most: 12 pins, and what balances it.
pub(super) const PART_COUNT: usize = 13 + 13;

/// Where the joint of a part to its parent is, m from the hips, and how the part is turned from
/// upright, degrees.
type Layout = [(Vec2, f32); PLAN.len()];

impl Doll {
    /// The bodies and joints, named after `id`.
    pub(super) fn build(&self, id: &str) -> (Vec<BodyDef>, Vec<JointDef>) {
        let (mut bodies, mut joints) = (Vec::new(), Vec::new());
        let (masses, loads) = (self.masses(), self.loads());
        for (side, suffix) in [(0, ".r"), (1, ".l")] {
            let layout = self.layout(&self.pose, side);
            // The trunk is laid out with both sides, and built with the first.
            let parts = PLAN.iter().enumerate().filter(|(_, part)| side == 0 || part.paired);
            for (i, part) in parts {
                let name = |name: &str, paired: bool| {
                    format!("{id}.{name}{}", if paired { suffix } else { "" })
                };
                let own = name(part.name, part.paired);
                if let Some(parent) = part.parent {
                    let parent = name(PLAN[parent].name, PLAN[parent].paired);
                    let id = name(part.joint, part.paired);
                    let pin = JointDef::pin(id, parent, Some(&own), layout[i].0);
                    joints.push(self.joint(pin, i, side, &loads));
                }
                bodies.push(self.part(own, i, layout[i], side == 1, masses[i]));
            }
        }
        joints.extend(self.balance(id, &loads));
        (self.placed(bodies), joints.into_iter().map(|def| self.frame().joint(def)).collect())
    }

    /// What turns the pelvis as poses have it, from outside.
    fn balance(&self, id: &str, loads: &[Load; PLAN.len()]) -> Option<JointDef> {
        let own = if self.facing_left { -self.angle } else { self.angle };
        // The world is what turns relative to the pelvis.
        let wanted = |lean: f32| own - lean.to_radians();
        let (motor, track) = self.muscles.as_ref()?.balance(loads, wanted)?;
        let pelvis = format!("{id}.{}", PLAN[0].name);
        let def = JointDef::new(format!("{id}.balance"), JointKind::Turn, pelvis, None, Vec2::ZERO);
        Some(JointDef { motor: Some(motor), track, ..def })
    }

    /// The pairs of its bodies that never collide even if the others do.
    pub(super) fn apart(&self, bodies: &[BodyDef], joints: &[JointDef]) -> Vec<(String, String)> {
        if self.self_collision { apart::pairs(bodies, joints) } else { Vec::new() }
    }

    /// The parts of one side in a pose.
    fn layout(&self, pose: &Pose, side: usize) -> Layout {
        let mut layout = [(Vec2::ZERO, 0.0); PLAN.len()];
        for (i, part) in PLAN.iter().enumerate() {
            if let Some(parent) = part.parent {
                let (at, turned) = layout[parent];
                let along = self.height * self.stature.lengthwise(parent) * part.along;
                let axis = direction(PLAN[parent].upright + turned);
                layout[i] = (at + along * axis, turned + pose[i][side]);
            }
        }
        layout
    }

    /// The pin of a part with its limit, its muscle or its friction, and its strength.
    fn joint(
        &self,
        pin: JointDef,
        part: usize,
        side: usize,
        loads: &[Load; PLAN.len()],
    ) -> JointDef {
        let (start, (lower, upper)) = (self.pose[part][side], self.ranges[part]);
        let pi = std::f32::consts::PI;
        let from_start = |angle: f32| (angle - start).to_radians().clamp(-pi, pi);
        let limit = AngleLimit { lower: from_start(lower), upper: from_start(upper) };
        let wanted = |angle: f32| from_start(angle.clamp(lower, upper));
        let muscle = self.muscles.as_ref().and_then(|all| all.at(part, side, loads, wanted));
        let (motor, track) = match muscle {
            Some((motor, track)) => (Some(motor), track),
            None => (muscle::friction(self.joint_friction, part, loads), None),
        };
        let kind = JointKind::Pin { limit: Some(limit) };
        JointDef { kind, motor, track, break_force: self.tear_force, ..pin }
    }

    /// The mass of each part, of one side, kg.
    fn masses(&self) -> [f32; PLAN.len()] {
        let sides = |part: usize| if PLAN[part].paired { 2.0 } else { 1.0 };
        let area = |part: usize| sides(part) * area(&self.figure(part));
        let flesh = || self.material.density * (0..PLAN.len()).map(area).sum::<f32>();
        let whole = self.mass.unwrap_or_else(flesh);
        self.stature.shares().map(|share| share * whole)
    }

    /// What its joints carry.
    fn loads(&self) -> [Load; PLAN.len()] {
        let upright = self.layout(&POSES[0].1, 0);
        let masses = self.masses();
        std::array::from_fn(|part| {
            let (mass, shape) = (masses[part], self.figure(part));
            let inertia = match shape {
                Shape::Disc { radius } => 0.5 * mass * radius * radius,
                Shape::Capsule { length, radius } => mass * (length + 2.0 * radius).powi(2) / 12.0,
                _ => 0.0,
            };
            let center = self.center(part, upright[part]);
            Load { joint: upright[part].0, center, mass, inertia }
        })
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

    /// The shape of a part.
    fn figure(&self, part: usize) -> Shape {
        let (height, Stature { girth, head, .. }) = (self.height, self.stature);
        match PLAN[part].figure {
            Figure::Head { radius, .. } => Shape::Disc { radius: head * height * radius },
            Figure::Bone { length, radius, .. } => Shape::Capsule {
                length: height * self.stature.lengthwise(part) * length,
                radius: girth * height * radius,
            },
        }
    }

    /// Where the middle of a part is whose joint is at `joint` from the hips and that is turned from
    /// upright by `turned` degrees.
    fn center(&self, part: usize, (joint, turned): (Vec2, f32)) -> Vec2 {
        let (along, axis) = match PLAN[part].figure {
            // A larger head has its chin where that of a smaller one is.
            Figure::Head { radius, above } => (above + radius * (self.stature.head - 1.0), 90.0),
            Figure::Bone { length, from, .. } => {
                (self.stature.lengthwise(part) * (from + 0.5 * length), PLAN[part].upright)
            }
        };
        joint + self.height * along * direction(axis + turned)
    }

    /// The body of a part that lies as `layout` says.
    fn part(&self, id: String, i: usize, layout: (Vec2, f32), far: bool, mass: f32) -> BodyDef {
        let (part, shape) = (&PLAN[i], self.figure(i));
        let density = mass / area(&shape);
        BodyDef {
            id,
            kind: BodyKind::Dynamic,
            shape,
            position: self.center(i, layout),
            angle: (part.upright + layout.1).to_radians(),
            velocity: Vec2::ZERO,
            spin: 0.0,
            material: Material { density, ..self.material },
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

/// The area of a part, m².
fn area(shape: &Shape) -> f32 {
    let pi = std::f32::consts::PI;
    match *shape {
        Shape::Disc { radius } => pi * radius * radius,
        Shape::Capsule { length, radius } => radius * (2.0 * length + pi * radius),
        // A ragdoll has no other parts.
        _ => 0.0,
    }
}

/// The direction at an angle from +x.
fn direction(degrees: f32) -> Vec2 {
    Rot::from_radians(degrees.to_radians()).apply(Vec2::X)
}
