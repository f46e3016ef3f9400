//! What edges do to their ends, in batches: the position stage of stiff edges and of springs, and the
//! velocity stage. The formulas are those of `edges.rs`.
//!
//! Everything is made of displacements `δ` since the sub-step began and the vectors `g` that edges had
//! then: an edge is now `g + δ_b − δ_a`, with all digits of the displacements wherever the body is.

use crate::math::{Vec2, direction_or};
use crate::solver::verlet::batch::{Batch, Ends, LANES, Lanes, Plane, batches};

/// An edge with what the model says about it in one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stick {
    /// Its index in the model.
    pub(super) index: u32,
    pub(super) a: u32,
    pub(super) b: u32,
    pub(super) rest: f32,
    /// Inverse stiffness, 0 for a stiff one, and damping.
    pub(super) compliance: f32,
    pub(super) damping: f32,
    pub(super) w_a: f32,
    pub(super) w_b: f32,
}

/// The position stage of a list of edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Sticks {
    stiff: Vec<Stiff>,
    springs: Vec<Spring>,
    /// Whether each batch in turn is one of springs.
    order: Vec<bool>,
}

#[derive(Clone, Debug)]
struct Stiff {
    batch: Batch,
    ends: Ends,
    /// What they were at the start of the sub-step.
    before: Plane,
    rest_squared: Lanes,
    w: [Lanes; 2],
}

#[derive(Clone, Debug)]
struct Spring {
    batch: Batch,
    ends: Ends,
    before: Plane,
    along: Plane,
    rest: Lanes,
    compliance: Lanes,
    damping: Lanes,
    w: [Lanes; 2],
    /// `α̃`, `γ`, and the mobility with both.
    alpha: Lanes,
    gamma: Lanes,
    give: Lanes,
    lambda: Lanes,
}

impl Sticks {
    /// Those of some edges, in this order.
    pub(super) fn new(sticks: &[Stick]) -> Self {
        let ends: Vec<[u32; 2]> = sticks.iter().map(|stick| [stick.a, stick.b]).collect();
        let mut made = Self::default();
        for batch in batches(&ends, |index| sticks[index].compliance > 0.0) {
            let lanes = |of: fn(&Stick) -> f32| batch.lanes(|index| of(&sticks[index]));
            let w = [lanes(|stick| stick.w_a), lanes(|stick| stick.w_b)];
            let compliance = lanes(|stick| stick.compliance);
            let is_springy = compliance.lane(0) > 0.0;
            made.order.push(is_springy);
            if is_springy {
                made.springs.push(Spring {
                    batch,
                    ends: batch.ends(&ends),
                    before: Plane::default(),
                    along: Plane::default(),
                    rest: lanes(|stick| stick.rest),
                    compliance,
                    damping: lanes(|stick| stick.damping),
                    w,
                    alpha: Lanes::default(),
                    gamma: Lanes::default(),
                    give: Lanes::default(),
                    lambda: Lanes::default(),
                });
            } else {
                made.stiff.push(Stiff {
                    batch,
                    ends: batch.ends(&ends),
                    before: Plane::default(),
                    rest_squared: lanes(|stick| stick.rest * stick.rest),
                    w,
                });
            }
        }
        made.stiff.shrink_to_fit();
        made.springs.shrink_to_fit();
        made
    }

    /// Takes over the lengths that edges rest at now, by their places in the list.
    pub(super) fn set_rest(&mut self, rest: impl Fn(usize) -> f32) {
        for stiff in &mut self.stiff {
            stiff.rest_squared = stiff.batch.lanes(|index| rest(index) * rest(index));
        }
        for spring in &mut self.springs {
            spring.rest = spring.batch.lanes(&rest);
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Takes the edges as they are before a sub-step of `h` seconds.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2], h: f32) {
        for stiff in &mut self.stiff {
            let [a, b] = stiff.ends.load(positions);
            stiff.before = b - a;
        }
        for spring in &mut self.springs {
            let [a, b] = spring.ends.load(positions);
            spring.before = b - a;
            spring.along = direction(spring.before);
            spring.alpha = spring.compliance / Lanes::splat(h * h);
            spring.gamma = spring.compliance * spring.damping / Lanes::splat(h);
            let all = (Lanes::splat(1.0) + spring.gamma) * (spring.w[0] + spring.w[1]);
            spring.give = all + spring.alpha;
            spring.lambda = Lanes::default();
        }
    }

