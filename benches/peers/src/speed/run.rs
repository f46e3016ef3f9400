//! One scene on one engine.

use crate::args::Plan;
use crate::peer::{Entrant, Outcome, Peer};
use crate::scenes::{Case, Setup};
use crate::speed::clock::Clock;
use crate::speed::ending::{Ending, Start};

/// What became of a scene on an engine.
pub struct Run {
    /// For each step but the first, what it took in each round, ms.
    steps: Vec<Vec<f64>>,
    /// What the scene was like after the last step.
    pub ending: Ending,
    /// What it was like after as many steps as all engines took; none before the second round.
    pub common: Option<Ending>,
}

impl Run {
    /// The first round: decides how many steps there are, and measures the end.
    pub fn first(case: &Case, setup: &Setup, entrant: &Entrant, plan: &Plan) -> Outcome<Self> {
        let mut peer = build(setup, entrant, plan)?;
        let start = Start::of(peer.world()?);
        peer.step()?;
        let most = plan.steps.unwrap_or(case.steps) as usize - 1;
        let times = steps(&mut *peer, most, plan)?;
        let ending = start.ending(peer.world()?);
        Ok(Self { steps: times.into_iter().map(|time| vec![time]).collect(), ending, common: None })
    }

    /// Another round, of as many steps. The second round measures the scene after `common` steps.
    pub fn again(
        &mut self,
        setup: &Setup,
        entrant: &Entrant,
        plan: &Plan,
        common: usize,
    ) -> Outcome<()> {
        let plan = Plan { seconds: f64::INFINITY, ..plan.clone() };
        let mut peer = build(setup, entrant, &plan)?;
        let start = self.common.is_none().then(|| peer.world().map(Start::of)).transpose()?;
        peer.step()?;
        let mut times = steps(&mut *peer, common - 1, &plan)?;
        if let Some(start) = start {
            self.common = Some(start.ending(peer.world()?));
        }
        times.extend(steps(&mut *peer, self.steps.len() - times.len(), &plan)?);
        for (rounds, time) in self.steps.iter_mut().zip(times) {
            rounds.push(time);
        }
        Ok(())
    }

    /// How many steps there were, with the first.
    pub fn steps(&self) -> usize {
        self.steps.len() + 1
    }

    /// What a step took, ms.
    pub fn milliseconds(&self) -> f64 {
        mean(&self.steps)
    }

    /// What a step took relative to another run, over the steps that both have.
    pub fn relative_to(&self, other: &Self) -> f64 {
        let common = self.steps.len().min(other.steps.len());
        mean(&self.steps[..common]) / mean(&other.steps[..common])
    }
}

/// Builds a scene, or what stands in for it.
fn build(setup: &Setup, entrant: &Entrant, plan: &Plan) -> Outcome<Box<dyn Peer>> {
    let beads = setup.beads.as_ref().filter(|_| !entrant.soft);
    let threads = if entrant.threaded { plan.threads } else { 1 };
    (entrant.build)(beads.unwrap_or(&setup.scene), threads)
}

/// Takes `most` steps, and tells what each took, ms; fewer if they take longer than planned in all, but
/// one at least.
fn steps(peer: &mut dyn Peer, most: usize, plan: &Plan) -> Outcome<Vec<f64>> {
    let clock = Clock::for_threads(plan.threads);
    let mut times = Vec::with_capacity(most);
    let mut left = 1e3 * plan.seconds;
    while times.len() < most && (left > 0.0 || times.is_empty()) {
        let (result, time) = clock.time(|| peer.step());
        result?;
        times.push(time);
        left -= time;
    }
    Ok(times)
}

/// The mean over steps of the median over rounds.
fn mean(steps: &[Vec<f64>]) -> f64 {
    steps.iter().map(|rounds| median(rounds)).sum::<f64>() / steps.len() as f64
}

/// The middle value, or the mean of the two in the middle.
fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[middle] } else { 0.5 * (sorted[middle - 1] + sorted[middle]) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(steps: &[&[f64]]) -> Run {
        let steps = steps.iter().map(|rounds| rounds.to_vec()).collect();
        Run { steps, ending: Ending::default(), common: None }
    }

    #[test]
    fn one_slow_round_does_not_count() {
        assert_eq!(run(&[&[2.0, 90.0, 2.0], &[4.0, 4.0, 90.0]]).milliseconds(), 3.0);
        assert_eq!(median(&[1.0, 4.0]), 2.5);
    }

    #[test]
    fn runs_are_compared_over_the_steps_that_both_have() {
        let (long, short) = (run(&[&[1.0], &[1.0], &[70.0]]), run(&[&[3.0], &[5.0]]));
        assert_eq!(short.relative_to(&long), 4.0);
        assert_eq!(long.relative_to(&short), 0.25);
    }
}
