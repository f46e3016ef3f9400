//! Shapes beyond boxes and discs: concave outlines, round corners, terrain, bodies of many parts.

use sinew::{
    BodyDef, Course, Mesh, MeshEdge, MeshPoint, Part, Scene, Shape, Sim, SolverKind, Terrain, Vec2,
};

const G: f32 = 10.0;

fn simulate(bodies: Vec<BodyDef>, solver: SolverKind) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.gravity = Vec2::new(0.0, -G);
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, seconds: f32) {
    for _ in 0..(60.0 * seconds) as u32 {
        sim.step().unwrap();
    }
}

fn fixed(id: &str, shape: Shape, at: Vec2) -> BodyDef {
    BodyDef::new(id, shape, at).fixed()
}

fn floor() -> BodyDef {
    fixed("floor", Shape::Box { size: Vec2::new(80.0, 2.0) }, Vec2::new(20.0, -1.0))
}

fn polygon(corners: &[(f32, f32)]) -> Shape {
    Shape::Polygon { vertices: corners.iter().map(|&at| at.into()).collect() }
}

/// Flat ground three ways: with vertices at odd distances, as a line, and as one box.
fn grounds() -> [(&'static str, BodyDef); 3] {
    let points: Vec<Vec2> =
        (0..60).map(|k| Vec2::new(0.7 * k as f32 + 0.1 * (k % 3) as f32, 0.0)).collect();
    let ground = Terrain { points: points.clone(), course: Course::Ground(3.0) };
    let line = Terrain { points, course: Course::Line(0.2) };
    [
        ("ground", fixed("floor", ground.shape().unwrap(), Vec2::ZERO)),
        ("line", fixed("floor", line.shape().unwrap(), Vec2::new(0.0, -0.1))),
        ("box", floor()),
    ]
}

/// What becomes of a body that slides or rolls for 3 s at 8 m/s: its speed, how far it ever was
/// from its height, and the spin it has in the end.
fn travel(
    ground: BodyDef,
    shape: Shape,
    height: f32,
    friction: f32,
    solver: SolverKind,
) -> [f32; 3] {
    let mut body = BodyDef::new("body", shape, Vec2::new(3.0, height));
    body.velocity = Vec2::new(8.0, 0.0);
    body.material.friction = friction;
    body.material.restitution = 0.0;
    let mut ground = ground;
    ground.material.friction = friction;
    if friction > 0.0 {
        body.spin = -8.0 / height;
    }
    let mut sim = simulate(vec![ground, body], solver);
    let id = sim.world().body("body").unwrap();
    let mut off = 0.0_f32;
    for _ in 0..180 {
        sim.step().unwrap();
        off = off.max((sim.world().pose(id).unwrap().center.y - height).abs());
    }
    let motion = sim.world().motion(id).unwrap();
    [motion.velocity.x, off, motion.spin]
}

#[test]
fn boxes_slide_over_terrain_as_over_one_flat_box() {
    let rounded = |half: f32| Shape::Rounded {
        vertices: [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
            .map(|(x, y)| half * Vec2::new(x, y))
            .to_vec(),
        radius: 0.1,
    };
    for solver in SolverKind::ALL {
        for (name, ground) in grounds() {
            for shape in [Shape::Box { size: Vec2::splat(0.6) }, rounded(0.3)] {
                let [speed, off, spin] = travel(ground.clone(), shape.clone(), 0.3, 0.0, solver);
                let sound = (speed - 8.0).abs() < 2e-3 && off < 2e-3 && spin.abs() < 1e-2;
                assert!(sound, "{solver} {name} {shape:?}: {speed} m/s, {off} m, {spin} rad/s");
            }
        }
    }
}

#[test]
fn discs_roll_over_terrain_as_over_one_flat_box() {
    for solver in SolverKind::ALL {
        let rolled = grounds().map(|(name, ground)| {
            let shape = Shape::Disc { radius: 0.3 };
            (name, travel(ground, shape, 0.3, 0.6, solver))
        });
        let [.., (_, on_box)] = rolled;
        for (name, [speed, off, spin]) in rolled {
            let alike = (speed - on_box[0]).abs() < 2e-3 && (spin - on_box[2]).abs() < 1e-2;
            assert!(alike && off < 2e-3, "{solver} {name}: {speed} m/s, {off} m, {spin} rad/s");
        }
    }
}

#[test]
fn a_ball_comes_to_rest_in_a_valley_of_terrain() {
    // A parabola cut into pieces: at its lowest vertex a ball touches two of them.
    let heights: Vec<f32> = (0..41).map(|k| 0.02 * (k as f32 - 20.0).powi(2)).collect();
    let terrain = Terrain::of_heights(&heights, 0.5, 2.0);
    for course in [terrain.course, Course::Line(0.1)] {
        let shape = Terrain { course, ..terrain.clone() }.shape().unwrap();
        for solver in SolverKind::ALL {
            let ground = fixed("ground", shape.clone(), Vec2::ZERO);
            let mut ball =
                BodyDef::new("ball", Shape::Box { size: Vec2::splat(0.4) }, Vec2::new(3.0, 4.9));
            ball.material.friction = 0.2;
            let mut sim = simulate(vec![ground, ball], solver);
            run(&mut sim, 8.0);
            let id = sim.world().body("ball").unwrap();
            let (pose, motion) = (sim.world().pose(id).unwrap(), sim.world().motion(id).unwrap());
            assert!((7.5..12.5).contains(&pose.center.x), "{solver}: {}", pose.center);
            assert!((0.15..0.8).contains(&pose.center.y), "{solver}: {}", pose.center);
            assert!(motion.velocity.length() < 0.02, "{solver}: {}", motion.velocity);
        }
    }
}

/// What is heavy and fast stays above ground that is deep.
#[test]
fn nothing_falls_through_the_ground() {
    for solver in SolverKind::ALL {
        let ground = Terrain::of_heights(&[1.0, 0.0, 0.5, -0.5, 0.0, 1.5], 2.0, 5.0);
        let mut bodies = vec![fixed("ground", ground.shape().unwrap(), Vec2::ZERO)];
        for k in 0..8 {
            let at = Vec2::new(1.5 + k as f32, 6.0 + 2.0 * (k % 3) as f32);
            let mut body = BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::splat(0.8) }, at);
            body.velocity = Vec2::new(0.0, -30.0);
            body.material.density = 8000.0;
            bodies.push(body);
        }
        let mut sim = simulate(bodies, solver);
        run(&mut sim, 3.0);
        for (id, body) in sim.world().bodies() {
            let at = sim.world().pose(id).unwrap().center;
            assert!(
                !body.is_dynamic() || at.y > -0.6 || !(0.0..10.0).contains(&at.x),
                "{solver}: {at}"
            );
        }
    }
}

