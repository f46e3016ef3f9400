//! Disjoint sets: what hangs together.
//!
//! Union by the lowest member and path halving (Tarjan, van Leeuwen, “Worst-case Analysis of Set Union
//! Algorithms”, 1984). That the lowest member stands for a set makes what comes of it independent of the
//! order in which things are joined.

/// A division of `0..n` into sets.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sets {
    parents: Vec<u32>,
}

impl Sets {
    /// Each of `0..count` in a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        let mut sets = Self::default();
        sets.reset(count);
        sets
    }

    /// The same in the memory of these.
    pub(crate) fn reset(&mut self, count: usize) {
        self.parents.clear();
        self.parents.extend(0..count as u32);
    }

    /// The lowest member of the set that holds `member`.
    pub(crate) fn root(&mut self, member: usize) -> usize {
        let mut at = member as u32;
        loop {
            let above = self.parents[at as usize];
            if above == at {
                return at as usize;
            }
            self.parents[at as usize] = self.parents[above as usize];
            at = above;
        }
    }

    /// The lowest member of the set of each member.
    pub(crate) fn roots(&mut self) -> &[u32] {
        // No parent has a higher number, so each knows its root before its children ask.
        for member in 0..self.parents.len() {
            self.parents[member] = self.parents[self.parents[member] as usize];
        }
        &self.parents
    }

    /// Makes the sets of the two members of each of these pairs one. Pairs that follow each other often begin with the same
    /// member.
    pub(crate) fn join_all(&mut self, pairs: impl IntoIterator<Item = [usize; 2]>) {
        let (mut last, mut root) = (usize::MAX, usize::MAX);
        for [a, b] in pairs {
            // Nothing has been joined since.
            let from = if a == last { root } else { a };
            (last, root) = (a, self.join(from, b));
        }
    }

    /// Makes the sets of two members one; returns its lowest member.
    #[inline]
    pub(crate) fn join(&mut self, a: usize, b: usize) -> usize {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b) as u32;
        a.min(b)
    }
}

#[cfg(test)]
mod tests {
    use super::Sets;

    #[test]
    fn sets_are_named_by_their_lowest_member() {
        let mut sets = Sets::new(6);
        sets.join(4, 5);
        sets.join(3, 4);
        sets.join(0, 2);
        let roots: Vec<usize> = (0..6).map(|member| sets.root(member)).collect();
        assert_eq!(roots, [0, 1, 0, 3, 3, 3]);
        sets.join(5, 1);
        sets.join(2, 4);
        assert_eq!(sets.roots(), [0; 6]);
    }

    #[test]
    fn joining_all_is_joining_each() {
        let pairs = [[5, 6], [5, 4], [5, 2], [1, 7], [2, 3], [2, 6], [7, 0]];
        let (mut all, mut each) = (Sets::new(9), Sets::new(9));
        all.join_all(pairs);
        pairs.into_iter().for_each(|[a, b]| _ = each.join(a, b));
        assert_eq!(all.roots(), each.roots());
        assert_eq!(all.roots(), [0, 0, 2, 2, 2, 2, 2, 0, 8]);
    }
}
