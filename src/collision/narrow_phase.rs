//! Narrow phase: edge-SAT with a reference edge, and clipping for the second contact.
//!
//! Two convex pieces are apart if some edge of either has the whole other piece on its outer side;
//! the edge for which the other piece lies farthest out (or least deep) is the *reference edge*,
//! and its normal the direction of least penetration. The edge of the other piece that faces it
//! most squarely is the *incident edge*. Where the two edges lie side by side along the reference
//! direction, each end of the overlap is a contact, and each is a vertex against an edge: either an
//! incident vertex over the reference edge, or a reference vertex over the incident edge.
//!
//! ```text
//!        incident edge             contacts: ● incident vertex over reference edge
//!     ○──────────────●                       ■ reference vertex over incident edge
//!  ■──────────────────────
//!      reference edge
//! ```
//!
//! Radii come after: the test runs on the cores (outlines without radius) and a gap of less than
//! both radii is an overlap. Where round corners meet corner to corner, the normal runs from one
//! corner to the other. (Gregorius, “The Separating Axis Test between Convex Polyhedra”, GDC 2013;
//! Catto, “Computing Distance”, GDC 2010.)
//!
//! Where a body is made of several pieces, edges that two of them share lie inside it. Such an edge
//! may show that two pieces are apart, but it is neither reference nor incident edge, and a corner
//! at its end leaves alone what lies over the next piece: a box that slides over a seam feels none.

mod four;
mod scenery;

use crate::collision::{Contact, Touch};
use crate::math::{Lane, Mapped, Vec2, direction_or, right};
use crate::world::Rim;
use four::Four;
pub(in crate::collision) use scenery::Room;
pub(crate) use scenery::{Outlines, Scenery};

/// Another axis must be better by this much to be taken, m: keeps the reference edge from
/// flickering between two equally good ones.
const AXIS_BIAS: f32 = 5e-4;
/// Cores nearer than this are treated as overlapping: a direction between two corners this close
/// would be noise, m.
const CORE_CONTACT: f32 = 1e-5;

/// An edge that is shorter has no direction, m.
const SHORTEST: f32 = 1e-9;

/// A piece without its radius.
#[derive(Clone, Copy)]
struct Core<'a> {
    piece: u32,
    points: &'a [u32],
    positions: &'a [Vec2],
    /// What lies around its vertices; empty where no edge is interior.
    rims: &'a [Rim],
    /// Its vertices and normals side by side, if they are so few.
    four: Option<&'a Four>,
}

impl<'a> Core<'a> {
    #[inline]
    fn new(scenery: Scenery<'a>, piece: u32, room: &'a mut Option<Four>) -> Self {
        let Scenery { model, positions, .. } = scenery;
        let of = &model.pieces[piece as usize];
        let rims = if of.shared { model.rim(of) } else { &[] };
        let points = model.outline(of);
        Self { piece, points, positions, rims, four: scenery.four(piece, points, room) }
    }

    /// Whether an edge lies inside the body.
    fn is_interior(&self, edge: usize) -> bool {
        self.rims.get(edge).is_some_and(|rim| rim.interior)
    }

    /// Whether what lies in this direction from a corner is over the next piece's part of the
    /// outline, and that piece's to push away.
    #[inline]
    fn leaves_to_next(&self, corner: usize, direction: Vec2) -> bool {
        let Some(rim) = self.rims.get(corner) else { return false };
        let over = |neighbour: u32| {
            (self.positions[neighbour as usize] - self.at(corner)).dot(direction) > 0.0
        };
        [rim.before, rim.after].into_iter().flatten().any(over)
    }

    fn at(&self, k: usize) -> Vec2 {
        self.positions[self.points[k] as usize]
    }

    fn next(&self, k: usize) -> usize {
        if k + 1 == self.points.len() { 0 } else { k + 1 }
    }

    /// Edges as index of their first point. A single point has none; two points have two, back to
    /// back.
    fn edges(&self) -> std::ops::Range<usize> {
        if self.points.len() == 1 { 0..0 } else { 0..self.points.len() }
    }

