//! Levels: JSON files that people write by hand.
//!
//! ```text
//! text ─tree─► Node with byte ranges ─decode─► structs of format.rs ─item, pin, promise─► Level
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
//! | `diagnostic.rs` | how errors are shown; “did you mean” |
//! | `format.rs` | the keys of a level file |
//! | `header.rs`, `material.rs` | title, settings, camera, bounds; materials |
//! | `item.rs`, `shape.rs`, `ragdoll.rs` | bodies and their copies |
//! | `pin.rs`, `promise.rs` | joints; the `expect` block |
//! | `assembly.rs` | names, references, bounds on the number of things |
//! | `builtin.rs` | the levels that come with the crate |

mod assembly;
mod builtin;
mod decode;
mod diagnostic;
mod format;
mod header;
mod item;
mod material;
mod pin;
mod promise;
mod ragdoll;
mod shape;
mod tree;

pub use diagnostic::Diagnostic;

use std::io::Read;
use std::path::Path;

use self::assembly::{Assembly, LARGEST};
use self::diagnostic::Report;
use self::material::Materials;
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

    /// Reads a level from text; `file` is the name used in messages.
    ///
    /// # Errors
    /// If anything in it is wrong; all problems are reported at once.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let (level, diagnostics) = Self::check(text, file);
        accepted(level, &diagnostics)
    }

    /// Reads a level file and tells everything that is wrong with it, as data. There is a level
    /// exactly when there are no diagnostics.
    ///
    /// # Errors
    /// If the file cannot be read at all.
    pub fn check_file(path: &Path) -> Result<(Option<Self>, Vec<Diagnostic>)> {
        let fail = |reason: String| Error::read(path, reason);
        let file = std::fs::File::open(path).map_err(|e| fail(e.to_string()))?;
        let mut bytes = Vec::new();
        let limit = LARGEST_FILE as u64 + 1;
        file.take(limit).read_to_end(&mut bytes).map_err(|e| fail(e.to_string()))?;
        if bytes.len() > LARGEST_FILE {
            return Err(fail("a level file has at most 16 MB".into()));
        }
        let text = String::from_utf8(bytes).map_err(|e| {
            let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
            let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
            fail(format!("line {line} is not UTF-8 text; save the file as UTF-8"))
        })?;
        Ok(Self::check(&text, &path.display().to_string()))
    }

    /// Reads a level from text and tells everything that is wrong with it, as data. There is a
    /// level exactly when there are no diagnostics.
    #[must_use]
    pub fn check(text: &str, file: &str) -> (Option<Self>, Vec<Diagnostic>) {
        // A byte order mark is no part of the text.
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut report = Report::new(text, file);
        if text.len() > LARGEST_FILE {
            report.add(0..0, "", "a level file has at most 16 MB", None);
            return (None, report.finish());
        }
        let name = Path::new(file).file_stem().map_or(file.into(), |stem| stem.to_string_lossy());
        let level = tree::parse(text, &mut report)
            .map(|node| read(&Place::root(&node), &name, &mut report));
        let diagnostics = report.finish();
        (level.filter(|_| diagnostics.is_empty()), diagnostics)
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

/// The level, or an error with everything that is wrong with it.
fn accepted(level: Option<Level>, diagnostics: &[Diagnostic]) -> Result<Level> {
    level.ok_or_else(|| Error::level(diagnostic::render(diagnostics), diagnostics.len()))
}

/// Reads a whole file. What is wrong goes to the report; the level is worth something only if
/// nothing is.
fn read(root: &Place<'_>, name: &str, report: &mut Report<'_>) -> Level {
    let mut level = Level { name: name.to_owned(), ..Level::default() };
    if !decode::is_object(root, report) {
        return level;
    }
    decode::unknown_keys(root, &[&format::TOP, &[format::EXPECT]], "a level knows", report);
    check_numbers(root, report);
    level.scene = header::read(root, name, report);
    let materials = Materials::read(root, report);
    let mut assembly = Assembly::default();
    let items = root.key("items");
    if root.has("items") && decode::is_list(&items, report) {
        assembly.reserve(&items);
        let pins = item::read_all(&items, &materials, &mut assembly, report);
        for (keys, item) in pins {
            if report.is_full() {
                break;
            }
            pin::set(keys, &item, &mut assembly, report);
        }
    }
    if root.has(format::EXPECT) {
        level.expect = promise::read_all(&root.key(format::EXPECT), &assembly, report);
    }
    level.scene.bodies = assembly.bodies;
    level.scene.joints = assembly.joints;
    level
}

/// Reports every number too large to be a length, a speed or an angle. Collision bits may be that
/// large, and so may energies in promises.
fn check_numbers(place: &Place<'_>, report: &mut Report<'_>) {
    if let Value::Number(number) = &place.node.value
        && !number.as_f64().is_some_and(|value| value.abs() <= f64::from(LARGEST))
    {
        report.error(place, format!("{number} is outside ±{LARGEST}"));
    }
    for (member, place) in place.members() {
        if member.key != "filter" && member.key != format::EXPECT {
            check_numbers(&place, report);
        }
    }
    for place in place.elements() {
        check_numbers(&place, report);
    }
}
