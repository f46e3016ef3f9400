//! What a game is told of contacts: who begins to touch, who parts, and how hard.

use sinew::{
    BodyDef, BodyId, ContactEvent, ContactPair, Material, Scene, Shape, Sim, SolverKind, Vec2, soft,
};

fn ground() -> BodyDef {
    let ground = Shape::Box { size: Vec2::new(40.0, 1.0) };
    dead(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed())
}

/// What does not bounce.
fn dead(body: BodyDef) -> BodyDef {
    BodyDef { material: Material { restitution: 0.0, ..body.material }, ..body }
}

fn cube(id: &str, at: Vec2) -> BodyDef {
    dead(BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at))
}

fn watched(bodies: Vec<BodyDef>, solver: SolverKind, sleep: bool) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    (scene.settings.solver, scene.settings.sleep) = (solver, sleep);
    let mut sim = Sim::new(&scene).unwrap();
    sim.watch_contacts(true);
    sim
}

fn body(sim: &Sim, id: &str) -> BodyId {
    sim.world().body(id).unwrap()
}

fn mass(sim: &Sim, id: &str) -> f32 {
    let world = sim.world();
    world.model.bodies[world.index(body(sim, id)).unwrap()].mass
}

/// Takes steps, and counts who began to touch and who parted.
fn count(sim: &mut Sim, steps: u32) -> (Vec<ContactPair>, Vec<[BodyId; 2]>) {
    let (mut began, mut ended) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        sim.step().unwrap();
        for event in sim.contact_events() {
            match *event {
                ContactEvent::Began(pair) => began.push(pair),
                ContactEvent::Ended(bodies) => ended.push(bodies),
            }
        }
    }
    (began, ended)
}

#[test]
fn what_lies_is_carried_with_its_weight() {
    let jelly = soft::Jelly::default().mesh().unwrap();
    let shapes = [
        ("crate", Shape::Box { size: Vec2::ONE }, 0.5),
        ("disc", Shape::Disc { radius: 0.5 }, 0.5),
        ("jelly", Shape::Mesh(jelly), 0.5),
    ];
    for solver in SolverKind::ALL {
        for (id, shape, height) in &shapes {
            let lies = BodyDef::new(*id, shape.clone(), Vec2::new(0.0, *height));
            let mut sim = watched(vec![ground(), lies], solver, false);
            count(&mut sim, 300);
            let pair = [body(&sim, "ground"), body(&sim, id)];
            let mut sum = 0.0;
            for _ in 0..60 {
                sim.step().unwrap();
                let [one] = sim.contact_pairs() else { panic!("{id} on {solver} touches no one") };
                assert_eq!(one.bodies, pair, "{id} on {solver}");
                // Towards the ground, which was made first.
                assert!(one.normal.y < -0.99, "{id} on {solver}: {one:?}");
                assert!(one.point.y.abs() < 0.01, "{id} on {solver}: {one:?}");
                assert!((one.impulse.length() - one.total).abs() < 1e-3 * one.total);
                sum -= one.impulse.y;
            }
            let weight = mass(&sim, id) * 9.81;
            assert!((sum / weight - 1.0).abs() < 0.01, "{id} on {solver}: {sum}, not {weight}");
        }
    }
}

#[test]
fn what_bounces_within_a_step_is_told_each_time_and_how_hard() {
    for solver in SolverKind::ALL {
        let ball = BodyDef::new("ball", Shape::Disc { radius: 0.25 }, Vec2::new(0.0, 2.25));
        let material = Material { restitution: 0.8, ..ball.material };
        let mut sim = watched(vec![ground(), BodyDef { material, ..ball }], solver, true);
        let (ball, mass) = (body(&sim, "ball"), mass(&sim, "ball"));
        let mut hits = Vec::new();
        let mut bounces = 0;
        for _ in 0..180 {
            let before = sim.world().motion(ball).unwrap().velocity.y;
            let (began, _) = count(&mut sim, 1);
            let after = sim.world().motion(ball).unwrap().velocity.y;
            bounces += u32::from(after > 0.5 && before < -0.5);
            hits.extend(began.iter().map(|pair| pair.impulse.length() / mass));
        }
        assert_eq!(hits.len(), bounces as usize, "{solver}: {hits:?}");
        // It comes at √(2·g·2 m), and leaves with four fifths of that, each time.
        let mut speed = (2.0_f32 * 9.81 * 2.0).sqrt();
        for hit in &hits[..3] {
            assert!((hit / (1.8 * speed) - 1.0).abs() < 0.05, "{solver}: {hits:?}, {speed}");
            speed *= 0.8;
        }
    }
}

