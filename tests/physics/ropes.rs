//! Ropes that joints hold and that collide with themselves: nothing makes energy of nothing.

use sinew::metrics::{Quality, Recorder};
use sinew::soft::{Hold, Rope};
use sinew::{
    AngleLimit, BodyDef, JointDef, JointKind, Level, Scene, Shape, Sim, SolverKind, Spring, Travel,
    Vec2,
};

fn watched(sim: &mut Sim, seconds: f32) -> Quality {
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    for _ in 0..(seconds * sim.settings().hz).round() as u32 {
        sim.step().unwrap();
        recorder.observe(sim.world());
    }
    recorder.quality()
}

fn limited() -> JointKind {
    JointKind::Pin { limit: Some(AngleLimit { lower: -0.5, upper: 0.5 }) }
}

/// A rope of 2 m with a lamp on it at `at`.
fn lamp(kind: JointKind, at: f32, hangs: bool, rope_first: bool) -> Scene {
    let hold = if hangs { Hold::Start } else { Hold::None };
    let rope = Rope { to: 2.0 * Vec2::X, segments: Some(10), hold, ..Rope::default() };
    let mut lamp = BodyDef::new("lamp", Shape::Box { size: Vec2::splat(0.4) }, Vec2::new(at, -0.2));
    let mut scene = Scene::default();
    if !hangs {
        scene.settings.gravity = Vec2::ZERO;
        (lamp.velocity, lamp.spin) = (2.0 * Vec2::Y, 2.0);
    }
    let rope = BodyDef::new("rope", Shape::Mesh(rope.mesh().unwrap()), Vec2::ZERO);
    scene.bodies = vec![rope, lamp];
    let [a, b] = if rope_first { ["rope", "lamp"] } else { ["lamp", "rope"] };
    scene.joints.push(JointDef::new("joint", kind, a, Some(b), Vec2::new(at, 0.0)));
    scene
}

#[test]
fn what_is_welded_to_a_rope_turns_with_the_segment_that_it_is_on() {
    let kinds = [
        JointKind::Weld { bend: None },
        JointKind::Weld { bend: Some(Spring { stiffness: 50.0, damping: 5.0 }) },
        limited(),
        JointKind::Slider { axis: Vec2::X, limit: Some(Travel { lower: -0.1, upper: 0.1 }) },
    ];
    for solver in SolverKind::ALL {
        for kind in kinds {
            // In the middle of the rope, whose halves fold together there, in the middle of a segment, and at the end.
            for (at, hangs, rope_first) in
                [(1.0, true, true), (1.0, false, false), (1.3, false, true), (2.0, true, false)]
            {
                let mut scene = lamp(kind, at, hangs, rope_first);
                scene.settings.solver = solver;
                let mut sim = Sim::new(&scene).unwrap();
                let quality = watched(&mut sim, 8.0);
                // What a rope that is pulled straight may store for a moment.
                let most = 0.02 * quality.energy_start_j.max(2000.0);
                let told = format!("{solver} {kind:?} at {at}, hanging {hangs}: {quality:?}");
                assert!(quality.energy_peak_gain_j < most, "{told}");
                assert!(quality.max_joint_error_m < 0.01, "{told}");
            }
        }
    }
}

#[test]
fn a_lamp_is_turned_as_its_segment_of_the_rope() {
    for solver in SolverKind::ALL {
        let mut scene = lamp(JointKind::Weld { bend: None }, 2.0, true, true);
        scene.settings.solver = solver;
        let mut sim = Sim::new(&scene).unwrap();
        watched(&mut sim, 5.0);
        let world = sim.world();
        let [rope, lamp] = ["rope", "lamp"].map(|id| world.body(id).unwrap());
        let end = world.model.bodies[world.index(rope).unwrap()].point_range().end;
        let along = world.state.position[end - 1] - world.state.position[end - 2];
        let turned = world.pose(lamp).unwrap().rot.radians();
        let apart = (turned - along.to_angle()).sin().abs();
        assert!(apart < 0.01, "{solver}: {turned} {}", along.to_angle());
    }
}

#[test]
fn a_rope_that_is_thicker_than_its_segments_are_long_does_not_push_itself_apart() {
    for (segments, thickness) in [(60, 0.05), (8, 0.3), (30, 0.06)] {
        for solver in SolverKind::ALL {
            let text = format!(
                r#"{{ "format": 1, "items": [
                    {{ "type": "static", "box": [20, 2], "at": [0, -1] }},
                    {{ "type": "rope", "id": "r", "at": [0, 1], "to": [2, 1], "length": 2.02,
                       "thickness": {thickness}, "segments": {segments}, "self_collision": true }} ] }}"#
            );
            let mut scene = Level::parse(&text, "rope.json").unwrap().scene;
            scene.settings.solver = solver;
            let mut sim = Sim::new(&scene).unwrap();
            let quality = watched(&mut sim, 3.0);
            let told = format!("{solver} {segments} of {thickness} m: {quality:?}");
            assert!(quality.max_stretch < 0.05, "{told}");
            assert!(quality.energy_peak_gain_j < 1.0, "{told}");
        }
    }
}

#[test]
fn a_rope_still_collides_with_itself() {
    // Upright it falls into a heap, where segments that are far apart along the rope lie on each other.
    for solver in SolverKind::ALL {
        let text = r#"{ "format": 1, "items": [
            { "type": "static", "box": [20, 2], "at": [0, -1] },
            { "type": "rope", "id": "r", "at": [0, 4], "to": [0, 1], "thickness": 0.1, "segments": 30,
              "self_collision": true } ] }"#;
        let mut scene = Level::parse(text, "rope.json").unwrap().scene;
        scene.settings.solver = solver;
        let mut sim = Sim::new(&scene).unwrap();
        let quality = watched(&mut sim, 4.0);
        let rope = sim.world().body("r").unwrap();
        let contacts = sim.contacts();
        let model = &sim.world().model;
        let of_rope = |piece: &u32| {
            model.bodies[model.pieces[*piece as usize].body as usize].handle() == rope
        };
        let own = contacts.iter().filter(|contact| contact.pieces.iter().all(of_rope)).count();
        assert!(own > 0 && quality.final_penetration_m < 0.02, "{solver} {own}: {quality:?}");
    }
}
