//! A running simulation: a world, a backend, the clock between them and the outside.

mod snapshot;

pub use snapshot::Snapshot;

use std::cell::OnceCell;
use std::sync::Arc;

use crate::collision::{Collision, Contact};
use crate::error::{Error, Result};
use crate::math::Vec2;
use crate::scene::{Key, Scene};
use crate::settings::{Settings, SolverKind};
use crate::solver::{Drag, Inputs, Limitation, Reaction, Solver, StepCx, StepOutput, StepReport};
use crate::world::{Event, Model, State, World};

/// A running simulation.
///
/// ```
/// use sinew::{BodyDef, Scene, Shape, Sim, Vec2};
/// let mut scene = Scene::default();
/// scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(0.0, 10.0)));
/// let mut sim = Sim::new(&scene)?;
/// for _ in 0..60 {
///     sim.step()?;
/// }
/// let ball = sim.world().body("ball").unwrap();
/// assert!((sim.world().pose(ball)?.center.y - (10.0 - 0.5 * 9.81)).abs() < 0.1);
/// # Ok::<(), sinew::Error>(())
/// ```
pub struct Sim {
    world: World,
    /// The model as it is now, for snapshots to share; made when the first of them wants it.
    shared: OnceCell<Arc<Model>>,
    start: World,
    settings: Settings,
    solver: Box<dyn Solver>,
    collision: Collision,
    inputs: Inputs,
    /// The keys that are held in a step, those of the script among them.
    held: Vec<Key>,
    output: StepOutput,
    report: StepReport,
    /// What gave way in the last step.
    events: Vec<Event>,
    /// Positions one step ago, for interpolated drawing.
    previous: Vec<Vec2>,
    /// When the backend took over a world that ran already, simulated seconds.
    taken_over: f64,
    /// Time asked for by [`Sim::advance`] and not yet simulated, s.
    owed: f64,
}

impl Sim {
    /// The most steps one call of [`Sim::advance`] takes: a machine too slow for the level shows
    /// it in slow motion rather than falling further and further behind.
    pub const MOST_CATCH_UP_STEPS: u32 = 4;

    /// A simulation of a scene on the backend that its settings name.
    ///
    /// # Errors
    /// If the scene cannot be built ([`World::build`]), or names a backend from outside the crate.
    pub fn new(scene: &Scene) -> Result<Self> {
        let solver = builtin(scene.settings.solver)?;
        Ok(Self::with_solver(World::build(scene)?, scene.settings, solver))
    }

    /// A simulation of a world on a given backend.
    #[must_use]
    pub fn with_solver(world: World, settings: Settings, solver: Box<dyn Solver>) -> Self {
        let mut sim = Self {
            start: world.clone(),
            previous: world.state.position.clone(),
            shared: OnceCell::new(),
            world,
            settings,
            solver,
            collision: Collision::default(),
            inputs: Inputs::default(),
            held: Vec::new(),
            output: StepOutput::default(),
            report: StepReport::default(),
            events: Vec::new(),
            taken_over: f64::NEG_INFINITY,
            owed: 0.0,
        };
        sim.attach();
        sim
    }

    fn attach(&mut self) {
        self.settings.solver = self.solver.kind();
        self.solver.attach(&self.world.model, &self.world.state);
        self.output = StepOutput::default();
        self.report = StepReport::default();
        self.previous.clone_from(&self.world.state.position);
    }

    /// Takes one fixed step of `1 / hz` seconds.
    ///
    /// # Errors
    /// If a position or velocity is no longer finite ([`Error::is_diverged`]), naming the first
    /// body at fault. The state is then the last sound one.
    pub fn step(&mut self) -> Result<&StepReport> {
        let before = self.world.state.clone();
        let after = before.time + 1.0 / f64::from(self.settings.hz);
        self.tell_motors(before.time, after);
        self.report = self.solver.step(StepCx {
            model: &self.world.model,
            state: &mut self.world.state,
            collision: &mut self.collision,
            inputs: &self.inputs,
            settings: &self.settings,
            output: &mut self.output,
            dt: self.settings.dt(),
            recovery: recovery(before.time - self.taken_over),
        });
        if let Some(point) = self.world.state.first_bad_point() {
            let body = self.world.model.body_of[point] as usize;
            let id = self.world.model.bodies[body].id.clone();
            let time = before.time;
            self.world.state = before;
            return Err(Error::diverged(id, self.solver.kind().name(), time));
        }
        self.world.note_angles();
        self.world.state.time = after;
        self.world.state.steps = before.steps + 1;
        self.previous = before.position;
        self.give_way();
        Ok(&self.report)
    }

