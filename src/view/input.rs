//! The mouse and the keys, frame by frame.
//!
//! The window library tells where the mouse is and which keys are down at the end of a frame, not
//! how it came to that. In a slow frame much happens: the mouse is far from where its button went
//! down, and of Control and S both may be up again. So this listens to the events, one by one: every
//! press of a key counts, in the order in which they came, with what was held at that moment.

use macroquad::input::utils::{register_input_subscriber, repeat_all_miniquad_input};
use macroquad::input::{
    KeyCode, MouseButton, is_mouse_button_down, is_mouse_button_released, mouse_position,
    mouse_wheel,
};
use macroquad::miniquad::{self, EventHandler, KeyMods};
use macroquad::window::screen_dpi_scale;

use crate::math::Vec2;

/// What the user did in a frame.
#[derive(Debug, Default)]
pub(crate) struct Input {
    pub(crate) mouse: Mouse,
    /// The keys that went down, in their order.
    pub(crate) strokes: Vec<Stroke>,
}

/// What the mouse did in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mouse {
    /// Where it is, px.
    pub(crate) at: Vec2,
    /// How far it moved since the last frame, px.
    pub(crate) moved: Vec2,
    /// How the left button went down, if it did.
    pub(crate) pressed: Option<Press>,
    /// Whether the left button went up.
    pub(crate) released: bool,
    /// Whether the left button is down.
    pub(crate) down: bool,
    /// Whether a button that moves the camera is down.
    pub(crate) panning: bool,
    /// Notches of the wheel: 1 away from the user, −1 towards them, 0 for none.
    pub(crate) wheel: f32,
}

/// The left button of the mouse went down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Press {
    /// Where, px.
    pub(crate) at: Vec2,
    /// Whether a shift key was held.
    pub(crate) shift: bool,
}

/// A key went down.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stroke {
    pub(crate) key: KeyCode,
    /// Whether a control key was held, or the command key of a Mac.
    pub(crate) control: bool,
    /// Whether a shift key was held.
    pub(crate) shift: bool,
}

/// Listens to the mouse and the keys.
pub(crate) struct Listener {
    subscriber: usize,
    events: Events,
    /// Where the mouse was in the last frame, px.
    last: Vec2,
}

impl Listener {
    /// Begins to listen. The window must be open.
    pub(crate) fn new() -> Self {
        Self {
            subscriber: register_input_subscriber(),
            events: Events::default(),
            last: Vec2::from(mouse_position()),
        }
    }

    /// What happened since the last call.
    pub(crate) fn read(&mut self) -> Input {
        repeat_all_miniquad_input(&mut self.events, self.subscriber);
        let at = Vec2::from(mouse_position());
        let moved = at - std::mem::replace(&mut self.last, at);
        // How much a notch counts differs from system to system; its direction does not.
        let wheel = mouse_wheel().1;
        let pressed = self.events.press.take();
        let mouse = Mouse {
            at,
            moved,
            pressed: pressed.map(|press| Press { at: press.at / screen_dpi_scale(), ..press }),
            released: is_mouse_button_released(MouseButton::Left),
            down: is_mouse_button_down(MouseButton::Left),
            panning: is_mouse_button_down(MouseButton::Right)
                || is_mouse_button_down(MouseButton::Middle),
            wheel: if wheel == 0.0 { 0.0 } else { wheel.signum() },
        };
        Input { mouse, strokes: std::mem::take(&mut self.events.strokes) }
    }
}

/// What the events of a frame come to.
#[derive(Default)]
struct Events {
    strokes: Vec<Stroke>,
    /// How the left button went down last, in physical pixels.
    press: Option<Press>,
    /// Whether a shift key is down: events of the mouse do not say.
    shift: bool,
}

impl EventHandler for Events {
    fn update(&mut self) {}

    fn draw(&mut self) {}

    fn key_down_event(&mut self, key: KeyCode, held: KeyMods, repeat: bool) {
        // What is held is told as it was before this key.
        self.shift = held.shift || is_shift(key);
        if !repeat {
            let control = held.ctrl || held.logo;
            self.strokes.push(Stroke { key, control, shift: held.shift });
        }
    }

    fn key_up_event(&mut self, key: KeyCode, held: KeyMods) {
        self.shift = held.shift && !is_shift(key);
    }

    fn mouse_button_down_event(&mut self, button: miniquad::MouseButton, x: f32, y: f32) {
        if button == miniquad::MouseButton::Left {
            self.press = Some(Press { at: Vec2::new(x, y), shift: self.shift });
        }
    }
}

fn is_shift(key: KeyCode) -> bool {
    matches!(key, KeyCode::LeftShift | KeyCode::RightShift)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONTROL: KeyMods = KeyMods { shift: false, ctrl: true, alt: false, logo: false };
    const SHIFT: KeyMods = KeyMods { shift: true, ctrl: false, alt: false, logo: false };
    const NOTHING: KeyMods = KeyMods { shift: false, ctrl: false, alt: false, logo: false };

    /// Control, which went down in the frame before, and S go up again before this frame ends.
    #[test]
    fn a_chord_that_is_over_within_a_frame_counts() {
        let mut events = Events::default();
        events.key_down_event(KeyCode::S, CONTROL, false);
        events.key_up_event(KeyCode::S, CONTROL);
        events.key_up_event(KeyCode::LeftControl, CONTROL);
        events.key_down_event(KeyCode::S, NOTHING, false);
        events.key_down_event(KeyCode::S, NOTHING, true);
        let read: Vec<_> = events.strokes.iter().map(|s| (s.key, s.control, s.shift)).collect();
        assert_eq!(read, [(KeyCode::S, true, false), (KeyCode::S, false, false)]);
    }

    #[test]
    fn a_click_knows_whether_shift_was_held_with_it() {
        let mut events = Events::default();
        let click = |events: &mut Events| {
            events.mouse_button_down_event(miniquad::MouseButton::Left, 3.0, 4.0);
            events.press.take().unwrap()
        };
        events.key_down_event(KeyCode::LeftShift, NOTHING, false);
        assert_eq!(click(&mut events), Press { at: Vec2::new(3.0, 4.0), shift: true });
        events.key_up_event(KeyCode::LeftShift, SHIFT);
        assert!(!click(&mut events).shift);
        events.key_down_event(KeyCode::D, SHIFT, false);
        assert!(click(&mut events).shift);
    }
}
