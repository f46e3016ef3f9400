//! How far two blocks are from each other, and how far and how fast they go apart: bounds that take a look at two
//! nodes, where a look at the points of their bodies would take many times as long.
//!
//! Blocks that turn as one, as in a drum, go far and stay as they are to each other. *To stray* is to go apart for one
//! that turns with them; how near two points are is the same for all.

use super::{Node, Nodes, Twist};
use crate::math::{Mapped, Rot, Vec2, cross_sv};
use crate::world::Model;

/// How two blocks stand to each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stand {
    between: Vec2,
    rots: [Rot; 2],
}

/// Circles around two blocks, about their centres, that hold all of the pieces of a pair.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Circles {
    pub(crate) nodes: [u32; 2],
    /// The sum of their radii, m.
    pub(crate) reach: f32,
}

impl Nodes {
    /// Circles around the bodies of two pieces, if both are single nodes.
    pub(crate) fn circles(&self, model: &Model, pieces: (u32, u32)) -> Option<Circles> {
        let nodes = self.blocks(model, pieces)?;
        let [a, b] = self.reaches(nodes);
        let radius = |piece: u32| model.pieces[piece as usize].radius;
        Some(Circles { nodes, reach: a + b + radius(pieces.0) + radius(pieces.1) })
    }

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
        let moved = (a.center - b.center).distance(since.between);
        moved + a.turned_since(since.rots[0]) + b.turned_since(since.rots[1])
    }

    /// An upper bound of how far any two points of two blocks have strayed since they stood so, m.
    #[inline]
    pub(crate) fn strayed_since(&self, pair: [u32; 2], since: &Stand) -> f32 {
        let [a, b] = pair.mapped(|node| &self[node]);
        // As the first sees it.
        let turn = a.rot.after(since.rots[0].inverse());
        let moved = (a.center - b.center).distance(turn.apply(since.between));
        moved + b.turned_since(turn.after(since.rots[1]))
    }

    /// An upper bound of how far any two points of two blocks will stray within `seconds`, m, as each goes straight on or
    /// turns with its block.
    #[inline]
    pub(crate) fn strays_within(&self, pair: [u32; 2], seconds: f32) -> f32 {
        let [a, b] = pair.mapped(|node| self.speed(node));
        let (between, reach) = {
            let [a, b] = pair.mapped(|node| &self[node]);
            (a.center - b.center, a.reach + b.reach)
        };
        let spin = 0.5 * (a.angular + b.angular);
        let apart = (a.linear - b.linear - cross_sv(spin, between)).length();
        let turning = 0.5 * (a.angular - b.angular).abs() * reach;
        // Where a line that turns by an angle θ is and where it would be if its end went straight on is apart by no more
        // than θ²/2 of its length.
        let bend = 0.5 * (seconds * spin).powi(2) * (between.length() + reach);
        seconds * (apart + turning) + bend
    }

    /// How far the points of two nodes are from their centres at most, m.
    pub(crate) fn reaches(&self, pair: [u32; 2]) -> [f32; 2] {
        pair.mapped(|node| self[node].reach)
    }

    /// How far the pieces of a pair are from each other at least, m, if their circles show that they stay farther apart
    /// than `margin` while each point goes straight on for `seconds`.
    #[inline]
    pub(crate) fn gap_while_moving(
        &self,
        circles: Circles,
        margin: f32,
        seconds: f32,
    ) -> Option<f32> {
        let [a, b] = circles.nodes.mapped(|node| self.speed(node).linear);
        // Points that go straight on leave their circle as their block turns.
        let turning = self.most_by_turning(circles.nodes, &self.speeds);
        self.gap_on_way(circles, seconds * (a - b), margin + seconds * turning)
    }

    /// The same while the centre of the first goes this way, m, against that of the second, and points stay in their circles.
    #[inline]
    pub(super) fn gap_on_way(
        &self,
        Circles { nodes, reach }: Circles,
        way: Vec2,
        margin: f32,
    ) -> Option<f32> {
        let [a, b] = nodes.mapped(|node| self[node].center);
        let between = a - b;
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

    /// No less than [`Nodes::most_speed`], and sooner told: of velocities as [`Nodes::farthest_astray`] last saw them.
    #[inline]
    pub(crate) fn pace(&self, [a, b]: [u32; 2]) -> f32 {
        self.paces[a as usize] + self.paces[b as usize]
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

impl Node {
    /// How far any of its points has turned about its centre since it was turned so, at most, m.
    fn turned_since(&self, since: Rot) -> f32 {
        self.reach * Vec2::new(self.rot.c, self.rot.s).distance(Vec2::new(since.c, since.s))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::threads::Threads;
    use crate::world::World;
    use proptest::prelude::*;

    /// The distances of each corner of one bar from each of the other.
    fn distances(world: &World) -> Vec<f32> {
        let [one, other] = [0, 1].map(|body: usize| world.model.bodies[body].point_range());
        let at = |point: usize| world.state.position[point];
        let from = |point: usize| other.clone().map(move |other| at(point).distance(at(other)));
        one.flat_map(from).collect()
    }

    /// By how much any of them has changed.
    fn change(before: &[f32], world: &World) -> f32 {
        let all = before.iter().zip(distances(world));
        all.map(|(before, now)| (before - now).abs()).fold(0.0, f32::max)
    }

    fn bar(id: &str, at: Vec2, velocity: Vec2, spin: f32) -> BodyDef {
        let shape = Shape::Box { size: Vec2::new(1.0, 0.2) };
        BodyDef { velocity, spin, ..BodyDef::new(id, shape, at) }
    }

    fn nodes_of(World { model, state, .. }: &World, seconds: f32) -> (Nodes, [u32; 2]) {
        let mut nodes = Nodes::default();
        nodes.attach(model);
        nodes.gather(model, state, 1.0, seconds, &Threads::default());
        let pair = nodes.blocks(model, (0, 1)).unwrap();
        (nodes, pair)
    }

    proptest! {
        #[test]
        fn distances_change_by_no_more_than_bodies_stray(
            at in (-3.0_f32..3.0, -3.0_f32..3.0),
            (together, turn) in ((-9.0_f32..9.0, -9.0_f32..9.0), -9.0_f32..9.0),
            ways in ((-1.0_f32..1.0, -1.0_f32..1.0), (-1.0_f32..1.0, -1.0_f32..1.0)),
            spins in (-1.0_f32..1.0, -1.0_f32..1.0),
            seconds in 0.01_f32..0.3,
        ) {
            // Mostly they go and turn as one.
            let go = |at: Vec2, way: (f32, f32)| Vec2::from(together) + cross_sv(turn, at) + Vec2::from(way);
            let at = Vec2::from(at);
            let bodies = vec![
                bar("one", Vec2::ZERO, go(Vec2::ZERO, ways.0), turn + spins.0),
                bar("other", at, go(at, ways.1), turn + spins.1),
            ];
            let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
            let before = distances(&world);
            let (mut nodes, pair) = nodes_of(&world, seconds);
            let (within, stand) = (nodes.strays_within(pair, seconds), nodes.stand(pair));
            nodes.farthest_astray(seconds, &Threads::default());
            prop_assert!(nodes.pace(pair) > 0.999 * nodes.most_speed(pair));

            let mut straight = world.clone();
            for (at, way) in straight.state.position.iter_mut().zip(&world.state.velocity) {
                *at += seconds * *way;
            }
            prop_assert!(change(&before, &straight) < within + 1e-4);

            for node in pair {
                let Twist { linear, angular, .. } = *nodes.speed(node);
                let node = &mut nodes.nodes[node as usize];
                node.center += seconds * linear;
                node.rot = Rot::from_radians(seconds * angular).after(node.rot);
            }
            nodes.write_all(&world.model, &mut world.state, &Threads::default());
            let change = change(&before, &world);
            prop_assert!(change < within + 1e-4);
            let since = nodes.strayed_since(pair, &stand);
            prop_assert!(change < since + 1e-4);
            // Who goes and turns as one does not stray.
            let [way, spin] = [(Vec2::from(ways.0) - Vec2::from(ways.1)).length(), spins.0.abs() + spins.1.abs()];
            let bend = 0.5 * (seconds * (turn.abs() + 1.0)).powi(2) * (at.length() + 1.1);
            prop_assert!(within < seconds * (way + spin * (at.length() + 1.1)) + bend + 1e-4);
        }
    }

    #[test]
    fn who_turn_as_one_move_and_do_not_stray() {
        let at = Vec2::new(2.0, 1.0);
        let bodies = vec![
            bar("one", Vec2::new(-1.0, 0.5), Vec2::ZERO, 0.0),
            bar("other", at, Vec2::ZERO, 0.0),
        ];
        let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let (mut nodes, pair) = nodes_of(&world, 0.1);
        let (stand, turn) = (nodes.stand(pair), Rot::from_radians(0.7));
        for node in pair {
            let node = &mut nodes.nodes[node as usize];
            (node.center, node.rot) = (turn.apply(node.center) + at, turn.after(node.rot));
        }
        assert!(nodes.moved_since(pair, &stand) > 2.0);
        assert!(nodes.strayed_since(pair, &stand) < 1e-5);
    }

    proptest! {
        #[test]
        fn what_circles_keep_apart_does_not_meet_on_its_way(
            at in (-3.0_f32..3.0, -3.0_f32..3.0),
            ways in ((-9.0_f32..9.0, -9.0_f32..9.0), (-9.0_f32..9.0, -9.0_f32..9.0)),
            spins in (-9.0_f32..9.0, -9.0_f32..9.0),
        ) {
            const SECONDS: f32 = 0.25;
            const MARGIN: f32 = 0.02;
            let bodies = vec![
                bar("one", Vec2::ZERO, ways.0.into(), spins.0),
                bar("other", at.into(), ways.1.into(), spins.1),
            ];
            let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
            let World { model, state, .. } = &world;
            let (nodes, pair) = nodes_of(&world, SECONDS);
            let circles = nodes.circles(model, (0, 1)).unwrap();
            let shown = nodes.gap_while_moving(circles, MARGIN, SECONDS);
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
