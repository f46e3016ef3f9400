//! `sinew fmt`: level files in their usual layout.

use super::args::FmtArgs;
use super::output::{Exit, Fault, print, warn};
use super::source::{Source, rewrite};
use super::units::count;
use crate::level::{Level, read_text};

pub(crate) fn fmt(args: &FmtArgs) -> Result<Exit, Fault> {
    let files = Source::files(&args.paths)?;
    let (mut changed, mut worst) = (0, Exit::Success);
    for path in &files {
        let name = path.display().to_string();
        let formatted = read_text(path).and_then(|(text, _)| {
            Level::formatted(&text, &name).map(|formatted| (formatted != text, formatted))
        });
        match formatted {
            Ok((false, _)) => {}
            Ok((true, formatted)) => {
                changed += 1;
                // The names are the data of this command, so that scripts can read them.
                print(&format!("{name}\n"))?;
                if args.check {
                    worst = worst.max(Exit::Failed);
                } else {
                    rewrite(path, &formatted)?;
                }
            }
            // One broken file is no reason to leave the others.
            Err(error) => {
                let fault = Fault::from(error);
                fault.print();
                worst = worst.max(fault.exit);
            }
        }
    }
    let total = count(files.len(), "file", "files");
    warn(&match (changed, args.check) {
        (0, _) => format!("{total}, nothing to format"),
        (_, true) => format!("{changed} of {total} would be formatted; run `sinew fmt` on it"),
        (_, false) => format!("formatted {changed} of {total}"),
    });
    Ok(worst)
}
