//! The top of a level file: title, simulation settings, camera, bounds.

use super::decode;
use super::diagnostic::{Report, suggestion, ticked};
use super::format;
use super::tree::{Place, Value};
use crate::math::{Aabb, Vec2};
use crate::scene::{Bounds, Scene, View};
use crate::settings::{Settings, SolverKind};

/// The version of the format that this loader reads.
pub(super) const FORMAT: u32 = 1;
/// The heights a view may have, m.
const VIEW_RANGE: (f32, f32) = (0.01, 100_000.0);

/// A scene with everything but bodies and joints. `fallback` is its name if the file gives none.
pub(super) fn read(root: &Place<'_>, fallback: &str, report: &mut Report<'_>) -> Scene {
    let mut scene = Scene { name: fallback.to_owned(), ..Scene::default() };
    title(root, &mut scene, report);
    if root.has("world") {
        scene.settings = settings(&root.key("world"), report);
    }
    if root.has("view") {
        scene.view = view(&root.key("view"), report);
    }
    if root.has("bounds") {
        scene.bounds = bounds(&root.key("bounds"), report);
    }
    scene
}

/// Reports a format that this version does not read.
pub(super) fn check_format(root: &Place<'_>, report: &mut Report<'_>) {
    let help = format!("this version reads \"format\": {FORMAT}");
    if !root.has("format") {
        let range = root.node.range.start..root.node.range.start + 1;
        report.add(range, "format", "the key `format` is missing", Some(&help));
    } else if !matches!(&root.node.get("format").map(|node| &node.value),
        Some(Value::Number(number)) if number.as_u64() == Some(u64::from(FORMAT)))
    {
        let place = root.key("format");
        let message = format!("the format must be {FORMAT}, found {}", place.node.describe());
        report.error_with_help(&place, message, help);
    }
}

fn title(root: &Place<'_>, scene: &mut Scene, report: &mut Report<'_>) {
    check_format(root, report);
    if let Some(title) = decode::part::<format::Title>(root, report) {
        if let Some(name) = title.name {
            scene.name = name;
        }
        scene.about = title.about.unwrap_or_default();
    }
}

fn settings(place: &Place<'_>, report: &mut Report<'_>) -> Settings {
    let mut settings = Settings::default();
    let Some(keys) = decode::object::<format::World>(place, report) else { return settings };
    if let Some(gravity) = keys.gravity {
        settings.gravity = gravity.into();
    }
    if let Some(hz) = keys.hz {
        let (low, high) = Settings::HZ_RANGE;
        if hz >= low && hz <= high {
            settings.hz = hz;
        } else {
            report.error(&place.key("hz"), format!("hz {hz} is outside {low} to {high}"));
        }
    }
    let mut counted = |key: &str, value: Option<u32>, most: u32| {
        if value.is_some_and(|value| value < 1 || value > most) {
            let message = format!("{key} {} is outside 1 to {most}", value.unwrap_or_default());
            report.error(&place.key(key), message);
        }
        value
    };
    settings.substeps = counted("substeps", keys.substeps, Settings::MAX_SUBSTEPS);
    settings.iterations = counted("iterations", keys.iterations, Settings::MAX_ITERATIONS);
    if let Some(name) = keys.solver
        && let Some(kind) = solver(&name, &place.key("solver"), report)
    {
        settings.solver = kind;
    }
    if let Some(response) = keys.response {
        settings.response = response.into();
    }
    if let Some(sleep) = keys.sleep {
        settings.sleep = sleep;
    }
    settings
}

/// The backend of this name.
pub(super) fn solver(name: &str, place: &Place<'_>, report: &mut Report<'_>) -> Option<SolverKind> {
    let found = name.parse().ok();
    if found.is_none() {
        let help = suggestion(name, SolverKind::ALL.map(SolverKind::name), "known solvers");
        report.error_with_help(place, format!("unknown solver {}", ticked(name)), help);
    }
    found
}

fn view(place: &Place<'_>, report: &mut Report<'_>) -> View {
    let mut view = View::default();
    let Some(keys) = decode::object::<format::View>(place, report) else { return view };
    if let Some(center) = keys.center {
        view.center = center.into();
    }
    if let Some(height) = keys.height {
        let (low, high) = VIEW_RANGE;
        if height >= low && height <= high {
            view.height = height;
        } else {
            let message = format!("height {height} is outside {low} to {high} m");
            report.error(&place.key("height"), message);
        }
    }
    view
}

fn bounds(place: &Place<'_>, report: &mut Report<'_>) -> Bounds {
    let Some(keys) = decode::object::<format::Bounds>(place, report) else {
        return Bounds::default();
    };
    let (min, max): (Vec2, Vec2) = (keys.min.into(), keys.max.into());
    if !min.cmplt(max).all() {
        let help = "min is the lower left corner, max the upper right one";
        report.error_with_help(place, format!("bounds from {min} to {max} hold nothing"), help);
    }
    Bounds(Aabb { min, max })
}
