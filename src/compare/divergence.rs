//! When two runs of one level part, which bodies do, and how far.
//!
//! The distance of two runs at an instant is that of the centres of mass of the same body in both;
//! how a body is turned does not count. Runs part at the first frame in which any body is as far
//! from itself as a threshold. Chaotic levels part soon, whatever the solvers are worth: two runs of
//! a heap of bodies that differ by a rounding error are a centimetre apart after a second or two.

use super::track::Track;

/// The first frame at which two runs are apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parting {
    /// Steps that the first run had taken.
    pub step: u64,
    /// Simulated time, s.
    pub time: f64,
    /// The body that is farthest apart, as an index into [`Track::names`].
    pub body: usize,
    /// How far, m.
    pub distance: f64,
}

/// The first frame at which a body of run `a` is at least `threshold` metres from the same body of
/// run `b`; of several such bodies the farthest. `None` if there is none as long as both ran.
#[must_use]
pub fn first_parting(a: &Track, b: &Track, threshold: f64) -> Option<Parting> {
    (0..a.frames()).find_map(|frame| {
        let (body, distance) = farthest(a, b, frame)?;
        let parted = distance >= threshold;
        parted.then(|| Parting { step: a.step(frame), time: a.time(frame), body, distance })
    })
}

/// The distance of the body that is farthest apart, over time: pairs of simulated time, s, and
/// distance, m, at most `most` of them; of frames that share one, the largest distance.
#[must_use]
pub fn largest_distances(a: &Track, b: &Track, most: usize) -> Vec<[f64; 2]> {
    let group = a.frames().div_ceil(most.max(1)).max(1);
    let frames: Vec<usize> = (0..a.frames()).collect();
    let largest = |frames: &[usize]| {
        let found = frames.iter().filter_map(|&frame| Some((frame, farthest(a, b, frame)?.1)));
        found
            .map(|(frame, distance)| [a.time(frame), distance])
            .max_by(|x, y| x[1].total_cmp(&y[1]))
    };
    frames.chunks(group).filter_map(largest).collect()
}

/// How far each body is apart at a time, m; `None` for one that is gone in either run, and for all
/// past the end of either.
#[must_use]
pub fn distances(a: &Track, b: &Track, time: f64) -> Vec<Option<f64>> {
    let distance = |body| {
        let (in_a, in_b) = (a.center_at(body, time)?, b.center_at(body, time)?);
        Some(in_a.as_dvec2().distance(in_b.as_dvec2()))
    };
    (0..a.names().len()).map(distance).collect()
}

/// The body that is farthest apart at a frame of `a`, and how far.
fn farthest(a: &Track, b: &Track, frame: usize) -> Option<(usize, f64)> {
    let time = a.time(frame);
    let apart = (0..a.names().len()).filter_map(|body| {
        let (in_a, in_b) = (a.center(body, frame)?, b.center_at(body, time)?);
        Some((body, in_a.as_dvec2().distance(in_b.as_dvec2())))
    });
    // The first of those that are equally far.
    apart.reduce(|most, next| if next.1 > most.1 { next } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::track::tests::track;
    use crate::math::Vec2;
    use approx::assert_relative_eq;

    /// Ball 1 drifts away by 4 mm a step from step 3 on, ball 2 by 5 mm from step 4 on.
    fn pair(hz: f32) -> (Track, Track) {
        let still = track(3, hz, 10, |ball, _| Vec2::new(2.0 * ball as f32, 0.0));
        let moved = track(3, hz, 10, |ball, step| {
            let drift = match ball {
                1 => 0.004 * step.saturating_sub(2) as f32,
                2 => 0.005 * step.saturating_sub(3) as f32,
                _ => 0.0,
            };
            Vec2::new(2.0 * ball as f32, drift)
        });
        (still, moved)
    }

    #[test]
    fn runs_part_at_the_first_frame_past_the_threshold() {
        let (still, moved) = pair(60.0);
        let found = first_parting(&still, &moved, 0.01).unwrap();
        assert_eq!((found.step, found.body), (5, 1));
        assert_relative_eq!(found.time, 5.0 / 60.0);
        assert_relative_eq!(found.distance, 0.012, epsilon = 1e-6);
        // The other way round it is the same.
        assert_eq!(first_parting(&moved, &still, 0.01), Some(found));
        // Of two that are past it, the farthest: 32 mm and 35 mm.
        assert_eq!(first_parting(&still, &moved, 0.0325).unwrap().body, 2);
        assert_eq!(first_parting(&still, &moved, 1.0), None);
        assert_eq!(first_parting(&still, &still, 0.01), None);
    }

    #[test]
    fn steps_of_another_length_are_compared_at_the_same_time() {
        let slide = |hz: f32, steps| track(1, hz, steps, |_, step| Vec2::X * step as f32 / hz);
        let (coarse, fine) = (slide(30.0, 30), slide(75.0, 75));
        assert_eq!(first_parting(&coarse, &fine, 1e-4), None);
        assert_eq!(first_parting(&fine, &coarse, 1e-4), None);
        // A run that ended early is compared as long as it lasted.
        assert_eq!(first_parting(&coarse, &slide(75.0, 10), 1e-4), None);
    }

    #[test]
    fn distances_at_a_time_and_over_time() {
        let (still, moved) = pair(10.0);
        let apart = distances(&still, &moved, 0.55);
        assert_eq!(apart[0], Some(0.0));
        assert_relative_eq!(apart[1].unwrap(), 0.014, epsilon = 1e-6);
        assert_eq!(distances(&still, &moved, 1.5), [None, None, None]);
        let curve = largest_distances(&still, &moved, 100);
        assert_eq!(curve.len(), 11);
        assert_relative_eq!(curve[10][1], 0.035, epsilon = 1e-6);
        let thin = largest_distances(&still, &moved, 4);
        assert_eq!(thin.len(), 4);
        assert_relative_eq!(thin[3][1], 0.035, epsilon = 1e-6);
        assert!(largest_distances(&still, &moved, 0).len() == 1);
    }

    #[test]
    fn an_empty_world_never_parts() {
        let empty = track(0, 60.0, 3, |_, _| Vec2::ZERO);
        assert_eq!(first_parting(&empty, &empty, 0.0), None);
        assert!(largest_distances(&empty, &empty, 10).is_empty());
        assert!(distances(&empty, &empty, 0.0).is_empty());
    }
}
