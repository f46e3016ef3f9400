//! Contacts of `impulse`: each is part of a manifold where both bodies move as blocks, and by itself where not, or a pair of
//! rows where it acts on what is solved together. What they gave in one sub-step they start from in the next.

use crate::collision::{Contact, Margin};
use crate::math::{Mapped, Vec2, left};
use crate::settings::Response;
use crate::solver::StepCx;
#[cfg(doc)]
use crate::solver::common::BOUNCE_SPEED;
use crate::solver::forms::{Forms, Other};
use crate::solver::nodes::Nodes;
use crate::solver::quads::{BOUNCE_ROUNDS, Press, Quads, Tie};
use crate::solver::rows::{Bound, Rows, Softness};
use crate::solver::touches::{Encounter, Known};
use crate::threads::Threads;
use crate::world::{Anchor, Model, Renumbering};

/// How fast a [`Response::Soft`] contact pushes overlap out: as a spring of this frequency, Hz, at most a
/// quarter of the rate of sub-steps, and this damping ratio. Box2D's values.
const HERTZ: f32 = 30.0;
const DAMPING_RATIO: f32 = 10.0;
/// A contact whose features have changed may take over impulses from within this distance, m.
const SAME_PLACE: f32 = 0.1;
/// The boxes in which pieces are paired reach so far beyond them, m.
const PAIR_MARGIN: Margin = Margin { slow: 0.05, swift: 0.02 };

/// The contacts of a sub-step.
#[derive(Clone, Debug, Default)]
pub(super) struct Contacts {
    /// With the impulses of the sub-step before, along the surface and along the normal. Rows are for friction, then
    /// for the normal.
    pub(super) forms: Forms<Vec2>,
    /// The rows of normals that come fast, and are to part if they are pressed, each with the speed, m/s.
    bounces: Vec<(usize, f32)>,
    first_row: usize,
    /// Whether bodies meet in this sub-step.
    impact: bool,
    soft: Option<Softness>,
    /// The part of gravity that what manifolds, hinges and rows hold is for.
    held: f32,
}

impl Contacts {
    pub(super) fn clear(&mut self) {
        *self = Self { held: 1.0, ..Self::default() };
    }

    /// Gives what is known the numbers that pieces and points have now. `quads` are those of the numbers before.
    pub(super) fn renumber(&mut self, by: &Renumbering, quads: &Quads) {
        let Self { forms, held, .. } = self;
        forms.renumber(by, quads, |manifold, known, quads| recall(manifold, known, quads, *held));
    }

    /// Finds the pairs that may touch in a step.
    pub(super) fn find_pairs(&mut self, cx: &mut StepCx<'_>) {
        self.forms.touches.find_pairs(cx, PAIR_MARGIN);
    }

    /// Whether bodies meet in this sub-step, faster than [`BOUNCE_SPEED`].
    pub(super) fn any_impact(&self) -> bool {
        self.impact
    }

    /// The number of rows before those of contacts.
    pub(super) fn first_row(&self) -> usize {
        self.first_row
    }

    /// Takes over the pairs that were found for a step. Manifolds whose bodies hardly move stay as they are.
    pub(super) fn begin_step(&mut self, cx: &StepCx<'_>, nodes: &Nodes) {
        self.forms.touches.begin_step(cx, nodes);
    }

    /// Goes on to another sub-step of `h` seconds, with which the last `left` seconds of the step begin.
    /// Manifolds whose bodies hardly move stay as they are. `rows` and `quads` are those of the sub-step before.
    pub(super) fn go_on(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        (rows, quads): (&Rows, &Quads),
        h: f32,
        left: f32,
    ) {
        self.recall_others(rows, quads);
        self.forms.go_on(cx, nodes, [h, left], PAIR_MARGIN);
    }

    /// Finds the contacts of a sub-step of `h` seconds, and makes room for hinges as well.
    pub(super) fn add(
        &mut self,
        cx: &mut StepCx<'_>,
        nodes: &mut Nodes,
        rows: &mut Rows,
        quads: &mut Quads,
        hinges: &[Tie],
        h: f32,
    ) {
        let soft = Softness::new(HERTZ.min(0.25 / h), DAMPING_RATIO, h);
        self.soft = (cx.settings.response == Response::Soft).then_some(soft);
        self.first_row = rows.len();
        let held = self.held;
        let recall = |manifold: u32, known: &mut Encounter<Vec2>, quads: &Quads| {
            recall(manifold, known, quads, held);
        };
        self.forms.find(cx, nodes, rows, (quads, hinges), [h, SAME_PLACE], recall);
        let others_meet = self.add_others(cx, nodes, rows, quads, h);
        self.impact = self.form(cx, nodes, quads, h) | others_meet;
    }

