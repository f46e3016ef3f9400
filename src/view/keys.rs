//! The keys: one table of what each does. The program acts by it and the help shows it.

use macroquad::input::{KeyCode, is_key_down};

use crate::math::Vec2;
use crate::scene::Key;
use crate::view::debug::Overlay;
use crate::view::editor::Ware;
use crate::view::input::Stroke;
use crate::view::spawn::Toy;
use crate::view::steer;

/// Something the user can ask for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Command {
    Pause,
    Step,
    SlowMotion,
    Reset,
    SwitchSolver,
    /// One more backend over the one in front, or none again.
    Overlay,
    Graphs,
    /// Goes back in time while the key is held.
    Rewind,
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
    /// Enters or leaves edit mode.
    EditMode,
    Edit(EditCommand),
}

/// Something the user can ask for in edit mode only.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum EditCommand {
    Add(Ware),
    /// Counter-clockwise if `true`.
    Turn(bool),
    Duplicate,
    Remove,
    Grid,
    Undo,
    Redo,
    Save,
}

/// Whether the control key must be held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum With {
    /// No: the key means something else then.
    Nothing,
    /// Yes.
    Control,
    /// Yes, and the shift key too.
    ControlShift,
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
    /// What must be held meanwhile.
    pub(crate) with: With,
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
    Binding { keys, caps, does, command, with: With::Nothing }
}

const fn chord(
    with: With,
    keys: &'static [KeyCode],
    caps: &'static str,
    does: &'static str,
    command: EditCommand,
) -> Binding {
    Binding { keys, caps, does, command: Command::Edit(command), with }
}

