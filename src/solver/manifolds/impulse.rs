//! Manifolds solved for velocities, as `rows/impulse.rs` does it for rows: the sum of impulses is held
//! within bounds, and a later round can take back what an earlier one gave.

use super::motions::Motions;
use super::{Manifolds, Points, Quad, Spot, mass};
use crate::math::{Vec2, cross, cross_sv, left};
use crate::solver::nodes::{Nodes, Twist};
use crate::solver::rows::{Correction, Softness};
use crate::threads::Threads;
use glam::Vec4;

impl Manifolds {
    /// Starts all from the part `scale` of the impulses that they have.
    pub(crate) fn start(&mut self, scale: f32, threads: &Threads, nodes: &mut Nodes) {
        self.rounds(1, threads, nodes, |quads, speeds| {
            quads.iter_mut().for_each(|quad| quad.start(scale, speeds));
        });
    }

    /// Takes the part `scale` of all impulses, without any effect on the nodes.
    pub(crate) fn scale(&mut self, scale: f32, threads: &Threads) {
        if scale == 1.0 {
            return;
        }
        self.each(threads, |bundle| {
            for quad in &mut bundle.quads {
                quad.rubbed *= scale;
                quad.points.iter_mut().for_each(|point| point.pushed *= scale);
            }
        });
    }

    /// Takes gaps anew after bodies have moved.
    pub(crate) fn follow_gaps(&mut self, threads: &Threads, nodes: &Nodes) {
        self.each(threads, |bundle| {
            bundle.read(|node| nodes.travel(node));
            bundle.round(|quads, travels| {
                for quad in quads {
                    let moved = Motions::read(quad, travels);
                    for point in &mut quad.points {
                        point.gap += moved.along(&point.arms);
                    }
                }
            });
        });
    }

    /// Some rounds in a sub-step of `h` seconds: each contact gets the impulses that keep its bodies from
    /// sliding, and from coming nearer than to close the gap within the sub-step. Overlap stays as it is.
    pub(crate) fn press(&mut self, rounds: u32, h: f32, threads: &Threads, nodes: &mut Nodes) {
        let pace = h.recip();
        let push = |point: &Points, nears: Vec4| {
            let aim = pace * point.gap.max(Vec4::ZERO);
            point.pushed - point.mass * (nears + aim)
        };
        self.rounds(rounds, threads, nodes, |quads, speeds| {
            quads.iter_mut().for_each(|quad| quad.press(speeds, push));
        });
    }

    /// The same with contacts that are damped springs where they overlap, and push no faster than `most`,
    /// m/s.
    pub(crate) fn press_softly(
        &mut self,
        rounds: u32,
        h: f32,
        soft: Softness,
        most: f32,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let pace = h.recip();
        let push = |point: &Points, nears: Vec4| {
            let apart = point.gap.cmpgt(Vec4::ZERO);
            let back =
                (soft.rate * (point.gap + Softness::SLOP).min(Vec4::ZERO)).max(Vec4::splat(-most));
            let aim = Vec4::select(apart, pace * point.gap, back);
            let answer = Vec4::select(apart, Vec4::ONE, Vec4::splat(soft.mass));
            let forget = Vec4::select(apart, Vec4::ZERO, Vec4::splat(soft.keep));
            point.pushed - forget * point.pushed - answer * point.mass * (nears + aim)
        };
        self.rounds(rounds, threads, nodes, |quads, speeds| {
            quads.iter_mut().for_each(|quad| quad.press(speeds, push));
        });
    }

    /// Some rounds over velocities.
    fn rounds(
        &mut self,
        rounds: u32,
        threads: &Threads,
        nodes: &mut Nodes,
        work: impl Fn(&mut [Quad], &mut [Twist]) + Sync,
    ) {
        self.run(rounds, threads, |node| nodes.speed(node), work);
        self.write(|node, speed| *nodes.speed_mut(node) = *speed);
    }

    /// Some rounds of position correction, of displacements only.
    pub(crate) fn correct(
        &mut self,
        rounds: u32,
        correction: Correction,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let work = |quads: &mut [Quad], travels: &mut [Twist]| {
            quads.iter_mut().for_each(|quad| quad.correct(correction, travels));
        };
        self.run(rounds, threads, |node| nodes.travel(node), work);
        self.write(|node, travel| *nodes.travel_mut(node) = *travel);
    }

