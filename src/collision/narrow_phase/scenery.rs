//! Where pieces are looked at, and their outlines there, found beforehand where many pairs are to be tested.

use super::four::Four;
use crate::collision::PART;
use crate::math::Vec2;
use crate::threads::Threads;
use crate::world::{Model, Piece};

/// What is looked at: pieces, at these positions.
#[derive(Clone, Copy)]
pub(crate) struct Scenery<'a> {
    pub(in crate::collision) model: &'a Model,
    pub(in crate::collision) positions: &'a [Vec2],
    /// The outline of each piece there, if they are known.
    outlines: &'a [Option<Four>],
}

/// The outlines of all pieces at some positions. To find one takes about as long as to test a pair with it, and most
/// pieces are part of several pairs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outlines(Vec<Option<Four>>);

/// Room for those of two pieces that are not known.
#[derive(Default)]
pub(in crate::collision) struct Room(pub(super) [Option<Four>; 2]);

impl Outlines {
    /// Finds all if so many pairs are to be tested that it is worth it, or forgets them.
    pub(crate) fn find_for(
        &mut self,
        pairs: usize,
        model: &Model,
        positions: &[Vec2],
        threads: &Threads,
    ) {
        if 2 * pairs < model.pieces.len() {
            self.0.clear();
            return;
        }
        self.0.resize(model.pieces.len(), None);
        let find = |(pieces, outlines): (&[Piece], &mut [Option<Four>])| {
            for (piece, outline) in pieces.iter().zip(outlines) {
                *outline = Four::new(model.outline(piece), positions);
            }
        };
        threads.each((&model.pieces[..], &mut self.0[..]), PART, find);
    }

    /// The pieces at these positions, which those are that the outlines were found at if they are known.
    pub(crate) fn at<'a>(&'a self, model: &'a Model, positions: &'a [Vec2]) -> Scenery<'a> {
        Scenery { model, positions, outlines: &self.0 }
    }
}

impl<'a> Scenery<'a> {
    pub(in crate::collision) fn new(model: &'a Model, positions: &'a [Vec2]) -> Self {
        Self { model, positions, outlines: &[] }
    }

    /// The outline of a piece, if it has so few vertices: where it is not known it is found, and put into `room`.
    #[inline]
    pub(super) fn four(
        &self,
        piece: u32,
        points: &[u32],
        room: &'a mut Option<Four>,
    ) -> Option<&'a Four> {
        match self.outlines.get(piece as usize) {
            Some(known) => known.as_ref(),
            None => {
                *room = Four::new(points, self.positions);
                room.as_ref()
            }
        }
    }

    /// The radii of two pieces together, m.
    pub(super) fn radii(&self, pair: (u32, u32)) -> f32 {
        self.model.pieces[pair.0 as usize].radius + self.model.pieces[pair.1 as usize].radius
    }
}
