//! Rapier, through the crate `rapier2d`.
//!
//! Everything is as it comes, which in this version is 4 solver iterations, each a sub-step with one
//! biased and one relaxing sweep, contacts of 30 Hz, block solver; for soft bodies three more sweeps.
//! Only sleep is off, so that every step is solved, and friction and restitution of a pair are mixed as
//! in the other engines (geometric mean, maximum).
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | rigid bodies and joints |
//! | `soft.rs` | soft bodies |

mod soft;

use rapier2d::prelude::{
    CoefficientCombineRule, ColliderBuilder, GenericJoint, GenericJointBuilder, Group,
    InteractionGroups, InteractionTestMode, JointAxesMask, JointAxis, MassProperties, MotorModel,
    PhysicsWorld, Pose, RigidBodyBuilder, RigidBodyHandle, SoftBodyHandle, SpringJoint, Vector,
};
use sinew::{BodyDef, BodyKind, Filter, JointDef, JointKind, Motor, Rot, Scene, Vec2, World};

use crate::mirror::{Figure, Mirror, Motion};
use crate::peer::{Outcome, Peer};

/// What makes a motor of a speed stiff, N·m·s/rad: it pushes as hard as it may.
const STIFF_MOTOR: f32 = 1e6;

/// A simulation on Rapier.
pub struct Rapier {
    world: PhysicsWorld,
    mirror: Mirror,
    /// The rigid bodies that move, with their numbers in the scene.
    moving: Vec<(usize, RigidBodyHandle)>,
    /// The soft bodies, with theirs.
    soft: Vec<(usize, SoftBodyHandle)>,
}

impl Rapier {
    /// What exactly runs.
    pub const ABOUT: &str = "Rapier 0.36.1 (crate rapier2d, `simd8`), 4 solver iterations and all else \
                             by default, no sleep; soft bodies are its own";

    /// A simulation of a scene of rigid and soft bodies, pins and springs.
    pub fn build(scene: &Scene, threads: u32) -> Outcome<Box<dyn Peer>> {
        let mut peer = Self::of(scene)?;
        #[cfg(feature = "parallel")]
        peer.world.configure_thread_pool(threads as usize)?;
        #[cfg(not(feature = "parallel"))]
        if threads > 1 {
            return Err("built for one thread: `--features parallel`".into());
        }
        peer.world.integration_parameters.dt = scene.settings.dt();
        Ok(Box::new(peer))
    }

    fn of(scene: &Scene) -> Outcome<Self> {
        let mirror = Mirror::with_soft_bodies(scene)?;
        let mut world =
            PhysicsWorld { gravity: vector(scene.settings.gravity), ..Default::default() };
        let (mut ids, mut moving, mut soft) = (Vec::new(), Vec::new(), Vec::new());
        for (index, def) in scene.bodies.iter().enumerate() {
            if mirror.bodies()[index].soft {
                soft.push((index, soft::add(&mut world, &mirror, index, def)?));
                ids.push(None);
                continue;
            }
            let id = add_body(&mut world, &mirror, index, def)?;
            ids.push(Some(id));
            if def.kind != BodyKind::Static {
                moving.push((index, id));
            }
        }
        let frame = world.insert_body(RigidBodyBuilder::fixed());
        for def in &scene.joints {
            let at = def.to.unwrap_or(def.at);
            let holds = [mirror.hold(Some(&def.a), def.at)?, mirror.hold(def.b.as_deref(), at)?];
            let mut joint = joint(def)?;
            joint.set_local_frame1(Pose::new(vector(holds[0].at), holds[0].angle));
            joint.set_local_frame2(Pose::new(vector(holds[1].at), holds[1].angle));
            joint.set_contacts_enabled(def.collide);
            let [a, b] = holds.map(|hold| hold.body.map_or(Some(frame), |index| ids[index]));
            let (a, b) = a
                .zip(b)
                .ok_or_else(|| format!("`{}` holds a soft body: that is not compared", def.id))?;
            world.insert_impulse_joint(a, b, joint);
        }
        if !scene.apart.is_empty() {
            return Err("Rapier keeps no pairs apart that no joint connects".into());
        }
        Ok(Self { world, mirror, moving, soft })
    }
}

impl Peer for Rapier {
    fn step(&mut self) -> Outcome<()> {
        self.world.step();
        self.mirror.tick();
        Ok(())
    }

    fn world(&mut self) -> Outcome<&World> {
        for &(index, id) in &self.moving {
            let body = &self.world.bodies[id];
            let (center, velocity) = (body.translation(), body.linvel());
            let motion = Motion {
                center: Vec2::new(center.x, center.y),
                rot: Rot { c: body.rotation().cos(), s: body.rotation().sin() },
                velocity: Vec2::new(velocity.x, velocity.y),
                spin: body.angvel(),
            };
            self.mirror.set(index, motion);
        }
        for &(index, id) in &self.soft {
            let points = self.world.soft_bodies[id].particles().iter();
            let place = |v: Vector| Vec2::new(v.x, v.y);
            self.mirror.set_points(
                index,
                points.map(|point| (place(point.position()), place(point.velocity()))),
            );
        }
        Ok(self.mirror.world())
    }
}

