//! Bodies as outlines with a tint of one colour: how another backend moves the same level.

use crate::math::{Aabb, Vec2};
use crate::scene::BodyKind;
use crate::view::camera::Camera;
use crate::view::color::Color;
use crate::view::geometry::{Geometry, grown, sides};
use crate::world::{Body, Model, Piece};

/// How strongly the inside is tinted.
const TINT: f32 = 0.17;

/// Draws outlines; keeps its buffers from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Silhouettes {
    /// The core of the piece in hand, px.
    core: Vec<Vec2>,
    /// What is within the piece's radius of it.
    rim: Vec<Vec2>,
}

/// How outlines are drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke {
    pub(crate) color: Color,
    /// Width of the line, px.
    pub(crate) width: f32,
    /// Whether the inside is tinted.
    pub(crate) tinted: bool,
}

impl Silhouettes {
    /// Draws the bodies that can move, at `positions`.
    pub(crate) fn paint(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        model: &Model,
        positions: &[Vec2],
        stroke: Stroke,
    ) {
        if positions.len() != model.point_count() {
            return;
        }
        let screen = Aabb { min: Vec2::ZERO, max: camera.screen() };
        for body in model.bodies.iter().filter(|body| body.kind != BodyKind::Static) {
            let pieces = model.pieces_of(body);
            if pieces.is_empty() {
                strings(geometry, camera, model, body, positions, stroke);
            }
            for piece in pieces {
                if self.project(camera, model, piece, positions, screen) {
                    self.piece(geometry, model, piece, stroke);
                    if let &[center] = &self.core[..] {
                        let turn = model.pose(body, positions).rot;
                        let arm = piece.radius * camera.scale() * Vec2::new(turn.c, -turn.s);
                        geometry.line(center, center + arm, stroke.width, stroke.color);
                    }
                }
            }
        }
    }

    /// Puts a piece on the screen; false if it is out of sight.
    fn project(
        &mut self,
        camera: &Camera,
        model: &Model,
        piece: &Piece,
        positions: &[Vec2],
        screen: Aabb,
    ) -> bool {
        self.core.clear();
        let points = model.outline(piece).iter().map(|&i| positions[i as usize]);
        self.core.extend(points.map(|p| camera.to_screen(p)));
        let radius = piece.radius * camera.scale();
        if !Aabb::around(self.core.iter().copied()).grown(radius + 2.0).overlaps(screen) {
            return false;
        }
        match self.core[..] {
            [center] => circle(center, radius, &mut self.rim),
            _ => grown(&self.core, radius, &mut self.rim),
        }
        true
    }

    fn piece(&self, geometry: &mut Geometry, model: &Model, piece: &Piece, stroke: Stroke) {
        if let (&[a, b], true) = (&self.core[..], piece.shared) {
            // A link of a rope: its rim would cross those of its neighbours.
            return geometry.line(a, b, stroke.width, stroke.color);
        }
        if stroke.tinted {
            geometry.flat(&self.rim, stroke.color.with_alpha(TINT));
        }
        if self.core.len() < 3 || !piece.shared {
            return geometry.outline(&self.rim, stroke.width, stroke.color);
        }
        // Lines within a body would say nothing of where it is.
        for ((a, b), rim) in sides(&self.core).zip(model.rim(piece)) {
            if !rim.interior {
                geometry.line(a, b, stroke.width, stroke.color);
            }
        }
    }
}

/// A circle as a polygon, into `result`.
fn circle(center: Vec2, radius: f32, result: &mut Vec<Vec2>) {
    let count = (1.5 * radius).clamp(12.0, 96.0) as u32;
    let corner = |k: u32| {
        center + radius * Vec2::from_angle(std::f32::consts::TAU * k as f32 / count as f32)
    };
    result.clear();
    result.extend((0..count).map(corner));
}

/// A body without pieces: its edges.
fn strings(
    geometry: &mut Geometry,
    camera: &Camera,
    model: &Model,
    body: &Body,
    positions: &[Vec2],
    stroke: Stroke,
) {
    for edge in &model.edges[body.edges.start as usize..body.edges.end as usize] {
        let [a, b] = [edge.a, edge.b].map(|i| camera.to_screen(positions[i as usize]));
        geometry.line(a, b, stroke.width, stroke.color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;
    use crate::scene::View;
    use crate::view::color::ACCENT;
    use crate::world::World;

    #[test]
    fn every_built_in_level_has_outlines_and_what_is_out_of_sight_none() {
        let stroke = Stroke { color: ACCENT, width: 2.0, tinted: true };
        for (name, _) in Level::BUILTIN {
            let scene = Level::builtin(name).unwrap().scene;
            let world = World::build(&scene).unwrap();
            let drawn = |view: View| {
                let camera = Camera::new(view, Vec2::new(1280.0, 800.0), Vec2::ZERO);
                let mut geometry = Geometry::default();
                geometry.clear(1.0);
                let positions = &world.state.position;
                let mut silhouettes = Silhouettes::default();
                silhouettes.paint(&mut geometry, &camera, &world.model, positions, stroke);
                geometry.batches().iter().map(|batch| batch.vertices.len()).sum::<usize>()
            };
            assert!(drawn(scene.view) > 30, "{name}");
            let away = View { center: scene.view.center + Vec2::splat(1e4), ..scene.view };
            assert_eq!(drawn(away), 0, "{name}");
        }
    }
}
