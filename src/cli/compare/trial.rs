//! A run that is measured, and runs of the same that are timed.
//!
//! Both are the same to the last bit, so what was measured belongs to what was timed. A timed run
//! does nothing but step, because measuring throws the solver's data out of the caches. What counts is
//! the time of the processor. The timed runs of different solvers take turns, so that whatever else
//! slows the machine down is shared among them, and of several rounds each step counts with its
//! median time.

use super::clock;
use crate::cli::headless::{self, Outcome};
use crate::compare::{Choice, Series, Track, substeps_for};
use crate::error::Result;
use crate::level::Level;
use crate::metrics::Histogram;
use crate::settings::{Overrides, Settings};
use crate::sim::Sim;
use crate::world::World;

/// One level with one set of settings.
#[derive(Clone, Debug)]
pub(crate) struct Trial {
    /// What the settings are called.
    pub(crate) label: String,
    pub(crate) overrides: Overrides,
    pub(crate) outcome: Outcome,
    /// What was measured over time.
    pub(crate) series: Series,
    /// Where the bodies were.
    pub(crate) track: Track,
    /// The world at the instants that were asked for; fewer if the run broke down before.
    pub(crate) pictures: Vec<World>,
    /// The time of each step, s.
    pub(crate) step_times: Vec<f32>,
}

/// Runs a level once and measures it; `at` are the instants to keep the world of, s, rising.
///
/// # Errors
/// If the level cannot be built.
pub(crate) fn measure(
    level: &Level,
    overrides: Overrides,
    label: String,
    seconds: f64,
    at: &[f64],
) -> Result<Trial> {
    let hz = overrides.apply(level.scene.settings).hz;
    let steps = headless::steps(seconds, hz);
    let mut series = Series::new(steps);
    let mut track = None;
    let mut pictures = Vec::new();
    let outcome = headless::run(level, &overrides, seconds, 1, |sim, sample| {
        let world = sim.world();
        series.observe(sample);
        match &mut track {
            None => track = Some(Track::new(world, hz, steps)),
            Some(track) => track.observe(world),
        }
        let now = world.state.steps as f64 / f64::from(hz);
        while at.get(pictures.len()).is_some_and(|&at| now >= at - 1e-6) {
            pictures.push(world.clone());
        }
    })?;
    let track = track.unwrap_or_else(|| Track::new(&World::default(), hz, 0));
    Ok(Trial { label, overrides, outcome, series, track, pictures, step_times: Vec::new() })
}

/// What is to be timed: a level, its settings, and how many steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Timed<'a> {
    pub(crate) level: &'a Level,
    pub(crate) overrides: Overrides,
    pub(crate) steps: u64,
}

