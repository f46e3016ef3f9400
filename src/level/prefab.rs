//! Prefabs and defaults: what the items of a level may build on.
//!
//! A prefab is a list of items with parameters, used like a type of item. The built-in ones
//! (`library.json`) are written in the same way as those of a level, which may define one of the
//! same name instead.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::decode;
use super::diagnostic::{Report, suggestion, ticked};
use super::expression;
use super::format::{PrefabKeys, REPEAT, UseKeys};
use super::item;
use super::scope::{self, Scope, Value};
use super::sources::Argument;
use super::tree::{self, Member, Node, Place, Value as Data};

/// The built-in prefabs.
pub(super) const LIBRARY: &str = include_str!("library.json");

/// A definition.
pub(super) struct Prefab<'a> {
    pub(super) items: Place<'a>,
    /// Names and defaults of the parameters, in their order.
    params: Vec<(&'a str, Place<'a>, bool)>,
    /// Whether some of it could not be read: whoever uses it need not be told again.
    pub(super) broken: bool,
    pub(super) built_in: bool,
}

/// All prefabs and defaults that a level may name.
#[derive(Default)]
pub(super) struct Catalog<'a> {
    prefabs: BTreeMap<&'a str, Prefab<'a>>,
    /// The keys that items of a type have unless they have their own.
    defaults: BTreeMap<&'a str, Vec<Member>>,
}

