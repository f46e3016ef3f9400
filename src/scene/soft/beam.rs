//! Beams: a line of points whose angles resist bending.
//!
//! Euler–Bernoulli, one metre deep: a beam of thickness `t` and Young's modulus `E` has the tensile
//! stiffness `EA = E·t` and the bending stiffness `EI = E·t³/12`. Cut into pieces of length `l`, each
//! edge is a spring of `EA/l` and each angle one of `EI/l`. A clamped end has one more point behind the
//! wall, so that its direction is held as well; its angle stands for half a piece, so `l/2EI`: the
//! deflection then errs by `1/2n²`. A beam is for what is slender; a thick one is a box of
//! [`Jelly`](super::Jelly).

use std::f32::consts::PI;

use super::rope::{breakable, reach, segments};
use super::{Hold, Made, damping_time, density, length, line, ratio, ringing, stiffness};
use crate::math::Vec2;
use crate::scene::{Mesh, MeshBend, MeshEdge, MeshPoint, Strength};

/// A straight beam from the origin to [`to`](Self::to).
///
/// ```
/// use sinew::Vec2;
/// use sinew::soft::{Beam, Hold};
/// let board = Beam { to: Vec2::new(3.0, 0.0), clamp: Hold::Start, ..Beam::default() };
/// let bending = board.bending_stiffness();
/// let sag = board.density * board.thickness * 9.81 * 3.0_f32.powi(4) / (8.0 * bending);
/// assert!(sag > 0.0 && board.mesh()?.points[0].pinned);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Beam {
    /// Where it ends, m.
    pub to: Vec2,
    /// Thickness, m.
    pub thickness: f32,
    /// How many pieces it is cut into; `None` for what suits length and thickness.
    pub segments: Option<u32>,
    /// Density, kg/m³.
    pub density: f32,
    /// Young's modulus, Pa.
    pub stiffness: f32,
    /// Damping ratio of its lowest bending.
    pub damping: f32,
    /// Which ends are held in place and direction.
    pub clamp: Hold,
    /// When it gives way. Angles do not.
    pub strength: Strength,
}

impl Default for Beam {
    /// 2 m to the right, 10 cm thick, 600 kg/m³, 10 MPa; held nowhere.
    fn default() -> Self {
        Self {
            to: Vec2::new(2.0, 0.0),
            thickness: 0.1,
            segments: None,
            density: 600.0,
            stiffness: 1e7,
            damping: 0.1,
            clamp: Hold::None,
            strength: Strength::default(),
        }
    }
}

impl Beam {
    /// Its bending stiffness `E·t³/12`, N·m².
    #[must_use]
    pub fn bending_stiffness(&self) -> f32 {
        self.stiffness * self.thickness.powi(3) / 12.0
    }

    /// Its points, edges and bends.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn mesh(&self) -> Made<Mesh> {
        let whole = reach(self.to)?;
        let thickness = length("thickness", self.thickness)?;
        let line_density = density(self.density)? * thickness;
        let modulus = stiffness("stiffness", self.stiffness, " Pa")?;
        ratio("damping", self.damping)?;
        breakable(&self.strength, true)?;
        let count = segments(self.segments, whole, 2.5 * thickness)?;
        let tensile = modulus * thickness;
        let bending = self.bending_stiffness();
        let stretching = damping_time(self.damping, ringing(tensile, line_density, whole));
        // The lowest frequency of a cantilever of this length: 1.8751²/2π · √(EI/λL⁴).
        let swing = 3.516 / (2.0 * PI) * (bending / line_density).sqrt() / (whole * whole);
        let bending_time = damping_time(self.damping, swing);

        let piece = whole / count as f32;
        let place = |i: usize| self.to * (i as f32 / count as f32);
        let places: Vec<Vec2> = (0..=count).map(place).collect();
        let mut mesh = line(&places, line_density, 0.5 * thickness, Some(tensile), stretching);
        // Critical for the angle between three points: they resist it like m·l²/6.
        let inertia = line_density * piece.powi(3) / 6.0;
        let angle = |points: [u32; 3], length: f32| {
            let stiffness = bending / length;
            let critical = 2.0 * (stiffness * inertia).sqrt();
            let damping = (bending_time * stiffness).min(critical);
            MeshBend { points, compliance: 1.0 / stiffness, damping }
        };
        let inner = 1..count as u32;
        mesh.bends.extend(inner.map(|i| angle([i - 1, i, i + 1], piece)));
        let last = count as u32;
        for (clamped, end, next) in [(self.clamp.start(), 0, 1), (self.clamp.end(), last, last - 1)]
        {
            if !clamped {
                continue;
            }
            // The point behind the wall shares the mass of the end: both are held.
            let behind = mesh.points.len() as u32;
            let [at, beside] = [end, next].map(|i| mesh.points[i as usize].position);
            let mass = 0.5 * mesh.points[end as usize].mass;
            mesh.points[end as usize] = MeshPoint { position: at, mass, pinned: true };
            mesh.points.push(MeshPoint { position: 2.0 * at - beside, mass, pinned: true });
            mesh.edges.push(MeshEdge::stiff(behind, end));
            let points = if end == 0 { [behind, 0, 1] } else { [next, end, behind] };
            mesh.bends.push(angle(points, 0.5 * piece));
        }
        mesh.strength = self.strength;
        Ok(mesh)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mass;
    use super::*;

    #[test]
    fn a_beam_weighs_density_times_area_however_it_is_held() {
        for clamp in [Hold::None, Hold::Start, Hold::End, Hold::Both] {
            let mesh = Beam { clamp, ..Beam::default() }.mesh().unwrap();
            assert!((mass(&mesh) - 600.0 * 2.0 * 0.1).abs() < 1e-2);
            let held = mesh.points.iter().filter(|point| point.pinned).count();
            let ends = usize::from(clamp.start()) + usize::from(clamp.end());
            assert_eq!((held, mesh.bends.len()), (2 * ends, mesh.pieces.len() - 1 + ends));
            assert!(mesh.points.iter().all(|point| point.mass > 0.0));
        }
    }

    /// Small angles add up: a force `P` at the tip turns the angle at `x` by `P·(L − x)·compliance`,
    /// which lifts the tip by `(L − x)` times that. Together `P·L³/3EI`.
    #[test]
    fn the_angles_of_a_cantilever_make_its_deflection() {
        for segments in [4, 10, 40] {
            let beam = Beam { segments: Some(segments), clamp: Hold::Start, ..Beam::default() };
            let mesh = beam.mesh().unwrap();
            let lift = |bend: &MeshBend| {
                let arm = 2.0 - mesh.points[bend.points[1] as usize].position.x;
                arm * arm * bend.compliance
            };
            let deflection: f32 = mesh.bends.iter().map(lift).sum();
            let expected = 8.0 / (3.0 * beam.bending_stiffness());
            let error = 0.5 / (segments * segments) as f32;
            assert!((deflection / expected - 1.0 - error).abs() < 1e-3, "{segments}");
        }
    }
}
