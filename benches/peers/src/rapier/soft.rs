//! Soft bodies of Sinew as soft bodies of Rapier: the same points, masses, edges and triangles.
//!
//! Rapier takes the frequency and the damping ratio of the two masses on an edge, and makes what is too
//! stiff for its sub-steps as stiff as they allow. Where a body collides it keeps the area of each
//! triangle, with Rapier's usual softness, and has a skin: without these two, bodies sink half their
//! size into each other. Sinew keeps triangles from turning inside out, and no more.

use std::f32::consts::TAU;

use rapier2d::dynamics::SpringCoefficients;
use rapier2d::prelude::{ColliderBuilder, PhysicsWorld, SoftBodyBuilder, SoftBodyHandle};
use sinew::{AreaRule, BodyDef, World};

use super::{surface, vector};
use crate::mirror::Mirror;
use crate::peer::Outcome;

/// The frequency of what does not give, Hz: that of Rapier's own joints.
const STIFF: SpringCoefficients<f32> =
    SpringCoefficients { natural_frequency: 1e6, damping_ratio: 1.0 };
/// The distance from a body at which it is touched, m.
const SKIN: f32 = 0.02;

/// Adds the soft body with a number in the scene.
pub fn add(
    world: &mut PhysicsWorld,
    mirror: &Mirror,
    index: usize,
    def: &BodyDef,
) -> Outcome<SoftBodyHandle> {
    let World { model, state } = mirror.world();
    let body = &model.bodies[index];
    let points = body.point_range();
    let local = |point: u32| point - body.points.start;
    let areas = &model.areas[body.areas.start as usize..body.areas.end as usize];
    if areas.iter().any(|area| area.rule != AreaRule::Guard) || !body.bends.is_empty() {
        return Err(format!("`{}` has bends or gas: only edges are compared", def.id).into());
    }
    let edges = &model.edges[body.edges.start as usize..body.edges.end as usize];
    let softness = edges.iter().map(|edge| {
        if edge.compliance == 0.0 {
            return STIFF;
        }
        let inverse: f32 = [edge.a, edge.b].map(|end| model.inv_mass[end as usize]).iter().sum();
        let frequency = (inverse / edge.compliance).sqrt();
        let damping_ratio = 0.5 * edge.damping * inverse / frequency;
        SpringCoefficients { natural_frequency: frequency / TAU, damping_ratio }
    });
    let positions = state.position[points.clone()].iter().map(|&at| vector(at)).collect();
    let held = points.clone().filter(|&point| model.pinned[point]);
    let mut builder = SoftBodyBuilder::new(positions)
        .masses(model.mass[points.clone()].to_vec())
        .pinned_particles(held.map(|point| local(point as u32)))
        .edges(edges.iter().map(|edge| [local(edge.a), local(edge.b)]).collect())
        .can_sleep(false);
    builder.edge_softness = (0..).zip(softness).collect();
    if def.filter.mask == 0 {
        builder = builder.no_surface_collider();
    } else {
        for piece in model.pieces_of(body) {
            let &[a, b, c] = model.outline(piece) else {
                return Err(format!("`{}` is not of triangles: it cannot collide", def.id).into());
            };
            builder.cells.push([a, b, c].map(local));
        }
        // The ball stands for the border of the triangles, which Rapier finds itself.
        builder = builder
            .particle_radius(SKIN)
            .surface_collider(surface(ColliderBuilder::ball(1.0), def)?);
    }
    let handle = world.insert_soft_body(builder);
    if let Some(made) = world.soft_bodies.get_mut(handle) {
        for (k, point) in points.enumerate() {
            made.set_particle_velocity(k, vector(state.velocity[point]));
        }
    }
    Ok(handle)
}
