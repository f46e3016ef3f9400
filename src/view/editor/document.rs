//! The level that is edited: its text, what it describes, what can be undone, where it is saved.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::edit::{Edit, LevelText};
use crate::error::{Error, Result};
use crate::level::Level;
use crate::view::session::Source;
use crate::world::World;

/// A version of the level, sound in every respect.
pub(crate) struct Version {
    pub(crate) text: LevelText,
    pub(crate) level: Level,
    /// The level at its start.
    pub(crate) world: World,
}

impl Version {
    /// The item of the file that a body comes from; `None` if it comes from an included file.
    pub(crate) fn owner(&self, body: usize) -> Option<usize> {
        let origin = self.level.sources.bodies.get(body)?;
        (origin.file == 0).then_some(origin.item)
    }
}

/// The level that is edited.
pub(crate) struct Document {
    source: Source,
    now: Version,
    /// The text as it is in the file.
    saved: String,
    undo: Vec<LevelText>,
    redo: Vec<LevelText>,
    /// The user has been told that the file was changed by someone else.
    warned: bool,
}

/// The most versions that are kept to go back to.
const MOST_VERSIONS: usize = 200;
/// The most text that is kept to go back to, bytes.
const MOST_TEXT: usize = 64 << 20;

impl Document {
    /// Opens a level as it is in its file.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong.
    pub(crate) fn open(source: &Source) -> Result<Self> {
        let text = match source {
            Source::File(path) => {
                // Says what is wrong in the words of the loader, and bounds the size.
                Level::load(path)?;
                std::fs::read_to_string(path).map_err(|error| Error::read(path, error))?
            }
            Source::Builtin(name) => {
                let found = Level::BUILTIN.iter().find(|(known, _)| known == name);
                found.map_or("", |(_, text)| text).to_owned()
            }
        };
        let now = version(source, LevelText::parse(&text)?)?;
        let source = source.clone();
        let (undo, redo) = (Vec::new(), Vec::new());
        Ok(Self { source, now, saved: text, undo, redo, warned: false })
    }

    /// Where it comes from.
    pub(crate) fn source(&self) -> &Source {
        &self.source
    }

    /// As it is now.
    pub(crate) fn now(&self) -> &Version {
        &self.now
    }

    /// Whether the file has all of it.
    pub(crate) fn is_saved(&self) -> bool {
        self.now.text.as_str() == self.saved
    }

    /// Whether the file, read now, says what the document says.
    pub(crate) fn is_in_file(&self) -> bool {
        let Source::File(path) = &self.source else { return false };
        std::fs::read_to_string(path).is_ok_and(|text| text == self.now.text.as_str())
    }

    /// What it would be after some edits.
    ///
    /// # Errors
    /// If an edit cannot be made, or the level would not be sound.
    pub(crate) fn after(&self, edits: &[Edit]) -> Result<Version> {
        version(&self.source, self.now.text.apply(edits)?)
    }

    /// Takes a version as the present one; undoing leads back. Returns whether it is another one.
    pub(crate) fn take(&mut self, version: Version) -> bool {
        if version.text == self.now.text {
            return false;
        }
        let before = std::mem::replace(&mut self.now, version);
        self.undo.push(before.text);
        self.redo.clear();
        let size: usize = self.undo.iter().map(|text| text.as_str().len()).sum();
        if self.undo.len() > MOST_VERSIONS || (size > MOST_TEXT && self.undo.len() > 1) {
            self.undo.remove(0);
        }
        self.warned = false;
        true
    }

    /// Goes a version back, or forth again. `false` if there is none.
    ///
    /// # Errors
    /// If the version cannot be built any more, because a file that it includes has changed.
    pub(crate) fn travel(&mut self, back: bool) -> Result<bool> {
        let from = if back { &mut self.undo } else { &mut self.redo };
        let Some(text) = from.pop() else { return Ok(false) };
        let before = std::mem::replace(&mut self.now, version(&self.source, text)?);
        let to = if back { &mut self.redo } else { &mut self.undo };
        to.push(before.text);
        Ok(true)
    }

