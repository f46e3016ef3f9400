//! Looking ahead at the end of a sub-step: who would go through another is held back.

use std::ops::Range;

use super::{Circles, Nodes, PART, Twist};
use crate::collision::Collision;
use crate::math::{Mapped, Vec2};
use crate::solver::StepCx;
use crate::threads::{Stretches, Threads};
use crate::world::{Body, Model};

/// Some bodies, their marks and their numbers; and where their points will be.
type Ahead<'a> = Stretches<'a, ((&'a [Body], &'a [f32]), Range<usize>), Vec2>;

impl Nodes {
    /// Holds bodies back where they would go through each other, keeping their velocity. `circles` tells those of each pair of
    /// pieces that may touch, by its place in the list, if both bodies are blocks.
    pub(crate) fn hold_back(
        &mut self,
        cx: &mut StepCx<'_>,
        circles: impl Fn(usize) -> Option<Circles> + Sync,
    ) {
        let StepCx { collision, model, state, threads, .. } = cx;
        let farthest = self.limit_turns(threads);
        if Collision::is_surely_slow(2.0 * farthest) {
            return;
        }
        let (mut fast, mut swift) =
            (std::mem::take(&mut self.fast), std::mem::take(&mut self.swift));
        if !self.find_swift(collision, model, &state.position, threads, &mut swift) {
            (self.fast, self.swift) = (fast, swift);
            return;
        }
        let most = |place: usize, pieces: (u32, u32)| {
            if !swift[pieces.0 as usize] && !swift[pieces.1 as usize] {
                return Some(0.0);
            }
            let pair = circles(place)?;
            let most = self.most_apart(pair.nodes, &self.travels);
            let [a, b] = pair.nodes.mapped(|node| self.travel(node).linear);
            let meet = || self.gap_on_way(pair, a - b, 0.0).is_none();
            Some(if Collision::is_surely_slow(most) || meet() { most } else { 0.0 })
        };
        collision.pairs_too_fast(model, &state.position, most, &mut fast);
        self.swift = swift;
        if fast.is_empty() {
            self.fast = fast;
            return;
        }
        let (mut parts, mut ahead) =
            (std::mem::take(&mut self.parts), std::mem::take(&mut self.ahead));
        ahead.resize(state.position.len(), Vec2::ZERO);
        // Bodies that are looked at are marked with 0.
        parts.clear();
        parts.resize(model.bodies.len(), 1.0);
        for piece in fast.iter().flat_map(|&(a, b)| [a, b]) {
            parts[model.pieces[piece as usize].body as usize] = 0.0;
        }
        self.write_those(model, state, threads, |body, _| parts[body] == 0.0);
        self.look_ahead(model, &state.position, &parts, &mut ahead, threads);
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

    /// Finds out which pieces go so far in this sub-step that they may go through others, and whether any does. Two that
    /// do not go so far do not go through each other.
    fn find_swift(
        &self,
        collision: &Collision,
        model: &Model,
        positions: &[Vec2],
        threads: &Threads,
        swift: &mut Vec<bool>,
    ) -> bool {
        let is_swift = |index: usize| {
            let Some(node) = self.block(model.pieces[index].body) else { return true };
            let Twist { linear, angular, .. } = *self.travel(node);
            let far = linear.length() + angular.abs() * self[node].reach;
            far > collision.surely_safe(model, positions, index as u32)
        };
        threads.mark(swift, model.pieces.len(), PART, is_swift)
    }

    /// Finds where the points of those bodies will be at the end of this sub-step that are marked with 0.
    fn look_ahead(
        &self,
        model: &Model,
        positions: &[Vec2],
        marks: &[f32],
        ahead: &mut [Vec2],
        threads: &Threads,
    ) {
        let look = |Stretches { owners, values, first }: Ahead<'_>| {
            let ((bodies, marks), numbers) = owners;
            let marked =
                bodies.iter().zip(marks).zip(numbers).filter(|((_, mark), _)| **mark == 0.0);
            for ((body, _), number) in marked {
                let points = body.point_range();
                let own = &mut values[points.start - first..points.end - first];
                if self.block[number] {
                    let node = self.first[number];
                    let (node, travel) = (&self[node], self.travel(node));
                    let (center, rot) =
                        (node.center + travel.linear, node.rot.advanced(travel.angular, 1.0));
                    for (place, rest) in own.iter_mut().zip(&model.rest[points]) {
                        *place = center + rot.apply(*rest);
                    }
                } else {
                    for (place, point) in own.iter_mut().zip(points) {
                        let travel = self.travel(self.of_point(model, point as u32));
                        *place = positions[point] + travel.linear;
                    }
                }
            }
        };
        let owners = ((&model.bodies[..], marks), 0..model.bodies.len());
        threads.each(Stretches::new(owners, ahead), PART, look);
    }
}
