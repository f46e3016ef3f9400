//! How a scene is to be simulated: gravity, step rate, the backend and its effort.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;
use crate::math::Vec2;

/// The solver backends. [`SolverKind::build`] makes one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum SolverKind {
    /// Position Verlet, iterated edges and edge-SAT: the default.
    #[default]
    Verlet,
    /// Sequential impulses on rigid bodies, for comparison.
    Impulse,
    /// Position-based dynamics on rigid bodies and points, with small sub-steps.
    Pbd,
    /// A backend from outside this crate, with the name it goes by.
    Custom(&'static str),
}

impl SolverKind {
    /// The backends that come with the crate.
    pub const ALL: [Self; 3] = [Self::Verlet, Self::Impulse, Self::Pbd];

    /// The name used on the command line and in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Verlet => "verlet",
            Self::Impulse => "impulse",
            Self::Pbd => "pbd",
            Self::Custom(name) => name,
        }
    }

    /// One line on the method.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Verlet => {
                "position Verlet on points: iterated edges, edge-SAT, λ-weighted displacement"
            }
            Self::Impulse => {
                "sequential impulses on rigid bodies gathered from their points, warm started"
            }
            Self::Pbd => "position-based dynamics: rigid blocks and points, small sub-steps",
            Self::Custom(_) => "a backend from outside the crate",
        }
    }

    /// Sub-steps and iterations used where neither the level nor the user says otherwise.
    #[must_use]
    pub fn default_effort(self) -> Effort {
        match self {
            Self::Impulse => Effort { substeps: 4, iterations: 6 },
            Self::Pbd => Effort { substeps: 12, iterations: 1 },
            Self::Verlet | Self::Custom(_) => Effort { substeps: 8, iterations: 2 },
        }
    }

    /// The responses that differ on this backend, the default first.
    pub fn responses(self) -> impl Iterator<Item = Response> {
        Response::ALL.into_iter().filter(move |response| response.on(self) == *response)
    }
}

impl fmt::Display for SolverKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SolverKind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|kind| kind.name()).collect();
            Error::unknown("solver", name, format!("choose one of {}", known.join(", ")))
        })
    }
}

/// How much work a backend puts into one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Equal parts a step is cut into; each integrates, solves and updates velocities. At least 1.
    pub substeps: u32,
    /// Rounds over all constraints in each sub-step. At least 1.
    pub iterations: u32,
}

/// How bodies in contact respond to each other.
///
/// | | `conserving` | `soft` | `classic` |
/// |---|---|---|---|
/// | `verlet` | displacements weighted by inverse mass | the same | half to the vertex, λ-weighted halves to the edge ends |
/// | `impulse` | position correction, then all rows brought to rest | damped springs, then all rows brought to rest | position correction; one step of ten rounds |
/// | `pbd` | projection | the same | the same |
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Response {
    /// The best form of each backend. Linear and angular momentum are conserved.
    #[default]
    Conserving,
    /// On `impulse`, contacts as in Box2D v3: damped springs of 30 Hz in sub-steps, relaxed (Catto,
    /// “Solver2D”, 2024). Kept for comparison: by the laboratory, bodies sink in about ten times deeper
    /// than with [`Response::Conserving`], and high stacks and houses of cards fall.
    Soft,
    /// The textbook form, kept for study. On `verlet` it is that of game physics, which joins vertex
    /// and edge but loses the momentum `(1 − λ)·d/2`; on `impulse` sequential impulses without
    /// sub-steps, with joints that give back a quarter of their error as speed and contacts that give
    /// back a fifth of theirs beyond 5 mm.
    Classic,
}

impl Response {
    /// All forms.
    pub const ALL: [Self; 3] = [Self::Conserving, Self::Soft, Self::Classic];

    /// The name used on the command line and in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Conserving => "conserving",
            Self::Soft => "soft",
            Self::Classic => "classic",
        }
    }

    /// The response that `kind` has when asked for this one: itself where the table above has an
    /// entry of its own for it, [`Response::Conserving`] where that says “the same”. A backend from
    /// outside the crate is handed what was asked for.
    ///
    /// ```
    /// use sinew::{Response, SolverKind};
    /// assert_eq!(Response::Soft.on(SolverKind::Impulse), Response::Soft);
    /// assert_eq!(Response::Soft.on(SolverKind::Verlet), Response::Conserving);
    /// ```
    #[must_use]
    pub fn on(self, kind: SolverKind) -> Self {
        match (kind, self) {
            (SolverKind::Verlet, Self::Soft) | (SolverKind::Pbd, _) => Self::Conserving,
            (SolverKind::Verlet | SolverKind::Impulse | SolverKind::Custom(_), asked) => asked,
        }
    }
}

