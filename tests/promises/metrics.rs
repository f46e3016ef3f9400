//! The metrics against cases worked out by hand: worlds are put into a known state and measured,
//! without any solver.

use approx::assert_relative_eq;
use sinew::metrics::Recorder;
use sinew::{BodyDef, JointDef, Mesh, MeshEdge, MeshPoint, Scene, Shape, Vec2, World};

use super::{GRAVITY, STEP, ball_at, crate_at, tick, world};

/// Moves all points of a body.
fn shift(world: &mut World, id: &str, by: Vec2) {
    let body = world.body(id).unwrap();
    for point in world.model.bodies[world.index(body).unwrap()].point_range() {
        world.state.position[point] += by;
    }
}

/// Gives all points of a body one velocity.
fn set_velocity(world: &mut World, id: &str, velocity: Vec2) {
    let body = world.body(id).unwrap();
    for point in world.model.bodies[world.index(body).unwrap()].point_range() {
        world.state.velocity[point] = velocity;
    }
}

#[test]
fn penetration_of_crates_balls_and_capsules() {
    let deepest = |bodies| *Recorder::new(&world(bodies), GRAVITY).last();
    // A crate turned by 45° stands on its corner, √½ below its centre, 5 cm deep in the other.
    let tilted = BodyDef {
        angle: std::f32::consts::FRAC_PI_4,
        ..crate_at("b", 0.0, 0.5 + std::f32::consts::FRAC_1_SQRT_2 - 0.05)
    };
    let sample = deepest(vec![crate_at("a", 0.0, 0.0), tilted]);
    assert_relative_eq!(sample.penetration, 0.05, epsilon = 1e-6);
    // 3-4-5: centres 1 m apart less 3 cm.
    let sample = deepest(vec![ball_at("a", 0.0, 0.0), ball_at("b", 0.6 * 0.97, 0.8 * 0.97)]);
    assert_relative_eq!(sample.penetration, 0.03, epsilon = 1e-6);
    let capsule = BodyDef {
        angle: std::f32::consts::FRAC_PI_2,
        ..BodyDef::new("b", Shape::Capsule { length: 2.0, radius: 0.25 }, Vec2::new(0.7, 0.3))
    };
    let sample = deepest(vec![crate_at("a", 0.0, 0.0), capsule.clone()]);
    assert_relative_eq!(sample.penetration, 0.05, epsilon = 1e-6);
    let sample = deepest(vec![ball_at("a", 0.0, 0.0), capsule]);
    assert_relative_eq!(sample.penetration, 0.05, epsilon = 1e-6);
}

#[test]
fn quality_has_the_worst_and_the_last_and_leaves_out_the_start() {
    let crates = |depth: f32| world(vec![crate_at("a", 0.0, 0.0), crate_at("b", 1.0 - depth, 0.0)]);
    let mut recorder = Recorder::new(&crates(0.1), GRAVITY);
    assert_relative_eq!(recorder.last().penetration, 0.1, epsilon = 1e-6);
    for depth in [0.02, 0.04, 0.01] {
        recorder.observe(&crates(depth));
    }
    let quality = recorder.quality();
    assert_relative_eq!(quality.max_penetration_m, 0.04, epsilon = 1e-6);
    assert_relative_eq!(quality.p99_penetration_m, 0.04, max_relative = 0.006);
    assert_relative_eq!(quality.final_penetration_m, 0.01, epsilon = 1e-6);
}

#[test]
fn a_pendulum_trades_height_for_speed() {
    let mut scene = Scene { bodies: vec![ball_at("bob", 0.0, 3.0)], ..Scene::default() };
    scene.joints.push(JointDef::pin("pivot", "bob", None, Vec2::new(0.0, 5.0)));
    let mut world = World::build(&scene).unwrap();
    let mass = f64::from(world.model.bodies[0].mass);
    let mut recorder = Recorder::new(&world, GRAVITY);
    // 0.8 m lower and at √(2·10·0.8) = 4 m/s: as much energy as at the start.
    shift(&mut world, "bob", Vec2::new(0.0, -0.8));
    set_velocity(&mut world, "bob", Vec2::new(4.0, 0.0));
    let sample = *recorder.observe(&world);
    assert_relative_eq!(sample.kinetic, 8.0 * mass, max_relative = 1e-5);
    assert_relative_eq!(sample.kinetic_per_kg, 8.0, max_relative = 1e-5);
    assert!(sample.energy.abs() < 1e-4 * sample.kinetic, "{}", sample.energy);
    assert_relative_eq!(sample.joint_error, 0.8, epsilon = 1e-6);
    assert_eq!(sample.momentum_drift, None, "gravity and the pivot act from outside");
    // A solver that added speed is found out.
    set_velocity(&mut world, "bob", Vec2::new(5.0, 0.0));
    recorder.observe(&world);
    let quality = recorder.quality();
    assert_relative_eq!(quality.energy_peak_gain_j, 4.5 * mass, max_relative = 1e-4);
    assert_relative_eq!(quality.max_joint_error_m, 0.8, epsilon = 1e-6);
}

