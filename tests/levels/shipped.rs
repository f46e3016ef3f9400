//! The levels in `levels/` that are not built in keep their promises on every solver, as `sinew test
//! levels --solver all` has it; those that are built in are tried by other tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sinew::metrics::{Judge, Recorder};
use sinew::{Level, Sim, SolverKind};

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let is_level = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_str().unwrap();
        let builtin = Level::BUILTIN.iter().any(|(builtin, _)| name == format!("{builtin}.json"));
        name.ends_with(".json") && name != "level.schema.json" && !builtin
    };
    let mut files: Vec<_> = entries.filter(is_level).collect();
    files.sort();
    files
}

/// What is not as promised.
fn broken(level: &Level, solver: SolverKind) -> Vec<String> {
    let mut scene = level.scene.clone();
    scene.settings.solver = solver;
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, solver, sim.world());
    judge.observe(recorder.last(), sim.world());
    let seconds = level.expect.iter().map(|promise| promise.at).fold(0.0, f64::max);
    while sim.world().state.time < seconds + 1e-6 {
        if let Err(error) = sim.step() {
            return vec![format!("{} on {solver}: {error}", level.name)];
        }
        let sample = recorder.observe(sim.world());
        judge.observe(sample, sim.world());
    }
    let verdicts = judge.verdicts();
    let broken = verdicts.iter().filter(|verdict| !verdict.pass);
    broken
        .map(|verdict| {
            let (name, value, time) = (&verdict.name, verdict.value, verdict.time);
            format!("{} on {solver}: {name}: {value} {} at {time:.2} s", level.name, verdict.unit)
        })
        .collect()
}

#[test]
fn levels_keep_their_promises_on_every_solver() {
    let levels: Vec<Level> = files().iter().map(|file| Level::load(file).unwrap()).collect();
    assert!(levels.len() >= 10, "{} levels", levels.len());
    let all = levels.iter().flat_map(|level| SolverKind::ALL.map(|solver| (level, solver)));
    let (jobs, found) = (Mutex::new(all), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((level, solver)) = jobs.lock().unwrap().next() else { break };
                    let broken = broken(level, solver);
                    found.lock().unwrap().extend(broken);
                }
            });
        }
    });
    let found = found.into_inner().unwrap();
    assert!(found.is_empty(), "{found:#?}");
}
