//! How the bodies and groups that promises name lie and move.
//!
//! A group is taken as one figure of all the points of its bodies: centre and momentum are sums over
//! them, and its rotation is the one that brings the points as they were at the start closest to
//! where they are now, `(c, s) = Σ m (q·p, q×p)` over the offsets from the centre (Müller et al.,
//! “Meshless deformations based on shape matching”, 2005, §3.3, in the plane). A single body is a
//! group of one.

use std::f64::consts::{PI, TAU};

use glam::DVec2;

use super::measure::doubled_area;
use super::overlap;
use crate::expect::{Condition, Thing};
use crate::world::{Body, Model, Piece, World};

/// A body or a group that a promise names, followed from the start of the run.
#[derive(Clone, Debug)]
pub(crate) struct Watched {
    /// What it is called.
    pub(crate) name: String,
    /// Indices of its bodies, rising.
    pub(crate) bodies: Vec<usize>,
    /// Where its points were at the start, in the order of its bodies, m.
    start_points: Vec<DVec2>,
    start_center: DVec2,
    start_height: f64,
    start_area: f64,
    /// How its motion is now.
    pub(crate) now: Figure,
    /// Since the start, rad, through full turns.
    turned: f64,
}

/// Where a figure is and how it moves.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Figure {
    /// Centre of mass, m.
    pub(crate) center: DVec2,
    /// m/s.
    pub(crate) velocity: DVec2,
    /// rad/s.
    pub(crate) spin: f64,
    /// From how it lay at the start, rad, within half a turn.
    rotation: f64,
}

impl Watched {
    pub(crate) fn new(thing: Thing, world: &World) -> Self {
        let mut watched = Self {
            name: thing.name,
            bodies: thing.members,
            start_points: Vec::new(),
            start_center: DVec2::ZERO,
            start_height: 0.0,
            start_area: 0.0,
            now: Figure::default(),
            turned: 0.0,
        };
        let points = watched.points(world);
        watched.start_points = points.map(|i| world.state.position[i].as_dvec2()).collect();
        watched.now = watched.figure(world);
        watched.start_center = watched.now.center;
        // The offsets at the start were taken about the origin until the centre was known.
        watched.now.rotation = 0.0;
        watched.start_height = watched.height(world);
        watched.start_area = watched.area(world);
        watched
    }

    /// Follows the figure over a step of `elapsed` seconds.
    pub(crate) fn update(&mut self, world: &World, elapsed: f64) {
        let before = self.now.rotation;
        self.now = self.figure(world);
        let turn = within_half_a_turn(self.now.rotation - before);
        // Two rotations leave the number of full turns between them open; the spin tells it.
        let expected = self.now.spin * elapsed;
        self.turned += turn + TAU * ((expected - turn) / TAU).round();
    }

    /// Distance of the centre from where it started, m.
    pub(crate) fn moved(&self) -> f64 {
        self.now.center.distance(self.start_center)
    }

    /// Degrees since the start, through full turns.
    pub(crate) fn turned(&self) -> f64 {
        self.turned.to_degrees()
    }

    /// Degrees from the shape as it is described, -180 to 180; not a number for a group.
    pub(crate) fn angle(&self, world: &World) -> f64 {
        let [body] = self.bodies[..] else { return f64::NAN };
        let pose = world.model.pose(&world.model.bodies[body], &world.state.position);
        f64::from(pose.rot.radians()).to_degrees()
    }

    /// How far it leans from how it stood at the start, degrees, 0 to 180.
    pub(crate) fn tilt(&self) -> f64 {
        within_half_a_turn(self.now.rotation).abs().to_degrees()
    }

    /// How high the centre is above the lowest point, as a part of that at the start.
    pub(crate) fn stature(&self, world: &World) -> f64 {
        // What has no height cannot lose it.
        if self.start_height > 1e-9 { self.height(world) / self.start_height } else { 1.0 }
    }

    /// The area of its pieces, as a part of that at the start.
    pub(crate) fn size(&self, world: &World) -> f64 {
        if self.start_area > 1e-12 { self.area(world) / self.start_area } else { 1.0 }
    }

    /// Speed in m/s and spin in degrees per second of the part that is least at rest.
    pub(crate) fn liveliest(&self, world: &World) -> (f64, f64) {
        let (model, state) = (&world.model, &world.state);
        let motions = self.bodies.iter().map(|&body| {
            let motion = model.motion(&model.bodies[body], &state.position, &state.velocity);
            (f64::from(motion.velocity.length()), f64::from(motion.spin.abs()).to_degrees())
        });
        let unrest = |(speed, spin): (f64, f64)| {
            (speed / Condition::REST_SPEED).max(spin / Condition::REST_SPIN)
        };
        let most = motions.max_by(|&a, &b| unrest(a).total_cmp(&unrest(b)));
        most.unwrap_or((f64::NAN, f64::NAN))
    }

