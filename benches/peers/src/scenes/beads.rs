//! What stands in for a soft body on engines that have none: a disc for each point and a rod or a
//! spring for each edge.
//!
//! Masses, lengths, stiffness and damping are the same. What differs is the surface: discs with gaps
//! between them, where Sinew has capsules or triangles; and nothing keeps triangles from turning inside
//! out.

use std::f32::consts::PI;

use sinew::{BodyDef, JointDef, JointKind, Material, Mesh, Scene, Shape, Spring, Vec2};

/// A scene with discs of a radius, m, in place of all its soft bodies.
pub fn of(scene: &Scene, radius: f32) -> Scene {
    let mut beads = Scene { bodies: Vec::new(), ..scene.clone() };
    for body in &scene.bodies {
        match &body.shape {
            Shape::Mesh(mesh) if mesh.soft => string(&mut beads, body, mesh, radius),
            _ => beads.bodies.push(body.clone()),
        }
    }
    beads
}

/// Adds the beads of one body.
fn string(scene: &mut Scene, body: &BodyDef, mesh: &Mesh, radius: f32) {
    let id = |point: u32| format!("{}.{point}", body.id);
    let at = |point: u32| body.position + mesh.points[point as usize].position;
    for (k, point) in (0..).zip(&mesh.points) {
        let density = point.mass / (PI * radius * radius);
        let material = Material { density, ..body.material };
        let bead = BodyDef::new(id(k), Shape::Disc { radius }, at(k));
        let bead = BodyDef { material, filter: body.filter, velocity: body.velocity, ..bead };
        scene.bodies.push(if point.pinned {
            BodyDef { velocity: Vec2::ZERO, ..bead.fixed() }
        } else {
            bead
        });
    }
    let pinned = |point: u32| mesh.points[point as usize].pinned;
    for (k, edge) in mesh.edges.iter().enumerate() {
        if pinned(edge.a) && pinned(edge.b) {
            continue;
        }
        let length = at(edge.a).distance(at(edge.b));
        let spring = (edge.compliance > 0.0)
            .then(|| Spring { stiffness: 1.0 / edge.compliance, damping: edge.damping });
        let kind = JointKind::Distance { least: length, most: length, spring };
        let name = format!("{}.edge.{k}", body.id);
        let rod = JointDef::new(name, kind, id(edge.a), Some(&id(edge.b)), at(edge.a));
        scene.joints.push(JointDef { to: Some(at(edge.b)), ..rod });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::World;
    use sinew::soft::{Cloth, Held};

    #[test]
    fn beads_weigh_what_they_stand_for_and_hang_where_it_does() {
        let cloth = Cloth { hold: Held::Top, cell: Some(0.5), ..Cloth::default() };
        let mesh = cloth.mesh().unwrap();
        let edges = mesh.edges.len();
        let mut scene = Scene::default();
        scene.bodies.push(BodyDef::new("cloth", Shape::Mesh(mesh), Vec2::new(3.0, 4.0)));
        let beads = of(&scene, 0.1);
        let [soft, rigid] = [&scene, &beads].map(|scene| World::build(scene).unwrap());
        let mass = |world: &World| world.model.bodies.iter().map(|body| body.mass).sum::<f32>();
        assert!((mass(&soft) / mass(&rigid) - 1.0).abs() < 1e-4);
        for (k, body) in rigid.model.bodies.iter().enumerate() {
            let center = rigid.model.center(body, &rigid.state.position);
            assert!(center.distance(soft.state.position[k]) < 1e-5, "{}", body.id);
            assert_eq!(body.is_dynamic(), !soft.model.pinned[k], "{}", body.id);
        }
        // Four edges of the border that is held are between held points.
        assert_eq!(beads.joints.len(), edges - 4);
    }
}
