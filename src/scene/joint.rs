//! Joints: what holds two bodies together, or one to the world.
//!
//! | joint | leaves free | of |
//! |---|---|---|
//! | [`Pin`](JointKind::Pin) | turning, within limits | hinges, ragdolls, wheels |
//! | [`Weld`](JointKind::Weld) | nothing, or a springy bend | masts, breakable walls |
//! | [`Distance`](JointKind::Distance) | all but the distance | ropes, rods, springs |
//! | [`Slider`](JointKind::Slider) | sliding along a line, within limits | lifts, pistons |
//! | [`Wheel`](JointKind::Wheel) | turning, and sliding on a spring | suspensions |
//! | [`Gear`](JointKind::Gear) | all but one turn for the other | cogs |
//! | [`Pulley`](JointKind::Pulley) | all but one length for the other | hoists |
//! | [`Turn`](JointKind::Turn) | everything, for its motor to turn | gyroscopes, balance |
//!
//! Any of the first five that turns or slides, and the last, can be driven by a [`Motor`]; a distance can be
//! driven by a servo, and is a muscle then. Any joint can break.

use crate::math::Vec2;
use crate::scene::{Scene, Steering, Track};

/// The description of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDef {
    /// The name used in messages.
    pub id: String,
    /// The first body.
    pub a: String,
    /// The second body, or `None` for the world. The world does not move, so what is said of the second
    /// body relative to the first, such as the sense of a motor, moves the first the other way.
    pub b: Option<String>,
    /// Where it holds the first body, world coordinates at the start, m.
    pub at: Vec2,
    /// Where it holds the second body, m; `None` for the same place.
    pub to: Option<Vec2>,
    /// What it holds and what it leaves free.
    pub kind: JointKind,
    /// What drives the freedom it leaves: turning of a pin or wheel, sliding of a slider.
    pub motor: Option<Motor>,
    /// What its motor is told as time goes by, in place of what it is told at the start.
    pub track: Option<Track>,
    /// What keys tell its motor while they are held.
    pub steering: Option<Steering>,
    /// It breaks under more force than this, N.
    pub break_force: Option<f32>,
    /// It breaks under more torque than this, N·m.
    pub break_torque: Option<f32>,
    /// Whether the two bodies collide with each other all the same.
    pub collide: bool,
}

impl JointDef {
    /// A joint of a kind at `at` between `a` and `b`, or `a` and the world, that never breaks.
    #[must_use]
    pub fn new(
        id: impl Into<String>,
        kind: JointKind,
        a: impl Into<String>,
        b: Option<&str>,
        at: Vec2,
    ) -> Self {
        Self {
            id: id.into(),
            a: a.into(),
            b: b.map(str::to_owned),
            at,
            to: None,
            kind,
            motor: None,
            track: None,
            steering: None,
            break_force: None,
            break_torque: None,
            collide: false,
        }
    }

    /// A pin at `at` between `a` and `b` without an angle limit.
    #[must_use]
    pub fn pin(id: impl Into<String>, a: impl Into<String>, b: Option<&str>, at: Vec2) -> Self {
        Self::new(id, JointKind::Pin { limit: None }, a, b, at)
    }

    /// A rope from `at` on `a` to `to` on `b`, as long as the two are apart, without thickness: it
    /// can go slack but not stretch.
    #[must_use]
    pub fn rope(
        id: impl Into<String>,
        (a, at): (&str, Vec2),
        (b, to): (Option<&str>, Vec2),
    ) -> Self {
        let kind = JointKind::Distance { least: 0.0, most: at.distance(to), spring: None };
        Self { to: Some(to), ..Self::new(id, kind, a, b, at) }
    }

    /// A spring from `at` on `a` to `to` on `b`, relaxed as it is.
    #[must_use]
    pub fn spring(
        id: impl Into<String>,
        (a, at): (&str, Vec2),
        (b, to): (Option<&str>, Vec2),
        spring: Spring,
    ) -> Self {
        let length = at.distance(to);
        let kind = JointKind::Distance { least: length, most: length, spring: Some(spring) };
        Self { to: Some(to), ..Self::new(id, kind, a, b, at) }
    }

