//! A hinge: all that a pin does between two bodies that move as blocks. It holds a place of one to a place of
//! the other, and may keep the angle between them within a range, or drive it.

use super::motions::{PairMotions, inverse};
use super::strip;
use super::tie::{Drive, DriveAim, Swing, Tie};
use crate::math::{Lane, Mapped, Rot, Vec2, off_tangent};
use crate::scene::Spring;
use crate::solver::nodes::Twist;
use crate::solver::rows::{Correction, Returns};
use glam::Vec4;

/// Slack of a limit that is far off, or not there, rad.
const FAR: f32 = 1e6;

/// What a round of hinges is for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// The part of what they were put in to close by that they do: all, or none once that has come about.
    pub(crate) closes: f32,
    /// How limits give back slack: the part of it that may be taken up, and of what is beyond a limit the most that
    /// counts.
    pub(crate) slack: Returns,
    /// By what the speeds and the torques of motors count; without, they keep what they have given.
    pub(crate) drive: Option<[f32; 2]>,
}

/// How hinges are to close in a sub-step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Closing {
    /// How they give back what they are open by.
    pub(crate) returns: Returns,
    /// The part of what they foresee that they keep from coming about: of velocities 1/s, of displacements all.
    pub(crate) ahead: f32,
}

/// How a body is placed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Stance {
    pub(crate) center: Vec2,
    pub(crate) rot: Rot,
    /// By how much places leave their tangents in the sub-step, as far as its turning lasts: a part of their lever arms,
    /// and one of those turned by a right angle.
    pub(crate) leaves: [f32; 2],
}

/// What a hinge has given in a sub-step, on its second body.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Given {
    /// N·s.
    pub(crate) pulled: Vec2,
    /// By its motor, N·m·s.
    pub(crate) driven: f32,
    /// Away from the lower end, and from the upper end, N·m·s.
    pub(crate) stopped: [f32; 2],
}

impl Given {
    /// How it turns the second body, N·m·s.
    pub(crate) fn turned(&self) -> f32 {
        self.driven + self.stopped[0] - self.stopped[1]
    }
}

/// Four hinges side by side. Idle lanes, the last ones, have no mass.
#[derive(Clone, Debug, Default)]
pub(crate) struct HingeQuad {
    bodies: [[u32; 4]; 2],
    inv_mass: [Vec4; 2],
    /// From the centre of each body to the hinge.
    arms: [[Vec4; 2]; 2],
    /// The inverse of `J·M⁻¹·Jᵀ`, kg: xx, xy, yy.
    mass: [Vec4; 3],
    /// By what they are to close: for what they are open by, and for how much further they will part than along tangents.
    closing: [Vec4; 2],
    pulled: [Vec4; 2],
    /// What rounds do not look at; apart, so that they do not carry it through the cache.
    seats: Box<Seats>,
    /// If any of them has limits or a motor; apart, so that nets, which have none, do not carry it through the cache.
    swing: Option<Box<SwingQuad>>,
}

/// Where four hinges sit on their bodies.
#[derive(Clone, Debug, Default)]
struct Seats {
    /// The place on each body, from its centre, in its frame, along x and y.
    at: [[Vec4; 2]; 2],
    /// See [`Tie`].
    share: [Vec4; 2],
    /// From the place on the first body to that on the second.
    gap: [Vec4; 2],
}

/// What limits and drives four hinges.
#[derive(Clone, Debug, Default)]
struct SwingQuad {
    /// How much a relative spin changes by for each N·m·s while the hinge holds, 1/(kg·m²), and the inverse.
    gives: Vec4,
    mass: Vec4,
    /// What the hinge pulls, along x and y, for each N·m·s that turns the second body.
    pull: [Vec4; 2],
    /// See [`Swing`].
    slack: [Vec4; 2],
    /// The most torque of each motor; none of those that are not there.
    most: Vec4,
    /// How far a servo is beyond its angle, and its spring; those that keep a speed have none.
    beyond: Vec4,
    stiffness: Vec4,
    damping: Vec4,
    /// The spin that a motor is to bring about, and by how much less for each N·m·s that it has given: the spring of a
    /// servo as a softened constraint, as in `rows/`.
    speed: Vec4,
    softness: Vec4,
    /// What a motor gives for each rad/s that is missing, kg·m².
    drive_mass: Vec4,
    driven: Vec4,
    stopped: [Vec4; 2],
}

impl strip::Quad for HingeQuad {
    fn bodies(&mut self) -> &mut [[u32; 4]; 2] {
        &mut self.bodies
    }
}

