//! What lies under the paint: points, edges, contacts, bounds, joints (`mark.rs`) and centres of mass.

use crate::collision::Contact;
use crate::math::Vec2;
use crate::view::camera::Camera;
use crate::view::color::{ACCENT, ALARM, COOL, Color, INK, PAPER};
use crate::view::geometry::Geometry;
use crate::view::mark;
use crate::world::{BodyId, World};

/// Which parts are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Overlays {
    pub(crate) points: bool,
    pub(crate) edges: bool,
    pub(crate) contacts: bool,
    pub(crate) bounds: bool,
    pub(crate) joints: bool,
    pub(crate) centers: bool,
}

/// A part that can be shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Overlay {
    Points,
    Edges,
    Contacts,
    Bounds,
    Joints,
    Centers,
}

impl Overlay {
    /// What it is called in a notice.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Points => "Points",
            Self::Edges => "Edges",
            Self::Contacts => "Contacts",
            Self::Bounds => "Bounds",
            Self::Joints => "Joints",
            Self::Centers => "Centres of mass",
        }
    }
}

impl Overlays {
    /// Shows a part that was hidden, or the reverse; returns whether it is shown now.
    pub(crate) fn toggle(&mut self, part: Overlay) -> bool {
        let shown = match part {
            Overlay::Points => &mut self.points,
            Overlay::Edges => &mut self.edges,
            Overlay::Contacts => &mut self.contacts,
            Overlay::Bounds => &mut self.bounds,
            Overlay::Joints => &mut self.joints,
            Overlay::Centers => &mut self.centers,
        };
        *shown = !*shown;
        *shown
    }

    /// Draws the parts that are shown.
    pub(crate) fn paint(
        self,
        geometry: &mut Geometry,
        camera: &Camera,
        world: &World,
        positions: &[Vec2],
        contacts: &[Contact],
        sleeps: impl Fn(BodyId) -> bool,
    ) {
        if positions.len() != world.model.point_count() {
            return;
        }
        let sight = Sight { camera, world, positions };
        if self.bounds {
            sight.bounds(geometry);
        }
        if self.edges {
            sight.edges(geometry);
        }
        if self.points {
            sight.points(geometry);
        }
        if self.joints {
            sight.joints(geometry);
        }
        if self.centers {
            sight.centers(geometry, sleeps);
        }
        if self.contacts {
            sight.contacts(geometry, contacts);
        }
    }
}

/// The colour of a strain: cool where an edge is too short, alarming where it is too long, paper
/// where it fits. Saturated at 1 %.
fn strain_color(strain: f32) -> Color {
    const FULL: f32 = 0.01;
    let end = if strain < 0.0 { COOL } else { ALARM };
    PAPER.mix(end, strain.abs() / FULL)
}

/// What is looked at.
struct Sight<'a> {
    camera: &'a Camera,
    world: &'a World,
    positions: &'a [Vec2],
}

