//! What the window plays: a list of levels, the running simulation, and what the user does to it.
//!
//! Nothing here draws or knows the window library, so all of it can be tested without a display.

mod reload;
mod rewind;
mod twins;

pub(crate) use reload::{Problem, Reloaded};

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::level::Level;
use crate::math::Vec2;
use crate::scene::{Key, Scene, Script};
use crate::settings::{Effort, Overrides, Settings, SolverKind};
use crate::sim::Sim;
use crate::solver::Drag;
use crate::view::Request;
use crate::view::spawn::Toy;
use crate::view::watch::Watch;
use rewind::History;
use twins::{Twin, drop_into};

/// Where a level comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    File(PathBuf),
    Builtin(&'static str),
}

impl Source {
    fn load(&self) -> Result<Level> {
        match self {
            Self::File(path) => Level::load(path),
            Self::Builtin(name) => Level::builtin(name),
        }
    }
}

/// A running simulation and the list of levels around it.
pub(crate) struct Session {
    playlist: Vec<Source>,
    place: usize,
    level: Level,
    /// What the running world was built from: the level's scene with the user's settings, and after
    /// it what the user dropped.
    scene: Scene,
    sim: Sim,
    /// The level on other backends, drawn over it.
    twins: Vec<Twin>,
    history: History,
    overrides: Overrides,
    /// What the user has set for a backend; it holds whenever that backend is in use.
    efforts: BTreeMap<SolverKind, Effort>,
    pub(crate) paused: bool,
    pub(crate) slow: bool,
    /// Why the simulation cannot go on.
    fault: Option<String>,
    /// Tells when the level's file is saved.
    watch: Option<Watch>,
    /// Why the file as it is now cannot be played.
    problem: Option<Problem>,
    /// Things dropped so far.
    dropped: u32,
}

impl Session {
    /// How much slower slow motion is.
    pub(crate) const SLOWNESS: f64 = 5.0;

    /// Loads the level that is asked for.
    ///
    /// # Errors
    /// If it cannot be read or built.
    pub(crate) fn open(request: &Request) -> Result<Self> {
        let mut playlist: Vec<Source> =
            Level::BUILTIN.iter().map(|&(name, _)| Source::Builtin(name)).collect();
        let mut place = 0;
        if let Some(path) = &request.file {
            playlist.insert(0, Source::File(path.clone()));
        } else if let Some(wanted) = &request.builtin {
            // An unknown name gives the error that lists the known ones.
            Level::builtin(wanted)?;
            place = Level::BUILTIN.iter().position(|(name, _)| name == wanted).unwrap_or(0);
        }
        let level = playlist[place].load()?;
        let scene = overridden(&level, &request.overrides);
        let sim = Sim::new(&scene)?;
        let mut session = Self {
            playlist,
            place,
            level,
            scene,
            sim,
            twins: Vec::new(),
            history: History::default(),
            overrides: request.overrides,
            efforts: BTreeMap::new(),
            paused: false,
            slow: false,
            fault: None,
            watch: None,
            problem: None,
            dropped: 0,
        };
        session.overlay(&request.overlay)?;
        Ok(session)
    }

    pub(crate) fn level(&self) -> &Level {
        &self.level
    }

    pub(crate) fn sim(&self) -> &Sim {
        &self.sim
    }

    /// Number of the level, from 1, and how many there are.
    pub(crate) fn place(&self) -> (usize, usize) {
        (self.place + 1, self.playlist.len())
    }

    /// Why the simulation cannot go on, if it cannot.
    pub(crate) fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// Goes to the level `offset` places further in the list, round and round. Backend and
    /// overrides stay.
    ///
    /// # Errors
    /// If it cannot be read or built; the old level is then still there.
    pub(crate) fn travel(&mut self, offset: isize) -> Result<()> {
        let count = self.playlist.len() as isize;
        let place = (self.place as isize + offset).rem_euclid(count) as usize;
        let level = self.playlist[place].load()?;
        self.start_over_with(level)?;
        self.place = place;
        self.problem = None;
        Ok(())
    }

