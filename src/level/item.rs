//! The items of a level: each `type` read as its struct, repeated, and added to the scene.
//!
//! The type is looked at by hand before anything else, because a tagged `serde` enum would lose the
//! place of every error inside it. A new type is a line in [`TYPES`] and an arm in [`read`].

use serde::de::DeserializeOwned;

use super::assembly::{Assembly, LARGEST};
use super::decode::{self, Color};
use super::diagnostic::{Report, suggestion, ticked};
use super::format;
use super::format::{
    BoxKeys, CapsuleKeys, DiscKeys, Kind, PinKeys, Placed, PolygonKeys, RagdollKeys, Repeat, Solid,
    StaticKeys,
};
use super::material::{self, Materials};
use super::ragdoll;
use super::shape::Figure;
use super::tree::Place;
use crate::math::Vec2;
use crate::scene::{BodyDef, BodyKind, Look, Style};

/// The types of items.
const TYPES: [&str; 8] = ["crate", "box", "polygon", "disc", "capsule", "static", "ragdoll", "pin"];

/// What bodies of a type are unless they say otherwise.
struct Manner {
    kind: Kind,
    material: &'static str,
    style: Style,
}

/// Reads all items but the pins into `assembly`; returns the pins, to be set when every body is
/// known.
pub(super) fn read_all<'a>(
    items: &Place<'a>,
    materials: &Materials,
    assembly: &mut Assembly,
    report: &mut Report<'_>,
) -> Vec<(PinKeys, Place<'a>)> {
    let mut pins = Vec::new();
    for item in items.elements() {
        if report.is_full() {
            break;
        }
        if !decode::is_object(&item, report) {
            continue;
        }
        let place = item.key("type");
        let Some(kind) = item.node.get("type").and_then(|node| node.text()) else {
            let message = if item.has("type") {
                format!("expected the type of the item, found {}", place.node.describe())
            } else {
                "the key `type` is missing".to_owned()
            };
            report.error_with_help(&place, message, format!("types: {}", TYPES.join(", ")));
            skip(&item, "item", assembly, report);
            continue;
        };
        let mut reader = Reader { item: &item, kind, materials, assembly, report };
        let plain = |style| Manner { kind: Kind::Dynamic, material: "wood", style };
        match kind {
            "crate" => reader.body::<BoxKeys>(plain(Style::Crate)),
            "box" => reader.body::<BoxKeys>(plain(Style::Plain)),
            "polygon" => reader.body::<PolygonKeys>(plain(Style::Plain)),
            "disc" => reader.body::<DiscKeys>(plain(Style::Ball)),
            "capsule" => reader.body::<CapsuleKeys>(plain(Style::Plain)),
            "static" => reader.body::<StaticKeys>(Manner {
                kind: Kind::Static,
                material: "ground",
                style: Style::Ground,
            }),
            "ragdoll" => reader.ragdoll(),
            "pin" => pins.extend(reader.pin().map(|keys| (keys, item.clone()))),
            _ => {
                let help = suggestion(kind, TYPES, "types");
                report.error_with_help(&place, format!("unknown type {}", ticked(kind)), help);
                skip(&item, kind, assembly, report);
            }
        }
    }
    pins
}

/// Passes over an item that cannot be read, keeping its name.
fn skip(item: &Place<'_>, kind: &str, assembly: &mut Assembly, report: &mut Report<'_>) {
    let given = item.node.get("id").and_then(|node| node.text());
    let id = assembly.id(given, kind, item, report);
    assembly.broken(&id, item, report);
}

/// Reads one item.
struct Reader<'r, 'a, 't> {
    item: &'r Place<'a>,
    kind: &'r str,
    materials: &'r Materials,
    assembly: &'r mut Assembly,
    report: &'r mut Report<'t>,
}

