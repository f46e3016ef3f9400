//! Levels: JSON files that people write by hand.

use std::path::Path;

use crate::error::{Error, Result};
use crate::expect::Expectation;
use crate::scene::Scene;

/// A level: a scene and what it promises.
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Short name: that of the built-in level, or the file's without its ending.
    pub name: String,
    /// What is in it.
    pub scene: Scene,
    /// What it promises.
    pub expect: Vec<Expectation>,
}

impl Level {
    /// Reads a level file.
    ///
    /// # Errors
    /// If the file cannot be read, or anything in it is wrong; all problems are reported at once.
    pub fn load(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).map_err(|e| Error::read(path, e))?;
        Self::parse(&text, &path.display().to_string())
    }

    /// Reads a level from text; `file` is the name used in messages.
    ///
    /// # Errors
    /// If anything in it is wrong; all problems are reported at once.
    pub fn parse(_text: &str, file: &str) -> Result<Self> {
        Ok(Self { name: file.to_owned(), ..Self::default() })
    }

    /// A level that comes with the crate.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn builtin(name: &str) -> Result<Self> {
        let Some((name, text)) = Self::BUILTIN.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = Self::BUILTIN.iter().map(|(name, _)| *name).collect();
            return Err(Error::unknown(
                "level",
                name,
                format!("choose one of {}", known.join(", ")),
            ));
        };
        Self::parse(text, &format!("levels/{name}.json"))
    }

    /// The levels that come with the crate: name and text, in playing order. The first is the demo.
    pub const BUILTIN: &'static [(&'static str, &'static str)] = &[("demo", "{}")];
}
