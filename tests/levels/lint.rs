//! Warnings: what the linter says about a level, where, and what it leaves alone.

use sinew::{Level, Severity};

/// The warnings of a level with these items, a line each.
fn warnings(items: &str) -> String {
    warnings_of(&format!("{{ \"format\": 1, \"items\": [\n{items}\n] }}"))
}

fn warnings_of(text: &str) -> String {
    let (level, diagnostics) = Level::examine(text, "test.json");
    assert!(level.is_some(), "{diagnostics:#?}");
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Warning));
    assert_eq!(Level::check(text, "test.json").1, [], "a check finds errors only");
    let line = |d: &sinew::Diagnostic| {
        let help = d.help.as_deref().unwrap_or("no help");
        format!("{}:{} {}: {} ({help})\n", d.line, d.column, d.path, d.message)
    };
    diagnostics.iter().map(line).collect()
}

#[test]
fn shipped_levels_are_free_of_warnings() {
    for (name, text) in Level::BUILTIN {
        let (level, diagnostics) = Level::examine(text, &format!("levels/{name}.json"));
        assert!(level.is_some());
        assert!(diagnostics.is_empty(), "{}", diagnostics[0]);
    }
}

#[test]
fn a_warning_looks_like_an_error() {
    let text = "{ \"format\": 1, \"items\": [\n  { \"type\": \"disc\", \"id\": \"ball\", \
                \"radius\": 1, \"at\": [0, 500] },\n] }";
    let (_, diagnostics) = Level::examine(text, "levels/far.json");
    assert_eq!(
        diagnostics[0].to_string(),
        r#"levels/far.json:2:3: warning: `ball` starts 300 m outside the bounds: it counts as escaped
   2 |   { "type": "disc", "id": "ball", "radius": 1, "at": [0, 500] },
     |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
      at items[0]
      help: the bounds are [-200, -50] to [200, 200]; widen `bounds` or move it"#
    );
}

#[test]
fn bodies_inside_each_other() {
    let items = r#"{ "type": "static", "id": "ground", "box": [10, 1] },
        { "type": "crate", "id": "low", "size": [1, 1], "at": [0, 0.9] },
        { "type": "crate", "id": "on_it", "size": [1, 1], "at": [0, 1.9] },
        { "type": "disc", "id": "just", "radius": 0.5, "at": [3, 0.9995] },
        { "type": "crate", "id": "ghost", "size": [1, 1], "filter": { "mask": 0 } }"#;
    assert_eq!(
        warnings(items),
        "3:9 items[1]: `low` starts 10 cm inside `ground` (move them apart, or keep them from \
         colliding with `filter` if that is meant)\n"
    );
}

#[test]
fn many_findings_about_one_item_are_one_warning() {
    let items = r#"{ "type": "disc", "id": "row", "radius": 0.5,
                     "repeat": { "count": [10, 1], "step": [0.9, 0] } }"#;
    assert_eq!(
        warnings(items),
        "2:1 items[0]: `row.1` starts 10 cm inside `row.0` (and 8 more like it from this item) \
         (move them apart, or keep them from colliding with `filter` if that is meant)\n"
    );
}

#[test]
fn masses_far_apart() {
    let items = r#"{ "type": "crate", "id": "anvil", "size": [1, 1], "at": [0, 0.7], "density": 7850 },
        { "type": "box", "id": "straw", "size": [0.4, 0.2], "at": [0, 0.1], "density": 100 },
        { "type": "disc", "id": "bead", "radius": 0.02, "at": [0.7, 0.7] },
        { "type": "pin", "a": "anvil", "b": "bead", "at": [0.6, 0.7] }"#;
    let remedy = |factor: u32| {
        format!(
            "(keep neighbours within a factor of {factor} by size or density, or raise \
             `world.substeps`)"
        )
    };
    let (touching, joined) = (remedy(100), remedy(1000));
    assert_eq!(
        warnings(items),
        format!(
            "3:9 items[1]: `anvil` (7850 kg) touches `straw` (8 kg), which is 981 times lighter \
             {touching}\n\
             5:9 items[3]: `anvil` (7850 kg) is joined to `bead` (0.754 kg), which is 10411 times \
             lighter {joined}\n"
        )
    );
}

