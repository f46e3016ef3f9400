//! Boxes on top of each other, a net of discs, and a wall that is smashed.

use sinew::{BodyDef, Filter, JointDef, Scene, Shape, Vec2};

use super::{Case, PLAIN, Setup, body, empty, wall};
use crate::peer::Outcome;

/// One pyramid of 5,050 boxes.
pub const LARGE_PYRAMID: Case = Case {
    name: "large_pyramid",
    about: "a pyramid of 5,050 boxes of 1 m, a hundred in its lowest row. Box2D's",
    steps: 500,
    stands: true,
    build: large_pyramid,
};

/// Four hundred pyramids of 55 boxes.
pub const MANY_PYRAMIDS: Case = Case {
    name: "many_pyramids",
    about: "400 pyramids of 55 boxes of 1 m on twenty floors. Box2D's; its floors are lines, these are \
            boxes",
    steps: 200,
    stands: true,
    build: many_pyramids,
};

/// A net of ten thousand discs.
pub const JOINT_GRID: Case = Case {
    name: "joint_grid",
    about: "a net of 100 × 100 discs, each pinned to its neighbours, hangs from seven nails. Box2D's, \
            without the pins between nails",
    steps: 500,
    stands: false,
    build: joint_grid,
};

/// A block that flies into a wall.
pub const SMASH: Case = Case {
    name: "smash",
    about: "a block of 8 m and 512 kg flies at 40 m/s into 9,600 boxes of 0.4 m, without gravity. \
            Box2D's, in which the boxes sleep until they are hit",
    steps: 300,
    stands: false,
    build: smash,
};

fn large_pyramid() -> Outcome<Setup> {
    let mut scene = empty(LARGE_PYRAMID.name, (-200.0, -20.0), (200.0, 200.0));
    scene.bodies.push(wall("ground", Vec2::new(200.0, 2.0), Vec2::new(0.0, -1.0)));
    pyramid(&mut scene, "box", 100, Vec2::new(-50.0, 0.0));
    Ok(scene.into())
}

fn many_pyramids() -> Outcome<Setup> {
    const BASE: u32 = 10;
    const ROWS: u32 = 20;
    const COLUMNS: u32 = 20;
    let pitch = BASE as f32 + 1.0;
    let width = COLUMNS as f32 * pitch;
    let mut scene = empty(MANY_PYRAMIDS.name, (-200.0, -20.0), (200.0, 300.0));
    for row in 0..ROWS {
        let floor = row as f32 * pitch;
        let middle = Vec2::new(0.0, floor - 0.25);
        scene.bodies.push(wall(format!("floor.{row}"), Vec2::new(width, 0.5), middle));
        for column in 0..COLUMNS {
            let left = -0.5 * width + column as f32 * pitch + 0.5;
            pyramid(&mut scene, &format!("box.{row}.{column}"), BASE, Vec2::new(left, floor));
        }
    }
    Ok(scene.into())
}

/// Boxes of 1 m, `base` of them in the lowest row, whose lower left corner is given.
fn pyramid(scene: &mut Scene, id: &str, base: u32, corner: Vec2) {
    let shape = Shape::Box { size: Vec2::ONE };
    for row in 0..base {
        for column in row..base {
            let x = 0.5 * (row + 1) as f32 + (column - row) as f32;
            let at = corner + Vec2::new(x, row as f32 + 0.5);
            scene.bodies.push(body(format!("{id}.{row}.{column}"), shape.clone(), at));
        }
    }
}

fn joint_grid() -> Outcome<Setup> {
    const SIDE: usize = 100;
    let nailed = |column: usize, row: usize| row == 0 && column.abs_diff(SIDE / 2) <= 3;
    let id = |column: usize, row: usize| format!("disc.{column}.{row}");
    // The discs do not collide.
    let filter = Filter { category: 2, mask: !2, group: 0 };
    let mut scene = empty(JOINT_GRID.name, (-200.0, -300.0), (300.0, 200.0));
    for column in 0..SIDE {
        for row in 0..SIDE {
            let at = Vec2::new(column as f32, -(row as f32));
            let disc = body(id(column, row), Shape::Disc { radius: 0.4 }, at);
            let disc = if nailed(column, row) { disc.fixed() } else { disc };
            scene.bodies.push(BodyDef { filter, ..disc });
            let mut pin = |before: (usize, usize), half: Vec2| {
                if !(nailed(column, row) && nailed(before.0, before.1)) {
                    let name = format!("pin.{}", scene.joints.len());
                    let (a, b) = (id(before.0, before.1), id(column, row));
                    scene.joints.push(JointDef::pin(name, a, Some(&b), at + half));
                }
            };
            if row > 0 {
                pin((column, row - 1), Vec2::new(0.0, 0.5));
            }
            if column > 0 {
                pin((column - 1, row), Vec2::new(-0.5, 0.0));
            }
        }
    }
    Ok(scene.into())
}

fn smash() -> Outcome<Setup> {
    const SIDE: f32 = 0.4;
    let mut scene = empty(SMASH.name, (-500.0, -500.0), (500.0, 500.0));
    scene.settings.gravity = Vec2::ZERO;
    let block = body("block", Shape::Box { size: Vec2::splat(8.0) }, Vec2::new(-20.0, 0.0));
    let material = sinew::Material { density: 8.0, ..PLAIN };
    scene.bodies.push(BodyDef { velocity: Vec2::new(40.0, 0.0), material, ..block });
    let shape = Shape::Box { size: Vec2::splat(SIDE) };
    for column in 0..120_u32 {
        for row in 0..80_u32 {
            let at = SIDE * Vec2::new(column as f32, row as f32 - 40.0) + Vec2::new(30.0, 0.0);
            scene.bodies.push(body(format!("box.{column}.{row}"), shape.clone(), at));
        }
    }
    Ok(scene.into())
}
