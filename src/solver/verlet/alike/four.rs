//! Up to four bodies of one pattern, solved side by side.
//!
//! The equations, the system they make and the springs across edges under tension are those of `direct/`, with nothing
//! to look up: what is an index there is a place that all four have in common.

use std::ops::Range;

use wide::{f32x4, f64x4};

use super::factor::{Block, Pair};
use super::lanes::{LANES, Plane, narrow, wide};
use super::pattern::{Pattern, springs};
use crate::math::Vec2;
use crate::solver::direct::{FOLLOWED, RESOLVED, STIFF};
use crate::solver::verlet::Moves;
use crate::world::{AreaRule, Model, State};

/// The mass of a point that is held, kg: what any force moves by nothing.
const HELD: f64 = 1e30;

/// Up to four bodies.
#[derive(Clone, Debug)]
pub(super) struct Four {
    /// The bodies; lanes that are left over repeat the first.
    pub(super) bodies: [u32; LANES],
    pub(super) count: usize,
    /// The first point of each.
    first: [usize; LANES],
    /// The mass of each point, and what constraints see.
    mass: Vec<f64x4>,
    inv_mass: Vec<f32x4>,
    edges: Vec<Edge>,
    laws: Vec<Law>,
    /// The derivative of each law by each of its points.
    slopes: Vec<Plane>,
    /// The factor for this sub-step, if more than one round needs it.
    factor: Vec<Block>,
    /// Whether it is made.
    is_factored: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Edge {
    soft: Soft,
    rest: f32x4,
    /// What it was before the sub-step, and its direction then.
    before: Plane,
    along: Plane,
    lambda: f32x4,
    /// Of the spring across it (`direct/sway.rs`): the tension that acts a sub-step late over `h²`, the stiffness of
    /// what is beyond that, the usual speed, and the impulse.
    resolved: f32x4,
    across: f32x4,
    usual: f32x4,
    sway: f32x4,
}

/// A bend or an area.
#[derive(Clone, Copy, Debug, Default)]
struct Law {
    soft: Soft,
    /// A bend at rest, its cosine and sine; or the area at rest.
    rest: Plane,
    error: f32x4,
    lambda: f32x4,
}

/// How something gives way. Of a constraint that has come by `C`, of which `m` in this sub-step, and was given `λ`,
/// there is left `a·C + b·m + c·λ`.
#[derive(Clone, Copy, Debug, Default)]
struct Soft {
    /// As in the model: inverse stiffness and damping.
    compliance: f32x4,
    damping: f32x4,
    a: f32x4,
    b: f32x4,
    c: f32x4,
    /// `1/c`.
    stiffness: f64x4,
}

/// What is worked on, for one four after the other.
#[derive(Clone, Debug, Default)]
pub(super) struct Desk {
    /// Of each point: where it is or how far it has come, and its velocity.
    points: Vec<Plane>,
    speeds: Vec<Plane>,
    factor: Vec<Block>,
    /// By rows of the matrix.
    unknowns: Vec<Pair>,
    /// What is left of each edge, across each edge, and of each law.
    left: Vec<f32x4>,
}

impl Soft {
    fn new(compliance: [f32; LANES], damping: [f32; LANES]) -> Self {
        let (compliance, damping) = (f32x4::new(compliance), f32x4::new(damping));
        Self { compliance, damping, ..Self::default() }
    }

    /// Makes it ready for sub-steps of `h` seconds.
    fn time(&mut self, h: f32, mobility: f32x4) {
        let alpha = self.compliance * f32x4::splat(1.0 / (h * h));
        let gamma = self.compliance * self.damping * f32x4::splat(1.0 / h);
        self.a = f32x4::ONE / (f32x4::ONE + gamma);
        self.b = gamma * self.a;
        self.c = alpha * self.a;
        self.slacken(mobility);
    }

