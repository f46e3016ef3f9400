//! From body descriptions to points and edges.
//!
//! Each shape becomes a [`Frame`]: lumped masses (`world/mass.rs`), the edges that brace them, and
//! the pieces that collide. Every rigid frame is made of triangles, so that its edges alone hold
//! its shape.
//!
//! ```text
//!   box            disc           capsule
//!   3 ─── 2          1                3
//!   │ ╲ ╱ │        ╱ │ ╲          ╱   │   ╲
//!   │  4  │       │  0  │        0 ───┼─── 1
//!   │ ╱ ╲ │       ╱╱   ╲╲         ╲   │   ╱
//!   0 ─── 1      2 ───── 3            2
//! ```

use crate::error::{Error, Result};
use crate::math::{NotConvex, Rot, Vec2, convex_outline, doubled_area};
use crate::scene::{BodyDef, BodyKind, JointDef, Mesh, MeshEdge, Scene, Shape};
use crate::world::mass::{self, Lumps};
use crate::world::{Anchor, Body, Edge, Joint, JointEnd, Limit, Model, Piece, Pose, State};

const LARGEST: f32 = Scene::LARGEST;
const SMALLEST: f32 = Shape::LEAST_SIZE;
/// How far outside a soft body a joint may hold it: the sum of the magnitudes of its anchor's
/// weights. A bent triangle throws what it carries far out about by that factor.
const SOFT_REACH: f32 = 3.0;
/// The most points a world may have.
const MOST_POINTS: usize = 4_000_000;

/// A shape as points and edges in the body's frame.
struct Frame {
    lumps: Lumps,
    edges: Vec<MeshEdge>,
    pieces: Vec<Vec<u32>>,
    radius: f32,
    /// Points that carry what acts on a round surface.
    carriers: Option<[u32; 3]>,
    soft: bool,
    pinned: Vec<bool>,
}

/// Adds a body to a world; returns its index.
pub(crate) fn add_body(model: &mut Model, state: &mut State, def: &BodyDef) -> Result<u32> {
    let fail = |problem: String| Error::scene(&def.id, problem);
    check_numbers(def).map_err(fail)?;
    if model.by_id.contains_key(&def.id) {
        return Err(fail("another body has this id already; give each body its own".into()));
    }
    let frame = frame(&def.shape, def.material.density).map_err(fail)?;
    let count = frame.lumps.points.len();
    if model.point_count() + count > MOST_POINTS {
        return Err(fail(format!("the world would have more than {MOST_POINTS} points")));
    }

    let index = model.bodies.len() as u32;
    let base = model.point_count() as u32;
    let rot = Rot::from_radians(def.angle);
    let center = def.position + rot.apply(frame.lumps.centroid);
    let (mut total, mut inertia) = (0.0_f32, 0.0_f32);
    for (i, &(rest, mass)) in frame.lumps.points.iter().enumerate() {
        let r = rot.apply(rest);
        let pinned = frame.pinned.get(i).copied().unwrap_or(false);
        let held = pinned || def.kind != BodyKind::Dynamic;
        model.mass.push(mass);
        model.inv_mass.push(if held { 0.0 } else { 1.0 / mass });
        model.rest.push(rest);
        model.pinned.push(pinned);
        model.body_of.push(index);
        state.position.push(center + r);
        let moves = def.kind != BodyKind::Static && !pinned;
        state.velocity.push(if moves {
            def.velocity + crate::math::cross_sv(def.spin, r)
        } else {
            Vec2::ZERO
        });
        total += mass;
        inertia += mass * rest.length_squared();
    }

    let first_edge = model.edges.len() as u32;
    model.edges.extend(frame.edges.iter().map(|edge| {
        let rest = |i: u32| frame.lumps.points[i as usize].0;
        Edge {
            a: base + edge.a,
            b: base + edge.b,
            rest: rest(edge.a).distance(rest(edge.b)),
            compliance: edge.compliance,
            damping: edge.damping,
        }
    }));
    let first_piece = model.pieces.len() as u32;
    for piece in &frame.pieces {
        let first = model.piece_points.len() as u32;
        model.piece_points.extend(piece.iter().map(|&point| base + point));
        model.pieces.push(Piece {
            body: index,
            first,
            count: piece.len() as u32,
            radius: frame.radius,
            frame: frame.carriers.map(|points| points.map(|point| base + point)),
        });
    }
    model.by_id.insert(def.id.clone(), index);
    model.bodies.push(Body {
        id: def.id.clone(),
        kind: def.kind,
        soft: frame.soft,
        points: base..base + count as u32,
        edges: first_edge..model.edges.len() as u32,
        pieces: first_piece..model.pieces.len() as u32,
        mass: total,
        inertia,
        material: def.material,
        filter: def.filter,
        look: def.look,
    });
    Ok(index)
}

