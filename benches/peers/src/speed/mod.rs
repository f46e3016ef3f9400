//! Large scenes on every engine: what a step takes, and what the scene is like at the end.
//!
//! All engines run in one process. In each round each of them runs the scene from its start, one after
//! the other and in another order each round, so that what the machine does beside falls on all of
//! them. A step counts with its median over the rounds, and a run with the mean over its steps. The
//! first step, in which engines find all contacts anew and fetch memory, is not counted.
//!
//! The first round tells how many steps each engine takes in the time it has. The scene is measured at
//! the end of that, and in the second round after as many steps as all have taken.
//!
//! | file | job |
//! |---|---|
//! | `clock.rs` | the clock |
//! | `run.rs` | one scene on one engine |
//! | `ending.rs` | what a scene is like at the end of a run |
//! | `table.rs` | tables |

mod clock;
mod ending;
mod run;
mod table;

use crate::args::Plan;
use crate::document::Document;
use crate::peer::{Entrant, Outcome, SPEED};
use crate::scenes::{self, Case, Setup};

use run::Run;

/// Times scenes, or all where none is named, and writes the tables.
pub fn run(names: &[String], plan: &Plan, document: &Document) -> Outcome<()> {
    let cases = chosen(names, &scenes::ALL, |case| case.name, "scene")?;
    let entrants = chosen(&plan.on, &SPEED, |entrant| entrant.name, "engine")?;
    let mut rows = Vec::new();
    for case in cases {
        eprintln!("{}", case.name);
        let setup = (case.build)()?;
        let runs = take_turns(case, &setup, &entrants, plan);
        rows.push(table::Row { case, size: table::Size::of(&setup), runs });
        document.keep(&table::render(&rows, &entrants, plan))?;
    }
    document.write(&table::render(&rows, &entrants, plan))
}

/// One scene on every engine, in as many rounds as planned.
fn take_turns(case: &Case, setup: &Setup, entrants: &[&Entrant], plan: &Plan) -> Vec<Outcome<Run>> {
    let mut runs: Vec<_> = entrants
        .iter()
        .map(|entrant| {
            let run = Run::first(case, setup, entrant, plan);
            match &run {
                Ok(run) => eprintln!("  {}: {:.2} ms", entrant.name, run.milliseconds()),
                Err(error) => eprintln!("  {}: {error}", entrant.name),
            }
            run
        })
        .collect();
    let common = runs.iter().flatten().map(Run::steps).min().unwrap_or(0);
    for round in 1..plan.rounds as usize {
        for turn in 0..entrants.len() {
            let index = (round + turn) % entrants.len();
            let Ok(run) = &mut runs[index] else { continue };
            if let Err(error) = run.again(setup, entrants[index], plan, common) {
                runs[index] = Err(error);
            }
        }
    }
    runs
}

/// Those of a list that are named, in its order; all where none is.
fn chosen<'a, T>(
    names: &[String],
    all: &'a [T],
    name: fn(&T) -> &'static str,
    what: &str,
) -> Outcome<Vec<&'a T>> {
    if let Some(unknown) = names.iter().find(|given| all.iter().all(|item| name(item) != **given)) {
        let known: Vec<_> = all.iter().map(name).collect();
        return Err(format!("there is no {what} `{unknown}`: {}", known.join(", ")).into());
    }
    let named = |item: &&T| names.is_empty() || names.iter().any(|given| given == name(item));
    Ok(all.iter().filter(named).collect())
}