    /// Where it is stiff, lets it give way by a trifle.
    #[inline(always)]
    fn slacken(&mut self, mobility: f32x4) {
        let is_springy = self.compliance.simd_gt(f32x4::ZERO);
        self.c = is_springy.select(self.c, f32x4::splat(STIFF as f32) * mobility);
        let c = wide(self.c);
        self.stiffness = c.simd_gt(f64x4::ZERO).select(f64x4::ONE / c, f64x4::ZERO);
    }

    fn is_stiff(&self) -> bool {
        !self.compliance.simd_gt(f32x4::ZERO).all()
    }

    #[inline(always)]
    fn left(&self, error: f32x4, moved: f32x4, lambda: f32x4) -> f32x4 {
        self.a * error + self.b * moved + self.c * lambda
    }
}

impl Four {
    pub(super) fn new(model: &Model, pattern: &Pattern, members: &[u32]) -> Self {
        let mut bodies = [members[0]; LANES];
        bodies[..members.len()].copy_from_slice(members);
        let of = |body: u32| &model.bodies[body as usize];
        let first = bodies.map(|body| of(body).points.start as usize);
        let points = || 0..pattern.rows.len();
        let inv_mass = |point: usize| first.map(|first| model.inv_mass[first + point]);
        let mass = |w: f32| if w > 0.0 { f64::from(w).recip() } else { HELD };
        let edges = (0..pattern.edges.len()).map(|k| {
            let edges = bodies.map(|body| model.edges[of(body).edges.start as usize + k]);
            let soft = Soft::new(edges.map(|edge| edge.compliance), edges.map(|edge| edge.damping));
            Edge { soft, usual: f32x4::splat(f32::NAN), ..Edge::default() }
        });
        let bends = (0..pattern.bends).map(|k| {
            let bends = bodies.map(|body| model.bends[of(body).bends.start as usize + k]);
            let soft = Soft::new(bends.map(|bend| bend.compliance), bends.map(|bend| bend.damping));
            let [x, y] = [bends.map(|bend| bend.rest.c), bends.map(|bend| bend.rest.s)];
            let rest = Plane { x: f32x4::new(x), y: f32x4::new(y) };
            Law { soft, rest, ..Law::default() }
        });
        let areas = bodies.map(|body| springs(model, of(body)).collect::<Vec<_>>());
        let areas = (0..pattern.laws.len() - pattern.bends).map(|k| {
            let areas = [0, 1, 2, 3].map(|lane: usize| areas[lane][k]);
            let compliance = areas.map(|area| match area.rule {
                AreaRule::Spring { compliance } => compliance,
                AreaRule::Guard => 0.0,
            });
            let rest = Plane { x: f32x4::new(areas.map(|area| area.rest)), ..Plane::default() };
            Law { soft: Soft::new(compliance, [0.0; LANES]), rest, ..Law::default() }
        });
        Self {
            bodies,
            count: members.len(),
            first,
            mass: points().map(|point| f64x4::new(inv_mass(point).map(mass))).collect(),
            inv_mass: points().map(|point| f32x4::new(inv_mass(point))).collect(),
            edges: edges.collect(),
            laws: bends.chain(areas).collect(),
            slopes: vec![Plane::default(); pattern.points.len()],
            factor: Vec::new(),
            is_factored: false,
        }
    }

    /// Goes on from what a body that is now in a lane was given when it was in a lane of another four.
    pub(super) fn go_on(&mut self, lane: usize, (before, from): (&Self, usize)) {
        for (now, before) in self.edges.iter_mut().zip(&before.edges) {
            for (now, before) in [(&mut now.lambda, before.lambda), (&mut now.usual, before.usual)]
            {
                now.as_mut_array()[lane] = before.to_array()[from];
            }
        }
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, model: &Model, state: &State) {
        let first = self.bodies.map(|body| model.bodies[body as usize].edges.start as usize);
        for (k, edge) in self.edges.iter_mut().enumerate() {
            edge.rest = f32x4::new(first.map(|first| state.rest[first + k]));
        }
    }

