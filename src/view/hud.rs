//! The heads-up display: a panel with the level, the solver, counts, times and two sliders; a
//! footer with the most useful keys and those that drive the level; a badge for pause and slow motion; and short notices.

use macroquad::input::KeyCode;

use crate::math::Vec2;
use crate::scene::Key;
use crate::settings::{Effort, SolverKind};
use crate::view::color::{ACCENT, ALARM, COOL, Color, INK, MUTED, PAPER};
use crate::view::layer::Layer;
use crate::view::meter::Reading;
use crate::view::paint::grid_spacing;
use crate::view::steer::{self, Hint};
use crate::view::text::{Face, Fonts};

/// What the display says.
pub(crate) struct Facts<'a> {
    pub(crate) name: &'a str,
    pub(crate) about: &'a str,
    /// Number of the level and how many there are.
    pub(crate) place: (usize, usize),
    pub(crate) solver: SolverKind,
    pub(crate) limitations: &'a [String],
    pub(crate) bodies: usize,
    /// How many of them sleep.
    pub(crate) asleep: usize,
    pub(crate) contacts: usize,
    pub(crate) reading: Reading,
    pub(crate) effort: Effort,
    pub(crate) time: f64,
    pub(crate) paused: bool,
    pub(crate) slow: bool,
    /// Pixels per metre.
    pub(crate) scale: f32,
    /// What keys drive in this level.
    pub(crate) hints: &'a [Hint],
    /// Those keys.
    pub(crate) driving: &'a [Key],
}

/// A number that can be dragged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Knob {
    Iterations,
    Substeps,
}

/// Where things are from one frame to the next.
#[derive(Default)]
pub(crate) struct Hud {
    /// Rectangle of the panel, to keep the mouse from reaching through it.
    panel: Option<(Vec2, Vec2)>,
    /// Tracks of the sliders: left end, length.
    tracks: Vec<(Knob, Vec2, f32)>,
    /// The slider that is being dragged.
    held: Option<Knob>,
}

const MARGIN: f32 = 14.0;
const PADDING: f32 = 16.0;
const WIDTH: f32 = 292.0;
const ROW: f32 = 21.0;
const SMALL: (u16, Face) = (13, Face::Sans);
const BODY: (u16, Face) = (15, Face::Sans);
const TITLE: (u16, Face) = (22, Face::Sans);
const NUMBER: (u16, Face) = (14, Face::Mono);
const FIGURE: (u16, Face) = (17, Face::Mono);
/// Colours of the phases of a step, in their order.
const PHASES: [Color; 4] = [COOL, Color::hex(0x7ccba2), ACCENT, Color::hex(0xc9a0dc)];
/// The most that a slider reaches.
const SLIDER_MOST: f32 = 64.0;

/// Where a value is on a slider, 0 to 1: equal ways double it.
fn slider_place(value: u32) -> f32 {
    ((value.max(1) as f32).ln() / SLIDER_MOST.ln()).clamp(0.0, 1.0)
}

/// The value at a place on a slider.
fn slider_value(place: f32) -> u32 {
    SLIDER_MOST.powf(place.clamp(0.0, 1.0)).round() as u32
}

impl Hud {
    /// Takes hold of the slider at a place, if there is one.
    pub(crate) fn press(&mut self, place: Vec2) {
        self.held = self.tracks.iter().find_map(|&(knob, start, length)| {
            let offset = place - start;
            let near = offset.y.abs() < 11.0 && offset.x > -10.0 && offset.x < length + 10.0;
            near.then_some(knob)
        });
    }

    /// Lets go of it.
    pub(crate) fn release(&mut self) {
        self.held = None;
    }

    /// The effort that the slider in hand asks for, with the mouse at a place.
    pub(crate) fn drag(&self, place: Vec2, effort: Effort) -> Option<Effort> {
        let held = self.held?;
        let &(_, start, length) = self.tracks.iter().find(|(knob, ..)| *knob == held)?;
        let value = slider_value((place.x - start.x) / length);
        Some(match held {
            Knob::Iterations => Effort { iterations: value, ..effort },
            Knob::Substeps => Effort { substeps: value, ..effort },
        })
    }

