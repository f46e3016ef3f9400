//! What slows bodies down as they move on by themselves.

use crate::world::{Body, World};

impl World {
    /// Lets the motion of all that is damped fade for so many seconds, exactly. Half of a step before it and half after make
    /// fall and damping together right to the second order of its length (Strang, “On the Construction and Comparison of
    /// Difference Schemes”, 1968).
    pub(crate) fn damp(&mut self, seconds: f32) {
        let Self { model, state } = self;
        let slows = |body: &&Body| body.is_dynamic() && body.material.is_damped();
        for body in model.bodies.iter().filter(slows) {
            let left = |rate: f32| libm::expf(-rate * seconds);
            let (linear, angular) =
                (left(body.material.linear_damping), left(body.material.angular_damping));
            let of_center = model.motion(body, &state.position, &state.velocity).velocity;
            // About its centre what is soft is slowed down point by point, what is rigid is not.
            let about = if body.soft { linear * angular } else { angular };
            for i in body.point_range().filter(|&i| !model.pinned[i]) {
                let at = &mut state.velocity[i];
                *at = linear * of_center + about * (*at - of_center);
            }
        }
    }
}
