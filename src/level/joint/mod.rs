//! Joints: once every body is known, each is checked against the bodies it names.
//!
//! | file | job |
//! |---|---|
//! | `keys.rs` | the keys of each kind |
//! | `read.rs` | what they mean, each number checked |
//! | `motor.rs` | what drives them |
//! | `mod.rs` | names looked up, places compared with bodies |

pub(super) mod keys;
pub(super) mod motor;
mod read;

pub(super) use read::read;

use self::motor::Driven;
use super::assembly::{Assembly, Found};
use super::decode::fields;
use super::diagnostic::{Report, ticked};
use super::frame::Frame;
use super::shape::extent;
use super::sources::{Origin, Trace};
use super::tree::{Node, Place};
use crate::math::{Rot, Vec2};
use crate::scene::{BodyDef, JointDef, JointKind, Mesh, Shape};

/// A joint may lie this far outside a rigid body, m: enough for a lever or a short rope.
const REACH: f32 = 0.5;

/// The types of items that are joints.
pub(super) const TYPES: [&str; 10] =
    ["pin", "weld", "distance", "tether", "spring", "muscle", "slider", "wheel", "gear", "pulley"];

/// The keys of a kind of joint, in lists; `None` for an unknown one.
pub(super) fn keys(kind: &str) -> Option<Vec<&'static [&'static str]>> {
    let own = match kind {
        "pin" => fields::<keys::PinKeys>(),
        "weld" => fields::<keys::WeldKeys>(),
        "distance" | "tether" => fields::<keys::DistanceKeys>(),
        "spring" => fields::<keys::SpringKeys>(),
        "muscle" => fields::<keys::MuscleKeys>(),
        "slider" => fields::<keys::SliderKeys>(),
        "wheel" => fields::<keys::WheelKeys>(),
        "gear" => fields::<keys::GearKeys>(),
        "pulley" => fields::<keys::PulleyKeys>(),
        _ => return None,
    };
    Some(vec![fields::<keys::JointKeys>(), own])
}

/// A joint that has been read. Its bodies come later.
#[derive(Clone)]
pub(super) struct Draft {
    /// Whether all of it could be read.
    sound: bool,
    a: String,
    b: Option<String>,
    /// Between the two bodies if there is none.
    at: Option<Vec2>,
    to: Option<Vec2>,
    kind: JointKind,
    driven: Option<Driven>,
    break_force: Option<f32>,
    break_torque: Option<f32>,
    collide: bool,
}

impl Draft {
    /// Its places moved.
    pub(super) fn moved(mut self, by: Vec2) -> Self {
        self.at = self.at.map(|at| at + by);
        self.to = self.to.map(|to| to + by);
        if let JointKind::Pulley { over, .. } = &mut self.kind {
            *over = over.map(|at| at + by);
        }
        self
    }
}

/// A joint that has been read, and everything needed to set it later.
pub(super) struct Pending {
    pub(super) draft: Box<Draft>,
    pub(super) id: String,
    /// The id of the prefab around it, where its names are looked up first.
    pub(super) prefix: String,
    /// Where that prefab is.
    pub(super) frame: Frame,
    pub(super) node: Node,
    pub(super) path: String,
    pub(super) trace: Trace,
    pub(super) origin: Origin,
}

/// Adds a joint to the assembly.
pub(super) fn set(joint: Pending, assembly: &mut Assembly, report: &mut Report<'_>) {
    let trace = report.enter_trace(joint.trace.clone());
    assembly.origin = joint.origin.clone();
    connect(&joint, assembly, report);
    report.leave(trace);
}

