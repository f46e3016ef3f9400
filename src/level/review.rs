//! The linter's findings as diagnostics, and what only the building of a world finds wrong: each at the item it came from.
//!
//! A wall of a hundred crates that overlap is one mistake, not a hundred: of the findings that a
//! rule has about one item only the worst is told, with the number of the others. What only the
//! text shows, materials and prefabs that nothing uses, is found here as well.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::Level;
use super::diagnostic::{Report, ticked};
use super::format;
use super::include::Unit;
use super::material;
use super::shape::point_count;
use super::tree::{Node, Place};
use crate::error::Error;
use crate::lint::{self, About, Finding};
use crate::world::World;

/// Definitions that items refer to by name: the key they stand under, and what to call one.
const DEFINED: [(&str, &str); 2] = [("materials", "material"), ("prefabs", "prefab")];

/// The largest world that is built only to be looked at, in points.
const MOST_POINTS: usize = 1_000_000;

/// Adds the warnings about a level without errors to its report. The level is the last of `units`.
pub(super) fn examine(level: &Level, units: &[Unit], report: &mut Report<'_>) {
    unused(units, report);
    let points: usize = level.scene.bodies.iter().map(|body| point_count(&body.shape)).sum();
    if points > MOST_POINTS {
        return;
    }
    let world = match World::build(&level.scene) {
        Ok(world) => world,
        Err(error) => return refused(&error, level, units, report),
    };
    let mut worst: BTreeMap<_, (Finding, Written, usize)> = BTreeMap::new();
    for finding in lint::findings(&level.scene, &level.expect, &world) {
        let Some(written) = written(finding.about, level, units, report) else { continue };
        let key = (written.range.start, finding.rule);
        match worst.get_mut(&key) {
            None => drop(worst.insert(key, (finding, written, 0))),
            Some((known, _, others)) => {
                *others += 1;
                // Of those that differ by rounding only, the first is the worst.
                if finding.weight > 1.001 * known.weight {
                    *known = finding;
                }
            }
        }
    }
    for (Finding { message, help, .. }, written, others) in worst.into_values() {
        let message = match others {
            0 => message,
            _ => format!("{message} (and {others} more like it from this item)"),
        };
        report.warn(written.range, &written.path, message, &help);
    }
}

/// Reports what only the building of a world finds wrong, at the item it came from; where that is not known whoever builds it
/// will see.
fn refused(error: &Error, level: &Level, units: &[Unit], report: &mut Report<'_>) {
    let Some((id, problem)) = error.in_scene() else { return };
    let joint = level.scene.joints.iter().position(|joint| joint.id == id).map(About::Joint);
    let body = || level.scene.bodies.iter().position(|body| body.id == id).map(About::Body);
    let Some(about) = joint.or_else(body) else { return };
    if let Some(Written { range, path }) = written(about, level, units, report) {
        report.add(range, &path, problem, None);
    }
}

/// Where something was written.
struct Written {
    range: Range<usize>,
    path: String,
}

fn written(about: About, level: &Level, units: &[Unit], report: &Report<'_>) -> Option<Written> {
    let (unit, list, index) = match about {
        About::Body(index) | About::Joint(index) => {
            let sources = &level.sources;
            let joint = matches!(about, About::Joint(_));
            let origin = if joint { &sources.joints } else { &sources.bodies }.get(index)?;
            (units.iter().find(|unit| unit.file == origin.file)?, "items", origin.item)
        }
        About::Promise(index) => {
            let (unit, line) = (units.last()?, level.expect.get(index)?.line);
            let entries = unit.node.get(format::EXPECT)?.elements();
            let here = |entry: &Node| report.line(entry.range.start) == line;
            (unit, format::EXPECT, entries.iter().position(here)?)
        }
    };
    let node = unit.node.get(list)?.elements().get(index)?;
    Some(Written { range: node.range.clone(), path: format!("{list}[{index}]") })
}

/// Warns of each material and prefab of the level whose name stands nowhere else. A built-in
/// material that is changed may be meant for items that name none, and what is included may well
/// be meant for other levels too.
fn unused(units: &[Unit], report: &mut Report<'_>) {
    let Some(main) = units.last() else { return };
    let mut texts = BTreeSet::new();
    units.iter().for_each(|unit| collect_texts(&unit.node, &mut texts));
    let root = Place::root(&main.node);
    for (key, what) in DEFINED.into_iter().filter(|(key, _)| root.has(key)) {
        for (member, place) in root.key(key).members() {
            let name = member.key.as_str();
            if texts.contains(name) || material::names().any(|known| known == name) {
                continue;
            }
            let message = format!("the {what} {} is never used", ticked(name));
            let help = format!("name it in an item, or remove it from `{key}`");
            report.warn(member.key_range.clone(), &place.path, message, &help);
        }
    }
}

/// Every text in a tree; keys are none.
fn collect_texts<'a>(node: &'a Node, texts: &mut BTreeSet<&'a str>) {
    texts.extend(node.text());
    node.elements().iter().for_each(|element| collect_texts(element, texts));
    node.members().iter().for_each(|member| collect_texts(&member.node, texts));
}
