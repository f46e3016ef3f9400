//! The bodies of another engine as a world of Sinew.
//!
//! Such an engine knows a rigid body by the place of its centre, its rotation, velocity and spin. Here
//! they are written back to the points that the same body has in Sinew, so that Sinew's metrics can
//! measure overlaps, joints and energies, and judge what a level promises.

use sinew::math::cross_sv;
use sinew::{Body, Pose, Rot, Scene, Vec2, World};

use crate::peer::Outcome;

/// A world of Sinew that follows the bodies of another engine.
pub struct Mirror {
    world: World,
    hz: f64,
}

/// Where a body is and how it moves, as the other engine knows it.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Centre of mass, m.
    pub center: Vec2,
    /// Rotation from the rest shape.
    pub rot: Rot,
    /// Velocity of the centre, m/s.
    pub velocity: Vec2,
    /// Angular velocity, rad/s.
    pub spin: f32,
}

impl Mirror {
    /// The world at the start. Scenes with soft bodies have no mirror.
    pub fn new(scene: &Scene) -> Outcome<Self> {
        let world = World::build(scene)?;
        if let Some(soft) = world.model.bodies.iter().find(|body| body.soft) {
            return Err(
                format!("`{}` is soft: rigid-body engines have no such thing", soft.id).into()
            );
        }
        Ok(Self { world, hz: f64::from(scene.settings.hz) })
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies, in the order of the scene.
    pub fn bodies(&self) -> &[Body] {
        &self.world.model.bodies
    }

    /// Where a body is.
    pub fn pose(&self, body: &Body) -> Pose {
        self.world.model.pose(body, &self.world.state.position)
    }

    /// Notes that a step has been taken.
    pub fn tick(&mut self) {
        self.world.state.steps += 1;
        self.world.state.time = self.world.state.steps as f64 / self.hz;
    }

    /// Puts the points of body number `index` where the other engine has the body.
    pub fn set(&mut self, index: usize, motion: Motion) {
        let World { model, state } = &mut self.world;
        for point in model.bodies[index].point_range() {
            let r = motion.rot.apply(model.rest[point]);
            state.position[point] = motion.center + r;
            state.velocity[point] = motion.velocity + cross_sv(motion.spin, r);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{peer, table, trial};
    use sinew::Level;

    #[test]
    fn a_level_with_soft_bodies_is_left_out_with_a_word() {
        let text = r#"{ "format": 1, "name": "soft",
            "items": [{ "type": "jelly", "id": "pudding", "box": [1, 1], "stiffness": 1e5, "at": [0, 3] }],
            "expect": [{ "at": 0.1, "body": "pudding", "moved_less_than": 1 }] }"#;
        let level = Level::parse(text, "soft.json").unwrap();
        let trials: Vec<_> = peer::ALL.iter().map(|entrant| trial::run(&level, entrant)).collect();
        let done = trials.iter().filter(|trial| trial.is_ok()).count();
        assert_eq!(done, peer::ALL.len() - 1, "all but the reference");
        let row = table::Row { level: level.name, trials };
        let told = "| 1 of 1 | `pudding` is soft: rigid-body engines have no such thing |";
        let text = table::render(&[row]);
        assert!(text.contains(told), "{text}");
    }
}
