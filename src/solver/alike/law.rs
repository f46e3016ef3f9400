//! How edges, bends and areas of four bodies give way.

use wide::{f32x4, f64x4};

use super::lanes::{LANES, Plane, splat, wide};
use crate::solver::direct::STIFF;

/// What is left of constraints, as a backend measures it. What is to be satisfied is that this is nothing.
pub(crate) trait Measure {
    /// What is left of an edge whose ends have moved apart by `moved`.
    fn edge(&self, edge: &Edge, moved: Plane) -> f32x4;

    /// What is left of a bend or an area that has changed by `moved`.
    fn law(&self, law: &Law, moved: f32x4) -> f32x4;

    /// What something moves, for each m/s.
    fn step(&self) -> f32;

    /// Whether what is left is found along where edges point by then, of which the equations know only as long as edges turn
    /// by little.
    fn follows_turns(&self) -> bool;
}

/// An edge.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Edge {
    pub(crate) soft: Soft,
    pub(crate) rest: f32x4,
    /// What it was when it was taken, its direction, and how much too long it was.
    pub(crate) before: Plane,
    pub(crate) along: Plane,
    pub(crate) error: f32x4,
    /// Its impulse so far, and what of that a stiff one carries without giving way.
    pub(crate) lambda: f32x4,
    pub(crate) carried: f32x4,
    /// Its force in the sub-step before, N.
    pub(crate) pull: f32x4,
    /// Of the spring across it (`direct/sway.rs`): the stiffness of what may not act a sub-step late, the usual speed,
    /// and the impulse.
    pub(super) across: f32x4,
    pub(super) usual: f32x4,
    pub(super) sway: f32x4,
}

/// A bend or an area.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Law {
    pub(crate) soft: Soft,
    /// A bend at rest, its cosine and sine; or the area at rest.
    pub(super) rest: Plane,
    /// The error that counts as 1 m: 1 rad, or a side of a square of the area at rest more or less of area.
    pub(crate) scale: f32x4,
    /// How far it was from rest when it was taken, and `J·M⁻¹·Jᵀ` then if it is stiff.
    pub(crate) error: f32x4,
    pub(super) mobility: f32x4,
    /// As in [`Edge`].
    pub(crate) lambda: f32x4,
    pub(crate) carried: f32x4,
}

/// How something gives way. Of a constraint whose error is `C`, of which `m` has come in this sub-step, and that was
/// given `λ`, there is left `a·C + b·m + c·λ`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Soft {
    /// As in the model: inverse stiffness and damping.
    compliance: f32x4,
    damping: f32x4,
    pub(crate) a: f32x4,
    pub(crate) b: f32x4,
    pub(crate) c: f32x4,
    /// `1/c`.
    pub(super) stiffness: f64x4,
}

impl Soft {
    pub(super) fn new(compliance: [f32; LANES], damping: [f32; LANES]) -> Self {
        let (compliance, damping) = (f32x4::new(compliance), f32x4::new(damping));
        Self { compliance, damping, ..Self::default() }
    }

    /// Makes it ready to be solved for places in a sub-step of `h` seconds, as XPBD counts damping (Macklin, Müller,
    /// Chentanez, “XPBD”, 2016, eq. 26). A stiff one gives way by a trifle of its `mobility`.
    #[inline(always)]
    pub(super) fn time_places(&mut self, h: f32, mobility: f32x4) {
        let alpha = self.compliance * splat(1.0 / (h * h));
        let gamma = self.compliance * self.damping * splat(1.0 / h);
        self.a = f32x4::ONE / (f32x4::ONE + gamma);
        self.b = gamma * self.a;
        self.c = alpha * self.a;
        self.slacken(mobility);
    }

    /// Makes it ready to be solved for velocities, as springs act for `time` seconds: a softened row (Catto, “Soft
    /// Constraints”, GDC 2011).
    #[inline(always)]
    pub(super) fn time_speeds(&mut self, time: f32, mobility: f32x4) {
        self.a = f32x4::ONE / (self.damping * self.compliance + splat(time));
        self.b = f32x4::ONE;
        self.c = self.compliance * self.a * splat(1.0 / time);
        self.slacken(mobility);
    }

    /// Leaves springs out.
    #[inline(always)]
    pub(super) fn rest(&mut self) {
        let is_springy = wide(self.compliance).simd_gt(f64x4::ZERO);
        self.stiffness = is_springy.select(f64x4::ZERO, self.stiffness);
    }

    #[inline(always)]
    fn slacken(&mut self, mobility: f32x4) {
        let trifle = splat(STIFF as f32) * mobility;
        self.c = self.compliance.simd_gt(f32x4::ZERO).select(self.c, trifle);
        let c = wide(self.c);
        self.stiffness = c.simd_gt(f64x4::ZERO).select(f64x4::ONE / c, f64x4::ZERO);
    }

    /// In the lanes of stiff ones all bits, in those of springs none.
    #[inline(always)]
    pub(crate) fn is_stiff(&self) -> f32x4 {
        self.compliance.simd_eq(f32x4::ZERO)
    }

    /// Whether any is a spring, and any is stiff.
    pub(super) fn kinds(&self) -> [bool; 2] {
        [!self.is_stiff().all(), self.is_stiff().any()]
    }

    /// What is left.
    #[inline(always)]
    pub(crate) fn left(&self, error: f32x4, moved: f32x4, lambda: f32x4) -> f32x4 {
        self.a * error + self.b * moved + self.c * lambda
    }
}
