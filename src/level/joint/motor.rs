//! Motors: what drives a joint of its own accord, as time goes by, and by keys of the keyboard.
//!
//! A motor either keeps a speed or pulls to a target like a spring. What it is told is one number, or
//! `keyframes`; while one of its `keys` is held it is that of the key. In the file angles are in degrees.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::keys::MuscleKeys;
use super::read::{check_positive, damped};
use crate::level::diagnostic::{Report, suggestion, ticked};
use crate::level::tree::Place;
use crate::scene::{Key, Motor, Released, Steering, Track};

/// The longest label, in characters.
const LONGEST_LABEL: usize = 40;

/// `motor` of a pin or a wheel: either `speed`, or `angle` with `stiffness`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnMotor {
    /// The speed to keep, degrees per second counter-clockwise.
    speed: Option<f32>,
    /// Instead of a speed: the angle to turn to, from the pose at the start, degrees.
    angle: Option<f32>,
    /// With `angle`: torque for each radian that is missing, N·m/rad.
    #[schemars(range(min = 0, max = 1e13))]
    stiffness: Option<f32>,
    /// With `angle`: torque against the speed, N·m·s/rad.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    damping: Option<f32>,
    /// The most torque it has, N·m.
    #[schemars(range(min = 0, max = 1e13))]
    max_torque: f32,
    /// Instead of one `speed` or `angle`: several, one after the other. In between they ease from one to
    /// the next.
    #[schemars(length(min = 1, max = 1000))]
    keyframes: Option<Vec<TurnKeyframe>>,
    /// Whether the keyframes begin anew at the time of the last; what that says stays if not.
    #[schemars(extend("default" = false))]
    repeats: Option<bool>,
    /// Keys of the keyboard, and the speed (or angle) while one of them is held. The last of several
    /// that are held counts.
    #[schemars(extend("propertyNames" = key_names()))]
    keys: Option<BTreeMap<String, f32>>,
    /// What it does while none of `keys` is held: `return` to what it is told without keys, turn `free`
    /// as if there were no motor, or `stay` with what the last key said.
    #[schemars(extend("default" = "return"))]
    released: Option<ReleasedName>,
    /// What the keys do, in a word or two for the window; the id of the joint if it is left out.
    label: Option<String>,
}

/// A member of `keyframes` of a pin or a wheel.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct TurnKeyframe {
    /// When, s after the joint came into the world.
    #[schemars(range(min = 0, max = 1e6))]
    time: f32,
    /// The speed at that time, degrees per second counter-clockwise.
    speed: Option<f32>,
    /// Instead of a speed: the angle at that time, from the pose at the start, degrees.
    angle: Option<f32>,
}

/// `motor` of a slider: either `speed`, or `place` with `stiffness`.
#[derive(Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlideMotor {
    /// The speed to keep along the axis, m/s.
    speed: Option<f32>,
    /// Instead of a speed: the place to go to along the axis, from the start, m.
    place: Option<f32>,
    /// With `place`: force for each metre that is missing, N/m.
    #[schemars(range(min = 0, max = 1e13))]
    stiffness: Option<f32>,
    /// With `place`: force against the speed, N·s/m.
    #[schemars(range(min = 0, max = 1e13), extend("default" = 0))]
    damping: Option<f32>,
    /// The most force it has, N.
    #[schemars(range(min = 0, max = 1e13))]
    max_force: f32,
    /// Instead of one `speed` or `place`: several, one after the other. In between they ease from one to
    /// the next.
    #[schemars(length(min = 1, max = 1000))]
    keyframes: Option<Vec<SlideKeyframe>>,
    /// Whether the keyframes begin anew at the time of the last; what that says stays if not.
    #[schemars(extend("default" = false))]
    repeats: Option<bool>,
    /// Keys of the keyboard, and the speed (or place) while one of them is held. The last of several
    /// that are held counts.
    #[schemars(extend("propertyNames" = key_names()))]
    keys: Option<BTreeMap<String, f32>>,
    /// What it does while none of `keys` is held: `return` to what it is told without keys, slide `free`
    /// as if there were no motor, or `stay` with what the last key said.
    #[schemars(extend("default" = "return"))]
    released: Option<ReleasedName>,
    /// What the keys do, in a word or two for the window; the id of the joint if it is left out.
    label: Option<String>,
}

