//! Islands: bodies that touch or that joints hold together. Only together can they sleep.

use crate::collision::Collision;
use crate::scene::BodyKind;
use crate::sets::Sets;
use crate::world::{Model, State};

/// Bodies nearer than this are of one island, m: further than what flickers between touching and not.
pub(super) const NEAR: f32 = 0.005;

/// The islands of a world all of whose bodies are `ready` to sleep, each in ascending order, by their
/// lowest body. `near` has every pair of pieces that may be [`NEAR`] each other, `touching` pairs of bodies
/// that are known to touch.
pub(super) fn ready_islands(
    model: &Model,
    state: &State,
    near: &[(u32, u32)],
    touching: impl Iterator<Item = (u32, u32)>,
    ready: impl Fn(usize) -> bool,
) -> Vec<Vec<u32>> {
    let mut sets = Sets::new(model.bodies.len());
    let mut restless: Vec<bool> = (0..model.bodies.len()).map(|body| !ready(body)).collect();
    let join = |sets: &mut Sets, restless: &mut Vec<bool>, pair: (u32, u32)| {
        let bodies = [pair.0, pair.1].map(|body| body as usize);
        let [a, b] = bodies.map(|body| sets.root(body));
        match bodies.map(|body| model.bodies[body].kind) {
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
    };
    for joint in &model.joints {
        if let Some(b) = joint.b.body() {
            join(&mut sets, &mut restless, (joint.body_a, b));
        }
    }
    for pair in touching {
        join(&mut sets, &mut restless, pair);
    }
    // What the backend does not call a contact may be one all the same.
    for &pair in near {
        let [a, b] = [pair.0, pair.1].map(|piece| model.pieces[piece as usize].body);
        let [root_a, root_b] = [a, b].map(|body| sets.root(body as usize));
        let settled = root_a == root_b || (restless[root_a] && restless[root_b]);
        if !settled && !Collision::touch(model, &state.position, pair, NEAR).is_empty() {
            join(&mut sets, &mut restless, (a, b));
        }
    }
    let mut found: Vec<Vec<u32>> = vec![Vec::new(); model.bodies.len()];
    for body in 0..model.bodies.len() {
        let root = sets.root(body);
        if model.bodies[body].is_dynamic() && !restless[root] {
            found[root].push(body as u32);
        }
    }
    found.retain(|island| !island.is_empty());
    found
}

/// Whether any point of a body moves.
pub(super) fn moves(model: &Model, state: &State, body: usize) -> bool {
    model.bodies[body].point_range().any(|i| state.velocity[i] != crate::math::Vec2::ZERO)
}
