//! Mistakes in expressions, copies, prefabs, defaults and includes, and what is told about them.

use sinew::Level;

use super::expansion::folder;
use super::mistakes::told;
use super::with_items;

/// Each item with an expression that cannot be computed.
#[test]
fn expressions() {
    let cases = [
        (
            r#"{ "type": "disc", "radius": "$r" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "1 +" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "2 * (1 + 3" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "at": [0, "1 / 0"] }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "sqr(4)" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "sqrt(-4)" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "sin 30" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "max(1, 2" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "1e5 * 1e5" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "0 - 3" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "at": ["$i", 0] }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "angle": "\u0031 + ?" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "$", "angle": "3 3" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "id": "a{$i + 1}" }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "id": "a{1" }"#,
            "",
        ),
    ];
    for (text, expected) in cases {
        let _ = expected; println!("@@[{:?},{:?}]", text, told(&with_items(text)));
    }
}

/// Each item whose copies cannot be laid out.
#[test]
fn copies() {
    let cases = [
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "step": [1, 0], "radius": 2 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "step": [1, 0], "face": "out" } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": [2, 2], "radius": 2 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 0 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 2, "from": 0, "to": 400 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 3, "radius": 2, "face": "up" } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "at": [0, 0], "repeat": { "count": 3, "radius": 2, "around": [1, 1] } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 4000000000, "step": [1, 0] } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": 2.5, "step": [1, 0] } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": 1, "repeat": { "count": "$n", "step": [1, 0], "stride": 1 } }"#,
            "",
        ),
        (
            r#"{ "type": "disc", "radius": "2 - $i", "repeat": { "count": 5, "step": [9, 0] } }"#,
            "",
        ),
        (
            r#"{ "type": "ragdoll", "repeat": { "count": [100, 100], "step": [9, 9] } }"#,
            "",
        ),
    ];
    for (text, expected) in cases {
        let _ = expected; println!("@@[{:?},{:?}]", text, told(&with_items(text)));
    }
}

/// Each use of a prefab, and ragdolls.
#[test]
fn uses() {
    let cases = [
        (
            r#"{ "type": "stack", "m": 4 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "n": "many" }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "n": -3 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "width": -1 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "mirror": "y" }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "scale": 0 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "material": "wod" }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "angle": "$x" }"#,
            "",
        ),
        (
            r#"{ "type": "pyramid", "n": 1000 }"#,
            "",
        ),
        (
            r#"{ "type": "stak", "n": 3 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "id": "s", "n": 3 }, { "type": "pin", "a": "s", "at": [0, 0] }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "id": "s" }, { "type": "disc", "id": "s", "radius": 1 }"#,
            "",
        ),
        (
            r#"{ "type": "stack", "width": 0.01, "scale": 0.001 }"#,
            "",
        ),
        (
            r#"{ "type": "ragdoll", "pose": "sitting", "build": "tall", "facing": "up" }"#,
            "",
        ),
        (
            r#"{ "type": "ragdoll", "limits": { "knee": [10, -10], "toe": [0, 1] } }"#,
            "",
        ),
    ];
    for (text, expected) in cases {
        let _ = expected; println!("@@[{:?},{:?}]", text, told(&with_items(text)));
    }
}

