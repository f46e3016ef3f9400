//! The window's loop: read the mouse and the keys, advance the simulation, draw.

mod compare;
mod edit_mode;

use std::borrow::Cow;
use std::time::Instant;

use macroquad::time::{get_frame_time, get_time};
use macroquad::window::{next_frame, screen_dpi_scale, screen_height, screen_width};

use crate::error::Result;
use crate::math::Vec2;
use crate::view::camera::Camera;
use crate::view::color::{ACCENT, INK};
use crate::view::debug::Overlays;
use crate::view::editor::{Editor, Panel};
use crate::view::hud::{self, Facts, Hud};
use crate::view::input::{Listener, Mouse, Press, Stroke};
use crate::view::keys::{self, Command};
use crate::view::layer::Layer;
use crate::view::meter::Meter;
use crate::view::paint::Painter;
use crate::view::session::{Reloaded, Session};
use crate::view::text::Fonts;
use crate::view::{Screenshot, failure, help, picture, steer};
use compare::Compare;

/// What the window holds from frame to frame.
pub(crate) struct App {
    session: Session,
    camera: Camera,
    overlays: Overlays,
    painter: Painter,
    hud: Hud,
    hud_shown: bool,
    help_shown: bool,
    meter: Meter,
    compare: Compare,
    fonts: Fonts,
    /// The scene and the heads-up display.
    base: Layer,
    /// What covers them.
    cover: Layer,
    positions: Vec<Vec2>,
    /// What the backend cannot do, renewed when backend or world change.
    limitations: Vec<String>,
    notice: Option<Notice>,
    listener: Listener,
    /// Where the mouse is, px.
    mouse: Vec2,
    /// The level in edit mode; kept while it is played, for what is not saved yet and for undo.
    editor: Option<Editor>,
    /// Edit mode is on.
    editing: bool,
    panel: Panel,
    /// The user has been told that there are edits which would be lost.
    warned: bool,
    /// A picture is to be saved once this frame is drawn.
    picture_wanted: bool,
}

/// A short message and when it appeared, s.
struct Notice {
    text: String,
    since: f64,
}

impl Notice {
    const SHOWN: f64 = 2.2;
    const FADING: f64 = 0.4;

    /// How strongly it shows now, 0 to 1.
    fn strength(&self, now: f64) -> f32 {
        ((self.since + Self::SHOWN - now) / Self::FADING).clamp(0.0, 1.0) as f32
    }
}

/// Whether the window stays open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

fn screen() -> Vec2 {
    Vec2::new(screen_width(), screen_height())
}

impl App {
    /// Ready to draw, with graphs if they are wanted. The window must be open.
    pub(crate) fn new(session: Session, graphs: bool) -> Self {
        let mut app = Self {
            camera: Camera::new(session.level().scene.view, screen(), Vec2::ZERO),
            session,
            overlays: Overlays::default(),
            painter: Painter::default(),
            hud: Hud::default(),
            hud_shown: true,
            help_shown: false,
            meter: Meter::start(),
            compare: Compare::default(),
            fonts: Fonts::load(),
            base: Layer::default(),
            cover: Layer::default(),
            positions: Vec::new(),
            limitations: Vec::new(),
            notice: None,
            listener: Listener::new(),
            mouse: Vec2::ZERO,
            editor: None,
            editing: false,
            panel: Panel::default(),
            warned: false,
            picture_wanted: false,
        };
        if graphs {
            app.compare.graphs.toggle();
        }
        app.fit();
        app.refresh_limitations();
        app
    }

