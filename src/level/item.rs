//! One item, read as what its type makes of it: a body, a ragdoll or a joint.
//!
//! The type is looked at by hand before anything else, because a tagged `serde` enum would lose the
//! place of every error inside it. A new type is a line in `SOLIDS`, one in [`keys`] and an arm in
//! [`Reader::read`]; soft bodies (`soft/`) and joints (`joint/`) have lists of their own.

use serde::de::DeserializeOwned;

use super::assembly::LARGEST;
use super::decode::{self, Color, fields};
use super::diagnostic::Report;
use super::format::{
    self, BoxKeys, CapsuleKeys, DiscKeys, FilterKeys, Kind, Placed, PolygonKeys, Solid, StaticKeys,
    UseKeys,
};
use super::joint;
use super::material::{self, Materials, Substance};
use super::ragdoll::{self, Doll, RagdollKeys};
use super::shape::Figure;
use super::soft::{self, Bridge};
use super::solid::{BodyKeys, TerrainKeys};
use super::tree::Place;
use crate::math::Vec2;
use crate::scene::{BodyDef, BodyKind, Filter, Look, Style};

/// The types of items that are rigid bodies.
const SOLIDS: [&str; 9] =
    ["crate", "box", "polygon", "disc", "capsule", "body", "static", "terrain", "ragdoll"];

/// The types of items that are no prefabs.
pub(super) const TYPES: [&str; COUNT] = {
    let lists: [&[&str]; 3] = [&SOLIDS, &soft::TYPES, &joint::TYPES];
    let (mut all, mut count, mut list) = ([""; COUNT], 0, 0);
    while list < lists.len() {
        let mut i = 0;
        while i < lists[list].len() {
            all[count] = lists[list][i];
            (count, i) = (count + 1, i + 1);
        }
        list += 1;
    }
    all
};
const COUNT: usize = SOLIDS.len() + soft::TYPES.len() + joint::TYPES.len();

/// The keys of a type, in lists; `None` for an unknown one.
pub(super) fn keys(kind: &str) -> Option<Vec<&'static [&'static str]>> {
    let own = match kind {
        "crate" | "box" => fields::<BoxKeys>(),
        "polygon" => fields::<PolygonKeys>(),
        "disc" => fields::<DiscKeys>(),
        "capsule" => fields::<CapsuleKeys>(),
        "body" => fields::<BodyKeys>(),
        "static" => fields::<StaticKeys>(),
        "terrain" => fields::<TerrainKeys>(),
        "ragdoll" => return Some(vec![fields::<RagdollKeys>(), fields::<Placed>()]),
        _ => return soft::keys(kind).or_else(|| joint::keys(kind)),
    };
    Some(vec![own, fields::<Placed>(), fields::<Solid>(), fields::<format::Material>()])
}

/// What an item was read as. Its id, its copies and the prefabs around it come later.
#[derive(Clone)]
pub(super) enum Draft {
    Body(Box<BodyDef>),
    Ragdoll(Box<Doll>),
    Bridge(Box<Bridge>),
    Joint(Box<joint::Draft>),
}

/// What the prefabs around an item change about its bodies. Ragdolls keep their flesh and clothes.
#[derive(Clone, Copy, Default)]
pub(super) struct Overrides {
    substance: Option<Substance>,
    color: Option<[u8; 3]>,
    filter: Option<Filter>,
    /// Added to the layer.
    layer: i8,
}

impl Overrides {
    /// What a use of a prefab changes.
    pub(super) fn read(
        keys: &UseKeys,
        item: &Place<'_>,
        materials: &Materials,
        report: &mut Report<'_>,
    ) -> Self {
        let material = keys.material.as_deref();
        let filter = keys.filter.map(Filter::from);
        check_group(filter.unwrap_or_default(), item, report);
        Self {
            substance: material
                .and_then(|name| materials.find(name, &item.key("material"), report)),
            color: keys.color.map(|Color(color)| color),
            filter,
            layer: keys.layer.unwrap_or(0),
        }
    }

    /// These, and those of a prefab inside where these say nothing.
    pub(super) fn over(&self, inner: &Self) -> Self {
        Self {
            substance: self.substance.or(inner.substance),
            color: self.color.or(inner.color),
            filter: self.filter.or(inner.filter),
            layer: self.layer.saturating_add(inner.layer),
        }
    }
}

/// What bodies of a type are unless they say otherwise.
struct Manner {
    kind: Kind,
    material: &'static str,
    style: Style,
}

/// Reads one item.
pub(super) struct Reader<'r, 'a, 't> {
    pub(super) item: &'r Place<'a>,
    pub(super) kind: &'r str,
    pub(super) materials: &'r Materials,
    pub(super) overrides: &'r Overrides,
    pub(super) report: &'r mut Report<'t>,
}

