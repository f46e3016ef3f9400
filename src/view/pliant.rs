//! How soft bodies look: ropes, boards that bend, cloth, jelly, blobs and balloons.
//!
//! Nothing of the triangles inside is to be seen. They are filled without rims, so that they show no
//! seams; what bounds them, the sides that belong to one piece only, is chained to rims and drawn as
//! smooth curves: through every point, straight only where the body at rest has a corner. What lies
//! between a side and its curve is filled as well. So a body that is cut or torn looks right without
//! anybody telling.

use crate::math::{Aabb, Vec2};
use crate::scene::Style;
use crate::view::camera::Camera;
use crate::view::color::{Color, INK, PAPER};
use crate::view::figure::outline_width;
use crate::view::geometry::Geometry;
use crate::world::{Body, Model};

/// Points of a curve between two points of a body.
const FINENESS: usize = 5;
/// Cosine of the sharpest turn, at rest, that a curve still runs through smoothly.
const SMOOTH: f32 = 0.77;

/// Paints soft bodies; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct PliantBrush {
    /// Sides of pieces: from, to.
    sides: Vec<(u32, u32)>,
    /// The rims or lines of the body in hand, one after the other, and where each ends.
    chained: Vec<u32>,
    ends: Vec<usize>,
    /// The curve of one of them, px.
    curve: Vec<Vec2>,
}

/// What is looked at.
#[derive(Clone, Copy)]
pub(crate) struct Sitter<'a> {
    pub(crate) camera: &'a Camera,
    pub(crate) model: &'a Model,
    pub(crate) body: &'a Body,
    pub(crate) positions: &'a [Vec2],
}

impl Sitter<'_> {
    fn at(&self, point: u32) -> Vec2 {
        self.camera.to_screen(self.positions[point as usize])
    }

    fn is_line(&self) -> bool {
        matches!(self.body.look.style, Style::Rope | Style::Beam)
    }

    /// Whether any of it may be on the screen.
    fn is_seen(&self) -> bool {
        let points = self.positions[self.body.point_range()].iter();
        let bounds = Aabb::around(points.map(|&p| self.camera.to_screen(p))).grown(40.0);
        bounds.overlaps(Aabb { min: Vec2::ZERO, max: self.camera.screen() })
    }
}

/// Whether bodies of a style are painted here.
pub(crate) fn is_pliant(style: Style) -> bool {
    use Style::{Balloon, Beam, Blob, Cloth, Jelly, Rope};
    matches!(style, Rope | Beam | Cloth | Jelly | Blob | Balloon)
}

impl PliantBrush {
    /// The shadow of a body, moved by `fall` and fading over `blur`, px.
    pub(crate) fn shadow(
        &mut self,
        geometry: &mut Geometry,
        sitter: &Sitter<'_>,
        fall: Vec2,
        blur: f32,
        color: Color,
    ) {
        if !sitter.is_seen() {
            return;
        }
        self.chain(sitter);
        if !sitter.is_line() {
            fill(geometry, sitter, |_| color, fall);
        }
        let clear = color.clear();
        let radius = self.radius(sitter);
        self.each(sitter, |curve, closed, _| {
            curve.iter_mut().for_each(|place| *place += fall);
            if closed {
                // Rims run around the body, so that away from it is always the same side.
                let rows = [0.0, blur];
                geometry.ribbon(curve, true, &rows, |row, _| if row == 0 { color } else { clear });
            } else {
                let rows = [-radius - 0.5 * blur, 0.0, radius + 0.5 * blur];
                let shade = |row, _| if row == 1 { color } else { clear };
                geometry.ribbon(curve, false, &rows, shade);
            }
        });
    }

