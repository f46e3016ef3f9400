//! Every kind of joint against its formula, on every solver and at several step sizes.

use crate::run;
use approx::assert_relative_eq;
use sinew::metrics::Recorder;
use sinew::{
    AngleLimit, BodyDef, JointDef, JointKind, Motor, Pose, Scene, Shape, Sim, SolverKind, Spring,
    Travel, Vec2,
};

use crate::net;

const G: f32 = 10.0;
/// Steps per second and sub-steps: the answer is to be the same at all of them.
const PACES: [(f32, Option<u32>); 3] = [(60.0, None), (120.0, None), (60.0, Some(20))];

/// A crate of 1 m and 600 kg.
fn crate_at(id: &str, x: f32, y: f32) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::ONE }, Vec2::new(x, y))
}

const MASS: f32 = 600.0;

/// Calls `check` with a simulation of the same bodies and joints on every solver at every pace.
fn everywhere(bodies: &[BodyDef], joints: &[JointDef], check: impl Fn(&mut Sim, &str)) {
    for solver in SolverKind::ALL {
        for (hz, substeps) in PACES {
            let mut scene = Scene::default();
            scene.settings.gravity = Vec2::new(0.0, -G);
            scene.settings.solver = solver;
            scene.settings.hz = hz;
            scene.settings.substeps = substeps;
            scene.bodies = bodies.to_vec();
            scene.joints = joints.to_vec();
            let mut sim = Sim::new(&scene).unwrap();
            let place = format!("{solver} at {hz} Hz, sub-steps {substeps:?}");
            check(&mut sim, &place);
        }
    }
}

fn pose(sim: &Sim, id: &str) -> Pose {
    sim.world().pose(sim.world().body(id).unwrap()).unwrap()
}

fn center(sim: &Sim, id: &str) -> Vec2 {
    pose(sim, id).center
}

fn angle(sim: &Sim, id: &str) -> f32 {
    pose(sim, id).rot.radians()
}

fn spin(sim: &Sim, id: &str) -> f32 {
    sim.world().motion(sim.world().body(id).unwrap()).unwrap().spin
}

#[test]
fn a_weld_holds_the_angle_and_reports_its_torque() {
    let weld = JointDef::new("weld", JointKind::Weld { bend: None }, "a", None, Vec2::ZERO);
    everywhere(&[crate_at("a", 0.5, 0.0)], &[weld], |sim, place| {
        run(sim, 2.0);
        assert!(angle(sim, "a").abs() < 0.01, "{place}: turned by {}", angle(sim, "a"));
        let reaction = sim.reactions()[0];
        // What it does to the world: pulls it down, and turns it with the weight on its arm.
        assert_relative_eq!(reaction.force.y, -MASS * G, max_relative = 0.02);
        assert_relative_eq!(reaction.torque, -0.5 * MASS * G, max_relative = 0.03);
    });
}

#[test]
fn a_springy_weld_bends_by_torque_over_stiffness() {
    let spring = Spring { stiffness: 3e4, damping: 6e3 };
    let kind = JointKind::Weld { bend: Some(spring) };
    let weld = JointDef::new("weld", kind, "a", None, Vec2::ZERO);
    everywhere(&[crate_at("a", 0.5, 0.0)], &[weld], |sim, place| {
        run(sim, 6.0);
        let bent = -angle(sim, "a");
        let expected = 0.5 * MASS * G * bent.cos() / spring.stiffness;
        assert!((bent / expected - 1.0).abs() < 0.02, "{place}: {bent} for {expected}");
    });
}

