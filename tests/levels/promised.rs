//! Runs a level and tells which of its promises a solver breaks.

use sinew::metrics::{Judge, Recorder};
use sinew::{Level, Overrides, Sim, SolverKind};

/// The promises that a solver breaks, with what was measured: as `sinew test --solver` has it.
pub(crate) fn broken(level: &Level, solver: SolverKind) -> Vec<String> {
    let mut scene = level.scene.clone();
    let overrides = Overrides { solver: Some(solver), ..Overrides::default() };
    scene.settings = overrides.apply(scene.settings);
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, solver, sim.world());
    judge.observe(recorder.last(), sim.world());
    let end = level.expect.iter().map(|promise| promise.at).fold(0.0, f64::max);
    while sim.world().state.time < end + 1e-6 {
        sim.step().unwrap_or_else(|error| panic!("{} on {solver}: {error}", level.name));
        judge.observe(recorder.observe(sim.world()), sim.world());
    }
    let broken = judge.verdicts().into_iter().filter(|verdict| !verdict.pass);
    broken.map(|verdict| format!("{} on {solver}: {verdict}", level.name)).collect()
}

/// The same for all solvers.
pub(crate) fn broken_on_any(level: &Level) -> Vec<String> {
    SolverKind::ALL.iter().flat_map(|&solver| broken(level, solver)).collect()
}
