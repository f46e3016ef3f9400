//! What a scene is like at the end of a run, by the metrics of Sinew on every engine.

use sinew::metrics::Recorder;
use sinew::{JointKind, Vec2, World};

/// A world at the start.
pub struct Start {
    recorder: Recorder,
    /// Where the middle of each body is, m.
    centers: Vec<Vec2>,
}

/// What a scene is like at the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ending {
    /// The deepest overlap of two bodies, m.
    pub penetration_m: f64,
    /// The depth that 99 of 100 overlaps do not exceed, m, within 0.5 %.
    pub p99_penetration_m: f64,
    /// The widest a pin is open, m; `None` where there is no pin.
    pub pin_m: Option<f64>,
    /// The most that something which must not stretch is too long or too short, relative to its
    /// length; `None` where there is no such thing.
    pub stretch: Option<f64>,
    /// The farthest that a body has fallen, m.
    pub fall_m: f64,
    /// Bodies that have left the box of the scene.
    pub escaped: u32,
}

impl Start {
    /// Remembers a world. Gravity plays no part in what is measured.
    pub fn of(world: &World) -> Self {
        Self { recorder: Recorder::new(world, Vec2::ZERO), centers: centers(world).collect() }
    }

    /// Measures the world at the end.
    pub fn ending(mut self, world: &World) -> Ending {
        let sample = *self.recorder.observe(world);
        let model = &world.model;
        let pins = model.joints.iter().any(|joint| matches!(joint.kind, JointKind::Pin { .. }));
        let rods = model.joints.iter().filter_map(|joint| match joint.kind {
            JointKind::Distance { most, spring: None, .. } => {
                let [a, b] = [
                    joint.a.sample(&world.state.position),
                    joint.b.position(&world.state.position),
                ];
                let (length, rest) = (a.as_dvec2().distance(b.as_dvec2()), f64::from(most));
                Some((length / rest - 1.0).abs())
            }
            _ => None,
        });
        let soft = model.bodies.iter().filter(|body| body.soft);
        let edges = soft.flat_map(|body| body.edges.start as usize..body.edges.end as usize);
        let stiff = edges.filter(|&edge| model.edges[edge].compliance == 0.0);
        let edges = stiff.map(|edge| {
            let ends = [model.edges[edge].a, model.edges[edge].b];
            let [a, b] = ends.map(|point| world.state.position[point as usize].as_dvec2());
            (a.distance(b) / f64::from(world.state.rest[edge]) - 1.0).abs()
        });
        let falls = self.centers.iter().zip(centers(world)).map(|(from, to)| from.y - to.y);
        Ending {
            penetration_m: sample.penetration,
            p99_penetration_m: self.recorder.quality().p99_penetration_m,
            pin_m: pins.then_some(sample.joint_error),
            stretch: rods.chain(edges).reduce(f64::max),
            fall_m: falls.fold(0.0, |most, fall| most.max(f64::from(fall))),
            escaped: sample.escaped,
        }
    }
}

/// Where the middle of each body is, m.
fn centers(world: &World) -> impl Iterator<Item = Vec2> {
    world.model.bodies.iter().map(|body| world.model.center(body, &world.state.position))
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::{BodyDef, JointDef, Scene, Shape};

    #[test]
    fn an_ending_tells_what_has_happened_since_the_start() {
        let mut scene = Scene::default();
        let disc =
            |id: &str, x: f32| BodyDef::new(id, Shape::Disc { radius: 0.5 }, Vec2::new(x, 0.0));
        scene.bodies.extend([disc("a", 0.0), disc("b", 2.0), disc("c", 5.0)]);
        scene.joints.push(JointDef::rope("rope", ("a", Vec2::ZERO), (Some("b"), 2.0 * Vec2::X)));
        let mut world = World::build(&scene).unwrap();
        let start = Start::of(&world);
        let [b, c] = [1, 2].map(|index| world.model.bodies[index].point_range());
        world.state.position[b].iter_mut().for_each(|at| at.x += 1.0);
        world.state.position[c].iter_mut().for_each(|at| *at += Vec2::new(-1.5, -0.25));
        let ending = start.ending(&world);
        // The rope of 2 m is 3 m long; the third disc is 0.25 m down and half a metre away.
        assert!((ending.stretch.unwrap() - 0.5).abs() < 1e-6, "{ending:?}");
        assert!((ending.fall_m - 0.25).abs() < 1e-6, "{ending:?}");
        let overlap = 1.0 - f64::hypot(0.5, 0.25);
        assert!((ending.penetration_m - overlap).abs() < 1e-6, "{ending:?}");
        assert!((ending.p99_penetration_m / overlap - 1.0).abs() < 0.01, "{ending:?}");
        assert_eq!((ending.pin_m, ending.escaped), (None, 0));
    }
}
