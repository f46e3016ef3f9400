//! Going back in time: the moments of the last while, kept as snapshots of every world that runs.

use std::collections::VecDeque;

use super::Session;
use crate::settings::SolverKind;
use crate::sim::{Sim, Snapshot};

/// The moments to go back to, from the oldest to the present one.
#[derive(Default)]
pub(super) struct History {
    moments: VecDeque<Moment>,
    /// Memory they take, bytes.
    size: usize,
}

/// All worlds after one frame.
struct Moment {
    /// Steps that the front world had taken.
    steps: u64,
    /// How many bodies and joints the scene had, with what was dropped until then.
    dropped: [usize; 2],
    /// The front world first.
    worlds: Vec<(SolverKind, Snapshot)>,
}

impl Moment {
    fn size(&self) -> usize {
        self.worlds.iter().map(|(_, snapshot)| snapshot.size()).sum()
    }

    /// The world on a backend; the front one for a backend that did not run then.
    fn world(&self, kind: SolverKind) -> Option<&Snapshot> {
        let own = self.worlds.iter().find(|(of, _)| *of == kind);
        own.or(self.worlds.first()).map(|(_, snapshot)| snapshot)
    }
}

impl History {
    /// Memory beyond which the oldest moments are forgotten, bytes.
    const MOST: usize = 128 << 20;
    /// Moments beyond which the oldest are forgotten: half a minute at 60 frames a second.
    const LONGEST: usize = 1800;

    fn push(&mut self, moment: Moment) {
        self.size += moment.size();
        self.moments.push_back(moment);
        while self.moments.len() > 1
            && (self.size > Self::MOST || self.moments.len() > Self::LONGEST)
        {
            self.size -= self.moments.pop_front().map_or(0, |moment| moment.size());
        }
    }

    /// Forgets the moments at and after a step; the last one before it becomes the last.
    fn drop_from(&mut self, steps: u64) -> Option<&Moment> {
        while self.moments.back().is_some_and(|moment| moment.steps >= steps) {
            self.size -= self.moments.pop_back().map_or(0, |moment| moment.size());
        }
        self.moments.back()
    }
}

impl Session {
    /// Notes the present moment, if time has gone on since the last one.
    pub(super) fn remember(&mut self) {
        let steps = self.sim.world().state.steps;
        if self.history.moments.back().is_none_or(|last| last.steps < steps) {
            let note = |sim: &Sim| (sim.solver_kind(), sim.snapshot());
            let worlds = self.all().map(|(sim, _)| note(sim)).collect();
            let dropped = [self.scene.bodies.len(), self.scene.joints.len()];
            self.history.push(Moment { steps, dropped, worlds });
        }
    }

    /// Forgets the past: another level, or another version of it, has another.
    pub(super) fn forget(&mut self) {
        self.history = History::default();
    }

    /// Goes back by one frame, with all that was dropped, torn or broken since, and stays paused.
    /// Returns whether there was any past left.
    pub(crate) fn rewind(&mut self) -> bool {
        self.paused = true;
        self.release();
        let now = self.sim.world().state.steps;
        let Some(moment) = self.history.drop_from(now) else { return false };
        if let Some(snapshot) = moment.world(self.sim.solver_kind()) {
            self.sim.rewind(snapshot);
            self.fault = None;
        }
        for twin in &mut self.twins {
            if let Some(snapshot) = moment.world(twin.sim.solver_kind()) {
                twin.sim.rewind(snapshot);
                twin.fault = None;
            }
        }
        let [bodies, joints] = moment.dropped;
        self.scene.bodies.truncate(bodies);
        self.scene.joints.truncate(joints);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::view::Request;
    use crate::view::spawn::Toy;

    #[test]
    fn goes_back_over_drops_and_switches_and_on_again_as_before() {
        let mut session = Session::open(&Request::default()).unwrap();
        let frame = 1.0 / 60.0 + 1e-6;
        let bodies = |session: &Session| session.sim().world().model.bodies.len();
        let (at_start, steps) = (bodies(&session), |s: &Session| s.sim().world().state.steps);
        let mut hashes = Vec::new();
        for k in 0..40 {
            hashes.push(session.sim().world().state.hash());
            if k == 20 {
                session.drop_toy(Toy::Ragdoll, Vec2::new(0.0, 30.0)).unwrap();
                session.switch_solver().unwrap();
            }
            session.advance(frame);
        }
        assert!(bodies(&session) > at_start);
        for k in (0..40).rev() {
            assert!(session.rewind(), "no past left at frame {k}");
            assert_eq!(steps(&session), k as u64);
            assert_eq!(session.sim().world().state.hash(), hashes[k], "frame {k}");
        }
        assert!(session.paused && !session.rewind());
        assert_eq!(bodies(&session), at_start);
        assert_eq!(session.scene.bodies.len(), session.level.scene.bodies.len());
        session.paused = false;
        session.advance(frame);
        assert_eq!(steps(&session), 1);
    }

    #[test]
    fn the_oldest_moments_are_forgotten_first() {
        let mut session = Session::open(&Request::default()).unwrap();
        for _ in 0..History::LONGEST + 50 {
            session.history.push(Moment { steps: 0, dropped: [0; 2], worlds: Vec::new() });
        }
        assert_eq!(session.history.moments.len(), History::LONGEST);
        session.forget();
        session.advance(0.1);
        let least = session.history.moments.len();
        session.history.size = History::MOST;
        session.advance(0.1);
        assert!(session.history.moments.len() <= least, "memory is bounded");
    }
}
