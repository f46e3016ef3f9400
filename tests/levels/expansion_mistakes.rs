//! Mistakes in expressions, copies, prefabs, defaults and includes, and what is told about them.

use sinew::Level;

use super::expansion::folder;
use super::mistakes::told;
use super::with_items;

/// Each item with an expression that cannot be computed.
pub(crate) const EXPRESSIONS: &[(&str, &str)] = &[
    (
        r#"{ "type": "disc", "radius": "$r" }"#,
        "2:30 items[0].radius: no variable `$r` is known here (there are no variables)\n",
    ),
    (
        r#"{ "type": "disc", "radius": "1 +" }"#,
        "2:33 items[0].radius: expected a number, a $variable or a function, found the end\n",
    ),
    (
        r#"{ "type": "disc", "radius": "2 * (1 + 3" }"#,
        "2:34 items[0].radius: this parenthesis is never closed\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "at": [0, "1 / 0"] }"#,
        "2:47 items[0].at[1]: division by zero\n",
    ),
    (
        r#"{ "type": "disc", "radius": "sqr(4)" }"#,
        "2:30 items[0].radius: unknown function `sqr` (did you mean `sqrt`?)\n",
    ),
    (
        r#"{ "type": "disc", "radius": "sqrt(-4)" }"#,
        "2:30 items[0].radius: the square root of a negative number\n",
    ),
    (
        r#"{ "type": "disc", "radius": "sin 30" }"#,
        "2:30 items[0].radius: `sin` needs its arguments in parentheses (write sin( … ))\n",
    ),
    (
        r#"{ "type": "disc", "radius": "max(1, 2" }"#,
        "2:33 items[0].radius: this parenthesis is never closed\n",
    ),
    (
        r#"{ "type": "disc", "radius": "1e5 * 1e5" }"#,
        "2:29 items[0].radius: the expression gives 10000000000, outside ±1000000\n",
    ),
    (
        r#"{ "type": "disc", "radius": "0 - 3" }"#,
        "2:29 items[0].radius: radius -3 must be positive\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "at": ["$i", 0] }"#,
        "2:40 items[0].at[0]: no variable `$i` is known here (index variables are there in the copies of an item with `repeat`; hand them on to a prefab as parameters)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "angle": "\u0031 + ?" }"#,
        "2:51 items[0].angle: expected a number, a $variable or a function, found `?`\n",
    ),
    (
        r#"{ "type": "disc", "radius": "$", "angle": "3 3" }"#,
        "2:30 items[0].radius: a name is missing after the dollar sign\n\
             2:46 items[0].angle: expected an operator or the end, found `3`\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "id": "a{$i + 1}" }"#,
        "2:41 items[0].id: no variable `$i` is known here (index variables are there in the copies of an item with `repeat`; hand them on to a prefab as parameters)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "id": "a{1" }"#,
        "2:40 items[0].id: this brace is never closed (write {expression}, such as {$i + 1})\n",
    ),
];

#[test]
fn expressions() {
    for &(text, expected) in EXPRESSIONS {
        assert_eq!(told(&with_items(text)), expected, "{text}");
    }
}

/// Each item whose copies cannot be laid out.
pub(crate) const COPIES: &[(&str, &str)] = &[
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3 } }"#,
        "2:42 items[0].repeat: the key `step` is missing (give `step` for a line or a grid, `radius` for a circle)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "step": [1, 0], "radius": 2 } }"#,
        "2:42 items[0].repeat: either `step` or `radius`, not both (leave `step` out for a circle, `radius` for a line or a grid)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "step": [1, 0], "face": "out" } }"#,
        "2:80 items[0].repeat.face: `face` belongs to a circle, not to a line or a grid (give `radius` instead of `step` for a circle)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": [2, 2], "radius": 2 } }"#,
        "2:53 items[0].repeat.count: a circle has one count, not two (write \"count\": 12)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 0 } }"#,
        "2:66 items[0].repeat.radius: radius 0 must be positive\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 2, "from": 0, "to": 400 } }"#,
        "2:86 items[0].repeat.to: from 0 to 400 degrees is more than a full turn\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 2, "face": "up" } }"#,
        "2:77 items[0].repeat.face: unknown value `up` (choose one of: out, in)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "at": [0, 0], "repeat": { "count": 3, "radius": 2, "around": [1, 1] } }"#,
        "2:93 items[0].repeat.around: the centre of the circle is given twice, as `around` and as `at` (leave `at` out, or `around`: the circle is then around `at`)\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 4000000000, "step": [1, 0] } }"#,
        "2:53 items[0].repeat.count: 4000000000 is outside ±1000000\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": 2.5, "step": [1, 0] } }"#,
        "2:53 items[0].repeat.count: expected a whole number, 0 or more, or two of them [nx, ny], found the number 2.5\n",
    ),
    (
        r#"{ "type": "disc", "radius": 1, "repeat": { "count": "$n", "step": [1, 0], "stride": 1 } }"#,
        "2:54 items[0].repeat.count: no variable `$n` is known here (there are no variables)\n\
             2:75 items[0].repeat.stride: unknown key `stride` (known keys: count, step, radius, around, from, to, face)\n",
    ),
    (
        r#"{ "type": "disc", "radius": "2 - $i", "repeat": { "count": 5, "step": [9, 0] } }"#,
        "2:29 items[0].radius: radius 0 must be positive\n",
    ),
    (
        r#"{ "type": "ragdoll", "repeat": { "count": [100, 100], "step": [9, 9] } }"#,
        "2:43 items[0].repeat.count: the level would have 260000 bodies and joints: at most 60000\n",
    ),
];

