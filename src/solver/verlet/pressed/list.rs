//! Some contacts in the velocity stage. Pairs of bodies that keep their shape are solved four side by side, each with up to
//! two contacts; what acts on points is solved one by one.

use glam::Vec4;

use crate::collision::Contact;
use crate::math::{Lane, Mapped, Vec2, cross, left};
use crate::solver::ContactImpulse;
use crate::solver::common::{self, BOUNCE_SPEED};
use crate::solver::nodes::Twist;
use crate::solver::quads::{FIXED, Order, PairMotions, Quad, Strip, inverse};
use crate::solver::verlet::blocks::{Blocks, Grip};
use crate::solver::verlet::contacts::{ContactList, Slot, mixed};
use crate::threads::Threads;
use crate::world::{Anchor, Model, State};

/// The part of an impulse of the velocity stage that the next one starts from. With none, crates
/// at rest keep a few mm/s of every half step of gravity; with all of it tall stacks sway. See [`kept`].
const KEPT: f32 = 0.9;

/// Some contacts of a velocity stage.
#[derive(Clone, Debug, Default)]
pub(in crate::solver::verlet) struct PressedList {
    /// The pairs that are solved side by side with others.
    pairs: Vec<Pair>,
    strip: Strip<Four>,
    /// For each body, what the strip notes while it is filled.
    free: Vec<u32>,
    /// The others, and their places.
    single: Vec<Pressed>,
    places_of_single: Vec<u32>,
    /// Whether any bounces.
    bounces: bool,
}

/// A pair of bodies that keep their shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    /// The place, among all contacts, of those of the pair.
    place: u32,
    /// How many of them are pressed.
    pressed: u32,
    bodies: [u32; 2],
}

/// What is known of a contact but where it acts.
#[derive(Clone, Copy, Debug, Default)]
struct Push {
    /// The speed at which the two are to part, m/s.
    bounce: f32,
    /// Friction coefficient.
    friction: f32,
    /// What the position stage gave along normal and tangent, N·s.
    given: Vec2,
    /// What this stage gives on top, N·s; begins with what it gave in the sub-step before.
    eased: Vec2,
}

/// A contact that is solved alone.
#[derive(Clone, Copy, Debug)]
struct Pressed {
    /// From the second side towards the first.
    normal: Vec2,
    sides: [Grip; 2],
    /// The change of the relative velocity by a unit impulse, along the normal and along the tangent, 1/kg.
    mobility: Vec2,
    push: Push,
}

/// Four pairs of bodies. Idle lanes, and points that are not there, have no mass.
#[derive(Clone, Copy, Debug, Default)]
struct Four {
    bodies: [[u32; 4]; 2],
    inv_mass: [Vec4; 2],
    points: [Point; 2],
}

/// A contact of each of four pairs.
#[derive(Clone, Copy, Debug, Default)]
struct Point {
    /// From the second body towards the first.
    normal: [Vec4; 2],
    /// The lever arms on both bodies of what acts along the normal, and along the tangent.
    along: [Vec4; 2],
    across: [Vec4; 2],
    /// What brings the speed along the normal, and along the tangent, to zero, kg.
    mass: [Vec4; 2],
    bounce: Vec4,
    friction: Vec4,
    /// See [`Push`].
    given: [Vec4; 2],
    eased: [Vec4; 2],
}

impl Quad for Four {
    fn bodies(&mut self) -> &mut [[u32; 4]; 2] {
        &mut self.bodies
    }
}