#[test]
fn a_spring_stretches_by_force_over_stiffness_and_swings_at_its_frequency() {
    let spring = Spring { stiffness: 2e4, damping: 0.0 };
    let hang =
        JointDef::spring("spring", ("a", Vec2::new(0.0, 0.5)), (None, Vec2::new(0.0, 3.0)), spring);
    everywhere(&[crate_at("a", 0.0, 0.0)], &[hang], |sim, place| {
        let sag = MASS * G / spring.stiffness;
        let dt = f64::from(sim.settings().dt());
        let (mut crossings, mut before, mut lowest) = (Vec::new(), 0.0_f32, 0.0_f32);
        for step in 0..(8.0 / dt).round() as u32 {
            sim.step().unwrap();
            let above = center(sim, "a").y + sag;
            lowest = lowest.min(center(sim, "a").y);
            if before < 0.0 && above >= 0.0 {
                let part = f64::from(above / (above - before));
                crossings.push((f64::from(step + 1) - part) * dt);
            }
            before = above;
        }
        let swings = crossings.len() as f64 - 1.0;
        let period = (crossings[crossings.len() - 1] - crossings[0]) / swings;
        let expected = std::f64::consts::TAU * f64::from(MASS / spring.stiffness).sqrt();
        assert!((period / expected - 1.0).abs() < 0.01, "{place}: {period} s for {expected} s");
        assert_relative_eq!(lowest, -2.0 * sag, max_relative = 0.05);
    });
}

#[test]
fn a_rope_goes_slack_but_does_not_stretch() {
    let rope = JointDef::rope("rope", ("a", Vec2::new(2.0, 0.0)), (None, Vec2::ZERO));
    let ball = BodyDef::new("a", Shape::Disc { radius: 0.2 }, Vec2::new(2.0, 0.0));
    let thrown = BodyDef { velocity: Vec2::new(-2.0, 4.0), ..ball };
    everywhere(&[thrown], &[rope], |sim, place| {
        let (mut nearest, mut farthest) = (f32::MAX, 0.0_f32);
        for _ in 0..(4.0 * sim.settings().hz) as u32 {
            sim.step().unwrap();
            let length = center(sim, "a").length();
            (nearest, farthest) = (nearest.min(length), farthest.max(length));
        }
        assert!(nearest < 1.5 && farthest < 2.02, "{place}: {nearest} to {farthest} m");
    });
}

#[test]
fn a_slider_slides_between_its_ends_and_does_not_turn() {
    let limit = Some(Travel { lower: -1.0, upper: 1.0 });
    // Held off its centre, so that its weight would turn it; the axis leads up, and `b` is the world.
    let kind = JointKind::Slider { axis: Vec2::Y, limit };
    let slider = JointDef::new("slider", kind, "a", None, Vec2::new(0.4, 0.0));
    everywhere(&[crate_at("a", 0.0, 0.0)], &[slider], |sim, place| {
        run(sim, 0.3);
        let fallen = center(sim, "a").y;
        assert_relative_eq!(fallen, -0.5 * G * 0.09, max_relative = 0.05);
        run(sim, 2.0);
        let (at, angle) = (center(sim, "a"), angle(sim, "a"));
        assert!(at.x.abs() < 0.01 && angle.abs() < 0.01, "{place}: {at} turned by {angle}");
        assert!((at.y + 1.0).abs() < 0.01, "{place}: {at}");
    });
}

#[test]
fn a_motor_lifts_a_slider_as_far_as_its_force_goes() {
    for (most, moves) in [(1.1 * MASS * G, true), (0.9 * MASS * G, false)] {
        let kind = JointKind::Slider { axis: Vec2::Y, limit: None };
        let mut slider = JointDef::new("slider", kind, "base", Some("a"), Vec2::ZERO);
        slider.motor = Some(Motor::Speed { speed: 0.5, most });
        let base = crate_at("base", 0.0, 0.0).fixed();
        everywhere(&[base, crate_at("a", 0.0, 0.0)], &[slider], |sim, place| {
            run(sim, 3.0);
            let at = center(sim, "a").y;
            assert_eq!(at > 0.0, moves, "{place}: {at} m");
            if moves {
                // It takes MASS·0.5 / (0.1·MASS·G) = 0.5 s to gain speed.
                assert_relative_eq!(at, 0.5 * 3.0 - 0.125, max_relative = 0.05);
            }
        });
    }
}