    /// One round: displaces the ends of all edges, one batch after the other.
    pub(super) fn satisfy(&mut self, delta: &mut [Vec2]) {
        let (mut stiff, mut springs) = (self.stiff.iter(), self.springs.iter_mut());
        for &is_springy in &self.order {
            if is_springy {
                if let Some(spring) = springs.next() {
                    spring.satisfy(delta);
                }
            } else if let Some(stiff) = stiff.next() {
                stiff.satisfy(delta);
            }
        }
    }
}

impl Stiff {
    #[inline(always)]
    fn satisfy(&self, delta: &mut [Vec2]) {
        let [a, b] = self.ends.load(delta);
        let now = self.before + (b - a);
        let (along, squared) = (now.dot(self.before), now.dot(now));
        let w = self.w[0] + self.w[1];
        let by = (self.rest_squared - squared) / (Lanes::splat(2.0) * w * along);
        let mut correction = by * self.before;
        let half = Lanes::splat(0.5);
        if !(along.all_above(half * half * self.rest_squared) && along.all_above(half * squared)) {
            self.turned(now, squared, &mut correction);
        }
        self.ends.store(delta, [a + -self.w[0] * correction, b + self.w[1] * correction]);
    }

    /// Corrects those that have turned or shrunk too far along where they point now.
    #[cold]
    fn turned(&self, now: Plane, squared: Lanes, correction: &mut Plane) {
        for k in 0..LANES {
            let (along, squared) = (now.lane(k).dot(self.before.lane(k)), squared.lane(k));
            let rest_squared = self.rest_squared.lane(k);
            if !(along > 0.25 * rest_squared && along > 0.5 * squared) {
                let short = rest_squared.sqrt() - squared.sqrt();
                let by = short / (self.w[0].lane(k) + self.w[1].lane(k));
                correction.set(k, by * direction_or(now.lane(k), Vec2::X));
            }
        }
    }
}

impl Spring {
    #[inline(always)]
    fn satisfy(&mut self, delta: &mut [Vec2]) {
        let [a, b] = self.ends.load(delta);
        let moved = b - a;
        let now = self.before + moved;
        let error = now.dot(now).sqrt() - self.rest;
        let left = error + self.alpha * self.lambda + self.gamma * self.along.dot(moved);
        let by = -left / self.give;
        self.lambda = self.lambda + by;
        let [w_a, w_b] = self.w;
        self.ends.store(delta, [a + (-w_a * by) * self.along, b + (w_b * by) * self.along]);
    }
}

/// The velocity stage of stiff edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Rods {
    list: Vec<Rod>,
}

#[derive(Clone, Debug)]
struct Rod {
    ends: Ends,
    along: Plane,
    w: [Lanes; 2],
}

impl Rods {
    /// Those of some edges, in this order.
    pub(super) fn new(sticks: &[Stick]) -> Self {
        let ends: Vec<[u32; 2]> = sticks.iter().map(|stick| [stick.a, stick.b]).collect();
        let rod = |batch: Batch| Rod {
            ends: batch.ends(&ends),
            along: Plane::default(),
            w: [batch.lanes(|index| sticks[index].w_a), batch.lanes(|index| sticks[index].w_b)],
        };
        Self { list: batches(&ends, |_| false).into_iter().map(rod).collect() }
    }

    /// Takes the directions of the edges.
    pub(super) fn begin(&mut self, positions: &[Vec2]) {
        for rod in &mut self.list {
            let [a, b] = rod.ends.load(positions);
            rod.along = direction(b - a);
        }
    }

