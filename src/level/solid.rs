//! Figures of bodies beyond the plain ones: terrain, and bodies of many parts.

use schemars::JsonSchema;
use serde::Deserialize;

use super::decode::Pair;
use super::diagnostic::{Report, ticked};
use super::shape::{Figure, polygon, positive, rectangle};
use super::tree::Place;
use crate::math::Vec2;
use crate::scene::{Course, Part, Shape, Terrain, TerrainFault};

/// How far ground reaches down below its lowest point unless it says otherwise, m.
const USUAL_DEPTH: f32 = 5.0;

/// `terrain`: `points`, or `heights` and `spacing`; ground, or with a `thickness` a line.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TerrainKeys {
    /// The course of the surface, m from `at`: 2 to 4096 points. Those of ground run from left to
    /// right; a line may run anywhere.
    #[schemars(length(min = 2, max = 4096))]
    points: Option<Vec<Pair<f32>>>,
    /// Heights of the surface from left to right, m above `at`, instead of `points`.
    #[schemars(length(min = 2, max = 4096))]
    heights: Option<Vec<f32>>,
    /// Between two heights, m.
    #[schemars(range(min = 0.0001, max = 1e6), extend("default" = 1))]
    spacing: Option<f32>,
    /// How far the ground reaches down below its lowest point, m.
    #[schemars(range(min = 0.0002, max = 1e6), extend("default" = USUAL_DEPTH))]
    depth: Option<f32>,
    /// Makes it a line of this thickness with both sides open, not ground, m.
    #[schemars(range(min = 0.0002, max = 1e6))]
    thickness: Option<f32>,
}

impl Figure for TerrainKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        let (key, points) = match (self.points, self.heights) {
            (Some(points), None) => {
                if self.spacing.is_some() {
                    let help = "`spacing` goes with `heights`; leave it out";
                    report.error_with_help(&item.key("spacing"), "points have no spacing", help);
                    return None;
                }
                ("points", points.into_iter().map(Into::into).collect())
            }
            (None, Some(heights)) => {
                let spacing = self.spacing.unwrap_or(1.0);
                let spacing = positive("spacing", spacing, &item.key("spacing"), report)?;
                ("heights", Terrain::of_heights(&heights, spacing, USUAL_DEPTH).points)
            }
            _ => {
                // A key that is there but could not be read has been reported.
                if item.has("points") == item.has("heights") {
                    let help = "give it `points`, or `heights` and `spacing`";
                    report.error_with_help(item, "terrain needs exactly one course", help);
                }
                return None;
            }
        };
        let course = match (self.depth, self.thickness) {
            (depth, None) => Course::Ground(depth.unwrap_or(USUAL_DEPTH)),
            (None, Some(thickness)) => Course::Line(thickness),
            (Some(_), Some(_)) => {
                let help = "leave out `depth` for a line, `thickness` for ground";
                let place = item.key("thickness");
                report.error_with_help(&place, "terrain is either ground or a line", help);
                return None;
            }
        };
        let terrain = Terrain { points, course };
        terrain.shape().map_err(|fault| terrain_fault(fault, key, &terrain, item, report)).ok()
    }
}

fn terrain_fault(
    fault: TerrainFault,
    key: &str,
    terrain: &Terrain,
    item: &Place<'_>,
    report: &mut Report<'_>,
) {
    let place = item.key(key);
    match fault {
        TerrainFault::Count(count) => {
            let most = Terrain::MOST_POINTS;
            report.error(&place, format!("terrain has 2 to {most} {key}, not {count}"));
        }
        TerrainFault::Backwards(index) => {
            let message = format!("point {index} is not to the right of the one before it");
            let help = "list the points of ground from left to right, or give a line a `thickness`";
            report.error_with_help(&place.index(index), message, help);
        }
        TerrainFault::Repeats(index) => {
            let message = format!("point {index} is at the same place as the one before it");
            report.error_with_help(&place.index(index), message, "leave one of the two out");
        }
        TerrainFault::Far(index) => {
            report.error(&place.index(index), format!("point {index} is too far away"));
        }
        TerrainFault::Size(size) => {
            let name = match terrain.course {
                Course::Ground(_) => "depth",
                Course::Line(_) => "thickness",
            };
            report
                .error(&item.key(name), format!("{name} {size} must be positive, at least 0.2 mm"));
        }
    }
}

