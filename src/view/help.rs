//! The help: every key and what the mouse does, on a sheet over the window.
//!
//! It is laid out from the same table that the keys act by, so it cannot leave one out. Keys that drive
//! the level come first; what they do elsewhere they do with Control.

use crate::math::Vec2;
use crate::scene::Key;
use crate::view::color::{ACCENT, Color, INK, MUTED, PAPER};
use crate::view::keys::{Binding, EDIT_GROUPS, EDIT_MOUSE, GROUPS, Group, MOUSE};
use crate::view::layer::Layer;
use crate::view::steer::{self, Hint};
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
    rows: Vec<(Vec<String>, String)>,
}

/// What the help is about.
#[derive(Clone, Copy)]
pub(crate) enum Topic<'a> {
    /// Edit mode.
    Edit,
    /// A level that is played.
    Play {
        /// What keys drive in it.
        hints: &'a [Hint],
        /// Those keys.
        driving: &'a [Key],
    },
}

impl Section {
    fn height(&self) -> f32 {
        34.0 + ROW * self.rows.len() as f32 + 14.0
    }
}

/// The sections of the help.
fn sections(topic: Topic<'_>) -> Vec<Section> {
    let (groups, mouse): (&[Group], &[(&str, &str)]) = match topic {
        Topic::Edit => (&EDIT_GROUPS, &EDIT_MOUSE),
        Topic::Play { .. } => (&GROUPS, &MOUSE),
    };
    let (hints, driving): (&[Hint], &[Key]) = match topic {
        Topic::Edit => (&[], &[]),
        Topic::Play { hints, driving } => (hints, driving),
    };
    let level = (!hints.is_empty()).then(|| Section {
        title: "This level",
        rows: hints.iter().map(|hint| (hint.caps.clone(), hint.does.clone())).collect(),
    });
    let mouse = Section {
        title: "Mouse",
        rows: mouse.iter().map(|&(cap, does)| (vec![cap.to_owned()], does.to_owned())).collect(),
    };
    let caps = |binding: &Binding| -> Vec<String> {
        let taken = binding.keys.iter().any(|&key| steer::takes(driving, key));
        match taken {
            true => ["Ctrl"].into_iter().chain(binding.caps.split(' ').take(1)).collect::<Vec<_>>(),
            false => binding.caps.split(' ').collect(),
        }
        .into_iter()
        .map(str::to_owned)
        .collect()
    };
    let keys = groups.iter().map(|group| Section {
        title: group.title,
        rows: group.bindings.iter().map(|row| (caps(row), row.does.to_owned())).collect(),
    });
    level.into_iter().chain(keys).chain([mouse]).collect()
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

/// How the sheet is laid out: its columns, its size and how much it is reduced to fit.
struct Sheet {
    columns: Vec<Vec<Section>>,
    size: Vec2,
    scale: f32,
}

impl Sheet {
    /// The sheet of `count` columns on a screen.
    fn new(count: usize, screen: Vec2, topic: Topic<'_>) -> Self {
        let columns = columns(sections(topic), count);
        let heights = columns.iter().map(|c| c.iter().map(Section::height).sum::<f32>());
        let width = columns.len() as f32 * (COLUMN + GAP) - GAP;
        let tallest = heights.fold(0.0, f32::max);
        let size = Vec2::new(width + 2.0 * PADDING, HEAD + tallest + PADDING);
        let scale = ((screen - 12.0) / size).min_element().clamp(0.3, 1.0);
        Self { columns, size, scale }
    }

    /// The sheet with the number of columns that needs the least reduction.
    fn fitting(screen: Vec2, topic: Topic<'_>) -> Self {
        let [three, others @ ..] = [3, 2, 1, 4].map(|count| Self::new(count, screen, topic));
        others
            .into_iter()
            .fold(three, |best, other| if other.scale > best.scale { other } else { best })
    }
}

/// Draws in the units of the sheet at full size.
struct Pen<'a> {
    layer: &'a mut Layer,
    fonts: &'a Fonts,
    origin: Vec2,
    scale: f32,
}