/// Adds a joint to a world; returns its index.
pub(crate) fn add_joint(model: &mut Model, state: &State, def: &JointDef) -> Result<u32> {
    let fail = |problem: String| Error::scene(&def.id, problem);
    if !def.at.is_finite() || def.at.abs().max_element() > LARGEST {
        return Err(fail(format!("`at` {} must be finite and within ±{LARGEST:e} m", def.at)));
    }
    let find = |id: &str| {
        let index = model.by_id.get(id).copied();
        index.ok_or_else(|| fail(format!("no body has the id `{id}`")))
    };
    let body_a = find(&def.a)?;
    let body_b = def.b.as_deref().map(find).transpose()?;
    if body_b == Some(body_a) {
        return Err(fail(format!("both ends are on `{}`; name two different bodies", def.a)));
    }
    let pose = |body: u32| model.pose(&model.bodies[body as usize], &state.position);
    let anchor = |body: u32| model.anchor(body, def.at, state);
    let reference = body_b.map_or(Rot::IDENTITY, |b| pose(b).rot);
    let relative = pose(body_a).rot.inverse().after(reference);
    let limit = def
        .limit
        .map(|range| {
            let (lower, upper) = (range.lower, range.upper);
            let pi = std::f32::consts::PI;
            let valid = lower <= upper && lower >= -pi && upper <= pi && upper - lower < 2.0 * pi;
            if !valid {
                return Err(fail(format!(
                    "limit {:.0}° to {:.0}° must rise and stay within ±180°",
                    lower.to_degrees(),
                    upper.to_degrees()
                )));
            }
            let middle = Rot::from_radians(0.5 * (lower + upper));
            Ok(Limit {
                middle: middle.after(relative),
                half: Rot::from_radians(0.5 * (upper - lower)),
            })
        })
        .transpose()?;
    let b = match body_b {
        Some(body) => JointEnd::Body { body, anchor: anchor(body) },
        None => JointEnd::World(def.at),
    };
    let a = anchor(body_a);
    for (body, anchor) in std::iter::once((body_a, a))
        .chain(if let JointEnd::Body { body, anchor } = b { Some((body, anchor)) } else { None })
    {
        let def_of_body = &model.bodies[body as usize];
        let reach: f32 = anchor.weights.iter().map(|weight| weight.abs()).sum();
        if def_of_body.soft && reach > SOFT_REACH {
            return Err(fail(format!(
                "{} lies too far outside the soft body `{}` to hold it; pin it on or near the body",
                def.at, def_of_body.id
            )));
        }
    }
    if let (Some(b), false) = (body_b, def.collide) {
        let pair = (body_a.min(b), body_a.max(b));
        if let Err(place) = model.apart.binary_search(&pair) {
            model.apart.insert(place, pair);
        }
    }
    model.joints.push(Joint { id: def.id.clone(), a, b, limit, body_a });
    Ok(model.joints.len() as u32 - 1)
}