    /// A body.
    pub(crate) fn paint(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>) {
        if !sitter.is_seen() {
            return;
        }
        self.chain(sitter);
        let base = Color::opaque(sitter.body.look.color);
        match sitter.body.look.style {
            Style::Rope => self.rope(geometry, sitter, base),
            Style::Beam => self.board(geometry, sitter, base),
            Style::Cloth => self.cloth(geometry, sitter, base),
            style => self.solid(geometry, sitter, base, style),
        }
    }

    /// Thickness of a line over two, px.
    fn radius(&self, sitter: &Sitter<'_>) -> f32 {
        let piece = sitter.model.pieces_of(sitter.body).first();
        (piece.map_or(0.0, |piece| piece.radius) * sitter.camera.scale()).max(0.8)
    }

    /// A twisted rope.
    fn rope(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color) {
        let radius = self.radius(sitter);
        self.each(sitter, |curve, closed, _| {
            line(geometry, curve, closed, radius, base);
            if radius < 2.2 {
                return;
            }
            // The strands: slanting strokes at equal distances along the curve.
            let (dark, step) = (base.darker(0.38), 1.7 * radius);
            let mut ahead = 0.5 * step;
            for pair in curve.windows(2) {
                let length = pair[0].distance(pair[1]);
                let along = (pair[1] - pair[0]).normalize_or_zero();
                let side = along.perp();
                while ahead <= length {
                    let place = pair[0] + ahead * along;
                    let slant = 0.62 * radius * (side + 0.55 * along);
                    geometry.capsule(place - slant, place + slant, (0.11 * radius).max(0.5), dark);
                    ahead += step;
                }
                ahead -= length;
            }
        });
    }

    /// A board: grain along it, light on the upper side.
    fn board(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color) {
        let radius = self.radius(sitter);
        self.each(sitter, |curve, closed, _| {
            line(geometry, curve, closed, radius, base);
            if radius < 3.5 {
                return;
            }
            for (offset, tone) in [(-0.25, 0.22), (0.3, 0.16)] {
                let rows = [radius * offset - 0.6, radius * offset + 0.6];
                geometry.ribbon(curve, closed, &rows, |_, _| base.darker(tone));
            }
        });
    }

    fn cloth(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color) {
        fill(geometry, sitter, |_| base, Vec2::ZERO);
        let Sitter { model, body, .. } = *sitter;
        let scale = sitter.camera.scale();
        // Threads along and across; the diagonals that hold a cell against shear are none.
        let width = (0.02 * scale).clamp(0.8, 2.0);
        for edge in &model.edges[body.edges.start as usize..body.edges.end as usize] {
            let way = (model.rest[edge.b as usize] - model.rest[edge.a as usize]).abs();
            let (light, dark) = (way.y < 0.05 * way.x, way.x < 0.05 * way.y);
            if light || dark {
                let tone = if light { PAPER.with_alpha(0.16) } else { INK.with_alpha(0.16) };
                geometry.line(sitter.at(edge.a), sitter.at(edge.b), width, tone);
            }
        }
        let hem = outline_width(scale);
        self.each(sitter, |curve, closed, _| {
            // A hem: a lighter band inside the rim.
            let rows = [-2.4 * hem, -0.5 * hem, 0.0];
            geometry.ribbon(curve, closed, &rows, |row, _| {
                PAPER.with_alpha(if row == 0 { 0.0 } else { 0.2 })
            });
            geometry.stroke(curve, closed, hem, base.darker(0.5));
        });
        for point in body.point_range().filter(|&i| model.pinned[i]) {
            let radius = (0.035 * scale).clamp(1.2, 3.5);
            let place = sitter.camera.to_screen(sitter.positions[point]);
            geometry.disc(place, radius + 0.8, INK.with_alpha(0.8));
            geometry.disc(place, radius - 0.4, PAPER);
        }
    }

