//! Poses: how far each joint is turned from upright, near side and far side.
//!
//! Angles are in degrees, counter-clockwise, for a person who faces +x: a shoulder or hip that swings
//! forward turns up, a knee that bends turns down. The angle of the pelvis, which hangs on nothing, is
//! how a balanced person leans.

use std::collections::BTreeMap;

use super::keys::{PoseAngles, PoseKeys, RagdollKeys, Sides};
use super::plan::PLAN;
use crate::level::diagnostic::{Report, suggestion, ticked};
use crate::level::tree::Place;

/// How far each part is turned from upright, relative to its parent, in the order of the plan:
/// pelvis, chest, head, upper arm, forearm, thigh, shin, foot. Near side, far side.
pub(super) type Pose = [[f32; 2]; PLAN.len()];

const fn both(angle: f32) -> [f32; 2] {
    [angle, angle]
}

const UPRIGHT: Pose = [both(0.0); PLAN.len()];

/// The poses that every ragdoll knows, by name.
#[rustfmt::skip]
pub(super) const POSES: [(&str, Pose); 13] = [
    //           pelvis     waist        neck         shoulder       elbow         hip            knee             ankle
    ("stand", UPRIGHT),
    // A slight stride, arms a little bent.
    ("relaxed", [both(0.0), both(-4.0),  both(0.0),   [-16.0, 30.0], [28.0, 32.0], [20.0, -8.0],  [-18.0, -16.0],  [0.0, 10.0]]),
    // Legs wide apart, feet flat: stands firm.
    ("stride",  [both(0.0), both(0.0),   both(0.0),   [-18.0, 18.0], both(12.0),   [20.0, -20.0], both(0.0),       [-20.0, 20.0]]),
    // Seen from the side, one arm points forward and the other back as far as it goes.
    ("t",       [both(0.0), both(0.0),   both(0.0),   [90.0, -60.0], both(0.0),    both(0.0),     both(0.0),       both(0.0)]),
    // Arms and legs as far apart as they go.
    ("star",    [both(0.0), both(0.0),   both(0.0),   [130.0, -60.0], both(0.0),   [45.0, -25.0], both(0.0),       both(0.0)]),
    // As on a chair, hands towards the knees.
    ("sit",     [both(0.0), both(4.0),   both(0.0),   [28.0, 36.0],  [38.0, 44.0], [88.0, 84.0],  [-86.0, -82.0],  both(0.0)]),
    // On the balls of the feet, trunk forward, arms ahead.
    ("crouch",  [both(0.0), both(-25.0), both(15.0),  [70.0, 60.0],  both(30.0),   [100.0, 96.0], [-130.0, -126.0], both(25.0)]),
    // On the knees, toes under.
    ("kneel",   [both(0.0), both(0.0),   both(0.0),   both(10.0),    both(20.0),   [5.0, 0.0],    [-95.0, -90.0],  both(-40.0)]),
    // Straight, toes stretched, arms at the sides: for lying with an `angle` of 90 or -90.
    ("lie",     [both(0.0), both(0.0),   both(0.0),   [4.0, 8.0],    [4.0, 8.0],   [3.0, 0.0],    [-4.0, -2.0],    both(-35.0)]),
    // Arms up, back arched, legs apart.
    ("fall",    [both(0.0), both(10.0),  both(12.0),  [140.0, 95.0], [24.0, 36.0], [42.0, -14.0], [-34.0, -58.0],  [-18.0, -24.0]]),
    // The near leg swings forward, the far one pushes off.
    ("run",     [both(0.0), both(-10.0), both(4.0),   [-50.0, 45.0], [85.0, 80.0], [62.0, -20.0], [-80.0, -22.0],  [0.0, -30.0]]),
    // The same half a stride later.
    ("run_far", [both(0.0), both(-10.0), both(4.0),   [45.0, -50.0], [80.0, 85.0], [-20.0, 62.0], [-22.0, -80.0],  [-30.0, 0.0]]),
    // Rolled up, chin and knees on the chest.
    ("tuck",    [both(0.0), both(-50.0), both(-30.0), [40.0, 50.0],  [80.0, 90.0], [118.0, 114.0], [-135.0, -130.0], both(0.0)]),
];

