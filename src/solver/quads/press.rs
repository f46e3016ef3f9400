//! Contacts of soft bodies: a vertex that presses on an edge, where points are nodes of their own.
//!
//! An edge moves where it is pressed as its ends do in the mean, weighted by where that is. What presses is shared out by
//! the same weights. So for the contact each side is a body: one that moves as that mean, with the inverse mass `Σ w²/m`,
//! and that hands on to each end the part `(w/m) / Σ w²/m` of how its motion changes. Between such bodies a contact is a
//! manifold of one point, and all that is done with manifolds is done with these by the same code, on a *bench* of eight
//! motions in place of those of a bundle.
//!
//! They are listed anew in every sub-step, as soft bodies never keep still, and no thread shares them.

use super::bounce::Bounce;
use super::manifold::{ManifoldQuad, Point, Surface};
use super::projection::{Past, Pasts};
use super::strip::{self, Order, Strip};
use crate::collision::Contact;
use crate::math::{Mapped, Vec2, cross_sv};
use crate::solver::nodes::{Node, Nodes, Twist};
use crate::world::Model;
use glam::Vec4;

/// What a contact acts on, on one side: a node, or the place between two.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side {
    /// Both; of one alone the second is the ground.
    nodes: [u32; 2],
    /// The part that each has in how the place moves; none has the ground.
    weights: [f32; 2],
}

impl Side {
    /// A node alone.
    pub(super) fn node(node: u32, nodes: &Nodes) -> Self {
        Self { nodes: [node, nodes.ground()], weights: [1.0, 0.0] }
    }

    /// The place `t` of the way from one point to another, of one body.
    fn between(points: [u32; 2], t: f32, model: &Model, nodes: &Nodes) -> Self {
        let [a, b] = points.mapped(|point| nodes.of_point(model, point));
        if a == b {
            return Self::node(a, nodes);
        }
        match t {
            0.0 => Self::node(a, nodes),
            1.0 => Self::node(b, nodes),
            _ => Self { nodes: [a, b], weights: [1.0 - t, t] },
        }
    }

    /// The nodes that have a part in it.
    fn nodes(self) -> impl Iterator<Item = u32> {
        let parts = self.nodes.into_iter().zip(self.weights);
        parts.filter_map(|(node, weight)| (weight != 0.0).then_some(node))
    }

    /// What of `of` there is at the place: all of its nodes', by their weights.
    pub(super) fn motion<'a>(&self, of: impl Fn(u32) -> &'a Twist) -> Twist {
        let [a, b] = self.nodes.mapped(|node| bytemuck::cast::<Twist, Vec4>(*of(node)));
        bytemuck::cast(self.weights[0] * a + self.weights[1] * b)
    }

    /// As a body: the node, or what stands for both, which does not turn.
    pub(super) fn body(&self, nodes: &Nodes) -> Node {
        let [a, b] = self.nodes.mapped(|node| &nodes[node]);
        let [wa, wb] = self.weights;
        let mut body = *a;
        body.inv_mass = wa * wa * a.inv_mass + wb * wb * b.inv_mass;
        body
    }

    /// What each node has of how the motion of the place changes.
    pub(super) fn shares(&self, nodes: &Nodes) -> [f32; 2] {
        let whole = self.body(nodes).inv_mass;
        let share = |k: usize| self.weights[k] * nodes[self.nodes[k]].inv_mass / whole;
        if whole > 0.0 { [0, 1].mapped(share) } else { [0.0; 2] }
    }
}

/// A contact of soft bodies.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Press {
    /// That of the vertex, that of the edge.
    pub(crate) sides: [Side; 2],
    pub(crate) surface: Surface,
    pub(crate) point: Point,
    /// For solving it for positions.
    pub(crate) past: Past,
}

