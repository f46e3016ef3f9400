//! What edges do to their ends, in batches: the position stage of stiff edges and of springs, and the
//! velocity stage. The formulas are those of `edges.rs`.
//!
//! Everything is made of displacements `δ` since the sub-step began and the vectors `g` that edges had
//! then: an edge is now `g + δ_b − δ_a`, with all digits of the displacements wherever the body is.

use std::collections::HashMap;
use std::ops::Range;

use fearless_simd::{Level, Simd, dispatch, f32x8, prelude::*};

use crate::math::{Mapped, Vec2, direction_or};
use crate::solver::plane::{Numbers, Plane};
use crate::solver::verlet::batch::{Batch, Ends, batches};
use crate::solver::verlet::eight::{LANES, Lanes};
use crate::solver::verlet::moves::Moves;
use crate::solver::verlet::start::{KEPT, Start};
use crate::world::State;

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
///
/// A cloth of ten thousand points has more of these numbers than the cache of a core holds, and every round passes
/// over all of them. So each pass has what it needs side by side, and what many batches have in common is kept once
/// ([`Kind`]).
#[derive(Clone, Debug, Default)]
pub(super) struct Sticks {
    stiff: Vec<Stiff>,
    /// For each of them `g`: what they were at the start of the sub-step.
    before: Vec<Plane<Lanes>>,
    /// Displacement impulse over the length of `g`, kg; none for those of rigid frames, whose velocities are not
    /// theirs to decide.
    lambdas: Vec<Lanes>,
    /// The group of bodies that all edges of a full batch are part of (`start.rs`).
    groups: Vec<Option<u32>>,
    springs: Vec<Spring>,
    /// Impulse of each in this sub-step, and what it starts with in the next if it does not start from nothing.
    spring_lambdas: Vec<Lanes>,
    kinds: Vec<Kind>,
    /// In which order batches of either kind take turns.
    order: Vec<Run>,
    /// Which edges the batches of either kind have, by their places in the list.
    stiff_batches: Vec<Batch>,
    spring_batches: Vec<Batch>,
}

/// Batches of one kind that follow on each other.
#[derive(Clone, Debug)]
struct Run {
    /// Whether they are of springs.
    is_springy: bool,
    /// Which of those of that kind.
    places: Range<usize>,
}

#[derive(Clone, Debug)]
struct Stiff {
    ends: Ends,
    rest_squared: Lanes,
    kind: u32,
}

#[derive(Clone, Debug)]
struct Spring {
    ends: Ends,
    rest: Lanes,
    kind: u32,
}

/// What batches of edges of one material between points of the same masses have in common.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    w: [Lanes; 2],
    compliance: Lanes,
    damping: Lanes,
    /// Of springs `α̃`, `γ`, and one over the mobility with both.
    alpha: Lanes,
    gamma: Lanes,
    inv_give: Lanes,
}

impl Sticks {
    /// Those of some edges that hold by themselves, in this order.
    pub(super) fn new(sticks: &[Stick]) -> Self {
        let mut made = Self::of_frames(sticks);
        made.lambdas = vec![Lanes::default(); made.stiff.len()];
        made
    }

