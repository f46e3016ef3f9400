//! The keys of a level file, object by object, as `serde` structs.
//!
//! Here is what may be written; what it must mean is checked where it is used. Lengths are in
//! metres, times in seconds, angles in degrees. Every struct refuses keys it does not know. The
//! comments on the fields are what an editor shows: `schema.rs` makes a JSON Schema of them.

use schemars::JsonSchema;
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
/// The key of the keys that are held as time goes by, read after the joints that they drive.
pub(super) const SCRIPT: &str = "script";

/// Keys of stiffnesses, forces and torques. Wherever they stand, their numbers may be larger than
/// any length.
pub(super) const STRENGTHS: [&str; 10] = [
    "stiffness",
    "damping",
    "shear",
    "skin",
    "bulk",
    "gas",
    "break_force",
    "break_torque",
    "max_force",
    "max_torque",
];

/// The texts at the top of the file. `format` is looked at by hand: it says how to read the rest.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Title {
    /// For editors, which offer completion by it: the address of this schema.
    #[serde(rename = "$schema")]
    pub(super) _schema: Option<String>,
    /// The name shown to people; that of the file if it is left out.
    pub(super) name: Option<String>,
    /// One sentence on what the level shows.
    pub(super) about: Option<String>,
}

/// `world`: how the level is simulated.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct World {
    /// Acceleration of gravity, m/s².
    #[schemars(extend("default" = [0.0, -9.81]))]
    pub(super) gravity: Option<Pair<f32>>,
    /// The solver to start with.
    #[schemars(with = "Option<super::schema::SolverName>", extend("default" = "verlet"))]
    pub(super) solver: Option<String>,
    /// Steps per second of simulated time.
    #[schemars(range(min = 1, max = 10_000), extend("default" = 60))]
    pub(super) hz: Option<f32>,
    /// Equal parts that a step is cut into. The solver chooses if it is left out.
    #[schemars(range(min = 1, max = 256))]
    pub(super) substeps: Option<u32>,
    /// Rounds over all constraints in each sub-step. The solver chooses if it is left out.
    #[schemars(range(min = 1, max = 1000))]
    pub(super) iterations: Option<u32>,
    /// How bodies in contact respond: `conserving` is the best form of each solver; `soft` makes contacts of
    /// `impulse` damped springs; `classic` is the textbook form of `verlet` and `impulse`, for study.
    #[schemars(extend("default" = "conserving"))]
    pub(super) response: Option<ResponseName>,
    /// Whether bodies that have come to rest sleep, at no cost, until something disturbs them.
    #[schemars(extend("default" = true))]
    pub(super) sleep: Option<bool>,
}

/// `world.response`: how bodies in contact respond.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum ResponseName {
    Conserving,
    Soft,
    Classic,
}

impl From<ResponseName> for Response {
    fn from(name: ResponseName) -> Self {
        match name {
            ResponseName::Conserving => Self::Conserving,
            ResponseName::Soft => Self::Soft,
            ResponseName::Classic => Self::Classic,
        }
    }
}

/// `view`: where the camera starts.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct View {
    /// The point in the middle of the window, m.
    #[schemars(extend("default" = [0, 4]))]
    pub(super) center: Option<Pair<f32>>,
    /// The height of what is seen, m.
    #[schemars(range(min = 0.01, max = 100_000), extend("default" = 12))]
    pub(super) height: Option<f32>,
}

/// A region: `bounds`, which bodies are expected to stay in, or `inside` in a promise.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Bounds {
    /// The lower left corner, m.
    pub(super) min: Pair<f32>,
    /// The upper right corner, m.
    pub(super) max: Pair<f32>,
}