impl Press {
    /// A contact as it is, with nothing to start from.
    pub(crate) fn of(
        contact: &Contact,
        friction: f32,
        model: &Model,
        positions: &[Vec2],
        nodes: &Nodes,
    ) -> Self {
        let radii = contact.pieces.mapped(|piece| model.pieces[piece as usize].radius);
        let Contact { vertex, edge, t, normal, depth, .. } = *contact;
        let sides =
            [Side::between([vertex; 2], 0.0, model, nodes), Side::between(edge, t, model, nodes)];
        let places = contact.places(positions, radii);
        Self {
            sides,
            surface: Surface { normal, friction },
            point: Point { places, gap: -depth, ..Point::default() },
            past: Past::default(),
        }
    }

    /// All nodes that it acts on.
    pub(crate) fn nodes(&self) -> impl Iterator<Item = u32> {
        self.sides.into_iter().flat_map(Side::nodes)
    }

    /// Both sides as bodies.
    pub(crate) fn bodies(&self, nodes: &Nodes) -> [Node; 2] {
        self.sides.mapped(|side| side.body(nodes))
    }

    /// How fast the sides go apart along the normal, m/s.
    pub(crate) fn speed(&self, nodes: &Nodes) -> f32 {
        let [a, b] = [0, 1].mapped(|k: usize| {
            let Twist { linear, angular, .. } = self.sides[k].motion(|node| nodes.speed(node));
            let arm = self.point.places[k] - self.sides[k].body(nodes).center;
            linear + cross_sv(angular, arm)
        });
        self.surface.normal.dot(a - b)
    }
}

/// The motions of the first sides of four contacts, then of the second ones.
type Bench = [Twist; 8];
/// The sides of each, by their places there.
const BENCH: [[u32; 4]; 2] = [[0, 1, 2, 3], [4, 5, 6, 7]];

/// Four contacts side by side. Idle lanes, the last ones, have no mass.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PressQuad {
    /// Both nodes of the first sides, then of the second ones.
    nodes: [[u32; 4]; 4],
    /// The part that each has in the motion of its side.
    weights: [[f32; 4]; 4],
    /// What each has of how that changes.
    shares: [[f32; 4]; 4],
    /// As manifolds between sides.
    pub(super) contacts: ManifoldQuad,
    pub(super) pasts: Pasts,
}

impl strip::Quad<4> for PressQuad {
    fn bodies(&mut self) -> &mut [[u32; 4]; 4] {
        &mut self.nodes
    }
}

impl PressQuad {
    /// Puts a contact into a lane.
    fn put(&mut self, lane: usize, press: &Press, nodes: &Nodes) {
        let Press { sides, surface, point, past } = press;
        for (k, side) in sides.iter().enumerate() {
            let shares = side.shares(nodes);
            for end in [0, 1] {
                self.weights[2 * k + end][lane] = side.weights[end];
                self.shares[2 * k + end][lane] = shares[end];
            }
        }
        let [a, b] = press.bodies(nodes);
        self.contacts.bodies = BENCH;
        self.contacts.put(lane, *surface, &[*point], [&a, &b]);
        self.pasts.put(lane, past);
    }

    /// Does some work on the motions of the sides, and hands on to nodes, whose motions are `all`, how these change.
    #[inline(always)]
    fn on_bench(
        &mut self,
        all: &mut [Twist],
        work: impl Fn(&mut ManifoldQuad, &mut Pasts, &mut [Twist]),
    ) {
        let before = self.lay_out(all);
        let mut bench = before;
        work(&mut self.contacts, &mut self.pasts, &mut bench);
        for (place, (after, before)) in bench.into_iter().zip(before).enumerate() {
            let by = vector(&after) - vector(&before);
            let (k, lane) = (place / 4, place % 4);
            for end in [2 * k, 2 * k + 1] {
                let share = self.shares[end][lane];
                if share != 0.0 {
                    let motion = &mut all[self.nodes[end][lane] as usize];
                    *motion = bytemuck::cast(vector(motion) + share * by);
                }
            }
        }
    }

