//! A symmetric positive definite matrix and its factor `L·D·Lᵀ`, stored in *panels* of four rows, each from its first
//! columns that are not zero to the diagonal.
//!
//! The factor has no entries outside this envelope (George, Liu, “Computer Solution of Large Sparse
//! Positive Definite Systems”, 1981, ch. 4), so it takes the place of the matrix. `L` has ones on its diagonal and `D`
//! nothing elsewhere: that needs no square roots, on which narrow matrices would wait longer than they reckon (Bathe,
//! “Finite Element Procedures”, 2014, sect. 8.2.3).
//!
//! Four rows are worked on at a time, and four columns of them: what one number waits for another need not, and of what
//! is fetched each is used four times (blocking: Golub, Van Loan, “Matrix Computations”, 2013, sect. 1.5). How wide the
//! processor's vectors are is found out at run time; what comes out is the same to the bit.

use std::ops::Range;

use bytemuck::{Pod, Zeroable};
use fearless_simd::{Level, Simd, dispatch, f64x2, f64x4, prelude::*};

/// Rows of a panel.
pub(super) const ROWS: usize = 4;

/// A number of each of four rows; or of each of four sets of values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub(super) struct Four([f64; ROWS]);

impl Four {
    #[inline(always)]
    fn read<S: Simd>(&self, simd: S) -> f64x4<S> {
        f64x4::load_array_ref(simd, &self.0)
    }

    #[inline(always)]
    fn set<S: Simd>(&mut self, of: f64x4<S>) {
        self.0 = of.to_array();
    }
}

/// The matrix; after [`Envelope::factor`], its factor. Unknowns that nothing says anything about, not even their inertia,
/// stay 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    panels: Vec<Panel>,
    /// The entries of panels, column by column. Those above the diagonal mean nothing.
    values: Vec<Four>,
    /// One over each entry of `D`.
    inverse: Vec<f64>,
}

/// Four rows.
#[derive(Clone, Copy, Debug)]
struct Panel {
    /// The first column, the first of a panel too.
    first: usize,
    /// Where it is among all values.
    start: usize,
}

impl Panel {
    /// Where a column is among all values.
    #[inline(always)]
    fn at(self, column: usize) -> usize {
        self.start + (column - self.first)
    }
}

impl Envelope {
    /// A matrix of zeros whose rows begin at these columns. Of parts that are not connected each begins a panel.
    pub(super) fn new(first: &[u32]) -> Self {
        let mut start = 0;
        let panels: Vec<Panel> = first
            .chunks(ROWS)
            .enumerate()
            .map(|(index, rows)| {
                let least = rows.iter().copied().min().unwrap_or(0) as usize;
                let panel = Panel { first: least / ROWS * ROWS, start };
                start += (index + 1) * ROWS - panel.first;
                panel
            })
            .collect();
        let inverse = vec![0.0; panels.len() * ROWS];
        Self { panels, values: vec![Four::default(); start], inverse }
    }

    /// The number of rows, those that fill up the last panels of parts among them.
    pub(super) fn len(&self) -> usize {
        self.inverse.len()
    }

    /// Whether there is an entry at `row` and `column`, which is not to the right of it.
    pub(super) fn holds(&self, row: usize, column: usize) -> bool {
        self.panels[row / ROWS].first <= column
    }

    /// Makes all entries of a part 0.
    pub(super) fn clear(&mut self, part: Range<usize>) {
        let start =
            |row: usize| self.panels.get(row / ROWS).map_or(self.values.len(), |of| of.start);
        let range = start(part.start)..start(part.end);
        self.values[range].fill(Four::default());
    }

