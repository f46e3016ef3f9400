//! Edits at run time and what gives way: masses and momenta add up, handles name what they named,
//! and every solver goes on with what is left.

use approx::assert_relative_eq;
use sinew::math::cross;
use sinew::{
    BodyDef, BodyId, Event, JointDef, Mesh, MeshArea, MeshEdge, MeshPoint, Plastic, Scene, Shape,
    Sim, SolverKind, Strength, Vec2, World,
};

const G: f32 = 10.0;

fn scene(bodies: Vec<BodyDef>, gravity: f32) -> Scene {
    let mut scene = Scene { bodies, ..Scene::default() };
    scene.settings.gravity = Vec2::new(0.0, -gravity);
    scene
}

fn simulate(mut scene: Scene, solver: SolverKind) -> Sim {
    scene.settings.solver = solver;
    Sim::new(&scene).unwrap()
}

fn run(sim: &mut Sim, seconds: f32) -> Vec<Event> {
    let mut events = Vec::new();
    for _ in 0..(seconds * sim.settings().hz).round() as u32 {
        sim.step().unwrap();
        events.extend(sim.events().iter().cloned());
    }
    events
}

fn boxed(id: &str, at: Vec2) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at)
}

/// A square solid of triangles, `n` cells of `size / n` a side.
fn jelly(id: &str, at: Vec2, size: f32, n: u32, compliance: f32) -> BodyDef {
    let cell = size / n as f32;
    let index = |x: u32, y: u32| y * (n + 1) + x;
    let mut mesh = Mesh { soft: true, ..Mesh::default() };
    for y in 0..=n {
        for x in 0..=n {
            let position = cell * Vec2::new(x as f32, y as f32) - Vec2::splat(0.5 * size);
            mesh.points.push(MeshPoint { position, mass: 0.0, pinned: false });
        }
    }
    let edge = |a, b| MeshEdge { a, b, compliance, damping: 100.0 };
    for y in 0..n {
        for x in 0..n {
            let [a, b, c, d] = [index(x, y), index(x + 1, y), index(x + 1, y + 1), index(x, y + 1)];
            for triangle in [[a, b, c], [a, c, d]] {
                for point in triangle {
                    mesh.points[point as usize].mass += 600.0 * cell * cell / 6.0;
                }
                mesh.pieces.push(triangle.to_vec());
            }
            mesh.edges.extend([edge(a, b), edge(a, d), edge(a, c)]);
            if y + 1 == n {
                mesh.edges.push(edge(d, c));
            }
            if x + 1 == n {
                mesh.edges.push(edge(b, c));
            }
        }
    }
    BodyDef::new(id, Shape::Mesh(mesh), at)
}

/// A rope of `n` links of 0.1 m and 1 kg hanging from its first point, which is pinned.
fn rope(id: &str, at: Vec2, n: u32, compliance: f32, strength: Strength) -> BodyDef {
    let point =
        |k| MeshPoint { position: Vec2::new(0.0, -0.1 * k as f32), mass: 1.0, pinned: k == 0 };
    let edge = |k| MeshEdge { a: k, b: k + 1, compliance, damping: 5.0 };
    let mesh = Mesh {
        points: (0..=n).map(point).collect(),
        edges: (0..n).map(edge).collect(),
        pieces: (0..n).map(|k| vec![k, k + 1]).collect(),
        radius: 0.02,
        soft: true,
        strength,
        ..Mesh::default()
    };
    BodyDef::new(id, Shape::Mesh(mesh), at)
}

/// Mass, momentum and angular momentum of everything.
fn totals(world: &World) -> (f32, Vec2, f32) {
    let mut sums = (0.0, Vec2::ZERO, 0.0);
    for (i, &mass) in world.model.mass.iter().enumerate() {
        let momentum = mass * world.state.velocity[i];
        sums.0 += mass;
        sums.1 += momentum;
        sums.2 += cross(world.state.position[i], momentum);
    }
    sums
}

