//! What motors are told: by the caller ([`World::drive`]), by keys that are held, or by a track as time
//! goes by.
//!
//! A target is state, and a track or a script with the clock says what it is: a rewound world is
//! driven as it was the first time, by any solver.

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::scene::{Key, Released, Scene, Track};
use crate::world::{Duties, Joint, JointId, JointState, World};

impl World {
    /// Tells the motor of a joint what to do: the speed to keep, rad/s or m/s, or where a servo
    /// pulls to, rad or m.
    ///
    /// # Errors
    /// If the handle is not one of this world, the joint has no motor, follows a track or is driven
    /// by keys, or the target is not finite.
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
        if joint.steering.is_some() {
            let problem = "the joint is driven by keys: hold them in the inputs instead";
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
        let joint = &self.model.joints[index];
        if joint.motor.is_none() {
            return Err(Error::scene(&joint.id, "the joint has no motor to drive"));
        }
        if let Some(problem) = track.as_ref().and_then(Track::problem) {
            return Err(Error::scene(&joint.id, problem));
        }
        let joint = &mut Arc::make_mut(&mut self.model).joints[index];
        (joint.track, joint.made) = (track, self.state.time);
        Ok(())
    }

    /// The keys that drive joints of this world, each once, in their own order.
    #[must_use]
    pub fn driving_keys(&self) -> Vec<Key> {
        let steering = self.model.joints.iter().filter_map(|joint| joint.steering.as_ref());
        let mut keys: Vec<Key> =
            steering.flat_map(|steering| steering.keys.iter().map(|key| key.0)).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// Tells every motor of these duties what keys and tracks have for it in a step that ends at a simulated time, s,
    /// while these keys are held, in the order in which they went down. `anew` gets the numbers of the
    /// joints for which that is something else than before.
    pub(crate) fn tell_motors(
        &mut self,
        duties: &Duties,
        held: &[Key],
        time: f64,
        anew: &mut Vec<u32>,
    ) {
        for &index in &duties.driven {
            let state = &mut self.state.joints[index as usize];
            let before = *state;
            tell(&self.model.joints[index as usize], state, held, time);
            if *state != before {
                anew.push(index);
            }
        }
    }
}

/// Tells the motor of a joint what it is to do.
fn tell(joint: &Joint, state: &mut JointState, held: &[Key], time: f64) {
    if let Some(steering) = &joint.steering {
        let told = steering.told(held);
        state.idle = told.is_none() && steering.released == Released::Free;
        if let Some(target) = told {
            state.target = target;
            return;
        }
        match (steering.released, joint.motor) {
            (Released::Return, Some(motor)) => state.target = motor.target(),
            _ => return,
        }
    }
    if let Some(track) = &joint.track {
        state.target = track.at(time - joint.made);
    }
}
