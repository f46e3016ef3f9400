//! What the graphs show: energy, overlap and step time of every backend over the last seconds.
//!
//! Measured by the code that measures runs (`metrics/`), after each frame in which time went on. The
//! search for overlaps looks at all outlines; where that takes long, it is done in fewer frames.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use crate::metrics::{MotionSum, Sweep};
use crate::settings::SolverKind;
use crate::sim::Sim;

/// Something that is graphed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quantity {
    /// Kinetic, elastic and that of gravity, with what lies at the height of the origin at 0, J.
    Energy,
    /// Kinetic energy, J.
    Kinetic,
    /// Deepest overlap of two pieces that may collide, m.
    Depth,
    /// Time that a step takes, the median of the last few, s.
    StepTime,
}

impl Quantity {
    pub(crate) const ALL: [Self; 4] = [Self::Energy, Self::Kinetic, Self::Depth, Self::StepTime];
}

/// What was measured after a frame; `None` where nothing was.
#[derive(Clone, Copy, Debug)]
struct Reading {
    time: f64,
    values: [Option<f64>; Quantity::ALL.len()],
}

/// The readings of one backend, in the order of time.
#[derive(Clone, Debug)]
struct Track {
    solver: SolverKind,
    readings: VecDeque<Reading>,
    /// The times that the last steps took, s.
    step_times: VecDeque<f64>,
}

impl Track {
    /// Steps of whose times the one in the middle is shown: what else the machine does now and then
    /// would hide the rest.
    const STEPS: usize = 9;

    /// The usual time of a step, s, now that one has taken `seconds`.
    fn step_time(&mut self, seconds: f64) -> f64 {
        if self.step_times.len() == Self::STEPS {
            self.step_times.pop_front();
        }
        self.step_times.push_back(seconds);
        let mut sorted: Vec<f64> = self.step_times.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        sorted[sorted.len() / 2]
    }
}

/// The readings of all backends over the last seconds.
#[derive(Default)]
pub(crate) struct Trace {
    tracks: Vec<Track>,
    /// When the last readings were taken, simulated seconds.
    now: f64,
    sweep: Sweep,
    /// Frames until overlaps are looked for again.
    wait: u32,
}

impl Trace {
    /// How far back it reaches, simulated seconds.
    pub(crate) const SPAN: f64 = 10.0;
    /// What the search for overlaps may take of a frame, on the average.
    const BUDGET: Duration = Duration::from_millis(2);

    /// Takes readings, if time has gone on; forgets those of a time that is yet to come.
    pub(crate) fn observe<'a>(&mut self, sims: impl Iterator<Item = &'a Sim> + Clone) {
        let Some(state) = sims.clone().next().map(|front| &front.world().state) else { return };
        if state.time == self.now && !self.tracks.is_empty() {
            return;
        }
        if state.time < self.now {
            // Started over, or another level: nothing of what was belongs to this run.
            let afresh = state.steps <= u64::from(Sim::MOST_CATCH_UP_STEPS);
            let stays = |reading: &Reading| !afresh && reading.time < state.time;
            for track in &mut self.tracks {
                track.readings.retain(stays);
            }
        }
        self.now = state.time;
        let begun = Instant::now();
        let measure_depth = self.wait == 0;
        for sim in sims {
            self.read(sim, measure_depth);
        }
        self.wait = if measure_depth { frames_to_wait(begun.elapsed()) } else { self.wait - 1 };
        let oldest = self.now - 1.02 * Self::SPAN;
        for track in &mut self.tracks {
            while track.readings.front().is_some_and(|reading| reading.time < oldest) {
                track.readings.pop_front();
            }
        }
        self.tracks.retain(|track| !track.readings.is_empty());
    }

    fn read(&mut self, sim: &Sim, measure_depth: bool) {
        let world = sim.world();
        let motion = MotionSum::of(world, sim.settings().gravity);
        let depth = measure_depth.then(|| {
            let mut deepest = 0.0_f64;
            self.sweep.overlaps(world, |depth| deepest = deepest.max(depth));
            deepest
        });
        let step_time = f64::from(sim.report().phases.total());
        let solver = sim.solver_kind();
        let place = self.tracks.iter().position(|track| track.solver == solver);
        let place = place.unwrap_or_else(|| {
            let (readings, step_times) = Default::default();
            self.tracks.push(Track { solver, readings, step_times });
            self.tracks.len() - 1
        });
        let track = &mut self.tracks[place];
        let step_time = track.step_time(step_time);
        let values = [Some(motion.energy()), Some(motion.kinetic), depth, Some(step_time)];
        track.readings.push_back(Reading { time: world.state.time, values });
    }

    /// When the last readings were taken, simulated seconds.
    pub(crate) fn now(&self) -> f64 {
        self.now
    }

    /// The backends that there are readings of.
    pub(crate) fn solvers(&self) -> impl Iterator<Item = SolverKind> + '_ {
        self.tracks.iter().map(|track| track.solver)
    }

    /// The times and values of a quantity on a backend, in the order of time.
    pub(crate) fn values(
        &self,
        solver: SolverKind,
        quantity: Quantity,
    ) -> impl DoubleEndedIterator<Item = (f64, f64)> + '_ {
        let track = self.tracks.iter().find(move |track| track.solver == solver);
        let readings = track.into_iter().flat_map(|track| &track.readings);
        readings.filter_map(move |r| Some((r.time, r.values[quantity as usize]?)))
    }
}

