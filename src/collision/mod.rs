//! Collision detection: which pieces are near each other, and where they touch.
//!
//! A backend decides when to call this service: [`Collision::update_pairs`] once a step (broad
//! phase), [`Collision::touch`] for one pair or [`Collision::detect`] for all, as often as it likes
//! (narrow phase), [`Collision::meet`] and [`Collision::foresee_fast`] where bodies may be fast (swept
//! test). All look only at positions and velocities, never at a solver.
//!
//! | file | job |
//! |---|---|
//! | `contact.rs` | what a contact is |
//! | `meetings.rs` | which pieces can meet anything at all |
//! | `broad_phase.rs` | pairs of pieces whose boxes overlap, from a sweep along strips |
//! | `narrow_phase.rs` | edge-SAT, reference edge, clipping: up to two contacts of a pair |
//! | `sweep.rs` | where a pair will first touch, if it is too fast for a look at where it is |
//! | `travel.rs` | how far the pieces of a pair come towards each other |

mod broad_phase;
pub(crate) mod contact;
mod meetings;
mod narrow_phase;
mod sweep;
mod travel;

pub use broad_phase::BroadPhase;
pub use contact::{Contact, Touch};
use narrow_phase::{Look, Room};
pub(crate) use narrow_phase::{Outlines, Scenery};

use glam::{Vec4, Vec4Swizzles};

use crate::math::{Aabb, Mapped, Vec2};
use crate::threads::Threads;
use crate::world::{Model, State};
use broad_phase::Boxes;
use meetings::Meetings;
use sweep::Sweep;
use travel::Travels;

/// The work on so many pieces or pairs is not worth sharing out.
const PART: usize = 512;
/// Nor so many swept tests.
const FEW: usize = 64;
/// Of so many pieces one is looked at to estimate how many have left their boxes.
const SAMPLE: usize = 16;
/// Pieces that will leave their boxes soon, within so many times as long, are given new ones with those that do.
const SOON: f32 = 4.0;

/// What goes this far in the time that pairs are found for is swift, m.
const SWIFT: f32 = 0.03;

/// How far the boxes in which pieces are paired reach beyond them, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin {
    /// Of those that hardly move: they stay in theirs for many steps.
    pub slow: f32,
    /// Of those that go more than 3 cm until pairs are found anew: they leave any box soon, and a wide one would only
    /// bring pairs that do not meet.
    pub swift: f32,
}

impl From<f32> for Margin {
    /// The same for all.
    fn from(margin: f32) -> Self {
        Self { slow: margin, swift: margin }
    }
}

/// The collision service: pairs found by the last broad phase, and contacts of the last detection.
#[derive(Clone, Debug, Default)]
pub struct Collision {
    broad_phase: BroadPhase,
    meetings: Meetings,
    /// The number of pieces of the model that the above is of.
    pieces: usize,
    /// The boxes of pieces that can meet another.
    boxes: Vec<Aabb>,
    /// The places of those that have left theirs.
    leave: Vec<u32>,
    pairs: Vec<(u32, u32)>,
    contacts: Vec<Contact>,
    sweep: Sweep,
    travels: Travels,
    outlines: Outlines,
    /// Which of all pairs, or boxes, are looked for.
    marks: Vec<bool>,
    /// The pairs that may be fast, and where they touch.
    fast: Vec<(u32, u32)>,
    touches: Vec<Touch>,
    /// The part of their way that each of some pairs is free to go.
    free: Vec<f32>,
    threads: Threads,
}

impl Collision {
    /// Searches on these threads from now on.
    pub(crate) fn share(&mut self, threads: &Threads) {
        self.threads = threads.clone();
    }

    /// Finds every pair of pieces that may touch within `dt`: boxes swept by the velocity of their
    /// points and grown by `margin` overlap, and the bodies may collide. Each pair comes once,
    /// lower piece first, in ascending order.
    pub fn update_pairs(
        &mut self,
        model: &Model,
        state: &State,
        dt: f32,
        margin: impl Into<Margin>,
    ) {
        self.sweep.note_thickness(model);
        self.meetings.note(model);
        self.pieces = model.pieces.len();
        self.find_pairs(model, state, dt, margin.into(), None);
    }

