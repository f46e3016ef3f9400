//! The quick gates of the laboratory, kept on every solver, and what a solver says of those it breaks.
//! `sinew test levels/lab --solver all` runs them all.

use std::path::Path;

use sinew::metrics::Recorder;
use sinew::{Level, Overrides, Response, Sim, SolverKind, World};

use crate::promised::{broken, broken_on_any};

fn lab(name: &str) -> Level {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels/lab");
    Level::load(&folder.join(format!("{name}.json"))).unwrap()
}

#[test]
fn no_bullet_goes_through_a_thin_wall() {
    let level = lab("thin_wall");
    assert_eq!(broken_on_any(&level), Vec::<String>::new());
}

#[test]
fn heavy_loads_spins_and_chains_hold_on_every_solver() {
    for name in
        ["big_box", "warm_start", "spinning_cross", "stretched_chain", "double_domino", "friction"]
    {
        assert_eq!(broken_on_any(&lab(name)), Vec::<String>::new());
    }
}

#[test]
fn jelly_under_heavy_lids_is_as_stiff_as_its_material() {
    let level = lab("heavy_lid");
    for solver in [SolverKind::Impulse, SolverKind::Pbd] {
        assert_eq!(broken(&level, solver), Vec::<String>::new());
    }
}

/// Its stiffness says 4.46 cm.
#[test]
fn jelly_under_a_heavy_lid_looks_hardly_softer_on_verlet() {
    let mut sim = Sim::new(&lab("heavy_lid").scene).unwrap();
    while sim.world().state.time < 1.5 {
        sim.step().unwrap();
    }
    let World { model, state, .. } = sim.world();
    for name in ["press.lid", "fine.lid"] {
        let lid = model.bodies.iter().find(|body| body.id == name).unwrap();
        let down = 1.25 - model.center(lid, &state.position).y;
        assert!((0.04..0.06).contains(&down), "{name}: {down} m");
    }
}

#[test]
fn a_net_of_joints_stays_closed_on_every_solver() {
    let mut level = lab("joint_grid");
    // Two seconds of its ten, in which the net swings most.
    for promise in &mut level.expect {
        (promise.from, promise.at) = (0.2 * promise.from, 0.2 * promise.at);
    }
    assert_eq!(broken_on_any(&level), Vec::<String>::new());
}

#[test]
fn verlet_names_the_gates_it_breaks() {
    // Quick enough to be run; of the others only the words are looked at.
    assert!(!broken(&lab("overlap"), SolverKind::Verlet).is_empty(), "its limitation can go");
    assert_eq!(broken(&lab("overlap"), SolverKind::Impulse), Vec::<String>::new());
    assert_eq!(broken(&lab("overlap"), SolverKind::Pbd), Vec::<String>::new());
    for name in ["overlap", "heavy_lid"] {
        let sim = Sim::new(&lab(name).scene).unwrap();
        assert_eq!(sim.solver_kind(), SolverKind::Verlet);
        let words = sim.limitations();
        let named = words.iter().any(|limitation| limitation.text.contains(&format!("lab/{name}")));
        assert!(named, "{name}: {words:?}");
    }
    for name in
        ["vertical_stack", "pyramid_20", "arch", "thin_wall", "card_house", "bridge", "far_pyramid"]
    {
        let words = Sim::new(&lab(name).scene).unwrap().limitations();
        assert!(words.is_empty(), "{name}: {words:?}");
    }
}

/// The deepest overlap of a stack of fifteen boxes within two seconds, on `impulse`.
fn sink(response: Response) -> f64 {
    let mut scene = lab("vertical_stack").scene;
    let overrides = Overrides {
        solver: Some(SolverKind::Impulse),
        response: Some(response),
        ..Overrides::default()
    };
    scene.settings = overrides.apply(scene.settings);
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    for _ in 0..120 {
        sim.step().unwrap();
        recorder.observe(sim.world());
    }
    recorder.quality().max_penetration_m
}

#[test]
fn soft_and_textbook_contacts_sink_deeper_than_the_default() {
    let [best, soft, classic] = Response::ALL.map(sink);
    assert!(best < 1e-3, "default {best} m");
    assert!(soft > 5.0 * best, "soft {soft} m, default {best} m");
    assert!(classic > 2.0 * best, "classic {classic} m, default {best} m");
}
