//! A running simulation: a world, a backend, the clock between them and the outside.

mod contacts;
mod snapshot;
mod step;
mod touching;

use std::sync::OnceLock;

use contacts::Contacts;
pub use snapshot::Snapshot;
use touching::Touching;
pub use touching::{ContactEvent, ContactPair};

use crate::collision::Collision;
use crate::error::{Error, Result};
use crate::math::Vec2;
use crate::query::{Queries, Tree};
use crate::scene::{Key, Scene};
use crate::settings::{Settings, SolverKind};
use crate::sleep::Sleep;
use crate::solver::{Drag, Inputs, Limitation, Reaction, Solver, StepReport};
use crate::threads::Threads;
use crate::world::{Angles, BodyId, Duties, Event, Motion, Numbering, State, World};

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
    /// Serial numbers below this one have been given away, if only in what was undone by [`Sim::rewind`].
    serials: u32,
    start: World,
    settings: Settings,
    threads: Threads,
    solver: Box<dyn Solver>,
    collision: Collision,
    sleep: Sleep,
    /// The numbers of what the backend is attached to.
    numbering: Numbering,
    inputs: Inputs,
    /// The keys that are held in a step, those of the script among them.
    held: Vec<Key>,
    /// The joints whose motors are told something new in a step.
    told: Vec<u32>,
    /// What a step has to look at, and the angles of what is awake.
    duties: Duties,
    angles: Angles,
    /// Where drags hold their bodies, in case that these come apart.
    places: Vec<Option<Vec2>>,
    contacts: Contacts,
    /// Who touches whom, if somebody wants to know.
    touching: Touching,
    /// All pieces by where they are, once somebody has asked.
    sorted: OnceLock<Tree>,
    /// What each joint carried in the last step.
    reactions: Vec<Reaction>,
    /// Inputs and reactions of what is awake, with its numbers.
    awake_inputs: Inputs,
    awake_reactions: Vec<Reaction>,
    report: StepReport,
    /// What gave way in the last step.
    events: Vec<Event>,
    /// Positions one step ago, for interpolated drawing.
    previous: Vec<Vec2>,
    /// The state before the step, in case that it fails.
    before: State,
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
    /// If the scene cannot be built ([`World::build`]), names a backend from outside the crate, or has settings that cannot
    /// be used ([`Settings::check`]).
    pub fn new(scene: &Scene) -> Result<Self> {
        scene.settings.check()?;
        let solver = builtin(scene.settings.solver)?;
        Ok(Self::with_solver(World::build(scene)?, scene.settings, solver))
    }

    /// A simulation of a world on a given backend. Steps fail if the settings cannot be used ([`Settings::check`]).
    #[must_use]
    pub fn with_solver(world: World, settings: Settings, solver: Box<dyn Solver>) -> Self {
        let mut sim = Self {
            start: world.clone(),
            previous: world.state.position.clone(),
            before: State::default(),
            serials: 0,
            world,
            settings,
            threads: Threads::default(),
            solver,
            collision: Collision::default(),
            sleep: Sleep::default(),
            numbering: Numbering::default(),
            inputs: Inputs::default(),
            held: Vec::new(),
            told: Vec::new(),
            duties: Duties::default(),
            angles: Angles::default(),
            places: Vec::new(),
            contacts: Contacts::default(),
            touching: Touching::default(),
            sorted: OnceLock::new(),
            reactions: Vec::new(),
            awake_inputs: Inputs::default(),
            awake_reactions: Vec::new(),
            report: StepReport::default(),
            events: Vec::new(),
            taken_over: f64::NEG_INFINITY,
            owed: 0.0,
        };
        sim.attach_awake();
        sim
    }

    /// Attaches the backend to a world all of which is awake.
    fn attach_awake(&mut self) {
        self.sleep.wake_all(&self.world);
        self.touching.forget();
        self.attach();
    }

    /// Attaches the backend to what is awake.
    fn attach(&mut self) {
        self.settings.solver = self.solver.kind();
        self.numbering = Numbering::of(&self.awake().model);
        self.find_duties();
        let world = self.sleep.excerpt().map_or(&self.world, |excerpt| &excerpt.world);
        self.solver.attach(&world.model, &world.state);
        self.contacts.clear();
        self.sorted.take();
        self.reactions.clear();
        self.report = StepReport::default();
        self.previous.clone_from(&self.world.state.position);
    }

    /// Tells the backend that others are awake now, or that an edit changed what there is.
    fn renumber(&mut self, edited: bool) {
        let now = Numbering::of(&self.awake().model);
        let renumbering = self.numbering.to(&now);
        let renumbering = if edited { renumbering.after_edit() } else { renumbering };
        let world = self.sleep.excerpt().map_or(&self.world, |excerpt| &excerpt.world);
        self.solver.renumber(&world.model, &world.state, &renumbering);
        self.numbering = now;
        self.find_duties();
    }

    /// Finds what a step has to look at.
    fn find_duties(&mut self) {
        self.duties = Duties::of(&self.world.model);
        self.angles = Angles::of(&self.awake().model);
    }

    /// What is awake, as a world.
    fn awake(&self) -> &World {
        self.sleep.excerpt().map_or(&self.world, |excerpt| &excerpt.world)
    }

    /// Simulates `elapsed` seconds of real time in fixed steps, keeping what does not fill a step
    /// for the next call. Returns the number of steps taken, at most
    /// [`Sim::MOST_CATCH_UP_STEPS`]. [Events](Sim::events) are those of all of them, and there are none where none was taken.
    ///
    /// # Errors
    /// As [`Sim::step`].
    pub fn advance(&mut self, elapsed: f64) -> Result<u32> {
        self.settings.check()?;
        let dt = 1.0 / f64::from(self.settings.hz);
        self.owed = (self.owed + elapsed.max(0.0)).min(dt * f64::from(Self::MOST_CATCH_UP_STEPS));
        let mut steps = 0;
        self.forget_events();
        while self.owed >= dt && steps < Self::MOST_CATCH_UP_STEPS {
            self.owed -= dt;
            self.go()?;
            self.conclude();
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

    /// Puts everything back to the start, keeping backend and settings. Handles on what was made since then name nothing any
    /// more.
    pub fn reset(&mut self) {
        self.replace_world(self.start.clone());
        self.inputs = Inputs::default();
        self.owed = 0.0;
        self.taken_over = f64::NEG_INFINITY;
        self.attach_awake();
    }

    /// Replaces positions, velocities and clock, as to load a saved state. To go back in time across
    /// edits and tears use [`Sim::snapshot`] and [`Sim::rewind`].
    ///
    /// # Errors
    /// If the state is of another world (another number of points, edges or joints), or has numbers
    /// that are not finite; nothing is changed then.
    pub fn restore(&mut self, state: State) -> Result<()> {
        let count = self.world.model.point_count();
        let same = state.position.len() == count
            && state.velocity.len() == count
            && state.rest.len() == self.world.model.edges.len()
            && state.joints.len() == self.world.model.joints.len();
        if !same {
            return Err(Error::stale("state"));
        }
        state.check()?;
        self.world.state = state;
        self.events.clear();
        self.attach_awake();
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
        self.replace_world(world);
        self.inputs.drags.clear();
        self.attach_awake();
    }

    /// Goes on with another world, in which what is made next does not answer to handles on what was made in this one.
    fn replace_world(&mut self, world: World) {
        self.serials = self.serials.max(self.world.model.next_serial);
        self.world = world;
        self.events.clear();
    }

    /// Attaches the backend to a world that another one has moved so far.
    fn take_over(&mut self) {
        let State { time, steps, .. } = self.world.state;
        // What a level starts with is its own affair.
        self.taken_over = if steps > 0 { time } else { f64::NEG_INFINITY };
        self.attach();
    }

    /// Changes the world by hand (spawn, move, push). What sleeps and is changed, or lies where something
    /// is, wakes.
    ///
    /// # Errors
    /// What `change` returns.
    pub fn edit<T>(&mut self, change: impl FnOnce(&mut World) -> Result<T>) -> Result<T> {
        self.count_on();
        self.note_places();
        let before = (self.sleep.count() > 0).then(|| self.world.clone());
        let result = change(&mut self.world);
        self.take_note();
        if let Some(before) = before {
            self.sleep.wake_changed(&before, &self.world);
            self.renumber(true);
        }
        result
    }

    /// Gives a body an impulse, N·s, at a place, and wakes it: see [`World::push`]. Nothing else is touched, so that it costs
    /// next to nothing, however large the world is, where [`Sim::edit`] looks at all of it.
    ///
    /// # Errors
    /// As [`World::push`].
    pub fn push(&mut self, body: BodyId, at: Vec2, impulse: Vec2) -> Result<()> {
        self.world.push(body, at, impulse)?;
        self.wake(body)
    }

    /// Lets a body move so, and wakes it: see [`World::set_motion`]. It costs as little as [`Sim::push`].
    ///
    /// # Errors
    /// As [`World::set_motion`].
    pub fn set_motion(&mut self, body: BodyId, motion: Motion) -> Result<()> {
        self.world.set_motion(body, motion)?;
        self.wake(body)
    }

    /// Notes where drags hold their bodies.
    fn note_places(&mut self) {
        let World { model, state } = &self.world;
        let place = |drag: &Drag| Some(drag.hold.find(model)?.1.sample(&state.position));
        self.places.clear();
        self.places.extend(self.inputs.drags.iter().map(place));
    }

    /// Lets drags take hold anew, at the places where they held them, of bodies that have come apart; drops those whose body is
    /// gone.
    fn take_hold_again(&mut self) {
        let Self { world, inputs, places, .. } = self;
        let mut places = places.iter();
        inputs.drags.retain_mut(|drag| {
            let place = places.next().copied().flatten();
            if drag.hold.find(&world.model).is_some() {
                return true;
            }
            let hold = place.and_then(|at| world.hold(drag.hold.body(), at).ok());
            hold.map(|hold| drag.hold = hold).is_some()
        });
    }

    /// Answers to where bodies are: rays, shapes, what is nearest. The first question after a step sorts all pieces by where
    /// they are, which the next step forgets.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        Queries::with(&self.world, self.sorted.get_or_init(|| self.world.sorted_pieces()))
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

    /// Changes the settings. The backend stays what it is: see [`Sim::switch_solver`]. Steps fail if they cannot be used
    /// ([`Settings::check`]).
    pub fn set_settings(&mut self, settings: Settings) {
        if settings.gravity != self.settings.gravity || !settings.sleep {
            self.wake_all();
        }
        self.settings = Settings { solver: self.solver.kind(), ..settings };
    }

    /// What steps are taken on: one thread, unless [`Sim::set_threads`] says otherwise.
    #[must_use]
    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    /// Takes steps on other threads from now on. Several simulations may share theirs, one step at a time.
    /// How many there are is a property of the machine: nothing else depends on it, and states have the same
    /// bits on any number. `impulse` makes the best use of them ([`StepCx::threads`]).
    ///
    /// ```
    /// use sinew::{Level, Sim, Threads};
    /// let mut sim = Sim::new(&Level::builtin("pyramid")?.scene)?;
    /// sim.set_threads(Threads::new(2)?);
    /// sim.step()?;
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// [`StepCx::threads`]: crate::solver::StepCx::threads
    pub fn set_threads(&mut self, threads: Threads) {
        self.collision.share(&threads);
        self.threads = threads;
    }

    /// Wakes every body that sleeps.
    pub fn wake_all(&mut self) {
        if self.sleep.count() > 0 {
            self.list_contacts();
            self.sleep.wake_all(&self.world);
            self.renumber(false);
        }
    }

    /// Wakes a body and those that sleep with it: what touches it or is held to it by joints.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn wake(&mut self, body: BodyId) -> Result<()> {
        if self.sleep.is_asleep(self.world.index(body)?) {
            self.list_contacts();
            self.sleep.wake(&self.world, body);
            self.renumber(false);
        }
        Ok(())
    }

    /// Whether a body sleeps: it has come to rest, and is left alone until something disturbs it.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn is_asleep(&self, body: BodyId) -> Result<bool> {
        Ok(self.sleep.is_asleep(self.world.index(body)?))
    }

    /// How many bodies sleep.
    #[must_use]
    pub fn asleep_count(&self) -> usize {
        self.sleep.count()
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

    /// What gave way in the last step, or in the steps of the last [`Sim::advance`]: joints and edges that broke, bodies that came off others,
    /// material that bent for good.
    #[must_use]
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// What each joint carried in the last step, in the order of the model's joints.
    #[must_use]
    pub fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }
}

fn builtin(kind: SolverKind) -> Result<Box<dyn Solver>> {
    kind.build().ok_or_else(|| {
        let remedy = "a backend from outside the crate is passed to Sim::with_solver".to_owned();
        Error::unknown("solver", kind.name(), remedy)
    })
}
