//! Which pieces can meet anything at all, by the filters of their bodies: the others need no broad phase.

use crate::scene::Filter;
use crate::world::{Body, Model};

/// The pieces of a model that can meet another, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    pieces: Vec<u32>,
    /// For each of them, a number that it shares with what it surely does not meet: the other pieces of its
    /// body, unless that collides with itself.
    groups: Vec<u32>,
    /// All filters there are, in order.
    crowds: Vec<Crowd>,
}

/// The bodies of one filter.
#[derive(Clone, Copy, Debug)]
struct Crowd {
    filter: (u32, u32, i32),
    all: u32,
    dynamic: u32,
    /// Whether those of them that are not dynamic, and those that are, meet any other body.
    meets: [bool; 2],
}

impl Meetings {
    /// Finds the pieces of a model that can meet another.
    pub(super) fn note(&mut self, model: &Model) {
        self.count(model);
        self.answer();
        self.pieces.clear();
        self.groups.clear();
        for (number, body) in (0..).zip(&model.bodies) {
            let crowd = self.crowds.binary_search_by_key(&key(body), |crowd| crowd.filter);
            let meets = crowd.is_ok_and(|at| self.crowds[at].meets[usize::from(body.is_dynamic())]);
            if !meets && !body.self_collision {
                continue;
            }
            let alone = model.bodies.len() as u32;
            let group = |piece| if body.self_collision { alone + piece } else { number };
            self.pieces.extend(body.pieces.clone());
            self.groups.extend(body.pieces.clone().map(group));
        }
    }

    /// Counts the bodies of each filter.
    fn count(&mut self, model: &Model) {
        self.crowds.clear();
        for body in &model.bodies {
            let filter = key(body);
            let found = self.crowds.binary_search_by_key(&filter, |crowd| crowd.filter);
            let at = found.unwrap_or_else(|at| {
                let crowd = Crowd { filter, all: 0, dynamic: 0, meets: [false; 2] };
                self.crowds.insert(at, crowd);
                at
            });
            self.crowds[at].all += 1;
            self.crowds[at].dynamic += u32::from(body.is_dynamic());
        }
    }

    /// Finds out who meets any other: bodies of one filter that are dynamic alike have one answer.
    fn answer(&mut self) {
        for at in 0..self.crowds.len() {
            let crowd = self.crowds[at];
            let meets = |dynamic: bool| {
                self.crowds.iter().any(|other| {
                    let itself = u32::from(other.filter == crowd.filter);
                    let others = if dynamic { other.all - itself } else { other.dynamic };
                    others > 0 && as_filter(crowd.filter).collides(as_filter(other.filter))
                })
            };
            self.crowds[at].meets = [meets(false), meets(true)];
        }
    }

    /// The pieces.
    pub(super) fn pieces(&self) -> &[u32] {
        &self.pieces
    }

    /// Their groups.
    pub(super) fn groups(&self) -> &[u32] {
        &self.groups
    }
}

/// A filter as something that has an order.
fn key(body: &Body) -> (u32, u32, i32) {
    let Filter { category, mask, group } = body.filter;
    (category, mask, group)
}

fn as_filter((category, mask, group): (u32, u32, i32)) -> Filter {
    Filter { category, mask, group }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;
    use proptest::prelude::*;

    fn model(filters: &[(u32, u32, i32, bool)]) -> Arc<Model> {
        let body = |(k, &(category, mask, group, fixed)): (usize, &(u32, u32, i32, bool))| {
            let at = Vec2::new(3.0 * k as f32, 0.0);
            let body = BodyDef::new(format!("disc{k}"), Shape::Disc { radius: 1.0 }, at);
            let body = BodyDef { filter: Filter { category, mask, group }, ..body };
            if fixed { body.fixed() } else { body }
        };
        let bodies = filters.iter().enumerate().map(body).collect();
        World::build(&Scene { bodies, ..Scene::default() }).unwrap().model
    }

    proptest! {
        #[test]
        fn what_may_collide_with_something_is_there_and_nothing_else(
            filters in prop::collection::vec((1..8_u32, 0..8_u32, -2..3_i32, any::<bool>()), 1..12)
        ) {
            let model = model(&filters);
            let count = model.pieces.len() as u32;
            let meets = |a: &u32| (0..count).any(|b| model.pieces_may_collide(*a, b));
            let expected: Vec<u32> = (0..count).filter(meets).collect();
            let mut meetings = Meetings::default();
            meetings.note(&model);
            prop_assert_eq!(meetings.pieces(), &expected[..]);
        }
    }

    #[test]
    fn a_crowd_of_one_filter_meets_itself_and_a_single_one_does_not() {
        let mut meetings = Meetings::default();
        meetings.note(&model(&[(2, 2, 0, false), (1, 1, 0, false)]));
        assert!(meetings.pieces().is_empty());
        meetings.note(&model(&[(2, 2, 0, false), (2, 2, 0, false)]));
        assert_eq!(meetings.pieces(), [0, 1]);
        assert_ne!(meetings.groups()[0], meetings.groups()[1]);
    }
}
