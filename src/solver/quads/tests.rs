//! Manifolds, hinges and edges against the same arithmetic one after the other.

use super::tie::{Drive, DriveAim};
use super::*;
use crate::math::{cross, cross_sv, left};
use crate::scene::{BodyDef, Scene, Shape, Spring};
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
    let bodies = motions.iter().enumerate().map(solid).collect();
    let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
    let mut nodes = Nodes::default();
    nodes.attach(&world.model);
    nodes.gather(&world.model, &world.state, f32::INFINITY, 1.0 / 60.0, &Threads::default());
    nodes
}

/// `J·v` and `J·M⁻¹·Jᵀ` along a direction at these places.
fn along(nodes: &Nodes, pair: [u32; 2], places: [Vec2; 2], direction: Vec2) -> (f32, f32) {
    let speed = nodes.meeting_speed(pair, places, direction);
    let give = [0, 1].map(|side| {
        let node = &nodes[pair[side]];
        let arm = cross(places[side] - node.center, direction);
        node.inv_mass + node.inv_inertia * arm * arm
    });
    (speed, give[0] + give[1])
}

fn push(nodes: &mut Nodes, pair: [u32; 2], places: [Vec2; 2], impulse: Vec2) {
    for (side, impulse) in [impulse, -impulse].into_iter().enumerate() {
        let (inv_mass, center) = (nodes[pair[side]].inv_mass, nodes[pair[side]].center);
        let speed = nodes.speed_mut(pair[side]);
        speed.linear += inv_mass * impulse;
        speed.angular += speed.inv_inertia * cross(places[side] - center, impulse);
    }
}

