//! Elastic energy: what is stored in everything that gives like a spring.

use glam::DVec2;

use super::measure::{doubled_area, length};
use crate::math::Vec2;
use crate::scene::{JointKind, Motor};
use crate::world::{AreaRule, Bend, Joint, World};

/// The elastic energy of a world, J. What is stiff, or keeps a speed, stores nothing.
pub(crate) fn energy(world: &World) -> f64 {
    let (model, state) = (&world.model, &world.state);
    let edges = model.edges.iter().zip(&state.rest).map(|(edge, &rest)| {
        stored(length(world, edge.a, edge.b) - f64::from(rest), edge.compliance)
    });
    let bends = model.bends.iter().map(|bend| stored(turn(world, bend), bend.compliance));
    let areas = model.areas.iter().map(|area| match area.rule {
        AreaRule::Spring { compliance } => {
            let now = 0.5 * doubled_area(world, model.area_outline(area));
            stored(now - f64::from(area.rest), compliance)
        }
        AreaRule::Guard => 0.0,
    });
    let joints = (0..model.joints.len()).map(|index| of_joint(world, index));
    edges.sum::<f64>() + bends.sum::<f64>() + areas.sum::<f64>() + joints.sum::<f64>()
}

/// `x²/(2·compliance)`, or nothing where it is stiff.
fn stored(x: f64, compliance: f32) -> f64 {
    if compliance > 0.0 { x * x / (2.0 * f64::from(compliance)) } else { 0.0 }
}

/// How far a bend is from rest, rad.
fn turn(world: &World, bend: &Bend) -> f64 {
    let [a, b, c] = bend.points.map(|point| world.state.position[point as usize].as_dvec2());
    let now = (b - a).angle_to(c - b);
    DVec2::from_angle(f64::from(bend.rest.radians())).angle_to(DVec2::from_angle(now))
}

/// What a joint's springs store.
fn of_joint(world: &World, index: usize) -> f64 {
    let joint = &world.model.joints[index];
    let positions = &world.state.position;
    let gap = joint.b.position(positions).as_dvec2() - joint.a.sample(positions).as_dvec2();
    let angle = || {
        let [a, b] = world.state.joints[index].angles.map(f64::from);
        let [start_a, start_b] = joint.start.map(f64::from);
        (b - start_b) - (a - start_a)
    };
    let travel = |axis: Vec2| {
        let rot = world.model.rot_at(joint.body_a, &joint.a, positions);
        gap.dot(rot.apply(axis).as_dvec2())
    };
    let half = |stiffness: f32, x: f64| 0.5 * f64::from(stiffness) * x * x;
    let own = match joint.kind {
        JointKind::Weld { bend: Some(spring) } => half(spring.stiffness, angle()),
        JointKind::Distance { least, most, spring: Some(spring) } => {
            let length = gap.length();
            let beyond = length - length.clamp(f64::from(least), f64::from(most));
            half(spring.stiffness, beyond)
        }
        JointKind::Wheel { axis, spring, .. } => half(spring.stiffness, travel(axis)),
        _ => 0.0,
    };
    let told = &world.state.joints[index];
    if told.idle {
        return own;
    }
    own + of_servo(joint, f64::from(told.target), angle, travel, gap.length(), half)
}

/// What a servo stores; none beyond its strength.
fn of_servo(
    joint: &Joint,
    target: f64,
    angle: impl Fn() -> f64,
    travel: impl Fn(Vec2) -> f64,
    length: f64,
    half: impl Fn(f32, f64) -> f64,
) -> f64 {
    let Some(Motor::Servo { spring, .. }) = joint.motor else { return 0.0 };
    let place = match joint.kind {
        JointKind::Slider { axis, .. } => travel(axis),
        JointKind::Distance { .. } => length,
        _ => angle(),
    };
    half(spring.stiffness, place - target)
}
