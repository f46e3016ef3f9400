//! Each quantity and each state of bodies, groups, patterns and joints, true and false.

use approx::assert_relative_eq;
use sinew::{
    Aabb, AngleLimit, BodyDef, Condition, JointCondition, JointDef, JointKind, Quantity, Range,
    Scene, Shape, Subject, Vec2, World,
};

use super::{
    after, amount, assert_kept, at_once, ball_at, body, crate_at, plank_at, quantity, set_motion,
    shift, touching, turn, world,
};

#[test]
fn each_quantity_of_a_body_within_and_beyond_its_bounds() {
    let start = || world(vec![BodyDef { angle: 0.5, ..crate_at("box", 1.0, 2.0) }]);
    // Moved by 3-4-5 to (4, 6), turned clockwise by 90°, at 2 m/s and -30°/s.
    let change = |world: &mut World| {
        turn(world, "box", Vec2::new(1.0, 2.0), -90.0);
        shift(world, "box", Vec2::new(3.0, 4.0));
        set_motion(world, "box", Vec2::new(0.0, -2.0), Vec2::new(4.0, 6.0), -30.0);
    };
    let angle = 0.5_f64.to_degrees() - 90.0;
    let cases = [
        (Quantity::Moved, 5.0),
        (Quantity::Speed, 2.0),
        (Quantity::Spin, -30.0),
        (Quantity::Angle, angle),
        (Quantity::Turned, -90.0),
        (Quantity::X, 4.0),
        (Quantity::Y, 6.0),
        (Quantity::Area, 1.0),
    ];
    for (which, value) in cases {
        let range = |below, above| Range { above: Some(value + above), below: Some(value + below) };
        let promises = [
            quantity("box", which, range(0.01, -0.01)),
            quantity("box", which, Range::below(value - 0.01)),
            quantity("box", which, Range::above(value + 0.01)),
            amount("box", which, Range::below(value.abs() + 0.01)),
            amount("box", which, Range::above(value.abs() - 0.01)),
            amount("box", which, Range::below(value.abs() - 0.01)),
        ];
        let verdicts = after(start(), &promises, change);
        assert_kept(&verdicts, &[true, false, false, true, true, false]);
        assert_relative_eq!(verdicts[0].value, value, epsilon = 1e-3);
    }
}

#[test]
fn an_amount_leaves_the_sign_out() {
    let promises = [
        amount("box", Quantity::Turned, Range::above(45.0)),
        quantity("box", Quantity::Turned, Range::above(45.0)),
    ];
    let start = world(vec![crate_at("box", 0.0, 0.0)]);
    let verdicts = after(start, &promises, |world| turn(world, "box", Vec2::ZERO, -60.0));
    assert_kept(&verdicts, &[true, false]);
    assert_eq!(verdicts[0].name, "box turned either way above 45° at 0.125 s");
    assert_eq!(verdicts[1].to_string(), "box turned -60° at 0.125 s, wanted above 45°");
}

#[test]
fn a_centre_is_inside_a_region_or_not() {
    let region = |min, max| Condition::Inside(Aabb { min: Vec2::from(min), max: Vec2::from(max) });
    let promises = [
        body("box", region((-1.0, -1.0), (1.0, 1.0))),
        body("box", region((0.5, -1.0), (1.0, 1.0))),
        body("box", region((-1.0, -9.0), (1.0, -0.5))),
    ];
    let verdicts = after(world(vec![crate_at("box", 0.0, 0.0)]), &promises, |_| {});
    assert_kept(&verdicts, &[true, false, false]);
    assert_eq!(verdicts[0].name, "box inside [-1, -1] to [1, 1] at 0.125 s");
    let told =
        "box x 0 m at 0.125 s, wanted above 0.5 m and below 1 m (inside [0.5, -1] to [1, 1])";
    assert_eq!(verdicts[1].to_string(), told);
}

#[test]
fn at_rest_is_slow_and_hardly_turning() {
    let promise = [body("box", Condition::AtRest)];
    for (speed, spin, rests) in
        [(0.0, 0.0, true), (0.04, 8.0, true), (0.06, 0.0, false), (0.0, 12.0, false)]
    {
        let start = world(vec![crate_at("box", 0.0, 0.0)]);
        let verdicts = after(start, &promise, |world| {
            set_motion(world, "box", Vec2::new(speed, 0.0), Vec2::ZERO, -spin);
        });
        assert_kept(&verdicts, &[rests]);
    }
    // A group is at rest when all of it is, though the common centre stays where it is.
    let pair = world(vec![crate_at("pair.a", -2.0, 0.0), crate_at("pair.b", 2.0, 0.0)]);
    let verdicts = after(pair, &[body("pair", Condition::AtRest)], |world| {
        set_motion(world, "pair.a", Vec2::X, Vec2::ZERO, 0.0);
        set_motion(world, "pair.b", Vec2::NEG_X, Vec2::ZERO, 0.0);
    });
    assert_kept(&verdicts, &[false]);
    assert_eq!(
        verdicts[0].to_string(),
        "pair speed 1 m/s at 0.125 s, wanted below 0.05 m/s (at rest)"
    );
}