    /// The level is in this file now. A built-in level stays in the list, after it.
    pub(crate) fn is_now_at(&mut self, path: &Path) {
        let source = Source::File(path.to_owned());
        if self.playlist[self.place] != source {
            self.playlist.insert(self.place, source);
        }
    }

    /// Where the level comes from.
    pub(crate) fn source(&self) -> &Source {
        &self.playlist[self.place]
    }

    /// Puts the level back to its start. What the user dropped is gone.
    pub(crate) fn reset(&mut self) {
        self.sim.reset();
        self.reset_twins();
        self.forget();
        self.scene = self.overridden(&self.level);
        self.fault = None;
    }

    /// Simulates what `elapsed` seconds of real time call for.
    pub(crate) fn advance(&mut self, elapsed: f64) {
        if self.paused || self.fault.is_some() {
            return;
        }
        self.remember();
        let elapsed = if self.slow { elapsed / Self::SLOWNESS } else { elapsed };
        let outcome = self.sim.advance(elapsed);
        self.note(outcome.map(|_| ()));
        self.advance_twins(elapsed);
        self.remember();
    }

    /// Takes a single step and stays paused.
    pub(crate) fn step_once(&mut self) {
        self.paused = true;
        if self.fault.is_none() {
            self.remember();
            let outcome = self.sim.step().map(|_| ());
            self.note(outcome);
            self.step_twins();
            self.remember();
        }
    }

    /// The keys that drive joints of the level.
    pub(crate) fn driving_keys(&self) -> Vec<Key> {
        self.sim.world().driving_keys()
    }

    /// These keys of the level are held now, and no others.
    pub(crate) fn hold(&mut self, keys: &[Key]) {
        let held = &mut self.sim.inputs_mut().held;
        held.retain(|key| keys.contains(key));
        let new = keys.iter().filter(|key| !held.contains(key)).copied().collect::<Vec<_>>();
        held.extend(new);
    }

    /// Takes a step towards the simulated time `at`, s; returns false where it is there already.
    /// Nobody is there meanwhile, so keys are held as the level's script says.
    ///
    /// # Errors
    /// If the simulation diverges.
    pub(crate) fn step_towards(&mut self, at: f64) -> Result<bool> {
        let half_step = 0.5 / f64::from(self.sim.settings().hz);
        let middle = self.sim.world().state.time + half_step;
        if middle >= at {
            return Ok(false);
        }
        let held: Vec<Key> = self.level.scene.script.held(middle).collect();
        self.hold(&held);
        self.step_twins();
        let outcome = self.sim.step().map(|_| true);
        self.hold(&[]);
        outcome
    }

    /// Steps as fast as it can until the simulated time is `at` seconds.
    ///
    /// # Errors
    /// If the simulation diverges.
    #[cfg(test)]
    pub(crate) fn run_to(&mut self, at: f64) -> Result<()> {
        while self.step_towards(at)? {}
        Ok(())
    }

    fn note(&mut self, outcome: Result<()>) {
        if let Err(error) = outcome {
            self.fault = Some(error.to_string());
            self.release();
        }
    }

    /// Changes to the next backend, at the effort that the level or the user set for it; where
    /// several are shown, puts the next of them in front.
    ///
    /// # Errors
    /// If it cannot be built.
    pub(crate) fn switch_solver(&mut self) -> Result<SolverKind> {
        if !self.twins.is_empty() {
            return Ok(self.turn_twins());
        }
        let all = SolverKind::ALL;
        let now = all.iter().position(|&kind| kind == self.sim.solver_kind());
        let next = all[now.map_or(0, |i| (i + 1) % all.len())];
        self.sim.switch_solver(next)?;
        // The state is the last sound one: another backend may well go on from it.
        self.fault = None;
        self.overrides.solver = Some(next);
        self.sim.set_settings(self.overrides.apply(self.level.scene.settings));
        self.apply_effort();
        Ok(next)
    }

