//! One step: motors are told, what is disturbed wakes, the backend moves what is awake, what carried too
//! much gives way, and what has come to rest falls asleep.

use super::Sim;
use crate::error::{Error, Result};
use crate::solver::{Reaction, StepCx, StepReport};
use crate::world::World;

impl Sim {
    /// Takes one fixed step of `1 / hz` seconds.
    ///
    /// # Errors
    /// If a position or velocity is no longer finite ([`Error::is_diverged`]), naming the first
    /// body at fault; or if the settings cannot be used ([`Settings::check`](crate::Settings::check)). The state is then the
    /// last sound one.
    pub fn step(&mut self) -> Result<&StepReport> {
        self.go()?;
        self.forget_events();
        self.conclude();
        Ok(&self.report)
    }

    /// Moves what is awake.
    pub(super) fn go(&mut self) -> Result<()> {
        self.settings.check()?;
        self.sorted.take();
        self.touching.begin_step();
        let from = self.world.state.time;
        self.tell_motors(from, self.next_time());
        self.wake_disturbed();
        if !self.sleep.anything_moves() {
            self.report = StepReport::default();
            return Ok(());
        }
        let threads = self.threads.clone();
        threads.engage(|| match self.sleep.excerpt() {
            None => self.step_all(),
            Some(_) => self.step_awake(),
        })
    }

    /// Does what comes after all has moved; what there is to tell of it is added to the events.
    pub(super) fn conclude(&mut self) {
        self.note_touching();
        self.world.state.time = self.next_time();
        self.world.state.steps += 1;
        self.give_way();
        self.fall_asleep();
    }

    /// There is nothing to tell any more.
    pub(super) fn forget_events(&mut self) {
        self.events.clear();
        self.touching.forget_events();
    }

    /// What the clock says after a step, s.
    fn next_time(&self) -> f64 {
        self.world.state.time + 1.0 / f64::from(self.settings.hz)
    }

    /// Moves the whole world.
    fn step_all(&mut self) -> Result<()> {
        let time = self.world.state.time;
        self.before.copy(&self.world.state, &self.threads);
        self.world.damp(0.5 * self.settings.dt());
        self.contacts.clear();
        self.report = self.solver.step(StepCx {
            model: &self.world.model,
            state: &mut self.world.state,
            collision: &mut self.collision,
            inputs: &self.inputs,
            settings: &self.settings,
            threads: &self.threads,
            reactions: &mut self.reactions,
            impulses: self.touching.impulses(),
            dt: self.settings.dt(),
            recovery: recovery(time - self.taken_over),
        });
        if let Some(point) = self.world.state.first_bad_point_on(&self.threads) {
            let error = self.diverged(&self.world, point, time);
            std::mem::swap(&mut self.world.state, &mut self.before);
            return Err(error);
        }
        self.world.damp(0.5 * self.settings.dt());
        self.contacts.outdate();
        self.world.note_angles(&mut self.angles, &self.threads);
        std::mem::swap(&mut self.previous, &mut self.before.position);
        Ok(())
    }

    /// Moves what is awake.
    fn step_awake(&mut self) -> Result<()> {
        let Some(excerpt) = self.sleep.excerpt_mut() else { return Ok(()) };
        let (whole, time) = (&self.world, self.world.state.time);
        excerpt.gather(whole);
        excerpt.world.damp(0.5 * self.settings.dt());
        self.contacts.clear();
        // Those on what is not there do nothing.
        self.awake_inputs.drags.clone_from(&self.inputs.drags);
        self.report = self.solver.step(StepCx {
            model: &excerpt.world.model,
            state: &mut excerpt.world.state,
            collision: &mut self.collision,
            inputs: &self.awake_inputs,
            settings: &self.settings,
            threads: &self.threads,
            reactions: &mut self.awake_reactions,
            impulses: self.touching.impulses(),
            dt: self.settings.dt(),
            recovery: recovery(time - self.taken_over),
        });
        if let Some(point) = excerpt.world.state.first_bad_point_on(&self.threads) {
            let error = self.diverged(self.awake(), point, time);
            return Err(error);
        }
        excerpt.world.damp(0.5 * self.settings.dt());
        excerpt.world.note_angles(&mut self.angles, &self.threads);
        self.threads.copy(&self.world.state.position, &mut self.previous);
        excerpt.scatter(&mut self.world);
        self.contacts.outdate();
        self.list_reactions();
        Ok(())
    }

