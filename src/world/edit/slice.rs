//! Slicing a rigid body along a line.
//!
//! The outline is cut by the line (Sutherland, Hodgman, “Reentrant Polygon Clipping”, 1974), and each
//! side becomes a polygon with the frame and masses of its own (`world/mass.rs`). What is round is
//! first taken as a polygon of many sides, with its density raised so that the mass stays.

use crate::math::{Vec2, cross, hull, polygon_moments};
use crate::scene::{BodyDef, Shape};
use crate::world::build::placed_shape;
use crate::world::parts::Parts;
use crate::world::{Motion, Pose, World};

/// The sides of a full circle.
const ROUND_SIDES: usize = 24;
/// Less than this part of the area is no body of its own.
const LEAST_PART: f32 = 1e-3;

/// A line in the plane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) at: Vec2,
    /// Unit vector to the left of it.
    pub(super) normal: Vec2,
}

impl Line {
    /// The distance of a place from the line, positive on its left.
    pub(super) fn height(&self, at: Vec2) -> f32 {
        (at - self.at).dot(self.normal)
    }
}

/// The two sides, right and left, of a rigid body of one piece, or `None` where the line misses it.
pub(super) fn slice(world: &World, parts: &Parts, line: Line) -> Option<[Parts; 2]> {
    let body = &world.model.bodies[world.model.by_id.get(&parts.id).copied()? as usize];
    let pose = world.model.pose(body, &world.state.position);
    let motion = world.model.motion(body, &world.state.position, &world.state.velocity);
    let outline = outline(parts, pose)?;
    let whole = polygon_moments(&outline).area;
    let right = Line { at: line.at, normal: -line.normal };
    let sides = [right, line].map(|line| clip(&outline, line));
    if sides.iter().any(|side| side.len() < 3 || polygon_moments(side).area < LEAST_PART * whole) {
        return None;
    }
    let density = parts.mass() / whole;
    let [first, second] = sides.map(|side| half(parts, side, density, pose, motion));
    Some([first?, second?])
}

/// The outline of the body in the world, counter-clockwise.
fn outline(parts: &Parts, pose: Pose) -> Option<Vec<Vec2>> {
    let piece = parts.pieces.first()?;
    let at = |&i: &u32| pose.apply(parts.points[i as usize].rest);
    let corners: Vec<Vec2> = piece.points.iter().map(at).collect();
    if piece.radius == 0.0 {
        return Some(corners);
    }
    // The core and a circle about each corner: their hull is the rounded outline.
    let circle = (0..ROUND_SIDES).map(|k| {
        let angle = std::f32::consts::TAU * k as f32 / ROUND_SIDES as f32;
        piece.radius * Vec2::new(libm::cosf(angle), libm::sinf(angle))
    });
    let around: Vec<Vec2> =
        corners.iter().flat_map(|&corner| circle.clone().map(move |r| corner + r)).collect();
    Some(corners_of(&around))
}

/// The convex hull, counter-clockwise, without corners that hardly turn or lie next to each other.
fn corners_of(points: &[Vec2]) -> Vec<Vec2> {
    let turns = |a: Vec2, b: Vec2, c: Vec2| {
        let (along, next) = (b - a, c - b);
        cross(along, next) > 1e-4 * along.length() * next.length()
            && next.length() > Shape::LEAST_SIZE
    };
    hull(points, turns).into_iter().map(|corner| points[corner as usize]).collect()
}

/// The part of an outline on the left of a line.
fn clip(outline: &[Vec2], line: Line) -> Vec<Vec2> {
    let mut kept = Vec::with_capacity(outline.len() + 1);
    for (k, &to) in outline.iter().enumerate() {
        let from = outline[(k + outline.len() - 1) % outline.len()];
        let (before, now) = (line.height(from), line.height(to));
        if (before < 0.0) != (now < 0.0) {
            kept.push(from.lerp(to, before / (before - now)));
        }
        if now >= 0.0 {
            kept.push(to);
        }
    }
    // Corners next to each other or on a straight side are no corners of a polygon.
    corners_of(&kept)
}

/// One side as a body that moves as the whole did.
fn half(
    whole: &Parts,
    outline: Vec<Vec2>,
    density: f32,
    pose: Pose,
    motion: Motion,
) -> Option<Parts> {
    let vertices = outline.iter().map(|&at| pose.unapply(at)).collect();
    let mut def = BodyDef::new(whole.id.clone(), Shape::Polygon { vertices }, pose.center);
    def.material = whole.material;
    def.material.density = density;
    let mut half = placed_shape(&def).ok()?;
    for point in &mut half.points {
        // The frame is laid out unrotated about the old centre; the pose turns it.
        point.position = pose.apply(point.position - pose.center);
        point.velocity = motion.at(point.position - pose.center);
    }
    Some(Parts {
        filter: whole.filter,
        look: whole.look,
        material: whole.material,
        strength: whole.strength,
        ..half
    })
}
