//! The command line.

use std::path::PathBuf;

use clap::Parser;

/// Sinew's solvers and other engines side by side: quality on laboratory levels, or speed on
/// large scenes.
#[derive(Debug, Parser)]
#[command(max_term_width = 100)]
pub struct Args {
    /// Level files (all of levels/lab where none is named); with --speed, names of scenes (all).
    pub names: Vec<String>,

    /// Puts the tables into this document, after its mark, and not on the screen.
    #[arg(long, value_name = "FILE.md")]
    pub into: Option<PathBuf>,

    /// Times scenes, and does not judge levels.
    #[arg(long)]
    pub speed: bool,

    #[command(flatten)]
    pub plan: Plan,
}

/// How scenes are timed.
#[derive(Clone, Debug, clap::Args)]
#[group(requires = "speed", multiple = true)]
pub struct Plan {
    /// Rounds in which the engines take turns; each step counts with the median.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,

    /// Steps of each scene; its own number where this is left out. The first is not timed.
    #[arg(long, value_parser = clap::value_parser!(u32).range(2..))]
    pub steps: Option<u32>,

    /// A run that has taken this long is cut short, s.
    #[arg(long, default_value_t = 10.0)]
    pub seconds: f64,

    /// Threads for the engines that can use more than one.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub threads: u32,

    /// These engines only, by name; Box2D is what the others are compared with.
    #[arg(long, value_delimiter = ',', value_name = "NAME,…")]
    pub on: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Args::command().debug_assert();
    }

    #[test]
    fn a_plan_is_for_speed_only() {
        assert!(Args::try_parse_from(["peers", "--rounds", "3"]).is_err());
        let args = Args::try_parse_from(["peers", "--speed", "smash", "--rounds", "5"]).unwrap();
        assert_eq!((args.plan.rounds, args.names), (5, vec!["smash".to_owned()]));
        assert!(Args::try_parse_from(["peers", "--speed", "--steps", "1"]).is_err());
    }
}
