//! An edge of a soft body: it holds two points, each a node of its own, at a distance, stiffly or as a damped
//! spring.

use super::motions::{PairMotions, gather_both, inverse};
use super::strip;
use crate::math::{Lane, Mapped};
use crate::solver::nodes::Twist;
use crate::solver::rows::Returns;
use glam::Vec4;

/// Edges shorter than this have no direction of their own, m.
const SHORTEST: f32 = 1e-12;

/// Between which nodes an edge is, and how it gives way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    pub(crate) nodes: [u32; 2],
    /// m/N; 0 for a stiff one.
    pub(crate) compliance: f32,
    /// N·s/m.
    pub(crate) damping: f32,
}

/// Four edges side by side. Idle lanes, the last ones, have no mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EdgeQuad {
    bodies: [[u32; 4]; 2],
    inv_mass: [Vec4; 2],
    /// From the first node to the second, a unit vector along x and y.
    along: [Vec4; 2],
    /// How much too long it is, m.
    error: Vec4,
    /// What an edge gives for what it lacks, kg; of a spring with what it gives way.
    mass: Vec4,
    /// A spring as a softened row (Catto, “Soft Constraints”, GDC 2011): `J·v + γ·λ = −β·C`. Of stiff edges `γ` is 0.
    gamma: Vec4,
    beta: Vec4,
    pulled: Vec4,
    compliance: Vec4,
    damping: Vec4,
}

impl strip::Quad for EdgeQuad {
    fn bodies(&mut self) -> &mut [[u32; 4]; 2] {
        &mut self.bodies
    }
}

impl EdgeQuad {
    /// Puts an edge between two nodes into a lane, with what it has given.
    pub(super) fn span(&mut self, lane: usize, span: &Span, inv_mass: [f32; 2], pulled: f32) {
        self.inv_mass.set_lane(lane, inv_mass);
        self.compliance.set_lane(lane, span.compliance);
        self.damping.set_lane(lane, span.damping);
        self.pulled.set_lane(lane, pulled);
    }

    /// What an edge has given, N·s: positive where it has pushed its ends apart.
    pub(super) fn pulled(&self, lane: usize) -> f32 {
        self.pulled.lane(lane)
    }

    /// Says how long an edge is when it is at rest, before [`EdgeQuad::put`].
    #[inline]
    pub(super) fn put_rest(&mut self, lane: usize, rest: f32) {
        self.error.set_lane(lane, -rest);
    }

    /// Takes all as they are now; `poses` begin with the place of each node.
    #[inline(always)]
    pub(super) fn put(&mut self, poses: &[Vec4]) {
        let [a, b] = gather_both(&self.bodies, poses);
        let length = self.point([b[0] - a[0], b[1] - a[1]]);
        self.error += length;
    }

    /// Points along that way, and returns how long it is.
    #[inline(always)]
    fn point(&mut self, [x, y]: [Vec4; 2]) -> Vec4 {
        let length = length([x, y]);
        let has_direction = length.cmpgt(Vec4::splat(SHORTEST));
        let inverse = Vec4::select(has_direction, length, Vec4::ONE).recip();
        self.along[0] = Vec4::select(has_direction, x * inverse, Vec4::ONE);
        self.along[1] = Vec4::select(has_direction, y * inverse, Vec4::ZERO);
        length
    }

    /// Lets springs act for `time` seconds.
    #[inline(always)]
    pub(super) fn time(&mut self, time: f32) {
        self.beta = (self.damping * self.compliance + time).recip();
        self.gamma = self.compliance * self.beta / time;
        let mobility = self.inv_mass[0] + self.inv_mass[1];
        // An idle lane has no mass: it must not have what it gives way either.
        let counts = mobility.cmpgt(Vec4::ZERO);
        self.mass = Vec4::select(counts, inverse(mobility + self.gamma), Vec4::ZERO);
    }

    /// Starts from the part `scale` of what was given.
    #[inline(always)]
    pub(super) fn start(&mut self, scale: f32, speeds: &mut [Twist]) {
        let mut motions = PairMotions::read(&self.bodies, speeds);
        self.pulled *= scale;
        self.pull(self.pulled, &mut motions);
        motions.write(&self.bodies, speeds);
    }

