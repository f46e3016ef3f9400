//! Which soft bodies are of one pattern, and where the unknowns of a body of that pattern are.
//!
//! Bodies are of one pattern if the same points, counted from the first of each, are held together in the same way.
//! What they are made of, how long their edges are and which of their points are held may differ.

use std::collections::HashMap;
use std::ops::Range;

use super::factor::Profile;
use crate::math::Mapped;
use crate::solver::direct;
use crate::world::{Area, Body, Model};

/// Fewer bodies than this are solved like any other.
const LEAST: usize = 3;

/// What is the same in some bodies; points are counted from the first of each body.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Pattern {
    /// Where the unknowns of each point are.
    pub(crate) rows: Vec<u32>,
    pub(super) profile: Profile,
    /// The ends of each edge.
    pub(super) edges: Vec<[u32; 2]>,
    /// How many of the laws are bends; areas follow.
    pub(super) bends: usize,
    /// Which of the points in `points` each law is about.
    pub(super) laws: Vec<Range<usize>>,
    pub(super) points: Vec<u32>,
}

/// The most that solving a body may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Most {
    /// Multiplications for the factor of its matrix, for each of its equations.
    pub(crate) work: usize,
    /// Entries of that matrix.
    pub(crate) entries: usize,
}

/// The patterns of a model, each with its bodies: those that `takes` names.
pub(super) fn patterns(
    model: &Model,
    most: Most,
    takes: impl Fn(&Body) -> bool,
) -> Vec<(Pattern, Vec<u32>)> {
    let mut joined = vec![false; model.bodies.len()];
    for joint in &model.joints {
        joint.bodies().for_each(|body| joined[body as usize] = true);
    }
    let mut found: Vec<(Pattern, Vec<u32>)> = Vec::new();
    let mut places = HashMap::new();
    for (index, body) in model.bodies.iter().enumerate() {
        if !body.soft || !body.is_dynamic() || joined[index] || !takes(body) {
            continue;
        }
        let pattern = Pattern::of(model, body);
        let place = *places.entry(pattern.clone()).or_insert(found.len());
        if place == found.len() {
            found.push((pattern, Vec::new()));
        }
        found[place].1.push(index as u32);
    }
    found.retain_mut(|(pattern, bodies)| bodies.len() >= LEAST && pattern.place(most));
    found
}

/// The areas of a body that are springs.
pub(super) fn springs<'a>(model: &'a Model, body: &Body) -> impl Iterator<Item = &'a Area> {
    let areas = &model.areas[body.areas.start as usize..body.areas.end as usize];
    areas.iter().filter(|area| !area.is_guard())
}

impl Pattern {
    /// That of a body, without places.
    fn of(model: &Model, body: &Body) -> Self {
        let range = |range: &Range<u32>| range.start as usize..range.end as usize;
        let from = body.points.start;
        let edges =
            model.edges[range(&body.edges)].iter().map(|edge| [edge.a - from, edge.b - from]);
        let mut pattern = Self { edges: edges.collect(), ..Self::default() };
        pattern.rows.resize(body.points.len(), 0);
        let bends = model.bends[range(&body.bends)].iter().map(|bend| &bend.points[..]);
        pattern.bends = bends.len();
        for points in bends.chain(springs(model, body).map(|area| model.area_outline(area))) {
            let first = pattern.points.len();
            pattern.points.extend(points.iter().map(|point| point - from));
            pattern.laws.push(first..pattern.points.len());
        }
        pattern
    }

    /// Gives each point its place; `false` if solving takes more than `most`.
    fn place(&mut self, most: Most) -> bool {
        let Self { rows, edges, laws, points, .. } = self;
        if edges.is_empty() || laws.iter().any(|law| law.len() > direct::MOST_NODES) {
            return false;
        }
        let mut links: Vec<(u32, u32)> = edges.iter().map(|&[a, b]| (a, b)).collect();
        for law in laws.iter() {
            let points = &points[law.clone()];
            for (k, &a) in points.iter().enumerate() {
                links.extend(points[..k].iter().map(|&b| (a, b)));
            }
        }
        for (row, point) in direct::narrow_order(rows.len(), &links).into_iter().enumerate() {
            rows[point as usize] = row as u32;
        }
        let mut first: Vec<u32> = (0..rows.len() as u32).collect();
        for (a, b) in links {
            let [a, b] = [a, b].mapped(|point| rows[point as usize]);
            let row = &mut first[a.max(b) as usize];
            *row = (*row).min(a.min(b));
        }
        let entries = first.iter().zip(0_u32..).flat_map(|(&first, row)| {
            let left = 2 * (row - first) as usize;
            [left + 1, left + 2]
        });
        let (all, work) = entries.fold((0, 0), |(all, work), row| (all + row, work + row * row));
        self.profile = Profile::new(&first);
        work <= most.work * (edges.len() + laws.len()) && all <= most.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::Vec2;
    use crate::scene::soft::{Jelly, Rope};
    use crate::scene::{BodyDef, Scene, Shape};
    use crate::world::World;

    #[test]
    fn bodies_are_told_apart_by_their_pattern() {
        let rope = |segments| {
            let rope = Rope { segments: Some(segments), ..Rope::default() };
            Shape::Mesh(rope.mesh().unwrap())
        };
        let jelly = || Shape::Mesh(Jelly::rectangle(Vec2::ONE).mesh().unwrap());
        let shapes =
            [rope(8), jelly(), rope(8), rope(9), jelly(), rope(9), rope(8), jelly(), rope(8)];
        let mut scene = Scene::default();
        for (k, shape) in shapes.into_iter().enumerate() {
            let at = Vec2::new(5.0 * k as f32, 0.0);
            scene.bodies.push(BodyDef::new(format!("{k}"), shape, at));
        }
        let world = World::build(&scene).unwrap();
        let found: Vec<Vec<u32>> =
            patterns(&world.model, Most { work: 4000, entries: 10_000 }, |_| true)
                .into_iter()
                .map(|(_, bodies)| bodies)
                .collect();
        assert_eq!(found, [vec![0, 2, 6, 8], vec![1, 4, 7]]);
    }
}
