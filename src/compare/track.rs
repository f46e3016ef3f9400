//! Where the bodies of a run were, in bounded memory.
//!
//! Every step is kept while that is at most [`Track::MOST`] places; of longer or larger runs every
//! second, third, … step. Bodies are those of the start, known by their serial numbers: what comes
//! off them later belongs to none, and one that is gone is nowhere.

use crate::math::Vec2;
use crate::world::World;

/// The centres of mass of all bodies over a run.
#[derive(Clone, Debug)]
pub struct Track {
    names: Vec<String>,
    serials: Vec<u32>,
    hz: f64,
    stride: u64,
    steps: Vec<u64>,
    /// Frame by frame, body by body; not a number for a body that is gone.
    centers: Vec<Vec2>,
}

impl Track {
    /// The most places that are kept, 32 MB of them.
    pub const MOST: u64 = 4_000_000;

    /// Begins with a world as it is now; the run is to have `steps` steps at `hz` steps per second.
    #[must_use]
    pub fn new(world: &World, hz: f32, steps: u64) -> Self {
        let bodies = &world.model.bodies;
        let places = steps.saturating_add(1).saturating_mul(bodies.len() as u64);
        let mut track = Self {
            names: bodies.iter().map(|body| body.id.clone()).collect(),
            serials: bodies.iter().map(|body| body.serial).collect(),
            hz: f64::from(hz),
            stride: places.div_ceil(Self::MOST).max(1),
            steps: Vec::new(),
            centers: Vec::new(),
        };
        track.observe(world);
        track
    }

    /// Takes down where the bodies are after a step.
    pub fn observe(&mut self, world: &World) {
        if !world.state.steps.is_multiple_of(self.stride) {
            return;
        }
        let (model, positions) = (&world.model, &world.state.position);
        self.steps.push(world.state.steps);
        self.centers.extend(self.serials.iter().map(|&serial| {
            match model.bodies.binary_search_by_key(&serial, |body| body.serial) {
                Ok(index) => model.center(&model.bodies[index], positions),
                Err(_) => Vec2::NAN,
            }
        }));
    }

    /// The names of the bodies.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// How many frames are kept, the start among them.
    #[must_use]
    pub fn frames(&self) -> usize {
        self.steps.len()
    }

    /// Steps from one frame to the next.
    #[must_use]
    pub fn stride(&self) -> u64 {
        self.stride
    }

    /// How many steps had been taken at a frame; 0 past the last one.
    #[must_use]
    pub fn step(&self, frame: usize) -> u64 {
        self.steps.get(frame).copied().unwrap_or(0)
    }

    /// The simulated time of a frame, s. Not the clock, which adds up a rounding error each step.
    #[must_use]
    pub fn time(&self, frame: usize) -> f64 {
        self.step(frame) as f64 / self.hz
    }

    /// The simulated time of the last frame, s.
    #[must_use]
    pub fn end(&self) -> f64 {
        self.time(self.frames().saturating_sub(1))
    }

    /// Where the centre of a body was at a frame, m; `None` where there is no such body or frame.
    #[must_use]
    pub fn center(&self, body: usize, frame: usize) -> Option<Vec2> {
        let inside = body < self.names.len() && frame < self.frames();
        let place = inside.then(|| self.centers[frame * self.names.len() + body]);
        place.filter(|place| place.is_finite())
    }

    /// Where the centre of a body was at a time in the run, m: in a straight line from one frame to
    /// the next, which at 60 Hz is 0.3 mm off a body in free fall.
    #[must_use]
    pub fn center_at(&self, body: usize, time: f64) -> Option<Vec2> {
        // A hair, so that frames at the same time on two clocks are the same.
        let step = (time * self.hz).max(0.0);
        let after = self.steps.partition_point(|&kept| (kept as f64) < step - 1e-6);
        let to = self.center(body, after)?;
        let late = self.steps[after] as f64 - step;
        if late < 1e-6 || after == 0 {
            return Some(to);
        }
        let from = self.center(body, after - 1)?;
        let gap = (self.steps[after] - self.steps[after - 1]) as f64;
        Some(to.lerp(from, (late / gap) as f32))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};

    /// Balls that start in a row and are moved by hand: `place(ball, step)`.
    pub(in crate::compare) fn track(
        balls: usize,
        hz: f32,
        steps: u64,
        place: impl Fn(usize, u64) -> Vec2,
    ) -> Track {
        let mut scene = Scene::default();
        for ball in 0..balls {
            let shape = Shape::Disc { radius: 0.5 };
            scene.bodies.push(BodyDef::new(format!("ball.{ball}"), shape, place(ball, 0)));
        }
        let mut world = World::build(&scene).unwrap();
        let mut track = Track::new(&world, hz, steps);
        for step in 1..=steps {
            for ball in 0..balls {
                let shift = place(ball, step) - place(ball, step - 1);
                let points = world.model.bodies[ball].point_range();
                world.state.position[points].iter_mut().for_each(|point| *point += shift);
            }
            world.state.steps = step;
            track.observe(&world);
        }
        track
    }

    #[test]
    fn places_between_frames_and_beyond_the_run() {
        let track = track(2, 10.0, 5, |ball, step| Vec2::new(ball as f32, step as f32));
        assert_eq!((track.frames(), track.stride(), track.end()), (6, 1, 0.5));
        assert_eq!(track.names(), ["ball.0", "ball.1"]);
        let at = |time| track.center_at(1, time).map(|place| place.y);
        for (time, expected) in [(0.0, 0.0), (0.1, 1.0), (0.25, 2.5), (0.5, 5.0)] {
            assert!((at(time).unwrap() - expected).abs() < 1e-5, "{time}");
        }
        assert_eq!(at(0.51), None);
        assert_eq!((track.center_at(2, 0.1), track.center(0, 6)), (None, None));
        assert_eq!(track.step(6), 0);
    }

    #[test]
    fn a_body_that_is_gone_is_nowhere() {
        let mut scene = Scene::default();
        let ball = |id: &str| BodyDef::new(id, Shape::Disc { radius: 0.5 }, Vec2::ZERO);
        scene.bodies = vec![ball("a"), ball("b")];
        let mut world = World::build(&scene).unwrap();
        let mut track = Track::new(&world, 60.0, 1);
        world.remove(world.body("a").unwrap()).unwrap();
        world.state.steps = 1;
        track.observe(&world);
        assert_eq!(track.center(0, 1), None);
        assert_eq!(track.center(1, 1), Some(Vec2::ZERO));
    }

    #[test]
    fn a_very_long_run_keeps_every_few_steps() {
        let world = World::build(&Scene {
            bodies: vec![BodyDef::new("a", Shape::Disc { radius: 0.5 }, Vec2::ZERO)],
            ..Scene::default()
        });
        let mut world = world.unwrap();
        let mut track = Track::new(&world, 60.0, 3 * Track::MOST - 1);
        for step in 1..=7 {
            world.state.steps = step;
            track.observe(&world);
        }
        assert_eq!(track.stride(), 3);
        assert_eq!(
            (0..track.frames()).map(|frame| track.step(frame)).collect::<Vec<_>>(),
            [0, 3, 6]
        );
        assert!((track.time(2) - 0.1).abs() < 1e-12);
        let nobody = Track::new(&World::default(), 60.0, 100);
        assert_eq!((nobody.frames(), nobody.center_at(0, 0.0)), (1, None));
    }
}