/// The poses of one ragdoll: those of its own and those that every one knows.
pub(super) struct Poses {
    own: BTreeMap<String, Pose>,
}

impl Poses {
    /// Those of a ragdoll with these keys at `item`. What is wrong with its own is reported.
    pub(super) fn read(keys: &RagdollKeys, item: &Place<'_>, report: &mut Report<'_>) -> Self {
        let none = BTreeMap::new();
        let given = keys.poses.as_ref().unwrap_or(&none);
        let mut poses = Self { own: BTreeMap::new() };
        for (name, keys) in given {
            let place = item.key("poses").key(name);
            let pose = resolve(keys, given, &place, report);
            poses.own.insert(name.clone(), pose);
        }
        poses
    }

    /// The pose that is written at `place`; one that cannot be is reported, and upright.
    pub(super) fn find(&self, keys: &PoseKeys, place: &Place<'_>, report: &mut Report<'_>) -> Pose {
        match keys {
            PoseKeys::Named(name) => self.named(name, place, report),
            PoseKeys::Angles(angles) => {
                let base = self.named(like(angles), &place.key("like"), report);
                with_angles(base, angles)
            }
        }
    }

    fn named(&self, name: &str, place: &Place<'_>, report: &mut Report<'_>) -> Pose {
        let own = self.own.get(name).copied();
        own.or_else(|| known(name)).unwrap_or_else(|| {
            unknown(name, self.own.keys(), place, report);
            UPRIGHT
        })
    }
}

/// A pose of a ragdoll's own, which may be like others of them.
fn resolve(
    keys: &PoseKeys,
    own: &BTreeMap<String, PoseKeys>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Pose {
    let (mut changes, mut hops) = (Vec::new(), 0);
    let mut next = keys;
    let base = loop {
        let name = match next {
            PoseKeys::Named(name) => name,
            PoseKeys::Angles(angles) => {
                changes.push(angles);
                like(angles)
            }
        };
        // What is wrong with another pose of its own is said where that is written.
        match own.get(name) {
            Some(_) if hops == own.len() => {
                let help = "let `like` name a pose that is not made of this one";
                report.error_with_help(place, "this pose is like itself", help);
                break UPRIGHT;
            }
            Some(other) => (next, hops) = (other, hops + 1),
            None => {
                break known(name).unwrap_or_else(|| {
                    if std::ptr::eq(next, keys) {
                        unknown(name, own.keys(), place, report);
                    }
                    UPRIGHT
                });
            }
        }
    };
    changes.into_iter().rev().fold(base, |pose, angles| with_angles(pose, angles))
}

fn known(name: &str) -> Option<Pose> {
    POSES.iter().find(|(known, _)| *known == name).map(|(_, pose)| *pose)
}

fn unknown<'n>(
    name: &str,
    own: impl Iterator<Item = &'n String>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) {
    let all = own.map(String::as_str).chain(POSES.iter().map(|(name, _)| *name));
    let help = suggestion(name, all, "choose one of");
    report.error_with_help(place, format!("unknown pose {}", ticked(name)), help);
}

fn like(angles: &PoseAngles) -> &str {
    angles.like.as_deref().unwrap_or("stand")
}

/// A pose with some of its angles changed.
fn with_angles(mut pose: Pose, angles: &PoseAngles) -> Pose {
    let one = |angle: Option<f32>| angle.map(|angle| Sides([angle; 2]));
    let PoseAngles { like: _, lean, waist, neck, shoulder, elbow, hip, knee, ankle } = angles;
    let given = [one(*lean), one(*waist), one(*neck), *shoulder, *elbow, *hip, *knee, *ankle];
    for (angles, given) in pose.iter_mut().zip(given) {
        if let Some(Sides(given)) = given {
            *angles = given;
        }
    }
    pose
}
