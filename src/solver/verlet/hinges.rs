//! Pins between rigid bodies that are displaced as wholes (`frames.rs`), four side by side (`quads/`). All other joints
//! are rows of `conditions.rs`, and so is what is solved together.
//!
//! Hinges do what rows do, in both stages: displacements in a sub-step are to the position stage what velocities are to
//! `impulse`. Only the units of impulses differ, which are kg·m there and N·s in the velocity stage.

use glam::Vec4;

use crate::math::{Lane, Mapped, Rot};
use crate::solver::Reaction;
use crate::solver::nodes::Twist;
use crate::solver::quads::{
    Aim, Closing, FIXED, Given, HingeQuad, Order, Quad, Stance, Strip, Swing, Tie,
};
use crate::solver::rows::Returns;
use crate::solver::verlet::blocks::Blocks;
use crate::solver::verlet::frames::Frames;
use crate::solver::verlet::halves::{Halves, LISTS, Middle, MotionsApart};
use crate::solver::verlet::start::{KEPT, Start};
use crate::threads::Threads;
use crate::world::{Joint, Model, State};

/// The work on so few fours is not worth sharing out.
const PART: usize = 64;

/// All hinges of a world.
#[derive(Clone, Debug, Default)]
pub(super) struct Hinges {
    /// Whether it is known which joints they are.
    known: bool,
    /// For each joint whether it is one; empty where none is.
    is_hinge: Vec<bool>,
    ties: Vec<Tie>,
    /// The joint of each.
    joints: Vec<u32>,
    /// Those of either half of the bodies, and those between the two (`halves.rs`).
    strips: [Strip<Four>; LISTS],
    /// Where the second half begins; `None` where all are in the first strip, or there are none.
    middle: Option<Middle>,
    apart: MotionsApart,
}

/// Four of them.
#[derive(Clone, Debug, Default)]
struct Four {
    hinges: HingeQuad,
    /// The group of bodies that each holds (`start.rs`).
    groups: [u32; 4],
    /// What they start with in the sub-step that follows, kg·m.
    kept: [Vec4; 2],
}

impl Quad for Four {
    fn bodies(&mut self) -> &mut [[u32; 4]; 2] {
        self.hinges.bodies()
    }
}

/// What rounds of the position stage are for, if of what is beyond a limit at most `most` is to be undone in a sub-step
/// of `h` seconds.
pub(super) fn displacing(h: f32, most: f32) -> Aim {
    Aim { closes: 1.0, slack: Returns { pace: 1.0, most }, drive: Some([h, h * h]) }
}

/// What rounds of the velocity stage are for: all comes to rest.
const RESTING: Aim = Aim { closes: 0.0, slack: Returns { pace: 1.0, most: 0.0 }, drive: None };

impl Hinges {
    /// Forgets which they are.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// Whether it is known which joints they are.
    pub(super) fn are_known(&self) -> bool {
        self.known
    }

    /// Whether a joint is one.
    pub(super) fn has(&self, joint: usize) -> bool {
        self.is_hinge.get(joint) == Some(&true)
    }

    /// Finds them among the joints that `may` be some. Returns whether there are any.
    pub(super) fn find(
        &mut self,
        model: &Model,
        frames: &Frames,
        start: &Start,
        may: impl Fn(u32, &Tie) -> bool,
    ) -> bool {
        self.known = true;
        self.is_hinge.clear();
        self.is_hinge.resize(model.joints.len(), false);
        let before = std::mem::take(&mut self.joints);
        let kept = self.kept();
        self.ties.clear();
        for (index, joint) in (0..).zip(&model.joints) {
            let tie = tie(model, frames, joint).filter(|tie| may(index, tie));
            self.is_hinge[index as usize] = tie.is_some();
            if let Some(tie) = tie {
                self.ties.push(tie);
                self.joints.push(index);
            }
        }
        let kept = if self.joints == before { kept } else { Vec::new() };
        self.arrange(model, start, &kept);
        !self.ties.is_empty()
    }

    /// Takes over the numbers that bodies have now; the joints are the same.
    pub(super) fn renumber(&mut self, model: &Model, frames: &Frames, start: &Start) {
        if self.known {
            let is_hinge = std::mem::take(&mut self.is_hinge);
            self.find(model, frames, start, |joint, _| is_hinge.get(joint as usize) == Some(&true));
        }
    }

    /// What each starts with, in their order.
    fn kept(&mut self) -> Vec<[f32; 2]> {
        let mut kept = vec![[0.0; 2]; self.ties.len()];
        for strip in &mut self.strips {
            strip.each(|index, four, lane| kept[index as usize] = four.kept.lane(lane));
        }
        kept
    }

