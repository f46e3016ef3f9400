//! The scene at an instant as inline SVG, from the outlines of the world: what a solver made of a
//! body is what is drawn.
//!
//! The pieces of a body are one path whose stroke lies under its fill, so that no seam shows
//! between them. A piece with a radius is the line along its points, that wide, with round ends.
//! Bodies have the colours of the level on a sky of their own, whatever the page looks like.

use std::fmt::Write as _;

use maud::{Markup, html};

use crate::math::{Aabb, Vec2};
use crate::scene::{JointKind, View};
use crate::world::{Body, Model, World};

/// Size of a picture in its own units.
const SIZE: Vec2 = Vec2::new(480.0, 300.0);
/// The darkest colour, of outlines.
const INK: [u8; 3] = [0x1c, 0x24, 0x31];
/// Width of the outline of bodies.
const OUTLINE: f32 = 1.2;
/// The colour of cords, rods and springs between bodies.
const CORD: &str = "#6b5a42";
/// Below this many units a radius is only a line.
const THIN: f32 = 1.5;

/// Metres to units of the picture.
struct Frame {
    center: Vec2,
    scale: f32,
}

impl Frame {
    fn new(view: View) -> Self {
        let height = if view.height > 0.0 && view.height.is_finite() { view.height } else { 12.0 };
        let center = if view.center.is_finite() { view.center } else { Vec2::ZERO };
        Self { center, scale: SIZE.y / height }
    }

    fn place(&self, world: Vec2) -> Vec2 {
        let offset = self.scale * (world - self.center);
        0.5 * SIZE + Vec2::new(offset.x, -offset.y)
    }
}

/// The world as the level wants it to be seen.
pub(super) fn scene(world: &World, view: View, label: &str) -> Markup {
    let frame = Frame::new(view);
    let mut order: Vec<&Body> = world.model.bodies.iter().collect();
    // Stable: of one layer, later bodies are over earlier ones.
    order.sort_by_key(|body| body.look.layer);
    html! {
        svg class="scene" viewBox=(format!("0 0 {} {}", SIZE.x, SIZE.y)) role="img" aria-label=(label) {
            @if let Some(cords) = cords(world, &frame) {
                path d=(cords) fill="none" stroke=(CORD) stroke-width="1.5" {}
            }
            @for body in order { (figure(&world.model, body, &world.state.position, &frame)) }
        }
    }
}

/// What spans a distance between bodies; a pin or a slider is inside them.
fn cords(world: &World, frame: &Frame) -> Option<String> {
    let mut path = String::new();
    for joint in &world.model.joints {
        let ends = [joint.a.sample(&world.state.position), joint.b.position(&world.state.position)];
        let [a, b] = ends;
        match joint.kind {
            JointKind::Distance { .. } => line(&mut path, [a, b].map(|end| frame.place(end))),
            JointKind::Pulley { over: [c, d], .. } => {
                line(&mut path, [a, c, d, b].map(|end| frame.place(end)));
            }
            _ => {}
        }
    }
    (!path.is_empty()).then_some(path)
}

