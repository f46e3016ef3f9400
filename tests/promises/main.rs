//! What levels promise, from the file to the verdict, and the metrics that it is measured by.
//!
//! `metrics.rs` holds the metrics against cases worked out by hand.
//! `conditions.rs` and `time.rs` judge worlds put into a known state by hand, without any solver:
//! each quantity and state true and false, on bodies, groups and patterns, at an instant and over
//! an interval. `language.rs` reads every key of the language from level files and runs them on
//! every solver: a promise that is kept, and the same one turned round, which has to break.
//! `document.rs` holds `docs/expect.md` to what there is.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod conditions;
mod document;
mod language;
mod metrics;
mod time;

use sinew::metrics::{Judge, Recorder, Verdict};
use sinew::{
    BodyDef, Condition, Expectation, Holds, Level, Quantity, Range, Scene, Shape, Sim, SolverKind,
    Subject, Vec2, World,
};

const GRAVITY: Vec2 = Vec2::new(0.0, -10.0);
const STEP: f64 = 0.125;

fn world(bodies: Vec<BodyDef>) -> World {
    World::build(&Scene { bodies, ..Scene::default() }).unwrap()
}

fn crate_at(id: &str, x: f32, y: f32) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::ONE }, Vec2::new(x, y))
}

fn ball_at(id: &str, x: f32, y: f32) -> BodyDef {
    BodyDef::new(id, Shape::Disc { radius: 0.5 }, Vec2::new(x, y))
}

fn plank_at(id: &str, x: f32, y: f32, width: f32, height: f32) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::new(width, height) }, Vec2::new(x, y))
}

/// The points of a body, or of the bodies whose ids begin so.
fn points(world: &World, id: &str) -> Vec<usize> {
    let bodies = world.model.bodies.iter().filter(|body| body.id.starts_with(id));
    bodies.flat_map(|body| body.point_range()).collect()
}

fn shift(world: &mut World, id: &str, by: Vec2) {
    for point in points(world, id) {
        world.state.position[point] += by;
    }
}

/// Turns what the id begins with about a place, in degrees.
fn turn(world: &mut World, id: &str, about: Vec2, degrees: f32) {
    let turn = Vec2::from_angle(degrees.to_radians());
    for point in points(world, id) {
        let offset = world.state.position[point] - about;
        world.state.position[point] = about + turn.rotate(offset);
    }
}

/// Gives what the id begins with a velocity, and a spin about a place in degrees per second.
fn set_motion(world: &mut World, id: &str, velocity: Vec2, about: Vec2, spin: f32) {
    for point in points(world, id) {
        let offset = world.state.position[point] - about;
        world.state.velocity[point] = velocity + spin.to_radians() * offset.perp();
    }
}

/// Lets time pass, though nothing moves of itself.
fn tick(world: &mut World) {
    world.state.time += STEP;
    world.state.steps += 1;
}

/// A promise about one instant, a step after the start.
fn at_once(subject: Subject) -> Expectation {
    let solvers = Vec::new();
    Expectation { from: STEP, at: STEP, holds: Holds::Always, subject, solvers, line: 7 }
}

fn body(name: &str, condition: Condition) -> Expectation {
    at_once(Subject::Body { name: name.into(), condition })
}

fn quantity(name: &str, quantity: Quantity, range: Range) -> Expectation {
    body(name, Condition::Quantity { quantity, amount: false, range })
}

fn amount(name: &str, quantity: Quantity, range: Range) -> Expectation {
    body(name, Condition::Quantity { quantity, amount: true, range })
}

fn touching(other: &str) -> Condition {
    Condition::Touching(other.into())
}

/// What becomes of the promises if the world is changed so from the start to the first step.
fn after(mut world: World, promises: &[Expectation], change: impl Fn(&mut World)) -> Vec<Verdict> {
    let mut recorder = Recorder::new(&world, GRAVITY);
    let mut judge = Judge::new(promises, SolverKind::Verlet, &world);
    judge.observe(recorder.last(), &world);
    tick(&mut world);
    change(&mut world);
    let sample = *recorder.observe(&world);
    judge.observe(&sample, &world);
    judge.verdicts()
}

/// Whether the promises were kept; where not, what is said has to hold these words.
#[track_caller]
fn assert_kept(verdicts: &[Verdict], expected: &[bool]) {
    let kept: Vec<_> = verdicts.iter().map(|verdict| verdict.pass).collect();
    let told: Vec<_> = verdicts.iter().map(ToString::to_string).collect();
    assert_eq!(kept, expected, "{told:#?}");
}

/// What becomes of the promises of a level on a solver.
fn run(level: &Level, solver: SolverKind) -> Vec<Verdict> {
    let mut scene = level.scene.clone();
    scene.settings.solver = solver;
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, solver, sim.world());
    judge.observe(recorder.last(), sim.world());
    let end = level.expect.iter().map(|promise| promise.at).fold(0.0, f64::max);
    while sim.world().state.time < end {
        sim.step().unwrap();
        judge.observe(recorder.observe(sim.world()), sim.world());
    }
    judge.verdicts()
}
