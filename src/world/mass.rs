//! Point masses with the true mass, centre and moment of inertia of a solid figure.
//!
//! A rigid body is drawn by its outline but moves by its points, so the points must weigh what the
//! solid weighs, balance where it balances and resist turning as it does. Sharing the mass out
//! equally over the corners does not: for a box it gives three times the right inertia.
//!
//! * **Polygon.** Cut the polygon into the triangles between its centroid and each edge. A third
//!   of each triangle's mass on each of its corners keeps total and first moment (the centroid
//!   does not move). Scaling the outer masses by one factor κ < 1 then matches the second moment,
//!   and what is left over goes to the centroid. For a box: m/12 in each corner, 2m/3 in the
//!   centre.
//! * **Concave or rounded polygon.** The same over any triangles that fill it, with the outer masses
//!   tilted by a linear factor where their balance is off: that of a rounded polygon's core is. If the
//!   outline is so round that its core cannot carry the inertia, three points outside carry it.
//! * **Disc.** Half the mass in the centre, a sixth in each of three rim points.
//! * **Capsule.** The two cap centres, and two points on the waist that give the frame its width.

use crate::math::{Mapped, Moments, Vec2, polygon_moments};

/// Points with masses that stand for a solid: positions about its centroid, mass of each.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Lumps {
    pub(crate) centroid: Vec2,
    pub(crate) points: Vec<(Vec2, f32)>,
}

/// Lumps of a convex polygon, counter-clockwise: its vertices in order, then the centroid.
pub(crate) fn polygon(vertices: &[Vec2], density: f32) -> Lumps {
    let moments = polygon_moments(vertices);
    let rim: Vec<Vec2> = vertices.iter().map(|&v| v - moments.centroid).collect();
    let count = rim.len();
    let triangle = |i: usize| 0.5 * density * crate::math::cross(rim[i], rim[(i + 1) % count]);
    let share: Vec<f32> =
        (0..count).map(|i| (triangle((i + count - 1) % count) + triangle(i)) / 3.0).collect();
    let spread: f32 = rim.iter().zip(&share).map(|(r, m)| m * r.length_squared()).sum();
    let kappa = density * moments.second / spread;
    let total = density * moments.area;
    let outer: f32 = share.iter().map(|m| kappa * m).sum();
    let mut points: Vec<_> = rim.into_iter().zip(share.iter().map(|m| kappa * m)).collect();
    points.push((Vec2::ZERO, total - outer));
    Lumps { centroid: moments.centroid, points }
}

/// Lumps of a solid with these moments of area, filled by triangles over `vertices`: the vertices in
/// order, then the centroid or three points around it. `None` if the vertices reach further out than solids
/// with these moments do.
pub(crate) fn solid(
    vertices: &[Vec2],
    triangles: &[[u32; 3]],
    moments: &Moments,
    density: f32,
) -> Option<Lumps> {
    let rim: Vec<Vec2> = vertices.iter().map(|&v| v - moments.centroid).collect();
    let mut share = vec![0.0_f32; rim.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.mapped(|i| rim[i as usize]);
        for &i in triangle {
            share[i as usize] += crate::math::cross(b - a, c - a) / 6.0;
        }
    }
    let (total, inertia) = (density * moments.area, density * moments.second);
    let spread = |masses: &[f32]| -> f32 {
        rim.iter().zip(masses).map(|(r, m)| m * r.length_squared()).sum()
    };
    let scaled = |masses: &[f32], factor: f32| -> Vec<(Vec2, f32)> {
        rim.iter().zip(masses).map(|(&r, mass)| (r, factor * mass)).collect()
    };
    if let Some(masses) = balanced(&rim, &share) {
        let (kappa, outer) = (inertia / spread(&masses), masses.iter().sum::<f32>());
        if kappa * outer <= MOST_OUTSIDE * total {
            let mut points = scaled(&masses, kappa);
            points.push((Vec2::ZERO, total - kappa * outer));
            return Some(Lumps { centroid: moments.centroid, points });
        }
    }
    let scale = 0.5 * total / share.iter().sum::<f32>();
    let mut points = scaled(&share, scale);
    let first: Vec2 = points.iter().map(|&(r, mass)| mass * r).sum();
    let middle = -first / (0.5 * total);
    let squared = (inertia - scale * spread(&share)) / (0.5 * total) - middle.length_squared();
    points.extend(TRIPOD.mapped(|(x, y)| (middle + squared.sqrt() * Vec2::new(x, y), total / 6.0)));
    (squared > 0.0).then_some(Lumps { centroid: moments.centroid, points })
}

