//! Edits leave everything outside the change byte for byte as it was.

use super::*;

const TEXT: &str = r#"// A yard.
{
  "format": 1, /* the first */
  "items": [
    // The ground comes first.
    { "type": "static", "id": "ground",   "box": [32, 8.0], "at": [0, -4] }, // never moves

    { "type": "crate", "size": [1, 1] },
    // Two balls
    {
      "type": "disc", // round
      "id": "ball",
      "at": [1.50, 2e0],
      "radius": 0.5,
    },
    { "type": "pin", "id": "hook", "a": "ball", "b": "ground", "at": [1.5, 2] },
    { "type": "crate", "id": "wall", "size": [1, 1], "at": ["$n", 2], "angle": "$a" }
  ],
  "expect": [ ] // nothing yet
}
"#;

fn text() -> LevelText {
    LevelText::parse(TEXT).unwrap()
}

/// The text after an edit, which must be the old one with some parts replaced.
fn check(edits: &[Edit], replaced: &[(&str, &str)]) -> LevelText {
    let mut expected = TEXT.to_owned();
    for (old, new) in replaced {
        assert_eq!(expected.matches(old).count(), 1, "{old}");
        expected = expected.replace(old, new);
    }
    let edited = text().apply(edits).unwrap();
    assert_eq!(edited.as_str(), expected);
    edited
}

#[test]
fn items_and_whose_body_is_whose() {
    let text = text();
    let ids: Vec<&str> = text.items().iter().map(|item| item.id.as_str()).collect();
    assert_eq!(ids, ["ground", "crate.0", "ball", "hook", "wall"]);
    assert_eq!(text.items()[2].at, Some([1.5, 2.0]));
    assert_eq!(text.items()[1].at, Some([0.0, 0.0]));
    assert_eq!((text.items()[4].at, text.items()[4].angle), (None, None));
    assert_eq!(text.items()[3].holds, ["ball", "ground"]);
    assert_eq!(text.owner("crate.0"), Some(1));
    assert_eq!(text.owner("wall.3.1"), Some(4));
    assert_eq!((text.owner("wal"), text.owner("crate.1")), (None, None));
}

