//! The keys of soft bodies, kind by kind. The comments on the fields are what an editor shows.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, de};

use crate::level::decode::Pair;
use crate::level::format::FilterKeys;
use crate::scene::soft::{Held, Hold, Stiffness};

/// What every soft body has.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct SoftKeys {
    /// What it is made of: a built-in material, or one of `materials`. If it is left out, a rope is of
    /// `hemp`, a beam of `wood`, a cloth of `cloth`, a jelly of `jelly`, a blob of `slime`, a balloon
    /// of `latex`.
    #[schemars(with = "Option<crate::level::schema::MaterialName>")]
    pub(super) material: Option<String>,
    /// What it collides with.
    pub(super) filter: Option<FilterKeys>,
    /// Damping ratio of its lowest ringing: 0 rings for ever, 1 is critical. 0.1 for a rope, a beam and
    /// a jelly if it is left out, 0.2 for a cloth, a blob and a balloon.
    #[schemars(range(min = 0, max = 100))]
    pub(super) damping: Option<f32>,
    /// An edge stretched by more than this part of its length breaks; never if it is left out.
    #[schemars(range(min = 0.0001, max = 100))]
    pub(super) break_strain: Option<f32>,
    /// How it is bent for good; it springs back if it is left out.
    pub(super) plastic: Option<PlasticKeys>,
}

/// `plastic`: how a material is bent for good.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct PlasticKeys {
    /// Strain up to which it springs back.
    #[schemars(range(min = 1e-6, max = 100))]
    pub(super) yield_strain: f32,
    /// How fast what is beyond becomes permanent, 1/s.
    #[schemars(range(min = 1e-6, max = 1e6), extend("default" = 100))]
    pub(super) flow: Option<f32>,
    /// By how much the yield strain grows with permanent strain.
    #[schemars(range(min = 0, max = 1e6), extend("default" = 0))]
    pub(super) hardening: Option<f32>,
    /// The most permanent strain.
    #[schemars(range(min = 1e-6, max = 0.99), extend("default" = 0.5))]
    pub(super) most: Option<f32>,
}

/// `rope`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct RopeKeys {
    /// Where it ends, m; `at` is where it begins.
    pub(super) to: Pair<f32>,
    /// How long it is, m; straight if it is left out. A longer one starts hanging.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) length: Option<f32>,
    /// Thickness, m.
    #[schemars(range(min = 0.0001, max = 1e6), extend("default" = 0.05))]
    pub(super) thickness: Option<f32>,
    /// How many stretches it is cut into; 8 to 48 by its thickness if it is left out.
    #[schemars(range(min = 2, max = 9999))]
    pub(super) segments: Option<u32>,
    /// Force over strain, N; it does not stretch if it is left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) stiffness: Option<f32>,
    /// Which ends are held where they are.
    #[schemars(extend("default" = "none"))]
    pub(super) hold: Option<HoldName>,
    /// Whether it collides with itself.
    #[schemars(extend("default" = false))]
    pub(super) self_collision: Option<bool>,
}

/// `beam`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct BeamKeys {
    /// Where it ends, m; `at` is where it begins.
    pub(super) to: Pair<f32>,
    /// Thickness, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) thickness: f32,
    /// Young's modulus, Pa.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) stiffness: f32,
    /// How many pieces it is cut into; 8 to 48 by its thickness if it is left out.
    #[schemars(range(min = 2, max = 9999))]
    pub(super) segments: Option<u32>,
    /// Which ends are held in place and direction.
    #[schemars(extend("default" = "none"))]
    pub(super) clamp: Option<HoldName>,
}

/// `cloth`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct ClothKeys {
    /// Width and height, m.
    #[schemars(with = "crate::level::schema::Size")]
    pub(super) size: Pair<f32>,
    /// Distance of the threads, m; an eighth of the shorter side if it is left out, and no less than a
    /// fortieth of the longer.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) cell: Option<f32>,
    /// Stiffness of the threads, N per metre of width; they do not stretch if it is left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) stiffness: Option<f32>,
    /// Stiffness against shear, N/m; 0 is none.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 500))]
    pub(super) shear: Option<f32>,
    /// Which part of the border is held where it is.
    #[schemars(extend("default" = "none"))]
    pub(super) hold: Option<HeldName>,
    /// Places from its middle whose nearest points are held too, m.
    pub(super) hold_at: Option<Vec<Pair<f32>>>,
    /// Holes in it.
    pub(super) holes: Option<Vec<RegionKeys>>,
    /// Whether it collides with itself.
    #[schemars(extend("default" = false))]
    pub(super) self_collision: Option<bool>,
}

/// A hole in a cloth: exactly one of `box` and `disc`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct RegionKeys {
    /// Its middle, m from `at` of the body.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) at: Option<Pair<f32>>,
    /// A rectangle: width and height, m.
    #[schemars(with = "Option<crate::level::schema::Size>")]
    pub(super) r#box: Option<Pair<f32>>,
    /// A disc: its radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) disc: Option<f32>,
}

/// `jelly`: exactly one of `box`, `polygon` and `disc`, and either `stiffness` or `frequency`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct JellyKeys {
    /// A rectangle: width and height, m.
    #[schemars(with = "Option<crate::level::schema::Size>")]
    pub(super) r#box: Option<Pair<f32>>,
    /// Any outline in order, m from `at`; it need not be convex.
    #[schemars(length(min = 3, max = 512))]
    pub(super) polygon: Option<Vec<Pair<f32>>>,
    /// A disc: its radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) disc: Option<f32>,
    /// Length of the sides of the triangles it is cut into, m; the side of a square of a
    /// 32nd of its area if it is left out.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) cell: Option<f32>,
    /// Young's modulus, Pa, or "rigid".
    pub(super) stiffness: Option<StiffnessKey>,
    /// Instead of the stiffness: the lowest frequency it rings at, Hz.
    #[schemars(range(min = 0.001, max = 1e5))]
    pub(super) frequency: Option<f32>,
    /// Parts that are stiffer or softer; where they overlap, the last counts.
    pub(super) regions: Option<Vec<FirmKeys>>,
}