    /// Reactions with the numbers of the whole world: what is between bodies that sleep carries what it did.
    fn list_reactions(&mut self) {
        let Some(excerpt) = self.sleep.excerpt() else { return };
        self.reactions.resize(self.world.model.joints.len(), Reaction::default());
        for (&joint, &reaction) in excerpt.joints().iter().zip(&self.awake_reactions) {
            self.reactions[joint as usize] = reaction;
        }
    }

    /// The error that says which body a point belongs to that is nowhere.
    fn diverged(&self, world: &World, point: usize, time: f64) -> Error {
        let body = &world.model.bodies[world.model.body_of[point] as usize];
        Error::diverged(body.id.clone(), self.solver.kind().name(), time)
    }

    /// Wakes what is pulled, or what something that is awake will touch in this step.
    fn wake_disturbed(&mut self) {
        let Self { world, inputs, told, .. } = self;
        if self.sleep.wake_disturbed(world, inputs, told, self.settings.dt()) {
            self.renumber(false);
        }
    }

    /// Lets sleep what has come to rest.
    fn fall_asleep(&mut self) {
        if !self.settings.sleep || !self.sleep.may_fall_asleep(&self.world, self.settings.dt()) {
            return;
        }
        self.list_contacts();
        if self.sleep.fall_asleep(&mut self.world, self.contacts.list()) {
            self.previous.clone_from(&self.world.state.position);
            self.renumber(false);
        }
    }

    /// Tells motors what the keys that are held, by the user or by the script, and tracks have for
    /// them in a step between two times, s.
    fn tell_motors(&mut self, from: f64, to: f64) {
        // In the middle of the step, so that the rounding of the clock makes no difference.
        self.held.clear();
        self.held.extend(self.world.model.script.held(0.5 * (from + to)));
        self.held.extend_from_slice(&self.inputs.held);
        self.told.clear();
        self.world.tell_motors(&self.duties, &self.held, to, &mut self.told);
    }

    /// Lets joints and edges break and bend; the backend takes note if any did.
    fn give_way(&mut self) {
        self.count_on();
        self.note_places();
        let reactions = &self.reactions;
        let load = |joint: usize| {
            let carried = reactions.get(joint).copied().unwrap_or_default();
            (carried.force.length(), carried.torque.abs())
        };
        let rests = |body: usize| self.sleep.is_asleep(body);
        let dt = self.settings.dt();
        if self.world.give_way(&self.duties, load, rests, dt, &mut self.events) {
            self.take_note();
        }
    }

    /// Follows an edit or a tear.
    pub(super) fn take_note(&mut self) {
        self.take_hold_again();
        self.sleep.follow(&self.world);
        self.renumber(true);
        self.contacts.clear();
        self.sorted.take();
        self.reactions.clear();
        self.previous.clone_from(&self.world.state.position);
    }
}

/// The most speed at which a backend undoes error, `since` seconds after it took over, m/s: at first
/// so little that nobody sees it, even where the errors of a whole row of bodies add up, then more and
/// more, in the end as much as it wants.
fn recovery(since: f64) -> f32 {
    /// m/s: half a millimetre in a step of 1/60 s.
    const FIRST: f64 = 0.03;
    /// The time in which it grows by a factor of e, s.
    const GROWS: f64 = 0.1;
    /// s.
    const WHILE: f64 = 0.5;
    if (0.0..WHILE).contains(&since) {
        (FIRST * libm::exp(since / GROWS)) as f32
    } else {
        f32::INFINITY
    }
}
