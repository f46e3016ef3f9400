//! What joints pull on nodes: how much is kept of what they start from, and how nodes bear it.

use super::{Node, Nodes, PART, Twist};
use crate::math::Vec2;
use crate::threads::Threads;

/// How many times its moment of inertia the load on a node may be, see [`Nodes::bear`]; more than 4 explodes.
const RESOLVED: f32 = 2.0;

impl Nodes {
    /// Notes velocities, for [`Nodes::keep_least_energy`].
    pub(crate) fn note_speeds(&mut self, threads: &Threads) {
        threads.copy(&self.speeds, &mut self.before);
    }

    /// Keeps of the change of velocity since [`Nodes::note_speeds`] of each group the part, 0 to 1, that leaves it
    /// with the least kinetic energy: with the change `Δ`, `−v·M·Δ / Δ·M·Δ`.
    ///
    /// That is for starting joints from what they gave before. In a fast spin, or where joints contradict each
    /// other, old impulses point the wrong way, and a few rounds cannot take back all they do. At rest under gravity
    /// the part is 1, and a start never adds energy.
    pub(crate) fn keep_least_energy(&mut self, threads: &Threads) {
        let Self { nodes, speeds, before, shares, sums, kept, groups, .. } = self;
        shares.resize(nodes.len(), Vec2::ZERO);
        type Looking<'a> = (&'a mut [Vec2], (&'a [Node], (&'a [Twist], &'a [Twist])));
        let look = |(shares, (nodes, (speeds, before))): Looking<'_>| {
            for (((share, node), speed), before) in
                shares.iter_mut().zip(nodes).zip(speeds).zip(before)
            {
                *share = along_and_square(node, speed, before);
            }
        };
        let all = (&nodes[..], (&speeds[..], &before[..]));
        threads.each((&mut shares[..], all), PART, look);
        sums.clear();
        sums.resize(*groups, Vec2::ZERO);
        nodes.iter().zip(&*shares).for_each(|(node, share)| sums[node.group as usize] += *share);
        kept.clear();
        kept.extend(sums.iter().map(|&Vec2 { x: along, y: square }| {
            if square > 0.0 { (-along / square).clamp(0.0, 1.0) } else { 1.0 }
        }));
        type Part<'a> = (&'a mut [Twist], (&'a [Node], &'a [Twist]));
        let keep = |(speeds, (nodes, before)): Part<'_>| {
            for ((speed, node), before) in speeds.iter_mut().zip(nodes).zip(before) {
                let part = kept[node.group as usize];
                speed.linear = before.linear + part * (speed.linear - before.linear);
                speed.angular = before.angular + part * (speed.angular - before.angular);
            }
        };
        threads.each((&mut speeds[..], (&nodes[..], &before[..])), PART, keep);
    }

    /// The part that was kept of the change of a node.
    pub(crate) fn kept(&self, node: u32) -> f32 {
        self.kept[self[node].group as usize]
    }

    /// Lets nodes resist turning as much as they must for `loads`: of each node that something pulls on, how strongly
    /// that turns it back in a sub-step once it has turned, kg·m²: `h²·f·r` for a force `f` along the lever arm `r`.
    ///
    /// Forces of joints keep their direction for a sub-step, so that this spring, the geometric stiffness of Tournier
    /// et al., “Stable Constrained Dynamics”, 2015, sect. 4, acts one sub-step late. That explodes where the load is
    /// more than four times the moment of inertia: a light link quivers under a heavy load, and more pull than there
    /// should be is passed on to its neighbours. What is beyond [`RESOLVED`] is added to the moment of inertia, as an
    /// implicit integration would have it (Andrews, Teichmann and Kry, “Geometric Stiffness for Real-time
    /// Constrained Multibody Dynamics”, 2017). A spin that lasts is not braked by it.
    pub(crate) fn bear(&mut self, loads: impl Iterator<Item = (u32, f32)>, threads: &Threads) {
        let mut loads = loads.peekable();
        let was_loaded = std::mem::replace(&mut self.is_loaded, loads.peek().is_some());
        if !self.is_loaded && !was_loaded {
            return;
        }
        self.loads.clear();
        self.loads.resize(self.nodes.len(), 0.0);
        loads.for_each(|(node, load)| self.loads[node as usize] += load);
        let Self { nodes, loads, speeds, travels, .. } = self;
        type Part<'a> = ((&'a [Node], &'a [f32]), (&'a mut [Twist], &'a mut [Twist]));
        let bear = |((nodes, loads), (speeds, travels)): Part<'_>| {
            let motions = speeds.iter_mut().zip(travels);
            for ((node, &load), (speed, travel)) in nodes.iter().zip(loads).zip(motions) {
                let times = (load * node.inv_inertia / RESOLVED).max(1.0);
                speed.inv_inertia = node.inv_inertia / times;
                travel.inv_inertia = speed.inv_inertia;
            }
        };
        let all = ((&nodes[..], &loads[..]), (&mut speeds[..], &mut travels[..]));
        threads.each(all, PART, bear);
    }
}

/// How much of the motion of a node a change since `before` is along, by the kinetic energy of both, and how large it is, J.
fn along_and_square(node: &Node, speed: &Twist, before: &Twist) -> Vec2 {
    let mut both = Vec2::ZERO;
    if node.inv_mass > 0.0 {
        let change = speed.linear - before.linear;
        both += Vec2::new(before.linear.dot(change), change.length_squared()) / node.inv_mass;
    }
    if speed.inv_inertia > 0.0 {
        let change = speed.angular - before.angular;
        both += Vec2::new(before.angular * change, change * change) / speed.inv_inertia;
    }
    both
}
