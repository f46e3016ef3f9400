//! The state: what a step changes. Everything that must survive a save, a rewind or a change of
//! solver is here and nowhere else. What a solver remembers besides, as the impulses from which contacts start, it may do without.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::math::Vec2;
use crate::threads::Threads;

/// Position and velocity of every point, what edges and joints remember, and the clock.
///
/// Velocity is stored, not the previous position: a raw previous position rescales speed when the
/// step changes, and loses bits far from the origin. Verlet backends derive their delta privately.
///
/// It can be written and read with serde, as for a saved game: [`Sim::restore`](crate::Sim::restore) takes it in a world made of the same
/// scene by the same edits.
///
/// ```
/// use sinew::{Level, Sim, State};
/// let scene = Level::builtin("stack")?.scene;
/// let mut sim = Sim::new(&scene)?;
/// sim.step()?;
/// let saved = serde_json::to_string(&sim.world().state).unwrap();
///
/// let mut later = Sim::new(&scene)?;
/// let state: State = serde_json::from_str(&saved).unwrap();
/// later.restore(state)?;
/// assert_eq!(later.world().state.hash(), sim.world().state.hash());
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct State {
    /// Position of each point, m.
    pub position: Vec<Vec2>,
    /// Velocity of each point, m/s.
    pub velocity: Vec<Vec2>,
    /// The length that each edge rests at, m: what it was made with, and what has bent for good.
    pub rest: Vec<f32>,
    /// What each joint remembers.
    pub joints: Vec<JointState>,
    /// Simulated time, s.
    pub time: f64,
    /// Steps taken.
    pub steps: u64,
}

/// What a joint remembers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointState {
    /// The angles of its two bodies, counted through full turns, rad; those of the start where the joint does not
    /// mind how they are turned, as a pin without limit and motor.
    pub angles: [f32; 2],
    /// What its motor is told to do: a speed, rad/s or m/s, or a place, rad or m.
    pub target: f32,
    /// Whether its motor has let go: whatever it was told, it does nothing.
    pub idle: bool,
}

impl Clone for State {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    /// Keeps the memory that is there.
    fn clone_from(&mut self, other: &Self) {
        self.copy(other, &Threads::default());
    }
}

impl State {
    /// Gives back what memory it does not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.position.shrink_to_fit();
        self.velocity.shrink_to_fit();
        self.rest.shrink_to_fit();
        self.joints.shrink_to_fit();
    }

    /// Becomes the same as another, in the memory that is there.
    pub(crate) fn copy(&mut self, other: &Self, threads: &Threads) {
        let Self { position, velocity, rest, joints, time, steps } = other;
        threads.copy(position, &mut self.position);
        threads.copy(velocity, &mut self.velocity);
        threads.copy(rest, &mut self.rest);
        threads.copy(joints, &mut self.joints);
        (self.time, self.steps) = (*time, *steps);
    }

    /// FNV-1a (Fowler, Noll, Vo) over the bits of positions, velocities, and what edges and joints
    /// remember: equal states, equal hashes, on any run and any number of threads.
    #[must_use]
    pub fn hash(&self) -> u64 {
        const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
        const PRIME: u64 = 0x0000_0100_0000_01b3;
        let points = self.position.iter().chain(&self.velocity).flat_map(|v| [v.x, v.y]);
        let joints = self.joints.iter().flat_map(|j| {
            // What a motor that has let go was told before makes no difference.
            let told = if j.idle { f32::NAN } else { j.target };
            [j.angles[0], j.angles[1], told]
        });
        points
            .chain(self.rest.iter().copied())
            .chain(joints)
            .flat_map(|value| value.to_bits().to_le_bytes())
            .fold(OFFSET, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
    }

    /// Whether all numbers are finite.
    pub(crate) fn check(&self) -> Result<()> {
        let fail = |problem: &str| Err(Error::scene("state", problem));
        let sound = |joint: &JointState| {
            joint.angles.iter().all(|angle| angle.is_finite()) && joint.target.is_finite()
        };
        if self.first_bad_point().is_some() {
            return fail("positions and velocities must be finite");
        }
        if !self.rest.iter().all(|length| length.is_finite() && *length >= 0.0) {
            return fail("the lengths of edges must be finite and not negative");
        }
        if !self.joints.iter().all(sound) {
            return fail("what joints remember must be finite");
        }
        if !self.time.is_finite() {
            return fail("the time must be finite");
        }
        Ok(())
    }

    /// The first point whose position or velocity is not finite, or is beyond any sensible world.
    #[must_use]
    pub fn first_bad_point(&self) -> Option<usize> {
        self.first_bad_point_on(&Threads::default())
    }

    /// The same on some threads.
    pub(crate) fn first_bad_point_on(&self, threads: &Threads) -> Option<usize> {
        /// The work on so few is not worth sharing out.
        const PART: usize = 4096;
        const FARTHEST: f32 = 1e9;
        /// So many are looked at together: mostly all are sound.
        const BLOCK: usize = 64;
        let sound = |v: &Vec2| (v.x.abs() < FARTHEST) & (v.y.abs() < FARTHEST);
        let both_sound = |(p, v): (&Vec2, &Vec2)| sound(p) & sound(v);
        type Part<'a> = ((&'a [Vec2], &'a [Vec2]), Range<usize>);
        let look = |((p, v), numbers): Part<'_>| {
            let is_sound = |(p, v): (&[Vec2], &[Vec2])| {
                p.iter().zip(v).fold(true, |all, point| all & both_sound(point))
            };
            if p.chunks(BLOCK).zip(v.chunks(BLOCK)).all(is_sound) {
                return None;
            }
            let place = p.iter().zip(v).position(|point| !both_sound(point));
            place.map(|place| numbers.start + place)
        };
        let all = ((&self.position[..], &self.velocity[..]), 0..self.position.len());
        threads.parts(all, PART, &look, &|first, second| first.or(second))
    }
}