impl HingeQuad {
    /// Puts a hinge between two bodies into a lane, with what it has given.
    pub(crate) fn tie(&mut self, lane: usize, tie: &Tie, inv_mass: [f32; 2], given: &Given) {
        self.inv_mass.set_lane(lane, inv_mass);
        self.seats.share.set_lane(lane, tie.share);
        for (to, at) in self.seats.at.iter_mut().zip(tie.at) {
            to.set_lane(lane, at.into());
        }
        self.pulled.set_lane(lane, given.pulled.into());
        if tie.swings {
            let far =
                || Box::new(SwingQuad { slack: [Vec4::splat(FAR); 2], ..SwingQuad::default() });
            let swing = self.swing.get_or_insert_with(far);
            swing.driven.set_lane(lane, given.driven);
            swing.stopped.set_lane(lane, given.stopped);
        }
    }

    /// What a hinge has given.
    pub(crate) fn given(&self, lane: usize) -> Given {
        Given {
            pulled: self.pulled.lane(lane).into(),
            driven: self.swing.as_ref().map_or(0.0, |swing| swing.driven.lane(lane)),
            stopped: self.swing.as_ref().map_or([0.0; 2], |swing| swing.stopped.lane(lane)),
        }
    }

    /// Takes all as they are at the beginning of a sub-step; `stance` tells how a body is placed.
    ///
    /// Places on a turning body move on circles, but are held along tangents: by how much those will depart from these
    /// is no gap yet, but motion that is foreseen. Only spin that lasts counts: light links under a heavy load swing
    /// to and fro.
    #[inline(always)]
    pub(crate) fn put(&mut self, stance: impl Fn(u32) -> Stance, how: &Closing) {
        let [a, b] = self.bodies.mapped(|bodies| Poses::read(bodies.mapped(&stance)));
        let Seats { at, share, gap } = &mut *self.seats;
        let places = [times(a.rot, &at[0]), times(b.rot, &at[1])];
        for (axis, (from, to)) in places[0].into_iter().zip(places[1]).enumerate() {
            gap[axis] = (b.center[axis] - a.center[axis]) + (to - from);
            // Where a hinge is a little open its force still acts along one line: through the middle, or the place that
            // stands (`condition::pulls_at`).
            let arms = [from + share[0] * gap[axis], to - share[1] * gap[axis]];
            (self.arms[0][axis], self.arms[1][axis]) = (arms[0], arms[1]);
        }
        let [a, b] = [(0, a), (1, b)].mapped(|(side, pose)| times(pose.leaves, &self.arms[side]));
        let most = Vec4::splat(how.returns.most);
        for (axis, (from, to)) in a.into_iter().zip(b).enumerate() {
            let back = (how.returns.pace * gap[axis]).max(-most).min(most);
            self.closing[axis] = back + how.ahead * (to - from);
        }
    }

    /// Takes over how a hinge may turn now.
    pub(crate) fn put_swing(&mut self, lane: usize, Swing { slack, drive }: Swing) {
        if let Some(swing) = &mut self.swing {
            swing.slack.set_lane(lane, slack.mapped(|slack| slack.unwrap_or(FAR)));
            swing.put_drive(lane, drive);
        }
    }

    /// Lets servos act for `time` seconds.
    #[inline(always)]
    pub(super) fn time(&mut self, time: f32) {
        if let Some(swing) = &mut self.swing {
            swing.time(time);
        }
    }

    /// Starts from the part `scale` of what was given.
    #[inline(always)]
    pub(crate) fn start(&mut self, scale: f32, speeds: &mut [Twist]) {
        let mut motions = PairMotions::read(&self.bodies, speeds);
        self.weigh(&motions);
        self.keep(Vec4::splat(scale));
        motions.pull(self, self.pulled);
        if let Some(swing) = &self.swing {
            motions.turn(swing.driven + swing.stopped[0] - swing.stopped[1]);
        }
        motions.write(&self.bodies, speeds);
    }

    /// What it takes for all to give `pulled` in place of what they have given: the sum over each hinge of that times
    /// what it lacks now.
    #[inline(always)]
    pub(crate) fn restart(&mut self, pulled: [Vec4; 2], aim: &Aim, of: &[Twist]) -> Vec4 {
        self.keep(Vec4::ZERO);
        self.pulled = pulled;
        let [x, y] = self.lacks(aim, &PairMotions::read(&self.bodies, of));
        pulled[0] * x + pulled[1] * y
    }

    /// How strongly what is pulled turns each body back when it has turned, for a pull that keeps its direction: its
    /// part along the lever arm, N·m·s/rad.
    #[inline(always)]
    pub(crate) fn turns_back(&self) -> [Vec4; 2] {
        let [x, y] = self.pulled;
        let [a, b] = self.arms.mapped(|[rx, ry]| rx * x + ry * y);
        [-a, b]
    }

