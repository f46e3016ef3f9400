//! Figures of bodies: from keys to a [`Shape`], with every size checked.
//!
//! What [`World::build`](crate::World::build) refuses is refused here already, where the line of
//! the file is known.

use super::decode::Pair;
use super::diagnostic::Report;
use super::format::{BoxKeys, CapsuleKeys, DiscKeys, PolygonKeys, StaticKeys};
use super::tree::Place;
use crate::math::{Aabb, NotConvex, Vec2, convex_outline};
use crate::scene::Shape;

/// Reads keys of one type of item as a shape; `item` is where they stand.
pub(super) trait Figure {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape>;
}

impl Figure for BoxKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        rectangle(self.size, &item.key("size"), report)
    }
}

impl Figure for PolygonKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        polygon(&self.vertices, &item.key("vertices"), report)
    }
}

impl Figure for DiscKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        let radius = positive("radius", self.radius, &item.key("radius"), report)?;
        Some(Shape::Disc { radius })
    }
}

impl Figure for CapsuleKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        let length = positive("length", self.length, &item.key("length"), report);
        let radius = positive("radius", self.radius, &item.key("radius"), report);
        Some(Shape::Capsule { length: length?, radius: radius? })
    }
}

impl Figure for StaticKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        let Self { r#box: size, polygon: vertices, disc, capsule } = self;
        match (size, vertices, disc, capsule) {
            (Some(size), None, None, None) => rectangle(size, &item.key("box"), report),
            (None, Some(vertices), None, None) => polygon(&vertices, &item.key("polygon"), report),
            (None, None, Some(radius), None) => {
                let radius = positive("radius", radius, &item.key("disc"), report)?;
                Some(Shape::Disc { radius })
            }
            (None, None, None, Some(keys)) => keys.shape(&item.key("capsule"), report),
            _ => {
                let keys = ["box", "polygon", "disc", "capsule"];
                let given = keys.iter().filter(|key| item.has(key)).count();
                // A key that is there but could not be read has been reported.
                if given != 1 {
                    let message = "a static item needs exactly one shape";
                    let help = "give it one of box, polygon, disc, capsule";
                    report.error_with_help(item, message, help);
                }
                None
            }
        }
    }
}

/// `value` if it is a size a shape can have.
pub(super) fn positive(
    name: &str,
    value: f32,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<f32> {
    if value >= Shape::LEAST_SIZE {
        return Some(value);
    }
    let message = if value > 0.0 {
        format!("{name} {value} is too small: at least {} m", Shape::LEAST_SIZE)
    } else {
        format!("{name} {value} must be positive")
    };
    report.error(place, message);
    None
}

fn rectangle(size: Pair<f32>, place: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let width = positive("width", size.0, &place.index(0), report);
    let height = positive("height", size.1, &place.index(1), report);
    Some(Shape::Box { size: Vec2::new(width?, height?) })
}

/// A convex polygon. A clockwise outline is turned round.
fn polygon(vertices: &[Pair<f32>], place: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
    let count = vertices.len();
    if !(3..=Shape::MOST_VERTICES).contains(&count) {
        let message = format!("a polygon has 3 to {} vertices, not {count}", Shape::MOST_VERTICES);
        report.error(place, message);
        return None;
    }
    let outline: Vec<Vec2> = vertices.iter().map(|&vertex| vertex.into()).collect();
    match convex_outline(&outline, Shape::LEAST_SIZE * Shape::LEAST_SIZE) {
        Ok(vertices) => return Some(Shape::Polygon { vertices }),
        Err(NotConvex::NoArea) if lie_on_a_line(&outline) => {
            report.error(place, "the polygon has no area: its vertices lie on a line");
        }
        Err(NotConvex::NoArea) => {
            let help = "list the vertices in the order of the outline";
            report.error_with_help(place, "the outline crosses itself", help);
        }
        Err(NotConvex::At(index)) => {
            let message = format!("the polygon is not convex at vertex {index}");
            let help = "split a concave outline into convex polygons, and leave out vertices on a \
                        straight side";
            report.error_with_help(&place.index(index), message, help);
        }
        Err(NotConvex::Winds) => {
            let help = "list the vertices in the order of the outline";
            report.error_with_help(place, "the outline winds around more than once", help);
        }
    }
    None
}

/// Whether points have no area between them, whatever their order.
fn lie_on_a_line(points: &[Vec2]) -> bool {
    let first = points.first().copied().unwrap_or_default();
    let distance = |point: &&Vec2| point.distance_squared(first);
    let farthest = points.iter().max_by(|a, b| distance(a).total_cmp(&distance(b)));
    let along = farthest.map_or(Vec2::ZERO, |point| *point - first);
    let least = Shape::LEAST_SIZE * Shape::LEAST_SIZE;
    points.iter().all(|point| along.perp_dot(*point - first).abs() <= least)
}

/// A figure mirrored about the y axis or not, and scaled. `None` if that leaves too little of it.
pub(super) fn transformed(shape: &Shape, mirrored: bool, scale: f32) -> Option<Shape> {
    let fits = |length: f32| length >= Shape::LEAST_SIZE;
    Some(match shape {
        Shape::Box { size } => {
            let size = scale * *size;
            fits(size.min_element()).then_some(Shape::Box { size })?
        }
        Shape::Disc { radius } => {
            let radius = scale * radius;
            fits(radius).then_some(Shape::Disc { radius })?
        }
        Shape::Capsule { length, radius } => {
            let (length, radius) = (scale * length, scale * radius);
            fits(length.min(radius)).then_some(Shape::Capsule { length, radius })?
        }
        Shape::Polygon { vertices } => {
            let side = if mirrored { Vec2::new(-scale, scale) } else { Vec2::splat(scale) };
            let outline: Vec<Vec2> = vertices.iter().map(|vertex| side * *vertex).collect();
            let vertices = convex_outline(&outline, Shape::LEAST_SIZE * Shape::LEAST_SIZE).ok()?;
            Shape::Polygon { vertices }
        }
        Shape::Mesh(mesh) => Shape::Mesh(mesh.clone().transformed(mirrored, scale)),
    })
}

/// The box around a shape in its own frame.
pub(super) fn extent(shape: &Shape) -> Aabb {
    let half = |x: f32, y: f32| Aabb { min: -Vec2::new(x, y), max: Vec2::new(x, y) };
    match shape {
        Shape::Box { size } => half(0.5 * size.x, 0.5 * size.y),
        Shape::Polygon { vertices } => Aabb::around(vertices.iter().copied()),
        Shape::Disc { radius } => half(*radius, *radius),
        Shape::Capsule { length, radius } => half(0.5 * length + radius, *radius),
        Shape::Mesh(mesh) => {
            Aabb::around(mesh.points.iter().map(|point| point.position)).grown(mesh.radius)
        }
    }
}

/// How many points a shape becomes.
pub(super) fn point_count(shape: &Shape) -> usize {
    match shape {
        Shape::Box { .. } => 5,
        Shape::Polygon { vertices } => vertices.len() + 1,
        Shape::Disc { .. } | Shape::Capsule { .. } => 4,
        Shape::Mesh(mesh) => mesh.points.len(),
    }
}