impl Plain {
    /// The places where friction acts: those of the first contact, as both are equally near.
    fn middle(&self) -> [Vec2; 2] {
        self.points[0].places
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
        for (k, (point, pushed)) in self.points.iter().zip(&mut self.pushed).enumerate() {
            let (speed, give) = along(nodes, self.pair, point.places, normal);
            if let Some(wanted) = wanted(point, k).filter(|_| give > 0.0) {
                let total = (*pushed - (speed - wanted) / give).max(0.0);
                push(nodes, self.pair, point.places, (total - *pushed) * normal);
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
    let point =
        |shift: f32| Point { places: place(shift), gap, start: Vec2::new(0.0, start), parts: 0.0 };
    let points: Vec<Point> = [point(-0.3), point(0.4)][..count].to_vec();
    let surface = Surface { normal, friction: 0.5 };
    Plain { pair, surface, pushed: vec![start; count], points, rubbed: 0.0 }
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
        quads.put_manifolds(&threads, &nodes, |index| {
            let Plain { surface, points, .. } = &plain[index as usize];
            let mut put =
                Put { surface: *surface, points: [Point::default(); 2], count: points.len(), meets: false };
            put.points[..points.len()].copy_from_slice(points);
            Some(put)
        });
        quads.start_contacts(1.0, &threads, &mut nodes);
        for one in &plain {
            for (point, &pushed) in one.points.iter().zip(&one.pushed) {
                push(&mut expected, one.pair, point.places, pushed * one.surface.normal);
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
        parts in 0.5_f32..2.0,
    ) {
        const H: f32 = 1.0 / 240.0;
        let mut nodes = boxes(&motions);
        let mut plain: Vec<Plain> = raw.into_iter().map(|raw| manifold(raw, &nodes)).collect();
        let (mut quads, threads) = (Quads::default(), Threads::default());
        quads.arrange(&[], &[], plain.iter().map(|one| one.pair), &threads, &nodes);
        quads.put_displaced(&threads, &nodes, |index| {
            let Plain { surface, points, .. } = &plain[index as usize];
            let mut put =
                Put { surface: *surface, points: [Point::default(); 2], count: points.len(), meets: false };
            put.points[..points.len()].copy_from_slice(points);
            put.points[0].parts = if index == 0 { parts } else { 0.0 };
            Some((put, Past { slip: slips[index as usize], ..Past::default() }))
        });
        nodes.displace(H, &threads);
        let back = Back { closes: 0.01, turns: 0.01, parts: 0.004, h: H };
        quads.project(true, 3, back, &threads, &mut nodes);
        // Displacements are to the reference what velocities are.
        let mut moved = boxes(&motions.iter().map(|&(x, y, spin)| (H * x, H * y, H * spin)).collect::<Vec<_>>());
        for one in &plain {
            for (point, &pushed) in one.points.iter().zip(&one.pushed) {
                push(&mut moved, one.pair, point.places, pushed * one.surface.normal);
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
    Law { h, soft: None, push_out: 3.0, returns, time: Some(h) }
}

/// A hinge as the reference solves it.
#[derive(Clone, Debug)]
struct PlainHinge {
    tie: Tie,
    swing: Swing,
    /// Where it acts: in the middle between the two places.
    at: Vec2,
    gap: Vec2,
    given: Given,
    /// The sum of all that it has pulled, to and fro.
    worked: f32,
}

impl PlainHinge {
    fn new(raw: (u32, u32, (f32, f32), bool, f32, f32), nodes: &Nodes) -> Self {
        let (a, by, (x, y), swings, slack, speed) = raw;
        let pair = [a, (a + by) % BODIES as u32];
        let at = [Vec2::new(x, y), Vec2::new(-y, x)];
        let [place_a, place_b] = [0, 1].map(|side| {
            let node = &nodes[pair[side]];
            node.center + node.rot.apply(at[side])
        });
        let spring = Spring { stiffness: 200.0, damping: 3.0 };
        let servo = DriveAim::Servo(0.05 * speed, spring);
        let aim = if speed > 0.0 { DriveAim::Speed(speed) } else { servo };
        let drive = Some(Drive { aim, most: 5.0 });
        Self {
            tie: Tie { nodes: pair, at, share: [0.5; 2], swings },
            swing: Swing { slack: [Some(slack), Some(0.1)], drive },
            at: 0.5 * (place_a + place_b),
            gap: place_b - place_a,
            given: Given::default(),
            worked: 0.0,
        }
    }

    fn arms(&self, nodes: &Nodes) -> [Vec2; 2] {
        self.tie.nodes.map(|node| self.at - nodes[node].center)
    }

    fn pull(&self, by: Vec2, turn: f32, nodes: &mut Nodes) {
        let arms = self.arms(nodes);
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let inv_mass = nodes[self.tie.nodes[side]].inv_mass;
            let speed = nodes.speed_mut(self.tie.nodes[side]);
            speed.linear += sign * inv_mass * by;
            speed.angular += sign * speed.inv_inertia * (cross(arms[side], by) + turn);
        }
    }

    fn solve(&mut self, law: &Law, nodes: &mut Nodes) {
        let most = law.returns.most;
        let back = (law.returns.pace * self.gap).clamp(Vec2::splat(-most), Vec2::splat(most));
        if !self.hold(self.parting(nodes) + back, nodes) || !self.tie.swings {
            return;
        }
        let pair = self.tie.nodes;
        let spin = |nodes: &Nodes| nodes.speed(pair[1]).angular - nodes.speed(pair[0]).angular;
        let turning = {
            let (mut probe, mut nodes) = (self.clone(), nodes.clone());
            for node in pair {
                let speed = nodes.speed_mut(node);
                (speed.linear, speed.angular) = (Vec2::ZERO, 0.0);
            }
            probe.turn(1.0, &mut nodes);
            spin(&nodes)
        };
        if let (Some(Drive { aim, most }), Some(time)) = (self.swing.drive, law.time) {
            let most = most * time;
            let before = self.given.driven;
            let by = match aim {
                DriveAim::Speed(speed) => (spin(nodes) - speed) / turning,
                // At the end of the time the torque is `−k·C − d·s`, with the angle `C + time·s` and the spin `s`.
                DriveAim::Servo(beyond, Spring { stiffness: k, damping: d }) => {
                    let torque = -k * (beyond + time * spin(nodes)) - d * spin(nodes);
                    let softer = 1.0 + time * (d + time * k) * turning;
                    (before - time * torque) / softer
                }
            };
            let driven = (before - by).clamp(-most, most);
            self.given.driven = driven;
            self.turn(driven - before, nodes);
        }
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let slack = self.swing.slack[side].map_or(f32::MAX, |slack| slack.max(0.0) / law.h);
            let stopped = &mut self.given.stopped[side];
            let total = (*stopped - (sign * spin(nodes) + slack) / turning).max(0.0);
            let by = sign * (total - *stopped);
            *stopped = total;
            self.turn(by, nodes);
        }
    }

    /// Turns the second body while the two places move as they did.
    fn turn(&mut self, by: f32, nodes: &mut Nodes) {
        let before = self.parting(nodes);
        self.pull(Vec2::ZERO, by, nodes);
        self.hold(self.parting(nodes) - before, nodes);
    }

    /// How fast the two places part.
    fn parting(&self, nodes: &Nodes) -> Vec2 {
        let [a, b] = [0, 1].map(|side| {
            let speed = nodes.speed(self.tie.nodes[side]);
            speed.linear + cross_sv(speed.angular, self.arms(nodes)[side])
        });
        b - a
    }

    /// Takes away that speed of the two places, if that can be done.
    fn hold(&mut self, wrong: Vec2, nodes: &mut Nodes) -> bool {
        let (pair, arms) = (self.tie.nodes, self.arms(nodes));
        let wrong = wrong.as_dvec2();
        // J·M⁻¹·Jᵀ column by column: how the places part when pulled along each axis.
        let column = |axis: Vec2| {
            [0, 1].into_iter().fold(glam::DVec2::ZERO, |sum, side| {
                let (node, arm) = (&nodes[pair[side]], arms[side]);
                let spin = node.inv_inertia * cross(arm, axis);
                sum + (node.inv_mass * axis + cross_sv(spin, arm)).as_dvec2()
            })
        };
        let gives = glam::DMat2::from_cols(column(Vec2::X), column(Vec2::Y));
        if gives.determinant() <= 0.0 {
            return false;
        }
        let by = -(gives.inverse() * wrong).as_vec2();
        self.given.pulled += by;
        self.worked += by.length();
        self.pull(by, 0.0, nodes);
        true
    }
}

proptest! {
    #[test]
    fn hinges_four_at_a_time_are_the_same_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES),
        raw in prop::collection::vec(
            (
                0..BODIES as u32, 1..BODIES as u32, (-0.5_f32..0.5, -0.5_f32..0.5),
                any::<bool>(), -0.1_f32..0.1, -5.0_f32..5.0,
            ),
            1..40
        ),
        pace in 0.0_f32..30.0,
    ) {
        let mut nodes = boxes(&motions);
        let law = Law { returns: Returns { pace, most: 4.0 }, ..law(1.0 / 240.0) };
        let mut plain: Vec<_> = raw.into_iter().map(|raw| PlainHinge::new(raw, &nodes)).collect();
        // What lasts of a spin is counted to gaps; here none is to.
        (0..BODIES as u32).for_each(|node| nodes[node].steady_spin = 0.0);
        let mut expected = nodes.clone();
        let ties: Vec<Tie> = plain.iter().map(|one| one.tie).collect();
        let (mut quads, threads) = (Quads::default(), Threads::default());
        quads.arrange(&ties, &[], std::iter::empty(), &Threads::default(), &nodes);
        quads.put_hinges(&ties, [law.h; 2], &threads, &nodes, |hinge| plain[hinge as usize].swing);
        quads.start_equations(1.0, &threads, &mut nodes);
        quads.press(None, 3, &law, &threads, &mut nodes);
        let mut in_turn: Vec<usize> = (0..plain.len()).collect();
        in_turn.sort_by_key(|hinge| quads.spots.get(*hinge));
        for _ in 0..3 {
            in_turn.iter().for_each(|hinge| plain[*hinge].solve(&law, &mut expected));
        }
        for node in 0..BODIES as u32 {
            let (found, wanted) = (nodes.speed(node), expected.speed(node));
            prop_assert!(found.linear.distance(wanted.linear) < 1e-3, "{found:?} {wanted:?}");
            prop_assert!((found.angular - wanted.angular).abs() < 3e-3, "{found:?} {wanted:?}");
        }
        let given = |quads: &Quads| -> Vec<Given> {
            (0..ties.len()).map(|hinge| quads.given_by(hinge)).collect()
        };
        let before = given(&quads);
        for (found, one) in before.iter().zip(&plain) {
            let wanted = one.given;

            // Bodies weigh 600 kg and more.
            let size = 10.0 + one.worked;
            prop_assert!(found.pulled.distance(wanted.pulled) < 2e-3 * size, "{found:?} {wanted:?}");
            prop_assert!((found.turned() - wanted.turned()).abs() < 2e-3 * size, "{found:?} {wanted:?}");
        }
        // Arranged anew, as when contacts come and go, they keep what they have given.
        quads.arrange(&ties, &[], [[0, 1]].into_iter(), &Threads::default(), &nodes);
        prop_assert_eq!(given(&quads), before);
    }
}

/// An edge as the reference solves it.
#[derive(Clone, Debug)]
struct PlainEdge {
    span: Span,
    along: Vec2,
    error: f32,
    pulled: f32,
}

impl PlainEdge {
    fn new(span: Span, rest: f32, nodes: &Nodes) -> Self {
        let between = nodes[span.nodes[1]].center - nodes[span.nodes[0]].center;
        let (along, error) = (between.normalize(), between.length() - rest);
        Self { span, along, error, pulled: 0.0 }
    }

    fn speed(&self, of: impl Fn(u32) -> Vec2) -> f32 {
        let [a, b] = self.span.nodes.map(of);
        self.along.dot(b - a)
    }

    fn solve(&mut self, law: &Law, time: f32, nodes: &mut Nodes) {
        let Span { nodes: pair, compliance, damping } = self.span;
        let mobility: f32 = pair.iter().map(|&node| nodes[node].inv_mass).sum();
        let speed = self.speed(|node| nodes.speed(node).linear);
        let by = if compliance == 0.0 {
            let most = law.returns.most;
            -(speed + (law.returns.pace * self.error).clamp(-most, most)) / mobility
        } else if law.time.is_some() {
            // Implicit Euler: what the spring gives is what it would at the end.
            let (stiffness, pulled) = (1.0 / compliance, self.pulled);
            let force = stiffness * (self.error + time * speed) + damping * speed;
            let answer = 1.0 + time * (time * stiffness + damping) * mobility;
            -(time * force + pulled) / answer
        } else {
            0.0
        };
        self.pulled += by;
        self.pull(by, nodes, Nodes::speed_mut);
    }

    fn pull(&self, by: f32, nodes: &mut Nodes, of: impl Fn(&mut Nodes, u32) -> &mut Twist) {
        for (node, sign) in self.span.nodes.into_iter().zip([-1.0, 1.0]) {
            let inv_mass = nodes[node].inv_mass;
            of(nodes, node).linear += sign * inv_mass * by * self.along;
        }
    }

    /// Starts from what it gave before; a stiff one does not.
    fn start_spring(&mut self, from: f32, h: f32, nodes: &mut Nodes) {
        let Span { nodes: pair, compliance, damping } = self.span;
        let mobility: f32 = pair.iter().map(|&node| nodes[node].inv_mass).sum();
        let (give, drag) = (compliance / (h * h), compliance * damping / h);
        if give > 0.0 {
            self.pulled = from * (give / ((1.0 + drag) * mobility)).min(1.0);
            self.pull(self.pulled, nodes, Nodes::travel_mut);
        }
    }

    /// XPBD, in a sub-step of `h` seconds.
    fn project(&mut self, closes: f32, h: f32, nodes: &mut Nodes) {
        let Span { nodes: pair, compliance, damping } = self.span;
        let mobility: f32 = pair.iter().map(|&node| nodes[node].inv_mass).sum();
        let moved = self.speed(|node| nodes.travel(node).linear);
        let by = if compliance == 0.0 {
            -(moved + self.error.clamp(-closes, closes)) / mobility
        } else {
            let (give, drag) = (compliance / (h * h), compliance * damping / h);
            let wanted = self.error + moved + give * self.pulled + drag * moved;
            -wanted / ((1.0 + drag) * mobility + give)
        };
        self.pulled += by;
        self.pull(by, nodes, Nodes::travel_mut);
    }
}

proptest! {
    #[test]
    fn edges_four_at_a_time_are_the_same_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, 0.0_f32..1.0), BODIES),
        raw in prop::collection::vec(
            (0..BODIES as u32, 1..BODIES as u32, 0.0_f32..1.0, any::<bool>(), 0.01_f32..1.0),
            1..40
        ),
        pace in 0.0_f32..30.0,
    ) {
        let mut nodes = boxes(&motions);
        let time = 1.0 / 240.0;
        let law = Law { returns: Returns { pace, most: 4.0 }, ..law(1.0 / 120.0) };
        let mut expected = nodes.clone();
        let mut rests = Vec::new();
        let mut plain = Vec::new();
        for (a, by, rest, is_spring, compliance) in raw {
            let compliance = if is_spring { 0.01 * compliance } else { 0.0 };
            let span = Span { nodes: [a, (a + by) % BODIES as u32], compliance, damping: 0.3 };
            rests.push(rest);
            plain.push(PlainEdge::new(span, rest, &nodes));
        }
        let spans: Vec<Span> = plain.iter().map(|one| one.span).collect();
        let (mut quads, threads) = (Quads::default(), Threads::default());
        quads.arrange(&[], &spans, std::iter::empty(), &Threads::default(), &nodes);
        quads.put_edges(time, &threads, &nodes, |edge| rests[edge as usize]);
        quads.start_equations(1.0, &threads, &mut nodes);
        // Springs that do not act keep what they have given.
        for law in [law, Law { time: None, ..law }] {
            quads.press(None, 2, &law, &threads, &mut nodes);
            for _ in 0..2 {
                plain.iter_mut().for_each(|one| one.solve(&law, time, &mut expected));
            }
        }
        for node in 0..BODIES as u32 {
            let (found, wanted) = (nodes.speed(node), expected.speed(node));
            prop_assert!(found.linear.distance(wanted.linear) < 1e-3, "{found:?} {wanted:?}");
        }
        // What stiff edges are off by, after all have moved on.
        nodes.displace(0.1, &threads);
        let off = |(one, rest): (&PlainEdge, &f32)| {
            let [a, b] = one.span.nodes.map(|node| nodes.place(node));
            (a.distance(b) - rest).abs()
        };
        let stiff = plain.iter().zip(&rests).filter(|(one, _)| one.span.compliance == 0.0);
        let wanted = stiff.map(off).fold(0.0, f32::max);
        let found = quads.follow_equations(&threads, &nodes);
        prop_assert!((found - wanted).abs() < 1e-3, "{found} {wanted}");
        // Arranged anew they keep what they have given.
        quads.arrange(&[], &spans, [[0, 1]].into_iter(), &Threads::default(), &nodes);
        quads.recall(&threads);
        for (found, one) in quads.pulled.iter().zip(&plain) {
            // As speeds: bodies weigh a ton, so that impulses round to thousandths.
            let give: f32 = one.span.nodes.iter().map(|&node| nodes[node].inv_mass).sum();
            prop_assert!(give * (found - one.pulled).abs() < 1e-3, "{found} {one:?}");
        }
    }
}

