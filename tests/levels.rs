//! Level files: the built-in ones are sound, and every mistake is told with its place and remedy.

use std::fmt::Write as _;

use proptest::prelude::*;
use sinew::{Diagnostic, Level, Scene, Shape, Style, Vec2, World};

/// What is wrong with a text, one line each: `line:column path: message (help)`.
fn told(text: &str) -> String {
    let (level, diagnostics) = Level::check(text, "test.json");
    assert_eq!(level.is_some(), diagnostics.is_empty(), "a level exactly when nothing is wrong");
    diagnostics.iter().map(one_line).collect()
}

fn one_line(diagnostic: &Diagnostic) -> String {
    let Diagnostic { line, column, path, message, help, .. } = diagnostic;
    let mut text = format!("{line}:{column} {path}: {message}");
    if let Some(help) = help {
        write!(text, " ({help})").unwrap();
    }
    text + "\n"
}

/// A level of these items.
fn with_items(items: &str) -> String {
    format!("{{ \"format\": 1, \"items\": [\n{items}\n] }}")
}

fn parsed(items: &str) -> Scene {
    Level::parse(&with_items(items), "test.json").unwrap_or_else(|e| panic!("{e}")).scene
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
fn eight_mistakes_give_eight_diagnostics() {
    let text = r#"{
  "format": 1,
  "world": { "solver": "verlett", "hz": 0 },
  "items": [
    { "type": "crate", "size": [1, -1], "frction": 0.4 },
    { "type": "crate", "size": [1, 1], "material": "wod", "at": [0, "high"] },
    { "type": "pin", "a": "nobody", "at": [0, 0] },
  ],
  "expect": [ { "at": 3, "metric": "escape", "below": 1 } ],
}"#;
    assert_eq!(
        told(text),
        "3:24 world.solver: unknown solver `verlett` (did you mean `verlet`?)\n\
         3:41 world.hz: hz 0 is outside 1 to 10000\n\
         5:36 items[0].size[1]: height -1 must be positive\n\
         5:41 items[0].frction: unknown key `frction` (did you mean `friction`?)\n\
         6:52 items[1].material: unknown material `wod` (did you mean `wood`?)\n\
         6:69 items[1].at[1]: expected a number, found the text \"high\"\n\
         7:27 items[2].a: no body has the id `nobody` (known ids: crate.1)\n\
         9:36 expect[0].metric: unknown metric `escape` (did you mean `escaped`?)\n"
    );
    let error = Level::parse(text, "test.json").unwrap_err();
    assert!(error.is_invalid_level());
    assert_eq!(error.count(), 8);
}

