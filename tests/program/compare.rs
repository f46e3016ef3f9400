//! `sinew compare` and `sinew lab`, by running the program: tables, JSON, pages, mistakes.

use std::fs;
use std::path::Path;

use roxmltree::Document;

use crate::answer::{FALL, folder, level, sinew};

/// Three crates on the ground and one that falls on them.
const CRATES: &str = r#"{
    "format": 1,
    "name": "Crates <b>&amp; more</b>",
    "items": [
        { "type": "static", "id": "ground", "box": [20, 1], "at": [0, -0.5] },
        { "type": "crate", "id": "<i>\"odd\"</i>", "size": [1, 1], "at": [0, 0.5] },
        { "type": "crate", "id": "top", "size": [1, 1], "at": [0.2, 3] },
        { "type": "rope", "id": "rope", "at": [4, 3], "to": [6, 3], "hold": "both" },
    ],
    "expect": [{ "at": 0.5, "body": "top", "moved_less_than": 0.1 }],
}"#;

/// The body of a page, which must be well-formed XML.
fn body(page: &str) -> String {
    let start = page.find("<body>").unwrap();
    let end = page.find("</body>").unwrap() + "</body>".len();
    page[start..end].to_owned()
}

/// Checks that a page is one file that needs nothing else, and parses it.
fn parsed(text: &str) -> Document<'_> {
    let document = Document::parse(text).unwrap();
    for node in document.descendants().filter(roxmltree::Node::is_element) {
        for attribute in node.attributes() {
            assert!(!["src", "href", "onclick"].contains(&attribute.name()), "{node:?}");
            assert!(!attribute.value().contains("NaN"), "{node:?}");
            assert!(!attribute.value().contains("inf"), "{node:?}");
        }
        assert_ne!(node.tag_name().name(), "script");
    }
    document
}

fn count(document: &Document<'_>, tag: &str, class: &str) -> usize {
    let is = |node: &roxmltree::Node<'_, '_>| {
        node.has_tag_name(tag)
            && node.attribute("class").unwrap_or("").split(' ').any(|word| word == class)
    };
    document.descendants().filter(is).count()
}

#[test]
fn one_row_for_each_run_and_a_line_for_each_pair() {
    let path = level(&folder("compare"), "crates.json", CRATES);
    let runs = "verlet,impulse:substeps=8,iterations=2,verlet:response=classic";
    let answer = sinew(&["compare", &path, "--solver", runs, "--rounds", "1"]).expect(0);
    let table = &answer.stdout;
    for label in ["verlet 8 × 2 ", "impulse 8 × 2 ", "verlet 8 × 2, classic "] {
        assert!(table.lines().any(|line| line.starts_with(label)), "{label} is not in:\n{table}");
    }
    for head in ["kept", "deepest", "p99", "stretch", "drift", "step", "median", "99 %"] {
        assert!(table.contains(head), "{head} is not in:\n{table}");
    }
    // What no run has is left out.
    assert!(!table.contains("escaped"), "{table}");
    assert!(table.contains("wanted below 0.1 m"), "{table}");
    assert_eq!(table.matches(" and ").count(), 3, "{table}");
    // Two ways to ask for the same run are one run.
    let answer = sinew(&["compare", &path, "--solver", "verlet,verlet:substeps=8", "--json"]);
    assert_eq!(answer.expect(0).json()["runs"].as_array().unwrap().len(), 1);
}

#[test]
fn responses_of_one_solver_are_runs_that_differ() {
    let path = level(&folder("compare-responses"), "crates.json", CRATES);
    let run = |flags: &[&str]| {
        sinew(&[&["compare", &path, "--rounds", "1", "--seconds", "0.5"], flags].concat()).expect(0)
    };
    let forms = "impulse,impulse:response=classic,impulse:response=soft";
    let table = run(&["--solver", forms]).stdout;
    for label in ["impulse 4 × 6 ", "impulse 1 × 10, classic ", "impulse 4 × 6, soft "] {
        assert!(table.lines().any(|line| line.starts_with(label)), "{label} is not in:\n{table}");
    }
    // At one effort, so that nothing but the response makes the difference.
    let answer = run(&["--solver", forms, "--substeps", "4", "--iterations", "6", "--json"]);
    let runs = answer.json()["runs"].as_array().unwrap().clone();
    let hashes: std::collections::BTreeSet<_> =
        runs.iter().map(|run| run["hash"].as_str().unwrap()).collect();
    assert_eq!(hashes.len(), 3, "{hashes:?}");
    // For all: what knows no such response is told, and is the run that it is without.
    let answer =
        run(&["--response", "soft", "--solver", "verlet,verlet:response=conserving,impulse"]);
    assert!(
        answer.stderr.contains("--response soft changes nothing on verlet"),
        "{}",
        answer.stderr
    );
    assert!(!answer.stderr.contains("on impulse"), "{}", answer.stderr);
    assert_eq!(answer.stdout.matches("verlet 8 × 2 ").count(), 1 + 1, "{}", answer.stdout);
}

