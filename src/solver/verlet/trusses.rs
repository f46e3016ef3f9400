//! The edges of rigid bodies: bodies of one make side by side.
//!
//! A scene has many boxes and few makes of them: the same points held by the same edges, whatever they measure. In a
//! lane of its own each body meets its edges in their order, so what comes out is the same to the bit as one by one,
//! in vectors of any width. How wide the processor's are is found out at run time.
//!
//! The points of eight bodies, a *crew*, are fetched and stored once a round, not once an edge (`sticks.rs`). An edge
//! of a frame waits for the one before; so four crews take turns edge by edge, and while one waits the processor
//! works on the others.
//!
//! Crews whose bodies are all *alone*, so that nothing but their edges acts on them in a sub-step, take its rounds one
//! right after the other: their points are fetched and stored once for all, and stay where the processor is quickest
//! to find them.

use std::collections::HashMap;

use fearless_simd::{Level, Simd, dispatch};
use glam::{Mat4, Vec4};

use crate::math::{Mapped, Vec2};
use crate::solver::plane::Plane;
use crate::solver::verlet::eight::{LANES, Lanes};
use crate::solver::verlet::sticks::{Stick, Sticks, one_stiff, stiff};
use crate::threads::{Held, Owner, Stretches, Threads};

/// Crews that take turns as long as there are enough.
const CREWS: usize = 4;
/// The work on so few teams is not worth sharing out.
const TEAMS: usize = 8;
/// Fewer bodies than this are taken edge by edge.
const LEAST: usize = 3;

/// The edges of all rigid bodies.
#[derive(Clone, Debug, Default)]
pub(super) struct Trusses {
    makes: Vec<Make>,
    others: Sticks,
    /// How far points have come, while their bodies are worked on; for each thread that works.
    desks: Held<Vec<Desk<CREWS>>>,
    small_desks: Held<Vec<Desk<1>>>,
}

/// Something of each point of some crews that take turns.
type Desk<const N: usize> = Vec<[Plane<Lanes>; N]>;

/// Bodies of one make.
#[derive(Clone, Debug, Default)]
struct Make {
    /// The number of points.
    points: usize,
    /// Which of them each edge is between.
    edges: Vec<[u16; 2]>,
    teams: Vec<Team<CREWS>>,
    rest: Vec<Team<1>>,
}

/// Crews that take turns.
#[derive(Clone, Debug)]
struct Team<const N: usize> {
    /// The first points of their bodies. Lanes that are left over repeat one body, and do the same once more.
    firsts: [[u32; LANES]; N],
    /// Where points were at the start of the sub-step.
    start: Desk<N>,
    /// Inverse masses of points.
    w: Vec<[Lanes; N]>,
    /// Squares of the lengths of edges.
    rest_squared: Vec<[Lanes; N]>,
    /// Whether nothing but edges acts on any of the bodies in the rounds of a sub-step.
    alone: bool,
}

/// Rounds of a sub-step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Rounds {
    /// The number of this one.
    pub(super) at: u32,
    /// How many there will be for sure.
    pub(super) planned: u32,
}

impl Rounds {
    /// How many rounds bodies take in this one that are alone: all that are planned in the first.
    fn of_alone(self) -> u32 {
        match self.at {
            0 => self.planned,
            at => u32::from(at >= self.planned),
        }
    }
}

/// A rigid body: its first point, how many there are, and its edges.
pub(super) struct Truss {
    pub(super) first: u32,
    pub(super) points: usize,
    pub(super) sticks: Vec<Stick>,
}

impl Truss {
    /// What bodies of one make have in common.
    fn make(&self) -> (usize, Vec<[u16; 2]>) {
        let local = |point: u32| (point - self.first) as u16;
        (self.points, self.sticks.iter().map(|stick| [stick.a, stick.b].mapped(local)).collect())
    }

    /// The inverse mass of a point; 0 where no edge ends.
    #[inline]
    fn w(&self, point: usize) -> f32 {
        let at = self.first + point as u32;
        let ends = |stick: &Stick| [(stick.a, stick.w_a), (stick.b, stick.w_b)];
        self.sticks.iter().flat_map(ends).find(|end| end.0 == at).map_or(0.0, |end| end.1)
    }
}

