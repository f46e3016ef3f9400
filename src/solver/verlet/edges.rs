//! Edges: distance constraints, satisfied one after the other, up to eight that share no point at once
//! (`batch.rs`, `sticks.rs`).
//!
//! A stiff edge of rest length `L` between points at `p = x_b − x_a` is corrected along the
//! direction `g` it had at the start of the sub-step. The end points move by `∓w·μ·g` with `μ`
//! such that the new length is `L`, to first order in the error:
//!
//! ```text
//! |p + (w_a + w_b)·μ·g|² = L²   ⇒   μ = (L² − p·p) / (2·(w_a + w_b)·p·g)
//! ```
//!
//! There is no square root. Where the edge has turned or shrunk so far that `p·g` is small, the
//! direction of `p` itself is taken.
//!
//! A soft edge has compliance `α` and damping `β` and is a spring at any step size and number of
//! rounds: `Δλ = (−C − α̃·λ − γ·Ċh) / ((1 + γ)·w + α̃)` with `α̃ = α/h²`, `γ = α·β/h` (Macklin,
//! Müller, Chentanez, “XPBD”, 2016, eqs. 18 and 26); `λ` starts at zero in every sub-step, but for lax bodies (`lax.rs`).

use std::collections::HashMap;

use crate::math::{Mapped, Vec2, direction_or};
use crate::solver::common::is_free_rigid;
use crate::solver::direct::{Span, Term};
use crate::solver::verlet::Moves;
use crate::solver::verlet::alike::Alike;
use crate::solver::verlet::start::Start;
use crate::solver::verlet::sticks::{Stick, Sticks};
use crate::solver::verlet::trusses::{Rounds, Truss, Trusses};
use crate::threads::Threads;
use crate::world::{Body, Joint, Model, Renumbering, State};

/// The work on so few bodies is not worth sharing out.
const PART: usize = 256;

/// The edges of a model: those of rigid frames apart from those whose ends move on their own.
#[derive(Clone, Debug, Default)]
pub(super) struct Edges {
    links: Vec<Link>,
    /// The frames, and the links that are not solved together.
    framework: Trusses,
    /// Whether each body is part of a pair that may touch, and whether something else than edges may act on it.
    meets: Vec<bool>,
    busy: Vec<bool>,
    loose: Left,
    /// The same of bodies that are left to rounds (`lax.rs`).
    lax: Left,
    /// The lengths that all edges of the model rested at in the last step, m.
    rest: Vec<f32>,
    /// Whether they are still to be taken as they are in this step.
    fresh: bool,
    /// The time of the sub-steps they are made ready for, with the lengths at which they rest, s; 0 for none.
    time: f32,
    /// The links of bodies that are solved side by side (`alike/`).
    alike: Vec<Stick>,
    /// The stiff links that are solved together or side by side, for the velocity stage.
    rods: Sticks,
}

/// Links that are left to rounds.
#[derive(Clone, Debug, Default)]
struct Left {
    sticks: Sticks,
    /// Their places among all links, and the group of each.
    links: Vec<u32>,
    groups: Vec<u32>,
}

/// An edge of a soft body, or of a rigid one that is pinned.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) stick: Stick,
    /// The group of bodies that it is part of (`start.rs`).
    group: u32,
    /// The direction it had before the sub-step.
    pub(super) along: Vec2,
    /// Displacement impulse in this sub-step where it is solved together with others (`together.rs`); where it is
    /// not, what it starts with when rounds are made anew.
    pub(super) lambda: f32,
}