#[test]
fn json_has_the_report_of_each_run_and_says_where_they_part() {
    let path = level(&folder("compare-json"), "crates.json", CRATES);
    let flags = ["--json", "--rounds", "1", "--threshold", "0.0001", "--substeps", "4"];
    let report = sinew(&[&["compare", &path][..], &flags].concat()).expect(0).json();
    let runs = report["runs"].as_array().unwrap();
    assert_eq!(runs.len(), 3);
    for run in runs {
        assert_eq!((&run["substeps"], &run["steps"]), (&4.into(), &600.into()));
        assert!(run["quality"]["max_penetration_m"].as_f64().unwrap() >= 0.0);
        assert!(run["time"]["step_ms"]["p50"].as_f64().unwrap() > 0.0);
        assert_eq!(run["expect"][0]["pass"], false);
    }
    let alone = sinew(&["sim", &path, "--solver", "pbd", "--substeps", "4", "--json"]);
    assert_eq!(runs[2]["hash"], alone.expect(1).json()["hash"], "the run of `sinew sim`");
    let pairs = report["divergence"].as_array().unwrap();
    assert_eq!(pairs.len(), 3);
    let first = &pairs[0]["first"];
    assert!(first["distance_m"].as_f64().unwrap() >= 1e-4, "{report}");
    assert!(first["step"].as_u64().unwrap() > 0 && first["body"].is_string(), "{report}");
}

#[test]
fn the_page_is_well_formed_and_all_text_is_escaped() {
    let folder = folder("page");
    let path = level(&folder, "crates.json", CRATES);
    let page = folder.join("page.html");
    let file = page.to_str().unwrap();
    let flags = ["--rounds", "1", "--at", "1,0", "--html", file];
    sinew(&[&["compare", &path][..], &flags].concat()).expect(0);
    let text = fs::read_to_string(&page).unwrap();
    assert!(text.starts_with("<!DOCTYPE html><html lang=\"en\">"), "{}", &text[..60]);
    for raw in ["<b>", "<i>", "&amp;amp; more</b>"] {
        assert!(!text.contains(raw), "{raw} is not escaped");
    }
    assert!(text.contains("Crates &lt;b&gt;&amp;amp; more&lt;/b&gt;"));
    assert!(text.contains("&lt;i&gt;&quot;odd&quot;&lt;/i&gt;"));
    assert!(text.contains("prefers-color-scheme: dark"));
    assert!(text.contains(&format!("sinew compare {path}")), "the command is told");
    let text = body(&text);
    let document = parsed(&text);
    // Three runs at two instants.
    assert_eq!(count(&document, "svg", "scene"), 6);
    assert!(count(&document, "figure", "chart") >= 6);
    // A legend in each chart.
    assert_eq!(count(&document, "ul", "legend"), count(&document, "figure", "chart"));
    // A line and a mark in the legend for each run, in all charts but that of pairs; one in the table.
    let charts = count(&document, "figure", "chart");
    for run in ["run-0", "run-1", "run-2"] {
        assert_eq!(count(&document, "path", run), 2 * (charts - 1) + 1, "{run}");
    }
}

#[test]
fn empty_and_diverging_levels_give_a_page_too() {
    let folder = folder("odd-pages");
    let page = folder.join("page.html");
    let file = page.to_str().unwrap();
    let empty = level(&folder, "empty.json", "{ \"format\": 1, \"items\": [] }");
    let flags = ["--rounds", "1", "--seconds", "1", "--html", file];
    sinew(&[&["compare", &empty][..], &flags].concat()).expect(0);
    let text = body(&fs::read_to_string(&page).unwrap());
    assert_eq!(count(&parsed(&text), "svg", "scene"), 9);

    let fall = level(&folder, "fall.json", FALL);
    let flags = ["--rounds", "1", "--seconds", "90", "--gravity", "1e6", "--html", file];
    let answer = sinew(&[&["compare", &fall][..], &flags].concat()).expect(4);
    assert!(answer.stdout.contains("diverged after"), "{}", answer.stdout);
    assert!(answer.stderr.contains("`ball`"), "{}", answer.stderr);
    let text = body(&fs::read_to_string(&page).unwrap());
    let document = parsed(&text);
    // Past all that can be told before the end; what there was until then is shown.
    let missing = count(&document, "div", "missing");
    assert!((3..=6).contains(&missing), "{missing}");
    assert_eq!(count(&document, "svg", "scene"), 9 - missing);
}

#[test]
fn equal_time_chooses_sub_steps_and_tells_them() {
    let path = level(&folder("equal"), "crates.json", CRATES);
    let run = |flags: &[&str]| {
        sinew(&[&["compare", &path, "--json", "--rounds", "1", "--seconds", "0.5"], flags].concat())
    };
    // What a machine needs for a step is not known here; that nothing takes ten seconds is.
    let report = run(&["--equal-time=10000"]).expect(0).json();
    for run in report["runs"].as_array().unwrap() {
        assert_eq!(run["substeps"], 256);
    }
    assert_eq!(report["equal_time_ms"], 10_000.0);
    let answer = run(&["--equal-time", "--solver", "impulse,pbd"]).expect(0);
    let report = answer.json();
    assert!(report["equal_time_ms"].as_f64().unwrap() > 0.0);
    assert_eq!(report["runs"][0]["iterations"], 6);
    run(&["--equal-time", "--substeps", "4"]).refuses(2, &["--equal-time", "leave out"]);
    run(&["--equal-time", "--solver", "pbd:substeps=4"]).refuses(2, &["--equal-time"]);
    run(&["--equal-time=0"]).refuses(2, &["--equal-time", "milliseconds"]);
}

