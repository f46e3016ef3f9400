//! The window.
//!
//! Everything that knows macroquad is below here.

use std::path::PathBuf;

use crate::error::Result;
use crate::settings::Overrides;

/// What the window is opened with.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A level file to start with; `None` starts the built-in level named in `builtin`, or the demo.
    pub file: Option<PathBuf>,
    /// A built-in level to start with.
    pub builtin: Option<String>,
    /// Settings on top of those of each level.
    pub overrides: Overrides,
    /// Take a picture and quit.
    pub screenshot: Option<Screenshot>,
}

/// A picture to take.
#[derive(Clone, Debug)]
pub struct Screenshot {
    /// Where to write the PNG.
    pub file: PathBuf,
    /// When, in simulated seconds.
    pub at: f64,
    /// Whether the heads-up display is on it.
    pub hud: bool,
}

/// Opens the window and runs until it is closed.
///
/// # Errors
/// If the level cannot be loaded, or the picture not written.
pub fn run(_request: Request) -> Result<()> {
    Ok(())
}
