//! The keys of an entry of `expect`, as a `serde` struct.
//!
//! Here is what may be written. Which keys go together is checked in `mod.rs` and `condition.rs`;
//! what they mean to the author of a level is in `docs/expect.md`.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::format::Bounds;
use crate::expect::Holds;

/// A member of `expect`: exactly one of `metric`, `body`, `joint` and `count`, and what is promised
/// about it.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct Promise {
    /// When it has to be so, or the end of the interval, s.
    #[schemars(range(min = 0, max = 86_400))]
    pub(in crate::level) at: f64,
    /// The beginning of the interval, s; the instant `at` alone if it is left out.
    #[schemars(range(min = 0, max = 86_400))]
    pub(in crate::level) from: Option<f64>,
    /// At which steps of the interval: `always` at all (the default), `ever` at one or more,
    /// `never` at none.
    #[schemars(extend("default" = "always"))]
    pub(in crate::level) holds: Option<HoldsName>,
    /// The solvers that promise it; all if it is left out.
    #[schemars(with = "Option<Vec<super::super::schema::SolverName>>")]
    pub(in crate::level) solvers: Option<Vec<String>>,

    /// A quantity of the whole world, with `above` and `below`.
    #[schemars(with = "Option<super::super::schema::MetricName>")]
    pub(in crate::level) metric: Option<String>,
    /// A body, a group (the beginning of dotted ids) or a pattern with `*` and `**`.
    pub(in crate::level) body: Option<String>,
    /// A joint, or a pattern of joints.
    pub(in crate::level) joint: Option<String>,
    /// A pattern: how many of what matches meet all conditions lies within `above` and `below`.
    pub(in crate::level) count: Option<String>,

    /// The metric or the count is more than this.
    pub(in crate::level) above: Option<f64>,
    /// The metric or the count is less than this.
    pub(in crate::level) below: Option<f64>,

    /// Its centre is less than this from where it started, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) moved_less_than: Option<f64>,
    /// Its centre is more than this from where it started, m.
    #[schemars(range(min = 0))]
    pub(in crate::level) moved_more_than: Option<f64>,
    /// Its centre is faster than this, m/s.
    #[schemars(range(min = 0))]
    pub(in crate::level) speed_above: Option<f64>,
    /// Its centre is slower than this, m/s.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) speed_below: Option<f64>,
    /// It turns faster than this, degrees per second, counter-clockwise.
    pub(in crate::level) spin_above: Option<f64>,
    /// It turns slower than this, degrees per second, counter-clockwise.
    pub(in crate::level) spin_below: Option<f64>,
    /// It turns slower than this, degrees per second, either way.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) spin_less_than: Option<f64>,
    /// It turns faster than this, degrees per second, either way.
    #[schemars(range(min = 0))]
    pub(in crate::level) spin_more_than: Option<f64>,
    /// Its angle, -180 to 180 degrees, is more than this.
    #[schemars(range(min = -180, max = 180))]
    pub(in crate::level) angle_above: Option<f64>,
    /// Its angle, -180 to 180 degrees, is less than this.
    #[schemars(range(min = -180, max = 180))]
    pub(in crate::level) angle_below: Option<f64>,
    /// Its angle, either way, is less than this, degrees.
    #[schemars(extend("exclusiveMinimum" = 0), range(max = 180))]
    pub(in crate::level) angle_less_than: Option<f64>,
    /// Its angle, either way, is more than this, degrees.
    #[schemars(range(min = 0, max = 180))]
    pub(in crate::level) angle_more_than: Option<f64>,
    /// It has turned more than this since the start, degrees through full turns, counter-clockwise.
    pub(in crate::level) turned_above: Option<f64>,
    /// It has turned less than this since the start, degrees through full turns, counter-clockwise.
    pub(in crate::level) turned_below: Option<f64>,
    /// It has turned less than this since the start, degrees through full turns, either way.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) turned_less_than: Option<f64>,
    /// It has turned more than this since the start, degrees through full turns, either way.
    #[schemars(range(min = 0))]
    pub(in crate::level) turned_more_than: Option<f64>,
    /// Its centre is to the right of this, m.
    pub(in crate::level) x_above: Option<f64>,
    /// Its centre is to the left of this, m.
    pub(in crate::level) x_below: Option<f64>,
    /// Its centre is higher than this, m.
    pub(in crate::level) y_above: Option<f64>,
    /// Its centre is lower than this, m.
    pub(in crate::level) y_below: Option<f64>,
    /// Its area is more than this part of that at the start: 0.97 for no more than 3 % less.
    #[schemars(range(min = 0))]
    pub(in crate::level) area_above: Option<f64>,
    /// Its area is less than this part of that at the start: 1.03 for no more than 3 % more.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) area_below: Option<f64>,
    /// Its centre is in this region.
    pub(in crate::level) inside: Option<Bounds>,
    /// Every part of it is slower than 0.05 m/s and 10 degrees per second.
    #[schemars(extend("const" = true))]
    pub(in crate::level) at_rest: Option<bool>,
    /// It has not fallen over: it leans less than 30 degrees from how it started, and its centre is
    /// at more than 70 % of its height at the start.
    #[schemars(extend("const" = true))]
    pub(in crate::level) standing: Option<bool>,
    /// Its surface is within 1 cm of that of a body that this name or pattern stands for.
    pub(in crate::level) touching: Option<String>,

    /// The anchors of the joint are more than this apart, m.
    #[schemars(range(min = 0))]
    pub(in crate::level) error_above: Option<f64>,
    /// The anchors of the joint are less than this apart, m.
    #[schemars(extend("exclusiveMinimum" = 0))]
    pub(in crate::level) error_below: Option<f64>,
    /// The anchors of the joint are less than 5 cm apart, and it is turned less than 15 degrees
    /// beyond its limits.
    #[schemars(extend("const" = true))]
    pub(in crate::level) intact: Option<bool>,
}

/// `holds`: at which steps of an interval a promise has to be kept.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum HoldsName {
    Always,
    Ever,
    Never,
}

impl From<HoldsName> for Holds {
    fn from(name: HoldsName) -> Self {
        match name {
            HoldsName::Always => Self::Always,
            HoldsName::Ever => Self::Ever,
            HoldsName::Never => Self::Never,
        }
    }
}
