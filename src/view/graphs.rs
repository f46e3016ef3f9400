//! Graphs of the last seconds: energy, kinetic energy, deepest overlap and step time, one line for
//! each backend, one chart below the other at the right of the window.

use crate::math::Vec2;
use crate::settings::SolverKind;
use crate::sim::Sim;
use crate::view::axis::{Axis, prefix, short};
use crate::view::color::{MUTED, PAPER, of_solver};
use crate::view::geometry::Geometry;
use crate::view::hud::panel_box;
use crate::view::layer::Layer;
use crate::view::text::{Face, Fonts};
use crate::view::trace::{Quantity, Trace};

const TITLE: (u16, Face) = (14, Face::Sans);
const SMALL: (u16, Face) = (12, Face::Sans);
const VALUE: (u16, Face) = (13, Face::Mono);
const TICK: (u16, Face) = (11, Face::Mono);
const PADDING: f32 = 12.0;
/// Room for the numbers at the left of a plot, px.
const LABELS: f32 = 42.0;
/// Height of a title and of the gap below a plot, px.
const HEAD: f32 = 29.0;
const GAP: f32 = 10.0;
/// Room for the numbers below the last plot, px.
const FOOT: f32 = 16.0;
/// Heights between which plots are made to fit, px.
const PLOT: (f32, f32) = (26.0, 84.0);
/// Widths between which the panel is made to fit, px.
const WIDTH: (f32, f32) = (210.0, 312.0);

/// What is said of a quantity.
struct Saying {
    name: &'static str,
    unit: &'static str,
    /// Values that are no farther apart fill only a part of the plot: it does not show rounding.
    least: f64,
    from_zero: bool,
}

impl Quantity {
    fn saying(self) -> Saying {
        match self {
            Self::Energy => Saying { name: "Energy", unit: "J", least: 1e-3, from_zero: false },
            Self::Kinetic => Saying { name: "Kinetic", unit: "J", least: 1e-3, from_zero: true },
            Self::Depth => Saying { name: "Overlap", unit: "m", least: 1e-3, from_zero: true },
            Self::StepTime => Saying { name: "Step", unit: "s", least: 1e-4, from_zero: true },
        }
    }
}

/// The charts, and what they show.
#[derive(Default)]
pub(crate) struct Graphs {
    shown: bool,
    trace: Trace,
    panel: Option<(Vec2, Vec2)>,
    line: Vec<Vec2>,
}

impl Graphs {
    /// Shows or hides the graphs; returns whether they are shown now. They begin anew each time.
    pub(crate) fn toggle(&mut self) -> bool {
        *self = Self { shown: !self.shown, ..Self::default() };
        self.shown
    }

