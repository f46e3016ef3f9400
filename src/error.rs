//! The one error type of the crate.
//!
//! Every message says what is wrong, where, and what to do about it. Match on the kind through the
//! predicates ([`Error::is_invalid_level`] and its siblings); the command line turns them into exit
//! codes.

use std::fmt;
use std::path::{Path, PathBuf};

/// What went wrong. Opaque: read it with [`Display`](fmt::Display) and the predicates.
#[derive(Debug, Clone)]
pub struct Error(Box<Kind>);

#[derive(Debug, Clone)]
enum Kind {
    Read {
        path: PathBuf,
        reason: String,
    },
    Level {
        diagnostics: String,
        count: usize,
    },
    Scene {
        body: String,
        problem: String,
    },
    Diverged {
        body: String,
        solver: String,
        time: f64,
    },
    Unknown {
        what: &'static str,
        name: String,
        remedy: String,
    },
    Stale {
        what: &'static str,
    },
    Threads {
        count: usize,
        reason: String,
    },
    #[cfg(feature = "window")]
    Write {
        path: PathBuf,
        reason: String,
    },
    #[cfg(feature = "window")]
    NoWindow {
        reason: String,
    },
}

/// The crate's result.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// A file could not be read.
    pub(crate) fn read(path: &Path, reason: impl fmt::Display) -> Self {
        Self(Box::new(Kind::Read { path: path.to_owned(), reason: reason.to_string() }))
    }

    /// A level has `count` errors, already rendered for a reader.
    pub(crate) fn level(diagnostics: String, count: usize) -> Self {
        Self(Box::new(Kind::Level { diagnostics, count }))
    }

    /// A body or joint definition cannot be built.
    pub(crate) fn scene(body: impl Into<String>, problem: impl Into<String>) -> Self {
        Self(Box::new(Kind::Scene { body: body.into(), problem: problem.into() }))
    }

    /// A position or velocity became infinite or not a number.
    pub(crate) fn diverged(body: impl Into<String>, solver: impl Into<String>, time: f64) -> Self {
        Self(Box::new(Kind::Diverged { body: body.into(), solver: solver.into(), time }))
    }

    /// A name is not one of those known; `remedy` tells which are.
    pub(crate) fn unknown(what: &'static str, name: &str, remedy: String) -> Self {
        Self(Box::new(Kind::Unknown { what, name: name.to_owned(), remedy }))
    }

    /// A handle names something that this world does not have.
    pub(crate) fn stale(what: &'static str) -> Self {
        Self(Box::new(Kind::Stale { what }))
    }

    /// A step cannot have so many threads.
    pub(crate) fn threads(count: usize, reason: String) -> Self {
        Self(Box::new(Kind::Threads { count, reason }))
    }

    /// A file could not be written.
    #[cfg(feature = "window")]
    pub(crate) fn write(path: &Path, reason: impl fmt::Display) -> Self {
        Self(Box::new(Kind::Write { path: path.to_owned(), reason: reason.to_string() }))
    }

    /// No window could be opened.
    #[cfg(feature = "window")]
    pub(crate) fn no_window(reason: impl Into<String>) -> Self {
        Self(Box::new(Kind::NoWindow { reason: reason.into() }))
    }

    /// The level file itself is at fault: it cannot be read, parsed or built.
    #[must_use]
    pub fn is_invalid_level(&self) -> bool {
        matches!(*self.0, Kind::Read { .. } | Kind::Level { .. } | Kind::Scene { .. })
    }

    /// The body or joint that cannot be built, and why.
    pub(crate) fn in_scene(&self) -> Option<(&str, &str)> {
        match &*self.0 {
            Kind::Scene { body, problem } => Some((body, problem)),
            _ => None,
        }
    }

    /// The simulation produced a value that is not finite.
    #[must_use]
    pub fn is_diverged(&self) -> bool {
        matches!(*self.0, Kind::Diverged { .. })
    }

    /// A solver, level or metric was named that does not exist.
    #[must_use]
    pub fn is_unknown_name(&self) -> bool {
        matches!(*self.0, Kind::Unknown { .. })
    }

    /// No window could be opened. Never the case in a build without the feature `window`.
    #[must_use]
    pub fn is_no_window(&self) -> bool {
        #[cfg(feature = "window")]
        let none = matches!(*self.0, Kind::NoWindow { .. });
        #[cfg(not(feature = "window"))]
        let none = false;
        none
    }

    /// How many separate problems this error reports (at least 1).
    #[must_use]
    pub fn count(&self) -> usize {
        if let Kind::Level { count, .. } = *self.0 { count } else { 1 }
    }

    /// The message lists diagnostics, each with its place in the file and the word `error`.
    #[must_use]
    pub fn has_diagnostics(&self) -> bool {
        matches!(*self.0, Kind::Level { .. })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            Kind::Read { path, reason } => {
                write!(f, "cannot read {}: {reason}", path.display())
            }
            Kind::Level { diagnostics, .. } => f.write_str(diagnostics),
            Kind::Scene { body, problem } => write!(f, "`{body}`: {problem}"),
            Kind::Diverged { body, solver, time } => write!(
                f,
                "the simulation diverged at {time:.3} s: `{body}` is the first body whose position \
                 or velocity is no longer a finite number ({solver}). Try more sub-steps \
                 (--substeps), a smaller step (--hz) or another solver (--solver)"
            ),
            #[cfg(feature = "window")]
            Kind::Write { path, reason } => {
                write!(f, "cannot write {}: {reason}", path.display())
            }
            #[cfg(feature = "window")]
            Kind::NoWindow { reason } => write!(f, "no window can be opened: {reason}"),
            Kind::Unknown { what, name, remedy } => write!(f, "unknown {what} `{name}`: {remedy}"),
            Kind::Threads { count, reason } => {
                write!(f, "cannot step on {count} threads: {reason}")
            }
            Kind::Stale { what } => {
                write!(f, "this {what} handle does not belong to this world: look it up again")
            }
        }
    }
}

impl std::error::Error for Error {}
