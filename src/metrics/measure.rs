//! What can be read off a world at an instant, point by point and edge by edge.
//!
//! Sums run in `f64`. What never moves of itself (static and kinematic bodies, pinned points) has
//! no part in energy and momentum: it is not the solver's doing.

use glam::DVec2;

use crate::math::Vec2;
use crate::scene::JointKind;
use crate::world::{Body, Joint, World};

use super::elastic;

/// Energy, momentum and moving mass of a world at an instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Motion {
    /// Mass of what moves, kg.
    pub(crate) mass: f64,
    /// Σ ½ m v², J.
    pub(crate) kinetic: f64,
    /// −Σ m g·p, J: zero where everything is at the origin.
    pub(crate) gravity: f64,
    /// In edges, bends, areas and springs between bodies, J.
    pub(crate) elastic: f64,
    /// Σ m v, kg·m/s.
    pub(crate) momentum: DVec2,
    /// Σ m |v|, kg·m/s.
    pub(crate) traffic: f64,
}

impl Motion {
    /// Measures a world under `gravity`, m/s².
    pub(crate) fn of(world: &World, gravity: Vec2) -> Self {
        let (model, state) = (&world.model, &world.state);
        let gravity = gravity.as_dvec2();
        let mut sum = Self::default();
        let moving = (0..model.point_count()).filter(|&i| model.inv_mass[i] > 0.0);
        for i in moving {
            let mass = f64::from(model.mass[i]);
            let velocity = state.velocity[i].as_dvec2();
            sum.mass += mass;
            sum.kinetic += 0.5 * mass * velocity.length_squared();
            sum.momentum += mass * velocity;
            sum.traffic += mass * velocity.length();
            let scale = model.bodies[model.body_of[i] as usize].material.gravity_scale;
            let weight = f64::from(scale) * mass * gravity;
            sum.gravity -= weight.dot(state.position[i].as_dvec2());
        }
        sum.elastic = elastic::energy(world);
        sum
    }

    /// All energy, J.
    pub(crate) fn energy(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }

    /// Kinetic energy per kilogram, J/kg; 0 where nothing moves of itself.
    pub(crate) fn kinetic_per_kg(&self) -> f64 {
        if self.mass > 0.0 { self.kinetic / self.mass } else { 0.0 }
    }
}

/// The largest |length − rest| / rest of a stiff edge.
pub(crate) fn max_stretch(world: &World) -> f64 {
    let edges = world.model.edges.iter().zip(&world.state.rest);
    let stiff = edges.filter(|(edge, rest)| edge.compliance == 0.0 && **rest > 0.0);
    let stretch = stiff.map(|(edge, &rest)| {
        let rest = f64::from(rest);
        (length(world, edge.a, edge.b) - rest).abs() / rest
    });
    stretch.fold(0.0, f64::max)
}

/// The largest error of a joint, m: how far what it holds together is apart. What it holds only by
/// a spring, and angles, have no part in it.
pub(crate) fn max_joint_error(world: &World) -> f64 {
    world.model.joints.iter().map(|joint| joint_error(world, joint)).fold(0.0, f64::max)
}

/// How far what a joint holds together is apart, m.
pub(crate) fn joint_error(world: &World, joint: &Joint) -> f64 {
    let positions = &world.state.position;
    let at = joint.a.sample(positions).as_dvec2();
    let gap = joint.b.position(positions).as_dvec2() - at;
    let across = |axis: Vec2| {
        let rot = world.model.rot_at(joint.body_a, &joint.a, positions);
        rot.apply(axis).as_dvec2().perp_dot(gap).abs()
    };
    match joint.kind {
        JointKind::Pin { .. } | JointKind::Weld { .. } => gap.length(),
        JointKind::Slider { axis, .. } | JointKind::Wheel { axis, .. } => across(axis),
        JointKind::Distance { spring: Some(_), .. } | JointKind::Gear { .. } | JointKind::Turn => {
            0.0
        }
        JointKind::Distance { least, most, spring: None } => {
            let length = gap.length();
            (length - f64::from(most)).max(f64::from(least) - length).max(0.0)
        }
        JointKind::Pulley { over, ratio } => {
            let [over_a, over_b] = over.map(|at| at.as_dvec2());
            let length = (at - over_a).length() + f64::from(ratio) * (at + gap - over_b).length();
            (length - f64::from(joint.rope)).max(0.0)
        }
    }
}

/// How far a joint is turned beyond its limits, rad; 0 within them, and where it has none.
pub(crate) fn joint_excess(world: &World, joint: &Joint) -> f64 {
    let Some(limit) = joint.limit else { return 0.0 };
    let World { model, state } = world;
    let [a, b] = joint.rots(|body, anchor| model.rot_at(body, anchor, &state.position));
    let relative = a.inverse().after(b);
    let from_middle = limit.middle.inverse().after(relative).radians().abs();
    f64::from(from_middle - limit.half.radians().abs()).max(0.0)
}

/// Pieces that are turned inside out: three points or more, negative area.
pub(crate) fn inverted(world: &World) -> u32 {
    let turned = world.model.pieces.iter().filter(|piece| {
        let outline = world.model.outline(piece);
        outline.len() >= 3 && doubled_area(world, outline) < 0.0
    });
    turned.count() as u32
}

/// Whether a body that can move has its centre outside the bounds of the level.
pub(crate) fn is_outside(world: &World, body: &Body) -> bool {
    let center = || world.model.center(body, &world.state.position);
    let bounds = world.model.bounds;
    body.kind != crate::scene::BodyKind::Static
        && bounds.is_some_and(|bounds| !bounds.contains(center()))
}

pub(super) fn length(world: &World, a: u32, b: u32) -> f64 {
    let at = |point: u32| world.state.position[point as usize].as_dvec2();
    at(a).distance(at(b))
}

/// Twice the signed area, from triangles about the first vertex so that no digits are lost far
/// from the origin.
pub(super) fn doubled_area(world: &World, outline: &[u32]) -> f64 {
    let at = |k: usize| world.state.position[outline[k] as usize].as_dvec2();
    let origin = at(0);
    (1..outline.len() - 1).map(|k| (at(k) - origin).perp_dot(at(k + 1) - origin)).sum()
}