    /// The effort in force.
    pub(crate) fn effort(&self) -> Effort {
        self.sim.settings().effort(self.sim.solver_kind())
    }

    /// Sets sub-steps and iterations of the backend in front; what changes, changes for its twins too.
    pub(crate) fn set_effort(&mut self, effort: Effort) {
        let effort = Effort {
            substeps: effort.substeps.clamp(1, Settings::MAX_SUBSTEPS),
            iterations: effort.iterations.clamp(1, Settings::MAX_ITERATIONS),
        };
        self.set_efforts_of_twins(self.effort(), effort);
        self.efforts.insert(self.sim.solver_kind(), effort);
        self.apply_effort();
    }

    fn apply_effort(&mut self) {
        if let Some(effort) = self.efforts.get(&self.sim.solver_kind()) {
            self.sim.set_settings(Settings {
                substeps: Some(effort.substeps),
                iterations: Some(effort.iterations),
                ..*self.sim.settings()
            });
        }
    }

    /// Drops something at a place in the world, or above what is there already.
    ///
    /// # Errors
    /// If that is too far out.
    pub(crate) fn drop_toy(&mut self, toy: Toy, at: Vec2) -> Result<()> {
        self.dropped = self.dropped.wrapping_add(1);
        let (bodies, joints) = toy.make_above(self.sim.world(), self.dropped, at)?;
        drop_into(&mut self.sim, &bodies, &joints)?;
        self.drop_into_twins(&bodies, &joints);
        self.scene.bodies.extend(bodies);
        self.scene.joints.extend(joints);
        Ok(())
    }

    /// The scene of a level with the user's settings.
    fn overridden(&self, level: &Level) -> Scene {
        overridden(level, &self.overrides)
    }

    /// Takes hold of the body within `reach` metres of a place, if there is one that can move.
    pub(crate) fn grab(&mut self, at: Vec2, reach: f32) -> bool {
        let world = self.sim.world();
        let Some(body) = world.pick(at, reach, false) else { return false };
        let Ok(hold) = world.hold(body, at) else { return false };
        self.sim.inputs_mut().drags = vec![Drag::new(hold, at)];
        self.grab_in_twins();
        true
    }

    /// Moves what is held towards a place.
    pub(crate) fn drag_to(&mut self, at: Vec2) {
        if at.is_finite() {
            let pull = |drags: &mut Vec<Drag>| drags.iter_mut().for_each(|drag| drag.target = at);
            pull(&mut self.sim.inputs_mut().drags);
            self.drag_in_twins(pull);
        }
    }

    /// What is held, if anything.
    pub(crate) fn held(&self) -> Option<Drag> {
        self.sim.inputs().drags.first().copied()
    }

    /// Lets go; the body keeps its speed.
    pub(crate) fn release(&mut self) {
        self.sim.inputs_mut().drags.clear();
        self.drag_in_twins(Vec::clear);
    }
}

