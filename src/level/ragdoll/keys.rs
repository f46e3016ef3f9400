//! The keys of a ragdoll, as `format.rs` has those of other items.
//!
//! A pose is written as the name of one, or as an object of angles. `serde` cannot say what is wrong
//! in an untagged enum, so that choice is made by hand.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use super::poses::POSES;
use crate::level::decode::{Color, Pair};

/// `ragdoll`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct RagdollKeys {
    /// How tall it stands, m; as is usual for its `build` if it is left out.
    #[schemars(range(min = 0.1, max = 100))]
    pub(in crate::level) height: Option<f32>,
    /// How it is built: from a toddler, whose head is a fifth of it, to a giant, whose is a ninth.
    #[schemars(extend("default" = "adult"))]
    pub(in crate::level) build: Option<Build>,
    /// Mass of the whole, kg; that of flesh one metre deep if it is left out.
    #[schemars(range(min = 0.001, max = 1e6))]
    pub(in crate::level) mass: Option<f32>,
    /// How it holds itself at the start: the name of a pose, or angles.
    #[schemars(extend("default" = "relaxed"))]
    pub(in crate::level) pose: Option<PoseKeys>,
    /// Poses of its own by name.
    pub(in crate::level) poses: Option<BTreeMap<String, PoseKeys>>,
    /// Muscles that pull its joints towards a pose, or from one pose to the next. None if they are
    /// left out.
    pub(in crate::level) muscles: Option<MuscleKeys>,
    /// How much a joint without a muscle rubs, as a share of the torque that holds level what hangs
    /// on it: with 1 nothing dangles, with 0 a limb swings on for minutes.
    #[schemars(range(min = 0, max = 1000), extend("default" = 0.05))]
    pub(in crate::level) joint_friction: Option<f32>,
    /// Where it looks.
    #[schemars(extend("default" = "right"))]
    pub(in crate::level) facing: Option<Facing>,
    /// How far its joints turn, where that is not as usual.
    pub(in crate::level) limits: Option<JointLimits>,
    /// A limb tears off where its joint carries more force than this, N; never if it is left out.
    #[schemars(range(min = 0.001, max = 1e6))]
    pub(in crate::level) tear_force: Option<f32>,
    /// Whether its parts collide with each other. Those that a joint holds together, those that hang
    /// on the same part, and those inside each other at the start never do.
    #[schemars(extend("default" = false))]
    pub(in crate::level) self_collision: Option<bool>,
    /// Colour of the skin.
    pub(in crate::level) skin: Option<Color>,
    /// Colour of the hair.
    pub(in crate::level) hair: Option<Color>,
    /// Colour of the shirt.
    pub(in crate::level) shirt: Option<Color>,
    /// Colour of the trousers.
    pub(in crate::level) trousers: Option<Color>,
    /// Colour of the shoes.
    pub(in crate::level) shoes: Option<Color>,
}

/// `build` of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum Build {
    Toddler,
    Child,
    Teen,
    Adult,
    Slim,
    Stout,
    Giant,
}

/// `facing` of a ragdoll.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum Facing {
    Left,
    Right,
}

/// `limits` of a ragdoll: how far each joint turns from the upright posture, on both sides.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct JointLimits {
    /// Range of the waist, degrees from upright: [lower, upper].
    pub(in crate::level) waist: Option<Pair<f32>>,
    /// Range of the neck, degrees from upright: [lower, upper].
    pub(in crate::level) neck: Option<Pair<f32>>,
    /// Range of the shoulder, degrees from upright: [lower, upper].
    pub(in crate::level) shoulder: Option<Pair<f32>>,
    /// Range of the elbow, degrees from upright: [lower, upper].
    pub(in crate::level) elbow: Option<Pair<f32>>,
    /// Range of the hip, degrees from upright: [lower, upper].
    pub(in crate::level) hip: Option<Pair<f32>>,
    /// Range of the knee, degrees from upright: [lower, upper].
    pub(in crate::level) knee: Option<Pair<f32>>,
    /// Range of the ankle, degrees from upright: [lower, upper].
    pub(in crate::level) ankle: Option<Pair<f32>>,
}

