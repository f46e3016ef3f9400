//! The levels of the laboratory are sound: they load, say what they show and where their gates come
//! from, and run on every solver, twice to the same bits. Whether a solver passes the gates is what
//! `sinew test levels/lab` tells; `docs/lab.md` has the state of it.

use std::fs;
use std::path::{Path, PathBuf};

use sinew::{Level, Scene, Sim, SolverKind, World};

/// Steps that each level is run for: two thirds of a second.
const STEPS: usize = 40;

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels/lab");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<_> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    files.sort();
    files
}

#[test]
fn every_level_loads_and_explains_itself() {
    let files = files();
    assert!(files.len() >= 22, "{} levels", files.len());
    for file in files {
        let level = Level::load(&file).unwrap_or_else(|error| panic!("{error}"));
        World::build(&level.scene).unwrap_or_else(|error| panic!("{}: {error}", level.name));
        assert!(
            level.scene.about.ends_with('.'),
            "{} says in a sentence what it shows",
            level.name
        );
        assert!(level.expect.len() >= 2, "{} promises too little", level.name);
        let bound_by_all = level.expect.iter().any(|promise| promise.solvers.is_empty());
        assert!(bound_by_all, "{}: a gate is one for every solver", level.name);
        let text = fs::read_to_string(&file).unwrap();
        let comment = text.lines().take_while(|line| line.starts_with("//"));
        let gate = comment.filter(|line| line.contains("Gate: ")).count();
        assert_eq!(gate, 1, "{}: its first comment says what its gate is", level.name);
        let names = Level::BUILTIN.iter().any(|(name, _)| *name == level.name);
        assert!(
            !names,
            "{} is a built-in level too: reports could not tell them apart",
            level.name
        );
    }
}

/// The hash after the steps.
fn run(scene: &Scene, name: &str) -> u64 {
    let mut sim = Sim::new(scene).unwrap();
    let solver = sim.solver_kind();
    for _ in 0..STEPS {
        sim.step().unwrap_or_else(|error| panic!("{name} on {solver}: {error}"));
    }
    sim.world().state.hash()
}

#[test]
fn every_level_runs_on_every_solver_twice_to_the_same_bits() {
    for file in files() {
        let Level { name, mut scene, .. } = Level::load(&file).unwrap();
        for solver in SolverKind::ALL {
            scene.settings.solver = solver;
            let (scene, name) = (&scene, &name);
            // At the same time, so that one disturbs the other if they share anything.
            let (first, second) = std::thread::scope(|scope| {
                let other = scope.spawn(|| run(scene, name));
                (run(scene, name), other.join().unwrap())
            });
            assert_eq!(first, second, "{name} on {solver}");
        }
    }
}
