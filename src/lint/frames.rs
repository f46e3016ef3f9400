//! Frames that give way: meshes with vertices that can move without any edge changing its length.
//!
//! Rigid bodies are braced when they are built, if they are small enough; large ones, and lattices of
//! soft bodies, are as their author made them. What holds is counted by the pebble game
//! (`outline/rigid.rs`); a vertex all of whose edges lie on one line gives way across it though the count
//! is right. Lines and sheets, and what an area or a bend holds, are meant to give.

use super::{About, Finding, MOST_FINDINGS, Rule};
use crate::math::{Vec2, cross};
use crate::outline;
use crate::scene::{Mesh, Scene, Shape};
use crate::world::{Body, World};

/// Meshes of more points are left alone: the count takes time that grows with their square.
const MOST_POINTS: usize = 3000;
/// A vertex all of whose edges lie within this sine of one line gives way across it.
const LEAST_SINE: f32 = 0.01;
/// Of more vertices or edges than this only the first are named.
const MOST_NAMED: usize = 6;

pub(super) fn examine(scene: &Scene, world: &World, found: &mut Vec<Finding>) {
    for (index, (def, body)) in scene.bodies.iter().zip(&world.model.bodies).enumerate() {
        if found.len() >= MOST_FINDINGS {
            return;
        }
        if let Shape::Mesh(mesh) = &def.shape
            && body.is_dynamic()
            && mesh.points.len() <= MOST_POINTS
        {
            found.extend(under_braced(world, body, mesh, index));
        }
    }
}

fn under_braced(world: &World, body: &Body, mesh: &Mesh, index: usize) -> Option<Finding> {
    let points: Vec<Vec2> = mesh.points.iter().map(|point| point.position).collect();
    let asked = vertices_that_hold_shape(mesh);
    if !asked.contains(&true) {
        return None;
    }
    // The edges as they were built, braces and all.
    let built = &world.model.edges[body.edges.start as usize..body.edges.end as usize];
    let own = |point: u32| point - body.points.start;
    let mut edges: Vec<(u32, u32)> = built.iter().map(|edge| (own(edge.a), own(edge.b))).collect();
    let given = edges.len();
    edges.extend(between_pinned(mesh));
    let mut loose = vec![false; points.len()];
    for point in outline::loose_points(points.len(), &edges) {
        loose[point as usize] = true;
    }
    for point in on_a_line(&points, &edges) {
        loose[point as usize] = true;
    }
    let named: Vec<u32> =
        (0..points.len() as u32).filter(|&i| loose[i as usize] && asked[i as usize]).collect();
    if named.is_empty() {
        return None;
    }
    let one = named.len() == 1;
    let missing = outline::missing_edges(&points, &edges);
    let help = if missing.is_empty() || given == 0 {
        "give each of them edges to two others that do not lie on one line with it".to_owned()
    } else {
        let pairs = listed(missing.iter().map(|(a, b)| format!("{a}–{b}")));
        format!("add the edge{} {pairs}", if missing.len() == 1 { "" } else { "s" })
    };
    Some(Finding {
        rule: Rule::UnderBraced,
        about: About::Body(index),
        weight: named.len() as f64,
        message: format!(
            "`{}` is not braced at vert{} {}: {} can move without any edge changing its length",
            body.id,
            if one { "ex" } else { "ices" },
            listed(named.iter().map(u32::to_string)),
            if one { "it" } else { "they" },
        ),
        help,
    })
}

/// Which vertices of a mesh are meant to keep their places in it: all of a rigid one, and of a soft
/// one those of its solid pieces, unless areas or bends hold them.
fn vertices_that_hold_shape(mesh: &Mesh) -> Vec<bool> {
    if !mesh.soft {
        return vec![mesh.points.len() > 1; mesh.points.len()];
    }
    let mut asked = vec![false; mesh.points.len()];
    if mesh.areas.is_empty() && mesh.bends.is_empty() {
        for &point in mesh.pieces.iter().filter(|piece| piece.len() >= 3).flatten() {
            asked[point as usize] = true;
        }
    }
    asked
}

/// Edges that stand for the world, which holds pinned points to each other.
fn between_pinned(mesh: &Mesh) -> Vec<(u32, u32)> {
    let pinned = (0..mesh.points.len() as u32).filter(|&i| mesh.points[i as usize].pinned);
    let pinned: Vec<u32> = pinned.collect();
    let [first, second, others @ ..] = &pinned[..] else { return Vec::new() };
    let held = others.iter().flat_map(|&other| [(*first, other), (*second, other)]);
    [(*first, *second)].into_iter().chain(held).collect()
}

/// The points all of whose edges lie on one line.
fn on_a_line(points: &[Vec2], edges: &[(u32, u32)]) -> Vec<u32> {
    let mut first = vec![Vec2::ZERO; points.len()];
    let mut held = vec![false; points.len()];
    for &(a, b) in edges {
        let along = (points[b as usize] - points[a as usize]).normalize_or_zero();
        for end in [a, b].map(|end| end as usize) {
            if first[end] == Vec2::ZERO {
                first[end] = along;
            }
            held[end] |= cross(first[end], along).abs() > LEAST_SINE;
        }
    }
    (0..points.len() as u32).filter(|&i| !held[i as usize]).collect()
}

/// The first few of a list in words.
fn listed(all: impl Iterator<Item = String>) -> String {
    let all: Vec<String> = all.collect();
    match &all[..] {
        [] => String::new(),
        [only] => only.clone(),
        [before @ .., last] if all.len() <= MOST_NAMED => {
            format!("{} and {last}", before.join(", "))
        }
        _ => format!("{} and {} more", all[..MOST_NAMED].join(", "), all.len() - MOST_NAMED),
    }
}
