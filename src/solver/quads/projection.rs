//! Quads solved for positions, and velocities after, as `rows/projection.rs` does it for rows.
//!
//! Displacements in a sub-step are to the position stage what velocities are to `impulse.rs`: bodies have been moved by
//! their velocities, and each contact gets the displacement impulse that removes its overlap. Friction draws surfaces
//! back to where they stuck. Divided by the time, what was given counts towards the bounds of the velocity stage, in
//! which what was pressed comes to rest, or parts as it is to bounce.

use super::bounce::Bounce;
use super::bundle::{Bundle, Work};
use super::guard::GuardQuad;
use super::hinge::{Aim, HingeQuad};
use super::impulse::kept;
use super::manifold::{ManifoldQuad, Put};
use super::{Loose, Quads, Rounds};
use crate::math::{Lane, Mapped, Vec2};
use crate::solver::common::TOUCHING;
use crate::solver::nodes::{Node, Nodes, Twist};
use crate::solver::rows::{BRISTLE, Returns};
use crate::threads::Threads;
use glam::Vec4;

/// The speed at which a contact is to part that was not pressed, m/s: it gives nothing.
const NEVER: f32 = -1e9;

/// How much of what was wrong before a sub-step comes back in it at the most, m.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Back {
    /// Of what stiff edges are too long or short by.
    pub(crate) closes: f32,
    /// Of what they are turned beyond their limits, rad.
    pub(crate) turns: f32,
    /// Of overlap and slip.
    pub(crate) parts: f32,
    /// The length of the sub-step, s.
    pub(crate) h: f32,
}

/// What there is to be remembered of a manifold from sub-step to sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Past {
    /// The part of what the position stage gave from which it starts the next time.
    pub(crate) carried: f32,
    /// Whether the velocity stage starts from what it gave the last time.
    pub(crate) eases: bool,
    /// How far its surfaces have slipped since they stuck, m.
    pub(crate) slip: f32,
    /// What the velocity stage gave along the surface, N·s.
    pub(crate) rubbed: f32,
    pub(crate) contacts: [Seen; 2],
}

/// What there is to be remembered of one contact of a manifold.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// What the position stage gave, kg·m.
    pub(crate) pushed: f32,
    /// What the velocity stage gave, N·s.
    pub(crate) eased: f32,
    /// The body with the vertex.
    pub(crate) side: usize,
    /// How far along the normal the vertex is from the centre of its body, m; without, bodies are yet to meet, and
    /// the contact goes along with none.
    pub(crate) lever: Option<f32>,
}

/// The pasts of four manifolds, and what they do in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pasts {
    /// The part of what the position stage gave from which it starts the next time.
    carried: Vec4,
    /// 1 where the velocity stage starts from what it gave the last time, else 0.
    eases: Vec4,
    /// The length of the sub-step, s.
    h: f32,
    slip: Vec4,
    /// What the position stage gave along the surface, and along the normals, as impulses of the velocity stage, N·s.
    given: [Vec4; 3],
    /// What the velocity stage gave, N·s.
    eased: [Vec4; 3],
    /// The speeds at which contacts are to part, m/s.
    parting: [Vec4; 2],
    ways: [Way; 2],
}

/// What four hinges give in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pulls {
    /// In the position stage, N·s.
    given: [Vec4; 2],
    /// What the velocity stage starts from, N·s.
    eased: [Vec4; 2],
}

/// What four edges give in a sub-step.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Strains {
    /// What the velocity stage starts from, N·s.
    eased: Vec4,
    /// How strongly springs pull, N, from which the position stage starts.
    springs: Vec4,
}

/// How four contacts go along with the bodies that have their vertices.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Way {
    /// 1 where that is the first body, 0 where the second.
    pub(super) on_first: Vec4,
    /// How far along the normal the vertex is from its centre, m; 0 for the other body.
    pub(super) levers: [Vec4; 2],
    /// 1 where it goes along, else 0.
    pub(super) follows: Vec4,
}

impl Way {
    /// 1 where the vertex is on the second body, else 0.
    #[inline(always)]
    pub(super) fn on_second(&self) -> Vec4 {
        Vec4::ONE - self.on_first
    }
}

