//! The keys: one table of what each does. The program acts by it and the help shows it.

use macroquad::input::{KeyCode, is_key_down, is_key_pressed};

use crate::math::Vec2;
use crate::view::debug::Overlay;
use crate::view::spawn::Toy;

/// Something the user can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Command {
    Pause,
    Step,
    SlowMotion,
    Reset,
    SwitchSolver,
    Iterations(i32),
    Substeps(i32),
    NextLevel,
    PreviousLevel,
    Spawn(Toy),
    Show(Overlay),
    Hud,
    Fit,
    /// Moves the camera while the key is held.
    Pan(Vec2),
    Help,
    Screenshot,
    Quit,
}

/// A row of the table.
pub(crate) struct Binding {
    /// Any of these.
    pub(crate) keys: &'static [KeyCode],
    /// How the keys are called, separated by spaces.
    pub(crate) caps: &'static str,
    /// What the key does.
    pub(crate) does: &'static str,
    pub(crate) command: Command,
}

/// Rows that belong together.
pub(crate) struct Group {
    pub(crate) title: &'static str,
    pub(crate) bindings: &'static [Binding],
}

const fn bind(
    keys: &'static [KeyCode],
    caps: &'static str,
    does: &'static str,
    command: Command,
) -> Binding {
    Binding { keys, caps, does, command }
}

/// Every key.
pub(crate) const GROUPS: [Group; 5] = [
    Group {
        title: "Simulation",
        bindings: &[
            bind(&[KeyCode::Space], "Space", "pause or go on", Command::Pause),
            bind(&[KeyCode::N, KeyCode::Period], "N .", "one step", Command::Step),
            bind(&[KeyCode::S], "S", "slow motion", Command::SlowMotion),
            bind(&[KeyCode::R], "R", "start over", Command::Reset),
            bind(&[KeyCode::Tab], "Tab", "next solver", Command::SwitchSolver),
            bind(&[KeyCode::Equal, KeyCode::KpAdd], "+", "more iterations", Command::Iterations(1)),
            bind(
                &[KeyCode::Minus, KeyCode::KpSubtract],
                "-",
                "fewer iterations",
                Command::Iterations(-1),
            ),
            bind(&[KeyCode::L], "L", "more sub-steps", Command::Substeps(1)),
            bind(&[KeyCode::K], "K", "fewer sub-steps", Command::Substeps(-1)),
        ],
    },
    Group {
        title: "Levels",
        bindings: &[
            bind(
                &[KeyCode::PageDown, KeyCode::RightBracket],
                "PgDn ]",
                "next level",
                Command::NextLevel,
            ),
            bind(
                &[KeyCode::PageUp, KeyCode::LeftBracket],
                "PgUp [",
                "previous level",
                Command::PreviousLevel,
            ),
        ],
    },
    Group {
        title: "Drop at the cursor",
        bindings: &[
            bind(&[KeyCode::Key1, KeyCode::Kp1], "1", "a crate", Command::Spawn(Toy::Crate)),
            bind(&[KeyCode::Key2, KeyCode::Kp2], "2", "a ball", Command::Spawn(Toy::Ball)),
            bind(&[KeyCode::Key3, KeyCode::Kp3], "3", "a ragdoll", Command::Spawn(Toy::Ragdoll)),
        ],
    },
    Group {
        title: "Show or hide",
        bindings: &[
            bind(&[KeyCode::P], "P", "points", Command::Show(Overlay::Points)),
            bind(&[KeyCode::E], "E", "edges, by strain", Command::Show(Overlay::Edges)),
            bind(&[KeyCode::C], "C", "contacts, normals", Command::Show(Overlay::Contacts)),
            bind(&[KeyCode::B], "B", "bounds", Command::Show(Overlay::Bounds)),
            bind(&[KeyCode::J], "J", "joints", Command::Show(Overlay::Joints)),
            bind(&[KeyCode::M], "M", "centres of mass", Command::Show(Overlay::Centers)),
            bind(&[KeyCode::U], "U", "panel and hints", Command::Hud),
        ],
    },
    Group {
        title: "Window",
        bindings: &[
            bind(&[KeyCode::F], "F", "fit the level", Command::Fit),
            bind(&[KeyCode::Left], "Left", "camera left", Command::Pan(Vec2::X)),
            bind(&[KeyCode::Right], "Right", "camera right", Command::Pan(Vec2::NEG_X)),
            bind(&[KeyCode::Up], "Up", "camera up", Command::Pan(Vec2::Y)),
            bind(&[KeyCode::Down], "Down", "camera down", Command::Pan(Vec2::NEG_Y)),
            bind(&[KeyCode::F12], "F12", "save a picture", Command::Screenshot),
            bind(&[KeyCode::H, KeyCode::F1], "H F1", "this help", Command::Help),
            bind(&[KeyCode::Escape], "Esc", "close help, or quit", Command::Quit),
        ],
    },
];

/// What the mouse does: (caption, meaning).
pub(crate) const MOUSE: [(&str, &str); 4] = [
    ("Left drag", "grab a body, throw it"),
    ("Right drag", "move the camera"),
    ("Middle drag", "move the camera"),
    ("Wheel", "zoom at the cursor"),
];

/// The commands of the keys that were pressed since the last frame, or are held where that counts.
pub(crate) fn commands() -> impl Iterator<Item = Command> {
    GROUPS.iter().flat_map(|group| group.bindings).filter_map(|binding| {
        let held = matches!(binding.command, Command::Pan(_));
        let active = binding
            .keys
            .iter()
            .any(|&key| if held { is_key_down(key) } else { is_key_pressed(key) });
        active.then_some(binding.command)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bindings() -> impl Iterator<Item = &'static Binding> {
        GROUPS.iter().flat_map(|group| group.bindings)
    }

    #[test]
    fn no_key_has_two_meanings_and_every_row_reads_well() {
        let keys: Vec<KeyCode> = bindings().flat_map(|b| b.keys.iter().copied()).collect();
        for (i, key) in keys.iter().enumerate() {
            assert!(!keys[..i].contains(key), "{key:?} is bound twice");
        }
        for binding in bindings() {
            assert!(!binding.keys.is_empty() && !binding.caps.is_empty());
            assert!(binding.does.len() <= 22, "too long for the help: {}", binding.does);
        }
    }
}