#[test]
fn a_diagnostic_shows_the_line_and_points_at_the_place() {
    let text = with_items(r#"    { "type": "disc", "radius": 1, "colour": "red" },"#);
    let error = Level::parse(&text, "levels/x.json").unwrap_err();
    assert_eq!(
        error.to_string(),
        r#"levels/x.json:2:36: error: unknown key `colour`
   2 |     { "type": "disc", "radius": 1, "colour": "red" },
     |                                    ^^^^^^^^
      at items[0].colour
      help: did you mean `color`?"#
    );
}

#[test]
fn long_lines_are_cut_and_many_errors_counted() {
    let item = r#"{ "type": "disc", "radius": -1 },"#;
    let text = with_items(&item.repeat(50));
    let shown = Level::parse(&text, "x.json").unwrap_err().to_string();
    assert!(shown.ends_with("… and 30 more"), "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() < 130), "{shown}");
}

#[test]
fn control_characters_of_a_file_do_not_reach_the_terminal() {
    let text = "{ \"format\": 1, \"\\u001b[2J\": 1, \"\u{7f}\": 2 }";
    let shown = Level::parse(text, "x.json").unwrap_err().to_string();
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
}

/// Each text, and what is told about it.
#[test]
fn whole_files() {
    let cases = [
        (
            "",
            "1:1 : the file is empty: a level is a JSON object (start with { \"format\": 1, \"items\": [] })\n",
        ),
        (
            "// nothing\n",
            "1:1 : the file is empty: a level is a JSON object (start with { \"format\": 1, \"items\": [] })\n",
        ),
        ("[]", "1:1 : expected an object { … }, found an empty list\n"),
        ("{}", "1:1 format: the key `format` is missing (this version reads \"format\": 1)\n"),
        (
            "{ \"format\": 2 }",
            "1:13 format: the format must be 1, found the number 2 (this version reads \"format\": 1)\n",
        ),
        (
            "{ \"format\": 1, \"items\": 3 }",
            "1:25 items: expected a list [ … ], found the number 3\n",
        ),
        (
            "{ \"format\": 1, \"format\": 1 }",
            "1:16 format: the key `format` appears twice in this object (remove one of the two, or give them different names)\n",
        ),
        ("{ \"format\": 1", "1:1 : this object is never closed (add the missing })\n"),
        (
            "{ \"format\": 1 } x",
            "1:17 : there is something after the end of the level (a level is one { … })\n",
        ),
        (
            "{ \"format\": NaN }",
            "1:13 : NaN is not a number that JSON knows (write a finite number)\n",
        ),
        (
            "{ \"format\": -Infinity }",
            "1:13 : -Infinity is not a number that JSON knows (write a finite number)\n",
        ),
        (
            "{ \"format\": 1e999 }",
            "1:13 format: \"1e999\" is too large a number\n1:13 format: the format must be 1, found the number 0 (this version reads \"format\": 1)\n",
        ),
        ("{ format: 1 }", "1:3 : the key `format` needs double quotes (write \"key\": value)\n"),
        (
            "{ \"format\": 1 \"name\": 2 }",
            "1:14 : a comma is missing here (separate elements and members with commas)\n",
        ),
        (
            "{ \"format\": 1, \"name\": yes }",
            "1:24 : unexpected word `yes` (texts stand in double quotes; the only bare words are true, false and null)\n",
        ),
        (
            "{ \"format\": 1, \"view\": { \"height\": 0 } }",
            "1:36 view.height: height 0 is outside 0.01 to 100000 m\n",
        ),
        (
            "{ \"format\": 1, \"view\": { \"height\": 1e7 } }",
            "1:36 view.height: 10000000 is outside ±1000000\n1:36 view.height: height 10000000 is outside 0.01 to 100000 m\n",
        ),
        (
            "{ \"format\": 1, \"world\": { \"substeps\": 0, \"iterations\": 1.5 } }",
            "1:39 world.substeps: substeps 0 is outside 1 to 256\n1:56 world.iterations: expected a whole number, 0 or more, found the number 1.5\n",
        ),
        (
            "{ \"format\": 1, \"world\": { \"response\": \"clasic\" } }",
            "1:39 world.response: unknown value `clasic` (did you mean `classic`?)\n",
        ),
        (
            "{ \"format\": 1, \"bounds\": { \"min\": [0, 0], \"max\": [1, 0] } }",
            "1:26 bounds: bounds from [0, 0] to [1, 0] hold nothing (min is the lower left corner, max the upper right one)\n",
        ),
        (
            "{ \"format\": 1, \"bounds\": { \"min\": [0, 0] } }",
            "1:26 bounds.max: the key `max` is missing\n",
        ),
        (
            "{ \"format\": 1, \"materials\": { \"goo\": { \"density\": 0, \"color\": \"red\" } } }",
            "1:51 materials.goo.density: density 0 is outside 0.01 to 1000000 kg/m³\n1:63 materials.goo.color: expected a colour \"#rrggbb\", found the text \"red\"\n",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(told(text), expected, "{text}");
    }
}

/// Each item, and what is told about it.
#[test]
fn items() {
    let cases = [
        ("3", "2:1 items[0]: expected an object { … }, found the number 3\n"),
        (
            "{}",
            "2:1 items[0].type: the key `type` is missing (types: crate, box, polygon, disc, capsule, static, ragdoll, pin)\n",
        ),
        (
            r#"{ "type": "crte" }"#,
            "2:11 items[0].type: unknown type `crte` (did you mean `crate`?)\n",
        ),
        (r#"{ "type": "crate" }"#, "2:1 items[0].size: the key `size` is missing\n"),
        (
            r#"{ "type": "crate", "size": 1 }"#,
            "2:28 items[0].size: expected two numbers [a, b], found the number 1\n",
        ),
        (
            r#"{ "type": "crate", "size": [1, 2, 3] }"#,
            "2:28 items[0].size: expected two numbers [a, b], found a list of 3\n",
        ),
        (
            r#"{ "type": "crate", "size": [0.00001, 1e7] }"#,
            "2:29 items[0].size[0]: width 0.00001 is too small: at least 0.0001 m\n2:38 items[0].size[1]: 10000000 is outside ±1000000\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "filter": { "grup": 2, "mask": -1 } }"#,
            "2:44 items[0].filter.grup: unknown key `grup` (did you mean `group`?)\n2:63 items[0].filter.mask: expected a whole number, 0 or more, found the number -1\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "filter": { "group": 2000000 } }"#,
            "2:53 items[0].filter.group: group 2000000 is outside ±1000000\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "kind": "fixed" }"#,
            "2:40 items[0].kind: unknown value `fixed` (choose one of: dynamic, static, kinematic)\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "id": "a b" }"#,
            "2:38 items[0].id: an id is one word (use letters, digits, `_`, `-` and dots)\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": [0, 2], "step": [1, 1] } }"#,
            "2:53 items[0].repeat.count: each count must be at least 1\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": [2] } }"#,
            "2:53 items[0].repeat.count: expected two numbers [a, b], found a list of 1\n",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": [400, 400], "step": [1, 1] } }"#,
            "2:53 items[0].repeat.count: the level would have 160000 bodies and joints: at most 100000\n",
        ),
        (
            r#"{ "type": "polygon", "vertices": [[0, 0], [1, 0]] }"#,
            "2:34 items[0].vertices: a polygon has 3 to 64 vertices, not 2\n",
        ),
        (
            r#"{ "type": "polygon", "vertices": [[0, 0], [1, 1], [2, 2]] }"#,
            "2:34 items[0].vertices: the polygon has no area: its vertices lie on a line\n",
        ),
        (
            r#"{ "type": "polygon", "vertices": [[0, 0], [2, 0], [0.5, 0.5], [0, 2]] }"#,
            "2:51 items[0].vertices[2]: the polygon is not convex at vertex 2 (split a concave outline into convex polygons, and leave out vertices on a straight side)\n",
        ),
        (
            r#"{ "type": "polygon", "vertices": [[0, 2], [0.5, 0.5], [2, 0], [0, 0]] }"#,
            "2:43 items[0].vertices[1]: the polygon is not convex at vertex 1 (split a concave outline into convex polygons, and leave out vertices on a straight side)\n",
        ),
        (
            r#"{ "type": "static" }"#,
            "2:1 items[0]: a static item needs exactly one shape (give it one of box, polygon, disc, capsule)\n",
        ),
        (
            r#"{ "type": "static", "box": [1, 1], "disc": 1 }"#,
            "2:1 items[0]: a static item needs exactly one shape (give it one of box, polygon, disc, capsule)\n",
        ),
        (
            r#"{ "type": "static", "capsule": { "length": 1, "radius": 0 } }"#,
            "2:57 items[0].capsule.radius: radius 0 must be positive\n",
        ),
        (
            r#"{ "type": "static", "disc": 1, "velocity": [1, 0] }"#,
            "2:44 items[0].velocity: velocity on a static body, which never moves (leave velocity out, or make the body dynamic or kinematic)\n",
        ),
        (
            r#"{ "type": "static", "disc": 1, "kind": "dynamic" }"#,
            "2:40 items[0].kind: an item of type `static` never moves (use the type box, polygon, disc or capsule for what moves)\n",
        ),
        (
            r#"{ "type": "ragdoll", "height": 0 }"#,
            "2:32 items[0].height: height 0 is outside 0.1 to 100 m\n",
        ),
        (
            r#"{ "type": "ragdoll", "shirt": "blue" }"#,
            "2:31 items[0].shirt: expected a colour \"#rrggbb\", found the text \"blue\"\n",
        ),
    ];
    for (item, expected) in cases {
        assert_eq!(told(&with_items(item)), expected, "{item}");
    }
}

