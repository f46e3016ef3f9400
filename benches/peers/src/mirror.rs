//! The bodies of another engine as a world of Sinew.
//!
//! Such an engine knows a rigid body by the place of its centre, its rotation, velocity and spin. Here
//! they are written back to the points that the same body has in Sinew, so that Sinew's metrics can
//! measure overlaps, joints and energies, and judge what a level promises. The other way round it
//! tells what another engine has to be given: figures about the centre of mass, and where joints hold.

use sinew::math::cross_sv;
use sinew::{Body, BodyKind, Pose, Rot, Scene, Shape, Vec2, World};

use crate::peer::Outcome;

/// A world of Sinew that follows the bodies of another engine.
pub struct Mirror {
    world: World,
    hz: f64,
}

/// Where a body is and how it moves, as the other engine knows it.
#[derive(Clone, Copy, Debug)]
pub struct Motion {
    /// Centre of mass, m.
    pub center: Vec2,
    /// Rotation from the rest shape.
    pub rot: Rot,
    /// Velocity of the centre, m/s.
    pub velocity: Vec2,
    /// Angular velocity, rad/s.
    pub spin: f32,
}

/// A convex figure about the centre of mass of its body.
#[derive(Clone, Debug)]
pub enum Figure {
    /// An upright rectangle about the centre of mass, by its half extents, m.
    Box(Vec2),
    /// A disc.
    Disc(Vec2, f32),
    /// A line from end to end, grown by a radius, m.
    Capsule([Vec2; 2], f32),
    /// Corners, counter-clockwise, grown by a radius, m.
    Polygon(Vec<Vec2>, f32),
}

/// Where a joint holds.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// The number of the body; the world for none.
    pub body: Option<usize>,
    /// The place, about the centre of mass and unrotated, m.
    pub at: Vec2,
    /// How a frame that lies along the axes of the world at the start is turned in the body, rad.
    pub angle: f32,
}

impl Mirror {
    /// The world at the start, for an engine without soft bodies.
    pub fn new(scene: &Scene) -> Outcome<Self> {
        let mirror = Self::with_soft_bodies(scene)?;
        match mirror.bodies().iter().find(|body| body.soft) {
            Some(soft) => {
                Err(format!("`{}` is soft: rigid-body engines have no such thing", soft.id).into())
            }
            None => Ok(mirror),
        }
    }

    /// The world at the start, for an engine that has soft bodies.
    pub fn with_soft_bodies(scene: &Scene) -> Outcome<Self> {
        let world = World::build(scene)?;
        for def in &scene.bodies {
            let odd = match &def.shape {
                Shape::Mesh(mesh) if def.kind != BodyKind::Static && !mesh.soft => {
                    "is a frame of masses"
                }
                Shape::Compound { parts } if parts.iter().any(|part| part.density.is_some()) => {
                    "has parts of their own densities"
                }
                _ => continue,
            };
            return Err(format!("`{}` {odd}: nothing is made of that here", def.id).into());
        }
        Ok(Self { world, hz: f64::from(scene.settings.hz) })
    }

    /// The figures that a body of a scene collides with.
    pub fn figures(&self, index: usize, shape: &Shape) -> Vec<Figure> {
        if let Shape::Box { size } = shape {
            return vec![Figure::Box(0.5 * *size)];
        }
        let model = &self.world.model;
        let figure = |piece| {
            let corners = model.outline(piece).iter().map(|&point| model.rest[point as usize]);
            match corners.collect::<Vec<_>>()[..] {
                [center] => Figure::Disc(center, piece.radius),
                [a, b] => Figure::Capsule([a, b], piece.radius),
                ref corners => Figure::Polygon(corners.to_vec(), piece.radius),
            }
        };
        model.pieces_of(&self.bodies()[index]).iter().map(figure).collect()
    }

