//! What a game asks of a world beside where its bodies are: what a ray meets, whether there is room, who is near, who hits
//! whom and how hard. A guard looks for a ball that rolls behind crates; a bang throws these about.
//!
//! ```console
//! $ cargo run --example senses
//! ```

use std::error::Error;

use sinew::{Body, BodyDef, BodyId, ContactEvent, Probe, Scene, Shape, Sim, Vec2};

/// Where the guard's eye is.
const EYE: Vec2 = Vec2::new(-6.0, 1.6);
/// How far a bang reaches, m, and the speed that it gives there where it is, m/s.
const REACH: f32 = 3.0;
const SPEED: f32 = 9.0;
/// What hits more softly is not heard, m/s.
const LOUD: f32 = 1.5;

fn main() -> Result<(), Box<dyn Error>> {
    let mut sim = Sim::new(&scene())?;
    sim.watch_contacts(true);
    let ball = sim.world().body("ball").ok_or("the scene has no ball")?;
    let mut in_sight = false;
    for frame in 0..300_u32 {
        sim.step()?;
        let time = f64::from(frame) / 60.0;

        let seen = sees(&sim, ball)?;
        if seen != in_sight {
            in_sight = seen;
            println!(
                "{time:5.2} s  the ball {}",
                if seen { "comes into sight" } else { "is hidden" }
            );
        }
        for event in sim.contact_events() {
            let ContactEvent::Began(pair) = event else { continue };
            let [a, b] = pair.bodies.map(|body| named(&sim, body));
            let speed = pair.impulse.length() / a.mass.min(b.mass);
            if speed > LOUD {
                println!("{time:5.2} s  {} hits {} at {speed:.1} m/s", b.id, a.id);
            }
        }
        if frame == 150 {
            let at = Vec2::new(1.5, 0.1);
            let thrown = bang(&mut sim, at)?;
            println!("{time:5.2} s  bang! {thrown} bodies fly");
        }
    }

    // Is there room for a guard who walks on, 1.8 m tall and 0.6 m wide, and how far?
    let guard = Probe::capsule(EYE - 1.25 * Vec2::Y, EYE - 0.05 * Vec2::Y, 0.3);
    let way = Vec2::new(12.0, 0.0);
    match sim.queries().cast(&guard, way, |body| body.id != "ground") {
        Some(hit) => {
            println!(
                "the guard can walk {:.2} m, up to {}",
                12.0 * hit.part,
                named(&sim, hit.body).id
            );
        }
        None => println!("the guard can walk all the way"),
    }
    Ok(())
}

/// A ball that rolls to the right behind a wall of crates.
fn scene() -> Scene {
    let mut scene = Scene { name: "senses".to_owned(), ..Scene::default() };
    let ground = Shape::Box { size: Vec2::new(60.0, 1.0) };
    scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    for k in 0..6_u8 {
        let at = Vec2::new(1.0 + f32::from(k % 2), 0.4 + 0.8 * f32::from(k / 2));
        let shape = Shape::Box { size: Vec2::splat(0.8) };
        scene.bodies.push(BodyDef::new(format!("crate{k}"), shape, at));
    }
    let ball = BodyDef::new("ball", Shape::Disc { radius: 0.3 }, Vec2::new(9.0, 0.3));
    scene.bodies.push(BodyDef { velocity: Vec2::new(-3.0, 0.0), ..ball });
    scene
}

/// Whether nothing is between the eye and the middle of the ball.
fn sees(sim: &Sim, ball: BodyId) -> Result<bool, sinew::Error> {
    let way = sim.world().pose(ball)?.center - EYE;
    let first = sim.queries().cast(&Probe::point(EYE), way, |_| true);
    Ok(first.is_some_and(|hit| hit.body == ball))
}

/// Throws all bodies away that are near a place, those that are nearest most; returns how many there are.
fn bang(sim: &mut Sim, at: Vec2) -> Result<usize, sinew::Error> {
    let (bang, movable) = (Probe::disc(at, REACH), |body: &Body| body.is_dynamic());
    let near = sim.queries().overlapping(&bang, movable);
    for &body in &near {
        let away = sim.world().pose(body)?.center - at;
        let part = (1.0 - away.length() / REACH).max(0.0);
        let impulse = named(sim, body).mass * SPEED * part * away.normalize_or(Vec2::Y);
        sim.push(body, at + away, impulse)?;
    }
    Ok(near.len())
}

fn named(sim: &Sim, body: BodyId) -> &Body {
    let world = sim.world();
    let index = world.index(body).expect("nothing is removed here");
    &world.model.bodies[index]
}
