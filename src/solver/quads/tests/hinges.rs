//! Hinges against the same arithmetic one after the other.

use super::super::tie::{Drive, DriveAim};
use super::*;
use crate::math::cross_sv;
use crate::scene::Spring;
use glam::{DMat2, DVec2};

/// The length of a sub-step, s.
const H: f32 = 1.0 / 240.0;

/// A hinge as the reference solves it.
#[derive(Clone, Debug)]
struct PlainHinge {
    tie: Tie,
    swing: Swing,
    /// Where it acts: in the middle between the two places.
    at: Vec2,
    gap: Vec2,
    /// How fast the two places part because their bodies turn them on circles.
    departs: Vec2,
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
        let meet = 0.5 * (place_a + place_b);
        let [departs_a, departs_b] = pair.map(|node| {
            let Node { center, steady_spin, .. } = nodes[node];
            let (arm, turn) = ((meet - center).as_dvec2(), f64::from(H * steady_spin));
            // By the angle that nodes take.
            let rot = DVec2::from_angle(2.0 * (0.5 * turn).atan());
            rot.rotate(arm) - arm - turn * arm.perp()
        });
        Self {
            tie: Tie { nodes: pair, at, share: [0.5; 2], swings },
            swing: Swing { slack: [Some(slack), Some(0.1)], drive },
            at: meet,
            gap: place_b - place_a,
            departs: ((departs_b - departs_a) / f64::from(H)).as_vec2(),
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
        if !self.hold(self.parting(nodes) + back + self.departs, nodes) || !self.tie.swings {
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
            [0, 1].into_iter().fold(DVec2::ZERO, |sum, side| {
                let (node, arm) = (&nodes[pair[side]], arms[side]);
                let spin = node.inv_inertia * cross(arm, axis);
                sum + (node.inv_mass * axis + cross_sv(spin, arm)).as_dvec2()
            })
        };
        let gives = DMat2::from_cols(column(Vec2::X), column(Vec2::Y));
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
    /// All bodies are fast: what comes to rest gets more rounds.
    #[test]
    fn hinges_four_at_a_time_are_the_same_as_one_by_one(
        motions in prop::collection::vec((0.5_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES),
        raw in prop::collection::vec(
            (
                0..BODIES as u32, 1..BODIES as u32, (-0.5_f32..0.5, -0.5_f32..0.5),
                any::<bool>(), -0.1_f32..0.1, -5.0_f32..5.0,
            ),
            1..40
        ),
        pace in 0.0_f32..30.0,
        quick in 0.0_f32..40.0,
    ) {
        let mut nodes = boxes(&motions);
        let law = Law { returns: Returns { pace, most: 4.0 }, ..law(H) };
        (0..BODIES as u32).for_each(|node| nodes[node].steady_spin *= quick);
        let mut plain: Vec<_> = raw.into_iter().map(|raw| PlainHinge::new(raw, &nodes)).collect();
        let mut expected = nodes.clone();
        let ties: Vec<Tie> = plain.iter().map(|one| one.tie).collect();
        let (mut quads, threads) = (Quads::default(), Threads::default());
        quads.arrange(&ties, &[], std::iter::empty(), &Threads::default(), &nodes);
        let closing = Closing { returns: law.returns, ahead: 1.0 / H };
        quads.put_hinges(&ties, closing, [H; 2], &threads, &nodes, |hinge| plain[hinge as usize].swing);
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