/// A part of a jelly: exactly one of `box` and `disc`.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct FirmKeys {
    /// Its middle, m from `at` of the body.
    #[schemars(extend("default" = [0, 0]))]
    pub(super) at: Option<Pair<f32>>,
    /// A rectangle: width and height, m.
    #[schemars(with = "Option<crate::level::schema::Size>")]
    pub(super) r#box: Option<Pair<f32>>,
    /// A disc: its radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) disc: Option<f32>,
    /// Young's modulus of this part, Pa, or "rigid".
    pub(super) stiffness: StiffnessKey,
}

/// `blob`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct BlobKeys {
    /// Radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) radius: f32,
    /// How many points its skin has.
    #[schemars(range(min = 6, max = 512), extend("default" = 24))]
    pub(super) points: Option<u32>,
    /// Stiffness of the skin, force over strain, N; what keeps a drop of its weight in shape if it is
    /// left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) skin: Option<f32>,
    /// Bulk modulus of the inside, Pa; so large that its area hardly changes if it is left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) bulk: Option<f32>,
    /// The area it would have by itself over that of the circle.
    #[schemars(range(min = 0.1, max = 10), extend("default" = 1))]
    pub(super) fill: Option<f32>,
}

/// `balloon`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct BalloonKeys {
    /// Radius when it is blown up, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) radius: f32,
    /// How many points its skin has.
    #[schemars(range(min = 6, max = 512), extend("default" = 24))]
    pub(super) points: Option<u32>,
    /// Stiffness of the skin, force over strain, N; what suits its weight if it is left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) skin: Option<f32>,
    /// How many times as long as slack the skin is.
    #[schemars(range(min = 1, max = 4), extend("default" = 1.25))]
    pub(super) stretch: Option<f32>,
    /// Bulk modulus of the gas, Pa.
    #[schemars(range(min = 1e-6, max = 1e13), extend("default" = 1e5))]
    pub(super) gas: Option<f32>,
}

/// `bridge`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct BridgeKeys {
    /// Where it ends, m; `at` is where it begins.
    pub(super) to: Pair<f32>,
    /// How long it is, m; straight if it is left out. A longer one starts hanging.
    #[schemars(range(min = 0.0001, max = 1e6))]
    pub(super) length: Option<f32>,
    /// How many planks.
    #[schemars(range(min = 2, max = 1000), extend("default" = 10))]
    pub(super) planks: Option<u32>,
    /// Thickness of the planks, m.
    #[schemars(range(min = 0.0001, max = 1e6), extend("default" = 0.1))]
    pub(super) thickness: Option<f32>,
    /// Which ends are pinned to the world.
    #[schemars(extend("default" = "both"))]
    pub(super) hold: Option<HoldName>,
    /// A pin breaks under more force than this, N; never if it is left out.
    #[schemars(range(min = 1e-6, max = 1e13))]
    pub(super) break_force: Option<f32>,
    /// What it is made of: a built-in material, or one of `materials`; `wood` if it is left out.
    #[schemars(with = "Option<crate::level::schema::MaterialName>")]
    pub(super) material: Option<String>,
    /// What it collides with.
    pub(super) filter: Option<FilterKeys>,
}

/// `hold` and `clamp` of lines.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum HoldName {
    None,
    Start,
    End,
    Both,
}

impl From<HoldName> for Hold {
    fn from(name: HoldName) -> Self {
        match name {
            HoldName::None => Self::None,
            HoldName::Start => Self::Start,
            HoldName::End => Self::End,
            HoldName::Both => Self::Both,
        }
    }
}

/// `hold` of a cloth.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum HeldName {
    None,
    Corners,
    Top,
    Left,
    Sides,
    Frame,
}

impl From<HeldName> for Held {
    fn from(name: HeldName) -> Self {
        match name {
            HeldName::None => Self::None,
            HeldName::Corners => Self::Corners,
            HeldName::Top => Self::Top,
            HeldName::Left => Self::Left,
            HeldName::Sides => Self::Sides,
            HeldName::Frame => Self::Frame,
        }
    }
}

/// A Young's modulus, or the word for what is not soft at all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::level) struct StiffnessKey(pub(super) Stiffness);

impl<'de> Deserialize<'de> for StiffnessKey {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = StiffnessKey;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number in Pa, or \"rigid\"")
            }

            fn visit_f64<E: de::Error>(self, modulus: f64) -> Result<StiffnessKey, E> {
                Ok(StiffnessKey(Stiffness::Modulus(modulus as f32)))
            }

            fn visit_u64<E: de::Error>(self, modulus: u64) -> Result<StiffnessKey, E> {
                self.visit_f64(modulus as f64)
            }

            fn visit_i64<E: de::Error>(self, modulus: i64) -> Result<StiffnessKey, E> {
                self.visit_f64(modulus as f64)
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<StiffnessKey, E> {
                if text == "rigid" {
                    return Ok(StiffnessKey(Stiffness::Rigid));
                }
                Err(E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

impl JsonSchema for StiffnessKey {
    fn schema_name() -> Cow<'static, str> {
        "StiffnessKey".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [{ "type": "number", "minimum": 1e-6, "maximum": 1e13 }, { "enum": ["rigid"] }],
        })
    }
}