    /// One round: the ends neither approach nor part.
    pub(super) fn relax(&self, velocities: &mut [Vec2]) {
        for Rod { ends, along, w: [w_a, w_b] } in &self.list {
            let [a, b] = ends.load(velocities);
            let impulse = (-(b - a).dot(*along) / (*w_a + *w_b)) * *along;
            ends.store(velocities, [a - *w_a * impulse, b + *w_b * impulse]);
        }
    }
}

/// The direction of each, or that of x where it is too short to have one.
#[inline(always)]
fn direction(of: Plane) -> Plane {
    let length = of.dot(of).sqrt();
    let along = Plane { x: of.x / length, y: of.y / length };
    if length.all_above(Lanes::splat(1e-12)) { along } else { directions(of) }
}

/// The same, one after the other.
#[cold]
fn directions(of: Plane) -> Plane {
    let mut along = Plane::default();
    for k in 0..LANES {
        along.set(k, direction_or(of.lane(k), Vec2::X));
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const POINTS: usize = 20;

    /// The same formulas, one edge after the other.
    fn one_by_one(
        sticks: &[Stick],
        start: &[Vec2],
        delta: &mut [Vec2],
        lambdas: &mut [f32],
        h: f32,
    ) {
        for (stick, lambda) in sticks.iter().zip(lambdas) {
            let (a, b, w) = (stick.a as usize, stick.b as usize, stick.w_a + stick.w_b);
            let (before, moved) = (start[b] - start[a], delta[b] - delta[a]);
            let now = before + moved;
            let correction = if stick.compliance > 0.0 {
                let along = direction_or(before, Vec2::X);
                let alpha = stick.compliance / (h * h);
                let gamma = stick.compliance * stick.damping / h;
                let error = now.length() - stick.rest;
                let left = error + alpha * *lambda + gamma * along.dot(moved);
                let by = -left / ((1.0 + gamma) * w + alpha);
                *lambda += by;
                by * along
            } else {
                let (square, rest_square) = (now.length_squared(), stick.rest * stick.rest);
                let along = now.dot(before);
                if along > 0.25 * rest_square && along > 0.5 * square {
                    (rest_square - square) / (2.0 * w * along) * before
                } else {
                    (stick.rest - square.sqrt()) / w * direction_or(now, Vec2::X)
                }
            };
            delta[a] -= stick.w_a * correction;
            delta[b] += stick.w_b * correction;
        }
    }

    proptest! {
        #[test]
        fn eight_at_a_time_is_the_same_as_one_by_one(
            start in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), POINTS),
            moves in prop::collection::vec((-0.2_f32..0.2, -0.2_f32..0.2), POINTS),
            raw in prop::collection::vec(
                (0..POINTS as u32, 1..POINTS as u32, 0.2_f32..2.0, any::<bool>()), 1..60
            ),
        ) {
            const H: f32 = 1.0 / 480.0;
            let start: Vec<Vec2> = start.into_iter().map(Vec2::from).collect();
            let mut delta: Vec<Vec2> = moves.into_iter().map(Vec2::from).collect();
            let stick = |(index, (a, by, rest, is_springy)): (usize, (u32, u32, f32, bool))| Stick {
                index: index as u32,
                a,
                b: (a + by) % POINTS as u32,
                rest,
                compliance: if is_springy { 1e-5 } else { 0.0 },
                damping: 2.0,
                w_a: if a == 0 { 0.0 } else { 1.0 },
                w_b: 0.5,
            };
            let sticks: Vec<Stick> = raw.into_iter().enumerate().map(stick).collect();
            let mut batched = Sticks::new(&sticks);
            batched.begin_substep(&start, H);
            let (mut expected, mut lambdas) = (delta.clone(), vec![0.0; sticks.len()]);
            for _ in 0..2 {
                batched.satisfy(&mut delta);
                one_by_one(&sticks, &start, &mut expected, &mut lambdas, H);
            }
            for (found, wanted) in delta.iter().zip(&expected) {
                prop_assert!(found.distance(*wanted) <= 1e-4 * (1.0 + wanted.length()), "{found} {wanted}");
            }
        }
    }
}
