//! The formatter: its layout, that comments and values survive, and that twice is once.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use serde_json::Value;
use sinew::Level;

fn formatted(text: &str) -> String {
    let once = Level::formatted(text, "test.json").unwrap();
    assert_eq!(Level::formatted(&once, "test.json").unwrap(), once, "twice changes nothing");
    assert_eq!(comments(&once), comments(text), "comments survive");
    assert_eq!(data(&once), data(text), "values survive");
    once
}

fn tokens(text: &str) -> (Option<Value>, Vec<String>) {
    use jsonc_parser::tokens::Token;
    use jsonc_parser::{CollectOptions, CommentCollectionStrategy as Comments, parse_to_ast};
    let collect = CollectOptions { comments: Comments::AsTokens, tokens: true };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let parsed = parse_to_ast(text, &collect, &Default::default()).unwrap();
    let comment = |token: &Token<'_>| match token {
        Token::CommentLine(text) | Token::CommentBlock(text) => Some(text.trim_end().to_owned()),
        _ => None,
    };
    let comments =
        parsed.tokens.unwrap().iter().filter_map(|token| comment(&token.token)).collect();
    (parsed.value.map(Value::from), comments)
}

fn comments(text: &str) -> Vec<String> {
    tokens(text).1
}

fn data(text: &str) -> Option<Value> {
    tokens(text).0
}

#[test]
fn comments_without_room_on_a_line_move_below() {
    let text = "[[ // a\n1 // b\n, // c\n1 // d\n // e\n, 2]]";
    assert_eq!(formatted(text), "[[ // a\n  1, // b\n  // c\n  1, // d\n  // e\n  2,\n]]\n");
}

#[test]
fn spaces_indentation_and_trailing_commas() {
    let text = "{\"format\":1,\n\"items\":[\n{\"type\":\"box\",\"size\":[1,2] ,}\n\n\n\n,{  }]\n}";
    // What begins behind its bracket hangs there; what begins on a new line is a block.
    assert_eq!(
        formatted(text),
        "{ \"format\": 1,\n  \"items\": [\n    { \"type\": \"box\", \"size\": [1, 2] }, {},\n  ] }\n"
    );
    let text = "{\n\"format\":1,\n\n\n  \"items\":[ ]}";
    assert_eq!(formatted(text), "{\n  \"format\": 1,\n\n  \"items\": [],\n}\n");
    assert_eq!(formatted("  [ 1,2 , ]  "), "[1, 2]\n");
    assert_eq!(formatted("\u{feff}7"), "7\n");
}

#[test]
fn lines_too_wide_are_broken_and_filled() {
    let vertices: Vec<String> = (0..24).map(|i| format!("[{i}, 0.5]")).collect();
    let text = format!(
        "{{ \"format\": 1, \"items\": [{{ \"type\": \"polygon\", \"vertices\": [{}], \
         \"at\": [0, 4] }}, {{ \"type\": \"disc\", \"radius\": 1 }}] }}",
        vertices.join(", ")
    );
    // Nobody broke a line: the file and the list of objects become blocks, the rest is filled.
    let expected = r#"{
  "format": 1,
  "items": [
    { "type": "polygon",
      "vertices": [[0, 0.5], [1, 0.5], [2, 0.5], [3, 0.5], [4, 0.5], [5, 0.5], [6, 0.5], [7, 0.5],
                   [8, 0.5], [9, 0.5], [10, 0.5], [11, 0.5], [12, 0.5], [13, 0.5], [14, 0.5],
                   [15, 0.5], [16, 0.5], [17, 0.5], [18, 0.5], [19, 0.5], [20, 0.5], [21, 0.5],
                   [22, 0.5], [23, 0.5]], "at": [0, 4] },
    { "type": "disc", "radius": 1 },
  ],
}
"#;
    assert_eq!(formatted(&text), expected);
    assert!(expected.lines().all(|line| line.chars().count() <= 100));
}

