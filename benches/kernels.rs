//! What the parts of a step cost, each for one of what it works on: an edge, a point, a pair, a contact.
//!
//! Parts that are public are called (`Collision`). Those that are a solver's own are measured by the time that
//! a step says it spent in them, in worlds where nothing else happens in that phase: edges where no joint
//! holds and nothing collides, contacts where there are no joints. The broad phase has `broad_phase.rs`.
//!
//! | group | in | for one |
//! |---|---|---|
//! | `relaxation` | phase `solve` of `verlet` | edge in a round |
//! | `integration` | phase `integrate` of `verlet`, `impulse` and `pbd` | point in a sub-step |
//! | `separating_axes` | [`Collision::touch`] | pair of pieces |
//! | `manifolds` | [`Collision::detect`] | pair of pieces |
//! | `contacts` | phases `narrow` and `solve` of a pile | contact in a round |
//! | `hinges` | phase `solve` of a net of discs | pin in a round |

use std::fmt::Display;
use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sinew::soft::{Cloth, Held, Jelly};
use sinew::{
    BodyDef, Collision, Filter, JointDef, Mesh, Phases, Scene, Shape, Sim, SolverKind, Vec2, World,
};

/// Rounds in a step where edges are measured.
const ROUNDS: u32 = 32;
/// Nothing collides with what has this filter.
const ALONE: Filter = Filter { category: 0, mask: 0, group: 0 };

/// What came out, or a panic that says what went wrong.
fn sound<T, E: Display>(outcome: Result<T, E>) -> T {
    outcome.unwrap_or_else(|error| panic!("{error}"))
}

fn sim(bodies: Vec<BodyDef>, solver: SolverKind, effort: Option<(u32, u32)>) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.solver = solver;
    scene.settings.sleep = false;
    scene.settings.substeps = effort.map(|(substeps, _)| substeps);
    scene.settings.iterations = effort.map(|(_, iterations)| iterations);
    sound(Sim::new(&scene))
}

/// One soft body that collides with nothing.
fn alone(mesh: Mesh) -> Vec<BodyDef> {
    let body = BodyDef::new("it", Shape::Mesh(mesh), Vec2::ZERO);
    vec![BodyDef { filter: ALONE, ..body }]
}

/// Crates of one metre in a square, so far apart that none meets another.
fn crates(count: usize) -> Vec<BodyDef> {
    let wide = (count as f32).sqrt().ceil() as usize;
    let place = |k: usize| 2.0 * Vec2::new((k % wide) as f32, (k / wide) as f32);
    let body = |k| BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, place(k));
    (0..count).map(|k| BodyDef { spin: 1.0, filter: ALONE, ..body(k) }).collect()
}

/// Columns of ten crates on wide ground.
fn pile(columns: usize) -> Vec<BodyDef> {
    let ground = Shape::Box { size: Vec2::new(1.1 * columns as f32 + 20.0, 1.0) };
    let mut bodies = vec![BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed()];
    for k in 0..10 * columns {
        let at = Vec2::new(1.1 * ((k / 10) as f32 - 0.5 * columns as f32), 0.5 + (k % 10) as f32);
        bodies.push(BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at));
    }
    bodies
}

/// Measures what steps spend in some of their phases.
fn phase(criterion: &mut Criterion, name: BenchmarkId, group: &str, measured: Measured) {
    let Measured { mut sim, of, elements } = measured;
    for _ in 0..30 {
        sound(sim.step());
    }
    let elements = elements(&sim);
    let mut group = criterion.benchmark_group(group);
    group.throughput(Throughput::Elements(elements));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|count| {
            let spent = (0..count).map(|_| f64::from(of(&sound(sim.step()).phases))).sum();
            Duration::from_secs_f64(spent)
        });
    });
    group.finish();
}

/// A world, what of its steps is measured, and how much of what there is in a step.
struct Measured {
    sim: Sim,
    of: fn(&Phases) -> f32,
    elements: Box<dyn Fn(&Sim) -> u64>,
}

fn relaxation(criterion: &mut Criterion) {
    let cloth =
        Cloth { size: Vec2::splat(9.9), cell: Some(0.1), hold: Held::Top, ..Cloth::default() };
    // What a cloth is without what keeps its threads from turning: stiff edges only, and no cells to be guarded, which
    // are no edges.
    let mut net = sound(cloth.mesh());
    net.edges.retain(|edge| edge.compliance == 0.0);
    net.areas.clear();
    (net.pieces, net.radius) = (vec![vec![0]], 0.01);
    let half = 2.0;
    let corners = [(-half, -half), (half, -half), (half, half), (-half, half)];
    let jelly =
        Jelly { outline: corners.map(Vec2::from).to_vec(), cell: Some(0.08), ..Jelly::default() };
    let worlds = [
        ("net", alone(net)),
        ("cloth", alone(sound(cloth.mesh()))),
        ("jelly", alone(sound(jelly.mesh()))),
        ("crates", crates(2_000)),
    ];
    for (name, bodies) in worlds {
        let sim = sim(bodies, SolverKind::Verlet, Some((1, ROUNDS)));
        let edges = sim.world().model.edges.len() as u64;
        let elements = Box::new(move |sim: &Sim| edges * u64::from(sim.report().iterations));
        let measured = Measured { sim, of: |phases| phases.solve, elements };
        phase(criterion, BenchmarkId::new(name, edges), "relaxation", measured);
    }
}

