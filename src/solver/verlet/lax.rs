//! Which soft bodies are left to rounds: those of springs that are soft for a sub-step.
//!
//! What acts on a spring it hands on, within a sub-step, the more the harder it is, `h²·k·w`. Where that is little, and each
//! sub-step starts from what springs gave in the one before (`start.rs`), rounds find what equations solved all at once
//! (`together.rs`, `alike/`) say, in a small part of the time: a jelly of 1 m and 100 kPa, for which it is 0.8 at
//! 4 × 1, sags by 35 mm both ways, and rings alike. Without that start it sagged by a tenth more.

use crate::solver::alike::hardness;
use crate::world::{Body, Joint, Model, Renumbering, State};

/// The `h²·k·w` up to which springs are soft, for each round of a sub-step. At three times as much a jelly still sags by as
/// much, but rings by a tenth more.
const SOFT: f32 = 1.5;

/// The soft bodies that are left to rounds.
#[derive(Clone, Debug, Default)]
pub(super) struct Lax {
    /// The length of the sub-steps for which they were found, s; 0 for none.
    time: f32,
    /// And how many rounds these have.
    rounds: u32,
    /// Whether each body is one of them.
    is: Vec<bool>,
}

impl Lax {
    /// Forgets them: all are solved as wholes until they are found.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// What springs give in sub-steps of `h` seconds, over what they gave in those before.
    pub(super) fn pace(&self, h: f32) -> f32 {
        if self.time > 0.0 { (h / self.time).powi(2) } else { 1.0 }
    }

    /// Finds them for sub-steps of `h` seconds and so many rounds. Returns whether they are others than before. Those that
    /// are some stay so until they are twice as hard, so that steps of all lengths do not tell them anew each time.
    pub(super) fn find(&mut self, model: &Model, state: &State, h: f32, rounds: u32) -> bool {
        if (self.time, self.rounds) == (h, rounds) {
            return false;
        }
        (self.time, self.rounds) = (h, rounds);
        self.find_from(model, state, &self.is.clone())
    }

    /// Finds them where bodies have other numbers. Returns whether others are some of those that are still there, or some
    /// of those that have come.
    pub(super) fn renumber(&mut self, model: &Model, state: &State, by: &Renumbering) -> bool {
        if self.time == 0.0 {
            return false;
        }
        let mut were = vec![false; model.bodies.len()];
        let old = (0..).zip(&self.is).filter(|(_, is)| **is);
        old.filter_map(|(body, _)| by.body(body)).for_each(|body| were[body as usize] = true);
        self.find_from(model, state, &were)
    }

    /// Finds them where those were some, and returns whether they are others.
    fn find_from(&mut self, model: &Model, state: &State, were: &[bool]) -> bool {
        let were = |body: usize| were.get(body) == Some(&true);
        self.is = self.found(model, state, |body| if were(body) { 2.0 } else { 1.0 });
        (0..self.is.len()).any(|body| self.is[body] != were(body))
    }

    /// Whether each body is one of them; `slack` times as hard a body may be.
    fn found(&self, model: &Model, state: &State, slack: impl Fn(usize) -> f32) -> Vec<bool> {
        let soft = SOFT * self.rounds as f32;
        let is_lax = |(index, body): (usize, &Body)| {
            let holds = body.soft && body.is_dynamic() && !body.edges.is_empty();
            holds && hardness(model, state, body, self.time) < slack(index) * soft
        };
        let mut found: Vec<bool> = model.bodies.iter().enumerate().map(is_lax).collect();
        // What joints hold on to is solved together with them.
        for body in model.joints.iter().flat_map(Joint::bodies) {
            found[body as usize] = false;
        }
        found
    }

    /// Whether a body is one of them.
    pub(super) fn has(&self, body: u32) -> bool {
        self.is.get(body as usize) == Some(&true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::soft::{Jelly, Rope, Stiffness};
    use crate::scene::{BodyDef, JointDef, Scene, Shape};
    use crate::world::World;

    #[test]
    fn bodies_are_left_to_rounds_that_are_soft_for_them() {
        let jelly = |modulus| {
            let stiffness = Stiffness::Modulus(modulus);
            Shape::Mesh(Jelly { stiffness, ..Jelly::rectangle(Vec2::ONE) }.mesh().unwrap())
        };
        let shapes = [
            jelly(1e5),
            jelly(1e7),
            Shape::Mesh(Rope::default().mesh().unwrap()),
            Shape::Disc { radius: 0.5 },
            // This one is nailed to the world.
            jelly(1e5),
        ];
        let mut scene = Scene::default();
        for (k, shape) in shapes.into_iter().enumerate() {
            let at = Vec2::new(3.0 * k as f32, 0.0);
            scene.bodies.push(BodyDef::new(format!("body{k}"), shape, at));
        }
        scene.joints.push(JointDef::pin("nail", "body4", None, Vec2::new(12.0, 0.0)));
        let World { model, state } = World::build(&scene).unwrap();
        let mut lax = Lax::default();
        let found = |lax: &Lax| [0, 1, 2, 3, 4].map(|body| lax.has(body));
        assert!(lax.find(&model, &state, 1.0 / 480.0, 2));
        assert_eq!(found(&lax), [true, false, false, false, false]);
        assert!(!lax.find(&model, &state, 1.0 / 470.0, 2));
        assert!(lax.find(&model, &state, 1.0 / 60.0, 1));
        assert_eq!(found(&lax), [false; 5]);
        lax.forget();
        assert_eq!(found(&lax), [false; 5]);
    }
}