impl<'a> Catalog<'a> {
    pub(super) fn prefab(&self, name: &str) -> Option<&Prefab<'a>> {
        self.prefabs.get(name)
    }

    /// Every prefab that a level defines, and its name.
    pub(super) fn own_prefabs(&self) -> impl Iterator<Item = (&'a str, &Prefab<'a>)> {
        let own = self.prefabs.iter().filter(|(_, prefab)| !prefab.built_in);
        own.map(|(name, prefab)| (*name, prefab))
    }

    /// All names that an item may have as its type.
    pub(super) fn types(&self) -> impl Iterator<Item = &str> {
        item::TYPES.iter().copied().chain(self.prefabs.keys().copied())
    }

    /// Takes in `prefabs` of a file.
    pub(super) fn define(&mut self, root: &Place<'a>, built_in: bool, report: &mut Report<'_>) {
        let place = root.key("prefabs");
        if !root.has("prefabs") || !decode::is_object(&place, report) {
            return;
        }
        for (member, place) in place.members() {
            let name = member.key.as_str();
            if let Some(problem) = self.bad_name(name, &member.node, report) {
                let help = "give the prefab another name";
                report.add(member.key_range.clone(), &place.path, problem, Some(help));
            }
            let prefab = read(&place, built_in, report);
            self.prefabs.insert(name, prefab);
        }
    }

    fn bad_name(&self, name: &str, node: &Node, report: &Report<'_>) -> Option<String> {
        if item::TYPES.contains(&name) {
            return Some(format!("{} is a type of item already", ticked(name)));
        }
        if name.is_empty() || name.chars().any(|c| c.is_whitespace() || c.is_control()) {
            return Some("the name of a prefab is one word".into());
        }
        let other = self.prefabs.get(name).filter(|other| !other.built_in)?;
        let place = report.locate(other.items.node.range.start, node.range.start);
        Some(format!("the prefab {} is already defined on {place}", ticked(name)))
    }

    /// Takes in `defaults` of a file, over those known before. All prefabs must be known.
    pub(super) fn set_defaults(&mut self, root: &Place<'a>, report: &mut Report<'_>) {
        let place = root.key("defaults");
        if !root.has("defaults") || !decode::is_object(&place, report) {
            return;
        }
        for (of, place) in place.members() {
            let Some(keys) = self.keys(&of.key) else {
                let help = suggestion(&of.key, self.types(), "types");
                let message = format!("unknown type {}", ticked(&of.key));
                report.add(of.key_range.clone(), &place.path, message, Some(&help));
                continue;
            };
            if !decode::is_object(&place, report) {
                continue;
            }
            let lists: Vec<&[&str]> = keys.iter().map(Vec::as_slice).collect();
            decode::unknown_keys(&place, &lists, &format!("a {} knows", of.key), report);
            let mut kept = Vec::new();
            for (member, place) in place.members() {
                if ["type", "id"].contains(&member.key.as_str()) {
                    let message = format!("{} cannot have a default", ticked(&member.key));
                    let help = "write it in each item";
                    report.add(member.key_range.clone(), &place.path, message, Some(help));
                } else if lists.iter().any(|list| list.contains(&member.key.as_str())) {
                    kept.push(Member { home: Some(place.path.into()), ..member.clone() });
                }
            }
            let known = self.defaults.entry(of.key.as_str()).or_default();
            known.retain(|old| kept.iter().all(|member| member.key != old.key));
            known.extend(kept);
        }
    }

    /// The keys of items of a type, in lists; `None` if there is no such type.
    pub(super) fn keys(&self, kind: &str) -> Option<Vec<Vec<&str>>> {
        let mut lists: Vec<Vec<&str>> = match self.prefabs.get(kind) {
            Some(prefab) => {
                let own = prefab.params.iter().map(|(name, ..)| *name).collect();
                vec![own, decode::fields::<UseKeys>().to_vec()]
            }
            None => item::keys(kind)?.into_iter().map(<[&str]>::to_vec).collect(),
        };
        lists.push(vec![REPEAT]);
        Some(lists)
    }

    /// An item with the defaults of its type under its own keys.
    pub(super) fn with_defaults<'n>(&self, kind: &str, item: &Place<'n>) -> Cow<'n, Node> {
        let Some(defaults) = self.defaults.get(kind) else { return Cow::Borrowed(item.node) };
        let missing: Vec<Member> =
            defaults.iter().filter(|member| !item.has(&member.key)).cloned().collect();
        if missing.is_empty() {
            return Cow::Borrowed(item.node);
        }
        let members = item.node.members().iter().cloned().chain(missing).collect();
        Cow::Owned(Node { range: item.node.range.clone(), value: Data::Map(members) })
    }

    /// Reports every prefab that contains itself, with the chain that leads back to it.
    pub(super) fn check_recursion(&mut self, report: &mut Report<'_>) {
        let mut done = Vec::new();
        let mut circles = Vec::new();
        let names: Vec<&str> = self.prefabs.keys().copied().collect();
        for name in names {
            self.follow(name, &mut Vec::new(), &mut done, &mut circles, report);
        }
        for name in circles {
            if let Some(prefab) = self.prefabs.get_mut(name) {
                prefab.broken = true;
            }
        }
    }

    fn follow(
        &self,
        name: &'a str,
        chain: &mut Vec<&'a str>,
        done: &mut Vec<&'a str>,
        circles: &mut Vec<&'a str>,
        report: &mut Report<'_>,
    ) {
        let Some(prefab) = self.prefabs.get(name).filter(|_| !done.contains(&name)) else { return };
        // Chains longer than what may be expanded are told when they are.
        if chain.len() > 2 * super::expand::DEEPEST_PREFAB {
            return;
        }
        chain.push(name);
        for item in prefab.items.elements() {
            let Some(kind) = item.node.get("type").and_then(Node::text) else { continue };
            let Some((&kind, _)) = self.prefabs.get_key_value(kind) else { continue };
            if let Some(first) = chain.iter().position(|known| *known == kind) {
                let mut circle: Vec<String> =
                    chain[first..].iter().map(|name| ticked(name)).collect();
                circle.push(ticked(kind));
                let message = format!("the prefab contains itself: {}", circle.join(" → "));
                let help =
                    "a prefab may be made of others, but not of itself; for copies use `repeat`";
                report.error_with_help(&item.key("type"), message, help);
                circles.extend_from_slice(&chain[first..]);
            } else {
                self.follow(kind, chain, done, circles, report);
            }
        }
        chain.pop();
        done.push(name);
    }
}

