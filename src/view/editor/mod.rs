//! Edit mode: the level at its start, to be arranged by hand.
//!
//! Everything that is done here is an edit of the level's text ([`crate::edit`]); the world that is
//! shown is always built from that text, so what is seen is what is saved. While something is being
//! dragged, the text is edited on trial; letting go takes the last trial that made a sound level.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | selection, dragging, commands |
//! | `document.rs` | text, undo and redo, saving |
//! | `palette.rs` | what can be added |
//! | `marks.rs` | outlines, handle and joints over the world |
//! | `panel.rs` | the panel with the palette |

mod document;
mod marks;
mod palette;
mod panel;

pub(crate) use palette::Ware;
pub(crate) use panel::{Button, Panel};

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use document::{Document, Version};

use crate::edit::{Edit, Item};
use crate::error::Result;
use crate::level::Level;
use crate::math::Vec2;
use crate::view::session::Source;
use crate::world::World;

/// The grids that places snap to, m; 0 is none.
const GRIDS: [f64; 5] = [0.1, 0.25, 0.5, 1.0, 0.0];
/// The steps in which things turn where there is a grid, degrees.
pub(crate) const TURN_STEP: f64 = 5.0;

/// What the mouse is doing.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hand {
    Free,
    /// Moving what is selected, from this place.
    Move {
        from: Vec2,
    },
    /// Turning an item about `pivot`; the mouse was in this direction from it.
    Turn {
        item: usize,
        pivot: Vec2,
        from: Vec2,
    },
}

/// The level in edit mode.
pub(crate) struct Editor {
    document: Document,
    /// What it would be if the mouse were let go now.
    trial: Option<Version>,
    /// Why the last trial came to nothing.
    refusal: Option<String>,
    /// When the last trial was, and how long it took: in a large level not every frame has one.
    tried: (Instant, Duration),
    selection: BTreeSet<usize>,
    hand: Hand,
    /// What the next click adds.
    pub(crate) armed: Option<Ware>,
    grid: usize,
    /// The level is another one than when edit mode was entered.
    changed: bool,
}

impl Editor {
    /// Opens a level.
    ///
    /// # Errors
    /// If it cannot be read, or anything in it is wrong.
    pub(crate) fn open(source: &Source) -> Result<Self> {
        Ok(Self {
            document: Document::open(source)?,
            trial: None,
            refusal: None,
            tried: (Instant::now(), Duration::ZERO),
            selection: BTreeSet::new(),
            hand: Hand::Free,
            armed: None,
            grid: 0,
            changed: false,
        })
    }

    fn shown(&self) -> &Version {
        self.trial.as_ref().unwrap_or(self.document.now())
    }

    /// The level at its start, as it is edited.
    pub(crate) fn world(&self) -> &World {
        &self.shown().world
    }

    /// Where the level comes from.
    pub(crate) fn source(&self) -> &Source {
        self.document.source()
    }

    /// Whether the file has all edits.
    pub(crate) fn is_saved(&self) -> bool {
        self.document.is_saved()
    }

    /// Whether the file says what edit mode shows.
    pub(crate) fn is_in_file(&self) -> bool {
        self.document.is_in_file()
    }

    /// The edited level, if it was changed since the last call.
    pub(crate) fn take_changed(&mut self) -> Option<Level> {
        self.let_go();
        std::mem::take(&mut self.changed).then(|| self.document.now().level.clone())
    }

    /// The items that are selected.
    pub(crate) fn selected(&self) -> impl Iterator<Item = (usize, &Item)> {
        let items = self.shown().text.items();
        self.selection.iter().filter_map(|&index| Some((index, items.get(index)?)))
    }

    /// The grid in force, m.
    pub(crate) fn grid(&self) -> Option<f64> {
        Some(GRIDS[self.grid]).filter(|&grid| grid > 0.0)
    }

    /// The next grid.
    pub(crate) fn next_grid(&mut self) {
        self.grid = (self.grid + 1) % GRIDS.len();
    }

