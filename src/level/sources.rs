//! The texts a level is read from, and how its things are found in them again.
//!
//! All files of a level share one count of bytes, as in a compiler: each begins where the one before
//! ends, so that a plain range tells the file as well. The level itself begins at 0.

use std::borrow::Cow;
use std::ops::Range;
use std::rc::Rc;

use super::expression::in_name;

/// Where a body or a joint of a level comes from.
///
/// It is the item of a file that one would edit or remove to edit or remove the body. Everything
/// that a prefab or a `repeat` makes comes from the item that uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The file: an index into [`Level::files`](crate::Level::files). 0 is the level itself, others
    /// are included.
    pub file: usize,
    /// Which element of the file's `items`.
    pub item: usize,
    /// The bytes of that element in the file.
    pub range: Range<usize>,
}

/// Where everything in a level's scene comes from, in the order of the scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// One for each of `scene.bodies`.
    pub bodies: Vec<Origin>,
    /// One for each of `scene.joints`.
    pub joints: Vec<Origin>,
}

/// One text.
struct File<'t> {
    name: Cow<'t, str>,
    text: Cow<'t, str>,
    /// Where it begins in the common count.
    base: usize,
    /// Where each line starts, from the beginning of the file.
    lines: Vec<usize>,
    /// Part of the crate: nothing the author of a level could mend.
    built_in: bool,
}

/// All texts of a level.
pub(super) struct Texts<'t>(Vec<File<'t>>);

/// A place as people read it.
pub(super) struct Spot<'s> {
    pub(super) file: &'s str,
    /// From 1.
    pub(super) line: usize,
    /// In characters, from 1.
    pub(super) column: usize,
    /// The whole line.
    pub(super) text: &'s str,
    /// How many characters of it the range covers.
    pub(super) marked: usize,
}

impl<'t> Texts<'t> {
    pub(super) fn new(text: &'t str, name: &'t str) -> Self {
        let mut texts = Self(Vec::new());
        texts.add(name.into(), text.into(), false);
        texts
    }

    /// Adds a text; returns where it begins.
    pub(super) fn add(&mut self, name: Cow<'t, str>, text: Cow<'t, str>, built_in: bool) -> usize {
        // A byte between two texts keeps the end of one apart from the start of the next.
        let base = self.0.last().map_or(0, |last| last.base + last.text.len() + 1);
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(i, _)| i + 1)).collect();
        self.0.push(File { name, text, base, lines, built_in });
        base
    }

    fn file(&self, byte: usize) -> &File<'t> {
        let after = self.0.partition_point(|file| file.base <= byte);
        &self.0[after.max(1) - 1]
    }

    /// Whether the byte is in a text of the crate.
    pub(super) fn is_built_in(&self, byte: usize) -> bool {
        self.file(byte).built_in
    }

    /// Whether both bytes are in the same text.
    pub(super) fn share_file(&self, a: usize, b: usize) -> bool {
        self.file(a).base == self.file(b).base
    }

    /// What is written there.
    fn text(&self, range: &Range<usize>) -> &str {
        let file = self.file(range.start);
        file.text.get(range.start - file.base..range.end - file.base).unwrap_or("")
    }

    /// What was given, in a use of a prefab, for the value written there: the one parameter of those it names that
    /// stands in the use, or that a default leads to. `None` if it is more than one value, or names none or several.
    pub(super) fn given_for<'u>(
        &self,
        range: &Range<usize>,
        given: &'u [Argument],
    ) -> Option<&'u Argument> {
        if self.text(range).starts_with('{') {
            return None;
        }
        let mut told = self.named(range, given);
        // A default may name parameters before it.
        let mut at = 0;
        while let Some(&argument) = told.get(at) {
            if given[argument].is_default {
                for other in self.named(&given[argument].range, given) {
                    if !told.contains(&other) {
                        told.push(other);
                    }
                }
            }
            at += 1;
        }
        let mut told = told.into_iter().map(|argument| &given[argument]);
        let only = told.by_ref().find(|argument| !argument.is_default)?;
        told.all(|argument| argument.is_default).then_some(only)
    }

    /// The numbers of the parameters that the value written there names.
    fn named(&self, range: &Range<usize>, given: &[Argument]) -> Vec<usize> {
        let names = self.text(range).split('$').skip(1);
        let number = |name: &str| {
            let length = name.bytes().take_while(|byte| in_name(*byte)).count();
            given.iter().position(|argument| argument.name == name[..length])
        };
        names.filter_map(number).collect()
    }

    pub(super) fn spot(&self, range: &Range<usize>) -> Spot<'_> {
        let file = self.file(range.start);
        let start = floor_boundary(&file.text, range.start - file.base);
        let end = floor_boundary(&file.text, range.end.saturating_sub(file.base).max(start));
        let line = file.lines.partition_point(|&line| line <= start);
        let line_start = file.lines[line - 1];
        Spot {
            file: &file.name,
            line,
            column: file.text[line_start..start].chars().count() + 1,
            text: file.text[line_start..].lines().next().unwrap_or(""),
            marked: file.text[start..end].lines().next().unwrap_or("").chars().count(),
        }
    }

    /// The bytes in the file of a part of a quoted text. `quoted` is the range of the text with its
    /// quotes, `part` that within what it says: escapes take more room in the file.
    pub(super) fn inside_text(&self, quoted: &Range<usize>, part: Range<usize>) -> Range<usize> {
        let file = self.file(quoted.start);
        let start = quoted.start - file.base + 1;
        let raw = file.text.get(start..).unwrap_or("");
        let locate = |wanted: usize| {
            let (mut decoded, mut rest) = (0, raw);
            while decoded < wanted {
                let Some(first) = rest.chars().next() else { break };
                let (taken, meant) = match (first, rest.as_bytes().get(1)) {
                    ('\\', Some(b'u')) => {
                        let code = rest.get(2..6).and_then(|hex| u32::from_str_radix(hex, 16).ok());
                        // The halves of a pair come one after the other: two bytes of four each.
                        let size = code.map_or(1, |code| match code {
                            0xd800..=0xdfff => 2,
                            code => char::from_u32(code).map_or(1, char::len_utf8),
                        });
                        (6, size)
                    }
                    ('\\', _) => (2, 1),
                    (first, _) => (first.len_utf8(), first.len_utf8()),
                };
                decoded += meant;
                rest = rest.get(taken..).unwrap_or("");
            }
            quoted.start + 1 + (raw.len() - rest.len())
        };
        locate(part.start)..locate(part.end)
    }
}

/// Why something is read: the prefab it is in, or the copy of an item.
pub(super) enum Why {
    /// With what it was given, if it is a built-in one.
    Prefab(String, Vec<Argument>),
    Copy(u32),
}

/// A value of a parameter in a use of a prefab.
pub(super) struct Argument {
    pub(super) name: String,
    /// Where it is written.
    pub(super) range: Range<usize>,
    pub(super) path: String,
    /// Whether that is in the prefab, and not in the use.
    pub(super) is_default: bool,
}

/// A use of something that is written elsewhere, and the uses around it.
pub(super) struct Use {
    pub(super) why: Why,
    /// Where it is used.
    pub(super) range: Range<usize>,
    pub(super) path: String,
    pub(super) outer: Trace,
}

/// The uses that lead to what is being read, the innermost first.
pub(super) type Trace = Option<Rc<Use>>;

/// All uses of a trace, the innermost first.
pub(super) fn uses(trace: &Trace) -> impl Iterator<Item = &Use> {
    std::iter::successors(trace.as_deref(), |part| part.outer.as_deref())
}

/// The nearest character boundary at or before a byte.
fn floor_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}
