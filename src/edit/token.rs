//! Tokens of the syntax tree: numbers, keys, raw text.

use jsonc_parser::ParseOptions;
use jsonc_parser::cst::{CstInputValue, CstNode, CstObject, CstObjectProp};

/// What a level file may contain: JSON, comments, trailing commas.
pub(super) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// A number as a person would write it: four decimals at most (a tenth of a millimetre), without
/// the noise of floating point.
#[must_use]
pub fn short(number: f64) -> String {
    const STEPS: f64 = 1e4;
    let rounded = (number * STEPS).round() / STEPS;
    // Adding zero turns −0 into 0.
    (rounded + 0.0).to_string()
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The number that a node spells.
pub(super) fn number(node: &CstNode) -> Option<f64> {
    node.as_number_lit()?.to_string().parse().ok().filter(|number: &f64| number.is_finite())
}

/// Spells another number; one of the same value stays as it is written.
pub(super) fn set_number(node: &CstNode, value: f64) {
    if let Some(literal) = node.as_number_lit()
        && number(node).is_some_and(|old| short(old) != short(value))
    {
        literal.set_raw_value(short(value));
    }
}

/// Adds a key to an object, behind the first of `behind` that it has or else at its beginning, on
/// the same line or on one of its own as the object's other keys are.
pub(super) fn insert_key(object: &CstObject, behind: &[&str], key: &str, value: &str) {
    let anchor = behind.iter().find_map(|name| object.get(name));
    let before = anchor.as_ref().map(|anchor| {
        let is_blank = |node: &CstNode| node.is_whitespace() || node.is_newline();
        let spaces: Vec<CstNode> = anchor.previous_siblings().take_while(is_blank).collect();
        let broken = spaces.iter().any(CstNode::is_newline);
        let spaces = spaces.iter().rev().map(ToString::to_string).collect::<String>();
        if broken { spaces } else { " ".to_owned() }
    });
    let anchor_index = anchor.as_ref().map(CstObjectProp::child_index);
    let mut text = String::new();
    for (index, child) in object.children().into_iter().enumerate() {
        text.push_str(&child.to_string());
        if Some(index) == anchor_index {
            let gap = before.as_deref().unwrap_or(" ");
            text.push_str(&format!(",{gap}\"{key}\": {value}"));
        } else if anchor_index.is_none() && index == 0 {
            let comma = if object.properties().is_empty() { "" } else { "," };
            text.push_str(&format!(" \"{key}\": {value}{comma}"));
        }
    }
    let placeholder = object.clone().replace_with(CstInputValue::String(String::new()));
    if let Some(literal) = placeholder.and_then(|node| node.as_string_lit()) {
        literal.set_raw_value(text);
    }
}
