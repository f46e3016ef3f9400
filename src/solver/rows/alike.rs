//! Soft bodies of one pattern, solved four side by side (`solver/alike/`), for what rows are solved for: their edges,
//! bends and areas that are springs, which are no rows then. A body is a group as those of `direct/`: rows that act on
//! it ask how it gives way.

use wide::{f32x4, f64x4};

use super::Stage;
use crate::math::Mapped;
use crate::solver::alike::{
    Desk, Edge, Four, Fours, LANES, Law, Measure, Most, Pair, Pattern, Plane, Soft, hardness, splat,
};
use crate::solver::direct::{ENTRIES, Limits, Slope, Term};
use crate::solver::nodes::{Nodes, Twist};
use crate::threads::{Held, Threads};
use crate::world::{Body, Model, Renumbering, State};

/// The work on so few fours is not worth sharing out.
const PART: usize = 8;
/// Nor that on so few nodes.
const NODES: usize = 512;

/// Some fours, each with the place of its pattern and with the nodes of the first points of its bodies.
type Part<'a> = (&'a mut [(u32, Four)], &'a [[u32; LANES]]);

/// The soft bodies that are solved four side by side.
#[derive(Clone, Debug, Default)]
pub(super) struct Alike {
    fours: Fours,
    /// Whether they are known.
    known: bool,
    /// For each four the nodes of the first points of its bodies.
    firsts: Vec<[u32; LANES]>,
    /// Where each node is; nodes at the end may be left out.
    homes: Vec<Option<Home>>,
    /// What they were made ready for last.
    stage: Option<Stage>,
    /// How long springs act, s.
    time: f32,
    /// What [`Alike::follow`] follows: for each four its unknowns; none where nothing acts on it.
    pushed: Vec<Vec<Pair>>,
    response: Vec<Pair>,
    /// What fours are worked on with, for each thread that works.
    desks: Held<Vec<Desk>>,
}

/// Where a node is.
#[derive(Clone, Copy, Debug)]
struct Home {
    /// Its body, as [`four_and_lane`] counts them.
    group: u32,
    /// Which of its points it is.
    point: u32,
}

/// The four of a body that is a group, and its lane there.
fn four_and_lane(group: u32) -> (usize, usize) {
    (group as usize / LANES, group as usize % LANES)
}

/// What is left of equations: stiff ones give back the part `pace` of their error, but `most` at most.
#[derive(Clone, Copy, Debug)]
pub(super) struct Aim {
    pub(super) pace: f32,
    pub(super) most: f32,
    /// What something moves, for each m/s.
    pub(super) step: f32,
}

impl Aim {
    #[inline(always)]
    fn left(
        &self,
        soft: &Soft,
        [error, scale]: [f32x4; 2],
        moved: f32x4,
        [lambda, carried]: [f32x4; 2],
    ) -> f32x4 {
        let most = splat(self.most) * scale;
        let back = (splat(self.pace) * error).fast_max(-most).fast_min(most);
        let stiff = moved + back + soft.c * (lambda - carried);
        let springy = moved + soft.a * error + soft.c * lambda;
        soft.is_stiff().select(stiff, springy)
    }
}

impl Measure for Aim {
    #[inline(always)]
    fn edge(&self, edge: &Edge, moved: Plane) -> f32x4 {
        let moved = edge.along.dot(moved);
        self.left(&edge.soft, [edge.error, f32x4::ONE], moved, [edge.lambda, edge.carried])
    }

    #[inline(always)]
    fn law(&self, law: &Law, moved: f32x4) -> f32x4 {
        self.left(&law.soft, [law.error, law.scale], moved, [law.lambda, law.carried])
    }

    fn step(&self) -> f32 {
        self.step
    }

    fn follows_turns(&self) -> bool {
        false
    }
}

impl Alike {
    /// Forgets which they are, but not what they have given.
    pub(super) fn forget(&mut self) {
        self.known = false;
    }

    /// The same where bodies have other numbers.
    pub(super) fn rename(&mut self, by: &Renumbering) {
        self.fours.rename(by);
        self.known = false;
    }

    /// Finds them, unless they are known. A body of soft springs is left to rounds if `limits` say so, for what springs
    /// are in the first sub-step of a step, of `h` seconds.
    pub(super) fn find(
        &mut self,
        model: &Model,
        state: &State,
        nodes: &Nodes,
        limits: Limits,
        h: f32,
    ) {
        if std::mem::replace(&mut self.known, true) {
            return;
        }
        let most = Most { work: limits.most_work, entries: ENTRIES };
        let takes = |body: &Body| {
            limits.soft == 0.0
                || hardness(model, state, body, limits.first * h) >= limits.soft as f32
        };
        self.fours.find(model, most, takes);
        self.homes.clear();
        self.firsts.clear();
        self.pushed.clear();
        for (number, (pattern, four)) in (0..).zip(self.fours.iter()) {
            let first = four.first.mapped(|point| nodes.of_point(model, point as u32));
            self.firsts.push(first);
            self.pushed.push(Vec::new());
            for (lane, first) in (0..four.count).zip(first) {
                let needed = self.homes.len().max(first as usize + pattern.rows.len());
                self.homes.resize(needed, None);
                let group = number * LANES as u32 + lane as u32;
                let homes = self.homes[first as usize..][..pattern.rows.len()].iter_mut();
                homes.zip(0..).for_each(|(home, point)| *home = Some(Home { group, point }));
            }
        }
    }

