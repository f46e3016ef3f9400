//! Contacts of simple figures against what a ruler says.

use super::*;
use crate::scene::{BodyDef, Scene, Shape};
use crate::world::World;
use approx::assert_relative_eq;
use proptest::prelude::*;

fn crate_at(x: f32, y: f32, angle: f32) -> BodyDef {
    let mut def = BodyDef::new("", Shape::Box { size: Vec2::ONE }, Vec2::new(x, y));
    def.angle = angle;
    def
}

fn disc_at(x: f32, y: f32) -> BodyDef {
    BodyDef::new("", Shape::Disc { radius: 0.5 }, Vec2::new(x, y))
}

fn capsule_at(x: f32, y: f32) -> BodyDef {
    BodyDef::new("", Shape::Capsule { length: 1.0, radius: 0.25 }, Vec2::new(x, y))
}

fn pair(a: BodyDef, b: BodyDef) -> World {
    let a = BodyDef { id: "a".into(), ..a };
    let b = BodyDef { id: "b".into(), ..b };
    World::build(&Scene { bodies: vec![a, b], ..Scene::default() }).unwrap()
}

/// Contacts of two bodies, and a check that each means what it says: pushing the vertex out by the
/// depth along the normal leaves no overlap there.
fn contacts(a: BodyDef, b: BodyDef, margin: f32) -> Vec<Contact> {
    let world = pair(a, b);
    let positions = &world.state.position;
    let found = touch(Scenery::new(&world.model, positions), (0, 1), margin);
    for contact in found.iter() {
        assert_relative_eq!(contact.normal.length(), 1.0, epsilon = 1e-5);
        assert!((0.0..=1.0).contains(&contact.t), "{contact:?}");
        let radii: f32 = world.model.pieces.iter().map(|piece| piece.radius).sum();
        assert_relative_eq!(contact.depth_at(positions, radii), contact.depth, epsilon = 1e-5);
        let towards = positions[contact.vertex as usize] - contact.edge_point(positions);
        let aside = towards - towards.dot(contact.normal) * contact.normal;
        assert!(aside.length() < 1e-5, "the vertex lies along the normal: {contact:?}");
    }
    found.to_vec()
}

#[test]
fn crate_on_crate_has_two_contacts_at_the_ends_of_the_overlap() {
    for shift in [0.0, 0.3, -0.3, 0.9] {
        let found = contacts(crate_at(0.0, 0.0, 0.0), crate_at(shift, 0.99, 0.0), 0.0);
        assert_eq!(found.len(), 2, "shift {shift}");
        for contact in found {
            assert_relative_eq!(contact.depth, 0.01, epsilon = 1e-5);
            assert_relative_eq!(contact.normal.y.abs(), 1.0, epsilon = 1e-5);
        }
    }
}

#[test]
fn a_crate_has_two_contacts_with_ground_of_any_width() {
    for width in [10.0, 1e3, 1e5] {
        let mut ground = BodyDef::new("", Shape::Box { size: Vec2::new(width, 1.0) }, Vec2::ZERO);
        ground.kind = crate::scene::BodyKind::Static;
        let world = pair(ground, crate_at(3.0, 0.99, 0.0));
        let found = touch(Scenery::new(&world.model, &world.state.position), (0, 1), 0.0);
        assert_eq!(found.len(), 2, "{width} m");
        for contact in found.iter() {
            assert_relative_eq!(contact.depth, 0.01, epsilon = 1e-5);
        }
    }
}

#[test]
fn corner_on_face_has_one_contact() {
    let tilt = std::f32::consts::FRAC_PI_4;
    let height = 0.5 + 0.5_f32.sqrt() - 0.02;
    let found = contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.1, height, tilt), 0.0);
    assert_eq!(found.len(), 1);
    assert_relative_eq!(found[0].depth, 0.02, epsilon = 1e-4);
    assert_relative_eq!(found[0].normal.y, 1.0, epsilon = 1e-4);
}

