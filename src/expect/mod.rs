//! What a level promises about itself: the data of its `expect` block.
//!
//! Only the words are here, and what the names in them stand for. Reading them is the level
//! loader's job, judging them that of `metrics`, so that neither depends on the other. What the
//! words mean to the author of a level is in `docs/expect.md`.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | promises: what, when, within which bounds |
//! | `names.rs` | bodies, groups and patterns: what a name stands for |

mod names;

pub(crate) use names::{Names, Thing};

use crate::math::Aabb;
use crate::settings::SolverKind;

/// A promise: something is so at a time, or all through an interval, or some time in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// When the interval begins, s. Equal to `at` for a single instant.
    pub from: f64,
    /// When the interval ends, s.
    pub at: f64,
    /// At which steps of the interval it has to be so.
    pub holds: Holds,
    /// What has to be so.
    pub subject: Subject,
    /// The backends that promise it; empty for all.
    pub solvers: Vec<SolverKind>,
    /// The line of the level file, from 1; 0 where there is no file.
    pub line: usize,
}

/// At which steps of an interval a promise has to hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Holds {
    /// At every step.
    #[default]
    Always,
    /// At one step or more.
    Ever,
    /// At none.
    Never,
}

/// What has to be so.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A quantity of the whole world.
    Metric {
        /// Which.
        metric: Metric,
        /// Where it has to lie.
        range: Range,
    },
    /// Something about a body, about a group of bodies taken as one thing, or about each of the
    /// bodies and groups that match a pattern.
    Body {
        /// The id, the name of the group, or the pattern.
        name: String,
        /// What about it.
        condition: Condition,
    },
    /// Something about a joint, or about each of the joints that match a pattern.
    Joint {
        /// The id or the pattern.
        name: String,
        /// What about it.
        condition: JointCondition,
    },
    /// How many of the bodies and groups that match a pattern meet all conditions.
    Count {
        /// The pattern.
        names: String,
        /// The conditions.
        conditions: Vec<Condition>,
        /// Where the number has to lie.
        range: Range,
    },
}

/// Bounds on a number; it has to lie between them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Range {
    /// It must be more than this.
    pub above: Option<f64>,
    /// It must be less than this.
    pub below: Option<f64>,
}

impl Range {
    /// Everything below a bound.
    #[must_use]
    pub fn below(bound: f64) -> Self {
        Self { above: None, below: Some(bound) }
    }

    /// Everything above a bound.
    #[must_use]
    pub fn above(bound: f64) -> Self {
        Self { above: Some(bound), below: None }
    }

    /// How far inside a value is: negative outside, and for a value that is not a number.
    pub(crate) fn margin(self, value: f64) -> f64 {
        let below = self.below.map_or(f64::INFINITY, |bound| bound - value);
        let above = self.above.map_or(f64::INFINITY, |bound| value - bound);
        // `min` would drop a NaN, which no bound must let pass.
        if value.is_nan() { f64::NEG_INFINITY } else { below.min(above) }
    }
}

/// What can be so about a body or a group.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// A quantity lies within bounds.
    Quantity {
        /// Which.
        quantity: Quantity,
        /// Whether its sign is left out: a bound on how much, in whichever direction.
        amount: bool,
        /// Where it has to lie.
        range: Range,
    },
    /// Its centre is in a region.
    Inside(Aabb),
    /// Every part of it is slower than [`Self::REST_SPEED`] and [`Self::REST_SPIN`].
    AtRest,
    /// It has not fallen over: it leans less than [`Self::STANDING_TILT`] from how it started, and its
    /// centre is more than [`Self::STANDING_HEIGHT`] as high above its lowest point as at the start.
    Standing,
    /// Its surface is within [`Self::TOUCH_GAP`] of that of a body the name or pattern stands for,
    /// whether or not the two collide.
    Touching(String),
}

