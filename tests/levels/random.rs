//! Random and damaged level files: refused or built, never a panic.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use sinew::{Level, World};

use super::with_items;

/// Whatever the loader accepts can be built: the two must not drift apart.
fn accepted_means_buildable(text: &str) {
    let (level, diagnostics) = Level::check(text, "random.json");
    for diagnostic in &diagnostics {
        assert!(diagnostic.line >= 1 && diagnostic.column >= 1 && !diagnostic.message.is_empty());
        let _ = diagnostic.to_string();
    }
    if let Some(level) = level {
        World::build(&level.scene).unwrap_or_else(|e| panic!("{e}\n{text}"));
    }
}

/// Numbers that hurt.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("0".to_owned()),
        Just("-1".to_owned()),
        Just("1e-30".to_owned()),
        Just("1e-4".to_owned()),
        Just("1e6".to_owned()),
        Just("1e38".to_owned()),
        Just("360".to_owned()),
        Just("4294967295".to_owned()),
        Just("null".to_owned()),
        Just("\"x\"".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        (-10.0..10.0_f64).prop_map(|x| format!("{x:.3}")),
        (0..4_u32).prop_map(|x| x.to_string()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, rng_seed: RngSeed::Fixed(400), failure_persistence: None, ..Default::default() })]

    #[test]
    fn random_text_never_panics(text in "[\\PC\\n\"\\[\\]{},:0-9a-z/*]{0,200}") {
        accepted_means_buildable(&text);
    }

    #[test]
    fn damaged_levels_never_panic(
        level in 0..Level::BUILTIN.len(),
        cut in 0.0..1.0_f64,
        length in 0..12_usize,
        filler in "[\\PC\"\\[\\]{},:0-9.e-]{0,6}",
    ) {
        let text = Level::BUILTIN[level].1;
        let boundary = |byte: usize| (0..=byte.min(text.len())).rev().find(|&b| text.is_char_boundary(b)).unwrap_or(0);
        let start = boundary((cut * text.len() as f64) as usize);
        let end = boundary(start + length).max(start);
        accepted_means_buildable(&format!("{}{filler}{}", &text[..start], &text[end..]));
    }

    #[test]
    fn strange_numbers_are_refused_or_built(numbers in prop::collection::vec(number(), 16)) {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = <[String; 16]>::try_from(numbers).unwrap();
        accepted_means_buildable(&with_items(&format!(
            r#"{{ "type": "box", "id": "a", "size": [{a}, {b}], "at": [{c}, {d}], "angle": {e}, "density": {f} }},
               {{ "type": "capsule", "id": "b", "length": {g}, "radius": {h}, "velocity": [{i}, {j}] }},
               {{ "type": "polygon", "vertices": [[{a}, {k}], [{l}, {m}], [{n}, {o}], [{b}, {p}]] }},
               {{ "type": "disc", "radius": {b}, "repeat": {{ "count": [{c}, {d}], "step": [{e}, {f}] }} }},
               {{ "type": "ragdoll", "height": {g}, "spin": {h}, "at": [{i}, {j}], "angle": {k} }},
               {{ "type": "pin", "a": "a", "b": "b", "at": [{l}, {m}], "limits": [{n}, {o}] }}"#
        )));
    }

    #[test]
    fn polygons_are_refused_or_built(
        vertices in prop::collection::vec((-3..4_i32, -3..4_i32), 2..8),
        scale in prop_oneof![Just(1.0), Just(1e-4), Just(1e-3), Just(1e5), Just(0.37)],
    ) {
        let list: Vec<String> = vertices
            .iter()
            .map(|&(x, y)| format!("[{}, {}]", f64::from(x) * scale, f64::from(y) * scale))
            .collect();
        let item = format!(r#"{{ "type": "polygon", "vertices": [{}] }}"#, list.join(", "));
        accepted_means_buildable(&with_items(&item));
    }
}
