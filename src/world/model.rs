//! The model: what a world is made of. Topology, masses and materials; changes only by an edit.

use std::collections::HashMap;
use std::ops::Range;

use crate::math::{Aabb, Rot, Vec2};
use crate::outline::nearest;
use crate::scene::{BodyKind, Filter, Look, Material, Script, Strength};
use crate::threads::Owner;
use crate::world::joint::Joint;

/// Everything about a world that a step does not change.
///
/// Points are a structure of arrays, indexed alike here and in [`State`](crate::State).
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// Mass of each point, kg. Pinned points and points of static bodies have their true mass too.
    pub mass: Vec<f32>,
    /// What constraints see: `1 / mass`, or 0 where nothing may push the point.
    pub inv_mass: Vec<f32>,
    /// Rest position of each point in its body's frame: about the centre of mass, unrotated, m.
    pub rest: Vec<Vec2>,
    /// Whether the point is held where it is.
    pub pinned: Vec<bool>,
    /// The body of each point.
    pub body_of: Vec<u32>,
    /// Distance constraints.
    pub edges: Vec<Edge>,
    /// Areas that resist change, or must not turn inside out.
    pub areas: Vec<Area>,
    /// The points of all areas, one area after the other, each counter-clockwise.
    pub area_points: Vec<u32>,
    /// Angles that resist change.
    pub bends: Vec<Bend>,
    /// Bodies: contiguous ranges of points, edges and pieces.
    pub bodies: Vec<Body>,
    /// Convex collision polygons.
    pub pieces: Vec<Piece>,
    /// The points of all pieces, one piece after the other, each counter-clockwise.
    pub piece_points: Vec<u32>,
    /// For each entry of `piece_points`, what lies around it on its body: see [`Rim`].
    pub rims: Vec<Rim>,
    /// Joints.
    pub joints: Vec<Joint>,
    /// Bodies should stay in here; see [`Scene::bounds`](crate::Scene).
    pub bounds: Option<Aabb>,
    /// Keys that are held as time goes by, beside those that the user holds.
    pub script: Script,
    /// The index of each body by its id. Looked up, never iterated: its order is not fixed.
    pub(crate) by_id: HashMap<String, u32>,
    /// The serial number of the next body or joint.
    pub(crate) next_serial: u32,
    /// Pairs of bodies that do not collide because a joint connects them; sorted, lower first.
    pub(crate) apart: Vec<(u32, u32)>,
    /// Pairs of bodies, by their serial numbers, that never collide whatever joins them.
    pub(crate) strangers: Vec<(u32, u32)>,
}

/// A distance constraint between two points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edge {
    /// First point.
    pub a: u32,
    /// Second point.
    pub b: u32,
    /// Length when it was made, m. What it rests at now is [`State::rest`](crate::State::rest).
    pub rest: f32,
    /// Inverse stiffness, m/N; 0 is stiff.
    pub compliance: f32,
    /// Damping along the edge, N·s/m.
    pub damping: f32,
}

/// What lies around a vertex of a piece, and behind the edge that leads from it to the next one, on
/// the same body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Rim {
    /// Whether the edge from this vertex to the next is shared with another piece: it lies inside the
    /// body, and nothing collides with it.
    pub interior: bool,
    /// The vertex before this one on the outline of the whole body, where an edge of this piece that
    /// ends here is interior.
    pub before: Option<u32>,
    /// The vertex after it, where the edge of this piece that begins here is interior.
    pub after: Option<u32>,
}

/// A signed area between points that resists change, or is kept from turning inside out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    /// Where its points start in [`Model::area_points`].
    pub first: u32,
    /// How many points.
    pub count: u32,
    /// Area at rest, m².
    pub rest: f32,
    /// What it does.
    pub rule: AreaRule,
}

/// What an [`Area`] does.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AreaRule {
    /// A spring between the area and that at rest.
    Spring {
        /// Inverse stiffness, m³/N; 0 is stiff.
        compliance: f32,
    },
    /// Nothing until little of the area at rest is left, and then no less: a piece that is crushed
    /// or forced inside out comes back.
    Guard,
}

impl Area {
    /// The part of the area at rest that a guard keeps.
    pub const KEPT: f32 = 0.2;