/// How many frames pass until overlaps are looked for again, after a search that took so long.
fn frames_to_wait(took: Duration) -> u32 {
    (took.as_secs_f64() / Trace::BUDGET.as_secs_f64()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};

    fn falling() -> Sim {
        let mut scene = Scene::default();
        for (id, y) in [("a", 10.0), ("b", 10.9)] {
            let shape = Shape::Disc { radius: 0.5 };
            scene.bodies.push(BodyDef::new(id, shape, Vec2::new(0.0, y)));
        }
        Sim::new(&scene).unwrap()
    }

    #[test]
    fn readings_are_energy_overlap_and_time() {
        let mut sim = falling();
        let mut trace = Trace::default();
        trace.observe([&sim].into_iter());
        let solver = sim.solver_kind();
        let last = |trace: &Trace, quantity| trace.values(solver, quantity).next_back().unwrap().1;
        let mass: f64 = sim.world().model.mass.iter().map(|&m| f64::from(m)).sum();
        let energy = last(&trace, Quantity::Energy);
        assert!((energy / (mass * 9.81 * 10.45) - 1.0).abs() < 1e-5, "{energy} J");
        assert_eq!(last(&trace, Quantity::Kinetic), 0.0);
        assert!((last(&trace, Quantity::Depth) - 0.1).abs() < 1e-5);
        sim.step().unwrap();
        trace.observe([&sim].into_iter());
        assert!(last(&trace, Quantity::Kinetic) > 0.0 && last(&trace, Quantity::StepTime) > 0.0);
        // Paused, nothing is added.
        trace.observe([&sim].into_iter());
        assert_eq!(trace.values(solver, Quantity::Energy).count(), 2);
    }

    #[test]
    fn the_past_is_bounded_and_the_future_forgotten() {
        let mut sim = falling();
        let mut trace = Trace::default();
        let mut moments = Vec::new();
        for _ in 0..660 {
            sim.step().unwrap();
            moments.push(sim.snapshot());
            trace.observe([&sim].into_iter());
        }
        let times = |trace: &Trace| -> Vec<f64> {
            trace.values(SolverKind::default(), Quantity::Energy).map(|(time, _)| time).collect()
        };
        let all = times(&trace);
        assert!((all[0] - 0.8).abs() < 0.05, "from {} s", all[0]);
        assert!(all.is_sorted_by(|a, b| a < b));
        sim.rewind(&moments[299]);
        trace.observe([&sim].into_iter());
        assert!((times(&trace).last().unwrap() - 5.0).abs() < 1e-6);
        sim.reset();
        sim.step().unwrap();
        trace.observe([&sim].into_iter());
        assert_eq!(times(&trace).len(), 1);
    }

    #[test]
    fn a_long_search_is_made_seldom() {
        assert_eq!(frames_to_wait(Duration::from_micros(300)), 0);
        assert_eq!(frames_to_wait(Duration::from_millis(20)), 10);
    }
}