/// The time of each step of each run, s: the median of `rounds` rounds, in which the runs take
/// turns. `done` is called after each run.
///
/// # Errors
/// If a level cannot be built.
pub(crate) fn time(
    runs: &[Timed<'_>],
    rounds: usize,
    mut done: impl FnMut(),
) -> Result<Vec<Vec<f32>>> {
    let mut times: Vec<Vec<Vec<f32>>> = vec![Vec::new(); runs.len()];
    for round in 0..rounds {
        for turn in 0..runs.len() {
            // Another one begins each round.
            let run = (turn + round) % runs.len();
            times[run].push(once(&runs[run])?);
            done();
        }
    }
    Ok(times.iter().map(|rounds| medians(rounds)).collect())
}

fn once(run: &Timed<'_>) -> Result<Vec<f32>> {
    let mut sim = start(run.level, &run.overrides)?;
    let mut times = Vec::new();
    for _ in 0..run.steps {
        let (stepped, seconds) = clock::timed(|| sim.step().is_ok());
        if !stepped {
            break;
        }
        times.push(seconds as f32);
    }
    Ok(times)
}

fn start(level: &Level, overrides: &Overrides) -> Result<Sim> {
    let mut scene = level.scene.clone();
    scene.settings = overrides.apply(scene.settings);
    Sim::new(&scene)
}

/// The median of each step over the rounds.
fn medians(rounds: &[Vec<f32>]) -> Vec<f32> {
    let steps = rounds.iter().map(Vec::len).min().unwrap_or(0);
    let median = |step| {
        let mut times: Vec<f32> = rounds.iter().map(|round| round[step]).collect();
        times.sort_unstable_by(f32::total_cmp);
        times[times.len() / 2]
    };
    (0..steps).map(median).collect()
}

impl Trial {
    /// Takes down how long the steps took.
    pub(crate) fn timed(&mut self, times: Vec<f32>) {
        let mut histogram = Histogram::default();
        times.iter().for_each(|&seconds| histogram.add(f64::from(seconds)));
        self.outcome.step_times = histogram;
        self.step_times = times;
    }
}

/// Worlds along a run, to time single steps of it.
pub(crate) struct Probe {
    worlds: Vec<World>,
    settings: Settings,
}

impl Probe {
    /// Places along a run that are timed.
    const PLACES: u64 = 8;
    /// Steps that are timed at each place, after one that is not: caches are cold then, and nothing
    /// is left to start from.
    const STEPS: usize = 5;

    /// Runs a level once and keeps the world at some instants.
    ///
    /// # Errors
    /// If the level cannot be built.
    pub(crate) fn new(level: &Level, overrides: &Overrides, seconds: f64) -> Result<Self> {
        let mut sim = start(level, overrides)?;
        let settings = *sim.settings();
        let steps = headless::steps(seconds, settings.hz);
        let mut worlds = Vec::new();
        for step in 0..steps {
            // In the middle of equal parts of the run.
            let part = worlds.len() as u64;
            if part < Self::PLACES && 2 * step * Self::PLACES >= (2 * part + 1) * steps {
                worlds.push(sim.world().clone());
            }
            if sim.step().is_err() {
                break;
            }
        }
        if worlds.is_empty() {
            worlds.push(sim.world().clone());
        }
        Ok(Self { worlds, settings })
    }

    /// The time of a step with this many sub-steps, ms: the mean over the places of the quickest
    /// step, because whatever else the machine does only adds to it.
    pub(crate) fn step_ms(&self, substeps: u32) -> f64 {
        let settings = Settings { substeps: Some(substeps), ..self.settings };
        let place = |world: &World| {
            let solver = settings.solver.build()?;
            let mut sim = Sim::with_solver(world.clone(), settings, solver);
            sim.step().ok()?;
            let mut quickest = f64::INFINITY;
            for _ in 0..Self::STEPS {
                let (stepped, seconds) = clock::timed(|| sim.step().is_ok());
                quickest = stepped.then(|| quickest.min(seconds))?;
            }
            Some(quickest)
        };
        let times: Vec<f64> = self.worlds.iter().filter_map(place).collect();
        1e3 * times.iter().sum::<f64>() / times.len().max(1) as f64
    }

    /// The time of a step at the sub-steps of the run, ms.
    pub(crate) fn usual_ms(&self) -> f64 {
        self.step_ms(self.substeps())
    }

    /// The settings of the run.
    pub(crate) fn settings(&self) -> Settings {
        self.settings
    }

    fn substeps(&self) -> u32 {
        self.settings.effort(self.settings.solver).substeps
    }

    /// The sub-steps that bring the time of a step closest to a budget in ms.
    pub(crate) fn substeps_for(&self, budget: f64) -> Choice {
        let cost = |substeps| self.step_ms(substeps);
        substeps_for(budget, self.substeps(), Settings::MAX_SUBSTEPS, cost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_step_counts_with_its_median() {
        let rounds = [vec![1.0, 9.0, 3.0], vec![2.0, 2.0, 30.0], vec![7.0, 1.0, 4.0]];
        assert_eq!(medians(&rounds), [2.0, 2.0, 4.0]);
        assert_eq!(medians(&[vec![1.0, 2.0], vec![1.0]]), [1.0]);
        assert!(medians(&[]).is_empty());
    }

    #[test]
    fn a_probe_times_places_all_along_a_run() {
        let level = Level::builtin("stack").unwrap();
        let probe = Probe::new(&level, &Overrides::default(), 1.0).unwrap();
        let times: Vec<u64> = probe.worlds.iter().map(|world| world.state.steps).collect();
        assert_eq!(times.len(), 8);
        assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
        assert!(probe.step_ms(4) > 0.0);
        // Fewer steps than places.
        assert_eq!(Probe::new(&level, &Overrides::default(), 0.05).unwrap().worlds.len(), 2);
        assert_eq!(Probe::new(&level, &Overrides::default(), 0.01).unwrap().worlds.len(), 1);
    }

    #[test]
    fn what_is_timed_ran_as_what_was_measured() {
        let level = Level::builtin("seesaw").unwrap();
        let overrides = Overrides::default();
        let trial = measure(&level, overrides, "x".into(), 0.5, &[0.0, 0.25, 0.5]).unwrap();
        let steps: Vec<u64> = trial.pictures.iter().map(|world| world.state.steps).collect();
        assert_eq!(steps, [0, 15, 30]);
        assert_eq!((trial.series.entries().len(), trial.track.frames()), (31, 31));
        let run = Timed { level: &level, overrides, steps: 30 };
        let mut turns = 0;
        let times = time(&[run, run], 2, || turns += 1).unwrap();
        assert_eq!((turns, times.len(), times[0].len()), (4, 2, 30));
    }
}
