//! Frames: shapes as points and edges in the body's own coordinates.

use super::solid;
use crate::math::{Mapped, Vec2, doubled_area};
use crate::outline;
use crate::scene::{Mesh, MeshArea, MeshBend, MeshEdge, Plastic, Scene, Shape, Strength};
use crate::world::mass::{self, Lumps};
use crate::world::model::AreaRule;
use crate::world::parts::{PartArea, PartEdge, PartPiece, turn};
use crate::world::{Bend, Edge};

const LARGEST: f32 = Scene::LARGEST;
const SMALLEST: f32 = Shape::LEAST_SIZE;
/// Rigid meshes of more points must be braced by those who make them: finding out what they lack
/// takes time that grows with the third power.
const MOST_BRACED: usize = 96;

pub(super) type Checked<T> = std::result::Result<T, String>;

/// A shape as points and edges in the body's frame.
#[derive(Default)]
pub(super) struct Frame {
    pub(super) lumps: Lumps,
    pub(super) edges: Vec<MeshEdge>,
    pub(super) areas: Vec<MeshArea>,
    pub(super) bends: Vec<MeshBend>,
    pub(super) pieces: Vec<PartPiece>,
    pub(super) soft: bool,
    pub(super) pinned: Vec<bool>,
    pub(super) strength: Strength,
    pub(super) self_collision: bool,
}

impl Frame {
    /// The frame of a shape made of a material of this density, or what is wrong with it. What keeps
    /// its shape and `moves` is braced, if need be.
    pub(super) fn of(shape: &Shape, density: f32, moves: bool) -> Checked<Self> {
        frame(shape, density, moves)
    }

    fn at(&self, point: u32) -> Vec2 {
        self.lumps.points[point as usize].0
    }

    fn area(&self, points: &[u32]) -> f32 {
        0.5 * doubled_area(points.iter().map(|&point| self.at(point)))
    }

    pub(super) fn edges(&self) -> Vec<PartEdge> {
        let made = |&MeshEdge { a, b, compliance, damping }: &MeshEdge| {
            let rest = self.at(a).distance(self.at(b));
            PartEdge { edge: Edge { a, b, rest, compliance, damping }, rest }
        };
        self.edges.iter().map(made).collect()
    }

    /// The areas of the mesh, and a guard for each solid piece of a soft body.
    pub(super) fn areas(&self) -> Vec<PartArea> {
        let springs = self.areas.iter().map(|area| PartArea {
            points: area.points.clone(),
            rest: area.fill * self.area(&area.points),
            rule: AreaRule::Spring { compliance: area.compliance },
        });
        let solid = self.pieces.iter().filter(|piece| self.soft && piece.points.len() >= 3);
        let guards = solid.map(|piece| PartArea {
            points: piece.points.clone(),
            rest: self.area(&piece.points),
            rule: AreaRule::Guard,
        });
        springs.chain(guards).collect()
    }

    pub(super) fn bends(&self) -> Vec<Bend> {
        let made = |&MeshBend { points, compliance, damping }: &MeshBend| {
            let rest = turn(points.mapped(|point| self.at(point)));
            Bend { points, rest, compliance, damping }
        };
        self.bends.iter().map(made).collect()
    }
}

fn check_size(name: &str, size: f32) -> Checked<()> {
    if (SMALLEST..=LARGEST).contains(&size) {
        Ok(())
    } else {
        Err(format!("{name} {size} must be positive, from {SMALLEST} to {LARGEST:e} m"))
    }
}

