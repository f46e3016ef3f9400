//! What slows bodies down as they move on by themselves, and how hard gravity pulls on them, against formulas, on every solver.

use crate::run;
use approx::assert_relative_eq;
use sinew::metrics::Recorder;
use sinew::soft::{Jelly, Stiffness};
use sinew::{
    BodyDef, JointDef, JointKind, Material, Mesh, MeshPoint, Motion, Scene, Shape, Sim, SolverKind,
    Vec2,
};

const G: f32 = 9.81;

/// A crate, a disc, a capsule, a jelly and a point, side by side, far from each other.
fn one_of_each(material: Material) -> Vec<BodyDef> {
    let jelly = Jelly {
        cell: Some(0.25),
        density: material.density,
        stiffness: Stiffness::Modulus(1e5),
        ..Jelly::rectangle(Vec2::splat(0.5))
    };
    let point = MeshPoint { position: Vec2::ZERO, mass: 1.0, pinned: false };
    let shapes = [
        Shape::Box { size: Vec2::new(1.0, 0.4) },
        Shape::Disc { radius: 0.3 },
        Shape::Capsule { length: 0.8, radius: 0.1 },
        Shape::Mesh(jelly.mesh().unwrap()),
        Shape::Mesh(Mesh { points: vec![point], soft: true, ..Mesh::default() }),
    ];
    let body = |(k, shape): (usize, Shape)| {
        let at = Vec2::new(4.0 * k as f32 - 8.0, 5.0);
        BodyDef { material, ..BodyDef::new(format!("body{k}"), shape, at) }
    };
    shapes.into_iter().enumerate().map(body).collect()
}

fn simulate(bodies: Vec<BodyDef>, gravity: f32, solver: SolverKind) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    (scene.settings.gravity, scene.settings.solver) = (Vec2::new(0.0, -gravity), solver);
    Sim::new(&scene).unwrap()
}

fn motion(sim: &Sim, id: &str) -> Motion {
    sim.world().motion(sim.world().body(id).unwrap()).unwrap()
}

fn height(sim: &Sim, id: &str) -> f32 {
    sim.world().pose(sim.world().body(id).unwrap()).unwrap().center.y
}

fn ground() -> BodyDef {
    BodyDef::new("ground", Shape::Box { size: Vec2::new(20.0, 1.0) }, Vec2::new(0.0, -0.5)).fixed()
}

#[test]
fn what_gravity_pulls_on_otherwise_follows_its_own_parabola() {
    for solver in SolverKind::ALL {
        for scale in [-0.5, 0.0, 0.166, 2.0] {
            let material = Material { gravity_scale: scale, ..Material::default() };
            let mut sim = simulate(one_of_each(material), G, solver);
            run(&mut sim, 1.0);
            for body in &sim.world().model.bodies {
                let fallen = 5.0 - height(&sim, &body.id);
                assert_relative_eq!(fallen, 0.5 * scale * G, epsilon = 5e-4);
                let Motion { velocity, spin } = motion(&sim, &body.id);
                assert_relative_eq!(velocity.y, -scale * G, epsilon = 1e-3);
                assert!(velocity.x.abs() < 1e-4 && spin.abs() < 1e-3, "{solver} {}", body.id);
            }
        }
    }
}

#[test]
fn what_rests_weighs_as_much_as_gravity_pulls_on_it() {
    for solver in SolverKind::ALL {
        let size = Vec2::ONE;
        let material = Material { gravity_scale: 0.25, ..Material::default() };
        let rests =
            BodyDef { material, ..BodyDef::new("crate", Shape::Box { size }, Vec2::new(0.0, 0.5)) };
        let mut sim = simulate(vec![ground(), rests], G, solver);
        sim.watch_contacts(true);
        run(&mut sim, 0.5);
        let mut sum = 0.0;
        for _ in 0..20 {
            sim.step().unwrap();
            sum += sim.contact_pairs().iter().map(|pair| pair.total).sum::<f32>();
        }
        let weight = 0.25 * 600.0 * G;
        assert_relative_eq!(sum / 20.0 * sim.settings().hz, weight, max_relative = 0.01);
        assert!((height(&sim, "crate") - 0.5).abs() < 1e-3, "{solver}");
    }
}

