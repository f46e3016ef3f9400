//! What motors are told: by the caller ([`World::drive`]), or by a track as time goes by.
//!
//! A target is state, and a track with the clock says what it is: a rewound world is driven as it
//! was the first time, by any solver.

use crate::error::{Error, Result};
use crate::scene::{Scene, Track};
use crate::world::{JointId, World};

impl World {
    /// Tells the motor of a joint what to do: the speed to keep, rad/s or m/s, or where a servo
    /// pulls to, rad or m.
    ///
    /// # Errors
    /// If the handle is not one of this world, the joint has no motor or follows a track, or the
    /// target is not finite.
    pub fn drive(&mut self, id: JointId, target: f32) -> Result<()> {
        let index = self.joint_index(id)?;
        let joint = &self.model.joints[index];
        if joint.motor.is_none() {
            return Err(Error::scene(&joint.id, "the joint has no motor to drive"));
        }
        if joint.track.is_some() {
            let problem = "the joint follows a track: take it off with `follow` first";
            return Err(Error::scene(&joint.id, problem));
        }
        if !(target.abs() <= Scene::LARGEST) {
            return Err(Error::scene(&joint.id, format!("target {target} is not finite")));
        }
        self.state.joints[index].target = target;
        Ok(())
    }

    /// Lets the motor of a joint follow a track that begins now; or, with `None`, stay at what it
    /// was told last, for [`World::drive`] to change.
    ///
    /// # Errors
    /// If the handle is not one of this world, the joint has no motor, or the track has no keys,
    /// times that do not rise from 0, or numbers that are not finite.
    pub fn follow(&mut self, id: JointId, track: Option<Track>) -> Result<()> {
        let index = self.joint_index(id)?;
        let joint = &mut self.model.joints[index];
        if joint.motor.is_none() {
            return Err(Error::scene(&joint.id, "the joint has no motor to drive"));
        }
        if let Some(problem) = track.as_ref().and_then(Track::problem) {
            return Err(Error::scene(&joint.id, problem));
        }
        (joint.track, joint.made) = (track, self.state.time);
        Ok(())
    }

    /// Tells every motor that follows a track where that stands at a simulated time, s.
    pub(crate) fn follow_tracks(&mut self, time: f64) {
        for (joint, state) in self.model.joints.iter().zip(&mut self.state.joints) {
            if let Some(track) = &joint.track {
                state.target = track.at(time - joint.made);
            }
        }
    }
}
