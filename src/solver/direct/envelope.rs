//! A symmetric positive definite matrix and its Cholesky factor, stored by rows, each from its first
//! entry that is not zero to the diagonal.
//!
//! The factor has no entries outside this envelope (George, Liu, “Computer Solution of Large Sparse
//! Positive Definite Systems”, 1981, ch. 4), so it takes the place of the matrix, and every inner
//! loop is a dot product of two stretches of memory.

use std::ops::Range;

use wide::f64x4;

/// The matrix; after [`Envelope::factor`], its Cholesky factor.
#[derive(Clone, Debug, Default)]
pub(super) struct Envelope {
    /// The first column of each row.
    first: Vec<u32>,
    /// Where each row ends in `values`; its diagonal comes last.
    end: Vec<usize>,
    values: Vec<f64>,
    /// One over the diagonal of the factor.
    inverse: Vec<f64>,
}

impl Envelope {
    /// A matrix of zeros whose rows begin at these columns.
    pub(super) fn new(first: Vec<u32>) -> Self {
        let mut sum = 0;
        let end: Vec<usize> = first
            .iter()
            .enumerate()
            .map(|(row, &first)| {
                sum += row + 1 - first as usize;
                sum
            })
            .collect();
        Self { inverse: vec![0.0; first.len()], values: vec![0.0; sum], first, end }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.first.len()
    }

    /// Makes all entries of some rows 0.
    pub(super) fn clear(&mut self, rows: Range<usize>) {
        let start = rows.start.checked_sub(1).map_or(0, |before| self.end[before]);
        let end = rows.end.checked_sub(1).map_or(0, |last| self.end[last]);
        self.values[start..end].fill(0.0);
    }

    /// Adds to the entry at `row` and `column`, which is not to the right of it.
    #[inline]
    pub(super) fn add(&mut self, row: usize, column: usize, value: f64) {
        let at = self.end[row] - 1 - (row - column);
        self.values[at] += value;
    }

    /// The entries of a row from `column` to the diagonal.
    #[inline]
    pub(super) fn from(&mut self, row: usize, column: usize) -> &mut [f64] {
        let end = self.end[row];
        &mut self.values[end - 1 - (row - column)..end]
    }

    /// The entries of a row to the left of the diagonal, and the column they begin at.
    #[inline]
    fn left_of(&self, row: usize) -> (usize, &[f64]) {
        let first = self.first[row] as usize;
        let last = self.end[row] - 1;
        (first, &self.values[last - (row - first)..last])
    }

    /// Replaces a part of the matrix, whose unknowns no other is connected with, by its factor `L`, with `L·Lᵀ` what it
    /// was.
    pub(super) fn factor(&mut self, part: Range<usize>) {
        for row in part {
            let (first, last) = (self.first[row] as usize, self.end[row] - 1);
            let start = last - (row - first);
            for column in first..row {
                let (from, other) = self.left_of(column);
                let common = first.max(from);
                let mine = &self.values[start + common - first..start + column - first];
                let sum = dot(mine, &other[common - from..]);
                let at = start + column - first;
                self.values[at] = (self.values[at] - sum) * self.inverse[column];
            }
            let mine = &self.values[start..last];
            let whole = self.values[last];
            // What rounding may take from a pivot is nothing beside what it was.
            let pivot = (whole - dot(mine, mine)).max(f64::EPSILON * whole);
            self.inverse[row] = 1.0 / pivot.sqrt();
        }
    }

    /// Replaces the values `b` of the unknowns of such a part by the `x` with `L·Lᵀ·x = b`.
    pub(super) fn solve(&self, part: Range<usize>, b: &mut [f64]) {
        let start = part.start;
        for row in part.clone() {
            let (first, mine) = self.left_of(row);
            let sum = dot(mine, &b[first - start..row - start]);
            b[row - start] = (b[row - start] - sum) * self.inverse[row];
        }
        for row in part.rev() {
            let (first, mine) = self.left_of(row);
            b[row - start] *= self.inverse[row];
            let known = b[row - start];
            for (value, &entry) in b[first - start..row - start].iter_mut().zip(mine) {
                *value -= entry * known;
            }
        }
    }

