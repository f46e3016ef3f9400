//! What the contacts of a pair have done in a sub-step, and what of that the next one needs.

use super::Round;
use super::near::{Look, STEADY, are_rigid};
use super::sides::{Sides, Surfaces, parted, points};
use crate::collision::Contact;
use crate::math::{Mapped, Vec2, left};
use crate::solver::common::{self, BOUNCE_SPEED, PUSH_OUT_SPEED};
use crate::solver::verlet::Moves;
use crate::world::{Model, Renumbering};

/// The depth of a contact of the last sub-step that has not been looked at in this one.
const UNSEEN: f32 = f32::NEG_INFINITY;

/// The contacts of a pair.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::solver::verlet) struct Touched {
    slots: [Slot; 2],
    pub(super) count: u32,
    /// How far sub-steps may bring the bodies towards each other before these are found anew, m. Where the rounds of a
    /// sub-step have points meanwhile does not matter.
    pub(super) steady: f32,
}

/// One contact over the rounds of a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::solver::verlet) struct Slot {
    pub(in crate::solver::verlet) contact: Contact,
    /// Whether it has touched in this sub-step.
    pub(super) found: bool,
    /// Where on the edge the vertex was when the sub-step began.
    pub(super) t: f32,
    /// How far an impulse displaces the vertex and the ends of the edge, 1/kg.
    pub(super) shares: [f32; 3],
    /// Inverse mass of the whole contact along the normal, 1/kg.
    pub(super) mobility: f32,
    /// Whether other points than vertex and edge carry any of the surfaces.
    pub(super) round: bool,
    /// How far the surfaces have slipped since they stuck, up to this sub-step, m.
    pub(super) slip: f32,
    /// How far the bodies may close in this sub-step, m: the gap there was when it began, or, where
    /// they overlapped, less than nothing.
    pub(super) allowed: f32,
    /// Displacement impulse along the normal, kg·m; never negative.
    pub(in crate::solver::verlet) normal: f32,
    /// Displacement impulse along the tangent, kg·m.
    pub(in crate::solver::verlet) tangent: f32,
    /// The speed at which the bodies are to part, m/s; 0 for a contact that does not bounce.
    pub(in crate::solver::verlet) bounce: f32,
    /// Coefficient of friction.
    pub(in crate::solver::verlet) friction: f32,
    /// Impulses of the velocity stage along normal and tangent, N·s: where the next one starts.
    pub(in crate::solver::verlet) eased: Vec2,
}

/// What it means that contacts begin to touch.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Meeting {
    /// Whether bodies meet.
    pub(super) impact: bool,
    /// Whether a soft body is squeezed.
    pub(super) squeeze: bool,
}

impl Touched {
    /// Takes over the numbers that pieces and points have now; `None` if any is gone.
    pub(super) fn renumber(&mut self, by: &Renumbering) -> Option<()> {
        for slot in self.slots_mut() {
            slot.contact = slot.contact.renumbered(by)?;
        }
        Some(())
    }

    /// Whether there are two contacts in this sub-step, which is as many as a pair has.
    pub(super) fn has_met(&self) -> bool {
        self.slots().iter().filter(|slot| slot.found).count() == self.slots.len()
    }

    /// Whether all contacts that there are may be followed, and are in this sub-step.
    pub(super) fn is_steady(&self) -> bool {
        self.steady > 0.0 && self.slots().iter().all(|slot| slot.found)
    }

    pub(super) fn slots(&self) -> &[Slot] {
        &self.slots[..self.count as usize]
    }

    /// The contacts that were pressed in this sub-step.
    pub(in crate::solver::verlet) fn pressed(&self) -> impl Iterator<Item = &Slot> {
        self.slots().iter().filter(|slot| slot.normal > 0.0)
    }

    /// The same, to change them.
    pub(in crate::solver::verlet) fn pressed_mut(&mut self) -> impl Iterator<Item = &mut Slot> {
        self.slots_mut().iter_mut().filter(|slot| slot.normal > 0.0)
    }

    pub(super) fn slots_mut(&mut self) -> &mut [Slot] {
        &mut self.slots[..self.count as usize]
    }

    /// Keeps of each contact that was found in the last sub-step what the next one needs, and which those are that
    /// may be found again without a test.
    pub(super) fn begin_substep(&mut self) {
        let old = *self;
        self.count = 0;
        for slot in old.slots().iter().filter(|slot| slot.found || old.steady > 0.0) {
            // Of one that was not found slip and impulses are 0.
            let Slot { contact, slip, eased, .. } = *slot;
            let contact = Contact { depth: UNSEEN, ..contact };
            self.slots[self.count as usize] = Slot { contact, slip, eased, ..Slot::default() };
            self.count += 1;
        }
    }

