//! Soft bodies of every kind, each made from a few numbers with units.
//!
//! | file | makes | of |
//! |---|---|---|
//! | `rope.rs` | [`Rope`] | a line of points |
//! | `beam.rs` | [`Beam`] | a line of points with angles that resist bending |
//! | `cloth.rs` | [`Cloth`] | threads along and across |
//! | `jelly.rs`, `triangles.rs` | [`Jelly`] | triangles in any outline |
//! | `blob.rs` | [`Blob`] | a skin around something that cannot be squeezed |
//! | `balloon.rs` | [`Balloon`] | a stretched skin around gas |
//! | `chain.rs` | [`Chain`] | rigid links with pins between them |
//! | `hanging.rs` | | the curve that ropes and chains hang in |
//!
//! Stiffness is a property of the material: newtons, pascals, newtons per metre. It enters the
//! [`Mesh`] as compliance, so it means the same at any step size, number of iterations and number of
//! points. Masses add up to density times area.
//!
//! *Damping* is given as a damping ratio ζ, 1 for critical: of the lowest frequency at which a body
//! of this size and material rings. It is proportional to stiffness (Rayleigh), so that it does not
//! depend on how finely a body is cut: an edge of stiffness `k` is damped with `k·ζ/(π·f)`, but no more
//! than critically between its own two points. Beyond that the fastest vibrations would only creep, and
//! a solver would see little but damping.

mod balloon;
mod beam;
mod blob;
mod chain;
mod cloth;
mod hanging;
mod jelly;
mod rope;
mod triangles;

pub use balloon::Balloon;
pub use beam::Beam;
pub use blob::Blob;
pub use chain::{Chain, Link};
pub use cloth::{Cloth, Held};
pub use jelly::{Firm, Jelly, Stiffness};
pub use rope::Rope;

use std::f32::consts::PI;
use std::fmt;

use super::{Mesh, MeshEdge, MeshPoint, Scene, Shape};
use crate::error::Error;
use crate::math::Vec2;

/// The most points that one soft body may have.
pub const MOST_POINTS: usize = 10_000;
/// The stiffest that anything but a stiff edge may be, N, Pa or N/m.
const STIFFEST: f32 = 1e13;

/// The gravity that what is left out is chosen for, m/s².
const GRAVITY: f32 = 9.81;

/// A parameter that no soft body can be made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The parameter: the name of a field.
    pub parameter: &'static str,
    /// Which element of it, if it is a list.
    pub index: Option<usize>,
    /// What is wrong with it.
    pub problem: String,
    /// What to do about it; empty where the problem says so.
    pub remedy: String,
}

impl Fault {
    fn new(parameter: &'static str, problem: impl Into<String>) -> Self {
        Self { parameter, index: None, problem: problem.into(), remedy: String::new() }
    }

    fn help(self, remedy: impl Into<String>) -> Self {
        Self { remedy: remedy.into(), ..self }
    }

    fn at(self, index: usize) -> Self {
        Self { index: Some(index), ..self }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.parameter)?;
        if let Some(index) = self.index {
            write!(f, "[{index}]")?;
        }
        write!(f, ": {}", self.problem)?;
        if self.remedy.is_empty() { Ok(()) } else { write!(f, "; {}", self.remedy) }
    }
}

impl std::error::Error for Fault {}

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        Self::scene("soft body", fault.to_string())
    }
}

type Made<T> = std::result::Result<T, Fault>;

/// Which ends of a line are held where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hold {
    /// Neither.
    #[default]
    None,
    /// The first.
    Start,
    /// The last.
    End,
    /// Both.
    Both,
}

impl Hold {
    fn start(self) -> bool {
        matches!(self, Self::Start | Self::Both)
    }

    fn end(self) -> bool {
        matches!(self, Self::End | Self::Both)
    }
}

/// A part of a body: what lies inside a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Region {
    /// The middle of the figure, m.
    pub at: Vec2,
    /// The figure.
    pub figure: RegionFigure,
}

/// The figure of a [`Region`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RegionFigure {
    /// An upright rectangle of this width and height, m.
    Box(Vec2),
    /// A disc of this radius, m.
    Disc(f32),
}

impl Region {
    /// Whether a place lies in it.
    #[must_use]
    pub fn holds(&self, place: Vec2) -> bool {
        let offset = place - self.at;
        match self.figure {
            RegionFigure::Box(size) => offset.abs().cmple(0.5 * size).all(),
            RegionFigure::Disc(radius) => offset.length() <= radius,
        }
    }

    fn check(&self, parameter: &'static str, index: usize) -> Made<()> {
        let size = match self.figure {
            RegionFigure::Box(size) => size.min_element(),
            RegionFigure::Disc(radius) => radius,
        };
        if size > 0.0 && self.at.is_finite() {
            return Ok(());
        }
        Err(Fault::new(parameter, "the figure has no size").at(index))
    }
}