    /// Writes the text into its file; that of a built-in level into a new file in the current
    /// folder. Returns which.
    ///
    /// # Errors
    /// If the file cannot be written, or somebody else has changed it meanwhile; saving once more
    /// then overwrites it.
    pub(crate) fn save(&mut self) -> Result<PathBuf> {
        let text = self.now.text.as_str();
        let path = match &self.source {
            Source::Builtin(name) => create_new(name, text)?,
            Source::File(path) => {
                let on_disk = std::fs::read_to_string(path).unwrap_or_default();
                if on_disk != self.saved && on_disk != text && !self.warned {
                    self.warned = true;
                    let reason = "it was changed elsewhere; save once more to overwrite that";
                    return Err(Error::write(path, reason));
                }
                std::fs::write(path, text).map_err(|error| Error::write(path, error))?;
                path.clone()
            }
        };
        self.saved = text.to_owned();
        self.source = Source::File(path.clone());
        self.warned = false;
        Ok(path)
    }
}

fn version(source: &Source, text: LevelText) -> Result<Version> {
    let level = match source {
        Source::File(path) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            Level::parse_in(text.as_str(), &path.display().to_string(), folder)?
        }
        Source::Builtin(name) => Level::parse(text.as_str(), &format!("{name}.json"))?,
    };
    let world = World::build(&level.scene)?;
    Ok(Version { text, level, world })
}

/// Writes a file of this name in the current folder, or with a number after it if there is one.
fn create_new(name: &str, text: &str) -> Result<PathBuf> {
    let mut number = 1_u32;
    loop {
        let path = match number {
            1 => PathBuf::from(format!("{name}.json")),
            _ => PathBuf::from(format!("{name}-{number}.json")),
        };
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        match file.and_then(|mut file| file.write_all(text.as_bytes())) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => number += 1,
            outcome => return outcome.map(|()| path.clone()).map_err(|e| Error::write(&path, e)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "{ \"format\": 1, // one\n  \"items\": [\n    { \"type\": \"crate\", \
                        \"id\": \"a\", \"size\": [1, 1], \"at\": [0, 1] }, // first\n  ] }\n";

    #[test]
    fn undo_and_redo_and_a_save_that_keeps_comments() {
        let file = std::env::temp_dir().join(format!("sinew-document-{}.json", std::process::id()));
        std::fs::write(&file, TEXT).unwrap();
        let mut document = Document::open(&Source::File(file.clone())).unwrap();
        assert!(document.is_saved() && !document.travel(true).unwrap());
        for _ in 0..3 {
            let after = document.after(&[Edit::Move { item: 0, by: [0.1, 0.0] }]).unwrap();
            assert!(document.take(after));
        }
        assert!(document.travel(true).unwrap() && !document.is_saved());
        assert_eq!(document.save().unwrap(), file);
        let expected = TEXT.replace("[0, 1]", "[0.2, 1]");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), expected);
        assert!(document.is_saved());
        assert!(document.travel(false).unwrap() && !document.travel(false).unwrap());

        // Somebody else has written the file: the first attempt says so.
        std::fs::write(&file, "{}").unwrap();
        assert!(document.save().unwrap_err().to_string().contains("once more"));
        document.save().unwrap();
        assert!(std::fs::read_to_string(&file).unwrap().contains("[0.3, 1]"));
        std::fs::remove_file(&file).unwrap();
    }

    #[test]
    fn edits_that_would_break_the_level_are_refused() {
        let document = Document::open(&Source::Builtin("seesaw")).unwrap();
        let text = "{ \"type\": \"crate\", \"size\": [-1, 1] }".to_owned();
        assert!(document.after(&[Edit::Add { text }]).is_err());
        assert!(document.is_saved());
    }
}