    /// The distance of its surface from that of the nearest of the bodies `others`, m; negative
    /// where they overlap, and not a number where there is none that is not its own.
    pub(crate) fn gap(&self, others: &[usize], world: &World) -> f64 {
        let model = &world.model;
        let pieces = |bodies: &[usize], but: &[usize]| -> Vec<Piece> {
            let bodies = bodies.iter().filter(|body| !but.contains(body));
            bodies.flat_map(|&body| model.pieces_of(&model.bodies[body])).copied().collect()
        };
        let (own, foreign) = (pieces(&self.bodies, &[]), pieces(others, &self.bodies));
        let mut least = f64::NAN;
        for a in &own {
            let box_a = world.piece_bounds(a);
            for b in &foreign {
                let box_b = world.piece_bounds(b);
                let apart = (box_b.min - box_a.max).max(box_a.min - box_b.max);
                // Boxes further apart than the nearest surfaces so far hold none that are nearer.
                if f64::from(apart.max_element()) > least {
                    continue;
                }
                let (outline_a, outline_b) = (outline(a, world), outline(b, world));
                let (radius_a, radius_b) = (f64::from(a.radius), f64::from(b.radius));
                least = least.min(overlap::gap(&outline_a, radius_a, &outline_b, radius_b));
            }
        }
        least
    }

    fn points<'w>(&'w self, world: &'w World) -> impl Iterator<Item = usize> + 'w {
        self.bodies.iter().flat_map(|&body| world.model.bodies[body].point_range())
    }

    fn figure(&self, world: &World) -> Figure {
        let (model, state) = (&world.model, &world.state);
        let (mut mass, mut sum, mut momentum) = (0.0, DVec2::ZERO, DVec2::ZERO);
        for i in self.points(world) {
            let point_mass = f64::from(model.mass[i]);
            mass += point_mass;
            sum += point_mass * state.position[i].as_dvec2();
            momentum += point_mass * state.velocity[i].as_dvec2();
        }
        let (center, velocity) = (sum / mass, momentum / mass);
        let (mut c, mut s, mut angular, mut inertia) = (0.0, 0.0, 0.0, 0.0);
        for (i, start) in self.points(world).zip(&self.start_points) {
            let point_mass = f64::from(model.mass[i]);
            let (q, p) = (*start - self.start_center, state.position[i].as_dvec2() - center);
            c += point_mass * q.dot(p);
            s += point_mass * q.perp_dot(p);
            angular += point_mass * p.perp_dot(state.velocity[i].as_dvec2());
            inertia += point_mass * p.length_squared();
        }
        let spin = if inertia > 1e-12 { angular / inertia } else { 0.0 };
        Figure { center, velocity, spin, rotation: s.atan2(c) }
    }

    /// The area of its pieces, m², without that of round ends.
    fn area(&self, world: &World) -> f64 {
        let bodies = self.bodies.iter().map(|&body| &world.model.bodies[body]);
        let pieces = bodies.flat_map(|body| world.model.pieces_of(body));
        let outlines = pieces.map(|piece| world.model.outline(piece));
        let areas = outlines.filter(|outline| outline.len() >= 3);
        areas.map(|outline| 0.5 * doubled_area(world, outline)).sum()
    }

    /// How high the centre is above the lowest point, m.
    fn height(&self, world: &World) -> f64 {
        let lowest = |body: &usize| lowest(&world.model.bodies[*body], world);
        self.now.center.y - self.bodies.iter().map(lowest).fold(f64::INFINITY, f64::min)
    }
}

/// The lowest point of a body's surface, m; of a body without one, the lowest of its points.
fn lowest(body: &Body, world: &World) -> f64 {
    let model: &Model = &world.model;
    let surface = model.pieces_of(body).iter().map(|piece| world.piece_bounds(piece).min.y);
    let surface = surface.fold(f32::INFINITY, f32::min);
    if surface.is_finite() {
        return f64::from(surface);
    }
    let points = body.point_range().map(|i| world.state.position[i].y);
    f64::from(points.fold(f32::INFINITY, f32::min))
}

fn outline(piece: &Piece, world: &World) -> Vec<DVec2> {
    let points = world.model.outline(piece).iter();
    points.map(|&point| world.state.position[point as usize].as_dvec2()).collect()
}

fn within_half_a_turn(angle: f64) -> f64 {
    (angle + PI).rem_euclid(TAU) - PI
}
