//! How single bodies look: wooden crates, balls, wheels, heads, limbs, blocks and ground.
//!
//! Outlines are given in screen pixels (y down). A figure sheds detail as it gets smaller on the
//! screen: nails, then boards, then the outline. Light comes from above, whichever way a body
//! lies.

use crate::math::{Aabb, Vec2};
use crate::view::camera::Camera;
use crate::view::color::{Color, INK, PAPER};
use crate::view::geometry::{Geometry, inset, sides};

/// Paints figures; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Brush {
    inner: Vec<Vec2>,
    ring: Vec<Vec2>,
}

/// Width of outlines at a scale of pixels per metre, px.
pub(crate) fn outline_width(scale: f32) -> f32 {
    (0.032 * scale).clamp(0.8, 2.6)
}

/// A number from 0 to 1 that looks random but belongs to the body.
fn grain(index: u32, board: u32) -> f32 {
    let mixed = (index.wrapping_mul(31).wrapping_add(board)).wrapping_mul(0x9e37_79b1);
    f32::from((mixed >> 16) as u16) / 65_535.0
}

/// How much light falls on a side whose outward normal is `normal`: from −1 (from below) to 1.
fn light(normal: Vec2) -> f32 {
    -normal.normalize_or_zero().y
}

/// What a head in profile looks like.
#[derive(Clone, Copy)]
pub(crate) struct Face {
    pub(crate) skin: Color,
    pub(crate) hair: Color,
    /// Whether it looks against the body's x axis.
    pub(crate) left: bool,
}

impl Brush {
    /// A wooden crate: planks behind a frame with a brace. `corners` in order along the outline.
    pub(crate) fn wooden(
        &mut self,
        geometry: &mut Geometry,
        corners: [Vec2; 4],
        scale: f32,
        base: Color,
        index: u32,
    ) {
        let base =
            base.mix(if grain(index, 0) > 0.5 { PAPER } else { INK }, 0.08 * grain(index, 1));
        let dark = base.darker(0.62);
        let [a, b, _, d] = corners;
        let (width, height) = (a.distance(b), a.distance(d));
        let size = width.min(height);
        if size < 6.0 {
            return geometry.polygon(&corners, base.darker(0.12));
        }
        let frame = base.lighter(0.16);
        let rim = outline_width(scale).min(0.4 * size);
        geometry.framed(&corners, rim, dark, frame);
        if size < 9.0 {
            return;
        }
        inset(&corners, rim, &mut self.inner);
        let Ok(panel) = <[Vec2; 4]>::try_from(&self.inner[..]) else { return };
        let at = |u: f32, v: f32| {
            let (low, high) = (panel[0].lerp(panel[1], u), panel[3].lerp(panel[2], u));
            low.lerp(high, v)
        };
        if size < 13.0 {
            // Too small for boards: a darker middle and a stroke for the brace.
            let middle = [(0.2, 0.2), (0.8, 0.2), (0.8, 0.8), (0.2, 0.8)];
            geometry.flat(&middle.map(|(u, v)| at(u, v)), base.darker(0.2));
            return geometry.line(at(0.2, 0.2), at(0.8, 0.8), 1.4, frame);
        }

        // The planks behind the frame, along the longer side.
        let thickness = 0.15 * size;
        let (fu, fv) = (thickness / width, thickness / height);
        let along_u = width >= height * 0.999;
        let across = if along_u { height } else { width } - 2.0 * thickness;
        let planks = ((across / (0.24 * size)).round() as u32).clamp(2, 12);
        let detailed = size >= 34.0;
        // From t across the planks and a place along them, both 0 to 1, to a place on the screen.
        let plank_at = |t: f32, along: f32| {
            let (u, v) = if along_u { (along, t) } else { (t, along) };
            at(fu + u * (1.0 - 2.0 * fu), fv + v * (1.0 - 2.0 * fv))
        };
        let share = 1.0 / planks as f32;
        for plank in 0..planks {
            let (low, high) = (plank as f32 * share, (plank + 1) as f32 * share);
            let tone = base.darker(0.10 + 0.16 * grain(index, plank + 2));
            let quad = [(low, 0.0), (low, 1.0), (high, 1.0), (high, 0.0)];
            geometry.flat(&quad.map(|(t, along)| plank_at(t, along)), tone);
        }
        // The gaps between planks, which also hide the hard rims of the flat quads.
        for plank in 1..planks {
            let t = plank as f32 * share;
            geometry.line(plank_at(t, 0.0), plank_at(t, 1.0), 1.3, dark);
        }
        if width.max(height) < 2.2 * size {
            brace(geometry, at, (fu, fv), base, detailed, index);
        }
        // The shadow that the frame casts on the planks.
        let hole = [at(fu, fv), at(1.0 - fu, fv), at(1.0 - fu, 1.0 - fv), at(fu, 1.0 - fv)];
        geometry.outline(&hole, 1.2, dark);
        if detailed {
            self.frame(geometry, at, (fu, fv), panel, frame, thickness);
        }
    }

