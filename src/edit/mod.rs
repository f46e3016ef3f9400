//! Changes to the text of a level file that leave everything else in it as it was written.
//!
//! A level is written by a person: comments, order, line breaks and the way a number is spelled
//! are theirs. So an edit never writes a level out anew. It parses the text to a concrete syntax
//! tree (`jsonc-parser`'s `cst`), which holds every byte, and replaces single tokens in it.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | [`LevelText`] and the edits |
//! | `item.rs` | what an item says of itself: type, id, place, angle |
//! | `token.rs` | numbers, keys and raw text in the syntax tree |

mod item;
mod token;

pub use item::Item;
pub use token::short;

use std::collections::{HashMap, HashSet};

use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use crate::error::{Error, Result};

/// The text of a level file, and the items in it.
///
/// ```
/// use sinew::edit::{Edit, LevelText};
/// let text = LevelText::parse(r#"{ "format": 1, "items": [
///     { "type": "crate", "size": [1, 1], "at": [0, 0.50] }, // the first
/// ] }"#)?;
/// let moved = text.apply(&[Edit::Move { item: 0, by: [0.1, 0.0] }])?;
/// assert_eq!(moved.as_str(), text.as_str().replace("[0, 0.50]", "[0.1, 0.50]"));
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LevelText {
    text: String,
    items: Vec<Item>,
    /// The item of each id.
    by_id: HashMap<String, usize>,
}

/// A change to the items of a level. Items are counted from 0 in the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub enum Edit {
    /// Shifts an item: changes `at`.
    Move {
        /// The item.
        item: usize,
        /// How far, m.
        by: [f64; 2],
    },
    /// Turns an item about its own place: changes `angle`.
    Turn {
        /// The item.
        item: usize,
        /// How far, degrees, counter-clockwise.
        by: f64,
    },
    /// Puts copies of items behind the last of them. Each copy has an id of its own, and a joint
    /// among them holds the copies of what it held.
    Duplicate {
        /// The items.
        items: Vec<usize>,
        /// How far from the originals the copies are, m.
        by: [f64; 2],
    },
    /// Takes an item out. Comments around it stay.
    Remove {
        /// The item.
        item: usize,
    },
    /// Adds an item after the others.
    Add {
        /// The item: a JSON object.
        text: String,
    },
}

/// What the byte order mark of a text is, if it has one.
const MARK: char = '\u{feff}';

