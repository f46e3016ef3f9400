//! `sinew check`: everything that is wrong with level files, all at once.

use serde::Serialize;

use super::args::CheckArgs;
use super::output::{BAD, Exit, Fault, GOOD, print, print_json, styled};
use super::source::Source;
use super::units::count;
use crate::level::Diagnostic;
use crate::world::World;

/// The report of `sinew check --json`.
#[derive(Serialize)]
struct Report {
    files: Vec<File>,
    errors: usize,
}

/// What was found in one file.
#[derive(Serialize)]
struct File {
    file: String,
    ok: bool,
    /// Mistakes that have a place in the file.
    diagnostics: Vec<Diagnostic>,
    /// Why the file could not be read, or its world not be built.
    error: Option<String>,
}

pub(crate) fn check(args: &CheckArgs) -> Result<Exit, Fault> {
    let files: Vec<File> = Source::many(&args.paths)?.iter().map(examine).collect();
    let errors =
        files.iter().map(|file| file.diagnostics.len() + usize::from(file.error.is_some())).sum();
    let report = Report { files, errors };
    if args.json {
        print_json(&report)?;
    } else {
        print(&text(&report))?;
    }
    Ok(if report.errors > 0 { Exit::Invalid } else { Exit::Success })
}

/// Reads a file and builds its world, since not every mistake shows before.
fn examine(source: &Source) -> File {
    let (diagnostics, error) = match source.check() {
        Ok((Some(level), diagnostics)) => (diagnostics, World::build(&level.scene).err()),
        Ok((None, diagnostics)) => (diagnostics, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    File {
        file: source.file_name(),
        ok: diagnostics.is_empty() && error.is_none(),
        diagnostics,
        error: error.map(|error| error.to_string()),
    }
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
    out + &format!("{files}, {}\n", count(report.errors, "error", "errors"))
}
