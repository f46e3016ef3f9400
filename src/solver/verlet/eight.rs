//! A number of each of eight, side by side: of the edges of a batch (`batch.rs`), or of the bodies of a crew
//! (`trusses.rs`). They rest in memory as they are; to be worked on they are read into vectors as wide as the
//! processor has them, which is found out at run time.

use fearless_simd::{Simd, f32x8, prelude::*};

use crate::math::Vec2;
use crate::solver::plane::{Numbers, Plane};

/// How many.
pub(super) const LANES: usize = 8;

/// A number of each.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(align(32))]
pub(super) struct Lanes(pub(super) [f32; LANES]);

impl Lanes {
    #[inline(always)]
    pub(super) fn read<S: Simd>(&self, simd: S) -> f32x8<S> {
        f32x8::load_array_ref(simd, &self.0)
    }

    /// The sum of all, in an order that does not depend on how wide vectors are.
    pub(super) fn sum(&self) -> f32 {
        let [a, b, c, d, e, f, g, h] = self.0;
        ((a + c) + (b + d)) + ((e + g) + (f + h))
    }

    /// The largest.
    pub(super) fn largest(&self) -> f32 {
        self.0.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

impl<S: Simd> From<f32x8<S>> for Lanes {
    #[inline(always)]
    fn from(of: f32x8<S>) -> Self {
        Self(of.to_array())
    }
}

impl Plane<Lanes> {
    #[inline(always)]
    pub(super) fn read<S: Simd>(&self, simd: S) -> Plane<f32x8<S>> {
        Plane { x: self.x.read(simd), y: self.y.read(simd) }
    }

    pub(super) fn lane(&self, k: usize) -> Vec2 {
        Vec2::new(self.x.0[k], self.y.0[k])
    }

    pub(super) fn set(&mut self, k: usize, of: Vec2) {
        (self.x.0[k], self.y.0[k]) = of.into();
    }
}

impl<S: Simd> From<Plane<f32x8<S>>> for Plane<Lanes> {
    #[inline(always)]
    fn from(of: Plane<f32x8<S>>) -> Self {
        Self { x: of.x.into(), y: of.y.into() }
    }
}

impl<S: Simd> Numbers for f32x8<S> {
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        self.max(other)
    }

    #[inline(always)]
    fn all_above(self, other: Self) -> bool {
        self.simd_gt(other).all_true()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_and_bounds() {
        let lanes = Lanes([3.0, -1.0, 8.0, 0.5, 2.0, -7.0, 1.0, 4.0]);
        assert_eq!((lanes.sum(), lanes.largest()), (10.5, 8.0));
    }
}
