//! Level files: the built-in ones are sound, what is written means what it should, and every mistake
//! is told with its place and remedy; those that are shipped keep what they promise; the schema, the formatter, the
//! linter and what is written about levels agree with the loader.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod expansion;
mod expansion_mistakes;
mod gates;
mod guide;
mod keys;
mod lab;
mod layout;
mod lint;
mod mistakes;
mod promise_mistakes;
mod promised;
mod ragdolls;
mod random;
mod readme;
mod schema;
mod shipped;
mod soft;

use std::collections::BTreeSet;

use promise_mistakes::PROMISES;
use sinew::{Level, Scene, Shape, Style, Vec2, World};

/// A level of these items.
fn with_items(items: &str) -> String {
    format!("{{ \"format\": 1, \"items\": [\n{items}\n] }}")
}

fn parsed(items: &str) -> Scene {
    Level::parse(&with_items(items), "test.json").unwrap_or_else(|e| panic!("{e}")).scene
}

/// The tables of bad levels, each with all that is told about it.
#[test]
fn the_corpus_of_bad_levels_is_large_and_has_none_twice() {
    use expansion_mistakes::{COPIES, DEFINITIONS, EXPRESSIONS, USES};
    use mistakes::{ITEMS, REFERENCES, WHOLE_FILES};
    let tables = [WHOLE_FILES, ITEMS, REFERENCES, EXPRESSIONS, COPIES, USES, DEFINITIONS, PROMISES];
    let mut count = 0;
    for table in tables {
        let bad = table.iter().filter(|(_, told)| !told.is_empty());
        let texts: BTreeSet<&str> = bad.clone().map(|&(text, _)| text).collect();
        assert_eq!(texts.len(), bad.count(), "a bad level is there twice");
        count += texts.len();
    }
    assert!(count >= 60, "only {count} bad levels");
}

#[test]
fn every_builtin_level_is_sound() {
    assert!(Level::BUILTIN.len() >= 10);
    assert_eq!(Level::BUILTIN[0].0, "demo");
    for (name, _) in Level::BUILTIN {
        let level = Level::builtin(name).unwrap_or_else(|e| panic!("{e}"));
        World::build(&level.scene).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(level.name, *name);
        assert!(level.expect.len() >= 2, "{name} promises too little");
        assert!(level.scene.about.ends_with('.'), "{name} says in a sentence what it shows");
        assert!(level.scene.bodies.len() > 1, "{name}");
    }
}

#[test]
fn builtin_levels_start_inside_their_bounds_and_without_overlap() {
    for (name, _) in Level::BUILTIN {
        let world = World::build(&Level::builtin(name).unwrap().scene).unwrap();
        let bounds = world.model.bounds.unwrap();
        for (id, body) in world.bodies().filter(|(_, body)| body.is_dynamic()) {
            let extent = world.bounds(id).unwrap();
            assert!(
                bounds.contains(extent.min) && bounds.contains(extent.max),
                "{name} {}",
                body.id
            );
        }
        let pieces = &world.model.pieces;
        for (i, a) in pieces.iter().enumerate() {
            for (j, b) in pieces.iter().enumerate().skip(i + 1) {
                if !world.model.may_collide(a.body, b.body) {
                    continue;
                }
                let pair = (i as u32, j as u32);
                let touch = sinew::Collision::touch(&world.model, &world.state.position, pair, 0.0);
                let depth = touch.iter().map(|contact| contact.depth).fold(0.0, f32::max);
                let id = |body: u32| &world.model.bodies[body as usize].id;
                assert!(depth < 1e-3, "{name}: {} in {} by {depth}", id(a.body), id(b.body));
            }
        }
    }
}

#[test]
fn bounds_on_a_body_become_expectations() {
    use sinew::{Condition, Quantity, Range, Subject};
    let text = r#"{ "format": 1, "items": [{ "type": "disc", "id": "d", "radius": 1 }],
        "expect": [{ "at": 2, "body": "d", "moved_less_than": 1, "turned_less_than": 5, "y_above": -1, "y_below": 1 },
                   { "from": 1, "at": 2, "body": "d", "turned_below": -45, "solvers": ["impulse"] }] }"#;
    let expect = Level::parse(text, "x.json").unwrap().expect;
    let read: Vec<_> = expect.iter().map(|e| (e.subject.clone(), e.from, e.at, e.line)).collect();
    let bounds = |quantity, amount, above, below| Subject::Body {
        name: "d".into(),
        condition: Condition::Quantity { quantity, amount, range: Range { above, below } },
    };
    let expected = [
        (bounds(Quantity::Moved, true, None, Some(1.0)), 2.0, 2.0, 2),
        (bounds(Quantity::Turned, true, None, Some(5.0)), 2.0, 2.0, 2),
        (bounds(Quantity::Y, false, Some(-1.0), Some(1.0)), 2.0, 2.0, 2),
        (bounds(Quantity::Turned, false, None, Some(-45.0)), 1.0, 2.0, 3),
    ];
    assert_eq!(read, expected);
    assert_eq!(expect[3].solvers, [sinew::SolverKind::Impulse]);
}

