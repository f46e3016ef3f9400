//! What is where: rays and shapes that look for bodies, and do not move any.
//!
//! A [`Probe`] looks along a way, around itself, or for what it touches. All of it is told of the bodies as they are, by
//! the very pieces that collide, soft bodies and their cells as well.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the questions |
//! | `probe.rs` | the shape that asks |
//! | `tree.rs` | who may have an answer |
//! | `figure.rs` | how a shape lies to a piece |

mod figure;
mod probe;
mod tree;

use std::borrow::Cow;
use std::cell::Cell;

use glam::DVec2;

use crate::math::{Aabb, Vec2};
use crate::world::{Body, BodyId, Piece, World};
use figure::{Figure, Meeting, put_outline};
pub use probe::Probe;
pub(crate) use tree::Tree;

/// Answers to where bodies are.
///
/// The first question after a step takes as long as it takes to sort all pieces (0.4 ms for ten thousand crates); those
/// after it take microseconds (`benches/query.rs`). Each question says which bodies count: `|_| true` for all, or by filter, handle,
/// kind. A region that is to know who is in it, a sensor, is a probe that asks in every step; one on a body is made anew at its
/// [pose](World::pose).
///
/// ```
/// use sinew::{BodyDef, Probe, Scene, Shape, Sim, Vec2};
///
/// let mut scene = Scene::default();
/// let ground = Shape::Box { size: Vec2::new(20.0, 1.0) };
/// scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
/// scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(3.0, 0.5)));
/// let sim = Sim::new(&scene)?;
/// let (world, queries) = (sim.world(), sim.queries());
///
/// // A ray to the right, 10 m long.
/// let eye = Probe::point(Vec2::new(0.0, 0.5));
/// let hit = queries.cast(&eye, Vec2::new(10.0, 0.0), |_| true).expect("the ball is there");
/// assert_eq!(Some(hit.body), world.body("ball"));
/// assert!((hit.point.x - 2.5).abs() < 1e-5 && hit.normal.x < -0.999);
///
/// // Who is within 2 m of a bang, but for what never moves?
/// let bang = Probe::disc(Vec2::new(2.0, 0.0), 2.0);
/// assert_eq!(queries.overlapping(&bang, |body| body.is_dynamic()), [hit.body]);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Queries<'a> {
    world: &'a World,
    /// Over the pieces.
    tree: Cow<'a, Tree>,
}

/// Where a probe meets a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The body.
    pub body: BodyId,
    /// Its piece, by the place in [`Model::pieces`](crate::Model::pieces).
    pub piece: u32,
    /// The part of the way after which the probe touches it, 0 to 1; 0 where it does from the beginning.
    pub part: f32,
    /// The place on the body's surface where it does, m.
    pub point: Vec2,
    /// Unit vector out of the surface there, towards the probe.
    pub normal: Vec2,
}

/// Where a body is nearest to a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The body.
    pub body: BodyId,
    /// Its piece, by the place in [`Model::pieces`](crate::Model::pieces).
    pub piece: u32,
    /// How far it is from the probe, m; negative where they overlap.
    pub distance: f32,
    /// The place on the body's surface, m.
    pub point: Vec2,
    /// Unit vector out of the surface there, towards the probe.
    pub normal: Vec2,
}

impl World {
    /// Answers to where bodies are, for a world on its own. [`Sim::queries`](crate::Sim::queries) keeps what it has sorted until the
    /// next step, this does not: ask once for many questions.
    #[must_use]
    pub fn queries(&self) -> Queries<'_> {
        Queries { world: self, tree: Cow::Owned(self.sorted_pieces()) }
    }

    /// Whether two bodies, by their places in the model, are no farther from each other than `reach`, m.
    pub(crate) fn are_within(&self, [a, b]: [usize; 2], reach: f32) -> bool {
        let pieces = |body: usize, around: Aabb| {
            let pieces = self.model.pieces_of(&self.model.bodies[body]).iter();
            let all = pieces.map(|piece| (piece, self.piece_bounds(piece)));
            all.filter(move |(_, bounds)| bounds.overlaps(around))
        };
        let (mut figure, mut probe) = (Figure::default(), Vec::new());
        let everywhere = Aabb { min: Vec2::MIN, max: Vec2::MAX };
        pieces(a, everywhere).any(|(one, bounds)| {
            put_outline(&mut probe, self.corners(one));
            pieces(b, bounds.grown(reach)).any(|(other, _)| {
                figure.set(&probe, self.corners(other), one.radius + other.radius);
                figure.apart().at <= reach
            })
        })
    }

    /// All pieces by where they are.
    pub(crate) fn sorted_pieces(&self) -> Tree {
        Tree::over(self.model.pieces.iter().map(|piece| self.piece_bounds(piece)))
    }
}

impl<'a> Queries<'a> {
    /// The same with pieces that are sorted already.
    pub(crate) fn with(world: &'a World, tree: &'a Tree) -> Self {
        Self { world, tree: Cow::Borrowed(tree) }
    }

    /// What a probe meets first if it moves by `way`, m: with [`Probe::point`] a ray. What it touches from the beginning it meets
    /// there, so leave out whoever asks.
    pub fn cast(&self, probe: &Probe, way: Vec2, counts: impl Fn(&Body) -> bool) -> Option<Hit> {
        let mut first: Option<Hit> = None;
        let most = Cell::new(1.0);
        self.each_met(probe, way, &most, counts, |hit| {
            let before = first.map_or((f32::INFINITY, 0), |first| (first.part, first.piece));
            if (hit.part, hit.piece) < before {
                most.set(hit.part);
                first = Some(hit);
            }
        });
        first
    }

