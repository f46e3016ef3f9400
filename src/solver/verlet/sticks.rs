//! What edges do to their ends, in batches: the position stage of stiff edges and of springs, and the
//! velocity stage. The formulas are those of `edges.rs`.
//!
//! Everything is made of displacements `δ` since the sub-step began and the vectors `g` that edges had
//! then: an edge is now `g + δ_b − δ_a`, with all digits of the displacements wherever the body is.

use crate::math::{Vec2, direction_or};
use crate::solver::verlet::batch::{Batch, Ends, LANES, Lanes, Plane, batches};
use crate::solver::verlet::plane::{self, Numbers};
use crate::solver::verlet::start::{KEPT, Start};

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

/// A list of edges.
#[derive(Clone, Debug, Default)]
pub(super) struct Sticks {
    stiff: Vec<Stiff>,
    /// For each of them; none for those of rigid frames, whose velocities are not theirs to decide.
    holds: Vec<Hold>,
    springs: Vec<Spring>,
    /// Whether each batch in turn is one of springs.
    order: Vec<bool>,
    /// Which edges the batches of either kind have, by their places in the list.
    stiff_batches: Vec<Batch>,
    spring_batches: Vec<Batch>,
}

#[derive(Clone, Debug)]
struct Stiff {
    ends: Ends,
    /// `g`: what they were at the start of the sub-step.
    before: Plane,
    rest_squared: Lanes,
    w: [Lanes; 2],
}

/// What the velocity stage and the next sub-step want to know of a batch of stiff edges.
#[derive(Clone, Debug, Default)]
struct Hold {
    /// `1 / ((w_a + w_b)·g·g)`, kg/m².
    mass: Lanes,
    /// Displacement impulse over the length of `g`, kg.
    lambda: Lanes,
    /// The group of bodies that all edges of a full batch are part of (`start.rs`).
    group: Option<u32>,
}

#[derive(Clone, Debug)]
struct Spring {
    ends: Ends,
    before: Plane,
    along: Plane,
    rest: Lanes,
    compliance: Lanes,
    damping: Lanes,
    w: [Lanes; 2],
    /// `α̃`, `γ`, and one over the mobility with both.
    alpha: Lanes,
    gamma: Lanes,
    inv_give: Lanes,
    lambda: Lanes,
}

impl Sticks {
    /// Those of some edges that hold by themselves, in this order.
    pub(super) fn new(sticks: &[Stick]) -> Self {
        let mut made = Self::of_frames(sticks);
        made.holds = vec![Hold::default(); made.stiff.len()];
        made
    }

