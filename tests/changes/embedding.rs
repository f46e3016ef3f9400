//! What a game relies on that embeds the library: what it keeps from frame to frame stays good whatever else happens, and what
//! cannot be used is said before anything moves.

use std::sync::Arc;

use sinew::{
    BodyDef, BodyId, Drag, JointDef, Key, Model, Motion, Motor, Scene, Script, ScriptEntry,
    Settings, Shape, Sim, SolverKind, Steering, Vec2, World, soft,
};

fn disc(id: &str, at: Vec2) -> BodyDef {
    BodyDef::new(id, Shape::Disc { radius: 0.5 }, at)
}

fn sim(bodies: Vec<BodyDef>, solver: SolverKind) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.solver = solver;
    scene.settings.gravity = Vec2::ZERO;
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, steps: u32) {
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

fn at(sim: &Sim, id: &str) -> Vec2 {
    sim.world().pose(sim.world().body(id).unwrap()).unwrap().center
}

#[test]
fn a_drag_that_the_game_keeps_pulls_the_same_body_whatever_is_removed() {
    for solver in SolverKind::ALL {
        let bodies =
            [disc("crate", 5.0 * Vec2::X), disc("ball", Vec2::ZERO), disc("other", 5.0 * Vec2::Y)];
        let mut sim = sim(bodies.to_vec(), solver);
        let [ball, first] = ["ball", "crate"].map(|id| sim.world().body(id).unwrap());
        let drag = Drag::new(sim.world().hold(ball, Vec2::ZERO).unwrap(), -2.0 * Vec2::X);
        for step in 0..90 {
            sim.inputs_mut().drags = vec![drag];
            if step == 30 {
                // Not there while the edit is made, as in a game that lists its drags in each frame.
                sim.inputs_mut().drags.clear();
                sim.edit(|world| world.remove(first)).unwrap();
                sim.inputs_mut().drags = vec![drag];
            }
            sim.step().unwrap();
        }
        assert!(at(&sim, "ball").distance(drag.target) < 0.05, "{solver} {}", at(&sim, "ball"));
        assert_eq!(at(&sim, "other"), 5.0 * Vec2::Y, "{solver}");
        // Of what is gone there is nothing to hold.
        sim.edit(|world| world.remove(ball)).unwrap();
        sim.inputs_mut().drags = vec![drag];
        run(&mut sim, 10);
        sim.edit(|world| world.add_body(&disc("late", Vec2::X))).unwrap();
        run(&mut sim, 10);
        assert!(drag.hold.find(&sim.world().model).is_none(), "{solver}");
    }
}

#[test]
fn a_drag_holds_on_to_a_rope_that_is_cut_while_it_pulls() {
    for solver in SolverKind::ALL {
        let rope =
            soft::Rope { segments: Some(10), hold: soft::Hold::None, ..soft::Rope::default() };
        let rope = BodyDef::new("rope", Shape::Mesh(rope.mesh().unwrap()), Vec2::ZERO);
        let mut sim = sim(vec![rope], solver);
        let rope = sim.world().body("rope").unwrap();
        let start = at(&sim, "rope");
        let first = sim.world().state.position[0];
        let drag = Drag::new(sim.world().hold(rope, first).unwrap(), first + Vec2::Y);
        sim.inputs_mut().drags = vec![drag];
        run(&mut sim, 10);
        let edge = sim.world().model.edges.len() / 2;
        assert_eq!(sim.edit(|world| world.cut_edge(edge)).unwrap().len(), 1, "{solver}");
        // The one that it held before the cut is no more, the one among the inputs holds what is left.
        assert!(drag.hold.find(&sim.world().model).is_none(), "{solver}");
        assert!(sim.inputs().drags[0].hold.find(&sim.world().model).is_some(), "{solver}");
        run(&mut sim, 60);
        assert!(at(&sim, "rope").y > start.y + 0.3, "{solver}");
    }
}

#[test]
fn a_drag_to_nowhere_does_nothing() {
    for solver in SolverKind::ALL {
        let mut sim = sim(vec![disc("ball", Vec2::ZERO)], solver);
        let ball = sim.world().body("ball").unwrap();
        let hold = sim.world().hold(ball, Vec2::ZERO).unwrap();
        sim.inputs_mut().drags = vec![Drag::new(hold, Vec2::NAN)];
        run(&mut sim, 5);
        assert_eq!(at(&sim, "ball"), Vec2::ZERO, "{solver}");
    }
}

#[test]
fn a_script_goes_on_when_something_is_removed() {
    for solver in SolverKind::ALL {
        let post = BodyDef::new("post", Shape::Box { size: Vec2::splat(0.1) }, Vec2::ZERO).fixed();
        let arm = BodyDef::new("arm", Shape::Box { size: Vec2::new(2.0, 0.1) }, Vec2::ZERO);
        let mut scene =
            Scene { bodies: vec![post, arm, disc("other", 9.0 * Vec2::X)], ..Scene::default() };
        let steering = Steering { keys: vec![(Key::UP, 2.0)], ..Steering::default() };
        scene.joints.push(JointDef {
            motor: Some(Motor::Speed { speed: 0.0, most: 1e5 }),
            steering: Some(steering),
            ..JointDef::pin("pin", "post", Some("arm"), Vec2::ZERO)
        });
        scene.script =
            Script { entries: vec![ScriptEntry { from: 0.0, to: 100.0, keys: vec![Key::UP] }] };
        scene.settings.solver = solver;
        let mut sim = Sim::new(&scene).unwrap();
        let [arm, other] = ["arm", "other"].map(|id| sim.world().body(id).unwrap());
        for _ in 0..2 {
            run(&mut sim, 60);
            let spin = sim.world().motion(arm).unwrap().spin;
            assert!((spin - 2.0).abs() < 0.05, "{solver} {spin}");
            if sim.world().body("other").is_some() {
                sim.edit(|world| world.remove(other)).unwrap();
            }
        }
    }
}

#[test]
fn handles_and_events_do_not_outlive_a_reset() {
    let hook =
        JointDef { break_force: Some(1.0), ..JointDef::pin("hook", "ball", None, Vec2::ZERO) };
    let mut scene =
        Scene { bodies: vec![disc("ball", Vec2::ZERO)], joints: vec![hook], ..Scene::default() };
    scene.settings.solver = SolverKind::Impulse;
    let mut sim = Sim::new(&scene).unwrap();
    let start = sim.world().clone();
    let add = |sim: &mut Sim, id: &str| sim.edit(|world| world.add_body(&disc(id, 5.0 * Vec2::Y)));
    let mut known = Vec::new();
    for id in ["bullet", "boss", "third"] {
        sim.step().unwrap();
        assert_eq!(sim.events().len(), 1);
        let new = add(&mut sim, id).unwrap();
        assert!(!known.contains(&new), "a handle on `{id}` names what was there before");
        known.push(new);
        match id {
            "boss" => sim.go_on_with(start.clone()),
            _ => sim.reset(),
        }
        assert!(sim.events().is_empty());
        assert!(known.iter().all(|&id| sim.world().index(id).is_err()));
    }
    sim.step().unwrap();
    assert_eq!(sim.events().len(), 1);
    sim.restore(sim.world().state.clone()).unwrap();
    assert!(sim.events().is_empty());
}

#[test]
fn settings_that_cannot_be_used_are_named_before_anything_moves() {
    let good = Settings::default();
    let rates = [0.0, -60.0, 0.5, 1e6, f32::NAN, f32::INFINITY].map(|hz| Settings { hz, ..good });
    let pulls = [f32::NAN, f32::INFINITY].map(|x| Settings { gravity: Vec2::new(x, 0.0), ..good });
    for (settings, what) in
        rates.into_iter().map(|s| (s, "`hz`")).chain(pulls.into_iter().map(|s| (s, "`gravity`")))
    {
        let scene = Scene { settings, bodies: vec![disc("ball", Vec2::ZERO)], ..Scene::default() };
        let said = Sim::new(&scene).err().unwrap().to_string();
        assert!(said.contains(what) && !said.contains("ball"), "{said}");
        let mut sim = sim(scene.bodies, SolverKind::Verlet);
        let before = sim.world().state.hash();
        sim.set_settings(settings);
        for error in [sim.step().err().unwrap(), sim.advance(1.0).err().unwrap()] {
            assert!(error.to_string().contains(what) && !error.is_diverged(), "{error}");
        }
        assert_eq!((sim.world().state.hash(), sim.world().state.time), (before, 0.0));
        sim.set_settings(good);
        sim.step().unwrap();
    }
}

#[test]
fn a_state_that_is_no_state_is_refused() {
    let bodies = vec![disc("ball", Vec2::ZERO), disc("other", 3.0 * Vec2::X)];
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.joints.push(JointDef::pin("pin", "ball", Some("other"), Vec2::X));
    let mut sim = Sim::new(&scene).unwrap();
    let sound = sim.world().state.clone();
    let bad = |change: &dyn Fn(&mut sinew::State)| {
        let mut state = sound.clone();
        change(&mut state);
        state
    };
    for state in [
        bad(&|state| state.position[0].x = f32::NAN),
        bad(&|state| state.velocity[1].y = f32::INFINITY),
        bad(&|state| state.rest[0] = f32::NAN),
        bad(&|state| state.rest[0] = -1.0),
        bad(&|state| state.joints[0].angles[1] = f32::NAN),
        bad(&|state| state.joints[0].target = f32::NAN),
        bad(&|state| state.time = f64::NAN),
        bad(&|state| state.rest.clear()),
    ] {
        assert!(sim.restore(state).is_err());
        assert_eq!(sim.world().state, sound);
    }
    sim.restore(sound).unwrap();
}

#[test]
fn who_is_kept_apart_from_what_is_gone_is_forgotten() {
    let mut sim = sim(vec![disc("wall", 9.0 * Vec2::X)], SolverKind::Impulse);
    let size = |sim: &Sim| format!("{:?}", Arc::clone(&sim.world().model)).len();
    let mut sizes = Vec::new();
    for _ in 0..20 {
        sim.edit(|world| {
            let [a, b] = [disc("gun", Vec2::ZERO), disc("bullet", Vec2::X)];
            let [a, b] = [world.add_body(&a)?, world.add_body(&b)?];
            world.keep_apart(a, b)?;
            world.keep_apart(b, a)?;
            world.remove(a)?;
            world.remove(b)
        })
        .unwrap();
        sizes.push(size(&sim));
    }
    // But for the digits of serial numbers.
    assert!(sizes[19] <= sizes[0] + 8, "{sizes:?}");
}

#[test]
fn what_is_pushed_takes_all_of_the_impulse() {
    let boxed = BodyDef::new("box", Shape::Box { size: Vec2::new(2.0, 1.0) }, Vec2::ZERO);
    let jelly = soft::Jelly::rectangle(Vec2::new(1.0, 1.0));
    let jelly = BodyDef::new("jelly", Shape::Mesh(jelly.mesh().unwrap()), 5.0 * Vec2::X);
    for solver in SolverKind::ALL {
        for (id, at) in [("box", Vec2::new(0.9, 0.4)), ("jelly", Vec2::new(5.3, 0.2))] {
            let mut sim = sim(vec![boxed.clone(), jelly.clone()], solver);
            let body = sim.world().body(id).unwrap();
            let [mass, inertia] = {
                let body = &sim.world().model.bodies[sim.world().index(body).unwrap()];
                [body.mass, body.inertia]
            };
            let impulse = 0.2 * mass * Vec2::new(1.0, 2.0);
            sim.edit(|world| world.push(body, at, impulse)).unwrap();
            for _ in 0..2 {
                let Motion { velocity, spin } = sim.world().motion(body).unwrap();
                let arm = at - if id == "box" { Vec2::ZERO } else { 5.0 * Vec2::X };
                assert!(
                    (velocity - impulse / mass).length() < 1e-3,
                    "{id} on {solver}: {velocity}"
                );
                // What is soft rings, so that its moment of inertia is another from step to step.
                let (expected, part) =
                    (arm.perp_dot(impulse) / inertia, if id == "box" { 0.01 } else { 0.05 });
                let told = format!("{id} on {solver}: {spin} {expected}");
                assert!((spin - expected).abs() < part * expected.abs(), "{told}");
                sim.step().unwrap();
            }
        }
    }
}

/// A hit beside a soft body acts at its nearest place, and what cannot be a speed is refused.
#[test]
fn a_push_beside_a_body_is_one_on_it() {
    let jelly = Shape::Mesh(soft::Jelly::default().mesh().unwrap());
    let point = sinew::MeshPoint { position: Vec2::ZERO, mass: 1.0, pinned: false };
    let single = sinew::Mesh {
        points: vec![point],
        pieces: vec![vec![0]],
        radius: 0.1,
        ..sinew::Mesh::default()
    };
    let bodies = vec![
        BodyDef::new("jelly", jelly, Vec2::ZERO),
        BodyDef::new("single", Shape::Mesh(single), 5.0 * Vec2::X),
        disc("disc", 9.0 * Vec2::X),
    ];
    let mut sim = sim(bodies, SolverKind::Verlet);
    let start = sim.snapshot();
    let [jelly, single, disc] = ["jelly", "single", "disc"].map(|id| sim.world().body(id).unwrap());
    let mut pushed = |at: Vec2| {
        sim.rewind(&start);
        sim.push(jelly, at, -100.0 * Vec2::X).unwrap();
        sim.world().state.velocity.clone()
    };
    let wanted = pushed(Vec2::new(0.5, 0.1));
    for far in [0.6, 1.5, 1000.0] {
        for (found, wanted) in pushed(Vec2::new(far, 0.1)).iter().zip(&wanted) {
            assert!(found.distance(*wanted) < 1e-3 * (1.0 + wanted.length()), "{found} {wanted}");
        }
    }
    sim.rewind(&start);
    sim.push(single, 5.0 * Vec2::X, Vec2::Y).unwrap();
    assert_eq!(sim.world().motion(single).unwrap().velocity, Vec2::Y);
    let before = sim.world().state.clone();
    assert!(sim.push(disc, Vec2::splat(1e10), Vec2::new(1e38, 0.0)).is_err());
    assert_eq!(sim.world().state, before);
    run(&mut sim, 10);
}

#[test]
fn a_motion_that_is_given_is_the_one_that_is_there() {
    for solver in SolverKind::ALL {
        let mut sim =
            sim(vec![disc("ball", Vec2::ZERO), disc("wall", 9.0 * Vec2::X).fixed()], solver);
        let [ball, wall] = ["ball", "wall"].map(|id| sim.world().body(id).unwrap());
        let motion = Motion { velocity: Vec2::new(3.0, -1.0), spin: 2.0 };
        sim.edit(|world| world.set_motion(ball, motion)).unwrap();
        run(&mut sim, 30);
        let now = sim.world().motion(ball).unwrap();
        assert!(
            (now.velocity - motion.velocity).length() < 1e-3 && (now.spin - 2.0).abs() < 0.02,
            "{solver}: {now:?}"
        );
        assert!((at(&sim, "ball") - 0.5 * motion.velocity).length() < 1e-3, "{solver}");
        let before = sim.world().state.hash();
        for bad in [Vec2::NAN, Vec2::INFINITY] {
            let motion = Motion { velocity: bad, spin: 0.0 };
            assert!(sim.edit(|world| world.set_motion(ball, motion)).is_err());
            assert!(sim.edit(|world| world.push(ball, Vec2::ZERO, bad)).is_err());
            assert!(sim.edit(|world| world.push(ball, bad, Vec2::X)).is_err());
        }
        assert!(sim.edit(|world| world.set_motion(wall, motion)).is_err());
        assert!(sim.edit(|world| world.push(wall, Vec2::ZERO, Vec2::X)).is_err());
        assert_eq!(sim.world().state.hash(), before, "{solver}");
    }
}

#[test]
fn who_is_pushed_wakes() {
    for solver in SolverKind::ALL {
        let ground =
            BodyDef::new("ground", Shape::Box { size: Vec2::new(20.0, 1.0) }, -0.5 * Vec2::Y)
                .fixed();
        let mut sim = sim(vec![ground, disc("ball", 0.5 * Vec2::Y)], solver);
        sim.set_settings(Settings { gravity: -9.81 * Vec2::Y, ..*sim.settings() });
        run(&mut sim, 120);
        assert_eq!(sim.asleep_count(), 1, "{solver}");
        let ball = sim.world().body("ball").unwrap();
        let asleep = sim.snapshot();
        let up = 1000.0 * Vec2::Y;
        let moves: [fn(&mut Sim, BodyId, Vec2); 3] = [
            |sim, ball, up| sim.edit(|world| world.push(ball, 0.5 * Vec2::Y, up)).unwrap(),
            |sim, ball, up| sim.push(ball, 0.5 * Vec2::Y, up).unwrap(),
            |sim, ball, up| {
                let mass = sim.world().model.bodies[sim.world().index(ball).unwrap()].mass;
                let motion = Motion { velocity: up / mass, spin: 0.0 };
                sim.set_motion(ball, motion).unwrap();
            },
        ];
        let heights = moves.map(|moves| {
            sim.rewind(&asleep);
            assert_eq!(sim.asleep_count(), 1, "{solver}");
            moves(&mut sim, ball, up);
            run(&mut sim, 5);
            at(&sim, "ball").y
        });
        assert!(heights[0] > 0.55, "{solver}: {heights:?}");
        assert!(heights.iter().all(|y| (y - heights[0]).abs() < 1e-3), "{solver}: {heights:?}");
        // What cannot be done changes nothing, and says why.
        let ground = sim.world().body("ground").unwrap();
        assert!(sim.push(ground, Vec2::ZERO, up).is_err());
        assert!(sim.push(ball, Vec2::NAN, up).is_err());
        sim.edit(|world| world.remove(ball)).unwrap();
        assert!(sim.push(ball, Vec2::ZERO, up).is_err());
    }
}

/// Those who stay are the same, to the last number, whether they are carried over or made without who goes.
#[test]
fn a_world_without_one_is_as_if_it_had_never_been() {
    let jelly = soft::Jelly::default().mesh().unwrap();
    let corner = [(0.0, 0.0), (1.0, 0.0), (1.0, 0.3), (0.3, 0.3), (0.3, 1.0), (0.0, 1.0)];
    let corner = corner.into_iter().map(Vec2::from).collect();
    let bodies = vec![
        disc("first", Vec2::ZERO),
        BodyDef::new("jelly", Shape::Mesh(jelly), 3.0 * Vec2::X),
        BodyDef::new("corner", Shape::Polygon { vertices: corner }, 6.0 * Vec2::X),
        BodyDef { velocity: Vec2::Y, ..disc("last", 9.0 * Vec2::X) },
    ];
    for gone in 0..bodies.len() {
        let mut world =
            World::build(&Scene { bodies: bodies.clone(), ..Scene::default() }).unwrap();
        world.remove(world.body(&bodies[gone].id).unwrap()).unwrap();
        let mut others = bodies.clone();
        others.remove(gone);
        let without = World::build(&Scene { bodies: others.clone(), ..Scene::default() }).unwrap();
        let all = |world: &World| {
            let Model { mass, inv_mass, rest, pinned, body_of, .. } = &*world.model;
            let Model { edges, areas, area_points, bends, .. } = &*world.model;
            let Model { pieces, piece_points, rims, .. } = &*world.model;
            let of_bodies: Vec<String> = world
                .model
                .bodies
                .iter()
                .map(|body| format!("{:?}", sinew::Body { serial: 0, ..body.clone() }))
                .collect();
            format!(
                "{mass:?} {inv_mass:?} {rest:?} {pinned:?} {body_of:?} {edges:?} {areas:?} {area_points:?} \
                 {bends:?} {pieces:?} {piece_points:?} {rims:?} {of_bodies:?} {:?}",
                world.state
            )
        };
        assert_eq!(all(&world), all(&without));
        for (index, other) in others.iter().enumerate() {
            assert_eq!(world.index(world.body(&other.id).unwrap()).unwrap(), index);
        }
        assert_eq!(world.body(&bodies[gone].id), None);
    }
}

#[test]
fn several_are_removed_at_once_or_none() {
    let many: Vec<BodyDef> =
        (0..6).map(|k| disc(&format!("b{k}"), 2.0 * k as f32 * Vec2::X)).collect();
    let mut sim = sim(many, SolverKind::Verlet);
    let ids: Vec<_> = (0..6).map(|k| sim.world().body(&format!("b{k}")).unwrap()).collect();
    sim.edit(|world| world.remove_all([ids[4], ids[1], ids[1]])).unwrap();
    let left: Vec<_> = sim.world().bodies().map(|(id, _)| id).collect();
    assert_eq!(left, [ids[0], ids[2], ids[3], ids[5]]);
    assert!(sim.edit(|world| world.remove_all([ids[0], ids[1]])).is_err());
    assert_eq!(sim.world().bodies().count(), 4);
    assert_eq!(at(&sim, "b5"), 10.0 * Vec2::X);
}
