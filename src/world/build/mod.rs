//! From body descriptions to points and edges.
//!
//! Each shape becomes a [`Frame`] (`frame.rs`): lumped masses (`world/mass.rs`), the edges that brace them, and
//! the pieces that collide. Every rigid frame is made of triangles, so that its edges alone hold
//! its shape; what is concave, round at the corners or of many parts is in `solid.rs`.
//!
//! ```text
//!   box            disc           capsule
//!   3 ─── 2          1                3
//!   │ ╲ ╱ │        ╱ │ ╲          ╱   │   ╲
//!   │  4  │       │  0  │        0 ───┼─── 1
//!   │ ╱ ╲ │       ╱╱   ╲╲         ╲   │   ╱
//!   0 ─── 1      2 ───── 3            2
//! ```

mod frame;
mod joint;
mod solid;

pub(crate) use joint::add_joint;

use crate::error::{Error, Result};
use crate::math::{Mapped, Rot, Vec2, cross_sv, part_of_way};
use crate::scene::{BodyDef, BodyKind, Material, Scene};
use crate::world::parts::{PartPoint, Parts};
use crate::world::{Anchor, Body, Edge, Model, Pose, State};

use frame::Frame;

const LARGEST: f32 = Scene::LARGEST;
/// The most points a world may have.
const MOST_POINTS: usize = 4_000_000;

/// Adds a body to a world; returns its index.
pub(crate) fn add_body(model: &mut Model, state: &mut State, def: &BodyDef) -> Result<u32> {
    let fail = |problem: String| Error::scene(&def.id, problem);
    check_numbers(def).map_err(fail)?;
    if model.by_id.contains_key(&def.id) {
        return Err(fail("another body has this id already; give each body its own".into()));
    }
    let frame = Frame::of(&def.shape, def.material.density, def.kind == BodyKind::Dynamic);
    let frame = frame.map_err(fail)?;
    if model.point_count() + frame.lumps.points.len() > MOST_POINTS {
        return Err(fail(format!("the world would have more than {MOST_POINTS} points")));
    }
    Ok(placed(frame, def).push(model, state))
}

/// A body on its own, as it is described.
pub(crate) fn placed_shape(def: &BodyDef) -> std::result::Result<Parts, String> {
    let moves = def.kind == BodyKind::Dynamic;
    Ok(placed(Frame::of(&def.shape, def.material.density, moves)?, def))
}

/// A frame where its body is.
fn placed(frame: Frame, def: &BodyDef) -> Parts {
    let rot = Rot::from_radians(def.angle);
    let center = def.position + rot.apply(frame.lumps.centroid);
    let points = frame.lumps.points.iter().enumerate().map(|(i, &(rest, mass))| {
        let r = rot.apply(rest);
        let pinned = frame.pinned.get(i).copied().unwrap_or(false);
        let moves = def.kind != BodyKind::Static && !pinned;
        let velocity = if moves { def.velocity + cross_sv(def.spin, r) } else { Vec2::ZERO };
        PartPoint { mass, rest, pinned, position: center + r, velocity }
    });
    Parts {
        id: def.id.clone(),
        serial: None,
        kind: def.kind,
        soft: frame.soft,
        material: def.material,
        filter: def.filter,
        look: def.look,
        strength: frame.strength,
        self_collision: frame.self_collision,
        points: points.collect(),
        edges: frame.edges(),
        areas: frame.areas(),
        bends: frame.bends(),
        pieces: frame.pieces,
    }
}

impl Model {
    /// The anchor at a world position on a body, as its points are now: on a [strand](Model::is_strand) the nearest place on
    /// the line of the edge that is nearest, on the two points of which it then is.
    ///
    /// # Panics
    /// If `body` is not a body of this model.
    #[must_use]
    pub fn anchor(&self, body: u32, at: Vec2, state: &State) -> Anchor {
        let def = &self.bodies[body as usize];
        if self.is_strand(def) {
            return self.anchor_on_edge(def, at, &state.position);
        }
        // A rigid body is anchored in its rest frame, where its shape is exact.
        let pose = self.pose(def, &state.position);
        let (target, positions): (Vec2, &[Vec2]) =
            if def.soft { (at, &state.position) } else { (pose.unapply(at), &self.rest) };
        let candidates: Vec<_> = def.point_range().map(|i| (i as u32, positions[i])).collect();
        // A body always has a point, so there is always an anchor.
        Anchor::best(&candidates, target).unwrap_or_else(|| Anchor::at_point(def.points.start))
    }

    /// The nearest place on the line of the nearest edge of a body that has some.
    fn anchor_on_edge(&self, body: &Body, at: Vec2, positions: &[Vec2]) -> Anchor {
        let edges = &self.edges[body.edges.start as usize..body.edges.end as usize];
        let on = |edge: &Edge| {
            let [from, to] = [edge.a, edge.b].mapped(|point| positions[point as usize]);
            let t = part_of_way(at, [from, to]);
            let gap = at.distance_squared(from + t.clamp(0.0, 1.0) * (to - from));
            // The nearer end first: what is at a point is at it to the bit.
            let anchor = match t < 0.5 {
                true => Anchor::between(edge.a, edge.b, t),
                false => Anchor::between(edge.b, edge.a, 1.0 - t),
            };
            (gap, anchor.cleaned())
        };
        let nearest = edges.iter().map(on).min_by(|a, b| a.0.total_cmp(&b.0));
        nearest.map_or_else(|| Anchor::at_point(body.points.start), |(_, anchor)| anchor)
    }

    /// The place of a world position in a body's frame.
    #[must_use]
    pub fn local(&self, body: &Body, at: Vec2, state: &State) -> Vec2 {
        let Pose { center, rot } = self.pose(body, &state.position);
        rot.unapply(at - center)
    }
}

fn check_numbers(def: &BodyDef) -> std::result::Result<(), String> {
    let numbers = [
        ("position", def.position.abs().max_element()),
        ("angle", def.angle.abs()),
        ("velocity", def.velocity.abs().max_element()),
        ("spin", def.spin.abs()),
    ];
    for (name, size) in numbers {
        // A NaN fails the comparison too.
        if !(size <= LARGEST) {
            return Err(format!("{name} must be a finite number within ±{LARGEST:e}"));
        }
    }
    check_material(&def.material)
}

/// Whether a body can be made of this; says what is wrong with it.
pub(crate) fn check_material(material: &Material) -> std::result::Result<(), String> {
    if !(material.density > 1e-3 && material.density <= 1e6) {
        return Err(format!("density {} must lie in 0.001 to 1e6 kg/m³", material.density));
    }
    if !(material.friction >= 0.0 && material.friction <= 100.0) {
        return Err(format!("friction {} must lie in 0 to 100", material.friction));
    }
    if !(material.restitution >= 0.0 && material.restitution <= 1.0) {
        return Err(format!("restitution {} must lie in 0 to 1", material.restitution));
    }
    if !(material.gravity_scale.abs() <= 1e3) {
        return Err(format!("gravity_scale {} must lie in ±1000", material.gravity_scale));
    }
    let rates = [("linear", material.linear_damping), ("angular", material.angular_damping)];
    for (name, rate) in rates {
        if !(0.0..=1e3).contains(&rate) {
            return Err(format!("{name}_damping {rate} must lie in 0 to 1000 1/s"));
        }
    }
    Ok(())
}
