//! The keys of a level file, object by object, as `serde` structs.
//!
//! Here is what may be written; what it must mean is checked where it is used. Lengths are in
//! metres, times in seconds, angles in degrees. Every struct refuses keys it does not know.

use serde::Deserialize;

use super::decode::{Color, Count, Pair};
use crate::scene::{BodyKind, Filter};
use crate::settings::Response;

/// The keys of the file itself.
pub(super) const TOP: [&str; 12] = [
    "$schema",
    "format",
    "name",
    "about",
    "include",
    "world",
    "view",
    "bounds",
    "materials",
    "prefabs",
    "defaults",
    "items",
];
/// The key of the promises, read after everything they speak of.
pub(super) const EXPECT: &str = "expect";

/// The texts at the top of the file. `format` is looked at by hand: it says how to read the rest.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Title {
    /// For editors, which offer completion by it.
    #[serde(rename = "$schema")]
    pub(super) _schema: Option<String>,
    pub(super) name: Option<String>,
    pub(super) about: Option<String>,
}

/// `world`: how the level is simulated.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct World {
    pub(super) gravity: Option<Pair<f32>>,
    pub(super) solver: Option<String>,
    pub(super) hz: Option<f32>,
    pub(super) substeps: Option<u32>,
    pub(super) iterations: Option<u32>,
    pub(super) response: Option<ResponseName>,
}

/// `world.response`: the contact response of `verlet`.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponseName {
    Conserving,
    Classic,
}

impl From<ResponseName> for Response {
    fn from(name: ResponseName) -> Self {
        match name {
            ResponseName::Conserving => Self::Conserving,
            ResponseName::Classic => Self::Classic,
        }
    }
}

/// `view`: where the camera starts.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct View {
    pub(super) center: Option<Pair<f32>>,
    pub(super) height: Option<f32>,
}

/// A region: `bounds`, which bodies are expected to stay in, or `inside` in a promise.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Bounds {
    pub(super) min: Pair<f32>,
    pub(super) max: Pair<f32>,
}

/// A member of `materials`, or what a body has otherwise than its material. What is left out stays
/// as it is in the material of the same name, or else in `wood`.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Material {
    pub(super) density: Option<f32>,
    pub(super) friction: Option<f32>,
    pub(super) restitution: Option<f32>,
    pub(super) color: Option<Color>,
}

/// What every item has: its name, its place, its copies.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    #[serde(rename = "type")]
    pub(super) _type: String,
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    pub(super) at: Option<Pair<f32>>,
    pub(super) angle: Option<f32>,
    pub(super) velocity: Option<Pair<f32>>,
    /// Degrees per second.
    pub(super) spin: Option<f32>,
    pub(super) layer: Option<i8>,
}

/// The key of the copies, which every item may have.
pub(super) const REPEAT: &str = "repeat";

/// `repeat`: copies along a line (`count` a number), in a grid (`count` two numbers, both with
/// `step`) or on a circle (with `radius`).
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Repeat {
    pub(super) count: Count,
    pub(super) step: Option<Pair<f32>>,
    pub(super) radius: Option<f32>,
    /// The centre of the circle; the item's `at` if it is left out.
    pub(super) around: Option<Pair<f32>>,
    /// Degrees from +x.
    pub(super) from: Option<f32>,
    pub(super) to: Option<f32>,
    pub(super) face: Option<Face>,
}

/// `repeat.face`: where the upper side of a copy on a circle points.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Face {
    Out,
    In,
}

/// A member of `prefabs`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PrefabKeys {
    /// For readers.
    #[serde(rename = "about")]
    pub(super) _about: Option<String>,
    /// Parameters and their defaults; numbers, expressions of those before, or texts.
    #[serde(rename = "params")]
    pub(super) _params: Option<serde_json::Map<String, serde_json::Value>>,
    #[serde(rename = "items")]
    pub(super) _items: Vec<serde_json::Value>,
}

