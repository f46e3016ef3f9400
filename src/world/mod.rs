//! The world: points held together by edges.
//!
//! A [`World`] is a [`Model`] (what there is) and a [`State`] (where it is and how fast). Nothing
//! here knows a solver; drawing, picking, energy and saving are functions over a world.
//!
//! | file | job |
//! |---|---|
//! | `model.rs` | points, edges, areas, bends, bodies, pieces |
//! | `joint.rs` | joints and the ends they have |
//! | `handle.rs` | handles on bodies and joints that never name the wrong one |
//! | `state.rs` | positions, velocities, clock, hash |
//! | `anchor.rs` | a place on a body as weights on its points |
//! | `hold.rs` | a place on a body that outlives edits elsewhere |
//! | `pose.rs` | centre, rotation and motion of a body, read off its points |
//! | `mass.rs` | point masses with the true mass, centre and inertia of a solid |
//! | `build/` | from descriptions of bodies and joints to points and edges |
//! | `parts.rs` | a body on its own, to be added to a world |
//! | `rim.rs` | which edges of pieces lie inside their body |
//! | `impulse.rs` | bodies are set in motion by hand |
//! | `edit/` | remove, pin, cut, tear, slice, weld |
//! | `failure.rs` | what breaks and bends after a step |
//! | `drive.rs` | what motors are told |
//! | `duties.rs` | which joints and bodies a step has to look at besides moving them |
//! | `excerpt.rs` | some of the bodies as a world of their own |
//! | `renumbering.rs` | what becomes of numbers when bodies come and go |

mod anchor;
mod build;
mod damping;
mod drive;
mod duties;
mod edit;
mod excerpt;
mod failure;
mod handle;
mod hold;
mod impulse;
mod joint;
mod mass;
mod model;
mod parts;
mod pose;
mod renumbering;
mod rim;
mod state;

pub use anchor::Anchor;
pub(crate) use duties::{Angles, Duties, nearest_angle};
pub(crate) use excerpt::Excerpt;
pub use failure::Event;
pub use handle::{BodyId, JointId};
pub use hold::Handhold;
pub use joint::{Joint, JointEnd, Limit};
pub use model::{Area, AreaRule, Bend, Body, Edge, Model, Piece, Rim};
pub(crate) use parts::turn as bend_turn;
pub use pose::{Motion, Pose};
pub(crate) use renumbering::Numbering;
pub use renumbering::Renumbering;
pub use state::{JointState, State};

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::{Aabb, Vec2};
use crate::scene::{BodyDef, JointDef, Scene};

/// What there is and where it is.
#[derive(Clone, Debug, Default)]
pub struct World {
    /// Topology, masses, materials. Worlds and snapshots between which nothing was edited share it;
    /// [`Arc::make_mut`] gives one to change.
    pub model: Arc<Model>,
    /// Positions, velocities, clock.
    pub state: State,
}

impl World {
    /// The world a scene describes.
    ///
    /// ```
    /// use sinew::{BodyDef, Scene, Shape, Vec2, World};
    /// let mut scene = Scene::default();
    /// scene.bodies.push(BodyDef::new("box", Shape::Box { size: Vec2::ONE }, Vec2::Y));
    /// let world = World::build(&scene)?;
    /// let body = world.body("box").unwrap();
    /// assert!((world.pose(body)?.center.y - 1.0).abs() < 1e-6);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// # Errors
    /// On the first body or joint that cannot be built: a size that is not positive, an outline
    /// that crosses itself, an id that is used twice or does not exist.
    pub fn build(scene: &Scene) -> Result<Self> {
        let mut world = Self::default();
        let model = Arc::make_mut(&mut world.model);
        model.bounds = Some(scene.bounds.0);
        model.script = scene.script.clone();
        for body in &scene.bodies {
            world.add_body(body)?;
        }
        for joint in &scene.joints {
            world.add_joint(joint)?;
        }
        for (a, b) in &scene.apart {
            let find =
                |id: &str| world.body(id).ok_or_else(|| Error::scene(id, "no body has this id"));
            world.keep_apart(find(a)?, find(b)?)?;
        }
        Arc::make_mut(&mut world.model).shrink_to_fit();
        world.state.shrink_to_fit();
        Ok(world)
    }

    /// Adds a body. Solvers must be attached anew afterwards; [`Sim::edit`](crate::Sim::edit) does
    /// both.
    ///
    /// # Errors
    /// If the description cannot be built; the world is then as it was.
    pub fn add_body(&mut self, def: &BodyDef) -> Result<BodyId> {
        let index = build::add_body(Arc::make_mut(&mut self.model), &mut self.state, def)?;
        Ok(self.body_id(index))
    }

    /// Adds a joint. Solvers must be attached anew afterwards; [`Sim::edit`](crate::Sim::edit) does
    /// both.
    ///
    /// # Errors
    /// If the description cannot be built; the world is then as it was.
    pub fn add_joint(&mut self, def: &JointDef) -> Result<JointId> {
        let index = build::add_joint(Arc::make_mut(&mut self.model), &mut self.state, def)?;
        Ok(self.joint_id(index))
    }

    /// Where a body is and how it is turned.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn pose(&self, id: BodyId) -> Result<Pose> {
        Ok(self.model.pose(self.get(id)?, &self.state.position))
    }

    /// How a body moves.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn motion(&self, id: BodyId) -> Result<Motion> {
        Ok(self.model.motion(self.get(id)?, &self.state.position, &self.state.velocity))
    }

    /// The anchor at a world position on a body.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn anchor(&self, id: BodyId, at: Vec2) -> Result<Anchor> {
        Ok(self.model.anchor(self.index(id)? as u32, at, &self.state))
    }

    /// The smallest box around a body's pieces.
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn bounds(&self, id: BodyId) -> Result<Aabb> {
        let pieces = self.model.pieces_of(self.get(id)?);
        Ok(pieces.iter().fold(Aabb::EMPTY, |all, piece| all.union(self.piece_bounds(piece))))
    }

    /// The smallest box around a piece.
    #[must_use]
    pub fn piece_bounds(&self, piece: &Piece) -> Aabb {
        Aabb::around(self.corners(piece)).grown(piece.radius)
    }

    /// Where the points of a piece are.
    pub(crate) fn corners(&self, piece: &Piece) -> impl Iterator<Item = Vec2> + '_ {
        self.model.outline(piece).iter().map(|&i| self.state.position[i as usize])
    }

    /// The topmost body (highest layer, then latest) with a piece within `reach` of a point, the
    /// nearest where none holds the point itself. Static bodies are found only when `fixed` is
    /// true.
    #[must_use]
    pub fn pick(&self, at: Vec2, reach: f32, fixed: bool) -> Option<BodyId> {
        let mut best: Option<(f32, i8, usize)> = None;
        for (index, body) in self.model.bodies.iter().enumerate() {
            if !fixed && !body.is_dynamic() {
                continue;
            }
            let distance = self
                .model
                .pieces_of(body)
                .iter()
                .map(|piece| self.distance_to_piece(piece, at).max(0.0))
                .fold(f32::INFINITY, f32::min);
            let layer = body.look.layer;
            if distance <= reach
                && best.is_none_or(|(d, l, _)| distance < d || (distance == d && layer >= l))
            {
                best = Some((distance, layer, index));
            }
        }
        best.map(|(_, _, index)| self.body_id(index as u32))
    }

    /// The distance from a point to the surface of a piece, m; negative inside.
    #[must_use]
    pub fn distance_to_piece(&self, piece: &Piece, at: Vec2) -> f32 {
        self.model.distance_to_piece(piece, &self.state.position, at)
    }
}
