//! The motions of the bodies of four manifolds: gathered from their bundle, changed, written back.

use super::Quad;
use crate::solver::nodes::Twist;
use glam::{Mat4, Vec4};

/// The lever arms of one direction on the first and second bodies of a quad.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Arms(pub(super) [Vec4; 2]);

impl Arms {
    pub(super) fn set(&mut self, lane: usize, arms: [f32; 2]) {
        (self.0[0][lane], self.0[1][lane]) = (arms[0], arms[1]);
    }

    pub(super) fn get(&self, lane: usize) -> [f32; 2] {
        self.0.map(|side| side[lane])
    }
}

/// Velocities, or displacements, of the two bodies of each manifold, as the manifolds see them: how the
/// first moves against the second, along the normal and along the surface, and how each turns.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motions {
    pub(super) normal: Vec4,
    pub(super) tangent: Vec4,
    turn: [Vec4; 2],
    inv_inertia: [Vec4; 2],
    /// What was read: x and y of both bodies.
    from: [[Vec4; 2]; 2],
    /// The impulses since, along the normal and along the surface.
    pushed: Vec4,
    rubbed: Vec4,
}

impl Motions {
    /// Reads them.
    #[inline(always)]
    pub(super) fn read(quad: &Quad, of: &[Twist]) -> Self {
        let one = |node: u32| bytemuck::cast(of[node as usize]);
        let side = |nodes: [u32; 4]| across(nodes.map(one));
        let [a, b] = quad.nodes.map(side);
        let (x, y) = (a[0] - b[0], a[1] - b[1]);
        let [nx, ny] = quad.normal;
        Self {
            normal: nx * x + ny * y,
            tangent: nx * y - ny * x,
            turn: [a[2], b[2]],
            inv_inertia: [a[3], b[3]],
            from: [[a[0], a[1]], [b[0], b[1]]],
            pushed: Vec4::ZERO,
            rubbed: Vec4::ZERO,
        }
    }

    /// Writes them back. The last lane comes first: an idle one has read, unchanged, the nodes of one before it.
    #[inline(always)]
    pub(super) fn write(&self, quad: &Quad, to: &mut [Twist]) {
        let [nx, ny] = quad.normal;
        let x = nx * self.pushed - ny * self.rubbed;
        let y = ny * self.pushed + nx * self.rubbed;
        let mut side = |side: usize, inv_mass: Vec4| {
            let [from_x, from_y] = self.from[side];
            let (x, y) = (from_x + inv_mass * x, from_y + inv_mass * y);
            let each = across([x, y, self.turn[side], self.inv_inertia[side]]);
            let nodes = quad.nodes[side];
            to[nodes[3] as usize] = bytemuck::cast(each[3]);
            to[nodes[2] as usize] = bytemuck::cast(each[2]);
            to[nodes[1] as usize] = bytemuck::cast(each[1]);
            to[nodes[0] as usize] = bytemuck::cast(each[0]);
        };
        side(0, quad.inv_mass[0]);
        side(1, -quad.inv_mass[1]);
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

    #[inline(always)]
    fn turned(&self, arms: &Arms) -> Vec4 {
        arms.0[0] * self.turn[0] - arms.0[1] * self.turn[1]
    }

    /// Adds what impulses along the normals do.
    #[inline(always)]
    pub(super) fn push(&mut self, quad: &Quad, arms: &Arms, by: Vec4) {
        self.normal += (quad.inv_mass[0] + quad.inv_mass[1]) * by;
        self.pushed += by;
        self.spin(arms, by);
    }

    /// Adds what impulses along the surfaces do.
    #[inline(always)]
    pub(super) fn rub(&mut self, quad: &Quad, arms: &Arms, by: Vec4) {
        self.tangent += (quad.inv_mass[0] + quad.inv_mass[1]) * by;
        self.rubbed += by;
        self.spin(arms, by);
    }

    #[inline(always)]
    fn spin(&mut self, arms: &Arms, by: Vec4) {
        self.turn[0] += (self.inv_inertia[0] * arms.0[0]) * by;
        self.turn[1] -= (self.inv_inertia[1] * arms.0[1]) * by;
    }
}

/// Four vectors of four, read across: the first of each, the second of each, and so on.
#[inline(always)]
fn across([a, b, c, d]: [Vec4; 4]) -> [Vec4; 4] {
    let turned = Mat4::from_cols(a, b, c, d).transpose();
    [turned.x_axis, turned.y_axis, turned.z_axis, turned.w_axis]
}
