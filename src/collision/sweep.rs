//! Swept test: where two pieces will first touch on their way through a sub-step.
//!
//! Who looks for overlap only where bodies have come to rest after a move misses what lay between: a
//! bullet of 200 m/s goes 3.3 m in a step. Here points travel in straight lines, at constant speed, and
//! time advances as far as is safe, again and again, until the pieces touch or the sub-step is over
//! (conservative advancement: Mirtich, “Impulse-based Dynamic Simulation of Rigid Body Systems”, 1996,
//! §2.3). Safe is the gap along a separating direction over the speed at which it closes along the same
//! direction: as points go straight, that direction keeps separating until then. What is returned are the
//! features and the normal of the first touch, with the gap that there is now, so that a solver lets the
//! bodies close it and no more.

use std::ops::ControlFlow::{self, Break, Continue};

use super::contact::{Contact, Touch};
use super::narrow_phase::{self, Look, Room, Scenery};
use super::travel::Travel;
use crate::math::{Mapped, Vec2, cross};
use crate::threads::Held;
use crate::world::{Model, Piece};

/// Pieces this near have touched, m.
const TOUCHING: f32 = 5e-4;
/// Advances after which what is left of the gap is taken for touched: only edges that graze each other
/// as they turn need that many.
const MOST_ADVANCES: usize = 32;

/// What swept tests need to know beforehand, and their memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Sweep {
    /// For each thread that makes a test, positions of points on their way. Only those of the pieces at hand
    /// are up to date.
    ways: Held<Vec<Vec<Vec2>>>,
    /// The thickness of each piece, m, if it is known.
    thickness: Vec<Option<f32>>,
    /// Whether that of any is not: it changes with a soft body.
    any_soft: bool,
    /// The pieces of soft bodies that are part of a pair.
    pliant: Vec<u32>,
}

impl Sweep {
    /// Notes how thick the pieces of a model are.
    pub(super) fn note_thickness(&mut self, model: &Model) {
        let rigid = |piece: &Piece| model.bodies[piece.body as usize].is_rigid();
        let thickness = |piece| rigid(piece).then(|| thickness(model, &model.rest, piece));
        self.thickness.clear();
        self.thickness.extend(model.pieces.iter().map(thickness));
        self.any_soft = self.thickness.contains(&None);
        self.pliant.clear();
    }

