//! The level file was saved while it is played: what is new is put in, the rest goes on.

use std::path::PathBuf;
use std::time::Instant;

use super::{Session, Source};
use crate::error::Result;
use crate::level::Level;
use crate::reload::carry_over;
use crate::scene::Scene;
use crate::sim::Sim;
use crate::view::watch::Watch;

/// Why the file as it is now cannot be played.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    /// Everything that is wrong with it, as the command line would say it.
    pub(crate) message: String,
    /// How many things are wrong.
    pub(crate) count: usize,
}

/// What a save came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reloaded {
    /// The new level runs; the camera should go where it says if `view` is true.
    Changed {
        /// Whether the level wants to be seen from elsewhere.
        view: bool,
    },
    /// The file cannot be played; the old level goes on.
    Broken,
}

impl Session {
    /// Watches the files of the level, from now on.
    ///
    /// # Errors
    /// In one line, why they cannot be watched; the level is then played as it was read.
    pub(crate) fn watch(&mut self) -> std::result::Result<(), String> {
        let files = self.files();
        if self.watch.as_ref().map_or(&[][..], Watch::files) == files {
            return Ok(());
        }
        self.watch = None;
        if !files.is_empty() {
            self.watch = Some(Watch::new(&files)?);
        }
        Ok(())
    }

    /// The files that the level is read from; none for a built-in one.
    fn files(&self) -> Vec<PathBuf> {
        match &self.playlist[self.place] {
            Source::File(_) => self.level.files.clone(),
            Source::Builtin(_) => Vec::new(),
        }
    }

    /// Whether a file of the level was saved since the last call.
    pub(crate) fn file_saved(&mut self, now: Instant) -> bool {
        self.watch.as_mut().is_some_and(|watch| watch.saved(now))
    }

    /// Why the file as it is now cannot be played, if it cannot.
    pub(crate) fn problem(&self) -> Option<&Problem> {
        self.problem.as_ref()
    }

    /// Reads the level again and puts in what is new.
    pub(crate) fn reload(&mut self) -> Reloaded {
        match self.playlist[self.place].load().and_then(|level| self.change(level)) {
            Ok(view) => {
                self.problem = None;
                Reloaded::Changed { view }
            }
            Err(error) => {
                self.problem = Some(Problem { message: error.to_string(), count: error.count() });
                Reloaded::Broken
            }
        }
    }

    /// Plays another version of the level, with the motion of everything that is as it was.
    /// Returns whether it wants to be seen from elsewhere.
    fn change(&mut self, level: Level) -> Result<bool> {
        let scene = self.overridden(&level);
        let mut sim = Sim::new(&scene)?;
        let scene = with_dropped(scene, &self.scene, self.level.scene.bodies.len());
        let world = carry_over(&self.scene, &scene, self.sim.world())?;
        sim.go_on_with(world);
        let view = level.scene.view != self.level.scene.view;
        self.carry_twins_over(&self.scene.clone(), &scene, &sim)?;
        self.forget();
        self.sim = sim;
        self.scene = scene;
        self.level = level;
        self.fault = None;
        self.apply_effort();
        self.apply_settings_to_twins();
        Ok(view)
    }

    /// Plays another version of the level from its start.
    ///
    /// # Errors
    /// If it cannot be built; the old one is then still there.
    pub(crate) fn start_over_with(&mut self, level: Level) -> Result<()> {
        let scene = self.overridden(&level);
        self.sim = Sim::new(&scene)?;
        self.scene = scene;
        self.level = level;
        self.fault = None;
        self.apply_effort();
        self.forget();
        self.renew_twins()
    }
}

/// A scene with what the user dropped into the old one, which follows its first `of_level` bodies.
fn with_dropped(mut scene: Scene, old: &Scene, of_level: usize) -> Scene {
    let dropped = old.bodies.get(of_level..).unwrap_or_default();
    let taken = |id: &str| scene.bodies.iter().any(|body| body.id == id);
    if dropped.is_empty() || dropped.iter().any(|body| taken(&body.id)) {
        return scene;
    }
    let joints = old.joints.iter().filter(|joint| dropped.iter().any(|body| body.id == joint.a));
    scene.joints.extend(joints.cloned());
    scene.bodies.extend_from_slice(dropped);
    scene
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::view::Request;
    use crate::view::spawn::Toy;

    const LEVEL: &str = r#"{ "format": 1, "view": { "center": [0, 2], "height": 8 }, "items": [
        { "type": "static", "id": "ground", "box": [20, 1], "at": [0, -0.5] },
        { "type": "crate", "id": "a", "size": [1, 1], "at": [-2, 5] },
        { "type": "crate", "id": "b", "size": [1, 1], "at": [2, 5] } ] }"#;

    fn center(session: &Session, id: &str) -> Option<Vec2> {
        let world = session.sim().world();
        world.body(id).map(|body| world.pose(body).unwrap().center)
    }

    #[test]
    fn saves_change_the_running_level_and_broken_ones_do_not() {
        let file = std::env::temp_dir().join(format!("sinew-reload-{}.json", std::process::id()));
        std::fs::write(&file, LEVEL).unwrap();
        let request = Request { file: Some(file.clone()), ..Request::default() };
        let mut session = Session::open(&request).unwrap();
        session.drop_toy(Toy::Ragdoll, Vec2::new(0.0, 20.0)).unwrap();
        session.run_to(0.5).unwrap();
        let head = "dropped.ragdoll.1.head";
        let (a, toy) = (center(&session, "a").unwrap(), center(&session, head).unwrap());

        std::fs::write(&file, LEVEL.replace("[2, 5]", "[3, 5]")).unwrap();
        assert_eq!(session.reload(), Reloaded::Changed { view: false });
        assert_eq!(center(&session, "a"), Some(a));
        assert_eq!(center(&session, "b"), Some(Vec2::new(3.0, 5.0)));
        assert_eq!(center(&session, head), Some(toy));

        std::fs::write(&file, LEVEL.replace("crate", "crat")).unwrap();
        assert_eq!(session.reload(), Reloaded::Broken);
        assert_eq!(session.problem().unwrap().count, 2);
        assert!(session.problem().unwrap().message.contains("did you mean `crate`?"));
        let time = session.sim().world().state.time;
        session.advance(0.1);
        assert!(session.sim().world().state.time > time, "the old level stands still");

        let mended = LEVEL.replace("8 }", "9 }").replace("\"id\": \"b\"", "\"id\": \"c\"");
        std::fs::write(&file, mended).unwrap();
        assert_eq!(session.reload(), Reloaded::Changed { view: true });
        assert!(session.problem().is_none());
        assert!(center(&session, "b").is_none() && center(&session, "c").is_some());

        // Started over, the new level starts as it is written, without what was dropped.
        session.reset();
        assert_eq!(center(&session, "a"), Some(Vec2::new(-2.0, 5.0)));
        assert!(center(&session, head).is_none());
        std::fs::remove_file(&file).unwrap();
        assert_eq!(session.reload(), Reloaded::Broken);
    }
}
