//! The overlapping pairs of a world, by sweeping over sorted boxes.
//!
//! Boxes around all pieces are sorted along the axis on which they are spread out more; each is
//! then compared with those that begin before it ends (Ericson, “Real-Time Collision Detection”,
//! §7.5). The order is kept from step to step, where it hardly changes, so the sort is nearly free.

use glam::DVec2;

use super::overlap;
use crate::world::{Model, World};

/// Finds overlapping pairs. Keeps its buffers, not its findings.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sweep {
    boxes: Vec<Bounds>,
    vertices: Vec<DVec2>,
}

#[derive(Clone, Copy, Debug)]
struct Bounds {
    min: DVec2,
    max: DVec2,
    piece: u32,
}

impl Sweep {
    /// Calls `found` with the depth, m, of each pair of pieces that overlaps though it may collide.
    pub(crate) fn overlaps(&mut self, world: &World, mut found: impl FnMut(f64)) {
        let model = &world.model;
        self.place(world);
        let axis = self.wide_axis();
        self.boxes.sort_by(|a, b| a.min[axis].total_cmp(&b.min[axis]).then(a.piece.cmp(&b.piece)));
        for (i, a) in self.boxes.iter().enumerate() {
            for b in self.boxes[i + 1..].iter().take_while(|b| b.min[axis] <= a.max[axis]) {
                let across = 1 - axis;
                if a.min[across] > b.max[across] || b.min[across] > a.max[across] {
                    continue;
                }
                if !model.pieces_may_collide(a.piece, b.piece) {
                    continue;
                }
                let depth = self.depth(model, a.piece, b.piece);
                if depth > 0.0 {
                    found(depth);
                }
            }
        }
    }

    /// Brings boxes and vertices up to date, keeping the order of the boxes.
    fn place(&mut self, world: &World) {
        let model = &world.model;
        self.vertices.clear();
        let position = |&point: &u32| world.state.position[point as usize].as_dvec2();
        self.vertices.extend(model.piece_points.iter().map(position));
        if self.boxes.len() != model.pieces.len() {
            let count = model.pieces.len() as u32;
            let nowhere = |piece| Bounds { min: DVec2::ZERO, max: DVec2::ZERO, piece };
            self.boxes = (0..count).map(nowhere).collect();
        }
        for bounds in &mut self.boxes {
            let radius = DVec2::splat(f64::from(model.pieces[bounds.piece as usize].radius));
            let outline = outline(&self.vertices, model, bounds.piece);
            bounds.min = outline.iter().fold(DVec2::INFINITY, |min, &v| min.min(v)) - radius;
            bounds.max = outline.iter().fold(DVec2::NEG_INFINITY, |max, &v| max.max(v)) + radius;
        }
    }

    /// The axis (0 or 1) along which the middles of the boxes vary more.
    fn wide_axis(&self) -> usize {
        let count = self.boxes.len().max(1) as f64;
        let middle = |bounds: &Bounds| 0.5 * (bounds.min + bounds.max);
        let mean = self.boxes.iter().map(middle).sum::<DVec2>() / count;
        let spread: DVec2 = self.boxes.iter().map(|b| (middle(b) - mean).powf(2.0)).sum();
        usize::from(spread.y > spread.x)
    }

    fn depth(&self, model: &Model, a: u32, b: u32) -> f64 {
        let radius = |piece: u32| f64::from(model.pieces[piece as usize].radius);
        let outline = |piece| outline(&self.vertices, model, piece);
        overlap::depth(outline(a), radius(a), outline(b), radius(b))
    }
}

fn outline<'a>(vertices: &'a [DVec2], model: &Model, piece: u32) -> &'a [DVec2] {
    let piece = &model.pieces[piece as usize];
    &vertices[piece.first as usize..(piece.first + piece.count) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{BodyDef, JointDef, Scene, Shape};
    use approx::assert_relative_eq;

    fn depths(scene: &Scene) -> Vec<f64> {
        let world = World::build(scene).unwrap();
        let mut depths = Vec::new();
        Sweep::default().overlaps(&world, |depth| depths.push(depth));
        depths.sort_by(f64::total_cmp);
        depths
    }

    fn crates(places: &[(f32, f32)]) -> Scene {
        let size = Vec2::ONE;
        let bodies = places.iter().enumerate().map(|(i, &place)| {
            BodyDef::new(format!("crate {i}"), Shape::Box { size }, Vec2::from(place))
        });
        Scene { bodies: bodies.collect(), ..Scene::default() }
    }

    #[test]
    fn every_overlapping_pair_once_whatever_the_axis() {
        for turned in [false, true] {
            let turn = |(x, y)| if turned { (y, x) } else { (x, y) };
            let scene =
                crates(&[(0.0, 0.0), (0.95, 0.2), (1.85, 0.0), (5.0, 0.0), (5.0, 3.0)].map(turn));
            let found = depths(&scene);
            assert_eq!(found.len(), 2);
            assert_relative_eq!(found[0], 0.05, epsilon = 1e-6);
            assert_relative_eq!(found[1], 0.1, epsilon = 1e-6);
        }
    }

    #[test]
    fn pairs_that_may_not_collide_are_left_out() {
        let mut scene = crates(&[(0.0, 0.0), (0.5, 0.0)]);
        assert_eq!(depths(&scene).len(), 1);
        let mut joined = scene.clone();
        joined.joints.push(JointDef::pin("pin", "crate 0", Some("crate 1"), Vec2::ZERO));
        assert_eq!(depths(&joined).len(), 0);
        let mut ghost = scene.clone();
        ghost.bodies[0].filter.mask = 0;
        assert_eq!(depths(&ghost).len(), 0);
        scene.bodies = scene.bodies.into_iter().map(BodyDef::fixed).collect();
        assert_eq!(depths(&scene).len(), 0);
    }

    #[test]
    fn an_empty_world_has_no_pairs() {
        assert_eq!(depths(&Scene::default()).len(), 0);
    }
}