impl PressedList {
    /// Takes the contacts that were pressed in a sub-step of `h` seconds.
    pub(super) fn take(
        &mut self,
        contacts: &ContactList,
        model: &Model,
        positions: &[Vec2],
        blocks: &Blocks,
        h: f32,
        threads: &Threads,
    ) {
        self.clear();
        let (before, mut count, mut changed) = (self.pairs.len(), 0, false);
        for (place, touched) in contacts.touched() {
            let Some(first) = touched.pressed().next() else { continue };
            self.bounces |= touched.pressed().any(|slot| slot.bounce > 0.0);
            let bodies = bodies(model, &first.contact);
            if bodies.into_iter().all(|body| blocks.is_whole(body)) {
                let pair = Pair { place, pressed: touched.pressed().count() as u32, bodies };
                match self.pairs.get_mut(count) {
                    Some(known) => changed |= std::mem::replace(known, pair) != pair,
                    None => self.pairs.push(pair),
                }
                count += 1;
                continue;
            }
            for slot in touched.pressed() {
                let push = Push::of(slot, h);
                self.single.push(Pressed::new(model, &slot.contact, positions, blocks, push));
            }
            self.places_of_single.push(place);
        }
        self.pairs.truncate(count);
        if changed || count != before {
            self.arrange(blocks, model.bodies.len());
        }
        let Self { pairs, strip, .. } = self;
        strip.share(threads, |index, four, lane| {
            let Pair { place, bodies, .. } = pairs[index as usize];
            let slots = contacts.at(place).into_iter().flat_map(|all| all.pressed());
            for (point, slot) in slots.enumerate() {
                let push = Push::of(slot, h);
                let acts = (&slot.contact, push);
                four.put([lane, point], bodies, acts, (model, positions), blocks);
            }
        });
    }

    /// Finds the lanes of all pairs. They stay as long as the pairs do.
    fn arrange(&mut self, blocks: &Blocks, bodies: usize) {
        let Self { pairs, strip, free, .. } = self;
        strip.clear();
        (0..pairs.len()).for_each(|index| strip.add(index as u32));
        strip.find_ends(|index| pairs[index as usize].bodies);
        free.clear();
        let is_fixed = |body: u32| if blocks.inv_mass(body) > 0.0 { 0 } else { FIXED };
        free.extend((0..bodies as u32).map(is_fixed));
        strip.fill(Order::AsTheyCome, free);
    }

    /// Forgets all: the numbers may be those of others now.
    pub(super) fn forget(&mut self) {
        self.pairs.clear();
        self.strip.clear();
        self.clear();
    }

    /// Takes what bodies that are too fast for a look at where they will be are going to hit within `h` seconds: they
    /// may come as near as they are far.
    pub(in crate::solver::verlet) fn foresee(
        &mut self,
        model: &Model,
        state: &State,
        contacts: &[Contact],
        blocks: &Blocks,
        h: f32,
    ) {
        self.clear();
        self.single.extend(contacts.iter().map(|contact| {
            let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
            let (friction, restitution) = mixed(model, pieces);
            let speed = common::approach_speed(model, [&state.position, &state.velocity], contact);
            let bounces = restitution > 0.0 && speed > BOUNCE_SPEED;
            let comes = contact.depth.min(0.0) / h;
            let bounce = if bounces { restitution * speed } else { comes };
            let push = Push { bounce, friction, ..Push::default() };
            Pressed::new(model, contact, &state.position, blocks, push)
        }));
    }

    fn clear(&mut self) {
        self.single.clear();
        self.places_of_single.clear();
        self.bounces = false;
    }

    /// Whether any bounces.
    pub(super) fn any_bounce(&self) -> bool {
        self.bounces
    }

    /// Whether there are any that act on points.
    #[cfg(test)]
    pub(super) fn any_others(&self) -> bool {
        !self.single.is_empty()
    }

    /// Starts what is solved side by side from what this stage gave in the sub-step before.
    pub(super) fn start_lanes(&mut self, twists: &mut [Twist]) {
        self.strip.quads.iter_mut().for_each(|four| four.start(twists));
    }

    /// The same of the others.
    pub(super) fn start_others(&self, model: &Model, state: &mut State, blocks: &mut Blocks) {
        for contact in &self.single {
            let Pressed { normal, push: Push { eased, .. }, .. } = *contact;
            let impulse = eased.x * normal + eased.y * left(normal);
            contact.apply(model, state, blocks, impulse);
        }
    }

    /// One round over what is solved side by side.
    pub(super) fn relax_lanes(&mut self, twists: &mut [Twist]) {
        self.strip.quads.iter_mut().for_each(|four| four.relax(twists));
    }

    /// One round over the others.
    pub(in crate::solver::verlet) fn relax_others(
        &mut self,
        model: &Model,
        state: &mut State,
        blocks: &mut Blocks,
    ) {
        self.single.iter_mut().for_each(|contact| contact.relax(model, state, blocks));
    }

