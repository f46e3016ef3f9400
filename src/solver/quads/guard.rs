//! Guards: triangles and quadrilaterals of soft bodies that are crushed, and are kept from turning inside out.
//!
//! A guard is at work where little of its area is left, so they are listed anew in every sub-step. Each is one equation
//! on three or four points that only pushes, along the derivative of the area by each of them. Its error is the area beyond
//! what it keeps, over the side of a square of the area at rest, so that it is a length as that of others.

use super::motions::{gather, inverse, scatter};
use super::strip::{self, Order, Strip};
use crate::math::{Lane, Mapped};
use crate::solver::common::PUSH_OUT_SPEED;
use crate::solver::nodes::{Nodes, Twist};
use crate::world::{Area, Model};
use glam::Vec4;

/// Four guards side by side. Idle lanes, the last ones, have no mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct GuardQuad {
    /// The corners by their nodes. In place of the fourth of a triangle there is the ground…
    nodes: [[u32; 4]; 4],
    /// …and here a 1: its outline comes back to the first corner.
    closes: Vec4,
    inv_mass: [Vec4; 4],
    /// One over the side of a square of the area at rest, 1/m.
    scale: Vec4,
    /// The derivative by each corner, along x and y.
    along: [[Vec4; 2]; 4],
    /// The inverse of `J·M⁻¹·Jᵀ`, kg.
    mass: Vec4,
    /// How much more area there is than is to be kept; negative where it is less, m.
    error: Vec4,
    /// Impulse so far, N·s; kg·m where it is solved for positions.
    pushed: Vec4,
    /// What of that the position stage gave, and what the velocity stage did, N·s.
    given: Vec4,
    eased: Vec4,
}

/// What a guard has given when it was last listed.
#[derive(Clone, Copy, Debug, Default)]
struct Given {
    pushed: f32,
    eased: f32,
}

impl strip::Quad<4> for GuardQuad {
    fn bodies(&mut self) -> &mut [[u32; 4]; 4] {
        &mut self.nodes
    }
}

impl GuardQuad {
    /// Puts a guard with these corners into a lane, with what it has given.
    fn put(&mut self, lane: usize, corners: [u32; 4], area: &Area, given: Given, nodes: &Nodes) {
        let is_triangle = corners[3] == nodes.ground();
        self.closes.set_lane(lane, if is_triangle { 1.0 } else { 0.0 });
        for (inv_mass, corner) in self.inv_mass.iter_mut().zip(corners) {
            inv_mass.set_lane(lane, nodes[corner].inv_mass);
        }
        self.scale.set_lane(lane, area.rest.sqrt().recip());
        self.error.set_lane(lane, -Area::KEPT * area.rest);
        self.pushed.set_lane(lane, given.pushed);
        self.eased.set_lane(lane, given.eased);
    }

    /// Takes areas and their derivatives as they are now.
    fn measure(&mut self, nodes: &Nodes) {
        let at = self.corners(nodes);
        self.point(at);
        let across = |a: usize, b: usize| [at[b][0] - at[a][0], at[b][1] - at[a][1]];
        let ([ax, ay], [bx, by]) = (across(0, 2), across(1, 3));
        self.error = self.scale * (self.error + 0.5 * (ax * by - ay * bx));
    }

    /// Where corners are by now, along x and y.
    fn corners(&self, nodes: &Nodes) -> [[Vec4; 2]; 4] {
        let mut at = self.nodes.mapped(|lanes| {
            let places = lanes.mapped(|node| nodes.place(node));
            [places.mapped(|place| place.x), places.mapped(|place| place.y)]
                .mapped(Vec4::from_array)
        });
        let first = at[0];
        let closes = self.closes.cmpgt(Vec4::ZERO);
        for (fourth, first) in at[3].iter_mut().zip(first) {
            *fourth = Vec4::select(closes, first, *fourth);
        }
        at
    }

    /// Takes derivatives anew where corners are at these places.
    fn point(&mut self, at: [[Vec4; 2]; 4]) {
        for k in 0..4 {
            let (next, last) = (at[(k + 1) % 4], at[(k + 3) % 4]);
            let half = 0.5 * self.scale;
            self.along[k] = [half * (next[1] - last[1]), half * (last[0] - next[0])];
        }
        let [first, .., fourth] = &mut self.along;
        for (first, fourth) in first.iter_mut().zip(fourth) {
            *first += self.closes * *fourth;
            *fourth -= self.closes * *fourth;
        }
        let gives = self.along.iter().zip(self.inv_mass);
        let gives = gives.map(|([x, y], inv_mass)| inv_mass * (x * x + y * y));
        self.mass = inverse(gives.fold(Vec4::ZERO, |sum, one| sum + one));
    }