    /// Whether it is only kept from turning inside out.
    #[must_use]
    pub fn is_guard(&self) -> bool {
        self.rule == AreaRule::Guard
    }
}

/// An angle that resists change: the turn from `points[0] → points[1]` to `points[1] → points[2]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// Three points in line.
    pub points: [u32; 3],
    /// The turn at rest.
    pub rest: Rot,
    /// Inverse stiffness, rad/(N·m); 0 is stiff.
    pub compliance: f32,
    /// Damping, N·m·s/rad.
    pub damping: f32,
}

/// A contiguous range of points and edges with one material.
#[derive(Clone, Debug)]
pub struct Body {
    /// The name from the scene.
    pub id: String,
    /// Its number; no other body of the world ever has the same. Later bodies have larger ones.
    pub serial: u32,
    /// Static, kinematic or dynamic.
    pub kind: BodyKind,
    /// `false`: keeps its rest shape. `true`: bends as far as its edges let it.
    pub soft: bool,
    /// Its points.
    pub points: Range<u32>,
    /// Its edges.
    pub edges: Range<u32>,
    /// Its areas.
    pub areas: Range<u32>,
    /// Its bends.
    pub bends: Range<u32>,
    /// Its pieces.
    pub pieces: Range<u32>,
    /// Total mass, kg.
    pub mass: f32,
    /// Moment of inertia about the centre of mass at rest, kg·m².
    pub inertia: f32,
    /// Density, friction, restitution.
    pub material: Material,
    /// What it collides with.
    pub filter: Filter,
    /// How it is drawn.
    pub look: Look,
    /// When its edges give way.
    pub strength: Strength,
    /// Whether its pieces collide with each other.
    pub self_collision: bool,
}

impl Body {
    /// Its points as indices.
    #[inline]
    #[must_use]
    pub fn point_range(&self) -> Range<usize> {
        self.points.start as usize..self.points.end as usize
    }

    /// Whether contacts and joints can push it.
    #[inline]
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        self.kind == BodyKind::Dynamic
    }

    /// Whether it keeps its rest shape: rigid bodies, and everything static or kinematic.
    #[inline]
    #[must_use]
    pub fn is_rigid(&self) -> bool {
        !self.soft
    }
}

impl Owner for Body {
    /// The first of its points.
    fn first(&self) -> usize {
        self.points.start as usize
    }
}

/// A convex collision polygon over a body's points, grown by a radius: one point is a disc, two
/// are a capsule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Piece {
    /// Its body.
    pub body: u32,
    /// Where its points start in [`Model::piece_points`].
    pub first: u32,
    /// How many points.
    pub count: u32,
    /// Collision radius, m. It belongs to the piece rather than to each point because all points
    /// of a piece share it.
    pub radius: f32,
    /// Whether it goes on in another piece: any of its edges is interior, or a line has a next part.
    pub shared: bool,
    /// Three points of the body that carry what acts on its round surface, such as the friction
    /// that makes a ball roll. `None` where the surface is that of the points themselves.
    pub frame: Option<[u32; 3]>,
}

impl Model {
    /// Gives back what memory it does not need.
    pub(crate) fn shrink_to_fit(&mut self) {
        self.mass.shrink_to_fit();
        self.inv_mass.shrink_to_fit();
        self.rest.shrink_to_fit();
        self.pinned.shrink_to_fit();
        self.body_of.shrink_to_fit();
        self.edges.shrink_to_fit();
        self.areas.shrink_to_fit();
        self.area_points.shrink_to_fit();
        self.bends.shrink_to_fit();
        self.bodies.shrink_to_fit();
        self.pieces.shrink_to_fit();
        self.piece_points.shrink_to_fit();
        self.rims.shrink_to_fit();
        self.joints.shrink_to_fit();
    }

    /// The number of points.
    #[inline]
    #[must_use]
    pub fn point_count(&self) -> usize {
        self.mass.len()
    }

    /// The points of a piece, counter-clockwise.
    #[inline]
    #[must_use]
    pub fn outline(&self, piece: &Piece) -> &[u32] {
        &self.piece_points[piece.first as usize..(piece.first + piece.count) as usize]
    }

    /// What lies around the vertices of a piece, in the order of its outline.
    #[inline]
    #[must_use]
    pub fn rim(&self, piece: &Piece) -> &[Rim] {
        &self.rims[piece.first as usize..(piece.first + piece.count) as usize]
    }