#[test]
fn a_suspension_gives_by_weight_over_stiffness() {
    let spring = Spring { stiffness: 6e4, damping: 6e3 };
    let kind = JointKind::Wheel { axis: Vec2::Y, spring, limit: None };
    let wheel = BodyDef::new("wheel", Shape::Disc { radius: 0.3 }, Vec2::ZERO);
    let frame = crate_at("frame", 0.0, 0.0).fixed();
    let strut = JointDef::new("strut", kind, "frame", Some("wheel"), Vec2::ZERO);
    everywhere(&[frame, wheel], &[strut], |sim, place| {
        run(sim, 3.0);
        let weight = MASS * std::f32::consts::PI * 0.09 * G;
        let at = center(sim, "wheel");
        assert!(at.x.abs() < 1e-3, "{place}: {at}");
        assert_relative_eq!(at.y, -weight / spring.stiffness, max_relative = 0.02);
    });
}

#[test]
fn a_motor_turns_at_its_speed_and_gains_it_by_torque_over_inertia() {
    let ball = BodyDef::new("wheel", Shape::Disc { radius: 0.5 }, Vec2::ZERO);
    let inertia = 0.5 * MASS * std::f32::consts::PI * 0.25 * 0.25;
    let mut axle = JointDef::pin("axle", "frame", Some("wheel"), Vec2::ZERO);
    let most = 2.0 * inertia;
    axle.motor = Some(Motor::Speed { speed: 6.0, most });
    everywhere(&[crate_at("frame", 0.0, 0.0).fixed(), ball], &[axle], |sim, place| {
        run(sim, 1.5);
        assert!((spin(sim, "wheel") - 3.0).abs() < 0.1, "{place}: {} rad/s", spin(sim, "wheel"));
        run(sim, 2.5);
        assert!((spin(sim, "wheel") - 6.0).abs() < 0.06, "{place}: {} rad/s", spin(sim, "wheel"));
        let axle = sim.world().joint("axle").unwrap();
        sim.edit(|world| world.drive(axle, -6.0)).unwrap();
        run(sim, 7.0);
        assert!((spin(sim, "wheel") + 6.0).abs() < 0.06, "{place}: {} rad/s", spin(sim, "wheel"));
    });
}

/// A motor turns two crates, welded side by side, up to a quarter of a radian in a sub-step. Were the places of the weld
/// held along the tangents of their circles only, the crates would be flung metres apart.
#[test]
fn what_is_welded_to_something_that_turns_fast_stays_there() {
    let weld = JointKind::Weld { bend: None };
    let mut axle = JointDef::pin("axle", "a", None, Vec2::ZERO);
    axle.motor = Some(Motor::Speed { speed: 62.0, most: 6e4 });
    let joints = [axle, JointDef::new("weld", weld, "a", Some("b"), Vec2::new(0.5, 0.0))];
    for (solver, substeps, most) in [
        (SolverKind::Verlet, 4, 0.002),
        (SolverKind::Impulse, 4, 0.002),
        (SolverKind::Pbd, 4, 0.002),
    ] {
        let mut scene = Scene::default();
        scene.settings.gravity = Vec2::new(0.0, -G);
        (scene.settings.solver, scene.settings.substeps) = (solver, Some(substeps));
        scene.bodies = vec![crate_at("a", 0.0, 0.0), crate_at("b", 1.0, 0.0)];
        scene.joints = joints.to_vec();
        let mut sim = Sim::new(&scene).unwrap();
        let mut recorder = Recorder::new(sim.world(), Vec2::ZERO);
        for _ in 0..180 {
            sim.step().unwrap();
            recorder.observe(sim.world());
        }
        let (turns, error) = (spin(&sim, "a"), recorder.quality().max_joint_error_m);
        assert!(error < most, "{solver}: opens by {error} m");
        assert!((turns + 62.0).abs() < 1.0, "{solver}: turns at {turns} rad/s");
    }
}

/// A crate that weighs less than what is to hang on it.
fn small(id: &str) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::splat(0.3) }, Vec2::ZERO)
}

/// A small crate that is welded to the world, and a body of this shape there, pinned to it at this height, and one opposite.
fn on_a_welded_crate(
    shape: &Shape,
    far: Vec2,
    pinned: f32,
    motors: [Motor; 2],
) -> ([BodyDef; 3], [JointDef; 3]) {
    let body = |id: &str, at: Vec2| BodyDef::new(id, shape.clone(), at);
    let bodies = [small("b"), body("over", far), body("under", -far)];
    let pin = |id: &str, y: f32, motor: Motor| {
        let pin = JointDef::pin(id, "b", Some(id), Vec2::new(0.0, y));
        JointDef { motor: Some(motor), ..pin }
    };
    let weld = JointDef::new("weld", JointKind::Weld { bend: None }, "b", None, Vec2::ZERO);
    (bodies, [weld, pin("over", pinned, motors[0]), pin("under", -pinned, motors[1])])
}

