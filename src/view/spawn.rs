//! What the user can drop into a running world, and where it finds room.
//!
//! Nothing is dropped into what is there already: it appears at the first free place straight above
//! the cursor, found by conservative advancement (Mirtich, “Impulse-based dynamic simulation”, 1996,
//! §2.3). To part two bodies that overlap by a depth one of them has to move by that depth at least,
//! in whatever direction; so that much is always safe to rise, and no free place is missed.

use glam::DVec2;

use crate::error::{Error, Result};
use crate::level::Level;
use crate::math::{Aabb, Vec2};
use crate::metrics::outline_gap;
use crate::scene::{BodyDef, JointDef, Look, Material, Scene, Shape, Style};
use crate::world::{Piece, World};

/// The gap left below what is dropped onto something, m.
const GAP: f64 = 0.02;
/// A gap this much smaller will do, m: rising ends in ever smaller steps.
const SLACK: f64 = 1e-3;
/// The most steps that something rises by: a heap of bodies takes a few for each it passes.
const MOST_STEPS: usize = 1000;

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

    /// What it is made of, as with [`make`](Self::make), at the first place at or straight above
    /// `at` where it overlaps nothing it could collide with.
    ///
    /// # Errors
    /// If that place is too far out.
    pub(crate) fn make_above(
        self,
        world: &World,
        number: u32,
        at: Vec2,
    ) -> Result<(Vec<BodyDef>, Vec<JointDef>)> {
        let (bodies, joints) = self.make(world, number, at)?;
        let rise = rise(world, &bodies)?;
        if rise > 0.0 {
            return self.make(world, number, at + Vec2::new(0.0, rise as f32));
        }
        Ok((bodies, joints))
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

/// How far bodies have to rise to be clear of a world, m.
fn rise(world: &World, bodies: &[BodyDef]) -> Result<f64> {
    // Together in one world, so that its filters say what collides.
    let mut trial = world.clone();
    for body in bodies {
        trial.add_body(body)?;
    }
    let old = world.model.pieces.len();
    let outline = |piece: &Piece| -> Vec<DVec2> {
        let points = trial.model.outline(piece).iter();
        points.map(|&point| trial.state.position[point as usize].as_dvec2()).collect()
    };
    let mut obstacles = Vec::new();
    for own in &trial.model.pieces[old..] {
        let bounds = trial.piece_bounds(own).grown(GAP as f32);
        let column = Aabb { max: Vec2::new(bounds.max.x, f32::INFINITY), ..bounds };
        for other in &trial.model.pieces[..old] {
            if trial.model.may_collide(own.body, other.body)
                && column.overlaps(trial.piece_bounds(other))
            {
                let radii = [f64::from(own.radius), f64::from(other.radius)];
                obstacles.push((outline(own), outline(other), radii));
            }
        }
    }
    let mut rise = 0.0;
    for _ in 0..MOST_STEPS {
        let gaps = obstacles.iter().map(|(own, other, [radius, other_radius])| {
            let own: Vec<_> = own.iter().map(|&point| point + DVec2::new(0.0, rise)).collect();
            outline_gap(&own, *radius, other, *other_radius)
        });
        let gap = gaps.fold(f64::INFINITY, f64::min);
        if gap > GAP - SLACK {
            break;
        }
        rise += GAP - gap;
    }
    Ok(rise)
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
    def.material = Material::new(300.0, 0.6, 0.6);
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

    /// A world of static boxes with these centres and sizes.
    fn boxes(boxes: &[([f32; 2], [f32; 2])]) -> World {
        let mut world = World::default();
        for (i, &(at, size)) in boxes.iter().enumerate() {
            let shape = Shape::Box { size: size.into() };
            world.add_body(&BodyDef::new(format!("box.{i}"), shape, at.into()).fixed()).unwrap();
        }
        world
    }

    fn height_of_ball(world: &World, at: Vec2) -> f32 {
        let (bodies, _) = Toy::Ball.make_above(world, 0, at).unwrap();
        assert_eq!(bodies[0].position.x, at.x);
        bodies[0].position.y
    }

    #[test]
    fn what_is_dropped_appears_above_what_is_there() {
        let radius = 0.35;
        // Where there is room it appears right there, also close to something.
        let floor = boxes(&[([0.0, -0.5], [10.0, 1.0])]);
        for free in [5.0, 0.45] {
            assert_eq!(height_of_ball(&floor, Vec2::new(0.0, free)), free);
        }
        // On the floor, in it, and deep below its middle.
        for y in [0.2, -0.1, -0.9] {
            let height = height_of_ball(&floor, Vec2::new(1.0, y));
            assert!((height - radius - 0.02).abs() < 0.002, "from {y} to {height}");
        }
        // Through a gap that is too small for it, and not past one that is large enough.
        let shelf =
            |gap: f32| boxes(&[([0.0, -0.5], [10.0, 1.0]), ([0.0, gap + 0.1], [10.0, 0.2])]);
        let narrow = height_of_ball(&shelf(0.6), Vec2::ZERO);
        assert!((narrow - 0.8 - radius - 0.02).abs() < 0.002, "{narrow}");
        let wide = height_of_ball(&shelf(0.8), Vec2::ZERO);
        assert!((wide - radius - 0.02).abs() < 0.002, "{wide}");
        // What is far above does not matter.
        let roof = boxes(&[([0.0, 9.0], [10.0, 1.0])]);
        assert_eq!(height_of_ball(&roof, Vec2::ZERO), 0.0);
    }

    #[test]
    fn toys_dropped_at_one_place_pile_up_without_overlap() {
        let mut world = boxes(&[([0.0, -0.5], [10.0, 1.0])]);
        let mut number = 0;
        for toy in [Toy::Crate, Toy::Ball, Toy::Ragdoll].repeat(3) {
            let old = world.model.pieces.len();
            number += 1;
            let (bodies, _) = toy.make_above(&world, number, Vec2::new(0.0, 0.3)).unwrap();
            for body in &bodies {
                world.add_body(body).unwrap();
            }
            let model = &world.model;
            for own in old..model.pieces.len() {
                for other in 0..old {
                    let pair = (own as u32, other as u32);
                    let touch = crate::Collision::touch(model, &world.state.position, pair, 0.0);
                    assert!(touch.iter().next().is_none(), "{toy:?} {number} overlaps");
                }
            }
        }
    }

    #[test]
    fn what_collides_with_nothing_is_no_obstacle() {
        let mut world = World::default();
        let mut backdrop = BodyDef::new("sky", Shape::Box { size: Vec2::splat(9.0) }, Vec2::ZERO);
        backdrop.filter.mask = 0;
        world.add_body(&backdrop.fixed()).unwrap();
        assert_eq!(height_of_ball(&world, Vec2::ZERO), 0.0);
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
            assert!(toy.make_above(&world, 1, Vec2::NAN).is_err());
        }
    }
}