/// One body.
fn figure(model: &Model, body: &Body, positions: &[Vec2], frame: &Frame) -> Markup {
    let screen = Aabb { min: Vec2::ZERO, max: SIZE };
    let fill = hex(body.look.color);
    let dark = hex(mixed(body.look.color, INK, 0.58));
    // Pieces by their radius: those of one radius are one path.
    let mut layers: Vec<(f32, String)> = Vec::new();
    let mut spokes = String::new();
    for piece in model.pieces_of(body) {
        let corners =
            model.outline(piece).iter().map(|&point| frame.place(positions[point as usize]));
        let corners: Vec<Vec2> = corners.collect();
        let radius = piece.radius * frame.scale;
        let bounds = Aabb::around(corners.iter().copied()).grown(radius + OUTLINE);
        if !bounds.overlaps(screen) || !corners.iter().all(|corner| corner.is_finite()) {
            continue;
        }
        if !layers.iter().any(|(of, _)| *of == radius) {
            layers.push((radius, String::new()));
        }
        let Some((_, path)) = layers.iter_mut().find(|(of, _)| *of == radius) else { continue };
        match corners[..] {
            [center] => {
                // A line of no length with round ends is a disc.
                line(path, [center, center]);
                let rim = piece.frame.map(|frame_points| positions[frame_points[0] as usize]);
                if let Some(rim) = rim.filter(|_| radius > 4.0) {
                    line(&mut spokes, [center, center.lerp(frame.place(rim), 0.8)]);
                }
            }
            _ => {
                line(path, corners.iter().copied());
                if corners.len() > 2 {
                    path.push('Z');
                }
            }
        }
    }
    html! {
        @for (radius, path) in &layers {
            @let width = 2.0 * radius;
            @if *radius <= 0.0 {
                path d=(path) fill=(fill) stroke=(dark) stroke-width=(OUTLINE) class="solid" {}
            } @else if *radius < THIN {
                path d=(path) fill=(fill) stroke=(dark) stroke-width=(number(width.max(1.4))) class="round" {}
            } @else {
                path d=(path) fill=(dark) stroke=(dark) stroke-width=(number(width)) class="round" {}
                path d=(path) fill=(fill) stroke=(fill) stroke-width=(number(width - 2.0 * OUTLINE)) class="round" {}
            }
        }
        @if !spokes.is_empty() {
            path d=(spokes) fill="none" stroke=(dark) stroke-width=(OUTLINE) class="round" {}
        }
    }
}

/// Adds a line through places of the picture to a path.
fn line(path: &mut String, places: impl IntoIterator<Item = Vec2>) {
    for (index, place) in places.into_iter().enumerate() {
        let command = if index == 0 { 'M' } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{} {}", number(place.x), number(place.y));
    }
}

/// A coordinate to a tenth of a unit, within what drawing programs can count to.
fn number(value: f32) -> String {
    let text = format!("{:.1}", value.clamp(-1e6, 1e6));
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The colour `part` of the way from one to another.
fn mixed(from: [u8; 3], to: [u8; 3], part: f32) -> [u8; 3] {
    std::array::from_fn(|i| {
        let (from, to) = (f32::from(from[i]), f32::from(to[i]));
        (from + part * (to - from)).round() as u8
    })
}

fn hex([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};

    #[test]
    fn bodies_in_sight_are_drawn_in_their_colours_and_layers() {
        let mut scene = Scene::default();
        let body = |id: &str, shape, at| BodyDef::new(id, shape, at);
        let mut front = body("front", Shape::Disc { radius: 1.0 }, Vec2::new(0.0, 4.0));
        front.look.layer = 1;
        front.look.color = [0xaa, 0xbb, 0xcc];
        let behind = body("box", Shape::Box { size: Vec2::ONE }, Vec2::new(1.0, 4.0));
        let far = body("far", Shape::Box { size: Vec2::ONE }, Vec2::new(500.0, 0.0));
        scene.bodies = vec![front, behind, far];
        let world = World::build(&scene).unwrap();
        let text = super::scene(&world, View::default(), "x").into_string();
        assert!(text.find("#b5793a").unwrap() < text.find("#aabbcc").unwrap(), "{text}");
        // The box, the disc's rim and inside, its spoke.
        assert_eq!(text.matches("<path").count(), 4, "{text}");
    }

    #[test]
    fn nothing_and_nonsense_are_drawn() {
        let view = View { center: Vec2::NAN, height: f32::NAN };
        assert!(super::scene(&World::default(), view, "<b>").into_string().contains("&lt;b&gt;"));
        let mut scene = Scene::default();
        scene.bodies.push(BodyDef::new("a", Shape::Box { size: Vec2::ONE }, Vec2::ZERO));
        let mut world = World::build(&scene).unwrap();
        world.state.position[1] = Vec2::NAN;
        let text = super::scene(&world, View::default(), "x").into_string();
        assert!(!text.contains("NaN"), "{text}");
    }
}