    /// Tells what was given to bodies that were about to hit something, by the `contacts` that were foreseen.
    pub(in crate::solver::verlet) fn tell_foreseen(
        &self,
        contacts: &[Contact],
        (model, positions): (&Model, &[Vec2]),
        impulses: &mut Vec<ContactImpulse>,
    ) {
        let given = self.single.iter().map(|contact| contact.push.eased.x).zip(contacts);
        let given = given.filter(|(given, _)| *given > 0.0);
        impulses.extend(
            given.map(|(given, contact)| ContactImpulse::of(contact, model, positions, given)),
        );
    }

    /// Tells what both stages of a sub-step have given.
    pub(super) fn tell(
        &mut self,
        contacts: &ContactList,
        (model, positions): (&Model, &[Vec2]),
        impulses: &mut Vec<ContactImpulse>,
    ) {
        let Self { strip, pairs, single, places_of_single, .. } = self;
        let of_place = |place| contacts.at(place).into_iter().flat_map(|touched| touched.pressed());
        let mut tell = |slot: &Slot, given: f32| {
            if given > 0.0 {
                impulses.push(ContactImpulse::of(&slot.contact, model, positions, given));
            }
        };
        strip.each(|index, four, lane| {
            for (point, slot) in four.points.iter().zip(of_place(pairs[index as usize].place)) {
                tell(slot, (point.given[0] + point.eased[0]).lane(lane));
            }
        });
        let slots = places_of_single.iter().flat_map(|&place| of_place(place));
        for (Pressed { push, .. }, slot) in single.iter().zip(slots) {
            tell(slot, push.given.x + push.eased.x);
        }
    }

    /// Keeps what this stage did for the next sub-step.
    pub(super) fn remember(&mut self, contacts: &mut ContactList) {
        let Self { strip, pairs, single, places_of_single, .. } = self;
        strip.each(|index, four, lane| {
            let touched = contacts.at_mut(pairs[index as usize].place);
            let slots = touched.into_iter().flat_map(|touched| touched.pressed_mut());
            for (point, slot) in four.points.iter().zip(slots) {
                slot.eased = kept(point.eased.lane(lane).into());
            }
        });
        let mut single = single.iter();
        for &place in &*places_of_single {
            let touched = contacts.at_mut(place);
            for slot in touched.into_iter().flat_map(|touched| touched.pressed_mut()) {
                slot.eased = single.next().map_or(Vec2::ZERO, |contact| kept(contact.push.eased));
            }
        }
    }
}

impl Push {
    fn of(slot: &Slot, h: f32) -> Self {
        let given = Vec2::new(slot.normal, slot.tangent) / h;
        Self { bounce: slot.bounce, friction: slot.friction, given, eased: slot.eased }
    }
}

impl Point {
    fn put(&mut self, lane: usize, normal: Vec2, arms: [Vec2; 2], push: &Push) {
        self.normal.set_lane(lane, normal.into());
        self.along.set_lane(lane, arms.mapped(|arm| cross(arm, normal)));
        self.across.set_lane(lane, arms.mapped(|arm| arm.dot(normal)));
        self.given.set_lane(lane, push.given.into());
        self.eased.set_lane(lane, push.eased.into());
        self.bounce.set_lane(lane, push.bounce);
        self.friction.set_lane(lane, push.friction);
        // Until it is weighed: there is one.
        self.mass[0].set_lane(lane, 1.0);
    }

    /// The speed at which the first body parts from the second, along the normal and along the tangent.
    #[inline(always)]
    fn parting(&self, motions: &PairMotions) -> [Vec4; 2] {
        let [[ax, ay], [bx, by]] = motions.linear;
        let ([nx, ny], [x, y]) = (self.normal, [ax - bx, ay - by]);
        let turned = |arms: [Vec4; 2]| arms[0] * motions.spins[0] - arms[1] * motions.spins[1];
        [nx * x + ny * y + turned(self.along), nx * y - ny * x + turned(self.across)]
    }