    /// Finds all pairs, or, where only the pieces in these places have left their boxes, those of these.
    fn find_pairs(
        &mut self,
        model: &Model,
        state: &State,
        dt: f32,
        margin: Margin,
        of: Option<&[u32]>,
    ) {
        let swept = |piece: u32| {
            let piece = &model.pieces[piece as usize];
            // Where points are and where they go side by side.
            let (mut least, mut most, mut farthest) = (Vec4::INFINITY, Vec4::NEG_INFINITY, 0.0_f32);
            for &point in model.outline(piece) {
                let position = state.position[point as usize];
                let travel = dt * state.velocity[point as usize];
                let both = Vec4::from((position, position + travel));
                (least, most) = (least.min(both), most.max(both));
                farthest = farthest.max(travel.length_squared());
            }
            let swept = Aabb { min: least.xy().min(least.zw()), max: most.xy().max(most.zw()) };
            let margin = if farthest > SWIFT * SWIFT { margin.swift } else { margin.slow };
            swept.grown(piece.radius + margin)
        };
        let Self { broad_phase, meetings, boxes, pairs, sweep, travels, threads, .. } = self;
        let names = meetings.pieces();
        if let Some(places) = of {
            for &place in places {
                boxes[place as usize] = swept(names[place as usize]);
            }
        } else {
            boxes.resize(names.len(), Aabb::EMPTY);
            threads.each((names, &mut boxes[..]), PART, |(names, boxes): (&[u32], &mut [Aabb])| {
                boxes.iter_mut().zip(names).for_each(|(bounds, piece)| *bounds = swept(*piece));
            });
        }
        let may = |(a, b)| meetings.may_meet(model, [a, b]);
        let all = Boxes { boxes, groups: meetings.groups(), names, may };
        match of {
            Some(places) => broad_phase.follow(places, all, threads, pairs),
            None => broad_phase.find(all, threads, pairs),
        }
        sweep.note_pairs(model, pairs);
        travels.outdate();
        sweep.measure(model, &state.position);
    }

    /// Finds the pairs of the `left` seconds of a step anew if some piece would leave, within the `h` seconds to come,
    /// the box that it was given when its pairs were found: a body that was hit may. Where few leave, only pairs of
    /// these are searched. Returns whether any does. Where all stay, as in a pile at rest, no two pieces can meet that
    /// are no pair. The box is taken narrower by `spare`, m, on each side. The model must be the one that the pairs were
    /// found for.
    pub fn refresh_pairs(
        &mut self,
        model: &Model,
        state: &State,
        h: f32,
        left: f32,
        margin: impl Into<Margin>,
        spare: f32,
    ) -> bool {
        let margin = margin.into();
        if self.pieces != model.pieces.len() {
            self.update_pairs(model, state, left, margin);
            return true;
        }
        let stays = |piece: u32, bounds: &Aabb, seconds: f32| {
            let piece = &model.pieces[piece as usize];
            let bounds = bounds.grown(-piece.radius - spare);
            model.outline(piece).iter().all(|&point| {
                let position = state.position[point as usize];
                let travel = seconds * state.velocity[point as usize];
                bounds.contains(position) && bounds.contains(position + travel)
            })
        };
        let all = (self.meetings.pieces(), &self.boxes[..]);
        let stay = |(pieces, boxes): (&[u32], &[Aabb])| {
            pieces.iter().zip(boxes).all(|(piece, bounds)| stays(*piece, bounds, h))
        };
        if self.threads.parts(all, PART, &stay, &|a, b| a && b) {
            self.sweep.measure(model, &state.position);
            return false;
        }
        let (mut leave, mut marks) =
            (std::mem::take(&mut self.leave), std::mem::take(&mut self.marks));
        let leaves =
            |place: usize| !stays(self.meetings.pieces()[place], &self.boxes[place], SOON * left);
        let most = self.broad_phase.most_to_follow();
        leave.clear();
        // Where a sample says that they are many it is not worth while to look for them all.
        let count = self.boxes.len();
        let sample = (0..count).step_by(SAMPLE).filter(|place| leaves(*place)).count();
        if most > 0 && SAMPLE * sample <= most {
            self.threads.mark(&mut marks, count, PART, leaves);
            leave.extend(marked(&marks).take(most + 1).map(|place| place as u32));
        }
        self.marks = marks;
        let few = (1..=most).contains(&leave.len()).then_some(&leave[..]);
        self.find_pairs(model, state, left, margin, few);
        self.leave = leave;
        true
    }

    /// The pairs of pieces of the last [`Collision::update_pairs`].
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Where two pieces touch, or come within `margin` of touching, at the given positions.
    #[must_use]
    pub fn touch(model: &Model, positions: &[Vec2], pair: (u32, u32), margin: f32) -> Touch {
        narrow_phase::touch(Scenery::new(model, positions), pair, margin)
    }