#[test]
fn names_and_references() {
    let cases = [
        (
            r#"{ "type": "disc", "id": "a", "radius": 1 },
{ "type": "disc", "id": "a", "radius": 1 }"#,
            "3:25 items[1].id: the id `a` is already taken on line 2 (give each item its own id)\n",
        ),
        // Two ends on one body, limits that fall, and a pin far away.
        (
            r#"{ "type": "pin", "a": "d", "b": "d", "at": [0, 9], "limits": [30, -30] },
{ "type": "disc", "id": "d", "radius": 1 }"#,
            "2:33 items[0].b: both ends of the pin are on `d` (name two different bodies, or leave `b` out to pin to the world)\n\
             2:44 items[0].at: the pin is 8.00 m away from `d` (`at` is in world coordinates and at most 0.5 m from each body)\n\
             2:44 items[0].at: the pin is 8.00 m away from `d` (`at` is in world coordinates and at most 0.5 m from each body)\n\
             2:62 items[0].limits: limits 30 to -30 do not rise (write the lower limit first: [lower, upper])\n",
        ),
        (
            r#"{ "type": "ragdoll", "id": "ann" },
{ "type": "pin", "a": "ann", "at": [0, 0] }, { "type": "pin", "a": "ann.hed", "at": [0, 0] }"#,
            "3:23 items[1].a: `ann` is several bodies (name one of them, such as `ann.head`)\n\
             3:68 items[2].a: no body has the id `ann.hed` (did you mean `ann.head`?)\n",
        ),
        // A body that could not be read is not missed a second time.
        (
            r#"{ "type": "disc", "id": "wheel", "radius": -1 },
{ "type": "pin", "a": "wheel", "at": [0, 0] }, { "type": "pin", "a": "wheel.3", "at": [0, 0] }"#,
            "2:44 items[0].radius: radius -1 must be positive\n",
        ),
    ];
    for (items, expected) in cases {
        assert_eq!(told(&with_items(items)), expected, "{items}");
    }
}

