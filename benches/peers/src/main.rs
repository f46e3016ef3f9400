//! Runs Sinew's solvers and other engines on the same scenes, measures all of them alike, and prints
//! tables in Markdown.
//!
//! ```console
//! $ cargo run --release                                    # quality: everything in levels/lab
//! $ cargo run --release -- ../../levels/lab/arch.json      # these levels
//! $ cargo run --release -- --into ../../docs/lab.md        # replaces the tables of a document
//! $ cargo run --release -- --speed                         # speed: all large scenes
//! $ cargo run --release -- --speed large_pyramid --steps 100
//! ```
//!
//! | file | job |
//! |---|---|
//! | `peer.rs` | what an engine must do to take part: [`peer::Peer`]; who does |
//! | `sinew_peer.rs`, `box2d.rs`, `rapier.rs` | the engines |
//! | `mirror.rs` | the poses of another engine's bodies as a world of Sinew, which metrics measure |
//! | `lab/` | levels of the laboratory: quality, promises |
//! | `scenes/` | large scenes |
//! | `speed/` | large scenes: time, and quality at the end |
//! | `args.rs`, `document.rs` | the command line, and where tables go |

mod args;
mod box2d;
mod document;
mod lab;
mod mirror;
mod peer;
mod rapier;
mod scenes;
mod sinew_peer;
mod speed;

use std::process::ExitCode;

use clap::Parser;

use crate::args::Args;
use crate::document::Document;
use crate::peer::Outcome;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(args: &Args) -> Outcome<()> {
    let document = Document::open(args.into.as_deref())?;
    if args.speed {
        speed::run(&args.names, &args.plan, &document)
    } else {
        lab::run(&args.names, &document)
    }
}
