//! How two blocks stand to each other, how far they have come against each other since, and how far they will.
//!
//! That is seen from the one that reaches farther, which turns as it will: what lies in a drum hardly moves against
//! it, though both move against the world. No two points of the blocks have gone apart, as it is seen from there, by
//! more than the centre of the smaller and its turning say.
//!
//! Where most stand still it is enough to know how far each has gone by itself ([`Nodes::have_gone`]), which takes two
//! numbers for two blocks.

use crate::math::{Rot, Vec2, cross_sv};
use crate::threads::Threads;

use super::{Node, Nodes, PART, Twist};

/// Ways are counted in so many parts of a metre, and begin again at 0 after some kilometres: only differences are
/// looked at.
const PARTS: f32 = 1_048_576.0;
/// The most that is counted of the way of a step, m.
const FAR: f32 = 500.0;

/// How two blocks stand to each other.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stand {
    /// The centre of the smaller and how it is turned, seen from the larger.
    center: Vec2,
    rot: Rot,
    /// How the larger was turned, seen from the world, when that was noted last.
    whole: Rot,
}

/// How far the points of a block have gone at most, by what is noted once a step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Gone {
    center: Vec2,
    rot: Rot,
    /// In [`PARTS`].
    sum: u32,
}

impl Stand {
    /// Notes how both are turned as one.
    pub(crate) fn note_turn(&mut self, nodes: &Nodes, pair: [u32; 2]) {
        let [large, _] = nodes.by_reach(pair);
        self.whole = nodes[large].rot;
    }
}

impl Nodes {
    /// How two blocks stand to each other.
    #[inline]
    pub(crate) fn stand(&self, pair: [u32; 2]) -> Stand {
        let [large, small] = self.by_reach(pair).map(|node| &self[node]);
        Stand {
            center: large.rot.unapply(small.center - large.center),
            rot: large.rot.inverse().after(small.rot),
            whole: large.rot,
        }
    }

    /// An upper bound of how far any two points of two blocks have gone apart since they stood so, m.
    pub(crate) fn moved_since(&self, pair: [u32; 2], since: &Stand) -> f32 {
        let now = self.stand(pair);
        let [_, small] = self.by_reach(pair);
        now.center.distance(since.center) + self[small].reach * chord(now.rot, since.rot)
    }

    /// How far the turning of both as one has moved the points of the larger of two blocks at most since it was noted,
    /// and will in `h` seconds as it turns now, m.
    pub(crate) fn turns_as_one(&self, pair: [u32; 2], since: &Stand, h: f32) -> [f32; 2] {
        let [large, _] = self.by_reach(pair);
        let Node { rot, reach, .. } = self[large];
        [reach * chord(rot, since.whole), reach * h * self.speed(large).angular.abs()]
    }

