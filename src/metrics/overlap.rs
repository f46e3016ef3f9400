//! The depth of the overlap of two convex outlines, each grown by a radius.
//!
//! Cores that overlap: the separating-axis theorem over the edge normals of both; the depth is the
//! shortest way out along any of them (Ericson, “Real-Time Collision Detection”, §5.2.1), and the
//! radii add to it. Cores that are apart: the radii minus their distance, which between convex
//! outlines is always that of a vertex and an edge. Every normal is tried in both directions, so
//! the winding of an outline, and whether a step has turned it inside out, makes no difference.

use glam::DVec2;

/// The depth of the overlap of two convex outlines grown by `radius_a` and `radius_b`, m; negative
/// where they are apart, and then at least the gap between them in magnitude as far as it was
/// worth finding out. One vertex is a disc, two a capsule. Empty outlines never overlap.
pub(crate) fn depth(a: &[DVec2], radius_a: f64, b: &[DVec2], radius_b: f64) -> f64 {
    let radii = radius_a + radius_b;
    let Some(way_out) = way_out(a, b) else {
        return radii - distance(a, b);
    };
    if way_out > 0.0 {
        way_out + radii
    } else if way_out < -radii {
        // Apart by more than the radii reach; the exact distance would only be larger.
        way_out + radii
    } else {
        radii - distance(a, b)
    }
}

/// The gap between two convex outlines grown by `radius_a` and `radius_b`, m: the exact distance of
/// their surfaces, negative where they overlap.
pub(crate) fn gap(a: &[DVec2], radius_a: f64, b: &[DVec2], radius_b: f64) -> f64 {
    let apart = match way_out(a, b) {
        Some(way_out) if way_out > 0.0 => -way_out,
        _ => distance(a, b),
    };
    apart - radius_a - radius_b
}

/// The least overlap of the projections of both outlines on any edge normal, negative if an axis
/// separates them; `None` if neither has an edge.
fn way_out(a: &[DVec2], b: &[DVec2]) -> Option<f64> {
    let mut least: Option<f64> = None;
    for outline in [a, b] {
        for k in 0..outline.len() {
            let edge = outline[(k + 1) % outline.len()] - outline[k];
            let length = edge.length();
            if length < 1e-9 {
                continue;
            }
            let normal = DVec2::new(edge.y, -edge.x) / length;
            // From a common origin near both: far from the world's, products lose digits.
            let (low_a, high_a) = extent(a, normal, outline[k]);
            let (low_b, high_b) = extent(b, normal, outline[k]);
            let overlap = (high_a - low_b).min(high_b - low_a);
            if least.is_none_or(|least| overlap < least) {
                least = Some(overlap);
            }
        }
    }
    least
}

fn extent(outline: &[DVec2], axis: DVec2, origin: DVec2) -> (f64, f64) {
    outline.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &point| {
        let along = (point - origin).dot(axis);
        (low.min(along), high.max(along))
    })
}

/// The distance of two outlines that do not overlap; infinite if either is empty.
fn distance(a: &[DVec2], b: &[DVec2]) -> f64 {
    vertices_to_edges(a, b).min(vertices_to_edges(b, a))
}