    /// Takes the arms of the normal of a contact anew, after its bodies have moved since it was built: it
    /// acts where both have carried it in the mean, so that both sides have one line of action.
    pub(crate) fn follow(&mut self, spot: Spot, nodes: &Nodes) {
        let pair = self.pairs[spot.manifold as usize];
        let (quad, lane) = self.at_mut(spot);
        let normal = quad.normal_of(lane);
        let travels = pair.map(|node| nodes.travel(node));
        let (mut arms, across) = (quad.arms_of(spot, lane), quad.tangent.get(lane));
        let moved = |side: usize| {
            let arm = across[side] * normal - arms[side] * left(normal);
            travels[side].linear + cross_sv(travels[side].angular, arm)
        };
        let count = pair.iter().filter(|node| nodes.counts(**node)).count();
        let by = (moved(0) + moved(1)) / count.max(1) as f32;
        for (arm, travel) in arms.iter_mut().zip(travels).filter(|(_, end)| end.inv_inertia > 0.0) {
            *arm += cross(by - travel.linear, normal);
        }
        let point = &mut quad.points[usize::from(spot.point)];
        point.arms.set(lane, arms);
        point.mass[lane] = mass(pair.map(|node| &nodes[node]), arms);
    }

    /// Gives a contact the impulse that brings its speed to `wanted`, m/s, pushes only, in total.
    pub(crate) fn steer(&mut self, spot: Spot, wanted: f32, nodes: &mut Nodes) {
        let pair = self.pairs[spot.manifold as usize];
        let (quad, lane) = self.at_mut(spot);
        let normal = quad.normal_of(lane);
        let arms = quad.arms_of(spot, lane);
        let [a, b] = pair.map(|node| nodes.speed(node));
        let speed = normal.dot(a.linear - b.linear) + (arms[0] * a.angular - arms[1] * b.angular);
        let point = &mut quad.points[usize::from(spot.point)];
        let total = (point.pushed[lane] + point.mass[lane] * (wanted - speed)).max(0.0);
        let by = total - point.pushed[lane];
        point.pushed[lane] = total;
        for ((node, arm), by) in pair.into_iter().zip(arms).zip([by, -by]) {
            let inv_mass = nodes[node].inv_mass;
            let speed = nodes.speed_mut(node);
            speed.linear += by * inv_mass * normal;
            speed.angular += by * speed.inv_inertia * arm;
        }
    }
}

impl Quad {
    fn start(&mut self, scale: f32, speeds: &mut [Twist]) {
        let mut motions = Motions::read(self, speeds);
        self.rubbed *= scale;
        motions.rub(self, &self.tangent, self.rubbed);
        for k in 0..2 {
            self.points[k].pushed *= scale;
            motions.push(self, &self.points[k].arms, self.points[k].pushed);
        }
        motions.write(self, speeds);
    }

    /// Friction first, so that what presses has the last word; see [`Manifolds::press`].
    #[inline(always)]
    fn press(&mut self, speeds: &mut [Twist], push: impl Fn(&Points, Vec4) -> Vec4) {
        let mut motions = Motions::read(self, speeds);
        let most = self.friction * (self.points[0].pushed + self.points[1].pushed);
        let slides = motions.across(&self.tangent);
        let rubbed = (self.rubbed - self.tangent_mass * slides).max(-most).min(most);
        motions.rub(self, &self.tangent, rubbed - self.rubbed);
        self.rubbed = rubbed;
        for k in 0..2 {
            let point = &self.points[k];
            let pushed = push(point, motions.along(&point.arms)).max(Vec4::ZERO);
            motions.push(self, &point.arms, pushed - point.pushed);
            self.points[k].pushed = pushed;
        }
        motions.write(self, speeds);
    }

    #[inline(always)]
    fn correct(&self, correction: Correction, travels: &mut [Twist]) {
        let Correction { part, slop, most } = correction;
        let mut motions = Motions::read(self, travels);
        for point in &self.points {
            let gap = point.gap + motions.along(&point.arms);
            let lacks = (-part * (gap + slop).min(Vec4::ZERO)).min(Vec4::splat(most));
            motions.push(self, &point.arms, lacks * point.mass);
        }
        motions.write(self, travels);
    }

    fn normal_of(&self, lane: usize) -> Vec2 {
        Vec2::new(self.normal[0][lane], self.normal[1][lane])
    }

    fn arms_of(&self, spot: Spot, lane: usize) -> [f32; 2] {
        self.points[usize::from(spot.point)].arms.get(lane)
    }
}
