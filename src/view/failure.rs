//! A level file that cannot be played: what is wrong with it, over the world that still runs.
//!
//! The message is the one the command line prints, in a font of equal letters so that the carets
//! stand under what they point at. A source line that is too long is cut to the part around its
//! carets; other lines wrap. What does not fit is counted.

use crate::math::Vec2;
use crate::view::color::{ACCENT, ALARM, Color, INK, MUTED, PAPER};
use crate::view::layer::Layer;
use crate::view::session::Problem;
use crate::view::text::{Face, Fonts};

const MARGIN: f32 = 14.0;
const PADDING: f32 = 18.0;
/// Room for a notice above the sheet, px.
const TOP: f32 = 54.0;
const LINE: f32 = 19.0;
const TITLE: (u16, Face) = (17, Face::Sans);
const CODE: (u16, Face) = (14, Face::Mono);
/// Lines that wrap go on this far to the right, in letters.
const INDENT: usize = 6;
/// The widest the sheet gets, in letters.
const WIDEST: usize = 120;

/// What a line is, which decides its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Place and message.
    Head,
    /// The source line.
    Source,
    /// The carets under it.
    Carets,
    /// The path of the value.
    Path,
    /// The remedy.
    Help,
    /// Between two mistakes.
    Gap,
}

impl Kind {
    fn color(self) -> Color {
        match self {
            Self::Head => PAPER,
            Self::Source => Color::hex(0xd7dee6),
            Self::Carets => ALARM,
            Self::Path | Self::Gap => MUTED,
            Self::Help => ACCENT,
        }
    }
}

type Line = (Kind, String);

/// Draws the sheet at the top of the window, where most levels have nothing but sky, to the right of
/// the `covered` pixels.
pub(crate) fn draw(
    layer: &mut Layer,
    fonts: &Fonts,
    screen: Vec2,
    covered: f32,
    problem: &Problem,
) {
    let letter = fonts.width("mmmmmmmmmm", CODE.0, CODE.1) / 10.0;
    let room = (screen.x - covered - 2.0 * (MARGIN + PADDING)) / letter.max(1.0);
    let columns = (room as usize).clamp(24, WIDEST);
    // Half of the world stays free unless the window is small.
    let tallest = (0.5 * screen.y).max(260.0).min(screen.y - TOP - MARGIN);
    let rows = ((tallest - 2.0 * PADDING - 40.0) / LINE).max(3.0) as usize;
    let (lines, more) = layout(problem, columns, rows);

    let width = columns as f32 * letter + 2.0 * PADDING;
    let height = 2.0 * PADDING + 30.0 + LINE * lines.len() as f32;
    let min = Vec2::new(0.5 * (covered + screen.x - width), TOP).round();
    let max = min + Vec2::new(width, height);
    let corners = [min, Vec2::new(max.x, min.y), max, Vec2::new(min.x, max.y)];
    layer.geometry.soft(&corners.map(|p| p + Vec2::new(0.0, 3.0)), 14.0, INK.with_alpha(0.2));
    layer.geometry.rounded(min, max, 10.0, INK.with_alpha(0.97));
    layer.geometry.rounded(min, Vec2::new(min.x + 5.0, max.y), 2.5, ALARM);

    let mut at = min + Vec2::new(PADDING, PADDING + 12.0);
    let title = match problem.count {
        0 | 1 => "The file has a mistake".to_owned(),
        count => format!("The file has {count} mistakes"),
    };
    layer.text(&title, at, TITLE, ALARM);
    let after = at + Vec2::new(fonts.width(&title, TITLE.0, TITLE.1) + 14.0, 0.0);
    let state = "the last good version runs on; save again to try again";
    layer.text(state, after, (14, Face::Sans), MUTED);
    if more > 0 {
        let text = format!("… and {more} more");
        let left = max.x - PADDING - fonts.width(&text, 14, Face::Sans);
        layer.text(text, Vec2::new(left, at.y), (14, Face::Sans), PAPER);
    }
    at.y += 12.0;
    for (kind, text) in lines {
        at.y += LINE;
        layer.text(text, at, CODE, kind.color());
    }
}

/// The lines of a message that fit, and how many mistakes do not. Whole mistakes are shown, but
/// always the beginning of the first.
fn layout(problem: &Problem, columns: usize, rows: usize) -> (Vec<Line>, usize) {
    let mut lines: Vec<Line> = Vec::new();
    let mut shown = 0;
    for block in problem.message.split("\n\n").take(problem.count.max(1)) {
        if block.starts_with('…') {
            break;
        }
        let block = lay_out_one(block, columns);
        let gap = usize::from(shown > 0);
        if lines.len() + gap + block.len() > rows && shown > 0 {
            break;
        }
        lines.extend((0..gap).map(|_| (Kind::Gap, String::new())));
        lines.extend(block);
        shown += 1;
    }
    lines.truncate(rows);
    (lines, problem.count.max(1) - shown.min(problem.count.max(1)))
}

