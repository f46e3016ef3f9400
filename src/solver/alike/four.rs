//! Up to four bodies of one pattern, solved side by side.
//!
//! The equations, the system they make and the springs across edges under tension are those of `direct/`, with nothing
//! to look up: what is an index there is a place that all four have in common.

use wide::{f32x4, f64x4};

use super::factor::{Block, Pair};
use super::lanes::{LANES, Plane, narrow, splat, wide};
use super::law::{Edge, Law, Measure, Soft};
use super::pattern::{Pattern, springs};
use crate::math::{Mapped, Vec2};
use crate::solver::common::MOST_TURN;
use crate::solver::direct::{FOLLOWED, RESOLVED};
use crate::world::{AreaRule, Model, State};

/// The mass of a point that is held, kg: what any force moves by nothing.
const HELD: f64 = 1e30;

/// Up to four bodies.
#[derive(Clone, Debug)]
pub(crate) struct Four {
    /// The bodies; lanes that are left over repeat the first.
    pub(crate) bodies: [u32; LANES],
    pub(crate) count: usize,
    /// The first point of each, and the first edge.
    pub(crate) first: [usize; LANES],
    first_edge: [usize; LANES],
    /// The mass of each point, and what constraints see.
    mass: Vec<f64x4>,
    inv_mass: Vec<f32x4>,
    edges: Vec<Edge>,
    laws: Vec<Law>,
    /// The derivative of each law by each of its points.
    slopes: Vec<Plane>,
    /// Whether any edge or law is a spring, and any is stiff.
    kinds: [bool; 2],
    /// The time that edges are ready for; NaN for none.
    timed: f32,
    /// What is to change of each point.
    changes: Vec<Plane>,
    /// The factor of the system, if more than one round needs it.
    factor: Vec<Block>,
    /// Whether it is made.
    is_factored: bool,
}

/// What is worked on, for one four after the other.
#[derive(Clone, Debug, Default)]
pub(crate) struct Desk {
    /// Of each point: where it is, how fast it is or how far it has come.
    pub(crate) points: Vec<Plane>,
    factor: Vec<Block>,
    /// By rows of the matrix: what forces ask for, then what becomes of it.
    unknowns: Vec<Pair>,
    /// What is left of each edge, across each edge, and of each law.
    left: Vec<f32x4>,
}

impl Four {
    pub(super) fn new(model: &Model, pattern: &Pattern, members: &[u32]) -> Self {
        let mut bodies = [members[0]; LANES];
        bodies[..members.len()].copy_from_slice(members);
        let of = |body: u32| &model.bodies[body as usize];
        let first = bodies.mapped(|body| of(body).points.start as usize);
        let points = || 0..pattern.rows.len();
        let inv_mass = |point: usize| first.mapped(|first| model.inv_mass[first + point]);
        let mass = |w: f32| if w > 0.0 { f64::from(w).recip() } else { HELD };
        let edges = (0..pattern.edges.len()).map(|k| {
            let edges = bodies.mapped(|body| model.edges[of(body).edges.start as usize + k]);
            let soft =
                Soft::new(edges.mapped(|edge| edge.compliance), edges.mapped(|edge| edge.damping));
            let unknown = f32x4::splat(f32::NAN);
            Edge { soft, pull: unknown, usual: unknown, ..Edge::default() }
        });
        let bends = (0..pattern.bends).map(|k| {
            let bends = bodies.mapped(|body| model.bends[of(body).bends.start as usize + k]);
            let soft =
                Soft::new(bends.mapped(|bend| bend.compliance), bends.mapped(|bend| bend.damping));
            let [x, y] = [bends.mapped(|bend| bend.rest.c), bends.mapped(|bend| bend.rest.s)];
            let rest = Plane { x: f32x4::new(x), y: f32x4::new(y) };
            Law { soft, rest, scale: f32x4::ONE, ..Law::default() }
        });
        let areas = bodies.map(|body| springs(model, of(body)).collect::<Vec<_>>());
        let areas = (0..pattern.laws.len() - pattern.bends).map(|k| {
            let areas = [0, 1, 2, 3].mapped(|lane: usize| areas[lane][k]);
            let compliance = areas.mapped(|area| match area.rule {
                AreaRule::Spring { compliance } => compliance,
                AreaRule::Guard => 0.0,
            });
            let rest = Plane { x: f32x4::new(areas.mapped(|area| area.rest)), ..Plane::default() };
            let soft = Soft::new(compliance, [0.0; LANES]);
            Law { soft, rest, scale: rest.x.sqrt(), ..Law::default() }
        });
        let (edges, laws): (Vec<Edge>, Vec<Law>) = (edges.collect(), bends.chain(areas).collect());
        let kinds = edges.iter().map(|edge| &edge.soft).chain(laws.iter().map(|law| &law.soft));
        let kinds = kinds.map(Soft::kinds).fold([false; 2], |[a, b], [c, d]| [a | c, b | d]);
        Self {
            bodies,
            count: members.len(),
            first,
            first_edge: bodies.mapped(|body| of(body).edges.start as usize),
            mass: points().map(|point| f64x4::new(inv_mass(point).mapped(mass))).collect(),
            inv_mass: points().map(|point| f32x4::new(inv_mass(point))).collect(),
            edges,
            laws,
            slopes: vec![Plane::default(); pattern.points.len()],
            kinds,
            timed: f32::NAN,
            changes: Vec::new(),
            factor: Vec::new(),
            is_factored: false,
        }
    }

