//! The scene as triangles, without a window: for a renderer of one's own.

use crate::math::Vec2;
use crate::scene::View;
use crate::view::camera::Camera;
use crate::view::geometry::{Batch, Geometry};
use crate::view::paint::Painter;
use crate::world::World;

/// Paints worlds as the window does, as triangles for another renderer to draw.
///
/// Buffers are kept from picture to picture, so that painting a running world allocates nothing.
///
/// ```
/// use sinew::view::Canvas;
/// use sinew::{Level, Sim, Vec2};
///
/// let scene = Level::builtin("stack")?.scene;
/// let sim = Sim::new(&scene)?;
/// let mut canvas = Canvas::default();
/// let positions = &sim.world().state.position;
/// canvas.paint(sim.world(), positions, scene.view, Vec2::new(1280.0, 720.0));
/// let triangles: usize = canvas.batches().iter().map(|batch| batch.indices.len() / 3).sum();
/// assert!(triangles > 100);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct Canvas {
    geometry: Geometry,
    painter: Painter,
}

impl Canvas {
    /// Paints sky, metre grid and bodies in place of the picture before. `positions` are those of
    /// the world's points, m, such as [`State::position`](crate::State::position) or what
    /// [`Sim::interpolated`](crate::Sim::interpolated) gives; `view` is the part of the world that
    /// is to fill a picture of `size` pixels. Positions that are too many or too few leave the
    /// bodies out.
    pub fn paint(&mut self, world: &World, positions: &[Vec2], view: View, size: Vec2) {
        let camera = Camera::new(view, size, Vec2::ZERO);
        self.geometry.clear(1.0);
        Painter::background(&mut self.geometry, &camera);
        self.painter.bodies(&mut self.geometry, &camera, world, positions);
    }

    /// The picture: triangles to draw in this order, each batch in one draw call.
    #[must_use]
    pub fn batches(&self) -> &[Batch] {
        self.geometry.batches()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;

    /// Crates `size` metres wide, a metre apart, in `columns` and `rows`, turned in every way.
    fn crates(columns: usize, rows: usize, size: f32) -> World {
        let text = format!(
            r#"{{ "format": 1, "items": [
                {{ "type": "crate", "size": [{size}, {size}], "at": [0.5, 0.5], "angle": "$i * 37.5",
                   "repeat": {{ "count": [{columns}, {rows}], "step": [1, 1] }} }} ] }}"#
        );
        World::build(&Level::parse(&text, "crates.json").unwrap().scene).unwrap()
    }

    /// How many batches and how many vertices a picture of so many pixels to a metre takes, with
    /// `middle` in the middle of it.
    fn cost(world: &World, scale: f32, middle: Vec2) -> (usize, usize) {
        let size = Vec2::new(1280.0, 720.0);
        let mut canvas = Canvas::default();
        canvas.paint(
            world,
            &world.state.position,
            View { center: middle, height: size.y / scale },
            size,
        );
        let within = |batch: &Batch| {
            batch.vertices.len() < Batch::MOST_VERTICES && batch.indices.len() < Batch::MOST_INDICES
        };
        assert!(canvas.batches().iter().all(within));
        let vertices = canvas.batches().iter().map(|batch| batch.vertices.len()).sum();
        (canvas.batches().len(), vertices)
    }

    /// Text, and what covers the scene, takes five draw calls more: ten in all.
    #[test]
    fn ten_thousand_crates_on_the_screen_take_five_draw_calls() {
        let middle = Vec2::new(65.0, 38.5);
        for (size, scale) in [(0.5, 9.0), (0.75, 9.0), (0.98, 9.3)] {
            let (batches, vertices) = cost(&crates(130, 77, size), scale, middle);
            assert!(vertices > 8 * 10_010, "some are missing: {vertices}");
            assert!(batches <= 5, "crates of {size} m: {batches} batches, {vertices} vertices");
        }
    }

    /// Four corners inside and outside of the smooth rim, four more for a frame, and everything
    /// where one looks closely.
    #[test]
    fn crates_cost_what_can_be_seen_of_them() {
        let world = crates(10, 10, 0.8);
        let middle = Vec2::splat(5.0);
        let (_, nothing) = cost(&world, 1.0, Vec2::splat(1e4));
        let each = |scale: f32| {
            let (_, vertices) = cost(&world, scale, middle);
            let (_, without) = cost(&World::default(), scale, middle);
            (vertices - without) / 100
        };
        assert!(nothing < 1000, "the grid alone takes {nothing}");
        assert_eq!(each(5.0), 8);
        assert_eq!(each(9.0), 12);
        assert_eq!(each(13.0), 24);
        assert!(each(70.0) > 100, "{}", each(70.0));
    }

    #[test]
    fn small_bodies_cast_no_shadow_however_near_the_camera_is() {
        let middle = Vec2::splat(5.0);
        let each = |size: f32| {
            let (_, vertices) = cost(&crates(10, 10, size), 30.0, middle);
            let (_, without) = cost(&World::default(), 30.0, middle);
            (vertices - without) / 100
        };
        // 3 and 8 pixels.
        assert_eq!((each(0.1), each(0.27)), (8, 12 + 8));
    }
}