    /// The part of gravity that what manifolds, hinges and rows hold is for.
    pub(super) fn held(&self) -> f32 {
        self.held
    }

    /// Says for which part of gravity they have been solved.
    pub(super) fn hold(&mut self, part: f32) {
        self.held = part;
    }

    /// Starts the contacts that are rows from the part `kick` of their impulses.
    pub(super) fn start(&self, kick: f32, rows: &mut Rows, nodes: &mut Nodes) {
        for (first, encounter) in self.forms.rows() {
            for (row, Known { memory, .. }) in (first..).step_by(2).zip(encounter.contacts()) {
                rows.start(row, kick * memory.x, nodes);
                rows.start(row + 1, kick * memory.y, nodes);
            }
        }
    }

    /// Adds the contacts that are no part of a manifold. Returns whether bodies meet there.
    fn add_others(
        &mut self,
        cx: &StepCx<'_>,
        nodes: &Nodes,
        rows: &mut Rows,
        quads: &mut Quads,
        h: f32,
    ) -> bool {
        let (model, positions) = (cx.model, &cx.state.position);
        let Self { forms, bounces, soft, held, .. } = self;
        bounces.clear();
        let pushes = soft.map_or(Bound::Push { h, back: 0.0 }, Bound::Soft);
        let press = |mut press: Press, known: &Known<Vec2>| {
            press.point.start = *held * known.memory;
            press
        };
        let add_rows = |press: Press, Known { contact, .. }: &Known<Vec2>, rows: &mut Rows| {
            let normal = rows.len() + 1;
            if press.point.parts > 0.0 {
                bounces.push((normal, press.point.parts));
            }
            let rubs = Bound::Friction { friction: press.surface.friction, normal };
            add_rows(model, positions, contact, [rubs, pushes], nodes, rows);
        };
        let (meet, _) = forms.add_others(cx, nodes, (rows, quads), h, press, add_rows);
        meet
    }

    /// Puts the contacts of all pairs that have a manifold, and are not kept, into it, and takes the gaps of the others
    /// anew. Returns whether bodies meet there.
    fn form(&self, cx: &StepCx<'_>, nodes: &Nodes, quads: &mut Quads, h: f32) -> bool {
        let positions = &cx.state.position;
        let Self { forms, held, .. } = self;
        quads.put_manifolds(cx.threads, nodes, |manifold| {
            let put = forms.put(manifold, positions, nodes, h, |memory, _| *held * *memory);
            put.map(|(put, ..)| put)
        })
    }

    /// Writes into the memory of contacts that are no part of a manifold what these have got in the last sub-step, scaled to
    /// the whole of gravity.
    fn recall_others(&mut self, rows: &Rows, quads: &Quads) {
        let Self { forms, held, .. } = self;
        forms.each_of_others(|other, known| {
            let got = match other {
                Other::Press(press) => quads.impulse_of_press(press),
                Other::Rows(row) => Vec2::new(rows.impulse(row), rows.impulse(row + 1)),
            };
            known.memory = got / *held;
        });
    }

    /// How contacts give way, if they are springs.
    pub(super) fn soft(&self) -> Option<Softness> {
        self.soft
    }

    /// Keeps what contacts that are no part of a manifold have got in the last sub-step for the next step.
    pub(super) fn end_step(&mut self, rows: &Rows, quads: &Quads) {
        self.recall_others(rows, quads);
    }

    /// Lists the contacts that overlap or touch.
    pub(super) fn list(&self, quads: &Quads, list: &mut Vec<Contact>) {
        self.forms.list(quads, list);
    }

    /// Parts what met fast and was pressed, at the speed it is due.
    pub(super) fn restitute(
        &self,
        rows: &mut Rows,
        quads: &mut Quads,
        threads: &Threads,
        nodes: &mut Nodes,
    ) {
        quads.carry_bounces(threads, nodes);
        self.bounces.iter().for_each(|&(row, _)| rows.follow(row, nodes));
        // Rows take turns with the others.
        let alone = self.bounces.is_empty();
        let (turns, rounds) = if alone { (1, BOUNCE_ROUNDS) } else { (BOUNCE_ROUNDS, 1) };
        for turn in 0..turns {
            for &(row, speed) in &self.bounces {
                if rows.impulse(row) > 0.0 {
                    rows.steer(row, speed, nodes);
                }
            }
            quads.part(turn == 0, rounds, threads, nodes);
        }
    }
}

