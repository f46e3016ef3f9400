//! What an engine must do to take part, and which ones do.
//!
//! To add one: a file like `box2d.rs` with a constructor from a [`Scene`], and a line in [`ALL`].

use std::error::Error;

use sinew::{Scene, World};

use crate::box2d::Box2d;
use crate::sinew_peer::SinewPeer;

/// What can fail here fails with a message for people.
pub type Outcome<T> = Result<T, Box<dyn Error>>;

/// A simulation of one scene on one engine.
pub trait Peer {
    /// Advances it by one step of `1 / hz` seconds. Nothing else: this is what would be timed.
    fn step(&mut self) -> Outcome<()>;

    /// The state now, as a world of Sinew. The metrics measure that and nothing else, so that all
    /// engines are measured by the same code.
    fn world(&mut self) -> Outcome<&World>;
}

/// An engine and its settings.
pub struct Entrant {
    /// Its column in the tables.
    pub name: &'static str,
    /// What exactly it is, for the line below the tables.
    pub about: &'static str,
    /// Makes a simulation of a scene.
    pub build: fn(&Scene) -> Outcome<Box<dyn Peer>>,
}

/// Everyone, in order of columns.
pub const ALL: [Entrant; 4] = [
    Entrant {
        name: "impulse",
        about: "Sinew, at the effort it chooses",
        build: |scene| SinewPeer::build(scene, sinew::SolverKind::Impulse),
    },
    Entrant {
        name: "pbd",
        about: "Sinew, at the effort it chooses",
        build: |scene| SinewPeer::build(scene, sinew::SolverKind::Pbd),
    },
    Entrant {
        name: "verlet",
        about: "Sinew, at the effort it chooses",
        build: |scene| SinewPeer::build(scene, sinew::SolverKind::Verlet),
    },
    Entrant { name: REFERENCE, about: Box2d::ABOUT, build: Box2d::build },
];

/// The engine that the others are compared with.
pub const REFERENCE: &str = "Box2D";
