//! Vectors side by side: one of each edge of a batch (`batch.rs`), or of each of four bodies (`alike/`).

use std::ops::{Add, Mul, Sub};

/// The x of all, and the y of all.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Plane<T> {
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
