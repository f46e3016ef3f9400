//! The panel of edit mode: what is selected, the palette, the state of the file.

use super::{Editor, Ware};
use crate::edit::short;
use crate::math::Vec2;
use crate::view::color::{ACCENT, COOL, Color, INK, MUTED, PAPER};
use crate::view::hud::{panel_box, pill};
use crate::view::layer::Layer;
use crate::view::text::{Face, Fonts};

const MARGIN: f32 = 14.0;
const PADDING: f32 = 16.0;
const WIDTH: f32 = 292.0;
const BUTTON: Vec2 = Vec2::new(126.0, 34.0);
const TITLE: (u16, Face) = (22, Face::Sans);
const BODY: (u16, Face) = (15, Face::Sans);
const SMALL: (u16, Face) = (13, Face::Sans);
const CODE: (u16, Face) = (14, Face::Mono);

/// What can be clicked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Button {
    /// Something on the palette.
    Ware(Ware),
    /// The next grid.
    Grid,
}

/// Where things are from one frame to the next.
#[derive(Debug, Default)]
pub(crate) struct Panel {
    corners: Option<(Vec2, Vec2)>,
    buttons: Vec<(Button, Vec2, Vec2)>,
}

impl Panel {
    /// Whether the mouse is over the panel.
    pub(crate) fn covers(&self, place: Vec2) -> bool {
        self.corners.is_some_and(|(min, max)| place.cmpge(min).all() && place.cmple(max).all())
    }

    /// The button at a place.
    pub(crate) fn button(&self, place: Vec2) -> Option<Button> {
        let hit = |(_, min, max): &&(Button, Vec2, Vec2)| {
            place.cmpge(*min).all() && place.cmple(*max).all()
        };
        self.buttons.iter().find(hit).map(|&(button, ..)| button)
    }

    /// Draws the panel and the footer.
    pub(crate) fn draw(&mut self, layer: &mut Layer, fonts: &Fonts, screen: Vec2, editor: &Editor) {
        let inner = WIDTH - 2.0 * PADDING;
        let selection = selection(editor);
        let rows = Ware::ALL.len().div_ceil(2) as f32;
        let lines = selection.len() as f32;
        let height = 2.0 * PADDING + 90.0 + 20.0 * lines + rows * (BUTTON.y + 8.0) + 64.0;
        let (min, max) = (Vec2::splat(MARGIN), Vec2::splat(MARGIN) + Vec2::new(WIDTH, height));
        self.corners = Some((min, max));
        self.buttons.clear();
        panel_box(layer, min, max);
        let left = min.x + PADDING;
        let mut y = min.y + PADDING + 20.0;
        layer.text("Edit mode", Vec2::new(left, y), TITLE, ACCENT);
        y += 22.0;
        let (state, color) = match (editor.is_saved(), editor.source()) {
            (true, _) => ("saved".to_owned(), MUTED),
            (false, crate::view::session::Source::Builtin(_)) => {
                ("Ctrl+S saves a copy here".to_owned(), ACCENT)
            }
            (false, _) => ("not saved yet: Ctrl+S".to_owned(), ACCENT),
        };
        layer.text(state, Vec2::new(left, y), SMALL, color);
        y = rule(layer, left, inner, y);
        for (index, line) in selection.iter().enumerate() {
            y += 20.0;
            let (style, color) = if index == 0 { (BODY, PAPER) } else { (CODE, MUTED) };
            let text = fonts.shortened(line, style.0, style.1, inner);
            layer.text(text, Vec2::new(left, y), style, color);
        }
        y = rule(layer, left, inner, y);
        y += 20.0;
        layer.text("Add: click, then click where", Vec2::new(left, y), SMALL, MUTED);
        y += 10.0;
        for (index, &ware) in Ware::ALL.iter().enumerate() {
            let column = (index % 2) as f32;
            let corner = Vec2::new(left + column * (BUTTON.x + 8.0), y);
            let armed = editor.armed == Some(ware);
            self.button_box(layer, Button::Ware(ware), corner, armed);
            let ink = if armed { INK } else { PAPER };
            icon(layer, ware, corner + Vec2::new(20.0, 0.5 * BUTTON.y), ink);
            layer.text(ware.name(), corner + Vec2::new(38.0, 22.0), (14, Face::Sans), ink);
            let key = (index + 1).to_string();
            let place = corner + Vec2::new(BUTTON.x - 15.0, 21.0);
            layer.text(key, place, (12, Face::Mono), if armed { INK } else { MUTED });
            if index % 2 == 1 || index + 1 == Ware::ALL.len() {
                y += BUTTON.y + 8.0;
            }
        }
        y = rule(layer, left, inner, y);
        let grid = editor.grid().map_or("no grid".to_owned(), |grid| format!("{} m", short(grid)));
        self.button_box(layer, Button::Grid, Vec2::new(left, y + 6.0), false);
        layer.text(format!("Grid  {grid}"), Vec2::new(left + 12.0, y + 28.0), BODY, PAPER);
        let hint = Vec2::new(left + BUTTON.x + 18.0, y + 28.0);
        layer.text("G   next grid", hint, SMALL, MUTED);
        footer(layer, fonts, screen);
    }

