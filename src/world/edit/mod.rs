//! Edits at run time: remove, pin, cut, tear, slice, weld, make of something else.
//!
//! An edit takes a body apart into its [`Parts`], changes them, and puts the
//! world together again (`rebuild.rs`): points keep their positions and velocities, joints find
//! their places anew, and handles on everything that still exists stay good. Masses and momenta are
//! shared out, never made. Solvers must be attached anew afterwards;
//! [`Sim::edit`](crate::Sim::edit) does both.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | the edits as methods of [`World`] |
//! | `rebuild.rs` | a world with some bodies replaced |
//! | `split.rs` | a body that is no longer in one piece becomes several |
//! | `tear.rs` | an edge removed; a vertex of a solid divided |
//! | `slice.rs` | a rigid body divided along a line |
//! | `slice_soft.rs` | a soft body divided along a line |

mod rebuild;
mod slice;
mod slice_soft;
mod split;
mod tear;

pub(crate) use rebuild::Changes;
pub(crate) use tear::part_edge;

use std::sync::Arc;

use crate::error::{Error, Result};
use crate::math::Vec2;
use crate::scene::{JointDef, JointKind, Material};
use crate::world::build::check_material;
use crate::world::parts::Parts;
use crate::world::{BodyId, JointId, World};

impl World {
    /// Removes a body and the joints that hold it.
    ///
    /// # Errors
    /// If the handle is not one of this world; nothing is changed then.
    pub fn remove(&mut self, id: BodyId) -> Result<()> {
        self.remove_all([id])
    }

    /// Removes several bodies and the joints that hold them, in about the time that one takes.
    ///
    /// # Errors
    /// If a handle is not one of this world; nothing is changed then.
    pub fn remove_all(&mut self, ids: impl IntoIterator<Item = BodyId>) -> Result<()> {
        let gone = ids.into_iter().map(|id| Ok((self.index(id)?, Vec::new())));
        let gone: Changes = gone.collect::<Result<_>>()?;
        self.replace(gone);
        Ok(())
    }

    /// Keeps two bodies from colliding with each other, now and when no joint holds them together
    /// any more.
    ///
    /// # Errors
    /// If a handle is not one of this world.
    pub fn keep_apart(&mut self, a: BodyId, b: BodyId) -> Result<()> {
        let [a, b] = [self.get(a)?.serial, self.get(b)?.serial];
        let pair = (a.min(b), a.max(b));
        if !self.model.strangers.contains(&pair) {
            let model = Arc::make_mut(&mut self.model);
            model.strangers.push(pair);
            model.update_apart();
        }
        Ok(())
    }

    /// Removes a joint.
    ///
    /// # Errors
    /// If the handle is not one of this world; nothing is changed then.
    pub fn remove_joint(&mut self, id: JointId) -> Result<()> {
        let index = self.joint_index(id)?;
        let model = Arc::make_mut(&mut self.model);
        model.joints.remove(index);
        self.state.joints.remove(index);
        model.update_apart();
        Ok(())
    }

    /// Holds the point of a body that is nearest to `at` where it is, or lets it go.
    ///
    /// A rigid body swings on one pinned point and stands still on two.
    ///
    /// # Errors
    /// If the handle is not one of this world, or the body is not dynamic.
    pub fn pin(&mut self, id: BodyId, at: Vec2, held: bool) -> Result<()> {
        let body = self.get(id)?;
        if !body.is_dynamic() {
            return Err(Error::scene(&body.id, "only a dynamic body can be pinned or let go"));
        }
        let distance = |i: &usize| self.state.position[*i].distance_squared(at);
        let nearest = body.point_range().min_by(|a, b| distance(a).total_cmp(&distance(b)));
        let Some(point) = nearest else { return Ok(()) };
        let model = Arc::make_mut(&mut self.model);
        model.pinned[point] = held;
        model.inv_mass[point] = if held { 0.0 } else { 1.0 / model.mass[point] };
        if held {
            self.state.velocity[point] = Vec2::ZERO;
        }
        Ok(())
    }

    /// Makes a body of something else: heavier or lighter as the densities say, as large, and moving on as it does.
    ///
    /// # Errors
    /// If the handle is not one of this world, or a number of the material lies outside what a scene may name; nothing is
    /// changed then.
    pub fn set_material(&mut self, id: BodyId, material: Material) -> Result<()> {
        let index = self.index(id)?;
        let model = Arc::make_mut(&mut self.model);
        let body = &mut model.bodies[index];
        check_material(&material).map_err(|problem| Error::scene(&body.id, problem))?;
        if material.density != body.material.density {
            let ratio = material.density / body.material.density;
            (body.mass, body.inertia) = (ratio * body.mass, ratio * body.inertia);
            for i in body.point_range() {
                model.mass[i] *= ratio;
                model.inv_mass[i] /= ratio;
            }
        }
        body.material = material;
        Ok(())
    }

