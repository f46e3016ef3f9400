//! What a name in a promise stands for.
//!
//! Ids are dotted: the copies of `wall` are `wall.0`, `wall.1`, …, the parts of the ragdoll `ann`
//! are `ann.head`, `ann.upper_arm.l`, …. A name is a body (`wall.3`) or else the group of all whose
//! ids begin with it and a dot (`ann`), taken as one thing. In a pattern `*` is any text without a
//! dot and `**` any text at all: `wall.*` is every brick, `crowd.*` every ragdoll of a crowd as one
//! thing, `crowd.**` every body of all of them.

use std::collections::{BTreeMap, HashMap};
use std::ops::Bound;

/// A body, or several taken as one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Thing {
    /// What it is called.
    pub(crate) name: String,
    /// The numbers of its members, rising; at least one.
    pub(crate) members: Vec<usize>,
    /// Whether it is a group by name, even one of a single member.
    pub(crate) group: bool,
}

/// The ids of all bodies, or of all joints.
pub(crate) struct Names<'a> {
    numbers: BTreeMap<&'a str, usize>,
}

impl<'a> Names<'a> {
    /// Numbers the ids in their order.
    pub(crate) fn new(ids: impl Iterator<Item = &'a str>) -> Self {
        Self { numbers: ids.enumerate().map(|(number, id)| (id, number)).collect() }
    }

    /// Whether a name is a pattern.
    pub(crate) fn is_pattern(name: &str) -> bool {
        name.contains('*')
    }

    /// How many characters [`things`](Self::things) compares with each other for a name, about.
    pub(crate) fn effort(&self, name: &str) -> usize {
        if Self::is_pattern(name) {
            self.candidates(name).map(|(id, _)| id.len()).sum::<usize>() * name.len()
        } else {
            name.len()
        }
    }

    /// What a name stands for: one thing at most, unless it is a pattern. Nothing if there is
    /// nothing of the name.
    pub(crate) fn things(&self, name: &str) -> Vec<Thing> {
        if Self::is_pattern(name) {
            return self.matching(name);
        }
        let (members, group) = match self.numbers.get(name) {
            Some(&number) => (vec![number], false),
            None => {
                let start = format!("{name}.");
                let mut members: Vec<_> = self.beginning(&start).map(|(_, n)| n).collect();
                members.sort_unstable();
                (members, true)
            }
        };
        if members.is_empty() {
            return Vec::new();
        }
        vec![Thing { name: name.to_owned(), members, group }]
    }

    fn matching(&self, pattern: &str) -> Vec<Thing> {
        let depth = (!pattern.contains("**")).then(|| pattern.matches('.').count());
        let mut things: Vec<Thing> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        for (id, number) in self.candidates(pattern) {
            let name = match depth {
                Some(depth) => match beginning_of(id, depth) {
                    Some(name) => name,
                    None => continue,
                },
                None => id,
            };
            if !matches(pattern, name) {
                continue;
            }
            let group = name.len() < id.len();
            match known.get(name).and_then(|&index| things.get_mut(index)) {
                // The body of a name goes before the group of it.
                Some(thing) if thing.group => thing.members.push(number),
                Some(_) => {}
                None => {
                    if group && self.numbers.contains_key(name) {
                        continue;
                    }
                    known.insert(name, things.len());
                    things.push(Thing { name: name.to_owned(), members: vec![number], group });
                }
            }
        }
        for thing in &mut things {
            thing.members.sort_unstable();
        }
        things.sort_by_key(|thing| thing.members.first().copied());
        things
    }

    /// The ids that begin as a pattern does.
    fn candidates<'s>(&'s self, pattern: &'s str) -> impl Iterator<Item = (&'a str, usize)> + 's {
        let literal = pattern.find('*').map_or(pattern, |star| &pattern[..star]);
        self.beginning(literal)
    }

    fn beginning<'s>(&'s self, start: &'s str) -> impl Iterator<Item = (&'a str, usize)> + 's {
        let from = (Bound::Included(start), Bound::Unbounded);
        let ids = self.numbers.range::<str, _>(from);
        ids.map(|(&id, &number)| (id, number)).take_while(move |(id, _)| id.starts_with(start))
    }
}

