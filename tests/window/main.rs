//! The window under a virtual display: it opens, draws, moves, obeys keys and mouse, and closes.
//!
//! Needs Xvfb and OpenGL in software (on Debian: `xvfb`, `libgl1-mesa-dri`, `libxi6`,
//! `libxkbcommon0`). Without Xvfb these tests say so and pass; set `SINEW_WINDOW_TEST=required` to
//! make that a failure.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a panic in a test is its failure message")]

mod screen;

use std::time::Duration;

use screen::{Picture, Region, SIZE, Screen, scratch};

/// X key symbols.
const SPACE: u32 = 0x20;
const ONE: u32 = 0x31;
const H: u32 = 0x68;
const G: u32 = 0x67;
const O: u32 = 0x6f;
const R: u32 = 0x72;
const TAB: u32 = 0xff09;
const ESCAPE: u32 = 0xff1b;
const RIGHT: u32 = 0xff53;
const PAGE_DOWN: u32 = 0xff56;
const CONTROL: u32 = 0xffe3;
const S: u32 = 0x73;
const X: u32 = 0x78;
const Z: u32 = 0x7a;

const WHOLE: Region = (0, 0, SIZE.0 as usize, SIZE.1 as usize);
/// The panel with the solver and the times.
const PANEL: Region = (14, 14, 306, 520);
/// The scene, clear of the panel, the notices and the footer.
const SCENE: Region = (320, 60, 1280, 740);

fn pause() {
    std::thread::sleep(Duration::from_millis(800));
}

/// The window is there: a picture of many colours instead of a black screen.
fn is_drawn(picture: &Picture) -> bool {
    picture.colors() > 1000
}

fn count(mask: &[bool]) -> usize {
    mask.iter().filter(|&&set| set).count()
}

fn differing(a: &[bool], b: &[bool]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

#[test]
fn demo_runs_and_obeys_its_keys() {
    let Some(screen) = Screen::start() else { return };
    let mut program = screen.run(&["run", "demo"]);
    screen.wait_for("the window is drawn", is_drawn);
    // Without a window manager the keys go to the window under the mouse.
    screen.point((900, 300));

    // It moves.
    screen.press(R);
    let start = screen.look();
    screen.wait_for("people fall", |now| now.difference(&start, SCENE) > 0.005);

    // Space stops it.
    screen.press(SPACE);
    pause();
    let stopped = screen.look();
    pause();
    let later = screen.look();
    assert_eq!(stopped.difference(&later, SCENE), 0.0, "the scene moves although it is paused");
    assert!(is_drawn(&later));

    // Tab goes through the solvers: their name and their sliders are orange.
    let first = later.orange(PANEL);
    assert!(count(&first) > 100, "the panel does not show the solver");
    for round in 1..=sinew::SolverKind::ALL.len() {
        screen.press(TAB);
        pause();
        let changed = differing(&first, &screen.look().orange(PANEL));
        if round < sinew::SolverKind::ALL.len() {
            assert!(changed > 50, "another solver, but only {changed} orange pixels changed");
        } else {
            assert!(changed < 50, "back at the first solver, {changed} orange pixels differ");
        }
    }

    // H shows the help, Esc hides it without ending the program.
    screen.press(H);
    let help = screen.wait_for("help", |now| now.difference(&later, WHOLE) > 0.5);
    screen.press(ESCAPE);
    screen.wait_for("no help", |now| now.difference(&help, WHOLE) > 0.5);
    assert!(program.is_running());

    // Another level is another picture.
    screen.press(PAGE_DOWN);
    screen.wait_for("the next level", |now| now.difference(&later, SCENE) > 0.05);
    screen.press(ESCAPE);
    let (status, stderr) = program.end();
    assert_eq!(status.code(), Some(0), "{stderr}");
    assert_eq!(stderr, "");
}

#[test]
fn bodies_follow_the_mouse() {
    let Some(screen) = Screen::start() else { return };
    // One crate in the middle of what the panel leaves of the window, without gravity.
    let level = scratch("crate.json");
    let text = r#"{ "format": 1, "name": "crate", "world": { "gravity": [0, 0] },
        "view": { "center": [0, 0], "height": 10 },
        "items": [{ "type": "crate", "id": "crate", "size": [2, 2], "at": [0, 0] }] }"#;
    std::fs::write(&level, text).unwrap();
    let program = screen.run(&["run", level.to_str().unwrap()]);
    let before = screen.wait_for("the window is drawn", is_drawn);
    let middle = (740, 350, 840, 450);
    pause();
    assert_eq!(before.difference(&screen.look(), middle), 0.0, "the crate floats");
    screen.drag((790, 400), (1150, 300));
    screen.wait_for("the crate is gone", |now| now.difference(&before, middle) > 0.5);
    screen.close_window();
    let (status, stderr) = program.end();
    std::fs::remove_file(level).unwrap();
    assert_eq!(status.code(), Some(0), "{stderr}");
}