#[test]
fn soft_bodies_start_as_they_are_meant_to() {
    let items = r#"{ "type": "static", "id": "ceiling", "box": [20, 1], "at": [0, 10] },
        { "type": "rope", "at": [-8, 9.5], "to": [-4, 9.5], "length": 5, "hold": "both" },
        { "type": "rope", "id": "cord", "at": [-2, 9.5], "to": [-2, 7], "hold": "start" },
        { "type": "crate", "id": "load", "size": [0.5, 0.5], "at": [-2, 6.75] },
        { "type": "pin", "a": "cord", "b": "load", "at": [-2, 7] },
        { "type": "cloth", "size": [2, 2], "at": [1, 8.5], "hold": "top" },
        { "type": "static", "id": "wall", "box": [1, 3], "at": [-12, 5] },
        { "type": "beam", "at": [-11.5, 5], "to": [-9, 5], "thickness": 0.1, "stiffness": 1e9, "clamp": "start" },
        { "type": "jelly", "id": "car", "box": [2, 1], "stiffness": 2e6, "at": [4, 4] },
        { "type": "balloon", "radius": 0.5, "at": [7, 4], "stretch": 1.5 },
        { "type": "blob", "radius": 0.5, "at": [9, 4], "fill": 1.2 },
        { "type": "disc", "id": "bob", "radius": 0.1, "at": [4, 3] },
        { "type": "spring", "a": "car", "b": "bob", "at": [4, 3.5], "to": [4, 3], "stiffness": 900 },
        { "type": "bridge", "at": [-5, 2], "to": [5, 2], "length": 10.5 }"#;
    assert_eq!(warnings(items), "");
}

#[test]
fn soft_bodies_inside_others() {
    let items = r#"{ "type": "static", "id": "ground", "box": [9, 1], "at": [0, -0.5] },
        { "type": "jelly", "id": "low", "box": [1, 1], "stiffness": 1e5, "at": [0, 0.4] },
        { "type": "rope", "id": "cord", "at": [-4, 0.5], "to": [4, 0.5], "thickness": 0.1, "hold": "both" },
        { "type": "tether", "a": "low", "b": "anvil", "at": [0, 0.5], "to": [6, 3] },
        { "type": "box", "id": "anvil", "size": [6, 6], "density": 30000, "at": [6, 6] }"#;
    let told = warnings(items);
    assert!(told.contains("items[1]: `low` starts 10 cm inside `ground`"), "{told}");
    assert!(told.contains("items[2]: `cord` starts 11.3 cm inside `low`"), "{told}");
    assert!(told.contains("items[3]: `anvil` (1080000 kg) is joined to `low` (1000 kg)"), "{told}");
}

#[test]
fn faster_than_the_step_allows() {
    let items = r#"{ "type": "disc", "id": "bullet", "radius": 0.05, "velocity": [60, 0] },
        { "type": "disc", "id": "ball", "radius": 0.5, "at": [0, 5], "velocity": [59, 0] },
        { "type": "disc", "id": "stone", "radius": 0.2, "at": [0, 7], "velocity": [60, 0] },
        { "type": "disc", "id": "light", "radius": 0.05, "at": [0, 9], "velocity": [9000, 0] }"#;
    assert_eq!(
        warnings(items),
        "2:1 items[0]: `bullet` moves 12.5 cm in a sub-step, more than half its width of 10 cm: it \
         may pass through thin bodies (raise `world.substeps` from 8 to 20, or let it start \
         slower)\n\
         4:9 items[2]: `stone` moves 1 m in a step, more than its extent of 40 cm: it may pass \
         through thin bodies (raise `world.hz` from 60 to 150, or let it start slower)\n\
         5:9 items[3]: `light` moves 18.8 m in a sub-step, more than half its width of 10 cm: it \
         may pass through thin bodies (let it start slower, or make it larger)\n"
    );
}

#[test]
fn materials_that_nothing_uses() {
    let text = r##"{ "format": 1,
  "materials": {
    "balsa": { "density": 160 },
    "cheese": { "density": 1100 },
    "wood": { "color": "#ffffff" },
  },
  "items": [{ "type": "disc", "radius": 1, "material": "balsa" }] }"##;
    assert_eq!(
        warnings_of(text),
        "4:5 materials.cheese: the material `cheese` is never used (name it in an item, or remove \
         it from `materials`)\n"
    );
}

#[test]
fn prefabs_that_nothing_uses() {
    let text = r#"{ "format": 1,
  "prefabs": {
    "tyre": { "items": [{ "type": "disc", "radius": 0.4 }] },
    "cart": { "items": [{ "type": "tyre" }] },
    "sled": { "items": [{ "type": "box", "size": [1, 0.2] }] },
  },
  "items": [{ "type": "cart" }] }"#;
    assert_eq!(
        warnings_of(text),
        "5:5 prefabs.sled: the prefab `sled` is never used (name it in an item, or remove it from \
         `prefabs`)\n"
    );
}