    /// Adds to the entry at `row` and `column`, which is not to the right of it.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        let at = self.panels[row / ROWS].at(column);
        self.values[at].0[row % ROWS] += value;
    }

    /// Replaces a part of the matrix, whose unknowns no other is connected with, by its factor.
    pub(super) fn factor(&mut self, part: Range<usize>) {
        self.factor_on(Level::new(), part);
    }

    /// The same with vectors of this width.
    fn factor_on(&mut self, level: Level, part: Range<usize>) {
        dispatch!(level, simd => for panel in panels_of(&part) {
            self.take_out(simd, panel);
            self.factor_diagonal(simd, panel);
        });
    }

    /// Takes out of a panel, left of the diagonal, what the columns before each say about it: what is left are entries of
    /// `L·D`.
    #[inline(always)]
    fn take_out<S: Simd>(&mut self, simd: S, index: usize) {
        let panel = self.panels[index];
        let (others, own) = self.values.split_at_mut(panel.start);
        for column in (panel.first..index * ROWS).step_by(ROWS) {
            let other = self.panels[column / ROWS];
            let from = panel.first.max(other.first);
            let (mine, here) = own.split_at_mut(column - panel.first);
            let (theirs, diagonal) = others[other.at(from)..].split_at(column - from);
            let mut sums = read_panel(simd, here);
            for (mine, theirs) in mine[from - panel.first..].iter().zip(theirs) {
                let mine = mine.read(simd);
                for (sum, &entry) in sums.iter_mut().zip(&theirs.0) {
                    *sum -= mine * f64x4::splat(simd, entry);
                }
            }
            for k in 1..ROWS {
                for before in 0..k {
                    let entry = f64x4::splat(simd, diagonal[before].0[k]);
                    sums[k] -= sums[before] * entry;
                }
            }
            write_panel(here, sums);
        }
    }

    /// Makes the entries of `L` of those of `L·D` of a panel, and factors what these leave of its diagonal.
    #[inline(always)]
    fn factor_diagonal<S: Simd>(&mut self, simd: S, index: usize) {
        let Panel { first, start } = self.panels[index];
        let diagonal = index * ROWS;
        let (left, diagonal_block) = self.values[start..].split_at_mut(diagonal - first);
        let block: &mut [Four; ROWS] =
            diagonal_block.first_chunk_mut().expect("a panel has its diagonal");
        let wholes = [block[0].0[0], block[1].0[1], block[2].0[2], block[3].0[3]];
        let mut sums = read_panel(simd, block);
        for (mine, &inverse) in left.iter_mut().zip(&self.inverse[first..diagonal]) {
            let unscaled = mine.read(simd);
            mine.set(unscaled * f64x4::splat(simd, inverse));
            for (sum, &entry) in sums.iter_mut().zip(&mine.0) {
                *sum -= unscaled * f64x4::splat(simd, entry);
            }
        }
        write_panel(block, sums);
        for (k, whole) in wholes.into_iter().enumerate() {
            let unscaled = block[k].0;
            // What rounding may take from a pivot is nothing beside what it was.
            let pivot = unscaled[k].max(f64::EPSILON * whole);
            let inverse = if whole > 0.0 { 1.0 / pivot } else { 0.0 };
            self.inverse[diagonal + k] = inverse;
            block[k].0 = [0, 1, 2, 3].map(|row| inverse * unscaled[row]);
            for column in k + 1..ROWS {
                for (row, unscaled) in unscaled.into_iter().enumerate().skip(column) {
                    block[column].0[row] -= unscaled * block[k].0[column];
                }
            }
        }
    }

    /// Replaces the values `b` of the unknowns of such a part by the `x` with `L·D·Lᵀ·x = b`.
    pub(super) fn solve(&self, part: Range<usize>, b: &mut [f64]) {
        self.solve_on(Level::new(), part, b);
    }

    /// The same with vectors of this width.
    fn solve_on(&self, level: Level, part: Range<usize>, b: &mut [f64]) {
        let (b, _) = b.as_chunks_mut::<ROWS>();
        dispatch!(level, simd => {
            for panel in panels_of(&part) {
                self.forward(simd, panel, part.start, b);
            }
            for (value, inverse) in b.as_flattened_mut().iter_mut().zip(&self.inverse[part.clone()]) {
                *value *= inverse;
            }
            for panel in panels_of(&part).rev() {
                self.back(simd, panel, part.start, b);
            }
        });
    }

    /// What the values of a panel are, but for `D` and those after it, once those before it are known. `b` has those from
    /// `start` on.
    #[inline(always)]
    fn forward<S: Simd>(&self, simd: S, index: usize, start: usize, b: &mut [[f64; ROWS]]) {
        let (left, block, first) = self.panel(index);
        let (known, own) = b.split_at_mut(index - start / ROWS);
        let own = &mut own[0];
        let zero = f64x4::splat(simd, 0.0);
        let mut sums = [f64x4::load_array_ref(simd, own), zero, zero, zero];
        let (left, _) = left.as_chunks::<ROWS>();
        for (columns, known) in left.iter().zip(&known[(first - start) / ROWS..]) {
            for k in 0..ROWS {
                sums[k] -= columns[k].read(simd) * f64x4::splat(simd, known[k]);
            }
        }
        *own = ((sums[0] + sums[1]) + (sums[2] + sums[3])).to_array();
        for (k, column) in block.iter().enumerate() {
            for row in k + 1..ROWS {
                own[row] -= column.0[row] * own[k];
            }
        }
    }

    /// The values of a panel once those after it are known, and what they take from those before it.
    #[inline(always)]
    fn back<S: Simd>(&self, simd: S, index: usize, start: usize, b: &mut [[f64; ROWS]]) {
        let (left, block, first) = self.panel(index);
        let (before, own) = b.split_at_mut(index - start / ROWS);
        let own = &mut own[0];
        for (k, column) in block.iter().enumerate().rev() {
            for row in k + 1..ROWS {
                own[k] -= column.0[row] * own[row];
            }
        }
        let own = f64x4::load_array_ref(simd, own);
        let (left, _) = left.as_chunks::<ROWS>();
        for (columns, before) in left.iter().zip(&mut before[(first - start) / ROWS..]) {
            let [a, b, c, d] = columns;
            let two = sums_of(a.read(simd) * own, b.read(simd) * own);
            let sums = two.combine(sums_of(c.read(simd) * own, d.read(simd) * own));
            *before = (f64x4::load_array_ref(simd, before) - sums).to_array();
        }
    }

    /// The columns of a panel left of the diagonal, those on it, and the number of the first.
    #[inline(always)]
    fn panel(&self, index: usize) -> (&[Four], &[Four; ROWS], usize) {
        let Panel { first, start } = self.panels[index];
        let (left, block) = self.values[start..].split_at(index * ROWS - first);
        (left, block.first_chunk().expect("a panel has its diagonal"), first)
    }

    /// The same for four sets of values at once. One alone mostly waits for the row before, and reads the factor as
    /// often. Nothing is done about values before the first that is not 0.
    pub(super) fn solve_four(&self, part: Range<usize>, b: &mut [Four]) {
        self.solve_four_on(Level::new(), part, b);
    }

    /// The same with vectors of this width.
    fn solve_four_on(&self, level: Level, part: Range<usize>, b: &mut [Four]) {
        let Some(begin) = b.iter().position(|b| *b != Four::default()) else { return };
        let begin = (part.start + begin) / ROWS;
        dispatch!(level, simd => {
            for panel in begin..part.end / ROWS {
                self.forward_four(simd, panel, (part.start, begin * ROWS), b);
            }
            for (value, &inverse) in b.iter_mut().zip(&self.inverse[part.clone()]) {
                value.set(value.read(simd) * f64x4::splat(simd, inverse));
            }
            for panel in panels_of(&part).rev() {
                self.back_four(simd, panel, part.start, b);
            }
        });
    }

    /// As [`Envelope::forward`], where nothing is known before `begin`.
    #[inline(always)]
    fn forward_four<S: Simd>(
        &self,
        simd: S,
        index: usize,
        (start, begin): (usize, usize),
        b: &mut [Four],
    ) {
        let (left, block, first) = self.panel(index);
        let (known, own) = b.split_at_mut(index * ROWS - start);
        let mut sums = [own[0].read(simd), own[1].read(simd), own[2].read(simd), own[3].read(simd)];
        let from = first.max(begin);
        for (column, known) in left[from - first..].iter().zip(&known[from - start..]) {
            let known = known.read(simd);
            for (sum, &entry) in sums.iter_mut().zip(&column.0) {
                *sum -= f64x4::splat(simd, entry) * known;
            }
        }
        for (k, column) in block.iter().enumerate() {
            for row in k + 1..ROWS {
                sums[row] -= f64x4::splat(simd, column.0[row]) * sums[k];
            }
        }
        write_panel(own, sums);
    }

    /// As [`Envelope::back`].
    #[inline(always)]
    fn back_four<S: Simd>(&self, simd: S, index: usize, start: usize, b: &mut [Four]) {
        let (left, block, first) = self.panel(index);
        let (before, own) = b.split_at_mut(index * ROWS - start);
        let mut known = read_panel(simd, own);
        for (k, column) in block.iter().enumerate().rev() {
            for row in k + 1..ROWS {
                known[k] -= f64x4::splat(simd, column.0[row]) * known[row];
            }
        }
        write_panel(own, known);
        let [p, q, r, s] = known;
        for (column, before) in left.iter().zip(&mut before[first - start..]) {
            let [a, b, c, d] = column.0;
            let two = f64x4::splat(simd, a) * p + f64x4::splat(simd, b) * q;
            let others = f64x4::splat(simd, c) * r + f64x4::splat(simd, d) * s;
            before.set(before.read(simd) - (two + others));
        }
    }
}

