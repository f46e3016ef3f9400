//! Who sleeps, who wakes, and that neither can be told from what is seen.

use std::sync::Arc;

use sinew::{
    BodyDef, BodyId, Drag, JointDef, Key, Level, Overrides, Shape, Sim, SolverKind, Vec2, World,
};

/// Two towers of three crates, a metre high each, 20 m apart.
const TOWERS: &str = r#"{ "format": 1, "items": [
    { "type": "static", "id": "ground", "box": [100, 1], "at": [0, -0.5] },
    { "type": "crate", "size": [1, 1], "id": "left", "at": [-10, 0.5], "repeat": { "count": 3, "step": [0, 1] } },
    { "type": "crate", "size": [1, 1], "id": "right", "at": [10, 0.5], "repeat": { "count": 3, "step": [0, 1] } } ] }"#;

fn sim(text: &str, solver: SolverKind) -> Sim {
    let mut scene = Level::parse(text, "test.json").unwrap().scene;
    let overrides = Overrides { solver: Some(solver), ..Overrides::default() };
    scene.settings = overrides.apply(scene.settings);
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, seconds: f64) {
    for _ in 0..(60.0 * seconds) as u32 {
        sim.step().unwrap();
    }
}

fn body(sim: &Sim, id: &str) -> BodyId {
    sim.world().body(id).unwrap_or_else(|| panic!("no body {id}"))
}

fn sleeps(sim: &Sim, id: &str) -> bool {
    sim.is_asleep(body(sim, id)).unwrap()
}

/// The towers, asleep.
fn sleeping_towers(solver: SolverKind) -> Sim {
    let mut sim = sim(TOWERS, solver);
    run(&mut sim, 4.0);
    assert_eq!(sim.asleep_count(), 6, "{solver}: not everything at rest sleeps");
    sim
}

fn ball(id: &str, at: Vec2, velocity: Vec2) -> BodyDef {
    BodyDef { velocity, ..BodyDef::new(id, Shape::Disc { radius: 0.2 }, at) }
}

#[test]
fn what_sleeps_stays_where_it_is_and_still_has_contacts() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        let (places, contacts) = (sim.world().state.position.clone(), sim.contacts().len());
        assert!(contacts >= 8, "{solver}: {contacts} contacts");
        run(&mut sim, 2.0);
        assert_eq!(sim.world().state.position, places, "{solver}");
        assert_eq!(sim.contacts().len(), contacts, "{solver}");
        assert!((sim.world().state.time - 6.0).abs() < 1e-6);
    }
}

/// Contacts are listed when they are asked for; the backend must not have been told anything else by then.
#[test]
fn contacts_stay_those_of_the_last_step_until_the_next_or_an_edit() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        sim.wake(body(&sim, "left.0")).unwrap();
        sim.step().unwrap();
        assert!(!sleeps(&sim, "left.0") && sleeps(&sim, "right.0"), "{solver}");
        let contacts = sim.contacts().into_owned();
        let on = |id: &str| {
            let handle = body(&sim, id);
            let model = &sim.world().model;
            let is_on = |piece: &u32| {
                model.bodies[model.pieces[*piece as usize].body as usize].handle() == handle
            };
            contacts.iter().filter(|contact| contact.pieces.iter().any(is_on)).count()
        };
        assert!(on("left.1") >= 2 && on("right.1") >= 2, "{solver}: {contacts:?}");
        sim.wake_all();
        assert_eq!(*sim.contacts(), contacts, "{solver}");
        sim.step().unwrap();
        assert!(sim.contacts().len() >= 8, "{solver}");
        let fallen = ball("ball", Vec2::new(0.0, 5.0), Vec2::ZERO);
        sim.edit(|world| world.add_body(&fallen)).unwrap();
        assert!(sim.contacts().is_empty(), "{solver}");
    }
}

#[test]
fn sleep_can_be_turned_off() {
    for solver in SolverKind::ALL {
        let text = TOWERS.replace("\"items\"", "\"world\": { \"sleep\": false }, \"items\"");
        let mut sim = sim(&text, solver);
        run(&mut sim, 4.0);
        assert_eq!(sim.asleep_count(), 0);
    }
}

#[test]
fn what_is_hit_wakes_with_its_island_alone() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        let above = ball("ball", Vec2::new(-10.0, 6.0), Vec2::ZERO);
        sim.edit(|world| world.add_body(&above)).unwrap();
        assert_eq!(sim.asleep_count(), 6, "{solver}: a ball in the air wakes nobody");
        let mut woke = false;
        for _ in 0..120 {
            sim.step().unwrap();
            let high = sim.world().pose(body(&sim, "ball")).unwrap().center.y;
            let both = sleeps(&sim, "left.0") && sleeps(&sim, "left.2");
            assert!(both || high < 3.5, "{solver}: woken from {high} m");
            woke |= !sleeps(&sim, "left.0") && !sleeps(&sim, "left.2");
            assert!(sleeps(&sim, "right.0"), "{solver}: the other tower woke");
        }
        assert!(woke, "{solver}: the tower slept through");
    }
}

