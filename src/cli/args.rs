//! Commands and flags. Help begins with examples, because they are what people look for.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

use super::compare::budget::Asked;
use super::compare::variants;
use super::values;
use crate::math::Vec2;
use crate::settings::{Overrides, Response, SolverKind};

const TEMPLATE: &str =
    "{about-with-newline}\n{before-help}{usage-heading} {usage}\n\n{all-args}{after-help}";

const CODES: &str = "\
Exit codes: 0 ok, 1 an expectation failed, 2 usage, 3 invalid level, 4 the simulation diverged,
5 no window could be opened although a picture of it was demanded";

/// Simulates soft and rigid bodies in two dimensions: points held together by edges
#[derive(Debug, Parser)]
#[command(
    name = "sinew",
    version,
    help_template = TEMPLATE,
    args_conflicts_with_subcommands = true,
    after_help = CODES,
    before_help = "\
Examples:
  sinew                                   open the window with the demo level
  sinew pyramid --solver impulse          open a built-in level on another solver
  sinew sim pyramid --seconds 10          run without a window and print a report
  sinew test levels --solver all          do the levels keep their promises, on every solver?
  sinew compare pyramid --html page.html  one level on all solvers: figures, plots, pictures
  sinew new my                            write a starter level, my.json
  sinew check my.json                     every mistake in a level file at once
",
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) run: RunArgs,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Opens the window; without a display, runs the level headless (the default command)
    Run(RunArgs),
    /// Runs a level without a window and prints a report
    Sim(SimArgs),
    /// Runs levels and judges what they promise in their `expect` blocks
    Test(TestArgs),
    /// Runs one level on several solvers and settings and sets them side by side
    Compare(CompareArgs),
    /// Runs a folder of levels on several solvers and scores quality per millisecond
    Lab(LabArgs),
    /// Reads level files and lists everything that is wrong or odd about them
    Check(CheckArgs),
    /// Writes a commented starter level to begin with
    New(NewArgs),
    /// Formats level files; comments and the text of values stay as they are
    Fmt(FmtArgs),
    /// Brings level files up to the current format
    Migrate(MigrateArgs),
    /// Prints the JSON Schema of level files, for completion and checks in editors
    #[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew schema > level.schema.json
")]
    Schema,
    /// Lists the built-in levels
    Levels(LevelsArgs),
    /// Lists the solvers, and what they leave out in a level
    Solvers(SolversArgs),
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew run
  sinew run levels/pyramid.json --solver impulse
  sinew run pyramid --overlay impulse,pbd --graphs
  sinew run pyramid --screenshot pyramid.png --at 5 --size 640x400 --no-hud
")]
pub(crate) struct RunArgs {
    /// Level file, or the name of a built-in level [default: the demo]
    pub(crate) level: Option<String>,
    #[command(flatten)]
    pub(crate) solver: SolverArg,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Solvers that run the level as well, drawn over the one in front; the `O` key in the window
    #[arg(long, value_name = "SOLVER,…", value_delimiter = ',',
          value_parser = values::solver_or_all())]
    pub(crate) overlay: Vec<values::Solvers>,
    /// Show graphs of energy, overlap and step time; the `G` key in the window
    #[arg(long)]
    pub(crate) graphs: bool,
    /// Simulated time of a run without a display, s [default: 10, or until the last expectation]
    #[arg(long, value_parser = values::seconds)]
    pub(crate) seconds: Option<f64>,
    /// Print the report of a run without a display as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Take a picture of the window and quit
    #[arg(long, value_name = "FILE.png")]
    pub(crate) screenshot: Option<PathBuf>,
    /// Simulated time at which to take the picture, s
    #[arg(long, value_name = "SECONDS", requires = "screenshot", default_value = "0",
          value_parser = values::instant)]
    pub(crate) at: f64,
    /// Width and height of the picture, px [default: 1280x800]
    #[arg(long, value_name = "WxH", requires = "screenshot", value_parser = values::size)]
    pub(crate) size: Option<[u16; 2]>,
    /// Leave the heads-up display off the picture
    #[arg(long, requires = "screenshot")]
    pub(crate) no_hud: bool,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew sim pyramid
  sinew sim levels/pyramid.json --solver impulse --seconds 10 --json
  sinew sim pyramid --substeps 1 --iterations 16 --response classic
  sinew sim pile_up --sleep off --profile               where the time of a step goes