    /// Those of some edges of rigid frames, in this order.
    pub(super) fn of_frames(sticks: &[Stick]) -> Self {
        let ends: Vec<[u32; 2]> = sticks.iter().map(|stick| [stick.a, stick.b]).collect();
        let mut made = Self::default();
        let mut known = HashMap::new();
        for batch in batches(&ends, |index| sticks[index].compliance > 0.0) {
            let lanes = |of: fn(&Stick) -> f32| batch.lanes(|index| of(&sticks[index]));
            let [w_a, w_b] = [lanes(|stick| stick.w_a), lanes(|stick| stick.w_b)];
            let [compliance, damping] =
                [lanes(|stick| stick.compliance), lanes(|stick| stick.damping)];
            let next = made.kinds.len() as u32;
            let kind = *known
                .entry([w_a, w_b, compliance, damping].mapped(|lanes| lanes.0.mapped(f32::to_bits)))
                .or_insert(next);
            if kind == next {
                made.kinds.push(Kind { w: [w_a, w_b], compliance, damping, ..Kind::default() });
            }
            let is_springy = compliance.0[0] > 0.0;
            let place = if is_springy { made.springs.len() } else { made.stiff.len() };
            match made.order.last_mut().filter(|run| run.is_springy == is_springy) {
                Some(run) => run.places.end += 1,
                None => made.order.push(Run { is_springy, places: place..place + 1 }),
            }
            let (ends, rest) = (batch.ends(&ends), lanes(|stick| stick.rest));
            if is_springy {
                made.spring_batches.push(batch);
                made.springs.push(Spring { ends, rest, kind });
            } else {
                made.stiff_batches.push(batch);
                let rest_squared = Lanes(rest.0.mapped(|rest| rest * rest));
                made.stiff.push(Stiff { ends, rest_squared, kind });
            }
        }
        made.stiff.shrink_to_fit();
        made.springs.shrink_to_fit();
        made.before = vec![Plane::default(); made.stiff.len()];
        made.spring_lambdas = vec![Lanes::default(); made.springs.len()];
        made
    }

    /// Notes which batches are of one group of bodies; `groups` are those of all edges, by their places in the list.
    pub(super) fn note_groups(&mut self, groups: &[u32]) {
        self.groups.clear();
        self.groups.extend(self.stiff_batches.iter().map(|batch| {
            let mut of_edges = batch.members().iter().map(|&index| groups[index as usize]);
            let first = of_edges.next().filter(|_| batch.members().len() == LANES);
            first.filter(|&first| of_edges.all(|group| group == first))
        }));
    }

