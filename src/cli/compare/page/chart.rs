//! A line chart as inline SVG. Colours are the page's, by the class of a line, so that they follow
//! its light and its dark look.

use std::fmt::Write as _;

use maud::{Markup, html};

use super::axis::{Axis, Scale};

/// Size of the drawing in its own units.
const SIZE: [f64; 2] = [600.0, 250.0];
/// Room for labels: left, right, top, bottom.
const MARGIN: [f64; 4] = [70.0, 14.0, 10.0, 36.0];

/// Several lines over time.
pub(super) struct Chart<'a> {
    pub(super) title: &'a str,
    pub(super) about: &'a str,
    pub(super) scale: Scale,
    /// A value in words, with its unit.
    pub(super) unit: fn(f64) -> String,
    pub(super) lines: Vec<Line<'a>>,
    /// The simulated time at the right end, s.
    pub(super) end: f64,
}

/// A line: time in seconds, and a value.
pub(super) struct Line<'a> {
    pub(super) name: &'a str,
    /// Which of the colours of the page.
    pub(super) color: usize,
    pub(super) points: Vec<[f64; 2]>,
}

impl Chart<'_> {
    /// Whether there is anything but zeros to show.
    pub(super) fn shows_something(&self) -> bool {
        let mut values = self.lines.iter().flat_map(|line| &line.points).map(|point| point[1]);
        values.any(|value| value.is_finite() && value != 0.0)
    }

    /// The chart with title and legend.
    pub(super) fn render(&self) -> Markup {
        let values = self.lines.iter().flat_map(|line| &line.points).map(|point| point[1]);
        let (x, y) = (Axis::time(self.end), Axis::around(values, self.scale));
        let [left, right, top, bottom] = MARGIN;
        let [width, height] = SIZE;
        let across = |time: f64| left + (width - left - right) * x.place(time);
        let down = |value: f64| height - bottom - (height - top - bottom) * y.place(value);
        html! {
            figure class="chart" {
                figcaption {
                    h3 { (self.title) }
                    p { (self.about) @if self.scale == Scale::Log { " Logarithmic." } }
                }
                svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(self.title) {
                    @for tick in y.ticks() {
                        @let at = number(down(tick));
                        line class=(if tick == 0.0 { "zero" } else { "grid" })
                            x1=(left) x2=(width - right) y1=(at) y2=(at) {}
                        text class="tick" x=(left - 8.0) y=(at) dy="0.35em" text-anchor="end" {
                            ((self.unit)(tick))
                        }
                    }
                    @for tick in x.ticks() {
                        @let at = number(across(tick));
                        line class="grid" x1=(at) x2=(at) y1=(top) y2=(height - bottom) {}
                        text class="tick" x=(at) y=(height - bottom + 16.0) text-anchor="middle" {
                            (plain(tick))
                        }
                    }
                    text class="tick" x=(width - right) y=(height - 4.0) text-anchor="end" {
                        "simulated time, s"
                    }
                    @for line in &self.lines {
                        path class=(class(line.color)) d=(path(&line.points, across, down)) {
                            title { (line.name) }
                        }
                    }
                }
                ul class="legend" {
                    @for line in &self.lines {
                        li { (swatch(line.color)) (line.name) }
                    }
                }
            }
        }
    }
}

/// The class of a line of a colour. There are twelve: six colours, whole and dashed.
fn class(color: usize) -> String {
    format!("line run-{}", color % 12)
}

/// A short piece of the line of a run.
pub(super) fn swatch(color: usize) -> Markup {
    html! {
        svg class="swatch" viewBox="0 0 24 8" aria-hidden="true" {
            path class=(class(color)) d="M1 4H23" {}
        }
    }
}

/// The line through the points; it stops at what is not finite and goes on after it.
fn path(points: &[[f64; 2]], across: impl Fn(f64) -> f64, down: impl Fn(f64) -> f64) -> String {
    let mut path = String::new();
    let mut drawing = false;
    for [time, value] in points {
        if !(time.is_finite() && value.is_finite()) {
            drawing = false;
            continue;
        }
        let command = if drawing { 'L' } else { 'M' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{} {}", number(across(*time)), number(down(*value)));
        drawing = true;
    }
    path
}

/// A coordinate to a tenth of a unit.
fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// A tick of time.
fn plain(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stops_at_what_is_not_finite() {
        let points = [[0.0, 0.0], [1.0, 1.0], [2.0, f64::NAN], [3.0, 3.0], [4.0, 4.25]];
        assert_eq!(path(&points, |x| x, |y| y), "M0 0L1 1M3 3L4 4.2");
        assert_eq!(path(&[], |x| x, |y| y), "");
    }

    #[test]
    fn charts_of_nothing_and_of_nonsense_are_drawn() {
        let chart = |points: Vec<[f64; 2]>, end| Chart {
            title: "<x>",
            about: "",
            scale: Scale::Log,
            unit: |value| value.to_string(),
            lines: vec![Line { name: "a & b", color: 13, points }],
            end,
        };
        for (points, end, something) in [
            (vec![], 0.0, false),
            (vec![[0.0, 0.0]], f64::NAN, false),
            (vec![[0.0, f64::NAN], [1.0, f64::INFINITY]], 1.0, false),
            (vec![[0.0, 1e300], [1.0, 1e-300]], 1.0, true),
        ] {
            let chart = chart(points, end);
            assert_eq!(chart.shows_something(), something);
            let text = chart.render().into_string();
            assert!(
                text.contains("run-1\"")
                    && text.contains("&lt;x&gt;")
                    && text.contains("a &amp; b"),
                "{text}"
            );
            assert!(!text.contains("NaN") && !text.contains("inf"), "{text}");
        }
    }
}
