//! What solvers do: motion against formulas, joints, soft bodies, shapes, loads, sleep, threads, and random
//! worlds. Each file says what it is about.

#![allow(clippy::unwrap_used, reason = "a panic in a test helper is the failure message")]

mod air;
mod alike;
mod analytic;
mod bounces;
mod contract;
mod joints;
mod loads;
mod net;
mod property;
mod ropes;
mod seams;
mod shapes;
mod sleep;
mod soft;
mod threads;
mod vice;