/// A bracket whose notch is 1 m wide and 0.8 m deep, open below.
fn bracket() -> Shape {
    polygon(&[
        (-0.8, -0.8),
        (-0.5, -0.8),
        (-0.5, 0.0),
        (0.5, 0.0),
        (0.5, -0.8),
        (0.8, -0.8),
        (0.8, 0.3),
        (-0.8, 0.3),
    ])
}

/// The largest change of length of any edge of a body, over its length.
fn stretch(sim: &Sim, id: &str) -> f32 {
    let world = sim.world();
    let body = world.model.bodies.iter().find(|body| body.id == id).unwrap();
    let edges = &world.model.edges[body.edges.start as usize..body.edges.end as usize];
    let at = |i: u32| world.state.position[i as usize];
    let strain = |edge: &sinew::Edge| (at(edge.a).distance(at(edge.b)) / edge.rest - 1.0).abs();
    edges.iter().map(strain).fold(0.0, f32::max)
}

#[test]
fn a_notch_is_empty() {
    for solver in SolverKind::ALL {
        // The peg fits into the notch: the bracket comes to sit on it, legs on both sides.
        let peg = fixed("peg", Shape::Box { size: Vec2::new(0.8, 2.0) }, Vec2::new(0.0, 1.0));
        let bodies = vec![floor(), peg, BodyDef::new("bracket", bracket(), Vec2::new(0.0, 3.0))];
        let mut sim = simulate(bodies, solver);
        run(&mut sim, 3.0);
        let id = sim.world().body("bracket").unwrap();
        let bounds = sim.world().bounds(id).unwrap();
        assert!((bounds.min.y - 1.2).abs() < 0.01, "{solver}: legs down to {}", bounds.min.y);
        assert!(stretch(&sim, "bracket") < 1e-3, "{solver}: {}", stretch(&sim, "bracket"));
    }
}

