//! The same level on other backends at the same time, to be drawn over the one in front.
//!
//! What the user does is done to all: drags, drops, sub-steps, going back in time. Each twin starts as a copy
//! of the front world as it is and goes its own way from there. Bodies are found by their
//! ids, because worlds that tear differently number theirs differently.

use super::Session;
use crate::error::Result;
use crate::math::Vec2;
use crate::scene::{BodyDef, JointDef, Scene};
use crate::settings::{Effort, Overrides, Settings, SolverKind};
use crate::sim::Sim;
use crate::solver::Drag;
use crate::world::Body;

/// The level on another backend than the one in front.
pub(crate) struct Twin {
    pub(crate) sim: Sim,
    /// Why it cannot go on, if it cannot.
    pub(crate) fault: Option<String>,
}

impl Twin {
    fn new(sim: Sim) -> Self {
        Self { sim, fault: None }
    }

    /// Does something that may fail, unless something has failed before.
    pub(super) fn attempt(&mut self, act: impl FnOnce(&mut Sim) -> Result<()>) {
        if self.fault.is_none() {
            self.fault = act(&mut self.sim).err().map(|error| error.to_string());
        }
    }
}

impl Session {
    /// The other backends on which the level runs.
    pub(crate) fn twins(&self) -> &[Twin] {
        &self.twins
    }

