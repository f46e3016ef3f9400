//! What a world is built from: plain descriptions of bodies and joints.
//!
//! A [`Scene`] is what a level file becomes once it is read, and what a game that embeds the
//! library fills in by hand. It names things, places them and gives them materials; it holds no
//! points yet. [`World::build`](crate::World::build) turns it into points and edges.

use crate::math::{Aabb, Vec2};
use crate::settings::Settings;

/// Everything needed to build a world and look at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The name shown to people.
    pub name: String,
    /// One sentence on what the scene shows.
    pub about: String,
    /// Gravity, step rate, backend.
    pub settings: Settings,
    /// Where the camera starts.
    pub view: View,
    /// The region bodies are expected to stay in; leaving it counts as escaped.
    pub bounds: Bounds,
    /// The bodies. Their order is the order of their handles.
    pub bodies: Vec<BodyDef>,
    /// The joints between them.
    pub joints: Vec<JointDef>,
}

impl Scene {
    /// The largest coordinate, size or speed a scene may name, in SI units: beyond it an `f32` can
    /// no longer tell centimetres apart.
    pub const LARGEST: f32 = 1e6;
}

/// Where the camera looks at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// The point in the middle of the window, m.
    pub center: Vec2,
    /// The height of what is seen, m.
    pub height: f32,
}

impl Default for View {
    fn default() -> Self {
        Self { center: Vec2::new(0.0, 4.0), height: 12.0 }
    }
}

/// The region that bodies are expected to stay in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds(pub Aabb);

impl Default for Bounds {
    /// 200 m to each side, 50 m down, 200 m up.
    fn default() -> Self {
        Self(Aabb { min: Vec2::new(-200.0, -50.0), max: Vec2::new(200.0, 200.0) })
    }
}

/// Whether and how a body moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BodyKind {
    /// Never moves.
    Static,
    /// Moves with the velocity it was given and is pushed by nothing.
    Kinematic,
    /// Moves under gravity, contacts and joints.
    #[default]
    Dynamic,
}

/// The description of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyDef {
    /// The name that joints, expectations and messages use; unique in a scene.
    pub id: String,
    /// Static, kinematic or dynamic.
    pub kind: BodyKind,
    /// The figure, around the body's own origin.
    pub shape: Shape,
    /// Where the body's origin lies, m.
    pub position: Vec2,
    /// Rotation about that origin, rad, counter-clockwise.
    pub angle: f32,
    /// Velocity of the centre of mass, m/s.
    pub velocity: Vec2,
    /// Angular velocity, rad/s, counter-clockwise.
    pub spin: f32,
    /// Density, friction, restitution.
    pub material: Material,
    /// What it collides with.
    pub filter: Filter,
    /// How it is drawn. No part of the simulation reads this.
    pub look: Look,
}

impl BodyDef {
    /// A dynamic body of the default material with `shape` at `position`.
    #[must_use]
    pub fn new(id: impl Into<String>, shape: Shape, position: Vec2) -> Self {
        Self {
            id: id.into(),
            kind: BodyKind::Dynamic,
            shape,
            position,
            angle: 0.0,
            velocity: Vec2::ZERO,
            spin: 0.0,
            material: Material::default(),
            filter: Filter::default(),
            look: Look::default(),
        }
    }

    /// The same body, never moving.
    #[must_use]
    pub fn fixed(self) -> Self {
        Self { kind: BodyKind::Static, ..self }
    }
}

/// The figure of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A rectangle about the origin.
    Box {
        /// Width and height, m.
        size: Vec2,
    },
    /// A convex polygon; either winding. At least three vertices.
    Polygon {
        /// The outline in order, m.
        vertices: Vec<Vec2>,
    },
    /// A disc about the origin.
    Disc {
        /// Radius, m.
        radius: f32,
    },
    /// A rectangle with round ends, lying along the x axis about the origin.
    Capsule {
        /// Distance between the centres of the two round ends, m.
        length: f32,
        /// Radius of the ends and half the thickness, m.
        radius: f32,
    },
    /// Points and edges given one by one: ropes, soft bodies, frames of any kind.
    Mesh(Mesh),
}

impl Shape {
    /// The smallest size a shape may have, m.
    pub const LEAST_SIZE: f32 = 1e-4;
    /// The most vertices of a polygon.
    pub const MOST_VERTICES: usize = 64;
}