#[test]
fn what_is_concave_hangs_by_its_hook() {
    for solver in SolverKind::ALL {
        // A hook over a round bar: a convex hull would slide off.
        let hook = polygon(&[
            (0.0, 0.0),
            (0.2, 0.0),
            (0.2, 1.8),
            (0.8, 1.8),
            (0.8, 1.2),
            (1.0, 1.2),
            (1.0, 2.0),
            (0.0, 2.0),
        ]);
        let bar = fixed("bar", Shape::Disc { radius: 0.15 }, Vec2::new(0.5, 5.0));
        let bodies = vec![floor(), bar, BodyDef::new("hook", hook, Vec2::new(0.0, 3.4))];
        let mut sim = simulate(bodies, solver);
        run(&mut sim, 6.0);
        let id = sim.world().body("hook").unwrap();
        let bounds = sim.world().bounds(id).unwrap();
        assert!(bounds.max.y > 5.1 && bounds.min.y > 2.5, "{solver}: {bounds:?}");
        assert!(stretch(&sim, "hook") < 2e-3, "{solver}: {}", stretch(&sim, "hook"));
    }
}

#[test]
fn a_rounded_box_rests_on_its_flat_and_rolls_on_its_round() {
    let vertices = [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].map(Vec2::from).to_vec();
    for solver in SolverKind::ALL {
        for radius in [0.1, 0.3, 0.49] {
            let shape = Shape::Rounded { vertices: vertices.clone(), radius };
            let resting = BodyDef::new("box", shape.clone(), Vec2::new(0.0, 0.52));
            let mut sim = simulate(vec![floor(), resting], solver);
            run(&mut sim, 2.0);
            let id = sim.world().body("box").unwrap();
            let pose = sim.world().pose(id).unwrap();
            assert!((pose.center.y - 0.5).abs() < 2e-3, "{solver} {radius}: {}", pose.center);
            assert!(pose.rot.radians().abs() < 1e-2, "{solver} {radius}");
            // Its corner on a diagonal reaches as far as the arc does, not as the corner did.
            let mut corner = BodyDef::new("corner", shape, Vec2::new(0.0, 2.0));
            corner.angle = std::f32::consts::FRAC_PI_4;
            let sim = simulate(vec![floor(), corner], solver);
            let bounds = sim.world().bounds(sim.world().body("corner").unwrap()).unwrap();
            let reach = (0.5 - radius) * 2.0_f32.sqrt() + radius;
            assert!((bounds.max.y - 2.0 - reach).abs() < 1e-4, "{bounds:?}");
        }
    }
}

