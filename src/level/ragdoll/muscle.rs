//! Muscles: an angle servo at every joint, as strong as the weight that hangs on it asks for.
//!
//! A joint carries what lies beyond it: a shoulder its arm, the waist all above it, and the joints of
//! a leg what stands on them, which the two legs share. Stretched out level that takes the torque
//!
//! ```text
//! τ = g·Σ mᵢ·dᵢ        dᵢ: from the joint to the centre of part i, standing upright
//! ```
//!
//! A muscle of strength `s` gives at most `s·τ`. It is a spring of stiffness `s·τ / 0.2 rad`, so all
//! of its strength comes out 0.2 rad from where it wants to be, with the damping `2·ζ·√(k·I)`, where
//! `I` is the inertia about the joint of the limb that hangs on it.
//!
//! A joint without a muscle rubs, or limbs that dangle would swing on for minutes: with a part of the
//! torque that holds level the limb that hangs on it, of a leg as of an arm.

use super::keys::MuscleKeys;
use super::plan::{PLAN, THIGH};
use super::poses::{Pose, Poses};
use crate::level::diagnostic::Report;
use crate::level::tree::Place;
use crate::math::Vec2;
use crate::scene::{Motor, Spring, Track};

/// Strength if none is given: stands up straight with something left.
const USUAL_STRENGTH: f32 = 2.0;
/// How far a joint is from where it is pulled to when the muscle gives all it has, rad.
const FULL_PULL: f32 = 0.2;
/// Part of the torque that holds a limb level with which its joint rubs, if none is given: what swings
/// comes to rest after some ten swings.
pub(super) const USUAL_FRICTION: f32 = 0.05;
/// Standard gravity, m/s²: people do not grow weaker where a level has less.
const GRAVITY: f32 = 9.81;

/// The muscles of a ragdoll.
#[derive(Clone, Debug)]
pub(super) struct Muscles {
    strength: f32,
    damping: f32,
    balance: f32,
    /// Times, s, and the poses that are wanted then.
    keyframes: Vec<(f32, Pose)>,
    repeats: bool,
}

/// A part as muscles feel it: where its joint and its centre are when standing upright, m; mass of it,
/// kg; moment of inertia about its centre, kg·m².
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Load {
    pub(super) joint: Vec2,
    pub(super) center: Vec2,
    pub(super) mass: f32,
    pub(super) inertia: f32,
}

