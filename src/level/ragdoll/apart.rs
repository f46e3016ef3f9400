//! Which parts of a ragdoll never collide, where the others do.
//!
//! A person seen from the side has arms before its trunk and one leg before the other, so not all
//! parts can collide with all. Never do those that a joint holds together, those that hang on the
//! same part, and those that lie inside each other at the start.

use crate::math::{Rot, Vec2};
use crate::scene::{BodyDef, JointDef, Shape};

/// The pairs of parts, by their ids, that never collide.
pub(super) fn pairs(bodies: &[BodyDef], joints: &[JointDef]) -> Vec<(String, String)> {
    let parent =
        |id: &str| joints.iter().find(|def| def.b.as_deref() == Some(id)).map(|def| &def.a);
    let mut pairs = Vec::new();
    for (k, first) in bodies.iter().enumerate() {
        for second in &bodies[k + 1..] {
            let of = [parent(&first.id), parent(&second.id)];
            let joined = of[0] == Some(&second.id) || of[1] == Some(&first.id);
            let siblings = of[0].is_some() && of[0] == of[1];
            if joined || siblings || overlap(first, second) {
                pairs.push((first.id.clone(), second.id.clone()));
            }
        }
    }
    pairs
}

/// Whether two parts lie inside each other.
fn overlap(a: &BodyDef, b: &BodyDef) -> bool {
    let ((a, radius_a), (b, radius_b)) = (spine(a), spine(b));
    distance(a, b) < radius_a + radius_b
}

/// The line between the centres of a part's two caps, and their radius.
fn spine(def: &BodyDef) -> ([Vec2; 2], f32) {
    let (length, radius) = match def.shape {
        Shape::Capsule { length, radius } => (length, radius),
        Shape::Disc { radius } => (0.0, radius),
        // A ragdoll has no other parts.
        _ => (0.0, 0.0),
    };
    let half = Rot::from_radians(def.angle).apply(Vec2::new(0.5 * length, 0.0));
    ([def.position - half, def.position + half], radius)
}

/// The distance between two straight lines.
fn distance(a: [Vec2; 2], b: [Vec2; 2]) -> f32 {
    let side = |line: [Vec2; 2], at: Vec2| (line[1] - line[0]).perp_dot(at - line[0]);
    let parted =
        |line: [Vec2; 2], other: [Vec2; 2]| side(line, other[0]) * side(line, other[1]) < 0.0;
    if parted(a, b) && parted(b, a) {
        return 0.0;
    }
    let to = |line: [Vec2; 2], at: Vec2| {
        let along = line[1] - line[0];
        let t = (at - line[0]).dot(along) / along.length_squared().max(1e-12);
        at.distance(line[0] + t.clamp(0.0, 1.0) * along)
    };
    to(a, b[0]).min(to(a, b[1])).min(to(b, a[0])).min(to(b, a[1]))
}