#[test]
fn copies() {
    for &(text, expected) in COPIES {
        assert_eq!(told(&with_items(text)), expected, "{text}");
    }
}

/// Each use of a prefab, and ragdolls.
pub(crate) const USES: &[(&str, &str)] = &[
    (r#"{ "type": "stack", "m": 4 }"#, "2:20 items[0].m: unknown key `m` (did you mean `n`?)\n"),
    (
        r#"{ "type": "stack", "n": "many" }"#,
        "2:25 items[0].n: expected a number, found the text \"many\" (the default of `n` is a number)\n",
    ),
    (
        r#"{ "type": "stack", "n": -3 }"#,
        "2:25 items[0].n: in the built-in prefab `stack`: expected a whole number, 0 or more, or two of them [nx, ny], found the number -3\n",
    ),
    (
        r#"{ "type": "stack", "width": -1 }"#,
        "2:29 items[0].width: in the built-in prefab `stack`: width -1 must be positive\n",
    ),
    // Through the prefab that this one uses, and for its first row only.
    (
        r#"{ "type": "pyramid", "n": 3, "gap": 0.1, "height": -1 }"#,
        "2:52 items[0].height: in the built-in prefab `pyramid`: height -1 must be positive\n",
    ),
    // The places `-(n − 1)/2·(width + gap)` follow from both.
    (
        r#"{ "type": "row", "n": 5, "gap": 999999 }"#,
        "2:1 items[0]: in the built-in prefab `row`: the expression gives -2000000, outside ±1000000\n",
    ),
    (
        r#"{ "type": "stack", "mirror": "y" }"#,
        "2:30 items[0].mirror: unknown value `y` (did you mean `x`?)\n",
    ),
    (
        r#"{ "type": "stack", "scale": 0 }"#,
        "2:29 items[0].scale: `scale` 0 is outside 0.001 to 1000 (to turn a prefab round, use \"mirror\": \"x\")\n",
    ),
    (
        r#"{ "type": "stack", "material": "wod" }"#,
        "2:32 items[0].material: unknown material `wod` (did you mean `wood`?)\n",
    ),
    (
        r#"{ "type": "stack", "angle": "$x" }"#,
        "2:30 items[0].angle: no variable `$x` is known here (there are no variables)\n",
    ),
    (
        r#"{ "type": "pyramid", "n": 1000 }"#,
        "2:27 items[0].n: in the built-in prefab `pyramid`: the level would have 60109 bodies and joints: at most 60000\n",
    ),
    (
        r#"{ "type": "stak", "n": 3 }"#,
        "2:11 items[0].type: unknown type `stak` (did you mean `stack`?)\n",
    ),
    (
        r#"{ "type": "stack", "id": "s", "n": 3 }, { "type": "pin", "a": "s", "at": [0, 0] }"#,
        "2:63 items[1].a: `s` is several bodies (name one of them, such as `s.0`)\n",
    ),
    (
        r#"{ "type": "stack", "id": "s" }, { "type": "disc", "id": "s", "radius": 1 }"#,
        "2:57 items[1].id: the id `s` is already taken on line 2 (give each item its own id)\n",
    ),
    (
        r#"{ "type": "stack", "width": 0.01, "scale": 0.001 }"#,
        "2:1 items[0]: in the built-in prefab `stack`: stack.0.0 is too small at a scale of 0.001 (use a larger `scale` or larger sizes)\n",
    ),
    (
        r#"{ "type": "ragdoll", "pose": "sitting", "build": "tall", "facing": "up" }"#,
        "2:30 items[0].pose: unknown pose `sitting` (choose one of: stand, relaxed, stride, t, star, sit, crouch, kneel, lie, fall, run, run_far, tuck)\n\
             2:50 items[0].build: unknown value `tall` (choose one of: toddler, child, teen, adult, slim, stout, giant)\n\
             2:68 items[0].facing: unknown value `up` (choose one of: left, right)\n",
    ),
    (
        r#"{ "type": "ragdoll", "joint_friction": -1 }"#,
        "2:40 items[0].joint_friction: joint_friction -1 is outside 0 to 1000\n",
    ),
    (
        r#"{ "type": "ragdoll", "limits": { "knee": [10, -10], "toe": [0, 1] } }"#,
        "2:42 items[0].limits.knee: limits 10 to -10 do not rise (write the lower limit first: [lower, upper])\n\
             2:53 items[0].limits.toe: unknown key `toe` (known keys: waist, neck, shoulder, elbow, hip, knee, ankle)\n",
    ),
    (
        r#"{ "type": "ragdoll", "pose": 3, "mass": 0, "tear_force": -1, "self_collision": "limbs" }"#,
        "2:30 items[0].pose: expected the name of a pose, or an object { … } of angles, found the number 3\n\
             2:41 items[0].mass: mass 0 is outside 0.001 to 1000000 kg\n\
             2:58 items[0].tear_force: tear_force -1 is outside 0.001 to 1000000 N\n\
             2:80 items[0].self_collision: expected true or false, found the text \"limbs\"\n",
    ),
    (
        r#"{ "type": "ragdoll", "poses": { "a": { "like": "b" }, "b": { "like": "a" }, "c": { "nee": 1 }, "d": "crunch" } }"#,
        "2:38 items[0].poses.a: this pose is like itself (let `like` name a pose that is not made of this one)\n\
             2:60 items[0].poses.b: this pose is like itself (let `like` name a pose that is not made of this one)\n\
             2:84 items[0].poses.c.nee: unknown key `nee` (did you mean `knee`?)\n\
             2:101 items[0].poses.d: unknown pose `crunch` (did you mean `crouch`?)\n",
    ),
    (
        r#"{ "type": "ragdoll", "muscles": { "strength": -1, "balance": 2000, "pose": "sit", "keyframes": [{ "time": 1, "pose": "sit" }, { "time": 1, "pose": { "knee": "bent" } }] } }"#,
        "2:47 items[0].muscles.strength: strength -1 is outside 0 to 1000\n\
             2:62 items[0].muscles.balance: balance 2000 is outside 0 to 1000\n\
             2:76 items[0].muscles.pose: muscles pull to one pose, or to those of `keyframes` (leave `pose` out, or make it the only keyframe)\n\
             2:137 items[0].muscles.keyframes[1].time: time 1 is not after the one before (times rise from keyframe to keyframe, from 0 or later)\n\
             2:158 items[0].muscles.keyframes[1].pose.knee: expected a number, or two of them [near, far], found the text \"bent\"\n",
    ),
    (
        r#"{ "type": "ragdoll", "muscles": { "repeats": true, "pose": { "like": "sitt", "hip": [1, 2, 3] } } }"#,
        "2:46 items[0].muscles.repeats: only keyframes repeat (leave `repeats` out, or add `keyframes`)\n\
             2:70 items[0].muscles.pose.like: unknown pose `sitt` (did you mean `sit`?)\n\
             2:85 items[0].muscles.pose.hip: expected two numbers [a, b], found a list of 3\n",
    ),
];

#[test]
fn uses() {
    for &(text, expected) in USES {
        assert_eq!(told(&with_items(text)), expected, "{text}");
    }
}

/// Each file whose prefabs, defaults or includes are at fault.
pub(crate) const DEFINITIONS: &[(&str, &str)] = &[
    // A prefab that nothing uses is tried out all the same.
    (
        r#"{ "format": 1, "prefabs": { "far": { "items": [{ "type": "disc", "id": "d", "radius": 1, "repeat": { "count": 2, "step": [1e6, 0] }, "at": [1, 0] }] } } }"#,
        "1:48 prefabs.far.items[0]: `far.d.1` would start more than 1e6 m away\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "b" }] }, "b": { "items": [{ "type": "a" }] } }, "items": [{ "type": "a" }] }"#,
        "1:93 prefabs.b.items[0].type: the prefab contains itself: `a` → `b` → `a` (a prefab may be made of others, but not of itself; for copies use `repeat`)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "a" }] } } }"#,
        "1:56 prefabs.a.items[0].type: the prefab contains itself: `a` → `a` (a prefab may be made of others, but not of itself; for copies use `repeat`)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "crate": { "items": [] }, "two words": { "items": [] } } }"#,
        "1:29 prefabs.crate: `crate` is a type of item already (give the prefab another name)\n\
             1:55 prefabs.two words: the name of a prefab is one word (give the prefab another name)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "params": { "at": 1, "3d": 1, "b-c": 1, "ok": [1] }, "items": [] } } }"#,
        "1:48 prefabs.a.params.at: `at` has a meaning in every item already (give the parameter another name)\n\
             1:57 prefabs.a.params.3d: the name of a parameter begins with a letter (give the parameter another name)\n\
             1:66 prefabs.a.params.b-c: the name of a parameter is made of letters, digits and `_` (give the parameter another name)\n\
             1:82 prefabs.a.params.ok: a parameter is a number or a text, found a list of 1\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "parms": {} } } }"#,
        "1:34 prefabs.a.items: the key `items` is missing\n\
             1:36 prefabs.a.parms: unknown key `parms` (did you mean `params`?)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": 3, "b": { "items": 3 } } }"#,
        "1:34 prefabs.a: expected an object { … }, found the number 3\n\
             1:53 prefabs.b.items: expected a list [ … ], found the number 3\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "params": { "n": "$m + 1", "m": 2 }, "items": [] } } }"#,
        "1:54 prefabs.a.params.n: no variable `$m` is known here (there are no variables)\n",
    ),
    (
        r##"{ "format": 1, "prefabs": { "a": { "params": { "c": "#ff0000" }, "items": [{ "type": "disc", "radius": "$c" }] } }, "items": [{ "type": "a", "c": 3 }] }"##,
        "1:147 items[0].c: expected a text, found the number 3 (the default of `c` is a text)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "unused": { "items": [{ "type": "disc", "radius": 0 }] } } }"#,
        "1:79 prefabs.unused.items[0].radius: radius 0 must be positive\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "p": { "items": [{ "type": "pin", "a": "q", "at": [0, 0] }] } }, "items": [{ "type": "p", "id": "x" }] }"#,
        "1:68 prefabs.p.items[0].a: no body has the id `q` (there are no known ids)\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "p": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] } }, "items": [{ "type": "p", "r": 1 }, { "type": "p", "r": -1 }, { "type": "p", "r": -2 }] }"#,
        "1:96 prefabs.p.items[0].radius: radius -1 must be positive\n",
    ),
    (
        r#"{ "format": 1, "defaults": { "crat": {}, "crate": { "id": "x", "sice": [1, 1] }, "disc": 3 } }"#,
        "1:30 defaults.crat: unknown type `crat` (did you mean `crate`?)\n\
             1:53 defaults.crate.id: `id` cannot have a default (write it in each item)\n\
             1:64 defaults.crate.sice: unknown key `sice` (did you mean `size`?)\n\
             1:90 defaults.disc: expected an object { … }, found the number 3\n",
    ),
    (
        r#"{ "format": 1, "defaults": { "disc": { "radius": -1 } }, "items": [{ "type": "disc" }, { "type": "disc" }] }"#,
        "1:50 defaults.disc.radius: radius -1 must be positive\n",
    ),
    (
        r#"{ "format": 1, "include": 3 }"#,
        "1:27 include: expected the name of a file or a list, found the number 3 (write \"include\": \"parts.json\")\n",
    ),
    (
        r#"{ "format": 1, "include": "other.json" }"#,
        "1:27 include: a level that is no file has no folder to include files from (save the level as a file, or tell the folder that it belongs to)\n",
    ),
    (
        r#"{ "format": 1, "include": ["a.json", 4] }"#,
        "1:28 include[0]: a level that is no file has no folder to include files from (save the level as a file, or tell the folder that it belongs to)\n\
             1:38 include[1]: expected the name of a file, found the number 4\n",
    ),
    (
        r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "disc", "id": "d", "radius": 1 }, { "type": "disc", "id": "d", "radius": 1 }] } }, "items": [{ "type": "a", "id": "x" }] }"#,
        "1:114 prefabs.a.items[1].id: the id `x.d` is already taken on line 1 (give each item its own id)\n",
    ),
];