/// `body`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BodyKeys {
    /// The shapes it is made of, 1 to 64, each where it is in the body. Where two overlap, it is as
    /// heavy as both.
    #[schemars(length(min = 1, max = 64))]
    parts: Vec<PartKeys>,
}

/// An entry of `parts`.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PartKeys {
    /// What figure this part is.
    r#type: PartType,
    /// Of a box: width and height, m.
    #[schemars(with = "Option<super::schema::Size>")]
    size: Option<Pair<f32>>,
    /// Of a polygon: the outline in order, m from `at`, 3 to 64 vertices.
    #[schemars(length(min = 3, max = 64))]
    vertices: Option<Vec<Pair<f32>>>,
    /// Of a disc or a capsule: radius, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    radius: Option<f32>,
    /// Of a capsule: between the centres of the two round ends, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    length: Option<f32>,
    /// Of a box or a polygon: radius of its convex corners, m.
    #[schemars(range(min = 0.0001, max = 1e6))]
    rounding: Option<f32>,
    /// Where its middle is in the body, m; of a polygon its own origin.
    #[schemars(extend("default" = [0, 0]))]
    at: Option<Pair<f32>>,
    /// Rotation about that, degrees counter-clockwise.
    #[schemars(extend("default" = 0))]
    angle: Option<f32>,
    /// Mass per volume, kg/m³; that of the body if it is left out.
    #[schemars(range(min = 0.01, max = 1e6))]
    density: Option<f32>,
}

/// `type` of a part.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PartType {
    Box,
    Polygon,
    Disc,
    Capsule,
}

impl PartType {
    /// Its name, the keys it needs and those it may have.
    fn keys(self) -> (&'static str, &'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Box => ("box", &["size"], &["size", "rounding"]),
            Self::Polygon => ("polygon", &["vertices"], &["vertices", "rounding"]),
            Self::Disc => ("disc", &["radius"], &["radius"]),
            Self::Capsule => ("capsule", &["length", "radius"], &["length", "radius"]),
        }
    }
}

impl Figure for BodyKeys {
    fn shape(self, item: &Place<'_>, report: &mut Report<'_>) -> Option<Shape> {
        let place = item.key("parts");
        let count = self.parts.len();
        if !(1..=Shape::MOST_PARTS).contains(&count) {
            let message = format!("a body has 1 to {} parts, not {count}", Shape::MOST_PARTS);
            report.error(&place, message);
            return None;
        }
        let parts: Vec<Option<Part>> = (0..)
            .zip(self.parts)
            .map(|(index, keys)| keys.part(&place.index(index), report))
            .collect();
        Some(Shape::Compound { parts: parts.into_iter().collect::<Option<_>>()? })
    }
}

impl PartKeys {
    fn part(self, place: &Place<'_>, report: &mut Report<'_>) -> Option<Part> {
        let (name, needed, known) = self.r#type.keys();
        let mut sound = true;
        for key in ["size", "vertices", "radius", "length", "rounding"] {
            if place.has(key) && !known.contains(&key) {
                let message = format!("a {name} has no {}", ticked(key));
                let help = format!("a {name} knows {}", known.join(", "));
                report.error_with_help(&place.key(key), message, &help);
                sound = false;
            }
            if !place.has(key) && needed.contains(&key) {
                report.error(&place.key(key), format!("the key {} is missing", ticked(key)));
                sound = false;
            }
        }
        let density = self.density.unwrap_or(1.0);
        if !(0.01..=1e6).contains(&density) {
            let message = format!("density {density} is outside 0.01 to 1000000");
            report.error(&place.key("density"), message);
            sound = false;
        }
        if !sound {
            return None;
        }
        let shape = match self.r#type {
            PartType::Box => {
                rectangle(self.size?, self.rounding, ["size", "rounding"], place, report)
            }
            PartType::Polygon => {
                polygon(&self.vertices?, self.rounding, ["vertices", "rounding"], place, report)
            }
            PartType::Disc => {
                let radius = positive("radius", self.radius?, &place.key("radius"), report)?;
                Some(Shape::Disc { radius })
            }
            PartType::Capsule => {
                let length = positive("length", self.length?, &place.key("length"), report);
                let radius = positive("radius", self.radius?, &place.key("radius"), report);
                Some(Shape::Capsule { length: length?, radius: radius? })
            }
        }?;
        Some(Part {
            shape,
            at: self.at.map_or(Vec2::ZERO, Into::into),
            angle: self.angle.unwrap_or(0.0).to_radians(),
            density: self.density,
        })
    }
}
