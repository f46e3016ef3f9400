//! For tests: a world that `impulse` moves, and what it knows of it.

use super::Impulse;
use crate::collision::Collision;
use crate::math::Vec2;
use crate::scene::{BodyDef, Scene, Shape};
use crate::settings::Settings;
use crate::solver::{Inputs, Solver, StepCx};
use crate::threads::Threads;
use crate::world::World;

/// Level ground at height 0, so many metres wide.
pub(super) fn ground(width: f32) -> BodyDef {
    BodyDef::new("ground", Shape::Box { size: Vec2::new(width, 1.0) }, -0.5 * Vec2::Y).fixed()
}

pub(super) struct Alone {
    pub(super) world: World,
    pub(super) solver: Impulse,
    pub(super) settings: Settings,
    collision: Collision,
    threads: Threads,
}

impl Alone {
    /// A world of these bodies, on so many threads.
    pub(super) fn new(bodies: Vec<BodyDef>, threads: usize) -> Self {
        let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let mut solver = Impulse::default();
        solver.attach(&world.model, &world.state);
        let threads = Threads::new(threads).unwrap();
        Self {
            world,
            solver,
            settings: Settings::default(),
            collision: Collision::default(),
            threads,
        }
    }

    pub(super) fn step(&mut self) {
        let Self { world, solver, settings, collision, threads } = self;
        solver.step(StepCx {
            model: &world.model,
            state: &mut world.state,
            collision,
            inputs: &Inputs::default(),
            settings,
            threads,
            reactions: &mut Vec::new(),
            dt: settings.dt(),
            recovery: f32::INFINITY,
        });
    }
}
