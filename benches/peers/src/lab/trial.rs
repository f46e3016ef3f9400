//! One level on one engine.

use sinew::metrics::{Judge, Quality, Recorder, Verdict};
use sinew::{Level, SolverKind};

use crate::peer::{Entrant, Outcome};

/// How long a level without promises runs, s.
const USUAL_SECONDS: f64 = 10.0;

/// What became of a level on an engine.
pub struct Trial {
    /// What was measured.
    pub quality: Quality,
    /// What became of the promises that the level makes for every solver.
    pub verdicts: Vec<Verdict>,
}

/// Runs a level until its last promise is due. What an engine cannot do is the error.
pub fn run(level: &Level, entrant: &Entrant) -> Outcome<Trial> {
    let seconds = level.expect.iter().map(|promise| promise.at).fold(0.0, f64::max);
    let seconds = if seconds > 0.0 { seconds } else { USUAL_SECONDS };
    let steps = (seconds * f64::from(level.scene.settings.hz)).ceil() as u64;
    let mut peer = (entrant.build)(&level.scene, 1)?;
    let world = peer.world()?;
    let mut recorder = Recorder::new(world, level.scene.settings.gravity);
    let mut judge = Judge::new(&level.expect, SolverKind::Custom(entrant.name), world);
    for _ in 0..steps {
        peer.step()?;
        let world = peer.world()?;
        judge.observe(recorder.observe(world), world);
    }
    Ok(Trial { quality: recorder.quality(), verdicts: judge.verdicts() })
}
