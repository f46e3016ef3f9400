//! Which quad, and which bundle, each constraint is in.

use super::*;

proptest! {
    #[test]
    fn what_shares_a_body_stays_in_order_and_out_of_one_quad(
        raw in prop::collection::vec((0..BODIES as u32, 1..BODIES as u32), 0..100)
    ) {
        let nodes = boxes(&[(0.0, 0.0, 0.0); BODIES]);
        let pair = |(a, by): (u32, u32)| [a, (a + by) % BODIES as u32];
        let pairs: Vec<[u32; 2]> = raw.into_iter().map(pair).collect();
        let mut quads = Quads::default();
        quads.arrange(&[], &[], pairs.iter().copied(), &Threads::default(), &nodes);
        let place = |[bundle, lane]: [u32; 2]| (bundle, lane / 4);
        for later in 0..pairs.len() {
            let (at, pair) = (quads.spots.get(later), pairs[later]);
            for (earlier, other) in pairs[..later].iter().enumerate() {
                prop_assert_ne!(quads.spots.get(earlier), at);
                // The first box is fixed.
                if other.iter().any(|node| *node > 0 && pair.contains(node)) {
                    let before = place(quads.spots.get(earlier));
                    prop_assert_eq!(before.0, place(at).0);
                    prop_assert!(before.1 < place(at).1);
                }
            }
        }
    }
}

#[test]
fn four_that_share_nothing_but_the_ground_fill_a_quad() {
    let mut quads = Quads::default();
    let nodes = boxes(&[(0.0, 0.0, 0.0); BODIES]);
    quads.arrange(&[], &[], (1..9).map(|node| [0, node]), &Threads::default(), &nodes);
    assert_eq!(quads.bundles[0].manifolds.quads.len(), 2);
}

const SIDE: u32 = 100;

/// Discs in a square, and the pairs of those that are next to each other: a pile that is cut into four parts.
pub(super) fn square() -> (Nodes, Vec<[u32; 2]>) {
    let at = |k: u32| Vec2::new((k % SIDE) as f32, (k / SIDE) as f32);
    let disc = |k: u32| BodyDef::new(format!("disc{k}"), Shape::Disc { radius: 0.5 }, at(k));
    let nodes = nodes_of((0..SIDE * SIDE).map(disc).collect());
    let right = (0..SIDE * SIDE).filter(|k| k % SIDE + 1 < SIDE).map(|k| [k, k + 1]);
    let up = (0..SIDE * (SIDE - 1)).map(|k| [k, k + SIDE]);
    (nodes, right.chain(up).collect())
}

/// Whether each constraint is in a seam.
pub(super) fn are_sewn(quads: &Quads) -> Vec<bool> {
    let [wholes, parts, _] = quads.division.counts();
    let of = |index: usize| quads.spots.get(index)[0] as usize >= wholes + parts;
    (0..quads.pairs.len()).map(of).collect()
}

/// One body can have very many constraints.
#[test]
fn a_pile_of_fewer_bodies_than_parts_leaves_parts_empty() {
    let nodes = boxes(&[(0.0, 0.0, 0.0); BODIES]);
    for count in [1, 2, 5] {
        // The first box is fixed.
        let pairs = (0..20_000).map(|k| [k % count, count]);
        let mut quads = Quads::default();
        quads.arrange(&[], &[], pairs, &Threads::default(), &nodes);
        let [wholes, parts, seams] = quads.division.counts();
        assert_eq!((wholes, parts), (0, 4), "{seams} seams");
        let nowhere = (0..20_000).find(|index| quads.spots.get(*index)[0] as usize >= 4 + seams);
        assert_eq!(nowhere, None);
    }
}

#[test]
fn a_large_pile_is_cut_into_parts_that_share_no_body() {
    let (nodes, pairs) = square();
    let mut quads = Quads::default();
    quads.arrange(&[], &[], pairs.into_iter(), &Threads::default(), &nodes);
    assert_eq!(quads.division.counts(), [0, 4, 2]);
    // Whose each node is, among parts and among seams.
    let mut owners = [vec![None; nodes.len()], vec![None; nodes.len()]];
    let sewn = are_sewn(&quads);
    for (index, pair) in quads.pairs.iter().enumerate() {
        let [bundle, _] = quads.spots.get(index);
        for node in pair {
            let owner = &mut owners[usize::from(sewn[index])][*node as usize];
            assert_eq!(*owner.get_or_insert(bundle), bundle);
        }
    }
    // One row of neighbours between two parts.
    assert_eq!(sewn.iter().filter(|is_sewn| **is_sewn).count() as u32, 3 * SIDE);
}
