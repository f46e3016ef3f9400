//! Which of the areas that must not turn inside out are to be looked at: mostly none, so that they are passed by
//! eight at a time, and where nothing collides those that are far from it are looked at once a step.

use fearless_simd::{Level, Simd, dispatch, f32x8};

use crate::math::Vec2;
use crate::solver::plane::Numbers;
use crate::solver::soft;
use crate::solver::verlet::batch::{Batch, Ends};
use crate::solver::verlet::eight::{LANES, Lanes};
use crate::world::Model;

/// Guarded triangles and quadrilaterals.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// Their numbers among all areas.
    areas: Vec<u32>,
    eights: Vec<Eight>,
    /// Which eights are to be looked at in this step.
    near: Vec<u32>,
    /// Whether areas were found in the last step.
    found: bool,
}

/// Up to eight of them. Twice the area is the cross product of two vectors.
#[derive(Clone, Debug)]
struct Eight {
    members: Batch,
    vectors: [Ends; 2],
    /// Twice the area below which a guard is at work.
    least: Lanes,
    /// Twice the area at the beginning of the last step.
    last: Lanes,
}

impl Guards {
    /// Takes over those areas of a list that can be passed by; the others stay.
    pub(super) fn take_from(&mut self, list: &mut Vec<u32>, model: &Model) {
        self.areas.clear();
        self.found = false;
        let (mut ends, mut least) = ([Vec::new(), Vec::new()], Vec::new());
        list.retain(|&index| {
            let area = &model.areas[index as usize];
            let vectors = match *model.area_outline(area) {
                [a, b, c] => [[a, b], [a, c]],
                [a, b, c, d] => [[a, c], [b, d]],
                _ => return true,
            };
            let Some(watched) = soft::watched(area) else { return true };
            self.areas.push(index);
            least.push(2.0 * watched);
            for (ends, vector) in ends.iter_mut().zip(vectors) {
                ends.push(vector);
            }
            false
        });
        self.eights.clear();
        for first in (0..self.areas.len()).step_by(LANES) {
            let members = Batch::of_some(first..self.areas.len().min(first + LANES));
            let vectors = [members.ends(&ends[0]), members.ends(&ends[1])];
            let least = members.lanes(|place| least[place]);
            self.eights.push(Eight { members, vectors, least, last: Lanes::default() });
        }
    }

    /// Tells which may be at work within a step: all if bodies may collide, as what is hit may be pressed flat at
    /// once; else those that have not much more now, or at its end if they go on as in the last step, than would
    /// call for it.
    pub(super) fn foresee(&mut self, positions: &[Vec2], may_collide: bool) {
        self.near.clear();
        if may_collide {
            self.near.extend(0..self.eights.len() as u32);
        } else {
            dispatch!(Level::new(), simd => self.pass_by(simd, positions));
        }
        self.found = !may_collide;
    }

    /// Lists those that have not much more, now or at the end of the step.
    #[inline(always)]
    fn pass_by<S: Simd>(&mut self, simd: S, positions: &[Vec2]) {
        /// So many times as much is more.
        const FAR: f32 = 1.5;
        for (index, eight) in (0..).zip(&mut self.eights) {
            let (now, enough) = (eight.doubled(simd, positions), eight.least.read(simd) * FAR);
            let last = std::mem::replace(&mut eight.last, now.into()).read(simd);
            let then = now + (now - last);
            if !(self.found && now.all_above(enough) && then.all_above(enough)) {
                self.near.push(index);
            }
        }
    }

    /// Lists those that may be at work.
    pub(super) fn watch(&self, positions: &[Vec2], low: &mut Vec<u32>) {
        low.clear();
        dispatch!(Level::new(), simd => self.watch_on(simd, positions, low));
    }

    #[inline(always)]
    fn watch_on<S: Simd>(&self, simd: S, positions: &[Vec2], low: &mut Vec<u32>) {
        for eight in self.near.iter().map(|&index| &self.eights[index as usize]) {
            let Eight { members, least, .. } = eight;
            if !eight.doubled(simd, positions).all_above(least.read(simd)) {
                low.extend(members.members().iter().map(|&place| self.areas[place as usize]));
            }
        }
    }
}

impl Eight {
    /// Twice the area of each.
    #[inline(always)]
    fn doubled<S: Simd>(&self, simd: S, positions: &[Vec2]) -> f32x8<S> {
        let [u, v] = &self.vectors;
        let ([u_from, u_to], [v_from, v_to]) = (u.load(simd, positions), v.load(simd, positions));
        (u_to - u_from).cross(v_to - v_from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::soft::Cloth;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::{State, World};

    /// A cloth of which some cells have been folded over.
    #[test]
    fn no_area_at_work_is_passed_by() {
        let cloth = Cloth { size: Vec2::splat(2.0), cell: Some(0.1), ..Cloth::default() };
        let body = BodyDef::new("cloth", Shape::Mesh(cloth.mesh().unwrap()), Vec2::ZERO);
        let mut world = World::build(&Scene { bodies: vec![body], ..Scene::default() }).unwrap();
        let model = &world.model;
        let mut list: Vec<u32> = (0..model.areas.len() as u32).collect();
        let mut guards = Guards::default();
        guards.take_from(&mut list, model);
        assert!(list.is_empty() && !guards.areas.is_empty());
        let mut low = vec![7];
        let mut watch = |state: &State, may_collide| {
            guards.foresee(&state.position, may_collide);
            guards.watch(&state.position, &mut low);
            (guards.near.len(), low.clone())
        };
        let all = watch(&world.state, true).0;
        assert_eq!(watch(&world.state, false), (all, vec![]));
        assert_eq!(watch(&world.state, false), (0, vec![]));
        // What will fold over if it goes on like this is looked at in time.
        world.state.position[77] += Vec2::splat(0.0175);
        let (near, low) = watch(&world.state, false);
        assert!(0 < near && near < all && low.is_empty());
        for point in [3, 77, 200, 201] {
            world.state.position[point] += Vec2::new(0.09, -0.12);
        }
        let low = watch(&world.state, false).1;
        assert_eq!(low, watch(&world.state, true).1);
        let at_work = |index: &u32| {
            let area = &model.areas[*index as usize];
            soft::is_at_work(area, soft::area(model.area_outline(area), &world.state.position))
        };
        let wanted: Vec<u32> = (0..model.areas.len() as u32).filter(at_work).collect();
        assert!(!wanted.is_empty() && low.len() < model.areas.len() / 2);
        assert!(wanted.iter().all(|index| low.contains(index)));
    }
}
