//! Older formats of level files, brought up to the current one step by step.
//!
//! `format` at the top of a file says how the rest is to be read. A change of the format that old
//! files would not survive raises it by one and adds a step to [`STEPS`], which rewrites a text of
//! the format before it and leaves comments and layout alone. Format 1 is the first, so there is
//! no step yet.

use super::diagnostic::{Report, render};
use super::header::FORMAT;
use super::include::without_mark;
use super::tree::{self, Place, Value};
use crate::error::{Error, Result};

/// Rewrites a text of one format to the next.
type Step = fn(&str) -> String;

/// The step from format `i + 1` to `i + 2`, for each format before the current one.
const STEPS: [Step; FORMAT as usize - 1] = [];

/// A text in the current format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Migrated {
    /// The format it was in.
    pub(crate) from: u32,
    pub(crate) text: String,
}

/// Brings a level's text up to the current format; `file` is the name used in messages.
///
/// # Errors
/// If the text is not JSON, says no format, or one that this version does not know.
pub(crate) fn migrated(text: &str, file: &str) -> Result<Migrated> {
    let (text, _) = without_mark(text);
    let mut report = Report::new(text, file);
    let format = tree::parse(text, 0, &mut report)
        .and_then(|root| known_format(&Place::root(&root), &mut report));
    let diagnostics = report.finish();
    let Some(from) = format.filter(|_| diagnostics.is_empty()) else {
        return Err(Error::level(render(&diagnostics), diagnostics.len()));
    };
    let steps = STEPS.iter().skip(from as usize - 1);
    Ok(Migrated { from, text: steps.fold(text.to_owned(), |text, step| step(&text)) })
}

/// The format a file says it is in, if this version knows it; reports it if not.
fn known_format(root: &Place<'_>, report: &mut Report<'_>) -> Option<u32> {
    let place = root.key("format");
    if !root.has("format") {
        let help = format!("write \"format\": {FORMAT}");
        report.error_with_help(&place, "the key `format` is missing", help);
        return None;
    }
    let Value::Number(number) = &place.node.value else {
        let message = format!("the format is a whole number, not {}", place.node.describe());
        report.error_with_help(&place, message, format!("write \"format\": {FORMAT}"));
        return None;
    };
    match number.as_u64().and_then(|number| u32::try_from(number).ok()) {
        Some(format @ 1..=FORMAT) => Some(format),
        Some(format) if format > FORMAT => {
            let version = env!("CARGO_PKG_VERSION");
            let message = format!("format {format} is newer than this version of sinew");
            let help = format!(
                "install a version after {version}, which reads formats up to {FORMAT}: \
                 `sinew --version` tells which one runs"
            );
            report.error_with_help(&place, message, help);
            None
        }
        _ => {
            let message = format!("there is no format {number}");
            report.error_with_help(&place, message, format!("formats are 1 to {FORMAT}"));
            None
        }
    }
}
