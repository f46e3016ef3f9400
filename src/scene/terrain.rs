//! Terrain: ground along a line, closed downward, or a line of some thickness.
//!
//! Ground is cut by verticals through its vertices into pieces that share their sides, so that nothing
//! trips over the seams. It reaches down far below its lowest vertex: what is pressed into it comes
//! out at the top. A line is a chain of capsules, which push on both sides.

use super::mesh::{Mesh, MeshEdge, MeshPoint};
use super::{Scene, Shape};
use crate::math::Vec2;

/// The course of static ground, or of a static line.
#[derive(Clone, Debug, PartialEq)]
pub struct Terrain {
    /// The vertices in order, m from the body's origin. Those of ground run from left to right.
    pub points: Vec<Vec2>,
    /// What lies along them.
    pub course: Course,
}

/// What lies along a [`Terrain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Course {
    /// Ground, down to this depth below the lowest vertex, m.
    Ground(f32),
    /// A line of this thickness, m, with round ends.
    Line(f32),
}

/// What is wrong with a [`Terrain`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TerrainFault {
    /// It has fewer than 2 points or more than [`Terrain::MOST_POINTS`].
    Count(usize),
    /// A point is not to the right of the one before it, where ground lies along them.
    Backwards(usize),
    /// A point is at the same place as the one before it.
    Repeats(usize),
    /// A coordinate is not finite or too large.
    Far(usize),
    /// The depth or the thickness is not a size.
    Size(f32),
}

impl Terrain {
    /// The most points.
    pub const MOST_POINTS: usize = 4096;

    /// Ground with these heights, `spacing` apart.
    #[must_use]
    pub fn of_heights(heights: &[f32], spacing: f32, depth: f32) -> Self {
        let at = |(k, &height): (usize, &f32)| Vec2::new(spacing * k as f32, height);
        Self { points: heights.iter().enumerate().map(at).collect(), course: Course::Ground(depth) }
    }

    /// The shape of a body that is this terrain. It is meant to be static: it has no frame.
    ///
    /// # Errors
    /// If there are too few or too many points, ground runs back, or a size is none.
    pub fn shape(&self) -> Result<Shape, TerrainFault> {
        self.check()?;
        let mut mesh = Mesh::default();
        let mut point = |position: Vec2| {
            mesh.points.push(MeshPoint { position, mass: 1.0, pinned: false });
        };
        match self.course {
            Course::Ground(depth) => {
                let lowest = self.points.iter().map(|at| at.y).fold(f32::INFINITY, f32::min);
                for &at in &self.points {
                    point(at);
                    point(Vec2::new(at.x, lowest - depth));
                }
                for k in 0..self.points.len() as u32 - 1 {
                    let [a, b] = [2 * k, 2 * k + 2];
                    mesh.pieces.push(vec![a + 1, b + 1, b, a]);
                    mesh.edges.push(MeshEdge::stiff(a, b));
                }
            }
            Course::Line(thickness) => {
                self.points.iter().for_each(|&at| point(at));
                mesh.radius = 0.5 * thickness;
                for k in 1..self.points.len() as u32 {
                    mesh.pieces.push(vec![k - 1, k]);
                    mesh.edges.push(MeshEdge::stiff(k - 1, k));
                }
            }
        }
        Ok(Shape::Mesh(mesh))
    }

    fn check(&self) -> Result<(), TerrainFault> {
        let count = self.points.len();
        if !(2..=Self::MOST_POINTS).contains(&count) {
            return Err(TerrainFault::Count(count));
        }
        let far = |at: &Vec2| !at.is_finite() || at.abs().max_element() > Scene::LARGEST;
        if let Some(index) = self.points.iter().position(far) {
            return Err(TerrainFault::Far(index));
        }
        let (Course::Ground(size) | Course::Line(size)) = self.course;
        if !(2.0 * Shape::LEAST_SIZE..=Scene::LARGEST).contains(&size) {
            return Err(TerrainFault::Size(size));
        }
        for (k, pair) in self.points.windows(2).enumerate() {
            if matches!(self.course, Course::Ground(_))
                && !(pair[1].x - pair[0].x >= Shape::LEAST_SIZE)
            {
                return Err(TerrainFault::Backwards(k + 1));
            }
            if !(pair[0].distance(pair[1]) >= Shape::LEAST_SIZE) {
                return Err(TerrainFault::Repeats(k + 1));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ground_has_a_piece_for_each_stretch_and_lines_have_too() {
        let ground = Terrain::of_heights(&[0.0, 1.0, -2.0], 0.5, 3.0);
        let Ok(Shape::Mesh(mesh)) = ground.shape() else { panic!("{ground:?}") };
        assert_eq!((mesh.points.len(), mesh.pieces.len()), (6, 2));
        assert_eq!(mesh.points[5].position, Vec2::new(1.0, -5.0));
        let line = Terrain { course: Course::Line(0.2), ..ground };
        let Ok(Shape::Mesh(mesh)) = line.shape() else { panic!("{line:?}") };
        assert_eq!((mesh.points.len(), mesh.pieces.len(), mesh.radius), (3, 2, 0.1));
    }

    #[test]
    fn faults_are_told_by_their_point() {
        let fault = |points: &[(f32, f32)], course| {
            let points = points.iter().map(|&at| at.into()).collect();
            Terrain { points, course }.shape().unwrap_err()
        };
        let depth = Course::Ground(1.0);
        assert_eq!(fault(&[(0.0, 0.0)], depth), TerrainFault::Count(1));
        assert_eq!(fault(&[(0.0, 0.0), (1.0, 0.0), (1.0, 5.0)], depth), TerrainFault::Backwards(2));
        let twice = [(0.0, 0.0), (0.0, 0.0)];
        assert_eq!(fault(&twice, Course::Line(0.1)), TerrainFault::Repeats(1));
        let far = [(0.0, 0.0), (f32::NAN, 0.0)];
        assert_eq!(fault(&far, depth), TerrainFault::Far(1));
        assert_eq!(fault(&[(0.0, 0.0), (1.0, 0.0)], Course::Ground(0.0)), TerrainFault::Size(0.0));
    }
}