    /// Ends the rounds of a sub-step: takes what the pieces have come `towards` each other off how far the contacts may be
    /// followed; and adds how far surfaces have slipped where they stuck, and forgets it where they slid. What the
    /// velocity stage gave is over where nothing is pressed any more.
    pub(super) fn end_rounds(
        &mut self,
        towards: impl Fn((u32, u32)) -> f32,
        moves: &Moves,
        model: &Model,
        positions: &[Vec2],
    ) {
        if self.steady > 0.0 {
            self.steady -= towards(self.slots[0].contact.pieces.into());
        }
        for slot in self.slots_mut() {
            if slot.tangent.abs() < slot.friction * slot.normal {
                slot.slip += slot.slid(model, moves, positions);
            } else {
                slot.slip = 0.0;
            }
            if slot.normal == 0.0 {
                slot.eased = Vec2::ZERO;
            }
        }
    }

    /// Where one of the contacts that there are is kept. A third contact of a pair takes the place of one that is not
    /// among them.
    pub(super) fn slot(&mut self, contact: &Contact, all: &[Contact]) -> &mut Contact {
        let count = self.slots().len();
        let place = |is: &dyn Fn(&Slot) -> bool| self.slots().iter().position(is);
        let known = place(&|slot| slot.contact.key() == contact.key());
        let gone = || place(&|slot| all.iter().all(|contact| contact.key() != slot.contact.key()));
        let free = || Some(count).filter(|count| *count < self.slots.len());
        let index = known.or_else(free).or_else(gone).unwrap_or(0);
        if known.is_none() {
            self.slots[index] = Slot::default();
            self.count = self.count.max(index as u32 + 1);
        }
        &mut self.slots[index].contact
    }

    /// Takes over what is to be seen at these positions.
    pub(super) fn see(&mut self, look: &Look, model: &Model, positions: &[Vec2]) {
        match look {
            Look::Nothing => {}
            Look::Known => {
                let unseen = self.slots_mut().iter_mut().filter(|slot| !slot.found);
                unseen.for_each(|slot| slot.contact = slot.followed(model, positions));
            }
            Look::Tested(found) | Look::Swept(found) => {
                found.iter().for_each(|contact| *self.slot(contact, found) = *contact);
                self.steady = 0.0;
                let is_tested = matches!(look, Look::Tested(_));
                // Another one from before may be anywhere by now.
                let all = !found.is_empty() && found.len() == self.count as usize;
                if is_tested && all && are_rigid(model, found[0].pieces) {
                    self.steady = STEADY;
                }
            }
        }
    }

    /// All that are as deep as `least` at least and have not touched before in this sub-step begin to.
    #[inline]
    pub(super) fn begin(
        &mut self,
        least: f32,
        moves: &Moves,
        positions: &[Vec2],
        round: &Round<'_>,
    ) -> Meeting {
        let is_new = |slot: &Slot| !slot.found && slot.contact.depth >= least;
        if !self.slots().iter().any(is_new) {
            return Meeting::default();
        }
        // Both contacts are of the same pieces.
        let surfaces = Surfaces::of(round.model, self.slots[0].contact.pieces);
        let begin = |slot: &mut Slot| slot.begin(&surfaces, moves, positions, round);
        let new = self.slots_mut().iter_mut().filter(|slot| is_new(slot));
        new.map(begin).fold(Meeting::default(), Meeting::or)
    }

    /// Displaces what overlaps, one contact after the other. `tell` is told how far each has displaced any point at most, m.
    #[inline]
    pub(super) fn separate(
        &mut self,
        moves: &mut Moves,
        positions: &mut [Vec2],
        round: &Round<'_>,
        mut tell: impl FnMut(f32),
    ) {
        let Round { model, is_classic, .. } = *round;
        for slot in self.slots_mut().iter_mut().filter(|slot| slot.found) {
            let mut by = if is_classic { 0.0 } else { slot.separate(moves, positions) };
            if is_classic || slot.round {
                let contact = slot.contact;
                let sides = Sides::new(model, &contact, slot.t);
                if is_classic {
                    by += sides.separate_classic(slot, moves, positions);
                }
                by += sides.rub(slot, moves, positions);
            }
            tell(by);
        }
    }
}