/// Far stronger than they need be.
#[test]
fn strong_motors_on_a_welded_body_hold_still() {
    let spring = Spring { stiffness: 1e6, damping: 5e4 };
    let servo = Motor::Servo { target: 0.0, spring, most: 1e6 };
    for motor in [Motor::Speed { speed: 0.0, most: 1e6 }, servo] {
        let rod = Shape::Box { size: Vec2::new(0.2, 1.0) };
        let (bodies, joints) = on_a_welded_crate(&rod, Vec2::new(0.1, 0.7), 0.15, [motor; 2]);
        everywhere(&bodies, &joints, |sim, place| {
            run(sim, 2.0);
            for id in ["b", "over", "under"] {
                let (angle, spin) = (angle(sim, id), spin(sim, id));
                assert!(angle.abs() < 0.02, "{place}: {id} turned by {angle} rad");
                assert!(spin.abs() < 0.02, "{place}: {id} turns at {spin} rad/s");
            }
        });
    }
}

#[test]
fn motors_on_a_welded_body_give_no_more_than_their_torque() {
    let inertia = 0.5 * MASS * std::f32::consts::PI * 0.25 * 0.25;
    let motors = [6.0, -6.0].map(|speed| Motor::Speed { speed, most: 2.0 * inertia });
    let wheel = Shape::Disc { radius: 0.5 };
    let (bodies, joints) = on_a_welded_crate(&wheel, Vec2::Y, 1.0, motors);
    everywhere(&bodies, &joints, |sim, place| {
        for (seconds, speed) in [(1.5, 3.0), (2.5, 6.0)] {
            run(sim, seconds);
            for (id, wanted) in [("over", speed), ("under", -speed)] {
                let found = spin(sim, id);
                assert!((found - wanted).abs() < 0.1, "{place}: {id} {found} for {wanted} rad/s");
            }
        }
    });
}

#[test]
fn a_strong_motor_stops_at_its_limit() {
    let ball = BodyDef::new("ball", Shape::Disc { radius: 0.2 }, Vec2::new(0.1, 0.0));
    let limit = Some(AngleLimit { lower: -0.3, upper: 0.3 });
    let pin = JointDef::new("pin", JointKind::Pin { limit }, "ball", None, Vec2::ZERO);
    let spring = Spring { stiffness: 1e5, damping: 5e3 };
    let servo = Motor::Servo { target: -1.5, spring, most: 1e5 };
    for motor in [Motor::Speed { speed: -3.0, most: 1e5 }, servo] {
        let joint = JointDef { motor: Some(motor), ..pin.clone() };
        everywhere(std::slice::from_ref(&ball), &[joint], |sim, place| {
            run(sim, 2.0);
            let found = angle(sim, "ball").abs();
            assert!((found - 0.3).abs() < 0.02, "{place}: {found} for 0.3 rad");
        });
    }
}

/// In the air, where nothing else holds them.
#[test]
fn what_a_motor_presses_against_a_narrow_limit_stays_there() {
    let rod = |id: &str, x: f32| {
        BodyDef::new(id, Shape::Box { size: Vec2::new(1.0, 0.2) }, Vec2::new(x, 0.0))
    };
    let bodies = [rod("a", -0.5), rod("b", 0.5)];
    let spring = Spring { stiffness: 1e5, damping: 300.0 };
    let motors =
        [Motor::Servo { target: 1.0, spring, most: 1e5 }, Motor::Speed { speed: 3.0, most: 1e5 }];
    for ([lower, upper], motor) in
        [[-0.05, 0.05], [-0.05, 0.0], [0.0, 0.0]].into_iter().flat_map(|of| motors.map(|m| (of, m)))
    {
        let limit = Some(AngleLimit { lower, upper });
        let pin = JointDef::new("pin", JointKind::Pin { limit }, "a", Some("b"), Vec2::ZERO);
        let pin = JointDef { motor: Some(motor), ..pin };
        everywhere(&bodies, &[pin], |sim, place| {
            run(sim, 0.5);
            for _ in 0..100 {
                run(sim, 0.02);
                let (turned, spin) =
                    (angle(sim, "b") - angle(sim, "a"), spin(sim, "b") - spin(sim, "a"));
                assert!((turned - upper).abs() < 2e-3, "{place}: {turned} for {upper} rad");
                assert!(spin.abs() < 0.02, "{place}: turns at {spin} rad/s");
            }
        });
    }
}

