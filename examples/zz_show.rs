fn main() {
    for path in std::env::args().skip(1) {
        match sinew::Level::load(path.as_ref()) {
            Ok(l) => println!(
                "{}: {} bodies {} joints {} expects; world {:?}",
                l.name,
                l.scene.bodies.len(),
                l.scene.joints.len(),
                l.expect.len(),
                sinew::World::build(&l.scene).map(|w| w.model.point_count())
            ),
            Err(e) => println!("{e}\n[{}]", e.count()),
        }
    }
}