fn assert_same_totals(before: (f32, Vec2, f32), after: (f32, Vec2, f32), tolerance: f32) {
    let scale = before.1.length().max(before.0);
    assert_relative_eq!(before.0, after.0, max_relative = 1e-4);
    assert!(before.1.distance(after.1) < 1e-4 * scale, "{} {}", before.1, after.1);
    assert!((before.2 - after.2).abs() < tolerance * scale, "{} {}", before.2, after.2);
}

fn mass(world: &World, id: BodyId) -> f32 {
    world.model.bodies[world.index(id).unwrap()].mass
}

fn inverted(world: &World) -> usize {
    let pieces = world.model.pieces.iter().filter(|piece| piece.count >= 3);
    let area = |piece: &sinew::Piece| {
        let at = world.model.outline(piece).iter().map(|&i| world.state.position[i as usize]);
        sinew::math::doubled_area(at)
    };
    pieces.filter(|piece| area(piece) <= 0.0).count()
}

#[test]
fn removed_bodies_are_gone_and_handles_keep_naming_the_others() {
    for solver in SolverKind::ALL {
        let bodies = (0..4).map(|k| boxed(&format!("b{k}"), Vec2::new(2.0 * k as f32, 0.0)));
        let mut scene = scene(bodies.collect(), 0.0);
        scene.joints.push(JointDef::pin("p", "b1", Some("b2"), Vec2::new(3.0, 0.0)));
        scene.joints.push(JointDef::pin("q", "b2", Some("b3"), Vec2::new(5.0, 0.0)));
        let mut sim = simulate(scene, solver);
        let handles: Vec<BodyId> = sim.world().bodies().map(|(id, _)| id).collect();
        let [p, q] = ["p", "q"].map(|id| sim.world().joint(id).unwrap());
        sim.edit(|world| world.remove(handles[1])).unwrap();
        let world = sim.world();
        assert!(world.pose(handles[1]).unwrap_err().to_string().contains("body"));
        assert!(world.joint_index(p).is_err() && world.joint_index(q).is_ok());
        for k in [0, 2, 3] {
            let center = world.pose(handles[k]).unwrap().center;
            assert!(center.distance(Vec2::new(2.0 * k as f32, 0.0)) < 1e-5, "{k}: {center}");
        }
        assert!(sim.edit(|world| world.remove(handles[1])).is_err());
        // A new body never gets an old handle.
        let new = sim.edit(|world| world.add_body(&boxed("b1", Vec2::new(0.0, 5.0)))).unwrap();
        assert!(!handles.contains(&new));
        sim.edit(|world| world.remove_joint(q)).unwrap();
        assert!(sim.world().model.joints.is_empty() && sim.world().state.joints.is_empty());
        run(&mut sim, 0.5);
    }
}

#[test]
fn slices_of_rigid_bodies_add_up_and_move_on() {
    let shapes = [
        Shape::Box { size: Vec2::new(2.0, 1.0) },
        Shape::Disc { radius: 0.7 },
        Shape::Capsule { length: 1.0, radius: 0.3 },
        Shape::Polygon { vertices: [(-1.0, -0.5), (1.0, -0.5), (0.2, 0.9)].map(Vec2::from).into() },
    ];
    for shape in shapes {
        for solver in SolverKind::ALL {
            let mut body = BodyDef::new("b", shape.clone(), Vec2::new(1.0, 2.0));
            (body.angle, body.velocity, body.spin) = (0.4, Vec2::new(3.0, -1.0), 2.0);
            let mut sim = simulate(scene(vec![body], 0.0), solver);
            let handle = sim.world().body("b").unwrap();
            let before = totals(sim.world());
            let (at, direction) = (Vec2::new(1.1, 2.0), Vec2::new(1.0, 0.7));
            let left = sim.edit(|world| world.slice(handle, at, direction)).unwrap();
            assert_eq!(left.len(), 1, "{shape:?}");
            // A disc becomes a polygon: its inertia, and so its spin, is a little other.
            assert_same_totals(before, totals(sim.world()), 0.01);
            let masses = [handle, left[0]].map(|id| mass(sim.world(), id));
            assert!(masses.iter().all(|m| *m > 0.2 * before.0), "{masses:?}");
            let side = |id| cross(direction, sim.world().pose(id).unwrap().center - at);
            assert!(side(handle) < 0.0 && side(left[0]) > 0.0);
            let motion = sim.world().motion(left[0]).unwrap();
            assert_relative_eq!(motion.spin, 2.0, max_relative = 0.02);
            run(&mut sim, 1.0);
            assert_eq!(inverted(sim.world()), 0);
            // A line that misses changes nothing.
            let far = Vec2::new(100.0, 0.0);
            assert!(sim.edit(|world| world.slice(handle, far, Vec2::Y)).unwrap().is_empty());
        }
    }
}

