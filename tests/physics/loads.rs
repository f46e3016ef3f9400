//! Heavy loads on light ropes and chains: a thousand times the mass of a link, on all solvers, at
//! their usual sub-steps, at few and at many.

use sinew::{
    BodyDef, JointDef, Mesh, MeshEdge, MeshPoint, Overrides, Scene, Shape, Sim, SolverKind,
    Strength, Vec2,
};

const LINKS: u32 = 20;
const LENGTH: f32 = 0.1;
const LINK_MASS: f32 = 0.01;

/// A rope of points and stiff edges, horizontal at first, held at its left end.
fn rope(load: f32) -> Scene {
    let point = |i: u32| MeshPoint {
        position: Vec2::new(LENGTH * i as f32, 0.0),
        mass: if i == LINKS { load * LINK_MASS } else { LINK_MASS },
        pinned: i == 0,
    };
    let mesh = Mesh {
        points: (0..=LINKS).map(point).collect(),
        edges: (0..LINKS).map(|i| MeshEdge::stiff(i, i + 1)).collect(),
        areas: Vec::new(),
        bends: Vec::new(),
        pieces: (0..LINKS).map(|i| vec![i, i + 1]).collect(),
        radius: 0.02,
        soft: true,
        strength: Strength::default(),
        self_collision: false,
    };
    let mut scene = Scene::default();
    scene.bodies.push(BodyDef::new("rope", Shape::Mesh(mesh), Vec2::ZERO));
    scene
}

/// A chain of rigid links, horizontal at first, held at its left end, with a ball at the other.
fn chain(load: f32) -> Scene {
    let mut scene = Scene::default();
    let id = |i: u32| if i == LINKS { "ball".to_owned() } else { format!("link.{i}") };
    for i in 0..LINKS {
        let shape = Shape::Box { size: Vec2::new(LENGTH, 0.02) };
        let place = Vec2::new(LENGTH * (i as f32 + 0.5), 0.0);
        scene.bodies.push(BodyDef::new(id(i), shape, place));
    }
    let radius: f32 = 0.2;
    let end = LENGTH * LINKS as f32;
    let mut ball = BodyDef::new("ball", Shape::Disc { radius }, Vec2::new(end + radius, 0.0));
    let link = scene.bodies[0].material.density * LENGTH * 0.02;
    ball.material.density = load * link / (std::f32::consts::PI * radius * radius);
    scene.bodies.push(ball);
    scene.joints.push(JointDef::pin("hook", id(0), None, Vec2::ZERO));
    for i in 1..=LINKS {
        let at = Vec2::new(LENGTH * i as f32, 0.0);
        scene.joints.push(JointDef::pin(format!("pin.{i}"), id(i - 1), Some(&id(i)), at));
    }
    scene
}

/// Lets it swing for 5 s; returns the largest strain of a link on the way, and the energy at the end
/// over the one it could lose, with that at the start as 0.
fn swing(
    mut scene: Scene,
    solver: SolverKind,
    substeps: Option<u32>,
    strain: impl Fn(&Sim) -> f32,
) -> (f32, f32) {
    let overrides = Overrides { solver: Some(solver), substeps, ..Overrides::default() };
    scene.settings = overrides.apply(scene.settings);
    let mut sim = Sim::new(&scene).unwrap();
    let energy = |sim: &Sim| -> f32 {
        let (model, state) = (&sim.world().model, &sim.world().state);
        (0..model.point_count())
            .filter(|&i| model.inv_mass[i] > 0.0)
            .map(|i| {
                let (height, speed) = (state.position[i].y, state.velocity[i].length());
                model.mass[i] * (0.5 * speed * speed + 9.81 * height)
            })
            .sum()
    };
    let total: f32 = sim.world().model.mass.iter().sum();
    let (start, mut worst) = (energy(&sim), 0.0_f32);
    for _ in 0..300 {
        sim.step().unwrap();
        worst = worst.max(strain(&sim));
    }
    (worst, (energy(&sim) - start) / (total * 9.81 * LENGTH * LINKS as f32))
}

/// The largest strain of an edge.
fn edge_strain(sim: &Sim) -> f32 {
    let at = &sim.world().state.position;
    let strain = |pair: &[Vec2]| (pair[0].distance(pair[1]) / LENGTH - 1.0).abs();
    at.windows(2).map(strain).fold(0.0, f32::max)
}

/// The widest open joint, by the length of a link.
fn joint_strain(sim: &Sim) -> f32 {
    let (model, state) = (&sim.world().model, &sim.world().state);
    let open = model
        .joints
        .iter()
        .map(|joint| joint.a.sample(&state.position).distance(joint.b.position(&state.position)));
    open.fold(0.0, f32::max) / LENGTH
}

#[test]
fn a_rope_holds_a_thousand_times_its_links() {
    for solver in SolverKind::ALL {
        for substeps in [None, Some(4), Some(20)] {
            let (worst, energy) = swing(rope(1000.0), solver, substeps, edge_strain);
            println!("{solver} {substeps:?}: strain {:.4} %, energy {energy:.4}", 100.0 * worst);
            assert!(worst < 0.002, "{solver} {substeps:?}: strain {worst}");
            assert!(energy.abs() < 0.1, "{solver} {substeps:?}: energy {energy}");
        }
    }
}

#[test]
fn a_chain_holds_a_thousand_times_its_links() {
    for solver in SolverKind::ALL {
        for substeps in [None, Some(4), Some(20)] {
            let (worst, energy) = swing(chain(1000.0), solver, substeps, joint_strain);
            println!("{solver} {substeps:?}: open {:.4} %, energy {energy:.4}", 100.0 * worst);
            assert!(worst < 0.01, "{solver} {substeps:?}: open by {worst} of a link");
            assert!(energy.abs() < 0.1, "{solver} {substeps:?}: energy {energy}");
        }
    }
}