    /// The number of the body of this id.
    pub fn index(&self, id: &str) -> Outcome<usize> {
        let handle = self.world.body(id).ok_or_else(|| format!("there is no body `{id}`"))?;
        Ok(self.world.index(handle)?)
    }

    /// Where a joint holds the body of this id, or the world, if it holds it `at` that place.
    pub fn hold(&self, id: Option<&str>, at: Vec2) -> Outcome<Hold> {
        let Some(id) = id else { return Ok(Hold { body: None, at, angle: 0.0 }) };
        let index = self.index(id)?;
        let pose = self.pose(&self.bodies()[index]);
        Ok(Hold { body: Some(index), at: pose.unapply(at), angle: -pose.rot.radians() })
    }

    /// What of two held bodies a push along the line between their centres moves, kg.
    pub fn reduced_mass(&self, holds: [Hold; 2]) -> f32 {
        let inverse = |hold: Hold| {
            let body = hold.body.map(|index| &self.bodies()[index]);
            body.filter(|body| body.is_dynamic()).map_or(0.0, |body| 1.0 / body.mass)
        };
        1.0 / (inverse(holds[0]) + inverse(holds[1]))
    }

    /// The world as it is.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The bodies, in the order of the scene.
    pub fn bodies(&self) -> &[Body] {
        &self.world.model.bodies
    }

    /// Where a body is.
    pub fn pose(&self, body: &Body) -> Pose {
        self.world.model.pose(body, &self.world.state.position)
    }

    /// Notes that a step has been taken.
    pub fn tick(&mut self) {
        self.world.state.steps += 1;
        self.world.state.time = self.world.state.steps as f64 / self.hz;
    }

    /// Puts the points of body number `index` where the other engine has the body.
    pub fn set(&mut self, index: usize, motion: Motion) {
        let World { model, state } = &mut self.world;
        for point in model.bodies[index].point_range() {
            let r = motion.rot.apply(model.rest[point]);
            state.position[point] = motion.center + r;
            state.velocity[point] = motion.velocity + cross_sv(motion.spin, r);
        }
    }

    /// Puts the points of soft body number `index` where the other engine has them, with their
    /// velocities.
    pub fn set_points(&mut self, index: usize, points: impl Iterator<Item = (Vec2, Vec2)>) {
        let World { model, state } = &mut self.world;
        for (point, (position, velocity)) in model.bodies[index].point_range().zip(points) {
            state.position[point] = position;
            state.velocity[point] = velocity;
        }
    }
}

/// What the tests of all engines are about.
#[cfg(test)]
pub mod tests {
    use sinew::{BodyDef, Part, Scene, Shape, Vec2, World};

    use crate::peer::Peer;

    /// A body of every shape, turned and moving.
    pub fn every_shape() -> Scene {
        let corners = vec![Vec2::ZERO, Vec2::new(2.0, 0.0), Vec2::new(0.5, 1.0)];
        let part = |shape, x: f32| Part { angle: 0.3, ..Part::new(shape, Vec2::new(x, 0.5)) };
        let disc = Shape::Disc { radius: 0.7 };
        let shapes = [
            Shape::Box { size: Vec2::new(0.4, 1.2) },
            Shape::Polygon { vertices: corners.clone() },
            // A notch: two convex pieces.
            Shape::Polygon { vertices: [corners.clone(), vec![Vec2::new(0.6, 0.3)]].concat() },
            disc.clone(),
            Shape::Capsule { length: 1.5, radius: 0.3 },
            Shape::Compound {
                parts: vec![part(disc, 1.0), part(Shape::Polygon { vertices: corners }, -1.0)],
            },
        ];
        let body = |(k, shape): (usize, &Shape)| BodyDef {
            angle: 0.7 * k as f32,
            velocity: Vec2::new(1.0, k as f32),
            spin: -1.5,
            ..BodyDef::new(format!("body.{k}"), shape.clone(), Vec2::new(4.0 * k as f32, 3.0))
        };
        Scene { bodies: shapes.iter().enumerate().map(body).collect(), ..Scene::default() }
    }

