//! Queries against formulas, and against a search that steps along the way and asks for distances.

use super::*;
use crate::scene::{BodyDef, Scene, Shape, soft};
use approx::assert_abs_diff_eq;
use proptest::prelude::*;

/// What rounding may do to a distance, m.
const OFF: f32 = 1e-4;

fn world(bodies: Vec<BodyDef>) -> World {
    World::build(&Scene { bodies, ..Scene::default() }).unwrap()
}

fn cube(id: &str, at: Vec2) -> BodyDef {
    BodyDef::new(id, Shape::Box { size: Vec2::ONE }, at)
}

fn id(world: &World, body: BodyId) -> &str {
    &world.model.bodies[world.index(body).unwrap()].id
}

#[test]
fn a_ray_meets_discs_and_boxes_where_formulas_say() {
    let disc = BodyDef::new("disc", Shape::Disc { radius: 0.5 }, Vec2::new(4.0, 0.3));
    let turned = BodyDef { angle: std::f32::consts::FRAC_PI_4, ..cube("box", Vec2::new(0.0, 5.0)) };
    let world = world(vec![disc, turned]);
    let eye = Probe::point(Vec2::ZERO);
    let hit = world.queries().cast(&eye, Vec2::new(8.0, 0.0), |_| true).unwrap();
    let x = 4.0 - (0.25_f32 - 0.09).sqrt();
    assert_eq!(id(&world, hit.body), "disc");
    assert_abs_diff_eq!(hit.part, x / 8.0, epsilon = 1e-6);
    assert!(hit.point.distance(Vec2::new(x, 0.0)) < 1e-5, "{hit:?}");
    assert!(hit.normal.distance(Vec2::new(-0.8, -0.6)) < 1e-5, "{hit:?}");
    // Straight at a corner, and beside it.
    let queries = world.queries();
    let up = queries.cast(&eye, Vec2::new(0.0, 10.0), |_| true).unwrap();
    assert_abs_diff_eq!(up.part, 0.5 - 0.05 * 2.0_f32.sqrt(), epsilon = 1e-5);
    let beside = Probe::point(Vec2::new(0.2, 0.0));
    let side = queries.cast(&beside, Vec2::new(0.0, 10.0), |_| true).unwrap();
    assert_abs_diff_eq!(side.part, 0.52 - 0.05 * 2.0_f32.sqrt(), epsilon = 1e-5);
    let half = 0.5_f32.sqrt();
    assert!(side.normal.distance(Vec2::new(half, -half)) < 1e-5, "{side:?}");
    assert_eq!(queries.cast(&eye, Vec2::new(3.0, 0.0), |_| true), None, "it ends before the disc");
    assert_eq!(queries.cast(&eye, Vec2::new(8.0, 0.0), |body| body.id != "disc"), None);
}

#[test]
fn a_box_that_moves_meets_what_its_corner_reaches_first() {
    let world = world(vec![cube("box", Vec2::new(5.0, 0.9))]);
    // Turned by an eighth: its corner is half a diagonal ahead of it, and 0.1 below the side of the other.
    let probe = Probe::boxed(Vec2::ONE, Vec2::new(0.0, 0.5), std::f32::consts::FRAC_PI_4);
    let hit = world.queries().cast(&probe, Vec2::new(10.0, 0.0), |_| true).unwrap();
    assert_abs_diff_eq!(hit.part, (4.5 - 0.5_f32.sqrt()) / 10.0, epsilon = 1e-6);
    assert!(hit.point.distance(Vec2::new(4.5, 0.5)) < 1e-5, "{hit:?}");
    assert!(hit.normal.distance(-Vec2::X) < 1e-5, "{hit:?}");
    let near = world.queries().nearest(&probe, 10.0, |_| true).unwrap();
    assert_abs_diff_eq!(near.distance, 4.5 - 0.5_f32.sqrt(), epsilon = 1e-5);
    assert_eq!(world.queries().nearest(&probe, 3.0, |_| true), None);
    assert!(world.queries().overlapping(&probe, |_| true).is_empty());
    assert_eq!(world.queries().overlapping(&probe.grown(3.9), |_| true), [hit.body]);
}

#[test]
fn what_goes_through_meets_each_body_once_and_in_order() {
    let jelly = soft::Jelly::default().mesh().unwrap();
    let bodies = vec![
        cube("last", Vec2::new(9.0, 0.0)),
        BodyDef::new("jelly", Shape::Mesh(jelly), Vec2::new(6.0, 0.0)),
        cube("around", Vec2::ZERO),
        cube("beside", Vec2::new(3.0, 2.0)),
    ];
    let world = world(bodies);
    let eye = Probe::point(Vec2::new(0.1, 0.0));
    let hits = world.queries().cast_through(&eye, Vec2::new(20.0, 0.0), |_| true);
    let ids: Vec<&str> = hits.iter().map(|hit| id(&world, hit.body)).collect();
    assert_eq!(ids, ["around", "jelly", "last"]);
    assert_eq!(hits[0].part, 0.0);
    assert_abs_diff_eq!(hits[1].part, 5.4 / 20.0, epsilon = 1e-5);
    assert_abs_diff_eq!(hits[2].part, 8.4 / 20.0, epsilon = 1e-5);
}