impl Trusses {
    /// Those of these bodies.
    pub(super) fn new(bodies: &[Truss]) -> Self {
        let mut makes: Vec<(Make, Vec<&Truss>)> = Vec::new();
        let mut places = HashMap::new();
        // Points are fetched two at a time, and known by sixteen bits.
        let fits = |body: &&Truss| (2..=usize::from(u16::MAX)).contains(&body.points);
        let (fitting, others): (Vec<&Truss>, Vec<&Truss>) = bodies.iter().partition(fits);
        for body in fitting {
            let place = *places.entry(body.make()).or_insert_with_key(|(points, edges)| {
                let make = Make { points: *points, edges: edges.clone(), ..Make::default() };
                makes.push((make, Vec::new()));
                makes.len() - 1
            });
            makes[place].1.push(body);
        }
        let mut others: Vec<Stick> = others.iter().flat_map(|body| body.sticks.clone()).collect();
        let mut made = Self::default();
        for (mut make, bodies) in makes {
            if bodies.len() < LEAST {
                others.extend(bodies.iter().flat_map(|body| body.sticks.iter().copied()));
            } else {
                make.employ(&bodies);
                made.makes.push(make);
            }
        }
        // As they come in the model: what is solved edge by edge does not depend on what its makes are.
        others.sort_unstable_by_key(|stick| stick.index);
        made.others = Sticks::of_frames(&others);
        made
    }

    /// Whether no bodies are solved side by side.
    pub(super) fn is_empty(&self) -> bool {
        self.makes.is_empty()
    }

    /// Takes over on which bodies nothing but their edges acts, by their first points.
    pub(super) fn note_alone(&mut self, is_alone: impl Fn(u32) -> bool) {
        for Make { teams, rest, .. } in &mut self.makes {
            teams.iter_mut().for_each(|team| team.note_alone(&is_alone));
            rest.iter_mut().for_each(|team| team.note_alone(&is_alone));
        }
    }

    /// Takes edges as they are before a sub-step.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2], threads: &Threads) {
        for Make { teams, rest, .. } in &mut self.makes {
            threads.each(&mut teams[..], TEAMS, |teams: &mut [Team<CREWS>]| {
                teams.iter_mut().for_each(|team| team.begin_substep(positions));
            });
            rest.iter_mut().for_each(|team| team.begin_substep(positions));
        }
        self.others.take_stiff(positions);
    }

    /// One round: displaces the ends of all edges.
    pub(super) fn satisfy(
        &mut self,
        start: &[Vec2],
        delta: &mut [Vec2],
        round: Rounds,
        threads: &Threads,
    ) {
        self.satisfy_on(Level::new(), start, delta, round, threads);
    }

    /// The same with vectors of this width.
    fn satisfy_on(
        &mut self,
        level: Level,
        start: &[Vec2],
        delta: &mut [Vec2],
        round: Rounds,
        threads: &Threads,
    ) {
        let Self { makes, others, desks, small_desks } = self;
        for make in &*makes {
            make.satisfy(&make.teams, (delta, desks), level, round, threads);
            make.satisfy(&make.rest, (delta, small_desks), level, round, threads);
        }
        others.satisfy(start, delta, true);
    }
}

impl Make {
    /// Puts bodies into crews, and as many of these as there are into full teams.
    fn employ(&mut self, bodies: &[&Truss]) {
        let (points, edges) = (self.points, self.edges.len());
        let crew = |bodies: &[&'_ Truss]| -> [usize; LANES] {
            std::array::from_fn(|lane| if lane < bodies.len() { lane } else { 0 })
        };
        let crews: Vec<[&Truss; LANES]> =
            bodies.chunks(LANES).map(|bodies| crew(bodies).mapped(|lane| bodies[lane])).collect();
        let (teams, rest) = crews.as_chunks();
        self.teams = teams.iter().map(|crews| Team::new(crews, points, edges)).collect();
        self.rest = rest.iter().map(|&crew| Team::new(&[crew], points, edges)).collect();
    }

    /// One round over some of its teams.
    fn satisfy<const N: usize>(
        &self,
        teams: &[Team<N>],
        (delta, desks): (&mut [Vec2], &Held<Vec<Desk<N>>>),
        level: Level,
        round: Rounds,
        threads: &Threads,
    ) {
        let satisfy = |part: Stretches<'_, &[Team<N>], Vec2>| {
            let Stretches { owners: teams, values, first } = part;
            desks.lend(|desk| {
                desk.resize(self.points, [Plane::default(); N]);
                dispatch!(level, simd => for team in teams {
                    team.satisfy(simd, &self.edges, (values, first), desk, round);
                });
            });
        };
        threads.each(Stretches::new(teams, delta), TEAMS, satisfy);
    }
}

impl<const N: usize> Owner for Team<N> {
    fn first(&self) -> usize {
        self.firsts[0][0] as usize
    }
}

impl<const N: usize> Team<N> {
    fn new(crews: &[[&Truss; LANES]; N], points: usize, edges: usize) -> Self {
        let rows = |of: &dyn Fn(&Truss) -> f32| crews.mapped(|crew| Lanes(crew.mapped(of)));
        let rest_squared = |edge: usize| move |body: &Truss| body.sticks[edge].rest.powi(2);
        Self {
            firsts: crews.mapped(|crew| crew.mapped(|body| body.first)),
            start: vec![[Plane::default(); N]; points],
            w: (0..points).map(|point| rows(&|body| body.w(point))).collect(),
            rest_squared: (0..edges).map(|edge| rows(&rest_squared(edge))).collect(),
            alone: false,
        }
    }

