//! Metrics: what a run was like, measured by code that no solver shares.
//!
//! A solver's own idea of depth, error or energy is what it works with; if it is wrong, so is
//! everything it says about itself. So nothing below here calls a solver or collision detection:
//! every number is measured anew, in `f64`, from the positions and velocities that a step left.
//!
//! | file | job |
//! |---|---|
//! | `overlap.rs` | depth of the overlap of two convex outlines with radii |
//! | `sweep.rs` | the overlapping pairs of a world |
//! | `measure.rs` | stretch, joint error, energy, momentum, inversion at an instant |
//! | `elastic.rs` | what springs of all kinds store |
//! | `histogram.rs` | quantiles of any number of values in bounded memory |
//! | `recorder.rs` | the run as a whole: [`Recorder`], [`Sample`], [`Quality`] |
//! | `judge.rs` | whether a level keeps its promises: [`Judge`] |
//! | `watch.rs` | how bodies and groups that promises name lie and move |
//! | `finding.rs` | what is true of them at an instant, and by how much |
//! | `verdict.rs` | what became of a promise, in words: [`Verdict`] |
//!
//! ```
//! use sinew::metrics::Recorder;
//! use sinew::{BodyDef, Scene, Shape, Sim, Vec2};
//! let mut scene = Scene::default();
//! scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(0.0, 10.0)));
//! let mut sim = Sim::new(&scene)?;
//! let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
//! for _ in 0..60 {
//!     sim.step()?;
//!     recorder.observe(sim.world());
//! }
//! let quality = recorder.quality();
//! assert_eq!(quality.max_penetration_m, 0.0);
//! assert!(quality.energy_peak_gain_j < 0.01 * quality.kinetic_end_j);
//! # Ok::<(), sinew::Error>(())
//! ```

mod elastic;
mod finding;
mod histogram;
mod judge;
mod measure;
mod overlap;
mod recorder;
mod sweep;
mod verdict;
mod watch;

pub use histogram::Histogram;
pub use judge::Judge;
pub(crate) use overlap::depth as overlap_depth;
// The window looks for room with it.
#[cfg(feature = "window")]
pub(crate) use overlap::gap as outline_gap;
// The window graphs what these measure.
#[cfg(feature = "window")]
pub(crate) use measure::Motion as MotionSum;
pub use recorder::{Quality, Recorder, Sample};
#[cfg(feature = "window")]
pub(crate) use sweep::Sweep;
pub use verdict::Verdict;
