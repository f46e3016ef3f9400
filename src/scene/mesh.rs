//! Frames of points and edges given one by one: what is soft, and rigid frames of any kind.

use crate::math::Vec2;

/// A free frame of points and edges.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Mesh {
    /// The points.
    pub points: Vec<MeshPoint>,
    /// The edges between them.
    pub edges: Vec<MeshEdge>,
    /// Areas that resist change: triangles of a solid, the inside of a balloon.
    pub areas: Vec<MeshArea>,
    /// Angles that resist change: what makes a line of points a beam.
    pub bends: Vec<MeshBend>,
    /// Collision pieces: indices of points. One index is a disc, two a capsule, three or more a
    /// convex polygon (counter-clockwise).
    pub pieces: Vec<Vec<u32>>,
    /// Collision radius of every piece, m. Must be positive for pieces of one or two points.
    pub radius: f32,
    /// `false`: the body keeps its rest shape, and its edges are stiff whatever their compliance.
    /// `true`: it bends as far as its edges let it.
    pub soft: bool,
    /// When its edges give way. Only soft bodies do.
    pub strength: Strength,
    /// Whether its pieces collide with each other, those that share a point aside.
    pub self_collision: bool,
}

impl Mesh {
    /// The same frame mirrored about the y axis or not, and scaled: of the same material, so masses
    /// grow with the area and beams, springs and skins keep their stiffness.
    #[must_use]
    pub fn transformed(mut self, mirrored: bool, factor: f32) -> Self {
        let side = if mirrored { Vec2::new(-factor, factor) } else { Vec2::splat(factor) };
        for point in &mut self.points {
            point.position *= side;
            point.mass *= factor * factor;
        }
        for bend in &mut self.bends {
            bend.compliance *= factor;
        }
        for area in &mut self.areas {
            area.compliance *= factor * factor;
        }
        self.radius *= factor;
        if mirrored {
            let outlines = self.areas.iter_mut().map(|area| &mut area.points);
            outlines.chain(&mut self.pieces).for_each(|outline| outline.reverse());
        }
        self
    }
}

/// One point of a [`Mesh`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshPoint {
    /// Where, relative to the body's origin, m.
    pub position: Vec2,
    /// Mass, kg; positive.
    pub mass: f32,
    /// Whether the point is held where it is.
    pub pinned: bool,
}

/// One edge of a [`Mesh`]; its rest length is the distance of its points in the mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshEdge {
    /// First point.
    pub a: u32,
    /// Second point.
    pub b: u32,
    /// Inverse stiffness, m/N; 0 is stiff.
    pub compliance: f32,
    /// Damping along the edge, N·s/m.
    pub damping: f32,
}

impl MeshEdge {
    /// A stiff edge.
    #[must_use]
    pub fn stiff(a: u32, b: u32) -> Self {
        Self { a, b, compliance: 0.0, damping: 0.0 }
    }
}

/// An area of a [`Mesh`] that resists change: a spring between the area that its outline encloses,
/// signed, and the area at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshArea {
    /// The outline, counter-clockwise; three points or more.
    pub points: Vec<u32>,
    /// Inverse stiffness, m³/N: the area gives by this much for each pascal (a body is one metre
    /// deep). `area / K` for a bulk modulus `K`; 0 is stiff.
    pub compliance: f32,
    /// The area at rest over that of the outline as drawn; 1 as drawn, 1.2 pumped up by a fifth.
    pub fill: f32,
}

/// An angle of a [`Mesh`] that resists change: the turn from `points[0] → points[1]` to
/// `points[1] → points[2]`, which rests as drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeshBend {
    /// Three points in line.
    pub points: [u32; 3],
    /// Inverse stiffness, rad/(N·m). `l / EI` for a beam of bending stiffness `EI` (N·m²) in pieces
    /// of length `l`; 0 is stiff.
    pub compliance: f32,
    /// Damping, N·m·s/rad.
    pub damping: f32,
}

/// When the edges of a soft body give way. Strain is the change of length over the length at rest.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Strength {
    /// An edge stretched beyond this strain breaks; `None` for never. A stiff edge does not
    /// stretch, so only edges with compliance break.
    pub break_strain: Option<f32>,
    /// How it is bent for good; `None` for not at all.
    pub plastic: Option<Plastic>,
}

/// How a material is bent for good: the part of the strain beyond the yield strain flows into the
/// rest length (Bingham's model; O'Brien, Bargteil, Hodgins, “Graphical Modeling and Animation of
/// Ductile Fracture”, 2002, §3).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plastic {
    /// Strain up to which it springs back; positive.
    pub yield_strain: f32,
    /// The part of the excess that becomes permanent in a second is `1 − e^−flow`, 1/s; positive.
    pub flow: f32,
    /// By how much the yield strain grows for each unit of permanent strain; 0 or more.
    pub hardening: f32,
    /// The most permanent strain, either way; between 0 and 1.
    pub most: f32,
}