    /// The outward unit normal of an edge, or `None` for an edge without length.
    fn normal(&self, edge: usize) -> Option<Vec2> {
        if let Some(four) = &self.four {
            return four.normal(edge);
        }
        let along = self.at(self.next(edge)) - self.at(edge);
        let length = along.length();
        (length > SHORTEST).then(|| right(along) / length)
    }

    /// Whether all of `other` lies beyond one end of this core, a line of two points: by how far.
    /// The two normals of a line say nothing about what lies in its own direction.
    #[inline]
    fn beyond_end(&self, other: &Core<'_>) -> f32 {
        if self.points.len() != 2 {
            return f32::NEG_INFINITY;
        }
        let (a, b) = (self.at(0), self.at(1));
        let along = direction_or(b - a, Vec2::X);
        other.deepest(along, b).1.max(other.deepest(-along, a).1)
    }

    /// The vertex that reaches least far along `direction`, and how far.
    fn deepest(&self, direction: Vec2, origin: Vec2) -> (usize, f32) {
        if let Some(four) = &self.four {
            return four.deepest(direction, origin);
        }
        let mut best = (0, f32::INFINITY);
        for k in 0..self.points.len() {
            let reach = (self.at(k) - origin).dot(direction);
            if reach < best.1 {
                best = (k, reach);
            }
        }
        best
    }

    /// The edge whose normal is most opposed to `normal`.
    #[inline]
    fn facing(&self, normal: Vec2) -> Option<usize> {
        if let Some(four) = &self.four {
            return most_opposed(four.along(normal).into_iter());
        }
        let along = |edge| self.normal(edge).map_or(f32::INFINITY, |own| own.dot(normal));
        most_opposed(self.edges().map(along))
    }
}

/// The edge whose normal goes least along another; a number is infinite where there is no normal.
fn most_opposed(along: impl Iterator<Item = f32>) -> Option<usize> {
    let (mut best, mut least) = (usize::MAX, f32::INFINITY);
    for (edge, along) in along.enumerate() {
        // A later edge must be clearly better, so that rounding cannot choose.
        let better = along < least - 1e-5;
        best = if better { edge } else { best };
        least = if better { along } else { least };
    }
    (best != usize::MAX).then_some(best)
}

/// The edge of one core that separates it best from another.
#[derive(Clone, Copy, PartialEq)]
struct Axis {
    edge: usize,
    normal: Vec2,
    separation: f32,
}

#[inline]
fn best_axis(of: &Core<'_>, against: &Core<'_>) -> Option<Axis> {
    if let (Some(of), Some(against)) = (&of.four, &against.four) {
        return of.best_axis(against);
    }
    let mut best: Option<Axis> = None;
    for edge in of.edges() {
        let Some(normal) = of.normal(edge) else { continue };
        let (_, separation) = against.deepest(normal, of.at(edge));
        if best.is_none_or(|axis| separation > axis.separation) {
            best = Some(Axis { edge, normal, separation });
        }
    }
    best
}

/// The best axes among those of edges on the surface of the body.
#[derive(Clone, Copy, Default)]
struct OuterAxes {
    /// Of those that may push: the edge they face is on the surface too.
    pushing: Option<Axis>,
    any: Option<Axis>,
}

impl OuterAxes {
    #[inline]
    fn new(of: &Core<'_>, against: &Core<'_>) -> Self {
        let all = match (&of.four, &against.four) {
            (Some(of), Some(against)) => Some(of.separations(against)),
            _ => None,
        };
        let mut best = Self::default();
        for edge in of.edges().filter(|&edge| !of.is_interior(edge)) {
            let Some(normal) = of.normal(edge) else { continue };
            let separation = match all {
                Some(all) => all.lane(edge),
                None => against.deepest(normal, of.at(edge)).1,
            };
            let axis = Axis { edge, normal, separation };
            let beats = |best: Option<Axis>| best.is_none_or(|best| separation > best.separation);
            if beats(best.any) {
                best.any = Some(axis);
            }
            let pushes = || !against.facing(normal).is_some_and(|edge| against.is_interior(edge));
            if beats(best.pushing) && pushes() {
                best.pushing = Some(axis);
            }
        }
        best
    }
}

