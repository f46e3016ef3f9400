//! Jelly: a solid of any outline, from pudding to rigid.
//!
//! The outline is cut into triangles and every side of one is a spring of
//! `k = E·ΣA/ℓ²`, where `E` is Young's modulus, `ℓ` the side's length and `ΣA` the area of the triangles
//! on it (Van Gelder, “Approximate Simulation of Elastic Membranes by Triangulated Spring Meshes”, 1998;
//! one metre deep). Springs can only be a material of Poisson's ratio 1/3. In equilateral triangles the
//! formula is exact. In the triangles made here, irregular along the rim, the modulus in any direction
//! comes within 7 % of `E` with ten cells across, within 12 % with four.
//!
//! Where no modulus is known, a frequency may be given instead: that of the lowest ringing of a free bar
//! as long as the body, which is `f = √(E/ρ)/2L`.

use std::collections::BTreeMap;
use std::f32::consts::TAU;

use super::rope::breakable;
use super::triangles::triangulate;
use super::{Fault, Made, Region, damping_time, density, length, point, ratio, ringing, stiffness};
use crate::math::{Aabb, Vec2, doubled_area, polygon_moments};
use crate::scene::{Mesh, MeshEdge, MeshPoint, Strength};

/// How stiff a solid is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stiffness {
    /// Not soft at all.
    Rigid,
    /// Young's modulus, Pa.
    Modulus(f32),
    /// The lowest frequency it rings at, Hz.
    Frequency(f32),
}

/// A part of a solid that is stiffer or softer than the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Firm {
    /// Where.
    pub region: Region,
    /// How stiff.
    pub stiffness: Stiffness,
}

/// A soft solid.
///
/// ```
/// use sinew::Vec2;
/// use sinew::soft::{Jelly, Stiffness};
/// let pudding = Jelly { stiffness: Stiffness::Modulus(2e4), ..Jelly::rectangle(Vec2::new(2.0, 1.0)) };
/// let mesh = pudding.mesh()?;
/// assert!(mesh.soft && mesh.points.len() > 10);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Jelly {
    /// The outline, convex or not, either winding, m.
    pub outline: Vec<Vec2>,
    /// Length of the triangles' sides, m; `None` for about fifty points.
    pub cell: Option<f32>,
    /// Density, kg/m³.
    pub density: f32,
    /// How stiff it is.
    pub stiffness: Stiffness,
    /// Damping ratio of its lowest ringing.
    pub damping: f32,
    /// Parts of other stiffness; later ones lie over earlier ones.
    pub regions: Vec<Firm>,
    /// When it gives way.
    pub strength: Strength,
}

impl Default for Jelly {
    /// A square of 1 m, 1000 kg/m³, 100 kPa.
    fn default() -> Self {
        Self {
            outline: Vec::new(),
            cell: None,
            density: 1000.0,
            stiffness: Stiffness::Modulus(1e5),
            damping: 0.1,
            regions: Vec::new(),
            strength: Strength::default(),
        }
        .shaped(rectangle(Vec2::ONE))
    }
}

impl Jelly {
    /// The usual jelly in a rectangle about the origin.
    #[must_use]
    pub fn rectangle(size: Vec2) -> Self {
        Self::default().shaped(rectangle(size))
    }

    /// The usual jelly in a disc about the origin.
    #[must_use]
    pub fn disc(radius: f32) -> Self {
        let corner = |i: usize| radius * Vec2::from_angle(TAU * i as f32 / 32.0);
        Self::default().shaped((0..32).map(corner).collect())
    }

    fn shaped(self, outline: Vec<Vec2>) -> Self {
        Self { outline, ..self }
    }