#[test]
fn a_pendulum_swings_as_slowly_as_on_the_moon_and_keeps_its_energy() {
    for solver in SolverKind::ALL {
        // A rod of 2 m on a pin at its end: T = 2π √(2L / 3g).
        let material = Material { gravity_scale: 0.166, ..Material::default() };
        let shape = Shape::Box { size: Vec2::new(2.0, 0.02) };
        let angle = 0.1 - std::f32::consts::FRAC_PI_2;
        let at = Vec2::new(angle.cos(), angle.sin());
        let rod = BodyDef { material, angle, ..BodyDef::new("rod", shape, at) };
        let mut scene = Scene { bodies: vec![rod], ..Scene::default() };
        scene.joints.push(JointDef::new(
            "pin",
            JointKind::Pin { limit: None },
            "rod",
            None,
            Vec2::ZERO,
        ));
        (scene.settings.solver, scene.settings.gravity) = (solver, Vec2::new(0.0, -G));
        let mut sim = Sim::new(&scene).unwrap();
        let mut recorder = Recorder::new(sim.world(), scene.settings.gravity);
        // From one side to the other and back.
        let (mut turns, mut before) = (Vec::new(), 0.0);
        for step in 0..(14.0 * scene.settings.hz) as u32 {
            sim.step().unwrap();
            recorder.observe(sim.world());
            let spin = motion(&sim, "rod").spin;
            if before < 0.0 && spin >= 0.0 {
                turns.push((step as f32 - spin / (spin - before)) / scene.settings.hz);
            }
            before = spin;
        }
        let period =
            std::f32::consts::TAU * (4.0_f32 / (3.0 * 0.166 * G)).sqrt() * (1.0 + 0.01 / 16.0);
        assert_relative_eq!(turns[1] - turns[0], period, max_relative = 0.005);
        let quality = recorder.quality();
        // It is 5 mm above its lowest place at the start.
        let most = 0.02 * 24.0 * 0.166 * G * 0.005;
        assert!(
            quality.energy_peak_gain_j < f64::from(most),
            "{solver} {}",
            quality.energy_peak_gain_j
        );
    }
}

#[test]
fn velocities_and_spins_fade_each_at_its_own_rate() {
    for solver in SolverKind::ALL {
        let (linear, angular) = (0.7, 2.0);
        let material =
            Material { linear_damping: linear, angular_damping: angular, ..Material::default() };
        let mut bodies = one_of_each(material);
        for body in &mut bodies {
            body.velocity = Vec2::new(0.0, 3.0);
            body.spin = 1.0;
        }
        let mut sim = simulate(bodies, 0.0, solver);
        run(&mut sim, 1.0);
        let left = |rate: f32| (-rate).exp();
        for body in &sim.world().model.bodies {
            let Motion { velocity, spin } = motion(&sim, &body.id);
            assert_relative_eq!(velocity.y, 3.0 * left(linear), max_relative = 1e-3);
            let went = 3.0 * (1.0 - left(linear)) / linear;
            assert_relative_eq!(height(&sim, &body.id) - 5.0, went, max_relative = 1e-3);
            // A jelly turns less in any air, and its rim is not where its points are; a point does not turn.
            let expected = if body.soft { left(linear + angular) } else { left(angular) };
            if body.points.len() > 1 {
                assert_relative_eq!(spin, expected, max_relative = 0.02);
            }
        }
    }
}

#[test]
fn what_falls_through_air_comes_to_its_last_speed() {
    for solver in SolverKind::ALL {
        for rate in [2.0, 20.0] {
            let material = Material { linear_damping: rate, ..Material::default() };
            let mut sim = simulate(one_of_each(material), G, solver);
            run(&mut sim, 6.0 / rate + 2.0);
            // With steps of `dt` it is `dt / 2 sinh(rate dt / 2)` of that after each: second order.
            let half = 0.5 * rate * sim.settings().dt();
            let last = G / rate * half / half.sinh();
            for body in &sim.world().model.bodies {
                assert_relative_eq!(motion(&sim, &body.id).velocity.y, -last, max_relative = 4e-3);
            }
        }
    }
}