#[test]
fn bodies_outside_the_bounds() {
    let text = r#"{ "format": 1, "bounds": { "min": [-5, -5], "max": [5, 5] }, "items": [
  { "type": "static", "box": [99, 1], "at": [40, -2] },
  { "type": "disc", "id": "in", "radius": 1, "at": [4.9, 0] },
  { "type": "disc", "id": "out", "radius": 1, "at": [8, 0] } ] }"#;
    assert_eq!(
        warnings_of(text),
        "4:3 items[2]: `out` starts 3 m outside the bounds: it counts as escaped (the bounds are \
         [-5, -5] to [5, 5]; widen `bounds` or move it)\n"
    );
}

/// Worse than a warning: a promise about nothing could neither be kept nor broken.
#[test]
fn promises_about_bodies_that_are_not_there() {
    let text = r#"{ "format": 1, "items": [{ "type": "disc", "id": "ball", "radius": 1 }],
  "expect": [{ "at": 1, "body": "bal", "y_below": 0 }] }"#;
    let (level, diagnostics) = Level::examine(text, "x.json");
    assert!(level.is_none());
    let [found] = diagnostics.as_slice() else { panic!("{diagnostics:#?}") };
    assert_eq!((found.severity, found.line, found.column), (Severity::Error, 2, 33));
    assert_eq!(found.message, "no body has the id `bal`");
    assert_eq!(found.help.as_deref(), Some("did you mean `ball`?"));
}

#[test]
fn promises_for_other_solvers_only() {
    let text = r#"{ "format": 1, "items": [{ "type": "disc", "id": "ball", "radius": 1 }],
  "expect": [
    { "at": 1, "body": "ball", "y_below": -4, "solvers": ["impulse"] },
  ] }"#;
    assert_eq!(
        warnings_of(text),
        "3:5 expect[0]: no promise is made for `verlet`, the solver of this level (add `verlet` to \
         `solvers`, or change `world.solver`)\n"
    );
    assert_eq!(warnings_of(&text.replace("[\"impulse\"]", "[\"impulse\", \"verlet\"]")), "");
}

#[test]
fn edges_that_start_stretched() {
    let level = Level::parse(
        r#"{ "format": 1, "items": [{ "type": "crate", "id": "a", "size": [1, 1] }] }"#,
        "x.json",
    )
    .unwrap();
    let mut world = sinew::World::build(&level.scene).unwrap();
    assert_eq!(sinew::lint::findings(&level.scene, &[], &world), []);
    world.state.position[0].x -= 0.1;
    let findings = sinew::lint::findings(&level.scene, &[], &world);
    assert_eq!(findings.len(), 1);
    assert_eq!(findings[0].message, "an edge of `a` starts 10.5 % longer than at rest");
}

#[test]
fn a_level_with_errors_has_no_warnings() {
    let text = r#"{ "format": 1, "materials": { "unused": {} }, "items": [{ "type": "disk" }] }"#;
    let (level, diagnostics) = Level::examine(text, "x.json");
    assert!(level.is_none());
    assert!(diagnostics.iter().all(|diagnostic| diagnostic.severity == Severity::Error));
}

/// A strip of `cells` square cells, a metre wide each, with a diagonal in all but those left out; the
/// lower points are even, the upper ones odd.
fn strip(cells: u32, soft: bool, left_out: &[u32]) -> sinew::Mesh {
    use sinew::{Mesh, MeshEdge, MeshPoint, Vec2};
    let point = |i: u32| MeshPoint {
        position: Vec2::new((i / 2) as f32, (i % 2) as f32),
        mass: 1.0,
        pinned: false,
    };
    let mut mesh =
        Mesh { points: (0..2 * cells + 2).map(point).collect(), soft, ..Mesh::default() };
    mesh.edges.push(MeshEdge::stiff(0, 1));
    for cell in 0..cells {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| 2 * cell + k);
        mesh.edges.extend([(a, c), (b, d), (c, d)].map(|(a, b)| MeshEdge::stiff(a, b)));
        if !left_out.contains(&cell) {
            mesh.edges.push(MeshEdge::stiff(a, d));
        }
        mesh.pieces.push(vec![a, c, d, b]);
    }
    mesh
}