#[test]
fn keys_of_a_level_drive_it_and_move_the_camera_only_with_control() {
    let Some(screen) = Screen::start() else { return };
    // A crate on a rail to the right, and a mark above it that stays where it is.
    let level = scratch("keys.json");
    let text = r#"{ "format": 1, "world": { "gravity": [0, 0] },
        "view": { "center": [0, 0], "height": 10 }, "items": [
        { "type": "static", "box": [0.5, 0.5], "at": [0, 3] },
        { "type": "crate", "id": "crate", "size": [2, 2], "at": [0, 0] },
        { "type": "slider", "a": "crate", "at": [0, 0], "axis": [1, 0], "limits": [0, 4],
          "motor": { "speed": 0, "max_force": 1e6, "keys": { "right": 3 }, "label": "go" } } ],
        "script": [{ "to": 9, "keys": ["right"] }] }"#;
    std::fs::write(&level, text).unwrap();
    let program = screen.run(&["run", level.to_str().unwrap()]);
    screen.wait_for("the window is drawn", is_drawn);
    screen.point((900, 700));
    pause();
    let before = screen.look();
    let (middle, mark) = ((740, 350, 840, 450), (760, 130, 820, 190));
    // The hint, above the footer: its caps are orange.
    let hint: Region = (540, 720, 740, 756);
    assert!(before.orange(hint).iter().filter(|&&orange| orange).count() > 10, "no hint");
    pause();
    assert_eq!(before.difference(&screen.look(), middle), 0.0, "nobody holds a key");

    screen.hold(RIGHT);
    screen.wait_for("the crate is gone", |now| now.difference(&before, middle) > 0.5);
    screen.let_go(RIGHT);
    assert_eq!(screen.look().difference(&before, mark), 0.0, "the camera moved");

    screen.hold(CONTROL);
    screen.hold(RIGHT);
    screen.wait_for("the camera moves", |now| now.difference(&before, mark) > 0.3);
    screen.let_go(RIGHT);
    screen.let_go(CONTROL);
    screen.close_window();
    let (status, stderr) = program.end();
    std::fs::remove_file(level).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

/// Waits until a file says what it should.
fn wait_for_file(file: &std::path::Path, expected: &str) {
    for _ in 0..600 {
        if std::fs::read_to_string(file).unwrap() == expected {
            return;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), expected);
}