    /// The seams, lit edges and nails of a crate's frame.
    fn frame(
        &mut self,
        geometry: &mut Geometry,
        at: impl Fn(f32, f32) -> Vec2,
        (fu, fv): (f32, f32),
        panel: [Vec2; 4],
        frame: Color,
        thickness: f32,
    ) {
        let seam = frame.darker(0.42);
        // Where its four boards meet.
        for (u, v) in [(0.0, fv), (0.0, 1.0 - fv)] {
            geometry.line(at(u, v), at(fu, v), 1.1, seam);
            geometry.line(at(1.0 - fu, v), at(1.0, v), 1.1, seam);
        }
        // Each board's outer edge catches the light or lies in shade.
        inset(&panel, 0.9, &mut self.inner);
        let middle = 0.25 * panel.into_iter().sum::<Vec2>();
        for (a, b) in sides(&self.inner) {
            let lit = light(0.5 * (a + b) - middle);
            let color =
                if lit > 0.0 { PAPER.with_alpha(0.5 * lit) } else { INK.with_alpha(-0.3 * lit) };
            geometry.line(a, b, 1.4, color);
        }
        let radius = (0.13 * thickness).min(2.4);
        if radius >= 0.75 {
            for (u, v) in [(0.5 * fu, 0.5 * fv), (1.0 - 0.5 * fu, 0.5 * fv)] {
                for v in [v, 1.0 - v] {
                    geometry.disc(at(u, v), radius, seam.darker(0.25));
                }
            }
        }
    }

    /// A ball with a stripe, so that its rotation can be seen. `turn` is the body's x axis.
    pub(crate) fn ball(
        &mut self,
        geometry: &mut Geometry,
        center: Vec2,
        radius: f32,
        turn: Vec2,
        base: Color,
    ) {
        let width = ball_outline(radius);
        geometry.disc(center, radius, base.darker(0.58));
        let inner = radius - width;
        if inner < 1.0 {
            return;
        }
        geometry.disc(center, inner, base);
        // The stripe: the part of the disc within a third of the radius of the x axis.
        let half = 0.26_f32;
        let steps = ((inner.sqrt() * 1.2) as usize).clamp(2, 10);
        let reach = half.asin();
        self.ring.clear();
        for side in [0.0, std::f32::consts::PI] {
            for i in 0..=steps {
                let angle = side - reach + 2.0 * reach * i as f32 / steps as f32;
                self.ring.push(center + inner * turn.rotate(Vec2::from_angle(angle)));
            }
        }
        geometry.polygon(&self.ring, base.lighter(0.72));
        if inner > 6.0 {
            for offset in [-0.28, 0.28_f32] {
                let reach = inner * (1.0 - offset * offset).sqrt();
                let [a, b] =
                    [-reach, reach].map(|x| center + turn.rotate(Vec2::new(x, offset * inner)));
                geometry.line(a, b, 0.5 * width, base.darker(0.45));
            }
            sheen(geometry, center, inner);
        }
    }

    /// A plain disc with a spoke.
    pub(crate) fn wheel(
        &mut self,
        geometry: &mut Geometry,
        center: Vec2,
        radius: f32,
        turn: Vec2,
        base: Color,
    ) {
        let width = ball_outline(radius);
        let dark = base.darker(0.55);
        geometry.disc(center, radius, dark);
        if radius - width < 1.0 {
            return;
        }
        geometry.disc(center, radius - width, base);
        if radius > 4.0 {
            geometry.line(center, center + (radius - width) * turn, width, dark);
            geometry.disc(center, (0.12 * radius).max(width), dark);
            sheen(geometry, center, radius - width);
        }
    }