    /// Its points, springs and triangles.
    ///
    /// # Errors
    /// If a number is out of range, or the outline is none.
    pub fn mesh(&self) -> Made<Mesh> {
        let density = density(self.density)?;
        ratio("damping", self.damping)?;
        let size = Aabb::around(self.outline.iter().copied()).size().max_element();
        if self.outline.len() >= 3 {
            length("outline", size)?;
        }
        let base = self.modulus("stiffness", self.stiffness, size, None)?;
        let mut moduli = Vec::new();
        for (index, Firm { region, stiffness }) in self.regions.iter().enumerate() {
            region.check("regions", index)?;
            moduli.push((region, self.modulus("regions", *stiffness, size, Some(index))?));
        }
        let rigid = base.is_none() && moduli.is_empty();
        breakable(&self.strength, !rigid)?;
        let area = polygon_moments(&self.outline).area.abs();
        let usual = if area > 0.0 { (area / 32.0).sqrt() } else { 1.0 };
        let cell = length("cell", self.cell.unwrap_or(usual))?;
        let made = triangulate(&self.outline, cell)?;

        let mut mesh = Mesh { soft: !rigid, strength: self.strength, ..Mesh::default() };
        mesh.points = made.points.iter().map(|&place| point(place, 0.0)).collect();
        // Stiffness and damping of each edge, N/m and N·s/m; no stiffness where it is rigid.
        let mut springs: BTreeMap<(u32, u32), (Option<f32>, f32)> = BTreeMap::new();
        for triangle in &made.triangles {
            let corners = triangle.map(|i| made.points[i as usize]);
            let area = 0.5 * doubled_area(corners.into_iter());
            share(&mut mesh.points, triangle, density * area);
            let middle = corners.iter().sum::<Vec2>() / 3.0;
            let over = moduli.iter().rev().find(|(region, _)| region.holds(middle));
            let modulus = over.map_or(base, |&(_, modulus)| modulus);
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                let squared = corners[k].distance_squared(corners[(k + 1) % 3]);
                let spring = springs.entry((a.min(b), a.max(b))).or_insert((Some(0.0), 0.0));
                match modulus {
                    None => spring.0 = None,
                    Some(modulus) => {
                        let k = modulus * area / squared;
                        let time = damping_time(self.damping, ringing(modulus, density, size));
                        spring.0 = spring.0.map(|sum| sum + k);
                        spring.1 += k * time;
                    }
                }
            }
            mesh.pieces.push(triangle.to_vec());
        }
        mesh.edges = springs
            .into_iter()
            .map(|((a, b), (k, damping))| match k {
                Some(k) => MeshEdge { a, b, compliance: 1.0 / k, damping },
                None => MeshEdge::stiff(a, b),
            })
            .collect();
        super::limit_damping(&mut mesh);
        Ok(mesh)
    }

    /// Young's modulus, Pa; `None` for rigid.
    fn modulus(
        &self,
        parameter: &'static str,
        stiff: Stiffness,
        size: f32,
        index: Option<usize>,
    ) -> Made<Option<f32>> {
        let modulus = match stiff {
            Stiffness::Rigid => return Ok(None),
            Stiffness::Modulus(modulus) => stiffness(parameter, modulus, " Pa"),
            Stiffness::Frequency(f) => {
                let named = if index.is_some() { parameter } else { "frequency" };
                let f = super::within(named, f, 1e-3, 1e5, " Hz");
                f.and_then(|f| stiffness(named, self.density * (2.0 * size * f).powi(2), " Pa"))
            }
        };
        modulus.map(Some).map_err(|fault| Fault { index, ..fault })
    }
}

/// A third of a triangle's mass on each of its corners.
pub(super) fn share(points: &mut [MeshPoint], triangle: &[u32; 3], mass: f32) {
    for &corner in triangle {
        points[corner as usize].mass += mass / 3.0;
    }
}

fn rectangle(size: Vec2) -> Vec<Vec2> {
    let half = 0.5 * size;
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
        .map(|(x, y)| half * Vec2::new(x, y))
        .to_vec()
}

#[cfg(test)]
mod tests {
    use super::super::{RegionFigure, mass};
    use super::*;

    /// Elastic energy under a small uniform strain.
    fn energy(mesh: &Mesh, moved: impl Fn(Vec2) -> Vec2) -> f32 {
        let strained = |edge: &MeshEdge| {
            let [a, b] = [edge.a, edge.b].map(|i| mesh.points[i as usize].position);
            let stretch = moved(b).distance(moved(a)) - b.distance(a);
            0.5 * stretch * stretch / edge.compliance
        };
        mesh.edges.iter().map(strained).sum()
    }