    /// Takes hold of what is at a place: selects it, or with `more` adds it to the selection.
    pub(crate) fn press(&mut self, at: Vec2, reach: f32, more: bool) {
        let found = self.item_at(at, reach);
        match (found, more) {
            (Some(item), true) => {
                if !self.selection.remove(&item) {
                    self.selection.insert(item);
                }
            }
            // What is selected already moves with the rest of the selection.
            (Some(item), false) if self.selection.contains(&item) => {}
            (Some(item), false) => self.selection = [item].into(),
            (None, true) => {}
            (None, false) => self.selection.clear(),
        }
        self.hand = if found.is_some() { Hand::Move { from: at } } else { Hand::Free };
        self.refusal = match (found, self.body_at(at, reach)) {
            (None, Some(_)) => Some("it comes from an included file; edit that one".to_owned()),
            _ => None,
        };
    }

    /// Takes hold of the handle that turns an item.
    pub(crate) fn press_handle(&mut self, item: usize, pivot: Vec2, at: Vec2) {
        self.hand = Hand::Turn { item, pivot, from: at - pivot };
    }

    fn body_at(&self, at: Vec2, reach: f32) -> Option<usize> {
        let world = self.world();
        world.index(world.pick(at, reach, true)?).ok()
    }

    /// The item at a place: a joint close to it, or else that of the topmost body.
    fn item_at(&self, at: Vec2, reach: f32) -> Option<usize> {
        let joint = self.joints().find(|(_, place)| place.distance(at) <= reach);
        joint.map(|(item, _)| item).or_else(|| self.shown().owner(self.body_at(at, reach)?))
    }

    /// The joints of the level and where they are.
    fn joints(&self) -> impl Iterator<Item = (usize, Vec2)> {
        let items = self.shown().text.items().iter().enumerate();
        items.filter(|(_, item)| item.is_joint()).filter_map(|(index, item)| {
            let [x, y] = item.at?;
            Some((index, Vec2::new(x as f32, y as f32)))
        })
    }

    /// The mouse is at a place now, where a pixel is so wide.
    pub(crate) fn drag(&mut self, at: Vec2, pixel: f32) {
        if self.hand == Hand::Free || !at.is_finite() {
            return;
        }
        let (last, cost) = self.tried;
        if last.elapsed() < 3 * cost {
            return;
        }
        let edits = match self.hand {
            Hand::Free => return,
            Hand::Move { from } => {
                // A click that shakes a little moves nothing.
                if self.trial.is_none() && from.distance(at) < 3.0 * pixel {
                    return;
                }
                let by = self.snapped(at - from, pixel);
                self.moved(by)
            }
            Hand::Turn { item, pivot, from } => {
                let by = f64::from(from.angle_to(at - pivot).to_degrees());
                let angle = self.document.now().text.items()[item].angle.unwrap_or(0.0);
                let step = if self.grid().is_some() { TURN_STEP } else { 1.0 };
                let by = ((angle + by) / step).round() * step - angle;
                vec![Edit::Turn { item, by }]
            }
        };
        let start = Instant::now();
        match self.document.after(&edits) {
            Ok(version) => {
                self.trial = Some(version);
                self.refusal = None;
            }
            Err(error) => self.refusal = Some(first_line(&error.to_string())),
        }
        self.tried = (Instant::now(), start.elapsed());
    }

    /// The mouse is let go at a place: unlike on the way there, this counts however busy we are.
    pub(crate) fn drop_at(&mut self, at: Vec2, pixel: f32) {
        self.tried.1 = Duration::ZERO;
        self.drag(at, pixel);
    }

    /// A shift of what is selected, such that the first item comes to lie on the grid.
    fn snapped(&self, by: Vec2, pixel: f32) -> [f64; 2] {
        let items = self.document.now().text.items();
        let first = self.selection.first().and_then(|&index| items.get(index)?.at);
        let at = first.unwrap_or_default();
        // Without a grid, no finer than the eye can see.
        let step = self.grid().unwrap_or(10_f64.powf(f64::from(pixel.max(1e-4)).log10().floor()));
        let mut snapped = [0.0; 2];
        for (axis, by) in [by.x, by.y].into_iter().enumerate() {
            let by = f64::from(by);
            if by.abs() >= 0.5 * step {
                snapped[axis] = ((at[axis] + by) / step).round() * step - at[axis];
            }
        }
        snapped
    }

