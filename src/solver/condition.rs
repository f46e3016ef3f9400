//! Joints as scalar conditions: what every backend solves in its own way.
//!
//! A condition is a number `C` of two anchors and of the angles of their bodies, its derivative, and
//! a rule: `C` is to be 0, or not below 0, or pulls like a spring, or is to change at some speed. All
//! joints come down to these:
//!
//! | joint | conditions |
//! |---|---|
//! | pin | the gap between the anchors, along x and along y |
//! | weld | those, and the relative angle |
//! | distance | the distance; for a range, what is left to each end; for a muscle, its length |
//! | slider | the gap across the axis, and the relative angle |
//! | wheel | the gap across the axis, and that along it as a spring |
//! | gear | `ratio·θ_a + θ_b` |
//! | pulley | what is left of the rope |
//! | turn | none |
//!
//! and what limits or drives them. Springs come after what holds: the force of a spring is right when
//! it is found last, while what holds is put right again in the next sub-step. A joint has the same
//! conditions in the same order at all times, so that a backend may start each from what it gave
//! before; one that has nothing to do is `Off`.

use crate::math::{Mapped, Rot, Vec2, cross, direction_or, left};
use crate::scene::{JointKind, Motor, Spring, Travel};
use crate::world::{Joint, JointState, nearest_angle};

/// A limit farther from its end than this is off, as a sine.
pub(crate) const LIMIT_REACH: f32 = 0.5;

/// One scalar condition of a joint.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Condition {
    /// Derivative by the position of each anchor.
    pub(crate) linear: [Vec2; 2],
    /// Derivative by the angle of each body.
    pub(crate) angular: [f32; 2],
    /// `C` now, m or rad.
    pub(crate) error: f32,
    pub(crate) rule: Rule,
}

/// The angle of the second body relative to the first, wherever it is.
const RELATIVE_TURN: Condition =
    Condition { linear: [Vec2::ZERO; 2], angular: [-1.0, 1.0], error: 0.0, rule: Rule::Off };

/// What a condition asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Rule {
    /// Nothing now.
    #[default]
    Off,
    /// `C = 0`.
    Hold,
    /// `C = 0` together with the condition that follows.
    Both,
    /// The second of such a pair.
    Second,
    /// `C ≥ 0`.
    Floor,
    /// A force `−stiffness·C − damping·Ċ`, at most `most` either way.
    Spring { spring: Spring, most: f32 },
    /// `Ċ = speed`, as far as a force of `most` goes.
    Drive { speed: f32, most: f32 },
}

/// The conditions of a joint; reads as a slice.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Conditions {
    list: [Condition; 6],
    count: usize,
}

impl std::ops::Deref for Conditions {
    type Target = [Condition];

    #[inline]
    fn deref(&self) -> &[Condition] {
        &self.list[..self.count]
    }
}

/// A joint, and where its two ends are and how its two bodies are turned.
struct Ends<'a> {
    joint: &'a Joint,
    state: &'a JointState,
    rots: [Rot; 2],
    /// From the first anchor to the second.
    gap: Vec2,
    at: [Vec2; 2],
}

impl Conditions {
    /// The conditions of `joint` with its two ends at these places and its bodies turned by `rots`.
    pub(crate) fn of(joint: &Joint, state: &JointState, at: [Vec2; 2], rots: [Rot; 2]) -> Self {
        let mut all = Self::default();
        all.take(joint, state, at, rots);
        all
    }

