//! The mouse, frame by frame.
//!
//! The window library tells where the mouse is, not where it was when a button went down. In a slow
//! frame the two can be far apart, and a quick grab would miss; so this listens to the events too.

use macroquad::input::utils::{register_input_subscriber, repeat_all_miniquad_input};
use macroquad::input::{
    MouseButton, is_mouse_button_down, is_mouse_button_released, mouse_position, mouse_wheel,
};
use macroquad::miniquad::{self, EventHandler};
use macroquad::window::screen_dpi_scale;

use crate::math::Vec2;

/// What the mouse did in a frame.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Mouse {
    /// Where it is, px.
    pub(crate) at: Vec2,
    /// How far it moved since the last frame, px.
    pub(crate) moved: Vec2,
    /// Where the left button went down, if it did.
    pub(crate) pressed: Option<Vec2>,
    /// Whether the left button went up.
    pub(crate) released: bool,
    /// Whether the left button is down.
    pub(crate) down: bool,
    /// Whether a button that moves the camera is down.
    pub(crate) panning: bool,
    /// Notches of the wheel: 1 away from the user, −1 towards them, 0 for none.
    pub(crate) wheel: f32,
}

/// Listens to the mouse.
pub(crate) struct MouseListener {
    subscriber: usize,
    last: Vec2,
}

impl MouseListener {
    /// Begins to listen. The window must be open.
    pub(crate) fn new() -> Self {
        Self { subscriber: register_input_subscriber(), last: Vec2::from(mouse_position()) }
    }

    /// What happened since the last call.
    pub(crate) fn read(&mut self) -> Mouse {
        let mut presses = Presses::default();
        repeat_all_miniquad_input(&mut presses, self.subscriber);
        let at = Vec2::from(mouse_position());
        let moved = at - std::mem::replace(&mut self.last, at);
        // How much a notch counts differs from system to system; its direction does not.
        let wheel = mouse_wheel().1;
        Mouse {
            at,
            moved,
            pressed: presses.last.map(|place| place / screen_dpi_scale()),
            released: is_mouse_button_released(MouseButton::Left),
            down: is_mouse_button_down(MouseButton::Left),
            panning: is_mouse_button_down(MouseButton::Right)
                || is_mouse_button_down(MouseButton::Middle),
            wheel: if wheel == 0.0 { 0.0 } else { wheel.signum() },
        }
    }
}

/// Remembers where the left button went down last, in physical pixels.
#[derive(Default)]
struct Presses {
    last: Option<Vec2>,
}

impl EventHandler for Presses {
    fn update(&mut self) {}

    fn draw(&mut self) {}

    fn mouse_button_down_event(&mut self, button: miniquad::MouseButton, x: f32, y: f32) {
        if button == miniquad::MouseButton::Left {
            self.last = Some(Vec2::new(x, y));
        }
    }
}
