//! When a promise is judged: instants and intervals, always, ever and never, runs that end early.

use approx::assert_relative_eq;
use sinew::metrics::{Judge, Recorder, Verdict};
use sinew::{
    Aabb, Condition, Expectation, Holds, Metric, Quantity, Range, SolverKind, Subject, Vec2,
};

use super::{
    GRAVITY, STEP, assert_kept, at_once, ball_at, body, crate_at, quantity, set_motion, shift,
    tick, world,
};

#[test]
fn ever_needs_one_step_and_never_none() {
    let high = |holds, above: f64| Expectation {
        from: 0.0,
        at: 4.0 * STEP,
        holds,
        ..quantity("ball", Quantity::X, Range::above(above))
    };
    let region =
        |x: f32| Condition::Inside(Aabb { min: Vec2::new(x, -1.0), max: Vec2::new(x + 1.0, 1.0) });
    let inside =
        |holds, x: f32| Expectation { from: 0.0, at: 4.0 * STEP, holds, ..body("ball", region(x)) };
    let promises = [
        high(Holds::Ever, 2.5),
        high(Holds::Ever, 3.5),
        high(Holds::Always, -0.5),
        inside(Holds::Ever, 2.5),
        inside(Holds::Never, 2.5),
        inside(Holds::Never, 5.0),
    ];
    let verdicts = judge(&promises, &[1.0, 3.0, 2.0, 0.0, 9.0]);
    assert_kept(&verdicts, &[true, false, true, true, false, true]);
    assert_eq!((verdicts[0].value, verdicts[0].time), (3.0, 0.25));
    assert_eq!(verdicts[0].name, "ball x ever above 2.5 m from 0 to 0.5 s");
    assert_eq!(verdicts[1].to_string(), "ball x 3 m at 0.25 s, wanted ever above 3.5 m");
    assert_eq!(
        verdicts[4].to_string(),
        "ball x 3 m at 0.25 s, wanted never inside [2.5, -1] to [3.5, 1]"
    );
}

#[test]
fn ever_is_settled_early_and_otherwise_waits_for_the_end() {
    let ever = |above: f64| Expectation {
        from: 0.0,
        at: 9.0,
        holds: Holds::Ever,
        ..quantity("ball", Quantity::X, Range::above(above))
    };
    let verdicts = judge(&[ever(0.4), ever(0.6)], &[0.5]);
    let results: Vec<_> = verdicts.iter().map(|v| (v.pass, v.reached)).collect();
    assert_eq!(results, [(true, true), (false, false)]);
}

#[test]
fn a_broken_interval_tells_when_it_broke_first() {
    let below =
        Expectation { from: 0.0, at: 0.5, ..quantity("ball", Quantity::X, Range::below(1.0)) };
    let verdict = &judge(&[below], &[0.5, 2.0, 3.0, 0.0])[0];
    assert_eq!(verdict.first_broken, Some(0.25));
    assert_eq!(
        verdict.to_string(),
        "ball x 3 m at 0.375 s, wanted below 1 m; first broken at 0.25 s"
    );
}

/// A promise that a quantity of a body stays below a bound.
fn stays_below(name: &str, which: Quantity, from: f64, at: f64, below: f64) -> Expectation {
    Expectation { from, at, ..quantity(name, which, Range::below(below)) }
}

fn of_metric(metric: Metric, from: f64, at: f64, below: f64) -> Expectation {
    Expectation { from, at, ..at_once(Subject::Metric { metric, range: Range::below(below) }) }
}

/// Observes a ball at the given places, one a step, and judges the promises.
fn judge(promises: &[Expectation], places: &[f32]) -> Vec<Verdict> {
    let mut world = world(vec![ball_at("ball", 0.0, 0.0)]);
    let mut recorder = Recorder::new(&world, GRAVITY);
    let mut judge = Judge::new(promises, SolverKind::Verlet, &world);
    judge.observe(recorder.last(), &world);
    let mut at = 0.0;
    for &place in places {
        tick(&mut world);
        shift(&mut world, "ball", Vec2::new(place - at, 0.0));
        at = place;
        let sample = *recorder.observe(&world);
        judge.observe(&sample, &world);
    }
    judge.verdicts()
}

#[test]
fn an_instant_is_the_first_step_at_or_after_it() {
    let moved = |at| stays_below("ball", Quantity::Moved, at, at, 1.0);
    let verdicts = judge(&[moved(0.0), moved(0.13), moved(0.375)], &[5.0, 0.5, 2.0, 0.0]);
    let results: Vec<_> = verdicts.iter().map(|v| (v.pass, v.value, v.time)).collect();
    assert_eq!(results, [(true, 0.0, 0.0), (true, 0.5, 0.25), (false, 2.0, 0.375)]);
    assert_eq!(verdicts[2].name, "ball moved below 1 m at 0.375 s");
    assert_eq!(verdicts[2].to_string(), "ball moved 2 m at 0.375 s, wanted below 1 m");
    assert_eq!(verdicts[2].line, 7);
}