/// Three rods that are pinned to each other around, and cannot turn as a limit wants; in the air.
#[test]
fn what_joints_cannot_agree_on_turns_nothing() {
    let rod = |id: &str, size: Vec2, at: Vec2| BodyDef::new(id, Shape::Box { size }, at);
    let bodies = [
        rod("a", Vec2::new(1.0, 0.15), Vec2::new(0.0, 0.0)),
        rod("b", Vec2::new(0.15, 1.0), Vec2::new(0.5, 0.4)),
        rod("c", Vec2::new(1.0, 0.15), Vec2::new(0.0, 0.4)),
    ];
    let pin = |id: &str, [a, b]: [&str; 2], at: Vec2, limit: Option<AngleLimit>| {
        JointDef::new(id, JointKind::Pin { limit }, a, Some(b), at)
    };
    let limit = Some(AngleLimit { lower: 0.07, upper: 0.09 });
    let joints = [
        pin("ab", ["a", "b"], Vec2::new(0.5, 0.0), limit),
        pin("bc", ["b", "c"], Vec2::new(0.5, 0.4), None),
        pin("ca", ["c", "a"], Vec2::new(-0.4, 0.2), None),
    ];
    everywhere(&bodies, &joints, |sim, place| {
        run(sim, 3.0);
        for id in ["a", "b", "c"] {
            let spin = spin(sim, id);
            assert!(spin.abs() < 2.0, "{place}: {id} turns at {spin} rad/s");
        }
    });
}

/// A wheel that is pinned to a crate of a tenth of its mass, and turned by a strong motor or held; the crate slides between
/// two ends.
#[test]
fn the_end_of_a_slider_stops_all_that_hangs_on_it() {
    let axis = Vec2::new(-0.8, 0.6);
    let travel = Travel { lower: -0.4, upper: 0.3 };
    let bodies = [
        BodyDef::new("crate", Shape::Box { size: Vec2::new(0.2, 0.3) }, Vec2::ZERO),
        BodyDef::new("wheel", Shape::Disc { radius: 0.5 }, Vec2::new(0.8, 0.0)),
    ];
    let kind = JointKind::Slider { axis, limit: Some(travel) };
    let slider = JointDef::new("slider", kind, "crate", None, Vec2::new(-0.25, 0.0));
    let pinned = Vec2::new(0.4, 0.0);
    let pin = JointDef::pin("pin", "crate", Some("wheel"), pinned);
    for speed in [0.0, 6.0] {
        let pin = JointDef { motor: Some(Motor::Speed { speed, most: 1e6 }), ..pin.clone() };
        everywhere(&bodies, &[slider.clone(), pin], |sim, place| {
            for _ in 0..150 {
                run(sim, 0.02);
                let (holds, held) = (pose(sim, "crate"), pose(sim, "wheel"));
                let gap = holds.apply(pinned).distance(held.apply(pinned - Vec2::new(0.8, 0.0)));
                assert!(gap < 5e-4, "{place}: the pin is open by {gap} m at {speed} rad/s");
                let (along, across) = (holds.center.dot(axis), holds.center.dot(axis.perp()));
                assert!(across.abs() < 2e-3, "{place}: {across} m off the axis");
                // The travel is that of the world along the axis, seen from the crate.
                let range = -travel.upper - 3e-3..-travel.lower + 3e-3;
                assert!(range.contains(&along), "{place}: at {along} m");
            }
            if speed == 0.0 {
                let (at, spin) = (center(sim, "crate").dot(axis), spin(sim, "wheel"));
                assert!((at + travel.upper).abs() < 1e-3, "{place}: rests at {at} m");
                assert!(spin.abs() < 0.02, "{place}: turns at {spin} rad/s");
            }
        });
    }
}

