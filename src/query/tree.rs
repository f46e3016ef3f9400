//! Boxes in boxes: which of many boxes something meets, without a look at all of them.
//!
//! Boxes are sorted along a curve that goes through all of the plane and seldom far at once (Morton, 1966), so that halves of
//! that order, and halves of those, lie together (Lauterbach et al., “Fast BVH Construction on GPUs”, 2009, sect. 3). That takes a
//! fifth of the time of finding the middle of each part, and rays half as long again (`benches/query.rs`).

use crate::math::{Aabb, Vec2};

/// So many boxes are looked at one by one.
const FEW: usize = 4;

/// A binary tree over boxes, each node over half as many as the one above.
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
    /// The node of the second half, 0 if there is none; that of the first half follows.
    second: u32,
}

impl Tree {
    /// The tree over some boxes.
    pub(super) fn over(boxes: impl Iterator<Item = Aabb>) -> Self {
        let boxes: Vec<Aabb> = boxes.collect();
        let all = Aabb::around(boxes.iter().map(|one| one.center()));
        let mut order: Vec<u64> = (0_u64..)
            .zip(&boxes)
            .map(|(number, one)| place_on_curve(one.center(), all) << 32 | number)
            .collect();
        order.sort_unstable();
        let numbers = order.into_iter().map(|key| key as u32);
        let leaves = numbers.map(|number| (boxes[number as usize], number)).collect();
        let mut tree = Self { nodes: Vec::with_capacity(boxes.len()), leaves };
        if !boxes.is_empty() {
            tree.grow(0, boxes.len());
        }
        tree
    }

    /// Adds the node of a part of the boxes, and those below it; returns what is around them.
    fn grow(&mut self, first: usize, count: usize) -> Aabb {
        let node = self.nodes.len();
        let bounds = Aabb::EMPTY;
        self.nodes.push(Node { bounds, first: first as u32, count: count as u32, second: 0 });
        let bounds = if count <= FEW {
            let part = &self.leaves[first..first + count];
            part.iter().fold(bounds, |all, (one, _)| all.union(*one))
        } else {
            let half = count / 2;
            let below = self.grow(first, half);
            self.nodes[node].second = self.nodes.len() as u32;
            below.union(self.grow(first + half, count - half))
        };
        self.nodes[node].bounds = bounds;
        bounds
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
        let Node { bounds, first, count, second } = self.nodes[node];
        if !meets(bounds) {
            return;
        }
        if second == 0 {
            let part = &self.leaves[first as usize..(first + count) as usize];
            part.iter().filter(|(one, _)| meets(*one)).for_each(|&(_, number)| tell(number));
            return;
        }
        let halves = [node + 1, second as usize];
        let [from, to] = halves.map(|half| self.nodes[half].bounds.center());
        let back = way.dot(to - from) < 0.0;
        for half in if back { [halves[1], halves[0]] } else { halves } {
            self.each_below(half, way, meets, tell);
        }
    }
}

/// Where on the curve through all of a box a point of it is, 32 bits: those of its coordinates take turns.
fn place_on_curve(at: Vec2, all: Aabb) -> u64 {
    let part = (at - all.min) / all.size().max(Vec2::splat(f32::MIN_POSITIVE));
    let spread = |part: f32| {
        let mut bits = (part * 65535.0) as u64;
        for (by, mask) in [(8, 0x00ff_00ff), (4, 0x0f0f_0f0f), (2, 0x3333_3333), (1, 0x5555_5555)] {
            bits = (bits | bits << by) & mask;
        }
        bits
    };
    spread(part.x) | spread(part.y) << 1
}
