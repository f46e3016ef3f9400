//! The scene: sky, metre grid, shadows and bodies, from far to near.
//!
//! Bodies are drawn from the points of their pieces, never from their definition, so whatever a
//! solver does to a body can be seen. How a crate, a ball or a head looks is in `figure.rs`, how soft
//! bodies look in `pliant.rs`, cords and springs in `cord.rs`.

use crate::math::{Aabb, Vec2};
use crate::scene::Style;
use crate::view::camera::Camera;
use crate::view::color::{Color, INK, SKY_BOTTOM, SKY_TOP};
use crate::view::cord;
use crate::view::figure::{Brush, Face};
use crate::view::geometry::{Geometry, grown};
use crate::view::patchwork::Patchwork;
use crate::view::pliant::{PliantBrush, Sitter, is_pliant};
use crate::world::{Body, Model, Piece, World};

/// How far around a body its shadow and its outline reach, px.
const BEYOND: f32 = 24.0;
/// The least size of a body whose shadow can be made out, px.
const LEAST_WITH_SHADOW: f32 = 6.0;

/// Paints scenes; keeps its buffers from frame to frame.
#[derive(Debug, Default)]
pub(crate) struct Painter {
    /// The bodies in sight, in drawing order: by layer, then by age.
    seen: Vec<Seen>,
    /// Outline of the piece in hand, px.
    outline: Vec<Vec2>,
    /// The same with round corners.
    rounded: Vec<Vec2>,
    /// Buffers of bodies of several pieces.
    patchwork: Patchwork,
    /// Buffers of the figures.
    brush: Brush,
    /// Those of soft bodies.
    pliant: PliantBrush,
}

/// A body in sight.
#[derive(Clone, Copy, Debug)]
struct Seen {
    layer: i8,
    index: u32,
    /// The longer side of the box around it, px.
    size: f32,
}

impl Painter {
    /// Sky and grid.
    pub(crate) fn background(geometry: &mut Geometry, camera: &Camera) {
        geometry.gradient(Vec2::ZERO, camera.screen(), SKY_TOP, SKY_BOTTOM);
        grid(geometry, camera);
    }

    /// The bodies of a world at `positions`.
    pub(crate) fn bodies(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        world: &World,
        positions: &[Vec2],
    ) {
        let model = &world.model;
        if positions.len() != model.point_count() {
            return;
        }
        self.look(camera, model, positions);
        let seen = std::mem::take(&mut self.seen);
        let screen = Aabb { min: Vec2::ZERO, max: camera.screen() };
        for &Seen { index, size, .. } in &seen {
            let body = &model.bodies[index as usize];
            if body.is_dynamic() && size >= LEAST_WITH_SHADOW {
                self.shadow(geometry, camera, model, body, positions, screen);
            }
        }
        cord::joints(geometry, camera, world, positions);
        for &Seen { index, .. } in &seen {
            let body = &model.bodies[index as usize];
            self.body(geometry, camera, model, (index, body), positions, screen);
        }
        cord::muscles(geometry, camera, world, positions);
        self.seen = seen;
    }

    /// Lists the bodies in sight.
    fn look(&mut self, camera: &Camera, model: &Model, positions: &[Vec2]) {
        let (visible, scale) = (camera.visible().grown(BEYOND / camera.scale()), camera.scale());
        self.seen.clear();
        for (index, body) in model.bodies.iter().enumerate() {
            let radius = model.pieces_of(body).iter().map(|p| p.radius).fold(0.0, f32::max);
            let bounds = Aabb::around(positions[body.point_range()].iter().copied()).grown(radius);
            if bounds.overlaps(visible) {
                let size = scale * bounds.size().max_element();
                self.seen.push(Seen { layer: body.look.layer, index: index as u32, size });
            }
        }
        self.seen.sort_by_key(|seen| seen.layer);
    }

    /// Puts the outline of a piece on the screen, with its round corners, into `self.outline`; `None`
    /// if it is out of sight. One point is a disc, two a capsule of the radius that it returns.
    fn project(
        &mut self,
        camera: &Camera,
        model: &Model,
        piece: &Piece,
        positions: &[Vec2],
        screen: Aabb,
    ) -> Option<f32> {
        self.outline.clear();
        let points = model.outline(piece).iter().map(|&i| positions[i as usize]);
        self.outline.extend(points.map(|p| camera.to_screen(p)));
        let radius = piece.radius * camera.scale();
        let bounds = Aabb::around(self.outline.iter().copied()).grown(radius + 8.0);
        if radius > 0.0 && self.outline.len() >= 3 {
            grown(&self.outline, radius, &mut self.rounded);
            std::mem::swap(&mut self.outline, &mut self.rounded);
        }
        bounds.overlaps(screen).then_some(radius)
    }