#[test]
fn slices_of_solid_soft_bodies_add_up_and_move_on() {
    for direction in [Vec2::new(0.3, 1.0), Vec2::Y, Vec2::new(1.0, -0.45)] {
        for solver in SolverKind::ALL {
            let mut body = jelly("b", Vec2::ZERO, 1.0, 4, 1e-5);
            (body.velocity, body.spin) = (Vec2::new(2.0, 1.0), 3.0);
            let mut sim = simulate(scene(vec![body], 0.0), solver);
            run(&mut sim, 0.2);
            let handle = sim.world().body("b").unwrap();
            let at = sim.world().pose(handle).unwrap().center + Vec2::new(0.06, 0.0);
            let before = totals(sim.world());
            let left = sim.edit(|world| world.slice(handle, at, direction)).unwrap();
            assert_eq!(left.len(), 1, "{solver} {direction}");
            assert_same_totals(before, totals(sim.world()), 0.02);
            assert_eq!(inverted(sim.world()), 0, "{solver} {direction}");
            run(&mut sim, 2.0);
            assert_eq!(inverted(sim.world()), 0, "{solver} {direction} after");
            // They fly on side by side, or apart, but not through each other.
            let [right, left] = [handle, left[0]].map(|id| sim.world().pose(id).unwrap().center);
            assert!(right.distance(left) > 0.2, "{solver} {direction}: {right} {left}");
        }
    }
}

#[test]
fn a_cut_rope_falls_in_two_and_keeps_what_hangs_on_it() {
    for solver in SolverKind::ALL {
        let line = rope("rope", Vec2::ZERO, 10, 0.0, Strength::default());
        let ball = BodyDef::new("ball", Shape::Disc { radius: 0.1 }, Vec2::new(0.0, -1.1));
        let mut scene = scene(vec![line, ball], G);
        scene.joints.push(JointDef::pin("hook", "ball", Some("rope"), Vec2::new(0.0, -1.0)));
        let mut sim = simulate(scene, solver);
        run(&mut sim, 1.0);
        let before = totals(sim.world());
        let off = sim.edit(|world| world.cut_edge(6)).unwrap();
        assert_eq!(off.len(), 1);
        let rope = sim.world().body("rope").unwrap();
        assert_eq!(mass(sim.world(), rope) + mass(sim.world(), off[0]), 11.0);
        assert_same_totals(before, totals(sim.world()), 1e-4);
        let joint = &sim.world().model.joints[0];
        assert_eq!(joint.b.body(), Some(sim.world().index(off[0]).unwrap() as u32));
        let start = sim.world().pose(off[0]).unwrap().center.y;
        run(&mut sim, 0.5);
        let fallen = start - sim.world().pose(off[0]).unwrap().center.y;
        assert_relative_eq!(fallen, 0.5 * G * 0.25, max_relative = 0.03);
        assert!(sim.world().pose(rope).unwrap().center.y > -0.5);
        assert!(sim.edit(|world| world.cut_edge(1000)).is_err());
    }
}