    /// Whether the mouse is over the panel.
    pub(crate) fn covers(&self, mouse: Vec2) -> bool {
        self.panel.is_some_and(|(min, max)| mouse.cmpge(min).all() && mouse.cmple(max).all())
    }

    /// Forgets where the panel was: it is not shown.
    pub(crate) fn hide(&mut self) {
        *self = Self::default();
    }

    /// How much of the left of a window of this size the panel takes, px.
    pub(crate) fn width(screen: Vec2) -> f32 {
        if Self::fits(screen) { MARGIN + WIDTH } else { 0.0 }
    }

    /// In a small window the panel would leave nothing to see.
    fn fits(screen: Vec2) -> bool {
        screen.x >= 760.0 && screen.y >= 460.0
    }

    /// Draws everything.
    pub(crate) fn draw(
        &mut self,
        layer: &mut Layer,
        fonts: &Fonts,
        screen: Vec2,
        facts: &Facts<'_>,
    ) {
        if Self::fits(screen) {
            self.panel(layer, fonts, facts);
        } else {
            self.hide();
        }
        footer(layer, fonts, screen, facts.driving);
        wheel(layer, fonts, screen, facts.hints);
        scale_bar(layer, fonts, screen, facts.scale);
        badge(layer, fonts, screen, facts);
    }

    fn panel(&mut self, layer: &mut Layer, fonts: &Fonts, facts: &Facts<'_>) {
        let inner = WIDTH - 2.0 * PADDING;
        let title = fonts.wrapped(facts.name, TITLE.0, TITLE.1, inner, 2);
        let about = fonts.wrapped(facts.about, 14, Face::Sans, inner, 3);
        let limits: Vec<String> = facts
            .limitations
            .iter()
            .flat_map(|text| fonts.wrapped(text, SMALL.0, SMALL.1, inner, 2))
            .take(3)
            .collect();

        // The height is known before anything is drawn, because shapes are drawn in order.
        let mut height = PADDING + 26.0 * title.len() as f32 + 18.0 * about.len() as f32;
        height += 17.0 * limits.len() as f32 + 301.0;
        if facts.reading.frame.is_some() {
            height += ROW;
        }
        let min = Vec2::splat(MARGIN);
        let max = min + Vec2::new(WIDTH, height);
        self.panel = Some((min, max));
        panel_box(layer, min, max);

        let mut pen =
            Pen { layer, fonts, left: min.x + PADDING, right: max.x - PADDING, y: min.y + PADDING };
        for line in &title {
            pen.y += 26.0;
            pen.left_text(line, -6.0, TITLE, PAPER);
        }
        for line in &about {
            pen.y += 18.0;
            pen.left_text(line, -3.0, (14, Face::Sans), MUTED);
        }
        pen.rule();

        pen.row("Solver", facts.solver.name(), ACCENT);
        for line in &limits {
            pen.y += 17.0;
            pen.left_text(line, -4.0, SMALL, MUTED);
        }
        let (place, count) = facts.place;
        pen.row("Level", &format!("{place} of {count}"), PAPER);
        pen.row("Simulated time", &format!("{:.1} s", facts.time), PAPER);
        pen.rule();
        pen.columns([
            (facts.bodies, "bodies"),
            (facts.asleep, "asleep"),
            (facts.contacts, "contacts"),
        ]);
        pen.rule();
        pen.times(&facts.reading);
        pen.rule();

        self.tracks.clear();
        let knobs = [
            (Knob::Substeps, "Sub-steps", facts.effort.substeps),
            (Knob::Iterations, "Iterations", facts.effort.iterations),
        ];
        for (knob, name, value) in knobs {
            let held = self.held == Some(knob);
            self.tracks.push(pen.slider(knob, name, value, held));
        }
    }
}

/// Writes the panel from top to bottom.
struct Pen<'a> {
    layer: &'a mut Layer,
    fonts: &'a Fonts,
    left: f32,
    right: f32,
    /// Where the next thing goes.
    y: f32,
}