    fn shadow(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        model: &Model,
        body: &Body,
        positions: &[Vec2],
        screen: Aabb,
    ) {
        // Small figures have no room for one.
        let scale = camera.scale();
        if scale < 14.0 {
            return;
        }
        let fall = Vec2::new(0.04, 0.07) * scale.min(120.0);
        let blur = (0.16 * scale).min(14.0);
        let color = INK.with_alpha(0.16);
        if is_pliant(body.look.style) {
            let sitter = Sitter { camera, model, body, positions };
            return self.pliant.shadow(geometry, &sitter, fall, 0.6 * blur, color.faded(0.8));
        }
        for piece in model.pieces_of(body) {
            let Some(radius) = self.project(camera, model, piece, positions, screen) else {
                continue;
            };
            for corner in &mut self.outline {
                *corner += fall;
            }
            match self.outline[..] {
                [center] => geometry.disc(center, radius, color.faded(0.8)),
                [a, b] => geometry.capsule(a, b, radius, color.faded(0.8)),
                _ => geometry.soft(&self.outline, blur, color),
            }
        }
    }

    fn body(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        model: &Model,
        (index, body): (u32, &Body),
        positions: &[Vec2],
        screen: Aabb,
    ) {
        let scale = camera.scale();
        let base = Color::opaque(body.look.color);
        let pieces = model.pieces_of(body);
        if is_pliant(body.look.style) {
            let sitter = Sitter { camera, model, body, positions };
            return self.pliant.paint(geometry, &sitter);
        }
        if pieces.is_empty() {
            return strings(geometry, camera, model, body, positions);
        }
        let solid = || pieces.iter().all(|piece| piece.count >= 3);
        if pieces.len() > 1 && (body.is_rigid() || solid()) {
            let sitter = Sitter { camera, model, body, positions };
            return self.patchwork.paint(geometry, &sitter);
        }
        for piece in pieces {
            let Some(radius) = self.project(camera, model, piece, positions, screen) else {
                continue;
            };
            let turn = || {
                let rot = model.pose(body, positions).rot;
                Vec2::new(rot.c, -rot.s)
            };
            let brush = &mut self.brush;
            match (body.look.style, &self.outline[..]) {
                (Style::Ball, &[center]) => {
                    brush.ball(geometry, center, radius, turn(), base);
                }
                (Style::Head { hair, facing_left }, &[center]) => {
                    let face = Face { skin: base, hair: Color::opaque(hair), left: facing_left };
                    brush.head(geometry, center, radius, turn(), face);
                }
                (_, &[center]) => brush.wheel(geometry, center, radius, turn(), base),
                (_, &[a, b]) => brush.limb(geometry, a, b, radius, base),
                (Style::Crate, &[a, b, c, d]) => {
                    brush.wooden(geometry, [a, b, c, d], scale, base, index);
                }
                (Style::Ground, outline) => {
                    brush.ground(geometry, camera, outline, base);
                }
                (_, outline) => brush.block(geometry, outline, scale, base),
            }
        }
    }
}

/// A body without pieces: its edges.
fn strings(
    geometry: &mut Geometry,
    camera: &Camera,
    model: &Model,
    body: &Body,
    positions: &[Vec2],
) {
    let radius = (0.02 * camera.scale()).clamp(0.75, 4.0);
    let color = Color::opaque(body.look.color);
    for edge in &model.edges[body.edges.start as usize..body.edges.end as usize] {
        let [a, b] = [edge.a, edge.b].map(|i| camera.to_screen(positions[i as usize]));
        geometry.capsule(a, b, radius, color);
    }
}

/// The distance of grid lines that suits a scale, m: 1, 2 or 5 times a power of ten.
pub(crate) fn grid_spacing(scale: f32, least_pixels: f32) -> f32 {
    let least = least_pixels / scale;
    let power = 10.0_f32.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|k| k * power).into_iter().find(|&s| s >= least).unwrap_or(least)
}

/// Faint lines a metre apart (or what suits the scale), every fifth a little stronger.
fn grid(geometry: &mut Geometry, camera: &Camera) {
    let spacing = grid_spacing(camera.scale(), 40.0);
    let seen = camera.visible();
    let screen = camera.screen();
    let line = |i: i64| INK.with_alpha(if i.rem_euclid(5) == 0 { 0.09 } else { 0.04 });
    let range =
        |low: f32, high: f32| (low / spacing).ceil() as i64..=(high / spacing).floor() as i64;
    for i in range(seen.min.x, seen.max.x) {
        let x = camera.to_screen(Vec2::new(i as f32 * spacing, 0.0)).x;
        geometry.line(Vec2::new(x, 0.0), Vec2::new(x, screen.y), 1.0, line(i));
    }
    for i in range(seen.min.y, seen.max.y) {
        let y = camera.to_screen(Vec2::new(0.0, i as f32 * spacing)).y;
        geometry.line(Vec2::new(0.0, y), Vec2::new(screen.x, y), 1.0, line(i));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grid_spacing_is_a_round_number_of_enough_pixels() {
        for (scale, expected) in [(66.0, 1.0), (30.0, 2.0), (9.0, 5.0), (700.0, 0.1), (0.5, 100.0)]
        {
            let spacing = grid_spacing(scale, 40.0);
            assert!((spacing / expected - 1.0).abs() < 1e-3, "{scale}: {spacing}");
        }
    }
}
