//! The marks of joints in the debug view, as in drawings of machines.
//!
//! | joint | mark |
//! |---|---|
//! | pin | a disc, and the wedge of the angles it leaves |
//! | weld | a square with a cross |
//! | distance | a bar; a zigzag where it springs, dashes where it can go slack; red for a muscle |
//! | slider | a rail with stops, and a shoe on it |
//! | wheel | a zigzag along the suspension, and a ring |
//! | gear | toothed rings, and a line between them |
//! | pulley | the rope and its two wheels |
//!
//! A motor is an arrow around the mark, or along the rail; one that is told to stand still, a brake, has none.
//! What a joint fails to hold is a line of alarm between its two places.

use std::f32::consts::TAU;

use crate::math::{Rot, Vec2};
use crate::scene::{JointKind, Motor, Travel};
use crate::view::camera::Camera;
use crate::view::color::{ACCENT, ALARM, COOL, Color, INK, PAPER};
use crate::view::geometry::Geometry;
use crate::world::{Joint, JointState, Model};

/// A joint on the screen.
struct Mark<'a> {
    camera: &'a Camera,
    /// Radius of a pin, px.
    size: f32,
    /// Its two places, px.
    ends: [Vec2; 2],
    /// The pose of its first body.
    rot: Rot,
    joint: &'a Joint,
    state: &'a JointState,
}

/// Draws the mark of a joint.
pub(crate) fn joint(
    geometry: &mut Geometry,
    camera: &Camera,
    model: &Model,
    joint: &Joint,
    state: &JointState,
    positions: &[Vec2],
) {
    let size = (0.04 * camera.scale()).clamp(1.6, 3.6);
    let places = match (joint.kind, joint.b.body()) {
        // A gear holds no place.
        (JointKind::Gear { .. }, Some(b)) => {
            [joint.body_a, b].map(|body| model.center(&model.bodies[body as usize], positions))
        }
        _ => [joint.a.sample(positions), joint.b.position(positions)],
    };
    let rot = model.rot_at(joint.body_a, &joint.a, positions);
    let ends = places.map(|place| camera.to_screen(place));
    let mark = Mark { camera, size, ends, rot, joint, state };
    mark.draw(geometry);
}

