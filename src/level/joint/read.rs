//! From the keys of a joint to what it holds, every number checked.
//!
//! What [`World::build`](crate::World::build) refuses is refused here already, where the line of the
//! file is known.

use super::keys::{
    DistanceKeys, GearKeys, JointKeys, MuscleKeys, PinKeys, PulleyKeys, SliderKeys, SpringKeys,
    WeldKeys, WheelKeys,
};
use super::motor::Driven;
use super::{Draft, check_limits};
use crate::level::decode::{self, Pair};
use crate::level::diagnostic::Report;
use crate::level::tree::Place;
use crate::math::Vec2;
use crate::scene::{AngleLimit, JointKind, Scene, Spring, Travel};

/// The largest stiffness, damping, force or torque.
const STRONGEST: f32 = 1e13;
/// The ratios that are accepted.
const RATIO_RANGE: (f32, f32) = (0.001, 1000.0);

/// Reads a joint; `None` if nothing of it is of use. What is wrong with it is reported.
pub(in crate::level) fn read(
    kind: &str,
    item: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Draft> {
    let before = report.count();
    let keys = decode::part::<JointKeys>(item, report);
    let held = match kind {
        "pin" => pin(item, report),
        "weld" => weld(item, report),
        "distance" => distance(item, false, report),
        "tether" => distance(item, true, report),
        "spring" => spring(item, report),
        "muscle" => muscle(item, report),
        "slider" => slider(item, report),
        "wheel" => wheel(item, report),
        "gear" => gear(item, report),
        "pulley" => pulley(item, report),
        _ => None,
    };
    let keys = keys?;
    for (key, value) in [("break_force", keys.break_force), ("break_torque", keys.break_torque)] {
        if let Some(value) = value {
            let help = "leave it out for what never breaks";
            check_positive(key, value, item, help, report);
        }
    }
    let needs_b = matches!(kind, "gear" | "pulley");
    if needs_b && keys.b.is_none() && !item.has("b") {
        let help = format!("a {kind} connects two bodies: name the second");
        report.error_with_help(&item.key("b"), "the key `b` is missing", help);
    }
    let Held { at, to, kind, driven } = held?;
    Some(Draft {
        sound: report.count() == before,
        a: keys.a,
        b: keys.b,
        at,
        to,
        kind,
        driven,
        break_force: keys.break_force,
        break_torque: keys.break_torque,
        collide: keys.collide,
    })
}

/// What is held, and where.
struct Held {
    at: Option<Vec2>,
    to: Option<Vec2>,
    kind: JointKind,
    driven: Option<Driven>,
}

impl Held {
    fn at(at: Pair<f32>, kind: JointKind) -> Self {
        Self { at: Some(at.into()), to: None, kind, driven: None }
    }

    fn between(at: Pair<f32>, to: Pair<f32>, kind: JointKind) -> Self {
        Self { to: Some(to.into()), ..Self::at(at, kind) }
    }
}

fn pin(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: PinKeys = decode::part(item, report)?;
    let limit = keys.limits.map(|limits| {
        let (lower, upper) = (limits.0, limits.1);
        check_limits(lower, upper, &item.key("limits"), report);
        let pi = std::f32::consts::PI;
        AngleLimit {
            lower: lower.to_radians().clamp(-pi, pi),
            upper: upper.to_radians().clamp(-pi, pi),
        }
    });
    let driven = keys.motor.and_then(|motor| motor.read(&item.key("motor"), report));
    Some(Held { driven, ..Held::at(keys.at, JointKind::Pin { limit }) })
}

fn weld(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: WeldKeys = decode::part(item, report)?;
    let bend = match keys.stiffness {
        Some(stiffness) => Some(damped(stiffness, keys.damping, item, report)),
        None => {
            if keys.damping.is_some() {
                let help = "give `stiffness` too, or leave `damping` out";
                let message = "damping of what does not bend";
                report.error_with_help(&item.key("damping"), message, help);
            }
            None
        }
    };
    Some(Held::at(keys.at, JointKind::Weld { bend }))
}

/// A rod, or a rope that can go slack.
fn distance(item: &Place<'_>, slack: bool, report: &mut Report<'_>) -> Option<Held> {
    let keys: DistanceKeys = decode::part(item, report)?;
    let length = span(keys.at, keys.to, keys.length, item, report);
    let least = if slack { 0.0 } else { length };
    let kind = JointKind::Distance { least, most: length, spring: None };
    Some(Held::between(keys.at, keys.to, kind))
}

fn spring(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: SpringKeys = decode::part(item, report)?;
    let length = span(keys.at, keys.to, keys.length, item, report);
    let spring = Some(damped(keys.stiffness, keys.damping, item, report));
    let kind = JointKind::Distance { least: length, most: length, spring };
    Some(Held::between(keys.at, keys.to, kind))
}

fn muscle(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: MuscleKeys = decode::part(item, report)?;
    let (at, to) = (keys.at, keys.to);
    let apart = span(at, to, None, item, report);
    let driven = keys.read(apart, item, report);
    let kind = JointKind::Distance { least: 0.0, most: Scene::LARGEST, spring: None };
    Some(Held { driven, ..Held::between(at, to, kind) })
}

fn slider(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: SliderKeys = decode::part(item, report)?;
    let axis = direction(keys.axis, item, report);
    let limit = travel(keys.limits, item, report);
    let driven = keys.motor.and_then(|motor| motor.read(&item.key("motor"), report));
    Some(Held { driven, ..Held::at(keys.at, JointKind::Slider { axis, limit }) })
}

fn wheel(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: WheelKeys = decode::part(item, report)?;
    let axis = direction(keys.axis.unwrap_or(Pair(0.0, 1.0)), item, report);
    let spring = damped(keys.stiffness, keys.damping, item, report);
    let limit = travel(keys.limits, item, report);
    let driven = keys.motor.and_then(|motor| motor.read(&item.key("motor"), report));
    Some(Held { driven, ..Held::at(keys.at, JointKind::Wheel { axis, spring, limit }) })
}

fn gear(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: GearKeys = decode::part(item, report)?;
    let ratio = keys.ratio.unwrap_or(1.0);
    check_ratio(ratio.abs(), ratio, item, report);
    Some(Held { at: None, to: None, kind: JointKind::Gear { ratio }, driven: None })
}

fn pulley(item: &Place<'_>, report: &mut Report<'_>) -> Option<Held> {
    let keys: PulleyKeys = decode::part(item, report)?;
    let ratio = keys.ratio.unwrap_or(1.0);
    check_ratio(ratio, ratio, item, report);
    let [first, second] = keys.over[..] else {
        let help = "first the wheel of `a`, then that of `b`: [[x, y], [x, y]]";
        report.error_with_help(&item.key("over"), "a pulley runs over two places", help);
        return None;
    };
    let over = [first.into(), second.into()];
    Some(Held::between(keys.at, keys.to, JointKind::Pulley { over, ratio }))
}

/// The length that is given, or that between the two places.
fn span(
    at: Pair<f32>,
    to: Pair<f32>,
    length: Option<f32>,
    item: &Place<'_>,
    report: &mut Report<'_>,
) -> f32 {
    let apart = Vec2::from(at).distance(to.into());
    let length = length.unwrap_or(apart);
    if !(length > 0.0) {
        let (key, message) = if apart > 0.0 {
            ("length", format!("length {length} must be positive"))
        } else {
            ("to", "`at` and `to` are the same place".to_owned())
        };
        let help = "use a pin to hold two places together";
        report.error_with_help(&item.key(key), message, help);
    }
    length
}

pub(super) fn damped(
    stiffness: f32,
    damping: Option<f32>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Spring {
    check_positive("stiffness", stiffness, place, "", report);
    let damping = damping.unwrap_or(0.0);
    if !(0.0..=STRONGEST).contains(&damping) {
        let message = format!("damping {damping} is outside 0 to {STRONGEST:e}");
        report.error(&place.key("damping"), message);
    }
    Spring { stiffness, damping }
}

fn direction(axis: Pair<f32>, item: &Place<'_>, report: &mut Report<'_>) -> Vec2 {
    let axis = Vec2::from(axis);
    if axis.length() < 1e-5 {
        let help = "write [0, 1] for up, [1, 0] for to the right";
        report.error_with_help(&item.key("axis"), "the axis has no direction", help);
    }
    axis
}

fn travel(limits: Option<Pair<f32>>, item: &Place<'_>, report: &mut Report<'_>) -> Option<Travel> {
    let Pair(lower, upper) = limits?;
    if lower > upper {
        let help = "write the lower limit first: [lower, upper]";
        let message = format!("limits {lower} to {upper} do not rise");
        report.error_with_help(&item.key("limits"), message, help);
    }
    Some(Travel { lower, upper })
}

pub(super) fn check_positive(
    key: &str,
    value: f32,
    place: &Place<'_>,
    help: &str,
    report: &mut Report<'_>,
) {
    let message = if value > STRONGEST {
        format!("{key} {value} is more than {STRONGEST:e}")
    } else if !(value > 0.0) {
        format!("{key} {value} must be positive")
    } else {
        return;
    };
    match help {
        "" => report.error(&place.key(key), message),
        help => report.error_with_help(&place.key(key), message, help),
    }
}

fn check_ratio(size: f32, ratio: f32, item: &Place<'_>, report: &mut Report<'_>) {
    let (low, high) = RATIO_RANGE;
    if !(size >= low && size <= high) {
        let message = format!("ratio {ratio} is outside {low} to {high}");
        report.error(&item.key("ratio"), message);
    }
}