    /// Finds the lane of each, and puts it there.
    fn arrange(&mut self, model: &Model, start: &Start, kept: &[[f32; 2]]) {
        let Self { ties, joints, strips, middle, .. } = self;
        let (ground, halves) = (model.bodies.len(), Halves::of(model));
        *middle = halves.middle().filter(|_| !ties.is_empty());
        strips.iter_mut().for_each(Strip::clear);
        for (index, tie) in (0..).zip(&*ties) {
            let list = Halves::list(tie.nodes.mapped(|body| halves.half(model, body)));
            strips[list].add(index);
        }
        let inv_mass =
            |body: u32| model.bodies.get(body as usize).map_or(0.0, |body| 1.0 / body.mass);
        for strip in strips {
            strip.find_ends(|index| ties[index as usize].nodes);
            let mut free = vec![0; ground + 1];
            free[ground] = FIXED;
            strip.fill(Order::AsTheyCome, &mut free);
            strip.each(|index, four, lane| {
                let index = index as usize;
                let tie = &ties[index];
                four.hinges.tie(lane, tie, tie.nodes.mapped(inv_mass), &Given::default());
                four.groups[lane] = start.group_of_joint(joints[index]);
                four.kept.set_lane(lane, kept.get(index).copied().unwrap_or_default());
            });
        }
    }

    /// Takes them as they are now, if of what they are open by at most `most` is to be undone in a sub-step.
    pub(super) fn put(
        &mut self,
        model: &Model,
        state: &State,
        frames: &Frames,
        most: f32,
        threads: &Threads,
    ) {
        self.put_places(frames, most, threads);
        self.put_swings(model, state, frames, threads);
    }

    /// Takes their places as they are now.
    fn put_places(&mut self, frames: &Frames, most: f32, threads: &Threads) {
        let closing = Closing { returns: Returns { pace: 1.0, most }, ahead: 1.0 };
        let stance = |body: u32| {
            frames.pose_of(body).map_or(Stance::default(), |pose| Stance {
                center: pose.center,
                rot: pose.rot,
                leaves: [frames.leaves_by(body), 0.0],
            })
        };
        self.each_four(threads, |four| four.hinges.put(stance, &closing));
    }

    /// Does something with four of them at a time; threads share them out.
    fn each_four(&mut self, threads: &Threads, work: impl Fn(&mut Four) + Sync) {
        for strip in &mut self.strips {
            threads.each(&mut strip.quads[..], PART, |fours: &mut [Four]| {
                fours.iter_mut().for_each(&work);
            });
        }
    }

    /// Takes how they may turn now.
    fn put_swings(&mut self, model: &Model, state: &State, frames: &Frames, threads: &Threads) {
        let Self { ties, joints, strips, .. } = self;
        let rot = |body: u32| frames.pose_of(body).map_or(Rot::IDENTITY, |pose| pose.rot);
        let put = |index: u32, four: &mut Four, lane: usize| {
            let (tie, joint) = (&ties[index as usize], joints[index as usize] as usize);
            if tie.swings {
                let (joint, state) = (&model.joints[joint], &state.joints[joint]);
                four.hinges.put_swing(lane, Swing::of(joint, state, tie.nodes.mapped(rot)));
            }
        };
        strips.iter_mut().for_each(|strip| strip.share(threads, put));
    }

    /// Starts from what they gave to hold in the sub-step before, and says what it asks for.
    pub(super) fn ask(&mut self, aim: &Aim, frames: &mut Frames, start: &mut Start) {
        let (_, mut asked) = start.spread_and_asked();
        for four in self.strips.iter_mut().flat_map(|strip| &mut strip.quads) {
            let asks = four.hinges.restart(four.kept, aim, frames.moved_all());
            for (&group, asks) in four.groups.iter().zip(asks.to_array()) {
                asked.add(group, asks);
            }
        }
        asked.finish();
    }

    /// Displaces bodies by that.
    pub(super) fn spread(&mut self, frames: &mut Frames, threads: &Threads) {
        self.each_moving(frames.moved_all(), threads, |hinges, moved| hinges.start(1.0, moved));
    }

    /// Does something with all that moves bodies, which move so.
    fn each_moving(
        &mut self,
        motions: &mut [Twist],
        threads: &Threads,
        work: impl Fn(&mut HingeQuad, &mut [Twist]) + Sync,
    ) {
        let Self { strips, middle, apart, .. } = self;
        apart.each(strips, *middle, motions, threads, |strip: &mut Strip<Four>, motions| {
            strip.quads.iter_mut().for_each(|four| work(&mut four.hinges, motions));
        });
    }

