//! What becomes of the numbers of bodies, points and pieces when some come and others go.
//!
//! Whoever remembers something of a point or a piece by its number asks here what the number is now.
//! Bodies are recognised by their handles; one that has another number of points or pieces than it
//! had is another body.

use std::ops::Range;

use crate::world::Model;

/// Stands for what is no longer there.
const GONE: u32 = u32::MAX;

/// The numbers of a model, to compare with later.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    bodies: Vec<Numbers>,
    joints: Vec<u32>,
}

/// The numbers of a body.
#[derive(Clone, Debug, PartialEq)]
struct Numbers {
    serial: u32,
    points: Range<u32>,
    pieces: Range<u32>,
    /// How many edges, bends and areas it has that count one by one: none if it is rigid.
    parts: u32,
}

/// Where the bodies, points and pieces of a model are in another: see
/// [`Solver::renumber`](crate::Solver::renumber).
#[derive(Clone, Debug, Default)]
pub struct Renumbering {
    bodies: Vec<u32>,
    points: Vec<u32>,
    pieces: Vec<u32>,
    same_constraints: bool,
}

impl Numbering {
    /// The numbers of a model.
    pub(crate) fn of(model: &Model) -> Self {
        let bodies = model.bodies.iter().map(|body| Numbers {
            serial: body.serial,
            points: body.points.clone(),
            pieces: body.pieces.clone(),
            parts: if body.soft {
                body.edges.len() as u32 + body.bends.len() as u32 + body.areas.len() as u32
            } else {
                0
            },
        });
        let joints = model.joints.iter().map(|joint| joint.serial);
        Self { bodies: bodies.collect(), joints: joints.collect() }
    }

    /// Where what had these numbers is in `now`.
    pub(crate) fn to(&self, now: &Self) -> Renumbering {
        let end = |range: fn(&Numbers) -> &Range<u32>| {
            self.bodies.last().map_or(0, |body| range(body).end as usize)
        };
        let mut renumbering = Renumbering {
            bodies: vec![GONE; self.bodies.len()],
            points: vec![GONE; end(|body| &body.points)],
            pieces: vec![GONE; end(|body| &body.pieces)],
            same_constraints: self.joints == now.joints && self.soft().eq(now.soft()),
        };
        // Serial numbers ascend in both.
        let mut later = now.bodies.iter().enumerate().peekable();
        for (index, old) in self.bodies.iter().enumerate() {
            while later.next_if(|(_, new)| new.serial < old.serial).is_some() {}
            let same = |new: &Numbers| {
                new.serial == old.serial
                    && new.points.len() == old.points.len()
                    && new.pieces.len() == old.pieces.len()
            };
            let Some((number, new)) = later.next_if(|(_, new)| same(new)) else { continue };
            renumbering.bodies[index] = number as u32;
            let Renumbering { points, pieces, .. } = &mut renumbering;
            for (list, from, to) in
                [(points, &old.points, &new.points), (pieces, &old.pieces, &new.pieces)]
            {
                for (place, number) in
                    list[from.start as usize..from.end as usize].iter_mut().zip(to.start..to.end)
                {
                    *place = number;
                }
            }
        }
        renumbering
    }

    /// Soft bodies: which, and how many constraints each is.
    fn soft(&self) -> impl Iterator<Item = (u32, u32)> {
        self.bodies.iter().filter(|body| body.parts > 0).map(|body| (body.serial, body.parts))
    }
}

impl Renumbering {
    /// That of a model in which all has the numbers that it had.
    pub(crate) fn none(model: &Model) -> Self {
        let numbers = Numbering::of(model);
        numbers.to(&numbers)
    }

    /// The number that a body has now, if it is still there.
    #[must_use]
    pub fn body(&self, old: u32) -> Option<u32> {
        found(&self.bodies, old)
    }

    /// The number that a point has now, if it is still there.
    #[must_use]
    pub fn point(&self, old: u32) -> Option<u32> {
        found(&self.points, old)
    }

    /// The number that a piece has now, if it is still there.
    #[must_use]
    pub fn piece(&self, old: u32) -> Option<u32> {
        found(&self.pieces, old)
    }

    /// The same after an edit: what is not another body may still have become heavier, or be pinned.
    pub(crate) fn after_edit(self) -> Self {
        Self { same_constraints: false, ..self }
    }

    /// Whether the joints, and what holds soft bodies together, are the same as before and in the same
    /// order.
    #[must_use]
    pub fn same_constraints(&self) -> bool {
        self.same_constraints
    }
}

fn found(list: &[u32], old: u32) -> Option<u32> {
    list.get(old as usize).copied().filter(|&number| number != GONE)
}

#[cfg(test)]
mod tests {
    use crate::math::Vec2;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::{Numbering, World};

    #[test]
    fn what_stays_is_found_where_it_is_now() {
        let mut scene = Scene::default();
        for name in ["a", "b", "c"] {
            scene.bodies.push(BodyDef::new(name, Shape::Box { size: Vec2::ONE }, Vec2::ZERO));
        }
        let mut world = World::build(&scene).unwrap();
        let before = Numbering::of(&world.model);
        let old = world.model.bodies.clone();
        world.remove(world.body("b").unwrap()).unwrap();
        let ball = BodyDef::new("d", Shape::Disc { radius: 0.1 }, Vec2::ZERO);
        world.add_body(&ball).unwrap();
        let renumbering = before.to(&Numbering::of(&world.model));
        assert_eq!([0, 1, 2, 3].map(|body| renumbering.body(body)), [Some(0), None, Some(1), None]);
        let now = &world.model.bodies[1];
        assert_eq!(renumbering.point(old[2].points.start + 1), Some(now.points.start + 1));
        assert_eq!(renumbering.piece(old[2].pieces.start), Some(now.pieces.start));
        assert_eq!(renumbering.point(old[1].points.start), None);
        assert!(renumbering.same_constraints());
    }
}