fn connect(joint: &Pending, assembly: &mut Assembly, report: &mut Report<'_>) {
    let item = &Place { node: &joint.node, path: joint.path.clone() };
    let (draft, id, frame) = (&*joint.draft, &joint.id, &joint.frame);
    let before = report.count();
    let mut middles = [Vec2::ZERO; 2];
    for (end, name) in [Some(&draft.a), draft.b.as_ref()].into_iter().enumerate() {
        let (Some(name), key) = (name, ["a", "b"][end]) else { continue };
        if let Some(Found::Body(index)) =
            assembly.find_in(&joint.prefix, name, &item.key(key), report)
        {
            let body = &assembly.bodies[index];
            middles[end] = body.position;
            check_reach(body, draft, end, frame, item, report);
        }
    }
    let soft = |name: &str| {
        let full = assembly.full_name(&joint.prefix, name);
        let body = assembly.bodies.iter().find(|body| body.id == full);
        body.is_none_or(|body| matches!(&body.shape, Shape::Mesh(mesh) if mesh.soft))
    };
    let muscle = item_type(item) == "muscle";
    if muscle && draft.b.as_ref() == Some(&draft.a) && !soft(&draft.a) {
        let message =
            format!("both ends of the muscle are on {}, which is rigid", ticked(&draft.a));
        let help =
            "name two different bodies; within a soft body a muscle may run from place to place";
        report.error_with_help(&item.key("b"), message, help);
    } else if draft.b.as_ref() == Some(&draft.a) && !muscle {
        let kind = item_type(item);
        let help = format!("name two different bodies, or leave `b` out to {kind} to the world");
        let message = format!("both ends of the {kind} are on {}", ticked(&draft.a));
        report.error_with_help(&item.key("b"), message, help);
    }
    if report.count() > before || !draft.sound {
        return assembly.broken(id, item, report);
    }
    if !assembly.has_room(1, item, report) {
        return;
    }
    let a = assembly.full_name(&joint.prefix, &draft.a);
    let b = draft.b.as_ref().map(|name| assembly.full_name(&joint.prefix, name));
    let at = draft.at.unwrap_or(Vec2::ZERO);
    let driven = draft.driven.clone();
    let def = JointDef {
        to: draft.to,
        motor: driven.as_ref().map(|driven| driven.motor),
        track: driven.as_ref().and_then(|driven| driven.track.clone()),
        steering: driven.and_then(|driven| driven.steering),
        break_force: draft.break_force,
        break_torque: draft.break_torque,
        collide: draft.collide,
        ..JointDef::new(id, draft.kind, a, b.as_deref(), at)
    };
    let def = if b.is_none() { of_first_body(def) } else { def };
    let mut def = frame.joint(def);
    if draft.at.is_none() {
        def.at = 0.5 * (middles[0] + middles[1]);
    }
    assembly.add_joint(def, item, report);
}

/// A joint to the world with its limits and motor as its one body turns and slides: the world, which is
/// its second body, does so the other way.
fn of_first_body(mut def: JointDef) -> JointDef {
    if let JointKind::Slider { axis, .. } | JointKind::Wheel { axis, .. } = &mut def.kind {
        *axis = -*axis;
    }
    def.mirrored()
}

fn item_type<'n>(item: &Place<'n>) -> &'n str {
    item.node.get("type").and_then(Node::text).unwrap_or("joint")
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

/// Reports a joint that is nowhere near the body: almost always a slip in a coordinate.
fn check_reach(
    body: &BodyDef,
    draft: &Draft,
    end: usize,
    frame: &Frame,
    item: &Place<'_>,
    report: &mut Report<'_>,
) {
    // What slides or rolls along a body may begin anywhere beside it.
    let slides = matches!(draft.kind, JointKind::Slider { .. } | JointKind::Wheel { .. });
    let (key, at) = match (end, draft.to) {
        (1, Some(to)) => ("to", Some(to)),
        _ => ("at", draft.at),
    };
    let Some(at) = at.filter(|_| !(slides && end == 0)) else { return };
    let local = Rot::from_radians(body.angle).unapply(frame.point(at) - body.position);
    let (distance, reach) = match &body.shape {
        Shape::Mesh(mesh) if mesh.soft => beside(mesh, local),
        shape => {
            let extent = extent(shape);
            let distance = local.distance(local.clamp(extent.min, extent.max));
            (distance, REACH * frame.scale.max(1.0))
        }
    };
    if distance > reach {
        let kind = item_type(item);
        let message = format!("the {kind} is {distance:.2} m away from {}", ticked(&body.id));
        let whose = if *frame == Frame::default() { "world" } else { "the prefab's" };
        let help =
            format!("`{key}` is in {whose} coordinates and at most {reach} m from each body");
        report.error_with_help(&item.key(key), message, help);
    }
}

/// The distance of a place from a soft body, m, and how far it may be: what is held outside is thrown
/// about by every bend, so not far.
fn beside(mesh: &Mesh, place: Vec2) -> (f32, f32) {
    let (mut nearest, mut longest) = (f32::INFINITY, 0.0_f32);
    for edge in &mesh.edges {
        let [a, b] = [edge.a, edge.b].map(|i| mesh.points[i as usize].position);
        let along = b - a;
        let length = along.length();
        let t = ((place - a).dot(along) / (length * length).max(1e-20)).clamp(0.0, 1.0);
        nearest = nearest.min(place.distance(a + t * along));
        longest = longest.max(length);
    }
    // Rounded to be told in a message.
    let reach = mesh.radius + 0.5 * longest;
    (nearest, (1000.0 * reach).ceil() / 1000.0)
}
