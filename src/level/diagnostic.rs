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

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};
use std::ops::Range;
use std::rc::Rc;

use serde::Serialize;

use super::sources::{Texts, Trace, Use, Why, uses};
use super::tree::Place;

/// The most diagnostics shown in full.
const MOST_SHOWN: usize = 20;
/// The most diagnostics kept.
const MOST_KEPT: usize = 200;
/// The most mistakes looked for, with those that say nothing new: one in a prefab is found at every
/// use of it.
const MOST_RECORDED: usize = 2000;
/// The widest excerpt of a source line, in characters.
const WIDEST_EXCERPT: usize = 100;
/// The longest text from a file that a message repeats, in characters.
const LONGEST_QUOTE: usize = 40;

/// Whether a level can be used in spite of what a diagnostic says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It cannot: something in it is wrong.
    Error,
    /// It can, but something in it is rarely meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

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
    /// Whether the level can be used all the same.
    pub severity: Severity,
    /// The path of the value inside the file, such as `items[3].size`; empty for the whole file.
    pub path: String,
    /// What is wrong.
    pub message: String,
    /// What to do about it.
    pub help: Option<String>,
    /// What the value is read for, the innermost first: `the prefab `tower`, used at x.json:12:5`.
    /// Empty for what stands in the level itself.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub within: Vec<String>,
    /// The line with its underline.
    #[serde(skip)]
    excerpt: String,
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, line, column, severity, path, message, help, within, excerpt } = self;
        write!(f, "{file}:{line}:{column}: {severity}: {message}")?;
        f.write_str(excerpt)?;
        if !path.is_empty() {
            write!(f, "\n      at {path}")?;
        }
        for part in within {
            write!(f, "\n      in {part}")?;
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

/// Collects what is wrong with a level.
pub(super) struct Report<'t> {
    texts: Texts<'t>,
    found: Vec<Found>,
    /// How many mistakes were recorded, with those that say nothing new.
    recorded: usize,
    /// Places about which enough is said.
    silent: BTreeSet<(usize, usize)>,
    /// What led to the place that is being read.
    trace: Trace,
    /// Tells the readings of the same place apart.
    reading: usize,
    readings: usize,
}

struct Found {
    range: Range<usize>,
    reading: usize,
    diagnostic: Diagnostic,
}

/// What to go back to once a use has been read.
pub(super) struct Before(Trace, usize);

impl<'t> Report<'t> {
    pub(super) fn new(text: &'t str, file: &'t str) -> Self {
        Self {
            texts: Texts::new(text, file),
            found: Vec::new(),
            recorded: 0,
            silent: BTreeSet::new(),
            trace: None,
            reading: 0,
            readings: 0,
        }
    }

    /// Adds the text of another file; returns where it begins in the count of bytes.
    pub(super) fn add_file(&mut self, file: String, text: String) -> usize {
        self.texts.add(file.into(), text.into(), false)
    }

    /// Adds a text of the crate. What is wrong in it is reported where it is used.
    pub(super) fn add_built_in(&mut self, file: &'static str, text: &'static str) -> usize {
        self.texts.add(file.into(), text.into(), true)
    }

    /// The number of mistakes recorded so far.
    pub(super) fn count(&self) -> usize {
        self.recorded
    }

    /// Whether nothing is wrong so far.
    pub(super) fn is_clean(&self) -> bool {
        self.found.is_empty()
    }

    /// Whether there is no room for more: what is left to read need not be read.
    pub(super) fn is_full(&self) -> bool {
        self.found.len() >= MOST_KEPT || self.recorded >= MOST_RECORDED
    }

    /// The line of a byte in its file, from 1.
    pub(super) fn line(&self, byte: usize) -> usize {
        self.texts.spot(&(byte..byte)).line
    }

    /// Where a byte is, as seen from another: `line 3`, with the file if that is not the same.
    pub(super) fn locate(&self, byte: usize, from: usize) -> String {
        let spot = self.texts.spot(&(byte..byte));
        if self.texts.share_file(byte, from) {
            format!("line {}", spot.line)
        } else {
            format!("line {} of {}", spot.line, spot.file)
        }
    }

    /// The bytes of a part of a quoted text; see [`Texts::inside_text`].
    pub(super) fn inside_text(&self, quoted: &Range<usize>, part: Range<usize>) -> Range<usize> {
        self.texts.inside_text(quoted, part)
    }

    /// Says nothing more about exactly this place.
    pub(super) fn silence(&mut self, range: Range<usize>) {
        self.silent.insert((range.start, range.end));
    }

    /// From now on what is read is so because of a use at `place`, until [`leave`](Self::leave). A
    /// place that is read for several uses is reported for the first of them only.
    pub(super) fn enter(&mut self, why: Why, place: &Place<'_>) -> Before {
        let (range, path) = (place.node.range.clone(), place.path.clone());
        let outer = self.trace.clone();
        self.enter_trace(Some(Rc::new(Use { why, range, path, outer })))
    }