    /// What they pull along x and y.
    pub(crate) fn pulled(&self) -> [Vec4; 2] {
        self.pulled
    }

    /// Says what they pull, without any effect.
    pub(super) fn set_pulled(&mut self, pulled: [Vec4; 2]) {
        self.pulled = pulled;
    }

    /// Pulls so much more.
    #[inline(always)]
    pub(super) fn pull_more(&mut self, by: [Vec4; 2], motions: &mut [Twist]) {
        let mut of_both = PairMotions::read(&self.bodies, motions);
        of_both.pull(self, by);
        of_both.write(&self.bodies, motions);
        (self.pulled[0], self.pulled[1]) = (self.pulled[0] + by[0], self.pulled[1] + by[1]);
    }

    /// From here on limits that have given something hold, and the others do nothing; `of` are the motions now.
    #[inline(always)]
    pub(crate) fn rest(&mut self, of: &[Twist]) {
        self.weigh(&PairMotions::read(&self.bodies, of));
        self.hold_ends();
    }

    /// Whether any of their limits has given something.
    pub(super) fn any_end(&self) -> bool {
        let given = self.swing.as_ref().map_or([Vec4::ZERO; 2], |swing| swing.stopped);
        given[0].max(given[1]).cmpgt(Vec4::ZERO).any()
    }

    /// From here on limits that have given something hold, and the others do nothing.
    pub(super) fn hold_ends(&mut self) {
        let Some(swing) = &mut self.swing else { return };
        let SwingQuad { slack, stopped, .. } = &mut **swing;
        for (slack, stopped) in slack.iter_mut().zip(stopped) {
            *slack = Vec4::select(stopped.cmpgt(Vec4::ZERO), Vec4::ZERO, Vec4::splat(FAR));
        }
    }

    /// Takes a part of what each has given, without any effect.
    pub(crate) fn keep(&mut self, part: Vec4) {
        self.pulled.iter_mut().for_each(|pulled| *pulled *= part);
        if let Some(swing) = &mut self.swing {
            swing.driven *= part;
            swing.stopped.iter_mut().for_each(|stopped| *stopped *= part);
        }
    }

    /// The bodies of each.
    pub(crate) fn sides(&self) -> &[[u32; 4]; 2] {
        &self.bodies
    }

    /// A round over velocities: the two places come to move alike, but for what a gap gives back; then the motor,
    /// then the limits, and the places still do. One after the other they would undo each other's work: a rod that
    /// is turned about its end weighs four times what it does about its middle. Returns by how much motors and limits
    /// have changed each relative spin.
    #[inline(always)]
    pub(crate) fn solve(&mut self, aim: &Aim, speeds: &mut [Twist]) -> Vec4 {
        let mut motions = PairMotions::read(&self.bodies, speeds);
        let [x, y] = self.lacks(aim, &motions);
        let [xx, xy, yy] = self.mass;
        let by = [-(xx * x + xy * y), -(xy * x + yy * y)];
        motions.pull(self, by);
        (self.pulled[0], self.pulled[1]) = (self.pulled[0] + by[0], self.pulled[1] + by[1]);
        let mut changed = Vec4::ZERO;
        if let Some(swing) = &mut self.swing {
            let turned = swing.solve(aim, motions.spin());
            changed = (swing.gives * turned).abs();
            let pull = swing.pull;
            let by = self.turn(turned, pull, &mut motions);
            (self.pulled[0], self.pulled[1]) = (self.pulled[0] + by[0], self.pulled[1] + by[1]);
        }
        motions.write(&self.bodies, speeds);
        changed
    }

    /// Turns the second body while the two places move as they did, if that takes `pull` for each N·m·s. Returns what
    /// has been pulled.
    #[inline(always)]
    fn turn(&self, by: Vec4, pull: [Vec4; 2], motions: &mut PairMotions) -> [Vec4; 2] {
        let pull = pull.mapped(|pull| pull * by);
        motions.turn(by);
        motions.pull(self, pull);
        pull
    }

    /// How the two places move against each other, and what they are to close by.
    #[inline(always)]
    fn lacks(&self, aim: &Aim, motions: &PairMotions) -> [Vec4; 2] {
        let [x, y] = motions.between(&self.arms);
        [x + aim.closes * self.closing[0], y + aim.closes * self.closing[1]]
    }