")]
pub(crate) struct SimArgs {
    /// Level file, or the name of a built-in level
    pub(crate) level: String,
    #[command(flatten)]
    pub(crate) solver: SolverArg,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Simulated time, s [default: 10, or until the last expectation]
    #[arg(long, value_parser = values::seconds)]
    pub(crate) seconds: Option<f64>,
    /// Threads that share the work of a step; results are the same on any number. `impulse` makes the best
    /// use of them
    #[arg(long, value_name = "N", default_value = "1", value_parser = values::threads)]
    pub(crate) threads: usize,
    /// Tell where the time goes: broad phase, narrow phase, solving, integrating, and the rest of a
    /// step (motors, sleep, breakage)
    #[arg(long)]
    pub(crate) profile: bool,
    /// Print one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew test
  sinew test levels --solver verlet,impulse
  sinew test levels/lab --solver all        every scene of the laboratory
  sinew test my.json other.json --solver all --json
  sinew test levels --junit report.xml
")]
pub(crate) struct TestArgs {
    /// Level files, folders of them, or names of built-in levels [default: all built-in levels].
    /// Folders below a folder are named one by one
    pub(crate) paths: Vec<String>,
    /// Solvers to run each level on
    #[arg(long, value_name = "SOLVER,…", value_delimiter = ',', default_value = "all",
          value_parser = values::solver_or_all())]
    pub(crate) solver: Vec<values::Solvers>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Print one JSON object on one line, with the report of each run
    #[arg(long)]
    pub(crate) json: bool,
    /// Write a JUnit report into this file as well, for continuous-integration servers
    #[arg(long, value_name = "FILE.xml")]
    pub(crate) junit: Option<PathBuf>,
    /// Runs at a time, 1 to 256; results do not depend on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = values::jobs)]
    pub(crate) jobs: Option<usize>,
}

const VARIANTS: &str = "\
Runs: a solver, or `all`, and after a colon settings of its own: substeps, iterations, hz, and
response (classic on verlet, soft or classic on impulse). What has an equals sign belongs to the
solver before it.

Broken promises are told and fail nothing; a run that diverges gives exit code 4.";

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, after_help = VARIANTS, before_help = "\
Examples:
  sinew compare pyramid
  sinew compare demo --html demo.html --at 0,1,5
  sinew compare stack --solver verlet,impulse:substeps=8,iterations=2,pbd
  sinew compare stack --solver impulse,impulse:response=classic,impulse:response=soft
  sinew compare stack --substeps 8 --iterations 2       equal settings for all
  sinew compare stack --equal-time                      equal time for all: as the slowest takes
  sinew compare stack --equal-time=0.5 --solver all     half a millisecond for each
")]
pub(crate) struct CompareArgs {
    /// Level file, or the name of a built-in level
    pub(crate) level: String,
    #[command(flatten)]
    pub(crate) runs: RunsArgs,
    /// Simulated time, s [default: 10, or until the last expectation]
    #[arg(long, value_parser = values::seconds)]
    pub(crate) seconds: Option<f64>,
    /// How far a body is to be from itself in two runs for them to count as parted, m
    #[arg(long, value_name = "M", default_value = "0.01", value_parser = values::threshold)]
    pub(crate) threshold: f64,
    /// Instants of the pictures and of the tables of bodies that differ, s [default: the start, a
    /// quarter, the end]
    #[arg(long, value_name = "SECONDS,…", value_delimiter = ',', requires = "html",
          value_parser = values::instant)]
    pub(crate) at: Vec<f64>,
    /// Write a page with tables, plots and pictures: one file that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

/// What `compare` and `lab` run.
#[derive(Debug, Args)]
pub(crate) struct RunsArgs {
    /// Runs to compare, 12 at most: see below
    #[arg(long, value_name = "RUN,…", default_value = "all", value_parser = variants::list)]
    pub(crate) solver: Vec<variants::List>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    /// Choose the sub-steps of each run of a level so that each spends this much on a step, ms
    /// [without a number: as much as the slowest at its own settings]
    #[arg(long, value_name = "MS", num_args = 0..=1, require_equals = true,
          default_missing_value = values::SLOWEST, value_parser = values::equal_time)]
    pub(crate) equal_time: Option<Asked>,
    /// Times that each run is timed; the median counts
    #[arg(long, value_name = "N", default_value = "3", value_parser = values::rounds)]
    pub(crate) rounds: usize,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, after_help = VARIANTS, before_help = "\
Examples:
  sinew lab                                     every scene of levels/lab on every solver
  sinew lab --into docs/scoreboard.md
  sinew lab levels --solver verlet,pbd --html scoreboard.html
  sinew lab --equal-time                        every solver as slow as the slowest
