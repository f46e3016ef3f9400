//! `sinew run`: opens the window, or says why not and runs the level headless.

use super::args::RunArgs;
use super::headless;
use super::output::{Exit, Fault, warn, writable};
use super::sim::{Form, run_and_report};
use super::source::Source;
use super::units::seconds;
#[cfg(feature = "window")]
use super::values::Solvers;
use crate::settings::Overrides;
#[cfg(feature = "window")]
use crate::view::{self, Request, Screenshot};

pub(crate) fn run(args: &RunArgs) -> Result<Exit, Fault> {
    let source = args.level.as_deref().map_or_else(|| Ok(Source::demo()), Source::one)?;
    let overrides = args.settings.overrides(args.solver.solver);
    if let Some(file) = &args.screenshot {
        writable("--screenshot", file, source.file().into_iter())?;
        if !file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("png")) {
            let problem = "--screenshot: the picture is a PNG; name a file that ends in .png";
            return Err(Fault::new(Exit::Usage, problem));
        }
    }
    // A level with mistakes is told of here, whether or not there is a window to open.
    let level = source.load()?;
    let obstacle = match open(args, &source, overrides) {
        Err(fault) if fault.exit == Exit::NoWindow => fault.message,
        opened => return opened,
    };
    if args.screenshot.is_some() {
        let problem = format!("the picture needs a window: {obstacle}");
        return Err(Fault::new(Exit::NoWindow, problem));
    }
    let time = seconds(headless::duration(&level, args.seconds));
    warn(&format!("{obstacle}; running `{source}` without a window for {time}"));
    let form = Form { json: args.json, profile: false };
    run_and_report(&level, &overrides, args.seconds, 1, form)
}

#[cfg(feature = "window")]
fn open(args: &RunArgs, source: &Source, overrides: Overrides) -> Result<Exit, Fault> {
    view::display_available().map_err(|obstacle| Fault::new(Exit::NoWindow, obstacle))?;
    let (file, builtin) = match source {
        Source::File(path) => (Some(path.clone()), None),
        Source::Builtin(name) => (None, Some((*name).to_owned())),
    };
    let screenshot = args.screenshot.clone().map(|file| Screenshot {
        file,
        at: args.at,
        size: args.size,
        hud: !args.no_hud,
    });
    let overlay = Solvers::expand(&args.overlay);
    view::run(Request { file, builtin, overrides, overlay, graphs: args.graphs, screenshot })?;
    Ok(Exit::Success)
}

#[cfg(not(feature = "window"))]
fn open(_: &RunArgs, _: &Source, _: Overrides) -> Result<Exit, Fault> {
    let obstacle = "this sinew was built without its window (feature `window`)";
    Err(Fault::new(Exit::NoWindow, obstacle))
}