    /// A muscle from `at` on `a` to `to` on `b`, which may be the same soft body: it pulls and pushes
    /// the two to a length, m, like a spring, with at most `most` newtons.
    #[must_use]
    pub fn muscle(
        id: impl Into<String>,
        (a, at): (&str, Vec2),
        (b, to): (Option<&str>, Vec2),
        motor: Motor,
    ) -> Self {
        let kind = JointKind::Distance { least: 0.0, most: Scene::LARGEST, spring: None };
        Self { to: Some(to), motor: Some(motor), ..Self::new(id, kind, a, b, at) }
    }

    /// Whether it is a distance that a servo drives.
    #[must_use]
    pub fn is_muscle(&self) -> bool {
        let distance = matches!(self.kind, JointKind::Distance { .. });
        distance && matches!(self.motor, Some(Motor::Servo { .. }))
    }

    /// The range of angles it leaves, if it is a pin that has one.
    #[must_use]
    pub fn limit(&self) -> Option<AngleLimit> {
        if let JointKind::Pin { limit } = self.kind { limit } else { None }
    }
}

impl JointDef {
    /// The same joint seen in a mirror: angles turn the other way. Places and axes, which are in
    /// world coordinates, are the caller's to move.
    #[must_use]
    pub fn mirrored(mut self) -> Self {
        let flip = |limit: AngleLimit| AngleLimit { lower: -limit.upper, upper: -limit.lower };
        let turns = match &mut self.kind {
            JointKind::Pin { limit } => {
                *limit = limit.map(flip);
                true
            }
            JointKind::Wheel { .. } | JointKind::Turn => true,
            _ => false,
        };
        if turns {
            match &mut self.motor {
                Some(Motor::Speed { speed, .. }) => *speed = -*speed,
                Some(Motor::Servo { target, .. }) => *target = -*target,
                None => {}
            }
            self.track = self.track.map(|track| track.scaled(-1.0));
            self.steering = self.steering.map(|steering| steering.scaled(-1.0));
        }
        self
    }

    /// The same joint with its lengths times `factor`. Stiffness, strength and angles stay.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        let scaled =
            |travel: Travel| Travel { lower: factor * travel.lower, upper: factor * travel.upper };
        match &mut self.kind {
            JointKind::Distance { least, most, .. } => {
                *least *= factor;
                *most = (*most * factor).min(Scene::LARGEST);
            }
            JointKind::Slider { limit, .. } | JointKind::Wheel { limit, .. } => {
                *limit = limit.map(scaled);
            }
            _ => {}
        }
        if matches!(self.kind, JointKind::Distance { .. } | JointKind::Slider { .. }) {
            match &mut self.motor {
                Some(Motor::Speed { speed, .. }) => *speed *= factor,
                Some(Motor::Servo { target, .. }) => *target *= factor,
                None => {}
            }
            self.track = self.track.map(|track| track.scaled(factor));
            self.steering = self.steering.map(|steering| steering.scaled(factor));
        }
        self
    }
}

/// What a joint holds and what it leaves free.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Two places stay together; the bodies turn about them.
    Pin {
        /// How far body `b` may turn relative to `a` from its pose at the start.
        limit: Option<AngleLimit>,
    },
    /// Two places and the angle between the bodies stay as they are.
    Weld {
        /// How the angle gives, N·m/rad and N·m·s/rad; `None` for not at all.
        bend: Option<Spring>,
    },
    /// The distance between two places stays within a range: a rod where both ends of the range
    /// are the same, a rope where the range begins at 0.
    Distance {
        /// Shortest, m.
        least: f32,
        /// Longest, m.
        most: f32,
        /// How the ends of the range give, N/m and N·s/m; `None` for not at all.
        spring: Option<Spring>,
    },
    /// The place on `b` slides along a line that is fixed in `a`; the bodies do not turn relative
    /// to each other.
    Slider {
        /// Direction of the line at the start; any length but 0.
        axis: Vec2,
        /// How far it slides.
        limit: Option<Travel>,
    },
    /// The place on `b` slides along a line that is fixed in `a`, held by a spring, and `b` turns
    /// freely: `a` is the chassis, `b` the wheel.
    Wheel {
        /// Direction of the line at the start, from the chassis to the ground or away from it.
        axis: Vec2,
        /// The suspension, N/m and N·s/m; relaxed at the start.
        spring: Spring,
        /// How far it slides.
        limit: Option<Travel>,
    },
    /// What `b` turns is `−ratio` times what `a` turns, however often they go round.
    Gear {
        /// Turns of `b` for a turn of `a` the other way; negative for the same way. Not 0.
        ratio: f32,
    },
    /// Two bodies on the ends of a rope over two fixed wheels: `length_a + ratio·length_b` never
    /// grows. Holds `a` at [`JointDef::at`] and `b` at [`JointDef::to`].
    Pulley {
        /// Where the rope leaves the wheel of `a` and that of `b`, m.
        over: [Vec2; 2],
        /// Length that `a` gains for each metre that `b` loses; positive.
        ratio: f32,
    },
    /// Holds nothing: only its motor acts, on the angle between the bodies, wherever they are.
    Turn,
}

