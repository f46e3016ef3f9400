//! Several backends at once, and graphs: what the window shows of them beside the scene.

use super::App;
use crate::math::Vec2;
use crate::view::camera::Camera;
use crate::view::color::of_solver;
use crate::view::geometry::Geometry;
use crate::view::graphs::Graphs;
use crate::view::layer::Layer;
use crate::view::legend::{self, Entry};
use crate::view::session::Session;
use crate::view::silhouette::{Silhouettes, Stroke};
use crate::view::text::Fonts;

/// Left free at the right edge of the window, px.
const MARGIN: f32 = 14.0;
/// Above this the badge for pause and slow motion is, px.
const TOP: f32 = 54.0;
/// Below this far from the bottom the scale is, px.
const BOTTOM: f32 = 58.0;

/// What it takes to show several backends.
#[derive(Default)]
pub(super) struct Compare {
    pub(super) graphs: Graphs,
    silhouettes: Silhouettes,
    positions: Vec<Vec2>,
}

impl Compare {
    /// How much of the right of the window the graphs take, `left` pixels being taken already.
    pub(super) fn width(&self, screen: Vec2, left: f32) -> f32 {
        match self.graphs.width(screen, left) {
            0.0 => 0.0,
            width => width + MARGIN,
        }
    }

    /// Outlines of what each backend makes of the bodies, if there are several.
    pub(super) fn paint_twins(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        session: &Session,
    ) {
        if session.twins().is_empty() {
            return;
        }
        // Small figures would vanish below thick lines.
        let slimness = (camera.scale() / 80.0).clamp(0.4, 1.0);
        for (k, (sim, _)) in session.all().enumerate() {
            sim.interpolated(&mut self.positions);
            // Where all agree, the narrower lines lie within the wider ones.
            let width = [3.4, 2.2, 1.2].get(k).copied().unwrap_or(1.2) * slimness;
            let color = of_solver(sim.solver_kind());
            let stroke = Stroke { color, width, tinted: k > 0 };
            let model = &sim.world().model;
            self.silhouettes.paint(geometry, camera, model, &self.positions, stroke);
        }
    }

    /// The legend and the graphs, at the right.
    pub(super) fn draw(
        &mut self,
        layer: &mut Layer,
        fonts: &Fonts,
        (screen, left): (Vec2, f32),
        session: &Session,
    ) {
        let width = self.graphs.width(screen, left);
        let right = screen.x - MARGIN;
        let mut top = TOP;
        let entries: Vec<Entry> = session
            .all()
            .map(|(sim, fault)| {
                let solver = sim.solver_kind();
                Entry { solver, effort: sim.settings().effort(solver), stopped: fault.is_some() }
            })
            .collect();
        if entries.len() > 1 {
            top = legend::draw(layer, fonts, Vec2::new(right, top), width, &entries) + 8.0;
        }
        let solvers: Vec<_> = entries.iter().map(|entry| entry.solver).collect();
        let space = (Vec2::new(right - width, top), Vec2::new(right, screen.y - BOTTOM));
        self.graphs.draw(layer, fonts, space, &solvers);
    }
}

impl App {
    /// One more backend over the one in front, or none again.
    pub(super) fn cycle_overlay(&mut self) {
        match self.session.cycle_overlay() {
            Ok(kinds) => {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                match &names[..] {
                    [only] => self.say(format!("Only {only}")),
                    names => self.say(format!("Overlaid: {}", names.join(", "))),
                }
            }
            Err(error) => self.report(Err(error)),
        }
    }

    /// Shows or hides the graphs.
    pub(super) fn toggle_graphs(&mut self) {
        let shown = self.compare.graphs.toggle();
        let fits = self.compare.width(super::screen(), self.covered().x) > 0.0;
        self.say(match (shown, fits) {
            (true, true) => "Graphs shown",
            (true, false) => "Graphs: the window is too small for them",
            (false, _) => "Graphs hidden",
        });
    }

    /// Takes readings for the graphs.
    pub(super) fn observe(&mut self) {
        self.compare.graphs.observe(self.session.all().map(|(sim, _)| sim));
    }

    /// Goes back by a frame, and says so where there is nothing to go back to.
    pub(super) fn rewind(&mut self) {
        if self.session.rewind() {
            self.observe();
        } else {
            self.say("No past left");
        }
    }
}