#[test]
fn moving_changes_single_numbers() {
    check(&[Edit::Move { item: 2, by: [0.1, 0.0] }], &[("[1.50, 2e0]", "[1.6, 2e0]")]);
    check(&[Edit::Move { item: 0, by: [0.3, 0.1] }], &[("[0, -4]", "[0.3, -3.9]")]);
    check(&[Edit::Move { item: 0, by: [0.0, 0.0] }], &[]);
    // A place that was not written is written where a reader expects it.
    let (old, new) = (r#""crate", "size""#, r#""crate", "at": [0.7, 0], "size""#);
    check(&[Edit::Move { item: 1, by: [0.7, 0.0] }], &[(old, new)]);
}

#[test]
fn many_small_steps_leave_no_noise() {
    let mut text = text();
    for _ in 0..30 {
        text = text.apply(&[Edit::Move { item: 2, by: [0.1, -0.1] }]).unwrap();
    }
    assert_eq!(text.as_str(), TEXT.replace("[1.50, 2e0]", "[4.5, -1]"));
}

#[test]
fn turning_adds_or_changes_the_angle() {
    let (old, new) = (r#""type": "crate", "size""#, r#""type": "crate", "angle": 15, "size""#);
    check(&[Edit::Turn { item: 1, by: 15.0 }], &[(old, new)]);
    let (old, new) = ("\"at\": [0, -4] }", "\"at\": [0, -4], \"angle\": -15 }");
    check(&[Edit::Turn { item: 0, by: 345.0 }], &[(old, new)]);
    let (old, new) = ("[1.50, 2e0],\n", "[1.50, 2e0],\n      \"angle\": 5,\n");
    let turned = check(&[Edit::Turn { item: 2, by: 5.0 }], &[(old, new)]);
    let back = turned.apply(&[Edit::Turn { item: 2, by: -7.5 }]).unwrap();
    assert_eq!(
        back.as_str(),
        TEXT.replace(old, &new.replace('5', "-2.5").replace("[1.-2.50", "[1.50"))
    );
}

#[test]
fn what_is_computed_is_left_alone() {
    for edit in [Edit::Move { item: 4, by: [1.0, 0.0] }, Edit::Turn { item: 4, by: 1.0 }] {
        let error = text().apply(&[edit]).unwrap_err().to_string();
        assert!(error.contains("`wall`") && error.contains("computed"), "{error}");
    }
    assert!(text().apply(&[Edit::Turn { item: 3, by: 1.0 }]).is_err());
    assert!(text().apply(&[Edit::Remove { item: 5 }]).is_err());
}

#[test]
fn removing_takes_the_item_and_leaves_the_comments() {
    let old = "    { \"type\": \"crate\", \"size\": [1, 1] },\n";
    check(&[Edit::Remove { item: 1 }], &[(old, "")]);
    let edits: Vec<Edit> = (0..5).map(|item| Edit::Remove { item }).collect();
    let empty = text().apply(&edits).unwrap();
    assert!(empty.items().is_empty());
    for comment in ["// A yard.", "/* the first */", "// The ground comes first.", "// Two balls"] {
        assert!(empty.as_str().contains(comment), "{comment}:\n{}", empty.as_str());
    }
    let refilled = empty.apply(&[Edit::Add { text: "{ \"type\": \"crate\" }".into() }]).unwrap();
    assert_eq!(refilled.items().len(), 1);
}

#[test]
fn copies_stand_behind_the_original_with_ids_of_their_own() {
    let old = "    // Two balls\n";
    let new = concat!(
        "    { \"type\": \"crate\", \"id\": \"crate\", \"at\": [0.5, 0], \"size\": [1, 1] },\n",
        "    // Two balls\n"
    );
    let copied = check(&[Edit::Duplicate { items: vec![1], by: [0.5, 0.0] }], &[(old, new)]);
    let again = copied.apply(&[Edit::Duplicate { items: vec![2], by: [0.5, 0.0] }]).unwrap();
    assert!(again.as_str().contains("\"id\": \"crate_2\", \"at\": [1, 0], \"size\""));
}

#[test]
fn copied_pins_hold_the_copies() {
    let copied = text().apply(&[Edit::Duplicate { items: vec![2, 3], by: [1.0, 0.0] }]).unwrap();
    let pin = &copied.items()[5];
    assert_eq!((pin.id.as_str(), pin.at), ("hook_2", Some([2.5, 2.0])));
    assert_eq!(pin.holds, ["ball_2", "ground"]);
    assert!(copied.as_str().contains("\"type\": \"disc\", // round\n      \"id\": \"ball_2\","));
}

#[test]
fn adding_keeps_line_endings_and_the_byte_order_mark() {
    let dos = format!("\u{feff}{}", TEXT.replace('\n', "\r\n"));
    let text = LevelText::parse(&dos).unwrap();
    let added = text.apply(&[Edit::Add { text: "{ \"type\": \"disc\" }".into() }]).unwrap();
    let expected = dos.replace("\"$a\" }\r\n", "\"$a\" },\r\n    { \"type\": \"disc\" }\r\n");
    assert_eq!(added.as_str(), expected);
    let empty = LevelText::parse("{ \"format\": 1 }").unwrap();
    assert!(empty.apply(&[Edit::Add { text: "{}".into() }]).is_ok());
}

#[test]
fn numbers_are_short() {
    let sums = [0.1 + 0.2, 1.0 - 0.9, -1e-9, 12.0, 1.0 / 3.0, -2.50];
    assert_eq!(sums.map(short), ["0.3", "0.1", "0", "12", "0.3333", "-2.5"]);
}

#[test]
fn every_level_that_comes_with_the_crate_can_be_edited() {
    for (name, source) in crate::Level::BUILTIN {
        let text = LevelText::parse(source).unwrap();
        let level = crate::Level::parse(source, name).unwrap();
        for body in &level.scene.bodies {
            assert!(text.owner(&body.id).is_some(), "{name}: {}", body.id);
        }
        assert_eq!(text.apply(&[]).unwrap().as_str(), *source, "{name}");
    }
}

/// Whatever has a second place takes it along, and a gear has none.
#[test]
fn ends_move_with_beginnings() {
    let text = r#"{ "format": 1, "items": [
    { "type": "rope", "id": "r", "at": [1, 2], "to": [5, 2] },
    { "type": "pulley", "a": "x", "b": "y", "at": [0, 0], "to": [1, 0], "over": [[0, 4], [1, 4]] },
    { "type": "gear", "a": "x", "b": "y" },
    { "type": "rope", "at": [1, 2], "to": ["1 + 2", 2] },
] }"#;
    let level = LevelText::parse(text).unwrap();
    let by = [0.5, 1.0];
    let moved = |item| level.apply(&[Edit::Move { item, by }]).map(|edited| edited.text);
    assert!(moved(0).unwrap().contains(r#""at": [1.5, 3], "to": [5.5, 3]"#));
    let pulley = r#""at": [0.5, 1], "to": [1.5, 1], "over": [[0.5, 5], [1.5, 5]]"#;
    assert!(moved(1).unwrap().contains(pulley), "{}", moved(1).unwrap());
    assert_eq!(moved(2).unwrap(), text);
    assert!(moved(3).unwrap_err().to_string().contains("`to` is computed"));
    assert!(level.apply(&[Edit::Turn { item: 2, by: 5.0 }]).is_err());
}