impl Pen<'_> {
    fn place(&self, at: Vec2) -> Vec2 {
        self.origin + self.scale * at
    }

    fn style(&self, (size, face): (u16, Face)) -> (u16, Face) {
        ((f32::from(size) * self.scale).round() as u16, face)
    }

    fn width(&self, text: &str, style: (u16, Face)) -> f32 {
        let (size, face) = self.style(style);
        self.fonts.width(text, size, face) / self.scale
    }

    fn text(&mut self, text: &str, at: Vec2, style: (u16, Face), color: Color) {
        let (at, style) = (self.place(at), self.style(style));
        self.layer.text(text, at, style, color);
    }

    fn rounded(&mut self, min: Vec2, max: Vec2, radius: f32, color: Color) {
        let (min, max) = (self.place(min), self.place(max));
        self.layer.geometry.rounded(min, max, self.scale * radius, color);
    }

    fn section(&mut self, at: Vec2, section: &Section) {
        self.text(section.title, at + Vec2::new(0.0, 18.0), HEADING, ACCENT);
        let rule = at + Vec2::new(0.0, 27.0);
        let ends = [rule, rule + Vec2::new(COLUMN, 0.0)].map(|end| self.place(end));
        self.layer.geometry.line(ends[0], ends[1], 1.0, PAPER.with_alpha(0.16));
        for (i, (caps, does)) in section.rows.iter().enumerate() {
            let base = at.y + 34.0 + ROW * i as f32 + 18.0;
            let mut x = at.x;
            for cap in caps {
                x += self.key_cap(Vec2::new(x, base), cap) + 5.0;
            }
            let begin = x.max(at.x + 118.0) - at.x;
            let (size, face) = self.style(BODY);
            let room = self.scale * (COLUMN - begin);
            let does = self.fonts.shortened(does, size, face, room);
            self.text(&does, Vec2::new(at.x + begin, base), BODY, PAPER);
        }
    }

    /// A key as it looks on a keyboard; returns its width.
    fn key_cap(&mut self, at: Vec2, cap: &str) -> f32 {
        let text = self.width(cap, CAP);
        let width = (text + 14.0).max(24.0);
        let min = at + Vec2::new(0.0, -16.0);
        let max = min + Vec2::new(width, 22.0);
        let shade = Color::hex(0x0e131b);
        self.rounded(min + Vec2::Y, max + Vec2::new(0.0, 2.0), 5.0, shade);
        self.rounded(min, max, 5.0, INK.mix(PAPER, 0.16));
        self.text(cap, at + Vec2::new(0.5 * (width - text), -0.5), CAP, PAPER);
        width
    }
}

/// Draws the help over everything.
pub(crate) fn draw(layer: &mut Layer, fonts: &Fonts, screen: Vec2, topic: Topic<'_>) {
    let Sheet { columns, size, scale } = Sheet::fitting(screen, topic);
    let origin = (0.5 * (screen - scale * size)).round();
    let veil = INK.with_alpha(0.45);
    layer.geometry.gradient(Vec2::ZERO, screen, veil, veil);
    let mut pen = Pen { layer, fonts, origin, scale };
    pen.rounded(Vec2::ZERO, size, 14.0, INK);
    let line = PADDING + 12.0;
    pen.text("Keys and mouse", Vec2::new(PADDING, line), TITLE, PAPER);
    let close = "H or Esc closes";
    let width = pen.width(close, BODY);
    pen.text(close, Vec2::new(size.x - PADDING - width, line), BODY, MUTED);
    for (i, column) in columns.iter().enumerate() {
        let mut at = Vec2::new(PADDING + i as f32 * (COLUMN + GAP), HEAD);
        for section in column {
            pen.section(at, section);
            at.y += section.height();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAY: Topic<'static> = Topic::Play { hints: &[], driving: &[] };

    #[test]
    fn keys_that_drive_the_level_come_first_and_elsewhere_need_control() {
        let hints = [Hint { caps: vec!["←".into(), "→".into()], does: "drive".into() }];
        let driving = [Key::LEFT, Key::RIGHT];
        let sections = sections(Topic::Play { hints: &hints, driving: &driving });
        assert_eq!(sections[0].title, "This level");
        assert_eq!(sections[0].rows, [(hints[0].caps.clone(), "drive".into())]);
        let row = |does: &str| {
            let mut rows = sections.iter().flat_map(|section| &section.rows);
            rows.find(|row| row.1 == does).unwrap().0.join(" ")
        };
        assert_eq!(row("camera left"), "Ctrl Left");
        assert_eq!(row("camera up"), "Up");
        assert_eq!(row("one step"), "N .");
    }

    #[test]
    fn the_help_fits_the_usual_window_and_holds_every_row() {
        let rows = |columns: &[Vec<Section>]| -> usize {
            columns.iter().flatten().map(|section| section.rows.len()).sum()
        };
        let expected = GROUPS.iter().map(|g| g.bindings.len()).sum::<usize>() + MOUSE.len();
        for count in 1..=4 {
            let columns = columns(sections(PLAY), count);
            assert!(columns.len() <= count);
            assert_eq!(rows(&columns), expected);
        }
        let usual = Sheet::fitting(Vec2::new(1280.0, 800.0), PLAY);
        assert_eq!((usual.columns.len(), usual.scale), (3, 1.0));
        for screen in [(640.0, 480.0), (400.0, 900.0), (3000.0, 400.0)].map(Vec2::from) {
            let sheet = Sheet::fitting(screen, Topic::Edit);
            assert!((sheet.scale * sheet.size).cmple(screen).all(), "{screen}: {}", sheet.scale);
        }
    }
}
