//! What is wrong with a level file, and where: collected while it is read, shown all at once.
//!
//! The text form is that of compilers, so that editors which know `file:line:column` can jump:
//!
//! ```text
//! levels/stack.json:4:24: error: unknown key `frction`
//!   4 |   { "type": "crate", "frction": 0.4 },
//!     |                      ^^^^^^^^^
//!     at items[0].frction
//!     help: did you mean `friction`?
//! ```

use std::fmt::{self, Write as _};
use std::ops::Range;

use serde::Serialize;

use super::tree::Place;

/// The most diagnostics shown in full.
const MOST_SHOWN: usize = 20;
/// The most diagnostics kept.
const MOST_KEPT: usize = 200;
/// The widest excerpt of a source line, in characters.
const WIDEST_EXCERPT: usize = 100;
/// The longest text from a file that a message repeats, in characters.
const LONGEST_QUOTE: usize = 40;

/// One mistake in a level file.
///
/// [`Display`](fmt::Display) shows it with the line it is on, underlined; as JSON it has the public
/// fields.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file's name as it was given.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The path of the value inside the file, such as `items[3].size`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// The line with its underline.
    #[serde(skip)]
    excerpt: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, path, message, help, excerpt } = self;
        write!(f, "{file}:{line}:{column}: error: {message}")?;
        f.write_str(excerpt)?;
        if !path.is_empty() {
            write!(f, "\n      at {path}")?;
        }
        if let Some(help) = help {
            write!(f, "\n      help: {help}")?;
        }
        Ok(())
    }
}

/// All diagnostics as one text; past the first twenty only their number.
pub(super) fn render(diagnostics: &[Diagnostic]) -> String {
    let mut text = String::new();
    for (i, diagnostic) in diagnostics.iter().take(MOST_SHOWN).enumerate() {
        let gap = if i == 0 { "" } else { "\n\n" };
        // Writing to a String cannot fail.
        let _ = write!(text, "{gap}{diagnostic}");
    }
    match diagnostics.len().saturating_sub(MOST_SHOWN) {
        0 => {}
        more if diagnostics.len() < MOST_KEPT => {
            let _ = write!(text, "\n\n… and {more} more");
        }
        more => {
            let _ = write!(text, "\n\n… and at least {more} more");
        }
    }
    text
}

/// Collects what is wrong with one file.
pub(super) struct Report<'t> {
    file: &'t str,
    text: &'t str,
    /// Where each line starts, in bytes.
    lines: Vec<usize>,
    found: Vec<(usize, Diagnostic)>,
}

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str, file: &'t str) -> Self {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n');
        let lines = std::iter::once(0).chain(breaks.map(|(i, _)| i + 1)).collect();
        Self { file, text, lines, found: Vec::new() }
    }

    /// The number of mistakes found so far.
    pub(super) fn count(&self) -> usize {
        self.found.len()
    }

    /// Whether there is no room for more: what is left to read need not be read.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST_KEPT
    }

    /// The line of a byte, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.lines.partition_point(|&start| start <= byte)
    }

    /// Records a mistake in the value at `place`.
    pub(super) fn error(&mut self, place: &Place<'_>, message: impl Into<String>) {
        self.add(place.node.range.clone(), &place.path, message, None);
    }

    /// Records a mistake in the value at `place`, and its remedy.
    pub(super) fn error_with_help(
        &mut self,
        place: &Place<'_>,
        message: impl Into<String>,
        help: impl AsRef<str>,
    ) {
        self.add(place.node.range.clone(), &place.path, message, Some(help.as_ref()));
    }

    /// Records a mistake in a range of bytes.
    pub(super) fn add(
        &mut self,
        range: Range<usize>,
        path: &str,
        message: impl Into<String>,
        help: Option<&str>,
    ) {
        if self.is_full() {
            return;
        }
        let start = floor_boundary(self.text, range.start);
        let end = floor_boundary(self.text, range.end.max(start));
        let line = self.line(start);
        let line_start = self.lines[line - 1];
        let line_text = self.text[line_start..].lines().next().unwrap_or("");
        let before = self.text[line_start..start].chars().count();
        let marked = self.text[start..end].lines().next().unwrap_or("").chars().count();
        let diagnostic = Diagnostic {
            file: self.file.to_owned(),
            line,
            column: before + 1,
            path: printable(path),
            message: message.into(),
            help: help.map(str::to_owned),
            excerpt: excerpt(line, line_text, before, marked),
        };
        self.found.push((start, diagnostic));
    }

    /// Everything found, in the order of the file.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|&(start, _)| start);
        self.found.into_iter().map(|(_, diagnostic)| diagnostic).collect()
    }
}

/// The line and its underline; a long line is cut to the part that matters.
fn excerpt(number: usize, line: &str, before: usize, marked: usize) -> String {
    if line.trim().is_empty() {
        return String::new();
    }
    let length = line.chars().count();
    let from = if length <= WIDEST_EXCERPT { 0 } else { before.saturating_sub(WIDEST_EXCERPT / 3) };
    let shown: String = line.chars().skip(from).take(WIDEST_EXCERPT).collect();
    let cut_left = if from > 0 { "…" } else { "" };
    let cut_right = if from + WIDEST_EXCERPT < length { "…" } else { "" };
    let column = before - from + usize::from(from > 0);
    let marks = marked.min((WIDEST_EXCERPT + from).saturating_sub(before)).max(1);
    format!(
        "\n{number:>4} | {cut_left}{}{cut_right}\n     | {}{}",
        printable(&shown),
        " ".repeat(column),
        "^".repeat(marks)
    )
}

/// The text with everything a terminal might obey replaced, character by character.
fn printable(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            '\t' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

fn shortened(text: &str) -> String {
    let text = printable(text);
    if text.chars().count() <= LONGEST_QUOTE {
        return text;
    }
    text.chars().take(LONGEST_QUOTE - 1).chain(['…']).collect()
}

/// A text from the file in double quotes, for a message.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", shortened(text))
}

/// A name from the file in back ticks, for a message.
pub(super) fn ticked(name: &str) -> String {
    format!("`{}`", shortened(name))
}

/// The nearest character boundary at or before a byte.
fn floor_boundary(text: &str, byte: usize) -> usize {
    let mut byte = byte.min(text.len());
    while !text.is_char_boundary(byte) {
        byte -= 1;
    }
    byte
}

/// The remedy for a name that is not known: the nearest one that is, or all of them.
pub(super) fn suggestion<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
    what: &str,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    let lower = name.chars().take(LONGEST_QUOTE).collect::<String>().to_lowercase();
    let nearest = known
        .iter()
        .map(|candidate| {
            (strsim::damerau_levenshtein(&lower, &candidate.to_lowercase()), candidate)
        })
        .min_by_key(|&(distance, _)| distance);
    // A third of the letters may be wrong: more than that is another word.
    if let Some((distance, candidate)) = nearest
        && distance <= (lower.chars().count().max(3)) / 3
    {
        return format!("did you mean {}?", ticked(candidate));
    }
    const MOST_LISTED: usize = 30;
    let mut list = known.iter().take(MOST_LISTED).copied().map(shortened).collect::<Vec<_>>();
    match known.len() {
        0 => return format!("there are no {what}"),
        count if count > MOST_LISTED => list.push(format!("… ({count} in all)")),
        _ => {}
    }
    format!("{what}: {}", list.join(", "))
}