    /// Notes which pieces of soft bodies may meet another.
    pub(super) fn note_pairs(&mut self, model: &Model, pairs: &[(u32, u32)]) {
        for piece in self.pliant.drain(..) {
            self.thickness[piece as usize] = None;
        }
        if !self.any_soft {
            return;
        }
        for piece in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            let known = &mut self.thickness[piece as usize];
            if known.is_none() && model.bodies[model.pieces[piece as usize].body as usize].soft {
                *known = Some(0.0);
                self.pliant.push(piece);
            }
        }
    }

    /// Measures how thick those are now.
    pub(super) fn measure(&mut self, model: &Model, positions: &[Vec2]) {
        for &piece in &self.pliant {
            let now = thickness(model, positions, &model.pieces[piece as usize]);
            self.thickness[piece as usize] = Some(now);
        }
    }

    /// Where two pieces, whose points go from `from` by `travel` and so come towards each other by `way` at most, m,
    /// touch or come within `margin` at `from`, or, where that says too little, [`Sweep::first_touch`]. Where an edge
    /// shows that they do not meet, how far they are from each other at `from` at least, m.
    pub(super) fn meet(
        &self,
        from: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> Result<Touch, f32> {
        let mut room = Room::default();
        let look = Look::new(from, pair, &mut room);
        if !self.is_too_far(from.model, from.positions, way, pair, margin) {
            return look.touch(margin);
        }
        self.touch_on_way(&look, from, travel, way, pair, margin)
    }

    /// Where two pieces, whose points go from `from` by `travel` and so come towards each other by `way` at most, m,
    /// touch or come within `margin`, now or else first on their way. Depths are those at `from`. Where an edge shows that
    /// they do not meet, how far they are from each other at `from` at least, m.
    pub(super) fn first_touch(
        &self,
        from: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> Result<Touch, f32> {
        let mut room = Room::default();
        let look = Look::new(from, pair, &mut room);
        self.touch_on_way(&look, from, travel, way, pair, margin)
    }

    /// The same, of pieces that were looked at; where an edge shows that they do not meet, how far they are from each
    /// other at `from` at least, m.
    fn touch_on_way(
        &self,
        look: &Look<'_>,
        from: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> Result<Touch, f32> {
        let (gap, near) = (look.gap(), margin.max(TOUCHING));
        if gap > near + way || look.stays_wider(&travel, [near, TOUCHING]) {
            return Err(gap);
        }
        let widest = |part: f32| if part == 0.0 { near } else { TOUCHING };
        let nearest = look.nearest();
        let Some(part) = self.run(&nearest, from, &travel, pair, widest) else {
            return Ok(Touch::default());
        };
        // Where one corner is stopped the other swings on, faster than before.
        let reach = near + 2.0 * way;
        if part > 0.0 {
            return Ok(self.lend_way(from, |way| {
                let there = put(from, &travel, pair, part, way);
                seen_from(from, &narrow_phase::touch(there, pair, f32::INFINITY), reach)
            }));
        }
        if look.are_alone() {
            return Ok(seen_from(from, &nearest, reach));
        }
        let here = look.touch(f32::INFINITY);
        Ok(seen_from(from, here.as_deref().unwrap_or(&[]), reach))
    }

    /// The part of their way that two pieces can go before they are deeper in each other, by `depth`,
    /// than they are at `from`; 1 if they never are. They come towards each other by `way` at most, m.
    pub(super) fn free_part(
        &self,
        from: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        way: f32,
        pair: (u32, u32),
        depth: f32,
    ) -> f32 {
        let mut room = Room::default();
        let look = Look::new(from, pair, &mut room);
        if look.gap() > way || look.stays_wider(&travel, [-depth; 2]) {
            return 1.0;
        }
        let now = look.nearest();
        let allowed = depth + now.iter().map(|contact| contact.depth).fold(0.0, f32::max);
        self.run(&now, from, &travel, pair, |_| -allowed).unwrap_or(1.0)
    }

    /// Whether two pieces, which come towards each other by `way` at most, m, travel so far that a look at where they
    /// are could miss that they meet: further than contacts are foreseen, or far enough to come out on the wrong side.
    #[inline]
    pub(super) fn is_too_far(
        &self,
        model: &Model,
        from: &[Vec2],
        way: f32,
        pair: (u32, u32),
        margin: f32,
    ) -> bool {
        // Most pairs are slow; only for the others is it worth knowing how thick they are.
        way > HARDLY_MOVING
            && ((margin > 0.0 && way > margin) || way > self.shallow(model, from, pair))
    }

    /// How deep two pieces may be in each other and still be sure to come out on the side they came from, m.
    #[inline]
    pub(super) fn shallow(&self, model: &Model, positions: &[Vec2], pair: (u32, u32)) -> f32 {
        self.shallow_part(model, positions, pair.0) + self.shallow_part(model, positions, pair.1)
    }

    /// The part of that which a piece has in it, m.
    pub(super) fn shallow_part(&self, model: &Model, positions: &[Vec2], piece: u32) -> f32 {
        let known = self.thickness.get(piece as usize).copied().flatten();
        let thickness =
            known.unwrap_or_else(|| thickness(model, positions, &model.pieces[piece as usize]));
        0.25 * thickness
    }

    /// Lets two pieces go their way until the gap between them is as narrow as `until` says for the part
    /// they have gone. `nearest` is what is nearest before they go. Returns that part, or `None` if the gap stays wider.
    ///
    /// What is nearest is looked for as if the pieces had no neighbours: over which of several a body will come down is not
    /// known before it does. Whose a contact is there is asked when it has.
    fn run(
        &self,
        nearest: &Touch,
        from: Scenery<'_>,
        travel: impl Fn(u32) -> Vec2,
        pair: (u32, u32),
        until: impl Fn(f32) -> f32,
    ) -> Option<f32> {
        let mut part = 0.0;
        // Many pieces do not come nearer, and their points need not go anywhere.
        if let Break(end) = advance(from, &travel, nearest, &until, &mut part) {
            return end;
        }
        self.lend_way(from, |way| {
            for _ in 1..MOST_ADVANCES {
                let there = put(from, &travel, pair, part, way);
                let nearest = Look::new(there, pair, &mut Room::default()).nearest();
                if let Break(end) = advance(there, &travel, &nearest, &until, &mut part) {
                    return end;
                }
            }
            Some(part)
        })
    }

    /// Lends memory for where points are on their way.
    fn lend_way<R>(&self, from: Scenery<'_>, work: impl FnOnce(&mut [Vec2]) -> R) -> R {
        self.ways.lend(|way| {
            if way.len() != from.positions.len() {
                way.clear();
                way.extend_from_slice(from.positions);
            }
            work(way)
        })
    }
}

/// Goes on from where `nearest` is what is nearest as far as is safe. Ends with the part of the way that is behind where
/// the gap is as narrow as `until` says; with nothing where it stays wider.
fn advance(
    there: Scenery<'_>,
    travel: impl Fn(u32) -> Vec2,
    nearest: &Touch,
    until: impl Fn(f32) -> f32,
    part: &mut f32,
) -> ControlFlow<Option<f32>> {
    let gap = nearest.iter().map(|contact| -contact.depth).reduce(f32::min);
    let Some(gap) = gap else { return Break(None) };
    if gap <= until(*part) {
        return Break(Some(*part));
    }
    match safe_part(there, travel, nearest, until(*part), 1.0 - *part) {
        Some(on) if *part + on < 1.0 => *part += on,
        _ => return Break(None),
    }
    Continue(())
}

/// Puts the points of two pieces, and those around them, a part of the way along. Returns what is to be seen there.
fn put<'a>(
    from: Scenery<'a>,
    travel: impl Fn(u32) -> Vec2,
    pair: (u32, u32),
    part: f32,
    way: &'a mut [Vec2],
) -> Scenery<'a> {
    let model = from.model;
    for piece in [pair.0, pair.1].mapped(|index| &model.pieces[index as usize]) {
        let rims = if piece.shared { model.rim(piece) } else { &[] };
        let around = rims.iter().flat_map(|rim| [rim.before, rim.after]).flatten();
        for point in model.outline(piece).iter().copied().chain(around) {
            way[point as usize] = from.positions[point as usize] + part * travel(point);
        }
    }
    Scenery::new(model, way)
}