/// A disc that a small crate carries around a nail which is twice the crate's size from it.
#[test]
fn a_pin_far_outside_a_small_body_holds() {
    let [at, nail] = [Vec2::new(-0.4, 0.0), Vec2::new(-0.6, -0.35)];
    let bodies = [
        BodyDef::new("disc", Shape::Disc { radius: 0.4 }, Vec2::new(0.4, 0.0)),
        BodyDef::new("crate", Shape::Box { size: Vec2::new(0.2, 0.15) }, at),
    ];
    let kind = JointKind::Weld { bend: None };
    let weld = JointDef::new("weld", kind, "disc", Some("crate"), Vec2::ZERO);
    for most in [0.0, 1e5] {
        let motor = Some(Motor::Speed { speed: 20.0, most });
        let pin = JointDef { motor, ..JointDef::pin("pin", "crate", None, nail) };
        everywhere(&bodies, &[weld.clone(), pin], |sim, place| {
            for _ in 0..100 {
                run(sim, 0.02);
                let (small, large) = (pose(sim, "crate"), pose(sim, "disc"));
                let gaps = [
                    small.apply(nail - at).distance(nail),
                    small.apply(-at).distance(large.apply(Vec2::new(-0.4, 0.0))),
                ];
                assert!(gaps.iter().all(|gap| *gap < 5e-3), "{place}: open by {gaps:?} m");
            }
        });
    }
}

/// Two rods, one after the other, each on the limit of its pin.
#[test]
fn limits_on_a_welded_body_bear_what_leans_on_them() {
    let rod = |id: &str, x: f32| {
        BodyDef::new(id, Shape::Box { size: Vec2::new(0.5, 0.3) }, Vec2::new(x, 0.0))
    };
    let pin = |id: &str, a: &str, x: f32| {
        let limit = Some(AngleLimit { lower: -0.02, upper: 0.02 });
        JointDef::new(id, JointKind::Pin { limit }, a, Some(id), Vec2::new(x, 0.0))
    };
    let weld = JointDef::new("weld", JointKind::Weld { bend: None }, "b", None, Vec2::ZERO);
    let bodies = [small("b"), rod("near", 0.4), rod("far", 0.9)];
    everywhere(&bodies, &[weld, pin("near", "b", 0.15), pin("far", "near", 0.65)], |sim, place| {
        run(sim, 3.0);
        for (id, wanted) in [("b", 0.0), ("near", -0.02), ("far", -0.04)] {
            let found = angle(sim, id);
            assert!((found - wanted).abs() < 1e-3, "{place}: {id} {found} for {wanted} rad");
        }
    });
}

#[test]
fn a_servo_gives_by_load_over_stiffness() {
    let spring = Spring { stiffness: 2e4, damping: 4e3 };
    let mut shoulder = JointDef::pin("shoulder", "base", Some("arm"), Vec2::ZERO);
    shoulder.motor = Some(Motor::Servo { target: 0.5, spring, most: 1e6 });
    let arm = BodyDef::new("arm", Shape::Box { size: Vec2::new(1.0, 0.2) }, Vec2::new(0.5, 0.0));
    everywhere(&[crate_at("base", 0.0, 0.0).fixed(), arm], &[shoulder], |sim, place| {
        run(sim, 8.0);
        let angle = angle(sim, "arm");
        let load = 0.2 * MASS * G * 0.5 * angle.cos();
        let expected = 0.5 - load / spring.stiffness;
        assert!((angle / expected - 1.0).abs() < 0.02, "{place}: {angle} for {expected}");
    });
}

