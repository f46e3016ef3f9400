//! Bodies in what turns.

use std::f32::consts::{PI, TAU};

use sinew::{BodyDef, BodyKind, Course, Material, Part, Scene, Shape, Terrain, Vec2};

use super::{Case, Setup, body, empty};
use crate::peer::Outcome;

/// Boxes in a hollow square.
pub const TUMBLER: Case = Case {
    name: "tumbler",
    about: "2,025 boxes of 0.25 m in a hollow square of 20 m that turns by 25° a second. Box2D's, where \
            a motor turns the square; here its speed is given",
    steps: 750,
    stands: false,
    build: tumbler,
};

/// Boxes in a drum.
pub const WASHER: Case = Case {
    name: "washer",
    about: "8,100 boxes of 0.2 m in a drum of 32 m with four vanes that turns by 25° a second. Box2D's",
    steps: 500,
    stands: false,
    build: washer,
};

/// A heap with a beam that turns in it.
pub const SPINNER: Case = Case {
    name: "spinner",
    about: "6,076 capsules, discs and boxes in a ring of 80 m, and a beam of 40 m that turns in them at \
            5 rad/s. Box2D's, where the ring is a smooth one-sided line and a motor turns the beam; here \
            the ring is of capsules of 10 cm, and the speed of the beam is given",
    steps: 500,
    stands: false,
    build: spinner,
};

/// The speed of the drums, rad/s.
const SPEED: f32 = 25.0 * PI / 180.0;
/// Where the middle of the drums is, m.
const MIDDLE: Vec2 = Vec2::new(0.0, 10.0);

fn tumbler() -> Outcome<Setup> {
    let side =
        |size: (f32, f32), at: (f32, f32)| Part::new(Shape::Box { size: size.into() }, at.into());
    let parts = vec![
        side((1.0, 20.0), (10.0, 0.0)),
        side((1.0, 20.0), (-10.0, 0.0)),
        side((20.0, 1.0), (0.0, 10.0)),
        side((20.0, 1.0), (0.0, -10.0)),
    ];
    let drum = body("drum", Shape::Compound { parts }, MIDDLE);
    let mut scene = empty(TUMBLER.name, (-15.0, -5.0), (15.0, 25.0));
    scene.bodies.push(BodyDef { kind: BodyKind::Kinematic, spin: SPEED, ..drum });
    fill(&mut scene, 45, 0.25, Vec2::new(-9.0, 1.0), 0.4);
    Ok(scene.into())
}

/// Adds `count` rows of as many boxes of a size, m, the centre of the first at `corner`, a `step` apart, m.
fn fill(scene: &mut Scene, count: u32, size: f32, corner: Vec2, step: f32) {
    let shape = Shape::Box { size: Vec2::splat(size) };
    for row in 0..count {
        for column in 0..count {
            let at = corner + step * Vec2::new(column as f32, row as f32);
            scene.bodies.push(body(format!("box.{row}.{column}"), shape.clone(), at));
        }
    }
}

fn washer() -> Outcome<Setup> {
    let [vane, inner, outer] = [14.0, 16.0, 18.0];
    const PLATES: usize = 36;
    let step = TAU / PLATES as f32;
    // A plate from radius to radius and angle to angle.
    let plate = |[near, far]: [f32; 2], [from, to]: [f32; 2]| {
        let (from, to) = (Vec2::from_angle(from), Vec2::from_angle(to));
        let vertices = vec![near * from, far * from, far * to, near * to];
        Part::new(Shape::Polygon { vertices }, Vec2::ZERO)
    };
    let mut parts = Vec::new();
    for k in 0..PLATES {
        let [from, to] = [step * k as f32, step * (k + 1) as f32];
        parts.push(plate([inner, outer], [from - 0.1 * step, to + 0.1 * step]));
        if k % 9 == 0 {
            parts.push(plate([vane, inner], [from, to]));
        }
    }
    let drum = body("drum", Shape::Compound { parts }, MIDDLE);
    let mut scene = empty(WASHER.name, (-18.5, -8.5), (18.5, 28.5));
    scene.bodies.push(BodyDef {
        kind: BodyKind::Kinematic,
        spin: SPEED,
        velocity: Vec2::new(0.001, -0.002),
        ..drum
    });
    fill(&mut scene, 90, 0.2, Vec2::new(-9.9, 0.1), 0.21);
    Ok(scene.into())
}

fn spinner() -> Outcome<Setup> {
    const SIDES: u32 = 360;
    const THICKNESS: f32 = 0.1;
    let mut scene = empty(SPINNER.name, (-40.5, -8.5), (40.5, 72.5));
    // Its inner side lies where Box2D's line does.
    let corner =
        |k: u32| (40.0 + 0.5 * THICKNESS) * Vec2::from_angle(TAU * k as f32 / SIDES as f32);
    let ring =
        Terrain { points: (0..=SIDES).map(corner).collect(), course: Course::Line(THICKNESS) };
    let ring = ring.shape().map_err(|fault| format!("the ring: {fault:?}"))?;
    let slippery = Material::new(0.25, 0.1, 0.1);
    let wall = Material { restitution: 0.0, ..slippery };
    let ring = body("ring", ring, Vec2::new(0.0, 32.0)).fixed();
    scene.bodies.push(BodyDef { material: wall, ..ring });
    let half = Vec2::new(0.6, 20.2);
    let vertices = vec![-half, Vec2::new(half.x, -half.y), half, Vec2::new(-half.x, half.y)];
    let beam = body("beam", Shape::Rounded { vertices, radius: 0.2 }, Vec2::new(0.0, 12.0));
    scene.bodies.push(BodyDef {
        kind: BodyKind::Kinematic,
        spin: 5.0,
        material: Material { friction: 0.0, restitution: 0.0, ..slippery },
        ..beam
    });
    let shapes = [
        Shape::Capsule { length: 0.5, radius: 0.25 },
        Shape::Disc { radius: 0.35 },
        Shape::Box { size: Vec2::splat(0.7) },
    ];
    const ROW: usize = 92;
    for k in 0..2 * 3038 {
        let at = Vec2::new(-23.0, 2.0) + 0.5 * Vec2::new((k % ROW) as f32, (k / ROW) as f32);
        let piece = body(format!("piece.{k}"), shapes[k % shapes.len()].clone(), at);
        scene.bodies.push(BodyDef { material: slippery, ..piece });
    }
    Ok(scene.into())
}
