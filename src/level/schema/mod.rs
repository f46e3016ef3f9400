//! The JSON Schema of level files, made of the structs that read them.
//!
//! `schemars` turns the structs of `format.rs` into schemas, their comments into descriptions. Here
//! these are put together to a file: every item by its `type` (`if`/`then`, which editors follow
//! better than a list of alternatives), numbers in items that may also be expressions, the built-in
//! prefabs with their parameters. Draft 7, because that is what editors know. `levels/level.schema.json`
//! holds the result; a test tells when it is out of date.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the file: what stands where |
//! | `kinds.rs` | the keys of each type of item |
//! | `values.rs` | colours, pairs, names |
//! | `plain.rs` | what editors need not know left out, expressions let in |
//!
//! A schema can say less than the loader: not that ids exist, that an outline is convex, or that a
//! size is missing which `defaults` might give. So it never refuses what the loader takes, and
//! `sinew check` has the last word.

mod kinds;
mod plain;
mod values;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Map, Value, json};

use self::plain::{compute, simplify};
pub(super) use self::values::{MaterialName, MetricName, Size, SolverName};
use super::diagnostic::Report;
use super::format::{Bounds, Material, PrefabKeys, Repeat, Title, UseKeys, View, World};
use super::header::FORMAT;
use super::promise::{self, Promise};
use super::tree::{Node, Value as Data};
use super::{item, prefab, script};
use crate::math::Aabb;
use crate::scene;

/// The schema of a level file.
pub(super) fn schema() -> Value {
    let mut maker = Maker {
        generator: SchemaSettings::draft07()
            .with(|settings| settings.inline_subschemas = true)
            .into_generator(),
        definitions: Map::new(),
    };
    let properties = maker.top();
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "Sinew level",
        "description": "Lengths are in metres, times in seconds, angles in degrees; y points up.",
        // Visual Studio Code obeys these two. Other readers of schemas pass over them.
        "allowComments": true,
        "allowTrailingCommas": true,
        "type": "object",
        "properties": properties,
        "required": ["format"],
        "additionalProperties": false,
        "definitions": maker.definitions,
    })
}

struct Maker {
    generator: SchemaGenerator,
    definitions: Map<String, Value>,
}

impl Maker {
    /// The keys of the file.
    fn top(&mut self) -> Map<String, Value> {
        let mut keys = properties(self.of::<Title>());
        keys.insert(
            "format".into(),
            json!({ "const": FORMAT, "description": "The version of the format of this file." }),
        );
        let name = json!({ "type": "string" });
        keys.insert(
            "include".into(),
            json!({
                "description": "Files whose prefabs, materials, defaults and items are taken in: in \
                                the folder of this file or below it.",
                "anyOf": [name, { "type": "array", "items": name }],
            }),
        );
        for (key, about, schema) in [
            ("world", "How the level is simulated.", self.of::<World>()),
            ("view", "Where the camera starts.", self.of::<View>()),
            ("bounds", "The region that bodies are expected to stay in.", self.of::<Bounds>()),
        ] {
            keys.insert(key.into(), described(schema, about));
        }
        let Aabb { min, max } = scene::Bounds::default().0;
        keys["bounds"]["default"] = json!({ "min": min, "max": max });
        let substance = self.of::<Material>();
        self.definitions.insert("material".into(), substance);
        keys.insert(
            "materials".into(),
            json!({
                "type": "object",
                "description": "Materials by name. One of a built-in name changes that.",
                "additionalProperties": { "$ref": "#/definitions/material" },
            }),
        );
        let types = self.items();
        keys.insert(
            "prefabs".into(),
            json!({
                "type": "object",
                "description": "Groups of items by name, which items use as their type.",
                "additionalProperties": self.prefab(),
            }),
        );
        let references: Map<String, Value> =
            types.iter().map(|name| (name.clone(), reference(name))).collect();
        keys.insert(
            "defaults".into(),
            json!({
                "type": "object",
                "description": "What items of a type have unless they say otherwise.",
                "properties": references,
                "additionalProperties": { "type": "object" },
            }),
        );
        keys.insert(
            "items".into(),
            json!({
                "type": "array",
                "description": "What there is: bodies, ragdolls, joints, and uses of prefabs.",
                "items": reference("item"),
            }),
        );
        keys.insert(
            "script".into(),
            json!({
                "type": "array",
                "description": "Keys of the keyboard that are held as time goes by, where no user \
                                holds any: in `sinew sim` and `sinew test`, and in pictures.",
                "items": self.of::<script::Entry>(),
            }),
        );
        keys.insert(
            "expect".into(),
            json!({
                "type": "array",
                "description": "What the level promises; `sinew test` tells whether it keeps it.",
                "items": self.promise(),
            }),
        );
        keys
    }

    /// The schema of a struct, in the form this file uses.
    fn of<T: JsonSchema>(&mut self) -> Value {
        let mut schema = T::json_schema(&mut self.generator).to_value();
        simplify(&mut schema);
        schema
    }

