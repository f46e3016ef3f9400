//! `sinew check`: everything that is wrong with level files, and what is odd about them, at once.

use serde::Serialize;

use super::args::CheckArgs;
use super::output::{BAD, Exit, Fault, GOOD, print, print_json, styled};
use super::source::Source;
use super::units::count;
use crate::level::{Diagnostic, Severity};
use crate::world::World;

/// The report of `sinew check --json`.
#[derive(Serialize)]
struct Report {
    files: Vec<File>,
    errors: usize,
    warnings: usize,
}

/// What was found in one file.
#[derive(Serialize)]
struct File {
    file: String,
    /// Whether it has no errors.
    ok: bool,
    /// Errors and warnings that have a place in the file.
    diagnostics: Vec<Diagnostic>,
    /// Why the file could not be read, or its world not be built.
    error: Option<String>,
}

impl File {
    fn count(&self, severity: Severity) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count()
    }

    fn errors(&self) -> usize {
        self.count(Severity::Error) + usize::from(self.error.is_some())
    }
}

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Fault> {
    let strict = args.deny.is_some();
    let sources = Source::many(&args.paths)?;
    let files: Vec<File> = sources.iter().map(|source| examine(source, strict)).collect();
    let errors = files.iter().map(File::errors).sum();
    let warnings = files.iter().map(|file| file.count(Severity::Warning)).sum();
    let report = Report { files, errors, warnings };
    if args.json {
        print_json(&report)?;
    } else {
        print(&text(&report))?;
    }
    Ok(if report.errors > 0 { Exit::Invalid } else { Exit::Success })
}

/// Reads a file and builds its world, since not every mistake shows before. `strict` makes errors
/// of warnings.
fn examine(source: &Source, strict: bool) -> File {
    let (mut diagnostics, error) = match source.examine() {
        Ok((Some(level), diagnostics)) => (diagnostics, World::build(&level.scene).err()),
        Ok((None, diagnostics)) => (diagnostics, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    if strict {
        diagnostics.iter_mut().for_each(|diagnostic| diagnostic.severity = Severity::Error);
    }
    let error = error.map(|error| error.to_string());
    let mut file = File { file: source.file_name(), ok: true, diagnostics, error };
    file.ok = file.errors() == 0;
    file
}

fn text(report: &Report) -> String {
    let mut out = String::new();
    for file in &report.files {
        let mark = if file.ok { styled(GOOD, "✔") } else { styled(BAD, "✘") };
        out += &format!("{mark} {}\n", file.file);
        for diagnostic in &file.diagnostics {
            out += &format!("{diagnostic}\n\n");
        }
        if let Some(error) = &file.error {
            out += &format!("{}: error: {error}\n\n", file.file);
        }
    }
    let files = count(report.files.len(), "file", "files");
    let errors = count(report.errors, "error", "errors");
    out += &format!("{files}, {errors}");
    if report.warnings > 0 {
        out += &format!(", {}", count(report.warnings, "warning", "warnings"));
    }
    out + "\n"
}