    /// Takes readings, as long as the graphs are shown.
    pub(crate) fn observe<'a>(&mut self, sims: impl Iterator<Item = &'a Sim> + Clone) {
        if self.shown {
            self.trace.observe(sims);
        }
    }

    /// How wide the graphs are in a window of this size, `left` pixels of which are taken; 0 while
    /// they are hidden or do not fit.
    pub(crate) fn width(&self, screen: Vec2, left: f32) -> f32 {
        let width = (0.45 * (screen.x - left)).min(WIDTH.1);
        let least = HEAD + PLOT.0 + FOOT + 140.0;
        if self.shown && width >= WIDTH.0 && screen.y >= least { width } else { 0.0 }
    }

    /// Whether the mouse is over the graphs.
    pub(crate) fn covers(&self, mouse: Vec2) -> bool {
        self.panel.is_some_and(|(min, max)| mouse.cmpge(min).all() && mouse.cmple(max).all())
    }

    /// Draws as many charts as fit between `min` and `max`.
    pub(crate) fn draw(
        &mut self,
        layer: &mut Layer,
        fonts: &Fonts,
        (min, max): (Vec2, Vec2),
        solvers: &[SolverKind],
    ) {
        self.panel = None;
        if max.x - min.x < WIDTH.0 {
            return;
        }
        let room = max.y - min.y - 2.0 * PADDING - FOOT;
        let count = ((room + GAP) / (HEAD + PLOT.0 + GAP)).floor().clamp(0.0, 4.0);
        if count < 1.0 {
            return;
        }
        let plot = ((room + GAP) / count - HEAD - GAP).min(PLOT.1);
        let height = count * (HEAD + plot + GAP) - GAP + FOOT + 2.0 * PADDING;
        let max = Vec2::new(max.x, min.y + height);
        self.panel = Some((min, max));
        panel_box(layer, min, max);
        let mut top = min.y + PADDING;
        for quantity in Quantity::ALL.into_iter().take(count as usize) {
            let low = Vec2::new(min.x + PADDING + LABELS, top + HEAD);
            let high = Vec2::new(max.x - PADDING, top + HEAD + plot);
            self.chart(layer, fonts, (low, high), quantity, solvers);
            top += HEAD + plot + GAP;
        }
        self.seconds(layer, fonts, min.x + PADDING + LABELS, max.x - PADDING, top - GAP);
    }

    fn chart(
        &mut self,
        layer: &mut Layer,
        fonts: &Fonts,
        (min, max): (Vec2, Vec2),
        quantity: Quantity,
        solvers: &[SolverKind],
    ) {
        let saying = quantity.saying();
        let axis = self.axis(quantity, &saying);
        let (unit, prefix) = prefix(axis.low.abs().max(axis.high.abs()));
        layer.geometry.gradient(min, max, PAPER.with_alpha(0.05), PAPER.with_alpha(0.05));
        for tick in axis.ticks() {
            let y = max.y - axis.place(tick) * (max.y - min.y);
            let strength = if tick == 0.0 { 0.35 } else { 0.13 };
            let (left, right) = (Vec2::new(min.x, y), Vec2::new(max.x, y));
            layer.geometry.line(left, right, 1.0, PAPER.with_alpha(strength));
            let label = axis.label(tick, unit);
            let x = min.x - 5.0 - fonts.width(&label, TICK.0, TICK.1);
            layer.text(label, Vec2::new(x, y + 4.0), TICK, MUTED);
        }
        // Those that are no longer shown leave their line, the one in front is on top.
        let past = self.trace.solvers().filter(|solver| !solvers.contains(solver));
        let order: Vec<_> = past.chain(solvers.iter().rev().copied()).collect();
        for solver in order {
            let strength = if solvers.contains(&solver) { 1.0 } else { 0.4 };
            self.plot((min, max), quantity, solver, axis);
            curve(&mut layer.geometry, &self.line, solver, strength);
        }
        let base = min.y - 12.0;
        let left = min.x - LABELS;
        layer.text(saying.name, Vec2::new(left, base), TITLE, PAPER);
        let name = left + fonts.width(saying.name, TITLE.0, TITLE.1) + 6.0;
        layer.text(format!("{prefix}{}", saying.unit), Vec2::new(name, base), SMALL, MUTED);
        let mut right = max.x;
        for &solver in solvers.iter().rev() {
            if let Some((_, value)) = self.trace.values(solver, quantity).next_back() {
                let text = short(value / unit);
                right -= fonts.width(&text, VALUE.0, VALUE.1);
                layer.text(text, Vec2::new(right, base), VALUE, of_solver(solver).lighter(0.25));
                right -= 10.0;
            }
        }
    }

    /// The axis that holds all readings of a quantity.
    fn axis(&self, quantity: Quantity, saying: &Saying) -> Axis {
        let values = || self.trace.solvers().flat_map(|s| self.trace.values(s, quantity));
        let finite = || values().map(|(_, value)| value).filter(|value| value.is_finite());
        let high = finite().fold(f64::NEG_INFINITY, f64::max);
        let low = if saying.from_zero { 0.0 } else { finite().fold(f64::INFINITY, f64::min) };
        if high < low {
            return Axis::around(0.0, saying.least, saying.least, 2.0);
        }
        // A hundredth of what there is counts as much: energy that is kept is a level line.
        let least =
            saying.least.max(if saying.from_zero { 0.0 } else { 0.02 * high.abs().max(low.abs()) });
        Axis::around(low, high, least, 2.0)
    }

    /// Puts the line of a backend into `self.line`: of every other pixel's readings the lowest and the
    /// highest.
    fn plot(
        &mut self,
        (min, max): (Vec2, Vec2),
        quantity: Quantity,
        solver: SolverKind,
        axis: Axis,
    ) {
        let start = self.trace.now() - Trace::SPAN;
        let values = self.trace.values(solver, quantity).filter(|(_, value)| value.is_finite());
        let places = values.map(|(time, value)| {
            let along = ((time - start) / Trace::SPAN) as f32;
            let up = axis.place(value).clamp(0.0, 1.0);
            Vec2::new(min.x + along * (max.x - min.x), max.y - up * (max.y - min.y))
        });
        self.line.clear();
        thin_out(places.filter(|place| place.x >= min.x), &mut self.line);
    }

    /// How long ago, below the last chart.
    fn seconds(&self, layer: &mut Layer, fonts: &Fonts, left: f32, right: f32, y: f32) {
        let span = Trace::SPAN;
        for part in [0.0, 0.5, 1.0] {
            let text = match part {
                1.0 => "now".to_owned(),
                _ => format!("−{:.0} s", (1.0 - part) * span),
            };
            let x = left + part as f32 * (right - left);
            let tick = Vec2::new(x, y);
            layer.geometry.line(tick, tick + Vec2::new(0.0, 4.0), 1.0, PAPER.with_alpha(0.5));
            let width = fonts.width(&text, TICK.0, TICK.1);
            let at = (x - 0.5 * width).min(right - width);
            layer.text(text, Vec2::new(at, y + 15.0), TICK, MUTED);
        }
    }
}