/// A free frame of points and edges.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// The points.
    pub points: Vec<MeshPoint>,
    /// The edges between them.
    pub edges: Vec<MeshEdge>,
    /// Collision pieces: indices of points. One index is a disc, two a capsule, three or more a
    /// convex polygon (counter-clockwise).
    pub pieces: Vec<Vec<u32>>,
    /// Collision radius of every piece, m. Must be positive for pieces of one or two points.
    pub radius: f32,
    /// `false`: the body keeps its rest shape, and its edges are stiff whatever their compliance.
    /// `true`: it bends as far as its edges let it.
    pub soft: bool,
}

/// One point of a [`Mesh`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshPoint {
    /// Where, relative to the body's origin, m.
    pub position: Vec2,
    /// Mass, kg; positive.
    pub mass: f32,
    /// Whether the point is held where it is.
    pub pinned: bool,
}

/// One edge of a [`Mesh`]; its rest length is the distance of its points in the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshEdge {
    /// First point.
    pub a: u32,
    /// Second point.
    pub b: u32,
    /// Inverse stiffness, m/N; 0 is stiff.
    pub compliance: f32,
    /// Damping along the edge, N·s/m.
    pub damping: f32,
}

impl MeshEdge {
    /// A stiff edge.
    #[must_use]
    pub fn stiff(a: u32, b: u32) -> Self {
        Self { a, b, compliance: 0.0, damping: 0.0 }
    }
}

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m² (a body is one metre deep, so this is the usual kg/m³).
    pub density: f32,
    /// Coulomb friction coefficient μ. Two bodies slide at `√(μ₁·μ₂)`.
    pub friction: f32,
    /// Ratio of the speeds after and before an impact, 0 to 1. Two bodies take the larger.
    pub restitution: f32,
}

impl Default for Material {
    /// Wood: 600 kg/m³, μ 0.6, restitution 0.05.
    fn default() -> Self {
        Self { density: 600.0, friction: 0.6, restitution: 0.05 }
    }
}

impl Material {
    /// The friction and restitution of two materials in touch: geometric mean and maximum, as in
    /// Box2D.
    #[must_use]
    pub fn mix(a: &Self, b: &Self) -> (f32, f32) {
        ((a.friction * b.friction).sqrt(), a.restitution.max(b.restitution))
    }
}

/// What collides with what. Two bodies collide when each one's category is in the other's mask,
/// unless they share a group other than 0: then a positive group always and a negative one never
/// collides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The bits this body is.
    pub category: u32,
    /// The bits this body collides with.
    pub mask: u32,
    /// Overrides category and mask between members of the same group; 0 is no group.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { category: 1, mask: u32::MAX, group: 0 }
    }
}

impl Filter {
    /// Whether bodies with these filters collide.
    #[must_use]
    pub fn collides(self, other: Self) -> bool {
        if self.group != 0 && self.group == other.group {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

/// How a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Red, green, blue; 0 to 255.
    pub color: [u8; 3],
    /// Bodies of a higher layer are drawn over those of a lower one.
    pub layer: i8,
    /// What is painted on the figure.
    pub style: Style,
}

impl Default for Look {
    fn default() -> Self {
        Self { color: [0xb5, 0x79, 0x3a], layer: 0, style: Style::Plain }
    }
}

/// What is painted on a body's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Colour and outline.
    #[default]
    Plain,
    /// A wooden crate: frame and planks.
    Crate,
    /// A ball with a stripe, so that its rotation can be seen.
    Ball,
    /// A head in profile with hair and an eye.
    Head {
        /// The colour of the hair: red, green, blue; 0 to 255.
        hair: [u8; 3],
        /// Whether the face is on the left side of the body's own frame, not on the right.
        facing_left: bool,
    },
    /// Ground: what never moves.
    Ground,
}

/// The description of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDef {
    /// The name used in messages.
    pub id: String,
    /// The first body.
    pub a: String,
    /// The second body, or `None` for the world.
    pub b: Option<String>,
    /// Where the two are pinned together, world coordinates at the start, m.
    pub at: Vec2,
    /// How far body `b` may turn relative to `a` from its pose at the start, rad.
    pub limit: Option<AngleLimit>,
    /// Whether the two bodies collide with each other all the same.
    pub collide: bool,
}

impl JointDef {
    /// A pin at `at` between `a` and `b` without an angle limit.
    #[must_use]
    pub fn pin(id: impl Into<String>, a: impl Into<String>, b: Option<&str>, at: Vec2) -> Self {
        Self {
            id: id.into(),
            a: a.into(),
            b: b.map(str::to_owned),
            at,
            limit: None,
            collide: false,
        }
    }
}

/// The range of a joint's angle relative to the pose it was built in, rad.
///
/// `lower ≤ 0 ≤ upper` is usual but not required; both lie within ±π and the range is below 2π.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AngleLimit {
    /// Smallest angle.
    pub lower: f32,
    /// Largest angle.
    pub upper: f32,
}