/// The part of the whole way that two pieces can surely go on before the gap between them is as
/// narrow as `until`; `None` if it is not before they have gone the part `left` of it.
fn safe_part(
    there: Scenery<'_>,
    travel: impl Fn(u32) -> Vec2,
    nearest: &Touch,
    until: f32,
    left: f32,
) -> Option<f32> {
    let model = there.model;
    let contact = nearest.iter().max_by(|a, b| a.depth.total_cmp(&b.depth))?;
    let [upper, lower] = contact.pieces.mapped(|index| &model.pieces[index as usize]);
    let normal = contact.normal;
    // How far the pieces are apart along the normal, now and when they have gone all that is left.
    let reach = |points: &[u32], sign: f32| {
        points.iter().fold([f32::INFINITY; 2], |[now, then], &point| {
            let at = sign * there.positions[point as usize].dot(normal);
            let goes = sign * left * travel(point).dot(normal);
            [now.min(at), then.min(at + goes)]
        })
    };
    let (above, below) = (reach(model.outline(upper), 1.0), reach(model.outline(lower), -1.0));
    let beyond = upper.radius + lower.radius + until;
    let [now, then] = [0, 1].mapped(|k| above[k] + below[k] - beyond);
    if now > TOUCHING {
        // As a function of time that is concave: it is nowhere below the chord.
        return (then <= 0.0).then(|| left * now / (now - then));
    }
    // Corners past each other: no separating direction is at hand, so any motion may close the gap.
    let gap = (-contact.depth - until).max(TOUCHING);
    Some(0.5 * gap / relative_travel(model, travel, (contact.pieces[0], contact.pieces[1])))
}

/// No piece is so thin that this matters, m.
pub(super) const HARDLY_MOVING: f32 = 1e-3;

/// An upper bound of how far any point of the one piece comes towards any of the other, m.
pub(super) fn relative_travel(
    model: &Model,
    travel: impl Fn(u32) -> Vec2,
    pair: (u32, u32),
) -> f32 {
    let [a, b] = [pair.0, pair.1].mapped(|piece| Travel::of(model, &travel, piece));
    a.towards(&b)
}

