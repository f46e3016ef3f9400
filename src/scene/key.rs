//! Keys that drive joints, and scripts that hold keys as time goes by.
//!
//! A [`Key`] is a key of a keyboard by name, known to no window library. [`Steering`] says what each of
//! some keys tells the motor of a joint while it is held, and what becomes of the motor when none is. Which
//! keys are held is an input of every step ([`Inputs::held`](crate::Inputs::held)), or stands in a
//! [`Script`], which is a function of simulated time alone: the same inputs move a world in the same
//! way, bit for bit.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::scene::Scene;

/// The names of keys, as levels write them.
#[rustfmt::skip]
const NAMES: [&str; 42] = [
    "left", "right", "up", "down", "space", "enter",
    "0", "1", "2", "3", "4", "5", "6", "7", "8", "9",
    "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m",
    "n", "o", "p", "q", "r", "s", "t", "u", "v", "w", "x", "y", "z",
];

/// A key of a keyboard: an arrow, space, enter, a digit or a letter.
///
/// ```
/// use sinew::Key;
/// let key: Key = "right".parse()?;
/// assert_eq!(key, Key::RIGHT);
/// assert!("shift".parse::<Key>().is_err());
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(u8);

impl Key {
    /// The arrow to the left.
    pub const LEFT: Self = Self(0);
    /// The arrow to the right.
    pub const RIGHT: Self = Self(1);
    /// The arrow up.
    pub const UP: Self = Self(2);
    /// The arrow down.
    pub const DOWN: Self = Self(3);
    /// The space bar.
    pub const SPACE: Self = Self(4);

    /// Every key there is.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..NAMES.len() as u8).map(Self)
    }

    /// Its name in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        // Every key comes from `all`, `from_str` or a constant.
        NAMES.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::all().find(|key| key.name() == name).ok_or_else(|| {
            Error::unknown("key", name, format!("choose one of {}", NAMES.join(", ")))
        })
    }
}

/// What keys tell the motor of a joint.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steering {
    /// Keys, and what the motor is told while one of them is held: a speed, rad/s or m/s, or a place,
    /// rad or m. Of several that are held the one that went down last counts.
    pub keys: Vec<(Key, f32)>,
    /// What becomes of the motor when none of them is held.
    pub released: Released,
    /// What the keys do, in a word that is shown to the user; empty for the name of the joint.
    pub label: String,
}

/// What becomes of a motor when none of its keys is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Released {
    /// It does again what it is told without keys: by its track, or by its own speed or place.
    #[default]
    Return,
    /// It lets go: the joint turns or slides as if it had no motor.
    Free,
    /// It goes on with what it was told last.
    Stay,
}

impl Steering {
    /// What the motor is told while these keys are held, in the order in which they went down; `None`
    /// if none of them is one of its own.
    #[must_use]
    pub fn told(&self, held: &[Key]) -> Option<f32> {
        let of = |key: &Key| self.keys.iter().find(|(own, _)| own == key).map(|&(_, told)| told);
        held.iter().rev().find_map(of)
    }

    /// The same steering with everything that is told times `factor`.
    #[must_use]
    pub fn scaled(mut self, factor: f32) -> Self {
        self.keys.iter_mut().for_each(|key| key.1 *= factor);
        self
    }

    /// What is wrong with it, if anything.
    pub(crate) fn problem(&self) -> Option<&'static str> {
        if self.keys.is_empty() {
            return Some("steering needs at least one key");
        }
        let bounded = |&(_, told): &(Key, f32)| told.abs() <= Scene::LARGEST;
        (!self.keys.iter().all(bounded)).then_some("what keys tell a motor must be finite")
    }
}

/// Keys that are held as simulated time goes by.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Script {
    /// When which keys are held. They add up where they overlap; later entries count as pressed later.
    pub entries: Vec<ScriptEntry>,
}

/// Keys that are held for some time.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptEntry {
    /// When they go down, s.
    pub from: f64,
    /// When they go up, s.
    pub to: f64,
    /// The keys, in the order in which they go down.
    pub keys: Vec<Key>,
}

impl Script {
    /// The keys that are held at a simulated time, s, in the order in which they went down.
    ///
    /// ```
    /// use sinew::{Key, Script, ScriptEntry};
    /// let script = Script { entries: vec![ScriptEntry { from: 1.0, to: 4.0, keys: vec![Key::UP] }] };
    /// assert_eq!(script.held(0.9).count(), 0);
    /// assert_eq!(script.held(1.0).collect::<Vec<_>>(), [Key::UP]);
    /// assert_eq!(script.held(4.0).count(), 0);
    /// ```
    pub fn held(&self, time: f64) -> impl Iterator<Item = Key> + '_ {
        let now = self.entries.iter().filter(move |entry| entry.from <= time && time < entry.to);
        now.flat_map(|entry| entry.keys.iter().copied())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_has_a_name_of_its_own_that_reads_back() {
        for (index, key) in Key::all().enumerate() {
            assert_eq!(key.name().parse::<Key>().unwrap(), key);
            assert!(!NAMES[..index].contains(&key.name()), "{key}");
        }
        let named = [Key::LEFT, Key::RIGHT, Key::UP, Key::DOWN, Key::SPACE].map(Key::name);
        assert_eq!(named, ["left", "right", "up", "down", "space"]);
    }

    #[test]
    fn the_key_that_went_down_last_counts() {
        let keys = vec![(Key::LEFT, 1.0), (Key::RIGHT, -1.0)];
        let steering = Steering { keys, ..Steering::default() };
        assert_eq!(steering.told(&[]), None);
        assert_eq!(steering.told(&[Key::UP]), None);
        assert_eq!(steering.told(&[Key::LEFT, Key::RIGHT, Key::UP]), Some(-1.0));
        assert_eq!(steering.told(&[Key::RIGHT, Key::LEFT]), Some(1.0));
        assert_eq!(steering.scaled(3.0).told(&[Key::LEFT]), Some(3.0));
    }

    #[test]
    fn steering_without_keys_or_with_speeds_that_are_none_is_refused() {
        let of =
            |keys: &[(Key, f32)]| Steering { keys: keys.to_vec(), ..Steering::default() }.problem();
        assert_eq!(of(&[(Key::UP, 0.0)]), None);
        assert!(of(&[]).is_some());
        assert!(of(&[(Key::UP, f32::NAN)]).is_some());
    }
}
