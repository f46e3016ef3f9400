//! Cloth: a grid of points with threads along and across.
//!
//! A thread of length `ℓ` stands for a strip of cloth of width `w`, so in a cloth of stiffness `Y`, N per
//! metre of width, it is a spring of `Y·w/ℓ`; at a border half as wide. Without a stiffness the threads
//! do not stretch. Cloth gives to shear: both diagonals `d` of a cell of `a × b` are springs of
//! `G·d²/2ab`, which together have the energy of the shear stiffness `G`.
//!
//! Each cell is two triangles, so that cloth collides, cannot turn inside out, and tears along edges as
//! anything else does.

use super::{
    Fault, Made, Region, bounded, damping_time, density, edge, length, point, ratio, ringing,
    stiffness,
};
use crate::math::Vec2;
use crate::scene::soft::rope::breakable;
use crate::scene::{Mesh, MeshEdge, Strength};

/// A rectangle of cloth about the origin.
///
/// ```
/// use sinew::Vec2;
/// use sinew::soft::{Cloth, Held};
/// let sheet = Cloth { size: Vec2::new(2.0, 1.5), hold: Held::Top, ..Cloth::default() };
/// let mass: f32 = sheet.mesh()?.points.iter().map(|point| point.mass).sum();
/// assert!((mass - sheet.density * 3.0).abs() < 1e-2);
/// # Ok::<(), sinew::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Cloth {
    /// Width and height, m.
    pub size: Vec2,
    /// Distance of the threads, m, rounded so that cells fit in; `None` for what suits the size.
    pub cell: Option<f32>,
    /// Density, kg/m³.
    pub density: f32,
    /// Stiffness of the threads, N/m; `None` for threads that do not stretch.
    pub stiffness: Option<f32>,
    /// Shear stiffness, N/m; 0 for none.
    pub shear: f32,
    /// Damping ratio of its stretching.
    pub damping: f32,
    /// Which border points are held.
    pub hold: Held,
    /// Places whose nearest point is held too, m.
    pub hold_at: Vec<Vec2>,
    /// Holes: cells whose middle lies in one are left out.
    pub holes: Vec<Region>,
    /// When threads break.
    pub strength: Strength,
    /// Whether it collides with itself.
    pub self_collision: bool,
}

/// Which points of the border of a cloth are held where they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Held {
    /// None.
    #[default]
    None,
    /// The two upper corners.
    Corners,
    /// The upper border.
    Top,
    /// The left border, as a flag.
    Left,
    /// Left and right border.
    Sides,
    /// The whole border.
    Frame,
}

impl Held {
    /// Whether the point in a column of `columns` and a row of `rows`, from below, is held.
    fn holds(self, (i, j): (usize, usize), (columns, rows): (usize, usize)) -> bool {
        let (left, right, top) = (i == 0, i == columns, j == rows);
        match self {
            Self::None => false,
            Self::Corners => top && (left || right),
            Self::Top => top,
            Self::Left => left,
            Self::Sides => left || right,
            Self::Frame => left || right || top || j == 0,
        }
    }
}

impl Default for Cloth {
    /// 2 m × 2 m of 300 kg/m³ that does not stretch and gives to shear; held nowhere.
    fn default() -> Self {
        Self {
            size: Vec2::splat(2.0),
            cell: None,
            density: 300.0,
            stiffness: None,
            shear: 500.0,
            damping: 0.2,
            hold: Held::None,
            hold_at: Vec::new(),
            holes: Vec::new(),
            strength: Strength::default(),
            self_collision: false,
        }
    }
}

