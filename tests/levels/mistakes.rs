//! Mistakes in level files, and what is told about them.

use sinew::{Diagnostic, Level};

use super::with_items;

/// What is wrong with a text, one line each: `line:column path: message (help)`.
pub(crate) fn told(text: &str) -> String {
    let (level, diagnostics) = Level::check(text, "test.json");
    assert_eq!(level.is_some(), diagnostics.is_empty(), "a level exactly when nothing is wrong");
    diagnostics.iter().map(one_line).collect()
}

fn one_line(diagnostic: &Diagnostic) -> String {
    let Diagnostic { line, column, path, message, help, .. } = diagnostic;
    let help = help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{line}:{column} {path}: {message}{help}\n")
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
pub(crate) const WHOLE_FILES: &[(&str, &str)] = &[
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
    ("{ \"format\": 1, \"items\": 3 }", "1:25 items: expected a list [ … ], found the number 3\n"),
    (
        "{ \"format\": 1, \"format\": 1 }",
        "1:16 format: the key `format` appears twice in this object (remove one of the two, or give them different names)\n",
    ),
    ("{ \"format\": 1", "1:1 : this object is never closed (add the missing })\n"),
    (
        "{ \"format\": 1 } x",
        "1:17 : there is something after the end of the level (a level is one { … })\n",
    ),
    ("{ \"format\": NaN }", "1:13 : NaN is not a number that JSON knows (write a finite number)\n"),
    (
        "{ \"format\": -Infinity }",
        "1:13 : -Infinity is not a number that JSON knows (write a finite number)\n",
    ),
    ("{ \"format\": 1e999 }", "1:13 format: \"1e999\" is too large a number\n"),
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
        "1:36 view.height: 10000000 is outside ±1000000\n",
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

#[test]
fn whole_files() {
    for &(text, expected) in WHOLE_FILES {
        assert_eq!(told(text), expected, "{text}");
    }
}

/// Each item, and what is told about it.
pub(crate) const ITEMS: &[(&str, &str)] = &[
    ("3", "2:1 items[0]: expected an object { … }, found the number 3\n"),
    (
        "{}",
        "2:1 items[0].type: the key `type` is missing (types: crate, box, polygon, disc, capsule, body, static, terrain, ragdoll, rope, beam, cloth, jelly, blob, balloon, bridge, pin, weld, distance, tether, spring, muscle, slider, wheel, gear, pulley, chain, dominoes, pyramid, row, stack, stairs, wall)\n",
    ),
    (
        r#"{ "typ": "crate", "size": [1, 1] }"#,
        "2:3 items[0].typ: unknown key `typ` (did you mean `type`?)\n",
    ),
    (r#"{ "type": "crte" }"#, "2:11 items[0].type: unknown type `crte` (did you mean `crate`?)\n"),
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
    // What follows from a number that is too large is not told again.
    (
        r#"{ "type": "disc", "radius": 1, "at": [0, 1e7], "spin": 2e6, "density": 1e9 }"#,
        "2:42 items[0].at[1]: 10000000 is outside ±1000000\n2:56 items[0].spin: 2000000 is outside ±1000000\n2:72 items[0].density: 1000000000 is outside ±1000000\n",
    ),
    (
        r#"{ "type": "stack", "at": [0, 1e7] }"#,
        "2:30 items[0].at[1]: 10000000 is outside ±1000000\n",
    ),
    (
        r#"{ "type": "disc", "id": "d", "radius": 1, "repeat": { "count": 3, "step": [9e5, 0] } }"#,
        "2:1 items[0]: `d.2` would start more than 1e6 m away\n",
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
        "2:53 items[0].repeat.count: expected a whole number, 0 or more, or two of them [nx, ny], found a list of 1\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": [400, 400], "step": [1, 1] } }"#,
        "2:53 items[0].repeat.count: the level would have 160000 bodies and joints: at most 60000\n",
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
        r#"{ "type": "polygon", "vertices": [[0, 0], [1, 1], [1, 0], [0, 1]] }"#,
        "2:34 items[0].vertices: the outline crosses itself (list the vertices in the order of the outline)\n",
    ),
    (
        r#"{ "type": "polygon", "vertices": [[0, 1], [-0.588, -0.809], [0.951, 0.309], [-0.951, 0.309], [0.588, -0.809]] }"#,
        "2:34 items[0].vertices: the outline winds around more than once (list the vertices in the order of the outline)\n",
    ),
    (
        r#"{ "type": "pin", "a": 3 }"#,
        "2:1 items[0].at: the key `at` is missing\n2:23 items[0].a: expected a text in double quotes, found the number 3\n",
    ),
    (
        r#"{ "type": "capsule" }"#,
        "2:1 items[0].length: the key `length` is missing\n2:1 items[0].radius: the key `radius` is missing\n",
    ),
    (
        r#"{ "type": "static", "capsule": {}, "layer": 200 }"#,
        "2:32 items[0].capsule.length: the key `length` is missing\n2:32 items[0].capsule.radius: the key `radius` is missing\n2:45 items[0].layer: expected a whole number from -128 to 127, found the number 200\n",
    ),
    (
        r#"{ "type": "disc", "id": "", "radius": 1 }, { "type": "pin", "a": "x", "at": [0, 0] }"#,
        "2:25 items[0].id: an id is one word (use letters, digits, `_`, `-` and dots)\n2:66 items[1].a: no body has the id `x` (there are no known ids)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "friction": -1, "restitution": 2, "layer": 200 }"#,
        "2:44 items[0].friction: friction -1 is outside 0 to 100\n2:63 items[0].restitution: restitution 2 is outside 0 to 1\n2:75 items[0].layer: expected a whole number from -128 to 127, found the number 200\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "gravity_scale": 1e4, "linear_damping": -1, "angular_damping": 1001 }"#,
        "2:49 items[0].gravity_scale: gravity_scale 10000 is outside -1000 to 1000\n2:72 items[0].linear_damping: linear_damping -1 is outside 0 to 1000 1/s\n2:95 items[0].angular_damping: angular_damping 1001 is outside 0 to 1000 1/s\n",
    ),
    (
        r#"{ "type": "polygon", "vertices": [[0, 0], [4, 0], [4, 3], [1, -1], [0, 3]] }"#,
        "2:51 items[0].vertices[2]: the outline crosses itself: side 0 meets side 2 (list the vertices in the order of the outline)\n",
    ),
    (
        r#"{ "type": "polygon", "vertices": [[0, 0], [4, 0], [2, 0], [2, 2], [0, 2]] }"#,
        "2:43 items[0].vertices[1]: the outline turns back at vertex 1 (list the vertices in the order of the outline)\n",
    ),
    (
        r#"{ "type": "polygon", "vertices": [[0, 0], [2, 0], [2, 2], [1, 1], [1, 1], [0, 2]] }"#,
        "2:67 items[0].vertices[4]: vertices 3 and 4 are at the same place (leave one of the two out)\n",
    ),
    (
        r#"{ "type": "polygon", "vertices": [[0, 0], [1, 0], [0, 1]], "rounding": 0.5 }"#,
        "2:72 items[0].rounding: rounding 0.5 is too large: a side has no straight part left (use less than half of what is thinnest)\n",
    ),
    (
        r#"{ "type": "crate", "size": [1, 0.2], "rounding": 0.1 }, { "type": "box", "size": [1, 1], "rounding": -1 }"#,
        "2:50 items[0].rounding: rounding 0.1 is too large: a side has no straight part left (use less than half of what is thinnest)\n2:102 items[1].rounding: rounding -1 must be positive\n",
    ),
    (
        r#"{ "type": "terrain", "heights": [0, 1], "points": [[0, 0], [1, 0]] }"#,
        "2:1 items[0]: terrain needs exactly one course (give it `points`, or `heights` and `spacing`)\n",
    ),
    (
        r#"{ "type": "terrain", "points": [[0, 0], [1, 0], [1, -1]] }"#,
        "2:49 items[0].points[2]: point 2 is not to the right of the one before it (list the points of ground from left to right, or give a line a `thickness`)\n",
    ),
    (
        r#"{ "type": "terrain", "heights": [0] }, { "type": "terrain", "heights": [0, 1], "spacing": 0 }"#,
        "2:33 items[0].heights: terrain has 2 to 4096 heights, not 1\n2:91 items[1].spacing: spacing 0 must be positive\n",
    ),
    (
        r#"{ "type": "terrain", "heights": [0, 1], "depth": 1, "thickness": 0.1 }"#,
        "2:66 items[0].thickness: terrain is either ground or a line (leave out `depth` for a line, `thickness` for ground)\n",
    ),
    (
        r#"{ "type": "terrain", "points": [[0, 0], [0, 0]], "thickness": 0.1, "kind": "dynamic" }"#,
        "2:41 items[0].points[1]: point 1 is at the same place as the one before it (leave one of the two out)\n",
    ),
    (
        r#"{ "type": "terrain", "heights": [0, 0], "kind": "dynamic" }"#,
        "2:49 items[0].kind: an item of type `terrain` never moves (use the type box, polygon, disc or capsule for what moves)\n",
    ),
    (
        r#"{ "type": "body", "parts": [] }"#,
        "2:28 items[0].parts: a body has 1 to 64 parts, not 0\n",
    ),
    (
        r#"{ "type": "body", "parts": [{ "type": "disc", "size": [1, 1] }, { "type": "box", "size": [1, 1], "density": 0 }] }"#,
        "2:29 items[0].parts[0].radius: the key `radius` is missing\n2:55 items[0].parts[0].size: a disc has no `size` (a disc knows radius)\n2:109 items[0].parts[1].density: density 0 is outside 0.01 to 1000000\n",
    ),
    (
        r#"{ "type": "body", "parts": [{ "type": "blob" }, { "type": "disc", "radius": 1, "angel": 3 }] }"#,
        "2:39 items[0].parts[0].type: unknown value `blob` (choose one of: box, polygon, disc, capsule)\n",
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

#[test]
fn items() {
    for &(item, expected) in ITEMS {
        assert_eq!(told(&with_items(item)), expected, "{item}");
    }
}

/// Each text with names that are not there or not unique, and what is told about it.
pub(crate) const REFERENCES: &[(&str, &str)] = &[
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
             2:62 items[0].limits: limits 30 to -30 do not rise (write the lower limit first: [lower, upper])\n",
    ),
    (
        r#"{ "type": "ragdoll", "id": "ann" },
{ "type": "pin", "a": "ann", "at": [0, 0] }, { "type": "pin", "a": "ann.hed", "at": [0, 0] }"#,
        "3:23 items[1].a: `ann` is several bodies (name one of them, such as `ann.pelvis`)\n\
             3:68 items[2].a: no body has the id `ann.hed` (did you mean `ann.head`?)\n",
    ),
    // A body that could not be read is not missed a second time.
    (
        r#"{ "type": "disc", "id": "wheel", "radius": -1 },
{ "type": "pin", "a": "wheel", "at": [0, 0] }, { "type": "pin", "a": "wheel.3", "at": [0, 0] }"#,
        "2:44 items[0].radius: radius -1 must be positive\n",
    ),
];

#[test]
fn names_and_references() {
    for &(items, expected) in REFERENCES {
        assert_eq!(told(&with_items(items)), expected, "{items}");
    }
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
