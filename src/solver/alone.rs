//! For tests: a world that a solver moves, what the solver knows of it, and what is to hold of more than one solver.

use std::slice::from_ref;

use crate::collision::Collision;
use crate::math::Vec2;
use crate::scene::soft::{Hold, Jelly, Rope, Stiffness};
use crate::scene::{BodyDef, Material, Scene, Shape};
use crate::settings::{Overrides, Settings};
use crate::solver::{Inputs, Solver, StepCx};
use crate::threads::Threads;
use crate::world::{Numbering, World};

/// Level ground at height 0, so many metres wide.
pub(super) fn ground(width: f32) -> BodyDef {
    BodyDef::new("ground", Shape::Box { size: Vec2::new(width, 1.0) }, -0.5 * Vec2::Y).fixed()
}

pub(super) struct Alone<S> {
    pub(super) world: World,
    pub(super) solver: S,
    pub(super) settings: Settings,
    collision: Collision,
    threads: Threads,
}

impl<S: Solver + Default> Alone<S> {
    /// A world of these bodies, on so many threads.
    pub(super) fn new(bodies: Vec<BodyDef>, threads: usize) -> Self {
        let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let mut solver = S::default();
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

/// Crates in a heap, more than are solved in one part, that fall on each other. Where nothing else is there they are read
/// and written once for a sub-step; where a rope hangs far away they take turns with its rows. That makes no difference.
/// `is_alone` tells which is so, how many manifolds there are, and whether any contact would bounce, as some do.
pub(super) fn alone_is_the_same_to_the_bit_as_in_turns<S: Solver + Default>(
    is_alone: impl Fn(&S) -> (bool, usize, bool),
) {
    let mut heap = vec![ground(300.0)];
    heap.extend((0..9000_u16).map(|k| {
        let at = Vec2::new(f32::from(k % 200) * 0.9995 - 100.0, f32::from(k / 200) * 1.05 + 0.55);
        let one = BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at);
        BodyDef { material: Material { restitution: 0.3, ..one.material }, ..one }
    }));
    let rope = Rope { to: Vec2::new(3.0, 0.0), hold: Hold::Start, ..Rope::default() };
    let rope = Shape::Mesh(rope.mesh().unwrap());
    let rope = BodyDef::new("rope", rope, Vec2::new(0.0, 200.0));
    for threads in [1, 2] {
        let mut alone = Alone::<S>::new(heap.clone(), threads);
        let mut in_turns = Alone::<S>::new([&heap[..], from_ref(&rope)].concat(), threads);
        let mut any_bounces = false;
        for _ in 0..12 {
            alone.step();
            in_turns.step();
            any_bounces |= is_alone(&alone.solver).2;
        }
        let (is_so, manifolds, _) = is_alone(&alone.solver);
        assert!(is_so && !is_alone(&in_turns.solver).0);
        assert!(manifolds > 9000 && any_bounces, "{manifolds}, {any_bounces}");
        let found = &alone.world.state.position;
        let wanted = &in_turns.world.state.position[..found.len()];
        assert_eq!(found, wanted);
    }
}

/// A jelly lies on the ground, at each of `paces` for 90 steps: so many sub-steps a step, and whether its springs are soft for
/// one of these, which `is_soft` tells. It lies as it lay when that changes, or when bodies are numbered anew.
pub(super) fn what_is_soft_depends_on_the_sub_step<S: Solver + Default>(
    paces: [(u32, bool); 3],
    is_soft: impl Fn(&S) -> bool,
) {
    let mesh = Jelly { stiffness: Stiffness::Modulus(1e6), ..Jelly::rectangle(Vec2::ONE) };
    let jelly = Shape::Mesh(mesh.mesh().unwrap());
    let bodies = vec![ground(20.0), BodyDef::new("jelly", jelly, Vec2::new(0.0, 0.5))];
    let mut alone = Alone::<S>::new(bodies, 1);
    let mut heights = Vec::new();
    for (substeps, should_be) in paces {
        let overrides = Overrides { substeps: Some(substeps), ..Overrides::default() };
        alone.settings = overrides.apply(Settings::default());
        for step in 0..90 {
            if step == 45 {
                let same = Numbering::of(&alone.world.model);
                let Alone { world: World { model, state }, solver, .. } = &mut alone;
                solver.renumber(model, state, &same.to(&same));
            }
            alone.step();
            assert_eq!(is_soft(&alone.solver), should_be, "{substeps} sub-steps");
            let World { model, state } = &alone.world;
            heights.push(model.center(&model.bodies[1], &state.position).y);
        }
    }
    // Its own weight takes the centre down by ρ·g·h²/(3·E), 3.3 mm.
    let rest = heights[89];
    assert!((0.4955..0.4975).contains(&rest), "{rest}");
    for height in &heights[89..] {
        assert!((height - rest).abs() < 5e-4, "{height} after {rest}");
    }
}