/// Of the mass of a polygon, its vertices have this part at most.
const MOST_OUTSIDE: f32 = 0.9;
/// Three directions that balance.
const TRIPOD: [(f32, f32); 3] = [(0.0, 1.0), (-0.866_025_4, -0.5), (0.866_025_4, -0.5)];

/// Masses `m·(1 + λ·r)` with a first moment of zero; `None` if some are not positive.
fn balanced(places: &[Vec2], masses: &[f32]) -> Option<Vec<f32>> {
    // In `f64`: the fourth power of a kilometre is too much for an `f32`.
    let (mut first, mut xx, mut xy, mut yy) = (glam::DVec2::ZERO, 0.0, 0.0, 0.0);
    for (r, m) in places.iter().zip(masses) {
        let (r, m) = (r.as_dvec2(), f64::from(*m));
        first += m * r;
        (xx, xy, yy) = (xx + m * r.x * r.x, xy + m * r.x * r.y, yy + m * r.y * r.y);
    }
    let determinant: f64 = xx * yy - xy * xy;
    let tilt = glam::DVec2::new(xy * first.y - yy * first.x, xy * first.x - xx * first.y);
    let tilt = (tilt / determinant).as_vec2();
    let weights: Vec<f32> =
        places.iter().zip(masses).map(|(r, m)| m * (1.0 + tilt.dot(*r))).collect();
    weights.iter().zip(masses).all(|(weight, mass)| *weight > 0.05 * mass).then_some(weights)
}

/// Lumps of a disc: the centre, then three rim points.
pub(crate) fn disc(radius: f32, density: f32) -> Lumps {
    let mass = density * std::f32::consts::PI * radius * radius;
    let mut points = vec![(Vec2::ZERO, mass / 2.0)];
    points.extend(TRIPOD.mapped(|(x, y)| (radius * Vec2::new(x, y), mass / 6.0)));
    Lumps { centroid: Vec2::ZERO, points }
}

/// Mass and moment of inertia about the centre of a capsule.
pub(crate) fn capsule_moments(length: f32, radius: f32, density: f32) -> (f32, f32) {
    let (a, r) = (0.5 * length, radius);
    let middle = density * 4.0 * a * r;
    let caps = density * std::f32::consts::PI * r * r;
    // Each half disc: its own moment about the cap centre, moved by its centroid's 4r/3π and by a.
    let cap_second = r * r / 2.0 + a * a + 2.0 * a * 4.0 * r / (3.0 * std::f32::consts::PI);
    (middle + caps, middle * (a * a + r * r) / 3.0 + caps * cap_second)
}