#[test]
fn a_tear_divides_a_vertex_and_nothing_else() {
    for solver in SolverKind::ALL {
        let mut sim = simulate(scene(vec![jelly("b", Vec2::ZERO, 1.0, 4, 1e-4)], 0.0), solver);
        let handle = sim.world().body("b").unwrap();
        let (before, points) = (totals(sim.world()), sim.world().model.point_count());
        let off = sim.edit(|world| world.tear(handle, Vec2::new(0.0, -0.5), Vec2::Y)).unwrap();
        assert!(off.is_empty());
        assert_eq!(sim.world().model.point_count(), points + 1);
        assert_same_totals(before, totals(sim.world()), 1e-4);
        // Torn from end to end it is two.
        let mut parts = Vec::new();
        for y in [-0.25, 0.0, 0.25, 0.5] {
            let at = Vec2::new(0.0, y);
            parts.extend(sim.edit(|world| world.tear(handle, at, Vec2::Y)).unwrap());
        }
        assert_eq!(parts.len(), 1);
        assert_same_totals(before, totals(sim.world()), 1e-4);
        run(&mut sim, 0.5);
        assert_eq!(inverted(sim.world()), 0);
    }
}

#[test]
fn pins_and_welds_hold_from_now_on() {
    for solver in SolverKind::ALL {
        let bodies = vec![boxed("a", Vec2::ZERO), boxed("b", Vec2::new(1.0, 0.0))];
        let mut sim = simulate(scene(bodies, G), solver);
        let [a, b] = ["a", "b"].map(|id| sim.world().body(id).unwrap());
        sim.edit(|world| {
            world.weld(a, None, Vec2::ZERO)?;
            world.weld(a, Some(b), Vec2::new(0.5, 0.0))
        })
        .unwrap();
        run(&mut sim, 2.0);
        let sunk = -sim.world().pose(b).unwrap().center.y;
        assert!(sunk < 0.01, "{solver}: {sunk}");

        let ball = BodyDef::new("ball", Shape::Disc { radius: 0.2 }, Vec2::ZERO);
        let line = rope("rope", Vec2::new(3.0, 0.0), 5, 0.0, Strength::default());
        let mut sim = simulate(scene(vec![ball, line], G), solver);
        let rope = sim.world().body("rope").unwrap();
        sim.edit(|world| world.pin(rope, Vec2::new(3.0, 0.0), false)).unwrap();
        sim.edit(|world| world.pin(rope, Vec2::new(3.0, -0.5), true)).unwrap();
        run(&mut sim, 3.0);
        let last = sim.world().model.bodies[1].points.end as usize - 1;
        assert_eq!(sim.world().state.position[last], Vec2::new(3.0, -0.5), "{solver}");
    }
}

#[test]
fn joints_break_at_their_force() {
    for solver in SolverKind::ALL {
        for (strength, breaks) in [(1.1, false), (0.9, true)] {
            let mut scene = scene(vec![boxed("a", Vec2::ZERO)], G);
            let mut hook = JointDef::pin("hook", "a", None, Vec2::new(0.0, 0.5));
            hook.break_force = Some(strength * 600.0 * G);
            scene.joints.push(hook);
            let mut sim = simulate(scene, solver);
            let events = run(&mut sim, 1.0);
            let broke = matches!(events[..], [Event::JointBroke { .. }]);
            assert_eq!(broke, breaks, "{solver}: {events:?}");
            let fallen = -sim.world().pose(sim.world().body("a").unwrap()).unwrap().center.y;
            assert_eq!(fallen > 4.0, breaks, "{solver}: {fallen} m");
        }
    }
}

#[test]
fn ropes_break_at_their_strain() {
    // Ten kilograms below the first edge stretch it by 100 N · compliance.
    let strain = 10.0 * G * 1e-4 / 0.1;
    for solver in SolverKind::ALL {
        // Let go at once, it stretches twice as far as at rest, if nothing damps it.
        for (limit, breaks) in [(2.2 * strain, false), (0.8 * strain, true)] {
            let strength = Strength { break_strain: Some(limit), plastic: None };
            let line = rope("rope", Vec2::ZERO, 10, 1e-4, strength);
            let mut sim = simulate(scene(vec![line], G), solver);
            let events = run(&mut sim, 2.0);
            let broke = events.iter().any(|event| matches!(event, Event::EdgeBroke { .. }));
            let off = events.iter().any(|event| matches!(event, Event::CameOff { .. }));
            assert_eq!((broke, off), (breaks, breaks), "{solver}: {events:?}");
        }
    }
}

