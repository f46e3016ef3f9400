//! The formatter: a level's text with even spacing and indentation.
//!
//! Line breaks are the author's, as in `gofmt`: what stands on one line stays there, what is spread
//! over several lines stays spread. The formatter sets spaces, indentation and trailing commas,
//! keeps at most one blank line, and breaks lines that are far too wide. Numbers, texts and comments
//! are copied as they are. Formatting twice changes nothing more.
//!
//! ```text
//!   block: a line break after the bracket          hanging: none
//!   "items": [                                     { "type": "box", "size": [3, 1],
//!     { "type": "box", "size": [3, 1] },             "at": [0, 4], "color": "#aa7744" }
//!   ],
//! ```

use jsonc_parser::common::Ranged;
use jsonc_parser::tokens::{Token, TokenAndRange};

/// How far lines are filled that the formatter breaks, in characters.
const WIDTH: usize = 100;
/// The widest line of an author that is left alone: in a column of similar items, one that is a
/// little longer than the others reads better whole.
const WIDEST: usize = 130;
/// Spaces per level of a block.
const STEP: usize = 2;

/// A comment on a line of its own.
struct Comment<'t> {
    text: &'t str,
    /// Whether a blank line comes before it.
    blank: bool,
}

/// A value with the comments in it.
enum Value<'t> {
    Scalar(&'t str),
    Container(Container<'t>),
}

/// A list or an object.
struct Container<'t> {
    brackets: [&'static str; 2],
    /// Whether the author broke the line after the opening bracket.
    block: bool,
    /// Comments behind the opening bracket, on its line.
    opening: Vec<&'t str>,
    entries: Vec<Entry<'t>>,
    /// Comments after the last entry.
    closing: Vec<Comment<'t>>,
}

/// An element of a list or a member of an object.
struct Entry<'t> {
    /// Comments on lines of their own above it.
    leading: Vec<Comment<'t>>,
    /// Whether the author broke the line before it, and whether a blank line comes before it.
    newline: bool,
    blank: bool,
    key: Option<&'t str>,
    value: Value<'t>,
    /// Comments behind it, on its line.
    trailing: Vec<&'t str>,
}

/// Formats a text that has been parsed into these tokens, comments among them. `None` if they are
/// not those of one JSON value.
pub(super) fn format(text: &str, tokens: &[TokenAndRange<'_>]) -> Option<String> {
    let mut reader = Reader { text, tokens, next: 0, moved: Vec::new() };
    let mut writer = Writer::default();
    for comment in reader.comments() {
        writer.line_comment(&comment, 0);
    }
    let blank = reader.newlines() > 1;
    let value = reader.value()?;
    if !writer.out.is_empty() {
        writer.break_line(0, blank);
    }
    writer.value(&value, 0, 0);
    for text in reader.same_line_comments() {
        writer.push(" ");
        writer.push(text);
    }
    for comment in reader.comments() {
        writer.line_comment(&comment, 0);
    }
    writer.out.push('\n');
    reader.peek().is_none().then_some(writer.out)
}

/// Reads tokens into entries with the comments that belong to them.
struct Reader<'t, 'k> {
    text: &'t str,
    tokens: &'k [TokenAndRange<'k>],
    next: usize,
    /// Comments that have been read and had no room on their line.
    moved: Vec<Comment<'t>>,
}

