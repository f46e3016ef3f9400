//! Motion against formulas, on every solver.

use crate::run;
use approx::assert_relative_eq;
use sinew::math::cross;
use sinew::soft::{Cloth, Jelly, Stiffness};
use sinew::{
    BodyDef, JointDef, JointKind, Mesh, MeshEdge, MeshPoint, Response, Scene, Shape, Sim,
    SolverKind, Spring, Vec2,
};

const G: f32 = 9.81;

fn unit_crate(id: &str, at: Vec2) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at)
}

fn scene(bodies: Vec<BodyDef>, gravity: f32) -> Scene {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.gravity = Vec2::new(0.0, -gravity);
    scene
}

fn simulate(mut scene: Scene, solver: SolverKind) -> Sim {
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn center(sim: &Sim, id: &str) -> Vec2 {
    let body = sim.world().body(id).unwrap();
    sim.world().pose(body).unwrap().center
}

/// Linear momentum, and angular momentum about the origin, of everything dynamic.
fn momenta(sim: &Sim) -> (Vec2, f32) {
    let (model, state) = (&sim.world().model, &sim.world().state);
    let mut sums = (Vec2::ZERO, 0.0);
    for (i, &mass) in model.mass.iter().enumerate() {
        let momentum = mass * state.velocity[i];
        sums = (sums.0 + momentum, sums.1 + cross(state.position[i], momentum));
    }
    sums
}

#[test]
fn projectiles_follow_their_parabola() {
    for solver in SolverKind::ALL {
        let shapes = [
            Shape::Box { size: Vec2::new(1.0, 0.4) },
            Shape::Disc { radius: 0.3 },
            Shape::Capsule { length: 0.8, radius: 0.1 },
        ];
        for shape in shapes {
            let mut body = BodyDef::new("body", shape, Vec2::new(0.0, 5.0));
            body.velocity = Vec2::new(3.0, 4.0);
            body.spin = 2.0;
            let mut sim = simulate(scene(vec![body], G), solver);
            for second in 1..=3 {
                run(&mut sim, 1.0);
                let t = second as f32;
                let at = center(&sim, "body");
                let expected = Vec2::new(3.0 * t, 5.0 + 4.0 * t - 0.5 * G * t * t);
                assert!((at - expected).length() < 1e-3, "{solver} at {t} s: {at}, {expected}");
            }
        }
    }
}

#[test]
fn a_free_spin_keeps_angular_momentum_and_energy() {
    for solver in SolverKind::ALL {
        let mut body = BodyDef::new("body", Shape::Box { size: Vec2::new(2.0, 0.5) }, Vec2::ZERO);
        body.spin = 10.0;
        let mut sim = simulate(scene(vec![body], 0.0), solver);
        let (_, before) = momenta(&sim);
        run(&mut sim, 10.0);
        let (linear, after) = momenta(&sim);
        assert_relative_eq!(after, before, max_relative = 1e-3);
        assert!(linear.length() < 1e-3 * before, "{solver}: {linear}");
        let body = sim.world().body("body").unwrap();
        assert_relative_eq!(sim.world().motion(body).unwrap().spin, 10.0, max_relative = 2e-3);
    }
}

/// What spins in the air once a second and is soft, or is held together by joints. An impulse along a line that turns
/// meanwhile would turn it on or brake it.
#[test]
fn what_gives_way_as_it_spins_keeps_angular_momentum_and_gains_no_energy() {
    let spinning = |id: &str, shape: Shape, x: f32| {
        let (spin, at) = (6.0, Vec2::new(x, 0.0));
        BodyDef { spin, velocity: Vec2::new(0.0, spin * x), ..BodyDef::new(id, shape, at) }
    };
    let jelly = |modulus: f32| {
        let (stiffness, cell) = (Stiffness::Modulus(modulus), Some(0.25));
        let jelly = Jelly { stiffness, cell, ..Jelly::rectangle(Vec2::ONE) };
        spinning("jelly", Shape::Mesh(jelly.mesh().unwrap()), 0.0)
    };
    let cloth = Shape::Mesh(Cloth { size: Vec2::ONE, ..Cloth::default() }.mesh().unwrap());
    let ball = |id: &str, x: f32| spinning(id, Shape::Disc { radius: 0.2 }, x);
    let held = |spring: Option<Spring>| {
        let kind = JointKind::Distance { least: 1.0, most: 1.0, spring };
        let mut joint = JointDef::new("holds", kind, "a", Some("b"), Vec2::new(-0.5, 0.0));
        joint.to = Some(Vec2::new(0.5, 0.0));
        (vec![ball("a", -0.5), ball("b", 0.5)], vec![joint])
    };
    let spring = Spring { stiffness: 1e4, damping: 0.0 };
    let block = spinning("block", Shape::Box { size: Vec2::new(0.6, 0.6) }, 0.8);
    let pin = JointDef::pin("pin", "block", Some("jelly"), Vec2::new(0.5, 0.0));
    let all = [
        ("soft jelly", (vec![jelly(1e5)], vec![])),
        ("hard jelly", (vec![jelly(1e7)], vec![])),
        ("two jellies", (vec![jelly(1e5), BodyDef { id: "other".into(), ..jelly(1e5) }], vec![])),
        ("cloth", (vec![spinning("cloth", cloth, 0.0)], vec![])),
        ("rod", held(None)),
        ("spring", held(Some(spring))),
        ("block on a jelly", (vec![jelly(1e5), block], vec![pin])),
    ];
    let paces = [(None, None), (Some(1), Some(4))];
    for (solver, (substeps, iterations)) in
        SolverKind::ALL.into_iter().flat_map(|of| paces.map(|pace| (of, pace)))
    {
        for (name, (bodies, joints)) in &all {
            let mut scene = scene(bodies.clone(), 0.0);
            scene.bodies.iter_mut().for_each(|body| body.filter.mask = 0);
            scene.joints.clone_from(joints);
            (scene.settings.substeps, scene.settings.iterations) = (substeps, iterations);
            let mut sim = simulate(scene, solver);
            let kinetic = |sim: &Sim| {
                let (model, state) = (&sim.world().model, &sim.world().state);
                let each = model.mass.iter().zip(&state.velocity);
                each.map(|(mass, velocity)| 0.5 * mass * velocity.length_squared()).sum::<f32>()
            };
            let (before, energy) = (momenta(&sim).1, kinetic(&sim));
            run(&mut sim, 5.0);
            let place = format!("{name}, {solver}, sub-steps {substeps:?}");
            let drift = momenta(&sim).1 / before - 1.0;
            assert!(drift.abs() < 5e-3, "{place}: {} % of angular momentum", 100.0 * drift);
            let grown = kinetic(&sim) / energy - 1.0;
            assert!(grown < 0.02, "{place}: {} % of kinetic energy", 100.0 * grown);
        }
    }
}

#[test]
fn a_small_pendulum_swings_with_its_period() {
    for solver in SolverKind::ALL {
        // A disc on a massless arm would be ideal; a rod about its end is a physical pendulum:
        // T = 2π √(I/(m·g·d)), with I about the pin.
        let (length, radius) = (1.9_f32, 0.05_f32);
        let mut rod = BodyDef::new("rod", Shape::Capsule { length, radius }, Vec2::new(0.0, -0.95));
        let tilt = 0.1_f32;
        rod.angle = -std::f32::consts::FRAC_PI_2 + tilt;
        rod.position = 0.95 * Vec2::from_angle(rod.angle);
        let mut scene = scene(vec![rod], G);
        scene.joints.push(JointDef::pin("pin", "rod", None, Vec2::ZERO));
        scene.settings.hz = 240.0;
        let mut sim = simulate(scene, solver);
        let body = &sim.world().model.bodies[0];
        let about_pin = body.inertia + body.mass * 0.95 * 0.95;
        let swing = 1.0 + tilt * tilt / 16.0;
        let period = std::f32::consts::TAU * (about_pin / (body.mass * G * 0.95)).sqrt() * swing;

        // Times at which the rod passes the vertical, moving right, by interpolation.
        let (mut crossings, mut before) = (Vec::new(), center(&sim, "rod").x);
        let dt = f64::from(sim.settings().dt());
        for _ in 0..(10.0 * period * 240.0) as u32 {
            sim.step().unwrap();
            let now = center(&sim, "rod").x;
            if before < 0.0 && now >= 0.0 {
                crossings.push(sim.world().state.time - dt * f64::from(now / (now - before)));
            }
            before = now;
        }
        let swings = crossings.len() - 1;
        let measured = (crossings[swings] - crossings[0]) / swings as f64;
        assert_relative_eq!(measured as f32, period, max_relative = 0.01);
    }
}

/// A crate on a slope of `angle` with friction `mu`: how far it has slid after `seconds`.
fn slide(solver: SolverKind, angle: f32, mu: f32, seconds: f32) -> f32 {
    let normal = Vec2::from_angle(angle + std::f32::consts::FRAC_PI_2);
    let mut slope = BodyDef::new("slope", Shape::Box { size: Vec2::new(200.0, 1.0) }, Vec2::ZERO);
    let mut block = unit_crate("block", normal);
    for body in [&mut slope, &mut block] {
        body.angle = angle;
        body.material.friction = mu;
    }
    let mut sim = simulate(scene(vec![slope.fixed(), block], G), solver);
    run(&mut sim, seconds);
    let moved = center(&sim, "block") - normal;
    assert!(moved.dot(normal).abs() < 0.01, "{solver}: lifted off or sank by {moved}");
    moved.length()
}

#[test]
fn a_block_sticks_below_the_friction_angle_and_slides_above_it() {
    let angle = 0.3_f32;
    for solver in SolverKind::ALL {
        assert!(slide(solver, angle, angle.tan() * 1.05, 4.0) < 1e-3, "{solver} should stick");
        for mu in [0.0, 0.1, 0.2, 0.25] {
            let acceleration = G * (angle.sin() - mu * angle.cos());
            let expected = 0.5 * acceleration * 4.0;
            assert_relative_eq!(slide(solver, angle, mu, 2.0), expected, max_relative = 0.05);
        }
    }
}

#[test]
fn a_ball_rolls_down_a_slope_at_two_thirds_of_free_slide() {
    let angle = 0.3_f32;
    for solver in SolverKind::ALL {
        let normal = Vec2::from_angle(angle + std::f32::consts::FRAC_PI_2);
        let mut slope = BodyDef::new("s", Shape::Box { size: Vec2::new(200.0, 1.0) }, Vec2::ZERO);
        slope.angle = angle;
        let ball = BodyDef::new("ball", Shape::Disc { radius: 0.5 }, normal);
        let mut sim = simulate(scene(vec![slope.fixed(), ball], G), solver);
        run(&mut sim, 2.0);
        let expected = 0.5 * G * angle.sin() / 1.5 * 4.0;
        let moved = (center(&sim, "ball") - normal).length();
        assert_relative_eq!(moved, expected, max_relative = 0.02);
    }
}

#[test]
fn a_ball_that_rolls_on_level_ground_keeps_its_speed() {
    for solver in SolverKind::ALL {
        for (radius, speed) in [(0.3, 8.0), (0.3, 2.0), (0.1, 8.0)] {
            let ground = Shape::Box { size: Vec2::new(200.0, 2.0) };
            let ground = BodyDef::new("ground", ground, Vec2::new(50.0, -1.0)).fixed();
            let mut ball = BodyDef::new("ball", Shape::Disc { radius }, Vec2::new(0.0, radius));
            (ball.velocity, ball.spin) = (Vec2::new(speed, 0.0), -speed / radius);
            let mut sim = simulate(scene(vec![ground, ball], G), solver);
            run(&mut sim, 4.0);
            assert_relative_eq!(center(&sim, "ball").x, 4.0 * speed, max_relative = 0.001);
        }
    }
}

#[test]
fn a_ball_rebounds_to_e_squared_of_its_height() {
    for solver in SolverKind::ALL {
        for restitution in [0.3_f32, 0.5, 0.8, 1.0] {
            let ground = BodyDef::new(
                "ground",
                Shape::Box { size: Vec2::new(20.0, 1.0) },
                Vec2::new(0.0, -0.5),
            );
            let mut ball = BodyDef::new("ball", Shape::Disc { radius: 0.25 }, Vec2::new(0.0, 5.25));
            ball.material.restitution = restitution;
            let mut sim = simulate(scene(vec![ground.fixed(), ball], G), solver);
            // It falls 5 m in 1.01 s; the top of the rebound is √e² of that later.
            let (mut lowest, mut rebound) = (f32::INFINITY, 0.0_f32);
            for _ in 0..(60.0 * (1.01 + 2.1 * restitution)) as u32 {
                sim.step().unwrap();
                let height = center(&sim, "ball").y - 0.25;
                lowest = lowest.min(height);
                if sim.world().state.time > 1.05 {
                    rebound = rebound.max(height);
                }
            }
            assert!(lowest < 0.2, "{solver}: it reached the ground");
            let expected = restitution * restitution * 5.0;
            assert_relative_eq!(rebound, expected, max_relative = 0.1);
        }
    }
}

#[test]
fn what_rests_is_not_disturbed_by_what_falls_beside_it() {
    let stack = (0..6).map(|k| unit_crate(&format!("crate{k}"), Vec2::new(0.0, 0.5 + k as f32)));
    let ground =
        BodyDef::new("ground", Shape::Box { size: Vec2::new(40.0, 1.0) }, Vec2::new(0.0, -0.5));
    // They come, bounce, roll and go at different times, so that other contacts come and go all the time.
    let balls = (0..9).map(|k| {
        let at = Vec2::new(4.0 + 1.2 * k as f32, 1.0 + 0.7 * k as f32);
        let mut ball = BodyDef::new(format!("ball{k}"), Shape::Disc { radius: 0.3 }, at);
        ball.material.restitution = 0.1 * k as f32;
        ball.velocity = Vec2::new(0.5 * (k % 3) as f32, 0.0);
        ball
    });
    let bodies: Vec<BodyDef> = stack.chain([ground.fixed()]).chain(balls).collect();
    // The others find speeds from places, and take more rounds everywhere when something is hit: their stacks
    // breathe a little.
    for (solver, most) in
        [(SolverKind::Impulse, 2e-3), (SolverKind::Verlet, 0.03), (SolverKind::Pbd, 0.03)]
    {
        let mut sim = simulate(scene(bodies.clone(), G), solver);
        run(&mut sim, 1.0);
        for _ in 0..120 {
            sim.step().unwrap();
            for k in 0..6 {
                let body = sim.world().body(&format!("crate{k}")).unwrap();
                let speed = sim.world().motion(body).unwrap().velocity.length();
                assert!(speed < most, "{solver}: crate{k} at {speed} m/s");
            }
        }
    }
}

/// Two crates, one turned, meet off centre along the face normal.
fn collision(restitution: f32) -> Scene {
    let mut left = unit_crate("left", Vec2::new(-1.5, 0.0));
    let mut right = unit_crate("right", Vec2::new(1.5, 0.35));
    left.velocity = Vec2::new(3.0, 0.0);
    right.velocity = Vec2::new(-1.0, 0.0);
    right.angle = 0.4;
    for body in [&mut left, &mut right] {
        body.material.restitution = restitution;
        body.material.friction = 0.4;
    }
    scene(vec![left, right], 0.0)
}

#[test]
fn a_collision_of_two_bodies_conserves_both_momenta() {
    for solver in SolverKind::ALL {
        for restitution in [0.0, 0.5] {
            let mut sim = simulate(collision(restitution), solver);
            let (linear, angular) = momenta(&sim);
            run(&mut sim, 2.0);
            let after = momenta(&sim);
            let body = sim.world().body("left").unwrap();
            let slowed = sim.world().motion(body).unwrap().velocity.x;
            assert!(slowed < 2.5, "{solver}: they met ({slowed} m/s)");
            // Relative to the momentum that is exchanged, and to it at the arm of the impact.
            let scale = 600.0 * 3.0;
            assert!((after.0 - linear).length() < 1e-4 * scale, "{solver}: {linear} {}", after.0);
            // Rounds that look for contacts anew each see them a little turned.
            assert!((after.1 - angular).abs() < 2e-4 * scale, "{solver}: {angular} {}", after.1);
        }
    }
}

#[test]
fn the_classic_response_loses_the_momentum_its_formula_says() {
    // A lone vertex against the middle of a lone edge, all of one mass: with overlap d the vertex
    // moves by d/2 and each end by λ·d/4 with λ = 2. Three equal masses, so the net displacement
    // is d/2 − 2·d/2 = −d/2 times the mass, where momentum would ask for none.
    let mass = 2.0;
    let point = |x: f32, y: f32| MeshPoint { position: Vec2::new(x, y), mass, pinned: false };
    let vertex = Mesh {
        points: vec![point(0.0, 0.0)],
        pieces: vec![vec![0]],
        radius: 0.1,
        ..Mesh::default()
    };
    let edge = Mesh {
        points: vec![point(-1.0, 0.0), point(1.0, 0.0)],
        edges: vec![MeshEdge::stiff(0, 1)],
        pieces: vec![vec![0, 1]],
        radius: 0.1,
        ..Mesh::default()
    };
    let drift = |response: Response| {
        let mut falling = BodyDef::new("vertex", Shape::Mesh(vertex.clone()), Vec2::new(0.0, 0.23));
        falling.velocity = Vec2::new(0.0, -6.0);
        falling.material.friction = 0.0;
        falling.material.restitution = 0.0;
        let still = BodyDef::new("edge", Shape::Mesh(edge.clone()), Vec2::ZERO);
        let mut scene = scene(vec![falling, still], 0.0);
        scene.settings.response = response;
        scene.settings.substeps = Some(1);
        scene.settings.iterations = Some(1);
        let mut sim = simulate(scene, SolverKind::Verlet);
        let before = momenta(&sim).0.y;
        sim.step().unwrap();
        (momenta(&sim).0.y - before, sim.settings().dt())
    };
    let (conserved, dt) = drift(Response::Conserving);
    assert!(conserved.abs() < 1e-4, "{conserved}");
    // It falls 0.1 m in the step, from a gap of 0.03 m: 0.07 m of overlap.
    let (lost, _) = drift(Response::Classic);
    assert_relative_eq!(lost, -mass * 0.5 * 0.07 / dt, max_relative = 1e-3);
}

#[test]
fn a_soft_spring_swings_with_its_frequency_at_any_step() {
    // A mass on a damped-free spring of compliance α: T = 2π √(m·α).
    let (mass, compliance) = (2.0_f32, 1.0 / 200.0);
    let period = std::f32::consts::TAU * (mass * compliance).sqrt();
    for solver in SolverKind::ALL {
        for hz in [60.0, 120.0, 240.0] {
            let point =
                |y: f32, pinned: bool| MeshPoint { position: Vec2::new(0.0, y), mass, pinned };
            let edge = MeshEdge { a: 0, b: 1, compliance, damping: 0.0 };
            let spring = Mesh {
                points: vec![point(0.0, true), point(-1.0, false)],
                edges: vec![edge],
                soft: true,
                ..Mesh::default()
            };
            let body = BodyDef::new("spring", Shape::Mesh(spring), Vec2::new(0.0, 0.5));
            let mut scene = scene(vec![body], G);
            scene.settings.hz = hz;
            scene.settings.substeps = Some(16);
            let mut sim = simulate(scene, solver);
            // It starts at rest length, so it swings about the sag m·g·α, down first.
            let middle = sim.world().state.position[1].y - mass * G * compliance;
            let (mut crossings, mut before) = (Vec::new(), f32::INFINITY);
            let dt = f64::from(sim.settings().dt());
            for _ in 0..(6.0 * period * hz) as u32 {
                sim.step().unwrap();
                let now = sim.world().state.position[1].y - middle;
                if before > 0.0 && now <= 0.0 {
                    crossings.push(sim.world().state.time - dt * f64::from(now / (now - before)));
                }
                before = now;
            }
            let swings = crossings.len() - 1;
            let measured = (crossings[swings] - crossings[0]) / swings as f64;
            assert_relative_eq!(measured as f32, period, max_relative = 0.01);
        }
    }
}

#[test]
fn a_joint_reports_the_weight_that_hangs_on_it() {
    for solver in SolverKind::ALL {
        let mut scene = scene(vec![unit_crate("crate", Vec2::new(0.0, -0.5))], G);
        scene.joints.push(JointDef::pin("hook", "crate", None, Vec2::ZERO));
        let mut sim = simulate(scene, solver);
        run(&mut sim, 1.0);
        let weight = 600.0 * G;
        // The reaction is the force on the second end: the world is pulled down.
        let reaction = sim.reactions()[0];
        assert_relative_eq!(reaction.force.y, -weight, max_relative = 0.01);
        assert!(reaction.force.x.abs() < 0.01 * weight);
    }
}

/// In how many sub-steps it gets there, and what is left of the way in the last one, makes no difference.
#[test]
fn what_comes_fast_bounces_from_whatever_distance() {
    const SPEED: f32 = 2.0;
    for solver in SolverKind::ALL {
        for k in 0..1500 {
            let gap = 2e-6 * k as f32;
            let floor =
                BodyDef::new("floor", Shape::Box { size: Vec2::new(10.0, 1.0) }, -0.5 * Vec2::Y);
            let mut ball =
                BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(0.0, 0.5 + gap));
            ball.velocity = -SPEED * Vec2::Y;
            ball.material.restitution = 0.8;
            let mut sim = simulate(scene(vec![floor.fixed(), ball], G), solver);
            run(&mut sim, 0.05);
            let world = sim.world();
            let speed = world.motion(world.body("ball").unwrap()).unwrap().velocity.y;
            assert!((1.1..1.7).contains(&speed), "{solver}: {speed} m/s from {gap} m");
        }
    }
}
