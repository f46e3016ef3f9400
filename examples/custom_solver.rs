//! A third backend, from outside the crate: contacts as springs.
//!
//! Whatever implements [`Solver`] moves a [`Sim`]. This one is the oldest way to do contacts (the
//! penalty or discrete-element method: Cundall & Strack, “A discrete numerical model for granular
//! assemblies”, 1979): where two bodies overlap, a spring and a damper push them apart, and so many
//! small explicit steps are taken that the springs can be stiff. There is nothing to iterate, and
//! how far things sink is a formula: under the acceleration `g`, the load of `n` equal bodies
//! presses a spring of frequency `ω` in by about `n·g/ω²`.
//!
//! All forces act on points, a rigid body being no exception: afterwards its points take the one
//! rigid motion that has their momentum. So joints, soft edges and contacts need a line each.
//!
//! ```console
//! $ cargo run --release --example custom_solver
//! ```

use std::f32::consts::{PI, TAU};
use std::time::Instant;

use sinew::math::{direction_or, right};
use sinew::metrics::Recorder;
use sinew::solver::{advance_kinematic, apply_drags};
use sinew::{
    Anchor, Body, Contact, ContactImpulse, Error, JointEnd, Level, Limitation, Material, Model,
    Sim, Solver, SolverKind, State, StepCx, StepReport, Vec2, World,
};

/// Frequency of every spring, Hz. Twice as stiff, a quarter of the overlap, half the step.
const HERTZ: f32 = 90.0;
/// Sub-steps where the settings do not say. At 60 Hz a spring then turns by 0.15 rad in a sub-step;
/// the explicit method used here is stable below 2, divided by how many springs act on one body.
const SUBSTEPS: u32 = 64;
/// Friction grows to its full strength over this speed, m/s: bodies at rest creep by less.
const CREEP: f32 = 0.01;

/// The backend. Its only memory is a buffer: nothing is lost when it is exchanged for another.
#[derive(Default)]
struct Penalty {
    force: Vec<Vec2>,
    /// Those at the end of the last step.
    contacts: Vec<Contact>,
}

impl Solver for Penalty {
    fn kind(&self) -> SolverKind {
        SolverKind::Custom("penalty")
    }

    /// What a user should know before trusting it with a level.
    fn limitations(&self, model: &Model, _state: &State) -> Vec<Limitation> {
        let mut found =
            vec!["bodies sink into each other by n·g/ω², and creep where friction holds them"];
        if model.joints.iter().any(|joint| joint.limit.is_some()) {
            found.push("angle limits are ignored");
        }
        if model.bodies.iter().any(|body| !body.soft && is_pinned(model, body)) {
            found.push("rigid bodies with a pinned point stay where they are");
        }
        found.into_iter().map(|text| Limitation { text: text.to_owned() }).collect()
    }

    fn attach(&mut self, model: &Model, _state: &State) {
        self.force.resize(model.point_count(), Vec2::ZERO);
    }

    fn step(&mut self, cx: StepCx<'_>) -> StepReport {
        let StepCx { model, state, collision, inputs, settings, mut impulses, dt, .. } = cx;
        let substeps = settings.substeps.unwrap_or(SUBSTEPS);
        let h = dt / substeps as f32;
        collision.update_pairs(model, state, dt, 0.05);
        for _ in 0..substeps {
            apply_drags(model, state, inputs, h);
            for (force, &mass) in self.force.iter_mut().zip(&model.mass) {
                *force = mass * settings.gravity;
            }
            for contact in collision.detect(model, &state.position, 0.0) {
                let force = self.press(model, state, contact);
                if let Some(impulses) = &mut impulses {
                    let impulse = force * h;
                    impulses.push(ContactImpulse::of(contact, model, &state.position, impulse));
                }
            }
            self.hold(model, state);
            advance_kinematic(model, state, h);
            self.integrate(model, state, h);
        }
        self.contacts.clear();
        self.contacts.extend_from_slice(collision.detect(model, &state.position, 0.0));
        StepReport { iterations: substeps, ..Default::default() }
    }