    fn button_box(&mut self, layer: &mut Layer, button: Button, min: Vec2, lit: bool) {
        let max = min + BUTTON;
        let fill = if lit { ACCENT } else { INK.mix(PAPER, 0.13) };
        layer.geometry.rounded(min, max, 7.0, fill);
        self.buttons.push((button, min, max));
    }
}

/// What is selected, in words.
fn selection(editor: &Editor) -> Vec<String> {
    let items: Vec<_> = editor.selected().map(|(_, item)| item).collect();
    match items[..] {
        [] => vec!["Nothing selected".into(), "click an item".into()],
        [item] => {
            let mut lines = vec![format!("{} {}", item.kind, item.id)];
            lines.push(match item.at {
                Some([x, y]) => format!("at     {}, {} m", short(x), short(y)),
                None => "at     computed".into(),
            });
            lines.push(match item.angle {
                Some(_) if item.is_joint() => format!("holds  {}", item.holds.join(", ")),
                Some(angle) => format!("angle  {}°", short(angle)),
                None => "angle  computed".into(),
            });
            if item.repeated {
                lines.push("all its copies".into());
            }
            lines
        }
        _ => vec![format!("{} items selected", items.len())],
    }
}

fn rule(layer: &mut Layer, left: f32, width: f32, y: f32) -> f32 {
    let at = Vec2::new(left, y + 11.0);
    layer.geometry.line(at, at + Vec2::new(width, 0.0), 1.0, PAPER.with_alpha(0.14));
    at.y + 2.0
}

/// A small picture of something on the palette.
fn icon(layer: &mut Layer, ware: Ware, at: Vec2, ink: Color) {
    let wood = Color::hex(0xb5793a);
    let geometry = &mut layer.geometry;
    let mut slab = |x: f32, y: f32, color| {
        let half = Vec2::new(x, y);
        geometry.rounded(at - half, at + half, 1.5, color);
    };
    match ware {
        Ware::Crate => {
            slab(9.0, 9.0, wood.darker(0.3));
            slab(6.5, 6.5, wood.lighter(0.2));
        }
        Ware::Box => slab(11.0, 3.0, wood),
        Ware::Static => slab(11.0, 6.0, Color::hex(0x55655b)),
        Ware::Disc => geometry.disc(at, 9.0, COOL),
        Ware::Capsule => {
            let end = Vec2::new(6.0, 0.0);
            geometry.capsule(at - end, at + end, 5.0, wood);
        }
        Ware::Polygon => {
            let corners = [Vec2::new(-10.0, 7.0), Vec2::new(10.0, 7.0), Vec2::new(10.0, -7.0)];
            geometry.polygon(&corners.map(|corner| at + corner), wood);
        }
        Ware::Stack | Ware::Pyramid => {
            let crates: &[(f32, f32)] = if ware == Ware::Stack {
                &[(0.0, 7.0), (0.0, 0.0), (0.0, -7.0)]
            } else {
                &[(-7.0, 7.0), (0.0, 7.0), (7.0, 7.0), (-3.5, 0.0), (3.5, 0.0), (0.0, -7.0)]
            };
            for &(x, y) in crates {
                let (place, half) = (at + Vec2::new(x, y), Vec2::splat(3.0));
                geometry.rounded(place - half, place + half, 1.0, wood);
            }
        }
        Ware::Ragdoll => {
            geometry.disc(at - Vec2::new(0.0, 7.0), 3.4, ink);
            let joint = |x: f32, y: f32| at + Vec2::new(x, y);
            geometry.capsule(joint(0.0, -3.0), joint(0.0, 3.0), 1.8, ink);
            for side in [-1.0, 1.0] {
                geometry.capsule(joint(0.0, -2.0), joint(5.0 * side, 1.5), 1.3, ink);
                geometry.capsule(joint(0.0, 3.0), joint(3.5 * side, 10.0), 1.4, ink);
            }
        }
    }
}

/// The most useful keys, at the bottom.
fn footer(layer: &mut Layer, fonts: &Fonts, screen: Vec2) {
    const LONG: &str = "drag to move   ·   Q E turn   ·   D duplicate   ·   Del delete   ·   Ctrl+Z undo   ·   Ctrl+S save   ·   Esc run it   ·   H help";
    const SHORT: &str = "Ctrl+S save   ·   Esc run it   ·   H help";
    let room = screen.x - 2.0 * 150.0;
    let fits = |text: &&str| fonts.width(text, BODY.0, BODY.1) + 28.0 < room;
    if let Some(text) = [LONG, SHORT].into_iter().find(fits) {
        let at = Vec2::new(0.5 * screen.x, screen.y - 26.0);
        pill(layer, fonts, at, text, INK, ACCENT);
    }
}