    /// Whether all edges of a piece lie inside its body, so that nothing ever touches it.
    #[must_use]
    pub fn lies_inside(&self, piece: u32) -> bool {
        let piece = &self.pieces[piece as usize];
        piece.shared && self.rim(piece).iter().all(|rim| rim.interior)
    }

    /// The points of an area, counter-clockwise.
    #[inline]
    #[must_use]
    pub fn area_outline(&self, area: &Area) -> &[u32] {
        &self.area_points[area.first as usize..(area.first + area.count) as usize]
    }

    /// The pieces of a body.
    #[must_use]
    pub fn pieces_of(&self, body: &Body) -> &[Piece] {
        &self.pieces[body.pieces.start as usize..body.pieces.end as usize]
    }

    /// Whether two pieces may touch: their bodies may; or they are of one body that collides with
    /// itself, share no point, and do not lie within each other's thickness at rest, as neighbours on a thick rope do.
    #[must_use]
    pub fn pieces_may_collide(&self, a: u32, b: u32) -> bool {
        let (a, b) = (&self.pieces[a as usize], &self.pieces[b as usize]);
        if a.body != b.body {
            return self.may_collide(a.body, b.body);
        }
        let share = || self.outline(a).iter().any(|point| self.outline(b).contains(point));
        self.bodies[a.body as usize].self_collision && !share() && self.are_apart_at_rest(a, b)
    }

    /// Whether there is room between two pieces of one body at rest.
    fn are_apart_at_rest(&self, a: &Piece, b: &Piece) -> bool {
        let beyond = |one: &Piece, other: &Piece| {
            let is_outside = |&point: &u32| {
                self.distance_to_piece(one, &self.rest, self.rest[point as usize]) > other.radius
            };
            self.outline(other).iter().all(is_outside)
        };
        beyond(a, b) && beyond(b, a)
    }

    /// The distance from a point to the surface of a piece whose points are at these positions, m; negative inside.
    pub(crate) fn distance_to_piece(&self, piece: &Piece, positions: &[Vec2], at: Vec2) -> f32 {
        let outline = self.outline(piece);
        let corner = |k: usize| positions[outline[k] as usize].as_dvec2();
        nearest(outline.len(), corner, at.as_dvec2()).distance as f32 - piece.radius
    }

    /// Whether two bodies may touch: filters agree, no joint keeps them apart, and at least one of
    /// them can be pushed.
    #[must_use]
    pub fn may_collide(&self, a: u32, b: u32) -> bool {
        if a == b {
            return false;
        }
        let (body_a, body_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        (body_a.is_dynamic() || body_b.is_dynamic())
            && body_a.filter.collides(body_b.filter)
            && self.apart.binary_search(&(a.min(b), a.max(b))).is_err()
    }

    /// Notes which pairs of bodies never collide: those that joints hold together, and strangers. Of these it forgets those
    /// of which one is gone.
    pub(crate) fn update_apart(&mut self) {
        let Self { bodies, joints, strangers, apart, .. } = self;
        let pairs = joints.iter().filter(|joint| !joint.collide).filter_map(|joint| {
            let b = joint.b.body().filter(|&b| b != joint.body_a)?;
            Some((joint.body_a.min(b), joint.body_a.max(b)))
        });
        let index = |serial| bodies.binary_search_by_key(&serial, |body| body.serial).ok();
        apart.clear();
        apart.extend(pairs);
        strangers.retain(|&(a, b)| {
            let both = index(a).zip(index(b)).map(|(a, b)| (a as u32, b as u32));
            apart.extend(both.map(|(a, b)| (a.min(b), a.max(b))));
            both.is_some()
        });
        apart.sort_unstable();
        apart.dedup();
    }

    /// Whether nothing outside can change the momentum of the bodies: no static or kinematic body,
    /// no pinned point, no joint to the world, and no air that slows them down. Gravity is not the model's to know.
    #[must_use]
    pub fn is_isolated(&self) -> bool {
        self.bodies.iter().all(|body| body.is_dynamic() && !body.material.is_damped())
            && !self.pinned.contains(&true)
            && self.joints.iter().all(|joint| joint.b.body().is_some())
    }
}
