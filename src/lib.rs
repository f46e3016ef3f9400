//! **Sinew** simulates soft and rigid bodies in two dimensions as points held together by edges.
//!
//! A body is a handful of points with masses, edges that keep their distances, and convex pieces
//! that collide. Rigid and soft are the same thing with different edges. A world of such bodies can
//! be moved by any of several [solvers](solver), exchanged in mid-run if need be; it is written as
//! a JSON level or built in code, and runs in a window, in a game or without either.
//!
//! Units are SI throughout: metre, kilogram, second, radian (degrees in level files only). The y
//! axis points up, and angles grow counter-clockwise.
//!
//! # Two examples
//!
//! A scene built in code, one second of it, and where a body has come:
//!
//! ```
//! use sinew::{BodyDef, Scene, Shape, Sim, Vec2};
//!
//! let mut scene = Scene::default();
//! let ground = Shape::Box { size: Vec2::new(20.0, 1.0) };
//! scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
//! scene.bodies.push(BodyDef::new("crate", Shape::Box { size: Vec2::ONE }, Vec2::new(0.0, 2.0)));
//!
//! let mut sim = Sim::new(&scene)?;
//! for _ in 0..60 {
//!     sim.step()?;
//! }
//! let body = sim.world().body("crate").expect("it is in the scene");
//! assert!((sim.world().pose(body)?.center.y - 0.5).abs() < 0.01);
//! # Ok::<(), sinew::Error>(())
//! ```
//!
//! A built-in level on another solver, measured as `sinew sim` does:
//!
//! ```
//! use sinew::metrics::Recorder;
//! use sinew::{Level, Overrides, Sim, SolverKind};
//!
//! let mut scene = Level::builtin("stack")?.scene;
//! let choice = Overrides { solver: Some(SolverKind::Impulse), ..Overrides::default() };
//! scene.settings = choice.apply(scene.settings);
//!
//! let mut sim = Sim::new(&scene)?;
//! let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
//! for _ in 0..60 {
//!     sim.step()?;
//!     recorder.observe(sim.world());
//! }
//! assert!(recorder.quality().max_penetration_m < 0.01);
//! # Ok::<(), sinew::Error>(())
//! ```
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
//! Imports run one way: `math, outline, error, settings ◄ scene ◄ level` and
//! `scene ◄ world ◄ {query, collision ◄ solver ◄ sleep} ◄ sim ◄ {metrics ◄ compare, view, cli} ◄ main`. `world` never knows a
//! solver, and nothing in the library knows the window or the command line.
//!
//! # Where to go next
//!
//! | to see | read |
//! |---|---|
//! | outlines: convex pieces, round corners, bracing | `outline/`: [`convex_pieces`], [`brace`] |
//! | what can be built | `scene/`: [`Scene`], [`BodyDef`], [`Shape`], [`Mesh`], [`JointDef`] |
//! | soft bodies from a few numbers | [`soft`]: [`soft::Jelly`], [`soft::Rope`] |
//! | the words of a level file | `level/`: [`Level`]; the files in `levels/` |
//! | what a level promises of itself | `docs/expect.md`; [`Expectation`], [`metrics::Judge`] |
//! | points, edges, bodies, and how masses come out right | `world/`: [`Model`], [`State`], [`Anchor`] |
//! | changing a running world: slice, tear, weld, remove | `world/edit/`: [`World`], [`Sim::edit`] |
//! | what breaks and bends | `world/failure.rs`: [`Event`], [`Strength`], [`Plastic`] |
//! | keys that drive joints | `scene/key.rs`, `world/drive.rs`: [`Key`], [`Steering`], [`Script`], [`Sim::press`] |
//! | who is where: rays, shapes, what is nearest | `query/`: [`Queries`], [`Probe`], [`Sim::queries`] |
//! | how contacts are found | `collision/`: [`BroadPhase`], [`Collision`], [`Contact`] |
//! | how a world is moved | [`solver`]: `solver/verlet/mod.rs` first |
//! | the loop around a solver, and one step | `sim.rs`, `sim/step.rs`: [`Sim`] |
//! | how a step is shared out | `threads.rs`: [`Threads`] |
//! | who sleeps, and what wakes them | `sleep/`: [`Sim::is_asleep`], [`Settings::sleep`](Settings) |
//! | going back in time | `sim/snapshot.rs`: [`Snapshot`] |
//! | what a run was like | [`metrics`]: [`Recorder`](metrics::Recorder) |
//! | how runs differ | [`compare`]: [`compare::Track`], [`compare::points`] |
//! | a solver of your own | `examples/custom_solver.rs` |
//! | who begins to touch, and how hard | `sim/touching.rs`: [`Sim::watch_contacts`], [`ContactEvent`] |
//! | a game loop | `examples/embed.rs`; what it may ask: `examples/senses.rs` |
//!
//! # Decisions
//!
//! *Velocity is state, previous position is not.* Position Verlet usually stores where a point was;
//! that rescales speed when the step changes, loses bits far from the origin, and means nothing to
//! another solver. [`State`] holds position and velocity, and whatever else a solver remembers may be
//! lost without changing the truth. That is why solvers can be exchanged.
//!
//! *Masses are exact.* A quarter of the mass in each corner of a box gives three times its inertia.
//! Here every shape has its true mass, centre and moment of inertia, with a heavy point at the
//! centre and light ones on the outline (`world/mass.rs`).
//!
//! *`verlet` refines the classic method* (headers in `solver/verlet/`):
//!
//! * Displacements are summed apart from positions, so that speed keeps its digits anywhere.
//! * Edges pull along the direction they had before the sub-step, as in SHAKE. Along the direction
//!   after the move a spinning stick loses angular momentum in every sub-step.
//! * Velocities are projected onto the constraints too, as in RATTLE. Without this stage a pile
//!   never quite comes to rest.
//! * Friction remembers the slip that is left over since the surfaces last stuck, so that piles do
//!   not creep.
//! * Soft bodies of one pattern, a thousand ropes or two hundred jellies, are solved four side by side. `impulse` and
//!   `pbd` solve each by itself. The edges of eight rigid bodies of one make are satisfied side by side, pins between
//!   rigid bodies and the contacts of the velocity stage four at a time.
//! * What bodies close within a sub-step is undone at once; overlap from before is let out at a
//!   bounded speed, which is taken away again. Levels that start overlapped do not explode.
//! * Contacts share out displacement by inverse mass and conserve momentum. The classic form, which
//!   loses some of it, is kept as [`Response::Classic`].
//!
//! *What acts after a move acts where bodies are by then.* `impulse` and `pbd` bring velocities to rest, and `impulse`
//! gives the second half of springs, when all has moved. Along lines from before the move that turns a soft body that spins,
//! faster or slower; so joints, edges, bends and areas are taken anew (`rows/follow.rs`, as RATTLE takes its gradients).
//!
//! *Contacts and pins of rigid bodies are solved four at a time on every backend*, also where it solves for positions
//! (`quads/projection.rs`): with small sub-steps multipliers start from zero, so friction comes after pressure there.
//!
//! *A backend never sees what sleeps.* Bodies that have come to rest are taken out of the world that a
//! backend is lent, island by island, and put back when something disturbs them (`sleep/`). So every
//! backend sleeps, those from outside the crate too, and none has a line of code for it. What it
//! remembers of the others it may carry over ([`Solver::renumber`]).
//!
//! *What is claimed is measured, and not by the solver*: see [`metrics`].
//!
//! # Determinism
//!
//! The same binary, level and inputs give the same [`State::hash`] on every run. A step calls
//! no `sin`, `cos` or `atan2` of the platform, follows no hash map's order, and depends on no clock and not on how many
//! threads there are ([`Threads`], `threads.rs`). Other compilers
//! and processors are not promised to agree to the last bit.
//!
//! # Limitations
//!
//! * What rolls without friction to stop it rolls for ever, however slowly, and does not sleep.
//! * Solid soft bodies that are hit hard may have pieces turned inside out, on `impulse` and `pbd`
//!   most; `verlet` brings them back best.
//! * On `verlet` the frame of a rigid body is made of edges and gives for a moment on hard impacts, and for good under a load
//!   on its outline that is held at its middle: a platform of 100 kg on a spring with 640 kg on it comes down by 15 mm where its spring
//!   says 20, and by 17 with twice as many iterations.
//! * On `pbd` a servo that is damped, and whose force has a bound, comes down further than its spring says where its load lies
//!   on it (28 mm in place of 20 there, with critical damping), and not where the load is joined to it.
//! * Single precision: centimetres blur beyond [`Scene::LARGEST`].
//!
//! What a solver leaves out of a particular world it says itself: [`Sim::limitations`].
//!
//! # Features
//!
//! Both are on by default; the library needs neither.
//!
//! * `cli`: the `sinew` program and the module `cli` behind it.
//! * `window`: the window and the module `view`; implies `cli`.