impl Meeting {
    /// What either means.
    fn or(self, other: Self) -> Self {
        Self { impact: self.impact | other.impact, squeeze: self.squeeze | other.squeeze }
    }
}

impl Slot {
    /// Begins to touch.
    fn begin(
        &mut self,
        surfaces: &Surfaces,
        moves: &Moves,
        positions: &[Vec2],
        round: &Round<'_>,
    ) -> Meeting {
        let Round { model, velocities, recovery, h, .. } = *round;
        let Surfaces { friction, restitution, any_soft, round } = *surfaces;
        let contact = self.contact;
        self.found = true;
        self.t = at_start(&contact, positions, moves);
        let sides = Sides::new(model, &contact, self.t);
        let closed = sides.closed(moves);
        (self.shares, self.mobility) = (sides.shares(), sides.mobility());
        let most = PUSH_OUT_SPEED.min(recovery) * h;
        self.allowed = (closed - contact.depth).max(-most);
        (self.friction, self.round) = (friction, round);
        let meets = closed > BOUNCE_SPEED * h;
        let speed = if meets && (restitution > 0.0 || any_soft) {
            common::approach_speed(model, [positions, velocities], &contact)
        } else {
            0.0
        };
        self.bounce = if speed > BOUNCE_SPEED { restitution * speed } else { 0.0 };
        Meeting {
            // What bounces well is for the velocity stage: more rounds here would share out the blow among all that
            // touch.
            impact: meets && restitution < 0.5,
            squeeze: meets && speed <= BOUNCE_SPEED && any_soft,
        }
    }

    /// How far the surfaces have moved sideways over each other in this sub-step.
    fn slid(&self, model: &Model, moves: &Moves, positions: &[Vec2]) -> f32 {
        let Self { contact, t, .. } = self;
        let moved = match self.round {
            true => Sides::new(model, contact, *t).rolled(moves, positions),
            false => parted(contact, *t, moves),
        };
        moved.dot(left(contact.normal))
    }

    /// Displaces vertex and edge by what removes the overlap and, where the surface is that of the points themselves,
    /// sideways motion as far as friction goes. Returns how far any of them at most, m.
    #[inline]
    fn separate(&mut self, moves: &mut Moves, positions: &mut [Vec2]) -> f32 {
        let mobility = self.mobility;
        if mobility == 0.0 {
            return 0.0;
        }
        let ([v, a, b], before) = (points(&self.contact), self.normal);
        let parted = parted(&self.contact, self.t, moves);
        let normal = self.contact.normal;
        self.normal = (before - (parted.dot(normal) + self.allowed) / mobility).max(0.0);
        let mut by = (self.normal - before) * normal;
        if !self.round {
            // What acts along the normal displaces nothing sideways.
            let tangent = left(normal);
            by += self.rub(parted.dot(tangent), mobility) * tangent;
        }
        let [vertex, first, second] = self.shares;
        // What does not move is not written: `-0.0 + 0.0` is another number than `-0.0`, and it may be of either half.
        for (point, share) in [(v, vertex), (a, first), (b, second)] {
            if share != 0.0 {
                moves.push(positions, point, share * by);
            }
        }
        // The ends of an edge may be one point.
        by.length() * vertex.max(-(first + second))
    }

    /// The contact where its points are now.
    fn followed(&self, model: &Model, positions: &[Vec2]) -> Contact {
        let radii = self.contact.pieces.mapped(|piece| model.pieces[piece as usize].radius);
        self.contact.followed(positions, radii[0] + radii[1])
    }

    /// Adds what removes sideways motion of which there has been `slid`, up to `μ` times the normal displacement impulse,
    /// and returns it.
    pub(super) fn rub(&mut self, slid: f32, mobility: f32) -> f32 {
        let (before, most) = (self.tangent, self.friction * self.normal);
        if mobility > 0.0 {
            self.tangent = (before - (slid + self.slip) / mobility).clamp(-most, most);
        }
        self.tangent - before
    }
}

/// Where on its edge a contact was when the sub-step began.
fn at_start(contact: &Contact, positions: &[Vec2], moves: &Moves) -> f32 {
    let [v, a, b] = points(contact);
    let along = positions[b] - positions[a];
    let travel = moves.delta[v] - moves.delta[a].lerp(moves.delta[b], contact.t);
    let slid = travel.dot(along) / along.length_squared().max(1e-12);
    if a == b { 0.0 } else { (contact.t - slid).clamp(0.0, 1.0) }
}
