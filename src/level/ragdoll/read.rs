//! From the keys of a ragdoll to what is built of them.

use super::keys::{Build, Facing, RagdollKeys};
use super::muscle::{Muscles, USUAL_FRICTION};
use super::plan::{self, PLAN};
use super::poses::{POSES, Poses};
use super::{Colors, Doll};
use crate::level::decode::Color;
use crate::level::diagnostic::Report;
use crate::level::joint::check_limits;
use crate::level::tree::Place;
use crate::math::Vec2;
use crate::scene::{Filter, Material};

/// The heights that are accepted, m.
const HEIGHT_RANGE: (f32, f32) = (0.1, 100.0);
/// The masses and forces that are accepted, kg and N.
const RANGE: (f32, f32) = (0.001, 1e6);
/// The shares of a torque that are accepted.
const SHARES: (f32, f32) = (0.0, 1000.0);
/// The pose at the start if none is given.
const USUAL_POSE: usize = 1;

/// Reads what a ragdoll is like; where it is and how it moves is left at nothing. `None` if
/// something is wrong, which is reported.
pub(in crate::level) fn read(
    keys: &RagdollKeys,
    item: &Place<'_>,
    material: Material,
    report: &mut Report<'_>,
) -> Option<Doll> {
    let before = report.count();
    let stature = plan::stature(keys.build.unwrap_or(Build::Adult));
    let height = keys.height.unwrap_or(stature.height);
    let joint_friction = keys.joint_friction.unwrap_or(USUAL_FRICTION);
    for (key, value, (low, high), unit) in [
        ("height", Some(height), HEIGHT_RANGE, " m"),
        ("mass", keys.mass, RANGE, " kg"),
        ("tear_force", keys.tear_force, RANGE, " N"),
        ("joint_friction", Some(joint_friction), SHARES, ""),
    ] {
        if value.is_some_and(|value| !(value >= low && value <= high)) {
            let value = value.unwrap_or_default();
            let message = format!("{key} {value} is outside {low} to {high}{unit}");
            report.error(&item.key(key), message);
        }
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
    let poses = Poses::read(keys, item, report);
    let mut pose = POSES[USUAL_POSE].1;
    if let Some(keys) = &keys.pose {
        pose = poses.find(keys, &item.key("pose"), report);
    }
    let muscles = keys
        .muscles
        .as_ref()
        .map(|keys| Muscles::read(keys, pose, &poses, &item.key("muscles"), report));
    if report.count() > before {
        return None;
    }
    // A joint that is not allowed to bend as far as the pose wants bends as far as it may.
    for (angles, range) in pose.iter_mut().zip(&ranges) {
        *angles = angles.map(|angle| angle.clamp(range.0, range.1));
    }
    Some(Doll {
        height,
        stature,
        mass: keys.mass,
        pose,
        ranges,
        muscles,
        joint_friction,
        tear_force: keys.tear_force,
        self_collision: keys.self_collision == Some(true),
        facing_left: keys.facing == Some(Facing::Left),
        colors: colors(keys),
        material,
        at: Vec2::ZERO,
        angle: 0.0,
        velocity: Vec2::ZERO,
        spin: 0.0,
        layer: 0,
        filter: Filter::default(),
    })
}

fn colors(keys: &RagdollKeys) -> Colors {
    let dyed = |color: Option<Color>, usual| color.map_or(usual, |Color(color)| color);
    Colors {
        skin: dyed(keys.skin, [0xe2, 0xb0, 0x8c]),
        hair: dyed(keys.hair, [0x4a, 0x31, 0x28]),
        shirt: dyed(keys.shirt, [0x3f, 0x7c, 0xac]),
        trousers: dyed(keys.trousers, [0x3a, 0x41, 0x57]),
        shoes: dyed(keys.shoes, [0x2a, 0x26, 0x25]),
    }
}
