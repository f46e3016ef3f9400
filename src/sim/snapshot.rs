//! Going back in time, and the same moment on two backends.
//!
//! A step changes the state only, so the moments of a run share one model and cost what their states
//! do. Tears, cuts and other edits change the model too; a snapshot holds on to the one that it was
//! taken of, and with it a run goes back across them.

use std::sync::Arc;

use super::{Sim, builtin};
use crate::error::Result;
use crate::math::Vec2;
use crate::settings::{Settings, SolverKind};
use crate::sleep::Islands;
use crate::world::{JointState, Model, State};

/// A moment of a simulation, to come back to: see [`Sim::snapshot`].
#[derive(Clone, Debug)]
pub struct Snapshot {
    model: Arc<Model>,
    state: State,
    /// The backend that had moved it so far.
    solver: SolverKind,
    /// What slept.
    asleep: Islands,
}

impl Snapshot {
    /// Positions, velocities and clock of the moment.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// What there was. Snapshots between which nothing was edited or torn share it.
    #[must_use]
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Memory that the snapshot takes beside its model, bytes.
    #[must_use]
    pub fn size(&self) -> usize {
        let State { position, velocity, rest, joints, .. } = &self.state;
        size_of::<Self>()
            + (position.len() + velocity.len()) * size_of::<Vec2>()
            + rest.len() * size_of::<f32>()
            + joints.len() * size_of::<JointState>()
    }
}

impl Sim {
    /// The present moment, to come back to with [`Sim::rewind`].
    ///
    /// ```
    /// use sinew::{BodyDef, Scene, Shape, Sim, Vec2};
    /// let mut scene = Scene::default();
    /// scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(0.0, 10.0)));
    /// let mut sim = Sim::new(&scene)?;
    /// let start = sim.snapshot();
    /// sim.step()?;
    /// let ball = sim.world().body("ball").unwrap();
    /// sim.edit(|world| world.remove(ball))?;
    /// sim.rewind(&start);
    /// assert_eq!(sim.world().state.time, 0.0);
    /// assert!(sim.world().body("ball").is_some());
    /// # Ok::<(), sinew::Error>(())
    /// ```
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            model: Arc::clone(&self.world.model),
            state: self.world.state.clone(),
            solver: self.solver.kind(),
            asleep: Arc::clone(self.sleep.islands()),
        }
    }

    /// Goes back to a moment, or forth, on the present backend and under the present settings. What
    /// was edited, torn or broken in between is as it was then; if anything was, drags are let go.
    ///
    /// Run from the same snapshot again, a simulation does the same to the last bit. The run that the snapshot was taken
    /// from need not: what a backend remembers of contacts and joints beside the state, and who is about to fall asleep, begins
    /// anew here. Where two runs are to be compared bit by bit, as in a game over a network, let both go back to each snapshot once
    /// it is taken.
    pub fn rewind(&mut self, to: &Snapshot) {
        if !Arc::ptr_eq(&self.world.model, &to.model) {
            self.serials = self.serials.max(self.world.model.next_serial);
            self.world.model = Arc::clone(&to.model);
            self.inputs.drags.clear();
        }
        self.world.state.clone_from(&to.state);
        self.events.clear();
        self.touching.forget();
        self.sleep.put_to_bed(&self.world, Arc::clone(&to.asleep));
        if to.solver == self.solver.kind() {
            self.attach();
        } else {
            self.take_over();
        }
    }

    /// Sees to it that what is made next does not answer to a handle on what was made, and undone by
    /// [`Sim::rewind`].
    pub(super) fn count_on(&mut self) {
        if self.world.model.next_serial < self.serials {
            Arc::make_mut(&mut self.world.model).next_serial = self.serials;
        }
    }

    /// The same moment of the same world on another backend: with the same start to go back to, the
    /// same settings and the same drags.
    ///
    /// # Errors
    /// For [`SolverKind::Custom`].
    pub fn twin(&self, kind: SolverKind) -> Result<Self> {
        let settings = Settings { solver: kind, ..self.settings };
        let mut twin = Self::with_solver(self.world.clone(), settings, builtin(kind)?);
        twin.start.clone_from(&self.start);
        twin.inputs.clone_from(&self.inputs);
        twin.owed = self.owed;
        twin.sleep.put_to_bed(&twin.world, Arc::clone(self.sleep.islands()));
        if kind == self.solver.kind() {
            twin.taken_over = self.taken_over;
            twin.attach();
        } else {
            twin.take_over();
        }
        twin.previous.clone_from(&self.previous);
        Ok(twin)
    }
}