    fn contacts(&self, list: &mut Vec<Contact>) {
        list.clone_from(&self.contacts);
    }
}

impl Penalty {
    /// Spring, damper and friction at a contact. Returns the force along the normal, N.
    fn press(&mut self, model: &Model, state: &State, contact: &Contact) -> f32 {
        let [vertex, edge] = contact.pieces.map(|piece| &model.pieces[piece as usize]);
        let at = contact.position(&state.position, vertex.radius);
        // Friction must hold a ball at its surface to make it roll: `frame` carries that place.
        let place = |frame: Option<[u32; 3]>, otherwise: Anchor| {
            let corners = |points: [u32; 3]| points.map(|i| state.position[i as usize]);
            frame
                .and_then(|points| Anchor::in_triangle(points, corners(points), at))
                .unwrap_or(otherwise)
        };
        let a = place(vertex.frame, Anchor::at_point(contact.vertex));
        let b = place(edge.frame, Anchor::between(contact.edge[0], contact.edge[1], contact.t));
        let mass = reduced_mass(model, &[(vertex.body, a), (edge.body, b)]);

        let bodies = [vertex.body, edge.body].map(|body| &model.bodies[body as usize].material);
        let (friction, restitution) = Material::mix(bodies[0], bodies[1]);
        let omega = TAU * HERTZ;
        let closing = b.sample(&state.velocity) - a.sample(&state.velocity);
        let damper = 2.0 * damping_ratio(restitution) * mass * omega;
        // Surfaces push and never pull.
        let spring = mass * omega * omega * contact.depth;
        let normal = (spring + damper * closing.dot(contact.normal)).max(0.0);
        let sideways = right(contact.normal);
        let slip = (closing.dot(sideways) / CREEP).clamp(-1.0, 1.0);
        let push = normal * contact.normal + friction * normal * slip * sideways;
        self.act(&a, push);
        self.act(&b, -push);
        normal
    }

    /// Springs in joints and in the edges of soft bodies.
    fn hold(&mut self, model: &Model, state: &State) {
        let omega = TAU * HERTZ;
        for joint in &model.joints {
            let gap = joint.b.position(&state.position) - joint.a.sample(&state.position);
            let mut speed = -joint.a.sample(&state.velocity);
            let mut ends = vec![(joint.body_a, joint.a)];
            if let JointEnd::Body { body, anchor } = joint.b {
                speed += anchor.sample(&state.velocity);
                ends.push((body, anchor));
            }
            let pull = reduced_mass(model, &ends) * omega * (omega * gap + 2.0 * speed);
            for ((_, anchor), pull) in ends.iter().zip([pull, -pull]) {
                self.act(anchor, pull);
            }
        }
        for body in model.bodies.iter().filter(|body| body.soft && body.is_dynamic()) {
            for edge in &model.edges[body.edges.start as usize..body.edges.end as usize] {
                let (a, b) = (Anchor::at_point(edge.a), Anchor::at_point(edge.b));
                let owner = model.body_of[edge.a as usize];
                let mass = reduced_mass(model, &[(owner, a), (owner, b)]);
                // Stiff edges, and those stiffer than the step can bear, get the spring it can.
                let stiffness = (1.0 / edge.compliance).min(mass * omega * omega);
                let between = b.sample(&state.position) - a.sample(&state.position);
                let along = direction_or(between, Vec2::X);
                let parting = (b.sample(&state.velocity) - a.sample(&state.velocity)).dot(along);
                let stretch = between.length() - edge.rest;
                let pull = (stiffness * stretch + edge.damping * parting) * along;
                self.act(&a, pull);
                self.act(&b, -pull);
            }
        }
    }

    /// Adds a force at a place on a body, to the points that carry it.
    fn act(&mut self, place: &Anchor, force: Vec2) {
        for (point, weight) in place.terms() {
            self.force[point] += weight * force;
        }
    }