    /// Goes on from what a body that is now in a lane was given when it was in a lane of another four.
    pub(super) fn go_on(&mut self, lane: usize, (before, from): (&Self, usize)) {
        for (now, before) in self.edges.iter_mut().zip(&before.edges) {
            for (now, before) in [
                (&mut now.lambda, before.lambda),
                (&mut now.pull, before.pull),
                (&mut now.usual, before.usual),
            ] {
                now.as_mut_array()[lane] = before.to_array()[from];
            }
        }
    }

    /// Whether any edge, bend or area is a spring.
    pub(crate) fn has_springs(&self) -> bool {
        self.kinds[0]
    }

    /// Whether any is stiff.
    pub(crate) fn is_stiff(&self) -> bool {
        self.kinds[1]
    }

    /// Takes over the lengths that edges rest at now.
    pub(crate) fn take_rests(&mut self, state: &State) {
        for (k, edge) in self.edges.iter_mut().enumerate() {
            edge.rest = f32x4::new(self.first_edge.mapped(|first| state.rest[first + k]));
        }
    }

    /// Takes something of all points, as `of` tells it by lanes and points of the pattern.
    #[inline(always)]
    pub(crate) fn load(&self, of: impl Fn(usize, usize) -> Vec2, into: &mut Vec<Plane>) {
        into.clear();
        into.extend(
            (0..self.mass.len())
                .map(|point| Plane::of([0, 1, 2, 3].mapped(|lane| of(lane, point)))),
        );
    }

    /// The same of what there is for each point of the model, from the point `base` on.
    pub(crate) fn load_points(&self, (values, base): (&[Vec2], usize), into: &mut Vec<Plane>) {
        self.load(|lane, point| values[self.first[lane] - base + point], into);
    }

    /// Takes edges, bends and areas as they are where points are at `positions`. Nothing has been given yet.
    pub(crate) fn take(&mut self, pattern: &Pattern, positions: &[Vec2], desk: &mut Desk) {
        self.load_points((positions, 0), &mut desk.points);
        self.follow_points(pattern, &desk.points);
        self.each_impulse(|lambda, carried| (*lambda, *carried) = (f32x4::ZERO, f32x4::ZERO));
    }

    /// Takes them as they are where their points are now. What they have been given stays.
    pub(crate) fn follow_points(&mut self, pattern: &Pattern, points: &[Plane]) {
        self.is_factored = false;
        for (edge, ends) in self.edges.iter_mut().zip(&pattern.edges) {
            let [a, b] = ends.mapped(|point| point as usize);
            edge.before = points[b] - points[a];
            let (length, along) = edge.before.parts();
            (edge.along, edge.error) = (along, length - edge.rest);
        }
        let (bends, areas) = self.laws.split_at_mut(pattern.bends);
        let (bent, outlines) = pattern.laws.split_at(pattern.bends);
        for (law, span) in bends.iter_mut().zip(bent) {
            let [a, b, c] = [0, 1, 2].mapped(|k| points[pattern.points[span.start + k] as usize]);
            law.error = bend([b - a, c - b], law.rest, &mut self.slopes[span.clone()]);
        }
        for (law, span) in areas.iter_mut().zip(outlines) {
            let outline = &pattern.points[span.clone()];
            law.error = area(outline, points, &mut self.slopes[span.clone()]) - law.rest.x;
        }
        for (law, span) in self.laws.iter_mut().zip(&pattern.laws) {
            if law.soft.is_stiff().any() {
                let mobility = span.clone().map(|k| {
                    let slope = self.slopes[k];
                    self.inv_mass[pattern.points[k] as usize] * slope.dot(slope)
                });
                law.mobility = mobility.fold(f32x4::ZERO, |sum, part| sum + part);
            }
        }
    }

