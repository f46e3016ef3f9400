//! Schemas of values that read themselves, and of names that are looked up.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};

use crate::expect::Metric;
use crate::level::decode::{Color, Count, Pair};
use crate::level::material;
use crate::settings::SolverKind;

/// Schemas of types that read themselves.
macro_rules! schemas {
    ($($(#[$comment:meta])* $type:ty, $name:literal => $schema:expr;)*) => {$(
        $(#[$comment])*
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                $name.into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                $schema
            }
        }
    )*};
}

/// A width and a height.
pub(in crate::level) struct Size;
/// The name of a solver.
pub(in crate::level) struct SolverName;
/// The name of a material.
pub(in crate::level) struct MaterialName;
/// The name of a metric.
pub(in crate::level) struct MetricName;

schemas! {
    Color, "Color" => json_schema!({
        "type": "string",
        "pattern": "^#[0-9a-fA-F]{6}$",
        // Editors show a patch of the colour, and a dialog to choose another.
        "format": "color-hex",
    });
    Count, "Count" => json_schema!({
        "anyOf": [
            { "type": "integer", "minimum": 0 },
            { "type": "array", "items": { "type": "integer", "minimum": 0 },
              "minItems": 2, "maxItems": 2 },
        ],
    });
    Pair<f32>, "Pair" => json_schema!({
        "type": "array", "items": { "type": "number", "format": "float" },
        "minItems": 2, "maxItems": 2,
    });
    Size, "Size" => json_schema!({
        "type": "array", "items": { "type": "number", "format": "float", "minimum": 0.0001 },
        "minItems": 2, "maxItems": 2,
    });
    SolverName, "SolverName" => json_schema!({ "enum": SolverKind::ALL.map(SolverKind::name) });
    MetricName, "MetricName" => json_schema!({ "enum": Metric::NAMED.map(|(name, _)| name) });
    MaterialName, "MaterialName" => json_schema!({
        "anyOf": [{ "enum": material::names().collect::<Vec<_>>() }, { "type": "string" }],
    });
}