    /// The same for four sets of values at once. One alone mostly waits for the row before, and reads the factor as
    /// often. Nothing is done about values before the first that is not 0.
    pub(super) fn solve_four(&self, part: Range<usize>, b: &mut [f64x4]) {
        let start = part.start;
        let Some(begin) = b.iter().position(|b| *b != f64x4::ZERO) else { return };
        for row in start + begin..part.end {
            let (first, mine) = self.left_of(row);
            let from = first.max(start + begin).min(row);
            let sum = dot_four(&mine[from - first..], &b[from - start..row - start]);
            b[row - start] = (b[row - start] - sum) * f64x4::splat(self.inverse[row]);
        }
        for row in part.rev() {
            let (first, mine) = self.left_of(row);
            let known = b[row - start] * f64x4::splat(self.inverse[row]);
            b[row - start] = known;
            for (value, &entry) in b[first - start..row - start].iter_mut().zip(mine) {
                *value -= f64x4::splat(entry) * known;
            }
        }
    }
}

/// Sum of products, in four parts that need not wait for each other.
#[inline]
fn dot(a: &[f64], b: &[f64]) -> f64 {
    let mut sums = [0.0; 4];
    let (fours, rest) = (a.chunks_exact(4).zip(b.chunks_exact(4)), a.len() & !3);
    for (a, b) in fours {
        for k in 0..4 {
            sums[k] += a[k] * b[k];
        }
    }
    let tail: f64 = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| a * b).sum();
    (sums[0] + sums[1]) + (sums[2] + sums[3]) + tail
}

/// The same for four sets of numbers, in two parts.
#[inline]
fn dot_four(a: &[f64], b: &[f64x4]) -> f64x4 {
    let mut sums = [f64x4::ZERO; 2];
    let (twos, rest) = (a.chunks_exact(2).zip(b.chunks_exact(2)), a.len() & !1);
    for (a, b) in twos {
        for k in 0..2 {
            sums[k] += f64x4::splat(a[k]) * b[k];
        }
    }
    for (a, b) in a[rest..].iter().zip(&b[rest..]) {
        sums[0] += f64x4::splat(*a) * *b;
    }
    sums[0] + sums[1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    /// A chain of 9 with a link from the first to the fifth: what is solved gives back what was
    /// asked for.
    #[test]
    fn solves_what_it_factored() {
        let entry = |row: usize, column: usize| match row - column {
            0 => 4.0 + row as f64,
            1 => -1.5,
            4 if row == 4 => -0.7,
            _ => 0.0,
        };
        let first: Vec<u32> =
            (0_u32..9).map(|row| if row == 4 { 0 } else { row.saturating_sub(1) }).collect();
        let mut matrix = Envelope::new(first.clone());
        for (row, &start) in first.iter().enumerate() {
            for column in start as usize..=row {
                matrix.add(row, column, entry(row, column));
            }
        }
        matrix.factor(0..9);
        let wanted: Vec<f64> = (0..9).map(|row| f64::from(row) - 3.5).collect();
        let mut x = wanted.clone();
        matrix.solve(0..9, &mut x);
        for (row, &wanted) in wanted.iter().enumerate() {
            let product: f64 =
                (0..9).map(|column| entry(row.max(column), row.min(column)) * x[column]).sum();
            assert_relative_eq!(product, wanted, epsilon = 1e-12);
        }
    }
    #[test]
    fn four_at_once_are_solved_as_one_by_one() {
        let first = vec![0, 0, 1, 0, 3, 3, 4];
        let mut matrix = Envelope::new(first.clone());
        for (row, &start) in first.iter().enumerate() {
            for column in start as usize..=row {
                matrix.add(row, column, if row == column { 5.0 } else { -0.3 * column as f64 });
            }
        }
        matrix.factor(0..7);
        // The first of them begins late, the last is nothing at all.
        let value = |lane: usize, row: usize| match lane {
            0 if row < 4 => 0.0,
            3 => 0.0,
            _ => (lane + 2 * row) as f64 - 4.5,
        };
        let mut four: Vec<f64x4> =
            (0..7).map(|row| f64x4::new([0, 1, 2, 3].map(|lane| value(lane, row)))).collect();
        matrix.solve_four(0..7, &mut four);
        for lane in 0..4 {
            let mut one: Vec<f64> = (0..7).map(|row| value(lane, row)).collect();
            matrix.solve(0..7, &mut one);
            for (one, four) in one.iter().zip(&four) {
                assert_relative_eq!(*one, four.to_array()[lane], epsilon = 1e-12);
            }
        }
    }
}
