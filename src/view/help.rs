//! The help: every key and what the mouse does, on a sheet over the window.
//!
//! It is laid out from the same table that the keys act by, so it cannot leave one out.

use crate::math::Vec2;
use crate::view::color::{ACCENT, Color, INK, MUTED, PAPER};
use crate::view::keys::{GROUPS, MOUSE};
use crate::view::layer::Layer;
use crate::view::text::{Face, Fonts};

const TITLE: (u16, Face) = (22, Face::Sans);
const HEADING: (u16, Face) = (15, Face::Sans);
const BODY: (u16, Face) = (15, Face::Sans);
const CAP: (u16, Face) = (13, Face::Mono);
const ROW: f32 = 27.0;
const COLUMN: f32 = 280.0;
const GAP: f32 = 30.0;
const PADDING: f32 = 30.0;
/// Space for the title.
const HEAD: f32 = 62.0;

/// A heading and its rows: (captions, meaning).
struct Section {
    title: &'static str,
    rows: Vec<(Vec<&'static str>, &'static str)>,
}

impl Section {
    fn height(&self) -> f32 {
        34.0 + ROW * self.rows.len() as f32 + 14.0
    }
}

fn sections() -> Vec<Section> {
    let mouse = Section {
        title: "Mouse",
        rows: MOUSE.iter().map(|&(cap, does)| (vec![cap], does)).collect(),
    };
    let keys = GROUPS.iter().map(|group| Section {
        title: group.title,
        rows: group
            .bindings
            .iter()
            .map(|binding| (binding.caps.split(' ').collect(), binding.does))
            .collect(),
    });
    keys.chain([mouse]).collect()
}

/// Sections in as many columns as `count`, each section where the least is so far, in order.
fn columns(sections: Vec<Section>, count: usize) -> Vec<Vec<Section>> {
    let total: f32 = sections.iter().map(Section::height).sum();
    let mut columns: Vec<Vec<Section>> = vec![Vec::new()];
    let mut filled = 0.0;
    for section in sections {
        let height = section.height();
        let full = filled + 0.5 * height > total / count as f32;
        if full && columns.len() < count && columns.last().is_some_and(|c| !c.is_empty()) {
            columns.push(Vec::new());
            filled = 0.0;
        }
        filled += height;
        if let Some(column) = columns.last_mut() {
            column.push(section);
        }
    }
    columns
}

/// Draws the help over everything.
pub(crate) fn draw(layer: &mut Layer, fonts: &Fonts, screen: Vec2) {
    let count = (((screen.x - 2.0 * PADDING) / (COLUMN + GAP)) as usize).clamp(1, 3);
    let columns = columns(sections(), count);
    let tallest = columns
        .iter()
        .map(|column| column.iter().map(Section::height).sum::<f32>())
        .fold(0.0, f32::max);
    let count = columns.len() as f32;
    let size =
        Vec2::new(count * COLUMN + (count - 1.0) * GAP + 2.0 * PADDING, HEAD + tallest + PADDING);
    let min = (0.5 * (screen - size)).max(Vec2::splat(6.0)).round();
    let veil = INK.with_alpha(0.45);
    layer.geometry.gradient(Vec2::ZERO, screen, veil, veil);
    layer.geometry.rounded(min, min + size, 14.0, INK);

    let mut at = min + Vec2::new(PADDING, PADDING + 12.0);
    layer.text("Keys and mouse", at, TITLE, PAPER);
    let close = "H or Esc closes";
    let width = fonts.width(close, BODY.0, BODY.1);
    layer.text(close, Vec2::new(min.x + size.x - PADDING - width, at.y), BODY, MUTED);
    for (i, column) in columns.iter().enumerate() {
        at = min + Vec2::new(PADDING + i as f32 * (COLUMN + GAP), HEAD);
        for section in column {
            draw_section(layer, fonts, at, section);
            at.y += section.height();
        }
    }
}

fn draw_section(layer: &mut Layer, fonts: &Fonts, at: Vec2, section: &Section) {
    layer.text(section.title, at + Vec2::new(0.0, 18.0), HEADING, ACCENT);
    let rule = at + Vec2::new(0.0, 27.0);
    layer.geometry.line(rule, rule + Vec2::new(COLUMN, 0.0), 1.0, PAPER.with_alpha(0.16));
    for (i, (caps, does)) in section.rows.iter().enumerate() {
        let base = at.y + 34.0 + ROW * i as f32 + 18.0;
        let mut x = at.x;
        for cap in caps {
            x += key_cap(layer, fonts, Vec2::new(x, base), cap) + 5.0;
        }
        layer.text(*does, Vec2::new(at.x + 118.0, base), BODY, PAPER);
    }
}

/// A key as it looks on a keyboard; returns its width.
fn key_cap(layer: &mut Layer, fonts: &Fonts, at: Vec2, cap: &str) -> f32 {
    let text = fonts.width(cap, CAP.0, CAP.1);
    let width = (text + 14.0).max(24.0);
    let min = at + Vec2::new(0.0, -16.0);
    let max = min + Vec2::new(width, 22.0);
    let shade = Color::hex(0x0e131b);
    layer.geometry.rounded(min + Vec2::Y, max + Vec2::new(0.0, 2.0), 5.0, shade);
    layer.geometry.rounded(min, max, 5.0, INK.mix(PAPER, 0.16));
    layer.text(cap, at + Vec2::new(0.5 * (width - text), -0.5), CAP, PAPER);
    width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_help_fits_the_usual_window_and_holds_every_row() {
        let rows = |columns: &[Vec<Section>]| -> usize {
            columns.iter().flatten().map(|section| section.rows.len()).sum()
        };
        let expected = GROUPS.iter().map(|g| g.bindings.len()).sum::<usize>() + MOUSE.len();
        for count in 1..=4 {
            let columns = columns(sections(), count);
            assert!(columns.len() <= count);
            assert_eq!(rows(&columns), expected);
        }
        let three = columns(sections(), 3);
        assert_eq!(three.len(), 3);
        for column in &three {
            let height: f32 = column.iter().map(Section::height).sum();
            assert!(HEAD + height + PADDING < 720.0, "{height}");
        }
    }
}