#[cfg(feature = "cli")]
pub mod cli;
mod collision;
pub mod compare;
pub mod edit;
mod error;
mod expect;
mod level;
pub mod lint;
pub mod math;
pub mod metrics;
mod outline;
mod query;
mod reload;
mod scene;
mod sets;
mod settings;
mod sim;
mod sleep;
pub mod solver;
mod threads;
#[cfg(feature = "window")]
pub mod view;
mod world;

pub use collision::{BroadPhase, Collision, Contact, Margin, Touch};
pub use error::{Error, Result};
pub use expect::{Condition, Expectation, Holds, JointCondition, Metric, Quantity, Range, Subject};
pub use glam;
pub use level::{Diagnostic, Level, Origin, Severity, Sources};
pub use math::{Aabb, Rot, Vec2};
pub use outline::{
    Bracing, Decomposition, NotOutline, brace, convex_pieces, loose_points, missing_edges,
    simple_outline,
};
pub use query::{Hit, Nearest, Probe, Queries};
pub use reload::carry_over;
pub use scene::soft;
pub use scene::{
    AngleLimit, BodyDef, BodyKind, Bounds, Course, Filter, JointDef, JointKind, Key, Look,
    Material, Mesh, MeshArea, MeshBend, MeshEdge, MeshPoint, Motor, Part, Plastic, Released, Scene,
    Script, ScriptEntry, Shape, Spring, Steering, Strength, Style, Terrain, TerrainFault, Track,
    Travel, View,
};
pub use settings::{Effort, Overrides, Response, Settings, SolverKind};
pub use sim::{ContactEvent, ContactPair, Sim, Snapshot};
pub use solver::{
    ContactImpulse, Drag, Inputs, Limitation, Phases, Reaction, Solver, StepCx, StepReport,
};
pub use threads::Threads;
pub use world::{
    Anchor, Area, AreaRule, Bend, Body, BodyId, Edge, Event, Handhold, Joint, JointEnd, JointId,
    JointState, Limit, Model, Motion, Piece, Pose, Renumbering, Rim, State, World,
};

/// The examples of the README, so that `cargo test` runs them.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
