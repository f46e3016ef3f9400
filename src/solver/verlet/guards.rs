//! Which of the areas that must not turn inside out are to be looked at: mostly none, so that they are passed by
//! eight at a time.

use crate::math::Vec2;
use crate::solver::soft;
use crate::solver::verlet::batch::{Batch, Ends, LANES, Lanes};
use crate::solver::verlet::plane::Numbers;
use crate::world::Model;

/// Guarded triangles and quadrilaterals.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// Their numbers among all areas.
    areas: Vec<u32>,
    eights: Vec<Eight>,
}

/// Up to eight of them. Twice the area is the cross product of two vectors.
#[derive(Clone, Debug)]
struct Eight {
    members: Batch,
    vectors: [Ends; 2],
    /// Twice the area below which a guard is at work.
    least: Lanes,
}

impl Guards {
    /// Takes over those areas of a list that can be passed by; the others stay.
    pub(super) fn take_from(&mut self, list: &mut Vec<u32>, model: &Model) {
        self.areas.clear();
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
            self.eights.push(Eight { members, vectors, least });
        }
    }

    /// Lists those that may be at work.
    pub(super) fn watch(&self, positions: &[Vec2], low: &mut Vec<u32>) {
        low.clear();
        for Eight { members, vectors, least } in &self.eights {
            let [u, v] = [0, 1].map(|k: usize| {
                let [from, to] = vectors[k].load(positions);
                to - from
            });
            if !u.cross(v).all_above(*least) {
                low.extend(members.members().iter().map(|&place| self.areas[place as usize]));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::soft::Cloth;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

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
        guards.watch(&world.state.position, &mut low);
        assert!(low.is_empty());
        for point in [3, 77, 200, 201] {
            world.state.position[point] += Vec2::new(0.09, -0.12);
        }
        guards.watch(&world.state.position, &mut low);
        let at_work = |index: &u32| {
            let area = &model.areas[*index as usize];
            soft::is_at_work(area, soft::area(model.area_outline(area), &world.state.position))
        };
        let wanted: Vec<u32> = (0..model.areas.len() as u32).filter(at_work).collect();
        assert!(!wanted.is_empty() && low.len() < model.areas.len() / 2);
        assert!(wanted.iter().all(|index| low.contains(index)));
    }
}