    /// Defines every type of item and what chooses between them; returns the names of the types.
    fn items(&mut self) -> Vec<String> {
        let mut repeat = self.of::<Repeat>();
        compute(&mut repeat);
        let repeat = described(repeat, "Copies along a line, in a grid or on a circle.");
        self.definitions.insert("repeat".into(), repeat);
        self.definitions.insert(
            "expression".into(),
            json!({
                "type": "string",
                "description": "Arithmetic with the parameters of a prefab and the indices of \
                                `repeat`: \"$n * 1.1 + 0.5\".",
                "pattern": "[0-9$+*/()]",
            }),
        );
        self.definitions.insert(
            "variable".into(),
            json!({
                "type": "string",
                "description": "A parameter of a prefab, such as \"$paint\".",
                "pattern": "[${]",
            }),
        );
        let mut types: Vec<(String, String)> = Vec::new();
        for name in item::TYPES {
            let (about, keys) = self.kind(name);
            self.define(name, about, keys, false);
            types.push((name.to_owned(), about.to_owned()));
        }
        let uses = self.of::<UseKeys>();
        for (name, about, params) in library() {
            let params = json!({ "properties": params });
            // A level may have a prefab of the same name with other parameters.
            self.define(&name, &about, [uses.clone(), params], true);
            types.push((name, about));
        }
        self.define("use", "A prefab of this level.", [uses], true);
        self.choose(&types);
        types.into_iter().map(|(name, _)| name).collect()
    }

    /// Defines a type of item that has the keys of several structs.
    fn define(
        &mut self,
        name: &str,
        about: &str,
        parts: impl IntoIterator<Item = Value>,
        open: bool,
    ) {
        let mut keys: Map<String, Value> = parts.into_iter().flat_map(properties).collect();
        keys.values_mut().for_each(compute);
        // Whatever `type` says was looked at before.
        keys.insert("type".into(), json!({ "type": "string" }));
        keys.insert("repeat".into(), reference("repeat"));
        let schema = json!({
            "type": "object",
            "description": about,
            "properties": keys,
            "additionalProperties": open,
        });
        self.definitions.insert(name.into(), schema);
    }

    /// Defines `item`: by its type it is one of those.
    fn choose(&mut self, types: &[(String, String)]) {
        let names: Vec<&str> = types.iter().map(|(name, _)| name.as_str()).collect();
        let abouts: Vec<&str> = types.iter().map(|(_, about)| about.as_str()).collect();
        let kind = |name: &str| json!({ "properties": { "type": { "const": name } } });
        let mut cases: Vec<Value> =
            names.iter().map(|name| json!({ "if": kind(name), "then": reference(name) })).collect();
        let others = json!({ "properties": { "type": { "enum": names } } });
        cases.push(json!({ "if": others, "else": reference("use") }));
        let schema = json!({
            "type": "object",
            "properties": {
                "type": {
                    "description": "What kind of item this is: a type, or the name of a prefab.",
                    "anyOf": [{ "enum": names, "enumDescriptions": abouts }, { "type": "string" }],
                },
            },
            "required": ["type"],
            "allOf": cases,
        });
        self.definitions.insert("item".into(), schema);
    }

    fn prefab(&mut self) -> Value {
        let mut schema = self.of::<PrefabKeys>();
        schema["properties"]["params"]["additionalProperties"] = json!({
            "description": "The default: a number, an expression of earlier ones, or a text.",
            "type": ["number", "string"],
        });
        schema["properties"]["items"]["items"] = reference("item");
        schema
    }

    /// An entry of `expect`: about one thing, with the keys that say something about it.
    fn promise(&mut self) -> Value {
        let mut schema = self.of::<Promise>();
        let subjects = promise::SUBJECTS.map(|subject| json!({ "required": [subject] }));
        schema["oneOf"] = subjects.to_vec().into();
        let cases = promise::SUBJECTS.map(|subject| {
            let keys = [&[subject], &promise::FRAME[..], &promise::facts(subject)].concat();
            json!({
                "if": { "required": [subject] },
                "then": { "propertyNames": { "enum": keys } },
            })
        });
        schema["allOf"] = cases.to_vec().into();
        schema
    }
}

/// Name, description and parameters of each built-in prefab.
fn library() -> Vec<(String, String, Map<String, Value>)> {
    let mut report = Report::new("", "");
    let library = prefab::library(&mut report);
    let prefabs =
        library.as_ref().and_then(|root| root.get("prefabs")).map_or(&[][..], Node::members);
    prefabs
        .iter()
        .map(|prefab| {
            let about = prefab.node.get("about").and_then(Node::text).unwrap_or_default();
            let params = prefab.node.get("params").map_or(&[][..], Node::members).iter();
            let schema = |name: &str, default: &Node| {
                // A test tells if one has no words.
                let about = parameter(name).unwrap_or_default();
                match &default.value {
                    Data::Text(text) => json!({
                        "description": format!("{about}; {text} if it is left out."),
                        "type": "number",
                    }),
                    _ => json!({
                        "description": format!("{about}."),
                        "type": "number",
                        "default": default.to_json(),
                    }),
                }
            };
            let params =
                params.map(|param| (param.key.clone(), schema(&param.key, &param.node))).collect();
            (prefab.key.clone(), about.to_owned(), params)
        })
        .collect()
}

/// What a parameter of a built-in prefab is.
fn parameter(name: &str) -> Option<&'static str> {
    Some(match name {
        "n" => "How many",
        "rows" => "How many rows",
        "width" => "Width of one of them, m",
        "height" => "Height of one of them, m",
        "length" => "Length of one of them, m",
        "radius" => "Radius of one of them, m",
        "gap" => "Between one and the next, m",
        "spacing" => "From one to the next, m",
        "hold" => "1 pins the first to the world, 0 leaves it free",
        _ => return None,
    })
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn described(mut schema: Value, about: &str) -> Value {
    schema["description"] = about.into();
    schema
}

fn properties(mut schema: Value) -> Map<String, Value> {
    match schema.get_mut("properties").map(Value::take) {
        Some(Value::Object(map)) => map,
        _ => Map::new(),
    }
}