/// The widest separation of two axes.
fn widest(axes: [Option<Axis>; 2]) -> f32 {
    let [a, b] = axes.mapped(|axis| axis.map_or(f32::NEG_INFINITY, |axis| axis.separation));
    a.max(b)
}

/// The contacts of two pieces that overlap or are within `margin`, at the given positions.
pub(super) fn touch(scenery: Scenery<'_>, pair: (u32, u32), margin: f32) -> Touch {
    Look::new(scenery, pair, &mut Room::default()).touch(margin).unwrap_or_default()
}

/// Two pieces, and the edge of each that separates it best from the other.
pub(super) struct Look<'a> {
    a: Core<'a>,
    b: Core<'a>,
    axes: [Option<Axis>; 2],
    radii: f32,
}

impl<'a> Look<'a> {
    /// Looks at two pieces where they are.
    #[inline]
    pub(super) fn new(scenery: Scenery<'a>, pair: (u32, u32), room: &'a mut Room) -> Self {
        let [of_a, of_b] = &mut room.0;
        let (a, b) = (Core::new(scenery, pair.0, of_a), Core::new(scenery, pair.1, of_b));
        let axes = [best_axis(&a, &b), best_axis(&b, &a)];
        Self { a, b, axes, radii: scenery.radii(pair) }
    }

    /// How far the pieces are from each other at least, m, as that edge shows which has the other farthest off.
    /// Negative where they overlap.
    #[inline]
    pub(super) fn gap(&self) -> f32 {
        widest(self.axes) - self.radii
    }

    /// Whether one direction shows that the pieces are farther from each other than `now`, m, and than `then` all the
    /// while as each point goes by its `travel` in a straight line. Along a direction that stays the same the gap is a
    /// concave function of time: it is nowhere narrower than at the beginning or at the end.
    pub(super) fn stays_wider(&self, travel: impl Fn(u32) -> Vec2, [now, then]: [f32; 2]) -> bool {
        let Self { a, b, axes, radii } = self;
        let (now, then) = (now.max(then) + radii, then + radii);
        let at_end = |of: &Core<'_>, against: &Core<'_>, origin: Vec2, normal: Vec2| {
            let reach = |core: &Core<'_>, k: usize| {
                (core.at(k) + travel(core.points[k]) - origin).dot(normal)
            };
            let own = (0..of.points.len()).map(|k| reach(of, k)).fold(f32::NEG_INFINITY, f32::max);
            (0..against.points.len()).all(|k| reach(against, k) - own > then)
        };
        let shows = |of: &Core<'_>, against: &Core<'_>, axis: Option<Axis>| {
            axis.is_some_and(|Axis { edge, normal, separation }| {
                separation > now && at_end(of, against, of.at(edge), normal)
            })
        };
        if *axes == [None, None] {
            // Two points: no edge shows anything.
            let between = b.at(0) - a.at(0);
            let distance = between.length();
            return distance > now && at_end(a, b, a.at(0), between / distance);
        }
        shows(a, b, axes[0]) || shows(b, a, axes[1])
    }

    /// Where the pieces are nearest to each other, however far that is, as if they had no neighbours in their bodies: so
    /// there is always something.
    pub(super) fn nearest(&self) -> Touch {
        let alone = |core: Core<'a>| Core { rims: &[], ..core };
        let Self { a, b, axes, radii } = *self;
        Look { a: alone(a), b: alone(b), axes, radii }.touch(f32::INFINITY).unwrap_or_default()
    }

    /// Whether neither has neighbours in its body.
    pub(super) fn are_alone(&self) -> bool {
        self.a.rims.is_empty() && self.b.rims.is_empty()
    }

    /// The contacts of the pieces if they overlap or are within `margin`; or, where an edge shows that they are farther
    /// from each other, how far they are at least, m.
    pub(super) fn touch(&self, margin: f32) -> Result<Touch, f32> {
        let Self { a, b, radii, .. } = self;
        let radii = *radii;
        let (reach, gap) = (radii + margin, self.gap());
        let [of_a, of_b] = self.axes;
        if of_a.is_some_and(|axis| axis.separation > reach)
            || of_b.is_some_and(|axis| axis.separation > reach + AXIS_BIAS)
        {
            return Err(gap);
        }
        let mut axes = self.axes;
        if !self.are_alone() {
            let outer = [OuterAxes::new(a, b), OuterAxes::new(b, a)];
            let pushing = outer.mapped(|axes| axes.pushing);
            // Only an edge inside the body keeps them apart; or the shortest way out leads through the
            // next piece, which then pushes, and any other way would lead through the whole body.
            if widest(axes) > widest(pushing).max(0.0)
                || widest(outer.mapped(|axes| axes.any)) > widest(pushing) + AXIS_BIAS
                || pushing == [None, None]
            {
                return Ok(Touch::default());
            }
            axes = pushing;
        }
        let (reference, incident, axis) = match axes {
            [None, None] => return Ok(corner_on_corner(a, 0, b, 0, radii, margin)),
            [Some(axis), None] => (a, b, axis),
            [None, Some(axis)] => (b, a, axis),
            [Some(of_a), Some(of_b)] if of_b.separation > of_a.separation + AXIS_BIAS => {
                (b, a, of_b)
            }
            [Some(of_a), Some(_)] => (a, b, of_a),
        };
        let separation = axis.separation.max(a.beyond_end(b)).max(b.beyond_end(a));
        if separation > reach {
            return Err(separation - radii);
        }
        let round = radii > 0.0 && separation > CORE_CONTACT;
        Ok(Faces::new(reference, incident, axis, round, radii, margin).contacts())
    }
}

