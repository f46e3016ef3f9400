//! Collision detection: which pieces are near each other, and where they touch.
//!
//! A backend decides when to call this service: [`Collision::update_pairs`] once a step (broad
//! phase), [`Collision::touch`] for one pair or [`Collision::detect`] for all, as often as it likes
//! (narrow phase). Both look only at positions, never at a solver.
//!
//! | file | job |
//! |---|---|
//! | `contact.rs` | what a contact is |
//! | `broad_phase.rs` | pairs of pieces whose boxes overlap, from a uniform grid |
//! | `narrow_phase.rs` | edge-SAT, reference edge, clipping: up to two contacts of a pair |

mod broad_phase;
mod contact;
mod narrow_phase;

pub use broad_phase::BroadPhase;
pub use contact::{Contact, Touch};

use crate::math::{Aabb, Vec2};
use crate::world::{Model, State};

/// The collision service: pairs found by the last broad phase, and contacts of the last detection.
#[derive(Clone, Debug, Default)]
pub struct Collision {
    broad_phase: BroadPhase,
    boxes: Vec<Aabb>,
    pairs: Vec<(u32, u32)>,
    contacts: Vec<Contact>,
}

impl Collision {
    /// Finds every pair of pieces that may touch within `dt`: boxes swept by the velocity of their
    /// points and grown by `margin` overlap, and the bodies may collide. Each pair comes once,
    /// lower piece first, in ascending order.
    pub fn update_pairs(&mut self, model: &Model, state: &State, dt: f32, margin: f32) {
        self.boxes.clear();
        self.boxes.extend(model.pieces.iter().map(|piece| {
            let swept = model.outline(piece).iter().fold(Aabb::EMPTY, |all, &point| {
                let position = state.position[point as usize];
                let travel = dt * state.velocity[point as usize];
                all.with(position).with(position + travel)
            });
            swept.grown(piece.radius + margin)
        }));
        self.broad_phase.find_pairs(&self.boxes, &mut self.pairs);
        self.pairs.retain(|&(a, b)| model.pieces_may_collide(a, b));
        self.pairs.sort_unstable();
    }

    /// The pairs of pieces of the last [`Collision::update_pairs`].
    #[must_use]
    pub fn pairs(&self) -> &[(u32, u32)] {
        &self.pairs
    }

    /// Where two pieces touch, or come within `margin` of touching, at the given positions.
    #[must_use]
    pub fn touch(model: &Model, positions: &[Vec2], pair: (u32, u32), margin: f32) -> Touch {
        narrow_phase::touch(model, positions, pair, margin)
    }

    /// Finds the contacts of all pairs at the given positions, in the order of the pairs.
    pub fn detect(&mut self, model: &Model, positions: &[Vec2], margin: f32) -> &[Contact] {
        self.contacts.clear();
        for &pair in &self.pairs {
            self.contacts.extend_from_slice(&narrow_phase::touch(model, positions, pair, margin));
        }
        &self.contacts
    }
}
