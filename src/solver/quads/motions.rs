//! The motions of the bodies of four constraints: gathered from their bundle, changed, written back.

use super::manifold::ManifoldQuad;
use crate::math::{Lane, Mapped};
use crate::solver::nodes::Twist;
use bytemuck::Pod;
use glam::{BVec4A, Mat4, Vec4};

/// The lever arms of one direction on the first and second bodies of a quad.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arms(pub(super) [Vec4; 2]);

impl Arms {
    #[inline]
    pub(super) fn set(&mut self, lane: usize, arms: [f32; 2]) {
        self.0.set_lane(lane, arms);
    }

    #[inline]
    pub(super) fn get(&self, lane: usize) -> [f32; 2] {
        self.0.lane(lane)
    }
}

/// Velocities, or displacements, of the two bodies of each manifold, as the manifolds see them: how the
/// first moves against the second, along the normal and along the surface, and how each turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motions {
    normal: Vec4,
    tangent: Vec4,
    turn: [Vec4; 2],
    inv_inertia: [Vec4; 2],
    /// What was read: x and y of both bodies.
    from: [[Vec4; 2]; 2],
}

impl Motions {
    /// Reads them.
    #[inline(always)]
    pub(super) fn read(quad: &ManifoldQuad, of: &[Twist]) -> Self {
        let [a, b] = gather_both(&quad.bodies, of);
        let (x, y) = (a[0] - b[0], a[1] - b[1]);
        let [nx, ny] = quad.normal;
        Self {
            normal: nx * x + ny * y,
            tangent: nx * y - ny * x,
            turn: [a[2], b[2]],
            inv_inertia: [a[3], b[3]],
            from: [[a[0], a[1]], [b[0], b[1]]],
        }
    }

    /// Writes them back, with what impulses along the surfaces, and along the normals of both contacts, do.
    #[inline(always)]
    pub(super) fn write(
        &self,
        quad: &ManifoldQuad,
        rubbed: Vec4,
        [first, second]: [Vec4; 2],
        to: &mut [Twist],
    ) {
        let [nx, ny] = quad.normal;
        // The second contact is solved last, so it is added last: nothing else waits for it.
        let x = (nx * first - ny * rubbed) + nx * second;
        let y = (ny * first + nx * rubbed) + ny * second;
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let [tangent, arms @ ..] = [&quad.tangent, &quad.points[0].arms, &quad.points[1].arms]
                .mapped(|arms| arms.0[side]);
            let turns = (tangent * rubbed + arms[0] * first) + arms[1] * second;
            let (inv_mass, inv_inertia) =
                (sign * quad.inv_mass[side], sign * self.inv_inertia[side]);
            let [from_x, from_y] = self.from[side];
            let (x, y) = (from_x + inv_mass * x, from_y + inv_mass * y);
            let turn = self.turn[side] + inv_inertia * turns;
            scatter([x, y, turn, self.inv_inertia[side]], quad.bodies[side], to);
        }
    }

    /// `J·M⁻¹·Jᵀ` of two directions with these lever arms, 1/kg, but for what they have in common of where they point.
    #[inline(always)]
    pub(super) fn turning(&self, a: &Arms, b: &Arms) -> Vec4 {
        self.inv_inertia[0] * a.0[0] * b.0[0] + self.inv_inertia[1] * a.0[1] * b.0[1]
    }

    /// `J·v` along the normals of contacts with these lever arms.
    #[inline(always)]
    pub(super) fn along(&self, arms: &Arms) -> Vec4 {
        self.normal + self.turned(arms)
    }

    /// `J·v` along the surfaces.
    #[inline(always)]
    pub(super) fn across(&self, arms: &Arms) -> Vec4 {
        self.tangent + self.turned(arms)
    }

    /// How the first bodies move against the second, along the normals and along the surfaces.
    #[inline(always)]
    pub(super) fn apart(&self) -> [Vec4; 2] {
        [self.normal, self.tangent]
    }

    /// How both turn.
    #[inline(always)]
    pub(super) fn spins(&self) -> [Vec4; 2] {
        self.turn
    }

    /// Whether impulses can turn them.
    #[inline(always)]
    pub(super) fn turns(&self) -> [BVec4A; 2] {
        self.inv_inertia.mapped(|inverse| inverse.cmpgt(Vec4::ZERO))
    }

    #[inline(always)]
    fn turned(&self, arms: &Arms) -> Vec4 {
        arms.0[0] * self.turn[0] - arms.0[1] * self.turn[1]
    }
}

/// Velocities, or displacements, of the two bodies of four constraints as they are.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMotions {
    pub(crate) linear: [[Vec4; 2]; 2],
    pub(crate) spins: [Vec4; 2],
    pub(crate) inv_inertia: [Vec4; 2],
}

impl PairMotions {
    /// Reads them.
    #[inline(always)]
    pub(crate) fn read(bodies: &[[u32; 4]; 2], of: &[Twist]) -> Self {
        let [a, b] = gather_both(bodies, of);
        Self {
            linear: [[a[0], a[1]], [b[0], b[1]]],
            spins: [a[2], b[2]],
            inv_inertia: [a[3], b[3]],
        }
    }

    /// Writes them back.
    #[inline(always)]
    pub(crate) fn write(&self, bodies: &[[u32; 4]; 2], to: &mut [Twist]) {
        for (side, &bodies) in bodies.iter().enumerate() {
            let [x, y] = self.linear[side];
            scatter([x, y, self.spins[side], self.inv_inertia[side]], bodies, to);
        }
    }
}

/// The four numbers that each body has, as its velocity along x and y, spin and inverse moment of inertia: the first of
/// four bodies, the second of them, and so on; on either side.
#[inline(always)]
pub(super) fn gather_both<T: Pod>(bodies: &[[u32; 4]; 2], of: &[T]) -> [[Vec4; 4]; 2] {
    [gather(bodies[0], of), gather(bodies[1], of)]
}

/// The same on one side.
#[inline(always)]
pub(super) fn gather<T: Pod>([a, b, c, d]: [u32; 4], of: &[T]) -> [Vec4; 4] {
    // Not by `map`, which remains a call where a program is compiled in several units.
    let numbers = |body: u32| bytemuck::cast(of[body as usize]);
    across([numbers(a), numbers(b), numbers(c), numbers(d)])
}

/// Writes them back. The last lane comes first: an idle one has read, unchanged, the body of one before it.
#[inline(always)]
pub(super) fn scatter(motions: [Vec4; 4], bodies: [u32; 4], to: &mut [Twist]) {
    let each = across(motions);
    to[bodies[3] as usize] = bytemuck::cast(each[3]);
    to[bodies[2] as usize] = bytemuck::cast(each[2]);
    to[bodies[1] as usize] = bytemuck::cast(each[1]);
    to[bodies[0] as usize] = bytemuck::cast(each[0]);
}

/// `1/x`, or 0 where that is not positive.
#[inline(always)]
pub(crate) fn inverse(x: Vec4) -> Vec4 {
    let positive = x.cmpgt(Vec4::ZERO);
    Vec4::select(positive, Vec4::select(positive, x, Vec4::ONE).recip(), Vec4::ZERO)
}

/// Four vectors of four, read across: the first of each, the second of each, and so on.
#[inline(always)]
fn across([a, b, c, d]: [Vec4; 4]) -> [Vec4; 4] {
    let turned = Mat4::from_cols(a, b, c, d).transpose();
    [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis]
}
