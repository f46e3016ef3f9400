//! What a body is made of, what it collides with, and how it looks.

/// What a body is made of, and how it goes through the air.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Mass per area, kg/m² (a body is one metre deep, so this is the usual kg/m³).
    pub density: f32,
    /// Coulomb friction coefficient μ. Two bodies slide at `√(μ₁·μ₂)`.
    pub friction: f32,
    /// Ratio of the speeds after and before an impact, 0 to 1. Two bodies take the larger.
    pub restitution: f32,
    /// How strongly gravity pulls on it, as a multiple: at 0 it floats, below it rises. Its inertia is what its mass makes it.
    pub gravity_scale: f32,
    /// The rate at which its velocity fades, 1/s: after `t` seconds without a force `exp(−rate·t)` of it is left, and
    /// under gravity `g` it falls at `g / rate` in the end, to the second order of the rate times the length of a step (2 %
    /// too fast at 30 1/s and 60 Hz, 20 % at 100). What is rigid turns on; a soft body swings and turns less, too.
    pub linear_damping: f32,
    /// The rate at which motion about its centre of mass fades, 1/s: its spin, and what a soft body swings.
    pub angular_damping: f32,
}

impl Default for Material {
    /// Wood: 600 kg/m³, μ 0.6, restitution 0.05, in no air.
    fn default() -> Self {
        Self::new(600.0, 0.6, 0.05)
    }
}

impl Material {
    /// A material of this density, kg/m³, friction and restitution, on which gravity pulls as it does, in no air.
    #[must_use]
    pub const fn new(density: f32, friction: f32, restitution: f32) -> Self {
        Self {
            density,
            friction,
            restitution,
            gravity_scale: 1.0,
            linear_damping: 0.0,
            angular_damping: 0.0,
        }
    }

    /// Whether anything slows it down as it moves on by itself.
    #[inline]
    #[must_use]
    pub fn is_damped(&self) -> bool {
        self.linear_damping > 0.0 || self.angular_damping > 0.0
    }

    /// The friction and restitution of two materials in touch: geometric mean and maximum, as in
    /// Box2D.
    #[must_use]
    pub fn mix(a: &Self, b: &Self) -> (f32, f32) {
        ((a.friction * b.friction).sqrt(), a.restitution.max(b.restitution))
    }
}

/// What collides with what. Two bodies collide when each one's category is in the other's mask,
/// unless they share a group other than 0: then a positive group always and a negative one never
/// collides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter {
    /// The bits this body is.
    pub category: u32,
    /// The bits this body collides with.
    pub mask: u32,
    /// Overrides category and mask between members of the same group; 0 is no group.
    pub group: i32,
}

impl Default for Filter {
    fn default() -> Self {
        Self { category: 1, mask: u32::MAX, group: 0 }
    }
}

impl Filter {
    /// Whether bodies with these filters collide.
    #[must_use]
    pub fn collides(self, other: Self) -> bool {
        if self.group != 0 && self.group == other.group {
            return self.group > 0;
        }
        self.category & other.mask != 0 && other.category & self.mask != 0
    }
}

/// How a body is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Red, green, blue; 0 to 255.
    pub color: [u8; 3],
    /// Bodies of a higher layer are drawn over those of a lower one.
    pub layer: i8,
    /// What is painted on the figure.
    pub style: Style,
}

impl Default for Look {
    fn default() -> Self {
        Self { color: [0xb5, 0x79, 0x3a], layer: 0, style: Style::Plain }
    }
}

/// What is painted on a body's figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Style {
    /// Colour and outline.
    #[default]
    Plain,
    /// A wooden crate: frame and planks.
    Crate,
    /// A ball with a stripe, so that its rotation can be seen.
    Ball,
    /// A head in profile with hair and an eye.
    Head {
        /// The colour of the hair: red, green, blue; 0 to 255.
        hair: [u8; 3],
        /// Whether the face is on the left side of the body's own frame, not on the right.
        facing_left: bool,
    },
    /// Ground: what never moves.
    Ground,
    /// A twisted rope along points in a row.
    Rope,
    /// A board that bends, along points in a row.
    Beam,
    /// Woven cloth.
    Cloth,
    /// A see-through solid.
    Jelly,
    /// A smooth skin around something heavy.
    Blob,
    /// A smooth tight skin around gas.
    Balloon,
}
