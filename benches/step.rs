//! Whole steps of built-in levels on each solver, at the solver's own effort.
//!
//! A level first runs for some seconds, so that what is measured is the pile at rest with all its
//! contacts and not bodies in free fall. Every sample starts from that same state.

use std::time::Duration;

use criterion::{BatchSize, BenchmarkId, Criterion, criterion_group, criterion_main};
use sinew::{Level, Sim, SolverKind};

/// Steps in one sample.
const STEPS: u32 = 30;

/// A level after `seconds` of simulated time on a solver.
fn settled(name: &str, solver: SolverKind, seconds: u32) -> sinew::Result<Sim> {
    let mut scene = Level::builtin(name)?.scene;
    scene.settings.solver = solver;
    let mut sim = Sim::new(&scene)?;
    for _ in 0..60 * seconds {
        sim.step()?;
    }
    Ok(sim)
}

fn steps(criterion: &mut Criterion) {
    for (level, seconds) in [("pyramid", 1), ("pile_up", 6)] {
        let mut group = criterion.benchmark_group(format!("{level}_{STEPS}_steps"));
        for solver in SolverKind::ALL {
            let mut sim = match settled(level, solver, seconds) {
                Ok(sim) => sim,
                Err(error) => panic!("{level} on {solver}: {error}"),
            };
            let start = sim.world().state.clone();
            group.bench_function(BenchmarkId::from_parameter(solver), |bencher| {
                bencher.iter_batched(
                    || start.clone(),
                    |state| {
                        let run = sim
                            .restore(state)
                            .and_then(|()| (0..STEPS).try_for_each(|_| sim.step().map(drop)));
                        assert!(run.is_ok(), "{level} on {solver}: {run:?}");
                    },
                    BatchSize::SmallInput,
                );
            });
        }
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = steps
}
criterion_main!(benches);
