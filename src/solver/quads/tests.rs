//! Manifolds against the same arithmetic one after the other, and what tests of the others need as well.

mod bounces;
mod division;
mod edges;
mod hinges;

use super::*;
use crate::math::{cross, cross_sv, left};
use crate::scene::{BodyDef, Scene, Shape};
use crate::solver::rows::Returns;
use crate::world::World;
use proptest::prelude::*;

const BODIES: usize = 12;

/// A manifold as the reference solves it.
#[derive(Clone, Debug)]
struct Plain {
    pair: [u32; 2],
    surface: Surface,
    points: Vec<Point>,
    /// From each centre to where a point acts. Apart from places, which far from the origin are rounded to some micrometers.
    arms: Vec<[Vec2; 2]>,
    rubbed: f32,
    pushed: Vec<f32>,
}

/// Boxes in each other that move and spin, the first of which is fixed. Lever arms are short, as those of
/// contacts are.
fn boxes(motions: &[(f32, f32, f32)]) -> Nodes {
    let solid = |(k, &(x, y, spin)): (usize, &(f32, f32, f32))| {
        let size = Vec2::new(1.0 + 0.1 * k as f32, 1.0);
        let mut def =
            BodyDef::new(format!("box{k}"), Shape::Box { size }, Vec2::new(0.1 * k as f32, 0.0));
        (def.velocity, def.spin) = (Vec2::new(x, y), spin);
        if k == 0 { def.fixed() } else { def }
    };
    nodes_of(motions.iter().enumerate().map(solid).collect())
}

/// The nodes of these bodies.
fn nodes_of(bodies: Vec<BodyDef>) -> Nodes {
    let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
    let mut nodes = Nodes::default();
    nodes.attach(&world.model);
    nodes.gather(&world.model, &world.state, f32::INFINITY, 1.0 / 60.0, &Threads::default());
    nodes
}

/// `J·v` and `J·M⁻¹·Jᵀ` along a direction, at the ends of these arms.
fn along(nodes: &Nodes, pair: [u32; 2], arms: [Vec2; 2], direction: Vec2) -> (f32, f32) {
    let of = |side: usize| {
        let (node, speed, arm) = (&nodes[pair[side]], nodes.speed(pair[side]), arms[side]);
        let (there, across) = (speed.linear + cross_sv(speed.angular, arm), cross(arm, direction));
        (direction.dot(there), node.inv_mass + node.inv_inertia * across * across)
    };
    let [a, b] = [0, 1].map(of);
    (a.0 - b.0, a.1 + b.1)
}

fn push(nodes: &mut Nodes, pair: [u32; 2], arms: [Vec2; 2], impulse: Vec2) {
    for (side, impulse) in [impulse, -impulse].into_iter().enumerate() {
        let inv_mass = nodes[pair[side]].inv_mass;
        let speed = nodes.speed_mut(pair[side]);
        speed.linear += inv_mass * impulse;
        speed.angular += speed.inv_inertia * cross(arms[side], impulse);
    }
}

impl Plain {
    /// A manifold whose points have been given these impulses along the normal.
    fn new(
        pair: [u32; 2],
        surface: Surface,
        points: Vec<Point>,
        pushed: Vec<f32>,
        nodes: &Nodes,
    ) -> Self {
        let arms =
            |point: &Point| [0, 1].map(|side: usize| point.places[side] - nodes[pair[side]].center);
        let arms = points.iter().map(arms).collect();
        Self { pair, surface, points, arms, rubbed: 0.0, pushed }
    }

    /// What is put of it.
    fn put(&self) -> Put {
        let count = self.points.len();
        let mut points = [Point::default(); 2];
        points[..count].copy_from_slice(&self.points);
        Put { surface: self.surface, points, count, meets: false }
    }

    /// Where friction acts: at the first contact, as both are equally near.
    fn middle(&self) -> [Vec2; 2] {
        self.arms[0]
    }

    fn press(&mut self, h: f32, nodes: &mut Nodes) {
        self.rub(0.0, nodes);
        self.push(|point, _| Some(-point.gap.max(0.0) / h), nodes);
    }

