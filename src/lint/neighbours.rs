//! Pairs of bodies at the start: inside each other, or far apart in mass while in touch or joined.
//!
//! Depths come from the separating-axis test of the metrics, which shares no code with any solver:
//! what the linter calls an overlap is what `max_penetration_m` would measure before the first
//! step. Iterative solvers pass a load up a chain of contacts a little in each round; with a heavy
//! body on a light one most of the load is still missing when the rounds are over, and the light
//! one is squeezed. A ratio of 100 is where that begins to show. Joints of bodies that unequal are
//! solved together instead, and hold a ratio of 1000 (`tests/physics/loads.rs`).

use std::collections::BTreeMap;

use glam::DVec2;

use super::{About, Finding, MOST_FINDINGS, Rule, length, rounded};
use crate::math::{Aabb, Vec2};
use crate::metrics::overlap_depth;
use crate::scene::JointKind;
use crate::world::{Model, Piece, World};

/// Overlaps up to this are a matter of rounding, m.
const LEAST_DEPTH: f64 = 1e-3;
/// Bodies this close are in touch, m.
const TOUCH: f64 = 5e-3;
/// The largest ratio of masses that goes without a warning: of bodies in touch, and of joined ones.
const LARGEST_RATIO: f64 = 100.0;
const LARGEST_JOINED: f64 = 1000.0;
/// The most pairs of boxes that are compared, and of outlines that are tested.
const MOST_COMPARED: usize = 50_000_000;
const MOST_TESTED: usize = 300_000;

pub(super) fn examine(world: &World, found: &mut Vec<Finding>) {
    let model = &world.model;
    let touching = touching(world);
    let overlapping = touching.iter().filter(|&(_, &depth)| depth > LEAST_DEPTH);
    for (&(a, b), &depth) in overlapping.take(MOST_FINDINGS) {
        let (first, second) = (&model.bodies[a as usize].id, &model.bodies[b as usize].id);
        found.push(Finding {
            rule: Rule::Overlap,
            about: About::Body(b as usize),
            weight: depth,
            message: format!("`{second}` starts {} inside `{first}`", length(depth)),
            help: "move them apart, or keep them from colliding with `filter` if that is meant"
                .into(),
        });
    }
    for &(a, b) in touching.keys() {
        mass_ratio(model, [a, b], About::Body(b as usize), ("touches", LARGEST_RATIO), found);
    }
    for (index, joint) in model.joints.iter().enumerate() {
        // A spring gives instead of passing on what it cannot carry in one round.
        let gives =
            joint.is_muscle() || matches!(joint.kind, JointKind::Distance { spring: Some(_), .. });
        if let Some(b) = joint.b.body().filter(|_| !gives) {
            let how = ("is joined to", LARGEST_JOINED);
            mass_ratio(model, [joint.body_a, b], About::Joint(index), how, found);
        }
    }
}

/// The pairs of bodies in touch, in order, with the depth of their deepest overlap, m.
///
/// Boxes are sorted along the axis on which they are spread out more; each is compared with those
/// that begin before it ends. Where very many lie on one spot, that never ends: then only some of
/// the pairs are looked at.
fn touching(world: &World) -> BTreeMap<(u32, u32), f64> {
    let model = &world.model;
    let bounds = |piece| world.piece_bounds(piece).grown(0.5 * TOUCH as f32);
    let mut boxes: Vec<(Aabb, &Piece)> =
        model.pieces.iter().map(|piece| (bounds(piece), piece)).collect();
    let axis = wide_axis(boxes.iter().map(|(bounds, _)| bounds.center()));
    boxes.sort_by(|(a, _), (b, _)| a.min[axis].total_cmp(&b.min[axis]));
    let (mut compared, mut tested) = (0, 0);
    let mut touching = BTreeMap::new();
    'all: for (i, (bounds_a, a)) in boxes.iter().enumerate() {
        let reached = boxes[i + 1..].iter().take_while(|(b, _)| b.min[axis] <= bounds_a.max[axis]);
        for (bounds_b, b) in reached {
            compared += 1;
            if compared > MOST_COMPARED || tested > MOST_TESTED {
                break 'all;
            }
            if !bounds_a.overlaps(*bounds_b) || !model.may_collide(a.body, b.body) {
                continue;
            }
            // A rope may be held inside the ceiling it hangs from: what is held stays there.
            if held(model, a, b) || held(model, b, a) {
                continue;
            }
            tested += 1;
            let (outline_a, outline_b) = (outline(world, a), outline(world, b));
            let (radius_a, radius_b) = (f64::from(a.radius), f64::from(b.radius));
            let depth = overlap_depth(&outline_a, radius_a, &outline_b, radius_b);
            if depth > -TOUCH {
                let pair = (a.body.min(b.body), a.body.max(b.body));
                let deepest = touching.entry(pair).or_insert(depth);
                *deepest = deepest.max(depth);
            }
        }
    }
    touching
}

/// The axis (0 or 1) along which points vary more.
fn wide_axis(points: impl Iterator<Item = Vec2> + Clone) -> usize {
    let count = points.clone().count().max(1) as f64;
    let mean = points.clone().map(Vec2::as_dvec2).sum::<DVec2>() / count;
    let spread: DVec2 = points.map(|point| (point.as_dvec2() - mean).powf(2.0)).sum();
    usize::from(spread.y > spread.x)
}

/// Whether a piece of a body that moves is held in place beside one that does not.
fn held(model: &Model, piece: &Piece, other: &Piece) -> bool {
    !model.bodies[other.body as usize].is_dynamic()
        && model.outline(piece).iter().any(|&point| model.pinned[point as usize])
}

fn outline(world: &World, piece: &Piece) -> Vec<DVec2> {
    let points = world.model.outline(piece).iter();
    points.map(|&point| world.state.position[point as usize].as_dvec2()).collect()
}

fn mass_ratio(
    model: &Model,
    pair: [u32; 2],
    about: About,
    (how, most): (&str, f64),
    found: &mut Vec<Finding>,
) {
    let [a, b] = pair.map(|body| &model.bodies[body as usize]);
    if !(a.is_dynamic() && b.is_dynamic()) {
        return;
    }
    let (heavy, light) = if a.mass >= b.mass { (a, b) } else { (b, a) };
    let ratio = f64::from(heavy.mass) / f64::from(light.mass);
    if !(ratio <= most) && found.len() < MOST_FINDINGS {
        let (heavy_mass, light_mass) = (f64::from(heavy.mass), f64::from(light.mass));
        found.push(Finding {
            rule: Rule::MassRatio,
            about,
            weight: ratio,
            message: format!(
                "`{}` ({} kg) {how} `{}` ({} kg), which is {} times lighter",
                heavy.id,
                rounded(heavy_mass),
                light.id,
                rounded(light_mass),
                rounded(ratio)
            ),
            help: format!(
                "keep neighbours within a factor of {most} by size or density, or raise \
                 `world.substeps`"
            ),
        });
    }
}
