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

use sinew::Sim;

/// Takes as many steps as come nearest to so many seconds.
fn run(sim: &mut Sim, seconds: f32) {
    for _ in 0..(seconds * sim.settings().hz).round() as u32 {
        sim.step().unwrap();
    }
}
