//! What bounces against the same arithmetic one after the other.

use super::division::{are_sewn, square};
use super::*;

impl Plain {
    /// As the manifold is now: what its contacts have given.
    fn recall(&mut self, number: u32, quads: &Quads) {
        let impulses = quads.impulses(number);
        self.pushed.iter_mut().zip(impulses).for_each(|(pushed, impulse)| *pushed = impulse.y);
    }

    /// Lets contacts go along with their bodies: to where both have carried them in the mean, of those that move or may.
    fn carry(&mut self, nodes: &Nodes) {
        let bodies = self.pair.map(|node| (&nodes[node], nodes.travel(node)));
        for arms in &mut self.arms {
            let carried = [0, 1].map(|side: usize| {
                let (node, travel) = bodies[side];
                let moves =
                    node.inv_mass > 0.0 || travel.linear != Vec2::ZERO || travel.angular != 0.0;
                moves.then(|| travel.linear + cross_sv(travel.angular, arms[side]))
            });
            let count = carried.iter().flatten().count();
            let by = carried.into_iter().flatten().sum::<Vec2>() / count.max(1) as f32;
            // Arms are those from centres that have moved.
            for (arm, (_, travel)) in arms.iter_mut().zip(bodies) {
                *arm += by - travel.linear;
            }
        }
    }

    /// The contacts that are to part, if they were pressed.
    fn bouncing(&self) -> Vec<usize> {
        let bounces = |k: &usize| self.points[*k].parts > 0.0 && self.pushed[*k] > 0.0;
        (0..self.points.len()).filter(bounces).collect()
    }

    /// Gives the part `sign` of what these contacts were pressed by.
    fn give(&self, which: &[usize], sign: f32, nodes: &mut Nodes) {
        for &k in which {
            push(nodes, self.pair, self.arms[k], sign * self.pushed[k] * self.surface.normal);
        }
    }

    /// Lets these part by how fast bodies come where contacts are carried.
    fn find_speeds(&mut self, which: &[usize], nodes: &Nodes) {
        let arms = self.arms.clone();
        self.carry(nodes);
        let carried = std::mem::replace(&mut self.arms, arms);
        for &k in which {
            let (speed, _) = along(nodes, self.pair, carried[k], self.surface.normal);
            self.points[k].parts = self.points[k].restitution * (-speed).max(0.0);
        }
    }

    /// Brings these to the speeds at which they are to part.
    fn part(&mut self, which: &[usize], nodes: &mut Nodes) {
        self.push(|point, k| which.contains(&k).then_some(point.parts), nodes);
    }
}

/// Presses these manifolds, moves their bodies, and parts what bounces; once, so that no later round decides by what rounding
/// has left whether something is pressed. The reference starts from what was pressed by then.
fn parts_as_one_by_one(nodes: &Nodes, plain: &mut [Plain]) -> Result<Quads, TestCaseError> {
    let (h, threads) = (1.0 / 60.0, Threads::default());
    let mut quads = Quads::default();
    quads.arrange(&[], &[], plain.iter().map(|plain| plain.pair), &threads, nodes);
    quads.put_manifolds(&threads, nodes, |number| Some(plain[number as usize].put()));
    let mut found = nodes.clone();
    quads.press(Some(1.0), 3, &law(h), &threads, &mut found);
    found.displace(h, &threads);
    quads.carry_bounces(&threads, &found);
    let mut wanted = found.clone();
    for (number, one) in (0..).zip(plain.iter_mut()) {
        one.recall(number, &quads);
    }
    quads.part(true, 1, &threads, &mut found);
    // Seams have their turn after parts.
    let sewn = are_sewn(&quads);
    for turn in [false, true] {
        let now = plain.iter_mut().zip(&sewn).filter(|(_, is_sewn)| **is_sewn == turn);
        let mut now: Vec<_> = now.map(|(one, _)| (one.bouncing(), one)).collect();
        now.iter().for_each(|(which, one)| one.give(which, -1.0, &mut wanted));
        now.iter_mut().for_each(|(which, one)| one.find_speeds(which, &wanted));
        now.iter().for_each(|(which, one)| one.give(which, 1.0, &mut wanted));
        now.iter_mut().for_each(|(_, one)| one.carry(&wanted));
        now.iter_mut().for_each(|(which, one)| one.part(which, &mut wanted));
    }
    for node in 0..nodes.len() as u32 {
        let (found, wanted) = (found.speed(node), wanted.speed(node));
        prop_assert!(found.linear.distance(wanted.linear) < 2e-3, "{found:?} {wanted:?}");
        prop_assert!((found.angular - wanted.angular).abs() < 1e-2, "{found:?} {wanted:?}");
    }
    for (number, one) in (0..).zip(plain) {
        for (wanted, found) in one.pushed.iter().zip(quads.impulses(number)) {
            prop_assert!((found.y - wanted).abs() < 5e-4 * (1.0 + wanted), "{found} {wanted}");
        }
    }
    Ok(quads)
}

proptest! {
    #[test]
    fn what_bounces_in_a_pile_parts_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES),
        raw in prop::collection::vec(
            (0..BODIES as u32, 1..BODIES as u32, -3.0_f32..3.0, any::<bool>(), -0.05_f32..0.05, 0.0_f32..2.0),
            1..40
        ),
        parts in prop::collection::vec([0.0_f32..3.0, -3.0..3.0], 40),
    ) {
        let nodes = boxes(&motions);
        let mut plain: Vec<Plain> = raw.into_iter().map(|raw| manifold(raw, &nodes)).collect();
        for (one, parts) in plain.iter_mut().zip(parts) {
            for (point, parts) in one.points.iter_mut().zip(parts) {
                point.parts = parts.max(0.0);
                point.restitution = point.parts / 3.0;
            }
        }
        parts_as_one_by_one(&nodes, &mut plain)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]
    #[test]
    fn what_bounces_in_a_pile_that_is_cut_parts_as_one_by_one(
        motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), 97),
        parts in prop::collection::vec(-3.0_f32..3.0, 89),
    ) {
        let (mut nodes, pairs) = square();
        for (node, &(x, y, spin)) in (0..nodes.len() as u32).zip(motions.iter().cycle()) {
            let speed = nodes.speed_mut(node);
            (speed.linear, speed.angular) = (Vec2::new(x, y), spin);
        }
        let contact = |(pair, parts): ([u32; 2], &f32)| {
            let [a, b] = pair.map(|node| nodes[node].center);
            let surface = Surface { normal: (a - b).normalize(), friction: 0.5 };
            let places = [0.5 * (a + b); 2];
            let parts = parts.max(0.0);
            let point = Point { places, parts, restitution: parts / 3.0, ..Point::default() };
            Plain::new(pair, surface, vec![point], vec![0.0], &nodes)
        };
        let mut plain: Vec<Plain> =
            pairs.into_iter().zip(parts.iter().cycle()).map(contact).collect();
        let quads = parts_as_one_by_one(&nodes, &mut plain)?;
        let sewn = are_sewn(&quads);
        let bounce = |is_seam: bool| {
            let bounces = |one: &Plain| one.points[0].parts > 0.0 && one.pushed[0] > 0.0;
            plain.iter().zip(&sewn).filter(|(one, sewn)| **sewn == is_seam && bounces(one)).count()
        };
        let counts = [bounce(true), bounce(false)];
        prop_assert!(counts[0] > 10 && counts[1] > 1000, "{counts:?}");
    }
}
