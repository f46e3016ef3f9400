//! Going back in time, across tears, cuts and drops: what was torn is whole again, handles never name
//! the wrong body, and what comes next is the same however often it is run.

use std::sync::Arc;

use sinew::{
    BodyDef, Drag, Event, Mesh, MeshEdge, MeshPoint, Scene, Shape, Sim, Snapshot, SolverKind,
    Strength, Vec2,
};

/// A rope that hangs from its first point and parts soon after a load is let go at its end; a crate
/// on the ground beside it.
fn scene(solver: SolverKind) -> Scene {
    let point = |k: u32| MeshPoint {
        position: Vec2::new(0.0, -0.1 * k as f32),
        mass: if k == 8 { 40.0 } else { 0.1 },
        pinned: k == 0,
    };
    let rope = Mesh {
        points: (0..=8).map(point).collect(),
        edges: (0..8)
            .map(|k| MeshEdge { a: k, b: k + 1, compliance: 1e-4, damping: 5.0 })
            .collect(),
        pieces: (0..8).map(|k| vec![k, k + 1]).collect(),
        radius: 0.02,
        soft: true,
        strength: Strength { break_strain: Some(0.5), plastic: None },
        ..Mesh::default()
    };
    let ground = Shape::Box { size: Vec2::new(20.0, 1.0) };
    let bodies = vec![
        BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed(),
        BodyDef::new("rope", Shape::Mesh(rope), Vec2::new(0.0, 4.0)),
        BodyDef::new("crate", Shape::Box { size: Vec2::ONE }, Vec2::new(3.0, 0.6)),
    ];
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.solver = solver;
    scene
}

/// Runs for a second; snapshots before each step, and the steps after which something broke.
fn record(sim: &mut Sim) -> (Vec<Snapshot>, Vec<usize>) {
    let (mut moments, mut broke) = (Vec::new(), Vec::new());
    for step in 0..60 {
        moments.push(sim.snapshot());
        sim.step().unwrap();
        if sim.events().iter().any(|event| matches!(event, Event::EdgeBroke { .. })) {
            broke.push(step);
        }
    }
    (moments, broke)
}

fn ids(sim: &Sim) -> Vec<String> {
    sim.world().model.bodies.iter().map(|body| body.id.clone()).collect()
}

#[test]
fn what_was_torn_is_whole_again_and_tears_again() {
    for solver in SolverKind::ALL {
        let mut sim = Sim::new(&scene(solver)).unwrap();
        let (moments, broke) = record(&mut sim);
        let &first = broke.first().unwrap_or_else(|| panic!("{solver}: the rope holds"));
        assert!(first > 1, "{solver}: torn before there is a past");
        assert!(sim.restore(moments[0].state().clone()).is_err(), "{solver}");

        for k in [first, 0, 59, first + 1, first - 1] {
            sim.rewind(&moments[k]);
            assert_eq!(sim.world().state, *moments[k].state(), "{solver}, step {k}");
            assert_eq!(ids(&sim).len() == 3, k <= first, "{solver}, step {k}");
            assert_eq!(sim.world().state.rest.len(), sim.world().model.edges.len());
            assert!(sim.events().is_empty());
            let run_on = |sim: &mut Sim| {
                for _ in k..60 {
                    sim.step().unwrap();
                }
                (ids(sim), sim.world().state.hash())
            };
            let once = run_on(&mut sim);
            assert!(once.0.len() > 3, "{solver}, step {k}: the rope holds the second time");
            sim.rewind(&moments[k]);
            assert_eq!(run_on(&mut sim), once, "{solver}, step {k}: not the same twice");
        }
    }
}

#[test]
fn a_rewound_world_runs_on_any_backend() {
    let mut sim = Sim::new(&scene(SolverKind::Verlet)).unwrap();
    let (moments, _) = record(&mut sim);
    for solver in SolverKind::ALL {
        sim.switch_solver(solver).unwrap();
        sim.rewind(&moments[2]);
        assert_eq!((sim.solver_kind(), ids(&sim).len()), (solver, 3));
        for _ in 0..60 {
            sim.step().unwrap();
        }
        assert!(ids(&sim).len() > 3, "{solver}: the rope holds");
    }
}

#[test]
fn handles_of_what_is_yet_to_come_name_nothing() {
    let mut sim = Sim::new(&scene(SolverKind::Verlet)).unwrap();
    let start = sim.snapshot();
    let of_crate = sim.world().body("crate").unwrap();
    let ball = |id: &str| BodyDef::new(id, Shape::Disc { radius: 0.2 }, Vec2::new(-3.0, 2.0));
    let first = sim.edit(|world| world.add_body(&ball("first"))).unwrap();
    sim.edit(|world| world.remove(of_crate)).unwrap();
    assert!(sim.world().pose(of_crate).is_err() && sim.world().pose(first).is_ok());

    sim.rewind(&start);
    assert!(sim.world().pose(of_crate).is_ok(), "the crate is back under its handle");
    assert!(sim.world().pose(first).is_err());
    let second = sim.edit(|world| world.add_body(&ball("second"))).unwrap();
    assert_ne!(first, second);
    assert!(sim.world().pose(first).is_err(), "an old handle names a new body");
}

#[test]
fn models_are_shared_until_something_changes() {
    for solver in SolverKind::ALL {
        let mut sim = Sim::new(&scene(solver)).unwrap();
        let (moments, broke) = record(&mut sim);
        for (k, pair) in moments.windows(2).enumerate() {
            let same = Arc::ptr_eq(pair[0].model(), pair[1].model());
            assert_eq!(same, !broke.contains(&k), "{solver}, step {k}");
        }
        sim.rewind(&moments[1]);
        assert!(Arc::ptr_eq(sim.snapshot().model(), moments[1].model()));
        // The start of the run is its own, whatever has been rewound.
        sim.reset();
        assert_eq!(sim.world().state, *moments[0].state());
        assert_eq!(ids(&sim).len(), 3);
    }
}

#[test]
fn drags_hold_on_unless_bodies_change() {
    let mut sim = Sim::new(&scene(SolverKind::Pbd)).unwrap();
    let start = sim.snapshot();
    let of_crate = sim.world().body("crate").unwrap();
    let at = sim.world().pose(of_crate).unwrap().center;
    let hold = sim.world().hold(of_crate, at).unwrap();
    sim.inputs_mut().drags = vec![Drag::new(hold, at + Vec2::Y)];
    sim.step().unwrap();
    sim.rewind(&start);
    assert_eq!(sim.inputs().drags.len(), 1);
    let disc = BodyDef::new("ball", Shape::Disc { radius: 0.2 }, Vec2::new(-3.0, 2.0));
    sim.edit(|world| world.add_body(&disc)).unwrap();
    sim.rewind(&start);
    assert!(sim.inputs().drags.is_empty());
}

#[test]
fn a_twin_starts_as_it_is_and_goes_back_to_the_same_start() {
    let mut sim = Sim::new(&scene(SolverKind::Verlet)).unwrap();
    let start = sim.snapshot();
    for _ in 0..5 {
        sim.step().unwrap();
    }
    for solver in SolverKind::ALL {
        let mut twin = sim.twin(solver).unwrap();
        assert_eq!((twin.solver_kind(), &twin.world().state), (solver, &sim.world().state));
        twin.step().unwrap();
        twin.reset();
        assert_eq!(twin.world().state, *start.state());
    }
    assert!(sim.twin(SolverKind::Custom("other")).is_err());
}