#[test]
fn a_body_of_many_parts_is_one() {
    // A hammer: a light handle and a heavy head. Let go level, it lies; thrown, it turns about its
    // centre of mass as it has to.
    let handle = Part::new(Shape::Box { size: Vec2::new(1.6, 0.1) }, Vec2::ZERO);
    let head = Shape::Box { size: Vec2::new(0.2, 0.5) };
    let head = Part { density: Some(7800.0), ..Part::new(head, Vec2::new(0.9, 0.0)) };
    let knob = Part::new(Shape::Disc { radius: 0.08 }, Vec2::new(-0.8, 0.0));
    let shape = Shape::Compound { parts: vec![handle, head, knob] };
    for solver in SolverKind::ALL {
        let mut thrown = BodyDef::new("hammer", shape.clone(), Vec2::new(0.0, 20.0));
        thrown.velocity = Vec2::new(3.0, 0.0);
        thrown.spin = 5.0;
        let mut sim = simulate(vec![floor(), thrown], solver);
        let id = sim.world().body("hammer").unwrap();
        let before = sim.world().pose(id).unwrap().center;
        let mass = sim.world().model.bodies[1].mass;
        assert!((mass - 96.0 - 780.0 - 600.0 * 0.020_106).abs() < 0.1, "{mass}");
        run(&mut sim, 1.0);
        let (pose, motion) = (sim.world().pose(id).unwrap(), sim.world().motion(id).unwrap());
        assert!((pose.center.x - before.x - 3.0).abs() < 0.01, "{solver}: {}", pose.center);
        assert!((pose.center.y - before.y + 5.0).abs() < 0.1, "{solver}: {}", pose.center);
        assert!((motion.spin - 5.0).abs() < 0.02, "{solver}: {} rad/s", motion.spin);
        run(&mut sim, 5.0);
        let motion = sim.world().motion(id).unwrap();
        assert!(motion.velocity.length() < 0.02, "{solver}: {}", motion.velocity);
        assert!(stretch(&sim, "hammer") < 5e-3, "{solver}: {}", stretch(&sim, "hammer"));
    }
}

#[test]
fn a_rigid_mesh_that_lacks_edges_is_braced() {
    // Four points and four sides: without a diagonal the frame would fold on `verlet`.
    let corners = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)];
    let mesh = Mesh {
        points: corners
            .map(|at| MeshPoint { position: at.into(), mass: 100.0, pinned: false })
            .to_vec(),
        edges: (0..4).map(|k| MeshEdge::stiff(k, (k + 1) % 4)).collect(),
        pieces: vec![vec![0, 1, 2, 3]],
        ..Mesh::default()
    };
    for solver in SolverKind::ALL {
        let mut body = BodyDef::new("frame", Shape::Mesh(mesh.clone()), Vec2::new(0.0, 2.0));
        body.angle = 0.5;
        let mut sim = simulate(vec![floor(), body], solver);
        run(&mut sim, 3.0);
        let bounds = sim.world().bounds(sim.world().body("frame").unwrap()).unwrap();
        let size = bounds.max - bounds.min;
        assert!((size - Vec2::ONE).abs().max_element() < 0.01, "{solver}: {size}");
    }
}

/// Several pieces meet at the corners these letters land on, some with their insides facing down: a
/// piece must leave the pushing to its neighbour, not push along its own depth.
#[test]
fn letters_land_on_the_floor_and_keep_their_shape() {
    let n = polygon(&[
        (0.0, 0.0),
        (0.3, 0.0),
        (0.3, 0.85),
        (0.7, 0.0),
        (1.0, 0.0),
        (1.0, 1.4),
        (0.7, 1.4),
        (0.7, 0.55),
        (0.3, 1.4),
        (0.0, 1.4),
    ]);
    let w = polygon(&[
        (0.25, 0.0),
        (0.6, 0.0),
        (0.7, 0.45),
        (0.8, 0.0),
        (1.15, 0.0),
        (1.4, 1.4),
        (1.1, 1.4),
        (0.97, 0.6),
        (0.85, 1.1),
        (0.55, 1.1),
        (0.43, 0.6),
        (0.3, 1.4),
        (0.0, 1.4),
    ]);
    for solver in SolverKind::ALL {
        for shape in [&n, &w] {
            for turn in 0..8 {
                let mut letter = BodyDef::new("letter", shape.clone(), Vec2::new(0.0, 2.5));
                letter.angle = 0.8 * turn as f32;
                let mut sim = simulate(vec![floor(), letter], solver);
                let id = sim.world().body("letter").unwrap();
                for _ in 0..240 {
                    sim.step().unwrap();
                    let lowest = sim.world().bounds(id).unwrap().min.y;
                    assert!(lowest > -0.05, "{solver} {turn}: {lowest} m");
                }
                let speed = sim.world().motion(id).unwrap().velocity.length();
                assert!(speed < 0.05, "{solver} {turn}: {speed} m/s");
                assert!(stretch(&sim, "letter") < 1e-3, "{solver} {turn}");
            }
        }
    }
}