fn integration(criterion: &mut Criterion) {
    for solver in SolverKind::ALL {
        let sim = sim(crates(2_000), solver, Some((4, 1)));
        let points = 4 * sim.world().model.point_count() as u64;
        let measured =
            Measured { sim, of: |phases| phases.integrate, elements: Box::new(move |_| points) };
        phase(criterion, BenchmarkId::from_parameter(solver), "integration", measured);
    }
}

fn separating_axes(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("separating_axes");
    group.throughput(Throughput::Elements(1));
    let unit = || Shape::Box { size: Vec2::ONE };
    let hexagon = || {
        let corner = |k| 0.5 * Vec2::from_angle(k as f32 * std::f32::consts::FRAC_PI_3);
        Shape::Polygon { vertices: (0..6).map(corner).collect() }
    };
    let disc = || Shape::Disc { radius: 0.5 };
    let pairs = [
        ("faces", unit(), unit(), Vec2::new(0.3, 0.99), 0.0),
        ("corner_on_face", unit(), unit(), Vec2::new(0.1, 1.2), 0.785),
        ("apart", unit(), unit(), Vec2::new(0.9, 1.1), 0.0),
        ("hexagons", hexagon(), hexagon(), Vec2::new(0.1, 0.85), 0.2),
        ("discs", disc(), disc(), Vec2::new(0.1, 0.98), 0.0),
    ];
    for (name, lower, upper, at, angle) in pairs {
        let upper = BodyDef { angle, ..BodyDef::new("upper", upper, at) };
        let bodies = vec![BodyDef::new("lower", lower, Vec2::ZERO), upper];
        let World { model, state } = sound(World::build(&Scene { bodies, ..Scene::default() }));
        group.bench_function(name, |bencher| {
            bencher.iter(|| Collision::touch(&model, black_box(&state.position), (0, 1), 0.01));
        });
    }
    group.finish();
}

fn manifolds(criterion: &mut Criterion) {
    let mut sim = sim(pile(100), SolverKind::Impulse, None);
    for _ in 0..60 {
        sound(sim.step());
    }
    let World { model, state } = sim.world();
    let mut collision = Collision::default();
    collision.update_pairs(model, state, 0.0, 0.05);
    let mut group = criterion.benchmark_group("manifolds");
    group.throughput(Throughput::Elements(collision.pairs().len() as u64));
    group.bench_function("pile", |bencher| {
        bencher.iter(|| collision.detect(model, black_box(&state.position), 0.01).len());
    });
    group.finish();
}

fn contacts(criterion: &mut Criterion) {
    for solver in SolverKind::ALL {
        let sim = sim(pile(100), solver, None);
        // `verlet` looks for contacts in every round, and pushes what it finds.
        let of = if solver == SolverKind::Verlet {
            |phases: &Phases| phases.narrow
        } else {
            |phases: &Phases| phases.solve
        };
        let elements = |sim: &Sim| sim.contacts().len() as u64 * u64::from(sim.report().iterations);
        let measured = Measured { sim, of, elements: Box::new(elements) };
        phase(criterion, BenchmarkId::from_parameter(solver), "contacts", measured);
    }
}

/// A net of discs that hangs from its upper corners, each pinned to its neighbours.
fn net(side: usize) -> Scene {
    let at = |x: usize, y: usize| Vec2::new(x as f32, -(y as f32));
    let name = |x: usize, y: usize| format!("disc{x},{y}");
    let (mut bodies, mut joints) = (Vec::new(), Vec::new());
    for (x, y) in (0..side * side).map(|k| (k % side, k / side)) {
        let shape = Shape::Disc { radius: 0.4 };
        let disc = BodyDef { filter: ALONE, ..BodyDef::new(name(x, y), shape, at(x, y)) };
        bodies.push(if y == 0 && x % (side - 1) == 0 { disc.fixed() } else { disc });
        for (to, right, down) in [(x + 1, 1, 0), (y + 1, 0, 1)] {
            if to < side {
                let other = name(x + right, y + down);
                let middle = 0.5 * (at(x, y) + at(x + right, y + down));
                let id = format!("pin{}", joints.len());
                joints.push(JointDef::pin(id, name(x, y), Some(&other), middle));
            }
        }
    }
    Scene { bodies, joints, ..Scene::default() }
}

fn hinges(criterion: &mut Criterion) {
    for solver in SolverKind::ALL {
        let mut scene = net(50);
        scene.settings.solver = solver;
        scene.settings.sleep = false;
        let pins = scene.joints.len() as u64;
        let sim = sound(Sim::new(&scene));
        let elements = Box::new(move |sim: &Sim| pins * u64::from(sim.report().iterations));
        let measured = Measured { sim, of: |phases| phases.solve, elements };
        phase(criterion, BenchmarkId::from_parameter(solver), "hinges", measured);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(1));
    targets = relaxation, integration, separating_axes, manifolds, contacts, hinges
}
criterion_main!(benches);
