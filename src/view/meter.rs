//! Times as a person can read them: smoothed, and renewed a few times a second.

use crate::solver::Phases;

/// Times to show, s.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Reading {
    /// From one frame to the next; `None` where there is only one.
    pub(crate) frame: Option<f32>,
    /// The phases of one step.
    pub(crate) phases: Phases,
}

/// Averages times over a short while.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    elapsed: f32,
    phases: Phases,
    frames: u32,
    steps: u32,
    shown: Reading,
}

impl Meter {
    /// How long times are gathered before they are shown, s.
    const WINDOW: f32 = 0.4;

    /// A frame took `seconds`, and its last step, if there was one, `phases`.
    pub(crate) fn frame(&mut self, seconds: f32, phases: Option<Phases>) {
        self.elapsed += seconds;
        self.frames += 1;
        if let Some(phases) = phases {
            self.phases.broad += phases.broad;
            self.phases.narrow += phases.narrow;
            self.phases.solve += phases.solve;
            self.phases.integrate += phases.integrate;
            self.steps += 1;
        }
        if self.elapsed < Self::WINDOW {
            return;
        }
        self.shown.frame = Some(self.elapsed / self.frames as f32);
        if self.steps > 0 {
            let share = 1.0 / self.steps as f32;
            let Phases { broad, narrow, solve, integrate } = self.phases;
            self.shown.phases = Phases {
                broad: share * broad,
                narrow: share * narrow,
                solve: share * solve,
                integrate: share * integrate,
            };
        }
        *self = Self { shown: self.shown, ..Self::default() };
    }

    /// Begins to gather; until there is something to show, times are 0.
    pub(crate) fn start() -> Self {
        Self { shown: Reading { frame: Some(0.0), ..Reading::default() }, ..Self::default() }
    }

    /// What to show now.
    pub(crate) fn reading(&self) -> Reading {
        self.shown
    }

    /// Shows the times of a single step at once, and no frame time.
    pub(crate) fn show(&mut self, phases: Phases) {
        self.shown = Reading { frame: None, phases };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_means_and_keeps_step_times_while_paused() {
        let mut meter = Meter::default();
        let phases = Phases { solve: 0.002, ..Phases::default() };
        for i in 0..41 {
            meter.frame(0.01, (i % 2 == 0).then_some(phases));
        }
        let shown = meter.reading();
        assert!((shown.frame.unwrap() - 0.01).abs() < 1e-6);
        assert!((shown.phases.solve - 0.002).abs() < 1e-6);
        for _ in 0..200 {
            meter.frame(0.02, None);
        }
        assert!((meter.reading().frame.unwrap() - 0.02).abs() < 1e-6);
        assert!((meter.reading().phases.solve - 0.002).abs() < 1e-6);
    }
}