impl Edges {
    pub(super) fn attach(&mut self, model: &Model, state: &State, start: &Start, alike: &Alike) {
        *self = Self::default();
        let mut trusses: Vec<Truss> = Vec::new();
        for (index, (edge, &rest)) in model.edges.iter().zip(&state.rest).enumerate() {
            let (a, b) = (edge.a, edge.b);
            let (w_a, w_b) = (model.inv_mass[a as usize], model.inv_mass[b as usize]);
            if w_a + w_b == 0.0 {
                continue;
            }
            let (compliance, damping, index) = (edge.compliance, edge.damping, index as u32);
            let stick = Stick { index, a, b, rest, compliance, damping, w_a, w_b };
            let body = model.body_of[a as usize];
            let points = &model.bodies[body as usize].points;
            if is_free_rigid(model, &model.bodies[body as usize]) {
                let (first, count) = (points.start, points.len());
                if trusses.last().is_none_or(|truss| truss.first != first) {
                    trusses.push(Truss { first, points: count, sticks: Vec::new() });
                }
                if let Some(truss) = trusses.last_mut() {
                    truss.sticks.push(Stick { compliance: 0.0, ..stick });
                }
            } else if alike.has(body) {
                self.alike.push(stick);
            } else {
                let group = start.group_of(body);
                self.links.push(Link { stick, group, along: Vec2::ZERO, lambda: 0.0 });
            }
        }
        self.framework = Trusses::new(&trusses);
    }

    /// The same where the model is another but its bodies are those of before: links go on from what they were
    /// given.
    pub(super) fn renumber(
        &mut self,
        model: &Model,
        state: &State,
        start: &Start,
        alike: &Alike,
        by: &Renumbering,
    ) {
        self.keep();
        let old = std::mem::take(&mut self.links);
        self.attach(model, state, start, alike);
        let ends = |link: &Link| Some([by.point(link.stick.a)?, by.point(link.stick.b)?]);
        let before = old.iter().filter_map(|link| Some((ends(link)?, link.lambda)));
        let before: HashMap<[u32; 2], f32> = before.collect();
        for Link { stick, lambda, .. } in &mut self.links {
            *lambda = before.get(&[stick.a, stick.b]).copied().unwrap_or_default();
        }
    }

    /// Notes what links that are left to rounds start with.
    fn keep(&mut self) {
        for (link, lambda) in self.loose.kept().chain(self.lax.kept()) {
            self.links[link as usize].lambda = lambda;
        }
    }

    /// Leaves those links to rounds that are not solved together, those of lax bodies apart.
    pub(super) fn leave_to_rounds(
        &mut self,
        together: impl Fn(usize) -> bool,
        is_lax: impl Fn(&Link) -> bool,
    ) {
        self.keep();
        let links = || self.links.iter().enumerate();
        let left = links().filter(|&(index, _)| !together(index));
        let (lax, loose) = left.partition::<Vec<_>, _>(|(_, link)| is_lax(link));
        [self.loose, self.lax] = [loose, lax].map(|of| Left::new(&of));
        (self.fresh, self.time) = (true, 0.0);
        let rods = links().filter(|&(index, _)| together(index)).map(|(_, link)| link.stick);
        let rods = rods.chain(self.alike.iter().copied()).filter(|rod| rod.compliance == 0.0);
        self.rods = Sticks::new(&rods.collect::<Vec<_>>());
    }

    /// Takes over what springs of lax bodies start with in sub-steps of another length, `by` times as much.
    pub(super) fn scale_lax(&mut self, by: f32) {
        self.lax.sticks.scale_springs(by);
    }

    /// Takes over the lengths that edges rest at now.
    pub(super) fn begin_step(&mut self, state: &State) {
        self.fresh = true;
        // Compared as what they are in memory, which is several times as fast as number by number.
        let bits = bytemuck::cast_slice::<f32, u32>;
        if self.links.is_empty() || bits(&self.rest) == bits(&state.rest) {
            return;
        }
        self.rest.clone_from(&state.rest);
        for link in &mut self.links {
            let rest = state.rest[link.stick.index as usize];
            if link.stick.rest != rest {
                (link.stick.rest, self.time) = (rest, 0.0);
            }
        }
    }

