//! Why the broad phase is a sweep along strips: three ways to find overlapping boxes, on the same boxes.
//!
//! Similar boxes lie on one wide ground, as bodies do in a level, in a square heap or in a tower
//! 8 m wide; on average each overlaps two others. Compared are the strips of the crate, every
//! box against every other, and sort-and-sweep (boxes sorted along x, each compared with those that
//! begin before it ends; the order is kept from call to call, so it is sorted already here). All
//! three must find the same pairs before anything is measured.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use sinew::{Aabb, BroadPhase, Vec2};

type Pairs = Vec<(u32, u32)>;

/// `count` boxes of 0.8 to 1.2 m, one on every 2 m², and the ground under them.
fn heap(count: usize, width: f32) -> Vec<Aabb> {
    // A linear congruential generator (Knuth, MMIX): the same boxes on every machine.
    let mut state = 2026_u64;
    let mut random = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 40) as f32 / (1_u64 << 24) as f32
    };
    let size = Vec2::new(width, 2.0 * count as f32 / width);
    let mut boxes: Vec<Aabb> = (0..count)
        .map(|_| {
            let min = size * Vec2::new(random(), random());
            Aabb { min, max: min + Vec2::splat(0.8) + 0.4 * Vec2::new(random(), random()) }
        })
        .collect();
    boxes.push(Aabb { min: Vec2::new(-10.0, -1.0), max: Vec2::new(width + 10.0, 0.1) });
    boxes
}

fn brute_force(boxes: &[Aabb], pairs: &mut Pairs) {
    pairs.clear();
    for (i, a) in boxes.iter().enumerate() {
        for (j, b) in boxes.iter().enumerate().skip(i + 1) {
            if a.overlaps(*b) {
                pairs.push((i as u32, j as u32));
            }
        }
    }
}

/// Keeps its order from call to call, so that boxes that moved a little are nearly sorted.
#[derive(Default)]
struct SortAndSweep {
    order: Vec<u32>,
}

impl SortAndSweep {
    fn find_pairs(&mut self, boxes: &[Aabb], pairs: &mut Pairs) {
        pairs.clear();
        if self.order.len() != boxes.len() {
            self.order = (0..boxes.len() as u32).collect();
        }
        self.order.sort_by(|&i, &j| boxes[i as usize].min.x.total_cmp(&boxes[j as usize].min.x));
        for (k, &i) in self.order.iter().enumerate() {
            let a = boxes[i as usize];
            for &j in &self.order[k + 1..] {
                let b = boxes[j as usize];
                if b.min.x > a.max.x {
                    break;
                }
                if a.overlaps(b) {
                    pairs.push((i.min(j), i.max(j)));
                }
            }
        }
    }
}

fn find_pairs(criterion: &mut Criterion) {
    for count in [100, 1_000, 10_000] {
        compare(criterion, "heap", count, &heap(count, (2.0 * count as f32).sqrt()));
        compare(criterion, "tower", count, &heap(count, 8.0));
    }
}

fn compare(criterion: &mut Criterion, name: &str, count: usize, boxes: &[Aabb]) {
    let (mut strips, mut sweep) = (BroadPhase::default(), SortAndSweep::default());
    let mut pairs = Pairs::new();
    let groups: Vec<u32> = (0..boxes.len() as u32).collect();

    brute_force(boxes, &mut pairs);
    let expected = pairs.clone();
    strips.find_pairs(boxes, &groups, &mut pairs);
    pairs.sort_unstable();
    assert_eq!(pairs, expected, "the strips and brute force disagree");
    sweep.find_pairs(boxes, &mut pairs);
    pairs.sort_unstable();
    assert_eq!(pairs, expected, "the sweep and brute force disagree");

    let mut group = criterion.benchmark_group(name);
    group.bench_function(BenchmarkId::new("strips", count), |bencher| {
        bencher.iter(|| strips.find_pairs(black_box(boxes), &groups, &mut pairs));
    });
    group.bench_function(BenchmarkId::new("sort_and_sweep", count), |bencher| {
        bencher.iter(|| sweep.find_pairs(black_box(boxes), &mut pairs));
    });
    group.bench_function(BenchmarkId::new("brute_force", count), |bencher| {
        bencher.iter(|| brute_force(black_box(boxes), &mut pairs));
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(10)
        .warm_up_time(std::time::Duration::from_millis(300))
        .measurement_time(std::time::Duration::from_secs(1));
    targets = find_pairs
}
criterion_main!(benches);
