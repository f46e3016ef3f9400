//! The velocity stage: rigid bodies as blocks.
//!
//! Projection leaves velocities that no rigid body has: corners that move against their centre,
//! and bodies that still approach or part at a contact that is already satisfied. Left alone they
//! come back in the next sub-step as forces, and a pile never quite comes to rest. As in RATTLE
//! (Andersen, 1983, eq. 4), the velocities are therefore projected onto the constraints too:
//!
//! 1. each rigid body takes the velocity `V + ω×r` that has its momentum and angular momentum;
//! 2. what a joint holds comes to rest, by impulses on whole bodies (`rests.rs`, `hinges.rs`);
//! 3. at each contact that was pressed (`pressed.rs`), impulses on whole bodies bring the normal velocity to what
//!    it should be, 0 or the speed of the bounce, and the sideways velocity to 0 within the cone of
//!    friction. The impulse of the position stage counts towards both limits, so that a contact
//!    never pulls and never rubs harder than `μ` allows.
//!
//! Every impulse acts on both sides: momentum is kept.

use std::ops::Range;

use crate::math::{Vec2, cross, cross_sv};
use crate::scene::BodyKind;
use crate::solver::common::{MOST_TURN, is_free_rigid};
use crate::solver::nodes::Twist;
use crate::solver::verlet::contacts::mobility;
use crate::threads::{Owner, Stretches, Threads};
use crate::world::{Anchor, Model, State};

/// The work on so few bodies is not worth sharing out.
const PART: usize = 256;

/// Rigid bodies as blocks, gathered from their points.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    /// One of each body.
    blocks: Vec<Block>,
    /// How each moves; after them the ground.
    twists: Vec<Twist>,
}

/// What is needed of a body in every sub-step, in one place.
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    /// The first of its points, and the first of those that follow.
    points: [u32; 2],
    mass: f32,
    /// 0 where no impulse moves it as a whole.
    inv_mass: f32,
    inv_inertia: f32,
    center: Vec2,
    /// Whether it has a motion of its own: what is free has, and what is kinematic.
    moves: bool,
    /// Whether its twist says how it moves: what keeps its shape does, whether it can be pushed or not.
    whole: bool,
}

/// What an impulse at a place on a body takes hold of.
#[derive(Clone, Copy, Debug)]
pub(super) enum Grip {
    /// A block, by the offset of the place from its centre.
    Block { body: u32, arm: Vec2 },
    /// The points that carry the place.
    Points(Anchor),
}

impl Block {
    fn range(&self) -> Range<usize> {
        self.points[0] as usize..self.points[1] as usize
    }
}

impl Owner for Block {
    fn first(&self) -> usize {
        self.points[0] as usize
    }
}

impl Blocks {
    /// Notes which bodies are blocks.
    pub(super) fn attach(&mut self, model: &Model) {
        self.blocks.clear();
        self.blocks.extend(model.bodies.iter().map(|body| {
            let is_free = is_free_rigid(model, body);
            let inverse = |of: f32| if is_free && of > 0.0 { 1.0 / of } else { 0.0 };
            Block {
                points: [body.points.start, body.points.end],
                mass: body.mass,
                inv_mass: inverse(body.mass),
                inv_inertia: inverse(body.inertia),
                center: Vec2::ZERO,
                moves: is_free || body.kind == BodyKind::Kinematic,
                whole: is_free || !body.is_dynamic(),
            }
        }));
    }

    /// Gathers the motions of all that keep their shape.
    pub(super) fn gather(&mut self, model: &Model, state: &State, threads: &Threads) {
        let State { position, velocity, .. } = state;
        let Self { blocks, twists } = self;
        // What stands for the ground may have been that of a body when there were more of them.
        twists.truncate(blocks.len());
        twists.resize(blocks.len() + 1, Twist::default());
        let gather = |block: &mut Block| {
            let mut twist = Twist { inv_inertia: block.inv_inertia, ..Twist::default() };
            if block.moves {
                block.center = model.center_of(block.range(), block.mass, position);
                let points = [&position[..], velocity];
                let motion = model.motion_of(block.range(), block.mass, block.center, points);
                (twist.linear, twist.angular) = (motion.velocity, motion.spin);
            }
            twist
        };
        let bodies = ..blocks.len();
        let all = (&mut blocks[..], &mut twists[bodies]);
        threads.each(all, PART, |(blocks, twists): (&mut [Block], &mut [Twist])| {
            blocks.iter_mut().zip(twists).for_each(|(block, twist)| *twist = gather(block));
        });
    }

    /// How a body moves that keeps its shape.
    pub(super) fn twist(&self, body: u32) -> &Twist {
        &self.twists[body as usize]
    }

    /// How bodies move that keep their shape, by their numbers. After them comes the ground.
    pub(super) fn twists(&mut self) -> &mut [Twist] {
        &mut self.twists
    }

    /// Whether a body keeps its shape, so that its twist says how it moves.
    pub(super) fn is_whole(&self, body: u32) -> bool {
        self.blocks[body as usize].whole
    }

