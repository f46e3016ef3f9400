//! When and where runs part: every two of them, or each and the first where that is too many.

use crate::compare::{Parting, distances, first_parting, largest_distances};

use super::trial::Trial;

/// The most pairs that are compared.
const MOST_PAIRS: usize = 6;
/// The most points of a curve of distances.
const MOST_POINTS: usize = 1000;

/// Two runs, by their indices, and how they part.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) a: usize,
    pub(crate) b: usize,
    pub(crate) name: String,
    pub(crate) parting: Option<Parting>,
    /// The largest distance of a body over time: s and m.
    pub(crate) curve: Vec<[f64; 2]>,
}

/// The pairs of runs.
pub(crate) fn of(trials: &[Trial], threshold: f64) -> Vec<Pair> {
    let count = trials.len();
    let every = count * count.saturating_sub(1) / 2 <= MOST_PAIRS;
    let firsts = 0..if every { count } else { 1 };
    let pairs = firsts.flat_map(|a| (a + 1..count).map(move |b| (a, b)));
    let pair = |(a, b): (usize, usize)| {
        let (in_a, in_b) = (&trials[a].track, &trials[b].track);
        Pair {
            a,
            b,
            name: format!("{} and {}", trials[a].label, trials[b].label),
            parting: first_parting(in_a, in_b, threshold),
            curve: largest_distances(in_a, in_b, MOST_POINTS),
        }
    };
    pairs.map(pair).collect()
}

/// A body and how far it is apart in each pair, m; `None` in a pair that cannot be compared.
pub(crate) struct Apart<'a> {
    pub(crate) body: &'a str,
    pub(crate) distances: Vec<Option<f64>>,
}

/// The bodies that differ most at a time in any pair, the farthest first, at most `most` of them;
/// none that has not moved apart by a thousandth of a millimetre.
pub(crate) fn farthest<'a>(
    trials: &'a [Trial],
    pairs: &[Pair],
    time: f64,
    most: usize,
) -> Vec<Apart<'a>> {
    const LEAST: f64 = 1e-6;
    let Some(first) = trials.first() else { return Vec::new() };
    let by_pair: Vec<_> = pairs
        .iter()
        .map(|pair| distances(&trials[pair.a].track, &trials[pair.b].track, time))
        .collect();
    let largest = |apart: &Apart<'_>| apart.distances.iter().flatten().copied().fold(0.0, f64::max);
    let bodies = first.track.names().iter().enumerate().map(|(index, body)| Apart {
        body,
        distances: by_pair
            .iter()
            .map(|distances| distances.get(index).copied().flatten())
            .collect(),
    });
    let mut bodies: Vec<_> = bodies.filter(|apart| largest(apart) >= LEAST).collect();
    // Equal ones stay in the order of the level.
    bodies.sort_by(|a, b| largest(b).total_cmp(&largest(a)));
    bodies.truncate(most);
    bodies
}
