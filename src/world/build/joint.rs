//! From joint descriptions to joints between anchors.

use std::f32::consts::PI;

use crate::error::{Error, Result};
use crate::math::{Rot, Vec2};
use crate::scene::{
    AngleLimit, JointDef, JointKind, Motor, Released, Scene, Spring, Steering, Track, Travel,
};
use crate::world::joint::{Joint, JointEnd};
use crate::world::{Anchor, JointState, Limit, Model, State};

const LARGEST: f32 = Scene::LARGEST;
/// How far outside a soft body a joint may hold it: the sum of the magnitudes of its anchor's
/// weights. A bent triangle throws what it carries far out about by that factor.
const SOFT_REACH: f32 = 3.0;

type Checked<T> = std::result::Result<T, String>;

/// Adds a joint to a world; returns its index.
pub(crate) fn add_joint(model: &mut Model, state: &mut State, def: &JointDef) -> Result<u32> {
    let fail = |problem: String| Error::scene(&def.id, problem);
    check(def).map_err(fail)?;
    let find = |id: &str| {
        let index = model.by_id.get(id).copied();
        index.ok_or_else(|| fail(format!("no body has the id `{id}`")))
    };
    let body_a = find(&def.a)?;
    let body_b = def.b.as_deref().map(find).transpose()?;
    // A muscle may run from place to place within a soft body.
    let within = body_b == Some(body_a) && def.is_muscle() && model.bodies[body_a as usize].soft;
    if body_b == Some(body_a) && !within {
        return Err(fail(format!("both ends are on `{}`; name two different bodies", def.a)));
    }
    if body_b.is_none() && matches!(def.kind, JointKind::Gear { .. } | JointKind::Pulley { .. }) {
        return Err(fail(format!("a {} needs a second body `b`", def.kind.name())));
    }
    let to = def.to.unwrap_or(def.at);
    let a = model.anchor(body_a, def.at, state);
    let b = match body_b {
        Some(body) => JointEnd::Body { body, anchor: model.anchor(body, to, state) },
        None => JointEnd::World(to),
    };
    let on_b =
        if let JointEnd::Body { body, anchor } = b { Some((body, anchor, to)) } else { None };
    let rot = |body: u32, anchor: &Anchor| model.rot_at(body, anchor, &state.position);
    let (rot_a, rot_b) =
        (rot(body_a, &a), on_b.map_or(Rot::IDENTITY, |(body, anchor, _)| rot(body, &anchor)));
    let start = [rot_a.radians(), rot_b.radians()];
    let limit = def.limit().map(|range| limit(range, rot_a.inverse().after(rot_b)));
    for (body, anchor, at) in std::iter::once((body_a, a, def.at)).chain(on_b) {
        let body = &model.bodies[body as usize];
        let reach: f32 = anchor.weights.iter().map(|weight| weight.abs()).sum();
        if body.soft && reach > SOFT_REACH {
            return Err(fail(format!(
                "{at} lies too far outside the soft body `{}` to hold it; pin it on or near the \
                 body",
                body.id
            )));
        }
    }
    if within && a.shares_points(&on_b.map_or(a, |(_, anchor, _)| anchor)) {
        return Err(fail(format!(
            "both ends lie between the same points of `{}`; move them further apart, or give the body \
             finer cells",
            def.a
        )));
    }
    let serial = model.next_serial;
    model.next_serial += 1;
    let told = def.motor.map_or(0.0, |motor| motor.target());
    let target = def.track.as_ref().map_or(told, |track| track.at(0.0));
    let released = def.steering.as_ref().map(|steering| steering.released);
    let idle = released == Some(Released::Free);
    state.joints.push(JointState { angles: start, target, idle });
    model.joints.push(Joint {
        id: def.id.clone(),
        serial,
        body_a,
        a,
        b,
        kind: in_frame(def.kind, rot_a),
        limit,
        motor: def.motor,
        track: def.track.clone(),
        steering: def.steering.clone(),
        made: state.time,
        start,
        rope: match def.kind {
            JointKind::Pulley { over, ratio } => {
                def.at.distance(over[0]) + ratio * to.distance(over[1])
            }
            _ => 0.0,
        },
        break_force: def.break_force.unwrap_or(f32::INFINITY),
        break_torque: def.break_torque.unwrap_or(f32::INFINITY),
        collide: def.collide,
    });
    if let (Some(b), false) = (body_b, def.collide || within) {
        let pair = (body_a.min(b), body_a.max(b));
        if let Err(place) = model.apart.binary_search(&pair) {
            model.apart.insert(place, pair);
        }
    }
    Ok(model.joints.len() as u32 - 1)
}

/// The limit that a range of angles is, for a joint whose second body is turned by `start`.
fn limit(range: AngleLimit, start: Rot) -> Limit {
    let middle = Rot::from_radians(0.5 * (range.lower + range.upper));
    Limit {
        middle: middle.after(start),
        half: Rot::from_radians(0.5 * (range.upper - range.lower)),
    }
}

/// A kind of joint with its axis, a unit vector, in the frame of the first body.
fn in_frame(kind: JointKind, rot_a: Rot) -> JointKind {
    let local = |axis: Vec2| rot_a.unapply(axis.normalize_or(Vec2::X));
    match kind {
        JointKind::Slider { axis, limit } => JointKind::Slider { axis: local(axis), limit },
        JointKind::Wheel { axis, spring, limit } => {
            JointKind::Wheel { axis: local(axis), spring, limit }
        }
        other => other,
    }
}

