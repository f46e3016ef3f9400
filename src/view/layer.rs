//! A layer of the picture: shapes, then the text on top of them.
//!
//! The scene and the heads-up display make one layer, what covers them (help, an error) another.
//! This is the only place that hands triangles to the window library.

use macroquad::models::{Mesh, Vertex, draw_mesh};

use crate::math::Vec2;
use crate::view::color::Color;
use crate::view::geometry::{Batch, Geometry};
use crate::view::text::{Face, Fonts, Label};

/// Shapes and labels.
#[derive(Default)]
pub(crate) struct Layer {
    pub(crate) geometry: Geometry,
    labels: Vec<Label>,
    /// The batch in hand in the window library's form; kept for its buffers.
    mesh: Option<Mesh>,
}

impl Layer {
    /// Forgets everything. `feather` is the width of a physical pixel.
    pub(crate) fn clear(&mut self, feather: f32) {
        self.geometry.clear(feather);
        self.labels.clear();
    }

    /// Adds a line of text; `at` is the left end of its base line.
    pub(crate) fn text(
        &mut self,
        text: impl Into<String>,
        at: Vec2,
        (size, face): (u16, Face),
        color: Color,
    ) {
        self.labels.push(Label { text: text.into(), at, size, face, color });
    }

    /// Draws the shapes and then the text.
    pub(crate) fn draw(&mut self, fonts: &Fonts) {
        let mesh = self.mesh.get_or_insert_with(|| Mesh {
            vertices: Vec::with_capacity(Batch::MOST_VERTICES),
            indices: Vec::with_capacity(Batch::MOST_INDICES),
            texture: None,
        });
        for batch in self.geometry.batches() {
            mesh.vertices.clear();
            mesh.vertices.extend(batch.vertices.iter().map(|vertex| Vertex {
                position: macroquad::math::vec3(vertex.position.x, vertex.position.y, 0.0),
                uv: macroquad::math::Vec2::ZERO,
                color: vertex.color.0,
                normal: macroquad::math::Vec4::ZERO,
            }));
            mesh.indices.clear();
            mesh.indices.extend_from_slice(&batch.indices);
            draw_mesh(mesh);
        }
        fonts.draw(&self.labels);
    }
}
