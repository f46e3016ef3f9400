//! What an engine must do to take part, and which ones do.
//!
//! To add one: a file like `box2d.rs` with a constructor from a [`Scene`], and a line in [`LAB`] or
//! [`SPEED`].

use std::error::Error;

use sinew::{Overrides, Response, Scene, SolverKind, World};

use crate::box2d::Box2d;
use crate::rapier::Rapier;
use crate::sinew_peer::SinewPeer;

/// What can fail here fails with a message for people.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// A simulation of one scene on one engine.
pub trait Peer {
    /// Advances it by one step of `1 / hz` seconds. Nothing else: this is what is timed.
    fn step(&mut self) -> Outcome<()>;

    /// The state now, as a world of Sinew. The metrics measure that and nothing else, so that all
    /// engines are measured by the same code.
    fn world(&mut self) -> Outcome<&World>;
}

/// An engine and its settings.
pub struct Entrant {
    /// What it is called in the tables.
    pub name: &'static str,
    /// What exactly it is, for the line below the tables.
    pub about: &'static str,
    /// Whether it has soft bodies. Another is given beads and springs in their place.
    pub soft: bool,
    /// Whether it can use more than one thread.
    pub threaded: bool,
    /// Makes a simulation of a scene on so many threads.
    pub build: fn(&Scene, u32) -> Outcome<Box<dyn Peer>>,
}

/// The engine that the others are compared with.
pub const REFERENCE: &str = "Box2D";

/// Those whose quality is judged by the laboratory, in order of columns.
pub const LAB: [Entrant; 4] = [IMPULSE, PBD, VERLET, BOX2D];

/// Those that are timed, in order of columns.
pub const SPEED: [Entrant; 11] = [
    IMPULSE,
    IMPULSE_LIGHT,
    IMPULSE_NETS,
    IMPULSE_CLOTH,
    IMPULSE_SOFT,
    PBD,
    VERLET,
    VERLET_LIGHT,
    VERLET_LEAST,
    BOX2D,
    RAPIER,
];

const IMPULSE: Entrant = Entrant {
    name: "impulse",
    about: "Sinew, at the effort it chooses: 4 sub-steps × 6 iterations",
    soft: true,
    threaded: true,
    build: |scene, threads| SinewPeer::build(scene, on(SolverKind::Impulse), threads),
};

/// As little effort as leaves piles no deeper in each other than the other engines do.
const IMPULSE_LIGHT: Entrant = Entrant {
    name: "impulse light",
    about: "Sinew, `--substeps 1 --iterations 4`",
    build: |scene, threads| SinewPeer::build(scene, at(1, 4, SolverKind::Impulse), threads),
    ..IMPULSE
};

/// No more effort than wide nets need to open no further than those of the other engines.
const IMPULSE_NETS: Entrant = Entrant {
    name: "impulse nets",
    about: "Sinew, `--substeps 1 --iterations 8`",
    build: |scene, threads| SinewPeer::build(scene, at(1, 8, SolverKind::Impulse), threads),
    ..IMPULSE
};

/// No more effort than soft bodies need: at one sub-step their edges are too stiff for it.
const IMPULSE_CLOTH: Entrant = Entrant {
    name: "impulse cloth",
    about: "Sinew, `--substeps 2 --iterations 4`",
    build: |scene, threads| SinewPeer::build(scene, at(2, 4, SolverKind::Impulse), threads),
    ..IMPULSE
};

/// The method of Box2D at the effort of Box2D.
const IMPULSE_SOFT: Entrant = Entrant {
    name: "impulse soft",
    about: "Sinew, `--response soft --substeps 4 --iterations 1`: the method of Box2D",
    build: |scene, threads| {
        let soft = Some(Response::Soft);
        let choice = Overrides { response: soft, ..at(4, 1, SolverKind::Impulse) };
        SinewPeer::build(scene, choice, threads)
    },
    ..IMPULSE
};

const PBD: Entrant = Entrant {
    name: "pbd",
    about: "Sinew, at the effort it chooses: 12 sub-steps × 1 iteration",
    build: |scene, threads| SinewPeer::build(scene, on(SolverKind::Pbd), threads),
    ..IMPULSE
};

const VERLET: Entrant = Entrant {
    name: "verlet",
    about: "Sinew, at the effort it chooses: 8 sub-steps × 2 iterations",
    build: |scene, threads| SinewPeer::build(scene, on(SolverKind::Verlet), threads),
    ..IMPULSE
};

/// As little effort as lets cloth and nets stretch no further than the other engines do.
const VERLET_LIGHT: Entrant = Entrant {
    name: "verlet light",
    about: "Sinew, `--substeps 4 --iterations 1`",
    build: |scene, threads| SinewPeer::build(scene, at(4, 1, SolverKind::Verlet), threads),
    ..IMPULSE
};

/// No more effort than ropes need to stretch less than those of the other engines.
const VERLET_LEAST: Entrant = Entrant {
    name: "verlet least",
    about: "Sinew, `--substeps 1 --iterations 1`",
    build: |scene, threads| SinewPeer::build(scene, at(1, 1, SolverKind::Verlet), threads),
    ..VERLET_LIGHT
};

const BOX2D: Entrant = Entrant {
    name: REFERENCE,
    about: Box2d::ABOUT,
    soft: false,
    threaded: true,
    build: Box2d::build,
};

const RAPIER: Entrant = Entrant {
    name: "Rapier",
    about: Rapier::ABOUT,
    soft: true,
    threaded: cfg!(feature = "parallel"),
    build: Rapier::build,
};

/// A solver of Sinew at its own effort.
fn on(solver: SolverKind) -> Overrides {
    Overrides { solver: Some(solver), ..Overrides::default() }
}

/// A solver of Sinew at a given effort.
fn at(substeps: u32, iterations: u32, solver: SolverKind) -> Overrides {
    Overrides { substeps: Some(substeps), iterations: Some(iterations), ..on(solver) }
}