impl Pen<'_> {
    fn left_text(&mut self, text: &str, dy: f32, style: (u16, Face), color: Color) {
        self.layer.text(text, Vec2::new(self.left, self.y + dy), style, color);
    }

    fn right_text(&mut self, text: &str, dy: f32, style: (u16, Face), color: Color) {
        let width = self.fonts.width(text, style.0, style.1);
        self.layer.text(text, Vec2::new(self.right - width, self.y + dy), style, color);
    }

    fn rule(&mut self) {
        self.y += 10.0;
        let (a, b) = (Vec2::new(self.left, self.y), Vec2::new(self.right, self.y));
        self.layer.geometry.line(a, b, 1.0, PAPER.with_alpha(0.14));
        self.y += 6.0;
    }

    fn row(&mut self, name: &str, value: &str, color: Color) {
        self.y += ROW;
        self.left_text(name, -5.0, BODY, MUTED);
        self.right_text(value, -5.0, NUMBER, color);
    }

    fn columns(&mut self, columns: [(usize, &str); 3]) {
        self.y += 40.0;
        let step = (self.right - self.left) / columns.len() as f32;
        for (i, (value, name)) in columns.into_iter().enumerate() {
            let x = self.left + i as f32 * step;
            self.layer.text(value.to_string(), Vec2::new(x, self.y - 20.0), FIGURE, PAPER);
            self.layer.text(name, Vec2::new(x, self.y - 4.0), SMALL, MUTED);
        }
    }

    fn times(&mut self, reading: &Reading) {
        let milliseconds = |seconds: f32| format!("{:.2} ms", 1e3 * seconds);
        if let Some(frame) = reading.frame {
            self.row("Frame", &milliseconds(frame), PAPER);
            if frame > 0.0 {
                let at = Vec2::new(self.left + 74.0, self.y - 5.0);
                self.layer.text(format!("{:.0} per second", 1.0 / frame), at, SMALL, MUTED);
            }
        }
        let total = reading.phases.total();
        self.row("Step", &milliseconds(total), PAPER);

        // How the step divides into phases.
        self.y += 7.0;
        let width = self.right - self.left;
        let phases = reading.phases.named();
        let top = Vec2::new(self.left, self.y);
        self.layer.geometry.rounded(top, top + Vec2::new(width, 6.0), 3.0, PAPER.with_alpha(0.12));
        let mut x = self.left;
        for ((_, seconds), color) in phases.iter().zip(PHASES) {
            let part = if total > 0.0 { width * seconds / total } else { 0.0 };
            let (min, max) = (Vec2::new(x, self.y), Vec2::new(x + part, self.y + 6.0));
            self.layer.geometry.gradient(min, max, color, color);
            x += part;
        }
        self.y += 8.0;
        for (i, ((name, seconds), color)) in phases.iter().zip(PHASES).enumerate() {
            let column = (i % 2) as f32;
            if i % 2 == 0 {
                self.y += 18.0;
            }
            let half = 0.5 * width;
            let x = self.left + column * (half + 8.0);
            let y = self.y - 4.0;
            self.layer.geometry.disc(Vec2::new(x + 4.0, y - 4.0), 3.5, color);
            self.layer.text(*name, Vec2::new(x + 13.0, y), SMALL, MUTED);
            let value = format!("{:.2}", 1e3 * seconds);
            let style = (12, Face::Mono);
            let end = x + half - 8.0 - self.fonts.width(&value, style.0, style.1);
            self.layer.text(value, Vec2::new(end, y), style, PAPER);
        }
    }

    fn slider(&mut self, knob: Knob, name: &str, value: u32, held: bool) -> (Knob, Vec2, f32) {
        self.row(name, &value.to_string(), PAPER);
        let start = Vec2::new(self.left + 86.0, self.y - 10.0);
        let length = self.right - start.x - 44.0;
        let end = start + Vec2::new(length, 0.0);
        let place = start + Vec2::new(length * slider_place(value), 0.0);
        let geometry = &mut self.layer.geometry;
        geometry.capsule(start, end, 2.0, PAPER.with_alpha(0.2));
        geometry.capsule(start, place, 2.0, ACCENT);
        geometry.disc(place, if held { 8.0 } else { 6.5 }, if held { PAPER } else { ACCENT });
        self.y += 3.0;
        (knob, start, length)
    }
}

/// The dark box behind text.
pub(crate) fn panel_box(layer: &mut Layer, min: Vec2, max: Vec2) {
    let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
    layer.geometry.soft(&corners.map(|p| p + Vec2::new(0.0, 3.0)), 12.0, INK.with_alpha(0.14));
    layer.geometry.rounded(min, max, 10.0, INK.with_alpha(0.97));
}

