//! What questions about where bodies are take, and what it takes a step to find out who touches whom.
//!
//! `cargo bench --bench query`. Crates lie in a square heap, one on every 2 m². Sorting them is what the first question
//! after a step takes; those after it are compared with a look at all pieces one by one, which is what there was to do
//! without.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sinew::{BodyDef, Level, Probe, Scene, Shape, Sim, SolverKind, Vec2, World};

const CRATES: [usize; 3] = [100, 1_000, 10_000];

/// Crates that are turned every way, a metre and a half from each other.
fn heap(count: usize) -> World {
    let columns = (count as f32).sqrt() as usize;
    let bodies = (0..count).map(|k| {
        let at = 1.5 * Vec2::new((k % columns) as f32, (k / columns) as f32);
        let crate_there = BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at);
        BodyDef { angle: 0.7 * k as f32, ..crate_there }
    });
    World::build(&Scene { bodies: bodies.collect(), ..Scene::default() }).expect("a heap")
}

fn questions(c: &mut Criterion) {
    let mut group = c.benchmark_group("query");
    group.measurement_time(Duration::from_secs(2));
    for count in CRATES {
        let world = heap(count);
        let id = |name: &str| BenchmarkId::new(name, count);
        group.bench_function(id("sort"), |b| b.iter(|| black_box(world.queries())));
        let queries = world.queries();
        // From the middle, so that there is something on all sides.
        let middle = 0.75 * (count as f32).sqrt() * Vec2::ONE + Vec2::new(0.75, 0.7);
        let ways: Vec<Vec2> = (0..16).map(|k| 10.0 * Vec2::from_angle(k as f32)).collect();
        let (eye, fist) = (Probe::point(middle), Probe::disc(middle, 0.2));
        let around = Probe::disc(middle, 2.0);
        group.bench_function(id("16 rays"), |b| {
            b.iter(|| ways.iter().filter_map(|way| queries.cast(&eye, *way, |_| true)).count());
        });
        group.bench_function(id("16 discs on their way"), |b| {
            b.iter(|| ways.iter().filter_map(|way| queries.cast(&fist, *way, |_| true)).count());
        });
        group.bench_function(id("who is within 2 m"), |b| {
            b.iter(|| queries.overlapping(black_box(&around), |_| true));
        });
        group.bench_function(id("who is within 2 m, one by one"), |b| {
            let near = |piece: &&sinew::Piece| world.distance_to_piece(piece, middle) <= 2.0;
            b.iter(|| world.model.pieces.iter().filter(near).count());
        });
    }
    group.finish();
}

fn watching(c: &mut Criterion) {
    let mut group = c.benchmark_group("watch");
    let scene = Level::builtin("pyramid").expect("it is built in").scene;
    for solver in SolverKind::ALL {
        for watch in [false, true] {
            let mut scene = scene.clone();
            (scene.settings.solver, scene.settings.sleep) = (solver, false);
            let mut sim = Sim::new(&scene).expect("it is sound");
            sim.watch_contacts(watch);
            let name = if watch { "watched" } else { "not watched" };
            group.bench_function(BenchmarkId::new(name, solver), |b| {
                b.iter(|| sim.step().map(|report| report.iterations));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, questions, watching);
criterion_main!(benches);