impl<'t> Reader<'t, '_> {
    fn peek(&self) -> Option<&Token<'_>> {
        self.tokens.get(self.next).map(|token| &token.token)
    }

    fn take(&mut self) -> Option<&'t str> {
        let token = self.tokens.get(self.next)?;
        self.next += 1;
        self.text.get(token.start()..token.end()).map(str::trim_end)
    }

    fn take_if(&mut self, wanted: &Token<'_>) -> bool {
        let found = self.peek() == Some(wanted);
        self.next += usize::from(found);
        found
    }

    /// Line breaks between the last token and the next.
    fn newlines(&self) -> usize {
        let end = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        let from = end.map_or(0, Ranged::end);
        let to = self.tokens.get(self.next).map_or(self.text.len(), Ranged::start);
        self.text.get(from..to).map_or(0, |gap| gap.matches('\n').count())
    }

    fn at_comment(&self) -> bool {
        matches!(self.peek(), Some(Token::CommentLine(_) | Token::CommentBlock(_)))
    }

    fn comments(&mut self) -> Vec<Comment<'t>> {
        let mut comments = std::mem::take(&mut self.moved);
        while self.at_comment() {
            let blank = self.newlines() > 1;
            comments.extend(self.take().map(|text| Comment { text, blank }));
        }
        comments
    }

    /// The comments up to the end of this line, if nothing else follows on it.
    fn same_line_comments(&mut self) -> Vec<&'t str> {
        let (before, mut comments) = (self.next, Vec::new());
        while self.at_comment() && self.newlines() == 0 {
            comments.extend(self.take());
        }
        let ends = matches!(self.peek(), None | Some(Token::CloseBrace | Token::CloseBracket));
        if !ends && self.newlines() == 0 {
            self.next = before;
            comments.clear();
        }
        comments
    }

    fn value(&mut self) -> Option<Value<'t>> {
        let brackets = match self.peek()? {
            Token::OpenBrace => ["{", "}"],
            Token::OpenBracket => ["[", "]"],
            _ => return self.take().map(Value::Scalar),
        };
        self.next += 1;
        let opening = self.same_line_comments();
        let block = self.newlines() > 0;
        let mut entries = Vec::new();
        loop {
            let leading = self.comments();
            if matches!(self.peek()?, Token::CloseBrace | Token::CloseBracket) {
                self.next += 1;
                let closing = leading;
                let container = Container { brackets, block, opening, entries, closing };
                return Some(Value::Container(container));
            }
            entries.push(self.entry(leading, brackets[0] == "{")?);
        }
    }

    fn entry(&mut self, mut leading: Vec<Comment<'t>>, member: bool) -> Option<Entry<'t>> {
        let newlines = self.newlines();
        let key = if member { Some(self.take()?) } else { None };
        if member {
            leading.extend(self.comments());
            self.take_if(&Token::Colon);
            leading.extend(self.comments());
        }
        let value = self.value()?;
        let after_value = self.next;
        let mut trailing: Vec<&str> = self.comments().iter().map(|comment| comment.text).collect();
        if !self.take_if(&Token::Comma) {
            // The last entry: comments on lines of their own belong to the end of the container.
            self.next = after_value;
            trailing.clear();
        }
        trailing.extend(self.same_line_comments());
        // A line ends with its first `//`: further comments move to lines of their own below.
        let line_ends = trailing.iter().position(|text| text.starts_with("//"));
        let below = trailing.split_off(line_ends.map_or(trailing.len(), |last| last + 1));
        self.moved.extend(below.into_iter().map(|text| Comment { text, blank: false }));
        let blank = newlines > 1;
        Some(Entry { leading, newline: newlines > 0, blank, key, value, trailing })
    }
}

impl Entry<'_> {
    fn flat(&self) -> Option<String> {
        let value = self.value.flat()?;
        Some(self.key.map_or(String::new(), |key| format!("{key}: ")) + &value)
    }
}

impl Value<'_> {
    /// The value on one line, if the author did not break it and no comment is in it.
    fn flat(&self) -> Option<String> {
        let container = match self {
            Self::Scalar(text) => return Some((*text).to_owned()),
            Self::Container(container) => container,
        };
        let Container { brackets: [open, close], block, opening, entries, closing } = container;
        if !(opening.is_empty() && closing.is_empty()) {
            return None;
        }
        if entries.is_empty() {
            return Some(format!("{open}{close}"));
        }
        let mut parts = Vec::with_capacity(entries.len());
        for entry in entries {
            let plain = entry.leading.is_empty() && entry.trailing.is_empty();
            if *block || entry.newline || !plain {
                return None;
            }
            parts.push(entry.flat()?);
        }
        let space = if *open == "{" { " " } else { "" };
        Some(format!("{open}{space}{}{space}{close}", parts.join(", ")))
    }
}

impl Container<'_> {
    /// Whether comments leave no choice but a block.
    fn needs_block(&self) -> bool {
        let first = self.entries.first().is_some_and(|entry| !entry.leading.is_empty());
        let last = self.entries.last().is_some_and(|entry| !entry.trailing.is_empty());
        self.block || !self.opening.is_empty() || !self.closing.is_empty() || first || last
    }

    /// Whether every entry would stand on one line, and there are no comments or blank lines.
    fn is_simple(&self) -> bool {
        let plain = |entry: &Entry<'_>| {
            let alone = entry.leading.is_empty() && entry.trailing.is_empty();
            alone && !entry.blank && entry.flat().is_some()
        };
        self.entries.iter().all(plain)
    }

    fn holds_objects(&self) -> bool {
        let object = |value: &Value<'_>| matches!(value, Value::Container(c) if c.is_object());
        !self.is_object() && self.entries.iter().any(|entry| object(&entry.value))
    }

    fn is_object(&self) -> bool {
        self.brackets[0] == "{"
    }
}

/// Where entries begin new lines. Either way a line that would be too wide is broken.
#[derive(Clone, Copy)]
enum Breaks {
    /// Each on its own.
    All,
    /// Where the author broke the line.
    Kept,
    /// Only where a line is full.
    Filled,
}