#[test]
fn discs_meet_along_their_centres() {
    let found = contacts(disc_at(0.0, 0.0), disc_at(0.6, 0.6), 0.0);
    assert_eq!(found.len(), 1);
    assert_relative_eq!(found[0].depth, 1.0 - 0.72_f32.sqrt(), epsilon = 1e-5);
    assert_relative_eq!(found[0].normal.x, 0.5_f32.sqrt(), epsilon = 1e-5);
    assert!(contacts(disc_at(0.0, 0.0), disc_at(0.8, 0.8), 0.0).is_empty());
}

#[test]
fn disc_on_crate_face_and_corner() {
    let face = contacts(crate_at(0.0, 0.0, 0.0), disc_at(0.2, 0.95), 0.0);
    assert_eq!(face.len(), 1);
    assert_relative_eq!(face[0].depth, 0.05, epsilon = 1e-5);
    assert_relative_eq!(face[0].normal.y, 1.0, epsilon = 1e-5);

    let corner = contacts(crate_at(0.0, 0.0, 0.0), disc_at(0.8, 0.8), 0.0);
    assert_eq!(corner.len(), 1);
    assert_relative_eq!(corner[0].depth, 0.5 - 0.18_f32.sqrt(), epsilon = 1e-5);
    assert_relative_eq!(corner[0].normal.x, 0.5_f32.sqrt(), epsilon = 1e-4);
    assert!(contacts(crate_at(0.0, 0.0, 0.0), disc_at(0.9, 0.9), 0.0).is_empty());
}

#[test]
fn capsule_lies_flat_on_two_contacts_and_meets_a_disc_at_its_end() {
    let flat = contacts(crate_at(0.0, 0.0, 0.0), capsule_at(0.1, 0.74), 0.0);
    assert_eq!(flat.len(), 2);
    for contact in flat {
        assert_relative_eq!(contact.depth, 0.01, epsilon = 1e-5);
    }
    let end = contacts(capsule_at(0.0, 0.0), disc_at(1.0, 0.5), 0.0);
    assert_eq!(end.len(), 1);
    assert_relative_eq!(end[0].depth, 0.75 - 0.5_f32.sqrt(), epsilon = 1e-5);
    let crossed = contacts(capsule_at(0.0, 0.0), capsule_at(0.2, 0.3), 0.0);
    assert_eq!(crossed.len(), 2, "parallel capsules");
}

#[test]
fn margin_finds_gaps() {
    assert!(contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 1.05, 0.0), 0.01).is_empty());
    let near = contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 1.05, 0.0), 0.1);
    assert_eq!(near.len(), 2);
    assert_relative_eq!(near[0].depth, -0.05, epsilon = 1e-5);
}

#[test]
fn exactly_touching_counts_as_contact_of_no_depth() {
    let found = contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 1.0, 0.0), 0.0);
    assert_eq!(found.len(), 2);
    assert!(found.iter().all(|contact| contact.depth == 0.0));
    let discs = contacts(disc_at(0.0, 0.0), disc_at(1.0, 0.0), 0.0);
    assert_eq!(discs.len(), 1);
}

#[test]
fn coincident_figures_have_a_fixed_answer() {
    let discs = contacts(disc_at(0.0, 0.0), disc_at(0.0, 0.0), 0.0);
    assert_eq!(discs[0].normal, Vec2::Y);
    assert_relative_eq!(discs[0].depth, 1.0);
    // A disc exactly on a capsule's centre line.
    let on_line = contacts(capsule_at(0.0, 0.0), disc_at(0.0, 0.0), 0.0);
    assert_eq!(on_line.len(), 1);
    assert_relative_eq!(on_line[0].depth, 0.75, epsilon = 1e-6);
    for _ in 0..3 {
        let crates = contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 0.0, 0.0), 0.0);
        assert_eq!(crates, contacts(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 0.0, 0.0), 0.0));
        assert!(crates.iter().all(|contact| contact.depth.is_finite()));
    }
}

