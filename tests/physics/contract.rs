//! What every solver owes on every level.

use sinew::metrics::{Quality, Recorder};
use sinew::{BodyDef, Level, Response, Scene, Shape, Sim, SolverKind, State, Vec2};

fn levels() -> impl Iterator<Item = (&'static str, Scene)> {
    Level::BUILTIN.iter().map(|(name, _)| (*name, Level::builtin(name).unwrap().scene))
}

fn sim(scene: &Scene, solver: SolverKind) -> Sim {
    let mut scene = scene.clone();
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, seconds: f32) -> Quality {
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    for _ in 0..(seconds * sim.settings().hz) as u32 {
        sim.step().unwrap();
        recorder.observe(sim.world());
    }
    recorder.quality()
}

#[test]
fn levels_stay_finite_whole_and_inside() {
    for (name, scene) in levels() {
        for solver in SolverKind::ALL {
            let mut sim = sim(&scene, solver);
            let quality = run(&mut sim, 8.0);
            let told = format!("{name} on {solver}: {quality:?}");
            assert_eq!(sim.world().state.first_bad_point(), None, "{told}");
            assert_eq!(quality.escaped, 0, "{told}");
            assert_eq!(quality.inverted, 0, "{told}");
            assert!(quality.max_joint_error_m < 0.03, "pins hold: {told}");
            // The moment in which somebody lands on a foot.
            assert!(quality.max_penetration_m < 0.05, "{told}");
            assert!(quality.final_penetration_m < 0.01, "{told}");
            assert!(quality.final_stretch < 0.03, "{told}");
            let scale = (quality.energy_end_j - quality.energy_start_j).abs().max(1.0);
            assert!(quality.energy_peak_gain_j < 1e-3 * scale, "energy from nowhere: {told}");
        }
    }
}

#[test]
fn the_same_run_gives_the_same_bits() {
    for (name, scene) in levels() {
        for solver in SolverKind::ALL {
            let mut hashes = [0, 1].map(|_| {
                let mut sim = sim(&scene, solver);
                run(&mut sim, 2.0);
                sim.world().state.hash()
            });
            assert_eq!(hashes[0], hashes[1], "{name} on {solver}");
            // A reset, and a run in another thread, change nothing either.
            let scene = scene.clone();
            hashes[1] = std::thread::spawn(move || {
                let mut sim = sim(&scene, solver);
                run(&mut sim, 1.0);
                sim.reset();
                run(&mut sim, 2.0);
                sim.world().state.hash()
            })
            .join()
            .unwrap();
            assert_eq!(hashes[0], hashes[1], "{name} on {solver}, after a reset");
        }
    }
}

#[test]
fn responses_make_a_difference_on_the_solvers_that_know_them_and_on_no_other() {
    let mut scene = Level::builtin("stack").unwrap().scene;
    // One effort for all, so that nothing but the response can make the difference.
    (scene.settings.substeps, scene.settings.iterations) = (Some(4), Some(6));
    for solver in SolverKind::ALL {
        let mut hash = |response| {
            scene.settings.response = response;
            let mut sim = sim(&scene, solver);
            run(&mut sim, 0.5);
            sim.world().state.hash()
        };
        let hashes = Response::ALL.map(&mut hash);
        for (a, first) in Response::ALL.into_iter().enumerate() {
            for (b, second) in Response::ALL.into_iter().enumerate() {
                let (same, told) = (hashes[a] == hashes[b], first.on(solver) == second.on(solver));
                assert_eq!(same, told, "{first} and {second} on {solver}");
            }
        }
        assert!(solver.responses().eq(Response::ALL.into_iter().filter(|it| it.on(solver) == *it)));
    }
}

#[test]
fn a_restored_state_goes_on_as_it_did() {
    for (name, scene) in levels() {
        for solver in SolverKind::ALL {
            let mut sim = sim(&scene, solver);
            run(&mut sim, 1.0);
            let saved = sim.world().state.clone();
            sim.restore(saved.clone()).unwrap();
            run(&mut sim, 0.5);
            let first = sim.world().state.hash();
            sim.restore(saved).unwrap();
            run(&mut sim, 0.5);
            assert_eq!(sim.world().state.hash(), first, "{name} on {solver}");
        }
    }
}