/// Writes lines and knows where it is on the last of them.
#[derive(Default)]
struct Writer {
    out: String,
    column: usize,
    /// The indentation of the last line.
    indent: usize,
}

impl Writer {
    fn push(&mut self, text: &str) {
        self.out.push_str(text);
        self.column = match text.rsplit_once('\n') {
            Some((_, last)) => last.chars().count(),
            None => self.column + text.chars().count(),
        };
    }

    fn break_line(&mut self, indent: usize, blank: bool) {
        self.out.push_str(if blank { "\n\n" } else { "\n" });
        self.out.extend(std::iter::repeat_n(' ', indent));
        (self.column, self.indent) = (indent, indent);
    }

    /// A comment on a line of its own.
    fn line_comment(&mut self, comment: &Comment<'_>, indent: usize) {
        if !self.out.is_empty() {
            self.break_line(indent, comment.blank);
        }
        self.push(comment.text);
    }

    /// Writes a value; `after` is the width of what follows it on the line.
    fn value(&mut self, value: &Value<'_>, depth: usize, after: usize) {
        let container = match value {
            Value::Scalar(text) => return self.push(text),
            Value::Container(container) => container,
        };
        let flat = value.flat();
        if let Some(flat) = &flat
            && self.fits(flat, after, WIDEST)
        {
            return self.push(flat);
        }
        // What the author left to us: the file itself and lists of objects become blocks.
        let opened = flat.is_some() && (depth == 0 || container.holds_objects());
        let [open, close] = container.brackets;
        self.push(open);
        if opened || container.needs_block() {
            for text in &container.opening {
                self.push(" ");
                self.push(text);
            }
            let outer = self.indent;
            let breaks = if opened { Breaks::All } else { Breaks::Kept };
            self.entries(container, depth, outer + STEP, None, breaks);
            for (i, comment) in container.closing.iter().enumerate() {
                let blank = comment.blank && !(i == 0 && container.entries.is_empty());
                self.line_comment(&Comment { blank, ..*comment }, outer + STEP);
            }
            self.break_line(outer, false);
        } else {
            let space = if container.is_object() { " " } else { "" };
            self.push(space);
            let closing = space.len() + close.len() + after;
            let start = (self.out.len(), self.column, self.indent);
            let broken = self.entries(container, depth, self.column, Some(closing), Breaks::Kept);
            if broken && container.is_simple() {
                // A line was too wide. Its rest would stand alone: fill all lines anew.
                self.out.truncate(start.0);
                (self.column, self.indent) = (start.1, start.2);
                self.entries(container, depth, self.column, Some(closing), Breaks::Filled);
            }
            self.push(space);
        }
        self.push(close);
    }

    fn fits(&self, text: &str, after: usize, width: usize) -> bool {
        self.column + text.chars().count() + after <= width
    }

    /// Writes the entries of a container. In a block every entry ends with a comma and the first
    /// begins on a line of its own; hanging ones begin behind the bracket and end before `closing`
    /// characters that close the container. Tells whether a line was too wide and had to be broken.
    fn entries(
        &mut self,
        container: &Container<'_>,
        depth: usize,
        indent: usize,
        closing: Option<usize>,
        breaks: Breaks,
    ) -> bool {
        let (mut open_ended, mut broken) = (false, false);
        for (i, entry) in container.entries.iter().enumerate() {
            let (first, last) = (i == 0, i + 1 == container.entries.len());
            let after = if last { closing.unwrap_or(1) } else { 1 };
            let kept = match breaks {
                Breaks::All => true,
                Breaks::Kept => entry.newline || open_ended || !entry.leading.is_empty(),
                Breaks::Filled => false,
            };
            let width = if matches!(breaks, Breaks::Kept) { WIDEST } else { WIDTH };
            let behind_bracket = first && closing.is_some();
            let wide = !(first || kept)
                && entry.flat().is_some_and(|flat| !self.fits(&flat, after + " ".len(), width));
            broken |= wide;
            if behind_bracket {
                // No break: that would make a block of it.
            } else if first || kept || wide {
                for (k, comment) in entry.leading.iter().enumerate() {
                    let blank = comment.blank && !(first && k == 0);
                    self.line_comment(&Comment { blank, ..*comment }, indent);
                }
                let topmost = first && entry.leading.is_empty();
                self.break_line(indent, entry.blank && !topmost);
            } else {
                self.push(" ");
            }
            if let Some(key) = entry.key {
                self.push(key);
                self.push(": ");
            }
            self.value(&entry.value, depth + 1, after);
            if !last || closing.is_none() {
                self.push(",");
            }
            for text in &entry.trailing {
                self.push(" ");
                self.push(text);
            }
            open_ended = !entry.trailing.is_empty();
        }
        broken
    }
}
