//! Soft bodies in a vice: random jellies and blobs are dropped, squeezed to half their height by a jaw
//! that closes on them, and let go. No piece turns inside out, nothing gets out, and all take up the
//! area again that they had at rest before.

use std::sync::Mutex;

use sinew::soft::{Blob, Jelly, Stiffness};
use sinew::{BodyDef, BodyKind, Mesh, Scene, Shape, Sim, SolverKind, Vec2};

const BODIES: u64 = 100;
/// Of those, every so many are tried on solvers that take long.
const SOME: u64 = 6;

/// Numbers from 0 to 1, the same on every run: splitmix64 (Steele, Lea, Flood, “Fast Splittable
/// Pseudorandom Number Generators”, 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }

    fn between(&mut self, least: f32, most: f32) -> f32 {
        least + (most - least) * self.next()
    }
}

/// A box, a polygon or a disc of jelly, or a blob, stiff enough to carry its own weight.
fn body(random: &mut Random) -> Mesh {
    let (width, height) = (random.between(0.4, 1.2), random.between(0.4, 1.2));
    // 50 kPa to 1 MPa.
    let modulus = Stiffness::Modulus(10.0_f32.powf(random.between(4.7, 6.0)));
    let corners = random.between(3.0, 9.0) as u32;
    let corner = |k: u32| {
        let turn = Vec2::from_angle(std::f32::consts::TAU * k as f32 / corners as f32);
        0.5 * turn * Vec2::new(width, height)
    };
    let made = match random.between(0.0, 4.0) as u32 {
        0 => Jelly { stiffness: modulus, ..Jelly::rectangle(Vec2::new(width, height)) }.mesh(),
        1 => {
            let outline = (0..corners).map(corner).collect();
            Jelly { outline, stiffness: modulus, ..Jelly::disc(1.0) }.mesh()
        }
        2 => {
            let stiffness = Stiffness::Frequency(random.between(6.0, 12.0));
            Jelly { stiffness, ..Jelly::disc(0.5 * width) }.mesh()
        }
        _ => Blob { radius: 0.5 * width, ..Blob::default() }.mesh(),
    };
    made.unwrap()
}

/// The area of each solid piece of the soft body, m².
fn areas(sim: &Sim) -> Vec<f32> {
    let (model, state) = (&sim.world().model, &sim.world().state);
    let pieces = model.pieces_of(&model.bodies[1]).iter().filter(|piece| piece.count >= 3);
    let area = |outline: &[u32]| -> f32 {
        let at = |k: usize| state.position[outline[k % outline.len()] as usize];
        (0..outline.len()).map(|k| 0.5 * at(k).perp_dot(at(k + 1))).sum()
    };
    pieces.map(|piece| area(model.outline(piece))).collect()
}

fn top(sim: &Sim) -> f32 {
    let (model, state) = (&sim.world().model, &sim.world().state);
    let heights = model.bodies[1].point_range().map(|i| state.position[i].y);
    heights.fold(0.0, f32::max)
}

/// Gives the jaw a speed, and first a height of its lower side if there is one.
fn drive(sim: &mut Sim, height: Option<f32>, speed: f32) {
    let mut state = sim.world().state.clone();
    let jaw = sim.world().model.bodies[2].point_range();
    let lowest = jaw.clone().map(|i| state.position[i].y).fold(f32::MAX, f32::min);
    for i in jaw {
        state.position[i].y += height.map_or(0.0, |height| height - lowest);
        state.velocity[i] = Vec2::new(0.0, speed);
    }
    sim.restore(state).unwrap();
}

/// What went wrong with a body, if anything.
fn squeeze(seed: u64, solver: SolverKind) -> Option<String> {
    let mut random = Random(seed);
    let floor = Shape::Box { size: Vec2::new(20.0, 2.0) };
    let mut soft = BodyDef::new("soft", Shape::Mesh(body(&mut random)), Vec2::new(0.0, 1.2));
    soft.angle = random.between(0.0, std::f32::consts::TAU);
    soft.velocity = Vec2::new(0.0, random.between(-2.0, 0.0));
    let jaw = Shape::Box { size: Vec2::new(10.0, 1.0) };
    let mut jaw = BodyDef::new("jaw", jaw, Vec2::new(0.0, 5.0));
    jaw.kind = BodyKind::Kinematic;
    let floor = BodyDef::new("floor", floor, Vec2::new(0.0, -1.0)).fixed();
    let mut scene = Scene { bodies: vec![floor, soft, jaw], ..Scene::default() };
    scene.settings.solver = solver;
    let mut sim = Sim::new(&scene).unwrap();
    let run = |sim: &mut Sim, seconds: f32| {
        for _ in 0..(60.0 * seconds) as u32 {
            sim.step().unwrap();
        }
    };
    run(&mut sim, 3.0);
    let (before, height) = (areas(&sim).iter().sum::<f32>(), top(&sim));
    drive(&mut sim, Some(height + 0.02), -(0.5 * height + 0.02) / 2.0);
    run(&mut sim, 2.0);
    let squeezed = top(&sim) / height;
    drive(&mut sim, None, 1.0);
    run(&mut sim, 3.0);
    let after = areas(&sim);
    let inverted = after.iter().filter(|area| **area <= 0.0).count();
    let recovered = after.iter().sum::<f32>() / before;
    let (model, state) = (&sim.world().model, &sim.world().state);
    let mut places = model.bodies[1].point_range().map(|i| state.position[i]);
    let escaped = places.any(|at| at.y < -0.02 || at.y > 3.0 || at.x.abs() > 8.0);
    let kept = (recovered - 1.0).abs() < 0.05;
    // The jaw may have sunk in a little.
    let fine = inverted == 0 && !escaped && kept && squeezed < 0.6;
    (!fine).then(|| {
        format!(
            "{seed} on {solver}: squeezed to {squeezed:.2}, {inverted} inverted, escaped {escaped}, \
             area {recovered:.3}"
        )
    })
}

#[test]
fn soft_bodies_come_out_of_a_vice_as_they_went_in() {
    let all = (0..BODIES).flat_map(|seed| SolverKind::ALL.map(|solver| (seed, solver)));
    let slow =
        |(seed, solver): &(u64, SolverKind)| *solver == SolverKind::Verlet || seed % SOME == 0;
    let (jobs, found) = (Mutex::new(all.filter(slow)), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((seed, solver)) = jobs.lock().unwrap().next() else { break };
                    let wrong = squeeze(seed, solver);
                    found.lock().unwrap().extend(wrong);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{found:#?}");
}
