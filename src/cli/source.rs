//! Which level is meant: a file, a folder of files, or a built-in level.
//!
//! The name of a built-in level always means that level (`./pyramid` is a file of that name). A
//! file that is there is read. `levels/pyramid.json` and `levels` that are not there stand for the
//! built-in levels, with a note, so that the commands in the documentation work in any folder.

use std::fmt;
use std::path::{Path, PathBuf};

use super::output::{Exit, Fault, warn};
use crate::error::Error;
use crate::level::{Diagnostic, Level};

/// The folder that the built-in levels come from.
const FOLDER: &str = "levels";
/// The folder of the laboratory.
pub(crate) const LABORATORY: &str = "levels/lab";

/// Where a level comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// A file.
    File(PathBuf),
    /// A built-in level.
    Builtin(&'static str),
}

impl Source {
    /// The demo level.
    pub(crate) fn demo() -> Self {
        Self::Builtin(Level::BUILTIN[0].0)
    }

    /// The built-in levels.
    pub(crate) fn builtin() -> Vec<Self> {
        Level::BUILTIN.iter().map(|(name, _)| Self::Builtin(name)).collect()
    }

    /// The one level that an argument names.
    pub(crate) fn one(name: &str) -> Result<Self, Fault> {
        if let Some(builtin) = builtin_name(name) {
            return Ok(Self::Builtin(builtin));
        }
        let path = Path::new(name);
        if path.is_dir() {
            let problem = format!("{name} is a folder; name a level file in it");
            return Err(Fault::new(Exit::Invalid, problem));
        }
        if path.exists() {
            return Ok(Self::File(path.to_owned()));
        }
        if let Some(builtin) = builtin_path(path) {
            warn(&format!("{name} is not here; using the built-in level `{builtin}`"));
            return Ok(Self::Builtin(builtin));
        }
        Err(missing(name))
    }

    /// The files that arguments name; a folder stands for the level files in it, as in
    /// [`many`](Self::many). Only what is there: a built-in level cannot be written to.
    pub(crate) fn files(paths: &[PathBuf]) -> Result<Vec<PathBuf>, Fault> {
        let mut files = Vec::new();
        for path in paths {
            if path.is_dir() {
                files.extend(search(path)?);
            } else if path.exists() {
                files.push(path.clone());
            } else {
                let problem = format!("there is no file {}", path.display());
                let remedy = "name a level file, or a folder of them";
                return Err(Fault::new(Exit::Invalid, format!("{problem}: {remedy}")));
            }
        }
        Ok(files)
    }

    /// The levels that arguments name. A folder stands for the level files in it, in order of names,
    /// and not for those in folders below it: a collection is run when it is asked for.
    pub(crate) fn many(names: &[String]) -> Result<Vec<Self>, Fault> {
        let mut sources = Vec::new();
        for name in names {
            let path = Path::new(name);
            if path.is_dir() {
                sources.extend(search(path)?.into_iter().map(Self::File));
            } else if path == Path::new(FOLDER) && !path.exists() {
                warn(&format!("{name} is not here; using the built-in levels"));
                sources.extend(Self::builtin());
            } else {
                sources.push(Self::one(name)?);
            }
        }
        Ok(sources)
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::File(path) => Some(path),
            Self::Builtin(_) => None,
        }
    }

    /// The name used in messages.
    pub(crate) fn file_name(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Builtin(name) => format!("{FOLDER}/{name}.json"),
        }
    }

    /// Reads the level.
    pub(crate) fn load(&self) -> crate::error::Result<Level> {
        match self {
            Self::File(path) => Level::load(path),
            Self::Builtin(name) => Level::builtin(name),
        }
    }

    /// Reads the level as far as it can be read, and everything that is wrong or odd about it.
    pub(crate) fn examine(&self) -> crate::error::Result<(Option<Level>, Vec<Diagnostic>)> {
        match self {
            Self::File(path) => Level::examine_file(path),
            Self::Builtin(wanted) => {
                let found = Level::BUILTIN.iter().find(|(name, _)| name == wanted);
                let text = found.map_or("", |(_, text)| text);
                Ok(Level::examine(text, &self.file_name()))
            }
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(path) => write!(f, "{}", path.display()),
            Self::Builtin(name) => f.write_str(name),
        }
    }
}