    /// Welds two bodies, or one to the world, as they are: a joint that leaves nothing free.
    ///
    /// # Errors
    /// As [`World::add_joint`].
    pub fn weld(&mut self, a: BodyId, b: Option<BodyId>, at: Vec2) -> Result<JointId> {
        let name_a = self.get(a)?.id.clone();
        let name_b = b.map(|b| self.get(b).map(|body| body.id.clone())).transpose()?;
        let name = format!("{name_a}+{}", name_b.as_deref().unwrap_or("world"));
        let kind = JointKind::Weld { bend: None };
        self.add_joint(&JointDef::new(name, kind, name_a, name_b.as_deref(), at))
    }

    /// Cuts an edge of a soft body, by its index into [`Model::edges`](crate::Model::edges). A rope
    /// falls in two; where the edge belongs to a solid, the solid tears open at one of its ends.
    /// Returns the bodies that came off.
    ///
    /// # Errors
    /// If there is no such edge, or its body is not soft.
    pub fn cut_edge(&mut self, edge: usize) -> Result<Vec<BodyId>> {
        let ends = self.model.edges.get(edge).ok_or_else(|| Error::stale("edge"))?;
        let index = self.model.body_of[ends.a as usize] as usize;
        let body = &self.model.bodies[index];
        if !body.soft {
            return Err(Error::scene(
                &body.id,
                "the edges of a rigid body cannot be cut; slice it",
            ));
        }
        let mut parts = Parts::of(self, index);
        tear::part_edge(&mut parts, edge - body.edges.start as usize);
        Ok(came_off(self.replace_split(vec![(index, parts)])))
    }

    /// Tears a solid soft body at the point nearest to `at`, across `direction`: the pieces on either
    /// side of a line along `direction` no longer share the point. Returns the bodies that came off,
    /// usually none.
    ///
    /// # Errors
    /// If the handle is not one of this world, or the body is not soft.
    pub fn tear(&mut self, id: BodyId, at: Vec2, direction: Vec2) -> Result<Vec<BodyId>> {
        let index = self.index(id)?;
        if !self.model.bodies[index].soft {
            let id = &self.model.bodies[index].id;
            return Err(Error::scene(id, "a rigid body does not tear; slice it"));
        }
        let mut parts = Parts::of(self, index);
        let distance = |i: usize| parts.points[i].position.distance_squared(at);
        let nearest = (0..parts.points.len()).min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
        if let Some(point) = nearest {
            tear::divide_vertex(&mut parts, point as u32, crate::math::left(direction));
        }
        Ok(came_off(self.replace_split(vec![(index, parts)])))
    }

    /// Divides a body along the line through `at` in `direction`. What lies on the right of it keeps
    /// the handle; the bodies on the left are returned. Both move on as they did, and their masses
    /// add up to the old one. A line that misses the body changes nothing.
    ///
    /// # Errors
    /// If the handle is not one of this world, the body is static or kinematic, or it is rigid and
    /// made of several pieces.
    pub fn slice(&mut self, id: BodyId, at: Vec2, direction: Vec2) -> Result<Vec<BodyId>> {
        let index = self.index(id)?;
        let body = &self.model.bodies[index];
        if !body.is_dynamic() {
            return Err(Error::scene(&body.id, "only a dynamic body can be sliced"));
        }
        let Some(direction) = direction.try_normalize() else {
            return Err(Error::scene(&body.id, "the direction of a cut must not be zero"));
        };
        let line = slice::Line { at, normal: crate::math::left(direction) };
        let parts = Parts::of(self, index);
        if body.soft {
            let sliced = slice_soft::slice(parts, line);
            return Ok(came_off(self.replace_split(vec![(index, sliced)])));
        }
        if parts.pieces.len() > 1 {
            let id = &body.id;
            return Err(Error::scene(id, "a rigid body of several pieces cannot be sliced"));
        }
        match slice::slice(self, &parts, line) {
            Some([right, left]) => {
                Ok(came_off(self.replace(Changes::from([(index, vec![right, left])]))))
            }
            None => Ok(Vec::new()),
        }
    }

    /// Puts changed bodies in the place of those at the given indices, each as the several bodies
    /// that it may have fallen into; returns those that came off, each after what it came off.
    pub(crate) fn replace_split(&mut self, changed: Vec<(usize, Parts)>) -> Vec<(BodyId, BodyId)> {
        let split = |(index, parts): (usize, Parts)| (index, split::components(parts));
        self.replace(changed.into_iter().map(split).collect())
    }
}

fn came_off(added: Vec<(BodyId, BodyId)>) -> Vec<BodyId> {
    added.into_iter().map(|(_, body)| body).collect()
}
