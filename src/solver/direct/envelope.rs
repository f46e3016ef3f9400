//! A symmetric positive definite matrix and its Cholesky factor, stored by rows, each from its first
//! entry that is not zero to the diagonal.
//!
//! The factor has no entries outside this envelope (George, Liu, “Computer Solution of Large Sparse
//! Positive Definite Systems”, 1981, ch. 4), so it takes the place of the matrix, and every inner
//! loop is a dot product of two stretches of memory.

use std::ops::Range;

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

    /// Makes all entries 0.
    pub(super) fn clear(&mut self) {
        self.values.fill(0.0);
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

    /// Replaces the matrix by its factor `L`, with `L·Lᵀ` the matrix.
    pub(super) fn factor(&mut self) {
        for row in 0..self.first.len() {
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

    /// Replaces `b` by the `x` with `L·Lᵀ·x = b`.
    pub(super) fn solve(&self, b: &mut [f64]) {
        self.solve_part(0..b.len(), b);
    }

    /// The same for the unknowns of a part that no other is connected with, and their values alone.
    pub(super) fn solve_part(&self, part: Range<usize>, b: &mut [f64]) {
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
        matrix.factor();
        let wanted: Vec<f64> = (0..9).map(|row| f64::from(row) - 3.5).collect();
        let mut x = wanted.clone();
        matrix.solve(&mut x);
        for (row, &wanted) in wanted.iter().enumerate() {
            let product: f64 =
                (0..9).map(|column| entry(row.max(column), row.min(column)) * x[column]).sum();
            assert_relative_eq!(product, wanted, epsilon = 1e-12);
        }
    }
}
