//! Any text may be given to the loader, the linter and the formatter: none of them panics, and they
//! agree on what is JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sinew::{Level, Severity};

fuzz_target!(|data: &[u8]| {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let (level, diagnostics) = Level::examine(text, "fuzz.json");
    let failed = diagnostics.iter().any(|found| found.severity == Severity::Error);
    assert_eq!(level.is_none(), failed, "a level exactly when there is no error");
    for diagnostic in &diagnostics {
        let _ = diagnostic.to_string();
    }
    if let Ok(once) = Level::formatted(text, "fuzz.json") {
        let twice = Level::formatted(&once, "fuzz.json").expect("what is formatted is JSON");
        assert_eq!(once, twice, "formatting twice changes nothing more");
    } else {
        assert!(level.is_none(), "what is a level can be formatted");
    }
});
