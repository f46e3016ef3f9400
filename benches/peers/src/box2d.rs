//! Box2D v3, through the crate `boxdd`.
//!
//! Set up as its own samples are: 4 sub-steps, one thread, its default stiffness of contacts and
//! joints, continuous collision on. Only sleep is off, so that every step is solved. Friction and
//! restitution of a pair are mixed in the same way in both engines (geometric mean, maximum), and
//! both bounce above 1 m/s only.

use boxdd::shapes::{self, Capsule, Circle, Polygon};
use boxdd::{
    BodyBuilder, BodyId, BodyType, Filter, Foundation, Position, RevoluteJointDef, ShapeDef,
    SurfaceMaterial, WorldBuilder,
};
use sinew::{BodyDef, BodyKind, JointDef, JointKind, Rot, Scene, Shape, Vec2, World};

use crate::mirror::{Mirror, Motion};
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
    pub const ABOUT: &str = "Box2D 3.2.0 at 56edae7 (crate boxdd 0.6.0), 4 sub-steps, no sleep";

    /// A simulation of a scene of rigid bodies and pins.
    pub fn build(scene: &Scene) -> Outcome<Box<dyn Peer>> {
        let foundation = Foundation::initialize_default()?;
        let settings = WorldBuilder::from(foundation.world_def())
            .gravity(scene.settings.gravity.to_array())
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
            add_pin(&mut world, &mirror, &ids, frame, def)?;
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
    match &def.shape {
        Shape::Box { size } => {
            // Not by its corners: a hull welds those that are less than 5 mm apart.
            let outline = shapes::box_polygon(0.5 * size.x, 0.5 * size.y)?;
            handle.create_polygon(&shape, &outline)?;
        }
        Shape::Polygon { vertices } => {
            if vertices.len() > MOST_VERTICES {
                return Err(format!("`{}` has more than {MOST_VERTICES} vertices", def.id).into());
            }
            let world = mirror.world();
            let [piece] = world.model.pieces_of(body) else {
                return Err(format!("`{}` is concave", def.id).into());
            };
            let corners = world.model.outline(piece);
            let corners = corners.iter().map(|&point| world.model.rest[point as usize].to_array());
            handle.create_polygon(&shape, &Polygon::from_points(corners, 0.0)?)?;
        }
        Shape::Disc { radius } => {
            handle.create_circle(&shape, &Circle::new([0.0, 0.0], *radius)?)?;
        }
        Shape::Capsule { length, radius } => {
            let end = 0.5 * length;
            handle.create_capsule(&shape, &Capsule::new([-end, 0.0], [end, 0.0], *radius)?)?;
        }
        Shape::Rounded { .. } => return Err(format!("`{}` has round corners", def.id).into()),
        Shape::Compound { .. } => return Err(format!("`{}` has several parts", def.id).into()),
        Shape::Mesh(_) => return Err(format!("`{}` is a mesh", def.id).into()),
    }
    Ok(id)
}

/// Adds a pin. Angles count from the pose at the start, in both engines.
fn add_pin(
    world: &mut boxdd::World,
    mirror: &Mirror,
    ids: &[BodyId],
    frame: BodyId,
    def: &JointDef,
) -> Outcome<()> {
    let JointKind::Pin { limit } = def.kind else {
        return Err(format!("`{}` is a {}: only pins are compared", def.id, def.kind.name()).into());
    };
    let end = |id: Option<&str>, at: Vec2| -> Outcome<(BodyId, Vec2, f32)> {
        let Some(id) = id else { return Ok((frame, at, 0.0)) };
        let handle = mirror.world().body(id).ok_or_else(|| format!("there is no body `{id}`"))?;
        let index = mirror.world().index(handle)?;
        let pose = mirror.pose(&mirror.bodies()[index]);
        Ok((ids[index], pose.unapply(at), -pose.rot.radians()))
    };
    let (a, at_a, angle_a) = end(Some(&def.a), def.at)?;
    let (b, at_b, angle_b) = end(def.b.as_deref(), def.to.unwrap_or(def.at))?;
    let base = world
        .joint_base(a, b)?
        .with_local_frame_components(at_a.to_array(), angle_a, at_b.to_array(), angle_b)?
        .with_collide_connected(def.collide);
    let mut pin = RevoluteJointDef::new(base);
    if let Some(limit) = limit {
        pin = pin.enable_limit(true).lower_angle(limit.lower).upper_angle(limit.upper);
    }
    world.create_revolute_joint(&pin)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew::Level;

    /// A box, a polygon, a disc and a capsule, turned and moving.
    const SHAPES: &str = r#"{ "format": 1, "items": [
        { "type": "box", "size": [0.4, 1.2], "at": [0, 3], "angle": 30, "spin": 90 },
        { "type": "polygon", "vertices": [[0, 0], [2, 0], [0.5, 1]], "at": [4, 3], "angle": -70 },
        { "type": "disc", "radius": 0.7, "at": [8, 3], "velocity": [1, 2], "material": "steel" },
        { "type": "capsule", "length": 1.5, "radius": 0.3, "at": [12, 3], "angle": 100 },
    ] }"#;

    fn built(scene: &Scene) -> Box2d {
        let foundation = Foundation::initialize_default().unwrap();
        let world = foundation.create_world(foundation.world_def()).unwrap();
        let mirror = Mirror::new(scene).unwrap();
        Box2d::in_world(world, mirror, scene).unwrap()
    }

    #[test]
    fn bodies_are_the_same_in_both_engines() {
        let scene = Level::parse(SHAPES, "shapes.json").unwrap().scene;
        let mut peer = built(&scene);
        for (index, id) in peer.moving.clone() {
            let body = &peer.mirror.bodies()[index];
            let (mass, inertia) = (body.mass, body.inertia);
            let handle = peer.world.body(id).unwrap();
            let near = |a: f32, b: f32| (a - b).abs() < 1e-4 * b.abs();
            assert!(near(handle.mass().unwrap(), mass), "{}", scene.bodies[index].id);
            let other = handle.rotational_inertia().unwrap();
            assert!(near(other, inertia), "{}: {other} and {inertia}", scene.bodies[index].id);
        }
        let start = World::build(&scene).unwrap().state;
        let mirrored = &Peer::world(&mut peer).unwrap().state;
        for (a, b) in start.position.iter().zip(&mirrored.position) {
            assert!(a.distance(*b) < 1e-5, "{a} and {b}");
        }
        for (a, b) in start.velocity.iter().zip(&mirrored.velocity) {
            assert!(a.distance(*b) < 1e-5, "{a} and {b}");
        }
    }

    #[test]
    fn limits_of_pins_lie_on_the_same_side() {
        // A rod that would fall to the left stops after 40 degrees.
        let text = r#"{ "format": 1, "items": [
            { "type": "static", "id": "post", "box": [0.2, 0.2], "at": [0, 2], "angle": 20 },
            { "type": "box", "id": "rod", "size": [0.2, 2], "at": [-0.1, 3], "angle": 5 },
            { "type": "pin", "a": "post", "b": "rod", "at": [0, 2], "limits": [-70, 40] },
        ] }"#;
        let scene = Level::parse(text, "rod.json").unwrap().scene;
        let mut peer = built(&scene);
        for _ in 0..300 {
            peer.step().unwrap();
        }
        let world = Peer::world(&mut peer).unwrap();
        let rod = world.body("rod").unwrap();
        let turned = world.pose(rod).unwrap().rot.radians().to_degrees() - 5.0;
        assert!((turned - 40.0).abs() < 1.0, "turned by {turned} degrees");
    }
}