#[test]
fn states_of_other_worlds_are_refused() {
    let (_, demo) = levels().next().unwrap();
    let mut sim = sim(&demo, SolverKind::Verlet);
    assert!(sim.restore(State::default()).is_err());
    let mut broken = sim.world().state.clone();
    broken.position[3].x = f32::NAN;
    assert!(sim.restore(broken).is_err());
    assert_eq!(sim.world().state.first_bad_point(), None);
}

#[test]
fn divergence_is_an_error_that_names_the_body() {
    let mut scene = Scene::default();
    let mut fast = BodyDef::new("comet", Shape::Disc { radius: 0.5 }, Vec2::ZERO);
    fast.velocity = Vec2::new(9e5, 0.0);
    scene.bodies.push(fast);
    for solver in SolverKind::ALL {
        let mut sim = sim(&scene, solver);
        // Out to where a position is no longer credible, by 9e5 m/s for 1,200 s.
        let mut settings = *sim.settings();
        settings.hz = 1.0;
        sim.set_settings(settings);
        let error = loop {
            if let Err(error) = sim.step() {
                break error;
            }
            assert!(sim.world().state.time < 2000.0, "{solver} never told");
        };
        assert!(error.is_diverged());
        assert!(error.to_string().contains("comet"), "{error}");
        assert_eq!(sim.world().state.first_bad_point(), None, "the last sound state is kept");
    }
}

#[test]
fn what_stands_is_told_to_touch_in_every_step_and_asleep() {
    let shapes = [
        ("box", Shape::Box { size: Vec2::new(0.6, 1.6) }, 0.8),
        ("crate", Shape::Box { size: Vec2::new(0.4, 1.0) }, 0.8),
        ("disc", Shape::Disc { radius: 0.3 }, 0.3),
        ("capsule", Shape::Capsule { length: 1.0, radius: 0.2 }, 0.4),
    ];
    for solver in SolverKind::ALL {
        for (id, shape, height) in &shapes {
            let ground = Shape::Box { size: Vec2::new(40.0, 1.0) };
            let ground = BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed();
            let body = BodyDef::new(*id, shape.clone(), Vec2::new(0.0, *height));
            let scene = Scene { bodies: vec![ground, body], ..Scene::default() };
            let mut sim = sim(&scene, solver);
            for step in 0..300 {
                sim.step().unwrap();
                let lies = step >= 90;
                assert!(!lies || !sim.contacts().is_empty(), "{id} on {solver}, step {step}");
            }
            assert_eq!(sim.asleep_count(), 1, "{id} on {solver}");
        }
    }
}

#[test]
fn what_tears_keeps_its_energy() {
    let jelly = r#"{ "type": "jelly", "id": "j", "disc": 0.3, "at": [0, 0.3], "stiffness": 1e5, "break_strain": 0.1 }"#;
    let others = r#"{ "type": "static", "box": [20, 1], "at": [0, -0.5] },
        { "type": "box", "id": "knife", "size": [0.1, 1], "at": [0, 2.5], "density": 8000, "velocity": [0, -8] },
        { "type": "box", "id": "far", "size": [1, 1], "at": [6, 9] }"#;
    for solver in SolverKind::ALL {
        // What comes after the jelly has other numbers once that is torn.
        for items in [format!("{jelly}, {others}"), format!("{others}, {jelly}")] {
            let text = format!(r#"{{ "format": 1, "items": [{items}] }}"#);
            let mut sim = sim(&Level::parse(&text, "torn.json").unwrap().scene, solver);
            let points = sim.world().model.point_count();
            let quality = run(&mut sim, 4.0);
            assert!(sim.world().model.point_count() > points, "{solver}: nothing tore");
            assert!(quality.energy_peak_gain_j < 500.0, "{solver}: {quality:?}");
            // By then all lies on the ground, 8.5 m and 2 m below where it was.
            let lost = quality.energy_start_j - quality.energy_end_j;
            assert!((90e3..100e3).contains(&lost), "{solver}: {quality:?}");
        }
    }
}