impl Pasts {
    pub(super) fn put(&mut self, lane: usize, past: &Past) {
        self.carried.set_lane(lane, past.carried);
        self.eases.set_lane(lane, if past.eases { 1.0 } else { 0.0 });
        self.slip.set_lane(lane, past.slip);
        let eased = [past.rubbed, past.contacts[0].eased, past.contacts[1].eased];
        self.eased.iter_mut().zip(eased).for_each(|(to, eased)| to.set_lane(lane, eased));
        for (way, Seen { side, lever, .. }) in self.ways.iter_mut().zip(past.contacts) {
            way.on_first.set_lane(lane, if side == 0 { 1.0 } else { 0.0 });
            way.follows.set_lane(lane, if lever.is_some() { 1.0 } else { 0.0 });
            way.levers[side].set_lane(lane, lever.unwrap_or(0.0));
            way.levers[1 - side].set_lane(lane, 0.0);
        }
    }

    pub(super) fn past(&self, lane: usize) -> Past {
        let seen = |k: usize| Seen {
            pushed: self.h * self.given[k + 1].lane(lane),
            eased: self.eased[k + 1].lane(lane),
            ..Seen::default()
        };
        let (slip, rubbed) = (self.slip.lane(lane), self.eased[0].lane(lane));
        Past { slip, rubbed, contacts: [0, 1].mapped(seen), ..Past::default() }
    }

    /// Goes on from the sub-step before.
    #[inline(always)]
    pub(super) fn go_on(&self, quad: &mut ManifoldQuad) {
        quad.rubbed = Vec4::ZERO;
        for (point, given) in quad.points.iter_mut().zip(&self.given[1..]) {
            point.pushed = self.carried * self.h * *given;
        }
    }

    /// A round over displacements, in which what was wrong before comes back by `most` at the most, m.
    #[inline(always)]
    pub(super) fn project(&self, quad: &mut ManifoldQuad, most: f32, travels: &mut [Twist]) {
        let most = Vec4::splat(most);
        quad.press_then_rub(travels, self.slip.max(-most).min(most), |_, point, nears| {
            -point.mass * (point.gap.max(-most) + nears)
        });
    }

    /// Goes over to the velocity stage, after displacements of a sub-step of `h` seconds.
    #[inline(always)]
    pub(super) fn arrive(&mut self, quad: &mut ManifoldQuad, h: f32, travels: &[Twist]) {
        let (most, slid) = (quad.most_rub(), self.slip + quad.slid(travels));
        let pressed = quad.points.mapped(|point| point.pushed.cmpgt(Vec4::ZERO));
        // Where surfaces slide, slip is held at what they bend, or at what the cone can bring back in a sub-step.
        let holds = quad.rubbed.abs().cmplt(most);
        let longest = (most * quad.gives_along()).max(Vec4::splat(BRISTLE));
        let longest = Vec4::select(holds, Vec4::splat(f32::MAX), longest);
        let stuck = slid.max(-longest).min(longest);
        // A contact at rest may go unpressed for a sub-step; it has not let go for that.
        let nearest = quad.points[0].gap.min(quad.points[1].gap);
        let rests = Vec4::select(nearest.cmplt(Vec4::splat(TOUCHING)), slid, Vec4::ZERO);
        let any = pressed[0] | pressed[1];
        self.slip = Vec4::select(any, stuck, rests);
        self.h = h;
        let pace = h.recip();
        self.given = [quad.rubbed, quad.points[0].pushed, quad.points[1].pushed];
        self.given.iter_mut().for_each(|given| *given *= pace);
        for (k, pressed) in [any, pressed[0], pressed[1]].into_iter().enumerate() {
            self.eased[k] = Vec4::select(pressed, self.eases * self.eased[k], Vec4::ZERO);
        }
        self.parting =
            pressed.mapped(|pressed| Vec4::select(pressed, Vec4::ZERO, Vec4::splat(NEVER)));
        quad.rubbed = self.given[0];
        quad.points[0].pushed = self.given[1];
        quad.points[1].pushed = self.given[2];
        quad.go_along(&self.ways, travels);
    }

    /// Says at which speed a contact is to part, m/s, if it was pressed.
    pub(super) fn part(&mut self, lane: usize, point: usize, speed: f32) {
        if self.given[point + 1].lane(lane) > 0.0 {
            self.parting[point].set_lane(lane, speed);
        }
    }

    /// Starts the velocity stage from what it gave before.
    #[inline(always)]
    pub(super) fn ease(&self, quad: &mut ManifoldQuad, speeds: &mut [Twist]) {
        quad.add(self.eased[0], [self.eased[1], self.eased[2]], speeds);
    }

    /// A round of the velocity stage.
    #[inline(always)]
    pub(super) fn relax(&self, quad: &mut ManifoldQuad, speeds: &mut [Twist]) {
        quad.press(speeds, |k, point, nears| point.mass * (self.parting[k] - nears));
    }

