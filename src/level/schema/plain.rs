//! Schemas as an author needs them: what says nothing is taken out, expressions are let in, and every
//! number that has no range of its own gets that of a length.

use serde_json::{Map, Value, json};

use super::reference;
use crate::level::assembly::LARGEST;

/// Takes out what says nothing to an author: that a key may be `null`, how many bits a number has,
/// where lines of a comment end, that a struct has a title.
pub(super) fn simplify(schema: &mut Value) {
    match schema {
        Value::Array(list) => list.iter_mut().for_each(simplify),
        Value::Object(map) => {
            if let Some(Value::Array(types)) = map.get_mut("type") {
                types.retain(|name| name != "null");
                if let [only] = types.as_slice() {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(values)) = map.get_mut("enum") {
                values.retain(|value| !value.is_null());
            }
            if let Some(Value::Array(list)) = map.get_mut("anyOf") {
                list.retain(|schema| schema["type"] != "null");
                if let [Value::Object(only)] = list.as_slice() {
                    let only = only.clone();
                    map.remove("anyOf");
                    for (key, value) in only {
                        // What is said of the key tells more than what is said of its type.
                        map.entry(key).or_insert(value);
                    }
                }
            }
            if map.get("type").is_some_and(|name| name == "number" || name == "integer")
                && map.remove("format").is_some_and(|format| format == "float")
            {
                map.entry("minimum").or_insert((-LARGEST).into());
                map.entry("maximum").or_insert(LARGEST.into());
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            map.remove("title");
            if map.get("default").is_some_and(Value::is_null) {
                map.remove("default");
            }
            map.values_mut().for_each(simplify);
        }
        _ => {}
    }
}

/// Allows expressions wherever a number stands in an item, and variables in place of words.
pub(super) fn compute(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    let kind = map.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    let computed = match kind.as_str() {
        "number" | "integer" => Some("expression"),
        _ if map.contains_key("enum") || map.contains_key("pattern") => Some("variable"),
        _ => None,
    };
    if let Some(name) = computed {
        let mut plain = map.clone();
        let mut outer = Map::new();
        for key in ["description", "default"] {
            if let Some(value) = plain.remove(key) {
                outer.insert(key.into(), value);
            }
        }
        outer.insert("anyOf".into(), json!([plain, reference(name)]));
        *map = outer;
        return;
    }
    for key in ["items", "anyOf", "additionalProperties"] {
        match map.get_mut(key) {
            Some(Value::Array(list)) => list.iter_mut().for_each(compute),
            Some(inner) => compute(inner),
            None => {}
        }
    }
    if let Some(Value::Object(keys)) = map.get_mut("properties") {
        keys.values_mut().for_each(compute);
    }
}