    /// Takes over the lengths that edges rest at now, by their places in the list, for sub-steps of `h` seconds.
    pub(super) fn time(&mut self, rest: impl Fn(usize) -> f32, h: f32) {
        for (stiff, batch) in self.stiff.iter_mut().zip(&self.stiff_batches) {
            stiff.rest_squared = batch.lanes(|index| rest(index).powi(2));
        }
        for (spring, batch) in self.springs.iter_mut().zip(&self.spring_batches) {
            spring.rest = batch.lanes(&rest);
        }
        self.kinds.iter_mut().for_each(|kind| kind.time(h));
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Takes stiff edges as they are before a sub-step.
    pub(super) fn take_stiff(&mut self, positions: &[Vec2]) {
        let stiff = self.stiff.iter().zip(&mut self.before);
        dispatch!(Level::new(), simd => for (stiff, before) in stiff {
            let [a, b] = stiff.ends.load(simd, positions);
            *before = (b - a).into();
        });
    }

    /// Spreads what stiff edges were given in the sub-step before, and tells how much of it they ask for. `groups`
    /// are those of all edges, by their places in the list.
    pub(super) fn spread(&self, delta: &[Vec2], groups: &[u32], start: &mut Start) {
        dispatch!(Level::new(), simd => self.spread_on(simd, delta, groups, start));
    }

    #[inline(always)]
    fn spread_on<S: Simd>(&self, simd: S, delta: &[Vec2], groups: &[u32], start: &mut Start) {
        let (spread, mut asked) = start.spread_and_asked();
        let stiff = self.stiff.iter().zip(&self.before).zip(&self.lambdas);
        let batches = self.groups.iter().zip(&self.stiff_batches);
        for (((stiff, before), lambda), (group, batch)) in stiff.zip(batches) {
            let (before, lambda) = (before.read(simd), lambda.read(simd));
            let [a, b] = stiff.ends.load(simd, delta);
            let now = before + (b - a);
            let error = now.dot(now) - stiff.rest_squared.read(simd);
            let asks = Lanes::from(lambda * 0.5 * error);
            match *group {
                Some(group) => asked.add(group, asks.sum()),
                None => {
                    for (index, lane) in batch.members_in_lanes() {
                        asked.add(groups[index as usize], asks.0[lane]);
                    }
                }
            }
            let [a, b] = stiff.ends.load(simd, spread);
            let ([w_a, w_b], by) = (self.kinds[stiff.kind as usize].w(simd), before.times(lambda));
            stiff.ends.store(spread, [a - by.times(w_a), b + by.times(w_b)]);
        }
        asked.finish();
    }

    /// Spreads what springs gave in the sub-step before; `moves` are those so far.
    pub(super) fn spread_springs(&self, moves: &Moves, groups: &[u32], start: &mut Start) {
        dispatch!(Level::new(), simd => self.spread_springs_on(simd, moves, groups, start));
    }

    #[inline(always)]
    fn spread_springs_on<S: Simd>(
        &self,
        simd: S,
        moves: &Moves,
        groups: &[u32],
        start: &mut Start,
    ) {
        let (spread, mut asked) = start.spread_and_asked();
        let all = self.springs.iter().zip(&self.spring_lambdas).zip(&self.spring_batches);
        for ((spring, lambda), batch) in all {
            let (kind, lambda) = (&self.kinds[spring.kind as usize], lambda.read(simd));
            let [a, b] = spring.ends.load(simd, &moves.start);
            let before = b - a;
            let along = direction(simd, before);
            let [a, b] = spring.ends.load(simd, &moves.delta);
            let now = before + (b - a);
            let error = now.dot(now).sqrt() - spring.rest.read(simd);
            // All over `1 + γ`, so that what it does to others is what they do to it.
            let (gamma, over) = (kind.gamma.read(simd), 1.0 / (1.0 + kind.gamma.read(simd)));
            let asks = (error + gamma * along.dot(b - a)) * over * lambda;
            let yields = kind.alpha.read(simd) * over * lambda * lambda;
            let (asks, yields) = (Lanes::from(asks), Lanes::from(yields));
            for (index, lane) in batch.members_in_lanes() {
                asked.add_spring(groups[index as usize], asks.0[lane], yields.0[lane]);
            }
            let [a, b] = spring.ends.load(simd, spread);
            let ([w_a, w_b], by) = (kind.w(simd), along.times(lambda));
            spring.ends.store(spread, [a - by.times(w_a), b + by.times(w_b)]);
        }
        asked.finish();
    }

    /// Takes what springs start with so many times.
    pub(super) fn scale_springs(&mut self, by: f32) {
        self.spring_lambdas.iter_mut().flat_map(|lambda| &mut lambda.0).for_each(|of| *of *= by);
    }

    /// Keeps only a part of what springs start with, another for each group.
    pub(super) fn keep_part_of_springs(&mut self, groups: &[u32], part: impl Fn(u32) -> f32) {
        for (lambda, batch) in self.spring_lambdas.iter_mut().zip(&self.spring_batches) {
            let parts = batch.lanes(|index| part(groups[index]));
            lambda.0.iter_mut().zip(parts.0).for_each(|(lambda, part)| *lambda *= part);
        }
    }

    /// Keeps only a part of what stiff edges start with, another for each group.
    pub(super) fn keep_part(&mut self, groups: &[u32], part: impl Fn(u32) -> f32) {
        let batches = self.groups.iter().zip(&self.stiff_batches);
        for (lambda, (group, batch)) in self.lambdas.iter_mut().zip(batches) {
            let parts = match *group {
                Some(group) => Lanes([part(group); LANES]),
                None => batch.lanes(|index| part(groups[index])),
            };
            lambda.0.iter_mut().zip(parts.0).for_each(|(lambda, part)| *lambda *= part);
        }
    }

    /// One round, the `first` of a sub-step or one after it: displaces the ends of all edges, one batch after the
    /// other. `start` is where points were when the sub-step began.
    pub(super) fn satisfy(&mut self, start: &[Vec2], delta: &mut [Vec2], first: bool) {
        self.satisfy_on(Level::new(), start, delta, first);
    }

    /// The same with vectors of this width.
    fn satisfy_on(&mut self, level: Level, start: &[Vec2], delta: &mut [Vec2], first: bool) {
        dispatch!(level, simd => self.satisfy_all(simd, start, delta, first));
    }

    #[inline(always)]
    fn satisfy_all<S: Simd>(&mut self, simd: S, start: &[Vec2], delta: &mut [Vec2], first: bool) {
        let Self { kinds, order, .. } = self;
        for Run { is_springy, places } in &*order {
            let places = places.clone();
            if *is_springy {
                let lambdas = &mut self.spring_lambdas[places.clone()];
                for (spring, lambda) in self.springs[places].iter().zip(lambdas) {
                    let before = if first { Lanes::default() } else { *lambda }.read(simd);
                    let kind = &kinds[spring.kind as usize];
                    *lambda = spring.satisfy(simd, kind, start, delta, before).into();
                }
                continue;
            }
            let stiff = self.stiff[places.clone()].iter().zip(&self.before[places.clone()]);
            let mut lambdas = self.lambdas.get_mut(places).into_iter().flatten();
            for (stiff, before) in stiff {
                let given = stiff.satisfy(simd, &kinds[stiff.kind as usize], before, delta);
                if let Some(lambda) = lambdas.next() {
                    *lambda = (lambda.read(simd) + given).into();
                }
            }
        }
    }

    /// The first round of the velocity stage of a sub-step of `h` seconds: takes stiff edges as they are after the
    /// sub-step, for this stage and for the sub-step that follows.
    pub(super) fn begin_relaxing(&mut self, State { position, velocity, .. }: &mut State, h: f32) {
        let stiff = self.stiff.iter().zip(&mut self.before).zip(&mut self.lambdas);
        dispatch!(Level::new(), simd => for ((stiff, before), lambda) in stiff {
            let [a, b] = stiff.ends.load(simd, position);
            *before = (b - a).into();
            let by = stiff.relax(simd, &self.kinds[stiff.kind as usize], b - a, velocity);
            *lambda = (lambda.read(simd) * (1.0 - KEPT) + by * (KEPT * h)).into();
        });
    }

    /// A round of the velocity stage after the first.
    pub(super) fn relax(&mut self, velocities: &mut [Vec2], h: f32) {
        let stiff = self.stiff.iter().zip(&self.before).zip(&mut self.lambdas);
        dispatch!(Level::new(), simd => for ((stiff, before), lambda) in stiff {
            let kind = &self.kinds[stiff.kind as usize];
            let by = stiff.relax(simd, kind, before.read(simd), velocities);
            *lambda = (lambda.read(simd) + by * (KEPT * h)).into();
        });
    }

    /// The largest length error of a stiff edge, m, where the velocity stage found them.
    pub(super) fn largest_error(&self) -> f32 {
        let mut largest = Lanes::default();
        let stiff = self.stiff.iter().zip(&self.before);
        dispatch!(Level::new(), simd => for (stiff, before) in stiff {
            let before = before.read(simd);
            let error = before.dot(before).sqrt() - stiff.rest_squared.read(simd).sqrt();
            largest = largest.read(simd).larger(error.abs()).into();
        });
        largest.largest()
    }

    /// What each edge starts with in the sub-step that follows, by its place in the list; of springs if their rounds do.
    pub(super) fn kept(&self) -> impl Iterator<Item = (usize, f32)> + '_ {
        let stiff = self.lambdas.iter().zip(&self.stiff_batches);
        let all = stiff.chain(self.spring_lambdas.iter().zip(&self.spring_batches));
        all.flat_map(|(lambda, batch)| {
            let members = batch.members_in_lanes();
            members.map(|(index, lane)| (index as usize, lambda.0[lane]))
        })
    }

