//! What a level promises about itself: the data of its `expect` block.
//!
//! Only the words are here. Reading them is the level loader's job, judging them that of
//! `metrics`, so that neither depends on the other.

use crate::settings::SolverKind;

/// A promise: a measured quantity lies within bounds at a time, or all through an interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Expectation {
    /// When the interval begins, s. Equal to `at` for a single instant.
    pub from: f64,
    /// When it is judged, s.
    pub at: f64,
    /// What is measured.
    pub subject: Subject,
    /// It must stay above this.
    pub above: Option<f64>,
    /// It must stay below this.
    pub below: Option<f64>,
    /// The backends that promise it; empty for all.
    pub solvers: Vec<SolverKind>,
    /// The line of the level file, from 1; 0 where there is no file.
    pub line: usize,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq)]
pub enum Subject {
    /// A quantity of the whole world.
    Metric(Metric),
    /// A quantity of one body.
    Body {
        /// Its id.
        id: String,
        /// What about it.
        quantity: Quantity,
    },
}

/// Quantities of the whole world. Over an interval, the worst value in it counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metric {
    /// Deepest overlap of two pieces, m.
    MaxPenetration,
    /// Largest relative length error of a stiff edge.
    MaxStretch,
    /// Largest distance between the two anchors of a joint, m.
    MaxJointError,
    /// Kinetic energy, J.
    Kinetic,
    /// Kinetic energy per kilogram of moving mass, J/kg.
    KineticPerKg,
    /// Kinetic, gravity and elastic energy above that at the start, J.
    EnergyGain,
    /// Change of momentum, relative to Σ m·|v|.
    MomentumDrift,
    /// Bodies that left the bounds.
    Escaped,
    /// Pieces with negative area.
    Inverted,
    /// Time after which kinetic energy per kilogram stays below 1e-3 J/kg, s.
    SettledAt,
}

impl Metric {
    /// All of them with the names used in levels.
    pub const NAMED: [(&'static str, Self); 10] = [
        ("max_penetration_m", Self::MaxPenetration),
        ("max_stretch", Self::MaxStretch),
        ("max_joint_error_m", Self::MaxJointError),
        ("kinetic_j", Self::Kinetic),
        ("kinetic_per_kg", Self::KineticPerKg),
        ("energy_gain_j", Self::EnergyGain),
        ("momentum_drift", Self::MomentumDrift),
        ("escaped", Self::Escaped),
        ("inverted", Self::Inverted),
        ("settled_at_s", Self::SettledAt),
    ];

    /// The name used in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, metric)| *metric == self).map_or("", |(name, _)| name)
    }
}

/// Quantities of one body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Distance of its centre from where it started, m.
    Moved,
    /// Speed of its centre, m/s.
    Speed,
    /// Angle turned since the start, counted through full turns, degrees; positive counter-clockwise.
    Turned,
    /// Horizontal position of its centre, m.
    X,
    /// Vertical position of its centre, m.
    Y,
}

impl Quantity {
    /// All of them with the names used in levels.
    pub const NAMED: [(&'static str, Self); 5] = [
        ("moved", Self::Moved),
        ("speed", Self::Speed),
        ("turned", Self::Turned),
        ("x", Self::X),
        ("y", Self::Y),
    ];

    /// The name used in levels.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, quantity)| *quantity == self).map_or("", |(name, _)| name)
    }
}
