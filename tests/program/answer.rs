//! The program as tests run it: what it is given, and what it answers.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A ball that falls freely: the same on every solver.
pub(crate) const FALL: &str = r#"{
    "format": 1,
    "name": "A falling ball",
    "items": [
        { "type": "disc", "id": "ball", "radius": 0.5, "at": [0, 0] },
    ],
    "expect": [
        { "at": 1, "body": "ball", "y_below": -4 },
        { "at": 1, "metric": "escaped", "below": 1 },
    ],
}"#;

/// A folder of its own for a test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Writes a level and returns its path.
pub(crate) fn level(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sinew"));
    command.args(arguments).stdin(Stdio::null());
    for variable in ["DISPLAY", "WAYLAND_DISPLAY", "NO_COLOR", "CLICOLOR_FORCE", "CLICOLOR"] {
        command.env_remove(variable);
    }
    command
}

/// What the program answered.
pub(crate) struct Answer {
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    pub(crate) fn of(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let answer = Self {
            // No code means that a signal ended it.
            code: output.status.code().unwrap_or(-1),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        for word in ["panicked", "RUST_BACKTRACE", "stack backtrace"] {
            assert!(!answer.stderr.contains(word), "{}", answer.stderr);
        }
        answer
    }

    #[track_caller]
    pub(crate) fn expect(self, code: i32) -> Self {
        let Self { stdout, stderr, .. } = &self;
        assert_eq!(self.code, code, "\nstdout:\n{stdout}\nstderr:\n{stderr}");
        self
    }

    /// A refusal: nothing on stdout, at most one screen on stderr that has all these words.
    #[track_caller]
    pub(crate) fn refuses(self, code: i32, words: &[&str]) {
        let answer = self.expect(code);
        assert_eq!(answer.stdout, "");
        assert!(answer.stderr.lines().count() <= 24, "{}", answer.stderr);
        for word in words {
            assert!(answer.stderr.contains(word), "`{word}` is not in:\n{}", answer.stderr);
        }
    }

    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.stdout.matches('\n').count(), 1, "one line: {}", self.stdout);
        serde_json::from_str(&self.stdout).unwrap()
    }
}

pub(crate) fn sinew(arguments: &[&str]) -> Answer {
    Answer::of(command(arguments).output().unwrap())
}
