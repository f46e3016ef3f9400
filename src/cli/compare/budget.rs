//! `--equal-time`: the sub-steps with which each run spends the same time on a step.

use super::trial::Probe;
use super::variants::Variant;
use crate::cli::output::{Exit, Fault};
use crate::compare::Choice;
use crate::error::Result;
use crate::level::Level;
use crate::settings::Overrides;

/// How much time a step is to take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Asked {
    /// As much as the slowest run takes at its own settings.
    Slowest,
    /// This much, ms.
    Milliseconds(f64),
}

/// What each run was to spend on a step.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Budget {
    /// ms.
    pub(crate) step_ms: f64,
    /// What each run got: sub-steps, and the ms that they were found to take.
    choices: Vec<Choice>,
}

impl Budget {
    /// Times each run at its own settings and gives it the sub-steps that spend the budget.
    ///
    /// # Errors
    /// If the level cannot be built.
    pub(crate) fn spend(
        level: &Level,
        runs: &mut [Overrides],
        asked: Asked,
        seconds: f64,
    ) -> Result<Self> {
        let probes: Result<Vec<Probe>> =
            runs.iter().map(|overrides| Probe::new(level, overrides, seconds)).collect();
        let probes = probes?;
        let step_ms = match asked {
            Asked::Milliseconds(budget) => budget,
            Asked::Slowest => probes.iter().map(Probe::usual_ms).fold(0.0, f64::max),
        };
        let choices: Vec<Choice> = probes.iter().map(|probe| probe.substeps_for(step_ms)).collect();
        for ((overrides, probe), choice) in runs.iter_mut().zip(&probes).zip(&choices) {
            overrides.substeps = Some(choice.substeps);
            // Those it was timed with.
            let settings = probe.settings();
            overrides.iterations = Some(settings.effort(settings.solver).iterations);
        }
        Ok(Self { step_ms, choices })
    }

    /// The runs, by their indices, that no number of sub-steps brings near the budget, and the ms
    /// that are nearest.
    pub(crate) fn missed(&self) -> impl Iterator<Item = (usize, f64)> {
        const NEAR: f64 = 0.25;
        let off = |choice: &Choice| (choice.cost / self.step_ms - 1.0).abs() > NEAR;
        let choices = self.choices.iter().enumerate();
        choices.filter(move |(_, choice)| off(choice)).map(|(index, choice)| (index, choice.cost))
    }
}

/// Sub-steps cannot be given and chosen.
pub(crate) fn refuse_substeps(
    variants: &[Variant],
    all: &Overrides,
) -> std::result::Result<(), Fault> {
    if all.substeps.is_none() && !variants.iter().any(Variant::has_substeps) {
        return Ok(());
    }
    let problem = "--equal-time chooses the sub-steps, so none can be given";
    Err(Fault::new(Exit::Usage, format!("{problem}; leave out either")))
}