    /// Semi-implicit Euler: velocities first, then positions by the new velocities.
    fn integrate(&self, model: &Model, state: &mut State, h: f32) {
        for (i, &inv_mass) in model.inv_mass.iter().enumerate() {
            state.velocity[i] += h * inv_mass * self.force[i];
        }
        for body in model.bodies.iter().filter(|body| body.is_dynamic()) {
            if body.soft {
                for i in body.point_range().filter(|&i| model.inv_mass[i] > 0.0) {
                    let velocity = state.velocity[i];
                    state.position[i] += h * velocity;
                }
            } else if !is_pinned(model, body) {
                let motion = model.motion(body, &state.position, &state.velocity);
                let mut pose = model.pose(body, &state.position);
                pose.center += h * motion.velocity;
                pose.rot = pose.rot.advanced(motion.spin, h);
                for i in body.point_range() {
                    state.position[i] = pose.apply(model.rest[i]);
                    state.velocity[i] = motion.at(state.position[i] - pose.center);
                }
            }
        }
    }
}

fn is_pinned(model: &Model, body: &Body) -> bool {
    body.point_range().any(|i| model.pinned[i])
}

/// The mass that a spring between two places feels, kg, rotation apart.
fn reduced_mass(model: &Model, ends: &[(u32, Anchor)]) -> f32 {
    let inverse: f32 = ends
        .iter()
        .map(|(body, anchor)| match &model.bodies[*body as usize] {
            body if !body.is_dynamic() => 0.0,
            body if body.soft => anchor.terms().map(|(i, w)| w * w * model.inv_mass[i]).sum(),
            body => 1.0 / body.mass,
        })
        .sum();
    if inverse > 0.0 { 1.0 / inverse } else { 0.0 }
}

/// The damping ratio that lets a spring throw a body back with the part `restitution` of its
/// speed: half a period of a damped oscillator, `e = exp(−πζ/√(1−ζ²))`, solved for ζ.
fn damping_ratio(restitution: f32) -> f32 {
    let log = restitution.clamp(0.01, 1.0).ln();
    -log / (PI * PI + log * log).sqrt()
}

/// Runs a built-in level for ten seconds on a solver and prints a line about it.
fn measure(level: &str, body: &str, solver: Box<dyn Solver>) -> Result<(), Error> {
    let scene = Level::builtin(level)?.scene;
    let mut sim = Sim::with_solver(World::build(&scene)?, scene.settings, solver);
    let start = center(sim.world(), body);
    let mut recorder = Recorder::new(sim.world(), sim.settings().gravity);
    let mut seconds = 0.0;
    for _ in 0..600 {
        let clock = Instant::now();
        sim.step()?;
        seconds += clock.elapsed().as_secs_f64();
        recorder.observe(sim.world());
    }
    let quality = recorder.quality();
    println!(
        "{level:<8}  {:<8}  {:10.3}  {:10.3}  {:8.3}",
        sim.solver_kind(),
        1e3 * quality.max_penetration_m,
        1e3 * center(sim.world(), body).distance(start),
        1e3 * seconds / 600.0
    );
    Ok(())
}

fn center(world: &World, id: &str) -> Vec2 {
    let pose = world.body(id).and_then(|body| world.pose(body).ok());
    pose.map_or(Vec2::ZERO, |pose| pose.center)
}

fn main() -> Result<(), Error> {
    println!("10 s at 60 Hz   overlap is the deepest, moved is how far the top crate came");
    println!("level     solver    overlap/mm    moved/mm   step/ms");
    for (level, top) in [("stack", "stack.9"), ("pyramid", "top")] {
        measure(level, top, Box::new(Penalty::default()))?;
        for kind in SolverKind::ALL {
            if let Some(solver) = kind.build() {
                measure(level, top, solver)?;
            }
        }
    }
    for limitation in Penalty::default().limitations(&Model::default(), &State::default()) {
        println!("penalty: {limitation}");
    }
    Ok(())
}
