//! How rows that act on what is solved together (`wholes.rs`) move each other, without its nodes.
//!
//! An impulse of such a row moves the whole group that it acts on, as the equations let it. Rounds need to know no more
//! of that than how it moves the other rows on the same group: with the derivatives `J` of all of them, and the inverse
//! `A⁻¹` that the factor of the group stands for, that is `J·A⁻¹·Jᵀ`, the Schur complement of the equations. So rounds
//! keep how fast each row moves ([`Coupling::motions`]), or how far, and an impulse changes as many numbers as there
//! are rows on the group. The nodes are moved once, in the end, by all impulses together.

use std::ops::Range;

use wide::f64x4;

use super::wholes::Wholes;
use crate::solver::direct::{Slope, Term};

/// The number of what is not there.
pub(super) const NONE: u32 = u32::MAX;

/// The rows that act on groups that tell their responses.
#[derive(Clone, Debug, Default)]
pub(super) struct Coupling {
    rows: Vec<Coupled>,
    /// Side by side those of each row.
    seats: Vec<Seat>,
    /// The terms of these rows: of each, those of each of its seats, then those that are in no such group.
    terms: Vec<Term>,
    /// The derivatives of each seat by the unknowns of its group.
    slopes: Vec<Slope>,
    /// For each group, where its seats are in `order` and `motions`.
    groups: Vec<Range<usize>>,
    /// The seats group by group.
    order: Vec<u32>,
    /// How fast, or how far, the group of each seat moves along the terms of its row, in the same order.
    motions: Vec<f32>,
    /// What a unit impulse of a seat changes of those of its group.
    columns: Vec<f32>,
    /// The groups and seats that are to ask.
    asking: Vec<(u32, u32)>,
    /// Whether rounds are going on, so that `motions` holds what the nodes do not.
    goes_on: bool,
}

/// A row that acts on one such group or more.
#[derive(Clone, Debug)]
struct Coupled {
    seats: Range<u32>,
    /// Its terms that are in none.
    loose: Range<u32>,
    /// What it has given since rounds began.
    given: f32,
}

/// What a row is to a group.
#[derive(Clone, Debug)]
struct Seat {
    group: u32,
    /// Its place in `order` and `motions`.
    place: u32,
    terms: Range<u32>,
    slopes: Range<u32>,
    /// Where its column begins; [`NONE`] until it is asked for.
    column: u32,
}

fn range(of: &Range<u32>) -> Range<usize> {
    of.start as usize..of.end as usize
}

impl Coupling {
    /// Forgets all rows.
    pub(super) fn clear(&mut self) {
        let Self { rows, seats, terms, slopes, groups, order, motions, columns, asking, .. } = self;
        rows.clear();
        seats.clear();
        terms.clear();
        slopes.clear();
        groups.clear();
        order.clear();
        motions.clear();
        columns.clear();
        asking.clear();
        self.goes_on = false;
    }

    /// Adds a row with these terms, if it acts on a group that tells its responses, and returns its number.
    pub(super) fn add(&mut self, terms: &[Term], wholes: &Wholes) -> Option<u32> {
        let Self { rows, seats, terms: all, slopes, .. } = self;
        let first_seat = seats.len();
        for (k, term) in terms.iter().enumerate() {
            let Some(group) = wholes.telling(term.node) else { continue };
            if seats[first_seat..].iter().any(|seat| seat.group == group) {
                continue;
            }
            let (own_terms, own_slopes) = (all.len() as u32, slopes.len() as u32);
            let own = terms[k..].iter().filter(|term| wholes.telling(term.node) == Some(group));
            for term in own {
                all.push(*term);
                wholes.add_slopes(term, slopes);
            }
            seats.push(Seat {
                group,
                place: 0,
                terms: own_terms..all.len() as u32,
                slopes: own_slopes..slopes.len() as u32,
                column: NONE,
            });
        }
        if seats.len() == first_seat {
            return None;
        }
        let first_loose = all.len() as u32;
        all.extend(terms.iter().filter(|term| wholes.telling(term.node).is_none()));
        rows.push(Coupled {
            seats: first_seat as u32..seats.len() as u32,
            loose: first_loose..all.len() as u32,
            given: 0.0,
        });
        Some(rows.len() as u32 - 1)
    }

    /// Finds the places of the seats, when all rows are there; there are so many groups.
    pub(super) fn place(&mut self, groups: usize) {
        let Self { seats, groups: ranges, order, motions, .. } = self;
        ranges.resize(groups, 0..0);
        for seat in &*seats {
            ranges[seat.group as usize].end += 1;
        }
        let mut sum = 0;
        for range in &mut *ranges {
            let count = range.end;
            *range = sum..sum;
            sum += count;
        }
        order.resize(sum, 0);
        motions.resize(sum, 0.0);
        for (number, seat) in (0..).zip(seats) {
            let end = &mut ranges[seat.group as usize].end;
            (order[*end], seat.place) = (number, *end as u32);
            *end += 1;
        }
    }

