//! A level changed while it runs: the new world, with the motion of everything that stayed the same.
//!
//! The new scene is built afresh, joints and all, so every anchor lies where the level says.
//! Then each body whose start and figure are as before takes over the positions and velocities
//! that its points have now. A body that hangs by a joint on one that starts afresh starts afresh
//! too: its joint would tear otherwise.

use std::collections::HashMap;

use crate::error::Result;
use crate::scene::{BodyDef, BodyKind, JointDef, Motor, Scene};
use crate::world::{Body, World};

/// The world of the scene `new`, in which everything that is as it was in `old` goes on as it does
/// in `running`, a world built from `old`.
///
/// A body goes on if its id, kind, figure and start (place, angle, velocities) are the same; its
/// material, filter and look are those of `new`. It starts afresh all the same if a joint that is
/// new or changed holds it, or if it hangs by a joint on a body that starts afresh. The clock goes
/// on.
///
/// ```
/// use sinew::{BodyDef, Scene, Shape, Sim, Vec2, carry_over};
/// let mut old = Scene::default();
/// old.bodies.push(BodyDef::new("ball", Shape::Disc { radius: 0.5 }, Vec2::new(0.0, 10.0)));
/// let mut sim = Sim::new(&old)?;
/// for _ in 0..30 {
///     sim.step()?;
/// }
/// let mut new = old.clone();
/// new.bodies.push(BodyDef::new("box", Shape::Box { size: Vec2::ONE }, Vec2::new(5.0, 1.0)));
/// let world = carry_over(&old, &new, sim.world())?;
/// let center = |world: &sinew::World, id| world.pose(world.body(id).unwrap()).unwrap().center;
/// assert_eq!(center(&world, "ball"), center(sim.world(), "ball"));
/// assert_eq!(center(&world, "box"), Vec2::new(5.0, 1.0));
/// # Ok::<(), sinew::Error>(())
/// ```
///
/// # Errors
/// If `new` cannot be built.
pub fn carry_over(old: &Scene, new: &Scene, running: &World) -> Result<World> {
    let mut world = World::build(new)?;
    world.state.time = running.state.time;
    world.state.steps = running.state.steps;
    let goes_on = unchanged(old, new);
    for index in (0..goes_on.len()).filter(|&index| goes_on[index]) {
        let body = &world.model.bodies[index];
        let Some(before) = running.body(&body.id) else { continue };
        let before = &running.model.bodies[running.index(before)?];
        let (source, target) = (before.point_range(), body.point_range());
        let edges = |body: &Body| body.edges.start as usize..body.edges.end as usize;
        if source.len() == target.len() && edges(before).len() == edges(body).len() {
            let (from, to) = (&running.state, &mut world.state);
            to.position[target.clone()].copy_from_slice(&from.position[source.clone()]);
            to.velocity[target].copy_from_slice(&from.velocity[source]);
            to.rest[edges(body)].copy_from_slice(&from.rest[edges(before)]);
        }
    }
    carry_joints(&goes_on, old, new, running, &mut world);
    Ok(world)
}

/// Joints whose bodies go on remember how far those have turned, and, where their motors are as
/// before, what those are told to do.
fn carry_joints(goes_on: &[bool], old: &Scene, new: &Scene, running: &World, world: &mut World) {
    let before: HashMap<&str, usize> =
        running.model.joints.iter().enumerate().map(|(k, joint)| (joint.id.as_str(), k)).collect();
    let motors: HashMap<&str, Option<Motor>> =
        old.joints.iter().map(|joint| (joint.id.as_str(), joint.motor)).collect();
    for (k, (joint, def)) in world.model.joints.iter().zip(&new.joints).enumerate() {
        let Some(&from) = before.get(joint.id.as_str()) else { continue };
        let ends = [Some(joint.body_a), joint.b.body()];
        if ends.into_iter().flatten().all(|body| goes_on[body as usize]) {
            world.state.joints[k].angles = running.state.joints[from].angles;
            if motors.get(joint.id.as_str()) == Some(&def.motor) {
                let told = running.state.joints[from];
                let own = &mut world.state.joints[k];
                (own.target, own.idle) = (told.target, told.idle);
            }
        }
    }
}

/// For each body of `new`, whether it goes on as it is.
fn unchanged(old: &Scene, new: &Scene) -> Vec<bool> {
    let before: HashMap<&str, &BodyDef> =
        old.bodies.iter().map(|body| (body.id.as_str(), body)).collect();
    let mut goes_on: Vec<bool> = new
        .bodies
        .iter()
        .map(|body| before.get(body.id.as_str()).is_some_and(|old| same_start(old, body)))
        .collect();
    spread(old, new, &mut goes_on);
    goes_on
}

