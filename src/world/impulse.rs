//! Setting bodies in motion by hand: a speed that they are given, an impulse at a place.

use crate::error::{Error, Result};
use crate::math::{Vec2, cross, cross_sv};
use crate::outline::nearest;
use crate::world::{Body, BodyId, Motion, World};

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
        let index = self.index(id)?;
        let body = &self.model.bodies[index];
        let fail = |problem: &str| Err(Error::scene(&body.id, problem));
        if body.kind == crate::scene::BodyKind::Static {
            return fail("a static body does not move");
        }
        if !(motion.velocity.is_finite() && motion.spin.is_finite()) {
            return fail("a motion must be finite");
        }
        let center = self.model.center(body, &self.state.position);
        let moves = |i: usize| (i, motion.at(self.state.position[i] - center));
        let all = body.point_range().filter(|&i| !self.model.pinned[i]).map(moves).collect();
        self.set_velocities(index, all)
    }

    /// Gives a body an impulse, N·s, at a place: what a hit does, or a thrust for the length of a step. A rigid body takes it
    /// as a whole, with the spin that it brings about its centre of mass; a soft one where it is hit, or, if that is beside it, at its nearest
    /// place. In a running simulation use [`Sim::push`](crate::Sim::push).
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
        let velocity = &self.state.velocity;
        let all = if body.soft {
            let anchor = self.model.anchor(index as u32, self.onto(body, at), &self.state);
            let push = |(i, weight)| (i, velocity[i] + self.model.inv_mass[i] * weight * impulse);
            anchor.terms().map(push).collect()
        } else {
            let center = self.model.center(body, &self.state.position);
            let (linear, turn) = (impulse / body.mass, cross(at - center, impulse));
            // A single point does not turn.
            let angular = if body.inertia > 0.0 { turn / body.inertia } else { 0.0 };
            let push = |i: usize| {
                (i, velocity[i] + (linear + cross_sv(angular, self.state.position[i] - center)))
            };
            body.point_range().filter(|&i| !self.model.pinned[i]).map(push).collect()
        };
        self.set_velocities(index, all)
    }

    /// Gives points of a body these velocities, m/s.
    ///
    /// # Errors
    /// If any is not finite; nothing is changed then.
    fn set_velocities(&mut self, body: usize, all: Vec<(usize, Vec2)>) -> Result<()> {
        if !all.iter().all(|(_, velocity)| velocity.is_finite()) {
            let id = &self.model.bodies[body].id;
            return Err(Error::scene(id, "it would be faster than any number"));
        }
        all.into_iter().for_each(|(i, velocity)| self.state.velocity[i] = velocity);
        Ok(())
    }

    /// The place of a body that is nearest to one beside it; the same if that is on one of its pieces, or there are none.
    fn onto(&self, body: &Body, at: Vec2) -> Vec2 {
        let mut best = (f64::INFINITY, at);
        for piece in self.model.pieces_of(body) {
            let outline = self.model.outline(piece);
            let corner = |k: usize| self.state.position[outline[k] as usize].as_dvec2();
            let near = nearest(outline.len(), corner, at.as_dvec2());
            if near.distance <= f64::from(piece.radius) {
                return at;
            }
            if near.distance < best.0 {
                let place = corner(near.side).lerp(corner((near.side + 1) % outline.len()), near.t);
                best = (near.distance, place.as_vec2());
            }
        }
        best.1
    }
}
