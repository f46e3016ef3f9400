//! Contacts that follow their features: as long as two pieces hardly move against each other, the vertex and the edge
//! of a contact stay what they are, and its normal turns with the edge it is from.

use super::Contact;
use crate::math::{Vec2, direction_or, right};
use crate::world::Model;

/// Cosine of an angle that no two edges of a corner have between them, and no rounding makes.
const SURELY: f32 = 1.0 - 1e-6;

/// The edge that a contact has its normal from: the ends of the edge whose outward normal it is, which may be the
/// contact's own edge or one that ends in the vertex; equal where corner meets corner.
pub(crate) fn base(model: &Model, positions: &[Vec2], contact: &Contact) -> [u32; 2] {
    let [a, b] = contact.edge;
    if a == b {
        return [a; 2];
    }
    let outward = |[a, b]: [u32; 2]| {
        let along = positions[b as usize] - positions[a as usize];
        direction_or(right(along), Vec2::ZERO).dot(contact.normal)
    };
    if outward([a, b]) > SURELY {
        return [a, b];
    }
    let outline = model.outline(&model.pieces[contact.pieces[0] as usize]);
    let at = outline.iter().position(|&point| point == contact.vertex).unwrap_or(0);
    let next = outline[(at + 1) % outline.len()];
    let last = outline[(at + outline.len() - 1) % outline.len()];
    let edges = [[a, b], [last, contact.vertex], [contact.vertex, next]];
    let slant = |edge: &[u32; 2]| 1.0 - outward(*edge).abs();
    let best = edges.into_iter().min_by(|a, b| slant(a).total_cmp(&slant(b))).unwrap_or([a, b]);
    if outward(best) < 0.0 { [best[1], best[0]] } else { best }
}

impl Contact {
    /// The contact where its points are now; the normal turns with its [`base`]. The radii are those of both pieces, m.
    pub(crate) fn followed(&self, base: [u32; 2], positions: &[Vec2], radii: [f32; 2]) -> Self {
        let at = |point: u32| positions[point as usize];
        let [from, to] = base;
        let along =
            if from == to { at(self.vertex) - at(self.edge[0]) } else { right(at(to) - at(from)) };
        let turned = Self { normal: direction_or(along, self.normal), ..*self };
        turned.moved_to(positions, radii[0] + radii[1])
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::collision::Collision;
    use crate::math::Rot;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

    /// A box on another, turned a little, so that a corner of each is over a face of the other.
    pub(crate) fn box_on_box() -> Scene {
        let at = |x: f32, y: f32| Vec2::new(x, y);
        let solid = |id: &str, place| BodyDef::new(id, Shape::Box { size: Vec2::ONE }, place);
        let upper = BodyDef { angle: 0.01, ..solid("upper", at(0.3, 1.0)) };
        Scene { bodies: vec![solid("lower", at(0.0, 0.0)), upper], ..Scene::default() }
    }

    #[test]
    fn a_contact_that_is_followed_is_the_one_that_a_new_look_would_find() {
        let mut world = World::build(&box_on_box()).unwrap();
        let found = Collision::touch(&world.model, &world.state.position, (0, 1), 0.02);
        assert_eq!(found.len(), 2);
        // The whole turns, and one box moves a little against the other.
        let turn = Rot::from_radians(0.3);
        let upper = world.model.bodies[1].point_range();
        for (index, point) in world.state.position.iter_mut().enumerate() {
            let slid = if upper.contains(&index) { Vec2::new(2e-3, 1e-3) } else { Vec2::ZERO };
            *point = turn.apply(*point + slid);
        }
        let anew = Collision::touch(&world.model, &world.state.position, (0, 1), 0.02);
        let start = World::build(&box_on_box()).unwrap().state.position;
        for (before, after) in found.iter().zip(anew.iter()) {
            let base = base(&world.model, &start, before);
            let followed = before.followed(base, &world.state.position, [0.0; 2]);
            assert_eq!(followed.key(), after.key());
            assert!(followed.normal.distance(after.normal) < 1e-5, "{followed:?} {after:?}");
            assert!((followed.depth - after.depth).abs() < 1e-5, "{followed:?} {after:?}");
            assert!((followed.t - after.t).abs() < 1e-3, "{followed:?} {after:?}");
        }
    }
}
