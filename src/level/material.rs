//! The materials every level may name, and those a level adds or changes.
//!
//! Densities are handbook values in kg/m³. Friction is that of a body of the material on another of
//! the same; a pair slides at the geometric mean. Restitution is that of the livelier of the two,
//! so only what bounces by itself, rubber above all, has much of it.

use std::collections::BTreeMap;

use super::decode::{self, Color};
use super::diagnostic::{Report, suggestion, ticked};
use super::format;
use super::tree::Place;
use crate::scene::Material;

/// What the bodies of a material share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Substance {
    pub(super) material: Material,
    pub(super) color: [u8; 3],
}

/// Name, density kg/m³, friction, restitution, colour.
const BUILTIN: [(&str, f32, f32, f32, u32); 19] = [
    ("wood", 600.0, 0.6, 0.05, 0xb5_79_3a),
    ("pine", 500.0, 0.6, 0.05, 0xd9_a7_66),
    ("oak", 750.0, 0.6, 0.05, 0x9c_66_33),
    ("walnut", 650.0, 0.6, 0.05, 0x6e_47_2c),
    ("cork", 240.0, 0.7, 0.3, 0xc9_a2_7a),
    ("stone", 2500.0, 0.7, 0.05, 0x8b_8d_94),
    ("brick", 1900.0, 0.75, 0.05, 0xa4_53_3d),
    ("ground", 2000.0, 0.7, 0.0, 0x4d_58_50),
    ("ice", 917.0, 0.03, 0.05, 0xbc_e0_ee),
    ("rubber", 1100.0, 1.0, 0.75, 0xc6_4a_3f),
    ("steel", 7850.0, 0.4, 0.15, 0x74_80_8c),
    ("lead", 11_340.0, 0.5, 0.0, 0x50_54_5e),
    ("glass", 2500.0, 0.4, 0.1, 0xa7_cf_c9),
    ("cloth", 300.0, 0.6, 0.0, 0x4c_6f_94),
    ("hemp", 900.0, 0.7, 0.0, 0xc4_9a_5a),
    ("jelly", 1000.0, 0.6, 0.05, 0xd6_4f_7c),
    ("slime", 1000.0, 0.5, 0.0, 0x6f_b0_4a),
    ("latex", 40.0, 0.7, 0.2, 0xd9_4f_4f),
    ("flesh", 985.0, 0.6, 0.0, 0xe2_b0_8c),
];

/// Materials by name.
pub(super) struct Materials(BTreeMap<String, Substance>);

impl Materials {
    /// The built-in materials with the members of `materials` of each file on top.
    pub(super) fn read(roots: &[Place<'_>], report: &mut Report<'_>) -> Self {
        let builtin = BUILTIN.iter().map(|&(name, density, friction, restitution, rgb)| {
            let [_, r, g, b] = rgb.to_be_bytes();
            let material = Material::new(density, friction, restitution);
            (name.to_owned(), Substance { material, color: [r, g, b] })
        });
        let mut known: BTreeMap<_, _> = builtin.collect();
        let base = Substance { material: Material::default(), color: [0xb5, 0x79, 0x3a] };
        for root in roots {
            let place = root.key("materials");
            if !root.has("materials") || !decode::is_object(&place, report) {
                continue;
            }
            for (member, place) in place.members() {
                let from = known.get(&member.key).copied().unwrap_or(base);
                let keys = decode::object::<format::Material>(&place, report);
                let substance = keys.map_or(from, |keys| adjusted(from, keys, &place, report));
                known.insert(member.key.clone(), substance);
            }
        }
        Self(known)
    }

    /// The material of this name; `place` is where it is asked for.
    pub(super) fn find(
        &self,
        name: &str,
        place: &Place<'_>,
        report: &mut Report<'_>,
    ) -> Option<Substance> {
        let found = self.0.get(name).copied();
        if found.is_none() {
            let help = suggestion(name, self.0.keys().map(String::as_str), "known materials");
            report.error_with_help(place, format!("unknown material {}", ticked(name)), help);
        }
        found
    }

    /// A built-in material: always there.
    pub(super) fn builtin(&self, name: &str) -> Substance {
        let base = Substance { material: Material::default(), color: [0xb5, 0x79, 0x3a] };
        self.0.get(name).copied().unwrap_or(base)
    }
}

/// `from` with what the keys at `place` say otherwise.
pub(super) fn adjusted(
    from: Substance,
    keys: format::Material,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Substance {
    let mut within = |key: &str, value: Option<f32>, default: f32, low: f32, high: f32, unit| {
        let value = value.unwrap_or(default);
        if !(value >= low && value <= high) {
            let message = format!("{key} {value} is outside {low} to {high}{unit}");
            report.error(&place.key(key), message);
        }
        value
    };
    let Material { density, friction, restitution, .. } = from.material;
    let Material { gravity_scale: scale, linear_damping: linear, angular_damping: angular, .. } =
        from.material;
    Substance {
        material: Material {
            density: within("density", keys.density, density, 0.01, 1e6, " kg/m³"),
            friction: within("friction", keys.friction, friction, 0.0, 100.0, ""),
            restitution: within("restitution", keys.restitution, restitution, 0.0, 1.0, ""),
            gravity_scale: within("gravity_scale", keys.gravity_scale, scale, -1e3, 1e3, ""),
            linear_damping: within("linear_damping", keys.linear_damping, linear, 0.0, 1e3, " 1/s"),
            angular_damping: within(
                "angular_damping",
                keys.angular_damping,
                angular,
                0.0,
                1e3,
                " 1/s",
            ),
        },
        color: keys.color.map_or(from.color, |Color(color)| color),
    }
}

/// The names of the materials that come with the crate.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILTIN.iter().map(|(name, ..)| *name)
}
