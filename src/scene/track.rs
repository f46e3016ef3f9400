//! Tracks: what a motor is told as time goes by.
//!
//! A track is a list of keys, each a time and a target, as animators use them. Between two keys the
//! target eases from one to the other along `3s² − 2s³`, so that it starts and stops without a jolt.
//! Where it stands is a function of simulated time alone: nothing is lost by a save, a rewind or a
//! change of solver.

use crate::scene::Scene;

/// What a motor is told as time goes by: a place for a servo, a speed for the other kind.
///
/// ```
/// use sinew::Track;
/// let track = Track { keys: vec![(1.0, 0.0), (3.0, 0.5)], repeats: false };
/// assert_eq!((track.at(0.0), track.at(2.0), track.at(9.0)), (0.0, 0.25, 0.5));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// Times since the joint was made, s, rising from 0 or later, and the target at each: rad,
    /// rad/s, m or m/s, as the motor has it.
    pub keys: Vec<(f32, f32)>,
    /// Whether it begins anew at its last key; otherwise that target stays.
    pub repeats: bool,
}

impl Track {
    /// The target at a time since the joint was made, s. 0 for a track without keys.
    #[must_use]
    pub fn at(&self, time: f64) -> f32 {
        let Some(&(last, end)) = self.keys.last() else { return 0.0 };
        let again = self.repeats && last > 0.0;
        let time = if again { time.rem_euclid(f64::from(last)) } else { time } as f32;
        let after = self.keys.partition_point(|key| key.0 <= time);
        let Some(&(to, target)) = self.keys.get(after) else { return end };
        let Some(&(from, before)) = after.checked_sub(1).and_then(|k| self.keys.get(k)) else {
            return target;
        };
        let s = (time - from) / (to - from);
        before + (target - before) * s * s * (3.0 - 2.0 * s)
    }

    /// The same track with every target times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        self.keys.iter_mut().for_each(|key| key.1 *= factor);
        self
    }

    /// What is wrong with it, if anything.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        let bounded = |&(time, target): &(f32, f32)| {
            (0.0..=Scene::LARGEST).contains(&time) && target.abs() <= Scene::LARGEST
        };
        if self.keys.is_empty() {
            return Some("a track needs at least one key");
        }
        if !self.keys.iter().all(bounded) {
            return Some("the keys of a track are at finite times from 0 on, with finite targets");
        }
        let rises = self.keys.is_sorted_by(|a, b| a.0 < b.0);
        (!rises).then_some("the times of a track must rise from key to key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_eases_from_key_to_key_and_stays_or_repeats() {
        let mut track = Track { keys: vec![(0.5, 1.0), (1.5, 3.0), (2.0, -1.0)], repeats: false };
        for (time, target) in
            [(0.0, 1.0), (0.5, 1.0), (1.0, 2.0), (1.5, 3.0), (1.75, 1.0), (5.0, -1.0)]
        {
            assert_eq!(track.at(time), target, "at {time} s");
        }
        assert!(track.at(0.75) < 1.5, "starts gently");
        track.repeats = true;
        assert_eq!((track.at(3.0), track.at(7.5)), (2.0, 3.0));
        assert_eq!(track.at(4.25), 1.0);
        assert_eq!(track.scaled(-2.0).at(1.0), -4.0);
    }

    #[test]
    fn a_track_without_keys_or_with_times_that_fall_is_refused() {
        let of = |keys: &[(f32, f32)]| Track { keys: keys.to_vec(), repeats: false }.problem();
        assert_eq!(of(&[(0.0, 1.0), (0.1, 2.0)]), None);
        assert!(of(&[]).is_some() && of(&[(1.0, 0.0), (1.0, 1.0)]).is_some());
        assert!(of(&[(-1.0, 0.0)]).is_some() && of(&[(0.0, f32::NAN)]).is_some());
    }
}
