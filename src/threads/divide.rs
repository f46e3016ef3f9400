//! What threads can share out: slices, ranges, several of these side by side, and lists of owners together with what
//! each of them owns.

use std::ops::Range;

/// What can be divided into a first and a second part.
pub(crate) trait Divide: Sized + Send {
    /// How many there are.
    fn size(&self) -> usize;

    /// The first `at`, and the others.
    fn divide(self, at: usize) -> (Self, Self);
}

impl<T: Sync> Divide for &[T] {
    fn size(&self) -> usize {
        self.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        self.split_at(at)
    }
}

impl<T: Send> Divide for &mut [T] {
    fn size(&self) -> usize {
        self.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        self.split_at_mut(at)
    }
}

impl Divide for Range<usize> {
    fn size(&self) -> usize {
        self.len()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        (self.start..self.start + at, self.start + at..self.end)
    }
}

impl<A: Divide, B: Divide> Divide for (A, B) {
    fn size(&self) -> usize {
        self.0.size()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let ((a, b), (c, d)) = (self.0.divide(at), self.1.divide(at));
        ((a, c), (b, d))
    }
}

impl<D: Divide + Default, const N: usize> Divide for [D; N] {
    fn size(&self) -> usize {
        self.first().map_or(0, Divide::size)
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let mut halves = self.map(|part| part.divide(at));
        let firsts = halves.each_mut().map(|(first, _)| std::mem::take(first));
        (firsts, halves.map(|(_, second)| second))
    }
}

/// What has a stretch of values for its own, as a body has its points.
pub(crate) trait Owner {
    /// The first of them.
    fn first(&self) -> usize;
}

/// What owns all from a place on, up to where the next begins.
impl Owner for u32 {
    fn first(&self) -> usize {
        *self as usize
    }
}

/// Owners whose stretches come in their order; what lies between them nobody looks at.
pub(crate) trait Owners: Divide {
    /// The first value of the first of them. There is one at least.
    fn first(&self) -> usize;
}

impl<O: Owner + Sync> Owners for &[O] {
    fn first(&self) -> usize {
        self[0].first()
    }
}

impl<O: Owner + Send> Owners for &mut [O] {
    fn first(&self) -> usize {
        self[0].first()
    }
}

impl<A: Owners, B: Divide> Owners for (A, B) {
    fn first(&self) -> usize {
        self.0.first()
    }
}

/// Some owners, and among others the values of all of them.
pub(crate) struct Stretches<'a, D, V> {
    pub(crate) owners: D,
    pub(crate) values: &'a mut [V],
    /// The number of the first of these values.
    pub(crate) first: usize,
}

impl<'a, D, V> Stretches<'a, D, V> {
    /// Those of all values that there are.
    pub(crate) fn new(owners: D, values: &'a mut [V]) -> Self {
        Self { owners, values, first: 0 }
    }
}

impl<V> Stretches<'_, &[u32], V> {
    /// Does some work on what each owns.
    pub(crate) fn each(self, mut work: impl FnMut(&mut [V])) {
        let mut left = self.values;
        for two in self.owners.windows(2) {
            let (own, others) = left.split_at_mut((two[1] - two[0]) as usize);
            work(own);
            left = others;
        }
        work(left);
    }
}

impl<D: Owners, V: Send> Divide for Stretches<'_, D, V> {
    fn size(&self) -> usize {
        self.owners.size()
    }

    fn divide(self, at: usize) -> (Self, Self) {
        let (a, b) = self.owners.divide(at);
        let middle = b.first();
        debug_assert!(middle >= self.first, "owners come in the order of what they own");
        let (values, others) = self.values.split_at_mut(middle - self.first);
        let first = Self { owners: a, values, first: self.first };
        (first, Self { owners: b, values: others, first: middle })
    }
}
