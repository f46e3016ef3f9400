//! Fuzzing of the loader, the linter and the formatter, on a stable toolchain.
//!
//! Texts are made of levels that exist, changed by [`mutate`]. None may panic, take longer than
//! [`LONGEST`] of processor time or more than [`LARGEST`] of memory, and the parts must agree: a
//! level is there exactly when there is no error, and what is formatted stays as it is when it is
//! formatted again. The short run is part of `cargo test`; a long one is
//!
//! ```sh
//! SINEW_FUZZ_SECONDS=600 cargo test --test fuzz -- --nocapture
//! ```
//!
//! It always tries the same texts in the same order. One that fails is written to a file, whose
//! name is told. `fuzz/` has a target for `cargo fuzz`, which is guided by coverage.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod mutate;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use mutate::{Random, mutate};
use peak_alloc::PeakAlloc;
use sinew::{Level, Severity};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// Processor time for one text. Tests share machines, so the limit is not that of a benchmark.
const LONGEST: Duration = Duration::from_secs(1);
/// Memory for one text, bytes.
const LARGEST: usize = 200 << 20;
/// The longest text, bytes.
const LONGEST_TEXT: usize = 64 << 10;

/// The longest text that others are made of, bytes, and how many texts that are.
const LONGEST_KEPT: usize = 8 << 10;
const MOST_KEPT: usize = 200;

/// Levels of few bytes that are as much work as a level may be.
const HEAVY: [&str; 3] = [
    r#"{ "format": 1, "items": [{ "type": "disc", "radius": 1, "repeat": { "count": [300, 300], "step": [0, 0] } }] }"#,
    r#"{ "format": 1, "items": [{ "type": "ragdoll", "repeat": { "count": [60, 50], "step": [0.1, 0] } }] }"#,
    r#"{ "format": 1, "items": [{ "type": "box", "size": [1, 1], "velocity": [9999, 0], "at": [1e6, 1e6], "repeat": { "count": [99999, 1], "step": [0, 0] } }] }"#,
];
/// One text in this many is made of those.
const HEAVY_EVERY: u64 = 100;

/// Levels of few bytes with much in them, or many mistakes.
const SEEDS: [&str; 5] = [
    r#"{ "format": 1, "prefabs": {
        "a": { "params": { "n": 9 }, "items": [{ "type": "b", "n": "$n * 2", "repeat": { "count": "$n", "step": [1, 0] } }] },
        "b": { "params": { "n": 9 }, "items": [{ "type": "c", "repeat": { "count": ["$n", "$n"], "step": ["$i + 1", 0] } }] },
        "c": { "items": [{ "type": "crate", "size": ["sqrt(2) / 3", "max(1, sin(30), mod(7, 4))"] }] } },
       "items": [{ "type": "a", "n": 4, "scale": 0.5, "mirror": "x", "angle": 30 }] }"#,
    r#"{ "format": 1, "prefabs": { "a": { "items": [{ "type": "a" }] } }, "items": [{ "type": "a" }] }"#,
    r#"{ "format": 1, "materials": { "x": { "density": -1 } }, "items": [{ "type": "pin", "a": "x", "at": [0] }], "expect": [{ "at": -1 }] }"#,
    r#"{ "format": 1, "defaults": { "crate": { "size": [1, 1], "material": "ice" } }, "items": [{ "type": "crate", "id": "a.{$i}", "repeat": { "count": 9, "radius": 3, "face": "out", "from": 0, "to": 180 } }] }"#,
    r#"// empty
{ /* nothing */ "format": 1, "items": [ ], }"#,
];

/// What trying a text cost.
#[derive(Clone, Copy, Default)]
struct Cost {
    time: Duration,
    memory: usize,
}

/// Reads, reviews and formats a text.
fn try_text(text: &str) {
    let (level, diagnostics) = Level::examine(text, "fuzz.json");
    let failed = diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(level.is_none(), failed, "a level exactly when there is no error");
    for found in &diagnostics {
        let shown = found.to_string();
        assert!(shown.lines().count() < 40 && !shown.contains('\u{1b}'), "{shown}");
    }
    match Level::formatted(text, "fuzz.json") {
        Ok(once) => {
            let twice = Level::formatted(&once, "fuzz.json").unwrap();
            assert_eq!(once, twice, "formatting twice changes nothing more");
        }
        Err(_) => assert!(level.is_none(), "what is a level can be formatted"),
    }
}

/// Processor time of this thread so far, where the system tells; else the time on the wall.
fn clock(start: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanos.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn measure(text: &str, start: Instant) -> Cost {
    let (before, from) = (MEMORY.current_usage(), clock(start));
    MEMORY.reset_peak_usage();
    let outcome = catch_unwind(AssertUnwindSafe(|| try_text(text)));
    let time = clock(start).saturating_sub(from);
    let cost = Cost { time, memory: MEMORY.peak_usage().saturating_sub(before) };
    if outcome.is_err() || cost.time > LONGEST || cost.memory > LARGEST {
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("fuzz-failure.json");
        std::fs::write(&path, text).unwrap();
        let (panicked, memory) = (outcome.is_err(), cost.memory >> 20);
        panic!("{}: panicked {panicked}, {:?}, {memory} MB", path.display(), cost.time);
    }
    cost
}

#[test]
fn no_text_makes_the_loader_panic_hang_or_use_much_memory() {
    let seconds = std::env::var("SINEW_FUZZ_SECONDS").ok().and_then(|text| text.parse().ok());
    let budget = Duration::from_secs(seconds.unwrap_or(4));
    let guide = include_str!("../../docs/levels.md").split("```jsonc\n").skip(1);
    let snippets = guide.filter_map(|rest| rest.split("```").next());
    let shipped = Level::BUILTIN.iter().map(|(_, text)| *text);
    let mut corpus: Vec<String> =
        SEEDS.into_iter().chain(shipped).chain(snippets).map(str::to_owned).collect();
    let first_kept = corpus.len();
    let mut random = Random::new(0x51e3);
    let (start, mut runs, mut levels) = (Instant::now(), 0_u64, 0_u64);
    let mut worst = Cost::default();
    let note = |worst: &mut Cost, cost: Cost| {
        worst.time = worst.time.max(cost.time);
        worst.memory = worst.memory.max(cost.memory);
    };
    let heavy = HEAVY.map(str::to_owned);
    for text in corpus.iter().chain(&heavy) {
        note(&mut worst, measure(text, start));
    }
    while start.elapsed() < budget {
        // Half of the texts are near a whole level, the others some steps away from one.
        let known = match runs % HEAVY_EVERY {
            0 => &heavy[..],
            turn if turn % 2 == 0 => &corpus[..first_kept],
            _ => &corpus[..],
        };
        let text = mutate(known, &mut random, LONGEST_TEXT);
        note(&mut worst, measure(&text, start));
        runs += 1;
        let Some(level) = Level::check(&text, "fuzz.json").0 else { continue };
        levels += 1;
        // A mutant that is still a level is a start for others, unless most of it has become a
        // comment; the oldest of them make room.
        if !level.scene.bodies.is_empty() && text.len() < LONGEST_KEPT {
            if corpus.len() > MOST_KEPT {
                corpus.remove(first_kept);
            }
            corpus.push(text);
        }
    }
    println!(
        "{runs} texts in {:.0} s, {levels} of them levels; the slowest took {:?}, the largest {} MB",
        start.elapsed().as_secs_f64(),
        worst.time,
        worst.memory >> 20
    );
}
