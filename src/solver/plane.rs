//! Numbers side by side, and vectors: one of each edge of a batch (`verlet/batch.rs`), of each of eight bodies of one make
//! (`verlet/trusses.rs`), or of each of four of one pattern (`alike/`).

use std::ops::{Add, Div, Mul, Sub};

/// Numbers side by side.
pub(super) trait Numbers:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Mul<f32, Output = Self>
    + Div<Output = Self>
{
    /// The larger of each two.
    fn larger(self, other: Self) -> Self;

    /// Whether all are greater than those of another.
    fn all_above(self, other: Self) -> bool;
}

/// The x of all, and the y of all.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Plane<T> {
    pub(super) x: T,
    pub(super) y: T,
}

impl<T: Copy + Add<Output = T> + Sub<Output = T> + Mul<Output = T>> Plane<T> {
    #[inline(always)]
    pub(super) fn dot(self, other: Self) -> T {
        self.x * other.x + self.y * other.y
    }

    #[inline(always)]
    pub(super) fn cross(self, other: Self) -> T {
        self.x * other.y - self.y * other.x
    }

    #[inline(always)]
    pub(super) fn times(self, by: T) -> Self {
        Self { x: by * self.x, y: by * self.y }
    }
}

impl<T: Add<Output = T>> Add for Plane<T> {
    type Output = Self;
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y }
    }
}

impl<T: Sub<Output = T>> Sub for Plane<T> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use fearless_simd::Level;

    /// What this processor has of vectors, from the narrowest on.
    pub(in crate::solver) fn levels() -> Vec<Level> {
        let best = Level::new();
        let mut levels = vec![Level::baseline(), best];
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            levels.extend(best.as_sse4_2().map(Level::Sse4_2));
            levels.extend(best.as_avx2().map(Level::Avx2));
        }
        levels
    }
}