impl JointKind {
    /// The word for it in levels and messages.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Pin { .. } => "pin",
            Self::Weld { .. } => "weld",
            Self::Distance { .. } => "distance",
            Self::Slider { .. } => "slider",
            Self::Wheel { .. } => "wheel",
            Self::Gear { .. } => "gear",
            Self::Pulley { .. } => "pulley",
            Self::Turn => "turn",
        }
    }
}

/// A damped spring: stiffness in N/m and damping in N·s/m; for angles in N·m/rad and N·m·s/rad.
///
/// Springs are integrated implicitly, which is stable at any stiffness and costs swing: what swings at `ω` rad/s without damping
/// has about `exp(−ω²·h·t/2)` of its amplitude after `t` seconds in sub-steps of `h`. At 10 rad/s and 60 steps a second that is a
/// quarter after 20 s on `pbd`, an eighth on `verlet`, a thirtieth on `impulse`, each at its own sub-steps; more steps a
/// second, or more sub-steps, keep more. How long a swing takes is right within a thousandth all the while.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// Force per metre, or torque per radian; [`Spring::SOFTEST`] or more.
    pub stiffness: f32,
    /// Force per m/s, or torque per rad/s; 0 or more.
    pub damping: f32,
}

impl Spring {
    /// The least stiffness, N/m or N·m/rad. Solvers divide by it.
    pub const SOFTEST: f32 = 1e-9;
}

/// What drives a joint: the turning of a pin or wheel (rad, rad/s, N·m), the sliding of a slider
/// (m, m/s, N), or the length of a distance (m, N), for a servo alone.
///
/// What a motor is told to do ([`World::drive`](crate::World::drive)) is part of the
/// [`State`](crate::State).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motor {
    /// Keeps a speed, as far as its strength goes.
    Speed {
        /// Speed of `b` relative to `a`, rad/s or m/s.
        speed: f32,
        /// The most it pushes with, N·m or N.
        most: f32,
    },
    /// Pulls towards an angle or place like a spring: a servo, or a muscle.
    Servo {
        /// Angle or place of `b` relative to `a`, from the start, rad or m; or the distance, m.
        target: f32,
        /// Its spring, N·m/rad and N·m·s/rad, or N/m and N·s/m.
        spring: Spring,
        /// The most it pushes with, N·m or N.
        most: f32,
    },
}

impl Motor {
    /// What it is told to do at the start: a speed, or a place.
    #[must_use]
    pub fn target(&self) -> f32 {
        match *self {
            Self::Speed { speed, .. } => speed,
            Self::Servo { target, .. } => target,
        }
    }
}

/// The range of a joint's angle relative to the pose it was built in, rad.
///
/// `lower ≤ 0 ≤ upper` is usual but not required; both lie within ±π and the range is below 2π.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleLimit {
    /// Smallest angle.
    pub lower: f32,
    /// Largest angle.
    pub upper: f32,
}

/// How far a slider slides from where it was built, along its axis, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Travel {
    /// Farthest back; 0 or less is usual.
    pub lower: f32,
    /// Farthest forward.
    pub upper: f32,
}