/// The panels of a part.
fn panels_of(part: &Range<usize>) -> Range<usize> {
    part.start / ROWS..part.end / ROWS
}

/// The first columns of a panel, or the first values of four sets.
#[inline(always)]
fn read_panel<S: Simd>(simd: S, of: &[Four]) -> [f64x4<S>; ROWS] {
    [of[0].read(simd), of[1].read(simd), of[2].read(simd), of[3].read(simd)]
}

/// Replaces them.
#[inline(always)]
fn write_panel<S: Simd>(to: &mut [Four], of: [f64x4<S>; ROWS]) {
    for (to, of) in to.iter_mut().zip(of) {
        to.set(of);
    }
}

/// The sum of all lanes of each.
#[inline(always)]
fn sums_of<S: Simd>(a: f64x4<S>, b: f64x4<S>) -> f64x2<S> {
    let ((a, further_a), (b, further_b)) = (a.split(), b.split());
    let (first, second) = (a + further_a).interleave(b + further_b);
    first + second
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::plane::tests::levels;
    use approx::assert_relative_eq;
    use proptest::prelude::*;

    /// Two parts whose rows begin so far to the left of the diagonal, and their matrix in full. Panels are filled up with
    /// rows of nothing.
    fn matrix(parts: [&[u32]; 2]) -> (Envelope, Vec<Vec<f64>>, [Range<usize>; 2]) {
        let mut first = Vec::new();
        let ranges = parts.map(|rows| {
            let start = first.len();
            first.extend(
                rows.iter().zip(0..).map(|(left, row)| start as u32 + row - left.min(&row)),
            );
            first.extend(first.len() as u32..first.len().next_multiple_of(ROWS) as u32);
            start..first.len()
        });
        let mut made = Envelope::new(&first);
        let mut full = vec![vec![0.0; first.len()]; first.len()];
        for (rows, range) in parts.into_iter().zip(&ranges) {
            for row in range.start..range.start + rows.len() {
                let columns = first[row] as usize..=row;
                for column in columns {
                    let entry = if column == row {
                        3.0 * (row - first[row] as usize + 8) as f64
                    } else {
                        1.5 * ((7 * row + 3 * column) as f64).sin()
                    };
                    made.add(row, column, entry);
                    (full[row][column], full[column][row]) = (entry, entry);
                }
            }
        }
        (made, full, ranges)
    }

    fn asked(lane: usize, row: usize) -> f64 {
        match lane {
            // The first of them begins late, the last is nothing at all.
            0 if row < 6 => 0.0,
            3 => 0.0,
            _ => ((11 * lane + 5 * row) as f64).cos(),
        }
    }

    proptest! {
        #[test]
        fn solves_what_it_factored_with_vectors_of_any_width(
            rows in prop::collection::vec(0..14_u32, 1..40),
            others in prop::collection::vec(0..5_u32, 1..20),
        ) {
            let (made, full, parts) = matrix([&rows, &others]);
            let counts = [rows.len(), others.len()];
            let mut solved = Vec::new();
            for level in levels() {
                let mut factored = made.clone();
                for part in parts.clone() {
                    factored.factor_on(level, part);
                }
                for (part, count) in parts.clone().into_iter().zip(counts) {
                    let fours: Vec<Four> = (0..part.len())
                        .map(|row| if row < count { row } else { usize::MAX })
                        .map(|row| Four([0, 1, 2, 3].map(|lane| {
                            if row == usize::MAX { 0.0 } else { asked(lane, row) }
                        })))
                        .collect();
                    let mut found = fours.clone();
                    factored.solve_four_on(level, part.clone(), &mut found);
                    for lane in 0..4 {
                        let mut one: Vec<f64> = fours.iter().map(|four| four.0[lane]).collect();
                        factored.solve_on(level, part.clone(), &mut one);
                        for row in 0..count {
                            let entries = &full[part.start + row][part.clone()];
                            let product: f64 = entries.iter().zip(&one).map(|(a, x)| a * x).sum();
                            assert_relative_eq!(product, fours[row].0[lane], epsilon = 1e-12);
                            assert_relative_eq!(one[row], found[row].0[lane], epsilon = 1e-12);
                        }
                        prop_assert!(one[count..].iter().all(|value| *value == 0.0));
                        solved.push((level, one));
                    }
                }
            }
            let each = solved.len() / levels().len();
            for (k, (level, one)) in solved.iter().enumerate() {
                prop_assert_eq!(one, &solved[k % each].1, "{:?}", level);
            }
        }
    }

    /// An entry that rounding has brought to nothing or below keeps the little that rounding may have taken.
    #[test]
    fn a_matrix_that_says_the_same_twice_has_a_factor_all_the_same() {
        let mut made = Envelope::new(&[0, 0, 2, 3]);
        for (row, column) in [(0, 0), (1, 0), (1, 1)] {
            made.add(row, column, 1.0);
        }
        made.factor(0..4);
        let mut x = [1.0, 1.0, 0.0, 0.0];
        made.solve(0..4, &mut x);
        assert_relative_eq!(x[0] + x[1], 1.0, epsilon = 1e-6);
        assert_eq!(x[2..], [0.0, 0.0]);
    }
}