/// Lumps of a capsule along the x axis: left and right cap centre, lower and upper waist point.
///
/// With caps at ±a and waist points at ±s, the masses that match `m` and `I` are
/// `m_cap = (I/m − s²) / (a² − s²) · m/2`. They are positive when I/m lies between s² and a². A
/// slender capsule takes s = r; a stout one takes s² = 2I/m − a², which makes all four equal.
pub(crate) fn capsule(length: f32, radius: f32, density: f32) -> Lumps {
    let (mass, inertia) = capsule_moments(length, radius, density);
    let a = 0.5 * length;
    let gyration = inertia / mass;
    let equal_waist = 2.0 * gyration - a * a;
    let (waist, cap_mass) = if equal_waist >= radius * radius {
        (equal_waist.sqrt(), mass / 4.0)
    } else {
        let s2 = radius * radius;
        (radius, 0.5 * mass * (gyration - s2) / (a * a - s2))
    };
    let waist_mass = 0.5 * mass - cap_mass;
    let points = vec![
        (Vec2::new(-a, 0.0), cap_mass),
        (Vec2::new(a, 0.0), cap_mass),
        (Vec2::new(0.0, -waist), waist_mass),
        (Vec2::new(0.0, waist), waist_mass),
    ];
    Lumps { centroid: Vec2::ZERO, points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use approx::assert_relative_eq;
    use std::f32::consts::PI;

    /// Total mass, first moment and second moment about the centroid.
    fn totals(lumps: &Lumps) -> (f32, Vec2, f32) {
        lumps.points.iter().fold((0.0, Vec2::ZERO, 0.0), |(m, f, s), &(r, mass)| {
            (m + mass, f + mass * r, s + mass * r.length_squared())
        })
    }

    fn check(lumps: &Lumps, mass: f32, inertia: f32) {
        let (m, first, second) = totals(lumps);
        assert_relative_eq!(m, mass, max_relative = 1e-4);
        assert_relative_eq!(second, inertia, max_relative = 1e-4);
        assert!(first.length() < 1e-4 * mass, "first moment {first}");
        for &(r, mass) in &lumps.points {
            assert!(mass > 0.0, "mass {mass} at {r}");
        }
    }

    #[test]
    fn box_has_a_twelfth_in_each_corner() {
        let corners = [(-1.0, -0.5), (1.0, -0.5), (1.0, 0.5), (-1.0, 0.5)].map(Vec2::from);
        let lumps = polygon(&corners, 3.0);
        check(&lumps, 6.0, 6.0 * (4.0 + 1.0) / 12.0);
        for &(_, mass) in &lumps.points[..4] {
            assert_relative_eq!(mass, 0.5, max_relative = 1e-5);
        }
        assert_relative_eq!(lumps.points[4].1, 4.0, max_relative = 1e-5);
    }

    #[test]
    fn triangle_and_regular_polygons_match_closed_formulas() {
        let (a, b, c) = (Vec2::ZERO, Vec2::new(3.0, 0.0), Vec2::new(1.0, 2.0));
        let mass = 2.0 * 3.0;
        let sides = (b - a).length_squared() + (c - b).length_squared() + (a - c).length_squared();
        check(&polygon(&[a, b, c], 2.0), mass, mass * sides / 36.0);

        for count in 3..20 {
            let angle = 2.0 * PI / count as f32;
            let ring: Vec<Vec2> =
                (0..count).map(|i| Vec2::from_angle(angle * i as f32) * 0.7).collect();
            let area = 0.5 * count as f32 * 0.49 * angle.sin();
            let inertia = area * 0.49 * (2.0 + angle.cos()) / 6.0;
            check(&polygon(&ring, 1.0), area, inertia);
        }
    }

    #[test]
    fn disc_matches_half_m_r_squared() {
        let mass = 5.0 * PI * 0.09;
        check(&disc(0.3, 5.0), mass, mass * 0.09 / 2.0);
    }

    #[test]
    fn capsules_from_a_disc_to_a_rod_match() {
        let r = 0.1_f32;
        for slenderness in [0.001_f32, 0.1, 0.5, 1.0, 2.0, 3.9, 4.0, 4.1, 10.0, 100.0] {
            let length = 2.0 * slenderness * r;
            // Two half discs and a rectangle, summed by the parallel-axis theorem.
            let (box_mass, disc_mass) = (length * 2.0 * r, PI * r * r);
            let offset = 4.0 * r / (3.0 * PI);
            let half_disc_own = disc_mass / 2.0 * (r * r / 2.0 - offset * offset);
            let arm = length / 2.0 + offset;
            let inertia = box_mass * (length * length + 4.0 * r * r) / 12.0
                + 2.0 * (half_disc_own + disc_mass / 2.0 * arm * arm);
            check(&capsule(length, r, 1.0), box_mass + disc_mass, inertia);
        }
    }
}