fn frame(shape: &Shape, density: f32, moves: bool) -> Checked<Frame> {
    match shape {
        Shape::Box { size } => {
            check_size("width", size.x)?;
            check_size("height", size.y)?;
            let half = 0.5 * *size;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.mapped(|(x, y)| half * Vec2::new(x, y));
            let mut frame = wheel(&corners, density);
            frame.edges.extend([MeshEdge::stiff(0, 2), MeshEdge::stiff(1, 3)]);
            Ok(frame)
        }
        Shape::Polygon { vertices } => solid::polygon(vertices, 0.0, density),
        Shape::Rounded { vertices, radius } => {
            check_size("radius", *radius)?;
            solid::polygon(vertices, *radius, density)
        }
        Shape::Compound { parts } => solid::compound(parts, density),
        Shape::Disc { radius } => {
            check_size("radius", *radius)?;
            let edges = [(0, 1), (0, 2), (0, 3), (1, 2), (2, 3), (3, 1)];
            Ok(round(mass::disc(*radius, density), &edges, vec![0], *radius, [1, 2, 3]))
        }
        Shape::Capsule { length, radius } => {
            check_size("length", *length)?;
            check_size("radius", *radius)?;
            let edges = [(0, 1), (0, 2), (2, 1), (1, 3), (3, 0), (2, 3)];
            let lumps = mass::capsule(*length, *radius, density);
            Ok(round(lumps, &edges, vec![0, 1], *radius, [0, 1, 3]))
        }
        Shape::Mesh(mesh) => mesh_frame(mesh, moves),
    }
}

/// A rim, a hub, and the spokes between them.
pub(super) fn wheel(vertices: &[Vec2], density: f32) -> Frame {
    let count = vertices.len() as u32;
    let rim = (0..count).map(|i| MeshEdge::stiff(i, (i + 1) % count));
    let spokes = (0..count).map(|i| MeshEdge::stiff(i, count));
    Frame {
        lumps: mass::polygon(vertices, density),
        edges: rim.chain(spokes).collect(),
        pieces: vec![PartPiece { points: (0..count).collect(), radius: 0.0, frame: None }],
        ..Frame::default()
    }
}

fn round(
    lumps: Lumps,
    edges: &[(u32, u32)],
    piece: Vec<u32>,
    radius: f32,
    carriers: [u32; 3],
) -> Frame {
    Frame {
        lumps,
        edges: edges.iter().map(|&(a, b)| MeshEdge::stiff(a, b)).collect(),
        pieces: vec![PartPiece { points: piece, radius, frame: Some(carriers) }],
        ..Frame::default()
    }
}

fn mesh_frame(mesh: &Mesh, moves: bool) -> Checked<Frame> {
    let count = mesh.points.len() as u32;
    if count == 0 {
        return Err("a mesh needs at least one point".into());
    }
    for (i, point) in mesh.points.iter().enumerate() {
        if !(point.mass >= 1e-6 && point.mass <= 1e12) {
            return Err(format!("point {i}: mass {} must lie in 1e-6 to 1e12 kg", point.mass));
        }
        if !(point.position.abs().max_element() <= LARGEST) {
            return Err(format!("point {i}: position must be finite and within ±{LARGEST:e} m"));
        }
    }
    for (i, edge) in mesh.edges.iter().enumerate() {
        if edge.a >= count || edge.b >= count || edge.a == edge.b {
            return Err(format!("edge {i}: needs two different points below {count}"));
        }
        let sound = |x: f32| x >= 0.0 && x.is_finite();
        if !(sound(edge.compliance) && sound(edge.damping)) {
            return Err(format!("edge {i}: compliance and damping must be finite, 0 or more"));
        }
    }
    for (i, piece) in mesh.pieces.iter().enumerate() {
        if piece.is_empty() || piece.iter().any(|&point| point >= count) {
            return Err(format!("piece {i}: needs points below {count}"));
        }
        if piece.len() < 3 {
            check_size("radius", mesh.radius)?;
        } else {
            let outline: Vec<Vec2> =
                piece.iter().map(|&p| mesh.points[p as usize].position).collect();
            if doubled_area(outline.iter().copied()) <= 0.0 {
                return Err(format!("piece {i}: list its points counter-clockwise"));
            }
        }
    }
    for (i, area) in mesh.areas.iter().enumerate() {
        check_area(mesh, area, count).map_err(|problem| format!("area {i}: {problem}"))?;
    }
    for (i, bend) in mesh.bends.iter().enumerate() {
        let [a, b, c] = bend.points;
        if a >= count || b >= count || c >= count || a == b || b == c || a == c {
            return Err(format!("bend {i}: needs three different points below {count}"));
        }
        let sound = |x: f32| x >= 0.0 && x.is_finite();
        if !(sound(bend.compliance) && sound(bend.damping)) {
            return Err(format!("bend {i}: compliance and damping must be finite, 0 or more"));
        }
    }
    check_strength(&mesh.strength)?;
    let total: f32 = mesh.points.iter().map(|point| point.mass).sum();
    let centroid =
        mesh.points.iter().map(|point| point.mass * point.position).sum::<Vec2>() / total;
    let points = mesh.points.iter().map(|point| (point.position - centroid, point.mass));
    Ok(Frame {
        lumps: Lumps { centroid, points: points.collect() },
        edges: if mesh.soft { mesh.edges.clone() } else { braced(mesh, moves) },
        areas: if mesh.soft { mesh.areas.clone() } else { Vec::new() },
        bends: if mesh.soft { mesh.bends.clone() } else { Vec::new() },
        pieces: mesh
            .pieces
            .iter()
            .map(|points| PartPiece { points: points.clone(), radius: mesh.radius, frame: None })
            .collect(),
        soft: mesh.soft,
        pinned: mesh.points.iter().map(|point| point.pinned).collect(),
        strength: mesh.strength,
        self_collision: mesh.self_collision && mesh.soft,
    })
}

