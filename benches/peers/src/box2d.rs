//! Box2D v3, through the crate `boxdd`.
//!
//! Set up as its own samples are: 4 sub-steps, its default stiffness of contacts and joints,
//! continuous collision on. Only sleep is off, so that every step is solved. Friction and
//! restitution of a pair are mixed in the same way in both engines (geometric mean, maximum), and
//! both bounce above 1 m/s only.

use std::f32::consts::TAU;

use boxdd::shapes::{self, Capsule, Circle, Polygon};
use boxdd::{
    BodyBuilder, BodyId, BodyType, DistanceJointDef, Filter, FilterJointDef, Foundation, JointBase,
    Position, RevoluteJointDef, ShapeDef, SurfaceMaterial, WorkerCount, WorldBuilder,
};
use sinew::{BodyDef, BodyKind, JointDef, JointKind, Motor, Rot, Scene, Vec2, World};

use crate::mirror::{Figure, Hold, Mirror, Motion};
use crate::peer::{Outcome, Peer};

/// Sub-steps in a step.
const SUBSTEPS: i32 = 4;
/// The most vertices that Box2D allows a polygon.
const MOST_VERTICES: usize = 8;

/// A simulation on Box2D.
pub struct Box2d {
    world: boxdd::World,
    mirror: Mirror,
    /// The bodies that move, with their numbers in the scene.
    moving: Vec<(usize, BodyId)>,
    dt: f32,
}

impl Box2d {
    /// What exactly runs.
    pub const ABOUT: &str =
        "Box2D 3.2.0 at 56edae7 (crate boxdd 0.6.0), 4 sub-steps, no sleep, AVX2";

    /// A simulation of a scene of rigid bodies, pins, rods and springs.
    pub fn build(scene: &Scene, threads: u32) -> Outcome<Box<dyn Peer>> {
        let foundation = Foundation::initialize_default()?;
        let settings = WorldBuilder::from(foundation.world_def())
            .gravity(scene.settings.gravity.to_array())
            .worker_count(WorkerCount::new(threads)?)
            .enable_sleep(false);
        let world = foundation.create_world(settings.build()?)?;
        Ok(Box::new(Self::in_world(world, Mirror::new(scene)?, scene)?))
    }

    /// Puts a scene into a world that is still empty.
    fn in_world(mut world: boxdd::World, mirror: Mirror, scene: &Scene) -> Outcome<Self> {
        let mut ids = Vec::new();
        for (index, def) in scene.bodies.iter().enumerate() {
            ids.push(add_body(&mut world, &mirror, index, def)?);
        }
        let frame = world.body_builder().build()?;
        let frame = world.create_body(frame)?;
        for def in &scene.joints {
            let to = def.to.unwrap_or(def.at);
            let holds = [mirror.hold(Some(&def.a), def.at)?, mirror.hold(def.b.as_deref(), to)?];
            let [a, b] = holds.map(|hold| hold.body.map_or(frame, |index| ids[index]));
            let [at_a, at_b] = holds.map(|hold| hold.at.to_array());
            let base = world
                .joint_base(a, b)?
                .with_local_frame_components(at_a, holds[0].angle, at_b, holds[1].angle)?
                .with_collide_connected(def.collide);
            add_joint(&mut world, &mirror, holds, base, def)?;
        }
        for (a, b) in &scene.apart {
            let base = world.joint_base(ids[mirror.index(a)?], ids[mirror.index(b)?])?;
            world.create_filter_joint(&FilterJointDef::new(base))?;
        }
        let moves = |index: &usize| scene.bodies[*index].kind != BodyKind::Static;
        let moving = (0..ids.len()).filter(moves).map(|index| (index, ids[index])).collect();
        Ok(Self { world, mirror, moving, dt: scene.settings.dt() })
    }
}

impl Peer for Box2d {
    fn step(&mut self) -> Outcome<()> {
        let step = self.world.step(self.dt, SUBSTEPS)?;
        if let Some(error) = step.post_step_error() {
            return Err(error.to_string().into());
        }
        self.mirror.tick();
        Ok(())
    }

    fn world(&mut self) -> Outcome<&World> {
        for &(index, id) in &self.moving {
            let body = self.world.body(id)?;
            let (center, rotation) = (body.world_center_of_mass()?, body.rotation()?);
            let velocity = body.linear_velocity()?;
            let motion = Motion {
                center: Vec2::new(center.x, center.y),
                rot: Rot { c: rotation.cosine(), s: rotation.sine() },
                velocity: Vec2::new(velocity.x, velocity.y),
                spin: body.angular_velocity()?,
            };
            self.mirror.set(index, motion);
        }
        Ok(self.mirror.world())
    }
}

