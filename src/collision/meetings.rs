//! Which pieces can meet anything at all, by the filters of their bodies: the others need no broad phase.

use std::collections::BTreeMap;

use crate::scene::Filter;
use crate::world::{Body, Model};

/// The pieces of a model that can meet another, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    pieces: Vec<u32>,
    /// For each of them, a number that it shares with what it surely does not meet: the other pieces of its
    /// body, unless that collides with itself.
    groups: Vec<u32>,
}

/// How many bodies have a filter.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    all: u32,
    dynamic: u32,
}

impl Meetings {
    /// Finds the pieces of a model that can meet another.
    pub(super) fn note(&mut self, model: &Model) {
        let mut counts = BTreeMap::<_, Count>::new();
        for body in &model.bodies {
            let count = counts.entry(key(body)).or_default();
            count.all += 1;
            count.dynamic += u32::from(body.is_dynamic());
        }
        let others = |body: &Body, count: Count, same: bool| {
            if body.is_dynamic() { count.all - u32::from(same) } else { count.dynamic }
        };
        let meets_any = |body: &Body| {
            counts.iter().any(|(&(category, mask, group), &count)| {
                let same = (category, mask, group) == key(body);
                body.filter.collides(Filter { category, mask, group })
                    && others(body, count, same) > 0
            })
        };
        // Bodies of one filter that are dynamic alike have one answer.
        let mut answers = BTreeMap::new();
        self.pieces.clear();
        self.groups.clear();
        for (number, body) in (0..).zip(&model.bodies) {
            let meets =
                *answers.entry((key(body), body.is_dynamic())).or_insert_with(|| meets_any(body));
            if !meets && !body.self_collision {
                continue;
            }
            let alone = model.bodies.len() as u32;
            let group = |piece| if body.self_collision { alone + piece } else { number };
            self.pieces.extend(body.pieces.clone());
            self.groups.extend(body.pieces.clone().map(group));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;
    use proptest::prelude::*;

    fn model(filters: &[(u32, u32, i32, bool)]) -> Model {
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
