//! From the tree of a file to typed structs, with every mistake reported and none fatal.
//!
//! `serde` stops at the first error. Here each error is recorded, the member at fault is taken out,
//! and the rest is read again until it passes: one run finds every mistake of an object.
//! `serde_path_to_error` tells where an error is, and the tree turns that path into a place in the
//! file.

use std::collections::BTreeSet;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, de};
use serde_json::Value as Json;
use serde_path_to_error::Segment;

use super::diagnostic::{Report, nearest, suggestion, ticked};
use super::tree::{Member, Place, Value};

/// The most mistakes looked for in one object.
const MOST_ROUNDS: usize = 50;

/// Reads the object at `place` as a `T`, knowing only `T`'s keys. `None` if it is no object or a
/// required key is missing or wrong.
pub(super) fn object<T: DeserializeOwned>(place: &Place<'_>, report: &mut Report<'_>) -> Option<T> {
    if !is_object(place, report) {
        return None;
    }
    unknown_keys(place, &[fields::<T>()], "known keys", report);
    part(place, report)
}

/// Whether there is an object; reports it if not.
pub(super) fn is_object(place: &Place<'_>, report: &mut Report<'_>) -> bool {
    let found = matches!(place.node.value, Value::Map(_));
    if !found {
        let message = format!("expected an object {{ … }}, found {}", place.node.describe());
        report.error(place, message);
    }
    found
}

/// Whether there is a list; reports it if not.
pub(super) fn is_list(place: &Place<'_>, report: &mut Report<'_>) -> bool {
    let found = matches!(place.node.value, Value::List(_));
    if !found {
        let message = format!("expected a list [ … ], found {}", place.node.describe());
        report.error(place, message);
    }
    found
}

/// Reports every key of the object at `place` that is in none of the lists.
pub(super) fn unknown_keys(
    place: &Place<'_>,
    known: &[&[&str]],
    what: &str,
    report: &mut Report<'_>,
) {
    for (member, own) in place.members() {
        if known.iter().any(|list| list.contains(&member.key.as_str())) {
            continue;
        }
        if report.is_full() {
            return;
        }
        unknown_key(member, &own, known.iter().flat_map(|list| list.iter().copied()), what, report);
    }
}

/// Reports the keys of the object at `place` that may be meant for this one, which it lacks. Returns whether there are any.
pub(super) fn misspelt(place: &Place<'_>, key: &str, report: &mut Report<'_>) -> bool {
    let mut any = false;
    for (member, own) in place.members() {
        if nearest(&member.key, [key]).is_some() {
            unknown_key(member, &own, [key], "keys", report);
            any = true;
        }
    }
    any
}

fn unknown_key<'n>(
    member: &Member,
    place: &Place<'_>,
    known: impl IntoIterator<Item = &'n str>,
    what: &str,
    report: &mut Report<'_>,
) {
    let help = suggestion(&member.key, known, what);
    let message = format!("unknown key {}", ticked(&member.key));
    report.add(member.key_range.clone(), &place.path, message, Some(&help));
}

/// Reads those members of the object at `place` that are fields of `T` and ignores the others, so
/// that one object can be read as several structs.
pub(super) fn part<T: DeserializeOwned>(place: &Place<'_>, report: &mut Report<'_>) -> Option<T> {
    let fields = fields::<T>();
    let members = place.node.members().iter();
    let mut json: Json = members
        .filter(|member| fields.contains(&member.key.as_str()))
        .map(|member| (member.key.clone(), member.node.to_json()))
        .collect::<serde_json::Map<_, _>>()
        .into();
    let mut removed = BTreeSet::new();
    // Where a key is missing and another value stands in for it.
    let mut filled: Vec<Vec<Segment>> = Vec::new();
    // Each round takes one member out. An object with more mistakes than this is hopeless.
    for _ in 0..MOST_ROUNDS {
        let error = match serde_path_to_error::deserialize::<_, T>(&json) {
            Ok(value) if filled.is_empty() => return Some(value),
            Ok(_) => {
                // What lacks a key is of no use, and neither is what needs that.
                let usable = filled.iter_mut().all(|path| remove(&mut json, path));
                return if usable { T::deserialize(&json).ok() } else { None };
            }
            Err(error) => error,
        };
        let mut path: Vec<Segment> = error.path().iter().cloned().collect();
        let fault = Fault::read(&error.inner().to_string());
        // The path may end at the object; the fault lies in its member.
        if let Fault::Unknown { name, .. } = &fault
            && !matches!(path.last(), Some(Segment::Map { key }) if key == name)
        {
            path.push(Segment::Map { key: name.clone() });
        }
        let silent = match &fault {
            Fault::Missing { name } => removed.contains(&format!("{}.{name}", written(&path))),
            _ => false,
        };
        if !silent {
            fault.report(place, &path, report);
        }
        if let Fault::Missing { name } = &fault
            && fill::<T>(&mut json, &path, name)
        {
            filled.push(path);
            continue;
        }
        if !remove(&mut json, &mut path) {
            return None;
        }
        removed.insert(written(&path));
    }
    None
}

