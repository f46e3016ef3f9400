//! A report of headings, text and tables, written as Markdown or as an HTML page.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::cli::compare;

/// A report.
pub(super) struct Document {
    pub(super) title: String,
    /// The call that made it.
    pub(super) command: String,
    pub(super) blocks: Vec<Block>,
}

/// A part of a report.
pub(super) enum Block {
    Heading(&'static str),
    Text(String),
    Table {
        heads: Vec<String>,
        rows: Vec<Vec<Cell>>,
    },
    /// What it is about, and what is said of it.
    List(Vec<(String, String)>),
}

/// A cell of a table.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) text: String,
    pub(super) style: Style,
}

/// How a cell looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    /// The best of its row or column: bold.
    Best,
    /// Broken: with a cross.
    Bad,
    /// A name from a level or a command line.
    Code,
}

impl Cell {
    pub(super) fn new(text: impl Into<String>, style: Style) -> Self {
        Self { text: text.into(), style }
    }

    pub(super) fn plain(text: impl Into<String>) -> Self {
        Self::new(text, Style::Plain)
    }

    pub(super) fn code(text: impl Into<String>) -> Self {
        Self::new(text, Style::Code)
    }

    fn markdown(&self) -> String {
        match self.style {
            Style::Plain => escaped(&self.text),
            Style::Best => format!("**{}**", escaped(&self.text)),
            Style::Bad => format!("✘ {}", escaped(&self.text)),
            // Nothing is escaped in code but what would end it, or the cell.
            Style::Code => format!("`{}`", self.text.replace('`', "'").replace('|', "\\|")),
        }
    }

    fn html(&self) -> Markup {
        html! {
            @match self.style {
                Style::Plain => (self.text),
                Style::Best => strong { (self.text) },
                Style::Bad => span class="bad" { "✘ " (self.text) },
                Style::Code => code { (self.text) },
            }
        }
    }
}

impl Document {
    /// The report as Markdown, with the command near the top.
    pub(super) fn markdown(&self) -> String {
        let mut out =
            format!("# {}\n\n```console\n$ {}\n```\n", escaped(&self.title), self.command);
        for block in &self.blocks {
            out.push('\n');
            // Writing to a string cannot fail.
            let _ = match block {
                Block::Heading(text) => writeln!(out, "## {text}"),
                Block::Text(text) => writeln!(out, "{}", filled(&escaped(text))),
                Block::Table { heads, rows } => write!(out, "{}", table(heads, rows)),
                Block::List(items) => items.iter().try_for_each(|(what, said)| {
                    writeln!(out, "* {}: {}", Cell::code(what).markdown(), escaped(said))
                }),
            };
        }
        out
    }

    /// The report as a page.
    pub(super) fn html(&self) -> String {
        let body = html! {
            h1 { (self.title) }
            @for block in &self.blocks {
                @match block {
                    Block::Heading(text) => h2 { (text) },
                    Block::Text(text) => p { (text) },
                    Block::Table { heads, rows } => div class="wide" {
                        table {
                            thead { tr { @for head in heads { th scope="col" { (head) } } } }
                            tbody {
                                @for row in rows {
                                    tr { @for cell in row { td { (cell.html()) } } }
                                }
                            }
                        }
                    },
                    Block::List(items) => ul {
                        @for (what, said) in items { li { code { (what) } ": " (said) } }
                    },
                }
            }
        };
        compare::document(&self.title, &self.command, &body)
    }
}

fn table(heads: &[String], rows: &[Vec<Cell>]) -> String {
    let heads: Vec<_> = heads.iter().map(|head| escaped(head)).collect();
    // Names to the left, numbers to the right.
    let mut out = format!("| {} |\n|---|{}\n", heads.join(" | "), "--:|".repeat(heads.len() - 1));
    for row in rows {
        let cells: Vec<_> = row.iter().map(Cell::markdown).collect();
        // Writing to a string cannot fail.
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
    out
}

/// Text that means nothing but itself in Markdown. An underscore within a word does.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => out.push(' '),
            '\\' | '`' | '*' | '|' | '[' | ']' | '#' => out.extend(['\\', c]),
            '<' => out += "&lt;",
            '&' => out += "&amp;",
            _ => out.push(c),
        }
    }
    out
}

/// Text in lines of at most 100 characters.
fn filled(text: &str) -> String {
    const WIDTH: usize = 100;
    let mut out = String::new();
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > WIDTH {
            out.push('\n');
            column = 0;
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out += word;
        column += length;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document() -> Document {
        Document {
            title: "A <b> & *c*".into(),
            command: "sinew lab".into(),
            blocks: vec![
                Block::Heading("Head"),
                Block::Text("x < y".into()),
                Block::Table {
                    heads: vec!["level".into(), "a|b".into()],
                    rows: vec![vec![Cell::code("l`|"), Cell::new("1 of 2", Style::Bad)]],
                },
                Block::List(vec![("l".into(), "was *not* kept".into())]),
            ],
        }
    }

    #[test]
    fn markdown_means_what_it_says() {
        let expected = "# A &lt;b> &amp; \\*c\\*\n\n```console\n$ sinew lab\n```\n\n## Head\n\n\
                        x &lt; y\n\n| level | a\\|b |\n|---|--:|\n| `l'\\|` | ✘ 1 of 2 |\n\n\
                        * `l`: was \\*not\\* kept\n";
        assert_eq!(document().markdown(), expected);
    }

    #[test]
    fn html_is_escaped() {
        let page = document().html();
        assert!(page.contains("<h1>A &lt;b&gt; &amp; *c*</h1>"), "{page}");
        assert!(page.contains("<span class=\"bad\">✘ 1 of 2</span>"), "{page}");
    }

    #[test]
    fn text_is_filled() {
        let text = filled(&"word ".repeat(60));
        assert!(text.lines().all(|line| line.len() <= 100), "{text}");
        assert_eq!(text.split_whitespace().count(), 60);
    }
}
