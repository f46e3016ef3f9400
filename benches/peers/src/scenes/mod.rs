//! Large scenes that are timed.
//!
//! The first nine are Box2D's own benchmarks with their sizes, places and figures
//! (`shared/benchmarks.c` of Box2D, by Erin Catto), built anew as scenes of Sinew. Where one differs
//! from the original, [`Case::about`] says so. The others are what Sinew is made for.
//!
//! | file | job |
//! |---|---|
//! | `piles.rs` | pyramids, a net of discs, a wall that is smashed |
//! | `drums.rs` | bodies in what turns: tumbler, washer, spinner |
//! | `people.rs` | ragdolls |
//! | `soft.rs` | cloth, ropes, jellies |
//! | `beads.rs` | what stands in for soft bodies on engines that have none |

mod beads;
mod drums;
mod people;
mod piles;
mod soft;

use sinew::{Aabb, BodyDef, Bounds, Material, Scene, Settings, Shape, Vec2};

use crate::peer::Outcome;

/// A scene to be timed.
pub struct Case {
    /// What it is called on the command line.
    pub name: &'static str,
    /// What is in it, and where it differs from the original.
    pub about: &'static str,
    /// Steps of a run.
    pub steps: u32,
    /// Whether it is to stand as it is built, so that what falls tells of the solver.
    pub stands: bool,
    /// Builds it.
    pub build: fn() -> Outcome<Setup>,
}

/// A scene, and what stands in for its soft bodies.
pub struct Setup {
    /// The scene.
    pub scene: Scene,
    /// The same without soft bodies, if it has any.
    pub beads: Option<Scene>,
}

/// All scenes, in order of tables.
pub const ALL: [Case; 12] = [
    piles::LARGE_PYRAMID,
    piles::MANY_PYRAMIDS,
    piles::JOINT_GRID,
    piles::SMASH,
    drums::TUMBLER,
    drums::WASHER,
    drums::SPINNER,
    people::RAIN,
    people::RAGDOLLS,
    soft::CLOTH,
    soft::ROPES,
    soft::JELLIES,
];

impl From<Scene> for Setup {
    fn from(scene: Scene) -> Self {
        Self { scene, beads: None }
    }
}

/// A scene without anything in it: Box2D's gravity, 60 Hz, no sleep. What leaves the box has escaped.
fn empty(name: &str, min: (f32, f32), max: (f32, f32)) -> Scene {
    Scene {
        name: name.to_owned(),
        settings: Settings { gravity: Vec2::new(0.0, -10.0), sleep: false, ..Settings::default() },
        bounds: Bounds(Aabb { min: min.into(), max: max.into() }),
        ..Scene::default()
    }
}

/// What things are made of in Box2D unless something else is said.
const PLAIN: Material = Material::new(1.0, 0.6, 0.0);

/// A body of that.
fn body(id: impl Into<String>, shape: Shape, at: Vec2) -> BodyDef {
    BodyDef { material: PLAIN, ..BodyDef::new(id, shape, at) }
}

/// An upright box that never moves.
fn wall(id: impl Into<String>, size: Vec2, at: Vec2) -> BodyDef {
    body(id, Shape::Box { size }, at).fixed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::tests::assert_start;
    use crate::peer;
    use sinew::BodyKind;

    #[test]
    fn scenes_have_the_bodies_and_joints_that_they_should() {
        let count = |case: &Case| {
            let scene = (case.build)().unwrap().scene;
            let moving = scene.bodies.iter().filter(|body| body.kind == BodyKind::Dynamic).count();
            (moving, scene.joints.len())
        };
        let counts: Vec<_> = ALL.iter().map(|case| (case.name, count(case))).collect();
        assert_eq!(
            counts,
            [
                ("large_pyramid", (5050, 0)),
                ("many_pyramids", (22_000, 0)),
                // Nails in a row are not pinned to each other.
                ("joint_grid", (9993, 19_794)),
                ("smash", (9601, 0)),
                ("tumbler", (2025, 0)),
                ("washer", (8100, 0)),
                ("spinner", (6076, 0)),
                ("rain", (11_000, 10_000)),
                ("ragdolls", (5500, 5000)),
                ("cloth", (1, 0)),
                ("ropes", (1000, 0)),
                ("jellies", (200, 0)),
            ]
        );
    }

    /// All engines begin with the same world: what each says of its bodies is where Sinew has them.
    #[test]
    fn every_engine_begins_every_scene_alike() {
        for case in &ALL {
            let setup = (case.build)().unwrap();
            for entrant in &peer::SPEED {
                let beads = setup.beads.as_ref().filter(|_| !entrant.soft);
                let scene = beads.unwrap_or(&setup.scene);
                assert_start(scene, &mut *(entrant.build)(scene, 1).unwrap());
            }
        }
    }
}