    /// Tells motors what the keys that are held, by the user or by the script, and tracks have for
    /// them in a step between two times, s.
    fn tell_motors(&mut self, from: f64, to: f64) {
        // In the middle of the step, so that the rounding of the clock makes no difference.
        self.held.clear();
        self.held.extend(self.world.model.script.held(0.5 * (from + to)));
        self.held.extend_from_slice(&self.inputs.held);
        self.world.tell_motors(&self.held, to);
    }

    /// Lets joints and edges break and bend; the backend takes note if any did.
    fn give_way(&mut self) {
        self.events.clear();
        let reactions = &self.output.reactions;
        let load = |joint: usize| {
            let carried = reactions.get(joint).copied().unwrap_or_default();
            (carried.force.length(), carried.torque.abs())
        };
        let held = self.held_places();
        if self.world.give_way(load, self.settings.dt(), &mut self.events) {
            self.shared.take();
            self.take_hold_again(&held);
            let report = self.report;
            self.attach();
            self.report = report;
        }
    }

    /// Simulates `elapsed` seconds of real time in fixed steps, keeping what does not fill a step
    /// for the next call. Returns the number of steps taken, at most
    /// [`Sim::MOST_CATCH_UP_STEPS`].
    ///
    /// # Errors
    /// As [`Sim::step`].
    pub fn advance(&mut self, elapsed: f64) -> Result<u32> {
        let dt = 1.0 / f64::from(self.settings.hz);
        self.owed = (self.owed + elapsed.max(0.0)).min(dt * f64::from(Self::MOST_CATCH_UP_STEPS));
        let mut steps = 0;
        while self.owed >= dt && steps < Self::MOST_CATCH_UP_STEPS {
            self.owed -= dt;
            self.step()?;
            steps += 1;
        }
        Ok(steps)
    }

    /// Positions between the last two steps, as far along as the time [`Sim::advance`] still owes:
    /// what to draw so that motion is smooth at any frame rate.
    pub fn interpolated(&self, positions: &mut Vec<Vec2>) {
        let part = (self.owed * f64::from(self.settings.hz)).clamp(0.0, 1.0) as f32;
        positions.clear();
        let now = &self.world.state.position;
        positions.extend(self.previous.iter().zip(now).map(|(&from, &to)| from.lerp(to, part)));
    }

    /// Puts everything back to the start, keeping backend and settings.
    pub fn reset(&mut self) {
        self.world = self.start.clone();
        self.shared.take();
        self.inputs = Inputs::default();
        self.owed = 0.0;
        self.taken_over = f64::NEG_INFINITY;
        self.attach();
    }

    /// Replaces positions, velocities and clock, as to load a saved state. To go back in time across
    /// edits and tears use [`Sim::snapshot`] and [`Sim::rewind`].
    ///
    /// # Errors
    /// If the state is of another world (another number of points, edges or joints), or has numbers
    /// that are not finite.
    pub fn restore(&mut self, state: State) -> Result<()> {
        let count = self.world.model.point_count();
        let same = state.position.len() == count
            && state.velocity.len() == count
            && state.rest.len() == self.world.model.edges.len()
            && state.joints.len() == self.world.model.joints.len();
        if !same {
            return Err(Error::stale("state"));
        }
        if state.first_bad_point().is_some() {
            return Err(Error::scene("state", "positions and velocities must be finite"));
        }
        self.world.state = state;
        self.attach();
        Ok(())
    }

    /// Changes the backend in mid-run. Positions, velocities and so momentum are kept.
    ///
    /// # Errors
    /// For [`SolverKind::Custom`]; use [`Sim::set_solver`].
    pub fn switch_solver(&mut self, kind: SolverKind) -> Result<()> {
        self.set_solver(builtin(kind)?);
        Ok(())
    }

    /// Changes the backend in mid-run to one from outside the crate.
    pub fn set_solver(&mut self, solver: Box<dyn Solver>) {
        self.solver = solver;
        self.take_over();
    }

    /// Goes on with another world, such as [`carry_over`](crate::carry_over) makes of a level that was
    /// changed while it ran. [`Sim::reset`] still goes back to the start of this simulation.
    pub fn go_on_with(&mut self, world: World) {
        self.world = world;
        self.shared.take();
        self.inputs.drags.clear();
        self.events.clear();
        self.attach();
    }

    /// Attaches the backend to a world that another one has moved so far.
    fn take_over(&mut self) {
        let State { time, steps, .. } = self.world.state;
        // What a level starts with is its own affair.
        self.taken_over = if steps > 0 { time } else { f64::NEG_INFINITY };
        self.attach();
    }