/// An id up to the dot after `depth` others; `None` if it has fewer than `depth` dots.
fn beginning_of(id: &str, depth: usize) -> Option<&str> {
    let mut dots = id.match_indices('.').map(|(at, _)| at);
    if depth > 0 {
        dots.nth(depth - 1)?;
    }
    Some(dots.next().map_or(id, |end| &id[..end]))
}

/// Whether a text matches a pattern of `*` and `**`. Takes time in proportion to the product of
/// their lengths, whatever the pattern.
fn matches(pattern: &str, text: &str) -> bool {
    let text = text.as_bytes();
    // Which beginnings of the text the pattern so far matches, by their length.
    let mut reached = vec![false; text.len() + 1];
    reached[0] = true;
    let mut rest = pattern.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'*' {
            for end in (0..text.len()).rev() {
                reached[end + 1] = reached[end] && text[end] == first;
            }
            reached[0] = false;
            continue;
        }
        let across_dots = rest.first() == Some(&b'*');
        while let Some(after) = rest.strip_prefix(b"*") {
            rest = after;
        }
        for end in 0..text.len() {
            reached[end + 1] |= reached[end] && (across_dots || text[end] != b'.');
        }
    }
    reached[text.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str) -> Vec<(String, Vec<usize>)> {
        let ids = [
            "ground",
            "wall.0",
            "wall.1",
            "ann.head",
            "ann.arm.l",
            "ann.arm.r",
            "crowd.0.head",
            "crowd.0.foot",
            "crowd.1.head",
            "wallpaper",
            "ball",
            "ball.2",
        ];
        let names = Names::new(ids.into_iter());
        names.things(name).into_iter().map(|thing| (thing.name, thing.members)).collect()
    }

    fn expected(things: &[(&str, &[usize])]) -> Vec<(String, Vec<usize>)> {
        things.iter().map(|(name, members)| ((*name).to_owned(), members.to_vec())).collect()
    }

    #[test]
    fn names_are_bodies_or_groups() {
        assert_eq!(found("ground"), expected(&[("ground", &[0])]));
        assert_eq!(found("wall"), expected(&[("wall", &[1, 2])]));
        assert_eq!(found("ann.arm"), expected(&[("ann.arm", &[4, 5])]));
        assert_eq!(found("ball"), expected(&[("ball", &[10])]));
        assert_eq!(found("wal"), []);
        assert_eq!(found(""), []);
    }

    #[test]
    fn one_star_stays_within_dots_and_finds_groups() {
        assert_eq!(found("wall.*"), expected(&[("wall.0", &[1]), ("wall.1", &[2])]));
        assert_eq!(found("crowd.*"), expected(&[("crowd.0", &[6, 7]), ("crowd.1", &[8])]));
        assert_eq!(
            found("crowd.*.head"),
            expected(&[("crowd.0.head", &[6]), ("crowd.1.head", &[8])])
        );
        assert_eq!(found("wall*"), expected(&[("wall", &[1, 2]), ("wallpaper", &[9])]));
        assert_eq!(found("b*"), expected(&[("ball", &[10])]));
        assert_eq!(found("*.*.*.*"), []);
    }

    #[test]
    fn two_stars_find_bodies_alone() {
        let all = expected(&[("ann.head", &[3]), ("ann.arm.l", &[4]), ("ann.arm.r", &[5])]);
        assert_eq!(found("ann.**"), all);
        assert_eq!(found("**.head").len(), 3);
        assert_eq!(found("**").len(), 12);
    }

    #[test]
    fn many_stars_take_no_longer() {
        let text = "a".repeat(100);
        assert!(!matches(&"*a".repeat(60).replace("aa", "a*"), &format!("{text}.")));
        assert!(matches(&"*a".repeat(50), &text));
    }
}
