//! How hard a soft body is for the sub-steps it is solved in.

use super::pattern::springs;
use crate::math::Vec2;
use crate::solver::soft;
use crate::world::{AreaRule, Body, Model, State};

/// How much faster than sub-steps the hardest edge, bend or area of a body would swing, squared: its mobility times the
/// stiffness `h²·k`, `h·(h·k + d)` with damping, where springs act for `time` seconds. Infinite where any is stiff.
pub(crate) fn hardness(model: &Model, state: &State, body: &Body, time: f32) -> f32 {
    let inv_mass = |point: u32| model.inv_mass[point as usize];
    let hard = |compliance: f32, damping: f32, mobility: f32| {
        let give = compliance / (time * (damping * compliance + time));
        // What cannot move has no use for a spring, however hard.
        if mobility > 0.0 { mobility / give } else { 0.0 }
    };
    let edges = model.edges[body.edges.start as usize..body.edges.end as usize].iter();
    let edges =
        edges.map(|edge| hard(edge.compliance, edge.damping, inv_mass(edge.a) + inv_mass(edge.b)));
    let bends = model.bends[body.bends.start as usize..body.bends.end as usize].iter();
    let bends = bends.map(|bend| {
        let (_, slopes) = soft::bend(bend, &state.position);
        let each = bend.points.into_iter().zip(slopes);
        let mobility = each.map(|(point, slope)| inv_mass(point) * slope.length_squared()).sum();
        hard(bend.compliance, bend.damping, mobility)
    });
    let areas = springs(model, body).map(|area| {
        let outline = model.area_outline(area);
        let slope = |k: usize| soft::area_gradient(outline, k, &state.position);
        let each = outline.iter().enumerate();
        let mobility =
            each.map(|(k, &point)| inv_mass(point) * Vec2::length_squared(slope(k))).sum();
        let AreaRule::Spring { compliance } = area.rule else { return 0.0 };
        hard(compliance, 0.0, mobility)
    });
    edges.chain(bends).chain(areas).fold(0.0, f32::max)
}