/// Whether two definitions put the same points at the same places with the same velocities.
fn same_start(a: &BodyDef, b: &BodyDef) -> bool {
    a.kind == b.kind
        && a.shape == b.shape
        && a.position == b.position
        && a.angle == b.angle
        && a.velocity == b.velocity
        && a.spin == b.spin
}

/// Lets bodies start afresh where a joint could not hold otherwise. Static bodies are where they
/// were whatever starts afresh beside them, so they hand nothing on unless they changed themselves.
fn spread(old: &Scene, new: &Scene, goes_on: &mut [bool]) {
    let index: HashMap<&str, usize> =
        new.bodies.iter().enumerate().map(|(i, body)| (body.id.as_str(), i)).collect();
    let before: HashMap<&str, &JointDef> =
        old.joints.iter().map(|joint| (joint.id.as_str(), joint)).collect();
    let mut neighbours: Vec<Vec<usize>> = vec![Vec::new(); new.bodies.len()];
    let mut afresh: Vec<usize> = (0..goes_on.len()).filter(|&i| !goes_on[i]).collect();
    let mut stop = |body: usize, afresh: &mut Vec<usize>| {
        if new.bodies[body].kind != BodyKind::Static && goes_on[body] {
            goes_on[body] = false;
            afresh.push(body);
        }
    };
    for joint in &new.joints {
        let ends = [Some(joint.a.as_str()), joint.b.as_deref()];
        let ends = ends.map(|id| id.and_then(|id| index.get(id).copied()));
        if let [Some(a), Some(b)] = ends {
            neighbours[a].push(b);
            neighbours[b].push(a);
        }
        if !before.get(joint.id.as_str()).is_some_and(|old| same_hold(old, joint)) {
            ends.into_iter().flatten().for_each(|end| stop(end, &mut afresh));
        }
    }
    while let Some(body) = afresh.pop() {
        neighbours[body].iter().for_each(|&neighbour| stop(neighbour, &mut afresh));
    }
}

