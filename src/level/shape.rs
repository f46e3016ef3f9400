//! Figures of bodies: from keys to a [`Shape`], with every size checked.
//!
//! What [`World::build`](crate::World::build) refuses is refused here already, where the line of
//! the file is known.

use super::decode::Pair;
use super::diagnostic::Report;
use super::format::{BoxKeys, CapsuleKeys, DiscKeys, PolygonKeys, StaticKeys};
use super::tree::Place;
use crate::math::{Aabb, Rot, Vec2};
use crate::outline::{self, NotOutline, simple_outline};
use crate::scene::{Part, Shape};

/// Reads keys of one type of item as a shape; `item` is where they stand.
pub(super) trait Figure {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape>;
}

impl Figure for BoxKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        rectangle(self.size, self.rounding, ["size", "rounding"], item, report)
    }
}

impl Figure for PolygonKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        polygon(&self.vertices, self.rounding, ["vertices", "rounding"], item, report)
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
            (Some(size), None, None, None) => rectangle(size, None, ["box", ""], item, report),
            (None, Some(vertices), None, None) => {
                polygon(&vertices, None, ["polygon", ""], item, report)
            }
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

/// A rectangle, perhaps with round corners. `keys` are those of its size and its rounding.
pub(super) fn rectangle(
    size: Pair<f32>,
    rounding: Option<f32>,
    keys: [&str; 2],
    item: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Shape> {
    let place = item.key(keys[0]);
    let width = positive("width", size.0, &place.index(0), report);
    let height = positive("height", size.1, &place.index(1), report);
    let size = Vec2::new(width?, height?);
    let Some(radius) = rounding else { return Some(Shape::Box { size }) };
    let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
    let corners = corners.map(|(x, y)| 0.5 * size * Vec2::new(x, y)).to_vec();
    rounded(corners, radius, &item.key(keys[1]), report)
}

/// A polygon, perhaps with round corners. A clockwise outline is turned round. `keys` are those of
/// its outline and its rounding.
pub(super) fn polygon(
    vertices: &[Pair<f32>],
    rounding: Option<f32>,
    keys: [&str; 2],
    item: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Shape> {
    let place = &item.key(keys[0]);
    let count = vertices.len();
    if !(3..=Shape::MOST_VERTICES).contains(&count) {
        let message = format!("a polygon has 3 to {} vertices, not {count}", Shape::MOST_VERTICES);
        report.error(place, message);
        return None;
    }
    let outline: Vec<Vec2> = vertices.iter().map(|&vertex| vertex.into()).collect();
    let in_order = "list the vertices in the order of the outline";
    match simple_outline(&outline, Shape::LEAST_SIZE) {
        Ok(vertices)
            if outline::convex_pieces(&vertices).is_none()
                || (rounding.is_none() && outline::is_thin(&vertices, Shape::LEAST_SIZE)) =>
        {
            let help = "make it wider, or leave out vertices that are very close to each other";
            report.error_with_help(place, "the outline is too thin to be a solid", help);
        }
        Ok(vertices) => {
            return match rounding {
                None => Some(Shape::Polygon { vertices }),
                Some(radius) => rounded(vertices, radius, &item.key(keys[1]), report),
            };
        }
        Err(NotOutline::NoArea) if lie_on_a_line(&outline) => {
            report.error(place, "the polygon has no area: its vertices lie on a line");
        }
        Err(NotOutline::NoArea) => {
            report.error_with_help(place, "the outline crosses itself", in_order);
        }
        Err(NotOutline::Winds) => {
            let message = "the outline winds around more than once";
            report.error_with_help(place, message, in_order);
        }
        Err(NotOutline::Crosses(a, b)) => {
            let message = format!("the outline crosses itself: side {a} meets side {b}");
            report.error_with_help(&place.index(b), message, in_order);
        }
        Err(NotOutline::Repeats(a, b)) => {
            let message = format!("vertices {a} and {b} are at the same place");
            report.error_with_help(&place.index(b), message, "leave one of the two out");
        }
        Err(NotOutline::TurnsBack(index)) => {
            let message = format!("the outline turns back at vertex {index}");
            report.error_with_help(&place.index(index), message, in_order);
        }
    }
    None
}

/// A checked outline with round corners.
fn rounded(
    vertices: Vec<Vec2>,
    radius: f32,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Shape> {
    let radius = positive("rounding", radius, place, report)?;
    if !can_round(&vertices, radius) {
        let message = format!("rounding {radius} is too large: a side has no straight part left");
        let help = "use less than half of what is thinnest";
        report.error_with_help(place, message, help);
        return None;
    }
    Some(Shape::Rounded { vertices, radius })
}

/// Whether an outline has a core after rounding.
fn can_round(vertices: &[Vec2], radius: f32) -> bool {
    radius >= Shape::LEAST_SIZE
        && outline::inset(vertices, radius, Shape::LEAST_SIZE)
            .is_some_and(|core| outline::convex_pieces(&core).is_some())
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
            Shape::Polygon { vertices: outlined(vertices, mirrored, scale)? }
        }
        Shape::Rounded { vertices, radius } => {
            let (vertices, radius) = (outlined(vertices, mirrored, scale)?, scale * radius);
            can_round(&vertices, radius).then_some(Shape::Rounded { vertices, radius })?
        }
        Shape::Compound { parts } => {
            let side = if mirrored { Vec2::new(-scale, scale) } else { Vec2::splat(scale) };
            let part = |part: &Part| {
                let angle = if mirrored { -part.angle } else { part.angle };
                let shape = transformed(&part.shape, mirrored, scale)?;
                Some(Part { shape, at: side * part.at, angle, density: part.density })
            };
            Shape::Compound { parts: parts.iter().map(part).collect::<Option<_>>()? }
        }
        Shape::Mesh(mesh) => Shape::Mesh(mesh.clone().transformed(mirrored, scale)),
    })
}

/// An outline mirrored about the y axis or not, and scaled.
fn outlined(vertices: &[Vec2], mirrored: bool, scale: f32) -> Option<Vec<Vec2>> {
    let side = if mirrored { Vec2::new(-scale, scale) } else { Vec2::splat(scale) };
    let outline: Vec<Vec2> = vertices.iter().map(|vertex| side * *vertex).collect();
    let outline = simple_outline(&outline, Shape::LEAST_SIZE).ok()?;
    outline::convex_pieces(&outline).is_some().then_some(outline)
}

/// The box around a shape in its own frame.
pub(super) fn extent(shape: &Shape) -> Aabb {
    let half = |x: f32, y: f32| Aabb { min: -Vec2::new(x, y), max: Vec2::new(x, y) };
    match shape {
        Shape::Box { size } => half(0.5 * size.x, 0.5 * size.y),
        Shape::Polygon { vertices } | Shape::Rounded { vertices, .. } => {
            Aabb::around(vertices.iter().copied())
        }
        Shape::Compound { parts } => parts.iter().fold(Aabb::EMPTY, |all, part| {
            let Aabb { min, max } = extent(&part.shape);
            let rot = Rot::from_radians(part.angle);
            let corners = [min, max, Vec2::new(min.x, max.y), Vec2::new(max.x, min.y)];
            all.union(Aabb::around(corners.map(|corner| part.at + rot.apply(corner))))
        }),
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
        Shape::Rounded { vertices, .. } => vertices.len() + 3,
        Shape::Compound { parts } => parts.iter().map(|part| point_count(&part.shape)).sum(),
        Shape::Disc { .. } | Shape::Capsule { .. } => 4,
        Shape::Mesh(mesh) => mesh.points.len(),
    }
}
