//! Joints of a model: anchors, and what is held between them.

use crate::math::{Rot, Vec2};
use crate::scene::{JointKind, Motor, Steering, Track};
use crate::world::Anchor;

/// What holds an anchor to another one, or to the world.
#[derive(Clone, Debug)]
pub struct Joint {
    /// The name from the scene.
    pub id: String,
    /// Its number; no other joint of the world ever has the same. Later joints have larger ones.
    pub serial: u32,
    /// The first body.
    pub body_a: u32,
    /// The place on the first body.
    pub a: Anchor,
    /// The place on the second body or in the world.
    pub b: JointEnd,
    /// What it holds and what it leaves free. Axes are in the frame of the first body.
    pub kind: JointKind,
    /// The range of a pin.
    pub limit: Option<Limit>,
    /// What drives it. What it is told to do now is in the state.
    pub motor: Option<Motor>,
    /// What its motor is told as time goes by.
    pub track: Option<Track>,
    /// What keys tell its motor while they are held.
    pub steering: Option<Steering>,
    /// The simulated time at which the joint was made, and its track begins, s.
    pub made: f64,
    /// The angles of its two bodies when the joint was made, rad.
    pub start: [f32; 2],
    /// The length of a pulley's rope, `length_a + ratio·length_b`, m; 0 for other kinds.
    pub rope: f32,
    /// More force than this breaks it, N; infinite for a joint that does not break.
    pub break_force: f32,
    /// More torque than this breaks it, N·m.
    pub break_torque: f32,
    /// Whether the two bodies collide with each other all the same.
    pub collide: bool,
}

impl Joint {
    /// Whether it is a distance that a servo drives.
    #[must_use]
    pub fn is_muscle(&self) -> bool {
        matches!(self.kind, JointKind::Distance { .. }) && self.motor.is_some()
    }

    /// Whether a servo drives it.
    pub(crate) fn is_servo(&self) -> bool {
        matches!(self.motor, Some(Motor::Servo { .. }))
    }

    /// Whether what it holds depends on how its bodies are turned.
    pub(crate) fn minds_rotation(&self) -> bool {
        match self.kind {
            JointKind::Pin { .. } => self.limit.is_some() || self.motor.is_some(),
            JointKind::Distance { .. } | JointKind::Pulley { .. } => false,
            _ => true,
        }
    }

    /// How its bodies are turned, as `of` tells of each, and the world by nothing; all by nothing where what it holds does
    /// not depend on that.
    pub(crate) fn rots(&self, of: impl Fn(u32, &Anchor) -> Rot) -> [Rot; 2] {
        if !self.minds_rotation() {
            return [Rot::IDENTITY; 2];
        }
        let second = match &self.b {
            JointEnd::Body { body, anchor } => of(*body, anchor),
            JointEnd::World(_) => Rot::IDENTITY,
        };
        [of(self.body_a, &self.a), second]
    }

    /// Takes note that the body at one of its ends is turned by `by` more than before because other points tell that now.
    pub(crate) fn turn_frame(&mut self, end: usize, by: Rot) {
        self.start[end] += by.radians();
        let relative = if end == 0 { by.inverse() } else { by };
        if let Some(limit) = &mut self.limit {
            limit.middle = relative.after(limit.middle);
        }
        if let (0, JointKind::Slider { axis, .. } | JointKind::Wheel { axis, .. }) =
            (end, &mut self.kind)
        {
            *axis = by.unapply(*axis);
        }
    }

    /// Where its two ends are, m, as `of` tells of an anchor of a body.
    pub(crate) fn places(&self, of: impl Fn(u32, &Anchor) -> Vec2) -> [Vec2; 2] {
        let second = match &self.b {
            JointEnd::Body { body, anchor } => of(*body, anchor),
            JointEnd::World(at) => *at,
        };
        [of(self.body_a, &self.a), second]
    }

    /// The body at one of its ends, 0 or 1, and the place on it, if it is not in the world.
    pub(crate) fn end(&self, end: usize) -> Option<(u32, Anchor)> {
        match (end, &self.b) {
            (0, _) => Some((self.body_a, self.a)),
            (_, JointEnd::Body { body, anchor }) => Some((*body, *anchor)),
            (_, JointEnd::World(_)) => None,
        }
    }

    /// The bodies that it holds: one or two.
    pub(crate) fn bodies(&self) -> impl Iterator<Item = u32> + use<> {
        [Some(self.body_a), self.b.body()].into_iter().flatten()
    }
}