#[test]
fn a_domino_stands_until_it_leans_too_far() {
    let promise = [body("domino", Condition::Standing)];
    for (degrees, stands) in
        [(0.0, true), (-25.0, true), (35.0, false), (-90.0, false), (180.0, false)]
    {
        let start = world(vec![plank_at("domino", 0.0, 0.6, 0.2, 1.2)]);
        // Where it lands makes no difference: only how it lies there.
        let verdicts = after(start, &promise, |world| {
            turn(world, "domino", Vec2::new(0.0, 0.6), degrees);
            shift(world, "domino", Vec2::new(5.0, -3.0));
        });
        assert_kept(&verdicts, &[stands]);
    }
    let start = world(vec![plank_at("domino", 0.0, 0.6, 0.2, 1.2)]);
    let verdict = &after(start, &promise, |world| turn(world, "domino", Vec2::ZERO, -90.0))[0];
    assert_eq!(verdict.to_string(), "domino tilt 90° at 0.125 s, wanted below 30° (standing)");
}

/// A trunk on two legs with a head: a group of four that start upright.
fn person() -> Vec<BodyDef> {
    vec![
        plank_at("ann.leg.l", -0.1, 0.45, 0.1, 0.9),
        plank_at("ann.leg.r", 0.1, 0.45, 0.1, 0.9),
        plank_at("ann.trunk", 0.0, 1.2, 0.3, 0.6),
        BodyDef::new("ann.head", Shape::Disc { radius: 0.1 }, Vec2::new(0.0, 1.6)),
    ]
}

#[test]
fn a_group_stands_as_one_figure() {
    let promise = [body("ann", Condition::Standing)];
    let judged = |change: &dyn Fn(&mut World)| after(world(person()), &promise, change);
    assert_kept(&judged(&|_| {}), &[true]);
    // Walking: legs apart, the rest a little lower.
    let walking = judged(&|world| {
        turn(world, "ann.leg.l", Vec2::new(-0.1, 0.9), -25.0);
        turn(world, "ann.leg.r", Vec2::new(0.1, 0.9), 25.0);
    });
    assert_kept(&walking, &[true]);
    // Fallen on the back.
    let lying = judged(&|world| turn(world, "ann", Vec2::ZERO, 90.0));
    assert_kept(&lying, &[false]);
    // Slumped: nothing leans as a whole, but all lie in a heap.
    let slumped = judged(&|world| {
        turn(world, "ann.leg.l", Vec2::new(-0.1, 0.0), 80.0);
        turn(world, "ann.leg.r", Vec2::new(0.1, 0.0), -80.0);
        shift(world, "ann.trunk", Vec2::new(0.0, -0.85));
        shift(world, "ann.head", Vec2::new(0.0, -0.85));
    });
    assert_kept(&slumped, &[false]);
    assert!(
        slumped[0].to_string().contains("wanted above 70% of the start (standing)"),
        "{}",
        slumped[0]
    );
}

#[test]
fn touching_is_a_matter_of_surfaces() {
    let floor = || plank_at("floor", 0.0, -0.5, 10.0, 1.0).fixed();
    let promises = [body("ball", touching("floor")), body("ball", touching("wall.*"))];
    for (gap, touches) in [(0.009, true), (0.011, false), (-0.2, true), (3.0, false)] {
        let bodies = vec![
            floor(),
            ball_at("ball", 0.0, 0.5 + gap),
            crate_at("wall.0", 4.0, 0.5),
            crate_at("wall.1", 5.0, 0.5),
        ];
        let verdicts = after(world(bodies), &promises, |_| {});
        assert_kept(&verdicts, &[touches, false]);
        assert_relative_eq!(verdicts[0].value, f64::from(gap), epsilon = 1e-5);
    }
    // A corner of a crate that stands on it, 45° turned; and what does not collide touches as well.
    let mut ghost = BodyDef { angle: std::f32::consts::FRAC_PI_4, ..crate_at("ghost", 0.0, 0.708) };
    ghost.filter.mask = 0;
    let verdicts = after(world(vec![floor(), ghost]), &[body("ghost", touching("floor"))], |_| {});
    assert_kept(&verdicts, &[true]);
    // Any part of a group, and none of its own.
    let mut bodies = person();
    bodies.push(floor());
    let promises = [body("ann", touching("floor")), body("ann", touching("ann.*"))];
    let verdicts = after(world(bodies), &promises, |_| {});
    assert_kept(&verdicts, &[true, false]);
    assert!(verdicts[1].to_string().contains("nothing to measure"), "{}", verdicts[1]);
}