const fn edit(
    keys: &'static [KeyCode],
    caps: &'static str,
    does: &'static str,
    command: EditCommand,
) -> Binding {
    chord(With::Nothing, keys, caps, does, command)
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
            bind(&[KeyCode::Z, KeyCode::Comma], "Z ,", "back in time", Command::Rewind),
            bind(&[KeyCode::Tab], "Tab", "next solver", Command::SwitchSolver),
            bind(&[KeyCode::O], "O", "overlay more solvers", Command::Overlay),
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
            bind(&[KeyCode::X, KeyCode::F2], "X F2", "edit the level", Command::EditMode),
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
            bind(&[KeyCode::G], "G", "graphs", Command::Graphs),
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

/// The keys of edit mode.
pub(crate) const EDIT_GROUPS: [Group; 3] = [
    Group {
        title: "Edit",
        bindings: &[
            edit(&[KeyCode::Q], "Q", "turn left", EditCommand::Turn(true)),
            edit(&[KeyCode::E], "E", "turn right", EditCommand::Turn(false)),
            edit(&[KeyCode::D], "D", "duplicate", EditCommand::Duplicate),
            edit(&[KeyCode::Delete, KeyCode::Backspace], "Del", "delete", EditCommand::Remove),
            edit(&[KeyCode::G], "G", "next grid", EditCommand::Grid),
            chord(With::Control, &[KeyCode::Z], "Ctrl+Z", "undo", EditCommand::Undo),
            chord(With::ControlShift, &[KeyCode::Z], "Ctrl+Shift+Z", "redo", EditCommand::Redo),
            chord(With::Control, &[KeyCode::Y], "Ctrl+Y", "redo", EditCommand::Redo),
            chord(With::Control, &[KeyCode::S], "Ctrl+S", "save", EditCommand::Save),
            bind(&[KeyCode::X, KeyCode::F2], "X F2", "run the level", Command::EditMode),
        ],
    },
    Group {
        title: "Add at the cursor",
        bindings: &[
            edit(&[KeyCode::Key1, KeyCode::Kp1], "1", "a crate", EditCommand::Add(Ware::Crate)),
            edit(&[KeyCode::Key2, KeyCode::Kp2], "2", "a plank", EditCommand::Add(Ware::Box)),
            edit(&[KeyCode::Key3, KeyCode::Kp3], "3", "a disc", EditCommand::Add(Ware::Disc)),
            edit(&[KeyCode::Key4, KeyCode::Kp4], "4", "a capsule", EditCommand::Add(Ware::Capsule)),
            edit(&[KeyCode::Key5, KeyCode::Kp5], "5", "a wedge", EditCommand::Add(Ware::Polygon)),
            edit(
                &[KeyCode::Key6, KeyCode::Kp6],
                "6",
                "a static box",
                EditCommand::Add(Ware::Static),
            ),
            edit(&[KeyCode::Key7, KeyCode::Kp7], "7", "a ragdoll", EditCommand::Add(Ware::Ragdoll)),
            edit(&[KeyCode::Key8, KeyCode::Kp8], "8", "a stack", EditCommand::Add(Ware::Stack)),
            edit(&[KeyCode::Key9, KeyCode::Kp9], "9", "a pyramid", EditCommand::Add(Ware::Pyramid)),
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
            bind(&[KeyCode::Escape], "Esc", "deselect, or run it", Command::Quit),
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

/// What the mouse does in edit mode.
pub(crate) const EDIT_MOUSE: [(&str, &str); 5] = [
    ("Click", "select"),
    ("Shift click", "select more"),
    ("Left drag", "move, or turn by knob"),
    ("Right drag", "move the camera"),
    ("Wheel", "zoom at the cursor"),
];

fn bindings(editing: bool) -> impl Iterator<Item = &'static Binding> {
    let groups: &[Group] = if editing { &EDIT_GROUPS } else { &GROUPS };
    groups.iter().flat_map(|group| group.bindings)
}

/// What the stroke of a key asks for, in edit mode if `editing`. Keys that drive the level are its own:
/// only with Control they mean what they mean elsewhere.
pub(crate) fn command(stroke: &Stroke, editing: bool, driving: &[Key]) -> Option<Command> {
    let taken = !editing && steer::takes(driving, stroke.key);
    if taken && !stroke.control {
        return None;
    }
    let with = match (stroke.control && !taken, stroke.shift) {
        (false, _) => With::Nothing,
        (true, false) => With::Control,
        (true, true) => With::ControlShift,
    };
    let mut bindings = bindings(editing);
    let found = bindings.find(|row| row.keys.contains(&stroke.key) && row.with == with);
    found.map(|row| row.command)
}

/// The directions, added up, in which the keys that are down move the camera.
pub(crate) fn pan(editing: bool, driving: &[Key]) -> Vec2 {
    let own = |key: KeyCode| editing || !steer::takes(driving, key) || steer::control_down();
    let directions = bindings(editing).filter_map(|row| match row.command {
        Command::Pan(direction) => Some((row.keys, direction)),
        _ => None,
    });
    directions
        .filter(|(keys, _)| keys.iter().any(|&key| is_key_down(key) && own(key)))
        .map(|(_, direction)| direction)
        .sum()
}

/// Whether a key that asks for this is down, and does not drive the level. Not in edit mode, where
/// keys have other meanings.
pub(crate) fn is_held(command: Command, driving: &[Key]) -> bool {
    let mut rows = bindings(false).filter(|row| row.command == command);
    rows.any(|row| row.keys.iter().any(|&key| is_key_down(key) && !steer::takes(driving, key)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_has_two_meanings_and_every_row_reads_well() {
        for groups in [&GROUPS[..], &EDIT_GROUPS[..]] {
            let bindings: Vec<&Binding> = groups.iter().flat_map(|group| group.bindings).collect();
            let chords: Vec<_> =
                bindings.iter().flat_map(|b| b.keys.iter().map(|&key| (key, b.with))).collect();
            for (i, chord) in chords.iter().enumerate() {
                assert!(!chords[..i].contains(chord), "{chord:?} is bound twice");
            }
            for binding in bindings {
                assert!(!binding.keys.is_empty() && !binding.caps.is_empty());
                assert!(binding.does.len() <= 22, "too long for the help: {}", binding.does);
            }
        }
    }

    #[test]
    fn a_key_means_something_else_while_control_is_held() {
        let stroke = |control, shift| Stroke { key: KeyCode::Z, control, shift };
        assert_eq!(command(&stroke(false, false), true, &[]), None);
        assert_eq!(command(&stroke(false, false), false, &[]), Some(Command::Rewind));
        assert_eq!(
            command(&stroke(true, false), true, &[]),
            Some(Command::Edit(EditCommand::Undo))
        );
        assert_eq!(command(&stroke(true, true), true, &[]), Some(Command::Edit(EditCommand::Redo)));
        let save = Stroke { key: KeyCode::S, control: true, shift: false };
        assert_eq!(command(&save, true, &[]), Some(Command::Edit(EditCommand::Save)));
        assert_eq!(command(&save, false, &[]), None);
        let slow = Stroke { control: false, ..save };
        assert_eq!(command(&slow, false, &[]), Some(Command::SlowMotion));
    }

    #[test]
    fn keys_that_drive_the_level_are_its_own_but_with_control() {
        let stroke = |key, control| Stroke { key, control, shift: false };
        let driving = [Key::SPACE, Key::RIGHT];
        let ask = |key, control, editing| command(&stroke(key, control), editing, &driving);
        assert_eq!(ask(KeyCode::Space, false, false), None);
        assert_eq!(ask(KeyCode::Space, true, false), Some(Command::Pause));
        assert_eq!(ask(KeyCode::Right, false, false), None);
        assert_eq!(ask(KeyCode::Right, false, true), Some(Command::Pan(Vec2::NEG_X)));
        assert_eq!(ask(KeyCode::N, false, false), Some(Command::Step));
        assert_eq!(ask(KeyCode::N, true, false), None);
    }

    #[test]
    fn every_ware_has_the_key_that_the_palette_shows() {
        let bindings = || EDIT_GROUPS.iter().flat_map(|group| group.bindings);
        for (index, ware) in Ware::ALL.into_iter().enumerate() {
            let command = Command::Edit(EditCommand::Add(ware));
            let binding = bindings().find(|binding| binding.command == command).unwrap();
            assert_eq!(binding.caps, (index + 1).to_string());
        }
    }
}
