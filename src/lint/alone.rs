//! Bodies one by one: too fast for the sub-step, outside the bounds, stretched at the start.

use super::{About, Finding, MOST_FINDINGS, Rule, length, rounded};
use crate::math::{Aabb, Vec2};
use crate::scene::{BodyKind, Scene};
use crate::settings::Settings;
use crate::world::{Body, World};

/// The part of its own width that a body may move in a sub-step, where contacts are looked for:
/// beyond it, it can jump over half of what it hits and come out on the other side. In a whole
/// step it may move its extent: that leaves room for solvers with few sub-steps.
const LARGEST_STRIDE: f32 = 0.5;
/// Relative difference between an edge and its rest length that is a matter of rounding.
const LEAST_STRETCH: f32 = 1e-3;

pub(super) fn examine(scene: &Scene, world: &World, found: &mut Vec<Finding>) {
    for (index, body) in world.model.bodies.iter().enumerate() {
        if found.len() >= MOST_FINDINGS {
            return;
        }
        found.extend(too_fast(&scene.settings, world, body, index));
        found.extend(out_of_bounds(scene, world, body, index));
        found.extend(stretched(world, body, index));
    }
}

fn too_fast(settings: &Settings, world: &World, body: &Body, index: usize) -> Option<Finding> {
    let velocities = &world.state.velocity[body.point_range()];
    let speed = velocities.iter().map(|velocity| velocity.length()).fold(0.0, f32::max);
    let size = size(world, body);
    let (width, extent) = (size.min_element(), size.max_element());
    let substeps = settings.effort(settings.solver).substeps;
    let step = speed * settings.dt();
    let stride = step / substeps as f32;
    if body.kind == BodyKind::Static || !(width > 0.0) {
        return None;
    }
    let (problem, key, value, needed, most) = if stride > LARGEST_STRIDE * width {
        let [moved, own] = [stride, width].map(|value| length(f64::from(value)));
        let problem = format!("{moved} in a sub-step, more than half its width of {own}");
        (
            problem,
            "substeps",
            substeps as f32,
            (step / (LARGEST_STRIDE * width)).ceil(),
            Settings::MAX_SUBSTEPS as f32,
        )
    } else if step > extent {
        let [moved, own] = [step, extent].map(|value| length(f64::from(value)));
        let problem = format!("{moved} in a step, more than its extent of {own}");
        (problem, "hz", settings.hz, (speed / extent).ceil(), Settings::HZ_RANGE.1)
    } else {
        return None;
    };
    let help = if needed <= most {
        format!("raise `world.{key}` from {value} to {needed}, or let it start slower")
    } else {
        "let it start slower, or make it larger".to_owned()
    };
    Some(Finding {
        rule: Rule::Speed,
        about: About::Body(index),
        weight: f64::from(step / width),
        message: format!("`{}` moves {problem}: it may pass through thin bodies", body.id),
        help,
    })
}

/// The sides of the box around a body in its own frame, m.
fn size(world: &World, body: &Body) -> Vec2 {
    let model = &world.model;
    let pieces = model.pieces_of(body).iter();
    let bounds = pieces.fold(Aabb::EMPTY, |all, piece| {
        let points = model.outline(piece).iter().map(|&point| model.rest[point as usize]);
        all.union(Aabb::around(points).grown(piece.radius))
    });
    bounds.size()
}

fn out_of_bounds(scene: &Scene, world: &World, body: &Body, index: usize) -> Option<Finding> {
    let center = world.model.pose(body, &world.state.position).center;
    let Aabb { min, max } = scene.bounds.0;
    // The ground may well reach beyond them.
    if body.kind == BodyKind::Static || scene.bounds.0.contains(center) {
        return None;
    }
    let outside = center.distance(center.clamp(min, max));
    Some(Finding {
        rule: Rule::OutOfBounds,
        about: About::Body(index),
        weight: f64::from(outside),
        message: format!(
            "`{}` starts {} outside the bounds: it counts as escaped",
            body.id,
            length(f64::from(outside))
        ),
        help: format!(
            "the bounds are [{}, {}] to [{}, {}]; widen `bounds` or move it",
            min.x, min.y, max.x, max.y
        ),
    })
}

fn stretched(world: &World, body: &Body, index: usize) -> Option<Finding> {
    let edges = &world.model.edges[body.edges.start as usize..body.edges.end as usize];
    let position = |point: u32| world.state.position[point as usize];
    let stretch = edges.iter().map(|edge| {
        let (length, rest) = (position(edge.a).distance(position(edge.b)), edge.rest);
        // Far from the origin the ends themselves are rounded.
        let rounding = 4.0 * f32::EPSILON * position(edge.a).abs().max_element();
        let excess = ((length - rest).abs() - rounding).max(0.0).copysign(length - rest);
        excess / rest.max(f32::MIN_POSITIVE)
    });
    let worst = stretch.max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
    if !(worst.abs() > LEAST_STRETCH) {
        return None;
    }
    let percent = rounded(100.0 * f64::from(worst.abs()));
    let how = if worst > 0.0 { "longer" } else { "shorter" };
    Some(Finding {
        rule: Rule::Stretched,
        about: About::Body(index),
        weight: f64::from(worst.abs()),
        message: format!("an edge of `{}` starts {percent} % {how} than at rest", body.id),
        help: "it will spring back at the start; give it the length it has, or mean it".into(),
    })
}
