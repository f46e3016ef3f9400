//! Edges against the same arithmetic one after the other.

use super::*;

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
        /// What displacements may differ by, m.
        const OFF: f32 = 2e-5;
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
                prop_assert!(apart.length() < OFF, "{node} is {apart} off");
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
            // Bodies move at some m/s. As places may be so far off, so are the directions of short edges.
            let length = |one: &PlainEdge| {
                let [a, b] = one.span.nodes.map(|node| expected.place(node));
                a.distance(b)
            };
            let shortest = plain.iter().map(length).fold(f32::MAX, f32::min);
            let most = 1e-3 + 2.0 * OFF / shortest;
            for node in 0..BODIES as u32 {
                let apart = nodes.speed(node).linear - expected.speed(node).linear;
                prop_assert!(apart.length() < most, "{node} is {apart} m/s off");
            }
        }
    }
}
