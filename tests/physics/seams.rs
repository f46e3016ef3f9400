//! Bodies of several pieces: nothing trips over the seams between them, and what is soft collides
//! with itself if it is told to.

use sinew::{
    BodyDef, Course, Mesh, MeshEdge, MeshPoint, Overrides, Scene, Shape, Sim, SolverKind, Terrain,
    Vec2,
};

const G: f32 = 10.0;

/// Static ground whose top goes through these heights, a metre apart, in pieces of four corners that
/// share their sides.
fn ground(heights: &[f32]) -> BodyDef {
    let mut mesh = Mesh::default();
    for (k, &height) in heights.iter().enumerate() {
        for y in [height, -3.0] {
            let position = Vec2::new(k as f32, y);
            mesh.points.push(MeshPoint { position, mass: 1.0, pinned: false });
        }
    }
    for k in 0..heights.len() as u32 - 1 {
        let [a, b] = [2 * k, 2 * k + 2];
        mesh.pieces.push(vec![a + 1, b + 1, b, a]);
        mesh.edges.push(MeshEdge::stiff(a, b));
    }
    let mut body = BodyDef::new("ground", Shape::Mesh(mesh), Vec2::ZERO).fixed();
    body.material.friction = 0.0;
    body
}

fn simulate(bodies: Vec<BodyDef>, solver: SolverKind) -> Sim {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.gravity = Vec2::new(0.0, -G);
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

/// Slides a body over flat ground of many pieces; tells how much speed is left of 8 m/s, how far it
/// ever rose or sank from its height, and how far it turned.
fn slide(shape: Shape, height: f32, solver: SolverKind) -> (f32, f32, f32) {
    let mut body = BodyDef::new("body", shape, Vec2::new(2.0, height));
    body.velocity = Vec2::new(8.0, 0.0);
    body.material.friction = 0.0;
    body.material.restitution = 0.0;
    let mut sim = simulate(vec![ground(&[0.0; 40]), body], solver);
    let handle = sim.world().body("body").unwrap();
    let (mut off, mut turned) = (0.0_f32, 0.0_f32);
    for _ in 0..180 {
        sim.step().unwrap();
        let pose = sim.world().pose(handle).unwrap();
        off = off.max((pose.center.y - height).abs());
        turned = turned.max(pose.rot.radians().abs());
    }
    (sim.world().motion(handle).unwrap().velocity.x, off, turned)
}

#[test]
fn a_box_slides_over_seams_as_over_none() {
    for solver in SolverKind::ALL {
        for size in [Vec2::new(1.0, 0.5), Vec2::new(0.3, 0.3), Vec2::new(2.7, 0.4)] {
            let (speed, off, turned) = slide(Shape::Box { size }, 0.5 * size.y, solver);
            assert!((speed - 8.0).abs() < 1e-3, "{solver} {size}: {speed} m/s");
            assert!(off < 2e-3 && turned < 2e-3, "{solver} {size}: {off} m, {turned} rad");
        }
    }
}

#[test]
fn what_is_round_rolls_over_seams_as_over_none() {
    for solver in SolverKind::ALL {
        let disc = slide(Shape::Disc { radius: 0.3 }, 0.3, solver);
        let capsule = slide(Shape::Capsule { length: 0.5, radius: 0.2 }, 0.2, solver);
        for (speed, off, _) in [disc, capsule] {
            assert!((speed - 8.0).abs() < 1e-3 && off < 2e-3, "{solver}: {speed} m/s, {off} m");
        }
    }
}

#[test]
fn hills_made_of_pieces_are_hills() {
    // A ball let go on a slope of pieces gains the speed of its fall, over a crest and a valley.
    let heights: Vec<f32> = (0..30).map(|k| (4.0 - 0.4 * k as f32).max(0.0)).collect();
    for solver in SolverKind::ALL {
        let mut ball = BodyDef::new("ball", Shape::Disc { radius: 0.3 }, Vec2::new(1.0, 3.95));
        ball.material.friction = 0.0;
        let mut sim = simulate(vec![ground(&heights), ball], solver);
        let handle = sim.world().body("ball").unwrap();
        for _ in 0..180 {
            sim.step().unwrap();
        }
        let (pose, motion) =
            (sim.world().pose(handle).unwrap(), sim.world().motion(handle).unwrap());
        assert!((pose.center.y - 0.3).abs() < 0.01, "{solver}: at {}", pose.center);
        // Down the slope it has fallen 3.65 m; the kink at its foot takes a part, (1 − cos 21.8°).
        let most = (2.0 * G * 3.65_f32).sqrt();
        assert!(motion.velocity.x > 0.9 * most, "{solver}: {} of {most}", motion.velocity);
    }
}

/// A chain of points that hangs folded over itself, its upper half to fall on the lower.
fn folded(self_collision: bool) -> BodyDef {
    let at = |k: usize| {
        let (x, y) = if k < 10 { (0.1 * k as f32, 0.0) } else { (0.1 * (19 - k) as f32, 0.2) };
        Vec2::new(x, y)
    };
    let count = 20;
    let mesh = Mesh {
        points: (0..count)
            .map(|k| MeshPoint { position: at(k), mass: 0.1, pinned: false })
            .collect(),
        edges: (1..count as u32).map(|k| MeshEdge::stiff(k - 1, k)).collect(),
        pieces: (1..count as u32).map(|k| vec![k - 1, k]).collect(),
        radius: 0.03,
        soft: true,
        self_collision,
        ..Mesh::default()
    };
    BodyDef::new("rope", Shape::Mesh(mesh), Vec2::new(0.0, 0.5))
}

#[test]
fn a_rope_lies_on_itself_if_it_is_told_to() {
    for solver in SolverKind::ALL {
        for on in [true, false] {
            let floor = Shape::Box { size: Vec2::new(20.0, 1.0) };
            let floor = BodyDef::new("floor", floor, Vec2::new(0.0, -0.5)).fixed();
            let mut sim = simulate(vec![floor, folded(on)], solver);
            for _ in 0..120 {
                sim.step().unwrap();
            }
            let body = &sim.world().model.bodies[1];
            // The upper half; a link or two at the fold may stand on end.
            let upper = body.point_range().skip(10);
            let mut heights: Vec<f32> = upper.map(|i| sim.world().state.position[i].y).collect();
            heights.sort_by(f32::total_cmp);
            assert_eq!(heights[5] > 0.07, on, "{solver}: {heights:?} m");
        }
    }
}

/// Which of these get out of a ring of 360 lines, 80 m wide and 10 cm thick, into which they fly at a speed, m/s.
fn flown_out(
    shape: &Shape,
    speed: f32,
    (solver, substeps, iterations): (SolverKind, u32, u32),
) -> Vec<String> {
    const RADIUS: f32 = 40.0;
    let corner = |k: u32| RADIUS * Vec2::from_angle(f32::to_radians(k as f32));
    let ring = Terrain { points: (0..=360).map(corner).collect(), course: Course::Line(0.1) };
    let mut bodies = vec![BodyDef::new("ring", ring.shape().unwrap(), Vec2::ZERO).fixed()];
    bodies.extend((0..200).map(|k| {
        let angle = 0.0314 * k as f32;
        let mut body = BodyDef::new(format!("{k}"), shape.clone(), 34.0 * Vec2::from_angle(angle));
        // Not all at a right angle.
        body.velocity = speed * Vec2::from_angle(angle + 0.04 * (k % 11) as f32 - 0.2);
        body.filter.group = -1;
        body
    }));
    let mut scene = Scene { bodies, ..Scene::default() };
    let effort = Overrides {
        solver: Some(solver),
        substeps: Some(substeps),
        iterations: Some(iterations),
        ..Overrides::default()
    };
    scene.settings = effort.apply(scene.settings);
    scene.settings.gravity = Vec2::ZERO;
    let mut sim = Sim::new(&scene).unwrap();
    for _ in 0..(600.0 / speed) as u32 + 5 {
        sim.step().unwrap();
    }
    let world = sim.world();
    let is_out = |id: &String| {
        let pose = world.pose(world.body(id).unwrap()).unwrap();
        pose.center.length() > RADIUS
    };
    (0..200).map(|k| k.to_string()).filter(is_out).collect()
}

#[test]
fn nothing_flies_through_a_wall_where_two_of_its_pieces_meet() {
    let shapes = [
        Shape::Disc { radius: 0.35 },
        Shape::Capsule { length: 0.5, radius: 0.25 },
        Shape::Box { size: Vec2::splat(0.7) },
    ];
    let efforts = [
        (SolverKind::Impulse, 1, 4),
        (SolverKind::Impulse, 4, 6),
        (SolverKind::Verlet, 1, 1),
        (SolverKind::Verlet, 8, 2),
        (SolverKind::Pbd, 1, 1),
        (SolverKind::Pbd, 12, 1),
    ];
    for shape in &shapes {
        for speed in [60.0, 100.0, 200.0] {
            for effort in efforts {
                let out = flown_out(shape, speed, effort);
                assert!(out.is_empty(), "{shape:?} at {speed} m/s, {effort:?}: {out:?}");
            }
        }
    }
}
