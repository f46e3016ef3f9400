//! Ragdolls: the figure of Box2D's (`shared/human.c`), eleven capsules and ten pins with limits and
//! friction.
//!
//! Two things are left out on every engine. The original has a spring in each joint beside its
//! friction, but a pin of Sinew has one motor; and it has feet that collide with the ground alone, but
//! in Sinew a body has one filter.

use std::f32::consts::{FRAC_PI_2, PI};

use sinew::{
    AngleLimit, BodyDef, Filter, JointDef, JointKind, Material, Motor, Scene, Shape, Vec2,
};

use super::{Case, PLAIN, Setup, body, empty, wall};
use crate::peer::Outcome;

/// People fall onto five floors.
pub const RAIN: Case = Case {
    name: "rain",
    about: "1,000 ragdolls fall onto five floors of 501 boxes. Box2D's in its people and floors; there \
            they come one after the other and are taken away again, here all are there from the start, \
            between 1 m and 40 m above their floor. Without the springs in their joints, and without \
            feet",
    steps: 500,
    stands: false,
    build: rain,
};

/// People in a heap.
pub const RAGDOLLS: Case = Case {
    name: "ragdolls",
    about: "500 of the same ragdolls fall into a bin 26 m wide",
    steps: 500,
    stands: false,
    build: ragdolls,
};

/// A limb and how it hangs on another. Lengths in metres, with the person's feet at the origin.
struct Limb {
    name: &'static str,
    /// The limb it hangs on.
    parent: &'static str,
    /// Height of its middle.
    middle: f32,
    /// Half the distance between the centres of its ends.
    half: f32,
    radius: f32,
    /// Height of the pin to its parent.
    pivot: f32,
    /// Strength of the friction in that pin, relative to the usual.
    friction: f32,
    /// How far it turns, half turns.
    turns: [f32; 2],
}

/// The limbs after the hip, each after what it hangs on. Those of the second list come twice.
const TRUNK: [Limb; 2] = [
    Limb {
        name: "torso",
        parent: "hip",
        middle: 1.2,
        half: 0.135,
        radius: 0.09,
        pivot: 1.0,
        friction: 0.5,
        turns: [-0.25, 0.0],
    },
    Limb {
        name: "head",
        parent: "torso",
        middle: 1.4755,
        half: 0.0385,
        radius: 0.075,
        pivot: 1.4,
        friction: 0.25,
        turns: [-0.3, 0.1],
    },
];
const LIMBS: [Limb; 4] = [
    Limb {
        name: "upper_leg",
        parent: "hip",
        middle: 0.775,
        half: 0.125,
        radius: 0.06,
        pivot: 0.9,
        friction: 1.0,
        turns: [-0.05, 0.4],
    },
    Limb {
        name: "lower_leg",
        parent: "upper_leg",
        middle: 0.46,
        half: 0.14,
        radius: 0.045,
        pivot: 0.625,
        friction: 0.5,
        turns: [-0.5, -0.02],
    },
    Limb {
        name: "upper_arm",
        parent: "torso",
        middle: 1.225,
        half: 0.125,
        radius: 0.035,
        pivot: 1.35,
        friction: 0.5,
        turns: [-0.1, 0.8],
    },
    // Its limits count from a quarter of a half turn, in which it does not begin.
    Limb {
        name: "lower_arm",
        parent: "upper_arm",
        middle: 0.975,
        half: 0.125,
        radius: 0.03,
        pivot: 1.1,
        friction: 0.1,
        turns: [0.05, 0.55],
    },
];

/// The usual friction in a pin, N·m.
const FRICTION: f32 = 0.05;

