//! A body on its own: everything in a world that belongs to it, with its points numbered from 0.
//!
//! Bodies are contiguous ranges in the arrays of a world. To make one, or to change what it
//! consists of, it is put together here and then pushed onto the end of a world, or put in the
//! place of another (`world/edit/`). One that stays as it is goes from world to world at once.

use std::ops::Range;
use std::sync::Arc;

use crate::math::{Mapped, Rot, Vec2};
use crate::scene::{BodyKind, Filter, Look, Material, Strength};
use crate::world::model::AreaRule;
use crate::world::rim;
use crate::world::{Area, Bend, Body, Edge, Model, Piece, Rim, State, World};

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
            edges: indices(&body.edges)
                .map(|k| {
                    let edge = model.edges[k];
                    let edge = Edge { a: edge.a - base, b: edge.b - base, ..edge };
                    PartEdge { edge, rest: state.rest[k] }
                })
                .collect(),
            areas: model.areas[indices(&body.areas)]
                .iter()
                .map(|area| PartArea {
                    points: local(model.area_outline(area)),
                    rest: area.rest,
                    rule: area.rule,
                })
                .collect(),
            bends: model.bends[indices(&body.bends)]
                .iter()
                .map(|bend| Bend { points: bend.points.mapped(|point| point - base), ..*bend })
                .collect(),
            pieces: model.pieces[indices(&body.pieces)]
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

impl World {
    /// Adds a body of another world to the end of this one, as it is there; returns its index. Nobody is told its name.
    pub(crate) fn copy_body(&mut self, from: &Self, index: usize) -> u32 {
        let (old, new) = (&*from.model, Arc::make_mut(&mut self.model));
        let body = &old.bodies[index];
        let number = new.bodies.len() as u32;
        let first = new.mass.len() as u32;
        let moved = |point: u32| point - body.points.start + first;
        let points = body.point_range();
        new.mass.extend_from_slice(&old.mass[points.clone()]);
        new.inv_mass.extend_from_slice(&old.inv_mass[points.clone()]);
        new.rest.extend_from_slice(&old.rest[points.clone()]);
        new.pinned.extend_from_slice(&old.pinned[points.clone()]);
        new.body_of.extend(points.clone().map(|_| number));
        let edges = extend(&mut new.edges, &old.edges[indices(&body.edges)], |edge| Edge {
            a: moved(edge.a),
            b: moved(edge.b),
            ..*edge
        });
        let bends = extend(&mut new.bends, &old.bends[indices(&body.bends)], |bend| Bend {
            points: bend.points.mapped(moved),
            ..*bend
        });
        let Model { areas, area_points, pieces, piece_points, rims, .. } = new;
        let areas = extend(areas, &old.areas[indices(&body.areas)], |area| {
            let first = area_points.len() as u32;
            area_points.extend(old.area_outline(area).iter().map(|&point| moved(point)));
            Area { first, ..*area }
        });
        let pieces = extend(pieces, &old.pieces[indices(&body.pieces)], |piece| {
            let first = piece_points.len() as u32;
            piece_points.extend(old.outline(piece).iter().map(|&point| moved(point)));
            rims.extend(old.rim(piece).iter().map(|rim| Rim {
                before: rim.before.map(moved),
                after: rim.after.map(moved),
                ..*rim
            }));
            let frame = piece.frame.map(|frame| frame.mapped(moved));
            Piece { body: number, first, frame, ..*piece }
        });
        let points = first..first + points.len() as u32;
        new.bodies.push(Body { points, edges, areas, bends, pieces, ..body.clone() });
        let (from, to) = (&from.state, &mut self.state);
        to.position.extend_from_slice(&from.position[body.point_range()]);
        to.velocity.extend_from_slice(&from.velocity[body.point_range()]);
        to.rest.extend_from_slice(&from.rest[indices(&body.edges)]);
        number
    }
}

/// The same range, to index with.
pub(super) fn indices(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// Adds all of `from`, each as `made`; returns the range they are in.
fn extend<T>(to: &mut Vec<T>, from: &[T], made: impl FnMut(&T) -> T) -> Range<u32> {
    let start = to.len() as u32;
    to.extend(from.iter().map(made));
    start..to.len() as u32
}

/// The turn from `a → b` to `b → c`.
pub(crate) fn turn([a, b, c]: [Vec2; 3]) -> Rot {
    let (u, v) = (b - a, c - b);
    Rot::normalised(u.dot(v), crate::math::cross(u, v))
}