impl Cloth {
    /// Its points, threads and triangles.
    ///
    /// # Errors
    /// If a number is out of range, or nothing is left beside the holes.
    pub fn mesh(&self) -> Made<Mesh> {
        let (columns, rows) = self.cells()?;
        let density = density(self.density)?;
        ratio("damping", self.damping)?;
        let threads = self.stiffness.map(|y| stiffness("stiffness", y, " N/m")).transpose()?;
        super::within("shear", self.shear, 0.0, super::STIFFEST, " N/m")?;
        breakable(&self.strength, threads.is_some() || self.shear > 0.0)?;
        for (index, hole) in self.holes.iter().enumerate() {
            hole.check("holes", index)?;
        }
        let cell = self.size / Vec2::new(columns as f32, rows as f32);
        let place = |i: usize, j: usize| cell * Vec2::new(i as f32, j as f32) - 0.5 * self.size;
        let whole = |i: usize, j: usize| {
            let middle = place(i, j) + 0.5 * cell;
            i < columns && j < rows && !self.holes.iter().any(|hole| hole.holds(middle))
        };
        let mut mesh = Mesh {
            soft: true,
            strength: self.strength,
            self_collision: self.self_collision,
            ..Mesh::default()
        };
        // The point of each crossing that has a cell, and its share of the mass.
        let mut points = vec![None; (columns + 1) * (rows + 1)];
        let slot = |i: usize, j: usize| j * (columns + 1) + i;
        for (i, j) in grid(columns + 1, rows + 1) {
            let around = [
                (i, j),
                (i.wrapping_sub(1), j),
                (i, j.wrapping_sub(1)),
                (i.wrapping_sub(1), j.wrapping_sub(1)),
            ];
            let cells = around.iter().filter(|&&(i, j)| i < columns && j < rows && whole(i, j));
            let count = cells.count();
            if count > 0 {
                points[slot(i, j)] = Some(mesh.points.len() as u32);
                let mass = 0.25 * count as f32 * density * cell.x * cell.y;
                let mut made = point(place(i, j), mass);
                made.pinned = self.hold.holds((i, j), (columns, rows));
                mesh.points.push(made);
            }
        }
        if mesh.points.is_empty() {
            return Err(Fault::new("holes", "no cloth is left").help("make the holes smaller"));
        }
        self.hold_nearest(&mut mesh)?;

        let at = |i: usize, j: usize| points[slot(i, j)].unwrap_or(0);
        let modulus = threads.unwrap_or(self.shear).max(1e-6);
        let time = damping_time(self.damping, ringing(modulus, density, self.size.max_element()));
        // A thread along is held wide by the cells above and below it, one across by those beside.
        let thread = |a: u32, b: u32, cells: usize, wide: f32, long: f32| {
            let share = 0.5 * cells as f32 * wide / long;
            edge(a, b, threads.map(|stiffness| stiffness * share), time)
        };
        // Row by row, and in it those one after the other that share no point: they can be solved at once. Diagonals
        // come first and threads across last, as what hangs then stretches least.
        for j in 0..=rows {
            let cells = || (0..columns).filter(|&i| whole(i, j));
            let corners = |i| [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            for i in cells() {
                let [a, b, c, d] = corners(i);
                let halves =
                    if (i + j) % 2 == 0 { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] };
                mesh.pieces.extend(halves.map(Vec::from));
            }
            for end in [0, 1].into_iter().filter(|_| self.shear > 0.0) {
                let k = self.shear * cell.length_squared() / (2.0 * cell.x * cell.y);
                mesh.edges.extend(cells().map(corners).map(|corners| {
                    let [a, b] = [corners[end], corners[end + 2]];
                    MeshEdge { compliance: 1.0 / k, damping: k * time, a, b }
                }));
            }
            for i in (0..columns).step_by(2).chain((1..columns).step_by(2)) {
                let cells = usize::from(whole(i, j)) + usize::from(j > 0 && whole(i, j - 1));
                if cells > 0 {
                    mesh.edges.push(thread(at(i, j), at(i + 1, j), cells, cell.y, cell.x));
                }
            }
            for i in (0..=columns).filter(|_| j < rows) {
                let cells = usize::from(whole(i, j)) + usize::from(i > 0 && whole(i - 1, j));
                if cells > 0 {
                    mesh.edges.push(thread(at(i, j), at(i, j + 1), cells, cell.x, cell.y));
                }
            }
        }
        super::limit_damping(&mut mesh);
        Ok(mesh)
    }

    /// How many cells lie along and across.
    fn cells(&self) -> Made<(usize, usize)> {
        length("size", self.size.x)?;
        length("size", self.size.y)?;
        let usual = self.size.min_element() / 8.0;
        let cell = length("cell", self.cell.unwrap_or(usual.max(self.size.max_element() / 40.0)))?;
        let [columns, rows] = [self.size.x, self.size.y].map(|size| (size / cell).round().max(1.0));
        bounded("cell", (columns + 1.0) * (rows + 1.0), "use larger cells")?;
        Ok((columns as usize, rows as usize))
    }