/// What is wrong with the numbers of a description.
fn check(def: &JointDef) -> Checked<()> {
    for (name, at) in [("at", Some(def.at)), ("to", def.to)] {
        let Some(at) = at else { continue };
        if !(at.abs().max_element() <= LARGEST) {
            return Err(format!("`{name}` {at} must be finite and within ±{LARGEST:e} m"));
        }
    }
    for (name, most) in [("break_force", def.break_force), ("break_torque", def.break_torque)] {
        if most.is_some_and(|most| !(most > 0.0)) {
            return Err(format!("{name} must be positive; leave it out for what never breaks"));
        }
    }
    let two_places = matches!(def.kind, JointKind::Distance { .. } | JointKind::Pulley { .. });
    if def.to.is_some() && !two_places {
        let kind = def.kind.name();
        return Err(format!("a {kind} holds both bodies at the same place; leave `to` out"));
    }
    check_kind(&def.kind)?;
    check_motor(def)
}

fn check_kind(kind: &JointKind) -> Checked<()> {
    match *kind {
        JointKind::Pin { limit } => limit.as_ref().map_or(Ok(()), check_limit),
        JointKind::Weld { bend } => bend.as_ref().map_or(Ok(()), check_spring),
        JointKind::Distance { least, most, spring } => {
            if !(least >= 0.0 && least <= most && most <= LARGEST) {
                return Err(format!("distance {least} to {most} m must rise from 0 or more"));
            }
            spring.as_ref().map_or(Ok(()), check_spring)
        }
        JointKind::Slider { axis, limit } => {
            check_axis(axis)?;
            limit.as_ref().map_or(Ok(()), check_travel)
        }
        JointKind::Wheel { axis, spring, limit } => {
            check_axis(axis)?;
            check_spring(&spring)?;
            limit.as_ref().map_or(Ok(()), check_travel)
        }
        JointKind::Gear { ratio } if !(ratio != 0.0 && ratio.abs() <= 1e3) => {
            Err(format!("ratio {ratio} must not be 0 and lie within ±1000"))
        }
        JointKind::Pulley { ratio, .. } if !(1e-3..=1e3).contains(&ratio) => {
            Err(format!("ratio {ratio} must lie in 0.001 to 1000"))
        }
        JointKind::Pulley { over, .. } => {
            let sound = over.iter().all(|at| at.abs().max_element() <= LARGEST);
            let rule = || format!("`over` must be finite and within ±{LARGEST:e} m");
            if sound { Ok(()) } else { Err(rule()) }
        }
        JointKind::Gear { .. } | JointKind::Turn => Ok(()),
    }
}

fn check_limit(limit: &AngleLimit) -> Checked<()> {
    let AngleLimit { lower, upper } = *limit;
    let valid = lower <= upper && lower >= -PI && upper <= PI && upper - lower < 2.0 * PI;
    if valid {
        return Ok(());
    }
    let (lower, upper) = (lower.to_degrees(), upper.to_degrees());
    Err(format!("limit {lower:.0}° to {upper:.0}° must rise and stay within ±180°"))
}

fn check_travel(travel: &Travel) -> Checked<()> {
    let Travel { lower, upper } = *travel;
    if lower <= upper && lower >= -LARGEST && upper <= LARGEST {
        return Ok(());
    }
    Err(format!("limit {lower} to {upper} m must rise"))
}

fn check_axis(axis: Vec2) -> Checked<()> {
    let length = axis.length();
    let sound = length > 1e-6 && length <= LARGEST;
    if sound { Ok(()) } else { Err("axis must not be zero".into()) }
}

fn check_spring(spring: &Spring) -> Checked<()> {
    let Spring { stiffness, damping } = *spring;
    let softest = Spring::SOFTEST;
    if stiffness >= softest && stiffness.is_finite() && damping >= 0.0 && damping.is_finite() {
        return Ok(());
    }
    let rule = format!("stiffness {stiffness:e} must be {softest:e} or more");
    Err(format!("{rule}, and damping {damping:e} 0 or more"))
}

fn check_motor(def: &JointDef) -> Checked<()> {
    if let Some(problem) = def.track.as_ref().and_then(Track::problem) {
        return Err(problem.into());
    }
    if let Some(problem) = def.steering.as_ref().and_then(Steering::problem) {
        return Err(problem.into());
    }
    let Some(motor) = def.motor else {
        return match (&def.track, &def.steering) {
            (None, None) => Ok(()),
            (Some(_), _) => Err("a track needs a motor that follows it".into()),
            (None, Some(_)) => Err("keys need a motor that they drive".into()),
        };
    };
    match def.kind {
        JointKind::Pin { .. }
        | JointKind::Wheel { .. }
        | JointKind::Slider { .. }
        | JointKind::Turn => {}
        JointKind::Distance { spring: None, .. } if def.is_muscle() => {}
        JointKind::Distance { .. } => {
            return Err("a distance is driven by a servo, and has no spring beside it".into());
        }
        other => {
            let kind = other.name();
            return Err(format!(
                "a {kind} has nothing to drive; motors are for pin, wheel, slider, distance, turn"
            ));
        }
    }
    let most = match motor {
        Motor::Speed { most, .. } => most,
        Motor::Servo { most, spring, .. } => {
            check_spring(&spring)?;
            most
        }
    };
    if !(most >= 0.0) || !(motor.target().abs() <= LARGEST) {
        return Err("a motor needs a finite target, and `most` of 0 or more".into());
    }
    Ok(())
}
