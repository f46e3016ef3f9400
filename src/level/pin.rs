//! Pins: once every body is known, each pin is checked against the bodies it names.

use super::assembly::{Assembly, Found};
use super::diagnostic::{Report, ticked};
use super::format::PinKeys;
use super::shape::extent;
use super::tree::Place;
use crate::math::{Rot, Vec2};
use crate::scene::{AngleLimit, BodyDef, JointDef};

/// A pin may lie this far outside a body, m: enough for a lever or a short rope.
const REACH: f32 = 0.5;

/// Adds a pin to the assembly.
pub(super) fn set(
    keys: PinKeys,
    item: &Place<'_>,
    assembly: &mut Assembly,
    report: &mut Report<'_>,
) {
    let id = assembly.id(keys.id.as_deref(), "pin", item, report);
    let at: Vec2 = keys.at.into();
    let before = report.count();
    for (key, name) in [("a", Some(&keys.a)), ("b", keys.b.as_ref())] {
        let Some(name) = name else { continue };
        if let Some(Found::Body(index)) = assembly.find(name, &item.key(key), report) {
            check_reach(&assembly.bodies[index], at, item, report);
        }
    }
    if keys.b.as_ref() == Some(&keys.a) {
        let help = "name two different bodies, or leave `b` out to pin to the world";
        let message = format!("both ends of the pin are on {}", ticked(&keys.a));
        report.error_with_help(&item.key("b"), message, help);
    }
    let limit = keys.limits.map(|limits| {
        let (lower, upper) = (limits.0, limits.1);
        let place = item.key("limits");
        if lower > upper {
            let help = "write the lower limit first: [lower, upper]";
            report.error_with_help(&place, format!("limits {lower} to {upper} do not rise"), help);
        } else if lower < -180.0 || upper > 180.0 {
            report.error(&place, format!("limits {lower} to {upper} are outside ±180 degrees"));
        } else if upper - lower >= 359.99 {
            let help = "leave `limits` out for a pin that turns freely";
            report.error_with_help(&place, "limits of a whole turn limit nothing", help);
        }
        let pi = std::f32::consts::PI;
        AngleLimit {
            lower: lower.to_radians().clamp(-pi, pi),
            upper: upper.to_radians().clamp(-pi, pi),
        }
    });
    if report.count() > before {
        return assembly.broken(&id, item, report);
    }
    if assembly.has_room(1, item, report) {
        let pin = JointDef { id, a: keys.a, b: keys.b, at, limit, collide: keys.collide };
        assembly.add_joint(pin, item, report);
    }
}

/// Reports a pin that is nowhere near the body: almost always a slip in a coordinate.
fn check_reach(body: &BodyDef, at: Vec2, item: &Place<'_>, report: &mut Report<'_>) {
    let local = Rot::from_radians(body.angle).unapply(at - body.position);
    let extent = extent(&body.shape);
    let distance = local.distance(local.clamp(extent.min, extent.max));
    if distance > REACH {
        let message = format!("the pin is {distance:.2} m away from {}", ticked(&body.id));
        let help = format!("`at` is in world coordinates and at most {REACH} m from each body");
        report.error_with_help(&item.key("at"), message, help);
    }
}
