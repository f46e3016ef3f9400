//! Variables of an item, and the item with all of them put in.
//!
//! The parameters of the prefab around it and the indices of its own `repeat` are what an item may
//! name. [`resolve`] makes a tree without variables of an item: expressions become numbers, and in
//! texts `{…}` becomes the value of what is inside (`"link.{$i + 1}"`); a text that is nothing but
//! `$name` becomes the text of that parameter. Everything keeps its place in the file.

use std::ops::Range;
use std::rc::Rc;

use super::assembly::LARGEST;
use super::diagnostic::{Report, ticked};
use super::expression::{self, Fault};
use super::format::REPEAT;
use super::tree::{Member, Node, Place, Value as Data, number};

/// What a variable stands for.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Text(Rc<str>),
}

/// The variables that are known in one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope(Vec<(String, Value)>);

impl Scope {
    pub(super) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    pub(super) fn set(&mut self, name: &str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

/// The keys whose values are texts; a text anywhere else in an item is an expression.
const TEXT_KEYS: [&str; 21] = [
    "type", "id", "material", "color", "kind", "a", "b", "skin", "hair", "shirt", "trousers",
    "shoes", "build", "pose", "facing", "mirror", "face", "about", "name", "label", "released",
];

/// Whether anything in an item has to be computed.
pub(super) fn is_dynamic(node: &Node) -> bool {
    is_dynamic_under("", node)
}

fn is_dynamic_under(key: &str, node: &Node) -> bool {
    match &node.value {
        Data::Text(text) if TEXT_KEYS.contains(&key) => text.contains(['$', '{']),
        Data::Text(text) => expression::is_meant(text) || text.contains('{'),
        Data::List(elements) => elements.iter().any(|element| is_dynamic_under(key, element)),
        Data::Map(members) => {
            members.iter().any(|member| is_dynamic_under(&member.key, &member.node))
        }
        _ => false,
    }
}

/// The item at `place` with all variables put in, and whether all went well: what is wrong is
/// reported, and a 1 stands in its place. `texts` are keys that hold texts besides the usual ones.
pub(super) fn resolve(
    place: &Place<'_>,
    texts: &[&str],
    scope: &Scope,
    report: &mut Report<'_>,
) -> (Node, bool) {
    let mut resolver = Resolver { texts, scope, report, sound: true };
    let node = resolver.node(place, "");
    (node, resolver.sound)
}

struct Resolver<'s, 'r, 't> {
    texts: &'s [&'s str],
    scope: &'s Scope,
    report: &'r mut Report<'t>,
    sound: bool,
}

impl Resolver<'_, '_, '_> {
    /// The value under `key`.
    fn node(&mut self, place: &Place<'_>, key: &str) -> Node {
        let range = place.node.range.clone();
        let value = match &place.node.value {
            Data::Text(text) if TEXT_KEYS.contains(&key) || self.texts.contains(&key) => {
                Data::Text(self.text(text, place))
            }
            Data::Text(text) if expression::is_meant(text) => {
                self.number(text, place, key == "category" || key == "mask" || key == "group")
            }
            Data::List(_) => {
                Data::List(place.elements().map(|place| self.node(&place, key)).collect())
            }
            Data::Map(_) => {
                // Copies have been laid out already.
                let members = place.members().filter(|(member, _)| member.key != REPEAT);
                let members = members.map(|(member, place)| Member {
                    key: member.key.clone(),
                    key_range: member.key_range.clone(),
                    home: member.home.clone(),
                    // Keys of the keyboard may be called like keys that hold texts.
                    node: self.node(&place, if key == "keys" { "" } else { &member.key }),
                });
                Data::Map(members.collect())
            }
            other => other.clone(),
        };
        Node { range, value }
    }

    /// `bits`: collision bits may be larger than any length.
    fn number(&mut self, text: &str, place: &Place<'_>, bits: bool) -> Data {
        match expression::evaluate(text, self.scope) {
            Ok(value) if bits || value.abs() <= f64::from(LARGEST) => {
                if let Some(number) = number(value) {
                    return Data::Number(number);
                }
            }
            Ok(value) => {
                let message = format!("the expression gives {value}, outside ±{LARGEST}");
                self.report.error(place, message);
                self.sound = false;
            }
            Err(fault) => self.fault(fault, 0, place),
        }
        Data::Number(1.into())
    }

    fn text(&mut self, text: &str, place: &Place<'_>) -> String {
        let is_name = |name: &str| !name.is_empty() && name.bytes().all(expression::in_name);
        if let Some(name) = text.strip_prefix('$').filter(|name| is_name(name)) {
            return self.written(name, 0..text.len(), place);
        }
        let (mut out, mut done) = (String::new(), 0);
        while let Some(open) = text[done..].find('{').map(|at| done + at) {
            out += &text[done..open];
            let Some(close) = text[open..].find('}').map(|at| open + at) else {
                let message = "this brace is never closed".to_owned();
                let help = Some("write {expression}, such as {$i + 1}".to_owned());
                self.fault(Fault { range: open..open + 1, message, help }, 0, place);
                return out;
            };
            let inner = &text[open + 1..close];
            match inner.strip_prefix('$').filter(|name| is_name(name)) {
                Some(name) => out += &self.written(name, open + 1..close, place),
                None => match expression::evaluate(inner, self.scope) {
                    Ok(value) => out += &value.to_string(),
                    Err(fault) => self.fault(fault, open + 1, place),
                },
            }
            done = close + 1;
        }
        out + &text[done..]
    }

    /// The value of a variable as a text.
    fn written(&mut self, name: &str, range: Range<usize>, place: &Place<'_>) -> String {
        match self.scope.get(name) {
            Some(Value::Text(text)) => text.to_string(),
            Some(Value::Number(value)) => value.to_string(),
            None => {
                self.fault(expression::unknown_variable(name, range, self.scope), 0, place);
                String::new()
            }
        }
    }

    fn fault(&mut self, fault: Fault, offset: usize, place: &Place<'_>) {
        self.sound = false;
        let start = offset + fault.range.start;
        let end = offset + fault.range.end;
        let range = self.report.inside_text(&place.node.range, start..end);
        self.report.add(range, &place.path, fault.message, fault.help.as_deref());
        // What else is said about a stand-in would only confuse.
        self.report.silence(place.node.range.clone());
    }
}

/// The text at `place` with all variables put in.
pub(super) fn text(place: &Place<'_>, scope: &Scope, report: &mut Report<'_>) -> String {
    let (node, _) = resolve(place, &[""], scope, report);
    node.text().unwrap_or_default().to_owned()
}

/// The value that the text at `place` gives to the parameter `name`.
pub(super) fn parameter(
    place: &Place<'_>,
    is_text: bool,
    scope: &Scope,
    report: &mut Report<'_>,
) -> Option<Value> {
    let (node, sound) = resolve(place, if is_text { &[""] } else { &[] }, scope, report);
    if !sound {
        return None;
    }
    match (&node.value, is_text) {
        (Data::Number(number), false) => number.as_f64().map(Value::Number),
        (Data::Text(text), true) => Some(Value::Text(text.as_str().into())),
        _ => {
            let wanted = if is_text { "a text" } else { "a number" };
            let message = format!("expected {wanted}, found {}", node.describe());
            let key = place.path.rsplit('.').next().unwrap_or_default();
            let help = format!("the default of {} is {wanted}", ticked(key));
            report.error_with_help(place, message, help);
            None
        }
    }
}