    /// The inverse mass of a body that keeps its shape, 1/kg.
    pub(super) fn inv_mass(&self, body: u32) -> f32 {
        self.blocks[body as usize].inv_mass
    }

    /// Its centre.
    pub(super) fn center(&self, body: u32) -> Vec2 {
        self.blocks[body as usize].center
    }

    /// Lets no block turn further in `h` seconds than directions hold that were taken at their beginning.
    pub(super) fn limit_turns(&mut self, h: f32) {
        let most = MOST_TURN / h;
        for twist in &mut self.twists {
            twist.angular = twist.angular.clamp(-most, most);
        }
    }

    /// Gives every point of a block the block's velocity.
    pub(super) fn scatter(&self, State { position, velocity, .. }: &mut State, threads: &Threads) {
        let scatter = |part: Stretches<'_, (&[Block], &[Twist]), Vec2>| {
            let Stretches { owners: (blocks, twists), values, first } = part;
            for (block, twist) in blocks.iter().zip(twists).filter(|(of, _)| of.inv_mass > 0.0) {
                let Range { start, end } = block.range();
                let points =
                    position[start..end].iter().zip(&mut values[start - first..end - first]);
                for (at, velocity) in points {
                    *velocity = twist.linear + cross_sv(twist.angular, *at - block.center);
                }
            }
        };
        let twists = &self.twists[..self.blocks.len()];
        threads.each(Stretches::new((&self.blocks[..], twists), velocity), PART, scatter);
    }

    /// What takes hold of a body at a place that an anchor carries.
    pub(super) fn grip(&self, (body, anchor): (u32, Anchor), at: Vec2) -> Grip {
        let block = &self.blocks[body as usize];
        if block.inv_mass > 0.0 {
            Grip::Block { body, arm: at - block.center }
        } else {
            Grip::Points(anchor)
        }
    }

    /// The change of velocity along a unit vector that a unit impulse along it makes, 1/kg.
    pub(super) fn mobility(&self, model: &Model, grip: &Grip, direction: Vec2) -> f32 {
        match *grip {
            Grip::Block { body, arm } => {
                let (block, twist) = (&self.blocks[body as usize], &self.twists[body as usize]);
                block.inv_mass + twist.inv_inertia * cross(arm, direction).powi(2)
            }
            Grip::Points(anchor) => mobility(model, &anchor),
        }
    }

    /// The velocity of a place.
    #[inline]
    pub(super) fn velocity(&self, state: &State, grip: &Grip) -> Vec2 {
        match grip {
            Grip::Block { body, arm } => {
                let twist = &self.twists[*body as usize];
                twist.linear + cross_sv(twist.angular, *arm)
            }
            Grip::Points(anchor) => anchor.sample(&state.velocity),
        }
    }

    /// How fast a block moves along `linear` and turns, `angular` times.
    #[inline]
    pub(super) fn speed(&self, body: u32, linear: Vec2, angular: f32) -> f32 {
        let twist = &self.twists[body as usize];
        linear.dot(twist.linear) + angular * twist.angular
    }

    /// Gives a block the impulse `by` along that.
    #[inline]
    pub(super) fn push_along(&mut self, body: u32, linear: Vec2, angular: f32, by: f32) {
        let twist = &mut self.twists[body as usize];
        twist.linear += self.blocks[body as usize].inv_mass * by * linear;
        twist.angular += twist.inv_inertia * by * angular;
    }

    /// Changes velocities by an impulse at a place.
    #[inline]
    pub(super) fn push(&mut self, model: &Model, state: &mut State, grip: &Grip, by: Vec2) {
        match grip {
            Grip::Block { body, arm } => {
                let twist = &mut self.twists[*body as usize];
                twist.linear += self.blocks[*body as usize].inv_mass * by;
                twist.angular += twist.inv_inertia * cross(*arm, by);
            }
            Grip::Points(anchor) => {
                for (i, weight) in anchor.terms() {
                    state.velocity[i] += model.inv_mass[i] * weight * by;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

    #[test]
    fn the_ground_is_at_rest_also_when_there_were_more_bodies() {
        let world = |count: usize| {
            let bodies = (0..count).map(|k| {
                let at = Vec2::new(2.0 * k as f32, 0.0);
                let body = BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::ONE }, at);
                BodyDef { velocity: Vec2::X, spin: 1.0, ..body }
            });
            World::build(&Scene { bodies: bodies.collect(), ..Scene::default() }).unwrap()
        };
        let (mut blocks, threads) = <(Blocks, Threads)>::default();
        for count in [3, 2, 4, 1] {
            let World { model, state } = world(count);
            blocks.attach(&model);
            blocks.gather(&model, &state, &threads);
            let twists = blocks.twists();
            assert_eq!(twists.len(), count + 1);
            assert!(twists[..count].iter().all(|twist| twist.inv_inertia > 0.0));
            let ground = twists[count];
            let at_rest = [ground.linear.length(), ground.angular, ground.inv_inertia];
            assert_eq!(at_rest, [0.0; 3], "{count}");
        }
    }
}