proptest! {
    #[test]
    fn edges_displaced_four_at_a_time_are_the_same_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, 0.0_f32..1.0), BODIES),
        raw in prop::collection::vec(
            (0..BODIES as u32, 1..BODIES as u32, 0.0_f32..1.0, any::<bool>(), 0.01_f32..1.0),
            1..40
        ),
        closes in 0.0_f32..0.1,
    ) {
        let (mut nodes, threads, h) = (boxes(&motions), Threads::default(), 1.0 / 60.0);
        let mut spans = Vec::new();
        let mut rests = Vec::new();
        for (a, by, rest, is_spring, compliance) in raw {
            let compliance = if is_spring { 1e-6 * compliance } else { 0.0 };
            spans.push(Span { nodes: [a, (a + by) % BODIES as u32], compliance, damping: 300.0 });
            rests.push(rest);
        }
        let mut expected = nodes.clone();
        let (mut eased, mut moved) = (vec![0.0; spans.len()], vec![0.0; spans.len()]);
        let mut quads = Quads::default();
        quads.arrange(&[], &spans, std::iter::empty(), &threads, &nodes);
        let back = Back { closes, turns: 0.0, parts: 0.0, h };
        // The velocity stage starts from what it gave before, and so do springs in the position stage.
        for _ in 0..2 {
            quads.put_edges(h, &threads, &nodes, |edge| rests[edge as usize]);
            let all = spans.iter().zip(&rests);
            let mut plain: Vec<_> =
                all.map(|(span, rest)| PlainEdge::new(*span, *rest, &expected)).collect();
            nodes.displace(h, &threads);
            expected.displace(h, &threads);
            quads.project(true, 2, back, &threads, &mut nodes);
            for (one, moved) in plain.iter_mut().zip(&moved) {
                one.start_spring(*moved, h, &mut expected);
            }
            for _ in 0..2 {
                plain.iter_mut().for_each(|one| one.project(closes, h, &mut expected));
            }
            moved = plain.iter().map(|one| one.pulled).collect();
            for node in 0..BODIES as u32 {
                let apart = nodes.travel(node).linear - expected.travel(node).linear;
                prop_assert!(apart.length() < 2e-5, "{node} is {apart} off");
            }
            nodes.velocities_from_displacements(h, &threads);
            expected.velocities_from_displacements(h, &threads);
            quads.arrive(h, &threads, &nodes);
            quads.ease_equations(&threads, &mut nodes);
            let law = Law { returns: Returns { pace: 0.0, most: 0.0 }, time: None, ..law(h) };
            for (one, eased) in plain.iter_mut().zip(&eased) {
                let [a, b] = one.span.nodes.map(|node| expected.place(node));
                (one.along, one.pulled) = ((b - a).normalize(), *eased);
                one.pull(*eased, &mut expected, Nodes::speed_mut);
            }
            quads.relax(false, 2, &threads, &mut nodes);
            for _ in 0..2 {
                plain.iter_mut().for_each(|one| one.solve(&law, h, &mut expected));
            }
            eased = plain.iter().map(|one| one.pulled).collect();
            for node in 0..BODIES as u32 {
                let apart = nodes.speed(node).linear - expected.speed(node).linear;
                prop_assert!(apart.length() < 2e-3, "{node} is {apart} m/s off");
            }
        }
    }
}