/// Whether two joints hold the same places of the same bodies; limits may differ.
fn same_hold(a: &JointDef, b: &JointDef) -> bool {
    a.a == b.a && a.b == b.b && a.at == b.at && a.to == b.to
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{AngleLimit, JointKind, Shape};
    use crate::settings::SolverKind;
    use crate::sim::Sim;

    fn boxed(id: &str, x: f32, y: f32) -> BodyDef {
        BodyDef::new(id, Shape::Box { size: Vec2::ONE }, Vec2::new(x, y))
    }

    /// Ground, a falling box, two pinned boxes that hang on the ground's frame, one more box.
    fn scene(solver: SolverKind) -> Scene {
        let mut scene = Scene::default();
        scene.settings.solver = solver;
        let ground = Shape::Box { size: Vec2::new(40.0, 1.0) };
        scene.bodies = vec![
            BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed(),
            boxed("falls", -5.0, 8.0),
            boxed("upper", 0.0, 8.0),
            boxed("lower", 1.0, 8.0),
            boxed("rests", 5.0, 0.5),
        ];
        scene.joints = vec![
            JointDef::pin("hook", "upper", None, Vec2::new(-0.5, 8.5)),
            JointDef::pin("link", "upper", Some("lower"), Vec2::new(0.5, 8.5)),
        ];
        scene
    }

    fn ran(scene: &Scene, steps: usize) -> Sim {
        let mut sim = Sim::new(scene).unwrap();
        for _ in 0..steps {
            sim.step().unwrap();
        }
        sim
    }

    fn points(world: &World, id: &str) -> Vec<(Vec2, Vec2)> {
        let body = &world.model.bodies[world.index(world.body(id).unwrap()).unwrap()];
        body.point_range().map(|i| (world.state.position[i], world.state.velocity[i])).collect()
    }

    fn start(scene: &Scene, id: &str) -> Vec<(Vec2, Vec2)> {
        points(&World::build(scene).unwrap(), id)
    }

    #[test]
    fn the_same_scene_goes_on_without_a_jolt() {
        for solver in SolverKind::ALL {
            let old = scene(solver);
            let mut sim = ran(&old, 40);
            let world = carry_over(&old, &old.clone(), sim.world()).unwrap();
            assert_eq!(world.state, sim.world().state, "{solver}");
            let joints = |world: &World| format!("{:?}", world.model.joints);
            assert_eq!(joints(&world), joints(sim.world()), "{solver}");
            let mut reloaded = ran(&old, 0);
            let put_in = |inner: &mut World| {
                *inner = world;
                Ok(())
            };
            reloaded.edit(put_in).unwrap();
            for _ in 0..5 {
                sim.step().unwrap();
                reloaded.step().unwrap();
            }
            let pairs = sim.world().state.position.iter().zip(&reloaded.world().state.position);
            let apart = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max);
            assert!(apart < 5e-3, "{solver}: {apart} m apart after five steps");
        }
    }

    #[test]
    fn changed_bodies_start_afresh_and_the_rest_goes_on() {
        for solver in SolverKind::ALL {
            let old = scene(solver);
            let sim = ran(&old, 40);
            let mut new = old.clone();
            new.bodies[4].position.x = 9.0;
            new.bodies[1].material.density = 50.0;
            new.bodies.insert(0, boxed("new", 0.0, 20.0));
            let world = carry_over(&old, &new, sim.world()).unwrap();
            for id in ["ground", "falls", "upper", "lower"] {
                assert_eq!(points(&world, id), points(sim.world(), id), "{solver}: {id}");
            }
            for id in ["rests", "new"] {
                assert_eq!(points(&world, id), start(&new, id), "{solver}: {id}");
            }
            assert_eq!(world.state.time, sim.world().state.time);
            let falls = world.index(world.body("falls").unwrap()).unwrap();
            assert_eq!(world.model.bodies[falls].mass, 50.0);
        }
    }

    #[test]
    fn removed_bodies_go() {
        for solver in SolverKind::ALL {
            let old = scene(solver);
            let sim = ran(&old, 40);
            let mut new = old.clone();
            new.bodies.remove(3);
            new.joints.remove(1);
            let world = carry_over(&old, &new, sim.world()).unwrap();
            assert_eq!(world.body("lower"), None);
            for id in ["falls", "upper", "rests"] {
                assert_eq!(points(&world, id), points(sim.world(), id), "{solver}: {id}");
            }
        }
    }

    #[test]
    fn joints_do_not_tear() {
        for solver in SolverKind::ALL {
            let old = scene(solver);
            let sim = ran(&old, 40);
            // One of two pinned bodies changes: both start afresh, with what holds them.
            let mut new = old.clone();
            new.bodies[3].shape = Shape::Box { size: Vec2::new(1.0, 2.0) };
            let world = carry_over(&old, &new, sim.world()).unwrap();
            assert_eq!(points(&world, "upper"), start(&new, "upper"), "{solver}");
            assert_eq!(points(&world, "falls"), points(sim.world(), "falls"), "{solver}");
            // A new joint holds a body that has moved.
            let mut new = old.clone();
            new.joints.push(JointDef::pin("new", "falls", None, Vec2::new(-5.0, 8.5)));
            let world = carry_over(&old, &new, sim.world()).unwrap();
            assert_eq!(points(&world, "falls"), start(&new, "falls"), "{solver}");
            assert_eq!(points(&world, "upper"), points(sim.world(), "upper"), "{solver}");
            // Another limit is no reason to start afresh.
            let mut new = old.clone();
            new.joints[1].kind =
                JointKind::Pin { limit: Some(AngleLimit { lower: -2.0, upper: 2.0 }) };
            let world = carry_over(&old, &new, sim.world()).unwrap();
            assert_eq!(points(&world, "lower"), points(sim.world(), "lower"), "{solver}");
        }
    }

    #[test]
    fn static_bodies_part_what_starts_afresh() {
        let mut old = scene(SolverKind::Verlet);
        old.joints[0].b = Some("ground".into());
        let pin = JointDef::pin("other", "rests", Some("ground"), Vec2::new(5.0, 0.0));
        old.joints.push(pin);
        let sim = ran(&old, 40);
        let mut new = old.clone();
        new.bodies[4].spin = 1.0;
        let world = carry_over(&old, &new, sim.world()).unwrap();
        assert_eq!(points(&world, "rests"), start(&new, "rests"));
        assert_eq!(points(&world, "upper"), points(sim.world(), "upper"));
        // A static body that is moved takes along what hangs on it.
        let mut new = old.clone();
        new.bodies[0].position.y = -0.6;
        let world = carry_over(&old, &new, sim.world()).unwrap();
        assert_eq!(points(&world, "upper"), start(&new, "upper"));
        assert_eq!(points(&world, "falls"), points(sim.world(), "falls"));
    }

    #[test]
    fn a_scene_that_cannot_be_built_is_an_error() {
        let old = scene(SolverKind::Verlet);
        let mut new = old.clone();
        new.bodies[1].id = "upper".into();
        assert!(carry_over(&old, &new, &World::build(&old).unwrap()).is_err());
    }
}
