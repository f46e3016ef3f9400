//! A manifold: the contacts of two pieces whose bodies move as blocks.

use super::motions::{Arms, Motions, gather_both, inverse};
use super::projection::Way;
use super::strip;
use crate::math::{Lane, Mapped, Vec2, cross, left};
use crate::solver::nodes::{Node, Twist};
use crate::solver::rows::Correction;
use glam::Vec4;

/// The gap of a contact that is not there, m.
const FAR: f32 = 1e9;

/// What two bodies that touch have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surface {
    /// Unit vector from the second body to the first.
    pub(crate) normal: Vec2,
    /// Coefficient μ.
    pub(crate) friction: f32,
}

/// A contact as it is put into a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Point {
    /// Where it acts on each body, m.
    pub(crate) places: [Vec2; 2],
    /// The gap along the normal, negative for overlap, m.
    pub(crate) gap: f32,
    /// Impulses to start from: along the surface, along the normal.
    pub(crate) start: Vec2,
    /// The speed at which its bodies are to part if it is pressed, m/s; 0 if they come to rest.
    pub(crate) parts: f32,
    /// What part that is of the speed at which they come.
    pub(crate) restitution: f32,
}

/// What is put into a manifold.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Put {
    pub(crate) surface: Surface,
    pub(crate) points: [Point; 2],
    /// How many of the points there are.
    pub(crate) count: usize,
    /// Whether its bodies meet fast.
    pub(crate) meets: bool,
}

/// Four manifolds side by side. Idle lanes, the last ones, have no mass, and the bodies of the one before them.
///
/// Both contacts of a pair rub along the same line, so there is one row of friction for the two. It acts
/// at the nearer one.
///
/// The three rows of a manifold are solved one after the other, and what each waits for is what the time of a round
/// goes into. So the speeds along all three are found at once, and what one impulse does to the speeds of the rows after
/// it is one product with their *coupling*; bodies get all three in the end.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ManifoldQuad {
    /// The bodies of each, by their places in the bundle: J·v is that of the first less that of the second.
    pub(super) bodies: [[u32; 4]; 2],
    pub(super) normal: [Vec4; 2],
    pub(super) inv_mass: [Vec4; 2],
    pub(super) friction: Vec4,
    /// Lever arms of the direction along the surface, and what brings a speed along it to zero, kg.
    pub(super) tangent: Arms,
    pub(super) tangent_mass: Vec4,
    /// Impulse along the surface so far, N·s.
    pub(super) rubbed: Vec4,
    /// What an impulse along the surface does to the speed of each contact, 1/kg.
    rub_on: [Vec4; 2],
    /// What that of the first contact does to the second, 1/kg.
    first_on_second: Vec4,
    pub(super) points: [Points; 2],
}

/// Where the contacts of a quad are on their bodies, from which gaps are found anew when these have moved. That is
/// once a sub-step and not in each round, so it stands apart.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Anchors([Anchor; 2]);

/// One contact of each manifold of a quad.
#[derive(Clone, Copy, Debug, Default)]
struct Anchor {
    /// Its places on both bodies, in the frames of these.
    local: [[Vec4; 2]; 2],
    /// The gap where both places are one.
    gap: Vec4,
}

impl Anchors {
    /// Puts the contacts of a manifold between two nodes into a lane.
    pub(super) fn put(&mut self, lane: usize, normal: Vec2, points: &[Point], ends: [&Node; 2]) {
        for anchor in &mut self.0[points.len()..] {
            anchor.set(lane, [Vec2::ZERO; 2], FAR);
        }
        for (anchor, Point { places, gap, .. }) in self.0.iter_mut().zip(points) {
            let local = [0, 1].mapped(|side| {
                let Node { center, rot, .. } = *ends[side];
                rot.unapply(places[side] - center)
            });
            anchor.set(lane, local, gap - normal.dot(places[0] - places[1]));
        }
    }

    /// Finds the gaps of a quad where bodies are at these poses.
    pub(super) fn find_gaps(&self, quad: &mut ManifoldQuad, poses: &[Vec4]) {
        let [nx, ny] = quad.normal;
        let [a, b] = gather_both(&quad.bodies, poses);
        let centers = nx * (a[0] - b[0]) + ny * (a[1] - b[1]);
        // The normal as the bodies see it.
        let [of_a, of_b] = [a, b].mapped(|[_, _, c, s]| [c * nx + s * ny, c * ny - s * nx]);
        for (point, Anchor { local: [on_a, on_b], gap }) in quad.points.iter_mut().zip(&self.0) {
            let arms =
                (of_a[0] * on_a[0] + of_a[1] * on_a[1]) - (of_b[0] * on_b[0] + of_b[1] * on_b[1]);
            point.gap = *gap + centers + arms;
        }
    }
}

impl Anchor {
    fn set(&mut self, lane: usize, local: [Vec2; 2], gap: f32) {
        for (local, place) in self.local.iter_mut().zip(local) {
            local.set_lane(lane, place.into());
        }
        self.gap.set_lane(lane, gap);
    }
}

