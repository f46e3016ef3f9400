//! Islands: bodies that touch or that joints hold together. Only together can they sleep.

use std::collections::BTreeMap;

use crate::collision::Collision;
use crate::math::Mapped;
use crate::scene::BodyKind;
use crate::sets::Sets;
use crate::world::{Model, State};

/// Bodies nearer than this are of one island, m: further than what flickers between touching and not.
pub(super) const NEAR: f32 = 0.005;

/// A search for islands; its memory is reused from one to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Search {
    sets: Sets,
    /// Whether any body of each set, by its lowest one, is not ready to sleep.
    restless: Vec<bool>,
}

impl Search {
    /// The islands of a world all of whose bodies are `ready` to sleep, each in ascending order, by their
    /// lowest body. `near` has every pair of pieces that may be [`NEAR`] each other, `touching` pairs of
    /// bodies that are known to touch.
    pub(super) fn ready(
        &mut self,
        model: &Model,
        state: &State,
        near: &[(u32, u32)],
        touching: impl Iterator<Item = (u32, u32)>,
        ready: impl Fn(usize) -> bool,
    ) -> Vec<Vec<u32>> {
        self.sets.reset(model.bodies.len());
        self.restless.clear();
        self.restless.extend((0..model.bodies.len()).map(|body| !ready(body)));
        for joint in &model.joints {
            if let Some(b) = joint.b.body() {
                self.join(model, state, (joint.body_a, b));
            }
        }
        for pair in touching {
            self.join(model, state, pair);
        }
        // What the backend does not call a contact may be one all the same.
        for &pair in near {
            let [a, b] = [pair.0, pair.1].mapped(|piece| model.pieces[piece as usize].body);
            let [root_a, root_b] = [a, b].mapped(|body| self.sets.root(body as usize));
            let settled = root_a == root_b || (self.restless[root_a] && self.restless[root_b]);
            if !settled && !Collision::touch(model, &state.position, pair, NEAR).is_empty() {
                self.join(model, state, (a, b));
            }
        }
        let mut found = BTreeMap::<usize, Vec<u32>>::new();
        for body in 0..model.bodies.len() {
            let root = self.sets.root(body);
            if model.bodies[body].is_dynamic() && !self.restless[root] {
                found.entry(root).or_default().push(body as u32);
            }
        }
        found.into_values().collect()
    }

    /// Notes that two bodies touch or are held together.
    fn join(&mut self, model: &Model, state: &State, pair: (u32, u32)) {
        let Self { sets, restless } = self;
        let bodies = [pair.0, pair.1].mapped(|body| body as usize);
        let [a, b] = bodies.mapped(|body| sets.root(body));
        match bodies.mapped(|body| model.bodies[body].kind) {
            [BodyKind::Dynamic, BodyKind::Dynamic] => {
                let either = restless[a] || restless[b];
                restless[sets.join(a, b)] = either;
            }
            // What lies on something that moves does not sleep.
            [BodyKind::Dynamic, BodyKind::Kinematic] => {
                restless[a] |= moves(model, state, bodies[1]);
            }
            [BodyKind::Kinematic, BodyKind::Dynamic] => {
                restless[b] |= moves(model, state, bodies[0]);
            }
            _ => {}
        }
    }
}

/// Whether any point of a body moves.
pub(super) fn moves(model: &Model, state: &State, body: usize) -> bool {
    model.bodies[body].point_range().any(|i| state.velocity[i] != crate::math::Vec2::ZERO)
}