#[test]
fn a_bullet_does_not_go_through_what_sleeps() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        let bullet = ball("bullet", Vec2::new(0.0, 0.5), Vec2::new(-200.0, 0.0));
        sim.edit(|world| world.add_body(&bullet)).unwrap();
        run(&mut sim, 1.0);
        let pushed = sim.world().pose(body(&sim, "left.0")).unwrap().center.x;
        assert!(pushed < -10.05, "{solver}: the crate is at {pushed} m");
    }
}

#[test]
fn what_is_dragged_wakes_and_is_kept_awake() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        let (id, at) = (body(&sim, "right.2"), Vec2::new(10.0, 2.5));
        let hold = sim.world().hold(id, at).unwrap();
        sim.inputs_mut().drags = vec![Drag::new(hold, at)];
        run(&mut sim, 3.0);
        assert!(!sleeps(&sim, "right.2") && sleeps(&sim, "left.2"), "{solver}");
        sim.inputs_mut().drags[0].target = Vec2::new(10.0, 5.0);
        run(&mut sim, 1.0);
        let high = sim.world().pose(id).unwrap().center.y;
        assert!(high > 4.0, "{solver}: dragged to {high} m");
    }
}

#[test]
fn edits_wake_what_they_change_and_what_lies_there() {
    type Edit = fn(&mut Sim);
    let edits: [(&str, Edit); 6] = [
        ("taking away what it stands on", |sim| {
            let lowest = body(sim, "left.0");
            sim.edit(|world| world.remove(lowest)).unwrap();
        }),
        ("a push", |sim| {
            let id = body(sim, "left.2");
            sim.edit(|world| {
                let points = world.model.bodies[world.index(id)?].point_range();
                world.state.velocity[points].fill(Vec2::new(1.0, 0.0));
                Ok(())
            })
            .unwrap();
        }),
        ("another material", |sim| {
            let id = body(sim, "left.2");
            sim.edit(|world| {
                let index = world.index(id)?;
                Arc::make_mut(&mut world.model).bodies[index].material.friction = 0.0;
                Ok(())
            })
            .unwrap();
        }),
        ("a joint", |sim| {
            let def = JointDef::pin("nail", "left.2", None, Vec2::new(-10.0, 2.5));
            sim.edit(|world| world.add_joint(&def)).unwrap();
        }),
        ("a new body where it lies", |sim| {
            let def = ball("new", Vec2::new(-10.6, 2.5), Vec2::ZERO);
            sim.edit(|world| world.add_body(&def)).unwrap();
        }),
        ("other gravity", |sim| {
            let gravity = Vec2::new(0.0, -1.0);
            sim.set_settings(sinew::Settings { gravity, ..*sim.settings() });
        }),
    ];
    for solver in SolverKind::ALL {
        for (what, edit) in edits {
            let mut sim = sleeping_towers(solver);
            edit(&mut sim);
            assert!(!sleeps(&sim, "left.2"), "{solver}: {what} does not wake");
            let all = what == "other gravity";
            assert!(sleeps(&sim, "right.2") != all, "{solver}: {what} and the other tower");
            run(&mut sim, 0.5);
        }
        let mut sim = sleeping_towers(solver);
        let lowest = body(&sim, "left.0");
        sim.edit(|world| world.remove(lowest)).unwrap();
        run(&mut sim, 1.0);
        let top = sim.world().pose(body(&sim, "left.2")).unwrap().center.y;
        assert!((top - 1.5).abs() < 0.05, "{solver}: what it stood on is gone, it is at {top} m");
    }
}

#[test]
fn a_motor_that_is_told_something_new_wakes_its_body() {
    let text = r#"{ "format": 1, "items": [
        { "type": "static", "id": "post", "box": [0.2, 0.2], "at": [0, 2] },
        { "type": "box", "id": "arm", "size": [2, 0.2], "at": [0, 2] },
        { "type": "pin", "a": "post", "b": "arm", "at": [0, 2],
          "motor": { "speed": 0, "max_torque": 1e5, "keys": { "up": 90 } } } ] }"#;
    for solver in SolverKind::ALL {
        let mut sim = sim(text, solver);
        run(&mut sim, 3.0);
        assert!(sleeps(&sim, "arm"), "{solver}");
        sim.press(Key::UP);
        run(&mut sim, 1.0);
        let turned = sim.world().pose(body(&sim, "arm")).unwrap().rot.radians().to_degrees();
        assert!((turned - 90.0).abs() < 5.0, "{solver}: turned by {turned}°");
    }
}