#[test]
fn saves_show_at_once_and_mistakes_are_explained() {
    let Some(screen) = Screen::start() else { return };
    // A beam that turns about itself at the bottom, and a crate on the right.
    let level = scratch("saved.json");
    let text = r#"{ "format": 1, "world": { "gravity": [0, 0] },
        "view": { "center": [0, 0], "height": 10 }, "items": [
        { "type": "box", "id": "beam", "size": [2, 0.5], "at": [0, -3], "spin": 120 },
        { "type": "crate", "id": "crate", "size": [2, 2], "at": [4, 0] } ] }"#;
    std::fs::write(&level, text).unwrap();
    let mut program = screen.run(&["run", level.to_str().unwrap()]);
    let before = screen.wait_for("the window is drawn", is_drawn);
    screen.point((900, 700));
    let (crate_before, crate_after) = ((1080, 350, 1150, 450), (1080, 510, 1150, 590));
    let (beam, sky) = ((690, 540, 890, 740), (320, 60, 1280, 300));

    // The crate is written elsewhere: there it is.
    std::fs::write(&level, text.replace("[4, 0]", "[4, -2]")).unwrap();
    let moved = screen.wait_for("the crate is elsewhere", |now| {
        now.difference(&before, crate_before) > 0.5 && now.difference(&before, crate_after) > 0.5
    });
    assert_eq!(moved.red(sky), 0);

    // A mistake is explained, and the beam goes on turning.
    std::fs::write(&level, text.replace("\"crate\", \"id\"", "\"crat\", \"id\"")).unwrap();
    let broken = screen.wait_for("the mistake is explained", |now| now.red(sky) > 200);
    screen.wait_for("the beam turns", |now| now.difference(&broken, beam) > 0.1);
    assert!(screen.look().red(sky) > 200);

    // Mended by an editor that replaces the file.
    let draft = scratch("draft.json");
    std::fs::write(&draft, text).unwrap();
    std::fs::rename(&draft, &level).unwrap();
    screen.wait_for("nothing is wrong any more, and the crate is back", |now| {
        now.red(sky) == 0 && now.difference(&before, crate_before) < 0.05
    });
    assert!(program.is_running());
    screen.close_window();
    let (status, stderr) = program.end();
    std::fs::remove_file(level).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

