//! Levels: JSON files that people write by hand.
//!
//! ```text
//! text ─tree, include─► Nodes with byte ranges ─expand─► items without variables, one by one
//!                       ─decode─► structs of format.rs ─item, joint, promise─► Level
//! ```
//!
//! Comments and trailing commas are allowed; a key that is not known is an error. Every mistake of
//! a file is reported at once, with its place and a remedy ([`Diagnostic`]). Lengths are in metres
//! and angles in degrees; [`Scene`] has radians.
//!
//! | file | job |
//! |---|---|
//! | `tree.rs` | text to a tree that knows where each value stands |
//! | `decode.rs` | tree to structs, collecting errors |
//! | `diagnostic.rs`, `sources.rs` | how errors are shown, “did you mean”; the texts of a level |
//! | `format.rs` | the keys of a level file |
//! | `include.rs` | other files of the same level |
//! | `header.rs`, `material.rs` | title, settings, camera, bounds; materials |
//! | `prefab.rs`, `library.json` | prefabs and defaults; the built-in prefabs |
//! | `expand.rs`, `repeat.rs`, `frame.rs` | prefabs within prefabs, copies, where they are |
//! | `scope.rs`, `expression.rs` | variables and arithmetic |
//! | `item.rs`, `shape.rs`, `solid.rs`, `ragdoll/`, `soft/` | bodies |
//! | `joint/`, `promise/` | joints; the `expect` block |
//! | `script.rs` | keys that are held when no user is there |
//! | `assembly.rs` | names, references, bounds on the number of things |
//! | `review.rs` | warnings of the linter, put where they belong |
//! | `layout.rs`, `migrate.rs` | the formatter; older formats brought up to date |
//! | `schema.rs` | the JSON Schema, for editors |
//! | `builtin.rs` | the levels that come with the crate |

mod assembly;
mod builtin;
mod decode;
mod diagnostic;
mod expand;
mod expression;
mod format;
mod frame;
mod header;
mod include;
mod item;
mod joint;
mod layout;
mod material;
#[cfg(feature = "cli")]
pub(crate) mod migrate;
mod prefab;
mod promise;
mod ragdoll;
mod repeat;
mod review;
mod schema;
mod scope;
mod script;
mod shape;
mod soft;
mod solid;
mod sources;
mod tree;

pub use diagnostic::{Diagnostic, Severity};
pub use sources::{Origin, Sources};

use std::path::{Path, PathBuf};

use self::assembly::{Assembly, LARGEST};
use self::diagnostic::Report;
use self::expand::{Context, Expander};
use self::include::{Loader, Unit};
use self::material::Materials;
use self::prefab::Catalog;
use self::tree::{Place, Value};
use crate::error::{Error, Result};
use crate::expect::Expectation;
use crate::scene::Scene;

/// The largest level file, bytes.
const LARGEST_FILE: usize = 16 * 1024 * 1024;

/// A level: a scene and what it promises.
///
/// ```
/// use sinew::{Level, World};
/// let text = r#"{
///     "format": 1,
///     "items": [
///         { "type": "static", "box": [10, 1], "at": [0, -0.5] },
///         { "type": "crate", "id": "top", "size": [1, 1], "at": [0, 3], "angle": 15 }, // falls
///     ],
///     "expect": [{ "at": 5, "body": "top", "y_above": 0.45 }],
/// }"#;
/// let level = Level::parse(text, "tilted.json")?;
/// assert_eq!(World::build(&level.scene)?.bodies().count(), 2);
///
/// let error = Level::parse(&text.replace("angle", "angel"), "tilted.json").unwrap_err();
/// assert!(error.to_string().contains("did you mean `angle`?"));
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Level {
    /// Short name: that of the built-in level, or the file's without its ending.
    pub name: String,
    /// What is in it.
    pub scene: Scene,
    /// What it promises.
    pub expect: Vec<Expectation>,
    /// The files it was read from: first the level itself, by the name that was given, then all
    /// that it includes, each once.
    pub files: Vec<PathBuf>,
    /// Which item of which file each body and each joint comes from.
    pub sources: Sources,
}

impl Level {
    /// Reads a level file.
    ///
    /// # Errors
    /// If the file cannot be read, or anything in it is wrong; all problems are reported at once.
    pub fn load(path: &Path) -> Result<Self> {
        let (level, diagnostics) = Self::check_file(path)?;
        accepted(level, &diagnostics)
    }