#[test]
fn nothing_sleeps_on_what_moves_or_while_it_moves() {
    let text = r#"{ "format": 1, "world": { "gravity": [0, -10] }, "items": [
        { "type": "box", "id": "lift", "kind": "kinematic", "size": [4, 0.2], "at": [0, 0], "velocity": [0, 0.02] },
        { "type": "crate", "size": [1, 1], "id": "load", "at": [0, 0.6] },
        { "type": "static", "id": "floor", "box": [20, 1], "at": [20, -0.5] },
        { "type": "disc", "id": "slow", "radius": 0.5, "at": [15, 0.5], "velocity": [0.02, 0], "spin": -2.2918 } ] }"#;
    for solver in SolverKind::ALL {
        let mut sim = sim(text, solver);
        run(&mut sim, 5.0);
        assert!(!sleeps(&sim, "load"), "{solver}: sleeps on a lift that moves");
        assert!(!sleeps(&sim, "slow"), "{solver}: sleeps while it rolls");
        let center = |id| sim.world().pose(body(&sim, id)).unwrap().center;
        assert!((center("load").y - 0.7).abs() < 0.01, "{solver}: {}", center("load"));
        assert!((center("slow").x - 15.1).abs() < 0.01, "{solver}: {}", center("slow"));
    }
}

#[test]
fn a_kinematic_body_wakes_what_it_comes_to() {
    let text = r#"{ "format": 1, "items": [
        { "type": "static", "id": "ground", "box": [100, 1], "at": [0, -0.5] },
        { "type": "box", "id": "ram", "kind": "kinematic", "size": [1, 0.8], "at": [-6, 0.5], "velocity": [1, 0] },
        { "type": "crate", "size": [1, 1], "id": "crate", "at": [0, 0.5] } ] }"#;
    for solver in SolverKind::ALL {
        let mut sim = sim(text, solver);
        run(&mut sim, 4.0);
        assert!(sleeps(&sim, "crate"), "{solver}");
        run(&mut sim, 3.0);
        let pushed = sim.world().pose(body(&sim, "crate")).unwrap().center.x;
        assert!(pushed > 1.9, "{solver}: pushed to {pushed} m");
    }
}

#[test]
fn sleepers_go_on_sleeping_after_a_switch_and_a_rewind() {
    for solver in SolverKind::ALL {
        let mut sim = sleeping_towers(solver);
        let asleep = sim.snapshot();
        for other in SolverKind::ALL {
            sim.switch_solver(other).unwrap();
            assert_eq!(sim.asleep_count(), 6, "{solver} to {other}");
        }
        let bullet = ball("bullet", Vec2::new(-11.5, 2.5), Vec2::new(20.0, 0.0));
        sim.edit(|world| world.add_body(&bullet)).unwrap();
        run(&mut sim, 1.0);
        assert!(!sleeps(&sim, "left.2"));
        sim.rewind(&asleep);
        assert_eq!(sim.asleep_count(), 6, "{solver} after a rewind");
        run(&mut sim, 0.5);
        assert_eq!(sim.world().state.position, asleep.state().position);
    }
}

#[test]
fn others_falling_asleep_is_not_felt() {
    // A tower beside crates that come to rest, and sleep, one after the other.
    let text = TOWERS.replace(
        "\"id\": \"right\", \"at\": [10, 0.5], \"repeat\": { \"count\": 3, \"step\": [0, 1] }",
        "\"id\": \"right\", \"at\": [10, 0.5], \"repeat\": { \"count\": 6, \"step\": [2, 0.4] }",
    );
    for solver in SolverKind::ALL {
        let mut sim = sim(&text, solver);
        let (id, at) = (body(&sim, "left.2"), Vec2::new(-10.0, 2.5));
        // A hand on the tower keeps it awake.
        let hold = sim.world().hold(id, at).unwrap();
        sim.inputs_mut().drags = vec![Drag { max_acceleration: 1e-4, ..Drag::new(hold, at) }];
        run(&mut sim, 1.0);
        let (mut fastest, mut changes, mut before) = (0.0_f32, 0, 0);
        for _ in 0..180 {
            sim.step().unwrap();
            changes += u32::from(sim.asleep_count() != before);
            before = sim.asleep_count();
            let World { model, state } = sim.world();
            for name in ["left.0", "left.1", "left.2"] {
                let index = sim.world().index(body(&sim, name)).unwrap();
                let points = model.bodies[index].point_range();
                fastest =
                    state.velocity[points].iter().fold(fastest, |most, v| most.max(v.length()));
            }
        }
        assert!(changes >= 3 && before == 6, "{solver}: {changes} changes, {before} asleep");
        assert!(fastest < 2e-3, "{solver}: the tower jolts at {fastest} m/s");
    }
}

#[test]
fn two_runs_with_sleepers_are_the_same() {
    for solver in SolverKind::ALL {
        let hash = || {
            let mut sim = sleeping_towers(solver);
            let bullet = ball("bullet", Vec2::new(0.0, 1.2), Vec2::new(-30.0, 0.0));
            sim.edit(|world| world.add_body(&bullet)).unwrap();
            run(&mut sim, 4.0);
            (sim.world().state.hash(), sim.asleep_count())
        };
        assert_eq!(hash(), hash(), "{solver}");
    }
}