    /// Notes what the velocity stage gave.
    #[inline(always)]
    pub(super) fn remember(&mut self, quad: &ManifoldQuad) {
        let now = [quad.rubbed, quad.points[0].pushed, quad.points[1].pushed];
        for ((eased, now), given) in self.eased.iter_mut().zip(now).zip(self.given) {
            *eased = now - given;
        }
    }
}

impl Quads {
    /// Puts what `of` says into each manifold, if it says so, and lets the others go on from the sub-step before. Returns
    /// whether bodies meet fast in any that was put, and the deepest overlap of all, m.
    pub(crate) fn put_displaced(
        &mut self,
        threads: &Threads,
        nodes: &Nodes,
        of: impl Fn(u32) -> Option<(Put, Past)> + Sync,
    ) -> (bool, f32) {
        let put = |bundle: &mut Bundle, first: u32, ends: &dyn Fn(u32) -> _| {
            bundle.put_displaced(|index| {
                let (put, past) = of(index - first)?;
                Some((put, past, ends(index)))
            });
            let gaps = bundle.manifolds.quads.iter().map(ManifoldQuad::least_gap);
            (bundle.meet(), -gaps.fold(0.0, f32::min))
        };
        self.put_each(threads, nodes, put, |a, b| (a.0 | b.0, a.1.max(b.1)))
    }

    /// Some rounds over displacements, in which what was wrong before the sub-step comes back by so much at the most. If
    /// it is the `start` contacts begin with what they were put in with, springs as in the sub-step before, hinges and stiff edges
    /// from nothing.
    pub(crate) fn project(
        &mut self,
        start: bool,
        rounds: u32,
        back: Back,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let loose = |start: bool, Loose { guards, presses }: &mut Loose, nodes: &mut Nodes| {
            let travels = nodes.travels_mut();
            if start {
                guards.each(|quad| quad.start(0.0, travels));
                presses.each(travels, |quad, _, travels| quad.start(1.0, travels));
            } else {
                guards.each(|quad| quad.project(back.parts, travels));
                presses.each(travels, |quad, past, to| past.project(quad, back.parts, to));
            }
        };
        self.take_turns(start, rounds, nodes, loose, |quads, start, rounds, nodes| {
            let work = |round: u32, with: Work<'_>| project_round(start && round == 0, back, with);
            let rounds = Rounds::fixed(rounds + u32::from(start));
            quads.run(rounds, threads, |node| nodes.travel(node), work);
            quads.write(nodes.travels_mut(), threads);
        });
    }

    /// Goes over to the velocity stage of a sub-step of `h` seconds: what was given so far counts as impulses, but for that of
    /// edges, which have no bounds. Returns how far a hinge is open, or a stiff edge too long or short, at most, m.
    pub(crate) fn arrive(&mut self, h: f32, threads: &Threads, nodes: &Nodes) -> f32 {
        let Loose { guards, presses } = &mut self.loose;
        guards.each(|quad| quad.arrive(h, nodes));
        presses.follow(nodes.travels(), |quad, past, travels| past.arrive(quad, h, travels));
        presses.tell_bounces();
        let arrive = |bundles: &mut [Bundle]| {
            let mut open = 0.0_f32;
            for bundle in bundles {
                bundle.read(|node| nodes.travel(node));
                open = open.max(arrive(h, bundle.work()));
            }
            open
        };
        let count = self.division.count();
        threads.parts(&mut self.bundles[..count], 1, &arrive, &f32::max)
    }