fn builtin_name(name: &str) -> Option<&'static str> {
    Level::BUILTIN.iter().map(|(known, _)| *known).find(|known| *known == name)
}

/// The built-in level that the path of its file in the project names.
fn builtin_path(path: &Path) -> Option<&'static str> {
    let in_folder = path.parent() == Some(Path::new(FOLDER));
    let is_json = path.extension().is_some_and(|ending| ending == "json");
    let stem = path.file_stem()?.to_str()?;
    if in_folder && is_json { builtin_name(stem) } else { None }
}

/// The fault of a name that stands for nothing, with what was probably meant.
fn missing(name: &str) -> Fault {
    let commands = [
        "run", "sim", "test", "compare", "lab", "check", "new", "fmt", "migrate", "schema",
        "levels", "solvers",
    ];
    let known = Level::BUILTIN.iter().map(|(known, _)| *known).chain(commands);
    let near = known
        .map(|known| (strsim::damerau_levenshtein(known, name), known))
        .filter(|(edits, known)| *edits <= (known.len() / 3).max(1))
        .min();
    let in_laboratory = format!("{LABORATORY}/{name}.json");
    let hint = match near {
        _ if Path::new(&in_laboratory).is_file() => format!("did you mean `{in_laboratory}`?"),
        Some((_, near)) => format!("did you mean `{near}`?"),
        None => "`sinew levels` lists the built-in levels".to_owned(),
    };
    let problem = format!("there is no level file and no built-in level `{name}`: {hint}");
    Fault::new(Exit::Invalid, problem)
}

/// Replaces the text of a file at once: whoever reads it meanwhile sees the old text or the new one.
pub(crate) fn rewrite(path: &Path, text: &str) -> Result<(), Fault> {
    // A link stays a link: what it leads to is replaced.
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let beside = target.with_extension(format!("{}.part", std::process::id()));
    let written = std::fs::metadata(&target)
        .and_then(|old| {
            std::fs::write(&beside, text)?;
            std::fs::set_permissions(&beside, old.permissions())
        })
        .and_then(|()| std::fs::rename(&beside, &target));
    written.map_err(|error| {
        // It may not be there; then there is nothing to remove.
        let _ = std::fs::remove_file(&beside);
        let problem = format!("cannot write {}: {error}", path.display());
        Fault::new(Exit::Usage, format!("{problem}; is the folder writable?"))
    })
}

/// The level files of a folder, in order of names; one at least.
fn search(folder: &Path) -> Result<Vec<PathBuf>, Fault> {
    let mut found = Vec::new();
    let unreadable = |error| Fault::from(Error::read(folder, error));
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let path = entry.path();
        let is_level = name.ends_with(".json") && !name.ends_with(".schema.json");
        if is_level && path.is_file() {
            found.push(path);
        }
    }
    if found.is_empty() {
        let problem = format!("there is no level file (*.json) in {}", folder.display());
        let problem = format!("{problem}; folders below it are named one by one");
        return Err(Fault::new(Exit::Invalid, problem));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_paths_and_typing_errors() {
        let demo = Level::BUILTIN[0].0;
        assert_eq!(Source::one(demo).unwrap(), Source::demo());
        assert_eq!(builtin_path(Path::new(&format!("levels/{demo}.json"))), Some(demo));
        assert_eq!(builtin_path(Path::new(&format!("other/{demo}.json"))), None);
        assert_eq!(builtin_path(Path::new("levels/nothing.json")), None);
        let fault = Source::one("chekc").unwrap_err();
        assert_eq!(fault.exit, Exit::Invalid);
        assert!(fault.message.ends_with("did you mean `check`?"), "{}", fault.message);
        assert!(Source::one("no/such/file").unwrap_err().message.contains("sinew levels"));
    }
}