    /// A round over displacements: limits give back a part of what is beyond them.
    #[inline(always)]
    pub(super) fn correct(&self, correction: Correction, travels: &mut [Twist]) {
        let Some(swing) = &self.swing else { return };
        let Correction { part, slop, most } = correction;
        let mut motions = PairMotions::read(&self.bodies, travels);
        for (slack, sign) in swing.slack.into_iter().zip([1.0, -1.0]) {
            let slack = slack + sign * motions.spin();
            let lacks = (-part * (slack + slop).min(Vec4::ZERO)).min(Vec4::splat(most));
            self.turn(sign * lacks * swing.mass, swing.pull, &mut motions);
        }
        motions.write(&self.bodies, travels);
    }

    /// Takes lever arms anew, after bodies have moved by `travels`: the hinge has moved by the mean of what they
    /// moved there, so that both sides have one line of action and angular momentum is kept. Returns the largest gap
    /// along x or y now.
    #[inline(always)]
    pub(super) fn follow(&mut self, travels: &[Twist]) -> f32 {
        let motions = PairMotions::read(&self.bodies, travels);
        let moved = [0, 1].mapped(|side| {
            let leaves = times(off_tangent(motions.spins[side]), &self.arms[side]);
            let along = motions.at(side, &self.arms);
            [along[0] + leaves[0], along[1] + leaves[1]]
        });
        let gap = [0, 1].mapped(|axis| moved[1][axis] - moved[0][axis]);
        for (axis, (a, b)) in moved[0].into_iter().zip(moved[1]).enumerate() {
            let by = self.seats.share[0] * a + self.seats.share[1] * b;
            for (arms, linear) in self.arms.iter_mut().zip(&motions.linear) {
                arms[axis] += by - linear[axis];
            }
        }
        if let Some(swing) = &mut self.swing {
            swing.beyond += motions.spin();
        }
        self.weigh(&motions);
        let gap = [0, 1].mapped(|axis| (self.seats.gap[axis] + gap[axis]).abs());
        // Idle lanes have no mass, and move as the one before them.
        let counts = (self.inv_mass[0] + self.inv_mass[1]).cmpgt(Vec4::ZERO);
        Vec4::select(counts, gap[0].max(gap[1]), Vec4::ZERO).max_element()
    }

    /// What brings speeds to zero, with the present lever arms.
    #[inline(always)]
    fn weigh(&mut self, motions: &PairMotions) {
        let [ia, ib] = motions.inv_inertia;
        let [[ax, ay], [bx, by]] = self.arms;
        let linear = self.inv_mass[0] + self.inv_mass[1];
        let xx = linear + ia * ay * ay + ib * by * by;
        let yy = linear + ia * ax * ax + ib * bx * bx;
        let xy = -(ia * ax * ay + ib * bx * by);
        // Written so that nothing cancels: far from a centre the two directions are nearly the same.
        let across = ax * by - ay * bx;
        let turning = ia * (ax * ax + ay * ay) + ib * (bx * bx + by * by);
        let determinant = linear * (linear + turning) + ia * ib * across * across;
        // An idle lane has the bodies, and so the moments of inertia, of the one before it.
        let counts = linear.cmpgt(Vec4::ZERO);
        let scale = Vec4::select(counts, inverse(determinant), Vec4::ZERO);
        self.mass = [yy * scale, -xy * scale, xx * scale];
        if let Some(swing) = &mut self.swing {
            // With the reduced mass `μ` of both bodies they resist turning against each other as
            // `(1 + μ·(ia·a² + ib·b²) + μ²·ia·ib·(a×b)²) / (ia + ib + μ·ia·ib·|b − a|²)` where they are held together.
            let (x, y) = (bx - ax, by - ay);
            let gives = scale * linear * (linear * (ia + ib) + ia * ib * (x * x + y * y));
            (swing.gives, swing.mass) = (gives, inverse(gives));
            swing.drive_mass = inverse(gives + swing.softness);
            let (x, y) = (-(ia * ay + ib * by), ia * ax + ib * bx);
            let [xx, xy, yy] = self.mass;
            swing.pull = [-(xx * x + xy * y), -(xy * x + yy * y)];
        }
    }
}

impl SwingQuad {
    /// Takes over what a motor does now.
    fn put_drive(&mut self, lane: usize, drive: Option<Drive>) {
        let idle = Drive { aim: DriveAim::Speed(0.0), most: 0.0 };
        let Drive { aim, most } = drive.unwrap_or(idle);
        let (speed, beyond, Spring { stiffness, damping }) = match aim {
            DriveAim::Speed(speed) => (speed, 0.0, Spring { stiffness: 0.0, damping: 0.0 }),
            DriveAim::Servo(beyond, spring) => (0.0, beyond, spring),
        };
        self.most.set_lane(lane, most);
        self.speed.set_lane(lane, speed);
        self.beyond.set_lane(lane, beyond);
        self.stiffness.set_lane(lane, stiffness);
        self.damping.set_lane(lane, damping);
        self.softness.set_lane(lane, 0.0);
    }