/// An item that uses a prefab; besides, it has the parameters of the prefab.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct UseKeys {
    #[serde(rename = "type")]
    pub(super) _type: String,
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    pub(super) at: Option<Pair<f32>>,
    pub(super) angle: Option<f32>,
    pub(super) mirror: Option<Mirror>,
    pub(super) scale: Option<f32>,
    /// Added to the velocity of all bodies in it that move.
    pub(super) velocity: Option<Pair<f32>>,
    pub(super) material: Option<String>,
    pub(super) color: Option<Color>,
    pub(super) filter: Option<FilterKeys>,
    /// Added to the layer of all bodies in it.
    pub(super) layer: Option<i8>,
}

/// `mirror`: the axis whose direction is turned round.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mirror {
    X,
}

/// What every item that is one body has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Solid {
    pub(super) kind: Option<Kind>,
    pub(super) material: Option<String>,
    pub(super) filter: Option<FilterKeys>,
}

/// `kind`: whether a body moves.
#[derive(Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Kind {
    Dynamic,
    Static,
    Kinematic,
}

impl From<Kind> for BodyKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Dynamic => Self::Dynamic,
            Kind::Static => Self::Static,
            Kind::Kinematic => Self::Kinematic,
        }
    }
}

/// `filter`: what collides with what.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FilterKeys {
    pub(super) category: Option<u32>,
    pub(super) mask: Option<u32>,
    pub(super) group: Option<i32>,
}

impl From<FilterKeys> for Filter {
    fn from(keys: FilterKeys) -> Self {
        let default = Self::default();
        Self {
            category: keys.category.unwrap_or(default.category),
            mask: keys.mask.unwrap_or(default.mask),
            group: keys.group.unwrap_or(default.group),
        }
    }
}

/// `crate` and `box`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxKeys {
    pub(super) size: Pair<f32>,
}

/// `polygon`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PolygonKeys {
    pub(super) vertices: Vec<Pair<f32>>,
}

/// `disc`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DiscKeys {
    pub(super) radius: f32,
}

/// `capsule`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CapsuleKeys {
    /// Between the centres of the two round ends.
    pub(super) length: f32,
    pub(super) radius: f32,
}

/// `static`: exactly one of these.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StaticKeys {
    pub(super) r#box: Option<Pair<f32>>,
    pub(super) polygon: Option<Vec<Pair<f32>>>,
    pub(super) disc: Option<f32>,
    pub(super) capsule: Option<CapsuleKeys>,
}

/// `ragdoll`.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RagdollKeys {
    pub(super) height: Option<f32>,
    pub(super) build: Option<Build>,
    pub(super) pose: Option<PoseName>,
    pub(super) facing: Option<Facing>,
    pub(super) limits: Option<JointLimits>,
    pub(super) skin: Option<Color>,
    pub(super) hair: Option<Color>,
    pub(super) shirt: Option<Color>,
    pub(super) trousers: Option<Color>,
    pub(super) shoes: Option<Color>,
}

/// `build` of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Build {
    Child,
    Adult,
    Slim,
    Stout,
    Giant,
}

/// `pose` of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum PoseName {
    Stand,
    Relaxed,
    T,
    Sit,
    Fall,
}

/// `facing` of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Facing {
    Left,
    Right,
}

/// `limits` of a ragdoll: how far each joint turns from the upright posture, on both sides.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JointLimits {
    pub(super) waist: Option<Pair<f32>>,
    pub(super) neck: Option<Pair<f32>>,
    pub(super) shoulder: Option<Pair<f32>>,
    pub(super) elbow: Option<Pair<f32>>,
    pub(super) hip: Option<Pair<f32>>,
    pub(super) knee: Option<Pair<f32>>,
    pub(super) ankle: Option<Pair<f32>>,
}

/// `pin`.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PinKeys {
    #[serde(rename = "type")]
    pub(super) _type: String,
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    pub(super) a: String,
    pub(super) b: Option<String>,
    pub(super) at: Pair<f32>,
    pub(super) limits: Option<Pair<f32>>,
    #[serde(default)]
    pub(super) collide: bool,
}
