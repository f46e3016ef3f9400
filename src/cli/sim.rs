//! `sinew sim`: runs a level without a window and prints a report.

use indicatif::{ProgressBar, ProgressStyle};

use super::args::SimArgs;
use super::headless::{self, Outcome};
use super::output::{Exit, Fault, print, print_json, warn};
use super::report::{self, Report};
use super::source::Source;
use super::values::idle_response;
use crate::level::Level;
use crate::settings::{Overrides, Response, SolverKind};

pub(crate) fn sim(args: &SimArgs) -> Result<Exit, Fault> {
    let level = Source::one(&args.level)?.load()?;
    let overrides = args.settings.overrides(args.solver.solver);
    let form = Form { json: args.json, profile: args.profile };
    run_and_report(&level, &overrides, args.seconds, args.threads, form)
}

/// How a report is printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Form {
    /// As JSON rather than for people.
    pub(crate) json: bool,
    /// With the times of the phases of a step.
    pub(crate) profile: bool,
}

/// Runs a level headless and prints its report.
pub(crate) fn run_and_report(
    level: &Level,
    overrides: &Overrides,
    seconds: Option<f64>,
    threads: usize,
    form: Form,
) -> Result<Exit, Fault> {
    let seconds = headless::duration(level, seconds);
    let bar = progress_bar(1000, "{bar:40} {percent} %");
    let outcome = headless::run(level, overrides, seconds, threads, |_, sample| {
        bar.set_position((1000.0 * sample.time / seconds) as u64);
    });
    bar.finish_and_clear();
    let outcome = outcome.map_err(|error| Fault::in_level(&level.name, error))?;
    let Outcome { profile, step_times, counts, .. } = &outcome;
    let profile = form.profile.then(|| profile.summary(step_times, counts.bodies));
    if form.json {
        let mut report = Report::new(level, &outcome);
        report.profile = profile;
        print_json(&report)?;
    } else {
        print(&report::text(level, &outcome))?;
        if let Some(profile) = profile {
            print(&format!("\n{}", profile.text()))?;
        }
    }
    for limitation in &outcome.limitations {
        warn(&format!("{}: {limitation}", outcome.settings.solver));
    }
    warn_of_idle_response(overrides.response, [outcome.settings.solver]);
    if let Some(error) = &outcome.error {
        return Err(Fault::in_level(&level.name, error.clone()));
    }
    let unjudged = outcome.verdicts.len() - outcome.judged().count();
    if unjudged > 0 {
        warn(&format!("the run was too short to judge {unjudged} of the level's expectations"));
    }
    Ok(report::exit(&outcome))
}

/// Warns of solvers on which the `--response` asked for makes no difference.
pub(crate) fn warn_of_idle_response(
    asked: Option<Response>,
    solvers: impl IntoIterator<Item = SolverKind>,
) {
    let Some(asked) = asked else { return };
    for idle in solvers.into_iter().filter_map(|kind| idle_response(asked, kind)) {
        warn(&format!("--response {asked} {idle}"));
    }
}

/// A bar on stderr, where that is a terminal; nothing anywhere else.
pub(crate) fn progress_bar(length: u64, template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new(length).with_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()))
}