/// What is softer than solvers can divide by is told; what is just hard enough does nothing to speak of.
#[test]
fn a_servo_of_next_to_no_stiffness_is_told_or_does_nothing() {
    let base = crate_at("base", 0.0, 0.0).fixed();
    let arm = BodyDef::new("arm", Shape::Box { size: Vec2::new(1.0, 0.2) }, Vec2::new(0.5, 0.0));
    let bodies = [base, arm];
    let free = JointDef::pin("shoulder", "base", Some("arm"), Vec2::ZERO);
    let driven = |stiffness: f32| {
        let spring = Spring { stiffness, damping: 0.0 };
        let motor = Some(Motor::Servo { target: 0.5, spring, most: 1e4 });
        JointDef { motor, ..free.clone() }
    };
    for stiffness in [f32::MIN_POSITIVE, 1e-42, 0.0, f32::NAN] {
        let joints = vec![driven(stiffness)];
        let scene = Scene { bodies: bodies.to_vec(), joints, ..Scene::default() };
        let told = Sim::new(&scene).err().map(|error| error.to_string());
        let told = told.unwrap_or_default();
        assert!(told.contains("shoulder") && told.contains("or more"), "{stiffness}: {told}");
    }
    let swung = |joint: JointDef| {
        let places = std::cell::RefCell::new(Vec::new());
        everywhere(&bodies, &[joint], |sim, place| {
            run(sim, 1.0);
            places.borrow_mut().push((center(sim, "arm"), place.to_owned()));
        });
        places.into_inner()
    };
    for ((found, place), (wanted, _)) in
        swung(driven(Spring::SOFTEST)).iter().zip(swung(free.clone()))
    {
        assert!(found.distance(wanted) < 0.01, "{place}: {found} for {wanted}");
    }
}

#[test]
fn a_turn_drives_the_angle_of_what_falls_and_holds_nothing() {
    let spring = Spring { stiffness: 1e4, damping: 2e3 };
    let mut turn = JointDef::new("turn", JointKind::Turn, "base", Some("a"), Vec2::ZERO);
    turn.motor = Some(Motor::Servo { target: 0.5, spring, most: 1e6 });
    let base = crate_at("base", 0.0, 3.0).fixed();
    everywhere(&[base, crate_at("a", 4.0, 0.0)], &[turn], |sim, place| {
        run(sim, 1.5);
        assert_relative_eq!(angle(sim, "a"), 0.5, epsilon = 0.01);
        let fallen = center(sim, "a");
        assert_relative_eq!(fallen.y, -0.5 * G * 2.25, max_relative = 0.01);
        assert!((fallen.x - 4.0).abs() < 1e-3, "{place}: {fallen}");
    });
}

#[test]
fn a_gear_turns_the_other_way_by_its_ratio() {
    let wheel = |id, x| BodyDef::new(id, Shape::Disc { radius: 0.5 }, Vec2::new(x, 0.0));
    let mut axle = JointDef::pin("axle", "frame", Some("a"), Vec2::ZERO);
    axle.motor = Some(Motor::Speed { speed: 8.0, most: 1e4 });
    let joints = [
        axle,
        JointDef::pin("other", "frame", Some("b"), Vec2::new(3.0, 0.0)),
        JointDef::new("gear", JointKind::Gear { ratio: 2.5 }, "a", Some("b"), Vec2::ZERO),
    ];
    let frame = crate_at("frame", 0.0, 5.0).fixed();
    everywhere(&[frame, wheel("a", 0.0), wheel("b", 3.0)], &joints, |sim, place| {
        run(sim, 5.0);
        let (a, b) = (spin(sim, "a"), spin(sim, "b"));
        assert!((a - 8.0).abs() < 0.1 && (b + 20.0).abs() < 0.25, "{place}: {a}, {b} rad/s");
        let angles = sim.world().state.joints[2].angles;
        let error = 2.5 * angles[0] + angles[1];
        assert!(angles[0] > 30.0 && error.abs() < 0.05, "{place}: off by {error} rad");
    });
}

#[test]
fn two_weights_over_a_pulley_fall_as_atwood_says() {
    let over = [Vec2::new(-1.0, 5.0), Vec2::new(1.0, 5.0)];
    let heavy = crate_at("heavy", -1.0, 0.0);
    let mut light = crate_at("light", 1.0, 0.0);
    light.material.density = 400.0;
    let kind = JointKind::Pulley { over, ratio: 1.0 };
    let mut rope = JointDef::new("rope", kind, "heavy", Some("light"), Vec2::new(-1.0, 0.5));
    rope.to = Some(Vec2::new(1.0, 0.5));
    everywhere(&[heavy, light], &[rope], |sim, place| {
        run(sim, 1.0);
        let (down, up) = (center(sim, "heavy").y, center(sim, "light").y);
        let expected = 0.5 * G * 200.0 / 1000.0;
        assert!((up - expected).abs() < 0.03, "{place}: up {up} for {expected} m");
        assert!((down + up).abs() < 0.02, "{place}: {down}, {up}");
    });
}

