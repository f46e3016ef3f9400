//! The levels in `levels/` that are not built in keep their promises on every solver, as `sinew test
//! levels --solver all` has it; those that are built in are tried by other tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sinew::{Level, SolverKind};

use crate::promised::broken;

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