    /// Runs until the user quits.
    pub(crate) async fn run(mut self) {
        self.watch();
        loop {
            if self.session.file_saved(Instant::now()) {
                self.reload();
            }
            self.resize();
            let input = self.listener.read();
            self.mouse_input(&input.mouse);
            for stroke in &input.strokes {
                // One may enter edit mode, in which the next has another meaning.
                let command = keys::command(stroke, self.editing, &self.session.driving_keys());
                if command.is_some_and(|command| self.obey(command) == Flow::Quit) {
                    return;
                }
            }
            self.drive(&input.strokes);
            self.pan_camera();
            let back =
                !self.editing && keys::is_held(Command::Rewind, &self.session.driving_keys());
            if back {
                self.rewind();
            }
            let frame = get_frame_time();
            let steps = self.session.sim().world().state.steps;
            if !self.editing && !back {
                self.session.advance(f64::from(frame));
            }
            self.observe();
            let stepped = self.session.sim().world().state.steps != steps;
            let phases = stepped.then(|| self.session.sim().report().phases);
            self.meter.frame(frame, phases);
            self.draw();
            if std::mem::take(&mut self.picture_wanted) {
                self.save_picture();
            }
            next_frame().await;
        }
    }

    /// Simulates up to the moment asked for, saves the picture and returns.
    ///
    /// # Errors
    /// If the simulation diverges, or the picture cannot be written.
    pub(crate) async fn photograph(mut self, order: &Screenshot) -> Result<()> {
        while self.session.step_towards(order.at)? {
            self.observe();
        }
        self.hud_shown = order.hud;
        self.fit();
        self.meter.show(self.session.sim().report().phases);
        // The window reaches its size, and the fonts their place in memory, within a few frames.
        for _ in 0..3 {
            self.resize();
            self.draw();
            next_frame().await;
        }
        self.resize();
        self.draw();
        picture::save(&order.file)
    }

    /// How much of the left and of the right of the window is covered, px.
    fn covered(&self) -> Vec2 {
        let left = if self.hud_shown { Hud::width(screen()) } else { 0.0 };
        Vec2::new(left, self.compare.width(screen(), left))
    }

    /// Follows the size of the window.
    fn resize(&mut self) {
        self.camera.resize(screen(), self.covered());
    }

    /// Shows what the level wants to be seen, beside the panel.
    fn fit(&mut self) {
        self.camera.fit(self.session.level().scene.view, self.covered());
    }

    fn watch(&mut self) {
        if let Err(reason) = self.session.watch() {
            self.say(format!("Saves will not show: {reason}"));
        }
    }

    /// The level's file was saved, maybe by edit mode.
    fn reload(&mut self) {
        if self.keep_edits() {
            return;
        }
        if let Reloaded::Changed { view } = self.session.reload() {
            if view {
                self.fit();
            }
            self.refresh_limitations();
            self.watch();
            self.say("Reloaded");
        }
    }

    fn refresh_limitations(&mut self) {
        let limitations = self.session.sim().limitations();
        self.limitations = limitations.iter().map(ToString::to_string).collect();
    }

    fn say(&mut self, text: impl Into<String>) {
        self.notice = Some(Notice { text: text.into(), since: get_time() });
    }

