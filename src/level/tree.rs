//! A level's text as a tree in which every value knows where it stands.
//!
//! `jsonc-parser` reads JSON with comments and trailing commas and keeps byte ranges. What it makes
//! is turned into a smaller tree of our own: duplicate keys, numbers without a value and nesting
//! past the bound are reported on the way, so that whoever reads a [`Node`] need not think of
//! them. A [`Place`] is a node with the path that leads to it (`items[3].size`).

use std::ops::Range;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;
use jsonc_parser::tokens::TokenAndRange;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::diagnostic::{Report, quoted, ticked};

/// Lists and objects within each other, at most. A level needs about six.
const DEEPEST_NESTING: usize = 32;

/// A value of the file and the bytes it takes up.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Number(serde_json::Number),
    Text(String),
    List(Vec<Node>),
    Map(Vec<Member>),
}

/// A key of an object and its value.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    /// The path of the value where it comes from another place than the object, as defaults do.
    pub(super) home: Option<Box<str>>,
    pub(super) node: Node,
}

impl Node {
    /// The members of an object; none for anything else.
    pub(super) fn members(&self) -> &[Member] {
        if let Value::Map(members) = &self.value { members } else { &[] }
    }

    /// The elements of a list; none for anything else.
    pub(super) fn elements(&self) -> &[Node] {
        if let Value::List(elements) = &self.value { elements } else { &[] }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().find(|member| member.key == key).map(|member| &member.node)
    }

    pub(super) fn text(&self) -> Option<&str> {
        if let Value::Text(text) = &self.value { Some(text) } else { None }
    }

    /// What stands here, in words for a message.
    pub(super) fn describe(&self) -> String {
        match &self.value {
            Value::Null => "null".into(),
            Value::Bool(value) => value.to_string(),
            Value::Number(number) => format!("the number {number}"),
            Value::Text(text) => format!("the text {}", quoted(text)),
            Value::List(elements) if elements.is_empty() => "an empty list".into(),
            Value::List(elements) => format!("a list of {}", elements.len()),
            Value::Map(_) => "an object".into(),
        }
    }

    /// The same data without ranges, for `serde`.
    pub(super) fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Null => serde_json::Value::Null,
            Value::Bool(value) => (*value).into(),
            Value::Number(number) => number.clone().into(),
            Value::Text(text) => text.as_str().into(),
            Value::List(elements) => elements.iter().map(Node::to_json).collect(),
            Value::Map(members) => {
                let members = members.iter();
                members.map(|member| (member.key.clone(), member.node.to_json())).collect()
            }
        }
    }
}

/// A node and the path from the top of the file to it.
#[derive(Clone, Debug)]
pub(super) struct Place<'a> {
    pub(super) node: &'a Node,
    pub(super) path: String,
}

impl<'a> Place<'a> {
    pub(super) fn root(node: &'a Node) -> Self {
        Self { node, path: String::new() }
    }

    /// The member `key`. Where there is none, the path still names it, and the object around it is
    /// what a message underlines.
    pub(super) fn key(&self, key: &str) -> Self {
        let dot = if self.path.is_empty() { "" } else { "." };
        let member = self.node.members().iter().find(|member| member.key == key);
        let path = match member.and_then(|member| member.home.as_deref()) {
            Some(home) => home.to_owned(),
            None => format!("{}{dot}{key}", self.path),
        };
        Self { node: member.map_or(self.node, |member| &member.node), path }
    }

    /// The element `index`, likewise.
    pub(super) fn index(&self, index: usize) -> Self {
        let path = format!("{}[{index}]", self.path);
        Self { node: self.node.elements().get(index).unwrap_or(self.node), path }
    }

    /// All members of an object.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'a Member, Place<'a>)> {
        let dot = if self.path.is_empty() { "" } else { "." };
        let path = format!("{}{dot}", self.path);
        self.node.members().iter().map(move |member| {
            let own = || format!("{path}{}", member.key);
            let path = member.home.as_deref().map_or_else(own, str::to_owned);
            (member, Self { node: &member.node, path })
        })
    }

    /// All elements of a list.
    pub(super) fn elements(&self) -> impl Iterator<Item = Place<'a>> {
        let path = self.path.clone();
        let elements = self.node.elements().iter().enumerate();
        elements.map(move |(i, node)| Self { node, path: format!("{path}[{i}]") })
    }

    pub(super) fn has(&self, key: &str) -> bool {
        self.node.get(key).is_some()
    }
}

/// JSON with comments and trailing commas, and nothing else that is not JSON.
pub(super) const OPTIONS: ParseOptions = ParseOptions {
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
};

/// Reads the text of a file that begins at `base` in the report's count of bytes. `None` when it is
/// not JSON at all, which is then reported.
pub(super) fn parse(text: &str, base: usize, report: &mut Report<'_>) -> Option<Node> {
    match parse_to_ast(text, &CollectOptions::default(), &OPTIONS) {
        Ok(parsed) => match parsed.value {
            Some(value) => convert(value, "", (1, base), report),
            None => {
                let help = "start with { \"format\": 1, \"items\": [] }";
                report.add(
                    base..base,
                    "",
                    "the file is empty: a level is a JSON object",
                    Some(help),
                );
                None
            }
        },
        Err(error) => {
            let range = error.range();
            let range = range.start..range.end.max(range.start);
            let (message, help) = syntax(error.kind(), text.get(range.clone()).unwrap_or(""));
            let range = base + range.start..base + range.end;
            report.add(range, "", message, help.as_deref());
            None
        }
    }
}

