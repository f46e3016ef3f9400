//! A number and a vector of each of four bodies.

use std::ops::{Mul, Neg};

use wide::{f32x4, f64x4};

use crate::math::{Mapped, Vec2};
use crate::solver::plane;

/// Bodies side by side.
pub(crate) const LANES: usize = 4;

/// A vector of each body.
pub(crate) type Plane = plane::Plane<f32x4>;

impl Plane {
    /// That of each body.
    #[inline(always)]
    pub(super) fn of([a, b, c, d]: [Vec2; LANES]) -> Self {
        Self { x: f32x4::new([a.x, b.x, c.x, d.x]), y: f32x4::new([a.y, b.y, c.y, d.y]) }
    }

    /// Turned by a right angle, counter-clockwise.
    #[inline(always)]
    pub(crate) fn left(self) -> Self {
        Self { x: -self.y, y: self.x }
    }

    /// Its length, and its direction: that of x where it is too short to have one.
    #[inline(always)]
    pub(super) fn parts(self) -> (f32x4, Self) {
        let length = self.dot(self).sqrt();
        let is_long = length.simd_gt(f32x4::splat(1e-12));
        let inverse = f32x4::ONE / length;
        let x = is_long.select(self.x * inverse, f32x4::ONE);
        (length, Self { x, y: is_long.select(self.y * inverse, f32x4::ZERO) })
    }
}

impl Neg for Plane {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self { x: -self.x, y: -self.y }
    }
}

impl Mul<Plane> for f32x4 {
    type Output = Plane;
    #[inline(always)]
    fn mul(self, plane: Plane) -> Plane {
        Plane { x: self * plane.x, y: self * plane.y }
    }
}

/// The same number for each body.
#[inline(always)]
pub(crate) fn splat(value: f32) -> f32x4 {
    f32x4::splat(value)
}

/// In double precision.
#[inline(always)]
pub(super) fn wide(of: f32x4) -> f64x4 {
    f64x4::new(of.to_array().mapped(f64::from))
}

/// In single precision.
#[inline(always)]
pub(super) fn narrow(of: f64x4) -> f32x4 {
    f32x4::new(of.to_array().mapped(|value| value as f32))
}