    /// Notes forces for the next sub-step: `scale` times what has been given.
    pub(crate) fn note_pulls(&mut self, scale: f32) {
        for edge in &mut self.edges {
            edge.pull = splat(scale) * edge.lambda;
        }
    }

    /// Lets what is stiff carry what it has been given without giving way any further.
    pub(crate) fn carry(&mut self) {
        self.each_impulse(|lambda, carried| *carried += *lambda);
    }

    /// Begins anew where the part `scale` of what has been given is carried.
    pub(crate) fn restart(&mut self, scale: f32) {
        self.each_impulse(|lambda, carried| {
            *carried = splat(scale) * *lambda;
            *lambda = f32x4::ZERO;
        });
    }

    #[inline(always)]
    fn each_impulse(&mut self, change: impl Fn(&mut f32x4, &mut f32x4)) {
        self.edges.iter_mut().for_each(|edge| change(&mut edge.lambda, &mut edge.carried));
        self.laws.iter_mut().for_each(|law| change(&mut law.lambda, &mut law.carried));
    }

    /// Finds the springs across edges in a sub-step of `h` seconds, from [`Edge::pull`] and the speeds of points on
    /// the desk.
    pub(crate) fn resist(&mut self, pattern: &Pattern, h: f32, desk: &Desk) {
        let speeds = &desk.points;
        let square = splat(-h * h);
        for (edge, ends) in self.edges.iter_mut().zip(&pattern.edges) {
            let [a, b] = ends.mapped(|point| point as usize);
            let now = edge.along.left().dot(speeds[b] - speeds[a]);
            let followed = edge.usual + splat(FOLLOWED) * (now - edge.usual);
            let usual = edge.usual.is_nan().select(now, followed);
            let length = (edge.error + edge.rest).fast_max(splat(1e-6));
            let mobility = self.inv_mass[a] + self.inv_mass[b];
            let resolved = splat(RESOLVED / 2.0) / mobility;
            let across = (square * edge.pull / length - resolved).fast_max(f32x4::ZERO);
            // Before anything is known of tensions nothing resists.
            let known = edge.pull.simd_eq(edge.pull);
            edge.usual = known.select(usual, edge.usual);
            edge.across = known.select(across, f32x4::ZERO);
            edge.sway = f32x4::ZERO;
        }
    }

    /// Makes ready to solve for places in a sub-step of `h` seconds.
    pub(crate) fn time_places(&mut self, pattern: &Pattern, h: f32) {
        self.time(pattern, h, |soft, mobility| soft.time_places(h, mobility));
    }

    /// Makes ready to solve for velocities, as springs act for `time` seconds.
    pub(crate) fn time_speeds(&mut self, pattern: &Pattern, time: f32) {
        self.time(pattern, time, |soft, mobility| soft.time_speeds(time, mobility));
    }

    #[inline(always)]
    fn time(&mut self, pattern: &Pattern, time: f32, set: impl Fn(&mut Soft, f32x4)) {
        self.is_factored = false;
        let is_new = std::mem::replace(&mut self.timed, time) != time;
        if is_new {
            for (edge, ends) in self.edges.iter_mut().zip(&pattern.edges) {
                let [a, b] = ends.mapped(|point| self.inv_mass[point as usize]);
                set(&mut edge.soft, a + b);
            }
        }
        for law in &mut self.laws {
            // How far a stiff one gives way depends on where its points are.
            if is_new || law.soft.is_stiff().any() {
                set(&mut law.soft, law.mobility);
            }
        }
    }

    /// Leaves out all springs, which have done their part.
    pub(crate) fn rest(&mut self) {
        self.is_factored = false;
        if self.has_springs() {
            self.timed = f32::NAN;
        }
        for edge in &mut self.edges {
            edge.soft.rest();
            (edge.across, edge.sway) = (f32x4::ZERO, f32x4::ZERO);
        }
        self.laws.iter_mut().for_each(|law| law.soft.rest());
    }