/// What `serde` complains about.
enum Fault {
    Missing { name: String },
    Unknown { name: String, known: Vec<String> },
    Variant { name: String, known: Vec<String> },
    Other { expected: String },
}

impl Fault {
    /// Reads a message of `serde`: its wording is the only way it tells the kinds apart.
    fn read(message: &str) -> Self {
        let ticks: Vec<String> = message.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        let name = ticks.first().cloned().unwrap_or_default();
        let known = || ticks.iter().skip(1).cloned().collect();
        if message.starts_with("missing field") {
            Self::Missing { name }
        } else if message.starts_with("unknown field") {
            Self::Unknown { name, known: known() }
        } else if message.starts_with("unknown variant") {
            Self::Variant { name, known: known() }
        } else {
            let expected = message.rsplit_once("expected ").map_or(message, |(_, after)| after);
            Self::Other { expected: in_words(expected) }
        }
    }

    fn report(&self, place: &Place<'_>, path: &[Segment], report: &mut Report<'_>) {
        let at = follow(place, path);
        match self {
            Self::Missing { name } => {
                report.error(&at.key(name), format!("the key {} is missing", ticked(name)));
            }
            Self::Unknown { name, known } => {
                let help = suggestion(name, known.iter().map(String::as_str), "known keys");
                let parent = follow(place, path.split_last().map_or(&[], |(_, before)| before));
                let member = parent.node.members().iter().find(|member| member.key == *name);
                let range = member.map_or(at.node.range.clone(), |member| member.key_range.clone());
                report.add(range, &at.path, format!("unknown key {}", ticked(name)), Some(&help));
            }
            Self::Variant { name, known } => {
                let help = suggestion(name, known.iter().map(String::as_str), "choose one of");
                report.error_with_help(&at, format!("unknown value {}", ticked(name)), help);
            }
            Self::Other { expected } => {
                report.error(&at, format!("expected {expected}, found {}", at.node.describe()));
            }
        }
    }
}

/// The place a path leads to.
fn follow<'a>(place: &Place<'a>, path: &[Segment]) -> Place<'a> {
    path.iter().fold(place.clone(), |place, segment| match segment {
        Segment::Map { key } => place.key(key),
        Segment::Seq { index } => place.index(*index),
        Segment::Enum { .. } | Segment::Unknown => place,
    })
}

/// The names `serde` has for types, in a level author's words.
fn in_words(expected: &str) -> String {
    match expected {
        "f32" | "f64" => "a number".into(),
        "u32" => "a whole number, 0 or more".into(),
        "i32" => "a whole number".into(),
        "i8" => "a whole number from -128 to 127".into(),
        "a string" => "a text in double quotes".into(),
        "a boolean" => "true or false".into(),
        "a sequence" => "a list [ … ]".into(),
        other if other.starts_with("struct ") => "an object { … }".into(),
        other if other.starts_with("enum ") => "a text in double quotes".into(),
        other => other.into(),
    }
}

fn written(path: &[Segment]) -> String {
    path.iter().fold(String::new(), |text, segment| match segment {
        Segment::Map { key } => format!("{text}.{key}"),
        Segment::Seq { index } => format!("{text}[{index}]"),
        Segment::Enum { .. } | Segment::Unknown => text,
    })
}

/// The object that a path leads to.
fn members<'j>(
    json: &'j mut Json,
    path: &[Segment],
) -> Option<&'j mut serde_json::Map<String, Json>> {
    let object = path.iter().try_fold(json, |value, segment| match segment {
        Segment::Map { key } => value.get_mut(key),
        Segment::Seq { index } => value.get_mut(index),
        Segment::Enum { .. } | Segment::Unknown => Some(value),
    });
    object.and_then(Json::as_object_mut)
}