/// The least width of a piece between two parallel lines, m.
fn thickness(model: &Model, positions: &[Vec2], piece: &Piece) -> f32 {
    let points = model.outline(piece);
    if points.len() < 3 {
        return 2.0 * piece.radius;
    }
    let at = |point: &u32| positions[*point as usize];
    let ends = points.iter().zip(points.iter().cycle().skip(1));
    let squares = ends.map(|(from, to)| {
        let (from, along) = (at(from), at(to) - at(from));
        let over = |point| cross(along, at(point) - from);
        let most = points.iter().map(over).fold(0.0, f32::max);
        most * most / along.length_squared().max(1e-18)
    });
    squares.fold(f32::MAX, f32::min).sqrt() + 2.0 * piece.radius
}

/// The contacts whose gap on the way is at most `widest`, with the depths they have at `from`.
fn seen_from(from: Scenery<'_>, found: &[Contact], widest: f32) -> Touch {
    let mut touch = Touch::default();
    for contact in found.iter().filter(|contact| -contact.depth <= widest) {
        let radii = contact.pieces.mapped(|piece| from.model.pieces[piece as usize].radius);
        let depth = contact.depth_at(from.positions, radii[0] + radii[1]);
        touch.push(Contact { depth, ..*contact });
    }
    touch
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::cross_sv;
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;
    use proptest::prelude::*;

    fn body(kind: u32, at: (f32, f32), angle: f32) -> BodyDef {
        let shape = match kind % 3 {
            0 => Shape::Box { size: Vec2::ONE },
            1 => Shape::Disc { radius: 0.3 },
            _ => Shape::Capsule { length: 1.0, radius: 0.1 },
        };
        BodyDef { angle, ..BodyDef::new(format!("{kind}"), shape, at.into()) }
    }

    proptest! {
        /// As one goes by the other its overlap is looked at in two hundred places.
        #[test]
        fn who_overlaps_on_the_way_is_found_to_touch_no_later(
            (a, b) in (0..3_u32, 3..6_u32),
            angles in (-3.0_f32..3.0, -3.0_f32..3.0),
            at in (-3.0_f32..3.0, -3.0_f32..3.0),
            way in (-5.0_f32..5.0, -5.0_f32..5.0),
            turns in (-2.0_f32..2.0, -2.0_f32..2.0),
        ) {
            let bodies = vec![body(a, (0.0, 0.0), angles.0), body(b, at, angles.1)];
            let World { model, state } = World::build(&Scene { bodies, ..Scene::default() }).unwrap();
            let from = Scenery::new(&model, &state.position);
            // Points go straight on as their body sets out to turn, and so it grows.
            let travel = |point: u32| {
                let is_first = model.body_of[point as usize] == 0;
                let (center, way, turn) = match is_first {
                    true => (Vec2::ZERO, Vec2::ZERO, turns.0),
                    false => (at.into(), way.into(), turns.1),
                };
                way + cross_sv(turn, from.positions[point as usize] - center)
            };
            let depth_at = |part: f32| {
                let on_way: Vec<Vec2> =
                    (0..).zip(from.positions).map(|(point, at)| *at + part * travel(point)).collect();
                let touch = narrow_phase::touch(Scenery::new(&model, &on_way), (0, 1), 0.0);
                touch.iter().map(|contact| contact.depth).fold(0.0, f32::max)
            };
            let sweep = Sweep::default();
            let way = relative_travel(&model, travel, (0, 1));
            let nearest = Look::new(from, (0, 1), &mut Room::default()).nearest();
            let met = sweep.run(&nearest, from, travel, (0, 1), |_| TOUCHING);
            let parts = (0..=200).map(|step| step as f32 / 200.0);
            if let Some(part) = parts.into_iter().find(|&part| depth_at(part) > 0.01) {
                prop_assert!(met.is_some_and(|met| met <= part), "{met:?}, deep at {part}");
                let touch = sweep.first_touch(from, travel, way, (0, 1), 0.0);
                prop_assert!(touch.is_ok_and(|touch| !touch.is_empty()));
            }
        }
    }
}
