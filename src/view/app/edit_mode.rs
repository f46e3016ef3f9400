//! What the window does in edit mode, and on the way in and out.

use super::App;
use crate::error::Result;
use crate::view::editor::{Button, Editor, TURN_STEP};
use crate::view::input::{Mouse, Press};
use crate::view::keys::EditCommand;

impl App {
    /// Shows the level at its start, to be arranged by hand.
    pub(super) fn enter_edit_mode(&mut self) {
        if self.session.problem().is_some() {
            return self.say("The file has mistakes: mend them first");
        }
        if self.editor.is_none() {
            match Editor::open(self.session.source()) {
                Ok(editor) => self.editor = Some(editor),
                Err(error) => return self.report(Err(error)),
            }
        }
        self.session.release();
        self.hud.hide();
        self.editing = true;
        self.warned = false;
    }

    /// Plays the level: from its start if it was edited, or else where it stopped.
    pub(super) fn leave_edit_mode(&mut self) {
        self.editing = false;
        let Some(editor) = &mut self.editor else { return };
        let saved = editor.is_saved();
        if let Some(level) = editor.take_changed() {
            let outcome = self.session.start_over_with(level);
            if outcome.is_ok() {
                self.refresh_limitations();
                self.say(if saved { "Started over" } else { "Started over, not saved yet" });
            }
            self.report(outcome);
        }
    }

    /// Escape: first what is in hand, then the mode itself.
    pub(super) fn leave_item_or_mode(&mut self) {
        if !self.editor.as_mut().is_some_and(Editor::cancel) {
            self.leave_edit_mode();
        }
    }

    /// Whether there are edits that are not saved; says so, but only once.
    pub(super) fn would_lose_edits(&mut self) -> bool {
        let unsaved = self.editor.as_ref().is_some_and(|editor| !editor.is_saved());
        if !unsaved || std::mem::replace(&mut self.warned, true) {
            return false;
        }
        self.say("Your edits are not saved: X, then Ctrl+S saves them. Once more drops them");
        true
    }

    /// The file was saved: whether edit mode keeps what it has. It does if the file says just that,
    /// or if there are edits which are not in it.
    pub(super) fn keep_edits(&mut self) -> bool {
        let Some(editor) = &self.editor else { return false };
        if editor.is_in_file() {
            // Written by edit mode itself: the level is played already, or will be.
            return self.session.problem().is_none();
        }
        if editor.is_saved() {
            let source = editor.source().clone();
            self.editor = Editor::open(&source).ok();
            self.editing &= self.editor.is_some();
            return false;
        }
        self.say("The file was changed elsewhere; your edits are kept and not in it");
        true
    }

    /// The mouse in edit mode.
    pub(super) fn edit_with(&mut self, mouse: &Mouse) {
        let Some(editor) = &mut self.editor else { return };
        let pixel = 1.0 / self.camera.scale();
        let mut outcome = Ok(());
        let over_panel = self.panel.covers(mouse.at);
        if let Some(Press { at: place, shift }) = mouse.pressed
            && !self.help_shown
        {
            let at = self.camera.to_world(place);
            match self.panel.button(place) {
                Some(Button::Ware(ware)) if editor.armed == Some(ware) => editor.armed = None,
                Some(Button::Ware(ware)) => editor.armed = Some(ware),
                Some(Button::Grid) => editor.next_grid(),
                None if self.panel.covers(place) => {}
                None => match editor.armed.take() {
                    Some(ware) => outcome = editor.add(ware, at),
                    None if editor.grab_handle(&self.camera, place) => {}
                    None => editor.press(at, 8.0 * pixel, shift),
                },
            }
        }
        let at = self.camera.to_world(mouse.at);
        if mouse.down {
            editor.drag(at, pixel);
        }
        if mouse.released {
            // Dragged from the palette into the level.
            if let Some(ware) = editor.armed.filter(|_| !over_panel && mouse.pressed.is_none()) {
                editor.armed = None;
                outcome = editor.add(ware, at);
            } else {
                editor.drop_at(at, pixel);
                if let Some(refusal) = editor.let_go() {
                    self.say(format!("Not possible: {refusal}"));
                }
            }
        }
        self.report(outcome);
        if mouse.panning {
            self.camera.pan(mouse.moved);
        }
        if mouse.wheel != 0.0 && !over_panel {
            self.camera.zoom(1.15_f32.powf(mouse.wheel), mouse.at);
        }
    }

    /// A key of edit mode.
    pub(super) fn edit(&mut self, command: EditCommand) {
        let at = self.camera.to_world(self.mouse);
        let Some(editor) = &mut self.editor else { return };
        let outcome: Result<()> = match command {
            EditCommand::Add(ware) => editor.add(ware, at),
            EditCommand::Turn(left) => editor.turn(if left { TURN_STEP } else { -TURN_STEP }),
            EditCommand::Duplicate => editor.duplicate(),
            EditCommand::Remove => editor.remove(),
            EditCommand::Grid => {
                editor.next_grid();
                Ok(())
            }
            EditCommand::Undo | EditCommand::Redo => {
                let back = command == EditCommand::Undo;
                match editor.travel(back) {
                    Ok(true) => Ok(()),
                    Ok(false) => {
                        self.say(if back { "Nothing to undo" } else { "Nothing to redo" });
                        Ok(())
                    }
                    Err(error) => Err(error),
                }
            }
            EditCommand::Save => self.save_level(),
        };
        if let Err(error) = outcome {
            self.say(format!(
                "Not possible: {}",
                crate::view::editor::first_line(&error.to_string())
            ));
        }
    }

    fn save_level(&mut self) -> Result<()> {
        let Some(editor) = &mut self.editor else { return Ok(()) };
        let path = editor.save()?;
        self.session.is_now_at(&path);
        self.say(format!("Saved {}", path.display()));
        self.watch();
        Ok(())
    }
}
