//! `sinew new`: a commented level to begin with.

use std::fs::File;
use std::io::{ErrorKind, Write};

use super::args::NewArgs;
use super::output::{Exit, Fault, print, warn};

/// The level that is written.
const STARTER: &str = include_str!("starter.json");

pub(crate) fn new(args: &NewArgs) -> Result<Exit, Fault> {
    let mut path = args.name.clone();
    let Some(name) = path.file_name().map(|name| name.to_string_lossy().into_owned()) else {
        let problem = format!("{} names no file; give the level a name", path.display());
        return Err(Fault::new(Exit::Usage, problem));
    };
    if !name.ends_with(".json") {
        path.set_file_name(format!("{name}.json"));
    }
    let shown = path.display().to_string();
    let fail = |error: std::io::Error| {
        let remedy = match error.kind() {
            ErrorKind::AlreadyExists => "it is there already; choose another name".to_owned(),
            ErrorKind::NotFound => "its folder is not there; create it first".to_owned(),
            _ => error.to_string(),
        };
        Fault::new(Exit::Usage, format!("cannot write {shown}: {remedy}"))
    };
    let mut file = File::create_new(&path).map_err(fail)?;
    file.write_all(STARTER.as_bytes()).map_err(fail)?;
    print(&format!("{shown}\n"))?;
    warn(&format!("`sinew run {shown}` opens it, `sinew check {shown}` finds mistakes"));
    Ok(Exit::Success)
}