    /// Gives both bodies impulses along the normal and along the tangent.
    #[inline(always)]
    fn apply(&self, inv_mass: [Vec4; 2], motions: &mut PairMotions, [n, t]: [Vec4; 2]) {
        let [nx, ny] = self.normal;
        let by = [nx * n - ny * t, ny * n + nx * t];
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            for (linear, by) in motions.linear[side].iter_mut().zip(by) {
                *linear += sign * inv_mass[side] * by;
            }
            let turns = self.along[side] * n + self.across[side] * t;
            motions.spins[side] += sign * motions.inv_inertia[side] * turns;
        }
    }
}

impl Four {
    /// Puts a contact of a pair of bodies into a lane, as one of its two points.
    fn put(
        &mut self,
        [lane, point]: [usize; 2],
        pair: [u32; 2],
        (contact, push): (&Contact, Push),
        (model, positions): (&Model, &[Vec2]),
        blocks: &Blocks,
    ) {
        self.inv_mass.set_lane(lane, pair.mapped(|body| blocks.inv_mass(body)));
        let at = contact.position(positions, model.pieces[contact.pieces[0] as usize].radius);
        let arms = pair.mapped(|body| at - blocks.center(body));
        // Of which of the two the vertex is may differ from contact to contact.
        let swapped = bodies(model, contact) != pair;
        let normal = if swapped { -contact.normal } else { contact.normal };
        self.points[point].put(lane, normal, arms, &push);
    }

    /// Starts from what was given in the sub-step before, and finds the masses.
    #[inline(always)]
    fn start(&mut self, twists: &mut [Twist]) {
        let Self { bodies, inv_mass, points } = self;
        let mut motions = PairMotions::read(bodies, twists);
        let [ia, ib] = motions.inv_inertia;
        for point in points {
            let mass =
                |[a, b]: [Vec4; 2]| inverse(inv_mass[0] + inv_mass[1] + ia * a * a + ib * b * b);
            let is_there = point.mass[0].cmpgt(Vec4::ZERO);
            point.mass = [mass(point.along), mass(point.across)]
                .mapped(|mass| Vec4::select(is_there, mass, Vec4::ZERO));
            point.apply(*inv_mass, &mut motions, point.eased);
        }
        motions.write(bodies, twists);
    }

    /// One round: the speed along the normal comes to what it should be, the one along the surface to 0, as far as
    /// friction goes.
    #[inline(always)]
    fn relax(&mut self, twists: &mut [Twist]) {
        let Self { bodies, inv_mass, points } = self;
        let mut motions = PairMotions::read(bodies, twists);
        for point in points {
            let [parts, _] = point.parting(&motions);
            let [given, rubbed] = point.given;
            let eased = (point.eased[0] + (point.bounce - parts) * point.mass[0]).max(-given);
            point.apply(*inv_mass, &mut motions, [eased - point.eased[0], Vec4::ZERO]);
            point.eased[0] = eased;
            let [_, slides] = point.parting(&motions);
            let most = (point.friction * (given + eased)).max(Vec4::ZERO);
            let eased = point.eased[1] - slides * point.mass[1];
            let eased = eased.max(-most - rubbed).min(most - rubbed);
            point.apply(*inv_mass, &mut motions, [Vec4::ZERO, eased - point.eased[1]]);
            point.eased[1] = eased;
        }
        motions.write(bodies, twists);
    }
}

impl Pressed {
    fn new(
        model: &Model,
        contact: &Contact,
        positions: &[Vec2],
        blocks: &Blocks,
        push: Push,
    ) -> Self {
        let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
        let [first, second] = contact.edge;
        let at = contact.position(positions, pieces[0].radius);
        let anchors = [Anchor::at_point(contact.vertex), Anchor::between(first, second, contact.t)];
        let sides = [0, 1].mapped(|k| blocks.grip((pieces[k].body, anchors[k]), at));
        let mobility = |direction: Vec2| {
            sides.iter().map(|side| blocks.mobility(model, side, direction)).sum()
        };
        let normal = contact.normal;
        let mobility = Vec2::new(mobility(normal), mobility(left(normal)));
        Self { normal, sides, mobility, push }
    }