/// Keeps of the places in each pair of pixels the lowest and the highest, in their order.
fn thin_out(places: impl Iterator<Item = Vec2>, line: &mut Vec<Vec2>) {
    let column = |place: Vec2| (0.5 * place.x).floor();
    let mut ends: Option<(Vec2, Vec2)> = None;
    let put = |(a, b): (Vec2, Vec2), line: &mut Vec<Vec2>| {
        let (first, second) = if a.x <= b.x { (a, b) } else { (b, a) };
        line.push(first);
        if second != first {
            line.push(second);
        }
    };
    for place in places {
        ends = Some(match ends {
            Some((low, high)) if column(low) == column(place) => (
                if place.y < low.y { place } else { low },
                if place.y > high.y { place } else { high },
            ),
            before => {
                if let Some(before) = before {
                    put(before, line);
                }
                (place, place)
            }
        });
    }
    if let Some(last) = ends {
        put(last, line);
    }
}

fn curve(geometry: &mut Geometry, line: &[Vec2], solver: SolverKind, strength: f32) {
    let color = of_solver(solver).faded(strength);
    for pair in line.windows(2) {
        geometry.line(pair[0], pair[1], 1.6, color);
    }
    if let Some(&last) = line.last() {
        geometry.disc(last, 2.4, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_thinned_out_and_keep_their_peaks() {
        let places = (0..1000).map(|k| {
            let y = if k == 500 { 90.0 } else { (k % 2) as f32 };
            Vec2::new(0.1 * k as f32, y)
        });
        let mut line = Vec::new();
        thin_out(places, &mut line);
        assert!(line.len() <= 102, "{} points", line.len());
        assert!(line.iter().any(|place| place.y == 90.0), "the peak is lost");
        assert!(line.is_sorted_by(|a, b| a.x <= b.x));
        let mut single = Vec::new();
        thin_out([Vec2::ONE].into_iter(), &mut single);
        assert_eq!(single, [Vec2::ONE]);
    }

    #[test]
    fn graphs_take_no_room_where_there_is_none() {
        let mut graphs = Graphs::default();
        assert_eq!(graphs.width(Vec2::new(1280.0, 800.0), 306.0), 0.0);
        assert!(graphs.toggle());
        assert_eq!(graphs.width(Vec2::new(1280.0, 800.0), 306.0), WIDTH.1);
        assert_eq!(graphs.width(Vec2::new(640.0, 400.0), 306.0), 0.0);
        assert_eq!(graphs.width(Vec2::new(1280.0, 150.0), 306.0), 0.0);
        assert!(graphs.width(Vec2::new(800.0, 500.0), 306.0) > 0.0);
        assert!(!graphs.toggle() && !graphs.covers(Vec2::ZERO));
    }
}
