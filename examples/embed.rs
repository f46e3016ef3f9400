//! Sinew inside a game, without its window: a scene built in code, a loop of frames, a body dragged
//! by a pointer, poses and contacts read back.
//!
//! ```console
//! $ cargo run --example embed
//! ```

use std::error::Error;

use sinew::{BodyDef, BodyId, Drag, JointDef, Material, Scene, Shape, Sim, Vec2};

fn main() -> Result<(), Box<dyn Error>> {
    let mut sim = Sim::new(&scene())?;
    let ball = sim.world().body("ball").ok_or("the scene has no ball")?;

    // A player picks the ball up by its top, swings it to the right and lets go after a second.
    let hold = sim.world().hold(ball, Vec2::new(-4.0, 1.2))?;
    let mut drag = Drag::new(hold, Vec2::new(-4.0, 1.2));
    let mut drawn = Vec::new();
    println!("frame  simulated/s  ball x/m  ball y/m  turned/°  touching");
    for frame in 0..240_u32 {
        let seconds = f64::from(frame) / 72.0;
        drag.target = Vec2::new(-4.0 + 5.0 * seconds as f32, 1.5);
        sim.inputs_mut().drags.clear();
        if seconds < 1.0 {
            sim.inputs_mut().drags.push(drag);
        }

        // Frames come at 72 Hz here, steps at 60: most frames take one step, some none. What is
        // drawn lies between the last two steps, as far along as the clock is.
        sim.advance(1.0 / 72.0)?;
        sim.interpolated(&mut drawn);
        let model = &sim.world().model;
        let pose = model.pose(&model.bodies[sim.world().index(ball)?], &drawn);
        if frame % 20 == 0 {
            println!(
                "{frame:5}  {:11.3}  {:8.3}  {:8.3}  {:8.1}  {}",
                sim.world().state.time,
                pose.center.x,
                pose.center.y,
                pose.rot.radians().to_degrees(),
                touching(&sim, ball).join(", ")
            );
        }
    }
    let pull = sim.reactions().first().map_or(0.0, |reaction| reaction.force.length());
    println!("the pin of the gate carries {pull:.0} N");
    Ok(())
}

/// A ground, a tower of three crates, a gate that swings on a pin, and a ball.
fn scene() -> Scene {
    let mut scene = Scene { name: "embedded".to_owned(), ..Scene::default() };
    let ground = Shape::Box { size: Vec2::new(40.0, 1.0) };
    scene.bodies.push(BodyDef::new("ground", ground, Vec2::new(0.0, -0.5)).fixed());
    for i in 0..3 {
        let at = Vec2::new(3.0, 0.5 + i as f32);
        scene.bodies.push(BodyDef::new(format!("crate{i}"), Shape::Box { size: Vec2::ONE }, at));
    }
    let gate = Shape::Capsule { length: 1.6, radius: 0.1 };
    scene.bodies.push(BodyDef {
        angle: std::f32::consts::FRAC_PI_2,
        ..BodyDef::new("gate", gate, Vec2::new(6.0, 2.0))
    });
    scene.joints.push(JointDef::pin("hinge", "gate", None, Vec2::new(6.0, 2.8)));
    scene.bodies.push(BodyDef {
        material: Material::new(900.0, 0.8, 0.5),
        ..BodyDef::new("ball", Shape::Disc { radius: 0.6 }, Vec2::new(-4.0, 0.6))
    });
    scene
}

/// The ids of the bodies that touch `body` after the last step.
fn touching(sim: &Sim, body: BodyId) -> Vec<&str> {
    let model = &sim.world().model;
    let mut ids = Vec::new();
    for contact in sim.contacts().iter().filter(|contact| contact.depth > -1e-3) {
        let pieces = contact.pieces.map(|piece| &model.pieces[piece as usize]);
        let [a, b] = pieces.map(|piece| &model.bodies[piece.body as usize]);
        let other = if a.handle() == body { b } else { a };
        if (a.handle() == body || b.handle() == body) && !ids.contains(&other.id.as_str()) {
            ids.push(&other.id);
        }
    }
    ids
}
