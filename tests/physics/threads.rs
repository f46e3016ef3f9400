//! A step on several threads gives the same bits as on one.

use std::path::Path;

use sinew::soft::{Cloth, Held, Jelly, Rope};
use sinew::{BodyDef, JointDef, Level, Scene, Settings, Shape, Sim, SolverKind, Threads, Vec2};

use crate::net;

/// The hash of the state after each lap of so many steps, on so many threads.
fn hashes(scene: &Scene, solver: SolverKind, [laps, steps]: [u64; 2], threads: usize) -> Vec<u64> {
    let settings = Settings { solver, sleep: false, ..scene.settings };
    let mut sim = Sim::new(&Scene { settings, ..scene.clone() }).unwrap();
    sim.set_threads(Threads::new(threads).unwrap());
    assert_eq!(sim.threads().count(), threads);
    let mut lap = || {
        for _ in 0..steps {
            sim.step().unwrap();
        }
        sim.world().state.hash()
    };
    (0..laps).map(|_| lap()).collect()
}

fn same_on_any_number(scene: &Scene, solver: SolverKind, seconds: u64) {
    same_in_laps(scene, solver, [seconds, 60]);
}

fn same_in_laps(scene: &Scene, solver: SolverKind, laps: [u64; 2]) {
    let one = hashes(scene, solver, laps, 1);
    for threads in [2, 3] {
        assert_eq!(hashes(scene, solver, laps, threads), one, "{solver}, {threads} threads");
    }
}

fn ground() -> BodyDef {
    BodyDef::new("ground", Shape::Box { size: Vec2::new(400.0, 2.0) }, Vec2::new(0.0, -1.0)).fixed()
}

/// So many crates in the lowest row.
fn pyramid(base: usize) -> Scene {
    let mut bodies = vec![ground()];
    for row in 0..base {
        for k in 0..base - row {
            let at = Vec2::new(k as f32 - 0.5 * (base - row) as f32, 0.5 + row as f32);
            let size = Vec2::new(0.98, 1.0);
            bodies.push(BodyDef::new(format!("crate{row}_{k}"), Shape::Box { size }, at));
        }
    }
    Scene { bodies, ..Scene::default() }
}

/// A heap that falls together from all sides: crates and discs that turn, chains of crates, ropes, and a
/// bullet that goes through it.
fn mix() -> Scene {
    let mut scene = Scene { bodies: vec![ground()], ..Scene::default() };
    let mut seed = 1_u32;
    let mut random = |scale: f32| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        scale * (seed >> 8) as f32 / 16_777_216.0
    };
    for k in 0..1800 {
        let at = Vec2::new((k % 60) as f32 * 1.1 - 33.0, 1.0 + (k / 60) as f32 * 1.2);
        let size = 0.5 + random(0.5);
        let shape = match k % 5 {
            0 => Shape::Disc { radius: 0.5 * size },
            _ => Shape::Box { size: Vec2::new(size, 0.8) },
        };
        let mut body = BodyDef::new(format!("body{k}"), shape, at);
        body.velocity = Vec2::new(random(8.0) - 4.0, random(4.0) - 2.0);
        body.spin = random(6.0) - 3.0;
        body.material.restitution = if k % 7 == 0 { 0.6 } else { 0.0 };
        scene.bodies.push(body);
        if k % 60 > 0 && k % 4 == 0 {
            let (a, b) = (format!("body{}", k - 1), format!("body{k}"));
            let at = at - Vec2::new(0.55, 0.0);
            scene.joints.push(JointDef::pin(format!("pin{k}"), a, Some(&b), at));
        }
    }
    for k in 0..6 {
        let mesh = Rope { to: Vec2::new(6.0, 0.0), ..Rope::default() }.mesh().unwrap();
        let at = Vec2::new(10.0 * k as f32 - 30.0, 42.0);
        scene.bodies.push(BodyDef::new(format!("rope{k}"), Shape::Mesh(mesh), at));
    }
    let mut bullet = BodyDef::new("bullet", Shape::Disc { radius: 0.1 }, Vec2::new(-60.0, 5.0));
    bullet.velocity = Vec2::new(150.0, 0.0);
    scene.bodies.push(bullet);
    scene
}