    /// What moves with the selection: also the joints that hold nothing else.
    fn moved(&self, by: [f64; 2]) -> Vec<Edit> {
        let text = &self.document.now().text;
        let follows = |item: &Item| {
            !item.holds.is_empty()
                && item.holds.iter().all(|held| {
                    text.owner(held).is_some_and(|owner| self.selection.contains(&owner))
                })
        };
        let items = text.items().iter().enumerate();
        items
            .filter(|(index, item)| self.selection.contains(index) || follows(item))
            .map(|(item, _)| Edit::Move { item, by })
            .collect()
    }

    /// Lets go: what was tried last holds. Returns why nothing did, if so.
    pub(crate) fn let_go(&mut self) -> Option<String> {
        self.hand = Hand::Free;
        if let Some(version) = self.trial.take() {
            self.changed |= self.document.take(version);
        }
        self.refusal.take()
    }

    /// Drops what is in hand without a trace; `false` if there was nothing to drop.
    pub(crate) fn cancel(&mut self) -> bool {
        let busy = self.hand != Hand::Free || self.armed.is_some() || !self.selection.is_empty();
        self.hand = Hand::Free;
        self.trial = None;
        self.refusal = None;
        self.armed = None;
        self.selection.clear();
        busy
    }

    fn edit(&mut self, edits: &[Edit]) -> Result<()> {
        self.let_go();
        let version = self.document.after(edits)?;
        self.changed |= self.document.take(version);
        Ok(())
    }

    /// Turns what is selected.
    ///
    /// # Errors
    /// If an item has no angle, or the level would not be sound.
    pub(crate) fn turn(&mut self, by: f64) -> Result<()> {
        let edits: Vec<Edit> = self.selection.iter().map(|&item| Edit::Turn { item, by }).collect();
        self.edit(&edits)
    }

    /// Puts copies beside what is selected, and selects them.
    ///
    /// # Errors
    /// If the level would not be sound.
    pub(crate) fn duplicate(&mut self) -> Result<()> {
        let Some(&last) = self.selection.last() else { return Ok(()) };
        let items: Vec<usize> = self.selection.iter().copied().collect();
        let count = items.len();
        let by = self.grid().map_or(0.5, |grid| grid.max(0.5));
        self.edit(&[Edit::Duplicate { items, by: [by, by] }])?;
        self.selection = (last + 1..=last + count).collect();
        Ok(())
    }

    /// Deletes what is selected, and the joints that hold it.
    ///
    /// # Errors
    /// If the level would not be sound, because something else names what would be gone.
    pub(crate) fn remove(&mut self) -> Result<()> {
        let text = &self.document.now().text;
        let held = |item: &Item| {
            let mut owners = item.holds.iter().filter_map(|held| text.owner(held));
            owners.any(|owner| self.selection.contains(&owner))
        };
        let items = text.items().iter().enumerate();
        let edits: Vec<Edit> = items
            .filter(|(index, item)| self.selection.contains(index) || held(item))
            .map(|(item, _)| Edit::Remove { item })
            .collect();
        self.edit(&edits)?;
        self.selection.clear();
        Ok(())
    }

    /// Adds something at a place, and selects it.
    ///
    /// # Errors
    /// If the level would not be sound.
    pub(crate) fn add(&mut self, ware: Ware, at: Vec2) -> Result<()> {
        let step = self.grid().unwrap_or(0.01);
        let at = [at.x, at.y].map(|value| (f64::from(value) / step).round() * step);
        let text = ware.item(&self.document.now().text, at);
        self.edit(&[Edit::Add { text }])?;
        self.selection = [self.document.now().text.items().len() - 1].into();
        Ok(())
    }