    /// A head in profile that looks along `turn`, the body's x axis, or against it.
    pub(crate) fn head(
        &mut self,
        geometry: &mut Geometry,
        center: Vec2,
        radius: f32,
        turn: Vec2,
        face: Face,
    ) {
        let width = ball_outline(radius);
        let Face { skin, hair, left } = face;
        let line = skin.darker(0.6);
        let side = if left { -1.0 } else { 1.0 };
        // In the body's frame with y up and the face at positive x, in radii.
        let at = |x: f32, y: f32| center + radius * turn.rotate(Vec2::new(side * x, -y));
        geometry.disc(at(0.93, -0.1), 0.22 * radius, line);
        geometry.disc(center, radius, line);
        let inner = radius - width;
        if inner < 1.5 {
            return;
        }
        geometry.disc(at(0.93, -0.1), (0.22 * radius - width).max(0.3), skin);
        geometry.disc(center, inner, skin);
        // The hair: the part of the disc above and behind a line from brow to nape.
        let (brow, nape) = (52.0_f32.to_radians(), 218.0_f32.to_radians());
        let steps = 14;
        self.ring.clear();
        for i in 0..=steps {
            let angle = brow + (nape - brow) * i as f32 / steps as f32;
            let arm = 1.02 * Vec2::from_angle(angle);
            self.ring.push(at(arm.x, arm.y));
        }
        if left {
            // The mirror image has its corners the other way round.
            self.ring.reverse();
        }
        geometry.polygon(&self.ring, hair);
        if radius > 6.0 {
            // An ear over the hair line, an eye, a mouth.
            geometry.disc(at(-0.12, -0.08), 0.2 * radius, skin.darker(0.3));
            geometry.disc(at(-0.1, -0.08), 0.15 * radius, skin);
            geometry.disc(at(0.52, 0.14), (0.11 * radius).max(0.9), INK);
            geometry.line(at(0.48, -0.46), at(0.8, -0.42), (0.09 * radius).max(0.9), line);
        }
    }

    /// A limb: a capsule.
    pub(crate) fn limb(
        &mut self,
        geometry: &mut Geometry,
        a: Vec2,
        b: Vec2,
        radius: f32,
        base: Color,
    ) {
        let width = ball_outline(radius);
        geometry.capsule(a, b, radius, base.darker(0.58));
        let inner = radius - width;
        if inner < 0.8 {
            return;
        }
        geometry.capsule(a, b, inner, base);
        if inner > 6.0 {
            // A lit strip along the upper side.
            let normal = (b - a).perp().normalize_or(Vec2::NEG_Y);
            let up = if normal.y > 0.0 { -normal } else { normal };
            let shift = 0.42 * inner * up;
            geometry.capsule(a + shift, b + shift, 0.3 * inner, PAPER.with_alpha(0.16));
        }
    }

    /// A plain polygon: outline, fill, and light on the upper sides.
    pub(crate) fn block(
        &mut self,
        geometry: &mut Geometry,
        outline: &[Vec2],
        scale: f32,
        base: Color,
    ) {
        let width = outline_width(scale);
        geometry.polygon(outline, base.darker(0.58));
        inset(outline, width, &mut self.inner);
        geometry.polygon(&self.inner, base);
        if scale < 22.0 {
            return;
        }
        let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
        inset(outline, width + 0.8, &mut self.ring);
        for (a, b) in sides(&self.ring) {
            let along = b - a;
            let mut normal = along.perp();
            if normal.dot(a - middle) < 0.0 {
                normal = -normal;
            }
            let lit = light(normal);
            let color =
                if lit > 0.0 { PAPER.with_alpha(0.45 * lit) } else { INK.with_alpha(-0.2 * lit) };
            geometry.line(a, b, 1.6, color);
        }
    }