/// The scene of a level as it is played in the window, with the user's settings: what the script would
/// hold, the user does.
fn overridden(level: &Level, overrides: &Overrides) -> Scene {
    let mut scene = level.scene.clone();
    scene.script = Script::default();
    scene.settings = overrides.apply(scene.settings);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;

    fn session() -> Session {
        Session::open(&Request::default()).unwrap()
    }

    #[test]
    fn efforts_belong_to_backends() {
        let mut session = session();
        let first = session.sim().solver_kind();
        session.set_effort(Effort { substeps: 13, iterations: 0 });
        assert_eq!(session.effort(), Effort { substeps: 13, iterations: 1 });
        let other = session.switch_solver().unwrap();
        assert_ne!(first, other);
        assert_eq!(session.effort(), other.default_effort());
        while session.sim().solver_kind() != first {
            session.switch_solver().unwrap();
        }
        assert_eq!(session.effort(), Effort { substeps: 13, iterations: 1 });
    }

    #[test]
    fn dropped_things_can_be_held_and_are_gone_after_a_reset() {
        let mut session = session();
        let before = session.sim().world().model.bodies.len();
        let at = Vec2::new(500.0, 900.0);
        session.drop_toy(Toy::Crate, at).unwrap();
        assert!(session.grab(at, 0.01));
        session.drag_to(at + Vec2::X);
        session.drag_to(Vec2::NAN);
        assert_eq!(session.held().unwrap().target, at + Vec2::X);
        session.advance(0.05);
        session.release();
        assert!(session.held().is_none());
        session.reset();
        assert_eq!(session.sim().world().model.bodies.len(), before);
        assert!(!session.grab(at, 0.01));
    }

    #[test]
    fn levels_go_round_and_pausing_stops_time() {
        let mut session = session();
        let (place, count) = session.place();
        session.travel(-1).unwrap();
        assert_eq!(session.place(), (count, count));
        session.travel(1).unwrap();
        assert_eq!(session.place(), (place, count));
        session.step_once();
        let time = session.sim().world().state.time;
        assert!(time > 0.0);
        session.advance(1.0);
        assert_eq!(session.sim().world().state.time, time);
        session.run_to(time + 0.1).unwrap();
        assert!((session.sim().world().state.time - time - 0.1).abs() < 0.01);
    }

    /// A disc on an axle that the right arrow turns.
    const WHEEL: &str = r#"{ "format": 1, "items": [
        { "type": "disc", "id": "disc", "radius": 1, "at": [0, 0] },
        { "type": "pin", "a": "disc", "at": [0, 0],
          "motor": { "speed": 0, "max_torque": 1e6, "keys": { "right": 90 } } } ],
        "script": [{ "from": 0.5, "to": 1, "keys": ["right"] }] }"#;

    #[test]
    fn the_user_holds_the_keys_and_the_script_where_there_is_none() {
        let file = std::env::temp_dir().join(format!("sinew-keys-{}.json", std::process::id()));
        std::fs::write(&file, WHEEL).unwrap();
        let request = Request { file: Some(file.clone()), ..Request::default() };
        let mut session = Session::open(&request).unwrap();
        std::fs::remove_file(&file).unwrap();
        let turned = |session: &Session| {
            let world = session.sim().world();
            world.pose(world.body("disc").unwrap()).unwrap().rot.radians().to_degrees().abs()
        };
        let play = |session: &mut Session, steps: usize| {
            for _ in 0..steps {
                session.advance(1.0 / 60.0);
            }
        };
        assert_eq!(session.driving_keys(), [Key::RIGHT]);
        play(&mut session, 60);
        assert!(turned(&session) < 1.0, "the script plays by itself: {}", turned(&session));
        session.hold(&[Key::RIGHT]);
        session.hold(&[Key::RIGHT]);
        play(&mut session, 60);
        assert!((turned(&session) - 90.0).abs() < 5.0, "{}", turned(&session));
        session.hold(&[]);
        play(&mut session, 60);
        assert!((turned(&session) - 90.0).abs() < 5.0, "{}", turned(&session));
        session.reset();
        session.run_to(2.0).unwrap();
        assert!((turned(&session) - 45.0).abs() < 4.0, "{}", turned(&session));
    }

    #[test]
    fn unknown_levels_are_errors() {
        let builtin = Request { builtin: Some("nonsense".into()), ..Request::default() };
        assert!(Session::open(&builtin).is_err_and(|e| e.is_unknown_name()));
        let file = Request { file: Some("no/such/level.json".into()), ..Request::default() };
        assert!(Session::open(&file).is_err_and(|e| e.is_invalid_level()));
    }
}
