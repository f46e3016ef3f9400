//! How long it takes to read a level of 20,000 items and to build its world.
//!
//! The goal is half a second on one core for reading and checking, so that a save shows at once
//! even in a huge level. `cargo bench --bench load`.

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use sinew::{Level, World};

const ITEMS: usize = 20_000;

/// A yard of crates, discs, capsules and polygons in rows, every item with several keys, every
/// hundredth pinned to its neighbour.
fn level_of_items() -> String {
    let mut text = String::from(
        "{\n  \"format\": 1,\n  \"bounds\": { \"min\": [-10, -10], \"max\": [1000, 1000] },\n  \
         \"items\": [\n",
    );
    for i in 0..ITEMS {
        let (x, y) = ((i % 200) as f32 * 1.5, (i / 200) as f32 * 1.5);
        let shape = match i % 4 {
            0 => "\"type\": \"crate\", \"size\": [1, 0.8], \"material\": \"oak\"",
            1 => "\"type\": \"disc\", \"radius\": 0.45, \"restitution\": 0.4",
            2 => "\"type\": \"capsule\", \"length\": 0.5, \"radius\": 0.2, \"angle\": 30",
            _ => "\"type\": \"polygon\", \"vertices\": [[-0.4, -0.3], [0.4, -0.3], [0, 0.45]]",
        };
        text += &format!(
            "    {{ {shape}, \"id\": \"b{i}\", \"at\": [{x}, {y}], \"color\": \"#b5793a\" }}, // {i}\n"
        );
        if i % 100 == 99 {
            text += &format!(
                "    {{ \"type\": \"pin\", \"a\": \"b{i}\", \"b\": \"b{}\", \"at\": [{}, {y}] }},\n",
                i - 1,
                x - 0.75
            );
        }
    }
    text + "  ],\n}\n"
}

fn load(c: &mut Criterion) {
    let text = level_of_items();
    let level = Level::parse(&text, "bench.json").expect("the level of the bench has no mistakes");
    assert_eq!(level.scene.bodies.len(), ITEMS);
    let mut group = c.benchmark_group("20,000 items");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    group.throughput(Throughput::Elements(ITEMS as u64));
    group.bench_function("read and check", |b| {
        b.iter(|| Level::parse(black_box(&text), "bench.json"));
    });
    group.bench_function("read, check and lint", |b| {
        b.iter(|| Level::examine(black_box(&text), "bench.json"));
    });
    group.bench_function("format", |b| {
        b.iter(|| Level::formatted(black_box(&text), "bench.json"));
    });
    group.bench_function("build the world", |b| {
        b.iter(|| World::build(black_box(&level.scene)));
    });
    group.finish();
}

criterion_group!(benches, load);
criterion_main!(benches);