/// A line of text in a dark pill; `anchor` is the middle of it.
pub(crate) fn pill(
    layer: &mut Layer,
    fonts: &Fonts,
    anchor: Vec2,
    text: &str,
    color: Color,
    fill: Color,
) {
    let width = fonts.width(text, BODY.0, BODY.1);
    let half = Vec2::new(0.5 * width + 14.0, 15.0);
    layer.geometry.rounded(anchor - half, anchor + half, 15.0, fill);
    layer.text(text, anchor + Vec2::new(-0.5 * width, 5.0), BODY, color);
}

/// The most useful keys, at the bottom: how they are called, one of the program's own, and what they do.
const USEFUL: [(&str, KeyCode, &str); 7] = [
    ("H", KeyCode::H, "help"),
    ("Space", KeyCode::Space, "pause"),
    ("Tab", KeyCode::Tab, "solver"),
    ("[ ]", KeyCode::LeftBracket, "level"),
    ("1 2 3", KeyCode::Key1, "drop"),
    ("R", KeyCode::R, "start over"),
    ("drag", KeyCode::Unknown, "to throw"),
];

/// As many of the most useful keys as there is room for. Those that drive the level need Control.
fn footer(layer: &mut Layer, fonts: &Fonts, screen: Vec2, driving: &[Key]) {
    let room = screen.x - 2.0 * 150.0;
    let words: Vec<String> = USEFUL
        .iter()
        .map(|&(caps, key, does)| match steer::takes(driving, key) {
            true => format!("Ctrl+{caps} {does}"),
            false => format!("{caps} {does}"),
        })
        .collect();
    let text = |count: usize| words[..count].join("   ·   ");
    let fits = |text: &String| fonts.width(text, BODY.0, BODY.1) + 28.0 < room;
    if let Some(text) = [words.len(), 3].map(text).into_iter().find(fits) {
        let at = Vec2::new(0.5 * screen.x, screen.y - 26.0);
        pill(layer, fonts, at, &text, PAPER, INK.with_alpha(0.8));
    }
}

/// Which keys drive the level, above the footer: as many as there is room for.
fn wheel(layer: &mut Layer, fonts: &Fonts, screen: Vec2, hints: &[Hint]) {
    const CAPS: (u16, Face) = (15, Face::Mono);
    const GAP: f32 = 26.0;
    let room = screen.x - 2.0 * MARGIN - 28.0;
    let mut width = -GAP;
    let mut parts = Vec::new();
    for hint in hints {
        let caps = hint.caps.join(" ");
        let [left, right] = [(&caps, CAPS), (&hint.does, BODY)]
            .map(|(text, (size, face))| fonts.width(text, size, face));
        if width + GAP + left + 8.0 + right > room {
            break;
        }
        let start = width + GAP;
        width = start + left + 8.0 + right;
        parts.push((caps, start, &hint.does, start + left + 8.0));
    }
    if parts.is_empty() {
        return;
    }
    let middle = Vec2::new(0.5 * screen.x, screen.y - 62.0);
    let half = Vec2::new(0.5 * width + 14.0, 15.0);
    layer.geometry.rounded(middle - half, middle + half, 15.0, INK.with_alpha(0.8));
    let base = middle + Vec2::new(-0.5 * width, 5.0);
    for (caps, caps_at, does, does_at) in parts {
        layer.text(caps, base + Vec2::new(caps_at, 0.0), CAPS, ACCENT);
        layer.text(does.as_str(), base + Vec2::new(does_at, 0.0), BODY, PAPER);
    }
}