    /// Adds what `give` says of the speeds at which areas grow to what was given, and lets it act.
    #[inline(always)]
    fn push(&mut self, all: &mut [Twist], give: impl FnOnce(&Self, Vec4) -> Vec4) {
        let mut motions = [
            gather(self.nodes[0], all),
            gather(self.nodes[1], all),
            gather(self.nodes[2], all),
            gather(self.nodes[3], all),
        ];
        let mut speed = Vec4::ZERO;
        for (motion, [x, y]) in motions.iter().zip(self.along) {
            speed += x * motion[0] + y * motion[1];
        }
        let by = give(self, speed);
        self.pushed += by;
        for (k, motion) in motions.iter_mut().enumerate() {
            let counts = self.inv_mass[k].cmpgt(Vec4::ZERO);
            let by = self.inv_mass[k] * by;
            // What cannot be pushed stays as it is, whatever happens to the others.
            for (motion, along) in motion.iter_mut().zip(self.along[k]) {
                *motion += Vec4::select(counts, by * along, Vec4::ZERO);
            }
            scatter(*motion, self.nodes[k], all);
        }
    }

    /// Starts from the part `scale` of what was given.
    #[inline(always)]
    pub(super) fn start(&mut self, scale: f32, all: &mut [Twist]) {
        let from = scale * self.pushed;
        self.pushed = Vec4::ZERO;
        self.push(all, |_, _| from);
    }

    /// A round over velocities in a sub-step of `h` seconds, in which the part `pace` of what an area lacks comes back in a
    /// second.
    #[inline(always)]
    pub(super) fn press(&mut self, h: f32, pace: f32, speeds: &mut [Twist]) {
        self.push(speeds, |quad, speed| {
            let back = (-pace * quad.error).max(Vec4::ZERO).min(Vec4::splat(PUSH_OUT_SPEED));
            let lacks = speed + quad.error.max(Vec4::ZERO) / h - back;
            (-quad.mass * lacks).max(-quad.pushed)
        });
    }

    /// A round over displacements, in which what was lacking before comes back by `most` at the most, m.
    #[inline(always)]
    pub(super) fn project(&mut self, most: f32, travels: &mut [Twist]) {
        self.push(travels, |quad, moved| {
            let lacks = moved + quad.error.max(Vec4::splat(-most));
            (-quad.mass * lacks).max(-quad.pushed)
        });
    }

    /// Goes over to the velocity stage, after displacements of a sub-step of `h` seconds.
    pub(super) fn arrive(&mut self, h: f32, nodes: &Nodes) {
        self.point(self.corners(nodes));
        self.given = self.pushed / h;
        self.pushed = self.given;
        self.eased = Vec4::select(self.given.cmpgt(Vec4::ZERO), self.eased, Vec4::ZERO);
    }

    /// Takes derivatives anew after corners have moved.
    pub(super) fn follow(&mut self, nodes: &Nodes) {
        self.point(self.corners(nodes));
    }

    /// Starts the velocity stage from what it gave before.
    #[inline(always)]
    pub(super) fn ease(&mut self, speeds: &mut [Twist]) {
        self.push(speeds, |quad, _| quad.eased);
    }

    /// A round of the velocity stage: what was pressed comes to rest.
    #[inline(always)]
    pub(super) fn relax(&mut self, speeds: &mut [Twist]) {
        self.push(speeds, |quad, speed| {
            let by = (-quad.mass * speed).max(-quad.pushed);
            Vec4::select(quad.given.cmpgt(Vec4::ZERO), by, Vec4::ZERO)
        });
    }

    /// Takes a part of what was given, without any effect.
    pub(super) fn keep(&mut self, nodes: &Nodes) {
        self.pushed *= self.kept(nodes);
    }

    /// The same of what the velocity stage started from.
    pub(super) fn keep_eased(&mut self, nodes: &Nodes) {
        self.pushed = self.given + self.kept(nodes) * self.eased;
    }

    /// The part that [`Nodes::keep_least_energy`] has kept of what each does.
    fn kept(&self, nodes: &Nodes) -> Vec4 {
        let part = |lane: usize| {
            let mut corners = self.nodes.into_iter().map(|lanes| lanes[lane]);
            let pushed = corners.find(|&node| nodes[node].inv_mass > 0.0);
            pushed.map_or(1.0, |node| nodes.kept(node))
        };
        Vec4::from_array([0, 1, 2, 3].mapped(part))
    }

