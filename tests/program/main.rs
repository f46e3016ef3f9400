//! The program, run as a user runs it.

#![cfg(feature = "cli")]
#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod answer;
mod cli;
mod compare;
