//! How many sub-steps a budget of time pays for.
//!
//! The cost of a step rises with the sub-steps, nearly in proportion, and every measurement of it
//! takes a while and is a little wrong. So the search measures few numbers of sub-steps: it keeps a
//! bracket around the budget, guesses by a straight line between its ends (*regula falsi*), and ends
//! when it is close enough or no whole number is left. The answer is the closest that was measured.

use std::collections::BTreeMap;

/// A cost this close to the budget, in relative terms, is the budget.
const CLOSE: f64 = 0.03;
/// The most measurements.
const MOST_MEASUREMENTS: usize = 12;

/// A number of sub-steps and what a step then takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Choice {
    /// Sub-steps.
    pub substeps: u32,
    /// The cost of a step that was measured with them, in the units of the budget.
    pub cost: f64,
}

/// The number of sub-steps from 1 to `most` whose cost is closest to `budget`, as a ratio. `cost` is
/// called for one number after the other, first for `guess`, and for none twice.
///
/// A budget that is out of reach gives 1 or `most`.
pub fn substeps_for(
    budget: f64,
    guess: u32,
    most: u32,
    mut cost: impl FnMut(u32) -> f64,
) -> Choice {
    let mut measured = BTreeMap::new();
    let (mut next, most) = (guess.clamp(1, most.max(1)), most.max(1));
    for _ in 0..MOST_MEASUREMENTS {
        // A clock that stood still, or went back, is no reason to divide by nothing.
        let spent = cost(next).max(f64::MIN_POSITIVE);
        measured.insert(next, spent);
        if (spent / budget - 1.0).abs() <= CLOSE {
            break;
        }
        match unmeasured(&measured, budget, most) {
            Some(substeps) => next = substeps,
            None => break,
        }
    }
    let distance = |cost: f64| (cost / budget).ln().abs();
    let choices = measured.into_iter().map(|(substeps, cost)| Choice { substeps, cost });
    let best = choices.min_by(|a, b| distance(a.cost).total_cmp(&distance(b.cost)));
    best.unwrap_or(Choice { substeps: next, cost: 0.0 })
}

/// The next number to measure, if any is left between those that are too cheap and too dear.
fn unmeasured(measured: &BTreeMap<u32, f64>, budget: f64, most: u32) -> Option<u32> {
    // A noisy clock may call a number too dear that is below one it called too cheap: the lowest
    // that is too dear decides.
    let dear = measured.iter().find(|(_, cost)| **cost > budget).map(|(&n, &cost)| (n, cost));
    let below = dear.map_or(u32::MAX, |(n, _)| n);
    let cheap = measured.range(..below).next_back().map(|(&n, &cost)| (n, cost));
    let (low, high) = (cheap.map_or(1, |(n, _)| n + 1), dear.map_or(most, |(n, _)| n - 1));
    if low > high {
        return None;
    }
    let guess = match (cheap, dear) {
        (Some((a, at_a)), Some((b, at_b))) => {
            f64::from(a) + f64::from(b - a) * (budget - at_a) / (at_b - at_a)
        }
        // In proportion, and at least twice as far, so that a wrong guess is not followed by others
        // that creep.
        (Some((n, cost)), None) => f64::from(n) * (budget / cost).max(2.0),
        (None, Some((n, cost))) => f64::from(n) * (budget / cost).min(0.5),
        (None, None) => f64::from(low),
    };
    Some((guess.round() as u32).clamp(low, high))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clock that costs `base + each · n`, and the numbers it was asked for.
    fn search(budget: f64, guess: u32, base: f64, each: f64) -> (u32, Vec<u32>) {
        let mut asked = Vec::new();
        let choice = substeps_for(budget, guess, 256, |substeps| {
            asked.push(substeps);
            base + each * f64::from(substeps)
        });
        assert_eq!(choice.cost, base + each * f64::from(choice.substeps));
        let mut once = asked.clone();
        once.sort_unstable();
        once.dedup();
        assert_eq!(once.len(), asked.len(), "none is measured twice: {asked:?}");
        (choice.substeps, asked)
    }

    #[test]
    fn the_number_closest_to_the_budget_in_few_measurements() {
        for (base, each) in [(0.0, 0.1), (0.5, 0.1), (0.05, 0.013), (3.0, 0.02)] {
            for guess in [1, 4, 12, 256] {
                for wanted in [1, 2, 7, 30, 200, 256] {
                    let budget = base + each * f64::from(wanted);
                    let (found, asked) = search(budget, guess, base, each);
                    let cost = base + each * f64::from(found);
                    assert!((cost / budget - 1.0).abs() <= CLOSE, "{wanted} {found} {asked:?}");
                    assert!(asked.len() <= 10, "{wanted}: {asked:?}");
                }
            }
        }
    }

    #[test]
    fn between_two_numbers_the_closer_by_ratio() {
        // 1 costs 1, 2 costs 2: the middle by ratio is √2.
        assert_eq!(search(1.38, 5, 0.0, 1.0).0, 1);
        assert_eq!(search(1.45, 5, 0.0, 1.0).0, 2);
    }

    #[test]
    fn a_budget_out_of_reach_gives_an_end() {
        assert_eq!(search(0.1, 8, 1.0, 1.0).0, 1);
        assert_eq!(search(1e6, 8, 1.0, 1.0).0, 256);
    }

    #[test]
    fn a_clock_that_tells_nonsense_ends_the_search_all_the_same() {
        for clock in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut calls = 0;
            let choice = substeps_for(1.0, 8, 256, |_| {
                calls += 1;
                clock
            });
            assert!((1..=256).contains(&choice.substeps) && calls <= MOST_MEASUREMENTS, "{clock}");
        }
        // Every other measurement is three times too large.
        let mut odd = false;
        let choice = substeps_for(2.0, 8, 256, |substeps| {
            odd = !odd;
            0.1 * f64::from(substeps) * if odd { 3.0 } else { 1.0 }
        });
        assert!((0.5..=4.0).contains(&choice.cost), "{choice:?}");
        assert_eq!(substeps_for(1.0, 0, 0, |_| 5.0).substeps, 1);
    }
}