/// A member of `keyframes` of a slider.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SlideKeyframe {
    /// When, s after the joint came into the world.
    #[schemars(range(min = 0, max = 1e6))]
    time: f32,
    /// The speed at that time, m/s.
    speed: Option<f32>,
    /// Instead of a speed: the place at that time, from the start, m.
    place: Option<f32>,
}

/// A member of `keyframes` of a muscle.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(in crate::level) struct LengthKeyframe {
    /// When, s after the muscle came into the world.
    #[schemars(range(min = 0, max = 1e6))]
    time: f32,
    /// The length at that time, m.
    #[schemars(range(min = 0, max = 1e6))]
    length: f32,
}

/// `released` of a motor with keys.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(in crate::level) enum ReleasedName {
    Return,
    Free,
    Stay,
}

/// The names of keys, for editors.
pub(in crate::level) fn key_names() -> Value {
    json!({ "enum": Key::all().map(Key::name).collect::<Vec<_>>() })
}

/// What drives a joint.
#[derive(Clone)]
pub(super) struct Driven {
    pub(super) motor: Motor,
    pub(super) track: Option<Track>,
    pub(super) steering: Option<Steering>,
}

impl TurnMotor {
    pub(super) fn read(self, place: &Place<'_>, report: &mut Report<'_>) -> Option<Driven> {
        let frames = self.keyframes.map(|list| {
            list.iter().map(|key| Frame::new(key.time, key.speed, key.angle)).collect()
        });
        let words = Words { target: "angle", most: "max_torque", speed: true };
        let numbers = Numbers {
            speed: self.speed,
            target: self.angle,
            stiffness: self.stiffness,
            damping: self.damping,
            most: self.max_torque,
            frames,
            repeats: self.repeats,
            keys: self.keys,
            released: self.released,
            label: self.label,
        };
        Some(numbers.read(&words, place, report)?.scaled(1.0_f32.to_radians()))
    }
}

impl SlideMotor {
    pub(super) fn read(self, place: &Place<'_>, report: &mut Report<'_>) -> Option<Driven> {
        let frames = self.keyframes.map(|list| {
            list.iter().map(|key| Frame::new(key.time, key.speed, key.place)).collect()
        });
        let words = Words { target: "place", most: "max_force", speed: true };
        let numbers = Numbers {
            speed: self.speed,
            target: self.place,
            stiffness: self.stiffness,
            damping: self.damping,
            most: self.max_force,
            frames,
            repeats: self.repeats,
            keys: self.keys,
            released: self.released,
            label: self.label,
        };
        numbers.read(&words, place, report)
    }
}