#[test]
fn a_line_of_the_author_may_be_wider() {
    let item = |id: usize| {
        format!(
            r#"{{ "type": "box", "id": "{}", "size": [1, 0.7], "at": [0, 4] }}"#,
            "x".repeat(id)
        )
    };
    let level = |item: &str| format!("{{\n  \"items\": [\n    {item},\n  ],\n}}\n");
    // 130 characters with the comma behind it.
    let widest = item(130 - 5 - item(0).len());
    assert_eq!(formatted(&level(&widest)), level(&widest));
    let wider = item(131 - 5 - item(0).len());
    let broken = wider.replace(", \"size\"", ",\n      \"size\"");
    assert_eq!(formatted(&level(&wider)), level(&broken));
}

#[test]
fn comments_stay_where_they_are() {
    let text = "\
// top

// of the file
{ // opening
  /* before */ \"format\": 1, // behind
  \"name\": /* odd place */ \"x\" /* before the comma */,
  \"items\": [
    // first


    { \"type\": \"disc\" }, // ball
    // last
  ],
  \"view\": { \"height\": 3 // no comma
  },
} // end
// after
";
    assert_eq!(
        formatted(text),
        "\
// top

// of the file
{ // opening
  /* before */
  \"format\": 1, // behind
  /* odd place */
  \"name\": \"x\", /* before the comma */
  \"items\": [
    // first

    { \"type\": \"disc\" }, // ball
    // last
  ],
  \"view\": {
    \"height\": 3, // no comma
  },
} // end
// after
"
    );
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    let error = Level::formatted("{ \"format\": }", "x.json").unwrap_err();
    assert!(error.to_string().starts_with("x.json:1:13: error:"), "{error}");
    let deep = "[".repeat(1000) + &"]".repeat(1000);
    assert!(Level::formatted(&deep, "x.json").is_err());
}

#[test]
fn shipped_levels_are_formatted() {
    let lab = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/levels/lab")).unwrap();
    let lab = lab.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let builtin = Level::BUILTIN.iter().map(|(_, text)| (*text).to_owned());
    for text in builtin.chain(lab) {
        assert_eq!(formatted(&text), text, "run `cargo run -- fmt levels levels/lab`");
    }
}

/// Any JSON with comments and white space thrown in.
fn any_text() -> impl Strategy<Value = String> {
    let filler = prop_oneof![
        6 => Just(""), 2 => Just(" "), 2 => Just("\n"), 1 => Just("\n\n\n"),
        1 => Just(" // line\n"), 1 => Just("/* block */"), 1 => Just("\n// own\n"),
        1 => Just("/* two\n   lines */"),
    ];
    let scalar = prop_oneof![
        Just("1".to_owned()),
        Just("-0.250".to_owned()),
        Just("true".to_owned()),
        Just("\"text // not a comment\"".to_owned()),
        Just("\"ä\\n\"".to_owned()),
        (0..90_usize).prop_map(|n| format!("\"{}\"", "w".repeat(n))),
    ];
    let filler = filler.prop_map(str::to_owned);
    let f = filler.clone();
    let value = scalar.prop_recursive(5, 60, 8, move |inner| {
        let part = (f.clone(), inner, f.clone());
        (prop::collection::vec(part, 0..8), any::<bool>(), any::<bool>(), f.clone()).prop_map(
            |(parts, object, comma, end)| {
                let parts: Vec<String> = parts
                    .into_iter()
                    .enumerate()
                    .map(|(i, (before, value, after))| {
                        let key = if object { format!("\"k{i}\"{after}:") } else { String::new() };
                        format!("{before}{key}{after}{value}{after}")
                    })
                    .collect();
                let comma = if comma && !parts.is_empty() { "," } else { "" };
                let body = parts.join(",");
                if object {
                    format!("{{{body}{comma}{end}}}")
                } else {
                    format!("[{body}{comma}{end}]")
                }
            },
        )
    });
    (filler.clone(), value, filler).prop_map(|(before, value, after)| before + &value + &after)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, rng_seed: RngSeed::Fixed(600), failure_persistence: None, ..Default::default() })]

    #[test]
    fn formatting_any_text_twice_is_formatting_it_once(text in any_text()) {
        formatted(&text);
    }
}
