//! Changing the backend, going back in time and reloading in mid-run are seamless: momenta are kept
//! and nobody sees a jump, on every level that there is.
//!
//! A jump is how far a point gets in the step after it beyond what the run that goes on undisturbed
//! accounts for: it is farther from its place there, and farther than its speed there, before the step
//! or after it, can take it, or that of what its body touches, or what that touches: who is hit in this very step may be as
//! fast as who hits him, also by a plank that lies between, and backends do not agree on how a blow is shared out. A
//! tenth of the way that it goes anyway is nothing to see.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use sinew::glam::DVec2;
use sinew::{
    BodyDef, Level, Model, Overrides, Scene, Shape, Sim, SolverKind, State, Vec2, World, carry_over,
};

/// Jumps below this are not seen, m.
const VISIBLE: f32 = 0.01;
/// Change of momentum that is let pass, relative to Σ m·|v| and Σ |r × m·v|.
const DRIFT: f64 = 1e-4;
/// What backends lose of themselves in a crash of ragdolls: `impulse`, never switched, 1.3e-4.
const OWN_DRIFT: f64 = 3e-4;
/// Levels of more points are tried at one moment only.
const MANY: usize = 1000;

fn levels() -> Vec<Level> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels");
    let entries = [root.clone(), root.join("lab")].map(|folder| fs::read_dir(folder).unwrap());
    let is_level = |path: &PathBuf| {
        path.extension().is_some_and(|ending| ending == "json")
            && !path.ends_with("level.schema.json")
    };
    let mut files: Vec<PathBuf> =
        entries.into_iter().flatten().map(|entry| entry.unwrap().path()).filter(is_level).collect();
    files.sort();
    files.iter().map(|file| Level::load(file).unwrap()).collect()
}

/// A simulation of a level on a backend, at the effort that the window would choose.
fn simulate(scene: &Scene, solver: SolverKind) -> Sim {
    let mut scene = scene.clone();
    scene.settings = chosen(solver).apply(scene.settings);
    Sim::new(&scene).unwrap()
}

fn chosen(solver: SolverKind) -> Overrides {
    Overrides { solver: Some(solver), ..Overrides::default() }
}

/// Momentum and angular momentum of what moves, and what they are relative to.
struct Momenta {
    linear: DVec2,
    angular: f64,
    scale: (f64, f64),
}

impl Momenta {
    fn of(world: &World) -> Self {
        let mut sum = Self { linear: DVec2::ZERO, angular: 0.0, scale: (0.0, 0.0) };
        for (i, &mass) in world.model.mass.iter().enumerate() {
            let place = world.state.position[i].as_dvec2();
            let momentum = f64::from(mass) * world.state.velocity[i].as_dvec2();
            sum.linear += momentum;
            sum.angular += place.perp_dot(momentum);
            sum.scale.0 += momentum.length();
            sum.scale.1 += place.perp_dot(momentum).abs();
        }
        sum
    }

    /// The larger of both changes, relative.
    fn drift(&self, before: &Self) -> f64 {
        let linear = self.linear.distance(before.linear) / before.scale.0;
        linear.max((self.angular - before.angular).abs() / before.scale.1)
    }
}

/// How fast what each body touches, or what that touches, is before a step or after it, where it is fastest, m/s.
fn touched(model: &Model, states: [&State; 2], sims: [&Sim; 2]) -> Vec<f32> {
    let mut own = vec![0.0_f32; model.bodies.len()];
    for state in states {
        for (velocity, &body) in state.velocity.iter().zip(&model.body_of) {
            own[body as usize] = own[body as usize].max(velocity.length());
        }
    }
    let contacts: Vec<_> = sims.iter().flat_map(|sim| sim.contacts().to_vec()).collect();
    let hand_on = |speeds: &[f32]| {
        let mut touched = speeds.to_vec();
        for contact in &contacts {
            let [a, b] = contact.pieces.map(|piece| model.pieces[piece as usize].body as usize);
            // The ground hands on nothing.
            for (to, from) in
                [(a, b), (b, a)].into_iter().filter(|(to, _)| model.bodies[*to].is_dynamic())
            {
                touched[to] = touched[to].max(speeds[from]);
            }
        }
        touched
    };
    hand_on(&hand_on(&own))
}

/// The largest jump of any point between `before` and `after`, m, and the point. `expected` is what the undisturbed run
/// made of it, and `touched` how fast what touches a point's body is, m/s.
fn jump(
    [before, expected, after]: [&State; 3],
    touched: impl Fn(usize) -> f32,
    dt: f32,
) -> (f32, usize) {
    let of = |i: usize| {
        let own = before.velocity[i].length().max(expected.velocity[i].length());
        let way = dt * own.max(touched(i));
        let moved = after.position[i].distance(before.position[i]) - way;
        // Far from the origin a place is known to a few units of rounding only.
        let blur = 4.0 * f32::EPSILON * before.position[i].abs().max_element();
        moved.min(after.position[i].distance(expected.position[i])) - blur - 0.1 * way
    };
    let jumps = (0..before.position.len()).map(|i| (of(i), i));
    jumps.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or((0.0, 0))
}

/// What happens to a run.
#[derive(Clone, Copy, Debug)]
enum Turn {
    SwitchTo(SolverKind),
    Rewind,
    Reload,
}