fn findings_of(mesh: sinew::Mesh) -> Vec<(String, String)> {
    use sinew::{BodyDef, Scene, Shape, Vec2, World, lint};
    let mut scene = Scene::default();
    scene.bodies.push(BodyDef::new("strip", Shape::Mesh(mesh), Vec2::ZERO));
    let world = World::build(&scene).unwrap();
    let found = lint::findings(&scene, &[], &world).into_iter();
    found.map(|found| (found.message, found.help)).collect()
}

#[test]
fn vertices_that_no_edge_holds_are_named() {
    let told = |mesh| -> String {
        findings_of(mesh).into_iter().map(|(message, help)| format!("{message} ({help})")).collect()
    };
    let moves = "can move without any edge changing its length";
    // Soft lattices are as they are made.
    assert_eq!(told(strip(4, true, &[])), "");
    assert_eq!(
        told(strip(4, true, &[3])),
        format!("`strip` is not braced at vertices 8 and 9: they {moves} (add the edge 6–9)")
    );
    // One more vertex at the end, on a single edge.
    let mut dangling = strip(4, true, &[]);
    let position = sinew::Vec2::new(4.5, 1.5);
    dangling.points.push(sinew::MeshPoint { position, ..dangling.points[0] });
    dangling.edges.push(sinew::MeshEdge::stiff(9, 10));
    dangling.pieces.push(vec![8, 10, 9]);
    assert_eq!(
        told(dangling),
        format!("`strip` is not braced at vertex 10: it {moves} (add the edge 7–10)")
    );
    // A rigid body is braced when it is built, unless it is large.
    assert_eq!(told(strip(4, false, &[1, 3])), "");
    assert_eq!(told(strip(60, false, &[])), "");
    assert_eq!(
        told(strip(60, false, &[50])),
        format!(
            "`strip` is not braced at vertices 102, 103, 104, 105, 106, 107 and 14 more: they \
             {moves} (add the edge 100–103)"
        )
    );
    // The world holds what is pinned.
    let mut pinned = strip(4, true, &[3]);
    for point in [0, 1, 8, 9] {
        pinned.points[point].pinned = true;
    }
    assert_eq!(told(pinned), "");
}

#[test]
fn a_vertex_between_two_others_on_a_line_gives_way_across_it() {
    let mut mesh = strip(1, true, &[]);
    // In the middle of the lower side, and held by its halves alone.
    mesh.points.push(sinew::MeshPoint { position: sinew::Vec2::new(0.5, 0.0), ..mesh.points[0] });
    mesh.edges.extend([(0, 4), (4, 2)].map(|(a, b)| sinew::MeshEdge::stiff(a, b)));
    mesh.pieces[0] = vec![0, 4, 2, 3, 1];
    let found = findings_of(mesh);
    assert_eq!(found.len(), 1);
    assert!(found[0].0.contains("at vertex 4: it"), "{}", found[0].0);
    assert!(found[0].1.contains("two others that do not lie on one line"), "{}", found[0].1);
}

#[test]
fn soft_bodies_that_are_meant_to_give_are_braced_enough() {
    let items = r#"{ "type": "rope", "at": [0, 5], "to": [4, 5], "thickness": 0.08 },
        { "type": "beam", "at": [0, 8], "to": [3, 8], "thickness": 0.1, "stiffness": 2e8 },
        { "type": "cloth", "size": [2, 1.5], "at": [10, 4], "cell": 0.2, "hold": "top" },
        { "type": "jelly", "at": [20, 1], "disc": 1, "stiffness": 2e5 },
        { "type": "blob", "radius": 0.5, "at": [30, 1] },
        { "type": "balloon", "radius": 0.5, "at": [40, 2], "stretch": 1.3 }"#;
    assert_eq!(warnings(items), "");
}

#[test]
fn what_only_the_building_of_a_world_refuses_is_told_where_it_is_written() {
    let text = "{ \"format\": 1, \"items\": [\n\
                { \"type\": \"jelly\", \"id\": \"j\", \"box\": [0.4, 0.6], \"stiffness\": 1e5, \"at\": [0, 1] },\n\
                { \"type\": \"disc\", \"id\": \"w\", \"radius\": 0.3, \"at\": [1.1, 1] },\n\
                { \"type\": \"wheel\", \"a\": \"j\", \"b\": \"w\", \"at\": [1.1, 1], \"stiffness\": 1e4 } ] }";
    let (level, diagnostics) = Level::examine(text, "wheel.json");
    assert!(level.is_none());
    let [found] = &diagnostics[..] else { panic!("{diagnostics:?}") };
    assert_eq!((found.severity, found.line, found.path.as_str()), (Severity::Error, 4, "items[2]"));
    assert!(found.message.contains("too far outside the soft body `j`"), "{found}");
}