    fn begin_substep(&mut self, positions: &[Vec2]) {
        fetch(&self.firsts, (positions, 0), &mut self.start);
    }

    fn note_alone(&mut self, is_alone: impl Fn(u32) -> bool) {
        self.alone = self.firsts.iter().flatten().all(|first| is_alone(*first));
    }

    /// One round over the edges of all bodies, or several where nothing comes between them.
    #[inline(always)]
    fn satisfy<S: Simd>(
        &self,
        simd: S,
        edges: &[[u16; 2]],
        (delta, first): (&mut [Vec2], usize),
        desk: &mut [[Plane<Lanes>; N]],
        round: Rounds,
    ) {
        let rounds = if self.alone { round.of_alone() } else { 1 };
        if rounds == 0 {
            return;
        }
        fetch(&self.firsts, (delta, first), desk);
        (0..rounds).for_each(|_| self.satisfy_at(simd, edges, desk));
        store(&self.firsts, desk, (delta, first));
    }

    /// One round where the points are fetched.
    #[inline(always)]
    fn satisfy_at<S: Simd>(&self, simd: S, edges: &[[u16; 2]], desk: &mut [[Plane<Lanes>; N]]) {
        for (&edge, rest_squared) in edges.iter().zip(&self.rest_squared) {
            let [a, b] = edge.mapped(usize::from);
            let ([start_a, start_b], [w_a, w_b]) =
                ([a, b].mapped(|end| &self.start[end]), [a, b].mapped(|end| &self.w[end]));
            for crew in 0..N {
                let [start_a, start_b] = [start_a, start_b].mapped(|of| of[crew].read(simd));
                let [moved_a, moved_b] = [a, b].mapped(|end| desk[end][crew].read(simd));
                let [w_a, w_b] = [w_a, w_b].mapped(|of| of[crew].read(simd));
                let (before, moved) = (start_b - start_a, moved_b - moved_a);
                let found = stiff(before, moved, rest_squared[crew].read(simd), w_a + w_b);
                let Some((_, correction)) = found else {
                    self.satisfy_turned([a, b], &rest_squared[crew], desk, crew);
                    continue;
                };
                desk[a][crew] = (moved_a - correction.times(w_a)).into();
                desk[b][crew] = (moved_b + correction.times(w_b)).into();
            }
        }
    }

    /// An edge of the bodies of a crew of which any have turned.
    #[cold]
    #[inline(never)]
    fn satisfy_turned(
        &self,
        [a, b]: [usize; 2],
        rest_squared: &Lanes,
        desk: &mut [[Plane<Lanes>; N]],
        crew: usize,
    ) {
        for lane in 0..LANES {
            let [start_a, start_b] = [a, b].mapped(|end| self.start[end][crew].lane(lane));
            let [moved_a, moved_b] = [a, b].mapped(|end| desk[end][crew].lane(lane));
            let [w_a, w_b] = [a, b].mapped(|end| self.w[end][crew].0[lane]);
            let (before, moved) = (start_b - start_a, moved_b - moved_a);
            let (_, correction) = one_stiff(before, moved, rest_squared.0[lane], w_a + w_b);
            desk[a][crew].set(lane, moved_a - w_a * correction);
            desk[b][crew].set(lane, moved_b + w_b * correction);
        }
    }
}

/// The first of each two points that are fetched at once. The last of an odd number comes with the one before it,
/// once more.
fn twos(points: usize) -> impl Iterator<Item = usize> {
    (0..points.div_ceil(2)).map(move |two| (2 * two).min(points - 2))
}

/// Takes something of all points of some bodies; values are there from `base` on.
#[inline(always)]
fn fetch<const N: usize>(
    firsts: &[[u32; LANES]; N],
    (values, base): (&[Vec2], usize),
    desk: &mut [[Plane<Lanes>; N]],
) {
    let values: &[f32] = bytemuck::cast_slice(values);
    for (crew, firsts) in firsts.iter().enumerate() {
        for (half, firsts) in firsts.as_chunks::<4>().0.iter().enumerate() {
            let bodies =
                firsts.mapped(|first| &values[2 * (first as usize - base)..][..2 * desk.len()]);
            for point in twos(desk.len()) {
                let [a, b, c, d] = bodies.mapped(|body| Vec4::from_slice(&body[2 * point..]));
                let lanes = Mat4::from_cols(a, b, c, d).transpose();
                desk[point][crew].set_half(half, [lanes.x_axis, lanes.y_axis]);
                desk[point + 1][crew].set_half(half, [lanes.z_axis, lanes.w_axis]);
            }
        }
    }
}