    /// All of a sub-step where manifolds are all there is: gravity changes velocities by `change`, and everything moves; so many rounds
    /// of [`Quads::project`]; all [arrives](Quads::arrive); velocities are what has been moved over the time, and `change` more;
    /// so many rounds of [`Quads::relax`]; and what these gave is noted. Each bundle is read and written once for all of that.
    pub(crate) fn project_alone(
        &mut self,
        [displacing, resting]: [u32; 2],
        back: Back,
        change: Vec2,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        let h = back.h;
        let turn = |phase: usize, bundle: &mut Bundle| match phase {
            0 => {
                bundle.note_coming();
                bundle.set_off(h, change);
            }
            _ => bundle.take_speeds(h, change, |node| nodes.speed(node)),
        };
        let work = |phase: usize, round: u32, with: Work<'_>| match (phase, round) {
            (0, _) => project_round(round == 0, back, with),
            (_, 0) => arrive_and_ease(h, with),
            _ => relax_round(round == resting, with),
        };
        let phases = [displacing, resting].mapped(|rounds| Rounds::fixed(rounds + 1));
        self.run_phases(phases, threads, |node| nodes.speed(node), turn, work);
        let (all, speeds, travels) = nodes.set_off(h);
        self.write_both((speeds, travels), threads, |node, speed, travel| {
            let Node { inv_mass, gravity_scale, .. } = all[node];
            speed.linear += gravity_scale * change;
            travel.go(h, speed);
            if inv_mass > 0.0 {
                speed.have_gone(h, travel);
                speed.linear += gravity_scale * change;
            }
        });
    }

    /// Starts the velocity stage of hinges, edges and guards from what it gave them before.
    pub(crate) fn ease_equations(&mut self, threads: &Threads, nodes: &mut Nodes) {
        self.loose.guards.each(|quad| quad.ease(nodes.speeds_mut()));
        if self.equations() == 0 {
            return;
        }
        self.once(threads, nodes, |Work { hinges, pulls, edges, strains, motions, .. }| {
            hinges.iter_mut().zip(pulls).for_each(|(quad, pulls)| {
                quad.pull_more(pulls.eased, motions);
            });
            edges.iter_mut().zip(strains).for_each(|(quad, Strains { eased, .. })| {
                quad.exchange(*eased);
                quad.start(1.0, motions);
            });
        });
    }

    /// Keeps of that what [`Nodes::keep_least_energy`] did, of hinges and guards; of edges [`Quads::keep`] does.
    pub(crate) fn keep_eased(&mut self, threads: &Threads, nodes: &Nodes) {
        self.loose.guards.each(|quad| quad.keep_eased(nodes));
        if self.equations() == 0 {
            return;
        }
        self.each(threads, |bundle| {
            let Work { hinges, pulls, nodes: all, .. } = bundle.work();
            for (quad, Pulls { given, eased }) in hinges.iter_mut().zip(pulls) {
                let part = kept(*quad.sides(), all, nodes);
                quad.set_pulled([given[0] + part * eased[0], given[1] + part * eased[1]]);
            }
        });
    }

    /// Some rounds of the velocity stage: all comes to rest, or parts. At the `start` contacts begin with
    /// what this stage gave them before.
    pub(crate) fn relax(&mut self, start: bool, rounds: u32, threads: &Threads, nodes: &mut Nodes) {
        let loose = |start: bool, Loose { guards, presses }: &mut Loose, nodes: &mut Nodes| {
            let speeds = nodes.speeds_mut();
            if start {
                presses.each(speeds, |quad, past, speeds| past.ease(quad, speeds));
            } else {
                guards.each(|quad| quad.relax(speeds));
                presses.each(speeds, |quad, past, speeds| past.relax(quad, speeds));
            }
        };
        self.take_turns(start, rounds, nodes, loose, |quads, start, rounds, nodes| {
            let work = |round: u32, with: Work<'_>| {
                if start && round == 0 { ease(with) } else { relax_round(false, with) }
            };
            let rounds = Rounds::fixed(rounds + u32::from(start));
            quads.run(rounds, threads, |node| nodes.speed(node), work);
            quads.write(nodes.speeds_mut(), threads);
        });
    }

    /// Notes what the velocity stage gave.
    pub(crate) fn remember(&mut self, threads: &Threads) {
        let Loose { guards, presses } = &mut self.loose;
        guards.each(GuardQuad::remember);
        presses.remember();
        self.each(threads, |bundle| remember(bundle.work()));
    }

    /// What there is to be remembered of a contact of soft bodies.
    pub(crate) fn past_of_press(&self, press: u32) -> Past {
        let (quad, lane) = self.loose.presses.at(press);
        quad.pasts.past(lane)
    }

    /// What there is to be remembered of a manifold; of vertices nothing.
    pub(crate) fn past(&self, manifold: u32) -> Past {
        let (bundle, quad, lane) = self.place(self.equations() + manifold as usize);
        bundle.pasts[quad].past(lane)
    }
}

