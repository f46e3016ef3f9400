//! Ropes: a line of points with a capsule on each stretch between them.
//!
//! An edge of length `ℓ` in a rope of tensile stiffness `EA` is a spring of `EA/ℓ`, so a rope stretches
//! by `F·L/EA` under the force `F`, however many points it has. Without a stiffness it does not stretch.
//! A rope longer than the way between its ends starts hanging, at rest under gravity downwards.

use super::hanging::hanging;
use super::{Fault, Hold, Made, bounded, damping_time, length, line, ratio, ringing, stiffness};
use crate::math::Vec2;
use crate::scene::{Mesh, Scene, Strength};

/// A rope from the origin to [`to`](Self::to).
///
/// ```
/// use sinew::soft::{Hold, Rope};
/// use sinew::{BodyDef, Scene, Shape, Vec2, World};
/// let rope = Rope { to: Vec2::new(4.0, 0.0), length: Some(5.0), hold: Hold::Both, ..Rope::default() };
/// let mut scene = Scene::default();
/// scene.bodies.push(BodyDef::new("rope", Shape::Mesh(rope.mesh()?), Vec2::new(-2.0, 6.0)));
/// let world = World::build(&scene)?;
/// assert!(world.model.bodies[0].soft);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Rope {
    /// Where it ends, m.
    pub to: Vec2,
    /// How long it is, m; `None` for straight.
    pub length: Option<f32>,
    /// Thickness, m.
    pub thickness: f32,
    /// How many stretches it is cut into; `None` for what suits length and thickness.
    pub segments: Option<u32>,
    /// Mass per length, kg/m.
    pub line_density: f32,
    /// Tensile stiffness `EA`, N; `None` for a rope that does not stretch.
    pub stiffness: Option<f32>,
    /// Damping ratio of its stretching.
    pub damping: f32,
    /// Which ends are held.
    pub hold: Hold,
    /// When it breaks.
    pub strength: Strength,
    /// Whether it collides with itself.
    pub self_collision: bool,
}

impl Default for Rope {
    /// 2 m to the right, 5 cm thick, 10 kg/m; does not stretch; held nowhere.
    fn default() -> Self {
        Self {
            to: Vec2::new(2.0, 0.0),
            length: None,
            thickness: 0.05,
            segments: None,
            line_density: 10.0,
            stiffness: None,
            damping: 0.1,
            hold: Hold::None,
            strength: Strength::default(),
            self_collision: false,
        }
    }
}

impl Rope {
    /// Its points and edges.
    ///
    /// # Errors
    /// If a number is out of range, or the rope is shorter than the way it has to go.
    pub fn mesh(&self) -> Made<Mesh> {
        let distance = reach(self.to)?;
        let whole = length("length", self.length.unwrap_or(distance))?;
        let thickness = length("thickness", self.thickness)?;
        super::within("line_density", self.line_density, 1e-4, 1e9, " kg/m")?;
        ratio("damping", self.damping)?;
        let count = segments(self.segments, whole, 3.0 * thickness)?;
        let modulus = self.stiffness.map(|ea| stiffness("stiffness", ea, " N")).transpose()?;
        let damping = modulus
            .map_or(0.0, |ea| damping_time(self.damping, ringing(ea, self.line_density, whole)));
        breakable(&self.strength, modulus.is_some())?;
        let places = laid(self.to, whole, count)?;
        let mut mesh = line(&places, self.line_density, 0.5 * thickness, modulus, damping);
        mesh.points[0].pinned = self.hold.start();
        mesh.points[count].pinned = self.hold.end();
        mesh.strength = self.strength;
        mesh.self_collision = self.self_collision;
        Ok(mesh)
    }
}

/// The distance to the end of a line.
pub(super) fn reach(to: Vec2) -> Made<f32> {
    let distance = to.length();
    if (1e-3..=Scene::LARGEST).contains(&distance) {
        return Ok(distance);
    }
    Err(Fault::new("to", "it ends where it begins").help("give `to` a place away from its start"))
}