/// Adds a body with its origin in its centre of mass, as Sinew has it.
fn add_body(
    world: &mut PhysicsWorld,
    mirror: &Mirror,
    index: usize,
    def: &BodyDef,
) -> Outcome<RigidBodyHandle> {
    let body = &mirror.bodies()[index];
    let pose = mirror.pose(body);
    let builder = match def.kind {
        BodyKind::Static => RigidBodyBuilder::fixed(),
        BodyKind::Kinematic => RigidBodyBuilder::kinematic_velocity_based(),
        BodyKind::Dynamic => RigidBodyBuilder::dynamic(),
    };
    let id = world.insert_body(
        builder
            .pose(Pose::new(vector(pose.center), pose.rot.radians()))
            .linvel(vector(def.velocity))
            .angvel(def.spin)
            // Not by its figures: to Rapier the inertia of a capsule is 1.5 % less than it is.
            .additional_mass_properties(MassProperties::new(Vector::ZERO, body.mass, body.inertia))
            .can_sleep(false),
    );
    for figure in mirror.figures(index, &def.shape) {
        let collider = collider(figure)
            .ok_or_else(|| format!("`{}` is no convex polygon to Rapier", def.id))?;
        world.insert_collider(surface(collider, def)?, Some(id));
    }
    Ok(id)
}

/// A collider with the surface of a body, and what that collides with.
fn surface(collider: ColliderBuilder, def: &BodyDef) -> Outcome<ColliderBuilder> {
    let groups = groups(def.filter).ok_or_else(|| {
        format!("`{}` has a group: Rapier has no groups that override masks", def.id)
    })?;
    Ok(collider
        .density(0.0)
        .friction(def.material.friction)
        .friction_combine_rule(CoefficientCombineRule::GeometricMean)
        .restitution(def.material.restitution)
        .restitution_combine_rule(CoefficientCombineRule::Max)
        .collision_groups(groups))
}

/// A figure of a body.
fn collider(figure: Figure) -> Option<ColliderBuilder> {
    let places = |corners: Vec<Vec2>| corners.into_iter().map(vector).collect();
    Some(match figure {
        Figure::Box(half) => ColliderBuilder::cuboid(half.x, half.y),
        Figure::Disc(center, radius) => ColliderBuilder::ball(radius).translation(vector(center)),
        Figure::Capsule([a, b], radius) => {
            ColliderBuilder::capsule_from_endpoints(vector(a), vector(b), radius)
        }
        Figure::Polygon(corners, 0.0) => ColliderBuilder::convex_polyline(places(corners))?,
        Figure::Polygon(corners, radius) => {
            ColliderBuilder::round_convex_polyline(places(corners), radius)?
        }
    })
}

/// A joint without its places.
fn joint(def: &JointDef) -> Outcome<GenericJoint> {
    let fail = |what: &str| Err(format!("`{}` is {what}: that is not compared", def.id).into());
    Ok(match (def.kind, def.motor) {
        (JointKind::Pin { limit }, None | Some(Motor::Speed { .. })) => {
            let mut pin = GenericJointBuilder::new(JointAxesMask::LOCKED_REVOLUTE_AXES);
            if let Some(limit) = limit {
                pin = pin.limits(JointAxis::AngX, [limit.lower, limit.upper]);
            }
            if let Some(Motor::Speed { speed, most }) = def.motor {
                pin = pin
                    .motor_velocity(JointAxis::AngX, speed, STIFF_MOTOR)
                    .motor_model(JointAxis::AngX, MotorModel::ForceBased)
                    .motor_max_force(JointAxis::AngX, most);
            }
            pin.build()
        }
        (JointKind::Distance { least, most, spring: Some(spring) }, None) if least == most => {
            SpringJoint::new(most, spring.stiffness, spring.damping).data
        }
        (JointKind::Pin { .. }, Some(_)) => return fail("driven by a servo"),
        (kind, _) => return fail(&format!("a {}", kind.name())),
    })
}

/// What a body is and what it collides with; `None` for what Rapier cannot say.
fn groups(filter: Filter) -> Option<InteractionGroups> {
    let [category, mask] = [filter.category, filter.mask].map(Group::from_bits_retain);
    (filter.group == 0).then(|| InteractionGroups::new(category, mask, InteractionTestMode::And))
}

fn vector(v: Vec2) -> Vector {
    Vector::new(v.x, v.y)
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
        let mut peer = Rapier::of(&scene).unwrap();
        assert_start(&scene, &mut peer);
        // Masses come from figures in the first step.
        peer.world.integration_parameters.dt = 0.0;
        peer.step().unwrap();
        for &(index, id) in &peer.moving {
            let of_body = peer.world.bodies[id].mass_properties().local_mprops;
            assert_mass(&peer.mirror, index, of_body.mass(), of_body.principal_inertia());
        }
    }

    #[test]
    fn limits_of_pins_lie_on_the_same_side() {
        let scene = Level::parse(LIMITED, "rod.json").unwrap().scene;
        assert_limited(&mut *Rapier::build(&scene, 1).unwrap());
    }

    #[test]
    fn springs_are_as_stiff_and_as_damped() {
        assert_springs(Rapier::build);
    }
}