impl LevelText {
    /// The text of a level. Whether it makes sense as a level is for
    /// [`Level::parse`](crate::Level::parse) to say.
    ///
    /// # Errors
    /// If it is not JSON with comments and trailing commas, or not an object.
    pub fn parse(text: &str) -> Result<Self> {
        let (_root, top) = tree(text)?;
        let elements = top.array_value("items").map(|list| list.elements()).unwrap_or_default();
        let items = item::read_all(&elements);
        let ids = items.iter().enumerate().map(|(index, item)| (item.id.clone(), index));
        Ok(Self { text: text.to_owned(), by_id: ids.collect(), items })
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The items, in the order of the file.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The item that a body or a joint of this id comes from: the one of that id, or of the longest
    /// part of it that ends before a dot (`wall.3` comes from `wall`, `ann.head` from `ann`).
    #[must_use]
    pub fn owner(&self, id: &str) -> Option<usize> {
        let ends = std::iter::once(id.len()).chain(id.rmatch_indices('.').map(|(dot, _)| dot));
        ends.filter_map(|end| self.by_id.get(&id[..end])).next().copied()
    }

    /// An id that no item has, made from one that may be taken: `crate`, then `crate_2`, …
    #[must_use]
    pub fn free_id(&self, wanted: &str) -> String {
        free_id(wanted, |id| self.by_id.contains_key(id))
    }

    /// The text after some edits; all of them count items as they are in this text. No item may be
    /// moved twice, or turned twice.
    ///
    /// # Errors
    /// If there is no such item, or its place is not written as plain numbers.
    pub fn apply(&self, edits: &[Edit]) -> Result<Self> {
        // A node that has been rewritten cannot be changed again in the same tree: an item that is
        // both moved and turned takes two rounds. No item comes or goes in the first of them.
        let (mut moves, mut turns, mut others) = (Vec::new(), Vec::new(), Vec::new());
        for edit in edits {
            match edit {
                Edit::Move { .. } => moves.push(edit),
                Edit::Turn { .. } => turns.push(edit),
                _ => others.push(edit),
            }
        }
        let mut text = self.clone();
        for round in [moves, turns, others].into_iter().filter(|round| !round.is_empty()) {
            text = text.round(&round)?;
        }
        Ok(text)
    }

    /// The text after edits of which no two concern the same item.
    fn round(&self, edits: &[&Edit]) -> Result<Self> {
        let (root, top) = tree(&self.text)?;
        let list = top.array_value_or_create("items");
        let list = list.ok_or_else(|| Error::scene("items", "`items` is not a list"))?;
        let scribe = Scribe { text: self, elements: list.elements(), list };
        for edit in edits {
            match edit {
                Edit::Move { item, by } => scribe.shift(*item, *by)?,
                Edit::Turn { item, by } => scribe.turn(*item, *by)?,
                Edit::Duplicate { items, by } => scribe.duplicate(items, *by)?,
                Edit::Remove { item } => scribe.element(*item)?.remove(),
                Edit::Add { text } => {
                    let end = scribe.list.elements().len();
                    scribe.insert(end, text.clone());
                }
            }
        }
        let mark = if self.text.starts_with(MARK) { MARK.to_string() } else { String::new() };
        Self::parse(&format!("{mark}{root}"))
    }
}

/// The syntax tree of a level's text, and the object at its top.
fn tree(text: &str) -> Result<(CstRootNode, CstObject)> {
    let text = text.strip_prefix(MARK).unwrap_or(text);
    let root = CstRootNode::parse(text, &token::options())
        .map_err(|error| Error::scene("level", format!("it is not JSON: {error}")))?;
    let top = root.object_value();
    let top = top.ok_or_else(|| Error::scene("level", "a level is a JSON object"))?;
    Ok((root, top))
}

fn free_id(wanted: &str, taken: impl Fn(&str) -> bool) -> String {
    if !taken(wanted) {
        return wanted.to_owned();
    }
    let stem = wanted.trim_end_matches(|c: char| c.is_ascii_digit());
    let stem = stem.strip_suffix('_').filter(|stem| !stem.is_empty()).unwrap_or(wanted);
    let mut number = 2_u64;
    loop {
        let id = format!("{stem}_{number}");
        if !taken(&id) {
            return id;
        }
        number += 1;
    }
}

/// Carries edits out on a syntax tree.
struct Scribe<'a> {
    text: &'a LevelText,
    list: CstArray,
    /// The items as they were before the first edit. They stay what they are while others come and
    /// go.
    elements: Vec<CstNode>,
}

