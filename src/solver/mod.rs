//! Solver backends: what moves a world by one step.
//!
//! Every backend implements [`Solver`] and can stand in for any other in mid-run, because what
//! must survive is in [`State`] and a backend's own memory only speeds its convergence. To add
//! one, write a module beside `verlet` and name it in [`SolverKind`]; from outside the crate,
//! implement the trait and hand it to [`Sim::with_solver`](crate::Sim::with_solver)
//! (`examples/custom_solver.rs`).
//!
//! | module | job |
//! |---|---|
//! | `verlet/` | points: position Verlet, iterated edges, edge-SAT |
//! | `impulse/` | rigid blocks, solved for velocities |
//! | `pbd/` | rigid blocks, solved for positions |
//! | `nodes.rs`, `nodes/`, `rows/` | blocks and constraints that `impulse` and `pbd` share |
//! | `touches/` | their contacts, followed from step to step |
//! | `forms/` | which of these, and of joints, are solved four at a time, and which are rows |
//! | `quads/` | contacts and pins between blocks, four at a time; pins of `verlet` too |
//! | `direct/` | equations solved all at once: ropes, chains, beams, ragdolls |
//! | `alike/` | the same for soft bodies of one pattern, four at a time |
//! | `plane.rs` | numbers and vectors side by side |
//! | `condition.rs` | joints as scalar conditions, the same for all backends |
//! | `soft.rs` | bends and areas of soft bodies |
//! | `common.rs` | what every backend shares: kinematic bodies, drags |

mod alike;
#[cfg(test)]
mod alone;
mod common;
mod condition;
mod direct;
mod forms;
mod impulse;
mod nodes;
mod pbd;
mod plane;
mod quads;
mod rows;
mod soft;
mod touches;
mod verlet;

pub use common::{advance_kinematic, apply_drags};
pub use impulse::Impulse;
pub use pbd::Pbd;
pub use verlet::Verlet;

use std::fmt;
use std::time::Instant;

use crate::collision::{Collision, Contact};
use crate::math::Vec2;
use crate::scene::Key;
use crate::settings::{Settings, SolverKind};
use crate::threads::Threads;
use crate::world::{Handhold, Model, Renumbering, State};

/// What moves a world by one step.
pub trait Solver {
    /// Which backend this is.
    fn kind(&self) -> SolverKind;

    /// What this backend ignores or approximates in this world, in words a user can read. Empty
    /// when there is nothing to say.
    fn limitations(&self, model: &Model, state: &State) -> Vec<Limitation>;

    /// Rebuilds private caches: after a load, a switch, a rewind or an edit of the topology.
    fn attach(&mut self, model: &Model, state: &State);

    /// Goes on with a model some of whose bodies are those of the one before, in the same order, while
    /// others have come (fallen asleep, woken, torn, edited). What is remembered of those that stayed
    /// may stay as well; a backend that does not care attaches anew.
    fn renumber(&mut self, model: &Model, state: &State, renumbering: &Renumbering) {
        let _ = renumbering;
        self.attach(model, state);
    }

    /// Advances the state by `cx.dt`.
    fn step(&mut self, cx: StepCx<'_>) -> StepReport;

    /// Writes the contacts at the end of the last step into `list`, in place of what is there. Asked only before the
    /// backend is told anything else. `impulse` lets the place and the normal of a contact stand while its bodies
    /// have not moved by more than a few millimetres or turned by more than about a degree; the depth is always that
    /// of the last sub-step.
    fn contacts(&self, list: &mut Vec<Contact>);
}

/// What a step is lent.
pub struct StepCx<'a> {
    /// What there is.
    pub model: &'a Model,
    /// Where it is; the step advances positions and velocities. The clock is the caller's.
    pub state: &'a mut State,
    /// Collision detection; the backend decides when to call it.
    pub collision: &'a mut Collision,
    /// What the user does.
    pub inputs: &'a Inputs,
    /// Gravity, effort, contact response.
    pub settings: &'a Settings,
    /// What may share the work. A backend may leave it alone: `impulse` divides all but joints that are no pins,
    /// contacts of soft bodies, and what is solved as a whole one by one; `pbd` the same, without edges of soft bodies
    /// and without pins of bodies that other joints hold too; `verlet` the search for pairs, looking ahead, the edges of
    /// rigid bodies, soft bodies of one pattern that are solved as wholes, and what is done for each body, joint or
    /// contact alone, but neither rounds over contacts, joints and edges of soft bodies nor the search for contacts in
    /// them.
    pub threads: &'a Threads,
    /// Where the backend leaves what each joint carried, mean over the step, in place of what is there.
    pub reactions: &'a mut Vec<Reaction>,
    /// Where the backend leaves what contacts have given, beside what is there, if somebody wants to know. One that does not
    /// do so is asked for [`Solver::contacts`] alone, and knows nothing of what touches for less than a step.
    pub impulses: Option<&'a mut Vec<ContactImpulse>>,
    /// Length of the step, s.
    pub dt: f32,
    /// Error that was there before the step, overlap or joints that are apart, should be undone no
    /// faster than this, m/s. Infinite but for a while after a backend has taken over a running
    /// world: what the one before left undone would otherwise show as a jolt.
    pub recovery: f32,
}