    /// What never moves: darker with depth, hatched, with a rim of light where one could stand.
    pub(crate) fn ground(
        &mut self,
        geometry: &mut Geometry,
        camera: &Camera,
        outline: &[Vec2],
        base: Color,
    ) {
        let scale = camera.scale();
        let top = outline.iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
        let deep = base.darker(0.35);
        geometry.polygon(outline, base);
        let thin = Aabb::around(outline.iter().copied()).size().min_element() < 5.0;
        if thin {
            // A mark or a wire: there is no room for shading, but its rims are to be smooth.
            geometry.outline(outline, 0.8, base);
        }
        if thin || scale < 6.0 {
            return;
        }
        // Depth: strips that darken from the highest corner down, one metre in all.
        let depth = scale.max(24.0);
        geometry.shaded(outline, |p| base.mix(deep, (p.y - top) / depth));
        hatch(geometry, camera, outline, deep.with_alpha(0.35));
        let middle = outline.iter().sum::<Vec2>() / outline.len() as f32;
        let crust = (0.075 * scale).clamp(2.0, 6.0);
        for (a, b) in sides(outline) {
            let mut normal = (b - a).perp().normalize_or_zero();
            if normal.dot(a - middle) < 0.0 {
                normal = -normal;
            }
            if light(normal) > 0.35 {
                // Inside the outline, so that what rests on it touches the light.
                let shift = 0.5 * crust * normal;
                geometry.line(a - shift, b - shift, crust, base.lighter(0.38));
                let rim = (crust + 0.6) * normal;
                geometry.line(a - rim, b - rim, 1.2, deep);
            }
        }
        geometry.outline(outline, 1.2, base.darker(0.6));
    }
}

/// Width of the outline of round figures, px.
fn ball_outline(radius: f32) -> f32 {
    (0.11 * radius).clamp(0.8, 2.4)
}

/// A soft light on the upper left of a round figure.
fn sheen(geometry: &mut Geometry, center: Vec2, radius: f32) {
    let at = center + radius * Vec2::new(-0.34, -0.42);
    geometry.disc(at, 0.26 * radius, PAPER.with_alpha(0.28));
}

/// The board across a crate from one corner of the frame to the other.
fn brace(
    geometry: &mut Geometry,
    at: impl Fn(f32, f32) -> Vec2,
    (fu, fv): (f32, f32),
    base: Color,
    detailed: bool,
    index: u32,
) {
    let t = 0.16;
    let flip = grain(index, 40) > 0.5;
    let place = |u: f32, v: f32| {
        let u = if flip { 1.0 - u } else { u };
        at(fu + u * (1.0 - 2.0 * fu), fv + v * (1.0 - 2.0 * fv))
    };
    let board = [(0.0, 0.0), (t, 0.0), (1.0, 1.0 - t), (1.0, 1.0), (1.0 - t, 1.0), (0.0, t)];
    let board = board.map(|(u, v)| place(u, v));
    geometry.polygon(&board, base.lighter(0.06));
    if detailed {
        for [a, b] in [[1, 2], [4, 5]] {
            geometry.line(board[a], board[b], 1.3, base.darker(0.5));
        }
    }
}

/// Slanting lines half a metre apart, clipped to a convex outline.
fn hatch(geometry: &mut Geometry, camera: &Camera, outline: &[Vec2], color: Color) {
    let scale = camera.scale();
    let spacing = 0.35 * scale * if scale < 25.0 { 2.0 } else { 1.0 };
    // Lines of constant x + y; the origin of the world keeps them in place while the camera moves.
    let origin = camera.to_screen(Vec2::ZERO);
    let offset = |p: Vec2| (p.x - origin.x) + (p.y - origin.y);
    let screen = camera.screen();
    let (least, most) = outline
        .iter()
        .map(|&p| offset(p))
        .fold((f32::MAX, f32::MIN), |(l, m), o| (l.min(o), m.max(o)));
    // No need for what is off the screen.
    let least = least.max(offset(Vec2::ZERO));
    let most = most.min(offset(screen));
    let mut k = (least / spacing).ceil();
    while k * spacing < most {
        let mut ends = [Vec2::ZERO; 2];
        let mut found = 0;
        for (a, b) in sides(outline) {
            let (da, db) = (offset(a) - k * spacing, offset(b) - k * spacing);
            if (da < 0.0) != (db < 0.0) && found < 2 {
                ends[found] = a.lerp(b, da / (da - db));
                found += 1;
            }
        }
        if found == 2 {
            geometry.line(ends[0], ends[1], 1.0, color);
        }
        k += 1.0;
    }
}
