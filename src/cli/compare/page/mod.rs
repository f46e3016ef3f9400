//! The page of a comparison: one HTML file with inline SVG that needs nothing from outside and no
//! script.
//!
//! All text goes through `maud`, which escapes it; nothing is put together by hand. Elements are
//! closed as XML wants it, so that any XML parser can read the body.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the page, its tables, its words |
//! | `chart.rs`, `axis.rs` | lines over time |
//! | `picture.rs` | the scene at an instant |
//! | `style.css` | light and dark |

mod axis;
mod chart;
mod picture;
mod plots;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use self::chart::swatch;
use super::Comparison;
use super::clock;
use super::figures::{self, Figure};
use super::pairs;
use super::report::parting;
use super::trial::Trial;
use crate::cli::units::{count, length, seconds, with_prefix};

/// Bodies in a table of those that differ most.
const MOST_BODIES: usize = 8;

/// A page around its body.
pub(crate) fn document(title: &str, command: &str, body: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(include_str!("style.css"))) }
            }
            body {
                (body)
                h2 { "Made by" }
                pre { code { (command) } }
                p class="quiet" { "sinew " (env!("CARGO_PKG_VERSION")) }
            }
        }
    };
    page.into_string() + "\n"
}

/// The page of a comparison.
pub(super) fn render(comparison: &Comparison<'_>) -> String {
    let level = comparison.level;
    let name = if level.scene.name.is_empty() { &level.name } else { &level.scene.name };
    let title = format!("{name}: {} compared", count(comparison.trials.len(), "run", "runs"));
    let runs: Vec<Vec<Figure>> = comparison.trials.iter().map(figures::of).collect();
    let body = html! {
        header {
            h1 { (name) }
            @if !level.scene.about.is_empty() { p { (level.scene.about) } }
            p class="quiet" { (circumstances(comparison)) }
        }
        h2 { "Figures" }
        (table(comparison, &runs))
        (broken(&comparison.trials))
        details {
            summary { "What the columns mean" }
            dl {
                @for figure in runs.first().into_iter().flatten() {
                    dt { (figure.head) }
                    dd { (figure.about) "." }
                }
            }
        }
        h2 { "Over time" }
        (plots::render(comparison))
        @if !comparison.pairs.is_empty() { (divergence(comparison)) }
        h2 { "Pictures" }
        (pictures(comparison))
        h2 { "How this was measured" }
        p {
            "Depths, stretch, energy and momentum are measured after each step by code that no \
             solver shares. Step times are from runs of their own that do nothing but step, "
            @if clock::OF_PROCESSOR { "in time of the processor. " } @else { "in time on the wall. " }
            "The runs take turns, and each step counts with the median of "
            (count(comparison.rounds, "round", "rounds")) "."
        }
    };
    document(&title, comparison.command, &body)
}

fn circumstances(comparison: &Comparison<'_>) -> String {
    let mut text = format!("Level {}, {}", comparison.level.name, seconds(comparison.seconds));
    if let Some(trial) = comparison.trials.first() {
        let counts = trial.outcome.counts;
        let rates = comparison.trials.iter().map(|trial| trial.outcome.settings.hz);
        let one_rate = rates.clone().all(|hz| hz == trial.outcome.settings.hz);
        if one_rate {
            text += &format!(" at {} steps per second", trial.outcome.settings.hz);
        }
        text += &format!(
            ": {}, {}, {}, {}.",
            count(counts.bodies, "body", "bodies"),
            count(counts.points, "point", "points"),
            count(counts.edges, "edge", "edges"),
            count(counts.joints, "joint", "joints"),
        );
    }
    if let Some(budget) = &comparison.budget {
        text += &format!(
            " Sub-steps were chosen so that a step of each run takes about {}.",
            with_prefix(1e-3 * budget.step_ms, "s")
        );
    }
    text + " Runs are called by solver, sub-steps × iterations."
}

/// The numbers of each run.
fn table(comparison: &Comparison<'_>, runs: &[Vec<Figure>]) -> Markup {
    let best = figures::best(runs);
    html! {
        div class="wide" {
            table {
                thead {
                    tr {
                        th scope="col" { "run" }
                        @for figure in runs.first().into_iter().flatten() {
                            th scope="col" title=(figure.about) { (figure.head) }
                        }
                    }
                }
                tbody {
                    @for (index, (trial, run)) in comparison.trials.iter().zip(runs).enumerate() {
                        tr {
                            th scope="row" { (swatch(index)) (trial.label) }
                            @for (column, figure) in run.iter().enumerate() {
                                td class=[best[column][index].then_some("best")] { (figure.text) }
                            }
                        }
                    }
                }
            }
        }
        p class="quiet" { "Shaded: best of its column. Stretch of rigid bodies is that of their frames." }
    }
}

/// What went wrong.
fn broken(trials: &[Trial]) -> Markup {
    let any = trials
        .iter()
        .any(|trial| trial.outcome.broken().next().is_some() || trial.outcome.error.is_some());
    html! {
        @if any {
            ul class="broken" {
                @for trial in trials {
                    @if let Some(error) = &trial.outcome.error {
                        li { strong { (trial.label) } ": " span class="bad" { (error) } }
                    }
                    @for verdict in trial.outcome.broken() {
                        li { strong { (trial.label) } ": " (verdict) }
                    }
                }
            }
        }
    }
}

/// When the runs part, and which bodies differ.
fn divergence(comparison: &Comparison<'_>) -> Markup {
    let trials = &comparison.trials;
    html! {
        h2 { "Where the runs part" }
        p {
            "The distance of two runs is that of the centre of mass of a body in both. They part at \
             the first frame in which any body is " (length(comparison.threshold)) " or more from itself."
        }
        div class="wide" {
            table {
                thead { tr { th scope="col" { "runs" } th scope="col" { "first apart by " (length(comparison.threshold)) } } }
                tbody {
                    @for pair in &comparison.pairs {
                        tr { th scope="row" { (pair.name) } td { (parting(comparison, pair)) } }
                    }
                }
            }
        }
        @for &time in &comparison.at {
            @let apart = pairs::farthest(trials, &comparison.pairs, time, MOST_BODIES);
            @if !apart.is_empty() {
                h3 class="at" { "Farthest apart at " (seconds(time)) }
                div class="wide" {
                    table {
                        thead {
                            tr {
                                th scope="col" { "body" }
                                @for pair in &comparison.pairs { th scope="col" { (pair.name) } }
                            }
                        }
                        tbody {
                            @for body in &apart {
                                tr {
                                    th scope="row" { code { (body.body) } }
                                    @for distance in &body.distances {
                                        td { (distance.map_or_else(|| "–".to_owned(), length)) }
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// The scene at the instants asked for, the runs side by side.
fn pictures(comparison: &Comparison<'_>) -> Markup {
    html! {
        @for (index, &time) in comparison.at.iter().enumerate() {
            div class="scenes" {
                @for trial in &comparison.trials {
                    @let label = format!("{} at {}", trial.label, seconds(time));
                    figure {
                        @match trial.pictures.get(index) {
                            Some(world) => (picture::scene(world, comparison.level.scene.view, &label)),
                            None => div class="missing" { "diverged before" },
                        }
                        figcaption { (label) }
                    }
                }
            }
        }
    }
}