    /// Reads a level from text; `file` is the name used in messages. It cannot include other files:
    /// for that use [`parse_in`](Self::parse_in).
    ///
    /// # Errors
    /// If anything in it is wrong; all problems are reported at once.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let (level, diagnostics) = Self::check(text, file);
        accepted(level, &diagnostics)
    }

    /// The same for a text that belongs to `folder`, from which it may include files.
    ///
    /// # Errors
    /// As [`parse`](Self::parse).
    pub fn parse_in(text: &str, file: &str, folder: &Path) -> Result<Self> {
        let (level, diagnostics) = Self::check_in(text, file, Some(folder));
        accepted(level, &diagnostics)
    }

    /// Reads a level file and tells everything that is wrong with it, as data. There is a level
    /// exactly when there are no diagnostics.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn check_file(path: &Path) -> Result<(Option<Self>, Vec<Diagnostic>)> {
        let (text, folder) = read_text(path)?;
        Ok(Self::check_in(&text, &path.display().to_string(), Some(folder)))
    }

    /// [`Level::check_file`] with the warnings of [`Level::examine`].
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn examine_file(path: &Path) -> Result<(Option<Self>, Vec<Diagnostic>)> {
        let (text, folder) = read_text(path)?;
        Ok(Self::inspect(&text, &path.display().to_string(), Some(folder), true))
    }

    /// Reads a level from text and tells everything that is wrong with it, as data. There is a
    /// level exactly when there are no diagnostics. It cannot include other files.
    #[must_use]
    pub fn check(text: &str, file: &str) -> (Option<Self>, Vec<Diagnostic>) {
        Self::check_in(text, file, None)
    }

    /// [`Level::check`] with the warnings of the linter ([`lint`](crate::lint)), and those about
    /// materials and prefabs that nothing uses. There is a level exactly when no diagnostic is an
    /// error.
    ///
    /// ```
    /// use sinew::{Level, Severity};
    /// let text = r#"{
    ///     "format": 1,
    ///     "items": [
    ///         { "type": "static", "id": "ground", "box": [10, 1] },
    ///         { "type": "crate", "id": "low", "size": [1, 1], "at": [0, 0.9] },
    ///     ],
    /// }"#;
    /// let (level, diagnostics) = Level::examine(text, "low.json");
    /// assert!(level.is_some());
    /// assert_eq!((diagnostics[0].severity, diagnostics[0].line), (Severity::Warning, 5));
    /// ```
    #[must_use]
    pub fn examine(text: &str, file: &str) -> (Option<Self>, Vec<Diagnostic>) {
        Self::inspect(text, file, None, true)
    }

    /// The same for a text that belongs to `folder`, from which it may include files: the text of
    /// an editor, not yet saved.
    #[must_use]
    pub fn check_in(
        text: &str,
        file: &str,
        folder: Option<&Path>,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        Self::inspect(text, file, folder, false)
    }

    fn inspect(
        text: &str,
        file: &str,
        folder: Option<&Path>,
        reviewed: bool,
    ) -> (Option<Self>, Vec<Diagnostic>) {
        let (text, mark) = include::without_mark(text);
        let mut report = Report::new(text, file);
        if text.len() > LARGEST_FILE {
            report.add(0..0, "", "a level file has at most 16 MB", None);
            return (None, report.finish());
        }
        let path = Path::new(file);
        let name = path.file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
        let level = tree::parse(text, 0, &mut report).map(|node| {
            let main = Unit { node, file: 0, base: 0, mark };
            let Loader { files, units, .. } =
                Loader::load(main, text.len(), path, folder, &mut report);
            let level = Self { files, ..read(&units, &name, &mut report) };
            // A level with an error in it has nothing that a warning could be about.
            if reviewed && report.is_clean() {
                review::examine(&level, &units, &mut report);
            }
            level
        });
        let diagnostics = report.finish();
        let failed = diagnostics.iter().any(|found| found.severity == Severity::Error);
        (level.filter(|_| !failed), diagnostics)
    }

    /// The text of a level in its usual layout, with its comments and the author's line breaks. The
    /// text need only be JSON, not a level without errors.
    ///
    /// ```
    /// let text = "{\"format\":1, // the only one\n\"items\":[ ]}";
    /// let formatted = sinew::Level::formatted(text, "x.json")?;
    /// assert_eq!(formatted, "{ \"format\": 1, // the only one\n  \"items\": [] }\n");
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text is not JSON with comments.
    pub fn formatted(text: &str, file: &str) -> Result<String> {
        let (text, _) = include::without_mark(text);
        let mut report = Report::new(text, file);
        let tokens = tree::tokens(text, &mut report);
        let formatted = tokens.and_then(|tokens| layout::format(text, &tokens));
        let diagnostics = report.finish();
        let failed = || Error::level(diagnostic::render(&diagnostics), diagnostics.len());
        formatted.filter(|_| diagnostics.is_empty()).ok_or_else(failed)
    }

    /// The JSON Schema of level files, draft 7: an editor that knows it completes keys and values,
    /// explains them, and underlines most mistakes.
    #[must_use]
    pub fn schema() -> String {
        format!("{:#}\n", schema::schema())
    }

    /// A level that comes with the crate.
    ///
    /// # Errors
    /// If there is none of this name.
    pub fn builtin(name: &str) -> Result<Self> {
        let Some((name, text)) = Self::BUILTIN.iter().find(|(known, _)| *known == name) else {
            let known: Vec<_> = Self::BUILTIN.iter().map(|(name, _)| *name).collect();
            return Err(Error::unknown(
                "level",
                name,
                format!("choose one of {}", known.join(", ")),
            ));
        };
        Self::parse(text, &format!("levels/{name}.json"))
    }

    /// The levels that come with the crate: name and text, in playing order. The first is the demo.
    pub const BUILTIN: &'static [(&'static str, &'static str)] = &builtin::LEVELS;
}

