//! Changes to the text of a level, from single bytes to whole values.
//!
//! Changes of bytes find holes in the parser; most of what comes out is no JSON. Changes of tokens
//! and lines keep the brackets in order and get further: into the checks, the prefabs, the linter.

/// Words and numbers that levels are made of, and some that they should not be.
const WORDS: [&str; 56] = [
    "0",
    "1",
    "-1",
    "2",
    "0.5",
    "1e6",
    "1e-4",
    "1e300",
    "-0",
    "9007199254740993",
    "4294967296",
    "100000",
    "65",
    "null",
    "true",
    "false",
    "[]",
    "{}",
    "[0, 0]",
    "[1, 1, 1]",
    "\"\"",
    "\"$n\"",
    "\"$i * 2 + 1\"",
    "\"((((1\"",
    "\"1 / 0\"",
    "\"a.{$i}\"",
    "\"{\"",
    "\"\\u0000\"",
    "\"#ffffff\"",
    "\"crate\"",
    "\"box\"",
    "\"polygon\"",
    "\"disc\"",
    "\"capsule\"",
    "\"static\"",
    "\"ragdoll\"",
    "\"pin\"",
    "\"stack\"",
    "\"pyramid\"",
    "\"wall\"",
    "\"chain\"",
    "\"stairs\"",
    "\"dominoes\"",
    "\"ground\"",
    "\"wood\"",
    "\"repeat\": { \"count\": [9, 9], \"step\": [0.1, 0] }",
    "\"type\": \"crate\"",
    "\"include\": \"/etc/passwd\"",
    "\"limits\": [-180, 180]",
    "\"scale\": 0",
    "\"filter\": { \"mask\": 0 }",
    "// comment\n",
    "/* comment */",
    "\u{feff}",
    "ä",
    "\u{202e}",
];

/// A small generator of random numbers (xorshift), the same on every machine.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.max(1))
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; 0 if there is none.
    fn below(&mut self, end: usize) -> usize {
        (self.next() >> 11) as usize % end.max(1)
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A text from the corpus after one to eight changes, more often few, of at most `longest` bytes.
pub(crate) fn mutate(corpus: &[String], random: &mut Random, longest: usize) -> String {
    let mut text = random.of(corpus).clone();
    let most = 1 + random.below(8);
    for _ in 0..=random.below(most) {
        text = match random.below(10) {
            0 => bytes(&text, random),
            1 => lines(&text, random),
            2 => {
                let other = random.of(corpus);
                splice(&text, other, random)
            }
            3 => insert(&text, random),
            4 | 5 => number(&text, random),
            _ => tokens(&text, random),
        };
    }
    if text.len() > longest {
        text.truncate((0..=longest).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0));
    }
    text
}

/// A place between two characters.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        match (random.below(3), bytes.get_mut(at)) {
            (0, Some(byte)) => *byte ^= 1 << random.below(7),
            (1, Some(_)) => drop(bytes.remove(at)),
            _ => bytes.insert(at, *random.of(b"{}[],:\"/*\\-0.eE $\n")),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Takes a line out, doubles it, or swaps two.
fn lines(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (a, b) = (random.below(lines.len()), random.below(lines.len()));
    if lines.is_empty() {
        return String::new();
    }
    match random.below(3) {
        0 => drop(lines.remove(a)),
        1 => lines.insert(b, lines[a]),
        _ => lines.swap(a, b),
    }
    lines.concat()
}

fn splice(text: &str, other: &str, random: &mut Random) -> String {
    let (from, to) = (place(other, random), place(other, random));
    let at = place(text, random);
    let part = &other[from.min(to)..from.max(to)];
    format!("{}{part}{}", &text[..at], &text[at..])
}

fn insert(text: &str, random: &mut Random) -> String {
    let at = place(text, random);
    let word = random.of(&WORDS);
    let times = if random.below(20) == 0 { 40 } else { 1 };
    let comma = if random.below(2) == 0 { ", " } else { "" };
    format!("{}{}{comma}{}", &text[..at], word.repeat(times), &text[at..])
}

/// Puts a word in the place of a number.
fn number(text: &str, random: &mut Random) -> String {
    let digit = |byte: u8| byte.is_ascii_digit() || b"-.e".contains(&byte);
    let bytes = text.as_bytes();
    let start = place(text, random);
    let Some(from) = (start..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else {
        return text.to_owned();
    };
    let to = (from..bytes.len()).find(|&i| !digit(bytes[i])).unwrap_or(bytes.len());
    format!("{}{}{}", &text[..from], random.of(&WORDS), &text[to..])
}

/// Swaps two tokens, copies one over another, or puts a word in place of one.
fn tokens(text: &str, random: &mut Random) -> String {
    let ranges = token_ranges(text);
    if ranges.is_empty() {
        return text.to_owned();
    }
    let (a, b) = (random.of(&ranges).clone(), random.of(&ranges).clone());
    let (a, b) = if a.start <= b.start { (a, b) } else { (b, a) };
    let put = |at: std::ops::Range<usize>, with: &str| {
        format!("{}{with}{}", &text[..at.start], &text[at.end..])
    };
    match random.below(3) {
        0 if a.end <= b.start => format!(
            "{}{}{}{}{}",
            &text[..a.start],
            &text[b.clone()],
            &text[a.end..b.start],
            &text[a],
            &text[b.end..]
        ),
        1 => put(b, &text[a]),
        _ => put(b, random.of::<&str>(&WORDS)),
    }
}

/// Where texts, numbers and words are.
fn token_ranges(text: &str) -> Vec<std::ops::Range<usize>> {
    let bytes = text.as_bytes();
    let (mut ranges, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        at += 1;
        if bytes[start] == b'"' {
            while at < bytes.len() && bytes[at] != b'"' {
                at += if bytes[at] == b'\\' { 2 } else { 1 };
            }
            at = (at + 1).min(bytes.len());
        } else if bytes[start].is_ascii_alphanumeric() || bytes[start] == b'-' {
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'.') {
                at += 1;
            }
        } else {
            continue;
        }
        if text.is_char_boundary(start) && text.is_char_boundary(at) {
            ranges.push(start..at);
        }
    }
    ranges
}
