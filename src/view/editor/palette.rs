//! What can be added to a level.

use crate::edit::{LevelText, short};

/// Something on the palette.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ware {
    Crate,
    Box,
    Disc,
    Capsule,
    Polygon,
    Static,
    Ragdoll,
    Stack,
    Pyramid,
}

impl Ware {
    /// All of them, in the order of their keys: 1, 2, 3, …
    pub(crate) const ALL: [Self; 9] = [
        Self::Crate,
        Self::Box,
        Self::Disc,
        Self::Capsule,
        Self::Polygon,
        Self::Static,
        Self::Ragdoll,
        Self::Stack,
        Self::Pyramid,
    ];

    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Crate => "crate",
            Self::Box => "plank",
            Self::Disc => "disc",
            Self::Capsule => "capsule",
            Self::Polygon => "wedge",
            Self::Static => "static box",
            Self::Ragdoll => "ragdoll",
            Self::Stack => "stack",
            Self::Pyramid => "pyramid",
        }
    }

    /// The item for a level file, with an id that is free.
    pub(crate) fn item(self, text: &LevelText, at: [f64; 2]) -> String {
        let (kind, id, figure) = match self {
            Self::Crate => ("crate", "crate", "\"size\": [1, 1]"),
            Self::Box => ("box", "plank", "\"size\": [3, 0.2]"),
            Self::Disc => ("disc", "ball", "\"radius\": 0.4"),
            Self::Capsule => ("capsule", "capsule", "\"length\": 0.8, \"radius\": 0.2"),
            Self::Polygon => {
                ("polygon", "wedge", "\"vertices\": [[-0.6, -0.4], [0.6, -0.4], [0.6, 0.4]]")
            }
            Self::Static => ("static", "block", "\"box\": [2, 0.5]"),
            Self::Ragdoll => ("ragdoll", "person", "\"height\": 1.8"),
            Self::Stack => ("stack", "stack", "\"n\": 4"),
            Self::Pyramid => ("pyramid", "pyramid", "\"n\": 4, \"width\": 0.6"),
        };
        let id = text.free_id(id);
        let [x, y] = at.map(short);
        format!("{{ \"type\": \"{kind}\", \"id\": \"{id}\", {figure}, \"at\": [{x}, {y}] }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edit;
    use crate::level::Level;

    #[test]
    fn everything_on_the_palette_is_a_sound_item() {
        let mut text = LevelText::parse("{ \"format\": 1, \"items\": [] }").unwrap();
        for ware in Ware::ALL.into_iter().chain(Ware::ALL) {
            let item = ware.item(&text, [0.1 + 0.2, -3.0]);
            assert!(item.contains("[0.3, -3]"), "{item}");
            text = text.apply(&[Edit::Add { text: item }]).unwrap();
        }
        let level = Level::parse(text.as_str(), "palette.json").unwrap();
        assert!(level.scene.bodies.len() > 2 * Ware::ALL.len());
    }
}
