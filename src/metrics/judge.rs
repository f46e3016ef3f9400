//! Whether a level keeps its promises.
//!
//! A promise about an instant is judged at the first step at or after it. One about an interval is
//! judged at every step in it, the one that closes it included, and its value is the one that came
//! closest to breaking the bounds or broke them worst. The time of settling is only known when the
//! interval closes, so it is judged there alone.

use std::f64::consts::TAU;
use std::fmt;

use super::recorder::Sample;
use crate::expect::{Expectation, Metric, Quantity, Subject};
use crate::math::{Rot, Vec2};
use crate::settings::SolverKind;
use crate::world::{BodyId, World};

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

/// What became of one promise.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The promise in words: `top moved below 0.1 m at 10 s`.
    pub name: String,
    /// Whether it was kept; `false` where it could not be judged.
    pub pass: bool,
    /// The value that counts, in the unit of the promise. Not a number where there is none, and
    /// infinite for the time of settling where nothing settled.
    pub value: f64,
    /// When it was measured, s.
    pub time: f64,
    /// Whether the run lasted long enough to judge it.
    pub reached: bool,
    /// The line of the level file; 0 where there is none.
    pub line: usize,
    subject: String,
    unit: &'static str,
    wanted: String,
}

/// What happened: `top moved 0.04 m at 10 s, wanted below 0.1`.
impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { subject, wanted, time, .. } = self;
        if !self.reached {
            return write!(
                f,
                "{}: the run ended at {} s, before it could be judged",
                self.name,
                short(*time)
            );
        }
        if self.value.is_nan() {
            return write!(f, "{}: there is nothing to measure it by", self.name);
        }
        if self.value.is_infinite() {
            return write!(f, "{subject} not yet at {} s, wanted {wanted}", short(*time));
        }
        let value = quantity(self.value, self.unit);
        write!(f, "{subject} {value} at {} s, wanted {wanted}", short(*time))
    }
}

#[derive(Clone, Debug)]
struct Trial {
    promise: Expectation,
    /// The index into `watched`, for promises about a body that exists.
    body: Option<usize>,
    closed: bool,
    worst: Option<Worst>,
}

#[derive(Clone, Copy, Debug)]
struct Worst {
    margin: f64,
    value: f64,
    time: f64,
}

impl Judge {
    /// Takes down the promises that hold for `solver`, and where the bodies are that they name.
    #[must_use]
    pub fn new(promises: &[Expectation], solver: SolverKind, world: &World) -> Self {
        let mut watched: Vec<Watched> = Vec::new();
        let mut watch = |subject: &Subject| {
            let Subject::Body { id, .. } = subject else { return None };
            let body = world.body(id)?;
            let known = watched.iter().position(|watched| watched.body == body);
            Some(known.unwrap_or_else(|| {
                watched.push(Watched::new(body, world));
                watched.len() - 1
            }))
        };
        let holds = |promise: &&Expectation| {
            promise.solvers.is_empty() || promise.solvers.contains(&solver)
        };
        let trials = promises.iter().filter(holds).map(|promise| Trial {
            body: watch(&promise.subject),
            promise: promise.clone(),
            closed: false,
            worst: None,
        });
        Self { trials: trials.collect(), watched, last_time: world.state.time }
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
            let settling = trial.promise.subject == Subject::Metric(Metric::SettledAt);
            if trial.closed || !settling {
                let value = trial.value(sample, &self.watched);
                trial.weigh(value, sample.time);
            }
        }
    }

    /// What became of each promise so far.
    #[must_use]
    pub fn verdicts(&self) -> Vec<Verdict> {
        self.trials.iter().map(|trial| trial.verdict(self.last_time)).collect()
    }
}

impl Trial {
    fn value(&self, sample: &Sample, watched: &[Watched]) -> f64 {
        match &self.promise.subject {
            Subject::Metric(metric) => metric_value(*metric, sample),
            Subject::Body { quantity, .. } => {
                let body = self.body.and_then(|body| watched.get(body));
                body.map_or(f64::NAN, |body| body.value(*quantity))
            }
        }
    }

    fn weigh(&mut self, value: f64, time: f64) {
        let below = self.promise.below.map_or(f64::INFINITY, |bound| bound - value);
        let above = self.promise.above.map_or(f64::INFINITY, |bound| value - bound);
        // `min` would drop a NaN, which no bound must let pass.
        let margin = if value.is_nan() { f64::NEG_INFINITY } else { below.min(above) };
        if self.worst.is_none_or(|worst| margin <= worst.margin) {
            self.worst = Some(Worst { margin, value, time });
        }
    }