    fn hold_nearest(&self, mesh: &mut Mesh) -> Made<()> {
        for (index, place) in self.hold_at.iter().enumerate() {
            if place.abs().cmpgt(0.55 * self.size).any() || !place.is_finite() {
                let problem = format!("{place} lies outside the cloth");
                let remedy = "places are relative to its middle";
                return Err(Fault::new("hold_at", problem).help(remedy).at(index));
            }
            let distance = |made: &crate::scene::MeshPoint| made.position.distance_squared(*place);
            let nearest = mesh.points.iter_mut().min_by(|a, b| distance(a).total_cmp(&distance(b)));
            if let Some(nearest) = nearest {
                nearest.pinned = true;
            }
        }
        Ok(())
    }
}

/// Columns and rows of a grid, row by row.
fn grid(columns: usize, rows: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..rows).flat_map(move |j| (0..columns).map(move |i| (i, j)))
}

#[cfg(test)]
mod tests {
    use super::super::{RegionFigure, mass};
    use super::*;

    fn sheet(cell: f32) -> Cloth {
        Cloth { size: Vec2::new(2.0, 1.0), cell: Some(cell), ..Cloth::default() }
    }

    #[test]
    fn a_sheet_has_its_points_threads_and_triangles() {
        let mesh = Cloth { hold: Held::Top, ..sheet(0.25) }.mesh().unwrap();
        assert_eq!(mesh.points.len(), 9 * 5);
        assert_eq!(mesh.pieces.len(), 2 * 8 * 4);
        assert_eq!(mesh.edges.len(), 8 * 5 + 9 * 4 + 2 * 8 * 4);
        assert_eq!(mesh.points.iter().filter(|point| point.pinned).count(), 9);
        assert!((mass(&mesh) - 600.0).abs() < 1e-2);
    }

    #[test]
    fn holes_leave_out_what_lies_in_them() {
        let hole = Region { at: Vec2::ZERO, figure: RegionFigure::Box(Vec2::splat(0.5)) };
        let mesh = Cloth { holes: vec![hole], ..sheet(0.25) }.mesh().unwrap();
        assert_eq!(mesh.pieces.len(), 2 * (8 * 4 - 4));
        assert_eq!(mesh.points.len(), 9 * 5 - 1);
        assert!((mass(&mesh) - 300.0 * (2.0 - 0.25)).abs() < 1e-2);
        let all = Region { figure: RegionFigure::Disc(9.0), ..hole };
        assert_eq!(
            Cloth { holes: vec![all], ..sheet(0.25) }.mesh().unwrap_err().parameter,
            "holes"
        );
    }

    /// Pulled by 1 % along x, and sheared by 1 %, a sheet has the energy of its stiffnesses.
    #[test]
    fn stiffness_does_not_depend_on_the_cells() {
        for cell in [0.5, 0.25, 0.1] {
            let cloth = Cloth { stiffness: Some(1e4), shear: 700.0, ..sheet(cell) };
            let mesh = cloth.mesh().unwrap();
            let energy = |moved: &dyn Fn(Vec2) -> Vec2| -> f32 {
                let strained = |edge: &MeshEdge| {
                    let [a, b] = [edge.a, edge.b].map(|i| mesh.points[i as usize].position);
                    let stretch = moved(b).distance(moved(a)) - b.distance(a);
                    0.5 * stretch * stretch / edge.compliance
                };
                mesh.edges.iter().map(strained).sum()
            };
            let sheared = energy(&|p| p + Vec2::new(0.01 * p.y, 0.0));
            assert!((sheared / (0.5 * 700.0 * 1e-4 * 2.0) - 1.0).abs() < 0.02, "{sheared}");
            let pulled = energy(&|p| p + Vec2::new(0.01 * p.x, 0.0));
            // The diagonals add their part: G·ε²/2 times (a² + b²)... in a square cell, G/2.
            let expected = 0.5 * 1e-4 * 2.0 * (1e4 + 700.0);
            assert!((pulled / expected - 1.0).abs() < 0.02, "{pulled} {expected}");
        }
    }

    #[test]
    fn impossible_cloth_is_refused_by_name() {
        let fault = |cloth: Cloth| cloth.mesh().unwrap_err().parameter;
        assert_eq!(fault(sheet(1e-3)), "cell");
        assert_eq!(fault(sheet(f32::NAN)), "cell");
        assert_eq!(fault(Cloth { size: Vec2::new(1.0, 0.0), ..sheet(0.1) }), "size");
        assert_eq!(fault(Cloth { hold_at: vec![Vec2::splat(3.0)], ..sheet(0.1) }), "hold_at");
        assert_eq!(fault(Cloth { shear: -1.0, ..sheet(0.1) }), "shear");
    }
}