    /// Sets that.
    pub(super) fn start_with(&mut self, kept: impl Fn(usize) -> f32) {
        let stiff = self.lambdas.iter_mut().zip(&self.stiff_batches);
        let springs = self.spring_lambdas.iter_mut().zip(&self.spring_batches);
        for (lambda, batch) in stiff.chain(springs) {
            *lambda = batch.lanes(&kept);
        }
    }
}

impl Kind {
    /// Makes ready for sub-steps of `h` seconds.
    fn time(&mut self, h: f32) {
        for k in 0..LANES {
            let [w_a, w_b] = self.w.mapped(|w| w.0[k]);
            let (alpha, gamma) =
                (self.compliance.0[k] / (h * h), self.compliance.0[k] * self.damping.0[k] / h);
            (self.alpha.0[k], self.gamma.0[k]) = (alpha, gamma);
            self.inv_give.0[k] = 1.0 / ((1.0 + gamma) * (w_a + w_b) + alpha);
        }
    }

    #[inline(always)]
    fn w<S: Simd>(&self, simd: S) -> [f32x8<S>; 2] {
        [self.w[0].read(simd), self.w[1].read(simd)]
    }
}

impl Stiff {
    /// Brings the edges to their lengths, which were `before` at the start of the sub-step. Returns what that took.
    #[inline(always)]
    fn satisfy<S: Simd>(
        &self,
        simd: S,
        kind: &Kind,
        before: &Plane<Lanes>,
        delta: &mut [Vec2],
    ) -> f32x8<S> {
        let [a, b] = self.ends.load(simd, delta);
        let [w_a, w_b] = kind.w(simd);
        let rest_squared = self.rest_squared.read(simd);
        let found = stiff(before.read(simd), b - a, rest_squared, w_a + w_b);
        let Some((by, correction)) = found else {
            let mut moved = [a.into(), b.into()];
            let by = self.satisfy_turned(kind, before, &mut moved);
            self.ends.store(delta, [moved[0].read(simd), moved[1].read(simd)]);
            return by.read(simd);
        };
        self.ends.store(delta, [a - correction.times(w_a), b + correction.times(w_b)]);
        by
    }

