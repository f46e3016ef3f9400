//! Manifolds: the contacts of two pieces whose bodies move as blocks, solved four pairs at a time.
//!
//! A contact is two rows of a Jacobian, along the normal and along the surface, as `rows/` has them; but
//! these have always the same two nodes and the same pattern, and most scenes have more of them than of
//! anything else. So they are kept without indirection, both contacts of a pair side by side, four pairs
//! to a [`Quad`], whose numbers are vectors of four that a processor handles at once. What acts on soft
//! bodies, or on what is solved together, stays a row.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | what a manifold is, and how it gets into its quad |
//! | `schedule.rs` | which quad each manifold stands in, so that the order of pairs is kept |
//! | `motions.rs` | the velocities, or displacements, of the bodies of a quad |
//! | `impulse.rs` | solving them for velocities |

mod impulse;
mod motions;
mod schedule;

use crate::math::{Vec2, cross, left};
use crate::solver::nodes::{Node, Nodes};
use glam::Vec4;
use motions::Arms;
use schedule::Schedule;

/// The manifolds of a sub-step.
#[derive(Clone, Debug, Default)]
pub(crate) struct Manifolds {
    schedule: Schedule,
    quads: Vec<Quad>,
}

/// A contact of a manifold: the number of the manifold, and which of its two contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    pub(crate) manifold: u32,
    pub(crate) point: u8,
}

/// What two bodies that touch have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Unit vector from the second body to the first.
    pub(crate) normal: Vec2,
    /// Coefficient μ.
    pub(crate) friction: f32,
}

/// A contact as it is put into a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    /// Where it acts on each body, m.
    pub(crate) places: [Vec2; 2],
    /// The gap along the normal, negative for overlap, m.
    pub(crate) gap: f32,
    /// Impulses to start from: along the surface, along the normal.
    pub(crate) start: Vec2,
}

/// Four manifolds side by side. Idle lanes, the last ones, have no mass, and the nodes of the one before them.
///
/// Both contacts of a pair rub along the same line, so there is one row of friction for the two. It acts
/// at the nearer one.
#[derive(Clone, Copy, Debug, Default)]
struct Quad {
    /// The nodes of each: J·v is that of the first less that of the second.
    nodes: [[u32; 4]; 2],
    normal: [Vec4; 2],
    inv_mass: [Vec4; 2],
    friction: Vec4,
    /// Lever arms of the direction along the surface, and what brings a speed along it to zero, kg.
    tangent: Arms,
    tangent_mass: Vec4,
    /// Impulse along the surface so far, N·s.
    rubbed: Vec4,
    points: [Points; 2],
}

/// One contact of each manifold of a quad. Where a manifold has none its mass is zero.
#[derive(Clone, Copy, Debug, Default)]
struct Points {
    /// Lever arms of the normal.
    arms: Arms,
    /// Inverse of `J·M⁻¹·Jᵀ` along the normal, kg: what brings a speed to zero.
    mass: Vec4,
    /// The gap along the normal, negative for overlap, m.
    gap: Vec4,
    /// Impulse so far, N·s.
    pushed: Vec4,
}

impl Manifolds {
    /// The number of manifolds.
    pub(crate) fn len(&self) -> usize {
        self.schedule.len()
    }

    /// Whether they may be manifolds of these nodes.
    pub(crate) fn are_of(&self, nodes: &Nodes) -> bool {
        self.schedule.is_of(nodes)
    }

    /// Whether manifold number `index` is there, and between these nodes.
    pub(crate) fn is_between(&self, index: u32, pair: [u32; 2]) -> bool {
        self.schedule.has(index as usize, pair)
    }

    /// Forgets all manifolds, and makes room for those of these pairs of nodes, in this order.
    pub(crate) fn arrange(&mut self, pairs: impl Iterator<Item = [u32; 2]>, nodes: &Nodes) {
        self.schedule.arrange(pairs, nodes);
        self.quads.clear();
        self.quads.resize(self.schedule.quads(), Quad::default());
        for index in 0..self.schedule.len() {
            let (quad, lane) = self.schedule.place(index);
            let pair = self.schedule.pair(index);
            for (nodes, node) in self.quads[quad].nodes.iter_mut().zip(pair) {
                // Lanes are filled in order.
                nodes[lane..].fill(node);
            }
        }
    }

    /// Puts manifold number `index` where it belongs, with its contacts, two at most.
    pub(crate) fn put(&mut self, index: usize, surface: Surface, points: &[Point], nodes: &Nodes) {
        let (quad, lane) = self.schedule.place(index);
        let pair = self.schedule.pair(index);
        let ends = pair.map(|node| &nodes[node]);
        let Surface { normal, friction } = surface;
        let quad = &mut self.quads[quad];
        for (inv_mass, node) in quad.inv_mass.iter_mut().zip(ends) {
            inv_mass[lane] = node.inv_mass;
        }
        (quad.normal[0][lane], quad.normal[1][lane]) = (normal.x, normal.y);
        quad.friction[lane] = friction;
        let arms = |places: [Vec2; 2], direction: Vec2| {
            [0, 1].map(|side| cross(places[side] - ends[side].center, direction))
        };
        for slot in &mut quad.points[points.len()..] {
            slot.arms.set(lane, [0.0; 2]);
            (slot.mass[lane], slot.gap[lane], slot.pushed[lane]) = (0.0, 0.0, 0.0);
        }
        for (slot, point) in quad.points.iter_mut().zip(points) {
            let along = arms(point.places, normal);
            slot.arms.set(lane, along);
            slot.mass[lane] = mass(ends, along);
            slot.gap[lane] = point.gap;
            slot.pushed[lane] = point.start.y;
        }
        // Bodies that are yet to meet have places of their own; a line of friction has one for both, or it
        // would make spin of nothing.
        let nearest = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        let [a, b] = nearest.map_or([Vec2::ZERO; 2], |point| point.places);
        let across = arms([0.5 * (a + b); 2], left(normal));
        quad.tangent.set(lane, across);
        quad.tangent_mass[lane] = mass(ends, across);
        quad.rubbed[lane] = points.iter().map(|point| point.start.x).sum();
    }

    /// The impulses of a contact so far: along the surface, along the normal. Of what both contacts of a
    /// pair rub each has its part, as they are pressed.
    pub(crate) fn impulse(&self, spot: Spot) -> Vec2 {
        let (quad, lane) = self.at(spot);
        let pushed = quad.points.map(|point| point.pushed[lane]);
        let (own, both) = (pushed[usize::from(spot.point)], pushed[0] + pushed[1]);
        let part = if both > 0.0 { own / both } else { 0.0 };
        Vec2::new(part * quad.rubbed[lane], own)
    }

    /// The gap of a contact, m.
    pub(crate) fn gap(&self, spot: Spot) -> f32 {
        let (quad, lane) = self.at(spot);
        quad.points[usize::from(spot.point)].gap[lane]
    }

    fn at(&self, spot: Spot) -> (&Quad, usize) {
        let (quad, lane) = self.schedule.place(spot.manifold as usize);
        (&self.quads[quad], lane)
    }
}

/// The inverse of the mobility of two bodies along a direction with these lever arms, kg; 0 if neither can
/// be moved.
fn mass([a, b]: [&Node; 2], arms: [f32; 2]) -> f32 {
    let turning = a.inv_inertia * arms[0] * arms[0] + b.inv_inertia * arms[1] * arms[1];
    let mobility = a.inv_mass + b.inv_mass + turning;
    if mobility > 0.0 { mobility.recip() } else { 0.0 }
}

#[cfg(test)]
mod tests;
