//! Soft bodies and bridges: from keys to the generators of [`soft`](crate::scene::soft).
//!
//! The generators know what can be made and what cannot; a fault they find in a parameter is
//! reported at the key of that name.

pub(super) mod keys;

use serde::de::DeserializeOwned;

use self::keys::{
    BalloonKeys, BeamKeys, BlobKeys, BridgeKeys, ClothKeys, FirmKeys, HoldName, JellyKeys,
    PlasticKeys, RegionKeys, RopeKeys, SoftKeys, StiffnessKey,
};
use super::decode::{self, Pair, fields};
use super::diagnostic::Report;
use super::format::{self, Placed};
use super::item::{Draft, Reader};
use super::shape::positive;
use super::tree::Place;
use crate::math::{Rot, Vec2};
use crate::scene::soft::{
    Balloon, Beam, Blob, Chain, Cloth, Fault, Firm, Hold, Jelly, Link, Region, RegionFigure, Rope,
    Stiffness,
};
use crate::scene::{BodyDef, BodyKind, JointDef, Look, Mesh, Plastic, Shape, Strength, Style};

/// The types of items that are soft bodies, or chains of rigid ones.
pub(super) const TYPES: [&str; 7] = ["rope", "beam", "cloth", "jelly", "blob", "balloon", "bridge"];

/// The keys of a type, in lists; `None` for an unknown one.
pub(super) fn keys(kind: &str) -> Option<Vec<&'static [&'static str]>> {
    let own = match kind {
        "rope" => fields::<RopeKeys>(),
        "beam" => fields::<BeamKeys>(),
        "cloth" => fields::<ClothKeys>(),
        "jelly" => fields::<JellyKeys>(),
        "blob" => fields::<BlobKeys>(),
        "balloon" => fields::<BalloonKeys>(),
        "bridge" => fields::<BridgeKeys>(),
        _ => return None,
    };
    let mut lists = vec![own, fields::<Placed>(), fields::<format::Material>()];
    if kind != "bridge" {
        lists.push(fields::<SoftKeys>());
    }
    Some(lists)
}

/// A bridge to be built.
#[derive(Clone)]
pub(super) struct Bridge {
    chain: Chain,
    pub(super) at: Vec2,
    /// Radians.
    pub(super) angle: f32,
    velocity: Vec2,
}

impl Bridge {
    /// How many bodies and joints it is.
    pub(super) fn parts(&self) -> u64 {
        self.chain.parts()
    }