/// `muscles` of a ragdoll.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct MuscleKeys {
    /// How strong they are: with 1 each joint can just hold what it carries stretched out level, with
    /// 0.5 raised by 60 degrees.
    #[schemars(range(min = 0, max = 1000), extend("default" = 2))]
    pub(in crate::level) strength: Option<f32>,
    /// Damping ratio: below 1 a limb swings about where it is pulled to.
    #[schemars(range(min = 0, max = 100), extend("default" = 1))]
    pub(in crate::level) damping: Option<f32>,
    /// An outside help, not a muscle: a torque on the pelvis that turns it as the pose has it, 1 for
    /// what holds the whole body stretched out level. 0 leaves it to the muscles.
    #[schemars(range(min = 0, max = 1000), extend("default" = 0))]
    pub(in crate::level) balance: Option<f32>,
    /// The pose they pull to, its `pose` at the start if it is left out. Not with `keyframes`.
    pub(in crate::level) pose: Option<PoseKeys>,
    /// The poses they pull to one after the other, in the order of their times.
    #[schemars(length(min = 1, max = 1000))]
    pub(in crate::level) keyframes: Option<Vec<KeyframeKeys>>,
    /// Whether the keyframes begin anew at the time of the last; its pose stays if not.
    #[schemars(extend("default" = false))]
    pub(in crate::level) repeats: Option<bool>,
}

/// A member of `keyframes`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct KeyframeKeys {
    /// When the pose is wanted, s after the ragdoll came into the world.
    #[schemars(range(min = 0, max = 1e6))]
    pub(in crate::level) time: f32,
    /// The name of a pose, or angles.
    pub(in crate::level) pose: PoseKeys,
}

/// A pose: its name, or angles.
#[derive(Clone, Debug)]
pub(in crate::level) enum PoseKeys {
    Named(String),
    Angles(Box<PoseAngles>),
}

/// A pose in angles. What is left out is as in `like`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct PoseAngles {
    /// The name of the pose that this one is like.
    #[schemars(extend("default" = "stand"))]
    pub(in crate::level) like: Option<String>,
    /// How the pelvis leans, degrees counter-clockwise from upright; only `balance` heeds it.
    pub(in crate::level) lean: Option<f32>,
    /// Forward is negative, degrees from upright.
    pub(in crate::level) waist: Option<f32>,
    /// Down is negative, degrees from upright.
    pub(in crate::level) neck: Option<f32>,
    /// Forward is positive, degrees from upright: of both arms, or [near, far].
    pub(in crate::level) shoulder: Option<Sides>,
    /// Bent is positive, degrees from straight: of both arms, or [near, far].
    pub(in crate::level) elbow: Option<Sides>,
    /// Forward is positive, degrees from upright: of both legs, or [near, far].
    pub(in crate::level) hip: Option<Sides>,
    /// Bent is negative, degrees from straight: of both legs, or [near, far].
    pub(in crate::level) knee: Option<Sides>,
    /// Toes down is negative, degrees from level: of both feet, or [near, far].
    pub(in crate::level) ankle: Option<Sides>,
}

/// An angle of both sides, or one of the near and one of the far side.
#[derive(Clone, Copy, Debug)]
pub(in crate::level) struct Sides(pub(in crate::level) [f32; 2]);

impl<'de> Deserialize<'de> for PoseKeys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = PoseKeys;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a pose, or an object { … } of angles")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<PoseKeys, E> {
                Ok(PoseKeys::Named(name.to_owned()))
            }

            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<PoseKeys, A::Error> {
                let angles = PoseAngles::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(PoseKeys::Angles(Box::new(angles)))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl<'de> Deserialize<'de> for Sides {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Sides;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or two of them [near, far]")
            }

            fn visit_f64<E: de::Error>(self, angle: f64) -> Result<Sides, E> {
                Ok(Sides([angle as f32; 2]))
            }

            fn visit_i64<E: de::Error>(self, angle: i64) -> Result<Sides, E> {
                Ok(Sides([angle as f32; 2]))
            }

            fn visit_u64<E: de::Error>(self, angle: u64) -> Result<Sides, E> {
                Ok(Sides([angle as f32; 2]))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Sides, A::Error> {
                let pair = Pair::<f32>::deserialize(de::value::SeqAccessDeserializer::new(list))?;
                Ok(Sides([pair.0, pair.1]))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for PoseKeys {
    fn schema_name() -> Cow<'static, str> {
        "PoseKeys".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let angles = generator.subschema_for::<PoseAngles>();
        // A ragdoll may have poses of its own.
        json_schema!({
            "anyOf": [{ "enum": POSES.map(|(name, _)| name) }, { "type": "string" }, angles],
        })
    }
}

impl JsonSchema for Sides {
    fn schema_name() -> Cow<'static, str> {
        "Sides".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let pair = generator.subschema_for::<Pair<f32>>();
        json_schema!({ "anyOf": [{ "type": "number", "format": "float" }, pair] })
    }
}
