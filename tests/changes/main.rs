//! Worlds that change while they run: edits, tears and cuts, going back in time, other solvers.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod contacts;
mod edits;
mod embedding;
mod rewind;
mod seamless;
