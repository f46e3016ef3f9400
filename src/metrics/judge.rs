//! Whether a level keeps its promises.
//!
//! A promise about an instant is judged at the first step at or after it. One about an interval is
//! judged at every step in it, the one that closes it included. What has to hold always (or never)
//! is decided by the step that came closest to breaking it or broke it worst, what has to hold ever
//! by the step that came closest to keeping it. Where a pattern names several bodies each is judged
//! by itself, and the worst of them decides. The time of settling is only known when the interval
//! closes, so it is judged there alone.

use super::finding::{self, Finding};
use super::recorder::Sample;
use super::verdict::{Decisive, Ruling, Verdict};
use super::watch::Watched;
use crate::expect::{Condition, Expectation, Holds, Metric, Names, Subject, Thing};
use crate::settings::SolverKind;
use crate::world::{JointId, World};

/// Step times add up rounding errors; a step this close to an instant is at it, s.
const SAME_TIME: f64 = 1e-6;

/// Judges the promises of a level while it runs.
#[derive(Clone, Debug)]
pub struct Judge {
    trials: Vec<Trial>,
    watched: Vec<Watched>,
    /// When the world was last observed, s.
    last_time: f64,
}

/// A promise, what it is about in this world, and how it has gone so far.
#[derive(Clone, Debug)]
struct Trial {
    promise: Expectation,
    /// What is judged: indices into the watched, or into the joints. One 0 for what is about the
    /// world or a number of things.
    members: Vec<usize>,
    joints: Vec<JointId>,
    /// What each member is called; empty for what is about the world or a number of things.
    names: Vec<String>,
    /// Indices into the watched that are counted.
    counted: Vec<usize>,
    /// For each condition, the bodies that are to be touched.
    others: Vec<Vec<usize>>,
    closed: bool,
    /// For each member, the step that decides.
    decisive: Vec<Option<Decisive>>,
}

impl Judge {
    /// Takes down the promises that hold for `solver`, and where the bodies are that they name.
    #[must_use]
    pub fn new(promises: &[Expectation], solver: SolverKind, world: &World) -> Self {
        let mut docket = Docket {
            bodies: Names::new(world.model.bodies.iter().map(|body| body.id.as_str())),
            joints: Names::new(world.model.joints.iter().map(|joint| joint.id.as_str())),
            watched: Vec::new(),
            world,
        };
        let holds = |promise: &&Expectation| {
            promise.solvers.is_empty() || promise.solvers.contains(&solver)
        };
        let promises = promises.iter().filter(holds);
        let trials = promises.map(|promise| docket.trial(promise)).collect();
        Self { trials, watched: docket.watched, last_time: world.state.time }
    }

    /// Judges what is due, at the start or after a step; `sample` is what a
    /// [`Recorder`](super::Recorder) measured of the same world.
    pub fn observe(&mut self, sample: &Sample, world: &World) {
        let elapsed = sample.time - self.last_time;
        self.last_time = sample.time;
        for watched in &mut self.watched {
            watched.update(world, elapsed);
        }
        for trial in self.trials.iter_mut().filter(|trial| !trial.closed) {
            if sample.time < trial.promise.from - SAME_TIME {
                continue;
            }
            trial.closed = sample.time >= trial.promise.at - SAME_TIME;
            let settling =
                matches!(trial.promise.subject, Subject::Metric { metric: Metric::SettledAt, .. });
            if trial.closed || !settling {
                trial.judge(sample, &self.watched, world);
            }
        }
    }

    /// What became of each promise so far.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.trials.iter().map(|trial| trial.verdict(self.last_time)).collect()
    }
}

/// Looks up what promises name.
struct Docket<'w> {
    bodies: Names<'w>,
    joints: Names<'w>,
    watched: Vec<Watched>,
    world: &'w World,
}