    /// The same where any have turned.
    #[cold]
    #[inline(never)]
    fn satisfy_turned(
        &self,
        kind: &Kind,
        before: &Plane<Lanes>,
        [a, b]: &mut [Plane<Lanes>; 2],
    ) -> Lanes {
        let mut all_by = Lanes::default();
        for k in 0..LANES {
            let (moved, [w_a, w_b]) = (b.lane(k) - a.lane(k), kind.w.mapped(|w| w.0[k]));
            let rest_squared = self.rest_squared.0[k];
            let (by, correction) = one_stiff(before.lane(k), moved, rest_squared, w_a + w_b);
            a.set(k, a.lane(k) - w_a * correction);
            b.set(k, b.lane(k) + w_b * correction);
            all_by.0[k] = by;
        }
        all_by
    }

    /// Lets the ends neither approach nor part. Returns the impulse that took, over the lengths of `before`.
    #[inline(always)]
    fn relax<S: Simd>(
        &self,
        simd: S,
        kind: &Kind,
        before: Plane<f32x8<S>>,
        velocities: &mut [Vec2],
    ) -> f32x8<S> {
        let [w_a, w_b] = kind.w(simd);
        let [a, b] = self.ends.load(simd, velocities);
        let squared = before.dot(before).max(1e-24);
        let by = (a - b).dot(before) / ((w_a + w_b) * squared);
        let impulse = before.times(by);
        self.ends.store(velocities, [a - impulse.times(w_a), b + impulse.times(w_b)]);
        by
    }
}