impl MuscleKeys {
    /// What drives it, at the item of the muscle; `apart` is as far as from one end to the other, m.
    pub(super) fn read(
        self,
        apart: f32,
        item: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Driven> {
        let places = [("length", self.length)].into_iter();
        let told = self.keyframes.iter().flatten().map(|key| ("keyframes", Some(key.length)));
        let keyed = self.keys.iter().flatten().map(|(_, &length)| ("keys", Some(length)));
        for (key, length) in places.chain(told).chain(keyed) {
            if let Some(length) = length.filter(|length| !(*length > 0.0)) {
                report.error(&item.key(key), format!("length {length} must be positive"));
                return None;
            }
        }
        let frames = self.keyframes.map(|list| {
            list.iter().map(|key| Frame::new(key.time, None, Some(key.length))).collect()
        });
        let words = Words { target: "length", most: "max_force", speed: false };
        let numbers = Numbers {
            speed: None,
            target: Some(self.length.unwrap_or(apart)),
            stiffness: Some(self.stiffness),
            damping: self.damping,
            most: self.max_force,
            frames,
            repeats: self.repeats,
            keys: self.keys,
            released: self.released,
            label: self.label,
        };
        numbers.read(&words, item, report)
    }
}

impl Driven {
    /// What it is told times `factor`: degrees become radians.
    fn scaled(self, factor: f32) -> Self {
        let motor = match self.motor {
            Motor::Speed { speed, most } => Motor::Speed { speed: factor * speed, most },
            Motor::Servo { target, spring, most } => {
                Motor::Servo { target: factor * target, spring, most }
            }
        };
        let track = self.track.map(|track| track.scaled(factor));
        let steering = self.steering.map(|steering| steering.scaled(factor));
        Self { motor, track, steering }
    }
}

/// A keyframe: when, and the speed or the target then.
pub(super) struct Frame {
    time: f32,
    speed: Option<f32>,
    target: Option<f32>,
}

impl Frame {
    pub(super) fn new(time: f32, speed: Option<f32>, target: Option<f32>) -> Self {
        Self { time, speed, target }
    }
}

/// What the keys of a kind of motor are called.
pub(super) struct Words {
    /// That of its target.
    pub(super) target: &'static str,
    /// That of its strength.
    pub(super) most: &'static str,
    /// Whether it may keep a speed instead.
    pub(super) speed: bool,
}

/// The numbers of a motor, in the units of the file.
pub(super) struct Numbers {
    pub(super) speed: Option<f32>,
    pub(super) target: Option<f32>,
    pub(super) stiffness: Option<f32>,
    pub(super) damping: Option<f32>,
    pub(super) most: f32,
    pub(super) frames: Option<Vec<Frame>>,
    pub(super) repeats: Option<bool>,
    pub(super) keys: Option<BTreeMap<String, f32>>,
    pub(super) released: Option<ReleasedName>,
    pub(super) label: Option<String>,
}

impl Numbers {
    /// The motor, in the units of the file. `None` where something is wrong, which is reported.
    pub(super) fn read(
        self,
        words: &Words,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Driven> {
        let track = self.track(words, place, report);
        let steering = self.steering(place, report);
        let motor = self.motor(words, track.as_ref().ok()?.as_ref(), place, report)?;
        Some(Driven { motor, track: track.ok()?.map(|(_, track)| track), steering: steering? })
    }

    fn motor(
        &self,
        words: &Words,
        track: Option<&(bool, Track)>,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Motor> {
        let (most, target_key) = (self.most, words.target);
        check_positive(words.most, most, place, "", report);
        let (speed, target) = match track {
            Some((true, track)) => (Some(track.at(0.0)), None),
            Some((false, track)) => (None, Some(track.at(0.0))),
            None => (self.speed, self.target),
        };
        match (speed, target) {
            (Some(speed), None) => {
                for key in ["stiffness", "damping"].iter().filter(|key| place.has(key)) {
                    let message = format!("`{key}` belongs to a motor with `{target_key}`");
                    let help = format!("leave it out, or give `{target_key}` instead of `speed`");
                    report.error_with_help(&place.key(key), message, help);
                }
                Some(Motor::Speed { speed, most })
            }
            (None, Some(target)) => {
                let Some(stiffness) = self.stiffness else {
                    let help = format!("say how strongly it goes to its `{target_key}`");
                    let key = place.key("stiffness");
                    report.error_with_help(&key, "the key `stiffness` is missing", help);
                    return None;
                };
                let spring = damped(stiffness, self.damping, place, report);
                Some(Motor::Servo { target, spring, most })
            }
            _ => {
                let given = place.has("speed") && place.has(target_key);
                let help = format!("give `speed` to keep a speed, `{target_key}` to go somewhere");
                let message = if given {
                    format!("either `speed` or `{target_key}`, not both")
                } else {
                    format!("a motor needs `speed` or `{target_key}`")
                };
                report.error_with_help(place, message, help);
                None
            }
        }
    }

    /// The track of its keyframes, if it has any, and whether they are speeds; an error if something
    /// is wrong with them, which is reported.
    fn track(
        &self,
        words: &Words,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Result<Option<(bool, Track)>, ()> {
        let before = report.count();
        let Some(frames) = &self.frames else {
            if self.repeats.is_some() {
                let help = "leave `repeats` out, or add `keyframes`";
                report.error_with_help(&place.key("repeats"), "only keyframes repeat", help);
            }
            return if report.count() > before { Err(()) } else { Ok(None) };
        };
        let list = place.key("keyframes");
        if frames.is_empty() {
            report.error(&list, "there are no keyframes in the list");
        }
        let own = [Some(words.target), words.speed.then_some("speed")];
        for key in own.into_iter().flatten().filter(|key| place.has(key)) {
            let help = format!("leave `{key}` out, or make it the only keyframe");
            let message = format!("a motor has one `{key}`, or those of `keyframes`");
            report.error_with_help(&place.key(key), message, help);
        }
        let speeds = frames.first().is_some_and(|frame| frame.target.is_none()) && words.speed;
        let wanted = if speeds { "speed" } else { words.target };
        let mut keys: Vec<(f32, f32)> = Vec::new();
        for (number, frame) in frames.iter().enumerate() {
            let at = list.index(number);
            let last = keys.last().map_or(-1.0, |key| key.0);
            if !(frame.time >= 0.0 && frame.time > last) {
                let help = "times rise from keyframe to keyframe, from 0 or later";
                let message = format!("time {} is not after the one before", frame.time);
                report.error_with_help(&at.key("time"), message, help);
            }
            match (frame.speed, frame.target) {
                (Some(told), None) if speeds => keys.push((frame.time, told)),
                (None, Some(told)) if !speeds => keys.push((frame.time, told)),
                _ => {
                    let help = format!("give each of them its `time` and its `{wanted}`");
                    let message = format!("this keyframe needs `{wanted}`, and nothing else");
                    report.error_with_help(&at, message, help);
                }
            }
        }
        if report.count() > before {
            return Err(());
        }
        Ok(Some((speeds, Track { keys, repeats: self.repeats == Some(true) })))
    }

    /// What its keys tell it, if it has any; `None` if something is wrong with them, which is reported.
    fn steering(&self, place: &Place<'_>, report: &mut Report<'_>) -> Option<Option<Steering>> {
        let before = report.count();
        let Some(keys) = &self.keys else {
            for key in ["released", "label"].into_iter().filter(|key| place.has(key)) {
                let help = format!("leave `{key}` out, or add `keys`: {{ \"right\": 90 }}");
                let message = format!("`{key}` is about keys, and the motor has none");
                report.error_with_help(&place.key(key), message, help);
            }
            return (report.count() == before).then_some(None);
        };
        let list = place.key("keys");
        if keys.is_empty() {
            report.error_with_help(&list, "there are no keys", "name one: { \"right\": 90 }");
        }
        let found = keys
            .iter()
            .filter_map(|(name, &told)| Some((key_named(name, &list.key(name), report)?, told)));
        let keys: Vec<(Key, f32)> = found.collect();
        let label = self.label.clone().unwrap_or_default();
        let length = label.chars().count();
        if self.label.is_some() && (length == 0 || length > LONGEST_LABEL) {
            let message = format!("a label has 1 to {LONGEST_LABEL} characters");
            report.error(&place.key("label"), message);
        }
        let released = match self.released {
            None | Some(ReleasedName::Return) => Released::Return,
            Some(ReleasedName::Free) => Released::Free,
            Some(ReleasedName::Stay) => Released::Stay,
        };
        (report.count() == before).then_some(Some(Steering { keys, released, label }))
    }
}

/// The key of this name; reports it if there is none.
pub(in crate::level) fn key_named(
    name: &str,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Key> {
    let found = name.parse().ok();
    if found.is_none() {
        let help = suggestion(name, Key::all().map(Key::name), "known keys");
        report.error_with_help(place, format!("unknown key {}", ticked(name)), help);
    }
    found
}