/// A member of `materials`, or what a body has otherwise than its material. What is left out stays
/// as it is in the material of the same name, or else in `wood`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Material {
    /// Mass per volume, kg/m³; bodies are one metre deep.
    #[schemars(range(min = 0.01, max = 1e6))]
    pub(super) density: Option<f32>,
    /// Coulomb's coefficient of friction on a body of the same material. Two bodies slide at
    /// √(μ₁·μ₂).
    #[schemars(range(min = 0, max = 100))]
    pub(super) friction: Option<f32>,
    /// Speed after an impact over that before it. The livelier of two bodies counts.
    #[schemars(range(min = 0, max = 1))]
    pub(super) restitution: Option<f32>,
    /// How strongly gravity pulls, as a multiple: at 0 a body floats, below it rises.
    #[schemars(range(min = -1000, max = 1000))]
    pub(super) gravity_scale: Option<f32>,
    /// The rate at which velocity fades, 1/s: a body falls at gravity over rate in the end.
    #[schemars(range(min = 0, max = 1000))]
    pub(super) linear_damping: Option<f32>,
    /// The rate at which motion about the centre of mass fades, 1/s: spin, and what a soft body swings.
    #[schemars(range(min = 0, max = 1000))]
    pub(super) angular_damping: Option<f32>,
    /// Colour, `#rrggbb`.
    pub(super) color: Option<Color>,
}

/// What every item has: its name, its place, its copies.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Placed {
    /// What kind of item this is.
    #[serde(rename = "type")]
    pub(super) _type: String,
    /// The name that joints, promises and messages use; unique. Made up if it is left out.
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    /// Where the middle is, m; of a polygon its own origin, of a ragdoll the hips, of a rope, a beam
    /// or a bridge the start.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) at: Option<Pair<f32>>,
    /// Rotation about `at`, degrees counter-clockwise.
    #[schemars(extend("default" = 0))]
    pub(super) angle: Option<f32>,
    /// Velocity at the start, m/s.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) velocity: Option<Pair<f32>>,
    /// Rotation at the start, degrees per second counter-clockwise.
    #[schemars(extend("default" = 0))]
    pub(super) spin: Option<f32>,
    /// Bodies of a higher layer are drawn over those of a lower one.
    #[schemars(extend("default" = 0))]
    pub(super) layer: Option<i8>,
}

/// The key of the copies, which every item may have.
pub(super) const REPEAT: &str = "repeat";

/// `repeat`: copies along a line (`count` a number), in a grid (`count` two numbers, both with
/// `step`) or on a circle (with `radius`).
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Repeat {
    /// How many copies: a number along a line or on a circle, two in a grid [columns, rows].
    pub(super) count: Count,
    /// From one copy to the next, m: [right, up]. For a line or a grid.
    pub(super) step: Option<Pair<f32>>,
    /// Radius of the circle, m. For a circle.
    #[schemars(range(min = 0))]
    pub(super) radius: Option<f32>,
    /// The centre of the circle, m; the item's `at` if it is left out.
    pub(super) around: Option<Pair<f32>>,
    /// Where the arc begins, degrees counter-clockwise from the right.
    #[schemars(extend("default" = 0))]
    pub(super) from: Option<f32>,
    /// Where the arc ends, degrees; a full turn after `from` if it is left out.
    pub(super) to: Option<f32>,
    /// Where the upper side of a copy points; copies are not turned if it is left out.
    pub(super) face: Option<Face>,
}

/// `repeat.face`: where the upper side of a copy on a circle points.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Face {
    Out,
    In,
}

/// A member of `prefabs`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PrefabKeys {
    /// What it makes, for readers.
    #[serde(rename = "about")]
    pub(super) _about: Option<String>,
    /// Parameters and their defaults; numbers, expressions of those before, or texts.
    #[serde(rename = "params")]
    pub(super) _params: Option<serde_json::Map<String, serde_json::Value>>,
    /// What it is made of, about its origin; "$name" is the value of a parameter.
    #[serde(rename = "items")]
    pub(super) _items: Vec<serde_json::Value>,
}

