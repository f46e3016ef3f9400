//! What a world takes of the heap: a step of one that has settled nothing at all, a crate of a pile some
//! kilobytes.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

use std::path::Path;

use sinew::soft::{Cloth, Held};
use sinew::{BodyDef, Drag, JointDef, Level, Scene, Shape, Sim, SolverKind, Threads, Vec2};

/// Steps that are counted.
const STEPS: u32 = 60;

/// How often the heap is asked for memory in [`STEPS`] further steps.
fn allocations(sim: &mut Sim) -> u64 {
    allocation_counter::measure(|| run(sim, STEPS)).count_total
}

fn run(sim: &mut Sim, steps: u32) {
    for _ in 0..steps {
        sim.step().unwrap();
    }
}

/// A scene once it has run for so many steps.
fn settled(scene: &Scene, solver: SolverKind, steps: u32) -> Sim {
    let mut scene = scene.clone();
    scene.settings.solver = solver;
    let mut sim = Sim::new(&scene).unwrap();
    run(&mut sim, steps);
    sim
}

/// A scene of which nothing sleeps: all of it is worked at in each step.
fn takes_nothing(scene: &Scene, seconds: u32) {
    let mut scene = scene.clone();
    scene.settings.sleep = false;
    for solver in SolverKind::ALL {
        let mut sim = settled(&scene, solver, 60 * seconds);
        assert_eq!(allocations(&mut sim), 0, "{} on {solver}", scene.name);
        // This thread alone is looked at; it has its part in all that is shared. What a thread that comes late needs for
        // itself it takes once.
        sim.set_threads(Threads::new(2).unwrap());
        run(&mut sim, 10);
        let taken = allocations(&mut sim);
        assert!(taken < u64::from(STEPS / 4), "{taken} in {} on {solver}, two threads", scene.name);
    }
}

fn shipped(name: &str) -> Scene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels");
    Level::load(&folder.join(name).with_extension("json")).unwrap().scene
}

#[test]
fn a_pile_of_crates_takes_nothing() {
    takes_nothing(&Level::builtin("pyramid").unwrap().scene, 3);
}

#[test]
fn ragdolls_take_nothing() {
    takes_nothing(&shipped("ten_people"), 10);
}

#[test]
fn ropes_take_nothing() {
    takes_nothing(&shipped("ropes"), 5);
}

#[test]
fn cloth_takes_nothing() {
    takes_nothing(&shipped("cloth"), 5);
}

/// Of edges that are left to rounds.
#[test]
fn wide_cloth_takes_nothing() {
    let (size, cell) = (Vec2::splat(4.0), Some(0.1));
    let cloth = Cloth { size, cell, hold: Held::Top, ..Cloth::default() }.mesh().unwrap();
    let mut scene = Scene { name: "wide cloth".to_owned(), ..Scene::default() };
    scene.bodies.push(BodyDef::new("cloth", Shape::Mesh(cloth), Vec2::ZERO));
    takes_nothing(&scene, 2);
}

#[test]
fn jelly_takes_nothing() {
    takes_nothing(&shipped("jelly_stack"), 5);
}

/// Crates that sleep beside one that cannot, as a rod that hangs on it swings, while the mouse holds that rod
/// or lets go of it.
#[test]
fn what_is_awake_beside_what_sleeps_takes_nothing() {
    let crate_at =
        |k: usize, at| BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at);
    let mut scene = Scene::default();
    let ground = Shape::Box { size: Vec2::new(40.0, 1.0) };
    scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    for k in 0..6 {
        scene.bodies.push(crate_at(k, Vec2::new((k / 3) as f32 * 3.0 - 6.0, 0.5 + (k % 3) as f32)));
    }
    let hold = Vec2::new(5.0, 2.0);
    scene.bodies.push(BodyDef::new("post", Shape::Box { size: Vec2::new(1.0, 4.0) }, hold));
    let rod = Shape::Capsule { length: 0.8, radius: 0.1 };
    scene.bodies.push(BodyDef::new("rod", rod, hold + Vec2::new(0.5, 1.0)));
    scene.joints.push(JointDef::pin("pin", "rod", Some("post"), hold + Vec2::Y));
    for solver in SolverKind::ALL {
        let mut sim = settled(&scene, solver, 240);
        assert_eq!(sim.asleep_count(), 6, "{solver}");
        assert_eq!(allocations(&mut sim), 0, "{solver}");
        let rod = sim.world().body("rod").unwrap();
        let end = sim.world().model.bodies.last().unwrap().points.end - 1;
        let at = sim.world().state.position[end as usize] + 0.1 * Vec2::X;
        let hold = sim.world().hold(rod, at - 0.1 * Vec2::X).unwrap();
        sim.inputs_mut().drags.push(Drag::new(hold, at));
        sim.step().unwrap();
        assert_eq!(allocations(&mut sim), 0, "{solver}, dragged");
        assert_eq!(sim.asleep_count(), 6, "{solver}");
    }
}

/// A pile of crates after a second on `verlet`, all that it holds on to per crate. The model takes a sixth of it,
/// what is remembered of pairs a fifth.
#[test]
fn a_crate_takes_some_kilobytes() {
    /// Bytes.
    const MOST: i64 = 2700;
    const COUNT: usize = 2500;
    let mut scene = Scene::default();
    let ground = Shape::Box { size: Vec2::new(120.0, 1.0) };
    scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    for k in 0..COUNT {
        let at = Vec2::new((k % 50) as f32 * 1.05 - 25.0, 0.5 + (k / 50) as f32);
        let body = BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at);
        scene.bodies.push(body);
    }
    let mut sim = None;
    let counted = allocation_counter::measure(|| {
        sim = Some(settled(&scene, SolverKind::Verlet, 60));
    });
    let bytes = counted.bytes_current / COUNT as i64;
    assert!(bytes <= MOST, "{bytes} bytes per crate");
}
