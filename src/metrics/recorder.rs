//! A run as a whole: what was measured after each step, and the worst of it.

use serde::Serialize;

use super::histogram::Histogram;
use super::measure::{self, Motion};
use super::sweep::Sweep;
use crate::math::Vec2;
use crate::world::World;

/// Kinetic energy per kilogram below which a world counts as at rest, J/kg. It is that of a body
/// that slides at 4.5 cm/s.
const REST: f64 = 1e-3;

/// What was measured at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sample {
    /// Simulated time, s.
    pub time: f64,
    /// Deepest overlap of two pieces that may collide, m.
    pub penetration: f64,
    /// Largest |length − rest| / rest of a stiff edge.
    pub stretch: f64,
    /// Largest distance between the two anchors of a joint, m.
    pub joint_error: f64,
    /// Kinetic energy, J.
    pub kinetic: f64,
    /// Kinetic energy per kilogram of what moves, J/kg.
    pub kinetic_per_kg: f64,
    /// Kinetic, gravity and elastic energy, J. Gravity's share is 0 at the start.
    pub energy: f64,
    /// `energy` less that at the start, J.
    pub energy_gain: f64,
    /// |P − P₀| relative to the largest Σ m·|v| so far; `None` where something outside acts.
    pub momentum_drift: Option<f64>,
    /// Bodies whose centre is outside the bounds.
    pub escaped: u32,
    /// Pieces that are turned inside out.
    pub inverted: u32,
    /// The time since which kinetic energy per kilogram has stayed below 1e-3 J/kg, s; `None`
    /// while it is above.
    pub settled_at: Option<f64>,
}

/// The quality of a run, as in the report of `sinew sim`.
///
/// Depths, stretch and joint error are taken after each step; the state a level starts with is not
/// a solver's doing and does not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Quality {
    /// Deepest overlap after any step, m.
    pub max_penetration_m: f64,
    /// The depth that 99 of 100 overlaps, over all pairs and steps, do not exceed, m. Within 0.5 %.
    pub p99_penetration_m: f64,
    /// Deepest overlap after the last step, m.
    pub final_penetration_m: f64,
    /// Largest |length − rest| / rest of a stiff edge after any step.
    pub max_stretch: f64,
    /// The same after the last step.
    pub final_stretch: f64,
    /// Largest distance between the anchors of a joint after any step, m.
    pub max_joint_error_m: f64,
    /// Kinetic and elastic energy at the start, J.
    pub energy_start_j: f64,
    /// Kinetic, gravity and elastic energy at the end, J. Gravity's share is 0 at the start.
    pub energy_end_j: f64,
    /// The most by which the energy exceeded that at the start, J; at least 0.
    pub energy_peak_gain_j: f64,
    /// Kinetic energy at the end, J.
    pub kinetic_end_j: f64,
    /// Largest change of momentum relative to Σ m·|v|; `None` where something outside acts.
    pub momentum_drift: Option<f64>,
    /// Bodies that left the bounds at any time, whether or not they came back.
    pub escaped: u32,
    /// The most pieces that were turned inside out after a step.
    pub inverted: u32,
}

/// Measures a world after each step.
#[derive(Clone, Debug)]
pub struct Recorder {
    gravity: Vec2,
    start_motion: Motion,
    /// Whether nothing outside acts, so that momentum must be conserved.
    isolated: bool,
    /// The largest Σ m·|v| so far, kg·m/s.
    traffic: f64,
    /// Which bodies have left the bounds.
    left: Vec<bool>,
    depths: Histogram,
    sweep: Sweep,
    last: Sample,
    quality: Quality,
}