/// Where the second end of a joint is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointEnd {
    /// On a body.
    Body {
        /// The body.
        body: u32,
        /// The place on it.
        anchor: Anchor,
    },
    /// Fixed in the world, m.
    World(Vec2),
}

impl JointEnd {
    /// The body, if it is on one.
    #[must_use]
    pub fn body(&self) -> Option<u32> {
        if let Self::Body { body, .. } = *self { Some(body) } else { None }
    }

    /// Where it is.
    #[inline]
    #[must_use]
    pub fn position(&self, positions: &[Vec2]) -> Vec2 {
        match self {
            Self::Body { anchor, .. } => anchor.sample(positions),
            Self::World(at) => *at,
        }
    }
}

/// An angle limit in a form that needs no trigonometry: the relative rotation that lies in the
/// middle of the range, and half the range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// The relative rotation `R_a⁻¹ R_b` in the middle of the range.
    pub middle: Rot,
    /// Half the range, as a rotation; its angle is in [0, π].
    pub half: Rot,
}

impl Limit {
    /// How much further `relative` (`R_a⁻¹ R_b`) may turn back to the lower end and forward to the
    /// upper end, rad: negative beyond that end. Exact for small angles, saturating at ±1 from 90°.
    #[inline]
    #[must_use]
    pub fn slack(&self, relative: Rot) -> [f32; 2] {
        let from_middle = self.middle.inverse().after(relative);
        let off = Rot { c: from_middle.c, s: from_middle.s.abs() };
        // Which side of an end it is on, its sine says. Cosines are too coarse: those of all angles below 0.0003 are 1.
        let to_near = self.half.after(off.inverse());
        let near = if to_near.c > 0.0 {
            to_near.s
        } else if off.c >= self.half.c {
            1.0
        } else {
            -1.0
        };
        let to_far = off.after(self.half);
        let far = if self.half.c > 0.0 && to_far.c > 0.0 { to_far.s } else { 1.0 };
        if from_middle.s >= 0.0 { [far, near] } else { [near, far] }
    }

    /// How far `relative` (`R_a⁻¹ R_b`) is beyond the range, rad: positive past the upper end,
    /// negative past the lower end, 0 inside.
    #[inline]
    #[must_use]
    pub fn excess(&self, relative: Rot) -> f32 {
        let [lower, upper] = self.slack(relative);
        if upper < 0.0 { -upper } else { lower.min(0.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    #[test]
    fn limit_excess_is_the_angle_beyond_the_range() {
        let limit = Limit { middle: Rot::from_radians(0.5), half: Rot::from_radians(0.75) };
        for (angle, expected) in [(0.5, 0.0), (1.24, 0.0), (1.35, 0.1), (-0.24, 0.0), (-0.35, -0.1)]
        {
            let excess = limit.excess(Rot::from_radians(angle));
            assert_relative_eq!(excess, expected, epsilon = 2e-4);
        }
        let [lower, upper] = limit.slack(Rot::from_radians(1.15));
        assert_relative_eq!(upper, 0.1, epsilon = 2e-4);
        assert_relative_eq!(lower, (1.4_f32).sin(), epsilon = 2e-4);
        assert_relative_eq!(limit.excess(Rot::from_radians(3.4)), 1.0);
        assert_relative_eq!(limit.excess(Rot::from_radians(-2.4)), -1.0);
    }

    #[test]
    fn slack_keeps_its_sign_next_to_an_end() {
        // An end that vanishes for a sub-step lets go of whatever presses against it.
        for range in [0.0, 1e-4, 0.05, 1.0, 1.5, 2.0, 3.0_f32] {
            let limit = Limit { middle: Rot::from_radians(0.5), half: Rot::from_radians(range) };
            for beyond in (-40..=40).map(|k| k as f32 * 1e-7) {
                for sign in [1.0, -1.0] {
                    let [mut far, mut near] =
                        limit.slack(Rot::from_radians(0.5 + sign * (range + beyond)));
                    if sign < 0.0 {
                        (far, near) = (near, far);
                    }
                    assert!((near + beyond).abs() < 1e-6, "{range} {beyond}: {near}");
                    let wanted = if range < 0.7 { (2.0 * range + beyond).sin() } else { 1.0 };
                    assert!((far - wanted).abs() < 1e-6, "{range} {beyond}: {far}");
                }
            }
        }
    }
}