    /// From now on what is read is so because of `trace`, until [`leave`](Self::leave).
    pub(super) fn enter_trace(&mut self, trace: Trace) -> Before {
        self.readings += 1;
        let reading = std::mem::replace(&mut self.reading, self.readings);
        Before(std::mem::replace(&mut self.trace, trace), reading)
    }

    pub(super) fn leave(&mut self, before: Before) {
        Before(self.trace, self.reading) = before;
    }

    /// What led to the place that is being read.
    pub(super) fn trace(&self) -> Trace {
        self.trace.clone()
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
        self.push(Severity::Error, range, path, message.into(), help);
    }

    /// Records something in a range of bytes that is allowed and rarely meant.
    pub(super) fn warn(&mut self, range: Range<usize>, path: &str, message: String, help: &str) {
        self.push(Severity::Warning, range, path, message, Some(help));
    }

    fn push(
        &mut self,
        severity: Severity,
        range: Range<usize>,
        path: &str,
        mut message: String,
        help: Option<&str>,
    ) {
        self.recorded += 1;
        if self.is_full() || self.silent.contains(&(range.start, range.end)) {
            return;
        }
        let (mut range, mut path, mut trace) = (range, path, &self.trace);
        // The author cannot mend a built-in prefab, only what is asked of it; of one value once is enough.
        let mut one_value = false;
        while self.texts.is_built_in(range.start)
            && let Some(inner) = trace
        {
            trace = &inner.outer;
            let Why::Prefab(name, given) = &inner.why else { continue };
            let argument = self.texts.given_for(&range, given);
            one_value = argument.is_some();
            (range, path) = match argument {
                Some(argument) => (argument.range.clone(), &argument.path),
                None => (inner.range.clone(), &inner.path),
            };
            if !self.texts.is_built_in(range.start) {
                message = format!("in the built-in prefab {}: {message}", ticked(name));
            }
        }
        let told = |found: &Found| {
            found.range == range
                && (one_value
                    || found.reading != self.reading
                    || found.diagnostic.message == message)
        };
        if self.found.iter().any(told) {
            return;
        }
        let spot = self.texts.spot(&range);
        let diagnostic = Diagnostic {
            file: spot.file.to_owned(),
            line: spot.line,
            column: spot.column,
            severity,
            path: printable(path),
            message,
            help: help.map(str::to_owned),
            within: uses(trace).map(|part| self.because(part)).collect(),
            excerpt: excerpt(spot.line, spot.text, spot.column - 1, spot.marked),
        };
        self.found.push(Found { range, reading: self.reading, diagnostic });
    }

    fn because(&self, part: &Use) -> String {
        let spot = self.texts.spot(&part.range);
        let place = format!("{}:{}:{}", spot.file, spot.line, spot.column);
        match &part.why {
            Why::Prefab(name, _) => format!("the prefab {}, used at {place}", ticked(name)),
            Why::Copy(number) => format!("copy {number} of the item at {place}"),
        }
    }

    /// Everything found, in the order of the files.
    pub(super) fn finish(mut self) -> Vec<Diagnostic> {
        self.found.sort_by_key(|found| found.range.start);
        self.found.into_iter().map(|found| found.diagnostic).collect()
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

/// The name that may be meant by one that is not known: the nearest, if it is near. One that is empty, which is reported
/// where it is given, is never meant.
pub(super) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let lower = name.chars().take(LONGEST_QUOTE).collect::<String>().to_lowercase();
    let edits = |known: &str| strsim::damerau_levenshtein(&lower, &known.to_lowercase());
    // A third of the letters may be wrong: more than that is another word.
    let most = lower.chars().count().max(3) / 3;
    let named = known.into_iter().filter(|known| !known.is_empty());
    let all = named.map(|known| (edits(known), known));
    all.min_by_key(|(edits, _)| *edits).filter(|(edits, _)| *edits <= most).map(|(_, known)| known)
}

/// The remedy for a name that is not known: the nearest one that is, or all of them.
pub(super) fn suggestion<'n>(
    name: &str,
    known: impl IntoIterator<Item = &'n str>,
    what: &str,
) -> String {
    let known: Vec<&str> = known.into_iter().collect();
    match nearest(name, known.iter().copied()) {
        Some(candidate) => format!("did you mean {}?", ticked(candidate)),
        None => choices(known, what),
    }
}

/// The names that are known, if there are not too many.
pub(super) fn choices<'n>(known: impl IntoIterator<Item = &'n str>, what: &str) -> String {
    const MOST_LISTED: usize = 40;
    let known: Vec<&str> = known.into_iter().filter(|name| !name.is_empty()).collect();
    let mut list = known.iter().take(MOST_LISTED).copied().map(shortened).collect::<Vec<_>>();
    match known.len() {
        0 => return format!("there are no {what}"),
        count if count > MOST_LISTED => list.push(format!("… ({count} in all)")),
        _ => {}
    }
    format!("{what}: {}", list.join(", "))
}
