//! The command line, by running the program: what it prints, where, and its exit codes.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use serde_json::Value;
use sinew::SolverKind;

use crate::answer::{Answer, FALL, command, folder, level, sinew};

const COMMANDS: [&str; 12] = [
    "run", "sim", "test", "compare", "lab", "check", "new", "fmt", "migrate", "schema", "levels",
    "solvers",
];

#[test]
fn help_shows_examples_first_and_every_command() {
    for arguments in [&["--help"][..], &["-h"]] {
        let help = sinew(arguments).expect(0).stdout;
        assert!(help.find("Examples:").unwrap() < help.find("Usage:").unwrap(), "{help}");
        for command in COMMANDS {
            assert!(help.contains(&format!("\n  {command} ")), "{command}");
            let help = sinew(&[command, "--help"]).expect(0).stdout;
            assert!(help.find("Examples:").unwrap() < help.find("Usage:").unwrap(), "{help}");
        }
    }
    assert!(sinew(&["--version"]).expect(0).stdout.contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn wrong_flags_name_the_flag_and_the_remedy() {
    let sim = |flags: &[&str]| sinew(&[&["sim", "demo"], flags].concat());
    sim(&["--solver", "magic"]).refuses(2, &["--solver", "verlet", "impulse"]);
    sim(&["--hz", "0"]).refuses(2, &["--hz", "1 to 10000"]);
    sim(&["--substeps", "257"]).refuses(2, &["--substeps", "1 to 256"]);
    sim(&["--iterations", "0"]).refuses(2, &["--iterations", "1 to 1000"]);
    sim(&["--threads", "0"]).refuses(2, &["--threads", "1 to 256"]);
    sim(&["--seconds", "0"]).refuses(2, &["--seconds", "more than 0"]);
    sim(&["--seconds", "1e9"]).refuses(2, &["--seconds", "86400"]);
    sim(&["--seconds", "NaN"]).refuses(2, &["--seconds"]);
    sim(&["--gravity", "inf"]).refuses(2, &["--gravity", "0,-9.81"]);
    sim(&["--response", "hard"]).refuses(2, &["--response", "conserving", "soft", "classic"]);
    sim(&["--colour"]).refuses(2, &["--colour", "--help"]);
    sinew(&["sim"]).refuses(2, &["LEVEL"]);
    sinew(&["test", "demo", "--solver", "verlet,magic"]).refuses(2, &["magic", "all"]);
    sinew(&["run", "demo", "--at", "3"]).refuses(2, &["--screenshot"]);
    sinew(&["run", "demo", "--screenshot", "a.jpg"]).refuses(2, &["--screenshot", ".png"]);
}

#[test]
fn invalid_levels_name_file_line_and_remedy() {
    let folder = folder("invalid");
    let missing = folder.join("missing.json");
    sinew(&["sim", missing.to_str().unwrap()]).refuses(3, &["missing.json"]);
    sinew(&["sim", folder.to_str().unwrap()]).refuses(3, &["is a folder"]);
    sinew(&["test", folder.to_str().unwrap()]).refuses(3, &["no level file"]);
    sinew(&["sim", "dmeo"]).refuses(3, &["did you mean `demo`?"]);
    sinew(&["sim", "card_house"]).refuses(3, &["did you mean `levels/lab/card_house.json`?"]);
    let cases = [
        ("key.json", FALL.replace("radius", "radios"), ":5:", "radius"),
        ("type.json", FALL.replace("0.5", "\"half\""), ":5:", "number"),
        ("size.json", FALL.replace("0.5", "-0.5"), ":5:", "positive"),
        ("nan.json", FALL.replace("0.5", "NaN"), ":5:", "NaN"),
        ("empty.json", String::new(), "empty.json", "empty"),
        ("body.json", FALL.replacen("\"ball\"", "\"boll\"", 1), ":8:", "boll"),
    ];
    for (name, text, place, word) in cases {
        let path = level(&folder, name, &text);
        for command in ["sim", "run"] {
            sinew(&[command, &path]).refuses(3, &[name, place, word]);
        }
        let answer = sinew(&["check", &path]).expect(3);
        assert!(answer.stdout.contains(place) && answer.stdout.contains(word), "{}", answer.stdout);
        assert_eq!(answer.stderr, "");
    }
    fs::write(folder.join("binary.json"), [0xff, 0xfe, 0x00]).unwrap();
    sinew(&["sim", folder.join("binary.json").to_str().unwrap()]).refuses(3, &["UTF-8"]);
}

#[test]
fn sim_reports_the_same_run_on_any_number_of_threads() {
    let run = |threads: &str| {
        let flags = ["--solver", "impulse", "--seconds", "1", "--json", "--threads", threads];
        sinew(&[&["sim", "demo"], &flags[..]].concat()).expect(0).json()["hash"].take()
    };
    let one = run("1");
    assert!(one.is_string());
    for threads in ["2", "3"] {
        assert_eq!(run(threads), one, "{threads} threads");
    }
}

#[test]
fn sim_reports_the_same_run_twice() {
    let path = level(&folder("sim"), "fall.json", FALL);
    let run = || sinew(&["sim", &path, "--seconds", "2", "--json"]).expect(0).json();
    let (first, second) = (run(), run());
    assert_eq!(first["hash"], second["hash"]);
    assert_eq!(first["hash"].as_str().unwrap().len(), 16);
    let keys: Vec<_> = first.as_object().unwrap().keys().map(String::as_str).collect();
    for key in ["level", "solver", "version", "seconds", "steps", "dt", "counts", "quality"] {
        assert!(keys.contains(&key), "{key}");
    }
    for key in ["settled_at_s", "time", "finite", "hash", "expect"] {
        assert!(keys.contains(&key), "{key}");
    }
    assert_eq!(first["level"], "fall");
    assert_eq!((&first["seconds"], &first["steps"]), (&2.0.into(), &120.into()));
    assert_eq!(first["counts"]["bodies"], 1);
    assert_eq!((&first["finite"], &first["settled_at_s"]), (&true.into(), &Value::Null));
    assert_eq!(first["quality"]["momentum_drift"], Value::Null);
    assert!(first["time"]["step_ms"]["p99"].as_f64().unwrap() >= 0.0);
    assert_eq!(first["expect"][0]["name"], "ball y below -4 m at 1 s");
    assert_eq!(first["expect"][0]["pass"], true);
    let fallen = first["expect"][0]["value"].as_f64().unwrap();
    assert!((fallen + 4.905).abs() < 0.1, "{fallen}");
}

#[test]
fn sim_takes_settings_from_flags() {
    let path = level(&folder("settings"), "fall.json", FALL);
    let run = |flags: &[&str]| sinew(&[&["sim", &path, "--json"], flags].concat());
    let report = run(&["--hz", "120", "--solver", "impulse", "--seconds", "0.5"]).expect(0).json();
    assert_eq!((&report["solver"], &report["steps"]), (&"impulse".into(), &60.into()));
    // Upwards, by a negative strength and by components.
    for gravity in ["-20", "0,20"] {
        let report = run(&["--gravity", gravity, "--seconds", "1"]).expect(1).json();
        assert!(report["expect"][0]["value"].as_f64().unwrap() > 9.0);
    }
    let report = run(&["--gravity", "0", "--seconds", "0.1"]).expect(0).json();
    assert_eq!(report["quality"]["momentum_drift"], 0.0);
    for (response, solver, idle) in [
        ("soft", "impulse", false),
        ("classic", "impulse", false),
        ("classic", "verlet", false),
        ("conserving", "pbd", false),
        ("soft", "verlet", true),
        ("classic", "pbd", true),
    ] {
        let answer = run(&["--response", response, "--solver", solver, "--seconds", "1"]).expect(0);
        let words = format!("--response {response} changes nothing on {solver}");
        assert_eq!(answer.stderr.contains(&words), idle, "{response}: {}", answer.stderr);
    }
    let flags = ["--response", "soft", "--solver", "verlet,impulse,pbd"];
    let answer = sinew(&[&["test", &path][..], &flags].concat()).expect(0);
    let idle: Vec<_> = answer.stderr.lines().filter(|line| line.contains("--response")).collect();
    assert_eq!(idle.len(), 2, "verlet and pbd: {}", answer.stderr);
    let stack = |sleep: &str| {
        let answer = sinew(&["sim", "stack", "--sleep", sleep, "--seconds", "4", "--json"]);
        answer.expect(0).json()["quality"]["kinetic_end_j"].as_f64().unwrap()
    };
    assert!(stack("on") == 0.0 && stack("off") > 0.0, "what sleeps has no velocity at all");
    // Too short for the promises: said, but not held against the level.
    let answer = run(&["--seconds", "0.5"]).expect(0);
    assert_eq!(answer.json()["expect"], Value::Array(Vec::new()));
    assert!(answer.stderr.contains("too short to judge 2"), "{}", answer.stderr);
}

#[test]
fn a_run_that_diverges_still_reports() {
    let path = level(&folder("diverging"), "fall.json", &FALL.replace("\"at\": 1,", "\"at\": 90,"));
    let answer = sinew(&["sim", &path, "--gravity", "1e6", "--json"]).expect(4);
    let report = answer.json();
    assert_eq!(report["finite"], false);
    assert!(report["seconds"].as_f64().unwrap() < 90.0);
    assert_eq!(report["expect"][0]["pass"], false);
    for words in ["fall: ", "`ball`", "diverged", "--substeps"] {
        assert!(answer.stderr.contains(words), "{}", answer.stderr);
    }
    let answer = sinew(&["test", &path, "--gravity", "1e6", "--solver", "all"]).expect(4);
    let told = format!("{} diverged", SolverKind::ALL.len());
    assert!(answer.stdout.contains(&told), "{}", answer.stdout);
}

#[test]
fn a_profile_has_every_phase_and_shares_of_a_hundred_per_cent() {
    let phases = ["broad", "narrow", "solve", "integrate", "rest"];
    for solver in SolverKind::ALL {
        let flags = ["sim", "stack", "--seconds", "1", "--solver", solver.name(), "--profile"];
        let answer = sinew(&[&flags[..], &["--json"]].concat()).expect(0).json();
        let profile = &answer["profile"];
        let parts = profile["phases"].as_array().unwrap();
        let names: Vec<_> = parts.iter().map(|part| part["name"].as_str().unwrap()).collect();
        assert_eq!(names, phases);
        let number = |value: &Value| value.as_f64().unwrap();
        let shares: f64 = parts.iter().map(|part| number(&part["share"])).sum();
        assert!((shares - 1.0).abs() < 1e-9, "{solver}: {shares}");
        for part in parts.iter().chain([&profile["step"]]) {
            let [median, most] = ["p50_ms", "p95_ms"].map(|key| number(&part[key]));
            assert!(median <= most && most <= number(&part["worst_ms"]), "{part}");
        }
        // The phases of the backend are within the step.
        let whole: f64 = parts.iter().map(|part| number(&part["mean_ms"])).sum();
        assert!((whole / number(&profile["step"]["mean_ms"]) - 1.0).abs() < 0.01, "{profile}");
        assert!(number(&profile["contacts"]["most"]) >= 20.0, "{profile}");
        assert!(number(&profile["iterations"]["mean"]) >= 1.0, "{profile}");

        let text = sinew(&flags).expect(0).stdout;
        let rows: Vec<_> = text.lines().skip_while(|line| !line.starts_with("profile")).collect();
        let heads = rows[1..7].iter().map(|row| row.split_whitespace().next().unwrap());
        assert_eq!(heads.collect::<Vec<_>>(), [&phases[..], &["step"]].concat(), "{text}");
        assert!(rows[7].contains("contacts") && rows[7].contains("steps per second"), "{text}");
    }
    let plain = sinew(&["sim", "stack", "--seconds", "1", "--json"]).expect(0).json();
    assert!(plain.get("profile").is_none(), "{plain}");
}

#[test]
fn sim_prints_a_table_for_people() {
    let path = level(&folder("table"), "fall.json", FALL);
    let answer = sinew(&["sim", &path, "--seconds", "1"]).expect(0);
    assert_eq!(answer.stderr, "");
    for words in ["fall (A falling ball)", "1 s in 60 steps of 16.7 ms", "2 of 2 kept", "(line 8)"]
    {
        assert!(answer.stdout.contains(words), "`{words}` is not in:\n{}", answer.stdout);
    }
}

#[test]
fn test_lists_what_was_broken_and_fails() {
    let folder = folder("test");
    let good = level(&folder, "a-good.json", FALL);
    let answer = sinew(&["test", &good]).expect(0);
    let told = format!("{} expectations kept", 2 * SolverKind::ALL.len());
    assert!(answer.stdout.contains(&told), "{}", answer.stdout);
    level(&folder, "b-bad.json", &FALL.replace("y_below", "y_above"));
    let paths = folder.to_str().unwrap();
    let answer = sinew(&["test", paths, "--solver", "verlet,impulse"]).expect(1);
    let rows: Vec<_> = answer.stdout.lines().filter(|line| line.contains(" of 2 ")).collect();
    assert_eq!(rows.len(), 4);
    for (row, name) in rows.iter().zip(["a-good", "a-good", "b-bad", "b-bad"]) {
        assert!(row.starts_with(name), "{row}");
    }
    assert!(answer.stdout.contains("wanted above -4 m"), "{}", answer.stdout);
    let report = sinew(&["test", paths, "--json", "--solver", "impulse"]).expect(1).json();
    assert_eq!((&report["kept"], &report["broken"]), (&3.into(), &1.into()));
    assert_eq!(report["runs"][1]["expect"][0]["pass"], false);
    // An invalid level is graver than a broken promise, and does not hide it.
    level(&folder, "c-invalid.json", "{ \"format\": 1, \"itmes\": [] }");
    let answer = sinew(&["test", paths]).expect(3);
    assert!(answer.stdout.contains("b-bad") && answer.stderr.contains("c-invalid.json:1:"));
}

#[test]
fn test_runs_in_parallel_with_the_same_results_in_the_order_named() {
    let folder = folder("jobs");
    let bad = level(&folder, "bad.json", "{ \"format\": 1, \"itmes\": [] }");
    let names = ["stack", bad.as_str(), "seesaw", "bouncing"];
    let answer = |jobs: &str| {
        let flags = [&["test", "--json", "--jobs", jobs][..], &names].concat();
        let mut report = sinew(&flags).expect(3).json();
        for run in report["runs"].as_array_mut().unwrap() {
            // How long it took is another matter.
            run.as_object_mut().unwrap().remove("time").unwrap();
        }
        report
    };
    let alone = answer("1");
    assert_eq!(alone, answer("4"));
    let order: Vec<_> = alone["runs"].as_array().unwrap().iter().map(|run| &run["level"]).collect();
    assert_eq!(
        order,
        [
            "stack", "stack", "stack", "seesaw", "seesaw", "seesaw", "bouncing", "bouncing",
            "bouncing"
        ]
    );
    // In the table the level that is none has its row where it was named.
    let answer = sinew(&[&["test", "--solver", "pbd"][..], &names].concat()).expect(3);
    let rows: Vec<_> =
        answer.stdout.lines().skip(1).map(|row| row.split_whitespace().next()).collect();
    assert_eq!(rows[..4], ["stack", &bad, "seesaw", "bouncing"].map(Some), "{}", answer.stdout);
    sinew(&["test", "stack", "--jobs", "0"]).refuses(2, &["--jobs", "1 to 256"]);
}

#[test]
fn a_broken_promise_tells_value_bound_and_time() {
    let folder = folder("broken");
    let path = level(&folder, "fall.json", &FALL.replace("y_below", "y_above"));
    let answer = sinew(&["test", &path, "--solver", "pbd"]).expect(1);
    let told = "✘ ball y -4.905 m at 1 s, wanted above -4 m (line 8)";
    assert!(answer.stdout.contains(told), "{}", answer.stdout);
    // No progress bar where there is no terminal.
    assert_eq!(answer.stderr, "");
    let report = sinew(&["test", &path, "--json", "--solver", "pbd"]).expect(1).json();
    let broken = &report["runs"][0]["expect"][0];
    assert_eq!((&broken["above"], &broken["below"]), (&(-4.0).into(), &Value::Null));
    assert_eq!((&broken["unit"], &broken["line"]), (&"m".into(), &8.into()));
    assert!((broken["value"].as_f64().unwrap() + 4.905).abs() < 0.01, "{broken}");
    assert!((broken["time_s"].as_f64().unwrap() - 1.0).abs() < 1e-6, "{broken}");
    // The guide explains every field, and none that is not there.
    let guide = include_str!("../../docs/expect.md");
    let table = guide.split("| field |").nth(1).unwrap().split("\n\n").next().unwrap();
    let cells = table.lines().filter_map(|row| row.strip_prefix("| `")?.split(" | ").next());
    let fields = cells.flat_map(|cell| cell.split("`, `").map(|field| field.trim_end_matches('`')));
    let fields: std::collections::BTreeSet<&str> = fields.collect();
    assert_eq!(fields, broken.as_object().unwrap().keys().map(String::as_str).collect());
}

#[test]
fn no_output_takes_the_place_of_a_level_that_is_read() {
    let folder = folder("own");
    let file = level(&folder, "own.json", FALL);
    let as_other = folder.join("..").join("own").join("own.json");
    for path in [file.as_str(), as_other.to_str().unwrap()] {
        for flags in [
            &["test", &file, "--junit", path][..],
            &["compare", &file, "--html", path],
            &["lab", &file, "--into", path],
            &["lab", &file, "--html", path],
            &["run", &file, "--screenshot", path],
        ] {
            sinew(flags).refuses(2, &[flags[2], "is read here", "another file"]);
            assert_eq!(fs::read_to_string(&file).unwrap(), FALL, "{flags:?}");
        }
    }
}

#[test]
fn junit_has_a_suite_for_each_run_and_a_case_for_each_promise() {
    let folder = folder("junit");
    let bad = level(&folder, "fall.json", &FALL.replace("y_below", "y_above"));
    let invalid = level(&folder, "none.json", "{ \"format\": 1, \"itmes\": [] }");
    let report = folder.join("report.xml");
    let file = report.to_str().unwrap();
    let answer =
        sinew(&["test", &bad, &invalid, "--solver", "verlet,pbd", "--junit", file]).expect(3);
    // What people read is there as well.
    assert!(answer.stdout.contains("wanted above -4 m"), "{}", answer.stdout);
    let xml = std::fs::read_to_string(&report).unwrap();
    assert!(xml.starts_with("<?xml"), "{xml}");
    for words in [
        "name=\"fall on verlet\" tests=\"2\" skipped=\"0\" errors=\"0\" failures=\"1\"",
        "name=\"fall on pbd\"",
        "wanted above -4 m",
        "line 8",
        "errors=\"1\"",
        "unknown key `itmes`",
    ] {
        assert!(xml.contains(words), "`{words}` is not in:\n{xml}");
    }
    assert_eq!(xml.matches("<testcase").count(), 2 * 2 + 1, "{xml}");
    assert_eq!(xml.matches("<failure").count(), 2, "{xml}");
    // Where it cannot be written is known before the runs.
    let nowhere = folder.join("no/report.xml");
    let refused = sinew(&["test", &bad, "--junit", nowhere.to_str().unwrap()]);
    assert_eq!(refused.stdout, "");
    refused.refuses(2, &["--junit", "no folder"]);
    sinew(&["test", &bad, "--junit", folder.to_str().unwrap()]).refuses(2, &["is a folder"]);
}

#[test]
fn check_reports_every_mistake_as_data() {
    let folder = folder("check");
    let good = level(&folder, "good.json", FALL);
    let bad = FALL.replace("radius", "radios").replace("y_below", "y_bellow");
    let bad = level(&folder, "bad.json", &bad);
    let report = sinew(&["check", &good, "--json"]).expect(0).json();
    assert_eq!((&report["errors"], &report["files"][0]["ok"]), (&0.into(), &true.into()));
    let report = sinew(&["check", &good, &bad, "--json"]).expect(3).json();
    let found = report["files"][1]["diagnostics"].as_array().unwrap();
    let lines: Vec<_> =
        found.iter().map(|diagnostic| diagnostic["line"].as_u64().unwrap()).collect();
    assert!(lines.contains(&5) && lines.contains(&8), "{report}");
}

#[test]
fn a_folder_is_the_levels_in_it_and_not_those_below() {
    let folder = folder("nested");
    level(&folder, "fall.json", FALL);
    level(&folder, "level.schema.json", "{}");
    let below = folder.join("below");
    fs::create_dir_all(&below).unwrap();
    level(&below, "broken.json", "{}");
    let (folder, below) = (folder.to_str().unwrap(), below.to_str().unwrap());
    let answer = sinew(&["check", folder, "--json"]).expect(0).json();
    assert_eq!(answer["files"].as_array().unwrap().len(), 1, "{answer}");
    sinew(&["check", folder, below]).expect(3);
    fs::remove_file(Path::new(folder).join("fall.json")).unwrap();
    sinew(&["check", folder]).refuses(3, &["no level file", "named one by one"]);
}

#[test]
fn lists_of_levels_and_solvers() {
    let answer = sinew(&["levels"]).expect(0);
    assert!(answer.stdout.lines().any(|line| line.starts_with("demo ")), "{}", answer.stdout);
    let folder = folder("export");
    let arguments = ["levels", "--export", folder.to_str().unwrap()];
    sinew(&arguments).expect(0);
    sinew(&["check", folder.to_str().unwrap()]).expect(0);
    sinew(&arguments).refuses(2, &["demo.json", "has no levels yet"]);
    let answer = sinew(&["solvers"]).expect(0);
    assert!(answer.stdout.contains("verlet") && answer.stdout.contains("impulse"));
    sinew(&["solvers", "--level", "demo"]).expect(0);
}

#[test]
fn built_in_levels_are_found_in_any_folder() {
    let elsewhere = folder("elsewhere");
    let run = |arguments: &[&str]| {
        Answer::of(command(arguments).current_dir(&elsewhere).output().unwrap())
    };
    run(&["check", "demo"]).expect(0);
    let answer = run(&["check", "levels/demo.json", "levels"]).expect(0);
    assert!(answer.stderr.contains("using the built-in level"), "{}", answer.stderr);
}

#[test]
fn run_without_a_display_says_so_and_goes_headless() {
    let folder = folder("run");
    let path = level(&folder, "fall.json", FALL);
    for arguments in [&["run", &path, "--seconds", "1"][..], &[&path, "--seconds", "1"]] {
        let answer = sinew(arguments).expect(0);
        assert_eq!(answer.stderr.lines().count(), 1, "{}", answer.stderr);
        assert!(answer.stderr.contains("without a window for 1 s"), "{}", answer.stderr);
        assert!(answer.stdout.contains("2 of 2 kept"), "{}", answer.stdout);
    }
    let picture = folder.join("picture.png");
    let arguments = ["run", &path, "--screenshot", picture.to_str().unwrap()];
    sinew(&arguments).refuses(5, &["needs a window"]);
}

#[test]
fn colour_only_where_it_is_wanted() {
    let path = level(&folder("colour"), "fall.json", FALL);
    let run = |variables: &[(&str, &str)], arguments: &[&str]| {
        let output = command(arguments).envs(variables.iter().copied()).output().unwrap();
        let answer = Answer::of(output);
        (answer.stdout.contains('\x1b'), answer.stderr.contains('\x1b'))
    };
    let (test, wrong) = (&["test", &path][..], &["sim", "dmeo"][..]);
    assert_eq!((run(&[], test).0, run(&[], wrong).1), (false, false));
    let forced = ("CLICOLOR_FORCE", "1");
    assert_eq!((run(&[forced], test).0, run(&[forced], wrong).1), (true, true));
    let refused = ("NO_COLOR", "1");
    assert_eq!((run(&[forced, refused], test).0, run(&[forced, refused], wrong).1), (false, false));
}

#[test]
fn a_reader_that_has_seen_enough_is_no_fault() {
    for arguments in [&["levels"][..], &["sim", "demo", "--seconds", "0.1", "--json"], &["--help"]]
    {
        let mut program = command(arguments);
        program.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = program.spawn().unwrap();
        drop(child.stdout.take());
        let answer = Answer::of(child.wait_with_output().unwrap());
        assert_eq!(answer.code, 0, "{arguments:?}");
        assert!(!answer.stderr.contains("error"), "{arguments:?}: {}", answer.stderr);
    }
}

#[test]
fn warnings_do_not_fail_a_check_unless_denied() {
    let folder = folder("warnings");
    let path = level(&folder, "odd.json", &FALL.replace("[0, 0]", "[0, 900]"));
    let text = sinew(&["check", &path]).expect(0).stdout;
    assert!(text.contains("odd.json:5:9: warning: `ball` starts 700 m outside"), "{text}");
    assert!(text.ends_with("1 file, 0 errors, 1 warning\n"), "{text}");
    let report = sinew(&["check", &path, "--json"]).expect(0).json();
    assert_eq!((&report["errors"], &report["warnings"]), (&0.into(), &1.into()));
    assert_eq!(report["files"][0]["ok"], true);
    assert_eq!(report["files"][0]["diagnostics"][0]["severity"], "warning");
    let report = sinew(&["check", &path, "--json", "--deny", "warnings"]).expect(3).json();
    assert_eq!((&report["errors"], &report["warnings"]), (&1.into(), &0.into()));
    assert_eq!(report["files"][0]["diagnostics"][0]["severity"], "error");
    sinew(&["check", &path, "--deny", "everything"]).refuses(2, &["--deny", "warnings"]);
}

#[test]
fn new_writes_a_level_that_is_formatted_keeps_its_promises_and_overwrites_nothing() {
    let folder = folder("new");
    let name = folder.join("first");
    let answer = sinew(&["new", name.to_str().unwrap()]).expect(0);
    let path = folder.join("first.json");
    assert_eq!(answer.stdout.trim_end(), path.to_str().unwrap());
    let path = path.to_str().unwrap();
    sinew(&["check", path, "--deny", "warnings"]).expect(0);
    sinew(&["fmt", "--check", path]).expect(0);
    sinew(&["test", path]).expect(0);
    fs::write(path, "mine").unwrap();
    sinew(&["new", path]).refuses(2, &["first.json", "another name"]);
    assert_eq!(fs::read_to_string(path).unwrap(), "mine");
    let nowhere = folder.join("no/where");
    sinew(&["new", nowhere.to_str().unwrap()]).refuses(2, &["create it first"]);
    sinew(&["new", "/"]).refuses(2, &["names no file"]);
}

#[test]
fn fmt_names_what_it_changes_and_leaves_broken_files_alone() {
    let folder = folder("fmt");
    let messy = level(&folder, "messy.json", "{\"format\":1,\"items\":[]} // kept");
    let broken = level(&folder, "broken.json", "{");
    let answer = sinew(&["fmt", "--check", &messy]).expect(1);
    assert_eq!(answer.stdout.trim_end(), messy);
    assert_eq!(fs::read_to_string(&messy).unwrap(), "{\"format\":1,\"items\":[]} // kept");
    let answer = sinew(&["fmt", folder.to_str().unwrap()]).expect(3);
    assert_eq!(answer.stdout.trim_end(), messy);
    assert!(answer.stderr.contains("broken.json:1:1: error:"), "{}", answer.stderr);
    let text = fs::read_to_string(&messy).unwrap();
    assert_eq!(text, "{ \"format\": 1, \"items\": [] } // kept\n");
    assert_eq!(fs::read_to_string(&broken).unwrap(), "{");
    assert_eq!(sinew(&["fmt", "--check", &messy]).expect(0).stdout, "");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left behind");
    sinew(&["fmt", "demo"]).refuses(3, &["no file demo"]);
}

#[test]
fn migrate_knows_the_current_format_and_refuses_later_ones() {
    let folder = folder("migrate");
    let path = level(&folder, "now.json", FALL);
    let answer = sinew(&["migrate", &path]).expect(0);
    assert!(answer.stdout.ends_with("now.json: format 1 is current\n"), "{}", answer.stdout);
    assert_eq!(fs::read_to_string(&path).unwrap(), FALL);
    let later = level(&folder, "later.json", &FALL.replace(": 1,", ": 7,"));
    let words = ["later.json:2:15", "format 7 is newer", env!("CARGO_PKG_VERSION"), "install"];
    sinew(&["migrate", &later]).refuses(3, &words);
    for (text, word) in [("{}", "missing"), ("{\"format\": 0}", "no format 0"), ("[", "closed")] {
        let path = level(&folder, "odd.json", text);
        sinew(&["migrate", &path]).refuses(3, &["odd.json:1:", word]);
    }
}