/// Adds a body with its origin in its centre of mass, as Sinew has it.
fn add_body(
    world: &mut boxdd::World,
    mirror: &Mirror,
    index: usize,
    def: &BodyDef,
) -> Outcome<BodyId> {
    let body = &mirror.bodies()[index];
    let pose = mirror.pose(body);
    let kind = match def.kind {
        BodyKind::Static => BodyType::Static,
        BodyKind::Kinematic => BodyType::Kinematic,
        BodyKind::Dynamic => BodyType::Dynamic,
    };
    let builder = BodyBuilder::from(world.body_def())
        .body_type(kind)
        .position(Position::new(pose.center.x, pose.center.y))
        .angle(pose.rot.radians())
        .linear_velocity(def.velocity.to_array())
        .angular_velocity(def.spin);
    let id = world.create_body(builder.build()?)?;
    let material = SurfaceMaterial::new()
        .with_friction(def.material.friction)?
        .with_restitution(def.material.restitution)?;
    let filter = Filter {
        category_bits: def.filter.category.into(),
        mask_bits: def.filter.mask.into(),
        group_index: def.filter.group,
    };
    let shape = ShapeDef::builder()
        .density(def.material.density)
        .material(material)
        .filter(filter)
        .build()?;
    let mut handle = world.body(id)?;
    for figure in mirror.figures(index, &def.shape) {
        match figure {
            // Not by its corners: a hull welds those that are less than 5 mm apart.
            Figure::Box(half) => {
                handle.create_polygon(&shape, &shapes::box_polygon(half.x, half.y)?)?;
            }
            Figure::Disc(center, radius) => {
                handle.create_circle(&shape, &Circle::new(center.to_array(), radius)?)?;
            }
            Figure::Capsule([a, b], radius) => {
                handle
                    .create_capsule(&shape, &Capsule::new(a.to_array(), b.to_array(), radius)?)?;
            }
            Figure::Polygon(corners, _) if corners.len() > MOST_VERTICES => {
                return Err(format!("`{}` has more than {MOST_VERTICES} vertices", def.id).into());
            }
            Figure::Polygon(corners, radius) => {
                let corners = corners.into_iter().map(|corner| corner.to_array());
                handle.create_polygon(&shape, &Polygon::from_points(corners, radius)?)?;
            }
        }
    }
    Ok(id)
}

/// Adds a joint. Angles count from the pose at the start, in both engines.
fn add_joint(
    world: &mut boxdd::World,
    mirror: &Mirror,
    holds: [Hold; 2],
    base: JointBase,
    def: &JointDef,
) -> Outcome<()> {
    let fail = |what: &str| Err(format!("`{}` is {what}: that is not compared", def.id).into());
    match (def.kind, def.motor) {
        (JointKind::Pin { limit }, None | Some(Motor::Speed { .. })) => {
            let mut pin = RevoluteJointDef::new(base);
            if let Some(limit) = limit {
                pin = pin.enable_limit(true).lower_angle(limit.lower).upper_angle(limit.upper);
            }
            if let Some(Motor::Speed { speed, most }) = def.motor {
                pin = pin.enable_motor(true).motor_speed(speed).max_motor_torque(most);
            }
            world.create_revolute_joint(&pin)?;
        }
        (JointKind::Distance { least, most, spring }, None) if least == most => {
            let mut rod = DistanceJointDef::new(base).length(most);
            if let Some(spring) = spring {
                // Box2D takes the frequency and the damping ratio of the two masses on the spring.
                let mass = mirror.reduced_mass(holds);
                let frequency = (spring.stiffness / mass).sqrt();
                let ratio = 0.5 * spring.damping / (mass * frequency);
                rod = rod.enable_spring(true).hertz(frequency / TAU).damping_ratio(ratio);
            }
            world.create_distance_joint(&rod)?;
        }
        (JointKind::Pin { .. }, Some(_)) => return fail("driven by a servo"),
        (kind, _) => return fail(&format!("a {}", kind.name())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mirror::tests::{
        LIMITED, assert_limited, assert_mass, assert_springs, assert_start, every_shape,
    };
    use sinew::Level;

    #[test]
    fn bodies_are_the_same_in_both_engines() {
        let scene = every_shape();
        let foundation = Foundation::initialize_default().unwrap();
        let world = foundation.create_world(foundation.world_def()).unwrap();
        let mut peer = Box2d::in_world(world, Mirror::new(&scene).unwrap(), &scene).unwrap();
        assert_start(&scene, &mut peer);
        for (index, id) in peer.moving.clone() {
            let handle = peer.world.body(id).unwrap();
            let (mass, inertia) = (handle.mass().unwrap(), handle.rotational_inertia().unwrap());
            assert_mass(&peer.mirror, index, mass, inertia);
        }
    }

    #[test]
    fn limits_of_pins_lie_on_the_same_side() {
        let scene = Level::parse(LIMITED, "rod.json").unwrap().scene;
        assert_limited(&mut *Box2d::build(&scene, 1).unwrap());
    }

    #[test]
    fn springs_are_as_stiff_and_as_damped() {
        assert_springs(Box2d::build);
    }
}