    /// Keeps only the part of it that each group is given.
    pub(super) fn keep_part(&mut self, start: &Start) {
        for Four { hinges, groups, .. } in self.strips.iter_mut().flat_map(|strip| &mut strip.quads)
        {
            hinges.keep(Vec4::from_array(groups.mapped(|group| start.part(group))));
        }
    }

    /// One round of the position stage.
    pub(super) fn satisfy(&mut self, aim: &Aim, frames: &mut Frames, threads: &Threads) {
        let solve = |hinges: &mut HingeQuad, moved: &mut [Twist]| _ = hinges.solve(aim, moved);
        self.each_moving(frames.moved_all(), threads, solve);
    }

    /// Makes ready for the velocity stage, at the positions after a sub-step of `h` seconds, and for the position stage of
    /// the next, in which at most `most` is to be undone.
    pub(super) fn begin_relaxing(
        &mut self,
        frames: &Frames,
        blocks: &mut Blocks,
        [h, most]: [f32; 2],
        threads: &Threads,
    ) {
        self.put_places(frames, most, threads);
        let twists = &*blocks.twists();
        self.each_four(threads, |Four { hinges, kept, .. }| {
            // Here impulses are counted on from those of the position stage.
            *kept = hinges.pulled().mapped(|pulled| (1.0 - 2.0 * KEPT) * pulled);
            hinges.keep(Vec4::splat(1.0 / h));
            hinges.rest(twists);
        });
    }

    /// One round of the velocity stage.
    pub(super) fn relax(&mut self, blocks: &mut Blocks, threads: &Threads) {
        let solve =
            |hinges: &mut HingeQuad, twists: &mut [Twist]| _ = hinges.solve(&RESTING, twists);
        self.each_moving(blocks.twists(), threads, solve);
    }

    /// Ends the velocity stage of a sub-step of `h` seconds: adds what hinges gave to the sum of each joint, and notes
    /// what they start with in the next.
    pub(super) fn end_relaxing(
        &mut self,
        model: &Model,
        state: &State,
        frames: &Frames,
        h: f32,
        sums: &mut [Reaction],
        threads: &Threads,
    ) {
        self.each_four(threads, |Four { hinges, kept, .. }| {
            for (kept, pulled) in kept.iter_mut().zip(hinges.pulled()) {
                *kept += KEPT * h * pulled;
            }
        });
        let Self { strips, joints, .. } = self;
        for strip in strips {
            strip.each(|index, four, lane| {
                let (sum, given) =
                    (&mut sums[joints[index as usize] as usize], four.hinges.given(lane));
                sum.force += given.pulled;
                sum.torque += given.turned();
            });
        }
        self.put_swings(model, state, frames, threads);
    }
}

