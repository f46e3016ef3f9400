//! Boxes in boxes: which of many boxes something meets, without a look at all of them.

use crate::math::{Aabb, Vec2};

/// So many boxes are looked at one by one.
const FEW: usize = 4;

/// A binary tree over boxes, each half as many as the one above.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    nodes: Vec<Node>,
    /// The boxes in the order of the leaves, each with its number.
    leaves: Vec<(Aabb, u32)>,
}

/// A part of the boxes.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Around all of them.
    bounds: Aabb,
    first: u32,
    count: u32,
    /// The second half, 0 if it has none; the first half follows.
    second: u32,
    /// Whether halves lie side by side, and not one above the other.
    across: bool,
}

impl Tree {
    /// The tree over some boxes.
    pub(super) fn over(boxes: impl Iterator<Item = Aabb>) -> Self {
        let mut tree = Self { nodes: Vec::new(), leaves: boxes.zip(0..).collect() };
        if !tree.leaves.is_empty() {
            tree.grow(0, tree.leaves.len());
        }
        tree
    }

    /// Adds the node of a part of the boxes, and those below it.
    fn grow(&mut self, first: usize, count: usize) {
        let part = &mut self.leaves[first..first + count];
        let bounds = part.iter().fold(Aabb::EMPTY, |all, (one, _)| all.union(*one));
        let middles = Aabb::around(part.iter().map(|(one, _)| one.center())).size();
        let across = middles.x >= middles.y;
        let node = self.nodes.len();
        let (first_number, number) = (first as u32, count as u32);
        self.nodes.push(Node { bounds, first: first_number, count: number, second: 0, across });
        if count <= FEW {
            return;
        }
        let half = count / 2;
        part.select_nth_unstable_by(half, |(a, i), (b, j)| {
            let [a, b] = [a, b].map(|one| {
                let middle = one.center();
                if across { middle.x } else { middle.y }
            });
            a.total_cmp(&b).then(i.cmp(j))
        });
        self.grow(first, half);
        self.nodes[node].second = self.nodes.len() as u32;
        self.grow(first + half, count - half);
    }

    /// Tells the numbers of all boxes that something `meets`, those first that come first along a way. What it meets may
    /// become less meanwhile.
    pub(super) fn each(
        &self,
        way: Vec2,
        meets: &impl Fn(Aabb) -> bool,
        tell: &mut impl FnMut(u32),
    ) {
        if !self.nodes.is_empty() {
            self.each_below(0, way, meets, tell);
        }
    }

    fn each_below(
        &self,
        node: usize,
        way: Vec2,
        meets: &impl Fn(Aabb) -> bool,
        tell: &mut impl FnMut(u32),
    ) {
        let Node { bounds, first, count, second, across } = self.nodes[node];
        if !meets(bounds) {
            return;
        }
        if second == 0 {
            let part = &self.leaves[first as usize..(first + count) as usize];
            part.iter().filter(|(one, _)| meets(*one)).for_each(|&(_, number)| tell(number));
            return;
        }
        let back = if across { way.x } else { way.y } < 0.0;
        let halves = [node + 1, second as usize];
        for half in if back { [halves[1], halves[0]] } else { halves } {
            self.each_below(half, way, meets, tell);
        }
    }
}