/// Each entry of `expect`, and what is told about it.
#[test]
fn promises() {
    let cases = [
        (
            r#"{ "at": 1 }"#,
            "1:82 expect[0]: the promise does not say about what (name a metric or a body)\n",
        ),
        (r#"{ "metric": "escaped", "below": 1 }"#, "1:82 expect[0].at: the key `at` is missing\n"),
        (
            r#"{ "at": -1, "metric": "escaped", "below": 1 }"#,
            "1:90 expect[0].at: the time -1 is outside 0 to 86400 s\n",
        ),
        (
            r#"{ "at": 1, "from": 2, "metric": "escaped", "below": 1 }"#,
            "1:101 expect[0].from: the time 2 is outside 0 to `at`, 1 s\n",
        ),
        (
            r#"{ "at": 1, "metric": "escaped" }"#,
            "1:82 expect[0]: the promise has no bound (give it one of above, below)\n",
        ),
        (
            r#"{ "at": 1, "metric": "escaped", "above": 2, "below": 1 }"#,
            "1:82 expect[0]: nothing is both above 2 and below 1\n",
        ),
        (
            r#"{ "at": 1, "metric": "escaped", "below": "x" }"#,
            "1:123 expect[0].below: expected a number, found the text \"x\"\n",
        ),
        (
            r#"{ "at": 1, "body": "e", "moved_less_than": 1 }"#,
            "1:101 expect[0].body: no body has the id `e` (did you mean `d`?)\n",
        ),
        (
            r#"{ "at": 1, "body": "d", "moved_les_than": 1 }"#,
            "1:106 expect[0].moved_les_than: unknown key `moved_les_than` (did you mean `moved_less_than`?)\n",
        ),
        (
            r#"{ "at": 1, "body": "d", "turned_less_than": -1 }"#,
            "1:126 expect[0].turned_less_than: turned_less_than -1 must not be negative (it bounds both directions; see also turned_above, turned_below)\n",
        ),
        (
            r#"{ "at": 1, "body": "d", "y_above": 1, "solvers": ["impuls"] }"#,
            "1:132 expect[0].solvers[0]: unknown solver `impuls` (did you mean `impulse`?)\n",
        ),
    ];
    for (entry, expected) in cases {
        let items = r#""items": [{ "type": "disc", "id": "d", "radius": 1 }]"#;
        let text = format!("{{ \"format\": 1, {items}, \"expect\": [{entry}] }}");
        assert_eq!(told(&text), expected, "{entry}");
    }
}

#[test]
fn bounds_on_a_body_become_expectations() {
    use sinew::{Quantity, Subject};
    let text = r#"{ "format": 1, "items": [{ "type": "disc", "id": "d", "radius": 1 }],
        "expect": [{ "at": 2, "body": "d", "moved_less_than": 1, "turned_less_than": 5, "y_above": -1, "y_below": 1 },
                   { "from": 1, "at": 2, "body": "d", "turned_more_than": -45, "solvers": ["impulse"] }] }"#;
    let expect = Level::parse(text, "x.json").unwrap().expect;
    let read: Vec<_> = expect
        .iter()
        .map(|e| match &e.subject {
            Subject::Body { quantity, .. } => (*quantity, e.above, e.below, e.from, e.at, e.line),
            Subject::Metric(_) => unreachable!("no metric was named"),
        })
        .collect();
    let expected = [
        (Quantity::Moved, None, Some(1.0), 2.0, 2.0, 2),
        (Quantity::Turned, Some(-5.0), Some(5.0), 2.0, 2.0, 2),
        (Quantity::Y, Some(-1.0), Some(1.0), 2.0, 2.0, 2),
        (Quantity::Turned, None, Some(-45.0), 1.0, 2.0, 3),
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
    assert_eq!(scene.bodies.iter().filter(|body| body.look.style == Style::Head).count(), 1);
    for joint in &scene.joints {
        let limit = joint.limit.unwrap();
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

#[test]
fn files_that_are_no_levels() {
    let folder = std::env::temp_dir().join(format!("sinew-levels-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let missing = Level::load(&folder.join("none.json")).unwrap_err();
    assert!(missing.is_invalid_level() && missing.to_string().contains("none.json"), "{missing}");
    let binary = folder.join("binary.json");
    std::fs::write(&binary, b"{\n\xff\xfe").unwrap();
    let error = Level::load(&binary).unwrap_err().to_string();
    assert!(error.contains("line 2 is not UTF-8"), "{error}");
    let large = folder.join("large.json");
    std::fs::write(&large, vec![b' '; 17 << 20]).unwrap();
    let error = Level::load(&large).unwrap_err().to_string();
    assert!(error.contains("at most 16 MB"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn deep_nesting_is_refused() {
    for depth in [40, 600, 100_000] {
        let text = format!("{{ \"format\": 1, \"items\": {}", "[".repeat(depth));
        let closed = text.clone() + &"]".repeat(depth) + "}";
        assert!(!told(&text).is_empty());
        assert!(told(&closed).contains("nested more than 32 deep"), "{depth}");
    }
}

/// Whatever the loader accepts can be built: the two must not drift apart.
fn accepted_means_buildable(text: &str) {
    let (level, diagnostics) = Level::check(text, "random.json");
    for diagnostic in &diagnostics {
        assert!(diagnostic.line >= 1 && diagnostic.column >= 1 && !diagnostic.message.is_empty());
        let _ = diagnostic.to_string();
    }
    if let Some(level) = level {
        World::build(&level.scene).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// Numbers that hurt.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0".to_owned()),
        Just("-1".to_owned()),
        Just("1e-30".to_owned()),
        Just("1e-4".to_owned()),
        Just("1e6".to_owned()),
        Just("1e38".to_owned()),
        Just("360".to_owned()),
        Just("4294967295".to_owned()),
        Just("null".to_owned()),
        Just("\"x\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        (-10.0..10.0_f64).prop_map(|x| format!("{x:.3}")),
        (0..4_u32).prop_map(|x| x.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn random_text_never_panics(text in "[\\PC\\n\"\\[\\]{},:0-9a-z/*]{0,200}") {
        accepted_means_buildable(&text);
    }

    #[test]
    fn damaged_levels_never_panic(
        level in 0..Level::BUILTIN.len(),
        cut in 0.0..1.0_f64,
        length in 0..12_usize,
        filler in "[\\PC\"\\[\\]{},:0-9.e-]{0,6}",
    ) {
        let text = Level::BUILTIN[level].1;
        let boundary = |byte: usize| (0..=byte.min(text.len())).rev().find(|&b| text.is_char_boundary(b)).unwrap_or(0);
        let start = boundary((cut * text.len() as f64) as usize);
        let end = boundary(start + length).max(start);
        accepted_means_buildable(&format!("{}{filler}{}", &text[..start], &text[end..]));
    }

    #[test]
    fn strange_numbers_are_refused_or_built(numbers in prop::collection::vec(number(), 16)) {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = <[String; 16]>::try_from(numbers).unwrap();
        accepted_means_buildable(&with_items(&format!(
            r#"{{ "type": "box", "id": "a", "size": [{a}, {b}], "at": [{c}, {d}], "angle": {e}, "density": {f} }},
               {{ "type": "capsule", "id": "b", "length": {g}, "radius": {h}, "velocity": [{i}, {j}] }},
               {{ "type": "polygon", "vertices": [[{a}, {k}], [{l}, {m}], [{n}, {o}], [{b}, {p}]] }},
               {{ "type": "disc", "radius": {b}, "repeat": {{ "count": [{c}, {d}], "step": [{e}, {f}] }} }},
               {{ "type": "ragdoll", "height": {g}, "spin": {h}, "at": [{i}, {j}], "angle": {k} }},
               {{ "type": "pin", "a": "a", "b": "b", "at": [{l}, {m}], "limits": [{n}, {o}] }}"#
        )));
    }

    #[test]
    fn polygons_are_refused_or_built(
        vertices in prop::collection::vec((-3..4_i32, -3..4_i32), 2..8),
        scale in prop_oneof![Just(1.0), Just(1e-4), Just(1e-3), Just(1e5), Just(0.37)],
    ) {
        let list: Vec<String> = vertices
            .iter()
            .map(|&(x, y)| format!("[{}, {}]", f64::from(x) * scale, f64::from(y) * scale))
            .collect();
        let item = format!(r#"{{ "type": "polygon", "vertices": [{}] }}"#, list.join(", "));
        accepted_means_buildable(&with_items(&item));
    }
}