    /// The same; or, where an edge shows that they are farther from each other than `margin`, how far they are at
    /// least, m.
    pub(crate) fn touch_or_gap(
        model: &Model,
        positions: &[Vec2],
        pair: (u32, u32),
        margin: f32,
    ) -> Result<Touch, f32> {
        let scenery = Scenery::new(model, positions);
        Look::new(scenery, pair, &mut Room::default()).touch(margin)
    }

    /// Where two pieces touch or come within `margin` of touching or, if they travel too far for that
    /// to tell, where they will first touch as each point goes by its `travel` in a straight line.
    /// Depths are those at `positions`: a contact that lies ahead has a gap as deep as the way to it.
    pub fn meet(
        &self,
        model: &Model,
        positions: &[Vec2],
        travel: impl Fn(u32) -> Vec2,
        pair: (u32, u32),
        margin: f32,
    ) -> Touch {
        let way = sweep::relative_travel(model, &travel, pair);
        let scenery = Scenery::new(model, positions);
        self.meet_in(scenery, travel, way, pair, margin).unwrap_or_default()
    }

    /// The same, of pieces whose outlines may be known, and that come towards each other by `way` at most, m; or, where
    /// an edge shows that they do not meet, how far they are from each other at least, m.
    pub(crate) fn meet_in(
        &self,
        scenery: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> Result<Touch, f32> {
        self.sweep.meet(scenery, travel, way, pair, margin)
    }

    /// Whether two pieces that come towards each other by `way` at most, m, may come so far that
    /// [`Collision::touch`] misses that they meet, and [`Collision::meet`] is to be asked.
    #[must_use]
    pub fn may_miss(
        &self,
        model: &Model,
        positions: &[Vec2],
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> bool {
        self.sweep.is_too_far(model, positions, way, pair, margin)
    }

    /// An upper bound of how far any point of the one piece comes towards any of the other as each point
    /// goes by its `travel`, m; of how fast, m/s, where that is a velocity.
    #[must_use]
    pub fn relative_travel(model: &Model, travel: impl Fn(u32) -> Vec2, pair: (u32, u32)) -> f32 {
        sweep::relative_travel(model, travel, pair)
    }

    /// Whether pieces that come so little towards each other, m, need no swept test, however thin they are.
    #[must_use]
    pub fn is_surely_slow(travel: f32) -> bool {
        travel <= sweep::HARDLY_MOVING
    }

    /// How far a piece may go and surely not go through another that goes as little, m.
    #[inline]
    pub(crate) fn surely_safe(&self, model: &Model, positions: &[Vec2], piece: u32) -> f32 {
        self.sweep.shallow_part(model, positions, piece).max(0.5 * sweep::HARDLY_MOVING)
    }

    /// Where two pieces first touched on their way `from` one place `to` another, with the depth that makes there; or,
    /// where an edge shows that they did not, how far they were from each other at least, m.
    pub(crate) fn arrive(
        &self,
        model: &Model,
        [from, to]: [&[Vec2]; 2],
        pair: (u32, u32),
    ) -> Result<Touch, f32> {
        let travel = |point: u32| to[point as usize] - from[point as usize];
        let way = sweep::relative_travel(model, travel, pair);
        let met = self.sweep.first_touch(Scenery::new(model, from), travel, way, pair, 0.0)?;
        let [a, b] = [pair.0, pair.1].mapped(|piece| model.pieces[piece as usize].radius);
        Ok(Touch::of(met.iter().map(|contact| contact.moved_to(to, a + b))))
    }

    /// Writes the pairs that may be so fast that they go through each other. `most` is a quick upper bound of how
    /// far any point of the one piece of a pair, whose place in the list it is told, comes towards any of the other, m, if
    /// there is one.
    pub fn pairs_too_fast(
        &mut self,
        model: &Model,
        positions: &[Vec2],
        most: impl Fn(usize, (u32, u32)) -> Option<f32> + Sync,
        fast: &mut Vec<(u32, u32)>,
    ) {
        let Self { sweep, threads, pairs, marks, .. } = self;
        let may_be_fast = |place: usize| {
            let pair = pairs[place];
            let too_far = |most| sweep.is_too_far(model, positions, most, pair, 0.0);
            most(place, pair).is_none_or(too_far)
        };
        select(pairs, may_be_fast, threads, marks, fast);
    }

    /// For each body, the part of the way that its points have from where they are to where they go which it can go
    /// before it is so deep in another that it might come out on the wrong side. Rows and rounds look at the contact
    /// there was when they began; a body that it throws about may go through with its other end. Only these pairs are
    /// looked at.
    pub fn free_parts(
        &mut self,
        model: &Model,
        [from, to]: [&[Vec2]; 2],
        pairs: &[(u32, u32)],
        parts: &mut Vec<f32>,
    ) {
        /// The part of a depth that is still safe which a body may go.
        const DEEPER: f32 = 0.2;
        let Self { sweep, outlines, free, threads, .. } = self;
        outlines.find_for(pairs.len(), model, from, threads);
        let from = outlines.at(model, from);
        let travel = |point: u32| to[point as usize] - from.positions[point as usize];
        let free_part = |&pair: &(u32, u32)| {
            let way = sweep::relative_travel(model, travel, pair);
            if !sweep.is_too_far(model, from.positions, way, pair, 0.0) {
                return 1.0;
            }
            let depth = DEEPER * sweep.shallow(model, from.positions, pair);
            sweep.free_part(from, travel, way, pair, depth)
        };
        free.resize(pairs.len(), 1.0);
        threads.each((pairs, &mut free[..]), PART, |(pairs, free): (&[(u32, u32)], &mut [f32])| {
            free.iter_mut().zip(pairs).for_each(|(free, pair)| *free = free_part(pair));
        });
        parts.clear();
        parts.resize(model.bodies.len(), 1.0);
        for (pair, &free) in pairs.iter().zip(&*free) {
            for piece in [pair.0, pair.1] {
                let body = model.pieces[piece as usize].body as usize;
                parts[body] = parts[body].min(free);
            }
        }
    }

    /// Finds where those pairs will first touch within `h` seconds that are too fast for a look at where
    /// they are. `gap` tells how far the pieces of a pair, by its place in the list, are from each other at least, m.
    pub fn foresee_fast(
        &mut self,
        model: &Model,
        state: &State,
        h: f32,
        gap: impl Fn(usize) -> f32 + Sync,
    ) -> &[Contact] {
        let positions = &state.position;
        let travel = |point: u32| h * state.velocity[point as usize];
        let Self { sweep, travels, threads, pairs, marks, fast, touches, contacts, .. } = self;
        travels.take(model, pairs, travel, threads);
        let may_be_fast = |place: usize| {
            let pair = pairs[place];
            let way = travels.towards(pair);
            way >= gap(place) && sweep.is_too_far(model, positions, way, pair, 0.0)
        };
        select(pairs, may_be_fast, threads, marks, fast);
        touches.resize(fast.len(), Touch::default());
        let from = Scenery::new(model, positions);
        let foresee = |(touches, pairs): (&mut [Touch], &[(u32, u32)])| {
            for (touch, &pair) in touches.iter_mut().zip(pairs) {
                let way = travels.towards(pair);
                *touch = sweep.first_touch(from, travel, way, pair, 0.0).unwrap_or_default();
            }
        };
        threads.each((&mut touches[..], &fast[..]), FEW, foresee);
        contacts.clear();
        touches.iter().for_each(|touch| contacts.extend_from_slice(touch));
        contacts
    }

    /// Takes how pieces travel where each point goes by its `travel`.
    pub(crate) fn take_travels(&mut self, model: &Model, travel: impl Fn(u32) -> Vec2 + Sync) {
        self.travels.take(model, &self.pairs, travel, &self.threads);
    }

    /// How far the pieces of a pair come towards each other, at most, m, as they were last taken.
    #[inline]
    pub(crate) fn towards(&self, pair: (u32, u32)) -> f32 {
        self.travels.towards(pair)
    }

    /// Finds the contacts of all pairs at the given positions, in the order of the pairs.
    pub fn detect(&mut self, model: &Model, positions: &[Vec2], margin: f32) -> &[Contact] {
        self.contacts.clear();
        for &pair in &self.pairs {
            self.contacts.extend_from_slice(&Self::touch(model, positions, pair, margin));
        }
        &self.contacts
    }
}

/// Writes those of some pairs that are what is asked for; `are` is told the place of each.
fn select(
    pairs: &[(u32, u32)],
    are: impl Fn(usize) -> bool + Sync,
    threads: &Threads,
    marks: &mut Vec<bool>,
    selected: &mut Vec<(u32, u32)>,
) {
    selected.clear();
    // Mostly there are none.
    if threads.mark(marks, pairs.len(), PART, are) {
        selected.extend(marked(marks).map(|place| pairs[place]));
    }
}

/// The places of those that are marked. As a rule they are few, and many at a time are none.
fn marked(marks: &[bool]) -> impl Iterator<Item = usize> {
    const MANY: usize = 32;
    let some = marks.chunks(MANY).enumerate().filter(|(_, marks)| marks.contains(&true));
    some.flat_map(|(chunk, marks)| {
        (chunk * MANY..).zip(marks).filter(|(_, is)| **is).map(|(place, _)| place)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::soft::Rope;
    use crate::scene::{BodyDef, Filter, Scene, Shape};
    use crate::world::World;

    #[test]
    fn what_is_marked_is_told_by_its_place() {
        for count in [0, 31, 32, 71] {
            let places = [0, 30, 31, 32, 70];
            let wanted: Vec<usize> = places.into_iter().filter(|place| *place < count).collect();
            // As they are left by what was marked before.
            let mut marks = vec![true; 50];
            let is = |place: usize| places.contains(&place);
            let any = Threads::default().mark(&mut marks, count, PART, is);
            assert_eq!(any, !wanted.is_empty());
            assert_eq!(marked(&marks).collect::<Vec<_>>(), wanted);
        }
    }

    #[test]
    fn a_single_piece_that_might_meet_itself_leaves_its_box_among_others_that_meet_nothing() {
        let filter = Filter { mask: 0, ..Filter::default() };
        let mut rope = Rope { self_collision: true, ..Rope::default() }.mesh().unwrap();
        rope.pieces.truncate(1);
        let body = |k: usize| {
            let disc = Shape::Disc { radius: 0.5 };
            let shape = if k == 79 { Shape::Mesh(rope.clone()) } else { disc };
            let at = Vec2::new(2.0 * k as f32, 0.0);
            BodyDef { filter, ..BodyDef::new(format!("body{k}"), shape, at) }
        };
        let bodies = (0..80).map(body).collect();
        let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let mut collision = Collision::default();
        collision.update_pairs(&world.model, &world.state, 0.0, 0.1);
        world.state.position.iter_mut().for_each(|point| point.x += 5.0);
        assert!(collision.refresh_pairs(&world.model, &world.state, 0.0, 0.0, 0.1, 0.0));
        assert_eq!(collision.pairs(), []);
    }

    #[test]
    fn one_of_many_that_leaves_its_box_finds_the_pairs_that_all_would() {
        let disc = |k: usize| {
            let at = Vec2::new((k % 8) as f32 * 1.05, (k / 8) as f32 * 1.05);
            BodyDef::new(format!("disc{k}"), Shape::Disc { radius: 0.5 }, at)
        };
        let bodies = (0..40).map(disc).collect();
        let mut world = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
        let (mut collision, mut anew) = <(Collision, Collision)>::default();
        collision.update_pairs(&world.model, &world.state, 0.0, 0.1);
        // Across the others, and out of their midst; with another one in the end.
        for step in 0..30 {
            for body in [12, 20].into_iter().take(1 + step / 15) {
                let points = world.model.bodies[body].point_range();
                world.state.position[points].iter_mut().for_each(|point| point.x += 0.3);
            }
            let left = collision.refresh_pairs(&world.model, &world.state, 0.0, 0.0, 0.1, 0.0);
            anew.update_pairs(&world.model, &world.state, 0.0, 0.1);
            assert!(left && collision.pairs() == anew.pairs(), "step {step}");
        }
    }

    #[test]
    fn a_disc_whose_rim_leaves_its_box_has_its_pairs_found_anew() {
        let disc = |id: &str, x| BodyDef::new(id, Shape::Disc { radius: 1.0 }, Vec2::new(x, 0.0));
        let scene = Scene { bodies: vec![disc("a", 0.0), disc("b", 2.5)], ..Scene::default() };
        let mut world = World::build(&scene).unwrap();
        let mut collision = Collision::default();
        collision.update_pairs(&world.model, &world.state, 0.0, 0.1);
        assert_eq!(collision.pairs(), []);
        let mut shift = |by: f32| {
            let of_a = world.model.bodies[0].point_range();
            world.state.position[of_a].iter_mut().for_each(|point| point.x += by);
            collision.refresh_pairs(&world.model, &world.state, 0.0, 0.0, 0.1, 0.0)
        };
        assert!(!shift(0.09));
        // Its centre is still inside.
        assert!(shift(0.5));
        assert_eq!(collision.pairs(), [(0, 1)]);
    }
}
