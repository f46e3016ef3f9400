//! The pose and motion of a body, read off its points.
//!
//! The rotation is the one that brings the rest shape closest to the points in the mass-weighted
//! least-squares sense. In the plane it has a closed form, `(c, s) = normalise(Σ m q·p, Σ m q×p)`
//! over rest offsets `q` and offsets `p` (Müller et al., “Meshless deformations based on shape
//! matching”, 2005, §3.3, reduced to two dimensions): no trigonometry, and never a mirror image.

use std::ops::Range;

use crate::math::{Rot, Vec2, cross, cross_sv, left};
use crate::world::{Body, Model};

/// Where a body is and how it is turned.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Pose {
    /// Centre of mass, m.
    pub center: Vec2,
    /// Rotation from the rest shape.
    pub rot: Rot,
}

impl Pose {
    /// The world position of a place in the body's frame.
    #[inline]
    #[must_use]
    pub fn apply(&self, local: Vec2) -> Vec2 {
        self.center + self.rot.apply(local)
    }

    /// The place in the body's frame of a world position.
    #[inline]
    #[must_use]
    pub fn unapply(&self, world: Vec2) -> Vec2 {
        self.rot.unapply(world - self.center)
    }
}

/// How a body moves as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Motion {
    /// Velocity of the centre of mass, m/s: momentum over mass.
    pub velocity: Vec2,
    /// Angular velocity, rad/s: angular momentum over moment of inertia.
    pub spin: f32,
}

impl Motion {
    /// The velocity at the offset `r` from the centre of mass.
    #[inline]
    #[must_use]
    pub fn at(&self, r: Vec2) -> Vec2 {
        self.velocity + cross_sv(self.spin, r)
    }
}

impl Model {
    /// The centre of mass of a body.
    #[must_use]
    #[inline]
    pub fn center(&self, body: &Body, positions: &[Vec2]) -> Vec2 {
        self.center_of(body.point_range(), body.mass, positions)
    }

    /// The centre of mass of points with this mass in all.
    #[inline]
    pub(crate) fn center_of(&self, points: Range<usize>, mass: f32, positions: &[Vec2]) -> Vec2 {
        let base = positions[points.start];
        let all = self.mass[points.clone()].iter().zip(&positions[points]);
        base + all.map(|(m, at)| *m * (*at - base)).sum::<Vec2>() / mass
    }

    /// The pose of a body.
    #[must_use]
    #[inline]
    pub fn pose(&self, body: &Body, positions: &[Vec2]) -> Pose {
        let center = self.center(body, positions);
        Pose { center, rot: self.turn_of(body.point_range(), center, positions) }
    }

    /// How points are turned about their centre of mass.
    #[inline]
    pub(crate) fn turn_of(&self, points: Range<usize>, center: Vec2, positions: &[Vec2]) -> Rot {
        let (mut c, mut s) = (0.0, 0.0);
        let (mass, rest) = (&self.mass[points.clone()], &self.rest[points.clone()]);
        for ((&m, &q), at) in mass.iter().zip(rest).zip(&positions[points]) {
            let p = *at - center;
            c += m * q.dot(p);
            s += m * cross(q, p);
        }
        Rot::normalised(c, s)
    }

    /// The motion of a body: its linear and angular momentum, over its mass and the moment of
    /// inertia its points have now.
    #[must_use]
    pub fn motion(&self, body: &Body, positions: &[Vec2], velocities: &[Vec2]) -> Motion {
        let center = self.center(body, positions);
        self.motion_of(body.point_range(), body.mass, center, [positions, velocities])
    }

    /// The same of points with this mass in all, about their centre of mass.
    #[inline]
    pub(crate) fn motion_of(
        &self,
        points: Range<usize>,
        mass: f32,
        center: Vec2,
        [positions, velocities]: [&[Vec2]; 2],
    ) -> Motion {
        let (mut momentum, mut angular, mut inertia) = (Vec2::ZERO, 0.0, 0.0);
        let moving = positions[points.clone()].iter().zip(&velocities[points.clone()]);
        for (&m, (at, &velocity)) in self.mass[points].iter().zip(moving) {
            let r = *at - center;
            momentum += m * velocity;
            angular += m * cross(r, velocity);
            inertia += m * r.length_squared();
        }
        let spin = if inertia > 1e-12 { angular / inertia } else { 0.0 };
        Motion { velocity: momentum / mass, spin }
    }
}

impl Model {
    /// How the angle of a body changes with each of its points, 1/m: `m·r⊥/I` at `r` from the
    /// centre of mass, exact for a body in its rest shape. Points that are held turn with nothing.
    pub(crate) fn angle_gradient(
        &self,
        body: u32,
        positions: &[Vec2],
    ) -> impl Iterator<Item = (usize, Vec2)> {
        let body = &self.bodies[body as usize];
        let center = self.center(body, positions);
        let spread = |i: usize| self.mass[i] * (positions[i] - center).length_squared();
        let inertia: f32 = body.point_range().map(spread).sum();
        let scale = if inertia > 1e-12 { 1.0 / inertia } else { 0.0 };
        body.point_range()
            .filter(|&i| self.inv_mass[i] > 0.0)
            .map(move |i| (i, scale * self.mass[i] * left(positions[i] - center)))
    }
}