/// The tokens of the text, comments among them. `None` when it is not JSON, which is then reported.
pub(super) fn tokens<'t>(text: &'t str, report: &mut Report<'_>) -> Option<Vec<TokenAndRange<'t>>> {
    // Nesting past the bound is reported here too: whoever reads the tokens may recurse.
    parse(text, 0, report)?;
    let comments = CommentCollectionStrategy::AsTokens;
    let parsed = parse_to_ast(text, &CollectOptions { comments, tokens: true }, &OPTIONS);
    parsed.ok().and_then(|parsed| parsed.tokens)
}

/// `level` is the depth of nesting and where the file begins.
fn convert(
    value: ast::Value<'_>,
    path: &str,
    level: (usize, usize),
    report: &mut Report<'_>,
) -> Option<Node> {
    let (depth, base) = level;
    let range = base + value.start()..base + value.end();
    if depth > DEEPEST_NESTING {
        report.add(range.start..range.start + 1, path, too_deep(), None);
        return None;
    }
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(literal) => Value::Bool(literal.value),
        ast::Value::StringLit(literal) => Value::Text(literal.value.into_owned()),
        ast::Value::NumberLit(literal) => match literal.value.parse().ok().and_then(number) {
            Some(number) => Value::Number(number),
            None => {
                let message = format!("{} is too large a number", quoted(literal.value));
                report.add(range.clone(), path, message, None);
                report.silence(range.clone());
                Value::Number(0.into())
            }
        },
        ast::Value::Array(list) => {
            let elements = list.elements.into_iter().enumerate();
            let nodes = elements.filter_map(|(i, element)| {
                convert(element, &format!("{path}[{i}]"), (depth + 1, base), report)
            });
            Value::List(nodes.collect())
        }
        ast::Value::Object(object) => {
            let mut members: Vec<Member> = Vec::with_capacity(object.properties.len());
            let mut seen = std::collections::BTreeSet::new();
            for property in object.properties {
                let key_range = base + property.name.start()..base + property.name.end();
                let key = property.name.into_string();
                let dot = if path.is_empty() { "" } else { "." };
                let path = format!("{path}{dot}{key}");
                let node = convert(property.value, &path, (depth + 1, base), report);
                if !seen.insert(key.clone()) {
                    let message = format!("the key {} appears twice in this object", ticked(&key));
                    let help = "remove one of the two, or give them different names";
                    report.add(key_range, &path, message, Some(help));
                } else if let Some(node) = node {
                    members.push(Member { key, key_range, home: None, node });
                }
            }
            Value::Map(members)
        }
    };
    Some(Node { range, value })
}

/// A number of JSON; whole numbers stay whole however they are written (`10`, `10.0`, `1e1`).
/// `None` if it is not finite.
pub(super) fn number(value: f64) -> Option<serde_json::Number> {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Some((value as i64).into());
    }
    serde_json::Number::from_f64(value)
}

fn too_deep() -> String {
    format!("lists and objects are nested more than {DEEPEST_NESTING} deep")
}

/// The parser's complaint in a level author's words, and the remedy.
fn syntax(kind: &ParseErrorKind, found: &str) -> (String, Option<String>) {
    use ParseErrorKind as Kind;
    let (message, help): (String, &str) = match kind {
        Kind::UnexpectedWord | Kind::NonFiniteNumbersNotAllowed
            if ["nan", "inf", "infinity"]
                .contains(&found.trim_matches('-').to_lowercase().as_str()) =>
        {
            (format!("{found} is not a number that JSON knows"), "write a finite number")
        }
        Kind::NonFiniteNumbersNotAllowed => {
            ("NaN and Infinity are not numbers that JSON knows".into(), "write a finite number")
        }
        Kind::UnexpectedWord => (
            format!("unexpected word {}", ticked(found)),
            "texts stand in double quotes; the only bare words are true, false and null",
        ),
        Kind::ExpectedStringObjectProperty => {
            (format!("the key {} needs double quotes", ticked(found)), "write \"key\": value")
        }
        Kind::SingleQuotedStringsNotAllowed => {
            ("texts and keys stand in double quotes".into(), "replace ' by \"")
        }
        Kind::ExpectedComma => {
            ("a comma is missing here".into(), "separate elements and members with commas")
        }
        Kind::ExpectedColonAfterObjectKey => {
            ("a colon is missing after this key".into(), "write \"key\": value")
        }
        Kind::ExpectedObjectValue => ("a value is missing after the colon".into(), ""),
        Kind::UnexpectedComma => ("one comma too many".into(), "remove it"),
        Kind::UnterminatedArray => ("this list is never closed".into(), "add the missing ]"),
        Kind::UnterminatedObject => ("this object is never closed".into(), "add the missing }"),
        Kind::UnterminatedCommentBlock => {
            ("this comment is never closed".into(), "add the missing */")
        }
        Kind::MultipleRootJsonValues => {
            ("there is something after the end of the level".into(), "a level is one { … }")
        }
        Kind::BareDecimalPointNumbersNotAllowed => (
            format!("{} has no digit on one side of its point", ticked(found)),
            "write 0.5 and 5.0, not .5 and 5.",
        ),
        Kind::UnaryPlusNumbersNotAllowed => {
            ("a number has no plus sign in JSON".into(), "leave the + out")
        }
        Kind::HexadecimalNumbersNotAllowed => {
            ("numbers are decimal in JSON".into(), "write the number in decimal")
        }
        Kind::NestingDepthExceeded => (too_deep(), ""),
        other => {
            let text = other.to_string();
            let mut chars = text.chars();
            let first = chars.next().map(|c| c.to_lowercase().to_string()).unwrap_or_default();
            (format!("{first}{}", chars.as_str()), "")
        }
    };
    (message, (!help.is_empty()).then(|| help.to_owned()))
}