#[test]
fn collapsed_edges_are_skipped() {
    let world = pair(crate_at(0.0, 0.0, 0.0), crate_at(0.0, 0.9, 0.0));
    let mut positions = world.state.position.clone();
    // Two corners in one place, then the whole crate in one point.
    positions[6] = positions[7];
    let touching = touch(Scenery::new(&world.model, &positions), (0, 1), 0.0);
    assert!(!touching.is_empty() && touching.iter().all(|c| c.depth.is_finite()));
    positions[5..10].fill(Vec2::new(0.1, 0.4));
    let point = touch(Scenery::new(&world.model, &positions), (0, 1), 0.0);
    assert_eq!(point.len(), 1);
    assert_relative_eq!(point[0].depth, 0.1, epsilon = 1e-5);
    assert_relative_eq!(point[0].normal.y, 1.0);
}

#[test]
fn the_answer_does_not_depend_on_which_piece_comes_first() {
    let mut angle = 0.0;
    while angle < 6.3 {
        let here = contacts(crate_at(0.0, 0.0, angle), crate_at(0.7, 0.6, 2.0 * angle), 0.0);
        let there = contacts(crate_at(0.7, 0.6, 2.0 * angle), crate_at(0.0, 0.0, angle), 0.0);
        let deepest = |found: &[Contact]| found.iter().map(|c| c.depth).fold(-1.0, f32::max);
        assert!((deepest(&here) - deepest(&there)).abs() <= AXIS_BIAS, "at {angle}");
        angle += 0.1;
    }
}

#[test]
fn capsules_in_one_line_meet_tip_to_tip() {
    assert!(contacts(capsule_at(0.0, 0.0), capsule_at(1.6, 0.0), 0.0).is_empty());
    for (x, y) in [(1.45, 0.0), (-1.45, 0.0), (1.45, 1e-6), (1.45, 0.05)] {
        let found = contacts(capsule_at(0.0, 0.0), capsule_at(x, y), 0.0);
        assert_eq!(found.len(), 1, "at {x}, {y}");
        let distance = (x.abs() - 1.0).hypot(y);
        assert_relative_eq!(found[0].depth, 0.5 - distance, epsilon = 1e-5);
        assert!(found[0].normal.x.abs() > 0.9);
    }
    let ahead = contacts(capsule_at(0.0, 0.0), disc_at(1.2, 0.0), 0.0);
    assert_relative_eq!(ahead[0].depth, 0.05, epsilon = 1e-5);
    assert_relative_eq!(ahead[0].normal.x, 1.0, epsilon = 1e-5);
}

#[test]
fn round_pieces_overlap_by_their_true_distance() {
    // Against the distance between two segments found by brute force.
    let mut seed = 1_u32;
    let mut random = || {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (seed >> 8) as f32 / (1 << 24) as f32
    };
    for _ in 0..2000 {
        let (x, y, turn) = (3.0 * random() - 1.5, 2.0 * random() - 1.0, 6.3 * random());
        let mut b = capsule_at(x, y);
        b.angle = turn;
        let half = Vec2::from_angle(turn) * 0.5;
        let (p, q) = (Vec2::new(x, y) - half, Vec2::new(x, y) + half);
        let mut distance = f32::INFINITY;
        for k in 0..=1000 {
            let on_b = p.lerp(q, k as f32 / 1000.0);
            let on_a = Vec2::new(on_b.x.clamp(-0.5, 0.5), 0.0);
            distance = distance.min(on_a.distance(on_b));
        }
        let found = contacts(capsule_at(0.0, 0.0), b, 0.0);
        let deepest = found.iter().map(|contact| contact.depth).fold(0.0, f32::max);
        if distance > 0.01 {
            assert!((deepest - (0.5 - distance).max(0.0)).abs() < 2e-3, "{x} {y} {turn}");
        } else {
            assert!(deepest > 0.45, "crossing: {x} {y} {turn}");
        }
    }
}

/// Figures of one to four vertices, anywhere, some of them in the same place.
fn figure() -> impl Strategy<Value = Vec<Vec2>> {
    let place = prop_oneof![
        (-1.0_f32..1.0, -1.0_f32..1.0),
        (-1..2, -1..2).prop_map(|(x, y)| (x as f32, y as f32)),
    ];
    prop::collection::vec(place.prop_map(Vec2::from), 1..5)
}