impl Model {
    /// The anchor at a world position on a body, as its points are now.
    ///
    /// # Panics
    /// If `body` is not a body of this model.
    #[must_use]
    pub fn anchor(&self, body: u32, at: Vec2, state: &State) -> Anchor {
        let def = &self.bodies[body as usize];
        // A rigid body is anchored in its rest frame, where its shape is exact.
        let pose = self.pose(def, &state.position);
        let (target, positions): (Vec2, &[Vec2]) =
            if def.soft { (at, &state.position) } else { (pose.unapply(at), &self.rest) };
        let candidates: Vec<_> = def.point_range().map(|i| (i as u32, positions[i])).collect();
        // A body always has a point, so there is always an anchor.
        Anchor::best(&candidates, target).unwrap_or_else(|| Anchor::at_point(def.points.start))
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
    let material = &def.material;
    if !(material.density > 1e-3 && material.density <= 1e6) {
        return Err(format!("density {} must lie in 0.001 to 1e6 kg/m³", material.density));
    }
    if !(material.friction >= 0.0 && material.friction <= 100.0) {
        return Err(format!("friction {} must lie in 0 to 100", material.friction));
    }
    if !(material.restitution >= 0.0 && material.restitution <= 1.0) {
        return Err(format!("restitution {} must lie in 0 to 1", material.restitution));
    }
    Ok(())
}

fn check_size(name: &str, size: f32) -> std::result::Result<(), String> {
    if (SMALLEST..=LARGEST).contains(&size) {
        Ok(())
    } else {
        Err(format!("{name} {size} must be positive, from {SMALLEST} to {LARGEST:e} m"))
    }
}

fn frame(shape: &Shape, density: f32) -> std::result::Result<Frame, String> {
    match shape {
        Shape::Box { size } => {
            check_size("width", size.x)?;
            check_size("height", size.y)?;
            let half = 0.5 * *size;
            let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
            let corners = corners.map(|(x, y)| half * Vec2::new(x, y));
            let mut frame = wheel(&corners, density);
            frame.edges.extend([MeshEdge::stiff(0, 2), MeshEdge::stiff(1, 3)]);
            Ok(frame)
        }
        Shape::Polygon { vertices } => Ok(wheel(&convex(vertices)?, density)),
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
        Shape::Mesh(mesh) => mesh_frame(mesh),
    }
}

/// A rim, a hub, and the spokes between them.
fn wheel(vertices: &[Vec2], density: f32) -> Frame {
    let count = vertices.len() as u32;
    let rim = (0..count).map(|i| MeshEdge::stiff(i, (i + 1) % count));
    let spokes = (0..count).map(|i| MeshEdge::stiff(i, count));
    Frame {
        lumps: mass::polygon(vertices, density),
        edges: rim.chain(spokes).collect(),
        pieces: vec![(0..count).collect()],
        radius: 0.0,
        carriers: None,
        soft: false,
        pinned: Vec::new(),
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
        pieces: vec![piece],
        radius,
        carriers: Some(carriers),
        soft: false,
        pinned: Vec::new(),
    }
}

fn mesh_frame(mesh: &Mesh) -> std::result::Result<Frame, String> {
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
    let total: f32 = mesh.points.iter().map(|point| point.mass).sum();
    let centroid =
        mesh.points.iter().map(|point| point.mass * point.position).sum::<Vec2>() / total;
    let points = mesh.points.iter().map(|point| (point.position - centroid, point.mass));
    Ok(Frame {
        lumps: Lumps { centroid, points: points.collect() },
        edges: mesh
            .edges
            .iter()
            .map(|&edge| if mesh.soft { edge } else { MeshEdge::stiff(edge.a, edge.b) })
            .collect(),
        pieces: mesh.pieces.clone(),
        radius: mesh.radius,
        carriers: None,
        soft: mesh.soft,
        pinned: mesh.points.iter().map(|point| point.pinned).collect(),
    })
}

/// The vertices of a convex polygon, counter-clockwise.
fn convex(vertices: &[Vec2]) -> std::result::Result<Vec<Vec2>, String> {
    let count = vertices.len();
    if !(3..=Shape::MOST_VERTICES).contains(&count) {
        return Err(format!("a polygon has 3 to {} vertices, not {count}", Shape::MOST_VERTICES));
    }
    if vertices.iter().any(|v| !(v.abs().max_element() <= LARGEST)) {
        return Err(format!("vertices must be finite and within ±{LARGEST:e} m"));
    }
    convex_outline(vertices, Shape::LEAST_SIZE * Shape::LEAST_SIZE).map_err(|fault| match fault {
        NotConvex::NoArea => "the polygon has almost no area".to_owned(),
        NotConvex::At(vertex) => format!(
            "vertex {vertex} is not a convex corner; split a concave outline into convex polygons \
             and leave out vertices on a straight side"
        ),
        NotConvex::Winds => "the outline winds around more than once".to_owned(),
    })
}