    /// Notes how far all have gone, and will in the `dt` seconds of a step as they move now.
    pub(crate) fn note_ways(&mut self, dt: f32, threads: &Threads) {
        let Self { nodes, speeds, gone, soon_gone, .. } = self;
        gone.resize(nodes.len(), Gone::default());
        soon_gone.resize(nodes.len(), 0);
        type Part<'a> = ((&'a [Node], &'a [Twist]), (&'a mut [Gone], &'a mut [u32]));
        let note = |((nodes, speeds), (gone, soon)): Part<'_>| {
            for ((node, speed), (gone, soon)) in
                nodes.iter().zip(speeds).zip(gone.iter_mut().zip(soon))
            {
                let way =
                    node.center.distance(gone.center) + node.reach * chord(node.rot, gone.rot);
                let sum = gone.sum.wrapping_add(in_parts(way));
                *gone = Gone { center: node.center, rot: node.rot, sum };
                let comes = dt * (speed.linear.length() + node.reach * speed.angular.abs());
                *soon = sum.wrapping_add(in_parts(comes));
            }
        };
        threads.each(((&nodes[..], &speeds[..]), (&mut gone[..], &mut soon_gone[..])), PART, note);
    }

    /// When two blocks that have come against each other as far as was noted last are to be looked at again, if they may
    /// come by `more`, m: for [`Nodes::have_gone`].
    pub(crate) fn due(&self, pair: [u32; 2], more: f32) -> u32 {
        let [a, b] = pair.map(|node| self.gone.get(node as usize).map_or(0, |gone| gone.sum));
        a.wrapping_add(b).wrapping_add((PARTS * more.min(FAR)) as u32)
    }

    /// Whether two blocks may come so far against each other in this step that they are `due`.
    #[inline]
    pub(crate) fn have_gone(&self, pair: [u32; 2], due: u32) -> bool {
        let [a, b] = pair.map(|node| self.soon_gone[node as usize]);
        // What is due lies less than half of all that is counted ahead, or else behind.
        due.wrapping_sub(a.wrapping_add(b)).cast_signed() <= 0
    }

    /// How far the points of two nodes are from their centres at most, m.
    pub(crate) fn reaches(&self, pair: [u32; 2]) -> [f32; 2] {
        pair.map(|node| self[node].reach)
    }

    /// How far pieces of two blocks, with these radii, are from each other at least, m, as circles around the blocks
    /// show; nothing if these overlap.
    pub(crate) fn gap_around(&self, pair: [u32; 2], radii: [f32; 2]) -> Option<f32> {
        let [a, b] = pair.map(|node| &self[node]);
        let reach = a.reach + b.reach + radii[0] + radii[1];
        let square = a.center.distance_squared(b.center);
        (square > reach * reach).then(|| square.sqrt() - reach)
    }

    /// An upper bound of how far any two points of two blocks come towards each other in `h` seconds as they move now, m.
    pub(crate) fn most_way(&self, pair: [u32; 2], h: f32) -> f32 {
        self.most_of(pair, &self.speeds, h)
    }

    /// The same as they go in this sub-step.
    pub(super) fn most_travel(&self, pair: [u32; 2]) -> f32 {
        self.most_of(pair, &self.travels, 1.0)
    }

    /// The same by `h` times these motions.
    #[inline]
    fn most_of(&self, pair: [u32; 2], motions: &[Twist], h: f32) -> f32 {
        let [a, b] = pair.map(|node| (&self[node], &motions[node as usize]));
        let ((large, whole), (small, part)) = if a.0.reach >= b.0.reach { (a, b) } else { (b, a) };
        let between = small.center - large.center;
        let seen = part.linear - whole.linear - cross_sv(whole.angular, between);
        let turning = (part.angular - whole.angular).abs() * small.reach;
        // What goes straight on is left behind by what turns with the larger.
        let bend = 0.5 * (h * whole.angular).powi(2) * (between.abs().element_sum() + small.reach);
        h * (seen.length() + turning) + bend
    }

    /// How fast the first of two nodes moves against the second, each at its place, along a direction, m/s.
    pub(crate) fn meeting_speed(&self, pair: [u32; 2], places: [Vec2; 2], along: Vec2) -> f32 {
        let [a, b] = [0, 1].map(|k| {
            let Twist { linear, angular, .. } = *self.speed(pair[k]);
            linear + cross_sv(angular, places[k] - self[pair[k]].center)
        });
        along.dot(a - b)
    }

    /// Two nodes, the one that reaches farther first.
    #[inline]
    fn by_reach(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        if self[a].reach >= self[b].reach { [a, b] } else { [b, a] }
    }
}

/// A way in [`PARTS`], not less than it is.
fn in_parts(way: f32) -> u32 {
    (PARTS * way.min(FAR)) as u32 + 1
}

/// How far a point at 1 m has moved from one rotation to another, m.
fn chord(a: Rot, b: Rot) -> f32 {
    Vec2::new(a.c, a.s).distance(Vec2::new(b.c, b.s))
}