    /// Jelly, a blob or a balloon.
    fn solid(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color, style: Style) {
        let jelly = style == Style::Jelly;
        let body = if jelly { base.with_alpha(0.86) } else { base };
        let bounds = Aabb::around(
            self.chained.iter().map(|&point| sitter.at(point)).filter(|place| place.is_finite()),
        );
        let size = bounds.size();
        // Lighter above, where the light comes from.
        let shade = |place: Vec2| {
            let depth = ((place.y - bounds.min.y) / size.y.max(1.0)).clamp(0.0, 1.0);
            body.lighter(0.16 * (1.0 - depth)).darker(0.12 * depth)
        };
        fill(geometry, sitter, shade, Vec2::ZERO);
        let scale = sitter.camera.scale();
        let width = 1.1 * outline_width(scale);
        let glow = (0.16 * size.min_element()).clamp(1.0, 22.0);
        self.each(sitter, |curve, closed, chords| {
            // Between each side and its curve.
            for (k, part) in curve.chunks(FINENESS).enumerate() {
                let mut bulge = part.to_vec();
                bulge.push(chords.at((k + 1) % chords.count()));
                let middle = bulge[bulge.len() / 2];
                geometry.flat(&bulge, shade(middle));
            }
            // Shade along the rim, light where it looks up.
            let rows = [-glow, 0.0];
            geometry.ribbon(curve, closed, &rows, |row, out| {
                let lit = -out.y;
                let color = if lit > 0.0 {
                    PAPER.with_alpha(0.3 * lit)
                } else {
                    INK.with_alpha(-0.2 * lit)
                };
                if row == 0 { color.clear() } else { color }
            });
            geometry.stroke(curve, closed, width, base.darker(0.55));
        });
        self.shine(geometry, sitter, base, style);
    }

    /// The light on a smooth skin, and what a balloon is tied up with.
    fn shine(&mut self, geometry: &mut Geometry, sitter: &Sitter<'_>, base: Color, style: Style) {
        if !matches!(style, Style::Blob | Style::Balloon) || self.chained.len() < 6 {
            return;
        }
        let model = sitter.model;
        let count = self.chained.len() as f32;
        let places = || self.chained.iter().map(|&point| sitter.at(point));
        let center = places().sum::<Vec2>() / count;
        // The point of the skin that looks to the upper left now.
        let toward = Vec2::new(-0.6, -0.8);
        let far = places().map(|place| (place - center).dot(toward)).fold(0.0_f32, f32::max);
        let spread = places().map(|place| place.distance(center)).sum::<f32>() / count;
        if spread > 7.0 {
            let size = 0.13 * spread.min(far * 1.2);
            let at = center + 0.62 * far * toward;
            let along = 0.9 * size * Vec2::new(0.8, -0.6);
            let strength = if style == Style::Balloon { 0.55 } else { 0.38 };
            geometry.capsule(at - along, at + along, size, PAPER.with_alpha(strength));
        }
        if style == Style::Balloon {
            let lowest = self
                .chained
                .iter()
                .copied()
                .min_by(|&a, &b| model.rest[a as usize].y.total_cmp(&model.rest[b as usize].y));
            if let Some(knot) = lowest {
                let place = sitter.at(knot);
                let out = (place - center).normalize_or(Vec2::Y);
                let (tip, side) = (0.16 * spread * out, 0.1 * spread * out.perp());
                let triangle = [place - 0.2 * tip, place + tip + side, place + tip - side];
                geometry.polygon(&triangle, base.darker(0.45));
            }
        }
    }

