//! Handles on bodies and joints.
//!
//! A handle is a serial number, not a place in an array: it names the same body whatever else is
//! added, removed or cut in two, and nothing at all once its body is gone. Serial numbers only grow,
//! so the index is found by bisection.

use crate::error::{Error, Result};
use crate::world::{Body, Joint, Model, World};

/// A handle on a body of a world. Later bodies have larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(u32);

/// A handle on a joint of a world. Later joints have larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(u32);

impl Model {
    /// The index into [`Model::bodies`] of the body that a handle names, if it still exists.
    #[must_use]
    pub fn index_of(&self, id: BodyId) -> Option<usize> {
        self.bodies.binary_search_by_key(&id.0, |body| body.serial).ok()
    }

    /// The index into [`Model::joints`] of the joint that a handle names, if it still exists.
    #[must_use]
    pub fn index_of_joint(&self, id: JointId) -> Option<usize> {
        self.joints.binary_search_by_key(&id.0, |joint| joint.serial).ok()
    }
}

impl Body {
    /// The handle on this body.
    #[must_use]
    pub fn handle(&self) -> BodyId {
        BodyId(self.serial)
    }
}

impl Joint {
    /// The handle on this joint.
    #[must_use]
    pub fn handle(&self) -> JointId {
        JointId(self.serial)
    }
}

impl World {
    /// The body with this id.
    #[must_use]
    pub fn body(&self, id: &str) -> Option<BodyId> {
        self.model.by_id.get(id).map(|&index| self.body_id(index))
    }

    /// The joint with this id; the first where several have it.
    #[must_use]
    pub fn joint(&self, id: &str) -> Option<JointId> {
        self.model.joints.iter().find(|joint| joint.id == id).map(Joint::handle)
    }

    /// Every body, in order.
    pub fn bodies(&self) -> impl Iterator<Item = (BodyId, &Body)> {
        self.model.bodies.iter().map(|body| (body.handle(), body))
    }

    /// Every joint, in order.
    pub fn joints(&self) -> impl Iterator<Item = (JointId, &Joint)> {
        self.model.joints.iter().map(|joint| (joint.handle(), joint))
    }

    /// The index into [`Model::bodies`] of a body, until the next edit.
    ///
    /// # Errors
    /// If the body is not, or no longer, in this world.
    pub fn index(&self, id: BodyId) -> Result<usize> {
        self.model.index_of(id).ok_or_else(|| Error::stale("body"))
    }

    /// The index into [`Model::joints`] of a joint, until the next edit.
    ///
    /// # Errors
    /// If the joint is not, or no longer, in this world.
    pub fn joint_index(&self, id: JointId) -> Result<usize> {
        self.model.index_of_joint(id).ok_or_else(|| Error::stale("joint"))
    }

    pub(super) fn get(&self, id: BodyId) -> Result<&Body> {
        Ok(&self.model.bodies[self.index(id)?])
    }

    pub(super) fn body_id(&self, index: u32) -> BodyId {
        self.model.bodies[index as usize].handle()
    }

    pub(super) fn joint_id(&self, index: u32) -> JointId {
        self.model.joints[index as usize].handle()
    }
}
