//! The keys of joints, kind by kind. The comments on the fields are what an editor shows.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::motor::{LengthKeyframe, ReleasedName, SlideMotor, TurnMotor, key_names};
use crate::level::decode::Pair;

/// What every joint has.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct JointKeys {
    /// What kind of item this is.
    #[serde(rename = "type")]
    pub(super) _type: String,
    /// The name that messages use; unique. Made up if it is left out.
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    /// The id of the first body.
    pub(super) a: String,
    /// The id of the second body; the world if it is left out.
    pub(super) b: Option<String>,
    /// It breaks under more force than this, N; never if it is left out.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) break_force: Option<f32>,
    /// It breaks under more torque than this, N·m; never if it is left out.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) break_torque: Option<f32>,
    /// Whether the two bodies collide with each other all the same.
    #[serde(default)]
    pub(super) collide: bool,
}

/// `pin`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct PinKeys {
    /// Where the two are pinned together, m in the world, on or near both.
    pub(super) at: Pair<f32>,
    /// How far `b` may turn against `a`, or `a` if there is no `b`, from its pose at the start, degrees:
    /// [lower, upper], within ±180.
    pub(super) limits: Option<Pair<f32>>,
    /// What turns `b` against `a`, or `a` if there is no `b`; nothing if it is left out.
    pub(super) motor: Option<TurnMotor>,
}

/// `weld`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct WeldKeys {
    /// Where the two are welded together, m in the world, on or near both.
    pub(super) at: Pair<f32>,
    /// Torque against bending, N·m/rad; it does not bend if it is left out.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) stiffness: Option<f32>,
    /// Torque against the speed of bending, N·m·s/rad; only with `stiffness`.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    pub(super) damping: Option<f32>,
}

/// `distance` and `tether`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct DistanceKeys {
    /// Where it holds `a`, m in the world.
    pub(super) at: Pair<f32>,
    /// Where it holds `b`, or the world if there is no `b`, m in the world.
    pub(super) to: Pair<f32>,
    /// How long it is, m; as far as from `at` to `to` if it is left out.
    #[schemars(range(min = 0, max = 1e6))]
    pub(super) length: Option<f32>,
}

/// `spring`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct SpringKeys {
    /// Where it holds `a`, m in the world.
    pub(super) at: Pair<f32>,
    /// Where it holds `b`, or the world if there is no `b`, m in the world.
    pub(super) to: Pair<f32>,
    /// How long it is at rest, m; as far as from `at` to `to` if it is left out.
    #[schemars(range(min = 0, max = 1e6))]
    pub(super) length: Option<f32>,
    /// Force for each metre that it is too long or too short, N/m.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) stiffness: f32,
    /// Force against the speed at which its length changes, N·s/m.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    pub(super) damping: Option<f32>,
}

/// `muscle`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct MuscleKeys {
    /// Where it holds `a`, m in the world.
    pub(super) at: Pair<f32>,
    /// Where it holds `b`, which may be `a` if that is soft, or the world if there is no `b`, m in the
    /// world.
    pub(super) to: Pair<f32>,
    /// The length that it pulls or pushes to, m; as far as from `at` to `to` if it is left out.
    #[schemars(range(min = 0, max = 1e6))]
    pub(super) length: Option<f32>,
    /// Force for each metre that it is too long or too short, N/m.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) stiffness: f32,
    /// Force against the speed at which its length changes, N·s/m.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    pub(super) damping: Option<f32>,
    /// The most force it has, N.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) max_force: f32,
    /// Instead of one `length`: several, one after the other. In between it eases from one to the next.
    #[schemars(length(min = 1, max = 1000))]
    pub(super) keyframes: Option<Vec<LengthKeyframe>>,
    /// Whether the keyframes begin anew at the time of the last; what that says stays if not.
    #[schemars(extend("default" = false))]
    pub(super) repeats: Option<bool>,
    /// Keys of the keyboard, and the length while one of them is held. The last of several that are
    /// held counts.
    #[schemars(extend("propertyNames" = key_names()))]
    pub(super) keys: Option<BTreeMap<String, f32>>,
    /// What it does while none of `keys` is held: `return` to what it is told without keys, go `free`
    /// and slack, or `stay` with what the last key said.
    #[schemars(extend("default" = "return"))]
    pub(super) released: Option<ReleasedName>,
    /// What the keys do, in a word or two for the window; the id of the muscle if it is left out.
    pub(super) label: Option<String>,
}

/// `slider`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct SliderKeys {
    /// The place on `b` that slides, or on `a` if there is no `b`, m in the world.
    pub(super) at: Pair<f32>,
    /// The direction in which it slides: [right, up], of any length.
    pub(super) axis: Pair<f32>,
    /// How far it slides from the start along the axis, m: [lower, upper]; any way if it is left out.
    pub(super) limits: Option<Pair<f32>>,
    /// What pushes `b` along the axis, or `a` if there is no `b`; nothing if it is left out.
    pub(super) motor: Option<SlideMotor>,
}

/// `wheel`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct WheelKeys {
    /// The axle on `b`, m in the world.
    pub(super) at: Pair<f32>,
    /// The direction in which the suspension gives: [right, up], of any length.
    #[schemars(extend("default" = [0, 1]))]
    pub(super) axis: Option<Pair<f32>>,
    /// Stiffness of the suspension, N/m.
    #[schemars(range(min = 0, max = 1e13))]
    pub(super) stiffness: f32,
    /// Damping of the suspension, N·s/m.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    pub(super) damping: Option<f32>,
    /// How far the suspension gives from the start, m: [lower, upper]; any way if it is left out.
    pub(super) limits: Option<Pair<f32>>,
    /// What turns `b`; nothing if it is left out.
    pub(super) motor: Option<TurnMotor>,
}

/// `gear`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct GearKeys {
    /// Turns of `b` for a turn of `a` the other way, 0.001 to 1000; negative for the same way.
    #[schemars(range(min = -1000, max = 1000), extend("default" = 1))]
    pub(super) ratio: Option<f32>,
}

/// `pulley`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct PulleyKeys {
    /// Where its rope holds `a`, m in the world.
    pub(super) at: Pair<f32>,
    /// Where its rope holds `b`, m in the world.
    pub(super) to: Pair<f32>,
    /// Where the rope runs over, m in the world: first the wheel of `a`, then that of `b`.
    #[schemars(length(min = 2, max = 2))]
    pub(super) over: Vec<Pair<f32>>,
    /// Length that the rope gains at `a` for each metre that it loses at `b`.
    #[schemars(range(min = 0.001, max = 1000), extend("default" = 1))]
    pub(super) ratio: Option<f32>,
}
