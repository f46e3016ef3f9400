//! `sinew migrate`: level files brought up to the current format.

use super::args::MigrateArgs;
use super::output::{Exit, Fault, print};
use super::source::{Source, rewrite};
use crate::level::migrate::migrated;
use crate::level::read_text;

pub(crate) fn migrate(args: &MigrateArgs) -> Result<Exit, Fault> {
    let mut worst = Exit::Success;
    for path in Source::files(&args.paths)? {
        let name = path.display().to_string();
        let result = read_text(&path).and_then(|(text, _)| Ok((migrated(&text, &name)?, text)));
        match result {
            Ok((new, old)) if new.text == old => {
                print(&format!("{name}: format {} is current\n", new.from))?;
            }
            Ok((new, _)) => {
                rewrite(&path, &new.text)?;
                print(&format!("{name}: brought up to date from format {}\n", new.from))?;
            }
            // One broken file is no reason to leave the others.
            Err(error) => {
                let fault = Fault::from(error);
                fault.print();
                worst = worst.max(fault.exit);
            }
        }
    }
    Ok(worst)
}
