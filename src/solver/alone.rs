//! For tests: a world that a solver moves, what the solver knows of it, and what is to hold of more than one solver.

use std::slice::from_ref;

use crate::collision::Collision;
use crate::math::Vec2;
use crate::scene::soft::{Hold, Jelly, Rope, Stiffness};
use crate::scene::{BodyDef, Material, Scene, Shape};
use crate::settings::{Overrides, Settings};
use crate::solver::{ContactImpulse, Inputs, Solver, StepCx};
use crate::threads::Threads;
use crate::world::{Model, Numbering, State, World};

/// Level ground at height 0, so many metres wide.
pub(super) fn ground(width: f32) -> BodyDef {
    BodyDef::new("ground", Shape::Box { size: Vec2::new(width, 1.0) }, -0.5 * Vec2::Y).fixed()
}

pub(super) struct Alone<S> {
    pub(super) world: World,
    pub(super) solver: S,
    pub(super) settings: Settings,
    /// What contacts have given in the last step.
    impulses: Vec<ContactImpulse>,
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
            impulses: Vec::new(),
            collision: Collision::default(),
            threads,
        }
    }

    pub(super) fn step(&mut self) {
        let Self { world, solver, settings, impulses, collision, threads } = self;
        impulses.clear();
        solver.step(StepCx {
            model: &world.model,
            state: &mut world.state,
            collision,
            inputs: &Inputs::default(),
            settings,
            threads,
            impulses: Some(impulses),
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

/// Crates, discs and, if asked for, jellies without friction fall on each other, some fast, some that bounce. In every step each
/// gets the momentum that its contacts have given by what the solver tells of them, and that of gravity, and no other.
pub(super) fn what_contacts_give_is_what_bodies_get<S: Solver + Default>(soft: bool) {
    let jelly = Jelly { stiffness: Stiffness::Modulus(1e6), ..Jelly::rectangle(Vec2::ONE) };
    let shapes = [
        Shape::Box { size: Vec2::new(1.0, 0.7) },
        Shape::Disc { radius: 0.5 },
        Shape::Mesh(jelly.mesh().unwrap()),
    ];
    let slippery = |body: BodyDef, restitution: f32| BodyDef {
        material: Material { friction: 0.0, restitution, ..body.material },
        ..body
    };
    let wall = |id: &str, x: f32| {
        BodyDef::new(id, Shape::Box { size: Vec2::new(1.0, 40.0) }, Vec2::new(x, 15.0)).fixed()
    };
    let walls = [ground(20.0), wall("left", -4.0), wall("right", 4.0)];
    let mut bodies: Vec<BodyDef> = walls.into_iter().map(|wall| slippery(wall, 0.0)).collect();
    bodies.extend((0..18_u8).map(|k| {
        let (column, row) = (f32::from(k % 6), f32::from(k / 6));
        let at = Vec2::new(-2.8 + 1.13 * column, 0.8 + 1.3 * row + 0.1 * column);
        let shape = shapes[usize::from(k % 3).min(1 + usize::from(soft))].clone();
        let one = slippery(BodyDef::new(format!("b{k}"), shape, at), 0.2 * f32::from(k % 4));
        // One comes so fast that it is stopped before it is there.
        let velocity = if k == 14 { Vec2::new(60.0, -20.0) } else { Vec2::ZERO };
        BodyDef { velocity, ..one }
    }));
    let mut alone = Alone::<S>::new(bodies, 1);
    let momenta = |model: &Model, state: &State| -> Vec<Vec2> {
        let of = |i: usize| model.mass[i] * state.velocity[i];
        model.bodies.iter().map(|body| body.point_range().map(of).sum()).collect()
    };
    let (mut contacts, mut most) = (0, 0.0_f32);
    for step in 0..150 {
        let before = momenta(&alone.world.model, &alone.world.state);
        alone.step();
        let Alone { world: World { model, state }, settings, impulses, .. } = &alone;
        let mut wanted = before;
        for given in impulses {
            assert!(given.impulse > 0.0 && (given.normal.length() - 1.0).abs() < 1e-4, "{given:?}");
            for (piece, sign) in given.pieces.into_iter().zip([1.0, -1.0]) {
                let body = model.pieces[piece as usize].body as usize;
                wanted[body] += sign * given.impulse * given.normal;
            }
            most = most.max(given.impulse);
        }
        contacts += impulses.len();
        let found = momenta(model, state);
        for (index, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            let weight = body.mass * settings.dt() * settings.gravity;
            let more = (found[index] - wanted[index] - weight).length() / body.mass;
            assert!(more < 1e-3, "{} is faster by {more} m/s in step {step}", body.id);
        }
    }
    assert!(contacts > 5000 && most > 1000.0, "{contacts} contacts, at most {most} N·s");
}