/// Each file whose prefabs, defaults or includes are at fault.
#[test]
fn definitions() {
    let cases = [
        (
            r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "b" }] }, "b": { "items": [{ "type": "a" }] } }, "items": [{ "type": "a" }] }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "a" }] } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "crate": { "items": [] }, "two words": { "items": [] } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": { "params": { "at": 1, "3d": 1, "b-c": 1, "ok": [1] }, "items": [] } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": { "parms": {} } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": 3, "b": { "items": 3 } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": { "params": { "n": "$m + 1", "m": 2 }, "items": [] } } }"#,
            "",
        ),
        (
            r##"{ "format": 1, "prefabs": { "a": { "params": { "c": "#ff0000" }, "items": [{ "type": "disc", "radius": "$c" }] } }, "items": [{ "type": "a", "c": 3 }] }"##,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "unused": { "items": [{ "type": "disc", "radius": 0 }] } } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "p": { "items": [{ "type": "pin", "a": "q", "at": [0, 0] }] } }, "items": [{ "type": "p", "id": "x" }] }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "p": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] } }, "items": [{ "type": "p", "r": 1 }, { "type": "p", "r": -1 }, { "type": "p", "r": -2 }] }"#,
            "",
        ),
        (
            r#"{ "format": 1, "defaults": { "crat": {}, "crate": { "id": "x", "sice": [1, 1] }, "disc": 3 } }"#,
            "",
        ),
        (
            r#"{ "format": 1, "defaults": { "disc": { "radius": -1 } }, "items": [{ "type": "disc" }, { "type": "disc" }] }"#,
            "",
        ),
        (
            r#"{ "format": 1, "include": 3 }"#,
            "",
        ),
        (
            r#"{ "format": 1, "include": "other.json" }"#,
            "",
        ),
        (
            r#"{ "format": 1, "include": ["a.json", 4] }"#,
            "",
        ),
        (
            r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "disc", "id": "d", "radius": 1 }, { "type": "disc", "id": "d", "radius": 1 }] } }, "items": [{ "type": "a", "id": "x" }] }"#,
            "",
        ),
    ];
    for (text, expected) in cases {
        let _ = expected; println!("@@[{:?},{:?}]", text, told(text));
    }
}

#[test]
fn a_mistake_in_a_prefab_is_shown_once_with_the_use_that_leads_to_it() {
    let text = r#"{
  "format": 1,
  "prefabs": {
    "wheel": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] },
    "cart": { "items": [{ "type": "wheel", "r": 1 }, { "type": "wheel", "r": -1 }] },
  },
  "items": [{ "type": "cart" }, { "type": "cart" }],
}"#;
    let (_, diagnostics) = Level::check(text, "cart.json");
    assert_eq!(diagnostics.len(), 1);
    assert_eq!(
        diagnostics[0].to_string(),
        r#"cart.json:4:75: error: radius -1 must be positive
   4 |     "wheel": { "params": { "r": 1 }, "items": [{ "type": "disc", "radius": "$r" }] },
     |                                                                            ^^^^
      at prefabs.wheel.items[0].radius
      in the prefab `wheel`, used at cart.json:5:54
      in the prefab `cart`, used at cart.json:7:13"#
    );
}

/// No prefab grows without bound, and none takes long to be refused.
#[test]
fn growth_is_bounded() {
    let mut prefabs = vec![r#""p0": { "items": [{ "type": "disc", "radius": 1 }] }"#.to_owned()];
    for i in 1..12 {
        let copies = r#""repeat": { "count": 50, "step": [1, 1] }"#;
        prefabs.push(format!(
            r#""p{i}": {{ "items": [{{ "type": "p{}", {copies} }}] }}"#,
            i - 1
        ));
    }
    let text = |item: &str| {
        let prefabs = prefabs.join(", ");
        format!(r#"{{ "format": 1, "prefabs": {{ {prefabs} }}, "items": [{item}] }}"#)
    };
    let told_all = told(&text(r#"{ "type": "p11" }"#));
    assert!(told_all.contains("make more than 100000 items"), "{told_all}");
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
        ("level/parts/wrong.json", "{ \"format\": 1,\n  \"items\": [{ \"type\": \"disk\" }] }".into()),
        ("secret.json", nothing.into()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
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
    assert_eq!(read("absolute.json"), "absolute.json:1:27 `/etc/passwd` leads out of the level's folder");
    assert!(read("missing.json").starts_with("missing.json:1:27 cannot read `none.json`"));
    assert_eq!(read("folder.json"), "folder.json:1:27 cannot read `parts`: it is no file");
    assert_eq!(read("wrong.json"), "wrong.json:2:23 unknown type `disk`");
    #[cfg(unix)]
    {
        let target = folder.join("secret.json");
        std::os::unix::fs::symlink(target, folder.join("level/linked.json")).unwrap();
        let expected = "link.json:1:27 `linked.json` is a link that leads out of the level's folder";
        assert_eq!(read("link.json"), expected);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