    fn relax(&mut self, model: &Model, state: &mut State, blocks: &mut Blocks) {
        let Self {
            normal, mobility, push: Push { bounce, friction, given, eased: before }, ..
        } = *self;
        if mobility.x > 0.0 {
            let impulse = (bounce - self.parting(state, blocks).dot(normal)) / mobility.x;
            self.push.eased.x = (before.x + impulse).max(-given.x);
            self.apply(model, state, blocks, (self.push.eased.x - before.x) * normal);
        }
        let tangent = left(normal);
        if mobility.y > 0.0 {
            let impulse = -self.parting(state, blocks).dot(tangent) / mobility.y;
            let most = (friction * (given.x + self.push.eased.x)).max(0.0);
            self.push.eased.y = (before.y + impulse).clamp(-most - given.y, most - given.y);
            self.apply(model, state, blocks, (self.push.eased.y - before.y) * tangent);
        }
    }

    /// The velocity of the first side relative to the second.
    fn parting(&self, state: &State, blocks: &Blocks) -> Vec2 {
        let [first, second] = &self.sides;
        blocks.velocity(state, first) - blocks.velocity(state, second)
    }

    fn apply(&self, model: &Model, state: &mut State, blocks: &mut Blocks, impulse: Vec2) {
        let [first, second] = &self.sides;
        blocks.push(model, state, first, impulse);
        blocks.push(model, state, second, -impulse);
    }
}

/// What the next stage starts with, of what this one gave along the normal and along the tangent. Where it took back what
/// the position stage had given that is nothing: to take it back anew, before it is known whether that is too much, gives
/// a body that is wedged in the speed it was stopped at, for good. A foot between two shins spins at 1000° a second, and
/// its position stands still.
fn kept(eased: Vec2) -> Vec2 {
    if eased.x < 0.0 { Vec2::ZERO } else { KEPT * eased }
}