/// Puts it back.
#[inline(always)]
fn store<const N: usize>(
    firsts: &[[u32; LANES]; N],
    desk: &[[Plane<Lanes>; N]],
    (values, base): (&mut [Vec2], usize),
) {
    let values: &mut [f32] = bytemuck::cast_slice_mut(values);
    for (crew, firsts) in firsts.iter().enumerate() {
        for (half, firsts) in firsts.as_chunks::<4>().0.iter().enumerate() {
            for point in twos(desk.len()) {
                let [x, y] = desk[point][crew].half(half);
                let [next_x, next_y] = desk[point + 1][crew].half(half);
                let of = Mat4::from_cols(x, y, next_x, next_y).transpose();
                let bodies = [of.x_axis, of.y_axis, of.z_axis, of.w_axis];
                for (two, &first) in bodies.into_iter().zip(firsts) {
                    two.write_to_slice(&mut values[2 * (first as usize - base + point)..]);
                }
            }
        }
    }
}

/// What halves of crews are fetched and stored as.
impl Plane<Lanes> {
    /// The first or the last four lanes.
    #[inline(always)]
    fn half(&self, half: usize) -> [Vec4; 2] {
        [&self.x, &self.y].mapped(|row| Vec4::from_slice(&row.0[4 * half..]))
    }

    #[inline(always)]
    fn set_half(&mut self, half: usize, [x, y]: [Vec4; 2]) {
        x.write_to_slice(&mut self.x.0[4 * half..]);
        y.write_to_slice(&mut self.y.0[4 * half..]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::plane::tests::levels;
    use proptest::prelude::*;

    /// The corners of a square, or of half of it.
    fn corners(is_box: bool, size: f32) -> Vec<Vec2> {
        let corners = [Vec2::ZERO, Vec2::X, Vec2::ONE, Vec2::Y].map(|at| size * at);
        corners[..if is_box { 4 } else { 3 }].to_vec()
    }

    /// The body that has them, from `first` on.
    fn truss(first: u32, corners: &[Vec2]) -> Truss {
        let points = corners.len();
        let pairs = (0..points).flat_map(|a| (a + 1..points).map(move |b| (a, b)));
        let sticks = pairs.enumerate().map(|(index, (a, b))| Stick {
            index: 10 * first + index as u32,
            a: first + a as u32,
            b: first + b as u32,
            rest: corners[a].distance(corners[b]),
            compliance: 0.0,
            damping: 0.0,
            w_a: 1.0 + a as f32,
            w_b: 1.0 + b as f32,
        });
        Truss { first, points, sticks: sticks.collect() }
    }

    proptest! {
        #[test]
        fn bodies_side_by_side_are_the_same_to_the_bit_as_edge_by_edge(
            raw in prop::collection::vec((any::<bool>(), 0.5_f32..2.0), 1..100),
            jitter in prop::collection::vec((-0.1_f32..0.1, -0.1_f32..0.1), 400),
            moves in prop::collection::vec((-0.1_f32..0.1, -0.1_f32..0.1), 400),
            // So far that some turn, or none.
            far in prop::sample::select(vec![1.0_f32, 12.0]),
            alone in 0..400_u32,
        ) {
            let (mut start, mut bodies) = (Vec::new(), Vec::new());
            for (is_box, size) in raw {
                let corners = corners(is_box, size);
                bodies.push(truss(start.len() as u32, &corners));
                start.extend(corners);
            }
            start.iter_mut().zip(jitter).for_each(|(at, by)| *at += Vec2::from(by));
            let mut expected: Vec<Vec2> =
                moves[..start.len()].iter().map(|&by| far * Vec2::from(by)).collect();
            let levels = levels();
            let mut found = vec![expected.clone(); levels.len()];
            let all: Vec<Stick> = bodies.iter().flat_map(|body| body.sticks.clone()).collect();
            let mut plain = Sticks::of_frames(&all);
            plain.take_stiff(&start);
            let (mut trusses, threads) = (Trusses::new(&bodies), Threads::default());
            trusses.begin_substep(&start, &threads);
            // The bodies of whole crews are alone, and of others; one round was not planned.
            trusses.note_alone(|first| first < alone);
            for at in 0..3 {
                plain.satisfy(&start, &mut expected, true);
                for (level, found) in levels.iter().zip(&mut found) {
                    trusses.satisfy_on(*level, &start, found, Rounds { at, planned: 2 }, &threads);
                }
            }
            for (level, found) in levels.iter().zip(&found) {
                prop_assert_eq!(found, &expected, "{:?}", level);
            }
        }
    }
}