#[test]
fn mistakes_name_the_flag_and_the_remedy() {
    let folder = folder("compare-wrong");
    let compare = |flags: &[&str]| sinew(&[&["compare", "stack"], flags].concat());
    compare(&["--solver", "magic"]).refuses(2, &["--solver", "`magic`", "verlet"]);
    compare(&["--solver", "verlt"]).refuses(2, &["did you mean `verlet`?"]);
    compare(&["--solver", "pbd:substep=2"]).refuses(2, &["did you mean `substeps`?"]);
    compare(&["--solver", "pbd:substeps=0"]).refuses(2, &["substeps=0", "1 to 256"]);
    let many: Vec<_> = (1..=13).map(|n| format!("pbd:substeps={n}")).collect();
    compare(&["--solver", &many.join(",")]).refuses(2, &["13 runs", "12 at most"]);
    compare(&["--rounds", "0"]).refuses(2, &["--rounds", "1 to 99"]);
    compare(&["--threshold", "0"]).refuses(2, &["--threshold", "metres"]);
    compare(&["--at", "1"]).refuses(2, &["--html"]);
    let page = folder.join("page.html");
    let file = page.to_str().unwrap();
    compare(&["--html", file, "--at", "11"]).refuses(2, &["--at 11 s", "10 s", "--seconds"]);
    let nowhere = folder.join("no/page.html");
    compare(&["--html", nowhere.to_str().unwrap()]).refuses(2, &["--html", "no folder"]);
    compare(&["--html", folder.to_str().unwrap()]).refuses(2, &["is a folder"]);
    assert!(!page.exists());
    sinew(&["compare", "stakc"]).refuses(3, &["did you mean `stack`?"]);
    sinew(&["compare", folder.to_str().unwrap()]).refuses(3, &["is a folder"]);
    let wrong = level(&folder, "wrong.json", &FALL.replace("radius", "radios"));
    sinew(&["compare", &wrong]).refuses(3, &["wrong.json:5:", "radius"]);
    sinew(&["lab", "--into", folder.to_str().unwrap()]).refuses(2, &["--into", "is a folder"]);
    sinew(&["lab", "nowhere"]).refuses(3, &["nowhere"]);
}

#[test]
fn the_scoreboard_counts_gates_and_rewards_no_broken_one() {
    let folder = folder("lab");
    let levels = folder.join("levels");
    fs::create_dir_all(&levels).unwrap();
    level(&levels, "a-good.json", FALL);
    level(&levels, "b-bad.json", CRATES);
    let (report, page) = (folder.join("report.md"), folder.join("report.html"));
    let levels = levels.to_str().unwrap();
    let files = ["--into", report.to_str().unwrap(), "--html", page.to_str().unwrap()];
    let call = [&["lab", levels, "--solver", "verlet,pbd", "--rounds", "1", "--json"][..], &files];
    let json = sinew(&call.concat()).expect(0).json();
    for run in json["runs"].as_array().unwrap() {
        assert_eq!(
            (&run["kept"], &run["judged"], &run["passed"]),
            (&2.into(), &3.into(), &1.into())
        );
        assert!(run["points"].as_f64().unwrap() <= 50.0, "half of the levels were passed: {run}");
    }
    let (good, bad) = (&json["levels"][0]["runs"], &json["levels"][1]["runs"]);
    let points = [0, 1].map(|run| good[run]["points"].as_f64().unwrap());
    assert_eq!(points[0].max(points[1]), 100.0);
    assert_eq!((&bad[0]["points"], &bad[1]["points"]), (&0.0.into(), &0.0.into()));
    let markdown = fs::read_to_string(&report).unwrap();
    assert!(markdown.contains(&format!("$ sinew lab {levels} --solver verlet,pbd")), "{markdown}");
    for words in
        ["| `b-bad` | ✘ 0 of 1 | ✘ 0 of 1 |", "| `a-good` | 2 of 2 | 2 of 2 |", "wanted below"]
    {
        assert!(markdown.contains(words), "`{words}` is not in:\n{markdown}");
    }
    parsed(&body(&fs::read_to_string(&page).unwrap()));
    // A level that is none is told, and the others are scored all the same.
    level(Path::new(levels), "c-wrong.json", "{ \"format\": 1, \"itmes\": [] }");
    let answer = sinew(&["lab", levels, "--solver", "pbd", "--rounds", "1"]).expect(3);
    assert!(answer.stdout.contains("2 levels"), "{}", answer.stdout);
    assert!(answer.stderr.contains("c-wrong.json:1:"), "{}", answer.stderr);
}