/// The displacement impulses, over the lengths of `before`, that bring stiff edges to their lengths which were `before`
/// and whose ends have `moved` apart since, and what these displace per inverse mass; `w` is that of both ends. None
/// where any has turned or shrunk too far for that.
#[inline(always)]
pub(super) fn stiff<T: Numbers>(
    before: Plane<T>,
    moved: Plane<T>,
    rest_squared: T,
    w: T,
) -> Option<(T, Plane<T>)> {
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
    /// Takes springs that have given `lambda` so far towards where their forces and their lengths agree. Returns what
    /// they have given then.
    #[inline(always)]
    fn satisfy<S: Simd>(
        &self,
        simd: S,
        kind: &Kind,
        start: &[Vec2],
        delta: &mut [Vec2],
        lambda: f32x8<S>,
    ) -> f32x8<S> {
        // What they were before costs less to find again than to keep: there are many springs, and few points.
        let [a, b] = self.ends.load(simd, start);
        let before = b - a;
        let along = direction(simd, before);
        let [a, b] = self.ends.load(simd, delta);
        let moved = b - a;
        let now = before + moved;
        let error = now.dot(now).sqrt() - self.rest.read(simd);
        let damped = kind.gamma.read(simd) * along.dot(moved);
        let by = -(error + kind.alpha.read(simd) * lambda + damped) * kind.inv_give.read(simd);
        let ([w_a, w_b], correction) = (kind.w(simd), along.times(by));
        self.ends.store(delta, [a - correction.times(w_a), b + correction.times(w_b)]);
        lambda + by
    }
}

/// The direction of each, or that of x where it is too short to have one.
#[inline(always)]
fn direction<S: Simd>(simd: S, of: Plane<f32x8<S>>) -> Plane<f32x8<S>> {
    let length = of.dot(of).sqrt();
    if length.all_above(f32x8::splat(simd, 1e-12)) {
        of.times(1.0 / length)
    } else {
        directions(&of.into()).read(simd)
    }
}

/// The same, one after the other.
#[cold]
#[inline(never)]
fn directions(of: &Plane<Lanes>) -> Plane<Lanes> {
    let mut along = Plane::default();
    for k in 0..LANES {
        along.set(k, direction_or(of.lane(k), Vec2::X));
    }
    along
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::plane::tests::levels;
    use proptest::prelude::*;

    const POINTS: usize = 20;

    /// The same formulas, one edge after the other. Returns the least length, as a part of that at rest, of an edge that is
    /// displaced along the direction it has meanwhile: what that is off by grows as edges are shorter.
    fn one_by_one(
        sticks: &[Stick],
        start: &[Vec2],
        delta: &mut [Vec2],
        lambdas: &mut [f32],
        h: f32,
    ) -> f32 {
        let mut least = 1.0_f32;
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
                    least = least.min(square.sqrt() / stick.rest);
                    (stick.rest - square.sqrt()) / w * direction_or(now, Vec2::X)
                }
            };
            delta[a] -= stick.w_a * correction;
            delta[b] += stick.w_b * correction;
        }
        least
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
            let levels = levels();
            let mut found = vec![(Sticks::new(&sticks), delta.clone()); levels.len()];
            let mut lambdas = vec![0.0; sticks.len()];
            for (batched, _) in &mut found {
                batched.time(|place| sticks[place].rest, H);
                batched.take_stiff(&start);
            }
            let mut least = 1.0_f32;
            for round in 0..2 {
                for (&level, (batched, delta)) in levels.iter().zip(&mut found) {
                    batched.satisfy_on(level, &start, delta, round == 0);
                }
                least = least.min(one_by_one(&sticks, &start, &mut delta, &mut lambdas, H));
            }
            let most = 1e-4 + 1e-6 / least;
            for (found, wanted) in found[0].1.iter().zip(&delta) {
                prop_assert!(found.distance(*wanted) <= most * (1.0 + wanted.length()), "{found} {wanted} {least}");
            }
            // However wide vectors are, what comes out is the same to the bit.
            for (level, (_, delta)) in levels.iter().zip(&found) {
                prop_assert_eq!(delta, &found[0].1, "{:?}", level);
            }
        }
    }
}