/// A round over displacements, in which what was wrong before the sub-step comes back by so much at the most; or, if it is the
/// start, in place of one contacts begin with what they were put in with, springs as in the sub-step before, hinges and stiff edges
/// from nothing. There is never more to be done.
#[inline(always)]
fn project_round(
    start: bool,
    Back { closes, turns, parts, h }: Back,
    Work { hinges, pulls, edges, strains, manifolds, pasts, motions, .. }: Work<'_>,
) -> bool {
    let [returns, slack] = [closes, turns].mapped(|most| Returns { pace: 1.0, most });
    let aim = Aim { closes: 1.0, slack, drive: Some([h, h * h]) };
    if start {
        for (quad, pulls) in hinges.iter_mut().zip(pulls) {
            pulls.eased = quad.pulled();
            quad.start(0.0, motions);
        }
        for (quad, Strains { eased, springs }) in edges.iter_mut().zip(strains) {
            *eased = quad.exchange(h * h * *springs);
            quad.start_springs(motions);
        }
        manifolds.iter_mut().for_each(|quad| quad.start(1.0, motions));
        return false;
    }
    hinges.iter_mut().for_each(|quad| _ = quad.solve(&aim, motions));
    edges.iter_mut().for_each(|quad| quad.solve(returns, Some(h), motions));
    let all = manifolds.iter_mut().zip(pasts);
    all.for_each(|(quad, past)| past.project(quad, parts, motions));
    // Contacts have the last word: on a light limb between a load and the ground they undo what its joint
    // wanted. Where a limit is at work joints get another say.
    if hinges.iter().any(HingeQuad::any_end) {
        hinges.iter_mut().for_each(|quad| _ = quad.solve(&aim, motions));
    }
    false
}

/// Goes over to the velocity stage: see [`Quads::arrive`].
#[inline(always)]
fn arrive(h: f32, work: Work<'_>) -> f32 {
    let Work { hinges, pulls, edges, strains, motions, poses, .. } = work;
    let Work { manifolds, pasts, bounces, coming, .. } = work;
    let mut open = 0.0_f32;
    for (quad, Strains { springs, .. }) in edges.iter_mut().zip(strains) {
        open = open.max(quad.follow(poses, motions));
        *springs = quad.exchange(Vec4::ZERO) / (h * h);
    }
    for (quad, pulls) in hinges.iter_mut().zip(pulls) {
        open = open.max(quad.follow(motions));
        quad.keep(Vec4::splat(h.recip()));
        quad.hold_ends();
        pulls.given = quad.pulled();
    }
    let all = manifolds.iter_mut().zip(&mut *pasts);
    all.for_each(|(quad, past)| past.arrive(quad, h, motions));
    aim_bounces(bounces, manifolds, pasts, coming);
    open
}

/// Both in one go where manifolds are all there is, and how far all has moved is at hand: manifolds [arrive](arrive), and
/// [begin](ease) with what the velocity stage gave them before.
#[inline(always)]
fn arrive_and_ease(h: f32, work: Work<'_>) -> bool {
    let Work { manifolds, pasts, bounces, coming, motions, aside, .. } = work;
    for (quad, past) in manifolds.iter_mut().zip(&mut *pasts) {
        past.arrive(quad, h, aside);
        past.ease(quad, motions);
    }
    aim_bounces(bounces, manifolds, pasts, coming);
    false
}

/// Lets what manifolds remember know at which speeds contacts are to part whose bodies came by these velocities. A box that
/// spins has turned since then: parted along one line at the speed at which it came along another, it would gain energy.
fn aim_bounces(
    bounces: &mut [Bounce],
    quads: &[ManifoldQuad],
    pasts: &mut [Pasts],
    coming: &[Twist],
) {
    for bounce in bounces {
        let number = bounce.quad();
        bounce.aim(&quads[number], coming);
        bounce.tell(&mut pasts[number]);
    }
}

/// In place of a first round of the velocity stage: contacts begin with what this stage gave them before.
#[inline(always)]
fn ease(Work { manifolds, pasts, motions, .. }: Work<'_>) -> bool {
    manifolds.iter_mut().zip(pasts).for_each(|(quad, past)| past.ease(quad, motions));
    false
}

/// A round of the velocity stage. If it is the last, what it gave is noted. There is never more to be done.
#[inline(always)]
fn relax_round(is_last: bool, work: Work<'_>) -> bool {
    let [returns, slack] = [0.0, 1.0].mapped(|pace| Returns { pace, most: 0.0 });
    let aim = Aim { closes: 0.0, slack, drive: None };
    let Work { hinges, edges, manifolds, pasts, motions, .. } = work;
    hinges.iter_mut().for_each(|quad| _ = quad.solve(&aim, motions));
    edges.iter_mut().for_each(|quad| quad.solve(returns, None, motions));
    for (quad, past) in manifolds.iter_mut().zip(pasts) {
        past.relax(quad, motions);
        if is_last {
            past.remember(quad);
        }
    }
    false
}

/// Notes what the velocity stage gave.
#[inline(always)]
fn remember(Work { hinges, pulls, manifolds, pasts, .. }: Work<'_>) {
    for (quad, pulls) in hinges.iter_mut().zip(pulls) {
        let ([x, y], given) = (quad.pulled(), pulls.given);
        quad.set_pulled([x - given[0], y - given[1]]);
    }
    manifolds.iter().zip(pasts).for_each(|(quad, past)| past.remember(quad));
}