/// The lines of one mistake.
fn lay_out_one(text: &str, columns: usize) -> Vec<Line> {
    let lines: Vec<&str> = text.lines().collect();
    let mut result = Vec::new();
    let mut index = 0;
    while let Some(&line) = lines.get(index) {
        index += 1;
        let carets = lines.get(index).filter(|next| are_carets(next));
        if let Some(carets) = carets {
            index += 1;
            let [source, carets] = around_carets(line, carets, columns);
            result.extend([(Kind::Source, source), (Kind::Carets, carets)]);
            continue;
        }
        let kind = match line.trim_start() {
            rest if rest.starts_with("help:") => Kind::Help,
            rest if result.len() > 1 && (rest.starts_with("at ") || rest.starts_with("in ")) => {
                Kind::Path
            }
            _ => Kind::Head,
        };
        result.extend(wrapped(line, columns).into_iter().map(|line| (kind, line)));
    }
    result
}

/// Whether a line only points at the one above it.
fn are_carets(line: &str) -> bool {
    line.contains('^') && line.chars().all(|c| matches!(c, ' ' | '|' | '^'))
}

/// A source line and its carets, both cut alike so that the first caret is seen.
fn around_carets(source: &str, carets: &str, columns: usize) -> [String; 2] {
    let first = carets.find('^').unwrap_or(0);
    let last = carets.rfind('^').map_or(0, |last| last + 1);
    // The number of the line stays.
    let gutter = carets.find('|').map_or(0, |bar| bar + 2).min(first);
    let room = columns.saturating_sub(gutter).max(1);
    let skipped = if last <= columns { 0 } else { first - gutter - (first - gutter).min(room / 3) };
    let cut = |line: &str| -> String {
        let head = line.chars().take(gutter);
        let tail = line.chars().skip(gutter + skipped).take(room);
        head.chain(tail).collect::<String>().trim_end().to_owned()
    };
    [cut(source), cut(carets)]
}

/// A line broken at spaces, or within a word that is too long by itself.
fn wrapped(line: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut rest: Vec<char> = line.trim_end().chars().collect();
    while rest.len() > columns {
        let start = rest.iter().take_while(|c| **c == ' ').count();
        let space = rest[..=columns].iter().rposition(|&c| c == ' ');
        let end = space.filter(|&end| end > start).unwrap_or(columns);
        lines.push(rest[..end].iter().collect());
        let next = rest[end..].iter().skip_while(|c| **c == ' ');
        rest = std::iter::repeat_n(' ', INDENT.min(columns / 2)).chain(next.copied()).collect();
    }
    lines.push(rest.into_iter().collect());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::level::Level;

    fn problem(text: &str) -> Problem {
        let error = Level::parse(text, "levels/some/level.json").unwrap_err();
        Problem { message: error.to_string(), count: error.count() }
    }

    #[test]
    fn carets_stay_under_what_they_point_at() {
        let pad = "\"name\": \"a long name that pushes everything to the right\", ";
        let text = format!("{{ {pad} \"format\": 1, \"itmes\": [] }}");
        for columns in [40, 60, 200] {
            let (lines, more) = layout(&problem(&text), columns, 20);
            assert_eq!(more, 0);
            assert!(lines.iter().all(|(_, line)| line.chars().count() <= columns), "{lines:?}");
            let index = lines.iter().position(|(kind, _)| *kind == Kind::Carets).unwrap();
            let (source, carets) = (&lines[index - 1].1, &lines[index].1);
            let first = carets.find('^').unwrap();
            let pointed: String = source.chars().skip(first).take(7).collect();
            assert_eq!(pointed, "\"itmes\"", "{source}\n{carets}");
            assert_eq!(lines.last().unwrap().0, Kind::Help);
        }
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let items = "{ \"type\": \"crat\" },\n".repeat(30);
        let problem = problem(&format!("{{ \"format\": 1, \"items\": [\n{items}] }}"));
        assert_eq!(problem.count, 30);
        for rows in [3, 12, 24, 500] {
            let (lines, more) = layout(&problem, 80, rows);
            assert!(lines.len() <= rows);
            let heads = lines.iter().filter(|(_, line)| line.contains("unknown type")).count();
            assert_eq!(heads + more, 30, "{rows} rows");
        }
    }

    #[test]
    fn words_wrap_and_long_ones_break() {
        assert_eq!(wrapped("one two three four", 12), ["one two", "      three", "      four"]);
        assert_eq!(wrapped("abcdefghijklmnop", 12), ["abcdefghijkl", "      mnop"]);
        assert_eq!(wrapped("", 8), [""]);
    }
}