/// A reference edge and what lies over it.
struct Faces<'a> {
    reference: &'a Core<'a>,
    incident: &'a Core<'a>,
    axis: Axis,
    /// Whether corners are round: the cores are apart and a radius bridges the gap.
    round: bool,
    radii: f32,
    margin: f32,
    /// The reference edge's ends, its unit direction and length.
    ends: [usize; 2],
    along: Vec2,
    length: f32,
}

impl<'a> Faces<'a> {
    #[inline]
    fn new(
        reference: &'a Core<'a>,
        incident: &'a Core<'a>,
        axis: Axis,
        round: bool,
        radii: f32,
        margin: f32,
    ) -> Self {
        let ends = [axis.edge, reference.next(axis.edge)];
        let along = reference.at(ends[1]) - reference.at(ends[0]);
        let length = along.length();
        Self {
            reference,
            incident,
            axis,
            round,
            radii,
            margin,
            ends,
            along: along / length,
            length,
        }
    }

    /// Distance of an incident vertex along the reference edge from its first end.
    #[inline]
    fn along(&self, k: usize) -> f32 {
        (self.incident.at(k) - self.reference.at(self.ends[0])).dot(self.along)
    }

    fn contacts(&self) -> Touch {
        let Some(edge) = self.incident.facing(self.axis.normal) else {
            return self.corner_contact();
        };
        // Counter-clockwise outlines run against each other, so `low` is the edge's second end.
        let (low, high) = (self.incident.next(edge), edge);
        if self.round
            && let Some((end, vertex)) = self.nearest_corners([low, high])
        {
            let (reference, incident) = (self.reference, self.incident);
            return corner_on_corner(reference, end, incident, vertex, self.radii, self.margin);
        }
        let (u_low, u_high) = (self.along(low), self.along(high));
        let overlap = u_high.min(self.length) - u_low.max(0.0);
        // An edge that stands upright on the other is a corner on a face.
        let incident_length = self.incident.at(high).distance(self.incident.at(low));
        let side_by_side = u_high - u_low > 1e-3 * incident_length && overlap > 0.0;
        if !side_by_side {
            return self.corner_contact();
        }
        let mut touch = Touch::default();
        for (vertex, u, limit, end) in
            [(low, u_low, 0.0, self.ends[0]), (high, u_high, self.length, self.ends[1])]
        {
            let over_reference = if limit == 0.0 { u >= 0.0 } else { u <= limit };
            // Each is written where it stays, and not copied from where it was made: to read in one what has just been
            // written in parts a processor has to wait.
            if over_reference {
                touch.push_within(self.margin, self.over_reference(vertex, u / self.length));
            } else {
                let t = (limit - u_low) / (u_high - u_low);
                touch.push_within(self.margin, self.over_incident(end, [low, high], t));
            }
        }
        touch
    }