/// What acts on a world from outside.
#[derive(Clone, Debug, Default)]
pub struct Inputs {
    /// Bodies that are being dragged.
    pub drags: Vec<Drag>,
    /// The keys that are held, in the order in which they went down. They act before a step, on what
    /// motors are told; a backend need not heed them.
    pub held: Vec<Key>,
}

/// A place on a body pulled towards a point by a critically damped spring: a mouse grab.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Drag {
    /// The place on a body that is pulled. Where there is nothing to hold any more a drag does nothing; one that is among
    /// the [`Inputs`] when its body is cut or torn takes hold anew.
    pub hold: Handhold,
    /// Where it is pulled to, m. Nowhere, if that is not finite.
    pub target: Vec2,
    /// Stiffness of the spring as the frequency it would swing at, Hz.
    pub hertz: f32,
    /// The pull is never stronger than this acceleration times the body's mass, m/s².
    pub max_acceleration: f32,
}

impl Drag {
    /// A drag of the usual strength: 6 Hz, at most 100 g.
    #[must_use]
    pub fn new(hold: Handhold, target: Vec2) -> Self {
        Self { hold, target, hertz: 6.0, max_acceleration: 1000.0 }
    }
}

/// What a joint carries: how it acts on its second end.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Force, N.
    pub force: Vec2,
    /// Torque beside that of the force, N·m.
    pub torque: f32,
}

impl Reaction {
    /// Impulses as the mean force and torque over a time, s.
    #[must_use]
    pub(crate) fn over(&self, seconds: f32) -> Self {
        Self { force: self.force / seconds, torque: self.torque / seconds }
    }
}

/// What a contact has given within a step, or a sub-step of it: to the body of the first piece along the normal, to that of the
/// second against it. Friction is not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ContactImpulse {
    /// The two pieces.
    pub pieces: [u32; 2],
    /// Where it acts, m.
    pub point: Vec2,
    /// Unit vector from the second body to the first.
    pub normal: Vec2,
    /// N·s.
    pub impulse: f32,
}

impl ContactImpulse {
    /// What a contact has given, N·s, where points are at these positions.
    #[must_use]
    pub fn of(contact: &Contact, model: &Model, positions: &[Vec2], impulse: f32) -> Self {
        let &Contact { pieces, normal, .. } = contact;
        let radius = model.pieces[pieces[0] as usize].radius;
        Self { pieces, point: contact.position(positions, radius), normal, impulse }
    }
}

/// What a step did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Rounds over the constraints, all sub-steps together.
    pub iterations: u32,
    /// The largest error of a stiff constraint left after the last round, m.
    pub residual: f32,
    /// Pieces that had turned inside out and were restored.
    pub restored: u32,
    /// Time spent.
    pub phases: Phases,
}

/// Time spent in each phase of a step, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phases {
    /// Finding pairs.
    pub broad: f32,
    /// Finding contacts.
    pub narrow: f32,
    /// Satisfying constraints.
    pub solve: f32,
    /// Moving points, updating velocities.
    pub integrate: f32,
}

impl Phases {
    /// The phases with their names, in order.
    #[must_use]
    pub fn named(&self) -> [(&'static str, f32); 4] {
        [
            ("broad", self.broad),
            ("narrow", self.narrow),
            ("solve", self.solve),
            ("integrate", self.integrate),
        ]
    }

    /// All phases together, s.
    #[must_use]
    pub fn total(&self) -> f32 {
        self.named().iter().map(|(_, seconds)| seconds).sum()
    }
}

/// Measures consecutive phases: each call to [`Stopwatch::lap`] adds the time since the last one.
pub(crate) struct Stopwatch(Instant);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(Instant::now())
    }

    pub(crate) fn lap(&mut self, phase: &mut f32) {
        let now = Instant::now();
        *phase += (now - self.0).as_secs_f32();
        self.0 = now;
    }
}

/// Something a backend ignores or approximates.
#[derive(Clone, Debug, PartialEq)]
pub struct Limitation {
    /// What, in words a user can read.
    pub text: String,
}

impl fmt::Display for Limitation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl SolverKind {
    /// A new backend of this kind, or `None` for [`SolverKind::Custom`], which only its own crate
    /// can make.
    #[must_use]
    pub fn build(self) -> Option<Box<dyn Solver>> {
        match self {
            Self::Verlet => Some(Box::new(Verlet::default())),
            Self::Impulse => Some(Box::new(Impulse::default())),
            Self::Pbd => Some(Box::new(Pbd::default())),
            Self::Custom(_) => None,
        }
    }
}