/// A joint as a hinge, if it can be one: the spring of a servo does there what it does here for velocities.
fn tie(model: &Model, frames: &Frames, joint: &Joint) -> Option<Tie> {
    let ground = model.bodies.len() as u32;
    let node = |body: u32| frames.node_of(body).map(|_| (body, true));
    Tie::of(model, joint, node, ground).filter(|_| !joint.is_servo())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::{AngleLimit, BodyDef, JointDef, JointKind, Motor, Scene, Shape};
    use crate::solver::nodes::Twist;
    use crate::solver::verlet::Moves;
    use crate::solver::verlet::conditions::PointConditions;
    use crate::world::World;

    /// The length of a sub-step, s.
    const H: f32 = 0.002;
    /// Error that is undone in one at most, m.
    const MOST: f32 = 0.01;

    /// A box on a nail, and another pinned to it with a motor, which leaves it hardly any way to turn.
    fn boxes() -> World {
        let at = [Vec2::ZERO, Vec2::new(1.3, 0.2)];
        let solid = |k: usize| {
            BodyDef::new(format!("b{k}"), Shape::Box { size: Vec2::new(1.2, 0.7) }, at[k])
        };
        let nail = JointDef::pin("nail", "b0", None, Vec2::new(-0.5, 0.1));
        let limit = Some(AngleLimit { lower: -1e-3, upper: 2e-3 });
        let mut pin =
            JointDef::new("pin", JointKind::Pin { limit }, "b0", Some("b1"), Vec2::new(0.6, 0.1));
        pin.motor = Some(Motor::Speed { speed: 3.0, most: 40.0 });
        let bodies = vec![solid(0), solid(1)];
        let scene = Scene { bodies, joints: vec![nail, pin], ..Scene::default() };
        World::build(&scene).unwrap()
    }

    /// What rows and hinges work on, each its own.
    struct Bench {
        frames: Frames,
        blocks: Blocks,
    }

    impl Bench {
        fn new(world: &World) -> Self {
            let (mut frames, mut blocks, threads) = <(Frames, Blocks, Threads)>::default();
            frames.find(&world.model);
            blocks.attach(&world.model);
            blocks.gather(&world.model, &world.state, &threads);
            frames.place(&world.model, &world.state.position, &blocks, 0.0, &threads);
            Self { frames, blocks }
        }
    }

    fn assert_alike(found: &[Twist], wanted: &[Twist]) {
        let most = wanted.iter().map(|twist| twist.linear.length()).fold(0.0, f32::max);
        for (found, wanted) in found.iter().zip(wanted) {
            let apart =
                found.linear.distance(wanted.linear) + (found.angular - wanted.angular).abs();
            assert!(apart < 1e-3 * most, "{found:?} {wanted:?}");
        }
    }

    #[test]
    fn hinges_do_what_rows_do() {
        let (mut turned, threads) = (0.0_f32, Threads::default());
        for turn in 0..8 {
            let mut world = boxes();
            // Anyhow, but each as a whole.
            let stirred = |k: usize, scale: f32| {
                let angle = (2 * k + turn) as f32;
                (scale * Vec2::from_angle(angle), scale * (3.0 * angle).sin())
            };
            let model = world.model.clone();
            for (k, body) in model.bodies.iter().enumerate() {
                let center = model.center(body, &world.state.position);
                let (linear, spin) = stirred(k, 0.5);
                for i in body.point_range() {
                    let r = world.state.position[i] - center;
                    world.state.velocity[i] = linear + spin * r.perp();
                    // A little open and turned, too.
                    let rot = Rot::from_radians(0.001 * spin);
                    world.state.position[i] = center + 0.001 * linear + rot.apply(r);
                }
            }
            let state = &mut world.state;
            let moves = Moves {
                start: state.position.clone(),
                delta: state.velocity.iter().map(|velocity| H * *velocity).collect(),
            };
            let (mut plain, mut quads) = (Bench::new(&world), Bench::new(&world));
            let state = &mut world.state;
            let mut start = Start::default();
            start.attach(&model);
            let mut rows = PointConditions::default();
            rows.begin_step(&model, &[], false);
            rows.take_joints(&model, state, &plain.frames, MOST, |_| false);
            let mut hinges = Hinges::default();
            assert!(hinges.find(&model, &quads.frames, &start, |_, _| true));
            assert!(hinges.has(0) && hinges.has(1));
            hinges.put(&model, state, &quads.frames, MOST, &threads);
            // The position stage.
            plain.frames.gather(&model, &moves, &threads);
            quads.frames.gather(&model, &moves, &threads);
            start.begin(&model);
            let aim = displacing(H, MOST);
            hinges.ask(&aim, &mut quads.frames, &mut start);
            quads.frames.clear();
            hinges.spread(&mut quads.frames, &threads);
            quads.frames.gather(&model, &moves, &threads);
            let mut moved = moves.clone();
            // Hinges turn what they hold, rows one after the other: only the end is the same.
            const ROUNDS: usize = 20;
            for _ in 0..ROUNDS {
                rows.satisfy(&model, &mut plain.frames, &mut moved, H);
                hinges.satisfy(&aim, &mut quads.frames, &threads);
            }
            assert_alike(quads.frames.moved_all(), plain.frames.moved_all());
            assert!(quads.frames.moved_all()[0].linear.length() > 1e-4);
            // The velocity stage.
            rows.sum_up(H);
            rows.take_joints(&model, state, &plain.frames, MOST, |_| false);
            hinges.begin_relaxing(&quads.frames, &mut quads.blocks, [H, MOST], &threads);
            for _ in 0..ROUNDS {
                rows.relax(&model, state, &plain.frames, &mut plain.blocks, H);
                hinges.relax(&mut quads.blocks, &threads);
            }
            assert_alike(quads.blocks.twists(), plain.blocks.twists());
            // What is told of it.
            rows.sum_up_eased(H);
            let mut sums = vec![Reaction::default(); 2];
            hinges.end_relaxing(&model, state, &quads.frames, H, &mut sums, &threads);
            for (found, wanted) in sums.iter().zip(rows.sums()) {
                let apart =
                    found.force.distance(wanted.force) + (found.torque - wanted.torque).abs();
                assert!(apart < 1e-3 * wanted.force.length(), "{found:?} {wanted:?}");
                turned = turned.max(wanted.torque.abs() / wanted.force.length());
            }
        }
        assert!(turned > 0.1, "limits and motors do next to nothing: {turned}");
    }
}