    /// Changes the world by hand (spawn, move, push) and attaches the backend anew.
    ///
    /// # Errors
    /// What `change` returns.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut World) -> Result<T>) -> Result<T> {
        let held = self.held_places();
        let result = change(&mut self.world);
        self.shared.take();
        self.take_hold_again(&held);
        self.attach();
        result
    }

    /// Where drags hold their bodies.
    fn held_places(&self) -> Vec<Vec2> {
        let positions = &self.world.state.position;
        self.inputs.drags.iter().map(|drag| drag.anchor.sample(positions)).collect()
    }

    /// Anchors drags anew at the places where they held their bodies; drops those whose body is
    /// gone.
    fn take_hold_again(&mut self, places: &[Vec2]) {
        let drags = std::mem::take(&mut self.inputs.drags);
        self.inputs.drags = drags
            .into_iter()
            .zip(places)
            .filter_map(|(drag, &at)| {
                let anchor = self.world.anchor(drag.body, at).ok()?;
                Some(Drag { anchor, ..drag })
            })
            .collect();
    }

    /// The world.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The settings in force.
    #[must_use]
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Changes the settings. The backend stays what it is: see [`Sim::switch_solver`].
    pub fn set_settings(&mut self, settings: Settings) {
        self.settings = Settings { solver: self.solver.kind(), ..settings };
    }

    /// Holds a key down from the next step on, until it is [released](Self::release): whatever joints
    /// it drives do what it says. The last of several that are held counts.
    ///
    /// ```
    /// use sinew::{Key, Level, Sim};
    /// let text = r#"{ "format": 1, "items": [
    ///     { "type": "box", "id": "arm", "size": [2, 0.1], "at": [0, 0] },
    ///     { "type": "static", "id": "post", "box": [0.1, 0.1], "at": [0, 0] },
    ///     { "type": "pin", "a": "post", "b": "arm", "at": [0, 0],
    ///       "motor": { "speed": 0, "max_torque": 1e5, "keys": { "up": 90 } } } ] }"#;
    /// let mut sim = Sim::new(&Level::parse(text, "arm.json")?.scene)?;
    /// sim.press(Key::UP);
    /// for _ in 0..60 {
    ///     sim.step()?;
    /// }
    /// let arm = sim.world().pose(sim.world().body("arm").unwrap())?;
    /// assert!((arm.rot.radians().to_degrees() - 90.0).abs() < 5.0);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    pub fn press(&mut self, key: Key) {
        self.release(key);
        self.inputs.held.push(key);
    }

    /// Lets a key go up again.
    pub fn release(&mut self, key: Key) {
        self.inputs.held.retain(|&held| held != key);
    }

    /// What acts from outside: set drags and held keys here before a step.
    pub fn inputs_mut(&mut self) -> &mut Inputs {
        &mut self.inputs
    }

    /// What acts from outside.
    #[must_use]
    pub fn inputs(&self) -> &Inputs {
        &self.inputs
    }

    /// The backend in use.
    #[must_use]
    pub fn solver_kind(&self) -> SolverKind {
        self.solver.kind()
    }

    /// What the backend ignores or approximates in this world.
    #[must_use]
    pub fn limitations(&self) -> Vec<Limitation> {
        self.solver.limitations(&self.world.model, &self.world.state)
    }

    /// What the last step did.
    #[must_use]
    pub fn report(&self) -> &StepReport {
        &self.report
    }

    /// What gave way in the last step: joints and edges that broke, bodies that came off others,
    /// material that bent for good.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The contacts at the end of the last step.
    #[must_use]
    pub fn contacts(&self) -> &[Contact] {
        &self.output.contacts
    }

    /// What each joint carried in the last step, in the order of the model's joints.
    #[must_use]
    pub fn reactions(&self) -> &[Reaction] {
        &self.output.reactions
    }
}

/// The most speed at which a backend undoes error, `since` seconds after it took over, m/s: at first
/// so little that nobody sees it, then more and more, in the end as much as it wants.
fn recovery(since: f64) -> f32 {
    /// m/s: half a centimetre in a step of 1/60 s.
    const FIRST: f64 = 0.3;
    /// m/s².
    const MORE: f64 = 6.0;
    /// s.
    const WHILE: f64 = 0.5;
    if (0.0..WHILE).contains(&since) { (FIRST + MORE * since) as f32 } else { f32::INFINITY }
}

fn builtin(kind: SolverKind) -> Result<Box<dyn Solver>> {
    kind.build().ok_or_else(|| {
        let remedy = "a backend from outside the crate is passed to Sim::with_solver".to_owned();
        Error::unknown("solver", kind.name(), remedy)
    })
}
