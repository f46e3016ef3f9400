//! The camera: which part of the world the window shows.

use crate::math::{Aabb, Vec2};
use crate::scene::View;

/// Maps metres (y up) to pixels (y down) by a place in the middle of the window and a height.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Camera {
    /// What is in the middle of the window, m.
    center: Vec2,
    /// How much the window shows from bottom to top, m.
    height: f32,
    /// Size of the window, px.
    screen: Vec2,
    /// How much of its left and of its right is covered, px.
    covered: Vec2,
    /// What the level wants to be seen; `None` once the user has moved the camera.
    home: Option<View>,
}

impl Camera {
    /// The least and the most height that can be shown, m.
    const HEIGHT_RANGE: (f32, f32) = (0.05, 20_000.0);
    /// How far from the origin the camera may go, m.
    const FARTHEST: f32 = 1e6;
    /// How wide a level's view is at least, as a multiple of its height: that of the room which the
    /// panel leaves in a window of 1280 by 800.
    const ASPECT: f32 = 1.2;

    /// Shows `view` between the pixels that are covered at the left and at the right.
    pub(crate) fn new(view: View, screen: Vec2, covered: Vec2) -> Self {
        let screen = screen.max(Vec2::ONE);
        let mut camera = Self { center: Vec2::ZERO, height: 1.0, screen, covered, home: None };
        camera.fit(view, covered);
        camera
    }

    /// The window has another size now, or more or less of it is covered. A view that the user has
    /// not moved is fitted again; else what was in the middle stays there.
    pub(crate) fn resize(&mut self, screen: Vec2, covered: Vec2) {
        let screen = screen.max(Vec2::ONE);
        if screen != self.screen || covered != self.covered {
            self.screen = screen;
            self.covered = covered;
            if let Some(view) = self.home {
                self.fit(view, covered);
            }
        }
    }

    /// Shows what a level wants to be seen at first, in the part of the window between the pixels
    /// that are `covered` at the left and at the right.
    pub(crate) fn fit(&mut self, view: View, covered: Vec2) {
        let (least, most) = Self::HEIGHT_RANGE;
        // `max` first: it turns a NaN into the least height.
        let height = view.height.max(least).min(most);
        let free = (self.screen.x - covered.x - covered.y).max(1.0);
        let narrow = (Self::ASPECT * self.screen.y / free).max(1.0);
        self.height = (height * narrow).min(most);
        let center = if view.center.is_finite() { view.center } else { Vec2::ZERO };
        self.center = center - Vec2::new(0.5 * (covered.x - covered.y) / self.scale(), 0.0);
        self.covered = covered;
        self.home = Some(view);
    }

    /// Size of the window, px.
    pub(crate) fn screen(&self) -> Vec2 {
        self.screen
    }

    /// Pixels per metre.
    pub(crate) fn scale(&self) -> f32 {
        self.screen.y / self.height
    }

    /// Where a place in the world is on the screen.
    #[inline]
    pub(crate) fn to_screen(&self, world: Vec2) -> Vec2 {
        let offset = (world - self.center) * self.scale();
        0.5 * self.screen + Vec2::new(offset.x, -offset.y)
    }

    /// Where a place on the screen is in the world.
    pub(crate) fn to_world(&self, screen: Vec2) -> Vec2 {
        let offset = (screen - 0.5 * self.screen) / self.scale();
        self.center + Vec2::new(offset.x, -offset.y)
    }

    /// The part of the world that is seen.
    pub(crate) fn visible(&self) -> Aabb {
        Aabb::around([self.to_world(Vec2::ZERO), self.to_world(self.screen)])
    }

    /// Shifts the world by `delta` pixels, as if it were taken hold of and pulled.
    pub(crate) fn pan(&mut self, delta: Vec2) {
        self.home = self.home.filter(|_| delta == Vec2::ZERO);
        let moved = self.center - Vec2::new(delta.x, -delta.y) / self.scale();
        let farthest = Vec2::splat(Self::FARTHEST);
        self.center = moved.clamp(-farthest, farthest);
    }

    /// Enlarges by `factor` (below 1 shrinks) about a place on the screen, which stays put.
    pub(crate) fn zoom(&mut self, factor: f32, about: Vec2) {
        self.home = None;
        let held = self.to_world(about);
        let (least, most) = Self::HEIGHT_RANGE;
        self.height = (self.height / factor).clamp(least, most);
        self.center += held - self.to_world(about);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The left is covered by the panel.
    const LEFT: Vec2 = Vec2::new(306.0, 0.0);

    fn camera() -> Camera {
        Camera::new(
            View { center: Vec2::new(3.0, 4.0), height: 10.0 },
            Vec2::new(1280.0, 800.0),
            Vec2::ZERO,
        )
    }

    #[test]
    fn a_view_is_fitted_beside_the_panel_and_into_narrow_windows() {
        let mut camera = camera();
        let view = View { center: Vec2::new(3.0, 4.0), height: 10.0 };
        camera.fit(view, LEFT);
        let middle = Vec2::new(306.0 + 0.5 * (1280.0 - 306.0), 400.0);
        assert!(camera.to_screen(view.center).distance(middle) < 1e-2);
        assert_eq!(camera.scale(), 80.0);
        // All of the least width is in the free part of a window that is narrower.
        camera.resize(Vec2::new(800.0, 800.0), LEFT);
        assert!((camera.to_screen(Vec2::new(-3.0, 4.0)).x - 306.0).abs() < 1e-2);
        assert!((camera.to_screen(Vec2::new(9.0, 4.0)).x - 800.0).abs() < 1e-2);
        // What the user has chosen stays.
        camera.zoom(2.0, Vec2::new(400.0, 400.0));
        let center = camera.to_world(Vec2::splat(400.0));
        camera.resize(Vec2::new(1280.0, 900.0), LEFT);
        assert!(camera.to_world(Vec2::new(640.0, 450.0)).distance(center) < 1e-4);
    }

    #[test]
    fn screen_and_world_are_inverse_and_y_points_up() {
        let camera = camera();
        let at = Vec2::new(-1.5, 6.25);
        assert!(camera.to_world(camera.to_screen(at)).distance(at) < 1e-4);
        assert_eq!(camera.to_screen(Vec2::new(3.0, 9.0)), Vec2::new(640.0, 0.0));
        assert_eq!(camera.visible().size(), Vec2::new(16.0, 10.0));
    }

    #[test]
    fn zooming_keeps_the_place_under_the_cursor() {
        let mut camera = camera();
        let cursor = Vec2::new(200.0, 650.0);
        let before = camera.to_world(cursor);
        for _ in 0..10 {
            camera.zoom(1.15, cursor);
        }
        assert!(camera.to_world(cursor).distance(before) < 1e-3);
        assert!(camera.scale() > 80.0 * 3.0);
        for _ in 0..1000 {
            camera.zoom(1.15, cursor);
        }
        assert!(camera.scale().is_finite());
    }

    #[test]
    fn panning_moves_the_world_with_the_hand() {
        let mut camera = camera();
        let before = camera.to_screen(Vec2::ZERO);
        camera.pan(Vec2::new(30.0, -20.0));
        assert!((camera.to_screen(Vec2::ZERO) - before - Vec2::new(30.0, -20.0)).length() < 1e-3);
    }

    #[test]
    fn nonsense_views_still_give_a_camera() {
        let view = View { center: Vec2::NAN, height: f32::NAN };
        let mut camera = Camera::new(view, Vec2::ZERO, LEFT);
        camera.resize(Vec2::ZERO, LEFT);
        assert!(camera.to_world(Vec2::ONE).is_finite());
    }
}