    /// Finds the rims of the pieces, or the lines that capsules make.
    fn chain(&mut self, sitter: &Sitter<'_>) {
        self.sides.clear();
        self.chained.clear();
        self.ends.clear();
        let model = sitter.model;
        for piece in model.pieces_of(sitter.body) {
            let outline = model.outline(piece);
            match *outline {
                [_] => {}
                [a, b] => self.sides.push((a, b)),
                _ => {
                    let next = outline.iter().cycle().skip(1);
                    self.sides.extend(outline.iter().zip(next).map(|(&a, &b)| (a, b)));
                }
            }
        }
        self.sides.sort_unstable();
        let closed = !sitter.is_line();
        if closed {
            // What another piece has the other way round lies inside.
            let all = self.sides.clone();
            self.sides.retain(|&(a, b)| all.binary_search(&(b, a)).is_err());
        }
        let mut used = vec![false; self.sides.len()];
        // A line begins where no other side ends.
        let mut into: Vec<u32> = self.sides.iter().map(|side| side.1).collect();
        into.sort_unstable();
        for pass in 0..2 {
            for start in 0..self.sides.len() {
                let begins = into.binary_search(&self.sides[start].0).is_err();
                if used[start] || (pass == 0 && !begins) {
                    continue;
                }
                let mut side = start;
                loop {
                    used[side] = true;
                    let (from, to) = self.sides[side];
                    self.chained.push(from);
                    let first = self.sides.partition_point(|other| other.0 < to);
                    let next = (first..self.sides.len())
                        .take_while(|&k| self.sides[k].0 == to)
                        .find(|&k| !used[k]);
                    match next {
                        Some(next) => side = next,
                        None => {
                            if !closed {
                                self.chained.push(to);
                            }
                            break;
                        }
                    }
                }
                self.ends.push(self.chained.len());
            }
        }
    }

    /// Calls `draw` with the curve of each rim or line, whether it is closed, and its points.
    fn each(
        &mut self,
        sitter: &Sitter<'_>,
        mut draw: impl FnMut(&mut Vec<Vec2>, bool, &Chords<'_, '_>),
    ) {
        let closed = !sitter.is_line();
        let mut start = 0;
        for &end in &self.ends {
            let points = &self.chained[start..end];
            start = end;
            let chords = Chords { points, sitter };
            curve(&chords, closed, &mut self.curve);
            draw(&mut self.curve, closed, &chords);
        }
    }
}

/// The points that a curve runs through.
struct Chords<'a, 'b> {
    points: &'a [u32],
    sitter: &'a Sitter<'b>,
}

impl Chords<'_, '_> {
    fn count(&self) -> usize {
        self.points.len()
    }

    fn at(&self, k: usize) -> Vec2 {
        self.sitter.at(self.points[k])
    }

    /// Whether the body at rest is smooth at a point of the curve.
    fn is_smooth(&self, k: usize, closed: bool) -> bool {
        let count = self.count();
        if !closed && (k == 0 || k + 1 == count) {
            return false;
        }
        let rest = |k: usize| self.sitter.model.rest[self.points[k % count] as usize];
        let before = (rest(k) - rest(k + count - 1)).normalize_or_zero();
        let after = (rest(k + 1) - rest(k)).normalize_or_zero();
        // A line may be laid out with any bends; it is smooth all the same.
        !closed || before.dot(after) >= SMOOTH
    }
}

/// Hermite curves through points: along the neighbours where it is smooth, straight off where not.
fn curve(chords: &Chords<'_, '_>, closed: bool, result: &mut Vec<Vec2>) {
    result.clear();
    let count = chords.count();
    if count < 2 {
        return;
    }
    let spans = if closed { count } else { count - 1 };
    let slope = |k: usize, own: Vec2| {
        if chords.is_smooth(k, closed) {
            0.5 * (chords.at((k + 1) % count) - chords.at((k + count - 1) % count))
        } else {
            own
        }
    };
    for k in 0..spans {
        let next = (k + 1) % count;
        let (a, b) = (chords.at(k), chords.at(next));
        let (u, v) = (slope(k, b - a), slope(next, b - a));
        for step in 0..FINENESS {
            let t = step as f32 / FINENESS as f32;
            let (t2, t3) = (t * t, t * t * t);
            let (h, i) = (3.0 * t2 - 2.0 * t3, t3 - 2.0 * t2 + t);
            result.push(a + h * (b - a) + i * u + (t3 - t2) * v);
        }
    }
    if !closed {
        result.push(chords.at(count - 1));
    }
}