    /// Finds out on which frames nothing but their edges acts: they have no joint, and are part of no pair that may touch.
    pub(super) fn note_alone(&mut self, model: &Model, pairs: &[(u32, u32)]) {
        let Self { framework, meets, busy, .. } = self;
        meets.clear();
        meets.resize(model.bodies.len(), false);
        for piece in pairs.iter().flat_map(|&(a, b)| [a, b]) {
            meets[model.pieces[piece as usize].body as usize] = true;
        }
        if framework.is_empty() {
            return;
        }
        busy.clone_from(meets);
        model.joints.iter().flat_map(Joint::bodies).for_each(|body| busy[body as usize] = true);
        framework.note_alone(|first| !busy[model.body_of[first as usize] as usize]);
    }

    /// Whether a body is part of a pair that may touch.
    pub(super) fn meets(&self, body: u32) -> bool {
        self.meets[body as usize]
    }

    /// Takes edges left to rounds as they are before a sub-step of `h` seconds. Within a step, loose stiff ones are
    /// as the velocity stage left them.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2], h: f32, threads: &Threads) {
        self.framework.begin_substep(positions, threads);
        let Self { links, loose, lax, .. } = self;
        if self.time != h {
            loose.time(links, h);
            lax.time(links, h);
            self.time = h;
        }
        if std::mem::take(&mut self.fresh) {
            loose.sticks.take_stiff(positions);
        }
    }

    /// Spreads what loose edges were given in the sub-step before.
    pub(super) fn spread(&self, moves: &Moves, start: &mut Start) {
        let Self { loose, lax, .. } = self;
        loose.sticks.spread(&moves.delta, &loose.groups, start);
        lax.sticks.spread_springs(moves, &lax.groups, start);
    }

    /// Keeps only the part of it that each group is given.
    pub(super) fn keep_part(&mut self, start: &Start) {
        let Self { loose, lax, .. } = self;
        loose.sticks.keep_part(&loose.groups, |group| start.part(group));
        lax.sticks.keep_part_of_springs(&lax.groups, |group| start.part(group));
    }

    /// Whether any edges are loose.
    pub(super) fn any_loose(&self) -> bool {
        !self.loose.sticks.is_empty() || !self.lax.sticks.is_empty()
    }

    /// The edges whose ends move on their own.
    pub(super) fn links(&mut self) -> &mut [Link] {
        &mut self.links
    }

    /// One round over all edges but those that are solved together.
    pub(super) fn satisfy(&mut self, moves: &mut Moves, round: Rounds, threads: &Threads) {
        let Moves { start, delta } = moves;
        self.framework.satisfy(start, delta, round, threads);
        self.loose.sticks.satisfy(start, delta, round.at == 0);
        // These go on from what they start with.
        self.lax.sticks.satisfy(start, delta, false);
    }

    /// The first round of the velocity stage: the ends of a stiff edge neither approach nor part.
    pub(super) fn begin_relaxing(&mut self, state: &mut State, h: f32) {
        self.loose.sticks.begin_relaxing(state, h);
        self.rods.begin_relaxing(state, h);
    }

    /// A round after it.
    pub(super) fn relax(&mut self, state: &mut State, h: f32) {
        self.loose.sticks.relax(&mut state.velocity, h);
        self.rods.relax(&mut state.velocity, h);
    }

    /// The largest length error of a stiff edge after a step, m.
    pub(super) fn residual(&self, model: &Model, state: &State, threads: &Threads) -> f32 {
        let State { position, rest, .. } = state;
        let least = self.loose.sticks.largest_error().max(self.rods.largest_error());
        let of_frames = |bodies: &[Body]| {
            let mut largest = least;
            for body in bodies.iter().filter(|body| is_free_rigid(model, body)) {
                let range = body.edges.start as usize..body.edges.end as usize;
                for (edge, rest) in model.edges[range.clone()].iter().zip(&rest[range]) {
                    let [a, b] = [edge.a, edge.b].mapped(|end| position[end as usize]);
                    let square = a.distance_squared(b);
                    let (least, most) = ((rest - largest).max(0.0), rest + largest);
                    // Few are longer or shorter than all before.
                    if square < least * least || square > most * most {
                        largest = largest.max((square.sqrt() - rest).abs());
                    }
                }
            }
            largest
        };
        threads.parts(&model.bodies[..], PART, &of_frames, &f32::max)
    }
}