    /// Whether a row's responses are still to be asked for.
    pub(super) fn is_unasked(&self, row: u32) -> bool {
        self.rows
            .get(row as usize)
            .is_some_and(|row| self.seats[row.seats.start as usize].column == NONE)
    }

    /// Lets a row ask for its responses, in [`Coupling::ask`].
    pub(super) fn request(&mut self, row: u32) {
        let Self { rows, seats, asking, .. } = self;
        let own = rows[row as usize].seats.clone();
        asking.extend(own.map(|seat| (seats[seat as usize].group, seat)));
    }

    /// Finds what has been asked for, four seats of a group at a time.
    pub(super) fn ask(&mut self, wholes: &mut Wholes) {
        let Self { seats, slopes, groups, order, columns, asking, .. } = self;
        asking.sort_unstable();
        for of_group in asking.chunk_by(|a, b| a.0 == b.0) {
            let group = of_group[0].0;
            let members = &order[groups[group as usize].clone()];
            for asked in of_group.chunks(4) {
                let pushes = asked.iter().map(|(_, seat)| {
                    let own = &seats[*seat as usize].slopes;
                    &slopes[range(own)]
                });
                let four = wholes.respond_four(group, pushes);
                let first = columns.len();
                columns.resize(first + asked.len() * members.len(), 0.0);
                for (k, &member) in members.iter().enumerate() {
                    let own = &slopes[range(&seats[member as usize].slopes)];
                    let sum = own.iter().fold(f64x4::ZERO, |sum, slope| {
                        sum + f64x4::splat(f64::from(slope.by)) * four[slope.at as usize]
                    });
                    for (lane, sum) in sum.to_array().into_iter().take(asked.len()).enumerate() {
                        columns[first + lane * members.len() + k] = sum as f32;
                    }
                }
                for (lane, (_, seat)) in asked.iter().enumerate() {
                    seats[*seat as usize].column = (first + lane * members.len()) as u32;
                }
            }
        }
        asking.clear();
    }

    /// How far a unit impulse of a row moves the row itself through its groups, 1/kg.
    pub(super) fn mobility(&self, row: u32) -> f32 {
        let seats = &self.seats[range(&self.rows[row as usize].seats)];
        let own = |seat: &Seat| {
            let first = self.groups[seat.group as usize].start;
            self.columns[seat.column as usize + seat.place as usize - first]
        };
        seats.iter().map(own).sum()
    }

    /// The terms of a row that are in no group.
    pub(super) fn loose(&self, row: u32) -> &[Term] {
        &self.terms[range(&self.rows[row as usize].loose)]
    }

    /// Begins rounds: nothing has been given yet, and `of` tells how each node moves along a term.
    pub(super) fn begin(&mut self, of: impl Fn(&Term) -> f32) {
        let Self { rows, seats, terms, motions, .. } = self;
        rows.iter_mut().for_each(|row| row.given = 0.0);
        for seat in seats {
            motions[seat.place as usize] = terms[range(&seat.terms)].iter().map(&of).sum();
        }
        self.goes_on = true;
    }

    /// Whether rounds are going on for a row with this number.
    pub(super) fn holds(&self, row: u32) -> bool {
        self.goes_on && row != NONE
    }

    /// How fast, or how far, the groups of a row move along it.
    pub(super) fn motion(&self, row: u32) -> f32 {
        let seats = &self.seats[range(&self.rows[row as usize].seats)];
        seats.iter().map(|seat| self.motions[seat.place as usize]).sum()
    }

    /// Gives a row that has its responses an impulse.
    pub(super) fn push(&mut self, row: u32, impulse: f32) {
        let Self { rows, seats, groups, motions, columns, .. } = self;
        let row = &mut rows[row as usize];
        row.given += impulse;
        for seat in &seats[range(&row.seats)] {
            let motions = &mut motions[groups[seat.group as usize].clone()];
            let column = &columns[seat.column as usize..];
            for (motion, by) in motions.iter_mut().zip(column) {
                *motion += impulse * by;
            }
        }
    }

    /// Ends rounds. What has been given is left in `wholes`, for the nodes and equations of its groups; returns whether
    /// anything has.
    pub(super) fn end(&mut self, wholes: &mut Wholes) -> bool {
        self.goes_on = false;
        let Self { rows, seats, slopes, .. } = self;
        if rows.iter().all(|row| row.given == 0.0) {
            return false;
        }
        let pushes = rows.iter().filter(|row| row.given != 0.0).flat_map(|row| {
            let own = seats[range(&row.seats)].iter();
            own.map(|seat| (seat.group, &slopes[range(&seat.slopes)], row.given))
        });
        wholes.follow(pushes);
        true
    }
}