    /// The motions of the sides.
    #[inline(always)]
    fn lay_out(&self, all: &[Twist]) -> Bench {
        let mut bench = Bench::default();
        for (place, motion) in bench.iter_mut().enumerate() {
            let (k, lane) = (place / 4, place % 4);
            let part =
                |end: usize| self.weights[end][lane] * vector(&all[self.nodes[end][lane] as usize]);
            *motion = bytemuck::cast(part(2 * k) + part(2 * k + 1));
        }
        bench
    }
}

/// A motion as one vector.
#[inline(always)]
fn vector(motion: &Twist) -> Vec4 {
    bytemuck::cast(*motion)
}

/// All contacts of soft bodies that are solved four at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Presses {
    all: Vec<Press>,
    strip: Strip<PressQuad, 4>,
    bounces: Vec<Bounce>,
    /// For each node what the strip notes while it is filled.
    free: Vec<u32>,
}

impl Presses {
    /// Forgets all.
    pub(super) fn clear(&mut self) {
        self.all.clear();
        self.strip.clear();
        self.bounces.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// Adds one, the next in their order.
    pub(super) fn add(&mut self, press: Press) {
        self.strip.add(self.all.len() as u32);
        self.all.push(press);
    }

    /// Puts all that were added into lanes.
    pub(super) fn arrange(&mut self, nodes: &Nodes) {
        let Self { all, strip, bounces, free } = self;
        if all.is_empty() {
            return;
        }
        bounces.clear();
        strip::find_free(nodes, free);
        strip.find_ends(|index| {
            let [a, b] = all[index as usize].sides.mapped(|side| side.nodes);
            [a[0], a[1], b[0], b[1]]
        });
        strip.fill(Order::AsTheyCome, free);
        let (quads, spots) = strip.quads_and_spots();
        for (index, quad, lane) in spots {
            let press = &all[index as usize];
            quads[quad].put(lane, press, nodes);
            Bounce::note(bounces, quad, lane, &[press.point]);
        }
    }

    /// The quad and lane of one.
    pub(super) fn at(&self, number: u32) -> (&PressQuad, usize) {
        let (quad, lane) = self.strip.spot(number as usize);
        (&self.strip.quads[quad], lane)
    }

    /// Does some work with all, one quad after the other, and the motions of their sides; `all` are those of nodes.
    #[inline(always)]
    pub(super) fn each(
        &mut self,
        all: &mut [Twist],
        work: impl Fn(&mut ManifoldQuad, &mut Pasts, &mut [Twist]),
    ) {
        self.strip.quads.iter_mut().for_each(|quad| quad.on_bench(all, &work));
    }

    /// The same where motions stay as they are.
    pub(super) fn follow(
        &mut self,
        all: &[Twist],
        work: impl Fn(&mut ManifoldQuad, &mut Pasts, &[Twist]),
    ) {
        for quad in &mut self.strip.quads {
            let bench = quad.lay_out(all);
            work(&mut quad.contacts, &mut quad.pasts, &bench);
        }
    }

    /// Whether any come fast, and would bounce.
    pub(super) fn any_bounces(&self) -> bool {
        !self.bounces.is_empty()
    }

    /// Lets those go along with what they act on; `travels` are those of nodes.
    pub(super) fn carry_bounces(&mut self, travels: &[Twist]) {
        for bounce in &self.bounces {
            let quad = &mut self.strip.quads[bounce.quad()];
            let bench = quad.lay_out(travels);
            bounce.carry(&mut quad.contacts, &bench);
        }
    }

    /// Brings each of them that was pressed to its speed; `speeds` are those of nodes.
    pub(super) fn part(&mut self, speeds: &mut [Twist]) {
        for bounce in &self.bounces {
            let quad = &mut self.strip.quads[bounce.quad()];
            quad.on_bench(speeds, |contacts, _, bench| bounce.steer(contacts, bench));
        }
    }

    /// Lets what they remember know at which speed they are to part.
    pub(super) fn tell_bounces(&mut self) {
        for bounce in &self.bounces {
            bounce.tell(&mut self.strip.quads[bounce.quad()].pasts);
        }
    }

    /// Notes what the velocity stage gave.
    pub(super) fn remember(&mut self) {
        self.strip.quads.iter_mut().for_each(|quad| quad.pasts.remember(&quad.contacts));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::left;
    use crate::scene::soft::{Jelly, Stiffness};
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::solver::quads::{Back, Law, Quads};
    use crate::solver::rows::{Bound, Returns, Rows};
    use crate::threads::Threads;
    use crate::world::{Anchor, World};
    use proptest::prelude::*;

    const H: f32 = 1.0 / 240.0;
    const FRICTION: f32 = 0.5;

    /// A jelly, two boxes that move and one that does not.
    fn world() -> World {
        let jelly = Jelly { stiffness: Stiffness::Modulus(1e5), ..Jelly::rectangle(Vec2::ONE) };
        let solid = |k: u8| {
            let (size, x) = (Vec2::new(1.0 + 0.2 * f32::from(k), 1.0), 0.1 * f32::from(k));
            BodyDef::new(format!("box{k}"), Shape::Box { size }, Vec2::new(x, 0.0))
        };
        let jelly = Shape::Mesh(jelly.mesh().unwrap());
        let bodies =
            vec![BodyDef::new("jelly", jelly, Vec2::ZERO), solid(0), solid(1), solid(2).fixed()];
        World::build(&Scene { bodies, ..Scene::default() }).unwrap()
    }

    /// A contact between points of the jelly, or of it and a box, that is made up of numbers.
    fn contact(
        World { model, state }: &World,
        (of_boxes, points, t, angle, depth): (u8, [usize; 3], f32, f32, f32),
    ) -> Option<Contact> {
        // The jelly against itself, a corner of a box against it, or one of its points against a box.
        let boxes = match of_boxes / 3 {
            0 => [false, false],
            1 => [true, false],
            _ => [false, true],
        };
        let bodies = boxes.map(|is_box| if is_box { 1 + usize::from(of_boxes % 3) } else { 0 });
        let point = |side: usize, k: usize| {
            let range = model.bodies[bodies[side]].point_range();
            (range.start + points[k] % range.len()) as u32
        };
        let (vertex, edge) = (point(0, 0), [point(1, 1), point(1, 2)]);
        let is_one = edge[0] != edge[1] && !edge.contains(&vertex);
        let piece = |body| model.pieces.iter().position(|piece| piece.body as usize == body);
        let normal = Vec2::from_angle(angle);
        let pieces = bodies.map(|body| piece(body).unwrap() as u32);
        let contact = Contact { pieces, vertex, edge, t, normal, depth, base: edge };
        (is_one && !state.position.is_empty()).then_some(contact)
    }

    /// Both rows of a contact: along the surface and along the normal, or the other way round.
    fn add_rows(
        World { model, state }: &World,
        contact: &Contact,
        friction_first: bool,
        nodes: &Nodes,
        rows: &mut Rows,
    ) {
        let [first, second] = contact.edge;
        let anchors = [Anchor::at_point(contact.vertex), Anchor::between(first, second, contact.t)];
        let bodies = contact.pieces.map(|piece| model.pieces[piece as usize].body);
        let places = contact.places(&state.position, [0.0; 2]);
        let normal = rows.len() + usize::from(friction_first);
        let rubs = (left(contact.normal), 0.0, Bound::Friction { friction: FRICTION, normal });
        let pushes = (contact.normal, -contact.depth, Bound::Push { h: H, back: 0.0 });
        let both = if friction_first { [rubs, pushes] } else { [pushes, rubs] };
        for (direction, error, bound) in both {
            rows.begin();
            rows.side(nodes, model, bodies[0], &anchors[0], places[0], direction);
            rows.side(nodes, model, bodies[1], &anchors[1], places[1], -direction);
            rows.end(nodes, error, bound);
        }
    }

    proptest! {
        #[test]
        fn contacts_by_themselves_do_what_rows_do(
            motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0), 60),
            raw in prop::collection::vec(
                (0_u8..9, [0_usize..1000, 0..1000, 0..1000], 0.0_f32..1.0, -3.0_f32..3.0, -0.01_f32..0.01),
                1..40
            ),
            pushed in 0.0_f32..1.0,
        ) {
            let mut world = world();
            for (velocity, motion) in world.state.velocity.iter_mut().zip(motions) {
                *velocity = motion.into();
            }
            let (threads, mut quads) = (Threads::default(), Quads::default());
            let mut nodes = Nodes::default();
            nodes.attach(&world.model);
            nodes.gather(&world.model, &world.state, f32::INFINITY, 1.0 / 60.0, &threads);
            let contacts: Vec<Contact> =
                raw.into_iter().filter_map(|raw| contact(&world, raw)).collect();
            let (mut rows, mut moved) = (Rows::default(), Rows::default());
            for contact in &contacts {
                add_rows(&world, contact, true, &nodes, &mut rows);
                add_rows(&world, contact, false, &nodes, &mut moved);
                let World { model, state } = &world;
                let mut press = Press::of(contact, FRICTION, model, &state.position, &nodes);
                press.point.start.y = pushed;
                quads.add_press(press);
            }
            quads.arrange_presses(&nodes);

            // For velocities.
            let mut expected = nodes.clone();
            let mut found = nodes.clone();
            for row in 0..contacts.len() {
                rows.start(2 * row + 1, pushed, &mut expected);
            }
            rows.solve(3, H, H, &mut expected, |_, _, _| {});
            let returns = Returns { pace: 0.0, most: 4.0 };
            let law = Law { h: H, soft: None, push_out: 3.0, returns, closes: 0.0, time: None };
            quads.press(Some(1.0), 3, &law, &threads, &mut found);
            for node in 0..nodes.len() as u32 {
                let (found, wanted) = (found.speed(node), expected.speed(node));
                prop_assert!(found.linear.distance(wanted.linear) < 1e-3, "{found:?} {wanted:?}");
                prop_assert!((found.angular - wanted.angular).abs() < 5e-3, "{found:?} {wanted:?}");
            }
            for number in 0..contacts.len() {
                let [rubs, pushes] = [0, 1].map(|k| rows.impulse(2 * number + k));
                let found = quads.impulse_of_press(number as u32);
                let wanted = Vec2::new(rubs, pushes);
                prop_assert!(found.distance(wanted) < 1e-3 * (1.0 + pushes), "{found} {wanted}");
            }

            // For positions, from nothing.
            quads.clear_presses();
            for contact in &contacts {
                let World { model, state } = &world;
                quads.add_press(Press::of(contact, FRICTION, model, &state.position, &nodes));
            }
            quads.arrange_presses(&nodes);
            let (mut expected, mut found) = (nodes.clone(), nodes);
            expected.displace(H, &threads);
            found.displace(H, &threads);
            moved.begin_step(f32::INFINITY, &threads);
            moved.project(3, H, &mut expected, |_, _, _| {});
            let back = Back { closes: 0.01, turns: 0.01, parts: moved.push_out_speed() * H, h: H };
            quads.project(true, 3, back, &threads, &mut found);
            for node in 0..found.len() as u32 {
                let (found, wanted) = (found.travel(node), expected.travel(node));
                prop_assert!(found.linear.distance(wanted.linear) < 1e-5, "{found:?} {wanted:?}");
                prop_assert!((found.angular - wanted.angular).abs() < 5e-5, "{found:?} {wanted:?}");
            }
        }
    }
}
