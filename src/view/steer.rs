//! Keys of the keyboard that drive joints of the level: which ones, how they are called, what they do.
//!
//! While a level is played, a key that drives one of its joints does nothing else. What it does
//! elsewhere it does with Control held.

use macroquad::input::{KeyCode, is_key_down};

use crate::scene::Key;
use crate::view::input::Stroke;
use crate::world::World;

/// A line of the display: keys, as they are called, and what they do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hint {
    pub(crate) caps: Vec<String>,
    pub(crate) does: String,
}

/// What the keys of a world do: a hint for each label, with all its keys, in the order of the joints.
pub(crate) fn hints(world: &World) -> Vec<Hint> {
    let mut found: Vec<(&str, Vec<Key>)> = Vec::new();
    for joint in &world.model.joints {
        let Some(steering) = &joint.steering else { continue };
        let does = if steering.label.is_empty() { &joint.id } else { &steering.label };
        let place = found.iter().position(|(known, _)| known == does).unwrap_or_else(|| {
            found.push((does, Vec::new()));
            found.len() - 1
        });
        found[place].1.extend(steering.keys.iter().map(|key| key.0));
    }
    let hint = |(does, mut keys): (&str, Vec<Key>)| {
        keys.sort_unstable();
        keys.dedup();
        Hint { caps: keys.into_iter().map(cap).collect(), does: does.to_owned() }
    };
    found.into_iter().map(hint).collect()
}

/// How a key is called on the display.
fn cap(key: Key) -> String {
    match key.name() {
        "left" => "←".into(),
        "right" => "→".into(),
        "up" => "↑".into(),
        "down" => "↓".into(),
        "space" => "Space".into(),
        "enter" => "Enter".into(),
        other => other.to_uppercase(),
    }
}

/// The keys of the window library that are a key of levels.
fn codes(key: Key) -> [KeyCode; 2] {
    let both = |code| [code; 2];
    match key.name() {
        "left" => both(KeyCode::Left),
        "right" => both(KeyCode::Right),
        "up" => both(KeyCode::Up),
        "down" => both(KeyCode::Down),
        "space" => both(KeyCode::Space),
        "enter" => [KeyCode::Enter, KeyCode::KpEnter],
        "0" => [KeyCode::Key0, KeyCode::Kp0],
        "1" => [KeyCode::Key1, KeyCode::Kp1],
        "2" => [KeyCode::Key2, KeyCode::Kp2],
        "3" => [KeyCode::Key3, KeyCode::Kp3],
        "4" => [KeyCode::Key4, KeyCode::Kp4],
        "5" => [KeyCode::Key5, KeyCode::Kp5],
        "6" => [KeyCode::Key6, KeyCode::Kp6],
        "7" => [KeyCode::Key7, KeyCode::Kp7],
        "8" => [KeyCode::Key8, KeyCode::Kp8],
        "9" => [KeyCode::Key9, KeyCode::Kp9],
        "a" => both(KeyCode::A),
        "b" => both(KeyCode::B),
        "c" => both(KeyCode::C),
        "d" => both(KeyCode::D),
        "e" => both(KeyCode::E),
        "f" => both(KeyCode::F),
        "g" => both(KeyCode::G),
        "h" => both(KeyCode::H),
        "i" => both(KeyCode::I),
        "j" => both(KeyCode::J),
        "k" => both(KeyCode::K),
        "l" => both(KeyCode::L),
        "m" => both(KeyCode::M),
        "n" => both(KeyCode::N),
        "o" => both(KeyCode::O),
        "p" => both(KeyCode::P),
        "q" => both(KeyCode::Q),
        "r" => both(KeyCode::R),
        "s" => both(KeyCode::S),
        "t" => both(KeyCode::T),
        "u" => both(KeyCode::U),
        "v" => both(KeyCode::V),
        "w" => both(KeyCode::W),
        "x" => both(KeyCode::X),
        "y" => both(KeyCode::Y),
        "z" => both(KeyCode::Z),
        _ => both(KeyCode::Unknown),
    }
}

/// Whether a key of the window library drives something.
pub(crate) fn takes(driving: &[Key], code: KeyCode) -> bool {
    driving.iter().any(|&key| codes(key).contains(&code))
}

/// Whether a control key is down.
pub(crate) fn control_down() -> bool {
    [KeyCode::LeftControl, KeyCode::RightControl].into_iter().any(is_key_down)
}

/// Which of these keys the user holds in this frame. One that went down and up again within it counts.
pub(crate) fn held(driving: &[Key], strokes: &[Stroke]) -> Vec<Key> {
    let control = control_down();
    let is_held = |code: KeyCode| {
        let struck = strokes.iter().any(|stroke| stroke.key == code && !stroke.control);
        struck || (is_key_down(code) && !control)
    };
    driving.iter().copied().filter(|&key| codes(key).into_iter().any(is_held)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;

    #[test]
    fn every_key_of_a_level_is_one_of_the_keyboard_and_no_other() {
        for key in Key::all() {
            assert!(!codes(key).contains(&KeyCode::Unknown), "{key}");
            for other in Key::all().filter(|&other| other != key) {
                assert!(!codes(other).contains(&codes(key)[0]), "{key} and {other}");
            }
        }
        assert!(takes(&[Key::LEFT, Key::SPACE], KeyCode::Space));
        assert!(!takes(&[Key::LEFT, Key::SPACE], KeyCode::Right));
    }

    #[test]
    fn hints_join_what_has_the_same_label() {
        let text = r#"{ "format": 1, "items": [
            { "type": "disc", "id": "a", "radius": 1, "at": [0, 0] },
            { "type": "disc", "id": "b", "radius": 1, "at": [2, 0] },
            { "type": "pin", "id": "rear", "a": "a", "at": [0, 0], "motor": { "speed": 0,
              "max_torque": 1, "keys": { "right": -9, "left": 9 }, "label": "drive" } },
            { "type": "pin", "id": "front", "a": "b", "at": [2, 0], "motor": { "speed": 0,
              "max_torque": 1, "keys": { "down": 0, "right": -9 }, "label": "drive" } },
            { "type": "pin", "id": "arm", "a": "a", "b": "b", "at": [1, 0], "collide": true,
              "motor": { "speed": 0, "max_torque": 1, "keys": { "w": 9, "enter": 3 } } },
        ] }"#;
        let (level, problems) = Level::check(text, "keys.json");
        let level = level.unwrap_or_else(|| panic!("{problems:#?}"));
        let world = World::build(&level.scene).unwrap();
        let lines: Vec<String> =
            hints(&world).into_iter().map(|hint| hint.caps.join(" ") + " " + &hint.does).collect();
        assert_eq!(lines, ["← → ↓ drive", "Enter W arm"]);
        let names: Vec<_> = world.driving_keys().into_iter().map(Key::name).collect();
        assert_eq!(names, ["left", "right", "down", "enter", "w"]);
    }
}
