//! Soft bodies of one pattern are solved four side by side on `verlet`, and move as each would alone.

use sinew::soft::{Balloon, Beam, Cloth, Held, Hold, Jelly, Rope};
use sinew::{
    BodyDef, Filter, Material, Mesh, Plastic, Scene, Shape, Sim, SolverKind, Strength, Vec2,
};

/// What collides with nothing.
const NOTHING: Filter = Filter { category: 1, mask: 0, group: 0 };

/// A world of these bodies, one in the other.
fn sim(bodies: impl IntoIterator<Item = BodyDef>) -> Sim {
    let mut scene = Scene::default();
    scene.settings.solver = SolverKind::Verlet;
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

#[test]
fn bodies_of_one_pattern_move_as_each_does_alone() {
    for (name, mesh) in shapes() {
        let bodies = six(&mesh);
        let mut together = sim(bodies.clone());
        for (k, body) in bodies.into_iter().enumerate() {
            let mut alone = sim([body]);
            let id = k.to_string();
            let steps = if k == 0 { 40 } else { 0 };
            let (side_by_side, alone) =
                (places(&mut together, &id, steps), places(&mut alone, &id, 40));
            let apart = farthest(&side_by_side, &alone);
            println!("{name} {k}: {apart:e}");
            assert!(apart < 2e-3, "{name} {k} is {apart} m from where it would be alone");
        }
    }
}

#[test]
fn who_is_left_of_a_pattern_moves_on_as_before() {
    for (name, mesh) in shapes() {
        let bodies = six(&mesh);
        let (mut together, mut alone) = (sim(bodies.clone()), sim([bodies[4].clone()]));
        for leaves in ["0", "2", "3", "5"] {
            let side_by_side = places(&mut together, "4", 10);
            let apart = farthest(&side_by_side, &places(&mut alone, "4", 10));
            assert!(
                apart < 2e-3,
                "{name} is {apart} m from where it would be alone before {leaves} leaves"
            );
            together.edit(|world| world.remove(world.body(leaves).unwrap())).unwrap();
        }
    }
}
