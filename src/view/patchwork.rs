//! Rigid bodies of several pieces: drawn as one figure, without the seams between the pieces.
//!
//! Every piece is painted in the colour of the outline first and in its own after that, a little
//! smaller; where pieces meet, the second coat covers the first. Pieces with corners that are not
//! round, which cannot be made smaller without opening the seams, get lines along their free sides.

use crate::math::Vec2;
use crate::scene::Style;
use crate::view::color::Color;
use crate::view::figure::outline_width;
use crate::view::geometry::{Geometry, grown};
use crate::view::pliant::Sitter;
use crate::world::Piece;

/// Buffers of the pieces in hand.
#[derive(Debug, Default)]
pub(crate) struct Patchwork {
    core: Vec<Vec2>,
    outline: Vec<Vec2>,
    /// Points on sides of ground where one could stand.
    lit: Vec<u32>,
}

impl Patchwork {
    /// Paints a body.
    pub(crate) fn paint(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>) {
        let &Sitter { camera, model, body, .. } = sitter;
        let base = Color::opaque(body.look.color);
        let (dark, width) = (base.darker(0.55), outline_width(camera.scale()));
        let pieces = model.pieces_of(body);
        if body.look.style == Style::Ground && pieces.iter().all(|piece| piece.count >= 3) {
            return self.ground(geometry, sitter, base);
        }
        for piece in pieces.iter().filter(|piece| piece.radius > 0.0) {
            self.coat(geometry, sitter, piece, 0.0, dark);
        }
        for piece in pieces {
            let inner = if piece.radius > 0.0 { width } else { 0.0 };
            self.coat(geometry, sitter, piece, inner, base);
        }
        for piece in pieces.iter().filter(|piece| piece.radius == 0.0) {
            for (k, rim) in model.rim(piece).iter().enumerate() {
                let [a, b] = side(sitter, piece, k);
                let (thickness, color) = if rim.interior { (1.2, base) } else { (width, dark) };
                geometry.capsule(a, b, 0.5 * thickness, color);
            }
        }
    }

    /// One coat of one piece, its outline moved in by `inner` pixels.
    fn coat(
        &mut self,
        geometry: &mut Geometry,
        sitter: &Sitter<'_>,
        piece: &Piece,
        inner: f32,
        color: Color,
    ) {
        let camera = sitter.camera;
        let points = sitter.model.outline(piece).iter();
        self.core.clear();
        self.core.extend(points.map(|&i| camera.to_screen(sitter.positions[i as usize])));
        let radius = (piece.radius * camera.scale() - inner).max(0.0);
        match self.core[..] {
            [center] => geometry.disc(center, radius, color),
            [a, b] => geometry.capsule(a, b, radius, color),
            _ => {
                grown(&self.core, radius, &mut self.outline);
                geometry.polygon(&self.outline, color);
            }
        }
    }

    /// What never moves: darker with depth, with a rim of light where one could stand.
    fn ground(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color) {
        let &Sitter { camera, model, body, positions } = sitter;
        let deep = base.darker(0.35);
        self.lit.clear();
        for piece in model.pieces_of(body) {
            let points = model.outline(piece);
            for (k, rim) in model.rim(piece).iter().enumerate() {
                let [a, b] = side(sitter, piece, k);
                if !rim.interior && is_lit(a, b) {
                    self.lit.extend([points[k], points[(k + 1) % points.len()]]);
                }
            }
        }
        self.lit.sort_unstable();
        for piece in model.pieces_of(body) {
            let points = model.outline(piece);
            self.core.clear();
            self.core.extend(points.iter().map(|&i| camera.to_screen(positions[i as usize])));
            let surface = |corner: Vec2| {
                let at = self.core.iter().position(|&other| other == corner).unwrap_or(0);
                self.lit.binary_search(&points[at]).is_ok()
            };
            geometry.shaded(&self.core, |p| if surface(p) { base } else { deep });
        }
        for piece in model.pieces_of(body) {
            let points = model.outline(piece);
            let color = |k: usize| {
                let lit = self.lit.binary_search(&points[k % points.len()]).is_ok();
                if lit { base } else { deep }
            };
            for (k, _) in model.rim(piece).iter().enumerate().filter(|(_, rim)| rim.interior) {
                seam(geometry, side(sitter, piece, k), [color(k), color(k + 1)]);
            }
        }
        let crust = (0.075 * camera.scale()).clamp(2.0, 6.0);
        for piece in model.pieces_of(body) {
            for (k, rim) in model.rim(piece).iter().enumerate() {
                let [a, b] = side(sitter, piece, k);
                if !rim.interior && is_lit(a, b) {
                    // Inside the outline, so that what rests on it touches the light.
                    let shift = 0.5 * crust * inward(a, b);
                    geometry.capsule(a + shift, b + shift, 0.5 * crust, base.lighter(0.38));
                }
            }
        }
        for piece in model.pieces_of(body) {
            for (k, rim) in model.rim(piece).iter().enumerate() {
                if !rim.interior {
                    let [a, b] = side(sitter, piece, k);
                    geometry.capsule(a, b, 0.6, base.darker(0.6));
                }
            }
        }
    }
}

/// Covers the thin gap that the smooth rims of two pieces leave between them.
fn seam(geometry: &mut Geometry, [a, b]: [Vec2; 2], [start, end]: [Color; 2]) {
    let across = 0.6 * (b - a).perp().normalize_or_zero();
    let strip = [a - across, b - across, b + across, a + across];
    geometry.shaded(&strip, |p| {
        if p.distance_squared(a) < p.distance_squared(b) { start } else { end }
    });
}

/// The ends of a side of a piece on the screen.
fn side(sitter: &Sitter<'_>, piece: &Piece, k: usize) -> [Vec2; 2] {
    let points = sitter.model.outline(piece);
    let ends = [points[k], points[(k + 1) % points.len()]];
    ends.map(|i| sitter.camera.to_screen(sitter.positions[i as usize]))
}

/// The direction into a piece from its side from `a` to `b`, which runs clockwise on the screen.
fn inward(a: Vec2, b: Vec2) -> Vec2 {
    let along = (b - a).normalize_or_zero();
    Vec2::new(along.y, -along.x)
}

/// Whether one could stand on a side.
fn is_lit(a: Vec2, b: Vec2) -> bool {
    inward(a, b).y > 0.35
}