/// How long a round number of metres is, at the bottom right.
fn scale_bar(layer: &mut Layer, fonts: &Fonts, screen: Vec2, scale: f32) {
    let metres = grid_spacing(scale, 40.0);
    let text =
        if metres >= 1.0 { format!("{metres:.0} m") } else { format!("{:.0} cm", 100.0 * metres) };
    let text = if metres < 0.01 { format!("{:.1} mm", 1000.0 * metres) } else { text };
    let length = metres * scale;
    let right = Vec2::new(screen.x - 20.0, screen.y - 18.0);
    let left = right - Vec2::new(length, 0.0);
    let width = fonts.width(&text, SMALL.0, SMALL.1);
    let min = Vec2::new(left.x.min(right.x - width) - 10.0, right.y - 25.0);
    layer.geometry.rounded(min, right + Vec2::new(10.0, 8.0), 8.0, INK.with_alpha(0.8));
    layer.geometry.line(left, right, 2.0, PAPER);
    for end in [left, right] {
        layer.geometry.line(end - Vec2::new(0.0, 5.0), end + Vec2::new(0.0, 1.0), 2.0, PAPER);
    }
    let middle = 0.5 * (left.x + right.x);
    layer.text(text, Vec2::new(middle - 0.5 * width, right.y - 8.0), SMALL, PAPER);
}

/// Whether time stands still or goes slowly, at the top right.
fn badge(layer: &mut Layer, fonts: &Fonts, screen: Vec2, facts: &Facts<'_>) {
    let text = match (facts.paused, facts.slow) {
        (true, _) => "Paused   ·   N one step",
        (false, true) => "Slow motion   ×1/5",
        (false, false) => return,
    };
    let width = fonts.width(text, BODY.0, BODY.1);
    let at = Vec2::new(screen.x - MARGIN - 0.5 * width - 14.0, MARGIN + 15.0);
    pill(layer, fonts, at, text, INK, ACCENT);
}

/// A short notice at the top.
pub(crate) fn notice(layer: &mut Layer, fonts: &Fonts, screen: Vec2, text: &str, strength: f32) {
    let room = screen.x - 2.0 * (WIDTH + 2.0 * MARGIN);
    let text = fonts.shortened(text, BODY.0, BODY.1, room.max(200.0));
    let at = Vec2::new(0.5 * screen.x, MARGIN + 15.0);
    pill(layer, fonts, at, &text, PAPER.faded(strength), INK.with_alpha(0.93 * strength));
}

/// Says why the simulation stopped, in the middle.
pub(crate) fn fault(layer: &mut Layer, fonts: &Fonts, screen: Vec2, message: &str) {
    let width = (screen.x - 4.0 * MARGIN).min(560.0);
    let mut letters = message.chars();
    let message: String =
        letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect();
    let lines = fonts.wrapped(&message, BODY.0, BODY.1, width - 2.0 * PADDING, 12);
    let height = 2.0 * PADDING + 34.0 + 21.0 * lines.len() as f32 + 30.0;
    let min = 0.5 * (screen - Vec2::new(width, height));
    panel_box(layer, min, min + Vec2::new(width, height));
    let mut at = min + Vec2::new(PADDING, PADDING + 18.0);
    layer.text("The simulation stopped", at, TITLE, ALARM);
    at.y += 10.0;
    for line in lines {
        at.y += 21.0;
        layer.text(line, at, BODY, PAPER);
    }
    at.y += 34.0;
    layer.text("R starts over   ·   Tab changes the solver   ·   ] next level", at, BODY, MUTED);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sliders_reach_every_small_value_and_invert() {
        for value in 1..=64 {
            assert_eq!(slider_value(slider_place(value)), value);
        }
        assert_eq!(slider_value(-3.0), 1);
        assert_eq!(slider_value(7.0), 64);
        assert_eq!(slider_place(1000), 1.0);
    }

    #[test]
    fn dragging_a_slider_sets_its_value_only() {
        let mut hud = Hud::default();
        hud.tracks.push((Knob::Iterations, Vec2::new(100.0, 50.0), 120.0));
        let effort = Effort { substeps: 3, iterations: 2 };
        hud.press(Vec2::new(10.0, 50.0));
        assert_eq!(hud.drag(Vec2::new(100.0, 50.0), effort), None);
        hud.press(Vec2::new(221.0, 52.0));
        let set = hud.drag(Vec2::new(221.0, 52.0), effort);
        assert_eq!(set, Some(Effort { substeps: 3, iterations: 64 }));
        // Held, it follows the mouse anywhere; let go, it stays.
        let set = hud.drag(Vec2::new(0.0, 500.0), effort);
        assert_eq!(set, Some(Effort { substeps: 3, iterations: 1 }));
        hud.release();
        assert_eq!(hud.drag(Vec2::new(221.0, 50.0), effort), None);
    }
}