/// `value` if it is a length.
fn length(parameter: &'static str, value: f32) -> Made<f32> {
    let (low, high) = (Shape::LEAST_SIZE, Scene::LARGEST);
    within(parameter, value, low, high, " m")
}

/// `value` if it is a density, kg/m³.
fn density(value: f32) -> Made<f32> {
    within("density", value, 0.001, 1e6, " kg/m³")
}

/// `value` if it is a stiffness, in this unit.
fn stiffness(parameter: &'static str, value: f32, unit: &str) -> Made<f32> {
    within(parameter, value, 1e-6, STIFFEST, unit)
}

/// `value` if it is a damping ratio.
fn ratio(parameter: &'static str, value: f32) -> Made<f32> {
    within(parameter, value, 0.0, 100.0, "")
}

fn within(parameter: &'static str, value: f32, low: f32, high: f32, unit: &str) -> Made<f32> {
    if value >= low && value <= high {
        return Ok(value);
    }
    let problem = if value <= 0.0 && low > 0.0 {
        format!("{parameter} {value} must be positive")
    } else {
        let high = if high < 1e5 { high.to_string() } else { format!("{high:e}") };
        format!("{parameter} {value} is outside {low} to {high}{unit}")
    };
    Err(Fault::new(parameter, problem))
}

/// `count` if a body may have as many points, of which `parameter` decides.
fn bounded(parameter: &'static str, count: f32, remedy: &str) -> Made<()> {
    if count <= MOST_POINTS as f32 {
        return Ok(());
    }
    let problem = format!("the body would have about {count:.0} points: at most {MOST_POINTS}");
    Err(Fault::new(parameter, problem).help(remedy))
}

/// The lowest frequency, Hz, at which a bar of this length rings, free at both ends:
/// `√(E/ρ) / 2L`. Stiffness and density may be those of the material or of a line.
fn ringing(stiffness: f32, density: f32, length: f32) -> f32 {
    (stiffness / density).sqrt() / (2.0 * length)
}

/// Damping over stiffness, s, that gives the damping ratio at a frequency.
fn damping_time(ratio: f32, frequency: f32) -> f32 {
    ratio / (PI * frequency)
}

/// Damping, at most critical, of an edge between two masses: `2·√(k·m₁m₂/(m₁+m₂))`.
fn at_most_critical(damping: f32, stiffness: f32, [a, b]: [f32; 2]) -> f32 {
    damping.min(2.0 * (stiffness * a * b / (a + b)).sqrt())
}

/// Keeps the damping of every edge of a mesh from being more than critical.
fn limit_damping(mesh: &mut Mesh) {
    for edge in mesh.edges.iter_mut().filter(|edge| edge.compliance > 0.0) {
        let masses = [edge.a, edge.b].map(|i| mesh.points[i as usize].mass);
        edge.damping = at_most_critical(edge.damping, 1.0 / edge.compliance, masses);
    }
}

/// An edge of a stiffness, N/m, and the damping that goes with it; stiff for `None`.
fn edge(a: u32, b: u32, stiffness: Option<f32>, damping_time: f32) -> MeshEdge {
    match stiffness {
        Some(k) => MeshEdge { a, b, compliance: 1.0 / k, damping: k * damping_time },
        None => MeshEdge::stiff(a, b),
    }
}

/// A free point.
fn point(position: Vec2, mass: f32) -> MeshPoint {
    MeshPoint { position, mass, pinned: false }
}

/// A line of points with stiff or springy edges and a capsule on each, weighing `line_density`,
/// kg/m, along it.
fn line(
    places: &[Vec2],
    line_density: f32,
    radius: f32,
    modulus: Option<f32>,
    damping: f32,
) -> Mesh {
    let mut points: Vec<MeshPoint> = places.iter().map(|&place| point(place, 0.0)).collect();
    let mut mesh = Mesh { radius, soft: true, ..Mesh::default() };
    for (i, pair) in places.windows(2).enumerate() {
        let length = pair[0].distance(pair[1]);
        let half = 0.5 * line_density * length;
        points[i].mass += half;
        points[i + 1].mass += half;
        let (a, b) = (i as u32, i as u32 + 1);
        mesh.edges.push(edge(a, b, modulus.map(|modulus| modulus / length), damping));
        mesh.pieces.push(vec![a, b]);
    }
    mesh.points = points;
    limit_damping(&mut mesh);
    mesh
}

/// The total mass of a mesh, kg.
#[cfg(test)]
fn mass(mesh: &Mesh) -> f32 {
    mesh.points.iter().map(|point| point.mass).sum()
}