#[test]
fn what_sleeps_goes_on_touching_until_its_support_is_gone() {
    for solver in SolverKind::ALL {
        let bodies = vec![ground(), cube("below", 0.5 * Vec2::Y), cube("above", 1.5 * Vec2::Y)];
        let mut sim = watched(bodies, solver, true);
        let [floor, below, above] = ["ground", "below", "above"].map(|id| body(&sim, id));
        let (began, ended) = count(&mut sim, 240);
        let began: Vec<_> = began.iter().map(|pair| pair.bodies).collect();
        assert_eq!((began, ended), (vec![[floor, below], [below, above]], vec![]), "{solver}");
        assert_eq!((sim.asleep_count(), sim.contact_pairs().len()), (2, 2), "{solver}");
        sim.edit(|world| world.remove(below)).unwrap();
        let (began, mut ended) = count(&mut sim, 60);
        ended.sort();
        assert_eq!(ended, [[floor, below], [below, above]], "{solver}");
        let [fall] = began[..] else { panic!("{solver}: {began:?}") };
        assert_eq!(fall.bodies, [floor, above], "{solver}");
        let speed = fall.impulse.length() / mass(&sim, "above");
        assert!((speed / (2.0_f32 * 9.81).sqrt() - 1.0).abs() < 0.1, "{solver}: {speed} m/s");
    }
}

#[test]
fn jumps_begin_anew_and_other_solvers_go_on() {
    let mut sim = watched(vec![ground(), cube("box", 0.5 * Vec2::Y)], SolverKind::Impulse, false);
    let start = sim.snapshot();
    assert_eq!(count(&mut sim, 10).0.len(), 1);
    for solver in SolverKind::ALL {
        sim.switch_solver(solver).unwrap();
        let (began, ended) = count(&mut sim, 10);
        assert!(began.is_empty() && ended.is_empty(), "{solver}: {began:?} {ended:?}");
    }
    sim.rewind(&start);
    assert!(sim.contact_pairs().is_empty());
    let (began, ended) = count(&mut sim, 10);
    assert_eq!((began.len(), ended.len()), (1, 0));
    sim.watch_contacts(false);
    assert_eq!(count(&mut sim, 2), (vec![], vec![]));
    assert!(sim.contact_pairs().is_empty());
}

/// Watching changes nothing, and costs nothing where nobody watches.
#[test]
fn a_world_that_is_watched_moves_as_one_that_is_not() {
    for solver in SolverKind::ALL {
        let mut bodies = vec![ground()];
        bodies.extend((0..12).map(|k| {
            cube(&format!("b{k}"), Vec2::new(0.3 * (k % 3) as f32, 0.6 + 1.1 * k as f32))
        }));
        let mut sim = watched(bodies, solver, true);
        let mut twin = sim.twin(solver).unwrap();
        for _ in 0..240 {
            sim.step().unwrap();
            twin.step().unwrap();
            assert!(twin.contact_pairs().is_empty());
        }
        assert!(sim.contact_pairs().len() > 5, "{solver}");
        assert_eq!(sim.world().state.hash(), twin.world().state.hash(), "{solver}");
    }
}

#[test]
fn what_may_no_longer_collide_no_longer_touches() {
    for solver in SolverKind::ALL {
        let bodies = vec![ground(), cube("box", 0.5 * Vec2::Y)];
        let mut sim = watched(bodies, solver, false);
        assert_eq!(count(&mut sim, 10).0.len(), 1, "{solver}");
        let pair = ["ground", "box"].map(|id| body(&sim, id));
        sim.edit(|world| world.keep_apart(pair[0], pair[1])).unwrap();
        let (began, ended) = count(&mut sim, 1);
        assert_eq!((began, ended), (vec![], vec![pair]), "{solver}");
    }
}

/// A game that is slow takes several steps at once, and one that is fast sometimes none: it is told of all that happens, once.
#[test]
fn whoever_advances_is_told_of_all_steps_and_of_each_once() {
    for solver in SolverKind::ALL {
        let bodies =
            vec![ground(), cube("a", Vec2::new(-3.0, 0.8)), cube("b", Vec2::new(3.0, 0.5))];
        let began = |frame: f64| {
            let mut sim = watched(bodies.clone(), solver, false);
            let mut began = 0;
            for _ in 0..(2.0 / frame) as u32 {
                sim.advance(frame).unwrap();
                let is_began = |event: &&ContactEvent| matches!(event, ContactEvent::Began(_));
                began += sim.contact_events().iter().filter(is_began).count();
            }
            began
        };
        assert_eq!(began(1.0 / 240.0), 2, "{solver}");
        assert_eq!(began(1.0 / 17.0), 2, "{solver}");
    }
}