/// The jumps of a level that starts on a backend which would be seen, in words.
fn seen(level: &Level, from: SolverKind) -> Vec<String> {
    let mut found = Vec::new();
    let mut sim = simulate(&level.scene, from);
    let many = sim.world().model.point_count() > MANY;
    for moment in [0.5, 2.0] {
        if many && moment > 0.5 {
            break;
        }
        while sim.world().state.time < moment - 1e-6 {
            sim.step().unwrap();
        }
        let (now, undisturbed) = (sim.snapshot(), sim.world().clone());
        let others = SolverKind::ALL.into_iter().filter(|&to| to != from).map(Turn::SwitchTo);
        let mut outcomes = Vec::new();
        for turn in others.chain([Turn::Rewind, Turn::Reload]) {
            let mut other = sim.twin(from).unwrap();
            match turn {
                Turn::SwitchTo(to) => {
                    other.switch_solver(to).unwrap();
                    other.set_settings(chosen(to).apply(level.scene.settings));
                }
                Turn::Rewind => {
                    other.step().unwrap();
                    other.rewind(&now);
                }
                Turn::Reload => {
                    let scene = &level.scene;
                    let world = carry_over(scene, scene, &undisturbed).unwrap();
                    // What was torn since the start is whole again: that is a jump by design.
                    if world.model.edges.len() != undisturbed.model.edges.len()
                        || world.model.joints.len() != undisturbed.model.joints.len()
                    {
                        continue;
                    }
                    other.go_on_with(world);
                }
            }
            assert_eq!(other.world().state, *now.state(), "{}: {from}, {turn:?}", level.name);
            other.step().unwrap();
            outcomes.push((turn, other));
        }
        sim.step().unwrap();
        let (before, expected) = (now.state(), &sim.world().state);
        for (turn, other) in outcomes {
            let after = &other.world().state;
            let count = before.position.len();
            if expected.position.len() != count || after.position.len() != count {
                continue;
            }
            let model = &sim.world().model;
            let touched = touched(model, [before, expected], [&sim, &other]);
            let of = |point: usize| touched[model.body_of[point] as usize];
            let (far, point) = jump([before, expected, after], of, sim.settings().dt());
            if far >= VISIBLE {
                let body = &model.bodies[model.body_of[point] as usize].id;
                let name = &level.name;
                found.push(format!("{name}: {from}, {turn:?} at {moment} s: {body} by {far} m"));
            }
        }
    }
    found
}

#[test]
fn nobody_sees_a_switch_a_rewind_or_a_reload_on_any_level() {
    let levels = levels();
    assert!(levels.len() >= 45, "{} levels", levels.len());
    let all = levels.iter().flat_map(|level| SolverKind::ALL.map(|from| (level, from)));
    let (jobs, found) = (Mutex::new(all), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some((level, from)) = jobs.lock().unwrap().next() else { break };
                    let seen = seen(level, from);
                    found.lock().unwrap().extend(seen);
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap();
    found.sort();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn what_lies_still_and_is_moved_by_two_centimetres_is_seen() {
    let solid = |id: &str, at: Vec2| BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at);
    let bodies = vec![solid("ground", Vec2::new(0.0, -0.5)).fixed(), solid("crate", 0.5 * Vec2::Y)];
    let mut sim = simulate(&Scene { bodies, ..Scene::default() }, SolverKind::Verlet);
    for _ in 0..60 {
        sim.step().unwrap();
    }
    let before = sim.world().state.clone();
    sim.step().unwrap();
    let (model, expected) = (&sim.world().model, &sim.world().state);
    let touched = touched(model, [&before, expected], [&sim, &sim]);
    for (far, is_seen) in [(0.005, false), (0.02, true)] {
        let mut after = expected.clone();
        after.position[model.bodies[1].point_range().start].x += far;
        let of = |point: usize| touched[model.body_of[point] as usize];
        let (found, point) = jump([&before, expected, &after], of, sim.settings().dt());
        assert_eq!(found >= VISIBLE, is_seen, "{found} m at {point}");
    }
}

/// Ragdolls and crates without ground or gravity, thrown at each other.
fn space() -> Scene {
    let mut scene = Level::parse(
        r#"{ "format": 1, "world": { "gravity": [0, 0] }, "items": [
            { "type": "ragdoll", "id": "ann", "at": [-2, 0], "velocity": [3, 0.3], "spin": 60 },
            { "type": "ragdoll", "id": "bob", "at": [2, 0.4], "velocity": [-3, 0] }
        ] }"#,
        "space.json",
    )
    .unwrap()
    .scene;
    for i in 0..6 {
        let at = Vec2::new(-3.0 + 1.3 * i as f32, if i % 2 == 0 { 2.0 } else { -2.0 });
        let shape = Shape::Box { size: Vec2::new(0.5, 0.4) };
        let mut body = BodyDef::new(format!("crate{i}"), shape, at);
        body.velocity = -at;
        body.spin = i as f32 - 2.0;
        scene.bodies.push(body);
    }
    scene
}

#[test]
fn switching_keeps_both_momenta() {
    for from in SolverKind::ALL {
        for to in SolverKind::ALL {
            for moment in [0.3, 0.8, 1.5] {
                let mut sim = simulate(&space(), from);
                let start = Momenta::of(sim.world());
                while sim.world().state.time < moment {
                    sim.step().unwrap();
                }
                let before = Momenta::of(sim.world());
                sim.switch_solver(to).unwrap();
                assert_eq!(Momenta::of(sim.world()).drift(&before), 0.0, "{from} to {to}");
                sim.step().unwrap();
                let step = Momenta::of(sim.world()).drift(&before);
                assert!(step < DRIFT, "{from} to {to} at {moment} s: {step:.1e}");
                for _ in 0..60 {
                    sim.step().unwrap();
                }
                let all = Momenta::of(sim.world()).drift(&start);
                assert!(all < OWN_DRIFT, "{from} to {to} at {moment} s, a second later: {all:.1e}");
            }
        }
    }
}
