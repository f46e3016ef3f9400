//! **Sinew** simulates soft and rigid bodies in two dimensions as points held together by edges.
//!
//! # How data flows
//!
//! ```text
//! level.json ─parse─► Level ─► Scene ─build─► World { Model, State }
//!                                                   │ step
//!        Collision (broad phase, edge-SAT)  ◄── Solver backend
//!                                                   │
//!          metrics, queries  ◄── Sim ──►  window (macroquad) · command line (headless)
//! ```
//!
//! Imports run one way: `math, error, settings ◄ scene ◄ level` and
//! `scene ◄ world ◄ collision ◄ solver ◄ sim ◄ {metrics, view, cli} ◄ main`. `world` never knows a
//! solver, and nothing in the library knows the window or the command line.

#[cfg(feature = "cli")]
pub mod cli;
mod collision;
mod error;
mod expect;
mod level;
pub mod math;
pub mod metrics;
mod scene;
mod settings;
mod sim;
pub mod solver;
#[cfg(feature = "window")]
pub mod view;
mod world;

pub use collision::{BroadPhase, Collision, Contact, Touch};
pub use error::{Error, Result};
pub use expect::{Expectation, Metric, Quantity, Subject};
pub use glam;
pub use level::{Diagnostic, Level};
pub use math::{Aabb, Rot, Vec2};
pub use scene::{
    AngleLimit, BodyDef, BodyKind, Bounds, Filter, JointDef, Look, Material, Mesh, MeshEdge,
    MeshPoint, Scene, Shape, Style, View,
};
pub use settings::{Effort, Overrides, Response, Settings, SolverKind};
pub use sim::Sim;
pub use solver::{Drag, Inputs, Limitation, Phases, Solver, StepCx, StepOutput, StepReport};
pub use world::{
    Anchor, Body, BodyId, Edge, Joint, JointEnd, JointId, Limit, Model, Motion, Piece, Pose, State,
    World,
};