/// How many stretches a line is cut into: as asked for, or each about `wanted` long.
pub(super) fn segments(given: Option<u32>, whole: f32, wanted: f32) -> Made<usize> {
    let count = given.map_or((whole / wanted).ceil().clamp(8.0, 48.0), |count| count as f32);
    if count < 2.0 {
        return Err(Fault::new("segments", "it needs at least 2 segments"));
    }
    bounded("segments", count + 1.0, "ask for fewer segments")?;
    Ok(count as usize)
}

/// The ends of the stretches of a line of length `whole` from the origin to `to`.
pub(super) fn laid(to: Vec2, whole: f32, count: usize) -> Made<Vec<Vec2>> {
    hanging(to, whole, count).ok_or_else(|| {
        let distance = to.length();
        if whole < distance {
            let problem = format!("length {whole} m is too short: its ends are {distance} m apart");
            return Fault::new("length", problem).help("make it longer, or leave `length` out");
        }
        let remedy = "move the ends apart sideways, use less `length` or more segments";
        Fault::new("to", "with so much slack for so small a width it would fold").help(remedy)
    })
}

/// Whether a strength suits a body whose edges stretch or do not.
pub(super) fn breakable(strength: &Strength, stretches: bool) -> Made<()> {
    let key = match strength {
        Strength { break_strain: Some(_), .. } => "break_strain",
        Strength { plastic: Some(_), .. } => "plastic",
        _ => return Ok(()),
    };
    if stretches {
        return Ok(());
    }
    Err(Fault::new(key, "what does not stretch has no strain").help("give it a `stiffness`"))
}

#[cfg(test)]
mod tests {
    use super::super::mass;
    use super::*;

    #[test]
    fn a_rope_weighs_its_length_and_is_as_long() {
        let rope = Rope { to: Vec2::new(3.0, 1.0), length: Some(5.0), ..Rope::default() };
        let mesh = rope.mesh().unwrap();
        assert!((mass(&mesh) - 50.0).abs() < 1e-2, "{}", mass(&mesh));
        assert_eq!(mesh.pieces.len(), mesh.points.len() - 1);
        assert!(mesh.edges.iter().all(|edge| edge.compliance == 0.0));
        assert!(mesh.points.last().unwrap().position.distance(rope.to) < 1e-3);
        assert!(mesh.points.iter().all(|point| !point.pinned));
    }

    /// Springs in a row: compliances add up to `L/EA`.
    #[test]
    fn stiffness_does_not_depend_on_the_number_of_segments() {
        for segments in [4, 17, 100] {
            let rope = Rope { stiffness: Some(1e4), segments: Some(segments), ..Rope::default() };
            let mesh = rope.mesh().unwrap();
            let total: f32 = mesh.edges.iter().map(|edge| edge.compliance).sum();
            assert!((total / (2.0 / 1e4) - 1.0).abs() < 1e-3, "{segments}: {total}");
        }
    }

    #[test]
    fn impossible_ropes_are_refused_by_name() {
        let fault = |rope: Rope| rope.mesh().unwrap_err().parameter;
        let usual = Rope::default;
        assert_eq!(fault(Rope { to: Vec2::ZERO, ..usual() }), "to");
        assert_eq!(fault(Rope { length: Some(1.0), ..usual() }), "length");
        assert_eq!(fault(Rope { to: Vec2::Y, length: Some(2.0), ..usual() }), "to");
        assert_eq!(fault(Rope { segments: Some(1), ..usual() }), "segments");
        assert_eq!(fault(Rope { segments: Some(u32::MAX), ..usual() }), "segments");
        assert_eq!(fault(Rope { thickness: f32::NAN, ..usual() }), "thickness");
        assert_eq!(fault(Rope { stiffness: Some(0.0), ..usual() }), "stiffness");
        assert_eq!(fault(Rope { damping: -1.0, ..usual() }), "damping");
        let strength = Strength { break_strain: Some(0.1), plastic: None };
        assert_eq!(fault(Rope { strength, ..usual() }), "break_strain");
    }
}