impl Scribe<'_> {
    fn element(&self, item: usize) -> Result<CstNode> {
        self.elements.get(item).cloned().ok_or_else(|| Error::stale("item"))
    }

    fn item(&self, item: usize) -> Result<(&Item, CstObject)> {
        let object = self.element(item)?.as_object().ok_or_else(|| Error::stale("item"))?;
        Ok((&self.text.items[item], object))
    }

    fn shift(&self, index: usize, by: [f64; 2]) -> Result<()> {
        let (item, object) = self.item(index)?;
        if item.is_joint() && object.get("at").is_none() {
            return Ok(());
        }
        // Where it ends and what it runs over go with where it begins.
        if let Some(to) = object.array_value("to") {
            shift_pair(item, &to, "to", by)?;
        }
        for wheel in object.array_value("over").map_or(Vec::new(), |list| list.elements()) {
            if let Some(wheel) = wheel.as_array() {
                shift_pair(item, &wheel, "over", by)?;
            }
        }
        let problem = "its `at` is computed; change it in the file";
        let at = item.at.ok_or_else(|| Error::scene(&item.id, problem))?;
        let moved = [at[0] + by[0], at[1] + by[1]];
        let Some(list) = object.array_value("at") else {
            if by != [0.0, 0.0] {
                let value = format!("[{}, {}]", short(moved[0]), short(moved[1]));
                token::insert_key(&object, &["id", "type"], "at", &value);
            }
            return Ok(());
        };
        for (element, (new, by)) in list.elements().into_iter().zip(moved.into_iter().zip(by)) {
            if by != 0.0 {
                token::set_number(&element, new);
            }
        }
        Ok(())
    }

    fn turn(&self, index: usize, by: f64) -> Result<()> {
        let (item, object) = self.item(index)?;
        if item.is_joint() {
            return Err(Error::scene(&item.id, format!("a {} has no angle", item.kind)));
        }
        let problem = "its `angle` is computed; change it in the file";
        let angle = item.angle.ok_or_else(|| Error::scene(&item.id, problem))?;
        // Within half a turn, so that turning round and round leaves a readable number.
        let turned = (angle + by + 180.0).rem_euclid(360.0) - 180.0;
        match object.get("angle").and_then(|key| key.value()) {
            _ if by == 0.0 => {}
            Some(value) => token::set_number(&value, turned),
            None => token::insert_key(&object, &["at", "id", "type"], "angle", &short(turned)),
        }
        Ok(())
    }

    /// Inserts raw text as an element of the list; the tree sees to commas and indentation.
    fn insert(&self, index: usize, text: String) {
        let node = self.list.insert(index, CstInputValue::String(String::new()));
        if let Some(literal) = node.as_string_lit() {
            literal.set_raw_value(text);
        }
    }

    fn duplicate(&self, items: &[usize], by: [f64; 2]) -> Result<()> {
        let mut taken: HashSet<String> = self.text.by_id.keys().cloned().collect();
        let mut ids = Vec::new();
        for &index in items {
            let (item, _) = self.item(index)?;
            let wanted = if item.named { &item.id } else { &item.kind };
            let id = free_id(wanted, |id| taken.contains(id));
            taken.insert(id.clone());
            ids.push((index, id));
        }
        let last = items.iter().max().map(|&index| self.elements[index].clone());
        let place = last.and_then(|last| last.element_index()).map_or(0, |index| index + 1);
        for (number, (index, id)) in ids.iter().enumerate() {
            let copy = self.copy(*index, id, &ids, by)?;
            self.insert(place + number, copy);
        }
        Ok(())
    }

    /// The text of a copy of an item.
    fn copy(
        &self,
        index: usize,
        id: &str,
        ids: &[(usize, String)],
        by: [f64; 2],
    ) -> Result<String> {
        let original = self.element(index)?.to_string();
        let alone = LevelText::parse(&format!("{{\"items\":[{original}]}}"))?;
        let moved = alone.apply(&[Edit::Move { item: 0, by }])?;
        let (_root, top) = tree(&moved.text)?;
        let element = top.array_value("items").and_then(|list| list.elements().pop());
        let object = element.and_then(|element| element.as_object());
        let object = object.ok_or_else(|| Error::stale("item"))?;
        if self.text.items[index].is_joint() {
            for key in ["a", "b"] {
                let Some(literal) = object.get(key).and_then(|key| key.value()?.as_string_lit())
                else {
                    continue;
                };
                let held = literal.decoded_value().unwrap_or_default();
                let owner = self.text.owner(&held);
                if let Some((old, new)) = ids.iter().find(|(index, _)| Some(*index) == owner) {
                    let rest = &held[self.text.items[*old].id.len()..];
                    literal.set_raw_value(token::quoted(&format!("{new}{rest}")));
                }
            }
        }
        match object.get("id").and_then(|key| key.value()?.as_string_lit()) {
            Some(literal) => literal.set_raw_value(token::quoted(id)),
            None => token::insert_key(&object, &["type"], "id", &token::quoted(id)),
        }
        // Inserting a key replaces the object, so the text is that of the list around it.
        let list = top.array_value("items").and_then(|list| list.elements().pop());
        list.map(|element| element.to_string()).ok_or_else(|| Error::stale("item"))
    }
}

/// Moves a place that is written out as two numbers.
fn shift_pair(item: &Item, place: &CstArray, key: &str, by: [f64; 2]) -> Result<()> {
    for (element, by) in place.elements().into_iter().zip(by) {
        let Some(old) = token::number(&element) else {
            let problem = format!("its `{key}` is computed; change it in the file");
            return Err(Error::scene(&item.id, problem));
        };
        if by != 0.0 {
            token::set_number(&element, old + by);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
