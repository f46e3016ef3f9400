//! `include`: other files whose prefabs, materials, defaults and items a level takes in.
//!
//! Names are relative to the file that includes. All files lie in the folder of the level or below
//! it: a level from somewhere else cannot read what is not its own. A file is taken in once, before
//! the file that asks for it first; what it says of title, world, view, bounds and promises is its
//! own affair.

use std::io::Read;
use std::path::{Component, Path, PathBuf};

use super::LARGEST_FILE;
use super::decode;
use super::diagnostic::{Report, ticked};
use super::tree::{self, Node, Place, Value};

/// Files that include each other, one within the other, at most.
const DEEPEST: usize = 16;
/// Files of a level, at most.
const MOST_FILES: usize = 100;

/// A file of a level.
pub(super) struct Unit {
    pub(super) node: Node,
    /// Its index among the files.
    pub(super) file: usize,
    /// Where it begins in the count of bytes.
    pub(super) base: usize,
    /// How many bytes of the file come before its text.
    pub(super) mark: usize,
}

/// The text of a file without its byte order mark, and the length of the mark.
pub(super) fn without_mark(text: &str) -> (&str, usize) {
    let rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    (rest, text.len() - rest.len())
}

/// Reads what files include.
pub(super) struct Loader {
    /// The folder nothing leads out of; `None` where a level has no folder.
    root: Option<PathBuf>,
    /// All files as they are named to people; the level first.
    pub(super) files: Vec<PathBuf>,
    /// The same with every link followed.
    known: Vec<PathBuf>,
    /// Those that are being read, the level first.
    chain: Vec<usize>,
    /// In the order in which their items come.
    pub(super) units: Vec<Unit>,
    /// Bytes read so far.
    size: usize,
}

impl Loader {
    /// Takes in what the level `main`, of `size` bytes, includes, and at last itself.
    pub(super) fn load(
        main: Unit,
        size: usize,
        path: &Path,
        folder: Option<&Path>,
        report: &mut Report<'_>,
    ) -> Self {
        let here = |folder: &Path| {
            if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() }
        };
        let root = folder.and_then(|folder| here(folder).canonicalize().ok());
        let known =
            folder.and_then(|folder| here(folder).join(path.file_name()?).canonicalize().ok());
        let mut loader = Self {
            root,
            files: vec![path.to_owned()],
            known: vec![known.unwrap_or_default()],
            chain: vec![0],
            units: Vec::new(),
            size,
        };
        loader.unit(main, folder.unwrap_or(Path::new("")), report);
        loader
    }

    fn unit(&mut self, unit: Unit, folder: &Path, report: &mut Report<'_>) {
        let root = Place::root(&unit.node);
        let place = root.key("include");
        if root.has("include") {
            match &place.node.value {
                Value::Text(_) => self.include(&place, folder, report),
                Value::List(_) => {
                    place.elements().for_each(|place| self.include(&place, folder, report));
                }
                _ => {
                    let found = place.node.describe();
                    let message = format!("expected the name of a file or a list, found {found}");
                    report.error_with_help(&place, message, "write \"include\": \"parts.json\"");
                }
            }
        }
        self.units.push(unit);
    }

    /// Reads the file that the text at `place` names.
    fn include(&mut self, place: &Place<'_>, folder: &Path, report: &mut Report<'_>) {
        if report.is_full() {
            return;
        }
        let Some(name) = place.node.text() else {
            let found = place.node.describe();
            return report.error(place, format!("expected the name of a file, found {found}"));
        };
        let Some(root) = self.root.clone() else {
            let help = "save the level as a file, or tell the folder that it belongs to";
            let message = "a level that is no file has no folder to include files from";
            return report.error_with_help(place, message, help);
        };
        let relative = Path::new(name);
        let inside = |part| matches!(part, Component::Normal(_) | Component::CurDir);
        if name.is_empty() || name.contains(['\\', '\0']) || !relative.components().all(inside) {
            let help = "name a file in the folder of the level or below it, such as \
                        \"parts/tower.json\"";
            let message = format!("{} leads out of the level's folder", ticked(name));
            return report.error_with_help(place, message, help);
        }
        let path = folder.join(relative);
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) => {
                let message = format!("cannot read {}: {error}", ticked(name));
                let help = "names are relative to the file that includes them";
                return report.error_with_help(place, message, help);
            }
        };
        if !real.starts_with(&root) {
            let help = "put the file itself into the folder of the level";
            let message =
                format!("{} is a link that leads out of the level's folder", ticked(name));
            return report.error_with_help(place, message, help);
        }
        if let Some(file) = self.known.iter().position(|known| *known == real) {
            if let Some(first) = self.chain.iter().position(|&link| link == file) {
                let chain = self.chain[first..].iter().chain([&file]);
                let chain: Vec<String> =
                    chain.map(|&file| ticked(&self.files[file].display().to_string())).collect();
                let message = format!("the file includes itself: {}", chain.join(" → "));
                report.error_with_help(place, message, "take one of these includes out");
            }
            return;
        }
        if self.chain.len() > DEEPEST {
            let message = format!("files include each other more than {DEEPEST} deep");
            return report.error(place, message);
        }
        if self.files.len() >= MOST_FILES {
            return report.error(place, format!("a level has at most {MOST_FILES} files"));
        }
        let text = match self.text(&real) {
            Ok(text) => text,
            Err(problem) => {
                return report.error(place, format!("cannot read {}: {problem}", ticked(name)));
            }
        };
        self.size += text.len();
        let shown =
            path.components().filter(|part| *part != Component::CurDir).collect::<PathBuf>();
        let (text, mark) = without_mark(&text);
        let base = report.add_file(shown.display().to_string(), text.to_owned());
        let file = self.files.len();
        self.files.push(shown);
        self.known.push(real);
        let Some(node) = tree::parse(text, base, report) else { return };
        if !decode::is_object(&Place::root(&node), report) {
            return;
        }
        self.chain.push(file);
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        self.unit(Unit { node, file, base, mark }, &folder, report);
        self.chain.pop();
    }

    /// The text of a file, as far as it fits in with the others.
    fn text(&self, path: &Path) -> Result<String, String> {
        // A pipe would make the loader wait for ever.
        if !path.metadata().map_err(|e| e.to_string())?.is_file() {
            return Err("it is no file".into());
        }
        read_text(path, LARGEST_FILE.saturating_sub(self.size))
    }
}

/// The text of a file of at most `largest` bytes, or why there is none.
pub(super) fn read_text(path: &Path, largest: usize) -> Result<String, String> {
    let file = std::fs::File::open(path).map_err(|e| e.to_string())?;
    let mut bytes = Vec::new();
    file.take(largest as u64 + 1).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
    if bytes.len() > largest {
        return Err("a level has at most 16 MB, with all files that it includes".into());
    }
    String::from_utf8(bytes).map_err(|e| {
        let good = &e.as_bytes()[..e.utf8_error().valid_up_to()];
        let line = 1 + good.iter().filter(|&&byte| byte == b'\n').count();
        format!("line {line} is not UTF-8 text; save the file as UTF-8")
    })
}