#[test]
fn joints_hold_soft_bodies_by_place_and_by_angle() {
    // A square of stiff edges that may bend, welded to the world at its side.
    let corners = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)];
    let point = |(x, y): (f32, f32)| sinew::MeshPoint {
        position: Vec2::new(x, y),
        mass: 100.0,
        pinned: false,
    };
    let edges = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)];
    let mesh = sinew::Mesh {
        points: corners.map(point).to_vec(),
        edges: edges.map(|(a, b)| sinew::MeshEdge::stiff(a, b)).to_vec(),
        pieces: vec![vec![0, 1, 2, 3]],
        soft: true,
        ..sinew::Mesh::default()
    };
    let body = BodyDef::new("a", Shape::Mesh(mesh), Vec2::new(0.5, 0.0));
    let weld = JointDef::new("weld", JointKind::Weld { bend: None }, "a", None, Vec2::ZERO);
    everywhere(&[body], &[weld], |sim, place| {
        run(sim, 2.0);
        assert!(angle(sim, "a").abs() < 0.02, "{place}: turned by {}", angle(sim, "a"));
        assert!(center(sim, "a").distance(Vec2::new(0.5, 0.0)) < 0.02, "{place}");
    });
}

/// A net of [`net::net`] that hangs by two corners.
fn hanging_net(side: usize, solver: SolverKind) -> Scene {
    let mut scene = net::net(side, 0.4, |k| Vec2::new((k % side) as f32, -((k / side) as f32)));
    for corner in [0, side - 1] {
        scene.bodies[corner] = scene.bodies[corner].clone().fixed();
    }
    scene.settings.solver = solver;
    scene
}

/// Points of rigid bodies are held by edges; a joint moves the body as a whole, so that no pull bends its frame.
#[test]
fn a_net_on_verlet_pulls_no_disc_out_of_shape() {
    let mut sim = Sim::new(&hanging_net(30, SolverKind::Verlet)).unwrap();
    let mut recorder = Recorder::new(sim.world(), Vec2::ZERO);
    for _ in 0..90 {
        sim.step().unwrap();
        recorder.observe(sim.world());
    }
    let quality = recorder.quality();
    assert!(quality.max_stretch < 1e-3, "{quality:?}");
    assert!(quality.max_joint_error_m < 0.03, "{quality:?}");
}

/// Wide nets are solved in rounds. With four of them a step a net hangs together only if each step goes on from all
/// that held it in the last: with half of that its pins open six times as far.
#[test]
fn a_net_goes_on_from_what_held_it_before() {
    let mut scene = hanging_net(20, SolverKind::Impulse);
    (scene.settings.substeps, scene.settings.iterations) = (Some(1), Some(4));
    let mut sim = Sim::new(&scene).unwrap();
    let mut widest = 0.0_f32;
    for step in 0..300 {
        sim.step().unwrap();
        if step >= 30 {
            let sample = *Recorder::new(sim.world(), Vec2::ZERO).observe(sim.world());
            widest = widest.max(sample.joint_error as f32);
        }
    }
    assert!(widest < 0.05, "pins open by {widest} m");
}

/// What hangs on the discs at the corners of this net would turn them back several times as fast as a sub-step can
/// follow. Where it acts one sub-step late they quiver, joints are started from less, and pins open by 10 m.
#[test]
fn a_wide_net_hangs_together_at_one_sub_step() {
    let mut scene = hanging_net(40, SolverKind::Impulse);
    (scene.settings.substeps, scene.settings.iterations) = (Some(1), Some(4));
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), scene.settings.gravity);
    for _ in 0..240 {
        sim.step().unwrap();
        let sample = recorder.observe(sim.world());
        assert!(sample.joint_error < 0.15 && sample.energy_gain < 0.0, "{sample:?}");
    }
}
