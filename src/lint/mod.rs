//! The linter: what is allowed in a level and yet rarely meant.
//!
//! An error keeps a level from being read. A [`Finding`] does not: two crates may start inside each
//! other, but the solver will then throw them apart, and the author wonders why. Nothing here
//! knows files: a finding names a body, a joint or a promise of the scene, and whoever read the
//! scene knows where that was written ([`Level::examine`](crate::Level::examine)).
//!
//! | file | job |
//! |---|---|
//! | `neighbours.rs` | bodies inside each other; bodies of very different mass in touch or joined |
//! | `alone.rs` | single bodies: too fast for the sub-step, outside the bounds, stretched at the start |
//! | `frames.rs` | frames of points and edges that give way |
//!
//! ```
//! use sinew::{BodyDef, Scene, Shape, Vec2, World, lint};
//! let mut scene = Scene::default();
//! for (id, x) in [("a", 0.0), ("b", 0.75)] {
//!     let shape = Shape::Box { size: Vec2::ONE };
//!     scene.bodies.push(BodyDef::new(id, shape, Vec2::new(x, 0.0)));
//! }
//! let world = World::build(&scene)?;
//! let findings = lint::findings(&scene, &[], &world);
//! assert_eq!(findings[0].message, "`b` starts 25 cm inside `a`");
//! # Ok::<(), sinew::Error>(())
//! ```

mod alone;
mod frames;
mod neighbours;

use crate::expect::Expectation;
use crate::scene::Scene;
use crate::world::World;

/// After this many findings the linter looks for no more.
const MOST_FINDINGS: usize = 10_000;

/// Something in a scene that is allowed and rarely meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which rule found it. Findings of a rule differ only in what they are about.
    pub rule: Rule,
    /// What it is about.
    pub about: About,
    /// How bad it is, in the rule's own measure: the worst of many is the one worth showing.
    pub weight: f64,
    /// What is odd.
    pub message: String,
    /// What to do about it.
    pub help: String,
}

/// What a finding is about: an index into the scene's or the level's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// A body of [`Scene::bodies`].
    Body(usize),
    /// A joint of [`Scene::joints`].
    Joint(usize),
    /// A promise of [`Level::expect`](crate::Level::expect).
    Promise(usize),
}

/// The rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rule {
    /// Two bodies overlap at the start by more than 1 mm.
    Overlap,
    /// Two bodies in touch or joined differ in mass by more than a factor of 100.
    MassRatio,
    /// A body moves more than its extent in a step, or half its width in a sub-step.
    Speed,
    /// A body that can move starts outside the bounds.
    OutOfBounds,
    /// An edge is longer or shorter at the start than at rest.
    Stretched,
    /// A frame of points and edges has vertices that its edges do not hold in place.
    UnderBraced,
    /// No promise is made for the solver that the level asks for.
    Unjudged,
}

/// What the linter finds, ten thousand things at most. `world` is the one built
/// from `scene`.
#[must_use]
pub fn findings(scene: &Scene, expect: &[Expectation], world: &World) -> Vec<Finding> {
    let mut found = Vec::new();
    neighbours::examine(world, &mut found);
    alone::examine(scene, world, &mut found);
    frames::examine(scene, world, &mut found);
    unjudged(scene, expect, &mut found);
    found
}

fn unjudged(scene: &Scene, expect: &[Expectation], found: &mut Vec<Finding>) {
    let solver = scene.settings.solver;
    let judged =
        |promise: &Expectation| promise.solvers.is_empty() || promise.solvers.contains(&solver);
    if !expect.is_empty() && !expect.iter().any(judged) {
        found.push(Finding {
            rule: Rule::Unjudged,
            about: About::Promise(0),
            weight: 0.0,
            message: format!("no promise is made for `{solver}`, the solver of this level"),
            help: format!("add `{solver}` to `solvers`, or change `world.solver`"),
        });
    }
}

/// A length in a unit that suits it.
fn length(metres: f64) -> String {
    match metres.abs() {
        size if size < 0.01 => format!("{} mm", rounded(1000.0 * metres)),
        size if size < 1.0 => format!("{} cm", rounded(100.0 * metres)),
        _ => format!("{} m", rounded(metres)),
    }
}

/// A number to three significant digits, without useless zeros.
fn rounded(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return value.to_string();
    }
    let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 9.0);
    let text = format!("{value:.0$}", digits as usize);
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_read_like_lengths() {
        let cases = [(0.0012, "1.2 mm"), (0.25, "25 cm"), (0.012_345, "1.23 cm"), (3.0, "3 m")];
        for (metres, text) in cases {
            assert_eq!(length(metres), text);
        }
        assert_eq!((rounded(12_345.6), rounded(0.0)), ("12346".into(), "0".into()));
    }
}