/// Adds a person with feet at a place. Persons of the same number below [`KINDS`] pass through each
/// other, as the limbs of one person do.
fn person(scene: &mut Scene, id: &str, number: u32, feet: Vec2) {
    let bit = 2 << (number % KINDS);
    let filter = Filter { category: bit, mask: !bit, group: 0 };
    let mut capsule = |id: String, middle: f32, half: f32, radius: f32| {
        let shape = Shape::Capsule { length: 2.0 * half, radius };
        let limb = body(id, shape, feet + Vec2::new(0.0, middle));
        let material = Material { friction: 0.2, ..PLAIN };
        scene.bodies.push(BodyDef { angle: FRAC_PI_2, material, filter, ..limb });
    };
    capsule(format!("{id}.hip"), 0.95, 0.02, 0.095);
    let twice = |limb| [(limb, ".l"), (limb, ".r")];
    for (limb, side) in TRUNK.iter().map(|limb| (limb, "")).chain(LIMBS.iter().flat_map(twice)) {
        let name = format!("{id}.{}{side}", limb.name);
        // What hangs on the trunk hangs on a limb without sides.
        let trunk = ["hip", "torso"].contains(&limb.parent);
        let parent = format!("{id}.{}{}", limb.parent, if trunk { "" } else { side });
        capsule(name.clone(), limb.middle, limb.half, limb.radius);
        let [lower, upper] = limb.turns.map(|turn| turn * PI);
        let kind = JointKind::Pin { limit: Some(AngleLimit { lower, upper }) };
        let pivot = feet + Vec2::new(0.0, limb.pivot);
        let mut pin = JointDef::new(format!("{name}.pin"), kind, parent, Some(&name), pivot);
        pin.motor = Some(Motor::Speed { speed: 0.0, most: limb.friction * FRICTION });
        scene.joints.push(pin);
    }
}

/// How many kinds of persons there are that collide with those of other kinds.
const KINDS: u32 = 30;

fn rain() -> Outcome<Setup> {
    const FLOORS: u32 = 5;
    const TILE: f32 = 0.5;
    const SPAN: f32 = 250.0;
    const COLUMNS: u32 = 40;
    const TOGETHER: u32 = 5;
    let mut scene = empty(RAIN.name, (-300.0, -50.0), (300.0, 400.0));
    for floor in 0..FLOORS {
        let height = 45.0 * floor as f32;
        for k in 0..=500 {
            let at = Vec2::new(TILE * k as f32 - 0.5 * SPAN, height);
            scene.bodies.push(wall(format!("floor.{floor}.{k}"), Vec2::splat(TILE), at));
        }
        for column in 0..COLUMNS {
            // Heights in no order along the floor: 11 and 40 have no common divisor.
            let drop = 1.0 + (column * 11 % COLUMNS) as f32;
            let middle = SPAN * ((column as f32 + 0.5) / COLUMNS as f32 - 0.5);
            for k in 0..TOGETHER {
                // As far from the one end of the floor as from the other: nobody rolls off.
                let aside = 0.5 * (k as f32 - 0.5 * (TOGETHER - 1) as f32);
                let feet = Vec2::new(middle + aside, height + drop);
                person(&mut scene, &format!("man.{floor}.{column}.{k}"), k, feet);
            }
        }
    }
    Ok(scene.into())
}

fn ragdolls() -> Outcome<Setup> {
    let mut scene = empty(RAGDOLLS.name, (-14.0, -2.0), (14.0, 100.0));
    scene.bodies.push(wall("ground", Vec2::new(40.0, 2.0), Vec2::new(0.0, -1.0)));
    for (name, x) in [("left", -13.5), ("right", 13.5)] {
        scene.bodies.push(wall(name, Vec2::new(1.0, 60.0), Vec2::new(x, 30.0)));
    }
    for k in 0..500_u32 {
        let (column, row) = ((k % 25) as f32, (k / 25) as f32);
        // Rows are shifted, so that nobody lands upright on a head.
        let x = column - 12.0 + if k / 25 % 2 == 0 { -0.2 } else { 0.2 };
        person(&mut scene, &format!("man.{k}"), k, Vec2::new(x, 0.5 + 2.0 * row));
    }
    Ok(scene.into())
}
