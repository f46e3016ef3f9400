//! What is true of a body, a group or a joint at an instant, and by how much.
//!
//! Every condition comes down to numbers within bounds: what stands, for one, leans by less than an
//! angle and is higher than a part of its height. A [`Finding`] is the number that is closest to
//! breaking its bounds, or breaks them worst.

use super::measure;
use super::recorder::Sample;
use super::watch::Watched;
use crate::expect::{Condition, JointCondition, Metric, Quantity, Range};
use crate::math::Aabb;
use crate::world::{Joint, World};

/// A number and the bounds on it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finding {
    /// What was measured: `turned`, `gap`.
    pub(crate) label: &'static str,
    pub(crate) value: f64,
    pub(crate) unit: &'static str,
    /// Where it has to lie.
    pub(crate) range: Range,
    /// How far inside it is, negative outside; comparable with the other numbers of a condition.
    pub(crate) margin: f64,
}

impl Finding {
    pub(crate) fn new(label: &'static str, value: f64, unit: &'static str, range: Range) -> Self {
        Self { label, value, unit, range, margin: range.margin(value) }
    }

    /// Measured in parts of `scale`, so that numbers of different units can be compared.
    fn scaled(self, scale: f64) -> Self {
        Self { margin: self.margin / scale, ..self }
    }

    /// Whether the number lies within its bounds.
    pub(crate) fn holds(&self) -> bool {
        self.margin > 0.0
    }

    fn worse(self, other: Self) -> Self {
        if other.margin < self.margin { other } else { self }
    }
}

/// What a metric of the world is.
pub(crate) fn of_metric(metric: Metric, range: Range, sample: &Sample) -> Finding {
    let value = match metric {
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
    };
    Finding::new(metric.name(), value, unit_of(metric), range)
}

/// The unit of a metric.
pub(crate) fn unit_of(metric: Metric) -> &'static str {
    match metric {
        Metric::MaxPenetration | Metric::MaxJointError => "m",
        Metric::Kinetic | Metric::EnergyGain => "J",
        Metric::KineticPerKg => "J/kg",
        Metric::SettledAt => "s",
        Metric::MaxStretch | Metric::MomentumDrift | Metric::Escaped | Metric::Inverted => "",
    }
}

/// How it is with a condition on a body or group; `others` are the bodies it may have to touch.
pub(crate) fn of_thing(
    condition: &Condition,
    thing: &Watched,
    others: &[usize],
    world: &World,
) -> Finding {
    match condition {
        Condition::Quantity { quantity, amount, range } => {
            let value = value_of(*quantity, thing, world);
            let value = if *amount { value.abs() } else { value };
            Finding::new(quantity.name(), value, quantity.unit(), *range)
        }
        Condition::Inside(region) => inside(*region, thing),
        Condition::AtRest => {
            let (speed, spin) = thing.liveliest(world);
            let speed = Finding::new("speed", speed, "m/s", Range::below(Condition::REST_SPEED));
            let spin = Finding::new("spin", spin, "°/s", Range::below(Condition::REST_SPIN));
            speed.scaled(Condition::REST_SPEED).worse(spin.scaled(Condition::REST_SPIN))
        }
        Condition::Standing => {
            let tilt =
                Finding::new("tilt", thing.tilt(), "°", Range::below(Condition::STANDING_TILT));
            let (stature, least) =
                (100.0 * thing.stature(world), 100.0 * Condition::STANDING_HEIGHT);
            let height = Finding::new("height", stature, "% of the start", Range::above(least));
            tilt.scaled(Condition::STANDING_TILT).worse(height.scaled(least))
        }
        Condition::Touching(_) => {
            Finding::new("gap", thing.gap(others, world), "m", Range::below(Condition::TOUCH_GAP))
        }
    }
}

fn value_of(quantity: Quantity, thing: &Watched, world: &World) -> f64 {
    match quantity {
        Quantity::Moved => thing.moved(),
        Quantity::Speed => thing.now.velocity.length(),
        Quantity::Spin => thing.now.spin.to_degrees(),
        Quantity::Angle => thing.angle(world),
        Quantity::Turned => thing.turned(),
        Quantity::X => thing.now.center.x,
        Quantity::Y => thing.now.center.y,
        Quantity::Area => thing.size(world),
    }
}

fn inside(region: Aabb, thing: &Watched) -> Finding {
    let (min, max) = (region.min.as_dvec2(), region.max.as_dvec2());
    let between = |min, max| Range { above: Some(min), below: Some(max) };
    let x = Finding::new("x", thing.now.center.x, "m", between(min.x, max.x));
    x.worse(Finding::new("y", thing.now.center.y, "m", between(min.y, max.y)))
}

/// How it is with a condition on a joint.
pub(crate) fn of_joint(condition: JointCondition, joint: &Joint, world: &World) -> Finding {
    let error = |range| Finding::new("error", measure::joint_error(world, joint), "m", range);
    match condition {
        JointCondition::Error(range) => error(range),
        JointCondition::Intact => {
            let excess = measure::joint_excess(world, joint).to_degrees();
            let range = Range::below(JointCondition::INTACT_EXCESS);
            let excess = Finding::new("angle beyond its limits", excess, "°", range);
            error(Range::below(JointCondition::INTACT_ERROR))
                .scaled(JointCondition::INTACT_ERROR)
                .worse(excess.scaled(JointCondition::INTACT_EXCESS))
        }
    }
}

/// Whether a condition holds for a joint that is gone: its ends are as far apart as can be.
pub(crate) fn of_broken_joint(condition: JointCondition) -> Finding {
    match condition {
        JointCondition::Error(range) => Finding::new("error", f64::INFINITY, "m", range),
        JointCondition::Intact => Finding::new("broken", 1.0, "", Range::below(0.5)),
    }
}
