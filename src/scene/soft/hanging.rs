//! The curve in which a chain of equal links hangs.
//!
//! The horizontal pull `H` is the same in every link and the vertical pull grows by one link's weight
//! from link to link, so link `i` points along `(H, V + i)`, in units of that weight. The two unknowns
//! make the links end where they should. The conditions are the gradient of the convex function
//! `Φ(H, V) = Σ √(H² + (V + i)²) − (H·x + V·y)/ℓ`, so damped Newton steps always find them. Finely cut,
//! this is the catenary; cut coarsely it still rests exactly, which the catenary does not.

use glam::DVec2;

use crate::math::Vec2;

/// The ends of `count` links of together `length` that hang from the origin to `to`; `None` where
/// they are too short, or where the ends are so nearly above each other that the chain would fold: at
/// the latest where they are less than a link apart sideways.
pub(super) fn hanging(to: Vec2, length: f32, count: usize) -> Option<Vec<Vec2>> {
    let target = to.as_dvec2();
    let length = f64::from(length);
    let link = length / count as f64;
    let distance = target.length();
    if !(length > 0.0 && length >= distance) {
        return None;
    }
    if length <= distance * (1.0 + 1e-4) {
        return Some((0..=count).map(|i| to * (i as f32 / count as f32)).collect());
    }
    if target.x.abs() < 0.05 * length {
        return None;
    }
    let span = DVec2::new(target.x.abs(), target.y) / link;
    let DVec2 { x: pull, y: lift } = balance(span, count);
    let mut place = DVec2::ZERO;
    let mut places = vec![Vec2::ZERO];
    for i in 0..count {
        let along = DVec2::new(pull, lift + i as f64).normalize();
        place += link * DVec2::new(along.x * target.x.signum(), along.y);
        places.push(place.as_vec2());
    }
    // Where the chain folds, a link pulls no more, and nothing balances.
    (place.distance(DVec2::new(target.x, target.y)) <= 1e-4 * length).then_some(places)
}

/// The pulls `(H, V)` in the first of `count` links of length 1 that span `span`.
fn balance(span: DVec2, count: usize) -> DVec2 {
    let energy = |at: DVec2| {
        let links = (0..count).map(|i| at.x.hypot(at.y + i as f64));
        links.sum::<f64>() - at.dot(span)
    };
    let mut at = DVec2::new(0.5 * span.x, -0.5 * count as f64);
    let mut value = energy(at);
    for _ in 0..200 {
        let (mut slope, [mut xx, mut xy, mut yy]) = (-span, [0.0_f64; 3]);
        for i in 0..count {
            let arm = DVec2::new(at.x, at.y + i as f64);
            let r = arm.length().max(1e-9);
            slope += arm / r;
            let cube = r * r * r;
            xx += arm.y * arm.y / cube;
            xy -= arm.x * arm.y / cube;
            yy += arm.x * arm.x / cube;
        }
        if slope.length() < 1e-10 * count as f64 {
            break;
        }
        let determinant = (xx * yy - xy * xy).max(1e-300);
        let step =
            -DVec2::new(yy * slope.x - xy * slope.y, xx * slope.y - xy * slope.x) / determinant;
        let mut part = 1.0;
        loop {
            let next = at + part * step;
            // The pull stays positive: a chain cannot push.
            let next_value = if next.x > 0.0 { energy(next) } else { f64::INFINITY };
            if next_value <= value + 1e-4 * part * slope.dot(step) || part < 1e-12 {
                (at, value) = (next, next_value);
                break;
            }
            part *= 0.5;
        }
        if !(at.x > 0.0) || part < 1e-12 {
            at.x = at.x.max(1e-9);
            break;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_end_where_they_should_and_have_equal_links() {
        let spans = [(4.0, 0.0), (4.0, 2.0), (-3.0, -4.0), (0.3, -2.0), (1.0, 5.0)];
        for (x, y) in spans {
            let to = Vec2::new(x, y);
            for stretch in [1.0002_f32, 1.01, 1.2, 3.0] {
                for count in [2, 3, 10, 1000] {
                    let length = stretch * to.length();
                    if x.abs() < 0.05 * length {
                        continue;
                    }
                    let Some(places) = hanging(to, length, count) else {
                        assert!(
                            x.abs() <= 1.001 * length / count as f32,
                            "{to} × {stretch} / {count}"
                        );
                        continue;
                    };
                    let end = *places.last().unwrap();
                    assert!(end.distance(to) < 1e-4 * length, "{to} × {stretch} / {count}: {end}");
                    let link = length / count as f32;
                    for pair in places.windows(2) {
                        assert!((pair[0].distance(pair[1]) / link - 1.0).abs() < 1e-2);
                    }
                }
            }
        }
    }

    /// Between level ends: sag `a·(cosh(s/2a) − 1)` where `2a·sinh(s/2a)` is the length.
    #[test]
    fn a_fine_chain_is_a_catenary() {
        let (span, a) = (4.0_f32, 2.0_f32);
        let half = span / (2.0 * a);
        let places = hanging(Vec2::new(span, 0.0), 2.0 * a * half.sinh(), 200).unwrap();
        let sag = -places[100].y;
        let expected = a * (half.cosh() - 1.0);
        assert!((sag / expected - 1.0).abs() < 1e-3, "{sag} {expected}");
    }

    #[test]
    fn what_cannot_hang_is_refused() {
        assert_eq!(hanging(Vec2::X, 0.9, 10), None);
        assert_eq!(hanging(Vec2::Y, 2.0, 10), None);
        assert_eq!(hanging(Vec2::ZERO, 2.0, 10), None);
        assert_eq!(hanging(Vec2::X, f32::NAN, 10), None);
    }
}