    /// All simulations: the one in front, then its twins, each with why it cannot go on.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Sim, Option<&str>)> + Clone {
        let twins = self.twins.iter().map(|twin| (&twin.sim, twin.fault.as_deref()));
        std::iter::once((&self.sim, self.fault.as_deref())).chain(twins)
    }

    /// Runs the level on these backends too, beside the one in front. Those that run already go on;
    /// the others start from what is in front now.
    ///
    /// # Errors
    /// For a backend from outside the crate.
    pub(crate) fn overlay(&mut self, kinds: &[SolverKind]) -> Result<()> {
        let mut twins: Vec<Twin> = Vec::new();
        for &kind in kinds {
            let shown = |other: SolverKind| other == kind;
            if shown(self.sim.solver_kind()) || twins.iter().any(|t| shown(t.sim.solver_kind())) {
                continue;
            }
            let running = self.twins.iter().position(|twin| shown(twin.sim.solver_kind()));
            let mut twin = match running {
                Some(index) => self.twins.swap_remove(index),
                None => Twin::new(self.sim.twin(kind)?),
            };
            twin.sim.set_settings(self.settings_of(kind));
            twins.push(twin);
        }
        self.twins = twins;
        Ok(())
    }

    /// One more backend over the one in front; after the last, none. Returns what is shown then.
    ///
    /// # Errors
    /// None with the backends of the crate.
    pub(crate) fn cycle_overlay(&mut self) -> Result<Vec<SolverKind>> {
        let all = SolverKind::ALL;
        let front = self.sim.solver_kind();
        let place = all.iter().position(|&kind| kind == front).unwrap_or(0);
        let count = (self.twins.len() + 1) % all.len();
        let next: Vec<_> = (1..=count).map(|k| all[(place + k) % all.len()]).collect();
        self.overlay(&next)?;
        Ok(self.all().map(|(sim, _)| sim.solver_kind()).collect())
    }

    /// Puts the next of the backends that are shown in front, the others behind it in turn. Nothing
    /// that runs changes.
    pub(super) fn turn_twins(&mut self) -> SolverKind {
        if !self.twins.is_empty() {
            let mut next = self.twins.remove(0);
            std::mem::swap(&mut self.sim, &mut next.sim);
            std::mem::swap(&mut self.fault, &mut next.fault);
            self.twins.push(next);
        }
        let front = self.sim.solver_kind();
        self.overrides.solver = Some(front);
        front
    }

    /// Copies the front world to all twins anew, as after it started over.
    ///
    /// # Errors
    /// None with the backends of the crate.
    pub(super) fn renew_twins(&mut self) -> Result<()> {
        let kinds: Vec<_> = self.twins.drain(..).map(|twin| twin.sim.solver_kind()).collect();
        self.overlay(&kinds)
    }

    /// Goes back to the start with all twins.
    pub(super) fn reset_twins(&mut self) {
        for twin in &mut self.twins {
            twin.sim.reset();
            twin.fault = None;
        }
    }

    /// Simulates the twins for `elapsed` seconds of the time that the user sees.
    pub(super) fn advance_twins(&mut self, elapsed: f64) {
        self.share_inputs();
        for twin in &mut self.twins {
            twin.attempt(|sim| sim.advance(elapsed).map(|_| ()));
        }
    }

    /// Lets act on the twins what acts on the front world. Drags have each world's own anchors.
    fn share_inputs(&mut self) {
        for twin in &mut self.twins {
            let mut inputs = self.sim.inputs().clone();
            let own = twin.sim.inputs_mut();
            std::mem::swap(&mut inputs.drags, &mut own.drags);
            *own = inputs;
        }
    }

    /// Takes a single step with all twins.
    pub(super) fn step_twins(&mut self) {
        self.share_inputs();
        for twin in &mut self.twins {
            twin.attempt(|sim| sim.step().map(|_| ()));
        }
    }

    /// Puts what was dropped into the front world into the worlds of the twins.
    pub(super) fn drop_into_twins(&mut self, bodies: &[BodyDef], joints: &[JointDef]) {
        for twin in &mut self.twins {
            twin.attempt(|sim| drop_into(sim, bodies, joints));
        }
    }

    /// The settings that a backend runs under here: the level's, the user's, and what sliders and
    /// keys have set for it.
    fn settings_of(&self, kind: SolverKind) -> Settings {
        let overrides = Overrides { solver: Some(kind), ..self.overrides };
        let settings = overrides.apply(self.level.scene.settings);
        match self.efforts.get(&kind) {
            Some(effort) => Settings {
                substeps: Some(effort.substeps),
                iterations: Some(effort.iterations),
                ..settings
            },
            None => settings,
        }
    }

    /// Changes for the twins, too, what changes for the front from one effort to another.
    pub(super) fn set_efforts_of_twins(&mut self, from: Effort, to: Effort) {
        for k in 0..self.twins.len() {
            let kind = self.twins[k].sim.solver_kind();
            let mut effort = self.settings_of(kind).effort(kind);
            if to.substeps != from.substeps {
                effort.substeps = to.substeps;
            }
            if to.iterations != from.iterations {
                effort.iterations = to.iterations;
            }
            self.efforts.insert(kind, effort);
            let settings = self.settings_of(kind);
            self.twins[k].sim.set_settings(settings);
        }
    }

    /// Takes hold of what is held in front in the worlds of the twins: of the same place on the same
    /// body, wherever that is.
    pub(super) fn grab_in_twins(&mut self) {
        let world = self.sim.world();
        let Some(drag) = self.sim.inputs().drags.first() else { return };
        let Some((body, anchor)) = drag.hold.find(&world.model) else { return };
        let Body { id, .. } = &world.model.bodies[body];
        let Ok(pose) = world.pose(drag.hold.body()) else { return };
        let place = pose.unapply(anchor.sample(&world.state.position));
        for twin in &mut self.twins {
            twin.sim.inputs_mut().drags =
                hold(&twin.sim, id, place, drag.target).into_iter().collect();
        }
    }

    /// Does something to what is held in the worlds of the twins.
    pub(super) fn drag_in_twins(&mut self, act: impl Fn(&mut Vec<Drag>)) {
        for twin in &mut self.twins {
            act(&mut twin.sim.inputs_mut().drags);
        }
    }

    /// The worlds of the twins when the scene in front is replaced: each keeps the motion of what
    /// stays the same.
    pub(super) fn carry_twins_over(&mut self, old: &Scene, new: &Scene, fresh: &Sim) -> Result<()> {
        let mut twins = Vec::with_capacity(self.twins.len());
        for twin in &self.twins {
            let world = crate::reload::carry_over(old, new, twin.sim.world())?;
            let mut sim = fresh.twin(twin.sim.solver_kind())?;
            sim.go_on_with(world);
            twins.push(Twin::new(sim));
        }
        self.twins = twins;
        Ok(())
    }

    /// Renews the settings of all twins.
    pub(super) fn apply_settings_to_twins(&mut self) {
        for k in 0..self.twins.len() {
            let settings = self.settings_of(self.twins[k].sim.solver_kind());
            self.twins[k].sim.set_settings(settings);
        }
    }
}