impl Left {
    /// Some links, with their places among all.
    fn new(links: &[(usize, &Link)]) -> Self {
        let sticks: Vec<Stick> = links.iter().map(|(_, link)| link.stick).collect();
        let mut left = Self {
            sticks: Sticks::new(&sticks),
            links: links.iter().map(|&(place, _)| place as u32).collect(),
            groups: links.iter().map(|(_, link)| link.group).collect(),
        };
        left.sticks.note_groups(&left.groups);
        left.sticks.start_with(|index| links[index].1.lambda);
        left
    }

    /// What each starts with in the sub-step that follows, by its place among all links.
    fn kept(&self) -> impl Iterator<Item = (u32, f32)> {
        self.sticks.kept().map(|(index, lambda)| (self.links[index], lambda))
    }

    /// Takes over the lengths that they rest at now, for sub-steps of `h` seconds.
    fn time(&mut self, links: &[Link], h: f32) {
        self.sticks.time(|index| links[self.links[index] as usize].stick.rest, h);
    }
}

impl Link {
    /// Forgets the impulse of the sub-step before and takes the direction before this one.
    pub(super) fn begin_substep(&mut self, positions: &[Vec2]) {
        let between = positions[self.stick.b as usize] - positions[self.stick.a as usize];
        self.along = direction_or(between, Vec2::X);
        self.lambda = 0.0;
    }

    /// `α̃` and `γ`, as above.
    pub(super) fn soft(&self, h: f32) -> (f32, f32) {
        let Stick { compliance, damping, .. } = self.stick;
        (compliance / (h * h), compliance * damping / h)
    }

    /// What it takes hold of.
    pub(super) fn terms(&self) -> [Term; 2] {
        let term = |node, linear| Term { node, linear, angular: 0.0 };
        [term(self.stick.a, -self.along), term(self.stick.b, self.along)]
    }

    /// What it keeps at its length.
    pub(super) fn span(&self) -> Span {
        Span { nodes: [self.stick.a, self.stick.b], length: self.stick.rest }
    }

    /// What is left of its law: `C + α̃·λ + γ·Ċh`.
    pub(super) fn residual(&self, moves: &Moves, h: f32) -> f32 {
        let (a, b) = (self.stick.a as usize, self.stick.b as usize);
        let (alpha, gamma) = self.soft(h);
        let (before, moved) = (moves.start[b] - moves.start[a], moves.delta[b] - moves.delta[a]);
        let error = (before + moved).length() - self.stick.rest;
        error + alpha * self.lambda + gamma * self.along.dot(moved)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{BodyDef, JointDef, Scene, Shape};
    use crate::solver::verlet::lax::Lax;
    use crate::world::World;

    #[test]
    fn frames_that_a_joint_holds_or_that_may_touch_something_are_busy() {
        let crate_at = |k: usize| {
            let at = Vec2::new(3.0 * k as f32, 0.0);
            BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at)
        };
        let bodies = (0..6).map(crate_at).collect();
        let joints = vec![JointDef::pin("nail", "crate4", None, Vec2::new(12.0, 0.0))];
        let scene = Scene { bodies, joints, ..Scene::default() };
        let World { model, state } = World::build(&scene).unwrap();
        let (mut start, mut alike, mut edges) = <(Start, Alike, Edges)>::default();
        start.attach(&model);
        alike.attach(&model, &Lax::default());
        edges.attach(&model, &state, &start, &alike);
        edges.note_alone(&model, &[(0, 2)]);
        assert_eq!(edges.busy, [true, false, true, false, true, false]);
    }
}