    /// All bodies that a probe would meet if it went through them by `way`, m, in the order in which it meets them, each where
    /// that is for the first time.
    #[must_use]
    pub fn cast_through(
        &self,
        probe: &Probe,
        way: Vec2,
        counts: impl Fn(&Body) -> bool,
    ) -> Vec<Hit> {
        let mut hits = Vec::new();
        self.each_met(probe, way, &Cell::new(1.0), counts, |hit| hits.push(hit));
        hits.sort_by(|a, b| a.part.total_cmp(&b.part).then(a.piece.cmp(&b.piece)));
        let mut seen = std::collections::HashSet::new();
        hits.retain(|hit| seen.insert(hit.body));
        hits
    }

    /// All bodies that a probe touches or overlaps, in the order in which they were made.
    #[must_use]
    pub fn overlapping(&self, probe: &Probe, counts: impl Fn(&Body) -> bool) -> Vec<BodyId> {
        let mut found = Vec::new();
        self.each_near(probe, &Cell::new(0.0), counts, |piece, _, _| found.push(piece.body));
        found.sort_unstable();
        found.dedup();
        found.into_iter().map(|body| self.world.model.bodies[body as usize].handle()).collect()
    }

    /// The body nearest to a probe, of those within `reach` of it, m.
    pub fn nearest(
        &self,
        probe: &Probe,
        reach: f32,
        counts: impl Fn(&Body) -> bool,
    ) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        let most = Cell::new(reach);
        self.each_near(probe, &most, counts, |piece, number, meeting| {
            let before = best.map_or((f32::INFINITY, 0), |best| (best.distance, best.piece));
            if (meeting.at, number) < before {
                most.set(meeting.at.max(0.0));
                let (body, point) = self.place(piece, meeting);
                let Meeting { at: distance, normal, .. } = meeting;
                best = Some(Nearest { body, piece: number, distance, point, normal });
            }
        });
        best
    }

    /// Tells where a probe on its way meets pieces, by the part `most` of the way.
    fn each_met(
        &self,
        probe: &Probe,
        way: Vec2,
        most: &Cell<f32>,
        counts: impl Fn(&Body) -> bool,
        mut tell: impl FnMut(Hit),
    ) {
        let around = probe.bounds();
        let meets = |bounds: Aabb| met_before(from(around, bounds), way, most.get());
        self.each_piece(probe, way, &meets, counts, |piece, number, figure| {
            let apart = figure.apart();
            let meeting = if apart.at <= 0.0 {
                Some(Meeting { at: 0.0, ..apart })
            } else {
                figure.met_on(way, most.get())
            };
            if let Some(meeting) = meeting {
                let (body, point) = self.place(piece, meeting);
                let Meeting { at: part, normal, .. } = meeting;
                tell(Hit { body, piece: number, part, point, normal });
            }
        });
    }

    /// Tells which pieces are no farther than `most` from a probe, m, and where they are nearest.
    fn each_near(
        &self,
        probe: &Probe,
        most: &Cell<f32>,
        counts: impl Fn(&Body) -> bool,
        mut tell: impl FnMut(&Piece, u32, Meeting),
    ) {
        let around = probe.bounds();
        let meets = |bounds: Aabb| {
            let Aabb { min, max } = from(around, bounds);
            let gap = min.max(-max).max(Vec2::ZERO);
            gap.length_squared() <= most.get() * most.get()
        };
        self.each_piece(probe, Vec2::ZERO, &meets, counts, |piece, number, figure| {
            let meeting = figure.apart();
            if meeting.at <= most.get() {
                tell(piece, number, meeting);
            }
        });
    }

    /// Tells how a probe lies to each piece the box of which it `meets`.
    fn each_piece(
        &self,
        probe: &Probe,
        way: Vec2,
        meets: &impl Fn(Aabb) -> bool,
        counts: impl Fn(&Body) -> bool,
        mut tell: impl FnMut(&Piece, u32, &Figure),
    ) {
        if !probe.is_somewhere() || !way.is_finite() {
            return;
        }
        let model = &self.world.model;
        let mut figure = Figure::default();
        let corners: Vec<DVec2> = probe.corners().iter().map(|corner| corner.as_dvec2()).collect();
        self.tree.each(way, meets, &mut |number| {
            let piece = &model.pieces[number as usize];
            if counts(&model.bodies[piece.body as usize]) {
                let outline = self.world.corners(piece);
                figure.set(&corners, outline, piece.radius + probe.radius());
                tell(piece, number, &figure);
            }
        });
    }

    /// The body of a piece, and the place on its surface where something meets it.
    fn place(&self, piece: &Piece, meeting: Meeting) -> (BodyId, Vec2) {
        let body = self.world.model.bodies[piece.body as usize].handle();
        (body, meeting.on_piece + piece.radius * meeting.normal)
    }
}

/// The ways from any place in one box to any in another, as a box.
fn from(one: Aabb, other: Aabb) -> Aabb {
    Aabb { min: other.min - one.max, max: other.max - one.min }
}

/// Whether a way from nothing leads into a box by the part `most` of it.
fn met_before(Aabb { min, max }: Aabb, way: Vec2, most: f32) -> bool {
    let (min, max, way) = (min.as_dvec2(), max.as_dvec2(), way.as_dvec2());
    let (mut enters, mut leaves) = (0.0_f64, f64::from(most));
    for (way, [min, max]) in [(way.x, [min.x, max.x]), (way.y, [min.y, max.y])] {
        if way == 0.0 {
            if min > 0.0 || max < 0.0 {
                return false;
            }
        } else {
            let (one, other) = (min / way, max / way);
            enters = enters.max(one.min(other));
            leaves = leaves.min(one.max(other));
        }
    }
    enters <= leaves
}

#[cfg(test)]
mod tests;