/// An item that uses a prefab; besides, it has the parameters of the prefab.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct UseKeys {
    /// The name of the prefab.
    #[serde(rename = "type")]
    pub(super) _type: String,
    /// The name that the ids of what is in it begin with.
    #[serde(rename = "id")]
    pub(super) _id: Option<String>,
    /// Where the origin of the prefab comes to lie, m.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) at: Option<Pair<f32>>,
    /// Rotation of the whole about `at`, degrees counter-clockwise.
    #[schemars(extend("default" = 0))]
    pub(super) angle: Option<f32>,
    /// Turns left and right round.
    pub(super) mirror: Option<Mirror>,
    /// Size of the whole against that in the prefab.
    #[schemars(range(min = 0.001, max = 1000), extend("default" = 1))]
    pub(super) scale: Option<f32>,
    /// Added to the velocity of all bodies in it that move, m/s.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) velocity: Option<Pair<f32>>,
    /// The material of all bodies in it.
    pub(super) material: Option<String>,
    /// The colour of all bodies in it.
    pub(super) color: Option<Color>,
    /// What all bodies in it collide with.
    pub(super) filter: Option<FilterKeys>,
    /// Added to the layer of all bodies in it.
    #[schemars(extend("default" = 0))]
    pub(super) layer: Option<i8>,
}

/// `mirror`: the axis whose direction is turned round.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Mirror {
    X,
}

/// What every item that is one body has.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Solid {
    /// Whether it moves: `dynamic` is pushed, `kinematic` moves as it was told and is pushed by
    /// nothing, `static` never moves.
    #[schemars(extend("default" = "dynamic"))]
    pub(super) kind: Option<Kind>,
    /// What it is made of: a built-in material, or one of `materials`; `wood` if it is left out,
    /// of a static item `ground`.
    #[schemars(with = "Option<super::schema::MaterialName>")]
    pub(super) material: Option<String>,
    /// What it collides with.
    pub(super) filter: Option<FilterKeys>,
}

/// `kind`: whether a body moves.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FilterKeys {
    /// The bits that this body is.
    #[schemars(extend("default" = 1))]
    pub(super) category: Option<u32>,
    /// The bits that this body collides with; 0 is nothing.
    #[schemars(extend("default" = u32::MAX))]
    pub(super) mask: Option<u32>,
    /// Bodies of the same group always collide if it is positive, never if it is negative; 0 is no
    /// group.
    #[schemars(range(min = -1_000_000, max = 1_000_000), extend("default" = 0))]
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
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxKeys {
    /// Width and height, m.
    #[schemars(with = "super::schema::Size")]
    pub(super) size: Pair<f32>,
    /// Radius of its corners, m; sharp if it is left out.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) rounding: Option<f32>,
}

/// `polygon`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PolygonKeys {
    /// The outline in order, m from `at`: 3 to 64 vertices, convex or concave.
    #[schemars(length(min = 3, max = 64))]
    pub(super) vertices: Vec<Pair<f32>>,
    /// Radius of its convex corners, m; sharp if it is left out.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) rounding: Option<f32>,
}

/// `disc`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DiscKeys {
    /// Radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) radius: f32,
}

/// `capsule`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CapsuleKeys {
    /// Between the centres of the two round ends, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) length: f32,
    /// Radius of the ends and half the thickness, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) radius: f32,
}

/// `static`: exactly one of these.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StaticKeys {
    /// A rectangle: width and height, m.
    #[schemars(with = "Option<super::schema::Size>")]
    pub(super) r#box: Option<Pair<f32>>,
    /// An outline in order, m from `at`: 3 to 64 vertices, convex or concave.
    #[schemars(length(min = 3, max = 64))]
    pub(super) polygon: Option<Vec<Pair<f32>>>,
    /// A disc: its radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) disc: Option<f32>,
    /// A capsule along the x axis.
    pub(super) capsule: Option<CapsuleKeys>,
}
