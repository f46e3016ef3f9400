//! Where text goes, how it is aligned and coloured, and how a call ends.

use std::fmt::{Display, Write as _};
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Style};

use crate::error::Error;

/// How a call of the program ended: its exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// All went well.
    Success = 0,
    /// A level broke a promise.
    Failed = 1,
    /// A flag or argument is wrong, or the output could not be written.
    Usage = 2,
    /// A level is missing or wrong.
    Invalid = 3,
    /// The simulation diverged.
    Diverged = 4,
    /// No window could be opened although one was demanded.
    NoWindow = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// What stopped a command.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) exit: Exit,
    pub(crate) message: String,
    /// Whether the message says itself that it is about errors.
    labelled: bool,
}

impl Fault {
    pub(crate) fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), labelled: false }
    }

    /// An error in the level of this name.
    pub(crate) fn in_level(name: &str, error: Error) -> Self {
        let fault = Self::from(error);
        if fault.labelled {
            return fault;
        }
        Self { message: format!("{name}: {}", fault.message), ..fault }
    }

    /// Says it on stderr.
    pub(crate) fn print(&self) {
        if self.labelled {
            // Where stderr is closed there is nobody to tell.
            let _ = writeln!(anstream::stderr().lock(), "{}", self.message);
        } else {
            say("error", AnsiColor::Red, &self.message);
        }
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let exit = if error.is_diverged() {
            Exit::Diverged
        } else if error.is_invalid_level() {
            Exit::Invalid
        } else if error.is_no_window() {
            Exit::NoWindow
        } else {
            Exit::Usage
        };
        Self { labelled: error.has_diagnostics(), ..Self::new(exit, error.to_string()) }
    }
}

/// Says something on stderr that does not stop the command.
pub(crate) fn warn(message: &str) {
    say("note", AnsiColor::Cyan, message);
}

fn say(label: &str, color: AnsiColor, message: &str) {
    let style = color.on_default().bold();
    // Where stderr is closed there is nobody to tell.
    let _ = writeln!(anstream::stderr().lock(), "{style}{label}{style:#}: {message}");
}

/// Writes data to stdout. A reader that has seen enough (`| head`) is no fault.
pub(crate) fn print(text: &str) -> Result<(), Fault> {
    let mut stdout = anstream::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(Fault::new(Exit::Usage, format!("cannot write to the standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Writes data to stdout as one line of JSON.
pub(crate) fn print_json(data: &impl serde::Serialize) -> Result<(), Fault> {
    match serde_json::to_string(data) {
        Ok(text) => print(&format!("{text}\n")),
        Err(error) => Err(Fault::new(Exit::Usage, format!("cannot write the report: {error}"))),
    }
}

/// Refuses a file, named by a flag, that could not be written, before it has cost a long run; and one that would take the place of
/// a file that is read.
pub(crate) fn writable<'a>(
    flag: &str,
    path: &Path,
    mut read: impl Iterator<Item = &'a Path>,
) -> Result<(), Fault> {
    let own = path.canonicalize().ok();
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let problem = if path.is_dir() {
        format!("{} is a folder; name a file in it", path.display())
    } else if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        format!("there is no folder {}; make it, or name another file", folder.display())
    } else if own.is_some() && read.any(|file| file.canonicalize().ok() == own) {
        format!("{} is read here; name another file", path.display())
    } else {
        return Ok(());
    };
    Err(Fault::new(Exit::Usage, format!("{flag}: {problem}")))
}

/// Writes a file that a flag names.
pub(crate) fn write_file(flag: &str, path: &Path, text: &str) -> Result<(), Fault> {
    std::fs::write(path, text).map_err(|error| {
        let problem = format!("{flag}: cannot write {}: {error}", path.display());
        Fault::new(Exit::Usage, format!("{problem}; is the folder writable?"))
    })
}

pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const QUIET: Style = Style::new().dimmed();
pub(crate) const HEAD: Style = Style::new().bold();

/// `text` in a style; stripped again where colour is not wanted.
pub(crate) fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A table with aligned columns.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table {
    rows: Vec<Row>,
}

#[derive(Clone, Debug)]
struct Row {
    cells: Vec<(String, Style)>,
    /// Lines below the row that the columns do not bind.
    notes: Vec<String>,
}

impl Table {
    /// A table with column heads.
    pub(crate) fn new(heads: &[&str]) -> Self {
        let mut table = Self::default();
        table.row(heads.iter().map(|head| ((*head).to_owned(), HEAD)).collect());
        table
    }

    pub(crate) fn row(&mut self, cells: Vec<(String, Style)>) {
        self.rows.push(Row { cells, notes: Vec::new() });
    }

    /// A line below the last row.
    pub(crate) fn note(&mut self, text: String) {
        if let Some(row) = self.rows.last_mut() {
            row.notes.push(text);
        }
    }

    /// The table as text, a line per row.
    pub(crate) fn render(&self) -> String {
        let columns = self.rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.cells.get(column));
            cells.map(|(text, _)| text.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for row in &self.rows {
            for (column, (text, style)) in row.cells.iter().enumerate() {
                out += &styled(*style, text);
                if column + 1 < row.cells.len() {
                    let gap = widths[column] + 3 - text.chars().count();
                    out.extend(std::iter::repeat_n(' ', gap));
                }
            }
            out.push('\n');
            for note in &row.notes {
                // Writing to a string cannot fail.
                let _ = writeln!(out, "  {note}");
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up_whatever_the_colours() {
        let mut table = Table::new(&["level", "kept"]);
        table.row(vec![("pyramid".into(), GOOD), ("2 of 2".into(), BAD)]);
        table.note("below".into());
        let plain = anstream::adapter::strip_str(&table.render()).to_string();
        assert_eq!(plain, "level     kept\npyramid   2 of 2\n  below\n");
    }
}