    /// Undoes the last edit, or does it again. `false` if there is none.
    ///
    /// # Errors
    /// If the version cannot be built any more.
    pub(crate) fn travel(&mut self, back: bool) -> Result<bool> {
        self.let_go();
        let travelled = self.document.travel(back)?;
        self.changed |= travelled;
        let count = self.document.now().text.items().len();
        self.selection.retain(|&item| item < count);
        Ok(travelled)
    }

    /// Saves the level; returns where.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub(crate) fn save(&mut self) -> Result<PathBuf> {
        self.let_go();
        self.document.save()
    }
}

/// What went wrong, in one line.
pub(crate) fn first_line(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    // Without the place: it is that of a text which nobody has seen.
    line.split_once("error: ").map_or(line, |(_, rest)| rest).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn editor() -> Editor {
        Editor::open(&Source::Builtin("seesaw")).unwrap()
    }

    fn index(editor: &Editor, id: &str) -> usize {
        editor.shown().text.owner(id).unwrap()
    }

    #[test]
    fn dragging_moves_by_the_grid_and_can_be_undone() {
        let mut editor = Editor::open(&Source::Builtin("demo")).unwrap();
        let item = index(&editor, "beach_ball");
        let at = editor.shown().text.items()[item].at.unwrap();
        let place = Vec2::new(at[0] as f32, at[1] as f32);
        editor.press(place, 0.01, false);
        assert_eq!(editor.selected().map(|(index, _)| index).collect::<Vec<_>>(), [item]);
        editor.drag(place + Vec2::new(0.001, 0.0), 0.01);
        assert!(editor.trial.is_none(), "a click moves nothing");
        editor.tried.1 = Duration::ZERO;
        editor.drag(place + Vec2::new(1.04, 0.02), 0.01);
        assert_eq!(editor.let_go(), None);
        let now = |editor: &Editor| editor.document.now().text.items()[item].at.unwrap();
        assert!((now(&editor)[0] - at[0] - 1.0).abs() < 1e-9 && now(&editor)[1] == at[1]);
        assert!(!editor.is_saved());
        assert!(editor.travel(true).unwrap());
        assert_eq!(now(&editor), at);
        assert!(editor.is_saved());
        assert!(editor.travel(false).unwrap() && !editor.travel(false).unwrap());
        assert!(editor.take_changed().is_some() && editor.take_changed().is_none());
    }

    #[test]
    fn whatever_is_selected_can_be_turned_copied_and_deleted() {
        let mut editor = editor();
        let count = editor.shown().text.items().len();
        editor.add(Ware::Disc, Vec2::new(0.0, 9.0)).unwrap();
        editor.turn(15.0).unwrap();
        editor.duplicate().unwrap();
        assert_eq!(editor.shown().text.items().len(), count + 2);
        let copy = editor.selected().next().unwrap().1;
        assert_eq!((copy.at, copy.angle), (Some([0.5, 9.5]), Some(15.0)));
        editor.remove().unwrap();
        assert_eq!(editor.shown().text.items().len(), count + 1);
        assert_eq!(editor.selected().count(), 0);
        assert!(editor.cancel() || editor.duplicate().is_ok());
    }

    #[test]
    fn nothing_can_be_done_that_would_break_the_level() {
        let mut editor = editor();
        // Everything at once and far away, then one by one.
        for item in 0..editor.shown().text.items().len() {
            editor.selection = [item].into();
            editor.hand = Hand::Move { from: Vec2::ZERO };
            editor.tried.1 = Duration::ZERO;
            editor.drag(Vec2::new(50.0, 20.0), 0.01);
            editor.let_go();
            let _ = editor.turn(370.0);
            let _ = editor.remove();
            assert!(Level::parse(editor.document.now().text.as_str(), "now.json").is_ok());
        }
    }

    #[test]
    fn messages_come_without_a_place() {
        assert_eq!(first_line("a.json:3:4: error: no\n  3 | x"), "no");
        assert_eq!(first_line("`wall`: no"), "`wall`: no");
    }
}