fn vertices_to_edges(vertices: &[DVec2], outline: &[DVec2]) -> f64 {
    let mut nearest = f64::INFINITY;
    for &vertex in vertices {
        for k in 0..outline.len() {
            let (from, to) = (outline[k], outline[(k + 1) % outline.len()]);
            let along = to - from;
            let t = (vertex - from).dot(along) / along.length_squared().max(1e-30);
            nearest = nearest.min(vertex.distance_squared(from + t.clamp(0.0, 1.0) * along));
        }
    }
    nearest.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;

    fn unit_box(at: (f64, f64), degrees: f64) -> Vec<DVec2> {
        let turn = DVec2::from_angle(degrees.to_radians());
        [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)]
            .map(|corner| DVec2::from(at) + turn.rotate(DVec2::from(corner)))
            .to_vec()
    }

    #[test]
    fn boxes_face_to_face_and_corner_to_face() {
        let a = unit_box((0.0, 0.0), 0.0);
        assert_relative_eq!(depth(&a, 0.0, &unit_box((0.9, 0.3), 0.0), 0.0), 0.1, epsilon = 1e-12);
        assert_relative_eq!(depth(&a, 0.0, &unit_box((1.2, 0.0), 0.0), 0.0), -0.2, epsilon = 1e-12);
        // Turned by 45° the half diagonal √½ reaches towards the face: 0.5 + √½ − 1.1.
        let expected = 0.5 + 0.5_f64.sqrt() - 1.1;
        let turned = unit_box((1.1, 0.0), 45.0);
        assert_relative_eq!(depth(&a, 0.0, &turned, 0.0), expected, epsilon = 1e-12);
        assert_relative_eq!(depth(&turned, 0.0, &a, 0.0), expected, epsilon = 1e-12);
    }

    #[test]
    fn both_boxes_turned_by_the_same_angle_change_nothing_even_far_away() {
        let turn = DVec2::from_angle(0.7);
        let far = DVec2::new(1e5, -3e4);
        let place = |points: Vec<DVec2>| {
            points.into_iter().map(|p| far + turn.rotate(p)).collect::<Vec<_>>()
        };
        let (a, b) = (place(unit_box((0.0, 0.0), 0.0)), place(unit_box((0.2, 0.93), 0.0)));
        assert_relative_eq!(depth(&a, 0.0, &b, 0.0), 0.07, epsilon = 1e-9);
    }

    #[test]
    fn discs_capsules_and_corners_with_radii() {
        let disc = [DVec2::ZERO];
        assert_relative_eq!(depth(&disc, 0.5, &[DVec2::new(0.6, 0.0)], 0.3), 0.2, epsilon = 1e-12);
        assert_relative_eq!(depth(&disc, 0.5, &disc, 0.5), 1.0, epsilon = 1e-12);
        let capsule = [DVec2::new(-1.0, 0.0), DVec2::new(1.0, 0.0)];
        let above = [DVec2::new(0.3, 0.5)];
        assert_relative_eq!(depth(&capsule, 0.2, &above, 0.4), 0.1, epsilon = 1e-12);
        // Past the end of the capsule the distance is that to the end, 0.5 by the 3-4-5 triangle.
        let past = [DVec2::new(1.3, 0.4)];
        assert_relative_eq!(depth(&capsule, 0.2, &past, 0.4), 0.1, epsilon = 1e-12);
        // Crossed capsules: the shorter one has to slide out by half its length.
        let crossing = [DVec2::new(0.2, -0.4), DVec2::new(0.2, 0.4)];
        assert_relative_eq!(depth(&capsule, 0.1, &crossing, 0.1), 0.6, epsilon = 1e-12);
        // On one line, apart: no normal separates them, the distance does.
        let ahead = [DVec2::new(1.3, 0.0), DVec2::new(2.0, 0.0)];
        assert_relative_eq!(depth(&capsule, 0.2, &ahead, 0.2), 0.1, epsilon = 1e-12);
        // A disc off the corner of a box.
        let corner = [DVec2::new(0.8, 0.9)];
        let gap = 0.5;
        let found = depth(&unit_box((0.0, 0.0), 0.0), 0.0, &corner, 0.6);
        assert_relative_eq!(found, 0.6 - gap, epsilon = 1e-12);
        // A disc whose centre is inside the box.
        let inside = depth(&unit_box((0.0, 0.0), 0.0), 0.0, &[DVec2::new(0.4, 0.0)], 0.25);
        assert_relative_eq!(inside, 0.35, epsilon = 1e-12);
    }

    #[test]
    fn winding_and_degenerate_outlines_make_no_difference() {
        let a = unit_box((0.0, 0.0), 0.0);
        let mut reversed = unit_box((0.9, 0.0), 0.0);
        reversed.reverse();
        assert_relative_eq!(depth(&a, 0.0, &reversed, 0.0), 0.1, epsilon = 1e-12);
        let collapsed = [DVec2::new(0.4, 0.0); 4];
        assert_relative_eq!(depth(&a, 0.0, &collapsed, 0.0), 0.1, epsilon = 1e-12);
        assert!(depth(&a, 0.0, &[], 0.0) < 0.0);
        assert!(depth(&[], 0.5, &[], 0.5) < 0.0);
    }

    /// By definition the depth is the least overlap of the projections on any direction, edge normal
    /// or not, and the distance of what is apart is that overlap with the sign turned.
    #[test]
    fn agrees_with_trying_every_direction() {
        const DIRECTIONS: u32 = 4096;
        let mut seed = 7_u32;
        let mut random = move || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            f64::from(seed >> 8) / f64::from(1_u32 << 24)
        };
        for case in 0..300 {
            // Vertices on an ellipse, in order of angle, are convex. One or two vertices as well.
            let mut figure = |count: usize| {
                let center = 1.2 * DVec2::new(random(), random());
                let (size, turn) = (0.2 + DVec2::new(random(), random()), 6.3 * random());
                let mut angles: Vec<f64> =
                    (0..count).map(|_| std::f64::consts::TAU * random()).collect();
                angles.sort_by(f64::total_cmp);
                let vertex = |&angle: &f64| {
                    DVec2::from_angle(turn).rotate(size * DVec2::from_angle(angle)) + center
                };
                angles.iter().map(vertex).collect::<Vec<_>>()
            };
            let (a, b) = (figure(1 + case % 5), figure(1 + case / 5 % 7));
            let (radius_a, radius_b) = (0.3 * random(), 0.3 * random());
            let least = (0..DIRECTIONS)
                .map(|k| {
                    let axis = DVec2::from_angle(
                        std::f64::consts::TAU * f64::from(k) / f64::from(DIRECTIONS),
                    );
                    let (_, high_a) = extent(&a, axis, DVec2::ZERO);
                    let (low_b, _) = extent(&b, axis, DVec2::ZERO);
                    high_a - low_b + radius_a + radius_b
                })
                .fold(f64::INFINITY, f64::min);
            let found = depth(&a, radius_a, &b, radius_b);
            if found > 0.0 || least > 0.0 {
                assert!((found - least).abs() < 3e-3, "case {case}: {found} is not {least}");
            }
            let gap = gap(&a, radius_a, &b, radius_b);
            assert!((gap + least).abs() < 3e-3, "case {case}: {gap} is not {}", -least);
        }
    }
}
