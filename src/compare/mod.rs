//! Runs of one level set against each other: other backends, other settings, the same seconds.
//!
//! A run leaves a [`Series`] (what was measured after each step, by [`metrics`](crate::metrics) and
//! nobody else) and a [`Track`] (where the bodies were). From two tracks follows where and when the
//! runs part; from the figures of all runs of a level a score of quality per millisecond. Nothing
//! here runs or times anything: the command line does (`sinew compare`, `sinew lab`), and so can a
//! program of your own.
//!
//! | file | job |
//! |---|---|
//! | `series.rs` | what was measured over time, in bounded memory |
//! | `track.rs` | where the bodies were over time, in bounded memory |
//! | `divergence.rs` | when two runs part, which bodies, how far |
//! | `equal_time.rs` | how many sub-steps a budget of time pays for |
//! | `score.rs` | quality per millisecond |
//!
//! ```
//! use sinew::compare::{Track, first_parting};
//! use sinew::{Level, Sim, SolverKind};
//!
//! let mut scene = Level::builtin("stack")?.scene;
//! let mut tracks = Vec::new();
//! for solver in [SolverKind::Verlet, SolverKind::Impulse] {
//!     scene.settings.solver = solver;
//!     let mut sim = Sim::new(&scene)?;
//!     let mut track = Track::new(sim.world(), sim.settings().hz, 60);
//!     for _ in 0..60 {
//!         sim.step()?;
//!         track.observe(sim.world());
//!     }
//!     tracks.push(track);
//! }
//! // A stack is the same on both to five centimetres.
//! assert_eq!(first_parting(&tracks[0], &tracks[1], 0.05), None);
//! # Ok::<(), sinew::Error>(())
//! ```

mod divergence;
mod equal_time;
mod score;
mod series;
mod track;

pub use divergence::{Parting, distances, first_parting, largest_distances};
pub use equal_time::{Choice, substeps_for};
pub use score::{Figures, points};
pub use series::{Series, running_median};
pub use track::Track;