impl fmt::Display for Response {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Response {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self, Error> {
        Self::ALL.into_iter().find(|response| response.name() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::name).join(", ");
            Error::unknown("response", name, format!("choose one of {known}"))
        })
    }
}

/// Settings of a simulation. All units SI.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Acceleration of gravity, m/s².
    pub gravity: Vec2,
    /// Steps per second of simulated time.
    pub hz: f32,
    /// The backend to start with.
    pub solver: SolverKind,
    /// Sub-steps per step; `None` leaves the choice to the backend.
    pub substeps: Option<u32>,
    /// Iterations per sub-step; `None` leaves the choice to the backend.
    pub iterations: Option<u32>,
    /// How contacts respond.
    pub response: Response,
    /// Whether bodies that have come to rest sleep until something disturbs them.
    pub sleep: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            gravity: Vec2::new(0.0, -9.81),
            hz: 60.0,
            solver: SolverKind::default(),
            substeps: None,
            iterations: None,
            response: Response::default(),
            sleep: true,
        }
    }
}

impl Settings {
    /// Most sub-steps a step may be cut into.
    pub const MAX_SUBSTEPS: u32 = 256;
    /// Most iterations in a sub-step.
    pub const MAX_ITERATIONS: u32 = 1000;
    /// The step rates that are accepted, Hz.
    pub const HZ_RANGE: (f32, f32) = (1.0, 10_000.0);

    /// Whether a simulation can run under these settings.
    ///
    /// # Errors
    /// If the step rate is outside [`Settings::HZ_RANGE`], or gravity is not finite.
    pub fn check(&self) -> Result<(), Error> {
        let (least, most) = Self::HZ_RANGE;
        if !(least..=most).contains(&self.hz) {
            let problem = format!("`hz` is {}; it must be between {least} and {most}", self.hz);
            return Err(Error::scene("settings", problem));
        }
        if !self.gravity.is_finite() {
            return Err(Error::scene("settings", "`gravity` must be finite"));
        }
        Ok(())
    }

    /// The length of a step in seconds.
    #[must_use]
    pub fn dt(&self) -> f32 {
        1.0 / self.hz
    }

    /// The effort that `kind` runs at under these settings.
    #[must_use]
    pub fn effort(&self, kind: SolverKind) -> Effort {
        let default = match (kind, self.response) {
            (SolverKind::Impulse, Response::Classic) => Effort { substeps: 1, iterations: 10 },
            _ => kind.default_effort(),
        };
        Effort {
            substeps: self.substeps.unwrap_or(default.substeps).clamp(1, Self::MAX_SUBSTEPS),
            iterations: self
                .iterations
                .unwrap_or(default.iterations)
                .clamp(1, Self::MAX_ITERATIONS),
        }
    }
}

/// Settings a user gives on top of those of a level. `None` leaves the level's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overrides {
    /// Backend.
    pub solver: Option<SolverKind>,
    /// Sub-steps per step.
    pub substeps: Option<u32>,
    /// Iterations per sub-step.
    pub iterations: Option<u32>,
    /// Steps per second.
    pub hz: Option<f32>,
    /// Acceleration of gravity, m/s².
    pub gravity: Option<Vec2>,
    /// How contacts respond.
    pub response: Option<Response>,
    /// Whether bodies at rest sleep.
    pub sleep: Option<bool>,
}

impl Overrides {
    /// `settings` with these overrides in place.
    ///
    /// Sub-steps and iterations that a level states are meant for the backend it states; where the
    /// user asks for another backend, that one's own defaults hold.
    #[must_use]
    pub fn apply(&self, settings: Settings) -> Settings {
        let solver = self.solver.unwrap_or(settings.solver);
        let of_level = |value: Option<u32>| value.filter(|_| solver == settings.solver);
        Settings {
            gravity: self.gravity.unwrap_or(settings.gravity),
            hz: self.hz.unwrap_or(settings.hz),
            solver,
            substeps: self.substeps.or(of_level(settings.substeps)),
            iterations: self.iterations.or(of_level(settings.iterations)),
            response: self.response.unwrap_or(settings.response),
            sleep: self.sleep.unwrap_or(settings.sleep),
        }
    }
}
