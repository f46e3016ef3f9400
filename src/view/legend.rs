//! Which colour is which backend, where several are shown together.

use crate::math::Vec2;
use crate::settings::{Effort, SolverKind};
use crate::view::color::{ALARM, MUTED, PAPER, of_solver};
use crate::view::hud::panel_box;
use crate::view::layer::Layer;
use crate::view::text::{Face, Fonts};

const NAME: (u16, Face) = (14, Face::Sans);
const NOTE: (u16, Face) = (12, Face::Sans);
const ROW: f32 = 21.0;
const PADDING: f32 = 10.0;
/// Width where there are no graphs below it, px.
const WIDTH: f32 = 236.0;

/// What is said of a backend.
pub(crate) struct Entry {
    pub(crate) solver: SolverKind,
    pub(crate) effort: Effort,
    /// It could not go on.
    pub(crate) stopped: bool,
}

/// Draws the legend with its upper right corner at a place, as wide as the graphs below it; returns
/// where it ends. The first entry is that of the backend in front.
pub(crate) fn draw(
    layer: &mut Layer,
    fonts: &Fonts,
    corner: Vec2,
    width: f32,
    entries: &[Entry],
) -> f32 {
    let width = if width > 0.0 { width } else { WIDTH };
    let min = Vec2::new(corner.x - width, corner.y);
    let max = Vec2::new(corner.x, corner.y + ROW * entries.len() as f32 + 2.0 * PADDING - 4.0);
    panel_box(layer, min, max);
    let mut base = min.y + PADDING + 12.0;
    for (k, entry) in entries.iter().enumerate() {
        let color = of_solver(entry.solver);
        let swatch = Vec2::new(min.x + PADDING, base - 11.0);
        let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y].map(|c| swatch + 12.0 * c);
        layer.geometry.flat(&corners, color.with_alpha(0.35));
        layer.geometry.outline(&corners, 2.0, color);
        let left = swatch.x + 22.0;
        layer.text(entry.solver.name(), Vec2::new(left, base), NAME, PAPER);
        let Effort { substeps, iterations } = entry.effort;
        let (note, color) = match (entry.stopped, k) {
            (true, _) => ("stopped".to_owned(), ALARM),
            (false, 0) => (format!("in front   {substeps} × {iterations}"), MUTED),
            (false, _) => (format!("{substeps} × {iterations}"), MUTED),
        };
        let x = max.x - PADDING - fonts.width(&note, NOTE.0, NOTE.1);
        layer.text(note, Vec2::new(x, base), NOTE, color);
        base += ROW;
    }
    max.y
}
