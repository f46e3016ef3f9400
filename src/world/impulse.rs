//! Setting bodies in motion by hand: a speed that they are given, an impulse at a place.

use crate::error::{Error, Result};
use crate::math::{Vec2, cross, cross_sv};
use crate::world::{BodyId, Motion, World};

impl World {
    /// Lets a body move so, as a whole: what it did before, and how a soft one rang, is forgotten. Points that are held stay.
    /// In a running simulation use [`Sim::set_motion`](crate::Sim::set_motion).
    ///
    /// ```
    /// use sinew::{BodyDef, Motion, Scene, Shape, Sim, Vec2};
    /// let mut scene = Scene::default();
    /// scene.settings.gravity = Vec2::ZERO;
    /// scene.bodies.push(BodyDef::new("box", Shape::Box { size: Vec2::ONE }, Vec2::ZERO));
    /// let mut sim = Sim::new(&scene)?;
    /// let body = sim.world().body("box").unwrap();
    /// let motion = Motion { velocity: Vec2::new(3.0, 0.0), spin: 1.0 };
    /// sim.set_motion(body, motion)?;
    /// for _ in 0..60 {
    ///     sim.step()?;
    /// }
    /// assert!((sim.world().pose(body)?.center.x - 3.0).abs() < 1e-3);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is not one of this world, the body is static, or the motion is not finite; nothing is changed then. The
    /// speed of a kinematic body lasts.
    pub fn set_motion(&mut self, id: BodyId, motion: Motion) -> Result<()> {
        let body = self.get(id)?;
        let fail = |problem: &str| Err(Error::scene(&body.id, problem));
        if body.kind == crate::scene::BodyKind::Static {
            return fail("a static body does not move");
        }
        if !(motion.velocity.is_finite() && motion.spin.is_finite()) {
            return fail("a motion must be finite");
        }
        let (center, points) = (self.model.center(body, &self.state.position), body.point_range());
        for i in points.filter(|&i| !self.model.pinned[i]) {
            self.state.velocity[i] = motion.at(self.state.position[i] - center);
        }
        Ok(())
    }

    /// Gives a body an impulse, N·s, at a place: what a hit does, or a thrust for the length of a step. A rigid body takes it
    /// as a whole, with the spin that it brings about its centre of mass; a soft one where it is hit. In a running simulation use [`Sim::push`](crate::Sim::push).
    ///
    /// ```
    /// use sinew::{BodyDef, Scene, Shape, Sim, Vec2};
    /// let mut scene = Scene::default();
    /// scene.settings.gravity = Vec2::ZERO;
    /// scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::ZERO));
    /// let mut sim = Sim::new(&scene)?;
    /// let ball = sim.world().body("ball").unwrap();
    /// let mass = sim.world().model.bodies[0].mass;
    /// sim.push(ball, Vec2::ZERO, mass * Vec2::new(0.0, 2.0))?;
    /// assert!((sim.world().motion(ball)?.velocity.y - 2.0).abs() < 1e-5);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is not one of this world, the body is not dynamic, or a number is not finite; nothing is changed then.
    pub fn push(&mut self, id: BodyId, at: Vec2, impulse: Vec2) -> Result<()> {
        let index = self.index(id)?;
        let body = &self.model.bodies[index];
        let fail = |problem: &str| Err(Error::scene(&body.id, problem));
        if !body.is_dynamic() {
            return fail("only a dynamic body can be pushed");
        }
        if !(at.is_finite() && impulse.is_finite()) {
            return fail("an impulse and its place must be finite");
        }
        if body.soft {
            let anchor = self.model.anchor(index as u32, at, &self.state);
            for (point, weight) in anchor.terms() {
                self.state.velocity[point] += self.model.inv_mass[point] * weight * impulse;
            }
            return Ok(());
        }
        let center = self.model.center(body, &self.state.position);
        let (linear, angular) = (impulse / body.mass, cross(at - center, impulse) / body.inertia);
        for i in body.point_range().filter(|&i| !self.model.pinned[i]) {
            self.state.velocity[i] += linear + cross_sv(angular, self.state.position[i] - center);
        }
        Ok(())
    }
}
