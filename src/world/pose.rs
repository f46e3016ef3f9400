//! The pose and motion of a body, read off its points.
//!
//! The rotation is the one that brings the rest shape closest to the points in the mass-weighted
//! least-squares sense. In the plane it has a closed form, `(c, s) = normalise(Σ m q·p, Σ m q×p)`
//! over rest offsets `q` and offsets `p` (Müller et al., “Meshless deformations based on shape
//! matching”, 2005, §3.3, reduced to two dimensions): no trigonometry, and never a mirror image.

use std::ops::Range;

use crate::math::{Rot, Vec2, cross, cross_sv, left};
use crate::world::{Anchor, Body, Model};

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
        let [c, s] = self.likeness(points, center, positions);
        Rot::normalised(c, s)
    }

    /// How much points look like themselves at rest, turned by nothing and by a quarter turn, about their centre of mass: the sums
    /// of `m·q·p` and `m·q×p`, kg·m².
    #[inline]
    fn likeness(&self, points: Range<usize>, center: Vec2, positions: &[Vec2]) -> [f32; 2] {
        let (mut c, mut s) = (0.0, 0.0);
        let (mass, rest) = (&self.mass[points.clone()], &self.rest[points.clone()]);
        for ((&m, &q), at) in mass.iter().zip(rest).zip(&positions[points]) {
            let p = *at - center;
            c += m * q.dot(p);
            s += m * cross(q, p);
        }
        [c, s]
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

/// How a body is turned where a joint holds it.
impl Model {
    /// Whether a body is a strand, as a rope is: a soft one that nothing but its edges holds in shape, and none of the pieces of which has a
    /// surface. It folds, and as a whole has no direction.
    #[must_use]
    pub fn is_strand(&self, body: &Body) -> bool {
        body.soft
            && !body.edges.is_empty()
            && body.areas.is_empty()
            && body.bends.is_empty()
            && self.pieces_of(body).iter().all(|piece| piece.count <= 2)
    }

    /// How a body is turned at a place on it, against its rest shape: as the whole body is, or, if it is a strand, as the edge is on
    /// which the [anchor](Model::anchor) lies.
    #[must_use]
    pub fn rot_at(&self, body: u32, anchor: &Anchor, positions: &[Vec2]) -> Rot {
        let def = &self.bodies[body as usize];
        match self.edge_under(def, anchor) {
            Some([from, to]) => {
                let (rest, now) =
                    (self.rest[to] - self.rest[from], positions[to] - positions[from]);
                Rot::normalised(rest.dot(now), cross(rest, now))
            }
            None => self.pose(def, positions).rot,
        }
    }

    /// The points of the edge of a strand on which an anchor lies.
    fn edge_under(&self, body: &Body, anchor: &Anchor) -> Option<[usize; 2]> {
        let [from, to, _] = anchor.points;
        (from != to && self.is_strand(body)).then_some([from as usize, to as usize])
    }

    /// How the angle of a body at a place on it changes with each of its points, 1/m: that of an edge by `p⊥/|p|²` with
    /// the point to which it leads `p` away; that of a whole body by `m·(R·q)⊥/L`, where `q` is the place at rest, `R` how
    /// the body is turned, and `L` how much it looks like itself at rest, turned so, kg·m²: its moment of inertia as long as it is in
    /// shape. Points that are held turn with nothing.
    ///
    /// A body that is out of shape, as a rope mostly is, is turned as shape matching says. What acts on that
    /// angle along anything but its own gradient, as along the motion of a rigid body, makes energy of nothing.
    pub(crate) fn angle_gradient(
        &self,
        body: u32,
        anchor: &Anchor,
        positions: &[Vec2],
    ) -> impl Iterator<Item = (usize, Vec2)> {
        let body = &self.bodies[body as usize];
        let edge = self.edge_under(body, anchor);
        let of_edge = edge.into_iter().flat_map(|[from, to]| {
            let along = positions[to] - positions[from];
            let slope = left(along) / along.length_squared().max(1e-12);
            [(to, slope), (from, -slope)]
        });
        let of_body = edge.is_none().then(|| self.gradient_of_whole(body, positions));
        of_edge.chain(of_body.into_iter().flatten()).filter(|&(i, _)| self.inv_mass[i] > 0.0)
    }

    /// The same of the angle of a whole body, whatever holds its points.
    fn gradient_of_whole(
        &self,
        body: &Body,
        positions: &[Vec2],
    ) -> impl Iterator<Item = (usize, Vec2)> {
        let center = self.center(body, positions);
        let [c, s] = self.likeness(body.point_range(), center, positions);
        let (rot, likeness) = (Rot::normalised(c, s), (c * c + s * s).sqrt());
        let scale = if likeness > 1e-12 { 1.0 / likeness } else { 0.0 };
        body.point_range().map(move |i| (i, scale * self.mass[i] * left(rot.apply(self.rest[i]))))
    }
}