#[test]
fn an_interval_is_as_good_as_its_worst_step() {
    let within = |below| stays_below("ball", Quantity::X, 0.25, 0.5, below);
    let places = [9.0, 0.5, 0.7, 0.6, 9.0];
    let verdicts = judge(&[within(0.8), within(0.65)], &places);
    let results: Vec<_> = verdicts.iter().map(|v| v.pass).collect();
    assert_eq!(results, [true, false]);
    for verdict in &verdicts {
        assert_relative_eq!(verdict.value, 0.7, epsilon = 1e-6);
        assert_relative_eq!(verdict.time, 0.375);
    }
    assert_eq!(verdicts[1].name, "ball x below 0.65 m from 0.25 to 0.5 s");
    let both = Range { above: Some(0.55), below: Some(0.8) };
    let both = Expectation { from: 0.25, at: 0.5, ..quantity("ball", Quantity::X, both) };
    let verdict = &judge(&[both], &places)[0];
    assert!(!verdict.pass);
    assert_relative_eq!(verdict.value, 0.5, epsilon = 1e-6);
    assert_eq!(verdict.to_string(), "ball x 0.5 m at 0.25 s, wanted above 0.55 m and below 0.8 m");
}

#[test]
fn what_cannot_be_judged_does_not_pass() {
    let drift = of_metric(Metric::MomentumDrift, 0.0, 0.0, 1.0);
    let nobody = stays_below("nobody", Quantity::X, 0.0, 0.0, 1.0);
    let late = stays_below("ball", Quantity::X, 9.0, 9.0, 1.0);
    let cut_short = stays_below("ball", Quantity::X, 0.0, 9.0, 1.0);
    let broken_early = stays_below("ball", Quantity::X, 0.0, 9.0, 0.1);
    let verdicts = judge(&[drift, nobody, late, cut_short, broken_early], &[0.5]);
    let results: Vec<_> = verdicts.iter().map(|v| (v.pass, v.reached)).collect();
    let [unmeasured, unreached] = [(false, true), (false, false)];
    assert_eq!(results, [unmeasured, unmeasured, unreached, unreached, (false, true)]);
    assert!(verdicts[2].to_string().contains("the run ended at 0.125 s"), "{}", verdicts[2]);
}

#[test]
fn promises_of_other_solvers_are_left_out() {
    let mut other = stays_below("ball", Quantity::X, 0.0, 0.0, 1.0);
    other.solvers = vec![SolverKind::Impulse];
    let mut own = other.clone();
    own.solvers.push(SolverKind::Verlet);
    assert_eq!(judge(&[other, own], &[]).len(), 1);
}

#[test]
fn settling_is_judged_when_the_interval_closes() {
    let rest = |at| of_metric(Metric::SettledAt, 0.0, at, 0.3);
    let mut world = world(vec![ball_at("ball", 0.0, 0.0)]);
    let mut recorder = Recorder::new(&world, GRAVITY);
    let mut judge = Judge::new(&[rest(0.25), rest(0.5)], SolverKind::Verlet, &world);
    for speed in [1.0, 1.0, 0.0, 0.0] {
        tick(&mut world);
        set_motion(&mut world, "ball", Vec2::new(speed, 0.0), Vec2::ZERO, 0.0);
        let sample = *recorder.observe(&world);
        judge.observe(&sample, &world);
    }
    let verdicts = judge.verdicts();
    assert_eq!((verdicts[0].pass, verdicts[0].value), (false, f64::INFINITY));
    assert_eq!((verdicts[1].pass, verdicts[1].value), (false, 0.375));
}

#[test]
fn turns_are_counted_past_full_circles() {
    let mut world = world(vec![crate_at("wheel", 0.0, 0.0)]);
    let mut recorder = Recorder::new(&world, GRAVITY);
    let turned = stays_below("wheel", Quantity::Turned, 1.0, 1.0, 1000.0);
    let mut judge = Judge::new(&[turned], SolverKind::Verlet, &world);
    // 0.7 of a full turn each step, clockwise: without its spin it would look like 0.3 the other way.
    let angle = -0.7 * std::f32::consts::TAU;
    let spin = angle / STEP as f32;
    for _ in 0..8 {
        tick(&mut world);
        let turn = Vec2::from_angle(angle);
        for point in 0..world.model.point_count() {
            let place = turn.rotate(world.state.position[point]);
            world.state.position[point] = place;
            world.state.velocity[point] = spin * place.perp();
        }
        let sample = *recorder.observe(&world);
        judge.observe(&sample, &world);
    }
    assert_relative_eq!(judge.verdicts()[0].value, -8.0 * 252.0, epsilon = 0.01);
}