/// Outline, colour and light of a thick line with round ends.
fn line(geometry: &mut Geometry, curve: &[Vec2], closed: bool, radius: f32, base: Color) {
    let (Some(&first), Some(&last)) = (curve.first(), curve.last()) else { return };
    let rim = (0.22 * radius).clamp(0.6, 2.0);
    for (radius, color) in [(radius, base.darker(0.55)), (radius - rim, base)] {
        if radius > 0.3 {
            geometry.disc(first, radius, color);
            geometry.disc(last, radius, color);
            geometry.stroke(curve, closed, 2.0 * radius, color);
        }
    }
    if radius > 3.0 {
        let rows = [-0.75 * radius, 0.0, 0.75 * radius];
        geometry.ribbon(curve, closed, &rows, |row, out| {
            // The rows at both sides; which of them is above depends on the way the line runs.
            let up = [out.y, 0.0, -out.y][row];
            if up > 0.0 { PAPER.with_alpha(0.3 * up) } else { INK.with_alpha(-0.22 * up) }
        });
    }
}

/// The pieces of a body without rims, moved by `by`.
fn fill(geometry: &mut Geometry, sitter: &Sitter<'_>, color_at: impl Fn(Vec2) -> Color, by: Vec2) {
    let mut corners = Vec::with_capacity(4);
    for piece in sitter.model.pieces_of(sitter.body) {
        let outline = sitter.model.outline(piece);
        corners.clear();
        corners.extend(outline.iter().map(|&point| sitter.at(point) + by));
        geometry.patch(&corners, &color_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::soft::{Cloth, Jelly, Region, RegionFigure, Rope};
    use crate::scene::{BodyDef, Look, Mesh, Scene, Shape, View};
    use crate::world::World;

    fn world(mesh: Mesh, style: Style) -> World {
        let mut def = BodyDef::new("it", Shape::Mesh(mesh), Vec2::ZERO);
        def.look = Look { style, ..Look::default() };
        World::build(&Scene { bodies: vec![def], ..Scene::default() }).unwrap()
    }

    /// The rims or lines of a body: how many points each has.
    fn rims(world: &World) -> Vec<usize> {
        let camera = Camera::new(View::default(), Vec2::new(800.0, 600.0), Vec2::ZERO);
        let (model, body) = (&world.model, &world.model.bodies[0]);
        let positions = &world.state.position;
        let sitter = Sitter { camera: &camera, model, body, positions };
        let mut brush = PliantBrush::default();
        brush.chain(&sitter);
        let mut geometry = Geometry::default();
        brush.paint(&mut geometry, &sitter);
        assert!(!geometry.batches().is_empty());
        let starts = std::iter::once(0).chain(brush.ends.iter().copied());
        brush.ends.iter().zip(starts).map(|(end, start)| end - start).collect()
    }

    #[test]
    fn rims_go_around_bodies_and_their_holes() {
        let jelly = Jelly { cell: Some(0.25), ..Jelly::default() };
        assert_eq!(rims(&world(jelly.mesh().unwrap(), Style::Jelly)), [16]);
        let hole = Region { at: Vec2::ZERO, figure: RegionFigure::Box(Vec2::splat(0.9)) };
        let cloth = Cloth { cell: Some(0.5), holes: vec![hole], ..Cloth::default() };
        let mut rims = rims(&world(cloth.mesh().unwrap(), Style::Cloth));
        rims.sort_unstable();
        assert_eq!(rims, [8, 16]);
    }

    #[test]
    fn a_rope_is_one_line_and_a_broken_one_two() {
        let mesh = Rope { segments: Some(10), ..Rope::default() }.mesh().unwrap();
        let mut broken = mesh.clone();
        broken.pieces.remove(4);
        assert_eq!(rims(&world(mesh, Style::Rope)), [11]);
        assert_eq!(rims(&world(broken, Style::Rope)), [5, 6]);
    }
}