/// Whether items of a type are joints.
pub(crate) fn is_joint(kind: &str) -> bool {
    joint::TYPES.contains(&kind)
}

/// The text of a level file and the folder it is in.
pub(crate) fn read_text(path: &Path) -> Result<(String, &Path)> {
    let text =
        include::read_text(path, LARGEST_FILE).map_err(|reason| Error::read(path, reason))?;
    Ok((text, path.parent().unwrap_or(Path::new(""))))
}

/// The level, or an error with everything that is wrong with it.
fn accepted(level: Option<Level>, diagnostics: &[Diagnostic]) -> Result<Level> {
    level.ok_or_else(|| Error::level(diagnostic::render(diagnostics), diagnostics.len()))
}

/// Reads a whole level, the last of `units`, and what it includes. What is wrong goes to the report;
/// the level is worth something only if nothing is.
fn read(units: &[Unit], name: &str, report: &mut Report<'_>) -> Level {
    let mut level = Level { name: name.to_owned(), ..Level::default() };
    let roots: Vec<Place<'_>> = units.iter().map(|unit| Place::root(&unit.node)).collect();
    let Some((main, included)) = roots.split_last() else { return level };
    if !decode::is_object(main, report) {
        return level;
    }
    let mut bounded = true;
    for root in &roots {
        let late = [format::EXPECT, format::SCRIPT];
        decode::unknown_keys(root, &[&format::TOP, &late], "a level knows", report);
        bounded &= check_numbers(root, report);
    }
    included.iter().for_each(|root| header::check_format(root, report));
    level.scene = header::read(main, name, report);
    let materials = Materials::read(&roots, report);
    let library = prefab::library(report);
    let mut catalog = Catalog::default();
    if let Some(node) = &library {
        catalog.define(&Place::root(node), true, report);
    }
    roots.iter().for_each(|root| catalog.define(root, false, report));
    catalog.check_recursion(report);
    roots.iter().for_each(|root| catalog.set_defaults(root, report));
    let mut assembly = Assembly::new(bounded);
    let mut expander = Expander::new(&catalog, &materials, &mut assembly, report);
    let cx = Context::of_level(units.iter().filter_map(|unit| unit.node.get("items")));
    for (unit, root) in units.iter().zip(&roots) {
        let items = root.key("items");
        if !root.has("items") || !decode::is_list(&items, expander.report) {
            continue;
        }
        for (number, item) in items.elements().enumerate() {
            let bytes = |byte: usize| byte - unit.base + unit.mark;
            let range = bytes(item.node.range.start)..bytes(item.node.range.end);
            expander.assembly.origin = Origin { file: unit.file, item: number, range };
            expander.item(&item, &cx);
        }
    }
    expander.try_unused();
    for joint in std::mem::take(&mut expander.joints) {
        if report.is_full() {
            break;
        }
        joint::set(joint, &mut assembly, report);
    }
    if main.has(format::EXPECT) {
        level.expect = promise::read_all(&main.key(format::EXPECT), &assembly, report);
    }
    if main.has(format::SCRIPT) {
        level.scene.script = script::read(&main.key(format::SCRIPT), &assembly, report);
    }
    level.scene.bodies = assembly.bodies;
    level.scene.joints = assembly.joints;
    level.scene.apart = assembly.apart;
    level.sources = assembly.sources;
    level
}

/// Reports every number too large to be a length, a speed or an angle; `false` if there is one.
/// Collision bits may be that large, and so may energies in promises and strengths, which have
/// bounds of their own.
fn check_numbers(place: &Place<'_>, report: &mut Report<'_>) -> bool {
    let mut bounded = true;
    if let Value::Number(number) = &place.node.value
        && !number.as_f64().is_some_and(|value| value.abs() <= f64::from(LARGEST))
    {
        report.error(place, format!("{number} is outside ±{LARGEST}"));
        // A narrower range has nothing to add.
        report.silence(place.node.range.clone());
        bounded = false;
    }
    for (member, place) in place.members() {
        let own = member.key == "filter" || member.key == format::EXPECT;
        if !own && !format::STRENGTHS.contains(&member.key.as_str()) {
            bounded &= check_numbers(&place, report);
        }
    }
    for place in place.elements() {
        bounded &= check_numbers(&place, report);
    }
    bounded
}