/// The bodies of the vertex and of the edge of a contact.
fn bodies(model: &Model, contact: &Contact) -> [u32; 2] {
    contact.pieces.mapped(|piece| model.pieces[piece as usize].body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collision::Collision;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::settings::Settings;
    use crate::solver::verlet::Verlet;
    use crate::solver::{Inputs, Solver, StepCx};
    use crate::world::World;
    use proptest::prelude::*;

    const BODIES: u32 = 10;

    /// Crates that are thrown at each other: pairs come and go, and of some one contact of two is pressed.
    #[test]
    fn lanes_that_stay_hold_what_lanes_that_are_found_anew_do() {
        let mut bodies = vec![
            BodyDef::new("ground", Shape::Box { size: Vec2::new(20.0, 1.0) }, Vec2::new(0.0, -0.5))
                .fixed(),
        ];
        bodies.extend((0..12).map(|k| {
            let at = Vec2::new(1.1 * (k % 4) as f32, 0.6 + 1.05 * (k / 4) as f32);
            let way = if k % 2 == 0 { 1.0 } else { -1.0 };
            BodyDef {
                velocity: Vec2::new(4.0 * way, 0.0),
                spin: 3.0 * way,
                ..BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::ONE }, at)
            }
        }));
        let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let (settings, inputs, threads) =
            (Settings::default(), Inputs::default(), Threads::default());
        let (mut solver, mut collision) = (Verlet::default(), Collision::default());
        solver.attach(&world.model, &world.state);
        let (mut kept, mut stayed, mut changed) = (PressedList::default(), 0, 0);
        let mut starts = 0;
        for _ in 0..120 {
            solver.step(StepCx {
                model: &world.model,
                state: &mut world.state,
                collision: &mut collision,
                inputs: &inputs,
                settings: &settings,
                threads: &threads,
                reactions: &mut Vec::new(),
                impulses: None,
                dt: settings.dt(),
                recovery: f32::INFINITY,
            });
            for slot in
                solver.contacts.lists()[0].touched().flat_map(|(_, touched)| touched.pressed())
            {
                assert!(slot.eased.x > 0.0 || slot.eased == Vec2::ZERO, "{}", slot.eased);
                starts += usize::from(slot.eased.x > 0.0);
            }
            let before = kept.pairs.clone();
            let mut anew = PressedList::default();
            let [lanes, wanted] = [&mut kept, &mut anew].map(|pressed| {
                let (mut blocks, state, h) = (solver.blocks.clone(), &world.state, 1.0 / 480.0);
                let contacts = &solver.contacts.lists()[0];
                pressed.take(contacts, &world.model, &state.position, &blocks, h, &threads);
                pressed.start_lanes(blocks.twists());
                format!("{:?}", pressed.strip.quads)
            });
            assert_eq!(lanes, wanted);
            *(if kept.pairs == before { &mut stayed } else { &mut changed }) += 1;
        }
        assert!(stayed > 10 && changed > 20 && starts > 100, "{stayed} {changed} {starts}");
    }

    proptest! {
        #[test]
        fn four_pairs_at_a_time_are_the_same_as_contact_by_contact(
            motions in prop::collection::vec((-2.0_f32..2.0, -2.0_f32..2.0, -3.0_f32..3.0), BODIES as usize),
            raw in prop::collection::vec(
                (0..BODIES, 1..BODIES, 0.0_f32..6.3, any::<bool>(), 0.0_f32..1.0, -3.0_f32..3.0), 1..30
            ),
        ) {
            let solid = |k: u32| {
                let size = Vec2::new(1.0, 0.4 + 0.1 * k as f32);
                BodyDef::new(format!("b{k}"), Shape::Box { size }, Vec2::new(0.9 * k as f32, 0.0))
            };
            let bodies = (0..BODIES).map(solid).collect();
            let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
            let model = world.model.clone();
            let mut blocks = Blocks::default();
            blocks.attach(&model);
            blocks.gather(&model, &world.state, &Threads::default());
            for (twist, (x, y, spin)) in blocks.twists().iter_mut().zip(motions) {
                (twist.linear, twist.angular) = (Vec2::new(x, y), spin);
            }
            let mut all = PressedList::default();
            let mut contacts = Vec::new();
            for (index, (a, by, angle, bounces, given, eased)) in raw.into_iter().enumerate() {
                let pair = [a, (a + by) % BODIES];
                let at = |body: u32| model.bodies[body as usize].points.start;
                let piece = |body: u32| model.bodies[body as usize].pieces.start;
                let push = Push {
                    bounce: if bounces { 0.7 } else { 0.0 },
                    friction: 0.5,
                    given: Vec2::new(given, 0.2 * eased),
                    eased: Vec2::new(0.1 * eased, -0.1 * eased),
                };
                // The second one has its vertex on the other body.
                for (vertex, edge) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                    let normal = Vec2::from_angle(angle);
                    let contact = Contact {
                        pieces: [piece(vertex), piece(edge)],
                        vertex: at(vertex) + 1,
                        edge: [at(edge), at(edge) + 1],
                        t: 0.3,
                        normal: if vertex == pair[0] { normal } else { -normal },
                        depth: 0.01,
                        base: [at(edge), at(edge) + 1],
                    };
                    contacts.push((index as u32, contact, push));
                }
                all.pairs.push(Pair { place: index as u32, pressed: 2, bodies: pair });
            }
            let positions = world.state.position.clone();
            all.arrange(&blocks, BODIES as usize);
            all.strip.each(|index, four, lane| {
                let own = contacts.iter().filter(|(of, ..)| *of == index);
                for (point, (_, contact, push)) in own.enumerate() {
                    let Pair { bodies, .. } = all.pairs[index as usize];
                    let acts = (contact, *push);
                    four.put([lane, point], bodies, acts, (&model, &positions), &blocks);
                }
            });
            let mut plain = PressedList::default();
            plain.single.extend(contacts.iter().map(|(_, contact, push)| {
                Pressed::new(&model, contact, &positions, &blocks, *push)
            }));
            let mut expected = blocks.clone();
            all.start_lanes(blocks.twists());
            plain.start_others(&model, &mut world.state, &mut expected);
            for _ in 0..3 {
                all.relax_lanes(blocks.twists());
                plain.relax_others(&model, &mut world.state, &mut expected);
            }
            for (found, wanted) in blocks.twists().iter().zip(expected.twists()) {
                let apart = found.linear.distance(wanted.linear)
                    + (found.angular - wanted.angular).abs();
                prop_assert!(apart < 1e-3 * (1.0 + wanted.linear.length()), "{found:?} {wanted:?}");
            }
        }
    }
}