#[test]
fn a_corner_near_a_corner_is_as_far_as_it_is() {
    // Diagonally 9 mm apart along both axes: 12.7 mm.
    let bodies = vec![crate_at("a", 0.0, 0.0), crate_at("b", 1.009, 1.009)];
    let verdicts = after(world(bodies), &[body("a", touching("b"))], |_| {});
    assert_kept(&verdicts, &[false]);
    assert_relative_eq!(verdicts[0].value, 0.009 * 2_f64.sqrt(), epsilon = 1e-5);
}

#[test]
fn bodies_that_meet_all_conditions_are_counted() {
    let wall = || (0..5).map(|i| crate_at(&format!("wall.{i}"), i as f32, 0.5)).collect();
    let lower = |x: f64| Condition::Quantity {
        quantity: Quantity::X,
        amount: false,
        range: Range::below(x),
    };
    let count = |conditions: Vec<Condition>, range| {
        at_once(Subject::Count { names: "wall.*".into(), conditions, range })
    };
    let promises = [
        count(vec![lower(2.5)], Range { above: Some(2.0), below: Some(4.0) }),
        count(vec![lower(2.5)], Range::above(3.0)),
        count(vec![lower(2.5), Condition::AtRest], Range { above: Some(1.0), below: Some(3.0) }),
        count(vec![touching("wall.0")], Range { above: Some(0.0), below: Some(2.0) }),
    ];
    let verdicts = after(world(wall()), &promises, |world| {
        set_motion(world, "wall.1", Vec2::X, Vec2::ZERO, 0.0);
    });
    assert_kept(&verdicts, &[true, false, true, true]);
    let values: Vec<_> = verdicts.iter().map(|verdict| verdict.value).collect();
    assert_eq!(values, [3.0, 3.0, 2.0, 1.0]);
    assert_eq!(
        verdicts[1].to_string(),
        "count of wall.* (x below 2.5 m) 3 at 0.125 s, wanted above 3"
    );
}

#[test]
fn joints_are_intact_within_their_error_and_limits() {
    let scene = || {
        let bodies = vec![crate_at("a", 0.0, 0.0), crate_at("b", 2.0, 0.0)];
        let limit = Some(AngleLimit { lower: -0.1, upper: 0.1 });
        let pin = JointDef::new("pins.0", JointKind::Pin { limit }, "a", Some("b"), Vec2::X);
        World::build(&Scene { bodies, joints: vec![pin], ..Scene::default() }).unwrap()
    };
    let joint = |condition| at_once(Subject::Joint { name: "pins.*".into(), condition });
    let promises = [
        joint(JointCondition::Intact),
        joint(JointCondition::Error(Range::below(0.03))),
        joint(JointCondition::Error(Range::above(0.03))),
    ];
    let judged = |change: &dyn Fn(&mut World)| after(scene(), &promises, change);
    assert_kept(&judged(&|_| {}), &[true, true, false]);
    let apart = |by: f32| judged(&|world: &mut World| shift(world, "b", Vec2::new(by, 0.0)));
    assert_kept(&apart(0.04), &[true, false, true]);
    assert_kept(&apart(0.06), &[false, false, true]);
    let bent = |degrees: f32| judged(&|world: &mut World| turn(world, "b", Vec2::X, degrees));
    // The limits are at ±5.73°.
    assert_kept(&bent(20.0), &[true, true, false]);
    let past = bent(-22.0);
    assert_kept(&past, &[false, true, false]);
    assert!(
        past[0].to_string().starts_with("pins.0 angle beyond its limits 16.27°"),
        "{}",
        past[0]
    );
}

#[test]
fn a_pattern_is_as_good_as_its_worst_body() {
    let row =
        vec![crate_at("row.0", 0.0, 0.0), crate_at("row.1", 3.0, 0.0), crate_at("other", 9.0, 0.0)];
    let moved = |name: &str| amount(name, Quantity::Moved, Range::below(1.0));
    let verdicts = after(world(row), &[moved("row.*"), moved("row.0"), moved("row")], |world| {
        shift(world, "row.1", Vec2::new(1.5, 0.0));
    });
    // As one thing the row moved by half of that.
    assert_kept(&verdicts, &[false, true, true]);
    assert_eq!(verdicts[0].name, "row.* moved below 1 m at 0.125 s");
    assert_eq!(verdicts[0].to_string(), "row.1 moved 1.5 m at 0.125 s, wanted below 1 m");
    assert_relative_eq!(verdicts[2].value, 0.75, epsilon = 1e-6);
}
