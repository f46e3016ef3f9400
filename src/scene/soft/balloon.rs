//! Balloons: a stretched skin around gas.
//!
//! The skin as drawn is slack, `radius / stretch` wide; it comes to rest at `radius`. There, at every
//! point of a ring of `n`, the pressure `p·r·sin(2π/n)` balances the pull of the skin
//! `2·EA·(stretch − 1)·sin(π/n)` and that of the spoke. The gas resists with its bulk modulus, for air at
//! constant temperature the pressure of the atmosphere. The area it would fill by itself follows: that
//! at rest and `p/K` more.

use super::blob::Ring;
use super::{GRAVITY, Made, density, stiffness};
use crate::scene::{Mesh, Strength};

/// A balloon about the origin.
///
/// ```
/// use sinew::soft::Balloon;
/// let balloon = Balloon { radius: 0.4, stretch: 1.5, ..Balloon::default() };
/// assert!(balloon.pressure()? > 0.0 && balloon.mesh()?.areas[0].fill > 1.0);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Balloon {
    /// Radius when it is blown up, m.
    pub radius: f32,
    /// Points of the skin.
    pub points: u32,
    /// Mass over the area when it is blown up, kg/m³.
    pub density: f32,
    /// Tensile stiffness of the skin, N; `None` for one that keeps its weight round, `20·ρ·g·r²`.
    pub skin: Option<f32>,
    /// How many times as long as slack the skin then is.
    pub stretch: f32,
    /// Bulk modulus of the gas, Pa.
    pub gas: f32,
    /// Damping ratio of the skin.
    pub damping: f32,
    /// When the skin gives way.
    pub strength: Strength,
}

impl Default for Balloon {
    /// Half a metre of air, its skin a quarter longer than slack.
    fn default() -> Self {
        Self {
            radius: 0.5,
            points: 24,
            density: 40.0,
            skin: None,
            stretch: 1.25,
            gas: 1e5,
            damping: 0.2,
            strength: Strength::default(),
        }
    }
}

impl Balloon {
    /// Stiffness of the spokes over that of the skin.
    const SPOKES: f32 = 0.02;

    /// Its points, skin and gas.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn mesh(&self) -> Made<Mesh> {
        let density = density(self.density)?;
        let pressure = self.pressure()?;
        let slack = self.slack()?;
        let area = slack.area() * self.stretch * self.stretch;
        let mut mesh = slack.mesh(density * area, Self::SPOKES * self.skin() / slack.radius);
        mesh.areas[0].compliance = area / self.gas;
        mesh.areas[0].fill = self.stretch * self.stretch * (1.0 + pressure / self.gas);
        mesh.strength = self.strength;
        Ok(mesh)
    }

    /// By how much the pressure inside is above that outside when it is at rest, Pa.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn pressure(&self) -> Made<f32> {
        let slack = self.slack()?;
        stiffness("gas", self.gas, " Pa")?;
        let half = slack.half_angle();
        let pull = 2.0 * self.skin() * (self.stretch - 1.0) * half.sin();
        let spoke = Self::SPOKES * self.skin() * (self.stretch - 1.0);
        Ok((pull + spoke) / (self.radius * (2.0 * half).sin()))
    }

    fn skin(&self) -> f32 {
        self.skin.unwrap_or(20.0 * self.density * GRAVITY * self.radius * self.radius)
    }

    /// The skin as it is when nothing is in it.
    fn slack(&self) -> Made<Ring> {
        let stretch = super::within("stretch", self.stretch, 1.0, 4.0, "")?;
        let mut ring = Ring::checked(self.radius, self.points, self.skin(), self.damping)?;
        ring.radius /= stretch;
        Ok(ring)
    }
}

#[cfg(test)]
mod tests {
    use super::super::mass;
    use super::*;

    /// Virtual work: at rest the energy of skin, spokes and gas changes with no change of radius.
    #[test]
    fn the_balance_is_the_least_energy() {
        for points in [8, 24, 60] {
            let balloon = Balloon { points, stretch: 1.4, ..Balloon::default() };
            let mesh = balloon.mesh().unwrap();
            let slack = balloon.slack().unwrap();
            let energy = |radius: f32| -> f64 {
                let scale = f64::from(radius) / f64::from(slack.radius);
                let edges = mesh.edges.iter().map(|edge| {
                    let [a, b] = [edge.a, edge.b].map(|i| mesh.points[i as usize].position);
                    let stretch = f64::from(a.distance(b)) * (scale - 1.0);
                    stretch * stretch / (2.0 * f64::from(edge.compliance))
                });
                let area = f64::from(slack.area());
                let squeeze = area * (scale * scale - f64::from(mesh.areas[0].fill));
                edges.sum::<f64>() + squeeze * squeeze / (2.0 * f64::from(mesh.areas[0].compliance))
            };
            let step = 1e-3;
            let slope = energy(0.5 + step) - energy(0.5 - step);
            let bend = energy(0.5 + step) + energy(0.5 - step) - 2.0 * energy(0.5);
            // The radius of least energy, from the parabola through the three.
            let off = 0.5 * f64::from(step) * slope / bend;
            assert!(off.abs() < 1e-4, "{points}: {off}");
            assert!((mass(&mesh) / (40.0 * slack.area() * 1.96) - 1.0).abs() < 1e-4);
        }
    }

    #[test]
    fn impossible_balloons_are_refused_by_name() {
        let fault = |balloon: Balloon| balloon.mesh().unwrap_err().parameter;
        let usual = Balloon::default;
        assert_eq!(fault(Balloon { stretch: 0.9, ..usual() }), "stretch");
        assert_eq!(fault(Balloon { gas: 0.0, ..usual() }), "gas");
        assert_eq!(fault(Balloon { radius: -1.0, ..usual() }), "radius");
        assert_eq!(fault(Balloon { density: 0.0, ..usual() }), "density");
    }
}