    /// Says what went wrong, if something did.
    fn report(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            let text = error.to_string();
            self.say(text.lines().next().unwrap_or_default());
        }
    }

    fn mouse_input(&mut self, mouse: &Mouse) {
        self.mouse = mouse.at;
        if self.editing {
            return self.edit_with(mouse);
        }
        let over_graphs = self.compare.graphs.covers(mouse.at);
        let free = |hud: &Hud, at| !hud.covers(at) && !over_graphs;
        if let Some(Press { at: place, .. }) = mouse.pressed
            && !self.help_shown
        {
            if free(&self.hud, place) {
                // A little beyond the outline too: small bodies are hard to hit.
                let reach = 8.0 / self.camera.scale();
                self.session.grab(self.camera.to_world(place), reach);
            } else {
                self.hud.press(place);
            }
        }
        if mouse.down {
            self.session.drag_to(self.camera.to_world(mouse.at));
            let effort = self.session.effort();
            if let Some(wanted) = self.hud.drag(mouse.at, effort)
                && wanted != effort
            {
                self.session.set_effort(wanted);
            }
        } else {
            self.session.release();
            self.hud.release();
        }
        if mouse.panning {
            self.camera.pan(mouse.moved);
        }
        if mouse.wheel != 0.0 && free(&self.hud, mouse.at) {
            self.camera.zoom(1.15_f32.powf(mouse.wheel), mouse.at);
        }
    }

    fn obey(&mut self, command: Command) -> Flow {
        match command {
            Command::Pause => self.session.paused = !self.session.paused,
            Command::Step => self.session.step_once(),
            Command::SlowMotion => self.session.slow = !self.session.slow,
            Command::Reset => {
                self.session.reset();
                self.say("Started over");
            }
            Command::SwitchSolver => match self.session.switch_solver() {
                Ok(kind) => {
                    self.refresh_limitations();
                    self.say(format!("Solver: {kind}"));
                }
                Err(error) => self.report(Err(error)),
            },
            Command::Iterations(change) => {
                let mut effort = self.session.effort();
                effort.iterations = effort.iterations.saturating_add_signed(change);
                self.session.set_effort(effort);
                self.say(format!("Iterations: {}", self.session.effort().iterations));
            }
            Command::Substeps(change) => {
                let mut effort = self.session.effort();
                effort.substeps = effort.substeps.saturating_add_signed(change);
                self.session.set_effort(effort);
                self.say(format!("Sub-steps: {}", self.session.effort().substeps));
            }
            Command::Overlay => self.cycle_overlay(),
            Command::Graphs => self.toggle_graphs(),
            // A key that went down and up within a frame; as long as it is held, frame by frame.
            Command::Rewind if !keys::is_held(command, &self.session.driving_keys()) => {
                self.rewind()
            }
            Command::Rewind => {}
            Command::NextLevel => self.travel(1),
            Command::PreviousLevel => self.travel(-1),
            Command::Spawn(toy) => {
                let outcome = self.session.drop_toy(toy, self.camera.to_world(self.mouse));
                if outcome.is_ok() {
                    self.say(format!("Dropped a {}", toy.name()));
                    self.refresh_limitations();
                }
                self.report(outcome);
            }
            Command::Show(part) => {
                let shown = self.overlays.toggle(part);
                self.say(format!("{} {}", part.name(), if shown { "shown" } else { "hidden" }));
            }
            Command::Hud => {
                self.hud_shown = !self.hud_shown;
                self.hud.hide();
            }
            Command::Fit => self.fit(),
            // As long as the key is held, frame by frame.
            Command::Pan(_) => {}
            Command::Help => self.help_shown = !self.help_shown,
            Command::Screenshot => self.picture_wanted = true,
            Command::Quit if self.help_shown => self.help_shown = false,
            Command::Quit if self.editing => self.leave_item_or_mode(),
            Command::Quit if self.would_lose_edits() => {}
            Command::Quit => return Flow::Quit,
            Command::EditMode if self.editing => self.leave_edit_mode(),
            Command::EditMode => self.enter_edit_mode(),
            Command::Edit(command) => self.edit(command),
        }
        Flow::Continue
    }

    fn pan_camera(&mut self) {
        let speed = 0.8 * self.camera.screen().y;
        let direction = keys::pan(self.editing, &self.session.driving_keys());
        self.camera.pan(direction * speed * get_frame_time());
    }

    /// Passes on the keys of the level that are held.
    fn drive(&mut self, strokes: &[Stroke]) {
        let held = match self.editing {
            true => Vec::new(),
            false => steer::held(&self.session.driving_keys(), strokes),
        };
        self.session.hold(&held);
    }

    fn travel(&mut self, offset: isize) {
        if self.would_lose_edits() {
            return;
        }
        self.editor = None;
        let outcome = self.session.travel(offset);
        if outcome.is_ok() {
            self.fit();
            self.refresh_limitations();
            self.say(self.session.level().scene.name.clone());
            self.watch();
        }
        self.report(outcome);
    }

    fn save_picture(&mut self) {
        let path = picture::free_name();
        match picture::save(&path) {
            Ok(()) => self.say(format!("Saved {}", path.display())),
            Err(error) => self.report(Err(error)),
        }
    }

    fn draw(&mut self) {
        let pixel = 1.0 / screen_dpi_scale();
        let screen = self.camera.screen();
        let covered = self.covered();
        let layer = &mut self.base;
        layer.clear(pixel);
        let sim = self.session.sim();
        sim.interpolated(&mut self.positions);
        let edited = self.editor.as_ref().filter(|_| self.editing);
        if let Some(editor) = edited {
            self.positions.clone_from(&editor.world().state.position);
        }
        let world = edited.map_or(sim.world(), Editor::world);
        let contacts = if edited.is_some() { Cow::Borrowed(&[][..]) } else { sim.contacts() };
        let contact_count = contacts.len();
        let positions = &self.positions[..];
        Painter::background(&mut layer.geometry, &self.camera);
        self.painter.bodies(&mut layer.geometry, &self.camera, world, positions);
        if edited.is_none() {
            self.compare.paint_twins(&mut layer.geometry, &self.camera, &self.session);
        }
        let sleeps = |body| edited.is_none() && sim.is_asleep(body).unwrap_or(false);
        self.overlays.paint(&mut layer.geometry, &self.camera, world, positions, &contacts, sleeps);
        let drag = self.session.held();
        let held = drag.and_then(|drag| Some((drag, drag.hold.find(&world.model)?.1)));
        if let Some((drag, anchor)) = held {
            let from = self.camera.to_screen(anchor.sample(&self.positions));
            let to = self.camera.to_screen(drag.target);
            layer.geometry.capsule(from, to, 2.6, INK.with_alpha(0.7));
            layer.geometry.capsule(from, to, 1.4, ACCENT);
            for end in [from, to] {
                layer.geometry.disc(end, 5.0, INK);
                layer.geometry.disc(end, 3.6, ACCENT);
            }
        }
        if let Some(editor) = self.editor.as_ref().filter(|_| self.editing) {
            editor.paint(&mut layer.geometry, &self.camera);
            self.panel.draw(layer, &self.fonts, screen, editor);
        } else if self.hud_shown {
            let scene = &self.session.level().scene;
            let sim = self.session.sim();
            let facts = Facts {
                name: if scene.name.is_empty() { &self.session.level().name } else { &scene.name },
                about: &scene.about,
                place: self.session.place(),
                solver: sim.solver_kind(),
                limitations: &self.limitations,
                bodies: sim.world().model.bodies.len(),
                asleep: sim.asleep_count(),
                contacts: contact_count,
                reading: self.meter.reading(),
                effort: self.session.effort(),
                time: sim.world().state.time,
                paused: self.session.paused,
                slow: self.session.slow,
                scale: self.camera.scale(),
                hints: &steer::hints(sim.world()),
                driving: &self.session.driving_keys(),
            };
            self.hud.draw(layer, &self.fonts, screen, &facts);
        }
        if !self.editing {
            let place = (screen, covered.x);
            self.compare.draw(layer, &self.fonts, place, &self.session);
        }
        layer.draw(&self.fonts);

        let layer = &mut self.cover;
        layer.clear(pixel);
        if let Some(problem) = self.session.problem() {
            failure::draw(layer, &self.fonts, screen, covered.x, problem);
        }
        if let Some(message) = self.session.fault() {
            hud::fault(layer, &self.fonts, screen, message);
        }
        if self.help_shown {
            let world = self.session.sim().world();
            let (hints, driving) = (steer::hints(world), world.driving_keys());
            let topic = match self.editing {
                true => help::Topic::Edit,
                false => help::Topic::Play { hints: &hints, driving: &driving },
            };
            help::draw(layer, &self.fonts, screen, topic);
        } else if let Some(notice) = &self.notice {
            let strength = notice.strength(get_time());
            if strength > 0.0 {
                hud::notice(layer, &self.fonts, screen, &notice.text, strength);
            }
        }
        layer.draw(&self.fonts);
    }
}
