//! How far two blocks are from each other, and how far and how fast they go apart: bounds that take a look at two
//! nodes, where a look at the points of their bodies would take many times as long.

use super::{Node, Nodes, Twist};
use crate::math::{Mapped, Rot, Vec2};

/// How two blocks stand to each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stand {
    between: Vec2,
    rots: [Rot; 2],
}

impl Nodes {
    /// How two blocks stand to each other.
    #[inline]
    pub(crate) fn stand(&self, pair: [u32; 2]) -> Stand {
        let [a, b] = pair.mapped(|node| &self[node]);
        Stand { between: a.center - b.center, rots: [a.rot, b.rot] }
    }

    /// An upper bound of how far any two points of two blocks have gone apart since they stood so, m.
    #[inline]
    pub(crate) fn moved_since(&self, pair: [u32; 2], since: &Stand) -> f32 {
        let [a, b] = pair.mapped(|node| &self[node]);
        let turned = |node: &Node, since: Rot| {
            node.reach * Vec2::new(node.rot.c, node.rot.s).distance(Vec2::new(since.c, since.s))
        };
        let moved = (a.center - b.center).distance(since.between);
        moved + turned(a, since.rots[0]) + turned(b, since.rots[1])
    }

    /// How far the points of two nodes are from their centres at most, m.
    pub(crate) fn reaches(&self, pair: [u32; 2]) -> [f32; 2] {
        pair.mapped(|node| self[node].reach)
    }

    /// How far pieces of two blocks, with these radii, are from each other at least, m, if circles around the blocks show
    /// that they stay farther apart than `margin` while each point goes straight on for `seconds`.
    #[inline]
    pub(crate) fn gap_while_moving(
        &self,
        pair: [u32; 2],
        radii: [f32; 2],
        margin: f32,
        seconds: f32,
    ) -> Option<f32> {
        let [a, b] = pair.mapped(|node| self.speed(node).linear);
        // Points that go straight on leave their circle as their block turns.
        let turning = self.most_by_turning(pair, &self.speeds);
        self.gap_on_way(pair, radii, seconds * (a - b), margin + seconds * turning)
    }

    /// The same while the centre of the first goes this way, m, against that of the second, and points stay in their circles.
    #[inline]
    pub(super) fn gap_on_way(
        &self,
        pair: [u32; 2],
        radii: [f32; 2],
        way: Vec2,
        margin: f32,
    ) -> Option<f32> {
        let [a, b] = pair.mapped(|node| &self[node]);
        let reach = a.reach + b.reach + radii[0] + radii[1];
        let between = a.center - b.center;
        let square = between.length_squared();
        let wide = (reach + margin) * (reach + margin);
        if square <= wide {
            return None;
        }
        let nearest = -between.dot(way) / way.length_squared().max(f32::MIN_POSITIVE);
        let least = (between + nearest.clamp(0.0, 1.0) * way).length_squared();
        (least > wide).then(|| square.sqrt() - reach)
    }

    /// An upper bound of how fast any two points of two blocks go apart, m/s.
    #[inline]
    pub(crate) fn most_speed(&self, pair: [u32; 2]) -> f32 {
        self.most_apart(pair, &self.speeds)
    }

    /// An upper bound of how far any two points of two nodes go apart, or how fast, by these motions.
    #[inline]
    pub(super) fn most_apart(&self, pair: [u32; 2], motions: &[Twist]) -> f32 {
        let [a, b] = pair.mapped(|node| motions[node as usize].linear);
        a.distance(b) + self.most_by_turning(pair, motions)
    }

    /// The part of that which is due to turning.
    #[inline]
    fn most_by_turning(&self, pair: [u32; 2], motions: &[Twist]) -> f32 {
        let [a, b] = pair.mapped(|node| motions[node as usize].angular.abs());
        let [reach_a, reach_b] = self.reaches(pair);
        a * reach_a + b * reach_b
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::threads::Threads;
    use crate::world::World;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_circles_keep_apart_does_not_meet_on_its_way(
            at in (-3.0_f32..3.0, -3.0_f32..3.0),
            ways in ((-9.0_f32..9.0, -9.0_f32..9.0), (-9.0_f32..9.0, -9.0_f32..9.0)),
            spins in (-9.0_f32..9.0, -9.0_f32..9.0),
        ) {
            const SECONDS: f32 = 0.25;
            const MARGIN: f32 = 0.02;
            let bar = |id: &str, at, velocity: (f32, f32), spin| {
                let shape = Shape::Box { size: Vec2::new(1.0, 0.2) };
                BodyDef { velocity: velocity.into(), spin, ..BodyDef::new(id, shape, at) }
            };
            let bodies = vec![
                bar("one", Vec2::ZERO, ways.0, spins.0),
                bar("other", at.into(), ways.1, spins.1),
            ];
            let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
            let World { model, state, .. } = &world;
            let mut nodes = Nodes::default();
            nodes.attach(model);
            nodes.gather(model, state, 1.0, SECONDS, &Threads::default());
            let pair = nodes.blocks(model, (0, 1)).unwrap();
            let shown = nodes.gap_while_moving(pair, [0.0; 2], MARGIN, SECONDS);
            let apart_at = |part: f32| {
                let mut there = world.clone();
                for (at, way) in there.state.position.iter_mut().zip(&state.velocity) {
                    *at += part * SECONDS * *way;
                }
                let corners_from = |piece: usize, other: usize| {
                    let corner = |&point: &u32| there.state.position[point as usize];
                    let corners = model.outline(&model.pieces[piece]).iter().map(corner);
                    let far = |at| there.distance_to_piece(&model.pieces[other], at);
                    corners.map(far).fold(f32::INFINITY, f32::min)
                };
                corners_from(0, 1).min(corners_from(1, 0))
            };
            if let Some(gap) = shown {
                prop_assert!(apart_at(0.0) > gap - 1e-4);
                prop_assert!((0..=100).all(|step| apart_at(step as f32 / 100.0) > MARGIN - 1e-4));
            } else {
                // Where even the middles stay farther apart than that, circles show it.
                let [a, b] = pair.mapped(|node| nodes[node].center);
                let [slow, fast] = pair.mapped(|node| nodes.speed(node).linear.length());
                let turning = 0.6 * (spins.0.abs() + spins.1.abs());
                prop_assert!(a.distance(b) < 1.1 + SECONDS * (slow + fast + turning));
            }
        }
    }
}