#[test]
fn copies_are_numbered_row_by_row() {
    let scene = parsed(
        r#"{ "type": "crate", "size": [1, 1], "at": [5, 0], "repeat": { "count": [2, 2], "step": [1, 3] } },
           { "type": "crate", "size": [1, 1] }"#,
    );
    let placed: Vec<_> = scene.bodies.iter().map(|b| (b.id.as_str(), b.position)).collect();
    let expected = [
        ("crate.0.0", Vec2::new(5.0, 0.0)),
        ("crate.0.1", Vec2::new(6.0, 0.0)),
        ("crate.0.2", Vec2::new(5.0, 3.0)),
        ("crate.0.3", Vec2::new(6.0, 3.0)),
        ("crate.1", Vec2::ZERO),
    ];
    assert_eq!(placed, expected);
}

#[test]
fn made_up_ids_avoid_given_ones() {
    let scene = parsed(
        r#"{ "type": "disc", "radius": 1 }, { "type": "disc", "id": "disc.0", "radius": 1 }"#,
    );
    assert_eq!(scene.bodies[0].id, "disc.1");
}

#[test]
fn angles_are_degrees_and_clockwise_polygons_are_turned() {
    let scene = parsed(
        r##"{ "type": "polygon", "vertices": [[0, 1], [1, 0], [0, 0]], "angle": 180, "spin": 90,
             "material": "ice", "restitution": 0.5, "color": "#010203" }"##,
    );
    let body = &scene.bodies[0];
    assert!((body.angle - std::f32::consts::PI).abs() < 1e-6);
    assert!((body.spin - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
    assert_eq!((body.material.friction, body.material.restitution), (0.03, 0.5));
    assert_eq!(body.look.color, [1, 2, 3]);
    let Shape::Polygon { vertices } = &body.shape else { panic!("{:?}", body.shape) };
    assert_eq!(vertices[0], Vec2::ZERO);
}

#[test]
fn a_ragdoll_is_a_person_of_its_height() {
    let scene = parsed(r#"{ "type": "ragdoll", "id": "ann", "at": [0, 5], "height": 2 }"#);
    let world = World::build(&scene).unwrap();
    assert_eq!((scene.bodies.len(), scene.joints.len()), (13, 12));
    let mut ids: Vec<_> = scene.bodies.iter().map(|body| body.id.as_str()).collect();
    ids.sort_unstable();
    for id in ["ann.head", "ann.chest", "ann.pelvis", "ann.upper_arm.l", "ann.foot.r"] {
        assert!(ids.binary_search(&id).is_ok(), "{id} of {ids:?}");
    }
    let all = world
        .bodies()
        .fold(sinew::Aabb::EMPTY, |all, (id, _)| all.union(world.bounds(id).unwrap()));
    // The stride takes a little off the standing height.
    assert!((1.85..2.02).contains(&all.size().y), "{}", all.size());
    assert_eq!(
        scene.bodies.iter().filter(|body| matches!(body.look.style, Style::Head { .. })).count(),
        1
    );
    for joint in &scene.joints {
        let limit = joint.limit().unwrap();
        assert!(limit.lower <= 0.0 && limit.upper >= 0.0, "{} starts outside its range", joint.id);
    }
}

#[test]
fn parts_of_a_ragdoll_pass_through_each_other_only() {
    let scene = parsed(
        r#"{ "type": "ragdoll", "id": "a", "at": [0, 5], "repeat": { "count": [2, 1], "step": [3, 0] } },
           { "type": "crate", "size": [1, 1] }"#,
    );
    let filter = |id: &str| scene.bodies.iter().find(|body| body.id == id).unwrap().filter;
    assert!(!filter("a.0.head").collides(filter("a.0.shin.l")));
    assert!(filter("a.0.head").collides(filter("a.1.head")));
    assert!(filter("a.0.head").collides(filter("crate.0")));
}