impl Sight<'_> {
    fn at(&self, point: u32) -> Vec2 {
        self.camera.to_screen(self.positions[point as usize])
    }

    /// Whether a place on the screen is on it, or nearly.
    fn seen(&self, place: Vec2) -> bool {
        let margin = Vec2::splat(60.0);
        place.cmpge(-margin).all() && place.cmple(self.camera.screen() + margin).all()
    }

    fn points(&self, geometry: &mut Geometry) {
        let radius = (0.02 * self.camera.scale()).clamp(1.2, 3.2);
        for point in 0..self.positions.len() {
            let place = self.at(point as u32);
            if !self.seen(place) {
                continue;
            }
            let color = if self.world.model.pinned[point] { ALARM } else { ACCENT };
            geometry.disc(place, radius + 1.0, INK);
            geometry.disc(place, radius, color);
        }
    }

    fn edges(&self, geometry: &mut Geometry) {
        for edge in &self.world.model.edges {
            let (a, b) = (self.at(edge.a), self.at(edge.b));
            if !self.seen(a) && !self.seen(b) {
                continue;
            }
            let [p, q] = [edge.a, edge.b].map(|i| self.positions[i as usize]);
            let strain = p.distance(q) / edge.rest.max(1e-9) - 1.0;
            geometry.line(a, b, 3.0, INK.with_alpha(0.55));
            geometry.line(a, b, 1.6, strain_color(strain));
        }
    }

    fn bounds(&self, geometry: &mut Geometry) {
        let color = COOL.darker(0.25);
        for piece in &self.world.model.pieces {
            let outline = self.world.model.outline(piece);
            let points = outline.iter().map(|&i| self.positions[i as usize]);
            let bounds = crate::math::Aabb::around(points).grown(piece.radius);
            let [min, max] = [bounds.min, bounds.max].map(|p| self.camera.to_screen(p));
            let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
            if corners.iter().any(|&corner| self.seen(corner)) {
                geometry.outline(&corners, 1.2, color);
            }
        }
    }

    fn joints(&self, geometry: &mut Geometry) {
        for (joint, state) in self.world.model.joints.iter().zip(&self.world.state.joints) {
            let places = [joint.a.sample(self.positions), joint.b.position(self.positions)];
            if places.iter().any(|&place| self.seen(self.camera.to_screen(place))) {
                let model = &self.world.model;
                mark::joint(geometry, self.camera, model, joint, state, self.positions);
            }
        }
    }

    /// Centres of mass, those of bodies that sleep in another colour.
    fn centers(&self, geometry: &mut Geometry, sleeps: impl Fn(BodyId) -> bool) {
        let model = &self.world.model;
        let radius = (0.035 * self.camera.scale()).clamp(2.0, 4.0);
        for body in model.bodies.iter().filter(|body| body.is_dynamic()) {
            let place = self.camera.to_screen(model.center(body, self.positions));
            if !self.seen(place) {
                continue;
            }
            // The quartered disc that engineers mark a centre of mass with.
            geometry.disc(place, radius + 1.0, INK);
            let color = if sleeps(body.handle()) { COOL } else { PAPER };
            geometry.disc(place, radius, color);
            for start in [Vec2::X, Vec2::NEG_X] {
                let quarter =
                    [Vec2::ZERO, start, start.rotate(Vec2::from_angle(0.785)), start.perp()];
                geometry.flat(&quarter.map(|arm| place + radius * arm), INK);
            }
        }
    }

    fn contacts(&self, geometry: &mut Geometry, contacts: &[Contact]) {
        let model = &self.world.model;
        let count = self.positions.len() as u32;
        let length = (0.22 * self.camera.scale()).clamp(8.0, 26.0);
        for contact in contacts {
            // A contact found before an edit may name what the positions do not have yet.
            let known = contact.vertex < count && contact.edge.iter().all(|&i| i < count);
            let Some(piece) = model.pieces.get(contact.pieces[0] as usize).filter(|_| known) else {
                continue;
            };
            let place = self.camera.to_screen(contact.position(self.positions, piece.radius));
            if !self.seen(place) {
                continue;
            }
            let along = Vec2::new(contact.normal.x, -contact.normal.y);
            let tip = place + length * along;
            geometry.line(place, tip, 3.2, INK.with_alpha(0.7));
            geometry.line(place, tip, 1.8, ALARM);
            let side = 3.2 * along.perp();
            let back = tip - 6.0 * along;
            geometry.polygon(&[tip + 2.0 * along, back + side, back - side], ALARM);
            geometry.disc(place, 3.4, INK);
            geometry.disc(place, 2.4, ACCENT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strain_colours_tell_stretch_from_squeeze() {
        assert_eq!(strain_color(0.0), PAPER);
        assert_eq!(strain_color(1.0), ALARM);
        assert_eq!(strain_color(-0.02), COOL);
    }

    #[test]
    fn toggling_twice_changes_nothing() {
        let mut overlays = Overlays::default();
        for part in [Overlay::Points, Overlay::Edges, Overlay::Contacts, Overlay::Bounds] {
            assert!(overlays.toggle(part));
            assert!(!overlays.toggle(part));
        }
        assert_eq!(overlays, Overlays::default());
    }
}