/// The edges of a rigid mesh, stiff, and the braces they lack.
fn braced(mesh: &Mesh, moves: bool) -> Vec<MeshEdge> {
    let mut edges: Vec<MeshEdge> =
        mesh.edges.iter().map(|edge| MeshEdge::stiff(edge.a, edge.b)).collect();
    if moves && mesh.points.len() <= MOST_BRACED {
        let points: Vec<Vec2> = mesh.points.iter().map(|point| point.position).collect();
        let given: Vec<(u32, u32)> = edges.iter().map(|edge| (edge.a, edge.b)).collect();
        let braces = outline::brace(&points, &given).edges;
        edges.extend(braces.into_iter().map(|(a, b)| MeshEdge::stiff(a, b)));
    }
    edges
}

fn check_area(mesh: &Mesh, area: &MeshArea, count: u32) -> Checked<()> {
    if area.points.len() < 3 || area.points.iter().any(|&point| point >= count) {
        return Err(format!("needs at least three points below {count}"));
    }
    let outline = area.points.iter().map(|&point| mesh.points[point as usize].position);
    if doubled_area(outline) <= 0.0 {
        return Err("list its points counter-clockwise".into());
    }
    if !(area.compliance >= 0.0 && area.compliance.is_finite()) {
        return Err("compliance must be finite, 0 or more".into());
    }
    if !(area.fill > 0.0 && area.fill <= 100.0) {
        return Err(format!("fill {} must be positive and at most 100", area.fill));
    }
    Ok(())
}

fn check_strength(strength: &Strength) -> Checked<()> {
    let positive = |x: f32| x > 0.0 && x.is_finite();
    if strength.break_strain.is_some_and(|strain| !positive(strain)) {
        return Err("break_strain must be positive; leave it out for what never breaks".into());
    }
    let Some(plastic) = strength.plastic else { return Ok(()) };
    let Plastic { yield_strain, flow, hardening, most } = plastic;
    let sound = positive(yield_strain)
        && positive(flow)
        && hardening >= 0.0
        && hardening.is_finite()
        && most > 0.0
        && most < 1.0;
    let rule = "plastic: yield_strain and flow must be positive, hardening 0 or more, and most \
                between 0 and 1";
    if sound { Ok(()) } else { Err(rule.into()) }
}