#[test]
fn a_probe_that_is_nowhere_meets_nothing() {
    let world = world(vec![cube("box", Vec2::ZERO)]);
    let queries = world.queries();
    let partly = [Vec2::ZERO, Vec2::X, Vec2::new(0.5, f32::NAN), Vec2::Y];
    for probe in [
        Probe::around(&[]),
        Probe::around(&partly),
        Probe::point(Vec2::NAN),
        Probe::disc(Vec2::ZERO, f32::INFINITY),
    ] {
        assert_eq!(queries.cast(&probe, Vec2::X, |_| true), None);
        assert_eq!(queries.nearest(&probe, 1.0, |_| true), None);
        assert!(queries.overlapping(&probe, |_| true).is_empty());
    }
    let far = Probe::point(Vec2::new(-5.0, 0.0));
    assert_eq!(queries.cast(&far, Vec2::new(f32::NAN, 0.0), |_| true), None);
    assert_eq!(queries.nearest(&far, f32::NAN, |_| true), None);
    assert!(World::default().queries().cast(&far, Vec2::X, |_| true).is_none());
}

/// What is small and far away is met where formulas in double precision say, and nothing else is.
#[test]
fn long_rays_meet_what_is_small_and_nothing_beside_it() {
    for (radius, distance) in [(0.5_f32, 1000.0_f32), (0.05, 100.0), (0.02, 900.0)] {
        let at = distance * Vec2::new(0.8, 0.6);
        let disc = BodyDef::new("disc", Shape::Disc { radius }, at);
        let world = world(vec![disc]);
        let queries = world.queries();
        let middle = world.pose(world.body("disc").unwrap()).unwrap().center.as_dvec2();
        for k in -20..=20_i16 {
            let beside = radius * f32::from(k) / 15.0;
            let way = 1.5 * (at + beside * Vec2::new(-0.6, 0.8));
            let hit = queries.cast(&Probe::point(Vec2::ZERO), way, |_| true);
            let along = way.as_dvec2().normalize();
            let (passes, off) = (along.dot(middle), along.perp_dot(middle));
            let half = f64::from(radius).powi(2) - off * off;
            match hit {
                Some(hit) => {
                    let at = (passes - half.max(0.0).sqrt()) * along;
                    assert!(hit.point.as_dvec2().distance(at) < 2e-4, "{hit:?}, not {at}");
                }
                None => assert!(half < 1e-6, "missed by {off} with a radius of {radius}"),
            }
        }
    }
}

/// Which way round a piece is does not depend on where it is.
#[test]
fn a_small_box_far_away_holds_its_middle() {
    for k in 0..200_u16 {
        let at = Vec2::new(1000.0 + 0.37 * f32::from(k), 600.0 + 0.11 * f32::from(k));
        let shape = Shape::Box { size: Vec2::splat(0.05) };
        let turned = BodyDef { angle: f32::from(k), ..BodyDef::new("box", shape, at) };
        let world = world(vec![turned]);
        let middle = world.pose(world.body("box").unwrap()).unwrap().center;
        assert_eq!(world.queries().overlapping(&Probe::point(middle), |_| true).len(), 1, "{at}");
    }
}

/// A shape of any kind about the origin.
fn any_shape() -> impl Strategy<Value = Shape> {
    prop_oneof![
        (0.2..1.5_f32, 0.2..1.5_f32).prop_map(|(x, y)| Shape::Box { size: Vec2::new(x, y) }),
        (0.1..0.8_f32).prop_map(|radius| Shape::Disc { radius }),
        (0.2..1.5_f32, 0.1..0.4_f32).prop_map(|(length, radius)| Shape::Capsule { length, radius }),
        Just(Shape::Mesh(soft::Jelly::default().mesh().unwrap())),
    ]
}

fn any_place() -> impl Strategy<Value = Vec2> {
    (-6.0..6.0_f32, -6.0..6.0_f32).prop_map(Vec2::from)
}

fn any_probe() -> impl Strategy<Value = Probe> {
    let corners = proptest::collection::vec((-1.0..1.0_f32, -1.0..1.0_f32), 1..6);
    let radius = prop_oneof![Just(0.0_f32), 0.05..0.6_f32];
    (corners, radius, any_place()).prop_map(|(corners, radius, at)| {
        let corners: Vec<Vec2> =
            corners.into_iter().map(|corner| at + Vec2::from(corner)).collect();
        Probe::around(&corners).grown(radius)
    })
}

fn placed(shapes: Vec<(Shape, Vec2, f32)>) -> Vec<BodyDef> {
    let placed = shapes.into_iter().zip(0..).map(|((shape, at, angle), k)| BodyDef {
        angle,
        ..BodyDef::new(format!("body{k}"), shape, at)
    });
    placed.collect()
}