#[test]
fn a_pyramid_of_five_thousand_crates() {
    same_on_any_number(&pyramid(100), SolverKind::Impulse, 1);
    same_in_laps(&pyramid(100), SolverKind::Pbd, [2, 10]);
}

#[test]
fn a_heap_of_all_sorts_of_bodies() {
    same_on_any_number(&mix(), SolverKind::Impulse, 3);
}

#[test]
fn solvers_that_use_fewer_of_them() {
    let mut scene = mix();
    scene.bodies.truncate(700);
    let there = |id: &str| scene.bodies.iter().any(|body| body.id == id);
    scene.joints.retain(|joint| there(&joint.a) && joint.b.as_deref().is_some_and(there));
    same_on_any_number(&scene, SolverKind::Pbd, 1);
    same_on_any_number(&scene, SolverKind::Verlet, 1);
}

/// Many of each kind, so that whatever is shared is divided: rigid bodies, pins, ropes that are solved side by side, and
/// jellies that are left to rounds.
#[test]
fn points_of_all_sorts_of_bodies() {
    let mut scene = mix();
    for k in 0..80 {
        let mesh = match k % 2 {
            0 => Rope { to: Vec2::new(3.0, 0.0), ..Rope::default() }.mesh(),
            _ => Jelly::rectangle(Vec2::ONE).mesh(),
        };
        let at = Vec2::new(4.0 * (k % 20) as f32 - 40.0, 46.0 + 2.0 * (k / 20) as f32);
        scene.bodies.push(BodyDef::new(format!("soft{k}"), Shape::Mesh(mesh.unwrap()), at));
    }
    same_in_laps(&scene, SolverKind::Verlet, [4, 10]);
}

#[test]
fn people() {
    let scene = Level::load(Path::new("levels/ten_people.json")).unwrap().scene;
    same_on_any_number(&scene, SolverKind::Impulse, 3);
    same_on_any_number(&scene, SolverKind::Pbd, 3);
}

/// Of nine thousand pins, which are too many for one bundle; some are to the world.
#[test]
fn a_net_that_crates_fall_into() {
    const SIDE: usize = 70;
    let at = |k: usize| Vec2::new((k % SIDE) as f32 - 35.0, 20.0 + (k / SIDE) as f32);
    let mut scene = net::net(SIDE, 0.3, at);
    scene.bodies.push(ground());
    for k in (SIDE * (SIDE - 1)..SIDE * SIDE).step_by(10) {
        scene.joints.push(JointDef::pin(format!("nail{k}"), net::name(k), None, at(k)));
    }
    for k in 0..40 {
        let place = Vec2::new(1.5 * k as f32 - 30.0, 92.0);
        let crate_shape = Shape::Box { size: Vec2::ONE };
        scene.bodies.push(BodyDef::new(format!("crate{k}"), crate_shape, place));
    }
    assert!(scene.joints.len() > 9000);
    same_on_any_number(&scene, SolverKind::Impulse, 1);
    same_in_laps(&scene, SolverKind::Pbd, [2, 10]);
}

/// Of nineteen thousand edges, which are left to rounds, and too many for one bundle.
#[test]
fn a_wide_cloth_that_crates_fall_on() {
    let (size, cell) = (Vec2::splat(7.0), Some(0.1));
    let cloth = Cloth { size, cell, hold: Held::Top, ..Cloth::default() }.mesh().unwrap();
    assert!(cloth.edges.len() > 19_000);
    let mut scene = Scene::default();
    scene.bodies.push(BodyDef::new("cloth", Shape::Mesh(cloth), Vec2::new(0.0, 10.0)));
    for k in 0..8 {
        let at = Vec2::new(0.8 * k as f32 - 2.8, 13.9);
        scene.bodies.push(BodyDef::new(
            format!("crate{k}"),
            Shape::Box { size: Vec2::splat(0.6) },
            at,
        ));
    }
    same_in_laps(&scene, SolverKind::Impulse, [2, 10]);
    same_in_laps(&scene, SolverKind::Pbd, [2, 10]);
}
