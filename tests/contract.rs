//! What every solver owes on every level.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

use sinew::math::cross;
use sinew::metrics::{Quality, Recorder};
use sinew::{BodyDef, Level, Scene, Shape, Sim, SolverKind, State, Vec2, World};

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

/// Linear momentum, angular momentum about the origin, and the largest of both that any point has.
fn momenta(world: &World) -> ([f64; 3], f64) {
    let (mut sums, mut scale) = ([0.0; 3], 0.0);
    for (i, &mass) in world.model.mass.iter().enumerate() {
        let (r, v) = (world.state.position[i], world.state.velocity[i]);
        let parts = [mass * v.x, mass * v.y, mass * cross(r, v)].map(f64::from);
        for (sum, part) in sums.iter_mut().zip(parts) {
            *sum += part;
            scale += part.abs();
        }
    }
    (sums, scale)
}

/// Ragdolls and crates without ground or gravity, thrown at each other.
fn space() -> Scene {
    let mut scene = Level::parse(
        r#"{ "format": 1, "world": { "gravity": [0, 0] }, "items": [
            { "type": "ragdoll", "id": "ann", "at": [-2, 0], "velocity": [3, 0.3], "spin": 60 },
            { "type": "ragdoll", "id": "bob", "at": [2, 0.4], "velocity": [-3, 0] }
        ] }"#,
        "space.json",
    )
    .unwrap()
    .scene;
    for i in 0..6 {
        let at = Vec2::new(-3.0 + 1.3 * i as f32, if i % 2 == 0 { 2.0 } else { -2.0 });
        let shape = Shape::Box { size: Vec2::new(0.5, 0.4) };
        let mut body = BodyDef::new(format!("crate{i}"), shape, at);
        body.velocity = -at;
        body.spin = i as f32 - 2.0;
        scene.bodies.push(body);
    }
    scene
}

#[test]
fn switching_in_mid_run_keeps_both_momenta() {
    let mut sim = sim(&space(), SolverKind::Verlet);
    let (before, scale) = momenta(sim.world());
    for (round, solver) in SolverKind::ALL.into_iter().cycle().take(16).enumerate() {
        sim.switch_solver(solver).unwrap();
        run(&mut sim, 0.25);
        let (now, _) = momenta(sim.world());
        for (now, before) in now.into_iter().zip(before) {
            let drift = (now - before).abs() / scale;
            assert!(drift < 1e-3, "round {round}, {solver}: {drift:.1e}");
        }
    }
}

#[test]
fn a_switch_itself_changes_nothing_and_shows_nothing() {
    for (name, scene) in levels() {
        for from in SolverKind::ALL {
            let mut sim = sim(&scene, from);
            run(&mut sim, 1.0);
            let before = sim.world().state.clone();
            let unswitched = SolverKind::ALL.iter().position(|kind| *kind == from).unwrap();
            let mut jumps = [0.0; SolverKind::ALL.len()];
            for (jump, to) in jumps.iter_mut().zip(SolverKind::ALL) {
                sim.restore(before.clone()).unwrap();
                sim.switch_solver(to).unwrap();
                assert_eq!(sim.world().state, before, "{name}: {from} to {to}");
                sim.step().unwrap();
                *jump = farthest_jump(&before, &sim.world().state, sim.settings().dt());
            }
            // A foot that whips on impact outruns both its velocities. What a switch adds is at
            // most the push-out of overlap that the other backend left, 3 m/s.
            for (jump, to) in jumps.into_iter().zip(SolverKind::ALL) {
                let most = jumps[unswitched] + 3.0 * sim.settings().dt();
                assert!(jump < most, "{name}: {from} to {to} jumps {jump} m");
            }
        }
    }
}

/// The farthest any point moved in a step of `dt` beyond what its velocity accounts for.
fn farthest_jump(before: &State, after: &State, dt: f32) -> f32 {
    (0..before.position.len())
        .map(|i| {
            let moved = before.position[i].distance(after.position[i]);
            let fastest = before.velocity[i].length().max(after.velocity[i].length());
            moved - dt * fastest
        })
        .fold(0.0, f32::max)
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
