//! Random worlds: whatever is built runs, stays finite, and is the same twice.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sinew::{
    AngleLimit, BodyDef, BodyKind, JointDef, JointKind, Mesh, MeshEdge, MeshPoint, Scene, Shape,
    Sim, SolverKind, Vec2,
};

fn shape() -> impl Strategy<Value = Shape> {
    let size = 0.02_f32..2.0;
    prop_oneof![
        (size.clone(), size.clone()).prop_map(|(w, h)| Shape::Box { size: Vec2::new(w, h) }),
        size.clone().prop_map(|radius| Shape::Disc { radius }),
        (size.clone(), 0.02_f32..0.5)
            .prop_map(|(length, radius)| Shape::Capsule { length, radius }),
        (3..12_usize, size.clone(), 0.0_f32..6.0).prop_map(|(count, radius, turn)| {
            let corner = |i: usize| {
                let angle = turn + std::f32::consts::TAU * i as f32 / count as f32;
                radius * Vec2::from_angle(angle)
            };
            Shape::Polygon { vertices: (0..count).map(corner).collect() }
        }),
        (2..6_u32, 2..4_u32, 0.0_f32..1e-3, any::<bool>())
            .prop_map(|(columns, rows, compliance, soft)| lattice(columns, rows, compliance, soft)),
    ]
}

/// A grid of points with braced cells.
fn lattice(columns: u32, rows: u32, compliance: f32, soft: bool) -> Shape {
    let points = (0..rows * columns).map(|i| MeshPoint {
        position: 0.3 * Vec2::new((i % columns) as f32, (i / columns) as f32),
        mass: 5.0,
        pinned: false,
    });
    let mut mesh = Mesh { points: points.collect(), soft, radius: 0.02, ..Mesh::default() };
    for y in 0..rows - 1 {
        for x in 0..columns - 1 {
            let corner = y * columns + x;
            let cell = [corner, corner + 1, corner + columns + 1, corner + columns];
            for (i, j) in [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)] {
                let (a, b) = (cell[i], cell[j]);
                mesh.edges.push(MeshEdge { a, b, compliance, damping: 0.0 });
            }
            mesh.pieces.push(cell.to_vec());
        }
    }
    Shape::Mesh(mesh)
}

prop_compose! {
    fn body()(
        shape in shape(),
        x in -4.0_f32..4.0, y in -2.0_f32..6.0, angle in -7.0_f32..7.0,
        vx in -20.0_f32..20.0, vy in -20.0_f32..20.0, spin in -20.0_f32..20.0,
        density in 10.0_f32..5000.0, friction in 0.0_f32..2.0, restitution in 0.0_f32..=1.0,
        kind in prop_oneof![8 => Just(BodyKind::Dynamic), 1 => Just(BodyKind::Static), 1 => Just(BodyKind::Kinematic)],
    ) -> BodyDef {
        let mut def = BodyDef::new("", shape, Vec2::new(x, y));
        def.kind = kind;
        def.angle = angle;
        def.velocity = Vec2::new(vx, vy);
        def.spin = spin;
        def.material.density = density;
        def.material.friction = friction;
        def.material.restitution = restitution;
        def
    }
}

prop_compose! {
    fn world()(
        bodies in prop::collection::vec(body(), 1..12),
        joints in prop::collection::vec((0..12_usize, 0..12_usize, -2.0_f32..2.0, any::<bool>()), 0..6),
        gravity in prop_oneof![Just(0.0_f32), Just(9.81)],
    ) -> Scene {
        let mut scene = Scene::default();
        scene.settings.gravity = Vec2::new(0.0, -gravity);
        let count = bodies.len();
        scene.bodies = bodies
            .into_iter()
            .enumerate()
            .map(|(i, def)| BodyDef { id: format!("b{i}"), ..def })
            .collect();
        for (i, (a, b, offset, limited)) in joints.into_iter().enumerate() {
            let (a, b) = (a % count, b % count);
            if a != b {
                let at = scene.bodies[a].position + Vec2::new(offset, 0.3);
                // A soft body can be held only near it, and a pin metres off the axis of a spinning
                // kinematic body is a whip that no step follows.
                let soft = |k: usize| matches!(&scene.bodies[k].shape, Shape::Mesh(mesh) if mesh.soft);
                let driven = |k: usize| scene.bodies[k].kind == BodyKind::Kinematic;
                if soft(a) || soft(b) || driven(a) || driven(b) {
                    continue;
                }
                let other = format!("b{b}");
                let mut joint = JointDef::pin(format!("j{i}"), format!("b{a}"), Some(&other), at);
                let limit = limited.then_some(AngleLimit { lower: -0.5, upper: 0.7 });
                joint.kind = JointKind::Pin { limit };
                scene.joints.push(joint);
            }
        }
        scene
    }
}

/// The same worlds on every run, so that the test says the same every time. `PROPTEST_RNG_SEED` and
/// `PROPTEST_CASES` make it look at others, and at more.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    let rng_seed = match default.rng_seed {
        RngSeed::Random => RngSeed::Fixed(20_260_101),
        chosen @ RngSeed::Fixed(_) => chosen,
    };
    ProptestConfig { failure_persistence: None, rng_seed, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn any_world_runs_and_runs_the_same_twice(scene in world()) {
        for solver in SolverKind::ALL {
            let mut scene = scene.clone();
            scene.settings.solver = solver;
            let hashes = [0, 1].map(|_| {
                let mut sim = Sim::new(&scene).unwrap();
                for _ in 0..60 {
                    sim.step().unwrap();
                }
                sim.world().state.hash()
            });
            prop_assert_eq!(hashes[0], hashes[1]);
        }
    }

    #[test]
    fn momentum_is_kept_where_nothing_acts_from_outside(scene in world()) {
        for solver in SolverKind::ALL {
            let mut scene = scene.clone();
            scene.settings.solver = solver;
            scene.settings.gravity = Vec2::ZERO;
            for body in &mut scene.bodies {
                body.kind = BodyKind::Dynamic;
            }
            let mut sim = Sim::new(&scene).unwrap();
            let momentum = |sim: &Sim| {
                let (model, state) = (&sim.world().model, &sim.world().state);
                let each = model.mass.iter().zip(&state.velocity);
                each.map(|(&m, v)| f64::from(m) * v.as_dvec2()).sum::<sinew::glam::DVec2>()
            };
            // Rounding is a part of what the points carry and hand to each other, spins and all.
            let carried = |sim: &Sim| {
                let (model, state) = (&sim.world().model, &sim.world().state);
                let each = model.mass.iter().zip(&state.velocity);
                each.map(|(&m, v)| f64::from(m * v.length())).sum::<f64>()
            };
            let (before, mut scale) = (momentum(&sim), carried(&sim).max(1.0));
            for _ in 0..60 {
                sim.step().unwrap();
                scale = scale.max(carried(&sim));
            }
            let drift = (momentum(&sim) - before).length() / scale;
            prop_assert!(drift < 1e-4, "{}: {:.2e}", solver, drift);
        }
    }
}
