//! The runs that `--solver` asks for: solvers, each with settings of its own if need be.
//!
//! ```text
//! list    = variant { "," variant }
//! variant = ( solver | "all" ) [ ":" setting { "," setting } ]
//! setting = ( "substeps" | "iterations" | "hz" | "response" ) "=" value
//! ```
//!
//! What has an equals sign belongs to the solver before it, so that commas do for both:
//! `verlet,impulse:substeps=8,iterations=2,pbd` is three runs.

use std::fmt;
use std::str::FromStr;

use crate::cli::values;
use crate::settings::{Overrides, Response, Settings, SolverKind};

/// The settings a variant may have.
const SETTINGS: [&str; 4] = ["substeps", "iterations", "hz", "response"];
/// Every solver.
const ALL: &str = "all";

/// A solver and the settings it is to run with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Variant {
    /// What was said of it; the solver is always there.
    own: Overrides,
}

impl Variant {
    fn of(kind: SolverKind) -> Self {
        Self { own: Overrides { solver: Some(kind), ..Overrides::default() } }
    }

    /// Whether it says how many sub-steps it wants.
    pub(crate) fn has_substeps(&self) -> bool {
        self.own.substeps.is_some()
    }

    /// The solver, if the response that holds for all is to hold for it too.
    pub(crate) fn takes_response_of_all(&self) -> Option<SolverKind> {
        self.own.solver.filter(|_| self.own.response.is_none())
    }

    /// What was said of it on top of what holds for all.
    pub(crate) fn over(&self, all: &Overrides) -> Overrides {
        Overrides {
            solver: self.own.solver,
            substeps: self.own.substeps.or(all.substeps),
            iterations: self.own.iterations.or(all.iterations),
            hz: self.own.hz.or(all.hz),
            gravity: all.gravity,
            response: self.own.response.or(all.response),
            sleep: all.sleep,
        }
    }
}

