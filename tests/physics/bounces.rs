//! Bodies that bounce without loss, in a closed box and without gravity: they gain no energy.

use sinew::metrics::Recorder;
use sinew::{BodyDef, Material, Scene, Shape, Sim, SolverKind, Vec2};

fn elastic(id: &str, shape: Shape, at: Vec2, velocity: Vec2) -> BodyDef {
    let material = Material { friction: 0.0, restitution: 1.0, ..Material::default() };
    BodyDef { material, velocity, ..BodyDef::new(id, shape, at) }
}

fn boxed(id: &str, size: (f32, f32), at: (f32, f32), velocity: (f32, f32)) -> BodyDef {
    elastic(id, Shape::Box { size: size.into() }, at.into(), velocity.into())
}

/// Four walls around a space of 3 m by 1.8 m.
fn room() -> Vec<BodyDef> {
    [
        boxed("floor", (5.0, 1.0), (0.0, -0.5), (0.0, 0.0)),
        boxed("ceiling", (5.0, 1.0), (0.0, 2.3), (0.0, 0.0)),
        boxed("left", (1.0, 4.0), (-2.0, 0.9), (0.0, 0.0)),
        boxed("right", (1.0, 4.0), (2.0, 0.9), (0.0, 0.0)),
    ]
    .map(BodyDef::fixed)
    .to_vec()
}

/// The energy at the start, the most that it gained, and what is left of it, J.
fn energies(bodies: Vec<BodyDef>, solver: SolverKind, substeps: Option<u32>) -> [f64; 3] {
    let mut scene = Scene { bodies: [room(), bodies].concat(), ..Scene::default() };
    scene.settings.gravity = Vec2::ZERO;
    (scene.settings.solver, scene.settings.substeps) = (solver, substeps);
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), Vec2::ZERO);
    for _ in 0..600 {
        sim.step().unwrap();
        recorder.observe(sim.world());
    }
    let quality = recorder.quality();
    [quality.energy_start_j, quality.energy_peak_gain_j, quality.energy_end_j]
}

#[test]
fn boxes_that_spin_fast_gain_nothing_where_they_bounce_without_loss() {
    // The small one comes to spin at a hundred radians a second: half a radian in a sub-step.
    let bodies = || {
        vec![
            boxed("a", (0.4, 0.4), (-0.5, 0.9), (-5.0, -4.0)),
            boxed("b", (0.2, 0.2), (0.5, 0.9), (3.0, 3.0)),
        ]
    };
    for solver in SolverKind::ALL {
        let [start, gained, end] = energies(bodies(), solver, None);
        assert!(gained < 0.01 * start && end > 0.2 * start, "{solver}: {start} {gained} {end}");
    }
    // Less is lost where sub-steps are short.
    let [start, gained, end] = energies(bodies(), SolverKind::Impulse, Some(16));
    assert!(gained < 0.01 * start && end > 0.6 * start, "{start} {gained} {end}");
}

#[test]
fn a_crowd_of_boxes_gains_nothing_where_they_bounce_without_loss() {
    let number = |k: u32, step: u32| (step * k % 17) as f32 / 8.0 - 1.0;
    let crowd = (0..15).map(|k| BodyDef {
        spin: 5.0 * number(k, 7),
        ..boxed(
            &format!("box{k}"),
            (0.2, 0.15),
            (0.5 * (k % 5) as f32 - 1.0, 0.5 * (k / 5) as f32 + 0.4),
            (3.0 * number(k, 3), 3.0 * number(k, 5)),
        )
    });
    for solver in SolverKind::ALL {
        let [start, gained, end] = energies(crowd.clone().collect(), solver, None);
        assert!(gained < 0.01 * start && end > 0.25 * start, "{solver}: {start} {gained} {end}");
    }
}

#[test]
fn a_disc_that_bounces_without_loss_keeps_its_energy() {
    let disc = || {
        elastic("disc", Shape::Disc { radius: 0.2 }, Vec2::new(-0.4, 1.0), Vec2::new(-6.0, -1.0))
    };
    let [start, gained, end] = energies(vec![disc()], SolverKind::Impulse, None);
    assert!(gained < 0.001 * start && end > 0.95 * start, "{start} {gained} {end}");
}