proptest! {
    #[test]
    fn what_shares_a_body_stays_in_order_and_out_of_one_quad(
        raw in prop::collection::vec((0..BODIES as u32, 1..BODIES as u32), 0..100)
    ) {
        let nodes = boxes(&[(0.0, 0.0, 0.0); BODIES]);
        let pair = |(a, by): (u32, u32)| [a, (a + by) % BODIES as u32];
        let pairs: Vec<[u32; 2]> = raw.into_iter().map(pair).collect();
        let mut quads = Quads::default();
        quads.arrange(&[], &[], pairs.iter().copied(), &Threads::default(), &nodes);
        let place = |[bundle, lane]: [u32; 2]| (bundle, lane / 4);
        for later in 0..pairs.len() {
            let (at, pair) = (quads.spots.get(later), pairs[later]);
            for (earlier, other) in pairs[..later].iter().enumerate() {
                prop_assert_ne!(quads.spots.get(earlier), at);
                // The first box is fixed.
                if other.iter().any(|node| *node > 0 && pair.contains(node)) {
                    let before = place(quads.spots.get(earlier));
                    prop_assert_eq!(before.0, place(at).0);
                    prop_assert!(before.1 < place(at).1);
                }
            }
        }
    }
}

#[test]
fn four_that_share_nothing_but_the_ground_fill_a_quad() {
    let mut quads = Quads::default();
    let nodes = boxes(&[(0.0, 0.0, 0.0); BODIES]);
    quads.arrange(&[], &[], (1..9).map(|node| [0, node]), &Threads::default(), &nodes);
    assert_eq!(quads.bundles[0].manifolds.quads.len(), 2);
}