    /// Friction, after surfaces have slipped by `slip`.
    fn rub(&mut self, slip: f32, nodes: &mut Nodes) {
        let Surface { normal, friction } = self.surface;
        let (tangent, middle) = (left(normal), self.middle());
        let most = friction * self.pushed.iter().sum::<f32>();
        let (speed, give) = along(nodes, self.pair, middle, tangent);
        if give > 0.0 {
            let rubbed = (self.rubbed - (speed + slip) / give).clamp(-most, most);
            push(nodes, self.pair, middle, (rubbed - self.rubbed) * tangent);
            self.rubbed = rubbed;
        }
    }

    /// Brings each contact to the speed that `wanted` says of it, if it does.
    fn push(&mut self, wanted: impl Fn(&Point, usize) -> Option<f32>, nodes: &mut Nodes) {
        let normal = self.surface.normal;
        let points = self.points.iter().zip(&self.arms);
        for (k, ((point, &arms), pushed)) in points.zip(&mut self.pushed).enumerate() {
            let (speed, give) = along(nodes, self.pair, arms, normal);
            if let Some(wanted) = wanted(point, k).filter(|_| give > 0.0) {
                let total = (*pushed - (speed - wanted) / give).max(0.0);
                push(nodes, self.pair, arms, (total - *pushed) * normal);
                *pushed = total;
            }
        }
    }
}

fn manifold(raw: (u32, u32, f32, bool, f32, f32), nodes: &Nodes) -> Plain {
    let (a, by, angle, two, gap, start) = raw;
    let pair = [a, (a + by) % BODIES as u32];
    let normal = Vec2::from_angle(angle);
    let middle = 0.5 * (nodes[pair[0]].center + nodes[pair[1]].center);
    let place = |shift: f32| [middle + shift * left(normal); 2];
    let count = if two { 2 } else { 1 };
    let point = |shift: f32| Point {
        places: place(shift),
        gap,
        start: Vec2::new(0.0, start),
        ..Point::default()
    };
    let points: Vec<Point> = [point(-0.3), point(0.4)][..count].to_vec();
    let surface = Surface { normal, friction: 0.5 };
    Plain::new(pair, surface, points, vec![start; count], nodes)
}

proptest! {
    #[test]
    fn four_at_a_time_is_the_same_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES),
        raw in prop::collection::vec(
            (0..BODIES as u32, 1..BODIES as u32, -3.0_f32..3.0, any::<bool>(), -0.01_f32..0.02, 0.0_f32..0.5),
            1..40
        )
    ) {
        const H: f32 = 1.0 / 240.0;
        let mut nodes = boxes(&motions);
        let mut plain: Vec<Plain> = raw.into_iter().map(|raw| manifold(raw, &nodes)).collect();
        let mut expected = nodes.clone();
        let mut quads = Quads::default();
        let threads = Threads::default();
        quads.arrange(&[], &[], plain.iter().map(|one| one.pair), &Threads::default(), &nodes);
        quads.put_manifolds(&threads, &nodes, |index| Some(plain[index as usize].put()));
        quads.start_contacts(1.0, &threads, &mut nodes);
        for one in &plain {
            for (&arms, &pushed) in one.arms.iter().zip(&one.pushed) {
                push(&mut expected, one.pair, arms, pushed * one.surface.normal);
            }
        }
        quads.press(None, 3, &law(H), &threads, &mut nodes);
        for _ in 0..3 {
            plain.iter_mut().for_each(|one| one.press(H, &mut expected));
        }
        for node in 0..BODIES as u32 {
            let (found, wanted) = (nodes.speed(node), expected.speed(node));
            prop_assert!(found.linear.distance(wanted.linear) < 2e-4, "{found:?} {wanted:?}");
            prop_assert!((found.angular - wanted.angular).abs() < 1e-3, "{found:?} {wanted:?}");
        }
        for (index, one) in plain.iter().enumerate() {
            for (point, pushed) in one.pushed.iter().enumerate() {
                let found = quads.impulses(index as u32)[point].y;
                prop_assert!((found - pushed).abs() < 1e-3 * (1.0 + pushed), "{found} {pushed}");
            }
        }
    }
}

