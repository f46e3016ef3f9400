//! Runs a level without a window, measuring after each step.

use std::time::Instant;

use super::profile::Profile;
use crate::error::{Error, Result};
use crate::level::Level;
use crate::metrics::{Histogram, Judge, Quality, Recorder, Sample, Verdict};
use crate::settings::{Effort, Overrides, Settings};
use crate::sim::Sim;
use crate::solver::Limitation;
use crate::threads::Threads;

/// How long a run takes where neither the user nor an expectation says otherwise, s.
const USUAL_SECONDS: f64 = 10.0;

/// What a run was like.
#[derive(Clone, Debug)]
pub(crate) struct Outcome {
    /// The settings it ran with.
    pub(crate) settings: Settings,
    /// Bodies, points, edges and joints.
    pub(crate) counts: Counts,
    /// Simulated time, s.
    pub(crate) seconds: f64,
    /// Steps taken.
    pub(crate) steps: u64,
    /// The metrics.
    pub(crate) quality: Quality,
    /// The time since which nothing has moved to speak of, s.
    pub(crate) settled_at: Option<f64>,
    /// What became of the promises.
    pub(crate) verdicts: Vec<Verdict>,
    /// Time each step took, s; without that of measuring.
    pub(crate) step_times: Histogram,
    /// Where that time went.
    pub(crate) profile: Profile,
    /// The hash of the last state.
    pub(crate) hash: u64,
    /// What the solver ignores or approximates in the level.
    pub(crate) limitations: Vec<Limitation>,
    /// What stopped the run early.
    pub(crate) error: Option<Error>,
}

/// How much there is of what.
#[derive(Clone, Copy, Debug, serde::Serialize)]
pub(crate) struct Counts {
    pub(crate) bodies: usize,
    pub(crate) points: usize,
    pub(crate) edges: usize,
    pub(crate) joints: usize,
}

impl Outcome {
    /// Sub-steps and iterations.
    pub(crate) fn effort(&self) -> Effort {
        self.settings.effort(self.settings.solver)
    }

    /// The promises that were broken, or that a run which stopped early could not keep.
    pub(crate) fn broken(&self) -> impl Iterator<Item = &Verdict> {
        self.judged().filter(|verdict| !verdict.pass)
    }

    /// The promises that count: those the run lasted long enough for, or all if it broke down.
    pub(crate) fn judged(&self) -> impl Iterator<Item = &Verdict> {
        self.verdicts.iter().filter(|verdict| verdict.reached || self.error.is_some())
    }
}

/// The time a level takes: what was asked for, or 10 s, or until its last promise.
pub(crate) fn duration(level: &Level, asked: Option<f64>) -> f64 {
    asked.unwrap_or_else(|| last_promise(level).map_or(USUAL_SECONDS, |at| at.max(USUAL_SECONDS)))
}

/// When the last promise of a level is due, s.
pub(crate) fn last_promise(level: &Level) -> Option<f64> {
    level.expect.iter().map(|promise| promise.at).reduce(f64::max)
}

/// The steps of a run. One that would end past the time asked for is taken all the same.
pub(crate) fn steps(seconds: f64, hz: f32) -> u64 {
    (seconds * f64::from(hz) - 1e-6).ceil().max(1.0) as u64
}

/// Runs a level for `seconds` on so many threads; `watch` is shown the simulation and what was measured of it at the
/// start and after each step.
///
/// # Errors
/// If the level cannot be built, or there are no such threads. A run that diverges is an [`Outcome`] with an error.
pub(crate) fn run(
    level: &Level,
    overrides: &Overrides,
    seconds: f64,
    threads: usize,
    mut watch: impl FnMut(&Sim, &Sample),
) -> Result<Outcome> {
    let mut scene = level.scene.clone();
    scene.settings = overrides.apply(scene.settings);
    let mut sim = Sim::new(&scene)?;
    sim.set_threads(Threads::new(threads)?);
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, sim.solver_kind(), sim.world());
    judge.observe(recorder.last(), sim.world());
    watch(&sim, recorder.last());
    let (mut step_times, mut profile) = (Histogram::default(), Profile::default());
    let mut error = None;
    for _ in 0..steps(seconds, sim.settings().hz) {
        let before = Instant::now();
        if let Err(fault) = sim.step() {
            error = Some(fault);
            break;
        }
        let taken = before.elapsed().as_secs_f64();
        step_times.add(taken);
        profile.add(taken, sim.report(), sim.contacts().len());
        let sample = recorder.observe(sim.world());
        judge.observe(sample, sim.world());
        watch(&sim, sample);
    }
    let (model, state) = (&sim.world().model, &sim.world().state);
    Ok(Outcome {
        settings: *sim.settings(),
        counts: Counts {
            bodies: model.bodies.len(),
            points: model.point_count(),
            edges: model.edges.len(),
            joints: model.joints.len(),
        },
        // Not the clock, which adds up a rounding error each step.
        seconds: state.steps as f64 / f64::from(sim.settings().hz),
        steps: state.steps,
        quality: recorder.quality(),
        settled_at: recorder.last().settled_at,
        verdicts: judge.verdicts(),
        step_times,
        profile,
        hash: state.hash(),
        limitations: sim.limitations(),
        error,
    })
}
