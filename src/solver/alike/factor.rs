//! Four symmetric positive definite matrices of one pattern and their factors `L·D·Lᵀ`, side by side and by blocks of
//! 2 × 2, one for each pair of points.
//!
//! As in `direct/envelope.rs`, each row of blocks is stored from its first block that is not zero to the diagonal,
//! and the factor takes the place of the matrix. `L` has ones on its diagonal and `D` nothing elsewhere: that needs no
//! square roots, on which narrow matrices would wait longer than they reckon (Bathe, “Finite Element Procedures”,
//! 2014, sect. 8.2.3).

use fearless_simd::{Level, Simd, dispatch, f64x4 as Vector, prelude::*};
use wide::f64x4;

/// Four blocks of 2 × 2, by rows. On the diagonal of a factor: one over the first entry of `D`, nothing, the entry of
/// `L` below, one over the second of `D`.
pub(super) type Block = [f64x4; 4];

/// Two numbers of each body.
pub(crate) type Pair = [f64x4; 2];

/// Where the blocks of a matrix are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Profile {
    /// The first column of each row, and where that block is.
    rows: Vec<(u32, u32)>,
    blocks: usize,
}

impl Profile {
    /// Rows that begin at these columns.
    pub(super) fn new(first: &[u32]) -> Self {
        let mut blocks = 0;
        let rows = first.iter().enumerate().map(|(row, &first)| {
            let start = blocks as u32;
            blocks += row + 1 - first as usize;
            (first, start)
        });
        Self { rows: rows.collect(), blocks }
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The number of blocks.
    pub(super) fn blocks(&self) -> usize {
        self.blocks
    }

    /// Where a block is that is not to the right of the diagonal.
    #[inline(always)]
    pub(super) fn at(&self, row: u32, column: u32) -> usize {
        let (first, start) = self.rows[row as usize];
        (start + column - first) as usize
    }

    /// The first column of a row, and where that block and the one on the diagonal are.
    #[inline(always)]
    fn row(&self, row: usize) -> (usize, usize, usize) {
        let (first, start) = self.rows[row];
        let (first, start) = (first as usize, start as usize);
        (first, start, start + row - first)
    }

    /// Replaces matrices by their factors.
    pub(super) fn factor(&self, values: &mut [Block]) {
        self.factor_on(Level::new(), values);
    }

    /// The same with vectors of this width.
    fn factor_on(&self, level: Level, values: &mut [Block]) {
        dispatch!(level, simd => for row in 0..self.rows.len() {
            self.factor_row(simd, row, values);
        });
    }

    #[inline(always)]
    fn factor_row<S: Simd>(&self, simd: S, row: usize, values: &mut [Block]) {
        let (first, start, last) = self.row(row);
        for column in first..row {
            let (from, other, diagonal) = self.row(column);
            let common = first.max(from);
            let at = start + column - first;
            let mine = &values[start + common - first..at];
            let [mut a, mut b, mut c, mut d] = read(simd, &values[at]);
            for (u, l) in mine.iter().zip(&values[other + common - from..diagonal]) {
                let (u, l) = (read(simd, u), read(simd, l));
                a -= u[0] * l[0] + u[1] * l[1];
                b -= u[0] * l[2] + u[1] * l[3];
                c -= u[2] * l[0] + u[3] * l[1];
                d -= u[2] * l[2] + u[3] * l[3];
            }
            let [_, _, below, _] = read(simd, &values[diagonal]);
            write(&mut values[at], [a, b - a * below, c, d - c * below]);
        }
        // So far the row is that of L·D.
        let (before, from_row) = values.split_at_mut(start);
        let (row_values, diagonal) = from_row.split_at_mut(last - start);
        let [whole_upper, _, whole_below, whole_lower] = read(simd, &diagonal[0]);
        let (mut upper, mut below, mut lower) = (whole_upper, whole_below, whole_lower);
        for (of, column) in row_values.iter_mut().zip(first..) {
            let [left, _, _, right] = read(simd, &before[self.row(column).2]);
            let u = read(simd, of);
            let l = [u[0] * left, u[1] * right, u[2] * left, u[3] * right];
            upper -= u[0] * l[0] + u[1] * l[1];
            below -= u[2] * l[0] + u[3] * l[1];
            lower -= u[2] * l[2] + u[3] * l[3];
            write(of, l);
        }
        // What rounding may take from a pivot is nothing beside what it was.
        let least = Vector::splat(simd, f64::EPSILON);
        let upper = 1.0 / upper.max(least * whole_upper);
        let ratio = below * upper;
        let lower = (lower - below * ratio).max(least * whole_lower);
        write(&mut diagonal[0], [upper, Vector::splat(simd, 0.0), ratio, 1.0 / lower]);
    }

    /// Replaces `b` by the `x` with `L·D·Lᵀ·x = b`, for factors `values`.
    pub(super) fn solve(&self, values: &[Block], x: &mut [Pair]) {
        self.solve_on(Level::new(), values, x);
    }

    /// The same with vectors of this width.
    fn solve_on(&self, level: Level, values: &[Block], x: &mut [Pair]) {
        dispatch!(level, simd => self.solve_by(simd, values, None, x));
    }

    /// The same for four `b` of the same body, the one in a lane.
    pub(super) fn solve_lane(&self, values: &[Block], lane: usize, x: &mut [Pair]) {
        dispatch!(Level::new(), simd => self.solve_by(simd, values, Some(lane), x));
    }

    /// The same for the body in each lane, or for one of them.
    #[inline(always)]
    fn solve_by<S: Simd>(&self, simd: S, values: &[Block], one: Option<usize>, x: &mut [Pair]) {
        for row in 0..self.rows.len() {
            let (first, start, last) = self.row(row);
            let [mut a, mut b] = read(simd, &x[row]);
            for (l, known) in values[start..last].iter().zip(&x[first..row]) {
                let (l, known) = (read_of(simd, l, one), read(simd, known));
                a -= l[0] * known[0] + l[1] * known[1];
                b -= l[2] * known[0] + l[3] * known[1];
            }
            let [_, _, below, _] = read_of(simd, &values[last], one);
            write(&mut x[row], [a, b - below * a]);
        }
        for (row, x) in x.iter_mut().enumerate() {
            let [upper, _, _, lower] = read_of(simd, &values[self.row(row).2], one);
            let [a, b] = read(simd, x);
            write(x, [a * upper, b * lower]);
        }
        for row in (0..self.rows.len()).rev() {
            let (first, start, last) = self.row(row);
            let [a, b] = read(simd, &x[row]);
            let [_, _, below, _] = read_of(simd, &values[last], one);
            let a = a - below * b;
            write(&mut x[row], [a, b]);
            for (l, value) in values[start..last].iter().zip(&mut x[first..row]) {
                let l = read_of(simd, l, one);
                let [mut upper, mut lower] = read(simd, value);
                upper -= l[0] * a + l[2] * b;
                lower -= l[1] * a + l[3] * b;
                write(value, [upper, lower]);
            }
        }
    }
}

/// Numbers as vectors that are as wide as the processor's.
#[inline(always)]
fn read<S: Simd, const N: usize>(simd: S, of: &[f64x4; N]) -> [Vector<S>; N] {
    let mut all = [Vector::splat(simd, 0.0); N];
    for k in 0..N {
        all[k] = Vector::load_array_ref(simd, of[k].as_array());
    }
    all
}

/// The same, or that of one body in every lane.
#[inline(always)]
fn read_of<S: Simd>(simd: S, of: &Block, one: Option<usize>) -> [Vector<S>; 4] {
    let Some(lane) = one else { return read(simd, of) };
    let mut all = [Vector::splat(simd, 0.0); 4];
    for k in 0..4 {
        all[k] = Vector::splat(simd, of[k].as_array()[lane]);
    }
    all
}

/// Puts them where they stay.
#[inline(always)]
fn write<S: Simd, const N: usize>(to: &mut [f64x4; N], of: [Vector<S>; N]) {
    for (to, of) in to.iter_mut().zip(of) {
        *to.as_mut_array() = of.to_array();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::plane::tests::levels;
    use approx::assert_relative_eq;

    /// Chains of five points with a link from the first to the fourth, each another matrix: what is solved gives
    /// back what was asked for.
    #[test]
    fn solves_what_it_factored() {
        let profile = Profile::new(&[0, 0, 1, 0, 3]);
        let entry = |row: u32, column: u32| -> Block {
            let lanes = |k: u32| {
                let value = |lane: u32| {
                    let all = f64::from(7 * row + 3 * column + k + 5 * lane);
                    if row == column {
                        [9.0 + all, 0.5, 0.5, 8.0 + all][k as usize]
                    } else {
                        all.sin()
                    }
                };
                f64x4::new([value(0), value(1), value(2), value(3)])
            };
            [lanes(0), lanes(1), lanes(2), lanes(3)]
        };
        let mut values = vec![Block::default(); profile.blocks()];
        let mut wanted = vec![Pair::default(); profile.rows()];
        let x: Vec<Pair> = (0..5)
            .map(|k| [f64x4::new([1.0, k as f64, 2.0, -1.0]), f64x4::splat(0.5 - k as f64)])
            .collect();
        for row in 0..5 {
            for column in profile.rows[row as usize].0..=row {
                let block = entry(row, column);
                values[profile.at(row, column)] = block;
                let (r, c) = (row as usize, column as usize);
                wanted[r][0] += block[0] * x[c][0] + block[1] * x[c][1];
                wanted[r][1] += block[2] * x[c][0] + block[3] * x[c][1];
                if row != column {
                    wanted[c][0] += block[0] * x[r][0] + block[2] * x[r][1];
                    wanted[c][1] += block[1] * x[r][0] + block[3] * x[r][1];
                }
            }
        }
        // However wide vectors are, what comes out is the same to the bit.
        let solved = levels().into_iter().map(|level| {
            let (mut values, mut x) = (values.clone(), wanted.clone());
            profile.factor_on(level, &mut values);
            profile.solve_on(level, &values, &mut x);
            x
        });
        let solved: Vec<Vec<Pair>> = solved.collect();
        assert!(solved.iter().all(|x| *x == solved[0]));
        profile.factor(&mut values);
        // Of the second body alone, asked four times over.
        let one = |all: &f64x4| f64x4::splat(all.as_array()[1]);
        let mut asked: Vec<Pair> = wanted.iter().map(|pair| pair.each_ref().map(one)).collect();
        profile.solve_lane(&values, 1, &mut asked);
        for (found, x) in asked.iter().flatten().zip(x.iter().flatten()) {
            for found in found.to_array() {
                assert_relative_eq!(found, x.to_array()[1], epsilon = 1e-12);
            }
        }
        profile.solve(&values, &mut wanted);
        for (found, x) in wanted.iter().flatten().zip(x.iter().flatten()) {
            for (found, x) in found.to_array().into_iter().zip(x.to_array()) {
                assert_relative_eq!(found, x, epsilon = 1e-12);
            }
        }
    }
}