    /// Becomes that.
    #[inline]
    pub(crate) fn take(
        &mut self,
        joint: &Joint,
        state: &JointState,
        at: [Vec2; 2],
        rots: [Rot; 2],
    ) {
        let ends = Ends { joint, state, rots, gap: at[1] - at[0], at };
        let all = self;
        all.count = 0;
        match joint.kind {
            JointKind::Pin { .. } => {
                all.pin(&ends);
                all.drive_angle(&ends);
                all.limit_angle(&ends);
            }
            JointKind::Weld { bend } => {
                let springy = |spring| Rule::Spring { spring, most: f32::MAX };
                all.pin(&ends);
                all.push(ends.angle(bend.map_or(Rule::Hold, springy)));
            }
            JointKind::Distance { least, most, spring } => {
                all.distance(&ends, [least, most], spring);
                all.drive_length(&ends);
            }
            JointKind::Slider { axis, limit } => {
                let axis = rots[0].apply(axis);
                all.push(ends.along(left(axis), Rule::Hold));
                all.push(ends.angle(Rule::Hold));
                all.drive_travel(&ends, axis);
                all.limit_travel(&ends, axis, limit);
            }
            JointKind::Wheel { axis, spring, limit } => {
                let axis = rots[0].apply(axis);
                all.push(ends.along(left(axis), Rule::Hold));
                all.push(ends.along(axis, Rule::Spring { spring, most: f32::MAX }));
                all.limit_travel(&ends, axis, limit);
                all.drive_angle(&ends);
            }
            JointKind::Gear { ratio } => {
                let [a, b] = ends.angles();
                let [start_a, start_b] = joint.start;
                all.push(Condition {
                    angular: [ratio, 1.0],
                    error: ratio * (a - start_a) + (b - start_b),
                    rule: Rule::Hold,
                    ..Condition::default()
                });
            }
            JointKind::Pulley { over, ratio } => all.pulley(&ends, over, ratio),
            JointKind::Turn => all.drive_angle(&ends),
        }
    }

    fn push(&mut self, condition: Condition) {
        self.list[self.count] = condition;
        self.count += 1;
    }

    /// The gap along x and y.
    fn pin(&mut self, ends: &Ends<'_>) {
        for (axis, rule) in [(Vec2::X, Rule::Both), (Vec2::Y, Rule::Second)] {
            let linear = [-axis, axis];
            let error = ends.gap.dot(axis);
            self.push(Condition { linear, error, rule, ..Condition::default() });
        }
    }

    /// Both ends of a range of angles.
    fn limit_angle(&mut self, ends: &Ends<'_>) {
        let Some(limit) = ends.joint.limit else { return };
        let relative = ends.rots[0].inverse().after(ends.rots[1]);
        // Slack to the lower end grows as b turns forward, slack to the upper end shrinks.
        for (error, sign) in limit.slack(relative).into_iter().zip([1.0, -1.0]) {
            let rule = if error < LIMIT_REACH { Rule::Floor } else { Rule::Off };
            self.push(Condition { angular: [-sign, sign], error, rule, ..Condition::default() });
        }
    }

    /// Both ends of a range of places along an axis.
    fn limit_travel(&mut self, ends: &Ends<'_>, axis: Vec2, limit: Option<Travel>) {
        let Some(Travel { lower, upper }) = limit else { return };
        let travel = ends.along(axis, Rule::Floor);
        self.push(Condition { error: travel.error - lower, ..travel });
        self.push(Condition { error: upper - travel.error, ..travel.negated() });
    }

    fn drive_angle(&mut self, ends: &Ends<'_>) {
        if let Some(motor) = ends.joint.motor {
            // What turns at some speed may be at any angle, which takes long to find.
            let angle = match motor {
                Motor::Speed { .. } => RELATIVE_TURN,
                Motor::Servo { .. } => ends.angle(Rule::Off),
            };
            self.push(ends.driven(motor, angle));
        }
    }

    fn drive_travel(&mut self, ends: &Ends<'_>, axis: Vec2) {
        if let Some(motor) = ends.joint.motor {
            self.push(ends.driven(motor, ends.along(axis, Rule::Off)));
        }
    }

    fn drive_length(&mut self, ends: &Ends<'_>) {
        if let Some(motor) = ends.joint.motor {
            let along = direction_or(ends.gap, Vec2::Y);
            let linear = [-along, along];
            let length = Condition { linear, error: ends.gap.length(), ..Condition::default() };
            self.push(ends.driven(motor, length));
        }
    }