    /// Finds what is to change of each point for all equations to be satisfied, to first order, where what is on the desk
    /// is what there is of it: [`Four::change`]. The factor is `kept` for what else needs it; if nothing does, it is
    /// better made where memory is near.
    pub(crate) fn solve(
        &mut self,
        pattern: &Pattern,
        measure: &impl Measure,
        kept: bool,
        desk: &mut Desk,
    ) {
        self.ask(pattern, measure, desk);
        if kept || self.is_factored {
            pattern.profile.solve(self.factored(pattern), &mut desk.unknowns);
        } else {
            self.factor(pattern, &mut desk.factor);
            pattern.profile.solve(&desk.factor, &mut desk.unknowns);
        }
        let part = if measure.follows_turns() {
            self.restrict(pattern, &mut desk.unknowns)
        } else {
            f32x4::ONE
        };
        self.count(pattern, &desk.unknowns, &desk.left, part);
        self.note_changes(pattern, &desk.unknowns);
    }

    /// Keeps only as much of a change of places as the directions of equations are good for, and returns which part of
    /// it: no edge changes by more than [`MOST_TURN`] of its length ([`Direct::restrict`](crate::solver::direct::Direct::restrict)).
    fn restrict(&self, pattern: &Pattern, unknowns: &mut [Pair]) -> f32x4 {
        // The squares of what an edge changes and of the most it may.
        let squares = |(edge, ends): (&Edge, &[u32; 2])| {
            let [from, to] = ends.mapped(|point| unknowns[pattern.rows[point as usize] as usize]);
            let [x, y] = [to[0] - from[0], to[1] - from[1]].mapped(narrow);
            let most = splat(MOST_TURN) * edge.rest;
            [x * x + y * y, most * most]
        };
        let edges = || self.edges.iter().zip(&pattern.edges).map(squares);
        let room = edges().fold(f32x4::ZERO, |room, [is, most]| room.fast_min(most - is));
        if room.simd_ge(f32x4::ZERO).all() {
            return f32x4::ONE;
        }
        let largest = edges().fold(f32x4::ONE, |largest, [is, most]| largest.fast_max(is / most));
        let part = f32x4::ONE / largest.sqrt();
        unknowns.iter_mut().flatten().for_each(|unknown| *unknown *= wide(part));
        part
    }

    /// Finds what an impulse on some unknowns changes of all of them, for up to four that act on the body in a lane,
    /// each alone.
    pub(crate) fn respond(&mut self, pattern: &Pattern, lane: usize, unknowns: &mut [Pair]) {
        pattern.profile.solve_lane(self.factored(pattern), lane, unknowns);
    }

    /// The same for impulses on all four bodies, one of each.
    pub(crate) fn follow(&mut self, pattern: &Pattern, unknowns: &mut [Pair]) {
        pattern.profile.solve(self.factored(pattern), unknowns);
        self.note_changes(pattern, unknowns);
    }

    /// Counts what equations give where points change like that.
    pub(crate) fn count_followed(&mut self, pattern: &Pattern, unknowns: &[Pair], desk: &mut Desk) {
        desk.left.clear();
        desk.left.resize(2 * self.edges.len() + self.laws.len(), f32x4::ZERO);
        self.count(pattern, unknowns, &desk.left, f32x4::ONE);
    }

    /// Notes what changes of each point, for [`Four::change`].
    fn note_changes(&mut self, pattern: &Pattern, unknowns: &[Pair]) {
        self.changes.clear();
        let each = pattern.rows.iter().zip(&self.inv_mass);
        self.changes.extend(each.map(|(&row, inv_mass)| {
            let can_move = inv_mass.simd_gt(f32x4::ZERO);
            let [x, y] =
                unknowns[row as usize].mapped(|value| can_move.select(narrow(value), f32x4::ZERO));
            Plane { x, y }
        }));
    }

    /// What changes of a point of the body in a lane; nothing where it is held.
    #[inline(always)]
    pub(crate) fn change(&self, lane: usize, point: usize) -> Vec2 {
        let Plane { x, y } = &self.changes[point];
        Vec2::new(x.as_array()[lane], y.as_array()[lane])
    }

