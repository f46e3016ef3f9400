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