impl Recorder {
    /// Begins with the world as it is now, under `gravity` in m/s². Nothing may be added to it or removed as long as it is
    /// observed; what tears or breaks goes on to be counted.
    #[must_use]
    pub fn new(world: &World, gravity: Vec2) -> Self {
        let start_motion = Motion::of(world, gravity);
        let mut recorder = Self {
            gravity,
            start_motion,
            isolated: gravity == Vec2::ZERO && world.model.is_isolated(),
            traffic: 0.0,
            left: vec![false; world.model.bodies.len()],
            depths: Histogram::default(),
            sweep: Sweep::default(),
            last: Sample::default(),
            quality: Quality::default(),
        };
        recorder.last = recorder.measure(world, false);
        recorder.quality = Quality {
            energy_start_j: recorder.last.energy,
            energy_end_j: recorder.last.energy,
            kinetic_end_j: recorder.last.kinetic,
            momentum_drift: recorder.last.momentum_drift,
            ..Quality::default()
        };
        recorder
    }

    /// Says that something outside acts from now on, such as a mouse that drags a body: the change
    /// of momentum is not measured any more.
    pub fn disturb(&mut self) {
        self.isolated = false;
        self.last.momentum_drift = None;
        self.quality.momentum_drift = None;
    }

    /// Measures the world after a step.
    pub fn observe(&mut self, world: &World) -> &Sample {
        let sample = self.measure(world, true);
        let worst = &mut self.quality;
        worst.max_penetration_m = worst.max_penetration_m.max(sample.penetration);
        worst.final_penetration_m = sample.penetration;
        worst.max_stretch = worst.max_stretch.max(sample.stretch);
        worst.final_stretch = sample.stretch;
        worst.max_joint_error_m = worst.max_joint_error_m.max(sample.joint_error);
        worst.energy_end_j = sample.energy;
        worst.energy_peak_gain_j = worst.energy_peak_gain_j.max(sample.energy_gain);
        worst.kinetic_end_j = sample.kinetic;
        let drifts = worst.momentum_drift.zip(sample.momentum_drift);
        worst.momentum_drift = drifts.map(|(worst, now)| worst.max(now));
        worst.escaped = self.left.iter().map(|&left| u32::from(left)).sum();
        worst.inverted = worst.inverted.max(sample.inverted);
        self.last = sample;
        &self.last
    }

    /// What was measured last: after the last step, or at the start.
    #[must_use]
    pub fn last(&self) -> &Sample {
        &self.last
    }

    /// The quality of the run so far.
    #[must_use]
    pub fn quality(&self) -> Quality {
        Quality { p99_penetration_m: self.depths.quantile(0.99), ..self.quality }
    }

    fn measure(&mut self, world: &World, counts: bool) -> Sample {
        let motion = Motion::of(world, self.gravity);
        // What a place in the field of gravity is worth counts from the start.
        let energy = motion.energy() - self.start_motion.gravity;
        let mut penetration = 0.0_f64;
        self.sweep.overlaps(world, |depth| {
            penetration = penetration.max(depth);
            if counts {
                self.depths.add(depth);
            }
        });
        let time = world.state.time;
        let kinetic_per_kg = motion.kinetic_per_kg();
        let since = self.last.settled_at.unwrap_or(time);
        Sample {
            time,
            penetration,
            stretch: measure::max_stretch(world),
            joint_error: measure::max_joint_error(world),
            kinetic: motion.kinetic,
            kinetic_per_kg,
            energy,
            energy_gain: motion.energy() - self.start_motion.energy(),
            momentum_drift: self.momentum_drift(&motion),
            escaped: self.count_escaped(world),
            inverted: measure::inverted(world),
            settled_at: (kinetic_per_kg < REST).then_some(if counts { since } else { time }),
        }
    }

    /// Relative to the largest Σ m·|v| so far rather than that of the moment, which is nearly
    /// nothing once all have come to rest.
    fn momentum_drift(&mut self, motion: &Motion) -> Option<f64> {
        self.traffic = self.traffic.max(motion.traffic);
        let change = motion.momentum.distance(self.start_motion.momentum);
        self.isolated.then(|| if self.traffic > 0.0 { change / self.traffic } else { 0.0 })
    }

    fn count_escaped(&mut self, world: &World) -> u32 {
        let mut outside = 0;
        for (body, left) in world.model.bodies.iter().zip(&mut self.left) {
            let is_outside = measure::is_outside(world, body);
            *left |= is_outside;
            outside += u32::from(is_outside);
        }
        outside
    }
}