    /// Adds what changes to what there is for each point of the model, from the point `base` on.
    pub(crate) fn add_changes(&self, values: &mut [Vec2], base: usize) {
        for (lane, &first) in self.first.iter().enumerate().take(self.count) {
            for (point, value) in
                values[first - base..][..self.changes.len()].iter_mut().enumerate()
            {
                *value += self.change(lane, point);
            }
        }
    }

    /// The factor, made if it is not yet.
    fn factored(&mut self, pattern: &Pattern) -> &[Block] {
        if !std::mem::replace(&mut self.is_factored, true) {
            let mut factor = std::mem::take(&mut self.factor);
            self.factor(pattern, &mut factor);
            self.factor = factor;
        }
        &self.factor
    }

    /// Makes the factor of the system of all equations.
    fn factor(&self, pattern: &Pattern, matrix: &mut Vec<Block>) {
        let Pattern { rows, profile, .. } = pattern;
        matrix.clear();
        matrix.resize(profile.blocks(), Block::default());
        for (&row, &mass) in rows.iter().zip(&self.mass) {
            let at = profile.at(row, row);
            [matrix[at][0], matrix[at][3]] = [mass; 2];
        }
        for (edge, ends) in self.edges.iter().zip(&pattern.edges) {
            let [a, b] = ends.mapped(|point| rows[point as usize]);
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let (along, across) = (edge.soft.stiffness, wide(edge.across));
            let xy = (along - across) * x * y;
            let block = [along * x * x + across * y * y, xy, xy, along * y * y + across * x * x];
            for at in [profile.at(a, a), profile.at(b, b)] {
                add(&mut matrix[at], block);
            }
            add(&mut matrix[profile.at(a.max(b), a.min(b))], block.mapped(|entry| -entry));
        }
        for (law, span) in self.laws.iter().zip(&pattern.laws) {
            let places = &pattern.points[span.clone()];
            for (k, (&a, &slope)) in places.iter().zip(&self.slopes[span.clone()]).enumerate() {
                let (a, force) = (rows[a as usize], law.soft.stiffness);
                let [x, y] = [force * wide(slope.x), force * wide(slope.y)];
                for (&b, other) in places[..=k].iter().zip(&self.slopes[span.clone()]) {
                    let b = rows[b as usize];
                    let [u, v] = [wide(other.x), wide(other.y)];
                    if a >= b {
                        add(&mut matrix[profile.at(a, b)], [x * u, x * v, y * u, y * v]);
                    } else {
                        add(&mut matrix[profile.at(b, a)], [x * u, y * u, x * v, y * v]);
                    }
                }
            }
        }
        profile.factor(matrix);
    }

    /// Finds what is left of each law, and the forces that ask for it.
    fn ask(&self, pattern: &Pattern, measure: &impl Measure, desk: &mut Desk) {
        let Desk { points, unknowns, left, .. } = desk;
        left.clear();
        unknowns.clear();
        unknowns.resize(pattern.profile.rows(), Pair::default());
        let pace = splat(measure.step());
        for (edge, ends) in self.edges.iter().zip(&pattern.edges) {
            let [a, b] = ends.mapped(|point| point as usize);
            let moved = points[b] - points[a];
            let along = measure.edge(edge, moved);
            // What resists is a stiffness that may be 0: it is not what is left, but the force.
            // Where nothing resists, the usual motion may be unknown.
            let resists = edge.across.simd_gt(f32x4::ZERO);
            let aside = edge.along.left().dot(moved) - pace * edge.usual;
            let across = resists.select(edge.across * aside, f32x4::ZERO) + edge.sway;
            left.extend([along, across]);
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let (force, aside) = (edge.soft.stiffness * wide(along), wide(across));
            let force = [force * x - aside * y, force * y + aside * x];
            let [a, b] = ends.mapped(|point| pattern.rows[point as usize] as usize);
            push(&mut unknowns[a], force);
            push(&mut unknowns[b], force.mapped(|force| -force));
        }
        for (law, span) in self.laws.iter().zip(&pattern.laws) {
            let places = &pattern.points[span.clone()];
            let slopes = &self.slopes[span.clone()];
            let rest = measure.law(law, change(slopes, places, points));
            left.push(rest);
            let force = -law.soft.stiffness * wide(rest);
            for (&at, slope) in places.iter().zip(slopes) {
                let row = pattern.rows[at as usize] as usize;
                push(&mut unknowns[row], [force * wide(slope.x), force * wide(slope.y)]);
            }
        }
    }

