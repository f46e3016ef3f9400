//! Soft bodies.

use sinew::soft::{Cloth, Held, Hold, Jelly, Rope};
use sinew::{BodyDef, Filter, Scene, Shape, Vec2};

use super::{Case, Setup, beads, body, empty, wall};
use crate::peer::Outcome;

/// A cloth of ten thousand points.
pub const CLOTH: Case = Case {
    name: "cloth",
    about: "a cloth of 100 × 100 points whose threads do not stretch, 9.9 m wide, hangs by its upper \
            border and swings to the side, at 3 m/s at first. Without soft bodies: 9,900 discs, 19,701 \
            rods and 19,602 springs. Nothing collides",
    steps: 300,
    stands: false,
    build: cloth,
};

/// Ropes that swing.
pub const ROPES: Case = Case {
    name: "ropes",
    about: "1,000 ropes of 32 segments that do not stretch begin level, held at one end, and swing. \
            Without soft bodies: 32,000 \
            discs and as many rods. Nothing collides",
    steps: 300,
    stands: false,
    build: ropes,
};

/// Jellies in a heap.
pub const JELLIES: Case = Case {
    name: "jellies",
    about: "200 jellies of 1 m and 100 kPa fall into a bin 26 m wide. Without soft bodies: a disc \
            for each point and a spring for each edge. Rapier keeps the area of triangles too, and \
            gives them a skin of 2 cm",
    steps: 300,
    stands: false,
    build: jellies,
};

/// What collides with nothing.
const NOTHING: Filter = Filter { category: 1, mask: 0, group: 0 };

fn with_beads(scene: Scene, radius: f32) -> Outcome<Setup> {
    Ok(Setup { beads: Some(beads::of(&scene, radius)), scene })
}

fn cloth() -> Outcome<Setup> {
    let sheet =
        Cloth { size: Vec2::splat(9.9), cell: Some(0.1), hold: Held::Top, ..Cloth::default() };
    let mut scene = empty(CLOTH.name, (-50.0, -50.0), (50.0, 50.0));
    let sheet = body("cloth", Shape::Mesh(sheet.mesh()?), Vec2::ZERO);
    let velocity = Vec2::new(3.0, 0.0);
    scene.bodies.push(BodyDef { filter: NOTHING, velocity, ..sheet });
    with_beads(scene, 0.04)
}

fn ropes() -> Outcome<Setup> {
    let rope =
        Rope { to: Vec2::new(3.2, 0.0), segments: Some(32), hold: Hold::Start, ..Rope::default() };
    let radius = 0.5 * rope.thickness;
    let mesh = rope.mesh()?;
    let mut scene = empty(ROPES.name, (-200.0, -200.0), (200.0, 200.0));
    for k in 0..1000 {
        let at = Vec2::new(7.0 * (k % 40) as f32 - 140.0, 4.0 * (k / 40) as f32 - 50.0);
        let rope = body(format!("rope.{k}"), Shape::Mesh(mesh.clone()), at);
        scene.bodies.push(BodyDef { filter: NOTHING, ..rope });
    }
    with_beads(scene, radius)
}

fn jellies() -> Outcome<Setup> {
    let mesh = Jelly::rectangle(Vec2::ONE).mesh()?;
    let shortest = mesh.edges.iter().map(|edge| {
        let [a, b] = [edge.a, edge.b].map(|point| mesh.points[point as usize].position);
        a.distance(b)
    });
    let radius = 0.5 * shortest.fold(f32::INFINITY, f32::min);
    let mut scene = empty(JELLIES.name, (-14.0, -2.0), (14.0, 60.0));
    scene.bodies.push(wall("ground", Vec2::new(40.0, 2.0), Vec2::new(0.0, -1.0)));
    for (name, x) in [("left", -13.5), ("right", 13.5)] {
        scene.bodies.push(wall(name, Vec2::new(1.0, 40.0), Vec2::new(x, 20.0)));
    }
    for k in 0..200 {
        let (column, row) = ((k % 20) as f32, (k / 20) as f32);
        let x = 1.25 * (column - 9.5) + if k / 20 % 2 == 0 { -0.25 } else { 0.25 };
        let at = Vec2::new(x, 0.75 + 1.25 * row);
        scene.bodies.push(body(format!("jelly.{k}"), Shape::Mesh(mesh.clone()), at));
    }
    with_beads(scene, radius)
}
