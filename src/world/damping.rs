//! What slows bodies down as they move on by themselves.

use crate::math::Vec2;
use crate::world::World;

impl World {
    /// Lets the motion of all that is damped fade for so many seconds, exactly. Half of a step before it and half after make
    /// fall and damping together right to the second order of its length (Strang, “On the Construction and Comparison of
    /// Difference Schemes”, 1968).
    pub(crate) fn damp(&mut self, seconds: f32) {
        let Self { model, state } = self;
        for body in model.bodies.iter().filter(|body| body.material.is_damped()) {
            if !body.is_dynamic() {
                continue;
            }
            let left = |rate: f32| libm::expf(-rate * seconds);
            let (linear, angular) =
                (left(body.material.linear_damping), left(body.material.angular_damping));
            let points = body.point_range();
            let (mass, velocity) = (&model.mass[points.clone()], &mut state.velocity[points]);
            let momentum: Vec2 = mass.iter().zip(&*velocity).map(|(mass, at)| *mass * *at).sum();
            let of_center = momentum / body.mass;
            // About its centre what is soft is slowed down point by point, what is rigid is not.
            let about = if body.soft { linear * angular } else { angular };
            let pinned = &model.pinned[body.point_range()];
            for (at, _) in velocity.iter_mut().zip(pinned).filter(|(_, pinned)| !**pinned) {
                *at = linear * of_center + about * (*at - of_center);
            }
        }
    }
}
