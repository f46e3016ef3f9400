//! Pins: once every body is known, each pin is checked against the bodies it names.

use super::assembly::{Assembly, Found};
use super::diagnostic::{Report, ticked};
use super::format::PinKeys;
use super::frame::Frame;
use super::shape::extent;
use super::sources::{Origin, Trace};
use super::tree::{Node, Place};
use crate::math::{Rot, Vec2};
use crate::scene::{AngleLimit, BodyDef, JointDef, JointKind};

/// A pin may lie this far outside a body, m: enough for a lever or a short rope.
const REACH: f32 = 0.5;

/// A pin that has been read, and everything needed to set it later.
pub(super) struct Pending {
    pub(super) keys: Box<PinKeys>,
    pub(super) id: String,
    /// The id of the prefab around it, where its names are looked up first.
    pub(super) prefix: String,
    /// Where that prefab is.
    pub(super) frame: Frame,
    /// Added to its `at`.
    pub(super) offset: Vec2,
    pub(super) node: Node,
    pub(super) path: String,
    pub(super) trace: Trace,
    pub(super) origin: Origin,
}

/// Adds a pin to the assembly.
pub(super) fn set(pin: Pending, assembly: &mut Assembly, report: &mut Report<'_>) {
    let trace = report.enter_trace(pin.trace.clone());
    assembly.origin = pin.origin.clone();
    connect(&pin, assembly, report);
    report.leave(trace);
}

fn connect(pin: &Pending, assembly: &mut Assembly, report: &mut Report<'_>) {
    let item = &Place { node: &pin.node, path: pin.path.clone() };
    let (keys, id) = (&*pin.keys, &pin.id);
    let at: Vec2 = Vec2::from(keys.at) + pin.offset;
    let before = report.count();
    for (key, name) in [("a", Some(&keys.a)), ("b", keys.b.as_ref())] {
        let Some(name) = name else { continue };
        if let Some(Found::Body(index)) =
            assembly.find_in(&pin.prefix, name, &item.key(key), report)
        {
            check_reach(&assembly.bodies[index], at, &pin.frame, item, report);
        }
    }
    if keys.b.as_ref() == Some(&keys.a) {
        let help = "name two different bodies, or leave `b` out to pin to the world";
        let message = format!("both ends of the pin are on {}", ticked(&keys.a));
        report.error_with_help(&item.key("b"), message, help);
    }
    let limit = keys.limits.map(|limits| {
        let (lower, upper) = (limits.0, limits.1);
        check_limits(lower, upper, &item.key("limits"), report);
        let pi = std::f32::consts::PI;
        AngleLimit {
            lower: lower.to_radians().clamp(-pi, pi),
            upper: upper.to_radians().clamp(-pi, pi),
        }
    });
    if report.count() > before {
        return assembly.broken(id, item, report);
    }
    if assembly.has_room(1, item, report) {
        let a = assembly.full_name(&pin.prefix, &keys.a);
        let b = keys.b.as_ref().map(|name| assembly.full_name(&pin.prefix, name));
        let kind = JointKind::Pin { limit };
        let collide = keys.collide;
        let def = JointDef { collide, ..JointDef::new(id, kind, a, b.as_deref(), at) };
        assembly.add_joint(pin.frame.joint(def), item, report);
    }
}

/// Reports limits, in degrees, that are none.
pub(super) fn check_limits(lower: f32, upper: f32, place: &Place<'_>, report: &mut Report<'_>) {
    if lower > upper {
        let help = "write the lower limit first: [lower, upper]";
        report.error_with_help(place, format!("limits {lower} to {upper} do not rise"), help);
    } else if lower < -180.0 || upper > 180.0 {
        report.error(place, format!("limits {lower} to {upper} are outside ±180 degrees"));
    } else if upper - lower >= 359.99 {
        let help = "leave `limits` out for a pin that turns freely";
        report.error_with_help(place, "limits of a whole turn limit nothing", help);
    }
}

/// Reports a pin that is nowhere near the body: almost always a slip in a coordinate.
fn check_reach(body: &BodyDef, at: Vec2, frame: &Frame, item: &Place<'_>, report: &mut Report<'_>) {
    let local = Rot::from_radians(body.angle).unapply(frame.point(at) - body.position);
    let extent = extent(&body.shape);
    let distance = local.distance(local.clamp(extent.min, extent.max));
    let reach = REACH * frame.scale.max(1.0);
    if distance > reach {
        let message = format!("the pin is {distance:.2} m away from {}", ticked(&body.id));
        let whose = if *frame == Frame::default() { "world" } else { "the prefab's" };
        let help = format!("`at` is in {whose} coordinates and at most {reach} m from each body");
        report.error_with_help(&item.key("at"), message, help);
    }
}