    #[test]
    fn a_jelly_weighs_density_times_area() {
        let outlines = [
            Jelly::rectangle(Vec2::new(2.0, 0.5)),
            Jelly::disc(0.7),
            Jelly::default().shaped(
                [(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (1.0, 0.6), (0.0, 2.0)]
                    .map(Vec2::from)
                    .to_vec(),
            ),
        ];
        for jelly in outlines {
            let expected = jelly.density * polygon_moments(&jelly.outline).area.abs();
            let mesh = jelly.mesh().unwrap();
            assert!((mass(&mesh) / expected - 1.0).abs() < 1e-4);
            assert!((20..120).contains(&mesh.points.len()), "{}", mesh.points.len());
        }
    }

    /// Pulled by ε and thinner by ε/3, a body has the energy E·ε²/2 per area in every direction.
    #[test]
    fn springs_have_the_modulus_asked_for() {
        let strain = 1e-3_f32;
        for (cell, most) in [(0.25, 0.12), (0.1, 0.07), (0.04, 0.05)] {
            let jelly = Jelly { cell: Some(cell), ..Jelly::rectangle(Vec2::new(2.0, 1.0)) };
            let mesh = jelly.mesh().unwrap();
            for degrees in [0.0_f32, 30.0, 45.0, 90.0] {
                let axis = Vec2::from_angle(degrees.to_radians());
                let pulled = |p: Vec2| {
                    let along = p.dot(axis) * axis;
                    p + strain * (along - (p - along) / 3.0)
                };
                let expected = 0.5 * 1e5 * strain * strain * 2.0;
                let found = energy(&mesh, pulled) / expected;
                assert!((found - 1.0).abs() < most, "cell {cell}, {degrees}°: {found}");
            }
        }
    }

    #[test]
    fn a_frequency_is_a_modulus_of_the_same_body() {
        let size = Vec2::new(2.0, 1.0);
        let modulus = Jelly { stiffness: Stiffness::Modulus(1e5), ..Jelly::rectangle(size) };
        let f = ringing(1e5, 1000.0, 2.0);
        let frequency = Jelly { stiffness: Stiffness::Frequency(f), ..Jelly::rectangle(size) };
        let (a, b) = (modulus.mesh().unwrap(), frequency.mesh().unwrap());
        for (a, b) in a.edges.iter().zip(&b.edges) {
            assert!((a.compliance / b.compliance - 1.0).abs() < 1e-4);
            assert!((a.damping / b.damping - 1.0).abs() < 1e-3);
        }
    }

    #[test]
    fn from_rigid_to_soft_as_a_whole_and_in_parts() {
        let rigid = Jelly { stiffness: Stiffness::Rigid, ..Jelly::default() };
        let mesh = rigid.mesh().unwrap();
        assert!(!mesh.soft && mesh.edges.iter().all(|edge| edge.compliance == 0.0));
        let region = Region { at: Vec2::new(0.5, 0.0), figure: RegionFigure::Disc(0.4) };
        let hard = Firm { region, stiffness: Stiffness::Rigid };
        let mesh = Jelly { regions: vec![hard], ..Jelly::default() }.mesh().unwrap();
        let stiff = mesh.edges.iter().filter(|edge| edge.compliance == 0.0).count();
        assert!(mesh.soft && stiff > 3 && stiff < mesh.edges.len() / 2, "{stiff}");
        let soft = Firm { region, stiffness: Stiffness::Modulus(1e3) };
        let mesh = Jelly { regions: vec![soft], ..rigid }.mesh().unwrap();
        assert!(mesh.soft && mesh.edges.iter().any(|edge| edge.compliance > 0.0));
    }

    #[test]
    fn impossible_jelly_is_refused_by_name() {
        let fault = |jelly: Jelly| jelly.mesh().unwrap_err().parameter;
        let usual = Jelly::default;
        assert_eq!(fault(Jelly { outline: Vec::new(), ..usual() }), "outline");
        assert_eq!(fault(Jelly { cell: Some(0.001), ..usual() }), "cell");
        assert_eq!(fault(Jelly { stiffness: Stiffness::Modulus(0.0), ..usual() }), "stiffness");
        assert_eq!(fault(Jelly { stiffness: Stiffness::Frequency(-1.0), ..usual() }), "frequency");
        let strength = Strength { break_strain: Some(0.5), plastic: None };
        assert_eq!(
            fault(Jelly { stiffness: Stiffness::Rigid, strength, ..usual() }),
            "break_strain"
        );
    }
}