proptest! {
    /// Displacements first, then velocities on from there.
    #[test]
    fn four_displaced_at_a_time_are_the_same_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES),
        raw in prop::collection::vec(
            (0..BODIES as u32, 1..BODIES as u32, -3.0_f32..3.0, any::<bool>(), -0.01_f32..0.02, 0.0_f32..0.005),
            1..40
        ),
        slips in prop::collection::vec(-1e-3_f32..1e-3, 40),
        restitution in 0.5_f32..2.0,
    ) {
        const H: f32 = 1.0 / 240.0;
        let mut nodes = boxes(&motions);
        let mut plain: Vec<Plain> = raw.into_iter().map(|raw| manifold(raw, &nodes)).collect();
        let (mut quads, threads) = (Quads::default(), Threads::default());
        quads.arrange(&[], &[], plain.iter().map(|one| one.pair), &threads, &nodes);
        quads.put_displaced(&threads, &nodes, |index| {
            let mut put = plain[index as usize].put();
            if index == 0 {
                (put.points[0].parts, put.points[0].restitution) = (1.0, restitution);
            }
            Some((put, Past { slip: slips[index as usize], ..Past::default() }))
        });
        quads.note_coming(&threads, &nodes);
        let (coming, _) = along(&nodes, plain[0].pair, plain[0].arms[0], plain[0].surface.normal);
        let parts = restitution * (-coming).max(0.0);
        nodes.displace(H, &threads);
        let back = Back { closes: 0.01, turns: 0.01, parts: 0.004, h: H };
        quads.project(true, 3, back, &threads, &mut nodes);
        // Displacements are to the reference what velocities are.
        let mut moved = boxes(&motions.iter().map(|&(x, y, spin)| (H * x, H * y, H * spin)).collect::<Vec<_>>());
        for one in &plain {
            for (&arms, &pushed) in one.arms.iter().zip(&one.pushed) {
                push(&mut moved, one.pair, arms, pushed * one.surface.normal);
            }
        }
        for _ in 0..3 {
            for (one, slip) in plain.iter_mut().zip(&slips) {
                one.push(|point, _| Some(-point.gap.max(-back.parts)), &mut moved);
                one.rub(*slip, &mut moved);
            }
        }
        for node in 0..BODIES as u32 {
            let (found, wanted) = (nodes.travel(node), moved.speed(node));
            prop_assert!(found.linear.distance(wanted.linear) < 2e-5, "{found:?} {wanted:?}");
            prop_assert!((found.angular - wanted.angular).abs() < 1e-4, "{found:?} {wanted:?}");
        }
        quads.arrive(H, &threads, &nodes);
        quads.relax(true, 3, &threads, &mut nodes);
        let mut expected = boxes(&motions);
        let pressed: Vec<Vec<bool>> =
            plain.iter().map(|one| one.pushed.iter().map(|pushed| *pushed > 0.0).collect()).collect();
        for one in &mut plain {
            one.rubbed /= H;
            one.pushed.iter_mut().for_each(|pushed| *pushed /= H);
        }
        for _ in 0..3 {
            for (index, one) in plain.iter_mut().enumerate() {
                one.rub(0.0, &mut expected);
                let bounces = |k: usize| index == 0 && k == 0;
                let wanted = |_: &Point, k: usize| {
                    pressed[index][k].then_some(if bounces(k) { parts } else { 0.0 })
                };
                one.push(wanted, &mut expected);
            }
        }
        for node in 0..BODIES as u32 {
            let (found, wanted) = (nodes.speed(node), expected.speed(node));
            prop_assert!(found.linear.distance(wanted.linear) < 2e-2, "{found:?} {wanted:?}");
            prop_assert!((found.angular - wanted.angular).abs() < 1e-1, "{found:?} {wanted:?}");
        }
    }
}

/// A round in which contacts are stiff, hinges give back nothing and motors act for a sub-step.
fn law(h: f32) -> Law {
    let returns = Returns { pace: 0.0, most: 4.0 };
    Law { h, soft: None, push_out: 3.0, returns, closes: 1.0, time: Some(h) }
}