impl Muscles {
    /// The muscles that the keys at `place` describe, of a ragdoll that starts in the pose `start`.
    /// What is wrong is reported.
    pub(super) fn read(
        keys: &MuscleKeys,
        start: Pose,
        poses: &Poses,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Self {
        let mut bounded = |key: &str, given: Option<f32>, usual: f32, most: f32| {
            let value = given.unwrap_or(usual);
            if !(0.0..=most).contains(&value) {
                report.error(&place.key(key), format!("{key} {value} is outside 0 to {most}"));
            }
            value
        };
        let strength = bounded("strength", keys.strength, USUAL_STRENGTH, 1000.0);
        let damping = bounded("damping", keys.damping, 1.0, 100.0);
        let balance = bounded("balance", keys.balance, 0.0, 1000.0);
        let mut keyframes = Vec::new();
        if let Some(list) = &keys.keyframes {
            let list_place = place.key("keyframes");
            if keys.pose.is_some() {
                let help = "leave `pose` out, or make it the only keyframe";
                let message = "muscles pull to one pose, or to those of `keyframes`";
                report.error_with_help(&place.key("pose"), message, help);
            }
            if list.is_empty() {
                report.error(&list_place, "there are no keyframes in the list");
            }
            for (number, keyframe) in list.iter().enumerate() {
                let frame = list_place.index(number);
                let before = keyframes.last().map_or(-1.0, |&(time, _): &(f32, Pose)| time);
                if !(keyframe.time >= 0.0 && keyframe.time > before) {
                    let help = "times rise from keyframe to keyframe, from 0 or later";
                    let message = format!("time {} is not after the one before", keyframe.time);
                    report.error_with_help(&frame.key("time"), message, help);
                }
                let pose = poses.find(&keyframe.pose, &frame.key("pose"), report);
                keyframes.push((keyframe.time, pose));
            }
        } else {
            if keys.repeats.is_some() {
                let help = "leave `repeats` out, or add `keyframes`";
                report.error_with_help(&place.key("repeats"), "only keyframes repeat", help);
            }
            let pose = keys.pose.as_ref();
            let pose = pose.map_or(start, |pose| poses.find(pose, &place.key("pose"), report));
            keyframes.push((0.0, pose));
        }
        Self { strength, damping, balance, keyframes, repeats: keys.repeats == Some(true) }
    }

    /// The muscle of the joint of a part, and what it is told: `wanted` makes the joint's angle, rad,
    /// of the angle of a pose, degrees. `None` without strength.
    pub(super) fn at(
        &self,
        part: usize,
        side: usize,
        loads: &[Load; PLAN.len()],
        wanted: impl Fn(f32) -> f32,
    ) -> Option<(Motor, Option<Track>)> {
        let limb = Limb::at(part, loads);
        self.servo(part, side, self.strength * limb.carries, limb.inertia, wanted)
    }

    /// The help that turns the pelvis as poses have it, in the same form.
    pub(super) fn balance(
        &self,
        loads: &[Load; PLAN.len()],
        wanted: impl Fn(f32) -> f32,
    ) -> Option<(Motor, Option<Track>)> {
        let limb = Limb::at(0, loads);
        self.servo(0, 0, self.balance * limb.carries, limb.inertia, wanted)
    }

    fn servo(
        &self,
        part: usize,
        side: usize,
        most: f32,
        inertia: f32,
        wanted: impl Fn(f32) -> f32,
    ) -> Option<(Motor, Option<Track>)> {
        let stiffness = most / FULL_PULL;
        if !(stiffness >= Spring::SOFTEST) {
            return None;
        }
        let damping = 2.0 * self.damping * (stiffness * inertia).sqrt();
        let key = |(time, pose): &(f32, Pose)| (*time, wanted(pose[part][side]));
        let keys: Vec<_> = self.keyframes.iter().map(key).collect();
        let target = keys.first().map_or(0.0, |key| key.1);
        let spring = Spring { stiffness, damping };
        let track = (keys.len() > 1).then_some(Track { keys, repeats: self.repeats });
        Some((Motor::Servo { target, spring, most }, track))
    }
}

/// What brakes the joint of a part with the share `share` of the torque that holds level what hangs on it.
/// `None` without.
pub(super) fn friction(share: f32, part: usize, loads: &[Load; PLAN.len()]) -> Option<Motor> {
    let most = share * Limb::at(part, loads).hangs;
    (most > 0.0).then_some(Motor::Speed { speed: 0.0, most })
}

/// What the joint of a part has to do with.
struct Limb {
    /// The torque that holds what it carries stretched out level, N·m.
    carries: f32,
    /// The same of what hangs on it.
    hangs: f32,
    /// The moment of inertia of that about the joint, kg·m².
    inertia: f32,
}

impl Limb {
    fn at(part: usize, loads: &[Load; PLAN.len()]) -> Self {
        let of_leg = part >= THIGH;
        let hanging = |other: usize| match beyond(other, part) {
            false => 0.0,
            true if PLAN[part].paired => 1.0,
            true => sides(other),
        };
        let carried = |other: usize| match other {
            // Seen from the foot: the leg above the joint, and half of what both legs carry.
            _ if of_leg && other >= THIGH => f32::from(u8::from(other < part)),
            _ if of_leg => 0.5 * sides(other),
            _ => hanging(other),
        };
        let joint = loads[part].joint;
        let none = Self { carries: 0.0, hangs: 0.0, inertia: 0.0 };
        loads.iter().enumerate().fold(none, |limb, (other, load)| {
            let from_joint = load.center - joint;
            let weight = GRAVITY * load.mass;
            let about_joint = load.mass * from_joint.length_squared() + load.inertia;
            Self {
                carries: limb.carries + carried(other) * weight * from_joint.y.abs(),
                hangs: limb.hangs + hanging(other) * weight * from_joint.length(),
                inertia: limb.inertia + hanging(other) * about_joint,
            }
        })
    }
}

/// How many of a part there are.
fn sides(part: usize) -> f32 {
    if PLAN[part].paired { 2.0 } else { 1.0 }
}

/// Whether a part is another one or hangs on it.
fn beyond(part: usize, of: usize) -> bool {
    part == of || PLAN[part].parent.is_some_and(|parent| beyond(parent, of))
}