    /// Those of some edges of rigid frames, in this order.
    pub(super) fn of_frames(sticks: &[Stick]) -> Self {
        let ends: Vec<[u32; 2]> = sticks.iter().map(|stick| [stick.a, stick.b]).collect();
        let mut made = Self::default();
        for batch in batches(&ends, |index| sticks[index].compliance > 0.0) {
            let lanes = |of: fn(&Stick) -> f32| batch.lanes(|index| of(&sticks[index]));
            let w = [lanes(|stick| stick.w_a), lanes(|stick| stick.w_b)];
            let compliance = lanes(|stick| stick.compliance);
            let is_springy = compliance.lane(0) > 0.0;
            made.order.push(is_springy);
            if is_springy {
                made.spring_batches.push(batch);
                made.springs.push(Spring {
                    ends: batch.ends(&ends),
                    before: Plane::default(),
                    along: Plane::default(),
                    rest: lanes(|stick| stick.rest),
                    compliance,
                    damping: lanes(|stick| stick.damping),
                    w,
                    alpha: Lanes::default(),
                    gamma: Lanes::default(),
                    inv_give: Lanes::default(),
                    lambda: Lanes::default(),
                });
            } else {
                made.stiff_batches.push(batch);
                made.stiff.push(Stiff {
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

    /// Notes which batches are of one group of bodies; `groups` are those of all edges, by their places in the list.
    pub(super) fn note_groups(&mut self, groups: &[u32]) {
        for (hold, batch) in self.holds.iter_mut().zip(&self.stiff_batches) {
            let mut of_edges = batch.members().iter().map(|&index| groups[index as usize]);
            let first = of_edges.next().filter(|_| batch.members().len() == LANES);
            hold.group = first.filter(|&first| of_edges.all(|group| group == first));
        }
    }

    /// Takes over the lengths that edges rest at now, by their places in the list, for sub-steps of `h` seconds.
    pub(super) fn time(&mut self, rest: impl Fn(usize) -> f32, h: f32) {
        for (stiff, batch) in self.stiff.iter_mut().zip(&self.stiff_batches) {
            stiff.rest_squared = batch.lanes(|index| rest(index) * rest(index));
        }
        for (spring, batch) in self.springs.iter_mut().zip(&self.spring_batches) {
            spring.rest = batch.lanes(&rest);
            spring.alpha = spring.compliance / Lanes::splat(h * h);
            spring.gamma = spring.compliance * spring.damping / Lanes::splat(h);
            let all = (Lanes::splat(1.0) + spring.gamma) * (spring.w[0] + spring.w[1]);
            spring.inv_give = Lanes::splat(1.0) / (all + spring.alpha);
        }
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Takes stiff edges as they are before a sub-step.
    pub(super) fn take_stiff(&mut self, positions: &[Vec2]) {
        for stiff in &mut self.stiff {
            let [a, b] = stiff.ends.load(positions);
            stiff.before = b - a;
        }
    }

    /// Takes springs as they are before a sub-step.
    pub(super) fn take_springs(&mut self, positions: &[Vec2]) {
        for spring in &mut self.springs {
            let [a, b] = spring.ends.load(positions);
            spring.before = b - a;
            spring.along = direction(spring.before);
            spring.lambda = Lanes::default();
        }
    }

    /// Spreads what stiff edges were given in the sub-step before, and tells how much of it they ask for. `groups`
    /// are those of all edges, by their places in the list.
    pub(super) fn spread(&self, delta: &[Vec2], groups: &[u32], start: &mut Start) {
        let (spread, mut asked) = start.spread_and_asked();
        let stiff = self.stiff.iter().zip(&self.holds);
        for ((stiff, Hold { lambda, group, .. }), batch) in stiff.zip(&self.stiff_batches) {
            let [a, b] = stiff.ends.load(delta);
            let now = stiff.before + (b - a);
            let half = Lanes::splat(0.5) * *lambda;
            let asks = half * (now.dot(now) - stiff.rest_squared);
            match *group {
                Some(group) => asked.add(group, asks.sum()),
                None => {
                    for (k, &index) in batch.members().iter().enumerate() {
                        asked.add(groups[index as usize], asks.lane(k));
                    }
                }
            }
            let [a, b] = stiff.ends.load(spread);
            let by = *lambda * stiff.before;
            stiff.ends.store(spread, [a + -stiff.w[0] * by, b + stiff.w[1] * by]);
        }
        asked.finish();
    }

    /// Keeps only a part of what stiff edges start with, another for each group.
    pub(super) fn keep_part(&mut self, groups: &[u32], part: impl Fn(u32) -> f32) {
        for (hold, batch) in self.holds.iter_mut().zip(&self.stiff_batches) {
            let parts = match hold.group {
                Some(group) => Lanes::splat(part(group)),
                None => batch.lanes(|index| part(groups[index])),
            };
            hold.lambda = hold.lambda * parts;
        }
    }

    /// One round: displaces the ends of all edges, one batch after the other.
    pub(super) fn satisfy(&mut self, delta: &mut [Vec2]) {
        let (mut stiff, mut springs) = (self.stiff.iter(), self.springs.iter_mut());
        let mut holds = self.holds.iter_mut();
        for &is_springy in &self.order {
            if is_springy {
                if let Some(spring) = springs.next() {
                    spring.satisfy(delta);
                }
            } else if let Some(stiff) = stiff.next() {
                stiff.satisfy(delta, holds.next());
            }
        }
    }

    /// Takes stiff edges as they are after a sub-step, for the velocity stage and for the sub-step that follows.
    pub(super) fn begin_relaxing(&mut self, positions: &[Vec2]) {
        for (stiff, hold) in self.stiff.iter_mut().zip(&mut self.holds) {
            let [a, b] = stiff.ends.load(positions);
            stiff.before = b - a;
            let squared = stiff.before.dot(stiff.before).max(1e-24);
            hold.mass = Lanes::splat(1.0) / ((stiff.w[0] + stiff.w[1]) * squared);
            hold.lambda = Lanes::splat(1.0 - KEPT) * hold.lambda;
        }
    }

    /// One round of the velocity stage of a sub-step of `h` seconds: the ends of a stiff edge neither approach
    /// nor part.
    pub(super) fn relax(&mut self, velocities: &mut [Vec2], h: f32) {
        let kept = Lanes::splat(KEPT * h);
        for (stiff, Hold { mass, lambda, .. }) in self.stiff.iter().zip(&mut self.holds) {
            let Stiff { ends, before, w: [w_a, w_b], .. } = stiff;
            let [a, b] = ends.load(velocities);
            let by = -*mass * (b - a).dot(*before);
            *lambda = *lambda + kept * by;
            let impulse = by * *before;
            ends.store(velocities, [a - *w_a * impulse, b + *w_b * impulse]);
        }
    }

    /// What each stiff edge starts with in the sub-step that follows, by its place in the list.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        self.holds.iter().zip(&self.stiff_batches).flat_map(|(hold, batch)| {
            let members = batch.members().iter().enumerate();
            members.map(|(k, &index)| (index as usize, hold.lambda.lane(k)))
        })
    }

    /// Sets that.
    pub(super) fn start_with(&mut self, kept: impl Fn(usize) -> f32) {
        for (hold, batch) in self.holds.iter_mut().zip(&self.stiff_batches) {
            hold.lambda = batch.lanes(&kept);
        }
    }
}

impl Stiff {
    #[inline(always)]
    fn satisfy(&self, delta: &mut [Vec2], hold: Option<&mut Hold>) {
        let [a, b] = self.ends.load(delta);
        let [w_a, w_b] = self.w;
        let Some((by, correction)) = stiff(self.before, b - a, self.rest_squared, w_a + w_b) else {
            return self.satisfy_turned(delta, hold);
        };
        if let Some(hold) = hold {
            hold.lambda = hold.lambda + by;
        }
        self.ends.store(delta, [a - correction.times(w_a), b + correction.times(w_b)]);
    }

    /// The same where any have turned.
    #[cold]
    #[inline(never)]
    fn satisfy_turned(&self, delta: &mut [Vec2], hold: Option<&mut Hold>) {
        let [mut a, mut b] = self.ends.load(delta);
        let (mut all_by, [w_a, w_b]) = (Lanes::default(), self.w);
        for k in 0..LANES {
            let (moved, w) = (b.lane(k) - a.lane(k), [w_a.lane(k), w_b.lane(k)]);
            let (before, rest_squared) = (self.before.lane(k), self.rest_squared.lane(k));
            let (by, correction) = one_stiff(before, moved, rest_squared, w[0] + w[1]);
            a.set(k, a.lane(k) - w[0] * correction);
            b.set(k, b.lane(k) + w[1] * correction);
            all_by.set(k, by);
        }
        if let Some(hold) = hold {
            hold.lambda = hold.lambda + all_by;
        }
        self.ends.store(delta, [a, b]);
    }
}

/// The displacement impulses, over the lengths of `before`, that bring stiff edges to their lengths which were `before`
/// and whose ends have `moved` apart since, and what these displace per inverse mass; `w` is that of both ends. None
/// where any has turned or shrunk too far for that.
#[inline(always)]
pub(super) fn stiff<T: Numbers>(
    before: plane::Plane<T>,
    moved: plane::Plane<T>,
    rest_squared: T,
    w: T,
) -> Option<(T, plane::Plane<T>)> {
    let now = before + moved;
    let (along, squared) = (now.dot(before), now.dot(now));
    if !along.all_above((rest_squared * 0.25).larger(squared * 0.5)) {
        return None;
    }
    let by = (rest_squared - squared) / (w * 2.0 * along);
    Some((by, before.times(by)))
}

/// The same for one edge, which is corrected along where it points now if it has turned or shrunk too far.
pub(super) fn one_stiff(before: Vec2, moved: Vec2, rest_squared: f32, w: f32) -> (f32, Vec2) {
    let now = before + moved;
    let (along, squared) = (now.x * before.x + now.y * before.y, now.x * now.x + now.y * now.y);
    if along > 0.25 * rest_squared && along > 0.5 * squared {
        let by = (rest_squared - squared) / (w * 2.0 * along);
        return (by, by * before);
    }
    let short = rest_squared.sqrt() - squared.sqrt();
    // The impulse is of no use along where it pointed before.
    (0.0, short / w * direction_or(now, Vec2::X))
}

impl Spring {
    #[inline(always)]
    fn satisfy(&mut self, delta: &mut [Vec2]) {
        let [a, b] = self.ends.load(delta);
        let moved = b - a;
        let now = self.before + moved;
        let error = now.dot(now).sqrt() - self.rest;
        let left = error + self.alpha * self.lambda + self.gamma * self.along.dot(moved);
        let by = -left * self.inv_give;
        self.lambda = self.lambda + by;
        let [w_a, w_b] = self.w;
        self.ends.store(delta, [a + (-w_a * by) * self.along, b + (w_b * by) * self.along]);
    }
}

/// The direction of each, or that of x where it is too short to have one.
#[inline(always)]
fn direction(of: Plane) -> Plane {
    let length = of.dot(of).sqrt();
    let along = Lanes::splat(1.0) / length * of;
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
            batched.time(|place| sticks[place].rest, H);
            batched.take_stiff(&start);
            batched.take_springs(&start);
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