/// One contact of each manifold of a quad. Where a manifold has none it is far off.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Points {
    /// Lever arms of the normal.
    pub(super) arms: Arms,
    /// Inverse of `J·M⁻¹·Jᵀ` along the normal, kg: what brings a speed to zero.
    pub(super) mass: Vec4,
    /// The gap along the normal, negative for overlap, m.
    pub(super) gap: Vec4,
    /// Impulse so far, N·s.
    pub(super) pushed: Vec4,
}

impl strip::Quad for ManifoldQuad {
    fn bodies(&mut self) -> &mut [[u32; 4]; 2] {
        &mut self.bodies
    }
}

impl ManifoldQuad {
    /// Puts a manifold between two nodes into a lane, with its contacts, two at most. What brings speeds to zero
    /// is found when it starts.
    pub(super) fn put(
        &mut self,
        lane: usize,
        surface: Surface,
        points: &[Point],
        ends: [&Node; 2],
    ) {
        let Surface { normal, friction } = surface;
        self.inv_mass.set_lane(lane, [ends[0].inv_mass, ends[1].inv_mass]);
        self.normal.set_lane(lane, normal.into());
        self.friction.set_lane(lane, friction);
        let arms = |places: [Vec2; 2], direction: Vec2| {
            [0, 1].mapped(|side| cross(places[side] - ends[side].center, direction))
        };
        for slot in &mut self.points[points.len()..] {
            slot.arms.set(lane, [0.0; 2]);
            slot.gap.set_lane(lane, FAR);
            slot.pushed.set_lane(lane, 0.0);
        }
        for (slot, point) in self.points.iter_mut().zip(points) {
            slot.arms.set(lane, arms(point.places, normal));
            slot.gap.set_lane(lane, point.gap);
            slot.pushed.set_lane(lane, point.start.y);
        }
        // Bodies that are yet to meet have places of their own; a line of friction has one for both, or it
        // would make spin of nothing.
        let nearest = points.iter().min_by(|a, b| a.gap.total_cmp(&b.gap));
        let [a, b] = nearest.map_or([Vec2::ZERO; 2], |point| point.places);
        self.tangent.set(lane, arms([0.5 * (a + b); 2], left(normal)));
        self.rubbed.set_lane(lane, points.iter().map(|point| point.start.x).sum());
    }
}

impl ManifoldQuad {
    /// Starts from the part `scale` of what was given, and finds what brings speeds to zero.
    #[inline(always)]
    pub(super) fn start(&mut self, scale: f32, speeds: &mut [Twist]) {
        let motions = Motions::read(self, speeds);
        self.weigh(&motions);
        self.rubbed *= scale;
        self.points.iter_mut().for_each(|point| point.pushed *= scale);
        motions.write(self, self.rubbed, self.points.mapped(|point| point.pushed), speeds);
    }

    /// Finds what brings speeds to zero, with the present lever arms.
    #[inline(always)]
    fn weigh(&mut self, motions: &Motions) {
        let Self { inv_mass, tangent, points: [first, second], .. } = &*self;
        let linear = inv_mass[0] + inv_mass[1];
        let mass = |arms: &Arms| inverse(linear + motions.turning(arms, arms));
        let masses = [mass(&first.arms), mass(&second.arms)];
        let tangent_mass = mass(tangent);
        let rub_on = [first, second].mapped(|point| motions.turning(tangent, &point.arms));
        self.first_on_second = linear + motions.turning(&first.arms, &second.arms);
        (self.tangent_mass, self.rub_on) = (tangent_mass, rub_on);
        for (point, mass) in self.points.iter_mut().zip(masses) {
            point.mass = mass;
        }
    }

    /// Adds impulses, along the surfaces and along the normals, to those so far, with what brings speeds to zero found
    /// anew.
    #[inline(always)]
    pub(super) fn add(&mut self, rub: Vec4, push: [Vec4; 2], speeds: &mut [Twist]) {
        let motions = Motions::read(self, speeds);
        self.weigh(&motions);
        self.give(rub, push, &motions, speeds);
    }

    /// Takes gaps anew after bodies have moved by `travels`.
    pub(super) fn follow(&mut self, travels: &[Twist]) {
        let moved = Motions::read(self, travels);
        for point in &mut self.points {
            point.gap += moved.along(&point.arms);
        }
    }

    /// Friction first, so that what presses has the last word; `push` says what the first or second contact would give at
    /// a speed. See [`super::Quads::press`].
    #[inline(always)]
    pub(super) fn press(
        &mut self,
        speeds: &mut [Twist],
        push: impl Fn(usize, &Points, Vec4) -> Vec4,
    ) {
        let motions = Motions::read(self, speeds);
        let [first, second] = &self.points;
        let (least, most) = (-self.rubbed, self.friction * (first.pushed + second.pushed));
        let slides = motions.across(&self.tangent);
        let rub = (-self.tangent_mass * slides).max(least - most).min(least + most);
        let nears = motions.along(&first.arms) + self.rub_on[0] * rub;
        let on_first = push(0, first, nears).max(-first.pushed);
        let nears = motions.along(&second.arms) + self.rub_on[1] * rub;
        let nears = nears + self.first_on_second * on_first;
        let on_second = push(1, second, nears).max(-second.pushed);
        self.give(rub, [on_first, on_second], &motions, speeds);
    }

