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
//! | `profile.rs` | where the time of its steps went |
//! | `junit.rs` | the report of many runs for continuous-integration servers |
//! | `run.rs`, `sim.rs`, `test.rs`, `check.rs`, `list.rs` | the commands |
//! | `compare/`, `lab/` | runs side by side: tables, a page with plots, a scoreboard |
//! | `new.rs`, `fmt.rs`, `migrate.rs`, `schema.rs` | the commands for authors of levels |
//! | `output.rs` | stdout, stderr, tables, exit codes |

mod args;
mod check;
mod compare;
mod fmt;
mod headless;
mod junit;
mod lab;
mod list;
mod migrate;
mod new;
mod output;
mod parallel;
mod profile;
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
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let cli = match Cli::try_parse_from(&arguments) {
        Ok(cli) => cli,
        Err(error) => {
            // Help and version come this way too. A closed pipe is nobody's fault.
            let _ = error.print();
            return if error.use_stderr() { Exit::Usage } else { Exit::Success }.into();
        }
    };
    match execute(cli, &called(&arguments)) {
        Ok(exit) => exit.into(),
        Err(fault) => {
            fault.print();
            fault.exit.into()
        }
    }
}

fn execute(cli: Cli, command: &str) -> Result<Exit, Fault> {
    match cli.command.unwrap_or(Command::Run(cli.run)) {
        Command::Run(args) => run::run(&args),
        Command::Sim(args) => sim::sim(&args),
        Command::Test(args) => test::test(&args),
        Command::Compare(args) => compare::compare(&args, command),
        Command::Lab(args) => lab::lab(&args, command),
        Command::Check(args) => check::check(&args),
        Command::New(args) => new::new(&args),
        Command::Fmt(args) => fmt::fmt(&args),
        Command::Migrate(args) => migrate::migrate(&args),
        Command::Schema => schema::schema(),
        Command::Levels(args) => list::levels(&args),
        Command::Solvers(args) => list::solvers(&args),
    }
}

/// The call as it would be typed, for reports that say how they were made.
fn called(arguments: &[OsString]) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_=.,:/×…+@%".contains(c);
    let word = |argument: &OsString| {
        let text = argument.to_string_lossy();
        if !text.is_empty() && text.chars().all(plain) {
            text.into_owned()
        } else {
            format!("'{}'", text.replace('\'', "'\\''"))
        }
    };
    let words = arguments.iter().skip(1).map(word);
    ["sinew".to_owned()].into_iter().chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_shown_as_it_would_be_typed() {
        let call = ["/bin/sinew", "lab", "my level.json", "--solver", "a:b=1,c", "it's", ""];
        let shown = "sinew lab 'my level.json' --solver a:b=1,c 'it'\\''s' ''";
        assert_eq!(called(&call.map(OsString::from)), shown);
    }
}
