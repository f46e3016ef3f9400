//! `docs/expect.md`: its snippets are levels and promises that hold, its tables list what there is.

use std::collections::BTreeSet;

use sinew::{Level, Metric, SolverKind};

use super::language::keys_of;
use super::run;

const DOCUMENT: &str = include_str!("../../docs/expect.md");

/// What stands between the fences of the snippets in a language.
fn snippets(language: &str) -> Vec<&'static str> {
    let opening = format!("```{language}\n");
    let rest = DOCUMENT.split(opening.as_str()).skip(1);
    rest.map(|rest| rest.split("```").next().unwrap()).collect()
}

/// The level that all snippets of promises are about, without its own.
fn yard() -> &'static str {
    let level = snippets("json").into_iter().find(|text| text.contains("\"format\"")).unwrap();
    level.split("\"expect\"").next().unwrap()
}

#[test]
fn every_snippet_is_kept_on_every_solver() {
    let snippets = snippets("json");
    assert!(snippets.len() >= 6, "{} snippets", snippets.len());
    for snippet in snippets {
        let whole = snippet.contains("\"format\"");
        let text = if whole {
            snippet.to_owned()
        } else {
            format!("{}\"expect\": [\n{snippet}] }}", yard())
        };
        let level = Level::parse(&text, "docs/expect.md").unwrap_or_else(|error| panic!("{error}"));
        assert!(!level.expect.is_empty(), "nothing is promised in:\n{snippet}");
        for solver in SolverKind::ALL {
            for verdict in run(&level, solver) {
                assert!(verdict.pass, "{solver}: {verdict}, in:\n{snippet}");
            }
        }
    }
}

#[test]
fn the_snippet_that_breaks_is_reported_as_shown() {
    let entries = snippets("jsonc").concat();
    let text = format!("{}\"expect\": [\n{entries}] }}", yard());
    let level = Level::parse(&text, "docs/expect.md").unwrap_or_else(|error| panic!("{error}"));
    assert!(level.expect.len() >= 3);
    let verdicts = run(&level, SolverKind::Verlet);
    assert!(verdicts.iter().all(|verdict| !verdict.pass));
    let shown = verdicts.iter().map(|verdict| format!("✘ {verdict} (line "));
    let missing: Vec<String> = shown.filter(|shown| !DOCUMENT.contains(shown)).collect();
    assert!(missing.is_empty(), "not in docs/expect.md: {missing:#?}");
}

/// The words in backticks in the first cells of the tables.
fn documented() -> BTreeSet<&'static str> {
    let rows = DOCUMENT.lines().filter_map(|line| line.strip_prefix("| `"));
    let cells = rows.filter_map(|row| row.split(" | ").next());
    cells
        .flat_map(|cell| cell.split('`').filter(|word| !word.trim_matches([' ', ',']).is_empty()))
        .collect()
}

#[test]
fn every_key_and_metric_is_documented_and_nothing_else() {
    let mut known: BTreeSet<String> = ["at", "from", "holds", "solvers"].map(String::from).into();
    known.extend(["metric", "body", "joint", "count"].map(String::from));
    known.extend([keys_of("body", "intact"), keys_of("joint", "at_rest")].into_iter().flatten());
    known.extend(keys_of("metric", "intact"));
    known.extend(Metric::NAMED.map(|(name, _)| name.to_owned()));
    let documented: BTreeSet<String> = documented().into_iter().map(String::from).collect();
    let missing: Vec<_> = known.difference(&documented).collect();
    assert!(missing.is_empty(), "docs/expect.md leaves out {missing:?}");
    let unknown: Vec<_> = documented.difference(&known).filter(|key| !is_field(key)).collect();
    assert!(unknown.is_empty(), "docs/expect.md explains {unknown:?}, which are not there");
}

/// Whether a word is a field of the JSON report, of which `tests/program/cli.rs` knows more.
fn is_field(word: &str) -> bool {
    ["name", "pass", "value", "unit", "wanted", "time_s", "first_broken_s", "line"].contains(&word)
}