    /// Counts the impulses that have moved the points as they were, where that is a `part` of what makes nothing of what
    /// was `left`.
    fn count(&mut self, pattern: &Pattern, unknowns: &[Pair], left: &[f32x4], part: f32x4) {
        let of = |point: u32| unknowns[pattern.rows[point as usize] as usize];
        let (edges, laws) = left.split_at(2 * self.edges.len());
        for ((edge, &[a, b]), left) in
            self.edges.iter_mut().zip(&pattern.edges).zip(edges.chunks_exact(2))
        {
            let (from, to) = (of(a), of(b));
            let [u, v] = [to[0] - from[0], to[1] - from[1]];
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let by = edge.soft.stiffness * (wide(part * left[0]) + x * u + y * v);
            edge.lambda -= narrow(by);
            edge.sway = -(part * left[1] + edge.across * narrow(x * v - y * u)) + edge.sway;
        }
        for ((law, span), &left) in self.laws.iter_mut().zip(&pattern.laws).zip(laws) {
            let mut sum = wide(part * left);
            for (&point, slope) in
                pattern.points[span.clone()].iter().zip(&self.slopes[span.clone()])
            {
                let [u, v] = of(point);
                sum += wide(slope.x) * u + wide(slope.y) * v;
            }
            law.lambda -= narrow(law.soft.stiffness * sum);
        }
    }

    /// The largest error of a stiff edge, bend or area, counted in its scale, after points have moved by what is on
    /// the desk.
    pub(crate) fn largest_error(&self, pattern: &Pattern, desk: &Desk) -> f32 {
        let edges = self.edges.iter().zip(&pattern.edges).map(|(edge, ends)| {
            let [a, b] = ends.mapped(|point| desk.points[point as usize]);
            (edge.error + edge.along.dot(b - a)).abs() & edge.soft.is_stiff()
        });
        let laws = self.laws.iter().zip(&pattern.laws).map(|(law, span)| {
            let places = &pattern.points[span.clone()];
            let moved = change(&self.slopes[span.clone()], places, &desk.points);
            ((law.error + moved) / law.scale).abs() & law.soft.is_stiff()
        });
        let largest = edges.chain(laws).fold(f32x4::ZERO, |largest, error| largest.fast_max(error));
        largest.to_array().into_iter().fold(0.0, f32::max)
    }
}

#[inline(always)]
fn add(block: &mut Block, by: Block) {
    for (entry, by) in block.iter_mut().zip(by) {
        *entry += by;
    }
}

#[inline(always)]
fn push(pair: &mut Pair, by: Pair) {
    pair[0] += by[0];
    pair[1] += by[1];
}

/// How much a law with these slopes changes where its points do.
#[inline(always)]
fn change(slopes: &[Plane], places: &[u32], points: &[Plane]) -> f32x4 {
    let moved = places.iter().zip(slopes).map(|(&at, slope)| slope.dot(points[at as usize]));
    moved.fold(f32x4::ZERO, |sum, part| sum + part)
}

/// How far a bend is from rest, rad, and its slopes (`soft.rs`).
#[inline(always)]
fn bend([u, v]: [Plane; 2], rest: Plane, slopes: &mut [Plane]) -> f32x4 {
    let (c, s) = (u.dot(v), u.cross(v));
    let error = (rest.x * s - rest.y * c).atan2(rest.x * c + rest.y * s);
    let slope = |along: Plane| {
        let squared = along.dot(along).fast_max(f32x4::splat(1e-12));
        (f32x4::ONE / squared) * along.left()
    };
    let (u, v) = (slope(u), slope(v));
    slopes.copy_from_slice(&[u, -u - v, v]);
    error
}

/// An area, m², and its slopes.
#[inline(always)]
fn area(outline: &[u32], points: &[Plane], slopes: &mut [Plane]) -> f32x4 {
    let at = |k: usize| points[outline[k % outline.len()] as usize];
    let mut doubled = f32x4::ZERO;
    let half = f32x4::splat(0.5);
    let origin = at(0);
    for (k, slope) in slopes.iter_mut().enumerate() {
        let (before, after) = (at(k + outline.len() - 1), at(k + 1));
        *slope = half * -(after - before).left();
        doubled += (at(k) - origin).cross(after - origin);
    }
    half * doubled
}