#[test]
fn a_body_may_be_made_of_something_else() {
    for solver in SolverKind::ALL {
        let shape = Shape::Box { size: Vec2::ONE };
        let bodies = vec![ground(), BodyDef::new("crate", shape, Vec2::new(0.0, 0.5))];
        let mut sim = simulate(bodies, G, solver);
        run(&mut sim, 3.0);
        let id = sim.world().body("crate").unwrap();
        assert!(sim.is_asleep(id).unwrap(), "{solver}");
        let change = |sim: &mut Sim, material: Material| {
            sim.edit(|world| world.set_material(id, material)).unwrap();
        };
        // It wakes, and rises.
        change(&mut sim, Material { gravity_scale: -0.1, ..Material::default() });
        run(&mut sim, 1.0);
        assert_relative_eq!(height(&sim, "crate") - 0.5, 0.05 * G, epsilon = 0.01);
        // Twice as heavy: a push does half as much, also one off the middle.
        change(&mut sim, Material { density: 1200.0, gravity_scale: 0.0, ..Material::default() });
        sim.set_motion(id, Motion::default()).unwrap();
        let at = sim.world().pose(id).unwrap().center + Vec2::new(0.0, 0.25);
        sim.push(id, at, Vec2::new(600.0, 0.0)).unwrap();
        sim.step().unwrap();
        let Motion { velocity, spin } = motion(&sim, "crate");
        assert_relative_eq!(velocity.x, 0.5, max_relative = 1e-3);
        assert_relative_eq!(spin, -150.0 / 200.0, max_relative = 1e-2);
        // In ever so thick air it stays where it is.
        change(
            &mut sim,
            Material { linear_damping: 1e3, angular_damping: 1e3, ..Material::default() },
        );
        let before = height(&sim, "crate");
        run(&mut sim, 1.0);
        assert!((before - height(&sim, "crate")).abs() < 0.1, "{solver}");
        for wrong in [
            Material { gravity_scale: f32::NAN, ..Material::default() },
            Material { linear_damping: -1.0, ..Material::default() },
            Material { angular_damping: f32::INFINITY, ..Material::default() },
            Material { density: 0.0, ..Material::default() },
        ] {
            let error = sim.edit(|world| world.set_material(id, wrong)).unwrap_err().to_string();
            assert!(error.contains("crate") && error.contains("must lie in"), "{error}");
        }
        assert_eq!(sim.world().model.bodies[1].material.linear_damping, 1e3);
    }
}

#[test]
fn a_block_that_becomes_ice_slides_off() {
    for solver in SolverKind::ALL {
        let slope = |def: BodyDef| BodyDef { angle: -0.3, ..def };
        let at = 0.7 * Vec2::new(0.3_f32.sin(), 0.3_f32.cos());
        let plate = Shape::Box { size: Vec2::new(20.0, 0.4) };
        let block = Shape::Box { size: Vec2::ONE };
        let bodies = vec![
            slope(BodyDef::new("slope", plate, Vec2::ZERO)).fixed(),
            slope(BodyDef::new("block", block, at)),
        ];
        let mut sim = simulate(bodies, G, solver);
        run(&mut sim, 1.0);
        assert!(motion(&sim, "block").velocity.length() < 0.01, "{solver}");
        let id = sim.world().body("block").unwrap();
        let ice = Material { friction: 0.0, ..Material::default() };
        sim.edit(|world| world.set_material(id, ice)).unwrap();
        run(&mut sim, 1.0);
        let speed = motion(&sim, "block").velocity.length();
        assert_relative_eq!(speed, G * 0.3_f32.sin(), max_relative = 0.02);
    }
}
