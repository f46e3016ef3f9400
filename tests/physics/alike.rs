//! Soft bodies of one pattern are solved four side by side, and move as each would alone.

use sinew::soft::{Balloon, Beam, Cloth, Held, Hold, Jelly, Rope};
use sinew::{
    BodyDef, Filter, Material, Mesh, Plastic, Scene, Shape, Sim, SolverKind, Strength, Vec2,
};

/// What collides with nothing.
const NOTHING: Filter = Filter { category: 1, mask: 0, group: 0 };

/// A world of these bodies, one in the other.
fn sim(solver: SolverKind, bodies: impl IntoIterator<Item = BodyDef>) -> Sim {
    let mut scene = Scene::default();
    scene.settings.solver = solver;
    scene.settings.sleep = false;
    scene.bodies.extend(bodies);
    Sim::new(&scene).unwrap()
}

/// Six bodies of one pattern: of other stuff, at other speeds, some with points held that others have free.
fn six(mesh: &Mesh) -> Vec<BodyDef> {
    let body = |k: usize| {
        let mut mesh = mesh.clone();
        if k % 2 == 1 {
            let count = mesh.points.len();
            mesh.points[k * count / 7].pinned = true;
        }
        for edge in &mut mesh.edges {
            edge.compliance *= 1.0 + 0.2 * k as f32;
        }
        let velocity = Vec2::new(0.5 * k as f32, 1.0 - k as f32);
        let material = Material { density: 500.0 * (1 + k) as f32, ..Material::default() };
        let body = BodyDef::new(format!("{k}"), Shape::Mesh(mesh), Vec2::ZERO);
        BodyDef { filter: NOTHING, velocity, material, ..body }
    };
    (0..6).map(body).collect()
}

/// Where the points of a body are after `steps` steps.
fn places(sim: &mut Sim, id: &str, steps: u32) -> Vec<Vec2> {
    for _ in 0..steps {
        sim.step().unwrap();
    }
    let world = sim.world();
    let body = world.model.bodies.iter().find(|body| body.id == id).unwrap();
    world.state.position[body.point_range()].to_vec()
}

fn farthest(a: &[Vec2], b: &[Vec2]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

fn shapes() -> Vec<(&'static str, Mesh)> {
    let to = Vec2::new(2.0, 0.0);
    let rope = Rope { to, segments: Some(12), hold: Hold::Start, ..Rope::default() };
    let band = Rope { stiffness: Some(3e4), ..rope.clone() };
    let plastic = Plastic { yield_strain: 1e-3, flow: 20.0, hardening: 0.0, most: 0.5 };
    let strength = Strength { plastic: Some(plastic), ..Strength::default() };
    let putty = Rope { strength, ..band.clone() };
    let cloth =
        Cloth { size: Vec2::new(1.0, 0.6), cell: Some(0.2), hold: Held::Top, ..Cloth::default() };
    vec![
        ("rope", rope.mesh().unwrap()),
        ("band", band.mesh().unwrap()),
        ("putty", putty.mesh().unwrap()),
        ("beam", Beam { to, clamp: Hold::Start, ..Beam::default() }.mesh().unwrap()),
        ("cloth", cloth.mesh().unwrap()),
        ("jelly", Jelly::rectangle(Vec2::new(1.0, 0.7)).mesh().unwrap()),
        ("balloon", Balloon::default().mesh().unwrap()),
    ]
}

fn on_all() -> impl Iterator<Item = (SolverKind, (&'static str, Mesh))> {
    SolverKind::ALL
        .into_iter()
        .flat_map(|solver| shapes().into_iter().map(move |shape| (solver, shape)))
}

#[test]
fn bodies_of_one_pattern_move_as_each_does_alone() {
    for (solver, (name, mesh)) in on_all() {
        let bodies = six(&mesh);
        let mut together = sim(solver, bodies.clone());
        for (k, body) in bodies.into_iter().enumerate() {
            let mut alone = sim(solver, [body]);
            let id = k.to_string();
            let steps = if k == 0 { 40 } else { 0 };
            let (side_by_side, alone) =
                (places(&mut together, &id, steps), places(&mut alone, &id, 40));
            let apart = farthest(&side_by_side, &alone);
            println!("{solver} {name} {k}: {apart:e}");
            assert!(apart < 2e-3, "{solver}: {name} {k} is {apart} m from where it would be alone");
        }
    }
}

#[test]
fn who_is_left_of_a_pattern_moves_on_as_before() {
    for (solver, (name, mesh)) in on_all() {
        let bodies = six(&mesh);
        let mut together = sim(solver, bodies.clone());
        let mut alone = sim(solver, [bodies[4].clone()]);
        for leaves in ["0", "2", "3", "5"] {
            let side_by_side = places(&mut together, "4", 10);
            let apart = farthest(&side_by_side, &places(&mut alone, "4", 10));
            assert!(
                apart < 2e-3,
                "{solver}: {name} is {apart} m from where it would be alone before {leaves} leaves"
            );
            together.edit(|world| world.remove(world.body(leaves).unwrap())).unwrap();
        }
    }
}

/// A crate falls on each of five ropes that are held at both ends, and on five slabs of jelly. What it meets is one
/// body of five or one alone; it is caught alike, and the rope or jelly yields alike. (After a second more crate and rope
/// swing as chance will have it.)
#[test]
fn loads_find_a_body_as_they_would_alone() {
    let rope = Rope { length: Some(2.2), segments: Some(16), hold: Hold::Both, ..Rope::default() };
    let mut slab = Jelly::rectangle(Vec2::new(2.0, 0.5)).mesh().unwrap();
    for point in slab.points.iter_mut().filter(|point| point.position.y < -0.2) {
        point.pinned = true;
    }
    for edge in &mut slab.edges {
        // Harder than what `impulse` leaves to rounds.
        edge.compliance *= 0.05;
    }
    for (name, mesh, offset) in
        [("rope", rope.mesh().unwrap(), Vec2::X), ("slab", slab, Vec2::ZERO)]
    {
        let pair = |k: usize| {
            let at = Vec2::new(4.0 * k as f32, 0.0);
            let load = Shape::Box { size: Vec2::new(0.6, 0.4) };
            [
                BodyDef::new(format!("{name}{k}"), Shape::Mesh(mesh.clone()), at - offset),
                BodyDef::new(format!("load{k}"), load, at + Vec2::new(0.1, 0.6)),
            ]
        };
        for solver in SolverKind::ALL {
            let mut together = sim(solver, (0..5).flat_map(pair));
            let mut alone = sim(solver, pair(2));
            places(&mut together, "load2", 40);
            places(&mut alone, "load2", 40);
            for id in [format!("{name}2"), "load2".to_owned()] {
                let [side_by_side, one] =
                    [&mut together, &mut alone].map(|sim| places(sim, &id, 0));
                let apart = farthest(&side_by_side, &one);
                assert!(apart < 2e-3, "{solver}: {id} is {apart} m from where it would be alone");
            }
        }
    }
}
