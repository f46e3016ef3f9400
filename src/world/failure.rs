//! What gives way after a step: joints that carried too much, edges stretched too far, material bent
//! for good.
//!
//! Strain is `(length − rest) / length when made`. Beyond the yield strain the excess flows into the
//! rest length (O'Brien, Bargteil, Hodgins, “Graphical Modeling and Animation of Ductile Fracture”,
//! 2002, §3), and the yield strain grows with what has flowed. Beyond the breaking strain an edge
//! parts (`edit/tear.rs`): of each solid only the most strained one in a step, because a crack
//! relieves what is around it.

use std::sync::Arc;

use crate::math::{Mapped, Vec2};
use crate::scene::Plastic;
use crate::world::edit::part_edge;
use crate::world::parts::Parts;
use crate::world::{BodyId, Duties, JointId, World};

/// Something that gave way.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A joint carried more than it can, and is gone.
    JointBroke {
        /// The handle it had.
        joint: JointId,
        /// The name it had.
        id: String,
    },
    /// An edge of a soft body parted.
    EdgeBroke {
        /// The body.
        body: BodyId,
        /// Where, m.
        at: Vec2,
    },
    /// A body fell apart; this is what came off.
    CameOff {
        /// The body it came off.
        from: BodyId,
        /// What came off.
        body: BodyId,
    },
    /// An edge of a body was bent for good, for the first time in a while or more than before.
    Yielded {
        /// The body.
        body: BodyId,
        /// The largest permanent strain of its edges now.
        strain: f32,
    },
}

impl World {
    /// Lets give way what must, of these duties, after a step of `dt` seconds in which each joint carried a force and
    /// a torque; bodies that `rests` names by their number have not moved in it. Returns whether the
    /// topology changed.
    pub(crate) fn give_way(
        &mut self,
        duties: &Duties,
        loads: impl Fn(usize) -> (f32, f32),
        rests: impl Fn(usize) -> bool,
        dt: f32,
        events: &mut Vec<Event>,
    ) -> bool {
        let broke = self.break_joints(&duties.weak, loads, events);
        self.flow(&duties.plastic, rests, dt, events);
        self.break_edges(&duties.brittle, events) || broke
    }

    fn break_joints(
        &mut self,
        weak: &[u32],
        loads: impl Fn(usize) -> (f32, f32),
        events: &mut Vec<Event>,
    ) -> bool {
        let too_much = |k: &usize| {
            let joint = &self.model.joints[*k];
            let (force, torque) = loads(*k);
            force > joint.break_force || torque > joint.break_torque
        };
        let broken: Vec<usize> =
            weak.iter().map(|&joint| joint as usize).filter(too_much).collect();
        for &k in broken.iter().rev() {
            let joint = Arc::make_mut(&mut self.model).joints.remove(k);
            self.state.joints.remove(k);
            events.push(Event::JointBroke { joint: joint.handle(), id: joint.id });
        }
        if !broken.is_empty() {
            Arc::make_mut(&mut self.model).update_apart();
        }
        !broken.is_empty()
    }

    /// Lets rest lengths follow strain beyond the yield strain.
    fn flow(
        &mut self,
        plastic: &[u32],
        rests: impl Fn(usize) -> bool,
        dt: f32,
        events: &mut Vec<Event>,
    ) {
        /// Permanent strain is told in steps of this size.
        const TOLD: f32 = 0.01;
        for index in plastic.iter().map(|&body| body as usize) {
            let body = &self.model.bodies[index];
            let Some(Plastic { yield_strain, flow, hardening, most }) = body.strength.plastic
            else {
                continue;
            };
            if rests(index) {
                continue;
            }
            let share = 1.0 - libm::expf(-flow * dt);
            let (mut before, mut after) = (0.0_f32, 0.0_f32);
            for k in body.edges.start as usize..body.edges.end as usize {
                let edge = &self.model.edges[k];
                if edge.compliance == 0.0 {
                    continue;
                }
                let [a, b] = [edge.a, edge.b].mapped(|point| self.state.position[point as usize]);
                let rest = &mut self.state.rest[k];
                let strain = (a.distance(b) - *rest) / edge.rest;
                let permanent = (*rest / edge.rest - 1.0).abs();
                let excess = strain.abs() - (yield_strain + hardening * permanent);
                before = before.max(permanent);
                if excess > 0.0 {
                    let wanted = *rest + share * excess.copysign(strain) * edge.rest;
                    *rest = wanted.clamp((1.0 - most) * edge.rest, (1.0 + most) * edge.rest);
                }
                after = after.max((*rest / edge.rest - 1.0).abs());
            }
            if (after / TOLD).floor() > (before / TOLD).floor() {
                events.push(Event::Yielded { body: body.handle(), strain: after });
            }
        }
    }

    fn break_edges(&mut self, brittle: &[u32], events: &mut Vec<Event>) -> bool {
        let mut changed = Vec::new();
        for index in brittle.iter().map(|&body| body as usize) {
            let body = &self.model.bodies[index];
            let Some(limit) = body.strength.break_strain else { continue };
            let mut over: Vec<(usize, f32)> = (body.edges.start as usize..body.edges.end as usize)
                .filter(|&k| self.model.edges[k].compliance > 0.0)
                .map(|k| (k, self.strain(k)))
                .filter(|&(_, strain)| strain > limit)
                .collect();
            if over.is_empty() {
                continue;
            }
            let solid = self.model.pieces_of(body).iter().any(|piece| piece.count >= 3);
            if solid {
                over.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
                over.truncate(1);
            }
            let mut parts = Parts::of(self, index);
            // From the last to the first, so that indices stay good.
            for &(k, _) in over.iter().rev() {
                let [a, b] = [self.model.edges[k].a, self.model.edges[k].b]
                    .mapped(|point| self.state.position[point as usize]);
                part_edge(&mut parts, k - body.edges.start as usize);
                events.push(Event::EdgeBroke { body: body.handle(), at: 0.5 * (a + b) });
            }
            changed.push((index, parts));
        }
        if changed.is_empty() {
            return false;
        }
        for (from, body) in self.replace_split(changed) {
            events.push(Event::CameOff { from, body });
        }
        true
    }

    /// The strain of an edge; positive where it is stretched.
    fn strain(&self, k: usize) -> f32 {
        let edge = &self.model.edges[k];
        let [a, b] = [edge.a, edge.b].mapped(|point| self.state.position[point as usize]);
        (a.distance(b) - self.state.rest[k]) / edge.rest
    }
}
