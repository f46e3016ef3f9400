//! Ragdolls as data: the levels about them on every solver, limits on impact, muscles, poses that
//! change with time, builds, limbs that tear off, parts that collide.

use approx::assert_relative_eq;
use sinew::{Body, BodyKind, Event, Level, Motor, Rot, Scene, Sim, SolverKind, Vec2, World};

use crate::promised::broken_on_any;

fn file(name: &str) -> String {
    format!("{}/levels/{name}.json", env!("CARGO_MANIFEST_DIR"))
}

fn level(name: &str) -> Level {
    Level::load(file(name).as_ref()).unwrap_or_else(|error| panic!("{error}"))
}

/// A level of these items without ground.
fn scene(items: &str) -> Scene {
    let text = format!(r#"{{ "format": 1, "items": [{items}] }}"#);
    Level::parse(&text, "test").unwrap_or_else(|error| panic!("{error}")).scene
}

fn on(scene: &Scene, solver: SolverKind) -> Sim {
    let mut scene = scene.clone();
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn keeps_its_promises(name: &str) {
    assert_eq!(broken_on_any(&level(name)), Vec::<String>::new());
}

#[test]
fn ten_people_lie_in_a_heap_without_a_twitch() {
    keeps_its_promises("ten_people");
}

/// Ten limp people fall on each other, each time from places up to a hand's breadth off.
#[test]
fn heaps_of_limp_people_come_to_rest() {
    const HEAPS: usize = 16;
    let text = std::fs::read_to_string(file("ten_people")).unwrap();
    let limp = text.replace(r#""muscles": { "strength": 0.2, "pose": "relaxed" }"#, "");
    assert_ne!(limp, text);
    let scene = Level::parse(&limp, "limp").unwrap().scene;
    for solver in SolverKind::ALL {
        let lies_still = |start: usize| {
            let mut scene = scene.clone();
            let person =
                |id: &str| id.split('.').next().unwrap_or(id).len() + usize::from(id.as_bytes()[0]);
            let moved = |id: &str| 0.1 * Vec2::from_angle((start * person(id)) as f32);
            for body in scene.bodies.iter_mut().filter(|body| body.kind == BodyKind::Dynamic) {
                body.position += moved(&body.id);
            }
            for joint in &mut scene.joints {
                joint.at += moved(&joint.a);
            }
            let mut sim = on(&scene, solver);
            (0..720).for_each(|_| assert!(sim.step().is_ok()));
            fastest(&mut sim, 120) < 0.03
        };
        let still = (0..HEAPS).filter(|start| lies_still(*start)).count();
        assert!(still >= 13, "{solver}: {still} of {HEAPS} lie still");
    }
}

/// The highest speed of any body in some steps, m/s.
fn fastest(sim: &mut Sim, steps: usize) -> f32 {
    let mut fastest = 0.0_f32;
    for _ in 0..steps {
        sim.step().unwrap();
        let World { model, state } = sim.world();
        let speed =
            |body: &Body| model.motion(body, &state.position, &state.velocity).velocity.length();
        let bodies = model.bodies.iter().filter(|body| body.is_dynamic());
        fastest = bodies.map(speed).fold(fastest, f32::max);
    }
    fastest
}

/// A person whose trunk is held sits on nothing, and its legs fall: with friction in its joints they hang still in the end.
#[test]
fn limbs_that_dangle_come_to_rest_by_friction() {
    let hung = |keys: &str| {
        scene(&format!(
            r#"{{ "type": "ragdoll", "id": "ann", "at": [0, 3], "pose": "sit"{keys} }},
               {{ "type": "weld", "a": "ann.pelvis", "at": [0, 3] }}"#
        ))
    };
    for solver in SolverKind::ALL {
        let speed_after_20_s = |keys: &str| {
            let mut sim = on(&hung(keys), solver);
            (0..1200).for_each(|_| assert!(sim.step().is_ok()));
            fastest(&mut sim, 120)
        };
        let (rubs, free) = (speed_after_20_s(""), speed_after_20_s(r#", "joint_friction": 0"#));
        assert!(rubs < 0.03 && free > 0.3, "{solver}: {rubs} m/s, without friction {free} m/s");
    }
}

/// What hangs on a joint decides how much it rubs: what it carries does not, or a limp knee would hold its shin level.
#[test]
fn a_joint_rubs_by_the_weight_that_hangs_on_it() {
    let scene =
        scene(r#"{ "type": "ragdoll", "id": "ann", "pose": "stand", "joint_friction": 0.1 }"#);
    let body = |id: &str| scene.bodies.iter().find(|body| body.id == id).unwrap();
    let World { model, .. } = World::build(&scene).unwrap();
    let mass = |id: &str| model.bodies.iter().find(|body| body.id == *id).unwrap().mass;
    for (id, hangs) in [
        ("ann.ankle.r", &["ann.foot.r"][..]),
        ("ann.knee.l", &["ann.shin.l", "ann.foot.l"]),
        ("ann.elbow.r", &["ann.forearm.r"]),
        ("ann.shoulder.r", &["ann.upper_arm.r", "ann.forearm.r"]),
    ] {
        let joint = scene.joints.iter().find(|joint| joint.id == id).unwrap();
        let torque = |id: &&str| 9.81 * mass(id) * joint.at.distance(body(id).position);
        let wanted = 0.1 * hangs.iter().map(torque).sum::<f32>();
        let Some(Motor::Speed { speed: 0.0, most }) = joint.motor else { panic!("{id}") };
        assert_relative_eq!(most, wanted, max_relative = 0.02);
    }
}

#[test]
fn muscles_stand_get_up_run_and_stretch() {
    keeps_its_promises("muscles");
}

#[test]
fn a_limb_tears_off_at_its_force() {
    keeps_its_promises("torn_limb");
}

#[test]
fn what_tears_is_told() {
    for solver in SolverKind::ALL {
        let mut sim = on(&level("torn_limb").scene, solver);
        let mut torn = Vec::new();
        for _ in 0..120 {
            sim.step().unwrap();
            torn.extend(sim.events().iter().filter_map(|event| match event {
                Event::JointBroke { id, .. } => Some(id.clone()),
                _ => None,
            }));
        }
        assert!(!torn.is_empty(), "{solver}: nothing tore");
        assert!(torn.iter().all(|id| id.starts_with("torn.")), "{solver}: {torn:?}");
    }
}

/// How far the joint that is farthest beyond its limits is beyond them, degrees, and which it is.
fn overshoot(world: &World) -> (f32, String) {
    let (model, state) = (&world.model, &world.state);
    let rot = |body: u32| model.pose(&model.bodies[body as usize], &state.position).rot;
    let excess = model.joints.iter().filter_map(|joint| {
        let b = joint.b.body().map_or(Rot::IDENTITY, rot);
        let excess = joint.limit?.excess(rot(joint.body_a).inverse().after(b));
        Some((excess.abs().to_degrees(), joint.id.clone()))
    });
    excess.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap()
}

#[test]
fn joint_limits_hold_on_impact() {
    // The worst moments, in degrees: the fall onto the stairs at 10 m/s with all weight on one foot.
    let most = [(SolverKind::Verlet, 10.0), (SolverKind::Impulse, 11.0), (SolverKind::Pbd, 4.0)];
    for name in ["demo", "ragdoll_stairs"] {
        for (solver, most) in most {
            let mut sim = on(&level(name).scene, solver);
            for step in 0..200 {
                sim.step().unwrap();
                let (worst, joint) = overshoot(sim.world());
                assert!(worst < most, "{name} on {solver}: {joint} by {worst}° at step {step}");
            }
        }
    }
}

#[test]
fn a_muscle_of_strength_one_just_holds_what_it_carries_level() {
    let scene = scene(
        r#"{ "type": "ragdoll", "id": "ann", "pose": "stand", "muscles": { "strength": 1 } }"#,
    );
    let world = World::build(&scene).unwrap();
    let body = |name: &str| {
        &world.model.bodies[world
            .body(name)
            .map(|id| {
                let index = world.bodies().position(|(other, _)| other == id);
                index.unwrap()
            })
            .unwrap()]
    };
    let joint = |name: &str| scene.joints.iter().find(|joint| joint.id == name).unwrap();
    let holds = |name: &str, parts: &[(&str, f32)]| {
        let at = joint(name).at.y;
        let height = |part: &str| world.pose(world.body(part).unwrap()).unwrap().center.y;
        let torque: f32 = parts
            .iter()
            .map(|(part, share)| 9.81 * share * body(part).mass * (height(part) - at).abs())
            .sum();
        let Some(Motor::Servo { most, spring, .. }) = joint(name).motor else { panic!("{name}") };
        assert_relative_eq!(most, torque, max_relative = 0.01);
        assert_relative_eq!(spring.stiffness, torque / 0.2, max_relative = 0.01);
    };
    holds("ann.elbow.r", &[("ann.forearm.r", 1.0)]);
    holds("ann.shoulder.l", &[("ann.upper_arm.l", 1.0), ("ann.forearm.l", 1.0)]);
    // Each knee carries its thigh and half of what both legs carry.
    holds(
        "ann.knee.r",
        &[
            ("ann.thigh.r", 1.0),
            ("ann.pelvis", 0.5),
            ("ann.chest", 0.5),
            ("ann.head", 0.5),
            ("ann.upper_arm.r", 1.0),
            ("ann.forearm.r", 1.0),
        ],
    );
}

#[test]
fn keyframes_go_by_simulated_time_alone() {
    let scene = scene(
        r#"{ "type": "ragdoll", "id": "ann", "at": [0, 2], "pose": "run", "muscles": { "repeats": true,
             "keyframes": [{ "time": 0, "pose": "run" }, { "time": 0.4, "pose": "run_far" },
                           { "time": 0.8, "pose": "run" }] } },
           { "type": "pin", "a": "ann.pelvis", "at": [0, 2], "limits": [-3, 3] }"#,
    );
    let targets = |sim: &Sim| -> Vec<f32> {
        sim.world().state.joints.iter().map(|joint| joint.target).collect()
    };
    let mut sim = on(&scene, SolverKind::Verlet);
    let run = |sim: &mut Sim, steps: u32| (0..steps).for_each(|_| assert!(sim.step().is_ok()));
    run(&mut sim, 30);
    let (saved, middle) = (sim.world().state.clone(), targets(&sim));
    run(&mut sim, 20);
    let (later, hash) = (targets(&sim), sim.world().state.hash());
    assert_ne!(middle, later, "nothing moves");
    sim.restore(saved).unwrap();
    run(&mut sim, 20);
    assert_eq!(targets(&sim), later, "after a rewind");
    assert_eq!(sim.world().state.steps, 50);
    sim.reset();
    run(&mut sim, 50);
    assert_eq!(sim.world().state.hash(), hash, "a second run");
    for solver in SolverKind::ALL {
        sim.reset();
        run(&mut sim, 25);
        sim.switch_solver(solver).unwrap();
        run(&mut sim, 25);
        assert_eq!(targets(&sim), later, "{solver}");
    }
    // A stride later the targets are the same again.
    run(&mut sim, 48);
    for (now, then) in targets(&sim).iter().zip(&later) {
        assert_relative_eq!(now, then, epsilon = 1e-3);
    }
    let hip = sim.world().joint("ann.hip.r").unwrap();
    assert!(sim.edit(|world| world.drive(hip, 0.0)).is_err(), "it follows its keyframes");
    sim.edit(|world| world.follow(hip, None)).unwrap();
    sim.edit(|world| world.drive(hip, 0.25)).unwrap();
    run(&mut sim, 10);
    let index = sim.world().model.joints.iter().position(|joint| joint.id == "ann.hip.r").unwrap();
    assert_eq!(targets(&sim)[index], 0.25);
}

#[test]
fn masses_are_those_of_people() {
    let scene = scene(
        r#"{ "type": "ragdoll", "id": "ann", "mass": 70 },
           { "type": "ragdoll", "id": "kim", "at": [9, 0], "build": "toddler", "mass": 12 }"#,
    );
    let world = World::build(&scene).unwrap();
    let mass = |name: &str| -> f32 {
        let bodies = world.model.bodies.iter().filter(|body| body.id.starts_with(name));
        bodies.map(|body| body.mass).sum()
    };
    assert_relative_eq!(mass("ann."), 70.0, max_relative = 1e-3);
    assert_relative_eq!(mass("kim."), 12.0, max_relative = 1e-3);
    // Winter's table 4.1: thigh 0.100, shank 0.0465, foot 0.0145; head and neck 0.081.
    for (part, share) in [("thigh.r", 0.1), ("shin.l", 0.0465), ("foot.r", 0.0145), ("head", 0.081)]
    {
        assert_relative_eq!(mass(&format!("ann.{part}")), 70.0 * share, max_relative = 1e-3);
    }
    assert!(mass("kim.head") > 0.18 * 12.0, "the head of a small child is heavy");
}

#[test]
fn builds_are_as_tall_as_they_say_with_heads_of_their_age() {
    // One over the number of heads that fit into the height.
    for (build, height, heads) in [
        ("toddler", 0.87, 5.0),
        ("child", 1.22, 6.0),
        ("teen", 1.63, 7.0),
        ("adult", 1.8, 7.35),
        ("giant", 2.8, 9.0),
    ] {
        let scene = scene(&format!(
            r#"{{ "type": "ragdoll", "id": "r", "build": "{build}", "pose": "stand" }}"#
        ));
        let world = World::build(&scene).unwrap();
        let bounds = |id| world.bounds(id).unwrap();
        let all = world.bodies().fold(sinew::Aabb::EMPTY, |all, (id, _)| all.union(bounds(id)));
        let head = bounds(world.body("r.head").unwrap()).size().y;
        assert_relative_eq!(all.size().y, height, max_relative = 0.02);
        assert_relative_eq!(all.size().y / head, heads, max_relative = 0.03);
    }
}

#[test]
fn parts_collide_if_asked_but_for_neighbours_and_what_overlaps() {
    let collide = |scene: &Scene, a: &str, b: &str| {
        let world = World::build(scene).unwrap();
        let index =
            |name: &str| world.model.bodies.iter().position(|body| body.id == name).unwrap() as u32;
        world.model.may_collide(index(a), index(b))
    };
    let doll = |more: &str| {
        scene(&format!(r#"{{ "type": "ragdoll", "id": "a", "pose": "star" {more} }}"#))
    };
    let (off, on) = (doll(""), doll(r#", "self_collision": true"#));
    assert!(!collide(&off, "a.head", "a.foot.r"));
    assert!(collide(&on, "a.head", "a.foot.r"));
    assert!(collide(&on, "a.forearm.l", "a.shin.l"));
    for (a, b) in
        [("a.thigh.r", "a.shin.r"), ("a.thigh.r", "a.thigh.l"), ("a.head", "a.upper_arm.l")]
    {
        assert!(!collide(&on, a, b), "{a} and {b}");
    }
    // Standing, an arm hangs before the thigh.
    let standing =
        scene(r#"{ "type": "ragdoll", "id": "a", "pose": "stand", "self_collision": true }"#);
    assert!(!collide(&standing, "a.forearm.r", "a.thigh.r"));
}
