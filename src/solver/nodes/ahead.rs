//! Looking ahead at the end of a sub-step: who would go through another is held back.

use super::Nodes;
use crate::collision::Collision;
use crate::math::Vec2;
use crate::threads::Threads;
use crate::world::{Model, State};

impl Nodes {
    /// Holds bodies back where they would go through each other, keeping their velocity.
    pub(crate) fn hold_back(
        &mut self,
        collision: &mut Collision,
        model: &Model,
        state: &mut State,
        threads: &Threads,
    ) {
        let farthest = self.limit_turns(threads);
        if Collision::is_surely_slow(2.0 * farthest) {
            return;
        }
        let mut fast = std::mem::take(&mut self.fast);
        let most = |pieces: (u32, u32)| {
            let pair = self.blocks(model, pieces)?;
            let most = self.most_apart(pair, &self.travels);
            let radii = [pieces.0, pieces.1].map(|piece| model.pieces[piece as usize].radius);
            let meet = || self.gap_around(pair, radii).is_none_or(|gap| gap < most);
            Some(if Collision::is_surely_slow(most) || meet() { most } else { 0.0 })
        };
        collision.pairs_too_fast(model, &state.position, most, &mut fast);
        if fast.is_empty() {
            self.fast = fast;
            return;
        }
        let (mut parts, mut ahead) =
            (std::mem::take(&mut self.parts), std::mem::take(&mut self.ahead));
        ahead.resize(state.position.len(), Vec2::ZERO);
        // Bodies that have been looked at are marked with 0.
        parts.clear();
        parts.resize(model.bodies.len(), 1.0);
        for piece in fast.iter().flat_map(|&(a, b)| [a, b]) {
            let body = model.pieces[piece as usize].body;
            if std::mem::replace(&mut parts[body as usize], 0.0) > 0.0 {
                self.write(body, model, state);
                self.look_ahead(body, model, &state.position, &mut ahead);
            }
        }
        collision.free_parts(model, [&state.position, &ahead], &fast, &mut parts);
        for (body, &part) in parts.iter().enumerate().filter(|(_, part)| **part < 1.0) {
            if self.block[body] && model.bodies[body].is_dynamic() {
                let travel = &mut self.travels[self.first[body] as usize];
                travel.linear *= part;
                travel.angular *= part;
            }
        }
        (self.parts, self.fast, self.ahead) = (parts, fast, ahead);
    }

    /// Where the points of a body will be at the end of this sub-step.
    fn look_ahead(&self, body: u32, model: &Model, positions: &[Vec2], ahead: &mut [Vec2]) {
        let points = model.bodies[body as usize].point_range();
        if self.block[body as usize] {
            let node = self.first[body as usize];
            let (node, travel) = (&self[node], self.travel(node));
            let (center, rot) =
                (node.center + travel.linear, node.rot.advanced(travel.angular, 1.0));
            for point in points {
                ahead[point] = center + rot.apply(model.rest[point]);
            }
        } else {
            for point in points {
                ahead[point] =
                    positions[point] + self.travel(self.of_point(model, point as u32)).linear;
            }
        }
    }
}
