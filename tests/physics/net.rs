//! A net of discs, each pinned to its neighbours.

use sinew::{BodyDef, JointDef, Scene, Shape, Vec2};

/// So many discs each way, of `radius`, at the places that `at` says for their numbers, row by row. Disc `k` has the
/// name that [`name`] says.
pub(crate) fn net(side: usize, radius: f32, at: impl Fn(usize) -> Vec2) -> Scene {
    let mut scene = Scene::default();
    for k in 0..side * side {
        scene.bodies.push(BodyDef::new(name(k), Shape::Disc { radius }, at(k)));
        let mut pin = |other: usize| {
            let id = format!("pin{}", scene.joints.len());
            let middle = 0.5 * (at(k) + at(other));
            scene.joints.push(JointDef::pin(id, name(other), Some(&name(k)), middle));
        };
        if k % side > 0 {
            pin(k - 1);
        }
        if k >= side {
            pin(k - side);
        }
    }
    scene
}

/// The name of a disc.
pub(crate) fn name(k: usize) -> String {
    format!("disc{k}")
}
