//! What edit mode draws over the world: outlines of what is selected, its handle, the joints.

use super::{Editor, Hand};
use crate::math::Vec2;
use crate::view::camera::Camera;
use crate::view::color::{ACCENT, COOL, INK, PAPER};
use crate::view::geometry::Geometry;
use crate::world::{Piece, World};

/// How far the handle stands off the item, px.
const OFF: f32 = 26.0;
/// How near to the handle counts as on it, px.
const REACH: f32 = 12.0;

/// The handle that turns an item: which, its pivot in the world and on the screen, the knob.
#[derive(Clone, Copy, Debug)]
struct Handle {
    item: usize,
    pivot: Vec2,
    from: Vec2,
    knob: Vec2,
}

impl Editor {
    /// Takes hold of the handle if it is at this place on the screen.
    pub(crate) fn grab_handle(&mut self, camera: &Camera, place: Vec2) -> bool {
        let handle = self.handle(camera).filter(|handle| handle.knob.distance(place) <= REACH);
        if let Some(handle) = handle {
            self.press_handle(handle.item, handle.pivot, camera.to_world(place));
        }
        handle.is_some()
    }

    /// The handle, if a single item is selected that can be turned.
    fn handle(&self, camera: &Camera) -> Option<Handle> {
        let mut selected = self.selected();
        let (index, item) = selected.next()?;
        let (None, Some([x, y]), Some(angle)) = (selected.next(), item.at, item.angle) else {
            return None;
        };
        if item.is_joint() || item.repeated {
            return None;
        }
        let pivot = Vec2::new(x as f32, y as f32);
        let points = self.points_of(index);
        let reach = points.map(|point| point.distance(pivot)).fold(0.0, f32::max);
        // The handle of something large stays on the screen.
        let length = (reach * camera.scale()).min(0.2 * camera.screen().y) + OFF;
        let up = Vec2::from_angle((angle as f32).to_radians()).perp();
        let (from, up) = (camera.to_screen(pivot), Vec2::new(up.x, -up.y));
        let seen = |at: &Vec2| at.cmpge(Vec2::ZERO).all() && at.cmple(camera.screen()).all();
        let knob = Some(from + length * up).filter(seen).unwrap_or(from + 1.5 * OFF * up);
        Some(Handle { item: index, pivot, from, knob })
    }

    /// The bodies that an item became.
    fn bodies_of(&self, item: usize) -> impl Iterator<Item = usize> {
        let version = self.shown();
        let bodies = 0..version.world.model.bodies.len();
        bodies.filter(move |&body| version.owner(body) == Some(item))
    }

    fn points_of(&self, item: usize) -> impl Iterator<Item = Vec2> {
        let World { model, state } = self.world();
        self.bodies_of(item)
            .flat_map(|body| model.bodies[body].point_range())
            .map(|point| state.position[point])
    }

    /// Draws joints, outlines and the handle.
    pub(crate) fn paint(&self, geometry: &mut Geometry, camera: &Camera) {
        for (item, place) in self.joints() {
            let place = camera.to_screen(place);
            let color = if self.selection.contains(&item) { ACCENT } else { PAPER };
            geometry.disc(place, 6.5, INK);
            geometry.disc(place, 5.0, color);
            geometry.disc(place, 2.0, INK);
        }
        let version = self.shown();
        let model = &version.world.model;
        for (index, body) in model.bodies.iter().enumerate() {
            let owner = version.owner(index);
            if !owner.is_some_and(|owner| self.selection.contains(&owner)) {
                continue;
            }
            for piece in model.pieces_of(body) {
                let rim = rim(&version.world, piece, camera);
                geometry.outline(&rim, 5.0, INK.with_alpha(0.55));
                geometry.outline(&rim, 2.6, ACCENT);
            }
        }
        if let Some(handle) = self.handle(camera) {
            let held = matches!(self.hand, Hand::Turn { .. });
            geometry.line(handle.from, handle.knob, 3.6, INK.with_alpha(0.55));
            geometry.line(handle.from, handle.knob, 1.8, ACCENT);
            geometry.disc(handle.from, 4.0, INK);
            geometry.disc(handle.from, 2.6, ACCENT);
            geometry.disc(handle.knob, 9.0, INK);
            geometry.disc(handle.knob, 7.0, if held { PAPER } else { COOL });
        }
    }
}

/// The outline of a piece on the screen, with its radius.
fn rim(world: &World, piece: &Piece, camera: &Camera) -> Vec<Vec2> {
    const STEPS: usize = 12;
    let radius = piece.radius * camera.scale();
    let points = world.model.outline(piece).iter();
    let corners: Vec<Vec2> =
        points.map(|&point| camera.to_screen(world.state.position[point as usize])).collect();
    let (first, last) = match corners[..] {
        [center] => (center, center),
        [a, b] => (a, b),
        _ => return corners,
    };
    let along = (last - first).try_normalize().unwrap_or(Vec2::X);
    let half = |center: Vec2, outward: Vec2| {
        (0..=STEPS).map(move |step| {
            let angle = std::f32::consts::PI * (step as f32 / STEPS as f32 - 0.5);
            center + radius * Vec2::from_angle(angle).rotate(outward)
        })
    };
    half(last, along).chain(half(first, -along)).collect()
}
