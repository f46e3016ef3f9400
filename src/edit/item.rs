//! What an item of a level says of itself, as far as an editor must know.

use std::collections::{BTreeMap, BTreeSet};

use jsonc_parser::cst::{CstNode, CstObject};

use super::token::number;
use crate::level::is_joint;

/// An item as the file has it.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// Its `type`.
    pub kind: String,
    /// Its `id`, or the one that the loader makes up for it.
    pub id: String,
    /// Whether the file gives it that id.
    pub named: bool,
    /// Its `at`, m; the origin if it has none. `None` if it is not written as two numbers.
    pub at: Option<[f64; 2]>,
    /// Its `angle`, degrees; 0 if it has none. `None` if it is not written as a number.
    pub angle: Option<f64>,
    /// Whether it stands for several copies.
    pub repeated: bool,
    /// What a joint holds, `a` and `b`.
    pub holds: Vec<String>,
}

/// Reads the items of a level.
pub(super) fn read_all(elements: &[CstNode]) -> Vec<Item> {
    let objects: Vec<Option<CstObject>> = elements.iter().map(CstNode::as_object).collect();
    let named: BTreeSet<String> =
        objects.iter().filter_map(|object| text(object.as_ref()?, "id")).collect();
    // Made-up ids are counted as the loader counts them: by type, leaving out those that are taken.
    let mut next: BTreeMap<String, u64> = BTreeMap::new();
    let mut made_up = |kind: &str| {
        let next = next.entry(kind.to_owned()).or_default();
        loop {
            let id = format!("{kind}.{next}");
            *next += 1;
            if !named.contains(&id) {
                return id;
            }
        }
    };
    let mut read = |object: &CstObject| {
        let kind = text(object, "type").unwrap_or_default();
        let id = text(object, "id");
        let holds = if is_joint(&kind) { vec!["a", "b"] } else { Vec::new() };
        Item {
            named: id.is_some(),
            id: id.unwrap_or_else(|| made_up(&kind)),
            // A joint without a place, such as a gear, is where its bodies are.
            at: place(object).filter(|_| !is_joint(&kind) || object.get("at").is_some()),
            angle: object.get("angle").map_or(Some(0.0), |key| number(&key.value()?)),
            repeated: object.get("repeat").is_some(),
            holds: holds.into_iter().filter_map(|key| text(object, key)).collect(),
            kind,
        }
    };
    let nothing = Item {
        kind: String::new(),
        id: String::new(),
        named: false,
        at: None,
        angle: None,
        repeated: false,
        holds: Vec::new(),
    };
    objects.iter().map(|object| object.as_ref().map_or(nothing.clone(), &mut read)).collect()
}

impl Item {
    /// Whether it is a joint: what holds bodies together.
    #[must_use]
    pub fn is_joint(&self) -> bool {
        is_joint(&self.kind)
    }
}

fn text(object: &CstObject, key: &str) -> Option<String> {
    object.get(key)?.value()?.as_string_lit()?.decoded_value().ok()
}

fn place(object: &CstObject) -> Option<[f64; 2]> {
    let Some(key) = object.get("at") else { return Some([0.0, 0.0]) };
    match &key.value()?.as_array()?.elements()[..] {
        [x, y] => Some([number(x)?, number(y)?]),
        _ => None,
    }
}
