//! The report of `sinew test --junit`: JUnit XML, which continuous-integration servers show as tests.
//!
//! A run of a level on a solver is a test suite, and each of its promises a test case. A level that
//! cannot be read or built, and a run that diverges, is a case with an error.

use std::path::Path;
use std::time::Duration;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::headless::Outcome;
use super::output::{Exit, Fault};
use crate::error::Error;
use crate::metrics::Verdict;

/// The test suites of a report.
pub(crate) struct Junit {
    report: Report,
}

impl Junit {
    pub(crate) fn new() -> Self {
        Self { report: Report::new("sinew") }
    }

    /// Adds a level that could not be run.
    pub(crate) fn add_invalid(&mut self, level: &str, error: &Error) {
        let mut suite = TestSuite::new(level);
        suite.add_test_case(faulty(level, "is a valid level", "invalid", error));
        self.report.add_test_suite(suite);
    }

    /// Adds a run.
    pub(crate) fn add_run(&mut self, level: &str, outcome: &Outcome) {
        let name = format!("{level} on {}", outcome.settings.solver);
        let mut suite = TestSuite::new(&name);
        let total = outcome.step_times.mean() * outcome.step_times.count() as f64;
        if total.is_finite() && total >= 0.0 {
            suite.set_time(Duration::from_secs_f64(total));
        }
        suite.add_property(("seconds", outcome.seconds.to_string().as_str()));
        suite.add_property(("hash", format!("{:016x}", outcome.hash).as_str()));
        if let Some(error) = &outcome.error {
            suite.add_test_case(faulty(&name, "runs to its end", "diverged", error));
        }
        for verdict in outcome.judged() {
            suite.add_test_case(promise(&name, verdict));
        }
        self.report.add_test_suite(suite);
    }

    /// Writes the report into a file.
    pub(crate) fn write(&self, path: &Path) -> Result<(), Fault> {
        let fail = |reason: &dyn std::fmt::Display| {
            let path = path.display();
            let message = format!("--junit: cannot write {path}: {reason}; name another file");
            Fault::new(Exit::Usage, message)
        };
        let text = self.report.to_string().map_err(|error| fail(&error))?;
        std::fs::write(path, text).map_err(|error| fail(&error))
    }
}

fn promise(suite: &str, verdict: &Verdict) -> TestCase {
    let status = if verdict.pass {
        TestCaseStatus::success()
    } else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        let place =
            if verdict.line > 0 { format!("line {}: ", verdict.line) } else { String::new() };
        status.set_type("broken").set_message(format!("{place}{verdict}"));
        status
    };
    let mut case = TestCase::new(verdict.name.as_str(), status);
    case.set_classname(suite);
    case
}

/// A case that could not be judged at all.
fn faulty(suite: &str, name: &str, kind: &str, error: &Error) -> TestCase {
    let message = error.to_string();
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
    // The first line is the summary, what comes after it is the whole.
    let summary = message.lines().next().unwrap_or_default().to_owned();
    status.set_type(kind).set_message(summary).set_description(message);
    let mut case = TestCase::new(name, status);
    case.set_classname(suite);
    case
}