    /// Its planks and pins, named after `id`.
    pub(super) fn build(
        &self,
        id: &str,
        item: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<(Vec<BodyDef>, Vec<JointDef>)> {
        let made = self.chain.build(id, Vec2::ZERO);
        let (mut bodies, mut joints) = made.map_err(|fault| tell(&fault, item, report)).ok()?;
        let rot = Rot::from_radians(self.angle);
        for body in &mut bodies {
            body.position = self.at + rot.apply(body.position);
            body.angle += self.angle;
            body.velocity = self.velocity;
        }
        for joint in &mut joints {
            joint.at = self.at + rot.apply(joint.at);
        }
        Some((bodies, joints))
    }
}

/// Reads a soft body or a bridge; `None` if it cannot be one, which is reported.
pub(super) fn read(reader: &mut Reader<'_, '_, '_>) -> Option<Draft> {
    match reader.kind {
        "rope" => body(reader, "hemp", Style::Rope, |keys: RopeKeys, base| {
            let usual = Rope::default();
            let thickness = keys.thickness.unwrap_or(usual.thickness);
            Rope {
                to: Vec2::from(keys.to) - base.at,
                length: keys.length,
                thickness,
                segments: keys.segments,
                // One metre deep as everything else; what has no thickness is refused later.
                line_density: base.density * thickness.max(Shape::LEAST_SIZE),
                stiffness: keys.stiffness,
                damping: base.damping.unwrap_or(usual.damping),
                hold: hold(keys.hold),
                strength: base.strength,
                self_collision: keys.self_collision.unwrap_or(false),
            }
            .mesh()
        }),
        "beam" => body(reader, "wood", Style::Beam, |keys: BeamKeys, base| {
            Beam {
                to: Vec2::from(keys.to) - base.at,
                thickness: keys.thickness,
                segments: keys.segments,
                density: base.density,
                stiffness: keys.stiffness,
                damping: base.damping.unwrap_or(Beam::default().damping),
                clamp: hold(keys.clamp),
                strength: base.strength,
            }
            .mesh()
        }),
        "cloth" => cloth(reader),
        "jelly" => jelly(reader),
        "blob" => body(reader, "slime", Style::Blob, |keys: BlobKeys, base| {
            let usual = Blob::default();
            Blob {
                radius: keys.radius,
                points: keys.points.unwrap_or(usual.points),
                density: base.density,
                skin: keys.skin,
                bulk: keys.bulk,
                fill: keys.fill.unwrap_or(usual.fill),
                damping: base.damping.unwrap_or(usual.damping),
                strength: base.strength,
            }
            .mesh()
        }),
        "balloon" => body(reader, "latex", Style::Balloon, |keys: BalloonKeys, base| {
            let usual = Balloon::default();
            Balloon {
                radius: keys.radius,
                points: keys.points.unwrap_or(usual.points),
                density: base.density,
                skin: keys.skin,
                stretch: keys.stretch.unwrap_or(usual.stretch),
                gas: keys.gas.unwrap_or(usual.gas),
                damping: base.damping.unwrap_or(usual.damping),
                strength: base.strength,
            }
            .mesh()
        }),
        "bridge" => bridge(reader),
        _ => None,
    }
}

/// What the keys that every soft body has say.
struct Base {
    /// Where it is.
    at: Vec2,
    density: f32,
    damping: Option<f32>,
    strength: Strength,
}

/// An item that is one soft body: its own keys and what is made of them.
fn body<K: DeserializeOwned>(
    reader: &mut Reader<'_, '_, '_>,
    material: &'static str,
    style: Style,
    make: impl FnOnce(K, &Base) -> Result<Mesh, Fault>,
) -> Option<Draft> {
    let keys = decode::part::<K>(reader.item, reader.report);
    finish(reader, material, style, keys, make)
}

/// The same for keys that have been read already.
fn finish<K>(
    reader: &mut Reader<'_, '_, '_>,
    material: &'static str,
    style: Style,
    keys: Option<K>,
    make: impl FnOnce(K, &Base) -> Result<Mesh, Fault>,
) -> Option<Draft> {
    let (item, before) = (reader.item, reader.report.count());
    let placed = decode::part::<Placed>(item, reader.report);
    let shared = decode::part::<SoftKeys>(item, reader.report);
    let (placed, shared, keys) = (placed?, shared?, keys?);
    let (substance, filter) =
        reader.substance(shared.material.as_deref(), material, shared.filter)?;
    let strength = Strength {
        break_strain: shared.break_strain.filter(|&strain| {
            let help = "leave it out for what never breaks";
            check("break_strain", strain, (1e-4, 100.0), item, help, reader.report)
        }),
        plastic: shared.plastic.map(|keys| plastic(keys, &item.key("plastic"), reader.report)),
    };
    let at = placed.at.map_or(Vec2::ZERO, Into::into);
    let base = Base { at, density: substance.material.density, damping: shared.damping, strength };
    if reader.report.count() > before {
        return None;
    }
    let mesh = make(keys, &base).map_err(|fault| tell(&fault, item, reader.report)).ok()?;
    Some(Draft::Body(Box::new(BodyDef {
        id: String::new(),
        kind: BodyKind::Dynamic,
        shape: Shape::Mesh(mesh),
        position: at,
        angle: placed.angle.unwrap_or(0.0).to_radians(),
        velocity: placed.velocity.map_or(Vec2::ZERO, Into::into),
        spin: placed.spin.unwrap_or(0.0).to_radians(),
        material: substance.material,
        filter,
        look: Look { color: substance.color, layer: reader.layer(placed.layer), style },
    })))
}

fn cloth(reader: &mut Reader<'_, '_, '_>) -> Option<Draft> {
    let (item, report) = (reader.item, &mut *reader.report);
    let keys = decode::part::<ClothKeys>(item, report);
    let holes = keys.as_ref().and_then(|keys| keys.holes.as_ref());
    let holes = holes.map_or(&[][..], Vec::as_slice).iter().enumerate();
    let place = |index| item.key("holes").index(index);
    let holes: Option<Vec<Region>> = holes
        .map(|(index, &RegionKeys { at, r#box, disc })| {
            region(at, r#box, disc, &place(index), report)
        })
        .collect();
    let holes = holes?;
    finish(reader, "cloth", Style::Cloth, keys, |keys, base| {
        let usual = Cloth::default();
        Cloth {
            size: keys.size.into(),
            cell: keys.cell,
            density: base.density,
            stiffness: keys.stiffness,
            shear: keys.shear.unwrap_or(usual.shear),
            damping: base.damping.unwrap_or(usual.damping),
            hold: keys.hold.map_or(usual.hold, Into::into),
            hold_at: keys.hold_at.unwrap_or_default().into_iter().map(Into::into).collect(),
            holes,
            strength: base.strength,
            self_collision: keys.self_collision.unwrap_or(false),
        }
        .mesh()
    })
}

fn jelly(reader: &mut Reader<'_, '_, '_>) -> Option<Draft> {
    let (item, report) = (reader.item, &mut *reader.report);
    let keys = decode::part::<JellyKeys>(item, report)?;
    let figure = figure(&keys, item, report);
    let stiffness = match (keys.stiffness, keys.frequency) {
        (Some(StiffnessKey(stiffness)), None) => Some(stiffness),
        (None, Some(frequency)) => Some(Stiffness::Frequency(frequency)),
        (given, _) => {
            let help = "give `stiffness` in Pa or as \"rigid\", or `frequency` in Hz";
            let key = if given.is_some() { "frequency" } else { "stiffness" };
            let message = match given {
                Some(_) => "either `stiffness` or `frequency`, not both",
                None => "the key `stiffness` is missing",
            };
            // One that is there but wrong has been reported.
            if given.is_some() || !(item.has("stiffness") || item.has("frequency")) {
                report.error_with_help(&item.key(key), message, help);
            }
            None
        }
    };
    let regions = keys.regions.as_ref().map_or(&[][..], Vec::as_slice).iter().enumerate();
    let regions: Option<Vec<Firm>> = regions
        .map(|(index, &FirmKeys { at, r#box, disc, stiffness: StiffnessKey(stiffness) })| {
            let place = item.key("regions").index(index);
            Some(Firm { region: region(at, r#box, disc, &place, report)?, stiffness })
        })
        .collect();
    let (figure, stiffness, regions) = (figure?, stiffness?, regions?);
    finish(reader, "jelly", Style::Jelly, Some(keys), |keys, base| {
        Jelly {
            cell: keys.cell,
            density: base.density,
            stiffness,
            damping: base.damping.unwrap_or(figure.damping),
            regions,
            strength: base.strength,
            ..figure
        }
        .mesh()
    })
}

/// A jelly of the outline that is given.
fn figure(keys: &JellyKeys, item: &Place<'_>, report: &mut Report<'_>) -> Option<Jelly> {
    match (keys.r#box, &keys.polygon, keys.disc) {
        (Some(size), None, None) => Some(Jelly::rectangle(sides(size, &item.key("box"), report)?)),
        (None, Some(vertices), None) => {
            let outline = vertices.iter().map(|&vertex| vertex.into()).collect();
            Some(Jelly { outline, ..Jelly::default() })
        }
        (None, None, Some(radius)) => {
            Some(Jelly::disc(positive("radius", radius, &item.key("disc"), report)?))
        }
        _ => {
            one_figure(&["box", "polygon", "disc"], "a jelly", item, report);
            None
        }
    }
}

fn bridge(reader: &mut Reader<'_, '_, '_>) -> Option<Draft> {
    let (item, before) = (reader.item, reader.report.count());
    let placed = decode::part::<Placed>(item, reader.report);
    let keys = decode::part::<BridgeKeys>(item, reader.report);
    let (placed, keys) = (placed?, keys?);
    let (substance, filter) = reader.substance(keys.material.as_deref(), "wood", keys.filter)?;
    if let Some(force) = keys.break_force {
        let help = "leave it out for what never breaks";
        check("break_force", force, (1e-6, 1e13), item, help, reader.report);
    }
    for key in ["spin"].iter().filter(|key| item.has(key)) {
        let message = format!("a bridge has no {key}");
        reader.report.error_with_help(&item.key(key), message, "leave it out");
    }
    let usual = Chain::default();
    let at = placed.at.map_or(Vec2::ZERO, Into::into);
    let bridge = Bridge {
        chain: Chain {
            to: Vec2::from(keys.to) - at,
            length: keys.length,
            links: keys.planks.unwrap_or(usual.links),
            link: Link::Plank(keys.thickness.unwrap_or(0.1)),
            hold: keys.hold.map_or(Hold::Both, Into::into),
            break_force: keys.break_force,
            material: substance.material,
            filter,
            look: Look {
                color: substance.color,
                layer: reader.layer(placed.layer),
                style: Style::Plain,
            },
        },
        at,
        angle: placed.angle.unwrap_or(0.0).to_radians(),
        velocity: placed.velocity.map_or(Vec2::ZERO, Into::into),
    };
    if reader.report.count() > before {
        return None;
    }
    // Faults are told here, once, not for every copy.
    bridge.build("", item, reader.report)?;
    Some(Draft::Bridge(Box::new(bridge)))
}

fn hold(name: Option<HoldName>) -> Hold {
    name.map_or(Hold::None, Into::into)
}

/// A part of a body: exactly one figure.
fn region(
    at: Option<Pair<f32>>,
    size: Option<Pair<f32>>,
    radius: Option<f32>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Option<Region> {
    let figure = match (size, radius) {
        (Some(size), None) => RegionFigure::Box(sides(size, &place.key("box"), report)?),
        (None, Some(radius)) => {
            RegionFigure::Disc(positive("radius", radius, &place.key("disc"), report)?)
        }
        _ => {
            one_figure(&["box", "disc"], "a region", place, report);
            return None;
        }
    };
    Some(Region { at: at.map_or(Vec2::ZERO, Into::into), figure })
}

fn sides(size: Pair<f32>, place: &Place<'_>, report: &mut Report<'_>) -> Option<Vec2> {
    let width = positive("width", size.0, &place.index(0), report);
    let height = positive("height", size.1, &place.index(1), report);
    Some(Vec2::new(width?, height?))
}

fn one_figure(keys: &[&str], what: &str, place: &Place<'_>, report: &mut Report<'_>) {
    // A key that is there but could not be read has been reported.
    if keys.iter().filter(|key| place.has(key)).count() != 1 {
        let message = format!("{what} needs exactly one shape");
        report.error_with_help(place, message, format!("give it one of {}", keys.join(", ")));
    }
}

fn plastic(keys: PlasticKeys, place: &Place<'_>, report: &mut Report<'_>) -> Plastic {
    let plastic = Plastic {
        yield_strain: keys.yield_strain,
        flow: keys.flow.unwrap_or(100.0),
        hardening: keys.hardening.unwrap_or(0.0),
        most: keys.most.unwrap_or(0.5),
    };
    let Plastic { yield_strain, flow, hardening, most } = plastic;
    let numbers = [
        ("yield_strain", yield_strain, (1e-6, 100.0)),
        ("flow", flow, (1e-6, 1e6)),
        ("hardening", hardening, (0.0, 1e6)),
        ("most", most, (1e-6, 0.99)),
    ];
    for (key, value, range) in numbers {
        check(key, value, range, place, "", report);
    }
    plastic
}

/// Whether a number is in its range; reports it if not.
fn check(
    key: &str,
    value: f32,
    (low, high): (f32, f32),
    place: &Place<'_>,
    help: &str,
    report: &mut Report<'_>,
) -> bool {
    let good = value >= low && value <= high;
    if !good {
        let message = if value <= 0.0 && low > 0.0 {
            format!("{key} {value} must be positive")
        } else {
            format!("{key} {value} is outside {low} to {high}")
        };
        match help {
            "" => report.error(&place.key(key), message),
            help => report.error_with_help(&place.key(key), message, help),
        }
    }
    good
}

/// Reports what is wrong with a parameter at the key it comes from.
fn tell(fault: &Fault, item: &Place<'_>, report: &mut Report<'_>) {
    let key = match fault.parameter {
        "outline" => ["polygon", "box", "disc"].into_iter().find(|key| item.has(key)),
        "links" => Some("planks"),
        "line_density" => Some("density"),
        name => Some(name),
    };
    let place = key.map_or_else(|| item.clone(), |key| item.key(key));
    let place = match fault.index {
        Some(index) => place.index(index),
        None => place,
    };
    // What a file calls otherwise, a message calls so too.
    let problem = match key {
        Some(key) => fault.problem.replace(fault.parameter, key),
        None => fault.problem.clone(),
    };
    if fault.remedy.is_empty() {
        report.error(&place, problem);
    } else {
        report.error_with_help(&place, problem, fault.remedy.clone());
    }
}
