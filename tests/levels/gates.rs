//! The quick gates of the laboratory, kept on every solver, and what a solver says of those it breaks.
//! `sinew test levels/lab --solver all` runs them all.

use std::path::Path;

use sinew::metrics::{Judge, Recorder};
use sinew::{Level, Overrides, Response, Sim, SolverKind, World};

fn lab(name: &str) -> Level {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("levels/lab");
    Level::load(&folder.join(format!("{name}.json"))).unwrap()
}

/// The promises that a solver breaks, with what was measured.
fn broken(level: &Level, solver: SolverKind) -> Vec<String> {
    let mut scene = level.scene.clone();
    let overrides = Overrides { solver: Some(solver), ..Overrides::default() };
    scene.settings = overrides.apply(scene.settings);
    let mut sim = Sim::new(&scene).unwrap();
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut judge = Judge::new(&level.expect, solver, sim.world());
    judge.observe(recorder.last(), sim.world());
    let seconds = level.expect.iter().map(|promise| promise.at).fold(0.0, f64::max);
    for _ in 0..(60.0 * seconds) as usize {
        sim.step().unwrap();
        judge.observe(recorder.observe(sim.world()), sim.world());
    }
    let verdicts = judge.verdicts();
    let failed = verdicts.iter().filter(|verdict| !verdict.pass);
    failed.map(|verdict| format!("{solver}: {} = {}", verdict.name, verdict.value)).collect()
}

#[test]
fn no_bullet_goes_through_a_thin_wall() {
    let level = lab("thin_wall");
    let broken: Vec<_> = SolverKind::ALL.iter().flat_map(|&kind| broken(&level, kind)).collect();
    assert!(broken.is_empty(), "{broken:#?}");
}

#[test]
fn heavy_loads_spins_and_chains_hold_on_every_solver() {
    for name in
        ["big_box", "warm_start", "spinning_cross", "stretched_chain", "double_domino", "friction"]
    {
        let level = lab(name);
        let broken: Vec<_> =
            SolverKind::ALL.iter().flat_map(|&kind| broken(&level, kind)).collect();
        assert!(broken.is_empty(), "{name}: {broken:#?}");
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
    for solver in SolverKind::ALL {
        assert_eq!(broken(&level, solver), Vec::<String>::new());
    }
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
