//! The window.
//!
//! Everything that knows macroquad is below here, and of that only a few files do:
//!
//! | file | job | macroquad |
//! |---|---|---|
//! | `app.rs` | the loop: mouse, keys, advance, draw | yes |
//! | `session.rs` | level list, running simulation, what the user does to it | |
//! | `session/twins.rs`, `session/rewind.rs` | the level on other solvers too; going back in time | |
//! | `watch.rs`, `failure.rs` | a level file that is saved while it is played; what is wrong with it | |
//! | `editor/` | edit mode: the level arranged by hand | |
//! | `keys.rs` | the table of keys | key codes |
//! | `spawn.rs` | crates, balls and ragdolls to drop | |
//! | `camera.rs` | metres to pixels | |
//! | `geometry.rs`, `color.rs` | figures as triangles with smooth rims | |
//! | `patchwork.rs` | rigid bodies of several pieces | |
//! | `paint.rs`, `figure.rs`, `pliant.rs`, `cord.rs` | sky, grid, bodies; how a crate, a head, a jelly, a cord looks | |
//! | `debug.rs`, `mark.rs` | points, edges, contacts, bounds, joints, centres of mass | |
//! | `hud.rs`, `help.rs`, `meter.rs` | panel, sliders, notices; help; smoothed times | |
//! | `silhouette.rs`, `legend.rs` | other solvers as outlines; which colour is which | |
//! | `graphs.rs`, `axis.rs`, `trace.rs` | energy, overlap and step time over the last seconds | |
//! | `input.rs` | what the mouse and the keys did in a frame | yes |
//! | `text.rs`, `layer.rs` | fonts; shapes and text to the graphics card | yes |
//! | `display.rs`, `startup.rs` | is there a display; what if it fails us | |
//! | `canvas.rs` | the scene as triangles, without a window | |
//! | `picture.rs` | PNG files | yes |
//!
//! A frame is drawn as two layers (the scene with its display, and what covers it), each as
//! triangles without a texture, then text: one draw call for every 65,000 vertices and one for each
//! font of a layer.

mod app;
mod axis;
mod camera;
mod canvas;
mod color;
mod cord;
mod debug;
mod display;
mod editor;
mod failure;
mod figure;
mod geometry;
mod graphs;
mod help;
mod hud;
mod input;
mod keys;
mod layer;
mod legend;
mod mark;
mod meter;
mod paint;
mod patchwork;
mod picture;
mod pliant;
mod session;
mod silhouette;
mod spawn;
mod startup;
mod steer;
mod text;
mod trace;
mod watch;

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use macroquad::conf::Conf;
use macroquad::miniquad;

use crate::error::{Error, Result};
use crate::settings::{Overrides, SolverKind};
pub use canvas::Canvas;
pub use color::Color;
pub use geometry::{Batch, Vertex};

use app::App;
use session::Session;

/// Width and height that the window opens with, px.
const SIZE: [u16; 2] = [1280, 800];

/// What the window is opened with.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// A level file to start with; `None` starts the built-in level named in `builtin`, or the demo.
    pub file: Option<PathBuf>,
    /// A built-in level to start with.
    pub builtin: Option<String>,
    /// Settings on top of those of each level.
    pub overrides: Overrides,
    /// Backends on which the level runs as well, drawn over the one in front.
    pub overlay: Vec<SolverKind>,
    /// Whether graphs are shown from the start.
    pub graphs: bool,
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
    /// Its width and height, px; those of the window as it usually opens if left out.
    pub size: Option<[u16; 2]>,
    /// Whether the heads-up display is on it.
    pub hud: bool,
}

/// Whether there is a display to open a window on. Opens nothing and never panics.
///
/// # Errors
/// In one line, why there is none.
pub fn display_available() -> std::result::Result<(), String> {
    display::find().map(|_| ())
}

/// Opens the window and runs until it is closed. Call it from the main thread, and once.
///
/// # Errors
/// If the level cannot be loaded, the window not opened ([`Error::is_no_window`]), or the picture
/// not written; with [`Request::screenshot`] also if the simulation diverges.
pub fn run(request: Request) -> Result<()> {
    let session = Session::open(&request)?;
    let backend = display::find().map_err(Error::no_window)?;
    let size = request.screenshot.as_ref().and_then(|order| order.size).unwrap_or(SIZE);
    let [window_width, window_height] = size.map(i32::from);
    let conf = Conf {
        miniquad_conf: miniquad::conf::Conf {
            window_title: "Sinew".to_owned(),
            window_width,
            window_height,
            high_dpi: true,
            // Figures bring their own smooth rims: multisampling would add nothing but time.
            sample_count: 1,
            icon: None,
            platform: miniquad::conf::Platform {
                linux_backend: backend,
                linux_wm_class: "sinew",
                ..Default::default()
            },
            ..Default::default()
        },
        draw_call_vertex_capacity: Batch::MOST_VERTICES,
        draw_call_index_capacity: Batch::MOST_INDICES,
        ..Default::default()
    };
    // `None` until the loop has ended: the window library returns nothing and reports nothing.
    let outcome: Rc<RefCell<Option<Result<()>>>> = Rc::default();
    let result = Rc::clone(&outcome);
    let (opening, opened) = startup::watch();
    let main = async move {
        opened();
        let app = App::new(session, request.graphs);
        let ended = match &request.screenshot {
            Some(order) => app.photograph(order).await,
            None => {
                app.run().await;
                Ok(())
            }
        };
        *result.borrow_mut() = Some(ended);
    };
    opening.attempt(|| macroquad::Window::from_config(conf, main)).map_err(Error::no_window)?;
    // Closed by its button or by the desktop, the window drops the loop where it stands.
    outcome.take().unwrap_or(Ok(()))
}