    fn verdict(&self, now: f64) -> Verdict {
        let promise = &self.promise;
        let (subject, unit) = match &promise.subject {
            Subject::Metric(metric) => (metric.name().to_owned(), metric_unit(*metric)),
            Subject::Body { id, quantity } => {
                (format!("{id} {}", quantity.name()), quantity_unit(*quantity))
            }
        };
        let below = promise.below.map(|bound| format!("below {}", quantity(bound, unit)));
        let above = promise.above.map(|bound| format!("above {}", quantity(bound, unit)));
        let wanted = [above, below].into_iter().flatten().collect::<Vec<_>>().join(" and ");
        let when = if promise.from < promise.at {
            format!("from {} to {} s", short(promise.from), short(promise.at))
        } else {
            format!("at {} s", short(promise.at))
        };
        let broken = self.worst.is_some_and(|worst| worst.margin <= 0.0);
        Verdict {
            name: format!("{subject} {wanted} {when}"),
            pass: self.closed && !broken,
            value: self.worst.map_or(f64::NAN, |worst| worst.value),
            time: self.worst.map_or(now, |worst| worst.time),
            // A promise that was broken stays so, however the interval would have gone on.
            reached: self.closed || broken,
            line: promise.line,
            subject,
            unit,
            wanted,
        }
    }
}

/// A body that a promise names.
#[derive(Clone, Debug)]
struct Watched {
    body: BodyId,
    start: Vec2,
    rot: Rot,
    /// rad, through full turns.
    turned: f64,
    center: Vec2,
    velocity: Vec2,
}

impl Watched {
    fn new(body: BodyId, world: &World) -> Self {
        let mut watched = Self {
            body,
            start: Vec2::ZERO,
            rot: Rot::IDENTITY,
            turned: 0.0,
            center: Vec2::ZERO,
            velocity: Vec2::ZERO,
        };
        watched.update(world, 0.0);
        watched.start = watched.center;
        watched.turned = 0.0;
        watched
    }

    fn update(&mut self, world: &World, elapsed: f64) {
        let (Ok(pose), Ok(motion)) = (world.pose(self.body), world.motion(self.body)) else {
            return;
        };
        let turn = f64::from(pose.rot.after(self.rot.inverse()).radians());
        // Two rotations leave the number of full turns between them open; the spin tells it.
        let expected = f64::from(motion.spin) * elapsed;
        self.turned += turn + TAU * ((expected - turn) / TAU).round();
        self.rot = pose.rot;
        self.center = pose.center;
        self.velocity = motion.velocity;
    }

    fn value(&self, quantity: Quantity) -> f64 {
        f64::from(match quantity {
            Quantity::Moved => self.center.distance(self.start),
            Quantity::Speed => self.velocity.length(),
            Quantity::Turned => return self.turned.to_degrees(),
            Quantity::X => self.center.x,
            Quantity::Y => self.center.y,
        })
    }
}

fn metric_value(metric: Metric, sample: &Sample) -> f64 {
    match metric {
        Metric::MaxPenetration => sample.penetration,
        Metric::MaxStretch => sample.stretch,
        Metric::MaxJointError => sample.joint_error,
        Metric::Kinetic => sample.kinetic,
        Metric::KineticPerKg => sample.kinetic_per_kg,
        Metric::EnergyGain => sample.energy_gain,
        Metric::MomentumDrift => sample.momentum_drift.unwrap_or(f64::NAN),
        Metric::Escaped => f64::from(sample.escaped),
        Metric::Inverted => f64::from(sample.inverted),
        Metric::SettledAt => sample.settled_at.unwrap_or(f64::INFINITY),
    }
}

/// The unit of a metric whose name does not end in it.
fn metric_unit(metric: Metric) -> &'static str {
    match metric {
        Metric::MaxPenetration | Metric::MaxJointError => "m",
        Metric::Kinetic | Metric::EnergyGain => "J",
        Metric::KineticPerKg => "J/kg",
        Metric::SettledAt => "s",
        Metric::MaxStretch | Metric::MomentumDrift | Metric::Escaped | Metric::Inverted => "",
    }
}

fn quantity_unit(quantity: Quantity) -> &'static str {
    match quantity {
        Quantity::Moved | Quantity::X | Quantity::Y => "m",
        Quantity::Speed => "m/s",
        Quantity::Turned => "°",
    }
}

fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "" => short(value),
        "°" => format!("{}°", short(value)),
        _ => format!("{} {unit}", short(value)),
    }
}

/// A number with four digits that count, without needless zeros: 10, 0.04, 0.02346, 1.2e-7.
fn short(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return format!("{value}");
    }
    if size < 1e-9 {
        return "0".into();
    }
    if !(1e-4..1e7).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (3.0 - size.log10().floor()).clamp(0.0, 7.0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').into() } else { text }
}