impl Docket<'_> {
    fn trial(&mut self, promise: &Expectation) -> Trial {
        let (mut members, mut names) = (vec![0], Vec::new());
        let (mut counted, mut others, mut joints) = (Vec::new(), Vec::new(), Vec::new());
        match &promise.subject {
            Subject::Metric { .. } => {}
            Subject::Body { name, condition } => {
                members = self.watch(name);
                names = members.iter().map(|&thing| self.watched[thing].name.clone()).collect();
                others.push(self.touched(condition));
            }
            Subject::Joint { name, .. } => {
                let things = self.joints.things(name).into_iter();
                let found = things.flat_map(|thing| thing.members);
                let found: Vec<_> = found.map(|index| &self.world.model.joints[index]).collect();
                // By their handles: joints that break are gone, and others move up.
                joints = found.iter().map(|joint| joint.handle()).collect();
                names = found.iter().map(|joint| joint.id.clone()).collect();
                members = (0..joints.len()).collect();
            }
            Subject::Count { names: pattern, conditions, .. } => {
                counted = self.watch(pattern);
                others = conditions.iter().map(|condition| self.touched(condition)).collect();
            }
        }
        let decisive = vec![None; members.len()];
        let promise = promise.clone();
        Trial { promise, members, joints, names, counted, others, closed: false, decisive }
    }

    /// Follows what a name stands for; each thing once, however many promises name it.
    fn watch(&mut self, name: &str) -> Vec<usize> {
        let things = self.bodies.things(name).into_iter();
        let watched = &mut self.watched;
        let world = self.world;
        let mut watch = |thing: Thing| {
            let known = watched
                .iter()
                .position(|watched| watched.name == thing.name && watched.bodies == thing.members);
            known.unwrap_or_else(|| {
                watched.push(Watched::new(thing, world));
                watched.len() - 1
            })
        };
        things.map(&mut watch).collect()
    }

    fn touched(&self, condition: &Condition) -> Vec<usize> {
        let Condition::Touching(name) = condition else { return Vec::new() };
        self.bodies.things(name).into_iter().flat_map(|thing| thing.members).collect()
    }
}

impl Trial {
    fn judge(&mut self, sample: &Sample, watched: &[Watched], world: &World) {
        for slot in 0..self.members.len() {
            let finding = self.finding(self.members[slot], sample, watched, world);
            let holds = self.promise.holds;
            let margin = match holds {
                // What cannot be measured breaks a promise either way.
                Holds::Never if !finding.value.is_nan() => -finding.margin,
                _ => finding.margin,
            };
            let first_broken = self.decisive[slot].and_then(|decisive| decisive.first_broken);
            let kept = margin > 0.0 || (holds == Holds::Never && margin == 0.0);
            let first_broken = first_broken.or((!kept).then_some(sample.time));
            let now = Decisive { finding, margin, kept, time: sample.time, first_broken };
            let replaces = |old: Decisive| match holds {
                Holds::Ever => margin > old.margin,
                Holds::Always | Holds::Never => margin <= old.margin,
            };
            match &mut self.decisive[slot] {
                Some(old) if !replaces(*old) => old.first_broken = first_broken,
                decisive => *decisive = Some(now),
            }
        }
    }

    fn finding(
        &self,
        member: usize,
        sample: &Sample,
        watched: &[Watched],
        world: &World,
    ) -> Finding {
        let others = |condition: usize| self.others.get(condition).map_or(&[][..], Vec::as_slice);
        match &self.promise.subject {
            Subject::Metric { metric, range } => finding::of_metric(*metric, *range, sample),
            Subject::Body { condition, .. } => {
                finding::of_thing(condition, &watched[member], others(0), world)
            }
            Subject::Joint { condition, .. } => {
                match world.model.index_of_joint(self.joints[member]) {
                    Some(index) => finding::of_joint(*condition, &world.model.joints[index], world),
                    None => finding::of_broken_joint(*condition),
                }
            }
            Subject::Count { conditions, range, .. } => {
                let meets_all = |thing: &&usize| {
                    conditions.iter().enumerate().all(|(i, condition)| {
                        finding::of_thing(condition, &watched[**thing], others(i), world).holds()
                    })
                };
                let count = self.counted.iter().filter(meets_all).count();
                Finding::new("count", count as f64, "", *range)
            }
        }
    }

    fn verdict(&self, now: f64) -> Verdict {
        let least = (0..self.members.len()).filter_map(|slot| Some((slot, self.decisive[slot]?)));
        let least = least.min_by(|(_, a), (_, b)| a.margin.total_cmp(&b.margin));
        let kept = self.members.len() == self.decisive.iter().flatten().count()
            && least.is_some_and(|(_, decisive)| decisive.kept);
        // A promise that was broken stays so, however the interval would have gone on; likewise one
        // that needed to be kept only once.
        let decided = match self.promise.holds {
            Holds::Ever => kept,
            Holds::Always | Holds::Never => least.is_some_and(|(_, decisive)| !decisive.kept),
        };
        let reached = self.closed || decided;
        let outcome = Ruling { pass: kept && reached, reached, ended: now };
        let name = least.and_then(|(slot, _)| self.names.get(slot)).map(String::as_str);
        Verdict::new(&self.promise, name, least.map(|(_, decisive)| decisive), outcome)
    }
}