/// Writes into the memory of the contacts of a manifold what they have got there for the part `held`
/// of gravity, scaled to the whole.
fn recall(manifold: u32, encounter: &mut Encounter<Vec2>, quads: &Quads, held: f32) {
    for (known, impulse) in encounter.contacts_mut().iter_mut().zip(quads.impulses(manifold)) {
        known.memory = impulse / held;
    }
}

/// Adds the rows of a contact: friction, then the normal.
fn add_rows(
    model: &Model,
    positions: &[Vec2],
    contact: &Contact,
    bounds: [Bound; 2],
    nodes: &Nodes,
    rows: &mut Rows,
) {
    let [first, second] = contact.edge;
    let anchors = [Anchor::at_point(contact.vertex), Anchor::between(first, second, contact.t)];
    let pieces = contact.pieces.mapped(|piece| &model.pieces[piece as usize]);
    let places = contact.places(positions, pieces.mapped(|piece| piece.radius));
    for (direction, bound) in [left(contact.normal), contact.normal].into_iter().zip(bounds) {
        rows.begin();
        rows.side(nodes, model, pieces[0].body, &anchors[0], places[0], direction);
        rows.side(nodes, model, pieces[1].body, &anchors[1], places[1], -direction);
        rows.end(nodes, -contact.depth, bound);
    }
}

#[cfg(test)]
mod tests {
    use super::super::Impulse;
    use super::*;
    use crate::scene::{BodyDef, Material, Shape};
    use crate::solver::Solver;
    use crate::solver::alone::{Alone, ground};
    use crate::solver::forms::Form;
    use crate::solver::touches::Pair;
    use approx::assert_abs_diff_eq;

    #[test]
    fn what_comes_apart_keeps_an_empty_manifold_that_does_nothing() {
        let crate_at = |id: &str, at: Vec2| BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at);
        let hops = crate_at("hops", Vec2::new(-2.0, 0.7));
        let bodies = vec![
            ground(20.0),
            BodyDef { material: Material { restitution: 0.9, ..hops.material }, ..hops },
            crate_at("rests", Vec2::new(2.0, 0.5)),
        ];
        let mut alone = Alone::<Impulse>::new(bodies, 1);
        let point = alone.world.model.bodies[1].points.start as usize;
        let fallen = alone.settings.dt() * alone.settings.gravity.y;
        let mut in_flight = 0;
        let mut list = Vec::new();
        for _ in 0..40 {
            let before = alone.world.state.velocity[point].y;
            alone.step();
            alone.solver.contacts(&mut list);
            let touches = list.iter().any(|contact| contact.pieces.contains(&1));
            if alone.solver.quads.manifolds() == 2 && !touches && before > 0.2 {
                let after = alone.world.state.velocity[point].y;
                assert_abs_diff_eq!(after - before, fallen, epsilon = 1e-4);
                in_flight += 1;
            }
        }
        assert!(in_flight > 5, "the crate has hopped for {in_flight} steps");
    }

    /// Crates that fall on each other, more pairs than are looked at together.
    #[test]
    fn manifolds_are_numbered_in_the_order_of_pairs_and_each_is_between_its_nodes() {
        let mut bodies = vec![ground(60.0)];
        bodies.extend((0..300_u16).map(|k| {
            let at = Vec2::new(f32::from(k % 25) * 1.02 - 12.0, f32::from(k / 25) * 1.05 + 0.55);
            BodyDef::new(format!("crate{k}"), Shape::Box { size: Vec2::ONE }, at)
        }));
        for threads in [1, 3] {
            let mut alone = Alone::<Impulse>::new(bodies.clone(), threads);
            let mut most = 0;
            for _ in 0..30 {
                alone.step();
                let Alone { solver, .. } = &alone;
                let pairs = solver.contacts.forms.touches.pairs();
                let formed = pairs.iter().filter(|pair| matches!(pair.form, Form::Manifold(_)));
                let ends: Vec<[u32; 2]> = formed.clone().filter_map(Pair::nodes).collect();
                assert!(formed.zip(0..).all(|(pair, number)| pair.form == Form::Manifold(number)));
                assert!(solver.quads.are_between(&ends));
                let touching = |pair: &&Pair<Form>| pair.is_touching();
                assert!(pairs.iter().filter(touching).all(|pair| pair.has_form()));
                most = most.max(ends.len());
            }
            assert!(most > 512, "{most} manifolds");
        }
    }
}
