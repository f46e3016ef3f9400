//! What the user can drop into a running world.

use crate::error::{Error, Result};
use crate::level::Level;
use crate::math::Vec2;
use crate::scene::{BodyDef, JointDef, Look, Material, Scene, Shape, Style};
use crate::world::World;

/// Something to drop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Toy {
    Crate,
    Ball,
    Ragdoll,
}

/// Colours that dropped balls take in turn.
const BALLS: [[u8; 3]; 5] = [
    [0xd9, 0x4f, 0x3d],
    [0x2f, 0x7f, 0xb8],
    [0xe8, 0xa5, 0x33],
    [0x3f, 0x9a, 0x6c],
    [0x8a, 0x5a, 0xa8],
];

impl Toy {
    /// What it is called.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Crate => "crate",
            Self::Ball => "ball",
            Self::Ragdoll => "ragdoll",
        }
    }

    /// What it is made of, with its middle at `at`; `number` tells it from others of its kind in
    /// `world`. Its parts share a group that nobody there has.
    ///
    /// # Errors
    /// If `at` is too far out.
    pub(crate) fn make(
        self,
        world: &World,
        number: u32,
        at: Vec2,
    ) -> Result<(Vec<BodyDef>, Vec<JointDef>)> {
        let id = free_id(world, self.name(), number);
        let (mut bodies, joints) = match self {
            Self::Crate => (vec![wooden_crate(id, number, at)], Vec::new()),
            Self::Ball => (vec![ball(id, number, at)], Vec::new()),
            Self::Ragdoll => {
                let scene = ragdoll(&id, at)?;
                (scene.bodies, scene.joints)
            }
        };
        let groups = world.model.bodies.iter().map(|body| body.filter.group);
        let lowest = groups.min().unwrap_or(0).min(0);
        for body in bodies.iter_mut().filter(|body| body.filter.group < 0) {
            body.filter.group = lowest.saturating_sub(1);
        }
        Ok((bodies, joints))
    }
}

/// An id that no body of the world, and no part of one, begins with.
fn free_id(world: &World, name: &str, number: u32) -> String {
    let mut id = format!("dropped.{name}.{number}");
    while world.model.bodies.iter().any(|body| body.id.starts_with(&id)) {
        id.push('_');
    }
    id
}

fn wooden_crate(id: String, number: u32, at: Vec2) -> BodyDef {
    let size = [0.8, 1.0, 0.6][number as usize % 3];
    let mut def = BodyDef::new(id, Shape::Box { size: Vec2::splat(size) }, at);
    def.look.style = Style::Crate;
    def
}

fn ball(id: String, number: u32, at: Vec2) -> BodyDef {
    let radius = [0.35, 0.45, 0.28][number as usize % 3];
    let mut def = BodyDef::new(id, Shape::Disc { radius }, at);
    def.material = Material { density: 300.0, friction: 0.6, restitution: 0.6 };
    def.look = Look { color: BALLS[number as usize % BALLS.len()], layer: 0, style: Style::Ball };
    def
}

/// A ragdoll as a level would make it, so that there is one kind of ragdoll only.
fn ragdoll(id: &str, at: Vec2) -> Result<Scene> {
    if !at.is_finite() {
        return Err(Error::scene(id, "it must be dropped at a finite place"));
    }
    let text = format!(
        r#"{{ "format": 1, "name": "ragdoll", "items": [
            {{ "type": "ragdoll", "id": "{id}", "at": [{:.4}, {:.4}] }} ] }}"#,
        at.x, at.y
    );
    Ok(Level::parse(&text, "dropped ragdoll")?.scene)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(toy: Toy, world: &mut World, number: u32, at: Vec2) -> Result<()> {
        let (bodies, joints) = toy.make(world, number, at)?;
        for body in &bodies {
            world.add_body(body)?;
        }
        for joint in &joints {
            world.add_joint(joint)?;
        }
        Ok(())
    }

    #[test]
    fn everything_can_be_dropped_many_times() {
        let mut world = World::default();
        for toy in [Toy::Crate, Toy::Ball, Toy::Ragdoll] {
            for number in [1, 2, 2, 11, 1] {
                add(toy, &mut world, number, Vec2::new(3.0, 4.0)).unwrap();
            }
        }
        assert!(world.model.bodies.len() >= 10);
    }

    #[test]
    fn ragdolls_do_not_share_a_group() {
        let mut world = World::default();
        add(Toy::Ragdoll, &mut world, 1, Vec2::ZERO).unwrap();
        let parts = world.model.bodies.len();
        add(Toy::Ragdoll, &mut world, 2, Vec2::ZERO).unwrap();
        let groups: Vec<i32> = world.model.bodies.iter().map(|body| body.filter.group).collect();
        assert!(parts > 5);
        assert!(groups[..parts].iter().all(|group| !groups[parts..].contains(group)));
    }

    #[test]
    fn impossible_places_are_errors() {
        let mut world = World::default();
        for toy in [Toy::Crate, Toy::Ball, Toy::Ragdoll] {
            assert!(add(toy, &mut world, 1, Vec2::NAN).is_err());
            assert!(add(toy, &mut world, 1, Vec2::splat(1e9)).is_err());
        }
    }
}
