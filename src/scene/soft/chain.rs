//! Chains and bridges: rigid links with pins between them.
//!
//! Links do not stretch at all, and each pin may break under a force. A chain longer than the way
//! between its ends starts hanging, at rest under gravity downwards (`hanging.rs`).

use super::rope::{laid, reach, segments};
use super::{Hold, Made, length};
use crate::math::Vec2;
use crate::scene::{BodyDef, Filter, JointDef, Look, Material, Shape};

/// What a link of a chain is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Link {
    /// A plank of this thickness, m.
    Plank(f32),
    /// A rod with round ends of this radius, m.
    Rod(f32),
}

/// Links from the origin to [`to`](Self::to).
///
/// ```
/// use sinew::soft::{Chain, Hold};
/// use sinew::{Scene, Vec2, World};
/// let bridge = Chain { to: Vec2::new(6.0, 0.0), links: 12, hold: Hold::Both, ..Chain::default() };
/// let (bodies, joints) = bridge.build("bridge", Vec2::new(-3.0, 2.0))?;
/// assert_eq!((bodies.len(), joints.len()), (12, 13));
/// World::build(&Scene { bodies, joints, ..Scene::default() })?;
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    /// Where it ends, m.
    pub to: Vec2,
    /// How long it is, m; `None` for straight.
    pub length: Option<f32>,
    /// How many links.
    pub links: u32,
    /// What each is.
    pub link: Link,
    /// Which ends are pinned to the world.
    pub hold: Hold,
    /// A pin breaks under more force than this, N.
    pub break_force: Option<f32>,
    /// What the links are made of.
    pub material: Material,
    /// What they collide with.
    pub filter: Filter,
    /// How they look.
    pub look: Look,
}

impl Default for Chain {
    /// Ten planks, 4 m to the right, held nowhere.
    fn default() -> Self {
        Self {
            to: Vec2::new(4.0, 0.0),
            length: None,
            links: 10,
            link: Link::Plank(0.1),
            hold: Hold::None,
            break_force: None,
            material: Material::default(),
            filter: Filter::default(),
            look: Look::default(),
        }
    }
}

impl Chain {
    /// The most links of a chain.
    pub const MOST_LINKS: u32 = 1000;

    /// How many bodies and joints it is.
    #[must_use]
    pub fn parts(&self) -> u64 {
        2 * u64::from(self.links) + 1
    }

    /// Its links `id.link.0` …, pinned to each other by `id.pin.1` …, with the start at `at`. A held start
    /// is `id.pin.0`, a held end has the last number.
    ///
    /// # Errors
    /// If a number is out of range, or the chain is shorter than the way it has to go.
    pub fn build(&self, id: &str, at: Vec2) -> Made<(Vec<BodyDef>, Vec<JointDef>)> {
        let distance = reach(self.to)?;
        let whole = length("length", self.length.unwrap_or(distance))?;
        super::within("links", self.links as f32, 2.0, Self::MOST_LINKS as f32, "")?;
        let count = segments(Some(self.links), whole, whole)?;
        let link = whole / count as f32;
        let shape = match self.link {
            Link::Plank(thickness) => {
                Shape::Box { size: Vec2::new(link, length("thickness", thickness)?) }
            }
            Link::Rod(radius) => Shape::Capsule { length: link, radius: length("radius", radius)? },
        };
        length("links", link)?;
        let places = laid(self.to, whole, count)?;
        let body = |(i, pair): (usize, &[Vec2])| {
            let along = pair[1] - pair[0];
            BodyDef {
                angle: libm::atan2f(along.y, along.x),
                material: self.material,
                filter: self.filter,
                look: self.look,
                ..BodyDef::new(name(id, i), shape.clone(), at + 0.5 * (pair[0] + pair[1]))
            }
        };
        let bodies = places.windows(2).enumerate().map(body).collect();
        let pin = |i: usize| {
            let (a, b) = match i {
                0 => (0, None),
                i if i == count => (count - 1, None),
                i => (i - 1, Some(name(id, i))),
            };
            let joint = format!("{id}.pin.{i}");
            let break_force = self.break_force;
            let def = JointDef::pin(joint, name(id, a), b.as_deref(), at + places[i]);
            JointDef { break_force, ..def }
        };
        let first = usize::from(!self.hold.start());
        let last = count - usize::from(!self.hold.end());
        Ok((bodies, (first..=last).map(pin).collect()))
    }
}

fn name(id: &str, link: usize) -> String {
    format!("{id}.link.{link}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Scene;
    use crate::world::World;

    #[test]
    fn links_meet_at_their_pins() {
        for (length, hold, pins) in [(None, Hold::Both, 11), (Some(5.0), Hold::Start, 10)] {
            let chain = Chain { length, hold, ..Chain::default() };
            let (bodies, joints) = chain.build("c", Vec2::Y).unwrap();
            assert_eq!((bodies.len(), joints.len()), (10, pins));
            let world = World::build(&Scene { bodies, joints, ..Scene::default() }).unwrap();
            let area = length.unwrap_or(4.0) * 0.1;
            let mass: f32 = world.model.bodies.iter().map(|body| body.mass).sum();
            assert!((mass / (600.0 * area) - 1.0).abs() < 1e-3, "{mass}");
            let positions = &world.state.position;
            for joint in &world.model.joints {
                let gap = joint.a.sample(positions).distance(joint.b.position(positions));
                assert!(gap < 1e-4, "{} {gap}", joint.id);
            }
        }
    }

    #[test]
    fn impossible_chains_are_refused_by_name() {
        let fault = |chain: Chain| chain.build("c", Vec2::ZERO).unwrap_err().parameter;
        let usual = Chain::default;
        assert_eq!(fault(Chain { links: 1, ..usual() }), "links");
        assert_eq!(fault(Chain { links: 1_000_000, ..usual() }), "links");
        assert_eq!(fault(Chain { length: Some(3.0), ..usual() }), "length");
        assert_eq!(fault(Chain { link: Link::Rod(0.0), ..usual() }), "radius");
    }
}
