//! Documents whose tables are made here: what stands before the mark is kept.

use std::path::{Path, PathBuf};

use crate::peer::Outcome;

/// The line of a document after which its tables stand.
const MARK: &str = "<!-- The rest is made by benches/peers. -->\n";

/// Where tables go.
pub struct Document {
    /// The file, and what it has before its tables; the screen for none.
    file: Option<(PathBuf, String)>,
}

impl Document {
    /// A document whose tables are to be replaced, or the screen. Made before the work is done, so
    /// that a document without a place for tables costs nobody an hour.
    ///
    /// # Errors
    /// If the file cannot be read, or has no mark.
    pub fn open(path: Option<&Path>) -> Outcome<Self> {
        let Some(path) = path else { return Ok(Self { file: None }) };
        let text = std::fs::read_to_string(path)
            .map_err(|error| format!("{} cannot be read: {error}", path.display()))?;
        let Some(end) = text.find(MARK).map(|start| start + MARK.len()) else {
            return Err(format!("{} has no line {}", path.display(), MARK.trim()).into());
        };
        Ok(Self { file: Some((path.to_owned(), text[..end].to_owned())) })
    }

    /// Keeps the tables that there are so far, so that they are not lost if what follows fails. On
    /// the screen they come once, at the end.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&self, tables: &str) -> Outcome<()> {
        if self.file.is_some() { self.write(tables) } else { Ok(()) }
    }

    /// Writes the tables.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, tables: &str) -> Outcome<()> {
        match &self.file {
            Some((path, head)) => std::fs::write(path, format!("{head}\n{tables}"))
                .map_err(|error| format!("{} cannot be written: {error}", path.display()))?,
            None => print!("{tables}"),
        }
        Ok(())
    }
}