")]
pub(crate) struct LabArgs {
    /// Level files, folders of them, or names of built-in levels [default: levels/lab]
    pub(crate) paths: Vec<String>,
    #[command(flatten)]
    pub(crate) runs: RunsArgs,
    /// Write the report as Markdown into this file
    #[arg(long, value_name = "FILE.md")]
    pub(crate) into: Option<PathBuf>,
    /// Write the report as a page that needs nothing else
    #[arg(long, value_name = "FILE.html")]
    pub(crate) html: Option<PathBuf>,
    /// Print one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew check levels/pyramid.json
  sinew check levels --json
  sinew check levels --deny warnings
")]
pub(crate) struct CheckArgs {
    /// Level files, folders of them, or names of built-in levels. Folders below a folder are named
    /// one by one
    #[arg(required = true)]
    pub(crate) paths: Vec<String>,
    /// Treat warnings as errors
    #[arg(long, value_name = "warnings", value_parser = values::deniable())]
    pub(crate) deny: Option<values::Deniable>,
    /// Print one JSON object on one line
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew new castle
  sinew new levels/castle.json
")]
pub(crate) struct NewArgs {
    /// Name or path of the level; `.json` is added where it is missing
    pub(crate) name: PathBuf,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew fmt castle.json
  sinew fmt levels --check
")]
pub(crate) struct FmtArgs {
    /// Level files, or folders of them. Folders below a folder are named one by one
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
    /// Write nothing; exit with 1 if a file is not formatted
    #[arg(long)]
    pub(crate) check: bool,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew migrate castle.json
  sinew migrate levels
")]
pub(crate) struct MigrateArgs {
    /// Level files, or folders of them. Folders below a folder are named one by one
    #[arg(required = true)]
    pub(crate) paths: Vec<PathBuf>,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew levels
  sinew levels --export my-levels
")]
pub(crate) struct LevelsArgs {
    /// Write the built-in levels into this folder, to read and to change
    #[arg(long, value_name = "FOLDER")]
    pub(crate) export: Option<PathBuf>,
}

#[derive(Debug, Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  sinew solvers
  sinew solvers --level pyramid
")]
pub(crate) struct SolversArgs {
    /// Say what each solver ignores or approximates in this level
    #[arg(long)]
    pub(crate) level: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct SolverArg {
    /// Solver to run the level on [default: the level's own]
    #[arg(long, value_parser = values::solver())]
    pub(crate) solver: Option<SolverKind>,
}

/// What a level's settings are overridden with.
#[derive(Debug, Args)]
pub(crate) struct SettingsArgs {
    /// Rounds over all constraints in each sub-step, 1 to 1000
    #[arg(long, value_name = "N", value_parser = values::iterations)]
    iterations: Option<u32>,
    /// Equal parts that a step is cut into, 1 to 256
    #[arg(long, value_name = "N", value_parser = values::substeps)]
    substeps: Option<u32>,
    /// Steps per second of simulated time, 1 to 10000
    #[arg(long, value_parser = values::hz)]
    hz: Option<f32>,
    /// Gravity, m/s²: one number for its strength downwards, or both components
    #[arg(long, value_name = "G|X,Y", allow_hyphen_values = true, value_parser = values::gravity)]
    gravity: Option<Vec2>,
    /// How contacts respond: the best form of each solver, as damped springs (impulse), or as in
    /// the textbook (verlet and impulse)
    #[arg(long, value_parser = values::response())]
    response: Option<Response>,
    /// Whether bodies at rest sleep, at no cost, until something disturbs them
    #[arg(long, value_name = "on|off", value_parser = values::on_or_off())]
    sleep: Option<bool>,
}

impl SettingsArgs {
    /// These settings with a choice of solver.
    pub(crate) fn overrides(&self, solver: Option<SolverKind>) -> Overrides {
        Overrides {
            solver,
            substeps: self.substeps,
            iterations: self.iterations,
            hz: self.hz,
            gravity: self.gravity,
            response: self.response,
            sleep: self.sleep,
        }
    }
}