#[test]
fn springs_store_energy_and_stiff_edges_stretch() {
    let point = |x: f32| MeshPoint { position: Vec2::new(x, 0.0), mass: 1.0, pinned: false };
    let mesh = Mesh {
        points: vec![point(0.0), point(1.0), point(3.0)],
        edges: vec![MeshEdge { a: 0, b: 1, compliance: 1e-3, damping: 0.0 }, MeshEdge::stiff(1, 2)],
        soft: true,
        ..Mesh::default()
    };
    let mut world = world(vec![BodyDef::new("rope", Shape::Mesh(mesh), Vec2::ZERO)]);
    let mut recorder = Recorder::new(&world, Vec2::ZERO);
    assert_eq!(recorder.last().stretch, 0.0);
    // The spring 0.1 m longer: 0.1² / (2·10⁻³) = 5 J. The rod 0.1 m shorter than its 2 m: 5 %.
    world.state.position[1].x += 0.1;
    let sample = recorder.observe(&world);
    assert_relative_eq!(sample.energy, 5.0, epsilon = 1e-4);
    assert_relative_eq!(sample.stretch, 0.05, epsilon = 1e-6);
}

#[test]
fn ground_and_other_fixed_things_have_no_energy() {
    let mut ground = crate_at("ground", 0.0, -3.0).fixed();
    ground.velocity = Vec2::new(100.0, 0.0);
    let mut moving = ball_at("ball", 0.0, 0.0);
    moving.velocity = Vec2::new(3.0, 4.0);
    let world = world(vec![ground, moving]);
    let sample = *Recorder::new(&world, GRAVITY).last();
    assert_relative_eq!(sample.kinetic_per_kg, 12.5, max_relative = 1e-5);
    let empty = World::default();
    assert_eq!(Recorder::new(&empty, GRAVITY).last().kinetic_per_kg, 0.0);
}

#[test]
fn momentum_drift_is_relative_to_what_moves() {
    let mut world = world(vec![ball_at("a", -2.0, 0.0), ball_at("b", 2.0, 0.0)]);
    set_velocity(&mut world, "a", Vec2::X);
    set_velocity(&mut world, "b", Vec2::NEG_X);
    let mut recorder = Recorder::new(&world, Vec2::ZERO);
    assert_eq!(recorder.last().momentum_drift, Some(0.0));
    // One ball stops of itself: half of Σ m·|v| is gone.
    set_velocity(&mut world, "a", Vec2::ZERO);
    let drift = recorder.observe(&world).momentum_drift.unwrap();
    assert_relative_eq!(drift, 0.5, epsilon = 1e-6);
    // Both stop: momentum is right again, and nothing moves by which to divide.
    set_velocity(&mut world, "b", Vec2::ZERO);
    let drift = recorder.observe(&world).momentum_drift.unwrap();
    assert_relative_eq!(drift, 0.0, epsilon = 1e-6);
    assert_relative_eq!(recorder.quality().momentum_drift.unwrap(), 0.5, epsilon = 1e-6);
    recorder.disturb();
    assert_eq!(recorder.observe(&world).momentum_drift, None);
    assert_eq!(recorder.quality().momentum_drift, None);
}

#[test]
fn escaping_and_turning_inside_out_are_counted() {
    let mut world = world(vec![ball_at("ball", 0.0, 0.0), crate_at("crate", 5.0, 0.0)]);
    let mut recorder = Recorder::new(&world, GRAVITY);
    shift(&mut world, "ball", Vec2::new(0.0, -51.0));
    assert_eq!(recorder.observe(&world).escaped, 1);
    shift(&mut world, "ball", Vec2::new(0.0, 51.0));
    assert_eq!(recorder.observe(&world).escaped, 0);
    assert_eq!(recorder.quality().escaped, 1, "it left, though it came back");
    let body = world.body("crate").unwrap();
    for point in world.model.bodies[world.index(body).unwrap()].point_range() {
        world.state.position[point].x = 10.0 - world.state.position[point].x;
    }
    assert_eq!(recorder.observe(&world).inverted, 1);
}

#[test]
fn settled_is_when_it_last_came_to_rest() {
    let mut world = world(vec![ball_at("ball", 0.0, 0.0)]);
    let mut recorder = Recorder::new(&world, GRAVITY);
    assert_eq!(recorder.last().settled_at, Some(0.0));
    let mut settled = Vec::new();
    for speed in [1.0, 0.0, 0.5, 0.04, 0.03, 0.0] {
        tick(&mut world);
        set_velocity(&mut world, "ball", Vec2::new(speed, 0.0));
        settled.push(recorder.observe(&world).settled_at);
    }
    let after = |steps: f64| Some(steps * STEP);
    assert_eq!(settled, [None, after(2.0), None, after(4.0), after(4.0), after(4.0)]);
}