impl Reader<'_, '_, '_> {
    /// An item that is one body, or a grid of copies of it.
    fn body<S: Figure + DeserializeOwned>(&mut self, manner: Manner) {
        let lists = [
            decode::fields::<S>(),
            decode::fields::<Placed>(),
            decode::fields::<Solid>(),
            decode::fields::<format::Material>(),
        ];
        self.known_keys(&lists);
        let placed = decode::part::<Placed>(self.item, self.report);
        let solid = decode::part::<Solid>(self.item, self.report);
        let own = decode::part::<format::Material>(self.item, self.report);
        let shape = decode::part::<S>(self.item, self.report)
            .and_then(|keys| keys.shape(self.item, self.report));
        let (Some(placed), Some(solid), Some(own), Some(shape)) = (placed, solid, own, shape)
        else {
            return skip(self.item, self.kind, self.assembly, self.report);
        };
        let id = self.id(&placed);
        let name = solid.material.as_deref().unwrap_or(manner.material);
        let place = self.item.key("material");
        let substance = self.materials.find(name, &place, self.report);
        let substance = substance.unwrap_or_else(|| self.materials.builtin(manner.material));
        let substance = material::adjusted(substance, own, self.item, self.report);
        let kind = self.body_kind(&placed, solid.kind, manner.kind);
        let filter = solid.filter.map(Into::into).unwrap_or_default();
        self.check_group(filter);
        let def = BodyDef {
            id: id.clone(),
            kind,
            shape,
            position: placed.at.map_or(Vec2::ZERO, Into::into),
            angle: placed.angle.unwrap_or(0.0).to_radians(),
            velocity: placed.velocity.map_or(Vec2::ZERO, Into::into),
            spin: placed.spin.unwrap_or(0.0).to_radians(),
            material: substance.material,
            filter,
            look: Look {
                color: substance.color,
                layer: placed.layer.unwrap_or(0),
                style: manner.style,
            },
        };
        let Some(repeat) = placed.repeat else {
            if self.assembly.has_room(1, self.item, self.report) {
                self.assembly.add_body(def, self.item, self.report);
            }
            return;
        };
        for (number, offset) in self.copies(&id, repeat, 1, "") {
            let (id, position) = (format!("{id}.{number}"), def.position + offset);
            let copy = BodyDef { id, position, ..def.clone() };
            self.assembly.add_body(copy, self.item, self.report);
        }
    }

    /// A ragdoll, or a grid of them.
    fn ragdoll(&mut self) {
        self.known_keys(&[decode::fields::<RagdollKeys>(), decode::fields::<Placed>()]);
        let placed = decode::part::<Placed>(self.item, self.report);
        let keys = decode::part::<RagdollKeys>(self.item, self.report);
        let (Some(placed), Some(keys)) = (placed, keys) else {
            return skip(self.item, self.kind, self.assembly, self.report);
        };
        let id = self.id(&placed);
        let height = keys.height.unwrap_or(ragdoll::DEFAULT_HEIGHT);
        let (low, high) = ragdoll::HEIGHT_RANGE;
        if !(height >= low && height <= high) {
            let message = format!("height {height} is outside {low} to {high} m");
            self.report.error(&self.item.key("height"), message);
            return self.assembly.broken(&id, self.item, self.report);
        }
        let dyed = |color: Option<Color>, default| color.map_or(default, |Color(color)| color);
        let usual = ragdoll::Colors::default();
        let colors = ragdoll::Colors {
            skin: dyed(keys.skin, usual.skin),
            shirt: dyed(keys.shirt, usual.shirt),
            trousers: dyed(keys.trousers, usual.trousers),
            shoes: dyed(keys.shoes, usual.shoes),
        };
        let material = self.materials.builtin("flesh").material;
        let at: Vec2 = placed.at.map_or(Vec2::ZERO, Into::into);
        let mut start = ragdoll::Start {
            height,
            at,
            angle: placed.angle.unwrap_or(0.0).to_radians(),
            velocity: placed.velocity.map_or(Vec2::ZERO, Into::into),
            spin: placed.spin.unwrap_or(0.0).to_radians(),
            layer: placed.layer.unwrap_or(0),
            group: 0,
        };
        let parts = ragdoll::PART_COUNT as u64;
        let copies = match placed.repeat {
            Some(repeat) => self.copies(&id, repeat, parts, ".head"),
            None if self.assembly.has_room(parts, self.item, self.report) => {
                let example = format!("{id}.head");
                if self.assembly.group(&id, example, self.item, self.report) {
                    vec![(0, Vec2::ZERO)]
                } else {
                    Vec::new()
                }
            }
            None => Vec::new(),
        };
        for (number, offset) in copies {
            start.at = at + offset;
            start.group = self.assembly.ragdoll_group();
            let name = if placed.repeat.is_some() { format!("{id}.{number}") } else { id.clone() };
            let (bodies, joints) = ragdoll::build(&name, &start, &colors, material);
            for body in bodies {
                self.assembly.add_body(body, self.item, self.report);
            }
            for joint in joints {
                self.assembly.add_joint(joint, self.item, self.report);
            }
        }
    }

    /// A pin. Its bodies may come later in the file, so it is only read here.
    fn pin(&mut self) -> Option<PinKeys> {
        self.known_keys(&[decode::fields::<PinKeys>()]);
        let keys = decode::part::<PinKeys>(self.item, self.report);
        if keys.is_none() {
            skip(self.item, self.kind, self.assembly, self.report);
        }
        keys
    }

    fn known_keys(&mut self, lists: &[&[&str]]) {
        let what = format!("a {} knows", self.kind);
        decode::unknown_keys(self.item, lists, &what, self.report);
    }

    fn id(&mut self, placed: &Placed) -> String {
        self.assembly.id(placed.id.as_deref(), &placed.r#type, self.item, self.report)
    }

    /// Whether the body moves; reports motion given to one that does not.
    fn body_kind(&mut self, placed: &Placed, given: Option<Kind>, usual: Kind) -> BodyKind {
        if usual == Kind::Static && given.is_some_and(|kind| kind != Kind::Static) {
            let help = "use the type box, polygon, disc or capsule for what moves";
            let place = self.item.key("kind");
            self.report.error_with_help(&place, "an item of type `static` never moves", help);
        }
        let kind = given.unwrap_or(usual);
        for key in ["velocity", "spin"] {
            let zero = match key {
                "velocity" => placed.velocity.is_none_or(|v| v.0 == 0.0 && v.1 == 0.0),
                _ => placed.spin.is_none_or(|spin| spin == 0.0),
            };
            if kind == Kind::Static && !zero {
                let message = format!("{key} on a static body, which never moves");
                let help = format!("leave {key} out, or make the body dynamic or kinematic");
                self.report.error_with_help(&self.item.key(key), message, help);
            }
        }
        kind.into()
    }

    fn check_group(&mut self, filter: crate::scene::Filter) {
        if f64::from(filter.group).abs() > f64::from(LARGEST) {
            let place = self.item.key("filter").key("group");
            let message = format!("group {} is outside ±{LARGEST}", filter.group);
            self.report.error(&place, message);
        }
    }

    /// Number and offset of each copy: row by row, `number = iy·nx + ix`. Takes the name of the
    /// whole; none if there is no room for `parts` things in each copy.
    fn copies(&mut self, id: &str, repeat: Repeat, parts: u64, first: &str) -> Vec<(u32, Vec2)> {
        let (nx, ny) = (repeat.count.0, repeat.count.1);
        let place = self.item.key("repeat").key("count");
        if nx == 0 || ny == 0 {
            self.report.error(&place, "each count must be at least 1");
            self.assembly.broken(id, self.item, self.report);
            return Vec::new();
        }
        let total = (u64::from(nx) * u64::from(ny)).saturating_mul(parts);
        if !self.assembly.has_room(total, &place, self.report) {
            self.assembly.broken(id, self.item, self.report);
            return Vec::new();
        }
        if !self.assembly.group(id, format!("{id}.0{first}"), self.item, self.report) {
            return Vec::new();
        }
        let step: Vec2 = repeat.step.into();
        let rows = (0..ny).flat_map(|iy| (0..nx).map(move |ix| (ix, iy)));
        rows.map(|(ix, iy)| (iy * nx + ix, step * Vec2::new(ix as f32, iy as f32))).collect()
    }
}