    /// Whether a body is one of them.
    pub(super) fn has(&self, body: u32) -> bool {
        self.fours.has(body)
    }

    /// Whether a node is part of one.
    pub(super) fn has_node(&self, node: u32) -> bool {
        self.home(node).is_some()
    }

    fn home(&self, node: u32) -> Option<Home> {
        *self.homes.get(node as usize)?
    }

    /// Whether any of them has springs.
    pub(super) fn has_springs(&self) -> bool {
        self.fours.iter().any(|(_, four)| four.has_springs())
    }

    /// Does some work on each four, which threads share out, and puts together what it returns by `both`.
    fn share<R: Default + Send>(
        &mut self,
        threads: &Threads,
        work: impl Fn(&Pattern, &mut Four, &[u32; LANES], &mut Desk) -> R + Sync,
        both: impl Fn(R, R) -> R + Sync,
    ) -> R {
        let Self { fours, firsts, desks, .. } = self;
        if firsts.is_empty() {
            return R::default();
        }
        let (patterns, list) = fours.parts();
        let all = |(list, firsts): Part<'_>| {
            desks.lend(|desk| {
                let each = list.iter_mut().zip(firsts).map(|((place, four), first)| {
                    work(&patterns[*place as usize], four, first, desk)
                });
                each.fold(R::default(), &both)
            })
        };
        threads.parts((list, &firsts[..]), PART, &all, &both)
    }

    /// The same with work that returns nothing.
    fn each(
        &mut self,
        threads: &Threads,
        work: impl Fn(&Pattern, &mut Four, &[u32; LANES], &mut Desk) + Sync,
    ) {
        self.share(threads, work, |(), ()| ());
    }

    /// Takes their edges, bends and areas as they are now, before a sub-step of `h` seconds.
    pub(super) fn take(&mut self, state: &State, h: f32, threads: &Threads) {
        self.time = h;
        self.each(threads, |pattern, four, _, desk| {
            four.take_rests(state);
            four.take(pattern, &state.position, desk);
        });
    }

    /// Lets springs act for `time` seconds.
    pub(super) fn time_springs(&mut self, time: f32) {
        self.time = time;
    }

    /// Makes ready to solve their equations in a sub-step of `h` seconds.
    pub(super) fn prepare(&mut self, stage: Stage, h: f32, nodes: &Nodes, threads: &Threads) {
        self.stage = Some(stage);
        let time = self.time;
        self.each(threads, |pattern, four, first, desk| {
            if stage == Stage::Rest {
                return four.rest();
            }
            load(four, first, |node| nodes.speed(node), desk);
            four.resist(pattern, h, desk);
            match stage {
                Stage::Places => four.time_places(pattern, h),
                Stage::Speeds | Stage::Rest => four.time_speeds(pattern, time),
            }
        });
    }

    /// Whether none has equations in the stage that all are ready for.
    pub(super) fn is_idle(&self) -> bool {
        !self.fours.iter().any(|(_, four)| is_busy(four, self.stage))
    }

    /// Solves them, and moves the nodes.
    pub(super) fn solve(&mut self, stage: Stage, aim: &Aim, nodes: &mut Nodes, threads: &Threads) {
        let (ready_for, now) = (self.stage, &*nodes);
        self.each(threads, |pattern, four, first, desk| {
            if is_busy(four, ready_for) {
                load(four, first, |node| stage.of(now, node), desk);
                four.solve(pattern, aim, false, desk);
            }
        });
        self.move_nodes(
            |number| is_busy(self.fours.get(number).1, ready_for),
            stage.all(nodes),
            threads,
        );
    }

    /// Notes forces for the next sub-step: `scale` times what has been given.
    pub(super) fn note_pulls(&mut self, scale: f32, threads: &Threads) {
        self.each(threads, |_, four, _, _| four.note_pulls(scale));
    }

    /// Lets what is stiff carry what it has been given without giving way any further.
    pub(super) fn carry(&mut self, threads: &Threads) {
        self.each(threads, |_, four, _, _| four.carry());
    }

    /// Begins anew where the part `scale` of what has been given is carried.
    pub(super) fn restart(&mut self, scale: f32, threads: &Threads) {
        self.each(threads, |_, four, _, _| four.restart(scale));
    }

    /// Takes their edges, bends and areas anew, after nodes have moved.
    pub(super) fn follow_nodes(&mut self, nodes: &Nodes, threads: &Threads) {
        self.each(threads, |pattern, four, first, desk| {
            let place = |lane: usize, point: usize| nodes.place(first[lane] + point as u32);
            four.load(place, &mut desk.points);
            four.follow_points(pattern, &desk.points);
        });
    }

    /// The largest error of what is stiff after nodes have moved, m.
    pub(super) fn largest_error(&mut self, nodes: &Nodes, threads: &Threads) -> f32 {
        let largest =
            |pattern: &Pattern, four: &mut Four, first: &[u32; LANES], desk: &mut Desk| {
                load(four, first, |node| nodes.travel(node), desk);
                four.largest_error(pattern, desk)
            };
        self.share(threads, largest, f32::max)
    }

    /// The number of groups: of bodies, and lanes that are left over.
    pub(super) fn groups(&self) -> usize {
        LANES * self.fours.len()
    }

    /// The group of a node, if it has equations in the stage that all are ready for.
    pub(super) fn telling(&self, node: u32) -> Option<u32> {
        let group = self.home(node)?.group;
        let (_, four) = self.fours.get(four_and_lane(group).0);
        is_busy(four, self.stage).then_some(group)
    }

    /// The derivatives of a term by the unknowns of the group that its node is in.
    pub(super) fn slopes_of(&self, term: &Term) -> impl Iterator<Item = Slope> + use<> {
        let row = |Home { group, point }: Home| {
            self.fours.get(four_and_lane(group).0).0.rows[point as usize]
        };
        let at = self.home(term.node).map_or(0, |home| 2 * row(home));
        [term.linear.x, term.linear.y].into_iter().zip(at..).map(|(by, at)| Slope { at, by })
    }

    /// How the unknowns of a group change when up to four unit impulses act on it, each alone, along these slopes.
    pub(super) fn respond_four<'a>(
        &mut self,
        group: u32,
        pushes: impl Iterator<Item = &'a [Slope]>,
    ) -> &[f64x4] {
        let Self { fours, response, .. } = self;
        let (number, lane) = four_and_lane(group);
        let (pattern, four) = fours.get_mut(number);
        response.clear();
        response.resize(pattern.rows.len(), Pair::default());
        for (push, slopes) in pushes.enumerate() {
            for Slope { at, by } in slopes {
                let all = &mut response.as_flattened_mut()[*at as usize];
                all.as_mut_array()[push] += f64::from(*by);
            }
        }
        four.respond(pattern, lane, response);
        response.as_flattened()
    }

    /// Finds what impulses, each on a group along some slopes, change, for [`Alike::move_followed`].
    pub(super) fn follow<'a>(&mut self, pushes: impl Iterator<Item = (u32, &'a [Slope], f32)>) {
        let Self { fours, pushed, .. } = self;
        pushed.iter_mut().for_each(Vec::clear);
        for (group, slopes, impulse) in pushes {
            let (number, lane) = four_and_lane(group);
            let unknowns = &mut pushed[number];
            unknowns.resize(fours.get(number).0.rows.len(), Pair::default());
            for Slope { at, by } in slopes {
                let all = unknowns.as_flattened_mut()[*at as usize].as_mut_array();
                all[lane] += f64::from(*by) * f64::from(impulse);
            }
        }
        for (number, unknowns) in pushed.iter_mut().enumerate().filter(|(_, of)| !of.is_empty()) {
            let (pattern, four) = fours.get_mut(number);
            four.follow(pattern, unknowns);
        }
    }

    /// Moves the nodes by what was followed; `motions` are what moves of all nodes.
    pub(super) fn move_followed(&self, motions: &mut [Twist], threads: &Threads) {
        if self.pushed.iter().any(|unknowns| !unknowns.is_empty()) {
            self.move_nodes(|four| !self.pushed[four].is_empty(), motions, threads);
        }
    }

    /// Moves the nodes of those fours that `has` names by what they have noted.
    fn move_nodes(
        &self,
        has: impl Fn(usize) -> bool + Sync,
        motions: &mut [Twist],
        threads: &Threads,
    ) {
        let all = (&mut motions[..self.homes.len()], &self.homes[..]);
        threads.each(all, NODES, |(motions, homes): (&mut [Twist], &[Option<Home>])| {
            for (motion, home) in motions.iter_mut().zip(homes) {
                let Some(Home { group, point }) = *home else { continue };
                let (four, lane) = four_and_lane(group);
                if has(four) {
                    motion.linear += self.fours.get(four).1.change(lane, point as usize);
                }
            }
        });
    }

    /// Counts what was followed as given by equations.
    pub(super) fn count_followed(&mut self) {
        let Self { fours, pushed, desks, .. } = self;
        let mut desk = desks.get().pop().unwrap_or_default();
        for (number, unknowns) in pushed.iter().enumerate().filter(|(_, of)| !of.is_empty()) {
            let (pattern, four) = fours.get_mut(number);
            four.count_followed(pattern, unknowns, &mut desk);
        }
        desks.get().push(desk);
    }
}

/// Whether a four has equations in a stage.
fn is_busy(four: &Four, stage: Option<Stage>) -> bool {
    stage != Some(Stage::Rest) || four.is_stiff()
}

/// Puts what `of` tells of the nodes of a four on the desk.
#[inline(always)]
fn load<'a>(four: &Four, first: &[u32; LANES], of: impl Fn(u32) -> &'a Twist, desk: &mut Desk) {
    four.load(|lane, point| of(first[lane] + point as u32).linear, &mut desk.points);
}
