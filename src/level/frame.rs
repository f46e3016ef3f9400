//! Where the inside of a prefab lies in the world: mirrored, scaled, turned and moved.
//!
//! A frame is a similarity `p ↦ t + R(θ)·s·M·p`, where `M` turns the x axis round or leaves it.
//! Since `M·R(θ) = R(−θ)·M`, a mirrored body is the mirrored figure turned the other way, and frames
//! within frames are frames again. Lengths scale, speeds and angular velocities do not.

use super::diagnostic::{Report, ticked};
use super::shape;
use super::tree::Place;
use crate::math::{Rot, Vec2};
use crate::scene::{BodyDef, BodyKind, JointDef, JointKind, Style};

/// A placement of a prefab's inside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Frame {
    pub(super) mirrored: bool,
    pub(super) scale: f32,
    /// Radians.
    pub(super) angle: f32,
    pub(super) at: Vec2,
    /// Added to the velocity of what moves, in the directions of the world, m/s.
    pub(super) velocity: Vec2,
}

impl Default for Frame {
    fn default() -> Self {
        Self { mirrored: false, scale: 1.0, angle: 0.0, at: Vec2::ZERO, velocity: Vec2::ZERO }
    }
}

impl Frame {
    /// The place in the world of a place inside.
    pub(super) fn point(&self, point: Vec2) -> Vec2 {
        self.at + self.scale * self.direction(point)
    }

    /// A velocity or direction inside, in the world.
    fn direction(&self, vector: Vec2) -> Vec2 {
        let mirrored = if self.mirrored { Vec2::new(-vector.x, vector.y) } else { vector };
        // Most frames are not turned, and a coordinate should come out as it was written.
        if self.angle == 0.0 { mirrored } else { Rot::from_radians(self.angle).apply(mirrored) }
    }

    /// The angle in the world of a body turned by `angle` inside, rad.
    pub(super) fn turned(&self, angle: f32) -> f32 {
        self.angle + if self.mirrored { -angle } else { angle }
    }

    /// The frame in the world of a frame inside this one.
    pub(super) fn compose(&self, inner: &Self) -> Self {
        Self {
            mirrored: self.mirrored != inner.mirrored,
            scale: self.scale * inner.scale,
            angle: self.turned(inner.angle),
            at: self.point(inner.at),
            velocity: self.velocity + self.direction(inner.velocity),
        }
    }

    /// Puts a body from inside into the world. `None` if it would be too small there, which is
    /// reported.
    pub(super) fn body(
        &self,
        mut def: BodyDef,
        item: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<BodyDef> {
        if *self == Self::default() {
            return Some(def);
        }
        if self.mirrored || self.scale != 1.0 {
            let Some(shape) = shape::transformed(&def.shape, self.mirrored, self.scale) else {
                let message = format!("{} is too small at a scale of {}", def.id, self.scale);
                report.error_with_help(item, message, "use a larger `scale` or larger sizes");
                return None;
            };
            def.shape = shape;
        }
        def.position = self.point(def.position);
        def.angle = self.turned(def.angle);
        def.velocity = self.direction(def.velocity);
        if self.mirrored {
            def.spin = -def.spin;
            if let Style::Head { facing_left, .. } = &mut def.look.style {
                *facing_left = !*facing_left;
            }
        }
        if def.kind != BodyKind::Static {
            def.velocity += self.velocity;
        }
        Some(def)
    }

    /// Puts a joint from inside into the world.
    pub(super) fn joint(&self, def: JointDef) -> JointDef {
        let mut def = def.scaled(self.scale);
        if self.mirrored {
            def = def.mirrored();
        }
        def.at = self.point(def.at);
        def.to = def.to.map(|to| self.point(to));
        match &mut def.kind {
            JointKind::Slider { axis, .. } | JointKind::Wheel { axis, .. } => {
                *axis = self.direction(*axis);
            }
            JointKind::Pulley { over, .. } => *over = over.map(|at| self.point(at)),
            _ => {}
        }
        def
    }
}

/// The scales that are accepted.
const SCALE_RANGE: (f32, f32) = (0.001, 1000.0);

/// Whether the scale at `place` is of use; reports it if not.
pub(super) fn check_scale(scale: f32, place: &Place<'_>, report: &mut Report<'_>) -> bool {
    let (low, high) = SCALE_RANGE;
    let good = scale >= low && scale <= high;
    if !good {
        let message = format!("{} {scale} is outside {low} to {high}", ticked("scale"));
        let help = "to turn a prefab round, use \"mirror\": \"x\"";
        report.error_with_help(place, message, help);
    }
    good
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_in_a_frame_is_both_one_after_the_other() {
        let frame = |mirrored, scale, angle, x, y| Frame {
            mirrored,
            scale,
            angle,
            at: Vec2::new(x, y),
            velocity: Vec2::ZERO,
        };
        let frames =
            [frame(false, 2.0, 0.3, 1.0, 2.0), frame(true, 0.5, -1.2, -3.0, 1.0), Frame::default()];
        let point = Vec2::new(0.7, -0.4);
        for outer in frames {
            for inner in frames {
                let both = outer.compose(&inner);
                let one_by_one = outer.point(inner.point(point));
                assert!(both.point(point).distance(one_by_one) < 1e-5, "{outer:?} {inner:?}");
            }
        }
    }
}