    /// The end of the reference edge and the end of the incident edge that are nearest to each
    /// other, if no inner part of either edge is nearer.
    fn nearest_corners(&self, incident: [usize; 2]) -> Option<(usize, usize)> {
        let [a, b] = self.ends.mapped(|k| self.reference.at(k));
        let [p, q] = incident.mapped(|k| self.incident.at(k));
        let mut nearest = (f32::INFINITY, 0, 0);
        for (&end, at) in self.ends.iter().zip([a, b]) {
            for (&vertex, to) in incident.iter().zip([p, q]) {
                let distance = at.distance_squared(to);
                if distance < nearest.0 {
                    nearest = (distance, end, vertex);
                }
            }
        }
        let inner = |at: Vec2, from: Vec2, to: Vec2| {
            let along = to - from;
            let t = (at - from).dot(along) / along.length_squared().max(1e-20);
            (t > 0.0 && t < 1.0).then(|| at.distance_squared(from + t * along))
        };
        let inside = [inner(p, a, b), inner(q, a, b), inner(a, p, q), inner(b, p, q)];
        let nearer = inside.into_iter().flatten().any(|distance| distance < nearest.0);
        (!nearer).then_some((nearest.1, nearest.2))
    }

    /// A single vertex, the deepest, over the reference edge or past its end.
    fn corner_contact(&self) -> Touch {
        let vertex = self.incident.deepest(self.axis.normal, self.reference.at(self.ends[0])).0;
        let t = self.along(vertex) / self.length;
        if self.round && !(0.0..=1.0).contains(&t) {
            let end = self.ends[usize::from(t > 1.0)];
            let (reference, incident) = (self.reference, self.incident);
            return corner_on_corner(reference, end, incident, vertex, self.radii, self.margin);
        }
        let mut touch = Touch::default();
        touch.push_within(self.margin, self.over_reference(vertex, t.clamp(0.0, 1.0)));
        touch
    }

    /// An incident vertex over the reference edge.
    #[inline]
    fn over_reference(&self, vertex: usize, t: f32) -> Contact {
        let gap =
            (self.incident.at(vertex) - self.reference.at(self.ends[0])).dot(self.axis.normal);
        Contact {
            pieces: [self.incident.piece, self.reference.piece],
            vertex: self.incident.points[vertex],
            edge: self.ends.mapped(|k| self.reference.points[k]),
            t,
            normal: self.axis.normal,
            depth: self.radii - gap,
            base: self.ends.mapped(|k| self.reference.points[k]),
        }
    }

    /// A reference vertex over the incident edge: the same contact seen from the other side.
    #[inline]
    fn over_incident(&self, end: usize, edge: [usize; 2], t: f32) -> Contact {
        let [p, q] = edge.mapped(|k| self.incident.at(k));
        let gap = (p + t * (q - p) - self.reference.at(end)).dot(self.axis.normal);
        Contact {
            pieces: [self.reference.piece, self.incident.piece],
            vertex: self.reference.points[end],
            edge: edge.mapped(|k| self.incident.points[k]),
            t,
            normal: -self.axis.normal,
            depth: self.radii - gap,
            base: [1, 0].mapped(|k: usize| self.reference.points[self.ends[k]]),
        }
    }
}

/// Two round corners, or two discs. Where the two centres coincide there is no direction; up is
/// taken, always the same.
#[inline]
fn corner_on_corner(
    a: &Core<'_>,
    i: usize,
    b: &Core<'_>,
    j: usize,
    radii: f32,
    margin: f32,
) -> Touch {
    let between = b.at(j) - a.at(i);
    let distance = between.length();
    let mut touch = Touch::default();
    if a.leaves_to_next(i, between) || b.leaves_to_next(j, -between) {
        return touch;
    }
    if radii - distance >= -margin {
        touch.push(Contact {
            pieces: [b.piece, a.piece],
            vertex: b.points[j],
            edge: [a.points[i]; 2],
            t: 0.0,
            normal: if distance > 1e-9 { between / distance } else { Vec2::Y },
            depth: radii - distance,
            base: [a.points[i]; 2],
        });
    }
    touch
}

#[cfg(test)]
mod tests;
