//! Whole steps of piles of crates on each solver, from a hundred to a hundred thousand: what a body costs.
//!
//! Crates stand in columns side by side, and touch those below and above them: in a `pile` columns are a quarter as high as
//! there are of them, so that more crates are a heavier load as well; in a `row` they are all as high as in a pile of a
//! thousand, and more crates are only more of the same. A few steps settle them; nothing sleeps. Criterion tells the
//! crates that are stepped in a second, the inverse of the time of a body: with ten times the bodies, that is to stay the
//! same.

use std::time::Duration;

use criterion::{
    BenchmarkId, Criterion, SamplingMode, Throughput, criterion_group, criterion_main,
};
use sinew::{BodyDef, Scene, Shape, Sim, SolverKind, Vec2};

/// Crates in a pile.
const COUNTS: [usize; 4] = [100, 1_000, 10_000, 100_000];
/// Steps before anything is measured.
const SETTLING: u32 = 10;

/// How high columns are that are a quarter as high as there are of them.
fn quarter(count: usize) -> usize {
    (0.5 * (count as f32).sqrt()) as usize
}

/// Columns of crates of one metre, so many crates `high`, on wide ground.
fn columns(count: usize, high: usize) -> Scene {
    let wide = count.div_ceil(high) as f32;
    let mut scene = Scene::default();
    scene.settings.sleep = false;
    let ground = Shape::Box { size: Vec2::new(1.2 * wide + 20.0, 1.0) };
    scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    for k in 0..count {
        let (column, row) = ((k / high) as f32, (k % high) as f32);
        let at = Vec2::new(1.1 * (column - 0.5 * wide), row + 0.5);
        scene.bodies.push(BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at));
    }
    scene
}

fn steps(sim: &mut Sim, count: u32) {
    for _ in 0..count {
        if let Err(error) = sim.step() {
            panic!("{error}");
        }
    }
}

fn piles(criterion: &mut Criterion) {
    measure(criterion, "pile", quarter);
}

fn rows(criterion: &mut Criterion) {
    measure(criterion, "row", |_| quarter(1_000));
}

fn measure(criterion: &mut Criterion, name: &str, high: impl Fn(usize) -> usize) {
    for count in COUNTS {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(count as u64)).sampling_mode(SamplingMode::Flat);
        let scene = columns(count, high(count));
        for solver in SolverKind::ALL {
            let mut scene = scene.clone();
            scene.settings.solver = solver;
            let mut sim = match Sim::new(&scene) {
                Ok(sim) => sim,
                Err(error) => panic!("{solver}: {error}"),
            };
            steps(&mut sim, SETTLING);
            group.bench_function(BenchmarkId::new(solver.name(), count), |bencher| {
                bencher.iter(|| steps(&mut sim, 1));
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = piles, rows
}
criterion_main!(benches);
