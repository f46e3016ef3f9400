//! Holds: places on bodies that outlive edits elsewhere.

use crate::error::Result;
use crate::math::{Mapped, Vec2};
use crate::world::{Anchor, BodyId, Model, World};

/// A place on a body, to take hold of it by: what a [`Drag`](crate::Drag) pulls on.
///
/// It may be kept from step to step, whatever is added, removed or torn elsewhere. Where its own body has gone, or has other
/// points than it had since it was cut or torn, there is nothing to hold any more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Handhold {
    body: BodyId,
    /// Its points are counted from the first of the body.
    anchor: Anchor,
    /// How many points the body has.
    points: u32,
}

impl Handhold {
    /// The body.
    #[must_use]
    pub fn body(&self) -> BodyId {
        self.body
    }

    /// The index of the body, and the place on it as weights on points of the model; `None` if there is nothing to
    /// hold.
    #[must_use]
    pub fn find(&self, model: &Model) -> Option<(usize, Anchor)> {
        let index = model.index_of(self.body)?;
        let points = &model.bodies[index].points;
        (points.len() as u32 == self.points).then(|| {
            let moved = |point: u32| point + points.start;
            (index, Anchor { points: self.anchor.points.mapped(moved), ..self.anchor })
        })
    }
}

impl World {
    /// The place on a body to hold it by that is at `at` now.
    ///
    /// ```
    /// use sinew::{BodyDef, Drag, Scene, Shape, Sim, Vec2};
    /// let mut scene = Scene::default();
    /// scene.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::ZERO));
    /// let mut sim = Sim::new(&scene)?;
    /// let ball = sim.world().body("ball").unwrap();
    /// let hold = sim.world().hold(ball, Vec2::ZERO)?;
    /// sim.inputs_mut().drags = vec![Drag::new(hold, Vec2::X)];
    /// for _ in 0..60 {
    ///     sim.step()?;
    /// }
    /// assert!(sim.world().pose(ball)?.center.distance(Vec2::X) < 0.1);
    /// # Ok::<(), sinew::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the handle is not one of this world.
    pub fn hold(&self, body: BodyId, at: Vec2) -> Result<Handhold> {
        let points = &self.get(body)?.points;
        let anchor = self.anchor(body, at)?;
        let counted =
            Anchor { points: anchor.points.mapped(|point| point - points.start), ..anchor };
        Ok(Handhold { body, anchor: counted, points: points.len() as u32 })
    }
}