/// Puts a value in the place of a missing one, so that what else is wrong comes to light. `false`
/// if none of a few will do.
fn fill<T: DeserializeOwned>(json: &mut Json, path: &[Segment], name: &str) -> bool {
    let place = format!("{}.{name}", written(path));
    for value in [Json::from(1), Json::from(""), Json::from(vec![1, 1]), Json::Array(Vec::new())] {
        let Some(members) = members(json, path) else { return false };
        members.insert(name.to_owned(), value);
        let outcome = serde_path_to_error::deserialize::<_, T>(&*json);
        let refused = |error: serde_path_to_error::Error<_>| {
            let path: Vec<Segment> = error.path().iter().cloned().collect();
            written(&path).starts_with(&place)
        };
        if !outcome.err().is_some_and(refused) {
            return true;
        }
    }
    if let Some(members) = members(json, path) {
        members.remove(name);
    }
    false
}

/// Removes the innermost member of an object on the path, and shortens the path to it. `false` if
/// there is none.
fn remove(json: &mut Json, path: &mut Vec<Segment>) -> bool {
    while let Some(last) = path.last() {
        if let Segment::Map { key } = last.clone() {
            let members = members(json, &path[..path.len() - 1]);
            if members.is_some_and(|members| members.remove(&key).is_some()) {
                return true;
            }
        }
        path.pop();
    }
    false
}

/// The keys of a struct, asked of its own `Deserialize`: there is no second list to keep in step.
pub(super) fn fields<T: DeserializeOwned>() -> &'static [&'static str] {
    struct Probe<'f>(&'f mut &'static [&'static str]);

    impl<'de> Deserializer<'de> for Probe<'_> {
        type Error = de::value::Error;

        fn deserialize_any<V: de::Visitor<'de>>(self, _: V) -> Result<V::Value, Self::Error> {
            Err(Self::Error::custom("only structs have fields"))
        }

        fn deserialize_struct<V: de::Visitor<'de>>(
            self,
            _: &'static str,
            fields: &'static [&'static str],
            _: V,
        ) -> Result<V::Value, Self::Error> {
            *self.0 = fields;
            Err(Self::Error::custom("fields read"))
        }

        serde::forward_to_deserialize_any! {
            bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
            option unit unit_struct newtype_struct seq tuple tuple_struct map enum identifier
            ignored_any
        }
    }

    let mut fields: &'static [&'static str] = &[];
    // The probe always fails: it only looks at what it is asked for.
    let _ = T::deserialize(Probe(&mut fields));
    fields
}

/// Two values in a list: a point, a size, a range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Pair<T>(pub(super) T, pub(super) T);

impl From<Pair<f32>> for crate::math::Vec2 {
    fn from(pair: Pair<f32>) -> Self {
        Self::new(pair.0, pair.1)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Pair<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor<T>(std::marker::PhantomData<T>);

        impl<'de, T: Deserialize<'de>> de::Visitor<'de> for Visitor<T> {
            type Value = Pair<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("two numbers [a, b]")
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Pair<T>, A::Error> {
                let count = list.size_hint().unwrap_or(2);
                if count != 2 {
                    return Err(A::Error::invalid_length(count, &self));
                }
                match (list.next_element()?, list.next_element()?) {
                    (Some(a), Some(b)) => Ok(Pair(a, b)),
                    _ => Err(A::Error::invalid_length(count, &self)),
                }
            }
        }

        deserializer.deserialize_seq(Visitor(std::marker::PhantomData))
    }
}

/// How many copies: a number along a line, or two in a grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Count {
    Line(u32),
    Grid(u32, u32),
}

impl<'de> Deserialize<'de> for Count {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Count;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a whole number, 0 or more, or two of them [nx, ny]")
            }

            fn visit_u64<E: de::Error>(self, count: u64) -> Result<Count, E> {
                let count = u32::try_from(count).ok().map(Count::Line);
                count.ok_or_else(|| E::custom("expected a whole number below 4294967296"))
            }

            fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<Count, A::Error> {
                let count = list.size_hint().unwrap_or(2);
                if count != 2 {
                    return Err(A::Error::invalid_length(count, &self));
                }
                match (list.next_element()?, list.next_element()?) {
                    (Some(nx), Some(ny)) => Ok(Count::Grid(nx, ny)),
                    _ => Err(A::Error::invalid_length(count, &self)),
                }
            }
        }

        deserializer.deserialize_any(Visitor)
    }
}

/// A colour, written `"#rrggbb"`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Color(pub(super) [u8; 3]);

impl Color {
    /// The colour that six hexadecimal digits after a `#` stand for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
        if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let value = u32::from_str_radix(digits, 16).ok()?;
        let [_, r, g, b] = value.to_be_bytes();
        Some(Self([r, g, b]))
    }
}

impl<'de> Deserialize<'de> for Color {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;

        impl de::Visitor<'_> for Visitor {
            type Value = Color;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a colour \"#rrggbb\"")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Color, E> {
                Color::parse(text).ok_or_else(|| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }

        deserializer.deserialize_str(Visitor)
    }
}