impl<'a> Prefab<'a> {
    /// The variables inside, for a use at `item` that stands where `outer` holds. `None` if a
    /// parameter could not be read, which is reported.
    pub(super) fn scope(
        &self,
        item: &Place<'_>,
        outer: &Scope,
        report: &mut Report<'_>,
    ) -> Option<Scope> {
        let mut inner = Scope::default();
        let mut sound = !self.broken;
        for (name, default, is_text) in &self.params {
            let value = if item.has(name) {
                scope::parameter(&item.key(name), *is_text, outer, report)
            } else {
                scope::parameter(default, *is_text, &inner, report)
            };
            match value {
                Some(value) => inner.set(name, value),
                None => {
                    sound = false;
                    inner.set(name, Value::Number(1.0));
                }
            }
        }
        sound.then_some(inner)
    }

    /// Where the value of each parameter is written for a use at `item`, if the author cannot look into the prefab.
    pub(super) fn given(&self, item: &Place<'_>) -> Vec<Argument> {
        let params = self.params.iter().filter(|_| self.built_in);
        let argument = |(name, default, _): &(&str, Place<'_>, bool)| {
            let is_default = !item.has(name);
            let place = if is_default { default.clone() } else { item.key(name) };
            let (name, range) = ((*name).to_owned(), place.node.range.clone());
            Argument { name, range, path: place.path, is_default }
        };
        params.map(argument).collect()
    }

    /// The keys of a use that hold texts.
    pub(super) fn text_keys(&self) -> Vec<&'a str> {
        self.params.iter().filter(|(_, _, is_text)| *is_text).map(|(name, ..)| *name).collect()
    }
}

/// Reads a definition.
fn read<'a>(place: &Place<'a>, built_in: bool, report: &mut Report<'_>) -> Prefab<'a> {
    let before = report.count();
    let keys = decode::object::<PrefabKeys>(place, report);
    let mut params = Vec::new();
    let list = place.key("params");
    if place.has("params") && matches!(list.node.value, Data::Map(_)) {
        for (member, place) in list.members() {
            let name = member.key.as_str();
            let taken = [decode::fields::<UseKeys>(), &[REPEAT]].concat();
            let problem = if name.is_empty() || !name.bytes().all(expression::in_name) {
                Some("the name of a parameter is made of letters, digits and `_`".to_owned())
            } else if name.as_bytes()[0].is_ascii_digit() {
                Some("the name of a parameter begins with a letter".to_owned())
            } else if taken.contains(&name) || ["i", "ix", "iy"].contains(&name) {
                Some(format!("{} has a meaning in every item already", ticked(name)))
            } else {
                None
            };
            if let Some(problem) = problem {
                let help = "give the parameter another name";
                report.add(member.key_range.clone(), &place.path, problem, Some(help));
                continue;
            }
            let is_text = match &place.node.value {
                Data::Number(_) => false,
                // `"$n / 2"` and `"2 * 3"` are numbers; a colour or a material is a text.
                Data::Text(text) => {
                    !text.contains('$') && expression::evaluate(text, &Scope::default()).is_err()
                }
                _ => {
                    let found = place.node.describe();
                    let message = format!("a parameter is a number or a text, found {found}");
                    report.error(&place, message);
                    continue;
                }
            };
            params.push((name, place, is_text));
        }
    }
    let items = place.key("items");
    let broken = keys.is_none() || report.count() > before;
    let items = if place.has("items") { items } else { Place { node: &EMPTY, path: items.path } };
    Prefab { items, params, broken, built_in }
}

/// The items of a prefab that has none.
static EMPTY: Node = Node { range: 0..0, value: Data::Null };

/// The tree of the built-in prefabs.
pub(super) fn library(report: &mut Report<'_>) -> Option<Node> {
    let base = report.add_built_in("library.json", LIBRARY);
    tree::parse(LIBRARY, base, report)
}
