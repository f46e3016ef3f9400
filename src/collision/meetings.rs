//! Which pieces can meet anything at all: those of bodies whose filters let them, with an edge on the surface. A piece
//! that lies wholly inside its body, as two thirds of those of a jelly do, never touches anything; it needs no broad phase.
//! And, with all that this asks for close together, which of them can meet each other.

use crate::math::Mapped;
use crate::scene::Filter;
use crate::world::{Body, Model};

/// The pieces of a model that can meet another, in order.
#[derive(Clone, Debug, Default)]
pub(super) struct Meetings {
    pieces: Vec<u32>,
    /// For each of them, a number that it shares with what it surely does not meet: the other pieces of its
    /// body, unless that collides with itself.
    groups: Vec<u32>,
    marks: Vec<Mark>,
    /// For each body, where those begin which it never meets, as far as they come after it.
    firsts: Vec<u32>,
    apart: Vec<u32>,
    /// All filters there are, in order.
    crowds: Vec<Crowd>,
}

/// What a piece meets by.
#[derive(Clone, Copy, Debug)]
struct Mark {
    body: u32,
    /// The place of its crowd, twice, and one more if it is dynamic.
    kind: u32,
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
        self.note_apart(model);
        self.pieces.clear();
        self.groups.clear();
        self.marks.clear();
        let most = model.pieces.len();
        self.pieces.reserve_exact(most);
        self.groups.reserve_exact(most);
        self.marks.reserve_exact(most);
        for (number, body) in (0..).zip(&model.bodies) {
            let crowd = self.crowds.binary_search_by_key(&key(body), |crowd| crowd.filter);
            let meets = crowd.is_ok_and(|at| self.crowds[at].meets[usize::from(body.is_dynamic())]);
            if !meets && !body.self_collision {
                continue;
            }
            let alone = model.bodies.len() as u32;
            let group = |piece| if body.self_collision { alone + piece } else { number };
            let kind = 2 * crowd.unwrap_or_default() as u32 + u32::from(body.is_dynamic());
            let outer = body.pieces.clone().filter(|&piece| !model.lies_inside(piece));
            for piece in outer {
                self.pieces.push(piece);
                self.groups.push(group(piece));
                self.marks.push(Mark { body: number, kind });
            }
        }
    }

    /// Notes which bodies never meet, by the lower of each two.
    fn note_apart(&mut self, model: &Model) {
        self.firsts.clear();
        self.apart.clear();
        if model.apart.is_empty() {
            return;
        }
        self.firsts.resize(model.bodies.len() + 1, 0);
        model.apart.iter().for_each(|&(lower, _)| self.firsts[lower as usize + 1] += 1);
        for body in 0..model.bodies.len() {
            self.firsts[body + 1] += self.firsts[body];
        }
        self.apart.extend(model.apart.iter().map(|&(_, higher)| higher));
    }

    /// What [`Model::pieces_may_collide`] says of two pieces, by their places among those that can meet another.
    #[inline]
    pub(super) fn may_meet(&self, model: &Model, [a, b]: [u32; 2]) -> bool {
        let [of_a, of_b] = [a, b].mapped(|place| &self.marks[place as usize]);
        if of_a.body == of_b.body {
            return model.pieces_may_collide(self.pieces[a as usize], self.pieces[b as usize]);
        }
        let filter = |mark: &Mark| as_filter(self.crowds[(mark.kind / 2) as usize].filter);
        (of_a.kind | of_b.kind) % 2 == 1
            && filter(of_a).collides(filter(of_b))
            && !self.are_apart(of_a.body.min(of_b.body), of_a.body.max(of_b.body))
    }

    /// Whether two bodies never meet.
    fn are_apart(&self, lower: u32, higher: u32) -> bool {
        let first = |body: u32| self.firsts.get(body as usize).map_or(0, |&first| first as usize);
        self.apart[first(lower)..first(lower + 1)].contains(&higher)
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
    use crate::scene::soft::Jelly;
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
            filters in prop::collection::vec((1..8_u32, 0..8_u32, -2..3_i32, any::<bool>()), 1..12),
            apart in prop::collection::btree_set((0..12_u32, 0..12_u32), 0..12),
        ) {
            let mut model = model(&filters);
            let count = model.pieces.len() as u32;
            let meets = |a: &u32| (0..count).any(|b| model.pieces_may_collide(*a, b));
            let expected: Vec<u32> = (0..count).filter(meets).collect();
            let mut meetings = Meetings::default();
            meetings.note(&model);
            prop_assert_eq!(meetings.pieces(), &expected[..]);
            let apart = apart.into_iter().filter(|(a, b)| a < b && *b < count);
            Arc::make_mut(&mut model).apart = apart.collect();
            meetings.note(&model);
            for (a, of_a) in (0..).zip(&expected) {
                for (b, of_b) in (0..).zip(&expected) {
                    let may = model.pieces_may_collide(*of_a, *of_b);
                    prop_assert_eq!(meetings.may_meet(&model, [a, b]), may);
                }
            }
        }
    }

    #[test]
    fn pieces_inside_a_body_meet_nothing() {
        let mesh = Jelly::rectangle(Vec2::ONE).mesh().unwrap();
        let jelly = |k: usize| {
            let at = Vec2::new(1.5 * k as f32, 0.0);
            BodyDef::new(format!("jelly{k}"), Shape::Mesh(mesh.clone()), at)
        };
        let scene = Scene { bodies: vec![jelly(0), jelly(1)], ..Scene::default() };
        let model = World::build(&scene).unwrap().model;
        let mut meetings = Meetings::default();
        meetings.note(&model);
        let is_inside = |piece: &u32| {
            let piece = &model.pieces[*piece as usize];
            model.rim(piece).iter().all(|rim| rim.interior)
        };
        let (inside, outside): (Vec<u32>, Vec<u32>) =
            (0..model.pieces.len() as u32).partition(is_inside);
        assert!(inside.len() > outside.len());
        assert_eq!(meetings.pieces(), outside);
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