impl Reader<'_, '_, '_> {
    /// The item as a draft; `None` if it cannot be one, which is reported.
    pub(super) fn read(&mut self) -> Option<Draft> {
        let plain = |style| Manner { kind: Kind::Dynamic, material: "wood", style };
        let ground = Manner { kind: Kind::Static, material: "ground", style: Style::Ground };
        match self.kind {
            "crate" => self.body::<BoxKeys>(plain(Style::Crate)),
            "box" => self.body::<BoxKeys>(plain(Style::Plain)),
            "polygon" => self.body::<PolygonKeys>(plain(Style::Plain)),
            "disc" => self.body::<DiscKeys>(plain(Style::Ball)),
            "capsule" => self.body::<CapsuleKeys>(plain(Style::Plain)),
            "body" => self.body::<BodyKeys>(plain(Style::Plain)),
            "static" => self.body::<StaticKeys>(ground),
            "terrain" => self.body::<TerrainKeys>(ground),
            "ragdoll" => self.ragdoll(),
            kind if soft::TYPES.contains(&kind) => soft::read(self),
            kind => Some(Draft::Joint(Box::new(joint::read(kind, self.item, self.report)?))),
        }
    }

    /// An item that is one body.
    fn body<S: Figure + DeserializeOwned>(&mut self, manner: Manner) -> Option<Draft> {
        let placed = decode::part::<Placed>(self.item, self.report);
        let solid = decode::part::<Solid>(self.item, self.report);
        let shape = decode::part::<S>(self.item, self.report)
            .and_then(|keys| keys.shape(self.item, self.report));
        let (placed, solid, shape) = (placed?, solid?, shape?);
        let (substance, filter) =
            self.substance(solid.material.as_deref(), manner.material, solid.filter)?;
        let kind = self.body_kind(&placed, solid.kind, manner.kind);
        Some(Draft::Body(Box::new(BodyDef {
            id: String::new(),
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
                layer: self.layer(placed.layer),
                style: manner.style,
            },
        })))
    }

    /// What the item is made of and what it collides with: as it says itself and as the prefabs
    /// around it want it. `None` if that cannot be read.
    pub(super) fn substance(
        &mut self,
        name: Option<&str>,
        usual: &str,
        filter: Option<FilterKeys>,
    ) -> Option<(Substance, Filter)> {
        let own = decode::part::<format::Material>(self.item, self.report)?;
        let place = self.item.key("material");
        let substance = self.materials.find(name.unwrap_or(usual), &place, self.report);
        let substance = substance.unwrap_or_else(|| self.materials.builtin(usual));
        let substance = self.overrides.substance.unwrap_or(substance);
        let mut substance = material::adjusted(substance, own, self.item, self.report);
        substance.color = self.overrides.color.unwrap_or(substance.color);
        let filter = filter.map(Into::into).unwrap_or_default();
        check_group(filter, self.item, self.report);
        Some((substance, self.overrides.filter.unwrap_or(filter)))
    }

    /// The layer of the item in the world.
    pub(super) fn layer(&self, own: Option<i8>) -> i8 {
        own.unwrap_or(0).saturating_add(self.overrides.layer)
    }

    fn ragdoll(&mut self) -> Option<Draft> {
        let placed = decode::part::<Placed>(self.item, self.report);
        let keys = decode::part::<RagdollKeys>(self.item, self.report);
        let (placed, keys) = (placed?, keys?);
        let flesh = self.materials.builtin("flesh").material;
        let mut doll = ragdoll::read(&keys, self.item, flesh, self.report)?;
        doll.at = placed.at.map_or(Vec2::ZERO, Into::into);
        doll.angle = placed.angle.unwrap_or(0.0).to_radians();
        doll.velocity = placed.velocity.map_or(Vec2::ZERO, Into::into);
        doll.spin = placed.spin.unwrap_or(0.0).to_radians();
        doll.layer = self.layer(placed.layer);
        doll.filter = self.overrides.filter.unwrap_or_default();
        Some(Draft::Ragdoll(Box::new(doll)))
    }

    /// Whether the body moves; reports motion given to one that does not.
    fn body_kind(&mut self, placed: &Placed, given: Option<Kind>, usual: Kind) -> BodyKind {
        if usual == Kind::Static && given.is_some_and(|kind| kind != Kind::Static) {
            let help = "use the type box, polygon, disc or capsule for what moves";
            let place = self.item.key("kind");
            let message = format!("an item of type `{}` never moves", self.kind);
            self.report.error_with_help(&place, message, help);
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
}

fn check_group(filter: Filter, item: &Place<'_>, report: &mut Report<'_>) {
    if f64::from(filter.group).abs() > f64::from(LARGEST) {
        let place = item.key("filter").key("group");
        let message = format!("group {} is outside ±{LARGEST}", filter.group);
        report.error(&place, message);
    }
}