impl fmt::Display for Variant {
    /// As it is written in a list.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own = &self.own;
        f.write_str(own.solver.unwrap_or_default().name())?;
        let settings = [
            own.substeps.map(|substeps| format!("substeps={substeps}")),
            own.iterations.map(|iterations| format!("iterations={iterations}")),
            own.hz.map(|hz| format!("hz={hz}")),
            own.response.map(|response| format!("response={response}")),
        ];
        for (index, setting) in settings.iter().flatten().enumerate() {
            write!(f, "{}{setting}", if index == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

/// The runs that one `--solver` asks for.
pub(crate) type List = Vec<Variant>;

/// Reads a list of variants.
pub(crate) fn list(text: &str) -> Result<List, String> {
    let mut done = Vec::new();
    // An item `all` is as many variants as there are solvers; settings are for all of them.
    let mut current: Vec<Variant> = Vec::new();
    for item in text.split(',').map(str::trim) {
        let (solver, setting) = match item.split_once(':') {
            Some((solver, setting)) => (Some(solver), Some(setting)),
            None if item.contains('=') => (None, Some(item)),
            None => (Some(item), None),
        };
        if let Some(name) = solver {
            done.append(&mut current);
            current = named(name.trim())?;
        } else if current.is_empty() {
            return Err(format!("name a solver before `{item}`, such as verlet:{item}"));
        }
        if let Some(setting) = setting {
            for variant in &mut current {
                set(variant, setting.trim())?;
            }
        }
    }
    done.append(&mut current);
    Ok(done)
}

fn named(name: &str) -> Result<Vec<Variant>, String> {
    if name == ALL {
        return Ok(SolverKind::ALL.map(Variant::of).to_vec());
    }
    let found = SolverKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.map(|kind| vec![Variant::of(kind)]).ok_or_else(|| {
        let known: Vec<_> = SolverKind::ALL.iter().map(|kind| kind.name()).chain([ALL]).collect();
        if name.is_empty() {
            return format!("a solver is missing; choose of {}", known.join(", "));
        }
        let mut hint = near(name, &known);
        if near(name, &SETTINGS).is_some() {
            hint = Some(format!("settings are written {name}=4"));
        }
        let hint = hint.unwrap_or_else(|| format!("choose of {}", known.join(", ")));
        format!("unknown solver `{name}`: {hint}")
    })
}

fn set(variant: &mut Variant, setting: &str) -> Result<(), String> {
    let Some((key, value)) = setting.split_once('=') else {
        let example = near(setting, &SETTINGS).map_or("substeps", |_| setting);
        return Err(format!("`{setting}` has no value: write it as {example}=4"));
    };
    let (key, value) = (key.trim(), value.trim());
    let told = |problem: String| format!("{key}={value}: {problem}");
    let own = &mut variant.own;
    match key {
        "substeps" => own.substeps = Some(values::substeps(value).map_err(told)?),
        "iterations" => own.iterations = Some(values::iterations(value).map_err(told)?),
        "hz" => own.hz = Some(values::hz(value).map_err(told)?),
        "response" => {
            let known = || format!("give {}", Response::ALL.map(Response::name).join(", "));
            let response = Response::from_str(value).map_err(|_| told(known()))?;
            if let Some(idle) = own.solver.and_then(|kind| values::idle_response(response, kind)) {
                return Err(told(idle));
            }
            own.response = Some(response);
        }
        _ => {
            let hint = near(key, &SETTINGS)
                .unwrap_or_else(|| format!("there are {}", SETTINGS.join(", ")));
            return Err(format!("unknown setting `{key}`: {hint}"));
        }
    }
    Ok(())
}

/// The name that was probably meant.
fn near(name: &str, known: &[&str]) -> Option<String> {
    let edits = |known: &str| strsim::damerau_levenshtein(known, name);
    let (edits, near) = known.iter().map(|known| (edits(known), *known)).min()?;
    (edits <= (near.len() / 3).max(1)).then(|| format!("did you mean `{near}`?"))
}

/// What each of these settings is called where they are side by side: solver and effort, and what
/// not all of them share.
pub(crate) fn labels(settings: &[Settings]) -> Vec<String> {
    let one_rate = settings.windows(2).all(|pair| pair[0].hz == pair[1].hz);
    let label = |settings: &Settings| {
        let effort = settings.effort(settings.solver);
        let mut label = format!("{} {} × {}", settings.solver, effort.substeps, effort.iterations);
        if !one_rate {
            label += &format!(", {} Hz", settings.hz);
        }
        match settings.response.on(settings.solver) {
            Response::Conserving => label,
            other => format!("{label}, {other}"),
        }
    };
    settings.iter().map(label).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> Vec<Settings> {
        let plain = Overrides::default();
        let variants = list(text).unwrap();
        variants.iter().map(|variant| variant.over(&plain).apply(Settings::default())).collect()
    }

    #[test]
    fn settings_belong_to_the_solver_before_them() {
        let found = settings("verlet, impulse:substeps=8,iterations=2,pbd,verlet:response=classic");
        let named: Vec<_> = found.iter().map(|settings| settings.solver.name()).collect();
        assert_eq!(named, ["verlet", "impulse", "pbd", "verlet"]);
        assert_eq!((found[1].substeps, found[1].iterations), (Some(8), Some(2)));
        assert_eq!((found[2].substeps, found[0].response), (None, Response::Conserving));
        let expected = ["verlet 8 × 2", "impulse 8 × 2", "pbd 12 × 1", "verlet 8 × 2, classic"];
        assert_eq!(labels(&found), expected);
        let forms = settings("impulse,impulse:response=classic,impulse:response=soft,pbd");
        let expected =
            ["impulse 4 × 6", "impulse 1 × 10, classic", "impulse 4 × 6, soft", "pbd 12 × 1"];
        assert_eq!(labels(&forms), expected);
        let rates = settings("all:substeps=4,verlet:hz=120");
        assert_eq!(rates.len(), SolverKind::ALL.len() + 1);
        assert!(rates[..3].iter().all(|settings| settings.substeps == Some(4)));
        assert_eq!(labels(&rates)[3], "verlet 8 × 2, 120 Hz");
    }

    #[test]
    fn variants_are_shown_as_they_are_written() {
        let text =
            "impulse:response=soft,impulse:substeps=8,iterations=2,verlet:hz=120,response=classic";
        let shown: Vec<_> = list(text).unwrap().iter().map(ToString::to_string).collect();
        assert_eq!(shown.join(","), text);
    }

    #[test]
    fn what_holds_for_all_is_overridden() {
        let all = Overrides {
            substeps: Some(3),
            response: Some(Response::Classic),
            ..Overrides::default()
        };
        let found = list("verlet,impulse:substeps=8,response=soft,pbd").unwrap();
        let over: Vec<_> = found.iter().map(|variant| variant.over(&all)).collect();
        assert_eq!((over[0].substeps, over[0].response), (Some(3), Some(Response::Classic)));
        assert_eq!((over[1].substeps, over[1].response), (Some(8), Some(Response::Soft)));
        // Labels tell what runs, not what was asked for.
        let settings: Vec<_> = over.iter().map(|over| over.apply(Settings::default())).collect();
        assert_eq!(labels(&settings)[1..], ["impulse 8 × 6, soft", "pbd 3 × 1"]);
        let idle = found.iter().map(Variant::takes_response_of_all);
        assert_eq!(
            idle.collect::<Vec<_>>(),
            [Some(SolverKind::Verlet), None, Some(SolverKind::Pbd)]
        );
        assert!(found[1].has_substeps() && !found[0].has_substeps());
    }

    #[test]
    fn mistakes_are_told_with_a_remedy() {
        for (text, words) in [
            ("verlt", ["unknown solver `verlt`", "did you mean `verlet`?"]),
            ("magic", ["`magic`", "choose of verlet, impulse, pbd, all"]),
            ("verlet,", ["missing", "verlet"]),
            ("substeps=4", ["name a solver before", "verlet:substeps=4"]),
            ("verlet,substeps", ["unknown solver", "substeps=4"]),
            ("verlet:substep=4", ["unknown setting", "did you mean `substeps`?"]),
            ("verlet:speed=4", ["unknown setting", "substeps, iterations, hz, response"]),
            ("verlet:substeps", ["no value", "substeps=4"]),
            ("pbd:substeps=0", ["substeps=0", "1 to 256"]),
            ("pbd:iterations=many", ["iterations=many", "1 to 1000"]),
            ("pbd:hz=0", ["hz=0", "1 to 10000"]),
            ("pbd:response=classic", ["response=classic", "pbd, which knows only conserving"]),
            ("verlet:response=soft", ["response=soft", "only conserving and classic"]),
            ("all:response=soft", ["response=soft", "nothing on verlet"]),
            ("impulse:response=hard", ["response=hard", "conserving, soft, classic"]),
        ] {
            let message = list(text).unwrap_err();
            assert!(words.iter().all(|word| message.contains(word)), "{text}: {message}");
        }
    }
}
