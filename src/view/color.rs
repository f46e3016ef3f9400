//! Colours: a small value type and the palette of the window.
//!
//! The scene is painted in daylight (pale sky, warm materials); everything that is not part of the
//! scene (panels, overlays) is dark ink with one accent, so that the two never blend.

use crate::settings::SolverKind;

/// Red, green, blue (sRGB) and opacity, 0 to 255; not premultiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(pub [u8; 4]);

impl Color {
    /// An opaque colour written as `0xRRGGBB`.
    pub(crate) const fn hex(rgb: u32) -> Self {
        Self([(rgb >> 16) as u8, (rgb >> 8) as u8, rgb as u8, 255])
    }

    /// An opaque colour from red, green and blue.
    pub(crate) const fn opaque([r, g, b]: [u8; 3]) -> Self {
        Self([r, g, b, 255])
    }

    /// The same colour with opacity `alpha`, 0 to 1.
    pub(crate) fn with_alpha(self, alpha: f32) -> Self {
        let [r, g, b, _] = self.0;
        Self([r, g, b, byte(alpha.clamp(0.0, 1.0) * 255.0)])
    }

    /// The same colour, quite transparent.
    pub(crate) const fn clear(self) -> Self {
        let [r, g, b, _] = self.0;
        Self([r, g, b, 0])
    }

    /// The same colour, its opacity multiplied by `factor`.
    pub(crate) fn faded(self, factor: f32) -> Self {
        self.with_alpha(f32::from(self.0[3]) / 255.0 * factor)
    }

    /// The colour `t` of the way to `other`.
    pub(crate) fn mix(self, other: Self, t: f32) -> Self {
        let t = t.clamp(0.0, 1.0);
        let mut mixed = self.0;
        for (channel, target) in mixed.iter_mut().zip(other.0) {
            let value = f32::from(*channel) + t * (f32::from(target) - f32::from(*channel));
            *channel = byte(value);
        }
        Self(mixed)
    }

    /// Nearer to white by `t`.
    pub(crate) fn lighter(self, t: f32) -> Self {
        self.mix(Self([255, 250, 240, self.0[3]]), t)
    }

    /// Nearer to ink by `t`.
    pub(crate) fn darker(self, t: f32) -> Self {
        let [r, g, b, _] = INK.0;
        self.mix(Self([r, g, b, self.0[3]]), t)
    }
}

/// The whole number nearest to one from 0 to 255. `round` is a call into the system's library on
/// processors as they are assumed, and there are some for every figure.
fn byte(value: f32) -> u8 {
    (value + 0.5) as u8
}

/// Outlines and panels.
pub(crate) const INK: Color = Color::hex(0x1c2431);
/// The sky at the top of the window.
pub(crate) const SKY_TOP: Color = Color::hex(0xbcd3e6);
/// The sky at the bottom of the window.
pub(crate) const SKY_BOTTOM: Color = Color::hex(0xf5eee0);
/// Text on panels.
pub(crate) const PAPER: Color = Color::hex(0xf1f4f7);
/// Second-rank text on panels.
pub(crate) const MUTED: Color = Color::hex(0xa9b7c6);
/// What is active or can be taken hold of.
pub(crate) const ACCENT: Color = Color::hex(0xf5b04c);
/// Something is wrong.
pub(crate) const ALARM: Color = Color::hex(0xef6a5a);
/// A cool counterpart of the accent.
pub(crate) const COOL: Color = Color::hex(0x5aa9e6);

/// The colour of a backend where several are shown together: on pale sky, wood and dark panels alike.
pub(crate) fn of_solver(solver: SolverKind) -> Color {
    match solver {
        SolverKind::Verlet => Color::hex(0xff7a1a),
        SolverKind::Impulse => Color::hex(0x2e90ff),
        SolverKind::Pbd => Color::hex(0xe145bd),
        SolverKind::Custom(_) => Color::hex(0x33b07a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mixing_reaches_both_ends() {
        let (a, b) = (Color::hex(0x102030), Color::hex(0xf0e0d0));
        assert_eq!(a.mix(b, 0.0), a);
        assert_eq!(a.mix(b, 1.0), b);
        assert_eq!(a.with_alpha(0.5).faded(0.5).0[3], 64);
    }
}