    /// Notes what the velocity stage gave.
    pub(super) fn remember(&mut self) {
        self.eased = self.pushed - self.given;
    }
}

/// All guards that are solved four at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Guards {
    /// The numbers of their areas, in ascending order.
    areas: Vec<u32>,
    /// The nodes of the corners of each.
    corners: Vec<[u32; 4]>,
    pub(super) strip: Strip<GuardQuad, 4>,
    /// What those gave that were listed before, in the order of areas.
    before: Vec<(u32, Given)>,
    /// For each node what the strip notes while it is filled.
    free: Vec<u32>,
}

impl Guards {
    pub(super) fn is_empty(&self) -> bool {
        self.areas.is_empty()
    }

    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.areas.clear();
        self.corners.clear();
        self.strip.clear();
    }

    /// Notes what each has given.
    fn recall(&mut self) {
        let Self { areas, strip, before, .. } = self;
        before.clear();
        before.extend(areas.iter().enumerate().map(|(place, &area)| {
            let (quad, lane) = strip.spot(place);
            let quad = &strip.quads[quad];
            (area, Given { pushed: quad.pushed.lane(lane), eased: quad.eased.lane(lane) })
        }));
    }

    /// Lists those of these areas of a model, in ascending order; each is a triangle or quadrilateral of points that are
    /// nodes of their own.
    pub(super) fn put(&mut self, areas: &[u32], model: &Model, nodes: &Nodes) {
        self.recall();
        self.clear();
        if areas.is_empty() {
            return;
        }
        let Self { areas: all, corners, strip, before, free } = self;
        all.extend_from_slice(areas);
        corners.extend(areas.iter().map(|&area| {
            let outline = model.area_outline(&model.areas[area as usize]);
            let node = |k: usize| outline.get(k).map(|&point| nodes.of_point(model, point));
            [0, 1, 2, 3].mapped(|k| node(k).unwrap_or(nodes.ground()))
        }));
        strip::find_free(nodes, free);
        (0..areas.len() as u32).for_each(|guard| strip.add(guard));
        strip.find_ends(|guard| corners[guard as usize]);
        strip.fill(Order::AsTheyCome, free);
        let mut known = before.iter().peekable();
        strip.each(|guard, quad, lane| {
            let area = areas[guard as usize];
            while known.next_if(|(known, _)| *known < area).is_some() {}
            let same = known.next_if(|(known, _)| *known == area);
            let given = same.map_or_else(Given::default, |(_, given)| *given);
            quad.put(lane, corners[guard as usize], &model.areas[area as usize], given, nodes);
        });
        strip.quads.iter_mut().for_each(|quad| quad.measure(nodes));
    }

    /// Does some work with each quad.
    #[inline(always)]
    pub(super) fn each(&mut self, work: impl FnMut(&mut GuardQuad)) {
        self.strip.quads.iter_mut().for_each(work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::soft::{Cloth, Jelly};
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::solver::quads::{Back, Law, Quads};
    use crate::solver::rows::Returns;
    use crate::solver::soft;
    use crate::threads::Threads;
    use crate::world::World;
    use proptest::prelude::*;

    const H: f32 = 1.0 / 240.0;

    /// A guard as the reference solves it.
    struct Plain {
        terms: Vec<(u32, Vec2)>,
        mass: f32,
        error: f32,
        pushed: f32,
    }

    impl Plain {
        fn of(area: &Area, World { model, state }: &World, nodes: &Nodes) -> Self {
            let outline = model.area_outline(area);
            let scale = 1.0 / area.rest.sqrt();
            let term = |(k, &point): (usize, &u32)| {
                let along = scale * soft::area_gradient(outline, k, &state.position);
                (nodes.of_point(model, point), along)
            };
            let terms: Vec<_> = outline.iter().enumerate().map(term).collect();
            let gives =
                terms.iter().map(|(node, along)| nodes[*node].inv_mass * along.length_squared());
            let now = soft::area(outline, &state.position);
            let error = scale * (now - Area::KEPT * area.rest);
            Self { mass: 1.0 / gives.sum::<f32>(), terms, error, pushed: 0.0 }
        }

        /// Gives what brings the area to grow by `wanted`, of speeds or displacements as `of` says.
        fn push(
            &mut self,
            wanted: f32,
            nodes: &mut Nodes,
            of: impl Fn(&mut Nodes, u32) -> &mut Twist,
        ) {
            let grows: f32 =
                self.terms.iter().map(|(node, along)| along.dot(of(nodes, *node).linear)).sum();
            let total = (self.pushed + self.mass * (wanted - grows)).max(0.0);
            for (node, along) in &self.terms {
                let inv_mass = nodes[*node].inv_mass;
                of(nodes, *node).linear += inv_mass * (total - self.pushed) * *along;
            }
            self.pushed = total;
        }
    }

    /// A crushed jelly, of triangles, or a cloth, of quadrilaterals.
    fn crushed(is_cloth: bool, motions: &[(f32, f32)]) -> World {
        let shape = if is_cloth {
            Shape::Mesh(Cloth { size: Vec2::ONE, ..Cloth::default() }.mesh().unwrap())
        } else {
            Shape::Mesh(Jelly::rectangle(Vec2::ONE).mesh().unwrap())
        };
        let bodies = vec![BodyDef::new("soft", shape, Vec2::ZERO)];
        let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let state = &mut world.state;
        for (position, motion) in state.position.iter_mut().zip(motions) {
            *position = Vec2::new(0.15 * position.x, position.y) + 0.02 * Vec2::from(*motion);
        }
        for (velocity, motion) in state.velocity.iter_mut().zip(motions) {
            *velocity = Vec2::from(*motion);
        }
        world
    }

    proptest! {
        #[test]
        fn four_at_a_time_is_the_same_as_one_by_one(
            is_cloth in any::<bool>(),
            motions in prop::collection::vec((-1.0_f32..1.0, -1.0_f32..1.0), 400),
        ) {
            let world = crushed(is_cloth, &motions);
            let (threads, mut quads) = (Threads::default(), Quads::default());
            let mut nodes = Nodes::default();
            nodes.attach(&world.model);
            nodes.gather(&world.model, &world.state, f32::INFINITY, 1.0 / 60.0, &threads);
            let areas: Vec<u32> =
                (0..).zip(&world.model.areas).filter(|(_, area)| area.is_guard()).map(|(k, _)| k).collect();
            prop_assert!(areas.len() > 20);
            let plain = || -> Vec<Plain> {
                areas.iter().map(|&k| Plain::of(&world.model.areas[k as usize], &world, &nodes)).collect()
            };

            // For velocities.
            quads.put_guards(&areas, &world.model, &nodes);
            let returns = Returns { pace: 0.25 / H, most: 4.0 };
            let law = Law { h: H, soft: None, push_out: 3.0, returns, closes: 0.0, time: None };
            let (mut expected, mut found) = (nodes.clone(), nodes.clone());
            quads.press(None, 3, &law, &threads, &mut found);
            let mut all = plain();
            for _ in 0..3 {
                for one in &mut all {
                    let back = (-returns.pace * one.error).clamp(0.0, PUSH_OUT_SPEED);
                    one.push(back - one.error.max(0.0) / H, &mut expected, Nodes::speed_mut);
                }
            }
            for node in 0..nodes.len() as u32 {
                let (found, wanted) = (found.speed(node).linear, expected.speed(node).linear);
                prop_assert!(found.distance(wanted) < 1e-3, "{found} {wanted}");
            }

            // For positions, and velocities after.
            quads.put_guards(&areas, &world.model, &nodes);
            let back = Back { closes: 0.01, turns: 0.01, parts: 0.01, h: H };
            let (mut expected, mut found) = (nodes.clone(), nodes.clone());
            expected.displace(H, &threads);
            found.displace(H, &threads);
            quads.project(true, 3, back, &threads, &mut found);
            let mut all = plain();
            for _ in 0..3 {
                for one in &mut all {
                    one.push(-one.error.max(-back.parts), &mut expected, Nodes::travel_mut);
                }
            }
            for node in 0..nodes.len() as u32 {
                let (found, wanted) = (found.travel(node).linear, expected.travel(node).linear);
                prop_assert!(found.distance(wanted) < 1e-5, "{found} {wanted}");
            }
            let momentum = |nodes: &Nodes| -> Vec2 {
                let of = |node: u32| match nodes[node].inv_mass {
                    0.0 => Vec2::ZERO,
                    inv_mass => nodes.speed(node).linear / inv_mass,
                };
                (0..nodes.len() as u32).map(of).sum()
            };
            let before = momentum(&found);
            quads.arrive(H, &threads, &found);
            quads.relax(true, 3, &threads, &mut found);
            let after = momentum(&found);
            prop_assert!(after.distance(before) < 1e-4 * (1.0 + before.length()), "{before} {after}");
        }
    }
}
