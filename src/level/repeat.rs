//! `repeat`: where the copies of an item are.
//!
//! | keys | copies | indices |
//! |---|---|---|
//! | `count: n`, `step` | along a line, one step apart | `$i` |
//! | `count: [nx, ny]`, `step` | in rows of `nx`, row by row | `$i`, `$ix`, `$iy` |
//! | `count: n`, `radius`, … | on a circle or an arc | `$i` |
//!
//! Steps and circles lie in the directions of what is around the item; they do not turn with it.

use super::assembly::Assembly;
use super::decode::{self, Count};
use super::diagnostic::Report;
use super::format::{Face, REPEAT, Repeat};
use super::scope::{self, Scope, Value};
use super::tree::{Node, Place, Value as Data};
use crate::math::{Rot, Vec2};

/// All copies of an item.
pub(super) struct Copies {
    nx: u32,
    ny: u32,
    arrangement: Arrangement,
}

enum Arrangement {
    /// From one copy to the next of the same row, and from one row to the next.
    Grid {
        across: Vec2,
        up: Vec2,
    },
    Arc {
        around: Vec2,
        radius: f32,
        from: f32,
        step: f32,
        face: Option<Face>,
    },
}

/// One copy.
#[derive(Clone, Copy, Default)]
pub(super) struct Copy {
    pub(super) number: u32,
    ix: u32,
    iy: u32,
    /// Added to the item's `at`.
    pub(super) offset: Vec2,
    /// Added to the item's `angle`, rad.
    pub(super) turn: f32,
}

impl Copy {
    /// Sets the index variables.
    pub(super) fn set_indices(&self, scope: &mut Scope) {
        for (name, index) in [("i", self.number), ("ix", self.ix), ("iy", self.iy)] {
            scope.set(name, Value::Number(f64::from(index)));
        }
    }
}

impl Copies {
    /// How many there are.
    pub(super) fn count(&self) -> u64 {
        u64::from(self.nx) * u64::from(self.ny)
    }

    /// Each copy, row by row: `number = iy·nx + ix`.
    pub(super) fn iter(&self) -> impl Iterator<Item = Copy> {
        let cells = (0..self.ny).flat_map(|iy| (0..self.nx).map(move |ix| (ix, iy)));
        cells.zip(0..).map(|((ix, iy), number)| {
            let (offset, turn) = match self.arrangement {
                Arrangement::Grid { across, up } => (ix as f32 * across + iy as f32 * up, 0.0),
                Arrangement::Arc { around, radius, from, step, face } => {
                    let angle = (from + step * ix as f32).to_radians();
                    let quarter = std::f32::consts::FRAC_PI_2;
                    let turn = match face {
                        None => 0.0,
                        Some(Face::Out) => angle - quarter,
                        Some(Face::In) => angle + quarter,
                    };
                    (around + radius * Rot::from_radians(angle).apply(Vec2::X), turn)
                }
            };
            Copy { number, ix, iy, offset, turn }
        })
    }
}

/// Reads `repeat` of an item. `None` if it cannot be read, which is reported.
pub(super) fn read(item: &Place<'_>, scope: &Scope, report: &mut Report<'_>) -> Option<Copies> {
    let original = item.key(REPEAT);
    let (node, sound) = scope::resolve(&original, &[], scope, report);
    let place = Place { node: &node, path: original.path.clone() };
    let keys = decode::object::<Repeat>(&place, report)?;
    if !sound {
        return None;
    }
    let count = place.key("count");
    let (nx, ny) = match keys.count {
        Count::Line(n) => (n, 1),
        Count::Grid(nx, ny) => (nx, ny),
    };
    // Nothing to copy is a slip, unless it follows from a parameter.
    if (nx == 0 || ny == 0) && !has_text(original.key("count").node) {
        report.error(&count, "each count must be at least 1");
        return None;
    }
    let before = report.count();
    let arrangement = match (keys.step, keys.radius) {
        (Some(step), None) => {
            for key in ["around", "from", "to", "face"].iter().filter(|key| place.has(key)) {
                let message = format!("`{key}` belongs to a circle, not to a line or a grid");
                let help = "give `radius` instead of `step` for a circle";
                report.error_with_help(&place.key(key), message, help);
            }
            let step = Vec2::from(step);
            match keys.count {
                Count::Line(_) => Arrangement::Grid { across: step, up: Vec2::ZERO },
                Count::Grid(..) => Arrangement::Grid { across: step * Vec2::X, up: step * Vec2::Y },
            }
        }
        (None, Some(radius)) => arc(&keys, radius, item, &place, report),
        (Some(_), Some(_)) => {
            let help = "leave `step` out for a circle, `radius` for a line or a grid";
            report.error_with_help(&place, "either `step` or `radius`, not both", help);
            return None;
        }
        (None, None) => {
            // One that is there but wrong has been reported.
            if !place.has("step") && !place.has("radius") {
                let help = "give `step` for a line or a grid, `radius` for a circle";
                report.error_with_help(&place, "the key `step` is missing", help);
            }
            return None;
        }
    };
    (report.count() == before).then_some(Copies { nx, ny, arrangement })
}

fn arc(
    keys: &Repeat,
    radius: f32,
    item: &Place<'_>,
    place: &Place<'_>,
    report: &mut Report<'_>,
) -> Arrangement {
    let count = match keys.count {
        Count::Line(count) => count,
        Count::Grid(..) => {
            let help = "write \"count\": 12";
            let message = "a circle has one count, not two";
            report.error_with_help(&place.key("count"), message, help);
            1
        }
    };
    if !(radius > 0.0) {
        report.error(&place.key("radius"), format!("radius {radius} must be positive"));
    }
    if keys.around.is_some() && item.has("at") {
        let help = "leave `at` out, or `around`: the circle is then around `at`";
        let message = "the centre of the circle is given twice, as `around` and as `at`";
        report.error_with_help(&place.key("around"), message, help);
    }
    let from = keys.from.unwrap_or(0.0);
    let to = keys.to.unwrap_or(from + 360.0);
    let span = to - from;
    if !(span.abs() <= 360.0) {
        let message = format!("from {from} to {to} degrees is more than a full turn");
        report.error(&place.key(if keys.to.is_some() { "to" } else { "from" }), message);
    }
    // A full turn ends where it began; an arc has a copy at both ends.
    let gaps = if span.abs() >= 360.0 { count } else { count.saturating_sub(1) };
    let around = keys.around.map_or(Vec2::ZERO, Into::into);
    Arrangement::Arc { around, radius, from, step: span / gaps.max(1) as f32, face: keys.face }
}

fn has_text(node: &Node) -> bool {
    matches!(node.value, Data::Text(_)) || node.elements().iter().any(has_text)
}

/// Reports more copies than there is room for.
pub(super) fn has_room(
    copies: &Copies,
    parts: u64,
    item: &Place<'_>,
    assembly: &mut Assembly,
    report: &mut Report<'_>,
) -> bool {
    let total = copies.count().saturating_mul(parts);
    assembly.has_room(total, &item.key(REPEAT).key("count"), report)
}
