//! A body on its own: everything in a world that belongs to it, with its points numbered from 0.
//!
//! Bodies are contiguous ranges in the arrays of a world. To make one, or to change what it
//! consists of, it is put together here and then pushed onto the end of a world, or put in the
//! place of another (`world/edit/`).

use crate::math::{Mapped, Rot, Vec2};
use crate::scene::{BodyKind, Filter, Look, Material, Strength};
use crate::world::model::AreaRule;
use crate::world::rim;
use crate::world::{Area, Bend, Body, Edge, Model, Piece, State, World};

/// A body on its own.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    pub(crate) id: String,
    /// The serial number it keeps; `None` for a new body.
    pub(crate) serial: Option<u32>,
    pub(crate) kind: BodyKind,
    pub(crate) soft: bool,
    pub(crate) material: Material,
    pub(crate) filter: Filter,
    pub(crate) look: Look,
    pub(crate) strength: Strength,
    pub(crate) self_collision: bool,
    pub(crate) points: Vec<PartPoint>,
    pub(crate) edges: Vec<PartEdge>,
    pub(crate) areas: Vec<PartArea>,
    pub(crate) bends: Vec<Bend>,
    pub(crate) pieces: Vec<PartPiece>,
}

/// A point of a body on its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPoint {
    pub(crate) mass: f32,
    /// About the centre of mass, unrotated.
    pub(crate) rest: Vec2,
    pub(crate) pinned: bool,
    pub(crate) position: Vec2,
    pub(crate) velocity: Vec2,
}

/// An edge of a body on its own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartEdge {
    pub(crate) edge: Edge,
    /// The length it rests at now.
    pub(crate) rest: f32,
}

/// An area of a body on its own.
#[derive(Clone, Debug)]
pub(crate) struct PartArea {
    pub(crate) points: Vec<u32>,
    pub(crate) rest: f32,
    pub(crate) rule: AreaRule,
}

/// A piece of a body on its own.
#[derive(Clone, Debug)]
pub(crate) struct PartPiece {
    pub(crate) points: Vec<u32>,
    pub(crate) radius: f32,
    pub(crate) frame: Option<[u32; 3]>,
}

impl Parts {
    /// The body `index` of a world.
    pub(crate) fn of(world: &World, index: usize) -> Self {
        let World { model, state } = world;
        let body = &model.bodies[index];
        let base = body.points.start;
        let local = |points: &[u32]| points.iter().map(|&point| point - base).collect();
        let range = |range: &std::ops::Range<u32>| range.start as usize..range.end as usize;
        Self {
            id: body.id.clone(),
            serial: Some(body.serial),
            kind: body.kind,
            soft: body.soft,
            material: body.material,
            filter: body.filter,
            look: body.look,
            strength: body.strength,
            self_collision: body.self_collision,
            points: body
                .point_range()
                .map(|i| PartPoint {
                    mass: model.mass[i],
                    rest: model.rest[i],
                    pinned: model.pinned[i],
                    position: state.position[i],
                    velocity: state.velocity[i],
                })
                .collect(),
            edges: range(&body.edges)
                .map(|k| {
                    let edge = model.edges[k];
                    let edge = Edge { a: edge.a - base, b: edge.b - base, ..edge };
                    PartEdge { edge, rest: state.rest[k] }
                })
                .collect(),
            areas: model.areas[range(&body.areas)]
                .iter()
                .map(|area| PartArea {
                    points: local(model.area_outline(area)),
                    rest: area.rest,
                    rule: area.rule,
                })
                .collect(),
            bends: model.bends[range(&body.bends)]
                .iter()
                .map(|bend| Bend { points: bend.points.mapped(|point| point - base), ..*bend })
                .collect(),
            pieces: model.pieces[range(&body.pieces)]
                .iter()
                .map(|piece| PartPiece {
                    points: local(model.outline(piece)),
                    radius: piece.radius,
                    frame: piece.frame.map(|points| points.mapped(|point| point - base)),
                })
                .collect(),
        }
    }

    /// Adds the body to the end of a world; returns its index. Its id is not one of the world's.
    pub(crate) fn push(self, model: &mut Model, state: &mut State) -> u32 {
        let index = model.bodies.len() as u32;
        let base = model.point_count() as u32;
        let serial = self.serial.unwrap_or(model.next_serial);
        model.next_serial = model.next_serial.max(serial + 1);
        let (mut mass, mut inertia) = (0.0_f32, 0.0_f32);
        for point in &self.points {
            let held = point.pinned || self.kind != BodyKind::Dynamic;
            model.mass.push(point.mass);
            model.inv_mass.push(if held { 0.0 } else { 1.0 / point.mass });
            model.rest.push(point.rest);
            model.pinned.push(point.pinned);
            model.body_of.push(index);
            state.position.push(point.position);
            state.velocity.push(point.velocity);
            mass += point.mass;
            inertia += point.mass * point.rest.length_squared();
        }
        let first = [model.edges.len(), model.areas.len(), model.bends.len(), model.pieces.len()];
        for PartEdge { edge, rest } in self.edges {
            model.edges.push(Edge { a: base + edge.a, b: base + edge.b, ..edge });
            state.rest.push(rest);
        }
        for PartArea { points, rest, rule } in self.areas {
            let (first, count) = (model.area_points.len() as u32, points.len() as u32);
            model.area_points.extend(points.iter().map(|&point| base + point));
            model.areas.push(Area { first, count, rest, rule });
        }
        let moved = |points: [u32; 3]| points.mapped(|point| base + point);
        let bends = self.bends.into_iter();
        model.bends.extend(bends.map(|bend| Bend { points: moved(bend.points), ..bend }));
        let (mut rims, shared) = rim::rims(&self.pieces, !self.soft);
        for around in &mut rims {
            around.before = around.before.map(|point| base + point);
            around.after = around.after.map(|point| base + point);
        }
        model.rims.extend(rims);
        for (PartPiece { points, radius, frame }, shared) in self.pieces.into_iter().zip(shared) {
            let (first, count) = (model.piece_points.len() as u32, points.len() as u32);
            model.piece_points.extend(points.iter().map(|&point| base + point));
            let frame = frame.map(moved);
            model.pieces.push(Piece { body: index, first, count, radius, shared, frame });
        }
        let last = [model.edges.len(), model.areas.len(), model.bends.len(), model.pieces.len()];
        let [edges, areas, bends, pieces] =
            std::array::from_fn(|k| first[k] as u32..last[k] as u32);
        model.by_id.insert(self.id.clone(), index);
        model.bodies.push(Body {
            id: self.id,
            serial,
            kind: self.kind,
            soft: self.soft,
            points: base..model.point_count() as u32,
            edges,
            areas,
            bends,
            pieces,
            mass,
            inertia,
            material: self.material,
            filter: self.filter,
            look: self.look,
            strength: self.strength,
            self_collision: self.self_collision,
        });
        index
    }

    /// The total mass, kg.
    pub(crate) fn mass(&self) -> f32 {
        self.points.iter().map(|point| point.mass).sum()
    }

    /// Moves the rest shape so that its centre of mass is the origin.
    pub(crate) fn center_rest(&mut self) {
        let weighted = self.points.iter().map(|point| point.mass * point.rest).sum::<Vec2>();
        let center = weighted / self.mass();
        for point in &mut self.points {
            point.rest -= center;
        }
    }
}

/// The turn from `a → b` to `b → c`.
pub(crate) fn turn([a, b, c]: [Vec2; 3]) -> Rot {
    let (u, v) = (b - a, c - b);
    Rot::normalised(u.dot(v), crate::math::cross(u, v))
}