    fn distance(&mut self, ends: &Ends<'_>, [least, most]: [f32; 2], spring: Option<Spring>) {
        let length = ends.gap.length();
        let along = direction_or(ends.gap, Vec2::Y);
        let beyond = |error: f32, sign: f32, rule: Rule| {
            let linear = [-sign * along, sign * along];
            Condition { linear, error, rule, ..Condition::default() }
        };
        let springy = |spring| Rule::Spring { spring, most: f32::MAX };
        if least == most {
            return self.push(beyond(length - most, 1.0, spring.map_or(Rule::Hold, springy)));
        }
        for (slack, sign) in [(length - least, 1.0), (most - length, -1.0)] {
            let rule = match spring {
                None => Rule::Floor,
                Some(spring) if slack < 0.0 => springy(spring),
                Some(_) => Rule::Off,
            };
            self.push(beyond(slack, sign, rule));
        }
    }

    fn pulley(&mut self, ends: &Ends<'_>, over: [Vec2; 2], ratio: f32) {
        let down = [ends.at[0] - over[0], ends.at[1] - over[1]];
        let along = down.mapped(|rope| direction_or(rope, -Vec2::Y));
        self.push(Condition {
            linear: [-along[0], -ratio * along[1]],
            error: ends.joint.rope - (down[0].length() + ratio * down[1].length()),
            rule: Rule::Floor,
            ..Condition::default()
        });
    }
}

/// Where the force of a pin acts whose two ends are at these places. Where it is a little open, that is still one line, or
/// the pair of forces would turn both bodies: the one through the middle of two that move as blocks; of others, which stand
/// still or are points that nothing turns, their place.
pub(crate) fn pulls_at(at: [Vec2; 2], move_as_blocks: [bool; 2]) -> Vec2 {
    match move_as_blocks {
        [true, false] => at[1],
        [false, true] => at[0],
        [true, true] | [false, false] => 0.5 * (at[0] + at[1]),
    }
}

/// The angles of the two bodies of a joint through full turns, if they are turned so now.
fn angles(state: &JointState, rots: [Rot; 2]) -> [f32; 2] {
    let now = |k: usize| nearest_angle(rots[k], state.angles[k]);
    [now(0), now(1)]
}

/// How far the second body of a joint has turned relative to the first, from the start, rad.
pub(crate) fn turned(joint: &Joint, state: &JointState, rots: [Rot; 2]) -> f32 {
    let ([a, b], [start_a, start_b]) = (angles(state, rots), joint.start);
    (b - start_b) - (a - start_a)
}

impl Ends<'_> {
    /// The angles of the two bodies through full turns.
    fn angles(&self) -> [f32; 2] {
        angles(self.state, self.rots)
    }

    /// The angle of the second body relative to the first, from the start.
    fn angle(&self, rule: Rule) -> Condition {
        let error = turned(self.joint, self.state, self.rots);
        Condition { error, rule, ..RELATIVE_TURN }
    }

    /// The gap along an axis that turns with the first body.
    fn along(&self, axis: Vec2, rule: Rule) -> Condition {
        Condition {
            linear: [-axis, axis],
            angular: [cross(axis, self.gap), 0.0],
            error: self.gap.dot(axis),
            rule,
        }
    }

    /// A coordinate as its motor drives it.
    fn driven(&self, motor: Motor, coordinate: Condition) -> Condition {
        if self.state.idle {
            return Condition { rule: Rule::Off, ..coordinate };
        }
        let target = self.state.target;
        match motor {
            Motor::Speed { most, .. } => {
                Condition { rule: Rule::Drive { speed: target, most }, ..coordinate }
            }
            Motor::Servo { spring, most, .. } => Condition {
                error: coordinate.error - target,
                rule: Rule::Spring { spring, most },
                ..coordinate
            },
        }
    }
}

impl Condition {
    fn negated(self) -> Self {
        Self {
            linear: self.linear.mapped(|linear| -linear),
            angular: self.angular.mapped(|angular| -angular),
            error: -self.error,
            ..self
        }
    }
}