    /// Makes ready for sub-steps of `h` seconds.
    pub(super) fn time(&mut self, pattern: &Pattern, h: f32) {
        for (edge, ends) in self.edges.iter_mut().zip(&pattern.edges) {
            let [a, b] = ends.map(|point| self.inv_mass[point as usize]);
            edge.soft.time(h, a + b);
            edge.resolved = f32x4::splat(RESOLVED / 2.0) / (a + b);
        }
        for law in &mut self.laws {
            law.soft.time(h, f32x4::ZERO);
        }
    }

    /// Takes edges, bends and areas as they are before a sub-step that is `pace` times as long as the one before.
    pub(super) fn take(&mut self, pattern: &Pattern, state: &State, pace: f32, desk: &mut Desk) {
        self.is_factored = false;
        let Desk { points, speeds, .. } = desk;
        self.load(&state.position, points);
        self.load(&state.velocity, speeds);
        let pace = f32x4::splat(-pace * pace);
        for (edge, ends) in self.edges.iter_mut().zip(&pattern.edges) {
            let [a, b] = ends.map(|point| point as usize);
            edge.before = points[b] - points[a];
            let (length, along) = edge.before.parts();
            edge.along = along;
            let now = along.left().dot(speeds[b] - speeds[a]);
            let followed = edge.usual + f32x4::splat(FOLLOWED) * (now - edge.usual);
            edge.usual = edge.usual.is_nan().select(now, followed);
            let tension = pace * edge.lambda / length.fast_max(f32x4::splat(1e-6));
            edge.across = (tension - edge.resolved).fast_max(f32x4::ZERO);
            (edge.lambda, edge.sway) = (f32x4::ZERO, f32x4::ZERO);
        }
        let (bends, areas) = self.laws.split_at_mut(pattern.bends);
        let (bent, outlines) = pattern.laws.split_at(pattern.bends);
        for (law, span) in bends.iter_mut().zip(bent) {
            let [a, b, c] = [0, 1, 2].map(|k| points[pattern.points[span.start + k] as usize]);
            law.error = bend([b - a, c - b], law.rest, &mut self.slopes[span.clone()]);
        }
        for (law, span) in areas.iter_mut().zip(outlines) {
            let outline = &pattern.points[span.clone()];
            law.error = area(outline, points, &mut self.slopes[span.clone()]) - law.rest.x;
        }
        for (law, span) in self.laws.iter_mut().zip(&pattern.laws) {
            law.lambda = f32x4::ZERO;
            if law.soft.is_stiff() {
                let mobility = span.clone().map(|k| {
                    let slope = self.slopes[k];
                    self.inv_mass[pattern.points[k] as usize] * slope.dot(slope)
                });
                law.soft.slacken(mobility.fold(f32x4::ZERO, |sum, part| sum + part));
            }
        }
    }