/// A probe at another place.
fn moved(probe: &Probe, by: Vec2) -> Probe {
    let corners: Vec<Vec2> = probe.corners().iter().map(|corner| *corner + by).collect();
    Probe::around(&corners).grown(probe.radius())
}

/// The widest gap between the corners of two convex shapes along any of the directions that may be the best: across their
/// sides, and from corner to corner. It is how far they are apart, or how deep they are in each other.
fn gap(one: &[Vec2], other: &[Vec2]) -> f32 {
    let sides = |shape: &[Vec2]| -> Vec<Vec2> {
        let next = shape.iter().cycle().skip(1);
        shape.iter().zip(next).map(|(a, b)| (*b - *a).perp()).collect()
    };
    let between = one.iter().flat_map(|a| other.iter().map(move |b| *b - *a));
    let axes = sides(one).into_iter().chain(sides(other)).chain([Vec2::X, Vec2::Y]);
    let axes = axes.flat_map(|axis| [axis, -axis]).chain(between).filter_map(Vec2::try_normalize);
    axes.fold(f32::MIN, |widest, axis| {
        let least = other.iter().map(|p| p.dot(axis)).fold(f32::MAX, f32::min);
        let most = one.iter().map(|p| p.dot(axis)).fold(f32::MIN, f32::max);
        widest.max(least - most)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Distances are those along the best of all directions.
    #[test]
    fn the_nearest_is_where_a_look_from_all_sides_finds_it(
        shapes in proptest::collection::vec((any_shape(), any_place(), -3.0..3.0_f32), 1..12),
        probe in any_probe(),
    ) {
        let world = world(placed(shapes));
        let gaps = world.model.pieces.iter().map(|piece| {
            let outline = world.model.outline(piece).iter();
            let corners: Vec<Vec2> = outline.map(|&i| world.state.position[i as usize]).collect();
            (gap(probe.corners(), &corners) - probe.radius() - piece.radius, piece)
        });
        let gaps: Vec<(f32, &Piece)> = gaps.collect();
        let least = gaps.iter().map(|gap| gap.0).fold(f32::MAX, f32::min);
        let near = world.queries().nearest(&probe, 100.0, |_| true).unwrap();
        let all = world.queries().overlapping(&probe, |_| true);
        prop_assert!((near.distance - least).abs() < OFF, "{near:?}, {least}");
        for (gap, piece) in gaps {
            let body = world.model.bodies[piece.body as usize].handle();
            prop_assert!(gap > -OFF || all.contains(&body), "{gap} of {piece:?} is not found");
        }
        prop_assert_eq!(near.distance <= 0.0, !all.is_empty());
        if near.distance > 0.0 {
            // The place is on the body, and that far from the probe along the normal.
            let of_body = |body: &Body| body.handle() == near.body;
            let back = world.queries().nearest(&Probe::point(near.point), 1.0, of_body).unwrap();
            prop_assert!(back.distance.abs() < OFF, "{back:?}");
            let there = near.point + near.distance * near.normal;
            let on_probe = gap(&[there], probe.corners()) - probe.radius();
            prop_assert!(on_probe.abs() < OFF, "{near:?}: {on_probe}");
        }
    }

    /// A probe that is moved by the part that it was told just touches, and before it nothing is touched.
    #[test]
    fn what_is_cast_goes_as_far_as_it_touches_something(
        shapes in proptest::collection::vec((any_shape(), any_place(), -3.0..3.0_f32), 1..30),
        probe in any_probe(),
        way in any_place(),
    ) {
        let world = world(placed(shapes));
        let queries = world.queries();
        let hit = queries.cast(&probe, way, |_| true);
        let distance = |part: f32| {
            let near = queries.nearest(&moved(&probe, part * way), 100.0, |_| true);
            near.map_or(f32::MAX, |near| near.distance)
        };
        let end = hit.map_or(1.0, |hit| hit.part);
        for k in 0..100_u16 {
            let part = end * f32::from(k) / 100.0;
            prop_assert!(part == end || distance(part) > -OFF, "{hit:?}: {} at {part}", distance(part));
        }
        if let Some(hit) = hit {
            prop_assert!(distance(hit.part) < OFF, "{hit:?}: {}", distance(hit.part));
            let place = Probe::point(hit.point);
            let on = queries.nearest(&place, 1.0, |body| body.handle() == hit.body).unwrap();
            prop_assert!(hit.part == 0.0 || on.distance.abs() < OFF, "{hit:?}: {on:?}");
            prop_assert!((hit.normal.length() - 1.0).abs() < OFF);
            prop_assert!(hit.part == 0.0 || way.dot(hit.normal) <= OFF, "{hit:?} comes from behind");
        }
        let through = queries.cast_through(&probe, way, |_| true);
        prop_assert_eq!(through.first().copied(), hit);
    }
}