    /// Asserts that a body has the mass and inertia that it has in Sinew.
    pub fn assert_mass(peer: &super::Mirror, index: usize, mass: f32, inertia: f32) {
        let body = &peer.bodies()[index];
        let near = |a: f32, b: f32| (a - b).abs() < 1e-3 * b.abs();
        assert!(near(mass, body.mass), "{}: {mass} and {} kg", body.id, body.mass);
        assert!(near(inertia, body.inertia), "{}: {inertia} and {} kg m²", body.id, body.inertia);
    }

    /// Asserts that a scene has its places and velocities on an engine before the first step.
    pub fn assert_start(scene: &Scene, peer: &mut dyn Peer) {
        let start = World::build(scene).unwrap().state;
        let mirrored = &peer.world().unwrap().state;
        let farthest = |a: &[Vec2], b: &[Vec2]| {
            a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
        };
        let apart = farthest(&start.position, &mirrored.position);
        assert!(apart < 1e-4, "{}: {apart} m", scene.name);
        let faster = farthest(&start.velocity, &mirrored.velocity);
        assert!(faster < 1e-3, "{}: {faster} m/s", scene.name);
    }

    /// A rod that would fall to the left stops after 40 degrees.
    pub const LIMITED: &str = r#"{ "format": 1, "items": [
        { "type": "static", "id": "post", "box": [0.2, 0.2], "at": [0, 2], "angle": 20 },
        { "type": "box", "id": "rod", "size": [0.2, 2], "at": [-0.1, 3], "angle": 5 },
        { "type": "pin", "a": "post", "b": "rod", "at": [0, 2], "limits": [-70, 40] },
    ] }"#;

    /// Asserts that it does.
    pub fn assert_limited(peer: &mut dyn Peer) {
        for _ in 0..300 {
            peer.step().unwrap();
        }
        let world = peer.world().unwrap();
        let rod = world.body("rod").unwrap();
        let turned = world.pose(rod).unwrap().rot.radians().to_degrees() - 5.0;
        assert!((turned - 40.0).abs() < 1.0, "turned by {turned} degrees");
    }

    /// Asserts that a weight on a spring, 10 kg on 1,000 N/m, rings and dies away as one does.
    pub fn assert_springs(build: fn(&Scene, u32) -> crate::peer::Outcome<Box<dyn Peer>>) {
        use sinew::{JointDef, Material, Spring};
        let mut scene = Scene::default();
        let anchor = BodyDef::new("nail", Shape::Box { size: Vec2::ONE }, Vec2::ZERO).fixed();
        let weight = BodyDef::new("weight", Shape::Box { size: Vec2::ONE }, Vec2::new(0.0, -3.0));
        scene.bodies.push(anchor);
        scene.bodies.push(BodyDef {
            material: Material { density: 10.0, ..Material::default() },
            ..weight
        });
        let spring = Spring { stiffness: 1000.0, damping: 20.0 };
        let ends = (("weight", Vec2::new(0.0, -3.0)), (Some("nail"), Vec2::ZERO));
        scene.joints.push(JointDef::spring("spring", ends.0, ends.1, spring));
        let mut peer = build(&scene, 1).unwrap();
        let mut height = || {
            peer.step().unwrap();
            let world = peer.world().unwrap();
            world.pose(world.body("weight").unwrap()).unwrap().center.y
        };
        let heights: Vec<f32> = (0..600).map(|_| height()).collect();
        // ω = 10 rad/s and ζ = 0.1: half a period is 18.9 steps, the rest 9.81 cm lower.
        let lowest = heights[..30].iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap();
        assert!((17..=20).contains(&lowest.0), "{lowest:?}");
        let rest = heights[599];
        assert!((rest + 3.0981).abs() < 0.005, "{rest}");
    }
}
