//! Text: two outline fonts, measuring, wrapping, and labels to be drawn later.
//!
//! Labels are collected and drawn after all shapes, font by font: each change of font is a change
//! of texture, and so a draw call of its own.

use macroquad::text::{Font, TextParams, draw_text_ex, load_ttf_font_from_bytes, measure_text};

use crate::math::Vec2;
use crate::view::color::Color;

/// A font.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    /// For words.
    Sans,
    /// For numbers and keys: all characters are equally wide, so numbers stand still.
    Mono,
}

/// A line of text and where it goes.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    /// Left end of the base line, px.
    pub(crate) at: Vec2,
    pub(crate) size: u16,
    pub(crate) face: Face,
    pub(crate) color: Color,
}

/// The fonts, ready to draw with.
pub(crate) struct Fonts {
    sans: Option<Font>,
    mono: Option<Font>,
}

impl Fonts {
    /// The sizes in use. Their characters are made ready at the start, so that the texture that
    /// holds them does not grow in the middle of a frame.
    const SIZES: [u16; 6] = [12, 13, 14, 15, 17, 22];

    /// Loads the fonts that come with the program. If one cannot be read, the window library's own
    /// stands in for it.
    pub(crate) fn load() -> Self {
        let load = |bytes| {
            let font = load_ttf_font_from_bytes(bytes).ok()?;
            let scale = macroquad::window::screen_dpi_scale();
            let characters: Vec<char> = (' '..='~').chain("±×·–—…°²³µμλ←→↑↓".chars()).collect();
            for size in Self::SIZES {
                font.populate_font_cache(&characters, (f32::from(size) * scale).ceil() as u16);
            }
            Some(font)
        };
        Self {
            sans: load(epaint_default_fonts::UBUNTU_LIGHT),
            mono: load(epaint_default_fonts::HACK_REGULAR),
        }
    }

    fn font(&self, face: Face) -> Option<&Font> {
        match face {
            Face::Sans => self.sans.as_ref(),
            Face::Mono => self.mono.as_ref(),
        }
    }

    /// How wide a text is, px.
    pub(crate) fn width(&self, text: &str, size: u16, face: Face) -> f32 {
        measure_text(text, self.font(face), size, 1.0).width
    }

    /// The longest beginning of `text` that is no wider than `width`, with an ellipsis if that is
    /// not all of it.
    pub(crate) fn shortened(&self, text: &str, size: u16, face: Face, width: f32) -> String {
        if self.width(text, size, face) <= width {
            return text.to_owned();
        }
        let mut short = text.to_owned();
        while short.pop().is_some() {
            let candidate = format!("{}…", short.trim_end());
            if self.width(&candidate, size, face) <= width {
                return candidate;
            }
        }
        String::new()
    }

    /// The lines of `text` when no line may be wider than `width`; at most `most` lines, the last
    /// one shortened if there would be more.
    pub(crate) fn wrapped(
        &self,
        text: &str,
        size: u16,
        face: Face,
        width: f32,
        most: usize,
    ) -> Vec<String> {
        let mut lines = wrap(text, |line| self.width(line, size, face) <= width);
        if lines.len() > most {
            let rest = lines.split_off(most.saturating_sub(1)).join(" ");
            lines.push(rest);
        }
        lines.iter().map(|line| self.shortened(line, size, face, width)).collect()
    }

    /// Draws labels, first those of one font, then those of the other.
    pub(crate) fn draw(&self, labels: &[Label]) {
        let pixel = macroquad::window::screen_dpi_scale();
        for face in [Face::Sans, Face::Mono] {
            for label in labels.iter().filter(|label| label.face == face) {
                let [r, g, b, a] = label.color.0;
                // Glyphs are sharpest where their base line meets a row of pixels.
                let at = (label.at * pixel).round() / pixel;
                let params = TextParams {
                    font: self.font(face),
                    font_size: label.size,
                    color: macroquad::color::Color::from_rgba(r, g, b, a),
                    ..TextParams::default()
                };
                draw_text_ex(&label.text, at.x, at.y, params);
            }
        }
    }
}

/// Breaks a text at its spaces into lines that `fits` accepts; a single word may be too long.
fn wrap(text: &str, fits: impl Fn(&str) -> bool) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            let longer = if line.is_empty() { word.to_owned() } else { format!("{line} {word}") };
            if line.is_empty() || fits(&longer) {
                line = longer;
            } else {
                lines.push(std::mem::replace(&mut line, word.to_owned()));
            }
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces() {
        let lines = wrap("a tower of crates falls\nagain", |line| line.len() <= 10);
        assert_eq!(lines, ["a tower of", "crates", "falls", "again"]);
        assert!(wrap("", |_| true).is_empty());
        assert_eq!(wrap("unbreakable", |line| line.len() <= 3), ["unbreakable"]);
    }
}
