//! What joints look like where they are more than a point: cords of tethers and pulleys, rods, coils.
//!
//! They are drawn behind the bodies that they hold. A pin or a slider is not drawn: it is inside.

use crate::math::Vec2;
use crate::scene::JointKind;
use crate::view::camera::Camera;
use crate::view::color::{Color, INK};
use crate::view::geometry::Geometry;
use crate::world::{Joint, World};

const CORD: Color = Color::hex(0x8d_76_52);
const FLESH: Color = Color::hex(0xb8_4a_48);
const METAL: Color = Color::hex(0x8a_93_9d);

/// Draws the joints of a world that can be seen.
pub(crate) fn joints(geometry: &mut Geometry, camera: &Camera, world: &World, positions: &[Vec2]) {
    for joint in &world.model.joints {
        one(geometry, camera, joint, positions);
    }
}

fn one(geometry: &mut Geometry, camera: &Camera, joint: &Joint, positions: &[Vec2]) {
    let width = (0.05 * camera.scale()).clamp(1.4, 4.0);
    let on_screen = |place: Vec2| camera.to_screen(place);
    let a = on_screen(joint.a.sample(positions));
    let b = on_screen(joint.b.position(positions));
    match joint.kind {
        // Drawn over the bodies: it may run inside one.
        JointKind::Distance { .. } if joint.is_muscle() => {}
        JointKind::Distance { spring: Some(_), .. } => coil(geometry, a, b, width),
        JointKind::Distance { least: 0.0, most, .. } => {
            // What hangs through is as long as it is: a parabola of that length, nearly.
            let (straight, whole) = (a.distance(b), most * camera.scale());
            let slack = (0.375 * straight.max(1.0) * (whole - straight).max(0.0)).sqrt();
            let slack = slack.min(0.5 * whole);
            let path: Vec<Vec2> = (0..=16)
                .map(|i| {
                    let t = i as f32 / 16.0;
                    a.lerp(b, t) + Vec2::new(0.0, 4.0 * t * (1.0 - t) * slack)
                })
                .collect();
            cord(geometry, &path, width);
        }
        JointKind::Distance { .. } => {
            for (width, color) in [(width, INK.with_alpha(0.8)), (0.6 * width, METAL)] {
                geometry.capsule(a, b, 0.5 * width, color);
            }
        }
        JointKind::Pulley { over, .. } => {
            let over = over.map(on_screen);
            cord(geometry, &[a, over[0], over[1], b], width);
            let radius = 2.2 * width;
            for wheel in over {
                geometry.disc(wheel, radius, INK);
                geometry.disc(wheel, radius - 1.2, METAL);
                geometry.disc(wheel, 0.3 * radius, INK);
            }
        }
        _ => {}
    }
}

/// Draws the muscles of a world, thicker the shorter they are.
pub(crate) fn muscles(geometry: &mut Geometry, camera: &Camera, world: &World, positions: &[Vec2]) {
    for joint in world.model.joints.iter().filter(|joint| joint.is_muscle()) {
        let [a, b] = [joint.a.sample(positions), joint.b.position(positions)];
        let [a, b] = [a, b].map(|place| camera.to_screen(place));
        let width = (0.06 * camera.scale()).clamp(1.6, 7.0);
        let middle = 0.5 * (a + b);
        let thick = (0.22 * a.distance(b)).clamp(0.5 * width, 1.3 * width);
        for (grown, color) in [(1.0, FLESH.darker(0.5)), (0.0, FLESH)] {
            geometry.capsule(a, b, 0.3 * width + grown, color);
            geometry.capsule(a.lerp(middle, 0.5), b.lerp(middle, 0.5), 0.5 * thick + grown, color);
        }
    }
}

fn cord(geometry: &mut Geometry, path: &[Vec2], width: f32) {
    geometry.stroke(path, false, width, CORD.darker(0.5));
    geometry.stroke(path, false, 0.55 * width, CORD);
}

/// A coil spring: a zigzag between two straight ends, as wide whatever its length.
fn coil(geometry: &mut Geometry, a: Vec2, b: Vec2, width: f32) {
    const TURNS: usize = 14;
    let along = b - a;
    let side = 2.4 * width * along.perp().normalize_or_zero();
    let mut path = vec![a];
    for i in 0..=TURNS {
        let t = 0.12 + 0.76 * i as f32 / TURNS as f32;
        let out = match i {
            0 | TURNS => 0.0,
            i if i % 2 == 0 => 1.0,
            _ => -1.0,
        };
        path.push(a + t * along + out * side);
    }
    path.push(b);
    geometry.stroke(&path, false, 0.8 * width + 1.2, INK.with_alpha(0.8));
    geometry.stroke(&path, false, 0.8 * width - 0.4, METAL);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, JointDef, Scene, Shape, Spring, View};

    /// Cords, coils and pulleys are drawn wherever their ends are, pins not at all.
    #[test]
    fn what_spans_a_distance_is_drawn() {
        let spring = Spring { stiffness: 1.0, damping: 0.0 };
        let kinds = [
            (JointKind::Distance { least: 0.0, most: 3.0, spring: None }, true),
            (JointKind::Distance { least: 1.0, most: 1.0, spring: None }, true),
            (JointKind::Distance { least: 1.0, most: 1.0, spring: Some(spring) }, true),
            (JointKind::Pulley { over: [Vec2::Y, Vec2::ONE], ratio: 1.0 }, true),
            (JointKind::Pin { limit: None }, false),
        ];
        let camera = Camera::new(View::default(), Vec2::new(800.0, 600.0), Vec2::ZERO);
        for (kind, drawn) in kinds {
            for to in [Vec2::new(2.0, 1.0), Vec2::ZERO] {
                let mut scene = Scene::default();
                for id in ["a", "b"] {
                    let shape = Shape::Box { size: Vec2::ONE };
                    scene.bodies.push(BodyDef::new(id, shape, Vec2::ZERO));
                }
                let def = JointDef::new("j", kind, "a", Some("b"), Vec2::ZERO);
                let to = drawn.then_some(to);
                scene.joints.push(JointDef { to, ..def });
                let world = World::build(&scene).unwrap();
                let mut geometry = Geometry::default();
                joints(&mut geometry, &camera, &world, &world.state.position);
                let corners = geometry.batches().iter().flat_map(|batch| &batch.vertices);
                assert_eq!(corners.clone().count() > 0, drawn, "{kind:?}");
                assert!(corners.into_iter().all(|corner| corner.position.is_finite()), "{kind:?}");
            }
        }
    }
}