/// Adds bodies and joints to a running world.
///
/// # Errors
/// If one of them cannot be built.
pub(super) fn drop_into(sim: &mut Sim, bodies: &[BodyDef], joints: &[JointDef]) -> Result<()> {
    sim.edit(|world| {
        for body in bodies {
            world.add_body(body)?;
        }
        for joint in joints {
            world.add_joint(joint)?;
        }
        Ok(())
    })
}

/// A drag that holds a body at a place of its own frame, if there is such a body.
fn hold(sim: &Sim, id: &str, place: Vec2, target: Vec2) -> Option<Drag> {
    let world = sim.world();
    let body = world.body(id)?;
    let at = world.pose(body).ok()?.apply(place);
    Some(Drag::new(world.hold(body, at).ok()?, target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::Request;
    use crate::view::spawn::Toy;

    fn session(overlay: Vec<SolverKind>) -> Session {
        Session::open(&Request { overlay, ..Request::default() }).unwrap()
    }

    fn kinds(session: &Session) -> Vec<SolverKind> {
        session.all().map(|(sim, _)| sim.solver_kind()).collect()
    }

    #[test]
    fn the_overlay_goes_round_and_names_each_backend_once() {
        let [verlet, impulse, pbd] = SolverKind::ALL;
        let mut session = session(vec![pbd, verlet, pbd]);
        assert_eq!(kinds(&session), [verlet, pbd]);
        assert_eq!(session.cycle_overlay().unwrap(), [verlet, impulse, pbd]);
        // The next one comes to the front; what runs goes on.
        let time = session.twins[0].sim.world().state.time;
        assert_eq!(session.switch_solver().unwrap(), impulse);
        assert_eq!(kinds(&session), [impulse, pbd, verlet]);
        assert_eq!(session.sim().world().state.time, time);
        assert_eq!(session.cycle_overlay().unwrap(), [impulse]);
        assert_eq!(session.cycle_overlay().unwrap(), [impulse, pbd]);
    }

    #[test]
    fn all_start_alike_and_keep_time() {
        let mut session = session(SolverKind::ALL.to_vec());
        let states = |session: &Session| -> Vec<_> {
            session.all().map(|(sim, _)| sim.world().state.clone()).collect()
        };
        let start = states(&session);
        assert!(start.iter().all(|state| *state == start[0]));
        for k in 0..30 {
            session.advance(0.011 + 0.001 * f64::from(k));
        }
        let now = states(&session);
        assert!(now.iter().all(|state| state.steps == now[0].steps && state.steps > 20));
        assert_ne!(now[0], now[1]);
        session.reset();
        assert_eq!(states(&session), start);
        session.step_once();
        assert!(states(&session).iter().all(|state| state.steps == 1));
    }

    #[test]
    fn drops_drags_and_efforts_act_on_all() {
        let mut session = session(SolverKind::ALL.to_vec());
        let before = session.sim().world().model.bodies.len();
        let at = Vec2::new(500.0, 900.0);
        session.drop_toy(Toy::Crate, at).unwrap();
        assert!(session.grab(at + Vec2::new(0.1, 0.05), 0.01));
        session.drag_to(at + Vec2::X);
        for (sim, _) in session.all() {
            assert_eq!(sim.world().model.bodies.len(), before + 1);
            assert_eq!(sim.inputs().drags[0].target, at + Vec2::X, "{}", sim.solver_kind());
        }
        session.advance(0.05);
        session.release();
        assert!(session.all().all(|(sim, _)| sim.inputs().drags.is_empty()));

        // Sub-steps change for all, iterations stay those of each.
        let effort = Effort { substeps: 21, ..session.effort() };
        session.set_effort(effort);
        for (sim, _) in session.all() {
            let kind = sim.solver_kind();
            let expected = Effort { substeps: 21, ..kind.default_effort() };
            assert_eq!(sim.settings().effort(kind), expected, "{kind}");
        }
    }

    #[test]
    fn other_levels_run_on_all_as_well() {
        let mut session = session(SolverKind::ALL.to_vec());
        session.travel(1).unwrap();
        let front = session.sim().world().state.clone();
        assert!(session.all().all(|(sim, _)| sim.world().state == front));
        assert_eq!(kinds(&session), SolverKind::ALL);
    }
}