    /// The same with friction last, for multipliers that start from zero: there is none before something presses. Surfaces
    /// have slipped by `slip` already.
    #[inline(always)]
    pub(super) fn press_then_rub(
        &mut self,
        motions: &mut [Twist],
        slip: Vec4,
        push: impl Fn(usize, &Points, Vec4) -> Vec4,
    ) {
        let to = motions;
        let motions = Motions::read(self, to);
        let [first, second] = &self.points;
        let on_first = push(0, first, motions.along(&first.arms)).max(-first.pushed);
        let nears = motions.along(&second.arms) + self.first_on_second * on_first;
        let on_second = push(1, second, nears).max(-second.pushed);
        let pressed = (first.pushed + on_first) + (second.pushed + on_second);
        let (least, most) = (-self.rubbed, self.friction * pressed);
        let slides = motions.across(&self.tangent) + slip;
        let slides = slides + self.rub_on[0] * on_first + self.rub_on[1] * on_second;
        let rub = (-self.tangent_mass * slides).max(least - most).min(least + most);
        self.give(rub, [on_first, on_second], &motions, to);
    }

    /// Adds impulses to those so far.
    #[inline(always)]
    fn give(&mut self, rub: Vec4, push: [Vec4; 2], motions: &Motions, to: &mut [Twist]) {
        motions.write(self, rub, push, to);
        self.rubbed += rub;
        self.points[0].pushed += push[0];
        self.points[1].pushed += push[1];
    }

    /// The least gap of its contacts, m. In idle lanes there may be anything.
    pub(super) fn least_gap(&self) -> f32 {
        let counts = (self.inv_mass[0] + self.inv_mass[1]).cmpgt(Vec4::ZERO);
        let gap = self.points[0].gap.min(self.points[1].gap);
        Vec4::select(counts, gap, Vec4::splat(FAR)).min_element()
    }

    /// How far surfaces have moved along each other.
    #[inline(always)]
    pub(super) fn slid(&self, travels: &[Twist]) -> Vec4 {
        Motions::read(self, travels).across(&self.tangent)
    }

    /// The most that friction gives, N·s or kg·m.
    #[inline(always)]
    pub(super) fn most_rub(&self) -> Vec4 {
        self.friction * (self.points[0].pushed + self.points[1].pushed)
    }

    /// What an impulse along the surface does to the speed along it, 1/kg.
    #[inline(always)]
    pub(super) fn gives_along(&self) -> Vec4 {
        inverse(self.tangent_mass)
    }

    /// Takes lever arms anew after bodies have moved by `travels`: each contact goes along with its vertex.
    #[inline(always)]
    pub(super) fn go_along(&mut self, ways: &[Way; 2], travels: &[Twist]) {
        let motions = Motions::read(self, travels);
        let (turned, turns) = (motions.spins(), motions.turns());
        let [along, across] = motions.apart();
        let arms = self.points[0].arms.0;
        let by = turned[0] * arms[0] * ways[0].on_first + turned[1] * arms[1] * ways[0].on_second();
        let by = [by - ways[0].on_second() * along, by + ways[0].on_first * along];
        for side in [0, 1] {
            let by = Vec4::select(turns[side], ways[0].follows * by[side], Vec4::ZERO);
            self.tangent.0[side] += by;
        }
        for (point, way) in self.points.iter_mut().zip(ways) {
            let by = turned[0] * way.levers[0] + turned[1] * way.levers[1];
            let by = [by - way.on_second() * across, by + way.on_first * across];
            for side in [0, 1] {
                let by = Vec4::select(turns[side], way.follows * by[side], Vec4::ZERO);
                point.arms.0[side] -= by;
            }
        }
    }

    #[inline(always)]
    pub(super) fn correct(&self, correction: Correction, travels: &mut [Twist]) {
        let Correction { part, slop, most } = correction;
        let motions = Motions::read(self, travels);
        let [first, second] = &self.points;
        let lacks = |point: &Points, nears: Vec4| {
            let gap = point.gap + nears;
            (-part * (gap + slop).min(Vec4::ZERO)).min(Vec4::splat(most)) * point.mass
        };
        let on_first = lacks(first, motions.along(&first.arms));
        let nears = motions.along(&second.arms) + self.first_on_second * on_first;
        let on_second = lacks(second, nears);
        motions.write(self, Vec4::ZERO, [on_first, on_second], travels);
    }

    pub(super) fn normal_of(&self, lane: usize) -> Vec2 {
        self.normal.lane(lane).into()
    }
}