    /// The same for displacements: from all of it where a spring gives way more easily than its ends, less the stiffer it is
    /// beyond that, and nothing of stiff edges.
    #[inline(always)]
    pub(super) fn start_springs(&mut self, travels: &mut [Twist]) {
        // Of what both give way the spring has this part.
        let part = self.gamma * self.mass;
        self.pulled *= (part / (Vec4::ONE - part)).min(Vec4::ONE);
        self.start(1.0, travels);
    }

    /// Takes a part of what each has given, without any effect.
    pub(super) fn keep(&mut self, part: Vec4) {
        self.pulled *= part;
    }

    /// The nodes of each.
    pub(super) fn sides(&self) -> &[[u32; 4]; 2] {
        &self.bodies
    }

    /// Sets what each has given to `given`, without any effect; returns what it was.
    pub(super) fn exchange(&mut self, given: Vec4) -> Vec4 {
        std::mem::replace(&mut self.pulled, given)
    }

    /// A round over velocities: the ends come to move alike along the edge, but for what its error gives back. Springs act,
    /// if they do, on velocities (`Some(1.0)`), or on displacements in a sub-step of so many seconds; then their law is
    /// that of XPBD (Macklin, Müller, Chentanez, 2016, eq. 26) over `1 + γ`, and what is given is in kg·m. If they do not
    /// act they keep what they have given.
    #[inline(always)]
    pub(super) fn solve(&mut self, returns: Returns, springs: Option<f32>, speeds: &mut [Twist]) {
        let mut motions = PairMotions::read(&self.bodies, speeds);
        let most = Vec4::splat(returns.most);
        let stiff = self.compliance.cmpeq(Vec4::ZERO);
        let back = (returns.pace * self.error).max(-most).min(most);
        let pace = Vec4::splat(springs.unwrap_or(0.0)) * self.beta;
        let back = Vec4::select(stiff, back, pace * self.error + self.gamma * self.pulled);
        let mut by = -self.mass * (self.speed(&motions) + back);
        if springs.is_none() {
            by = Vec4::select(stiff, by, Vec4::ZERO);
        }
        self.pulled += by;
        self.pull(by, &mut motions);
        motions.write(&self.bodies, speeds);
    }

    /// Takes directions and errors anew after nodes, which were at `poses`, have moved by `travels`. Returns the largest
    /// error of a stiff edge now, m.
    #[inline(always)]
    pub(super) fn follow(&mut self, poses: &[Vec4], travels: &[Twist]) -> f32 {
        let [a, b] = gather_both(&self.bodies, poses);
        let [[ax, ay], [bx, by]] = PairMotions::read(&self.bodies, travels).linear;
        let way = [b[0] - a[0], b[1] - a[1]];
        let now = [way[0] + (bx - ax), way[1] + (by - ay)];
        let grown = self.point(now) - length(way);
        self.error += grown;
        let stiff = self.compliance.cmpeq(Vec4::ZERO) & self.mass.cmpgt(Vec4::ZERO);
        Vec4::select(stiff, self.error.abs(), Vec4::ZERO).max_element()
    }

    /// How fast, or how far, the ends move apart along the edge.
    #[inline(always)]
    fn speed(&self, motions: &PairMotions) -> Vec4 {
        let [[ax, ay], [bx, by]] = motions.linear;
        self.along[0] * (bx - ax) + self.along[1] * (by - ay)
    }

    /// Adds what impulses along the edges do.
    #[inline(always)]
    fn pull(&self, by: Vec4, motions: &mut PairMotions) {
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let change = sign * self.inv_mass[side] * by;
            for (linear, along) in motions.linear[side].iter_mut().zip(self.along) {
                *linear += change * along;
            }
        }
    }
}

#[inline(always)]
fn length([x, y]: [Vec4; 2]) -> Vec4 {
    Vec4::from_array((x * x + y * y).to_array().mapped(f32::sqrt))
}