#[test]
fn definitions() {
    for &(text, expected) in DEFINITIONS {
        assert_eq!(told(text), expected, "{text}");
    }
}

#[test]
fn a_mistake_in_a_prefab_is_shown_once_with_the_use_that_leads_to_it() {
    let text = r#"{
  "format": 1,
  "prefabs": {
    "hoop": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] },
    "cart": { "items": [{ "type": "hoop", "r": 1 }, { "type": "hoop", "r": -1 }] },
  },
  "items": [{ "type": "cart" }, { "type": "cart" }],
}"#;
    let (_, diagnostics) = Level::check(text, "cart.json");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(
        diagnostics[0].to_string(),
        r#"cart.json:4:75: error: radius -1 must be positive
   4 |     "hoop": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] },
     |                                                                           ^^^^
      at prefabs.hoop.items[0].radius
      in the prefab `hoop`, used at cart.json:5:53
      in the prefab `cart`, used at cart.json:7:13"#
    );
}

/// No prefab grows without bound, and none takes long to be refused.
#[test]
fn growth_is_bounded() {
    let mut prefabs = vec![r#""p0": { "items": [{ "type": "disc", "radius": 1 }] }"#.to_owned()];
    for i in 1..12 {
        let copies = r#""repeat": { "count": 50, "step": [1, 1] }"#;
        prefabs.push(format!(r#""p{i}": {{ "items": [{{ "type": "p{}", {copies} }}] }}"#, i - 1));
    }
    let text = |item: &str| {
        let prefabs = prefabs.join(", ");
        format!(r#"{{ "format": 1, "prefabs": {{ {prefabs} }}, "items": [{item}] }}"#)
    };
    let told_all = told(&text(r#"{ "type": "p11" }"#));
    assert!(told_all.contains("make more than 60000 items"), "{told_all}");
    assert_eq!(told_all.lines().count(), 1, "{told_all}");
    assert_eq!(told(&text(r#"{ "type": "p1" }"#)), "");
    // Deeper than sixteen.
    let chain: Vec<String> = (0..20)
        .map(|i| format!(r#""q{i}": {{ "items": [{{ "type": "q{}" }}] }}"#, i + 1))
        .collect();
    let chain = chain.join(", ");
    let deep = format!(
        r#"{{ "format": 1, "prefabs": {{ {chain}, "q20": {{ "items": [] }} }}, "items": [{{ "type": "q0" }}] }}"#
    );
    assert!(told(&deep).contains("prefabs are nested more than 16 deep"), "{}", told(&deep));
}

#[test]
fn includes_stay_in_the_folder_and_end() {
    let level = |include: &str| format!("{{ \"format\": 1, \"include\": \"{include}\" }}");
    let cycle = level("a.json");
    let nothing = r#"{ "format": 1 }"#;
    let files = [
        ("level/a.json", level("b.json")),
        ("level/b.json", cycle),
        ("level/up.json", level("../secret.json")),
        ("level/absolute.json", level("/etc/passwd")),
        ("level/missing.json", level("none.json")),
        ("level/folder.json", level("parts")),
        ("level/link.json", level("linked.json")),
        ("level/wrong.json", level("parts/wrong.json")),
        (
            "level/parts/wrong.json",
            "{ \"format\": 1,\n  \"items\": [{ \"type\": \"disk\" }] }".into(),
        ),
        ("secret.json", nothing.into()),
    ];
    let files: Vec<(&str, &str)> =
        files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let folder = folder("mistakes", &files);
    let read = |name: &str| {
        let (_, diagnostics) = Level::check_file(&folder.join("level").join(name)).unwrap();
        let shown: Vec<String> = diagnostics
            .iter()
            .map(|d| {
                let file = d.file.rsplit('/').next().unwrap_or_default();
                format!("{file}:{}:{} {}", d.line, d.column, d.message)
            })
            .collect();
        shown.join("\n")
    };
    let told = read("a.json");
    assert!(told.starts_with("b.json:1:27 the file includes itself: "), "{told}");
    assert_eq!(read("up.json"), "up.json:1:27 `../secret.json` leads out of the level's folder");
    assert_eq!(
        read("absolute.json"),
        "absolute.json:1:27 `/etc/passwd` leads out of the level's folder"
    );
    assert!(read("missing.json").starts_with("missing.json:1:27 cannot read `none.json`"));
    assert_eq!(read("folder.json"), "folder.json:1:27 cannot read `parts`: it is no file");
    assert_eq!(read("wrong.json"), "wrong.json:2:23 unknown type `disk`");
    #[cfg(unix)]
    {
        let target = folder.join("secret.json");
        std::os::unix::fs::symlink(target, folder.join("level/linked.json")).unwrap();
        let expected =
            "link.json:1:27 `linked.json` is a link that leads out of the level's folder";
        assert_eq!(read("link.json"), expected);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
