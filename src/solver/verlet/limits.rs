//! What `verlet` cannot do as well as the other backends, with the figures of the laboratory.
//!
//! Where contacts or joints pull a point to several sides at once, two rounds hand it on from point to point
//! and no further.

use crate::collision::Collision;
use crate::solver::Limitation;
use crate::world::{Body, JointEnd, Model, State};

/// Joints in wider nets than this are left to rounds, which converge slowly.
const WIDE_NET: usize = 2000;
/// Loads on soft bodies heavier than this many times the body show that they are carried in rounds.
const HEAVY: f32 = 20.0;
/// Bodies that begin this deep in each other are thrown apart, m.
const DEEP: f32 = 0.1;

pub(super) fn limitations(model: &Model, state: &State) -> Vec<Limitation> {
    let checks: [(bool, &str); 3] = [
        (
            has_a_wide_net(model),
            "joints in very wide nets stay open by centimetres (2.6 cm in a net of 45 by 45 discs; \
             lab/joint_grid, of 20 by 20, below 1 mm)",
        ),
        (
            has_a_load_on_jelly(model),
            "solid soft bodies under loads of many times their mass look softer than they are (lab/heavy_lid: \
             down by 5.5 cm where the stiffness says 4.5); more iterations help, impulse and pbd need none",
        ),
        (
            begins_overlapped(model, state),
            "bodies that begin deep inside each other are thrown apart at up to 15 m/s (lab/overlap); \
             impulse and pbd part them below 3 m/s",
        ),
    ];
    let found = checks.into_iter().filter(|(applies, _)| *applies);
    found.map(|(_, text)| Limitation { text: text.to_owned() }).collect()
}

fn movable(model: &Model) -> impl Iterator<Item = &Body> {
    model.bodies.iter().filter(|body| body.is_rigid() && body.is_dynamic())
}

fn has_a_wide_net(model: &Model) -> bool {
    let between = |end: &JointEnd| end.body().is_some();
    let links = model.joints.iter().filter(|joint| between(&joint.b)).count();
    links > WIDE_NET && links > movable(model).count()
}

fn has_a_load_on_jelly(model: &Model) -> bool {
    let heaviest = movable(model).map(|body| body.mass).fold(0.0, f32::max);
    let solid = |body: &Body| model.pieces_of(body).iter().any(|piece| piece.count >= 3);
    let soft = model.bodies.iter().filter(|body| body.soft && body.is_dynamic() && solid(body));
    soft.map(|body| body.mass).any(|mass| heaviest > HEAVY * mass)
}

fn begins_overlapped(model: &Model, state: &State) -> bool {
    let mut collision = Collision::default();
    collision.update_pairs(model, state, 0.0, 0.0);
    let rigid = |piece: u32| model.bodies[model.pieces[piece as usize].body as usize].is_rigid();
    let contacts = collision.detect(model, &state.position, 0.0);
    contacts.iter().any(|contact| contact.depth > DEEP && contact.pieces.into_iter().all(rigid))
}
