//! What a world is built from: plain descriptions of bodies and joints.
//!
//! A [`Scene`] is what a level file becomes once it is read, and what a game that embeds the
//! library fills in by hand. It names things, places them and gives them materials; it holds no
//! points yet. [`World::build`](crate::World::build) turns it into points and edges.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | scene, view, bounds, body |
//! | `shape.rs` | the figures of rigid bodies |
//! | `terrain.rs` | ground along a line, and walls that are lines |
//! | `mesh.rs` | frames of points and edges given one by one: what is soft |
//! | `material.rs` | density, friction, filters, looks |
//! | `joint.rs` | joints, springs, motors |
//! | `track.rs` | what motors are told as time goes by |
//! | `key.rs` | keys that drive joints, scripts that hold keys |
//! | `soft/` | soft bodies and chains from a few numbers |

mod joint;
mod key;
mod material;
mod mesh;
mod shape;
pub mod soft;
mod terrain;
mod track;

pub use joint::{AngleLimit, JointDef, JointKind, Motor, Spring, Travel};
pub use key::{Key, Released, Script, ScriptEntry, Steering};
pub use material::{Filter, Look, Material, Style};
pub use mesh::{Mesh, MeshArea, MeshBend, MeshEdge, MeshPoint, Plastic, Strength};
pub use shape::{Part, Shape};
pub use terrain::{Course, Terrain, TerrainFault};
pub use track::Track;

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
    /// Pairs of bodies, by their ids, that never collide though their filters would let them.
    pub apart: Vec<(String, String)>,
    /// Keys that are held as time goes by, beside those of [`Inputs`](crate::Inputs).
    pub script: Script,
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