impl Condition {
    /// Speed below which a body counts as at rest, m/s.
    pub const REST_SPEED: f64 = 0.05;
    /// Spin below which a body counts as at rest, degrees per second.
    pub const REST_SPIN: f64 = 10.0;
    /// How far what stands may lean from how it started, degrees. Anything narrower than it is high
    /// by a half tips over before that.
    pub const STANDING_TILT: f64 = 30.0;
    /// How high the centre of what stands has to be above its lowest point, as a part of that at
    /// the start. Who kneels or sits is at about a half.
    pub const STANDING_HEIGHT: f64 = 0.7;
    /// The widest gap between two bodies that counts as touching, m: about twice the depth that
    /// solvers leave in a contact at rest.
    pub const TOUCH_GAP: f64 = 0.01;
}

/// What can be so about a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointCondition {
    /// The distance between its two anchors lies within bounds, m.
    Error(Range),
    /// Its anchors are less than [`Self::INTACT_ERROR`] apart, and it is turned less than
    /// [`Self::INTACT_EXCESS`] beyond its limits.
    Intact,
}

impl JointCondition {
    /// The widest gap between the two anchors of a joint that is not broken, m.
    pub const INTACT_ERROR: f64 = 0.05;
    /// How far a joint that is not broken may be turned beyond its limits, degrees.
    pub const INTACT_EXCESS: f64 = 15.0;
}

/// Quantities of the whole world.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Deepest overlap of two pieces, m.
    MaxPenetration,
    /// Largest relative length error of a stiff edge.
    MaxStretch,
    /// Largest distance between the two anchors of a joint, m.
    MaxJointError,
    /// Kinetic energy, J.
    Kinetic,
    /// Kinetic energy per kilogram of moving mass, J/kg.
    KineticPerKg,
    /// Kinetic, gravity and elastic energy above that at the start, J.
    EnergyGain,
    /// Change of momentum, relative to Σ m·|v|.
    MomentumDrift,
    /// Bodies that left the bounds.
    Escaped,
    /// Pieces with negative area.
    Inverted,
    /// Time after which kinetic energy per kilogram stays below 1e-3 J/kg, s.
    SettledAt,
}

impl Metric {
    /// All of them with the names used in levels.
    pub const NAMED: [(&'static str, Self); 10] = [
        ("max_penetration_m", Self::MaxPenetration),
        ("max_stretch", Self::MaxStretch),
        ("max_joint_error_m", Self::MaxJointError),
        ("kinetic_j", Self::Kinetic),
        ("kinetic_per_kg", Self::KineticPerKg),
        ("energy_gain_j", Self::EnergyGain),
        ("momentum_drift", Self::MomentumDrift),
        ("escaped", Self::Escaped),
        ("inverted", Self::Inverted),
        ("settled_at_s", Self::SettledAt),
    ];

    /// The name used in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }
}

/// Quantities of a body, or of a group of bodies taken as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Distance of its centre from where it started, m.
    Moved,
    /// Speed of its centre, m/s.
    Speed,
    /// How fast it turns, degrees per second; positive counter-clockwise.
    Spin,
    /// How it is turned, degrees from -180 to 180; 0 as its shape is described, positive
    /// counter-clockwise. A group has none.
    Angle,
    /// Angle turned since the start, counted through full turns, degrees; positive counter-clockwise.
    Turned,
    /// Horizontal position of its centre, m.
    X,
    /// Height of its centre, m.
    Y,
    /// Area of its pieces, as a part of that at the start; 1 for what has none.
    Area,
}

impl Quantity {
    /// The name used in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::Speed => "speed",
            Self::Spin => "spin",
            Self::Angle => "angle",
            Self::Turned => "turned",
            Self::X => "x",
            Self::Y => "y",
            Self::Area => "area",
        }
    }

    /// Its unit.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            Self::Moved | Self::X | Self::Y => "m",
            Self::Speed => "m/s",
            Self::Spin => "°/s",
            Self::Angle | Self::Turned => "°",
            Self::Area => "of the start",
        }
    }
}