/// A crate, a disc or a capsule.
fn turned(kind: u32, at: (f32, f32), angle: f32) -> BodyDef {
    let body = match kind {
        0 => crate_at(at.0, at.1, 0.0),
        1 => disc_at(at.0, at.1),
        _ => capsule_at(at.0, at.1),
    };
    BodyDef { angle, ..body }
}

proptest! {
    #[test]
    fn who_stays_wider_does_not_touch_on_the_way(
        (a, b) in (0..3_u32, 0..3_u32),
        angles in (-3.0_f32..3.0, -3.0_f32..3.0),
        at in (-3.0_f32..3.0, -3.0_f32..3.0),
        ways in prop::collection::vec((-3.0_f32..3.0, -3.0_f32..3.0), 8),
        apart in (0.0_f32..0.2, 0.0_f32..0.2),
    ) {
        let world = pair(turned(a, (0.0, 0.0), angles.0), turned(b, at, angles.1));
        let from = &world.state.position;
        let travel = |point: u32| Vec2::from(ways[point as usize % ways.len()]);
        let scenery = Scenery::new(&world.model, from);
        let mut room = Room::default();
        let look = Look::new(scenery, (0, 1), &mut room);
        if look.stays_wider(travel, [apart.0, apart.1]) {
            for step in 0..=16 {
                let part = step as f32 / 16.0;
                let on_way: Vec<Vec2> =
                    (0..).zip(from).map(|(point, at)| *at + part * travel(point)).collect();
                let margin = if step == 0 { apart.0 } else { apart.1 } - 1e-4;
                let touch = touch(Scenery::new(&world.model, &on_way), (0, 1), margin);
                prop_assert!(touch.is_empty(), "{} at {part}", touch[0].depth);
            }
        }
    }

    #[test]
    fn who_comes_by_less_than_the_gap_does_not_touch(
        (a, b) in (0..3_u32, 0..3_u32),
        angles in (-3.0_f32..3.0, -3.0_f32..3.0),
        at in (-3.0_f32..3.0, -3.0_f32..3.0),
        way in -3.0_f32..3.0,
    ) {
        let world = pair(turned(a, (0.0, 0.0), angles.0), turned(b, at, angles.1));
        let scenery = Scenery::new(&world.model, &world.state.position);
        if let Err(gap) = Look::new(scenery, (0, 1), &mut Room::default()).touch(0.0) {
            prop_assert!(gap > 0.0);
            let mut positions = world.state.position.clone();
            for point in world.model.bodies[1].point_range() {
                positions[point] += (gap - 1e-4) * Vec2::from_angle(way);
            }
            prop_assert!(touch(Scenery::new(&world.model, &positions), (0, 1), 0.0).is_empty());
        }
    }

    #[test]
    fn four_at_once_are_the_same_as_one_by_one(a in figure(), b in figure()) {
        let points: Vec<u32> = (0..(a.len() + b.len()) as u32).collect();
        let positions: Vec<Vec2> = a.iter().chain(&b).copied().collect();
        let (of_a, of_b) = points.split_at(a.len());
        let core = |points, four| Core { piece: 0, points, positions: &positions, rims: &[], four };
        let plain = [core(of_a, None), core(of_b, None)];
        let fours = [of_a, of_b].map(|points| Four::new(points, &positions));
        let quick = [core(of_a, fours[0].as_ref()), core(of_b, fours[1].as_ref())];
        for (plain, quick) in plain.iter().zip(&quick) {
            prop_assert!(quick.four.is_some());
            for edge in 0..plain.points.len() {
                let wanted = if plain.edges().is_empty() { None } else { plain.normal(edge) };
                prop_assert_eq!(quick.normal(edge), wanted);
            }
        }
        let wanted = best_axis(&plain[0], &plain[1]);
        let found = best_axis(&quick[0], &quick[1]);
        prop_assert_eq!(found.map(|axis| axis.edge), wanted.map(|axis| axis.edge));
        prop_assert_eq!(found.map(|axis| axis.separation), wanted.map(|axis| axis.separation));
        // Five vertices are too many.
        let five: Vec<u32> = (0..5).map(|k| k % points.len() as u32).collect();
        prop_assert!(Four::new(&five, &positions).is_none());
    }
}
