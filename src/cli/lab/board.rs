//! What became of each level on each run, and the points it is worth.

use crate::cli::compare::budget::Asked;
use crate::cli::compare::trial::Trial;
use crate::cli::compare::variants::Variant;
use crate::compare::{Figures, points};
use crate::metrics::Quality;
use crate::settings::Effort;

/// All levels on all runs.
pub(super) struct Board {
    /// The names of the runs.
    pub(super) runs: Vec<String>,
    pub(super) rows: Vec<Row>,
    pub(super) rounds: usize,
    pub(super) equal_time: Option<Asked>,
}

/// One level on all runs.
pub(super) struct Row {
    pub(super) level: String,
    pub(super) entries: Vec<Entry>,
}

/// One level on one run.
pub(super) struct Entry {
    pub(super) effort: Effort,
    pub(super) quality: Quality,
    /// Promises that were judged, and those of them that were kept.
    pub(super) judged: usize,
    pub(super) kept: usize,
    /// What was broken, in words.
    pub(super) broken: Vec<String>,
    /// Why it stopped early.
    pub(super) error: Option<String>,
    /// Mean time of a step, ms.
    pub(super) step_ms: f64,
    /// 0 to 100.
    pub(super) points: f64,
}

/// A run over all levels.
pub(super) struct Total {
    /// Mean of the points over all levels.
    pub(super) points: f64,
    /// Levels of which every gate was kept.
    pub(super) passed: usize,
    /// Levels in which no run had more points, and this one had any.
    pub(super) best: usize,
    pub(super) kept: usize,
    pub(super) judged: usize,
    /// Geometric mean of the step times, ms: each level counts alike.
    pub(super) step_ms: f64,
}

impl Entry {
    /// Whether every gate was kept, to the end.
    pub(super) fn passed(&self) -> bool {
        self.error.is_none() && self.kept == self.judged
    }
}

impl Row {
    /// The entries of the runs of a level, with their points.
    pub(super) fn new(level: &str, trials: &[Trial]) -> Self {
        let mut entries: Vec<Entry> = trials.iter().map(entry).collect();
        let figures = |entry: &Entry| Figures {
            kept_all: entry.passed(),
            penetration: entry.quality.max_penetration_m,
            joint_error: entry.quality.max_joint_error_m,
            stretch: entry.quality.max_stretch,
            step_ms: entry.step_ms,
        };
        let scored = points(&entries.iter().map(figures).collect::<Vec<_>>());
        entries.iter_mut().zip(scored).for_each(|(entry, points)| entry.points = points);
        Self { level: level.to_owned(), entries }
    }
}

fn entry(trial: &Trial) -> Entry {
    let outcome = &trial.outcome;
    let (judged, broken) = (outcome.judged().count(), outcome.broken().count());
    Entry {
        effort: outcome.effort(),
        quality: outcome.quality,
        judged,
        kept: judged - broken,
        broken: outcome.broken().map(ToString::to_string).collect(),
        error: outcome.error.as_ref().map(ToString::to_string),
        step_ms: 1e3 * outcome.step_times.mean(),
        points: 0.0,
    }
}

impl Board {
    pub(super) fn new(
        rows: Vec<Row>,
        variants: &[Variant],
        rounds: usize,
        equal_time: Option<Asked>,
    ) -> Self {
        Self { runs: variants.iter().map(ToString::to_string).collect(), rows, rounds, equal_time }
    }

    /// Each run over all levels.
    pub(super) fn totals(&self) -> Vec<Total> {
        (0..self.runs.len()).map(|run| self.total(run)).collect()
    }

    fn total(&self, run: usize) -> Total {
        let entries = || self.rows.iter().map(|row| &row.entries[run]);
        let levels = self.rows.len().max(1) as f64;
        let is_best = |row: &&Row| {
            let most = row.entries.iter().map(|entry| entry.points).fold(0.0, f64::max);
            most > 0.0 && row.entries[run].points >= most
        };
        let log_times = entries().map(|entry| entry.step_ms.max(Figures::LEAST_MS).ln());
        Total {
            points: entries().map(|entry| entry.points).sum::<f64>() / levels,
            passed: entries().filter(|entry| entry.passed()).count(),
            best: self.rows.iter().filter(is_best).count(),
            kept: entries().map(|entry| entry.kept).sum(),
            judged: entries().map(|entry| entry.judged).sum(),
            step_ms: (log_times.sum::<f64>() / levels).exp(),
        }
    }

    /// Level, run and reason of every run that diverged.
    pub(super) fn diverged(&self) -> impl Iterator<Item = (&str, &str, &str)> {
        self.rows.iter().flat_map(|row| {
            let runs = self.runs.iter().zip(&row.entries);
            runs.filter_map(|(run, entry)| {
                Some((row.level.as_str(), run.as_str(), entry.error.as_deref()?))
            })
        })
    }
}
