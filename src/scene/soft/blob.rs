//! Blobs: a springy skin around something that can hardly be squeezed.
//!
//! A ring of points is the skin, each piece of length `ℓ` a spring of `EA/ℓ`. One area over the whole
//! outline holds the inside: a pressure of `K·(A₀ − A)/A₀` for the bulk modulus `K`. A light hub in the
//! middle and weak spokes to it make the fan of triangles that collides; the guard on each keeps the hub
//! inside.

use std::f32::consts::TAU;

use super::{
    GRAVITY, Made, bounded, damping_time, density, edge, length, point, ratio, ringing, stiffness,
};
use crate::math::Vec2;
use crate::scene::{Mesh, MeshArea, Strength};

/// A blob about the origin.
///
/// ```
/// use sinew::soft::Blob;
/// let drop = Blob { radius: 0.4, skin: Some(4e3), ..Blob::default() };
/// assert_eq!(drop.mesh()?.areas.len(), 1);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Blob {
    /// Radius, m.
    pub radius: f32,
    /// Points of the skin.
    pub points: u32,
    /// Density, kg/m³.
    pub density: f32,
    /// Tensile stiffness of the skin, N; `None` for one that keeps a drop of its weight in shape,
    /// `10·ρ·g·r²`.
    pub skin: Option<f32>,
    /// Bulk modulus of the inside, Pa; `None` for one that its weight squeezes by less than a
    /// hundredth, `200·ρ·g·r`.
    pub bulk: Option<f32>,
    /// Area at rest over the area as drawn: above 1 it is pumped up.
    pub fill: f32,
    /// Damping ratio of the skin.
    pub damping: f32,
    /// When the skin gives way.
    pub strength: Strength,
}

impl Default for Blob {
    /// Half a metre of water in a soft skin.
    fn default() -> Self {
        Self {
            radius: 0.5,
            points: 24,
            density: 1000.0,
            skin: None,
            bulk: None,
            fill: 1.0,
            damping: 0.2,
            strength: Strength::default(),
        }
    }
}

impl Blob {
    /// Stiffness of the spokes over that of the skin.
    const SPOKES: f32 = 0.02;

    /// Its points, skin and inside.
    ///
    /// # Errors
    /// If a number is out of range.
    pub fn mesh(&self) -> Made<Mesh> {
        let density = density(self.density)?;
        let radius = length("radius", self.radius)?;
        let weight = density * GRAVITY * radius;
        let bulk = stiffness("bulk", self.bulk.unwrap_or(200.0 * weight), " Pa")?;
        let skin = self.skin.unwrap_or(10.0 * weight * radius);
        let fill = super::within("fill", self.fill, 0.1, 10.0, "")?;
        let ring = Ring::checked(radius, self.points, skin, self.damping)?;
        let mut mesh = ring.mesh(density * ring.area(), Self::SPOKES * skin / radius);
        mesh.areas[0].fill = fill;
        mesh.areas[0].compliance = ring.area() / bulk;
        mesh.strength = self.strength;
        Ok(mesh)
    }
}

/// A skin of equal pieces.
pub(super) struct Ring {
    pub(super) radius: f32,
    pub(super) count: u32,
    skin: f32,
    damping: f32,
}

impl Ring {
    pub(super) fn checked(radius: f32, count: u32, skin: f32, damping: f32) -> Made<Self> {
        length("radius", radius)?;
        super::within("points", count as f32, 6.0, 512.0, "")?;
        bounded("points", count as f32, "use fewer points")?;
        stiffness("skin", skin, " N")?;
        ratio("damping", damping)?;
        Ok(Self { radius, count, skin, damping })
    }

    /// Half the angle between two points of the skin.
    pub(super) fn half_angle(&self) -> f32 {
        0.5 * TAU / self.count as f32
    }

    /// The area that it encloses, m².
    pub(super) fn area(&self) -> f32 {
        let angle = 2.0 * self.half_angle();
        0.5 * self.count as f32 * self.radius * self.radius * angle.sin()
    }

    /// A skin, a hub and spokes of the stiffness `spoke`, N/m, weighing `mass` in equal parts, with one
    /// stiff area.
    pub(super) fn mesh(&self, mass: f32, spoke: f32) -> Mesh {
        let hub = self.count;
        let angle = |i: u32| TAU * i as f32 / hub as f32;
        let share = mass / (hub + 1) as f32;
        let rim = (0..hub).map(|i| point(self.radius * Vec2::from_angle(angle(i)), share));
        let side = 2.0 * self.radius * self.half_angle().sin();
        // The skin carries all the mass: around the ring it rings like a bar of its length.
        let around = side * hub as f32;
        let time = damping_time(self.damping, ringing(self.skin, mass / around, around));
        let next = |i: u32| (i + 1) % hub;
        let skin = (0..hub).map(|i| edge(i, next(i), Some(self.skin / side), time));
        let spokes = (0..hub).map(|i| edge(i, hub, Some(spoke), time));
        let mut mesh = Mesh {
            points: rim.chain([point(Vec2::ZERO, share)]).collect(),
            edges: skin.chain(spokes).collect(),
            areas: vec![MeshArea { points: (0..hub).collect(), compliance: 0.0, fill: 1.0 }],
            pieces: (0..hub).map(|i| vec![i, next(i), hub]).collect(),
            soft: true,
            ..Mesh::default()
        };
        super::limit_damping(&mut mesh);
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::super::mass;
    use super::*;
    use crate::math::doubled_area;

    #[test]
    fn a_blob_weighs_density_times_area_with_any_number_of_points() {
        for points in [6, 7, 24, 100] {
            let mesh = Blob { points, ..Blob::default() }.mesh().unwrap();
            let outline = mesh.areas[0].points.iter().map(|&i| mesh.points[i as usize].position);
            let area = 0.5 * doubled_area(outline);
            assert!((mass(&mesh) / (1000.0 * area) - 1.0).abs() < 1e-4);
            assert!(
                (mesh.areas[0].compliance / (area / (200.0 * 1000.0 * 9.81 * 0.5)) - 1.0).abs()
                    < 1e-4
            );
            assert_eq!(mesh.points.len(), points as usize + 1);
        }
    }

    #[test]
    fn impossible_blobs_are_refused_by_name() {
        let fault = |blob: Blob| blob.mesh().unwrap_err().parameter;
        let usual = Blob::default;
        assert_eq!(fault(Blob { radius: 0.0, ..usual() }), "radius");
        assert_eq!(fault(Blob { points: 2, ..usual() }), "points");
        assert_eq!(fault(Blob { points: u32::MAX, ..usual() }), "points");
        assert_eq!(fault(Blob { bulk: Some(-1.0), ..usual() }), "bulk");
        assert_eq!(fault(Blob { skin: Some(f32::INFINITY), ..usual() }), "skin");
        assert_eq!(fault(Blob { fill: 0.0, ..usual() }), "fill");
    }
}