#[test]
fn what_is_bent_for_good_stays_bent() {
    for solver in SolverKind::ALL {
        for (yield_strain, bends) in [(0.05, true), (1.0, false)] {
            let plastic = Plastic { yield_strain, flow: 20.0, hardening: 0.0, most: 0.9 };
            let strength = Strength { break_strain: None, plastic: Some(plastic) };
            let mut line = rope("rope", Vec2::ZERO, 2, 5e-4, strength);
            let Shape::Mesh(mesh) = &mut line.shape else { unreachable!() };
            mesh.points[2].mass = 5.0;
            let mut sim = simulate(scene(vec![line], G), solver);
            let events = run(&mut sim, 2.0);
            let told = events.iter().any(|event| matches!(event, Event::Yielded { .. }));
            assert_eq!(told, bends, "{solver}");
            let permanent = sim.world().state.rest[1] / 0.1 - 1.0;
            assert_eq!(permanent > 0.5, bends, "{solver}: {permanent}");
        }
    }
}

#[test]
fn a_solid_forced_inside_out_comes_back() {
    for solver in SolverKind::ALL {
        let mut sim = simulate(scene(vec![jelly("b", Vec2::ZERO, 1.0, 2, 1e-4)], 0.0), solver);
        // The middle is carried out through a side.
        sim.edit(|world| {
            world.state.position[4] = Vec2::new(0.05, 0.85);
            Ok(())
        })
        .unwrap();
        assert!(inverted(sim.world()) > 0);
        run(&mut sim, 6.0);
        assert_eq!(inverted(sim.world()), 0, "{solver}");
        let world = sim.world();
        let area = |piece: &sinew::Piece| {
            let outline = world.model.outline(piece).iter();
            0.5 * sinew::math::doubled_area(outline.map(|&i| world.state.position[i as usize]))
        };
        let areas: Vec<f32> = world.model.pieces.iter().map(area).collect();
        assert_relative_eq!(areas.iter().sum::<f32>(), 1.0, max_relative = 0.05);
        assert!(areas.iter().all(|area| *area > 0.5 / 8.0), "{solver}: {areas:?}");
    }
}

#[test]
fn an_area_keeps_its_size_under_pressure() {
    // A ring of eight points with a stiff inside, between two plates that are pressed together.
    for solver in SolverKind::ALL {
        let at = |k: u32| {
            let angle = std::f32::consts::TAU * k as f32 / 8.0;
            0.5 * Vec2::new(angle.cos(), angle.sin())
        };
        let point = |k| MeshPoint { position: at(k), mass: 10.0, pinned: false };
        let edge = |k| MeshEdge { a: k, b: (k + 1) % 8, compliance: 1e-5, damping: 20.0 };
        let mesh = Mesh {
            points: (0..8).map(point).collect(),
            edges: (0..8).map(edge).collect(),
            pieces: (0..8).map(|k| vec![k, (k + 1) % 8]).collect(),
            radius: 0.02,
            areas: vec![MeshArea { points: (0..8).collect(), compliance: 0.0, fill: 1.0 }],
            soft: true,
            ..Mesh::default()
        };
        let ground = Shape::Box { size: Vec2::new(10.0, 1.0) };
        let bodies = vec![
            BodyDef::new("ring", Shape::Mesh(mesh), Vec2::new(0.0, 0.52)),
            BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed(),
            BodyDef::new("lid", Shape::Box { size: Vec2::new(2.0, 0.2) }, Vec2::new(0.0, 1.2)),
        ];
        let mut sim = simulate(scene(bodies, G), solver);
        run(&mut sim, 3.0);
        let ring = &sim.world().state.position[..8];
        let area = 0.5 * sinew::math::doubled_area(ring.iter().copied());
        let rest = 0.5 * sinew::math::doubled_area((0..8).map(at));
        assert!((area / rest - 1.0).abs() < 0.03, "{solver}: {area} for {rest} m²");
    }
}
