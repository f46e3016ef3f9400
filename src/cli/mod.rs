//! The command line: `sinew run | sim | test | check | new | fmt | …`.
//!
//! Data goes to stdout, words about it to stderr; colour only to a terminal, and never with
//! `NO_COLOR`. The exit code tells a script what became of the call: see [`Exit`].
//!
//! | file | job |
//! |---|---|
//! | `args.rs`, `values.rs` | commands and flags; the values they take |
//! | `source.rs` | which level is meant: a file, a folder, a built-in level |
//! | `headless.rs`, `parallel.rs` | runs a level without a window; many on all cores |
//! | `report.rs`, `units.rs` | the report of a run, as JSON and for people |
//! | `junit.rs` | the report of many runs for continuous-integration servers |
//! | `run.rs`, `sim.rs`, `test.rs`, `check.rs`, `list.rs` | the commands |
//! | `new.rs`, `fmt.rs`, `migrate.rs`, `schema.rs` | the commands for authors of levels |
//! | `output.rs` | stdout, stderr, tables, exit codes |

mod args;
mod check;
mod fmt;
mod headless;
mod junit;
mod list;
mod migrate;
mod new;
mod output;
mod parallel;
mod report;
mod run;
mod schema;
mod sim;
mod source;
mod test;
mod units;
mod values;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};
pub use output::Exit;
use output::Fault;

/// Runs the program with these arguments, the first being its name, and says how it went.
///
/// On desktops the window must be opened by the main thread: call this from there.
pub fn main<T: Into<OsString> + Clone>(arguments: impl IntoIterator<Item = T>) -> ExitCode {
    let cli = match Cli::try_parse_from(arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. A closed pipe is nobody's fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Success }.into();
        }
    };
    match execute(cli) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            fault.print();
            fault.exit.into()
        }
    }
}

fn execute(cli: Cli) -> Result<Exit, Fault> {
    match cli.command.unwrap_or(Command::Run(cli.run)) {
        Command::Run(args) => run::run(&args),
        Command::Sim(args) => sim::sim(&args),
        Command::Test(args) => test::test(&args),
        Command::Check(args) => check::check(&args),
        Command::New(args) => new::new(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Migrate(args) => migrate::migrate(&args),
        Command::Schema => schema::schema(),
        Command::Levels(args) => list::levels(&args),
        Command::Solvers(args) => list::solvers(&args),
    }
}
