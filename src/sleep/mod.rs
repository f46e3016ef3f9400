//! Sleep: what has come to rest is left alone until something comes near, pulls it or changes it.
//!
//! A backend never sees what sleeps: it is lent an [`Excerpt`] of the world that holds what is awake
//! and what cannot be pushed, so that ten thousand sleeping crates cost as much as none. Islands
//! (`islands.rs`) sleep and wake as wholes: bodies that touch or that joints hold together, once all of
//! them have been still for a while (`stillness.rs`). What sleeps has no velocity. It wakes when
//!
//! * a body that is awake will touch it within the step (`resting.rs` finds them),
//! * it is dragged, or a motor on it is told something new,
//! * an edit changes it, or what is near it (`changes.rs`),
//! * gravity changes.
//!
//! Who sleeps is no part of the [`State`](crate::State): to forget it costs time, never truth.
//! Snapshots keep it all the same, so that what slept goes on sleeping after a rewind.

mod changes;
mod islands;
mod resting;
mod stillness;

use std::sync::Arc;

use crate::collision::{Collision, Contact};
use crate::math::{Aabb, Mapped, Vec2};
use crate::scene::BodyKind;
use crate::solver::Inputs;
use crate::world::{BodyId, Excerpt, Model, Numbering, World};

use changes::Changes;
use resting::Resting;
use stillness::Stillness;

/// How near something may come before it wakes what sleeps, m.
const TOUCH: f32 = 0.005;
/// Steps from one look for islands that may sleep to the next.
const LOOKS: u64 = 8;

/// Stands for the island of a body that is awake.
const AWAKE: u32 = u32::MAX;

/// Bodies that sleep together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Island {
    bodies: Vec<BodyId>,
    /// Where they touch each other and what cannot be pushed.
    contacts: Vec<Contact>,
}

/// All islands that sleep, in the order in which they fell asleep; shared with snapshots.
pub(crate) type Islands = Arc<Vec<Island>>;

/// Who sleeps.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sleep {
    islands: Islands,
    /// The island in which each body of the world sleeps, or [`AWAKE`].
    island_of: Vec<u32>,
    stillness: Stillness,
    resting: Resting,
    /// What is awake; `None` where all is.
    excerpt: Option<Excerpt>,
    /// The numbers of the world that these are the numbers of.
    numbering: Numbering,
    /// For what is near each other, and for swept tests in the whole world.
    seeker: Collision,
    search: islands::Search,
    nearby: Vec<u32>,
    /// The islands that wake in a step, [`AWAKE`] among them.
    disturbed: Vec<u32>,
}

impl Sleep {
    /// Wakes all bodies of a world.
    pub(crate) fn wake_all(&mut self, world: &World) {
        self.put_to_bed(world, Islands::default());
    }

    /// The islands that sleep.
    pub(crate) fn islands(&self) -> &Islands {
        &self.islands
    }

    /// Lets these islands of a world sleep, and no others.
    pub(crate) fn put_to_bed(&mut self, world: &World, islands: Islands) {
        *self = Self::default();
        self.stillness.fit(&world.model, |_| None);
        self.islands = islands;
        self.refit(world);
    }

    /// What is awake, where not all is.
    pub(crate) fn excerpt(&self) -> Option<&Excerpt> {
        self.excerpt.as_ref()
    }

    /// What is awake, where not all is, to be moved.
    pub(crate) fn excerpt_mut(&mut self) -> Option<&mut Excerpt> {
        self.excerpt.as_mut()
    }

    /// Whether a body sleeps, by its number.
    pub(crate) fn is_asleep(&self, body: usize) -> bool {
        self.island_of.get(body).is_some_and(|&island| island != AWAKE)
    }

    /// How many bodies sleep.
    pub(crate) fn count(&self) -> usize {
        self.islands.iter().map(|island| island.bodies.len()).sum()
    }

    /// Whether anything is left that a step could move.
    pub(crate) fn anything_moves(&self) -> bool {
        let Some(Excerpt { world: World { model, state }, .. }) = &self.excerpt else {
            return true;
        };
        model.bodies.iter().enumerate().any(|(index, body)| {
            body.is_dynamic()
                || (body.kind == BodyKind::Kinematic && islands::moves(model, state, index))
        })
    }