    /// Displaces the points to where all equations are satisfied, to first order; `h` seconds are a sub-step. In
    /// the `last` round that is foreseen the factor is not kept: it is better made where memory is near.
    pub(super) fn satisfy(
        &mut self,
        pattern: &Pattern,
        moves: &mut Moves,
        h: f32,
        last: bool,
        desk: &mut Desk,
    ) {
        self.load(&moves.delta, &mut desk.points);
        self.ask(pattern, h, desk);
        if self.is_factored || !last {
            let mut factor = std::mem::take(&mut self.factor);
            if !std::mem::replace(&mut self.is_factored, true) {
                self.factor(pattern, &mut factor);
            }
            pattern.profile.solve(&factor, &mut desk.unknowns);
            self.factor = factor;
        } else {
            self.factor(pattern, &mut desk.factor);
            pattern.profile.solve(&desk.factor, &mut desk.unknowns);
        }
        self.count_impulses(pattern, desk);
        for (point, &row) in pattern.rows.iter().enumerate() {
            let [x, y] = desk.unknowns[row as usize].map(|value| narrow(value).to_array());
            let inv_mass = self.inv_mass[point].to_array();
            for lane in 0..self.count {
                if inv_mass[lane] > 0.0 {
                    moves.delta[self.first[lane] + point] += Vec2::new(x[lane], y[lane]);
                }
            }
        }
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
            let [a, b] = ends.map(|point| rows[point as usize]);
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let (along, across) = (edge.soft.stiffness, wide(edge.across));
            let xy = (along - across) * x * y;
            let block = [along * x * x + across * y * y, xy, xy, along * y * y + across * x * x];
            for at in [profile.at(a, a), profile.at(b, b)] {
                add(&mut matrix[at], block);
            }
            add(&mut matrix[profile.at(a.max(b), a.min(b))], block.map(|entry| -entry));
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
    fn ask(&self, pattern: &Pattern, h: f32, desk: &mut Desk) {
        let Desk { points, unknowns, left, .. } = desk;
        left.clear();
        unknowns.clear();
        unknowns.resize(pattern.profile.rows(), Pair::default());
        let h = f32x4::splat(h);
        for (edge, ends) in self.edges.iter().zip(&pattern.edges) {
            let [a, b] = ends.map(|point| point as usize);
            let moved = points[b] - points[a];
            let now = edge.before + moved;
            let error = now.dot(now).sqrt() - edge.rest;
            let along = edge.soft.left(error, edge.along.dot(moved), edge.lambda);
            // What resists is a stiffness that may be 0: it is not what is left, but the force.
            let across = edge.across * (edge.along.left().dot(moved) - h * edge.usual) + edge.sway;
            left.extend([along, across]);
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let (force, aside) = (edge.soft.stiffness * wide(along), wide(across));
            let force = [force * x - aside * y, force * y + aside * x];
            let [a, b] = ends.map(|point| pattern.rows[point as usize] as usize);
            push(&mut unknowns[a], force);
            push(&mut unknowns[b], force.map(|force| -force));
        }
        for (law, span) in self.laws.iter().zip(&pattern.laws) {
            let places = &pattern.points[span.clone()];
            let slopes = &self.slopes[span.clone()];
            let moved =
                places.iter().zip(slopes).map(|(&at, slope)| slope.dot(points[at as usize]));
            let moved = moved.fold(f32x4::ZERO, |sum, part| sum + part);
            let rest = law.soft.left(law.error + moved, moved, law.lambda);
            left.push(rest);
            let force = -law.soft.stiffness * wide(rest);
            for (&at, slope) in places.iter().zip(slopes) {
                let row = pattern.rows[at as usize] as usize;
                push(&mut unknowns[row], [force * wide(slope.x), force * wide(slope.y)]);
            }
        }
    }

    /// Counts the impulses that have moved the points as they were.
    fn count_impulses(&mut self, pattern: &Pattern, desk: &Desk) {
        let Desk { unknowns, left, .. } = desk;
        let of = |point: u32| unknowns[pattern.rows[point as usize] as usize];
        let (edges, laws) = left.split_at(2 * self.edges.len());
        for ((edge, &[a, b]), left) in
            self.edges.iter_mut().zip(&pattern.edges).zip(edges.chunks_exact(2))
        {
            let (from, to) = (of(a), of(b));
            let [u, v] = [to[0] - from[0], to[1] - from[1]];
            let (x, y) = (wide(edge.along.x), wide(edge.along.y));
            let by = edge.soft.stiffness * (wide(left[0]) + x * u + y * v);
            edge.lambda -= narrow(by);
            edge.sway = -(left[1] + edge.across * narrow(x * v - y * u)) + edge.sway;
        }
        for ((law, span), &left) in self.laws.iter_mut().zip(&pattern.laws).zip(laws) {
            let mut sum = wide(left);
            for (&point, slope) in
                pattern.points[span.clone()].iter().zip(&self.slopes[span.clone()])
            {
                let [u, v] = of(point);
                sum += wide(slope.x) * u + wide(slope.y) * v;
            }
            law.lambda -= narrow(law.soft.stiffness * sum);
        }
    }

    /// Something of all points.
    fn load(&self, values: &[Vec2], into: &mut Vec<Plane>) {
        into.clear();
        let points: Range<usize> = 0..self.mass.len();
        into.extend(points.map(|point| Plane::load(self.first.map(|first| first + point), values)));
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
