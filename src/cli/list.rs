//! `sinew levels` and `sinew solvers`: what there is to choose from.

use std::fs;
use std::io::Write;
use std::path::Path;

use clap::builder::styling::Style;

use super::args::{LevelsArgs, SolversArgs};
use super::output::{Exit, Fault, HEAD, Table, print, styled, warn};
use super::source::Source;
use crate::level::Level;
use crate::settings::SolverKind;
use crate::world::World;

pub(crate) fn levels(args: &LevelsArgs) -> Result<Exit, Fault> {
    if let Some(folder) = &args.export {
        return export(folder);
    }
    let mut table = Table::new(&["level", "about"]);
    for (name, _) in Level::BUILTIN {
        let level = Level::builtin(name)?;
        table.row(vec![((*name).to_owned(), Style::new()), (level.scene.about, Style::new())]);
    }
    print(&table.render())?;
    Ok(Exit::Success)
}

/// Writes the built-in levels into a folder. Files that are there are left alone.
fn export(folder: &Path) -> Result<Exit, Fault> {
    let fail = |path: &Path, error: std::io::Error| {
        let problem = format!("cannot write {}: {error}", path.display());
        Fault::new(Exit::Usage, format!("{problem}; name a folder that has no levels yet"))
    };
    fs::create_dir_all(folder).map_err(|error| fail(folder, error))?;
    for (name, text) in Level::BUILTIN {
        let path = folder.join(format!("{name}.json"));
        let file = fs::File::create_new(&path);
        let written = file.and_then(|mut file| file.write_all(text.as_bytes()));
        written.map_err(|error| fail(&path, error))?;
    }
    warn(&format!("wrote {} levels to {}", Level::BUILTIN.len(), folder.display()));
    Ok(Exit::Success)
}

pub(crate) fn solvers(args: &SolversArgs) -> Result<Exit, Fault> {
    if let Some(name) = &args.level {
        return limitations(&Source::one(name)?.load()?);
    }
    let mut table = Table::new(&["solver", "effort", "method"]);
    for kind in SolverKind::ALL {
        let effort = kind.default_effort();
        let effort = format!("{} × {}", effort.substeps, effort.iterations);
        let cells = [kind.name().to_owned(), effort, kind.summary().to_owned()];
        table.row(cells.map(|text| (text, Style::new())).to_vec());
    }
    let text = table.render();
    print(&format!("{text}\nEffort is sub-steps × iterations where a level does not say.\n"))?;
    Ok(Exit::Success)
}

/// What each solver leaves out in a level.
fn limitations(level: &Level) -> Result<Exit, Fault> {
    let world = World::build(&level.scene)?;
    let mut out = String::new();
    for kind in SolverKind::ALL {
        let found = kind.build().map(|solver| solver.limitations(&world.model, &world.state));
        let found = found.unwrap_or_default();
        out += &format!("{}\n", styled(HEAD, kind.name()));
        if found.is_empty() {
            out += "  does everything in this level\n";
        }
        for limitation in found {
            out += &format!("  {limitation}\n");
        }
    }
    print(&out)?;
    Ok(Exit::Success)
}