    /// Lets servos act for `time` seconds.
    #[inline(always)]
    fn time(&mut self, time: f32) {
        let is_servo = self.stiffness.cmpgt(Vec4::ZERO);
        if !is_servo.any() {
            return;
        }
        let harder = inverse(self.damping + time * self.stiffness);
        self.softness = Vec4::select(is_servo, harder * time.recip(), Vec4::ZERO);
        self.speed = Vec4::select(is_servo, -self.stiffness * harder * self.beyond, self.speed);
        self.drive_mass = inverse(self.gives + self.softness);
    }

    #[inline(always)]
    fn solve(&mut self, aim: &Aim, mut spin: Vec4) -> Vec4 {
        // The three act along one direction, so what each does to the next is one product; bodies get all in the end.
        let (gives, mut turned) = (self.gives, Vec4::ZERO);
        if let Some([speed, torque]) = aim.drive {
            let most = self.most * torque;
            let lacks = spin - self.speed * speed + self.softness * self.driven;
            let by = -self.drive_mass * lacks;
            let by = by.max(-most - self.driven).min(most - self.driven);
            self.driven += by;
            (spin, turned) = (spin + gives * by, turned + by);
        }
        let Returns { pace, most } = aim.slack;
        for (side, sign) in [1.0, -1.0].into_iter().enumerate() {
            let nears = sign * spin + pace * self.slack[side].max(Vec4::splat(-most));
            let by = (-self.mass * nears).max(-self.stopped[side]);
            self.stopped[side] += by;
            (spin, turned) = (spin + sign * gives * by, turned + sign * by);
        }
        turned
    }
}

/// Vectors times a part of each, and one of each turned by a right angle; for a cosine and a sine they are turned.
#[inline(always)]
fn times([along, across]: [Vec4; 2], [x, y]: &[Vec4; 2]) -> [Vec4; 2] {
    [along * *x - across * *y, across * *x + along * *y]
}

/// How four bodies are placed.
#[derive(Clone, Copy)]
struct Poses {
    center: [Vec4; 2],
    /// Cosine and sine.
    rot: [Vec4; 2],
    /// By how much places leave their tangents.
    leaves: [Vec4; 2],
}

impl Poses {
    #[inline(always)]
    fn read(stances: [Stance; 4]) -> Self {
        let of = |value: fn(Stance) -> f32| Vec4::from_array(stances.mapped(value));
        Self {
            center: [of(|of| of.center.x), of(|of| of.center.y)],
            rot: [of(|of| of.rot.c), of(|of| of.rot.s)],
            leaves: [of(|of| of.leaves[0]), of(|of| of.leaves[1])],
        }
    }
}

impl PairMotions {
    /// The motion of the hinge with one of its bodies.
    #[inline(always)]
    fn at(&self, side: usize, arms: &[[Vec4; 2]; 2]) -> [Vec4; 2] {
        let ([x, y], [rx, ry], spin) = (self.linear[side], arms[side], self.spins[side]);
        [x - spin * ry, y + spin * rx]
    }

    /// How the hinge on the second body moves against the same on the first.
    #[inline(always)]
    fn between(&self, arms: &[[Vec4; 2]; 2]) -> [Vec4; 2] {
        let [a, b] = [0, 1].mapped(|side| self.at(side, arms));
        [b[0] - a[0], b[1] - a[1]]
    }

    /// How the second body turns against the first.
    #[inline(always)]
    fn spin(&self) -> Vec4 {
        self.spins[1] - self.spins[0]
    }

    /// Adds what an impulse on the second body, and its like on the first, does.
    #[inline(always)]
    fn pull(&mut self, quad: &HingeQuad, [x, y]: [Vec4; 2]) {
        for (side, sign) in [-1.0, 1.0].into_iter().enumerate() {
            let inv_mass = sign * quad.inv_mass[side];
            let [rx, ry] = quad.arms[side];
            self.linear[side][0] += inv_mass * x;
            self.linear[side][1] += inv_mass * y;
            self.spins[side] += sign * self.inv_inertia[side] * (rx * y - ry * x);
        }
    }

    /// The same of one that turns.
    #[inline(always)]
    fn turn(&mut self, by: Vec4) {
        self.spins[0] -= self.inv_inertia[0] * by;
        self.spins[1] += self.inv_inertia[1] * by;
    }
}