impl Mark<'_> {
    fn draw(&self, geometry: &mut Geometry) {
        let [a, b] = self.ends;
        match self.joint.kind {
            JointKind::Pin { .. } => {
                geometry.line(a, b, 2.0, ALARM);
                self.wedge(geometry);
                self.dot(geometry, a, PAPER);
                geometry.disc(b, 0.4 * self.size, INK);
                self.turning(geometry, b);
            }
            JointKind::Weld { .. } => {
                geometry.line(a, b, 2.0, ALARM);
                self.square(geometry, b);
            }
            JointKind::Distance { least, spring, .. } => {
                match (spring, least == 0.0) {
                    _ if self.joint.is_muscle() => self.bar(geometry, a, b, ALARM),
                    (Some(_), _) => self.zigzag(geometry, a, b),
                    (None, true) => self.dashes(geometry, a, b, COOL),
                    (None, false) => self.bar(geometry, a, b, PAPER),
                }
                self.dot(geometry, a, PAPER);
                self.dot(geometry, b, PAPER);
            }
            JointKind::Slider { axis, limit } => self.slider(geometry, axis, limit),
            JointKind::Wheel { .. } => {
                self.zigzag(geometry, a, b);
                self.dot(geometry, a, PAPER);
                self.ring(geometry, b, 2.2, 0);
                self.turning(geometry, b);
            }
            JointKind::Gear { .. } => {
                self.dashes(geometry, a, b, ACCENT);
                self.ring(geometry, a, 2.6, 8);
                self.ring(geometry, b, 2.6, 8);
            }
            JointKind::Pulley { over, .. } => {
                let over = over.map(|place| self.camera.to_screen(place));
                for (from, to) in [(a, over[0]), (over[0], over[1]), (over[1], b)] {
                    self.bar(geometry, from, to, COOL);
                }
                over.iter().for_each(|&wheel| self.ring(geometry, wheel, 2.4, 0));
                self.dot(geometry, a, PAPER);
                self.dot(geometry, b, PAPER);
            }
            JointKind::Turn => self.turning(geometry, a),
        }
    }

    /// A direction in the frame of the first body, on the screen.
    fn direction(&self, axis: Vec2) -> Vec2 {
        let world = self.rot.apply(axis);
        Vec2::new(world.x, -world.y)
    }

    fn dot(&self, geometry: &mut Geometry, at: Vec2, color: Color) {
        geometry.disc(at, self.size + 1.0, INK);
        geometry.disc(at, self.size, color);
    }

    fn bar(&self, geometry: &mut Geometry, a: Vec2, b: Vec2, color: Color) {
        geometry.line(a, b, self.size + 1.6, INK);
        geometry.line(a, b, (self.size - 0.4).max(1.0), color);
    }

    fn square(&self, geometry: &mut Geometry, at: Vec2) {
        let half = 1.3 * self.size;
        let corners = |half: f32| {
            [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)]
                .map(|(x, y)| at + half * Vec2::new(x, y))
        };
        geometry.polygon(&corners(half + 1.0), INK);
        geometry.polygon(&corners(half), PAPER);
        let [a, b, c, d] = corners(0.8 * half);
        geometry.line(a, c, 1.2, INK);
        geometry.line(b, d, 1.2, INK);
    }

    /// A ring, with teeth where it is a cog.
    fn ring(&self, geometry: &mut Geometry, at: Vec2, radii: f32, teeth: u32) {
        let radius = radii * self.size;
        for tooth in 0..teeth {
            let out = Vec2::from_angle(TAU * tooth as f32 / teeth as f32);
            geometry.line(at, at + 1.35 * radius * out, 0.45 * radius, INK);
        }
        geometry.disc(at, radius, INK);
        geometry.disc(at, radius - 1.4, if teeth > 0 { ACCENT } else { PAPER });
        geometry.disc(at, 0.35 * radius, INK);
    }

    fn zigzag(&self, geometry: &mut Geometry, a: Vec2, b: Vec2) {
        let along = b - a;
        let side = 1.6 * self.size * along.perp().normalize_or_zero();
        let turns = ((along.length() / (3.0 * self.size)) as usize).clamp(4, 24);
        let mut path = vec![a];
        for i in 1..turns {
            let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
            path.push(a + along * (i as f32 / turns as f32) + sign * side);
        }
        path.push(b);
        geometry.stroke(&path, false, 3.4, INK.with_alpha(0.8));
        geometry.stroke(&path, false, 1.6, ACCENT);
    }

    fn dashes(&self, geometry: &mut Geometry, a: Vec2, b: Vec2, color: Color) {
        let along = b - a;
        let count = ((along.length() / (3.5 * self.size)) as usize).clamp(2, 60);
        for i in 0..count {
            let at = |t: f32| a + along * ((i as f32 + t) / count as f32);
            self.bar(geometry, at(0.2), at(0.8), color);
        }
    }

    /// A rail through the place on the first body, its stops, and what slides on it.
    fn slider(&self, geometry: &mut Geometry, axis: Vec2, limit: Option<Travel>) {
        let [a, b] = self.ends;
        let along = self.direction(axis);
        let scale = self.camera.scale();
        // A rail without stops goes on a little past what slides on it.
        let reach = (b - a).dot(along);
        let free = 8.0 * self.size;
        let [low, high] = limit.map_or([reach.min(0.0) - free, reach.max(0.0) + free], |travel| {
            [travel.lower * scale, travel.upper * scale]
        });
        let (from, to) = (a + low * along, a + high * along);
        self.bar(geometry, from, to, PAPER);
        if limit.is_some() {
            let side = 2.0 * self.size * along.perp();
            for end in [from, to] {
                self.bar(geometry, end - side, end + side, ACCENT);
            }
        }
        geometry.line(b, a + reach * along, 2.0, ALARM);
        let (half, side) = (2.2 * self.size * along, 1.3 * self.size * along.perp());
        let shoe = [b - half - side, b + half - side, b + half + side, b - half + side];
        geometry.polygon(&shoe, INK);
        let (half, side) = (half - 1.2 * along, side - 1.2 * along.perp());
        let shoe = [b - half - side, b + half - side, b + half + side, b - half + side];
        geometry.polygon(&shoe, if self.drives() { ALARM } else { PAPER });
    }

    /// The wedge of the angles that a pin leaves, from where its second body points now.
    fn wedge(&self, geometry: &mut Geometry) {
        let Some(limit) = self.joint.limit else { return };
        let at = self.ends[0];
        let middle = self.direction(limit.middle.apply(Vec2::X));
        let half = limit.half.radians();
        let steps = 12;
        let arm = |i: i32| {
            let turn = Vec2::from_angle(-half * i as f32 / steps as f32);
            at + 5.0 * self.size * middle.rotate(turn)
        };
        for i in -steps..steps {
            geometry.flat(&[at, arm(i), arm(i + 1)], ACCENT.with_alpha(0.35));
        }
        for end in [-steps, steps] {
            geometry.line(at, arm(end), 1.2, ACCENT);
        }
    }

    /// Whether a motor moves what the joint leaves free.
    fn drives(&self) -> bool {
        let stands = |motor| matches!(motor, Motor::Speed { .. }) && self.state.target == 0.0;
        self.joint.motor.is_some_and(|motor| !stands(motor))
    }

    /// An arrow most of the way around a place: something turns it.
    fn turning(&self, geometry: &mut Geometry, at: Vec2) {
        if !self.drives() {
            return;
        }
        let radius = 3.4 * self.size;
        let arm = |i: usize| at + radius * Vec2::from_angle(0.9 - 5.0 * i as f32 / 16.0);
        let path: Vec<Vec2> = (0..=16).map(arm).collect();
        geometry.stroke(&path, false, 3.4, INK);
        geometry.stroke(&path, false, 1.8, ALARM);
        let along = (path[16] - path[15]).normalize_or_zero();
        let side = 1.5 * self.size * along.perp();
        let tip = path[16] + 2.0 * self.size * along;
        geometry.polygon(&[tip, path[16] + side, path[16] - side], ALARM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, JointDef, Scene, Shape, Spring, View};
    use crate::world::World;

    /// The corners of the triangles of the mark of a joint between two boxes.
    fn corners(kind: JointKind, motor: Option<Motor>) -> Vec<(f32, f32)> {
        let mut scene = Scene::default();
        for (id, x) in [("a", 0.0), ("b", 2.0)] {
            let shape = Shape::Box { size: Vec2::ONE };
            scene.bodies.push(BodyDef::new(id, shape, Vec2::new(x, 0.0)));
        }
        let def = JointDef::new("j", kind, "a", Some("b"), Vec2::X);
        scene.joints.push(JointDef { motor, ..def });
        let World { model, state } = World::build(&scene).unwrap();
        let camera = Camera::new(View::default(), Vec2::new(800.0, 600.0), Vec2::ZERO);
        let mut geometry = Geometry::default();
        let (def, now) = (&model.joints[0], &state.joints[0]);
        joint(&mut geometry, &camera, &model, def, now, &state.position);
        let vertices = geometry.batches().iter().flat_map(|batch| &batch.vertices);
        vertices.map(|vertex| vertex.position.into()).collect()
    }

    #[test]
    fn an_arrow_goes_around_what_is_turned_and_none_around_what_is_braked() {
        let pin = |speed: Option<f32>| {
            let motor = speed.map(|speed| Motor::Speed { speed, most: 1.0 });
            corners(JointKind::Pin { limit: None }, motor)
        };
        assert_eq!(pin(Some(0.0)), pin(None));
        assert!(pin(Some(1.0)).len() > pin(None).len());
    }

    /// Every kind, with and without a motor, leaves finite triangles: also where both places are one.
    #[test]
    fn every_kind_has_a_mark_of_its_own() {
        let spring = Spring { stiffness: 1.0, damping: 0.0 };
        let limit = Some(Travel { lower: -1.0, upper: 1.0 });
        let kinds = [
            JointKind::Pin { limit: None },
            JointKind::Weld { bend: None },
            JointKind::Distance { least: 0.0, most: 1.0, spring: None },
            JointKind::Distance { least: 1.0, most: 1.0, spring: None },
            JointKind::Distance { least: 1.0, most: 1.0, spring: Some(spring) },
            JointKind::Slider { axis: Vec2::X, limit },
            JointKind::Wheel { axis: Vec2::Y, spring, limit: None },
            JointKind::Gear { ratio: 1.0 },
            JointKind::Pulley { over: [Vec2::Y, Vec2::ONE], ratio: 1.0 },
        ];
        let mut seen: Vec<Vec<(f32, f32)>> = Vec::new();
        for kind in kinds {
            let drives = matches!(
                kind,
                JointKind::Pin { .. } | JointKind::Slider { .. } | JointKind::Wheel { .. }
            );
            let motor = drives.then_some(Motor::Speed { speed: 1.0, most: 1.0 });
            let corners = corners(kind, motor);
            assert!(corners.iter().all(|(x, y)| x.is_finite() && y.is_finite()), "{kind:?}");
            assert!(!corners.is_empty());
            seen.push(corners);
        }
        for (i, mark) in seen.iter().enumerate() {
            // A rod and a rope without length differ in nothing but their length.
            assert!(seen[..i].iter().filter(|other| *other == mark).count() == 0 || i == 3);
        }
    }
}