#[test]
fn edits_are_saved_with_the_comments_around_them() {
    let Some(screen) = Screen::start() else { return };
    let level = scratch("edited.json");
    let text = "// One crate.\n{ \"format\": 1, \"view\": { \"center\": [0, 0], \"height\": 10 },\n  \
        \"items\": [\n    { \"type\": \"crate\", \"id\": \"crate\", \"size\": [2, 2.0],  \
        \"at\": [0, 0] }, // it floats\n  ] }\n";
    std::fs::write(&level, text).unwrap();
    let mut program = screen.run(&["run", level.to_str().unwrap()]);
    screen.wait_for("the window is drawn", is_drawn);
    screen.point((900, 700));
    let middle = (740, 350, 840, 450);
    let panel = (14, 14, 306, 60);
    let running = screen.look();
    screen.press(X);
    let start = screen.wait_for("edit mode", |now| now.difference(&running, panel) > 0.02);

    // One metre to the right and one up.
    screen.drag((790, 400), (870, 320));
    screen.wait_for("the crate has moved", |now| now.difference(&start, middle) > 0.2);
    screen.chord(CONTROL, S);
    wait_for_file(&level, &text.replace("[0, 0] }, //", "[1, 1] }, //"));
    // Undone and saved, the file is what it was.
    screen.chord(CONTROL, Z);
    screen.chord(CONTROL, S);
    wait_for_file(&level, text);

    // Left and played again, the crate falls; Escape then ends the program.
    screen.press(X);
    screen.wait_for("the crate falls", |now| now.difference(&start, middle) > 0.5);
    assert!(program.is_running());
    screen.press(ESCAPE);
    let (status, stderr) = program.end();
    std::fs::remove_file(level).unwrap();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

/// Colours of the outlines of `impulse` and `pbd`.
const BLUE: [u8; 3] = [0x2e, 0x90, 0xff];
const PINK: [u8; 3] = [0xe1, 0x45, 0xbd];

#[test]
fn solvers_are_overlaid_and_graphed_and_sliders_act() {
    let Some(screen) = Screen::start() else { return };
    let mut program = screen.run(&["run", "demo", "--overlay", "impulse"]);
    screen.wait_for("the window is drawn", is_drawn);
    screen.point((900, 300));
    let inks = |now: &Picture| [BLUE, PINK].map(|color| now.near(color, SCENE) > 300);
    screen.wait_for("outlines of impulse", |now| inks(now) == [true, false]);
    screen.press(O);
    screen.wait_for("outlines of pbd as well", |now| inks(now) == [true, true]);

    // Something is dropped and thrown while all three run, and the next one is put in front.
    screen.press(ONE);
    screen.drag((900, 300), (1000, 200));
    screen.press(TAB);
    screen.press(SPACE);
    pause();
    let before = screen.look();
    screen.press(G);
    let charts = (960, 180, 1270, 600);
    screen.wait_for("graphs", |now| now.difference(&before, charts) > 0.3);

    // The knob of the lowest slider, dragged to the right.
    let (x, y) = knob(&screen.look());
    let still = screen.look();
    screen.drag((x, y), (x + 60, y));
    screen.wait_for("the slider follows", |now| {
        differing(&still.orange(PANEL), &now.orange(PANEL)) > 60
    });
    screen.press(SPACE);
    pause();

    // Back in time, frame by frame, and all together.
    screen.press(SPACE);
    pause();
    let now = screen.look();
    for _ in 0..15 {
        screen.press(Z);
    }
    screen.wait_for("an earlier moment", |earlier| earlier.difference(&now, SCENE) > 0.002);
    screen.press(G);
    screen.press(O);
    screen.wait_for("one solver alone", |now| inks(now) == [false, false]);
    assert!(program.is_running());
    screen.press(ESCAPE);
    let (status, stderr) = program.end();
    assert_eq!((status.code(), stderr.as_str()), (Some(0), ""));
}

/// Where the knob of the lowest slider of the panel is.
fn knob(picture: &Picture) -> (i16, i16) {
    let width = PANEL.2 - PANEL.0;
    let orange = picture.orange(PANEL);
    let rows = orange.chunks(width).enumerate();
    // The knob is higher than the track and the letters of a name are narrow.
    let longest = |row: &[bool]| row.split(|set| !set).map(<[bool]>::len).max().unwrap_or(0);
    let knobs = rows.filter(|(_, row)| longest(row) >= 12);
    let (y, row) = knobs.max_by_key(|&(y, _)| y).expect("there is a slider");
    let x = row.iter().rposition(|&set| set).unwrap();
    ((PANEL.0 + x - 6) as i16, (PANEL.1 + y) as i16)
}

#[test]
fn pictures_show_overlay_and_graphs_at_any_size() {
    let Some(screen) = Screen::start() else { return };
    for size in ["800x500", "320x200"] {
        let file = scratch(&format!("{size}.png"));
        let name = file.to_str().unwrap();
        let arguments = ["run", "pyramid", "--overlay", "all", "--graphs", "--at", "0.5"];
        let program =
            screen.run(&[&arguments[..], &["--size", size, "--screenshot", name]].concat());
        let (status, stderr) = program.end();
        assert_eq!((status.code(), stderr.as_str()), (Some(0), ""), "{size}");
        assert!(std::fs::metadata(&file).unwrap().len() > 5_000, "{size}");
        std::fs::remove_file(file).unwrap();
    }
}

#[test]
fn pictures_are_the_same_every_time() {
    let Some(screen) = Screen::start() else { return };
    let take = |file: &std::path::Path| {
        let file = file.to_str().unwrap();
        screen.run(&["run", "demo", "--screenshot", file, "--at", "1.5", "--no-hud"]).end()
    };
    let pictures = [scratch("a.png"), scratch("b.png")].map(|file| {
        let (status, stderr) = take(&file);
        assert_eq!(status.code(), Some(0), "{stderr}");
        let bytes = std::fs::read(&file).unwrap();
        std::fs::remove_file(file).unwrap();
        bytes
    });
    assert!(pictures[0].len() > 20_000, "{} bytes", pictures[0].len());
    assert!(pictures[0] == pictures[1], "two pictures of the same moment differ");

    let (status, stderr) = take("/no/such/folder/picture.png".as_ref());
    assert_eq!(status.code(), Some(2), "{stderr}");
    assert!(stderr.contains("there is no folder /no/such/folder"), "{stderr}");
}
