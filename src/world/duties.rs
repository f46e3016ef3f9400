//! What a step has to look at besides moving bodies. Of ten thousand joints mostly none has a motor or breaks, and few
//! mind how their bodies are turned; so these are known by their numbers, until the world becomes another.

use std::f32::consts::{PI, TAU};

use crate::math::Rot;
use crate::threads::Threads;
use crate::world::{Anchor, Model, World};

/// The work on so few bodies is not worth sharing out.
const PART: usize = 512;
/// The place of what is not there.
const NONE: u32 = u32::MAX;

/// The joints and bodies that may do something of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Duties {
    /// The joints whose motors are told something by keys or tracks.
    pub(super) driven: Vec<u32>,
    /// The joints that break.
    pub(super) weak: Vec<u32>,
    /// The bodies whose edges are bent for good, and those whose edges part.
    pub(super) plastic: Vec<u32>,
    pub(super) brittle: Vec<u32>,
}

impl Duties {
    /// Those of a model.
    pub(crate) fn of(model: &Model) -> Self {
        let mut all = Self::default();
        for (index, joint) in (0..).zip(&model.joints) {
            if joint.steering.is_some() || joint.track.is_some() {
                all.driven.push(index);
            }
            if joint.break_force.is_finite() || joint.break_torque.is_finite() {
                all.weak.push(index);
            }
        }
        for (index, body) in (0..).zip(&model.bodies) {
            if body.strength.plastic.is_some() {
                all.plastic.push(index);
            }
            if body.strength.break_strain.is_some() {
                all.brittle.push(index);
            }
        }
        all
    }
}

/// The angles of bodies, as far as joints mind them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Angles {
    /// The bodies, each with a place on it; strands once for each place that tells how they are turned.
    bodies: Vec<(u32, Anchor)>,
    /// The angle of each, in (−π, π].
    now: Vec<f32>,
    /// The joints, with the places of their ends among those.
    joints: Vec<(u32, [u32; 2])>,
}

impl Angles {
    /// Those of a model.
    pub(crate) fn of(model: &Model) -> Self {
        let mut all = Self::default();
        let mut places = vec![NONE; model.bodies.len()];
        for (index, joint) in (0..).zip(&model.joints).filter(|(_, joint)| joint.minds_rotation()) {
            let ends = [0, 1].map(|end: usize| {
                let Some((body, anchor)) = joint.end(end) else { return NONE };
                let place = &mut places[body as usize];
                if *place == NONE || model.is_strand(&model.bodies[body as usize]) {
                    *place = all.bodies.len() as u32;
                    all.bodies.push((body, anchor));
                }
                *place
            });
            all.joints.push((index, ends));
        }
        all.now = vec![0.0; all.bodies.len()];
        all
    }
}

impl World {
    /// Notes the angles of the bodies of each joint that minds them, through full turns: those nearest to the
    /// ones before. A body must not turn by half a turn or more in between.
    pub(crate) fn note_angles(&mut self, angles: &mut Angles, threads: &Threads) {
        let Self { model, state } = self;
        let Angles { bodies, now, joints } = angles;
        type Part<'a> = (&'a [(u32, Anchor)], &'a mut [f32]);
        threads.each((&bodies[..], &mut now[..]), PART, |(bodies, now): Part<'_>| {
            for (now, (body, anchor)) in now.iter_mut().zip(bodies) {
                *now = model.rot_at(*body, anchor, &state.position).radians();
            }
        });
        for &(joint, ends) in &*joints {
            let known = &mut state.joints[joint as usize].angles;
            for (known, place) in known.iter_mut().zip(ends).filter(|(_, place)| *place != NONE) {
                *known = nearest_turn(now[place as usize], *known);
            }
        }
    }
}

/// The angle of a rotation, through full turns, that is nearest to `before`, rad.
pub(crate) fn nearest_angle(rot: Rot, before: f32) -> f32 {
    nearest_turn(rot.radians(), before)
}

/// The angle that is so many full turns from `angle` that it is nearest to `before`, rad.
fn nearest_turn(angle: f32, before: f32) -> f32 {
    let turned = before - angle;
    // Mostly it is less than half a turn.
    if turned.abs() < PI { angle } else { angle + TAU * (turned / TAU).round() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{AngleLimit, BodyDef, JointDef, JointKind, Scene, Shape};
    use approx::assert_relative_eq;

    /// Three boxes in a row, pinned to each other; the second pin has a limit and breaks.
    fn chain() -> World {
        let at = |k: u32| Vec2::new(1.5 * k as f32, 0.0);
        let solid = |k: u32| BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::ONE }, at(k));
        let pin = |k: u32| {
            let (a, b) = (format!("b{k}"), format!("b{}", k + 1));
            JointDef::pin(format!("j{k}"), a, Some(&b), at(k) + Vec2::new(0.75, 0.0))
        };
        let limit = Some(AngleLimit { lower: -1.0, upper: 1.0 });
        let limited = JointDef { kind: JointKind::Pin { limit }, break_force: Some(5.0), ..pin(1) };
        let bodies = (0..3).map(solid).collect();
        World::build(&Scene { bodies, joints: vec![pin(0), limited], ..Scene::default() }).unwrap()
    }

    #[test]
    fn only_what_does_something_is_looked_at() {
        let mut world = chain();
        let duties = Duties::of(&world.model);
        assert_eq!((duties.weak, duties.driven.len()), (vec![1], 0));
        assert_eq!(duties.plastic.len() + duties.brittle.len(), 0);
        // The last box turns round and round.
        let mut angles = Angles::of(&world.model);
        assert_eq!(angles.bodies.iter().map(|(body, _)| *body).collect::<Vec<_>>(), [1, 2]);
        let (range, rest) = (world.model.bodies[2].point_range(), world.model.rest.clone());
        for turn in 1..=9 {
            let rot = Rot::from_radians(turn as f32);
            for point in range.clone() {
                world.state.position[point] = Vec2::new(3.0, 0.0) + rot.apply(rest[point]);
            }
            world.note_angles(&mut angles, &Threads::default());
        }
        assert_eq!(world.state.joints[0].angles, [0.0; 2]);
        assert_relative_eq!(world.state.joints[1].angles[1], 9.0, epsilon = 1e-4);
    }
}
