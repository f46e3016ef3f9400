//! Runs levels on Sinew's solvers and on other engines, measures all of them alike, and prints
//! tables in Markdown.
//!
//! ```console
//! $ cargo run --release                                  # everything in levels/lab
//! $ cargo run --release -- ../../levels/lab/arch.json    # these levels
//! $ cargo run --release -- --into ../../docs/lab.md      # replaces the tables of a document
//! ```
//!
//! | file | job |
//! |---|---|
//! | `peer.rs` | what an engine must do to take part: [`peer::Peer`]; the list of all |
//! | `sinew_peer.rs` | the solvers of Sinew |
//! | `box2d.rs` | Box2D v3 |
//! | `mirror.rs` | the poses of another engine's bodies as a world of Sinew, which metrics measure |
//! | `trial.rs` | one level on one engine |
//! | `table.rs` | tables |

mod box2d;
mod mirror;
mod peer;
mod sinew_peer;
mod table;
mod trial;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use sinew::Level;

use crate::peer::Outcome;

/// The levels that are run where none is named.
const LAB: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../levels/lab");

/// The line of a document after which its tables stand.
const MARK: &str = "<!-- The rest is made by benches/peers. -->\n";

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Outcome<()> {
    let mut arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let document = match arguments.iter().position(|argument| argument == Path::new("--into")) {
        Some(flag) if flag + 1 < arguments.len() => {
            arguments.remove(flag);
            Some(arguments.remove(flag))
        }
        Some(_) => return Err("--into needs the document whose tables to replace".into()),
        None => None,
    };
    // Before the work is done: is there a place for it?
    let head = document.as_deref().map(head_of).transpose()?;
    let files = if arguments.is_empty() { levels_in(Path::new(LAB))? } else { arguments };
    let mut rows = Vec::new();
    for file in &files {
        let level = Level::load(file)?;
        eprintln!("{}", level.name);
        let trials = peer::ALL.iter().map(|entrant| trial::run(&level, entrant)).collect();
        rows.push(table::Row { level: level.name, trials });
    }
    let tables = table::render(&rows);
    match document.zip(head) {
        Some((document, head)) => std::fs::write(document, format!("{head}\n{tables}"))?,
        None => print!("{tables}"),
    }
    Ok(())
}

/// A document as far as its tables.
fn head_of(document: &Path) -> Outcome<String> {
    let text = std::fs::read_to_string(document)?;
    let Some(end) = text.find(MARK).map(|start| start + MARK.len()) else {
        return Err(format!("{} has no line {}", document.display(), MARK.trim()).into());
    };
    Ok(text[..end].to_owned())
}

/// The level files in a folder, in order of names.
fn levels_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "json") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