#[test]
fn a_large_pile_is_cut_into_parts_that_share_no_body() {
    const SIDE: u32 = 100;
    let at = |k: u32| Vec2::new((k % SIDE) as f32, (k / SIDE) as f32);
    let disc = |k: u32| BodyDef::new(format!("disc{k}"), Shape::Disc { radius: 0.5 }, at(k));
    let bodies = (0..SIDE * SIDE).map(disc).collect();
    let world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
    let mut nodes = Nodes::default();
    nodes.attach(&world.model);
    nodes.gather(&world.model, &world.state, f32::INFINITY, 1.0 / 60.0, &Threads::default());
    let right = (0..SIDE * SIDE).filter(|k| k % SIDE + 1 < SIDE).map(|k| [k, k + 1]);
    let up = (0..SIDE * (SIDE - 1)).map(|k| [k, k + SIDE]);
    let mut quads = Quads::default();
    quads.arrange(&[], &[], right.chain(up), &Threads::default(), &nodes);
    let [wholes, parts, seams] = quads.division.counts();
    assert_eq!((wholes, parts, seams), (0, 4, 2));
    // Whose each node is, among parts and among seams.
    let mut owners = [vec![None; nodes.len()], vec![None; nodes.len()]];
    let mut sewn = 0;
    for (index, pair) in quads.pairs.iter().enumerate() {
        let [bundle, _] = quads.spots.get(index);
        let is_seam = bundle >= parts as u32;
        sewn += u32::from(is_seam);
        for node in pair {
            let owner = &mut owners[usize::from(is_seam)][*node as usize];
            assert_eq!(*owner.get_or_insert(bundle), bundle);
        }
    }
    // One row of neighbours between two parts.
    assert_eq!(sewn, 3 * SIDE);
}
