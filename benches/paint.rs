//! How long it takes to make the triangles of a frame.
//!
//! Ten thousand crates, all on a picture of 1280 by 720 pixels and so a few pixels large, and the
//! same crates with the camera nearer. The goal is 3 ms for all of them on one core.
//! `cargo bench --bench paint`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sinew::view::Canvas;
use sinew::{Level, Vec2, View, World};

const CRATES: &str = r#"{ "format": 1, "items": [
    { "type": "crate", "size": [0.85, 0.85], "at": [0, 0], "angle": "$i * 37.5",
      "repeat": { "count": [130, 77], "step": [1, 1] } } ] }"#;

fn paint(criterion: &mut Criterion) {
    let world = Level::parse(CRATES, "crates.json").and_then(|level| World::build(&level.scene));
    let world = world.expect("the level of the bench has no mistakes");
    let positions = &world.state.position;
    let mut group = criterion.benchmark_group("10,010 crates");
    for height in [160.0, 77.0, 40.0, 10.0] {
        let view = View { center: Vec2::new(64.5, 38.0), height };
        let mut canvas = Canvas::default();
        canvas.paint(&world, positions, view, Vec2::new(1280.0, 720.0));
        let vertices: usize = canvas.batches().iter().map(|batch| batch.vertices.len()).sum();
        println!("{height} m: {vertices} vertices in {} draw calls", canvas.batches().len());
        group.bench_function(BenchmarkId::new("view", format!("{height} m high")), |bencher| {
            bencher.iter(|| {
                canvas.paint(black_box(&world), positions, view, Vec2::new(1280.0, 720.0));
            });
        });
    }
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(30)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(3));
    targets = paint
}
criterion_main!(benches);