    /// Where the islands that sleep touch, for those who ask for contacts.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = &Contact> {
        self.islands.iter().flat_map(|island| &island.contacts)
    }

    /// Wakes the island of a body. Returns whether it slept.
    pub(crate) fn wake(&mut self, world: &World, body: BodyId) -> bool {
        let index = world.model.index_of(body);
        let island = index.map_or(AWAKE, |index| self.island_of[index]);
        self.wake_islands(world, &[island])
    }

    /// Wakes what sleeps and is dragged, holds a joint that was told something new, or will be touched
    /// within `dt` seconds by what is awake. Returns whether anything did.
    pub(crate) fn wake_disturbed(
        &mut self,
        world: &World,
        inputs: &Inputs,
        told: &[u32],
        dt: f32,
    ) -> bool {
        let model = &world.model;
        let dragged = inputs.drags.iter().map(|drag| drag.hold.body());
        let pulled =
            told.iter().flat_map(|&joint| changes::ends(model, &model.joints[joint as usize]));
        let mut disturbed = std::mem::take(&mut self.disturbed);
        disturbed.clear();
        for body in dragged.chain(pulled).filter_map(|body| model.index_of(body)) {
            self.stillness.stir(body);
            disturbed.push(self.island_of[body]);
        }
        self.find_met(world, dt, &mut disturbed);
        let any = self.wake_islands(world, &disturbed);
        self.disturbed = disturbed;
        any
    }

    /// Finds the islands that something awake will touch.
    fn find_met(&mut self, world: &World, dt: f32, met: &mut Vec<u32>) {
        let Some(excerpt) = &self.excerpt else { return };
        let World { model, state } = world;
        let travel = |point: u32| dt * state.velocity[point as usize];
        for (place, body) in excerpt.world.model.bodies.iter().enumerate() {
            let number = excerpt.number(place);
            let may_touch = match body.kind {
                BodyKind::Dynamic => true,
                BodyKind::Kinematic => islands::moves(model, state, number),
                BodyKind::Static => false,
            };
            if !may_touch {
                continue;
            }
            let body = &model.bodies[number];
            for piece in body.pieces.clone() {
                let bounds = swept(world, piece, travel).grown(TOUCH);
                self.nearby.clear();
                self.resting.near(bounds, |other| self.nearby.push(other));
                for &other in &self.nearby {
                    let sleeper = &model.pieces[other as usize];
                    let island = self.island_of[sleeper.body as usize];
                    let pair = (piece.min(other), piece.max(other));
                    let is_near = !met.contains(&island)
                        && world.piece_bounds(sleeper).overlaps(bounds)
                        && model.pieces_may_collide(pair.0, pair.1);
                    if !is_near {
                        continue;
                    }
                    let touch = self.seeker.meet(model, &state.position, travel, pair, TOUCH);
                    if !touch.is_empty() {
                        met.push(island);
                    }
                }
            }
        }
    }

    /// Notes how still bodies are after a step of `dt` seconds. Returns whether islands may have been still for long
    /// enough; that is looked at once every few steps.
    pub(crate) fn may_fall_asleep(&mut self, world: &World, dt: f32) -> bool {
        self.observe(world, dt);
        let excerpt = self.excerpt.as_ref();
        let number = |body: usize| excerpt.map_or(body, |excerpt| excerpt.number(body));
        let ready = |body: usize| self.stillness.is_long_still(number(body));
        let bodies = &excerpt.map_or(world, |excerpt| &excerpt.world).model.bodies;
        world.state.steps.is_multiple_of(LOOKS)
            && (0..bodies.len()).any(|body| bodies[body].is_dynamic() && ready(body))
    }

    /// Lets the islands that have been still for long enough sleep: their velocities become zero. `contacts` are those
    /// of the last step, with the numbers of the whole world. Returns whether any did.
    pub(crate) fn fall_asleep(&mut self, world: &mut World, contacts: &[Contact]) -> bool {
        let excerpt = self.excerpt.as_ref();
        let number = |body: usize| excerpt.map_or(body, |excerpt| excerpt.number(body));
        let World { model, state } = excerpt.map_or(&*world, |excerpt| &excerpt.world);
        let ready = |body: usize| self.stillness.is_long_still(number(body));
        let place = |body: u32| excerpt.map_or(Some(body), |excerpt| excerpt.body(body));
        let touching = contacts.iter().filter_map(|contact| {
            let [a, b] = bodies_of(&world.model, contact).mapped(place);
            Some((a?, b?))
        });
        self.seeker.update_pairs(model, state, 0.0, islands::NEAR);
        let found = self.search.ready(model, state, self.seeker.pairs(), touching, ready);
        if found.is_empty() {
            return false;
        }
        let islands = Arc::make_mut(&mut self.islands);
        let first = islands.len();
        for bodies in found {
            let numbers = bodies.iter().map(|&body| number(body as usize));
            for number in numbers.clone() {
                self.island_of[number] = islands.len() as u32;
            }
            let bodies = numbers.map(|number| world.model.bodies[number].handle()).collect();
            islands.push(Island { bodies, contacts: Vec::new() });
        }
        for contact in contacts {
            let islands_of =
                bodies_of(&world.model, contact).mapped(|body| self.island_of[body as usize]);
            let known = islands_of.into_iter().find(|&island| island != AWAKE);
            if let Some(island) = known.filter(|&island| island as usize >= first) {
                islands[island as usize].contacts.push(*contact);
            }
        }
        for body in islands[first..].iter().flat_map(|island| &island.bodies) {
            let Some(index) = world.model.index_of(*body) else { continue };
            world.state.velocity[world.model.bodies[index].point_range()].fill(Vec2::ZERO);
        }
        self.refit(world);
        true
    }

    /// Notes how still what is awake is.
    fn observe(&mut self, world: &World, dt: f32) {
        let excerpt = self.excerpt.as_ref();
        let World { model, state } = excerpt.map_or(world, |excerpt| &excerpt.world);
        for (place, body) in model.bodies.iter().enumerate().filter(|(_, body)| body.is_dynamic()) {
            let number = excerpt.map_or(place, |excerpt| excerpt.number(place));
            self.stillness.observe(number, model, body, state, dt);
        }
    }

    /// Follows an edit or a tear: gives what sleeps the numbers that it has now. Islands of which a body
    /// is gone wake.
    pub(crate) fn follow(&mut self, now: &World) {
        let model = &now.model;
        let numbering = Numbering::of(model);
        let renumbering = self.numbering.to(&numbering);
        let back = numbering.to(&self.numbering);
        self.stillness.fit(model, |body| back.body(body as u32));
        if !self.islands.is_empty() {
            let islands = Arc::make_mut(&mut self.islands);
            islands
                .retain(|island| island.bodies.iter().all(|&body| model.index_of(body).is_some()));
            for Island { contacts, .. } in islands {
                let kept = contacts.iter().filter_map(|contact| contact.renumbered(&renumbering));
                *contacts = kept.collect();
            }
        }
        self.refit(now);
    }

    /// Wakes what an edit has changed and what lies where it did, after [`Sleep::follow`].
    pub(crate) fn wake_changed(&mut self, before: &World, after: &World) {
        let Changes { bodies, places } = Changes::between(before, after);
        let indices = bodies.iter().filter_map(|&body| after.model.index_of(body));
        let mut stirred: Vec<u32> = indices.map(|index| self.island_of[index]).collect();
        for bounds in places.into_iter().map(|bounds| bounds.grown(TOUCH)) {
            self.resting.near(bounds, |piece| {
                let piece = &after.model.pieces[piece as usize];
                if after.piece_bounds(piece).overlaps(bounds) {
                    stirred.push(self.island_of[piece.body as usize]);
                }
            });
        }
        self.wake_islands(after, &stirred);
    }

    /// Wakes islands by their numbers, [`AWAKE`] among them. Returns whether there were any.
    fn wake_islands(&mut self, world: &World, woken: &[u32]) -> bool {
        if woken.iter().all(|&island| island == AWAKE) {
            return false;
        }
        let islands = Arc::make_mut(&mut self.islands);
        let mut number = 0;
        islands.retain(|island| {
            let wakes = woken.contains(&number);
            number += 1;
            for body in island.bodies.iter().filter(|_| wakes) {
                if let Some(index) = world.model.index_of(*body) {
                    self.stillness.stir(index);
                }
            }
            !wakes
        });
        self.refit(world);
        true
    }

    /// Makes everything anew that follows from who sleeps.
    fn refit(&mut self, world: &World) {
        let model = &world.model;
        self.numbering = Numbering::of(model);
        self.island_of.clear();
        self.island_of.resize(model.bodies.len(), AWAKE);
        for (number, island) in self.islands.iter().enumerate() {
            for index in island.bodies.iter().filter_map(|&body| model.index_of(body)) {
                self.island_of[index] = number as u32;
            }
        }
        self.resting = Resting::new(2.0 * mean_size(world));
        self.excerpt = None;
        if self.islands.is_empty() {
            return;
        }
        for (number, piece) in model.pieces.iter().enumerate() {
            if self.is_asleep(piece.body as usize) {
                self.resting.insert(number as u32, world.piece_bounds(piece));
            }
        }
        self.excerpt = Some(Excerpt::of(world, |body| self.island_of[body] == AWAKE));
    }
}

/// The bodies of the vertex and of the edge of a contact.
fn bodies_of(model: &Model, contact: &Contact) -> [u32; 2] {
    contact.pieces.mapped(|piece| model.pieces[piece as usize].body)
}

/// A box around a piece and where it goes.
fn swept(world: &World, piece: u32, travel: impl Fn(u32) -> Vec2) -> Aabb {
    let piece = &world.model.pieces[piece as usize];
    let points = world.model.outline(piece).iter();
    let bounds = points.fold(Aabb::EMPTY, |all, &point| {
        let position = world.state.position[point as usize];
        all.with(position).with(position + travel(point))
    });
    bounds.grown(piece.radius)
}

/// How large the pieces of a world are that can be pushed, m.
fn mean_size(world: &World) -> f32 {
    let model = &world.model;
    let (mut count, mut sum) = (0.0, 0.0);
    for piece in model.pieces.iter().filter(|p| model.bodies[p.body as usize].is_dynamic()) {
        count += 1.0;
        sum += world.piece_bounds(piece).size().max_element();
    }
    if count > 0.0 { sum / count } else { 1.0 }
}
